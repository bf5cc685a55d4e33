/* SPDX-License-Identifier: Apache-2.0 */
/* Why a reply is not valid, in words for the person or the model that has to
 * act on them: the finder's obstacle, the reader's fault, the schema's findings
 * or the rules that do not hold, each with its place in the reply. And what is
 * worth saying of a reply that is valid.
 *
 * Texts are written into the judge's scratch buffer and copied to the outcome;
 * a failure is always SURETY_NOMEM. */
#include "extract/extract.h"
#include "reply/reply.h"
#include "schema/schema.h"

enum {
    EXPLAIN_TAG_MAX = 40, /* bytes of a block's tag or a key in a message */
    EXPLAIN_KEY_MAX = 60
};

#define EXPLAIN_CUT_HINT                                                       \
    "raise the limit of output tokens, or ask for a shorter reply"

static surety_status explain_extraction(surety_judge *judge);
static surety_status explain_syntax(surety_judge *judge);
static surety_status explain_findings(surety_judge *judge);
static surety_status explain_rules(surety_judge *judge);
static surety_status explain_objections(surety_judge *judge);
static surety_status explain_fault(surety_judge *judge);

surety_status surety__explain_errors(surety_judge *judge)
{
    const surety__trial *best = judge->best;

    if (!best)
        return explain_extraction(judge);
    if (best->stage == SURETY_STAGE_JSON_PARSE)
        return explain_syntax(judge);
    if (best->refused)
        return explain_fault(judge);
    if (best->objections)
        return explain_objections(judge);
    return best->results ? explain_rules(judge) : explain_findings(judge);
}

void surety__explain_keyword(surety__issue *issue, const char *keyword)
{
    issue->seen.keyword = surety_str_of(keyword);
    issue->seen.instance_location = SURETY__LITERAL("");
    issue->seen.keyword_location = SURETY__LITERAL("");
    issue->seen.absolute_keyword_location = SURETY__LITERAL("");
    issue->seen.message = SURETY__LITERAL("");
    issue->seen.hint = SURETY__LITERAL("");
}

void surety__explain_quote(surety_buf *out, surety_str text, size_t max)
{
    const bool cut = text.len > max;

    if (cut)
        for (text.len = max;
             text.len && ((unsigned char)text.ptr[text.len] & 0xC0) == 0x80;)
            text.len--;
    surety_json_string(out, text);
    if (cut)
        surety_buf_text(out, "...");
}

/* What the caller says of a native value. */
static surety_status explain_fault(surety_judge *judge)
{
    const surety__trial *best = judge->best;
    const surety_error *fault = judge->task.options.native_fault;
    const surety_str path = surety_str_of(fault->path);
    surety_outcome *outcome = &judge->outcome;
    surety__issue *issue = surety__issue_add(outcome, &outcome->errors);

    if (!issue)
        return SURETY_NOMEM;
    surety__explain_keyword(issue, "strict");
    surety__locate_value(
        judge, best, surety_val_at(surety_doc_root(best->doc), path), issue);
    return surety__outcome_copy(outcome, path,
                                &issue->seen.instance_location) &&
                   surety__outcome_copy(outcome, surety_str_of(fault->message),
                                        &issue->seen.message) &&
                   surety__outcome_copy(outcome, surety_str_of(fault->hint),
                                        &issue->seen.hint)
               ? SURETY_OK
               : SURETY_NOMEM;
}

/* ---- extraction ---------------------------------------------------------- */

static bool explain_lists(const surety_extract *how, surety_place place)
{
    for (size_t i = 0; i < how->from_count; i++)
        if (how->from[i] == place)
            return true;
    return how->from_count == 0;
}

