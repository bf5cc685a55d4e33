#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of the gateway's requests: gateway_rows_test.py [SURETY]. The law: an
answered request has all of its rows, and they are complete; where rows cannot
be written, no call of a model is made and no value is given out."""

import json
import os
import resource
import shutil
import sqlite3
import threading

from cli_run import FOLDER, check, run_tests, same, surety
from gateway_run import (BAD_TEXT, CLIENTS, GOOD_TEXT, SCHEMA, Gateway,
                         model_of, schema_members)
from mock_run import WAIT, Response, read_to, request
from provider_server import Provider, head, stream

THREADS = 12
EACH = 10


def ask_all(gateway, headers=()):
    """(status, run, attempts) of many requests at once, whole and streamed."""
    found = []

    def ask(stream):
        for _ in range(EACH):
            got = gateway.call("openai", stream, headers,
                               model=model_of("openai"),
                               **schema_members("openai"))
            found.append((got.status, got.header("surety-run"),
                          int(got.header("surety-attempts") or 0)))

    threads = [threading.Thread(target=ask, args=(number % 2 == 1,))
               for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def ledger_at():
    folder = os.path.join(FOLDER, "rows")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    return os.path.join(folder, "ledger.db")


def test_answered():
    """While the gateway still runs, each answer's rows are in the file."""
    path = ledger_at()
    script = {"then": "repeat",
              "replies": [{"text": BAD_TEXT}, {"text": GOOD_TEXT}]}
    with Gateway(script, "--ledger", "sqlite:" + path) as gateway:
        found = ask_all(gateway)
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as ledger:
            rows = ledger.execute(
                "SELECT run, number, state, ok FROM attempts").fetchall()
        calls = gateway.mock.logged(1)
    same("all are answered", len(found), THREADS * EACH)
    runs = {}
    for run, number, state, ok in rows:
        runs.setdefault(run, {})[number] = (state, ok)
    for status, run, attempts in found:
        if status != 200:
            continue
        own = runs.get(run, {})
        if (len(own) != attempts or own.get(attempts) != ("done", 1) or
                any(state != "done" for state, _ in own.values())):
            check("an answer has its rows", False, (run, attempts, own))
            break
    else:
        check("every answer has its rows", True)
    check("some were asked again", any(row[1] > 1 for row in rows), rows[:3])
    same("no row is open", [row for row in rows if row[2] == "open"], [])
    check("the model was called", calls, calls)


def test_lost():
    """The file goes away: each request is refused before its model is called,
    and the message says why."""
    path = ledger_at()
    with Gateway({"then": "repeat", "replies": [{"text": GOOD_TEXT}]},
                 "--ledger", "sqlite:" + path) as gateway:
        same("before: status", gateway.call(
            model=model_of("openai"), **schema_members("openai")).status, 200)
        before = len(gateway.mock.logged(1))
        os.remove(path)
        found = ask_all(gateway)
        same("every status", sorted({status for status, _, _ in found}), [503])
        same("calls of the model", len(gateway.mock.logged(before)), before)
        got = gateway.call(model=model_of("openai"),
                           **schema_members("openai"))
        check("the message says why",
              "deleted or replaced" in json.dumps(got.json()), got)
        same("it may be sent again", got.header("x-should-retry"), "true")


def test_disk():
    """An error of the disk that passes: requests are refused while it lasts,
    and so is /readyz; afterwards the gateway is ready by itself, and what was
    answered before and after it has its rows."""
    path = ledger_at()
    unready = (503, "the ledger cannot be written")
    with Gateway({"then": "repeat", "replies": [{"text": GOOD_TEXT}]},
                 "--ledger", "sqlite:" + path, "--threads", "2") as gateway:
        same("before: ready", gateway.ready(), (200, "ok"))
        same("before: status", gateway.call(model=model_of("openai")).status,
             200)
        before = len(gateway.mock.logged(1))
        pid = gateway.process.pid
        _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, most))
        same("while it lasts: status", gateway.call(
            model=model_of("openai")).status, 503)
        same("while it lasts: not ready", gateway.ready(), unready)
        same("calls of the model", len(gateway.mock.logged(before)), before)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
        same("afterwards: ready", gateway.until_ready(), (200, "ok"))
        found = ask_all(gateway)
        same("afterwards: every status",
             sorted({status for status, _, _ in found}), [200])
    with sqlite3.connect(path) as ledger:
        same("every answer has its row", ledger.execute(
            "SELECT count(*) FROM attempts WHERE state = 'done'").fetchone(),
            (1 + THREADS * EACH,))
    ledger.close()
    with Gateway({"then": "repeat", "replies": [{"text": GOOD_TEXT}]},
                 "--ledger", "sqlite:" + ledger_at(),
                 config={"ledger": {"optional": True}}) as gateway:
        os.remove(path)
        same("optional: status", gateway.call(
            model=model_of("openai")).status, 200)
        same("optional: ready", gateway.ready(), (200, "ok"))


