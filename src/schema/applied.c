/* SPDX-License-Identifier: Apache-2.0 */
/* Applicators: the subschemas that apply to the value of the frame itself.
 *
 * An applicator is a small machine over its branches; its state is in the
 * frame. A branch that needs a frame goes to the caller through *next,
 * who comes back with its validity. Of anyOf and oneOf on objects only the
 * branches are tried that the names of the members and the value of a tag allow
 * (branch.c). Where a union alone decides, its branches are tried without a
 * frame for it (surety__union_select).
 *
 * Invariants:
 * 1. `sub` is 0 and `last` is OPEN when an applicator begins.
 * 2. Of what only decides (branches of anyOf and oneOf, not, if) a report asks
 *    for the validity; what must hold it reports.
 * 3. A `not` marks no bits: if its subschema holds, the frame does not. */
#include "schema/evaluate.h"

/* ---- branches ----------------------------------------------------------- */

/* The branches that a tag leaves for the value of its member. */
static uint64_t branches_tagged(const surety_doc *doc, const surety__tag *tag,
                                const surety__cell *member)
{
    uint64_t found = 0;

    if (member->kind < CELL_ARRAY && tag->values.entries)
        found = surety__hashed_at(&tag->values,
                                  surety__val_hash(surety__val_of(doc, member)))
                    ->value;
    return found;
}

/* The branches that a tag excludes for the value of its member. */
static uint64_t branches_excluded(const surety_doc *doc, const surety__tag *tag,
                                  const surety__cell *member)
{
    return tag->excluded && member->kind == CELL_STRING &&
                   surety__words_find(tag->excluded,
                                      surety__cell_str(doc, member))
               ? tag->excluding
               : 0;
}

/* Of many branches without a tag: those that the names of the members allow. A
 * branch is at one name that it requires. */
static uint64_t branches_named(const surety_doc *doc,
                               const surety__switch *branching,
                               const surety__cell *object)
{
    const surety__cell *key = object + 1;
    uint64_t branches = branching->nameless;
    bool found = false;

    for (uint32_t i = 0; i < object->count; i++) {
        const uint64_t here =
            surety__hashed_at(&branching->names,
                              surety__hashed_name(surety__cell_str(doc, key)))
                ->value;

        if (here && found)
            return branching->objects;
        if (here) {
            found = true;
            branches = here;
        }
        key = surety__cell_after(key + 1);
    }
    return branches;
}

/* Of many branches: those that the value can satisfy, as a stretch. */
static uint64_t branches_many(const surety_doc *doc,
                              const surety__switch *branching,
                              const surety__cell *cell)
{
    const surety__tag *tag = branching->tags;
    const surety__cell *member;
    uint64_t found;

    if (cell->kind != CELL_OBJECT)
        return branching->kinds[cell->kind];
    if (branching->names.entries)
        return branches_named(doc, branching, cell);
    if (!branching->tag_count)
        return branching->objects;
    member = surety__member_named(doc, cell, tag->name);
    if (!member)
        return tag->lacking;
    found = branches_tagged(doc, tag, member);
    return found ? found : tag->open;
}

/* Whether a set of few branches has more than one. */
static inline bool branches_are_several(uint64_t branches)
{
    return (branches & (branches - 1)) != 0;
}

/* Of few branches: those that the object can satisfy, by its tags, and where
 * these leave several by the names of all members. */
