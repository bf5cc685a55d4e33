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
    FUNCTION(cairo_arc, cairo_arc)                                             \
    FUNCTION(cairo_close_path, cairo_close_path)                               \
    FUNCTION(cairo_create, cairo_create)                                       \
    FUNCTION(cairo_destroy, cairo_destroy)                                     \
    FUNCTION(cairo_fill, cairo_fill)                                           \
    FUNCTION(cairo_fill_preserve, cairo_fill_preserve)                         \
    FUNCTION(cairo_font_options_create, cairo_font_options_create)             \
    FUNCTION(cairo_font_options_destroy, cairo_font_options_destroy)           \
    FUNCTION(cairo_font_options_set_antialias,                                 \
             cairo_font_options_set_antialias)                                 \
    FUNCTION(cairo_font_options_set_hint_metrics,                              \
             cairo_font_options_set_hint_metrics)                              \
    FUNCTION(cairo_font_options_set_hint_style,                                \
             cairo_font_options_set_hint_style)                                \
    FUNCTION(cairo_image_surface_create, cairo_image_surface_create)           \
    FUNCTION(cairo_line_to, cairo_line_to)                                     \
    FUNCTION(cairo_move_to, cairo_move_to)                                     \
    FUNCTION(cairo_paint, cairo_paint)                                         \
    FUNCTION(cairo_rectangle, cairo_rectangle)                                 \
    FUNCTION(cairo_restore, cairo_restore)                                     \
    FUNCTION(cairo_rotate, cairo_rotate)                                       \
    FUNCTION(cairo_save, cairo_save)                                           \
    FUNCTION(cairo_scale, cairo_scale)                                         \
    FUNCTION(cairo_set_line_cap, cairo_set_line_cap)                           \
    FUNCTION(cairo_set_line_join, cairo_set_line_join)                         \
    FUNCTION(cairo_set_line_width, cairo_set_line_width)                       \
    FUNCTION(cairo_set_source_rgb, cairo_set_source_rgb)                       \
    FUNCTION(cairo_status, cairo_status)                                       \
    FUNCTION(cairo_stroke, cairo_stroke)                                       \
    FUNCTION(cairo_surface_destroy, cairo_surface_destroy)                     \
    FUNCTION(cairo_surface_finish, cairo_surface_finish)                       \
    FUNCTION(cairo_surface_status, cairo_surface_status)                       \
    FUNCTION(cairo_surface_write_to_png_stream,                                \
             cairo_surface_write_to_png_stream)                                \
    FUNCTION(cairo_svg_surface_create_for_stream,                              \
             cairo_svg_surface_create_for_stream)                              \
    FUNCTION(cairo_svg_surface_set_document_unit,                              \
             cairo_svg_surface_set_document_unit)                              \
    FUNCTION(cairo_translate, cairo_translate)                                 \
    FUNCTION(g_object_unref, g_object_unref)                                   \
    FUNCTION(pango_cairo_context_set_font_options,                             \
             pango_cairo_context_set_font_options)                             \
    FUNCTION(pango_cairo_font_map_new, pango_cairo_font_map_new)               \
    FUNCTION(pango_cairo_layout_path, pango_cairo_layout_path)                 \
    FUNCTION(pango_cairo_show_layout, pango_cairo_show_layout)                 \
    FUNCTION(pango_context_set_round_glyph_positions,                          \
             pango_context_set_round_glyph_positions)                          \
    FUNCTION(pango_font_description_free, pango_font_description_free)         \
    FUNCTION(pango_font_description_from_string,                               \
             pango_font_description_from_string)                               \
    FUNCTION(pango_font_description_set_absolute_size,                         \
             pango_font_description_set_absolute_size)                         \
    FUNCTION(pango_font_description_set_weight,                                \
             pango_font_description_set_weight)                                \
    FUNCTION(pango_font_map_create_context, pango_font_map_create_context)     \
    FUNCTION(pango_layout_get_size, pango_layout_get_size)                     \
    FUNCTION(pango_layout_is_ellipsized, pango_layout_is_ellipsized)           \
    FUNCTION(pango_layout_new, pango_layout_new)                               \
    FUNCTION(pango_layout_set_alignment, pango_layout_set_alignment)           \
    FUNCTION(pango_layout_set_ellipsize, pango_layout_set_ellipsize)           \
    FUNCTION(pango_layout_set_font_description,                                \
             pango_layout_set_font_description)                                \
    FUNCTION(pango_layout_set_height, pango_layout_set_height)                 \
    FUNCTION(pango_layout_set_text, pango_layout_set_text)                     \
    FUNCTION(pango_layout_set_width, pango_layout_set_width)                   \
    FUNCTION(pango_layout_set_wrap, pango_layout_set_wrap)

typedef struct surety__pango {
    SURETY__PANGO(SURETY__POINTER)
} surety__pango;

#endif
