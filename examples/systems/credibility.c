/* SPDX-License-Identifier: Apache-2.0 */
/* credibility: puts a prompt to a model, or to several, of whose answers it
 * makes one. A schema is in each prompt, and each model is asked again twice;
 * without one, prompt and reply pass through as they are:
 *     credibility -m openai:gpt-5-mini -m gemini:gemini-2.5-flash \
 *         --consensus vote "How credible is the author of these posts? ..." */
#include <surety-run.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#define STR(text) surety_str_of(text)
enum { MODELS_MAX = 16 };

/* Writes text for people: nothing that a terminal would act on. */
static void tell(surety_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const int byte = (unsigned char)text.ptr[i];
        const bool high = byte < 0xA0 && i && text.ptr[i - 1] == '\xC2';
        fputc(byte < ' ' && byte != '\n' ? ' ' : high ? 0xA0 : byte, stderr);
    }
}

/* Why a model has no valid answer, in detail, and its original reply. */
static void explain(const surety_run *run, surety_buf *out)
{
    surety_run_write(run, SURETY_REPORT_TEXT, STR("last reply"), out);
    surety_buf_text(out, "original reply: ");
    surety_buf_add(out, surety_run_info_of(run)->reply_first);
    surety_buf_byte(out, '\n');
}

/* Writes the value, and tells how it came about; the exit code. */
static int conclude(const surety_consensus *consensus, bool schema)
{
    const surety_consensus_info *info = surety_consensus_info_of(consensus);
    const surety_val value = info->value;
    surety_buf text, report;

    surety_buf_init(&text, NULL, 0);
    surety_buf_init(&report, NULL, 0);
    for (size_t i = 0; i < info->member_count && !value.doc; i++)
        explain(surety_consensus_member(consensus, i), &report);
    surety_consensus_write(consensus, SURETY_REPORT_TEXT, &report);
    tell(surety_buf_str(&report));
    if (schema && value.doc) {
        surety_val_write(value, SURETY_STYLE_COMPACT, &text);
        surety_buf_byte(&text, '\n');
    } else if (info->winner < info->member_count) { /* the reply, to the byte */
        const surety_run *winner =
            surety_consensus_member(consensus, info->winner);
        surety_buf_add(&text, surety_run_info_of(winner)->reply_last);
    } else {
        surety_buf_add(&text, surety_val_str(value));
    }
    fwrite(text.ptr ? text.ptr : "", 1, text.len, stdout);
    surety_buf_done(&text);
    surety_buf_done(&report);
    if (fflush(stdout) != 0 || ferror(stdout))
        return perror("credibility: standard output"), 4;
    if (value.doc)
        return 0;
    return info->verdict == SURETY_RUN_PROVIDER ? 3 : 1;
}

/* Asks the models, and tells what it took; the exit code. */
static int ask(const surety_consensus_options *options, surety_error *err)
{
    surety_consensus *consensus = NULL;
    struct timespec start, end;
    surety_usage usage;
    int code = 2;

    clock_gettime(CLOCK_MONOTONIC, &start);
    if (!surety_consensus_new(options, &consensus, err) &&
        !surety_consensus_wait(consensus, NULL, err)) {
        clock_gettime(CLOCK_MONOTONIC, &end);
        code = conclude(consensus, options->run->contract != NULL);
        usage = surety_consensus_info_of(consensus)->usage;
        fprintf(stderr, "%.0f tokens in, %.0f out%s, %.3f s\n",
                (double)usage.input_tokens, (double)usage.output_tokens,
                usage.known ? "" : " (estimated)",
                difftime(end.tv_sec, start.tv_sec) +
                    (double)(end.tv_nsec - start.tv_nsec) / 1e9);
    }
    surety_consensus_free(consensus);
    return code;
}

/* What the command line says; what it leaves out is the configuration's. */
struct settings {
    const char *schema; /* NULL: none */
    surety_str names[MODELS_MAX + 1];
    size_t count;
    surety_consensus_kind kind;
    uint64_t millionths, tokens_max, timeout_ms; /* UINT64_MAX, 0, 0: none */
};

