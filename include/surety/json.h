/* SPDX-License-Identifier: Apache-2.0 */
/* surety/json.h: one document type, and everything that reads, walks, compares,
 * builds and writes it.
 *
 * A surety_doc owns a parsed JSON text; a surety_val is one value in it, passed
 * by value, nothing to free, good until the doc is changed or freed. An absent
 * value is SURETY_NONE, and every function here takes it.
 *
 *     surety_doc *doc = surety_doc_new(NULL);
 *     if (surety_doc_read(doc, surety_str_of("{\"a\":[1,2]}"), NULL, &err))
 *         ...
 *     root = surety_doc_root(doc);
 *     two = surety_val_int(surety_val_at(root, surety_str_of("/a/1")), 0);
 *
 * Threads: a doc is owned while it is read or built, and may then be read by
 * any number of threads until it is changed again. */
#ifndef SURETY_JSON_H
#define SURETY_JSON_H

#include <surety/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct surety_doc surety_doc;

typedef struct surety_val {
    const surety_doc *doc; /* NULL: SURETY_NONE */
    uint32_t index;
} surety_val;

/* The absent value. */
SURETY_API surety_val surety_val_none(void);

typedef enum surety_kind {
    SURETY_KIND_NONE = 0, /* an absent value */
    SURETY_KIND_NULL,
    SURETY_KIND_BOOLEAN,
    SURETY_KIND_NUMBER,
    SURETY_KIND_STRING,
    SURETY_KIND_ARRAY,
    SURETY_KIND_OBJECT
} surety_kind;

/* JSON Schema's name of a kind ("null", "boolean", ...; "none"). */
SURETY_API const char *surety_kind_name(surety_kind kind);

/* ---- reading ---------------------------------------------------------- */

enum surety_read_flag {
    /* Keep using the caller's bytes instead of a copy; they must stay as they
     * are while the doc is used. No bytes past the end are read. */
    SURETY_READ_BORROW = 1,
    /* A duplicate key is SURETY_SYNTAX. Without it the last one counts, as in
     * ECMAScript, and surety_doc_duplicate lists the others. */
    SURETY_READ_UNIQUE_KEYS = 2,
    /* Pass over a UTF-8 byte order mark at the start (files). Without it that
     * is SURETY_SYNTAX, as RFC 8259 section 8.1 allows. */
    SURETY_READ_SKIP_BOM = 4
};

typedef struct surety_read_options {
    size_t size; /* sizeof(surety_read_options) */
    unsigned flags;
    const surety_limits *limits; /* NULL: defaults */
} surety_read_options;

/* An empty doc that owns nothing yet; NULL when out of memory. */
SURETY_API surety_doc *surety_doc_new(const surety_alloc *alloc);
SURETY_API void surety_doc_free(surety_doc *doc); /* takes NULL */

/* Reads exactly one JSON text (RFC 8259) with nothing but white space around
 * it into doc, whose former content and values are gone, also on failure. The
 * memory is reused: once it is large enough, reading allocates nothing.
 * Rules where the RFC leaves a choice: invalid UTF-8 and an escape that is a
 * lone surrogate are errors; numbers keep their text, so none overflows; depth
 * and lengths have limits. SURETY_SYNTAX or SURETY_LIMIT with the position of
 * the first byte that cannot stand there; SURETY_NOMEM. */
SURETY_API surety_status surety_doc_read(surety_doc *doc, surety_str text,
                                         const surety_read_options *options,
                                         surety_error *reterr);

/* Writes text to out, len bytes that may be text's own, with each byte of a
 * comment as a space and line ends kept, so that what is JSON with comments
 * (C's two kinds) can be read as JSON and every position is the file's. Strings
 * are passed over. SURETY_SYNTAX: a comment that never ends, with its position;
 * the columns of other errors are counted best in the text with its
 * comments. */
SURETY_API surety_status surety_json_uncomment(surety_str text, char *out,
                                               surety_error *reterr);

/* The root value; SURETY_NONE where nothing was read or built. */
SURETY_API surety_val surety_doc_root(const surety_doc *doc);
/* The text it was read from: the doc's copy or the borrowed bytes. */
SURETY_API surety_str surety_doc_text(const surety_doc *doc);
/* Keys that a later member of the same object replaced, in text order: the
 * position of the i-th such key in the doc's text and its decoded text.
 * SURETY_END past the last. At most 64 are kept; _count is exact. */