static uint64_t branches_few(const surety_doc *doc,
                             const surety__switch *branching,
                             const surety__cell *object)
{
    const surety__cell *key = object + 1;
    uint64_t branches = branching->objects;
    uint64_t names = 0;
    uint32_t absent = (1u << branching->tag_count) - 1;

    for (uint32_t i = 0; i < object->count && branches_are_several(branches);
         i++) {
        names |= (uint64_t)1 << (key->hash & 63);
        for (uint32_t k = 0; k < branching->tag_count; k++) {
            const surety__tag *tag = &branching->tags[k];

            if (key->hash != tag->hash ||
                !surety_str_equal(surety__cell_str(doc, key), tag->name))
                continue;
            absent &= ~(1u << k);
            branches &= tag->kinds[key[1].kind] &
                        (tag->open | branches_tagged(doc, tag, key + 1)) &
                        ~branches_excluded(doc, tag, key + 1);
        }
        key = surety__cell_after(key + 1);
    }
    for (; absent && branches_are_several(branches); absent &= absent - 1)
        branches &= branching->tags[__builtin_ctz(absent)].lacking;
    if (!branches_are_several(branches))
        return branches;
    for (uint64_t left = branches; left; left &= left - 1) {
        const surety__screen *screen =
            &branching->screens[__builtin_ctzll(left)];

        if ((screen->needs & ~names) || (names & ~screen->allows) ||
            (screen->some && !(names & screen->some)))
            branches ^= left & -left;
    }
    return branches;
}

/* The branches that the value can satisfy, as a set (surety__switch). */
static uint64_t branches_left(const surety_doc *doc,
                              const surety__applicator *applicator,
                              const surety__cell *cell)
{
    const surety__switch *branching = applicator->branching;

    assert(applicator->count);
    if (applicator->count > SWITCH_BRANCHES)
        return branching ? branches_many(doc, branching, cell)
                         : (uint64_t)applicator->count << 32;
    return branching && cell->kind == CELL_OBJECT
               ? branches_few(doc, branching, cell)
               : UINT64_MAX >> (64 - applicator->count);
}

/* Takes the first branch off a set; UINT32_MAX: it is empty. */
static inline uint32_t branches_take(const surety__applicator *applicator,
                                     uint64_t *branches)
{
    const uint32_t at = (uint32_t)*branches;
    uint32_t branch;

    if (applicator->count > SWITCH_BRANCHES) {
        if (at == *branches >> 32)
            return UINT32_MAX;
        ++*branches;
        return applicator->branching ? applicator->branching->order[at] : at;
    }
    if (!*branches)
        return UINT32_MAX;
    branch = (uint32_t)__builtin_ctzll(*branches);
    *branches &= *branches - 1;
    return branch;
}

/* Whether as many of the branches hold as must; none of them needs a frame. */
static bool branches_hold(surety__machine *machine,
                          const surety__applicator *applicator,
                          uint64_t branches, const surety__cell *cell)
{
    const uint32_t enough = applicator->kind == APPLY_ANY ? 1 : 2;
    uint32_t holding = 0;

    while (holding < enough && !machine->status) {
        const uint32_t branch = branches_take(applicator, &branches);
        const surety__shape *shape;

        if (branch == UINT32_MAX)
            break;
        shape = applicator->shapes[branch]->direct;
        if (!surety__machine_charge(machine, 1))
            return false;
        holding += surety__child_validity(machine, &shape, cell) == VALID_YES;
    }
    return holding == 1;
}

/* The validity of a value for which the union of shape leaves these branches.
 */
static enum surety__validity select_several(surety__machine *machine,
                                            const surety__shape *shape,
                                            uint64_t branches,
                                            const surety__cell *cell)
{
    const bool flat = surety__shape_is_flat(shape, cell->kind);
    bool holds;

    if (!flat && machine->nest.framed)
        return VALID_OPEN;
    if (!flat && machine->nest.height == WALK_HEIGHT)
        return surety__valid_if(surety__walk_deep(machine, shape, cell));
    machine->nest.height += !flat;
    holds = branches_hold(machine, shape->selects, branches, cell);
    machine->nest.height -= !flat;
    return surety__valid_if(holds);
}

const surety__shape *surety__union_select(surety__machine *machine,
                                          const surety__shape *shape,
                                          const surety__cell *cell,
                                          enum surety__validity *ret_valid)
{
    const unsigned kind = cell->kind;

