/* SPDX-License-Identifier: Apache-2.0 */
/* The forms for programs: the report object (its schema is the contract
 * surety/report), and results of SARIF 2.1.0 (OASIS, 2020; section 3.27). */
#include "json/json.h"
#include "reply/report.h"

enum { REPORT_RAW_MAX = 500 }; /* characters of the reply */

void surety__issue_json(const surety_issue *issue, surety_buf *out)
{
    surety_buf_byte(out, '{');
    surety_json_text(out, "instanceLocation", issue->instance_location);
    surety_json_text(out, "keywordLocation", issue->keyword_location);
    surety_json_text(out, "absoluteKeywordLocation",
                     issue->absolute_keyword_location);
    surety_json_text(out, "keyword", issue->keyword);
    surety_json_text(out, "error", issue->message);
    surety__json_position(out, &issue->position);
    if (issue->hint.len)
        surety_json_text(out, "hint", issue->hint);
    surety_buf_byte(out, '}');
}

static void json_issues(surety_buf *out, const char *name,
                        const surety__issues *issues)
{
    surety_json_name(out, name);
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < issues->count; i++) {
        if (i)
            surety_buf_byte(out, ',');
        surety__issue_json(&issues->items[i].seen, out);
    }
    surety_buf_byte(out, ']');
}

static void json_repairs(surety_buf *out, const surety__repairs *repairs)
{
    surety_json_name(out, "repairs");
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < repairs->count; i++) {
        const surety__repair *repair = &repairs->items[i];
        const surety_issue *seen = &repair->issue.seen;

        surety_buf_text(out, i ? ",{" : "{");
        surety_json_text(out, "kind", seen->keyword);
        surety_json_text(out, "confidence",
                         repair->likely ? SURETY__LITERAL("likely")
                                        : SURETY__LITERAL("certain"));
        if (repair->cost)
            surety_json_text(out, "instanceLocation", seen->instance_location);
        surety_json_text(out, "original", repair->original);
        surety_json_text(out, "read", repair->read);
        if (repair->cost)
            surety_json_number(out, "cost", repair->cost);
        surety__json_position(out, &seen->position);
        surety_buf_byte(out, '}');
    }
    surety_buf_byte(out, ']');
}

/* The first max characters of text; a bad byte counts as one, for it becomes
 * U+FFFD when written. */
static surety_str json_head(surety_str text, size_t max)
{
    const char *start = text.len ? text.ptr : "";
    const char *end = start + text.len;
    const char *ptr = start;

    for (size_t i = 0; i < max && ptr < end; i++) {
        unsigned len = 1;
        uint64_t word;

        /* Eight characters at once where they are ASCII. */
        if (end - ptr >= 8 && i + 8 <= max) {
            memcpy(&word, ptr, 8);
            if (!(word & UINT64_C(0x8080808080808080))) {
                ptr += 8;
                i += 7;
                continue;
            }
        }
        if ((unsigned char)*ptr >= 0x80)
            (void)surety__utf8_decode(ptr, end, &len);
        ptr += len;
    }
    return (surety_str){start, (size_t)(ptr - start)};
}

void surety__report_json(const surety_outcome *outcome, size_t raw_max,
                         surety_buf *out)
{
    const bool ok = surety_outcome_info_of(outcome)->ok;
    const size_t start = out->len;

    surety_buf_byte(out, '{');
    surety_json_bool(out, "ok", ok);
    surety_json_name(out, "stage");
    if (ok)
        surety_buf_text(out, "null");
    else
        surety_json_string(out,
                           surety_str_of(surety_stage_name(outcome->stage)));
    surety_json_text(out, "contract", outcome->contract_id);
    surety_json_value(out, "value", outcome->value);
    surety_json_bool(out, "fallback", outcome->fallback);
    if (outcome->partial) {
        surety_json_bool(out, "partial", true);
        surety_json_text(out, "open", outcome->open);
    }
    if (outcome->derived.doc)
        surety_json_value(out, "derived", outcome->derived);
    surety_json_name(out, "place");
    if (outcome->place == SURETY_PLACE_NONE) {
        surety_buf_text(out, "null,\"span\":null");
    } else {
        surety_json_string(out,
                           surety_str_of(surety_place_name(outcome->place)));
        surety_json_name(out, "span");
        surety_buf_byte(out, '{');
        surety_json_number(out, "start", outcome->start);
        surety_json_number(out, "end", outcome->end);
        surety_buf_byte(out, '}');
    }
    json_issues(out, "errors", &outcome->errors);
    json_repairs(out, &outcome->repairs);
    json_issues(out, "warnings", &outcome->warnings);
    if (raw_max == 0)
        raw_max = REPORT_RAW_MAX;
    else if (raw_max == SURETY_RAW_NONE)
        raw_max = 0;
    surety_json_text(out, "raw", json_head(outcome->seen, raw_max));
    surety_buf_byte(out, '}');
    surety_json_shown(out, start);
}

