/* SPDX-License-Identifier: Apache-2.0 */
/* The judge: the order of the pure work, from a contract and a model's reply to
 * an outcome. Every step is a call of another folder; this page only says what
 * follows what. Start at surety_judge_reply.
 *
 * A reply has candidates, spans that may be the JSON. Each is read strictly,
 * checked against the schema, and, where the schema holds, against the
 * contract's rules and the host's validators. The first that passes is taken.
 * Where none does, the outcome is about the one that got furthest: validation
 * before json_parse, then fewest errors, then order.
 *
 * 1. A bad reply is no error. A call fails only for memory, a limit on the work
 *    or on the reply's length, or a rule that cannot be run; a candidate that
 *    is beyond a limit of the reader (depth, a number's length) is a candidate
 *    that cannot be read.
 * 2. Candidates are found one after the other, so that nothing is looked for
 *    behind the one that is taken. Where the finder reads a value to know where
 *    it ends, it reads it into the trial's document, and it is not read again.
 * 3. Two trials are kept, the one at hand and the best so far; they change
 *    places.
 * 4. Counting errors means reporting them, which costs far more than the check.
 *    It waits until it is known that no candidate is valid, and is then done
 *    for the first SURETY__RIVALS_MAX that break the schema, which are read
 *    again for it; invalid ones after those are not compared.
 * 5. A whole reply that is no JSON is prose, and counts as nothing found,
 *    unless it begins as an object or array does.
 * 6. Where the contract allows repairs, each place gets a second, tolerant pass
 *    when none of its candidates is valid as it stands, before the next place
 * is looked at. Within that pass the candidate wins that had to be mended
 * least. Without repairs there is no such pass, and nothing is paid for it.
 * 7. Nothing outside of the reply is asked but the host's validators, which say
 *    what they have against a value that would be taken. One that is not done
 *    ends the judgement, which the host makes again. */
#include "reply/reply.h"

#include "schema/schema.h"

static surety_status judge_find(surety_judge *judge, surety_error *reterr);
static surety_status judge_next(surety_judge *judge, surety_error *reterr);
static surety_status judge_read(surety_judge *judge, surety_error *reterr);
static surety_status judge_check(surety_judge *judge, surety_error *reterr);
static bool judge_keep(surety_judge *judge);
static bool judge_doubts(surety_judge *judge);
static surety_status judge_mend(surety_judge *judge, bool *ret_found,
                                surety_error *reterr);
static surety_status judge_compare(surety_judge *judge, surety_error *reterr);
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
    while (status == SURETY_OK && !found) {
        status = judge_next(judge, reterr);
        if (status == SURETY_OK && judge->over) {
            status = judge_mend(judge, &found, reterr);
            continue;
        }
        if (status == SURETY_OK)
            status = judge_read(judge, reterr);
        if (status == SURETY_OK)
            status = judge_check(judge, reterr);
        if (status == SURETY_OK)
            found = !judge_doubts(judge) && judge_keep(judge);
    }
    if (status == SURETY_OK)
        status = judge_accept(judge, reterr);
    else if (status == SURETY_END)
        status = judge_compare(judge, reterr);
    if (status == SURETY_OK && !found)
        status = judge_reject(judge, reterr);
    judge_end(judge);
    if (status == SURETY_OK)
        *ret_outcome = &judge->outcome;
    return status;
}

/* Text: where may the JSON stand? */
static surety_status judge_find(surety_judge *judge, surety_error *reterr)
{
    const size_t native_len = judge->options.native.len;
    const surety_status status = surety__finder_begin(
        judge->finder, judge->reply, &judge->extract, &judge->limits, reterr);

    if (status == SURETY_OK && native_len > judge->limits.text_bytes_max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the native value has %zu bytes, more than the "
                            "limit text_bytes_max of %zu",
                            native_len, judge->limits.text_bytes_max);
    return status;
}

surety__trial *surety__judge_spare(surety_judge *judge)
{
    return judge->best == &judge->trials[0] ? &judge->trials[1]
                                            : &judge->trials[0];
}

surety__trial *surety__judge_take(surety_judge *judge, size_t index,
                                  const surety_candidate *candidate)
{
    surety__trial *now = surety__judge_spare(judge);

    memset((char *)now + offsetof(surety__trial, candidate), 0,
           sizeof(*now) - offsetof(surety__trial, candidate));
    now->candidate = *candidate;
    now->index = index;
    now->order = judge->tried++;
    now->stage = SURETY_STAGE_JSON_PARSE;
    now->counted = true;
    now->error_count = 1;
    surety_findings_reset(now->findings);
    judge->now = now;
    return now;
}

