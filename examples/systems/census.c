/* SPDX-License-Identifier: Apache-2.0 */
/* census: answers a question about census data. The model calls the Census API
 * (census-tools.c) and answers by census/agent-output: text, data, and charts
 * and tables to show them; its rows are what the API gave (census-rows.c). The
 * answer goes to standard output, the rest into a folder; where a chart fails,
 * all else is there:
 *     census -m openai:gpt-5-mini --folder charts "How many live in Texas?" */
#include "census.h"

#include <string.h>

enum { REASKS_MAX = 2 };

/* How the model works; how it answers is in the contract. */
static const char instructions[] =
    "You answer questions about data of the U.S. Census Bureau. Find the codes "
    "of areas and variables, then get the rows with get_data: only the "
    "variables that the question needs, one call for each year.\n"
    "The rows of your answer are those of get_data, value for value; you may "
    "choose columns and rows, sort them, and join results. A column has its "
    "name there, or is Year, the year of the call, or has a name that "
    "census_data.variables gives for a code. Rows of several years are one "
    "row for each year. Name only figures of these rows in answer_text.";

/* Prints an issue of the rows. */
static surety_status put_issue(void *ctx, surety_str location,
                               surety_str message, surety_str hint)
{
    (void)location;
    (void)hint;
    census_put(stderr, "census: ", message);
    ++*(size_t *)ctx;
    return SURETY_OK;
}

/* Whether the rows of a value that no validator has seen are those of the run.
 */
static bool is_true(const surety_run *run, surety_val value)
{
    size_t issues = 0;
    const surety_validation validation = {
        .value = value, .given = value, .ctx = &issues, .add = put_issue};

    return !census_check_rows(&run, &validation, NULL) && !issues;
}

/* The value of a run: also one that breaks its contract only in what is to be
 * drawn, in place of the contract's fallback. */
static surety_val answer_of(const surety_run *run)
{
    const surety_outcome *outcome = surety_run_info_of(run)->outcome;
    const surety_val candidate = surety_outcome_info_of(outcome)->candidate;
    const size_t count = surety_outcome_info_of(outcome)->error_count;
    size_t drawn = 0;

    for (size_t i = 0; i < count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);
        const surety_str at = issue.instance_location;

        census_put(stderr, "census: ", issue.message);
        drawn += at.len >= 15 && (memcmp(at.ptr, "/charts_needed/", 15) == 0 ||
                                  memcmp(at.ptr, "/tables_needed/", 15) == 0);
    }
    if (count && drawn == count && is_true(run, candidate)) {
        fprintf(stderr, "census: the answer stands; only what is to be drawn "
                        "breaks the contract\n");
        return candidate;
    }
    if (surety_run_info_of(run)->verdict != SURETY_RUN_VALID)
        census_put(stderr, "census: ", surety_run_info_of(run)->message);
    return surety_outcome_info_of(outcome)->value;
}

/* What the command line says. */
struct settings {
    const char *model, *folder, *format, *tools;
};

static bool read_settings(int argc, char **argv, struct settings *ret_settings)
{
    const struct {
        const char *name, **value;
    } options[4] = {
        {"-m", &ret_settings->model},
        {"--folder", &ret_settings->folder},
        {"--format", &ret_settings->format},
        {"--tools", &ret_settings->tools},
    };

    for (int i = 1; i + 1 < argc; i += 2) {
        size_t k = 0;

        while (k < 4 && strcmp(argv[i], options[k].name) != 0)
            k++;
        if (k == 4)
            return false;
        *options[k].value = argv[i + 1];
    }
    return argc % 2 == 0 && ret_settings->tools &&
           strncmp(argv[argc - 1], "--", 2) != 0 &&
           (strcmp(ret_settings->format, "png") == 0 ||
            strcmp(ret_settings->format, "svg") == 0);
}

/* Asks, and shows the answer; the exit code. */
static int answer(const struct settings *settings, surety_run_options *options,
                  surety_error *err)
{
    const surety_rendering_options look = {
        .size = sizeof(look),
        .chart_format = strcmp(settings->format, "svg") == 0
                            ? SURETY_CHART_SVG
                            : SURETY_CHART_PNG};
    surety_run *run = NULL;
    const surety_validator validator = {STR("rows"), census_check_rows, &run};
    struct census_steps steps = {.variable = {STR("steps"), STR("0")}};
    const surety_judge_options judge = {.size = sizeof(judge),
                                        .variables = &steps.variable,
                                        .variables_count = 1,
                                        .validators = &validator,
                                        .validator_count = 1};
    surety_val value;
    int code = 2;

    options->judge = &judge;
    options->event = census_hear;
    options->event_ctx = &steps;
    if (!surety_run_new(options, &run, err) &&
        !surety_run_wait(run, NULL, err)) {
        code = surety_run_info_of(run)->verdict == SURETY_RUN_PROVIDER ? 3 : 1;
        value = answer_of(run);
        if (value.doc)
            code = census_show(value, &look, settings->folder);
    }
    surety_run_free(run);
    return code;
}

int main(int argc, char **argv)
{
    struct settings settings = {.folder = ".", .format = "png"};
    struct census_tools tools = {NULL, NULL};
    surety_run_options options = {.size = sizeof(options),
                                  .model_count = 1,
                                  .system = STR(instructions),
                                  .prompt = STR(argv[argc - 1]),
                                  .retry_max = REASKS_MAX};
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_config *config = NULL;
    surety_error err = {.message = ""};
    int code = 2;

    if (!read_settings(argc, argv, &settings)) {
        fprintf(stderr, "usage: census [-m MODEL] [--folder FOLDER] "
                        "[--format png|svg] --tools FILE QUESTION\n");
        return 2;
    }
    if (surety_registry_new(STR(""), NULL, &registry, &err) ||
        surety_registry_find(registry, STR("census/agent-output"), &contract,
                             &err) ||
        census_tools_open(settings.tools, &tools, &err) ||
        surety_config_load(STR(NULL), NULL, &config, &err) ||
        surety_config_model(config,
                            settings.model
                                ? STR(settings.model)
                                : surety_config_info_of(config)->defaults[0],
                            &options.models, &err))
        goto done;
    options.contract = contract;
    options.tools = tools.offered;
    surety_config_run(config, &options);
    code = answer(&settings, &options, &err);
done:
    if (err.message[0])
        census_put(stderr, "census: ", STR(err.message));
    surety_config_free(config);
    census_tools_close(&tools);
    surety_contract_free(contract);
    surety_registry_free(registry);
    return ferror(stdout) || err.status == SURETY_IO ? 4 : code;
}
