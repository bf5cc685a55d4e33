/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: what the shapes say of a value as far as it has come. See prefix.c.
 *
 * A child that is complete is asked the ordinary verdict, and so needs no
 * thread, unless the schema has dynamic references or the value is going to be
 * aligned; then it is taken apart as one that is open. */
#include "schema/assert.h"
#include "schema/prefix.h"

/* Cells of values that have ended and may be looked at again: this many, and
 * this many for each cell that has come. */
enum { RECHECK_BASE = 4096, RECHECK_SHARE = 4 };

/* ---- life and death ----------------------------------------------------- */

bool surety__thread_lives(surety__prefix *prefix, uint32_t thread)
{
    prefix_thread *const threads = prefix->threads;
    const uint32_t parent = threads[thread].parent;

    if (parent != PREFIX_NONE && threads[parent].dead)
        threads[thread].dead = true;
    return !threads[thread].dead;
}

void surety__thread_kill(surety__prefix *prefix, uint32_t thread,
                         struct prefix_cause cause)
{
    prefix_thread *const threads = prefix->threads;

    prefix->cause = cause;
    for (; thread != PREFIX_NONE; thread = threads[thread].parent) {
        if (threads[thread].dead)
            return;
        if (threads[thread].node != NODE_ALL && threads[thread].alive &&
            --threads[thread].alive)
            return;
        threads[thread].dead = true;
    }
    prefix->dead = true;
}

/* Whether subschemas can be checked by themselves, and it matters. */
static bool thread_may_check(const surety__prefix *prefix)
{
    return !prefix->schema->dynamic && !(prefix->flags & SURETY__PREFIX_ALIGN);
}

/* What became of a question to the machine: where it has no answer, true. */
static bool thread_answer(surety__prefix *prefix, bool answer)
{
    surety__machine *const machine = &prefix->checker->machine;
    const surety_status status = machine->status;

    machine->status = SURETY_OK;
    prefix->nomem = prefix->nomem || status == SURETY_NOMEM;
    return status || answer;
}

/* False where it is certain that cell, which is complete, does not satisfy
 * shape. */
static bool thread_holds(surety__prefix *prefix, const surety__shape *shape,
                         const surety__cell *cell)
{
    surety__machine *const machine = &prefix->checker->machine;

    machine->bits_len = 0;
    surety__shape_holds(machine, shape, cell, BITS_NONE);
    return thread_answer(prefix, machine->result);
}

/* The same of what the shape says without its subschemas. */
static bool thread_leaf_holds(surety__prefix *prefix,
                              const surety__shape *shape,
                              const surety__cell *cell)
{
    if (shape->how[cell->kind] == HOW_NO)
        return false;
    return !(shape->checks >> cell->kind & 1) ||
           thread_answer(prefix, surety__leaf_holds(&prefix->checker->machine,
                                                    shape, cell));
}

/* Alignment never changes a number: false where cell is one that a shape of
 * nothing but numbers refuses. No route is taken to it: what routes leave out
 * is of other kinds, which alignment may make of it. */
static bool thread_bounds_hold(surety__prefix *prefix,
                               const surety__shape *shape,
                               const surety__cell *cell)
{
    return !surety__cell_is_number(cell) ||
           shape->types & ~(TYPE_NUMBER | TYPE_INTEGER) || shape->choices ||
           shape->constant || shape->always || shape->never ||
           thread_leaf_holds(prefix, shape, cell);
}

/* ---- new threads -------------------------------------------------------- */

/* A thread at the end of those of the value at hand, which begin at base; NULL
 * where there is no room or no memory. */
static prefix_thread *thread_add(surety__prefix *prefix, size_t base,
                                 const surety__shape *shape, uint32_t parent)
{
    void *items = prefix->threads;
    prefix_thread *thread;

    if (prefix->thread_count - base >= PREFIX_THREADS)
        return NULL;
    if (surety__grow(prefix->alloc, &items, &prefix->thread_cap,
                     prefix->thread_count + 1, sizeof(*thread),
                     PREFIX_NONE - 1)) {
        prefix->nomem = true;
        return NULL;
    }
    prefix->threads = items;
    thread = &prefix->threads[prefix->thread_count++];
    *thread = (prefix_thread){.shape = shape, .parent = parent};
    return thread;
}

