/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of shapes against values: one core, compiled for the
 * validity (yes or no, no message) and for a report (every failure is a
 * finding).
 *
 * A frame is one shape applied to one value. It goes through its phases: its
 * own assertions, members or items, what applies to the same value, what is
 * left unevaluated. For a subschema that needs more than a look it asks the
 * loop for a frame (surety__next) and goes on with the result. So the depth of
 * a schema or value costs no C stack, and the frames of a report are at once
 * the dynamic scope and the keyword location of a finding.
 *
 * For the validity, the kind of a value is looked up first (surety__how, worked
 * out by fold.c); most members and items go no further. A failure ends
 * frame after frame until one is met that can do without it (anyOf, oneOf,
 * not, if, contains). A report goes through every keyword and asks for the
 * validity of what only decides.
 *
 * Invariants:
 * 1. A phase never evaluates by itself what needs a frame, and only the loop
 *    adds frames: within a phase the address of its frame is valid.
 * 2. A report calls for validities, and for the distance to the branches of a
 *    union, which is a report without findings; that calls for validities only.
 *    The C stack is bounded.
 * 3. Where a shape has an unevaluated keyword, its frame and those for the same
 *    value above it have one bit for every member or item. Subschemas that must
 *    hold share the bits of the frame below; a branch has its own until it
 *    ends, and then they count below if it is valid (2020-12 core, section 11).
 *    A report counts those of what must hold even if it is not valid, which the
 *    standard would not: one mistake is reported once.
 * 4. Where a memo is open, every result that no marks belong to goes into it,
 *    and is looked for there before a frame is added.
 * 5. Objects whose members are checked by name alone, and arrays whose items
 *    all have one shape, have loops of their own for the validity.
 *    Patterns, prefixes, evaluated bits and reports take the wide ones.
 * 6. The validity uses the C stack as far as that is bounded: a shape of
 * HOW_FLAT calls itself at most FLAT_HEIGHT times, and of HOW_WALK so many as
 *    WALK_HEIGHT are there at once. What nests deeper goes on in frames, from
 *    which no shape of HOW_WALK is called (machine->nest).
 * 7. What fails notes which of its children hold (surety__passed). They hold
 *    wherever the shape is applied to the value: a report leaves them out. */
#include "schema/evaluate.h"

#include "schema/assert.h"
#include "schema/leaf.h"

/* The phases of a frame, in this order as far as its value has them. */
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

/* ---- subschemas in a report ---------------------------------------------- */

static surety__step step_child(surety__keyword keyword)
{
    return (surety__step){.keyword = keyword, .index = UINT32_MAX};
}

enum surety__validity surety__child_report(surety__machine *machine,
                                           const surety__next *next, bool marks)
{
    const enum surety__mode mode = machine->mode;
    const surety__shape *shape = next->shape->direct;
    enum surety__validity valid = VALID_OPEN;

    if (next->shape->always)
        return VALID_YES;
    if (next->shape->never) {
        surety__report_failure(machine,
                               (surety__failure){.keyword = next->step.keyword,
                                                 .instance = next->cell,
                                                 .step = next->step,
                                                 .never = next->shape});
        return VALID_YES;
    }
    machine->mode = MODE_VALIDITY;
    if (!marks && !surety__passed_find(machine, shape, next->cell))
        valid = surety__child_validity(machine, &shape, next->cell);
    machine->mode = mode;
    return valid == VALID_YES ? VALID_YES : VALID_OPEN;
}

/* ---- members ----------------------------------------------------------- */

/* The next shape for the value of the member, as surety__wide_member; *step is
 * how it is reached, in a report. */