def test_names():
    """A schema has a name in the ledger, its title where the protocol has no
    name; and it goes to models of the other protocols."""
    path = ledger_at()
    titled = {**SCHEMA, "title": "A lamp/ü " + "l" * 99}
    long = titled["title"].encode()[:64].decode()
    with Gateway({"then": "repeat", "replies": [{"text": GOOD_TEXT}]},
                 "--ledger", "sqlite:" + path) as gateway:
        for client in CLIENTS:
            for schema in (SCHEMA, titled):
                for provider in ("openai", "anthropic", "gemini"):
                    got = gateway.call(client, model=model_of(provider),
                                       **schema_members(client, schema))
                    same(f"{client} to {provider}: status", got.status, 200)
    with sqlite3.connect(path) as ledger:
        same("their names", dict(ledger.execute(
            "SELECT contract, count(*) FROM attempts GROUP BY 1")),
            {"ticket": 12, "output": 6, long: 6})
    ledger.close()


def test_tags():
    """A client's tag is in its rows, checked or passed on, and in the log; a
    text that is none, or too long, is refused; a model never sees it."""
    path = ledger_at()
    tag = "nächtlich/7 " + "x" * 187
    with Gateway({"then": "repeat", "replies": [{"text": GOOD_TEXT}]},
                 "--ledger", "sqlite:" + path, "--threads", "1") as gateway:
        for client in CLIENTS:
            for members in ({}, schema_members(client)):
                for stream in (False, True):
                    got = gateway.call(
                        client, stream, ("Surety-Tag: " + tag,),
                        model=model_of("openai"), **members)
                    same(f"tag: {client}: status", got.status, 200)
        same("tag: none", gateway.call("openai").status, 200)
        for name, wrong in (("too long", b"x" * 201), ("no text", b"\xff")):
            asked = request("openai", model=model_of("openai")).replace(
                b"Host:", b"Surety-Tag: " + wrong + b"\r\nHost:")
            got = Response(gateway.send(asked))
            same(f"tag: {name}: status", got.status, 400)
            check(f"tag: {name}: says which", "Surety-Tag" in
                  got.json()["error"]["message"], got.raw)
        calls = 4 * len(CLIENTS)
        lines = gateway.logged(calls + 3)
        same("tag: in the log", [line.get("tag") for line in lines],
             calls * [tag] + 3 * [None])
        check("tag: no model sees it", tag not in
              json.dumps(gateway.mock.logged(calls), ensure_ascii=False), tag)
    with sqlite3.connect(path) as ledger:
        same("tag: in the rows", dict(ledger.execute(
            "SELECT tag, sum(attempts) FROM tag_stats GROUP BY 1")),
            {tag: calls, None: 1})
    ledger.close()
    got = surety("stats", "--ledger", path, "--by", "tag", "--show", "runs",
                 "--format", "json")
    same("tag: in the statistics", {
        one["key"]["tag"]: one["runs"]
        for one in json.loads(got.out)["groups"]}, {tag: calls, "": 1})


def test_stream_lost():
    """A stream whose last row cannot be written is cut, whether it is passed on
    or translated: no client takes it for a whole answer."""
    more = threading.Event()
    first = "data: " + json.dumps({"id": "a", "object": "chat.completion.chunk",
                                   "created": 1, "model": "m", "choices": [
        {"index": 0, "delta": {"content": "hey"}, "finish_reason": None}]})

    def step(link, _, __):
        link.sendall(head(kind="text/event-stream", more=(
            "Connection: close",)) + (first + "\n\n").encode())
        more.wait(WAIT)
        link.sendall(stream())
        link.close()

    with Provider(step) as provider:
        for name in ("openai", "responses"):
            for fails in (False, True):
                more.clear()
                gateway = Gateway(
                    {"replies": []}, "--ledger", "sqlite:" + ledger_at(),
                    config={"providers": {"openai": {
                        "base_url": provider.url, "key_env": "OUR_KEY"}}})
                pid = gateway.process.pid
                link = gateway.send(request(name, True, (
                    "Authorization: Bearer sk-x",), model=model_of("openai")))
                begun = read_to(link, b"hey")
                _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                if fails:
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, (1, most))
                more.set()
                try:
                    while piece := link.recv(1 << 16):
                        begun += piece
                except ConnectionResetError:
                    pass
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
                same(f"{name}: {'lost' if fails else 'written'}: is whole",
                     begun.endswith(b"\r\n0\r\n\r\n"), not fails)
                gateway.end()
                gateway.mock.end()


run_tests(test_answered, test_lost, test_disk, test_names, test_tags,
          test_stream_lost)
