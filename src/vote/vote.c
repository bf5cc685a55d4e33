/* SPDX-License-Identifier: Apache-2.0 */
/* Merges several answers into one, field by field.
 *
 * A *column* has the values that the voters gave at one location: one value per
 * voter, NONE for a voter who gave none. Deciding a column first chooses a
 * kind. Then it chooses a scalar, or makes columns for the children: one per
 * member, or one per group of items that belong together (group.c). The result
 * is built from the root down, in its own order; a stack holds the containers
 * whose columns are not all decided.
 *
 * 1. A voter whose value has another kind than the chosen one gave no values
 *    below it.
 * 2. A value of the result is a copy of one that was given; numbers keep their
 *    text.
 * 3. In a tie the first voter decides. So the result depends on the order of
 *    the voters, and on nothing else besides their values.
 * 4. Columns and ballots are in one arena until the next merge. */
#include "json/json.h"
#include "vote/inside.h"

static surety_status vote_decide(surety_vote *vote, const surety_val *column);

const char *surety_vote_how_name(surety_vote_how how)
{
    static const char *const names[] = {"unanimous", "majority", "plurality",
                                        "median",    "tie",      "left-out"};

    return how <= SURETY_VOTE_LEFT_OUT ? names[how] : "unknown";
}

surety_vote *surety_vote_new(const surety_alloc *alloc,
                             const surety_limits *limits)
{
    surety_vote *vote = surety__new(alloc, sizeof(*vote));

    if (!vote)
        return NULL;
    vote->alloc = alloc;
    vote->limits = surety_limits_of(limits);
    surety__arena_init(&vote->arena, alloc, 0);
    surety_buf_init(&vote->path, alloc, 0);
    return vote;
}

void surety_vote_free(surety_vote *vote)
{
    if (!vote)
        return;
    surety__arena_done(&vote->arena);
    surety_buf_done(&vote->path);
    surety__free(vote->alloc, vote->frames,
                 vote->frame_cap * sizeof(*vote->frames));
    surety__free(vote->alloc, vote->ballots,
                 vote->ballot_cap * sizeof(*vote->ballots));
    surety__free(vote->alloc, vote, sizeof(*vote));
}

bool surety__vote_work(surety_vote *vote, size_t steps)
{
    vote->work = steps < vote->work ? vote->work - steps : 0;
    return vote->work > 0;
}

surety__column *surety__vote_column(surety_vote *vote)
{
    return surety__arena_take(&vote->arena,
                              sizeof(surety__column) +
                                  vote->voters * sizeof(surety_val));
}

/* Returns whether a member or item has enough votes to be kept: more than half,
 * or half with the first voter among them. */
static bool vote_keeps(const surety_vote *vote, const surety__column *column)
{
    return column->votes * 2 > vote->here ||
           (column->votes * 2 == vote->here &&
            column->first == vote->here_first);
}

/* ---- ballots ------------------------------------------------------------ */

static surety_status vote_note(surety_vote *vote, const surety_val *column,
                               surety_val value, uint32_t votes,
                               surety_vote_how how)
{
    surety_ballot *ballot;

    if (surety__grow(vote->alloc, &vote->ballots, &vote->ballot_cap,
                     vote->ballot_count + 1, sizeof(*vote->ballots),
                     SIZE_MAX / sizeof(*vote->ballots)) != SURETY_OK)
        return SURETY_NOMEM;
    ballot = &vote->ballots[vote->ballot_count];
    *ballot = (surety_ballot){.how = how,
                              .votes = votes,
                              .voters = vote->voters,
                              .value = value,
                              .given = column};
    if (how == SURETY_VOTE_LEFT_OUT) {
        surety_buf pointer;

        surety_buf_init(&pointer, vote->alloc, 0);
        surety_val_pointer(value, &pointer);
        ballot->pointer = surety__arena_buf(&vote->arena, &pointer);
    } else {
        ballot->pointer =
            surety__arena_text(&vote->arena, surety_buf_str(&vote->path));
    }
    if (!ballot->pointer.ptr)
        return SURETY_NOMEM;
    vote->ballot_count++;
    return SURETY_OK;
}

static surety_vote_how vote_how(const surety_vote *vote, uint32_t votes,
                                surety_vote_how otherwise)
{
    return votes == vote->voters      ? SURETY_VOTE_UNANIMOUS
           : votes * 2 > vote->voters ? SURETY_VOTE_MAJORITY
                                      : otherwise;
}

/* ---- scalars ------------------------------------------------------------ */

