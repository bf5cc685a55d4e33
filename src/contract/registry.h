/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a registry's contracts. Inner header of contract/. */
#ifndef SURETY_CONTRACT_REGISTRY_H
#define SURETY_CONTRACT_REGISTRY_H

#include "contract/contract.h"
#include "contract/files.h"
#include "contract/version.h"

/* One contract, or one alias of one. rank is the position of its folder in the
 * search order; the built-in contracts come last. */
typedef struct surety__record {
    surety_registry_entry entry;
    size_t rank;
    const surety__embedded *builtin; /* NULL: entry.source is its file */
} surety__record;

/* All contracts that were found at one time; owns the texts. */
typedef struct surety__index {
    const surety_alloc *alloc;
    surety__arena arena;
    surety__record *records; /* sorted by name, version, rank */
    size_t count, cap;
} surety__index;

struct surety_registry {
    const surety_alloc *alloc;
    surety__arena arena; /* owns the folders' names */
    surety_str *folders;
    size_t folder_count;
    surety_contract_options options;
    surety_limits limits;
    surety__index index; /* of the last listing */
};

/* Reads the head of a contract's text, without compiling it. doc owns the
 * texts. */
typedef struct surety__head {
    surety_str name, version, title, deprecated;
    surety_val aliases;
} surety__head;
surety_status surety__head_read(surety_doc *doc, surety_str text,
                                const surety_limits *limits,
                                surety__head *ret_head, surety_error *reterr);

void surety__index_init(surety__index *index, const surety_alloc *alloc);
void surety__index_done(surety__index *index);
/* Fills an empty index from the registry's folders and the built-in
 * contracts. */
surety_status surety__index_read(surety__index *index,
                                 const surety_registry *registry,
                                 surety_error *reterr);
/* Removes the entries that an earlier folder hides; for a listing. */
void surety__index_hide(surety__index *index);

/* Splits "a/b@1.0.0": returns the name; *ret_version is the version, or
 * empty. */
surety_str surety__name_split(surety_str text, surety_str *ret_version);

#endif
