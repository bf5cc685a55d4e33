/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the records of a log.
 *
 * Without --field, a line that is a JSON string is a reply, and every other
 * line is itself the value to check, as if a provider's API had delivered it
 * (the place native). With --field, the record is an object, and the same holds
 * for the named member. A line that is no record (no JSON, no such member, or
 * null as its value) has a report of its own with the stage record, because the
 * log is wrong and not a model's reply. So there is one report for each line,
 * with the number of the line. */
#include "record.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "input.h"
#include "nearest.h"

enum { HINT_MAX = sizeof(((struct record_sink *)0)->hint) };
enum { RAW_SHOWN = 500, RAW_MOST = 1000000, NAMES_SHOWN = 5 };

bool record_raw_read(const char *text, size_t *ret_max)
{
    const char *end = text;

    if (strcmp(text, "none") == 0) {
        *ret_max = SURETY_RAW_NONE;
        return true;
    }
    *ret_max = cli_number(&end, RAW_MOST);
    return end - text <= 7 && !*end && *ret_max > 0 && *ret_max <= RAW_MOST;
}

surety_status recorder_init(struct recorder *recorder,
                            const struct session *session)
{
    *recorder =
        (struct recorder){.session = session,
                          .judge = surety_judge_new(NULL, &session->limits),
                          .doc = surety_doc_new(NULL),
                          .options = session->options,
                          .raw_valid = SURETY_RAW_NONE,
                          .raw_other = RAW_SHOWN};
    if (session->settings->raw) {
        (void)record_raw_read(session->settings->raw, &recorder->raw_valid);
        recorder->raw_other = recorder->raw_valid;
    }
    surety_buf_init(&recorder->native, NULL, 0);
    if (validators_init(&recorder->validators, &session->settings->validator,
                        &session->bounds))
        return SURETY_NOMEM;
    recorder->options.validators = recorder->validators.list;
    return recorder->judge && recorder->doc ? SURETY_OK : SURETY_NOMEM;
}

void recorder_done(struct recorder *recorder)
{
    surety_judge_free(recorder->judge);
    surety_doc_free(recorder->doc);
    validators_done(&recorder->validators);
    surety_buf_done(&recorder->native);
}

/* ---- counting errors ----------------------------------------------------- */

/* Appends a path with "*" for array indices, so that the same error in a
 * million items is one kind of error. */
static void put_general(surety_buf *out, surety_str path)
{
    size_t i = 0;

    while (i < path.len) {
        size_t end = i + 1;
        bool is_index = true;

        for (; end < path.len && path.ptr[end] != '/'; end++)
            is_index = is_index && path.ptr[end] >= '0' && path.ptr[end] <= '9';
        if (is_index && end > i + 1)
            surety_buf_text(out, "/*");
        else
            surety_buf_append(out, path.ptr + i, end - i);
        i = end;
    }
}

static void count_error(struct record_sink *sink, surety_str keyword,
                        surety_str path)
{
    surety_buf_add(&sink->errors, keyword);
    if (path.len > 0) {
        surety_buf_text(&sink->errors, " at ");
        put_general(&sink->errors, path);
    }
    surety_buf_byte(&sink->errors, '\0');
}

static void count_outcome(struct record_sink *sink,
                          const surety_outcome *outcome)
{
    tally_add(&sink->tally, outcome);
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->error_count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        count_error(sink, issue.keyword, issue.instance_location);
    }
}

/* ---- reports ------------------------------------------------------------- */

/* An error that gets a report of the tool's own, because there is no
 * outcome. */
struct complaint {
    const char *stage, *keyword;
    surety_str message;
    surety_position position;
    surety_str hint;
};

/* Returns at most max characters of text. */
static surety_str raw_shown(surety_str text, size_t max)
{
    size_t end = 0;

    if (max == SURETY_RAW_NONE)
        max = 0;
    for (size_t count = 0; end < text.len && count < max; count++)
        for (end++;
             end < text.len && ((unsigned char)text.ptr[end] & 0xC0) == 0x80;)
            end++;
    return (surety_str){text.ptr, end};
}

/* Writes the first members of every record's report. */
static void put_record(const struct recorder *recorder,
                       const struct record *record, surety_buf *out)
{
    surety_buf_byte(out, '{');
    surety_json_number(out, "record", record->number);
    if (recorder->session->settings->id) {
        const size_t start = out->len;

        surety_json_value(out, "id", recorder->id);
        surety_json_shown(out, start);
    }
}

static void put_complaint(const struct recorder *recorder,
                          const struct record *record,
                          const struct complaint *complaint, surety_buf *out)
{
    const surety_issue issue = {.keyword = surety_str_of(complaint->keyword),
                                .message = complaint->message,
                                .hint = complaint->hint,
                                .position = complaint->position};

    const size_t start = out->len;

    put_record(recorder, record, out);
    surety_json_bool(out, "ok", false);
    surety_json_text(out, "stage", surety_str_of(complaint->stage));
    surety_json_text(out, "contract",
                     surety_contract_info_of(recorder->session->contract)->id);
    surety_buf_text(out, ",\"value\":null,\"fallback\":false,\"place\":null,"
                         "\"span\":null,\"errors\":[");
    surety_issue_write(&issue, SURETY_REPORT_JSON, NULL, out);
    surety_buf_text(out, "],\"repairs\":[],\"warnings\":[]");
    surety_json_text(out, "raw", raw_shown(record->text, recorder->raw_other));
    surety_buf_text(out, "}\n");
    surety_json_shown(out, start);
}

