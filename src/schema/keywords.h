/* SPDX-License-Identifier: Apache-2.0 */
/* Keywords and dialects as data: the rows of keywords.def and those of
 * dialect.c. */
#ifndef SURETY_SCHEMA_KEYWORDS_H
#define SURETY_SCHEMA_KEYWORDS_H

#include <surety/schema.h>

#include "json/json.h"

typedef enum surety__keyword {
    KW_NONE = 0,
#define KEYWORD(id, slot, name, first, last, vocabulary, form, part) KW_##id,
#include "schema/keywords.def"
#undef KEYWORD
    KW_COUNT
} surety__keyword;

/* Sets of keywords. */
#define KEYWORD_BIT(keyword) (UINT64_C(1) << (keyword))
_Static_assert(KW_COUNT <= 64, "a set of keywords is one word");

/* What the value of a keyword must be; where subschemas are follows from it. */
typedef enum surety__form {
    FORM_ANY,
    FORM_BOOLEAN,
    FORM_NUMBER,
    FORM_POSITIVE, /* a number above 0 */
    FORM_COUNT,    /* an integer of 0 or more, 2.0 included */
    FORM_STRING,
    FORM_STRINGS, /* an array of strings */
    FORM_ARRAY,
    FORM_OBJECT,
    FORM_TYPE,         /* of an item of TYPES: a type name */
    FORM_TYPES,        /* a type name or an array of them */
    FORM_STRINGS_MAP,  /* an object of arrays of strings */
    FORM_SCHEMA,       /* from here on: schemas are inside */
    FORM_SCHEMAS,      /* a non-empty array of schemas */
    FORM_SCHEMA_MAP,   /* an object of schemas */
    FORM_ITEMS,        /* a schema or an array of schemas */
    FORM_DEPENDENCY,   /* of a member of DEPENDENCIES */
    FORM_DEPENDENCIES, /* an object of schemas or arrays of strings */
    FORM_SCHEMA_MAPS,  /* an object of objects of schemas */
    FORM_LAST = FORM_SCHEMA_MAPS
} surety__form;

/* A form: a value of one of the kinds that holds() accepts, or a container of
 * at least `least` values of the form `inner`. */
typedef struct surety__form_row {
    const char *name; /* "an array of strings" */
    unsigned kinds;   /* a bit a kind of cells */
    /* NULL: every value of these kinds. */
    bool (*holds)(const surety_doc *doc, const surety__cell *cell);
    enum surety__cell_kind container; /* CELL_NULL: none */
    uint32_t least;
    surety__form inner;
} surety__form_row;

extern const surety__form_row surety__form_rows[FORM_LAST + 1];

/* Parts of a shape, each built by a function of its own. */
enum surety__part {
    PART_NONE = 0,
    PART_NUMBERS = 1,
    PART_STRINGS = 2,
    PART_ARRAYS = 4,
    PART_OBJECTS = 8,
    PART_APPLICATORS = 16,
    PART_CHOICES = 32,
    PART_DEPENDENCIES = PART_OBJECTS | PART_APPLICATORS
};

enum surety__vocabulary {
    VOCABULARY_CORE = 1,
    VOCABULARY_APPLICATOR = 2,
    VOCABULARY_UNEVALUATED = 4,
    VOCABULARY_VALIDATION = 8,
    VOCABULARY_METADATA = 16,
    VOCABULARY_FORMAT = 32,
    VOCABULARY_FORMAT_ASSERTION = 64,
    VOCABULARY_CONTENT = 128,
    VOCABULARY_ALL = 191 /* everything but FORMAT_ASSERTION */
};

typedef struct surety__keyword_row {
    surety_str name;
    uint8_t first, last; /* dialects that know it */
    uint8_t vocabulary, form, part;
} surety__keyword_row;

enum { KEYWORD_SLOTS = 128 };
#define KEYWORD_FACTOR UINT32_C(0x306B311B)

extern const surety__keyword_row surety__keyword_rows[KW_COUNT];
extern const uint8_t surety__keyword_slots[KEYWORD_SLOTS];

/* The keyword called name in whatever dialect, KW_NONE where none is; of two
 * that share the name the one of the older dialects. */
static inline surety__keyword surety__keyword_named(surety_str name)
{
    const unsigned char *bytes = (const unsigned char *)name.ptr;
    uint32_t mixed;
    unsigned keyword;

    if (name.len < 2)
        return KW_NONE;
    mixed = (uint32_t)name.len + (bytes[0] ^ (uint32_t)bytes[1] << 8 ^
                                  (uint32_t)bytes[name.len * 5 / 8] << 16 ^
                                  (uint32_t)bytes[name.len - 1] << 24);
    keyword = surety__keyword_slots[mixed * KEYWORD_FACTOR >> 25];
    return surety__keyword_rows[keyword].name.len == name.len &&
                   !memcmp(surety__keyword_rows[keyword].name.ptr, name.ptr,
                           name.len)
               ? (surety__keyword)keyword
               : KW_NONE;
}

/* Of the keywords that share the name of `named` (from above, not KW_NONE) the
 * one that dialect knows, KW_NONE where it knows none. */
static inline surety__keyword surety__keyword_in(surety__keyword named,
                                                 surety_dialect dialect)
{
    const surety__keyword_row *row = &surety__keyword_rows[named];

    if (dialect > row->last && named + 1 < KW_COUNT &&
        surety_str_equal(row[0].name, row[1].name))
        row++;
    return row->first <= dialect && dialect <= row->last
               ? (surety__keyword)(row - surety__keyword_rows)
               : KW_NONE;
}

surety_str surety__keyword_name(surety__keyword keyword);
/* Whether a value is one of the form's single values. */
static inline bool surety__form_single(surety__form form, const surety_doc *doc,
                                       const surety__cell *cell)
{
    const surety__form_row *row = &surety__form_rows[form];

    return row->kinds >> cell->kind & 1 &&
           (!row->holds || row->holds(doc, cell));
}

/* The cell that breaks the form: the value itself, or the first one in it that
 * does not have the inner form; NULL: none. */
const surety__cell *surety__form_wrong(surety__form form, const surety_doc *doc,
                                       const surety__cell *cell);
/* The TYPE_ bits of a type's name; 0: there is no such type. */
unsigned surety__type_named(surety_str name);

/* The dialect whose metaschema has this URI (an empty fragment is ignored);
 * DEFAULT for an unknown one. */
surety_dialect surety__dialect_of(surety_str metaschema_uri);
/* The VOCABULARY_ bit of a vocabulary's URI, 0 for an unknown one. */
unsigned surety__vocabulary_of(surety_str uri);
/* The built-in documents; made by the build from metaschemas/. */
extern const surety__embedded surety__metaschemas[];
extern const size_t surety__metaschemas_count;
/* The text of a built-in document, or an empty text. */
surety_str surety__metaschema_text(surety_str uri);

#endif
