/* SPDX-License-Identifier: Apache-2.0 */
/* Removes secrets from recordings. */
#ifndef SURETY_PROVIDER_REDACT_H
#define SURETY_PROVIDER_REDACT_H

#include "provider/recording.h"

/* Texts that no recording may contain. */
typedef struct surety__secrets {
    surety_str *texts;
    size_t count;
} surety__secrets;

/* The secrets of a request, with their texts in arena: values of headers that
 * are marked as secret or always are (authorization, x-api-key, cookie, ...),
 * also without the scheme before them; the text before "@" in the URL; values
 * of query parameters with the name of a secret. Each one as it is, as in a
 * JSON string, and percent-encoded. Texts shorter than 8 bytes are left out:
 * they are not keys and occur everywhere. NOMEM. */
surety_status surety__secrets_of(const surety_request *request,
                                 surety__arena *arena,
                                 surety__secrets *ret_secrets);

/* Copies URL, headers and body of a request without secrets to ret_exchange,
 * with the texts in arena. Headers that carry a secret or are for a recorder
 * are left out; secret parts of the URL and all other secrets are replaced by
 * "***". NOMEM; then ret_exchange is incomplete. */
surety_status surety__redact_request(const surety__secrets *secrets,
                                     const surety_request *request,
                                     surety__arena *arena,
                                     surety__exchange *ret_exchange);

/* The same for the response, whose arrays and texts are in arena: its headers
 * (the value of set-cookie is removed), its body, also a secret that several
 * portions share, and the message of its end. NOMEM. */
surety_status surety__redact_response(const surety__secrets *secrets,
                                      surety__arena *arena,
                                      surety__exchange *exchange);

#endif
