/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: the shapes that apply to a value, as far as it has come; see
 * prefix.c.
 *
 * A thread counts its parts that are not proven: subschemas for the same value,
 * open children, and the own assertions of the shape, which are proven at the
 * end of the value or when nothing that follows can change them
 * (prefix_past.c). A part that stays unknown is counted and never decided.
 *
 * A child that is complete is checked, and so needs no thread, unless the
 * schema has dynamic references or the value is going to be aligned; then it is
 * taken apart as an open one. */
#include "schema/assert.h"
#include "schema/prefix.h"

/* Cells of values that have ended and may be looked at again: this many, and
 * this many for each cell that has come. */
enum { RECHECK_BASE = 4096, RECHECK_SHARE = 4 };

/* ---- states ------------------------------------------------------------- */

bool surety__thread_is_open(surety__prefix *prefix, uint32_t thread)
{
    prefix_thread *const threads = prefix->threads;
    const uint32_t parent = threads[thread].parent;

    if (parent != PREFIX_NONE && threads[parent].state &&
        !threads[thread].state)
        threads[thread].state = PREFIX_UNKNOWN;
    return !threads[thread].state;
}

bool surety__thread_next(surety__prefix *prefix, uint32_t *at)
{
    while (*at < prefix->thread_count && !prefix->refuted &&
           !surety__thread_is_open(prefix, *at))
        ++*at;
    return *at < prefix->thread_count && !prefix->refuted;
}

/* The state of a union or an if by those of its parts. */
static enum prefix_state node_state(const prefix_thread *node)
{
    static const struct {
        uint32_t parts;
        enum prefix_state state;
    } known[] = {
#define BOTH(a, a_state, b, b_state)                                           \
    IF_KNOWS(ROLE_##a, PREFIX_##a_state) | IF_KNOWS(ROLE_##b, PREFIX_##b_state)
        {BOTH(IF, PROVEN, THEN, REFUTED), PREFIX_REFUTED},
        {BOTH(IF, REFUTED, ELSE, REFUTED), PREFIX_REFUTED},
        {BOTH(THEN, REFUTED, ELSE, REFUTED), PREFIX_REFUTED},
        {BOTH(IF, PROVEN, THEN, PROVEN), PREFIX_PROVEN},
        {BOTH(IF, REFUTED, ELSE, PROVEN), PREFIX_PROVEN},
        {BOTH(THEN, PROVEN, ELSE, PROVEN), PREFIX_PROVEN},
#undef BOTH
    };

    if (node->node == NODE_ANY)
        return node->proven ? PREFIX_PROVEN
               : node->open ? PREFIX_OPEN
                            : PREFIX_REFUTED;
    if (node->node == NODE_ONE)
        return node->proven > 1 || !node->open   ? PREFIX_REFUTED
               : node->proven && node->open == 1 ? PREFIX_PROVEN
                                                 : PREFIX_OPEN;
    for (size_t i = 0; i < SURETY__COUNT(known); i++)
        if ((node->known & known[i].parts) == known[i].parts)
            return known[i].state;
    return PREFIX_OPEN;
}

/* A part of a node is refuted or proven. */
static void node_hear(prefix_thread *node, unsigned role,
                      enum prefix_state state)
{
    if (node->node == NODE_IF) {
        node->known |= IF_KNOWS(role, state);
    } else {
        node->open -= state == PREFIX_REFUTED;
        node->proven += state == PREFIX_PROVEN;
    }
}

void surety__thread_settle(surety__prefix *prefix, uint32_t thread,
                           enum prefix_state state, struct prefix_cause cause)
{
    assert(state != PREFIX_OPEN);
    while (thread != PREFIX_NONE) {
        prefix_thread *const part = &prefix->threads[thread];
        prefix_thread *const parent =
            part->parent == PREFIX_NONE ? NULL : &prefix->threads[part->parent];

        if (part->state)
            return;
        part->state = (uint8_t)state;
        if (state == PREFIX_UNKNOWN)
            return;
        thread = part->parent;
        if (part->role == ROLE_NOT) {
            state = state == PREFIX_REFUTED ? PREFIX_PROVEN : PREFIX_REFUTED;
            cause = part->cause;
        }
        if (!parent)
            break;
        if (parent->node == NODE_ALL) {
            assert(parent->open);
            if (state == PREFIX_PROVEN && --parent->open)
                return;
            continue;
        }
        node_hear(parent, part->role, state);
        if (parent->node == NODE_IF) {
            if (part->role != ROLE_IF && state == PREFIX_REFUTED)
                parent->cause = cause;
            cause = parent->cause;
        } else if (state == PREFIX_PROVEN) {
            cause = parent->cause;
        }
        state = node_state(parent);
        if (!state)
            return;
    }
    if (state == PREFIX_REFUTED) {
        prefix->cause = cause;
        prefix->refuted = true;
    }
}

void surety__thread_own(surety__prefix *prefix, uint32_t thread)
{
    prefix_thread *const own = &prefix->threads[thread];

    if (own->own)
        return;
    assert(own->node == NODE_ALL && own->open);
    own->own = true;
    if (--own->open == 0)
        surety__thread_settle(prefix, thread, PREFIX_PROVEN, own->cause);
}

void surety__thread_if(surety__prefix *prefix, uint32_t thread, bool holds)
{
    prefix_thread *const node = &prefix->threads[thread];
    enum prefix_state state;

    assert(node->node == NODE_IF);
    node_hear(node, ROLE_IF, holds ? PREFIX_PROVEN : PREFIX_REFUTED);
    state = node_state(node);
    if (state)
        surety__thread_settle(prefix, thread, state, node->cause);
}

bool surety__thread_may_check(const surety__prefix *prefix)
{
    return !prefix->schema->dynamic && !(prefix->flags & SURETY__PREFIX_ALIGN);
}

/* The state after an evaluation; its limit decides nothing. */
static enum prefix_state thread_answer(surety__prefix *prefix, bool answer)
{
    surety__machine *const machine = &prefix->checker->machine;
    const surety_status status = machine->status;

