/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_format.c: one text against every format of every draft, against the
 * relations that must hold between them, and through URI resolution. */
#include "base/base.h"
#include "schema/format.h"
#include "schema/uri.h"

#include "fuzz.h"

static void require(bool holds)
{
    if (!holds)
        __builtin_trap();
}

/* Resolves text as a reference; what it gives resolves to itself. */
static void resolve(surety_str base, surety_str text)
{
    surety_buf once, twice;

    surety_buf_init(&once, NULL, 0);
    surety_buf_init(&twice, NULL, 0);
    require(surety__uri_resolve(base, text, &once) == SURETY_OK);
    require(surety__uri_resolve(base, surety_buf_str(&once), &twice) ==
            SURETY_OK);
    if (surety__uri_parse(surety_buf_str(&once)).has_scheme)
        require(
            surety_str_equal(surety_buf_str(&once), surety_buf_str(&twice)));
    if (surety__format_uri(base) && surety__format_uri_reference(text))
        require(surety__format_uri(surety_buf_str(&once)));
    surety_buf_reset(&twice);
    surety__uri_unescape(text, &twice);
    require(twice.status == SURETY_OK && twice.len <= text.len);
    surety_buf_done(&once);
    surety_buf_done(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {
        "date-time",    "date",          "time",
        "duration",     "email",         "idn-email",
        "hostname",     "idn-hostname",  "ipv4",
        "ipv6",         "uri",           "uri-reference",
        "iri",          "iri-reference", "uuid",
        "uri-template", "json-pointer",  "relative-json-pointer",
        "regex",
    };
    surety_str text = {(const char *)data, size};

    if (!surety__utf8_valid(text, NULL))
        return 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        for (unsigned draft = SURETY_DIALECT_4; draft <= SURETY_DIALECT_V1;
             draft++) {
            surety__format_fn is =
                surety__format_find(surety_str_of(names[i]), 1u << draft);

            if (is)
                (void)is(text);
        }
    (void)surety__content_base64(text);
    if (surety__format_uri(text))
        require(surety__format_uri_reference(text) && surety__format_iri(text));
    if (surety__format_uri_reference(text) || surety__format_iri(text))
        require(surety__format_iri_reference(text));
    if (surety__format_email(text))
        require(surety__format_idn_email(text));
    if (surety__format_hostname_alabel(text))
        require(surety__format_hostname(text));
    if (surety__format_relative_pointer(text))
        require(surety__format_relative_pointer_moved(text));
    resolve(SURETY__LITERAL("http://a/b/c/d;p?q"), text);
    resolve(SURETY__LITERAL("urn:a:b"), text);
    resolve((surety_str){NULL, 0}, text);
    return 0;
}
