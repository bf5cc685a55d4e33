/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h: check --stream: judges one reply while it arrives. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "session.h"

/* Reads the reply from one file, or from standard input if there is none, as it
 * arrives. Writes each new partial value and at last the value to out, and the
 * report to err. */
void stream_run(struct session *session, const struct operands *files);

#endif