    *ret_valid = VALID_NO;
    while (shape->how[kind] >= HOW_SELECT_FLAT) {
        const surety__applicator *selects = shape->selects;
        const uint64_t all = branches_left(machine->doc, selects, cell);
        uint64_t others = all;
        const uint32_t first = branches_take(selects, &others);
        uint64_t rest = others;

        if (first == UINT32_MAX ||
            !surety__machine_charge(
                machine, 1 + (kind < CELL_ARRAY ? 0 : cell->count / 16)))
            return shape;
        if (branches_take(selects, &rest) == UINT32_MAX) {
            shape = surety__route_end(selects->shapes[first]->direct, kind);
            continue;
        }
        *ret_valid = machine->memo.open
                         ? surety__memo_validity(machine, shape, cell)
                         : select_several(machine, shape, all, cell);
        return shape;
    }
    *ret_valid = surety__child_validity(machine, &shape, cell);
    return shape;
}

/* ---- without a frame ----------------------------------------------------- */

/* What the value of the jump's member leads to; NULL: nothing applies. */
static const surety__shape *jump_target(const surety_doc *doc,
                                        const surety__jump *jump,
                                        const surety__cell *object)
{
    const surety__cell *member =
        surety__member(doc, object, jump->name, jump->hash);
    const surety__word *word = NULL;

    if (!member)
        return jump->lacking;
    if (member->kind < CELL_INT)
        return jump->kinds[member->kind];
    if (member->kind == CELL_STRING)
        word = surety__words_find(jump->words, surety__cell_str(doc, member));
    return jump->targets[word ? word->number : 0];
}

/* Whether cell satisfies shape, which needs no frame; NULL: true. */
static bool flat_decides(surety__machine *machine, const surety__shape *shape,
                         const surety__cell *cell)
{
    if (!shape)
        return true;
    shape = shape->direct;
    return surety__machine_charge(machine, 1) &&
           surety__child_validity(machine, &shape, cell) == VALID_YES;
}

static bool flat_applies(surety__machine *machine,
                         const surety__applicator *applicator,
                         const surety__cell *cell)
{
    const surety__shape *const *shapes = applicator->shapes;
    bool holds = true;

    switch (applicator->kind) {
    case APPLY_ANY:
    case APPLY_ONE:
        return applicator->choice
                   ? flat_decides(machine, applicator->choice, cell)
                   : branches_hold(
                         machine, applicator,
                         branches_left(machine->doc, applicator, cell), cell);
    case APPLY_NOT: return !flat_decides(machine, shapes[0], cell);
    case APPLY_IF:
        if (applicator->jump && cell->kind == CELL_OBJECT)
            return flat_decides(
                machine, jump_target(machine->doc, applicator->jump, cell),
                cell);
        holds = flat_decides(machine, shapes[0], cell);
        return flat_decides(machine, shapes[holds ? 1 : 2], cell);
    default:
        assert(applicator->kind == APPLY_ALL);
        for (uint32_t i = 0; i < applicator->count && holds; i++)
            holds = flat_decides(machine, shapes[i], cell);
        return holds;
    }
}

bool surety__flat_applied(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *cell)
{
    for (uint32_t i = 0; i < shape->applicator_count; i++)
        if (!flat_applies(machine, &shape->applicators[i], cell))
            return false;
    return true;
}

/* ---- subschemas --------------------------------------------------------- */

static surety__step applied_step(const surety__applicator *applicator,
                                 uint32_t branch)
{
    surety__step step = {.keyword = applicator->keyword,
                         .token = applicator->key,
                         .index = UINT32_MAX,
                         .same_value = true};

    if (applicator->keyword == KW_ALL_OF || applicator->keyword == KW_ANY_OF ||
        applicator->keyword == KW_ONE_OF)
        step.index = branch;
    if (applicator->kind == APPLY_IF)
        step.keyword = branch == 0 ? KW_IF : branch == 1 ? KW_THEN : KW_ELSE;
    return step;
}

