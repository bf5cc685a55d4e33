/* SPDX-License-Identifier: Apache-2.0 */
/* An outcome as text: which form, and the two forms of one line an error.
 *
 * Whatever comes from a reply is hostile to a terminal and to line-based
 * formats, so every form sends it through one of two mouths: JSON strings, or
 * surety__report_line. */
#include "reply/report.h"

surety_status surety_outcome_write(const surety_outcome *outcome,
                                   surety_report form, surety_str source,
                                   size_t raw_max, surety_buf *out)
{
    if (!outcome || !out)
        return SURETY_MISUSE;
    switch (form) {
    case SURETY_REPORT_JSON: surety__report_json(outcome, raw_max, out); break;
    case SURETY_REPORT_TEXT:
    case SURETY_REPORT_COLOR:
        surety__report_text(outcome, source, form == SURETY_REPORT_COLOR, out);
        break;
    case SURETY_REPORT_PLAIN: surety__report_plain(outcome, out); break;
    case SURETY_REPORT_GITHUB:
        surety__report_github(outcome, source, out);
        break;
    case SURETY_REPORT_SARIF: surety__report_sarif(outcome, source, out); break;
    default: return SURETY_MISUSE;
    }
    return out->status;
}

unsigned surety__report_char(surety_buf *out, const char *ptr, const char *end,
                             unsigned *ret_columns)
{
    unsigned len;
    const uint32_t code = surety__utf8_decode(ptr, end, &len);

    if (code == UINT32_MAX) {
        for (unsigned i = 0; i < len; i++)
            surety__buf_printf(out, "\\x%02x", (unsigned char)ptr[i]);
        *ret_columns = 4 * len;
    } else if (surety__utf8_is_acted_on(code)) {
        surety__buf_printf(out, "\\u%04x", (unsigned)code);
        *ret_columns = 6;
    } else {
        surety_buf_append(out, ptr, len);
        *ret_columns = 1;
    }
    return len;
}

void surety__report_line(surety_buf *out, surety_str text, size_t max)
{
    const char *ptr = text.len ? text.ptr : "";
    const char *end = ptr + text.len;
    size_t written = 0;
    unsigned columns;

    for (; ptr < end && written < max; written += columns)
        ptr += surety__report_char(out, ptr, end, &columns);
    if (ptr != end)
        surety_buf_text(out, "\xE2\x80\xA6");
}

/* A JSON Pointer as a path without its first slash and its escapes. */
static void report_path(surety_buf *out, surety_str pointer)
{
    const char *ptr = pointer.len ? pointer.ptr + 1 : "";
    const char *end = pointer.len ? pointer.ptr + pointer.len : ptr;
    unsigned columns;

    while (ptr < end) {
        if (*ptr == '~' && end - ptr > 1 && (ptr[1] == '0' || ptr[1] == '1')) {
            surety_buf_byte(out, ptr[1] == '1' ? '/' : '~');
            ptr += 2;
        } else {
            ptr += surety__report_char(out, ptr, end, &columns);
        }
    }
}

void surety__report_message(surety_buf *out, const surety_issue *issue)
{
    surety__report_line(out, issue->message, SIZE_MAX);
    surety_buf_text(out, " (path: ");
    report_path(out, issue->instance_location);
    surety_buf_byte(out, ')');
}

/* The original text or the new one, between marks that no string of JSON has.
 */
static void report_marked(surety_buf *out, surety_str text)
{
    surety_buf_byte(out, '`');
    surety__report_line(out, text, SURETY__REPORT_NAME_MAX);
    surety_buf_byte(out, '`');
}

void surety__report_repair(surety_buf *out, const surety__repair *repair)
{
    const surety_str about = repair->issue.seen.message;
    const bool same = surety_str_equal(repair->original, repair->read);

    surety__report_line(out, about, SURETY__REPORT_TEXT_MAX);
    /* A repair of the text by a single sign: its name says all. */
    if (about.len && repair->original.len <= 1)
        return;
    surety_buf_text(out, about.len ? ": " : "");
    if (repair->original.len)
        report_marked(out, repair->original);
    if (repair->read.len && !same) {
        surety_buf_text(out, repair->original.len ? " was read as " : "");
        report_marked(out, repair->read);
    }
    if (about.len)
        return;
    surety_buf_text(out, repair->read.len ? " at " : " was left out at ");
    surety__report_line(out,
                        repair->issue.seen.instance_location.len
                            ? repair->issue.seen.instance_location
                            : SURETY__LITERAL("the root"),
                        SURETY__REPORT_NAME_MAX);
}

