/* SPDX-License-Identifier: Apache-2.0 */
/* What columns hold, and what a chart of them draws: read by a person.
 *
 *     model_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape     what is asked for, and what matters
 *     === options   a line each: census, missing TEXT, rows N ROW (cases.h),
 *                   brief (of a model how much there is)
 *     === value     rows as "data", "variables", and "charts" as a value that
 *                   asks for them has them
 *     === columns   a line for each column: what it was counted to hold
 *     === models    for each chart its titles, scale, notes, places, and the
 *                   values of each series, "-" where there is none; "=" before
 *                   each remark
 *     === times     texts, and behind " => " the time that each is read as
 *     === ticks     times, and below each the next four ticks of every step
 *                   that an axis of time may have
 *
 * The fonts have no part in it, so all of it is here, to the last digit.
 * With --update the last four are written anew. */
#include "render/render.h"

#include "golden/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MISSING_MAX = 4 };

static const char *const grains[] = {"years",  "year",   "quarter",
                                     "month",  "week",   "day",
                                     "minute", "second", "fraction"};

/* ---- a case's table ------------------------------------------------------ */

struct source {
    surety_buf value;
    bool is_brief;
    surety_doc *doc;
    surety__table *table;
    surety_str missing[MISSING_MAX];
};

static void source_done(struct source *source)
{
    surety__table_free(source->table);
    surety_doc_free(source->doc);
    surety_buf_done(&source->value);
}

static void put_error(surety_buf *out, const surety_error *error)
{
    surety__buf_printf(out, "  %s%s%s", error->message,
                       error->hint[0] ? "; " : "", error->hint);
    if (error->position.line > 0)
        surety__buf_printf(out, " at %s, %zu:%zu", error->path,
                           (size_t)error->position.line,
                           (size_t)error->position.column);
    surety_buf_byte(out, '\n');
}

/* False: it cannot be read, and made has the reason. */
static bool source_read(struct golden *golden, struct source *source)
{
    surety__table_options options = {.missing = source->missing};
    surety_str rest = golden_body(golden, "options");
    surety_error error = {0};
    surety_val root;
    surety_str line;

    *source = (struct source){.doc = surety_doc_new(NULL)};
    surety_buf_init(&source->value, NULL, 0);
    golden_value(golden, &source->value);
    while (golden_line(&rest, &line)) {
        options.census |= surety_str_equal(line, surety_str_of("census"));
        source->is_brief |= surety_str_equal(line, surety_str_of("brief"));
        if (golden_take(&line, "missing ") &&
            options.missing_count < MISSING_MAX)
            source->missing[options.missing_count++] = line;
    }
    if (surety_doc_read(source->doc, surety_buf_str(&source->value), NULL,
                        &error))
        golden_die("a value is no JSON", golden->path);
    root = surety_doc_root(source->doc);
    options.labels = surety_val_get(root, "variables");
    if (!surety__table_read(surety_val_get(root, "data"), &options,
                            &source->table, &error))
        return true;
    put_error(&golden->made, &error);
    return false;
}

/* ---- columns ------------------------------------------------------------- */

static void put_count(surety_buf *out, const char *name, size_t count)
{
    if (count > 0)
        surety__buf_printf(out, ", %zu %s", count, name);
}

static void put_flag(surety_buf *out, const char *name, bool is_set)
{
    surety_buf_text(out, is_set ? ", " : "");
    surety_buf_text(out, is_set ? name : "");
}

static void put_column(surety_buf *out, const surety__column *column)
{
    surety_buf_byte(out, '"');
    surety_buf_add(out, column->name);
    surety_buf_byte(out, '"');
    if (!surety_str_equal(column->name, column->label)) {
        surety_buf_text(out, " (");
        surety_buf_add(out, column->label);
        surety_buf_byte(out, ')');
    }
    surety__buf_printf(out, ": %s", surety__column_kind_name(column->kind));
    put_count(out, "missing", column->missing);
    put_flag(out, "varies", column->varies);
    put_count(out, "figures", column->figures);
    put_count(out, "integers", column->integers);
    put_count(out, "codes", column->codes);
    put_count(out, "decimals", column->decimals);
    put_flag(out, "exponent", column->has_exponent);
    put_flag(out, "mixed", column->is_mixed);
    if (column->unit.len > 0) {
        surety_buf_text(out, ", in ");
        surety_buf_add(out, column->unit);
    }
    if (column->moments > 0) {
        put_count(out, "times from ", column->moments);
        surety__clock_write(column->origin, 0, out);
        surety__buf_printf(out, " to the %s", grains[column->grain]);
    }
    put_count(out, "years", column->years);
    put_count(out, "plain", column->plains);
    put_flag(out, "Unix", column->has_unix);
    put_count(out, "offsets", column->offsets);
    if (column->offset != 0)
        surety__buf_printf(out, " of %ld s", (long)column->offset);
    put_flag(out, "that vary", column->offsets_vary);
    put_count(out, "parts", column->parts);
    surety_buf_byte(out, '\n');
}

