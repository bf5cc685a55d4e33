/* SPDX-License-Identifier: Apache-2.0 */
/* frequent.h: finds the most frequent of very many texts. */
#ifndef CLI_FREQUENT_H
#define CLI_FREQUENT_H

#include <surety/base.h>

/* Number of different texts with a counter of their own; all others share
 * one. */
enum { FREQUENT_MAX = 1024, FREQUENT_SLOTS = 4 * FREQUENT_MAX };

struct frequent {
    struct frequent_row {
        char *text;
        size_t len;
        uint64_t count;
    } rows[FREQUENT_MAX]; /* in the order of their first occurrence */
    size_t count;
    uint64_t others;
    uint16_t slots[FREQUENT_SLOTS]; /* 1 + index of the row; 0: free */
};

/* The caller frees it. NULL: out of memory. */
struct frequent *frequent_new(void);
void frequent_free(struct frequent *frequent); /* takes NULL */
/* Counts a text. It is copied. */
void frequent_add(struct frequent *frequent, surety_str text);
/* Appends a line for each of the `most` most frequent texts, made safe for a
 * terminal; texts with the same count in the order of their first
 * occurrence. */
void frequent_write(const struct frequent *frequent, size_t most,
                    surety_buf *out);

#endif
