/* SPDX-License-Identifier: Apache-2.0 */
/* run_world.h: what surety run has to do with the system it runs on: signals,
 * secrets in memory, a file that exchanges are written to. */
#ifndef CLI_RUN_WORLD_H
#define CLI_RUN_WORLD_H

#include <sys/types.h>

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
    int fd;    /* -1: none */
    int error; /* of the first write that failed; after it nothing is written */
    off_t len; /* of the whole lines */
};
/* Empties it or makes it, for the user alone, and sees that it takes bytes: a
 * full disk is found before anything is spent. False: said why. */
bool record_file_open(struct record_file *file, struct cli *cli,
                      const char *path);
/* A surety_config_options.record. It always gives SURETY_OK: the answer that is
 * on its way is worth more than the record of it. */
surety_status record_file_write(void *ctx, surety_str line);
/* Says what failed, which is for the time when the value is out. */
void record_file_close(struct record_file *file);

#endif
