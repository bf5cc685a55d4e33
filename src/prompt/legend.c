/* SPDX-License-Identifier: Apache-2.0 */
/* What an example cannot show: which of its members may be left out.
 *
 * The example is walked beside the shapes that its values have, with a stack of
 * its own. Members are told by their paths, items of an array as one. Only what
 * surely applies is followed: references, allOf, and of a union the one branch
 * that takes values of that kind. */
#include "prompt/prompt.h"

enum { LEGEND_PARTS = 16, LEGEND_TOLD = 24 };

/* A value of the example and a shape that it has. */
struct legend_place {
    const surety__shape *shape;
    surety_val val;
    surety_str path;
};

struct legend {
    const surety_alloc *alloc;
    surety__arena arena; /* paths */
    struct legend_place *places;
    size_t count, cap;
    surety_str told[LEGEND_TOLD];
    size_t told_count;
    bool more; /* than are told */
    surety_buf scratch;
    surety_status status;
};

/* The shapes that must hold for one value. */
struct legend_parts {
    const surety__shape *list[LEGEND_PARTS];
    size_t count;
};

static void legend_part(struct legend_parts *parts, const surety__shape *shape)
{
    if (shape && parts->count < LEGEND_PARTS)
        parts->list[parts->count++] = shape;
}

/* The one branch for values of these types; NULL: none, or several. */
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

static void legend_collect(struct legend_parts *parts,
                           const surety__shape *shape, unsigned types)
{
    legend_part(parts, shape);
    for (size_t i = 0; i < parts->count; i++)
        for (uint32_t j = 0; j < parts->list[i]->applicator_count; j++) {
            const surety__applicator *one = &parts->list[i]->applicators[j];

            if (one->kind == APPLY_ANY || one->kind == APPLY_ONE)
                legend_part(parts, legend_branch(one, types));
            for (uint32_t k = 0; one->kind == APPLY_ALL && k < one->count; k++)
                legend_part(parts, one->shapes[k]);
        }
}

/* Keeps what stands in scratch as a path; ptr NULL when out of memory. */
static surety_str legend_keep(struct legend *legend)
{
    surety_str path = {NULL, 0};

    if (legend->scratch.status == SURETY_OK)
        path = surety__arena_text(&legend->arena,
                                  surety_buf_str(&legend->scratch));
    if (!path.ptr)
        legend->status = SURETY_NOMEM;
    surety_buf_reset(&legend->scratch);
    return path;
}

static void legend_push(struct legend *legend, const surety__shape *shape,
                        surety_val val, surety_str path)
{
    void *items = legend->places;

    if (!shape || legend->status)
        return;
    legend->status =
        surety__grow(legend->alloc, &items, &legend->cap, legend->count + 1,
                     sizeof(*legend->places), SIZE_MAX);
    legend->places = items;
    if (legend->status == SURETY_OK)
        legend->places[legend->count++] =
            (struct legend_place){shape, val, path};
}

static void legend_tell(struct legend *legend, surety_str path)
{
    for (size_t i = 0; i < legend->told_count; i++)
        if (surety_str_equal(legend->told[i], path))
            return;
    if (legend->told_count < LEGEND_TOLD)
        legend->told[legend->told_count++] = path;
    else
        legend->more = true;
}

static void legend_member(struct legend *legend, surety_str above,
                          const struct legend_parts *parts, surety_val member)
{
    const surety_str key = surety_val_str(surety_val_key(member));
    const uint32_t hash = surety__hash(key.ptr, key.len) & 0xFFFF;
    bool named = false;
    bool required = false;
    surety_str path;

    surety_buf_add(&legend->scratch, above);
    surety_buf_text(&legend->scratch, above.len ? "." : "");
    surety__spell_line(&legend->scratch, key);
    path = legend_keep(legend);
    for (size_t i = 0; i < parts->count && !legend->status; i++) {
        const surety__objects *objects = parts->list[i]->objects;
        const surety__property *property =
            objects ? surety__objects_named(objects, key, hash) : NULL;

        if (!property)
            continue;
        named = named || property->shape;
        required = required || property->required;
        legend_push(legend, property->shape, member, path);
    }
    if (named && !required && !legend->status)
        legend_tell(legend, path);
}

static void legend_items(struct legend *legend, surety_str above,
                         const struct legend_parts *parts, surety_val array)
{
    surety_str path;

    surety_buf_add(&legend->scratch, above);
    surety_buf_text(&legend->scratch, "[]");
    path = legend_keep(legend);
    for (size_t i = 0; i < parts->count; i++) {
        const surety__arrays *arrays = parts->list[i]->arrays;
        size_t at = 0;

        for (surety_val item = surety_val_first(array); arrays && item.doc;
             item = surety_val_next(array, item), at++)
            legend_push(legend,
                        at < arrays->prefix_count ? arrays->prefix[at]
                                                  : arrays->rest,
                        item, path);
    }
}

static void legend_visit(struct legend *legend, struct legend_place place)
{
    struct legend_parts parts = {.count = 0};
    const surety__cell *cell = surety__cell_of(place.val);

    legend_collect(&parts, place.shape,
                   surety__type_bits(place.val.doc, cell, false));
    if (surety_val_kind(place.val) == SURETY_KIND_ARRAY)
        legend_items(legend, place.path, &parts, place.val);
    else
        for (surety_val member = surety_val_first(place.val); member.doc;
             member = surety_val_next(place.val, member))
            legend_member(legend, place.path, &parts, member);
}

surety_status surety__legend_write(const surety_schema *schema,
                                   surety_val example,
                                   const surety_alloc *alloc, surety_buf *out)
{
    struct legend legend = {.alloc = alloc};

    surety__arena_init(&legend.arena, alloc, 0);
    surety_buf_init(&legend.scratch, alloc, 0);
    legend_push(&legend, schema->root, example, SURETY__LITERAL(""));
    while (legend.count > 0 && legend.status == SURETY_OK)
        legend_visit(&legend, legend.places[--legend.count]);
    for (size_t i = 0; i < legend.told_count && !legend.status; i++) {
        surety_buf_text(out, i ? ", " : "What may be left out: ");
        surety_buf_add(out, legend.told[i]);
    }
    if (legend.told_count && !legend.status)
        surety_buf_text(out, legend.more ? ", and others.\n" : ".\n");
    surety__free(alloc, legend.places, legend.cap * sizeof(*legend.places));
    surety_buf_done(&legend.scratch);
    surety__arena_done(&legend.arena);
    return legend.status;
}
