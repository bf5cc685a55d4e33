/* SPDX-License-Identifier: Apache-2.0 */
/* One thread with one connection carries out the tasks in their order; that of
 * a caller who steps the gateway, within a step. So a settlement that was given
 * before a reservation is counted in it, and the databases are not asked for
 * more than they do at a time: SQLite has one writer, and in PostgreSQL
 * reservations of one key wait for each other.
 *
 * A settlement that fails is kept, and tried again when the database takes
 * reservations again: the use was real. A reservation that fails is an error of
 * the request. After a failure the keeper is lost until a try of its own
 * succeeds, because meanwhile no request may come that would be one. */
#include "gateway/keeper.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

/* Pause before a database that failed is tried again. */
#define KEEPER_PAUSE_US UINT64_C(1000000)

struct surety__keeper {
    const surety_alloc *alloc;
    surety_keys *keys; /* the thread's */
    pthread_t thread;
    bool is_threaded;
    atomic_bool is_lost; /* the database failed */
    uint64_t again_us;   /* when it is tried again, of the monotonic clock */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    /* Guarded by the lock. */
    surety__ticket *first, **last; /* the queue */
    surety__ticket *late;          /* settlements that failed: it is lost */
    size_t late_count;
    uint64_t dropped;
    bool is_stopping;
};

/* ---- tasks, on the thread ------------------------------------------------ */

/* Overwrites the secret, which is not needed any more. */
static void keeper_forget(surety__ticket *ticket)
{
    volatile char *bytes = ticket->secret;

    for (size_t i = 0; i < sizeof(ticket->secret); i++)
        bytes[i] = 0;
    ticket->secret_len = 0;
}

static void keeper_find(surety__keeper *keeper, surety__ticket *ticket)
{
    const surety_str secret = {ticket->secret, ticket->secret_len};
    const surety_key *key;

    ticket->status = surety_keys_find(
        keeper->keys, secret, surety__serve_clock().unix_ms, &key, NULL);
    keeper_forget(ticket);
    if (ticket->status)
        return;
    assert(key->id.len < sizeof(ticket->key));
    memcpy(ticket->key, key->id.ptr, key->id.len);
    ticket->key_len = key->id.len;
    ticket->is_admin = key->admin;
    ticket->has_money = key->day_picousd || key->month_picousd;
    ticket->has_scope =
        ticket->has_money || key->minute_tokens || key->model_count;
}

static uint64_t keeper_sum(uint64_t first, uint64_t each, uint32_t count)
{
    return count && each > (UINT64_MAX - first) / count ? UINT64_MAX
                                                        : first + each * count;
}

surety__amount surety__demand_of(const surety__demand *demand, uint32_t calls)
{
    const surety__amount *call = &demand->call, *reask = &demand->reask;

    assert(calls > 0);
    return (surety__amount){
        keeper_sum(call->tokens, reask->tokens, calls - 1),
        keeper_sum(call->picousd, reask->picousd, calls - 1)};
}

static const char keeper_no_price[] =
    "the model has no price, so a key with a budget may not use it";
static const char keeper_no_scope[] =
    "what such a request uses is not known, so a key with a budget, a limit of "
    "tokens or a list of models may not send it";

/* Reserves for so many calls. */
static void keeper_reserve_calls(surety__keeper *keeper, surety__ticket *ticket,
                                 uint32_t calls)
{
    const surety__demand *demand = &ticket->demand;
    const surety__amount most = surety__demand_of(demand, calls);
    const surety_estimate estimate = {
        .size = sizeof(estimate),
        .model = {demand->model, demand->model_len},
        .tokens = most.tokens,
        .picousd = most.picousd};
    const surety_str key = {ticket->key, ticket->key_len};

    ticket->calls = calls;
    ticket->status = surety_keys_reserve(keeper->keys, key, &estimate,
                                         surety__serve_clock().unix_ms,
                                         &ticket->grant, NULL);
}

/* Reserves for all calls that the request may need. Where a budget has no room
 * for them, for one: the run then has no other. */
static void keeper_reserve(surety__keeper *keeper, surety__ticket *ticket)
{
    ticket->grant = (surety_grant){.size = sizeof(ticket->grant)};
    if (ticket->has_scope && ticket->demand.is_object) {
        ticket->grant.denial = SURETY_DENIAL_MODEL;
        memcpy(ticket->grant.message, keeper_no_scope, sizeof(keeper_no_scope));
        return;
    }
    if (ticket->has_money && !ticket->demand.is_priced) {
        ticket->grant.denial = SURETY_DENIAL_MODEL;
        memcpy(ticket->grant.message, keeper_no_price, sizeof(keeper_no_price));
        return;
    }
    keeper_reserve_calls(keeper, ticket, ticket->demand.calls);
    if (ticket->status || ticket->demand.calls == 1)
        return;
    switch (ticket->grant.denial) {
    case SURETY_DENIAL_MONTH:
    case SURETY_DENIAL_DAY:
    case SURETY_DENIAL_TOKENS:
        ticket->grant = (surety_grant){.size = sizeof(ticket->grant)};
        keeper_reserve_calls(keeper, ticket, 1);
        break;
    default: break;
    }
}