/* The fence that is at offset of the reply, and its tag. */
static surety_str explain_fence(surety_str reply, size_t offset,
                                surety_str *ret_tag)
{
    const char *ptr = reply.ptr + offset;
    const char *end = reply.ptr + reply.len;
    const char *stop = ptr;
    const char *tag;

    while (stop < end && *stop == *ptr)
        stop++;
    tag = stop;
    while (tag < end && (*tag == ' ' || *tag == '\t'))
        tag++;
    for (stop = tag; stop < end && !memchr(" \t\r\n", *stop, 4);)
        stop++;
    *ret_tag = (surety_str){tag, (size_t)(stop - tag)};
    if (stop == tag)
        while (stop > ptr && (stop[-1] == ' ' || stop[-1] == '\t'))
            stop--;
    return (surety_str){ptr, (size_t)(stop - ptr)};
}

/* There was no obstacle, and no candidate. Gives the hint. */
static const char *explain_nothing(surety_judge *judge)
{
    const surety_extract *how = &judge->task.extract;
    surety_buf *out = &judge->scratch;

    if (explain_lists(how, SURETY_PLACE_WHOLE) ||
        explain_lists(how, SURETY_PLACE_EMBEDDED)) {
        surety_buf_text(out, "nothing that looks like JSON was found");
        return "answer with one JSON value";
    }
    if (explain_lists(how, SURETY_PLACE_FENCE) ||
        explain_lists(how, SURETY_PLACE_FENCE_ANY)) {
        surety_buf_text(out, "no fenced block was found");
        return "put the JSON in a block that opens with ```json";
    }
    if (!explain_lists(how, SURETY_PLACE_MARKER)) {
        surety_buf_text(out, "no native value was delivered, and the contract "
                             "looks nowhere else");
        return "";
    }
    if (!how->marker.len) {
        surety_buf_text(out, "the contract names no marker to look for");
        return "";
    }
    surety_buf_text(out, "no JSON follows the marker ");
    surety__explain_quote(out, how->marker, EXPLAIN_KEY_MAX);
    return "put the JSON after the marker";
}

/* The tag that opens reasoning at offset: how many bytes it takes. */
static size_t explain_tag(surety_str reply, size_t offset)
{
    surety_str tag = {reply.ptr + offset, reply.len - offset};
    size_t len;

    if (tag.len > EXPLAIN_TAG_MAX)
        tag.len = EXPLAIN_TAG_MAX;
    len = surety__str_find(tag, SURETY__LITERAL(">"));
    return len < tag.len ? len + 1 : 1;
}

/* Where a mark of a json block is in the middle of a line before `to`, as
 * no block of Markdown opens; `to`: nowhere. */
static size_t explain_inline_fence(surety_str reply, size_t to)
{
    const surety_str mark = SURETY__LITERAL("```json");
    size_t at = 0;

    while (at < to) {
        const surety_str rest = {reply.ptr + at, to - at};
        size_t line;

        at += surety__str_find(rest, mark);
        if (at >= to)
            break;
        for (line = at; line && memchr(" \t", reply.ptr[line - 1], 2);)
            line--;
        if (line && !memchr("\r\n", reply.ptr[line - 1], 2))
            return at;
        at += mark.len;
    }
    return to;
}

/* A block that is never closed. Bare marks that end the reply were to close a
 * block, where one was to be opened in the middle of a line. */
static size_t explain_open_fence(surety_judge *judge, size_t *offset,
                                 const char **ret_hint)
{
    const surety_str reply = judge->task.reply;
    const unsigned line = surety_position_at(reply, *offset, 0).line;
    surety_str tag;
    const surety_str fence = explain_fence(reply, *offset, &tag);
    const size_t inline_at = explain_inline_fence(reply, *offset);

    if (inline_at < *offset &&
        surety__str_trim((surety_str){fence.ptr + fence.len,
                                      reply.len - *offset - fence.len})
                .len == 0) {
        surety__buf_printf(&judge->scratch,
                           "the block that is closed at line %u opens in the "
                           "middle of line %u",
                           line, surety_position_at(reply, inline_at, 0).line);
        *ret_hint = "begin a new line with ```json";
        *offset = inline_at;
        return explain_fence(reply, inline_at, &tag).len;
    }
    judge->outcome.looks_cut_off = true;
    surety__buf_printf(&judge->scratch,
                       "a fenced block is opened at line %u but never "
                       "closed: the reply looks cut off",
                       line);
    return fence.len;
}

