/* SPDX-License-Identifier: Apache-2.0 */
/* What was repaired, in the order in which it was done: the text around the
 * value, the repairs of the text in its order, brackets left
 * over, then the changes toward the schema.
 *
 * Only repairs of the outcome's own candidate are listed. Texts are copied,
 * shortened; positions are the reply's. A failure is always SURETY_NOMEM. */
#include "reply/reply.h"

enum {
    NOTES_TEXT_MAX = 60,  /* bytes of the original or the new text */
    NOTES_VALUE_MAX = 120 /* bytes of an array or object among them */
};

/* A text as it is copied: cut between code points where it is long. */
static bool notes_copy(surety_judge *judge, surety_str text,
                       surety_str *ret_text)
{
    surety_buf *out = &judge->scratch;

    surety_buf_reset(out);
    if (text.len > NOTES_TEXT_MAX) {
        size_t len = NOTES_TEXT_MAX;

        while (len && ((unsigned char)text.ptr[len] & 0xC0) == 0x80)
            len--;
        surety_buf_append(out, text.ptr, len);
        surety_buf_text(out, "\xE2\x80\xA6");
    } else if (text.len) {
        surety_buf_add(out, text);
    }
    return surety__outcome_take(&judge->outcome, ret_text);
}

/* A value as JSON, shortened: a container that is long by its brackets. */
static bool notes_value(surety_judge *judge, surety_val val,
                        surety_str *ret_text)
{
    surety_buf *out = &judge->scratch;
    const surety_kind kind = surety_val_kind(val);
    char room[NOTES_VALUE_MAX];
    surety_buf small = {.ptr = room, .cap = sizeof(room), .max = sizeof(room)};

    surety_buf_reset(out);
    if (kind == SURETY_KIND_STRING) {
        surety__explain_quote(out, surety_val_str(val), NOTES_TEXT_MAX);
    } else if (kind == SURETY_KIND_ARRAY || kind == SURETY_KIND_OBJECT) {
        (void)surety_val_write(val, SURETY_STYLE_COMPACT, &small);
        if (small.status == SURETY_OK)
            surety_buf_append(out, small.ptr, small.len);
        else
            surety_buf_text(out, kind == SURETY_KIND_ARRAY ? "[\xE2\x80\xA6]"
                                                           : "{\xE2\x80\xA6}");
    } else if (kind == SURETY_KIND_NUMBER) {
        return notes_copy(judge, surety_val_number(val), ret_text);
    } else if (kind != SURETY_KIND_NONE) {
        (void)surety_val_write(val, SURETY_STYLE_COMPACT, out);
    }
    return surety__outcome_take(&judge->outcome, ret_text);
}

/* A repair without texts but for what a user reads, a constant. */
static surety__repair *notes_add(surety_judge *judge, const char *kind,
                                 bool likely, const char *about)
{
    surety__repair *repair = surety__repair_add(&judge->outcome);

    if (!repair)
        return NULL;
    surety__explain_keyword(&repair->issue, kind);
    repair->issue.seen.message = surety_str_of(about);
    repair->likely = likely;
    repair->original = repair->read = SURETY__LITERAL("");
    return repair;
}

/* What wraps the value in the reply, which no doc holds. */
static bool notes_wrapper(surety_judge *judge)
{
    const surety__trial *best = judge->best;
    const size_t start = best->candidate.start - best->wrapper;
    surety__repair *repair;

    if (!best->wrapper)
        return true;
    assert(best->candidate.start >= best->wrapper);
    repair = notes_add(judge, surety__repair_kind_name(REPAIR_WRAPPER), false,
                       surety__repair_kind_about(REPAIR_WRAPPER));
    if (!repair)
        return false;
    repair->issue.placed = true;
    repair->issue.seen.position.offset = start;
    repair->issue.seen.position.length = best->wrapper;
    return notes_copy(
        judge, (surety_str){judge->outcome.seen.ptr + start, best->wrapper},
        &repair->original);
}

/* A repair at bytes of the candidate's text. */
static bool notes_text_repair(surety_judge *judge,
                              enum surety__repair_kind kind, size_t offset,
                              surety_str original, surety_str read)
{
    surety__repair *repair = notes_add(judge, surety__repair_kind_name(kind),
                                       surety__repair_kind_is_likely(kind),
                                       surety__repair_kind_about(kind));

    if (!repair)
        return false;
    surety__locate_span(judge, judge->best, offset, original.len,
                        &repair->issue);
    return notes_copy(judge, original, &repair->original) &&
           notes_copy(judge, read, &repair->read);
}

