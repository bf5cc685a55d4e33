/* SPDX-License-Identifier: Apache-2.0 */
/* choices.h: input that is no text but a series of choices: each byte picks the
 * next part of what is made, so that nearly every input is a real question. */
#ifndef SURETY_TESTS_FUZZ_CHOICES_H
#define SURETY_TESTS_FUZZ_CHOICES_H

#include <surety/json.h>

#include <stdint.h>

struct choices {
    const uint8_t *data;
    size_t left;
    unsigned flags; /* of what is made */
};

/* What values are made of: JSON texts, the names quoted. */
struct choices_words {
    const char *const *names, *const *scalars;
    unsigned name_count, scalar_count;
    unsigned items_max;
};

/* From 0 to count - 1; where the input has ended: 0. */
static inline unsigned choose(struct choices *choices, unsigned count)
{
    if (!choices->left)
        return 0;
    choices->left--;
    return *choices->data++ % count;
}

#define PICK(choices, list)                                                    \
    (list)[choose((choices), sizeof(list) / sizeof(*(list)))]

/* Writes a value, in which containers nest as deep as depth. */
static inline void choose_value(struct choices *choices,
                                const struct choices_words *words,
                                unsigned depth, surety_buf *out)
{
    unsigned kind = depth ? choose(choices, 4) : 0;
    unsigned count = kind > 1 ? choose(choices, words->items_max + 1) : 0;

    if (kind < 2) {
        surety_buf_text(out,
                        words->scalars[choose(choices, words->scalar_count)]);
        return;
    }
    surety_buf_byte(out, kind == 2 ? '[' : '{');
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        if (kind == 3) {
            surety_buf_text(out,
                            words->names[choose(choices, words->name_count)]);
            surety_buf_byte(out, ':');
        }
        choose_value(choices, words, depth - 1, out);
    }
    surety_buf_byte(out, kind == 2 ? ']' : '}');
}

#endif
