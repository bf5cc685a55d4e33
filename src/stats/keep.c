/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all of stats/: keeps the first failure, copies texts that live as
 * long as the stats, and writes times. */
#include "stats/stats.h"

#include <assert.h>
#include <stdlib.h>

bool surety__stats_fail(surety_stats *stats, surety_status status)
{
    if (!stats->status)
        stats->status = status;
    return false;
}

bool surety__stats_nomem(surety_stats *stats)
{
    return surety__stats_fail(stats, SURETY_NOMEM);
}

surety_str surety__stats_cut(surety_stats *stats, surety_str text)
{
    if (text.len <= SURETY_STATS_TEXT_MAX)
        return text;
    surety_buf_reset(&stats->text);
    surety_buf_add(&stats->text, text);
    surety__buf_cut(&stats->text, 0, SURETY_STATS_TEXT_MAX - 3);
    if (stats->text.status)
        (void)surety__stats_nomem(stats);
    return surety_buf_str(&stats->text);
}

/* ---- keys ---------------------------------------------------------------- */

static uint64_t keyed_hash(surety_str key)
{
    return surety__hash(key.len ? key.ptr : "", key.len);
}

void *surety__keyed_find(const surety__keyed_list *list, surety_str key)
{
    surety__keyed *one = surety__map_get(&list->map, keyed_hash(key));

    while (one && !surety_str_equal(one->key, key))
        one = one->next;
    return one;
}

void *surety__keyed_add(surety_stats *stats, surety__keyed_list *list,
                        surety_str key, size_t size)
{
    const uint64_t hash = keyed_hash(key);
    surety__keyed *one = surety__arena_take(&stats->arena, size);

    assert(size >= sizeof(*one));
    if (!one || surety__grow(stats->alloc, &list->items, &list->cap,
                             list->count + 1, sizeof(void *), SIZE_MAX))
        goto failed;
    one->key = surety__arena_text(&stats->arena, key);
    one->next = surety__map_get(&list->map, hash);
    if (!one->key.ptr || !surety__map_put(&list->map, stats->alloc, hash, one))
        goto failed;
    return list->items[list->count++] = one;
failed:
    (void)surety__stats_nomem(stats);
    return NULL;
}

void surety__keyed_sort(surety__keyed_list *list,
                        int (*compare)(const void *a, const void *b))
{
    if (list->count)
        qsort(list->items, list->count, sizeof(void *), compare);
}

void surety__keyed_done(surety__keyed_list *list, const surety_alloc *alloc)
{
    surety__map_done(&list->map, alloc);
    surety__free(alloc, list->items, list->cap * sizeof(void *));
}

void surety__key_put(surety_buf *key, surety_str text)
{
    surety_buf_append(key, (const char *)&text.len, sizeof(text.len));
    surety_buf_add(key, text);
}

surety_str surety__key_take(surety_str *key)
{
    surety_str text;

    memcpy(&text.len, key->ptr, sizeof(text.len));
    surety__str_skip(key, sizeof(text.len));
    text.ptr = key->ptr;
    surety__str_skip(key, text.len);
    return text;
}

/* ---- times --------------------------------------------------------------- */

void surety__moment_write(int64_t unix_ms, surety__moment_form form,
                          surety_buf *out)
{
    uint32_t rest;
    const surety__date date =
        surety__date_of(surety__date_split(unix_ms, &rest));

    surety__buf_printf(out, "%s%04u-%02u", date.year < 0 ? "-" : "",
                       (unsigned)(date.year < 0 ? -date.year : date.year),
                       (unsigned)date.month);
    if (form != MOMENT_MONTH)
        surety__buf_printf(out, "-%02u", (unsigned)date.day);
    rest /= 1000;
    if (form == MOMENT_WHOLE)
        surety__buf_printf(out, "T%02u:%02u:%02uZ", rest / 3600, rest / 60 % 60,
                           rest % 60);
}
