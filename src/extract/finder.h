/* SPDX-License-Identifier: Apache-2.0 */
/* Inside extract/: what a finder holds, and the steps of a search. One search
 * is a scan by lines (blocks and reasoning sections: block.c, reason.c), then a
 * scan of each place (place.c). The strict reader (value.c) makes candidates of
 * it, which find.c lists; where none is valid, the tolerant reader goes over
 * the same place again (region.c).
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
/* How often a strict scan may go over the text before it ends. Text that is
 * meant for a reader takes one or two; only hostile text takes more. */
#define SURETY__PASSES_MAX 8
/* And so many bytes at least, or a short text would have none to spare. */
#define SURETY__WORK_MIN 65536

/* Bytes start to end (exclusive) of the reply. */
typedef struct surety__span {
    uint32_t start, end;
} surety__span;

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

/* A position in the reply that moves forward over its segments. */
typedef struct surety__walk {
    size_t pos, stop; /* what is left of the segment */
    size_t mask, block;
} surety__walk;

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

/* A stretch of text in which values begin: the whole reply, a fence's content,
 * running text, or what follows a marker. */
typedef struct surety__scan_field {
    surety__slice slice;
    size_t at;    /* where the scan goes on */
    size_t stop;  /* no value starts from here on */
    size_t limit; /* of the reply: how far a value may go on past it */
    surety__marks marks;
    unsigned group;
    bool fresh;  /* nothing has been looked for in it */
    bool whole;  /* all of it is the value */
    bool bare;   /* it may start with a value that is no container */
    bool block;  /* it is all that a block holds */
    bool single; /* one value is wanted of it */
    bool last;   /* it ends where the reply does */
} surety__scan_field;

/* The scan of one place, which is made for the strict reader first, and for the
 * tolerant one where no value was valid. It gives fields, and in each the bytes
 * at which a value may start; the reader says how far to go on. */
typedef struct surety__place_scan {
    surety_place place;
    surety__walk walk;
    size_t turn; /* fences seen */
    size_t past; /* of the reply: values were read up to here */
    size_t work, work_max;
    surety__scan_field field;
    bool begun;             /* a field was looked for, */
    bool in_field;          /* and there is one */
    size_t open;            /* the first value left open, or SURETY__NOWHERE */
    surety__walk ahead;     /* behind the marker that follows, */
    size_t next;            /* which starts here, or at the end */
    size_t aim;             /* behind the marker at hand */
    bool bare;              /* nothing but blanks has followed it */
    const char *closing;    /* where the last bracket that closes ends, */
    const char *closing_to; /* in the text up to here */
    surety__slice passage;  /* the last one (passage.c) */
    bool through;           /* passages are those that go through blocks */
} surety__place_scan;

/* A region that was looked for. */
typedef struct surety__region_row {
    surety__slice slice;
    size_t used;    /* bytes of the value in it; 0: there was none */
    size_t rest;    /* and of closing brackets that are over behind it */
    size_t refused; /* bytes of what is JSON, but cannot be read */
    bool weak;
} surety__region_row;

/* What the tolerant reader found in a place. */
typedef struct surety__region_search {
    size_t from; /* of the field: where the last one's wrapper starts */
    size_t more; /* bytes behind the field into which a value may go on */
    bool exact;  /* the region is all that is left of its field */
    bool strong; /* nothing but JSON starts so */
    bool apart;  /* something is between the values */
    bool broken; /* one of the values could not be read */
    size_t first_row;
    size_t value_count;
    size_t strong_count; /* of them, those that cannot be prose */
} surety__region_search;

/* A growing array; rows are of one size. */
typedef struct surety__rows {
    void *ptr;
    size_t count, cap, size;
} surety__rows;

enum { SURETY__FENCE_MIN = 3 };

/* A line that opens or closes a block (CommonMark 0.31, 4.5). */
typedef struct surety__fence_line {
    char mark;
    size_t count;
    enum surety__block_tag tag;
} surety__fence_line;

#define SURETY__CONTAINERS_MAX 32

/* A container that is open: what a line needs to stay in it. */
typedef struct surety__container {
    bool quote;
    size_t width; /* columns of indentation, of a list item */
} surety__container;

