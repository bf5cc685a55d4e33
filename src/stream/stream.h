/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the stream share: stream.c feeds the reader and sets
 * the state, search.c finds where values begin, runaway.c notices a reply that
 * repeats itself. */
#ifndef SURETY_STREAM_STREAM_H
#define SURETY_STREAM_STREAM_H

#include <surety/stream.h>

#include "reply/reply.h"
#include "schema/schema.h"
#include "extract/extract.h"

/* How far the search for values is. */
struct stream_search {
    size_t at;    /* the next byte to be looked at */
    size_t loose; /* all before is reasoning without an opening tag */
    size_t block; /* where the content of the last block starts */
    bool fresh;   /* nothing but blanks came in that block */
    bool blank;   /* nothing but blanks and reasoning came before */
    bool behind;  /* a value has ended, and nothing has followed it */
    bool armed;   /* behind a marker, */
    bool bare;    /* and nothing but blanks has followed it */
    size_t again; /* bytes that were gone over again */
};

struct stream_runaway {
    size_t at;      /* bytes before were looked at for white space */
    size_t blanks;  /* white space in a row, up to there */
    bool quoted;    /* in a string of the value at hand */
    bool escaped;   /* behind a backslash in it */
    size_t next;    /* bytes before were looked at for repetition */
    size_t period;  /* of the run at hand; 0: there is none */
    size_t start;   /* where the run began */
    size_t allowed; /* bytes it may have before it is looked at again */
    size_t windows; /* the next end of a window */
};

/* What is asked for; it does not change while the reply comes. */
struct stream_task {
    const surety_contract *contract; /* NULL: nothing has been begun */
    surety_judge_options how;
    surety_extract extract;
    surety_repair repair;
    unsigned places; /* bits of surety_place */
    bool native;
};

/* The value at hand. */
struct stream_value {
    bool reading;  /* the reader has it */
    bool complete; /* it has ended, and nothing speaks against it */
    bool first;    /* nothing but white space and reasoning came before */
    bool block;    /* it is in a block that is asked for */
    size_t start;  /* in the reply */
};

struct surety_stream {
    const surety_alloc *alloc;
    surety_limits limits;
    surety_judge *judge; /* made for the first outcome; NULL before */
    surety_lenient *reader;
    surety_doc *doc;
    surety__prefix *prefix;
    surety_finder *finder;
    struct stream_task task;
    surety_buf reply;
    bool finished;
    size_t begun; /* values that have begun, in all replies */
    struct stream_search search;
    struct stream_runaway runaway;
    struct stream_value current;
    surety_stream_info info;
    surety_buf text;      /* of the finding */
    surety_position walk; /* where the last position was counted to */
    surety_items *items;  /* that are looked for as it comes; NULL: none */
};

/* The bytes that came. */
static inline surety_str surety__stream_text(const surety_stream *stream)
{
    return surety_buf_str(&stream->reply);
}

/* Whether nothing more is to be looked at. */
static inline bool surety__stream_is_over(const surety_stream *stream)
{
    return stream->info.state >= SURETY_STREAM_NO;
}

/* ---- stream.c ------------------------------------------------------------ */

/* A value begins at offset `at` of the reply. */
surety_status surety__stream_start(surety_stream *stream, size_t at,
                                   surety_error *reterr);
/* Gives the reader the bytes up to `to`. *ret_end: the value has ended, or was
 * refused, and the search goes on from search.at; else that is `to`. */
surety_status surety__stream_read(surety_stream *stream, size_t to,
                                  bool *ret_end, surety_error *reterr);
/* Looks at what there is of the value at hand. */
surety_status surety__stream_show(surety_stream *stream, surety_error *reterr);
/* Gives the value at hand up. */
void surety__stream_drop(surety_stream *stream);
/* The text at offset is no JSON, where JSON should be; of no account where text
 * is repaired. OK, NOMEM. */
surety_status surety__stream_refuse(surety_stream *stream, surety_str message,
                                    surety_str hint, size_t offset);
/* The reply may become valid again: no finding. */
void surety__stream_reopen(surety_stream *stream);
/* Sets state and finding; the texts are copied. OK, NOMEM. */
surety_status surety__stream_say(surety_stream *stream,
                                 surety_stream_state state,
                                 const surety_issue *issue, size_t offset,
                                 size_t length);
/* Whether nothing but the value at hand can be the reply's. */
bool surety__stream_is_sole(const surety_stream *stream);

/* ---- search.c ----------------------------------------------------- */

/* Looks at the bytes that are new. */
surety_status surety__stream_search(surety_stream *stream,
                                    surety_error *reterr);

/* Where to search on in the bytes from `at` to `fed`, which were read already:
 * there, if that is in proportion. */
size_t surety__search_again(surety_stream *stream, size_t at, size_t fed);

/* ---- runaway.c ---------------------------------------------------- */

/* Counts white space in the bytes up to `to`, of the current value or
 * outside of every value. */
surety_status surety__runaway_blanks(surety_stream *stream, size_t to);
/* Follows repetition in the bytes up to `to`, as far as a run may go on
 * unasked; how far that is. */
size_t surety__runaway_follow(surety_stream *stream, size_t to);
/* Where a run may not, all before was read: is it data? */
surety_status surety__runaway_ask(surety_stream *stream);

/* ---- items.c ------------------------------------------------------ */

/* How many of the next bytes are read together; whether elements are looked for
 * behind them. */
bool surety__items_cut(surety_str bytes, size_t *ret_len);
/* Keeps the elements that are new in the value at hand. OK, NOMEM. */
surety_status surety__items_look(surety_items *items);
/* Parts a stream (NULL: none) and its items. */
void surety__items_leave(surety_stream *stream);
/* How many children the items looked at; linear in the values. */
size_t surety__items_work(const surety_items *items);

#endif
