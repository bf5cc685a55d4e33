/* SPDX-License-Identifier: Apache-2.0 */
/* The prefix machine: does any continuation of a value that is still growing
 * satisfy the schema?
 *
 * The idea: the open values are a path from the root. Each has a level, which
 * knows the child that was looked at last, and threads: the shapes that apply
 * to it, found through properties and items, and for the same value through
 * allOf, anyOf, oneOf and $ref. A child that is complete is checked once; one
 * that is open gets a level of its own. A thread is refuted when no
 * continuation satisfies it, proven when every one does. Both go on to its
 * parent: a shape is refuted with any of its parts, a union with its last
 * branch, a not when its subschema is proven, an if by what it decides
 * (prefix_thread.c). When the root is refuted, so is the value.
 *
 * Invariants:
 * 1. Sound: what is not certain keeps a thread open. Enum and const of
 *    containers and the unevaluated keywords wait for the end of their value,
 *    and so does what is beyond PREFIX_THREADS. A value that is open at its end
 *    is checked as a whole, as long as that stays in proportion to what has
 *    come (RECHECK_SHARE). A limit of the check decides nothing.
 * 2. A dynamic reference depends on what leads to it, so it decides nothing,
 *    and where a schema has one, no subschema is checked by itself.
 * 3. The threads of a level follow those of the level around it, each after its
 *    parent.
 * 4. Cells of a container that is open do not move. When an object closes, keys
 *    that occurred twice are taken out of it: then the level cannot go on, and
 * the object is checked as a whole.
 * 5. The work of all steps together has the limits of one check. */
#include "schema/prefix.h"

#include "schema/findings.h"

/* ---- life --------------------------------------------------------------- */

surety__prefix *surety__prefix_new(const surety_alloc *alloc,
                                   const surety_limits *limits)
{
    surety__prefix *prefix = surety__new(alloc, sizeof(*prefix));

    if (!prefix)
        return NULL;
    prefix->alloc = alloc;
    prefix->checker = surety_checker_new(alloc, limits);
    prefix->findings = surety_findings_new(alloc);
    if (prefix->checker && prefix->findings)
        return prefix;
    surety__prefix_free(prefix);
    return NULL;
}

void surety__prefix_free(surety__prefix *prefix)
{
    if (!prefix)
        return;
    surety_checker_free(prefix->checker);
    surety_findings_free(prefix->findings);
    surety__free(prefix->alloc, prefix->levels,
                 prefix->level_cap * sizeof(*prefix->levels));
    surety__free(prefix->alloc, prefix->threads,
                 prefix->thread_cap * sizeof(*prefix->threads));
    surety__free(prefix->alloc, prefix->items,
                 prefix->item_cap * sizeof(*prefix->items));
    surety__free(prefix->alloc, prefix->heads,
                 prefix->head_cap * sizeof(*prefix->heads));
    surety__free(prefix->alloc, prefix, sizeof(*prefix));
}

void surety__prefix_begin(surety__prefix *prefix, const surety_schema *schema,
                          unsigned flags)
{
    prefix->schema = schema;
    prefix->flags = flags;
    surety__past_forget(prefix, 0);
    prefix->level_count = prefix->thread_count = 0;
    prefix->spent = prefix->rechecked = 0;
    prefix->duplicates = 0;
    prefix->begun = prefix->ended = prefix->refuted = prefix->nomem = false;
    prefix->found = (surety_finding){.keyword = {NULL, 0}};
    surety__findings_reset(prefix->findings);
}

const surety_finding *surety__prefix_finding(const surety__prefix *prefix)
{
    return &prefix->found;
}

/* ---- levels ------------------------------------------------------------- */

static const surety__cell *prefix_cell(const surety__prefix *prefix,
                                       uint32_t index)
{
    return &prefix->checker->machine.doc->cells[index];
}

/* In tolerant reading an open value may turn out to be another: a string to be
 * a key, after an array that was never closed or where braces are missing; a
 * value in round brackets to be the value inside of them. */
bool surety__prefix_is_firm(const surety__prefix *prefix,
                            const surety__cell *cell)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    char first;

    if (!(cell->flags & FLAG_OPEN))
        return true;
    if (cell->place >= doc->text_len)
        return false;
    first = doc->text[cell->place];
    return cell->kind >= CELL_ARRAY
               ? first == '{' || first == '['
               : first == '"' && cell->kind == CELL_STRING &&
                     prefix->flags & SURETY__PREFIX_STRICT;
}

/* A level for the value at cell, which is open or cannot be checked by itself;
 * its threads have been made from prefix->base on. */
static void prefix_push(surety__prefix *prefix, uint32_t cell, uint32_t key)
{
    prefix_level *level;

    if (surety__grow(prefix->alloc, &prefix->levels, &prefix->level_cap,
                     prefix->level_count + 1, sizeof(*level), SIZE_MAX)) {
        prefix->nomem = true;
        return;
    }
    level = &prefix->levels[prefix->level_count++];
    *level = (prefix_level){.cell = cell,
                            .key = key,
                            .place = prefix_cell(prefix, cell)->place,
                            .cursor = cell + 1,
                            .thread = (uint32_t)prefix->base,
                            .items = prefix->item_count,
                            .kind = prefix_cell(prefix, cell)->kind};
    if (surety__prefix_is_firm(prefix, prefix_cell(prefix, cell)))
        surety__thread_spread(prefix, level);
}

