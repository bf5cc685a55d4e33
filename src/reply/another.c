/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a reply holds another valid value beside the one that is taken: the
 * outcome then warns that the reply is ambiguous.
 *
 * 1. Only values that do not overlap the best one and differ from it count.
 * 2. The best one stays what it is; the other trial is used for those behind
 * it.
 * 3. Rules cost a process, so they are asked a few times; validators of the
 *    host, which may do anything, as seldom. */
#include "reply/reply.h"

#include "schema/schema.h"

/* Candidates of which rules or validators are asked. */
enum { ANOTHER_RULES_MAX = 4 };

/* Whether the schema takes values of a kind, and the bracket that they begin
 * with is in the reply, apart from the best candidate. */
static bool another_has_bracket(const surety_judge *judge, char bracket,
                                unsigned kind)
{
    const surety__shape *shape = judge->task.schema->root->direct;
    const surety_candidate *best = &judge->best->candidate;
    const char *const ptr = judge->task.reply.ptr;

    return surety__route_end(shape, kind)->how[kind] != HOW_NO &&
           (memchr(ptr, bracket, best->start) ||
            memchr(ptr + best->end, bracket,
                   judge->task.reply.len - best->end));
}

/* Whether the places behind a block are to be looked at: running text is long,
 * mostly, and holds no bracket. */
static bool another_looks_behind(surety_judge *judge)
{
    const surety_candidate *best = &judge->best->candidate;

    if (best->place > SURETY_PLACE_FENCE_ANY ||
        (!another_has_bracket(judge, '{', CELL_OBJECT) &&
         !another_has_bracket(judge, '[', CELL_ARRAY)))
        return false;
    surety__finder_skip(judge->finder, best->start, best->end);
    return true;
}

/* Takes the next candidate that does not overlap the best one; END: there is
 * none, or none but in running text without brackets. */
static surety_status another_next(surety_judge *judge, bool *behind)
{
    const surety_candidate best = judge->best->candidate;
    surety_status status = SURETY_OK;

    while (status == SURETY_OK) {
        surety_place place;
        surety_candidate next;

        status =
            surety__finder_next(judge->finder, surety__trial_spare(judge)->doc);
        if (status == SURETY_END) {
            status = surety__finder_place(judge->finder, &place);
            if (status == SURETY_OK && place > SURETY_PLACE_FENCE_ANY &&
                !*behind && !(*behind = another_looks_behind(judge)))
                return SURETY_END;
            continue;
        }
        if (status != SURETY_OK)
            return status;
        surety__trial_take_found(judge);
        next = judge->now->candidate;
        if (next.end <= best.start || next.start >= best.end)
            return SURETY_OK;
    }
    return status;
}

/* Whether the trial at hand satisfies the contract, and is another value than
 * the best. */
static surety_status another_is(surety_judge *judge, size_t *rules_left,
                                surety_error *reterr)
{
    surety__trial *now = judge->now;
    surety_status status = surety__trial_read(judge, reterr);
    bool valid = false;

    if (status == SURETY_OK && now->stage == SURETY_STAGE_VALIDATION &&
        !surety_val_equal(surety__trial_value(judge->best),
                          surety_doc_root(now->doc)))
        status =
            surety_checker_check(judge->checker, judge->task.schema,
                                 surety_doc_root(now->doc), &valid, reterr);
    if (status != SURETY_OK || !valid)
        return status;
    if ((surety_contract_info_of(judge->task.contract)->rule_count ||
         judge->task.options.validator_count) &&
        (*rules_left)-- == 0)
        return SURETY_END;
    status = surety__trial_beyond(judge, now, reterr);
    if (status == SURETY_OK && now->stage == SURETY_STAGE_DONE) {
        judge->another.found = true;
        judge->another.start = now->candidate.start;
    }
    return status;
}

surety_status surety__another_find(surety_judge *judge, surety_error *reterr)
{
    const surety__trial *best = judge->best;
    size_t rules_left = ANOTHER_RULES_MAX;
    surety_status status = SURETY_OK;
    bool behind = false;

    assert(best->stage == SURETY_STAGE_DONE);
    if (best->tolerant || best->candidate.place <= SURETY_PLACE_WHOLE)
        return SURETY_OK;
    while (status == SURETY_OK && !judge->another.found) {
        status = another_next(judge, &behind);
        if (status == SURETY_OK)
            status = another_is(judge, &rules_left, reterr);
    }
    /* A validator that failed, or is not done, has not accepted it. */
    if (judge->unvalidated)
        return status;
    /* What goes beyond a limit here would not have been looked at. */
    return status == SURETY_NOMEM ? surety__fail_nomem(reterr) : SURETY_OK;
}
