/* SPDX-License-Identifier: Apache-2.0 */
/* batch.h: the filter of --jsonl: reads one record a line and writes one report
 * a line, in the same order. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "session.h"

/* Judges every record of the files, or of standard input if there are none.
 * Writes the reports to out, and the progress and the summary to err. */
void batch_run(struct session *session, const struct operands *files);

#endif
