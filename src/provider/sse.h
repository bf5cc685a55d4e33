/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a stream of server-sent events as its bytes arrive. */
#ifndef SURETY_PROVIDER_SSE_H
#define SURETY_PROVIDER_SSE_H

#include "base/base.h"

/* The most bytes of one event, its name and all lines: 4 MiB, thousands of
 * times more than providers send. */
enum { SURETY__SSE_EVENT_MAX = 4 << 20 };

typedef struct surety__sse {
    surety_buf line; /* the beginning of a line that is not complete */
    surety_buf name;
    surety_buf data;
    size_t event_len; /* bytes of the event's lines so far */
    unsigned bom_len; /* bytes of a byte order mark at the start; 3: the check
                       * is over */
    bool has_data;
    bool after_cr; /* a LF that follows belongs to the line before */
} surety__sse;

/* Called for each event that has data, with its name ("message" if it has
 * none) and its data. Both are valid until it returns. false stops the
 * feeding. */
typedef bool surety__sse_hear(void *ctx, surety_str name, surety_str data);

void surety__sse_init(surety__sse *sse, const surety_alloc *alloc);
void surety__sse_done(surety__sse *sse);
/* Prepares for another stream; keeps the memory. */
void surety__sse_reset(surety__sse *sse);

/* OK; END: hear returned false; LIMIT: an event is too large; NOMEM. */
surety_status surety__sse_feed(surety__sse *sse, surety_str bytes,
                               surety__sse_hear *hear, void *ctx);
/* Whether the bytes so far end within an event, which is then never
 * reported. */
bool surety__sse_unfinished(const surety__sse *sse);

/* Whether a body with this beginning looks like a stream of events: OK; END:
 * no; MORE: not enough bytes. */
surety_status surety__sse_looks(surety_str start);

#endif
