/* SPDX-License-Identifier: Apache-2.0 */
/* The door of extract/: the public header, and the search step by step, for a
 * caller that takes the first candidate that is good and needs no more. */
#ifndef SURETY_EXTRACT_EXTRACT_H
#define SURETY_EXTRACT_EXTRACT_H

#include <surety/extract.h>

#include "base/base.h"
#include "json/json.h"

/* The place with that name; NONE: there is none. */
surety_place surety__place_of(surety_str name);

/* The form with that name; SURETY_FORMS: there is none. */
unsigned surety__form_named(surety_str name);

/* As surety_finder_find, but finds nothing yet: the two that follow do. */
surety_status surety__finder_begin(surety_finder *finder, surety_str reply,
                                   const surety_extract *how,
                                   const surety_limits *limits,
                                   surety_error *reterr);
/* Goes on to the next of the places to look at. SURETY_END: there is none.
 * SURETY_NOMEM ends the search. */
surety_status surety__finder_place(surety_finder *finder,
                                   surety_place *ret_place);
/* Finds the next candidate of the place, which is then the last one listed.
 * SURETY_END: it has no more; SURETY_NOMEM ends the search. Where JSON is read
 * to know where it ends, it is read into doc, which borrows the reply; doc may
 * be NULL. */
surety_status surety__finder_next(surety_finder *finder, surety_doc *doc);
/* Whether the value of the i-th candidate is in the doc that was given last. */
bool surety__finder_has_read(const surety_finder *finder, size_t i);

/* From now on no value in running text is looked for from start to end of the
 * reply. */
void surety__finder_skip(surety_finder *finder, size_t start, size_t end);

/* ---- regions (region.c) -------------------------------------------------- */

/* Where a tolerant reader may look: it begins at the first byte of text and may
 * read on to its end. What it is to read may be less than JSON, so where a
 * value ends is for the reader to say. */
typedef struct surety__region {
    surety_place place;
    unsigned group;  /* those of a lower one are preferred */
    size_t index;    /* for _origin */
    size_t start;    /* where the text starts in the reply */
    size_t wrapper;  /* bytes before start that wrap the value */
    size_t rest;     /* of rows: closing brackets behind them, in the text */
    surety_str text; /* good until the finder's next search */
    bool weak;       /* in running text: brackets of prose may start so */
    bool copied;     /* it is no part of the reply */
    bool last;       /* it ends where the reply does */
    size_t more;     /* bytes behind text into which a value may go on */
} surety__region;

/* What came of reading a region. */
typedef enum surety__reading {
    SURETY__READING_NONE,  /* nothing there can be read */
    SURETY__READING_VALUE, /* a value */
    SURETY__READING_CUT,   /* the text ended before the value did, */
    SURETY__READING_BEGUN  /* and all that has come of it is JSON */
} surety__reading;

/* Begins the search for the regions of a place, after surety__finder_begin. */
surety_status surety__region_begin(surety_finder *finder, surety_place place);
/* The next region, in the order of the reply; END: there is none, or the work
 * is used up; NOMEM. The caller has passed the last one to _read. */
surety_status surety__region_next(surety_finder *finder,
                                  surety__region *ret_region);
/* Takes what came of reading the last region, and how many bytes of its text,
 * or of what follows it, the value takes, or how far the reader came. True
 * where that is a candidate: a value that may be so in its place, or one cut
 * off by the reply's end. *ret_rest (may be NULL) is how many bytes of closing
 * brackets are left over behind a value, up to the last of them. */
bool surety__region_read(surety_finder *finder, surety__reading reading,
                         size_t used, size_t *ret_rest);
/* How many bytes of the last region are JSON that cannot be read. */
size_t surety__region_failed(const surety_finder *finder);
/* Whether more of the last region's value follows behind it: a reader that
 * closes a bracket may have closed it too early. */
bool surety__region_goes_on(const surety_finder *finder, size_t used);
/* Whether a comma at `at`, or behind closing brackets there, leads to more of
 * an object or array that is open: to a member, or in the end to a closing
 * bracket. */
bool surety__text_goes_on(surety_str text, size_t at);
/* Whether the place has more than one value, those that could not be read among
 * them. */
bool surety__region_several(const surety_finder *finder);
/* All values that were read in the place as the rows of one array, which is the
 * region's text; END: there are not two, one could not be read, or more is
 * between them than the place allows. */
surety_status surety__region_rows(surety_finder *finder,
                                  surety__region *ret_region);
