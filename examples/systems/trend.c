/* SPDX-License-Identifier: Apache-2.0 */
/* trend: a question is analysed in iterations. Each is a run of its own, in
 * which the model calls tools (trend-tools.json) and then writes a reply that
 * must satisfy the contract trend/iteration-response, in the phase that it was
 * asked for, and whose actions are calls that were made (trend-iteration.c).
 * The reports so far are a value of the contract trend/analysis, whose derived
 * members steer the loop: which phase is next, what was wrong and is to be put
 * right, when to end. At the end they are the answer: what was explored and
 * learned.
 *
 *     trend -m openai:gpt-5-mini --tools trend-tools.json "Why did costs rise?"
 */
#include <stdio.h>
#include <string.h>

#include "trend.h"

static const char order[] =
    "\nCall tools first, three at most. Your actions are the calls that you "
    "made, with\nthe same arguments. Set meta.done to true when all is "
    "found.\n\n";

/* Makes iterations until what is derived from their reports, by the contract
 * trend/analysis, says to end; the exit code. */
static int analyse(surety_run_options *options, surety_run **run,
                   const surety_contract *analysis, const char *question,
                   uint64_t total, surety_error *err)
{
    const surety_judge_options derive = {.size = sizeof(derive),
                                         .derive = true};
    surety_buf reports, history, prompt; /* history: all reports, closed */
    surety_outcome *outcome = NULL;
    surety_status status = SURETY_OK;
    surety_val derived = surety_val_none();
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
        surety_outcome_free(outcome);
        outcome = NULL;
        surety_buf_reset(&history);
        surety_buf_add(&history, surety_buf_str(&reports));
        surety_buf_text(&history, "]}");
        status = surety_contract_judge(analysis, surety_buf_str(&history),
                                       &derive, &outcome, err);
        derived = surety_outcome_info_of(outcome)->derived;
        surety_buf_reset(&prompt);
        trend_put(&prompt, "Next: ", derived, "next");
        trend_put(&prompt, "\nPut this right: ", derived, "corrections");
        fprintf(stderr, "%.*s\n", (int)prompt.len, prompt.ptr);
        if (surety_val_kind(surety_val_get(derived, "ended")) !=
            SURETY_KIND_NULL)
            break;
        trend_put(&prompt, "\nDo not repeat these calls: ", derived,
                  "last_calls");
        trend_put(&prompt, "\nLearned so far: ", derived, "reflections");
        surety_buf_text(&prompt, order);
        surety_buf_text(&prompt, question);
        options->prompt = surety_buf_str(&prompt);
        trend_put(&reports, item, derived, "next");
        status = trend_iterate(options, run, surety_val_get(derived, "next"),
                               &reports, err);
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

struct request {
    surety_str model, ledger;
    const char *tools, *question;
    uint64_t total;
};

/* Reads the command line; false: it is wrong. */
static bool read_request(int argc, char **argv, struct request *request)
{
    *request = (struct request){.question = argv[argc - 1], .total = 10};
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "-m") == 0)
            request->model = surety_str_of(argv[i + 1]);
        else if (strcmp(argv[i], "--ledger") == 0)
            request->ledger = surety_str_of(argv[i + 1]);
        else if (strcmp(argv[i], "--tools") == 0)
            request->tools = argv[i + 1];
        else if (strcmp(argv[i], "--iterations") != 0 ||
                 surety_decimal_read(surety_str_of(argv[i + 1]), 0,
                                     &request->total, NULL))
            return false;
    return argc % 2 == 0 && request->total > 0 && request->tools &&
           strncmp(request->question, "--", 2) != 0;
}

int main(int argc, char **argv)
{
    surety_run *run = NULL;
    const surety_validator claimed = {surety_str_of("actions"), trend_confirm,
                                      &run};
    const surety_judge_options judge = {.size = sizeof(judge),
                                        .derive = true,
                                        .validators = &claimed,
                                        .validator_count = 1};
    const surety_ledger_options keep = {.size = sizeof(keep), .raw = true};
    surety_run_options options = {.size = sizeof(options),
                                  .judge = &judge,
                                  .model_count = 1,
                                  .steps_max = 5,
                                  .tool_calls_max = 6};
    struct request request;
    surety_model model;
    surety_registry *registry = NULL;
    surety_contract *contract = NULL, *analysis = NULL;
    surety_config *config = NULL;
    surety_error err = {.status = SURETY_OK};
    int code = 2;

    if (argc < 1 || !read_request(argc, argv, &request)) {
        fprintf(stderr, "usage: trend [-m MODEL] [--iterations N] "
                        "[--ledger FILE] --tools FILE QUESTION\n");
        return 2;
    }
    if (surety_registry_new(surety_str_of(""), NULL, &registry, &err) ||
        surety_registry_find(registry,
                             surety_str_of("trend/iteration-response"),
                             &contract, &err) ||
        surety_registry_find(registry, surety_str_of("trend/analysis"),
                             &analysis, &err) ||
        trend_tools(request.tools, &options.tools, &err) ||
        surety_config_load(surety_str_of(""), NULL, &config, &err) ||
        surety_config_model(config,
                            request.model.len
                                ? request.model
                                : surety_config_info_of(config)->defaults[0],
                            &options.models, &err) ||
        (request.ledger.len &&
         surety_ledger_open(request.ledger, &keep, &options.ledger, &err)))
        goto done;
    /* Within an iteration nothing is asked again: the next one is told. */
    options.retry_max = SURETY_RUN_NONE;
    model = *options.models;
    model.whole = true; /* not stopped at the first error: all are wanted */
    model.response_bytes_max = 1 << 18; /* for all reports have to fit */
    options.models = &model;
    options.contract = contract;
    surety_config_run(config, &options);
    code = analyse(&options, &run, analysis, request.question, request.total,
                   &err);
done:
    if (err.status)
        fprintf(stderr, "trend: %s; %s %s\n", err.message, err.source,
                err.hint);
    surety_tools_free(options.tools);
    surety_ledger_close(options.ledger);
    surety_config_free(config);
    surety_contract_free(contract);
    surety_contract_free(analysis);
    surety_registry_free(registry);
    return err.status == SURETY_IO ? 4 : code;
}
