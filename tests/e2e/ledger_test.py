#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ledgers in SQLite under what may happen to them: ledger_test.py PROBE.
LEDGER_KILLS says how often the probe is killed (100)."""

import os
import random
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
import time

from ledger_run import (FOLDER, PROBE, Probe, check, finish, new_id, refused,
                        same, skip, told)

KILLS = int(os.environ.get("LEDGER_KILLS", "100"))
SEED = int(os.environ.get("LEDGER_SEED", random.randrange(1 << 32)))

# What version 1 looked like, with a writer that is gone.
VERSION_1 = """
CREATE TABLE writers (id integer PRIMARY KEY, host text NOT NULL,
  boot text NOT NULL, space text NOT NULL, start text NOT NULL,
  pid bigint NOT NULL, opened_ms bigint NOT NULL, closed_ms bigint);
CREATE TABLE attempts (seq integer PRIMARY KEY, id text NOT NULL UNIQUE,
  run text, number bigint NOT NULL, purpose text, contract text,
  contract_version text, provider text, model text, mode text,
  started_ms bigint NOT NULL, prompt blob, state text NOT NULL,
  first_byte_ms bigint, ended_ms bigint, failure text, http_status bigint,
  error_code text, error_message text, finish_reason text, request_id text,
  response_id text, ok boolean, fallback boolean, stage text,
  error_count bigint, repair_count bigint, input_tokens bigint,
  cached_input_tokens bigint, output_tokens bigint, reasoning_tokens bigint,
  cost_picousd bigint, decision text, reply blob, writer bigint NOT NULL,
  recorded_ms bigint NOT NULL, finished_ms bigint,
  abandoned boolean NOT NULL DEFAULT FALSE);
CREATE TABLE errors (attempt text NOT NULL, number bigint NOT NULL,
  keyword text, path text, message text, PRIMARY KEY (attempt, number))
  WITHOUT ROWID;
CREATE TABLE repairs (attempt text NOT NULL, number bigint NOT NULL,
  kind text, path text, message text, PRIMARY KEY (attempt, number))
  WITHOUT ROWID;
INSERT INTO writers VALUES (1, 'elsewhere', 'b', 's', '1', 1, 0, NULL);
INSERT INTO attempts (id, number, started_ms, state, writer, recorded_ms)
  VALUES ('00000000-0000-4000-8000-000000000001', 1, 1000, 'open', 1, 1000),
  ('00000000-0000-4000-8000-000000000002', 1, 2000, 'done', 1, 2000);
