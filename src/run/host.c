/* SPDX-License-Identifier: Apache-2.0 */
/* The host's validators in a run. Each is called once for a value of a reply.
 * If the judgement is made again, because another validator was not done or
 * for the fallback, it gets the stored result. So a validator may count, cost
 * money, or ask a person, and one that would answer differently later does not
 * change a judgement. The same value in another reply is a new call.
 *
 * If a validator is not done, the judgement is made again later (run.c). If
 * one fails, the run ends: no value may be accepted without its result, and
 * the model cannot correct the host. */
#include "run/run.h"

/* One issue that a validator reported; in the run's arena. */
struct host_issue {
    struct host_issue *next;
    surety_str location, message, hint;
};

/* All issues that a validator reported about a value. */
struct surety__validated {
    struct surety__validated *next;
    const surety__host *host;
    size_t attempt;
    surety_str values;
    struct host_issue *first, **end;
};

/* Receives an issue from a validator, keeps it, and passes it to the judge. */
struct host_collector {
    surety__validators *validators;
    const surety_validation *judge;
    struct surety__validated *result;
};

static surety_status host_collect(void *ctx, surety_str location,
                                  surety_str message, surety_str hint)
{
    struct host_collector *collector = ctx;
    surety__validators *validators = collector->validators;
    surety__run_store *store = validators->store;
    struct host_issue *issue;
    surety_status status =
        surety_validation_add(collector->judge, location, message, hint);

    if (status != SURETY_OK) {
        validators->failed = true;
        return status;
    }
    issue = surety__arena_take(&store->arena, sizeof(*issue));
    if (!issue) {
        store->status = SURETY_NOMEM;
        return SURETY_NOMEM;
    }
    *issue = (struct host_issue){
        .location = surety__store_copy(store, location),
        .message = surety__store_copy(store, message),
        .hint = surety__store_copy(store, hint),
    };
    *collector->result->end = issue;
    collector->result->end = &issue->next;
    return store->status;
}

/* Reports again the stored issues for the same value; false: none are
 * stored. */
static bool host_repeat(const surety__host *host, surety_str values,
                        const surety_validation *validation,
                        surety_status *ret_status)
{
    const surety__validators *validators = host->validators;
    const struct surety__validated *one = validators->results;

    while (one && (one->host != host || one->attempt != validators->attempt ||
                   !surety_str_equal(one->values, values)))
        one = one->next;
    if (!one)
        return false;
    *ret_status = SURETY_OK;
    for (const struct host_issue *issue = one->first;
         issue && *ret_status == SURETY_OK; issue = issue->next)
        *ret_status = surety_validation_add(validation, issue->location,
                                            issue->message, issue->hint);
    return true;
}

/* Calls the validator and stores its result if it is done. */
static surety_status host_call(surety__host *host, surety_str values,
                               const surety_validation *validation,
                               surety_error *reterr)
{
    surety__validators *validators = host->validators;
    surety__run_store *store = validators->store;
    struct surety__validated result = {.host = host,
                                       .attempt = validators->attempt};
    struct host_collector collector = {validators, validation, &result};
    const surety_validation own = {.value = validation->value,
                                   .given = validation->given,
                                   .ctx = &collector,
                                   .add = host_collect};
    struct surety__validated *stored;
    surety_status status;

    assert(validators->attempt);
    result.end = &result.first;
    status = host->given.validate(host->given.ctx, &own, reterr);
    if (store->status != SURETY_OK)
        return SURETY_NOMEM;
    validators->waits = validators->waits || status == SURETY_MORE;
    validators->failed =
        validators->failed || (status != SURETY_OK && status != SURETY_MORE);
    if (status != SURETY_OK)
        return status;
    stored = surety__arena_take(&store->arena, sizeof(*stored));
    if (!stored)
        return SURETY_NOMEM;
    *stored = result;
    stored->values = surety__store_copy(store, values);
    stored->next = validators->results;
    validators->results = stored;
    return store->status;
}

static surety_status host_validate(void *ctx,
                                   const surety_validation *validation,
                                   surety_error *reterr)
{
    surety__host *host = ctx;
    surety_status status;
    surety_buf values;

    surety_buf_init(&values, host->validators->store->alloc, 0);
    (void)surety_val_write(validation->value, SURETY_STYLE_COMPACT, &values);
    surety_buf_byte(&values, '\n');
    (void)surety_val_write(validation->given, SURETY_STYLE_COMPACT, &values);
    status = values.status;
    if (status == SURETY_OK &&
        !host_repeat(host, surety_buf_str(&values), validation, &status))
        status = host_call(host, surety_buf_str(&values), validation, reterr);
    surety_buf_done(&values);
    return status;
}

surety_status surety__host_take(surety__validators *validators,
                                surety_judge_options *judge,
                                surety_items *items, surety__output *output,
                                surety_error *reterr)
{
    const size_t count =
        judge->validator_count + (items != NULL) + (output != NULL);
    const surety_validator *given = judge->validators;
    surety__arena *arena = &validators->store->arena;
    surety_validator *own;
    surety__host *hosts;

    if (!count)
        return SURETY_OK;
    if (judge->validator_count && !given)
        return surety__fail(reterr, SURETY_MISUSE,
                            "an option has a length but no address");
    hosts = surety__arena_take(arena, count * sizeof(*hosts));
    own = surety__arena_take(arena, count * sizeof(*own));
    if (!hosts || !own)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count; i++) {
        hosts[i] =
            (surety__host){validators, i < judge->validator_count ? given[i]
                                       : output && i + 1 == count
                                           ? surety__output_validator(output)
                                           : surety_items_validator(items)};
        own[i] = (surety_validator){.name = hosts[i].given.name,
                                    .validate = host_validate,
                                    .ctx = &hosts[i]};
    }
    judge->validators = own;
    judge->validator_count = count;
    return SURETY_OK;
}