/* Of a reply of which more may come. */
typedef struct surety__coming {
    bool open;    /* it is such a one */
    bool lenient; /* its fences may be indented as deep as they are */
    bool late;    /* the last line is long, and looked at when it has ended */
    bool waits;   /* what the last line is must come yet: */
    size_t known; /* then nothing is known from here on */
} surety__coming;

/* The scan by lines. */
typedef struct surety__lines {
    surety_finder *finder;
    surety_str text;
    /* The next LF, CR and double quote, or past the end. */
    size_t lf, cr, quote;
    /* The current line: where it starts, ends, and where the next starts. */
    size_t line, stop, next;
    /* How far it has been read, and its next byte that is no blank. */
    size_t pos, column;
    size_t ink, ink_column;
    surety__container open[SURETY__CONTAINERS_MAX];
    size_t open_count;
    bool paragraph; /* the line before was text */
    bool ruled;     /* the line was looked at for a thematic break */
    bool fenced;    /* in a block, the last one */
    surety__fence_line opening;
    size_t mark_indent;
    bool in_list;
    unsigned loose; /* kinds of reasoning opened in the middle of a line */
    size_t from;    /* of open reasoning: its end is looked for from here on, */
    unsigned kind;  /* which is of this kind */
    surety__coming comes;
} surety__lines;

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
    size_t loose_end; /* of reasoning without an opening tag, or 0 */
} surety__layout;

/* The candidates so far. */
typedef struct surety__list {
    surety__rows found; /* surety__found */
    uint32_t *seen;     /* spans already listed: index in found, plus 1 */
    size_t seen_cap;    /* a power of two, or 0 */
    bool full;          /* no more candidates are wanted */
} surety__list;

