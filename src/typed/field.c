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

/* Where a number of size bytes is in one of eight. */
static char *field_place(uint64_t *eight, uint32_t size)
{
    char *const bytes = (char *)eight;

    assert(size == 1 || size == 2 || size == 4 || size == 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return bytes + 8 - size;
#else
    (void)size;
    return bytes;
#endif
}

uint32_t surety__typed_load(const char *at, uint32_t size)
{
    uint64_t eight = 0;

    memcpy(field_place(&eight, size), at, size);
    return eight > UINT32_MAX ? UINT32_MAX : (uint32_t)eight;
}

void surety__typed_store(char *at, uint32_t size, uint32_t number)
{
    uint64_t eight = number;

    memcpy(at, field_place(&eight, size), size);
}
