/* SPDX-License-Identifier: Apache-2.0 */
/* The judge: the order of the pure work, from a contract and a model's reply to
 * an outcome. Every step is a call of another folder; this page only says what
 * follows what. Start at surety_judge_reply.
 *
 * A reply has candidates, spans that may be the JSON. Each is read strictly,
 * checked against the schema, and, where the schema holds, against the
 * contract's rules. The first that passes is taken. Where none does, the
 * outcome is about the one that got furthest: validation before json_parse,
 * then fewest errors, then order.
 *
 * 1. A bad reply is no error. A call fails only for memory, a limit on the work
 *    or on the reply's length, or a rule that cannot be run; a candidate that
 *    is beyond a limit of the reader (depth, a number's length) is a candidate
 *    that cannot be read.
 * 2. Two trials are kept, the one at hand and the best so far; they change
 *    places, so nothing is reported twice.
 * 3. Counting errors means reporting them, which costs far more than the check.
 *    It is done for the first JUDGE_REPORTS_MAX candidates; invalid ones after
 *    those are not compared.
 * 4. A whole reply that is no JSON is prose, and counts as nothing found,
 *    unless it begins as an object or array does.
 * 5. Nothing is repaired here, and nothing outside of the reply is asked. */
#include "reply/reply.h"

#include "schema/schema.h"
#include "text/text.h"

enum { JUDGE_REPORTS_MAX = 16 };

static surety_status judge_find(surety_judge *judge, surety_error *reterr);
static bool judge_next(surety_judge *judge);
static surety_status judge_read(surety_judge *judge, surety_error *reterr);
static surety_status judge_check(surety_judge *judge, surety_error *reterr);
static bool judge_keep(surety_judge *judge);
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
    bool found = false;
    surety_status status;

    if (!judge || !contract || !ret_outcome || (reply.len && !reply.ptr))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a judge, a contract and a reply are needed");
    status = judge_begin(judge, contract, reply, options, reterr);
    if (status == SURETY_OK)
        status = judge_find(judge, reterr);
    while (status == SURETY_OK && !found && judge_next(judge)) {
        status = judge_read(judge, reterr);
        if (status == SURETY_OK)
            status = judge_check(judge, reterr);
        if (status == SURETY_OK)
            found = judge_keep(judge);
    }
    if (status == SURETY_OK)
        status =
            found ? judge_accept(judge, reterr) : judge_reject(judge, reterr);
    judge_end(judge);
    if (status == SURETY_OK)
        *ret_outcome = &judge->outcome;
    return status;
}

/* Text: where may the JSON stand? The native text is tried where its place is
 * listed, before the candidates of the places behind it. */
static surety_status judge_find(surety_judge *judge, surety_error *reterr)
{
    const surety_extract *how = judge->extract;
    const surety_str native = judge->options.native;
    surety_status status;
    size_t rank = 0;

    status = surety_finder_find(judge->finder, judge->reply, how,
                                &judge->limits, reterr);
    if (status != SURETY_OK || !native.len)
        return status;
    if (native.len > judge->limits.text_bytes_max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the native value has %zu bytes, more than the "
                            "limit text_bytes_max of %zu",
                            native.len, judge->limits.text_bytes_max);
    while (rank < how->from_count && how->from[rank] != SURETY_PLACE_NATIVE)
        rank++;
    if (how->from_count && rank == how->from_count)
        return SURETY_OK;
    judge->native_turn = 0;
    for (size_t i = 0; i < surety_finder_count(judge->finder); i++)
        for (size_t before = 0; before < rank; before++)
            if (surety_finder_at(judge->finder, i).place == how->from[before])
                judge->native_turn = i + 1;
    return SURETY_OK;
}

/* Makes the next candidate the trial at hand; false where there is none. */
static bool judge_next(surety_judge *judge)
{
    surety__trial *now = judge->best == &judge->trials[0] ? &judge->trials[1]
                                                          : &judge->trials[0];
    const bool listed = judge->native_turn != SIZE_MAX;
    const bool passed = listed && judge->turn > judge->native_turn;

    if (judge->turn == surety_finder_count(judge->finder) + listed)
        return false;
    now->index = judge->turn - passed;
    now->stage = SURETY_STAGE_JSON_PARSE;
    now->error_count = 1;
    now->verdicts = NULL;
    surety_findings_reset(now->findings);
    if (judge->turn == judge->native_turn) {
        now->index = SURETY__NATIVE;
        now->candidate = (surety_candidate){.place = SURETY_PLACE_NATIVE,
                                            .end = judge->options.native.len,
                                            .text = judge->options.native};
    } else {
        now->candidate = surety_finder_at(judge->finder, now->index);
    }
    judge->now = now;
    judge->turn++;
    return true;
}

