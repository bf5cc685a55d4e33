/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict: does a value satisfy a shape, yes or no.
 *
 * What the kind of a value decides is looked up (surety__how, worked out by
 * fold.c); most members and items go no further. What must be walked is walked
 * without recursion: the container at work stands in local variables, those
 * that wait in `levels`, and a failure ends level after level until one is met
 * that can live with it (anyOf, oneOf, not, if, contains).
 *
 * Objects whose members are only told by name, and arrays whose items all have
 * one shape, have loops of their own; patterns, prefixes and evaluated bits
 * take the wide ones.
 *
 * Where a shape has an unevaluated keyword, its level and those applied to the
 * same value above it carry one bit for every member or item. Subschemas that
 * must hold share the bits of their level; a branch has its own until it ends,
 * and then they count below, if it was valid (2020-12 core, section 11). */
#include "schema/assert.h"

enum level_state {
    LEVEL_MEMBERS,
    LEVEL_MEMBERS_WIDE,
    LEVEL_NAMES,
    LEVEL_ITEMS,
    LEVEL_ITEMS_WIDE,
    LEVEL_CONTAINS,
    LEVEL_APPLY,
    LEVEL_REST
};

/* What is known of a subschema before a level is made for it. */
enum step { STEP_NO, STEP_YES, STEP_DOWN };

/* ---- evaluated bits ---------------------------------------------------- */

uint32_t surety__bits_open(surety__machine *machine, size_t children)
{
    size_t words = (children + 63) / 64;
    uint32_t bits = (uint32_t)machine->bits_len;
    void *items = machine->bits;
    surety_status status = surety__grow(
        machine->alloc, &items, &machine->bits_cap, machine->bits_len + words,
        sizeof(*machine->bits), UINT32_MAX - 1);

    machine->bits = items;
    if (status) {
        machine->status = SURETY_NOMEM;
        return BITS_NONE;
    }
    if (words)
        memset(machine->bits + bits, 0, words * sizeof(*machine->bits));
    machine->bits_len += words;
    return bits;
}

void surety__bits_merge(surety__machine *machine, uint32_t into, uint32_t from,
                        size_t children)
{
    for (size_t i = 0; i < (children + 63) / 64; i++)
        machine->bits[into + i] |= machine->bits[from + i];
}

/* ---- leaves ------------------------------------------------------------ */

/* A number that is no integer against bounds that are: what stands before its
 * dot decides. STEP_DOWN where that cannot be told so simply. */
static enum step leaf_real(surety_str text, const surety__numbers *numbers)
{
    bool negative = text.ptr[0] == '-';
    size_t i = negative;
    int64_t whole = 0;

    for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++) {
        if (i == 18)
            return STEP_DOWN;
        whole = whole * 10 + (text.ptr[i] - '0');
    }
    for (size_t k = i; k < text.len; k++)
        if (text.ptr[k] == 'e' || text.ptr[k] == 'E')
            return STEP_DOWN;
    whole = negative ? -whole - 1 : whole;
    /* whole < number < whole + 1 */
    return whole >= numbers->lower && whole < numbers->upper ? STEP_YES
                                                             : STEP_NO;
}

static enum step leaf_number(const surety__machine *machine,
                             const surety__shape *shape,
                             const surety__cell *cell)
{
    const surety__numbers *numbers = shape->numbers;

    if (!numbers || !numbers->ranged || shape->choices || shape->constant)
        return STEP_DOWN;
    if (cell->kind == CELL_INT)
        return cell->i >= numbers->least && cell->i <= numbers->most &&
                       (!numbers->multiple_of ||
                        cell->i % numbers->multiple_of->i == 0)
                   ? STEP_YES
                   : STEP_NO;
    if (cell->kind != CELL_REAL)
        return STEP_DOWN;
    return numbers->multiple_of
               ? STEP_NO /* which is an integer */
               : leaf_real(surety__cell_str(machine->doc, cell), numbers);
}