EVALUATE_INLINE const surety__shape *member_next(surety__machine *machine,
                                                 const surety__objects *objects,
                                                 const surety__cell *key,
                                                 surety__wide *wide,
                                                 surety__step *step,
                                                 const bool report)
{
    surety_str name = surety__cell_str(machine->doc, key);

    if (wide->sub == 0) {
        const surety__slot *slot =
            surety__slot_find(objects, machine->doc, key);

        wide->sub = slot && slot->alone ? objects->pattern_count + 1 : 1;
        wide->matched = slot && slot->covers;
        wide->required += slot && slot->required;
        if (wide->matched) {
            if (!report)
                return slot->shape;
            *step = step_child(KW_PROPERTIES);
            step->token = slot->property->name;
            return slot->property->shape;
        }
    }
    for (;;) {
        const uint32_t at = surety__patterns_next(objects, name, wide->sub - 1);
        const surety__pattern_member *pattern;

        if (at == objects->pattern_count)
            break;
        pattern = &objects->patterns[at];
        wide->sub = at + 2;
        if (!surety__assert_pattern(machine, pattern->pattern, name))
            continue;
        wide->matched = true;
        if (report) {
            *step = step_child(KW_PATTERN_PROPERTIES);
            step->token = pattern->source;
        }
        return pattern->shape;
    }
    if (wide->matched || !objects->additional)
        return NULL;
    wide->matched = true;
    if (report)
        *step = step_child(KW_ADDITIONAL_PROPERTIES);
    return objects->additional;
}

const surety__shape *surety__wide_member(surety__machine *machine,
                                         const surety__objects *objects,
                                         const surety__cell *key,
                                         surety__wide *wide)
{
    const surety__shape *shape =
        member_next(machine, objects, key, wide, NULL, false);

    return shape ? shape->direct : NULL;
}

/* ---- phases ------------------------------------------------------------- */

/* Each of the following goes on with a phase of the frame: `last` is the
 * validity that *next asked for before, OPEN at the beginning. */

EVALUATE_INLINE enum surety__validity members_end(surety__machine *machine,
                                                  const surety__frame *frame,
                                                  const bool report)
{
    const surety__objects *objects = frame->shape->objects;

    if (report) {
        surety__assert_names(machine, frame->shape, frame->cell, frame->count);
        return VALID_YES;
    }
    if (frame->count != objects->required_count)
        return VALID_NO;
    return surety__valid_if(
        !objects->dependent_count ||
        surety__assert_names(machine, frame->shape, frame->cell, frame->count));
}

/* properties, required, patternProperties and additionalProperties; marks the
 * evaluated members. */
EVALUATE_INLINE enum surety__validity phase_members_wide(
    surety__machine *machine, surety__frame *frame, enum surety__validity last,
    surety__next *next, const bool report)
{
    const surety__objects *const objects = frame->shape->objects;

    if (last == VALID_NO)
        return VALID_NO;
    while (frame->left && objects->walks) {
        const surety__cell *value = frame->cursor + 1;
        surety__wide wide = {frame->sub, frame->count, frame->matched};
        surety__step step = {.index = 0};
        const surety__shape *child =
            member_next(machine, objects, frame->cursor, &wide, &step, report);
        enum surety__validity valid;

        frame->sub = wide.sub;
        frame->count = wide.required;
        frame->matched = wide.matched;
        if (!child) {
            frame->cursor = surety__cell_after(value);
            frame->left--;
            frame->sub = 0;
            continue;
        }
        surety__bits_mark(machine, frame->bits,
                          frame->cell->count - frame->left);
        /* Of a member that is not allowed the name is the mistake. */
        if (report && step.keyword == KW_ADDITIONAL_PROPERTIES && child->never)
            value = frame->cursor;
        if (report && value < frame->passed)
            continue;
        valid =
            surety__child_evaluate(machine, child, value, step, next, report);
        if (valid != VALID_YES)
            return valid;
    }
    return members_end(machine, frame, report);
}

/* The same for the validity where nothing is marked, as far as each member has
 * one shape: at the first member that patterns may match the phase becomes the
 * wide one. */
EVALUATE_INLINE enum surety__validity phase_members(surety__machine *machine,
                                                    surety__frame *frame,
                                                    enum surety__validity last,
                                                    surety__next *next)
{
    const surety__objects *const objects = frame->shape->objects;
    const surety_doc *const doc = machine->doc;
    const surety__cell *cursor = frame->cursor;
    uint32_t left = frame->left;
    uint32_t count = frame->count;

    if (last == VALID_NO)
        return VALID_NO;
    if (last == VALID_YES) {
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
            frame->cursor = cursor;
            frame->left = left;
            frame->count = count;
            frame->phase = PHASE_MEMBERS_WIDE;
            return VALID_OPEN;
        }
        if (child) {
            enum surety__validity valid =
                surety__child_validity(machine, &child, cursor + 1);

            if (valid != VALID_YES) {
                frame->cursor = cursor;
                frame->left = left;
                frame->count = count;
                next->shape = child;
                next->cell = cursor + 1;
                return valid;
            }
        }
        cursor = surety__cell_after(cursor + 1);
    }
    frame->cursor = cursor;
    frame->count = count;
    return members_end(machine, frame, false);
}

