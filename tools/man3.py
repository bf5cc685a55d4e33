#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages of the C interface, made from the headers and their
comments: a page of all, a page a header, and one for each function that leads
there.

    man3.py --package P --version V --output FOLDER [--links FILE]
            [--beside OTHER]... HEADER...

OTHER is a package whose page stands beside this one's. FILE lists names of
functions, one a line; a name that no header declares gets an empty page and is
told, so that the build goes on until the list is corrected.
"""

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from headers import read_header, uncomment  # noqa: E402

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


def parts_of(comment):
    """[kind, tag, lines]: "text"; "code", lines that are indented; "item" of a
    list, which begins with "- "; "tagged", which begins with a word and two
    spaces, all indented by two."""
    parts, open_part = [], False
    for line in comment.split("\n"):
        item = re.match(r"- (.*)", line)
        tagged = re.match(r"  (\w[\w-]*)  +(\S.*)", line)
        last = parts[-1][0] if open_part else None
        open_part = bool(line.strip())
        if item:
            parts.append(["item", "", [item[1]]])
        elif tagged and last != "code":
            parts.append(["tagged", tagged[1], [tagged[2]]])
        elif last in ("item", "tagged") and line.startswith("  "):
            parts[-1][2].append(line.strip())
        elif open_part:
            kind = "code" if line.startswith("   ") else "text"
            if kind != last:
                parts.append([kind, "", []])
            parts[-1][2].append(line)
    return parts


def prose(comment):
    """A comment without what it says to those who change the library."""
    out = []
    comment = re.sub(r"\s*\bORDER [a-z ]+(?:\([^)]*\))?\.", "", comment)
    for kind, tag, lines in parts_of(comment):
        if kind == "code":
            cut = min(len(line) - len(line.lstrip()) for line in lines)
            out += [".PP", *display("\n".join(line[cut:] for line in lines), 4)]
            continue
        out += {"text": [".PP"], "item": [".IP \\(bu 2"],
                "tagged": [".TP 10", "\\fB" + roff(tag) + "\\fR"]}[kind]
        out += [roff(line.strip()) for line in lines]
    # Behind a heading a paragraph begins by itself.
    return out[1:] if out[:1] == [".PP"] else out


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
        text = re.sub(r" \([^)]*\)", "", text)
    if len(text) > BRIEF_MAX:
        text = re.split(r"[:;(] ?", header.brief)[0].strip()
    return text


def name_of(header):
    """surety_json of surety/json.h."""
    return header.name.replace("/", "_").removesuffix(".h")


def page(header, others, version, package):
    """The text of a header's page; others: the names of those beside it;
    package: pkg-config's name of it."""
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
    out += [".SH DESCRIPTION", *prose(theory[:1].upper() + theory[1:])]
    section = None
    for group in header.groups:
        if group.section != section:
            section = group.section
            out.append('.SH "' + roff(section.upper()) + '"')
        if not out[-1].startswith(".SH"):
            out.append(".PP")
        out += display("\n".join(dedent(item.source)
                                  for item in group.items))
        said = prose(group.comment)
        if said:
            out += [".RS 4", *said, ".RE"]
    return "\n".join(out + see_also({package} | others - {name}))


def see_also(others):
    rest = [f"\\fB{other}\\fR(3)" for other in sorted(others)]
    return ['.SH "SEE ALSO"', ",\n".join(["\\fBsurety\\fR(1)", *rest]), ""]


def page_of_all(text, headers, options):
    """The text of the page that leads to the others, from the header that
    includes theirs."""
    package = options.package
    whole = re.match(r"(?:/\* SPDX.*?\*/\s*)(/\*.*?\*/)", text, re.DOTALL)
    theory = uncomment(whole[1]).split(": ", 1)[1]
    build = roff(f"cc program.c $(pkg-config --cflags --libs {package})", True)
    out = [f'.\\" Made by tools/man3.py from include/{package}.h',
           f'.TH {package.upper()} 3 "" "surety {options.version}" '
           '"Surety Library"', ".SH NAME", f"{roff(package, True)} \\- "
           + roff(re.split(r"[.,]", theory.replace("\n", " "))[0]),
           ".SH SYNOPSIS", ".nf", f"#include <{roff(package, True)}.h>", ".fi",
           ".PP", build, ".SH DESCRIPTION",
           *prose(theory[:1].upper() + theory[1:])]
    for header in sorted(headers, key=name_of):
        out += [".TP", f"\\fB{name_of(header)}\\fR(3)",
                roff(brief_of(header))]
    return "\n".join(out + see_also(options.beside))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--links")
    parser.add_argument("--beside", action="append", default=[])
    parser.add_argument("headers", nargs="+")
    options = parser.parse_args()

    headers, stands_on = [], {}
    for path in options.headers:
        text = read(path)
        headers.append(read_header(text, "surety/" + os.path.basename(path)))
        stands_on[headers[-1].name] = set(re.findall(
            r"^#include <surety/(\w+)\.h>", text, re.MULTILINE))
    names = {name_of(header) for header in headers}
    pages, home = {}, {}
    whole = read(os.path.join(os.path.dirname(options.headers[0]), "..",
                              options.package + ".h"))
    pages[options.package] = page_of_all(whole, headers, options)
    for header in headers:
        others = names | {f"surety_{one}" for one in
                          stands_on[header.name]}
        pages[name_of(header)] = page(header, others, options.version,
                                      options.package)
        for group in header.groups:
            home.update((item.name, name_of(header)) for item in group.items
                        if item.kind == "function")
    if options.links:
        for name in read(options.links).split():
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
