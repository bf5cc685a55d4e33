/* SPDX-License-Identifier: Apache-2.0 */
/* URI references (RFC 3986): taken apart, resolved, unescaped. Used by the
 * reference resolver. Nothing here checks characters; the formats "uri",
 * "iri" and so on do (format_uri.c). Text that is no URI stays as it is, so
 * that IRIs resolve too. The results point into the argument. */
#ifndef SURETY_SCHEMA_URI_H
#define SURETY_SCHEMA_URI_H

#include "base/base.h"

/* The five parts of a reference (RFC 3986, appendix B), each without its
 * delimiter. A part may be there and empty ("http://" has an authority). */
typedef struct surety__uri {
    surety_str scheme, authority, path, query, fragment;
    bool has_scheme, has_authority, has_query, has_fragment;
} surety__uri;

surety__uri surety__uri_parse(surety_str text);

/* Appends reference resolved against base (RFC 3986, 5.2, strict): the dot
 * segments of the path are removed, the fragment of reference is kept, that of
 * base never counts. Letter case and escapes stay as they are. An empty base
 * gives the reference itself, dot segments removed where it has any; a base
 * without hierarchy (urn:a:b) works too. out->status: NOMEM or LIMIT. */
surety_status surety__uri_resolve(surety_str base, surety_str reference,
                                  surety_buf *out);

/* The texts before and after the first "#"; without one the fragment is
 * empty. */
void surety__uri_split(surety_str uri, surety_str *ret_absolute,
                       surety_str *ret_fragment);

/* Appends text with every %HH decoded (RFC 3986, 2.1); a "%" without two
 * hexadecimal digits behind it is kept. The bytes need not be UTF-8. */
void surety__uri_unescape(surety_str text, surety_buf *out);

#endif
