#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ledgers in PostgreSQL, with a server of this test's own on a socket and a
port of 127.0.0.1: ledger_postgres_test.py PROBE."""

import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time

from ledger_run import (FOLDER, Probe, check, finish, new_id, refused, same,
                        skip, told)
from postgres_server import SECRET, SECRET_URL, Server, cut, find_programs
from tap import skip_all


def test_round_trip(server):
    probe = Probe(server.url())
    same("it opens, and makes its schema", probe.opened, "ok open")
    same("every member comes back, with 16 MiB",
         probe.ask("full", new_id(), 16 << 20)[:7], "ok full")
    for _ in range(2):
        same("small ones too", probe.ask("full", new_id(), 9)[:7], "ok full")
    same("it closes", probe.close(), "ok close")
    same("what text cannot hold is hexadecimal", server.sql(
        "SELECT DISTINCT convert_from(replace(contract, '00', '20')::bytea,"
        " 'UTF8') FROM surety.attempts"), "point of")
    same("a view counts", server.sql(
        "SELECT keyword, errors, attempts FROM surety.error_stats ORDER BY 1"),
        "maximum|3|3\ntype|3|3")
    same("another tells times and money", server.sql(
        "SELECT DISTINCT total_ms, round(cost_usd, 2) FROM"
        " surety.attempt_list"), "666|1234567.89")
    same("the other views answer", server.sql(
        "SELECT (SELECT sum(attempts) FROM surety.contract_stats),"
        " (SELECT sum(attempts) FROM surety.model_stats),"
        " (SELECT sum(repairs) FROM surety.repair_stats)"), "3|3|3")
    probe = Probe(server.url(scheme="postgres"))
    same("by its other name", probe.opened, "ok open")
    probe.close()
    probe = Probe(f"postgresql:///postgres?host={server.folder}"
                  f"&port={server.port}&user=boss",
                  env={"PGPASSWORD": SECRET})
    same("by its socket", probe.opened, "ok open")
    probe.close()


def test_writers(server):
    server.sql("CREATE DATABASE two")
    probes = [Probe(server.url("two")) for _ in range(3)]
    same("three at once make it once", [probe.opened for probe in probes],
         ["ok open"] * 3)
    ids = [[new_id() for _ in range(60)] for _ in probes]
    shared = new_id()
    for probe, own in zip(probes, ids):
        probe.send("\n".join(f"begin {name}\nfinish {name}"
                             for name in own + [shared]))
    for probe in probes:
        bad = [line for line in (probe.line() for _ in range(122))
               if not line.startswith("ok ")]
        same("no writer is refused", bad, [])
    states, count = probes[0].rows()
    same("all is there once, and done", (count, len(states),
                                         set(states.values())),
         (181, 181, {"done"}))
    left = new_id()
    probes[0].ask("begin", left)
    other = Probe(server.url("two"))
    same("a living writer's stays open", other.rows()[0][left], "open")
    other.close()
    probes[0].kill()
    other = Probe(server.url("two"))
    same("a dead one's is unknown", other.rows()[0][left], "unknown")
    other.close()
    for probe in probes[1:]:
        probe.close()


def test_restart(server):
    probe = Probe(server.url(), 200000)
    first, second = new_id(), new_id()
    probe.ask("begin", first)
    server.stop()
    server.start()
    same("a server that restarted is connected to again",
         probe.ask("finish", first), f"ok finish {first}")
    server.stop()
    probe.send("begin", second)
    time.sleep(0.5)
    server.start()
    same("one that is down for a moment is waited for", probe.line(),
         f"ok begin {second}")
    server.stop()
    server.start()
    check("and so when reading", second in probe.rows()[0])
    probe.close()


def test_kills(server, kills=4):
    chance = random.Random()
    server.sql("CREATE DATABASE killed")
    probe = Probe(server.url("killed"), 200000)
    begun, finished, bad = set(), set(), []
    for _ in range(kills):
        own = [new_id() for _ in range(150)]
        probe.send("\n".join(f"begin {name}\nfinish {name}" for name in own))
        time.sleep(chance.uniform(0.05, 0.3))
        server.kill()
        server.start()
        for _ in range(2 * len(own)):
            words = probe.line().split()
            if words[:2] == ["ok", "begin"]:
                begun.add(words[2])
            elif words[:2] == ["ok", "finish"]:
                finished.add(words[2])
            else:
                bad.append(" ".join(words))
    states, count = probe.rows()
    same("no write is refused for a server that was killed", bad[:3], [])
    same("each is there once", (count, set(states)), (len(begun), begun))
    same("and finished", {name for name in states
                          if states[name] == "done"}, finished)
    same("with its errors", server.sql(
        "SELECT count(*), count(DISTINCT attempt) FROM surety.errors",
        "killed"), f"{2 * len(finished)}|{len(finished)}")
    probe.close()


def test_cut(server):
    for before in (True, False):
        process, port = cut(server, before)
        url = server.url().replace(f":{server.port}/", f":{port}/")
        probe = Probe(url)
        name = new_id()
        word = "before" if before else "after"
        same(f"cut {word} the COMMIT arrives, it is sent again",
             probe.ask("begin", name), f"ok begin {name}")
        same("and is there once", server.sql(
            f"SELECT count(*) FROM surety.attempts WHERE id = '{name}'"), "1")
        process.kill()
        process.wait()
        probe.kill()


def older(server):
    """A ledger of version 4 is brought to this version."""
    server.sql("CREATE DATABASE older")
    probe = Probe(server.url("older"))
    same("a row of before", probe.ask("full", new_id(), 5)[:7], "ok full")
    probe.close()
    listed = server.sql("SELECT pg_get_viewdef('surety.attempt_list')", "older")
    check("the list ends with key, tag and estimated", re.search(
        r"key,\s+(attempts\.)?tag,\s+(attempts\.)?estimated\n   FROM", listed),
          listed)
    server.sql("DROP VIEW surety.key_stats; DROP VIEW surety.tag_stats;"
               "DROP VIEW surety.attempt_list;"
               "CREATE VIEW surety.attempt_list AS " + re.sub(
                   r",\s+(attempts\.)?key,\s+(attempts\.)?tag"
                   r",\s+(attempts\.)?estimated\n", "\n",
                   listed) +
               "ALTER TABLE surety.attempts DROP COLUMN key, DROP COLUMN tag,"
               "DROP COLUMN estimated;"
               "UPDATE surety.ledger_version SET version = 4", "older")
    probe = Probe(server.url("older"))
    same("version 4 is migrated, and written", probe.ask("full", new_id(), 5)
         [:7], "ok full")
    probe.close()
    same("what it held has no key", server.sql(
        "SELECT key, attempts FROM surety.key_stats ORDER BY key", "older"),
        "key_18f2d3c0000a1b2c|1\n|1")


def test_refusals(server):
    def hidden(name, url, *parts, **options):
        probe = Probe(url, **options)
        told(name, probe.opened, "io", *parts)
        check("and tells no password", SECRET not in probe.opened
              and SECRET_URL not in probe.opened, probe.opened)
        probe.kill()

    wrong = server.url(password="wr0ng-secret")
    probe = Probe(wrong)
    told("a wrong password is reported", probe.opened, "io",
         "password authentication failed")
    check("and not shown", "wr0ng-secret" not in probe.opened, probe.opened)
    probe.kill()
    hidden("no such database", server.url("nowhere"), "nowhere")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        hidden("nobody listens", server.url().replace(
            str(server.port), str(port)), "cannot be reached")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        hidden("nobody answers", server.url().replace(
            str(server.port), str(mute.getsockname()[1])),
            "did not answer within 400 ms", timeout_ms=400)
    refused("a URL that is none", "postgresql://u:se%cret@h/d", "misuse",
            "no URL")
    server.sql("CREATE ROLE guest LOGIN PASSWORD 'guest'")
    server.sql("CREATE DATABASE bare")
    hidden("a user who may not make the schema",
           server.url("bare", "guest", "guest"), "permission denied")
    server.sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    refused("an encoding that cannot hold all", server.url("latin"),
            "unsupported", "LATIN1", "UTF8")
    server.sql("CREATE DATABASE newer")
    Probe(server.url("newer")).close()
    server.sql("UPDATE surety.ledger_version SET version = 9", "newer")
    refused("a newer version", server.url("newer"), "unsupported", "version 9")
    older(server)
    server.sql("CREATE DATABASE theirs")
    server.sql("CREATE SCHEMA surety; CREATE TABLE surety.attempts ()",
               "theirs")
    refused("a schema of others", server.url("theirs"), "io",
            "already exists", "another database")
    server.sql("CREATE DATABASE fixed")
    Probe(server.url("fixed")).close()
    server.sql("GRANT USAGE ON SCHEMA surety TO guest; GRANT SELECT, INSERT,"
               " UPDATE ON ALL TABLES IN SCHEMA surety TO guest", "fixed")
    probe = Probe(server.url("fixed", "guest", "guest"))
    same("a user with the rights that docs/ledger.md grants", probe.ask(
        "full", new_id(), 3)[:7], "ok full")
    probe.close()
    server.sql("ALTER DATABASE fixed SET default_transaction_read_only = on;"
               "ALTER DATABASE fixed SET synchronous_commit = off")
    probe = Probe(server.url("fixed"))
    same("what the database sets otherwise is set right", probe.ask(
        "full", new_id(), 3)[:7], "ok full")
    probe.close()


def test_locked(server):
    server.sql("CREATE DATABASE held")
    probe = Probe(server.url("held"), 500)
    holder = subprocess.Popen(
        [server.programs["psql"], "-h", server.folder, "-p",
         str(server.port), "-U", "boss", "-d", "held", "-X", "-q", "-c",
         "BEGIN; LOCK surety.attempts; SELECT pg_sleep(600)"],
        preexec_fn=server.become, cwd=server.folder,
        stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "PGPASSWORD": SECRET})
    while "t" not in server.sql(
            "SELECT 'granted ' || granted FROM pg_locks"
            " WHERE mode = 'AccessExclusiveLock'", "held"):
        time.sleep(0.01)
    told("a locked table is reported", probe.ask("begin", new_id()), "io")
    holder.kill()
    holder.wait()
    server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
               " WHERE query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()")
    name = new_id()
    same("when it is free it is written again", probe.ask("begin", name),
         f"ok begin {name}")
    probe.close()


def main():
    programs = find_programs()
    if not programs:
        skip_all("no PostgreSQL server is installed")
    probe = Probe("postgresql://none.invalid/")
    if "knows no ledgers in PostgreSQL" in probe.opened:
        skip_all("this build is without libpq")
    probe.kill()
    try:
        server = Server(programs)
    except KeyError:
        skip_all("root needs a user postgres to run a server")
    tests = [test_round_trip, test_writers, test_restart, test_kills,
             test_cut, test_refusals, test_locked]
    try:
        server.make()
        server.start()
        for test in tests:
            began = time.monotonic()
            try:
                test(server)
            except Exception as error:
                check(f"{test.__name__} runs to its end", False, repr(error))
            print(f"# {test.__name__} {time.monotonic() - began:.1f} s",
                  file=sys.stderr)
    except RuntimeError as error:
        skip("a server of its own", str(error).replace("\n", " ")[:200])
    finally:
        server.stop("immediate")
        shutil.rmtree(server.folder, ignore_errors=True)
        shutil.rmtree(FOLDER, ignore_errors=True)
    finish()


if __name__ == "__main__":
    main()
