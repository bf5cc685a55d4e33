/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out and draws a chart from top to bottom: the title and the measure, a
 * legend for several series, the plot, the title of the x axis, and notes.
 *
 * 1. Everything is measured before the sheet is made. So a chart of many bars
 *    is as tall as it needs, and no text covers another.
 * 2. The colours are Okabe and Ito's set for all kinds of colour vision ("Color
 *    Universal Design", 2008), in an order that starts with those dark enough
 *    on white. The marks of lines also differ in shape. */
#include "render/canvas.h"

#include <assert.h>
#include <math.h>

enum {
    DRAW_WIDTH = 960,
    DRAW_HEIGHT = 560,
    DRAW_SIDE_MIN = 160,
    DRAW_SIDE_MAX = 16000,
    DRAW_SHEET_MAX = 32000,      /* pixels a side: cairo's limit */
    DRAW_PIXELS_MAX = 100000000, /* of a sheet: 400 MB */
    DRAW_SCALE_MAX = 4,
    DRAW_PANEL = 190,    /* the height of one of several panels */
    DRAW_PLOT_MIN = 36,  /* the height of a plot */
    DRAW_GAP = 18,       /* between panels */
    DRAW_TITLE_MAX = 600 /* code points of a text that are drawn */
};

static const surety__letters draw_title = {20, 1, 3, true, false, false};
static const surety__letters draw_subtitle = {13, 1, 2, false, false, false};
static const surety__letters draw_legend = {12.5, 220, 1, false, false, true};
static const surety__letters draw_note = {11, 1, 3, false, false, false};

/* ---- texts around the plot ----------------------------------------------- */

/* Draws a text over the whole width at y. Returns its height plus gap. Without
 * a sheet it only measures. */
static double draw_block(const surety__picture *picture, surety_str text,
                         const surety__letters *letters, double y, double gap)
{
    const unsigned cut = letters == &draw_title      ? DRAW_CUT_TITLE
                         : letters == &draw_subtitle ? DRAW_CUT_SUBTITLE
                                                     : DRAW_CUT_NOTE;
    surety__letters own = *letters;
    surety__label label;

    if (text.len == 0)
        return 0;
    own.width = picture->width - 2 * DRAW_MARGIN;
    label = surety__canvas_set(&picture->canvas, text, &own);
    if (picture->canvas.cairo)
        surety__canvas_show(&picture->canvas, label, DRAW_MARGIN, y,
                            letters->bold ? SURETY__INK_TEXT
                                          : SURETY__INK_SOFT);
    if (label.is_cut)
        *picture->cut |= cut;
    surety__canvas_free(&picture->canvas, label);
    return label.height + gap;
}

/* Draws the swatch of a series in the legend. */
static void draw_swatch(const surety__picture *picture, size_t series, double x,
                        double y)
{
    const double line[4] = {x, y, x + 18, y};

    if (picture->chart->type == SURETY__CHART_BAR) {
        surety__canvas_ink(&picture->canvas,
                           surety__picture_color(picture, series));
        surety__canvas_box(&picture->canvas, x, y - 6, 12, 12);
        return;
    }
    surety__canvas_line(&picture->canvas, line, 2.2,
                        surety__picture_color(picture, series));
    if (picture->colors[series] < 8)
        surety__lines_mark(picture, series, x + 9, y, 4);
}

/* Draws one entry of the legend, and moves *x and *y past it. */
static void draw_entry(const surety__picture *picture, size_t series,
                       surety_str name, double *x, double *y)
{
    const double indent = picture->chart->type == SURETY__CHART_BAR ? 18 : 24;
    surety__letters letters = draw_legend;
    surety__label label;

    letters.width =
        fmin(letters.width, picture->width - 2 * DRAW_MARGIN - indent);
    label = surety__canvas_set(&picture->canvas, name, &letters);
    if (*x > DRAW_MARGIN &&
        *x + indent + label.width > picture->width - DRAW_MARGIN) {
        *x = DRAW_MARGIN;
        *y += 20;
    }
    if (picture->canvas.cairo) {
        *picture->shortened += label.is_cut;
        draw_swatch(picture, series, *x, *y + label.height / 2);
        surety__canvas_show(&picture->canvas, label, *x + indent, *y,
                            SURETY__INK_TEXT);
    }
    *x += indent + label.width + 18;
    surety__canvas_free(&picture->canvas, label);
}