/* What the kind of an open value says, as far as it is certain. */
static enum surety__how thread_how(const surety__prefix *prefix,
                                   const surety__shape *shape,
                                   const surety__cell *cell)
{
    unsigned how = shape->how[cell->kind];

    if (shape->always)
        return HOW_YES;
    if (surety__prefix_is_firm(prefix, cell))
        return (enum surety__how)how;
    if (!(prefix->flags & SURETY__PREFIX_STRICT) || cell->kind >= CELL_STRING)
        return HOW_WALK;
    if (!surety__cell_is_number(cell))
        return how == HOW_NO ? HOW_NO : HOW_WALK;
    return shape->how[CELL_INT] == HOW_NO && shape->how[CELL_WHOLE] == HOW_NO &&
                   shape->how[CELL_REAL] == HOW_NO
               ? HOW_NO
               : HOW_WALK;
}

void surety__thread_ask(surety__prefix *prefix, uint32_t parent,
                        const surety__shape *shape, struct prefix_cause child)
{
    const surety__cell *const cell =
        &prefix->checker->machine.doc->cells[child.cell];
    const bool align = prefix->flags & SURETY__PREFIX_ALIGN;
    const bool open = cell->flags & FLAG_OPEN;
    prefix_thread *thread;
    enum surety__how how;

    shape = shape->direct;
    if (!open && thread_may_check(prefix)) {
        if (!thread_holds(prefix, shape, cell))
            surety__thread_kill(prefix, parent, child);
        return;
    }
    if (!open && align && cell->kind < CELL_ARRAY) {
        if (!thread_bounds_hold(prefix, shape, cell))
            surety__thread_kill(prefix, parent, child);
        return;
    }
    how = thread_how(prefix, shape, cell);
    if (how == HOW_NO && !align) {
        if (!shape->never)
            child.keyword = KW_TYPE;
        surety__thread_kill(prefix, parent, child);
    }
    if (how <= HOW_YES)
        return;
    thread = thread_add(prefix, prefix->base, shape, parent);
    if (thread)
        thread->entry = true;
    else if (parent != PREFIX_NONE)
        prefix->threads[parent].undecided = true;
}

void surety__thread_name(surety__prefix *prefix, uint32_t parent,
                         const surety__shape *shape, struct prefix_cause name)
{
    const surety__cell *const key =
        &prefix->checker->machine.doc->cells[name.key];
    bool holds = true;

    shape = shape->direct;
    if (thread_may_check(prefix))
        holds = thread_holds(prefix, shape, key);
    else if (shape->how[CELL_KEY] <= HOW_YES)
        holds = shape->how[CELL_KEY] == HOW_YES;
    else if (shape->how[CELL_KEY] == HOW_CHECK)
        holds = thread_leaf_holds(prefix, shape, key);
    else
        prefix->threads[parent].undecided = true;
    if (!holds)
        surety__thread_kill(prefix, parent, name);
}

/* A subschema for the same value in the thread, or a branch of a union in it;
 * whether it may hold. */
static bool spread_one(surety__prefix *prefix, const prefix_level *level,
                       uint32_t thread, const surety__shape *shape)
{
    const uint32_t inplace = prefix->threads[thread].inplace + 1;
    enum surety__how how;
    prefix_thread *added = NULL;

    shape = shape->direct;
    how = (enum surety__how)shape->how[level->kind];
    if (how == HOW_NO)
        return prefix->flags & SURETY__PREFIX_ALIGN;
    if (how == HOW_YES)
        return true;
    if (inplace <= prefix->checker->machine.limits.inplace_depth_max)
        added = thread_add(prefix, level->thread, shape, thread);
    if (added)
        added->inplace = inplace;
    else
        prefix->threads[thread].undecided = true;
    return true;
}

static void spread_union(surety__prefix *prefix, const prefix_level *level,
                         uint32_t thread, const surety__applicator *applicator)
{
    const bool any = applicator->kind == APPLY_ANY;
    const uint32_t at = (uint32_t)prefix->thread_count;
    prefix_thread *added;

    for (uint32_t i = 0; any && i < applicator->count; i++)
        if (applicator->shapes[i]->direct->how[level->kind] == HOW_YES)
            return;
    added = thread_add(prefix, level->thread, prefix->threads[thread].shape,
                       thread);
    if (!added) {
        prefix->threads[thread].undecided = true;
        return;
    }
    added->node = any ? NODE_ANY : NODE_ONE;
    added->inplace = prefix->threads[thread].inplace;
    for (uint32_t i = 0; i < applicator->count; i++)
        if (spread_one(prefix, level, at, applicator->shapes[i]))
            prefix->threads[at].alive++;
    if (prefix->threads[at].undecided)
        prefix->threads[thread].undecided = true;
    if (!prefix->threads[at].alive)
        surety__thread_kill(prefix, at,
                            (struct prefix_cause){level->cell, level->key,
                                                  applicator->keyword});
}

