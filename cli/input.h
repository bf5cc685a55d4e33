/* SPDX-License-Identifier: Apache-2.0 */
/* input.h: files and standard input, whole or line by line. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <surety/base.h>

/* "-" is standard input, "stdin" in messages. */
const char *input_name(const char *path);

/* How many bytes a file may have, and the limit that says so; NULL: none that
 * can be raised. */
struct input_bound {
    size_t max;
    const char *limit;
};
/* Those of a text, and of a schema or a contract, of limits. */
struct input_bound input_text(const surety_limits *limits);
struct input_bound input_schema(const surety_limits *limits);

/* Reads a whole file; the caller frees text->ptr with free(). SURETY_IO: cannot
 * be read, a folder; SURETY_LIMIT: larger than the bound; SURETY_NOMEM. */
surety_status input_read(const char *path, struct input_bound bound,
                         surety_str *ret_text, surety_error *reterr);
/* That a line is longer than the limit text_bytes_max. */
void input_overlong(size_t max, surety_error *reterr);

/* Opens for reading; -1 with reterr SURETY_IO. Folders are refused. Close it
 * with input_close, which leaves standard input alone. */
int input_open(const char *path, surety_error *reterr);
void input_close(int fd);
/* Reads what has come, at most len bytes, and waits only where nothing has.
 * *ret_got is 0 at the end. SURETY_IO. */
surety_status input_take(int fd, const char *path, char *ptr, size_t len,
                         size_t *ret_got, surety_error *reterr);
/* The bytes that are still to be read of a regular file; 0: it is none. */
uint64_t input_left(int fd);
/* Whether a read would not wait: there is more, or the end. */
bool input_is_ready(int fd);

/* Some whole lines of a stream, each with its line feed but perhaps the last
 * of the stream. */
struct batch_text {
    char *ptr;
    size_t len, cap;
    bool is_overlong; /* one line beyond the limit, cut there; no line feed */
    uint64_t line;    /* the number of the first, from 1 on */
    uint64_t bytes;   /* of the stream that were taken up to its end */
};
/* An empty one, with memory for a batch if there is any: what threads would
 * else take of their own. */
void batch_text_init(struct batch_text *text);
void batch_text_done(struct batch_text *text);

struct lines {
    int fd;
    const char *path;
    size_t line_max; /* bytes of one line */
    char *rest;      /* the start of a line whose end is not read yet */
    size_t rest_len, rest_cap;
    bool is_skipping; /* inside a line beyond the limit */
    bool is_started;
    uint64_t line;  /* those that were given out */
    uint64_t bytes; /* that were read */
};

/* path is for messages and must stay. */
void lines_init(struct lines *lines, int fd, const char *path, size_t line_max);
void lines_done(struct lines *lines);
/* Gives the lines that are there, as many as fit a batch, waiting only for the
 * first; SURETY_END: none is left. SURETY_IO, SURETY_NOMEM. */
surety_status lines_read(struct lines *lines, struct batch_text *text,
                         surety_error *reterr);

#endif
