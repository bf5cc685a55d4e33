/* SPDX-License-Identifier: Apache-2.0 */
/* trend: a question is analysed in iterations, each of them one call to a model
 * whose reply must satisfy the contract trend/iteration-response, in the phase
 * that it was asked for. The reports
 * so far are a value of the contract trend/analysis, whose derived members
 * steer the loop: which phase is next, what was wrong and is to be put right,
 * when to end. At the end they are the answer: what was explored and learned.
 *
 *     trend -m openai:gpt-5-mini --iterations 6 "Why did costs rise?" */
#include <surety-run.h>

#include <stdio.h>
#include <string.h>

/* Appends a derived member as JSON. */
static void put(surety_buf *out, const char *text, surety_val derived,
                const char *name)
{
    surety_buf_text(out, text);
    surety_val_write(surety_val_get(derived, name), SURETY_STYLE_COMPACT, out);
}

/* The contract with the phase of `next` as the only one: what a reply says of
 * itself, and a ledger keeps of it, is then what was asked for. */
static surety_status narrow(const surety_contract *any, surety_val next,
                            surety_contract **ret_contract, surety_error *err)
{
    surety_doc *patch = surety_doc_new(NULL), *made = surety_doc_new(NULL);
    surety_status status = patch && made ? SURETY_OK : SURETY_NOMEM;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    put(&text,
        "[{\"op\":\"replace\",\"path\":\"/properties/phase/enum\",\"value\":[",
        next, "phase");
    put(&text,
        "]},{\"op\":\"replace\",\"path\":\"/x-surety/prompt/example/phase\","
        "\"value\":",
        next, "phase");
    surety_buf_text(&text, "}]");
    if (!status)
        status = surety_doc_read(patch, surety_buf_str(&text), NULL, err);
    if (!status)
        status =
            surety_patch_apply(surety_doc_root(patch),
                               surety_contract_info_of(any)->root, made, err);
    surety_buf_reset(&text);
    if (!status)
        status = surety_val_write(surety_doc_root(made), SURETY_STYLE_COMPACT,
                                  &text);
    if (!status)
        status = surety_contract_read(surety_buf_str(&text), NULL, ret_contract,
                                      err);
    surety_buf_done(&text);
    surety_doc_free(patch);
    surety_doc_free(made);
    return status;
}

/* Makes iterations until what is derived from their reports, by the contract
 * trend/analysis, says to end; the exit code. */
static int analyse(surety_run_options *options, const surety_contract *analysis,
                   const char *question, uint64_t total, surety_error *err)
{
    surety_buf reports, history, prompt; /* history: all reports, closed */
    surety_outcome *outcome = NULL;
    surety_status status = SURETY_OK;
    surety_val derived = surety_val_none();
    const surety_contract *any = options->contract;
    int code;

    surety_buf_init(&reports, NULL, 0);
    surety_buf_init(&history, NULL, 0);
    surety_buf_init(&prompt, NULL, 0);
    surety_buf_text(&reports, "{\"iterations_max\":");
    surety_buf_number(&reports, total);
    surety_buf_text(&reports, ",\"question\":");
    surety_json_string(&reports, surety_str_of(question));
    surety_buf_text(&reports, ",\"iterations\":[");
    for (const char *item = "{\"asked\":"; !status; item = ",{\"asked\":") {
        surety_contract *one = NULL;
        surety_run *run = NULL;

        surety_outcome_free(outcome);
        outcome = NULL;
        surety_buf_reset(&history);
        surety_buf_add(&history, surety_buf_str(&reports));
        surety_buf_text(&history, "]}");
        status = surety_contract_judge(analysis, surety_buf_str(&history),
                                       options->judge, &outcome, err);
        derived = surety_outcome_info_of(outcome)->derived;
        surety_buf_reset(&prompt);
        put(&prompt, "Next: ", derived, "next");
        put(&prompt, "\nPut this right: ", derived, "corrections");
        fprintf(stderr, "%.*s\n", (int)prompt.len, prompt.ptr);
        if (surety_val_kind(surety_val_get(derived, "ended")) !=
            SURETY_KIND_NULL)
            break;
        put(&prompt, "\nDo not repeat these calls: ", derived, "last_calls");
        surety_buf_text(&prompt,
                        "\nSet meta.done to true when all is found.\n\n");
        surety_buf_text(&prompt, question);
        options->prompt = surety_buf_str(&prompt);
        status = narrow(any, surety_val_get(derived, "next"), &one, err);
        options->contract = one;
        if (!status)
            status = surety_run_new(options, &run, err);
        if (!status)
            status = surety_run_wait(run, NULL, err);
        put(&reports, item, derived, "next");
        surety_buf_text(&reports, ",\"report\":");
        surety_run_write(run, SURETY_REPORT_JSON, surety_str_of(""), &reports);
        surety_buf_byte(&reports, '}');
        surety_run_free(run);
        surety_contract_free(one);
    }
    surety_buf_reset(&prompt);
    surety_val_write(derived, SURETY_STYLE_COMPACT, &prompt);
    printf("%.*s%s", (int)prompt.len, prompt.ptr, derived.doc ? "\n" : "");
    code = (int)surety_val_int(surety_val_get(derived, "exit_code"), 4);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("trend: standard output");
        code = 4;
    }
    surety_outcome_free(outcome);
    surety_buf_done(&reports);
    surety_buf_done(&history);
    surety_buf_done(&prompt);
    return status ? 4 : code;
}

