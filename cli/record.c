/* SPDX-License-Identifier: Apache-2.0 */
/* What a record is. Without --field, a line that is a JSON string is a reply,
 * and any other line is itself the value to check, as if a provider's API had
 * delivered it (the place native). With --field, the record is an object and
 * the same holds for the member that is named. A line that is no record is
 * reported like a bad reply, so lines out still match lines in. */
#include "record.h"

#include <string.h>

#include "input.h"

enum { RAW_SHOWN = 500 };

surety_status recorder_init(struct recorder *recorder,
                            const struct session *session)
{
    *recorder =
        (struct recorder){.session = session,
                          .judge = surety_judge_new(NULL, &session->limits),
                          .doc = surety_doc_new(NULL),
                          .options = session->options};
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

/* A mistake told by a report of our own, for there is no outcome to write. */
struct complaint {
    surety_stage stage;
    const char *keyword;
    surety_str message;
    surety_position position;
    surety_str hint;
    bool is_unjudged; /* a validator failed: it is no fault of the reply's */
};

/* At most RAW_SHOWN characters of text. */
static surety_str raw_shown(surety_str text)
{
    size_t end = 0;

    for (size_t count = 0; end < text.len && count < RAW_SHOWN; count++)
        for (end++;
             end < text.len && ((unsigned char)text.ptr[end] & 0xC0) == 0x80;)
            end++;
    return (surety_str){text.ptr, end};
}

static void put_complaint(const struct recorder *recorder, surety_str line,
                          const struct complaint *complaint, surety_buf *out)
{
    const surety_issue issue = {.keyword = surety_str_of(complaint->keyword),
                                .message = complaint->message,
                                .hint = complaint->hint,
                                .position = complaint->position};

    surety_buf_byte(out, '{');
    surety_json_bool(out, "ok", false);
    surety_json_text(out, "stage",
                     surety_str_of(complaint->is_unjudged
                                       ? "validator"
                                       : surety_stage_name(complaint->stage)));
    surety_json_text(out, "contract",
                     surety_contract_id(recorder->session->contract));
    surety_buf_text(out, ",\"value\":null,\"fallback\":false,\"place\":null,"
                         "\"span\":null,\"errors\":[");
    surety_issue_write_json(&issue, out);
    surety_buf_text(out, "],\"repairs\":[],\"warnings\":[]");
    surety_json_text(out, "raw", raw_shown(line));
    surety_buf_text(out, "}\n");
}

static surety_status complain(const struct recorder *recorder, surety_str line,
                              const struct complaint *complaint,
                              surety_buf *out, struct tally *tally)
{
    put_complaint(recorder, line, complaint, out);
    tally->replies++;
    if (complaint->is_unjudged)
        tally->unjudged++;
    else
        tally->invalid[complaint->stage]++;
    return out->status;
}

/* The member of --field: by JSON Pointer where that begins with "/", else by
 * its name. */
static surety_val record_member(surety_val record, const char *field)
{
    if (field[0] == '/')
        return surety_val_at(record, surety_str_of(field));
    return surety_val_get(record, field);
}

/* Judges what a record holds and appends the report. */
static surety_status judge_record(struct recorder *recorder, surety_str line,
                                  surety_str reply, surety_str native,
                                  surety_buf *out, struct tally *tally)
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
    if (status != SURETY_OK) {
        const struct complaint complaint = {
            reply.len > session->limits.text_bytes_max
                ? SURETY_STAGE_EXTRACTION
                : SURETY_STAGE_VALIDATION,
            recorder->validators.has_failed ? "validator" : "limit",
            surety_str_of(error.message),
            error.position,
            surety_str_of(error.hint),
            recorder->validators.has_failed};
        return complain(recorder, line, &complaint, out, tally);
    }
    tally_add(tally, outcome);
    surety_outcome_write(outcome, SURETY_REPORT_JSON, (surety_str){NULL, 0},
                         out);
    surety_buf_byte(out, '\n');
    return out->status;
}

static surety_status judge_field(struct recorder *recorder, surety_str line,
                                 surety_buf *out, struct tally *tally)
{
    const char *field = recorder->session->settings->field;
    const surety_val record = surety_doc_root(recorder->doc);
    surety_val member = record;
    char message[256];
    surety_buf text;

    if (field)
        member = record_member(record, field);
    if (!member.doc) {
        struct complaint complaint = {.stage = SURETY_STAGE_EXTRACTION,
                                      .keyword = "record",
                                      .position = {0, line.len, 1, 1}};
        surety_buf_init(&text, NULL, 0);
        put_format(&text, "the record has no member %.*s",
                   (int)(sizeof(message) - 64), field);
        complaint.message = surety_buf_str(&text);
        complain(recorder, line, &complaint, out, tally);
        surety_buf_done(&text);
        return out->status;
    }
    if (surety_val_kind(member) == SURETY_KIND_STRING)
        return judge_record(recorder, line, surety_val_str(member),
                            (surety_str){NULL, 0}, out, tally);
    surety_buf_reset(&recorder->native);
    surety_val_write(member, SURETY_STYLE_COMPACT, &recorder->native);
    if (recorder->native.status)
        return recorder->native.status;
    return judge_record(recorder, line, (surety_str){NULL, 0},
                        surety_buf_str(&recorder->native), out, tally);
}

static surety_str trimmed(surety_str line)
{
    while (line.len > 0 && strchr(" \t\r\n", line.ptr[line.len - 1]) &&
           line.ptr[line.len - 1])
        line.len--;
    while (line.len > 0 && strchr(" \t\r\n", line.ptr[0]) && line.ptr[0]) {
        line.ptr++;
        line.len--;
    }
    return line;
}

surety_status recorder_line(struct recorder *recorder, surety_str line,
                            bool is_overlong, surety_buf *out,
                            struct tally *tally)
{
    const struct session *session = recorder->session;
    const size_t line_max = session->limits.text_bytes_max;
    surety_read_options options = {sizeof(options), SURETY_READ_BORROW,
                                   &session->limits};
    struct complaint complaint = {.stage = SURETY_STAGE_JSON_PARSE,
                                  .keyword = "json_parse"};
    surety_error error;
    surety_status status;

    line = trimmed(line);
    if (line.len == 0)
        return SURETY_OK;
    if (is_overlong || line.len > line_max) {
        input_overlong(line_max, &error);
        complaint.keyword = "limit";
        complaint.stage = SURETY_STAGE_EXTRACTION;
        complaint.message = surety_str_of(error.message);
        complaint.hint = surety_str_of(error.hint);
        return complain(recorder, line, &complaint, out, tally);
    }
    /* A value that is no string is read once, by the judge. */
    if (!session->settings->field && line.ptr[0] != '"')
        return judge_record(recorder, line, (surety_str){NULL, 0}, line, out,
                            tally);
    status = surety_doc_read(recorder->doc, line, &options, &error);
    if (status == SURETY_NOMEM)
        return status;
    if (status != SURETY_OK) {
        complaint.message = surety_str_of(error.message);
        complaint.hint = surety_str_of(error.hint);
        complaint.position = error.position;
        return complain(recorder, line, &complaint, out, tally);
    }
    return judge_field(recorder, line, out, tally);
}
