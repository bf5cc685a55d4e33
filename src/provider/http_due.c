/* SPDX-License-Identifier: Apache-2.0 */
/* http_due.c: the exchanges under way, found by their id, and by the deadline
 * that comes next. So the cost of an event does not grow with the number of
 * exchanges that wait.
 *
 * Deadlines are a binary heap. A deadline that moves to an earlier time is
 * moved at once; one that moves to a later time, as with every byte that
 * arrives, only when it comes up. Ids are a hash table with chains. */
#include "provider/http.h"

enum { DUE_SLOTS = 64 }; /* of the first table; a power of two */

/* ---- ids ----------------------------------------------------------------- */

static surety__http_exchange **due_slot(const surety__http *http, uint64_t id)
{
    const uint64_t mixed = id * 0x9E3779B97F4A7C15u;

    return &http->slots[(mixed >> 32) & (http->slot_count - 1)];
}

surety__http_exchange *surety__http_find(const surety__http *http, uint64_t id)
{
    surety__http_exchange *exchange =
        http->slot_count ? *due_slot(http, id) : NULL;

    while (exchange && exchange->id != id)
        exchange = exchange->next;
    return exchange;
}

static void due_chain(const surety__http *http, surety__http_exchange *exchange)
{
    surety__http_exchange **slot = due_slot(http, exchange->id);

    exchange->next = *slot;
    *slot = exchange;
}

/* Makes a table of at least one slot for each exchange. False: out of
 * memory. */
static bool due_widen(surety__http *http)
{
    const size_t count = http->slot_count ? 2 * http->slot_count : DUE_SLOTS;
    surety__http_exchange **slots;

    if (http->count < http->slot_count)
        return true;
    slots = surety__new(http->alloc, count * sizeof(surety__http_exchange *));
    if (!slots)
        return false;
    surety__free(http->alloc, http->slots,
                 http->slot_count * sizeof(surety__http_exchange *));
    http->slots = slots;
    http->slot_count = count;
    for (size_t i = 0; i < http->count; i++)
        due_chain(http, http->items[i]);
    return true;
}

/* ---- deadlines ----------------------------------------------------------- */

static void due_set(surety__http *http, size_t at,
                    surety__http_exchange *exchange)
{
    http->items[at] = exchange;
    exchange->at = at;
}

/* Moves an exchange up to its place. */
static void due_up(surety__http *http, surety__http_exchange *exchange)
{
    size_t at = exchange->at;

    while (at && http->items[(at - 1) / 2]->due_ms > exchange->due_ms) {
        due_set(http, at, http->items[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    due_set(http, at, exchange);
}

/* Moves an exchange down to its place. */
static void due_down(surety__http *http, surety__http_exchange *exchange)
{
    size_t at = exchange->at;
    size_t child;

    while ((child = 2 * at + 1) < http->count) {
        if (child + 1 < http->count &&
            http->items[child + 1]->due_ms < http->items[child]->due_ms)
            child++;
        if (http->items[child]->due_ms >= exchange->due_ms)
            break;
        due_set(http, at, http->items[child]);
        at = child;
    }
    due_set(http, at, exchange);
}

bool surety__http_due_add(surety__http *http, surety__http_exchange *exchange)
{
    surety__late late;

    if (!due_widen(http) ||
        surety__grow(http->alloc, &http->items, &http->cap, http->count + 1,
                     sizeof(surety__http_exchange *), SIZE_MAX))
        return false;
    exchange->due_ms = surety__progress_deadline(&exchange->progress, &late);
    due_chain(http, exchange);
    due_set(http, http->count++, exchange);
    due_up(http, exchange);
    return true;
}

void surety__http_due_remove(surety__http *http,
                             surety__http_exchange *exchange)
{
    surety__http_exchange **place = due_slot(http, exchange->id);
    surety__http_exchange *last = http->items[--http->count];

    while (*place != exchange)
        place = &(*place)->next;
    *place = exchange->next;
    if (last == exchange)
        return;
    due_set(http, exchange->at, last);
    due_up(http, last);
    due_down(http, last);
}

void surety__http_due_moved(surety__http *http, surety__http_exchange *exchange)
{
    surety__late late;
    const uint64_t due_ms =
        surety__progress_deadline(&exchange->progress, &late);

    if (due_ms >= exchange->due_ms)
        return;
    exchange->due_ms = due_ms;
    due_up(http, exchange);
}

surety__http_exchange *surety__http_due_late(surety__http *http,
                                             uint64_t now_ms,
                                             surety__late *ret_late)
{
    while (http->count && http->items[0]->due_ms <= now_ms) {
        surety__http_exchange *exchange = http->items[0];

        exchange->due_ms =
            surety__progress_deadline(&exchange->progress, ret_late);
        if (exchange->due_ms <= now_ms)
            return exchange;
        due_down(http, exchange);
    }
    return NULL;
}

void surety__http_due_done(surety__http *http)
{
    assert(!http->count);
    surety__free(http->alloc, http->slots,
                 http->slot_count * sizeof(surety__http_exchange *));
    surety__free(http->alloc, http->items,
                 http->cap * sizeof(surety__http_exchange *));
}
