/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of C types. Finds a word of an enumeration, or a member of a
 * struct, by name. Reads and writes unsigned numbers of 1, 2, 4 or 8 bytes in
 * memory whose type is known only at run time. */
#include "typed/inside.h"

size_t surety_typed_find(const surety_str *words, size_t count, surety_str name)
{
    for (size_t i = 0; i < count; i++)
        if (surety_str_equal(words[i], name))
            return i;
    return count;
}

uint32_t surety__typed_member(const surety_typed_type *type, surety_str name,
                              uint32_t hint)
{
    uint32_t low = 0, high = type->count;

    if (hint < type->count && surety_str_equal(type->members[hint].name, name))
        return hint;
    if (!type->sorted) {
        for (uint32_t i = 0; i < type->count; i++)
            if (surety_str_equal(type->members[i].name, name))
                return i;
        return type->count;
    }
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t i = type->sorted[middle];
        const int order = surety__str_compare(type->members[i].name, name);

        if (order == 0)
            return i;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return type->count;
}

uint32_t surety__typed_load(const char *at, uint32_t size)
{
    uint32_t four = 0;
    uint64_t eight = 0;
    uint16_t two = 0;

    if (size == 4) {
        memcpy(&four, at, 4);
        return four;
    }
    if (size == 8) {
        memcpy(&eight, at, 8);
        return eight > UINT32_MAX ? UINT32_MAX : (uint32_t)eight;
    }
    if (size == 2) {
        memcpy(&two, at, 2);
        return two;
    }
    return *(const unsigned char *)at;
}

void surety__typed_store(char *at, uint32_t size, uint32_t number)
{
    const uint64_t eight = number;
    const uint16_t two = (uint16_t)number;
    const uint8_t one = (uint8_t)number;

    assert(size == 1 || size == 2 || size == 4 || size == 8);
    if (size == 4)
        memcpy(at, &number, 4);
    else if (size == 8)
        memcpy(at, &eight, 8);
    else if (size == 2)
        memcpy(at, &two, 2);
    else
        memcpy(at, &one, 1);
}