struct surety_finder {
    const surety_alloc *alloc;
    surety_limits limits;
    surety_str reply;
    surety_extract how;
    surety__span all; /* the reply without blanks around it */
    surety__lines lines;
    surety__layout layout;
    surety__list list;
    surety__rows stretches; /* surety__stretch: of the copies */
    surety__arena copies;   /* texts that are no part of the reply */
    surety_doc *doc;        /* where values are read: the caller's, or own */
    surety_doc *own;
    bool has_read;           /* the last candidate's value is in doc */
    size_t turn;             /* of the places in how.from, those begun */
    surety__place_scan scan; /* of the place at hand */
    surety__rows
        offers;        /* surety__slice: its values, where the last is first */
    bool collected;    /* offers has them */
    surety__span skip; /* values in running text are not looked for here */
    size_t value_open; /* the first value left open, or SURETY__NOWHERE */
    bool marker_seen;
    surety__obstacle obstacle;
    size_t obstacle_at;
    surety__rows regions; /* surety__region_row */
    surety__region_search search;
    size_t work; /* bytes all scans have gone over */
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

/* Whether a place is one of those to look at. (find.c) */
bool surety__finder_lists(const surety_finder *finder, surety_place place);
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
/* The same for a reply that comes, in steps: before the first, */
void surety__block_begin(surety_finder *finder);
/* and with what has come, from the byte `from` on. Then end is how far it is
 * known: a line that may yet be a fence is not, and an open block ends there.
 * *ret_same: what came is all of the field at hand, and its lines are looked at
 * later. OK or NOMEM. */
surety_status surety__block_extend(surety_finder *finder, size_t from,
                                   bool *ret_same);

/* ---- slice.c ------------------------------------------------------------ */

/* The content of a block, without its markup. OK or NOMEM. */
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

/* Bytes start to end of the reply. */
static inline surety__slice surety__slice_own(const surety_finder *finder,
                                              size_t start, size_t end)
{
    assert(start <= end && end <= finder->reply.len);
    return (surety__slice){.text = {finder->reply.ptr + start, end - start},
                           .origin = start};
}

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

/* The next array or object of the scan's field, or what comes closest to one.
 * Sets scan.open where a value stays open. What is JSON is read into doc, which
 * has_read says. OK, END, NOMEM. */
surety_status surety__value_next(surety_finder *finder,
                                 surety__slice *ret_slice);
/* Where the string with its opening quote at `at` ends (behind the closing
 * quote); SURETY__NOWHERE: not before `to`. */
size_t surety__value_string(const char *text, size_t at, size_t to);

/* ---- fence.c ------------------------------------------------------------ */

/* Whether a fence may begin with byte. */
static inline bool surety__fence_may_begin(char byte)
{
    return byte == '`' || byte == '~';
}
/* How many of the same mark text begins with. */
size_t surety__fence_marks(surety_str text);
/* Whether a line is a fence; it comes without its end and without what is
 * before its marks. */
bool surety__fence_read(surety_str line, surety__fence_line *ret_fence);
/* Whether a fence closes the block that another opened. */
static inline bool surety__fence_closes(const surety__fence_line *fence,
                                        const surety__fence_line *open)
{
    return fence->mark == open->mark && fence->count >= open->count &&
           fence->tag == BLOCK_PLAIN;
}
/* Whether nothing but the markup of containers precedes `at` in its line. */
bool surety__fence_begins(const char *ptr, size_t at);
/* Collects the fences of the reply, once. OK or NOMEM. */
surety_status surety__fence_gather(surety_finder *finder);

/* ---- reason.c ---------------------------------------------------------- */

/* The length of the tag at `at` that opens a reasoning section, and which kind
 * it is; 0: there is none. *ret_cut: bytes behind the text may make one. */
size_t surety__reason_opens(surety_str text, size_t at, unsigned *ret_kind,
                            bool *ret_cut);
/* The length of the closing tag at `at`, and its kind; 0: none. */
size_t surety__reason_closes(surety_str text, size_t at, unsigned *ret_kind,
                             bool *ret_cut);
/* The most bytes of a closing tag. */
enum { SURETY__REASON_CLOSE_MAX = 16 };
/* Where the first closing tag of kind from `from` on ends; SURETY__NOWHERE:
 * there is none. */
size_t surety__reason_end(surety_str text, size_t from, unsigned kind);

/* ---- start.c ------------------------------------------------------------ */

/* The span without the blanks around it; of blanks alone, its start. */
surety__span surety__trim(surety_str text, surety__span span);

/* What may start at a byte. */
enum surety__start_kind {
    START_NONE,   /* prose */
    START_WEAK,   /* a value, or prose in brackets */
    START_STRONG, /* a value, or one cut off */
    START_SCALAR  /* what is no container; only where that was to be expected */
};
enum surety__start_kind surety__start_at(surety_str text, size_t at);
/* The next array or object that may start in [at, stop); stop: none. */
size_t surety__start_next(surety_str text, size_t at, size_t stop,
                          surety__marks *marks,
                          enum surety__start_kind *ret_start);
/* Whether what starts at `at` is JSON, however broken, and no prose in
 * brackets: an object with a key and its colon, or with a quoted key and the
 * start of a value behind it; an array whose first item is quoted text with a
 * comma, colon or bracket behind it, or such an object or array; an array in an
 * array that begins so with a number or literal. */
bool surety__start_is_json(surety_str text, size_t at);
/* START_SCALAR where comments and a scalar are at `at`, else START_NONE. */
enum surety__start_kind surety__start_commented(surety_str text, size_t at);
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
/* Where what wraps a value at `at` ends: labels, tags, assignments, calls;
 * `at` where nothing does. */
size_t surety__start_unwrap(surety_str text, size_t at);

/* ---- place.c ------------------------------------------------------------- */

/* The scan by lines, once. OK or NOMEM. */
surety_status surety__place_layout(surety_finder *finder);
/* What is left of the reply without reasoning at its start and end. */
surety__span surety__place_whole(const surety_finder *finder);
/* Begins the scan of a place that may go over the reply so often. */
void surety__place_begin(surety_finder *finder, surety_place place,
                         size_t passes);
/* Opens the next field of the place. OK, NOMEM, END: there is none, or the work
 * is used up. */
surety_status surety__place_field(surety_finder *finder);
/* How far a text that ends as the field does goes up to its last closing
 * bracket; 0: it has none. */
size_t surety__place_closing(surety__place_scan *scan, surety_str text);
/* A value of the field was taken that ends at `end` of its text. */
void surety__place_take(surety_finder *finder, size_t end);

#endif
