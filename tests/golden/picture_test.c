/* SPDX-License-Identifier: Apache-2.0 */
/* Charts and what is where in them: read by a person.
 *
 *     picture_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape     what is drawn, and what matters
 *     === data      a table's data; an object may have "labels" beside "data"
 *     === chart     a line each: bar or line, png, title, note, x, y (for each
 *                   column), series, width, height, scale, tones; a note's
 *                   lines are parted by " / "
 *     === picture   of the data and the chart above it: what is drawn
 *                   (drawn.h), then the remarks behind "= "; or the failure
 *
 * Data, charts and pictures may follow each other. Only what is written below a
 * picture is compared: where its first line is "only WORD ...", the lines that
 * begin with one of these words. The letters are those of boxfont.h, the same
 * on each machine. With --update the pictures are written anew, to be read
 * before they are believed. */
#include "render/render.h"

#include "golden/boxfont.h"
#include "golden/cases.h"
#include "golden/drawn.h"

#include <cairo-svg.h>
#include <pango/pangocairo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TONES_MAX = 10, COLUMNS_MAX = 10 };

/* What is drawn next. */
struct setting {
    surety_str data;
    bool has_chart;
    surety__chart chart;
    surety__chart_tone tones[TONES_MAX];
    surety_str y[COLUMNS_MAX];
    surety_buf note;
};

/* ---- reading a case ------------------------------------------------------ */

static unsigned number_of(surety_str text)
{
    unsigned number = 0;

    for (size_t i = 0; i < text.len; i++)
        number = number * 10 + (unsigned)(text.ptr[i] - '0');
    return number;
}

static void take_tones(struct setting *setting, surety_str rest)
{
    static const char *const names[] = {"none", "good", "fair", "bad"};

    while (rest.len > 0 && setting->chart.tones_count < TONES_MAX) {
        size_t tone = 0;
        while (tone < 4 && !golden_take(&rest, names[tone]))
            tone++;
        if (tone == 4)
            golden_die("no such tone", rest.ptr);
        setting->tones[setting->chart.tones_count++] = (surety__chart_tone)tone;
        golden_take(&rest, " ");
    }
}

static void take_note(struct setting *setting, surety_str line)
{
    while (line.len > 0) {
        if (golden_take(&line, " / ")) {
            surety_buf_byte(&setting->note, '\n');
            continue;
        }
        surety_buf_byte(&setting->note, *line.ptr++);
        line.len--;
    }
}

static void take_line(struct setting *setting, surety_str line)
{
    surety__chart *chart = &setting->chart;

    if (golden_take(&line, "bar"))
        chart->type = SURETY__CHART_BAR;
    else if (surety_str_equal(line, surety_str_of("line")))
        chart->type = SURETY__CHART_LINE;
    else if (golden_take(&line, "png"))
        chart->format = SURETY_CHART_PNG;
    else if (golden_take(&line, "title "))
        chart->title = line;
    else if (golden_take(&line, "note "))
        take_note(setting, line);
    else if (golden_take(&line, "x "))
        chart->x = line;
    else if (golden_take(&line, "y ") && chart->y_count < COLUMNS_MAX)
        setting->y[chart->y_count++] = line;
    else if (golden_take(&line, "series "))
        chart->series = line;
    else if (golden_take(&line, "width "))
        chart->width = number_of(line);
    else if (golden_take(&line, "height "))
        chart->height = number_of(line);
    else if (golden_take(&line, "scale "))
        chart->scale = number_of(line);
    else if (golden_take(&line, "tones "))
        take_tones(setting, line);
    else if (line.len > 0)
        golden_die("a chart has no such line", line.ptr);
}

static void setting_read(struct setting *setting, surety_str rest)
{
    surety_str line;

    setting->has_chart = true;
    setting->chart = (surety__chart){
        .format = SURETY_CHART_SVG, .y = setting->y, .tones = setting->tones};
    surety_buf_reset(&setting->note);
    while (golden_line(&rest, &line))
        take_line(setting, line);
    setting->chart.note = surety_buf_str(&setting->note);
}

/* ---- telling what was drawn ---------------------------------------------- */

/* Whether a line begins with one of the words. */
static bool is_wanted(surety_str line, surety_str words)
{
    while (words.len > 0) {
        const char *blank = memchr(words.ptr, ' ', words.len);
        const size_t len = blank ? (size_t)(blank - words.ptr) : words.len;
        if (line.len >= len && memcmp(line.ptr, words.ptr, len) == 0)
            return true;
        words.ptr += blank ? len + 1 : len;
        words.len -= blank ? len + 1 : len;
    }
    return false;
}

static void put_lines(surety_buf *out, surety_str text, const char *indent,
                      surety_str words)
{
    surety_str line;

    while (golden_line(&text, &line)) {
        if (words.len > 0 && !is_wanted(line, words))
            continue;
        surety_buf_text(out, indent);
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
    }
}

static surety_status draw(const struct setting *setting, surety_buf *picture,
                          surety_buf *remarks, surety_error *error)
{
    surety__table_options options = {.alloc = NULL};
    surety_doc *doc = surety_doc_new(NULL);
    surety__table *table = NULL;
    surety_status status;

    if (!doc || surety_doc_read(doc, setting->data, NULL, error))
        golden_die("data are no JSON", error->message);
    options.labels = surety_val_get(surety_doc_root(doc), "labels");
    status = surety__table_read(surety_doc_root(doc), &options, &table, error);
    if (!status)
        status =
            surety__chart_draw(table, &setting->chart, picture, remarks, error);
    surety__table_free(table);
    surety_doc_free(doc);
    return status;
}

