/* SPDX-License-Identifier: Apache-2.0 */
/* Heap sort of pairs: in place, without recursion, and n log n even for input
 * that was chosen to be slow. */
#include "base/base.h"

static bool pair_before(const surety__pair *a, const surety__pair *b)
{
    return a->key != b->key ? a->key < b->key : a->value < b->value;
}

static void pairs_sift(surety__pair *pairs, size_t at, size_t count)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        const surety__pair moved = pairs[at];

        if (child + 1 < count && pair_before(&pairs[child], &pairs[child + 1]))
            child++;
        if (!pair_before(&moved, &pairs[child]))
            return;
        pairs[at] = pairs[child];
        pairs[child] = moved;
        at = child;
    }
}

void surety__pairs_sort(surety__pair *pairs, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        pairs_sift(pairs, i, count);
    for (size_t end = count; end-- > 1;) {
        const surety__pair last = pairs[end];

        pairs[end] = pairs[0];
        pairs[0] = last;
        pairs_sift(pairs, 0, end);
    }
}
