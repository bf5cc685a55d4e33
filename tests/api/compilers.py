# SPDX-License-Identifier: Apache-2.0
"""The compilers on this machine, for the tests of this folder. ASan's runtime
must be linked where the library has it, so FLAGS holds what the build has."""

import os
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


def compile_text(program, language, arguments, text, **more):
    """Compiles the text from stdin; the finished process."""
    return subprocess.run([program, "-x", language, "-", *arguments],
                          input=text, capture_output=True, text=True,
                          check=False, timeout=300, **more)


def sanitize_flags():
    """-fsanitize=... as this build has it, from SURETY_SANITIZE."""
    value = os.environ.get("SURETY_SANITIZE", "none")
    return [] if value in ("none", "") else [f"-fsanitize={value}"]
