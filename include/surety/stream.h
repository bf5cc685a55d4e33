/* SPDX-License-Identifier: Apache-2.0 */
/* surety/stream.h: reads a reply while it arrives: gives the value so far, and
 * detects as early as possible that the reply cannot satisfy its contract.
 *
 *     surety_stream_begin(stream, contract, NULL, false, &err);
 *     while (more(&chunk)) {
 *         surety_stream_feed(stream, chunk, &err);
 *         if (surety_stream_info_of(stream)->state == SURETY_STREAM_NO)
 *             break;
 *         show(surety_stream_info_of(stream)->value);
 *     }
 *     surety_stream_finish(stream, NULL, &outcome, &err);
 *
 * The outcome is always that of surety_judge_reply for the whole reply; it does
 * not depend on the chunks. Linear in the reply.
 *
 * Threads: a stream is owned. */
#ifndef SURETY_STREAM_H
#define SURETY_STREAM_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/json.h>
#include <surety/reply.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct surety_stream surety_stream;

/* What is known about a reply so far. ORDER states (names in
 * stream.c). */
typedef enum surety_stream_state {
    SURETY_STREAM_OPEN = 0, /* the reply may still become valid */
    /* No continuation of the current value satisfies the contract, but because
     * of the contract's places, or because of repairs, another value may follow
     * it. A reply that must be JSON as a whole but begins with prose has this
     * state too: the prose may be reasoning whose opening tag was part of the
     * prompt. */
    SURETY_STREAM_REFUTED,
    /* No continuation of the reply satisfies the contract. (Two rare cases are
     * ignored: a later duplicate of a wrong member would replace it, and
     * reasoning without its opening tag may begin with a bracket.) */
    SURETY_STREAM_NO,
    /* The reply repeats white space or one text beyond blank_run_max or
     * repeat_run_max; for array items that may be valid, beyond
     * repeat_data_max. */
    SURETY_STREAM_RUNAWAY
} surety_stream_state;
/* "open", "refuted", "no", "runaway". */
SURETY_API const char *surety_stream_state_name(surety_stream_state state);

/* NULL when out of memory. */
SURETY_API surety_stream *surety_stream_new(const surety_alloc *alloc,
                                            const surety_limits *limits);
SURETY_API void surety_stream_free(surety_stream *stream); /* takes NULL */

/* Begins a reply. The contract must outlive the reply's outcome. options: how
 * the complete reply is judged, and in which places the value is searched while
 * the reply arrives; NULL: defaults; its native is not used. native: the text
 * is the structured value from the provider's API (the place native): one JSON
 * text and nothing else. */
SURETY_API surety_status surety_stream_begin(
    surety_stream *stream, const surety_contract *contract,
    const surety_judge_options *options, bool native, surety_error *reterr);
/* Reads the next bytes (copied). A bad reply is no error. SURETY_LIMIT: the
 * reply is longer than text_bytes_max; SURETY_NOMEM. */
SURETY_API surety_status surety_stream_feed(surety_stream *stream,
                                            surety_str bytes,
                                            surety_error *reterr);
/* The reply so far. It belongs to the stream, which changes it; its texts and
 * its value are valid until the next call. */
typedef struct surety_stream_info {
    size_t size;               /* sizeof(surety_stream_info) of the library */
    surety_stream_state state; /* NO and RUNAWAY are final */
    /* The reason for a state other than OPEN; for OPEN all texts are empty. The
     * keyword is one of the schema, "json_parse" or "runaway". */
    surety_issue finding;
    /* The current value so far; surety_val_is_open says for each value in it
     * whether it has not ended. SURETY_NONE if no value has begun. */
    surety_val value;
    surety_str reply; /* all bytes so far */
} surety_stream_info;
SURETY_API const surety_stream_info *
surety_stream_info_of(const surety_stream *stream);
/* Judges the reply by the options end; NULL: by those of
 * surety_stream_begin. end may add that the provider cut the reply off. The
 * outcome belongs to the stream and is valid until the next begin. Statuses of
 * surety_judge_reply; after MORE call it again. */
SURETY_API surety_status
surety_stream_finish(surety_stream *stream, const surety_judge_options *end,
                     const surety_outcome **ret_outcome, surety_error *reterr);

/* ---- the elements of an array -------------------------------------------- */

/* Gives the elements of one array of a contract's values as JSON text, each as
 * soon as the comma or the closing bracket at its end has come and it is valid
 * on its own, once and in order, with its defaults and without unknown members,
 * as it is in the value of the whole reply:
 *
 *     surety_items_begin(items, stream);
 *     after each surety_stream_feed:
 *         while (surety_items_next(items, &item, &err) == SURETY_OK)
 *             use(item.text);
 *     after the outcome is ok:
 *         surety_items_end(items, surety_outcome_info_of(outcome)->value);
 *         while (surety_items_next(items, &item, &err) == SURETY_OK)
 *             use(item.text);
 *
 * Then all that were given are the array in the value. With the validator in
 * the judge's options, a value that contradicts what was given is not valid;
 * so after a failure another reply may go on, and gives only new elements.
 *
 * Where a condition of the schema (if, a union of several arrays, a dynamic
 * reference) decides what applies to the elements, they come when the whole
 * value is known. So do those behind one that is not valid on its own, which
 * alignment may make valid. Items are owned. */
typedef struct surety_items surety_items;
typedef struct surety_item {
    size_t index;    /* in the array */
    surety_str text; /* JSON; valid until the next call */
} surety_item;

/* The contract must outlive the items. location: a JSON Pointer; empty: the
 * value itself. SURETY_MISUSE: it is none, or the contract has no array there.
 * SURETY_NOMEM. */
SURETY_API surety_status surety_items_new(const surety_contract *contract,
                                          surety_str location,
                                          const surety_alloc *alloc,
                                          surety_items **ret_items,
                                          surety_error *reterr);
SURETY_API void surety_items_free(surety_items *items); /* takes NULL */
/* The next elements come from the reply of this stream, which looks for them as
 * it is fed, while its contract is that of the items; NULL: from none. What was
 * given before stays given. Elements are a function of the reply's bytes: how
 * it is cut into chunks makes no difference, also where it is refused. A stream
 * has one object of items, the last. SURETY_NOMEM. */
SURETY_API surety_status surety_items_begin(surety_items *items,
                                            surety_stream *stream);
/* The next elements come from the value of the whole reply, as the outcome has
 * it. It must stay until the last was given. */
SURETY_API void surety_items_end(surety_items *items, surety_val value);
/* Gives the next element. SURETY_END: none yet. SURETY_SYNTAX: the value of the
 * whole reply contradicts what was given; the message has the index and both
 * elements. SURETY_NOMEM. */
SURETY_API surety_status surety_items_next(surety_items *items,
                                           surety_item *ret_item,
                                           surety_error *reterr);
/* How many were given, and the i-th of them; past the last, one without
 * text. */
SURETY_API size_t surety_items_count(const surety_items *items);
SURETY_API surety_item surety_items_at(const surety_items *items, size_t i);
/* Appends, for the prompt of another reply, the elements that were given, and
 * the demand to begin with them; nothing if there are none. SURETY_NOMEM. */
SURETY_API surety_status surety_items_write(const surety_items *items,
                                            surety_buf *out);
/* A validator for surety_judge_options: refuses a value whose array does not
 * begin with the elements that were given. */
SURETY_API surety_validator surety_items_validator(surety_items *items);

#ifdef __cplusplus
}
#endif
#endif