PRAGMA application_id = 1397904473;
PRAGMA user_version = 1;
"""


def place(name):
    return os.path.join(FOLDER, name)


def ask(name, sql):
    with sqlite3.connect(place(name)) as connection:
        rows = connection.execute(sql).fetchall()
    connection.close()
    return rows


def test_file():
    name = "deep/er/ledger.db"
    probe = Probe("sqlite:" + name)
    same("it opens, and makes its folders", probe.opened, "ok open")
    same("a folder is its owner's", stat.S_IMODE(
        os.stat(place("deep/er")).st_mode), 0o700)
    for ending in ("", "-wal", "-shm"):
        same(f"a file is its owner's: {ending or 'itself'}", stat.S_IMODE(
            os.stat(place(name + ending)).st_mode), 0o600)
    same("every member comes back, with 16 MiB",
         probe.ask("full", new_id(), 16 << 20)[:7], "ok full")
    same("it closes", probe.close(), "ok close")
    same("and is a database of ours", ask(name, "PRAGMA application_id"),
         [(0x53525459,)])
    same("that is sound", ask(name, "PRAGMA integrity_check"), [("ok",)])
    for odd in (":memory:", "file:odd.db?mode=memory", "a b'\"%.db"):
        probe = Probe(odd)
        probe.close()
        check(f"a name is a name: {odd}", os.path.exists(place(odd)))


def test_views():
    probe = Probe("views.db")
    probe.ask("full", new_id(), 10)
    probe.ask("begin", new_id(), 5)
    probe.close()
    same("attempt_list tells times and money", ask(
        "views.db", "SELECT started, total_ms, round(cost_usd, 3), state"
        " FROM attempt_list ORDER BY started"),
        [("1970-01-01T00:00:00.005Z", None, None, "unknown"),
         ("2023-11-14T22:13:20.123Z", 666, 1234567.89, "done")])
    same("contract_stats counts", ask(
        "views.db", "SELECT attempts, valid, unknown FROM contract_stats"),
        [(2, 1, 1)])
    same("model_stats counts", ask(
        "views.db", "SELECT mode, attempts FROM model_stats"),
        [("native", 2)])
    same("calls that were stopped, too", ask(
        "views.db", "SELECT stopped, saved_tokens FROM model_stats UNION ALL"
        " SELECT stopped, saved_tokens FROM contract_stats"),
        [(1, 4294967295), (1, 4294967295)])
    same("and attempt_list tells them", ask(
        "views.db", "SELECT stopped, stopped_bytes, saved_tokens FROM"
        " attempt_list ORDER BY started"),
        [(None, None, None), ("no", 12345, 4294967295)])
    same("error_stats counts", ask(
        "views.db", "SELECT keyword, path, errors, attempts FROM error_stats"
        " ORDER BY 1"), [("maximum", "/x/0", 1, 1), ("type", "", 1, 1)])
    same("repair_stats counts", ask(
        "views.db", "SELECT kind, path, repairs FROM repair_stats"),
        [("trailing_comma", "/ä~1", 1)])


def test_two_writers():
    ids = [[new_id() for _ in range(500)] for _ in range(2)]
    probes = [Probe("two.db", 30000) for _ in ids]
    for probe, own in zip(probes, ids):
        probe.send("\n".join(f"begin {name}\nfinish {name}" for name in own))
    for number, probe in enumerate(probes):
        bad = [line for line in (probe.line() for _ in range(1000))
               if not line.startswith("ok ")]
        same(f"writer {number + 1} of two is never refused", bad, [])
    states, count = probes[0].rows()
    same("both have all their attempts", (count, set(states)),
         (1000, set(ids[0] + ids[1])))
    same("all of them finished", set(states.values()), {"done"})
    for probe in probes:
        probe.close()
    same("and the database is sound", ask("two.db", "PRAGMA integrity_check"),
         [("ok",)])


def test_kills():
    chance = random.Random(SEED)
    begun, finished, lost = set(), set(), []
    for round_number in range(KILLS):
        probe = Probe("kill.db")
        states, count = probe.rows()
        if count != len(states):
            lost.append(f"round {round_number}: an attempt occurs twice")
        lost += [f"{name} lost" for name in begun - set(states)]
        lost += [f"{name} is {states.get(name)}" for name in finished
                 if states.get(name) != "done"]
        lost += [f"{name} is still open" for name, state in states.items()
                 if state == "open"]
        own = [new_id() for _ in range(40)]
        probe.send("\n".join(f"begin {name}\nfinish {name}" for name in own))
        # Somewhere in the work: after so many answers, and a moment.
        heard = [probe.line() for _ in range(chance.randrange(20))]
        time.sleep(chance.uniform(0, 0.004))
        for line in heard + probe.kill():
            words = line.split()
            if words[:2] == ["ok", "begin"]:
                begun.add(words[2])
            elif words[:2] == ["ok", "finish"]:
                finished.add(words[2])
            else:
                lost.append(line)
        if lost:
            break
    check(f"after {KILLS} kills {len(begun)} begun and {len(finished)} "
          f"finished are there", not lost and len(begun) > KILLS,
          "\n".join(lost[:10]) + f"\nLEDGER_SEED={SEED}")
    same("the database is sound", ask("kill.db", "PRAGMA integrity_check"),
         [("ok",)])


def test_dead_writers():
    left = new_id()
    probe = Probe("dead.db")
    probe.ask("begin", left)
    living = Probe("dead.db")
    same("a living writer's attempt stays open", living.rows()[0],
         {left: "open"})
    probe.kill()
    same("nobody looks until somebody opens", living.rows()[0],
         {left: "open"})
    other = Probe("dead.db")
    same("then a dead writer's is unknown", other.rows()[0],
         {left: "unknown"})
    same("it may be finished after all", other.ask("finish", left),
         f"ok finish {left}")
    same("and is done", living.rows()[0], {left: "done"})
    other.close()
    living.close()
    now = int(time.time() * 1000)
    ids = [new_id() for _ in range(3)]
    with sqlite3.connect(place("dead.db")) as connection:
        own = connection.execute("SELECT host, boot, space, start FROM writers"
                                 " LIMIT 1").fetchone()
        rows = [(100, "elsewhere", "other", own[2], now - 3600_000),
                (101, "elsewhere", "other", own[2], now - 90000_000),
                (102, own[0], "earlier", own[2], now)]
        for (number, host, boot, space, at), name in zip(rows, ids):
            connection.execute(
                "INSERT INTO writers VALUES (?,?,?,?,?,?,?,NULL)",
                (number, host, boot, space, "5", 1, at))
            connection.execute(
                "INSERT INTO attempts (id, number, started_ms, state, writer,"
                " recorded_ms) VALUES (?, 1, 1, 'open', ?, ?)",
                (name, number, at))
    connection.close()
    probe = Probe("dead.db")
    states = probe.rows()[0]
    probe.close()
    same("of another machine, an hour old: it may live", states[ids[0]],
         "open")
    same("of another machine, a day old: unknown", states[ids[1]], "unknown")
    same("of an earlier start of this machine: unknown", states[ids[2]],
         "unknown")


def test_locked():
    probe = Probe("locked.db", 300)
    holder = sqlite3.connect(place("locked.db"), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    told("a locked ledger is reported", probe.ask("begin", new_id()), "io",
         "locked by another program", "300 ms", "try again later")
    check("after the timeout", 0.25 < time.monotonic() - began)
    refused("and cannot be opened", "locked.db", "io", "locked",
            timeout_ms=200)
    holder.execute("ROLLBACK")
    holder.close()
    name = new_id()
    same("when it is free it is written again", probe.ask("begin", name),
         f"ok begin {name}")
    probe.close()


def test_slow_reader():
    """One who reads for long hinders nobody."""
    probe = Probe("reader.db", 2000)
    probe.ask("full", new_id(), 10)
    reader = sqlite3.connect(place("reader.db"), isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM attempts").fetchall()
    answers = [probe.ask("full", new_id(), 1 << 20)[:7] for _ in range(6)]
    same("a reader does not hinder writers", answers, ["ok full"] * 6)
    reader.execute("ROLLBACK")
    reader.close()
    for _ in range(6):
        probe.ask("full", new_id(), 1 << 20)
    check("and the log is cut again",
          os.path.getsize(place("reader.db-wal")) < 8 << 20)
    probe.close()


def test_versions():
    with sqlite3.connect(place("old.db")) as connection:
        connection.executescript(VERSION_1)
    connection.close()
    probe = Probe("old.db")
    same("version 1 is migrated", probe.opened, "ok open")
    same("with what it held; what was open is unknown", probe.rows()[0],
         {"00000000-0000-4000-8000-000000000001": "unknown",
          "00000000-0000-4000-8000-000000000002": "done"})
    same("and is written", probe.ask("full", new_id(), 5)[:7], "ok full")
    probe.close()
    Probe("new.db").close()
    schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2"

    def shape(name):
        return [(kind, title, "".join((sql or "").split()))
                for kind, title, sql in ask(name, schema)]

    same("and is as a new one", shape("old.db"), shape("new.db"))
    same("at this version", ask("old.db", "PRAGMA user_version"), [(8,)])
    ask("new.db", "PRAGMA user_version = 9")
    before = open(place("new.db"), "rb").read()
    refused("a newer version is refused", "new.db", "unsupported",
            "version 9", "newer surety")
    same("and not touched", open(place("new.db"), "rb").read(), before)


def test_no_ledger():
    with open(place("text.db"), "wb") as file:
        file.write(b"This is no database, and long enough to be one." * 100)
    refused("a text is no database", "text.db", "syntax", "is no database")
    ask("theirs.db", "CREATE TABLE attempts (id)")
    refused("a database of others", "theirs.db", "unsupported",
            "another program")
    os.mkdir(place("folder.db"))
    refused("a folder", "folder.db", "io", "is a folder")
    os.mkfifo(place("pipe.db"))
    refused("a pipe does not hang", "pipe.db", "io", "is no file")
    refused("a path through a file", "text.db/ledger.db", "io",
            "a part of the path is no folder")
    refused("a scheme nobody knows", "mysql://host/base", "unsupported",
            "mysql://")
    probe = Probe("cut.db")
    for _ in range(20):
        probe.ask("full", new_id(), 20000)
    probe.close()
    shutil.copy(place("cut.db"), place("broken.db"))
    os.truncate(place("cut.db"), 3 * 4096)
    probe = Probe("cut.db")
    line = probe.opened
    if line == "ok open":
        line = probe.ask("full", new_id(), 5)
    told("a file that was cut is reported", line, "syntax", "damaged", "backup")
    probe.kill()
    with open(place("broken.db"), "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 8 * 4096)
    probe = Probe("broken.db")
    line = probe.opened
    if line == "ok open":
        line = probe.ask("full", new_id(), 5)
    told("a damaged file is reported", line, "syntax", "damaged")
    probe.kill()
    open(place("empty.db"), "w").close()
    probe = Probe("empty.db")
    same("an empty file becomes one", probe.opened, "ok open")
    probe.close()


def test_gone():
    for ending in ("", "-wal"):
        probe = Probe("gone.db")
        probe.ask("begin", new_id())
        os.unlink(place("gone.db" + ending))
        told(f"a deleted file is reported: {ending or 'itself'}",
             probe.ask("begin", new_id()), "io", "deleted or replaced")
        told("and nothing is taken any more", probe.ask("begin", new_id()),
             "io", "deleted or replaced")
        probe.kill()
        for rest in ("", "-wal", "-shm"):
            if os.path.exists(place("gone.db" + rest)):
                os.unlink(place("gone.db" + rest))
    probe = Probe("gone.db")
    os.rename(place("gone.db"), place("moved.db"))
    open(place("gone.db"), "w").close()
    told("a replaced file is reported", probe.ask("begin", new_id()), "io",
         "deleted or replaced")
    probe.kill()
    for name in os.listdir(FOLDER):
        if name.startswith(("gone.db", "moved.db")):
            os.unlink(place(name))


def test_limit():
    """A file that may not grow, as on a full disk."""
    name = new_id()
    probe = Probe("limit.db", before=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (400000, 400000)))
    same("it opens", probe.opened, "ok open")
    probe.ask("begin", name)
    line = probe.ask("full", new_id(), 1 << 20)
    told("a file that may not grow is reported", line, "io")
    probe.kill()
    probe = Probe("limit.db")
    check("acknowledged rows are there", name in probe.rows()[0])
    probe.close()


def mounted(kind, options, source="none"):
    """A file system of its own at FOLDER/mount, or why not."""
    os.makedirs(place("mount"), exist_ok=True)
    if os.getuid():
        return "mounting needs root"
    try:
        run = subprocess.run(["mount", "-t", kind, "-o", options, source,
                              place("mount")], capture_output=True,
                             check=False, text=True)
    except OSError as error:
        return str(error)
    return run.stderr.strip() if run.returncode else ""


def remount(options):
    return subprocess.run(["mount", "-o", "remount," + options,
                           place("mount")], check=False).returncode


def unmount():
    subprocess.run(["umount", "-l", place("mount")], check=False)


def test_full_disk():
    why = mounted("tmpfs", "size=512k")
    if why:
        skip("a full disk", why)
        return
    try:
        names, line = [], "ok"
        probe = Probe("mount/full.db")
        while line.startswith("ok") and len(names) < 5000:
            names.append(new_id())
            line = probe.ask("begin", names[-1])
        told("a full disk is reported", line, "io", "disk is full", "make room")
        remount("size=4m")
        more = new_id()
        same("with room it is written again", probe.ask("begin", more),
             f"ok begin {more}")
        probe.kill()
        probe = Probe("mount/full.db")
        states = probe.rows()[0]
        same("all that was acknowledged is there, and no more",
             set(states), set(names[:-1] + [more]))
        probe.close()
        if remount("ro"):
            skip("a read-only file system", "it cannot be remounted")
            return
        refused("a read-only file system is reported", "mount/full.db", "io")
        refused("and nothing is made there", "mount/x/new.db", "io",
                "read-only")
    finally:
        unmount()


def test_permissions():
    """Root may do everything, so root asks this as another user."""
    Probe("locked_away.db").close()
    os.makedirs(place("shut"), exist_ok=True)
    os.chmod(FOLDER, 0o755)
    os.chmod(place("shut"), 0o555)
    os.chmod(place("locked_away.db"), 0o444)
    before = None
    if not os.getuid():
        def before():
            os.setgid(65534)
            os.setuid(65534)
        try:
            subprocess.run([PROBE], preexec_fn=before, check=False,
                           stdin=subprocess.DEVNULL, timeout=60,
                           capture_output=True)
        except PermissionError:
            skip("permissions of files and folders",
                 "another user cannot run the probe in this folder")
            return
    refused("a folder that may not be written", "shut/ledger.db", "io",
            "permission denied", before=before)
    refused("a file that may not be written", "locked_away.db", "io",
            "may only be read", before=before)
    os.chmod(place("locked_away.db"), 0)
    refused("a file that may not be read", "locked_away.db", "io",
            "cannot be opened", before=before)


def main():
    tests = [test_file, test_views, test_two_writers, test_kills,
             test_dead_writers, test_locked, test_slow_reader, test_versions,
             test_no_ledger, test_gone, test_limit, test_full_disk,
             test_permissions]
    try:
        for test in tests:
            began = time.monotonic()
            try:
                test()
            except Exception as error:
                check(f"{test.__name__} runs to its end", False, repr(error))
            print(f"# {test.__name__} {time.monotonic() - began:.1f} s",
                  file=sys.stderr)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    finish()


if __name__ == "__main__":
    main()
