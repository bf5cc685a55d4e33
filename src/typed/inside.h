/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for the files of typed/ only. */
#ifndef SURETY_TYPED_INSIDE_H
#define SURETY_TYPED_INSIDE_H

#include <surety/typed.h>

#include "base/base.h"
#include "contract/contract.h"
#include "json/json.h"
#include "schema/schema.h"

/* A list or map that is no member of a struct. */
typedef struct surety__typed_span {
    const void *items;
    size_t count;
} surety__typed_span;

/* Finds the branch of a union that a value belongs to (branch.c); one call owns
 * it. */
typedef struct surety__typed_chooser {
    const surety_typed *typed;
    const surety_contract *contract;
    const surety_alloc *alloc;
    surety_checker *checker;
    surety__map shapes; /* by the address of their pointer in the table */
    uint64_t work; /* steps that may still be made */
} surety__typed_chooser;

/* Sets *ret_branch to the branch of val; to the number of branches when there
 * is none. */
surety_status surety__typed_choose(surety__typed_chooser *chooser,
                                   const surety_typed_type *type,
                                   surety_val val, uint32_t *ret_branch);
void surety__typed_chooser_done(surety__typed_chooser *chooser);

/* Returns the index of the struct's member with that name, or the number of
 * members when there is none. hint: the index to try first. (field.c) */
uint32_t surety__typed_member(const surety_typed_type *type, surety_str name,
                              uint32_t hint);
/* Reads or writes an unsigned number of size bytes (1, 2, 4 or 8). A number
 * beyond 32 bits reads as UINT32_MAX. (field.c) */
uint32_t surety__typed_load(const char *at, uint32_t size);
void surety__typed_store(char *at, uint32_t size, uint32_t number);

/* Returns the type with that number in the table. */
static inline const surety_typed_type *
surety__typed_type(const surety_typed *typed, uint32_t i)
{
    return &typed->types[i];
}

#endif
