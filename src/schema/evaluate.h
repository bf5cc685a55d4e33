/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by evaluate.c and applied.c.
 *
 * The functions of the core take `report`, a constant, and are compiled twice.
 * Without it the first failure makes a value invalid. With it a failure becomes
 * a finding and the value counts as valid, so that the evaluation goes on. */
#ifndef SURETY_SCHEMA_EVALUATE_H
#define SURETY_SCHEMA_EVALUATE_H

#include "schema/machine.h"

#define EVALUATE_INLINE static inline __attribute__((always_inline))

/* OPEN: not known before *next is evaluated. */
enum surety__validity { VALID_NO, VALID_YES, VALID_OPEN };

static inline enum surety__validity surety__valid_if(bool holds)
{
    return holds ? VALID_YES : VALID_NO;
}

/* What an OPEN validity needs. Only a report asks for more than a frame. */
enum surety__ask {
    ASK_FRAME,    /* a frame for shape and cell */
    ASK_VALIDITY, /* whether cell satisfies shape, without findings */
    ASK_MEANT     /* a report of the branch that was meant */
};

typedef struct surety__next {
    const surety__shape *shape;
    const surety__cell *cell;
    /* Of a report only. */
    enum surety__ask ask;
    surety__step step;
} surety__next;

/* Whether a value of HOW_FLAT satisfies shape. */
bool surety__flat_holds(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell);

/* The same for a value of HOW_WALK, where no frame is asked for: on the C
 * stack, or deeper than WALK_HEIGHT in frames. */
bool surety__walk_holds(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell);
bool surety__walk_deep(surety__machine *machine, const surety__shape *shape,
                       const surety__cell *cell);

/* Whether it satisfies all that shape applies to the value itself. (applied.c)
 */
bool surety__flat_applied(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *cell);

/* The same with a memo; OPEN: it needs a frame. */
enum surety__validity surety__memo_validity(surety__machine *machine,
                                            const surety__shape *shape,
                                            const surety__cell *cell);

/* The same where a union decides. Where one branch alone is left it decides,
 * and so on; returns the shape that decided, or needs the frame. (applied.c) */
const surety__shape *surety__union_select(surety__machine *machine,
                                          const surety__shape *shape,
                                          const surety__cell *cell,
                                          enum surety__validity *ret_valid);

/* Whether cell satisfies *shape, as far as that needs no frame. OPEN: *shape
 * becomes the one that needs it. */
static inline enum surety__validity
surety__child_validity(surety__machine *machine, const surety__shape **shape,
                       const surety__cell *cell)
{
    unsigned how = (*shape)->how[cell->kind];
    enum surety__validity valid;

    if (how <= HOW_YES)
        return surety__valid_if(how == HOW_YES);
    if (how == HOW_ROUTE) {
        *shape = surety__route_end(*shape, cell->kind);
        how = (*shape)->how[cell->kind];
        if (how <= HOW_YES)
            return surety__valid_if(how == HOW_YES);
    }
    if (how == HOW_CHECK)
        return surety__valid_if(surety__leaf_holds(machine, *shape, cell));
    if (how >= HOW_SELECT_FLAT) {
        *shape = surety__union_select(machine, *shape, cell, &valid);
        return valid;
    }
    if (machine->memo.open)
        return surety__memo_validity(machine, *shape, cell);
    if (how == HOW_WALK)
        return machine->nest.framed ? VALID_OPEN
                                    : surety__valid_if(surety__walk_holds(
                                          machine, *shape, cell));
    return surety__valid_if(surety__flat_holds(machine, *shape, cell));
}

/* The same for a shape that applies to the value of a frame. Whatever may mark
 * children in bits needs a frame. */
static inline enum surety__validity
surety__value_validity(surety__machine *machine, const surety__shape **shape,
                       const surety__cell *cell, uint32_t bits)
{
    *shape = (*shape)->direct;
    if (bits == BITS_NONE)
        return surety__child_validity(machine, shape, cell);
    if ((*shape)->how[cell->kind] == HOW_NO)
        return VALID_NO;
    return (*shape)->always ? VALID_YES : VALID_OPEN;
}

/* For a report: YES where the cell of *next is known to satisfy its shape
 * without a frame, else OPEN. A false shape is reported here, at the frame on
 * top, so that the finding can name what it forbids. `marks`: a valid value has
 * children to be marked. */
enum surety__validity surety__child_report(surety__machine *machine,
                                           const surety__next *next,
                                           bool marks);

/* A shape that must hold for a child; only a report needs the step. */
EVALUATE_INLINE enum surety__validity
surety__child_evaluate(surety__machine *machine, const surety__shape *shape,
                       const surety__cell *cell, surety__step step,
                       surety__next *next, const bool report)
{
    enum surety__validity valid;

    if (report) {
        *next = (surety__next){shape, cell, ASK_FRAME, step};
        return surety__child_report(machine, next, false);
    }
    shape = shape->direct;
    valid = surety__child_validity(machine, &shape, cell);
    next->shape = shape;
    next->cell = cell;
    return valid;
}

/* applied.c: the frame's applicators, from the present one on. `last` is the
 * validity that *next asked for before, OPEN at the beginning. */
enum surety__validity surety__applied_validity(surety__machine *machine,
                                               surety__frame *frame,
                                               enum surety__validity last,
                                               surety__next *next);
enum surety__validity surety__applied_report(surety__machine *machine,
                                             surety__frame *frame,
                                             enum surety__validity last,
                                             surety__next *next);
/* ASK_MEANT for the frame on top: the branch that was meant becomes *next, or
 * the failure of the applicator is reported. */
enum surety__validity surety__applied_meant(surety__machine *machine,
                                            surety__next *next);
/* The bits for what the present applicator applies, which may be the frame's;
 * *ret_branch: they count only if it holds. */
static inline uint32_t surety__applied_bits(const surety__frame *frame,
                                            bool *ret_branch)
{
    enum surety__applicator_kind kind =
        frame->shape->applicators[frame->at].kind;

    *ret_branch = kind == APPLY_ANY || kind == APPLY_ONE || kind == APPLY_IF;
    return kind == APPLY_NOT ? BITS_NONE : frame->bits;
}

#endif
