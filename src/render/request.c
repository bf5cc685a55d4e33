/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the charts and tables that a value lists, from the data in it.
 *
 * 1. Each entry of a list is an output of its own, with its own file name. An
 *    error in one is reported when that one is drawn and affects no other.
 * 2. The data are read once. If they cannot be read, every output reports the
 *    same error. */
#include "render/render.h"

#include <assert.h>
#include <surety/json.h>

enum {
    REQUEST_NAME_MAX = 40,    /* code points of a name in a note */
    REQUEST_FOOTNOTES_MAX = 6 /* notes below a chart: as many as fit */
};

struct request_item {
    surety_render_item shown;
    surety_val entry;
    surety_buf note;
    size_t note_len; /* of the notes made before it was drawn */
};

struct surety_rendering {
    surety_rendering_options options;
    surety__arena arena;
    struct request_item *items;
    size_t count;
    surety__table *table;
    surety_status status; /* the result of reading the data */
    surety_error error;
    surety_str *footnotes;
    size_t footnotes_count;
};

/* The member `one`, or if it is absent, the member `other`. */
static surety_val request_any(surety_val value, const char *one,
                              const char *other)
{
    const surety_val found = surety_val_get(value, one);

    return found.doc ? found : surety_val_get(value, other);
}

/* ---- names --------------------------------------------------------------- */

static const char *request_ending(const surety_rendering *all,
                                  const struct request_item *item)
{
    const surety_val format = surety_val_get(item->entry, "format");

    if (!item->shown.is_table) {
        if (surety_val_is(format, "svg") ||
            (!surety_val_is(format, "png") &&
             all->options.chart_format == SURETY_CHART_SVG))
            return ".svg";
        return ".png";
    }
    if (surety_val_is(format, "excel") || surety_val_is(format, "xlsx"))
        return ".xlsx";
    return surety_val_is(format, "html") ? ".html" : ".csv";
}

static bool request_is_taken(const surety_rendering *all, size_t count,
                             surety_str name)
{
    for (size_t i = 0; i < count; i++)
        if (surety__str_equal_nocase(all->items[i].shown.name, name))
            return true;
    return false;
}

/* Writes the stem of the file name: the requested name's, the title's, or a
 * number. */
static void request_stem(const struct request_item *item, const char *ending,
                         size_t number, surety_buf *out)
{
    const surety_val wanted = surety_val_get(item->entry, "filename");
    surety_str text = surety_val_str(wanted);
    const size_t ending_len = strlen(ending);

    if (text.len > ending_len &&
        surety__str_equal_nocase(
            (surety_str){text.ptr + text.len - ending_len, ending_len},
            surety_str_of(ending)))
        text.len -= ending_len;
    surety__file_stem(text, FILE_STEM_MAX, out);
    if (out->len == 0)
        surety__file_stem(item->shown.title, FILE_STEM_MAX, out);
    if (out->len == 0)
        surety__buf_printf(out, "%s-%zu",
                           item->shown.is_table ? "table" : "chart", number);
}

static surety_status request_name(surety_rendering *all, size_t index,
                                  size_t number)
{
    struct request_item *item = &all->items[index];
    const char *ending = request_ending(all, item);
    const surety_val wanted = surety_val_get(item->entry, "filename");
    const surety_str text = surety_val_str(wanted);
    surety_buf name;
    size_t stem;

    assert(index < all->count);
    surety_buf_init(&name, all->options.alloc, 0);
    request_stem(item, ending, number, &name);
    stem = name.len;
    surety_buf_text(&name, ending);
    for (size_t i = 2;
         request_is_taken(all, index, surety_buf_str(&name)) && !name.status;
         i++) {
        name.len = stem;
        surety__buf_printf(&name, "-%zu%s", i, ending);
    }
    item->shown.name = surety__arena_buf(&all->arena, &name);
    if (!item->shown.name.ptr)
        return SURETY_NOMEM;
    if (!wanted.doc || surety_val_kind(wanted) == SURETY_KIND_NULL ||
        surety_str_equal(text, item->shown.name) ||
        (text.len == stem && memcmp(text.ptr, item->shown.name.ptr, stem) == 0))
        return SURETY_OK;
    surety_buf_text(&item->note, "the file name ");
    surety_val_write(wanted, SURETY_STYLE_COMPACT, &item->note);
    surety_buf_text(&item->note, " is made safe: ");
    surety_buf_add(&item->note, item->shown.name);
    surety_buf_byte(&item->note, '\n');
    return item->note.status;
}

/* ---- finding ------------------------------------------------------------- */

