/* SPDX-License-Identifier: Apache-2.0 */
/* frequent.h: which texts come most often, of very many. */
#ifndef CLI_FREQUENT_H
#define CLI_FREQUENT_H

#include <surety/base.h>

/* Different texts that are counted apart; any others are counted together. */
enum { FREQUENT_MAX = 1024, FREQUENT_SLOTS = 4 * FREQUENT_MAX };

struct frequent {
    struct frequent_row {
        char *text;
        size_t len;
        uint64_t count;
    } rows[FREQUENT_MAX]; /* in the order of their first coming */
    size_t count;
    uint64_t others;
    uint16_t slots[FREQUENT_SLOTS]; /* 1 + the row's number; 0: free */
};

/* NULL: out of memory. */
struct frequent *frequent_new(void);
void frequent_free(struct frequent *frequent); /* takes NULL */
/* Counts a text, which is copied. */
void frequent_add(struct frequent *frequent, surety_str text);
/* Appends a line for each of the `most` texts that came most often, the first
 * come first among equals, fit for a terminal. */
void frequent_write(const struct frequent *frequent, size_t most,
                    surety_buf *out);

#endif
