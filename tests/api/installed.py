#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs into a folder of the build, then builds and runs programs through
pkg-config and Meson, in C and C++, shared and static, there and where the
folder was moved to: installed.py BUILD PREFIX."""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same, skip  # noqa: E402
from compilers import (CC, CXX, STANDARDS, may_link,  # noqa: E402
                       sanitize_flags)
from place import SOURCE, Place, code_of, install, run  # noqa: E402

BUILD, PREFIX = sys.argv[1:]
PROGRAMS = {"check.c": "surety", "ask.c": "surety-run",
            "fix.c": "surety-contracts"}
MODEL = "exec:echo '{\"answer\": 42}'"


def compilers():
    for program, language, standard in STANDARDS:
        if may_link(program):
            yield program, language, standard


def make(place, name, compiler, source, flags):
    """One point: it builds; another: it prints what it must."""
    target = os.path.join(place.root, "program")
    made = place.compile(compiler, source, target, flags)
    if check(name, made.returncode == 0, made.stderr[:2000]):
        same(f"{name}: it runs", run(target, MODEL, env=place.env).stdout,
             "All tests pass.\n" if "fix.c" in source else "42\n")
    return target


def check_files(place):
    check("the shared library and surety.pc are there",
          place.libdir and place.config)
    for library in ["libsurety"] + (
            ["libsurety-run", "libsurety-render", "libsurety-serve"]
            if place.find("libsurety-run.so") else []):
        shared = f"{place.libdir}/{library}.so"
        same(f"the soname is {library}.so.0",
             os.path.basename(os.path.realpath(f"{shared}.0")),
             os.path.basename(os.path.realpath(shared)))
        check(f"{library}.a is there", place.find(f"{library}.a"))
    for path in ("share/surety/contracts/surety/contract.json",
                 "share/man/man1/surety.1", "share/man/man1/surety-check.1",
                 "share/man/man3/surety.3", "share/man/man3/surety_json.3",
                 "share/man/man3/surety_doc_read.3",
                 "share/doc/surety/examples/01-judge.c",
                 "share/bash-completion/completions/surety",
                 "include/surety.h") + ((
                     "include/surety/contracts/maverick.h",
                     "include/surety/contracts/user-story.h")
                     if place.find("surety-contracts.pc") else ()):
        check(f"{path} is installed",
              os.path.exists(os.path.join(place.prefix, path)))


def check_shared(place):
    same("the version of surety.pc",
         place.flags("--modversion", "surety").stdout.strip(),
         run(os.path.join(place.prefix, "bin", "surety"), "--version",
             env=place.env).stdout.strip().split(" ")[-1])
    shared = place.words("--cflags", "--libs", "surety")
    same("a shared program needs no library but ours",
         [word for word in shared if word.startswith("-l")], ["-lsurety"])
    for program, language, standard in compilers():
        make(place, f"{program} -std={standard} builds a program",
             [program, "-x", language, f"-std={standard}", "-Werror"],
             f"{HERE}/outside.c", shared)


def typed_program(place):
    """fix.c of docs/library.md, in a file."""
    path = os.path.join(place.root, "fix.c")
    with open(path, "w", encoding="utf-8") as file:
        file.write(code_of("library.md", "/* fix.c:"))
    return path


def check_static(place):
    """With both forms there, by the name of the static one; and where there
    is nothing else."""
    named = [word.replace("-lsurety", "-l:libsurety.a") for word in
             place.words("--static", "--cflags", "--libs", "surety")]
    target = make(place, "libsurety.a links by pkg-config --static", CC,
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
                             ("surety-run", "outside_run.c"),
                             ("surety-render", "outside_render.c"),
                             ("surety-serve", "outside_serve.c"),
                             ("surety-contracts", typed_program(place))):
            if place.find(name + ".pc"):
                make(place, f"pkg-config --static --libs {name}, where no "
                     "shared form is", CC, os.path.join(HERE, source),
                     place.words("--static", "--cflags", "--libs", name))
        place.env = env
    shutil.rmtree(alone)


def check_empty_folder(place):
    """docs/library.md, in a folder that is empty."""
    folder = os.path.join(place.root, "empty")
    os.mkdir(folder)
    for name, package in PROGRAMS.items():
        if not place.find(package + ".pc"):
            continue
        source = os.path.join(folder, name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(code_of("library.md", f"/* {name}:"))
        flags = place.words("--cflags", "--libs", package)
        for compiler in (CC, [*CXX, "-x", "c++"]):
            make(place, f"{compiler[0]} {name} of docs/library.md, by "
                 f"pkg-config {package}", [*compiler, "-Wall", "-Werror"],
                 source, flags)


def check_run(place):
    if not place.find("libsurety-run.so"):
        return
    needed = place.words("--cflags", "--libs", "surety-run")
    same("a program over surety-run links both",
         sorted(word for word in needed if word.startswith("-l")),
         ["-lsurety", "-lsurety-run"])
    make(place, "it builds", [*CC, "-Werror"], f"{HERE}/outside_run.c",
         needed)
    for name in ("render", "serve"):
        make(place, f"and one over surety-{name}", [*CC, "-Werror"],
             f"{HERE}/outside_{name}.c",
             place.words("--cflags", "--libs", f"surety-{name}"))
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


def check_tool(place):
    """The installed tool alone: a check, a run with its own mock, a chart."""
    tool = os.path.join(place.prefix, "bin", "surety")
    env = {**place.env, "LD_LIBRARY_PATH": "", "XDG_CONFIG_HOME": place.root,
           "SURETY_CONTRACTS": ""}
    folder = os.path.join(place.root, "tool")
    os.mkdir(folder)

    def file(name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as one:
            one.write(text)
        return path

    contract = file("c.json", '{"title": "c", "type": "integer"}')
    said = run(tool, "check", "-c", contract, file("reply", "42"), env=env)
    same("the installed tool checks", said.stdout, "42\n")
    if not place.find("libsurety-run.so"):
        return
    with subprocess.Popen([tool, "mock", "--reply", "42"], text=True, env=env,
                          stdout=subprocess.PIPE) as mock:
        url = mock.stdout.readline().split(" ")[-1].strip()
        config = file("surety.json", '{"providers": {"near": {"base_url": '
                      f'"{url}/v1"}}}}}}')
        said = run(tool, "run", "-c", contract, "--config", config, "-m",
                   "near:any", "--ledger", os.path.join(folder, "ledger"),
                   "?", env=env)
        mock.terminate()
        mock.communicate(timeout=60)
    same("it runs its mock, and keeps a ledger", said.stdout, "42\n")
    check("which is there",
          os.path.exists(os.path.join(folder, "ledger")), said.stderr)
    said = run(tool, "render", "--data", file("rows.json", '[["a", "b"], ["x",'
               ' 1], ["y", 2]]'), "--chart", "bar", "--format", "svg",
               "--out", "-", env=env)
    if "this build" in said.stderr:
        skip("it draws", "a build without cairo")
    else:
        check("it draws", "<svg" in said.stdout, said.stderr)


def check_part(place):
    """The examples' Makefile where a part of the library is installed."""
    folder = os.path.join(place.prefix, "share/doc/surety/examples")
    packages = os.path.join(place.root, "packages")
    most = {"08-types", "09-gateway"}
    for wanted, left_out in (
            ((), None),
            (("surety",), {*most, "05-run", "trend"}),
            (("surety", "surety-run"), {*most, "census"}),
            (("surety", "surety-run", "surety-render"), most)):
        if any(not place.find(f"{name}.pc") for name in wanted):
            continue
        os.makedirs(packages, exist_ok=True)
        for name in wanted:
            shutil.copy(os.path.join(place.config, f"{name}.pc"), packages)
        made = run("make", "-n", "-B", "-C", folder, env={
            **place.env, "PKG_CONFIG_LIBDIR": packages, "PKG_CONFIG_PATH": ""})
        if left_out is None:
            check("without the library the examples' Makefile says so",
                  made.returncode != 0 and "PKG_CONFIG_PATH" in made.stderr,
                  made.stderr)
        else:
            built = {word.split("/")[-1] for word in made.stdout.split()}
            same(f"the examples that {' and '.join(wanted)} is enough for",
                 (sorted(left_out & built), "01-judge" in built), ([], True))
        shutil.rmtree(packages)


