/* SPDX-License-Identifier: Apache-2.0 */
/* Lists what an example cannot show: which of its members may be left out.
 *
 * The example is walked together with the conjunctions that apply to its
 * values, with its own stack. A member is named by its path; all items of an
 * array have the same path. Only what certainly applies is followed:
 * references, allOf, and the single branch of a union that accepts values of
 * that kind. */
#include "prompt/prompt.h"

enum { LEGEND_CONJUNCTS = 16, LEGEND_PATHS = 24 };

/* A value of the example and the conjunction that applies to it. */
struct legend_place {
    const surety__conjunction *all; /* owned by a graph node */
    surety_val val;
    surety_str path;
};

struct legend {
    const surety_alloc *alloc;
    surety__arena arena; /* for paths and conjunctions */
    surety__graph graph;
    surety__conjunction all;    /* of the current value */
    surety__member_facts facts; /* of its member or item */
    struct legend_place *places;
    size_t count, cap;
    surety_str paths[LEGEND_PATHS];
    size_t path_count;
    bool more; /* there are more than are listed */
    surety_buf scratch;
    surety_status status;
};

/* The single branch for values of these types; NULL: none, or several. */
static const surety__shape *legend_branch(const surety__applicator *one,
                                          unsigned types)
{
    const surety__shape *found = NULL;

    for (uint32_t i = 0; i < one->count; i++) {
        if (!(one->shapes[i]->types & types))
            continue;
        if (found)
            return NULL;
        found = one->shapes[i];
    }
    return found;
}

struct legend_choice {
    surety__graph *graph;
    unsigned types;
};

static bool legend_decide(void *context, surety__conjunction *all, size_t i,
                          const surety__applicator *one)
{
    const struct legend_choice *choice = context;

    return (one->kind != APPLY_ANY && one->kind != APPLY_ONE) ||
           surety__conjunction_apply(choice->graph, all, i,
                                     legend_branch(one, choice->types));
}

static void legend_push(struct legend *legend, const surety__conjunction *all,
                        surety_val val, surety_str path)
{
    const surety__conjunction_node *node;

    if (!all->count || legend->status)
        return;
    node = surety__graph_node(&legend->graph, all, TYPE_ANY);
    if (!node)
        return;
    legend->status =
        surety__grow(legend->alloc, &legend->places, &legend->cap,
                     legend->count + 1, sizeof(*legend->places), SIZE_MAX);
    if (legend->status == SURETY_OK)
        legend->places[legend->count++] =
            (struct legend_place){&node->all, val, path};
}

static void legend_list(struct legend *legend, surety_str path)
{
    for (size_t i = 0; i < legend->path_count; i++)
        if (surety_str_equal(legend->paths[i], path))
            return;
    if (legend->path_count < LEGEND_PATHS)
        legend->paths[legend->path_count++] = path;
    else
        legend->more = true;
}

static void legend_member(struct legend *legend, surety_str above,
                          surety_val member)
{
    const surety_str key = surety_val_str(surety_val_key(member));
    surety__member_facts *facts = &legend->facts;
    surety_str path;

    assert(legend->scratch.len == 0);
    surety_buf_add(&legend->scratch, above);
    surety_buf_text(&legend->scratch, above.len ? "." : "");
    surety__spell_line(&legend->scratch, key);
    path = surety__arena_buf(&legend->arena, &legend->scratch);
    if (!surety__conjunction_member(&legend->graph, &legend->all, key,
                                    surety__name_hash(key), facts) ||
        !facts->property)
        return;
    legend_push(legend, &facts->all, member, path);
    if (!facts->required && !legend->status)
        legend_list(legend, path);
}

static void legend_items(struct legend *legend, surety_str above,
                         surety_val array)
{
    uint32_t at = 0;
    surety_str path;

    surety_buf_add(&legend->scratch, above);
    surety_buf_text(&legend->scratch, "[]");
    path = surety__arena_buf(&legend->arena, &legend->scratch);
    for (surety_val item = surety_val_first(array); item.doc;
         item = surety_val_next(array, item), at++) {
        legend->facts.all.count = 0;
        surety__conjunction_item(&legend->graph, &legend->all, at,
                                 &legend->facts.all);
        legend_push(legend, &legend->facts.all, item, path);
    }
}

static void legend_visit(struct legend *legend, struct legend_place place)
{
    struct legend_choice choice = {
        &legend->graph,
        surety__type_bits(place.val.doc, surety__cell_of(place.val), false)};

    legend->all.count = 0;
    for (size_t i = 0; i < place.all->count; i++)
        surety__conjunction_add(&legend->graph, &legend->all,
                                place.all->items[i]);
    surety__conjunction_follow(&legend->graph, &legend->all, legend_decide,
                               &choice);
    if (surety_val_kind(place.val) == SURETY_KIND_ARRAY)
        legend_items(legend, place.path, place.val);
    else
        SURETY_EACH (member, place.val)
            legend_member(legend, place.path, member);
}

surety_status surety__legend_write(const surety_schema *schema,
                                   surety_val example,
                                   const surety_alloc *alloc, surety_buf *out)
{
    struct legend legend = {.alloc = alloc};

    surety__arena_init(&legend.arena, alloc, 0);
    legend.arena.status = &legend.status;
    surety_buf_init(&legend.scratch, alloc, 0);
    legend.graph = (surety__graph){.arena = &legend.arena,
                                   .limits = &schema->limits,
                                   .cut_at = LEGEND_CONJUNCTS};
    legend_push(&legend, CONJUNCTION_OF(schema->root), example,
                SURETY__LITERAL(""));
    while (legend.count > 0 && legend.status == SURETY_OK)
        legend_visit(&legend, legend.places[--legend.count]);
    for (size_t i = 0; i < legend.path_count && !legend.status; i++) {
        surety_buf_text(out, i ? ", " : "What may be left out: ");
        surety_buf_add(out, legend.paths[i]);
    }
    if (legend.path_count && !legend.status)
        surety_buf_text(out, legend.more ? ", and others.\n" : ".\n");
    surety__free(alloc, legend.places, legend.cap * sizeof(*legend.places));
    surety_buf_done(&legend.scratch);
    surety__graph_done(&legend.graph);
    surety__arena_done(&legend.arena);
    return legend.status;
}