/* Drops the level on top. */
static void prefix_drop(surety__prefix *prefix)
{
    const prefix_level *const level = &prefix->levels[--prefix->level_count];

    assert(level->thread <= prefix->thread_count);
    assert(level->items <= prefix->item_count);
    prefix->thread_count = level->thread;
    surety__past_forget(prefix, level->items);
    prefix->ended = prefix->level_count == 0;
}

/* The value of the level on top has ended: on to the next child of the value
 * around it. */
static void prefix_pop(surety__prefix *prefix)
{
    const uint32_t child = prefix->levels[prefix->level_count - 1].cell;
    prefix_level *level;

    prefix_drop(prefix);
    if (prefix->ended)
        return;
    level = &prefix->levels[prefix->level_count - 1];
    level->cursor = (uint32_t)(surety__cell_after(prefix_cell(prefix, child)) -
                               prefix->checker->machine.doc->cells);
    level->ordinal++;
    if (!(prefix->flags & SURETY__PREFIX_ALIGN))
        surety__past_child(prefix, level, child);
}

/* The root has begun. */
static void prefix_root(surety__prefix *prefix, uint32_t cell)
{
    const struct prefix_cause root = {cell, cell, KW_NONE};

    prefix->begun = true;
    prefix->base = 0;
    surety__thread_ask(prefix, PREFIX_NONE, prefix->schema->root, root);
    if (prefix->thread_count)
        prefix_push(prefix, cell, cell);
    else
        prefix->ended = true;
}

/* ---- children ----------------------------------------------------------- */

/* More members than maxProperties, as far as their names differ. Names that
 * occur twice count once, so a few are compared; of many the end decides. */
static bool prefix_is_crowded(surety__prefix *prefix, const prefix_level *level,
                              uint64_t most)
{
    enum { NAMES_COMPARED = 64 };
    uint16_t hashes[NAMES_COMPARED + 1];
    const surety__cell *key = prefix_cell(prefix, level->cell) + 1;
    size_t count = 0;

    if (level->ordinal + 1 <= most || most > NAMES_COMPARED ||
        !surety__prefix_charge(prefix, 1 + level->ordinal / 8))
        return false;
    for (uint32_t i = 0; i <= level->ordinal && count <= most; i++) {
        size_t at = 0;

        while (at < count && hashes[at] != key->hash)
            at++;
        if (at == count)
            hashes[count++] = key->hash;
        if (i < level->ordinal)
            key = surety__cell_after(key + 1);
    }
    return count > most;
}

/* The shapes of one thread of an object for the value of the member at the
 * cursor. Where a pattern is undecided, they stay unknown. */
static void prefix_member(surety__prefix *prefix, const prefix_level *level,
                          uint32_t thread, const surety__objects *objects)
{
    surety__machine *const machine = &prefix->checker->machine;
    const surety__cell *const key = prefix_cell(prefix, level->cursor);
    const struct prefix_cause member = {level->cursor + 1, level->cursor,
                                        KW_NONE};
    surety__wide wide = {.required = prefix->threads[thread].required};

    while (objects->walks) {
        const surety__shape *shape =
            surety__wide_member(machine, objects, key, &wide);

        if (machine->status) {
            prefix->nomem = prefix->nomem || machine->status == SURETY_NOMEM;
            machine->status = SURETY_OK;
            surety__thread_wait(prefix, thread);
            break;
        }
        if (!shape)
            break;
        surety__thread_ask(prefix, thread, shape, member);
    }
    prefix->threads[thread].required = wide.required;
}

/* Applies one thread of an object to the member at the cursor. */
static void prefix_key(surety__prefix *prefix, const prefix_level *level,
                       uint32_t thread)
{
    const surety__objects *const objects =
        prefix->threads[thread].shape->objects;
    const struct prefix_cause member = {level->cursor + 1, level->cursor,
                                        KW_NONE};
    const struct prefix_cause name = {level->cursor, level->cursor, KW_NONE};
    const surety__slot *slot;

    if (!objects)
        return;
    if (prefix->flags & SURETY__PREFIX_ALIGN) {
        /* A name that is not known might be brought to one that is. */
        slot = surety__slot_find(objects, prefix->checker->machine.doc,
                                 prefix_cell(prefix, level->cursor));
        if (slot && slot->covers)
            surety__thread_ask(prefix, thread, slot->shape, member);
        return;
    }
    if (prefix_is_crowded(prefix, level, objects->max_properties))
        surety__thread_refute(prefix, thread,
                              surety__level_cause(level, KW_MAX_PROPERTIES));
    if (objects->names)
        surety__thread_name(prefix, thread, objects->names, name);
    prefix_member(prefix, level, thread, objects);
}

