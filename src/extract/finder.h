/* SPDX-License-Identifier: Apache-2.0 */
/* Inside extract/: what a finder holds, and the steps of a search. One search
 * is a scan by lines (blocks and reasoning sections: block.c, reason.c), then
 * one pass for each place (place.c, over the values of value.c), whose
 * candidates find.c collects. A search may be made all at once or step by step.
 *
 * Invariants after the scan by lines:
 * 1. Nothing at or after `end` is looked at.
 * 2. Blocks and masks are in the order of the reply; none overlaps another.
 * 3. Offsets fit 32 bits: surety_limits_of keeps text_bytes_max below 4 GiB. */
#ifndef SURETY_EXTRACT_FINDER_H
#define SURETY_EXTRACT_FINDER_H

#include "extract/extract.h"

#define SURETY__NOWHERE SIZE_MAX
#define SURETY__NO_BLOCK UINT32_MAX
/* How often one pass may go over the text before it ends. Text that is meant
 * for a reader takes one or two; only hostile text takes more. */
#define SURETY__PASSES_MAX 8
/* And so many bytes at least, or a short text would have none to spare. */
#define SURETY__WORK_MIN 65536

/* Bytes start to end (exclusive) of the reply. */
typedef struct surety__span {
    uint32_t start, end;
} surety__span;

enum surety__block_tag { BLOCK_JSON, BLOCK_PLAIN, BLOCK_OTHER };

/* A closed fenced block: where its opening line starts, the first mark of the
 * opening fence, the content, and the end of the closing line. Where markup
 * precedes some line of the content, piece_count pieces (from piece on)
 * hold what is left. */
typedef struct surety__block {
    uint32_t line, fence;
    uint32_t content, content_end, close_end;
    uint32_t piece, piece_count;
    surety_str copy;  /* what is left, or no address: not asked for yet */
    uint32_t stretch; /* the copy's first */
    uint32_t tag;
} surety__block;

/* What a place offers: a span, or the content of a block. */
typedef struct surety__offer {
    surety__span span;
    uint32_t block; /* SURETY__NO_BLOCK: none */
} surety__offer;

/* Where a stretch of bytes starts in a copy and in the reply; it goes on to the
 * next one of the copy. */
typedef struct surety__stretch {
    uint32_t copy, reply;
} surety__stretch;

/* A text: the reply's own bytes, or bytes of a copy. */
typedef struct surety__slice {
    surety_str text;
    size_t origin;                   /* in the reply, of its own bytes */
    size_t skip;                     /* in the copy */
    uint32_t stretch, stretch_count; /* of the copy; none: the reply's own */
} surety__slice;

/* A candidate. */
typedef struct surety__found {
    surety_place place;
    surety__span span;
    surety__slice slice;
} surety__found;

/* A place in the reply that moves forward over its segments. */
typedef struct surety__walk {
    size_t pos, stop; /* what is left of the segment */
    size_t mask, block;
} surety__walk;

/* A pass over running text, for the values in it or behind markers: all of its
 * state, so that it can stop at a value and go on, or go back. */
typedef struct surety__pass {
    surety_place place;
    surety__walk walk; /* of markers only pos and mask */
    size_t work;       /* bytes gone over */
    size_t open;       /* the first value left open, or SURETY__NOWHERE */
    size_t offers;     /* made so far */
    bool nomem;        /* memory ran out: what was found does not count */
    /* What the markers so far led to: the last thing that was offered, the last
     * array or object among it, before what no search finds a value, and the
     * first value that the pass found open. */
    surety__span taken, value;
    size_t barren, aim_open;
    /* The next brace and the next square bracket at or after where they were
     * looked for from. */
    struct {
        size_t from, at;
    } marks[2];
    /* Where the last closing bracket before `to` ends. */
    struct {
        size_t to, at;
    } closing;
} surety__pass;

/* A fence as the search for regions sees it: closed or not, a line or many. */
typedef struct surety__fence {
    surety__span span;
    uint32_t block; /* the block it is, or SURETY__NO_BLOCK */
    uint32_t tag;
} surety__fence;

/* The next offset of each byte that an array or object may start with, so that
 * it is looked for once. All zero to begin with. */
#define SURETY__MARKS 3
typedef struct surety__marks {
    size_t next[SURETY__MARKS];
    bool known;
} surety__marks;

/* A stretch of text in which regions begin. */
typedef struct surety__region_field {
    surety__slice slice;
    size_t limit; /* of the reply: how far a value may go on past it */
    size_t at;    /* where the search goes on */
    surety__marks marks;
    size_t tail;   /* what a reading that finds nothing costs */
    bool measured; /* tail is known */
    unsigned group;
    bool fresh;  /* nothing has been looked for in it */
    bool whole;  /* all of it is the value */
    bool bare;   /* it may start with a value that is no container */
    bool single; /* one value is wanted of it */
    bool last;   /* it ends where the reply does */
} surety__region_field;

