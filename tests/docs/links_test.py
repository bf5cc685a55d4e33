#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links in the documents lead somewhere: links_test.py ROOT. Each link to a
file of the project finds it, and its "#heading", as GitHub names headings; and
each page of docs/ is listed in docs/README.md. What a page calls surety_name is
in the public headers."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import check, finish  # noqa: E402

ROOT = os.path.abspath(sys.argv[1])
FENCED = re.compile(r"^(`{3,})[^`\n]*\n.*?^\1$", re.S | re.M)
# What Meson calls the dependencies of a subproject is no name of C.
NAME = re.compile(r"\bsurety_[a-z][a-z_0-9]*[a-z0-9]\b(?<!_dep)")
METRIC = re.compile(r'\{\s*"(surety_[a-z_]+)",\s*"')
LINK = re.compile(r"\]\(([^)\s]+)\)")


def pages():
    """Every Markdown file of the project, built folders left out."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(
            (".", "build", "node_modules"))]
        yield from (os.path.join(folder, name) for name in names
                    if name.endswith(".md"))


def prose(path):
    """A page without its fenced blocks."""
    with open(path, encoding="utf-8") as file:
        return FENCED.sub("", file.read())


def anchors(path):
    """The names of its headings."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", prose(path), re.M):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.lower())
        found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


def broken(path, link):
    """Why a link leads nowhere; None: it does not."""
    target, _, anchor = link.partition("#")
    there = os.path.normpath(os.path.join(os.path.dirname(path), target)) \
        if target else path
    if not os.path.exists(there):
        return f"there is no {target}"
    if anchor and there.endswith(".md") and anchor not in anchors(there):
        return f"{os.path.relpath(there, ROOT)} has no heading #{anchor}"
    return None


def public():
    """The names of the public headers."""
    found = set()
    for folder, _, names in os.walk(os.path.join(ROOT, "include")):
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found.update(NAME.findall(file.read()))
    return found


def metrics():
    """The names of the gateway's own metrics."""
    folder, found = os.path.join(ROOT, "src", "gateway"), set()
    for name in os.listdir(folder):
        if not name.endswith(".c"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found.update(METRIC.findall(file.read()))
    return found


def main():
    count, known = 0, public() | metrics()
    for path in sorted(pages()):
        links = [link for link in LINK.findall(prose(path))
                 if not re.match(r"[a-z]+:", link)]
        faults = [f"{link}: {fault}" for link in links
                  if (fault := broken(path, link))]
        count += len(links)
        if links:
            check(f"{os.path.relpath(path, ROOT)}: its links lead somewhere",
                  not faults, "\n".join(faults))
        with open(path, encoding="utf-8") as file:
            names = set(NAME.findall(file.read()))
        # What is new may also be that a name has gone.
        if names and os.path.basename(path) != "CHANGES.md":
            check(f"{os.path.relpath(path, ROOT)}: its names "
                  "are in the headers or metrics",
                  names <= known, sorted(names - known))
    check("there are links", count > 100, count)
    index = prose(os.path.join(ROOT, "docs", "README.md"))
    for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
        if name.endswith(".md") and name != "README.md":
            check(f"docs/README.md lists {name}", f"]({name})" in index)
    finish()


main()