/* propertyNames. */
EVALUATE_INLINE enum surety__validity phase_names(surety__machine *machine,
                                                  surety__frame *frame,
                                                  enum surety__validity last,
                                                  surety__next *next,
                                                  const bool report)
{
    const surety__shape *const names = frame->shape->objects->names;

    assert(names);
    if (last == VALID_NO)
        return VALID_NO;
    if (last == VALID_YES) {
        frame->cursor = surety__cell_after(frame->cursor + 1);
        frame->left--;
    }
    for (; frame->left; frame->left--) {
        enum surety__validity valid =
            surety__child_evaluate(machine, names, frame->cursor,
                                   step_child(KW_PROPERTY_NAMES), next, report);

        if (valid != VALID_YES)
            return valid;
        frame->cursor = surety__cell_after(frame->cursor + 1);
    }
    return VALID_YES;
}

/* Items that all have one shape, for the validity where nothing is marked. */
EVALUATE_INLINE enum surety__validity phase_items(surety__machine *machine,
                                                  surety__frame *frame,
                                                  enum surety__validity last,
                                                  surety__next *next)
{
    const surety__shape *const rest = frame->shape->arrays->rest->direct;
    const surety__cell *cursor = frame->cursor;
    uint32_t left = frame->left;

    if (last == VALID_NO)
        return VALID_NO;
    if (last == VALID_YES) {
        cursor = surety__cell_after(cursor);
        left--;
    }
    for (; left; left--) {
        const surety__shape *child = rest;
        enum surety__validity valid =
            surety__child_validity(machine, &child, cursor);

        if (valid != VALID_YES) {
            frame->cursor = cursor;
            frame->left = left;
            next->shape = child;
            next->cell = cursor;
            return valid;
        }
        cursor = surety__cell_after(cursor);
    }
    return VALID_YES;
}

/* prefixItems, items and uniqueItems; marks the evaluated items. */
EVALUATE_INLINE enum surety__validity phase_items_wide(
    surety__machine *machine, surety__frame *frame, enum surety__validity last,
    surety__next *next, const bool report)
{
    const surety__arrays *const arrays = frame->shape->arrays;

    if (last == VALID_NO)
        return VALID_NO;
    if (last == VALID_YES) {
        frame->cursor = surety__cell_after(frame->cursor);
        frame->left--;
    }
    for (; frame->left; frame->left--) {
        uint32_t ordinal = frame->cell->count - frame->left;
        bool prefix = ordinal < arrays->prefix_count;
        surety__step step =
            step_child(prefix ? arrays->prefix_keyword : arrays->rest_keyword);
        const surety__shape *child =
            prefix ? arrays->prefix[ordinal] : arrays->rest;
        enum surety__validity valid;

        if (!child)
            break;
        if (prefix)
            step.index = ordinal;
        surety__bits_mark(machine, frame->bits, ordinal);
        valid = report && frame->cursor < frame->passed
                    ? VALID_YES
                    : surety__child_evaluate(machine, child, frame->cursor,
                                             step, next, report);
        if (valid != VALID_YES)
            return valid;
        frame->cursor = surety__cell_after(frame->cursor);
    }
    return surety__valid_if(
        !arrays->unique ||
        surety__assert_unique(machine, frame->shape, frame->cell) || report);
}

/* contains. Without bits to mark it ends where its minimum is reached and there
 * is no maximum. */
