/* SPDX-License-Identifier: Apache-2.0 */
/* user-story: enhances the story on standard input in iterations, each a call
 * to a model that answers with the new story and with what it changed. What was
 * done stays when a later iteration fails. LOG_LEVEL (silent ... debug) says
 * what is logged:
 *     echo STORY | user-story --mode individual --iterations validation */
#include <surety-run.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT(str) (int)(str).len, (str).ptr ? (str).ptr : "" /* for %.*s */
#define STR(text) surety_str_of(text)
#define KEEP "Enhance this user story; keep its form and all that it says. "
static const char *const tasks[][2] = {
    {"user-roles", KEEP "Say who acts, in which role, with which rights."},
    {"interactive-elements", KEEP "Say what each control does, and when."},
    {"validation", KEEP "Say how each input is checked, with each message."},
    {"accessibility", KEEP "Meet WCAG 2.2 AA: keyboard, labels, contrast."},
    {"performance", KEEP "Add measurable limits of time and load."},
    {"security", KEEP "Say what is protected from whom, and how."},
    {"responsive-web", KEEP "Say how it adapts to the window's width."},
    {"responsive-native", KEEP "Say how it adapts to phones and tablets."},
    {"language-support", KEEP "Say how its texts are translated."},
    {"locale-formatting", KEEP "Say how dates, numbers, money are written."},
    {"cultural-appropriateness", KEEP "Avoid what offends elsewhere."},
    {"analytics", KEEP "Say which events are counted, and what for."}};
enum { TASKS = sizeof(tasks) / sizeof(*tasks) };

enum level { SILENT, ERROR, WARN, INFO, DEBUG };
static const char *const names[] = {"silent", "error", "warn", "info", "debug"};
static const char format[] = "user-story/iteration-output";
static const char *const shown[] = {"", "ERROR", "WARN", "INFO", "DEBUG"};

static void say(enum level level, surety_str id, surety_str text, surety_str at)
{
    const char *wanted = getenv("LOG_LEVEL");
    const time_t seconds = time(NULL);
    char line[4096], now[32];
    int most = INFO; /* also where it is none of the names */

    for (int i = SILENT; wanted && i <= DEBUG; i++)
        most = strcmp(wanted, names[i]) == 0 ? i : most;
    strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", gmtime(&seconds));
    snprintf(line, sizeof(line), at.len ? "%.*s: %.*s (%.*s)" : "%.*s: %.*s",
             TEXT(id), TEXT(text), TEXT(at));
    for (unsigned char *c = (unsigned char *)line; *c; c++) /* in one line */
        *c = *c < ' ' || *c == 127 || (*c == 0xC2 && c[1] < 0xA0) ? ' ' : *c;
    if ((int)level <= most)
        fprintf(stderr, "[%s] [%s] %s\n", now, shown[level], line);
}

/* Appends what came of a run to the result, logs it, and takes its story; the
 * exit code. */
static int conclude(surety_str id, const surety_run *run, surety_str *story,
                    surety_buf *result)
{
    const surety_run_verdict verdict = surety_run_info_of(run)->verdict;
    const surety_outcome *outcome = surety_run_info_of(run)->outcome;
    const surety_val value = surety_outcome_info_of(outcome)->value;
    const surety_val changes = surety_val_get(value, "changesApplied");
    const surety_val confidence = surety_val_get(value, "confidence");
    surety_str reply = surety_run_info_of(run)->reply_first;
    char line[96];

    surety_json_text(result, "iteration", id);
    surety_json_text(result, "verdict", STR(surety_run_verdict_name(verdict)));
    if (verdict != SURETY_RUN_VALID && verdict != SURETY_RUN_FALLBACK) {
        surety_json_text(result, "message", surety_run_info_of(run)->message);
        for (size_t i = 0, characters = 0; i < reply.len; i++)
            if ((reply.ptr[i] & 0xC0) != 0x80 && characters++ == 100)
                reply.len = i;
        say(ERROR, id, surety_run_info_of(run)->message, reply);
        return verdict == SURETY_RUN_PROVIDER ? 3 : 1;
    }
    surety_json_value(result, "confidence", confidence);
    surety_json_value(result, "changesApplied", changes);
    if (verdict == SURETY_RUN_FALLBACK)
        say(WARN, id, surety_outcome_error(outcome, 0).message,
            STR("the reply as it is becomes the story"));
    snprintf(line, sizeof(line), "%zu change%s, confidence %.*s",
             surety_val_count(changes),
             surety_val_count(changes) == 1 ? "" : "s",
             TEXT(confidence.doc ? surety_val_number(confidence)
                                 : STR("not given")));
    say(INFO, id, STR(line), STR(NULL));
    SURETY_EACH (one, changes)
        say(DEBUG, surety_val_str(surety_val_get(one, "category")),
            surety_val_str(surety_val_get(one, "description")),
            surety_val_str(surety_val_get(one, "location")));
    *story = surety_val_str(surety_val_get(value, "enhancedStory"));
    return 0;
}

