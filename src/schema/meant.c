/* SPDX-License-Identifier: Apache-2.0 */
/* The branch of a failed anyOf or oneOf that was meant: the only one whose
 * const and enum members fit the object; else, if no member rules out all, the
 * one from which the value is least far. */
#include "schema/machine.h"

/* How far cell is from satisfying branch. */
static uint64_t branch_distance(surety__machine *machine,
                                const surety__shape *branch,
                                const surety__cell *cell)
{
    size_t base = machine->report_base;

    assert(machine->mode == MODE_REPORT);
    machine->distance = 0;
    machine->report_base = machine->depth;
    machine->mode = MODE_DISTANCE;
    surety__shape_report(
        machine, branch, cell,
        (surety__step){.index = UINT32_MAX, .same_value = true});
    machine->mode = MODE_REPORT;
    machine->report_base = base;
    return machine->distance;
}

uint32_t surety__meant_branch(surety__machine *machine,
                              const surety__applicator *applicator,
                              const surety__cell *cell)
{
    uint32_t meant = UINT32_MAX;
    uint32_t fitting = 0;
    uint64_t best = UINT64_MAX;
    bool tie = false;

    for (uint32_t i = 0; i < applicator->count; i++) {
        if (cell->kind != CELL_OBJECT ||
            !surety__meant_fits(machine->doc, applicator->shapes[i], cell))
            continue;
        fitting++;
        meant = i;
    }
    if (fitting == 1)
        return meant;
    if (surety__meant_unknown(machine->doc, applicator, cell))
        return UINT32_MAX;
    meant = UINT32_MAX;
    for (uint32_t i = 0; i < applicator->count && !machine->status; i++) {
        uint64_t distance;

        if (applicator->shapes[i]->never)
            continue;
        distance = branch_distance(machine, applicator->shapes[i], cell);
        tie = distance == best || (tie && distance > best);
        if (distance < best) {
            best = distance;
            meant = i;
        }
    }
    return tie || best >= 1000 ? UINT32_MAX : meant;
}
