/* SPDX-License-Identifier: Apache-2.0 */
/* surety/gen.h: C types made from contracts: one header and one source, which
 * need only <surety.h>. The result depends on nothing but the contracts and the
 * options.
 *
 *     surety_gen *gen = NULL;
 *     if (surety_gen_new(&contract, 1, NULL, &gen, &err) == SURETY_OK)
 *         save(surety_gen_info_of(gen));
 *     surety_gen_free(gen);
 *
 * docs/gen.md says how a schema becomes a type; surety/typed.h says what the
 * generated functions do.
 *
 * Threads: a surety_gen is frozen. */
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
    /* The prefix of every generated name. It replaces the folders of the
     * contracts' names: with "app", a/b becomes app_b. Empty: a/b becomes
     * a_b. */
    surety_str prefix;
    /* The name by which the source includes the header, "a-b.h" or "app/a-b.h".
     * The include guard is made from it too. Empty: made from the first
     * contract's name. */
    surety_str header;
    const surety_alloc *alloc; /* NULL: libc */
} surety_gen_options;

typedef struct surety_gen surety_gen;

/* Makes the types of count contracts, which must outlive the result. A value
 * that no C type can hold becomes a surety_val, with a note; that is no
 * failure. SURETY_MISUSE: there is no contract, two have the same name, or the
 * prefix or header gives no valid C identifier; SURETY_NOMEM; SURETY_LIMIT: a
 * generated text is longer than text_bytes_max. */
SURETY_API surety_status surety_gen_new(const surety_contract *const *contracts,
                                        size_t count,
                                        const surety_gen_options *options,
                                        surety_gen **ret_gen,
                                        surety_error *reterr);
SURETY_API void surety_gen_free(surety_gen *gen); /* takes NULL */

/* A part of a contract that no C type expresses, or expresses only in part. The
 * texts belong to gen. */
typedef struct surety_gen_note {
    size_t contract; /* index in the contracts that were given */
    surety_val at;   /* the subschema or keyword */
    surety_str message;
    surety_str hint;
} surety_gen_note;

/* The generated texts and the notes. Everything belongs to gen. */
typedef struct surety_gen_info {
    size_t size; /* sizeof(surety_gen_info) of the library */
    surety_str header;
    surety_str source;
    const surety_gen_note *notes; /* in the order of the contracts' texts */
    size_t note_count;
} surety_gen_info;
SURETY_API const surety_gen_info *surety_gen_info_of(const surety_gen *gen);

/* Returns whether text was made by surety_gen_new and has not changed since:
 * its first comment has a hash of the rest. A tool can check this before it
 * overwrites a file. */
SURETY_API bool surety_gen_is_untouched(surety_str text);

#ifdef __cplusplus
}
#endif
#endif