EVALUATE_INLINE enum surety__validity phase_contains(surety__machine *machine,
                                                     surety__frame *frame,
                                                     enum surety__validity last,
                                                     surety__next *next,
                                                     const bool report)
{
    const surety__arrays *const arrays = frame->shape->arrays;

    assert(arrays->contains);
    while (frame->left &&
           (frame->bits != BITS_NONE || frame->count < arrays->min_contains ||
            arrays->max_contains != UINT64_MAX)) {
        if (last == VALID_OPEN && report) {
            *next = (surety__next){.shape = arrays->contains,
                                   .cell = frame->cursor,
                                   .ask = ASK_VALIDITY};
            return VALID_OPEN;
        }
        if (last == VALID_OPEN)
            last =
                surety__child_evaluate(machine, arrays->contains, frame->cursor,
                                       step_child(KW_CONTAINS), next, false);
        if (last == VALID_OPEN)
            return last;
        if (last == VALID_YES) {
            frame->count++;
            if (arrays->contains_evaluates)
                surety__bits_mark(machine, frame->bits,
                                  frame->cell->count - frame->left);
        }
        last = VALID_OPEN;
        frame->cursor = surety__cell_after(frame->cursor);
        frame->left--;
    }
    return surety__valid_if(surety__assert_contains(machine, frame->shape,
                                                    frame->cell, frame->count));
}

/* unevaluatedProperties and unevaluatedItems: the children without a bit. */
EVALUATE_INLINE enum surety__validity phase_rest(surety__machine *machine,
                                                 surety__frame *frame,
                                                 enum surety__validity last,
                                                 surety__next *next,
                                                 const bool report)
{
    bool object = frame->cell->kind == CELL_OBJECT;
    const surety__shape *rest = object ? frame->shape->objects->unevaluated
                                       : frame->shape->arrays->unevaluated;
    surety__step step =
        step_child(object ? KW_UNEVALUATED_PROPERTIES : KW_UNEVALUATED_ITEMS);

    assert(rest && frame->bits != BITS_NONE);
    if (last == VALID_NO)
        return VALID_NO;
    for (; frame->left; frame->left--) {
        const surety__cell *value = frame->cursor + object;
        uint32_t ordinal = frame->cell->count - frame->left;

        if (!surety__bits_have(machine, frame->bits, ordinal)) {
            enum surety__validity valid;

            surety__bits_mark(machine, frame->bits, ordinal);
            valid = surety__child_evaluate(
                machine, rest, report && rest->never ? frame->cursor : value,
                step, next, report);
            if (valid != VALID_YES)
                return valid;
        }
        frame->cursor = surety__cell_after(value);
    }
    return VALID_YES;
}

/* ---- frames ------------------------------------------------------------- */

/* Frees a frame's own bits; into are those of the frame below. */
static void frame_end(surety__machine *machine, const surety__frame *frame,
                      bool holds, uint32_t into)
{
    assert(frame->owns && frame->bits <= machine->bits_len);
    if (holds && frame->keeps)
        surety__bits_merge(machine, into, frame->bits, frame->cell->count);
    machine->bits_len = frame->bits;
}

/* Moves the frame's cursor to the first child. */
static inline void frame_rewind(surety__frame *frame)
{
    frame->cursor = frame->cell + 1;
    frame->left = frame->cell->kind >= CELL_ARRAY ? frame->cell->count : 0;
    frame->count = 0;
    frame->sub = 0;
}

/* Moves the frame to its first phase at or behind `phase`; its cursor goes to
 * the first child. */
EVALUATE_INLINE void frame_phase(surety__frame *frame, enum phase phase)
{
    const surety__shape *shape = frame->shape;
    const surety__cell *cell = frame->cell;
    bool object = cell->kind == CELL_OBJECT && shape->objects;
    bool array = cell->kind == CELL_ARRAY && shape->arrays;

    frame_rewind(frame);
    if (phase <= PHASE_NAMES && object && shape->objects->names)
        frame->phase = PHASE_NAMES;
    else if (phase <= PHASE_CONTAINS && array && shape->arrays->contains)
        frame->phase = PHASE_CONTAINS;
    else if (phase <= PHASE_APPLY && shape->applicator_count)
        frame->phase = PHASE_APPLY;
    else if (phase <= PHASE_REST && shape->tracks &&
             (object ? shape->objects->unevaluated != NULL
                     : array && shape->arrays->unevaluated))
        frame->phase = PHASE_REST;
    else
        frame->phase = PHASE_END;
}