void surety__report_plain(const surety_outcome *outcome, surety_buf *out)
{
    for (size_t i = 0; i < outcome->errors.count; i++) {
        surety__report_message(out, &outcome->errors.items[i].seen);
        surety_buf_byte(out, '\n');
    }
}

/* ---- GitHub -------------------------------------------------------------- */

/* Moves what was written to line to out, with the escapes of workflow commands
 * (GitHub's toolkit, command.ts): of % everywhere, and in a property of : and ,
 * too. */
static void report_command(surety_buf *out, surety_buf *line, bool property)
{
    for (size_t i = 0; i < line->len; i++) {
        const char byte = line->ptr[i];

        if (byte == '%' || (property && (byte == ':' || byte == ',')))
            surety__buf_printf(out, "%%%02X", (unsigned char)byte);
        else
            surety_buf_byte(out, byte);
    }
    if (!out->status)
        out->status = line->status;
    surety_buf_reset(line);
}

/* The command up to its message, which is left in line. */
static void report_github_head(const surety_issue *issue, const char *command,
                               surety_str source, surety_buf *line,
                               surety_buf *out)
{
    const char *comma = "";

    surety_buf_text(out, command);
    if (source.len) {
        surety__report_line(line, source, SURETY__REPORT_NAME_MAX);
        surety_buf_text(out, "file=");
        report_command(out, line, true);
        comma = ",";
    }
    if (issue->position.line) {
        surety__buf_printf(out, "%sline=%u,col=%u", comma,
                           (unsigned)issue->position.line,
                           (unsigned)issue->position.column);
        comma = ",";
    }
    surety__report_line(line, issue->keyword, SURETY__REPORT_NAME_MAX);
    surety__buf_printf(out, "%stitle=", comma);
    report_command(out, line, true);
    surety_buf_text(out, "::");
}

static void report_github_issue(const surety_issue *issue, bool error,
                                surety_str source, surety_buf *out)
{
    surety_buf line;

    surety_buf_init(&line, out->alloc, 0);
    report_github_head(issue, error ? "::error " : "::warning ", source, &line,
                       out);
    if (issue->instance_location.len)
        surety__report_message(&line, issue);
    else
        surety__report_line(&line, issue->message, SIZE_MAX);
    report_command(out, &line, false);
    surety_buf_byte(out, '\n');
    surety_buf_done(&line);
}

surety_status surety_issue_write(const surety_issue *issue,
                                 surety_report report,
                                 const surety_issue_form *form, surety_buf *out)
{
    surety_issue_form own;

    if (surety__options_take(&own, sizeof(own), form, NULL))
        return SURETY_MISUSE;
    switch (report) {
    case SURETY_REPORT_JSON: surety__issue_json(issue, out); break;
    case SURETY_REPORT_TEXT:
    case SURETY_REPORT_COLOR:
        surety__issue_text(issue, &own, report == SURETY_REPORT_COLOR, out);
        break;
    case SURETY_REPORT_GITHUB:
        report_github_issue(issue, !own.warning, own.source, out);
        break;
    case SURETY_REPORT_PLAIN:
    case SURETY_REPORT_SARIF:
    default: return SURETY_MISUSE;
    }
    return out->status;
}

static void report_github_repair(const surety__repair *repair,
                                 surety_str source, surety_buf *out)
{
    surety_buf line;

    surety_buf_init(&line, out->alloc, 0);
    report_github_head(&repair->issue.seen, "::notice ", source, &line, out);
    surety__report_repair(&line, repair);
    report_command(out, &line, false);
    surety_buf_byte(out, '\n');
    surety_buf_done(&line);
}

void surety__report_github(const surety_outcome *outcome, surety_str source,
                           surety_buf *out)
{
    for (size_t i = 0; i < outcome->errors.count; i++)
        report_github_issue(&outcome->errors.items[i].seen, true, source, out);
    for (size_t i = 0; i < outcome->warnings.count; i++)
        report_github_issue(&outcome->warnings.items[i].seen, false, source,
                            out);
    for (size_t i = 0; i < outcome->repairs.count; i++)
        report_github_repair(&outcome->repairs.items[i], source, out);
}
