/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's allocator: here one that counts, and refuses beyond a budget. */
#include <surety.h>

#include <stdio.h>
#include <stdlib.h>

struct budget {
    size_t used, most;
};

static void *budget_resize(void *ctx, void *ptr, size_t size_old,
                           size_t size_new)
{
    struct budget *budget = ctx;
    void *moved;

    if (size_new == 0) {
        budget->used -= size_old;
        free(ptr);
        return NULL;
    }
    if (budget->used - size_old + size_new > budget->most)
        return NULL;
    moved = realloc(ptr, size_new);
    if (moved)
        budget->used += size_new - size_old;
    return moved;
}

int main(void)
{
    static const size_t budgets[] = {64 * 1024, 100};

    for (size_t i = 0; i < 2; i++) {
        struct budget budget = {0, budgets[i]};
        surety_alloc alloc = {budget_resize, &budget};
        surety_doc *doc = surety_doc_new(&alloc);
        surety_status status =
            doc ? surety_doc_read(doc, surety_str_of("[1, [2, 3], {\"a\": 4}]"),
                                  NULL, NULL)
                : SURETY_NOMEM;

        printf("with %zu bytes: %s\n", budgets[i], surety_status_name(status));
        surety_doc_free(doc);
        printf("left over: %zu bytes\n", budget.used);
    }
    return 0;
}