def check_meson(place):
    """A project of Meson finds what is installed."""
    folder = os.path.join(place.root, "meson")
    shutil.copytree(os.path.join(place.root, "empty"), folder)
    names = {name: package for name, package in PROGRAMS.items()
             if place.find(package + ".pc")}
    with open(os.path.join(folder, "meson.build"), "w",
              encoding="utf-8") as file:
        flags = sanitize_flags()
        file.write("project('outside', 'c')\n" + "".join(
            f"executable('{name[:-2]}', '{name}', c_args: {flags}, "
            f"link_args: {flags},\n  dependencies: dependency('{package}', "
            "version: '>=0.1'))\n" for name, package in names.items()))
    made = run("meson", "setup", f"{folder}/build", folder, env=place.env)
    made = made if made.returncode else run("ninja", "-C", f"{folder}/build")
    if check("a project of Meson finds it and builds", made.returncode == 0,
             made.stdout[-3000:] + made.stderr):
        for name in names:
            same(f"Meson: {name} runs", run(
                f"{folder}/build/{name[:-2]}", MODEL, env=place.env).stdout,
                "All tests pass.\n" if name == "fix.c" else "42\n")


def check_verb(place):
    """`make install` hands on folders with spaces, and relative ones."""
    if not shutil.which("make"):
        skip("make install", "there is no make")
        return
    for folder, whole in (("a b/c", os.path.join(SOURCE, "a b/c")),
                          ("/a b/c", "/a b/c"), ("", "")):
        made = run("make", "-n", "install", f"DESTDIR={folder}",
                   "PREFIX=/my own", f"BUILD={place.root}",
                   cwd=os.path.realpath(SOURCE))
        check(f"make install DESTDIR='{folder}'", made.returncode == 0 and
              f"DESTDIR='{os.path.realpath(whole) if whole else ''}' " in
              made.stdout and "-Dprefix='/my own'" in made.stdout, made.stdout)


