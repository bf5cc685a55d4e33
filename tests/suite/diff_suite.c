/* SPDX-License-Identifier: Apache-2.0 */
/* diff_suite.c: what the diff of two contracts claims, held against values.
 *
 *     diff_suite ROOT
 *
 * ROOT holds the JSON Schema Test Suite's tests/. Every schema of a file is
 * compared with every other of it and with those of the file before, and where
 * the diff says that no consumer breaks (and that nothing is new), no instance
 * of either may be valid by the new schema alone; where no producer breaks,
 * none by the old one alone. A schema compared with itself has no change. One
 * TAP line a file; pairs that break the law are named above it. */
#include <stdlib.h>
#include <string.h>

#include "suite/suite.h"

enum { GROUPS_MAX = 256, SHOWN_MAX = 5 };

/* A schema of the suite as a contract, and its instances. */
struct subject {
    surety_contract *contract; /* NULL: it needs what is not here */
    surety_str about;
    surety_val tests;
};

struct file {
    surety_doc *doc;
    struct subject subjects[GROUPS_MAX];
    size_t count;
};

static struct tally {
    surety_checker *checker;
    size_t pairs, consumers_safe, producers_safe, checks, broken;
} tally;

static void file_read(struct file *file, const char *path)
{
    file->doc = suite_read(path);
    file->count = 0;
    for (surety_val group = surety_val_first(surety_doc_root(file->doc));
         group.doc && file->count < GROUPS_MAX;
         group = surety_val_next(surety_doc_root(file->doc), group)) {
        struct subject *subject = &file->subjects[file->count++];
        surety_buf text;

        surety_buf_init(&text, NULL, 0);
        surety_val_write(surety_val_get(group, "schema"), SURETY_STYLE_COMPACT,
                         &text);
        subject->about = surety_val_str(surety_val_get(group, "description"));
        subject->tests = surety_val_get(group, "tests");
        subject->contract = NULL;
        surety_contract_read(surety_buf_str(&text), NULL, &subject->contract,
                             NULL);
        surety_buf_done(&text);
    }
}

static void file_free(struct file *file)
{
    for (size_t i = 0; i < file->count; i++)
        surety_contract_free(file->subjects[i].contract);
    surety_doc_free(file->doc);
    file->count = 0;
}

static bool is_valid(const surety_contract *contract, surety_val value)
{
    bool valid = false;

    return surety_checker_check(tally.checker,
                                surety_contract_info_of(contract)->schema,
                                value, &valid, NULL) == SURETY_OK &&
           valid;
}

/* What a diff claims: that consumers, that producers are safe. A change that
 * breaks nobody by its kind, such as a new member, claims nothing. */
static void claims_of(const surety_diff *diff, bool *ret_consumers,
                      bool *ret_producers)
{
    *ret_consumers = *ret_producers = true;
    for (size_t i = 0; i < surety_diff_info_of(diff)->change_count; i++) {
        const surety_change change = surety_diff_info_of(diff)->changes[i];
        const bool is_neutral =
            !change.breaks_consumers && !change.breaks_producers;

        if (change.breaks_consumers || is_neutral)
            *ret_consumers = false;
        if (change.breaks_producers || is_neutral)
            *ret_producers = false;
    }
}

static void pair_broken(const struct subject *before,
                        const struct subject *after, surety_val value,
                        const char *claim)
{
    surety_buf text;

    if (tally.broken++ >= SHOWN_MAX)
        return;
    surety_buf_init(&text, NULL, 0);
    surety_val_write(value, SURETY_STYLE_COMPACT, &text);
    printf("# \"%.*s\" -> \"%.*s\": no %s breaks, but %.*s\n",
           (int)before->about.len, before->about.ptr, (int)after->about.len,
           after->about.ptr, claim, (int)text.len, text.ptr);
    surety_buf_done(&text);
}

static void pair_check(const struct subject *before,
                       const struct subject *after, surety_val tests,
                       bool consumers, bool producers)
{
    for (surety_val test = surety_val_first(tests); test.doc;
         test = surety_val_next(tests, test)) {
        const surety_val value = surety_val_get(test, "data");
        const bool old_valid = is_valid(before->contract, value);
        const bool new_valid = is_valid(after->contract, value);

        tally.checks++;
        if (consumers && new_valid && !old_valid)
            pair_broken(before, after, value, "consumer");
        if (producers && old_valid && !new_valid)
            pair_broken(before, after, value, "producer");
    }
}

static void pair_compare(const struct subject *before,
                         const struct subject *after)
{
    surety_diff *diff = NULL;
    bool consumers, producers;

    if (!before->contract || !after->contract ||
        surety_diff_new(before->contract, after->contract, NULL, &diff, NULL))
        return;
    tally.pairs++;
    claims_of(diff, &consumers, &producers);
    tally.consumers_safe += consumers;
    tally.producers_safe += producers;
    if (before == after && surety_diff_info_of(diff)->change_count > 0)
        pair_broken(before, after,
                    surety_contract_info_of(before->contract)->root, "change");
    if (consumers || producers) {
        pair_check(before, after, before->tests, consumers, producers);
        pair_check(before, after, after->tests, consumers, producers);
    }
    surety_diff_free(diff);
}

static void files_compare(const struct file *before, const struct file *after)
{
    for (size_t i = 0; i < before->count; i++)
        for (size_t j = 0; j < after->count; j++)
            pair_compare(&before->subjects[i], &after->subjects[j]);
}

static size_t folder_run(const char *root, const char *draft, size_t number)
{
    static struct file files[2];
    char *tests = suite_join(root, "/tests/");
    char *folder = suite_join(tests, draft);
    struct suite_files list;
    size_t count = 0;

    files[1].count = 0;
    files[1].doc = NULL;
    suite_list(&list, folder, ".json");
    for (size_t i = 0; i < list.count; i++) {
        const char *name = list.paths[i] + strlen(folder) + 1;
        struct file *now = &files[count % 2];
        struct file *last = &files[(count + 1) % 2];

        if (strchr(name, '/')) /* what is optional */
            continue;
        count++;
        tally.broken = 0;
        file_read(now, list.paths[i]);
        files_compare(now, now);
        files_compare(last, now);
        file_free(last);
        last->doc = NULL;
        printf("%sok %zu - %s/%s\n", tally.broken ? "not " : "", ++number,
               draft, name);
    }
    if (count)
        file_free(&files[(count - 1) % 2]);
    suite_unlist(&list);
    free(folder);
    free(tests);
    return number;
}

int main(int argc, char **argv)
{
    static const char *const drafts[] = {"draft4", "draft7", "draft2019-09",
                                         "draft2020-12"};
    size_t number = 0;

    if (argc != 2)
        return 99;
    tally.checker = surety_checker_new(NULL, NULL);
    for (size_t i = 0; i < sizeof(drafts) / sizeof(*drafts); i++)
        number = folder_run(argv[1], drafts[i], number);
    if (number == 0)
        printf("1..0 # SKIP no test suite in %s\n", argv[1]);
    else
        printf("# %zu pairs, consumers safe in %zu, producers in %zu, "
               "%zu values looked at\n1..%zu\n",
               tally.pairs, tally.consumers_safe, tally.producers_safe,
               tally.checks, number);
    surety_checker_free(tally.checker);
    return 0;
}
