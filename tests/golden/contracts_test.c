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
 * variable `steps` is 7. */
#include "golden/cases.h"

#include <stdio.h>
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

/* Writes stage and errors as an expectation has them. */
static void write_errors(surety_buf *out, const surety_outcome *outcome)
{
    if (surety_outcome_info_of(outcome)->ok) {
        surety_buf_text(out, "ok\n");
        return;
    }
    surety_buf_text(out,
                    surety_stage_name(surety_outcome_info_of(outcome)->stage));
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->error_count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        surety_buf_add(out, issue.keyword);
        if (issue.instance_location.len > 0) {
            surety_buf_byte(out, ' ');
            surety_buf_add(out, issue.instance_location);
        }
        surety_buf_byte(out, '\n');
    }
}

/* Writes a value: as it is expected where it is equal, otherwise as it is. */
static void write_value(surety_buf *out, const char *name, surety_val val,
                        surety_str expected)
{
    surety_doc *doc = surety_doc_new(NULL);

    surety_buf_text(out, name);
    if (doc && surety_doc_read(doc, expected, NULL, NULL) == SURETY_OK &&
        surety_val_equal(val, surety_doc_root(doc)))
        surety_buf_add(out, expected);
    else
        surety_val_write(val, SURETY_STYLE_COMPACT, out);
    surety_buf_byte(out, '\n');
    surety_doc_free(doc);
}

static bool has_warning(const surety_outcome *outcome, surety_str keyword)
{
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->warning_count; i++)
        if (surety_str_equal(surety_outcome_warning(outcome, i).keyword,
                             keyword))
            return true;
    return false;
}

/* Writes the lines expected of the rest, as far as they hold. */
static void write_rest(surety_buf *out, const surety_outcome *outcome,
                       surety_str expected)
{
    bool fallback = !surety_outcome_info_of(outcome)->fallback;
    surety_str line;

    while (golden_line(&expected, &line)) {
        surety_str words = line;

        if (golden_take(&words, "value: ")) {
            write_value(out, "value: ", surety_outcome_info_of(outcome)->value,
                        words);
        } else if (golden_take(&words, "derived: ")) {
            write_value(out,
                        "derived: ", surety_outcome_info_of(outcome)->derived,
                        words);
        } else if (golden_take(&words, "fallback: ") &&
                   surety_outcome_info_of(outcome)->fallback) {
            fallback = true;
            write_value(out,
                        "fallback: ", surety_outcome_info_of(outcome)->value,
                        words);
        } else if (golden_take(&words, "warning: ") &&
                   has_warning(outcome, words)) {
            surety_buf_add(out, line);
            surety_buf_byte(out, '\n');
        }
    }
    if (!fallback)
        write_value(out, "fallback: ", surety_outcome_info_of(outcome)->value,
                    (surety_str){NULL, 0});
}

static bool run(struct golden *golden)
{
    const surety_variable variable = {surety_str_of("steps"),
                                      surety_str_of("7")};
    const surety_str text = surety_buf_str(&golden->text);
    const bool native = strcmp(strrchr(golden->path, '.'), ".json") == 0;
    const surety_judge_options options = {
        .size = sizeof(options),
        .derive = true,
        .variables = &variable,
        .variables_count = 1,
        .native = native ? text : (surety_str){NULL, 0}};
    surety_outcome *outcome = NULL;
    surety_buf expected;
    surety_error err;

    if (surety_contract_judge(golden->context,
                              native ? (surety_str){NULL, 0} : text, &options,
                              &outcome, &err) != SURETY_OK) {
        printf("# %s: cannot be judged: %s\n", golden->path, err.message);
        return false;
    }
    surety_buf_init(&expected, NULL, 0);
    golden_beside(golden, ".expect", &expected);
    write_errors(&golden->made, outcome);
    write_rest(&golden->made, outcome, surety_buf_str(&expected));
    surety_buf_done(&expected);
    surety_outcome_free(outcome);
    return true;
}

/* Runs a contract's folder. */
static bool run_contract(surety_registry *registry,
                         const struct golden_folder *all, const char *name,
                         bool *ret_skipped)
{
    struct golden_folder folder = *all;
    surety_contract *contract = NULL;
    char path[1024];
    surety_error err;
    surety_status status =
        surety_registry_find(registry, surety_str_of(name), &contract, &err);
    bool good = false;

    /* It has rules, and this build has not. */
    *ret_skipped = status == SURETY_UNSUPPORTED;
    if (*ret_skipped)
        return true;
    if (status == SURETY_OK) {
        snprintf(path, sizeof(path), "%s/%s", all->path, name);
        folder.path = path;
        folder.context = contract;
        good = golden_run(&folder);
    } else {
        printf("# %s: %s\n", name, err.message);
    }
    surety_contract_free(contract);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder all = {.endings = {".txt", ".md", ".json"},
                                .expected = ".expect",
                                .run = run,
                                .quiet = true};
    const size_t count = sizeof(contracts) / sizeof(contracts[0]);
    surety_registry *registry = NULL;
    int result = 0;

    if (!golden_arguments(argc, argv, &all) ||
        surety_registry_new(surety_str_of(""), NULL, &registry, NULL) !=
            SURETY_OK)
        return 2;
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        bool skipped;
        const bool good = run_contract(registry, &all, contracts[i], &skipped);

        printf("%sok %zu - %s%s\n", good ? "" : "not ", i + 1, contracts[i],
               skipped ? " # SKIP rules are not built in" : "");
        if (!good)
            result = 1;
    }
    surety_registry_free(registry);
    return result;
}
