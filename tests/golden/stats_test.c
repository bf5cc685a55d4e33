/* SPDX-License-Identifier: Apache-2.0 */
/* What attempts come to: attempts in, whole reports out, read by a person.
 *
 *     stats_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape      what was done, and what matters
 *     === options    a line each: by NAMES, since MS, until MS, contract NAME,
 *                    model NAME, provider NAME, run ID, expect MEMBER=A,B,
 *                    top N, formulas, title TEXT, notes TEXT
 *     === contracts  a contract a line, for what replies cover
 *     === attempts   an attempt a line, as an object that names what is unlike
 *                    the sample's (tests/stats_sample.h): "at" and "took" are
 *                    milliseconds, from noon and for how long; errors and
 *                    repairs are pairs of kind and path; from "#" N on, the
 *                    line is taken for N runs, of names that end in 1 to N
 *     === report     all sections as JSON, an object a line
 *     === csv NAME   one section
 *     === picture    what the picture says of itself, and its remarks
 *
 * With --update the last three are written anew. */
#include "golden/cases.h"

#include "stats/stats.h"
#include "stats_sample.h"

#include <stdio.h>
#include <stdlib.h>

#include <surety/render.h>

enum { CONTRACTS_MAX = 4, EXPECTS_MAX = 4, VALUES_MAX = 8, ISSUES_MAX = 8 };

struct setting {
    surety_stats_options options;
    surety_stats_by by[SURETY_BYS + 2];
    surety_stats_expect expects[EXPECTS_MAX];
    surety_str values[EXPECTS_MAX][VALUES_MAX];
    surety_contract *contracts[CONTRACTS_MAX];
    size_t top;
    bool formulas;
    surety_stats_chart chart;
};

/* ---- options ------------------------------------------------------------- */

static int64_t number_of(surety_str text)
{
    char digits[32];

    snprintf(digits, sizeof(digits), "%.*s", (int)text.len, text.ptr);
    return strtoll(digits, NULL, 10);
}

/* Takes what is before a sign off text, and the sign. */
static surety_str word_of(surety_str *text, const char *sign)
{
    const size_t end = surety__str_find(*text, surety_str_of(sign));
    const size_t next = end < text->len ? end + 1 : end;
    const surety_str word = {text->ptr, end};

    *text = (surety_str){text->ptr + next, text->len - next};
    return word;
}

static void take_by(struct setting *setting, surety_str names)
{
    surety_stats_options *options = &setting->options;

    while (names.len > 0 && options->by_count < SURETY_BYS + 2) {
        const surety_str name = word_of(&names, ",");
        unsigned by = 0;
        while (by < SURETY_BYS &&
               !surety_str_equal(name, surety_str_of(surety_stats_by_name(
                                           (surety_stats_by)by))))
            by++;
        setting->by[options->by_count++] = (surety_stats_by)by;
    }
}

static void take_expect(struct setting *setting, surety_str text)
{
    const size_t at = setting->options.expect_count++;
    surety_stats_expect *expect = &setting->expects[at];

    if (at == EXPECTS_MAX)
        golden_die("too much is expected", "of a member");
    expect->member = word_of(&text, "=");
    expect->values = setting->values[at];
    while (text.len > 0 && expect->value_count < VALUES_MAX)
        setting->values[at][expect->value_count++] = word_of(&text, ",");
}

static void take_option(struct setting *setting, surety_str line)
{
    surety_stats_options *options = &setting->options;

    setting->formulas |= surety_str_equal(line, surety_str_of("formulas"));
    if (golden_take(&line, "by "))
        take_by(setting, line);
    else if (golden_take(&line, "since "))
        options->since_ms = SAMPLE_NOON + number_of(line);
    else if (golden_take(&line, "until "))
        options->until_ms = SAMPLE_NOON + number_of(line);
    else if (golden_take(&line, "contract "))
        options->contract = line;
    else if (golden_take(&line, "model "))
        options->model = line;
    else if (golden_take(&line, "provider "))
        options->provider = line;
    else if (golden_take(&line, "run "))
        options->run = line;
    else if (golden_take(&line, "expect "))
        take_expect(setting, line);
    else if (golden_take(&line, "top "))
        setting->top = (size_t)number_of(line);
    else if (golden_take(&line, "title "))
        setting->chart.title = line;
    else if (golden_take(&line, "notes "))
        setting->chart.note = line;
}

/* False: this build computes no derived members. */
static bool setting_read(const struct golden *golden, struct setting *setting)
{
    surety_stats_options *options = &setting->options;
    surety_str rest = golden_body(golden, "options");
    surety_error error;
    surety_str line;

    memset(setting, 0, sizeof(*setting));
    options->size = sizeof(*options);
    options->by = setting->by;
    options->expects = setting->expects;
    options->contracts = (const surety_contract *const *)setting->contracts;
    setting->chart.size = sizeof(setting->chart);
    setting->chart.format = SURETY_CHART_SVG;
    while (golden_line(&rest, &line))
        take_option(setting, line);
    rest = golden_body(golden, "contracts");
    while (golden_line(&rest, &line)) {
        const surety_status status =
            options->contract_count < CONTRACTS_MAX
                ? surety_contract_read(
                      line, NULL,
                      &setting->contracts[options->contract_count++], &error)
                : SURETY_LIMIT;
        if (status == SURETY_UNSUPPORTED)
            return false;
        if (status)
            golden_die(golden->path, error.message);
    }
    return true;
}