/* Draws the legend at y. Returns its height. */
static double draw_legend_at(const surety__picture *picture, double y)
{
    const surety__model *model = picture->model;
    const double top = y;
    double x = DRAW_MARGIN;
    size_t others = 0;
    size_t other = 0;
    surety_buf *text = picture->canvas.text;

    if (!picture->has_legend)
        return 0;
    for (size_t i = 0; i < model->series_count; i++) {
        if (picture->colors[i] < 8) {
            const surety_str name = model->series[i]->text;
            draw_entry(picture, i, name.len > 0 ? name : surety_str_of("-"), &x,
                       &y);
        } else {
            others++;
            other = i;
        }
    }
    if (others > 0) {
        surety__buf_printf(text, "%zu other%s", others, others == 1 ? "" : "s");
        draw_entry(picture, other, surety_buf_str(text), &x, &y);
        text->len = 0;
    }
    return y - top + 28;
}

/* Draws everything above the plot. Returns the y where it ends. Leaves out the
 * measure if the title begins with it. */
static double draw_header(const surety__picture *picture, surety_str title)
{
    const surety_str measure = picture->model->y_title;
    double y = DRAW_MARGIN - 6;

    y += draw_block(picture, title, &draw_title, y, 6);
    if (!surety__str_starts_nocase(title, measure))
        y += draw_block(picture, measure, &draw_subtitle, y, 10);
    if (picture->model->panels_count == 1)
        y += draw_legend_at(picture, y);
    return y + 10;
}

/* Draws the notes of a chart from y on, one per line. Returns their height with
 * a gap before them. */
static double draw_notes(const surety__picture *picture, double y)
{
    surety_str rest = picture->chart->note;
    const double top = y;
    surety_buf note;

    surety_buf_init(&note, picture->canvas.svg.alloc, 0);
    while (rest.len > 0) {
        const char *feed = memchr(rest.ptr, '\n', rest.len);
        const size_t len = feed ? (size_t)(feed - rest.ptr) : rest.len;
        surety_buf_reset(&note);
        surety__line_clean((surety_str){rest.ptr, len}, DRAW_TITLE_MAX, &note);
        y += draw_block(picture, surety_buf_str(&note), &draw_note, y, 2);
        surety__str_skip(&rest, len + (feed != NULL));
    }
    surety_buf_done(&note);
    return y > top ? y - top + 6 : 0;
}

/* Draws everything below the plot's labels, from y on. Returns its height. */
static double draw_footer(const surety__picture *picture, bool is_lying,
                          double y)
{
    const surety_str x_title = picture->model->x_title;
    const double top = y;

    y += 4;
    /* Of places called "name", the names suffice. */
    if (!is_lying && x_title.len > 0 &&
        !surety__str_equal_nocase(x_title, surety_str_of("name"))) {
        surety__letters letters = draw_subtitle;
        const double most = picture->width - DRAW_MARGIN;
        surety__label label;
        double x;
        letters.width = most - DRAW_MARGIN;
        letters.lines = 1;
        label = surety__canvas_set(&picture->canvas, x_title, &letters);
        x = (picture->left + picture->right - label.width) / 2;
        x = fmax(fmin(x, most - label.width), DRAW_MARGIN);
        if (picture->canvas.cairo)
            surety__canvas_show(&picture->canvas, label, x, y,
                                SURETY__INK_SOFT);
        surety__canvas_free(&picture->canvas, label);
        y += label.height + 6;
    }
    y += draw_block(picture, surety__str_trim(picture->model->note), &draw_note,
                    y + 8, 8);
    y += draw_notes(picture, y + 8);
    return y - top + DRAW_MARGIN - 10;
}

/* ---- scale and colours --------------------------------------------------- */

/* Sets the axis of values. It includes zero for bars always, and for lines if
 * zero is near the values. */
static void draw_scale(surety__picture *picture, unsigned wanted)
{
    double low = picture->model->low;
    double high = picture->model->high;

    if (picture->chart->type == SURETY__CHART_BAR || low == high) {
        low = fmin(low, 0);
        high = fmax(high, 0);
    } else if (low >= 0 && low < 0.4 * high) {
        low = 0;
    } else if (high <= 0 && high > 0.4 * low) {
        high = 0;
    }
    if (picture->chart->type == SURETY__CHART_LINE &&
        picture->model->low == picture->model->high) {
        low *= 1.25;
        high *= 1.25;
    }
    picture->ticks = surety__ticks_make(low, high, wanted);
    picture->ticks.exponent = picture->model->exponent;
    picture->ticks.unit = picture->model->unit;
}

/* The last value of a series; NaN: it has none. */
static double draw_last(const surety__picture *picture, size_t series)
{
    for (size_t i = picture->model->places_count; i > 0; i--) {
        const double value = surety__model_value(picture->model, series, i - 1);
        if (!isnan(value))
            return value;
    }
    return NAN;
}

