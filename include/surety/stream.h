/* SPDX-License-Identifier: Apache-2.0 */
/* surety/stream.h: a reply that is still being written: what is there already,
 * and the earliest moment at which it is certain that it cannot satisfy its
 * contract.
 *
 *     surety_stream_begin(stream, contract, NULL, &err);
 *     while (more(&chunk)) {
 *         surety_stream_feed(stream, chunk, &err);
 *         if (surety_stream_verdict(stream) == SURETY_VERDICT_NO)
 *             break;
 *         show(surety_stream_value(stream));
 *     }
 *     surety_stream_finish(stream, NULL, &outcome, &err);
 *
 * The law: however a reply is cut into chunks, the outcome is that of
 * surety_judge_reply for the whole reply. Linear in the reply.
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

typedef struct surety_stream_options {
    size_t size; /* sizeof(surety_stream_options) */
    /* How the reply is judged in the end, and where the value is looked for on
     * the way; NULL: defaults. Its native is not used. */
    const surety_judge_options *judge;
    /* What comes is the value that the provider's API delivers (the place
     * native): one JSON text and nothing else. */
    bool native;
} surety_stream_options;

/* What is known of a reply so far. ORDER verdicts (names in stream.c). */
typedef enum surety_verdict {
    SURETY_VERDICT_OPEN = 0, /* nothing speaks against it */
    /* The value at hand cannot satisfy the contract whatever comes; but the
     * places listed, or a repair, leave room for another behind it. So it is
     * where prose begins a reply that is to be JSON as a whole: it may be
     * reasoning whose opening tag was part of the prompt. */
    SURETY_VERDICT_LOST,
    /* No continuation satisfies the contract. (A member whose name comes a
     * second time would be replaced, and reasoning without its opening tag
     * might begin with a bracket; nobody waits for that.) */
    SURETY_VERDICT_NO,
    /* White space or one text over and over: blank_run_max, repeat_run_max, and
     * of array items that may be good repeat_data_max. */
    SURETY_VERDICT_RUNAWAY
} surety_verdict;
/* "open", "lost", "no", "runaway". */
SURETY_API const char *surety_verdict_name(surety_verdict verdict);

/* NULL when out of memory. */
SURETY_API surety_stream *surety_stream_new(const surety_alloc *alloc,
                                            const surety_limits *limits);
SURETY_API void surety_stream_free(surety_stream *stream); /* takes NULL */

/* Begins a reply. The contract must outlive its outcome. */
SURETY_API surety_status
surety_stream_begin(surety_stream *stream, const surety_contract *contract,
                    const surety_stream_options *options, surety_error *reterr);
/* Takes the next bytes (copied). A bad reply is no error; SURETY_LIMIT where it
 * is longer than text_bytes_max, SURETY_NOMEM. */
SURETY_API surety_status surety_stream_feed(surety_stream *stream,
                                            surety_str bytes,
                                            surety_error *reterr);
/* The verdict on what has come; NO and RUNAWAY stay. */
SURETY_API surety_verdict surety_stream_verdict(const surety_stream *stream);
/* Why, where it is not OPEN; all empty where it is. A keyword of the schema,
 * "json_parse" or "runaway". Its texts are good until the next feed or begin;
 * those of NO and RUNAWAY until the next begin. */
SURETY_API surety_issue surety_stream_finding(const surety_stream *stream);
/* The value at hand as far as it has come; surety_val_is_open says of each part
 * whether it is in progress. SURETY_NONE where none has begun. Good until the
 * next call. */
SURETY_API surety_val surety_stream_value(const surety_stream *stream);
/* The bytes that came. */
SURETY_API surety_str surety_stream_reply(const surety_stream *stream);
/* Judges what has come, as options->judge said, or by end (NULL: the same),
 * which may add that the provider cut the reply off. The outcome belongs to the
 * stream, until its next begin. Statuses of surety_judge_reply; after MORE it
 * is called again. */
SURETY_API surety_status
surety_stream_finish(surety_stream *stream, const surety_judge_options *end,
                     const surety_outcome **ret_outcome, surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
