/* SPDX-License-Identifier: Apache-2.0 */
/* The stack of steps of a document that is being built. A caller adds the steps
 * of one value; they are reversed when the next step is wanted, so the first is
 * on top. Steps that need no decision are done here. */
#include "strict/plan.h"

void surety__plan_add(surety__plan *plan, surety__plan_step step)
{
    assert(plan->from <= plan->count);
    if (plan->status == SURETY_OK)
        plan->status = surety__grow(plan->out->alloc, (void **)&plan->steps,
                                    &plan->cap, plan->count + 1, sizeof(step),
                                    SIZE_MAX / sizeof(step));
    if (plan->status == SURETY_OK)
        plan->steps[plan->count++] = step;
}

void surety__plan_mark(surety__plan *plan, int kind)
{
    assert(kind != STEP_VALUE);
    surety__plan_add(plan, (surety__plan_step){.kind = kind});
}

void surety__plan_member(surety__plan *plan, surety_str key,
                         surety__plan_step step)
{
    step.key = key;
    step.has_key = true;
    surety__plan_add(plan, step);
}

/* Reverses the steps above `from`, so that the first is on top. */
static void plan_turn(surety__plan *plan)
{
    for (size_t low = plan->from, high = plan->count; low + 1 < high; low++) {
        const surety__plan_step step = plan->steps[low];

        plan->steps[low] = plan->steps[--high];
        plan->steps[high] = step;
    }
}

bool surety__plan_next(surety__plan *plan, surety__plan_step *ret_step)
{
    plan_turn(plan);
    while (plan->count && plan->status == SURETY_OK) {
        *ret_step = plan->steps[--plan->count];
        plan->from = plan->count;
        if (ret_step->has_key)
            surety_build_key(plan->out, ret_step->key);
        switch (ret_step->kind) {
        case STEP_OBJECT: surety_build_object(plan->out); break;
        case STEP_ARRAY: surety_build_array(plan->out); break;
        case STEP_CLOSE: surety_build_close(plan->out); break;
        case STEP_NULL: surety_build_null(plan->out); break;
        default: return true;
        }
    }
    return false;
}

void surety__plan_done(surety__plan *plan)
{
    surety__free(plan->out->alloc, plan->steps,
                 plan->cap * sizeof(*plan->steps));
}
