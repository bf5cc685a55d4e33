/* SPDX-License-Identifier: Apache-2.0 */
/* Replies to the built-in contracts, and what each must come to.
 *
 *     contracts_test [--update] FOLDER
 *
 * A case is FOLDER/CONTRACT/NAME.txt or .md, a reply; or NAME.json, a value
 * that a provider's API delivered. NAME.expect beside it says, a line each:
 *
 *     ok, or the stage that was reached
 *     KEYWORD LOCATION     every error in order; no LOCATION: the root
 *     value: JSON          the value, compared as JSON Schema compares
 *     derived: JSON        likewise the derived members
 *     fallback: JSON       likewise the fallback; without it there must be none
 *     warning: KEYWORD     a warning that must be among those given
 *
 * NAME begins with valid-S or invalid-S and the requirement it stands for. The
 * variable `steps` is 7. With --update the first lines (stage and errors) are
 * written anew, for a person to review. */
#include <surety/reply.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const contracts[] = {
    "census/agent-output",
    "credibility/analysis-result",
    "maverick/agent-result",
    "maverick/finding",
    "maverick/finding-group",
    "maverick/fix-outcome",
    "maverick/fix-outcomes",
    "maverick/fix-result",
    "maverick/fixer-result",
    "maverick/grouped-review-result",
    "maverick/implementation-result",
    "maverick/review-finding",
    "maverick/review-result",
    "simple/analysis",
    "simple/message",
    "trend/analysis",
    "trend/final-report",
    "trend/iteration-response",
    "user-story/iteration-output",
};

struct golden {
    const surety_contract *contract;
    char path[1024];   /* of the reply */
    char expect[1024]; /* of what is expected */
    bool native;
    surety_buf reply, wanted, got;
    const char *why; /* the first line that does not agree; NULL: all do */
    char line[512];
};

static bool read_whole(const char *path, surety_buf *out)
{
    FILE *file = fopen(path, "rb");
    char chunk[4096];
    size_t count;

    surety_buf_reset(out);
    if (!file)
        return false;
    while ((count = fread(chunk, 1, sizeof(chunk), file)) > 0)
        surety_buf_append(out, chunk, count);
    fclose(file);
    return out->status == SURETY_OK;
}

/* Takes the next line off text. */
static surety_str next_line(surety_str *text)
{
    surety_str line = {text->ptr, 0};

    while (line.len < text->len && text->ptr[line.len] != '\n')
        line.len++;
    text->ptr += line.len;
    text->len -= line.len;
    if (text->len > 0) {
        text->ptr++;
        text->len--;
    }
    return line;
}

static bool takes_prefix(surety_str *line, const char *prefix)
{
    const size_t len = strlen(prefix);

    if (line->len < len || memcmp(line->ptr, prefix, len) != 0)
        return false;
    line->ptr += len;
    line->len -= len;
    return true;
}

static void fail_at(struct golden *golden, const char *why, surety_str line)
{
    if (golden->why)
        return;
    golden->why = why;
    snprintf(golden->line, sizeof(golden->line), "%.*s", (int)line.len,
             line.ptr ? line.ptr : "");
}

/* Writes stage and errors as an expectation has them. */
static void write_errors(surety_buf *out, const surety_outcome *outcome)
{
    if (surety_outcome_ok(outcome)) {
        surety_buf_text(out, "ok\n");
        return;
    }
    surety_buf_text(out, surety_stage_name(surety_outcome_stage(outcome)));
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < surety_outcome_error_count(outcome); i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        surety_buf_add(out, issue.keyword);
        if (issue.instance_location.len > 0) {
            surety_buf_byte(out, ' ');
            surety_buf_add(out, issue.instance_location);
        }
        surety_buf_byte(out, '\n');
    }
}

static void compare_value(struct golden *golden, const char *what,
                          surety_val got, surety_str wanted)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    if (!doc || surety_doc_read(doc, wanted, NULL, NULL) != SURETY_OK) {
        fail_at(golden, "the expectation is no JSON", wanted);
    } else if (!surety_val_equal(got, surety_doc_root(doc))) {
        surety_val_write(got, SURETY_STYLE_COMPACT, &text);
        fail_at(golden, what, surety_buf_str(&text));
    }
    surety_buf_done(&text);
    surety_doc_free(doc);
}

static bool has_warning(const surety_outcome *outcome, surety_str keyword)
{
    for (size_t i = 0; i < surety_outcome_warning_count(outcome); i++)
        if (surety_str_equal(surety_outcome_warning(outcome, i).keyword,
                             keyword))
            return true;
    return false;
}

/* Compares an outcome with the lines expected. */
static void compare(struct golden *golden, const surety_outcome *outcome)
{
    surety_str wanted = surety_buf_str(&golden->wanted);
    surety_str got;
    bool fallback = false;

    surety_buf_reset(&golden->got);
    write_errors(&golden->got, outcome);
    got = surety_buf_str(&golden->got);
    while (wanted.len > 0) {
        surety_str line = next_line(&wanted);

        if (takes_prefix(&line, "value: ")) {
            compare_value(golden, "another value",
                          surety_outcome_value(outcome), line);
        } else if (takes_prefix(&line, "derived: ")) {
            compare_value(golden, "other derived members",
                          surety_outcome_derived(outcome), line);
        } else if (takes_prefix(&line, "fallback: ")) {
            fallback = true;
            compare_value(golden, "another fallback",
                          surety_outcome_value(outcome), line);
        } else if (takes_prefix(&line, "warning: ")) {
            if (!has_warning(outcome, line))
                fail_at(golden, "a warning is missing", line);
        } else {
            const surety_str own = next_line(&got);

            if (!surety_str_equal(line, own))
                fail_at(golden, "another stage or error", own);
        }
    }
    if (got.len > 0)
        fail_at(golden, "one error more", next_line(&got));
    if (fallback != surety_outcome_fallback(outcome))
        fail_at(golden, "a fallback too few or too many",
                surety_str_of(golden->path));
}