/* The first phase of a frame on a container; false where it does not hold. */
EVALUATE_INLINE bool frame_children(surety__frame *frame, const bool report)
{
    const surety__objects *objects = frame->shape->objects;
    const surety__arrays *arrays = frame->shape->arrays;
    const surety__cell *cell = frame->cell;
    bool wide = report || frame->bits != BITS_NONE;

    frame_rewind(frame);
    frame->matched = false;
    if (cell->kind == CELL_OBJECT && objects) {
        frame->phase = wide ? PHASE_MEMBERS_WIDE : PHASE_MEMBERS;
        return report || cell->count >= objects->required_count;
    }
    if (cell->kind == CELL_ARRAY && arrays) {
        frame->phase = !arrays->plain || wide ? PHASE_ITEMS_WIDE
                       : arrays->rest         ? PHASE_ITEMS
                                              : PHASE_APPLY;
        return true;
    }
    frame->phase = PHASE_APPLY;
    return true;
}

/* Begins the frame for its shape and cell: its own assertions, its bits, its
 * first phase. `under` are the bits of the frame below for the same value;
 * branch means that they may only be marked if this one holds. False: it
 * does not hold, or the status is set. */
EVALUATE_INLINE bool frame_begin(surety__machine *machine, surety__frame *frame,
                                 uint32_t under, bool branch, const bool report)
{
    const surety__shape *shape = frame->shape;
    const surety__cell *cell = frame->cell;
    uint64_t work = 1;

    frame->bits = BITS_NONE;
    frame->owns = false;
    frame->at = 0;
    frame->sub = 0;
    frame->phase = PHASE_APPLY;
    if (report)
        frame->left = 0;
    /* A frame may look at every child, which is no application by itself. */
    if (cell->kind >= CELL_ARRAY)
        work += cell->count / 16;
    if (!surety__machine_charge(machine, work))
        return false;
    if (report && (shape->always || shape->never)) {
        surety__child_report(
            machine, &(surety__next){.shape = shape, .cell = cell}, false);
        frame->phase = PHASE_END;
        return true;
    }
    if (report) {
        surety__assert_all(machine, shape, cell);
    } else if (shape->checks >> cell->kind & 1 &&
               !surety__leaf_valid(machine, shape, cell)) {
        return false;
    }
    if (cell->kind < CELL_ARRAY)
        return true;
    if (shape->tracks || under != BITS_NONE) {
        /* Its own bits where its shape has an unevaluated keyword or what it
         * evaluates may not count, else those of the frame below. */
        frame->owns = shape->tracks || branch;
        frame->keeps = under != BITS_NONE;
        frame->bits =
            frame->owns ? surety__bits_open(machine, cell->count) : under;
        if (frame->bits == BITS_NONE)
            return false;
    }
    if (report)
        frame->passed = surety__passed_find(machine, shape, cell);
    return frame_children(frame, report);
}

/* Notes how far a frame came that does not hold. */
static void frame_fails(surety__machine *machine, const surety__frame *frame)
{
    if (frame->phase == PHASE_MEMBERS || frame->phase == PHASE_MEMBERS_WIDE ||
        frame->phase == PHASE_ITEMS || frame->phase == PHASE_ITEMS_WIDE)
        surety__passed_note(machine, frame->shape, frame->cell, frame->cursor);
}

/* Goes on with the frame's phases as far as it can. */
EVALUATE_INLINE enum surety__validity frame_run(surety__machine *machine,
                                                surety__frame *frame,
                                                enum surety__validity last,
                                                surety__next *next,
                                                const bool report)
{
    for (;;) {
        enum surety__validity valid = VALID_YES;

        switch ((enum phase)frame->phase) {
        case PHASE_MEMBERS:
            valid = phase_members(machine, frame, last, next);
            if (frame->phase == PHASE_MEMBERS)
                break;
            last = VALID_OPEN;
            /* fall through */
        case PHASE_MEMBERS_WIDE:
            valid = phase_members_wide(machine, frame, last, next, report);
            break;
        case PHASE_NAMES:
            valid = phase_names(machine, frame, last, next, report);
            break;
        case PHASE_ITEMS:
            valid = phase_items(machine, frame, last, next);
            break;
        case PHASE_ITEMS_WIDE:
            valid = phase_items_wide(machine, frame, last, next, report);
            break;
        case PHASE_CONTAINS:
            valid = phase_contains(machine, frame, last, next, report);
            break;
        case PHASE_APPLY:
            valid = report
                        ? surety__applied_report(machine, frame, last, next)
                        : surety__applied_validity(machine, frame, last, next);
            break;
        case PHASE_REST:
            valid = phase_rest(machine, frame, last, next, report);
            break;
        case PHASE_END: return VALID_YES;
        }
        if (valid != VALID_YES || frame->shape->bare)
            return valid;
        frame_phase(frame, frame->phase + 1);
        last = VALID_OPEN;
    }
}

