/* SPDX-License-Identifier: Apache-2.0 */
/* surety/mock.h: a model server that speaks the providers' protocols (OpenAI
 * Chat Completions and Responses, Anthropic Messages, Gemini; streamed and
 * whole) from a script, faults included, so that programs that call models can
 * be tested without one.
 *
 * Threads: a mock has threads of its own; its functions may be called by one
 * thread at a time. */
#ifndef SURETY_MOCK_H
#define SURETY_MOCK_H

#include <surety/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct surety_mock surety_mock;

typedef struct surety_mock_options {
    size_t size;        /* sizeof(surety_mock_options) */
    surety_str address; /* empty: 127.0.0.1 */
    uint16_t port;      /* 0: one that the system picks */
    surety_str folder;  /* where relative files of the script stand; empty: the
                         * working folder */
    /* Hears of each request when it is over, one JSON object without a newline
     * (docs/mock.md), from the mock's thread; NULL: nobody. Keys are never in
     * it. */
    void (*log)(void *ctx, surety_str line);
    void *log_ctx;
    const surety_alloc *alloc; /* must be usable from several threads */
} surety_mock_options;

/* Reads a script (the built-in contract surety/mock-script, comments allowed)
 * and serves it. SURETY_SYNTAX with line, column and path in the script;
 * SURETY_IO: a file of it cannot be read, it cannot listen there, or
 * libmicrohttpd, which is loaded here, is not installed;
 * SURETY_MISUSE: the address is no IP address; SURETY_NOMEM. */
SURETY_API surety_status surety_mock_open(surety_str script,
                                          const surety_mock_options *options,
                                          surety_mock **ret_mock,
                                          surety_error *reterr);
SURETY_API uint16_t surety_mock_port(const surety_mock *mock);
/* Requests that are over, answered or not. Any thread. */
SURETY_API uint64_t surety_mock_served(const surety_mock *mock);
/* Breaks off what is under way, and waits for its thread. */
SURETY_API void surety_mock_close(surety_mock *mock); /* takes NULL */

#ifdef __cplusplus
}
#endif
#endif
