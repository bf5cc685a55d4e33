/* SPDX-License-Identifier: Apache-2.0 */
/* output.h: a file descriptor with a buffer, whose writes are all checked.
 * Every function that appends to a surety_buf can write to it. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <surety/base.h>

struct output {
    int fd;
    int error; /* errno of the first write that failed; nothing is written after
                * it. EPIPE: the reader closed the pipe */
    surety_buf buf;
};

void output_init(struct output *output, int fd);
/* Writes the buffer out; false after a failure, which is kept. */
bool output_flush(struct output *output);
/* Writes the buffer out, and then text, which is not buffered. */
bool output_write(struct output *output, surety_str text);
/* Writes the buffer out if it is large enough to be worth a system call. */
bool output_pace(struct output *output);
/* Appends text, made safe if the output is a terminal, and a line feed if there
 * is none at its end; line feeds and tabs stay. */
void output_text(struct output *output, surety_str text);
/* If the output is a terminal, makes the JSON in its buffer from `start` on
 * safe; the value stays the same. */
void output_json(struct output *output, size_t start);
/* Flushes and closes; some file systems report a full disk only on close. */
bool output_close(struct output *output);

#endif
