# SPDX-License-Identifier: Apache-2.0
"""What the public headers declare, in their order and with their comments; for
the manual pages (man3.py) and the test of the ABI. It knows C as clang-format
leaves our headers, and says where it meets something else."""

import re
from collections import namedtuple

# kind: "function", "struct", "enum", "opaque", "alias" or "define".
Item = namedtuple("Item", "kind name source")
# Items that stand together, below one comment (may be empty).
Group = namedtuple("Group", "section comment items")
Header = namedtuple("Header", "name brief theory groups")
Member = namedtuple("Member", "name type")

PIECE = re.compile(r"[ \t]*(/\*.*?\*/)|[ \t]*(#(?:\\\n|[^\n])*)|([ \t]*\n)|"
                   r"[ \t]*([^\s#/][^;{}]*(?:\{.*?\n\}[^;]*)?;)", re.DOTALL)
TRAILING = re.compile(r"[ \t]*/\*.*?\*/", re.DOTALL)
# What is of the compiler and not of the interface.
HIDDEN = re.compile(r"^#if(?:def __cplusplus| defined\(SURETY_BUILD).*?^#endif",
                    re.DOTALL | re.MULTILINE)


def uncomment(text):
    """The text of a comment, without its stars."""
    text = re.sub(r"^/\*+ ?|\s*\*/$", "", text)
    return re.sub(r"\n[ \t]*\* ?", "\n", text)


def blank(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def classify(source):
    """The item that a declaration is."""
    text = " ".join(blank(source).split())
    for kind, pattern in (
            ("function", r"SURETY_API\b.*?\b(surety_\w+) ?\("),
            ("struct", r"typedef struct (surety_\w+) ?\{"),
            ("enum", r"(?:typedef )?enum (surety_\w+) ?\{"),
            ("opaque", r"typedef struct (\w+) \1;"),
            ("alias", r"typedef .*?\b\(?\*?(surety_\w+)\)? ?(?:\(.*)?;")):
        match = re.match(pattern, text)
        if match:
            return Item(kind, match[1], source)
    return None


def read_items(text, name):
    """(section, comment, item, whether a blank line stood before it)"""
    section, comment, at, gap, depth = "", "", 0, True, 0
    while at < len(text):
        match = PIECE.match(text, at)
        if not match:
            line = text.count("\n", 0, at) + 1
            raise ValueError(f"{name}: line {line}: no declaration is known "
                             f"that begins with {text[at:at + 40]!r}")
        at = match.end()
        said, directive, empty, source = match.groups()
        if empty is not None:
            if gap:
                comment = ""
            gap = True
            continue
        if said:
            title = re.match(r"-{3,} (.*?) -+$", uncomment(said))
            section = title[1] if title else section
            comment = "" if title else uncomment(said)
        elif directive:
            depth += (directive.startswith("#if")
                      - directive.startswith("#endif"))
            match = re.match(r"#define (\w+) .*", directive)
            # One is the header's own guard; deeper is what depends on who
            # compiles.
            if match and depth < 2:
                yield (section, comment, Item("define", match[1], directive),
                       gap)
        else:
            match = TRAILING.match(text, at)
            if match and "\n" not in text[at:match.start(0)]:
                source += match[0]
                at = match.end()
            item = classify(source.strip())
            if not item:
                raise ValueError(f"{name}: no such declaration is known: "
                                 f"{source}")
            yield section, comment, item, gap
        gap = False
        newline = re.compile(r"[ \t]*\n").match(text, at)
        at = newline.end() if newline else at
        gap = bool(newline and re.compile(r"[ \t]*\n").match(text, at))


def read_header(text, name):
    """The Header of a file's text; name: "surety/json.h"."""
    match = re.match(r"(?:/\* SPDX.*?\*/\s*)(/\*.*?\*/)", text, re.DOTALL)
    theory = uncomment(match[1])
    brief = re.match(r"(?:surety/)?[\w-]+\.h: *(.*?)(?:\.(?:\s|$))",
                     theory.replace("\n", " "))
    if not brief:
        raise ValueError(f"{name}: its comment does not begin with NAME: what "
                         "it gives")
    body = HIDDEN.sub("", text[match.end():])
    groups, last = [], None
    for section, comment, item, gap in read_items(body, name):
        if item.kind == "define" and item.name.endswith("_H"):
            continue
        if last == (section, comment) and not gap and groups:
            groups[-1].items.append(item)
        else:
            said = comment if last != (section, comment) else ""
            groups.append(Group(section, said, [item]))
        last = section, comment
    return Header(name, brief[1], theory, groups)


def split_outer(text):
    """The parts of a list, split at its outer commas."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return parts + [text[start:].strip()]


def bare(text):
    """The type of a pointer to a function, without any names; None where the
    text declares something else."""
    match = re.match(r"(.*?) ?\(\*(?:\w+)?\) ?\((.*)\)$", text)
    return match and f"{match[1]} (*)({', '.join(parameter_types(match[2]))})"


def parameter_types(text):
    """The types of a parameter list."""
    types = []
    for one in split_outer(text):
        plain = re.match(r"(.*?[ *])\w+((?:\[\w*\])*)$", one)
        if bare(one):
            types.append(bare(one))
        elif plain:
            types.append(plain[1].strip() + (" *" if plain[2] else ""))
        else:
            types.append(one)  # void, ...
    return types


def signature(source):
    """(result, [parameter types]) of a function's declaration."""
    text = " ".join(blank(source).split())
    match = re.match(r"SURETY_API (.*?)\bsurety_\w+ ?\((.*)\);", text)
    return match[1].strip(), parameter_types(match[2])


def members(source):
    """The members of a struct's declaration, with a type each as C writes it
    for a cast: "char[256]", "void (*)(void *)"."""
    body = re.search(r"\{(.*)\}", blank(source), re.DOTALL)[1]
    for line in body.split(";"):
        line = " ".join(line.split())
        if not line:
            continue
        pointer = re.match(r".*?\(\*(\w+)\)\(.*\)$", line)
        if pointer:
            yield Member(pointer[1], bare(line))
            continue
        base, names = re.match(r"((?:const )?(?:volatile )?(?:struct |enum )?"
                               r"\w+) ?(.*)", line).groups()
        for one in names.split(","):
            match = re.match(r"([ *]*(?:const\b)?[ *]*)(\w+) ?"
                             r"((?:\[[^\]]+\])*)$", one.strip())
            if not match:
                raise ValueError(f"no member is known that reads {line!r}")
            stars, word, size = match.groups()
            yield Member(word, " ".join(f"{base} {stars}".split()) + size)


def constants(source):
    """The names of an enum's constants."""
    body = re.search(r"\{(.*)\}", blank(source), re.DOTALL)[1]
    return re.findall(r"\b(SURETY_\w+)\b(?=\s*(?:=|,|$))",
                      re.sub(r"\s+", " ", body).strip())
