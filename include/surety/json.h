/* SPDX-License-Identifier: Apache-2.0 */
/* surety/json.h: JSON documents: one type, and the functions that read, walk,
 * compare, build and write it.
 *
 * A surety_doc owns a parsed JSON text. A surety_val refers to one value in it;
 * it is passed by value, needs no free, and is valid until the doc is changed
 * or freed. An absent value is SURETY_NONE, which every function here accepts.
 *
 *     surety_doc *doc = surety_doc_new(NULL);
 *     if (surety_doc_read(doc, surety_str_of("{\"a\":[1,2]}"), NULL, &err))
 *         ...
 *     root = surety_doc_root(doc);
 *     two = surety_val_int(surety_val_at(root, surety_str_of("/a/1")), 0);
 *
 * Threads: a doc is owned while it is filled (read or built); afterwards any
 * number of threads may use its values until it is changed again. */
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

/* Returns JSON Schema's name of a kind ("null", "boolean", ...); "none" for
 * NONE. */
SURETY_API const char *surety_kind_name(surety_kind kind);

/* ---- reading ---------------------------------------------------------- */

enum surety_read_flag {
    /* Refer to the caller's bytes instead of a copy; they must not change while
     * the doc is used. No bytes past the end are read. */
    SURETY_READ_BORROW = 1,
    /* A duplicate key is SURETY_SYNTAX. Without this flag the last member with
     * a key counts, as in ECMAScript, and surety_doc_duplicate lists the
     * others. */
    SURETY_READ_UNIQUE_KEYS = 2,
    /* Skip a UTF-8 byte order mark at the start (for files). Without this flag
     * it is SURETY_SYNTAX, as RFC 8259 section 8.1 allows. */
    SURETY_READ_SKIP_BOM = 4
};

typedef struct surety_read_options {
    size_t size; /* sizeof(surety_read_options) */
    unsigned flags;
    const surety_limits *limits; /* NULL: defaults */
} surety_read_options;

/* Makes an empty doc; surety_doc_free frees it. NULL: out of memory. */
SURETY_API surety_doc *surety_doc_new(const surety_alloc *alloc);
SURETY_API void surety_doc_free(surety_doc *doc); /* takes NULL */

/* Reads exactly one JSON text (RFC 8259), with only white space around it, into
 * doc. The former content of doc is discarded and its values become invalid,
 * also on failure. The memory is reused: once it is large enough, reading
 * allocates nothing. It takes 24 KiB of the caller's stack at most, and the doc
 * holds little besides 16 bytes for each value or key, and a copy of the text
 * if it does not borrow. Where the RFC leaves a choice: invalid UTF-8 and an
 * escape that is a lone surrogate are errors; numbers keep their text, so none
 * overflows; depth and lengths have limits. SURETY_SYNTAX or SURETY_LIMIT with
 * the position of the first byte that is not allowed; SURETY_NOMEM. */
SURETY_API surety_status surety_doc_read(surety_doc *doc, surety_str text,
                                         const surety_read_options *options,
                                         surety_error *reterr);

/* Copies text to out (text.len bytes; may be text's own bytes), and replaces
 * each byte of a comment by a space, except line ends. So JSON with comments
 * (both kinds of C) can be read as JSON, and every offset and line stays the
 * same. Comment marks inside strings are left alone. SURETY_SYNTAX: a comment
 * has no end (with its position). To show the column of a later error, count it
 * in the text with its comments, because a space is one code point and a byte
 * of a comment may not be. */
SURETY_API surety_status surety_json_uncomment(surety_str text, char *out,
                                               surety_error *reterr);

/* Returns the root value; SURETY_NONE if nothing was read or built. */
SURETY_API surety_val surety_doc_root(const surety_doc *doc);
/* Returns the text that was read: the doc's copy, or the borrowed bytes. */
SURETY_API surety_str surety_doc_text(const surety_doc *doc);
/* Duplicate keys: those of members that a later member of the same object
 * replaced, in text order. Gives the i-th such key, decoded, its position in
 * the doc's text, and that of the key that replaced it (line 0: none). Each may
 * be NULL. SURETY_END past the last; at most 64 are kept. */
SURETY_API surety_status surety_doc_duplicate(const surety_doc *doc, size_t i,
                                              surety_str *ret_key,
                                              surety_position *ret_position,
                                              surety_position *ret_again);

/* ---- reading a part, in chunks ------------------------------------------ */

/* Returns whether val is open, that is, has not ended: a container without its
 * closing bracket, a string without its closing quote, a number or literal that
 * may continue. */
SURETY_API bool surety_val_is_open(surety_val val);