SURETY_API size_t surety_doc_duplicate_count(const surety_doc *doc);
SURETY_API surety_status surety_doc_duplicate(const surety_doc *doc, size_t i,
                                              surety_position *ret_position,
                                              surety_str *ret_key);
/* Where the i-th of them stands again: the key of the member that replaced it.
 * Line 0 past the last, and where there is no place. */
SURETY_API surety_position surety_doc_duplicate_again(const surety_doc *doc,
                                                      size_t i);

/* ---- tolerant reading -------------------------------------------------- */

/* A liberty that the tolerant reader took. A kind that is certain leaves the
 * meaning in no doubt (a trailing comma); one that is likely is a guess (a
 * missing quote). Kinds and which they are: docs/repair.md. The texts belong to
 * the doc. */
typedef struct surety_mend {
    const char *kind; /* "trailing-comma", ... */
    bool likely;      /* false: certain */
    size_t offset;    /* of what stood, in the doc's text */
    surety_str stood; /* may be empty: something was missing */
    surety_str read;  /* what it was taken for; may be empty: nothing */
} surety_mend;

typedef struct surety_lenient_options {
    size_t size; /* sizeof(surety_lenient_options) */
    /* Take no liberty: what surety_doc_read refuses is SURETY_SYNTAX. */
    bool strict;
    /* Take no liberty that is likely only: SURETY_SYNTAX. */
    bool certain_only;
    /* Whether a member of that name is expected somewhere; NULL: nobody knows.
     * It decides between readings of a text that can be read in several ways
     * and changes nothing else. */
    bool (*expects)(void *ctx, surety_str name);
    void *expects_ctx;
    const surety_limits *limits; /* NULL: defaults */
    /* The text is known to be cut off: nothing that is open at its end is
     * closed, and a number at its end is open. */
    bool cut;
} surety_lenient_options;

/* Reads the JSON value that stands at the start of text (after white space and
 * comments), as a model may have written it, into doc, as surety_doc_read does;
 * text must stay as it is while doc is used. *ret_end is where the value ends;
 * what stands behind it is not read.
 * A text that is JSON gives exactly what surety_doc_read gives, and no mends.
 * Linear in the value.
 * SURETY_END: the text ends before the value does: it is cut off; doc holds
 * what came, what is open in it is marked (surety_val_is_open), and the error's
 * path leads to the innermost open value. Missing closing brackets alone, after
 * a complete value, are a mend (likely); a number before them that nothing but
 * white space follows is another, for digits of it may be missing.
 * SURETY_SYNTAX: not even so is it JSON; SURETY_LIMIT; SURETY_NOMEM. */
SURETY_API surety_status surety_doc_read_lenient(
    surety_doc *doc, surety_str text, const surety_lenient_options *options,
    size_t *ret_end, surety_error *reterr);

/* The liberties taken in reading doc, in text order; none in a doc that was
 * read strictly. At most mends_max are kept; _count is exact. */
SURETY_API size_t surety_doc_mend_count(const surety_doc *doc);
SURETY_API surety_mend surety_doc_mend(const surety_doc *doc, size_t i);
/* How many of them are likely only; exact. */
SURETY_API size_t surety_doc_mend_likely(const surety_doc *doc);

/* Whether val's end has not come: a container not closed, a string not ended,
 * a number or literal that might go on. */
SURETY_API bool surety_val_is_open(surety_val val);

/* The same reader, pushed: bytes come in chunks of any size, and what is there
 * can be looked at between them. The work for a byte does not depend on the
 * chunks nor on what came before. Any chunking ends in the same doc. */
typedef struct surety_lenient surety_lenient;

/* NULL when out of memory. */
SURETY_API surety_lenient *surety_lenient_new(const surety_alloc *alloc);
SURETY_API void surety_lenient_free(surety_lenient *reader); /* takes NULL */
/* Begins a value, to be read into doc, which is the reader's until it ends. */
SURETY_API surety_status surety_lenient_begin(
    surety_lenient *reader, surety_doc *doc,
    const surety_lenient_options *options, surety_error *reterr);