/* Writes the obstacle to the scratch buffer; gives the hint, the place
 * to point at, and how many bytes (0: there is no place). */
static size_t explain_obstacle(surety_judge *judge, surety__obstacle obstacle,
                               size_t *offset, const char **ret_hint)
{
    const surety_str reply = judge->task.reply;
    const unsigned line = surety_position_at(reply, *offset, 0).line;
    surety_buf *out = &judge->scratch;
    surety_str fence, tag;

    *ret_hint = EXPLAIN_CUT_HINT;
    switch (obstacle) {
    case SURETY_OBSTACLE_EMPTY_REPLY:
        *ret_hint = "";
        surety_buf_text(out, "the reply is empty");
        return 0;
    case SURETY_OBSTACLE_REASONING_OPEN:
        judge->outcome.looks_cut_off = true;
        surety__buf_printf(out,
                           "reasoning begins at line %u but never ends: "
                           "the reply looks cut off",
                           line);
        return explain_tag(reply, *offset);
    case SURETY_OBSTACLE_FENCE_OPEN:
        return explain_open_fence(judge, offset, ret_hint);
    case SURETY_OBSTACLE_FENCE_OTHER:
        *ret_hint = "open the block with ```json";
        fence = explain_fence(reply, *offset, &tag);
        surety__buf_printf(out,
                           "no fenced block tagged json was found; the "
                           "block at line %u is ",
                           line);
        surety_buf_text(out, tag.len ? "tagged " : "not tagged");
        if (tag.len)
            surety__explain_quote(out, tag, EXPLAIN_TAG_MAX);
        return fence.len;
    case SURETY_OBSTACLE_VALUE_OPEN:
        judge->outcome.looks_cut_off = true;
        surety__buf_printf(out,
                           "%s opens at line %u but never ends: the reply "
                           "looks cut off",
                           reply.ptr[*offset] == '[' ? "an array" : "an object",
                           line);
        return 1;
    case SURETY_OBSTACLE_NO_MARKER:
        *ret_hint = "put the JSON after the marker";
        surety_buf_text(out, "the marker ");
        surety__explain_quote(out, judge->task.extract.marker, EXPLAIN_KEY_MAX);
        surety_buf_text(out, " is not in the reply");
        return 0;
    case SURETY_OBSTACLE_NONE:
    case SURETY_OBSTACLE_NO_JSON: break;
    }
    *ret_hint = explain_nothing(judge);
    return 0;
}

static surety_status explain_extraction(surety_judge *judge)
{
    surety_outcome *outcome = &judge->outcome;
    surety__issue *issue = surety__issue_add(outcome, &outcome->errors);
    const char *hint = "";
    surety__obstacle obstacle;
    size_t offset = 0;
    size_t length;

    if (!issue)
        return SURETY_NOMEM;
    surety__explain_keyword(issue, "extraction");
    obstacle = surety__finder_obstacle(judge->finder, &offset);
    if (judge->task.extract.from_count == 1 &&
        judge->task.extract.from[0] == SURETY_PLACE_NATIVE)
        obstacle = SURETY_OBSTACLE_NO_JSON;
    length = explain_obstacle(judge, obstacle, &offset, &hint);
    issue->seen.hint = surety_str_of(hint);
    if (length) {
        issue->placed = true;
        issue->seen.position.offset = offset;
        issue->seen.position.length = length;
    }
    return surety__outcome_take(outcome, &issue->seen.message) ? SURETY_OK
                                                               : SURETY_NOMEM;
}

/* ---- json_parse ---------------------------------------------------------- */

/* Whether the reader stopped for want of more: at the end, or in the letters of
 * a literal that the end cut off. */
static bool explain_ended(const surety_error *fault, surety_str text)
{
    static const char *const literals[] = {"true", "false", "null"};
    surety_str rest;

    if (fault->status != SURETY_SYNTAX)
        return false;
    if (fault->position.offset >= text.len)
        return true;
    rest = (surety_str){text.ptr + fault->position.offset,
                        text.len - fault->position.offset};
    for (size_t i = 0; i < sizeof(literals) / sizeof(*literals); i++)
        if (surety__str_starts(surety_str_of(literals[i]), rest))
            return true;
    return false;
}