static void keeper_settle(surety__keeper *keeper, surety__ticket *ticket)
{
    const surety_estimate used = {.size = sizeof(used),
                                  .tokens = ticket->used_tokens,
                                  .picousd = ticket->used_picousd};

    ticket->status =
        surety_keys_settle(keeper->keys, &ticket->grant, &used, NULL);
    if (!ticket->status)
        ticket->grant.id[0] = '\0';
}

static void keeper_lose(surety__keeper *keeper)
{
    atomic_store(&keeper->is_lost, true);
    keeper->again_us = surety__serve_us() + KEEPER_PAUSE_US;
}

static void keeper_work(surety__keeper *keeper, surety__ticket *ticket)
{
    ticket->status = SURETY_OK;
    switch (ticket->task) {
    case TASK_FIND: keeper_find(keeper, ticket); break;
    case TASK_RESERVE: keeper_reserve(keeper, ticket); break;
    case TASK_SETTLE: keeper_settle(keeper, ticket); break;
    }
    if (ticket->status && ticket->status != SURETY_END)
        keeper_lose(keeper);
}

/* ---- the queue, under the lock ------------------------------------------- */

static void keeper_put(surety__keeper *keeper, surety__ticket *ticket)
{
    ticket->next = NULL;
    *keeper->last = ticket;
    keeper->last = &ticket->next;
}

static void keeper_free(surety__ticket *ticket)
{
    keeper_forget(ticket);
    surety__free(ticket->keeper->alloc, ticket, sizeof(*ticket));
}

/* A ticket whose request is gone: settles its reservation, or frees it. */
static void keeper_finish(surety__keeper *keeper, surety__ticket *ticket)
{
    const bool settles = ticket->grant.id[0] != '\0';

    if (settles && ticket->task != TASK_SETTLE) {
        ticket->task = TASK_SETTLE;
        keeper_put(keeper, ticket);
    } else if (settles && !keeper->is_stopping &&
               keeper->late_count < SURETY__LATE_MAX) {
        ticket->next = keeper->late;
        keeper->late = ticket;
        keeper->late_count++;
    } else {
        keeper->dropped += settles;
        keeper_free(ticket);
    }
}

/* Puts the settlements that failed into the queue again. */
static void keeper_retry(surety__keeper *keeper)
{
    while (keeper->late) {
        surety__ticket *ticket = keeper->late;

        keeper->late = ticket->next;
        keeper_put(keeper, ticket);
    }
    keeper->late_count = 0;
}

/* Tries the database that failed, if it is time. */
static void keeper_try(surety__keeper *keeper)
{
    if (!atomic_load(&keeper->is_lost) || surety__serve_us() < keeper->again_us)
        return;
    pthread_mutex_unlock(&keeper->lock);
    if (surety_keys_try(keeper->keys, NULL))
        keeper_lose(keeper);
    else
        atomic_store(&keeper->is_lost, false);
    pthread_mutex_lock(&keeper->lock);
    if (!atomic_load(&keeper->is_lost))
        keeper_retry(keeper);
}

/* Waits for a task, or for the time of the next try. */
static void keeper_wait(surety__keeper *keeper)
{
    const struct timespec until = {
        .tv_sec = (time_t)(keeper->again_us / 1000000),
        .tv_nsec = (long)(keeper->again_us % 1000000) * 1000};

    if (atomic_load(&keeper->is_lost))
        (void)pthread_cond_timedwait(&keeper->wake, &keeper->lock, &until);
    else
        pthread_cond_wait(&keeper->wake, &keeper->lock);
}

/* Carries out the first task of the queue. False: there is none. */
static bool keeper_next(surety__keeper *keeper)
{
    surety__ticket *ticket = keeper->first;

    if (!ticket)
        return false;
    keeper->first = ticket->next;
    if (!keeper->first)
        keeper->last = &keeper->first;
    pthread_mutex_unlock(&keeper->lock);
    keeper_work(keeper, ticket);
    pthread_mutex_lock(&keeper->lock);
    ticket->is_given = false;
    if (ticket->is_left) {
        keeper_finish(keeper, ticket);
    } else {
        atomic_store(&ticket->is_done, true);
        surety__server_wake(ticket->server);
    }
    return true;
}

