/* SPDX-License-Identifier: Apache-2.0 */
/* The harness of the C tests; see check.h. */
#include "check.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Allocations of one test that are each failed in turn; a test that makes more
 * is sampled evenly beyond these, so that `make test` takes eight minutes at
 * most; --fault-all fails every one. */
enum { FAULT_EVERY = 100, FAULT_SAMPLES = 50 };

static void check_say(struct check *t, const char *file, int line)
{
    t->failed = true;
    printf("# %s:%d: %s", file, line, t->name);
    if (t->fail_at)
        printf(" (allocation %zu failing%s)", t->fail_at,
               t->sticky ? " and all after it" : "");
    printf(": ");
}

/* A block begins with its size, which whoever gives it back must know. */
union check_block {
    size_t size;
    max_align_t align;
};

static void check_sized(struct check *t, const union check_block *block,
                        size_t size)
{
    if ((block ? block->size : 0) == size || t->failed || t->fail_at)
        return;
    check_say(t, t->name, 0);
    printf("a block of %zu bytes is given back as one of %zu\n",
           block ? block->size : 0, size);
}

static void *check_resize(void *ctx, void *ptr, size_t size_old,
                          size_t size_new)
{
    struct check *t = ctx;
    union check_block *block = ptr ? (union check_block *)ptr - 1 : NULL;
    union check_block *moved;

    check_sized(t, block, size_old);
    if (size_new == 0) {
        t->live -= block != NULL;
        free(block);
        return NULL;
    }
    t->made++;
    if (t->fail_at &&
        (t->made == t->fail_at || (t->sticky && t->made > t->fail_at))) {
        t->starved = true;
        return NULL;
    }
    /* Always another block: whoever keeps an old pointer is found out. */
    moved = malloc(sizeof(*moved) + size_new);
    if (!moved)
        abort();
    moved->size = size_new;
    if (block) {
        memcpy(moved + 1, ptr, size_old < size_new ? size_old : size_new);
        free(block);
    } else {
        t->live++;
    }
    return moved + 1;
}

const surety_alloc *check_alloc(struct check *t)
{
    return &t->alloc;
}

surety_status check_schema(struct check *t, const char *text,
                           surety_schema **ret_schema)
{
    const surety_schema_options options = {.size = sizeof(options),
                                           .alloc = check_alloc(t)};

    return surety_schema_read(surety_str_of(text), &options, ret_schema, NULL);
}

surety_status check_contract(struct check *t, const char *text,
                             surety_contract **ret_contract)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};

    return surety_contract_read(surety_str_of(text), &options, ret_contract,
                                NULL);
}

surety_status check_report(struct check *t, const char *contract,
                           surety_str report, bool *ret_ok)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};
    surety_registry *registry = NULL;
    surety_contract *found = NULL;
    surety_outcome *outcome = NULL;
    surety_status status =
        surety_registry_new(surety_str_of(""), &options, &registry, NULL);

    if (status == SURETY_OK)
        status = surety_registry_find(registry, surety_str_of(contract), &found,
                                      NULL);
    if (status == SURETY_OK)
        status = surety_contract_judge(found, report, NULL, &outcome, NULL);
    if (status == SURETY_OK) {
        *ret_ok = surety_outcome_info_of(outcome)->ok;
        if (!*ret_ok)
            printf("# %.*s\n", (int)report.len, report.ptr);
    }
    surety_outcome_free(outcome);
    surety_contract_free(found);
    surety_registry_free(registry);
    return status;
}

bool check_that(struct check *t, bool holds, const char *text, const char *file,
                int line)
{
    if (holds)
        return true;
    check_say(t, file, line);
    printf("%s does not hold\n", text);
    return false;
}

bool check_status(struct check *t, surety_status status, const char *text,
                  const char *file, int line)
{
    if (status == SURETY_OK)
        return true;
    if (status == SURETY_NOMEM && t->starved)
        return false;
#ifndef SURETY_WITH_JQ
    if (status == SURETY_UNSUPPORTED) {
        t->skipped = true;
        return false;
    }
#endif
    check_say(t, file, line);
    printf("%s gave \"%s\"\n", text, surety_status_name(status));
    return false;
}

bool check_have(struct check *t, const void *ptr, const char *text,
                const char *file, int line)
{
    if (ptr || t->starved)
        return ptr != NULL;
    check_say(t, file, line);
    printf("%s is NULL\n", text);
    return false;
}

bool check_text(struct check *t, surety_str got, const char *want,
                const char *file, int line)
{
    if (surety_str_equal(got, surety_str_of(want)))
        return true;
    check_say(t, file, line);
    printf("got  \"%.*s\"\n#   want \"%s\"\n", (int)got.len,
           got.ptr ? got.ptr : "", want);
    return false;
}

bool check_json(struct check *t, surety_val got, const char *want,
                const char *file, int line)
{
    surety_buf text;
    bool good;

    surety_buf_init(&text, check_alloc(t), 0);
    if (got.doc)
        (void)surety_val_write(got, SURETY_STYLE_COMPACT, &text);
    good = check_status(t, text.status, "surety_val_write", file, line) &&
           check_text(t, surety_buf_str(&text), want, file, line);
    surety_buf_done(&text);
    return good;
}

static void check_run(struct check *t, const struct check_test *test,
                      size_t fail_at, bool sticky)
{
    *t = (struct check){.name = test->name,
                        .alloc = {check_resize, t},
                        .fail_at = fail_at,
                        .sticky = sticky};
    test->run(t);
    if (t->live && !t->failed) {
        check_say(t, test->name, 0);
        printf("%zu blocks were not freed\n", t->live);
    }
}

/* Every allocation that the test makes, failing alone and from there on. */
static bool check_starve(const struct check_test *test, bool all,
                         size_t *ret_runs)
{
    struct check t;
    size_t made, step = 1;

    check_run(&t, test, 0, false);
    made = t.made;
    for (size_t n = 1; n <= made && !t.failed; n += step) {
        if (!all && n > FAULT_EVERY && made > FAULT_EVERY + FAULT_SAMPLES)
            step = (made - FAULT_EVERY) / FAULT_SAMPLES;
        for (int sticky = 0; sticky < 2 && !t.failed; sticky++) {
            check_run(&t, test, n, sticky);
            ++*ret_runs;
        }
    }
    return !t.failed;
}

int check_main(int argc, char **argv, const struct check_test *tests,
               size_t count)
{
    bool all = argc > 1 && !strcmp(argv[1], "--fault-all");
    bool fault = all || (argc > 1 && !strcmp(argv[1], "--fault"));
    bool good = true;

    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        struct check t;
        size_t runs = 0;
        bool holds;

        if (fault) {
            holds = check_starve(&tests[i], all, &runs);
        } else {
            check_run(&t, &tests[i], 0, false);
            holds = !t.failed;
        }
        good = good && holds;
        printf("%s %zu - %s", holds ? "ok" : "not ok", i + 1, tests[i].name);
        if (fault)
            printf(" (%zu starved runs)", runs);
        else if (t.skipped)
            printf(" # SKIP rules are not built in");
        printf("\n");
        fflush(stdout);
    }
    return good ? 0 : 1;
}