static enum step leaf_string(surety__machine *machine,
                             const surety__shape *shape,
                             const surety__cell *cell)
{
    const surety__strings *strings = shape->strings;
    surety_str text = surety__cell_str(machine->doc, cell);

    if ((shape->choices || shape->constant) && !shape->words)
        return STEP_DOWN;
    if (!strings)
        return surety__words_find(shape->words, text) ? STEP_YES : STEP_NO;
    if (!(cell->flags & FLAG_ASCII) || shape->words || strings->format ||
        strings->content_base64 || strings->content_json)
        return STEP_DOWN;
    if (text.len < strings->min_length || text.len > strings->max_length)
        return STEP_NO;
    return !strings->pattern ||
                   surety__assert_pattern(machine, strings->pattern, text)
               ? STEP_YES
               : STEP_NO;
}

/* Whether the cell holds what shape says of it without its subschemas. */
static bool leaf_holds(surety__machine *machine, const surety__shape *shape,
                       const surety__cell *cell)
{
    enum step step = STEP_DOWN;

    if (surety__cell_is_number(cell))
        step = leaf_number(machine, shape, cell);
    else if (surety__cell_is_string(cell))
        step = leaf_string(machine, shape, cell);
    return step == STEP_DOWN ? surety__assert_all(machine, shape, cell)
                             : step == STEP_YES;
}

/* The shape behind routes for a value of kind. */
static inline const surety__shape *route_end(const surety__shape *shape,
                                             unsigned kind)
{
    while (shape->how[kind] == HOW_ROUTE)
        shape = shape->route[kind];
    return shape;
}

/* What can be said of a child without making a level; *shape becomes the one
 * that a level is made for. */
static inline enum step child_step(surety__machine *machine,
                                   const surety__shape **shape,
                                   const surety__cell *cell)
{
    unsigned how = (*shape)->how[cell->kind];

    if (how <= HOW_YES)
        return how == HOW_YES ? STEP_YES : STEP_NO;
    if (how == HOW_ROUTE) {
        *shape = route_end(*shape, cell->kind);
        how = (*shape)->how[cell->kind];
    }
    if (how == HOW_WALK)
        return STEP_DOWN;
    return leaf_holds(machine, *shape, cell) ? STEP_YES : STEP_NO;
}

/* The same where evaluated children are marked in bits, if they are not
 * BITS_NONE: then whatever may mark them is walked. */
static enum step value_step(surety__machine *machine,
                            const surety__shape **shape,
                            const surety__cell *cell, uint32_t bits)
{
    *shape = (*shape)->direct;
    if (bits == BITS_NONE)
        return child_step(machine, shape, cell);
    if ((*shape)->how[cell->kind] == HOW_NO)
        return STEP_NO;
    return (*shape)->always ? STEP_YES : STEP_DOWN;
}

/* The same for a shape applied to the value of a level, which is work. */
static enum step inplace_step(surety__machine *machine,
                              const surety__shape **shape,
                              const surety__level *level)
{
    enum step step = value_step(machine, shape, level->cell, level->bits);

    if (step != STEP_DOWN && !surety__machine_charge(machine, 1))
        return STEP_NO;
    return step;
}

/* ---- members ----------------------------------------------------------- */

static inline bool slot_is(const surety__slot *slot, const char *name)
{
    const char *other = slot->name;
    uint32_t len = slot->len;
    uint64_t a, b, c, d;
    uint32_t e, f, g, h;

    if (len >= 8 && len <= 16) {
        memcpy(&a, name, 8);
        memcpy(&b, other, 8);
        memcpy(&c, name + len - 8, 8);
        memcpy(&d, other + len - 8, 8);
        return ((a ^ b) | (c ^ d)) == 0;
    }
    if (len >= 4 && len < 8) {
        memcpy(&e, name, 4);
        memcpy(&f, other, 4);
        memcpy(&g, name + len - 4, 4);
        memcpy(&h, other + len - 4, 4);
        return ((e ^ f) | (g ^ h)) == 0;
    }
    if (len >= 4)
        return memcmp(name, other, len) == 0;
    while (len-- > 0)
        if (name[len] != other[len])
            return false;
    return true;
}

