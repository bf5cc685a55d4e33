/* SPDX-License-Identifier: Apache-2.0 */
/* census: answers a question about census data, by census/agent-output: text,
 * data, and charts and tables to show them. The answer goes to standard output,
 * the rest into a folder; where a chart fails, all else is there:
 *     census -m openai:gpt-5-mini --folder charts "How many live in Texas?" */
#include <surety-render.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define STR(text) surety_str_of(text)

/* A line of what a model may have written, without what a terminal acts on. */
static void put(FILE *to, const char *before, surety_str text)
{
    fputs(before, to);
    for (size_t i = 0; i < text.len; i++) {
        const int byte = (unsigned char)text.ptr[i];
        const bool high = byte < 0xA0 && i && text.ptr[i - 1] == '\xC2';
        fputc(byte < ' ' || byte == 127 ? ' ' : high ? 0xA0 : byte, to);
    }
    fputc('\n', to);
}

/* Each line of a text, with the same before it. */
static void put_lines(const char *before, surety_str text)
{
    for (size_t i = 0, start = 0; i <= text.len; i++)
        if (i == text.len ? i > start : text.ptr[i] == '\n') {
            put(stderr, before, (surety_str){text.ptr + start, i - start});
            start = i + 1;
        }
}

/* Writes the answer, then makes its charts and tables; the exit code. */
static int show(surety_val value, const surety_rendering_options *options,
                const char *folder)
{
    const surety_val notes = surety_val_get(value, "footnotes");
    surety_rendering *all = NULL;
    surety_error err;
    surety_buf bytes;
    int code = 0;

    put(stdout, "", surety_val_str(surety_val_get(value, "answer_text")));
    for (size_t i = 0; i < surety_val_count(notes); i++)
        put(stdout, "- ", surety_val_str(surety_val_item(notes, i)));
    if (fflush(stdout)) /* it is out before anything else goes wrong */
        perror("census: standard output");
    put(stderr, "census: reasoning: ",
        surety_val_str(surety_val_get(value, "reasoning_trace")));
    if (surety_rendering_new(value, options, &all, &err)) {
        put(stderr, "census: ", STR(err.message));
        return 1;
    }
    surety_buf_init(&bytes, NULL, 0);
    mkdir(folder, 0777); /* where it cannot be made, saving tells why */
    for (size_t i = 0; i < surety_rendering_count(all); i++) {
        surety_status status = surety_rendering_draw(all, i, &bytes, &err);
        const surety_render_item item = surety_rendering_item(all, i);

        if (!status)
            status = surety_file_save(STR(folder), item.name,
                                      surety_buf_str(&bytes), false, &err);
        put(stderr, status ? "census: not made: " : "census: made ", item.name);
        put_lines("  ", item.note);
        if (status) {
            put(stderr, "  ", STR(err.message));
            put(stderr, "  ", STR(err.hint));
            code = 1;
        }
        surety_buf_reset(&bytes);
    }
    surety_buf_done(&bytes);
    surety_rendering_free(all);
    return code;
}

/* The value of a run: also one that breaks its contract only in what is to be
 * drawn, in place of the contract's fallback. */
static surety_val answer_of(const surety_run *run)
{
    const surety_outcome *outcome = surety_run_info_of(run)->outcome;
    const size_t count = surety_outcome_info_of(outcome)->error_count;
    size_t drawn = 0;

    for (size_t i = 0; i < count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);
        const surety_str at = issue.instance_location;

        put(stderr, "census: ", issue.message);
        drawn += at.len >= 15 && (memcmp(at.ptr, "/charts_needed/", 15) == 0 ||
                                  memcmp(at.ptr, "/tables_needed/", 15) == 0);
    }
    if (count && drawn == count) {
        fprintf(stderr, "census: the answer stands; only what is to be drawn "
                        "breaks the contract\n");
        return surety_outcome_info_of(outcome)->candidate;
    }
    if (surety_run_info_of(run)->verdict != SURETY_RUN_VALID)
        put(stderr, "census: ", surety_run_info_of(run)->message);
    return surety_outcome_info_of(outcome)->value;
}

int main(int argc, char **argv)
{
    const char *model = NULL, *folder = ".", *format = "png";
    surety_variable steps = {STR("steps"), STR("0")}; /* of the agent so far */
    const surety_judge_options judge = {
        .size = sizeof(judge), .variables = &steps, .variables_count = 1};
    surety_run_options options = {
        .size = sizeof(options), .judge = &judge, .model_count = 1};
    surety_rendering_options look = {.size = sizeof(look)};
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_config *config = NULL;
    surety_run *run = NULL;
    surety_error err = {.message = ""};
    surety_val value;
    int code = 2;

    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "-m") == 0)
            model = argv[i + 1];
        else if (strcmp(argv[i], "--folder") == 0)
            folder = argv[i + 1];
        else if (strcmp(argv[i], "--steps") == 0)
            steps.value = STR(argv[i + 1]);
        else
            format = strcmp(argv[i], "--format") == 0 ? argv[i + 1] : "";
    if (strcmp(format, "svg") == 0)
        look.chart_format = SURETY_CHART_SVG;
    if (argc % 2 || strncmp(argv[argc - 1], "--", 2) == 0 ||
        (!look.chart_format && strcmp(format, "png") != 0)) {
        fprintf(stderr, "usage: census [-m MODEL] [--folder FOLDER] "
                        "[--format png|svg] [--steps N] QUESTION\n");
        return 2;
    }
    if (surety_registry_new(STR(""), NULL, &registry, &err) ||
        surety_registry_find(registry, STR("census/agent-output"), &contract,
                             &err) ||
        surety_config_load(STR(NULL), NULL, &config, &err) ||
        surety_config_model(config,
                            model ? STR(model)
                                  : surety_config_info_of(config)->defaults[0],
                            &options.models, &err))
        goto done;
    options.contract = contract;
    options.prompt = STR(argv[argc - 1]);
    surety_config_run(config, &options);
    if (surety_run_new(&options, &run, &err) ||
        surety_run_wait(run, NULL, &err))
        goto done;
    code = surety_run_info_of(run)->verdict == SURETY_RUN_PROVIDER ? 3 : 1;
    value = answer_of(run);
    if (value.doc)
        code = show(value, &look, folder);
done:
    if (err.message[0])
        put(stderr, "census: ", STR(err.message));
    surety_run_free(run);
    surety_config_free(config);
    surety_contract_free(contract);
    surety_registry_free(registry);
    return ferror(stdout) || err.status == SURETY_IO ? 4 : code;
}
