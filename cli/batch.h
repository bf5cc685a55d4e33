/* SPDX-License-Identifier: Apache-2.0 */
/* batch.h: the filter of --jsonl: one record a line in, one report a line out,
 * in the same order. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "session.h"

/* Judges every record of the files, or of standard input where there is none,
 * writes the reports to out, and progress and the summary to err. */
void batch_run(struct session *session, const struct operands *files);

#endif
