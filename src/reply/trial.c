/* SPDX-License-Identifier: Apache-2.0 */
/* One candidate on its way: read, checked against the schema, then against what
 * JSON Schema cannot say. Each step gives the stage that the candidate reached.
 *
 * 1. There are two trials, the one at hand and the best so far; they change
 *    places.
 * 2. A whole reply that is no JSON is prose, and counts as nothing found,
 *    unless it begins as an object or array does.
 * 3. The message why a text is no JSON is made only for the candidate that the
 *    outcome is about.
 * 4. Counting errors means reporting them, which costs far more than the check:
 *    it is a step of its own. */
#include "reply/reply.h"

#include "schema/schema.h"

/* The trial that is not the best so far. */
static surety__trial *trial_other(surety_judge *judge)
{
    return judge->best == &judge->trials[0] ? &judge->trials[1]
                                            : &judge->trials[0];
}

surety__trial *surety__trial_spare(surety_judge *judge)
{
    surety__trial *spare = trial_other(judge);

    if (judge->best && spare->doc == judge->best->doc)
        spare->doc =
            spare->doc == judge->docs[0] ? judge->docs[1] : judge->docs[0];
    return spare;
}

surety__trial *surety__trial_take(surety_judge *judge, size_t index,
                                  const surety_candidate *candidate)
{
    surety__trial *now = trial_other(judge);

    assert(now != judge->best && candidate->start <= candidate->end);
    memset((char *)now + offsetof(surety__trial, candidate), 0,
           sizeof(*now) - offsetof(surety__trial, candidate));
    now->candidate = *candidate;
    now->index = index;
    now->stage = SURETY_STAGE_JSON_PARSE;
    now->counted = true;
    now->error_count = 1;
    surety__findings_reset(now->findings);
    judge->now = now;
    return now;
}

surety__trial *surety__trial_take_native(surety_judge *judge)
{
    const surety_str native = judge->task.options.native;
    const surety_candidate candidate = {
        .place = SURETY_PLACE_NATIVE, .end = native.len, .text = native};

    (void)surety__trial_spare(judge);
    return surety__trial_take(judge, 0, &candidate);
}

void surety__trial_take_found(surety_judge *judge)
{
    const size_t count = surety_finder_count(judge->finder);
    const size_t index = count - 1;
    const surety_candidate candidate = surety_finder_at(judge->finder, index);

    assert(count > 0);
    surety__trial_take(judge, index, &candidate);
    if (surety__finder_has_read(judge->finder, index))
        judge->now->stage = SURETY_STAGE_VALIDATION;
}

/* Reads a trial's candidate. What is the reply's own bytes is not copied; a
 * copy cleaned of markup belongs to the finder, so the doc takes its own. */
surety_status surety__trial_read_text(surety_judge *judge, surety__trial *trial,
                                      surety_error *reterr)
{
    const surety_read_options options = {
        .size = sizeof(options),
        .flags = trial->candidate.stripped ? 0 : SURETY_READ_BORROW,
        .limits = &judge->limits,
    };

    return surety_doc_read(trial->doc, trial->candidate.text, &options, reterr);
}

/* Whether a text starts as a JSON value does (RFC 8259, section 3). */
static bool trial_may_be_json(surety_str text)
{
    return memchr("{[\"-0123456789tfn", text.ptr[0], 17) != NULL;
}

/* Whether the trial at hand, which is JSON, is a number to which digits may be
 * missing: the provider says that it cut the reply, and the number is at
 * its very end. Every other value says itself that it has ended. */
static bool trial_is_open(const surety_judge *judge)
{
    const surety__trial *now = judge->now;
    const surety_str text = surety__trial_is_native(now)
                                ? judge->task.options.native
                                : judge->task.reply;

    return judge->task.options.cut && now->candidate.end == text.len &&
           surety_val_kind(surety_doc_root(now->doc)) == SURETY_KIND_NUMBER;
}

/* JSON: is it exactly one value? Why it is none is asked only of the candidate
 * that the outcome is about. */
surety_status surety__trial_read(surety_judge *judge, surety_error *reterr)
{
    surety__trial *now = judge->now;
    const bool whole = now->candidate.place == SURETY_PLACE_WHOLE;
    const bool read = now->stage == SURETY_STAGE_VALIDATION;
    surety_status status = read ? SURETY_OK : SURETY_SYNTAX;

    assert(read || now->stage == SURETY_STAGE_JSON_PARSE);
    if (!read && (!whole || trial_may_be_json(now->candidate.text)))
        status = surety__trial_read_text(judge, now, NULL);
    if (status == SURETY_OK) {
        now->cut = trial_is_open(judge);
        now->fault.path[0] = '\0';
        now->stage =
            now->cut ? SURETY_STAGE_JSON_PARSE : SURETY_STAGE_VALIDATION;
        return SURETY_OK;
    }
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (whole && status == SURETY_SYNTAX &&
        !memchr("{[", now->candidate.text.ptr[0], 2))
        now->stage = SURETY_STAGE_EXTRACTION;
    return SURETY_OK;
}

