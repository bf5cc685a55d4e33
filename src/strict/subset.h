/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of each provider's subset, as tables for the compiler.
 * docs/strict.md describes them. */
#ifndef SURETY_STRICT_SUBSET_H
#define SURETY_STRICT_SUBSET_H

#include <surety/strict.h>

#include "base/base.h"
#include "contract/contract.h"

enum surety__subset_traits {
    SUBSET_ROOT_OBJECT = 1,     /* the root is an object, not a union */
    SUBSET_ALL_REQUIRED = 2,    /* every property is required */
    SUBSET_CLOSED = 4,          /* additionalProperties must be false */
    SUBSET_MAPS = 8,            /* additionalProperties may be a schema */
    SUBSET_RECURSION = 16,      /* references may be recursive */
    SUBSET_OPTIONAL_CYCLE = 32, /* but only through optional properties */
    SUBSET_CONST = 64,
    SUBSET_ONE_OF = 128,
    SUBSET_TUPLES = 256,         /* prefixItems, every item required */
    SUBSET_ANY = 512,            /* a list of all types */
    SUBSET_TYPE_LISTS = 1024,    /* more than one type besides null */
    SUBSET_ENUM_SCALAR = 2048,   /* enum of strings and numbers only */
    SUBSET_ENUM_ALL = 4096,      /* enum of arrays and objects too */
    SUBSET_INTEGER_RANGE = 8192, /* range keywords for integers only */
    SUBSET_ANCHORED = 16384      /* patterns from ^ to $ */
};

typedef struct surety__subset {
    surety_subset id;
    const char *name;  /* as in surety_subset_name */
    const char *title; /* as in messages */
    unsigned traits;
    /* Limits; 0: none known. */
    uint32_t properties_max, nesting_max, enum_max;
    uint32_t enum_many, enum_many_text_max; /* for one enum that has more
                                             * values */
    uint32_t text_max;                      /* names and values together */
    uint32_t optional_max, union_max;
    uint32_t min_items_max, repeat_max;
    uint32_t name_max; /* of a property; then only A-Z a-z 0-9 _ . - */
} surety__subset;

const surety__subset *surety__subset_of(surety_subset id);

/* The role of a keyword for the compiler. */
enum surety__strict_role {
    ROLE_STRUCTURE, /* nodes are made from it */
    ROLE_ASSERTION, /* sent, or a sentence in the description */
    ROLE_ANNOTATION /* the same */
};

typedef struct surety__strict_keyword {
    const char *name;
    uint8_t role;
    uint8_t takes;     /* 1 << subset: sent unchanged */
    uint8_t types;     /* TYPE_ bits of the values it constrains; 0: all */
    const char *words; /* the sentence; "%.*s" is its value. NULL: none */
} surety__strict_keyword;

/* NULL: not a keyword, or one that does not describe values, such as "$id". */
const surety__strict_keyword *surety__strict_keyword_of(surety_str name);
bool surety__subset_takes_format(const surety__subset *subset,
                                 surety_str format);
/* Whether the provider's grammar accepts an ECMA-262 pattern: no look-around,
 * no back-reference, no word boundary. */
bool surety__subset_takes_pattern(const surety__subset *subset,
                                  surety_str pattern);

#endif
