/* SPDX-License-Identifier: Apache-2.0 */
/* The children that have ended, of a container that goes on: uniqueItems,
 * contains, the members on which others depend, and whether the assertions of a
 * shape on the container hold whatever follows. See prefix.c.
 *
 * Items that must be unique are in one table for all levels. The last that
 * came is the first of its chain, so a level that ends takes its own away again
 * and nothing else. Each item is hashed once for each array around it that
 * requires it. */
#include "schema/prefix.h"

/* ---- uniqueItems -------------------------------------------------------- */

void surety__past_forget(surety__prefix *prefix, size_t count)
{
    while (prefix->item_count > count) {
        const prefix_entry *item = &prefix->items[--prefix->item_count];

        prefix->heads[item->hash & (prefix->head_cap - 1)] = item->next;
    }
}

static void past_link(surety__prefix *prefix, size_t at)
{
    prefix_entry *const item = &prefix->items[at];
    uint32_t *const head = &prefix->heads[item->hash & (prefix->head_cap - 1)];

    item->next = *head;
    *head = (uint32_t)at + 1;
}

/* Room for one more item. */
static bool past_make_room(surety__prefix *prefix)
{
    const size_t cap = prefix->head_cap ? 2 * prefix->head_cap : 16;
    uint32_t *heads;

    if (surety__grow(prefix->alloc, &prefix->items, &prefix->item_cap,
                     prefix->item_count + 1, sizeof(prefix_entry),
                     PREFIX_NONE - 1))
        return false;
    if (prefix->item_count < prefix->head_cap)
        return true;
    heads = surety__resize(prefix->alloc, NULL, 0, cap * sizeof(*heads));
    if (!heads)
        return false;
    memset(heads, 0, cap * sizeof(*heads));
    surety__free(prefix->alloc, prefix->heads,
                 prefix->head_cap * sizeof(*prefix->heads));
    prefix->heads = heads;
    prefix->head_cap = cap;
    for (size_t i = 0; i < prefix->item_count; i++)
        past_link(prefix, i);
    return true;
}

/* Adds an item of the level: REFUTED where an equal one came before, PROVEN
 * where none did, UNKNOWN where the work is spent. */
static enum prefix_state past_unique(surety__prefix *prefix,
                                     const prefix_level *level, uint32_t cell)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    const surety_val item = {doc, cell};
    prefix_entry added = {.cell = cell};
    uint32_t at;

    if (!surety__prefix_charge(
            prefix, 1 + (uint64_t)(surety__cell_after(&doc->cells[cell]) -
                                   &doc->cells[cell])))
        return PREFIX_UNKNOWN;
    if (!past_make_room(prefix)) {
        prefix->nomem = true;
        return PREFIX_UNKNOWN;
    }
    added.hash = surety__val_hash(item);
    at = prefix->heads[added.hash & (prefix->head_cap - 1)];
    for (; at > level->items; at = prefix->items[at - 1].next) {
        const prefix_entry *const before = &prefix->items[at - 1];

        if (!surety__prefix_charge(prefix, 1))
            return PREFIX_UNKNOWN;
        if (before->hash == added.hash &&
            surety_val_equal((surety_val){doc, before->cell}, item))
            return PREFIX_REFUTED;
    }
    prefix->items[prefix->item_count] = added;
    past_link(prefix, prefix->item_count++);
    return PREFIX_PROVEN;
}

/* ---- proven shapes --------------------------------------------------------
 */

bool surety__past_waits(const surety__prefix *prefix,
                        const surety__shape *shape, unsigned kind)
{
    const surety__arrays *const arrays = shape->arrays;

    if (shape->choices || shape->constant)
        return true;
    if (kind == CELL_OBJECT)
        return shape->objects && shape->objects->unevaluated;
    return arrays && (arrays->unevaluated ||
                      (arrays->contains && !surety__thread_may_check(prefix)));
}

/* Whether the named members alone decide a shape on an object. */
static bool past_is_named(const surety__objects *objects)
{
    return !objects->pattern_count && !objects->names &&
           (!objects->additional || objects->additional->always) &&
           !objects->dependent_count && objects->max_properties == UINT64_MAX;
}

/* Whether a shape that is proven of an object must have seen the property. */
static bool past_is_wanted(const surety__property *property)
{
    return property->required || (property->shape && !property->shape->always);
}

/* Whether the level's value has a member of that name that has ended. */
static bool past_has(const surety__prefix *prefix, const prefix_level *level,
                     const surety__property *property)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    const surety__cell *key = &doc->cells[level->cell] + 1;

    for (uint32_t i = 0; i < level->ordinal; i++) {
        if (key->hash == (property->hash & 0xFFFF) &&
            surety_str_equal(surety__cell_str(doc, key), property->name))
            return true;
        key = surety__cell_after(key + 1);
    }
    return false;
}

/* Counting has come to its end: whether it was right. A name may have come
 * twice, or a member that was not there any more. */
