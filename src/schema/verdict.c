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
#include "schema/verdict.h"

#include "schema/assert.h"

/* What a level is at; in this order, as far as the value has it. */
enum phase {
    PHASE_MEMBERS,
    PHASE_MEMBERS_WIDE,
    PHASE_NAMES,
    PHASE_ITEMS,
    PHASE_ITEMS_WIDE,
    PHASE_CONTAINS,
    PHASE_APPLY,
    PHASE_REST,
    PHASE_END
};

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
 * dot decides. SAID_DOWN where that cannot be told so simply. */
static enum surety__said leaf_real(surety_str text,
                                   const surety__numbers *numbers)
{
    bool negative = text.ptr[0] == '-';
    size_t i = negative;
    int64_t whole = 0;

    for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++) {
        if (i == 18)
            return SAID_DOWN;
        whole = whole * 10 + (text.ptr[i] - '0');
    }
    for (size_t k = i; k < text.len; k++)
        if (text.ptr[k] == 'e' || text.ptr[k] == 'E')
            return SAID_DOWN;
    whole = negative ? -whole - 1 : whole;
    /* whole < number < whole + 1 */
    return whole >= numbers->lower && whole < numbers->upper ? SAID_YES
                                                             : SAID_NO;
}

static enum surety__said leaf_number(const surety__machine *machine,
                                     const surety__shape *shape,
                                     const surety__cell *cell)
{
    const surety__numbers *numbers = shape->numbers;

    if (!numbers || !numbers->ranged || shape->choices || shape->constant)
        return SAID_DOWN;
    if (cell->kind == CELL_INT)
        return cell->i >= numbers->least && cell->i <= numbers->most &&
                       (!numbers->multiple_of ||
                        cell->i % numbers->multiple_of->i == 0)
                   ? SAID_YES
                   : SAID_NO;
    if (cell->kind != CELL_REAL)
        return SAID_DOWN;
    return numbers->multiple_of
               ? SAID_NO /* which is an integer */
               : leaf_real(surety__cell_str(machine->doc, cell), numbers);
}

static enum surety__said leaf_string(surety__machine *machine,
                                     const surety__shape *shape,
                                     const surety__cell *cell)
{
    const surety__strings *strings = shape->strings;
    surety_str text = surety__cell_str(machine->doc, cell);

    if ((shape->choices || shape->constant) && !shape->words)
        return SAID_DOWN;
    if (!strings)
        return surety__words_find(shape->words, text) ? SAID_YES : SAID_NO;
    if (!(cell->flags & FLAG_ASCII) || shape->words || strings->format ||
        strings->content_base64 || strings->content_json)
        return SAID_DOWN;
    if (text.len < strings->min_length || text.len > strings->max_length)
        return SAID_NO;
    return !strings->pattern ||
                   surety__assert_pattern(machine, strings->pattern, text)
               ? SAID_YES
               : SAID_NO;
}

bool surety__leaf_holds(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell)
{
    enum surety__said said = SAID_DOWN;

    if (surety__cell_is_number(cell))
        said = leaf_number(machine, shape, cell);
    else if (surety__cell_is_string(cell))
        said = leaf_string(machine, shape, cell);
    return said == SAID_DOWN ? surety__assert_all(machine, shape, cell)
                             : said == SAID_YES;
}

/* ---- members ----------------------------------------------------------- */