/* The place of the prompt in argv; argc where the call is not understood. */
static int read_options(struct settings *to, int argc, char **argv)
{
    const struct {
        const char *name;
        unsigned decimals;
        uint64_t least, most, *number;
    } numbers[] = {{"--temperature", 6, 0, 2000000, &to->millionths},
                   {"--max-output-tokens", 0, 1, 10000000, &to->tokens_max},
                   {"--timeout", 3, 1, 86400000, &to->timeout_ms}};
    int i = 1;

    for (int k = 0; i + 1 < argc; i++, k = 0) {
        while (k < 3 && strcmp(argv[i], numbers[k].name) != 0)
            k++;
        if (k < 3) {
            if (surety_decimal_read(STR(argv[++i]), numbers[k].decimals,
                                    numbers[k].number, NULL) ||
                *numbers[k].number < numbers[k].least ||
                *numbers[k].number > numbers[k].most)
                return argc;
        } else if (strcmp(argv[i], "--no-schema") == 0)
            to->schema = NULL;
        else if (strcmp(argv[i], "--schema") == 0)
            to->schema = argv[++i];
        else if (strcmp(argv[i], "-m") == 0 && to->count < MODELS_MAX)
            to->names[to->count++] = STR(argv[++i]);
        else if (strcmp(argv[i], "--consensus") != 0 ||
                 surety_consensus_kind_of(STR(argv[++i]), &to->kind))
            return argc;
    }
    return i + 1 == argc && strncmp(argv[i], "--", 2) != 0 ? i : argc;
}

/* The models that are named, else the configuration's; false: see err. */
static bool take_models(const struct settings *from, surety_config *config,
                        surety_model *models, size_t *count, surety_error *err)
{
    const surety_model *model = NULL;

    for (size_t k = 0; k < MODELS_MAX; k++) {
        const surety_str name =
            from->count ? from->names[k]
                        : surety_config_info_of(config)->defaults[k];
        if (name.len == 0 && k > 0)
            break;
        if (surety_config_model(config, name, &model, err))
            return false;
        models[k] = *model;
        if (from->millionths != UINT64_MAX)
            models[k].has_temperature = true,
            models[k].temperature = (double)from->millionths / 1e6;
        if (from->tokens_max)
            models[k].output_tokens_max = (uint32_t)from->tokens_max;
        if (from->timeout_ms) /* of a call */
            models[k].timeouts.total_ms = (uint32_t)from->timeout_ms;
        *count = k + 1;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct settings settings = {.schema = "credibility/analysis-result",
                                .millionths = UINT64_MAX};
    surety_model models[MODELS_MAX];
    surety_run_options run = {.size = sizeof(run), .models = models};
    surety_consensus_options options = {.size = sizeof(options), .run = &run};
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_config *config = NULL;
    surety_error err = {.message = ""};
    const int at = read_options(&settings, argc, argv);
    int code = 2;

    if (at == argc) {
        fprintf(stderr, "usage: credibility [-m MODEL]... [--schema CONTRACT | "
                        "--no-schema]\n    [--consensus first|fastest|vote|"
                        "aggregate] [--temperature 0..2]\n    "
                        "[--max-output-tokens N] [--timeout SECONDS] PROMPT\n");
        return 2;
    }
    if (surety_registry_new(STR(""), NULL, &registry, &err) ||
        (settings.schema && surety_registry_find(registry, STR(settings.schema),
                                                 &contract, &err)) ||
        surety_config_load(STR(NULL), NULL, &config, &err) ||
        !take_models(&settings, config, models, &run.model_count, &err))
        goto done;
    options.kind = settings.kind;
    run.contract = contract;
    run.prompt = STR(argv[at]);
    run.retry_max = 2;
    surety_config_run(config, &run);
    code = ask(&options, &err);
done:
    if (err.message[0])
        fprintf(stderr, "credibility: %s\n    %s\n", err.message, err.hint);
    surety_config_free(config);
    surety_contract_free(contract);
    surety_registry_free(registry);
    return err.status == SURETY_IO ? 4 : code;
}
