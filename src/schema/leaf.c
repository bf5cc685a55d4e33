/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a value without subschemas, for callers outside of the
 * evaluation: leaf.h has it. */
#include "schema/leaf.h"

bool surety__leaf_holds(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell)
{
    return surety__leaf_valid(machine, shape, cell);
}
