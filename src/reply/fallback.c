/* SPDX-License-Identifier: Apache-2.0 */
/* What replaces a reply that is not valid, where the contract has
 * something: null, a value with the caller's variables filled in, or a value
 * that holds the raw reply.
 *
 * A fallback is never silent: a warning says that it was used, and the errors
 * stay. There is none for an empty reply, and none that would pass off a
 * provider's error or a refusal as the model's text. It need not satisfy the
 * schema. The value is copied by one walk over its cells; the stack of open
 * containers is a text buffer of indices, so nothing recurses. */
#include "reply/reply.h"

/* A short reply with one of these is no answer. */
static const char *const fallback_phrases[] = {
    "error:",         "failed:",         "i apologize",    "i cannot",
    "sorry,",         "as an ai ",       "as an ai,",      "i'm unable to",
    "i am unable to", "i'm not able to", "i can't help",   "i can't assist",
    "i can't do ",    "i can't provide", "i can't comply", "i can't answer",
    "i'm sorry, but", "i won't be able", "cannot assist",
};
enum { FALLBACK_REFUSAL_MAX = 200 }; /* characters; longer is an answer */

struct fallback_work {
    surety_judge *judge;
    surety_doc *doc;      /* being built */
    surety_str text;      /* the raw reply, valid UTF-8 */
    surety_val target;    /* replaced by text; SURETY_NONE: nothing is */
    surety_status status; /* NOMEM sticks */
};

static bool fallback_nocase_in(surety_str text, surety_str phrase)
{
    for (size_t i = 0; i + phrase.len <= text.len; i++)
        if (surety__str_equal_nocase((surety_str){text.ptr + i, phrase.len},
                                     phrase))
            return true;
    return false;
}

bool surety__fallback_refused(surety_str reply)
{
    char plain[4 * FALLBACK_REFUSAL_MAX];
    size_t len = 0;

    reply = surety__str_trim(reply);
    if (reply.len >= 4u * FALLBACK_REFUSAL_MAX ||
        surety__utf8_count(reply) >= FALLBACK_REFUSAL_MAX)
        return false;
    /* The apostrophe of print is that of typewriters. */
    for (size_t i = 0; i < reply.len; i++) {
        const surety_str rest = {reply.ptr + i, reply.len - i};
        const bool printed =
            surety__str_starts(rest, SURETY__LITERAL("\xE2\x80\x99"));

        assert(len < sizeof(plain));
        plain[len++] = printed ? '\'' : reply.ptr[i];
        i += printed ? 2 : 0;
    }
    reply = (surety_str){plain, len};
    for (size_t i = 0; i < sizeof(fallback_phrases) / sizeof(*fallback_phrases);
         i++)
        if (fallback_nocase_in(reply, surety_str_of(fallback_phrases[i])))
            return true;
    return false;
}

/* The caller's variable of that name, or NULL. */
static const surety_variable *fallback_variable(const surety_judge *judge,
                                                surety_str name)
{
    const surety_judge_options *options = &judge->task.options;

    for (size_t i = 0; i < options->variables_count; i++)
        if (surety_str_equal(options->variables[i].name, name))
            return &options->variables[i];
    return NULL;
}

/* Pushes a string with every ${name} filled in. One that the caller gave no
 * value for stays unchanged, with a warning. */
static void fallback_string(struct fallback_work *work, surety_str text)
{
    surety_buf *out = &work->judge->scratch;
    size_t at = 0;

    if (surety__str_find(text, SURETY__LITERAL("${")) == text.len) {
        surety_build_str(work->doc, text);
        return;
    }
    surety_buf_reset(out);
    while (at < text.len) {
        const surety_str rest = {text.ptr + at, text.len - at};
        const size_t open = surety__str_find(rest, SURETY__LITERAL("${"));
        const surety_str tail = {rest.ptr + open, rest.len - open};
        const size_t close = surety__str_find(tail, SURETY__LITERAL("}"));
        const surety_variable *variable;

        surety_buf_append(out, rest.ptr, open);
        if (open == rest.len || close == tail.len) {
            surety_buf_add(out, tail);
            break;
        }
        variable = fallback_variable(work->judge,
                                     (surety_str){tail.ptr + 2, close - 2});
        if (variable) {
            surety__buf_utf8(out, variable->value);
        } else {
            surety_buf_append(out, tail.ptr, close + 1);
            if (work->status == SURETY_OK)
                work->status = surety__explain_warn(
                    work->judge, "fallback",
                    "the fallback's variable %.*s has no value",
                    (int)(close + 1 < 80 ? close + 1 : 80), tail.ptr);
        }
        at += open + close + 1;
    }
    if (work->status == SURETY_OK)
        work->status = out->status;
    surety_build_str(work->doc, surety_buf_str(out));
    surety_buf_reset(out);
}

