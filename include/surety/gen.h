/* SPDX-License-Identifier: Apache-2.0 */
/* surety/gen.h: C types made from contracts: one header and one source that
 * need <surety.h> and nothing else. A pure function of the contracts and the
 * options: the same give the same text.
 *
 *     surety_gen *gen = NULL;
 *     if (surety_gen_new(&contract, 1, NULL, &gen, &err) == SURETY_OK)
 *         save(surety_gen_info_of(gen));
 *     surety_gen_free(gen);
 *
 * What a schema becomes, and what the generated functions do, is told in
 * docs/gen.md and surety/typed.h.
 *
 * Threads: what was made is frozen. */
#ifndef SURETY_GEN_H
#define SURETY_GEN_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/json.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct surety_gen_options {
    size_t size; /* sizeof(surety_gen_options) */
    /* What every name begins with, in place of the folders of the contracts'
     * names: with "app", a/b becomes app_b. Empty: a_b. */
    surety_str prefix;
    /* How the source includes the header, "a-b.h" or "app/a-b.h"; its words
     * also make the include guard. Empty: made of the first contract's name. */
    surety_str header;
    const surety_alloc *alloc; /* NULL: libc */
} surety_gen_options;

typedef struct surety_gen surety_gen;

/* Makes the types of count contracts, which must outlive the result. What no C
 * type can hold is kept as a surety_val and told in a note; that is no failure.
 * SURETY_MISUSE: no contract, or two with the same name, or a prefix or header
 * that C cannot name; SURETY_NOMEM;
 * SURETY_LIMIT: texts beyond text_bytes_max. */
SURETY_API surety_status surety_gen_new(const surety_contract *const *contracts,
                                        size_t count,
                                        const surety_gen_options *options,
                                        surety_gen **ret_gen,
                                        surety_error *reterr);
SURETY_API void surety_gen_free(surety_gen *gen); /* takes NULL */

/* A part of a contract that no type says, or that one says with less. The texts
 * belong to gen. */
typedef struct surety_gen_note {
    size_t contract; /* its place among those that were given */
    surety_val at;   /* the subschema or keyword */
    surety_str message;
    surety_str hint;
} surety_gen_note;

/* What was made. All of it belongs to gen. */
typedef struct surety_gen_info {
    size_t size; /* sizeof(surety_gen_info) of the library */
    surety_str header;
    surety_str source;
    const surety_gen_note *notes; /* in the order of the contracts' texts */
    size_t note_count;
} surety_gen_info;
SURETY_API const surety_gen_info *surety_gen_info_of(const surety_gen *gen);

/* Whether text was made by surety_gen_new and not changed since: its first
 * comment holds a hash of what follows. A tool looks before it writes over a
 * file. */
SURETY_API bool surety_gen_is_untouched(surety_str text);

#ifdef __cplusplus
}
#endif
#endif