/* The colour of a series by its tone; 8: it has no tone. */
static uint8_t draw_tone(const surety__picture *picture, size_t series)
{
    static const uint8_t tones[] = {8, 0, 5, 1}; /* none, good, fair, bad */
    const surety__chart *chart = picture->chart;
    const size_t number = picture->model->series[series]->index;

    return chart->tones && number < chart->tones_count &&
                   chart->tones[number] <= SURETY__TONE_BAD
               ? tones[chart->tones[number]]
               : 8;
}

/* The series that gets the next colour: the first without one. If there are
 * more lines than colours, the one with the highest last value. SIZE_MAX:
 * none. */
static size_t draw_color_next(const surety__picture *picture)
{
    const size_t count = picture->model->series_count;
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < count; i++) {
        if (picture->colors[i] < 8)
            continue;
        if (count <= SURETY_CHART_SERIES_MAX)
            return i;
        if (!isnan(draw_last(picture, i)) &&
            (best == SIZE_MAX ||
             draw_last(picture, i) > draw_last(picture, best)))
            best = i;
    }
    return best;
}

/* Gives each series a colour: first those with a tone, then the others in
 * order. */
static surety_status draw_colors_give(surety__picture *picture)
{
    surety__model *model = picture->model;
    const size_t count = model->series_count;
    bool is_taken[9] = {false};

    assert(count > 0);
    picture->has_legend = count > 1;
    picture->colors =
        surety__arena_take(&model->arena, count * sizeof(*picture->colors));
    if (!picture->colors)
        return SURETY_NOMEM;
    for (size_t i = 0; i < count; i++) {
        picture->colors[i] = draw_tone(picture, i);
        is_taken[picture->colors[i]] = true;
    }
    for (uint8_t color = 0; color < 8; color++) {
        const size_t next =
            is_taken[color] ? SIZE_MAX : draw_color_next(picture);
        if (next != SIZE_MAX)
            picture->colors[next] = color;
    }
    return SURETY_OK;
}

/* ---- the sheet ----------------------------------------------------------- */

static surety_status draw_sides(const surety__chart *chart,
                                surety_error *reterr)
{
    const unsigned sides[] = {chart->width, chart->height};

    for (size_t i = 0; i < 2; i++)
        if (sides[i] > 0 &&
            (sides[i] < DRAW_SIDE_MIN || sides[i] > DRAW_SIDE_MAX))
            return surety__fail(reterr, SURETY_LIMIT,
                                "a chart is from %d to %d pixels wide and "
                                "high, not %u",
                                DRAW_SIDE_MIN, DRAW_SIDE_MAX, sides[i]);
    return SURETY_OK;
}

/* The scale of the sheet: the requested one, or the largest below it that fits
 * an image. */
static double draw_sheet_scale(const surety__picture *picture)
{
    double scale = picture->chart->scale > 0 ? picture->chart->scale : 2;

    if (scale > DRAW_SCALE_MAX)
        scale = DRAW_SCALE_MAX;
    while (scale > 1 &&
           (picture->height * scale > DRAW_SHEET_MAX ||
            picture->width * scale > DRAW_SHEET_MAX ||
            picture->height * picture->width * scale * scale > DRAW_PIXELS_MAX))
        scale -= 0.5;
    return scale;
}

/* Writes the description that an SVG contains. */
static void draw_about(const surety__picture *picture, surety_buf *out)
{
    const surety__model *model = picture->model;

    surety__buf_printf(out, "%s chart of ",
                       model->is_stacked ? "Stacked bar"
                       : picture->chart->type == SURETY__CHART_BAR ? "Bar"
                                                                   : "Line");
    if (model->y_title.len > 0)
        surety_buf_add(out, model->y_title);
    else
        surety__buf_printf(out, "%zu series", model->series_count);
    if (model->x_title.len > 0)
        surety_buf_text(out, " by ");
    surety_buf_add(out, model->x_title);
    surety__buf_printf(out, ", %zu value%s", model->shown,
                       model->shown == 1 ? "" : "s");
    for (size_t p = 0; p < model->panels_count; p++) {
        const surety__model *panel = &model->panels[p];
        surety_buf_text(out, p > 0 ? "; from " : " from ");
        surety__ticks_value(panel, panel->low, out);
        surety_buf_text(out, " to ");
        surety__ticks_value(panel, panel->high, out);
    }
}

/* ---- panels -------------------------------------------------------------- */

/* The panels of a picture. Each is a picture of its own series, and all have
 * the same left and right edge. Their heights are set later. */
struct draw_panels {
    surety__picture items[SURETY_CHART_SERIES_MAX];
    size_t count;
    bool is_lying;
    double caption; /* the height of a panel's legend; 0 for a single panel */
};

