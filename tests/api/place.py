# SPDX-License-Identifier: Apache-2.0
"""An installation in a folder of the build, and programs made with it."""

import os
import re
import shlex
import shutil
import subprocess

from compilers import sanitize_flags

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..")


def run(*command, **more):
    more.setdefault("timeout", 600)
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, **more)


def code_of(document, first):
    """The fenced block of a document of docs/ whose text begins so."""
    with open(os.path.join(SOURCE, "docs", document),
              encoding="utf-8") as file:
        for block in re.findall(r"^```\w+\n(.*?)^```$", file.read(),
                                re.DOTALL | re.MULTILINE):
            if block.startswith(first):
                return block
    raise ValueError(f"docs/{document} has no block that begins with {first}")


class Place:
    """What `meson install` put below a folder."""

    def __init__(self, root, prefix):
        self.root = root
        self.prefix = os.path.join(root, prefix.lstrip("/"))
        self.libdir = self.find("libsurety.so")
        self.config = self.find("surety.pc")
        self.env = {**os.environ, "PKG_CONFIG_PATH": self.config or "",
                    "LD_LIBRARY_PATH": self.libdir or ""}
        if not self.movable():
            self.env["PKG_CONFIG_SYSROOT_DIR"] = root

    def find(self, name):
        """The folder below the root that holds the file."""
        for folder, _, files in os.walk(self.root):
            if name in files:
                return folder
        return None

    def movable(self):
        """Whether surety.pc says where it stands by itself."""
        if not self.config:
            return False
        with open(os.path.join(self.config, "surety.pc"),
                  encoding="utf-8") as file:
            return "pcfiledir" in file.read()

    def flags(self, *words):
        return run("pkg-config", *words, env=self.env)

    def words(self, *words):
        """What pkg-config says as a shell reads it."""
        return shlex.split(self.flags(*words).stdout)

    def compile(self, compiler, source, target, flags):
        """Builds a program; the finished process of the compiler."""
        return run(*compiler, source, "-x", "none", "-o", target, *flags,
                   *sanitize_flags(), env=self.env)


def install(build, prefix, name):
    """The Place, and what went wrong (empty: nothing)."""
    root = os.path.join(build, name)
    shutil.rmtree(root, ignore_errors=True)
    made = run("meson", "install", "-C", build, "--no-rebuild", "--quiet",
               "--destdir", root)
    said = made.stdout + made.stderr if made.returncode else ""
    return Place(root, prefix), said
