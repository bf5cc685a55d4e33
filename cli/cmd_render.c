/* SPDX-License-Identifier: Apache-2.0 */
/* surety render: makes charts and tables. It judges a reply as check does and
 * makes the outputs that its value asks for; or it draws a file of data as the
 * options say. In the second case the options are turned into a value that asks
 * for the same outputs, so both cases use the same code. The value always goes
 * to standard output, so a chart that fails does not lose it. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "library.h"
#include "memory.h"
#include "render_output.h"
#include "session.h"

struct render_settings {
    struct session_settings session; /* must be first: SESSION_ROWS use offsets
                                      * from it */
    const char *data, *at, *chart, *table, *x, *series, *title, *name, *out;
    struct texts y, labels, missing;
    int format, headers, report;
    unsigned width, height, scale;
    bool census, formulas, byte_order_mark, force;
};

SETTINGS_FIT(struct render_settings);
#define AT(member) offsetof(struct render_settings, member)

const struct option_row render_options[] = {
    SECTION("Charts and tables"),
    TEXT("contract", 'c', AT(session.contract), "CONTRACT",
         "what the value must satisfy, as for check; without it any value that "
         "asks for charts and tables"),
    TEXT("chart", 0, AT(chart), "N|TYPE",
         "the N-th chart that the value asks for and nothing else; with "
         "--data: bar or line"),
    TEXT("table", 0, AT(table), "N|FORMAT",
         "the N-th table that the value asks for and nothing else; with "
         "--data: csv, xlsx or html"),
    SECTION("Data of your own"),
    TEXT("data", 0, AT(data), "FILE",
         "draw this JSON: an array of arrays, the first of them the header, or "
         "an array of objects"),
    TEXT("at", 0, AT(at), "POINTER",
         "the location of the rows in FILE, a JSON Pointer"),
    TEXT("x", 0, AT(x), "NAME", "the column of places: names, times"),
    TEXTS("y", 0, AT(y), "NAME",
          "the column of values; given again: several series"),
    TEXT("series", 0, AT(series), "NAME",
         "the column that separates rows into series"),
    TEXT("title", 0, AT(title), "TEXT", "the title"),
    TEXT("name", 0, AT(name), "NAME", "the file's name; by default the title"),
    TEXTS("label", 0, AT(labels), "NAME=TEXT",
          "the title of a column; may be given again"),
    SECTION("Form"),
    CHOICE("format", 0, AT(format), "png|svg", "of charts; default png"),
    NUMBER("width", 0, AT(width), 16000, "PIXELS", "of charts; default 960"),
    NUMBER("height", 0, AT(height), 16000, "PIXELS",
           "of charts; default: what the data need"),
    NUMBER("scale", 0, AT(scale), 4, "N",
           "pixels of a PNG for each of those; default 2"),
    CHOICE(
        "headers", 0, AT(headers), "names|labels|both",
        "what tables have as headers; default: names in csv, both elsewhere"),
    TEXTS("missing", 0, AT(missing), "TEXT",
          "a value that means that there is none, such as -999; may be given "
          "again"),
    FLAG("census", 0, AT(census),
         "the Census API's -666666666 and the like mean that there is no "
         "value; always so for the member census_data"),
    FLAG("formulas", 0, AT(formulas),
         "in csv, leave a text that a spreadsheet would run (=, +, -, @) "
         "without the ' that stops it"),
    FLAG("bom", 0, AT(byte_order_mark),
         "begin csv with a byte order mark, for older spreadsheets"),
    SECTION("Output"),
    TEXT("out", 'o', AT(out), "FOLDER",
         "where files go; it is made if it is missing; -: the only output goes "
         "to standard output; default: the working folder"),
    FLAG("force", 'f', AT(force), "replace existing files"),
    CHOICE("report", 0, AT(report), "text|json",
           "form of the report on standard error"),
    SESSION_ROWS_STYLE,
    SESSION_ROWS_LOOK,
    SESSION_ROWS_FALLBACK,
    OPTION_END};

