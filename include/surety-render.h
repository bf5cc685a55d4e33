/* SPDX-License-Identifier: Apache-2.0 */
/* surety-render.h: all headers of libsurety-render: charts and tables that a
 * value asks for, and pictures of libsurety-run's statistics. */
#ifndef SURETY_RENDER_ALL_H
#define SURETY_RENDER_ALL_H

#include <surety-run.h>
#include <surety/render.h>

#endif