/* Makes a candidate of the finder's, or the native text, the trial at hand.
 * read: the finder has read it. */
static surety__trial *judge_take(surety_judge *judge, size_t index, bool read)
{
    const surety_candidate candidate =
        index != SURETY__NATIVE
            ? surety_finder_at(judge->finder, index)
            : (surety_candidate){.place = SURETY_PLACE_NATIVE,
                                 .end = judge->options.native.len,
                                 .text = judge->options.native};

    surety__judge_take(judge, index, &candidate);
    if (read)
        judge->now->stage = SURETY_STAGE_VALIDATION;
    return judge->now;
}

/* The finder goes on to a place, or is through with all: whether the one before
 * is to be gone over again first. */
static bool judge_leaves(surety_judge *judge, surety_place place)
{
    const surety_place before = judge->place;

    judge->place = place;
    if (!judge->tolerant || before == place)
        return false;
    if (before == SURETY_PLACE_NONE ||
        (before == SURETY_PLACE_NATIVE && !judge->options.native.len))
        return false;
    judge->over = before;
    return true;
}

/* Takes the next candidate, or says that those of a place are through; END:
 * there is none. The native text is tried where its place is listed, before the
 * candidates of the places behind it. */
static surety_status judge_next(surety_judge *judge, surety_error *reterr)
{
    bool stepped = false;

    judge->over = SURETY_PLACE_NONE;
    for (;;) {
        surety_place place = SURETY_PLACE_NONE;
        surety_status status;

        if (judge->place == SURETY_PLACE_NATIVE && judge->options.native.len &&
            !judge->native_tried) {
            judge->native_tried = true;
            judge_take(judge, SURETY__NATIVE, false);
            return SURETY_OK;
        }
        if (judge->turn < surety_finder_count(judge->finder)) {
            judge_take(judge, judge->turn++,
                       stepped && surety__finder_has_read(judge->finder));
            return SURETY_OK;
        }
        status = surety__finder_step(judge->finder,
                                     surety__judge_spare(judge)->doc, &place);
        stepped = true;
        if (status == SURETY_NOMEM)
            return surety__fail_nomem(reterr);
        if (judge_leaves(judge, place))
            return SURETY_OK;
        if (status != SURETY_OK)
            return status;
    }
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

/* Whether a text starts as a JSON value does (RFC 8259, section 3). */
static bool judge_may_be_json(surety_str text)
{
    return memchr("{[\"-0123456789tfn", text.ptr[0], 17) != NULL;
}

/* Whether the trial at hand, which is JSON, is a number to which digits may be
 * missing: the provider says that it cut the reply, and the number stands at
 * its very end. Every other value says itself that it has ended. */
static bool judge_is_open(const surety_judge *judge)
{
    const surety__trial *now = judge->now;
    const surety_str text =
        now->index == SURETY__NATIVE ? judge->options.native : judge->reply;

    return judge->options.cut && now->candidate.end == text.len &&
           surety_val_kind(surety_doc_root(now->doc)) == SURETY_KIND_NUMBER;
}

/* JSON: is it exactly one value? Why it is none is asked only of the candidate
 * that is told of in the end: prose before a block is no JSON, and nobody wants
 * to know why. */
static surety_status judge_read(surety_judge *judge, surety_error *reterr)
{
    surety__trial *now = judge->now;
    const bool whole = now->candidate.place == SURETY_PLACE_WHOLE;
    const bool read = now->stage == SURETY_STAGE_VALIDATION;
    surety_status status = read ? SURETY_OK : SURETY_SYNTAX;

    if (!read && (!whole || judge_may_be_json(now->candidate.text)))
        status = judge_read_text(judge, now, NULL);
    if (status == SURETY_OK) {
        now->cut = judge_is_open(judge);
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
static surety_status judge_rules(surety_judge *judge, surety__trial *trial,
                                 surety_error *reterr)
{
    const size_t count = surety_contract_info_of(judge->contract)->rule_count;
    const surety__verdict *verdicts;
    surety_status status;

    trial->error_count = 0;
    if (!count) {
        trial->stage = SURETY_STAGE_DONE;
        return SURETY_OK;
    }
    if (!judge->rules)
        judge->rules = surety__rules_new(judge->contract, judge->alloc);
    if (!judge->rules)
        return surety__fail_nomem(reterr);
    status = surety__rules_check(judge->rules, surety__trial_value(trial),
                                 &verdicts, reterr);
    if (status != SURETY_OK)
        return status;
    trial->verdicts = surety__arena_take(&judge->outcome.arena,
                                         count * sizeof(*trial->verdicts));
    if (!trial->verdicts)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count; i++) {
        trial->verdicts[i] = verdicts[i];
        trial->error_count += !verdicts[i].holds;
        if (!surety__outcome_copy(&judge->outcome, verdicts[i].text,
                                  &trial->verdicts[i].text))
            return surety__fail_nomem(reterr);
    }
    if (trial->error_count == 0)
        trial->stage = SURETY_STAGE_DONE;
    return SURETY_OK;
}

surety_status surety__judge_beyond(surety_judge *judge, surety__trial *trial,
                                   surety_error *reterr)
{
    const surety_status status = judge_rules(judge, trial, reterr);

    if (status != SURETY_OK || trial->stage != SURETY_STAGE_DONE ||
        !judge->options.validator_count)
        return status;
    return surety__validate(judge, trial, reterr);
}

/* Schema, rules, validators: does it satisfy the contract? If not for what
 * stands beside the schema, with how many errors? */
static surety_status judge_check(surety_judge *judge, surety_error *reterr)
{
    const surety_schema *schema =
        surety_contract_info_of(judge->contract)->schema;
    surety__trial *now = judge->now;
    const surety_val root = surety_doc_root(now->doc);
    bool valid = false;
    surety_status status;

    now->refused = now->stage == SURETY_STAGE_VALIDATION &&
                   now->index == SURETY__NATIVE &&
                   judge->options.native_fault != NULL;
    if (now->stage != SURETY_STAGE_VALIDATION || now->refused)
        return SURETY_OK;
    status = surety_checker_check(judge->checker, schema, root, &valid, reterr);
    if (status != SURETY_OK)
        return status;
    if (valid)
        return surety__judge_beyond(judge, now, reterr);
    now->counted = false;
    return SURETY_OK;
}

surety_status surety__judge_count(surety_judge *judge, surety__trial *trial,
                                  surety_error *reterr)
{
    surety_status status;

    surety_findings_reset(trial->findings); /* it may be counted again */
    status = surety_checker_report(
        judge->checker, surety_contract_info_of(judge->contract)->schema,
        surety_doc_root(trial->doc), trial->findings, reterr);
    trial->counted = true;
    if (status == SURETY_OK)
        trial->error_count = surety_findings_count(trial->findings) +
                             surety_findings_truncated(trial->findings);
    return status;
}

/* Notes a trial that breaks the schema, to be compared. */
static void judge_note(surety_judge *judge, const surety__trial *trial)
{
    if (judge->rival_count + !judge->best->counted >= SURETY__RIVALS_MAX)
        return;
    judge->rivals[judge->rival_count].index = trial->index;
    judge->rivals[judge->rival_count++].order = trial->order;
}

/* Keeps the trial at hand where it got further than the best so far; true
 * where it is valid, which nothing can beat. A trial that breaks the schema is
 * kept only as long as nothing else is known of. */
static bool judge_keep(surety_judge *judge)
{
    const surety__trial *now = judge->now;
    const surety__trial *best = judge->best;

    if (now->stage == SURETY_STAGE_EXTRACTION ||
        (judge->cut_off && now->stage != SURETY_STAGE_DONE))
        return false;
    if (now->stage == SURETY_STAGE_DONE || !best || now->stage > best->stage) {
        judge->best = judge->now;
    } else if (now->stage == SURETY_STAGE_VALIDATION && !now->counted) {
        judge_note(judge, now);
    } else if (now->stage == SURETY_STAGE_VALIDATION &&
               (!best->counted || now->error_count < best->error_count)) {
        judge->best = judge->now;
        if (!best->counted)
            judge_note(judge, best);
    }
    return now->stage == SURETY_STAGE_DONE;
}

/* Whether a candidate stands in what was cut off. */
static bool judge_is_cut_off(const surety_judge *judge,
                             const surety_candidate *candidate)
{
    return judge->cut_off && judge->best->cut &&
           judge->best->index != SURETY__NATIVE &&
           candidate->start >= judge->best->candidate.start;
}

/* Whether a valid candidate is not to be taken at once. In running text it may
 * be a part of something that is almost JSON, for a bracket stands before it:
 * the tolerant pass, which tells them apart, is waited for. */
static bool judge_doubts(surety_judge *judge)
{
    const surety__trial *now = judge->now;
    if (!judge->tolerant || now->stage != SURETY_STAGE_DONE)
        return false;
    if (judge_is_cut_off(judge, &now->candidate))
        return true;
    /* Behind one that is doubted, which the contract's pick prefers, none is
     * taken at once either. */
    if ((judge->place != SURETY_PLACE_EMBEDDED &&
         judge->place != SURETY_PLACE_MARKER) ||
        (judge->doubted == SURETY__NATIVE &&
         !surety__region_doubtful(judge->finder, now->candidate.start)))
        return false;
    if (judge->doubted == SURETY__NATIVE)
        judge->doubted = now->index;
    return true;
}

/* Whether a valid candidate is a part of something larger: of what the tolerant
 * pass made a valid value of, or of JSON that cannot be read. */
static bool judge_is_part(const surety_judge *judge, bool found,
                          const surety_candidate *candidate)
{
    const surety__trial *best = judge->best;

    if (found && best->index != SURETY__NATIVE &&
        best->candidate.place == candidate->place &&
        best->candidate.start <= candidate->start &&
        best->candidate.end >= candidate->end)
        return true;
    return judge_is_cut_off(judge, candidate) ||
           surety__region_refused(judge->finder, candidate->start,
                                  candidate->end);
}

/* The candidates that were doubted, once it is known what stands around them:
 * the first that is no part of something larger is taken, whatever repairs have
 * come to. */
static surety_status judge_trust(surety_judge *judge, bool *ret_found,
                                 surety_error *reterr)
{
    const size_t count = surety_finder_count(judge->finder);
    const bool found = *ret_found;
    surety_status status = SURETY_OK;
    size_t i = judge->doubted;

    judge->doubted = SURETY__NATIVE;
    for (; i < count && status == SURETY_OK; i++) {
        const surety_candidate candidate = surety_finder_at(judge->finder, i);

        if (candidate.place != judge->over)
            break;
        if (judge_is_part(judge, found, &candidate)) {
            if (found)
                break;
            continue;
        }
        judge_take(judge, i, false);
        status = judge_read(judge, reterr);
        if (status == SURETY_OK)
            status = judge_check(judge, reterr);
        if (status == SURETY_OK && judge->now->stage == SURETY_STAGE_DONE) {
            judge->best = judge->now;
            judge->outcome.partial = false;
            judge->outcome.open = (surety_str){"", 0};
            *ret_found = true;
            break;
        }
    }
    return status;
}

/* None of the candidates of the place that is over is valid: is one that almost
 * is JSON, or almost fits? */
static surety_status judge_mend(surety_judge *judge, bool *ret_found,
                                surety_error *reterr)
{
    surety_status status =
        surety__repair_place(judge, judge->over, ret_found, reterr);

    if (status == SURETY_OK && judge->doubted != SURETY__NATIVE)
        status = judge_trust(judge, ret_found, reterr);
    if (status != SURETY_OK || *ret_found || judge->place != SURETY_PLACE_NONE)
        return status;
    if (judge->put_off && !surety__repair_answered(judge)) {
        judge->taken_up = true;
        status =
            surety__repair_place(judge, SURETY_PLACE_WHOLE, ret_found, reterr);
    }
    if (status != SURETY_OK || *ret_found)
        return status;
    return surety__repair_text(judge, ret_found, reterr);
}

/* Candidates of which rules are asked to see whether another one is valid. */
enum { JUDGE_OTHERS_MAX = 4 };

/* Whether what a value of a kind that the schema takes begins with stands in
 * the reply, apart from the best candidate. */
static bool judge_has_bracket(const surety_judge *judge, char bracket,
                              unsigned kind)
{
    const surety__shape *shape =
        surety_contract_info_of(judge->contract)->schema->root->direct;
    const surety_candidate *best = &judge->best->candidate;
    const char *const ptr = judge->reply.ptr;

    return surety__route_end(shape, kind)->how[kind] != HOW_NO &&
           (memchr(ptr, bracket, best->start) ||
            memchr(ptr + best->end, bracket, judge->reply.len - best->end));
}

/* Whether the places behind a block are to be looked at: running text is long,
 * mostly, and holds no bracket. */
static bool judge_looks_behind(surety_judge *judge)
{
    const surety_candidate *best = &judge->best->candidate;

    if (best->place > SURETY_PLACE_FENCE_ANY ||
        (!judge_has_bracket(judge, '{', CELL_OBJECT) &&
         !judge_has_bracket(judge, '[', CELL_ARRAY)))
        return false;
    surety__finder_skip(judge->finder, best->start, best->end);
    return true;
}

/* Takes the next candidate that stands apart from the best one; END: there is
 * none, or none but in running text without brackets. */
static surety_status judge_next_apart(surety_judge *judge, bool *behind)
{
    const surety_candidate best = judge->best->candidate;

    for (;;) {
        surety_place place = best.place;
        surety_candidate next;
        surety_status status = SURETY_OK;
        bool stepped = false;

        while (status == SURETY_OK &&
               judge->turn >= surety_finder_count(judge->finder)) {
            /* A step into running text looks for the first value there. */
            if (!*behind && surety__finder_leaves(judge->finder, best.place) &&
                !(*behind = judge_looks_behind(judge)))
                return SURETY_END;
            status = surety__finder_step(
                judge->finder, surety__judge_spare(judge)->doc, &place);
            stepped = true;
        }
        if (status != SURETY_OK)
            return status;
        next = surety_finder_at(judge->finder, judge->turn++);
        if (next.end > best.start && next.start < best.end)
            continue;
        judge_take(judge, judge->turn - 1,
                   stepped && surety__finder_has_read(judge->finder));
        return SURETY_OK;
    }
}

/* Whether the trial at hand satisfies the contract, and is another value than
 * the best. Rules cost a process, so they are asked a few times; validators of
 * the host, which may do anything, never. */
static surety_status judge_differs(surety_judge *judge, size_t *rules_left,
                                   surety_error *reterr)
{
    surety__trial *now = judge->now;
    surety_status status = judge_read(judge, reterr);
    bool valid = false;

    if (status == SURETY_OK && now->stage == SURETY_STAGE_VALIDATION &&
        !surety_val_equal(surety__trial_value(judge->best),
                          surety_doc_root(now->doc)))
        status = surety_checker_check(
            judge->checker, surety_contract_info_of(judge->contract)->schema,
            surety_doc_root(now->doc), &valid, reterr);
    if (status != SURETY_OK || !valid)
        return status;
    if ((surety_contract_info_of(judge->contract)->rule_count ||
         judge->options.validator_count) &&
        (*rules_left)-- == 0)
        return SURETY_END;
    status = surety__judge_beyond(judge, now, reterr);
    if (status == SURETY_OK && now->stage == SURETY_STAGE_DONE) {
        judge->ambiguous = true;
        judge->other = now->candidate.start;
    }
    return status;
}

/* Whether the candidates that follow the best one hold another valid value, in
 * its place or a later one. Asked of a strictly valid one, for those that were
 * repaired are compared anyway; a whole reply or a native value has no others.
 */
static surety_status judge_look_on(surety_judge *judge, surety_error *reterr)
{
    surety__trial *best = judge->best;
    size_t rules_left = JUDGE_OTHERS_MAX;
    surety_status status = SURETY_OK;
    bool behind = false;

    if (best->tolerant || best->candidate.place <= SURETY_PLACE_WHOLE)
        return SURETY_OK;
    judge->turn = best->index + 1;
    while (status == SURETY_OK && !judge->ambiguous) {
        status = judge_next_apart(judge, &behind);
        if (status == SURETY_OK)
            status = judge_differs(judge, &rules_left, reterr);
    }
    /* The finder may have moved its clean text since. */
    best->candidate = surety_finder_at(judge->finder, best->index);
    /* A validator that failed, or is not done, has said no yes. */
    if (judge->unheard)
        return status;
    /* What goes beyond a limit here would not have been looked at. */
    return status == SURETY_NOMEM ? surety__fail_nomem(reterr) : SURETY_OK;
}

/* No candidate is valid: of those that are JSON, which has the fewest errors,
 * and of these is the first? */
static surety_status judge_compare(surety_judge *judge, surety_error *reterr)
{
    surety_status status = SURETY_OK;

    if (!judge->best || judge->best->stage != SURETY_STAGE_VALIDATION)
        return SURETY_OK;
    if (!judge->best->counted)
        status = surety__judge_count(judge, judge->best, reterr);
    for (size_t i = 0; i < judge->rival_count && status == SURETY_OK; i++) {
        const surety__trial *best = judge->best;
        const surety__trial *now;

        judge_take(judge, judge->rivals[i].index, false)->order =
            judge->rivals[i].order;
        now = judge->now;
        status = judge_read(judge, reterr);
        if (status == SURETY_OK)
            status = surety__judge_count(judge, judge->now, reterr);
        if (status == SURETY_OK && (now->error_count < best->error_count ||
                                    (now->error_count == best->error_count &&
                                     now->order < best->order)))
            judge->best = judge->now;
    }
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

/* Says what other value there is. */
static surety_status judge_warn(surety_judge *judge)
{
    if (judge->cut_off && !judge->best->cut)
        return surety__explain_warn(
            judge, "ambiguous",
            "another value, which may be meant, is cut off: the complete one "
            "was taken");
    if (judge->ambiguous)
        return surety__explain_another(judge, judge->other);
    return SURETY_OK;
}

surety_status surety__judge_complete(surety_judge *judge, surety_val *value,
                                     surety_error *reterr)
{
    const surety_contract *contract = judge->contract;
    const surety_schema *schema = surety_contract_info_of(contract)->schema;
    const bool strip = surety_contract_info_of(contract)->strips_unknown;
    const bool fill = surety_contract_info_of(contract)->fills_defaults &&
                      surety__schema_has_defaults(schema);
    bool changed = false;
    surety_status status;

    if (!fill && !strip && !surety__schema_has_deprecated(schema))
        return SURETY_OK;
    status = surety_checker_complete(judge->checker, schema, *value, fill,
                                     strip, judge->completed, &changed, reterr);
    if (changed)
        *value = surety_doc_root(judge->completed);
    return status;
}

/* A valid candidate: complete it, derive from it, warn. */
static surety_status judge_accept(surety_judge *judge, surety_error *reterr)
{
    const surety_schema *schema =
        surety_contract_info_of(judge->contract)->schema;
    surety_outcome *outcome = &judge->outcome;
    surety_status status;

    status = judge_look_on(judge, reterr);
    if (status != SURETY_OK)
        return status;
    judge_name(judge);
    outcome->value = surety__trial_value(judge->best);
    if (!outcome->partial) {
        status = surety__judge_complete(judge, &outcome->value, reterr);
        if (status == SURETY_OK && surety__schema_has_deprecated(schema))
            status = surety__explain_deprecated(judge);
    }
    if (status == SURETY_OK)
        status = judge_derive(judge, reterr);
    if (status != SURETY_OK)
        return status;
    status = surety__explain_warnings(judge);
    if (status == SURETY_OK)
        status = judge_warn(judge);
    if (status == SURETY_OK)
        status = surety__notes_fill(judge);
    if (status == SURETY_OK)
        status = surety__locate_all(outcome);
    return status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

/* No valid candidate: explain why, warn, and fall back where that is allowed.
 */
static surety_status judge_reject(surety_judge *judge, surety_error *reterr)
{
    surety__trial *best = judge->best;
    surety_status status;

    judge_name(judge);
    /* The finder may have moved its clean text since. */
    if (best && !best->tolerant && best->index != SURETY__NATIVE)
        best->candidate = surety_finder_at(judge->finder, best->index);
    if (best && !best->tolerant && best->stage == SURETY_STAGE_JSON_PARSE &&
        judge_read_text(judge, best, &best->fault) == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    status = surety__explain_errors(judge);
    if (status == SURETY_OK)
        status = surety__explain_warnings(judge);
    if (status == SURETY_OK)
        status = surety__notes_fill(judge);
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

    if (surety__options_take(own, sizeof(*own), options, reterr) ||
        surety__options_take(&judge->extract, sizeof(judge->extract),
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
    judge->contract = contract;
    judge->reply = reply;
    judge->best = NULL;
    judge->turn = judge->tried = judge->rival_count = 0;
    judge->native_tried = judge->cut_off = judge->unheard = false;
    judge->put_off = judge->taken_up = judge->ambiguous = false;
    judge->doubted = SURETY__NATIVE;
    judge->place = judge->over = SURETY_PLACE_NONE;
    judge->repair =
        own->repair ? *own->repair : surety_contract_info_of(contract)->repair;
    judge->partial = own->partial || surety_contract_info_of(contract)->partial;
    judge->tolerant = judge->repair != SURETY_REPAIR_NONE || judge->partial;
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
        surety__trial *trial = &judge->trials[i];

        surety_findings_free(trial->findings);
        surety_aligner_free(trial->aligner);
        trial->findings = NULL;
        trial->aligner = NULL;
        if (trial != judge->best) {
            surety_doc_free(trial->aligned);
            surety_doc_free(trial->doc);
            trial->aligned = trial->doc = NULL;
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
    surety_judge_options own;
    surety_limits limits;
    surety_judge *judge;
    surety_status status;

    if (!contract || !ret_outcome)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a contract and a place for the outcome are "
                            "needed");
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