static void draw_panels_make(surety__picture *picture,
                             struct draw_panels *panels)
{
    double left = 0;
    double room = 0;
    size_t first = 0;

    panels->count = picture->model->panels_count;
    assert(panels->count > 0 && panels->count <= SURETY_CHART_SERIES_MAX);
    for (size_t p = 0; p < panels->count; p++) {
        surety__picture *panel = &panels->items[p];
        *panel = *picture;
        panel->model = &picture->model->panels[p];
        panel->colors = picture->colors + first;
        panel->has_legend = panels->count > 1;
        panel->is_bare = p + 1 < panels->count;
        first += panel->model->series_count;
        draw_scale(panel, panels->count > 1 ? 3 : 5);
        left = fmax(left, surety__picture_tick_width(panel));
        if (panel->chart->type == SURETY__CHART_LINE)
            room = fmax(room, surety__lines_room(panel));
    }
    panels->is_lying = false;
    assert(first == picture->model->series_count);
    panels->caption =
        panels->count > 1 ? draw_legend_at(&panels->items[0], 0) : 0;
    for (size_t p = 0; p < panels->count; p++) {
        surety__picture *panel = &panels->items[p];
        panel->left = DRAW_MARGIN + left + 8;
        panel->right = picture->width - DRAW_MARGIN - room;
        panels->is_lying |=
            panel->chart->type == SURETY__CHART_BAR && !surety__bars_fit(panel);
    }
    picture->left = panels->items[0].left;
    picture->right = panels->items[0].right;
}

/* The height of all panels if the caller gave no height. */
static double draw_panels_height(const struct draw_panels *panels,
                                 double around)
{
    double height = DRAW_GAP * (double)(panels->count - 1);

    for (size_t p = 0; p < panels->count; p++) {
        const surety__picture *panel = &panels->items[p];
        height += panels->caption +
                  (panels->is_lying ? surety__bars_height(panel) : DRAW_PANEL);
    }
    if (panels->is_lying)
        return height + around;
    if (panels->count > 1)
        return height + around + 40;
    /* A header higher than 200 pixels makes the picture taller. */
    return DRAW_HEIGHT + (ceil(fmax(around - 200, 0)));
}

/* Divides the plot among the panels. False: there is no room for them. */
static bool draw_panels_place(struct draw_panels *panels, double top,
                              double bottom)
{
    surety__picture *last = &panels->items[panels->count - 1];
    surety__picture own = *last;
    const double below = panels->is_lying ? 0 : surety__places_height(&own);
    const double around = below + DRAW_GAP * (double)(panels->count - 1) +
                          panels->caption * (double)panels->count;
    const double room = bottom - top - around;
    double share = room / (double)panels->count;
    double wanted = 0;

    for (size_t p = 0; panels->is_lying && p < panels->count; p++)
        wanted += surety__bars_height(&panels->items[p]);
    if (share < DRAW_PLOT_MIN || own.right - own.left < 100)
        return false;
    for (size_t p = 0; p < panels->count; p++) {
        surety__picture *panel = &panels->items[p];
        if (panels->is_lying)
            share = room * surety__bars_height(panel) / wanted;
        panel->left = own.left;
        panel->top = top + panels->caption;
        panel->bottom = panel->top + share + (panel == last ? below : 0);
        top = panel->bottom + DRAW_GAP;
    }
    return true;
}

static void draw_panels_draw(struct draw_panels *panels)
{
    for (size_t p = 0; p < panels->count; p++) {
        surety__picture *panel = &panels->items[p];
        if (panels->caption > 0)
            draw_legend_at(panel, panel->top - panels->caption);
        if (panels->is_lying)
            surety__bars_lying(panel);
        else if (panel->chart->type == SURETY__CHART_BAR)
            surety__bars_upright(panel);
        else
            surety__lines_draw(panel);
    }
}

/* ---- the chart ----------------------------------------------------------- */