/* Whether nothing but closing brackets, quotes, marks of fences and tags
 * follows from `at` on; *ret_brackets is where the last of the brackets ends,
 * or `at`.
 */
bool surety__text_over(surety_str text, size_t at, size_t *ret_brackets);
/* The first byte of text from `at` on that is no blank, one of Unicode's
 * included; text.len: there is none. */
size_t surety__text_ink(surety_str text, size_t at);
/* As surety__finder_origin, for a region. */
size_t surety__region_origin(const surety_finder *finder, size_t index,
                             size_t offset);
/* The reply as text, without reasoning and blanks around it; empty where
 * it has reasoning in its middle. */
surety_status surety__place_text(surety_finder *finder, surety_str *ret_text);

/* ---- passages (passage.c) ------------------------------------------------ */

/* Text in which a value may have another form than JSON. */
typedef struct surety__passage {
    surety_str text; /* good until the finder's next search */
    surety_str info; /* of a block: the first word of its info string */
    bool block;      /* it is all that a block holds */
} surety__passage;

/* Begins the search for the passages of the reply, without reasoning. through:
 * blocks of code do not end one; otherwise each is one by itself. OK or NOMEM.
 */
surety_status surety__passage_begin(surety_finder *finder, bool through);
/* The next passage, in the order of the reply. OK, END, NOMEM. */
surety_status surety__passage_next(surety_finder *finder,
                                   surety__passage *ret_passage);
/* The offset in the reply of a byte of the last passage, or of its end. */
size_t surety__passage_at(const surety_finder *finder, size_t at);
/* Bytes at to end of the last passage as a region. OK or NOMEM. */
surety_status surety__passage_region(surety_finder *finder, size_t at,
                                     size_t end, surety__region *ret_region);
/* The same for a text that was made of the passage. Its origins follow, in the
 * order of the text: its byte `made` is byte `at` of the passage. */
surety_status surety__passage_made(surety_finder *finder, surety_str text,
                                   surety__region *ret_region);
bool surety__passage_origin(surety_finder *finder, surety__region *region,
                            size_t made, size_t at);

/* What the first word of an info string names. */
enum surety__block_tag {
    BLOCK_JSON,
    BLOCK_PLAIN, /* nothing: there is no info string */
    BLOCK_OTHER
};

/* ---- a reply that has not ended (place.c) ------------------------------- */

/* Where values may begin in it: running text, or the content of a block. */
typedef struct surety__field {
    size_t at, stop; /* of the reply; it may go on behind what has come */
    bool block;
    size_t content; /* where the block's content starts */
    unsigned tag;   /* surety__block_tag */
    size_t loose;   /* all before is reasoning, whose opening tag never came */
} surety__field;

/* Takes what has come of the reply since surety__finder_begin; it begins with
 * what came before. Lenient: a fence may be indented as deep as a tolerant
 * reader takes it. *ret_same: all that is new goes on in the last field. OK or
 * NOMEM. */
surety_status surety__finder_extend(surety_finder *finder, surety_str reply,
                                    bool lenient, bool *ret_same);
/* The field with the byte at `at`, or the next one; false: nothing more is
 * known, and ret_field->at is how far. `at` goes back in a field only. */
bool surety__finder_field(surety_finder *finder, size_t at,
                          surety__field *ret_field);

/* Why there may be no candidate, or none that is valid; the first that
 * applies, in this order. */
typedef enum surety__obstacle {
    SURETY_OBSTACLE_NONE = 0,
    SURETY_OBSTACLE_EMPTY_REPLY,    /* nothing but white space */
    SURETY_OBSTACLE_REASONING_OPEN, /* reasoning that never ends: cut off */
    SURETY_OBSTACLE_FENCE_OPEN,     /* a block that is never closed: cut off */
    SURETY_OBSTACLE_FENCE_OTHER,    /* only blocks of another language */
    SURETY_OBSTACLE_VALUE_OPEN, /* an object or array never closed: cut off */
    SURETY_OBSTACLE_NO_MARKER,  /* the marker does not occur */
    SURETY_OBSTACLE_NO_JSON     /* nothing that looks like JSON */
} surety__obstacle;

/* The offset in the reply of the byte at offset of the i-th candidate's text
 * (offset == text.len gives the end). */
size_t surety__finder_origin(const surety_finder *finder, size_t i,
                             size_t offset);
/* The obstacle, and at which byte of the reply it is. */
surety__obstacle surety__finder_obstacle(const surety_finder *finder,
                                         size_t *ret_offset);

#endif