/* Returns how many values of a column are equal to val. */
static uint32_t vote_count(const surety_vote *vote, const surety_val *column,
                           surety_val val)
{
    uint32_t votes = 0;

    assert(val.doc);
    for (uint32_t i = 0; i < vote->voters; i++)
        votes += column[i].doc && surety_val_equal(column[i], val);
    return votes;
}

/* Returns the median of the numbers of a column; it is one of them. */
static surety_val vote_median(const surety_vote *vote, const surety_val *column)
{
    surety_val sorted[SURETY_VOTERS_MAX] = {{NULL, 0}};
    uint32_t count = 0;

    for (uint32_t i = 0; i < vote->voters; i++) {
        const surety_val val = column[i];
        uint32_t at = count;

        if (surety_val_kind(val) != SURETY_KIND_NUMBER)
            continue;
        for (; at && surety__number_compare(sorted[at - 1].doc,
                                            surety__cell_of(sorted[at - 1]),
                                            val.doc, surety__cell_of(val)) > 0;
             at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = val;
        count++;
    }
    assert(count > 0);
    if (count % 2 == 0) {
        const surety_val low = sorted[count / 2 - 1];
        const surety_val high = sorted[count / 2];
        const uint32_t low_votes = vote_count(vote, column, low);
        const uint32_t high_votes = vote_count(vote, column, high);

        if (low_votes != high_votes)
            return low_votes > high_votes ? low : high;
        for (uint32_t i = 0; i < vote->voters; i++)
            if (surety_val_equal(column[i], low))
                return low;
            else if (surety_val_equal(column[i], high))
                return high;
    }
    return sorted[count / 2];
}

static surety_status vote_scalar(surety_vote *vote, const surety_val *column,
                                 surety_kind kind)
{
    surety_val best = surety_val_none();
    surety_vote_how how = SURETY_VOTE_PLURALITY;
    uint32_t votes = 0;

    for (uint32_t i = 0; i < vote->voters; i++) {
        uint32_t given;

        if (surety_val_kind(column[i]) != kind ||
            (best.doc && surety_val_equal(column[i], best)))
            continue;
        given = vote_count(vote, column, column[i]);
        if (given == votes)
            how = SURETY_VOTE_TIE;
        if (given <= votes)
            continue;
        best = column[i];
        votes = given;
        how = SURETY_VOTE_PLURALITY;
    }
    if (votes == vote->here) {
        /* All values of this kind are equal: only values of other kinds
         * differ. */
        how =
            votes * 2 == vote->voters ? SURETY_VOTE_TIE : SURETY_VOTE_PLURALITY;
    } else if (kind == SURETY_KIND_NUMBER && votes * 2 <= vote->voters) {
        best = vote_median(vote, column);
        votes = vote_count(vote, column, best);
        how = SURETY_VOTE_MEDIAN;
    }
    surety_build_val(vote->out, best);
    return vote_note(vote, column, best, votes, vote_how(vote, votes, how));
}

/* ---- containers --------------------------------------------------------- */

/* Opens a container of the result and puts it on the stack; vote_next decides
 * its columns. */
static surety_status vote_open(surety_vote *vote, const surety_val *column,
                               bool is_array)
{
    surety__column *columns = NULL;
    const surety_status status =
        is_array ? surety__items_group(vote, column, &columns)
                 : surety__members_group(vote, column, &columns);

    if (status != SURETY_OK)
        return status;
    if (is_array)
        surety_build_array(vote->out);
    else
        surety_build_object(vote->out);
    if (surety__grow(vote->alloc, &vote->frames, &vote->frame_cap,
                     vote->frame_count + 1, sizeof(*vote->frames),
                     SIZE_MAX / sizeof(*vote->frames)) != SURETY_OK)
        return SURETY_NOMEM;
    vote->frames[vote->frame_count++] =
        (surety__vote_frame){.next = columns,
                             .is_array = is_array,
                             .path_len = vote->path.len,
                             .here = vote->here,
                             .here_first = vote->here_first};
    return SURETY_OK;
}

/* Decides the next column of the innermost container, or closes the
 * container. */
static surety_status vote_next(surety_vote *vote)
{
    surety__vote_frame *frame = &vote->frames[vote->frame_count - 1];
    surety__column *column = frame->next;

    assert(vote->path.len >= frame->path_len || vote->path.status);
    vote->path.len = frame->path_len;
    vote->here = frame->here;
    vote->here_first = frame->here_first;
    if (!column) {
        surety_build_close(vote->out);
        vote->frame_count--;
        return SURETY_OK;
    }
    frame->next = column->next;
    if (!vote_keeps(vote, column))
        return vote_note(vote, column->given, column->given[column->first],
                         column->votes, SURETY_VOTE_LEFT_OUT);
    if (frame->is_array) {
        surety_buf_byte(&vote->path, '/');
        surety_buf_number(&vote->path, frame->item_count++);
    } else {
        surety_build_key_of(vote->out, column->key);
        surety_pointer_token(&vote->path, surety_val_str(column->key));
    }
    return vote_decide(vote, column->given);
}

/* Chooses the kind of a column, then the value of that kind. */
static surety_status vote_decide(surety_vote *vote, const surety_val *column)
{
    uint32_t votes[SURETY_KIND_OBJECT + 1] = {0};
    surety_kind kind = SURETY_KIND_NONE;

    for (uint32_t i = 0; i < vote->voters; i++)
        votes[surety_val_kind(column[i])]++;
    for (uint32_t i = vote->voters; i-- > 0;) {
        const surety_kind given = surety_val_kind(column[i]);

        if (given != SURETY_KIND_NONE &&
            (kind == SURETY_KIND_NONE || votes[given] >= votes[kind]))
            kind = given;
    }
    assert(kind != SURETY_KIND_NONE); /* some voter gave a value */
    vote->here = votes[kind];
    vote->here_first = 0;
    while (surety_val_kind(column[vote->here_first]) != kind)
        vote->here_first++;
    if (!surety__vote_work(vote, vote->voters))
        return SURETY_LIMIT;
    return kind >= SURETY_KIND_ARRAY
               ? vote_open(vote, column, kind == SURETY_KIND_ARRAY)
               : vote_scalar(vote, column, kind);
}

/* ---- the merge ---------------------------------------------------------- */

static void vote_begin(surety_vote *vote, const surety_val *vals, size_t count,
                       surety_doc *out)
{
    assert(count >= 1 && count <= SURETY_VOTERS_MAX);
    vote->voters = (uint32_t)count;
    vote->out = out;
    vote->frame_count = vote->ballot_count = 0;
    vote->work = vote->limits.work_base;
    for (size_t i = 0; i < count; i++)
        vote->work +=
            (size_t)vote->limits.work_per_value * surety__doc_size(vals[i].doc);
    surety__arena_reset(&vote->arena);
    surety_buf_reset(&vote->path);
    surety_build_begin(out, NULL);
}

static double vote_agreement(const surety_vote *vote)
{
    const size_t count = vote->ballot_count;
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        const surety_ballot *seen = &vote->ballots[i];

        /* The voters who left the value out agree on that. */
        sum += (double)(seen->how == SURETY_VOTE_LEFT_OUT
                            ? seen->voters - seen->votes
                            : seen->votes) /
               seen->voters;
    }
    return count ? sum / (double)count : 1;
}

