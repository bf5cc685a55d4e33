/* SPDX-License-Identifier: Apache-2.0 */
/* surety/extract.h: where in a reply the JSON may stand. A finder lists the
 * candidates of a reply, best first; it measures spans and parses nothing, so
 * a candidate need not be valid JSON. Linear in the reply, whatever it holds.
 *
 * Threads: a finder is owned. */
#ifndef SURETY_EXTRACT_H
#define SURETY_EXTRACT_H

#include <surety/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place where JSON may stand in a reply. ORDER places (names in find.c). */
typedef enum surety_place {
    SURETY_PLACE_NONE = 0,
    SURETY_PLACE_NATIVE,    /* what the provider's API delivered; never text */
    SURETY_PLACE_WHOLE,     /* the trimmed reply is the JSON */
    SURETY_PLACE_FENCE,     /* a fenced block (CommonMark 0.31, 4.5) whose info
                             * string's first word is json, in any case */
    SURETY_PLACE_FENCE_ANY, /* any fenced block: json, then untagged, others */
    SURETY_PLACE_MARKER,    /* the next JSON value after the marker */
    SURETY_PLACE_EMBEDDED   /* objects and arrays standing in prose */
} surety_place;
#define SURETY_PLACES 6 /* places besides NONE */

/* "whole", "fence-any", ...; "none". And back; NONE for an unknown name. */
SURETY_API const char *surety_place_name(surety_place place);
SURETY_API surety_place surety_place_of(surety_str name);

/* How to look. All zero: every place in the order above, first candidate
 * first, reasoning skipped, no marker. */
typedef struct surety_extract {
    size_t size; /* sizeof(surety_extract) */
    surety_place from[SURETY_PLACES];
    size_t from_count;   /* 0: all, in the order of the enum */
    bool pick_last;      /* within a place, from the end of the reply */
    bool keep_reasoning; /* look inside <think>...</think> and its kin too */
    surety_str marker;   /* empty: the place marker has no candidates */
} surety_extract;

/* One span of a reply that may be the JSON. start and end are bytes of the
 * reply, white space around the JSON left out. A block may be quoted or in a
 * list: then its lines carry markup that is no part of the JSON, `stripped` is
 * set, and text is the cleaned copy (owned by the finder, good until its next
 * use); otherwise text is the reply's own bytes. */
typedef struct surety_candidate {
    surety_place place;
    size_t start, end;
    surety_str text;
    bool stripped;
} surety_candidate;

typedef struct surety_finder surety_finder;

SURETY_API surety_finder *surety_finder_new(const surety_alloc *alloc);
SURETY_API void surety_finder_free(surety_finder *finder); /* takes NULL */

/* Finds the candidates of reply in the order in which they are to be tried.
 * how NULL: defaults. The reply must stay as it is while candidates are used.
 * Bytes are not required to be UTF-8. SURETY_NOMEM; SURETY_LIMIT where the
 * reply is longer than text_bytes_max. More than candidates_max: the rest is
 * left out. The place native is no business of the finder's. */
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
