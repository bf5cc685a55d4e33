#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes letters.inc: letters without case and without accents, from Python's
own copy of the Unicode character database.

    gen_letters.py OUTPUT

LETTER_CASE(first, last, step, delta): every step-th code point from first to
last is a capital, and the small letter is delta further on (simple case
folding). LETTER_BASE(first, last, base): small letters that are base with
marks (canonical decomposition). Latin, Greek, Cyrillic and whatever else has
case below U+2000, ASCII left out.
"""
import sys
import unicodedata

CODES = range(0x80, 0x2000)


def folded(code):
    """The code point without case; itself where it has none or several."""
    for text in (chr(code).casefold(), chr(code).lower()):
        if len(text) == 1:
            return ord(text)
    return code


def case_rows():
    pairs = [(code, folded(code) - code) for code in CODES
             if folded(code) != code]
    at = 0
    while at < len(pairs):
        best, length = None, 0
        for step in (1, 2):
            end = at
            while end + 1 < len(pairs) and pairs[end + 1] == \
                    (pairs[end][0] + step, pairs[at][1]):
                end += 1
            if end - at + 1 > length:
                best = (pairs[at][0], pairs[end][0], step, pairs[at][1])
                length = end - at + 1
        yield best
        at += length


def base_rows():
    row = None
    for code in CODES:
        text = unicodedata.normalize("NFD", chr(code))
        if folded(code) != code or len(text) < 2 or \
                unicodedata.combining(text[0]) or \
                not all(unicodedata.combining(mark) for mark in text[1:]):
            continue
        if row and row[1] + 1 == code and row[2] == ord(text[0]):
            row[1] = code
            continue
        if row:
            yield tuple(row)
        row = [code, code, ord(text[0])]
    yield tuple(row)


def main():
    lines = ["/* Written by tools/gen_letters.py from Unicode %s. */"
             % unicodedata.unidata_version]
    lines += ["LETTER_CASE(0x%04X, 0x%04X, %d, %d)" % row
              for row in case_rows()]
    lines += ["LETTER_BASE(0x%04X, 0x%04X, 0x%04X)" % row
              for row in base_rows()]
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
