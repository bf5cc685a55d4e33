#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a provider, or the way to it, can do wrong, and what a run makes of it:
run_faults_test.py SURETY. Every case sends the run to a server that misbehaves,
and sees how it ends, in what time, with which class of failure, and that the
ledger has each attempt. A key is planted in each run, and nothing that the tool
leaves behind may hold it."""

import json
import os
import socket
import sqlite3
import subprocess
import time

from cli_run import ENV, FOLDER, SURETY, check, finish, write
from hostile_run import SANITIZED, is_clean
from provider_server import (Provider, answer, broken, chunk, endless, head,
                             pause, reply, stream, streamed)

KEY = "sk-canary-7Qx2mVp9"
GOOD = '{"message": "Hello."}'
SECONDS = 100  # a run that takes longer hangs
CONTRACT = write("answer.json", json.dumps({
    "type": "object", "required": ["message"],
    "properties": {"message": {"type": "string"}}}))
FORBIDDEN = []  # files that may not hold the key, besides what is printed


class Run:
    def __init__(self, code, out, err, seconds=SECONDS):
        self.code, self.out, self.err = code, out, err
        self.seconds = seconds
        self.report = {}
        for line in err.decode(errors="replace").splitlines():
            if line.startswith('{"ok":'):
                self.report = json.loads(line)
        self.attempts = self.report.get("attempts", [])
        self.failures = [one.get("failure") for one in self.attempts]

    def __repr__(self):
        return (f"code {self.code} in {self.seconds:.1f} s\n"
                f"out {self.out[:300]!r}\nerr {self.err[:2500]!r}")


def rows(path):
    """(state, failure) of the ledger's attempts, by their number."""
    if not os.path.exists(path):
        return []
    with sqlite3.connect(path) as ledger:
        return ledger.execute("SELECT state, failure FROM attempts "
                              "ORDER BY started_ms, number").fetchall()


def ask(url, *more, timeouts=None, provider=None, retry=None, budget=None,
        contract=True, env=None, ledger="ledger.db"):
    """One run against a server, with a configuration of its own."""
    for name in (ledger, ledger + "-journal", ledger + "-wal"):
        if os.path.exists(os.path.join(FOLDER, name)):
            os.unlink(os.path.join(FOLDER, name))
    config = write("faults.json", json.dumps({
        "providers": {"test": {
            "protocol": "openai", "base_url": url, "key_env": "TEST_KEY",
            "timeouts": {"connect": 60, "first_byte": 60, "idle": 60,
                         "total": 90} | (timeouts or {}),
            **(provider or {})}},
        "retry": {"max": 1, "first": 0.01, "most": 0.02, "retry_after": 2,
                  **(retry or {})},
        **({"budget": budget} if budget else {})}))
    begun = time.monotonic()
    command = [SURETY, "run", "--config", config, "-m", "test:m",
               "--ledger", ledger, "--report", "json",
               *(["-c", CONTRACT] if contract else []), *more, "Say hello."]
    try:
        made = subprocess.run(
            command, cwd=FOLDER, env=ENV | {"TEST_KEY": KEY} | (env or {}),
            stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
            check=False)
    except subprocess.TimeoutExpired as late:
        return Run("timed out", late.stdout or b"", late.stderr or b"")
    return Run(made.returncode, made.stdout, made.stderr,
               time.monotonic() - begun)