    machine->status = SURETY_OK;
    prefix->nomem = prefix->nomem || status == SURETY_NOMEM;
    return status ? PREFIX_UNKNOWN : answer ? PREFIX_PROVEN : PREFIX_REFUTED;
}

enum prefix_state surety__thread_check(surety__prefix *prefix,
                                       const surety__shape *shape,
                                       const surety__cell *cell)
{
    surety__machine *const machine = &prefix->checker->machine;

    machine->bits_len = 0;
    surety__shape_holds(machine, shape, cell, BITS_NONE);
    return thread_answer(prefix, machine->result);
}

/* The same for the shape without its subschemas. */
static enum prefix_state thread_leaf(surety__prefix *prefix,
                                     const surety__shape *shape,
                                     const surety__cell *cell)
{
    if (shape->how[cell->kind] == HOW_NO)
        return PREFIX_REFUTED;
    if (!(shape->checks >> cell->kind & 1))
        return PREFIX_PROVEN;
    return thread_answer(
        prefix, surety__leaf_holds(&prefix->checker->machine, shape, cell));
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
           thread_leaf(prefix, shape, cell) != PREFIX_REFUTED;
}

/* ---- new threads -------------------------------------------------------- */

/* A thread at the end of those of the value at hand, which begin at base; NULL
 * where there is no room or no memory. The parent waits for it, unless it is a
 * node, which counts its parts. */
static prefix_thread *thread_add(surety__prefix *prefix, size_t base,
                                 prefix_thread made)
{
    const prefix_thread *parent;

    if (prefix->thread_count - base >= PREFIX_THREADS)
        return NULL;
    if (surety__grow(prefix->alloc, &prefix->threads, &prefix->thread_cap,
                     prefix->thread_count + 1, sizeof(made), PREFIX_NONE - 1)) {
        prefix->nomem = true;
        return NULL;
    }
    assert(made.shape || made.applicator);
    if (made.parent != PREFIX_NONE) {
        assert(made.parent < prefix->thread_count);
        parent = &prefix->threads[made.parent];
        made.needed = parent->needed || made.role == ROLE_NOT ||
                      made.role == ROLE_IF || parent->node == NODE_ONE;
    }
    made.open = made.node == NODE_ALL;
    prefix->threads[prefix->thread_count] = made;
    return &prefix->threads[prefix->thread_count++];
}

/* The validity by the kind of an open value, as far as that is certain. */
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
    enum surety__how how;

    shape = shape->direct;
    if (!open && surety__thread_may_check(prefix)) {
        surety__thread_hear(prefix, parent,
                            surety__thread_check(prefix, shape, cell), child);
        return;
    }
    if (!open && align && cell->kind < CELL_ARRAY) {
        if (!thread_bounds_hold(prefix, shape, cell))
            surety__thread_refute(prefix, parent, child);
        return;
    }
    how = thread_how(prefix, shape, cell);
    if (how == HOW_NO && !align) {
        if (!shape->never)
            child.keyword = KW_TYPE;
        surety__thread_refute(prefix, parent, child);
    }
    if (how <= HOW_YES)
        return;
    surety__thread_wait(prefix, parent);
    thread_add(
        prefix, prefix->base,
        (prefix_thread){.shape = shape, .cause = child, .parent = parent});
}