/* Whether anything follows in the text behind the candidate. */
static bool explain_goes_on(const surety_judge *judge)
{
    const surety_outcome *outcome = &judge->outcome;
    const surety_str rest = {outcome->seen.ptr + judge->best->candidate.end,
                             outcome->seen.len - judge->best->candidate.end};

    return surety__str_trim(rest).len > 0;
}

/* The tolerant reader came to the end before the value did. */
static surety_status explain_cut(surety_judge *judge, surety__issue *issue)
{
    const surety__trial *best = judge->best;
    const surety_str path = surety__partial_path(best);
    const surety_str text = best->candidate.text;
    surety_outcome *outcome = &judge->outcome;
    surety_buf *out = &judge->scratch;
    const surety_val open = surety_val_at(surety_doc_root(best->doc), path);
    const surety_kind kind = surety_val_kind(open);

    outcome->looks_cut_off = true;
    surety__locate_span(judge, best, text.len, 0, issue);
    surety_buf_text(out, explain_goes_on(judge) ? "the JSON is cut off"
                                                : "the reply is cut off");
    surety__buf_printf(out, ": the %s%s", path.len ? "" : "root ",
                       kind != SURETY_KIND_NONE ? surety_kind_name(kind)
                                                : "value");
    if (path.len) {
        surety_buf_text(out, " at ");
        surety__explain_quote(out, path, EXPLAIN_KEY_MAX);
    }
    surety_buf_text(out, " does not end");
    issue->seen.hint = SURETY__LITERAL(EXPLAIN_CUT_HINT);
    return surety__outcome_copy(outcome, path,
                                &issue->seen.instance_location) &&
                   surety__outcome_take(outcome, &issue->seen.message)
               ? SURETY_OK
               : SURETY_NOMEM;
}

/* The repair that the tolerant reader may not make, where its fault is one. */
static const char *explain_repair(const surety_judge *judge,
                                  const surety_error *fault)
{
    if (!judge->best->tolerant || !judge->task.options.certain_only)
        return NULL;
    for (unsigned i = 0; i < REPAIR_COUNT; i++) {
        const enum surety__repair_kind kind = (enum surety__repair_kind)i;

        if (!strcmp(fault->message, surety__repair_kind_about(kind)))
            return surety__repair_kind_name(kind);
    }
    return NULL;
}

/* The reader's word, and that the reply looks cut off where it ended too
 * early. An empty block is no reply cut off. */
static surety_status explain_syntax(surety_judge *judge)
{
    const surety__trial *best = judge->best;
    const surety_error *fault = &best->fault;
    const surety_str text = best->candidate.text;
    surety_outcome *outcome = &judge->outcome;
    surety__issue *issue = surety__issue_add(outcome, &outcome->errors);
    surety_buf *out = &judge->scratch;
    const char *kind = explain_repair(judge, fault);
    const bool ended = !best->cut && explain_ended(fault, text);
    size_t length = fault->position.length;

    if (!issue)
        return SURETY_NOMEM;
    if (fault->position.offset >= text.len)
        length = 0;
    else if (!length)
        length = 1;
    surety__explain_keyword(issue, "json_parse");
    if (best->cut)
        return explain_cut(judge, issue);
    surety__locate_span(judge, best, fault->position.offset, length, issue);
    if (ended && !text.len)
        surety_buf_text(out, surety__trial_is_native(best)
                                 ? "the native value is empty"
                                 : "the block is empty");
    else if (kind)
        surety__buf_printf(out,
                           "only the repair %s would make JSON of this, and it "
                           "is a guess",
                           kind);
    else
        surety_buf_text(out, fault->message);
    if (ended && text.len) {
        outcome->looks_cut_off = true;
        surety_buf_text(out, explain_goes_on(judge)
                                 ? ": the JSON looks cut off"
                                 : ": the reply looks cut off");
    } else if (!ended && fault->hint[0]) {
        if (!surety__outcome_copy(outcome, surety_str_of(fault->hint),
                                  &issue->seen.hint))
            return SURETY_NOMEM;
    }
    return surety__outcome_take(outcome, &issue->seen.message) ? SURETY_OK
                                                               : SURETY_NOMEM;
}