/* One execution of the command. */
struct renderer {
    struct cli *cli;
    const struct render_settings *settings;
    struct render_output output;
    surety_str *missing;
};

/* ---- options ------------------------------------------------------------- */

enum { OUTPUT_MOST = 9999 };

/* Returns the number in an option's text; 0: it is a word, or not given. */
static size_t number_of(const char *text)
{
    const unsigned number = text ? cli_number(&text, OUTPUT_MOST) : 0;

    return text && *text == '\0' && number <= OUTPUT_MOST ? number : 0;
}

/* Checks that an option's number is a possible output number. */
static bool check_number(struct cli *cli, const char *option, const char *given)
{
    if (!given || number_of(given) > 0)
        return true;
    return cli_usage(cli, "data of your own are drawn with --data FILE",
                     "%s %s is no number of an output of the value", option,
                     given);
}

/* Checks that there is such a type of chart or table. */
static bool check_kind(struct cli *cli, const char *given,
                       const char *const *words, const char *hint,
                       const char *what)
{
    for (; given && *words; words++)
        if (strcmp(given, *words) == 0)
            return true;
    return !given ||
           cli_usage(cli, hint, "there are no %s \"%s\"", what, given);
}

/* Checks --chart and --table; their meaning depends on --data. */
static bool check_arguments(struct renderer *renderer,
                            const struct operands *operands)
{
    static const char *const charts[] = {"bar", "line", NULL};
    static const char *const tables[] = {"csv", "xlsx", "excel", "html", NULL};
    const struct render_settings *settings = renderer->settings;
    const bool has_data = settings->data != NULL;
    const bool has_columns = settings->x || settings->y.count > 0 ||
                             settings->series || settings->title ||
                             settings->name || settings->at ||
                             settings->labels.count > 0;
    const struct option_rule rules[] = {
        {has_data && operands->count > 0, "leave VALUE out",
         "with --data there is no VALUE"},
        {operands->count > 1, "call it once for each", "one VALUE at a time"},
        {!has_data && has_columns, "add --data FILE",
         "--x, --y, --series, --title, --name, --label and --at go with "
         "--data"},
        {has_data && settings->session.contract, "leave -c out",
         "--data are drawn without a contract"},
        {has_data && !settings->chart && !settings->table,
         "charts are bar and line, tables csv, xlsx and html",
         "--data needs --chart TYPE or --table FORMAT"}};
    struct cli *cli = renderer->cli;

    if (!options_obey(cli, rules, COUNT_OF(rules)))
        return false;
    return has_data ? check_kind(cli, settings->chart, charts,
                                 "there are bar and line; shares that sum to "
                                 "100 % are stacked bars",
                                 "charts of the type") &&
                          check_kind(cli, settings->table, tables,
                                     "there are csv, xlsx and html",
                                     "tables of the format")
                    : check_number(cli, "--chart", settings->chart) &&
                          check_number(cli, "--table", settings->table);
}

static bool take_missing(struct renderer *renderer)
{
    const struct texts *given = &renderer->settings->missing;

    renderer->missing = calloc(given->count + 1, sizeof(surety_str));
    if (!renderer->missing)
        return cli_nomem(renderer->cli);
    for (size_t i = 0; i < given->count; i++)
        renderer->missing[i] = surety_str_of(given->items[i]);
    return true;
}

/* ---- making outputs ------------------------------------------------------ */