void surety__thread_name(surety__prefix *prefix, uint32_t parent,
                         const surety__shape *shape, struct prefix_cause name)
{
    const surety__cell *const key =
        &prefix->checker->machine.doc->cells[name.key];
    enum prefix_state state = PREFIX_UNKNOWN;

    shape = shape->direct;
    if (surety__thread_may_check(prefix))
        state = surety__thread_check(prefix, shape, key);
    else if (shape->how[CELL_KEY] <= HOW_YES)
        state =
            shape->how[CELL_KEY] == HOW_YES ? PREFIX_PROVEN : PREFIX_REFUTED;
    else if (shape->how[CELL_KEY] == HOW_CHECK)
        state = thread_leaf(prefix, shape, key);
    surety__thread_hear(prefix, parent, state, name);
}

/* A subschema for the same value in the thread: decided by the kind, or a
 * thread for it, if there is room. What is aligned may become of another kind.
 */
static enum prefix_state spread_one(surety__prefix *prefix,
                                    const prefix_level *level, uint32_t thread,
                                    const surety__shape *shape,
                                    enum prefix_role role)
{
    enum surety__how how;

    shape = shape->direct;
    how = (enum surety__how)shape->how[level->kind];
    if (how <= HOW_YES)
        return prefix->flags & SURETY__PREFIX_ALIGN ? PREFIX_OPEN
               : how == HOW_YES                     ? PREFIX_PROVEN
                                                    : PREFIX_REFUTED;
    thread_add(prefix, level->thread,
               (prefix_thread){
                   .shape = shape,
                   .cause = surety__level_cause(
                       level, role == ROLE_NOT ? KW_NOT : KW_NONE),
                   .parent = thread,
                   .role = (uint8_t)role,
               });
    return PREFIX_OPEN;
}

/* One of several subschemas that all have to hold, or the one of a not. */
static void spread_part(surety__prefix *prefix, const prefix_level *level,
                        uint32_t thread, const surety__shape *shape,
                        enum prefix_role role)
{
    const enum prefix_state state =
        spread_one(prefix, level, thread, shape, role);
    const bool not = role == ROLE_NOT;

    if (state == PREFIX_OPEN)
        surety__thread_wait(prefix, thread);
    else if (state == (not ? PREFIX_PROVEN : PREFIX_REFUTED))
        surety__thread_refute(
            prefix, thread, surety__level_cause(level, not ? KW_NOT : KW_TYPE));
}

/* A node in the thread; PREFIX_NONE where there is no room for it. */
static uint32_t spread_node(surety__prefix *prefix, const prefix_level *level,
                            uint32_t thread, enum prefix_node node,
                            const surety__applicator *applicator)
{
    const prefix_thread *const around = &prefix->threads[thread];
    const prefix_thread made = {
        .shape = around->shape,
        .applicator = applicator,
        .cause = surety__level_cause(level, applicator->keyword),
        .parent = thread,
        .node = (uint8_t)node,
    };
    const uint32_t at = (uint32_t)prefix->thread_count;

    surety__thread_wait(prefix, thread);
    return thread_add(prefix, level->thread, made) ? at : PREFIX_NONE;
}

/* All parts of the node are added. */
static void spread_settle(surety__prefix *prefix, uint32_t node)
{
    const enum prefix_state state = node_state(&prefix->threads[node]);

    if (state)
        surety__thread_settle(prefix, node, state, prefix->threads[node].cause);
}

static void spread_union(surety__prefix *prefix, const prefix_level *level,
                         uint32_t thread, const surety__applicator *applicator)
{
    const bool any = applicator->kind == APPLY_ANY;
    uint32_t at;

    for (uint32_t i = 0; any && i < applicator->count; i++)
        if (applicator->shapes[i]->direct->how[level->kind] == HOW_YES)
            return;
    at = spread_node(prefix, level, thread, any ? NODE_ANY : NODE_ONE,
                     applicator);
    if (at == PREFIX_NONE)
        return;
    prefix->threads[at].open = applicator->count;
    for (uint32_t i = 0; i < applicator->count; i++) {
        const enum prefix_state state =
            spread_one(prefix, level, at, applicator->shapes[i], ROLE_PART);

        node_hear(&prefix->threads[at], ROLE_PART, state);
    }
    spread_settle(prefix, at);
}

/* if, then and else, of which the latter may be absent; or then alone, where a
 * member decides in place of if. */