/* Whether something that the shape itself asks of a container waits for its
 * end. */
static bool spread_waits(const surety__shape *shape, unsigned kind)
{
    const surety__arrays *const arrays = shape->arrays;
    const surety__objects *const objects = shape->objects;

    if (kind < CELL_ARRAY)
        return false;
    if (shape->choices || shape->constant)
        return true;
    if (kind == CELL_ARRAY)
        return arrays &&
               (arrays->unique || arrays->contains || arrays->unevaluated);
    return objects && (objects->dependent_count || objects->unevaluated);
}

/* What one thread leads to. */
static void spread_thread(surety__prefix *prefix, const prefix_level *level,
                          uint32_t thread)
{
    const struct prefix_cause cause = {level->cell, level->key, KW_TYPE};
    const bool align = prefix->flags & SURETY__PREFIX_ALIGN;
    const surety__shape *shape = prefix->threads[thread].shape;

    if (!align)
        shape = surety__route_end(shape, level->kind);
    prefix->threads[thread].shape = shape;
    if (shape->how[level->kind] == HOW_NO && !align)
        surety__thread_kill(prefix, thread, cause);
    if (shape->how[level->kind] <= HOW_YES)
        return;
    prefix->threads[thread].undecided |= spread_waits(shape, level->kind);
    for (uint32_t a = 0; a < shape->applicator_count; a++) {
        const surety__applicator *applicator = &shape->applicators[a];

        switch (applicator->kind) {
        case APPLY_ALL:
            for (uint32_t i = 0; i < applicator->count; i++)
                if (!spread_one(prefix, level, thread, applicator->shapes[i]))
                    surety__thread_kill(prefix, thread, cause);
            break;
        case APPLY_ANY:
        case APPLY_ONE: spread_union(prefix, level, thread, applicator); break;
        default: prefix->threads[thread].undecided = true;
        }
    }
}

void surety__thread_spread(surety__prefix *prefix, prefix_level *level)
{
    level->spread = true;
    for (uint32_t i = level->thread; i < prefix->thread_count && !prefix->dead;
         i++)
        if (prefix->threads[i].node == NODE_ALL &&
            surety__thread_lives(prefix, i))
            spread_thread(prefix, level, i);
}

/* ---- strings ------------------------------------------------------------ */

/* Whether one of choices is a string that starts so. */
static bool string_begins(surety__prefix *prefix, const surety__shape *shape,
                          const surety__choices *choices, surety_str text)
{
    const surety_doc *const doc = shape->at.doc;

    if (!surety__prefix_charge(prefix, 1 + choices->count / 8))
        return true;
    for (uint32_t i = 0; i < choices->count; i++) {
        const surety__cell *cell = &doc->cells[choices->list[i].value];

        if (surety__cell_is_string(cell) &&
            surety__str_starts(surety__cell_str(doc, cell), text))
            return true;
    }
    return false;
}

void surety__thread_string(surety__prefix *prefix, prefix_level *level)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    const surety_str text = surety__cell_str(doc, &doc->cells[level->cell]);
    struct prefix_cause cause = {level->cell, level->key, KW_MAX_LENGTH};

    if (text.len <= level->counted || (prefix->flags & SURETY__PREFIX_ALIGN))
        return;
    for (; level->counted < text.len; level->counted++)
        level->chars +=
            ((unsigned char)text.ptr[level->counted] & 0xC0) != 0x80;
    for (uint32_t i = level->thread; i < prefix->thread_count && !prefix->dead;
         i++) {
        const surety__shape *shape = prefix->threads[i].shape;

        if (prefix->threads[i].node != NODE_ALL ||
            !surety__thread_lives(prefix, i))
            continue;
        if (shape->strings && level->chars > shape->strings->max_length) {
            cause.keyword = KW_MAX_LENGTH;
            surety__thread_kill(prefix, i, cause);
        } else if (shape->constant &&
                   !string_begins(prefix, shape, shape->constant, text)) {
            cause.keyword = KW_CONST;
            surety__thread_kill(prefix, i, cause);
        } else if (shape->choices &&
                   !string_begins(prefix, shape, shape->choices, text)) {
            cause.keyword = KW_ENUM;
            surety__thread_kill(prefix, i, cause);
        }
    }
}

/* ---- the end of a value ------------------------------------------------- */

