/* SPDX-License-Identifier: Apache-2.0 */
/* The simulators' allocator stands over libc's, whose own failure ends the
 * program: only the seed decides when memory runs out. */
#include "sim/memory.h"

#include <stdlib.h>

void *memory_resize(void *ctx, void *ptr, size_t size_old, size_t size_new)
{
    struct memory *memory = ctx;
    void *moved;

    (void)size_old;
    if (!size_new) {
        memory->live -= ptr != NULL;
        free(ptr);
        return NULL;
    }
    if (memory->fail_at && ++memory->made >= memory->fail_at) {
        memory->starved = true;
        return NULL;
    }
    moved = realloc(ptr, size_new);
    if (!moved)
        abort();
    memory->live += ptr == NULL;
    return moved;
}