/* A region that was looked for. */
typedef struct surety__region_row {
    surety__slice slice;
    size_t used;    /* bytes of the value in it; 0: there was none */
    size_t rest;    /* and of closing brackets that are over behind it */
    size_t refused; /* bytes of what is JSON, but cannot be read */
    bool weak;
} surety__region_row;

/* A search for regions. */
typedef struct surety__region_search {
    surety_place place;
    surety__walk walk;
    size_t turn; /* fences or markers seen */
    size_t past; /* of the reply: values were read up to here */
    size_t work, work_max;
    surety__region_field field;
    bool in_field;
    size_t from;    /* of the field: where the last one's wrapper starts */
    bool exact;     /* the region is all that is left of its field */
    bool strong;    /* nothing but JSON starts so */
    bool stretched; /* it goes on past its field, */
    bool settled;   /* did, and does not end there, */
    bool again;     /* and is to be read again */
    bool field_last;
    size_t field_len; /* the field's, before it was stretched */
    bool apart;       /* something is between the values */
    bool broken;      /* one of the values could not be read */
    size_t first_row;
    size_t value_count;
    size_t strong_count; /* of them, those that cannot be prose */
} surety__region_search;

/* A growing array; rows are of one size. */
typedef struct surety__rows {
    void *ptr;
    size_t count, cap, size;
} surety__rows;

/* What the scan by lines found in the reply. */
typedef struct surety__layout {
    bool done;           /* it was scanned */
    size_t end;          /* nothing from here on is looked at */
    surety__rows blocks; /* surety__block */
    surety__rows masks;  /* surety__span: reasoning sections */
    surety__rows pieces; /* surety__span: what is left of marked-up lines */
    surety__rows fences; /* surety__fence */
    bool fenced;         /* fences have been looked for */
    /* Offsets of what never ends, or SURETY__NOWHERE. */
    size_t reasoning_open, fence_open;
} surety__layout;

/* The candidates so far. */
typedef struct surety__list {
    surety__rows found; /* surety__found */
    uint32_t *seen;     /* spans already listed: index in found, plus 1 */
    size_t seen_cap;    /* a power of two, or 0 */
    size_t turn;        /* of the places in how.from, those begun */
    bool full;          /* no more candidates are wanted */
} surety__list;

struct surety_finder {
    const surety_alloc *alloc;
    surety_limits limits;
    surety_str reply;
    surety_extract how;
    surety__span all; /* the reply without blanks around it */
    surety__layout layout;
    surety__list list;
    surety__rows stretches; /* surety__stretch: of the copies */
    surety__arena copies;   /* texts that are no part of the reply */
    surety_doc *doc;     /* the caller's, who asks for one candidate after the
                          * other; or own */
    surety_doc *own;     /* where values are read that no caller takes */
    bool lazy;           /* doc is the caller's */
    bool has_read;       /* the last candidate's value is in doc */
    surety__rows offers; /* surety__offer: of the place being looked at */
    surety__pass pass;
    bool passing;      /* pass is under way */
    surety__span skip; /* values in running text are not looked for here */
    size_t value_open; /* the first value left open, or SURETY__NOWHERE */
    bool marker_seen;
    surety__obstacle obstacle;
    size_t obstacle_at;
    surety__rows regions; /* surety__region_row */
    surety__region_search search;
    size_t work; /* bytes all passes have gone over */
};

static inline surety__block *surety__block_at(const surety_finder *finder,
                                              size_t i)
{
    assert(i < finder->layout.blocks.count);
    return (surety__block *)finder->layout.blocks.ptr + i;
}

static inline surety__span *surety__mask_at(const surety_finder *finder,
                                            size_t i)
{
    assert(i < finder->layout.masks.count);
    return (surety__span *)finder->layout.masks.ptr + i;
}

static inline surety__span *surety__piece_at(const surety_finder *finder,
                                             size_t i)
{
    assert(i < finder->layout.pieces.count);
    return (surety__span *)finder->layout.pieces.ptr + i;
}

/* What is left of the reply without reasoning at its start and end. (find.c) */
surety__span surety__finder_whole(const surety_finder *finder);
/* Whether a place is one of those to look at. (find.c) */
bool surety__finder_lists(const surety_finder *finder, surety_place place);
/* The scan by lines, once. OK or NOMEM. (find.c) */
surety_status surety__finder_scan(surety_finder *finder);
/* A new row at the end, not filled in; NULL when out of memory. */
static inline void *surety__rows_add(const surety_finder *finder,
                                     surety__rows *rows)
{
    if (surety__grow(finder->alloc, &rows->ptr, &rows->cap, rows->count + 1,
                     rows->size, SIZE_MAX / rows->size) != SURETY_OK)
        return NULL;
    return (char *)rows->ptr + rows->count++ * rows->size;
}