static void put_picture(surety_buf *out, const struct setting *setting,
                        surety_str words)
{
    surety_buf picture, list, remarks;
    surety_error error;

    memset(&error, 0, sizeof(error));
    surety_buf_init(&picture, NULL, 0);
    surety_buf_init(&list, NULL, 0);
    surety_buf_init(&remarks, NULL, 0);
    if (draw(setting, &picture, &remarks, &error)) {
        surety_buf_text(out, "none: ");
        surety_buf_text(out, error.message);
        surety_buf_text(out, error.hint[0] ? "; " : "");
        surety_buf_text(out, error.hint);
        surety_buf_byte(out, '\n');
    } else if (setting->chart.format == SURETY_CHART_PNG) {
        drawn_png(surety_buf_str(&picture), &list);
    } else {
        drawn_svg(surety_buf_str(&picture), &list);
    }
    put_lines(out, surety_buf_str(&list), "", words);
    put_lines(out, surety_buf_str(&remarks), "= ", (surety_str){"", 0});
    surety_buf_done(&picture);
    surety_buf_done(&list);
    surety_buf_done(&remarks);
}

static void begin_picture(struct golden *golden, const struct setting *setting,
                          const struct golden_section *section)
{
    surety_str rest = section->text;
    surety_str words = {"", 0};

    if (!setting->data.ptr || !setting->has_chart)
        golden_die("a picture of nothing", golden->path);
    golden_begin(golden, section);
    if (golden_line(&rest, &words) && golden_take(&words, "only ")) {
        surety_buf_text(&golden->made, "only ");
        surety_buf_add(&golden->made, words);
        surety_buf_byte(&golden->made, '\n');
    } else {
        words = (surety_str){"", 0};
    }
    put_picture(&golden->made, setting, words);
}

static bool run(struct golden *golden)
{
    struct setting setting = {.data = {NULL, 0}};

    surety_buf_init(&setting.note, NULL, 0);
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (golden_is(section, "data"))
            setting.data = section->text;
        else if (golden_is(section, "chart"))
            setting_read(&setting, section->text);
        if (golden_is(section, "picture"))
            begin_picture(golden, &setting, section);
        else
            golden_keep(golden, section);
    }
    surety_buf_done(&setting.note);
    return true;
}

/* ---- what this machine can ----------------------------------------------- */

static cairo_status_t take(void *closure, const unsigned char *bytes,
                           unsigned len)
{
    surety_buf_append(closure, (const char *)bytes, len);
    return CAIRO_STATUS_SUCCESS;
}

/* Draws one thing of each kind, without the library: a text cut in its middle,
 * a box, a line. */
static void probe_draw(surety_buf *svg)
{
    PangoFontMap *fonts = pango_cairo_font_map_new();
    PangoContext *context = pango_font_map_create_context(fonts);
    PangoLayout *layout = pango_layout_new(context);
    PangoFontDescription *font = pango_font_description_from_string("sans");
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(take, svg, 100, 50);
    cairo_t *cairo = cairo_create(surface);

    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context, options);
    pango_context_set_round_glyph_positions(context, FALSE);
    pango_font_description_set_absolute_size(font, 16 * PANGO_SCALE);
    pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    pango_layout_set_font_description(layout, font);
    pango_layout_set_text(layout, "Way and on, and on", -1);
    pango_layout_set_width(layout, 100 * PANGO_SCALE);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
    cairo_set_source_rgb(cairo, 1, 0, 0);
    cairo_move_to(cairo, 10, 20);
    pango_cairo_show_layout(cairo, layout);
    cairo_rectangle(cairo, 1, 2, 3, 4);
    cairo_fill(cairo);
    cairo_move_to(cairo, 10, 20);
    cairo_line_to(cairo, 30, 40);
    cairo_stroke(cairo);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    cairo_font_options_destroy(options);
    pango_font_description_free(font);
    g_object_unref(layout);
    g_object_unref(context);
    g_object_unref(fonts);
}

/* Whether it is read back as it was drawn. */
static bool probe_holds(void)
{
    static const char expected[] =
        "text 10,32 16 bold #ff0000 \"Way a\u2026\"\n"
        "text 69,32 16 bold #ff0000 \"nd on\"\n"
        "box 1,2 3x4 fill #ff0000\n"
        "line 10,20 - 30,40 pen 2 sharp #ff0000\n";
    surety_buf svg, list;
    surety_str drawn;
    bool holds;

    surety_buf_init(&svg, NULL, 0);
    surety_buf_init(&list, NULL, 0);
    probe_draw(&svg);
    drawn_svg(surety_buf_str(&svg), &list);
    drawn = surety_buf_str(&list);
    golden_take(&drawn, "sheet 100x50\n");
    holds = surety_str_equal(drawn, surety_str_of(expected));
    if (!holds)
        printf("# drawn: %.*s\n", (int)list.len, list.ptr);
    surety_buf_done(&svg);
    surety_buf_done(&list);
    return holds;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};
    int code = 0;

    if (!boxfont_begin())
        golden_die("no folder for fonts", "TMPDIR");
    if (probe_holds())
        code = golden_main(argc, argv, &folder);
    else
        printf("1..0 # SKIP cairo %s or Pango %s is of another form\n",
               cairo_version_string(), pango_version_string());
    boxfont_end();
    return code;
}
