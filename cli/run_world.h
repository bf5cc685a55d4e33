/* SPDX-License-Identifier: Apache-2.0 */
/* run_world.h: the system's part of surety run: signals, secrets in memory, and
 * a file for recorded exchanges. */
#ifndef CLI_RUN_WORLD_H
#define CLI_RUN_WORLD_H

#include <sys/types.h>

#include <surety-run.h>

#include "cli.h"

/* From now on the first SIGINT, SIGTERM or SIGHUP is only stored, and the
 * second one ends the process. */
void signals_catch(void);
/* Returns the flag for surety_run_wait, which is not 0 after a signal was
 * caught. */
const volatile int *signals_caught(void);
/* Sets the flag without a signal: the run ends, and the process goes on. */
void signals_stop(void);
/* If a signal was caught, flushes the output and ends the process by that
 * signal, so that a shell sees it. Returns if none was caught. */
void signals_raise(struct cli *cli);

/* Forbids core files and reading of this process's memory by other processes
 * while it has keys. Call secrets_release when the keys are wiped. */
void secrets_guard(void);
void secrets_release(void);

/* A file for recorded exchanges. */
struct record_file {
    struct cli *cli;
    const char *path;
    int fd;        /* -1: none */
    int error;     /* errno of the first write that failed; after it nothing is
                    * written */
    off_t len;     /* length of the complete lines */
    bool is_empty; /* what the file had is gone */
};
/* Opens or creates the file, accessible only to the user, and tests that it
 * accepts bytes, so that a full disk is found before any money is spent. What
 * it has stays until something is written. False: the message is written. */
bool record_file_open(struct record_file *file, struct cli *cli,
                      const char *path);
/* Empties the file: the run begins. */
void record_file_empty(struct record_file *file);
/* For the member record of surety_config_options. Always returns SURETY_OK,
 * because the answer is more important than its record. */
surety_status record_file_write(void *ctx, surety_str line);
/* Closes the file, and reports a failed write. Call it after the value was
 * written. */
void record_file_close(struct record_file *file);

#endif
