/* SPDX-License-Identifier: Apache-2.0 */
/* surety/mock.h: a model server for tests, which answers from a script. It has
 * the providers' protocols (OpenAI Chat Completions and Responses, Anthropic
 * Messages, Gemini; streamed and not streamed), and the script can make it fail
 * in many ways.
 *
 * Threads: a mock starts its own threads; one thread at a time may call its
 * functions, except surety_mock_served. */
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
    uint16_t port;      /* 0: the system chooses a free port */
    surety_str folder;  /* base folder of relative paths in the script; empty:
                         * the working folder */
    /* Is called when a request has ended, with one JSON object without a
     * newline (docs/mock.md). It runs in the mock's thread. The object never
     * contains keys. May be NULL. */
    void (*log)(void *ctx, surety_str line);
    void *log_ctx;
    const surety_alloc *alloc; /* must be safe for several threads */
} surety_mock_options;

/* Reads a script (the built-in contract surety/mock-script, comments allowed)
 * and starts to serve it. SURETY_SYNTAX with line, column and path in the
 * script; SURETY_IO: a file that the script names cannot be read, or the
 * address or port cannot be used; SURETY_MISUSE: options->address is no IP
 * address; SURETY_NOMEM. */
SURETY_API surety_status surety_mock_open(surety_str script,
                                          const surety_mock_options *options,
                                          surety_mock **ret_mock,
                                          surety_error *reterr);
SURETY_API uint16_t surety_mock_port(const surety_mock *mock);
/* Returns the number of requests that have ended, answered or not. Any thread
 * may call it. */
SURETY_API uint64_t surety_mock_served(const surety_mock *mock);
/* Closes all connections, waits for the mock's thread, and frees the mock. */
SURETY_API void surety_mock_close(surety_mock *mock); /* takes NULL */

#ifdef __cplusplus
}
#endif
#endif
