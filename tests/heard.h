/* SPDX-License-Identifier: Apache-2.0 */
/* heard.h: a receiver that keeps what a transport tells it, and the request
 * and the end that most exchanges of a test have. */
#ifndef SURETY_TESTS_HEARD_H
#define SURETY_TESTS_HEARD_H

#include <surety/provider.h>

#include "base/base.h"

struct heard {
    surety_buf text;    /* a line a call, and a line a header */
    surety_buf body;    /* the bytes alone */
    size_t break_after; /* calls of bytes before it wants no more; 0: never */
    size_t heads, portions, ends;
    int status;
    surety_failure failure;
    bool sent;
    char message[256];
};

static inline void heard_head(void *ctx, int status,
                              const surety_header *headers, size_t count)
{
    struct heard *heard = ctx;

    surety__buf_printf(&heard->text, "head %d\n", status);
    for (size_t i = 0; i < count; i++) {
        surety_buf_add(&heard->text, headers[i].name);
        surety_buf_byte(&heard->text, '=');
        surety_buf_add(&heard->text, headers[i].value);
        surety_buf_byte(&heard->text, '\n');
    }
    heard->heads++;
    heard->status = status;
}

static inline bool heard_bytes(void *ctx, surety_str bytes)
{
    struct heard *heard = ctx;

    surety__buf_printf(&heard->text, "bytes %zu ", bytes.len);
    surety_buf_add(&heard->text, bytes);
    surety_buf_byte(&heard->text, '\n');
    surety_buf_add(&heard->body, bytes);
    return ++heard->portions != heard->break_after;
}

static inline void heard_end(void *ctx, const surety_delivery *delivery)
{
    struct heard *heard = ctx;

    surety__buf_printf(&heard->text, "end %s %d %s\n",
                       surety_failure_name(delivery->failure), delivery->sent,
                       delivery->message);
    heard->ends++;
    heard->failure = delivery->failure;
    heard->sent = delivery->sent;
    memcpy(heard->message, delivery->message, sizeof(heard->message));
}

static inline void heard_init(struct heard *heard, const surety_alloc *alloc)
{
    *heard = (struct heard){.ends = 0};
    surety_buf_init(&heard->text, alloc, 0);
    surety_buf_init(&heard->body, alloc, 0);
}

static inline void heard_done(struct heard *heard)
{
    surety_buf_done(&heard->text);
    surety_buf_done(&heard->body);
}

static inline surety_receiver heard_receiver(struct heard *heard)
{
    return (surety_receiver){heard, heard_head, heard_bytes, heard_end};
}

/* One exchange from start to end; NOMEM where it could not be kept. */
static inline surety_status heard_converse(struct heard *heard,
                                           surety_transport *transport,
                                           const surety_request *request)
{
    const surety_receiver receiver = heard_receiver(heard);
    const size_t ends = heard->ends;
    surety_status status =
        transport->start(transport->ctx, 7, request, &receiver, NULL);

    while (!status && heard->ends == ends)
        status = transport->wait(transport->ctx, 1000, NULL);
    if (heard->text.status)
        return heard->text.status;
    return heard->body.status ? heard->body.status : status;
}

static inline surety_request request_of(const char *url, const char *body)
{
    return (surety_request){.size = sizeof(surety_request),
                            .method = surety_str_of("POST"),
                            .url = surety_str_of(url),
                            .body = surety_str_of(body)};
}

static inline void transport_close(surety_transport *transport)
{
    if (transport)
        transport->close(transport->ctx);
}

#endif
