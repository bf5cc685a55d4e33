/* SPDX-License-Identifier: Apache-2.0 */
/* What trend.c has from trend-iteration.c. */
#ifndef TREND_H
#define TREND_H

#include <surety-run.h>

/* Reads the tools of a file. */
surety_status trend_tools(const char *path, surety_tools **ret_tools,
                          surety_error *err);

/* Appends text, and a member of derived as JSON. */
void trend_put(surety_buf *out, const char *text, surety_val derived,
               const char *name);

/* Makes one iteration, in the phase of `next`, and appends its report. *run is
 * its run, until it has ended. */
surety_status trend_iterate(const surety_run_options *options, surety_run **run,
                            surety_val next, surety_buf *reports,
                            surety_error *err);

/* A validator, whose ctx is a surety_run **: the actions of a reply must be
 * calls that the run made. */
surety_status trend_confirm(void *ctx, const surety_validation *validation,
                            surety_error *err);

#endif