/* Makes the outputs that value asks for. */
static void render_value(struct renderer *renderer, surety_val value,
                         const char *source)
{
    const struct render_settings *settings = renderer->settings;
    const surety_rendering_options options = {
        .size = sizeof(options),
        .chart_format =
            settings->format == 2 ? SURETY_CHART_SVG : SURETY_CHART_PNG,
        .width = settings->width,
        .height = settings->height,
        .scale = settings->scale,
        .headers = (surety_headers)settings->headers,
        .formulas = settings->formulas,
        .byte_order_mark = settings->byte_order_mark,
        .scratch = surety_str_of(getenv("TMPDIR")),
        .missing = renderer->missing,
        .missing_count = settings->missing.count,
        .census = settings->census};
    surety_rendering *rendering = NULL;
    surety_error error;
    const surety_status status =
        surety_rendering_new(value, &options, &rendering, &error);

    if (status != SURETY_OK) {
        render_output_fail(&renderer->output, cli_code_of(status, CODE_INVALID),
                           source, &error);
        return;
    }
    render_output_all(&renderer->output, rendering);
    surety_rendering_free(rendering);
}

/* ---- a reply ------------------------------------------------------------- */

static void render_outcome(struct renderer *renderer, struct session *session,
                           const surety_outcome *outcome, const char *source)
{
    const surety_outcome_info *info = surety_outcome_info_of(outcome);
    const bool is_usable = info->ok || info->fallback;
    const bool is_piped = strcmp(renderer->output.folder, "-") == 0;
    surety_buf report;

    surety_buf_init(&report, NULL, 0);
    if (renderer->output.is_json)
        surety_outcome_write(outcome, SURETY_REPORT_JSON, surety_str_of(source),
                             0, &report);
    else
        session_report(session, outcome, source);
    if (is_usable && !is_piped)
        session_value(session, outcome);
    else if (!is_usable)
        cli_raise(renderer->cli, CODE_INVALID);
    /* The value is written before any output can fail. */
    output_flush(&renderer->cli->out);
    if (is_usable)
        render_value(renderer, info->value, source);
    else if (session->settings->contract && !renderer->output.quiet &&
             !renderer->output.is_json && info->candidate.doc)
        surety_buf_text(
            &renderer->cli->err.buf,
            "a value that breaks its contract is not drawn; without -c "
            "it is\n");
    render_output_done(&renderer->output, surety_buf_str(&report));
    surety_buf_done(&report);
}

static void render_reply(struct renderer *renderer, const char *path)
{
    const struct session_settings *settings = &renderer->settings->session;
    surety_contract *contract =
        settings->contract ? library_contract(renderer->cli, settings->contract)
                           : library_any(renderer->cli);
    const surety_outcome *outcome = NULL;
    surety_str reply = {NULL, 0};
    struct session session = {0};
    surety_error error;
    surety_status status;

    if (!contract)
        return;
    if (session_init(&session, renderer->cli, settings, contract)) {
        if (!settings->quiet)
            cli_invite(renderer->cli, path, "the reply");
        if (!cli_read(renderer->cli, path, input_text(&session.limits),
                      CODE_INVALID, &reply))
            goto done;
        status = surety_judge_reply(session.judge, contract, reply,
                                    &session.options, &outcome, &error);
        if (status == SURETY_OK)
            render_outcome(renderer, &session, outcome, input_name(path));
        else
            cli_report(renderer->cli, cli_code_of(status, CODE_INVALID),
                       input_name(path), NO_TEXT, &error);
    }
done:
    session_done(&session);
    surety_contract_free(contract);
    free((char *)reply.ptr);
}

/* ---- data from a file ---------------------------------------------------- */

static void build_text(surety_doc *doc, const char *name, const char *text)
{
    if (!text)
        return;
    surety_build_name(doc, name);
    surety_build_str(doc, surety_str_of(text));
}

static void build_labels(const struct render_settings *settings,
                         surety_doc *doc)
{
    surety_build_name(doc, "variables");
    surety_build_object(doc);
    for (size_t i = 0; i < settings->labels.count; i++) {
        const char *item = settings->labels.items[i];
        const size_t len = strcspn(item, "=");
        surety_build_key(doc, (surety_str){item, len});
        surety_build_str(doc, surety_str_of(item[len] ? item + len + 1 : ""));
    }
    surety_build_close(doc);
}

