/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of the child process that runs jq: start, send, receive, stop.
 * Inner header of contract/. */
#ifndef SURETY_CONTRACT_RULES_WORKER_H
#define SURETY_CONTRACT_RULES_WORKER_H

#include <sys/types.h>

#include "contract/contract.h"

/* The head of a message in both directions; `size` bytes follow. Parent and
 * child are the same program, so the struct is sent as it is in memory. */
typedef struct surety__packet {
    uint32_t kind;
    uint32_t size;
} surety__packet;

enum surety__packet_kind {
    FRAME_CHECK = 1, /* to the worker: a value's JSON; evaluate the rules */
    FRAME_DERIVE,    /* to the worker: the same; evaluate the derived members */
    FRAME_READY,     /* from the worker: the programs compiled */
    FRAME_WRONG,     /* they did not: uint32_t program number, message */
    FRAME_OUTPUT,    /* the JSON output of one program */
    FRAME_DONE,      /* all outputs were sent */
    FRAME_DEEP       /* the value is too deep or too long for jq */
};

/* Memory shared with the worker. The worker writes the outputs of one
 * evaluation there, as messages. So the parent is not woken for each, and still
 * knows the outputs that were ready when the time ran out. */
typedef struct surety__board surety__board;

/* A worker. All zero: there is none. */
typedef struct surety__worker {
    pid_t pid;
    pid_t owner; /* the process that started it; a fork of that owns nothing */
    int socket;
    bool ready; /* its programs have compiled */
    surety__board *board;
    uint32_t seen; /* bytes of the board that the parent has read */
    /* The message that arrived on the socket, or the failure to receive it,
     * while the board still has messages that come before it. */
    bool held;
    surety_status held_status;
    surety__packet held_frame;
} surety__worker;

/* Starts a worker, which compiles the contract's programs. Fails with
 * SURETY_IO. */
surety_status surety__worker_start(surety__worker *worker,
                                   const surety_contract *contract,
                                   surety_error *reterr);
/* Ends the worker at once, in any state, and clears it. */
void surety__worker_stop(surety__worker *worker);
/* Returns whether there is a worker, this process owns it, and it is idle. */
bool surety__worker_idle(const surety__worker *worker);

/* Sends a whole message, its head included. deadline_ms: on the monotonic
 * clock. Fails with SURETY_TIMEOUT, or SURETY_IO when the worker is gone; then
 * call surety__worker_bury for the reason. */
surety_status surety__worker_send(surety__worker *worker, surety_str message,
                                  uint64_t deadline_ms);
/* Receives one message into buf, which it empties first. Fails as
 * surety__worker_send does, and with SURETY_NOMEM. */
surety_status surety__worker_receive(surety__worker *worker,
                                     uint64_t deadline_ms, uint32_t *ret_kind,
                                     surety_buf *buf);
/* Reaps a worker that is gone. Returns why it ended: SURETY_LIMIT (its memory),
 * SURETY_TIMEOUT (its processor time), SURETY_IO (anything else). */
surety_status surety__worker_bury(surety__worker *worker);

uint64_t surety__worker_clock_ms(void);

/* Writes the jq program of all programs of the contract (only is SIZE_MAX), or
 * of the program numbered `only`. Rules are numbered first, then derived
 * members. (rules.c) */
void surety__rules_program(const surety_contract *contract, size_t only,
                           surety_buf *out);
/* Returns the number of programs of the contract. */
size_t surety__rules_count(const surety_contract *contract);

#endif