static enum surety__validity frame_validity(surety__machine *machine,
                                            surety__frame *frame,
                                            enum surety__validity last,
                                            surety__next *next)
{
    return frame_run(machine, frame, last, next, false);
}

static enum surety__validity frame_report(surety__machine *machine,
                                          surety__frame *frame,
                                          enum surety__validity last,
                                          surety__next *next)
{
    return frame_run(machine, frame, last, next, true);
}

/* Whether a value of HOW_FLAT satisfies shape, by a frame that asks for no
 * other. */
static bool frame_alone(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell)
{
    surety__frame frame;
    surety__next next;

    frame.shape = shape;
    frame.cell = cell;
    if (frame_begin(machine, &frame, BITS_NONE, false, false) &&
        frame_validity(machine, &frame, VALID_OPEN, &next) == VALID_YES)
        return true;
    frame_fails(machine, &frame);
    return false;
}

/* ---- what needs no frame ------------------------------------------------ */

static __attribute__((noinline)) bool flat_nested(surety__machine *machine,
                                                  const surety__shape *shape,
                                                  const surety__cell *cell)
{
    return surety__child_validity(machine, &shape, cell) == VALID_YES;
}

/* Whether the value of a member or item satisfies shape. What nests is out of
 * line, for most are decided by their kind or by themselves. */
static inline bool flat_child(surety__machine *machine,
                              const surety__shape *shape,
                              const surety__cell *cell)
{
    const unsigned how = shape->how[cell->kind];

    return how == HOW_YES ||
           (how == HOW_CHECK ? surety__leaf_valid(machine, shape, cell)
                             : flat_nested(machine, shape, cell));
}

/* NULL: the members hold. Otherwise those before the cell that is given do. */
EVALUATE_INLINE const surety__cell *flat_members(surety__machine *machine,
                                                 const surety__objects *objects,
                                                 const surety__cell *object)
{
    const surety_doc *const doc = machine->doc;
    const surety__cell *key = object + 1;
    uint32_t required = objects->required_count;

    if (object->count < required)
        return key;
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
        if (!flat_child(machine, child, value))
            return value - 1;
    }
    return required == 0 ? NULL : key;
}

/* The same where patterns may match names. */
static const surety__cell *flat_members_wide(surety__machine *machine,
                                             const surety__objects *objects,
                                             const surety__cell *object)
{
    const surety__cell *key = object + 1;
    uint32_t required = objects->required_count;

    if (object->count < required)
        return key;
    for (uint32_t left = object->count; left; left--) {
        const surety__slot *slot =
            surety__slot_find(objects, machine->doc, key);
        surety__wide wide = {.sub = 0};
        const surety__shape *child;

        if (slot && slot->alone) {
            required -= slot->required;
            if (!flat_child(machine, slot->shape, key + 1))
                return key;
        } else {
            while ((child = surety__wide_member(machine, objects, key, &wide)))
                if (!flat_child(machine, child, key + 1))
                    return key;
            required -= wide.required;
        }
        key = surety__cell_after(key + 1);
    }
    return required == 0 ? NULL : key;
}

/* The next item. Of many items that nest, a loop reads a cell each and would
 * wait for most, so what is some way behind is fetched. */
static inline const surety__cell *item_after(const surety__cell *item)
{
    enum { FETCH_BYTES = 48 * sizeof(*item) };

    item = surety__cell_after(item);
    __builtin_prefetch((const void *)((uintptr_t)item + FETCH_BYTES));
    return item;
}

