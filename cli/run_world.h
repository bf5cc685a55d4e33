/* SPDX-License-Identifier: Apache-2.0 */
/* run_world.h: what surety run has to do with the system it runs on: signals,
 * secrets in memory, a file that exchanges are written to. */
#ifndef CLI_RUN_WORLD_H
#define CLI_RUN_WORLD_H

#include <surety-run.h>

#include "cli.h"

/* From here on the first SIGINT, SIGTERM or SIGHUP is kept, and the second ends
 * the process. */
void signals_catch(void);
/* Not 0 once one was caught: what surety_run_wait watches. */
const volatile int *signals_caught(void);
/* Writes what is left and ends as the caught signal ends a process, so that a
 * shell sees it. Returns where none was caught. */
void signals_raise(struct cli *cli);

/* No core file and no reader of this process's memory while it holds keys.
 * secrets_release: once they are gone. */
void secrets_guard(void);
void secrets_release(void);

/* A file that exchanges are recorded in. */
struct record_file {
    struct cli *cli;
    const char *path;
    int fd; /* -1: none */
    bool has_failed;
};
/* Empties it or makes it, for the user alone. False: said why. */
bool record_file_open(struct record_file *file, struct cli *cli,
                      const char *path);
/* A surety_config_options.record. */
surety_status record_file_write(void *ctx, surety_str line);
void record_file_close(struct record_file *file);

#endif
