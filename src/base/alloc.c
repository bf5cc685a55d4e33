/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that calls the C library's allocator.
 *
 * The caller's surety_alloc has one function to allocate, grow and free; NULL
 * means libc. It always gets the old size, so that it can be an arena or the
 * memory context of a database. */
#include "base/base.h"

#include <stdlib.h>

/* The first capacity of a vector, and of one of bytes, which is a text. Large
 * items take no more than GROW_FIRST_SIZE bytes, or one item: most lists of
 * them have one. With the build option torture it is 1, so that blocks move as
 * often as possible. */
#ifdef SURETY_TORTURE
enum { GROW_FIRST = 1, GROW_FIRST_BYTES = 1, GROW_FIRST_SIZE = 1 };
#else
enum { GROW_FIRST = 16, GROW_FIRST_BYTES = 128, GROW_FIRST_SIZE = 1024 };
#endif

void *surety__resize(const surety_alloc *alloc, void *ptr, size_t size_old,
                     size_t size_new)
{
    if (alloc)
        return size_old || size_new
                   ? alloc->resize(alloc->ctx, ptr, size_old, size_new)
                   : NULL;
    if (size_new == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, size_new);
}

void *surety__new(const surety_alloc *alloc, size_t size)
{
    void *ptr = surety__resize(alloc, NULL, 0, size);

    if (ptr)
        memset(ptr, 0, size);
    return ptr;
}

static size_t grow_first(size_t item_size)
{
    if (item_size == 1)
        return GROW_FIRST_BYTES;
    return item_size * GROW_FIRST <= GROW_FIRST_SIZE
               ? GROW_FIRST
               : GROW_FIRST_SIZE / item_size;
}

/* Whether so many items fit the memory; a division would cost more. */
static bool grow_fits(size_t count, size_t item_size)
{
    size_t size;

    return !__builtin_mul_overflow(count, item_size, &size) &&
           size <= SIZE_MAX / 2;
}

surety_status surety__grow(const surety_alloc *alloc, void *vector, size_t *cap,
                           size_t count, size_t item_size, size_t max)
{
    size_t want = *cap + *cap / 2 + 1;
    void *items;

    assert(item_size > 0);
    if (count <= *cap)
        return SURETY_OK;
    if (count > max || !grow_fits(count, item_size))
        return SURETY_LIMIT;
    if (!*cap && item_size <= GROW_FIRST_SIZE)
        want = grow_first(item_size);
    if (want < count)
        want = count;
    if (want > max)
        want = max;
    if (!grow_fits(want, item_size))
        want = count;
    memcpy(&items, vector, sizeof(items));
    items = surety__resize(alloc, items, *cap * item_size, want * item_size);
    if (!items)
        return SURETY_NOMEM;
    memcpy(vector, &items, sizeof(items));
    *cap = want;
    return SURETY_OK;
}
