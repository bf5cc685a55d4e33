# SPDX-License-Identifier: Apache-2.0
"""The compilers on this machine, for the tests of this folder. A sanitizer's
runtime must be linked where the library has it: sanitize_flags()."""

import os
import shlex
import shutil
import subprocess

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
            "-Werror"]
STANDARDS = [(program, language, standard)
             for program, language, standard in (
                 ("gcc", "c", "c99"), ("gcc", "c", "c17"),
                 ("g++", "c++", "c++11"), ("clang", "c", "c99"),
                 ("clang", "c", "c17"), ("clang++", "c++", "c++11"))
             if shutil.which(program)]

# The library was built with it: what two compilers' sanitizers have does not
# mix. The other's C++ comes with it.
CC = shlex.split(os.environ.get("CC", "cc"))
CXX = [{"gcc": "g++", "clang": "clang++"}.get(os.path.basename(CC[-1]), "c++")]


def compile_text(program, language, arguments, text, **more):
    """Compiles the text from stdin; the finished process."""
    return subprocess.run([program, "-x", language, "-", *arguments],
                          input=text, capture_output=True, text=True,
                          check=False, timeout=300, **more)


def may_link(program):
    """Whether what this compiler makes links with the library."""
    return not sanitize_flags() or ("clang" in program) == ("clang" in CC[-1])


def sanitize_flags():
    """-fsanitize=... as this build has it, from SURETY_SANITIZE."""
    value = os.environ.get("SURETY_SANITIZE", "none")
    return [] if value in ("none", "") else [f"-fsanitize={value}"]