static surety_status request_add(surety_rendering *all, surety_val entry,
                                 bool is_table, size_t number)
{
    struct request_item *item = &all->items[all->count];
    const surety_val type = surety_val_get(entry, is_table ? "format" : "type");
    surety_status status;
    surety_buf at;

    *item = (struct request_item){.entry = entry};
    item->shown.is_table = is_table;
    item->shown.type = surety_val_str(type);
    if (!type.doc || surety_val_kind(type) == SURETY_KIND_NULL)
        item->shown.type = surety_str_of(is_table ? "csv" : "bar");
    item->shown.title = surety_val_str(surety_val_get(entry, "title"));
    surety_buf_init(&item->note, all->options.alloc, 0);
    all->count++;
    surety_buf_init(&at, all->options.alloc, 0);
    surety_val_pointer(entry, &at);
    item->shown.at = surety__arena_buf(&all->arena, &at);
    status = item->shown.at.ptr ? request_name(all, all->count - 1, number)
                                : SURETY_NOMEM;
    item->note_len = item->note.len;
    return status;
}

static surety_status request_list(surety_rendering *all, surety_val list,
                                  bool is_table, surety_error *reterr)
{
    size_t number = 0;

    if (!list.doc || surety_val_kind(list) == SURETY_KIND_NULL)
        return SURETY_OK;
    if (surety_val_kind(list) != SURETY_KIND_ARRAY)
        return surety__render_fail_at(
            reterr, list, "the list of %s is of type %s, not an array",
            is_table ? "tables" : "charts",
            surety_kind_name(surety_val_kind(list)));
    SURETY_EACH (entry, list)
        if (request_add(all, entry, is_table, ++number))
            return surety__fail_nomem(reterr);
    return SURETY_OK;
}

static surety_status request_footnotes(surety_rendering *all, surety_val value)
{
    const surety_val notes = request_any(value, "footnotes", "notes");

    if (surety_val_kind(notes) != SURETY_KIND_ARRAY)
        return SURETY_OK;
    all->footnotes = surety__arena_take(
        &all->arena, (surety_val_count(notes) + 1) * sizeof(*all->footnotes));
    if (!all->footnotes)
        return SURETY_NOMEM;
    SURETY_EACH (note, notes)
        if (surety__str_trim(surety_val_str(note)).len > 0)
            all->footnotes[all->footnotes_count++] = surety_val_str(note);
    return SURETY_OK;
}

/* Reads the data. Only SURETY_NOMEM is an error here; any other is kept for the
 * outputs. */
static surety_status request_data(surety_rendering *all, surety_val value,
                                  surety_error *reterr)
{
    const surety_val census = surety_val_get(value, "census_data");
    const surety_val data = census.doc ? census : surety_val_get(value, "data");
    surety__table_options options = {
        .missing = all->options.missing,
        .missing_count = all->options.missing_count,
        .census = all->options.census || census.doc,
        .alloc = all->options.alloc,
        .labels = surety_val_get(data, "variables")};

    if (surety_val_kind(options.labels) != SURETY_KIND_OBJECT)
        options.labels = request_any(value, "variables", "labels");
    all->status = surety__table_read(data, &options, &all->table, &all->error);
    if (all->status != SURETY_NOMEM)
        return SURETY_OK;
    return surety__fail_nomem(reterr);
}

surety_status surety_rendering_new(surety_val value,
                                   const surety_rendering_options *options,
                                   surety_rendering **ret_rendering,
                                   surety_error *reterr)
{
    surety_rendering_options own;
    const surety_val charts = request_any(value, "charts_needed", "charts");
    const surety_val tables = request_any(value, "tables_needed", "tables");
    const size_t wanted = surety_val_count(charts) + surety_val_count(tables);
    surety_rendering *all;
    surety_status status;

    status = surety__options_take(&own, sizeof(own), options, reterr);
    if (status)
        return status;
    if (surety_val_kind(value) != SURETY_KIND_OBJECT)
        return surety__render_fail_at(
            reterr, value,
            "the value is of type %s, not an object that asks for charts and "
            "tables",
            surety_kind_name(surety_val_kind(value)));
    if (wanted > SURETY_RENDER_ITEMS_MAX)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the value asks for %zu charts and tables, and at "
                            "most %d are made",
                            wanted, SURETY_RENDER_ITEMS_MAX);
    all = surety__new(own.alloc, sizeof(*all));
    if (!all)
        return surety__fail_nomem(reterr);
    all->options = own;
    surety__arena_init(&all->arena, own.alloc, 0);
    all->items =
        surety__arena_take(&all->arena, (wanted + 1) * sizeof(*all->items));
    status = all->items && !request_footnotes(all, value)
                 ? SURETY_OK
                 : surety__fail_nomem(reterr);
    if (!status)
        status = request_list(all, charts, false, reterr);
    if (!status)
        status = request_list(all, tables, true, reterr);
    if (!status && all->count > 0)
        status = request_data(all, value, reterr);
    if (status)
        surety_rendering_free(all);
    else
        *ret_rendering = all;
    return status;
}

