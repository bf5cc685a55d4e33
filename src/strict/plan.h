/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a document from nodes without recursion: a stack of the steps that
 * are still to be done. A step that writes a value plans its children in the
 * order of the text; the next step is then the first of them.
 *
 * Invariants:
 * 1. Above `from` the steps are in the order of the text; below it the next
 *    step is on top.
 * 2. `status` keeps the first failure; after it nothing is planned or done. */
#ifndef SURETY_STRICT_PLAN_H
#define SURETY_STRICT_PLAN_H

#include "strict/node.h"

enum surety__step_kind {
    STEP_VALUE, /* given to the caller, as are all kinds from STEP_OWN on */
    STEP_OBJECT,
    STEP_ARRAY,
    STEP_CLOSE,
    STEP_NULL,
    STEP_OWN
};

typedef struct surety__plan_step {
    int kind;                 /* surety__step_kind, or of the caller */
    const surety__node *node; /* with val and the others for the caller */
    surety_val val;
    uint32_t depth;
    bool nullable;
    bool has_key;
    surety_str key; /* of a member: written before the step */
} surety__plan_step;

typedef struct surety__plan {
    const surety_strict *strict;
    surety_doc *out;
    surety__plan_step *steps;
    size_t count, cap, from;
    surety_status status;
} surety__plan;

void surety__plan_add(surety__plan *plan, surety__plan_step step);
/* Adds a step of that kind without a node and a value. */
void surety__plan_mark(surety__plan *plan, int kind);
/* Adds a step with a key before it. */
void surety__plan_member(surety__plan *plan, surety_str key,
                         surety__plan_step step);
/* Does all steps up to one that the caller does; false: none is left. */
bool surety__plan_next(surety__plan *plan, surety__plan_step *ret_step);
/* Frees the steps. */
void surety__plan_done(surety__plan *plan);

#endif
