/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of conjunctions: its memory, its messages, and its nodes. A node is
 * found by a hash of its conjuncts, a message by its place in the schema. */
#include "schema/conjunction.h"

/* ---- memory -------------------------------------------------------------- */

bool surety__graph_fail(surety__graph *graph, surety_status status)
{
    assert(status != SURETY_OK);
    if (*graph->arena->status == SURETY_OK)
        *graph->arena->status = status;
    return false;
}

bool surety__graph_charge(surety__graph *graph, uint64_t steps)
{
    if (graph->work && *graph->work < steps)
        return surety__graph_fail(graph, SURETY_LIMIT);
    if (graph->work)
        *graph->work -= steps;
    return true;
}

surety_str surety__graph_words(surety__graph *graph, const char *format,
                               va_list list)
{
    surety_error error;

    surety__failv(&error, SURETY_UNSUPPORTED, format, list);
    return surety__arena_text(graph->arena, surety_str_of(error.message));
}

void surety__graph_reset(surety__graph *graph)
{
    if (!graph->arena)
        return;
    surety__map_done(&graph->nodes, graph->arena->alloc);
    surety__map_done(&graph->messages, graph->arena->alloc);
    graph->nodes = graph->messages = (surety__map){.cap = 0};
}

void surety__graph_done(surety__graph *graph)
{
    surety__graph_reset(graph);
    surety__matcher_free(graph->matcher);
}

/* ---- messages ------------------------------------------------------------ */

typedef struct graph_message {
    struct graph_message *next; /* of the same hash */
    surety_val at;
    unsigned kind;
} graph_message;

bool surety__graph_is_news(surety__graph *graph, surety_val at, unsigned kind)
{
    const uint64_t hash =
        (uint64_t)at.index << 16 ^ (uint64_t)(uintptr_t)at.doc;
    graph_message *first = surety__map_get(&graph->messages, hash);
    graph_message *message;

    for (message = first; message; message = message->next)
        if (message->at.doc == at.doc && message->at.index == at.index &&
            message->kind == kind)
            return false;
    message = surety__arena_take(graph->arena, sizeof(*message));
    if (!message)
        return false;
    *message = (graph_message){first, at, kind};
    if (!surety__map_put(&graph->messages, graph->arena->alloc, hash, message))
        surety__graph_fail(graph, SURETY_NOMEM);
    return *graph->arena->status == SURETY_OK;
}

/* ---- nodes --------------------------------------------------------------- */

static uint64_t node_hash(const surety__conjunction *all, unsigned types)
{
    uint64_t hash = types + 1;

    for (size_t i = 0; i < all->count; i++) {
        const surety__conjunct *one = &all->items[i];
        const unsigned marks = one->settled * 2u + one->quiet;

        hash = (hash ^ (uint64_t)(uintptr_t)one->shape) * 0xFF51AFD7ED558CCDu;
        hash = (hash ^ hash >> 32 ^ marks) * 0xC4CEB9FE1A85EC53u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool node_is(const surety__conjunction_node *node,
                    const surety__conjunction *all, unsigned types)
{
    bool equal = node->all.count == all->count && node->types == types &&
                 node->all.is_cut == all->is_cut;

    for (size_t i = 0; equal && i < all->count; i++) {
        const surety__conjunct *a = &node->all.items[i];
        const surety__conjunct *b = &all->items[i];

        equal = a->shape == b->shape && a->settled == b->settled &&
                a->quiet == b->quiet;
    }
    return equal;
}

surety__conjunction_node *surety__graph_node(surety__graph *graph,
                                             const surety__conjunction *all,
                                             unsigned types)
{
    const uint64_t hash = node_hash(all, types);
    surety__conjunction_node *first = surety__map_get(&graph->nodes, hash);
    surety__conjunction_node *node = first;
    surety__conjunct *items;

    while (node && !node_is(node, all, types))
        node = node->next;
    if (node)
        return node;
    node = surety__arena_take(graph->arena, sizeof(*node));
    items = surety__arena_take(graph->arena, all->count * sizeof(*items));
    if (!node || !items)
        return NULL;
    if (all->count)
        memcpy(items, all->items, all->count * sizeof(*items));
    *node = (surety__conjunction_node){
        .next = first,
        .all = {items, all->count, all->count, all->is_cut},
        .types = (uint8_t)types};
    if (surety__map_put(&graph->nodes, graph->arena->alloc, hash, node))
        return node;
    surety__graph_fail(graph, SURETY_NOMEM);
    return NULL;
}