/* Whether cell satisfies shape, as far as that needs no frame; it is work. */
static enum surety__validity applied_decides(surety__machine *machine,
                                             const surety__shape *shape,
                                             const surety__cell *cell,
                                             uint32_t bits, surety__next *next)
{
    enum surety__validity valid =
        surety__value_validity(machine, &shape, cell, bits);

    next->shape = shape;
    if (valid != VALID_OPEN && !surety__machine_charge(machine, 1))
        return VALID_NO;
    return valid;
}

/* Of a shape that must hold: it is this branch of the applicator. */
EVALUATE_INLINE enum surety__validity applied_must(surety__machine *machine,
                                                   const surety__frame *frame,
                                                   const surety__shape *shape,
                                                   uint32_t branch,
                                                   surety__next *next,
                                                   const bool report)
{
    if (!report)
        return applied_decides(machine, shape, frame->cell, frame->bits, next);
    *next = (surety__next){
        shape, frame->cell, ASK_FRAME,
        applied_step(&frame->shape->applicators[frame->at], branch)};
    return surety__child_report(machine, next, frame->bits != BITS_NONE);
}

/* Of a shape that may hold or not; bits as of surety__applied_bits. */
EVALUATE_INLINE enum surety__validity
applied_may(surety__machine *machine, const surety__cell *cell, uint32_t bits,
            const surety__shape *shape, surety__next *next, const bool report)
{
    if (!report)
        return applied_decides(machine, shape, cell, bits, next);
    next->shape = shape;
    next->ask = ASK_VALIDITY;
    return VALID_OPEN;
}

/* ---- applicators -------------------------------------------------------- */

/* Each of the following does the next piece of the present applicator, with
 * the arguments of surety__applied_validity. */

EVALUATE_INLINE enum surety__validity
applied_all(surety__machine *machine, surety__frame *frame,
            const surety__applicator *applicator, enum surety__validity last,
            surety__next *next, const bool report)
{
    if (last == VALID_NO)
        return VALID_NO;
    while (frame->sub < applicator->count) {
        uint32_t branch = frame->sub++;
        const surety__shape *shape = applicator->shapes[branch];
        enum surety__validity valid;

        if (applicator->kind == APPLY_DYNAMIC) {
            size_t scope = (size_t)(frame - machine->frames) + 1;

            if (!surety__machine_charge(machine, scope / 32))
                return VALID_NO;
            shape = surety__machine_dynamic(machine, scope - machine->depth,
                                            applicator);
        }
        valid = applied_must(machine, frame, shape, branch, next, report);
        if (valid != VALID_YES)
            return valid;
    }
    return VALID_YES;
}

/* Whether one of the values that the branches allow is that of the frame. */
static bool branches_have(surety__machine *machine, const surety__frame *frame,
                          const surety__applicator *applicator)
{
    const surety__shape *choice = applicator->choice;

    return surety__machine_charge(machine, 1) &&
           surety__choices_have(choice->choices, choice->at.doc,
                                surety__val_of(machine->doc, frame->cell));
}

EVALUATE_INLINE enum surety__validity applied_branches(
    surety__machine *machine, surety__frame *frame,
    const surety__applicator *applicator, enum surety__validity last,
    surety__next *next, const bool report)
{
    const bool any = applicator->kind == APPLY_ANY;
    /* Without bits to mark, anyOf ends at the first branch that holds and oneOf
     * at the second. */
    const uint32_t enough = frame->bits != BITS_NONE ? UINT32_MAX : any ? 1 : 2;
    bool holds;

    if (applicator->choice && !report)
        return applied_decides(machine, applicator->choice, frame->cell,
                               BITS_NONE, next);
    if (last == VALID_OPEN) {
        frame->count = 0;
        frame->reported = false;
        frame->branches = branches_left(machine->doc, applicator, frame->cell);
        if (applicator->choice && branches_have(machine, frame, applicator))
            return VALID_YES;
        if (applicator->choice && any)
            frame->branches = 0;
    } else if (report && frame->reported) {
        return VALID_YES;
    }
    for (;;) {
        uint32_t branch;

        if (last == VALID_YES) {
            if (report && frame->count == 0)
                frame->first = frame->sub;
            else if (report && frame->count == 1)
                frame->second = frame->sub;
            frame->count++;
        }
        if (frame->count >= enough)
            break;
        branch = branches_take(applicator, &frame->branches);
        if (branch == UINT32_MAX)
            break;
        frame->sub = branch;
        last = applied_may(machine, frame->cell, frame->bits,
                           applicator->shapes[branch], next, report);
        if (last == VALID_OPEN)
            return last;
    }
    holds = any ? frame->count >= 1 : frame->count == 1;
    if (holds || !report)
        return surety__valid_if(holds);
    frame->reported = true;
    next->ask = ASK_MEANT;
    return VALID_OPEN;
}