/* The same for items. */
EVALUATE_INLINE const surety__cell *flat_items(surety__machine *machine,
                                               const surety__shape *rest,
                                               const surety__cell *array)
{
    uint32_t left = array->count;
    const surety__cell *item = surety__items_pass(rest, array + 1, &left);

    for (; left; left--) {
        if (!flat_child(machine, rest, item))
            return item;
        item = item_after(item);
    }
    return NULL;
}

/* The same as surety__flat_holds where one loop is not enough. */
static __attribute__((noinline)) bool flat_parts(surety__machine *machine,
                                                 const surety__shape *shape,
                                                 const surety__cell *cell)
{
    const unsigned kind = cell->kind;
    const surety__cell *failed = NULL;

    if (!(shape->quick.parts >> kind & 1))
        return frame_alone(machine, shape, cell);
    if (!surety__machine_charge(machine,
                                1 + (kind < CELL_ARRAY ? 0 : cell->count / 16)))
        return false;
    if (shape->checks >> kind & 1 && !surety__leaf_valid(machine, shape, cell))
        return false;
    if (kind == CELL_OBJECT && shape->objects)
        failed = shape->objects->plain
                     ? flat_members(machine, shape->objects, cell)
                     : flat_members_wide(machine, shape->objects, cell);
    else if (kind == CELL_ARRAY && shape->arrays && shape->arrays->rest)
        failed = flat_items(machine, shape->arrays->rest->direct, cell);
    if (failed)
        surety__passed_note(machine, shape, cell, failed);
    return !failed && surety__flat_applied(machine, shape, cell);
}

/* Whether a value of HOW_FLAT satisfies shape. A call from here may
 * come back here, at most FLAT_HEIGHT times; it never asks for a frame. */
bool surety__flat_holds(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell)
{
    const surety__cell *failed;

    if (!(shape->quick.loop >> cell->kind & 1))
        return flat_parts(machine, shape, cell);
    if (!surety__machine_charge(machine, 1 + cell->count / 16))
        return false;
    if (shape->checks >> cell->kind & 1 &&
        !surety__leaf_valid(machine, shape, cell))
        return false;
    failed = cell->kind == CELL_OBJECT
                 ? flat_members(machine, shape->objects, cell)
                 : flat_items(machine, shape->arrays->rest->direct, cell);
    if (failed)
        surety__passed_note(machine, shape, cell, failed);
    return !failed;
}

bool surety__walk_holds(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell)
{
    bool holds;

    assert(!machine->nest.framed && machine->nest.height <= WALK_HEIGHT);
    if (machine->status)
        return false;
    if (machine->nest.height == WALK_HEIGHT || shape->tracks)
        return surety__walk_deep(machine, shape, cell);
    machine->nest.height++;
    holds = surety__flat_holds(machine, shape, cell);
    machine->nest.height--;
    return holds;
}

enum surety__validity surety__memo_validity(surety__machine *machine,
                                            const surety__shape *shape,
                                            const surety__cell *cell)
{
    const bool flat = surety__shape_is_flat(shape, cell->kind);
    bool holds;

    /* Members and items that do not nest are sooner looked at again. */
    if (flat && (cell->kind < CELL_ARRAY || cell->span <= 2 * cell->count + 1))
        return surety__valid_if(surety__flat_holds(machine, shape, cell));
    if (surety__memo_find(machine, shape, cell, &holds))
        return surety__valid_if(holds);
    if (!flat && machine->nest.framed)
        return VALID_OPEN;
    holds = flat ? surety__flat_holds(machine, shape, cell)
                 : surety__walk_holds(machine, shape, cell);
    if (!machine->status)
        surety__memo_note(machine, shape, cell, holds);
    return surety__valid_if(holds);
}

/* ---- the loop ------------------------------------------------------------ */

/* The bits of the frame that count for what it asked for; *ret_branch: only if
 * that holds. */
static inline uint32_t frame_gives(const surety__frame *frame, bool *ret_branch)
{
    *ret_branch = false;
    return frame->phase == PHASE_APPLY ? surety__applied_bits(frame, ret_branch)
                                       : BITS_NONE;
}

/* Does what the frame on top of a report asked for, other than a frame. This
 * may move the frames. OPEN: now a frame is asked for. */