def check_moved(place):
    """The same folder under another name, and nothing is where it was."""
    if not place.movable():
        skip("moved", "this build has pkgconfig.relocatable=false")
        return
    root = place.root + "-moved"
    shutil.rmtree(root, ignore_errors=True)
    os.rename(place.root, root)
    moved = Place(root, PREFIX)
    flags = moved.words("--cflags", "--libs", "surety")
    check("moved: pkg-config gives the new place",
          moved.prefix in " ".join(flags) and place.root + "/" not in
          " ".join(flags), flags)
    make(moved, "moved: a program builds", CC, f"{HERE}/outside.c", flags)
    said = run(os.path.join(moved.prefix, "bin", "surety"), "check", "-c",
               "simple/message", "-", env=moved.env)
    check("moved: the tool runs", said.returncode == 1, said.stderr)
    os.rename(root, place.root)


def main():
    place, said = install(BUILD, PREFIX, "installed")
    if not check("meson install --destdir", not said, said):
        finish()
    if place.movable():  # a folder with a space in its name, as some have
        root = place.root + " here"
        shutil.rmtree(root, ignore_errors=True)
        os.rename(place.root, root)
        place = Place(root, PREFIX)
    check_files(place)
    check_shared(place)
    check_static(place)
    check_empty_folder(place)
    check_run(place)
    check_tool(place)
    check_part(place)
    check_meson(place)
    check_verb(place)
    check_moved(place)
    finish()


main()