int main(int argc, char **argv)
{
    const surety_judge_options judge = {.size = sizeof(judge), .derive = true};
    const surety_ledger_options keep = {.size = sizeof(keep), .raw = true};
    surety_run_options options = {
        .size = sizeof(options), .judge = &judge, .model_count = 1};
    surety_str name = {NULL, 0}, ledger = {NULL, 0};
    surety_model model;
    surety_registry *registry = NULL;
    surety_contract *contract = NULL, *analysis = NULL;
    surety_config *config = NULL;
    surety_error err = {.status = SURETY_OK};
    uint64_t total = 10;
    int code = 2;

    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "-m") == 0)
            name = surety_str_of(argv[i + 1]);
        else if (strcmp(argv[i], "--ledger") == 0)
            ledger = surety_str_of(argv[i + 1]);
        else if (strcmp(argv[i], "--iterations") != 0 ||
                 surety_decimal_read(surety_str_of(argv[i + 1]), 0, &total,
                                     NULL))
            argc = 1;
    if (argc % 2 || total == 0 || strncmp(argv[argc - 1], "--", 2) == 0) {
        fprintf(stderr, "usage: trend [-m MODEL] [--iterations N] "
                        "[--ledger FILE] QUESTION\n");
        return 2;
    }
    if (surety_registry_new(surety_str_of(""), NULL, &registry, &err) ||
        surety_registry_find(registry,
                             surety_str_of("trend/iteration-response"),
                             &contract, &err) ||
        surety_registry_find(registry, surety_str_of("trend/analysis"),
                             &analysis, &err) ||
        surety_config_load(surety_str_of(""), NULL, &config, &err) ||
        surety_config_model(
            config,
            name.len ? name : surety_config_info_of(config)->defaults[0],
            &options.models, &err) ||
        (ledger.len &&
         surety_ledger_open(ledger, &keep, &options.ledger, &err)))
        goto done;
    /* Within an iteration nothing is asked again: the next one is told. */
    options.retry_max = SURETY_RUN_NONE;
    model = *options.models;
    model.whole = true; /* not stopped at the first error: all are wanted */
    model.response_bytes_max = 1 << 18; /* for all reports have to fit */
    options.models = &model;
    options.contract = contract;
    surety_config_run(config, &options);
    code = analyse(&options, analysis, argv[argc - 1], total, &err);
done:
    if (err.status)
        fprintf(stderr, "trend: %s; %s %s\n", err.message, err.source,
                err.hint);
    surety_ledger_close(options.ledger);
    surety_config_free(config);
    surety_contract_free(contract);
    surety_contract_free(analysis);
    surety_registry_free(registry);
    return err.status == SURETY_IO ? 4 : code;
}