static void prefix_item(surety__prefix *prefix, const prefix_level *level,
                        uint32_t thread)
{
    const surety__arrays *const arrays = prefix->threads[thread].shape->arrays;
    const struct prefix_cause item = {level->cursor, level->cursor, KW_NONE};
    const surety__shape *shape;

    if (!arrays)
        return;
    if (!(prefix->flags & SURETY__PREFIX_ALIGN) &&
        level->ordinal >= arrays->max_items)
        surety__thread_refute(
            prefix, thread,
            (struct prefix_cause){level->cell, level->cell, KW_MAX_ITEMS});
    shape = level->ordinal < arrays->prefix_count
                ? arrays->prefix[level->ordinal]
                : arrays->rest;
    if (shape)
        surety__thread_ask(prefix, thread, shape, item);
}

/* The child at the cursor of the level on top. */
static void prefix_child(surety__prefix *prefix)
{
    const prefix_level level = prefix->levels[prefix->level_count - 1];
    const size_t before = prefix->thread_count;
    const bool object = level.kind == CELL_OBJECT;
    const uint32_t child = level.cursor + object;

    assert(level.kind >= CELL_ARRAY && level.thread <= before);
    prefix->base = before;
    for (uint32_t i = level.thread; i < before && !prefix->refuted; i++) {
        if (!surety__thread_is_open(prefix, i) ||
            prefix->threads[i].node != NODE_ALL)
            continue;
        if (object)
            prefix_key(prefix, &level, i);
        else
            prefix_item(prefix, &level, i);
    }
    prefix_push(prefix, child, level.cursor);
    if (!(prefix_cell(prefix, child)->flags & FLAG_OPEN) && !prefix->nomem &&
        prefix->thread_count == before)
        prefix_pop(prefix);
}

/* Drops the level on top where its value is not there any more: in text that is
 * not strict JSON what seemed to be a value may turn out to be a key, or
 * nothing. Then the value around it goes on without it. */
static void prefix_settle(surety__prefix *prefix)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    const prefix_level *const level = &prefix->levels[prefix->level_count - 1];
    const surety__cell *const cell = &doc->cells[level->cell];

    if (level->cell < doc->cell_count && cell->kind != CELL_KEY &&
        cell->place == level->place)
        return;
    prefix_drop(prefix);
}

/* ---- steps -------------------------------------------------------------- */

/* Goes on with the level on top; false: there is nothing more to look at. */
static bool prefix_go_on(surety__prefix *prefix)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    prefix_level *level = &prefix->levels[prefix->level_count - 1];
    const surety__cell *cell = &doc->cells[level->cell];
    const bool open = cell->flags & FLAG_OPEN;
    /* Keys were taken out of some object: was it this one? */
    const bool moved = !open && level->kind == CELL_OBJECT &&
                       doc->duplicate_count != prefix->duplicates;

    if (level->spread && level->kind != cell->kind) {
        prefix->ended = true;
        return false;
    }
    level->kind = cell->kind;
    if (cell->kind >= CELL_ARRAY && !level->spread &&
        surety__prefix_is_firm(prefix, cell))
        surety__thread_spread(prefix, level);
    if (cell->kind >= CELL_ARRAY && level->spread && !moved) {
        const size_t end = open ? doc->cell_count : level->cell + cell->span;

        /* Without a thread its children need no look. */
        if (prefix->thread_count > level->thread &&
            level->cursor + (cell->kind == CELL_OBJECT) < end) {
            prefix_child(prefix);
            return true;
        }
    }
    if (open) {
        if (cell->kind == CELL_STRING && level->spread)
            surety__thread_string(prefix, level);
        return false;
    }
    surety__thread_end(prefix, level, !moved);
    prefix_pop(prefix);
    return true;
}

surety_status surety__prefix_step(surety__prefix *prefix, surety_val root,
                                  bool *ret_refuted)
{
    surety__machine *const machine = &prefix->checker->machine;
    uint64_t work;

    *ret_refuted = prefix->refuted;
    if (!root.doc || prefix->refuted || prefix->ended)
        return SURETY_OK;
    surety__machine_start(machine, prefix->schema, root, MODE_VALIDITY, NULL);
    machine->work -=
        machine->work < prefix->spent ? machine->work : prefix->spent;
    work = machine->work;
    if (!prefix->begun)
        prefix_root(prefix, root.index);
    else
        prefix_settle(prefix);
    while (!prefix->refuted && !prefix->ended && !prefix->nomem &&
           prefix_go_on(prefix))
        ;
    prefix->spent += work - machine->work;
    prefix->duplicates = root.doc->duplicate_count;
    if (!prefix->nomem && prefix->refuted &&
        surety__prefix_explain(prefix, root) == SURETY_NOMEM)
        prefix->nomem = true;
    if (prefix->nomem) {
        prefix->ended = true;
        return SURETY_NOMEM;
    }
    *ret_refuted = prefix->refuted;
    return SURETY_OK;
}