/* ---- validation ---------------------------------------------------------- */

static surety_status explain_findings(surety_judge *judge)
{
    const surety__trial *best = judge->best;
    surety_outcome *outcome = &judge->outcome;

    for (size_t i = 0; i < surety_findings_count(best->findings); i++) {
        const surety_finding from = surety_findings_at(best->findings, i);
        surety__issue *issue;
        surety_issue *to;

        if (!from.keyword.ptr)
            return SURETY_NOMEM;
        if (best->cut &&
            !surety__partial_stays(surety_doc_root(best->doc), &from))
            continue;
        issue = surety__issue_add(outcome, &outcome->errors);
        if (!issue)
            return SURETY_NOMEM;
        to = &issue->seen;
        surety__locate_value(judge, best, from.instance, issue);
        if (!surety__outcome_copy(outcome, from.keyword, &to->keyword) ||
            !surety__outcome_copy(outcome, from.instance_location,
                                  &to->instance_location) ||
            !surety__outcome_copy(outcome, from.keyword_location,
                                  &to->keyword_location) ||
            !surety__outcome_copy(outcome, from.absolute_keyword_location,
                                  &to->absolute_keyword_location) ||
            !surety__outcome_copy(outcome, from.message, &to->message) ||
            !surety__outcome_copy(outcome, from.hint, &to->hint))
            return SURETY_NOMEM;
    }
    return SURETY_OK;
}

/* The value that a pointer leads to, or, if it leads to none, the nearest one
 * around that location. */
static surety_val explain_target(surety_val root, surety_str pointer)
{
    surety_val value = surety_val_at(root, pointer);

    while (!value.doc && pointer.len) {
        while (pointer.len && pointer.ptr[pointer.len - 1] != '/')
            pointer.len--;
        if (pointer.len)
            pointer.len--;
        value = surety_val_at(root, pointer);
    }
    return value;
}

/* The contract's own URI in front of a location, without an empty fragment. */
static void explain_base(surety_judge *judge)
{
    const surety_val root = surety_contract_info_of(judge->task.contract)->root;
    surety_str base = surety_val_str(surety_val_get(root, "$id"));

    if (base.len && base.ptr[base.len - 1] == '#')
        base.len--;
    surety_buf_add(&judge->scratch, base);
}

/* Places an issue at what a pointer leads to in the best trial's value, or in
 * what that was made of. */
static void explain_place(surety_judge *judge, surety_str pointer,
                          surety__issue *issue)
{
    const surety__trial *best = judge->best;

    surety__locate_value(
        judge, best, explain_target(surety__trial_value(best), pointer), issue);
    if (!issue->placed)
        surety__locate_value(
            judge, best, explain_target(surety_doc_root(best->doc), pointer),
            issue);
}