static bool notes_text_repairs(surety_judge *judge)
{
    const surety__trial *best = judge->best;
    const surety_doc *doc = best->doc;
    const surety_str text = best->candidate.text;
    surety_str original;

    assert(best->brackets <= text.len);
    for (size_t i = 0; i < doc->repairs.count; i++) {
        const surety__repair_view repair = surety__doc_repair(doc, i);

        if (!notes_text_repair(judge, doc->repairs.items[i].kind, repair.offset,
                               repair.original, repair.read))
            return false;
    }
    judge->outcome.repairs.total += doc->repairs.total - doc->repairs.count;
    if (!best->brackets)
        return true;
    original = surety__str_trim(
        (surety_str){text.ptr + text.len - best->brackets, best->brackets});
    return notes_text_repair(judge, surety__repair_extra(best),
                             (size_t)(original.ptr - text.ptr), original,
                             SURETY__LITERAL(""));
}

static bool notes_rows(surety_judge *judge)
{
    const surety__trial *best = judge->best;
    surety__repair *repair;

    if (!best->rows)
        return true;
    repair = notes_add(judge, "rows", false, "");
    if (!repair)
        return false;
    surety__locate_span(judge, best, 0, 0, &repair->issue);
    surety__buf_printf(&judge->scratch, "%zu values", best->rows);
    if (!surety__outcome_take(&judge->outcome, &repair->original))
        return false;
    surety__buf_printf(&judge->scratch, "an array of %zu", best->rows);
    return surety__outcome_take(&judge->outcome, &repair->read);
}

/* The form that the value had: its first line is shown. */
static bool notes_form(surety_judge *judge)
{
    const surety__trial_form *form = &judge->best->form;
    surety_str text = {judge->outcome.seen.ptr + form->start,
                       form->end - form->start};
    surety__repair *repair;

    if (!form->is_one)
        return true;
    repair = notes_add(judge, surety__repair_kind_name(form->kind), true,
                       surety__repair_kind_about(form->kind));
    if (!repair)
        return false;
    repair->issue.placed = true;
    repair->issue.seen.position.offset = form->start;
    repair->issue.seen.position.length = text.len;
    text.len = surety__str_find(text, SURETY__LITERAL("\n"));
    return notes_copy(judge, surety__str_trim(text), &repair->original);
}

static bool notes_edit(surety_judge *judge, const surety__edit *edit)
{
    const surety__trial *best = judge->best;
    surety__repair *repair = notes_add(judge, edit->kind, edit->likely, "");

    if (!repair)
        return false;
    repair->cost = edit->cost;
    surety__locate_value(judge, best, edit->from, &repair->issue);
    if (best->text) {
        repair->issue.placed = true;
        repair->issue.seen.position.offset = best->candidate.start;
        repair->issue.seen.position.length = best->candidate.text.len;
    }
    if (!surety__outcome_copy(&judge->outcome, edit->pointer,
                              &repair->issue.seen.instance_location) ||
        !notes_value(judge, edit->to, &repair->read))
        return false;
    return best->text
               ? notes_copy(judge, best->candidate.text, &repair->original)
               : notes_value(judge, edit->from, &repair->original);
}

static bool notes_edits(surety_judge *judge)
{
    const surety__trial *best = judge->best;
    const surety__align_edits *edits = surety__aligner_edits(best->aligner);

    assert(edits->kept <= edits->count);
    for (size_t i = 0; i < edits->kept; i++)
        if (!notes_edit(judge, &edits->items[i]))
            return false;
    judge->outcome.repairs.total += edits->count - edits->kept;
    return true;
}

surety_status surety__notes_fill(surety_judge *judge)
{
    const surety__trial *best = judge->best;

    if (!best || !best->tolerant)
        return SURETY_OK;
    if (!notes_wrapper(judge) || !notes_form(judge) ||
        (!best->text && !notes_text_repairs(judge)) || !notes_rows(judge) ||
        (best->fits && !notes_edits(judge)))
        return SURETY_NOMEM;
    if (judge->outcome.repairs.total == judge->outcome.repairs.count)
        return SURETY_OK;
    return surety__explain_warn(judge, "truncated",
                                "there are more repairs than the %zu listed",
                                judge->outcome.repairs.count);
}