void surety_rendering_free(surety_rendering *rendering)
{
    if (!rendering)
        return;
    for (size_t i = 0; i < rendering->count; i++)
        surety_buf_done(&rendering->items[i].note);
    surety__table_free(rendering->table);
    surety__arena_done(&rendering->arena);
    surety__free(rendering->options.alloc, rendering, sizeof(*rendering));
}

size_t surety_rendering_count(const surety_rendering *rendering)
{
    return rendering->count;
}

surety_render_item surety_rendering_item(const surety_rendering *rendering,
                                         size_t i)
{
    surety_render_item item = {0};

    if (i >= rendering->count)
        return item;
    item = rendering->items[i].shown;
    item.note = surety_buf_str(&rendering->items[i].note);
    return item;
}

/* ---- drawing ------------------------------------------------------------- */

static surety_status request_unknown(const struct request_item *item,
                                     const char *what, const char *known,
                                     surety_error *reterr)
{
    const surety_str type = item->shown.type;

    surety__render_fail_at(reterr, item->entry, "there are no %s \"%.*s\"",
                           what, (int)surety__utf8_cut(type, 60),
                           type.ptr ? type.ptr : "");
    surety__hint(reterr, "there are %s", known);
    return SURETY_SYNTAX;
}

/* Checks that a member is a string, null or absent. */
static surety_status request_text(surety_val val, const char *name,
                                  surety_error *reterr)
{
    if (!val.doc || surety_val_kind(val) == SURETY_KIND_STRING ||
        surety_val_kind(val) == SURETY_KIND_NULL)
        return SURETY_OK;
    return surety__render_fail_at(reterr, val,
                                  "the %s is of type %s, not a string", name,
                                  surety_kind_name(surety_val_kind(val)));
}

/* Reads the name of a column; empty: none is given. */
static surety_status request_column(surety_val val, surety_str *ret_name,
                                    surety_error *reterr)
{
    const surety_status status = request_text(val, "name of a column", reterr);

    if (status)
        return status;
    *ret_name = surety_val_str(val);
    return SURETY_OK;
}

/* Reads y: one name, or an array of names. */
static surety_status request_y(const struct request_item *item,
                               surety__chart *chart, surety_str *names,
                               surety_error *reterr)
{
    const surety_val y = surety_val_get(item->entry, "y");
    surety_status status = SURETY_OK;

    chart->y = names;
    if (surety_val_kind(y) == SURETY_KIND_ARRAY) {
        if (surety_val_count(y) > SURETY_CHART_SERIES_MAX)
            return surety__fail(reterr, SURETY_LIMIT,
                                "a chart shows at most %d columns, and %zu are "
                                "named",
                                SURETY_CHART_SERIES_MAX, surety_val_count(y));
        for (surety_val one = surety_val_first(y); one.doc && !status;
             one = surety_val_next(y, one))
            status = request_column(one, &names[chart->y_count++], reterr);
        return status;
    }
    status = request_column(y, names, reterr);
    chart->y_count = !status && names->len > 0;
    return status;
}

/* Writes the notes that are drawn below a chart, one per line. */
static surety_status request_below(const surety_rendering *all,
                                   struct request_item *item, surety_buf *out)
{
    for (size_t i = 0; i < all->footnotes_count && i < REQUEST_FOOTNOTES_MAX;
         i++) {
        surety_buf_text(out, i > 0 ? "\n" : "");
        surety_buf_add(out, all->footnotes[i]);
    }
    if (all->footnotes_count > REQUEST_FOOTNOTES_MAX)
        surety__buf_printf(&item->note,
                           "of %zu notes the picture has the first %d\n",
                           all->footnotes_count, REQUEST_FOOTNOTES_MAX);
    return out->status ? out->status : item->note.status;
}

/* Adds one note for all members that a chart or table does not use. */
static void request_unused(struct request_item *item)
{
    static const char *const charts[] = {"type",   "title",  "x",        "y",
                                         "series", "format", "filename", NULL};
    static const char *const tables[] = {"format", "title", "filename", NULL};
    bool is_first = true;

    SURETY_EACH (member, item->entry) {
        const surety_str name = surety_val_str(surety_val_key(member));
        const char *const *known = item->shown.is_table ? tables : charts;
        while (*known && !surety_str_equal(name, surety_str_of(*known)))
            known++;
        if (*known)
            continue;
        surety_buf_text(&item->note,
                        is_first ? "members that are ignored: \"" : ", \"");
        surety__line_clean(name, REQUEST_NAME_MAX, &item->note);
        surety_buf_byte(&item->note, '"');
        is_first = false;
    }
    if (!is_first)
        surety_buf_byte(&item->note, '\n');
}