static void put_columns(struct golden *golden)
{
    struct source source;

    if (source_read(golden, &source))
        for (size_t i = 0; i < source.table->columns_count; i++)
            put_column(&golden->made, source.table->columns[i]);
    source_done(&source);
}

/* ---- models -------------------------------------------------------------- */

static void put_text(surety_buf *out, const char *name, surety_str text)
{
    surety_str line;

    while (golden_line(&text, &line)) {
        surety_buf_text(out, name);
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
    }
}

static void put_panel(surety_buf *out, const surety__model *panel)
{
    surety__buf_printf(out,
                       "  values %zu, missing %zu, from %.10g to %.10g, "
                       "times 10^%d, decimals %u",
                       panel->shown, panel->missing, panel->low, panel->high,
                       panel->exponent, panel->decimals);
    if (panel->unit.len > 0) {
        surety_buf_text(out, ", in ");
        surety_buf_add(out, panel->unit);
    }
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < panel->series_count; i++) {
        const double *values = panel->values + i * panel->places_count;
        surety_buf_text(out, "    \"");
        surety_buf_add(out, panel->series[i]->text);
        surety_buf_text(out, "\":");
        for (size_t k = 0; k < panel->places_count; k++) {
            if (isnan(values[k]))
                surety_buf_text(out, " -");
            else
                surety__buf_printf(out, " %.10g", values[k]);
        }
        surety_buf_byte(out, '\n');
    }
}

static void put_model(surety_buf *out, const surety__model *model)
{
    static const char *const scales[] = {"names", "years", "time", "numbers"};

    put_text(out, "  title ", model->title);
    put_text(out, "  x ", model->x_title);
    put_text(out, "  y ", model->y_title);
    put_text(out, "  note ", model->note);
    surety__buf_printf(out, "  a scale of %s", scales[model->scale]);
    if (model->scale == SURETY__SCALE_TIME) {
        surety_buf_text(out, " from ");
        surety__clock_write(model->origin, 0, out);
        surety__buf_printf(out, " to the %s", grains[model->grain]);
    }
    put_flag(out, "uneven", model->is_uneven);
    put_flag(out, "stacked", model->is_stacked);
    put_count(out, "gaps", model->gaps);
    surety_buf_text(out, ":");
    for (size_t i = 0; i < model->places_count; i++) {
        surety_buf_text(out, i > 0 ? "; " : " ");
        surety_buf_add(out, model->places[i]->text);
        if (model->scale != SURETY__SCALE_NAMES)
            surety__buf_printf(out, " at %.15g", model->places[i]->at);
    }
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < model->panels_count; i++)
        put_panel(out, &model->panels[i]);
}

static void put_amount(surety_buf *out, const surety__model *model)
{
    surety__buf_printf(out,
                       "  %zu places, %zu series, %zu values, %zu missing, "
                       "%zu panels\n",
                       model->places_count, model->series_count, model->shown,
                       model->missing, model->panels_count);
}

static surety__chart chart_of(surety_val asked,
                              surety_str names[SURETY_CHART_SERIES_MAX + 1])
{
    const surety_val y = surety_val_get(asked, "y");
    surety__chart chart = {
        .title = surety_val_str(surety_val_get(asked, "title")),
        .x = surety_val_str(surety_val_get(asked, "x")),
        .y = names,
        .series = surety_val_str(surety_val_get(asked, "series"))};

    if (surety_val_is(surety_val_get(asked, "type"), "line"))
        chart.type = SURETY__CHART_LINE;
    if (surety_val_kind(y) == SURETY_KIND_STRING)
        names[chart.y_count++] = surety_val_str(y);
    for (surety_val one = surety_val_first(y);
         one.doc && chart.y_count <= SURETY_CHART_SERIES_MAX;
         one = surety_val_next(y, one))
        names[chart.y_count++] = surety_val_str(one);
    return chart;
}

