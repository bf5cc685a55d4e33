/* SPDX-License-Identifier: Apache-2.0 */
/* The dialects, their vocabularies and the built-in documents.
 *
 * The metaschemas are those that json-schema.org publishes; they are embedded
 * at build time from the folder metaschemas/ and read only when a schema
 * refers to one. */
#include "schema/keywords.h"

/* ORDER dialects. The URIs are without scheme and fragment, for schemas in
 * the wild write http for https and with or without "#". */
static const char *const dialect_tails[] = {
    "//json-schema.org/draft/2020-12/schema",
    "//json-schema.org/draft-04/schema",
    "//json-schema.org/draft-06/schema",
    "//json-schema.org/draft-07/schema",
    "//json-schema.org/draft/2019-09/schema",
    "//json-schema.org/draft/2020-12/schema",
    "//json-schema.org/v1",
};

static surety_str uri_tail(surety_str uri)
{
    if (uri.len && uri.ptr[uri.len - 1] == '#')
        uri.len--;
    for (size_t i = 0; i < uri.len && i < 6; i++)
        if (uri.ptr[i] == ':')
            return (surety_str){uri.ptr + i + 1, uri.len - i - 1};
    return uri;
}

surety_dialect surety__dialect_of(surety_str metaschema_uri)
{
    surety_str tail = uri_tail(metaschema_uri);

    for (int i = SURETY_DIALECT_4; i <= SURETY_DIALECT_V1; i++)
        if (surety_str_equal(tail, surety_str_of(dialect_tails[i])))
            return (surety_dialect)i;
    return SURETY_DIALECT_DEFAULT;
}

static const struct {
    const char *name;
    unsigned bits;
} vocabulary_rows[] = {
    {"core", VOCABULARY_CORE},
    {"applicator", VOCABULARY_APPLICATOR},
    {"unevaluated", VOCABULARY_UNEVALUATED},
    {"validation", VOCABULARY_VALIDATION},
    {"meta-data", VOCABULARY_METADATA},
    {"format", VOCABULARY_FORMAT},
    {"format-annotation", VOCABULARY_FORMAT},
    {"format-assertion", VOCABULARY_FORMAT | VOCABULARY_FORMAT_ASSERTION},
    {"content", VOCABULARY_CONTENT},
};

unsigned surety__vocabulary_of(surety_str uri)
{
    static const surety_str bases[] = {
        {"https://json-schema.org/draft/2019-09/vocab/", 44},
        {"https://json-schema.org/draft/2020-12/vocab/", 44},
        {"https://json-schema.org/v1/vocab/", 33},
    };

    for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
        surety_str name = {uri.ptr + bases[i].len, uri.len - bases[i].len};
        unsigned bits = 0;

        if (!surety__str_starts(uri, bases[i]))
            continue;
        for (size_t j = 0;
             j < sizeof(vocabulary_rows) / sizeof(*vocabulary_rows); j++)
            if (surety_str_equal(name, surety_str_of(vocabulary_rows[j].name)))
                bits = vocabulary_rows[j].bits;
        /* 2019-09 has no vocabulary of its own for the unevaluated keywords. */
        if (i == 0 && bits == VOCABULARY_APPLICATOR)
            bits |= VOCABULARY_UNEVALUATED;
        return bits;
    }
    return 0;
}

/* A built-in document's name follows from its URI: what comes after the host,
 * the folder of drafts and of vocabulary metaschemas left out, slashes written
 * as "-": draft/2020-12/meta/core is draft-2020-12-core. */
static bool metaschema_is(surety_str tail, const char *name)
{
    static const surety_str host = {"//json-schema.org/", 18};
    size_t at = host.len;

    if (!surety__str_starts(tail, host))
        return false;
    while (at < tail.len && *name) {
        surety_str rest = {tail.ptr + at, tail.len - at};

        if (surety__str_starts(rest, SURETY__LITERAL("/meta/"))) {
            if (*name++ != '-')
                return false;
            at += 6;
        } else if (*name == (rest.ptr[0] == '/' ? '-' : rest.ptr[0])) {
            name++;
            at++;
        } else {
            return false;
        }
    }
    return at == tail.len && *name == '\0';
}

surety_str surety__metaschema_text(surety_str uri)
{
    surety_str tail = uri_tail(uri);

    for (size_t i = 0; i < surety__metaschemas_count; i++) {
        const surety__embedded *file = &surety__metaschemas[i];

        if (metaschema_is(tail, file->name))
            return (surety_str){file->text, file->len};
    }
    return (surety_str){NULL, 0};
}