static surety_status request_chart(surety_rendering *all,
                                   struct request_item *item, surety_buf *out,
                                   surety_error *reterr)
{
    const surety_val format = surety_val_get(item->entry, "format");
    surety_str names[SURETY_CHART_SERIES_MAX];
    surety__chart chart = {.format = all->options.chart_format,
                           .title = item->shown.title,
                           .width = all->options.width,
                           .height = all->options.height,
                           .scale = all->options.scale};
    surety_status status;
    surety_buf below;

    if (surety_str_equal(item->shown.type, surety_str_of("line")))
        chart.type = SURETY__CHART_LINE;
    else if (!surety_str_equal(item->shown.type, surety_str_of("bar")))
        return request_unknown(
            item, "charts of the type",
            "bar and line; shares that sum to 100 % are stacked bars", reterr);
    if (surety_val_is(format, "svg")) {
        chart.format = SURETY_CHART_SVG;
    } else if (surety_val_is(format, "png")) {
        chart.format = SURETY_CHART_PNG;
    } else if (format.doc && surety_val_kind(format) != SURETY_KIND_NULL) {
        surety_buf_text(&item->note, "there are no pictures of the format ");
        surety_val_write(format, SURETY_STYLE_COMPACT, &item->note);
        surety__buf_printf(&item->note, "; this one is %s\n",
                           chart.format == SURETY_CHART_SVG ? "svg" : "png");
    }
    status = request_y(item, &chart, names, reterr);
    if (!status)
        status =
            request_column(surety_val_get(item->entry, "x"), &chart.x, reterr);
    if (!status)
        status = request_column(surety_val_get(item->entry, "series"),
                                &chart.series, reterr);
    if (status)
        return status;
    surety_buf_init(&below, all->options.alloc, 0);
    if (request_below(all, item, &below))
        status = surety__fail_nomem(reterr);
    chart.note = surety_buf_str(&below);
    if (!status)
        status =
            surety__chart_draw(all->table, &chart, out, &item->note, reterr);
    surety_buf_done(&below);
    return status;
}

static surety_status request_table(surety_rendering *all,
                                   const struct request_item *item,
                                   surety_buf *out, surety_error *reterr)
{
    surety__table_form form = {.headers = all->options.headers,
                               .title = item->shown.title,
                               .notes = all->footnotes,
                               .notes_count = all->footnotes_count,
                               .formulas = all->options.formulas,
                               .byte_order_mark = all->options.byte_order_mark,
                               .scratch = all->options.scratch};
    const surety_str type = item->shown.type;

    if (surety_str_equal(type, surety_str_of("excel")) ||
        surety_str_equal(type, surety_str_of("xlsx")))
        form.format = SURETY__TABLE_XLSX;
    else if (surety_str_equal(type, surety_str_of("html")))
        form.format = SURETY__TABLE_HTML;
    else if (!surety_str_equal(type, surety_str_of("csv")))
        return request_unknown(item, "tables of the format",
                               "csv, excel (or xlsx) and html", reterr);
    return surety__table_write(all->table, &form, out, reterr);
}

surety_status surety_rendering_draw(surety_rendering *rendering, size_t i,
                                    surety_buf *out, surety_error *reterr)
{
    struct request_item *item;
    surety_status status;
    const char *kind;

    if (i >= rendering->count)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is no output %zu of %zu", i,
                            rendering->count);
    item = &rendering->items[i];
    item->note.len = item->note_len;
    kind = item->shown.is_table ? "format" : "type";
    if (surety_val_kind(item->entry) != SURETY_KIND_OBJECT)
        return surety__render_fail_at(
            reterr, item->entry, "the entry is of type %s, not object",
            surety_kind_name(surety_val_kind(item->entry)));
    status =
        request_text(surety_val_get(item->entry, "title"), "title", reterr);
    if (!status)
        status = request_text(surety_val_get(item->entry, kind), kind, reterr);
    if (status)
        return status;
    if (rendering->status) {
        if (reterr)
            *reterr = rendering->error;
        return rendering->status;
    }
    request_unused(item);
    if (item->note.status)
        return surety__fail_nomem(reterr);
    return item->shown.is_table ? request_table(rendering, item, out, reterr)
                                : request_chart(rendering, item, out, reterr);
}