/* Reads one JSON value from a text that arrives in chunks of any size; the
 * value so far can be read between chunks. Errors that models make (a trailing
 * comma, single quotes, a missing bracket) are repaired; docs/repair.md lists
 * them. What follows the value is ignored. The work for one byte depends
 * neither on the chunks nor on earlier bytes. The final doc does not depend on
 * the chunks. */
typedef struct surety_lenient surety_lenient;

/* NULL when out of memory. */
SURETY_API surety_lenient *surety_lenient_new(const surety_alloc *alloc);
SURETY_API void surety_lenient_free(surety_lenient *reader); /* takes NULL */
/* Begins to read a value into doc. The caller must not use doc until
 * surety_lenient_finish returns. limits NULL: defaults. */
SURETY_API surety_status surety_lenient_begin(surety_lenient *reader,
                                              surety_doc *doc,
                                              const surety_limits *limits,
                                              surety_error *reterr);
/* Reads the next bytes (copied). SURETY_OK: the value continues; SURETY_END: it
 * has ended, and further bytes are ignored. SURETY_SYNTAX: repairs cannot make
 * it JSON; SURETY_LIMIT; SURETY_NOMEM. After a failure, call
 * surety_lenient_begin again. */
SURETY_API surety_status surety_lenient_feed(surety_lenient *reader,
                                             surety_str bytes,
                                             surety_error *reterr);
/* Gives the value so far, valid until the next call on the reader; values that
 * have not ended are marked as open. A key without a value is left out. An open
 * object may list a duplicate key twice. A value that is complete in one
 * snapshot is the same in all later ones. SURETY_NONE if no value has begun.
 * SURETY_NOMEM, SURETY_LIMIT. */
SURETY_API surety_status surety_lenient_snapshot(surety_lenient *reader,
                                                 surety_val *ret_root,
                                                 surety_error *reterr);
/* Ends the text, and gives the offset where the value ends (ret_end may be
 * NULL). The caller may use the doc again. SURETY_END: the text is cut off
 * before the value ends; doc then has the part that is there, with open values
 * marked, and the error's path is that of the innermost open value. If only
 * closing brackets are missing after a complete value, they are added, and it
 * is SURETY_OK. Failures as surety_lenient_feed. */
SURETY_API surety_status surety_lenient_finish(surety_lenient *reader,
                                               size_t *ret_end,
                                               surety_error *reterr);

/* ---- values ----------------------------------------------------------- */

SURETY_API surety_kind surety_val_kind(surety_val val);
SURETY_API bool surety_val_bool(surety_val val, bool otherwise);
/* Returns the decoded bytes of a string or key (may contain NUL); empty for
 * other kinds. They belong to the doc. */
SURETY_API surety_str surety_val_str(surety_val val);
SURETY_API bool surety_val_is(surety_val val, const char *string);

/* Numbers are exact, because their text is kept. _int and _uint return
 * otherwise if the value is no integer of that range (1.0 and 1e2 are integers,
 * as in JSON Schema). _real returns the nearest double, ±HUGE_VAL if the number
 * is too large, and otherwise for other kinds. */
SURETY_API int64_t surety_val_int(surety_val val, int64_t otherwise);
SURETY_API uint64_t surety_val_uint(surety_val val, uint64_t otherwise);
SURETY_API double surety_val_real(surety_val val, double otherwise);
SURETY_API bool surety_val_is_integer(surety_val val);
/* Returns a number as it was written, "-1.50e3"; empty for other kinds. */
SURETY_API surety_str surety_val_number(surety_val val);

/* Returns the number of items or members; 0 for other kinds. */
SURETY_API size_t surety_val_count(surety_val val);
/* SURETY_EACH (v, c) { ... } walks an array's items or an object's member
 * values in text order; c is evaluated for each of them. */
SURETY_API surety_val surety_val_first(surety_val container);
SURETY_API surety_val surety_val_next(surety_val container, surety_val child);
#define SURETY_EACH(child, container)                                          \
    for (surety_val child = surety_val_first(container); child.doc;            \
         child = surety_val_next(container, child))
/* Returns the key (a string) of a member value that came from the walk above or
 * from surety_val_member; undefined for an item. */
SURETY_API surety_val surety_val_key(surety_val member);
/* Return an item or a member's value; SURETY_NONE if it is absent. Linear in
 * its index. */
SURETY_API surety_val surety_val_item(surety_val array, size_t i);
SURETY_API surety_val surety_val_member(surety_val object, surety_str key);
SURETY_API surety_val surety_val_get(surety_val object, const char *key);

/* Returns the value that a JSON Pointer (RFC 6901) gives from val; "" is val
 * itself. SURETY_NONE if there is no such value, or pointer is no JSON
 * Pointer. */
