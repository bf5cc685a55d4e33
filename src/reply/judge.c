/* SPDX-License-Identifier: Apache-2.0 */
/* The judge: the order of the pure work, from a contract and a model's reply to
 * an outcome. Every step is a call; this page only says what follows what.
 * Start at surety_judge_reply.
 *
 * A reply has candidates, stretches that may be the JSON. Each is read
 * strictly, checked against the schema, and, where the schema holds, against
 * the contract's rules and the host's validators (trial.c). The first that
 * passes is taken; of those of one place that take repairs, the one that takes
 * least. Where none is valid, the outcome is about the one that got furthest
 * (rank.c).
 *
 * 1. A bad reply is no error. A call fails only for memory, a limit on the work
 *    or on the reply's length, or a rule that cannot be run; a candidate that
 *    is beyond a limit of the reader (depth, a number's length) is a candidate
 *    that cannot be read.
 * 2. Candidates are found one after the other, so that nothing is looked for
 *    behind the one that is taken. Where the finder reads a value to know where
 *    it ends, it reads it into the trial's document, and it is not read again.
 * 3. Where the contract allows repairs, each place gets a second, tolerant pass
 *    (repair.c) when none of its candidates is valid unchanged, before a
 *    candidate of the next place is tried. Without repairs and partial values
 *    there is no such pass, and nothing is paid for it. A whole reply in quotes
 *    that is no JSON may be a string: it is tried last, when no later place had
 *    a value.
 * 4. Nothing outside of the reply is called but the host's validators, which
 *    may reject a value that would be taken. One that is not done ends the
 *    judgement, which the host makes again. */
#include "align/align.h"
#include "reply/reply.h"

#include "schema/schema.h"

static surety_status judge_find(surety_judge *judge, surety_error *reterr);
static surety_status judge_next(surety_judge *judge, surety_place *ret_place,
                                surety_error *reterr);
static surety_status judge_place(surety_judge *judge, surety_place place,
                                 surety_error *reterr);
static surety_status judge_last(surety_judge *judge, surety_error *reterr);
static bool judge_has_won(const surety_judge *judge);
static surety_status judge_accept(surety_judge *judge, surety_error *reterr);
static surety_status judge_reject(surety_judge *judge, surety_error *reterr);
static surety_status judge_begin(surety_judge *judge,
                                 const surety_contract *contract,
                                 surety_str reply,
                                 const surety_judge_options *options,
                                 surety_error *reterr);
static void judge_end(surety_judge *judge);

surety_status surety_judge_reply(surety_judge *judge,
                                 const surety_contract *contract,
                                 surety_str reply,
                                 const surety_judge_options *options,
                                 const surety_outcome **ret_outcome,
                                 surety_error *reterr)
{
    surety_place place;
    surety_status status;

    if (!judge || !contract || !ret_outcome || (reply.len && !reply.ptr))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a judge, a contract and a reply are needed");
    status = judge_begin(judge, contract, reply, options, reterr);
    if (status == SURETY_OK)
        status = judge_find(judge, reterr);
    while (status == SURETY_OK && !judge_has_won(judge)) {
        status = judge_next(judge, &place, reterr);
        if (status == SURETY_OK)
            status = judge_place(judge, place, reterr);
    }
    if (status == SURETY_END)
        status = judge_last(judge, reterr);
    if (status == SURETY_OK)
        status = judge_has_won(judge) ? judge_accept(judge, reterr)
                                      : judge_reject(judge, reterr);
    judge_end(judge);
    if (status == SURETY_OK) {
        surety__outcome_settle(&judge->outcome);
        *ret_outcome = &judge->outcome;
    }
    return status;
}

/* Whether the best candidate is valid. */
static bool judge_has_won(const surety_judge *judge)
{
    return judge->best && judge->best->stage == SURETY_STAGE_DONE;
}

