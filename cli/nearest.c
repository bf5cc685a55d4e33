/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the nearest word by edit distance, where two exchanged neighbours are
 * one change (optimal string alignment). Words are short enough for three rows
 * of the table on the stack. */
#include "nearest.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 48 };

void nearest_init(struct nearest *nearest, surety_str word)
{
    nearest->word = word;
    nearest->best = (surety_str){NULL, 0};
    /* Changes in a third of the letters are allowed, and one in the shortest
     * words. */
    nearest->distance = (unsigned)(word.len + 2) / 3 + 1;
    if (nearest->distance > 4)
        nearest->distance = 4;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned word_distance(surety_str a, surety_str b)
{
    unsigned rows[3][WORD_MAX + 1];

    if (a.len > WORD_MAX || b.len > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a.len; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3];
        const unsigned *above2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            const unsigned change = a.ptr[i - 1] != b.ptr[j - 1];
            row[j] =
                least(above[j - 1] + change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
                a.ptr[i - 2] == b.ptr[j - 1])
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[a.len % 3][b.len];
}

void nearest_try(struct nearest *nearest, surety_str candidate)
{
    const surety_str word = nearest->word;
    unsigned distance = word_distance(word, candidate);

    if (word.len >= 3 && word.len < candidate.len &&
        memcmp(word.ptr, candidate.ptr, word.len) == 0)
        distance = least(distance, 1);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = candidate;
    }
}

const char *nearest_hint(const struct nearest *nearest, const char *prefix,
                         char *hint, size_t size)
{
    assert(size > 0);
    if (nearest->best.len == 0)
        return NULL;
    snprintf(hint, size, "did you mean \"%s%.*s\"?", prefix,
             (int)nearest->best.len, nearest->best.ptr);
    return hint;
}