/* Takes bytes (copied). OK: the value goes on; SURETY_END: it has ended, and
 * further bytes are not looked at; otherwise as surety_doc_read_lenient, and
 * the reader is to be begun again. */
SURETY_API surety_status surety_lenient_feed(surety_lenient *reader,
                                             surety_str bytes,
                                             surety_error *reterr);
/* The value so far, good until the next call on the reader: what is decided,
 * and at its end what is in progress, marked as open. A key without a value is
 * left out; a name that stands twice in an object that is open is listed twice.
 * What a snapshot shows as complete stays as it is in every later one.
 * SURETY_NONE where no value has begun. SURETY_NOMEM, SURETY_LIMIT. */
SURETY_API surety_status surety_lenient_snapshot(surety_lenient *reader,
                                                 surety_val *ret_root,
                                                 surety_error *reterr);
/* No more bytes come. As surety_doc_read_lenient: OK, SURETY_END (cut off),
 * SURETY_SYNTAX, ...; the doc is the caller's again. */
SURETY_API surety_status surety_lenient_finish(surety_lenient *reader,
                                               size_t *ret_end,
                                               surety_error *reterr);

/* ---- values ----------------------------------------------------------- */

SURETY_API surety_kind surety_val_kind(surety_val val);
SURETY_API bool surety_val_bool(surety_val val, bool otherwise);
/* A string's or key's decoded bytes (may hold NUL); empty for other kinds. */
SURETY_API surety_str surety_val_str(surety_val val);
SURETY_API bool surety_val_is(surety_val val, const char *string);

/* Numbers are exact: the text is kept. _int and _uint give otherwise where the
 * value is no integer of that range (1.0 and 1e2 are integers, as in JSON
 * Schema); _real gives the nearest double, ±HUGE_VAL where it is too large. */
SURETY_API int64_t surety_val_int(surety_val val, int64_t otherwise);
SURETY_API uint64_t surety_val_uint(surety_val val, uint64_t otherwise);
SURETY_API double surety_val_real(surety_val val, double otherwise);
SURETY_API bool surety_val_is_integer(surety_val val);
/* A number's own text, "-1.50e3"; empty for other kinds. */
SURETY_API surety_str surety_val_number(surety_val val);

/* Items of an array, members of an object; 0 for other kinds. */
SURETY_API size_t surety_val_count(surety_val val);
/* for (v = surety_val_first(c); v.doc; v = surety_val_next(c, v)) walks an
 * array's items or an object's member values in text order. */
SURETY_API surety_val surety_val_first(surety_val container);
SURETY_API surety_val surety_val_next(surety_val container, surety_val child);
/* The key (a string) of a member value reached by the walk above or by
 * surety_val_member; undefined for an item. */
SURETY_API surety_val surety_val_key(surety_val member);
/* Linear in the position. SURETY_NONE where absent. */
SURETY_API surety_val surety_val_item(surety_val array, size_t i);
SURETY_API surety_val surety_val_member(surety_val object, surety_str key);
SURETY_API surety_val surety_val_get(surety_val object, const char *key);

/* JSON Pointer (RFC 6901): "" is val itself. SURETY_NONE where it leads
 * nowhere or is no pointer. */
SURETY_API surety_val surety_val_at(surety_val val, surety_str pointer);
/* Appends val's own JSON Pointer from the doc's root. For a key: its
 * member's. */
SURETY_API void surety_val_pointer(surety_val val, surety_buf *out);
/* Appends one reference token, "~" and "/" escaped, with a "/" before it. */
SURETY_API void surety_pointer_token(surety_buf *out, surety_str token);

/* Where val (a key too) stands in the text its doc was read from; line 0 where
 * it was built and has no place. Linear in the offset. */
SURETY_API surety_position surety_val_position(surety_val val);

/* Equality as JSON Schema defines it: numbers by mathematical value (1 and
 * 1.0 are equal), strings by code points, objects without order. Iterative. */
SURETY_API bool surety_val_equal(surety_val a, surety_val b);

/* ---- building --------------------------------------------------------- */