/* Writes it in place of an outcome's report, and counts one more reply; the
 * caller counts how it ended. */
static surety_status complain(const struct recorder *recorder,
                              const struct record *record,
                              const struct complaint *complaint,
                              struct record_sink *sink)
{
    const struct session_settings *settings = recorder->session->settings;

    if (!settings->values)
        put_complaint(recorder, record, complaint, &sink->out);
    else if (settings->not_strict)
        surety_buf_text(&sink->out, "null\n");
    count_error(sink, surety_str_of(complaint->keyword), NO_TEXT);
    sink->tally.replies++;
    return sink->out.status;
}

/* The same for a line that is no record, which is counted as broken. */
static surety_status complain_broken(const struct recorder *recorder,
                                     const struct record *record,
                                     struct complaint complaint,
                                     struct record_sink *sink)
{
    complaint.stage = "record";
    sink->tally.broken++;
    return complain(recorder, record, &complaint, sink);
}

static void put_outcome(const struct recorder *recorder,
                        const struct record *record,
                        const surety_outcome *outcome, surety_buf *out)
{
    const size_t raw_max = surety_outcome_info_of(outcome)->ok
                               ? recorder->raw_valid
                               : recorder->raw_other;
    size_t start;

    if (recorder->session->settings->values) {
        if (session_put(recorder->session, outcome, SURETY_STYLE_COMPACT, out))
            surety_buf_byte(out, '\n');
        return;
    }
    put_record(recorder, record, out);
    start = out->len;
    (void)surety_outcome_write(outcome, SURETY_REPORT_JSON, surety_str_of(""),
                               raw_max, out);
    /* Makes one object of both: a comma replaces the second opening brace. */
    assert(out->status || out->ptr[start] == '{');
    if (out->status == SURETY_OK)
        out->ptr[start] = ',';
    surety_buf_byte(out, '\n');
}

/* ---- judging ------------------------------------------------------------- */

/* Writes a report about a reply that could not be judged. */
static surety_status complain_unjudged(struct recorder *recorder,
                                       const struct record *record,
                                       bool is_long, const surety_error *error,
                                       struct record_sink *sink)
{
    const bool has_failed = recorder->validators.has_failed;
    const surety_stage stage =
        is_long ? SURETY_STAGE_EXTRACTION : SURETY_STAGE_VALIDATION;
    const struct complaint complaint = {
        .stage = has_failed ? "validator" : surety_stage_name(stage),
        .keyword = has_failed ? "validator" : "limit",
        .message = surety_str_of(error->message),
        .position = error->position,
        .hint = surety_str_of(error->hint)};

    if (has_failed)
        sink->tally.unjudged++;
    else
        sink->tally.invalid[stage]++;
    return complain(recorder, record, &complaint, sink);
}

/* Judges the content of a record: a reply, or else a native value, which may be
 * the line itself. */
static surety_status judge_record(struct recorder *recorder,
                                  const struct record *record, surety_str reply,
                                  surety_str native, struct record_sink *sink)
{
    const struct session *session = recorder->session;
    const surety_outcome *outcome = NULL;
    surety_error error;
    surety_status status;

    recorder->options.native = native;
    recorder->options.extract =
        native.len > 0 ? &session->extract_native : &session->extract;
    recorder->validators.has_failed = false;
    status = surety_judge_reply(recorder->judge, session->contract, reply,
                                &recorder->options, &outcome, &error);
    if (status == SURETY_NOMEM)
        return status;
    if (status != SURETY_OK)
        return complain_unjudged(recorder, record,
                                 reply.len > session->limits.text_bytes_max,
                                 &error, sink);
    if (native.ptr && native.ptr == record->text.ptr &&
        surety_outcome_info_of(outcome)->stage == SURETY_STAGE_JSON_PARSE &&
        surety_outcome_info_of(outcome)->error_count > 0) {
        const surety_issue issue = surety_outcome_error(outcome, 0);

        return complain_broken(recorder, record,
                               (struct complaint){.keyword = "json_parse",
                                                  .message = issue.message,
                                                  .position = issue.position,
                                                  .hint = issue.hint},
                               sink);
    }
    count_outcome(sink, outcome);
    put_outcome(recorder, record, outcome, &sink->out);
    return sink->out.status;
}

/* Returns the member with the name field, or, if field begins with "/", the
 * value at that JSON Pointer. */
static surety_val record_member(surety_val record, const char *field)
{
    if (field[0] == '/')
        return surety_val_at(record, surety_str_of(field));
    return surety_val_get(record, field);
}

