#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gateways under load and faults, both drawn from a seed:
gateway_soak_test.py [SURETY [CLOCK]] [--requests N] [--seconds S] [--seed N].
CLOCK is soak_clock as a library. The laws are checked from what clients got,
from the rows, from the provider's log and from all that was written. `make
soak` runs it with 100,000 requests."""

import argparse
import asyncio
import shutil
import socket
import time

from cli_run import FOLDER, check, finish, same, skip
from mock_run import WAIT
from postgres_server import Server, find_programs
from soak_plan import CALL_PICOUSD
from soak_world import PROVIDER_KEY, World
from tap import skip_all

try:
    from soak_load import Load
except ImportError:
    skip_all("Python has no jsonschema, the independent judge of values")

# From here on a run is long enough for its memory to be compared.
LONG = 20000
LEFT_MAX = 24  # descriptors more than before, for what the pools hold


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("surety", nargs="?")
    parser.add_argument("clock", nargs="?")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=17)
    return parser.parse_args()


class Collector:
    """Takes traces, and looks for secrets in them."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.secrets, self.count, self.leaks = [], 0, 0

    async def take(self, reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                size = [line.split(b":")[1] for line in head.split(b"\r\n")
                        if line.lower().startswith(b"content-length:")]
                body = await reader.readexactly(int(size[0]))
                self.count += body.count(b'"spanId"')
                self.leaks += any(one in head + body for one in self.secrets)
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
        except (asyncio.IncompleteReadError, asyncio.CancelledError, OSError):
            pass
        writer.close()


def budgets(count):
    """The keys: (limits, dollars or None). A budget is spent before the
    end."""
    dollars = max(0.004, count / 5 * 50e-6 * 0.4)
    return {"free": ((), None), "day": (("--day", f"{dollars:.6f}"), dollars),
            "month": (("--month", f"{dollars:.6f}"), dollars),
            "few": (("--at-once", "6"), None),
            "often": (("--requests", "100000"), None)}


def law_rows(name, world, load):
    found = {run: (int(count), int(done)) for run, count, done in world.rows(
        "SELECT run, count(*), sum(CASE WHEN state = 'open' OR ended_ms IS NULL"
        " THEN 0 ELSE 1 END) FROM @attempts GROUP BY run")}
    wrong = []
    for plan, run, outcome, attempts in load.runs:
        count, done = found.get(run, (0, 0))
        if outcome != "503" and (not count or count != done or
                                 (attempts and attempts != count)):
            wrong.append((plan, run, outcome, attempts, found.get(run)))
    for plan, run, outcome, attempts, _ in wrong[:5]:
        states = world.rows("SELECT number, state, started_ms, ended_ms FROM"
                            f" @attempts WHERE run = '{run}' ORDER BY number")
        print(f"# {outcome} after {attempts} attempts, whose rows are {states}"
              f"\n#   {plan}")
    same(f"{name}: every answer has its rows, and they are complete",
         len(wrong), 0)
    return len(found)


def law_budgets(name, world, keys):
    calls = world.calls()
    spent = world.rows("SELECT k.name, s.period, s.picousd FROM @key_spent s"
                       " JOIN @keys k ON k.id = s.key")
    for key, (_, dollars) in keys.items():
        if not dollars:
            continue
        own = [(int(period), int(picousd)) for owner, period, picousd in spent
               if owner == key and (int(period) > 999999) == (key == "day")]
        most = round(dollars * 1e12)
        # Of a gateway that was killed only reservations may be left.
        periods = {period for period, _ in own} | {
            int(period) for owner, period in world.rows(
                f"SELECT k.name, r.{key} FROM @key_reservations r"
                " JOIN @keys k ON k.id = r.key") if owner == key}
        check(f"{name}: the budget of {key} holds in the rows",
              own and all(picousd <= most for _, picousd in own), (own, most))
        check(f"{name}: and by the provider's count",
              calls.get(key, 0) * CALL_PICOUSD <= most * len(periods),
              (calls.get(key), most, own, periods))


def law_secrets(name, world, collector):
    secrets = [PROVIDER_KEY.encode(),
               *(secret.encode() for secret in world.secrets.values())]
    found = [path for path, text in world.texts()
             if any(secret in text for secret in secrets)]
    same(f"{name}: no key in any file, row, log or error", found, [])
    same(f"{name}: nor in a trace", collector.leaks, 0)


def law_memory(name, before, after, is_long):
    print(f"# {name}: memory {before[0]} KiB after 20 %, {after[0]} KiB at the "
          f"end; descriptors {before[1]}, {after[1]}")
    if is_long:
        check(f"{name}: memory is flat",
              after[0] <= before[0] * 1.1 + 4096, (before, after))
    check(f"{name}: no descriptor is left over",
          after[1] <= before[1] + LEFT_MAX, (before, after))


async def rest(replica, before=None):
    """Memory and descriptors, when what was under way has ended: where it is
    known how many there were before, when they are as few again, or when that
    took too long."""
    await asyncio.sleep(1)
    end = time.monotonic() + WAIT
    while (before and replica.descriptors() > before[1] + LEFT_MAX and
           time.monotonic() < end):
        await asyncio.sleep(0.1)
    return replica.memory(), replica.descriptors()


async def loaded(load, collector, count):
    server = await asyncio.start_server(collector.take,
                                        sock=collector.socket)
    every = max(30, min(count // 12, 1500))
    replica = load.world.replicas[0]
    await load.run(count // 5, every)
    before = await rest(replica)
    await load.run(count - count // 5, every)
    after = await rest(replica, before)
    ill = await load.heal()
    server.close()
    return before, after, ill


def soak(name, server, count, arguments):
    keys, collector = budgets(count), Collector()
    print(f"# {name}: seed {arguments.seed}, {count} requests")
    world = World(arguments.seed, server,
                  {key: limits for key, (limits, _) in keys.items()},
                  collector.url, arguments.clock)
    collector.secrets = [secret.encode() for secret in world.secrets.values()]
    load = Load(world, arguments.seed, time.monotonic() + arguments.seconds)
    started = time.monotonic()
    before, after, ill = asyncio.run(loaded(load, collector, count))
    seconds = time.monotonic() - started
    codes = world.end() + world.ended
    print(f"# {name}: {load.next} requests in {seconds:.0f} s: " + ", ".join(
        f"{key} {value}" for key, value in sorted(load.outcomes.items())))
    print(f"# {name}: faults: " + ", ".join(
        f"{one} {world.done.count(one)}" for one in sorted(set(world.done))))
    for problem, plan, raw in load.problems[:5]:
        print(f"# seed {arguments.seed}: {problem}\n#   {plan}\n#   {raw!r}")
    same(f"{name}: no answer breaks a law", len(load.problems), 0)
    # Lines of the log that a full disk took are an error of the command.
    check(f"{name}: gateways end on SIGTERM",
          set(codes) <= ({0, 4} if "fill_disk" in world.done else {0}), codes)
    same(f"{name}: when all is mended, each gateway answers", ill, [])
    check(f"{name}: spent budgets refused some",
          load.outcomes.get("429", 0), load.outcomes)
    check(f"{name}: wrong replies were asked for again",
          load.kinds.get("once"), load.kinds)
    same(f"{name}: a reply that stays wrong was never given",
         load.kinds.get("never", 0), 0)
    runs = law_rows(name, world, load)
    law_budgets(name, world, keys)
    law_secrets(name, world, collector)
    # A gateway that was started anew has nothing to compare with.
    if server:
        law_memory(name, before, after, load.next >= LONG)
    print(f"# {name}: {runs} runs in the ledger, {collector.count} spans")


def with_server(count, arguments):
    programs = find_programs()
    if not programs:
        skip("three gateways, PostgreSQL", "its server is not installed")
        return
    server = Server(programs)
    try:
        server.make()
        server.start()
        soak("three gateways, PostgreSQL", server, count, arguments)
    finally:
        server.stop("immediate")
        shutil.rmtree(server.folder, ignore_errors=True)


def main():
    arguments = read_arguments()
    count = arguments.requests // 4
    try:
        with_server(arguments.requests - count, arguments)
        soak("one gateway, SQLite", None, count, arguments)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    finish()


main()
