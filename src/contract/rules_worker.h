/* SPDX-License-Identifier: Apache-2.0 */
/* The child process that runs jq, as its parent sees it: start, send, receive,
 * stop. Inner header of contract/. */
#ifndef SURETY_CONTRACT_RULES_WORKER_H
#define SURETY_CONTRACT_RULES_WORKER_H

#include <sys/types.h>

#include "contract/contract.h"

/* The head of a message, both ways; `size` bytes follow. The two ends are one
 * program, so its bytes in memory are sent. */
typedef struct surety__packet {
    uint32_t kind;
    uint32_t size;
} surety__packet;

enum surety__packet_kind {
    FRAME_CHECK = 1, /* to the worker: a value's JSON; evaluate the rules */
    FRAME_DERIVE,    /* likewise the derived members */
    FRAME_READY,     /* from it: the programs compiled */
    FRAME_WRONG,     /* they did not: uint32_t of the program, then why */
    FRAME_OUTPUT,    /* the JSON that one program gave */
    FRAME_DONE,      /* all have */
    FRAME_DEEP       /* the value is beyond what jq reads */
};

/* Memory shared with the worker, to which it writes the outputs of one
 * evaluation as they come, as messages: the parent is not woken for each, and
 * still knows which there were when the time was up. */
typedef struct surety__board surety__board;

/* All zero: none. */
typedef struct surety__worker {
    pid_t pid;
    pid_t owner; /* the process that started it; a fork of it owns nothing */
    int socket;
    bool ready; /* its programs are known to have compiled */
    surety__board *board;
    uint32_t seen; /* bytes of the board that were read */
    /* What came by the socket, or how that failed, while the board still has
     * messages that come before it. */
    bool held;
    surety_status held_status;
    surety__packet held_frame;
} surety__worker;

/* Starts a worker that compiles the contract's programs. SURETY_IO. */
surety_status surety__worker_start(surety__worker *worker,
                                   const surety_contract *contract,
                                   surety_error *reterr);
/* Ends it at once, whatever it is doing, and forgets it. */
void surety__worker_stop(surety__worker *worker);
/* Whether it is there, ours, and silent, as an idle worker is. */
bool surety__worker_idle(const surety__worker *worker);

/* message: a whole one, its head included. deadline: milliseconds of the
 * monotonic clock. SURETY_TIMEOUT, or SURETY_IO where the worker is gone: then
 * _bury says why. */
surety_status surety__worker_send(surety__worker *worker, surety_str message,
                                  uint64_t deadline_ms);
/* Receives one message into buf, emptied first. */
surety_status surety__worker_receive(surety__worker *worker,
                                     uint64_t deadline_ms, uint32_t *ret_kind,
                                     surety_buf *buf);
/* Reaps a worker that is gone and tells what it died of: SURETY_LIMIT (its
 * memory), SURETY_TIMEOUT (its processor time), SURETY_IO (anything else). */
surety_status surety__worker_bury(surety__worker *worker);

uint64_t surety__worker_clock_ms(void);

/* The jq program for every program of the contract, or for the one numbered
 * `only` alone; SIZE_MAX: all. Rules are numbered first, then derived members.
 * (rules.c) */
void surety__rules_program(const surety_contract *contract, size_t only,
                           surety_buf *out);
/* How many programs the contract has. */
size_t surety__rules_count(const surety_contract *contract);

#endif