EVALUATE_INLINE enum surety__validity
applied_not(surety__machine *machine, surety__frame *frame,
            const surety__applicator *applicator, enum surety__validity last,
            surety__next *next, const bool report)
{
    if (last == VALID_OPEN)
        last = applied_may(machine, frame->cell, BITS_NONE,
                           applicator->shapes[0], next, report);
    if (last != VALID_YES)
        return last == VALID_NO ? VALID_YES : last;
    if (!report)
        return VALID_NO;
    surety__report_failure(
        machine, (surety__failure){.keyword = KW_NOT, .instance = frame->cell});
    return VALID_YES;
}

/* sub: 0 the if is open, 1 it is decided, 2 then or else was applied. */
EVALUATE_INLINE enum surety__validity
applied_if(surety__machine *machine, surety__frame *frame,
           const surety__applicator *applicator, enum surety__validity last,
           surety__next *next, const bool report)
{
    assert(applicator->count == 3);
    if (frame->sub == 0 && applicator->jump && !report &&
        frame->bits == BITS_NONE && frame->cell->kind == CELL_OBJECT) {
        const surety__shape *target =
            jump_target(machine->doc, applicator->jump, frame->cell);

        frame->sub = 2;
        if (!surety__machine_charge(machine, 1 + frame->cell->count / 16))
            return VALID_NO;
        return target ? applied_must(machine, frame, target, 1, next, false)
                      : VALID_YES;
    }
    if (frame->sub == 0) {
        frame->sub = 1;
        last = applied_may(machine, frame->cell, frame->bits,
                           applicator->shapes[0], next, report);
        if (last == VALID_OPEN)
            return last;
    }
    if (frame->sub == 1) {
        uint32_t branch = last == VALID_YES ? 1 : 2;

        frame->sub = 2;
        return applicator->shapes[branch]
                   ? applied_must(machine, frame, applicator->shapes[branch],
                                  branch, next, report)
                   : VALID_YES;
    }
    return last;
}

/* Whether the applicator applies to an object whose member with its key is
 * this. */
static bool member_applies(const surety_doc *doc,
                           const surety__applicator *applicator,
                           const surety__cell *member)
{
    return applicator->kind == APPLY_DEPENDENT ||
           (member->kind == CELL_STRING &&
            surety_str_equal(surety__cell_str(doc, member), applicator->value));
}

bool surety__applies(const surety_doc *doc, const surety__cell *object,
                     const surety__applicator *applicator)
{
    const surety__cell *member;

    if (object->kind != CELL_OBJECT)
        return false;
    member = surety__member_named(doc, object, applicator->key);
    return member && member_applies(doc, applicator, member);
}

/* All applicators that depend on members, from the first one on: each member
 * leads to its own. sub: the next one of the present member, + 1; matched: it
 * has been looked up. */
