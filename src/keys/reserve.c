/* SPDX-License-Identifier: Apache-2.0 */
/* Reservations. The law: what was settled of a budget and what is reserved of
 * it, with the new estimate, is at most the budget, or the request is denied.
 *
 * All of a reservation is one transaction, in which the key is locked: so two
 * processes never count the same rest of a budget. A key's limits never change,
 * so they may be read before that. In PostgreSQL the lock is an advisory one: a
 * locked row is a write, for which the commit would wait. Where it is repeated,
 * and the reservation is there already, the first transaction was carried out.
 * A denial writes nothing, so a client that is denied costs no sync of a disk.
 *
 * A reservation that lapsed holds nothing any more. It is kept for a day, so
 * that a request that took longer than that is counted when it is settled.
 *
 * The checks stand in the order of how long a denial lasts: a client that waits
 * as it is told is not denied for another reason then. */
#include "keys/keys.h"

#include <surety/provider.h>

#define RESERVE_WINDOW 60
#define RESERVE_KEPT_MS 86400000
/* At most so often rows of the past are deleted. */
#define RESERVE_TRIM_MS 60000
/* A request that waits for another one to end. */
#define RESERVE_AT_ONCE_MS 1000
/* How exactly the last use of a key is kept. */
#define RESERVE_USED_MS 60000
#define RESERVE_AMOUNT_MAX (INT64_MAX / 4)

/* What the database has on a key. */
typedef struct reserve_state {
    bool is_there;
    bool may_model;
    int64_t expires_ms, revoked_ms, used_ms;
    surety_key limits; /* without texts */
    char name[64];     /* shortened */
    int64_t held, held_day, held_month;
    int64_t spent_day, spent_month;
    struct {
        int64_t second, requests, tokens;
    } seconds[RESERVE_WINDOW + 1];
    size_t second_count;
} reserve_state;

typedef struct reserve_task {
    surety_keys *keys;
    surety_str key;
    surety_str model;
    int64_t tokens, picousd;
    int64_t now_ms, second;
    surety__periods periods;
    surety_grant *grant;
    reserve_state state;
    int tries;
} reserve_task;

/* ORDER denials (surety/keys.h). */
static const char *const reserve_names[] = {
    "none", "key", "model", "month", "day", "requests", "tokens", "at-once"};

const char *surety_denial_name(surety_denial denial)
{
    const size_t i = (size_t)denial;

    return i <= SURETY_DENIAL_AT_ONCE ? reserve_names[i] : "unknown";
}

static int64_t reserve_amount(uint64_t amount)
{
    return amount > RESERVE_AMOUNT_MAX ? RESERVE_AMOUNT_MAX : (int64_t)amount;
}

/* ---- what the database has ----------------------------------------------- */

/* Whether one of the lines of models allows the model; no line allows all. */
static bool reserve_allows(surety_str models, surety_str model)
{
    if (!models.len)
        return true;
    while (models.len) {
        surety_str line = models;

        line.len = surety__str_find(models, SURETY__LITERAL("\n"));
        surety__str_skip(&models,
                         line.len < models.len ? line.len + 1 : line.len);
        if (line.len && line.ptr[line.len - 1] == '*') {
            line.len--;
            if (surety__str_starts(model, line))
                return true;
        } else if (surety_str_equal(line, model)) {
            return true;
        }
    }
    return false;
}

/* Takes the columns of STATEMENTS_COLUMNS (keys/statements.c). */
static bool reserve_take_key(void *ctx, const surety__cell *cells)
{
    reserve_task *task = ctx;
    reserve_state *state = &task->state;
    surety_key *limits = &state->limits;
    uint64_t *const to[] = {&limits->minute_requests, &limits->minute_tokens,
                            &limits->at_once_max, &limits->day_picousd,
                            &limits->month_picousd};
    surety_buf name = surety__buf_over(state->name, sizeof(state->name) - 1);

    state->is_there = true;
    surety__buf_line(&name, cells[1].text, sizeof(state->name) - 8);
    state->name[name.len] = '\0';
    state->may_model = reserve_allows(cells[3].text, task->model);
    for (size_t i = 0; i < 5; i++)
        *to[i] = cells[4 + i].kind == CELL_INT && cells[4 + i].number > 0
                     ? (uint64_t)cells[4 + i].number
                     : 0;
    state->expires_ms = cells[10].kind == CELL_INT ? cells[10].number : 0;
    state->revoked_ms = cells[11].kind == CELL_INT ? cells[11].number : 0;
    state->used_ms = cells[12].kind == CELL_INT ? cells[12].number : 0;
    return true;
}