/* Reads a trial's candidate. What is the reply's own bytes is not copied; a
 * copy cleaned of markup belongs to the finder, so the doc takes its own. */
static surety_status judge_read_text(surety_judge *judge, surety__trial *trial,
                                     surety_error *reterr)
{
    const surety_read_options options = {
        .size = sizeof(options),
        .flags = trial->candidate.stripped ? 0 : SURETY_READ_BORROW,
        .limits = &judge->limits,
    };

    return surety_doc_read(trial->doc, trial->candidate.text, &options, reterr);
}

/* JSON: is it exactly one value? Why it is none is asked only of the candidate
 * that is told of in the end: prose before a block is no JSON, and nobody wants
 * to know why. */
static surety_status judge_read(surety_judge *judge, surety_error *reterr)
{
    surety__trial *now = judge->now;
    surety_status status = judge_read_text(judge, now, NULL);

    if (status == SURETY_OK) {
        now->stage = SURETY_STAGE_VALIDATION;
        return SURETY_OK;
    }
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (now->candidate.place == SURETY_PLACE_WHOLE && status == SURETY_SYNTAX &&
        !memchr("{[", now->candidate.text.ptr[0], 2))
        now->stage = SURETY_STAGE_EXTRACTION;
    return SURETY_OK;
}

/* The rules, where the schema holds: what JSON Schema cannot say. */
static surety_status judge_rules(surety_judge *judge, surety_error *reterr)
{
    const size_t count = surety_contract_rule_count(judge->contract);
    surety__trial *now = judge->now;
    const surety__verdict *verdicts;
    surety_status status;

    now->error_count = 0;
    if (!count)
        return SURETY_OK;
    if (!judge->rules)
        judge->rules = surety__rules_new(judge->contract, judge->alloc);
    if (!judge->rules)
        return surety__fail_nomem(reterr);
    status = surety__rules_check(judge->rules, surety_doc_root(now->doc),
                                 &verdicts, reterr);
    if (status != SURETY_OK)
        return status;
    now->verdicts = surety__arena_take(&judge->outcome.arena,
                                       count * sizeof(*now->verdicts));
    if (!now->verdicts)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count; i++) {
        now->verdicts[i] = verdicts[i];
        now->error_count += !verdicts[i].holds;
        if (!surety__outcome_copy(&judge->outcome, verdicts[i].text,
                                  &now->verdicts[i].text))
            return surety__fail_nomem(reterr);
    }
    return SURETY_OK;
}

/* Schema, then rules: does it satisfy the contract? If not, with how many
 * errors? */
static surety_status judge_check(surety_judge *judge, surety_error *reterr)
{
    const surety_schema *schema = surety_contract_schema(judge->contract);
    surety__trial *now = judge->now;
    const surety_val root = surety_doc_root(now->doc);
    bool valid = false;
    surety_status status;

    if (now->stage != SURETY_STAGE_VALIDATION)
        return SURETY_OK;
    status = surety_checker_check(judge->checker, schema, root, &valid, reterr);
    if (status != SURETY_OK)
        return status;
    if (valid) {
        status = judge_rules(judge, reterr);
        if (status == SURETY_OK && now->error_count == 0)
            now->stage = SURETY_STAGE_DONE;
        return status;
    }
    now->error_count = SIZE_MAX;
    if (judge->reports++ >= JUDGE_REPORTS_MAX)
        return SURETY_OK;
    status = surety_checker_report(judge->checker, schema, root, now->findings,
                                   reterr);
    if (status == SURETY_OK)
        now->error_count = surety_findings_count(now->findings) +
                           surety_findings_truncated(now->findings);
    return status;
}

/* Keeps the trial at hand where it got further than the best so far; true
 * where it is valid, which nothing can beat. */
static bool judge_keep(surety_judge *judge)
{
    const surety__trial *now = judge->now;
    const surety__trial *best = judge->best;

    if (now->stage == SURETY_STAGE_DONE) {
        judge->best = judge->now;
        return true;
    }
    if (now->stage == SURETY_STAGE_EXTRACTION)
        return false;
    if (!best || now->stage > best->stage ||
        (now->stage == best->stage && now->error_count < best->error_count))
        judge->best = judge->now;
    return false;
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
    if (best->index == SURETY__NATIVE)
        outcome->seen = judge->options.native;
}

/* The members that the contract derives from a valid value. */
static surety_status judge_derive(surety_judge *judge, surety_error *reterr)
{
    surety_outcome *outcome = &judge->outcome;
    surety_status status;

    if (!judge->options.derive)
        return SURETY_OK;
    if (!judge->rules)
        judge->rules = surety__rules_new(judge->contract, judge->alloc);
    if (!judge->rules)
        return surety__fail_nomem(reterr);
    status = surety__rules_derive(judge->rules, outcome->value, judge->derived,
                                  reterr);
    if (status == SURETY_OK)
        outcome->derived = surety_doc_root(judge->derived);
    return status;
}

