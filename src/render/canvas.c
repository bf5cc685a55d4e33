/* SPDX-License-Identifier: Apache-2.0 */
/* The sheet: cairo draws, Pango sets the texts in whatever script they are,
 * with the machine's fonts. Hinting is off, so that a text is as wide on a
 * sheet of any scale as it was when the picture was laid out. Each picture has
 * a font map of its own: nothing is shared between threads. What is drawn is
 * written by a callback into the caller's buffer, whose failures come back as
 * cairo's. */
#include "render/canvas.h"

#include <math.h>

static const surety__function_row canvas_rows[] = {SURETY__PANGO(SURETY__ROW)};
static const surety__library canvas_library = {
    SURETY__LIBPANGOCAIRO, "charts", canvas_rows,
    sizeof(canvas_rows) / sizeof(*canvas_rows)};

surety_status surety__canvas_init(surety__canvas *canvas, surety_buf *out,
                                  surety_chart_format format,
                                  const surety_alloc *alloc,
                                  surety_error *reterr)
{
    cairo_font_options_t *options;
    surety_status status;

    *canvas = (surety__canvas){.out = out, .format = format};
    surety_buf_init(&canvas->svg, alloc, 0);
    status = surety__load(&canvas_library, &canvas->pango, reterr);
    if (status)
        return status;
    options = canvas->pango.cairo_font_options_create();
    canvas->fonts = canvas->pango.pango_cairo_font_map_new();
    canvas->context =
        canvas->pango.pango_font_map_create_context(canvas->fonts);
    canvas->pango.cairo_font_options_set_hint_style(options,
                                                    CAIRO_HINT_STYLE_NONE);
    canvas->pango.cairo_font_options_set_hint_metrics(options,
                                                      CAIRO_HINT_METRICS_OFF);
    canvas->pango.cairo_font_options_set_antialias(options,
                                                   CAIRO_ANTIALIAS_GRAY);
    canvas->pango.pango_cairo_context_set_font_options(canvas->context,
                                                       options);
    canvas->pango.pango_context_set_round_glyph_positions(canvas->context,
                                                          FALSE);
    canvas->pango.cairo_font_options_destroy(options);
    return SURETY_OK;
}

void surety__canvas_done(surety__canvas *canvas)
{
    if (canvas->cairo)
        canvas->pango.cairo_destroy(canvas->cairo);
    if (canvas->surface)
        canvas->pango.cairo_surface_destroy(canvas->surface);
    if (canvas->context)
        canvas->pango.g_object_unref(canvas->context);
    if (canvas->fonts)
        canvas->pango.g_object_unref(canvas->fonts);
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
    if (canvas->format == SURETY_CHART_SVG) {
        canvas->surface = canvas->pango.cairo_svg_surface_create_for_stream(
            canvas_take, &canvas->svg, width, height);
        canvas->pango.cairo_svg_surface_set_document_unit(canvas->surface,
                                                          CAIRO_SVG_UNIT_PX);
    } else {
        canvas->surface = canvas->pango.cairo_image_surface_create(
            CAIRO_FORMAT_RGB24, (int)ceil(width * scale),
            (int)ceil(height * scale));
    }
    canvas->cairo = canvas->pango.cairo_create(canvas->surface);
    if (canvas->format != SURETY_CHART_SVG)
        canvas->pango.cairo_scale(canvas->cairo, scale, scale);
    surety__canvas_ink(canvas, SURETY__INK_PAPER);
    canvas->pango.cairo_paint(canvas->cairo);
    canvas->pango.cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    return canvas->pango.cairo_status(canvas->cairo) ? SURETY_NOMEM : SURETY_OK;
}

/* Text in XML 1.0, section 2.4. */
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

/* The SVG with a title and a description, which browsers and those who listen
 * to pages look for. */
static void canvas_tell(surety__canvas *canvas, surety_str title,
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
    cairo_status_t status = canvas->pango.cairo_status(canvas->cairo);

    canvas->pango.cairo_destroy(canvas->cairo);
    canvas->cairo = NULL;
    if (!status && canvas->format == SURETY_CHART_PNG)
        status = canvas->pango.cairo_surface_write_to_png_stream(
            canvas->surface, canvas_take, canvas->out);
    canvas->pango.cairo_surface_finish(canvas->surface);
    if (!status)
        status = canvas->pango.cairo_surface_status(canvas->surface);
    if (!status && !canvas->svg.status && canvas->format == SURETY_CHART_SVG)
        canvas_tell(canvas, title, about);
    if (canvas->out->status)
        return canvas->out->status;
    return status || canvas->svg.status ? SURETY_NOMEM : SURETY_OK;
}