surety_status surety_vote_merge(surety_vote *vote, const surety_val *vals,
                                size_t count, surety_doc *out,
                                surety_error *reterr)
{
    surety_status status;
    surety__column *first;

    if (!vote || !vals || !out || count < 1 || count > SURETY_VOTERS_MAX)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a vote, a doc and 1 to %d answers are needed",
                            SURETY_VOTERS_MAX);
    for (size_t i = 0; i < count; i++)
        if (!vals[i].doc || vals[i].doc == out)
            return surety__fail(
                reterr, SURETY_MISUSE,
                "answer %zu is absent, or a value of the doc to "
                "be built",
                i + 1);
    vote_begin(vote, vals, count, out);
    first = surety__vote_column(vote);
    if (!first)
        return surety__fail_nomem(reterr);
    memcpy(first->given, vals, count * sizeof(*vals));
    status = vote_decide(vote, first->given);
    while (status == SURETY_OK && vote->frame_count)
        status = vote_next(vote);
    if (status == SURETY_OK && vote->path.status != SURETY_OK)
        status = vote->path.status;
    if (status != SURETY_OK)
        vote->ballot_count = 0;
    vote->info = (surety_vote_info){.size = sizeof(vote->info),
                                    .agreement = vote_agreement(vote),
                                    .ballots = vote->ballots,
                                    .ballot_count = vote->ballot_count};
    if (status == SURETY_LIMIT)
        return surety__fail(reterr, SURETY_LIMIT,
                            "merging takes more steps than work_base and "
                            "work_per_value allow");
    if (status != SURETY_OK)
        return surety__fail_nomem(reterr);
    return surety_build_end(out, reterr);
}

const surety_vote_info *surety_vote_info_of(const surety_vote *vote)
{
    static const surety_vote_info none = {.size = sizeof(none), .agreement = 1};

    return vote ? &vote->info : &none;
}
