/* SPDX-License-Identifier: Apache-2.0 */
/* A stock: an allocator that keeps freed blocks for the next ones of their
 * size.
 *
 * Requests of one kind allocate the same sizes again and again. Sizes are
 * rounded up to classes, and each class has a list of free blocks; a block that
 * grows within its class stays where it is. Blocks larger than the last class,
 * and those freed beyond the bound, go to the allocator below. A stock
 * belongs to one thread at a time, so it needs no lock.
 *
 * A block comes with the bytes of its last user, as from any allocator. Where
 * asserts are checked they are overwritten when it is freed, so that nothing
 * reads them; with the build option torture no block is kept, so that the
 * sanitizer sees each use of a freed one. */
#include "base/base.h"

enum {
    STOCK_SMALL = 1024, /* largest size of the fine classes */
    STOCK_FINE = 32,
    STOCK_COARSE = 256,
    STOCK_FINE_COUNT = STOCK_SMALL / STOCK_FINE
};

static_assert(STOCK_FINE_COUNT +
                      (SURETY__STOCK_BLOCK_MAX - STOCK_SMALL) / STOCK_COARSE ==
                  SURETY__STOCK_CLASSES,
              "each size up to the largest has a class");

/* The class of a size; SURETY__STOCK_CLASSES: none. */
static size_t stock_class(size_t size)
{
    if (size <= STOCK_SMALL)
        return (size - 1) / STOCK_FINE;
    if (size <= SURETY__STOCK_BLOCK_MAX)
        return STOCK_FINE_COUNT + (size - STOCK_SMALL - 1) / STOCK_COARSE;
    return SURETY__STOCK_CLASSES;
}

static size_t stock_size(size_t which)
{
    return which < STOCK_FINE_COUNT
               ? (which + 1) * STOCK_FINE
               : STOCK_SMALL + (which - STOCK_FINE_COUNT + 1) * STOCK_COARSE;
}

static void *stock_take(surety__stock *stock, size_t size)
{
    const size_t which = stock_class(size);
    struct surety__stock_block *block;

    if (which == SURETY__STOCK_CLASSES)
        return surety__resize(stock->below, NULL, 0, size);
    block = stock->blocks[which];
    if (!block)
        return surety__resize(stock->below, NULL, 0, stock_size(which));
    stock->blocks[which] = block->next;
    stock->kept -= stock_size(which);
    return block;
}

static void stock_give(surety__stock *stock, void *ptr, size_t size)
{
    const size_t which = stock_class(size);
    struct surety__stock_block *block = ptr;
    size_t own;

    if (which == SURETY__STOCK_CLASSES) {
        surety__free(stock->below, ptr, size);
        return;
    }
    own = stock_size(which);
    if (own > stock->max - stock->kept) {
        surety__free(stock->below, ptr, own);
        return;
    }
#ifndef NDEBUG
    memset(ptr, 0xA5, own);
#endif
    block->next = stock->blocks[which];
    stock->blocks[which] = block;
    stock->kept += own;
}

static void *stock_resize(void *ctx, void *ptr, size_t size_old,
                          size_t size_new)
{
    surety__stock *stock = ctx;
    void *moved;

    if (!size_new) {
        if (size_old)
            stock_give(stock, ptr, size_old);
        return NULL;
    }
    if (!size_old)
        return stock_take(stock, size_new);
    if (stock_class(size_old) == stock_class(size_new))
        return size_old <= SURETY__STOCK_BLOCK_MAX
                   ? ptr
                   : surety__resize(stock->below, ptr, size_old, size_new);
    moved = stock_take(stock, size_new);
    if (!moved)
        return NULL;
    memcpy(moved, ptr, size_old < size_new ? size_old : size_new);
    stock_give(stock, ptr, size_old);
    return moved;
}

void surety__stock_init(surety__stock *stock, const surety_alloc *below,
                        size_t bytes_max)
{
    *stock = (surety__stock){.alloc = {.resize = stock_resize, .ctx = stock},
                             .below = below,
#ifndef SURETY_TORTURE
                             .max = bytes_max
#endif
    };
    (void)bytes_max;
}

void surety__stock_done(surety__stock *stock)
{
    for (size_t i = 0; i < SURETY__STOCK_CLASSES; i++) {
        struct surety__stock_block *block = stock->blocks[i];

        while (block) {
            struct surety__stock_block *next = block->next;

            surety__free(stock->below, block, stock_size(i));
            block = next;
        }
        stock->blocks[i] = NULL;
    }
    stock->kept = 0;
}