/* ---- SARIF --------------------------------------------------------------- */

/* Columns and characters are code points: the run must say so in columnKind. */
static void sarif_region(surety_buf *out, const surety__issue *issue)
{
    const surety_position *position = &issue->seen.position;

    surety_json_name(out, "region");
    surety_buf_byte(out, '{');
    surety_json_number(out, "startLine", position->line);
    surety_json_number(out, "startColumn", position->column);
    surety_json_number(out, "endColumn", position->column + issue->char_length);
    surety_json_number(out, "charOffset", issue->char_offset);
    surety_json_number(out, "charLength", issue->char_length);
    surety_json_number(out, "byteOffset", position->offset);
    surety_json_number(out, "byteLength", position->length);
    surety_buf_byte(out, '}');
}

static void sarif_issue(surety_buf *out, const surety__issue *issue,
                        surety_str text, const char *level, surety_str source)
{
    const surety_issue *seen = &issue->seen;

    if (!source.len)
        source = SURETY__LITERAL("reply");
    surety_buf_byte(out, '{');
    surety_json_text(out, "ruleId", seen->keyword);
    surety_json_text(out, "level", surety_str_of(level));
    surety_json_name(out, "message");
    surety_buf_byte(out, '{');
    surety_json_text(out, "text", text);
    surety_buf_byte(out, '}');
    surety_json_name(out, "locations");
    surety_buf_text(out, "[{\"physicalLocation\":{\"artifactLocation\":"
                         "{\"uri\":");
    surety_buf_byte(out, '"');
    /* A file's name as a relative URI reference (RFC 3986, 3.3). */
    surety__buf_percent(out, source, "/");
    surety_buf_byte(out, '"');
    surety_buf_byte(out, '}');
    if (seen->position.line)
        sarif_region(out, issue);
    surety_buf_text(out, "}}]");
    surety_json_name(out, "properties");
    surety_buf_byte(out, '{');
    surety_json_text(out, "instanceLocation", seen->instance_location);
    surety_json_text(out, "keywordLocation", seen->keyword_location);
    if (seen->hint.len)
        surety_json_text(out, "hint", seen->hint);
    surety_buf_text(out, "}}");
}

void surety__report_sarif(const surety_outcome *outcome, surety_str source,
                          surety_buf *out)
{
    const size_t errors = outcome->errors.count;

    const size_t issues = errors + outcome->warnings.count;
    const size_t start = out->len;
    surety_buf text;

    surety_buf_init(&text, out->alloc, 0);
    for (size_t i = 0; i < issues; i++) {
        const surety__issue *issue = i < errors
                                         ? &outcome->errors.items[i]
                                         : &outcome->warnings.items[i - errors];

        if (i)
            surety_buf_byte(out, ',');
        sarif_issue(out, issue, issue->seen.message,
                    i < errors ? "error" : "warning", source);
    }
    for (size_t i = 0; i < outcome->repairs.count; i++) {
        if (issues + i)
            surety_buf_byte(out, ',');
        surety__report_repair(&text, &outcome->repairs.items[i]);
        sarif_issue(out, &outcome->repairs.items[i].issue,
                    surety_buf_str(&text), "note", source);
        surety_buf_reset(&text);
    }
    if (text.status && !out->status)
        out->status = text.status;
    surety_buf_done(&text);
    surety_json_shown(out, start);
}
