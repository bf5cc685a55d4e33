/* SPDX-License-Identifier: Apache-2.0 */
/* The sheet and the parts of a picture, for the files that draw. */
#ifndef SURETY_RENDER_CANVAS_H
#define SURETY_RENDER_CANVAS_H

#include "render/pango.h"
#include "render/render.h"

/* Fonts come first, since the size of a picture depends on the size of its
 * texts; then the sheet. Lengths are pixels at a scale of 1. */
typedef struct surety__canvas {
    surety__pango pango;
    PangoFontMap *fonts;
    PangoContext *context;
    cairo_surface_t *surface; /* NULL: measuring only */
    cairo_t *cairo;
    surety_chart_format format;
    surety_buf *out;
    surety_buf *text; /* scratch: the next text to be set */
    surety_buf svg;   /* the whole SVG: its title goes into the middle */
} surety__canvas;

enum surety__ink {
    SURETY__INK_TEXT = 0x1F2933,
    SURETY__INK_SOFT = 0x52606D, /* secondary text */
    SURETY__INK_AXIS = 0x7B8794,
    SURETY__INK_GRID = 0xE4E7EB,
    SURETY__INK_PALE = 0xC3CBD3, /* lines without a colour of their own */
    SURETY__INK_PAPER = 0xFFFFFF
};

/* The style of a text. */
typedef struct surety__letters {
    double size;
    double width;   /* of a line; 0: one line of any width */
    unsigned lines; /* at most; the last ends in "..." if cut */
    bool bold;
    bool centred;
    bool is_name; /* cut in the middle, for names that begin alike */
} surety__letters;

/* Fails as surety__load. On success, call surety__canvas_done. */
surety_status surety__canvas_init(surety__canvas *canvas, surety_buf *out,
                                  surety_buf *text, surety_chart_format format,
                                  surety_error *reterr);
void surety__canvas_done(surety__canvas *canvas);
/* Makes a white sheet. */
surety_status surety__canvas_open(surety__canvas *canvas, double width,
                                  double height, double scale);
/* Writes the picture. title and about go into an SVG. */
surety_status surety__canvas_close(surety__canvas *canvas, surety_str title,
                                   surety_str about);

/* A text that is set, and its size. */
typedef struct surety__label {
    PangoLayout *layout;
    double width, height;
    bool is_cut; /* it ends in an ellipsis */
} surety__label;

/* Sets a text. The caller frees it. */
surety__label surety__canvas_set(const surety__canvas *canvas, surety_str text,
                                 const surety__letters *letters);
/* Sets the text that canvas->text has, and empties that. */
surety__label surety__canvas_set_text(const surety__canvas *canvas,
                                      const surety__letters *letters);
void surety__canvas_free(const surety__canvas *canvas, surety__label label);
/* The width of a text; frees the text. */
double surety__canvas_width(const surety__canvas *canvas, surety__label label);
void surety__canvas_ink(const surety__canvas *canvas, uint32_t color);
/* Draws a text with its upper left corner at x, y. */
void surety__canvas_show(const surety__canvas *canvas, surety__label label,
                         double x, double y, uint32_t color);
/* The same, with a white outline so that it stays legible over lines. */
void surety__canvas_show_over(const surety__canvas *canvas, surety__label label,
                              double x, double y, uint32_t color);
/* line: the x and y of its ends. */
void surety__canvas_line(const surety__canvas *canvas, const double line[4],
                         double width, uint32_t color);
void surety__canvas_box(const surety__canvas *canvas, double x, double y,
                        double width, double height);

/* ---- a picture ----------------------------------------------------------- */

enum { DRAW_MARGIN = 28 };

typedef struct surety__picture {
    surety__canvas canvas;
    surety__model *model;
    const surety__chart *chart;
    double width, height;
    double scale; /* pixels of the sheet per pixel of length */
    double left, top, right, bottom; /* of the plot */
    surety__ticks ticks;
    double header, footer; /* heights, including margins */
    uint8_t *colors;       /* the colour index of each series; 8: pale */
    bool has_legend;
    bool is_bare;      /* a panel above another: no names below it */
    unsigned *cut;     /* gains a DRAW_CUT for each text that was cut */
    size_t *shortened; /* number of names that were shortened */
    size_t *unnamed;   /* number of names left out for lack of room */
} surety__picture;

enum { DRAW_CUT_TITLE = 1, DRAW_CUT_SUBTITLE = 2, DRAW_CUT_NOTE = 4 };

/* The distance of a value from the start of the axis of values, in pixels;
 * length is the axis's. */
double surety__picture_along(const surety__picture *picture, double value,
                             double length);
/* The colour of a series. */
uint32_t surety__picture_color(const surety__picture *picture, size_t series);
/* The widest label of the ticks. */
double surety__picture_tick_width(const surety__picture *picture);
extern const surety__letters surety__letters_small;
surety__label surety__picture_tick(const surety__picture *picture, unsigned i);
/* Draws a vertical axis of values: grid, labels, and the line at zero. */
void surety__picture_grid(const surety__picture *picture);

/* The x of a number on the x scale of a line chart. */
double surety__picture_across(const surety__picture *picture, double at);

/* bars.c: vertical bars if their names fit below them, otherwise horizontal
 * bars, as high as they need. */
bool surety__bars_fit(const surety__picture *picture);
void surety__bars_upright(surety__picture *picture);
double surety__bars_height(const surety__picture *picture);
void surety__bars_lying(surety__picture *picture);
/* lines.c: the width that the value at the end of a single line needs to the
 * right of the plot. */
double surety__lines_room(const surety__picture *picture);
void surety__lines_draw(surety__picture *picture);
/* Draws the mark of a series, in its own shape, with its middle at x, y. */
void surety__lines_mark(const surety__picture *picture, size_t series, double x,
                        double y, double size);

/* places.c: the labels below a plot. Whether all names fit, wrapped. */
bool surety__places_fit(const surety__picture *picture);
/* The height of the labels; may increase picture->left for slanted ones. */
double surety__places_height(surety__picture *picture);
void surety__places_draw(const surety__picture *picture);

#endif