static bool reserve_take_held(void *ctx, const surety__cell *cells)
{
    reserve_state *state = ctx;

    state->held = cells[0].number;
    state->held_day = cells[1].number;
    state->held_month = cells[2].number;
    return true;
}

static bool reserve_take_spent(void *ctx, const surety__cell *cells)
{
    reserve_task *task = ctx;

    if (cells[0].number == task->periods.day)
        task->state.spent_day = cells[1].number;
    else
        task->state.spent_month = cells[1].number;
    return true;
}

static bool reserve_take_second(void *ctx, const surety__cell *cells)
{
    reserve_state *state = ctx;
    const size_t i = state->second_count;

    assert(i <= RESERVE_WINDOW);
    state->seconds[i].second = cells[0].number;
    state->seconds[i].requests = cells[1].number;
    state->seconds[i].tokens = cells[2].number;
    state->second_count++;
    return state->second_count <= RESERVE_WINDOW;
}

static bool reserve_has_limit(const surety_key *key)
{
    return key->minute_requests || key->minute_tokens || key->at_once_max ||
           key->day_picousd || key->month_picousd;
}

/* Reads what the key's limits need. */
static surety_status reserve_read(reserve_task *task, surety_error *reterr)
{
    const surety_key *limits = &task->state.limits;
    const surety__cell key = surety__cell_text(task->key);
    const surety__cell held[] = {surety__cell_number(task->periods.day),
                                 surety__cell_number(task->periods.month), key,
                                 surety__cell_number(task->now_ms)};
    const surety__cell spent[] = {key, surety__cell_number(task->periods.day),
                                  surety__cell_number(task->periods.month)};
    /* A second that is to come, where the clock was set back, counts for a
     * minute at most. */
    const surety__cell seconds[] = {
        key, surety__cell_number(task->second - RESERVE_WINDOW),
        surety__cell_number(task->second + RESERVE_WINDOW)};
    surety_status status = SURETY_OK;

    if (limits->at_once_max || limits->day_picousd || limits->month_picousd)
        status =
            surety__keys_run(task->keys,
                             (surety__query){KEYS_RESERVED, held, 4,
                                             reserve_take_held, &task->state},
                             NULL, reterr);
    if (!status && (limits->day_picousd || limits->month_picousd))
        status = surety__keys_run(
            task->keys,
            (surety__query){KEYS_SPENT, spent, 3, reserve_take_spent, task},
            NULL, reterr);
    if (!status && (limits->minute_requests || limits->minute_tokens))
        status =
            surety__keys_run(task->keys,
                             (surety__query){KEYS_SECONDS, seconds, 3,
                                             reserve_take_second, &task->state},
                             NULL, reterr);
    return status;
}

/* ---- the decision -------------------------------------------------------- */

