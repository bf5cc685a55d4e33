/* SPDX-License-Identifier: Apache-2.0 */
/* process.h: processes of other programs, each with three pipes and in a group
 * of its own. No function blocks. The transports exec and mcp use it. */
#ifndef SURETY_PROVIDER_PROCESS_H
#define SURETY_PROVIDER_PROCESS_H

#include <signal.h>
#include <sys/types.h>

#include <surety/provider.h>

#include "base/base.h"

enum {
    PROCESS_PIPES = 3,
    PROCESS_LOOK_MS = 50, /* interval to check a silent process */
    PROCESS_SOON_MS = 4,  /* and one that is about to end */
    PROCESS_TAIL = 2048   /* bytes kept of standard error */
};

/* The names of environment variables that a process inherits where they are
 * set, besides those that every process gets. */
typedef struct surety__variables {
    surety_str *names;
    size_t count;
} surety__variables;
/* Copies names into arena. SURETY_MISUSE: a name is empty, or has "=" or a
 * NUL. */
surety_status surety__variables_take(surety__arena *arena,
                                     const surety_str *names, size_t count,
                                     surety__variables *ret_variables,
                                     surety_error *reterr);
/* The variables that a process gets, in a vector in arena with NULL at the end.
 * The texts belong to this program's environment. NULL: out of memory. */
char **surety__variables_pass(const surety__variables *variables,
                              surety__arena *arena);

/* Reads a command, ["COMMAND", "TEXT", ...], into a vector in arena with NULL
 * at the end. SURETY_MISUSE: it is not such a JSON text; SURETY_NOMEM. */
surety_status surety__arguments_read(surety_str json, surety__arena *arena,
                                     const char ***ret_arguments,
                                     surety_error *reterr);

typedef struct surety__process {
    pid_t pid;                /* 0: not started */
    int pipes[PROCESS_PIPES]; /* this program's ends; -1: closed */
    uint64_t kill_ms;         /* when SIGKILL is due */
    bool exited;              /* it ended, and is not waited for yet */
    bool gone;                /* other code of the program waited for it */
    siginfo_t how;
    size_t tail_len;
    char tail[PROCESS_TAIL]; /* the end of standard error */
} surety__process;

/* Starts arguments[0], which PATH is searched for if it has no slash. Both
 * vectors have NULL at the end. Returns 0 or an errno; the process is then not
 * started, and needs no end. */
int surety__process_start(surety__process *process, const char **arguments,
                          char **environment);

/* Writes the beginning of *rest to standard input, and takes it off. True: the
 * pipe is full, so the rest is for later. False: all is written; or the process
 * does not read any more, and *rest is not empty. */
bool surety__process_write(surety__process *process, surety_str *rest);
/* Reads standard output. 0: nothing is there now, or it is closed. */
size_t surety__process_read(surety__process *process, char *bytes, size_t size);
/* Reads standard error and keeps its end. */
void surety__process_read_error(surety__process *process);
void surety__process_close_pipe(surety__process *process, int i);

/* Whether it has ended. It is not waited for. */
bool surety__process_look(surety__process *process);
/* How an ended process ended, which the message calls by noun ("command"):
 * COMMAND with the end of its standard error, or NONE for status 0. */
surety_delivery surety__process_outcome(const surety__process *process,
                                        const char *noun);

/* Asks its group to end: SIGTERM. SIGKILL is due half a second later. */
void surety__process_stop(surety__process *process);
/* If the process has ended: kills the rest of its group, waits for it, closes
 * its pipes, and returns true. If not: sends SIGKILL when it is due. */
bool surety__process_end(surety__process *process, uint64_t now_ms);

#endif
