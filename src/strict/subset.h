/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of each provider's subset as tables: what the compiler asks, and
 * what docs/strict.md tells. */
#ifndef SURETY_STRICT_SUBSET_H
#define SURETY_STRICT_SUBSET_H

#include <surety/strict.h>

#include "base/base.h"

enum { SUBSETS = 4 };

enum surety__subset_traits {
    SUBSET_ROOT_OBJECT = 1,     /* the root is an object, and no union */
    SUBSET_ALL_REQUIRED = 2,    /* every property is required */
    SUBSET_CLOSED = 4,          /* additionalProperties is there, and false */
    SUBSET_MAPS = 8,            /* additionalProperties may be a schema */
    SUBSET_RECURSION = 16,      /* references may be recursive */
    SUBSET_OPTIONAL_CYCLE = 32, /* but only through optional properties */
    SUBSET_CONST = 64,
    SUBSET_ONE_OF = 128,
    SUBSET_TUPLES = 256,         /* prefixItems, every item required */
    SUBSET_ANY = 512,            /* a list of all types */
    SUBSET_TYPE_LISTS = 1024,    /* of more than one type and null */
    SUBSET_ENUM_SCALAR = 2048,   /* enum of strings and numbers only */
    SUBSET_ENUM_ALL = 4096,      /* enum of arrays and objects, too */
    SUBSET_INTEGER_RANGE = 8192, /* bounds of integers only */
    SUBSET_ANCHORED = 16384      /* patterns from ^ to $ */
};

typedef struct surety__subset {
    surety_subset id;
    const char *name;  /* as surety_subset_name */
    const char *title; /* as messages name it */
    unsigned traits;
    /* 0: no limit that is known. */
    uint32_t properties_max, nesting_max, enum_max;
    uint32_t enum_many, enum_many_text_max; /* of one enum with more values */
    uint32_t text_max;                      /* names and values together */
    uint32_t optional_max, union_max;
    uint32_t min_items_max, repeat_max;
    uint32_t name_max; /* of a property; then it is A-Z a-z 0-9 _ . - too */
} surety__subset;

const surety__subset *surety__subset_of(surety_subset id);

/* What a keyword is to the compiler. */
enum surety__strict_role {
    ROLE_SILENT,    /* identifies; it says nothing of values */
    ROLE_STRUCTURE, /* the nodes are made of it */
    ROLE_ASSERTION, /* kept or told in words */
    ROLE_ANNOTATION /* likewise */
};

typedef struct surety__strict_keyword {
    const char *name;
    uint8_t role;
    uint8_t takes;     /* 1 << subset: sent as it stands */
    uint8_t types;     /* TYPE_ bits that it is about; 0: all */
    const char *words; /* the sentence; "%.*s" is its value. NULL: none */
} surety__strict_keyword;

/* NULL: no keyword. */
const surety__strict_keyword *surety__strict_keyword_of(surety_str name);
bool surety__subset_takes_format(const surety__subset *subset,
                                 surety_str format);
/* Whether the provider's grammar reads an ECMA-262 pattern: no look-around, no
 * reference to a group, no word boundary. */
bool surety__subset_takes_pattern(const surety__subset *subset,
                                  surety_str pattern);

#endif