/* Makes the finder ready for the reply. */
static surety_status judge_find(surety_judge *judge, surety_error *reterr)
{
    const size_t native_len = judge->task.options.native.len;
    const surety_status status =
        surety__finder_begin(judge->finder, judge->task.reply,
                             &judge->task.extract, &judge->limits, reterr);

    if (status == SURETY_OK && native_len > judge->limits.text_bytes_max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the native value has %zu bytes, more than the "
                            "limit text_bytes_max of %zu",
                            native_len, judge->limits.text_bytes_max);
    return status;
}

/* The next place to look at; END: there is none. */
static surety_status judge_next(surety_judge *judge, surety_place *ret_place,
                                surety_error *reterr)
{
    const surety_status status = surety__finder_place(judge->finder, ret_place);

    assert(status != SURETY_OK || *ret_place != SURETY_PLACE_NONE);
    return status == SURETY_NOMEM ? surety__fail_nomem(reterr) : status;
}

/* Whether a candidate begins inside the best trial's value, which was cut
 * off. */
static bool judge_is_cut_off(const surety_judge *judge,
                             const surety_candidate *candidate)
{
    return judge->cut_off && judge->best->cut &&
           !surety__trial_is_native(judge->best) &&
           candidate->start >= judge->best->candidate.start;
}

/* Reads and checks the candidate at hand, and keeps it where it is better than
 * those before it. OK does not mean valid: the trial's stage says how far it
 * got. */
static surety_status judge_try(surety_judge *judge, surety_error *reterr)
{
    surety_status status;

    assert(judge->now && judge->now != judge->best);
    status = surety__trial_read(judge, reterr);
    if (status == SURETY_OK)
        status = surety__trial_check(judge, reterr);
    if (status != SURETY_OK || judge_is_cut_off(judge, &judge->now->candidate))
        return status;
    return surety__rank_keep(judge, reterr);
}

/* Tries the native text, which is the only candidate of its place. */
static surety_status judge_native(surety_judge *judge, surety_error *reterr)
{
    if (!judge->task.options.native.len)
        return SURETY_OK;
    surety__trial_take_native(judge);
    return judge_try(judge, reterr);
}

/* Tries the candidates of a place; where none is valid unchanged, those that
 * become valid by repairs. */
static surety_status judge_place(surety_judge *judge, surety_place place,
                                 surety_error *reterr)
{
    surety_status status =
        place == SURETY_PLACE_NATIVE ? judge_native(judge, reterr) : SURETY_OK;

    while (status == SURETY_OK && !judge_has_won(judge)) {
        status =
            surety__finder_next(judge->finder, surety__trial_spare(judge)->doc);
        if (status == SURETY_NOMEM)
            return surety__fail_nomem(reterr);
        if (status != SURETY_OK)
            break;
        surety__trial_take_found(judge);
        status = judge_try(judge, reterr);
    }
    if (status == SURETY_END)
        return judge->task.tolerant ? surety__repair_place(judge, place, reterr)
                                    : SURETY_OK;
    return status;
}

/* No place has a valid value. A whole reply in quotes may be a string
 * (`put_off`); with the level align a value in another form than JSON is read,
 * and a contract for a string may take the reply as it is. */
static surety_status judge_last(surety_judge *judge, surety_error *reterr)
{
    surety_status status = SURETY_OK;

    if (!judge->task.tolerant)
        return SURETY_OK;
    if (judge->put_off && !surety__repair_answered(judge)) {
        judge->taken_up = true;
        status = surety__repair_place(judge, SURETY_PLACE_WHOLE, reterr);
    }
    if (status == SURETY_OK && !judge_has_won(judge))
        status = surety__form_try(judge, reterr);
    if (status == SURETY_OK && !judge_has_won(judge))
        status = surety__repair_text(judge, reterr);
    return status;
}

