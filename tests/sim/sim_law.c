/* SPDX-License-Identifier: Apache-2.0 */
/* The law of calls that were stopped: nothing is lost by it. What the model
 * would have said is given to a second run, whole and without a second chance,
 * and if the first run stopped the call because no continuation could be valid,
 * then the second must find it so. */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* A transport with one answer. */
struct law {
    surety_transport transport;
    struct sim_exchange exchange;
};

static surety_status law_start(void *ctx, uint64_t id,
                               const surety_request *request,
                               const surety_receiver *receiver,
                               surety_error *reterr)
{
    struct law *law = ctx;
    const surety_delivery delivery = {.failure = SURETY_FAILURE_NONE,
                                      .sent = true};

    (void)id;
    (void)request;
    (void)reterr;
    receiver->head(receiver->ctx, 200, NULL, 0);
    (void)receiver->bytes(receiver->ctx, (surety_str){law->exchange.body,
                                                      law->exchange.body_len});
    receiver->end(receiver->ctx, &delivery);
    return SURETY_OK;
}

static void law_cancel(void *ctx, uint64_t id)
{
    (void)ctx;
    (void)id;
}

static surety_status law_wait(void *ctx, uint32_t timeout_ms,
                              surety_error *reterr)
{
    (void)ctx;
    (void)timeout_ms;
    (void)reterr;
    return SURETY_OK;
}

static void law_close(void *ctx)
{
    (void)ctx;
}

/* Whether the reply would have been valid, had it come whole. */
static bool law_is_valid(struct sim *sim, const surety_attempt *attempt,
                         const struct sim_said *said)
{
    struct law *law = calloc(1, sizeof(*law));
    surety_run_options options = sim->options;
    surety_model model = *attempt->model;
    surety_run *run = NULL;
    uint32_t delay_ms = 0;
    bool valid = false;

    if (!law)
        abort();
    law->transport = (surety_transport){
        1, law, law_start, law_cancel, law_wait, law_close, NULL};
    if (model.protocol == SURETY_PROTOCOL_TEXT)
        sim_add(&law->exchange, said->text);
    else
        sim_openai(&law->exchange, said->text, SIM_STOP, said->tool);
    model.transport = &law->transport;
    model.mode = attempt->mode;
    model.whole = true;
    options.models = &model;
    options.model_count = 1;
    options.retry_max = SURETY_RUN_NONE;
    options.budget = (surety_budget){.calls_max = 1};
    options.ledger = NULL;
    options.event = NULL;
    options.alloc = NULL;
    options.tools = NULL;
    options.items = NULL;
    options.values = false;
    if (surety_run_new(&options, &run, NULL) == SURETY_OK &&
        surety_run_step(run, (surety_now){1, 1}, &delay_ms, NULL) == SURETY_OK)
        valid = surety_run_info_of(run)->verdict == SURETY_RUN_VALID;
    else
        sim_must(sim, false, "a second run ends at once");
    surety_run_free(run);
    free(law);
    return valid;
}

void sim_check_stopped(struct sim *sim, size_t i)
{
    const surety_attempt attempt = surety_run_attempt(sim->run, i);
    const struct sim_said *said = &sim->said[i];
    const surety_str came = attempt.answer.text;
    const uint64_t tokens = attempt.stopped_tokens;

    sim_must(sim, sim->contract, "what is stopped has a contract");
    if (surety_run_info_of(sim->run)->verdict == SURETY_RUN_LEDGER && !came.len)
        return; /* it has no record, and is not given out */
    sim_must(sim,
             attempt.judged || sim->memory.starved ||
                 /* The validator failed, or was waited for to the end. */
                 (sim->judge.validator_count &&
                  i + 1 == surety_run_info_of(sim->run)->attempt_count),
             "what is stopped is judged");
    sim_must(sim, attempt.answer.failure == SURETY_FAILURE_NONE,
             "what is stopped has not failed below");
    sim_must(sim, attempt.stopped_bytes == came.len && came.len > 0,
             "it tells what came");
    sim_must(sim, tokens && tokens <= came.len, "its tokens are an estimate");
    if (attempt.saved_known)
        sim_must(sim, attempt.saved_tokens > 0, "what is saved is something");
    sim_must(sim,
             attempt.stopped != SURETY_STREAM_REFUTED || sim->options.commit,
             "what is lost is waited for");
    sim_must(sim, attempt.stopped == SURETY_STREAM_RUNAWAY || !attempt.ok,
             "what cannot be valid is not");
    if (!said->text)
        return;
    sim_must(sim,
             came.len <= strlen(said->text) &&
                 !memcmp(came.ptr, said->text, came.len),
             "what came is what was said");
    /* A value may be refused for the elements that were given before it. */
    if (attempt.stopped == SURETY_STREAM_NO && !sim->broken &&
        !sim->items.count)
        sim_must(sim, !law_is_valid(sim, &attempt, said),
                 "what was stopped would not have been valid");
}

/* ---- the host's validator ------------------------------------------------ */

bool sim_refuses(const struct sim *sim, surety_val value)
{
    uint64_t hash = sim->seed | 1;
    bool refuses;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    (void)surety_val_write(value, SURETY_STYLE_COMPACT, &text);
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * 1099511628211u;
    refuses = hash >> 32 & 1;
    surety_buf_done(&text);
    return refuses;
}

surety_status sim_validate(void *ctx, const surety_validation *validation,
                           surety_error *reterr)
{
    struct sim *sim = ctx;

    if (sim_one_in(sim, 3))
        return SURETY_MORE;
    if (sim_one_in(sim, 40)) {
        memcpy(reterr->message, "it is gone", 11);
        sim->validator_failed = true;
        return SURETY_IO;
    }
    return sim_refuses(sim, validation->value)
               ? surety_validation_add(validation, surety_str_of(""),
                                       surety_str_of("is refused"),
                                       surety_str_of(""))
               : SURETY_OK;
}

void sim_check_validator(struct sim *sim)
{
    const surety_run_verdict verdict = surety_run_info_of(sim->run)->verdict;
    const surety_outcome *outcome = surety_run_info_of(sim->run)->outcome;

    sim_must(sim, verdict != SURETY_RUN_VALIDATOR || sim->validator_failed,
             "VALIDATOR only where one failed");
    sim_must(sim,
             !sim->validator_failed || verdict == SURETY_RUN_VALIDATOR ||
                 verdict == SURETY_RUN_CANCELLED ||
                 verdict == SURETY_RUN_LEDGER,
             "a validator that fails ends the run");
    if (verdict == SURETY_RUN_VALID && sim->judge.validator_count)
        sim_must(sim, !sim_refuses(sim, surety_outcome_info_of(outcome)->value),
                 "VALID is refused by nobody");
}
