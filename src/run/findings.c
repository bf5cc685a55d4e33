/* SPDX-License-Identifier: Apache-2.0 */
/* The known errors, over all replies of the current model. A re-ask shows no
 * earlier reply, so it must name every error that the model has to correct. A
 * reply that was stopped or is not JSON was not checked in most locations.
 *
 * Rules:
 * 1. An error is kept until a later reply was checked at its location and does
 *    not have it. Then it is marked as corrected and still reported: a model
 * that starts again may make it again.
 * 2. An incomplete reply was checked only where it is complete: at values that
 *    have ended and are under no union that is still open. A value of a wrong
 *    type is not checked further. Rules and validators run only if the schema
 *    holds.
 * 3. An error of one model is not reported to the next model, which gets the
 *    first prompt again. */
#include "run/run.h"

/* ---- how far a reply was checked ----------------------------------------- */

surety_stage surety__findings_stage(const surety_issue *finding)
{
    if (surety_str_equal(finding->keyword, SURETY__LITERAL("runaway")))
        return SURETY_STAGE_JSON_PARSE;
    for (int i = SURETY_STAGE_EXTRACTION; i < SURETY_STAGE_VALIDATION; i++) {
        const surety_stage stage = (surety_stage)i;

        if (surety_str_equal(finding->keyword,
                             surety_str_of(surety_stage_name(stage))))
            return stage;
    }
    return SURETY_STAGE_VALIDATION;
}

/* The order of checks; each runs only if all before it hold: the requested
 * form, the schema, the rules, the validators. */
static int findings_rank(const surety_issue *issue)
{
    static const char *const first[] = {"strict", NULL, "rules", "validator"};

    for (int i = 0; i < 4; i++)
        if (first[i] &&
            surety_str_equal(issue->keyword, surety_str_of(first[i])))
            return i;
    return 1;
}

/* Whether the evaluation path contains a keyword that tries subschemas: the
 * result of an open value may still change there. */
static bool findings_is_tried(surety_str path)
{
    static const char *const tries[] = {
        "/anyOf/", "/oneOf/",   "/not/",     "/if/",         "/then/",
        "/else/",  "/contains", "/dependen", "/unevaluated",
    };

    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
        if (surety__str_find(path, surety_str_of(tries[i])) < path.len)
            return true;
    return false;
}

/* The location itself if it exists, else its nearest existing ancestor. */
static surety_str findings_nearest(surety_val root, surety_str place)
{
    while (place.len && !surety_val_at(root, place).doc) {
        while (place.len && place.ptr[place.len - 1] != '/')
            place.len--;
        if (place.len)
            place.len--;
    }
    return place;
}

/* Whether another error hides this one: a value of a wrong type is not checked
 * further, and for a location that does not exist any error at its nearest
 * ancestor counts. */
static bool findings_is_hidden(const surety_outcome *outcome,
                               const surety_issue *issue, surety_str nearest)
{
    const bool exists = nearest.len == issue->instance_location.len;

    for (size_t i = 0; i < surety_outcome_info_of(outcome)->error_count; i++) {
        const surety_issue error = surety_outcome_error(outcome, i);

        if (surety_str_equal(error.instance_location, nearest) &&
            (!exists ||
             surety_str_equal(error.keyword, SURETY__LITERAL("type"))))
            return true;
    }
    return false;
}

/* Whether more errors were found than the outcome lists. */
static bool findings_are_cut(const surety_outcome *outcome)
{
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->warning_count; i++)
        if (surety_str_equal(surety_outcome_warning(outcome, i).keyword,
                             SURETY__LITERAL("truncated")))
            return true;
    return false;
}

/* Whether the reply of the outcome was checked for the error, which it does
 * not have. */
static bool findings_are_checked(const surety_outcome *outcome,
                                 const surety_issue *issue)
{
    const surety_val root = surety_outcome_info_of(outcome)->candidate;
    const surety_stage stage = surety_outcome_info_of(outcome)->stage;
    const bool open = surety_val_is_open(root);
    surety_str nearest;
    int rank = 1;

    if (surety__findings_stage(issue) == SURETY_STAGE_EXTRACTION)
        return stage > SURETY_STAGE_EXTRACTION;
    if (!root.doc || (stage < SURETY_STAGE_VALIDATION &&
                      !surety_outcome_info_of(outcome)->partial))
        return false;
    if (surety__findings_stage(issue) == SURETY_STAGE_JSON_PARSE)
        return !open;
    if (surety_outcome_info_of(outcome)->error_count) {
        const surety_issue first = surety_outcome_error(outcome, 0);

        rank = findings_rank(&first);
    }
    if (findings_rank(issue) > rank || findings_are_cut(outcome))
        return false;
    nearest = findings_nearest(root, issue->instance_location);
    if (findings_is_hidden(outcome, issue, nearest))
        return false;
    return !open || (!surety_val_is_open(surety_val_at(root, nearest)) &&
                     !findings_is_tried(issue->keyword_location));
}

