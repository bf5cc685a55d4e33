#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which libraries ours need when they start, and which a command of the tool
loads: libraries.py BUILD TOOL LIBRARY... (the shared forms of ours)."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same, skip  # noqa: E402

BUILD, TOOL, *LIBRARIES = map(os.path.abspath, sys.argv[1:])
# What every program has, what the core links, and what that needs.
SYSTEM = {"libc", "libm", "libdl", "libpthread", "ld-linux-x86-64",
          "linux-vdso", "libasan", "libubsan", "libgcc_s", "libresolv",
          "librt", "libstdc++"}
CORE = {"libgmp", "libidn2", "libpcre2-8", "libjq", "libyaml-0"}
UNDER = {"libunistring", "libonig"}
LOADED = {"calls": "libcurl", "files": "libsqlite3",
          "charts": "libpangocairo-1.0", "workbooks": "libxlsxwriter",
          "certificates": "libssl"}
ENV = {**os.environ, "XDG_CONFIG_HOME": "/nonexistent", "NO_COLOR": "1"}
WITH_RUN = len(LIBRARIES) > 1


def stem(name):
    return re.sub(r"\.so.*$", "", os.path.basename(name))


def needed(path):
    said = subprocess.run(["readelf", "--dynamic", path], check=True,
                          capture_output=True, text=True).stdout
    return {stem(name) for name in re.findall(r"NEEDED.*\[(.*)\]", said)}


def surety(folder, *words, env=None, text=""):
    return subprocess.run([TOOL, *words], capture_output=True, text=True,
                          check=False, input=text, cwd=folder, timeout=120,
                          env={**ENV, **(env or {})})


def opened(folder, *words, text=""):
    """The process, and the libraries that the loader opened for it."""
    log = os.path.join(folder, "loader")
    run = surety(folder, *words, text=text,
                 env={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": log})
    names = set()
    for name in os.listdir(folder):
        if name.startswith("loader."):
            with open(os.path.join(folder, name), encoding="utf-8",
                      errors="replace") as file:
                names |= set(re.findall(r"file=(\S+) \[\d+\];  generating",
                                        file.read()))
            os.remove(os.path.join(folder, name))
    return run, {stem(name) for name in names}


def check_needed():
    own = {"surety": CORE, "run": set(), "render": set(), "serve": set()}
    for path in LIBRARIES:
        name = stem(path).removeprefix("libsurety-").removeprefix("lib")
        found = needed(path)
        below = set() if name == "surety" else {"libsurety"}
        below |= {"libsurety-run"} if name in ("render", "serve") else set()
        same(f"{stem(path)} needs only what it always uses",
             sorted(found - SYSTEM - own[name] - below), [])
        same(f"{stem(path)} needs the libraries of ours that it is over",
             sorted(one for one in found if "surety" in one), sorted(below))
    same("the tool needs only what the core does",
         sorted(needed(TOOL) - SYSTEM - CORE), [])


def check_core(folder):
    for words in (["--version"], ["--help"], ["run", "--help"],
                  ["--completion", "bash"], ["--man", "run"],
                  ["check", "-c", "c.json", "reply"], ["extract", "reply"],
                  ["validate", "c.json", "reply"], ["prompt", "-c", "c.json"],
                  ["contracts", "list"], ["contracts", "lint", "c.json"],
                  ["gen", "-c", "c.json"]):
        run, names = opened(folder, *words)
        check(f"surety {' '.join(words)} ends well", run.returncode == 0,
              run.stderr)
        check("LD_DEBUG tells of the libraries", "libc" in names, names)
        same("and opens nothing beyond the core's",
             sorted(names - SYSTEM - CORE - UNDER), [])


def check_loaded(folder):
    """Each command that needs a library, and that it opens no other."""
    model = ["run", "-c", "c.json", "-m", "exec:echo '{}'", "x"]
    chart = ["render", "--data", "rows.json", "--chart", "bar", "--format",
             "svg", "--out", folder]
    book = ["render", "--data", "rows.json", "--table", "xlsx", "--out",
            folder]
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    config = os.path.join(folder, "config.json")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"providers": {"far": {"base_url": url}}}, file)
    far = ["run", "-c", "c.json", "--config", config, "-m", "far:x",
           "--retries", "0", "x"]
    for about, words, wants in (
            ("a run of a command", [*model, "--ledger", "none"], set()),
            ("a run that keeps a ledger", [*model, "--ledger", "a.db"],
             {"files"}),
            ("a run over HTTP", [*far, "--ledger", "none"], {"calls"}),
            ("statistics", ["stats", "--ledger", "a.db"], {"files"}),
            ("a chart", chart, {"charts"}),
            ("a workbook", book, {"workbooks"}),
            ("a gateway with a certificate",
             ["serve", "--ledger", "none", "--config", config, "--listen",
              "127.0.0.1:0", "--tls-cert", "c.json"], {"certificates"}),
            ("a server", ["mock", "--reply", "1", "--address",
                          "192.0.2.1"], set())):
        run, names = opened(folder, *words)
        if "this build" in run.stderr:
            skip(about, run.stderr.strip())
            continue
        if "calls" in wants: # libcurl brings OpenSSL along
            names.discard(LOADED["certificates"])
        same(f"{about} loads what it needs",
             sorted(set(LOADED.values()) & names),
             sorted(LOADED[one] for one in wants))
        check_missing(folder, about, words, wants)


def check_missing(folder, about, words, wants):
    """The same where the library is a file that is none."""
    for one in wants:
        bad = os.path.join(folder, "bad")
        os.makedirs(bad, exist_ok=True)
        with open(os.path.join(BUILD, "packaging", "needed", "sonames.inc"),
                  encoding="ascii") as file:
            name, package = re.search(
                rf"\"({re.escape(LOADED[one])}[.-].*?)\", \"(.*?)\"",
                file.read()).groups()
        with open(os.path.join(bad, name), "w", encoding="ascii"):
            pass
        run = surety(folder, *words, env={"LD_LIBRARY_PATH": bad})
        check(f"{about} without {name}: the error names it",
              f"need the library {name}: " in run.stderr, run.stderr)
        check("and the package to install", f"package {package}" in run.stderr,
              run.stderr)
        same("and the exit code is that of the world", run.returncode, 4)
        shutil.rmtree(bad)


def main():
    check_needed()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("c.json", '{"title": "c", "type": "object"}'),
                           ("reply", "{}"),
                           ("rows.json", '[["a", "b"], ["x", 1], ["y", 2]]')):
            with open(os.path.join(folder, name), "w",
                      encoding="utf-8") as file:
                file.write(text)
        check_core(folder)
        if WITH_RUN:
            check_loaded(folder)
    finish()


main()
