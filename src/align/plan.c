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

bool surety__aligner_room(surety__aligner *aligner, void *vector, size_t *cap,
                          size_t count, size_t size)
{
    const size_t more = *cap ? 2 * *cap : 4;
    void *items, *before;

    assert(count <= *cap);
    if (count < *cap)
        return true;
    items = surety__aligner_take(aligner, more, size);
    if (!items)
        return false;
    memcpy(&before, vector, sizeof(before));
    if (count)
        memcpy(items, before, count * size);
    memcpy(vector, &items, sizeof(items));
    *cap = more;
    return true;
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
