/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of JSON Schema: for each name and draft a function that decides
 * whether a text is one. They are total, linear in the text, take any valid
 * UTF-8 and allocate nothing, but for the internationalised ones, whose
 * library does (format_idn.c). No function here looks at the locale. */
#ifndef SURETY_SCHEMA_FORMAT_H
#define SURETY_SCHEMA_FORMAT_H

#include <surety/schema.h>

#include "base/base.h"

typedef bool (*surety__format_fn)(surety_str text);

/* The function of the format called `name` in one of `drafts`, a set of bits
 * 1u << SURETY_DIALECT_...; where none of them lists the name, that of the
 * newest draft that does. NULL where none does: then the keyword asserts
 * nothing. */
surety__format_fn surety__format_find(surety_str name, unsigned drafts);

/* Whether text is base64 with padding and nothing else (RFC 4648, section 4;
 * the unused bits are not checked). The empty text is. */
bool surety__content_base64(surety_str text);

/* ---- the formats, one file a kind -------------------------------------- */

/* format.c: RFC 4122, section 3 (version and variant are not checked); RFC
 * 6901; relative JSON Pointers (draft-handrews-relative-json-pointer-02), and
 * from 2020-12 on with an index that may be moved, "0+1", "0-1#"
 * (draft-bhutton-relative-json-pointer-00); ECMA-262. */
bool surety__format_uuid(surety_str text);
bool surety__format_json_pointer(surety_str text);
bool surety__format_relative_pointer(surety_str text);
bool surety__format_relative_pointer_moved(surety_str text);
bool surety__format_regex(surety_str text);

/* format_time.c: RFC 3339, section 5.6 and appendix A. */
bool surety__format_date(surety_str text);
bool surety__format_time(surety_str text);
bool surety__format_date_time(surety_str text);
bool surety__format_duration(surety_str text);

/* format_host.c: RFC 2673, section 3.2 (without leading zeros, as RFC 3986
 * has it); RFC 4291, section 2.2; RFC 1034, section 3.1, as RFC 1123, section
 * 2.1, widens it; RFC 5321, section 4.1.2. */
bool surety__format_ipv4(surety_str text);
bool surety__format_ipv6(surety_str text);
bool surety__format_hostname(surety_str text);
bool surety__format_email(surety_str text);
/* Whether text begins with a local part and "@", with `wide` one of RFC 6531;
 * gives what follows. */
bool surety__email_local(surety_str text, bool wide, surety_str *ret_domain);
/* "[...]" behind the "@" (RFC 5321, section 4.1.3). */
bool surety__email_literal(surety_str text);
/* Labels with dots between them, of any length together. */
bool surety__host_name(surety_str text);
/* One label of 1 to 63 ASCII letters, digits and inner hyphens. */
bool surety__host_label(surety_str text);

/* format_idn.c, format_bidi.c: RFC 5890 to 5893. A host name whose A-labels are
 * encodings of U-labels, one that may hold U-labels, and RFC 6531's mailbox. */
bool surety__format_hostname_alabel(surety_str text);
bool surety__format_idn_hostname(surety_str text);
bool surety__format_idn_email(surety_str text);

/* The bidirectional classes that RFC 5893, section 2, distinguishes.
 * ORDER bidi (tools/gen_bidi.py). */
typedef enum surety__bidi {
    BIDI_L = 0,
    BIDI_R, /* and AL */
    BIDI_EN,
    BIDI_AN,
    BIDI_NSM,
    BIDI_NEUTRAL, /* ES, CS, ET, ON, BN */
    BIDI_OTHER
} surety__bidi;
/* The class of a letter, mark or digit, of the hyphen and of the other code
 * points that a label may hold; anything else may count as L. */
surety__bidi surety__bidi_class(uint32_t code);

/* format_uri.c: RFC 3986, RFC 3987, RFC 6570. */
bool surety__format_uri(surety_str text);
bool surety__format_uri_reference(surety_str text);
bool surety__format_iri(surety_str text);
bool surety__format_iri_reference(surety_str text);
bool surety__format_uri_template(surety_str text);

#endif
