/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on what applies to the same value: allOf, anyOf, oneOf, not, if,
 * references and dependencies.
 *
 * An applicator is a small machine over its branches whose state stands in the
 * level. A branch that needs a level of its own is handed to the caller, who
 * comes back with its verdict. Of anyOf and oneOf on objects only the branches
 * are tried that the names of the members and the value of a tag leave
 * (branch.c). */
#include "schema/verdict.h"

/* What can be said of a shape for the value of a level; that is work. */
static enum surety__said applied_said(surety__machine *machine,
                                      const surety__shape **shape,
                                      const surety__level *level)
{
    enum surety__said said =
        surety__value_said(machine, shape, level->cell, level->bits);

    if (said != SAID_DOWN && !surety__machine_charge(machine, 1))
        return SAID_NO;
    return said;
}

/* ---- branches ----------------------------------------------------------- */

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

static enum surety__said applied_all(surety__machine *machine,
                                     surety__level *level,
                                     const surety__applicator *applicator,
                                     enum surety__said back,
                                     const surety__shape **ret_shape)
{
    if (back == SAID_NO)
        return SAID_NO;
    while (level->sub < applicator->count) {
        const surety__shape *shape = applicator->shapes[level->sub++];
        enum surety__said said;

        if (applicator->kind == APPLY_DYNAMIC) {
            size_t levels = (size_t)(level - machine->levels) + 1;

            if (!surety__machine_charge(machine,
                                        (machine->depth + levels) / 32))
                return SAID_NO;
            shape = surety__machine_dynamic(machine, levels, applicator);
        }
        said = applied_said(machine, &shape, level);
        *ret_shape = shape;
        if (said != SAID_YES)
            return said;
    }
    return SAID_YES;
}

static enum surety__said applied_branches(surety__machine *machine,
                                          surety__level *level,
                                          const surety__applicator *applicator,
                                          enum surety__said back,
                                          const surety__shape **ret_shape)
{
    uint32_t enough = level->bits != BITS_NONE        ? UINT32_MAX
                      : applicator->kind == APPLY_ANY ? 1
                                                      : 2;

    if (back == SAID_DOWN) {
        level->count = 0;
        branches_begin(machine, level, applicator);
    }
    level->count += back == SAID_YES;
    while (level->count < enough) {
        uint32_t branch = branch_next(applicator, level);
        const surety__shape *shape;
        enum surety__said said;

        if (branch == UINT32_MAX)
            break;
        shape = applicator->shapes[branch];
        said = applied_said(machine, &shape, level);
        *ret_shape = shape;
        if (said == SAID_DOWN)
            return said;
        level->count += said == SAID_YES;
    }
    return (applicator->kind == APPLY_ANY ? level->count >= 1
                                          : level->count == 1)
               ? SAID_YES
               : SAID_NO;
}

static enum surety__said applied_not(surety__machine *machine,
                                     surety__level *level,
                                     const surety__applicator *applicator,
                                     enum surety__said back,
                                     const surety__shape **ret_shape)
{
    *ret_shape = applicator->shapes[0];
    if (back == SAID_DOWN)
        back = (*ret_shape)->always ? SAID_YES
                                    : applied_said(machine, ret_shape, level);
    return back == SAID_DOWN ? back : back == SAID_YES ? SAID_NO : SAID_YES;
}

/* sub: 0 the if is to be decided, 1 its verdict is there, 2 then or else was
 * applied. */
static enum surety__said applied_if(surety__machine *machine,
                                    surety__level *level,
                                    const surety__applicator *applicator,
                                    enum surety__said back,
                                    const surety__shape **ret_shape)
{
    if (level->sub == 0) {
        level->sub = 1;
        *ret_shape = applicator->shapes[0];
        back = applied_said(machine, ret_shape, level);
        if (back == SAID_DOWN)
            return back;
    }
    if (level->sub == 1) {
        level->sub = 2;
        *ret_shape = applicator->shapes[back == SAID_YES ? 1 : 2];
        return *ret_shape ? applied_said(machine, ret_shape, level) : SAID_YES;
    }
    return back;
}

static enum surety__said applied_dependent(surety__machine *machine,
                                           surety__level *level,
                                           const surety__applicator *applicator,
                                           enum surety__said back,
                                           const surety__shape **ret_shape)
{
    const surety__cell *cell = level->cell;

    if (back != SAID_DOWN)
        return back;
    if (cell->kind != CELL_OBJECT)
        return SAID_YES;
    /* Finding the key is linear in the members. */
    if (!surety__machine_charge(machine, cell->count / 16))
        return SAID_NO;
    if (!surety__applies(machine->doc, cell, applicator))
        return SAID_YES;
    *ret_shape = applicator->shapes[0];
    return applied_said(machine, ret_shape, level);
}

/* All applicators of the level from where it stands. */
enum surety__said surety__applied_said(surety__machine *machine,
                                       surety__level *level,
                                       enum surety__said back,
                                       const surety__shape **ret_shape)
{
    const surety__shape *shape = level->shape;

    for (; level->at < shape->applicator_count; level->at++) {
        const surety__applicator *applicator = &shape->applicators[level->at];
        enum surety__said said;

        switch (applicator->kind) {
        case APPLY_ALL:
        case APPLY_DYNAMIC:
            said = applied_all(machine, level, applicator, back, ret_shape);
            break;
        case APPLY_ANY:
        case APPLY_ONE:
            said =
                applied_branches(machine, level, applicator, back, ret_shape);
            break;
        case APPLY_NOT:
            said = applied_not(machine, level, applicator, back, ret_shape);
            break;
        case APPLY_IF:
            said = applied_if(machine, level, applicator, back, ret_shape);
            break;
        default:
            said =
                applied_dependent(machine, level, applicator, back, ret_shape);
        }
        if (said != SAID_YES)
            return said;
        back = SAID_DOWN;
        level->sub = 0;
    }
    return SAID_YES;
}

/* Whether what the applicator at work evaluates counts only if it holds. */
bool surety__applied_is_branch(const surety__level *level)
{
    enum surety__applicator_kind kind =
        level->shape->applicators[level->at].kind;

    return kind == APPLY_ANY || kind == APPLY_ONE || kind == APPLY_NOT ||
           kind == APPLY_IF;
}