/* Builds the list that asks for one chart or table. */
static void build_request(const struct render_settings *settings, bool is_table,
                          surety_doc *doc)
{
    surety_build_name(doc, is_table ? "tables" : "charts");
    surety_build_array(doc);
    surety_build_object(doc);
    build_text(doc, is_table ? "format" : "type",
               is_table ? settings->table : settings->chart);
    build_text(doc, "title", settings->title);
    build_text(doc, "filename", settings->name);
    build_text(doc, "x", settings->x);
    build_text(doc, "series", settings->series);
    if (settings->y.count > 0) {
        surety_build_name(doc, "y");
        surety_build_array(doc);
        for (size_t i = 0; i < settings->y.count; i++)
            surety_build_str(doc, surety_str_of(settings->y.items[i]));
        surety_build_close(doc);
    }
    surety_build_close(doc);
    surety_build_close(doc);
}

/* Builds a value that asks for what the options say. */
static surety_status build_value(const struct render_settings *settings,
                                 surety_val rows, surety_doc *doc,
                                 surety_error *error)
{
    surety_build_begin(doc, rows.doc);
    surety_build_object(doc);
    surety_build_name(doc, "data");
    surety_build_val(doc, rows);
    build_labels(settings, doc);
    if (settings->chart)
        build_request(settings, false, doc);
    if (settings->table)
        build_request(settings, true, doc);
    surety_build_close(doc);
    return surety_build_end(doc, error);
}

static void render_data(struct renderer *renderer)
{
    const struct render_settings *settings = renderer->settings;
    struct cli *cli = renderer->cli;
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW |
                                                  SURETY_READ_SKIP_BOM,
                                         .limits = &cli->limits};
    const char *name = input_name(settings->data);
    surety_doc *read = surety_doc_new(&memory_large);
    surety_doc *made = surety_doc_new(&memory_large);
    surety_str text = {NULL, 0};
    surety_error error;
    surety_status status;
    surety_val rows;

    if (!read || !made) {
        cli_nomem(cli);
        goto done;
    }
    if (!cli_read(cli, settings->data, input_text(&cli->limits), CODE_INVALID,
                  &text))
        goto report;
    status = surety_doc_read(read, text, &options, &error);
    if (status == SURETY_OK) {
        rows =
            surety_val_at(surety_doc_root(read), surety_str_of(settings->at));
        if (!rows.doc) {
            cli_usage(cli, NULL, "--at %s leads nowhere in %s", settings->at,
                      name);
            goto done;
        }
        status = build_value(settings, rows, made, &error);
    }
    if (status == SURETY_OK)
        render_value(renderer, surety_doc_root(made), name);
    else
        cli_report(cli, cli_code_of(status, CODE_INVALID), name, text, &error);
report:
    render_output_done(&renderer->output, NO_TEXT);
done:
    surety_doc_free(made);
    surety_doc_free(read);
    free((char *)text.ptr);
}

void render_run(struct cli *cli, const void *given,
                const struct operands *operands)
{
    const struct render_settings *settings = given;
    struct renderer renderer = {
        .cli = cli,
        .settings = settings,
        .output = {.cli = cli,
                   .folder = settings->out ? settings->out : ".",
                   .force = settings->force,
                   .quiet = settings->session.quiet,
                   .is_json = settings->report == 2}};
    struct render_output *output = &renderer.output;

    surety_buf_init(&output->outputs, NULL, 0);
    if (!check_arguments(&renderer, operands) || !take_missing(&renderer))
        return;
    if (settings->data) {
        output->data_at = settings->at ? settings->at : "";
        render_data(&renderer);
    } else {
        output->chart_only = number_of(settings->chart);
        output->table_only = number_of(settings->table);
        output->only = settings->chart || settings->table;
        render_reply(&renderer, operands->count > 0 ? operands->items[0] : "-");
    }
    surety_buf_done(&output->outputs);
    free(renderer.missing);
}
