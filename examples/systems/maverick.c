/* SPDX-License-Identifier: Apache-2.0 */
/* maverick: one agent of a team that maintains code. Each has a contract, for
 * structured output where the model can do that, else for a ```json block. A
 * reply that breaks it is an error, and with --not-strict null:
 *     maverick -m anthropic:claude-sonnet-4-5 Fixer "Fix the failing test" */
#include <surety-run.h>

#include <stdio.h>
#include <string.h>

#define TEXT(str) (int)(str).len, (str).ptr ? (str).ptr : "" /* for %.*s */

static const char *const agents[][2] = {
    {"Fixer", "maverick/fixer-result"},
    {"IssueFixer", "maverick/fix-result"},
    {"Implementer", "maverick/implementation-result"},
    {"CodeReviewer", "maverick/review-result"},
    {"UnifiedReviewer", "maverick/grouped-review-result"},
    {"SimpleFixer", "maverick/fix-outcomes"}};

/* The contract of an agent; any other name is that of a contract, or a file. */
static surety_str contract_of(const char *name)
{
    for (size_t i = 0; i < sizeof(agents) / sizeof(*agents); i++)
        if (strcmp(agents[i][0], name) == 0)
            return surety_str_of(agents[i][1]);
    return surety_str_of(name);
}

/* Writes a result, and says in a line what it means. */
static void show(surety_val value, surety_val derived, surety_buf *out)
{
    static const char *const names[] = {"summary_line", "summary", "output"};
    const surety_val files = surety_val_get(value, "files_mentioned");
    const surety_val groups = surety_val_get(value, "groups");
    const surety_val count = surety_val_get(derived, "total_count");
    surety_str line = {NULL, 0};

    for (int i = 0; i < 6 && line.len == 0; i++)
        line = surety_val_str(
            surety_val_get(i % 2 ? value : derived, names[i / 2]));
    for (size_t i = 0; i < line.len; i++) { /* nothing that a terminal obeys */
        const int byte = (unsigned char)line.ptr[i];
        const bool high = byte < 0xA0 && i && line.ptr[i - 1] == '\xC2';
        fputc(byte < ' ' || byte == 127 ? ' ' : high ? 0xA0 : byte, stderr);
    }
    if (files.doc)
        fprintf(stderr, " (files: %zu)", surety_val_count(files));
    if (groups.doc)
        fprintf(stderr, "groups: %zu, findings: %.*s", surety_val_count(groups),
                TEXT(surety_val_number(count)));
    surety_buf_text(out, "{\"value\":");
    surety_val_write(value, SURETY_STYLE_COMPACT, out);
    surety_buf_text(out, ",\"derived\":");
    surety_val_write(derived, SURETY_STYLE_COMPACT, out);
    fprintf(stderr, "\n");
    printf("%.*s}\n", TEXT(surety_buf_str(out)));
}

/* Prints what came of a run; the exit code. */
static int conclude(const surety_run *run, bool is_strict)
{
    const surety_run_verdict verdict = surety_run_info_of(run)->verdict;
    const surety_outcome *outcome = surety_run_info_of(run)->outcome;
    const bool has_value = verdict == SURETY_RUN_VALID ||
                           verdict == SURETY_RUN_PARTIAL ||
                           verdict == SURETY_RUN_FALLBACK;
    const bool is_invalid =
        verdict == SURETY_RUN_REJECTED || verdict == SURETY_RUN_REFUSED;
    const bool is_null = is_invalid && !is_strict;
    surety_buf out;

    for (size_t i = 0; i < surety_outcome_info_of(outcome)->warning_count; i++)
        fprintf(stderr, "warning: %.*s\n",
                TEXT(surety_outcome_warning(outcome, i).message));
    surety_buf_init(&out, NULL, 0);
    if (has_value) {
        show(surety_outcome_info_of(outcome)->value,
             surety_outcome_info_of(outcome)->derived, &out);
    } else { /* the report: stage, contract, errors, every call, the reply */
        surety_run_write(run, SURETY_REPORT_JSON, surety_str_of(""), &out);
        fprintf(stderr, "maverick: %.*s\n%.*s\n",
                TEXT(surety_run_info_of(run)->message),
                TEXT(surety_buf_str(&out)));
    }
    surety_buf_done(&out);
    if ((is_null && printf("null\n") < 0) || fflush(stdout) || ferror(stdout))
        return perror("maverick: standard output"), 4;
    return has_value || is_null ? 0 : is_invalid ? 1 : 3;
}

int main(int argc, char **argv)
{
    const surety_judge_options judge = {.size = sizeof(judge), .derive = true};
    surety_run_options options = {
        .size = sizeof(options), .judge = &judge, .model_count = 1};
    surety_str name = {NULL, 0};
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_config *config = NULL;
    surety_run *run = NULL;
    surety_error err = {.status = SURETY_OK};
    bool is_strict = true;
    int i, code = 2;

    for (i = 1; i < argc && argv[i][0] == '-'; i++)
        if (strcmp(argv[i], "-m") == 0 && i + 1 < argc)
            name = surety_str_of(argv[++i]);
        else if (strcmp(argv[i], "--not-strict") == 0)
            is_strict = false;
        else if (strcmp(argv[i], "--strict") != 0)
            argc = 0;
    if (argc - i != 2) {
        fprintf(stderr, "usage: maverick [-m MODEL] [--strict|--not-strict] "
                        "AGENT|CONTRACT PROMPT\n");
        return 2;
    }
    if (surety_registry_new(surety_str_of(""), NULL, &registry, &err) ||
        surety_registry_find(registry, contract_of(argv[i]), &contract, &err) ||
        surety_config_load(surety_str_of(""), NULL, &config, &err) ||
        surety_config_model(
            config,
            name.len ? name : surety_config_info_of(config)->defaults[0],
            &options.models, &err))
        goto done;
    options.contract = contract;
    options.prompt = surety_str_of(argv[i + 1]);
    surety_config_run(config, &options);
    /* One re-ask for each mode: the last is text, where the provider's
     * structured output and a tool gave the same errors again. */
    options.retry_max = 3;
    if (surety_run_new(&options, &run, &err) ||
        surety_run_wait(run, NULL, &err))
        goto done;
    code = conclude(run, is_strict);
done:
    if (err.status)
        fprintf(stderr, "maverick: %s; %s %s\n", err.message, err.source,
                err.hint);
    surety_run_free(run);
    surety_config_free(config);
    surety_contract_free(contract);
    surety_registry_free(registry);
    return err.status == SURETY_IO ? 4 : code;
}
