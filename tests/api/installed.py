#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs into a folder of the build, then builds and runs a program through
pkg-config, in C and C++, shared and static: installed.py BUILD PREFIX."""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same  # noqa: E402
from compilers import STANDARDS, sanitize_flags  # noqa: E402

BUILD, PREFIX = sys.argv[1:]
ROOT = os.path.join(BUILD, "installed")
BELOW = os.path.join(ROOT, PREFIX.lstrip("/"))


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=300, **more)


def find(name):
    """The folder below the root that holds the file."""
    for folder, _, files in os.walk(ROOT):
        if name in files:
            return folder
    return None


shutil.rmtree(ROOT, ignore_errors=True)
made = run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet",
           "--destdir", ROOT)
if not check("meson install --destdir", made.returncode == 0,
             made.stdout + made.stderr):
    finish()

library, config = find("libsurety.so"), find("surety.pc")
check("the shared library and surety.pc are there", library and config)
same("the soname is libsurety.so.0",
     os.path.basename(os.path.realpath(f"{library}/libsurety.so.0")),
     os.path.basename(os.path.realpath(f"{library}/libsurety.so")))
check("the static library is there", find("libsurety.a"))

env = {**os.environ, "PKG_CONFIG_PATH": config,
       "PKG_CONFIG_SYSROOT_DIR": ROOT, "LD_LIBRARY_PATH": library}
same("the version of surety.pc",
     run("pkg-config", "--modversion", "surety", env=env).stdout.strip(),
     run(os.path.join(BELOW, "bin", "surety"), "--version",
         env=env).stdout.strip().split(" ")[-1])
shared = run("pkg-config", "--cflags", "--libs", "surety", env=env)
check("pkg-config knows it", shared.returncode == 0, shared.stderr)
same("a shared program needs no library but ours",
     [word for word in shared.stdout.split() if word.startswith("-l")],
     ["-lsurety"])

for program, language, standard in STANDARDS:
    if sanitize_flags() and program.startswith("clang"):
        continue
    target = os.path.join(BUILD, f"installed-{program}-{standard}")
    made = run(program, "-x", language, f"-std={standard}", "-Werror",
               f"{HERE}/outside.c", "-x", "none", "-o", target,
               *shared.stdout.split(), *sanitize_flags(), env=env)
    check(f"{program} -std={standard} builds a program", made.returncode == 0,
          made.stderr)
    if made.returncode == 0:
        same(f"{program} -std={standard}: it runs",
             run(target, env=env).stdout, "42\n")

# Ours statically, the others shared: not each of them has a static form.
with open(os.path.join(config, "surety.pc"), encoding="utf-8") as file:
    text = file.read()
needs = re.search(r"^Requires.private: *(.*)", text, re.M)[1]
libs = run("pkg-config", "--libs", *re.findall(r"[\w.-]+", needs)).stdout
libs = [f"{library}/libsurety.a", *libs.split(),
        *re.findall(r"-ljq", text)]
target = os.path.join(BUILD, "installed-static")
made = run("cc", f"{HERE}/outside.c", "-o", target,
           *run("pkg-config", "--cflags", "surety", env=env).stdout.split(),
           *libs, *sanitize_flags(), env=env)
check("libsurety.a links with what surety.pc requires", made.returncode == 0,
      made.stderr)
if made.returncode == 0:
    same("and it runs without libsurety.so",
         run(target, env={**env, "LD_LIBRARY_PATH": ""}).stdout, "42\n")
# The run library stands on the core's shared form.
if find("libsurety-run.so"):
    needed = run("pkg-config", "--cflags", "--libs", "surety-run", env=env)
    same("a program over surety-run links both",
         sorted(word for word in needed.stdout.split()
                if word.startswith("-l")), ["-lsurety", "-lsurety-run"])
    target = os.path.join(BUILD, "installed-run")
    made = run("cc", f"{HERE}/outside_run.c", "-Werror", "-o", target,
               *needed.stdout.split(), *sanitize_flags(), env=env)
    check("it builds", made.returncode == 0, made.stderr)
    if made.returncode == 0:
        same("it runs a command as a model", run(target, env=env).stdout,
             "42\n")
for path in ("share/surety/contracts/surety/contract.json",
             "share/man/man1/surety.1", "share/man/man1/surety-check.1",
             "share/bash-completion/completions/surety", "include/surety.h"):
    check(f"{path} is installed", os.path.exists(os.path.join(BELOW, path)))
finish()
