#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs what package.json names (peers and documents) into a folder, once:

    install.py FOLDER

Nothing in it is run or built. Fails with a sentence where npm cannot do it; the
bench then goes on without."""

import filecmp
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main(folder):
    wanted = os.path.join(HERE, "package.json")
    have = os.path.join(folder, "package.json")
    done = os.path.join(folder, "node_modules", ".package-lock.json")
    if os.path.exists(done) and filecmp.cmp(wanted, have, shallow=False):
        return
    if not shutil.which("npm"):
        sys.exit("bench: npm is not installed, so its peers are missing")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(wanted, have)
    print("bench: installing the peers from npm, once", file=sys.stderr)
    try:
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts",
             "--legacy-peer-deps", "--loglevel=error"],
            cwd=folder, timeout=300, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        os.remove(have)
        sys.exit("bench: npm could not install the peers (is there a network?)")


main(sys.argv[1])
