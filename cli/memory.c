/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator for large blocks.
 *
 * The tool reads a reply of megabytes once, into a document several times as
 * large, and then ends. The first access to that memory, with a page fault for
 * every four kilobytes, would cost as much as reading the reply; with pages of
 * two megabytes it costs next to nothing. So blocks of MEMORY_LARGE bytes and
 * more have a mapping of their own, aligned to such a page, and are moved by
 * mremap when they grow. If the system has no huge pages, it uses small
 * ones. */
#define _GNU_SOURCE /* mremap, MADV_HUGEPAGE */

#include "memory.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MEMORY_PAGE ((size_t)2 << 20)
#define MEMORY_LARGE ((size_t)1 << 20)

#if defined(__linux__) && defined(MADV_HUGEPAGE)

/* Returns the bytes that are mapped for a block. */
static size_t mapped(size_t size)
{
    return (size + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1);
}

/* Maps len bytes, aligned to a huge page if there is enough address space;
 * NULL: out of memory. */
static char *map_aligned(size_t len)
{
    char *ptr = mmap(NULL, len + MEMORY_PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t before;

    assert(len > 0 && len % MEMORY_PAGE == 0);
    if (ptr == MAP_FAILED) {
        ptr = mmap(NULL, len, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return ptr == MAP_FAILED ? NULL : ptr;
    }
    before = (0 - (uintptr_t)ptr) & (MEMORY_PAGE - 1);
    if (before)
        munmap(ptr, before);
    munmap(ptr + before + len, MEMORY_PAGE - before);
    (void)madvise(ptr + before, len, MADV_HUGEPAGE);
    return ptr + before;
}

/* Resizes a large block to another large size. */
static void *remap(void *ptr, size_t size_old, size_t size_new)
{
    const size_t len_old = mapped(size_old);
    const size_t len_new = mapped(size_new);
    char *to;

    if (len_new <= len_old) {
        if (len_new < len_old)
            munmap((char *)ptr + len_new, len_old - len_new);
        return ptr;
    }
    to = map_aligned(len_new);
    if (!to) {
        to = mremap(ptr, len_old, len_new, MREMAP_MAYMOVE);
        return to == MAP_FAILED ? NULL : to;
    }
    if (mremap(ptr, len_old, len_old, MREMAP_MAYMOVE | MREMAP_FIXED, to) ==
        MAP_FAILED) {
        munmap(to, len_new);
        return NULL;
    }
    return to;
}

static void *resize(void *ctx, void *ptr, size_t size_old, size_t size_new)
{
    const bool was_large = size_old >= MEMORY_LARGE;
    const bool is_large = size_new >= MEMORY_LARGE;
    void *to;

    (void)ctx;
    if (size_new > SIZE_MAX / 2)
        return NULL;
    if (was_large && is_large)
        return remap(ptr, size_old, size_new);
    if (!was_large && !is_large) {
        if (size_new)
            return realloc(ptr, size_new);
        free(ptr);
        return NULL;
    }
    to = is_large   ? map_aligned(mapped(size_new))
         : size_new ? malloc(size_new)
                    : NULL;
    if (size_new && !to)
        return NULL;
    if (to && size_old)
        memcpy(to, ptr, size_old < size_new ? size_old : size_new);
    if (was_large)
        munmap(ptr, mapped(size_old));
    else
        free(ptr);
    return to;
}

void memory_advise(void *ptr, size_t size)
{
    const size_t before = (0 - (uintptr_t)ptr) & (MEMORY_PAGE - 1);

    if (size >= MEMORY_LARGE && size > before + MEMORY_PAGE)
        (void)madvise((char *)ptr + before,
                      (size - before) & ~(MEMORY_PAGE - 1), MADV_HUGEPAGE);
}

#else

static void *resize(void *ctx, void *ptr, size_t size_old, size_t size_new)
{
    (void)ctx;
    (void)size_old;
    if (size_new)
        return realloc(ptr, size_new);
    free(ptr);
    return NULL;
}

void memory_advise(void *ptr, size_t size)
{
    (void)ptr;
    (void)size;
}

#endif

const surety_alloc memory_large = {resize, NULL};