/* Makes doc empty and ready to be built. Values are then pushed in order; in
 * an object each is preceded by its key. The first failure is kept and told
 * by surety_build_end: SURETY_NOMEM, SURETY_LIMIT, or SURETY_MISUSE for calls
 * out of order. origin (may be NULL) is a doc whose values will be copied in;
 * it must outlive doc, and copies then keep their positions in its text. */
SURETY_API void surety_build_begin(surety_doc *doc, const surety_doc *origin);
SURETY_API void surety_build_object(surety_doc *doc);
SURETY_API void surety_build_array(surety_doc *doc);
SURETY_API void surety_build_close(surety_doc *doc);
SURETY_API void surety_build_key(surety_doc *doc, surety_str key);
SURETY_API void surety_build_name(surety_doc *doc, const char *key);
SURETY_API void surety_build_null(surety_doc *doc);
SURETY_API void surety_build_bool(surety_doc *doc, bool value);
SURETY_API void surety_build_int(surety_doc *doc, int64_t value);
SURETY_API void surety_build_uint(surety_doc *doc, uint64_t value);
/* The shortest text that reads back as value; not finite: SURETY_MISUSE. */
SURETY_API void surety_build_real(surety_doc *doc, double value);
/* text must be valid UTF-8, else SURETY_SYNTAX. */
SURETY_API void surety_build_str(surety_doc *doc, surety_str text);
/* A deep copy of a value of any doc; nothing is kept of that doc unless it is
 * the origin. The copied key of a member: use surety_build_key_of. */
SURETY_API void surety_build_val(surety_doc *doc, surety_val val);
SURETY_API void surety_build_key_of(surety_doc *doc, surety_val key);
SURETY_API surety_status surety_build_end(surety_doc *doc,
                                          surety_error *reterr);

/* Builds in out what patch, a JSON Patch (RFC 6902), makes of target: all of
 * its operations or none. out may be the doc of neither. SURETY_SYNTAX: it is
 * no patch, or an operation does not apply; message and path name it.
 * SURETY_LIMIT: more than 10,000 operations, or too much work. SURETY_NOMEM. */
SURETY_API surety_status surety_patch_apply(surety_val patch, surety_val target,
                                            surety_doc *out,
                                            surety_error *reterr);

/* ---- writing ---------------------------------------------------------- */

typedef enum surety_style {
    SURETY_STYLE_COMPACT = 0, /* no white space; numbers as they stood */
    SURETY_STYLE_PRETTY,      /* two spaces an indent, no newline at the end */
    SURETY_STYLE_CANONICAL    /* RFC 8785; SURETY_UNSUPPORTED for a number that
                               * no finite double stands for */
} surety_style;

/* Appends val as JSON, UTF-8, to out. The result is out->status, or the
 * SURETY_UNSUPPORTED said above. */
SURETY_API surety_status surety_val_write(surety_val val, surety_style style,
                                          surety_buf *out);
/* Appends text as a JSON string with its quotes; bytes that are not UTF-8
 * become U+FFFD, one for each maximal subpart. */
SURETY_API void surety_json_string(surety_buf *out, surety_str text);

/* Members of an object, for whoever writes one straight into a buffer. Each
 * appends the name as a JSON string, with the comma that is due before it (none
 * where out ends in "{"), and the value; behind surety_json_name the caller
 * appends it. The braces are the caller's. */
SURETY_API void surety_json_name(surety_buf *out, const char *name);
SURETY_API void surety_json_text(surety_buf *out, const char *name,
                                 surety_str text);
SURETY_API void surety_json_number(surety_buf *out, const char *name,
                                   uint64_t number);
SURETY_API void surety_json_bool(surety_buf *out, const char *name, bool value);
/* Rewrites the JSON text that out holds from start on so that a terminal does
 * nothing that stands in it: C1 controls, DEL, separators of lines, and
 * characters that turn or hide text become \uXXXX. The value is the same. */
SURETY_API void surety_json_shown(surety_buf *out, size_t start);
/* Compact; null where val is SURETY_NONE. */
SURETY_API void surety_json_value(surety_buf *out, const char *name,
                                  surety_val val);

#ifdef __cplusplus
}
#endif
#endif
