#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a gateway says of its requests: gateway_observe_test.py [SURETY]. The
laws: the log, the metrics and the spans count each request once, whatever
thread it had; and no text of a prompt, a reply or a key is in them."""

import http.server
import json
import re
import resource
import threading
import time

from cli_run import check, run_tests, same
from gateway_run import (BAD_TEXT, CLIENTS, GOOD_TEXT, WAIT, Gateway, model_of,
                         schema_members)
from mock_run import Response

PARENT = "00-" + "ab" * 16 + "-" + "cd" * 8 + "-01"


class Server:
    """An HTTP server in a thread: it keeps what it got, and answers with what
    `answer` gives: a status and an object."""

    def __init__(self, answer):
        self.got, server = [], self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                size = int(self.headers["content-length"])
                body = json.loads(self.rfile.read(size))
                server.got.append((self.path, dict(self.headers), body))
                status, value = answer(len(server.got))
                text = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def spans(self, count=0):
        """The spans that came, waiting until they are so many."""
        end = time.monotonic() + WAIT
        while True:
            spans = [span for _, _, body in list(self.got)
                     for one in body["resourceSpans"]
                     for scope in one["scopeSpans"] for span in scope["spans"]]
            if len(spans) >= count or time.monotonic() > end:
                return spans
            time.sleep(0.02)


def attributes(span):
    return {one["key"]: next(iter(one["value"].values()))
            for one in span["attributes"]}


def metrics(gateway):
    """The samples of /metrics by their text, and the response."""
    got = Response(gateway.send(b"GET /metrics HTTP/1.1\r\nHost: a\r\n"
                                b"Connection: close\r\n\r\n"))
    samples = {}
    for line in got.body.decode().splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            samples[name] = float(value)
    return samples, got


def total(samples, name, part=""):
    return sum(value for key, value in samples.items()
               if key.split("{")[0] == name and part in key)


def until(gateway, name, count):
    """The samples, once the sum of a family is count."""
    end = time.monotonic() + WAIT
    while True:
        samples, got = metrics(gateway)
        if total(samples, name, 'route="/v1') >= count or \
                time.monotonic() > end:
            return samples, got


def test_metrics():
    """Each request is counted once, in any of three threads."""
    script = {"replies": [{"text": BAD_TEXT}, {"text": GOOD_TEXT}] * 40}
    with Gateway(script, "--threads", "3", config={"models": {"small": {
            "provider": "openai", "model": "m",
            "price": {"input": 1, "output": 2}}}}) as gateway:
        for i in range(40):
            client = CLIENTS[i % 4]
            got = gateway.call(client, i % 8 > 3, model="small",
                               **schema_members(client))
            same(f"call {i}", got.status, 200)
        samples, got = until(gateway, "surety_requests_total", 40)
        same("content type", got.header("content-type"),
             "text/plain; version=0.0.4; charset=utf-8")
        same("requests", total(samples, "surety_requests_total", 'status="200'
                               ) - total(samples, "surety_requests_total",
                                         "/metrics"), 40)
        same("calls", total(samples, "surety_attempts_total"), 80)
        same("wrong ones", total(samples, "surety_attempts_total",
                                 'outcome="invalid"'), 40)
        same("runs", total(samples, "surety_runs_total", 'verdict="valid"'),
             40)
        same("times", total(samples, "surety_request_duration_seconds_count",
                            'route="/v1'), 40)
        same("by its buckets", total(
            samples, "gen_ai_client_operation_duration_seconds_bucket",
            'le="+Inf"'), 80)
        lines = [line for line in gateway.logged(41) if "verdict" in line]
        same("lines", len(lines), 40)
        cost = sum(line["cost_usd"] for line in lines)
        check("the same cost in both", cost > 0 and abs(
            total(samples, "surety_cost_dollars_total") - cost) < 1e-12, cost)
        check("the process", samples["process_resident_memory_bytes"] > 1e6 and
              samples["process_cpu_seconds_total"] > 0 and
              samples["surety_threads"] == 3, samples)
        same("every line is a sample or a comment", [
            line for line in got.body.decode().splitlines() if not re.fullmatch(
                r'# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\n]*",?)+\})? [0-9.]+',
                line)], [])


def test_law_labels():
    """Names that clients make up are no labels, and no text of a prompt or a
    reply is anywhere."""
    script = {"replies": [{"status": 404}, {"text": GOOD_TEXT},
                          {"text": "reply-reply"}] * 4}
    with Gateway(script) as gateway:
        for i in range(12):
            gateway.call(CLIENTS[i % 4], i % 2 > 0,
                         model=f"openai:made-up-{i}", key="sk-secret",
                         headers=("Surety-Retries: 0",),
                         **(schema_members(CLIENTS[i % 4]) if i % 3 else {}))
        _, got = until(gateway, "surety_requests_total", 12)
        text = got.body.decode()
        check("a refused name is other", 'model="(other)"' in text, text)
        same("names of models that answered are labels, others not",
             len(set(re.findall(r"made-up-\d+", text))), 8)
        for name, said in (("metrics", text),
                           ("log", json.dumps(gateway.logged(13)))):
            check(f"{name}: no text", not any(
                word in said for word in ("sk-", "reply-reply", "Lamp", "hey")),
                said)


def test_traces():
    """One span a request and one an attempt, in the client's trace, and the
    provider gets it."""
    reply = {"id": "r1", "model": "m", "object": "chat.completion",
             "choices": [{"index": 0, "finish_reason": "stop", "message": {
                 "role": "assistant", "content": GOOD_TEXT}}],
             "usage": {"prompt_tokens": 5, "completion_tokens": 7,
                       "total_tokens": 12}}
    wrong = json.loads(json.dumps(reply))
    wrong["choices"][0]["message"]["content"] = BAD_TEXT
    with Server(lambda count: (503 if count == 1 else 200, {})) as collector, \
            Server(lambda count: (200, reply if count % 2 == 0 else wrong)
                   ) as provider:
        config = {"models": {"small": {
            "provider": "traced", "model": "m", "stream": False}},
            "providers": {"traced": {"base_url": provider.url + "/v1"}}}
        with Gateway({"replies": []}, config=config, env={
                "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url + "/",
                "OTEL_EXPORTER_OTLP_HEADERS": "x-pass=sk%2Dcollector",
                "OTEL_SERVICE_NAME": "shop"}) as gateway:
            got = gateway.call(model="small", headers=(
                f"traceparent: {PARENT}", "tracestate: a=b"),
                **schema_members("openai"))
            same("status", got.status, 200)
            got = gateway.call(model="small", headers=("traceparent: 00-x",),
                               **schema_members("openai"))
            same("a wrong traceparent hinders nothing", got.status, 200)
            same("the log has the trace", [
                line["trace"] for line in gateway.logged(2)].count("ab" * 16),
                 1)
            passed = [headers for _, headers, _ in provider.got]
            check("the provider gets the trace", all(
                re.fullmatch(f"00-{'ab' * 16}-[0-9a-f]{{16}}-01",
                             one["traceparent"]) and one["tracestate"] == "a=b"
                for one in passed[:2]), passed)
            check("of the gateway's own span",
                  "cd" * 8 not in passed[0]["traceparent"], passed)
            check("a new trace where the client has none",
                  passed[2]["traceparent"][3:35] not in ("ab" * 16, "0" * 32)
                  and "tracestate" not in passed[2], passed[2])
        # What was refused comes again, and nothing is lost at the end.
        spans = collector.spans(6)
        path, headers, body = collector.got[-1]
        same("path", path, "/v1/traces")
        same("header", headers["x-pass"], "sk-collector")
        same("service", attributes(body["resourceSpans"][0]["resource"])[
            "service.name"], "shop")
        seen = {span["spanId"]: span for span in spans}
        own = [span for span in seen.values() if span["kind"] == 2]
        calls = [span for span in seen.values() if span["kind"] == 3]
        same("spans of requests and attempts", (len(own), len(calls)), (2, 4))
        first = [one for one in own if one["traceId"] == "ab" * 16][0]
        same("the caller is the parent", first["parentSpanId"], "cd" * 8)
        below = [one for one in calls if one["parentSpanId"] == first["spanId"]]
        same("attempts are below it", len(below), 2)
        same("their tokens", [attributes(one)["gen_ai.usage.output_tokens"]
                              for one in below], ["7", "7"])
        check("the first has its error, as rule and place", any(
            attributes(event) == {"surety.issue.keyword": "maximum",
                                  "surety.issue.path": "/hours"}
            for one in below for event in one.get("events", [])), below)
        text = json.dumps(collector.got[-1][2])
        check("no text", not any(word in text for word in (
            "Lamp", "400}", "hey", "sk-")), text)


def test_full_disk():
    """A disk that is full for a while takes lines of the log, and no later
    ones."""
    gateway = Gateway({"then": "repeat", "replies": [{"text": GOOD_TEXT}]})
    pid = gateway.process.pid
    _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)

    def ask(count):
        for _ in range(count):
            same("status", gateway.call(model=model_of("openai")).status, 200)

    ask(1)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (
        len(json.dumps(gateway.logged(1)[0])) + 100, most))
    ask(2)
    # A line is written before its request is counted.
    until(gateway, "surety_requests_total", 3)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
    ask(2)
    same("lost lines are an error of the command", gateway.end(), 4)
    gateway.mock.end()
    check("and it says so", "lacks lines: File too large" in gateway.heard(),
          gateway.heard())
    with open(gateway.log, encoding="utf-8") as file:
        lines = file.read().split("\n")
    same("one line is cut", [lines.index(line) for line in lines
                             if not line.endswith("}")], [1, len(lines) - 1])
    later = [json.loads(line) for line in lines[2:-1]]
    same("the later ones are there", [
        line["status"] for line in later if line["route"] != "/metrics"],
         [200, 200])


def test_collector_gone():
    """A collector that is not there hinders no request and no end."""
    with Gateway({"then": "repeat", "replies": [{"text": "ok"}]}, env={
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}) as gateway:
        same("status", gateway.call().status, 200)
        same("what it lost is counted, when it is given up",
             "surety_traces_dropped_total" in metrics(gateway)[0], True)
    gateway = Gateway({"replies": []}, env={
        "OTEL_EXPORTER_OTLP_ENDPOINT": "tcp://x"})
    same("a wrong address ends it", gateway.process.wait(timeout=WAIT), 2)
    check("and is reported", "http://" in gateway.heard(), gateway.heard())
    gateway.mock.end()


run_tests(test_metrics, test_law_labels, test_traces, test_full_disk,
          test_collector_gone)
