/* SPDX-License-Identifier: Apache-2.0 */
/* The keeper: a thread that asks the database of keys, so that no loop waits
 * for a disk or a server; or a stepped gateway, which starts no thread. A
 * request has a ticket. It hands it to the keeper with a task, and its worker
 * is woken when the task is done. */
#ifndef SURETY_GATEWAY_KEEPER_H
#define SURETY_GATEWAY_KEEPER_H

#include <stdatomic.h>

#include <surety/keys.h>

#include "base/base.h"
#include "serve/serve.h"

/* Longest text that is looked for as a key; ours have 53 bytes. */
#define SURETY__SECRET_MAX 64
/* Longest name of a model that is compared with those of a key. */
#define SURETY__DEMAND_MODEL_MAX 256
/* Settlements that wait for a database which failed. Each is about 300 bytes;
 * further ones lapse. */
#define SURETY__LATE_MAX 100000

typedef struct surety__keeper surety__keeper;

/* What a ticket asks for. */
typedef enum surety__task {
    TASK_FIND = 0, /* the key of the secret */
    TASK_RESERVE,
    TASK_SETTLE
} surety__task;

/* What calls use. */
typedef struct surety__amount {
    uint64_t tokens, picousd;
} surety__amount;

/* What a request may use, at most. */
typedef struct surety__demand {
    char model[SURETY__DEMAND_MODEL_MAX]; /* as the client named it */
    size_t model_len;
    surety__amount call;  /* of the first call */
    surety__amount reask; /* of each further one */
    uint32_t calls;
    bool is_priced; /* the model's price is known */
    bool is_object; /* it asks no model: its cost is not known */
} surety__demand;

/* A request's dealings with the keeper. Between surety__ticket_give and
 * is_done it is the keeper's. */
typedef struct surety__ticket {
    struct surety__ticket *next;
    surety__keeper *keeper;
    surety__server *server; /* to be woken */
    surety__task task;
    atomic_bool is_done;
    bool is_given; /* a task is under way, or waits */
    bool is_left;  /* the request is gone: the keeper settles and frees it */
    char secret[SURETY__SECRET_MAX];
    size_t secret_len;
    char key[32]; /* the id of the key that was found */
    size_t key_len;
    bool is_admin, has_money; /* a budget of the key is in dollars */
    bool has_scope; /* models, tokens or dollars of the key are limited */
    surety__demand demand;
    uint32_t calls; /* for which was reserved */
    surety_grant grant;
    uint64_t used_tokens, used_picousd;
    surety_status status; /* of the task */
} surety__ticket;

/* Of so many calls. What overflows is more than any limit. */
surety__amount surety__demand_of(const surety__demand *demand, uint32_t calls);

/* Opens the keys in the database at url, and starts the thread, or is stepped.
 * Statuses as surety_keys_open; SURETY_IO: no thread can start. */
surety_status surety__keeper_open(surety_str url, bool is_stepped,
                                  const surety_alloc *alloc,
                                  surety__keeper **ret_keeper,
                                  surety_error *reterr);
/* Carries out the tasks that there are, where no thread does. Returns whether
 * there were some. */
bool surety__keeper_step(surety__keeper *keeper);
/* Ends the thread when all tasks are done. Takes NULL. */
void surety__keeper_close(surety__keeper *keeper);
/* NULL: out of memory. */
surety__ticket *surety__ticket_new(surety__keeper *keeper,
                                   surety__server *server);
/* Hands a task over. */
void surety__ticket_give(surety__ticket *ticket, surety__task task);
/* The request needs the ticket no longer. What is still reserved is settled
 * with used_tokens and used_picousd. Takes NULL. */
void surety__ticket_leave(surety__ticket *ticket);
/* Whether the database failed, and could not be asked since. It is tried again
 * every second. */
bool surety__keeper_is_lost(const surety__keeper *keeper);
/* Settlements that were given up. */
uint64_t surety__keeper_dropped(surety__keeper *keeper);

#endif
