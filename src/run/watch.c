/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a reply while it arrives. The receiver passes the chunks, and the
 * verdict is stored here. run.c reads it in its next step, stops the call, and
 * treats the reply as failed.
 *
 * Rules:
 * 1. A verdict counts only if it will hold for the complete reply as receive.c
 *    judges it. Text is checked by the contract's places. A structured value
 *    is checked as a single JSON text. If it will be restored later, it is
 *    checked against what certainly holds for its delivered form
 *    (surety_strict_delivered).
 * 2. A structured value decides as long as it is JSON: once it breaks the
 *    contract, nothing after it is read, whether it is complete or not. If it
 *    is not JSON, receive.c will look for a value in the text of the reply, so
 *    the text is checked. In mode TOOL the text comes beside the value: if
 *    there is any, arguments that are not JSON decide nothing.
 * 3. Some replies are needed complete, whatever their errors: a reply that a
 *    patch will correct, and one whose text is the contract's fallback. They
 *    are stopped only if they run away. The same holds for a patch, and for a
 *    reply that is checked against nothing.
 * 4. A value that is refuted stops a call only if the caller commits to the
 *    first value.
 * 5. The rest of a reply that breaks its contract may be worth reading,
 *    because it shows more errors (weigh.c). From then on only a runaway stops
 *    it. */
#include "run/run.h"

/* ORDER stops */
static const char *const watch_stops[] = {"weigh", "always", "never"};

const char *surety__stop_name(surety_stop stop)
{
    return (unsigned)stop <= SURETY_STOP_NEVER ? watch_stops[stop] : "unknown";
}

/* ---- what is checked ----------------------------------------------------- */

/* Begins the stream of the check, with this contract. If that fails, nothing
 * is checked, and the reply is judged when it is complete. */
static void watch_open(surety__watch *watch, surety__watch_kind kind,
                       const surety_contract *contract)
{
    const surety__setup *setup = watch->forms->setup;
    const surety__subject none = {.cut = false};
    surety__run_store *store = watch->forms->store;
    surety_judge_options judge = surety__setup_judge(setup, &none, NULL);
    /* The repair level of the judgement, whichever contract is checked here. */
    const surety_repair repair =
        judge.repair ? *judge.repair
                     : surety_contract_info_of(setup->options.contract)->repair;
    surety_status status;

    judge.repair = &repair;
    judge.derive = false;
    watch->kind = WATCH_NOTHING;
    if (!watch->stream)
        watch->stream = surety_stream_new(store->alloc, setup->options.limits);
    if (!watch->stream)
        store->status = SURETY_NOMEM;
    if (!watch->stream || !contract)
        return;
    status = surety_stream_begin(watch->stream, contract, &judge,
                                 kind == WATCH_VALUE, NULL);
    if (surety__store_pass(store, status) == SURETY_OK)
        watch->kind = kind;
}

/* Whether the complete reply is needed, whatever its errors. */
static bool watch_wants_whole(const surety__setup *setup,
                              const surety__position *at)
{
    if (setup->options.stop == SURETY_STOP_NEVER)
        return true;
    if (!setup->judge.no_fallback &&
        surety_contract_info_of(setup->options.contract)->fallback ==
            SURETY_FALLBACK_TEXT)
        return true;
    return setup->feedback == SURETY_FEEDBACK_PATCH && !at->patch_failed &&
           at->reasks < setup->reask_max;
}

void surety__watch_begin(surety__watch *watch, const surety__plan *plan,
                         const surety__position *at, const surety__stake *stake)
{
    surety__forms *forms = watch->forms;
    const surety_contract *contract = forms->setup->options.contract;

    assert(stake->price && plan->mode != SURETY_MODE_AUTO);
    *watch = (surety__watch){.forms = forms,
                             .stream = watch->stream,
                             .mode = plan->mode,
                             .stake = *stake};
    if (!contract)
        return;
    /* A reply with calls of tools is no answer, whatever its text is. */
    watch->whole = plan->patch || watch_wants_whole(forms->setup, at) ||
                   (forms->setup->options.tools && !plan->answer_only);
    if (plan->patch)
        watch_open(watch, WATCH_RUNAWAY, surety__mode_any(forms));
    else if (plan->mode == SURETY_MODE_PROMPT)
        watch_open(watch, WATCH_TEXT, contract);
    else
        watch_open(watch, WATCH_VALUE, surety__mode_delivered(forms, plan));
}

/* ---- what arrives -------------------------------------------------------- */

static void watch_feed(surety__watch *watch, surety_str text)
{
    const surety_status status = surety_stream_feed(watch->stream, text, NULL);

    assert(watch->kind != WATCH_NOTHING);
    watch->fed = true;
    if (surety__store_pass(watch->forms->store, status) == SURETY_OK)
        return;
    watch->kind = WATCH_NOTHING;
    watch->certain = SURETY_STREAM_OPEN;
}

/* Starts the check again as another kind, with all bytes that arrived so
 * far. */
static void watch_as(surety__watch *watch, surety__watch_kind kind,
                     const surety_contract *contract)
{
    surety__run_store *store = watch->forms->store;
    surety_buf received;

    surety_buf_init(&received, store->alloc, 0);
    surety_buf_add(&received, surety_stream_info_of(watch->stream)->reply);
    if (received.status != SURETY_OK)
        store->status = SURETY_NOMEM;
    watch_open(watch, kind, contract);
    if (watch->kind != WATCH_NOTHING && store->status == SURETY_OK)
        watch_feed(watch, surety_buf_str(&received));
    surety_buf_done(&received);
}

