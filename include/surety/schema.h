/* SPDX-License-Identifier: Apache-2.0 */
/* surety/schema.h: JSON Schema, drafts 4, 6, 7, 2019-09, 2020-12 and v1:
 * compile once, check often, report exactly.
 *
 *     surety_schema_read(text, NULL, &schema, &err);
 *     surety_checker_new(NULL, NULL, &checker, &err);
 *     surety_checker_check(checker, schema, val, &valid, &err);
 *     if (!valid)
 *         surety_checker_report(checker, schema, val, findings, &err);
 *
 * The check builds no message and stops at the first failure; the report
 * evaluates again and says everything. Neither allocates once its scratch
 * memory has grown. No document is ever fetched: references to documents that
 * are not built in (the metaschemas are) go to the caller's resolver.
 *
 * Threads: a schema is frozen; a checker and findings are owned. */
#ifndef SURETY_SCHEMA_H
#define SURETY_SCHEMA_H

#include <surety/base.h>
#include <surety/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ORDER dialects (rows in dialect.c). */
typedef enum surety_dialect {
    SURETY_DIALECT_DEFAULT = 0, /* 2020-12 */
    SURETY_DIALECT_4,
    SURETY_DIALECT_6,
    SURETY_DIALECT_7,
    SURETY_DIALECT_2019_09,
    SURETY_DIALECT_2020_12,
    SURETY_DIALECT_V1 /* the coming stable dialect, as its suite tests it */
} surety_dialect;

/* Gives the schema document of an absolute URI without fragment, in ret_val.
 * Its doc must outlive the schema. SURETY_END: unknown. Any failure ends the
 * compile. */
typedef surety_status (*surety_resolve_fn)(void *ctx, surety_str uri,
                                           surety_val *ret_val);

typedef struct surety_schema_options {
    size_t size;            /* sizeof(surety_schema_options) */
    surety_dialect dialect; /* where $schema does not say */
    surety_str base_uri;    /* the document's own URI; may be empty */
    bool assert_format;     /* "format" (and draft 7's content keywords) fail */
    surety_resolve_fn resolve; /* NULL: built-in documents only */
    void *resolve_ctx;
    const surety_limits *limits; /* NULL: defaults */
    const surety_alloc *alloc;   /* NULL: libc */
} surety_schema_options;

typedef struct surety_schema surety_schema;

/* Reads and compiles a schema; it owns its text. What is wrong with the schema
 * is SURETY_SYNTAX with position and path in its text: not JSON, a keyword of
 * the wrong type, a reference that leads nowhere, a pattern that is none.
 * SURETY_UNSUPPORTED: a required vocabulary or a dialect that is unknown.
 * SURETY_LIMIT, SURETY_NOMEM. */
SURETY_API surety_status
surety_schema_read(surety_str text, const surety_schema_options *options,
                   surety_schema **ret_schema, surety_error *reterr);
/* The same for a value that is already read; its doc must outlive the
 * schema. */
SURETY_API surety_status
surety_schema_compile(surety_val root, const surety_schema_options *options,
                      surety_schema **ret_schema, surety_error *reterr);
SURETY_API void surety_schema_free(surety_schema *schema); /* takes NULL */
SURETY_API surety_dialect surety_schema_dialect(const surety_schema *schema);

/* A member of a subschema that says nothing: a keyword that is misspelt, that
 * its draft does not know, or that no draft knows. JSON Schema ignores those,
 * so it is no mistake of the schema. Names that begin with "x-" and annotations
 * of OpenAPI, VS Code, Pydantic, Zod and other tools are none. */
typedef struct surety_schema_warning {
    surety_val key;     /* of the member, in the schema's document: its place */
    surety_str message; /* a sentence */
    surety_str hint;    /* "did you mean ...", or what to do about it */
} surety_schema_warning;
/* Warnings that are kept of one schema; the others are counted only. */
#define SURETY_SCHEMA_WARNINGS_MAX 32
SURETY_API size_t surety_schema_warning_count(const surety_schema *schema);
/* In the order of the text; key NONE for those that were not kept. Good until
 * the schema is freed. */
SURETY_API surety_schema_warning
surety_schema_warning_at(const surety_schema *schema, size_t i);

/* ---- checking --------------------------------------------------------- */

typedef struct surety_checker surety_checker;

/* NULL when out of memory. */
SURETY_API surety_checker *surety_checker_new(const surety_alloc *alloc,
                                              const surety_limits *limits);
