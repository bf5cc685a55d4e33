/* SPDX-License-Identifier: Apache-2.0 */
/* drawn.h: what a picture has on it, as text that a person reads.
 *
 * A line for each thing, in the order of drawing; lengths in pixels, to a
 * tenth, from the upper left corner; colours as #rrggbb:
 *
 *     sheet 960x560
 *     title, about          what an SVG says of itself
 *     text 28,38 20 bold #1f2933 "Sales"      where its base line begins; size
 *     text 90,80 12 turned 45 #1f2933 "A name"
 *     line 28,40 - 300,40 pen 1 #e4e7eb
 *     box 28,40 10x20 fill #0072b2
 *     round 10,10 8x8 fill #0072b2 pen 1.4 #ffffff     a circle, in its box
 *     shape 1,1 5,1 3,4 fill #0072b2           closed; its corners
 *     path 1,1 5,5 / 9,9 12,9 pen 2.2 round #0072b2    open; "/" is a gap;
 *                           "round" ends, else flat; "sharp" corners, else
 * round rim 28,20 100x12 pen 4 #ffffff           round the letters of a text
 *
 * A path of many points has "N points" in their place, their box and a sum that
 * depends on each of them and on their order. */
#ifndef SURETY_TESTS_GOLDEN_DRAWN_H
#define SURETY_TESTS_GOLDEN_DRAWN_H

#include <surety.h>

/* Appends the list of a picture in SVG, drawn with the letters of boxfont.h, in
 * the form of cairo 1.16 or 1.18. What is unknown is a line "unknown". */
void drawn_svg(surety_str svg, surety_buf *out);
/* The same of a PNG: how large it is, and the box of all that is not white. */
void drawn_png(surety_str png, surety_buf *out);

#endif