/* What the contract's rules say. */
static surety_status trial_rules(surety_judge *judge, surety__trial *trial,
                                 surety_error *reterr)
{
    const size_t count =
        surety_contract_info_of(judge->task.contract)->rule_count;
    const surety__rule_result *results;
    surety_status status;

    trial->error_count = 0;
    if (!count) {
        trial->stage = SURETY_STAGE_DONE;
        return SURETY_OK;
    }
    if (!judge->rules)
        judge->rules = surety__rules_new(judge->task.contract, judge->alloc);
    if (!judge->rules)
        return surety__fail_nomem(reterr);
    status = surety__rules_check(judge->rules, surety__trial_value(trial),
                                 &results, reterr);
    if (status != SURETY_OK)
        return status;
    trial->results = surety__arena_take(&judge->outcome.arena,
                                        count * sizeof(*trial->results));
    if (!trial->results)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count; i++) {
        trial->results[i] = results[i];
        trial->error_count += !results[i].holds;
        if (!surety__outcome_copy(&judge->outcome, results[i].text,
                                  &trial->results[i].text))
            return surety__fail_nomem(reterr);
    }
    if (trial->error_count == 0)
        trial->stage = SURETY_STAGE_DONE;
    return SURETY_OK;
}

surety_status surety__trial_beyond(surety_judge *judge, surety__trial *trial,
                                   surety_error *reterr)
{
    surety_val value = surety__trial_value(trial);
    surety_status status = trial_rules(judge, trial, reterr);
    bool breaks;

    if (status != SURETY_OK || trial->stage != SURETY_STAGE_DONE ||
        !judge->task.options.validator_count)
        return status;
    status = surety__trial_complete(judge, &value, &breaks, reterr);
    if (status == SURETY_OK)
        status = surety__validate(judge, trial, value, reterr);
    return status;
}

/* Schema, rules, validators: does it satisfy the contract? If not for what
 * the schema does not say, with how many errors? */
surety_status surety__trial_check(surety_judge *judge, surety_error *reterr)
{
    const surety_schema *schema = judge->task.schema;
    surety__trial *now = judge->now;
    const surety_val root = surety_doc_root(now->doc);
    bool valid = false;
    surety_status status;

    now->refused = now->stage == SURETY_STAGE_VALIDATION &&
                   surety__trial_is_native(now) &&
                   judge->task.options.native_fault != NULL;
    if (now->stage != SURETY_STAGE_VALIDATION || now->refused)
        return SURETY_OK;
    status = surety_checker_check(judge->checker, schema, root, &valid, reterr);
    if (status != SURETY_OK)
        return status;
    if (valid)
        return surety__trial_beyond(judge, now, reterr);
    now->counted = false;
    return SURETY_OK;
}

surety_status surety__trial_count(surety_judge *judge, surety__trial *trial,
                                  surety_error *reterr)
{
    surety_status status;

    status = surety_checker_report(judge->checker, judge->task.schema,
                                   surety_doc_root(trial->doc), trial->findings,
                                   reterr);
    trial->counted = true;
    if (status == SURETY_OK)
        trial->error_count = surety_findings_count(trial->findings) +
                             surety_findings_truncated(trial->findings);
    return status;
}

surety_status surety__trial_complete(surety_judge *judge, surety_val *value,
                                     bool *ret_breaks, surety_error *reterr)
{
    const surety_contract *contract = judge->task.contract;
    const surety_schema *schema = surety_contract_info_of(contract)->schema;
    const bool strip = surety_contract_info_of(contract)->strips_unknown;
    const bool fill = surety_contract_info_of(contract)->fills_defaults &&
                      schema->has_defaults;
    const surety_val given = *value;
    surety_status status;
    bool valid = false;

    *ret_breaks = false;
    if (!fill && !strip && !schema->has_deprecated)
        return SURETY_OK;
    status = surety__checker_complete(judge->checker, schema, fill, strip,
                                      judge->completed, value, reterr);
    if (status != SURETY_OK || value->doc == given.doc)
        return status;
    status = surety_checker_check(judge->checker, schema, *value, &valid, NULL);
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    *ret_breaks = !valid; /* nor is one whose check ends at a limit */
    if (!valid)
        *value = given;
    return SURETY_OK;
}
