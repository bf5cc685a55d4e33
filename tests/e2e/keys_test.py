#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys that several processes share, in SQLite and in PostgreSQL:
keys_test.py PROBE.

The law: what was settled of a budget and what is reserved of it is never above
the budget, but for what was settled after its reservation had lapsed; and in
any 60 seconds of the clock no more is granted than the limits say. A model in
this file decides each of many random requests too, sent to processes at
random, and the same answer must come."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from mock_run import WAIT  # noqa: E402
from postgres_server import Server, cut, find_programs  # noqa: E402
from tap import check, finish, same, skip  # noqa: E402

PROBE = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="surety-keys-")
NOW = 1795881600000  # 2026-11-28T16:00:00Z
DAY = 86400000
LAPSE = 900000


class Probe:
    def __init__(self, url, seconds=WAIT):
        self.process = subprocess.Popen(
            [PROBE, url, str(1000 * seconds)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.opened = self.process.stdout.readline().strip()

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def add(self, name, requests=0, tokens=0, at_once=0, day=0, month=0):
        return self.ask("add", name, requests, tokens, at_once, day, month,
                        NOW)[1]

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def close(self):
        self.process.communicate()
        return self.process.returncode


class Model:
    """The rules, in the plainest form."""

    def __init__(self, requests, tokens, at_once, day, month):
        self.limits = requests, tokens, at_once, day, month
        self.held = {}
        self.granted = []  # [second, tokens]
        self.spent = {}

    def decide(self, tokens, money, now):
        requests, most_tokens, at_once, day, month = self.limits
        today, this_month = now // DAY, self.month(now)
        live = [one for one in self.held.values() if one["lapses"] > now]
        for name, budget, period in (("month", month, ("m", this_month)),
                                     ("day", day, ("d", today))):
            reserved = sum(one["money"] for one in live
                           if period in one["periods"])
            if budget and (self.spent.get(period, 0) + reserved + money
                           > budget):
                return name
        second = now // 1000
        window = [one for one in self.granted
                  if second - 60 < one[0] < second + 60]
        if requests and len(window) + 1 > requests:
            return "requests"
        if most_tokens and sum(one[1] for one in window) + tokens \
                > most_tokens:
            return "tokens"
        if at_once and len(live) >= at_once:
            return "at-once"
        return None

    @staticmethod
    def month(now):
        # NOW is the 28th of November; no test goes beyond December.
        return 11 if now < NOW + 8 * 3600000 + 2 * DAY else 12

    def grant(self, name, tokens, money, now):
        entry = [now // 1000, tokens]
        self.granted.append(entry)
        self.held[name] = {
            "money": money, "lapses": now + LAPSE, "entry": entry,
            "periods": [("d", now // DAY), ("m", self.month(now))]}

    def forget(self, now):
        """A reservation is forgotten a day after it lapsed."""
        self.held = {name: one for name, one in self.held.items()
                     if one["lapses"] > now - DAY}

    def settle(self, name, tokens, money):
        one = self.held.pop(name)
        one["entry"][1] = tokens
        for period in one["periods"]:
            self.spent[period] = self.spent.get(period, 0) + money


def test_model(kind, url, seed, steps):
    """Random requests at several processes, one after the other."""
    rng = random.Random(seed)
    limits = [rng.choice([0, rng.randint(1, most)])
              for most in (8, 400, 6, 300, 900)]
    if not any(limits):
        limits[3] = 100
    probes = [Probe(url) for _ in range(3)]
    key = probes[0].add(f"model-{seed}", *limits)
    model, now, wrong, denials = Model(*limits), NOW, [], set()
    top = now
    for step in range(steps):
        now += rng.choice([0, 1, 700, 5000, 30000, 61000, LAPSE, -30000,
                           5 * 3600000 if rng.random() < 0.3 else 0])
        probe = rng.choice(probes)
        top = max(top, now)
        model.forget(top)
        if model.held and rng.random() < 0.45:
            name = rng.choice(list(model.held))
            used = rng.randint(0, 60), rng.randint(0, 60)
            got = probe.ask("settle", name, *used)
            model.settle(name, *used)
            want = ["ok"]
        else:
            asked = rng.randint(0, 120), rng.randint(0, 90)
            denial = model.decide(*asked, now)
            got = probe.ask("reserve", key, *asked, now)
            want = ["denied", denial] if denial else ["ok"]
            denials.add(denial)
            if got[0] == "ok":
                model.grant(got[1], *asked, now)
        if got[:len(want)] != want:
            wrong.append(f"step {step}: got {got}, want {want}")
            break
    got = probes[1].ask("spent", key, now)
    want = ["ok", str(model.spent.get(("d", now // DAY), 0)),
            str(model.spent.get(("m", model.month(now)), 0))]
    check(f"{kind}: each of {steps} decisions of seed {seed} is the model's",
          not wrong and len(denials) > 1, "\n".join(wrong) or denials)
    same(f"{kind}: and what was spent", got, want)
    for probe in probes:
        probe.close()


def use(probe, key, seed, log, rounds):
    """Reserves and settles at random, less than was reserved."""
    rng = random.Random(seed)
    held = []
    for _ in range(rounds):
        if held and rng.random() < 0.4:
            name, tokens, money = held.pop(rng.randrange(len(held)))
            used = rng.randint(0, money)
            log.append(("free", money, used))
            if probe.ask("settle", name, tokens, used) != ["ok"]:
                log.append(("broken", 0, 0))
        else:
            tokens, money = rng.randint(1, 30), rng.randint(1, 40)
            got = probe.ask("reserve", key, tokens, money, NOW)
            if got[0] == "ok":
                held.append((got[1], tokens, money))
                log.append(("held", money, 0))
            elif got[0] != "denied":
                log.append(("broken", 0, 0))


def test_together(kind, url, rounds):
    """Processes that use one key at the same time."""
    budget, requests, most_tokens = 2000, 150, 3000
    probes = [Probe(url) for _ in range(4)]
    same(f"{kind}: several open at once", [one.opened for one in probes],
         ["ok open"] * 4)
    key = probes[0].add("together", requests, most_tokens, 0, budget, 0)
    logs = [[] for _ in probes]
    threads = [threading.Thread(target=use, args=(probe, key, i, logs[i],
                                                  rounds))
               for i, probe in enumerate(probes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = [event for log in logs for event in log]
    held = sum(money for what, money, _ in events if what == "held")
    freed = sum(money for what, money, _ in events if what == "free")
    spent = sum(used for what, _, used in events if what == "free")
    granted = sum(what == "held" for what, _, _ in events)
    check(f"{kind}: no call failed",
          all(what != "broken" for what, _, _ in events))
    check(f"{kind}: spent and reserved are within the budget",
          spent + held - freed <= budget, (spent, held, freed))
    check(f"{kind}: and no limit came much too early", granted > 20, granted)
    check(f"{kind}: no more requests than in a minute", granted <= requests,
          granted)
    same(f"{kind}: what was spent is counted once",
         probes[0].ask("spent", key, NOW), ["ok", str(spent), str(spent)])
    for probe in probes:
        same(f"{kind}: it ends well", probe.close(), 0)


def test_dies(kind, url):
    """A process that dies holds what it reserved until that lapses."""
    dead, alive = Probe(url), Probe(url)
    key = dead.add("dies", 0, 0, 0, 100)
    grant = dead.ask("reserve", key, 1, 100, NOW)
    same(f"{kind}: one has it all", grant[0], "ok")
    dead.kill()
    same(f"{kind}: it holds it after its end",
         alive.ask("reserve", key, 1, 1, NOW + LAPSE - 1)[:2],
         ["denied", "day"])
    same(f"{kind}: then it lapses",
         alive.ask("reserve", key, 1, 100, NOW + LAPSE)[0], "ok")
    same(f"{kind}: what comes late is counted all the same",
         [alive.ask("settle", grant[1], 1, 60),
          alive.ask("spent", key, NOW)], [["ok"], ["ok", "60", "60"]])
    same(f"{kind}: a try is done", alive.ask("try"), ["ok"])
    alive.close()


def test_cut(server):
    """A connection that breaks around a COMMIT: what was carried out is not
    carried out again, also where it used all of a limit."""
    direct = Probe(server.url())
    for before in (True, False):
        word = "before" if before else "after"
        key = direct.add(f"cut-{before}", 1, 10, 1, 100)
        # The first COMMIT is that of opening; then one to reserve, one to
        # settle.
        for which, what in ((2, "reserve"), (3, "settle")):
            process, port = cut(server, before, which)
            probe = Probe(server.url().replace(f":{server.port}/",
                                               f":{port}/"))
            now = NOW + which * 100000
            got = probe.ask("reserve", key, 10, 100 if which == 2 else 40,
                            now)
            same(f"cut {word} the COMMIT of {what}: it is reserved", got[0],
                 "ok")
            same("cut, and settled", probe.ask("settle", got[-1], 7, 30),
                 ["ok"])
            process.kill()
            process.wait()
            probe.kill()
        same(f"cut {word}: each was counted once",
             direct.ask("spent", key, NOW), ["ok", "60", "60"])
    same("cut: and nothing is left reserved", server.sql(
        "SELECT count(*) FROM surety.key_reservations AS one JOIN surety.keys"
        " ON keys.id = one.key WHERE name LIKE 'cut-%'"), "0")
    direct.close()


def test_kill(server):
    """A server that is killed under load."""
    probes = [Probe(server.url()) for _ in range(3)]
    key = probes[0].add("kill", 0, 0, 0, 2000, 0)
    logs = [[] for _ in probes]
    threads = [threading.Thread(target=use, args=(probe, key, i, logs[i], 200))
               for i, probe in enumerate(probes)]
    for thread in threads:
        thread.start()
    for _ in range(2):
        threads[0].join(0.3)
        server.kill()
        server.start()
    for thread in threads:
        thread.join()
    events = [event for log in logs for event in log]
    spent = sum(used for what, _, used in events if what == "free")
    held = sum(money for what, money, _ in events if what == "held")
    freed = sum(money for what, money, _ in events if what == "free")
    check("killed: no call failed",
          all(what != "broken" for what, _, _ in events), events[-3:])
    check("killed: the budget holds", spent + held - freed <= 2000)
    hasty = Probe(server.url(), 5)
    server.kill()
    same("killed: a try fails", hasty.ask("try")[:2], ["error", "io"])
    hasty.close()
    server.start()
    same("killed: and is done afterwards", probes[0].ask("try"), ["ok"])
    same("killed: a try leaves nothing", server.sql(
        "SELECT count(*) FROM surety.key_reservations WHERE key = ''"), "0")
    same("killed: each was counted once", probes[0].ask("spent", key, NOW),
         ["ok", str(spent), str(spent)])
    for probe in probes:
        probe.close()


def test_kind(kind, url, seeds, steps):
    test_together(kind, url, steps)
    for seed in range(seeds):
        test_model(kind, url, seed, steps)
    test_dies(kind, url)


def main():
    try:
        path = os.path.join(FOLDER, "ledger.db")
        test_kind("SQLite", path, 12, 120)
        with open(path, "rb") as file:
            stored = file.read()
        check("no secret is stored", b"sk-surety-" not in stored)
        programs = find_programs()
        if not programs:
            skip("PostgreSQL", "no server is installed")
            return
        try:
            server = Server(programs)
        except KeyError:
            skip("PostgreSQL", "root needs a user postgres to run a server")
            return
        try:
            server.make()
            server.start()
            probe = Probe(server.url())
            if "knows no ledgers in PostgreSQL" in probe.opened:
                skip("PostgreSQL", "this build is without libpq")
                return
            probe.close()
            test_kind("PostgreSQL", server.url(), 6, 120)
            test_cut(server)
            test_kill(server)
        except RuntimeError as error:
            skip("PostgreSQL", str(error).replace("\n", " ")[:200])
        finally:
            server.stop("immediate")
            shutil.rmtree(server.folder, ignore_errors=True)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


main()
finish()
