/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: the memory of one result, freed as a whole.
 *
 * Chunks double in size, never move, and are linked newest first. A request
 * that does not fit into the newest chunk opens another one. No allocation is
 * freed alone. */
#include "base/base.h"

struct surety__chunk {
    struct surety__chunk *next;
    size_t size; /* bytes of data */
    max_align_t data[];
};

#ifdef SURETY_TORTURE
enum { CHUNK_FIRST = 64 };
#else
enum { CHUNK_FIRST = 512 };
#endif
enum { CHUNK_MAX = 1 << 20, ARENA_ALIGN = _Alignof(max_align_t) };

void surety__arena_init(surety__arena *arena, const surety_alloc *alloc,
                        size_t max)
{
    *arena = (surety__arena){.alloc = alloc, .max = max ? max : SIZE_MAX / 2};
}

static void chunk_free(const surety_alloc *alloc, struct surety__chunk *chunk)
{
    surety__free(alloc, chunk, sizeof(*chunk) + chunk->size);
}

void surety__arena_done(surety__arena *arena)
{
    while (arena->chunks) {
        struct surety__chunk *next = arena->chunks->next;

        chunk_free(arena->alloc, arena->chunks);
        arena->chunks = next;
    }
    arena->used = 0;
    arena->total = 0;
}

void surety__arena_reset(surety__arena *arena)
{
    struct surety__chunk *keep = arena->chunks;
    struct surety__chunk *chunk = arena->chunks;

    for (; chunk; chunk = chunk->next)
        if (chunk->size > keep->size)
            keep = chunk;
    for (chunk = arena->chunks; chunk;) {
        struct surety__chunk *next = chunk->next;

        if (chunk != keep)
            chunk_free(arena->alloc, chunk);
        chunk = next;
    }
    arena->chunks = keep;
    arena->used = 0;
    arena->total = keep ? keep->size : 0;
    if (keep)
        keep->next = NULL;
}

static bool chunk_open(surety__arena *arena, size_t size)
{
    size_t want = arena->chunks ? arena->chunks->size * 2 : CHUNK_FIRST;
    struct surety__chunk *chunk;

    if (want > CHUNK_MAX)
        want = CHUNK_MAX;
    if (want < size)
        want = size;
    if (size > arena->max || arena->total > arena->max - size)
        return false;
    if (want > arena->max - arena->total)
        want = size;
    chunk = surety__resize(arena->alloc, NULL, 0, sizeof(*chunk) + want);
    if (!chunk)
        return false;
    chunk->next = arena->chunks;
    chunk->size = want;
    arena->chunks = chunk;
    arena->used = 0;
    arena->total += want;
    return true;
}

/* As surety__arena_take, but the bytes are not set. */
static void *arena_room(surety__arena *arena, size_t size)
{
    char *start;

    if (size > SIZE_MAX / 4)
        return NULL;
    size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (!arena->chunks || arena->chunks->size - arena->used < size)
        if (!chunk_open(arena, size))
            return NULL;
    start = (char *)arena->chunks->data + arena->used;
    arena->used += size;
    assert(arena->used <= arena->chunks->size);
    return start;
}

static void arena_report(surety__arena *arena, surety_status status)
{
    if (arena->status && *arena->status == SURETY_OK)
        *arena->status = status;
}

void *surety__arena_take(surety__arena *arena, size_t size)
{
    void *start = arena_room(arena, size);

    if (start)
        return memset(start, 0, size);
    arena_report(arena, SURETY_NOMEM);
    return NULL;
}

surety_str surety__arena_text(surety__arena *arena, surety_str text)
{
    char *copy = text.len < SIZE_MAX ? arena_room(arena, text.len + 1) : NULL;

    if (!copy) {
        arena_report(arena, SURETY_NOMEM);
        return (surety_str){NULL, 0};
    }
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return (surety_str){copy, text.len};
}

surety_str surety__arena_buf(surety__arena *arena, surety_buf *buf)
{
    surety_str text = {NULL, 0};

    if (buf->status)
        arena_report(arena, buf->status);
    else
        text = surety__arena_text(arena, surety_buf_str(buf));
    surety_buf_done(buf);
    return text;
}
