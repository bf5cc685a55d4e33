/* SPDX-License-Identifier: Apache-2.0 */
/* surety/typed.h: what C types made from a contract stand on (surety gen). A
 * generated source is tables (which types there are, what their members are
 * called and where they stand) and functions that hand them to these here, so
 * a program calls the generated functions, and this header only says what they
 * do:
 *
 *     T_contract  compiles the contract that the types were made from
 *     T_read      a reply  ->  a value of type T, and the outcome
 *     T_from      a surety_val  ->  a value of type T
 *     T_to        a value of type T  ->  a document
 *     T_write     a value of type T  ->  JSON
 *     T_check     judges a value of type T against the contract
 *     T_derive    the contract's derived members
 *     T_print     a form to read while debugging
 *     T_free      frees what T_read and T_from gave, with all that is in it
 *
 * How a schema becomes a type is told in docs/gen.md.
 *
 * Threads: tables are constant; a value that was given out is frozen. */
#ifndef SURETY_TYPED_H
#define SURETY_TYPED_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/json.h>
#include <surety/reply.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks what the contract says is deprecated. A source that has to use it all
 * the same defines SURETY_KEEP_DEPRECATED before it includes this. */
#if defined(__GNUC__) && !defined(SURETY_KEEP_DEPRECATED)
#define SURETY_DEPRECATED __attribute__((deprecated))
#else
#define SURETY_DEPRECATED
#endif

/* A text of a table. */
#define SURETY_TYPED_NAME(text)                                                \
    {                                                                          \
        text, sizeof(text) - 1                                                 \
    }

/* A member of an object whose name is not known beforehand. */
typedef struct surety_typed_entry {
    surety_str key;
    surety_val value;
} surety_typed_entry;

/* ---- tables -------------------------------------------------------------- */

/* What a type is in C. ORDER forms (sizes in typed.c). */
typedef enum surety_typed_form {
    SURETY_TYPED_BOOL = 0, /* bool */
    SURETY_TYPED_INT,      /* int64_t */
    SURETY_TYPED_UINT,     /* uint64_t */
    SURETY_TYPED_REAL,     /* double */
    SURETY_TYPED_TEXT,     /* surety_str, with a zero behind it */
    SURETY_TYPED_NUMBER,   /* surety_str: a number's own text */
    SURETY_TYPED_ENUM,     /* an enum: the number of a word */
    SURETY_TYPED_VALUE,    /* surety_val: anything */
    SURETY_TYPED_FIXED,    /* nothing: it is always the same */
    SURETY_TYPED_STRUCT,   /* an object: a struct */
    SURETY_TYPED_TUPLE,    /* an array of places: a struct */
    SURETY_TYPED_LIST,     /* an array: items and their count */
    SURETY_TYPED_MAP,      /* an object: entries and their count */
    SURETY_TYPED_UNION,    /* a struct of "kind" and "as" */
    SURETY_TYPED_WRAP      /* a struct whose only member is the value */
} surety_typed_form;

#define SURETY_TYPED_NONE UINT32_MAX /* there is no such place or type */
/* A pointer says it itself by being NULL. */
#define SURETY_TYPED_POINTER (UINT32_MAX - 1)

/* A member of a struct, a place of a tuple or a branch of a union. A struct or
 * tuple stands behind a pointer; lists and maps are two members. Offsets are
 * those of the struct that has it. */
typedef struct surety_typed_member {
    surety_str name;  /* in JSON; of a branch what it is called */
    uint32_t type;    /* its place in the table of types */
    uint32_t offset;  /* NONE: nothing is stored */
    uint32_t count;   /* of a list or map: where the count stands */
    uint32_t has;     /* of an optional one: a bool; or POINTER, or NONE */
    uint32_t null;    /* of a nullable one: a bool; or POINTER, or NONE */
    const char *fill; /* its default as JSON; NULL: none. Of a branch: where
                       * its schema stands in the contract, a JSON Pointer */
} surety_typed_member;

typedef struct surety_typed_type {
    surety_typed_form form;
    const char *name; /* of the type in C */
    uint32_t size;    /* of one in an array */
    uint32_t stride;  /* of a list's item or a map's entry; of "kind" */
    const surety_typed_member *members;
    const surety_str *words; /* of an enum; of a fixed value its JSON */
    uint32_t count;          /* of members or words */
    const uint32_t *sorted;  /* members by name; NULL: they are few */
    /* The type of a list's items or a map's values. Of a struct: the map of the
     * members that it does not name, of a tuple the list of what follows; NONE:
     * there is none. */
    uint32_t rest;
    uint32_t offset;       /* of an entry's value; of the rest */
    uint32_t count_offset; /* of the rest's count */
} surety_typed_type;

