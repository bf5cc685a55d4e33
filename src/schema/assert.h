/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions: the keywords of a shape without subschemas. In MODE_VALIDITY each
 * function gives false at the first failure. In the other modes each reports
 * every failure (surety__report_failure), and its result means nothing. */
#ifndef SURETY_SCHEMA_ASSERT_H
#define SURETY_SCHEMA_ASSERT_H

#include "schema/machine.h"

/* type, enum, const, and the bounds of the value's own kind. */
bool surety__assert_all(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell);
/* required, of which `seen` names were there, and dependentRequired. */
bool surety__assert_names(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *object, uint32_t seen);
/* The keyword that the number of items or members breaks; KW_NONE: none. */
surety__keyword surety__assert_count(const surety__shape *shape,
                                     const surety__cell *cell);
/* uniqueItems; n log n. */
bool surety__assert_unique(surety__machine *machine, const surety__shape *shape,
                           const surety__cell *array);
/* contains, of which so many items match. */
bool surety__assert_contains(surety__machine *machine,
                             const surety__shape *shape,
                             const surety__cell *array, uint32_t matches);
/* Whether the pattern matches; a limit stops the machine. */
bool surety__assert_pattern(surety__machine *machine,
                            const surety__pattern *pattern, surety_str text);

#endif
