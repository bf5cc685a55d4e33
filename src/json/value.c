/* SPDX-License-Identifier: Apache-2.0 */
/* Reads values: their kind and content, and the children of containers.
 *
 * A value is a document and the index of a cell. Each function fetches the
 * cell, or treats the value as absent. */
#include "json/inside.h"

static const surety__cell *value_cell(surety_val val)
{
    return val.doc && val.index < val.doc->cell_count ? surety__cell_of(val)
                                                      : NULL;
}

static const surety__cell *value_number(surety_val val)
{
    const surety__cell *cell = value_cell(val);

    return cell && surety__cell_is_number(cell) ? cell : NULL;
}

const char *surety_kind_name(surety_kind kind)
{
    static const char *const names[] = {"none",   "null",  "boolean", "number",
                                        "string", "array", "object"};

    return (unsigned)kind < sizeof(names) / sizeof(*names) ? names[kind]
                                                           : "none";
}

surety_kind surety_val_kind(surety_val val)
{
    /* ORDER surety__cell_kind */
    static const uint8_t kinds[] = {
        SURETY_KIND_NONE,    SURETY_KIND_NULL,   SURETY_KIND_BOOLEAN,
        SURETY_KIND_BOOLEAN, SURETY_KIND_NUMBER, SURETY_KIND_NUMBER,
        SURETY_KIND_NUMBER,  SURETY_KIND_STRING, SURETY_KIND_STRING,
        SURETY_KIND_ARRAY,   SURETY_KIND_OBJECT};
    const surety__cell *cell = value_cell(val);

    return cell ? (surety_kind)kinds[cell->kind] : SURETY_KIND_NONE;
}

bool surety_val_bool(surety_val val, bool otherwise)
{
    const surety__cell *cell = value_cell(val);

    if (!cell || (cell->kind != CELL_TRUE && cell->kind != CELL_FALSE))
        return otherwise;
    return cell->kind == CELL_TRUE;
}

surety_str surety_val_str(surety_val val)
{
    const surety__cell *cell = value_cell(val);

    if (!cell || !surety__cell_is_string(cell))
        return (surety_str){NULL, 0};
    return surety__cell_str(val.doc, cell);
}

bool surety_val_is(surety_val val, const char *string)
{
    return surety_val_kind(val) == SURETY_KIND_STRING &&
           surety_str_equal(surety_val_str(val), surety_str_of(string));
}

/* Sets *ret_size to the magnitude of an integer, and *ret_negative to whether
 * it is below 0. Returns false when val is no integer, or its magnitude needs
 * more than 64 bits. */
static bool value_whole(surety_val val, uint64_t *ret_size, bool *ret_negative)
{
    const surety__cell *cell = value_number(val);
    surety__decimal number;
    uint64_t size = 0;
    int64_t zeros;

    if (!cell || cell->kind == CELL_REAL)
        return false;
    if (cell->kind == CELL_INT) {
        *ret_negative = cell->i < 0;
        *ret_size = *ret_negative ? 0 - (uint64_t)cell->i : (uint64_t)cell->i;
        return true;
    }
    number = surety__cell_decimal(val.doc, cell);
    zeros = number.exponent;
    if (number.digit_count + zeros > 20)
        return false;
    for (uint32_t i = 0; i < number.digits_len; i++)
        if (number.digits[i] != '.' &&
            (__builtin_mul_overflow(size, (uint64_t)10, &size) ||
             __builtin_add_overflow(size, (uint64_t)(number.digits[i] - '0'),
                                    &size)))
            return false;
    for (; zeros > 0; zeros--)
        if (__builtin_mul_overflow(size, (uint64_t)10, &size))
            return false;
    *ret_size = size;
    *ret_negative = number.negative && size;
    return true;
}

