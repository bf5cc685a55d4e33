/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets, taken out of what is recorded. */
#ifndef SURETY_PROVIDER_REDACT_H
#define SURETY_PROVIDER_REDACT_H

#include "provider/recording.h"

/* Texts that no recording may hold. */
typedef struct surety__secrets {
    surety_str *texts;
    size_t count;
} surety__secrets;

/* The secrets of a request, their texts in arena: values of headers that are
 * marked as secret or always are (authorization, x-api-key, cookie, ...), also
 * without the scheme before them; the text before "@" in the URL, and values
 * of key-like members of its query; each as it is, as in a JSON
 * string and percent-encoded. Only those of 8 bytes or more, for a shorter one
 * is no key and would be found everywhere. NOMEM. */
surety_status surety__secrets_of(const surety_request *request,
                                 surety__arena *arena,
                                 surety__secrets *ret_secrets);

/* Copies URL, headers and body of a request to ret_exchange, their texts into
 * arena, without secrets: headers that carry one or that only mark something
 * for a recorder are left out, secret parts of the URL and every text of
 * secrets are replaced by "***". NOMEM; ret_exchange is half-filled then. */
surety_status surety__redact_request(const surety__secrets *secrets,
                                     const surety_request *request,
                                     surety__arena *arena,
                                     surety__exchange *ret_exchange);

/* The same for the response, whose lists and texts are in arena: its headers,
 * its body, also where several portions share a secret, and the message of its
 * end. NOMEM. */
surety_status surety__redact_response(const surety__secrets *secrets,
                                      surety__arena *arena,
                                      surety__exchange *exchange);

#endif
