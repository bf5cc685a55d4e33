/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a judgement: lists of issues whose texts are in one arena, and
 * values that are in the judge's docs. Resetting keeps the memory, so a judge
 * that is used again and again stops allocating. */
#include "reply/reply.h"

/* ORDER stages */
static const char *const outcome_stages[] = {
    "done",
    "extraction",
    "json_parse",
    "validation",
};

const char *surety_stage_name(surety_stage stage)
{
    return (unsigned)stage <= SURETY_STAGE_VALIDATION ? outcome_stages[stage]
                                                      : "unknown";
}

void surety__outcome_reset(surety_outcome *outcome)
{
    const surety_outcome keep = *outcome;

    *outcome = (surety_outcome){
        .judge = keep.judge,
        .arena = keep.arena,
        .errors = {keep.errors.items, 0, keep.errors.cap},
        .warnings = {keep.warnings.items, 0, keep.warnings.cap},
        .repairs = {keep.repairs.items, 0, keep.repairs.cap, 0},
    };
    surety__arena_reset(&outcome->arena);
}

void surety__outcome_done(surety_outcome *outcome)
{
    const surety_alloc *alloc = outcome->arena.alloc;

    surety__free(alloc, outcome->errors.items,
                 outcome->errors.cap * sizeof(*outcome->errors.items));
    surety__free(alloc, outcome->warnings.items,
                 outcome->warnings.cap * sizeof(*outcome->warnings.items));
    surety__free(alloc, outcome->repairs.items,
                 outcome->repairs.cap * sizeof(*outcome->repairs.items));
    surety__arena_done(&outcome->arena);
}

surety__issue *surety__issue_add(surety_outcome *outcome,
                                 surety__issues *issues)
{
    void *items = issues->items;
    surety__issue *issue;

    assert(issues == &outcome->errors || issues == &outcome->warnings);
    if (surety__grow(outcome->arena.alloc, &items, &issues->cap,
                     issues->count + 1, sizeof(*issue),
                     SIZE_MAX / sizeof(*issue)) != SURETY_OK)
        return NULL;
    issues->items = items;
    issue = &issues->items[issues->count++];
    *issue = (surety__issue){.placed = false};
    return issue;
}

surety__repair *surety__repair_add(surety_outcome *outcome)
{
    surety__repairs *repairs = &outcome->repairs;
    void *items = repairs->items;
    surety__repair *repair;

    if (surety__grow(outcome->arena.alloc, &items, &repairs->cap,
                     repairs->count + 1, sizeof(*repair),
                     SIZE_MAX / sizeof(*repair)) != SURETY_OK)
        return NULL;
    repairs->items = items;
    repair = &repairs->items[repairs->count++];
    repairs->total++;
    *repair = (surety__repair){.likely = false};
    return repair;
}

bool surety__outcome_copy(surety_outcome *outcome, surety_str text,
                          surety_str *ret_text)
{
    const surety_str copy = surety__arena_text(&outcome->arena, text);

    if (!copy.ptr)
        return false;
    *ret_text = copy;
    return true;
}

bool surety__outcome_take(surety_outcome *outcome, surety_str *ret_text)
{
    surety_buf *scratch = &outcome->judge->scratch;
    const bool good =
        scratch->status == SURETY_OK &&
        surety__outcome_copy(outcome, surety_buf_str(scratch), ret_text);

    surety_buf_reset(scratch);
    return good;
}

/* The value of the candidate that the outcome is about. */
static surety_val outcome_candidate(const surety_outcome *outcome)
{
    const surety__trial *best = outcome->judge->best;

    return best && best->stage != SURETY_STAGE_JSON_PARSE &&
                   best->stage != SURETY_STAGE_EXTRACTION
               ? surety_doc_root(best->doc)
               : surety_val_none();
}

/* Whether a patch of the value can be asked for. A value that is not in the
 * form that was asked for is no value of the contract's. */
static bool outcome_is_patchable(const surety_outcome *outcome)
{
    return outcome->stage == SURETY_STAGE_VALIDATION &&
           outcome->info.candidate.doc &&
           !(outcome->errors.count > 0 &&
             surety_str_equal(outcome->errors.items[0].seen.keyword,
                              SURETY__LITERAL("strict")));
}

void surety__outcome_settle(surety_outcome *outcome)
{
    outcome->info = (surety_outcome_info){
        .size = sizeof(outcome->info),
        .ok = outcome->stage == SURETY_STAGE_DONE,
        .fallback = outcome->fallback,
        .partial = outcome->partial,
        .stage = outcome->stage,
        .value = outcome->value,
        .candidate = outcome_candidate(outcome),
        .derived = outcome->derived,
        .place = outcome->place,
        .start = outcome->start,
        .end = outcome->end,
        .open = outcome->partial ? outcome->open : (surety_str){"", 0},
        .error_count = outcome->errors.count,
        .warning_count = outcome->warnings.count,
        .repaired_count = outcome->repairs.count,
    };
    outcome->info.patchable = outcome_is_patchable(outcome);
}

const surety_outcome_info *surety_outcome_info_of(const surety_outcome *outcome)
{
    static const surety_outcome_info none = {.size = sizeof(none),
                                             .stage = SURETY_STAGE_EXTRACTION,
                                             .open = {"", 0}};

    return outcome ? &outcome->info : &none;
}

surety_issue surety_outcome_error(const surety_outcome *outcome, size_t i)
{
    if (!outcome || i >= outcome->errors.count)
        return (surety_issue){.position.line = 0};
    return outcome->errors.items[i].seen;
}

surety_issue surety_outcome_warning(const surety_outcome *outcome, size_t i)
{
    if (!outcome || i >= outcome->warnings.count)
        return (surety_issue){.position.line = 0};
    return outcome->warnings.items[i].seen;
}

surety_repaired surety_outcome_repaired(const surety_outcome *outcome, size_t i)
{
    const surety__repair *repair;

    if (!outcome || i >= outcome->repairs.count)
        return (surety_repaired){.kind = ""};
    repair = &outcome->repairs.items[i];
    return (surety_repaired){
        .kind = repair->issue.seen.keyword.ptr,
        .likely = repair->likely,
        .instance_location = repair->issue.seen.instance_location,
        .original = repair->original,
        .read = repair->read,
        .cost = repair->cost,
        .position = repair->issue.seen.position,
    };
}

bool surety__outcome_looks_cut_off(const surety_outcome *outcome)
{
    return outcome->looks_cut_off;
}
