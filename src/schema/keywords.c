/* SPDX-License-Identifier: Apache-2.0 */
/* The keyword table: keywords.def as rows, the names' hash table, and the forms
 * of values.
 *
 * No two names share a slot (surety__keyword_named has the hash), so a search
 * is one look and one comparison. KEYWORD_FACTOR was found by trying numbers
 * until that was so; a new keyword may need another, and then all the slots
 * anew; schema_compile_test shows when. */
#include "schema/keywords.h"

#include "schema/shape.h"

const surety__keyword_row surety__keyword_rows[KW_COUNT] = {
#define KEYWORD(id, slot, name, first, last, vocabulary, form, part)           \
    [KW_##id] = {{name, sizeof(name) - 1},                                     \
                 SURETY_DIALECT_##first,                                       \
                 SURETY_DIALECT_##last,                                        \
                 VOCABULARY_##vocabulary,                                      \
                 FORM_##form,                                                  \
                 PART_##part},
#include "schema/keywords.def"
#undef KEYWORD
};

const uint8_t surety__keyword_slots[KEYWORD_SLOTS] = {
#define KEYWORD(id, slot, name, first, last, vocabulary, form, part)           \
    [slot] = KW_##id,
#include "schema/keywords.def"
#undef KEYWORD
};

surety_str surety__keyword_name(surety__keyword keyword)
{
    assert(keyword > KW_NONE && keyword < KW_COUNT);
    return surety__keyword_rows[keyword].name;
}

/* ---- forms --------------------------------------------------------------- */

unsigned surety__type_named(surety_str name)
{
    static const struct {
        surety_str name;
        unsigned bits;
    } types[] = {
        {{"string", 6}, TYPE_STRING},
        {{"object", 6}, TYPE_OBJECT},
        {{"array", 5}, TYPE_ARRAY},
        {{"boolean", 7}, TYPE_BOOLEAN},
        {{"number", 6}, TYPE_NUMBER | TYPE_INTEGER},
        {{"integer", 7}, TYPE_INTEGER},
        {{"null", 4}, TYPE_NULL},
    };

    for (size_t i = 0; name.len && i < sizeof(types) / sizeof(*types); i++)
        if (name.ptr[0] == types[i].name.ptr[0] &&
            surety_str_equal(name, types[i].name))
            return types[i].bits;
    return 0;
}

static bool form_is_type(const surety_doc *doc, const surety__cell *cell)
{
    return surety__type_named(surety__cell_str(doc, cell)) != 0;
}

static bool form_is_positive(const surety_doc *doc, const surety__cell *cell)
{
    if (cell->kind == CELL_INT)
        return cell->i > 0;
    return surety__decimal_compare(surety__cell_decimal(doc, cell),
                                   surety__decimal_of(SURETY__LITERAL("0"))) >
           0;
}

static bool form_is_count(const surety_doc *doc, const surety__cell *cell)
{
    if (cell->kind == CELL_INT)
        return cell->i >= 0;
    return surety__cell_number(doc, cell).ptr[0] != '-' ||
           surety_val_int(surety__val_of(doc, cell), -1) == 0;
}

#define KIND(kind) (1u << CELL_##kind)
#define KINDS_BOOLEAN (KIND(FALSE) | KIND(TRUE))
#define KINDS_WHOLE (KIND(INT) | KIND(WHOLE))
#define KINDS_NUMBER (KINDS_WHOLE | KIND(REAL))
#define KINDS_SCHEMA (KINDS_BOOLEAN | KIND(OBJECT))
#define ARRAY_OF(min, form)                                                    \
    .container = CELL_ARRAY, .least = (min), .inner = FORM_##form
#define OBJECT_OF(form) .container = CELL_OBJECT, .inner = FORM_##form

const surety__form_row surety__form_rows[FORM_LAST + 1] = {
    [FORM_ANY] = {.name = "any value", .kinds = UINT32_MAX},
    [FORM_BOOLEAN] = {.name = "true or false", .kinds = KINDS_BOOLEAN},
    [FORM_NUMBER] = {.name = "a number", .kinds = KINDS_NUMBER},
    [FORM_POSITIVE] = {.name = "a number above 0",
                       .kinds = KINDS_NUMBER,
                       .holds = form_is_positive},
    [FORM_COUNT] = {.name = "an integer of 0 or more",
                    .kinds = KINDS_WHOLE,
                    .holds = form_is_count},
    [FORM_STRING] = {.name = "a string", .kinds = KIND(STRING)},
    [FORM_STRINGS] = {.name = "an array of strings", ARRAY_OF(0, STRING)},
    [FORM_ARRAY] = {.name = "an array", .kinds = KIND(ARRAY)},
    [FORM_OBJECT] = {.name = "an object", .kinds = KIND(OBJECT)},
    [FORM_TYPE] = {.name = "a type name",
                   .kinds = KIND(STRING),
                   .holds = form_is_type},
    [FORM_TYPES] = {.name = "a type name or a non-empty array of type names",
                    .kinds = KIND(STRING),
                    .holds = form_is_type,
                    ARRAY_OF(1, TYPE)},
    [FORM_STRINGS_MAP] = {.name = "an object of arrays of strings",
                          OBJECT_OF(STRINGS)},
    [FORM_SCHEMA] = {.name = "a schema (an object, true or false)",
                     .kinds = KINDS_SCHEMA},
    [FORM_SCHEMAS] = {.name = "a non-empty array of schemas",
                      ARRAY_OF(1, SCHEMA)},
    [FORM_SCHEMA_MAP] = {.name = "an object of schemas", OBJECT_OF(SCHEMA)},
    [FORM_ITEMS] = {.name = "a schema or an array of schemas",
                    .kinds = KINDS_SCHEMA,
                    ARRAY_OF(0, SCHEMA)},
    [FORM_DEPENDENCY] = {.name = "a schema or an array of strings",
                         .kinds = KINDS_SCHEMA,
                         ARRAY_OF(0, STRING)},
    [FORM_DEPENDENCIES] = {.name = "an object of schemas or arrays of strings",
                           OBJECT_OF(DEPENDENCY)},
    [FORM_SCHEMA_MAPS] = {.name = "an object of objects of schemas",
                          OBJECT_OF(SCHEMA_MAP)},
};

const surety__cell *surety__form_wrong(surety__form form, const surety_doc *doc,
                                       const surety__cell *cell)
{
    /* The containers that cell is in; forms nest no deeper. */
    struct {
        const surety__cell *end;
        const surety__form_row *row;
    } open[2];
    size_t depth = 0;

    do {
        const surety__form_row *row = &surety__form_rows[form];
        const bool single = surety__form_single(form, doc, cell);

        assert(form <= FORM_LAST && row->name);
        if (!single && (!row->container || cell->kind != row->container ||
                        cell->count < row->least))
            return cell;
        if (single) {
            cell = surety__cell_after(cell);
        } else {
            assert(depth < sizeof(open) / sizeof(*open));
            open[depth].end = surety__cell_after(cell++);
            open[depth++].row = row;
        }
        while (depth && cell == open[depth - 1].end)
            depth--;
        if (depth) {
            form = open[depth - 1].row->inner;
            cell += open[depth - 1].row->container == CELL_OBJECT; /* the key */
        }
    } while (depth);
    return NULL;
}
