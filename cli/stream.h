/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h: check --stream, one reply judged while it is being written. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "session.h"

/* Reads the reply of the one file, or of standard input where there is none,
 * as it comes; writes each new partial value to out, the last of which is the
 * value, and the report to err. */
void stream_run(struct session *session, const struct operands *files);

#endif
