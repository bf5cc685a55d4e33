/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the verdict share: verdict.c walks a value's children,
 * applied.c what applies to the value itself. */
#ifndef SURETY_SCHEMA_VERDICT_H
#define SURETY_SCHEMA_VERDICT_H

#include "schema/machine.h"

/* What is known of a subschema before a level is made for it. */
enum surety__said { SAID_NO, SAID_YES, SAID_DOWN };

/* Whether a value of HOW_FLAT satisfies shape. */
bool surety__flat_holds(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell);

/* What can be said of a child without making a level; *shape becomes the one
 * that a level is made for. */
static inline enum surety__said surety__child_said(surety__machine *machine,
                                                   const surety__shape **shape,
                                                   const surety__cell *cell)
{
    unsigned how = (*shape)->how[cell->kind];
    bool holds;

    if (how <= HOW_YES)
        return how == HOW_YES ? SAID_YES : SAID_NO;
    if (how == HOW_ROUTE) {
        *shape = surety__route_end(*shape, cell->kind);
        how = (*shape)->how[cell->kind];
        if (how <= HOW_YES)
            return how == HOW_YES ? SAID_YES : SAID_NO;
    }
    if (how == HOW_WALK)
        return SAID_DOWN;
    holds = how == HOW_FLAT ? surety__flat_holds(machine, *shape, cell)
                            : surety__leaf_holds(machine, *shape, cell);
    return holds ? SAID_YES : SAID_NO;
}

/* The same where evaluated children are marked in bits, if they are not
 * BITS_NONE: then whatever may mark them is walked. */
static inline enum surety__said surety__value_said(surety__machine *machine,
                                                   const surety__shape **shape,
                                                   const surety__cell *cell,
                                                   uint32_t bits)
{
    *shape = (*shape)->direct;
    if (bits == BITS_NONE)
        return surety__child_said(machine, shape, cell);
    if ((*shape)->how[cell->kind] == HOW_NO)
        return SAID_NO;
    return (*shape)->always ? SAID_YES : SAID_DOWN;
}

/* What the level's applicators say of its value, from where it stands: `back`
 * is the verdict of the level that was made last, or DOWN at the beginning.
 * DOWN: a level is to be made for *ret_shape. */
enum surety__said surety__applied_said(surety__machine *machine,
                                       surety__level *level,
                                       enum surety__said back,
                                       const surety__shape **ret_shape);
/* Whether what the applicator at work evaluates counts only if it holds. */
bool surety__applied_is_branch(const surety__level *level);

#endif