/* All types of a contract. */
typedef struct surety_typed {
    const surety_typed_type *types;
    uint32_t type_count;
    uint32_t root;               /* a struct, a union or a wrap */
    const char *contract_name;   /* where its text gives none */
    const char *const *contract; /* its text in pieces; NULL ends it */
} surety_typed;

/* ---- what the generated functions do ------------------------------------- */

/* Compiles the contract that the types were made from; as
 * surety_contract_read. */
SURETY_API surety_status surety_typed_contract(
    const surety_typed *typed, const surety_contract_options *options,
    surety_contract **ret_contract, surety_error *reterr);

/* Makes a value of the root type from val, which should satisfy the contract;
 * defaults are filled in. The caller frees it with surety_typed_free; nothing
 * of val or its doc is kept. The contract gives the allocator, and decides
 * between branches of a union that look alike. SURETY_SYNTAX: val is not what
 * the type holds, with path and position; SURETY_LIMIT: a number is beyond what
 * its C type holds, or the value takes more than 16 times text_bytes_max;
 * SURETY_NOMEM. */
SURETY_API surety_status surety_typed_from(const surety_typed *typed,
                                           const surety_contract *contract,
                                           surety_val val,
                                           const void **ret_value,
                                           surety_error *reterr);

/* Judges reply as surety_contract_judge does and makes a value of the
 * outcome's. A bad reply is no failure: then *ret_value is NULL, and
 * *ret_outcome says what is wrong; so is a fallback that the type does not
 * hold. The value keeps nothing of the reply; the outcome does. ret_outcome may
 * be NULL. Statuses of surety_contract_judge and surety_typed_from. */
SURETY_API surety_status surety_typed_read(const surety_typed *typed,
                                           const surety_contract *contract,
                                           surety_str reply,
                                           const void **ret_value,
                                           surety_outcome **ret_outcome,
                                           surety_error *reterr);
/* Takes NULL, and nothing but what _from and _read gave. */
SURETY_API void surety_typed_free(const void *value);

/* Builds value, which may be the caller's own, in doc. SURETY_MISUSE, with its
 * path: what no JSON stands for (a pointer that must not be NULL, an enum out
 * of its range, a number that is not finite); SURETY_SYNTAX: text that is not
 * UTF-8; SURETY_LIMIT, SURETY_NOMEM. */
SURETY_API surety_status surety_typed_to(const surety_typed *typed,
                                         const void *value, surety_doc *doc,
                                         surety_error *reterr);
/* Appends value as JSON. */
SURETY_API surety_status surety_typed_write(const surety_typed *typed,
                                            const void *value,
                                            surety_style style, surety_buf *out,
                                            surety_error *reterr);
/* Appends value as JSON to json, which must be empty, and judges it, rules
 * included: what a C type cannot say. The caller frees the outcome, and keeps
 * json as it is until then. */
SURETY_API surety_status surety_typed_check(const surety_typed *typed,
                                            const surety_contract *contract,
                                            const void *value, surety_buf *json,
                                            surety_outcome **ret_outcome,
                                            surety_error *reterr);
/* Computes a derived member of the contract, or all of them as an object (name
 * NULL), and gives it as the root of doc. SURETY_END: the contract has none of
 * that name; SURETY_SYNTAX, SURETY_TIMEOUT, SURETY_LIMIT: it cannot be
 * computed; SURETY_IO. */
SURETY_API surety_status surety_typed_derive(const surety_typed *typed,
                                             const surety_contract *contract,
                                             const void *value,
                                             const char *name, surety_doc *doc,
                                             surety_error *reterr);
/* Appends a form to read while debugging, one line a member, whatever value
 * holds. It is not meant to be read back. */
SURETY_API void surety_typed_print(const surety_typed *typed, const void *value,
                                   surety_buf *out);
/* Where name stands among count words; count: nowhere. */
SURETY_API size_t surety_typed_find(const surety_str *words, size_t count,
                                    surety_str name);

#ifdef __cplusplus
}
#endif
#endif