/* One rule that does not hold. */
static surety_status explain_rule(surety_judge *judge, size_t i)
{
    const surety_rule rule =
        surety_contract_info_of(judge->task.contract)->rules[i];
    const surety__rule_result *result = &judge->best->results[i];
    surety_outcome *outcome = &judge->outcome;
    surety__issue *issue = surety__issue_add(outcome, &outcome->errors);
    surety_buf *out = &judge->scratch;
    surety_issue *to;

    if (!issue)
        return SURETY_NOMEM;
    to = &issue->seen;
    surety__explain_keyword(issue, "rules");
    explain_place(judge, rule.at, issue);
    surety__buf_printf(out, "/x-surety/rules/%zu", i);
    if (!surety__outcome_take(outcome, &to->keyword_location))
        return SURETY_NOMEM;
    explain_base(judge);
    surety__buf_printf(out, "#/x-surety/rules/%zu", i);
    if (!surety__outcome_take(outcome, &to->absolute_keyword_location))
        return SURETY_NOMEM;
    if (result->status == SURETY_OK) {
        surety_buf_text(out, "rule ");
        surety_buf_add(out, rule.id);
        if (!surety__outcome_take(outcome, &to->hint))
            return SURETY_NOMEM;
        surety_buf_add(out, rule.message);
    } else {
        surety_buf_text(out, "the rule ");
        surety_buf_add(out, rule.id);
        surety_buf_text(out, " could not be evaluated: ");
        surety_buf_add(out, result->text);
    }
    if (!surety__outcome_take(outcome, &to->message) ||
        !surety__outcome_copy(outcome, rule.at, &to->instance_location))
        return SURETY_NOMEM;
    return SURETY_OK;
}

static surety_status explain_rules(surety_judge *judge)
{
    const size_t count =
        surety_contract_info_of(judge->task.contract)->rule_count;
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < count && status == SURETY_OK; i++)
        if (!judge->best->results[i].holds)
            status = explain_rule(judge, i);
    return status;
}

/* What the validators have against the value. */
static surety_status explain_objections(surety_judge *judge)
{
    surety_outcome *outcome = &judge->outcome;

    for (const surety__objection *one = judge->best->objections; one;
         one = one->next) {
        surety__issue *issue = surety__issue_add(outcome, &outcome->errors);

        if (!issue)
            return SURETY_NOMEM;
        surety__explain_keyword(issue, "validator");
        explain_place(judge, one->location, issue);
        issue->seen.instance_location = one->location;
        issue->seen.message = one->message;
        issue->seen.hint = one->hint;
    }
    return SURETY_OK;
}

/* ---- warnings ------------------------------------------------------------ */

surety_status surety__explain_warn(surety_judge *judge, const char *keyword,
                                   const char *format, ...)
{
    surety_outcome *outcome = &judge->outcome;
    surety__issue *issue = surety__issue_add(outcome, &outcome->warnings);
    surety_error text;
    va_list args;

    if (!issue)
        return SURETY_NOMEM;
    surety__explain_keyword(issue, keyword);
    va_start(args, format);
    surety__failv(&text, SURETY_OK, format, args);
    va_end(args);
    return surety__outcome_copy(outcome, surety_str_of(text.message),
                                &issue->seen.message)
               ? SURETY_OK
               : SURETY_NOMEM;
}

surety_status surety__explain_another(surety_judge *judge, size_t offset)
{
    const surety__trial *best = judge->best;
    const surety_position taken =
        surety_position_at(judge->task.reply, best->candidate.start, 1);
    surety_outcome *outcome = &judge->outcome;
    surety__issue *issue = surety__issue_add(outcome, &outcome->warnings);

    if (!issue)
        return SURETY_NOMEM;
    surety__explain_keyword(issue, "ambiguous");
    issue->placed = true;
    issue->seen.position.offset = offset;
    issue->seen.position.length = 1;
    surety__buf_printf(&judge->scratch,
                       "another value satisfies the contract, too: the one at "
                       "line %u, column %u was taken%s",
                       taken.line, taken.column,
                       best->tolerant                  ? ""
                       : judge->task.extract.pick_last ? " (pick: last)"
                                                       : " (pick: first)");
    return surety__outcome_take(outcome, &issue->seen.message) ? SURETY_OK
                                                               : SURETY_NOMEM;
}

surety_status surety__explain_behind(surety_judge *judge, size_t offset)
{
    surety__issue *issue =
        surety__issue_add(&judge->outcome, &judge->outcome.warnings);

    if (!issue)
        return SURETY_NOMEM;
    surety__explain_keyword(issue, "closed-early");
    issue->placed = true;
    issue->seen.position.offset = offset;
    issue->seen.position.length = 1;
    issue->seen.message = SURETY__LITERAL(
        "the value ends before this, but the text goes on as a part of it: its "
        "bracket may have been closed too early");
    return SURETY_OK;
}

