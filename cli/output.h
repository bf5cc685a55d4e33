/* SPDX-License-Identifier: Apache-2.0 */
/* output.h: a file descriptor with a buffer in front of it, every write
 * checked. Anything that appends to a surety_buf writes to it. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <surety/base.h>

struct output {
    int fd;
    int error; /* errno of the first write that failed; nothing is written
                * after it. EPIPE: the reader has gone */
    surety_buf buf;
};

void output_init(struct output *output, int fd);
/* Writes out what is buffered; false after a failure, which is kept. */
bool output_flush(struct output *output);
/* Writes what is gathered, and then text without gathering it. */
bool output_write(struct output *output, surety_str text);
/* The same once there is enough to be worth a call. */
bool output_pace(struct output *output);
/* Flushes and closes; some file systems tell a full disk only here. */
bool output_close(struct output *output);

#endif
