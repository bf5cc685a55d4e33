/* SPDX-License-Identifier: Apache-2.0 */
/* surety-render.h: the whole of libsurety-render: the charts and tables that a
 * value asks for, and pictures of the statistics of libsurety-run. */
#ifndef SURETY_RENDER_ALL_H
#define SURETY_RENDER_ALL_H

#include <surety-run.h>
#include <surety/render.h>

#endif