static void end_scalar(surety__prefix *prefix, prefix_level *level)
{
    const surety__cell *const cell =
        &prefix->checker->machine.doc->cells[level->cell];
    const struct prefix_cause cause = {level->cell, level->key, KW_NONE};
    const bool align = prefix->flags & SURETY__PREFIX_ALIGN;
    const bool check = thread_may_check(prefix);

    if (!check && !align && !level->spread)
        surety__thread_spread(prefix, level);
    for (uint32_t i = level->thread; i < prefix->thread_count && !prefix->dead;
         i++) {
        const prefix_thread *thread = &prefix->threads[i];
        bool holds = true;

        if (thread->node != NODE_ALL || (check && !thread->entry) ||
            !surety__thread_lives(prefix, i))
            continue;
        if (align)
            holds = thread_bounds_hold(prefix, thread->shape, cell);
        else if (check)
            holds = thread_holds(prefix, thread->shape, cell);
        else
            holds = thread_leaf_holds(prefix, thread->shape, cell);
        if (!holds)
            surety__thread_kill(prefix, i, cause);
    }
}

/* The keyword that the number of children breaks, and required. */
static surety__keyword end_count(const prefix_thread *thread,
                                 const surety__cell *cell)
{
    const surety__arrays *const arrays = thread->shape->arrays;
    const surety__objects *const objects = thread->shape->objects;

    if (cell->kind == CELL_ARRAY && arrays)
        return cell->count < arrays->min_items   ? KW_MIN_ITEMS
               : cell->count > arrays->max_items ? KW_MAX_ITEMS
                                                 : KW_NONE;
    if (cell->kind != CELL_OBJECT || !objects)
        return KW_NONE;
    return thread->required < objects->required_count ? KW_REQUIRED
           : cell->count < objects->min_properties    ? KW_MIN_PROPERTIES
           : cell->count > objects->max_properties    ? KW_MAX_PROPERTIES
                                                      : KW_NONE;
}

/* Checks the whole value for a thread that left something to its end, if it may
 * be looked at again; false: it may not. */
static bool end_recheck(surety__prefix *prefix, const prefix_level *level,
                        uint32_t thread)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    const surety__cell *const cell = &doc->cells[level->cell];
    const struct prefix_cause cause = {level->cell, level->key, KW_NONE};
    const bool root = thread == 0 && prefix->level_count == 1;

    if ((prefix->schema->dynamic && !root) ||
        prefix->rechecked + cell->span >
            RECHECK_BASE + RECHECK_SHARE * (uint64_t)doc->cell_count)
        return false;
    prefix->rechecked += cell->span;
    if (!thread_holds(
            prefix, root ? prefix->schema->root : prefix->threads[thread].shape,
            cell))
        surety__thread_kill(prefix, thread, cause);
    prefix->threads[thread].settled = true;
    return true;
}

/* Unions first: whether exactly one branch holds is known only of one that has
 * not more than one left. */
static void end_unions(surety__prefix *prefix, const prefix_level *level)
{
    prefix_thread *const threads = prefix->threads;

    for (size_t i = level->thread; i < prefix->thread_count; i++)
        if (threads[i].node == NODE_ONE && threads[i].alive > 1)
            threads[threads[i].parent].undecided = true;
}

static void end_container(surety__prefix *prefix, const prefix_level *level,
                          bool whole)
{
    const surety__cell *const cell =
        &prefix->checker->machine.doc->cells[level->cell];
    struct prefix_cause cause = {level->cell, level->key, KW_NONE};
    prefix_thread *const threads = prefix->threads;

    for (uint32_t i = level->thread;
         whole && i < prefix->thread_count && !prefix->dead; i++) {
        if (threads[i].node != NODE_ALL || !surety__thread_lives(prefix, i))
            continue;
        cause.keyword = end_count(&threads[i], cell);
        if (cause.keyword)
            surety__thread_kill(prefix, i, cause);
    }
    end_unions(prefix, level);
    for (uint32_t i = level->thread; i < prefix->thread_count && !prefix->dead;
         i++) {
        prefix_thread *thread = &threads[i];

        if (!thread->entry && threads[thread->parent].settled)
            thread->settled = true;
        if (thread->settled || thread->node != NODE_ALL ||
            !(thread->undecided || !whole) || !surety__thread_lives(prefix, i))
            continue;
        if (!end_recheck(prefix, level, i))
            break;
    }
}

void surety__thread_end(surety__prefix *prefix, prefix_level *level, bool whole)
{
    if (level->kind < CELL_ARRAY)
        end_scalar(prefix, level);
    else if (!(prefix->flags & SURETY__PREFIX_ALIGN))
        end_container(prefix, level, whole);
}
