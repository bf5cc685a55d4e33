/* SPDX-License-Identifier: Apache-2.0 */
/* The keyword table: keywords.def as rows, and the names' hash table.
 *
 * No two names share a slot (surety__keyword_named has the hash), so a search
 * is one look and one comparison. KEYWORD_FACTOR was found by trying numbers
 * until that was so; a new keyword may need another, and then all the slots
 * anew; schema_compile_test knows when. */
#include "schema/keywords.h"

const surety__keyword_row surety__keyword_rows[KW_COUNT] = {
#define KEYWORD(id, name, first, last, vocabulary, form)                       \
    [KW_##id] = {{name, sizeof(name) - 1},                                     \
                 SURETY_DIALECT_##first,                                       \
                 SURETY_DIALECT_##last,                                        \
                 VOCABULARY_##vocabulary,                                      \
                 FORM_##form},
#include "schema/keywords.def"
#undef KEYWORD
};

/* Which keyword's name falls into which slot; of two rows with one name, the
 * first. */
const uint8_t surety__keyword_slots[KEYWORD_SLOTS] = {
    [0] = KW_MAX_LENGTH,
    [1] = KW_EXCLUSIVE_MINIMUM_4,
    [2] = KW_CONTENT_MEDIA_TYPE,
    [3] = KW_ID,
    [4] = KW_MIN_PROPERTIES,
    [5] = KW_MIN_CONTAINS,
    [6] = KW_FORMAT,
    [7] = KW_RECURSIVE_ANCHOR,
    [12] = KW_PATTERN,
    [16] = KW_PREFIX_ITEMS,
    [24] = KW_PROPERTIES,
    [26] = KW_DEFAULT,
    [27] = KW_THEN,
    [31] = KW_MAX_ITEMS,
    [33] = KW_ANY_OF,
    [34] = KW_IF,
    [39] = KW_MINIMUM,
    [41] = KW_DEFS,
    [43] = KW_DEPENDENT_REQUIRED,
    [44] = KW_DEPENDENT_SCHEMAS,
    [45] = KW_MIN_LENGTH,
    [48] = KW_NOT,
    [50] = KW_RECURSIVE_REF,
    [51] = KW_UNIQUE_ITEMS,
    [52] = KW_ITEMS_ARRAY,
    [53] = KW_ADDITIONAL_PROPERTIES,
    [54] = KW_ALL_OF,
    [55] = KW_REF,
    [56] = KW_CONST,
    [59] = KW_PROPERTY_NAMES,
    [61] = KW_EXCLUSIVE_MAXIMUM_4,
    [63] = KW_TYPE,
    [64] = KW_VOCABULARY,
    [67] = KW_UNEVALUATED_ITEMS,
    [74] = KW_UNEVALUATED_PROPERTIES,
    [76] = KW_MIN_ITEMS,
    [80] = KW_PATTERN_PROPERTIES,
    [84] = KW_DYNAMIC_REF,
    [85] = KW_DEFINITIONS,
    [87] = KW_MAX_PROPERTIES,
    [88] = KW_MAX_CONTAINS,
    [89] = KW_DEPENDENCIES,
    [92] = KW_ANCHOR,
    [99] = KW_REQUIRED,
    [101] = KW_ELSE,
    [104] = KW_DYNAMIC_ANCHOR,
    [107] = KW_ID_4,
    [109] = KW_ENUM,
    [112] = KW_CONTENT_SCHEMA,
    [113] = KW_SCHEMA,
    [114] = KW_CONTENT_ENCODING,
    [115] = KW_ADDITIONAL_ITEMS,
    [116] = KW_ONE_OF,
    [118] = KW_PROPERTY_DEPENDENCIES,
    [122] = KW_MAXIMUM,
    [124] = KW_MULTIPLE_OF,
    [126] = KW_CONTAINS,
};

surety_str surety__keyword_name(surety__keyword keyword)
{
    assert(keyword > KW_NONE && keyword < KW_COUNT);
    return surety__keyword_rows[keyword].name;
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
