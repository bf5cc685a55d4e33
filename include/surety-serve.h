/* SPDX-License-Identifier: Apache-2.0 */
/* surety-serve.h: all headers of libsurety-serve, which uses libsurety-run: a
 * gateway in front of models, and a model server that answers from a script, to
 * test other programs. */
#ifndef SURETY_SERVE_ALL_H
#define SURETY_SERVE_ALL_H

#include <surety-run.h>
#include <surety/mock.h>
#include <surety/serve.h>

#endif
