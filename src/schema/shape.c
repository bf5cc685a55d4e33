/* SPDX-License-Identifier: Apache-2.0 */
/* Predicates on shapes and values; nothing here evaluates a subschema. */
#include "schema/shape.h"

/* ---- references --------------------------------------------------------- */

bool surety__shape_asserts(const surety__shape *shape)
{
    return shape->types != TYPE_ANY || shape->choices || shape->constant ||
           shape->numbers || shape->strings || shape->arrays || shape->objects;
}

bool surety__shape_refers(const surety__shape *shape)
{
    return shape->applicator_count == 1 &&
           shape->applicators[0].keyword == KW_REF &&
           !surety__shape_asserts(shape);
}

const surety__shape *surety__shape_meant(const surety__shape *shape,
                                         const surety__resource *within)
{
    for (int hops = 0; hops < REFERENCE_HOPS && surety__shape_refers(shape) &&
                       (!within || shape->resource == within);
         hops++)
        shape = shape->applicators[0].shapes[0];
    return shape;
}

const surety__shape *surety__schema_shape(const surety_schema *schema,
                                          surety_val at)
{
    for (size_t i = 0; i < schema->shape_count; i++)
        if (schema->shapes[i]->at.doc == at.doc &&
            schema->shapes[i]->at.index == at.index)
            return schema->shapes[i];
    return NULL;
}

/* ---- values -------------------------------------------------------------- */

const uint8_t surety__type_of_kind[CELL_KINDS] = {
    [CELL_NULL] = TYPE_NULL,     [CELL_FALSE] = TYPE_BOOLEAN,
    [CELL_TRUE] = TYPE_BOOLEAN,  [CELL_INT] = TYPE_INTEGER,
    [CELL_WHOLE] = TYPE_INTEGER, [CELL_REAL] = TYPE_NUMBER,
    [CELL_STRING] = TYPE_STRING, [CELL_KEY] = TYPE_STRING,
    [CELL_ARRAY] = TYPE_ARRAY,   [CELL_OBJECT] = TYPE_OBJECT,
};

unsigned surety__type_bits(const surety_doc *doc, const surety__cell *cell,
                           bool lexical_integer)
{
    surety_str text;

    if (cell->kind != CELL_WHOLE || !lexical_integer)
        return surety__type_of_kind[cell->kind];
    text = surety__cell_str(doc, cell);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '.' || text.ptr[i] == 'e' || text.ptr[i] == 'E')
            return TYPE_NUMBER;
    return TYPE_INTEGER;
}

bool surety__cell_equal(surety_val a, surety_val b)
{
    const surety__cell *left = surety__cell_of(a);
    const surety__cell *right = surety__cell_of(b);

    if (surety__cell_is_string(left) || surety__cell_is_string(right))
        return surety__cell_is_string(left) && surety__cell_is_string(right) &&
               surety_str_equal(surety__cell_str(a.doc, left),
                                surety__cell_str(b.doc, right));
    return surety_val_equal(a, b);
}

bool surety__choices_have(const surety__choices *choices,
                          const surety_doc *schema_doc, surety_val val)
{
    size_t low = 0;
    size_t high = choices->count;
    uint64_t hash;

    if (choices->count <= CHOICES_SORTED) {
        for (size_t i = 0; i < choices->count; i++)
            if (surety__cell_equal(
                    (surety_val){schema_doc, (uint32_t)choices->list[i].value},
                    val))
                return true;
        return false;
    }
    hash = surety__val_hash(val);
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (choices->list[middle].key < hash)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < choices->count && choices->list[low].key == hash; low++)
        if (surety__cell_equal(
                (surety_val){schema_doc, (uint32_t)choices->list[low].value},
                val))
            return true;
    return false;
}

/* ---- properties ---------------------------------------------------------- */

const surety__property *surety__objects_named(const surety__objects *objects,
                                              surety_str name, uint32_t hash)
{
    uint32_t at;

    if (!objects->property_count)
        return NULL;
    assert(hash <= UINT16_MAX &&
           objects->property_count <= objects->table_mask);
    for (at = surety__objects_slot(objects, hash); objects->table[at];
         at = (at + 1) & objects->table_mask) {
        const surety__property *property =
            &objects->properties[objects->table[at] - 1];

        if (property->hash == hash && property->name.len == name.len &&
            (!name.len || !memcmp(property->name.ptr, name.ptr, name.len)))
            return property;
    }
    return NULL;
}

const surety__property *surety__objects_find(const surety__objects *objects,
                                             const surety_doc *doc,
                                             const surety__cell *key)
{
    return surety__objects_named(objects, surety__cell_str(doc, key),
                                 key->hash);
}