/* Space or tab. */
static inline bool surety__is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* White space of JSON (RFC 8259, section 2). */
static inline bool surety__is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* ---- block.c ----------------------------------------------------------- */

/* Finds the blocks and reasoning sections of the reply; sets end,
 * reasoning_open and fence_open. OK or NOMEM. */
surety_status surety__block_scan(surety_finder *finder);

/* ---- slice.c ------------------------------------------------------------ */

/* The content of a block that has pieces, without its markup. OK or NOMEM. */
surety_status surety__slice_block(surety_finder *finder, size_t i,
                                  surety__slice *ret_slice);
/* The offset in the reply of a byte of a slice, and (may be NULL) how many
 * bytes of the slice follow it there. The slice's end is behind its last byte.
 */
size_t surety__slice_origin(const surety_finder *finder,
                            const surety__slice *slice, size_t offset,
                            size_t *ret_len);
/* Notes that the bytes of the last copy from `copy` on are the reply's. False:
 * out of memory. */
bool surety__slice_stretch(surety_finder *finder, size_t copy, size_t reply);

/* What follows the first len bytes of a slice. */
static inline void surety__slice_skip(surety__slice *slice, size_t len)
{
    assert(len <= slice->text.len);
    slice->text.ptr += len;
    slice->text.len -= len;
    slice->origin += len;
    slice->skip += len;
}

/* ---- value.c ----------------------------------------------------------- */

/* The next array or object that starts in [from, to) and ends there, or what
 * comes closest to one. Sets pass.open where a value stays open. False: there
 * is none. Where the caller gave a document, a value that is JSON is read into
 * it, which has_read says. Otherwise it allocates nothing. */
bool surety__value_next(surety_finder *finder, size_t from, size_t to,
                        surety__span *ret_span);
/* Where the string with its opening quote at `at` ends (behind the closing
 * quote); SURETY__NOWHERE: not before `to`. */
size_t surety__value_string(const char *text, size_t at, size_t to);

/* ---- fence.c ------------------------------------------------------------ */

/* Collects the fences of the reply, once. OK or NOMEM. */
surety_status surety__fence_gather(surety_finder *finder);

/* ---- start.c ------------------------------------------------------------ */

/* The span without the blanks around it; of blanks alone, its start. */
surety__span surety__trim(surety_str text, surety__span span);

/* What may start at a byte. */
enum surety__start {
    START_NONE,   /* prose */
    START_WEAK,   /* a value, or prose in brackets */
    START_STRONG, /* a value, or one cut off */
    START_SCALAR  /* what is no container; only where that was to be expected */
};
enum surety__start surety__start_at(surety_str text, size_t at);
/* The next array or object that may start at `at` or later; text.len: none. */
size_t surety__start_next(surety_str text, size_t at, surety__marks *marks,
                          enum surety__start *ret_start);
/* Whether what starts at `at` is JSON, however broken, and no prose in
 * brackets: an object with a key and its colon, or with a quoted key and the
 * start of a value behind it; an array whose first item is quoted text with a
 * comma, colon or bracket behind it, or such an object or array; an array in an
 * array that begins so with a number or literal. */
bool surety__start_is_json(surety_str text, size_t at);
/* Whether a comment begins at `at`. */
bool surety__start_comment(surety_str text, size_t at);
/* Where the brackets that open at `at` close again. Up to `read` a reader came:
 * before it the strings are what they seem to be. False: they do not close, and
 * *ret_end is the end. */
bool surety__start_closes(surety_str text, size_t at, size_t read,
                          size_t *ret_end);
/* What belongs to brackets that close before `end`, too: where a comma or
 * another closing bracket follows, or another opening one at once. */
size_t surety__start_extend(surety_str text, size_t end);
/* Whether a comma at `at`, or behind closing brackets there, leads to more of
 * an object or array that is open: to a member, or in the end to a closing
 * bracket.
 */
bool surety__start_goes_on(surety_str text, size_t at);
/* Where what wraps a value at `at` ends: labels, tags, assignments, calls;
 * `at` where nothing does. */
size_t surety__start_unwrap(surety_str text, size_t at);

/* ---- place.c ----------------------------------------------------------- */

/* Begins a pass for the place marker or embedded. */
void surety__place_begin(surety_finder *finder, surety_place place);
/* The next marker outside of reasoning, from the walk's pos on, which is then
 * behind it; *ret_at: where it starts. */
bool surety__place_marker(const surety_finder *finder, surety__walk *walk,
                          size_t *ret_at);
/* Makes pos and stop those of the segment that goes on at pos, or else of the
 * next one. False: there is none. pos may have moved forward only. */
bool surety__place_segment(const surety_finder *finder, surety__walk *walk);
/* What the pass finds next, in the order of the reply; false: nothing more. */
bool surety__place_next(surety_finder *finder, surety__offer *ret_offer);

#endif