static inline const surety__slot *slot_find(const surety__objects *objects,
                                            const surety_doc *doc,
                                            const surety__cell *key)
{
    uint32_t at = surety__slot_first(objects->slot_mask, key->hash);
    const surety__slot *slot = &objects->slots[at];

    while (slot->shape) {
        if (slot->hash == key->hash && slot->len == key->len &&
            slot_is(slot, surety__cell_str(doc, key).ptr))
            return slot;
        at = (at + 1) & objects->slot_mask;
        slot = &objects->slots[at];
    }
    return NULL;
}

/* Where the wide loop stands within a member. */
struct wide {
    uint32_t sub; /* 0: properties; then the patterns; then the rest */
    uint32_t required;
    bool matched;
};

/* The next shape for the value of the member whose key is at hand, or NULL. */
static const surety__shape *wide_member(surety__machine *machine,
                                        const surety__objects *objects,
                                        const surety__cell *key,
                                        struct wide *wide)
{
    surety_str name = surety__cell_str(machine->doc, key);

    if (wide->sub == 0) {
        const surety__property *property =
            surety__objects_find(objects, machine->doc, key);

        wide->sub = 1;
        wide->matched = property && property->shape;
        wide->required += property && property->required;
        if (wide->matched)
            return property->shape->direct;
    }
    while (wide->sub <= objects->pattern_count) {
        const surety__pattern_member *pattern =
            &objects->patterns[wide->sub++ - 1];

        if (!surety__assert_pattern(machine, pattern->pattern, name))
            continue;
        wide->matched = true;
        return pattern->shape->direct;
    }
    if (wide->matched || !objects->additional)
        return NULL;
    wide->matched = true;
    return objects->additional->direct;
}

/* ---- what applies to the same value ------------------------------------ */

/* The branches of an anyOf or oneOf that the value can satisfy, as bits; of
 * more than 64 nothing is known. */
static uint64_t branches_of(const surety__machine *machine,
                            const surety__applicator *applicator,
                            const surety__cell *cell)
{
    const surety__switch *branching = applicator->branching;
    const surety__cell *member;
    const surety__word *word = NULL;

    if (applicator->count > 64)
        return UINT64_MAX;
    if (!branching || cell->kind != CELL_OBJECT)
        return UINT64_MAX >> (64 - applicator->count);
    member =
        surety__member(machine->doc, cell, branching->name, branching->hash);
    if (!member)
        return branching->lacking;
    if (member->kind == CELL_STRING)
        word = surety__words_find(&branching->words,
                                  surety__cell_str(machine->doc, member));
    return word ? branching->open | word->branches : branching->open;
}

/* The next branch to be tried, or UINT32_MAX. */
static uint32_t branch_next(const surety__applicator *applicator,
                            surety__level *level)
{
    if (applicator->count > 64)
        return level->sub < applicator->count ? level->sub++ : UINT32_MAX;
    if (!level->branches)
        return UINT32_MAX;
    level->sub = (uint32_t)__builtin_ctzll(level->branches);
    level->branches &= level->branches - 1;
    return level->sub;
}

/* Each of the following does the next piece of the level's applicator; DOWN
 * with *ret_shape where a level must be made. `back` is the verdict of the one
 * that was made last, or DOWN at the beginning. */

static enum step verdict_all(surety__machine *machine, surety__level *level,
                             const surety__applicator *applicator,
                             enum step back, const surety__shape **ret_shape)
{
    if (back == STEP_NO)
        return STEP_NO;
    while (level->sub < applicator->count) {
        const surety__shape *shape = applicator->shapes[level->sub++];
        enum step step;

        if (applicator->kind == APPLY_DYNAMIC) {
            size_t levels = (size_t)(level - machine->levels) + 1;

            if (!surety__machine_charge(machine,
                                        (machine->depth + levels) / 32))
                return STEP_NO;
            shape = surety__machine_dynamic(machine, levels, applicator);
        }
        step = inplace_step(machine, &shape, level);
        *ret_shape = shape;
        if (step != STEP_YES)
            return step;
    }
    return STEP_YES;
}

