/* SPDX-License-Identifier: Apache-2.0 */
/* surety/typed.h: the functions behind C types made from a contract (surety
 * gen). A generated source has tables (the types, and the names and offsets of
 * their members) and functions that pass the tables to the functions of this
 * header. A program calls only the generated functions; this header says what
 * they do:
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
 * docs/gen.md says how a schema becomes a type.
 *
 * Threads: tables are constant; a value that a function gives is frozen. */
#ifndef SURETY_TYPED_H
#define SURETY_TYPED_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/json.h>
#include <surety/reply.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks members that the contract calls deprecated. A source that must use them
 * defines SURETY_KEEP_DEPRECATED before it includes this header. */
#if defined(__GNUC__) && !defined(SURETY_KEEP_DEPRECATED)
#define SURETY_DEPRECATED __attribute__((deprecated))
#else
#define SURETY_DEPRECATED
#endif

/* Initialises a surety_str in a table. */
#define SURETY_TYPED_NAME(text)                                                \
    {                                                                          \
        text, sizeof(text) - 1                                                 \
    }

/* A member of an object that the schema does not name. */
typedef struct surety_typed_entry {
    surety_str key;
    surety_val value;
} surety_typed_entry;

/* ---- tables -------------------------------------------------------------- */

/* The C form of a type. ORDER forms (sizes in typed.c). */
typedef enum surety_typed_form {
    SURETY_TYPED_BOOL = 0, /* bool */
    SURETY_TYPED_INT,      /* int64_t */
    SURETY_TYPED_UINT,     /* uint64_t */
    SURETY_TYPED_REAL,     /* double */
    SURETY_TYPED_TEXT,     /* surety_str, followed by a zero byte */
    SURETY_TYPED_NUMBER,   /* surety_str: a number as it was written */
    SURETY_TYPED_ENUM,     /* an enum: the index of a word */
    SURETY_TYPED_VALUE,    /* surety_val: any value */
    SURETY_TYPED_FIXED,    /* nothing: the value is always the same */
    SURETY_TYPED_STRUCT,   /* an object: a struct */
    SURETY_TYPED_TUPLE,    /* an array of fixed positions: a struct */
    SURETY_TYPED_LIST,     /* an array: items and their count */
    SURETY_TYPED_MAP,      /* an object: entries and their count */
    SURETY_TYPED_UNION,    /* a struct of "kind" and "as" */
    SURETY_TYPED_WRAP      /* a struct whose only member is the value */
} surety_typed_form;

#define SURETY_TYPED_NONE UINT32_MAX /* there is no such offset or type */
/* A NULL pointer shows that the value is absent. */
#define SURETY_TYPED_POINTER (UINT32_MAX - 1)

/* A member of a struct, a position of a tuple or a branch of a union. A member
 * that is a struct or tuple is a pointer to it; a list or map is two members, a
 * pointer and a count. Offsets are bytes in the struct that has the member. */
typedef struct surety_typed_member {
    surety_str name;  /* name in JSON; for a branch its own name */
    uint32_t type;    /* index in the table of types */
    uint32_t offset;  /* NONE: no value is stored */
    uint32_t count;   /* of a list or map: offset of the count */
    uint32_t has;     /* if optional: offset of a bool, or POINTER; else NONE */
    uint32_t null;    /* if nullable: offset of a bool, or POINTER; else NONE */
    const char *fill; /* its default as JSON; NULL: none. Of a branch: JSON
                       * Pointer of its schema in the contract */
} surety_typed_member;

typedef struct surety_typed_type {
    surety_typed_form form;
    const char *name; /* name of the type in C */
    uint32_t size;    /* size of one value in an array */
    uint32_t stride;  /* size of a list's item or a map's entry; of "kind" */
    const surety_typed_member *members;
    const surety_str *words; /* words of an enum; JSON of a fixed value */
    uint32_t count;          /* of members or words */
    const uint32_t *sorted;  /* indices of members sorted by name; NULL: linear
                              * search */
    /* The type of a list's items or a map's values. Of a struct: the map of its
     * unnamed members; of a tuple: the list of its further items; NONE: there
     * is none. */
    uint32_t rest;
    uint32_t offset;       /* offset of an entry's value; of the rest */
    uint32_t count_offset; /* offset of the rest's count */
} surety_typed_type;

