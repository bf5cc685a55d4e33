#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models that fail, are busy, or share a name: gateway_routes_test.py [SURETY].
The laws: never are more calls of a model under way than it allows; a model that
fails again and again gets one call at a time until one succeeds."""

import select
import time

from cli_run import check, run_tests, same
from gateway_run import (GOOD_TEXT, WAIT, Gateway, said, schema_members)
from mock_run import Response, request
from process import until

OK = {"text": GOOD_TEXT, "repeat": True}
DOWN = {"when": {"model": "bad"}, "status": 500, "repeat": True}
LATE = {"when": {"model": "late"}, "text": "late", "delay_ms": 600000,
        "repeat": True}


def config(routes=None, **models):
    """A configuration whose models have their own names at the provider."""
    rows = {name: {"provider": "openai", "model": name, **(more or {})}
            for name, more in models.items()}
    return {"models": rows, "retry": {"max": 0}, "routes": routes or {}}


def asked(gateway, count=0):
    return [line["model"] for line in gateway.mock.logged(count)]


def test_fall_back():
    """The models of a name follow each other, across protocols."""
    with Gateway({"replies": [DOWN, OK]}, "--threads", "1", config=config(
            {"chat": ["bad", "other", "good"], "alone": ["good"]},
            bad=None, good=None, other={"provider": "anthropic"})) as gateway:
        for stream in (False, True):
            got = gateway.call("openai", stream, model="chat",
                               **schema_members("openai"))
            same(f"stream {stream}: status", got.status, 200)
        same("one after the other", asked(gateway, 4),
             ["bad", "other"] * 2)
        got = gateway.call(model="chat", logit_bias={"1": 2})
        same("a model without a word for a member is left out",
             (got.status, asked(gateway, 6)[4:]), (200, ["bad", "good"]))
        same("of one model", gateway.call(model="alone").status, 200)
        same("the log has the client's name",
             [line["model"] for line in gateway.logged(4)],
             ["chat"] * 3 + ["alone"])


def test_weights():
    """The proportion is that of the whole process."""
    with Gateway({"replies": [OK]}, "--threads", "4", config=config(
            {"chat": [{"model": "a", "weight": 3},
                      {"model": "b", "weight": 1}, "c"]},
            a=None, b=None, c=None)) as gateway:
        for _ in range(8):
            gateway.call(model="chat")
        seen = asked(gateway, 8)
        same("in proportion", (seen.count("a"), seen.count("b")), (6, 2))


def test_wrong_files():
    for name, routes, part in (
            ("no such model", {"chat": ["god"]}, "/routes/chat/0"),
            ("a near one", {"chat": ["god"]}, 'did you mean "good"?'),
            ("twice", {"chat": ["good", "good"]}, "twice"),
            ("an unknown member", {"chat": [{"model": "good", "wait": 1}]},
             "/routes/chat/0"),
            ("an empty list", {"chat": []}, "/routes/chat"),
            ("no list", {"chat": "good"}, "/routes/chat")):
        gateway = Gateway({"replies": []}, config=config(routes, good=None))
        same(f"{name}: code", gateway.process.wait(timeout=WAIT), 2)
        check(f"{name}: says which", part in gateway.heard(), gateway.heard())
        gateway.mock.end()


def test_at_once():
    """Calls beyond a limit wait for one to end, whatever their thread."""
    with Gateway({"replies": [LATE, OK]}, "--threads", "3", config=config(
            {"now": ["late", "good"]},
            late={"at_once": 2}, good=None)) as gateway:
        held = [gateway.send(request(model="late")) for _ in range(2)]
        same("two are under way", asked_waiting(gateway, 2), 2)
        links = [gateway.send(request(model="late")) for _ in range(10)]
        same("other models are free", gateway.call(model="good").status, 200)
        waits(gateway, 'surety_model_waiting{model="late"} 10')
        for link in held + links:
            same("never more than two", under_way(gateway) <= 2, True)
            link.close()
        waits(gateway, 'surety_model_waiting{model="late"} 0')
        waits(gateway, 'surety_model_calls_under_way{model="late"} 0')


def metrics(gateway):
    return Response(gateway.send(b"GET /metrics HTTP/1.1\r\nHost: a\r\n"
                                 b"Connection: close\r\n\r\n")).body.decode()


def waits(gateway, line):
    """Waits until the metrics have a line."""
    check(line, until(lambda: line in metrics(gateway), WAIT), line)


def under_way(gateway):
    name = 'surety_model_calls_under_way{model="late"} '
    return int(metrics(gateway).split(name)[1].split("\n")[0])


def asked_waiting(gateway, count):
    waits(gateway, f'surety_model_calls_under_way{{model="late"}} {count}')
    return under_way(gateway)


def test_queue():
    """The queue is bounded: one more is refused, or goes to the next model."""
    with Gateway({"replies": [LATE, OK]}, "--max-waiting", "3", config=config(
            {"now": ["late", "good"]}, late={"at_once": 1}, good=None)
            ) as gateway:
        links = [gateway.send(request(model="late")) for _ in range(4)]
        waits(gateway, 'surety_model_waiting{model="late"} 3')
        got = gateway.call(model="late")
        same("one more", (got.status, got.header("x-should-retry"),
                          got.header("retry-after")), (503, "true", "1"))
        check("says why", "wait for the model" in got.body.decode(), got)
        same("with another model it goes there",
             said("openai", gateway.call(model="now")), GOOD_TEXT)
        for link in links:
            link.close()


def test_breaker():
    """A model that fails is left alone, and tried again with one call."""
    failing = [{"when": {"model": "bad"}, "status": 500}] * 6
    with Gateway({"replies": [*failing, OK]}, "--threads", "2",
                 "--model-pause", "1", config=config(
                     {"chat": ["bad", "good"]}, bad=None, good=None)
                 ) as gateway:
        for _ in range(5):
            same("it fails", gateway.call(model="bad").status, 500)
        # A slow machine may let the pause pass; then a call tries it.
        got = gateway.call(model="bad")
        before = len(asked(gateway, 5))
        check("it is left alone", got.status == 503 and before == 5 and
              0 < int(got.header("retry-after-ms")) <= 1000 or before == 6, got)
        same("others take its place", gateway.call(model="chat").status, 200)
        until(lambda: gateway.call(model="bad").status == 200, WAIT)
        check("one call tried it, and the next succeeded",
              until(lambda: asked(gateway).count("bad") >= 7, WAIT))
        same("it is called again", gateway.call(model="bad").status, 200)
        waits(gateway, 'surety_model_left_alone{model="bad"} 0')


def test_law_trial():
    """While one call tries a model, no other does."""
    failing = [{"when": {"model": "late"}, "status": 500}] * 5
    with Gateway({"replies": [*failing, LATE, OK]}, "--threads", "3",
                 "--model-pause", "1", config=config(late=None)) as gateway:
        for _ in range(5):
            gateway.call(model="late")
        trial, seen, end = None, {503}, time.monotonic() + WAIT
        while not trial and time.monotonic() < end:
            link = gateway.send(request(model="late"))
            # Only a refused call is dropped: no trial can end behind its back.
            while not trial and not select.select([link], [], [], 0.02)[0]:
                if under_way(gateway) == 1:
                    trial = link
            if not trial:
                seen.add(Response(link).status)
        same("left alone, then tried", (seen, bool(trial)), ({503}, True))
        for _ in range(50):
            same("no second one", gateway.call(model="late").status, 503)
        same("it is the only one", under_way(gateway), 1)
        trial.close()


run_tests(test_fall_back, test_weights, test_wrong_files, test_at_once,
          test_queue, test_breaker, test_law_trial)