/* Makes the iterations and prints the last story, or the result as JSON; the
 * exit code. */
static int enhance(surety_run_options *options,
                   const char *const *const order[TASKS], bool as_json,
                   surety_error *err)
{
    surety_run *runs[TASKS] = {NULL}; /* each story belongs to its run */
    surety_str *story = &options->prompt, out;
    surety_buf result;
    size_t done = 0;
    int code = 0;

    surety_buf_init(&result, NULL, 0);
    surety_buf_text(&result, "{\"iterations\":[");
    for (; done < TASKS && order[done] && code == 0; done += code == 0) {
        options->system = STR(order[done][1]);
        surety_buf_text(&result, done ? ",{" : "{");
        code = surety_run_new(options, &runs[done], err) ||
                       surety_run_wait(runs[done], NULL, err)
                   ? 4
                   : conclude(STR(order[done][0]), runs[done], story, &result);
        surety_buf_byte(&result, '}');
    }
    surety_buf_byte(&result, ']');
    surety_json_name(&result, "story");
    if (done) /* also when a later iteration failed */
        surety_json_string(&result, *story);
    else
        surety_buf_text(&result, "null");
    surety_buf_byte(&result, '}');
    out = as_json ? surety_buf_str(&result) : *story;
    if ((as_json || done) && (!fwrite(out.ptr, 1, out.len, stdout) ||
                              putchar('\n') == EOF || fflush(stdout)))
        code = (perror("user-story: standard output"), 4);
    surety_buf_done(&result);
    for (size_t i = 0; i < TASKS; i++)
        surety_run_free(runs[i]);
    return code;
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"--mode", "--iterations", "-m"};
    char *got[] = {"", "", NULL}, *ids, *input = NULL;
    const char *const *order[TASKS] = {NULL};
    size_t count = 0, len, size = 0;
    int at = 1, code = 2;
    bool as_json = false;
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_config *config = NULL;
    surety_error err = {.message = ""};
    surety_run_options options = {
        .size = sizeof(options), .model_count = 1, .instruct_system = true};

    for (int k = 0; k < 3 && at < argc; k++) /* k = -1: on to the next */
        if (strcmp(argv[at], "--json") == 0)
            as_json = true, at++, k = -1;
        else if (strcmp(argv[at], words[k]) == 0 && at + 1 < argc)
            got[k] = argv[at + 1], at += 2, k = -1;
    for (ids = got[1]; *ids && count < TASKS; ids += len + (ids[len] == ',')) {
        len = strcspn(ids, ",");
        for (int i = 0; i < TASKS && !order[count]; i++)
            if (!strncmp(tasks[i][0], ids, len) && !tasks[i][0][len])
                order[count] = tasks[i];
        if (!order[count++])
            break;
    }
    ids = at < argc ? argv[at] : ids;
    if (at < argc || strcmp(got[0], "individual") || count == 0 || *ids ||
        getdelim(&input, &size, '\0', stdin) < 1 ||
        input[strspn(input, " \t\r\n")] == '\0') {
        fprintf(stderr,
                "not understood: %s\nusage: echo STORY | user-story [--json] "
                "--mode individual\n    --iterations ID,ID [-m MODEL]\n",
                *ids ? ids : "no mode, no iterations, or an empty story");
        for (int i = 0; i < TASKS; i++)
            fprintf(stderr, "  ID %s\n", tasks[i][0]);
    } else if (!surety_registry_new(STR(""), NULL, &registry, &err) &&
               !surety_registry_find(registry, STR(format), &contract, &err) &&
               !surety_config_load(STR(NULL), NULL, &config, &err) &&
               !surety_config_model(
                   config,
                   got[2] ? STR(got[2])
                          : surety_config_info_of(config)->defaults[0],
                   &options.models, &err)) {
        options.contract = contract;
        surety_config_run(config, &options);
        options.prompt = STR(input);
        code = enhance(&options, order, as_json, &err);
    }
    if (err.message[0])
        say(ERROR, STR("user-story"), STR(err.message), STR(err.hint));
    surety_config_free(config);
    surety_contract_free(contract);
    surety_registry_free(registry);
    free(input);
    return err.status == SURETY_IO ? 4 : code;
}
