#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages of the C interface, made from the headers and their
comments: a page a header, and one for each function that leads there.

    man3.py --package P --version V --output FOLDER [--links FILE] HEADER...

FILE lists names of functions, one a line; a name that no header declares gets
an empty page and is told, so that the build goes on until the list is mended.
"""

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from headers import read_header  # noqa: E402

BRIEF_MAX = 72


def roff(text, code=False):
    """The text as troff reads it."""
    text = text.replace("\\", "\\e")
    for plain, name in (("~", "\\(ti"), ("^", "\\(ha"), ("`", "\\(ga")):
        text = text.replace(plain, name)
    if code:
        text = text.replace("-", "\\-").replace("'", "\\(aq")
        text = text.replace('"', "\\(dq")
    text = re.sub(r"[^\x00-\x7f]", lambda m: f"\\[u{ord(m[0]):04X}]", text)
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def display(text, indent=0):
    """Lines that stay as they are."""
    lines = [roff(line.rstrip(), True) for line in text.split("\n")]
    # An empty line would be filled by some and warned of by others.
    lines = [line or ".sp" for line in lines]
    shown = [".nf", ".ft CR", *lines, ".ft", ".fi"]
    return [f".RS {indent}", *shown, ".RE"] if indent else shown


def prose(comment):
    """The paragraphs of a comment; lines that are indented are a display."""
    out = []
    for block in re.split(r"\n\s*\n", comment.strip("\n")):
        for part in re.split(r"((?:^ {3,}.*(?:\n|$))+)", block,
                             flags=re.MULTILINE):
            if not part.strip():
                continue
            out.append(".PP")
            if re.match(r" {3}", part):
                lines = part.rstrip("\n").split("\n")
                cut = min(len(line) - len(line.lstrip()) for line in lines)
                out += display("\n".join(line[cut:] for line in lines), 4)
            else:
                out += [roff(line.strip())
                        for line in part.strip().split("\n")]
    return out


def dedent(source):
    """A declaration without what only the compiler wants."""
    first, *rest = source.replace("SURETY_API ", "").split("\n")
    if source.startswith("SURETY_API ") and rest:
        # It was aligned behind its parenthesis, or not at all.
        cut = len("SURETY_API ")
        rest = [line[cut:] if line.startswith(" " * (cut + 8)) else line
                for line in rest]
    return "\n".join([first, *rest])


def brief_of(header):
    text = header.brief
    if len(text) > BRIEF_MAX:
        text = re.split(r"[:;(] ?", text)[0].strip()
    return text


def name_of(header):
    """surety_json of surety/json.h."""
    return header.name.replace("/", "_").removesuffix(".h")


def page(header, others, version, package):
    """The text of a header's page; package: pkg-config's name of it."""
    name = name_of(header)
    build = roff(f"cc program.c $(pkg-config --cflags --libs {package})", True)
    out = ['.\\" Made by tools/man3.py from include/' + header.name,
           f'.TH {name.upper()} 3 "" "surety {version}" "Surety Library"',
           ".SH NAME", f"{name} \\- {roff(brief_of(header))}",
           ".SH SYNOPSIS", ".nf", f"#include <{header.name}>", ".fi", ".PP",
           build]
    functions = [item for group in header.groups for item in group.items
                 if item.kind == "function"]
    if functions:
        out += [".PP", *display("\n".join(dedent(item.source).split("/*")[0]
                                          .rstrip() for item in functions))]
    theory = re.sub(r"^(?:surety/)?[\w-]+\.h: *", "", header.theory)
    out += [".SH DESCRIPTION", *prose(theory[:1].upper() + theory[1:])[1:]]
    section = None
    for group in header.groups:
        if group.section != section:
            section = group.section
            out.append('.SH "' + roff(section.upper()) + '"')
        if not out[-1].startswith(".SH"):
            out.append(".PP")
        out += display("\n".join(dedent(item.source)
                                  for item in group.items))
        if group.comment:
            out += [".RS 4", *prose(group.comment)[1:], ".RE"]
    rest = sorted(f"\\fB{other}\\fR(3)" for other in others if other != name)
    out += [".SH \"SEE ALSO\"", ",\n".join(["\\fBsurety\\fR(1)", *rest])]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--links")
    parser.add_argument("headers", nargs="+")
    options = parser.parse_args()

    headers = []
    for path in options.headers:
        with open(path, encoding="utf-8") as file:
            headers.append(read_header(
                file.read(), "surety/" + os.path.basename(path)))
    names = [name_of(header) for header in headers]
    pages, home = {}, {}
    for header in headers:
        pages[name_of(header)] = page(header, names, options.version,
                                     options.package)
        for group in header.groups:
            home.update((item.name, name_of(header)) for item in group.items
                        if item.kind == "function")
    if options.links:
        with open(options.links, encoding="ascii") as file:
            for name in file.read().split():
                if name not in home:
                    print(f"man3.py: {options.links} has {name}, which no "
                          "header declares (make symbols)", file=sys.stderr)
                    pages[name] = ""
                elif name not in pages:
                    pages[name] = f".so man3/{home[name]}.3\n"
    for name, text in pages.items():
        path = os.path.join(options.output, name + ".3")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)


if __name__ == "__main__":
    main()
