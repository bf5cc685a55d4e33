/* SPDX-License-Identifier: Apache-2.0 */
/* Counts texts in a table of fixed size. A log of millions of records has few
 * kinds of errors; if it has many, the frequent ones are probably among the
 * first. */
#include "frequent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct frequent *frequent_new(void)
{
    return calloc(1, sizeof(struct frequent));
}

void frequent_free(struct frequent *frequent)
{
    for (size_t i = 0; frequent && i < frequent->count; i++)
        free(frequent->rows[i].text);
    free(frequent);
}

/* Hash: FNV-1a. */
static size_t slot_of(surety_str text)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * 16777619u;
    return (hash ^ hash >> 15) % FREQUENT_SLOTS;
}

void frequent_add(struct frequent *frequent, surety_str text)
{
    size_t slot = slot_of(text);
    struct frequent_row *row;

    assert(frequent->count <= FREQUENT_MAX);
    for (; frequent->slots[slot]; slot = (slot + 1) % FREQUENT_SLOTS) {
        row = &frequent->rows[frequent->slots[slot] - 1];
        if (row->len == text.len &&
            memcmp(row->text, text.ptr, text.len) == 0) {
            row->count++;
            return;
        }
    }
    row = &frequent->rows[frequent->count];
    if (frequent->count == FREQUENT_MAX ||
        !(row->text = malloc(text.len + 1))) {
        frequent->others++;
        return;
    }
    memcpy(row->text, text.ptr, text.len);
    row->len = text.len;
    row->count = 1;
    frequent->slots[slot] = (uint16_t)++frequent->count;
}

void frequent_write(const struct frequent *frequent, size_t most,
                    surety_buf *out)
{
    uint64_t below = UINT64_MAX; /* count of the last row that was written */
    size_t from = 0;             /* rows with that count and a lower index are
                                  * written */
    size_t written = 0;

    while (written < most) {
        const struct frequent_row *best = NULL;

        for (size_t i = 0; i < frequent->count; i++) {
            const struct frequent_row *row = &frequent->rows[i];

            if ((row->count < below || (row->count == below && i >= from)) &&
                (!best || row->count > best->count))
                best = row;
        }
        if (!best)
            break;
        below = best->count;
        from = (size_t)(best - frequent->rows) + 1;
        written++;
        put_format(out, "%10llu  ", (unsigned long long)best->count);
        put_safe_line(out, "", (surety_str){best->text, best->len});
    }
    if (frequent->others > 0)
        put_format(out,
                   "%10llu  of further kinds, which are not counted apart\n",
                   (unsigned long long)frequent->others);
}