/* ---- texts --------------------------------------------------------------- */

static bool canvas_is_wider(const surety__canvas *canvas, PangoLayout *layout,
                            double bound)
{
    double width, height;

    surety__canvas_size(canvas, layout, &width, &height);
    return width > bound;
}

PangoLayout *surety__canvas_set(const surety__canvas *canvas, surety_str text,
                                const surety__letters *letters)
{
    PangoLayout *layout = canvas->pango.pango_layout_new(canvas->context);
    PangoFontDescription *font =
        canvas->pango.pango_font_description_from_string(
            "Noto Sans,DejaVu Sans,sans-serif");

    canvas->pango.pango_font_description_set_absolute_size(
        font, letters->size * PANGO_SCALE);
    if (letters->bold)
        canvas->pango.pango_font_description_set_weight(font,
                                                        PANGO_WEIGHT_BOLD);
    canvas->pango.pango_layout_set_font_description(layout, font);
    canvas->pango.pango_font_description_free(font);
    canvas->pango.pango_layout_set_text(layout, text.ptr ? text.ptr : "",
                                        (int)text.len);
    if (letters->width > 0 &&
        (letters->lines > 1 || letters->centred ||
         canvas_is_wider(canvas, layout, letters->width))) {
        canvas->pango.pango_layout_set_width(
            layout, (int)(letters->width * PANGO_SCALE));
        canvas->pango.pango_layout_set_height(layout, -(int)letters->lines);
        canvas->pango.pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
        canvas->pango.pango_layout_set_ellipsize(
            layout,
            letters->is_name ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END);
    }
    if (letters->centred)
        canvas->pango.pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER);
    return layout;
}

void surety__canvas_size(const surety__canvas *canvas, PangoLayout *layout,
                         double *width, double *height)
{
    int pango_width;
    int pango_height;

    canvas->pango.pango_layout_get_size(layout, &pango_width, &pango_height);
    *width = (double)pango_width / PANGO_SCALE;
    *height = (double)pango_height / PANGO_SCALE;
}

double surety__canvas_width(const surety__canvas *canvas, PangoLayout *layout)
{
    double width, height;

    surety__canvas_size(canvas, layout, &width, &height);
    canvas->pango.g_object_unref(layout);
    return width;
}

void surety__canvas_ink(const surety__canvas *canvas, uint32_t color)
{
    canvas->pango.cairo_set_source_rgb(
        canvas->cairo, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
        (color & 255) / 255.0);
}

void surety__canvas_show(const surety__canvas *canvas, PangoLayout *layout,
                         double x, double y, uint32_t color)
{
    surety__canvas_ink(canvas, color);
    canvas->pango.cairo_move_to(canvas->cairo, x, y);
    canvas->pango.pango_cairo_show_layout(canvas->cairo, layout);
}

void surety__canvas_show_over(const surety__canvas *canvas, PangoLayout *layout,
                              double x, double y, uint32_t color)
{
    surety__canvas_ink(canvas, SURETY__INK_PAPER);
    canvas->pango.cairo_move_to(canvas->cairo, x, y);
    canvas->pango.pango_cairo_layout_path(canvas->cairo, layout);
    canvas->pango.cairo_set_line_width(canvas->cairo, 4);
    canvas->pango.cairo_stroke(canvas->cairo);
    surety__canvas_show(canvas, layout, x, y, color);
}

/* ---- shapes -------------------------------------------------------------- */

void surety__canvas_line(const surety__canvas *canvas, const double from[2],
                         const double to[2], double width, uint32_t color)
{
    surety__canvas_ink(canvas, color);
    canvas->pango.cairo_set_line_width(canvas->cairo, width);
    canvas->pango.cairo_move_to(canvas->cairo, from[0], from[1]);
    canvas->pango.cairo_line_to(canvas->cairo, to[0], to[1]);
    canvas->pango.cairo_stroke(canvas->cairo);
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