/* Writes the expectation anew but for its lines with a colon. */
static void update(struct golden *golden)
{
    surety_str wanted = surety_buf_str(&golden->wanted);
    FILE *file = fopen(golden->expect, "wb");

    if (!file)
        return;
    fwrite(golden->got.ptr, 1, golden->got.len, file);
    while (wanted.len > 0) {
        const surety_str line = next_line(&wanted);
        const char *colon = line.len ? memchr(line.ptr, ':', line.len) : NULL;

        if (colon && colon + 1 < line.ptr + line.len && colon[1] == ' ')
            fprintf(file, "%.*s\n", (int)line.len, line.ptr);
    }
    fclose(file);
}

static void judge(struct golden *golden)
{
    const surety_variable variable = {surety_str_of("steps"),
                                      surety_str_of("7")};
    surety_judge_options options = {.size = sizeof(options),
                                    .derive = true,
                                    .variables = &variable,
                                    .variables_count = 1};
    surety_str reply = {NULL, 0};
    surety_outcome *outcome = NULL;
    surety_error err;

    if (golden->native)
        options.native = surety_buf_str(&golden->reply);
    else
        reply = surety_buf_str(&golden->reply);
    if (surety_reply_judge(golden->contract, reply, &options, &outcome, &err) !=
        SURETY_OK) {
        fail_at(golden, "could not judge", surety_str_of(err.message));
        return;
    }
    compare(golden, outcome);
    surety_outcome_free(outcome);
}

static int is_reply(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && (!strcmp(dot, ".txt") || !strcmp(dot, ".md") ||
                   !strcmp(dot, ".json"));
}

/* Runs one case; true where all is as expected. */
static bool run(const surety_contract *contract, const char *folder,
                const char *name, bool updating)
{
    struct golden golden = {.contract = contract};
    const char *dot = strrchr(name, '.');

    surety_buf_init(&golden.reply, NULL, 0);
    surety_buf_init(&golden.wanted, NULL, 0);
    surety_buf_init(&golden.got, NULL, 0);
    golden.native = !strcmp(dot, ".json");
    snprintf(golden.path, sizeof(golden.path), "%s/%s", folder, name);
    snprintf(golden.expect, sizeof(golden.expect), "%s/%.*s.expect", folder,
             (int)(dot - name), name);
    if (!read_whole(golden.path, &golden.reply) ||
        !read_whole(golden.expect, &golden.wanted))
        fail_at(&golden, "cannot be read", surety_str_of(golden.expect));
    else
        judge(&golden);
    if (golden.why && updating && golden.got.len > 0)
        update(&golden);
    if (golden.why)
        printf("# %s: %s: %s\n", golden.path, golden.why, golden.line);
    surety_buf_done(&golden.reply);
    surety_buf_done(&golden.wanted);
    surety_buf_done(&golden.got);
    return !golden.why;
}

/* What run_folder gives besides a number of failures. */
enum { FOLDER_EMPTY = -1, FOLDER_SKIPPED = -2 };

/* Runs a contract's folder; gives the number of cases that failed. SKIPPED: it
 * has rules, and this build has not. */
static int run_folder(surety_registry *registry, const char *root,
                      const char *name, bool updating)
{
    surety_contract *contract = NULL;
    struct dirent **entries = NULL;
    char folder[768];
    surety_error err;
    surety_status status;
    int failed = 0;
    int count;

    snprintf(folder, sizeof(folder), "%s/%s", root, name);
    status =
        surety_registry_find(registry, surety_str_of(name), &contract, &err);
    if (status == SURETY_UNSUPPORTED)
        return FOLDER_SKIPPED;
    if (status != SURETY_OK) {
        printf("# %s: %s\n", name, err.message);
        return FOLDER_EMPTY;
    }
    count = scandir(folder, &entries, is_reply, alphasort);
    for (int i = 0; i < count; i++) {
        failed += !run(contract, folder, entries[i]->d_name, updating);
        free(entries[i]);
    }
    free(entries);
    surety_contract_free(contract);
    if (count <= 0)
        printf("# %s: no cases\n", folder);
    return count > 0 ? failed : FOLDER_EMPTY;
}

int main(int argc, char **argv)
{
    const bool updating = argc == 3 && !strcmp(argv[1], "--update");
    const size_t count = sizeof(contracts) / sizeof(contracts[0]);
    surety_registry *registry = NULL;
    int result = 0;

    if (argc != 2 && !updating) {
        fputs("usage: contracts_test [--update] FOLDER\n", stderr);
        return 2;
    }
    if (surety_registry_new(NULL, &registry, NULL) != SURETY_OK)
        return 2;
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        const int failed =
            run_folder(registry, argv[argc - 1], contracts[i], updating);

        const bool good = failed == 0 || failed == FOLDER_SKIPPED;

        printf("%sok %zu - %s%s\n", good ? "" : "not ", i + 1, contracts[i],
               failed == FOLDER_SKIPPED ? " # SKIP rules are not built in"
                                        : "");
        if (!good)
            result = 1;
    }
    surety_registry_free(registry);
    return result;
}
