/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two trials is better, in one place: the strict and the tolerant ones
 * are compared by the same rules.
 *
 * 1. A valid trial is better than any other. Of two valid ones the lower rank
 *    wins, then the one that the contract picks.
 * 2. Of the others the one that got further wins, then the one with fewer
 *    errors, then the first. Errors are counted only where two trials break the
 *    schema, and of RIVALS_MAX trials at most.
 * 3. What was cut off, and nothing that came speaks against it, is the answer:
 *    only a valid trial is better. */
#include "reply/reply.h"

/* Trials whose errors are counted to compare them. */
enum { RIVALS_MAX = 16 };

/* Whether the first rank is better (-1), as good (0) or worse (1). */
static int rank_compare(const surety__rank *a, const surety__rank *b)
{
    if (a->weak != b->weak)
        return a->weak ? 1 : -1;
    if (a->repaired != b->repaired)
        return a->repaired < b->repaired ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return 0;
}

/* Whether a valid trial is better than the valid one before it. */
static bool rank_wins(const surety_judge *judge, const surety__trial *now,
                      const surety__trial *best)
{
    const int order = rank_compare(&now->rank, &best->rank);

    return order ? order < 0 : judge->task.extract.pick_last;
}

/* Whether a trial of the reply's text is a part of another. */
static bool rank_holds(const surety__trial *outer, const surety__trial *inner)
{
    return !surety__trial_is_native(inner) &&
           inner->candidate.place == outer->candidate.place &&
           inner->candidate.start > outer->candidate.start &&
           inner->candidate.end <= outer->candidate.end;
}

/* Notes the one of two valid trials that is not taken, where it is another
 * value. Brackets of prose are none, nor is what was cut off. */
static void rank_note(surety_judge *judge, const surety__trial *taken,
                      const surety__trial *other)
{
    if (other->rank.weak || other->cut || taken->cut ||
        surety_val_equal(surety__trial_value(taken),
                         surety__trial_value(other)))
        return;
    judge->another.found = true;
    judge->another.start = other->candidate.start;
}

/* Counts the errors of a trial that breaks the schema. One whose errors take
 * more work than is allowed has the most: a later one may still be valid. */
static surety_status rank_errors(surety_judge *judge, surety__trial *trial,
                                 surety_error *reterr)
{
    surety_status status;

    if (trial->counted || trial->error_count == SIZE_MAX)
        return SURETY_OK;
    status = surety__trial_count(judge, trial, NULL);
    if (status == SURETY_LIMIT) {
        trial->counted = false;
        trial->error_count = SIZE_MAX;
        return SURETY_OK;
    }
    return status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

/* Whether the trial at hand, which breaks the contract as the best one does,
 * breaks it in fewer places. */
static surety_status rank_count(surety_judge *judge, bool *ret_fewer,
                                surety_error *reterr)
{
    surety__trial *now = judge->now;
    surety__trial *best = judge->best;
    surety_status status = SURETY_OK;

    assert(now != best && now->stage == best->stage);
    if (++judge->compared >= RIVALS_MAX)
        return SURETY_OK;
    status = rank_errors(judge, best, reterr);
    if (status == SURETY_OK)
        status = rank_errors(judge, now, reterr);
    *ret_fewer = status == SURETY_OK && now->error_count < best->error_count;
    return status;
}

surety_status surety__rank_keep(surety_judge *judge, surety_error *reterr)
{
    surety__trial *now = judge->now;
    surety__trial *best = judge->best;
    const bool won = best && best->stage == SURETY_STAGE_DONE;
    surety_status status = SURETY_OK;
    bool better = !best;

    assert(now && now != best);
    if (now->stage == SURETY_STAGE_EXTRACTION)
        return SURETY_OK;
    if (now->stage == SURETY_STAGE_DONE) {
        if (!won || rank_wins(judge, now, best))
            judge->best = now;
        if (won)
            rank_note(judge, judge->best, judge->best == now ? best : now);
        return SURETY_OK;
    }
    if (won || judge->cut_off)
        return SURETY_OK;
    if (now->promising)
        judge->cut_off = better = true;
    else if (best && now->stage != best->stage)
        /* No part of JSON that cannot be read counts. */
        better =
            now->stage > best->stage || (now->broken && rank_holds(now, best));
    else if (best && now->stage == SURETY_STAGE_JSON_PARSE)
        /* The tolerant reader's word instead of the strict one's. */
        better = (now->tolerant && !best->tolerant) ||
                 (now->broken && rank_holds(now, best));
    else if (best)
        status = rank_count(judge, &better, reterr);
    if (status == SURETY_OK && better)
        judge->best = now;
    return status;
}
