/* SPDX-License-Identifier: Apache-2.0 */
/* A sheet to draw on, and the parts of a picture; for the files that draw. */
#ifndef SURETY_RENDER_CANVAS_H
#define SURETY_RENDER_CANVAS_H

#include "render/pango.h"
#include "render/render.h"

/* Fonts first, for a picture's size depends on how large its texts are; then
 * the sheet. Lengths are pixels at a scale of 1. */
typedef struct surety__canvas {
    surety__pango pango;
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_surface_t *surface; /* NULL: only measured so far */
    cairo_t *cairo;
    surety_chart_format format;
    surety_buf *out;
    surety_buf svg; /* gathered, for its title stands in the middle */
} surety__canvas;

enum surety__ink {
    SURETY__INK_TEXT = 0x1F2933,
    SURETY__INK_SOFT = 0x52606D, /* second text */
    SURETY__INK_AXIS = 0x7B8794,
    SURETY__INK_GRID = 0xE4E7EB,
    SURETY__INK_PALE = 0xC3CBD3, /* lines that have no colour of their own */
    SURETY__INK_PAPER = 0xFFFFFF
};

/* How a text is set. */
typedef struct surety__letters {
    double size;
    double width;   /* where lines end; 0: one line of any width */
    unsigned lines; /* at most; "..." behind the last */
    bool bold;
    bool centred;
    bool is_name; /* cut in its middle: names that begin alike stay apart */
} surety__letters;

/* As surety__load. Where it succeeds, call surety__canvas_done. */
surety_status surety__canvas_init(surety__canvas *canvas, surety_buf *out,
                                  surety_chart_format format,
                                  const surety_alloc *alloc,
                                  surety_error *reterr);
void surety__canvas_done(surety__canvas *canvas);
/* A white sheet. */
surety_status surety__canvas_open(surety__canvas *canvas, double width,
                                  double height, double scale);
/* Writes the picture; title and about are what an SVG says of itself. */
surety_status surety__canvas_close(surety__canvas *canvas, surety_str title,
                                   surety_str about);

/* A text that is set; free it with g_object_unref. */
PangoLayout *surety__canvas_set(const surety__canvas *canvas, surety_str text,
                                const surety__letters *letters);
void surety__canvas_size(const surety__canvas *canvas, PangoLayout *layout,
                         double *width, double *height);
/* The width of a text, which is freed. */
double surety__canvas_width(const surety__canvas *canvas, PangoLayout *layout);
void surety__canvas_ink(const surety__canvas *canvas, uint32_t color);
/* Draws a set text with its upper left corner there. */
void surety__canvas_show(const surety__canvas *canvas, PangoLayout *layout,
                         double x, double y, uint32_t color);
/* The same on a rim of paper, over lines. */
void surety__canvas_show_over(const surety__canvas *canvas, PangoLayout *layout,
                              double x, double y, uint32_t color);
void surety__canvas_line(const surety__canvas *canvas, const double from[2],
                         const double to[2], double width, uint32_t color);
void surety__canvas_box(const surety__canvas *canvas, double x, double y,
                        double width, double height);

/* ---- a picture ----------------------------------------------------------- */

enum { DRAW_MARGIN = 28 };

typedef struct surety__picture {
    surety__canvas canvas;
    surety__model *model;
    const surety_chart *chart;
    double width, height;
    double scale; /* of the sheet: its pixels for each of those */
    double left, top, right, bottom; /* of the plot */
    surety__ticks ticks;
    double header, footer; /* heights, margins included */
    uint8_t *colors;       /* of series: an index; 8: pale */
    bool has_legend;
    bool is_bare;      /* a panel above another: no names below it */
    unsigned *cut;     /* grows by a DRAW_CUT for a text that did not fit */
    size_t *shortened; /* grows with each name that is drawn and did not */
    size_t *unnamed;   /* and with each that is not drawn for want of room */
} surety__picture;

enum { DRAW_CUT_TITLE = 1, DRAW_CUT_SUBTITLE = 2, DRAW_CUT_NOTE = 4 };

/* Where a value stands on the axis of values, in pixels from its beginning of
 * so many. */
double surety__picture_along(const surety__picture *picture, double value,
                             double length);
/* The color of a series. */
uint32_t surety__picture_color(const surety__picture *picture, size_t series);
double surety__picture_value(const surety__picture *picture, size_t series,
                             size_t place);
/* The widest label of the ticks. */
double surety__picture_tick_width(const surety__picture *picture);
extern const surety__letters surety__letters_small;
PangoLayout *surety__picture_tick(const surety__picture *picture, unsigned i);
/* Grid and labels of a vertical axis of values, and the line at zero. */
void surety__picture_grid(const surety__picture *picture);

/* Where a position on the x scale of a line stands. */
double surety__picture_across(const surety__picture *picture, double at);

/* bars.c: bars side by side where their names fit below them, else one below
 * the other, in as much height as they need. */
bool surety__bars_fit(const surety__picture *picture);
void surety__bars_upright(surety__picture *picture);
double surety__bars_height(const surety__picture *picture);
void surety__bars_lying(surety__picture *picture);
/* lines.c: the room that the value at the end of a lone line takes right of the
 * plot. */
double surety__lines_room(const surety__picture *picture);
void surety__lines_draw(surety__picture *picture);
/* A mark of a line: a shape of the series' own, with its middle there. */
void surety__lines_mark(const surety__picture *picture, size_t series, double x,
                        double y, double size);

/* places.c: what stands below a plot. Whether all names fit, wrapped. */
bool surety__places_fit(const surety__picture *picture);
/* The height that they take; picture->left may grow for slanted ones. */
double surety__places_height(surety__picture *picture);
void surety__places_draw(const surety__picture *picture);

#endif
