/* SPDX-License-Identifier: Apache-2.0 */
/* The guards of models: one for each model of the configuration, and one for
 * each provider whose models clients name themselves. All threads share them.
 *
 * 1. A guard lets at most at_once_max calls of the process be under way.
 *    Further ones wait in a queue, in their order; the queue is bounded, and a
 *    request beyond it goes to the next model, or is refused. A re-ask waits
 *    too, but is never refused: the calls before it are paid.
 * 2. After model_failures_max failures in a row a model is left alone for a
 *    while. Then one call tries it: if it succeeds, all others follow.
 *
 * Only what says that the model does not work counts as a failure: not a
 * request that it refuses, nor a limit of the client's own. */
#include "gateway/gateway.h"

/* ---- the table ----------------------------------------------------------- */

/* The name that a model is guarded by. Paths that are passed on have guards of
 * their own: a failure there says nothing of a model. */
static surety_str guard_name(const surety__exchange *exchange,
                             const surety_model *model)
{
    return !exchange->ask.object.passed &&
                   surety__settings_model(exchange->ask.settings,
                                          model->name) == SIZE_MAX
               ? model->provider
               : model->name;
}

/* Finds a guard, or makes it; NULL: out of memory, or there are too many. */
static surety__guard *guard_find(surety_gateway *gateway, surety_str name)
{
    surety__guard *guard = gateway->guards;
    char *text;

    while (guard && !surety_str_equal(guard->name, name))
        guard = guard->next;
    if (guard || gateway->guard_count == SURETY__GUARDS_MAX)
        return guard;
    guard = surety__new(gateway->options.alloc, sizeof(*guard) + name.len);
    if (!guard)
        return NULL;
    text = (char *)(guard + 1);
    memcpy(text, name.ptr, name.len);
    guard->name = (surety_str){text, name.len};
    guard->last = &guard->first;
    guard->options = &gateway->options;
    guard->next = gateway->guards;
    gateway->guards = guard;
    gateway->guard_count++;
    return guard;
}

void surety__guards_free(surety_gateway *gateway)
{
    while (gateway->guards) {
        surety__guard *guard = gateway->guards;

        assert(!guard->first && !guard->under_way);
        gateway->guards = guard->next;
        surety__free(gateway->options.alloc, guard,
                     sizeof(*guard) + guard->name.len);
    }
}

/* ---- the queue ----------------------------------------------------------- */

static void guard_put(surety__guard *guard, surety__visit *visit)
{
    visit->next = NULL;
    visit->is_waiting = true;
    *guard->last = visit;
    guard->last = &visit->next;
    guard->waiting++;
}

static void guard_take(surety__guard *guard, surety__visit *visit)
{
    surety__visit **at = &guard->first;

    if (!visit->is_waiting)
        return;
    while (*at != visit)
        at = &(*at)->next;
    *at = visit->next;
    if (!*at)
        guard->last = at;
    visit->is_waiting = false;
    guard->waiting--;
}

static bool guard_is_full(const surety__guard *guard)
{
    return guard->at_once_max && guard->under_way >= guard->at_once_max;
}

/* Lets the first of the queue try again. */
static void guard_call(surety__guard *guard)
{
    surety__visit *first = guard->first;

    if (!first || guard_is_full(guard))
        return;
    atomic_store(&first->is_called, true);
    surety__server_wake(first->server);
}

/* ---- the breaker --------------------------------------------------------- */

static bool guard_is_failing(const surety__guard *guard)
{
    return guard->failures >= guard->options->model_failures_max;
}

/* Whether a model is left alone now. */
static bool guard_is_open(const surety__guard *guard, uint64_t now_ms)
{
    return guard_is_failing(guard) &&
           (guard->is_tried || now_ms < guard->again_ms);
}

static bool guard_fails(surety_failure failure)
{
    switch (failure) {
    case SURETY_FAILURE_CONNECT:
    case SURETY_FAILURE_TLS:
    case SURETY_FAILURE_TIMEOUT:
    case SURETY_FAILURE_RESET:
    case SURETY_FAILURE_TRUNCATED:
    case SURETY_FAILURE_COMMAND:
    case SURETY_FAILURE_PROTOCOL:
    case SURETY_FAILURE_OVERLOADED:
    case SURETY_FAILURE_SERVER: return true;
    default: return false;
    }
}

/* How an answer counts here: what a client did wrong is no failure, also where
 * a later try may succeed (409). */
static surety_failure guard_failure(const surety_answer *answer)
{
    return answer->http_status / 100 == 4 ? SURETY_FAILURE_REQUEST
                                          : answer->failure;
}

static void guard_judge(surety__guard *guard, surety_failure failure,
                        uint64_t now_ms)
{
    if (failure == SURETY_FAILURE_CANCELLED)
        return;
    if (!guard_fails(failure)) {
        guard->failures = 0;
        return;
    }
    if (!guard_is_failing(guard))
        guard->failures++;
    guard->again_ms = now_ms + guard->options->model_pause_ms;
}

static uint32_t guard_at_once(const surety__exchange *exchange,
                              const surety_model *model)
{
    const surety__settings *settings = exchange->ask.settings;
    const size_t i = surety__settings_model(settings, model->name);

    return i == SIZE_MAX ? 0
                         : surety_config_info_of(settings->config)->at_once[i];
}

