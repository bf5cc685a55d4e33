#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes powers.inc, the table behind surety__number_real.

    gen_powers.py OUTPUT

For every q there stands 5^q as a 128-bit number with its top bit set, high word
first, so that 5^q = entry * 2^k for some k. What does not fit is cut off, but
for the reciprocals of powers that a 64-bit word holds (-27 <= q < 0): these are
rounded up, so that products that are whole come out whole (Lemire 2021)."""

import sys

FIRST, LAST = -342, 308


def power_of_five(q):
    if q >= 0:
        power = 5**q
        bits = power.bit_length()
        return power << 128 - bits if bits <= 128 else power >> bits - 128
    power = 5**-q
    bits = power.bit_length() + 127
    return (1 << bits) // power + (q >= -27)


def main():
    lines = [
        "/* Written by tools/gen_powers.py: powers of five, 128 bits each. */",
        "enum { REAL_POWER_FIRST = %d, REAL_POWER_LAST = %d };" % (FIRST, LAST),
        "static const uint64_t real_powers[][2] = {",
    ]
    for q in range(FIRST, LAST + 1):
        power = power_of_five(q)
        lines.append("    {0x%016Xu, 0x%016Xu}," % (power >> 64,
                                                   power & (1 << 64) - 1))
    lines += ["};", ""]
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("\n".join(lines))


if __name__ == "__main__":
    main()
