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
struct host_remark {
    struct host_remark *next;
    surety_str location, message, hint;
};

/* All issues that a validator reported about a value. */
struct surety__opinion {
    struct surety__opinion *next;
    const surety__host *host;
    size_t attempt;
    surety_str question;
    struct host_remark *first, **end;
};

/* Receives an issue from a validator, keeps it, and passes it to the judge. */
struct host_ear {
    surety__hearing *hearing;
    const surety_validation *judge;
    struct surety__opinion *opinion;
};

static surety_status host_hear(void *ctx, surety_str location,
                               surety_str message, surety_str hint)
{
    struct host_ear *ear = ctx;
    surety__hearing *hearing = ear->hearing;
    surety__run_store *store = hearing->store;
    struct host_remark *remark;
    surety_status status =
        surety_validation_add(ear->judge, location, message, hint);

    if (status != SURETY_OK) {
        hearing->failed = true;
        return status;
    }
    remark = surety__arena_take(&store->arena, sizeof(*remark));
    if (!remark) {
        store->status = SURETY_NOMEM;
        return SURETY_NOMEM;
    }
    *remark = (struct host_remark){
        .location = surety__store_copy(store, location),
        .message = surety__store_copy(store, message),
        .hint = surety__store_copy(store, hint),
    };
    *ear->opinion->end = remark;
    ear->opinion->end = &remark->next;
    return store->status;
}

/* Writes both values as text, one line each. */
static surety_status host_write(const surety_validation *validation,
                                surety_buf *out)
{
    (void)surety_val_write(validation->value, SURETY_STYLE_COMPACT, out);
    surety_buf_byte(out, '\n');
    (void)surety_val_write(validation->given, SURETY_STYLE_COMPACT, out);
    return out->status;
}

/* Reports again the stored issues for the same value; false: none are
 * stored. */
static bool host_repeat(const surety__host *host, surety_str question,
                        const surety_validation *validation,
                        surety_status *ret_status)
{
    const surety__hearing *hearing = host->hearing;
    const struct surety__opinion *one = hearing->opinions;

    while (one && (one->host != host || one->attempt != hearing->attempt ||
                   !surety_str_equal(one->question, question)))
        one = one->next;
    if (!one)
        return false;
    *ret_status = SURETY_OK;
    for (const struct host_remark *remark = one->first;
         remark && *ret_status == SURETY_OK; remark = remark->next)
        *ret_status = surety_validation_add(validation, remark->location,
                                            remark->message, remark->hint);
    return true;
}

/* Calls the validator and stores its result if it is done. */
static surety_status host_ask(surety__host *host, surety_str question,
                              const surety_validation *validation,
                              surety_error *reterr)
{
    surety__hearing *hearing = host->hearing;
    surety__run_store *store = hearing->store;
    struct surety__opinion opinion = {.host = host,
                                      .attempt = hearing->attempt};
    struct host_ear ear = {hearing, validation, &opinion};
    const surety_validation own = {.value = validation->value,
                                   .given = validation->given,
                                   .ctx = &ear,
                                   .add = host_hear};
    struct surety__opinion *kept;
    surety_status status;

    assert(hearing->attempt);
    opinion.end = &opinion.first;
    status = host->given->validate(host->given->ctx, &own, reterr);
    if (store->status != SURETY_OK)
        return SURETY_NOMEM;
    hearing->waits = hearing->waits || status == SURETY_MORE;
    hearing->failed =
        hearing->failed || (status != SURETY_OK && status != SURETY_MORE);
    if (status != SURETY_OK)
        return status;
    kept = surety__arena_take(&store->arena, sizeof(*kept));
    if (!kept)
        return SURETY_NOMEM;
    *kept = opinion;
    kept->question = surety__store_copy(store, question);
    kept->next = hearing->opinions;
    hearing->opinions = kept;
    return store->status;
}

static surety_status host_validate(void *ctx,
                                   const surety_validation *validation,
                                   surety_error *reterr)
{
    surety__host *host = ctx;
    surety_status status;
    surety_buf question;

    surety_buf_init(&question, host->hearing->store->alloc, 0);
    status = host_write(validation, &question);
    if (status == SURETY_OK &&
        !host_repeat(host, surety_buf_str(&question), validation, &status))
        status = host_ask(host, surety_buf_str(&question), validation, reterr);
    surety_buf_done(&question);
    return status;
}

surety_status surety__host_take(surety__hearing *hearing,
                                surety_judge_options *judge,
                                surety_error *reterr)
{
    const size_t count = judge->validator_count;
    const surety_validator *given = judge->validators;
    surety__arena *arena = &hearing->store->arena;
    surety_validator *validators;
    surety__host *hosts;

    if (!count)
        return SURETY_OK;
    if (!given)
        return surety__fail(reterr, SURETY_MISUSE,
                            "an option has a length but no address");
    hosts = surety__arena_take(arena, count * sizeof(*hosts));
    validators = surety__arena_take(arena, count * sizeof(*validators));
    if (!hosts || !validators)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count; i++) {
        hosts[i] = (surety__host){hearing, &given[i]};
        validators[i] = (surety_validator){
            .name = given[i].name, .validate = host_validate, .ctx = &hosts[i]};
    }
    judge->validators = validators;
    return SURETY_OK;
}
