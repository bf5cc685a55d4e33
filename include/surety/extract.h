/* SPDX-License-Identifier: Apache-2.0 */
/* surety/extract.h: finds the JSON in a reply. A finder lists the candidates of
 * a reply in the order in which they are tried. It finds where each begins and
 * ends, but does not validate it, so a candidate need not be valid JSON. Linear
 * in the reply for every input.
 *
 * Threads: a finder is owned. */
#ifndef SURETY_EXTRACT_H
#define SURETY_EXTRACT_H

#include <surety/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place where a reply may have JSON. ORDER places (names in find.c). */
typedef enum surety_place {
    SURETY_PLACE_NONE = 0,
    SURETY_PLACE_NATIVE,    /* what the provider's API delivered; never text */
    SURETY_PLACE_WHOLE,     /* the trimmed reply is the JSON */
    SURETY_PLACE_FENCE,     /* a fenced block (CommonMark 0.31, 4.5) whose info
                             * string's first word is json, in any case */
    SURETY_PLACE_FENCE_ANY, /* any fenced block: those tagged json first, then
                             * untagged ones, then others */
    SURETY_PLACE_MARKER,    /* the next JSON value after the marker */
    SURETY_PLACE_EMBEDDED   /* objects and arrays within prose */
} surety_place;
#define SURETY_PLACES 6 /* places besides NONE */

/* "whole", "fence-any", ...; "none" for NONE. */
SURETY_API const char *surety_place_name(surety_place place);

/* A form other than JSON in which a model may write a value. ORDER forms (names
 * in find.c). docs/repair.md has what is read. */
typedef enum surety_form {
    SURETY_FORM_TOOL_CALL, /* the arguments of a call of a tool */
    SURETY_FORM_YAML,
    SURETY_FORM_TABLE, /* of Markdown */
    SURETY_FORM_CSV,
    SURETY_FORM_KEY_VALUE, /* a member a line */
    SURETY_FORM_XML        /* elements named as members */
} surety_form;
#define SURETY_FORMS 6

/* "tool-call", "key-value", ... */
SURETY_API const char *surety_form_name(surety_form form);

/* How to search. All zero: every place in the order above, the first candidate
 * of each first, reasoning sections skipped, no marker. */
typedef struct surety_extract {
    size_t size; /* sizeof(surety_extract) */
    surety_place from[SURETY_PLACES];
    size_t from_count;   /* 0: all, in the order of the enum */
    bool pick_last;      /* within a place, the last candidate is tried first */
    bool keep_reasoning; /* search reasoning sections (<think>...</think>, ...)
                          * too */
    surety_str marker;   /* text of the place marker; empty: that place has no
                          * candidates */
    unsigned forms_off;  /* bits 1u << surety_form: a judge that aligns does not
                          * read these forms. A finder reads none */
} surety_extract;

/* A stretch of a reply that may be the value. start and end are byte offsets in
 * the reply, without the white space around the JSON. The lines of a block that
 * is in a quotation or a list have markup that is not part of the JSON. Then
 * stripped is set, and text is a copy without the markup (owned by the finder,
 * valid until its next use); otherwise text refers to the reply's bytes. */
typedef struct surety_candidate {
    surety_place place;
    size_t start, end;
    surety_str text;
    bool stripped;
} surety_candidate;

typedef struct surety_finder surety_finder;

SURETY_API surety_finder *surety_finder_new(const surety_alloc *alloc);
SURETY_API void surety_finder_free(surety_finder *finder); /* takes NULL */

/* Finds the candidates of reply, in the order in which they are tried; those
 * after candidates_max are left out. how NULL: defaults. The reply must not
 * change while candidates are used. It need not be UTF-8. The finder ignores
 * the place native. SURETY_NOMEM; SURETY_LIMIT: the reply is longer than
 * text_bytes_max. */
SURETY_API surety_status surety_finder_find(surety_finder *finder,
                                            surety_str reply,
                                            const surety_extract *how,
                                            const surety_limits *limits,
                                            surety_error *reterr);
SURETY_API size_t surety_finder_count(const surety_finder *finder);
SURETY_API surety_candidate surety_finder_at(const surety_finder *finder,
                                             size_t i);
#ifdef __cplusplus
}
#endif
#endif