static void *keeper_run(void *ctx)
{
    surety__keeper *keeper = ctx;

    pthread_mutex_lock(&keeper->lock);
    while (!keeper->is_stopping) {
        keeper_try(keeper);
        if (!keeper->is_stopping && !keeper_next(keeper))
            keeper_wait(keeper);
    }
    pthread_mutex_unlock(&keeper->lock);
    return NULL;
}

bool surety__keeper_step(surety__keeper *keeper)
{
    bool worked = false;

    if (keeper->is_threaded)
        return false;
    pthread_mutex_lock(&keeper->lock);
    keeper_try(keeper);
    while (keeper_next(keeper))
        worked = true;
    pthread_mutex_unlock(&keeper->lock);
    return worked;
}

/* ---- tickets ------------------------------------------------------------- */

surety__ticket *surety__ticket_new(surety__keeper *keeper,
                                   surety__server *server)
{
    surety__ticket *ticket = surety__new(keeper->alloc, sizeof(*ticket));

    if (!ticket)
        return NULL;
    ticket->keeper = keeper;
    ticket->server = server;
    ticket->grant.size = sizeof(ticket->grant);
    return ticket;
}

void surety__ticket_give(surety__ticket *ticket, surety__task task)
{
    surety__keeper *keeper = ticket->keeper;

    assert(!ticket->is_given);
    ticket->task = task;
    ticket->is_given = true;
    atomic_store(&ticket->is_done, false);
    pthread_mutex_lock(&keeper->lock);
    keeper_put(keeper, ticket);
    pthread_cond_signal(&keeper->wake);
    pthread_mutex_unlock(&keeper->lock);
}

void surety__ticket_leave(surety__ticket *ticket)
{
    surety__keeper *keeper = ticket ? ticket->keeper : NULL;

    if (!ticket)
        return;
    pthread_mutex_lock(&keeper->lock);
    ticket->is_left = true;
    if (!ticket->is_given) {
        keeper_finish(keeper, ticket);
        pthread_cond_signal(&keeper->wake);
    }
    pthread_mutex_unlock(&keeper->lock);
}

bool surety__keeper_is_lost(const surety__keeper *keeper)
{
    return atomic_load(&keeper->is_lost);
}

uint64_t surety__keeper_dropped(surety__keeper *keeper)
{
    uint64_t dropped;

    pthread_mutex_lock(&keeper->lock);
    dropped = keeper->dropped;
    pthread_mutex_unlock(&keeper->lock);
    return dropped;
}

/* ---- life ---------------------------------------------------------------- */

/* Starts the thread, which gets no signals. */
static surety_status keeper_start(surety__keeper *keeper, surety_error *reterr)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    keeper->is_threaded =
        pthread_create(&keeper->thread, NULL, keeper_run, keeper) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return keeper->is_threaded
               ? SURETY_OK
               : surety__fail(reterr, SURETY_IO, "a thread cannot start");
}

surety_status surety__keeper_open(surety_str url, bool is_stepped,
                                  const surety_alloc *alloc,
                                  surety__keeper **ret_keeper,
                                  surety_error *reterr)
{
    const surety_keys_options options = {.size = sizeof(options),
                                         .alloc = alloc};
    surety__keeper *keeper = surety__new(alloc, sizeof(*keeper));
    surety_status status;
    pthread_condattr_t clock;

    if (!keeper)
        return surety__fail_nomem(reterr);
    keeper->alloc = alloc;
    keeper->last = &keeper->first;
    pthread_mutex_init(&keeper->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&keeper->wake, &clock);
    pthread_condattr_destroy(&clock);
    status = surety_keys_open(url, &options, &keeper->keys, reterr);
    if (!status && !is_stepped)
        status = keeper_start(keeper, reterr);
    if (status)
        surety__keeper_close(keeper);
    else
        *ret_keeper = keeper;
    return status;
}

void surety__keeper_close(surety__keeper *keeper)
{
    if (!keeper)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->is_stopping = true;
    pthread_cond_signal(&keeper->wake);
    pthread_mutex_unlock(&keeper->lock);
    if (keeper->is_threaded)
        pthread_join(keeper->thread, NULL);
    pthread_mutex_lock(&keeper->lock);
    do
        keeper_retry(keeper);
    while (keeper_next(keeper) || keeper->late);
    pthread_mutex_unlock(&keeper->lock);
    assert(!keeper->first && !keeper->late);
    surety_keys_close(keeper->keys);
    pthread_cond_destroy(&keeper->wake);
    pthread_mutex_destroy(&keeper->lock);
    surety__free(keeper->alloc, keeper, sizeof(*keeper));
}
