/* SPDX-License-Identifier: Apache-2.0 */
/* input.h: reads files and standard input, whole or line by line. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <surety/base.h>

/* Returns the name of path for messages: "stdin" for "-", which is standard
 * input. */
const char *input_name(const char *path);

/* The most bytes that a file may have, and the name of the limit; NULL: the
 * user cannot raise it. */
struct input_bound {
    size_t max;
    const char *limit;
};
/* The bounds of a text, and of a schema or a contract, from limits. */
struct input_bound input_text(const surety_limits *limits);
struct input_bound input_schema(const surety_limits *limits);

/* Reads a whole file; the caller frees ret_text->ptr with free(). SURETY_IO: it
 * cannot be read or is a folder; SURETY_LIMIT: it is larger than bound;
 * SURETY_NOMEM. */
surety_status input_read(const char *path, struct input_bound bound,
                         surety_str *ret_text, surety_error *reterr);
/* Sets the error that a line is longer than the limit text_bytes_max. */
void input_overlong(size_t max, surety_error *reterr);

/* Opens a file for reading and returns its descriptor; -1: reterr has
 * SURETY_IO. Folders are refused. Close it with input_close, which does not
 * close standard input. */
int input_open(const char *path, surety_error *reterr);
void input_close(int fd);
/* Reads the bytes that are available, at most len; waits only if there are
 * none. *ret_got is 0 at the end. SURETY_IO. */
surety_status input_take(int fd, const char *path, char *ptr, size_t len,
                         size_t *ret_got, surety_error *reterr);
/* Returns the bytes that remain to be read; 0: it is no regular file. */
uint64_t input_left(int fd);
/* Returns whether a read would return at once, with bytes or the end. */
bool input_is_ready(int fd);

/* Some whole lines of a stream. Each ends with a line feed, except perhaps the
 * last line of the stream. */
struct batch_text {
    char *ptr;
    size_t len, cap;
    bool is_overlong; /* one line beyond the limit, cut off there, without line
                       * feed */
    uint64_t line;    /* number of the first line, from 1 */
    uint64_t bytes;   /* bytes of the stream up to the end of this batch */
};
/* Makes an empty batch, and allocates memory for it if possible: otherwise each
 * thread would take it from an arena of its own. */
void batch_text_init(struct batch_text *text);
void batch_text_done(struct batch_text *text);

struct lines {
    int fd;
    const char *path;
    size_t line_max; /* most bytes of one line */
    char *rest;      /* beginning of a line whose end was not read yet */
    size_t rest_len, rest_cap;
    bool is_skipping; /* skipping the rest of a line beyond the limit */
    bool is_started;
    uint64_t line;  /* lines that were given out */
    uint64_t bytes; /* bytes that were read */
};

/* path is used in messages and must outlive lines. */
void lines_init(struct lines *lines, int fd, const char *path, size_t line_max);
void lines_done(struct lines *lines);
/* Gives the lines that are available, as many as fit in a batch; waits only for
 * the first. SURETY_END: there are no more lines. SURETY_IO, SURETY_NOMEM. */
surety_status lines_read(struct lines *lines, struct batch_text *text,
                         surety_error *reterr);

#endif
