/* SPDX-License-Identifier: Apache-2.0 */
/* surety/schema.h: JSON Schema, drafts 4, 6, 7, 2019-09, 2020-12 and v1:
 * compiles schemas, checks values, and reports every failure.
 *
 *     surety_schema_read(text, NULL, &schema, &err);
 *     surety_checker_new(NULL, NULL, &checker, &err);
 *     surety_checker_check(checker, schema, val, &valid, &err);
 *     if (!valid)
 *         surety_checker_report(checker, schema, val, findings, &err);
 *
 * A check builds no message and stops at the first failure; a report evaluates
 * again and lists every failure. Neither allocates once its scratch memory is
 * large enough. No document is ever fetched: the metaschemas are built in, and
 * the caller's resolver gives all other documents that a schema refers to.
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

/* Gives, in *ret_val, the schema document of an absolute URI without a
 * fragment. Its doc must outlive the schema. SURETY_END: there is no such
 * document. Any failure ends the compilation. */
typedef surety_status (*surety_resolve_fn)(void *ctx, surety_str uri,
                                           surety_val *ret_val);

typedef struct surety_schema_options {
    size_t size;               /* sizeof(surety_schema_options) */
    surety_dialect dialect;    /* used if there is no $schema */
    surety_str base_uri;       /* the document's own URI; may be empty */
    bool assert_format;        /* "format" (and draft 7's content keywords) can
                                * fail */
    surety_resolve_fn resolve; /* NULL: built-in documents only */
    void *resolve_ctx;
    const surety_limits *limits; /* NULL: defaults */
    const surety_alloc *alloc;   /* NULL: libc */
} surety_schema_options;

typedef struct surety_schema surety_schema;

/* Reads and compiles a schema, which keeps its own copy of the text.
 * SURETY_SYNTAX, with position and path in the text: it is not JSON, a keyword
 * has a value of the wrong type, a reference cannot be resolved, or a pattern
 * is no regular expression. SURETY_UNSUPPORTED: a required vocabulary or the
 * dialect is unknown. SURETY_LIMIT, SURETY_NOMEM. */
SURETY_API surety_status
surety_schema_read(surety_str text, const surety_schema_options *options,
                   surety_schema **ret_schema, surety_error *reterr);
/* The same for a value that is already read; its doc must outlive the
 * schema. */
SURETY_API surety_status
surety_schema_compile(surety_val root, const surety_schema_options *options,
                      surety_schema **ret_schema, surety_error *reterr);
SURETY_API void surety_schema_free(surety_schema *schema); /* takes NULL */

/* A warning about a member of a subschema that has no effect: a misspelt
 * keyword, one that the schema's draft does not have, or one that no draft has.
 * JSON Schema ignores such members, so the schema is still correct. Names that
 * begin with "x-" and annotations of OpenAPI, VS Code, Pydantic, Zod and other
 * tools give no warning. */
typedef struct surety_schema_warning {
    surety_val key;     /* key of the member, in the schema's document */
    surety_str message; /* a sentence */
    surety_str hint;    /* "did you mean ...", or how to fix it */
} surety_schema_warning;
/* Most warnings that are stored for one schema; further ones are only
 * counted. */
#define SURETY_SCHEMA_WARNINGS_MAX 32

/* Everything belongs to the schema. */
typedef struct surety_schema_info {
    size_t size; /* sizeof(surety_schema_info) of the library */
    surety_dialect dialect;
    const surety_schema_warning *warnings; /* in the order of the text */
    size_t warning_count;
    size_t warnings_left; /* further ones */
} surety_schema_info;
SURETY_API const surety_schema_info *
surety_schema_info_of(const surety_schema *schema);

/* ---- checking --------------------------------------------------------- */

typedef struct surety_checker surety_checker;

/* NULL when out of memory. */
SURETY_API surety_checker *surety_checker_new(const surety_alloc *alloc,
                                              const surety_limits *limits);
SURETY_API void surety_checker_free(surety_checker *checker); /* takes NULL */

/* Gives whether val satisfies schema. SURETY_LIMIT: the limit of work, nesting
 * or a pattern's match was reached; *ret_valid is unchanged, and the instance
 * is neither valid nor invalid. SURETY_NOMEM. */
SURETY_API surety_status surety_checker_check(surety_checker *checker,
                                              const surety_schema *schema,
                                              surety_val val, bool *ret_valid,
                                              surety_error *reterr);

