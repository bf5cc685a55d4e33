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

bool surety__leaf_holds(surety__machine *machine, const surety__shape *shape,
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

/* What needs no level; see phases, which are at its end. */
static bool flat_holds(surety__machine *machine, const surety__shape *shape,
                       const surety__cell *cell);

/* ---- steps -------------------------------------------------------------- */

/* What can be said of a child without making a level; *shape becomes the one
 * that a level is made for. */
static inline enum step child_step(surety__machine *machine,
                                   const surety__shape **shape,
                                   const surety__cell *cell)
{
    unsigned how = (*shape)->how[cell->kind];
    bool holds;

    if (how <= HOW_YES)
        return how == HOW_YES ? STEP_YES : STEP_NO;
    if (how == HOW_ROUTE) {
        *shape = surety__route_end(*shape, cell->kind);
        how = (*shape)->how[cell->kind];
        if (how <= HOW_YES)
            return how == HOW_YES ? STEP_YES : STEP_NO;
    }
    if (how == HOW_WALK)
        return STEP_DOWN;
    holds = how == HOW_FLAT ? flat_holds(machine, *shape, cell)
                            : surety__leaf_holds(machine, *shape, cell);
    return holds ? STEP_YES : STEP_NO;
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

/* ---- what applies to the same value ------------------------------------ */

/* The value's members: their names as bits, and the one called as branching
 * wants it, or NULL. */
static const surety__cell *branch_keys(const surety_doc *doc,
                                       const surety__switch *branching,
                                       const surety__cell *object,
                                       uint64_t *ret_names)
{
    const surety__cell *key = object + 1;
    const surety__cell *found = NULL;
    uint64_t names = 0;

    for (uint32_t i = 0; i < object->count; i++) {
        names |= (uint64_t)1 << (key->hash & 63);
        if (key->hash == branching->hash && branching->name.ptr &&
            surety_str_equal(surety__cell_str(doc, key), branching->name))
            found = key + 1;
        key = surety__cell_after(key + 1);
    }
    *ret_names = names;
    return found;
}

static const surety__word *branch_word(const surety_doc *doc,
                                       const surety__switch *branching,
                                       const surety__cell *member)
{
    return member->kind == CELL_STRING
               ? surety__words_find(&branching->words,
                                    surety__cell_str(doc, member))
               : NULL;
}

/* Notes in level which branches the value can satisfy: bits, or where there are
 * more than SWITCH_BRANCHES the first and the end. */
static void branches_begin(const surety__machine *machine, surety__level *level,
                           const surety__applicator *applicator)
{
    const surety__switch *branching = applicator->branching;
    bool many = applicator->count > SWITCH_BRANCHES;
    const surety__cell *member;
    const surety__word *word;
    uint64_t names;

    level->sub = 0;
    level->branches =
        many ? applicator->count : UINT64_MAX >> (64 - applicator->count);
    if (!branching || level->cell->kind != CELL_OBJECT)
        return;
    member = branch_keys(machine->doc, branching, level->cell, &names);
    if (many) {
        word = member ? branch_word(machine->doc, branching, member) : NULL;
        level->branches = word ? word->branches : 0;
        level->sub = word ? (uint32_t)word->branches - 1 : 0;
        return;
    }
    level->branches = branching->objects;
    if (branching->name.ptr && member) {
        word = branch_word(machine->doc, branching, member);
        level->branches &= branching->open | (word ? word->branches : 0);
    } else if (branching->name.ptr) {
        level->branches &= branching->lacking;
    }
    for (uint64_t left = level->branches; left; left &= left - 1) {
        const surety__screen *screen =
            &branching->screens[__builtin_ctzll(left)];

        if ((screen->needs & ~names) || (names & ~screen->allows))
            level->branches ^= left & -left;
    }
}

/* The next branch to be tried, or UINT32_MAX. */
static uint32_t branch_next(const surety__applicator *applicator,
                            surety__level *level)
{
    if (applicator->count > SWITCH_BRANCHES)
        return level->sub < level->branches ? level->sub++ : UINT32_MAX;
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
        branches_begin(machine, level, applicator);
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

/* ---- phases ------------------------------------------------------------- */

/* What a level is to be made for. */
struct next {
    const surety__shape *shape;
    const surety__cell *cell;
};

/* Each of the following goes on with a phase of the level: `back` is the
 * verdict of the child that a level was made for last, or DOWN at the
 * beginning. DOWN: a level is to be made for *next. */

static enum step members_end(surety__machine *machine,
                             const surety__level *level)
{
    const surety__objects *objects = level->shape->objects;

    if (level->count != objects->required_count)
        return STEP_NO;
    return !objects->dependent_count ||
                   surety__assert_names(machine, level->shape, level->cell,
                                        level->count)
               ? STEP_YES
               : STEP_NO;
}

/* properties, required, patternProperties and additionalProperties; where
 * evaluated members are marked, too. */
static enum step phase_members_wide(surety__machine *machine,
                                    surety__level *level, enum step back,
                                    struct next *next)
{
    const surety__objects *const objects = level->shape->objects;

    if (back == STEP_NO)
        return STEP_NO;
    while (level->left && objects->walks) {
        const surety__cell *value = level->cursor + 1;
        surety__wide wide = {level->sub, level->count, level->matched};
        const surety__shape *child =
            surety__wide_member(machine, objects, level->cursor, &wide);
        enum step step;

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
        step = child_step(machine, &child, value);
        *next = (struct next){child, value};
        if (step != STEP_YES)
            return step;
    }
    return members_end(machine, level);
}

/* The same where nothing is marked, as far as each member has one shape: at the
 * first that patterns have a say on the wide loop takes over. */
static enum step phase_members(surety__machine *machine, surety__level *level,
                               enum step back, struct next *next)
{
    const surety__objects *const objects = level->shape->objects;
    const surety_doc *const doc = machine->doc;
    const surety__cell *cursor = level->cursor;
    uint32_t left = level->left;
    uint32_t count = level->count;

    if (back == STEP_NO)
        return STEP_NO;
    if (back == STEP_YES) {
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
            return phase_members_wide(machine, level, STEP_DOWN, next);
        }
        if (child) {
            enum step step = child_step(machine, &child, cursor + 1);

            if (step == STEP_NO)
                return step;
            if (step == STEP_DOWN) {
                level->cursor = cursor;
                level->left = left;
                level->count = count;
                *next = (struct next){child, cursor + 1};
                return step;
            }
        }
        cursor = surety__cell_after(cursor + 1);
    }
    level->count = count;
    return members_end(machine, level);
}

/* propertyNames. */
static enum step phase_names(surety__machine *machine, surety__level *level,
                             enum step back, struct next *next)
{
    if (back == STEP_NO)
        return STEP_NO;
    if (back == STEP_YES) {
        level->cursor = surety__cell_after(level->cursor + 1);
        level->left--;
    }
    for (; level->left; level->left--) {
        const surety__shape *child = level->shape->objects->names->direct;
        enum step step = child_step(machine, &child, level->cursor);

        *next = (struct next){child, level->cursor};
        if (step != STEP_YES)
            return step;
        level->cursor = surety__cell_after(level->cursor + 1);
    }
    return STEP_YES;
}

/* Items that all have one shape. */
static enum step phase_items(surety__machine *machine, surety__level *level,
                             enum step back, struct next *next)
{
    const surety__shape *const rest = level->shape->arrays->rest->direct;
    const surety__cell *cursor = level->cursor;
    uint32_t left = level->left;

    if (back == STEP_NO)
        return STEP_NO;
    if (back == STEP_YES) {
        cursor = surety__cell_after(cursor);
        left--;
    }
    for (; left; left--) {
        const surety__shape *child = rest;
        enum step step = child_step(machine, &child, cursor);

        if (step == STEP_NO)
            return step;
        if (step == STEP_DOWN) {
            level->cursor = cursor;
            level->left = left;
            *next = (struct next){child, cursor};
            return step;
        }
        cursor = surety__cell_after(cursor);
    }
    return STEP_YES;
}

/* The same with prefixItems and uniqueItems, and where evaluated items are
 * marked. */
static enum step phase_items_wide(surety__machine *machine,
                                  surety__level *level, enum step back,
                                  struct next *next)
{
    const surety__arrays *const arrays = level->shape->arrays;

    if (back == STEP_NO)
        return STEP_NO;
    if (back == STEP_YES) {
        level->cursor = surety__cell_after(level->cursor);
        level->left--;
    }
    for (; level->left; level->left--) {
        uint32_t ordinal = level->cell->count - level->left;
        const surety__shape *child = ordinal < arrays->prefix_count
                                         ? arrays->prefix[ordinal]
                                         : arrays->rest;
        enum step step;

        if (!child)
            break;
        child = child->direct;
        surety__bits_mark(machine, level->bits, ordinal);
        step = child_step(machine, &child, level->cursor);
        *next = (struct next){child, level->cursor};
        if (step != STEP_YES)
            return step;
        level->cursor = surety__cell_after(level->cursor);
    }
    return !arrays->unique ||
                   surety__assert_unique(machine, level->shape, level->cell)
               ? STEP_YES
               : STEP_NO;
}

static enum step phase_contains(surety__machine *machine, surety__level *level,
                                enum step back, struct next *next)
{
    const surety__arrays *const arrays = level->shape->arrays;

    while (level->left &&
           (level->bits != BITS_NONE || level->count < arrays->min_contains ||
            arrays->max_contains != UINT64_MAX)) {
        const surety__shape *child = arrays->contains->direct;
        enum step step = back;

        if (back == STEP_DOWN)
            step = child_step(machine, &child, level->cursor);
        back = STEP_DOWN;
        *next = (struct next){child, level->cursor};
        if (step == STEP_DOWN)
            return step;
        if (step == STEP_YES) {
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
               ? STEP_YES
               : STEP_NO;
}

/* unevaluatedProperties and unevaluatedItems: the children without a bit. */
static enum step phase_rest(surety__machine *machine, surety__level *level,
                            enum step back, struct next *next)
{
    bool object = level->cell->kind == CELL_OBJECT;
    const surety__shape *rest = object ? level->shape->objects->unevaluated
                                       : level->shape->arrays->unevaluated;

    if (back == STEP_NO)
        return STEP_NO;
    for (; level->left; level->left--) {
        const surety__cell *value = level->cursor + object;
        uint32_t ordinal = level->cell->count - level->left;

        if (!surety__bits_have(machine, level->bits, ordinal)) {
            const surety__shape *child = rest->direct;
            enum step step = child_step(machine, &child, value);

            surety__bits_mark(machine, level->bits, ordinal);
            *next = (struct next){child, value};
            if (step != STEP_YES)
                return step;
        }
        level->cursor = surety__cell_after(value);
    }
    return STEP_YES;
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
    if (level->inplace > machine->limits.inplace_depth_max)
        return level_inplace_fails(machine);
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
static enum step level_run(surety__machine *machine, surety__level *level,
                           enum step back, struct next *next)
{
    for (;;) {
        enum step step = STEP_YES;

        switch ((enum phase)level->phase) {
        case PHASE_MEMBERS:
            step = phase_members(machine, level, back, next);
            break;
        case PHASE_MEMBERS_WIDE:
            step = phase_members_wide(machine, level, back, next);
            break;
        case PHASE_NAMES: step = phase_names(machine, level, back, next); break;
        case PHASE_ITEMS: step = phase_items(machine, level, back, next); break;
        case PHASE_ITEMS_WIDE:
            step = phase_items_wide(machine, level, back, next);
            break;
        case PHASE_CONTAINS:
            step = phase_contains(machine, level, back, next);
            break;
        case PHASE_APPLY:
            next->cell = level->cell;
            step = verdict_applicators(machine, level, back, &next->shape);
            break;
        case PHASE_REST: step = phase_rest(machine, level, back, next); break;
        case PHASE_END: return STEP_YES;
        }
        if (step != STEP_YES || level->shape->bare)
            return step;
        level_phase(level, level->phase + 1);
        back = STEP_DOWN;
    }
}

/* ---- what needs no level ------------------------------------------------ */

/* Whether the value of a member or item satisfies shape; out of line, for most
 * are told by their kind before. */
static __attribute__((noinline)) bool flat_child(surety__machine *machine,
                                                 const surety__shape *shape,
                                                 const surety__cell *cell)
{
    return child_step(machine, &shape, cell) == STEP_YES;
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
static bool flat_holds(surety__machine *machine, const surety__shape *shape,
                       const surety__cell *cell)
{
    bool quick = cell->kind == CELL_ARRAY    ? shape->quick_array
                 : cell->kind == CELL_OBJECT ? shape->quick_object
                                             : false;

    if (!quick) {
        surety__level level = {.shape = shape, .cell = cell};
        struct next next;

        return level_begin(machine, &level, BITS_NONE, false) &&
               level_run(machine, &level, STEP_DOWN, &next) == STEP_YES;
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

static bool verdict_run(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell, uint32_t bits)
{
    struct next next = {shape, cell};
    uint32_t under = bits;
    uint32_t inplace = 0;
    size_t depth = 0;
    bool branch = bits != BITS_NONE;
    enum step step = value_step(machine, &next.shape, cell, bits);

    while (step == STEP_DOWN) {
        surety__level *level;

        if (depth >= machine->level_cap && !level_room(machine, depth))
            return false;
        level = &machine->levels[depth];
        level->shape = next.shape;
        level->cell = next.cell;
        level->inplace = inplace;
        step = level_begin(machine, level, under, branch)
                   ? level_run(machine, level, STEP_DOWN, &next)
                   : STEP_NO;
        /* A level that ends is an answer for the one below. */
        while (step != STEP_DOWN) {
            if (machine->status)
                return false;
            if (level->owns)
                level_end(machine, level, step == STEP_YES,
                          depth ? level[-1].bits : bits);
            if (!depth)
                return step == STEP_YES;
            depth--;
            level--;
            step = level_run(machine, level, step, &next);
        }
        depth++;
        under = BITS_NONE;
        branch = false;
        inplace = 0;
        if (level->phase == PHASE_APPLY) {
            under = level->bits;
            branch = under != BITS_NONE && verdict_is_branch(level);
            inplace = level->inplace + 1;
        }
    }
    return step == STEP_YES;
}

bool surety__shape_holds(surety__machine *machine, const surety__shape *shape,
                         const surety__cell *cell, uint32_t bits)
{
    enum surety__mode before = machine->mode;

    machine->mode = MODE_VERDICT;
    machine->result = verdict_run(machine, shape, cell, bits);
    machine->mode = before;
    return !machine->status;
}