static void setting_done(struct setting *setting)
{
    for (size_t i = 0; i < CONTRACTS_MAX; i++)
        surety_contract_free(setting->contracts[i]);
}

/* ---- attempts ------------------------------------------------------------ */

#define AT(member) offsetof(surety_entry, member)

static void take_texts(surety_val from, surety_entry *entry)
{
    static const struct {
        const char *name;
        size_t offset;
    } texts[] = {{"id", AT(id)},
                 {"run", AT(run)},
                 {"purpose", AT(purpose)},
                 {"contract", AT(contract)},
                 {"version", AT(contract_version)},
                 {"provider", AT(provider)},
                 {"model", AT(model)},
                 {"mode", AT(mode)},
                 {"failure", AT(failure)},
                 {"stage", AT(stage)},
                 {"reply", AT(reply)},
                 {"stopped", AT(stopped)}};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const surety_val text = surety_val_get(from, texts[i].name);
        if (text.doc)
            *(surety_str *)(void *)((char *)entry + texts[i].offset) =
                surety_val_str(text);
    }
}

static void take_numbers(surety_val from, surety_entry *entry)
{
    static const struct {
        const char *name;
        size_t offset;
    } numbers[] = {{"input", AT(input_tokens)},
                   {"cached", AT(cached_input_tokens)},
                   {"output", AT(output_tokens)},
                   {"reasoning", AT(reasoning_tokens)},
                   {"cost", AT(cost_picousd)},
                   {"saved", AT(saved_tokens)}},
      bools[] = {{"ok", AT(ok)},
                 {"fallback", AT(fallback)},
                 {"usage_known", AT(usage_known)},
                 {"cost_known", AT(cost_known)},
                 {"saved_known", AT(saved_known)},
                 {"partial", AT(partial)}};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        uint64_t *to = (void *)((char *)entry + numbers[i].offset);
        *to = surety_val_uint(surety_val_get(from, numbers[i].name), *to);
    }
    for (size_t i = 0; i < sizeof(bools) / sizeof(*bools); i++) {
        bool *to = (void *)((char *)entry + bools[i].offset);
        *to = surety_val_bool(surety_val_get(from, bools[i].name), *to);
    }
}

static size_t take_issues(surety_val from, surety_entry_issue *issues)
{
    size_t count = 0;

    for (surety_val one = surety_val_first(from); one.doc && count < ISSUES_MAX;
         one = surety_val_next(from, one)) {
        const surety_val kind = surety_val_first(one);
        issues[count++] = (surety_entry_issue){
            .kind = surety_val_str(kind),
            .path = surety_val_str(surety_val_next(one, kind))};
    }
    return count;
}

static surety_entry_state state_of(surety_val name, surety_entry_state other)
{
    static const char *const names[] = {"open", "done", "failed", "cancelled",
                                        "unknown"};

    for (unsigned i = 0; i < 5; i++)
        if (surety_val_is(name, names[i]))
            return (surety_entry_state)i;
    return other;
}

/* Adds what a line says, as many times as it says. */
static surety_status take_attempt(surety_stats *stats, surety_val from,
                                  surety_error *error)
{
    const uint64_t times = surety_val_uint(surety_val_get(from, "#"), 1);
    const int64_t number = surety_val_int(surety_val_get(from, "number"), 1);
    surety_entry entry = sample_attempt("", (uint32_t)number);
    surety_entry_issue errors[ISSUES_MAX], repairs[ISSUES_MAX];
    surety_status status = SURETY_OK;
    char run[80];

    take_texts(from, &entry);
    take_numbers(from, &entry);
    entry.started_ms =
        SAMPLE_NOON + surety_val_int(surety_val_get(from, "at"), number * 1000);
    entry.ended_ms =
        entry.started_ms + surety_val_int(surety_val_get(from, "took"), 100);
    entry.state = state_of(surety_val_get(from, "state"), entry.state);
    entry.errors = errors;
    entry.error_count = take_issues(surety_val_get(from, "errors"), errors);
    entry.repairs = repairs;
    entry.repair_count = take_issues(surety_val_get(from, "repairs"), repairs);
    for (uint64_t i = 1; i <= times && !status; i++) {
        const surety_str name = surety_val_str(surety_val_get(from, "run"));
        if (times > 1) {
            snprintf(run, sizeof(run), "%.*s%u", (int)name.len, name.ptr,
                     (unsigned)i);
            entry.run = surety_str_of(run);
        }
        if (!entry.id.len)
            entry.id = entry.run;
        status = surety__stats_add(stats, &entry, error);
    }
    return status;
}