static enum surety__validity report_ask(surety__machine *machine,
                                        surety__next *next)
{
    bool branch;

    assert(next->ask != ASK_FRAME);
    if (next->ask == ASK_MEANT)
        return surety__applied_meant(machine, next);
    surety__shape_holds(
        machine, next->shape, next->cell,
        frame_gives(&machine->frames[machine->depth - 1], &branch));
    return surety__valid_if(machine->result);
}

/* Evaluates next.shape on next.cell above the machine's frames. bits as of
 * surety__shape_holds. False: it does not hold, or the status is set, or a
 * report is full. */
EVALUATE_INLINE bool evaluate(surety__machine *machine, surety__next next,
                              uint32_t bits, const bool report)
{
    const size_t base = machine->depth;
    size_t depth = base;
    uint32_t under = bits;
    bool branch = bits != BITS_NONE;

    for (;;) {
        enum surety__validity valid = VALID_NO;
        surety__frame *frame;

        if (depth >= machine->frame_cap &&
            !surety__machine_room(machine, depth))
            return false;
        frame = &machine->frames[depth];
        frame->shape = next.shape;
        frame->cell = next.cell;
        if (report) {
            frame->step = next.step;
            frame->mark = NULL;
            machine->depth = depth + 1;
            if (frame_begin(machine, frame, under, false, true))
                valid = frame_report(machine, frame, VALID_OPEN, &next);
        } else if (frame_begin(machine, frame, under, branch, false)) {
            valid = frame_validity(machine, frame, VALID_OPEN, &next);
        }
        while (valid != VALID_OPEN || (report && next.ask != ASK_FRAME)) {
            if (machine->status || (report && machine->enough))
                return false;
            if (valid == VALID_OPEN) {
                valid = report_ask(machine, &next);
                frame = &machine->frames[depth];
                if (valid == VALID_OPEN)
                    continue;
            } else {
                if (!report && valid == VALID_NO)
                    frame_fails(machine, frame);
                /* The validity of a frame that ends is for the one below. */
                if (frame->owns)
                    frame_end(machine, frame, valid == VALID_YES,
                              depth > base ? frame[-1].bits : bits);
                /* Marks for the frame below are no part of the result. */
                if (!report && machine->memo.open &&
                    (frame->bits == BITS_NONE || !frame->keeps))
                    surety__memo_note(machine, frame->shape, frame->cell,
                                      valid == VALID_YES);
                if (depth == base)
                    return valid == VALID_YES;
                depth--;
                frame--;
                if (report)
                    machine->depth = depth + 1;
            }
            valid = report ? frame_report(machine, frame, valid, &next)
                           : frame_validity(machine, frame, valid, &next);
        }
        depth++;
        under = frame_gives(frame, &branch);
        branch = branch && under != BITS_NONE;
    }
}

static __attribute__((noinline)) bool
evaluate_validity(surety__machine *machine, const surety__shape *shape,
                  const surety__cell *cell, uint32_t bits)
{
    return evaluate(machine, (surety__next){.shape = shape, .cell = cell}, bits,
                    false);
}

bool surety__walk_deep(surety__machine *machine, const surety__shape *shape,
                       const surety__cell *cell)
{
    bool holds;

    machine->nest.framed = true;
    holds = evaluate_validity(machine, shape, cell, BITS_NONE);
    machine->nest.framed = false;
    return holds;
}

bool surety__shape_holds(surety__machine *machine, const surety__shape *shape,
                         const surety__cell *cell, uint32_t bits)
{
    const enum surety__mode before = machine->mode;
    const bool framed = machine->nest.framed;
    enum surety__validity valid;

    assert(shape && cell);
    machine->mode = MODE_VALIDITY;
    machine->nest.framed = machine->schema->dynamic || bits != BITS_NONE;
    valid = surety__value_validity(machine, &shape, cell, bits);
    machine->result = valid == VALID_OPEN
                          ? evaluate_validity(machine, shape, cell, bits)
                          : valid == VALID_YES;
    machine->mode = before;
    machine->nest.framed = framed;
    return !machine->status;
}

void surety__shape_report(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *cell, surety__step step)
{
    const size_t base = machine->depth;

    assert(machine->mode != MODE_VALIDITY);
    machine->nest.framed = true;
    evaluate(machine, (surety__next){shape, cell, ASK_FRAME, step}, BITS_NONE,
             true);
    machine->depth = base;
}