/* Gives whether text is JSON that satisfies schema: surety_doc_read (with
 * options, which may be NULL) and surety_checker_check in one call, with a
 * document that the checker owns. On failure it returns the status of either,
 * and *ret_valid is unchanged. */
SURETY_API surety_status surety_checker_check_text(
    surety_checker *checker, const surety_schema *schema, surety_str text,
    const surety_read_options *options, bool *ret_valid, surety_error *reterr);

/* One keyword that failed. The texts belong to the findings. The terms are
 * those of JSON Schema 2020-12 core, section 12.3. */
typedef struct surety_finding {
    surety_str keyword;           /* "maximum"; "false" if the root schema is
                                   * false */
    surety_str instance_location; /* JSON Pointer */
    surety_str keyword_location;  /* the evaluation path, through $ref */
    surety_str
        absolute_keyword_location; /* URI#pointer; "#pointer" without URI */
    surety_str message;            /* one sentence, no full stop */
    surety_str hint;               /* what was probably meant; may be empty */
    surety_val instance; /* the value; for a wrong property name its key */
    surety_val schema;   /* the keyword's value in the schema document */
} surety_finding;

typedef struct surety_findings surety_findings;

SURETY_API surety_findings *surety_findings_new(const surety_alloc *alloc);
SURETY_API void surety_findings_free(surety_findings *findings);
SURETY_API size_t surety_findings_count(const surety_findings *findings);
/* Gives the i-th finding. Its texts are written when it is first read, from the
 * value and the schema, which must not have changed since the report. Then they
 * stay until the next report into these findings, whatever becomes of value and
 * schema. Past the last one, and when out of memory, keyword.ptr is NULL. */
SURETY_API surety_finding surety_findings_at(surety_findings *findings,
                                             size_t i);
/* Returns whether findings were left out because of findings_max. */
SURETY_API bool surety_findings_truncated(const surety_findings *findings);

/* Replaces the content of findings by every failure, in the order of the
 * keywords in the schema and of the values in the instance. For a failed anyOf
 * or oneOf these are the failures of the branch that was probably meant; if
 * that branch is not clear, there is one finding for the keyword. A valid
 * instance gives no finding, and costs what surety_checker_check does. */
SURETY_API surety_status surety_checker_report(surety_checker *checker,
                                               const surety_schema *schema,
                                               surety_val val,
                                               surety_findings *findings,
                                               surety_error *reterr);

/* The output formats of JSON Schema (2020-12 core, section 12.4). Writing one
 * reads all findings. */
typedef enum surety_output {
    SURETY_OUTPUT_FLAG = 0,
    SURETY_OUTPUT_BASIC,
    SURETY_OUTPUT_DETAILED
} surety_output;
/* Appends the result as JSON. valid is the result of surety_checker_check. */
SURETY_API surety_status surety_findings_write(surety_findings *findings,
                                               bool valid, surety_output output,
                                               surety_buf *out);

/* ---- a cache ------------------------------------------------------------ */

/* Finds compiled schemas by their text, for callers that get the same schema
 * with every request. A cache is owned; the schemas that it gives are frozen,
 * like all schemas. */
typedef struct surety_schema_cache surety_schema_cache;

/* schemas_max: number of schemas kept; 0: 64. bytes_max: bytes of their texts;
 * 0: 16 MiB. A compiled schema takes five to thirty times the memory of its
 * text. alloc (NULL: libc) is used for the schemas too. Returns NULL when out
 * of memory. */
SURETY_API surety_schema_cache *surety_schema_cache_new(
    const surety_alloc *alloc, uint32_t schemas_max, size_t bytes_max);
SURETY_API void surety_schema_cache_free(surety_schema_cache *cache);
/* Like surety_schema_read, but if the cache has a schema compiled from the same
 * text with equal options, it gives that schema. options->alloc is ignored.
 * Whole texts are compared, not hashes. A failure is not kept.
 *
 * The cache owns the schema. It is valid until the cache is freed, or until a
 * later read removes it. A read removes it only if it and the different schemas
 * read after it are more than schemas_max, or their texts together are more
 * than bytes_max. So a schema is always valid until the next read; one larger
 * than bytes_max is valid no longer than that. */
SURETY_API surety_status surety_schema_cache_read(
    surety_schema_cache *cache, surety_str text,
    const surety_schema_options *options, const surety_schema **ret_schema,
    surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