static enum step verdict_branches(surety__machine *machine,
                                  surety__level *level,
                                  const surety__applicator *applicator,
                                  enum step back,
                                  const surety__shape **ret_shape)
{
    uint32_t enough = level->bits != BITS_NONE        ? UINT32_MAX
                      : applicator->kind == APPLY_ANY ? 1
                                                      : 2;

    if (back == STEP_DOWN) {
        level->count = 0;
        level->branches = branches_of(machine, applicator, level->cell);
    }
    level->count += back == STEP_YES;
    while (level->count < enough) {
        uint32_t branch = branch_next(applicator, level);
        const surety__shape *shape;
        enum step step;

        if (branch == UINT32_MAX)
            break;
        shape = applicator->shapes[branch];
        step = inplace_step(machine, &shape, level);
        *ret_shape = shape;
        if (step == STEP_DOWN)
            return step;
        level->count += step == STEP_YES;
    }
    return (applicator->kind == APPLY_ANY ? level->count >= 1
                                          : level->count == 1)
               ? STEP_YES
               : STEP_NO;
}

static enum step verdict_not(surety__machine *machine, surety__level *level,
                             const surety__applicator *applicator,
                             enum step back, const surety__shape **ret_shape)
{
    *ret_shape = applicator->shapes[0];
    if (back == STEP_DOWN)
        back = (*ret_shape)->always ? STEP_YES
                                    : inplace_step(machine, ret_shape, level);
    return back == STEP_DOWN ? back : back == STEP_YES ? STEP_NO : STEP_YES;
}

/* sub: 0 the if is to be decided, 1 its verdict is there, 2 then or else was
 * applied. */
static enum step verdict_if(surety__machine *machine, surety__level *level,
                            const surety__applicator *applicator,
                            enum step back, const surety__shape **ret_shape)
{
    if (level->sub == 0) {
        level->sub = 1;
        *ret_shape = applicator->shapes[0];
        back = inplace_step(machine, ret_shape, level);
        if (back == STEP_DOWN)
            return back;
    }
    if (level->sub == 1) {
        level->sub = 2;
        *ret_shape = applicator->shapes[back == STEP_YES ? 1 : 2];
        return *ret_shape ? inplace_step(machine, ret_shape, level) : STEP_YES;
    }
    return back;
}

static enum step verdict_dependent(surety__machine *machine,
                                   surety__level *level,
                                   const surety__applicator *applicator,
                                   enum step back,
                                   const surety__shape **ret_shape)
{
    const surety__cell *cell = level->cell;

    if (back != STEP_DOWN)
        return back;
    if (cell->kind != CELL_OBJECT)
        return STEP_YES;
    /* Finding the key is linear in the members. */
    if (!surety__machine_charge(machine, cell->count / 16))
        return STEP_NO;
    if (!surety__applies(machine->doc, cell, applicator))
        return STEP_YES;
    *ret_shape = applicator->shapes[0];
    return inplace_step(machine, ret_shape, level);
}

/* All applicators of the level from where it stands. */
static enum step verdict_applicators(surety__machine *machine,
                                     surety__level *level, enum step back,
                                     const surety__shape **ret_shape)
{
    const surety__shape *shape = level->shape;

    for (; level->at < shape->applicator_count; level->at++) {
        const surety__applicator *applicator = &shape->applicators[level->at];
        enum step step;

        switch (applicator->kind) {
        case APPLY_ALL:
        case APPLY_DYNAMIC:
            step = verdict_all(machine, level, applicator, back, ret_shape);
            break;
        case APPLY_ANY:
        case APPLY_ONE:
            step =
                verdict_branches(machine, level, applicator, back, ret_shape);
            break;
        case APPLY_NOT:
            step = verdict_not(machine, level, applicator, back, ret_shape);
            break;
        case APPLY_IF:
            step = verdict_if(machine, level, applicator, back, ret_shape);
            break;
        default:
            step =
                verdict_dependent(machine, level, applicator, back, ret_shape);
        }
        if (step != STEP_YES)
            return step;
        back = STEP_DOWN;
        level->sub = 0;
    }
    return STEP_YES;
}

