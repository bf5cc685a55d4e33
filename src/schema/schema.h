/* SPDX-License-Identifier: Apache-2.0 */
/* The door of schema/: what other folders ask beyond surety/schema.h. */
#ifndef SURETY_SCHEMA_SCHEMA_H
#define SURETY_SCHEMA_SCHEMA_H

#include <surety/schema.h>

#include "json/json.h"

/* Whether any reachable subschema has a default to fill in. */
bool surety__schema_has_defaults(const surety_schema *schema);

/* The shapes themselves, for code that shows a schema in another language or
 * makes values for it: there the drafts and references are settled. */
#include "schema/shape.h"

#endif