const surety__shape *surety__wide_member(surety__machine *machine,
                                         const surety__objects *objects,
                                         const surety__cell *key,
                                         surety__wide *wide)
{
    surety_str name = surety__cell_str(machine->doc, key);

    if (wide->sub == 0) {
        const surety__slot *slot =
            surety__slot_find(objects, machine->doc, key);

        wide->sub = slot && slot->alone ? objects->pattern_count + 1 : 1;
        wide->matched = slot && slot->covers;
        wide->required += slot && slot->required;
        if (wide->matched)
            return slot->shape;
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

/* ---- phases ------------------------------------------------------------- */

/* What a level is to be made for. */
struct next {
    const surety__shape *shape;
    const surety__cell *cell;
};

/* Each of the following goes on with a phase of the level: `back` is the
 * verdict of the child that a level was made for last, or DOWN at the
 * beginning. DOWN: a level is to be made for *next. */

static enum surety__said members_end(surety__machine *machine,
                                     const surety__level *level)
{
    const surety__objects *objects = level->shape->objects;

    if (level->count != objects->required_count)
        return SAID_NO;
    return !objects->dependent_count ||
                   surety__assert_names(machine, level->shape, level->cell,
                                        level->count)
               ? SAID_YES
               : SAID_NO;
}

/* properties, required, patternProperties and additionalProperties; where
 * evaluated members are marked, too. */
static enum surety__said phase_members_wide(surety__machine *machine,
                                            surety__level *level,
                                            enum surety__said back,
                                            struct next *next)
{
    const surety__objects *const objects = level->shape->objects;

    if (back == SAID_NO)
        return SAID_NO;
    while (level->left && objects->walks) {
        const surety__cell *value = level->cursor + 1;
        surety__wide wide = {level->sub, level->count, level->matched};
        const surety__shape *child =
            surety__wide_member(machine, objects, level->cursor, &wide);
        enum surety__said said;

        level->sub = wide.sub;
        level->count = wide.required;
        level->matched = wide.matched;
        if (!child) {
            level->cursor = surety__cell_after(value);
            level->left--;
            level->sub = 0;
            continue;
        }
        surety__bits_mark(machine, level->bits,
                          level->cell->count - level->left);
        said = surety__child_said(machine, &child, value);
        *next = (struct next){child, value};
        if (said != SAID_YES)
            return said;
    }
    return members_end(machine, level);
}

/* The same where nothing is marked, as far as each member has one shape: at the
 * first that patterns have a say on the wide loop takes over. */
static enum surety__said phase_members(surety__machine *machine,
                                       surety__level *level,
                                       enum surety__said back,
                                       struct next *next)
{
    const surety__objects *const objects = level->shape->objects;
    const surety_doc *const doc = machine->doc;
    const surety__cell *cursor = level->cursor;
    uint32_t left = level->left;
    uint32_t count = level->count;

    if (back == SAID_NO)
        return SAID_NO;
    if (back == SAID_YES) {
        cursor = surety__cell_after(cursor + 1);
        left--;
    }
    for (; left; left--) {
        const surety__slot *slot = surety__slot_find(objects, doc, cursor);
        const surety__shape *child = objects->other;

        if (slot && slot->alone) {
            child = slot->shape;
            count += slot->required;
        } else if (!objects->plain) {
            level->cursor = cursor;
            level->left = left;
            level->count = count;
            level->phase = PHASE_MEMBERS_WIDE;
            return phase_members_wide(machine, level, SAID_DOWN, next);
        }
        if (child) {
            enum surety__said said =
                surety__child_said(machine, &child, cursor + 1);

            if (said == SAID_NO)
                return said;
            if (said == SAID_DOWN) {
                level->cursor = cursor;
                level->left = left;
                level->count = count;
                *next = (struct next){child, cursor + 1};
                return said;
            }
        }
        cursor = surety__cell_after(cursor + 1);
    }
    level->count = count;
    return members_end(machine, level);
}

/* propertyNames. */
static enum surety__said phase_names(surety__machine *machine,
                                     surety__level *level,
                                     enum surety__said back, struct next *next)
{
    if (back == SAID_NO)
        return SAID_NO;
    if (back == SAID_YES) {
        level->cursor = surety__cell_after(level->cursor + 1);
        level->left--;
    }
    for (; level->left; level->left--) {
        const surety__shape *child = level->shape->objects->names->direct;
        enum surety__said said =
            surety__child_said(machine, &child, level->cursor);

        *next = (struct next){child, level->cursor};
        if (said != SAID_YES)
            return said;
        level->cursor = surety__cell_after(level->cursor + 1);
    }
    return SAID_YES;
}

/* Items that all have one shape. */
static enum surety__said phase_items(surety__machine *machine,
                                     surety__level *level,
                                     enum surety__said back, struct next *next)
{
    const surety__shape *const rest = level->shape->arrays->rest->direct;
    const surety__cell *cursor = level->cursor;
    uint32_t left = level->left;

    if (back == SAID_NO)
        return SAID_NO;
    if (back == SAID_YES) {
        cursor = surety__cell_after(cursor);
        left--;
    }
    for (; left; left--) {
        const surety__shape *child = rest;
        enum surety__said said = surety__child_said(machine, &child, cursor);

        if (said == SAID_NO)
            return said;
        if (said == SAID_DOWN) {
            level->cursor = cursor;
            level->left = left;
            *next = (struct next){child, cursor};
            return said;
        }
        cursor = surety__cell_after(cursor);
    }
    return SAID_YES;
}

/* The same with prefixItems and uniqueItems, and where evaluated items are
 * marked. */
static enum surety__said phase_items_wide(surety__machine *machine,
                                          surety__level *level,
                                          enum surety__said back,
                                          struct next *next)
{
    const surety__arrays *const arrays = level->shape->arrays;

    if (back == SAID_NO)
        return SAID_NO;
    if (back == SAID_YES) {
        level->cursor = surety__cell_after(level->cursor);
        level->left--;
    }
    for (; level->left; level->left--) {
        uint32_t ordinal = level->cell->count - level->left;
        const surety__shape *child = ordinal < arrays->prefix_count
                                         ? arrays->prefix[ordinal]
                                         : arrays->rest;
        enum surety__said said;

        if (!child)
            break;
        child = child->direct;
        surety__bits_mark(machine, level->bits, ordinal);
        said = surety__child_said(machine, &child, level->cursor);
        *next = (struct next){child, level->cursor};
        if (said != SAID_YES)
            return said;
        level->cursor = surety__cell_after(level->cursor);
    }
    return !arrays->unique ||
                   surety__assert_unique(machine, level->shape, level->cell)
               ? SAID_YES
               : SAID_NO;
}

static enum surety__said phase_contains(surety__machine *machine,
                                        surety__level *level,
                                        enum surety__said back,
                                        struct next *next)
{
    const surety__arrays *const arrays = level->shape->arrays;

    while (level->left &&
           (level->bits != BITS_NONE || level->count < arrays->min_contains ||
            arrays->max_contains != UINT64_MAX)) {
        const surety__shape *child = arrays->contains->direct;
        enum surety__said said = back;

        if (back == SAID_DOWN)
            said = surety__child_said(machine, &child, level->cursor);
        back = SAID_DOWN;
        *next = (struct next){child, level->cursor};
        if (said == SAID_DOWN)
            return said;
        if (said == SAID_YES) {
            level->count++;
            if (arrays->contains_evaluates)
                surety__bits_mark(machine, level->bits,
                                  level->cell->count - level->left);
        }
        level->cursor = surety__cell_after(level->cursor);
        level->left--;
    }
    return level->count >= arrays->min_contains &&
                   level->count <= arrays->max_contains
               ? SAID_YES
               : SAID_NO;
}

/* unevaluatedProperties and unevaluatedItems: the children without a bit. */
static enum surety__said phase_rest(surety__machine *machine,
                                    surety__level *level,
                                    enum surety__said back, struct next *next)
{
    bool object = level->cell->kind == CELL_OBJECT;
    const surety__shape *rest = object ? level->shape->objects->unevaluated
                                       : level->shape->arrays->unevaluated;

    if (back == SAID_NO)
        return SAID_NO;
    for (; level->left; level->left--) {
        const surety__cell *value = level->cursor + object;
        uint32_t ordinal = level->cell->count - level->left;

        if (!surety__bits_have(machine, level->bits, ordinal)) {
            const surety__shape *child = rest->direct;
            enum surety__said said = surety__child_said(machine, &child, value);

            surety__bits_mark(machine, level->bits, ordinal);
            *next = (struct next){child, value};
            if (said != SAID_YES)
                return said;
        }
        level->cursor = surety__cell_after(value);
    }
    return SAID_YES;
}

/* ---- levels ------------------------------------------------------------ */

/* The bits of a level on a container: its own where its shape has an
 * unevaluated keyword or what it evaluates may not count, else those of the
 * level below, `under`. False when out of memory. */
static bool level_bits(surety__machine *machine, surety__level *level,
                       uint32_t under, bool branch)
{
    level->owns = level->shape->tracks || branch;
    level->keeps = under != BITS_NONE;
    level->bits =
        level->owns ? surety__bits_open(machine, level->cell->count) : under;
    return level->bits != BITS_NONE;
}

/* Lets go of a level's own bits; into are those of the level below. */
static void level_end(surety__machine *machine, const surety__level *level,
                      bool holds, uint32_t into)
{
    if (holds && level->keeps)
        surety__bits_merge(machine, into, level->bits, level->cell->count);
    machine->bits_len = level->bits;
}

/* Moves the level to its first phase at or behind `phase`; its cursor stands at
 * the first child. */
static void level_phase(surety__level *level, enum phase phase)
{
    const surety__shape *shape = level->shape;
    const surety__cell *cell = level->cell;
    bool object = cell->kind == CELL_OBJECT && shape->objects;
    bool array = cell->kind == CELL_ARRAY && shape->arrays;

    level->cursor = cell + 1;
    level->left = cell->kind >= CELL_ARRAY ? cell->count : 0;
    level->count = 0;
    level->sub = 0;
    if (phase <= PHASE_NAMES && object && shape->objects->names)
        level->phase = PHASE_NAMES;
    else if (phase <= PHASE_CONTAINS && array && shape->arrays->contains)
        level->phase = PHASE_CONTAINS;
    else if (phase <= PHASE_APPLY && shape->applicator_count)
        level->phase = PHASE_APPLY;
    else if (phase <= PHASE_REST && shape->tracks &&
             (object ? shape->objects->unevaluated != NULL
                     : array && shape->arrays->unevaluated))
        level->phase = PHASE_REST;
    else
        level->phase = PHASE_END;
}

/* The first phase of a level on a container; false where it does not hold. */
static inline bool level_children(surety__level *level)
{
    const surety__objects *objects = level->shape->objects;
    const surety__arrays *arrays = level->shape->arrays;
    const surety__cell *cell = level->cell;
    bool marks = level->bits != BITS_NONE;

    level->cursor = cell + 1;
    level->left = cell->count;
    level->count = 0;
    level->sub = 0;
    level->matched = false;
    if (cell->kind == CELL_OBJECT && objects) {
        level->phase = marks ? PHASE_MEMBERS_WIDE : PHASE_MEMBERS;
        return cell->count >= objects->required_count;
    }
    if (cell->kind == CELL_ARRAY && arrays) {
        level->phase = !arrays->plain || marks ? PHASE_ITEMS_WIDE
                       : arrays->rest          ? PHASE_ITEMS
                                               : PHASE_APPLY;
        return true;
    }
    level->phase = PHASE_APPLY;
    return true;
}

/* Begins the level for its shape and cell: its own assertions, its bits, its
 * first phase. under are the bits of the level below for the same value, branch
 * tells whether they may only be marked if this one holds. False: it does not
 * hold. */
static inline bool level_begin(surety__machine *machine, surety__level *level,
                               uint32_t under, bool branch)
{
    const surety__shape *shape = level->shape;
    const surety__cell *cell = level->cell;
    uint64_t work = 1;

    level->bits = BITS_NONE;
    level->owns = false;
    level->at = 0;
    level->sub = 0;
    level->phase = PHASE_APPLY;
    /* A level may look at every child, which is no application by itself. */
    if (cell->kind >= CELL_ARRAY)
        work += cell->count / 16;
    if (!surety__machine_charge(machine, work))
        return false;
    if (shape->checks >> cell->kind & 1 &&
        !surety__leaf_holds(machine, shape, cell))
        return false;
    if (cell->kind < CELL_ARRAY)
        return true;
    if ((shape->tracks || under != BITS_NONE) &&
        !level_bits(machine, level, under, branch))
        return false;
    return level_children(level);
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

/* Goes on with the level's phases as far as it can. */
static enum surety__said level_run(surety__machine *machine,
                                   surety__level *level, enum surety__said back,
                                   struct next *next)
{
    for (;;) {
        enum surety__said said = SAID_YES;

        switch ((enum phase)level->phase) {
        case PHASE_MEMBERS:
            said = phase_members(machine, level, back, next);
            break;
        case PHASE_MEMBERS_WIDE:
            said = phase_members_wide(machine, level, back, next);
            break;
        case PHASE_NAMES: said = phase_names(machine, level, back, next); break;
        case PHASE_ITEMS: said = phase_items(machine, level, back, next); break;
        case PHASE_ITEMS_WIDE:
            said = phase_items_wide(machine, level, back, next);
            break;
        case PHASE_CONTAINS:
            said = phase_contains(machine, level, back, next);
            break;
        case PHASE_APPLY:
            next->cell = level->cell;
            said = surety__applied_said(machine, level, back, &next->shape);
            break;
        case PHASE_REST: said = phase_rest(machine, level, back, next); break;
        case PHASE_END: return SAID_YES;
        }
        if (said != SAID_YES || level->shape->bare)
            return said;
        level_phase(level, level->phase + 1);
        back = SAID_DOWN;
    }
}

/* ---- what needs no level ------------------------------------------------ */

/* Whether the value of a member or item satisfies shape; out of line, for most
 * are told by their kind before. */
static __attribute__((noinline)) bool flat_child(surety__machine *machine,
                                                 const surety__shape *shape,
                                                 const surety__cell *cell)
{
    return surety__child_said(machine, &shape, cell) == SAID_YES;
}

static bool flat_members(surety__machine *machine,
                         const surety__objects *objects,
                         const surety__cell *object)
{
    const surety_doc *const doc = machine->doc;
    const surety__cell *key = object + 1;
    uint32_t required = objects->required_count;

    if (object->count < required)
        return false;
    for (uint32_t left = object->count; left; left--) {
        const surety__cell *value = key + 1;
        const surety__slot *slot = surety__slot_find(objects, doc, key);
        const surety__shape *child = objects->other;

        key = surety__cell_after(value);
        if (slot) {
            child = slot->shape;
            required -= slot->required;
        } else if (!child) {
            continue;
        }
        if (child->how[value->kind] != HOW_YES &&
            !flat_child(machine, child, value))
            return false;
    }
    return required == 0;
}

static bool flat_items(surety__machine *machine, const surety__shape *rest,
                       const surety__cell *array)
{
    const surety__cell *item = array + 1;

    for (uint32_t left = array->count; left; left--) {
        if (rest->how[item->kind] != HOW_YES &&
            !flat_child(machine, rest, item))
            return false;
        item = surety__cell_after(item);
    }
    return true;
}

/* Whether a value of HOW_FLAT satisfies shape. What is called from here may
 * come back here, at most FLAT_HEIGHT times; it never asks for a level. */
bool surety__flat_holds(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell)
{
    bool quick = cell->kind == CELL_ARRAY    ? shape->quick_array
                 : cell->kind == CELL_OBJECT ? shape->quick_object
                                             : false;

    if (!quick) {
        surety__level level = {.shape = shape, .cell = cell};
        struct next next;

        return level_begin(machine, &level, BITS_NONE, false) &&
               level_run(machine, &level, SAID_DOWN, &next) == SAID_YES;
    }
    if (!surety__machine_charge(machine, 1 + cell->count / 16))
        return false;
    if (shape->checks >> cell->kind & 1 &&
        !surety__leaf_holds(machine, shape, cell))
        return false;
    return cell->kind == CELL_OBJECT
               ? flat_members(machine, shape->objects, cell)
               : flat_items(machine, shape->arrays->rest->direct, cell);
}

/* ---- the machine -------------------------------------------------------- */

/* The verdict on a value that a level must be made for. */
static __attribute__((noinline)) bool verdict_run(surety__machine *machine,
                                                  const surety__shape *shape,
                                                  const surety__cell *cell,
                                                  uint32_t bits)
{
    struct next next = {shape, cell};
    uint32_t under = bits;
    size_t depth = 0;
    bool branch = bits != BITS_NONE;
    enum surety__said said = SAID_DOWN;

    for (;;) {
        surety__level *level;

        if (depth >= machine->level_cap && !level_room(machine, depth))
            return false;
        level = &machine->levels[depth];
        level->shape = next.shape;
        level->cell = next.cell;
        said = level_begin(machine, level, under, branch)
                   ? level_run(machine, level, SAID_DOWN, &next)
                   : SAID_NO;
        /* A level that ends is an answer for the one below. */
        while (said != SAID_DOWN) {
            if (machine->status)
                return false;
            if (level->owns)
                level_end(machine, level, said == SAID_YES,
                          depth ? level[-1].bits : bits);
            if (!depth)
                return said == SAID_YES;
            depth--;
            level--;
            said = level_run(machine, level, said, &next);
        }
        depth++;
        under = BITS_NONE;
        branch = false;
        if (level->phase == PHASE_APPLY) {
            under = level->bits;
            branch = under != BITS_NONE && surety__applied_is_branch(level);
        }
    }
}

bool surety__shape_holds(surety__machine *machine, const surety__shape *shape,
                         const surety__cell *cell, uint32_t bits)
{
    enum surety__mode before = machine->mode;

    enum surety__said said;

    machine->mode = MODE_VERDICT;
    said = surety__value_said(machine, &shape, cell, bits);
    machine->result = said == SAID_DOWN
                          ? verdict_run(machine, shape, cell, bits)
                          : said == SAID_YES;
    machine->mode = before;
    return !machine->status;
}