/* ---- what is kept -------------------------------------------------------- */

static surety__finding *findings_find(const surety__findings *findings,
                                      const surety_issue *issue)
{
    for (size_t i = 0; i < findings->count; i++) {
        surety__finding *finding = &findings->items[i];

        if (surety_str_equal(finding->issue.keyword, issue->keyword) &&
            surety_str_equal(finding->issue.instance_location,
                             issue->instance_location) &&
            surety_str_equal(finding->issue.keyword_location,
                             issue->keyword_location))
            return finding;
    }
    return NULL;
}

static void findings_drop(surety__findings *findings, size_t i)
{
    assert(i < findings->count);
    findings->count--;
    memmove(&findings->items[i], &findings->items[i + 1],
            (findings->count - i) * sizeof(*findings->items));
}

/* Makes room for one more: removes the oldest corrected finding, else the
 * oldest. False: out of memory. */
static bool findings_room(surety__findings *findings, surety__run_store *store)
{
    size_t i = 0;

    if (findings->count == SURETY__FINDINGS_MAX) {
        while (i < findings->count && !findings->items[i].corrected)
            i++;
        findings_drop(findings, i < findings->count ? i : 0);
    }
    if (surety__grow(store->alloc, &findings->items, &findings->cap,
                     findings->count + 1, sizeof(*findings->items),
                     SURETY__FINDINGS_MAX) != SURETY_OK) {
        store->status = SURETY_NOMEM;
        return false;
    }
    return true;
}

/* Adds an error of the last reply. */
static void findings_add(surety__findings *findings, surety__run_store *store,
                         const surety_issue *issue, size_t noted)
{
    surety__finding *finding = findings_find(findings, issue);

    if (!finding && !findings_room(findings, store))
        return;
    if (!finding)
        finding = &findings->items[findings->count++];
    assert(findings->count <= SURETY__FINDINGS_MAX);
    *finding = (surety__finding){.issue = surety__store_issue(store, issue),
                                 .last = true,
                                 .noted = noted};
}

void surety__findings_note(surety__findings *findings, surety__run_store *store,
                           const surety_issue *issue, size_t number)
{
    if (!surety_str_equal(issue->keyword, SURETY__LITERAL("runaway")))
        findings_add(findings, store, issue, number);
}

void surety__findings_take(surety__findings *findings, surety__run_store *store,
                           const surety__attempt *attempt, size_t number,
                           const surety_outcome *outcome)
{
    const bool reports =
        attempt->seen.stopped == SURETY_STREAM_OPEN || attempt->outcome_reports;
    const bool reports_all =
        reports &&
        surety_outcome_info_of(outcome)->stage == SURETY_STAGE_VALIDATION;

    for (size_t i = findings->count; i-- > 0;) {
        if (findings->items[i].noted != number)
            findings->items[i].last = false;
        else if (reports_all)
            findings_drop(findings, i);
    }
    if (!reports) {
        surety__findings_note(findings, store, &attempt->finding, number);
        return;
    }
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->error_count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        findings_add(findings, store, &issue, 0);
    }
    /* An error that the last reply was checked for, and does not have, is
     * corrected. */
    for (size_t i = findings->count; i-- > 0;) {
        surety__finding *finding = &findings->items[i];

        if (finding->last || !findings_are_checked(outcome, &finding->issue))
            continue;
        finding->corrected = true;
        if (surety__findings_stage(&finding->issue) != SURETY_STAGE_VALIDATION)
            findings_drop(findings, i);
    }
}

/* ---- what a re-ask says -------------------------------------------------- */

const surety_prompt_finding *
surety__findings_list(const surety__findings *findings,
                      surety__run_store *store, bool judged, size_t *ret_count)
{
    surety_prompt_finding *list;
    size_t count = 0;

    *ret_count = 0;
    if (!findings->count)
        return NULL;
    list = surety__arena_take(&store->arena, findings->count * sizeof(*list));
    if (!list) {
        store->status = SURETY_NOMEM;
        return NULL;
    }
    for (size_t i = 0; i < findings->count; i++) {
        const surety__finding *finding = &findings->items[i];
        surety_prompt_when when = SURETY_PROMPT_EARLIER;

        if (finding->corrected)
            when = SURETY_PROMPT_CORRECTED;
        else if (judged && finding->last)
            when = SURETY_PROMPT_LAST;
        /* The outcome reports those itself. */
        if (when == SURETY_PROMPT_LAST && !finding->noted)
            continue;
        list[count++] = (surety_prompt_finding){finding->issue, when};
    }
    *ret_count = count;
    return list;
}