/* Whether what the applicator at work evaluates counts only if it holds. */
static bool verdict_is_branch(const surety__level *level)
{
    enum surety__applicator_kind kind =
        level->shape->applicators[level->at].kind;

    return kind == APPLY_ANY || kind == APPLY_ONE || kind == APPLY_NOT ||
           kind == APPLY_IF;
}

/* ---- levels ------------------------------------------------------------ */

static bool level_inplace_fails(surety__machine *machine)
{
    surety__fail(machine->reterr, SURETY_LIMIT,
                 "more than %u subschemas are nested on one value "
                 "(inplace_depth_max)",
                 machine->limits.inplace_depth_max);
    machine->status = SURETY_LIMIT;
    return false;
}

/* Makes level the one for shape on cell: its own assertions, its bits. under
 * are the bits of the level below for the same value, branch tells whether
 * they may only be marked if this one holds. False: it does not hold. */
static inline bool level_begin(surety__machine *machine, surety__level *level,
                               uint32_t under, bool branch)
{
    const surety__shape *shape = level->shape;
    const surety__cell *cell = level->cell;

    level->bits = BITS_NONE;
    level->owns = false;
    /* A level may look at every child, which is no application by itself. */
    if (!surety__machine_charge(
            machine, 1 + (cell->kind >= CELL_ARRAY ? cell->count / 16 : 0)))
        return false;
    if (level->inplace > machine->limits.inplace_depth_max)
        return level_inplace_fails(machine);
    if (cell->kind >= CELL_ARRAY && (shape->tracks || under != BITS_NONE)) {
        level->owns = shape->tracks || branch;
        level->keeps = under != BITS_NONE;
        level->bits =
            level->owns ? surety__bits_open(machine, cell->count) : under;
        if (level->bits == BITS_NONE)
            return false;
    }
    level->cursor = cell + 1;
    level->left = cell->kind >= CELL_ARRAY ? cell->count : 0;
    level->count = 0;
    level->at = 0;
    level->sub = 0;
    level->matched = false;
    return !(shape->checks >> cell->kind & 1) ||
           leaf_holds(machine, shape, cell);
}

/* Lets go of a level's own bits; into are those of the level below. */
static void level_end(surety__machine *machine, const surety__level *level,
                      bool holds, uint32_t into)
{
    if (!level->owns)
        return;
    if (holds && level->keeps)
        surety__bits_merge(machine, into, level->bits, level->cell->count);
    machine->bits_len = level->bits;
}

static bool level_room(surety__machine *machine, size_t depth)
{
    void *items = machine->levels;
    surety_status status =
        surety__grow(machine->alloc, &items, &machine->level_cap, depth + 1,
                     sizeof(*machine->levels), SIZE_MAX);

    machine->levels = items;
    if (status)
        machine->status = SURETY_NOMEM;
    return !status;
}

/* The unevaluated keyword's shape for the level's children, or NULL. */
static const surety__shape *level_rest(const surety__level *level)
{
    const surety__shape *shape = level->shape;

    if (!shape->tracks)
        return NULL;
    if (level->cell->kind == CELL_OBJECT)
        return shape->objects ? shape->objects->unevaluated : NULL;
    return level->cell->kind == CELL_ARRAY && shape->arrays
               ? shape->arrays->unevaluated
               : NULL;
}

/* ---- the machine ------------------------------------------------------- */

