/* SPDX-License-Identifier: Apache-2.0 */
/* The sheet. cairo draws, and Pango sets texts of any script with the machine's
 * fonts.
 *
 * 1. Hinting is off, so a text has the same width on a sheet of any scale as in
 *    the layout.
 * 2. Each picture has a font map of its own: threads share nothing.
 * 3. A callback writes the output into the caller's buffer. A failure of the
 *    buffer comes back as cairo's status. */
#include "render/canvas.h"

#include <assert.h>
#include <math.h>

static const surety__function_row canvas_rows[] = {SURETY__PANGO(PANGO_ROW)};
static const surety__library canvas_library = {
    SURETY__LIBPANGOCAIRO, "charts", canvas_rows, SURETY__COUNT(canvas_rows)};

surety_status surety__canvas_init(surety__canvas *canvas, surety_buf *out,
                                  surety_buf *text, surety_chart_format format,
                                  surety_error *reterr)
{
    const surety__pango *pango = &canvas->pango;
    cairo_font_options_t *options;
    surety_status status;

    *canvas = (surety__canvas){.out = out, .text = text, .format = format};
    surety_buf_init(&canvas->svg, text->alloc, 0);
    status = surety__load(&canvas_library, &canvas->pango, reterr);
    if (status)
        return status;
    options = pango->cairo_font_options_create();
    canvas->fonts = pango->pango_cairo_font_map_new();
    canvas->context = pango->pango_font_map_create_context(canvas->fonts);
    pango->cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    pango->cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango->cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango->pango_cairo_context_set_font_options(canvas->context, options);
    pango->pango_context_set_round_glyph_positions(canvas->context, FALSE);
    pango->cairo_font_options_destroy(options);
    return SURETY_OK;
}

void surety__canvas_done(surety__canvas *canvas)
{
    const surety__pango *pango = &canvas->pango;

    if (canvas->cairo)
        pango->cairo_destroy(canvas->cairo);
    if (canvas->surface)
        pango->cairo_surface_destroy(canvas->surface);
    if (canvas->context)
        pango->g_object_unref(canvas->context);
    if (canvas->fonts)
        pango->g_object_unref(canvas->fonts);
    surety_buf_done(&canvas->svg);
}

static cairo_status_t canvas_take(void *closure, const unsigned char *bytes,
                                  unsigned len)
{
    surety_buf *out = closure;

    surety_buf_append(out, (const char *)bytes, len);
    return out->status ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

surety_status surety__canvas_open(surety__canvas *canvas, double width,
                                  double height, double scale)
{
    const surety__pango *pango = &canvas->pango;

    assert(!canvas->cairo && width > 0 && height > 0);
    if (canvas->format == SURETY_CHART_SVG) {
        canvas->surface = pango->cairo_svg_surface_create_for_stream(
            canvas_take, &canvas->svg, width, height);
        pango->cairo_svg_surface_set_document_unit(canvas->surface,
                                                   CAIRO_SVG_UNIT_PX);
    } else {
        canvas->surface = pango->cairo_image_surface_create(
            CAIRO_FORMAT_RGB24, (int)ceil(width * scale),
            (int)ceil(height * scale));
    }
    canvas->cairo = pango->cairo_create(canvas->surface);
    if (canvas->format != SURETY_CHART_SVG)
        pango->cairo_scale(canvas->cairo, scale, scale);
    surety__canvas_ink(canvas, SURETY__INK_PAPER);
    pango->cairo_paint(canvas->cairo);
    pango->cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    return pango->cairo_status(canvas->cairo) ? SURETY_NOMEM : SURETY_OK;
}

/* Appends text as character data of XML 1.0, section 2.4. */
static void canvas_xml(surety_str text, surety_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '&')
            surety_buf_text(out, "&amp;");
        else if (text.ptr[i] == '<')
            surety_buf_text(out, "&lt;");
        else if (text.ptr[i] == '>')
            surety_buf_text(out, "&gt;");
        else
            surety_buf_byte(out, text.ptr[i]);
    }
}

/* Adds a title and a description to the SVG, for browsers and screen
 * readers. */
static void canvas_put_title(surety__canvas *canvas, surety_str title,
                             surety_str about)
{
    const surety_str all = surety_buf_str(&canvas->svg);
    const size_t start = surety__str_find(all, surety_str_of("<svg"));
    const surety_str tail = {all.ptr + start, all.len - start};
    const size_t end = surety__str_find(tail, surety_str_of(">"));

    if (end == tail.len) {
        surety_buf_add(canvas->out, all);
        return;
    }
    surety_buf_append(canvas->out, all.ptr, start + end);
    surety_buf_text(canvas->out, " role=\"img\">\n<title>");
    canvas_xml(title, canvas->out);
    surety_buf_text(canvas->out, "</title>\n<desc>");
    canvas_xml(about, canvas->out);
    surety_buf_text(canvas->out, "</desc>");
    surety_buf_append(canvas->out, tail.ptr + end + 1, tail.len - end - 1);
}

