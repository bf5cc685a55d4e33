/* SPDX-License-Identifier: Apache-2.0 */
/* How every struct that begins with its size is tried: as a caller with an
 * older header gives it, with this one, and with a newer one. A table has a row
 * for each such struct; tests/api/options.py compares both tables with the
 * public headers. */
#ifndef SURETY_TESTS_OPTIONS_SIZE_H
#define SURETY_TESTS_OPTIONS_SIZE_H

#include "check.h"

#include <stddef.h>
#include <string.h>

struct options_row {
    const char *name;
    size_t size, last; /* of the struct; where its newest member stands */
    /* Sets members that matter, the newest one excepted; NULL: it is the only
     * one. */
    void (*fill)(void *own);
    /* Sets the newest member to what act shows; NULL: it cannot be shown. */
    void (*alter)(void *own);
    /* Gives the struct to every function that takes it, and writes how each of
     * them ended, and what came of it. */
    void (*act)(const void *given, surety_buf *out);
    bool lenient; /* nothing can be refused: a size of 0 is all defaults */
};

/* Then fill and act, and what else there is, by their names. */
#define OPTIONS_ROW(type, member, ...)                                         \
    {                                                                          \
        .name = #type, .size = sizeof(type), .last = offsetof(type, member),   \
        __VA_ARGS__                                                            \
    }

/* The end of a call; true where there is something to show. */
static inline bool options_ended(surety_status status, surety_buf *out)
{
    surety_buf_text(out, surety_status_name(status));
    surety_buf_byte(out, '\n');
    return status >= SURETY_OK;
}

static inline void options_put(surety_buf *out, surety_str text)
{
    surety_buf_add(out, text);
    surety_buf_byte(out, '\n');
}

static inline void options_act(const struct options_row *row, void *block,
                               size_t size, surety_buf *out)
{
    surety_buf_reset(out);
    memcpy(block, &size, sizeof(size));
    row->act(block, out);
}

/* Whether every call was refused. */
static inline bool options_refused(surety_str text)
{
    const char *word = surety_status_name(SURETY_MISUSE);
    const size_t len = strlen(word) + 1;

    for (size_t i = 0; i < text.len; i++)
        if (i % len == len - 1 ? text.ptr[i] != '\n'
                               : text.ptr[i] != word[i % len])
            return false;
    return text.len > 0 && text.len % len == 0;
}

/* Everything is of libc's memory, for the allocator is often the newest
 * member. What would be read of the bytes 0xAB is no address and no truth
 * value. */
static inline void options_try(struct check *t, const struct options_row *row)
{
    _Alignas(16) unsigned char block[2048];
    const size_t beyond = row->size + 64;
    surety_buf whole, other;

    surety_buf_init(&whole, NULL, 0);
    surety_buf_init(&other, NULL, 0);
    CHECK(beyond <= sizeof(block) && row->last < row->size);
    memset(block, 0xAB, sizeof(block));
    memset(block, 0, row->size);
    if (row->fill)
        row->fill(block);
    options_act(row, block, row->size, &whole);
    CHECK(whole.status == SURETY_OK && whole.len > 0);
    /* A newer header: what it has besides is not looked at. */
    options_act(row, block, beyond, &other);
    CHECK(surety_str_equal(surety_buf_str(&whole), surety_buf_str(&other)));
    /* An older one: what it has not is zero. */
    memset(block + row->last, 0xAB, row->size - row->last);
    options_act(row, block, row->last, &other);
    CHECK(surety_str_equal(surety_buf_str(&whole), surety_buf_str(&other)));
    memset(block + row->last, 0, row->size - row->last);
    if (row->alter) {
        row->alter(block);
        options_act(row, block, row->size, &other);
        CHECK(
            !surety_str_equal(surety_buf_str(&whole), surety_buf_str(&other)));
    }
    /* The oldest: nothing but the size, and so all is zero. */
    memset(block, 0xAB, sizeof(block));
    options_act(row, block, sizeof(size_t), &other);
    CHECK(!row->fill ||
          !surety_str_equal(surety_buf_str(&whole), surety_buf_str(&other)));
    memset(block, 0, row->size);
    options_act(row, block, row->size, &whole);
    CHECK(surety_str_equal(surety_buf_str(&whole), surety_buf_str(&other)));
    options_act(row, block, 0, &other);
    CHECK(row->lenient
              ? surety_str_equal(surety_buf_str(&whole), surety_buf_str(&other))
              : options_refused(surety_buf_str(&other)));
done:
    surety_buf_done(&whole);
    surety_buf_done(&other);
}

static inline void options_try_all(struct check *t,
                                   const struct options_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        options_try(t, &rows[i]);
        CHECK_TEXT(surety_str_of(t->failed ? rows[i].name : ""), "");
    }
done:;
}

#endif