/* Writes a hint for --field: the member with the nearest name (true), or the
 * names of all members. */
static bool say_members(surety_val record, const char *field,
                        char hint[HINT_MAX])
{
    struct nearest nearest;
    surety_buf names;
    size_t count = 0;
    bool is_near;

    surety_buf_init(&names, NULL, 0);
    nearest_init(&nearest, surety_str_of(field));
    surety_buf_text(&names, "its members are");
    for (surety_val val = surety_val_first(record); val.doc;
         val = surety_val_next(record, val), count++) {
        const surety_str name = surety_val_str(surety_val_key(val));

        nearest_try(&nearest, name);
        if (count < NAMES_SHOWN)
            put_format(&names, "%s \"%.*s\"", count ? "," : "",
                       (int)(name.len < 24 ? name.len : 24), name.ptr);
    }
    if (count > NAMES_SHOWN)
        surety_buf_text(&names, ", ...");
    is_near = nearest_hint(&nearest, "", hint, HINT_MAX) != NULL;
    if (!is_near && count > 0 && !names.status)
        snprintf(hint, HINT_MAX, "%.*s", (int)names.len, names.ptr);
    surety_buf_done(&names);
    return is_near;
}

/* Writes a report about a record without the member of --field. */
static surety_status complain_lacking(const struct recorder *recorder,
                                      const struct record *record,
                                      surety_val member,
                                      struct record_sink *sink)
{
    const surety_val root = surety_doc_root(recorder->doc);
    const char *field = recorder->session->settings->field;
    const bool is_object = surety_val_kind(root) == SURETY_KIND_OBJECT;
    struct complaint complaint = {.keyword = "record",
                                  .position = {0, record->text.len, 1, 1}};
    char hint[HINT_MAX] = "";
    char message[320];

    if (member.doc) {
        sink->tally.found++;
        snprintf(message, sizeof(message), "the member %.200s is null", field);
    } else {
        snprintf(message, sizeof(message),
                 is_object ? "the record has no member %.200s"
                           : "the record is no object with a member %.200s",
                 field);
        sink->tally.lacking += sink->tally.found == 0;
        if (is_object && (say_members(root, field, hint) || !sink->hint[0]))
            memcpy(sink->hint, hint, sizeof(hint));
        complaint.hint = surety_str_of(hint);
    }
    complaint.message = surety_str_of(message);
    return complain_broken(recorder, record, complaint, sink);
}

static surety_status judge_field(struct recorder *recorder,
                                 const struct record *record,
                                 struct record_sink *sink)
{
    const char *field = recorder->session->settings->field;
    const surety_val root = surety_doc_root(recorder->doc);
    const surety_val member = field ? record_member(root, field) : root;

    if (!member.doc || (field && surety_val_kind(member) == SURETY_KIND_NULL))
        return complain_lacking(recorder, record, member, sink);
    sink->tally.found++;
    if (surety_val_kind(member) == SURETY_KIND_STRING)
        return judge_record(recorder, record, surety_val_str(member), NO_TEXT,
                            sink);
    if (!field)
        return judge_record(recorder, record, NO_TEXT, record->text, sink);
    surety_buf_reset(&recorder->native);
    surety_val_write(member, SURETY_STYLE_COMPACT, &recorder->native);
    if (recorder->native.status)
        return recorder->native.status;
    return judge_record(recorder, record, NO_TEXT,
                        surety_buf_str(&recorder->native), sink);
}

surety_status recorder_line(struct recorder *recorder,
                            const struct record *given,
                            struct record_sink *sink)
{
    const struct session *session = recorder->session;
    const struct session_settings *settings = session->settings;
    const size_t line_max = session->limits.text_bytes_max;
    const surety_read_options options = {sizeof(options), SURETY_READ_BORROW,
                                         &session->limits};
    struct record record = *given;
    surety_error error;
    surety_status status;

    assert(given->number > 0);
    recorder->id = surety_val_none();
    record.text = cli_trim(record.text);
    if (record.text.len == 0)
        return SURETY_OK;
    if (record.is_overlong || record.text.len > line_max) {
        input_overlong(line_max, &error);
        return complain_broken(
            recorder, &record,
            (struct complaint){.keyword = "limit",
                               .message = surety_str_of(error.message),
                               .hint = surety_str_of(error.hint)},
            sink);
    }
    /* A value that is no string is parsed only by the judge, not here too. */
    if (!settings->field && !settings->id && record.text.ptr[0] != '"')
        return judge_record(recorder, &record, NO_TEXT, record.text, sink);
    status = surety_doc_read(recorder->doc, record.text, &options, &error);
    if (status == SURETY_NOMEM)
        return status;
    if (status != SURETY_OK)
        return complain_broken(
            recorder, &record,
            (struct complaint){.keyword = "json_parse",
                               .message = surety_str_of(error.message),
                               .position = error.position,
                               .hint = surety_str_of(error.hint)},
            sink);
    if (settings->id)
        recorder->id =
            record_member(surety_doc_root(recorder->doc), settings->id);
    return judge_field(recorder, &record, sink);
}
