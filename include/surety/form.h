/* SPDX-License-Identifier: Apache-2.0 */
/* surety/form.h: calls of tools that a model wrote as text, because it has no
 * tools of its own or its server left them in the text. All forms that models
 * are known to write are read (docs/tools.md).
 *
 * Threads: an object is owned. */
#ifndef SURETY_FORM_H
#define SURETY_FORM_H

#include <surety/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct surety_calls surety_calls;

/* What is known of the tools. NULL, or all zero: nothing. */
typedef struct surety_calls_options {
    size_t size; /* sizeof(surety_calls_options) */
    /* Whether there is such a tool. An object without any tag is a call only if
     * there is. NULL: any name may be that of one. */
    bool (*is_tool)(void *ctx, surety_str name);
    /* Whether that argument of a tool is a string. What is between the tags of
     * an argument is then that text; else it is JSON, where it is JSON. NULL:
     * no argument is known to be one. */
    bool (*is_text)(void *ctx, surety_str tool, surety_str argument);
    void *ctx;
} surety_calls_options;

typedef struct surety_called {
    surety_str name;
    /* JSON; where the arguments cannot be read as that, the text that is there.
     */
    surety_str arguments;
    size_t start, end; /* of the call, in the text */
} surety_called;

SURETY_API surety_calls *surety_calls_new(const surety_alloc *alloc,
                                          const surety_limits *limits);
SURETY_API void surety_calls_free(surety_calls *calls); /* takes NULL */

/* Finds the calls in a text, in its order; the first 64. They are good until
 * the next call of this function, and while the text does not change.
 * SURETY_NOMEM; SURETY_LIMIT: the text is longer than text_bytes_max. */
SURETY_API surety_status surety_calls_find(surety_calls *calls, surety_str text,
                                           const surety_calls_options *options,
                                           surety_error *reterr);
SURETY_API size_t surety_calls_count(const surety_calls *calls);
SURETY_API surety_called surety_calls_at(const surety_calls *calls, size_t i);

#ifdef __cplusplus
}
#endif
#endif
