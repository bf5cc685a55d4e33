/* SPDX-License-Identifier: Apache-2.0 */
/* pass.c: a response that is passed on to the caller as it comes. A response of
 * success is given out from its head on, and then nothing may follow it: no
 * retry, no other model. A response of another status is held back, since a
 * later attempt may be better; the last one is given out when the run gives
 * up.
 *
 * Where the caller has declared the tools of its request, a response of success
 * is held back too, until its calls were judged. It is given out with the
 * verdict, or not at all. */
#include "run/run.h"

static void pass_event(const surety__run_exchange *exchange,
                       surety_event_kind kind, surety_str text)
{
    surety__setup_event(exchange->watch.forms->setup, exchange->attempt, kind,
                        text);
}

void surety__pass_head(surety__run_exchange *exchange, int status,
                       const surety_header *headers, size_t count)
{
    surety__run_store *store = exchange->watch.forms->store;
    surety__passing *passing = &exchange->passing;
    surety_header *copies =
        surety__arena_take(&store->arena, (count + 1) * sizeof(*copies));

    surety_buf_reset(&passing->body);
    for (size_t i = 0; i < count && copies; i++)
        copies[i] = (surety_header){
            .name = surety__store_copy(store, headers[i].name),
            .value = surety__store_copy(store, headers[i].value)};
    if (!copies)
        store->status = SURETY_NOMEM;
    if (store->status != SURETY_OK)
        return;
    passing->head = (surety_run_response_info){sizeof(passing->head), status,
                                               copies, count};
    passing->given = status / 100 == 2 && !exchange->watch.forms->setup->checks;
    if (passing->given)
        pass_event(exchange, SURETY_EVENT_HEAD, SURETY__LITERAL(""));
}

void surety__pass_bytes(surety__run_exchange *exchange, surety_str bytes)
{
    surety__passing *passing = &exchange->passing;

    if (passing->given) {
        pass_event(exchange, SURETY_EVENT_BYTES, bytes);
        return;
    }
    surety_buf_add(&passing->body, bytes);
    if (passing->body.status != SURETY_OK)
        exchange->watch.forms->store->status = SURETY_NOMEM;
}

void surety__pass_give(surety__run_exchange *exchange, bool is_accepted)
{
    surety__passing *passing = &exchange->passing;

    if (!passing->head.status || passing->given ||
        (passing->head.status / 100 == 2 && !is_accepted))
        return;
    passing->given = true;
    pass_event(exchange, SURETY_EVENT_HEAD, SURETY__LITERAL(""));
    if (passing->body.len)
        pass_event(exchange, SURETY_EVENT_BYTES,
                   surety_buf_str(&passing->body));
}

/* Whether the response is complete for the caller, whatever the model did. */
static bool pass_is_whole(const surety__run_exchange *exchange,
                          surety_failure failure)
{
    if (exchange->watch.forms->setup->raw.path.len)
        return exchange->delivery.failure == SURETY_FAILURE_NONE;
    return failure == SURETY_FAILURE_NONE ||
           (failure >= SURETY_FAILURE_REFUSAL &&
            failure <= SURETY_FAILURE_EMPTY);
}

/* Whether a response that is held back may be given out: no call in it is cut
 * off. What else the provider says, and why it ended, is the caller's matter.
 */
static bool pass_may_go(const surety__run_exchange *exchange,
                        const surety__attempt *attempt)
{
    const surety_answer *answer = &attempt->seen.answer;

    if (exchange->passing.head.status / 100 != 2 ||
        exchange->delivery.failure != SURETY_FAILURE_NONE)
        return false;
    if (answer->failure == SURETY_FAILURE_NONE)
        return true;
    return !attempt->calls && (pass_is_whole(exchange, answer->failure) ||
                               answer->failure == SURETY_FAILURE_PROTOCOL ||
                               (answer->failure == SURETY_FAILURE_TRUNCATED &&
                                answer->finish_reason.len));
}

void surety__pass_judge(const surety__run_exchange *exchange,
                        surety__attempt *attempt)
{
    const surety__setup *setup = exchange->watch.forms->setup;
    const surety__raw *raw = &setup->raw;
    surety_answer *answer = &attempt->seen.answer;

    attempt->given = exchange->passing.given;
    attempt->is_free = raw->is_bytes || surety__raw_is_count(raw->path);
    if (setup->checks
            ? !pass_may_go(exchange, attempt)
            : !attempt->given || !pass_is_whole(exchange, answer->failure))
        return;
    attempt->what = CASE_PASSED;
    if (!raw->path.len)
        return;
    /* The response to a request that is no call is read for its usage alone:
     * vectors have one. */
    answer->usage.known = answer->usage.input_tokens && !attempt->is_free;
    answer->failure = SURETY_FAILURE_NONE;
    answer->error_code = answer->error_message = (surety_str){"", 0};
}