/* Pushes one value, or opens it. */
static void fallback_push(struct fallback_work *work, surety_val from)
{
    switch (surety_val_kind(from)) {
    case SURETY_KIND_OBJECT: surety_build_object(work->doc); break;
    case SURETY_KIND_ARRAY: surety_build_array(work->doc); break;
    case SURETY_KIND_STRING: fallback_string(work, surety_val_str(from)); break;
    default: surety_build_val(work->doc, from); break;
    }
}

/* Copies the fallback's value, cell by cell. A subtree is never deeper than it
 * has cells, which bounds the stack of open containers. */
static void fallback_copy(struct fallback_work *work, surety_val root)
{
    const surety__cell *cell = surety__cell_of(root);
    const surety__cell *stop = surety__cell_after(cell);
    const surety__cell **open = surety__arena_take(
        &work->judge->outcome.arena, (size_t)(stop - cell) * sizeof(*open));
    size_t depth = 0;

    if (!open) {
        work->status = SURETY_NOMEM;
        return;
    }
    while (cell < stop) {
        const surety_val from = surety__val_of(root.doc, cell);
        const surety__cell *next = cell + 1;

        if (cell->kind == CELL_KEY) {
            surety_build_key_of(work->doc, from);
            cell = next;
            continue;
        }
        if (work->target.doc && from.index == work->target.index) {
            surety_build_str(work->doc, work->text);
            next = surety__cell_after(cell);
        } else {
            fallback_push(work, from);
            if (cell->kind >= CELL_ARRAY)
                open[depth++] = cell;
        }
        for (; depth && surety__cell_after(open[depth - 1]) == next; depth--)
            surety_build_close(work->doc);
        cell = next;
    }
    assert(cell == stop && depth == 0);
}

/* The raw trimmed reply as valid UTF-8: the text, or what the provider's API
 * delivered where there is no text. */
static surety_status fallback_raw(struct fallback_work *work, surety_str raw)
{
    surety_judge *judge = work->judge;

    surety_buf_reset(&judge->scratch);
    surety__buf_utf8(&judge->scratch, raw);
    return surety__outcome_take(&judge->outcome, &work->text) ? SURETY_OK
                                                              : SURETY_NOMEM;
}

static surety_status fallback_build(struct fallback_work *work, surety_str raw,
                                    surety_error *reterr)
{
    surety_judge *judge = work->judge;
    const surety_contract *contract = judge->task.contract;
    const surety_val value = surety_contract_info_of(contract)->fallback_value;
    surety_status status;

    if (surety_contract_info_of(contract)->fallback == SURETY_FALLBACK_TEXT) {
        work->target = surety_val_at(
            value, surety_contract_info_of(contract)->fallback_field);
        work->status = fallback_raw(work, raw);
    }
    surety_build_begin(work->doc, NULL);
    if (work->status != SURETY_OK || !value.doc)
        surety_build_null(work->doc);
    else
        fallback_copy(work, value);
    status = surety_build_end(work->doc, reterr);
    return work->status == SURETY_NOMEM ? surety__fail_nomem(reterr) : status;
}

/* ORDER surety_fallback */
static const char *const fallback_warnings[] = {
    "",
    "the reply was not valid: the contract's fallback null was taken instead",
    "the reply was not valid: the contract's fallback value was taken instead",
    "the reply was not valid: the contract's fallback holds its raw text",
};

surety_status surety__fallback_apply(surety_judge *judge, surety_error *reterr)
{
    const surety_fallback kind =
        surety_contract_info_of(judge->task.contract)->fallback;
    struct fallback_work work = {.judge = judge, .doc = judge->completed};
    surety_outcome *outcome = &judge->outcome;
    surety_str raw = surety__str_trim(judge->task.reply);
    surety_status status;

    assert((size_t)kind < SURETY__COUNT(fallback_warnings));
    if (kind == SURETY_FALLBACK_NONE || judge->task.options.no_fallback)
        return SURETY_OK;
    if (!raw.len)
        raw = surety__str_trim(judge->task.options.native);
    if (!raw.len) {
        status = surety__explain_warn(judge, "fallback",
                                      "an empty reply has no fallback");
        return status == SURETY_OK ? status : surety__fail_nomem(reterr);
    }
    if (kind == SURETY_FALLBACK_TEXT && surety__fallback_refused(raw)) {
        status = surety__explain_warn(
            judge, "fallback",
            "no fallback: the reply reads as a provider's error or a refusal");
        return status == SURETY_OK ? status : surety__fail_nomem(reterr);
    }
    if (surety__explain_warn(judge, "fallback", "%s",
                             fallback_warnings[kind]) != SURETY_OK)
        return surety__fail_nomem(reterr);
    status = fallback_build(&work, raw, reterr);
    if (status != SURETY_OK)
        return status;
    outcome->fallback = true;
    outcome->value = surety_doc_root(judge->completed);
    return SURETY_OK;
}