/* Says in the outcome which candidate it is about. */
static void judge_name(surety_judge *judge)
{
    surety_outcome *outcome = &judge->outcome;
    const surety__trial *best = judge->best;

    outcome->stage = best ? best->stage : SURETY_STAGE_EXTRACTION;
    if (!best)
        return;
    outcome->place = best->candidate.place;
    outcome->start = best->candidate.start;
    outcome->end = best->candidate.end;
    if (surety__trial_is_native(best))
        outcome->seen = judge->task.options.native;
}

/* The members that the contract derives from a valid value. */
static surety_status judge_derive(surety_judge *judge, surety_error *reterr)
{
    surety_outcome *outcome = &judge->outcome;
    surety_status status;

    assert(judge_has_won(judge));
    if (!judge->task.options.derive)
        return SURETY_OK;
    if (!judge->rules)
        judge->rules = surety__rules_new(judge->task.contract, judge->alloc);
    if (!judge->derived)
        judge->derived = surety_doc_new(judge->alloc);
    if (!judge->rules || !judge->derived)
        return surety__fail_nomem(reterr);
    status = surety__rules_derive(judge->rules, outcome->value, judge->derived,
                                  reterr);
    if (status == SURETY_OK)
        outcome->derived = surety_doc_root(judge->derived);
    return status;
}

/* Whether a closing bracket that is not the value's follows it, and text is
 * before it: the value may be a part of another, whose first bracket is
 * missing. */
static bool judge_is_inside(surety_str reply, size_t start, size_t end)
{
    const surety_str before = {reply.ptr, start};
    const surety_str rest =
        surety__str_trim((surety_str){reply.ptr + end, reply.len - end});

    return surety__str_trim(before).len && rest.len &&
           memchr("}]", *rest.ptr, 2);
}

/* The same of closing brackets that were read as those of the value: brackets
 * before it show that it is a part. */
static bool judge_is_torn(const surety_judge *judge)
{
    const surety__trial *best = judge->best;
    const char *reply = judge->task.reply.ptr;
    const size_t len = best->candidate.start;

    return best->brackets && len &&
           (memchr(reply, '{', len) || memchr(reply, '[', len));
}

/* Whether a closing bracket follows that may be the value's last one, because
 * one inside was doubled. Where it was skipped by a repair, that says so. */
static bool judge_is_doubled(const surety_judge *judge)
{
    const surety__trial *best = judge->best;
    const surety_str reply = judge->task.reply;
    const size_t end = best->candidate.end;
    const surety_str rest =
        surety__str_trim((surety_str){reply.ptr + end, reply.len - end});

    return !best->brackets && rest.len && *rest.ptr == reply.ptr[end - 1] &&
           surety__val_shifts(surety_doc_root(best->doc));
}

/* Whether the reply goes on with members behind the value: its bracket may have
 * been closed too early. */
static bool judge_is_closed_early(const surety_judge *judge)
{
    const surety__trial *best = judge->best;

    return !surety__trial_is_native(best) && !best->candidate.stripped &&
           !best->text && !best->rows && !best->cut && best->candidate.end &&
           memchr("}]", judge->task.reply.ptr[best->candidate.end - 1], 2) &&
           (surety__text_goes_on(judge->task.reply, best->candidate.end) ||
            judge_is_torn(judge) || judge_is_doubled(judge) ||
            judge_is_inside(judge->task.reply, best->candidate.start,
                            best->candidate.end));
}

/* Says what other value there is, or more of this one. */
static surety_status judge_warn(surety_judge *judge)
{
    if (judge_is_closed_early(judge) &&
        surety__explain_behind(judge, judge->best->candidate.end) != SURETY_OK)
        return SURETY_NOMEM;
    if (judge->cut_off && !judge->best->cut)
        return surety__explain_warn(
            judge, "ambiguous",
            "another value, which may be meant, is cut off: the complete one "
            "was taken");
    if (judge->another.found)
        return surety__explain_another(judge, judge->another.start);
    return SURETY_OK;
}

