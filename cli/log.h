/* SPDX-License-Identifier: Apache-2.0 */
/* log.h: a file to which a server appends a line for each request. It outlives
 * a full disk: a line that cannot be written is lost, and the next one is
 * written where there is room again. */
#ifndef CLI_LOG_H
#define CLI_LOG_H

#include <sys/types.h>

#include "cli.h"

struct log_file {
    const char *path;
    int fd;      /* -1: there is none */
    int error;   /* errno of the last write that failed; 0: none did */
    bool is_cut; /* the file ends within a line */
    surety_buf buf;
};

/* Opens the file at path, which is made with that mode; path NULL: there is no
 * log. False: it cannot be opened, which was reported. */
bool log_open(struct log_file *log, const char *path, mode_t mode,
              struct cli *cli);
/* Appends the line; ctx: the log. One thread at a time. */
void log_line(void *ctx, surety_str line);
/* Closes it, and reports lines that were lost. */
void log_close(struct log_file *log, struct cli *cli);

#endif