static void reserve_deny(const reserve_task *task, surety_denial denial,
                         int64_t until_ms, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void reserve_deny(const reserve_task *task, surety_denial denial,
                         int64_t until_ms, const char *format, ...)
{
    surety_grant *grant = task->grant;
    surety_error text;
    va_list arguments;
    size_t len;

    grant->denial = denial;
    grant->retry_after_ms =
        until_ms > task->now_ms ? (uint64_t)(until_ms - task->now_ms) : 0;
    va_start(arguments, format);
    (void)surety__failv(&text, SURETY_LIMIT, format, arguments);
    va_end(arguments);
    len = surety__utf8_cut(surety_str_of(text.message),
                           sizeof(grant->message) - 1);
    memcpy(grant->message, text.message, len);
    grant->message[len] = '\0';
}

/* Checks one budget. True: denied. */
static bool reserve_check_budget(const reserve_task *task, surety_denial denial,
                                 uint64_t budget, int64_t spent, int64_t held)
{
    const bool is_day = denial == SURETY_DENIAL_DAY;
    const uint64_t wanted = (uint64_t)task->picousd;
    const uint64_t used = (uint64_t)spent + (uint64_t)held;
    char bytes[3][48];
    surety_buf texts[3];

    if (!budget || (used <= budget && wanted <= budget - used))
        return false;
    for (size_t i = 0; i < 3; i++) {
        texts[i] = surety__buf_over(bytes[i], sizeof(bytes[i]));
        surety_dollars_write(i == 0   ? budget
                             : i == 1 ? (uint64_t)spent
                                      : (uint64_t)held,
                             false, &texts[i]);
    }
    /* Money that is only reserved may become free much earlier. */
    reserve_deny(task, denial,
                 wanted > budget ? 0
                 : held && (uint64_t)spent < budget
                     ? task->now_ms + RESERVE_AT_ONCE_MS
                 : is_day ? task->periods.day_end_ms
                          : task->periods.month_end_ms,
                 "the key \"%s\" may spend %.*s dollars a %s: %.*s are spent, "
                 "%.*s are reserved by requests under way, and this request "
                 "does not fit",
                 task->state.name, (int)texts[0].len, texts[0].ptr,
                 is_day ? "day" : "month", (int)texts[1].len, texts[1].ptr,
                 (int)texts[2].len, texts[2].ptr);
    return true;
}

/* Checks a limit a minute. True: denied. */
static bool reserve_check_minute(const reserve_task *task, surety_denial denial,
                                 uint64_t limit, uint64_t wanted)
{
    const reserve_state *state = &task->state;
    const bool is_tokens = denial == SURETY_DENIAL_TOKENS;
    int64_t free_ms = 0;
    int64_t used = 0;

    if (!limit)
        return false;
    for (size_t i = 0; i < state->second_count; i++)
        used +=
            is_tokens ? state->seconds[i].tokens : state->seconds[i].requests;
    if (used < 0)
        used = 0;
    if (wanted <= limit && (uint64_t)used <= limit - wanted)
        return false;
    /* The oldest seconds leave the window first. */
    for (size_t i = 0, left = (size_t)used;
         wanted <= limit && i < state->second_count && left > limit - wanted;
         i++) {
        const int64_t leaves =
            is_tokens ? state->seconds[i].tokens : state->seconds[i].requests;

        left = leaves > 0 && (uint64_t)leaves < left ? left - (size_t)leaves
               : leaves > 0                          ? 0
                                                     : left;
        free_ms = (state->seconds[i].second + RESERVE_WINDOW) * 1000;
    }
    reserve_deny(task, denial, free_ms,
                 "the key \"%s\" may use %llu %s a minute: %llu are used, and "
                 "this request needs %llu",
                 state->name, (unsigned long long)limit,
                 is_tokens ? "tokens" : "requests", (unsigned long long)used,
                 (unsigned long long)wanted);
    return true;
}

/* True: denied. */
static bool reserve_check(const reserve_task *task)
{
    const reserve_state *state = &task->state;
    const surety_key *limits = &state->limits;

    if (!state->is_there || state->revoked_ms ||
        (state->expires_ms && state->expires_ms <= task->now_ms)) {
        reserve_deny(task, SURETY_DENIAL_KEY, 0, "the key %s",
                     !state->is_there    ? "is not known here"
                     : state->revoked_ms ? "was revoked"
                                         : "has expired");
        return true;
    }
    if (!state->may_model) {
        reserve_deny(task, SURETY_DENIAL_MODEL, 0,
                     "the key \"%s\" may not use the model \"%.*s\"",
                     state->name, (int)surety__utf8_cut(task->model, 80),
                     task->model.ptr);
        return true;
    }
    if (reserve_check_budget(task, SURETY_DENIAL_MONTH, limits->month_picousd,
                             state->spent_month, state->held_month) ||
        reserve_check_budget(task, SURETY_DENIAL_DAY, limits->day_picousd,
                             state->spent_day, state->held_day) ||
        reserve_check_minute(task, SURETY_DENIAL_REQUESTS,
                             limits->minute_requests, 1) ||
        reserve_check_minute(task, SURETY_DENIAL_TOKENS, limits->minute_tokens,
                             (uint64_t)task->tokens))
        return true;
    if (!limits->at_once_max || (uint64_t)state->held < limits->at_once_max)
        return false;
    reserve_deny(task, SURETY_DENIAL_AT_ONCE, task->now_ms + RESERVE_AT_ONCE_MS,
                 "the key \"%s\" may have %llu requests at once, and they are "
                 "under way",
                 state->name, (unsigned long long)limits->at_once_max);
    return true;
}

/* ---- the transactions ---------------------------------------------------- */

static surety_status reserve_do(surety_keys *keys, size_t which,
                                const surety__cell *cells, size_t count,
                                int64_t *ret_changed, surety_error *reterr)
{
    return surety__keys_run(
        keys, (surety__query){.which = which, .cells = cells, .count = count},
        ret_changed, reterr);
}

/* Deletes what no limit looks at any more. */
static surety_status reserve_trim(surety_keys *keys, int64_t now_ms,
                                  surety_error *reterr)
{
    const surety__cell second =
        surety__cell_number(now_ms / 1000 - 2 * RESERVE_WINDOW);
    const surety__cell lapsed = surety__cell_number(now_ms - RESERVE_KEPT_MS);
    surety_status status = SURETY_OK;

    if (keys->trimmed_ms && now_ms >= keys->trimmed_ms &&
        now_ms - keys->trimmed_ms < RESERVE_TRIM_MS)
        return SURETY_OK;
    keys->trimmed_ms = now_ms;
    status = reserve_do(keys, KEYS_TRIM_SECONDS, &second, 1, NULL, reterr);
    if (!status)
        status =
            reserve_do(keys, KEYS_TRIM_RESERVATIONS, &lapsed, 1, NULL, reterr);
    return status;
}

static surety_status reserve_insert(const reserve_task *task,
                                    surety_error *reterr)
{
    const surety__cell cells[] = {
        surety__cell_text(
            (surety_str){task->grant->id, SURETY__RESERVATION_ID_LEN}),
        surety__cell_text(task->key),
        surety__cell_number(task->second),
        surety__cell_number(task->periods.day),
        surety__cell_number(task->periods.month),
        surety__cell_number(task->tokens),
        surety__cell_number(task->picousd),
        surety__cell_number(task->now_ms +
                            (int64_t)task->keys->options.lapse_ms)};
    const surety__cell second[] = {surety__cell_text(task->key),
                                   surety__cell_number(task->second),
                                   surety__cell_number(task->tokens)};
    surety_status status =
        reserve_do(task->keys, KEYS_RESERVE, cells, 8, NULL, reterr);

    if (!status)
        status =
            reserve_do(task->keys, KEYS_COUNT_SECOND, second, 3, NULL, reterr);
    return status ? status : reserve_trim(task->keys, task->now_ms, reterr);
}

/* Locks the key, and reads what its limits need. *ret_is_there: an earlier try
 * of this transaction was carried out. */
static surety_status reserve_count(reserve_task *task, int64_t *ret_is_there,
                                   surety_error *reterr)
{
    const surety__cell key = surety__cell_text(task->key);
    const surety__cell id = surety__cell_text(
        (surety_str){task->grant->id, SURETY__RESERVATION_ID_LEN});
    surety_status status = SURETY_OK;

    if (task->keys->store->postgres)
        status = reserve_do(task->keys, KEYS_LOCK, &key, 1, NULL, reterr);
    if (!status && task->tries++)
        status = surety__keys_ask(task->keys->store, KEYS_IS_RESERVED, &id, 1,
                                  ret_is_there, reterr);
    return status || *ret_is_there ? status : reserve_read(task, reterr);
}

static surety_status reserve_work(void *owner, const void *ctx,
                                  surety_error *reterr)
{
    reserve_task *task = owner;
    const surety__cell key = surety__cell_text(task->key);
    const surety__cell use[] = {surety__cell_number(task->now_ms), key};
    int64_t is_there = 0;
    surety_status status;

    (void)ctx;
    task->state = (reserve_state){.second_count = 0};
    task->grant->denial = SURETY_DENIAL_NONE;
    status = surety__keys_run(
        task->keys, (surety__query){KEYS_READ, &key, 1, reserve_take_key, task},
        NULL, reterr);
    if (!status && reserve_has_limit(&task->state.limits))
        status = reserve_count(task, &is_there, reterr);
    if (status || is_there || reserve_check(task))
        return status;
    if (task->now_ms - task->state.used_ms > RESERVE_USED_MS)
        status = reserve_do(task->keys, KEYS_USE, use, 2, NULL, reterr);
    if (status || !reserve_has_limit(&task->state.limits))
        return status;
    return reserve_insert(task, reterr);
}

surety_status surety_keys_reserve(surety_keys *keys, surety_str id,
                                  const surety_estimate *estimate,
                                  int64_t now_ms, surety_grant *ret,
                                  surety_error *reterr)
{
    surety_grant grant;
    surety_estimate own;
    reserve_task task = {.keys = keys,
                         .key = id,
                         .now_ms = now_ms,
                         .second = now_ms / 1000,
                         .periods = surety__periods_of(now_ms),
                         .grant = &grant};
    surety_status status;

    if (surety__options_take(&own, sizeof(own), estimate, reterr) ||
        surety__options_take(&grant, sizeof(grant), ret, reterr))
        return SURETY_MISUSE;
    grant = (surety_grant){.size = ret->size};
    task.model = own.model;
    task.tokens = reserve_amount(own.tokens);
    task.picousd = reserve_amount(own.picousd);
    status = surety__id_make(grant.id, SURETY__RESERVATION_ID_LEN, reterr);
    if (!status)
        status =
            surety__store_write(keys->store, reserve_work, &task, NULL, reterr);
    if (status)
        return status;
    if (grant.denial || !reserve_has_limit(&task.state.limits))
        grant.id[0] = '\0';
    memcpy(ret, &grant, ret->size < sizeof(grant) ? ret->size : sizeof(grant));
    return SURETY_OK;
}

/* ---- settling ------------------------------------------------------------ */

typedef struct settle_task {
    surety_keys *keys;
    surety_str id;
    int64_t tokens, picousd;      /* that were used */
    char key[SURETY__KEY_ID_LEN]; /* and of the reservation: */
    int64_t second, day, month, reserved;
} settle_task;

static bool settle_take(void *ctx, const surety__cell *cells)
{
    settle_task *task = ctx;

    if (cells[0].text.len != sizeof(task->key))
        return true;
    memcpy(task->key, cells[0].text.ptr, sizeof(task->key));
    task->second = cells[1].number;
    task->day = cells[2].number;
    task->month = cells[3].number;
    task->reserved = cells[4].number;
    return true;
}

static surety_status settle_work(void *owner, const void *ctx,
                                 surety_error *reterr)
{
    settle_task *task = owner;
    const surety__cell id = surety__cell_text(task->id);
    surety__cell cells[4];
    surety_status status;

    (void)ctx;
    task->key[0] = '\0';
    status = surety__keys_run(
        task->keys, (surety__query){KEYS_SETTLE, &id, 1, settle_take, task},
        NULL, reterr);
    if (status || !task->key[0])
        return status;
    cells[0] = surety__cell_number(task->reserved);
    cells[1] = surety__cell_number(task->tokens);
    cells[2] = surety__cell_text((surety_str){task->key, sizeof(task->key)});
    cells[3] = surety__cell_number(task->second);
    status = reserve_do(task->keys, KEYS_ADJUST, cells, 4, NULL, reterr);
    cells[0] = cells[2];
    cells[1] = surety__cell_number(task->day);
    cells[2] = surety__cell_number(task->tokens);
    cells[3] = surety__cell_number(task->picousd);
    if (!status)
        status = reserve_do(task->keys, KEYS_SPEND, cells, 4, NULL, reterr);
    cells[1] = surety__cell_number(task->month);
    return status ? status
                  : reserve_do(task->keys, KEYS_SPEND, cells, 4, NULL, reterr);
}

surety_status surety_keys_settle(surety_keys *keys, const surety_grant *grant,
                                 const surety_estimate *used,
                                 surety_error *reterr)
{
    surety_grant granted;
    settle_task task = {.keys = keys,
                        .id = {granted.id, SURETY__RESERVATION_ID_LEN}};
    surety_estimate own;

    if (surety__options_take(&granted, sizeof(granted), grant, reterr) ||
        surety__options_take(&own, sizeof(own), used, reterr))
        return SURETY_MISUSE;
    if (!granted.id[0])
        return SURETY_OK;
    task.tokens = reserve_amount(own.tokens);
    task.picousd = reserve_amount(own.picousd);
    return surety__store_write(keys->store, settle_work, &task, NULL, reterr);
}

/* ---- trying -------------------------------------------------------------- */

static surety_status try_work(void *owner, const void *ctx,
                              surety_error *reterr)
{
    const surety_str id = {ctx, SURETY__RESERVATION_ID_LEN};
    const surety__cell none = surety__cell_number(0);
    const surety__cell cells[] = {surety__cell_text(id),
                                  surety__cell_text((surety_str){"", 0}),
                                  none,
                                  none,
                                  none,
                                  none,
                                  none,
                                  none};
    const surety_status status =
        reserve_do(owner, KEYS_RESERVE, cells, 8, NULL, reterr);

    return status ? status
                  : reserve_do(owner, KEYS_SETTLE, cells, 1, NULL, reterr);
}

surety_status surety_keys_try(surety_keys *keys, surety_error *reterr)
{
    char id[SURETY__RESERVATION_ID_LEN];
    const surety_status status = surety__id_make(id, sizeof(id), reterr);

    return status
               ? status
               : surety__store_write(keys->store, try_work, keys, id, reterr);
}
