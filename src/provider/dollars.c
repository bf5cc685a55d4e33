/* SPDX-License-Identifier: Apache-2.0 */
/* Writes picodollars as dollars: exactly, or rounded for people. All
 * arithmetic is on integers, so every amount is exact. */
#include <surety/provider.h>

#include "base/base.h"

enum { DOLLARS_DECIMALS = 12 };

/* Writes an amount in units of 10^-decimals dollars. */
static void dollars_put(surety_buf *out, uint64_t units, unsigned decimals)
{
    char digits[DOLLARS_DECIMALS];

    for (unsigned i = decimals; i > 0; units /= 10)
        digits[--i] = (char)('0' + units % 10);
    surety_buf_number(out, units);
    if (!decimals)
        return;
    surety_buf_byte(out, '.');
    surety_buf_append(out, digits, decimals);
}

/* The amount in units of 10^-decimals dollars; half a unit is rounded up. */
static uint64_t dollars_units(uint64_t picousd, unsigned decimals)
{
    uint64_t unit = 1;

    assert(decimals <= DOLLARS_DECIMALS);
    for (unsigned i = decimals; i < DOLLARS_DECIMALS; i++)
        unit *= 10;
    return picousd / unit + (picousd % unit * 2 >= unit);
}

static void dollars_rounded(uint64_t picousd, surety_buf *out)
{
    unsigned decimals = 4;

    /* The rounded amount decides: 999.999 is shown as 1000. */
    if (!picousd || dollars_units(picousd, 2) >= 100000)
        decimals = 0;
    else if (dollars_units(picousd, 4) >= 10000)
        decimals = 2;
    else
        while (decimals < DOLLARS_DECIMALS &&
               dollars_units(picousd, decimals + 1) < 100)
            decimals++;
    dollars_put(out, dollars_units(picousd, decimals), decimals);
}

void surety_dollars_write(uint64_t picousd, bool rounded, surety_buf *out)
{
    unsigned decimals = DOLLARS_DECIMALS;

    if (rounded) {
        dollars_rounded(picousd, out);
        return;
    }
    for (; decimals > 2 && picousd % 10 == 0; decimals--)
        picousd /= 10;
    dollars_put(out, picousd, decimals);
}