/* A valid candidate: complete it, derive from it, warn. */
static surety_status judge_accept(surety_judge *judge, surety_error *reterr)
{
    const surety_contract *contract = judge->contract;
    const surety_schema *schema = surety_contract_schema(contract);
    const bool strip = surety_contract_strips_unknown(contract);
    const bool fill = surety_contract_fills_defaults(contract) &&
                      surety__schema_has_defaults(schema);
    surety_outcome *outcome = &judge->outcome;
    surety_status status = SURETY_OK;
    bool changed = false;

    judge_name(judge);
    outcome->value = surety_doc_root(judge->best->doc);
    if (fill || strip)
        status = surety_checker_complete(judge->checker, schema, outcome->value,
                                         fill, strip, judge->completed,
                                         &changed, reterr);
    if (changed)
        outcome->value = surety_doc_root(judge->completed);
    if (status == SURETY_OK)
        status = judge_derive(judge, reterr);
    if (status != SURETY_OK)
        return status;
    status = surety__explain_warnings(judge);
    if (status == SURETY_OK)
        status = surety__locate_all(outcome);
    return status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

/* No valid candidate: explain why, warn, and fall back where that is allowed.
 */
static surety_status judge_reject(surety_judge *judge, surety_error *reterr)
{
    surety_status status;

    judge_name(judge);
    if (judge->best && judge->best->stage == SURETY_STAGE_JSON_PARSE &&
        judge_read_text(judge, judge->best, &judge->best->fault) ==
            SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    status = surety__explain_errors(judge);
    if (status == SURETY_OK)
        status = surety__explain_warnings(judge);
    if (status == SURETY_OK)
        status = surety__locate_all(&judge->outcome);
    if (status != SURETY_OK)
        return surety__fail_nomem(reterr);
    return surety__fallback_apply(judge, reterr);
}

/* ---- the life of a judge ------------------------------------------------ */

static surety_status judge_begin(surety_judge *judge,
                                 const surety_contract *contract,
                                 surety_str reply,
                                 const surety_judge_options *options,
                                 surety_error *reterr)
{
    surety_judge_options *own = &judge->options;

    *own = (surety_judge_options){.size = sizeof(*own)};
    if (options)
        memcpy(own, options,
               options->size && options->size < sizeof(*own) ? options->size
                                                             : sizeof(*own));
    if ((own->native.len && !own->native.ptr) ||
        (own->variables_count && !own->variables))
        return surety__fail(reterr, SURETY_MISUSE,
                            "an option has a length but no address");
    judge->contract = contract;
    judge->extract =
        own->extract ? own->extract : surety_contract_extract(contract);
    judge->reply = reply;
    judge->best = NULL;
    judge->turn = 0;
    judge->native_turn = SIZE_MAX;
    judge->reports = 0;
    surety__outcome_reset(&judge->outcome);
    judge->outcome.contract_id = surety_contract_id(contract);
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
    bool whole;

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
    judge->derived = surety_doc_new(alloc);
    judge->fallback = surety_doc_new(alloc);
    whole = judge->finder && judge->checker && judge->completed &&
            judge->derived && judge->fallback;
    for (size_t i = 0; i < 2; i++) {
        judge->trials[i].doc = surety_doc_new(alloc);
        judge->trials[i].findings = surety_findings_new(alloc);
        whole = whole && judge->trials[i].doc && judge->trials[i].findings;
    }
    if (whole)
        return judge;
    surety_judge_free(judge);
    return NULL;
}

/* Frees what an outcome does not stand on. */
static void judge_shed(surety_judge *judge)
{
    surety_finder_free(judge->finder);
    surety_checker_free(judge->checker);
    surety_buf_done(&judge->scratch);
    judge->finder = NULL;
    judge->checker = NULL;
    for (size_t i = 0; i < 2; i++) {
        surety_findings_free(judge->trials[i].findings);
        judge->trials[i].findings = NULL;
        if (&judge->trials[i] != judge->best) {
            surety_doc_free(judge->trials[i].doc);
            judge->trials[i].doc = NULL;
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
    surety_doc_free(judge->fallback);
    surety__outcome_done(&judge->outcome);
    surety__free(judge->alloc, judge, sizeof(*judge));
}

surety_status surety_reply_judge(const surety_contract *contract,
                                 surety_str reply,
                                 const surety_judge_options *options,
                                 surety_outcome **ret_outcome,
                                 surety_error *reterr)
{
    const surety_outcome *outcome;
    surety_judge *judge;
    surety_status status;

    if (!contract || !ret_outcome)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a contract and a place for the outcome are "
                            "needed");
    judge = surety_judge_new(contract->alloc, &contract->limits);
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