surety_status surety__canvas_close(surety__canvas *canvas, surety_str title,
                                   surety_str about)
{
    const surety__pango *pango = &canvas->pango;
    cairo_status_t status = pango->cairo_status(canvas->cairo);

    assert(canvas->surface);
    pango->cairo_destroy(canvas->cairo);
    canvas->cairo = NULL;
    if (!status && canvas->format == SURETY_CHART_PNG)
        status = pango->cairo_surface_write_to_png_stream(
            canvas->surface, canvas_take, canvas->out);
    pango->cairo_surface_finish(canvas->surface);
    if (!status)
        status = pango->cairo_surface_status(canvas->surface);
    if (!status && !canvas->svg.status && canvas->format == SURETY_CHART_SVG)
        canvas_put_title(canvas, title, about);
    if (canvas->out->status)
        return canvas->out->status;
    return status || canvas->svg.status ? SURETY_NOMEM : SURETY_OK;
}

/* ---- texts --------------------------------------------------------------- */

static void canvas_measure(const surety__canvas *canvas, surety__label *label)
{
    int width, height;

    canvas->pango.pango_layout_get_size(label->layout, &width, &height);
    label->width = (double)width / PANGO_SCALE;
    label->height = (double)height / PANGO_SCALE;
}

surety__label surety__canvas_set(const surety__canvas *canvas, surety_str text,
                                 const surety__letters *letters)
{
    const surety__pango *pango = &canvas->pango;
    PangoLayout *layout = pango->pango_layout_new(canvas->context);
    surety__label label = {.layout = layout};
    PangoFontDescription *font = pango->pango_font_description_from_string(
        "Noto Sans,DejaVu Sans,sans-serif");

    pango->pango_font_description_set_absolute_size(font, letters->size *
                                                              PANGO_SCALE);
    if (letters->bold)
        pango->pango_font_description_set_weight(font, PANGO_WEIGHT_BOLD);
    pango->pango_layout_set_font_description(layout, font);
    pango->pango_font_description_free(font);
    pango->pango_layout_set_text(layout, text.ptr ? text.ptr : "",
                                 (int)text.len);
    if (letters->centred)
        pango->pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER);
    canvas_measure(canvas, &label);
    if (letters->width > 0 && (letters->lines > 1 || letters->centred ||
                               label.width > letters->width)) {
        pango->pango_layout_set_width(layout,
                                      (int)(letters->width * PANGO_SCALE));
        pango->pango_layout_set_height(layout, -(int)letters->lines);
        pango->pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
        pango->pango_layout_set_ellipsize(layout, letters->is_name
                                                      ? PANGO_ELLIPSIZE_MIDDLE
                                                      : PANGO_ELLIPSIZE_END);
        canvas_measure(canvas, &label);
        label.is_cut = pango->pango_layout_is_ellipsized(layout);
    }
    return label;
}

surety__label surety__canvas_set_text(const surety__canvas *canvas,
                                      const surety__letters *letters)
{
    const surety__label label =
        surety__canvas_set(canvas, surety_buf_str(canvas->text), letters);

    /* The status stays: memory that ran out is noticed at the end. */
    canvas->text->len = 0;
    return label;
}

void surety__canvas_free(const surety__canvas *canvas, surety__label label)
{
    canvas->pango.g_object_unref(label.layout);
}

double surety__canvas_width(const surety__canvas *canvas, surety__label label)
{
    surety__canvas_free(canvas, label);
    return label.width;
}

void surety__canvas_ink(const surety__canvas *canvas, uint32_t color)
{
    canvas->pango.cairo_set_source_rgb(
        canvas->cairo, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
        (color & 255) / 255.0);
}

void surety__canvas_show(const surety__canvas *canvas, surety__label label,
                         double x, double y, uint32_t color)
{
    assert(canvas->cairo);
    surety__canvas_ink(canvas, color);
    canvas->pango.cairo_move_to(canvas->cairo, x, y);
    canvas->pango.pango_cairo_show_layout(canvas->cairo, label.layout);
}

void surety__canvas_show_over(const surety__canvas *canvas, surety__label label,
                              double x, double y, uint32_t color)
{
    const surety__pango *pango = &canvas->pango;

    surety__canvas_ink(canvas, SURETY__INK_PAPER);
    pango->cairo_move_to(canvas->cairo, x, y);
    pango->pango_cairo_layout_path(canvas->cairo, label.layout);
    pango->cairo_set_line_width(canvas->cairo, 4);
    pango->cairo_stroke(canvas->cairo);
    surety__canvas_show(canvas, label, x, y, color);
}

/* ---- shapes -------------------------------------------------------------- */

void surety__canvas_line(const surety__canvas *canvas, const double line[4],
                         double width, uint32_t color)
{
    const surety__pango *pango = &canvas->pango;

    surety__canvas_ink(canvas, color);
    pango->cairo_set_line_width(canvas->cairo, width);
    pango->cairo_move_to(canvas->cairo, line[0], line[1]);
    pango->cairo_line_to(canvas->cairo, line[2], line[3]);
    pango->cairo_stroke(canvas->cairo);
}

void surety__canvas_box(const surety__canvas *canvas, double x, double y,
                        double width, double height)
{
    if (width < 0) {
        x += width;
        width = -width;
    }
    if (height < 0) {
        y += height;
        height = -height;
    }
    canvas->pango.cairo_rectangle(canvas->cairo, x, y, width, height);
    canvas->pango.cairo_fill(canvas->cairo);
}
