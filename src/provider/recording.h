/* SPDX-License-Identifier: Apache-2.0 */
/* A recording, for its reader, its writer and its player. */
#ifndef SURETY_PROVIDER_RECORDING_H
#define SURETY_PROVIDER_RECORDING_H

#include <surety/json.h>
#include <surety/provider.h>

#include "base/base.h"

/* One call of a receiver's `bytes`, and the time since the call before. */
typedef struct surety__portion {
    uint32_t after_ms;
    surety_str bytes;
} surety__portion;

typedef struct surety__exchange {
    surety_protocol protocol;
    surety_str model;
    /* The request; all empty: none was recorded. */
    surety_str method;
    surety_str url;
    const surety_header *headers;
    size_t header_count;
    surety_str body;
    /* The response; times count from the request. */
    bool has_head;
    uint32_t head_after_ms;
    int status;
    const surety_header *response_headers;
    size_t response_header_count;
    const surety__portion *portions;
    size_t portion_count;
    uint32_t end_after_ms;
    surety_delivery delivery;
} surety__exchange;

struct surety_recording {
    const surety_alloc *alloc;
    surety__arena arena; /* has all texts and arrays of the exchanges */
    surety__exchange *exchanges;
    size_t count, cap;
};

/* Appends the exchange as one line with a newline. doc is scratch. NOMEM. */
surety_status surety__exchange_write(const surety__exchange *exchange,
                                     surety_doc *doc, surety_buf *out);

/* Reads bytes as JSON text; false: it is not JSON, or has duplicate keys.
 * *ret_status: NOMEM if out of memory, else OK. */
bool surety__body_read(surety_doc *doc, surety_str bytes,
                       surety_status *ret_status);

/* A URL without its scheme and host: "/v1/messages?x=1". A URL of another
 * scheme is returned whole. */
surety_str surety__url_path(surety_str url);

#endif
