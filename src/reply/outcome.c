/* SPDX-License-Identifier: Apache-2.0 */
/* What a judgement leaves: lists of issues whose texts stand in one arena, and
 * values that stand in the judge's docs. Resetting keeps the memory, so a judge
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

bool surety_outcome_ok(const surety_outcome *outcome)
{
    return outcome && outcome->stage == SURETY_STAGE_DONE;
}

surety_stage surety_outcome_stage(const surety_outcome *outcome)
{
    return outcome ? outcome->stage : SURETY_STAGE_EXTRACTION;
}

surety_val surety_outcome_value(const surety_outcome *outcome)
{
    return outcome ? outcome->value : surety_val_none();
}

surety_val surety_outcome_candidate(const surety_outcome *outcome)
{
    const surety__trial *best = outcome ? outcome->judge->best : NULL;

    return best && best->stage != SURETY_STAGE_JSON_PARSE &&
                   best->stage != SURETY_STAGE_EXTRACTION
               ? surety_doc_root(best->doc)
               : surety_val_none();
}

bool surety_outcome_fallback(const surety_outcome *outcome)
{
    return outcome && outcome->fallback;
}

surety_val surety_outcome_derived(const surety_outcome *outcome)
{
    return outcome ? outcome->derived : surety_val_none();
}

surety_place surety_outcome_place(const surety_outcome *outcome)
{
    return outcome ? outcome->place : SURETY_PLACE_NONE;
}

size_t surety_outcome_start(const surety_outcome *outcome)
{
    return outcome ? outcome->start : 0;
}

size_t surety_outcome_end(const surety_outcome *outcome)
{
    return outcome ? outcome->end : 0;
}

size_t surety_outcome_error_count(const surety_outcome *outcome)
{
    return outcome ? outcome->errors.count : 0;
}

surety_issue surety_outcome_error(const surety_outcome *outcome, size_t i)
{
    if (i >= surety_outcome_error_count(outcome))
        return (surety_issue){.position.line = 0};
    return outcome->errors.items[i].seen;
}

size_t surety_outcome_warning_count(const surety_outcome *outcome)
{
    return outcome ? outcome->warnings.count : 0;
}

surety_issue surety_outcome_warning(const surety_outcome *outcome, size_t i)
{
    if (i >= surety_outcome_warning_count(outcome))
        return (surety_issue){.position.line = 0};
    return outcome->warnings.items[i].seen;
}

size_t surety_outcome_repaired_count(const surety_outcome *outcome)
{
    return outcome ? outcome->repairs.count : 0;
}

surety_repaired surety_outcome_repaired(const surety_outcome *outcome, size_t i)
{
    const surety__repair *repair;

    if (i >= surety_outcome_repaired_count(outcome))
        return (surety_repaired){.kind = ""};
    repair = &outcome->repairs.items[i];
    return (surety_repaired){
        .kind = repair->issue.seen.keyword.ptr,
        .likely = repair->likely,
        .instance_location = repair->issue.seen.instance_location,
        .stood = repair->stood,
        .read = repair->read,
        .cost = repair->cost,
        .position = repair->issue.seen.position,
    };
}

bool surety__outcome_looks_cut_off(const surety_outcome *outcome)
{
    return outcome->looks_cut_off;
}

bool surety_outcome_partial(const surety_outcome *outcome)
{
    return outcome && outcome->partial;
}

surety_str surety_outcome_open(const surety_outcome *outcome)
{
    return surety_outcome_partial(outcome) ? outcome->open
                                           : (surety_str){"", 0};
}
