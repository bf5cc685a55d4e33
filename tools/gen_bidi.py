#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bidi.inc: the bidirectional classes that RFC 5893 tells apart, from
Python's own copy of the Unicode character database.

    gen_bidi.py OUTPUT

Only what can stand in a label of a host name is listed: letters, marks,
decimal digits, and the exceptions of RFC 5892, section 2.6. The rest, and
whatever is left to right, is in no row.
"""
import sys
import unicodedata

# ORDER bidi (src/schema/format.h).
CLASSES = {
    "R": "BIDI_R", "AL": "BIDI_R", "EN": "BIDI_EN", "AN": "BIDI_AN",
    "NSM": "BIDI_NSM", "ES": "BIDI_NEUTRAL", "CS": "BIDI_NEUTRAL",
    "ET": "BIDI_NEUTRAL", "ON": "BIDI_NEUTRAL", "BN": "BIDI_NEUTRAL",
}
CATEGORIES = {"Ll", "Lu", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd"}
EXCEPTIONS = {0x2D, 0xB7, 0x375, 0x5F3, 0x5F4, 0x6FD, 0x6FE, 0xF0B, 0x200C,
              0x200D, 0x3007, 0x30FB}


def ranges():
    """Runs of one class, [first, last, class]. A code point that cannot stand
    in a label breaks none."""
    found = []
    for code in range(0x110000):
        char = chr(code)
        if code not in EXCEPTIONS and \
                unicodedata.category(char) not in CATEGORIES:
            continue
        bidi = unicodedata.bidirectional(char)
        name = None if bidi == "L" else CLASSES.get(bidi, "BIDI_OTHER")
        if found and found[-1][2] == name:
            found[-1][1] = code
        else:
            found.append([code, code, name])
    return [row for row in found if row[2]]


def main():
    lines = ["/* Written by tools/gen_bidi.py from Unicode %s. */"
             % unicodedata.unidata_version]
    lines += ["{0x%04X, 0x%04X, %s}," % row for row in map(tuple, ranges())]
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