/* ---- visits -------------------------------------------------------------- */

/* Refuses the model of a visit. */
static surety_status guard_refuse(surety__visit *visit, uint64_t wait_ms,
                                  const char *why, surety_error *reterr)
{
    visit->is_refused = true;
    visit->retry_after_ms = wait_ms;
    return surety__fail(reterr, SURETY_END, "%s", why);
}

static surety_status guard_enter(surety__guard *guard, surety__visit *visit,
                                 bool is_first, surety_error *reterr)
{
    const uint64_t now_ms = surety__serve_us() / 1000;

    if (guard_is_open(guard, now_ms)) {
        guard_take(guard, visit);
        return guard_refuse(
            visit, guard->again_ms > now_ms ? guard->again_ms - now_ms : 1000,
            "the model failed again and again, and is left alone for a while",
            reterr);
    }
    if (guard_is_full(guard) || (guard->first && guard->first != visit)) {
        if (visit->is_waiting)
            return SURETY_MORE;
        if (is_first && guard->waiting >= guard->options->waiting_max)
            return guard_refuse(visit, 1000,
                                "too many requests wait for the model", reterr);
        guard_put(guard, visit);
        return SURETY_MORE;
    }
    guard_take(guard, visit);
    guard->under_way++;
    visit->is_inside = true;
    visit->is_trial = guard_is_failing(guard);
    guard->is_tried = guard->is_tried || visit->is_trial;
    guard_call(guard);
    return SURETY_OK;
}

static void guard_leave(surety__exchange *exchange, surety_failure failure)
{
    surety_gateway *gateway = exchange->worker->gateway;
    surety__visit *visit = &exchange->visit;
    surety__guard *guard = visit->guard;

    if (!guard)
        return;
    pthread_mutex_lock(&gateway->guard_lock);
    guard_take(guard, visit);
    if (visit->is_inside) {
        guard->under_way--;
        if (visit->is_trial)
            guard->is_tried = false;
        guard_judge(guard, failure, surety__serve_us() / 1000);
    }
    guard_call(guard);
    visit->is_inside = visit->is_trial = false;
    visit->guard = NULL;
    pthread_mutex_unlock(&gateway->guard_lock);
}

surety_status surety__guard_allow(void *ctx, const surety_model *model,
                                  uint32_t call, surety_error *reterr)
{
    surety__exchange *exchange = ctx;
    surety_gateway *gateway = exchange->worker->gateway;
    surety__visit *visit = &exchange->visit;
    const surety_str name = guard_name(exchange, model);
    surety_status status = SURETY_OK;
    surety__guard *guard;

    if (visit->is_inside) { /* the run's last call, which has ended */
        const surety_attempt last = surety_run_attempt(exchange->run, call - 2);

        guard_leave(exchange, guard_failure(&last.answer));
    }
    pthread_mutex_lock(&gateway->guard_lock);
    guard = guard_find(gateway, name);
    if (guard) {
        guard->at_once_max = guard_at_once(exchange, model);
        visit->guard = guard;
        visit->server = exchange->worker->server;
        status = guard_enter(guard, visit, call == 1, reterr);
    }
    pthread_mutex_unlock(&gateway->guard_lock);
    return status;
}

void surety__guard_look(surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    const surety__visit *visit = &exchange->visit;
    const bool is_over = info->verdict != SURETY_RUN_PENDING;
    surety_failure failure = SURETY_FAILURE_CANCELLED;
    surety_attempt last = {.ended_ms = 0};

    if (!visit->guard)
        return;
    /* A call that was let in may have no attempt, if memory ran out. */
    if (visit->is_inside && info->attempt_count)
        last = surety_run_attempt(exchange->run, info->attempt_count - 1);
    if (last.ended_ms)
        failure = guard_failure(&last.answer);
    if (is_over || last.ended_ms)
        guard_leave(exchange, failure);
}

/* ---- metrics ------------------------------------------------------------- */

typedef struct guard_family {
    const char *name, *help;
} guard_family;

static uint64_t guard_figure(const surety__guard *guard, size_t family,
                             uint64_t now_ms)
{
    return family == 0   ? guard->under_way
           : family == 1 ? guard->waiting
                         : guard_is_open(guard, now_ms);
}

void surety__guards_write(surety_gateway *gateway, surety_buf *out)
{
    static const guard_family families[] = {
        {"surety_model_calls_under_way", "Calls of a model under way."},
        {"surety_model_waiting", "Requests that wait for a model."},
        {"surety_model_left_alone", "1: the model failed again and again, and "
                                    "is not called for a while."}};
    const uint64_t now_ms = surety__serve_us() / 1000;

    pthread_mutex_lock(&gateway->guard_lock);
    for (size_t i = 0; i < SURETY__COUNT(families); i++) {
        surety__buf_printf(out, "# HELP %s %s\n# TYPE %s gauge\n",
                           families[i].name, families[i].help,
                           families[i].name);
        for (surety__guard *guard = gateway->guards; guard; guard = guard->next)
            surety__buf_printf(
                out, "%s{model=\"%.*s\"} %llu\n", families[i].name,
                (int)guard->name.len, guard->name.ptr,
                (unsigned long long)guard_figure(guard, i, now_ms));
    }
    pthread_mutex_unlock(&gateway->guard_lock);
}