static void put_chart(surety_buf *out, struct source *source, surety_val asked)
{
    surety_str names[SURETY_CHART_SERIES_MAX + 1];
    const surety__chart chart = chart_of(asked, names);
    surety_error error = {0};
    surety__model model;
    surety_buf remarks;

    surety_buf_init(&remarks, NULL, 0);
    surety_val_write(asked, SURETY_STYLE_COMPACT, out);
    surety_buf_byte(out, '\n');
    if (surety__model_read(source->table, &chart, &model, &remarks, &error))
        put_error(out, &error);
    else if (source->is_brief)
        put_amount(out, &model);
    else
        put_model(out, &model);
    put_text(out, "  = ", surety_buf_str(&remarks));
    surety__model_done(&model, NULL);
    surety_buf_done(&remarks);
}

static void put_models(struct golden *golden)
{
    struct source source;
    surety_val charts;

    if (source_read(golden, &source)) {
        charts = surety_val_get(surety_doc_root(source.doc), "charts");
        for (surety_val asked = surety_val_first(charts); asked.doc;
             asked = surety_val_next(charts, asked))
            put_chart(&golden->made, &source, asked);
    }
    source_done(&source);
}

/* ---- times --------------------------------------------------------------- */

static void put_moment(surety_buf *out, surety_str text)
{
    surety__moment moment;

    surety_buf_add(out, text);
    surety_buf_text(out, " => ");
    if (surety__moment_read(text, &moment)) {
        surety__clock_write(moment.second, 0, out);
        if (moment.nano > 0)
            surety__buf_printf(out, ".%09u", (unsigned)moment.nano);
        surety__buf_printf(out, ", %s", grains[moment.grain]);
        if (moment.has_offset)
            surety__buf_printf(out, ", offset %ld s", (long)moment.offset);
        put_flag(out, "digits alone", moment.is_plain);
        put_flag(out, "Unix", moment.is_unix);
    } else {
        surety_buf_text(out, surety__moment_is_part(text) ? "a part of a time"
                                                          : "no time");
    }
    surety_buf_byte(out, '\n');
}

static void put_moments(surety_buf *out, surety_str body)
{
    surety_str line;

    while (golden_line(&body, &line)) {
        const size_t len = surety__str_find(line, surety_str_of(" => "));
        char *copy = malloc(len + !len); /* a byte more read is an error */
        if (!copy)
            golden_die("no memory", "for a time");
        memcpy(copy, line.ptr, len);
        put_moment(out, (surety_str){copy, len});
        free(copy);
    }
}

/* The ticks of a step at a time and behind it, which is `at` seconds after the
 * origin. */
static void put_ticks(surety_buf *out, int64_t origin, double at,
                      const surety__step *step)
{
    double tick = surety__clock_tick(origin, at, step) + 0.0;

    surety__buf_printf(out, "    %s %g, %.10g s:", grains[step->grain],
                       step->count, surety__clock_length(step));
    for (int i = 0; i < 4; i++) {
        surety__buf_printf(out, "%s %.12g ", i > 0 ? ";" : "", tick);
        surety__clock_label(origin, tick, step, out);
        surety_buf_text(out, " (");
        surety__clock_context(origin, tick, step, out);
        surety_buf_byte(out, ')');
        tick = surety__clock_next(origin, tick, step);
    }
    surety_buf_byte(out, '\n');
}

static void put_axes(surety_buf *out, surety_str body)
{
    surety__moment moment;
    surety__step step;
    surety_str line;

    while (golden_line(&body, &line)) {
        if (line.len == 0 || *line.ptr == ' ')
            continue;
        line.len = surety__str_find(line, surety_str_of(" in whole"));
        if (!surety__moment_read(line, &moment))
            golden_die("no time", line.ptr);
        surety_buf_add(out, line);
        surety_buf_text(out, " in whole seconds ");
        surety__clock_write(moment.second, moment.nano * 1e-9, out);
        surety_buf_byte(out, '\n');
        for (size_t i = 0; (step = surety__clock_step(i)).count > 0; i++)
            put_ticks(out, moment.second, moment.nano * 1e-9, &step);
    }
}

static bool run(struct golden *golden)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        const bool is_columns = golden_is(section, "columns");
        const bool is_models = golden_is(section, "models");
        const bool are_times = golden_is(section, "times");

        if (!is_columns && !is_models && !are_times &&
            !golden_is(section, "ticks")) {
            golden_keep(golden, section);
            continue;
        }
        golden_begin(golden, section);
        if (is_columns)
            put_columns(golden);
        else if (is_models)
            put_models(golden);
        else if (are_times)
            put_moments(&golden->made, section->body);
        else
            put_axes(&golden->made, section->body);
    }
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
