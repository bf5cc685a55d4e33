/* SPDX-License-Identifier: Apache-2.0 */
/* The keyword table: keywords.def as rows that can be searched by name. */
#include "schema/keywords.h"

static const struct keyword_row {
    surety_str name;
    uint8_t id, first, last, vocabulary, form;
} keyword_rows[] = {
#define KEYWORD(id, name, first, last, vocabulary, form)                       \
    {{name, sizeof(name) - 1}, KW_##id,                                        \
     SURETY_DIALECT_##first,   SURETY_DIALECT_##last,                          \
     VOCABULARY_##vocabulary,  FORM_##form},
#include "schema/keywords.def"
#undef KEYWORD
};

enum { KEYWORD_ROWS = sizeof(keyword_rows) / sizeof(*keyword_rows) };

surety__keyword surety__keyword_find(surety_str name, surety_dialect dialect)
{
    size_t low = 0;
    size_t high = KEYWORD_ROWS;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (surety__str_compare(keyword_rows[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < KEYWORD_ROWS; low++) {
        const struct keyword_row *row = &keyword_rows[low];

        if (!surety_str_equal(row->name, name))
            break;
        if (row->first <= dialect && dialect <= row->last)
            return (surety__keyword)row->id;
    }
    return KW_NONE;
}

static const struct keyword_row *keyword_row(surety__keyword keyword)
{
    assert(keyword > KW_NONE && keyword < KW_COUNT);
    return &keyword_rows[keyword - 1];
}

surety_str surety__keyword_name(surety__keyword keyword)
{
    return keyword_row(keyword)->name;
}

surety__form surety__keyword_form(surety__keyword keyword)
{
    return (surety__form)keyword_row(keyword)->form;
}

unsigned surety__keyword_vocabulary(surety__keyword keyword)
{
    return keyword_row(keyword)->vocabulary;
}

const char *surety__form_name(surety__form form)
{
    /* ORDER forms */
    static const char *const form_names[] = {
        "any value",
        "true or false",
        "a number",
        "a number above 0",
        "an integer of 0 or more",
        "a string",
        "an array of strings",
        "an array",
        "an object",
        "a type name or a non-empty array of type names",
        "an object of arrays of strings",
        "a schema (an object, true or false)",
        "a non-empty array of schemas",
        "an object of schemas",
        "a schema or an array of schemas",
        "an object of schemas or arrays of strings",
        "an object of objects of schemas",
    };

    return form_names[form];
}
