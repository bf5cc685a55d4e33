/* SPDX-License-Identifier: Apache-2.0 */
/* Creates plans and allocates their memory, and has the table of edit costs. */
#include "align/inside.h"

const surety__edit_row surety__edit_rows[EDIT_COUNT] = {
    {"", 0, false},
#define EDIT(id, name, cost, likely, text) {name, cost, likely},
#include "align/edits.def"
#undef EDIT
};

void *surety__aligner_take(surety__aligner *aligner, size_t count, size_t size)
{
    void *block = NULL;

    if (!aligner->status && count <= SIZE_MAX / size)
        block = surety__arena_take(&aligner->arena, count * size);
    if (!block && !aligner->status)
        aligner->status = SURETY_NOMEM;
    return block;
}

surety__align_plan *surety__plan_new(surety__aligner *aligner,
                                     enum surety__plan_kind kind,
                                     surety__edit_id edit, surety_val val)
{
    surety__align_plan *plan = surety__aligner_take(aligner, 1, sizeof(*plan));

    assert(edit < EDIT_COUNT);
    if (!plan)
        return NULL;
    plan->kind = (uint8_t)kind;
    plan->edit = (uint8_t)edit;
    plan->cost = surety__edit_rows[edit].cost;
    plan->val = val;
    return plan;
}