/* Adds the warnings and repairs, and gives every issue its line and column. */
static surety_status judge_finish(surety_judge *judge, surety_error *reterr)
{
    surety_status status = surety__explain_warnings(judge);

    if (status == SURETY_OK && judge_has_won(judge))
        status = judge_warn(judge);
    if (status == SURETY_OK)
        status = surety__notes_fill(judge);
    if (status == SURETY_OK)
        status = surety__locate_all(&judge->outcome);
    return status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

/* A valid candidate: look for another, complete this one, derive from it,
 * warn. */
static surety_status judge_accept(surety_judge *judge, surety_error *reterr)
{
    const surety_schema *schema = judge->task.schema;
    surety_outcome *outcome = &judge->outcome;
    surety_status status;
    bool breaks;

    assert(judge_has_won(judge));
    status = surety__another_find(judge, reterr);
    if (status != SURETY_OK)
        return status;
    judge_name(judge);
    outcome->value = surety__trial_value(judge->best);
    if (!outcome->partial) {
        status =
            surety__trial_complete(judge, &outcome->value, &breaks, reterr);
        if (status == SURETY_OK && schema->has_deprecated)
            status = surety__explain_deprecated(judge);
        if (status == SURETY_OK && breaks)
            status = surety__explain_warn(
                judge, "default",
                "the value stays as it is, because with its defaults filled in "
                "or its unknown members left out it breaks its schema");
    }
    if (status == SURETY_OK)
        status = judge_derive(judge, reterr);
    return status == SURETY_OK ? judge_finish(judge, reterr) : status;
}

/* No valid candidate: explain why, warn, and fall back where that is allowed.
 */
static surety_status judge_reject(surety_judge *judge, surety_error *reterr)
{
    surety__trial *best = judge->best;
    surety_status status = SURETY_OK;

    assert(!judge_has_won(judge));
    if (best && best->stage == SURETY_STAGE_VALIDATION && !best->counted)
        status = surety__trial_count(judge, best, reterr);
    if (status != SURETY_OK)
        return status;
    judge_name(judge);
    if (best && !best->tolerant && best->stage == SURETY_STAGE_JSON_PARSE &&
        surety__trial_read_text(judge, best, &best->fault) == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (surety__explain_errors(judge) != SURETY_OK)
        return surety__fail_nomem(reterr);
    status = judge_finish(judge, reterr);
    return status == SURETY_OK ? surety__fallback_apply(judge, reterr) : status;
}

/* ---- the life of a judge ------------------------------------------------ */

static surety_status judge_begin(surety_judge *judge,
                                 const surety_contract *contract,
                                 surety_str reply,
                                 const surety_judge_options *options,
                                 surety_error *reterr)
{
    surety_judge_options *own = &judge->task.options;

    if (surety__options_take(own, sizeof(*own), options, reterr) ||
        surety__options_take(&judge->task.extract, sizeof(judge->task.extract),
                             own->extract
                                 ? own->extract
                                 : surety_contract_info_of(contract)->extract,
                             reterr))
        return SURETY_MISUSE;
    if ((own->native.len && !own->native.ptr) ||
        (own->variables_count && !own->variables) ||
        (own->validator_count && !own->validators))
        return surety__fail(reterr, SURETY_MISUSE,
                            "an option has a length but no address");
    judge->task.contract = contract;
    judge->task.schema = surety_contract_info_of(contract)->schema;
    judge->task.reply = reply;
    judge->put_off = judge->taken_up = false;
    judge->best = NULL;
    judge->compared = 0;
    judge->cut_off = judge->unvalidated = judge->another.found = false;
    judge->task.repair =
        own->repair ? *own->repair : surety_contract_info_of(contract)->repair;
    judge->task.partial =
        own->partial || surety_contract_info_of(contract)->partial;
    judge->task.tolerant =
        judge->task.repair != SURETY_REPAIR_NONE || judge->task.partial;
    surety__outcome_reset(&judge->outcome);
    judge->outcome.contract_id = surety_contract_info_of(contract)->id;
    judge->outcome.seen = reply;
    return SURETY_OK;
}

/* Lets go of what is for one reply only. A rules' worker goes back to the
 * contract, so a judge may outlive the contracts it judged by. */
static void judge_end(surety_judge *judge)
{
    surety__rules_free(judge->rules);
    judge->rules = NULL;
}

surety_judge *surety_judge_new(const surety_alloc *alloc,
                               const surety_limits *limits)
{
    surety_judge *judge = surety__new(alloc, sizeof(*judge));
    bool complete;

    if (!judge)
        return NULL;
    judge->alloc = alloc;
    judge->limits = surety_limits_of(limits);
    judge->outcome.judge = judge;
    surety__arena_init(&judge->outcome.arena, alloc, 0);
    surety_buf_init(&judge->scratch, alloc, 0);
    judge->finder = surety_finder_new(alloc);
    judge->checker = surety_checker_new(alloc, &judge->limits);
    judge->completed = surety_doc_new(alloc);
    complete = judge->finder && judge->checker && judge->completed;
    for (size_t i = 0; i < 2; i++) {
        judge->docs[i] = judge->trials[i].doc = surety_doc_new(alloc);
        judge->trials[i].findings = surety_findings_new(alloc);
        complete = complete && judge->docs[i] && judge->trials[i].findings;
    }
    if (complete)
        return judge;
    surety_judge_free(judge);
    return NULL;
}

/* Frees what the outcome does not use. */
static void judge_shed(surety_judge *judge)
{
    surety_finder_free(judge->finder);
    surety_checker_free(judge->checker);
    surety__forms_free(judge->forms);
    surety_buf_done(&judge->scratch);
    judge->finder = NULL;
    judge->checker = NULL;
    judge->forms = NULL;
    for (size_t i = 0; i < 2; i++) {
        surety__trial *trial = &judge->trials[i];

        surety_findings_free(trial->findings);
        surety__aligner_free(trial->aligner);
        trial->findings = NULL;
        trial->aligner = NULL;
        if (trial != judge->best) {
            surety_doc_free(trial->aligned);
            trial->aligned = trial->doc = NULL;
        }
        if (!judge->best || judge->docs[i] != judge->best->doc) {
            surety_doc_free(judge->docs[i]);
            judge->docs[i] = NULL;
        }
    }
}

void surety_judge_free(surety_judge *judge)
{
    if (!judge)
        return;
    judge->best = NULL;
    judge_shed(judge);
    surety_doc_free(judge->completed);
    surety_doc_free(judge->derived);
    surety__outcome_done(&judge->outcome);
    surety__free(judge->alloc, judge, sizeof(*judge));
}

surety_status surety_contract_judge(const surety_contract *contract,
                                    surety_str reply,
                                    const surety_judge_options *options,
                                    surety_outcome **ret_outcome,
                                    surety_error *reterr)
{
    const surety_outcome *outcome;
    surety_judge_options own;
    surety_limits limits;
    surety_judge *judge;
    surety_status status;

    if (!contract || !ret_outcome)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a contract and an address for the outcome "
                            "are needed");
    if (surety__options_take(&own, sizeof(own), options, reterr))
        return SURETY_MISUSE;
    limits = surety__limits_over(own.limits, &contract->limits);
    judge = surety_judge_new(contract->alloc, &limits);
    if (!judge)
        return surety__fail_nomem(reterr);
    status =
        surety_judge_reply(judge, contract, reply, options, &outcome, reterr);
    if (status != SURETY_OK) {
        surety_judge_free(judge);
        return status;
    }
    judge_shed(judge);
    *ret_outcome = &judge->outcome;
    return SURETY_OK;
}

void surety_outcome_free(surety_outcome *outcome)
{
    if (outcome)
        surety_judge_free(outcome->judge);
}
