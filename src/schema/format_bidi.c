/* SPDX-License-Identifier: Apache-2.0 */
/* The bidirectional classes of what a label may hold (RFC 5893, section 2):
 * ranges of code points made by tools/gen_bidi.py, what is left to right left
 * out. */
#include "schema/format.h"

static const struct {
    uint32_t first, last;
    uint8_t class;
} bidi_rows[] = {
#include "bidi.inc"
};

surety__bidi surety__bidi_class(uint32_t code)
{
    size_t low = 0;
    size_t high = sizeof(bidi_rows) / sizeof(*bidi_rows);

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (code > bidi_rows[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == sizeof(bidi_rows) / sizeof(*bidi_rows) ||
        code < bidi_rows[low].first)
        return BIDI_L;
    return (surety__bidi)bidi_rows[low].class;
}