static bool past_has_all(surety__prefix *prefix, const prefix_level *level,
                         const surety__objects *objects)
{
    if (!surety__prefix_charge(prefix, 1 + (uint64_t)objects->property_count *
                                               level->ordinal / 8))
        return false;
    for (uint32_t i = 0; i < objects->property_count; i++)
        if (past_is_wanted(&objects->properties[i]) &&
            !past_has(prefix, level, &objects->properties[i]))
            return false;
    return true;
}

/* Whether no item that follows can refute a shape on an array. */
static bool past_array_is_proven(const prefix_level *level,
                                 const prefix_thread *thread)
{
    const surety__arrays *const arrays = thread->shape->arrays;

    return !arrays ||
           ((!arrays->rest || arrays->rest->always) && !arrays->unique &&
            arrays->max_items == UINT64_MAX &&
            level->ordinal >= arrays->prefix_count &&
            level->ordinal >= arrays->min_items &&
            (!arrays->contains || (thread->matches >= arrays->min_contains &&
                                   arrays->max_contains == UINT64_MAX)));
}

void surety__past_begin(surety__prefix *prefix, const prefix_level *level,
                        uint32_t thread)
{
    prefix_thread *const begun = &prefix->threads[thread];
    const surety__objects *const objects = begun->shape->objects;
    bool proven = false;

    begun->lacking = PREFIX_NONE;
    if (!begun->needed || level->kind < CELL_ARRAY ||
        surety__past_waits(prefix, begun->shape, level->kind))
        return;
    if (level->kind == CELL_ARRAY) {
        begun->lacking = 0;
        proven = past_array_is_proven(level, begun);
    } else if (!objects) {
        proven = true;
    } else if (past_is_named(objects) &&
               surety__prefix_charge(prefix, objects->property_count / 8)) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < objects->property_count; i++)
            count += past_is_wanted(&objects->properties[i]);
        if (count >= objects->min_properties)
            begun->lacking = count;
        proven = begun->lacking == 0;
    }
    if (proven)
        surety__thread_own(prefix, thread);
}

/* ---- children ----------------------------------------------------------- */

static void past_member(surety__prefix *prefix, const prefix_level *level,
                        uint32_t thread, uint32_t cell)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    prefix_thread *const own = &prefix->threads[thread];
    const surety__objects *const objects = own->shape->objects;
    const surety__property *property;

    if (own->own || own->lacking == PREFIX_NONE)
        return;
    property = surety__objects_find(objects, doc, &doc->cells[cell - 1]);
    if (!property || !past_is_wanted(property) || --own->lacking)
        return;
    own->lacking = PREFIX_NONE;
    if (past_has_all(prefix, level, objects))
        surety__thread_own(prefix, thread);
}

static void past_item(surety__prefix *prefix, const prefix_level *level,
                      uint32_t thread, uint32_t cell)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    prefix_thread *const own = &prefix->threads[thread];
    const surety__arrays *const arrays = own->shape->arrays;

    if (arrays && arrays->contains && surety__thread_may_check(prefix)) {
        const enum prefix_state state =
            surety__thread_check(prefix, arrays->contains, &doc->cells[cell]);

        own->matches += state == PREFIX_PROVEN;
        if (state == PREFIX_UNKNOWN)
            surety__thread_wait(prefix, thread);
        else if (own->matches > arrays->max_contains)
            surety__thread_refute(prefix, thread,
                                  surety__level_cause(level, KW_MAX_CONTAINS));
    }
    if (!own->own && own->lacking == 0 && past_array_is_proven(level, own))
        surety__thread_own(prefix, thread);
}

/* A member on which something depends; of some its value counts as well. */
static void past_depend(surety__prefix *prefix, uint32_t thread, uint32_t cell)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    const surety__applicator *const applicator =
        prefix->threads[thread].applicator;
    const surety__cell *const member = &doc->cells[cell];

    if (applicator->kind != APPLY_IF &&
        surety_str_equal(surety__cell_str(doc, member - 1), applicator->key) &&
        (applicator->kind == APPLY_DEPENDENT ||
         (member->kind == CELL_STRING &&
          surety_str_equal(surety__cell_str(doc, member), applicator->value))))
        surety__thread_if(prefix, thread, true);
}

void surety__past_child(surety__prefix *prefix, const prefix_level *level,
                        uint32_t cell)
{
    const bool array = level->kind == CELL_ARRAY;
    const struct prefix_cause again = {cell, cell, KW_UNIQUE_ITEMS};
    enum prefix_state unique = PREFIX_OPEN;

    for (uint32_t i = level->thread; surety__thread_next(prefix, &i); i++) {
        const prefix_thread *const thread = &prefix->threads[i];

        if (thread->node == NODE_IF) {
            past_depend(prefix, i, cell);
        } else if (thread->node == NODE_ALL && !array) {
            past_member(prefix, level, i, cell);
        } else if (thread->node == NODE_ALL) {
            past_item(prefix, level, i, cell);
            if (!thread->shape->arrays || !thread->shape->arrays->unique ||
                thread->state)
                continue;
            if (!unique)
                unique = past_unique(prefix, level, cell);
            surety__thread_hear(prefix, i, unique, again);
        }
    }
}