/* Whether the stream's current state ends the call. */
static bool watch_decides(const surety__watch *watch)
{
    const surety_stream_state state =
        surety_stream_info_of(watch->stream)->state;

    if (state == SURETY_STREAM_RUNAWAY)
        return true;
    if (watch->whole || watch->kind == WATCH_RUNAWAY)
        return false;
    if (state == SURETY_STREAM_REFUTED)
        return watch->forms->setup->options.commit && watch->kind == WATCH_TEXT;
    return state == SURETY_STREAM_NO;
}

/* Whether a structured value turned out not to be JSON. */
static bool watch_is_broken(const surety__watch *watch)
{
    const surety_issue finding = surety_stream_info_of(watch->stream)->finding;

    return watch->kind == WATCH_VALUE &&
           surety_stream_info_of(watch->stream)->state == SURETY_STREAM_NO &&
           surety__findings_stage(&finding) != SURETY_STAGE_VALIDATION;
}

static bool watch_weighs_little(const surety__watch *watch)
{
    return surety__weigh_stops(&watch->stake, watch->certain_at,
                               surety__watch_reply(watch).len);
}

/* Whether the call is stopped now. After text that is not JSON no more errors
 * can be found, so such a reply is not read on. */
static bool watch_ends(surety__watch *watch)
{
    surety_issue finding;

    if (watch->certain == SURETY_STREAM_OPEN) {
        if (!watch_decides(watch))
            return false;
        finding = surety_stream_info_of(watch->stream)->finding;
        if (watch->forms->setup->options.stop == SURETY_STOP_ALWAYS ||
            surety_stream_info_of(watch->stream)->state ==
                SURETY_STREAM_RUNAWAY ||
            surety__findings_stage(&finding) != SURETY_STAGE_VALIDATION)
            return true;
        watch->certain_at = surety__watch_reply(watch).len;
        if (watch_weighs_little(watch))
            return true;
        /* The reply is wrong, and is read on. */
        watch->certain = surety_stream_info_of(watch->stream)->state;
        watch->was = watch->kind;
        watch->finding = surety__store_issue(watch->forms->store, &finding);
        watch->found = true;
        watch_as(watch, WATCH_RUNAWAY, surety__mode_any(watch->forms));
        if (watch->kind == WATCH_NOTHING)
            watch->certain = SURETY_STREAM_OPEN;
    }
    return watch->kind != WATCH_NOTHING &&
           watch->forms->store->status == SURETY_OK &&
           (watch_decides(watch) || watch_weighs_little(watch));
}

bool surety__watch_is_value(const surety__watch *watch)
{
    return (watch->certain ? watch->was : watch->kind) == WATCH_VALUE;
}

void surety__watch_feed(surety__watch *watch, surety__piece piece,
                        surety_str text)
{
    const surety_contract *contract = watch->forms->setup->options.contract;

    if (watch->kind == WATCH_NOTHING || watch->stops ||
        piece == PIECE_REASONING)
        return;
    if (surety__watch_is_value(watch) && piece == PIECE_TEXT) {
        watch->beside = true;
        return;
    }
    watch_feed(watch, text);
    if (watch->kind != WATCH_NOTHING && watch_is_broken(watch)) {
        if (watch->mode == SURETY_MODE_NATIVE)
            watch_as(watch, WATCH_TEXT, contract);
        else if (watch->beside)
            watch->kind = WATCH_NOTHING;
    }
    watch->stops = watch->kind != WATCH_NOTHING &&
                   watch->forms->store->status == SURETY_OK &&
                   watch_ends(watch);
}

bool surety__watch_refuses(surety__watch *watch, surety_str native)
{
    if (watch->certain)
        return watch->was == WATCH_VALUE;
    if (watch->kind == WATCH_VALUE && !watch->whole && !watch->fed)
        watch_feed(watch, native);
    return watch->kind == WATCH_VALUE && !watch->whole &&
           surety_stream_info_of(watch->stream)->state == SURETY_STREAM_NO &&
           !watch_is_broken(watch);
}

bool surety__watch_value(const surety__watch *watch, surety_val *ret_val)
{
    const surety_stream_info *info = surety_stream_info_of(watch->stream);

    if ((watch->kind != WATCH_TEXT && watch->kind != WATCH_VALUE) ||
        info->state != SURETY_STREAM_OPEN || !info->value.doc)
        return false;
    *ret_val = info->value;
    return true;
}

bool surety__watch_is_open(const surety__watch *watch)
{
    return watch->kind == WATCH_VALUE &&
           surety_stream_info_of(watch->stream)->state == SURETY_STREAM_OPEN;
}

surety_str surety__watch_reply(const surety__watch *watch)
{
    return surety_stream_info_of(watch->stream)->reply;
}

void surety__watch_note(const surety__watch *watch, surety__attempt *attempt)
{
    surety_attempt *seen = &attempt->seen;
    const surety_issue finding = surety_stream_info_of(watch->stream)->finding;
    const surety_stream_state state =
        surety_stream_info_of(watch->stream)->state;
    const uint64_t most = surety__budget_reply_max(seen->model);
    const bool before = watch->certain && state != SURETY_STREAM_RUNAWAY;

    assert(!before || watch->found);
    seen->stopped = before ? watch->certain : state;
    seen->stopped_bytes = surety__watch_reply(watch).len;
    seen->stopped_tokens = surety__budget_estimate((size_t)seen->stopped_bytes);
    seen->saved_known = most > seen->stopped_tokens;
    if (seen->saved_known)
        seen->saved_tokens = most - seen->stopped_tokens;
    attempt->finding = before
                           ? watch->finding
                           : surety__store_issue(watch->forms->store, &finding);
    attempt->broke = !watch->stops;
}