SURETY_API void surety_checker_free(surety_checker *checker); /* takes NULL */

/* Whether val satisfies schema. SURETY_LIMIT where the work, nesting or a
 * pattern's match limit ran out: then ret_valid is untouched and the instance
 * counts as neither valid nor invalid. SURETY_NOMEM. */
SURETY_API surety_status surety_checker_check(surety_checker *checker,
                                              const surety_schema *schema,
                                              surety_val val, bool *ret_valid,
                                              surety_error *reterr);

/* Whether text is JSON (as surety_doc_read with options reads it, which may be
 * NULL) that satisfies schema: surety_doc_read and surety_checker_check in one,
 * with a document of the checker's own. Statuses of both; then ret_valid is
 * untouched. */
SURETY_API surety_status surety_checker_check_text(
    surety_checker *checker, const surety_schema *schema, surety_str text,
    const surety_read_options *options, bool *ret_valid, surety_error *reterr);

/* One thing that is wrong. The texts belong to the findings. Standard terms:
 * JSON Schema 2020-12 core, section 12.3. */
typedef struct surety_finding {
    surety_str keyword;           /* "maximum"; "false" for a root of false */
    surety_str instance_location; /* JSON Pointer */
    surety_str keyword_location;  /* the evaluation path, through $ref */
    surety_str
        absolute_keyword_location; /* URI#pointer; "#pointer" without URI */
    surety_str message;            /* one sentence, no full stop */
    surety_str hint;               /* may be empty; what was likely meant */
    surety_val instance; /* the value; for a bad property name its key */
    surety_val schema;   /* the keyword's value in the schema document */
} surety_finding;

typedef struct surety_findings surety_findings;

SURETY_API surety_findings *surety_findings_new(const surety_alloc *alloc);
SURETY_API void surety_findings_free(surety_findings *findings);
SURETY_API void surety_findings_reset(surety_findings *findings);
SURETY_API size_t surety_findings_count(const surety_findings *findings);
SURETY_API surety_finding surety_findings_at(const surety_findings *findings,
                                             size_t i);
/* Findings that findings_max left out. */
SURETY_API bool surety_findings_truncated(const surety_findings *findings);

/* Every failure, in the order of the keywords in the schema and of the values
 * in the instance, appended to findings. A failed anyOf or oneOf tells the
 * failures of the branch that was meant; branches nobody could tell apart are
 * one finding. None for a valid instance. */
SURETY_API surety_status surety_checker_report(surety_checker *checker,
                                               const surety_schema *schema,
                                               surety_val val,
                                               surety_findings *findings,
                                               surety_error *reterr);

/* The output formats of JSON Schema (2020-12 core, section 12.4). */
typedef enum surety_output {
    SURETY_OUTPUT_FLAG = 0,
    SURETY_OUTPUT_BASIC,
    SURETY_OUTPUT_DETAILED
} surety_output;
/* Appends the result as JSON. valid is what surety_checker_check said. */
SURETY_API surety_status surety_findings_write(const surety_findings *findings,
                                               bool valid, surety_output output,
                                               surety_buf *out);

/* ---- a cache ------------------------------------------------------------ */

/* Schemas by their content, for whoever is handed the same schema with every
 * request. A cache is owned by one thread; the schemas it gives are frozen as
 * all are. */
typedef struct surety_schema_cache surety_schema_cache;

/* schemas_max: schemas kept, 0: 64. bytes_max: bytes of their texts, 0: 16 MiB;
 * a compiled schema takes five to thirty times its text. alloc (NULL: libc) is
 * used for the schemas too. NULL when out of memory. */
SURETY_API surety_schema_cache *surety_schema_cache_new(
    const surety_alloc *alloc, uint32_t schemas_max, size_t bytes_max);
SURETY_API void surety_schema_cache_free(surety_schema_cache *cache);
/* As surety_schema_read, but gives the schema that is kept where one was
 * compiled before from the same text with equal options; options->alloc does
 * not count. Texts are compared whole. A failure is not kept.
 *
 * The cache owns the schema. It is good until the cache is freed or reset, or
 * a later read puts it out: that happens only when it and the different schemas
 * read after it are more than schemas_max, or their texts more than bytes_max
 * together. So it always is good until the next read, and one larger than
 * bytes_max no longer. */
SURETY_API surety_status surety_schema_cache_read(
    surety_schema_cache *cache, surety_str text,
    const surety_schema_options *options, const surety_schema **ret_schema,
    surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
