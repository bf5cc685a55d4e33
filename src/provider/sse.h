/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of server-sent events, read as its bytes come. */
#ifndef SURETY_PROVIDER_SSE_H
#define SURETY_PROVIDER_SSE_H

#include "base/base.h"

/* Bytes of one event, its name and its lines together: 4 MiB, thousands of
 * times what providers send. */
enum { SURETY__SSE_EVENT_MAX = 4 << 20 };

typedef struct surety__sse {
    surety_buf line; /* of a line that goes on in the next bytes */
    surety_buf name;
    surety_buf data;
    size_t event_len; /* bytes of the event's lines so far */
    unsigned bom_len; /* bytes of a byte order mark seen at the start; 3: no
                       * more is looked for */
    bool has_data;
    bool after_cr; /* a line feed that comes now belongs to the line before */
} surety__sse;

/* Told of each event that has data: its name, "message" where it has none, and
 * its data. Both are good until it returns. false stops the feeding. */
typedef bool surety__sse_hear(void *ctx, surety_str name, surety_str data);

void surety__sse_init(surety__sse *sse, const surety_alloc *alloc);
void surety__sse_done(surety__sse *sse);
/* Makes ready for another stream; keeps the memory. */
void surety__sse_reset(surety__sse *sse);

/* OK; END: hear said stop; LIMIT: an event is larger than the limit; NOMEM. */
surety_status surety__sse_feed(surety__sse *sse, surety_str bytes,
                               surety__sse_hear *hear, void *ctx);
/* Whether the bytes so far end within an event: one that is never given. */
bool surety__sse_unfinished(const surety__sse *sse);

/* Whether a body that begins so looks like a stream of events: OK, END if not,
 * MORE where it is too early to say. */
surety_status surety__sse_looks(surety_str start);

#endif
