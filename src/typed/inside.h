/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of typed/ share. */
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

/* Which branch of a union a value is (branch.c); owned by one call. */
typedef struct surety__typed_chooser {
    const surety_typed *typed;
    const surety_contract *contract;
    const surety_alloc *alloc;
    surety_checker *checker;
    surety__map shapes; /* of the contract's document, by their index + 1 */
    bool mapped;
    uint64_t work; /* steps that are left */
} surety__typed_chooser;

/* *ret_branch is count where there is none. */
surety_status surety__typed_choose(surety__typed_chooser *chooser,
                                   const surety_typed_type *type,
                                   surety_val val, uint32_t *ret_branch);
void surety__typed_chooser_done(surety__typed_chooser *chooser);

/* The member of a struct with that name; hint: where to look first. The count
 * of members where there is none. (typed.c) */
uint32_t surety__typed_member(const surety_typed_type *type, surety_str name,
                              uint32_t hint);
/* Reads or writes an unsigned number of that size in bytes. (typed.c) */
uint32_t surety__typed_load(const char *at, uint32_t size);
void surety__typed_store(char *at, uint32_t size, uint32_t number);

/* What the numbers of a table mean. (typed.c) */
static inline const surety_typed_type *
surety__typed_type(const surety_typed *typed, uint32_t i)
{
    return &typed->types[i];
}

#endif
