/* SPDX-License-Identifier: Apache-2.0 */
/* The graph: its memory, lists of parts, and the wholes that are known. A whole
 * is found by a hash of its parts; what was said of a place of the schema, by
 * the place. */
#include "parts/parts.h"

/* ---- memory -------------------------------------------------------------- */

void surety__graph_fail(surety__graph *graph, surety_status status)
{
    if (*graph->status == SURETY_OK)
        *graph->status = status;
}

void *surety__graph_take(surety__graph *graph, size_t size)
{
    void *block = surety__arena_take(graph->arena, size ? size : 1);

    if (!block)
        surety__graph_fail(graph, SURETY_NOMEM);
    return block;
}

surety_str surety__graph_text(surety__graph *graph, surety_str text)
{
    const surety_str copy = surety__arena_text(graph->arena, text);

    if (!copy.ptr)
        surety__graph_fail(graph, SURETY_NOMEM);
    return copy;
}

surety_str surety__graph_keep(surety__graph *graph, surety_buf *text)
{
    surety_str kept = {NULL, 0};

    if (text->status != SURETY_OK)
        surety__graph_fail(graph, text->status);
    else
        kept = surety__graph_text(graph, surety_buf_str(text));
    surety_buf_done(text);
    return kept;
}

surety_str surety__graph_words(surety__graph *graph, const char *format,
                               va_list list)
{
    surety_error error;

    surety__failv(&error, SURETY_UNSUPPORTED, format, list);
    return surety__graph_text(graph, surety_str_of(error.message));
}

void surety__graph_done(surety__graph *graph)
{
    surety__map_done(&graph->wholes, graph->arena->alloc);
    surety__map_done(&graph->said, graph->arena->alloc);
    surety__matcher_free(graph->matcher);
}

/* ---- what was said ------------------------------------------------------- */

typedef struct graph_saying {
    struct graph_saying *next; /* of the same hash */
    surety_val at;
    unsigned kind;
} graph_saying;

bool surety__graph_is_news(surety__graph *graph, surety_val at, unsigned kind)
{
    const uint64_t hash =
        (uint64_t)at.index << 16 ^ (uint64_t)(uintptr_t)at.doc;
    graph_saying *first = surety__map_get(&graph->said, hash);
    graph_saying *saying;

    for (saying = first; saying; saying = saying->next)
        if (saying->at.doc == at.doc && saying->at.index == at.index &&
            saying->kind == kind)
            return false;
    saying = surety__graph_take(graph, sizeof(*saying));
    if (!saying)
        return false;
    *saying = (graph_saying){first, at, kind};
    if (!surety__map_put(&graph->said, graph->arena->alloc, hash, saying))
        surety__graph_fail(graph, SURETY_NOMEM);
    return *graph->status == SURETY_OK;
}

/* ---- parts and wholes ---------------------------------------------------- */

bool surety__parts_add_part(surety__graph *graph, surety__parts *parts,
                            surety__part part)
{
    if (parts->count == PARTS_MAX) {
        surety__graph_fail(graph, SURETY_LIMIT);
        return false;
    }
    if (parts->count == parts->cap) {
        const size_t cap = parts->cap ? parts->cap * 2 : 4;
        surety__part *items = surety__graph_take(graph, cap * sizeof(*items));

        if (!items)
            return false;
        if (parts->count)
            memcpy(items, parts->items, parts->count * sizeof(*items));
        parts->items = items;
        parts->cap = cap;
    }
    parts->items[parts->count++] = part;
    return true;
}

bool surety__parts_add(surety__graph *graph, surety__parts *parts,
                       const surety__shape *shape)
{
    return surety__parts_add_part(graph, parts, (surety__part){.shape = shape});
}

static uint64_t whole_hash(const surety__parts *parts, unsigned types)
{
    uint64_t hash = types + 1;

    for (size_t i = 0; i < parts->count; i++) {
        const surety__part *part = &parts->items[i];
        const unsigned marks = part->settled * 2u + part->quiet;

        hash = (hash ^ (uint64_t)(uintptr_t)part->shape) * 0xFF51AFD7ED558CCDu;
        hash = (hash ^ hash >> 32 ^ marks) * 0xC4CEB9FE1A85EC53u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool whole_is(const surety__whole *whole, const surety__parts *parts,
                     unsigned types)
{
    bool equal = whole->parts.count == parts->count && whole->types == types;

    for (size_t i = 0; equal && i < parts->count; i++) {
        const surety__part *a = &whole->parts.items[i];
        const surety__part *b = &parts->items[i];

        equal = a->shape == b->shape && a->settled == b->settled &&
                a->quiet == b->quiet;
    }
    return equal;
}

surety__whole *surety__whole_of(surety__graph *graph,
                                const surety__parts *parts, unsigned types)
{
    const uint64_t hash = whole_hash(parts, types);
    surety__whole *first = surety__map_get(&graph->wholes, hash);
    surety__whole *whole = first;

    while (whole && !whole_is(whole, parts, types))
        whole = whole->next;
    if (whole)
        return whole;
    whole = surety__graph_take(graph, sizeof(*whole));
    if (!whole)
        return NULL;
    *whole = (surety__whole){.next = first, .types = (uint8_t)types};
    whole->parts.items =
        surety__graph_take(graph, parts->count * sizeof(*parts->items));
    if (!whole->parts.items)
        return NULL;
    if (parts->count)
        memcpy(whole->parts.items, parts->items,
               parts->count * sizeof(*parts->items));
    whole->parts.count = whole->parts.cap = parts->count;
    if (surety__map_put(&graph->wholes, graph->arena->alloc, hash, whole))
        return whole;
    surety__graph_fail(graph, SURETY_NOMEM);
    return NULL;
}