static surety_status take_attempts(const struct golden *golden,
                                   surety_stats *stats, surety_error *error)
{
    surety_str rest = golden_body(golden, "attempts");
    surety_doc *doc = surety_doc_new(NULL);
    surety_status status = SURETY_OK;
    surety_str line;

    while (!status && golden_line(&rest, &line)) {
        if (!doc || surety_doc_read(doc, line, NULL, error))
            golden_die(golden->path, error->message);
        status = take_attempt(stats, surety_doc_root(doc), error);
    }
    surety_doc_free(doc);
    return status;
}

/* ---- reports ------------------------------------------------------------- */

static void put_report(struct golden *golden, const surety_stats *stats,
                       const struct setting *setting)
{
    surety_buf json;

    surety_buf_init(&json, NULL, 0);
    if (surety_stats_write(stats, SURETY_STATS_ALL, setting->top, &json))
        golden_die(golden->path, "no report");
    for (size_t i = 0; i < json.len; i++) {
        if (i > 0 && json.ptr[i] == '{')
            surety_buf_text(&golden->made, "\n  ");
        surety_buf_byte(&golden->made, json.ptr[i]);
    }
    surety_buf_byte(&golden->made, '\n');
    surety_buf_done(&json);
}

static void put_csv(struct golden *golden, surety_str name,
                    const surety_stats *stats, const struct setting *setting)
{
    static const struct {
        const char *name;
        surety_stats_section section;
    } sections[] = {{"csv runs", SURETY_STATS_RUNS},
                    {"csv errors", SURETY_STATS_ERRORS},
                    {"csv repairs", SURETY_STATS_REPAIRS},
                    {"csv coverage", SURETY_STATS_COVERAGE}};
    surety_buf csv;

    surety_buf_init(&csv, NULL, 0);
    for (size_t i = 0; i < 4; i++)
        if (surety_str_equal(name, surety_str_of(sections[i].name)) &&
            surety_stats_write_csv(stats, sections[i].section, setting->top,
                                   setting->formulas, &csv))
            golden_die(golden->path, "no section");
    for (size_t i = 0; i < csv.len; i++) {
        if (csv.ptr[i] == '\r')
            surety_buf_text(&golden->made, "\\r");
        else
            surety_buf_byte(&golden->made, csv.ptr[i]);
    }
    surety_buf_done(&csv);
}

static void put_picture(struct golden *golden, const surety_stats *stats,
                        const struct setting *setting)
{
    const surety_str end = SURETY__LITERAL("</desc>");
    const surety_str title = SURETY__LITERAL("<title>");
    surety_buf picture, remarks;
    surety_error error;
    surety_str text;

    surety_buf_init(&picture, NULL, 0);
    surety_buf_init(&remarks, NULL, 0);
    switch (
        surety_stats_draw(stats, &setting->chart, &picture, &remarks, &error)) {
    case SURETY_OK:
        text = surety_buf_str(&picture);
        text.len = surety__str_find(text, end);
        text.ptr += surety__str_find(text, title);
        text.len -= (size_t)(text.ptr - picture.ptr);
        surety_buf_add(&golden->made, text);
        break;
    case SURETY_UNSUPPORTED: golden->skipped = true; break;
    default: surety_buf_text(&golden->made, error.message);
    }
    surety_buf_byte(&golden->made, '\n');
    surety_buf_add(&golden->made, surety_buf_str(&remarks));
    surety_buf_done(&picture);
    surety_buf_done(&remarks);
}

static void put_section(struct golden *golden, surety_str kind,
                        const surety_stats *stats,
                        const struct setting *setting)
{
    if (surety_str_equal(kind, surety_str_of("report")))
        put_report(golden, stats, setting);
    else if (surety_str_equal(kind, surety_str_of("picture")))
        put_picture(golden, stats, setting);
    else
        put_csv(golden, kind, stats, setting);
}

static bool run(struct golden *golden)
{
    struct setting setting;
    surety_stats *stats = NULL;
    surety_error error = {0};
    surety_status status;

    if (!setting_read(golden, &setting)) {
        setting_done(&setting);
        golden->skipped = true;
        return true;
    }
    status = surety_stats_new(&setting.options, &stats, &error);
    if (!status)
        status = take_attempts(golden, stats, &error);
    if (!status)
        status = surety__stats_end(stats, &error);
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (!golden_is(section, "report") && !golden_is(section, "picture") &&
            !surety__str_starts(section->kind, surety_str_of("csv "))) {
            golden_keep(golden, section);
            continue;
        }
        golden_begin(golden, section);
        if (status)
            golden_error(&golden->made, &error);
        else
            put_section(golden, section->kind, stats, &setting);
    }
    surety_stats_free(stats);
    setting_done(&setting);
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