SURETY_API surety_val surety_val_at(surety_val val, surety_str pointer);
/* Appends the JSON Pointer of val from the doc's root. For a key: that of its
 * member. */
SURETY_API void surety_val_pointer(surety_val val, surety_buf *out);
/* Appends "/" and one reference token, with "~" and "/" escaped. */
SURETY_API void surety_pointer_token(surety_buf *out, surety_str token);

/* Returns the position of val (a value or a key) in the text from which its doc
 * was read; line 0 if val was built and has no position. Linear in the
 * offset. */
SURETY_API surety_position surety_val_position(surety_val val);
/* Returns the bytes of val in the text from which its doc was read, such as a
 * string with its quotes and escapes; empty if val was built. Valid as long as
 * that text. Linear in the value. */
SURETY_API surety_str surety_val_text(surety_val val);

/* Returns whether two values are equal as JSON Schema defines it: numbers by
 * mathematical value (1 and 1.0 are equal), strings by code points, objects
 * without order. Iterative. */
SURETY_API bool surety_val_equal(surety_val a, surety_val b);

/* ---- building --------------------------------------------------------- */

/* Empties doc and begins to build in it. Add values in order; in an object add
 * the key before each value. surety_build_end returns the first failure of all
 * calls: SURETY_NOMEM, SURETY_LIMIT, or SURETY_MISUSE for calls out of order.
 * origin (may be NULL) is a doc from which values will be copied; it must
 * outlive doc, and the copies keep their positions in its text. */
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
/* Adds the shortest number that reads back as value. Not finite:
 * SURETY_MISUSE. */
SURETY_API void surety_build_real(surety_doc *doc, double value);
/* text must be valid UTF-8, else SURETY_SYNTAX. */
SURETY_API void surety_build_str(surety_doc *doc, surety_str text);
/* Adds a deep copy of a value of any doc. doc keeps no reference to that other
 * doc unless it is the origin. To copy a member's key, use
 * surety_build_key_of. */
SURETY_API void surety_build_val(surety_doc *doc, surety_val val);
SURETY_API void surety_build_key_of(surety_doc *doc, surety_val key);
SURETY_API surety_status surety_build_end(surety_doc *doc,
                                          surety_error *reterr);

/* Applies patch, a JSON Patch (RFC 6902), to target and builds the result in
 * out: all operations apply, or the call fails. out must not be the doc of
 * either value. SURETY_SYNTAX: patch is no JSON Patch, or an operation does not
 * apply; message and path name it. SURETY_LIMIT: more than 10,000 operations,
 * or too much work. SURETY_NOMEM. */
SURETY_API surety_status surety_patch_apply(surety_val patch, surety_val target,
                                            surety_doc *out,
                                            surety_error *reterr);

/* ---- writing ---------------------------------------------------------- */

typedef enum surety_style {
    SURETY_STYLE_COMPACT = 0, /* no white space; numbers as they were written */
    SURETY_STYLE_PRETTY,      /* two spaces an indent, no newline at the end */
    SURETY_STYLE_CANONICAL    /* RFC 8785; SURETY_UNSUPPORTED for a number
                               * beyond the range of a double */
} surety_style;

/* Appends val as JSON, in UTF-8, to out. Returns out->status, or
 * SURETY_UNSUPPORTED as above. */
SURETY_API surety_status surety_val_write(surety_val val, surety_style style,
                                          surety_buf *out);
/* Appends text as a JSON string with its quotes; bytes that are not UTF-8
 * become U+FFFD, one for each maximal subpart. */
SURETY_API void surety_json_string(surety_buf *out, surety_str text);

/* These write the members of an object directly into a buffer. Each appends a
 * comma (unless out ends in "{"), the name as a JSON string, and the value;
 * after surety_json_name the caller appends the value. The caller writes the
 * braces. */
SURETY_API void surety_json_name(surety_buf *out, const char *name);
SURETY_API void surety_json_text(surety_buf *out, const char *name,
                                 surety_str text);
SURETY_API void surety_json_number(surety_buf *out, const char *name,
                                   uint64_t number);
SURETY_API void surety_json_bool(surety_buf *out, const char *name, bool value);
/* Makes the JSON text in out, from offset start on, safe to show on a terminal:
 * C1 control characters, DEL, line separators, and characters that reverse or
 * hide text become \uXXXX. The value stays the same. */
SURETY_API void surety_json_shown(surety_buf *out, size_t start);
/* Writes val in compact style; null for SURETY_NONE. */
SURETY_API void surety_json_value(surety_buf *out, const char *name,
                                  surety_val val);

#ifdef __cplusplus
}
#endif
#endif