static void spread_if(surety__prefix *prefix, const prefix_level *level,
                      uint32_t thread, const surety__applicator *applicator)
{
    const bool alone = applicator->kind != APPLY_IF;
    const uint32_t at = spread_node(prefix, level, thread, NODE_IF, applicator);

    if (at == PREFIX_NONE)
        return;
    for (uint32_t i = 0; i < 3; i++) {
        const enum prefix_role role = (enum prefix_role)(ROLE_IF + i);
        const surety__shape *const shape = !alone   ? applicator->shapes[i]
                                           : i == 1 ? applicator->shapes[0]
                                                    : NULL;
        enum prefix_state state = PREFIX_PROVEN;

        if (alone && role == ROLE_IF)
            continue;
        if (shape)
            state = spread_one(prefix, level, at, shape, role);
        if (state)
            node_hear(&prefix->threads[at], role, state);
    }
    spread_settle(prefix, at);
}

static void spread_applicator(surety__prefix *prefix, const prefix_level *level,
                              uint32_t thread,
                              const surety__applicator *applicator)
{
    const bool align = prefix->flags & SURETY__PREFIX_ALIGN;

    switch (applicator->kind) {
    case APPLY_ALL:
        for (uint32_t i = 0; i < applicator->count; i++)
            spread_part(prefix, level, thread, applicator->shapes[i],
                        ROLE_PART);
        break;
    case APPLY_ANY:
    case APPLY_ONE: spread_union(prefix, level, thread, applicator); break;
    case APPLY_DYNAMIC: surety__thread_wait(prefix, thread); break;
    case APPLY_NOT:
        if (!align)
            spread_part(prefix, level, thread, applicator->shapes[0], ROLE_NOT);
        break;
    case APPLY_IF:
        if (!align)
            spread_if(prefix, level, thread, applicator);
        break;
    default:
        if (!align && level->kind == CELL_OBJECT)
            spread_if(prefix, level, thread, applicator);
    }
}

/* Adds the threads that one thread leads to. */
static void spread_thread(surety__prefix *prefix, const prefix_level *level,
                          uint32_t thread)
{
    const bool align = prefix->flags & SURETY__PREFIX_ALIGN;
    const surety__shape *shape = prefix->threads[thread].shape;

    if (!align)
        shape = surety__route_end(shape, level->kind);
    prefix->threads[thread].shape = shape;
    if (shape->how[level->kind] <= HOW_YES) {
        if (!align)
            surety__thread_settle(prefix, thread,
                                  shape->how[level->kind] == HOW_YES
                                      ? PREFIX_PROVEN
                                      : PREFIX_REFUTED,
                                  surety__level_cause(level, KW_TYPE));
        return;
    }
    for (uint32_t a = 0; a < shape->applicator_count; a++)
        spread_applicator(prefix, level, thread, &shape->applicators[a]);
    if (!align)
        surety__past_begin(prefix, level, thread);
}

void surety__thread_spread(surety__prefix *prefix, prefix_level *level)
{
    level->spread = true;
    for (uint32_t i = level->thread; surety__thread_next(prefix, &i); i++)
        if (prefix->threads[i].node == NODE_ALL)
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

    if (text.len <= level->counted || (prefix->flags & SURETY__PREFIX_ALIGN))
        return;
    for (; level->counted < text.len; level->counted++)
        level->chars +=
            ((unsigned char)text.ptr[level->counted] & 0xC0) != 0x80;
    for (uint32_t i = level->thread; surety__thread_next(prefix, &i); i++) {
        const surety__shape *shape = prefix->threads[i].shape;
        surety__keyword broken = KW_NONE;

        if (prefix->threads[i].node != NODE_ALL)
            continue;
        if (shape->strings && level->chars > shape->strings->max_length)
            broken = KW_MAX_LENGTH;
        else if (shape->constant &&
                 !string_begins(prefix, shape, shape->constant, text))
            broken = KW_CONST;
        else if (shape->choices &&
                 !string_begins(prefix, shape, shape->choices, text))
            broken = KW_ENUM;
        if (broken)
            surety__thread_refute(prefix, i,
                                  surety__level_cause(level, broken));
    }
}

/* ---- the end of a value ------------------------------------------------- */

