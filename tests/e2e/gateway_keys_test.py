#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys of the gateway's own: gateway_keys_test.py [SURETY]. The laws: nothing
is asked of a provider without a key in force and a reservation; no secret is in
any output; and what a key used is counted."""

import json
import os
import re
import resource
import sqlite3
import subprocess
import time

from cli_run import ENV, SURETY, check, run_tests, same
from gateway_run import (BAD_TEXT, CLIENTS, GOOD_TEXT, SCHEMA, Gateway,
                         avoid_midnight, model_of, schema_members)
from mock_run import WAIT, Response, read_to, request
from process import until

PRICED = {"models": {"priced": {"provider": "openai", "model": "m",
                                "price": {"input": 1, "output": 1}}}}
OK = {"then": "repeat", "replies": [{"text": GOOD_TEXT}]}


class Keyed(Gateway):
    """A gateway with keys, in a ledger of its own."""

    def __init__(self, script, config=None):
        super().__init__(script, "--keys", "--ledger", "keys.db",
                         config={**PRICED, **(config or {})})
        self.secrets = []

    def keys(self, *arguments):
        run = subprocess.run(
            [SURETY, "keys", *arguments, "--ledger", "keys.db", "--config",
             self.config],
            cwd=self.folder, env={**ENV, "OUR_KEY": "sk-ours"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        return run.stdout.decode().strip()

    def add(self, name, *limits):
        self.secrets.append(self.keys("add", name, *limits))
        return self.secrets[-1]

    def listed(self, name):
        return [key for key in json.loads(self.keys("list", "--json"))
                if key["name"] == name][0]

    def spent(self, name, dollars):
        """What a key has spent today: when it is so much, or when that took too
        long. A reservation is settled after its answer."""
        until(lambda: self.listed(name)["day_spent_usd"] == dollars, WAIT)
        return self.listed(name)["day_spent_usd"]

    def rows(self, count):
        """What attempts have used, once so many have ended."""
        rows, end = [], time.monotonic() + WAIT
        while len(rows) < count and time.monotonic() < end:
            with sqlite3.connect(os.path.join(self.folder, "keys.db")) as db:
                rows = db.execute(
                    "SELECT run, input_tokens, output_tokens, estimated,"
                    " cost_picousd FROM attempts"
                    " WHERE state <> 'open'").fetchall()
            db.close()
        return rows

    def texts(self):
        """All that it wrote anywhere."""
        for folder, _, names in os.walk(self.folder):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    yield name, file.read()
        yield "stderr", self.heard().encode()


def retries(response):
    return response.header("x-should-retry")


def test_strangers():
    with Keyed(OK) as gateway:
        secret = gateway.add("team")
        wrong = secret[:-1] + ("A" if secret[-1] != "A" else "B")
        for client in CLIENTS:
            for name, key in (("none", None), ("a provider's", "sk-client"),
                              ("a wrong one", wrong), ("a long one", "s" * 99)):
                got = gateway.call(client, key=key, model=model_of("openai"))
                same(f"{client}: {name}: status", got.status, 401)
                check(f"{client}: {name}: an error in its form",
                      got.json()["error"]["message"], got)
                check(f"{client}: {name}: no key", wrong not in
                      got.raw.decode(), got)
        same("nothing was asked", gateway.mock.logged(), [])
        for client in CLIENTS:
            got = gateway.call(client, key=secret, model=model_of("openai"))
            same(f"{client}: a key in force", got.status, 200)
        probe = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        same("a probe needs none", Response(gateway.send(probe)).status, 200)
        models = probe.replace(b"/healthz", b"/v1/models")
        same("a list of models needs one",
             Response(gateway.send(models)).status, 401)
        models = models.replace(b"Host", b"Authorization: Bearer " +
                                secret.encode() + b"\r\nHost")
        same("and is given with it", Response(gateway.send(models)).status,
             200)
        admin = gateway.add("boss", "--admin")
        for name, key, status in (("a key", secret, 403), ("none", "x", 401),
                                  ("an admin's", admin, 200)):
            asked = probe.replace(b"/healthz", b"/metrics").replace(
                b"Host", b"Authorization: Bearer " + key.encode() +
                b"\r\nHost")
            same(f"metrics with {name}", Response(gateway.send(asked)).status,
                 status)
        query = request("gemini", model=model_of("openai")).replace(
            b":generateContent", b":generateContent?key=" + secret.encode())
        same("a key in the query", Response(gateway.send(query)).status, 200)
        ids = {line.get("key") for line in gateway.logged(24)
               if line["route"] not in ("/healthz", "/metrics") and
               line["status"] == 200}
        check("the log has the key's id", len(ids) == 1 and re.fullmatch(
            "key_[0-9a-f]{16}", ids.pop() or ""), ids)
        gateway.keys("revoke", "team")
        until(lambda: gateway.call(key=secret).status != 200, WAIT)
        same("a revoked key is one no more", gateway.call(key=secret).status,
             401)


def test_limits():
    with Keyed(OK) as gateway:
        only = gateway.add("only", "-m", "openai:good*")
        got = gateway.call(key=only, model="openai:bad")
        same("a model that it may not use", (got.status, retries(got)),
             (403, "false"))
        same("one that it may use",
             gateway.call(key=only, model="openai:good-1").status, 200)
        two = gateway.add("two", "--requests", "2")
        same("requests a minute", [gateway.call(key=two).status
                                   for _ in range(3)], [200, 200, 429])
        got = gateway.call(key=two)
        check("says when", 0 < int(got.header("retry-after-ms")) <= 61000 and
              int(got.header("retry-after")) > 0 and retries(got) == "true",
              got)
        few = gateway.add("few", "--tokens", "100")
        got = gateway.call(key=few, max_tokens=99999)
        same("more than a limit is not sent again",
             (got.status, retries(got)), (429, "false"))
        same("less is granted", gateway.call(key=few, max_tokens=5).status,
             200)
        money = gateway.add("money", "--day", "0.001")
        got = gateway.call(key=money)
        same("a budget needs a price", (got.status, retries(got)),
             (403, "false"))
        got = gateway.call(key=money, model="priced", max_tokens=2000)
        same("more than a budget", (got.status, retries(got)), (429, "false"))
        calls = 0
        while True:
            got = gateway.call(key=money, model="priced", max_tokens=900)
            if got.status != 200 or calls > 99:
                break
            calls += 1
        same("a spent budget", (got.status, retries(got)), (429, "false"))
        check("after some calls", 0 < calls < 99, calls)
        check("says when it is a new one",
              0 < int(got.header("retry-after")) <= 86400, got)
        got = gateway.call("anthropic", key=money, model="priced",
                           max_tokens=900)
        same("in the client's form", got.json()["error"]["type"],
             "rate_limit_error")
        same("no other call was made", len(gateway.mock.logged(4 + calls)),
             4 + calls)


def test_middle():
    """A budget for one call: the re-ask is not made. What was used is counted,
    whether the reply was right or wrong."""
    script = {"then": "repeat", "replies": [{"text": BAD_TEXT}]}
    with Keyed(script) as gateway:
        secret = gateway.add("money", "--day", "0.0012")
        got = gateway.call(key=secret, model="priced", max_tokens=700,
                           **schema_members("openai"))
        same("the budget ends in the middle", (got.status, retries(got)),
             (429, "false"))
        same("after one call", got.header("surety-attempts"), "1")
        same("and no more were sent", len(gateway.mock.logged(1)), 1)
        line = gateway.logged(1)[0]
        spent = (line["input_tokens"] + line["output_tokens"]) / 1e6
        same("its usage is counted", gateway.spent("money", spent), spent)


def test_reasks():
    """What is reserved suffices for the re-asks, whose prompts are longer than
    the request: also where that is short, and allows little output."""
    script = {"then": "repeat", "replies": [{"text": BAD_TEXT},
                                            {"text": '{"title":1}'},
                                            {"text": GOOD_TEXT}]}
    for client in CLIENTS:
        with Keyed(script, {"models": {"priced": {
                "provider": client, "model": "m",
                "price": {"input": 1, "output": 1}}}}) as gateway:
            most = {"openai": "max_completion_tokens",
                    "responses": "max_output_tokens",
                    "anthropic": "max_tokens"}.get(client)
            members = schema_members(client)
            if client == "gemini":
                members["generationConfig"]["maxOutputTokens"] = 16
            else:
                members[most] = 16
            got = gateway.call(client, key=gateway.add("money", "--day", "1"),
                               model="priced", **members)
            same(f"{client}: re-asks", (got.status, got.header(
                "surety-attempts")), (200, "3"))


def test_law_rows():
    """Each row of the ledger has the key of its request: by key the attempts
    are those of the log, and the cost is what the key has spent."""
    script = {"then": "repeat", "replies": [
        {"text": BAD_TEXT}, {"text": GOOD_TEXT}, {"text": GOOD_TEXT}]}
    with Keyed(script) as gateway:
        secrets = {gateway.add(name, "--day", "10"): name
                   for name in ("much", "little", "never")}
        much, little, _ = secrets
        for key, client, stream, members in (
                (much, "openai", False, schema_members("openai")),
                (little, "anthropic", False, {"max_tokens": 100}),
                (much, "gemini", True, schema_members("gemini")),
                (much, "responses", True, {})):
            got = gateway.call(client, stream, key=key, model="priced",
                               **members)
            same(f"{client} is answered", got.status, 200)
        calls = {}
        for line in gateway.logged(4):
            calls[line["key"]] = calls.get(line["key"], 0) + line["attempts"]
        text = subprocess.run(
            [SURETY, "stats", "--ledger", "keys.db", "--by", "key", "--show",
             "runs", "--format", "json"], cwd=gateway.folder, env=ENV,
            stdout=subprocess.PIPE, check=True).stdout
        groups = json.loads(text)["groups"]
        same("the rows of each key", {one["key"]["key"]: one["calls"]
                                      for one in groups}, calls)
        ids = {gateway.listed(name)["id"]: name for name in secrets.values()}
        for one in groups:
            name, spent = ids[one["key"]["key"]], one["cost_picousd"] / 1e12
            same(f"{name}: what it has spent", gateway.spent(name, spent),
                 spent)
        with sqlite3.connect(os.path.join(gateway.folder, "keys.db")) as db:
            same("a view has it too", {
                key: attempts for key, attempts in db.execute(
                    "SELECT key, sum(attempts) FROM key_stats GROUP BY key")},
                calls)
        db.close()


def test_law_stopped():
    """A stream that is stopped early costs its key what its provider reported
    until then, and an estimate of the rest, never nothing: where the client
    hangs up, and where the reply breaks its schema. The row, the log and the
    metrics have the same, and say that it is an estimate."""
    usage = {"input_tokens": 77, "output_tokens": 500}
    slow = {"then": "repeat", "replies": [
        {"text": "a longer text, " * 8, "usage": usage, "chunks": 8,
         "chunk_delay_ms": 600000}]}
    wrong = {"then": "repeat", "replies": [
        {"usage": usage, "chunk_delay_ms": 600000, "chunks": [
            '{"title":"Lamp and more","hours":400,"rest":"much', ' more"}']}]}
    config = {"models": {f"priced-{client}": {
        "provider": client, "model": "m", "price": {"input": 1, "output": 1}}
                         for client in CLIENTS}}
    for way, script in (("gone", slow), ("wrong", wrong)):
        with Keyed(script, config) as gateway:
            secret = gateway.add("money", "--day", "10")
            for client in CLIENTS:
                members = {"model": f"priced-{client}"}
                if way == "gone":
                    link = gateway.send(request(client, True, (
                        f"x-goog-api-key: {secret}" if client == "gemini" else
                        f"Authorization: Bearer {secret}",), **members))
                    read_to(link, b"a longer")
                    link.close()
                else:
                    gateway.call(client, True, ("Surety-Stream: live",
                                                "Surety-Retries: 0"),
                                 secret, **members, **schema_members(client))
            lines = gateway.logged(len(CLIENTS))
            same(f"{way}: verdicts", {line["verdict"] for line in lines},
                 {{"gone": "cancelled", "wrong": "rejected"}[way]})
            check(f"{way}: each line has tokens, and says they are estimated",
                  all(line.get("estimated") and line["input_tokens"] > 1 and
                      line["output_tokens"] > 1 for line in lines), lines)
            rows = gateway.rows(len(CLIENTS))
            same(f"{way}: and so has its row", sorted(rows), sorted(
                (line["run"], line["input_tokens"], line["output_tokens"], 1,
                 (line["input_tokens"] + line["output_tokens"]) * 1000000)
                for line in lines))
            check(f"{way}: what Anthropic reported counts",
                  any(line["protocol"] == "anthropic" and
                      line["input_tokens"] == 77
                      for line in lines), lines)
            spent = sum(row[4] for row in rows) / 1e12
            same(f"{way}: the key has paid it", gateway.spent("money", spent),
                 spent)


def test_law_secrets():
    """No secret is in any file, row, line or answer."""
    script = {"then": "repeat", "replies": [
        {"text": GOOD_TEXT}, {"text": BAD_TEXT}, {"status": 401},
        {"status": 500}, {"text": "what"}]}
    with Keyed(script, {"ledger": {"raw": True}}) as gateway:
        secrets = [gateway.add("all"), gateway.add("few", "--requests", "3"),
                   gateway.add("none", "-m", "x")]
        wrong = "sk-surety-" + "w" * 43
        answers = b""
        for client in CLIENTS:
            for key in (*secrets, wrong):
                for stream in (False, True):
                    for members in ({}, schema_members(client, SCHEMA),
                                    {"model": "no:m"}):
                        answers += gateway.call(
                            client, stream, key=key, headers=(
                                "Surety-Report: full", "Surety-Retries: 1"),
                            **{"model": model_of("openai"), **members}).raw
        gateway.logged(4 * 4 * 6)
        gateway.end()
        for name, text in (*gateway.texts(), ("answers", answers),
                           ("the provider's log",
                            json.dumps(gateway.mock.logged()).encode())):
            check(f"{name}: no secret", not any(
                one.encode() in text for one in (*secrets, wrong, "sk-ours")),
                name)


def test_database():
    """While the database of the keys fails, requests are refused, and so is
    /readyz, also where the ledger may fail; afterwards the gateway is ready by
    itself."""
    with Keyed(OK, {"ledger": {"optional": True}}) as gateway:
        secret = gateway.add("team", "--requests", "1000")
        pid = gateway.process.pid
        same("before: status", gateway.call(key=secret).status, 200)
        same("before: ready", gateway.ready(), (200, "ok"))
        _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, most))
        got = gateway.call(key=secret)
        same("while it fails: status", (got.status, retries(got)),
             (503, "true"))
        same("while it fails: not ready", gateway.ready(),
             (503, "the keys cannot be checked"))
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
        same("afterwards: ready", gateway.until_ready(), (200, "ok"))
        same("afterwards: status", gateway.call(key=secret).status, 200)


avoid_midnight()
run_tests(test_strangers, test_limits, test_middle, test_reasks, test_law_rows,
          test_law_stopped, test_law_secrets, test_database)
