/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of cairo, Pango and GObject that render/ calls. libpangocairo
 * depends on all three libraries, so a look-up in it finds the functions of
 * each. */
#ifndef SURETY_RENDER_PANGO_H
#define SURETY_RENDER_PANGO_H

#include <cairo-svg.h>
#include <pango/pangocairo.h>

#include "load/load.h"

#define SURETY__PANGO(FUNCTION)                                                \
    FUNCTION(cairo_arc)                                                        \
    FUNCTION(cairo_close_path)                                                 \
    FUNCTION(cairo_create)                                                     \
    FUNCTION(cairo_destroy)                                                    \
    FUNCTION(cairo_fill)                                                       \
    FUNCTION(cairo_fill_preserve)                                              \
    FUNCTION(cairo_font_options_create)                                        \
    FUNCTION(cairo_font_options_destroy)                                       \
    FUNCTION(cairo_font_options_set_antialias)                                 \
    FUNCTION(cairo_font_options_set_hint_metrics)                              \
    FUNCTION(cairo_font_options_set_hint_style)                                \
    FUNCTION(cairo_image_surface_create)                                       \
    FUNCTION(cairo_line_to)                                                    \
    FUNCTION(cairo_move_to)                                                    \
    FUNCTION(cairo_paint)                                                      \
    FUNCTION(cairo_rectangle)                                                  \
    FUNCTION(cairo_restore)                                                    \
    FUNCTION(cairo_rotate)                                                     \
    FUNCTION(cairo_save)                                                       \
    FUNCTION(cairo_scale)                                                      \
    FUNCTION(cairo_set_line_cap)                                               \
    FUNCTION(cairo_set_line_join)                                              \
    FUNCTION(cairo_set_line_width)                                             \
    FUNCTION(cairo_set_source_rgb)                                             \
    FUNCTION(cairo_status)                                                     \
    FUNCTION(cairo_stroke)                                                     \
    FUNCTION(cairo_surface_destroy)                                            \
    FUNCTION(cairo_surface_finish)                                             \
    FUNCTION(cairo_surface_status)                                             \
    FUNCTION(cairo_surface_write_to_png_stream)                                \
    FUNCTION(cairo_svg_surface_create_for_stream)                              \
    FUNCTION(cairo_svg_surface_set_document_unit)                              \
    FUNCTION(cairo_translate)                                                  \
    FUNCTION(g_object_unref)                                                   \
    FUNCTION(pango_cairo_context_set_font_options)                             \
    FUNCTION(pango_cairo_font_map_new)                                         \
    FUNCTION(pango_cairo_layout_path)                                          \
    FUNCTION(pango_cairo_show_layout)                                          \
    FUNCTION(pango_context_set_round_glyph_positions)                          \
    FUNCTION(pango_font_description_free)                                      \
    FUNCTION(pango_font_description_from_string)                               \
    FUNCTION(pango_font_description_set_absolute_size)                         \
    FUNCTION(pango_font_description_set_weight)                                \
    FUNCTION(pango_font_map_create_context)                                    \
    FUNCTION(pango_layout_get_size)                                            \
    FUNCTION(pango_layout_is_ellipsized)                                       \
    FUNCTION(pango_layout_new)                                                 \
    FUNCTION(pango_layout_set_alignment)                                       \
    FUNCTION(pango_layout_set_ellipsize)                                       \
    FUNCTION(pango_layout_set_font_description)                                \
    FUNCTION(pango_layout_set_height)                                          \
    FUNCTION(pango_layout_set_text)                                            \
    FUNCTION(pango_layout_set_width)                                           \
    FUNCTION(pango_layout_set_wrap)

/* A member has the name of its function. */
#define PANGO_POINTER(name) SURETY__POINTER(name, name)
#define PANGO_ROW(name) SURETY__ROW(name, name)

typedef struct surety__pango {
    SURETY__PANGO(PANGO_POINTER)
} surety__pango;

#endif