static bool verdict_run(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell, uint32_t bits)
{
    const surety_doc *const doc = machine->doc;
    surety__level *level;
    const surety__objects *objects;
    const surety__arrays *arrays;
    const surety__shape *child;
    const surety__cell *cursor, *value;
    uint32_t left, ordinal;
    uint32_t count = 0;
    uint32_t under = bits;
    uint32_t inplace = 0;
    size_t depth = 0;
    bool branch = bits != BITS_NONE;
    bool holds;
    enum step step;

    step = value_step(machine, &shape, cell, bits);
    if (step != STEP_DOWN)
        return step == STEP_YES;

    /* shape on cell; the level below, if any, waits. */
begin:
    if (depth >= machine->level_cap && !level_room(machine, depth))
        return false;
    level = &machine->levels[depth];
    level->shape = shape;
    level->cell = cell;
    level->inplace = inplace;
    if (!level_begin(machine, level, under, branch))
        goto failed;
    cursor = cell + 1;
    left = level->left;
    count = 0;
    if (cell->kind == CELL_OBJECT && shape->objects) {
        objects = shape->objects;
        if (left < objects->required_count)
            goto failed;
        if (!objects->plain || level->bits != BITS_NONE)
            goto members_wide;
        if (!objects->slot_count && !objects->other)
            goto members_done;
        goto members;
    }
    if (cell->kind == CELL_ARRAY && shape->arrays) {
        arrays = shape->arrays;
        if (!arrays->plain || level->bits != BITS_NONE)
            goto items_wide;
        if (!arrays->rest)
            goto apply;
        goto items;
    }
    goto apply;

members:
    for (; left; left--) {
        const surety__slot *slot = slot_find(objects, doc, cursor);

        value = cursor + 1;
        child = slot ? slot->shape : objects->other;
        count += slot && slot->required;
        if (child) {
            step = child_step(machine, &child, value);
            if (step == STEP_NO)
                goto failed;
            if (step == STEP_DOWN) {
                level->state = LEVEL_MEMBERS;
                goto down;
            }
        }
        cursor = surety__cell_after(value);
    }
members_done:
    if (count != objects->required_count)
        goto failed;
    if (objects->dependent_count &&
        !surety__assert_names(machine, shape, cell, count))
        goto failed;
    if (!objects->names)
        goto apply;
    cursor = cell + 1;
    left = cell->count;
names:
    for (; left; left--) {
        value = cursor;
        child = objects->names->direct;
        step = child_step(machine, &child, value);
        if (step == STEP_NO)
            goto failed;
        if (step == STEP_DOWN) {
            level->state = LEVEL_NAMES;
            goto down;
        }
        cursor = surety__cell_after(cursor + 1);
    }
    goto apply;

members_wide:
    while (left && objects->walks) {
        struct wide wide = {level->sub, count, level->matched};

        value = cursor + 1;
        child = wide_member(machine, objects, cursor, &wide);
        level->sub = wide.sub;
        level->matched = wide.matched;
        count = wide.required;
        if (!child) {
            cursor = surety__cell_after(value);
            level->sub = 0;
            left--;
            continue;
        }
        surety__bits_mark(machine, level->bits, cell->count - left);
        step = child_step(machine, &child, value);
        if (step == STEP_NO)
            goto failed;
        if (step == STEP_DOWN) {
            level->state = LEVEL_MEMBERS_WIDE;
            goto down;
        }
    }
    goto members_done;

items:
    for (; left; left--) {
        value = cursor;
        child = arrays->rest->direct;
        step = child_step(machine, &child, value);
        if (step == STEP_NO)
            goto failed;
        if (step == STEP_DOWN) {
            level->state = LEVEL_ITEMS;
            goto down;
        }
        cursor = surety__cell_after(value);
    }
    goto apply;

items_wide:
    for (; left; left--) {
        value = cursor;
        ordinal = cell->count - left;
        child = ordinal < arrays->prefix_count ? arrays->prefix[ordinal]
                                               : arrays->rest;
        if (!child)
            break;
        child = child->direct;
        surety__bits_mark(machine, level->bits, ordinal);
        step = child_step(machine, &child, value);
        if (step == STEP_NO)
            goto failed;
        if (step == STEP_DOWN) {
            level->state = LEVEL_ITEMS_WIDE;
            goto down;
        }
        cursor = surety__cell_after(value);
    }
    if (arrays->unique && !surety__assert_unique(machine, shape, cell))
        goto failed;
    if (!arrays->contains)
        goto apply;
    cursor = cell + 1;
    left = cell->count;
    for (; left; left--) {
        value = cursor;
        child = arrays->contains->direct;
        step = child_step(machine, &child, value);
        if (step == STEP_DOWN) {
            level->state = LEVEL_CONTAINS;
            goto down;
        }
    contained:
        if (step == STEP_YES) {
            count++;
            if (arrays->contains_evaluates)
                surety__bits_mark(machine, level->bits, cell->count - left);
        }
        if (level->bits == BITS_NONE && count >= arrays->min_contains &&
            arrays->max_contains == UINT64_MAX)
            break;
        cursor = surety__cell_after(cursor);
    }
    if (count < arrays->min_contains || count > arrays->max_contains)
        goto failed;

apply:
    level->at = 0;
    level->sub = 0;
    step = STEP_DOWN;
resume:
    step = verdict_applicators(machine, level, step, &child);
    if (step == STEP_NO)
        goto failed;
    if (step == STEP_DOWN) {
        level->state = LEVEL_APPLY;
        under = level->bits;
        branch = under != BITS_NONE && verdict_is_branch(level);
        inplace = level->inplace + 1;
        shape = child;
        depth++;
        goto begin;
    }
    child = level_rest(level);
    if (!child)
        goto passed;
    cursor = cell + 1;
    left = cell->count;
rest:
    for (; left; left--) {
        value = cell->kind == CELL_OBJECT ? cursor + 1 : cursor;
        ordinal = cell->count - left;
        child = level_rest(level)->direct;
        if (!surety__bits_have(machine, level->bits, ordinal)) {
            surety__bits_mark(machine, level->bits, ordinal);
            step = child_step(machine, &child, value);
            if (step == STEP_NO)
                goto failed;
            if (step == STEP_DOWN) {
                level->state = LEVEL_REST;
                goto down;
            }
        }
        cursor = surety__cell_after(value);
    }
    goto passed;

    /* child on value, which is a child of the level's own. */
down:
    level->cursor = cursor;
    level->left = left;
    level->count = count;
    shape = child;
    cell = value;
    under = BITS_NONE;
    branch = false;
    inplace = 0;
    depth++;
    goto begin;

    /* The level ends; the one below goes on. */
failed:
    holds = false;
    goto ended;
passed:
    holds = true;
ended:
    if (machine->status)
        return false;
    if (!depth) {
        level_end(machine, level, holds, bits);
        return holds;
    }
    level_end(machine, level, holds, machine->levels[depth - 1].bits);
    level = &machine->levels[--depth];
    shape = level->shape;
    cell = level->cell;
    step = holds ? STEP_YES : STEP_NO;
    if (level->state == LEVEL_APPLY)
        goto resume;
    cursor = level->cursor;
    left = level->left;
    count = level->count;
    objects = shape->objects;
    arrays = shape->arrays;
    if (level->state == LEVEL_CONTAINS)
        goto contained;
    if (!holds)
        goto ended;
    switch ((enum level_state)level->state) {
    case LEVEL_MEMBERS:
        cursor = surety__cell_after(cursor + 1);
        left--;
        goto members;
    case LEVEL_MEMBERS_WIDE: goto members_wide;
    case LEVEL_NAMES:
        cursor = surety__cell_after(cursor + 1);
        left--;
        goto names;
    case LEVEL_ITEMS:
        cursor = surety__cell_after(cursor);
        left--;
        goto items;
    case LEVEL_ITEMS_WIDE:
        cursor = surety__cell_after(cursor);
        left--;
        goto items_wide;
    default:
        cursor =
            surety__cell_after(cell->kind == CELL_OBJECT ? cursor + 1 : cursor);
        left--;
        goto rest;
    }
}

bool surety__verdict(surety__machine *machine, const surety__shape *shape,
                     const surety__cell *cell, uint32_t bits)
{
    enum surety__mode before = machine->mode;

    machine->mode = MODE_VERDICT;
    machine->result = verdict_run(machine, shape, cell, bits);
    machine->mode = before;
    return !machine->status;
}