EVALUATE_INLINE enum surety__validity applied_dependents(
    surety__machine *machine, surety__frame *frame, enum surety__validity last,
    surety__next *next, const bool report)
{
    const surety__shape *shape = frame->shape;
    const surety__words *keys = shape->applicators[frame->at].keys;
    const surety__applicator *applicator;
    const surety__word *word;

    if (last == VALID_NO ||
        !surety__machine_charge(machine,
                                last == VALID_OPEN ? frame->left / 16 : 0))
        return VALID_NO;
    if (last == VALID_OPEN)
        frame->matched = false;
    while (frame->left) {
        if (!frame->sub && !frame->matched) {
            word = surety__words_find(
                keys, surety__cell_str(machine->doc, frame->cursor));
            frame->sub = word ? (uint32_t)word->number : 0;
            frame->matched = true;
        }
        if (!frame->sub) {
            frame->cursor = surety__cell_after(frame->cursor + 1);
            frame->left--;
            frame->matched = false;
            continue;
        }
        frame->at = frame->sub - 1;
        applicator = &shape->applicators[frame->at];
        frame->sub = applicator->next;
        if (member_applies(machine->doc, applicator, frame->cursor + 1)) {
            enum surety__validity valid = applied_must(
                machine, frame, applicator->shapes[0], 0, next, report);

            if (valid != VALID_YES)
                return valid;
        }
    }
    frame->at = shape->applicator_count - 1;
    return VALID_YES;
}

EVALUATE_INLINE enum surety__validity applied_run(surety__machine *machine,
                                                  surety__frame *frame,
                                                  enum surety__validity last,
                                                  surety__next *next,
                                                  const bool report)
{
    const surety__shape *shape = frame->shape;

    next->cell = frame->cell;
    for (; frame->at < shape->applicator_count; frame->at++) {
        const surety__applicator *applicator = &shape->applicators[frame->at];
        enum surety__validity valid;

        switch (applicator->kind) {
        case APPLY_ALL:
        case APPLY_DYNAMIC:
            valid = applied_all(machine, frame, applicator, last, next, report);
            break;
        case APPLY_ANY:
        case APPLY_ONE:
            valid = applied_branches(machine, frame, applicator, last, next,
                                     report);
            break;
        case APPLY_NOT:
            valid = applied_not(machine, frame, applicator, last, next, report);
            break;
        case APPLY_IF:
            valid = applied_if(machine, frame, applicator, last, next, report);
            break;
        default:
            valid = frame->cell->kind == CELL_OBJECT
                        ? applied_dependents(machine, frame, last, next, report)
                        : VALID_YES;
        }
        if (valid != VALID_YES)
            return valid;
        last = VALID_OPEN;
        frame->sub = 0;
    }
    return VALID_YES;
}

enum surety__validity surety__applied_validity(surety__machine *machine,
                                               surety__frame *frame,
                                               enum surety__validity last,
                                               surety__next *next)
{
    return applied_run(machine, frame, last, next, false);
}

enum surety__validity surety__applied_report(surety__machine *machine,
                                             surety__frame *frame,
                                             enum surety__validity last,
                                             surety__next *next)
{
    return applied_run(machine, frame, last, next, true);
}

enum surety__validity surety__applied_meant(surety__machine *machine,
                                            surety__next *next)
{
    const size_t top = machine->depth - 1;
    const surety__frame *frame = &machine->frames[top];
    const surety__applicator *applicator =
        &frame->shape->applicators[frame->at];
    const surety__cell *cell = frame->cell;
    surety__failure failure = {.keyword = applicator->keyword,
                               .instance = cell,
                               .count = frame->count,
                               .other = applicator->count,
                               .applicator = applicator,
                               .first = frame->first,
                               .second = frame->second};
    uint32_t meant = UINT32_MAX;

    assert(applicator->kind == APPLY_ANY || applicator->kind == APPLY_ONE);
    if (machine->mode == MODE_REPORT && frame->count == 0)
        meant = surety__meant_branch(machine, applicator, cell);
    if (meant != UINT32_MAX) {
        *next = (surety__next){applicator->shapes[meant], cell, ASK_FRAME,
                               applied_step(applicator, meant)};
        return surety__child_report(machine, next, true);
    }
    surety__report_failure(machine, failure);
    return VALID_YES;
}
