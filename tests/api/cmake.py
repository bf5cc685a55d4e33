#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A CMake project finds the installed library, each of its targets links, and
what is not there is refused: cmake.py BUILD PREFIX."""

import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same, skip, skip_all  # noqa: E402
from compilers import CC, CXX, sanitize_flags  # noqa: E402
from place import code_of, install, run  # noqa: E402

BUILD, PREFIX = sys.argv[1:]
if not shutil.which("cmake"):
    skip_all("there is no cmake")
HEAD = "cmake_minimum_required(VERSION 3.16)\nproject(outside C CXX)\n"


def configure(place, name, text, *files):
    """Writes a project and configures it; cmake's process and the folder."""
    folder = os.path.join(place.root, name)
    os.mkdir(folder)
    with open(os.path.join(folder, "CMakeLists.txt"), "w",
              encoding="utf-8") as file:
        file.write(text)
    for path, words in files:
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(words)
    flags = " ".join(sanitize_flags())
    return run("cmake", "-S", folder, "-B", folder + "/build",
               f"-DCMAKE_PREFIX_PATH={place.prefix}",
               f"-DCMAKE_C_COMPILER={CC[-1]}",
               f"-DCMAKE_CXX_COMPILER={CXX[-1]}",
               f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}",
               # What another test installed is of no concern.
               "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF"), folder


def check_targets(place, with_run):
    programs = [("shared", "outside.c", "surety::surety"),
                ("static", "outside.c", "surety::static")]
    components = "static"
    if with_run:
        for name in ("run", "render", "serve"):
            programs += [(one, f"outside_{name}.c", f"surety::{one}")
                         for one in (name, f"{name}_static")]
            components += f" {name} {name}_static"
    if place.find("libsurety-contracts.a"):
        with open(os.path.join(place.root, "fix.c"), "w",
                  encoding="utf-8") as file:
            file.write(code_of("library.md", "/* fix.c:"))
        source = os.path.join(place.root, "fix.c")
        programs += [("typed", source, "surety::contracts"),
                     ("typed_static", source, "surety::contracts_static")]
        components += " contracts contracts_static"
    text = HEAD + f"find_package(surety REQUIRED COMPONENTS {components})\n"
    for name, source, target in programs:
        text += (f"add_executable({name} \"{os.path.join(HERE, source)}\")\n"
                 f"target_link_libraries({name} {target})\n")
    text += ("file(WRITE outside.cc \"#include \\\"" + HERE
             + "/outside.c\\\"\\n\")\n"
             "add_executable(cxx outside.cc)\n"
             "target_link_libraries(cxx surety::surety)\n")
    made, folder = configure(place, "targets", text)
    if not check("find_package(surety) finds it", made.returncode == 0,
                 made.stdout + made.stderr):
        return
    made = run("cmake", "--build", folder + "/build")
    if check("every target links", made.returncode == 0,
             made.stdout + made.stderr):
        for name in [name for name, _, _ in programs] + ["cxx"]:
            # CMake's rpath finds the shared form.
            same(f"{name} runs", run(f"{folder}/build/{name}").stdout,
                 "All tests pass.\n" if "typed" in name else "42\n")
        for name in [name for name, _, _ in programs if "static" in name]:
            needed = run("readelf", "--dynamic", f"{folder}/build/{name}")
            check(f"{name} needs no libsurety.so",
                  "libsurety" not in needed.stdout, needed.stdout)


def check_document(place):
    text = code_of("library.md", "cmake_minimum_required")
    made, folder = configure(place, "document", text, (
        "check.c", code_of("library.md", "/* check.c:")))
    made = made if made.returncode else run("cmake", "--build",
                                            folder + "/build")
    check("the project of docs/library.md builds", made.returncode == 0,
          made.stdout + made.stderr)
    same("and runs", run(f"{folder}/build/check").stdout, "42\n")


def check_refused(place, with_run):
    version = place.flags("--modversion", "surety").stdout.strip()
    major, minor, _ = version.split(".")
    for words, found in ((version, True), (f"{version} EXACT", True),
                         (f"{major}.{minor}", True),
                         (f"{major}.{int(minor) + 1}", False),
                         (f"{int(major) + 1}", False),
                         ("COMPONENTS nobody", False),
                         ("COMPONENTS run", with_run),
                         ("COMPONENTS render serve", with_run),
                         ("COMPONENTS contracts",
                          bool(place.find("libsurety-contracts.a"))),
                         ("OPTIONAL_COMPONENTS nobody", True)):
        name = "refused-" + "".join(c if c.isalnum() else "-" for c in words)
        made, _ = configure(place, name, HEAD +
                            f"find_package(surety {words} REQUIRED)\n")
        check(f"find_package(surety {words}) "
              + ("is satisfied" if found else "is refused"),
              (made.returncode == 0) == found, made.stdout + made.stderr)


def check_ranges(place):
    """In one project, for each is asked anew."""
    said = run("cmake", "--version").stdout.split()[2].split(".")
    if (int(said[0]), int(said[1])) < (3, 19):
        skip("ranges of versions", "CMake is older than 3.19")
        return
    version = place.flags("--modversion", "surety").stdout.strip()
    major, minor, patch = map(int, version.split("."))
    after = f"{major}.{minor}.{patch + 1}"
    ranges = {f"{version}...{version}": True, f"{version}...{after}": True,
              f"0.0...{major + 1}": True, f"{version}...<{after}": True,
              f"0.0...{version}": True, f"0.0...<{version}": False,
              f"{after}...{major + 1}": False,
              f"{major + 1}...{major + 2}": False}
    text = "cmake_minimum_required(VERSION 3.19)\nproject(ranges C)\n"
    for one in ranges:
        text += (f"find_package(surety {one} QUIET)\n"
                 f"message(STATUS \"[{one}] ${{surety_FOUND}}\")\n"
                 "unset(surety_DIR CACHE)\n")
    made, _ = configure(place, "ranges", text)
    same("ranges of versions", [line[3:] for line in made.stdout.splitlines()
                                if line.startswith("-- [")],
         [f"[{one}] {int(found)}"
          for one, found in ranges.items()])


def main():
    # A folder with a space in its name, as some have.
    place, said = install(BUILD, PREFIX, "installed for cmake")
    if not check("meson install --destdir", not said, said):
        finish()
    # It is not at its prefix: only what the files say relative to themselves
    # can be right.
    with_run = bool(place.find("libsurety-run.so"))
    check_targets(place, with_run)
    check_document(place)
    check_refused(place, with_run)
    check_ranges(place)
    finish()


main()
