#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs into a folder of the build, then builds and runs programs through
pkg-config, in C and C++, shared and static, there and where the folder was
moved to: installed.py BUILD PREFIX."""

import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same, skip  # noqa: E402
from compilers import STANDARDS, sanitize_flags  # noqa: E402
from place import Place, code_of, install, run  # noqa: E402

BUILD, PREFIX = sys.argv[1:]
MODEL = "exec:echo '{\"answer\": 42}'"


def compilers():
    for program, language, standard in STANDARDS:
        if not (sanitize_flags() and program.startswith("clang")):
            yield program, language, standard


def make(place, name, compiler, source, flags):
    """One point: it builds; another: it prints 42."""
    target = os.path.join(place.root, "program")
    made = place.compile(compiler, source, target, flags)
    if check(name, made.returncode == 0, made.stderr[:2000]):
        same(f"{name}: it runs", run(target, MODEL, env=place.env).stdout,
             "42\n")
    return target


def check_files(place):
    check("the shared library and surety.pc are there",
          place.libdir and place.config)
    for library in ["libsurety"] + (
            ["libsurety-run"] if place.find("libsurety-run.so") else []):
        shared = f"{place.libdir}/{library}.so"
        same(f"the soname is {library}.so.0",
             os.path.basename(os.path.realpath(f"{shared}.0")),
             os.path.basename(os.path.realpath(shared)))
        check(f"{library}.a is there", place.find(f"{library}.a"))
    for path in ("share/surety/contracts/surety/contract.json",
                 "share/man/man1/surety.1", "share/man/man1/surety-check.1",
                 "share/man/man3/surety_json.3",
                 "share/man/man3/surety_doc_read.3",
                 "share/doc/surety/examples/01-judge.c",
                 "share/bash-completion/completions/surety",
                 "include/surety.h"):
        check(f"{path} is installed",
              os.path.exists(os.path.join(place.prefix, path)))


def check_shared(place):
    same("the version of surety.pc",
         place.flags("--modversion", "surety").stdout.strip(),
         run(os.path.join(place.prefix, "bin", "surety"), "--version",
             env=place.env).stdout.strip().split(" ")[-1])
    shared = place.flags("--cflags", "--libs", "surety")
    check("pkg-config knows it", shared.returncode == 0, shared.stderr)
    same("a shared program needs no library but ours",
         [word for word in shared.stdout.split() if word.startswith("-l")],
         ["-lsurety"])
    for program, language, standard in compilers():
        make(place, f"{program} -std={standard} builds a program",
             [program, "-x", language, f"-std={standard}", "-Werror"],
             f"{HERE}/outside.c", shared.stdout.split())


def check_static(place):
    """With both forms there, by the name of the static one; and where there
    is nothing else."""
    flags = place.flags("--static", "--cflags", "--libs", "surety").stdout
    named = flags.replace("-lsurety", "-l:libsurety.a").split()
    target = make(place, "libsurety.a links by pkg-config --static", ["cc"],
                  f"{HERE}/outside.c", named)
    needed = run("readelf", "--dynamic", target).stdout
    check("and the program needs no libsurety.so",
          "libgmp" in needed and "libsurety" not in needed, needed)
    alone = os.path.join(place.root, "static")
    shutil.copytree(place.prefix, alone, symlinks=True)
    for folder, _, files in os.walk(alone):
        for name in files:
            if ".so" in name:
                os.remove(os.path.join(folder, name))
    if not place.movable():
        skip("where no shared form is", "pkgconfig.relocatable=false")
    else:
        config = os.path.join(alone, os.path.relpath(place.config,
                                                     place.prefix))
        env, place.env = place.env, {**place.env, "PKG_CONFIG_PATH": config,
                                     "LD_LIBRARY_PATH": ""}
        for name, source in (("surety", "outside.c"),
                             ("surety-run", "outside_run.c")):
            if place.find(name + ".pc"):
                flags = place.flags("--static", "--cflags", "--libs", name)
                make(place, f"pkg-config --static --libs {name}, where no "
                     "shared form is", ["cc"], f"{HERE}/{source}",
                     flags.stdout.split())
        place.env = env
    shutil.rmtree(alone)


def check_empty_folder(place):
    """docs/library.md, in a folder that is empty."""
    folder = os.path.join(place.root, "empty")
    os.mkdir(folder)
    for name, package in (("check.c", "surety"), ("ask.c", "surety-run")):
        if not place.find(package + ".pc"):
            continue
        source = os.path.join(folder, name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(code_of("library.md", f"/* {name}:"))
        flags = place.flags("--cflags", "--libs", package).stdout.split()
        for compiler in (["cc"], ["c++", "-x", "c++"]):
            make(place, f"{compiler[0]} {name} of docs/library.md, by "
                 f"pkg-config {package}", [*compiler, "-Wall", "-Werror"],
                 source, flags)


def check_run(place):
    if not place.find("libsurety-run.so"):
        return
    needed = place.flags("--cflags", "--libs", "surety-run").stdout.split()
    same("a program over surety-run links both",
         sorted(word for word in needed if word.startswith("-l")),
         ["-lsurety", "-lsurety-run"])
    make(place, "it builds", ["cc", "-Werror"], f"{HERE}/outside_run.c",
         needed)
    # Their Makefile, as somebody runs it who copied the folder.
    folder = os.path.join(place.prefix, "share/doc/surety/examples")
    flags = " ".join(["-Wall", "-Werror", "-std=c17",
                      "-D_POSIX_C_SOURCE=200809L", *sanitize_flags()])
    made = run("make", "-C", folder, f"CFLAGS={flags}", env=place.env)
    check("the installed examples build", made.returncode == 0,
          (made.stdout + made.stderr)[-2000:])
    if made.returncode == 0:
        with open(os.path.join(folder, "01-judge.out"),
                  encoding="utf-8") as file:
            same("and the first prints what it says",
                 run("./01-judge", cwd=folder, env=place.env).stdout,
                 file.read())


def check_moved(place):
    """The same folder under another name, and nothing is where it was."""
    if not place.movable():
        skip("moved", "this build has pkgconfig.relocatable=false")
        return
    root = place.root + "-moved"
    shutil.rmtree(root, ignore_errors=True)
    os.rename(place.root, root)
    moved = Place(root, PREFIX)
    flags = moved.flags("--cflags", "--libs", "surety").stdout
    check("moved: pkg-config gives the new place",
          moved.prefix in flags and place.root + "/" not in flags, flags)
    make(moved, "moved: a program builds", ["cc"], f"{HERE}/outside.c",
         flags.split())
    said = run(os.path.join(moved.prefix, "bin", "surety"), "check", "-c",
               "simple/message", "-", env=moved.env)
    check("moved: the tool runs", said.returncode == 1, said.stderr)
    os.rename(root, place.root)


def main():
    place, said = install(BUILD, PREFIX, "installed")
    if not check("meson install --destdir", not said, said):
        finish()
    check_files(place)
    check_shared(place)
    check_static(place)
    check_empty_folder(place)
    check_run(place)
    check_moved(place)
    finish()


main()