/* All types of a contract. */
typedef struct surety_typed {
    const surety_typed_type *types;
    uint32_t type_count;
    uint32_t root;               /* a struct, a union or a wrap */
    const char *contract_name;   /* name of the contract if its text gives
                                  * none */
    const char *const *contract; /* its text in several strings; NULL ends the
                                  * list */
} surety_typed;

/* ---- what the generated functions do ------------------------------------- */

/* Compiles the contract that the types were made from. Ownership and statuses
 * as surety_contract_read. */
SURETY_API surety_status surety_typed_contract(
    const surety_typed *typed, const surety_contract_options *options,
    surety_contract **ret_contract, surety_error *reterr);

/* Makes a value of the root type from val, which should satisfy the contract,
 * and fills in defaults. The caller frees it with surety_typed_free; it keeps
 * no reference to val or its doc. The contract gives the allocator; its schema
 * selects the branch of a union where several branches could hold the value.
 * SURETY_SYNTAX, with path and position: the type cannot hold val;
 * SURETY_LIMIT: a number is out of range of its C type, or the value takes more
 * than 16 times text_bytes_max; SURETY_NOMEM. */
SURETY_API surety_status surety_typed_from(const surety_typed *typed,
                                           const surety_contract *contract,
                                           surety_val val,
                                           const void **ret_value,
                                           surety_error *reterr);

/* Judges reply like surety_contract_judge, and makes a value of the root type
 * from the outcome's value. A bad reply is no failure: *ret_value is then NULL,
 * and *ret_outcome has the errors. The same holds for a fallback that the type
 * cannot hold. The value keeps no reference to the reply; the outcome does.
 * ret_outcome may be NULL. Statuses of surety_contract_judge and
 * surety_typed_from. */
SURETY_API surety_status surety_typed_read(const surety_typed *typed,
                                           const surety_contract *contract,
                                           surety_str reply,
                                           const void **ret_value,
                                           surety_outcome **ret_outcome,
                                           surety_error *reterr);
/* Frees a value of surety_typed_from or surety_typed_read; takes NULL. */
SURETY_API void surety_typed_free(const void *value);

/* Builds value, which the caller may have filled itself, in doc. SURETY_MISUSE,
 * with path: a part has no JSON form (a pointer that must not be NULL, an enum
 * out of range, a number that is not finite); SURETY_SYNTAX: a text is not
 * UTF-8; SURETY_LIMIT, SURETY_NOMEM. */
SURETY_API surety_status surety_typed_to(const surety_typed *typed,
                                         const void *value, surety_doc *doc,
                                         surety_error *reterr);
/* Appends value as JSON. Statuses of surety_typed_to and of the buffer. */
SURETY_API surety_status surety_typed_write(const surety_typed *typed,
                                            const void *value,
                                            surety_style style, surety_buf *out,
                                            surety_error *reterr);
/* Appends value as JSON to json, which must be empty, and judges it by the
 * contract, rules included, which a C type cannot express. The caller frees the
 * outcome, and must not change json before. */
SURETY_API surety_status surety_typed_check(const surety_typed *typed,
                                            const surety_contract *contract,
                                            const void *value, surety_buf *json,
                                            surety_outcome **ret_outcome,
                                            surety_error *reterr);
/* Computes the contract's derived member called name, or all of them as an
 * object (name NULL), and builds it as the root of doc. SURETY_END: there is no
 * such derived member; SURETY_SYNTAX, SURETY_TIMEOUT, SURETY_LIMIT: it cannot
 * be computed; SURETY_IO. */
SURETY_API surety_status surety_typed_derive(const surety_typed *typed,
                                             const surety_contract *contract,
                                             const void *value,
                                             const char *name, surety_doc *doc,
                                             surety_error *reterr);
/* Appends value in a form for debugging, one line for each member; works for
 * every content of value. No function reads this form. */
SURETY_API void surety_typed_print(const surety_typed *typed, const void *value,
                                   surety_buf *out);
/* Returns the index of name in words; count if it is not there. */
SURETY_API size_t surety_typed_find(const surety_str *words, size_t count,
                                    surety_str name);

#ifdef __cplusplus
}
#endif
#endif