/* Every key that is in its object again, and where it was before: these
 * places come in their order, so one walk counts their lines. */
static surety_status explain_duplicates(surety_judge *judge)
{
    const surety__trial *best = judge->best;
    const surety_doc *doc = best->doc;
    const size_t listed = DOC_DUPLICATES_MAX;
    surety_outcome *outcome = &judge->outcome;
    surety__position_walk before = surety__position_begin(outcome->seen);

    for (size_t i = 0; i < doc->duplicate_count && i < listed; i++) {
        const char *own =
            doc->duplicates[i].flags & FLAG_OWN ? doc->own : doc->text;
        const surety_str key = {own + doc->duplicates[i].off,
                                doc->duplicates[i].len};
        const size_t place = doc->duplicates[i].again;
        const surety_str rest = {doc->text + place, doc->text_len - place};
        surety__issue *issue = surety__issue_add(outcome, &outcome->warnings);

        if (!issue)
            return SURETY_NOMEM;
        surety__explain_keyword(issue, "duplicate_key");
        surety__locate_span(judge, best, doc->duplicates[i].place, 0, issue);
        surety__position_advance(&before, issue->seen.position.offset);
        surety__locate_span(judge, best, place, surety__locate_string(rest),
                            issue);
        surety_buf_text(&judge->scratch, "the key ");
        surety__explain_quote(&judge->scratch, key, EXPLAIN_KEY_MAX);
        surety__buf_printf(
            &judge->scratch,
            " appears in its object again, as at line %u, column "
            "%u; the last one counts",
            (unsigned)before.line, (unsigned)before.column);
        if (!surety__outcome_take(outcome, &issue->seen.message))
            return SURETY_NOMEM;
    }
    if (doc->duplicate_count > listed)
        return surety__explain_warn(judge, "duplicate_key",
                                    "%zu more keys appear in their object "
                                    "again",
                                    doc->duplicate_count - listed);
    return SURETY_OK;
}

surety_status surety__explain_deprecated(surety_judge *judge)
{
    surety_outcome *outcome = &judge->outcome;

    for (size_t i = 0;; i++) {
        surety_val subschema;
        const surety_val value =
            surety__checker_deprecated(judge->checker, i, &subschema);
        surety__issue *issue;

        if (!value.doc)
            return SURETY_OK;
        issue = surety__issue_add(outcome, &outcome->warnings);
        if (!issue)
            return SURETY_NOMEM;
        surety__explain_keyword(issue, "deprecated");
        surety__locate_value(judge, judge->best, value, issue);
        surety_val_pointer(value, &judge->scratch);
        if (!surety__outcome_take(outcome, &issue->seen.instance_location) ||
            !surety__outcome_copy(
                outcome,
                surety_val_str(surety_val_get(subschema, "description")),
                &issue->seen.hint))
            return SURETY_NOMEM;
        issue->seen.message = SURETY__LITERAL("this member is deprecated");
    }
}

surety_status surety__explain_warnings(surety_judge *judge)
{
    const surety_str notice =
        surety_contract_info_of(judge->task.contract)->deprecated;
    const surety_str id = surety_contract_info_of(judge->task.contract)->id;
    const surety__trial *best = judge->best;
    surety_status status = SURETY_OK;

    if (notice.len)
        status = surety__explain_warn(
            judge, "deprecated", "the contract%s%.*s is deprecated: %.*s",
            id.len ? " " : "", (int)id.len, id.len ? id.ptr : "",
            (int)notice.len, notice.ptr);
    if (status == SURETY_OK && best && best->stage != SURETY_STAGE_JSON_PARSE)
        status = explain_duplicates(judge);
    if (status == SURETY_OK && best && best->stage == SURETY_STAGE_VALIDATION &&
        (surety_findings_truncated(best->findings) ||
         best->objection_count > judge->outcome.errors.count))
        status = surety__explain_warn(
            judge, "truncated", "there are more errors than the %zu reported",
            judge->outcome.errors.count);
    return status;
}
