/* SPDX-License-Identifier: Apache-2.0 */
/* A stock of blocks: no two live blocks share a byte, a block that is resized
 * keeps its bytes, no more is kept than the bound, and the same work again
 * needs no new block. */
#include "base/base.h"
#include "check.h"

#include <string.h>

enum { BLOCKS = 24, STEPS = 300, KEPT_MAX = 20000 };

/* A block with the byte that all of it has. */
struct held {
    unsigned char *ptr;
    size_t size;
    unsigned char byte;
};

static uint32_t random_below(uint32_t *state, uint32_t bound)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % bound;
}

/* Sizes at the edges of the classes, and any others. */
static size_t random_size(uint32_t *state)
{
    static const size_t edges[] = {1,    31,   32,   33,   1023,
                                   1024, 1025, 1279, 1280, 1281,
                                   8191, 8192, 8193, 9000, 20001};

    if (random_below(state, 2))
        return edges[random_below(state, CHECK_COUNT(edges))];
    return 1 + random_below(state, 10000);
}

static bool is_whole(const struct held *held, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (held->ptr[i] != held->byte)
            return false;
    return true;
}

/* One step with a block: it is made, resized or freed. */
static void take_step(struct check *t, surety__stock *stock, struct held *held,
                      uint32_t *state)
{
    const surety_alloc *alloc = &stock->alloc;
    const size_t size = random_below(state, 3) ? random_size(state) : 0;
    const size_t common = size < held->size ? size : held->size;
    unsigned char *ptr;

    CHECK(is_whole(held, held->size));
    ptr = surety__resize(alloc, held->ptr, held->size, size);
    NEED(size ? (void *)ptr : (void *)t);
    held->ptr = ptr;
    held->size = size;
    CHECK(is_whole(held, common));
    held->byte = (unsigned char)random_below(state, 256);
    if (size)
        memset(ptr, held->byte, size);
done:;
}

TEST(keeps_every_byte)
{
    struct held held[BLOCKS] = {{NULL, 0, 0}};
    surety__stock stock;
    uint32_t state = 7;

    surety__stock_init(&stock, check_alloc(t), KEPT_MAX);
    for (size_t i = 0; i < STEPS; i++) {
        take_step(t, &stock, &held[random_below(&state, BLOCKS)], &state);
        CHECK(stock.kept <= KEPT_MAX);
    }
done:
    for (size_t i = 0; i < BLOCKS; i++)
        surety__free(&stock.alloc, held[i].ptr, held[i].size);
    surety__stock_done(&stock);
}

/* The blocks of a request, which are freed at its end. */
static bool request(const surety_alloc *alloc)
{
    static const size_t sizes[] = {5648, 352, 352, 3624, 40, 1};
    void *blocks[CHECK_COUNT(sizes)] = {NULL};
    bool good = true;

    for (size_t i = 0; i < CHECK_COUNT(sizes) && good; i++) {
        blocks[i] = surety__new(alloc, sizes[i]);
        good = blocks[i] != NULL;
    }
    for (size_t i = 0; i < CHECK_COUNT(sizes); i++)
        if (blocks[i])
            surety__free(alloc, blocks[i], sizes[i]);
    return good;
}

TEST(needs_nothing_the_second_time)
{
    surety__stock stock;
    size_t made;

    surety__stock_init(&stock, check_alloc(t), KEPT_MAX);
    NEED(request(&stock.alloc) ? t : NULL);
    made = t->made;
    NEED(request(&stock.alloc) ? t : NULL);
#ifdef SURETY_TORTURE
    CHECK(t->made > made && !stock.kept);
#else
    CHECK(t->made == made && stock.kept > 10000);
#endif
done:
    surety__stock_done(&stock);
}

TEST(keeps_no_more_than_its_bound)
{
    surety__stock stock;
    void *first = NULL;
    void *second = NULL;

    surety__stock_init(&stock, check_alloc(t), 128);
    first = surety__resize(&stock.alloc, NULL, 0, 100);
    second = surety__resize(&stock.alloc, NULL, 0, 33);
    NEED(first && second ? t : NULL);
    surety__free(&stock.alloc, first, 100);
    surety__free(&stock.alloc, second, 33);
    first = second = NULL;
#ifndef SURETY_TORTURE
    CHECK(stock.kept == 128 && t->live == 1);
#else
    CHECK(stock.kept == 0 && t->live == 0);
#endif
done:
    if (first)
        surety__free(&stock.alloc, first, 100);
    if (second)
        surety__free(&stock.alloc, second, 33);
    surety__stock_done(&stock);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"keeps every byte", keeps_every_byte},
        {"needs nothing the second time", needs_nothing_the_second_time},
        {"keeps no more than its bound", keeps_no_more_than_its_bound}};

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