def unseen(run, ledger="ledger.db"):
    """Whether the key is nowhere."""
    texts = [run.out, run.err]
    for name in (ledger, *FORBIDDEN):
        path = os.path.join(FOLDER, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                texts.append(file.read())
    return not any(KEY.encode() in text for text in texts)


def ends(name, run, code, *failures, says=(), calls=None):
    """How it ended: the code, the class of failure of each attempt, what it
    says, and that the ledger agrees."""
    said = run.err.decode(errors="replace")
    kept = rows(os.path.join(FOLDER, "ledger.db"))
    check(name, run.code == code
          and (not failures or run.failures == list(failures))
          and (calls is None or len(run.attempts) == calls)
          and all(part in said for part in says)
          and len(kept) == len(run.attempts)
          and all(state != "open" for state, _ in kept)
          and unseen(run) and is_clean(run.err)
          and b"Sanitizer" not in run.err and b"runtime error" not in run.err,
          f"want {code} {failures!r} {says!r}\n{run!r}\n"
          f"ledger {kept!r}")


def error(code=None, kind="invalid_request_error", message="No."):
    return {"error": {"message": message, "type": kind, "param": None,
                      "code": code}}


# -- the good run -------------------------------------------------------------

with Provider(reply(GOOD)) as provider:
    run = ask(provider.url, "--no-stream")
    ends("a good reply, whole", run, 0, None)
    check("its value is printed",
          json.loads(run.out or b"null") == {"message": "Hello."}, run)
    top, body = provider.requests[0]
    check("the key went to the provider, and only in its header",
          b"authorization: bearer " + KEY.lower().encode() in top.lower()
          and KEY.encode() not in body, top)
    check("no coding but identity is asked for",
          b"accept-encoding: identity" in top.lower(), top)
with Provider(streamed(stream(GOOD[:7], GOOD[7:]))) as provider:
    ends("a good reply, streamed", ask(provider.url), 0, None)

# -- 39: the provider says no -------------------------------------------------

for status, code, kind, failure in (
        (401, "invalid_api_key", "invalid_request_error", "auth"),
        (403, None, "permission_error", "auth"),
        (404, "model_not_found", "invalid_request_error", "model"),
        (413, None, "invalid_request_error", "request"),
        (422, None, "invalid_request_error", "request"),
        (402, None, "billing_error", "quota"),
        (429, "insufficient_quota", "insufficient_quota", "quota")):
    with Provider(answer(error(code, kind, f"Your key {KEY} is wrong."),
                         status)) as provider:
        run = ask(provider.url)
        ends(f"39: {status} {code}: {failure}, and no retry", run, 3, failure,
             says=["is wrong"])
        check(f"39: {status} {code}: one request",
              len(provider.requests) == 1, provider.requests)

# -- 40: later, perhaps -------------------------------------------------------

for status, failure in ((429, "rate_limit"), (503, "overloaded"),
                        (529, "overloaded"), (500, "server"), (408, "server")):
    with Provider(answer(error(), status), reply(GOOD)) as provider:
        ends(f"40: {status} once: asked again",
             ask(provider.url, "--no-stream"), 0, failure, None)
    with Provider(answer(error(), status)) as provider:
        ends(f"40: {status} for ever: given up",
             ask(provider.url, "--no-stream"), 3, failure, failure)
for value, waits in (("1", 1), ("-1", 0), ("nonsense", 0), ("0.2", 0)):
    with Provider(answer(error(), 429, more=[f"Retry-After: {value}"]),
                  reply(GOOD)) as provider:
        run = ask(provider.url, "--no-stream")
        ends(f"40: Retry-After {value}", run, 0, "rate_limit", None)
        check(f"40: Retry-After {value}: waits at least {waits} s",
              waits <= run.seconds, run)
for value in ("1000000000", "3600", "Fri, 31 Dec 2100 23:59:59 GMT"):
    with Provider(answer(error(), 429, more=[f"Retry-After: {value}"]),
                  reply(GOOD)) as provider:
        ends(f"40: Retry-After {value}: too long to wait",
             ask(provider.url, "--no-stream"), 3, "rate_limit")

# -- 41, 42: streams that break -----------------------------------------------

OVERLOADED = ("event: error\ndata: " + json.dumps(
    {"error": {"type": "overloaded_error", "message": "Overloaded"}}) + "\n\n")
with Provider(streamed(chunk(content=GOOD[:9]).encode() + OVERLOADED.encode()),
              streamed(stream(GOOD))) as provider:
    ends("41: an error in the middle of a stream", ask(provider.url), 0,
         "overloaded", None)
WHOLE = stream(GOOD)
with Provider(streamed(WHOLE[:-40])) as provider:
    run = ask(provider.url, provider={"retry_ambiguous": True})
    ends("42: FIN before the end mark", run, 3, "truncated", "truncated")
with Provider(broken(streamed(WHOLE[:-40]))) as provider:
    run = ask(provider.url)
    check("42: RST before the end mark is no value",
          run.code == 3 and run.failures[0] in ("reset", "truncated"), run)
for cut in range(0, len(WHOLE), 23 if SANITIZED else 11):
    with Provider(head(kind="text/event-stream", length=len(WHOLE))
                  + WHOLE[:cut]) as provider:
        run = ask(provider.url, retry={"max": 0})
        check(f"42: cut at byte {cut} is never a value",
              run.code == 3 and run.out == b"" and unseen(run), run)

# -- 43: silence --------------------------------------------------------------

with Provider(pause(b"")) as provider:
    ends("43: no byte at all", ask(provider.url, timeouts={"first_byte": 1}),
         3, "timeout", says=["1"])
with Provider(pause(head(kind="text/event-stream")
                    + chunk(content="{").encode())) as provider:
    ends("43: silence in the middle", ask(provider.url, timeouts={"idle": 1}),
         3, "timeout", "timeout")
with Provider(endless(head(kind="text/event-stream"), b": ping\n\n",
                      0.05)) as provider:
    ends("43: pings for ever do not extend the total",
         ask(provider.url, retry={"max": 0}, timeouts={"total": 3}), 3,
         "timeout")
with Provider(endless(head(kind="text/event-stream"),
                      chunk(content=" ").encode(), 0.02)) as provider:
    run = ask(provider.url, "--max-seconds", "2")
    check("43: white space for ever ends with the budget's time",
          run.code in (1, 3) and run.report.get("verdict") == "budget", run)

# -- 45, 48, 50: HTTP itself --------------------------------------------------

CHUNKED = head(more=["Transfer-Encoding: chunked"])
BODY = reply(GOOD).partition(b"\r\n\r\n")[2]
for name, wrong in (
        ("a negative size", b"-1\r\n" + BODY),
        ("a size with 0x", b"0x5\r\nhello\r\n0\r\n\r\n"),
        ("a size beyond 64 bits", b"FFFFFFFFFFFFFFFFF\r\n" + BODY),
        ("no end of line after a chunk", b"5\r\nhelloXX0\r\n\r\n")):
    with Provider(CHUNKED + wrong) as provider:
        run = ask(provider.url, retry={"max": 0})
        check(f"45: {name}", run.code == 3 and run.out == b"", run)
for coding in ("gzip", "br", "gzip, gzip, gzip"):
    with Provider(answer(BODY, more=[f"Content-Encoding: {coding}"])) as one:
        ends(f"48: {coding}", ask(one.url, "--no-stream"), 3, "protocol")
MANY = [f"X-{i}: {'y' * 60}" for i in range(10000)]
with Provider(answer(BODY, more=MANY)) as provider:
    run = ask(provider.url, "--no-stream")
    check("50: 10,000 headers are bounded",
          run.code in (0, 3), run)
with Provider(head(more=["X-Long: " + "y" * (1 << 20)]) + BODY) as provider:
    run = ask(provider.url, "--no-stream", retry={"max": 0})
    check("50: a header of 1 MiB is bounded", run.code == 3, run)
with Provider(b"\x00\x01\x02 no HTTP at all\r\n") as provider:
    run = ask(provider.url, retry={"max": 0})
    check("50: no HTTP at all", run.code == 3 and run.out == b"", run)
with Provider(BODY) as provider:
    run = ask(provider.url, "--no-stream", retry={"max": 0})
    check("50: HTTP/0.9", run.code == 3 and run.out == b"", run)

# -- 46, 47: endings and impossible data --------------------------------------

with Provider(reply('{"message": "Hel', "length")) as provider:
    run = ask(provider.url, "--no-stream", "--retries", "0")
    check("46: cut off by length is no value, and is said",
          run.code == 1 and "length" in run.failures
          or run.code == 3, run)
with Provider(reply(GOOD, "length")) as provider:
    run = ask(provider.url, "--no-stream", "--retries", "0")
    check("46: cut off by length is no value even if it reads as one",
          run.code in (1, 3) and run.out == b"", run)
with Provider(reply(None, "stop", refusal="I can't help with that.")) as one:
    run = ask(one.url, "--no-stream")
    ends("46: a refusal is not asked again", run, 1, "refusal",
         says=["I can't help with that."])
with Provider(reply(None, "stop", refusal=f"Not with {KEY}.")) as one:
    ends("71: a refusal that repeats the key", ask(one.url, "--no-stream"), 1,
         "refusal")
with Provider(reply("", "content_filter")) as provider:
    ends("46: a filter", ask(provider.url, "--no-stream"), 1, "filter")
with Provider(answer({"id": "x", "object": "chat.completion", "choices": []})
              ) as provider:
    run = ask(provider.url, "--no-stream", retry={"max": 0})
    check("46: no choices", run.code in (1, 3) and run.out == b"", run)
with Provider(reply("")) as provider:
    run = ask(provider.url, "--no-stream", retry={"max": 0})
    check("46: an empty reply", run.code in (1, 3) and run.out == b"", run)
with Provider(answer({"choices": 5})) as provider:
    ends("47: choices that are no list", ask(provider.url, "--no-stream"), 3,
         "protocol")
with Provider(streamed(("data: " + json.dumps({"choices": [{
        "index": 0, "delta": {"tool_calls": [{
            "index": 10 ** 9, "function": {"arguments": "{}"}}]}}]})
        + "\n\ndata: [DONE]\n\n").encode())) as provider:
    run = ask(provider.url, "--mode", "tool", retry={"max": 0})
    check("47: an index of a billion", run.code == 3, run)
with Provider(answer(error(), 200)) as provider:
    run = ask(provider.url, "--no-stream", retry={"max": 0})
    check("an error in a 200 is no reply", run.code == 3, run)
PAGE = b"<!DOCTYPE html><html><body><h1>Bad \x1b[31mgateway</h1></body></html>"
for status, failure in ((200, "protocol"), (502, "server")):
    with Provider(answer(PAGE, status, "text/html")) as provider:
        run = ask(provider.url, "--no-stream", retry={"max": 0})
        ends(f"HTML instead of JSON with {status}", run, 3, failure,
             says=["gateway"])
with Provider(endless(head(), b"x" * (1 << 20), 0)) as provider:
    run = ask(provider.url, "--no-stream")
    ends("a response without end is refused at a limit", run, 3, "limit")

# -- 49: redirects ------------------------------------------------------------

with Provider(reply(GOOD)) as other:
    for status in (301, 302, 307, 308):
        for target in (other.url + "/chat/completions", "file:///etc/passwd"):
            with Provider(answer(b"", status, more=[f"Location: {target}"])
                          ) as provider:
                run = ask(provider.url, "--no-stream", retry={"max": 0})
                check(f"49: {status} to {target[:4]} is not followed",
                      run.code == 3 and run.out == b"" and unseen(run), run)
    check("49: nobody else was asked", not other.requests, other.requests)

# -- 52, 53, 54: the way there ------------------------------------------------

ends("52: a host that is not there",
     ask("http://surety-nobody.invalid/v1"), 3, "connect", "connect",
     says=["surety-nobody.invalid"])
with socket.socket() as taken:
    taken.bind(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    ends("52: nobody listens", ask(f"http://127.0.0.1:{port}/v1"), 3,
         "connect", "connect", says=[str(port)])
with Provider(reply(GOOD)) as provider:
    run = ask(provider.url, provider={"public_only": True})
    ends("52: loopback, where only public addresses are allowed, is not tried "
         "again", run, 3, "address", calls=1,
         says=["not public", "public_only"])
    check("52: and nothing was sent", not provider.requests, run)
with Provider(broken(b"")) as provider:
    run = ask(provider.url)
    ends("54: sent, and no answer: not sent again", run, 3, "reset",
         calls=1)
    check("54: the ledger calls it unknown",
          rows(os.path.join(FOLDER, "ledger.db"))[0][0] == "unknown",
          rows(os.path.join(FOLDER, "ledger.db")))
with Provider(broken(b""), reply(GOOD)) as provider:
    ends("54: sent again where the user said so",
         ask(provider.url, "--no-stream", provider={"retry_ambiguous": True}),
         0, "reset", None)

# -- 71, 72: what is left behind ----------------------------------------------

with Provider(answer(error(None, "x", f"{KEY} \x1b]0;pwned\x07 \u202e%s%n"),
                     400), reply(GOOD)) as provider:
    run = ask(provider.url, "--record", "recording.jsonl", "-v",
              "--show-prompt", "--show-reply")
    FORBIDDEN.append("recording.jsonl")
    check("71: an error that repeats the key, recorded and shown",
          run.code == 3 and unseen(run) and is_clean(run.err), run)
with Provider(reply('{"message": "\x1b]0;pwned\x07"} %s%n')) as provider:
    run = ask(provider.url, "--no-stream", "--retries", "0", "-v")
    check("72: what a terminal acts on is not repeated",
          run.code == 1 and is_clean(run.err), run)
run = ask("http://127.0.0.1:9/v1\r\nX: y")
check("a URL with a line end is refused", run.code in (2, 3), run)
finish()