static void end_scalar(surety__prefix *prefix, prefix_level *level)
{
    const surety__cell *const cell =
        &prefix->checker->machine.doc->cells[level->cell];
    const struct prefix_cause cause = surety__level_cause(level, KW_NONE);
    const bool align = prefix->flags & SURETY__PREFIX_ALIGN;
    const bool check = surety__thread_may_check(prefix);

    if (!check && !align && !level->spread)
        surety__thread_spread(prefix, level);
    for (uint32_t i = level->thread; surety__thread_next(prefix, &i); i++) {
        const surety__shape *const shape = prefix->threads[i].shape;
        enum prefix_state state;

        if (prefix->threads[i].node != NODE_ALL)
            continue;
        if (align)
            state = thread_bounds_hold(prefix, shape, cell) ? PREFIX_UNKNOWN
                                                            : PREFIX_REFUTED;
        else if (check)
            state = surety__thread_check(prefix, shape, cell);
        else
            state = thread_leaf(prefix, shape, cell);
        if (check || state != PREFIX_PROVEN)
            surety__thread_settle(prefix, i, state, cause);
        else
            surety__thread_own(prefix, i);
    }
}

/* Whether the children that were counted for contains are enough, and those are
 * there on which others depend. */
static enum prefix_state end_named(surety__prefix *prefix,
                                   const prefix_thread *thread,
                                   const surety__cell *cell)
{
    const surety__arrays *const arrays = thread->shape->arrays;

    if (cell->kind == CELL_ARRAY)
        return arrays && arrays->contains &&
                       thread->matches < arrays->min_contains
                   ? PREFIX_REFUTED
                   : PREFIX_PROVEN;
    if (!thread->shape->objects || !thread->shape->objects->dependent_count)
        return PREFIX_PROVEN;
    return thread_answer(prefix, surety__assert_names(&prefix->checker->machine,
                                                      thread->shape, cell,
                                                      thread->required));
}

/* The own assertions of a shape on a container that has ended. */
static void end_own(surety__prefix *prefix, const prefix_level *level,
                    uint32_t thread, const surety__cell *cell)
{
    const prefix_thread *const own = &prefix->threads[thread];
    const surety__objects *const objects = own->shape->objects;
    surety__keyword broken = surety__assert_count(own->shape, cell);
    enum prefix_state state = PREFIX_REFUTED;

    if (cell->kind == CELL_OBJECT && objects &&
        own->required < objects->required_count)
        broken = KW_REQUIRED;
    if (!broken)
        state = surety__past_waits(prefix, own->shape, cell->kind)
                    ? PREFIX_UNKNOWN
                    : end_named(prefix, own, cell);
    if (state == PREFIX_REFUTED)
        surety__thread_refute(prefix, thread,
                              surety__level_cause(level, broken));
    else if (state == PREFIX_PROVEN)
        surety__thread_own(prefix, thread);
}

/* Checks the whole value for a thread that is open at its end, if it may be
 * looked at again; false: it may not. */
static bool end_recheck(surety__prefix *prefix, const prefix_level *level,
                        uint32_t thread)
{
    const surety_doc *const doc = prefix->checker->machine.doc;
    const surety__cell *const cell = &doc->cells[level->cell];
    const bool root = thread == 0 && prefix->level_count == 1;
    const surety__shape *const shape =
        root ? prefix->schema->root : prefix->threads[thread].shape;

    if ((prefix->schema->dynamic && !root) ||
        prefix->rechecked + cell->span >
            RECHECK_BASE + RECHECK_SHARE * (uint64_t)doc->cell_count)
        return false;
    prefix->rechecked += cell->span;
    surety__thread_settle(prefix, thread,
                          surety__thread_check(prefix, shape, cell),
                          surety__level_cause(level, KW_NONE));
    return true;
}

static void end_container(surety__prefix *prefix, const prefix_level *level,
                          bool whole)
{
    surety__machine *const machine = &prefix->checker->machine;
    const surety__cell *const cell = &machine->doc->cells[level->cell];

    for (uint32_t i = level->thread; whole && surety__thread_next(prefix, &i);
         i++) {
        const prefix_thread *const thread = &prefix->threads[i];

        if (thread->node == NODE_ALL)
            end_own(prefix, level, i, cell);
        else if (thread->node == NODE_IF &&
                 thread->applicator->kind != APPLY_IF &&
                 surety__prefix_charge(prefix, cell->count / 16))
            surety__thread_if(
                prefix, i,
                surety__applies(machine->doc, cell, thread->applicator));
    }
    for (uint32_t i = level->thread; surety__thread_next(prefix, &i); i++)
        if (prefix->threads[i].node == NODE_ALL &&
            !end_recheck(prefix, level, i))
            break;
}

void surety__thread_end(surety__prefix *prefix, prefix_level *level, bool whole)
{
    if (level->kind < CELL_ARRAY)
        end_scalar(prefix, level);
    else if (!(prefix->flags & SURETY__PREFIX_ALIGN))
        end_container(prefix, level, whole);
}
