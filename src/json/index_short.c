/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel for short texts: byte by byte, with no mask to set up. The bytes
 * go through an automaton without a branch: the next state is a field of the
 * row of the byte's class, and the state is the place of that field. So a byte
 * costs one shift after the one before (P. Vognsen, "Shift-based DFAs", 2020).
 * A byte that is rare in a short text (a backslash, a byte above 0x7F, a
 * control character that is no white space) and an open string go to the best
 * kernel, from the start. */
#include "json/index.h"

/* The states: places of fields of six bits. A token's byte leads to one of the
 * three in which SHORT_TOKEN is set. */
enum {
    SHORT_OUTSIDE = 0, /* after white space */
    SHORT_SIGN = 6,    /* after a structural character or a closing quote */
    SHORT_SCALAR = 12, /* in a number or name */
    SHORT_FIRST = 18,  /* after its first byte */
    SHORT_STRING = 24, /* in a string */
    SHORT_QUOTE = 30,  /* after its opening quote */
    SHORT_RARE = 36,   /* left to another kernel */
    SHORT_TOKEN = 2
};

/* The classes of bytes, as the table below has them. */
enum {
    R, /* rare */
    W, /* tab, LF, CR: rare in strings */
    B, /* the space */
    S, /* a structural character */
    Q, /* the quote */
    O  /* every other */
};

/* The row of a class: the states that follow outside, in a scalar and in a
 * string. */
#define SHORT_ROW(outside, scalar, string)                                     \
    ((uint64_t)(outside) << SHORT_OUTSIDE |                                    \
     (uint64_t)(outside) << SHORT_SIGN | (uint64_t)(scalar) << SHORT_SCALAR |  \
     (uint64_t)(scalar) << SHORT_FIRST | (uint64_t)(string) << SHORT_STRING |  \
     (uint64_t)(string) << SHORT_QUOTE | (uint64_t)SHORT_RARE << SHORT_RARE)

static const uint64_t short_rows[] = {
    [R] = SHORT_ROW(SHORT_RARE, SHORT_RARE, SHORT_RARE),
    [W] = SHORT_ROW(SHORT_OUTSIDE, SHORT_OUTSIDE, SHORT_RARE),
    [B] = SHORT_ROW(SHORT_OUTSIDE, SHORT_OUTSIDE, SHORT_STRING),
    [S] = SHORT_ROW(SHORT_SIGN, SHORT_SIGN, SHORT_STRING),
    [Q] = SHORT_ROW(SHORT_QUOTE, SHORT_QUOTE, SHORT_SIGN),
    [O] = SHORT_ROW(SHORT_FIRST, SHORT_SCALAR, SHORT_STRING),
};

/* The classes of the bytes; those from 0x80 on are rare. */
static const unsigned char short_classes[256] = {
    R, R, R, R, R, R, R, R, R, W, W, R, R, W, R, R, /* 0x00 */
    R, R, R, R, R, R, R, R, R, R, R, R, R, R, R, R, /* 0x10 */
    B, O, Q, O, O, O, O, O, O, O, O, O, S, O, O, O, /* 0x20:  !"#$%&'()*+,-./ */
    O, O, O, O, O, O, O, O, O, O, S, O, O, O, O, O, /* 0x30: 0123456789:;<=>? */
    O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, /* 0x40: @ABCDEFGHIJKLMNO */
    O, O, O, O, O, O, O, O, O, O, O, S, R, S, O, O, /* 0x50: PQRSTUVWXYZ[\]^_ */
    O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O, /* 0x60: `abcdefghijklmno */
    O, O, O, O, O, O, O, O, O, O, O, S, O, S, O, O, /* 0x70: pqrstuvwxyz{|}~ */
};

uint32_t *surety__kernel_short(struct surety__scan *scan, uint32_t *out)
{
    uint64_t state = SHORT_OUTSIDE;
    uint32_t *end = out;

    if (scan->len > INDEX_SHORT)
        return surety__kernel_best()->run(scan, out);
    for (uint32_t i = 0; i < scan->len; i++) {
        const unsigned char byte = (unsigned char)scan->text[i];

        state = short_rows[short_classes[byte]] >> (state & 63u);
        *end = i;
        end += (state & SHORT_TOKEN) != 0;
    }
    state &= 63u;
    if (state >= SHORT_STRING)
        return surety__kernel_best()->run(scan, out);
    scan->next = scan->len;
    scan->marked = 0;
    return end;
}
