/* SPDX-License-Identifier: Apache-2.0 */
/* What a report notes of a failure: the facts, and the way to it, which the
 * machine's frames have. Or, to choose the branch of a union that was meant,
 * how far the value is from valid.
 *
 * Nothing here runs for a valid instance. */
#include "schema/findings.h"

/* ---- distance ----------------------------------------------------------- */

/* How far a failure of keyword is from valid. A value of another type than the
 * branch wants was not meant for it at all. */
static uint64_t distance_of(surety__keyword keyword, bool at_root)
{
    switch (keyword) {
    case KW_TYPE: return at_root ? 1000 : 4;
    case KW_CONST:
    case KW_ENUM: return at_root ? 20 : 10;
    case KW_REQUIRED: return 5;
    case KW_ADDITIONAL_PROPERTIES:
    case KW_UNEVALUATED_PROPERTIES: return 3;
    default: return 1;
    }
}

/* ---- findings ---------------------------------------------------------- */

/* Which of the values of its keyword a step leads to, from the frame that takes
 * it. */
static uint32_t step_ordinal(const surety__frame *from,
                             const surety__step *step)
{
    return !step->same_value           ? surety__frame_ordinal(from)
           : step->index != UINT32_MAX ? step->index
                                       : from->at;
}

/* Gives the frames of the report marks, as far as they have none; returns that
 * of the frame on top, or NULL when out of memory. */
static surety__mark *report_mark(surety__machine *machine)
{
    surety__frame *const top = &machine->frames[machine->depth - 1];
    surety__frame *frame = top;

    while (!frame->mark && frame > machine->frames)
        frame--;
    for (; !top->mark; frame++) {
        if (frame->mark)
            continue;
        frame->mark =
            surety__arena_take(&machine->findings->arena, sizeof(*frame->mark));
        if (!frame->mark)
            return NULL;
        *frame->mark = (surety__mark){
            .shape = frame->shape, .cell = frame->cell, .step = frame->step};
        if (frame == machine->frames)
            continue;
        frame->mark->above = frame[-1].mark;
        frame->mark->level = frame[-1].mark->level + 1;
        frame->mark->ordinal = step_ordinal(frame - 1, &frame->step);
    }
    return top->mark;
}

/* Adds the finding of a failure at the frame on top. */
static surety_status report_note(surety__machine *machine,
                                 const surety__failure *failure)
{
    const surety__frame *top = &machine->frames[machine->depth - 1];
    surety__mark *mark = report_mark(machine);

    if (!mark)
        return SURETY_NOMEM;
    return surety__findings_add(
        machine->findings,
        &(surety__noted){
            .failure = *failure,
            .end = {.above = mark,
                    .shape = failure->never,
                    .cell = failure->instance,
                    .step = failure->never
                                ? failure->step
                                : (surety__step){.keyword = failure->keyword,
                                                 .index = UINT32_MAX},
                    .ordinal = failure->never
                                   ? step_ordinal(top, &failure->step)
                                   : (uint32_t)failure->count,
                    .level = mark->level + 1}});
}

void surety__report_failure(surety__machine *machine, surety__failure failure)
{
    surety_findings *findings = machine->findings;

    /* After a failed evaluation its frames are still there: locations above
     * them would be wrong. */
    if (machine->status)
        return;
    assert(machine->depth > machine->report_base);
    if (machine->mode == MODE_DISTANCE) {
        bool at_root = machine->frames[machine->depth - 1].cell ==
                       machine->frames[machine->report_base].cell;

        machine->distance += distance_of(failure.keyword, at_root);
        return;
    }
    assert(machine->mode == MODE_REPORT && findings);
    if (findings->count >= machine->limits.findings_max) {
        findings->truncated = true;
        machine->enough = true;
        return;
    }
    machine->status = report_note(machine, &failure);
}