int64_t surety_val_int(surety_val val, int64_t otherwise)
{
    uint64_t size;
    bool negative;

    if (!value_whole(val, &size, &negative) ||
        size > (uint64_t)INT64_MAX + negative)
        return otherwise;
    return negative ? -(int64_t)(size - 1) - 1 : (int64_t)size;
}

uint64_t surety_val_uint(surety_val val, uint64_t otherwise)
{
    uint64_t size;
    bool negative;

    return value_whole(val, &size, &negative) && !negative ? size : otherwise;
}

double surety_val_real(surety_val val, double otherwise)
{
    const surety__cell *cell = value_number(val);

    if (!cell)
        return otherwise;
    /* A double holds an integer of up to 53 bits exactly; 0 may be -0. */
    if (cell->kind == CELL_INT && cell->i != 0 &&
        cell->i >= -((int64_t)1 << 53) && cell->i <= (int64_t)1 << 53)
        return (double)cell->i;
    return surety__number_real(surety__cell_number(val.doc, cell));
}

bool surety_val_is_integer(surety_val val)
{
    const surety__cell *cell = value_number(val);

    return cell && cell->kind != CELL_REAL;
}

surety_str surety_val_number(surety_val val)
{
    const surety__cell *cell = value_number(val);

    return cell ? surety__cell_number(val.doc, cell) : (surety_str){NULL, 0};
}

size_t surety_val_count(surety_val val)
{
    const surety__cell *cell = value_cell(val);

    return cell && cell->kind >= CELL_ARRAY ? cell->count : 0;
}

surety_val surety_val_first(surety_val container)
{
    const surety__cell *cell = value_cell(container);

    if (!cell || cell->kind < CELL_ARRAY || cell->count == 0)
        return surety_val_none();
    return surety__val_of(container.doc,
                          cell + (cell->kind == CELL_OBJECT ? 2 : 1));
}

surety_val surety_val_next(surety_val container, surety_val child)
{
    const surety__cell *cell = value_cell(container);
    const surety__cell *at = value_cell(child);

    if (!cell || !at || cell->kind < CELL_ARRAY || container.doc != child.doc)
        return surety_val_none();
    at = surety__cell_after(at);
    if (at >= surety__cell_after(cell))
        return surety_val_none();
    return surety__val_of(container.doc,
                          at + (cell->kind == CELL_OBJECT ? 1 : 0));
}

surety_val surety_val_key(surety_val member)
{
    const surety__cell *cell = value_cell(member);

    if (!cell || member.index == 0 || cell[-1].kind != CELL_KEY)
        return surety_val_none();
    return surety__val_of(member.doc, cell - 1);
}

surety_val surety_val_item(surety_val array, size_t i)
{
    const surety__cell *cell = value_cell(array);

    if (!cell || cell->kind != CELL_ARRAY || i >= cell->count)
        return surety_val_none();
    for (cell++; i > 0; i--)
        cell = surety__cell_after(cell);
    return surety__val_of(array.doc, cell);
}

const surety__cell *surety__member(const surety_doc *doc,
                                   const surety__cell *object, surety_str key,
                                   uint32_t hash)
{
    const surety__cell *cell = object + 1;

    for (uint32_t i = 0; i < object->count; i++) {
        if (cell->hash == (uint16_t)hash && cell->len == key.len &&
            (key.len == 0 ||
             memcmp(surety__cell_str(doc, cell).ptr, key.ptr, key.len) == 0))
            return cell + 1;
        cell = surety__cell_after(cell + 1);
    }
    return NULL;
}

surety_val surety_val_member(surety_val object, surety_str key)
{
    const surety__cell *cell = value_cell(object);
    const surety__cell *member;

    if (!cell || cell->kind != CELL_OBJECT)
        return surety_val_none();
    member =
        surety__member(object.doc, cell, key, surety__hash(key.ptr, key.len));
    return member ? surety__val_of(object.doc, member) : surety_val_none();
}

surety_val surety_val_get(surety_val object, const char *key)
{
    return surety_val_member(object, surety_str_of(key));
}