static surety_status draw_all(surety__picture *picture, surety_str title)
{
    struct draw_panels panels;
    surety_status status = draw_colors_give(picture);
    surety_buf about;

    if (status)
        return status;
    picture->header = draw_header(picture, title);
    draw_panels_make(picture, &panels);
    picture->footer = draw_footer(picture, panels.is_lying, 0);
    if (picture->height == 0)
        picture->height =
            draw_panels_height(&panels, picture->header + picture->footer);
    else if (panels.count == 1 && picture->height - picture->header < 400)
        draw_scale(&panels.items[0],
                   (unsigned)((picture->height - picture->header) / 80));
    picture->height = ceil(picture->height);
    picture->scale = draw_sheet_scale(picture);
    status = surety__canvas_open(&picture->canvas, picture->width,
                                 picture->height, picture->scale);
    if (status)
        return status;
    for (size_t p = 0; p < panels.count; p++)
        panels.items[p].canvas = picture->canvas;
    draw_header(picture, title);
    if (!draw_panels_place(&panels, picture->header,
                           picture->height - picture->footer))
        return SURETY_UNSUPPORTED;
    draw_panels_draw(&panels);
    draw_footer(picture, panels.is_lying, picture->height - picture->footer);
    surety_buf_init(&about, picture->canvas.svg.alloc, 0);
    draw_about(picture, &about);
    status =
        surety__canvas_close(&picture->canvas, title, surety_buf_str(&about));
    surety_buf_done(&about);
    return status;
}

/* Appends a note for each difference between the picture and the request. */
static void draw_put_notes(const surety__picture *picture, surety_buf *notes)
{
    const surety__chart *chart = picture->chart;
    const size_t shortened = *picture->shortened;
    const unsigned halves = (unsigned)(picture->scale * 2);

    if (chart->format == SURETY_CHART_PNG && chart->scale > picture->scale)
        surety__buf_printf(notes,
                           "the picture is drawn at a scale of %u%s, not %u, "
                           "which %s\n",
                           halves / 2, halves % 2 ? ".5" : "", chart->scale,
                           halves == 2 * DRAW_SCALE_MAX
                               ? "is more than there is"
                               : "would make it too large");
    if (*picture->cut & DRAW_CUT_TITLE)
        surety__buf_printf(notes,
                           "a title of %zu characters is cut in the picture\n",
                           surety__utf8_count(picture->model->title));
    if (*picture->cut & DRAW_CUT_SUBTITLE)
        surety_buf_text(notes, "the name of an axis is cut in the picture\n");
    if (*picture->cut & DRAW_CUT_NOTE)
        surety_buf_text(notes, "a note is cut in the picture\n");
    if (shortened > 0)
        surety__buf_printf(notes, "%zu name%s shortened in the picture\n",
                           shortened, shortened == 1 ? " is" : "s are");
    if (*picture->unnamed > 0)
        surety__buf_printf(notes, "%zu name%s no room in the picture\n",
                           *picture->unnamed,
                           *picture->unnamed == 1 ? " has" : "s have");
    if (picture->model->series_count > SURETY_CHART_SERIES_MAX)
        surety__buf_printf(
            notes,
            "%zu of %zu lines are pale: the %d that end highest "
            "have colours\n",
            picture->model->series_count - SURETY_CHART_SERIES_MAX,
            picture->model->series_count, SURETY_CHART_SERIES_MAX);
}

surety_status surety__model_draw(surety__model *model,
                                 const surety__chart *chart, surety_buf *out,
                                 surety_buf *notes, surety_error *reterr)
{
    unsigned cut = 0;
    size_t shortened = 0;
    size_t unnamed = 0;
    surety__picture picture = {.model = model,
                               .chart = chart,
                               .cut = &cut,
                               .shortened = &shortened,
                               .unnamed = &unnamed};
    const size_t start = out->len;
    surety_status status = draw_sides(chart, reterr);
    surety_buf title, text;

    surety_buf_init(&text, model->arena.alloc, 0);
    if (!status)
        status = surety__canvas_init(&picture.canvas, out, &text, chart->format,
                                     reterr);
    if (status)
        return status;
    picture.width = chart->width > 0 ? chart->width : DRAW_WIDTH;
    picture.height = chart->height;
    surety_buf_init(&title, model->arena.alloc, 0);
    surety__line_clean(model->title, DRAW_TITLE_MAX, &title);
    status = title.status;
    if (!status)
        status = draw_all(&picture, surety_buf_str(&title));
    if (!status)
        status = text.status;
    surety__canvas_done(&picture.canvas);
    if (!status && notes)
        draw_put_notes(&picture, notes);
    surety_buf_done(&title);
    surety_buf_done(&text);
    if (!status)
        return SURETY_OK;
    out->len = start;
    if (status == SURETY_UNSUPPORTED) {
        surety__fail(reterr, SURETY_LIMIT,
                     "a picture of %u by %u pixels has no room for a plot "
                     "beside its texts",
                     (unsigned)picture.width, (unsigned)picture.height);
        surety__hint(reterr, "make it larger, or leave its size open");
        return SURETY_LIMIT;
    }
    return status == SURETY_LIMIT
               ? surety__fail(reterr, status,
                              "the picture is larger than its buffer may be")
               : surety__fail_nomem(reterr);
}
