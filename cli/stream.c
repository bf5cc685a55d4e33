/* SPDX-License-Identifier: Apache-2.0 */
/* Judges a reply while it arrives.
 *
 * All available bytes are read at once, and the tool waits only for more of
 * them. It prints a partial value only when it would have to wait, and only if
 * the value differs from the last one printed. So a slow reader of the values,
 * or a fast writer of the reply, gets fewer values, but never an outdated one.
 *
 * With --items the elements of an array are printed in place of the values,
 * all of them, each once. A value that does not begin with those that were
 * printed is not accepted.
 *
 * There are two normal ends. At the end of the reply the outcome is that of
 * check. If no continuation can satisfy the contract, the tool stops early: the
 * report is about the part that came, and has the finding that stopped it in
 * place of its errors. The tool also ends when the reader of the values closes
 * its pipe, even if no more input comes. */
#include "stream.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "memory.h"

enum { ARRIVAL_BYTES = 1 << 16 };

struct arrival {
    struct session *session;
    surety_stream *stream;
    const char *path;
    int fd;
    char *bytes;
    surety_buf shown;             /* the last line printed */
    surety_items *items;          /* from --items; NULL: values are printed */
    surety_validator *validators; /* the session's, and that of the items */
};

/* ---- values ------------------------------------------------------------- */

/* Compares the line that out has after start with the last line printed:
 * removes it if they are equal, else keeps a copy of it as the last line. */
static void arrival_line(struct arrival *arrival, size_t start)
{
    surety_buf *out = &arrival->session->cli->out.buf;
    const surety_str line = put_since(out, start);
    const surety_str shown = surety_buf_str(&arrival->shown);

    assert(start <= out->len);
    if (out->status || line.len == 0)
        return;
    if (surety_str_equal(line, shown)) {
        out->len = start;
        return;
    }
    surety_buf_reset(&arrival->shown);
    surety_buf_add(&arrival->shown, line);
}

/* ---- elements ------------------------------------------------------------ */

/* Prints all elements that there are now. */
static void arrival_items(struct arrival *arrival)
{
    struct session *session = arrival->session;
    struct output *out = &session->cli->out;
    surety_item item;
    surety_error error;
    surety_status status;

    while ((status = surety_items_next(arrival->items, &item, &error)) ==
           SURETY_OK) {
        const size_t start = out->buf.len;

        surety_buf_add(&out->buf, item.text);
        output_json(out, start);
        surety_buf_byte(&out->buf, '\n');
    }
    output_flush(out);
    if (status != SURETY_END)
        session_failure(session, cli_code_of(status, CODE_INVALID),
                        input_name(arrival->path), &error);
}

/* Prints the rest of the elements, if the whole reply has a value. */
static void arrival_rest(struct arrival *arrival, const surety_outcome *outcome)
{
    const surety_outcome_info *info = surety_outcome_info_of(outcome);

    if (!info->ok && !info->fallback) {
        cli_raise(arrival->session->cli, CODE_INVALID);
        return;
    }
    /* The last element of a partial value may be cut off. */
    if (info->partial)
        return;
    surety_items_end(arrival->items, info->value);
    arrival_items(arrival);
}

/* Makes the items, whose validator joins those of the session. False: the
 * message is written. */
static bool arrival_begin_items(struct arrival *arrival)
{
    struct session *session = arrival->session;
    surety_judge_options *options = &session->options;
    const size_t count = options->validator_count;
    surety_error error;
    surety_status status;

    if (!session->settings->items)
        return true;
    status = surety_items_new(session->contract,
                              surety_str_of(session->settings->items),
                              &memory_large, &arrival->items, &error);
    if (status != SURETY_OK)
        return cli_fail_error(session->cli, cli_code_of(status, CODE_USAGE),
                              &error);
    arrival->validators = calloc(count + 1, sizeof(*arrival->validators));
    if (!arrival->validators)
        return cli_nomem(session->cli);
    if (count > 0)
        memcpy(arrival->validators, options->validators,
               count * sizeof(*arrival->validators));
    arrival->validators[count] = surety_items_validator(arrival->items);
    options->validators = arrival->validators;
    options->validator_count = count + 1;
    status = surety_items_begin(arrival->items, arrival->stream);
    return status == SURETY_OK || cli_nomem(session->cli);
}

/* ---- partial values ------------------------------------------------------ */

/* Prints the current value, if it may still become valid and differs from the
 * last one printed. */
static void arrival_show(struct arrival *arrival)
{
    const bool derive = arrival->session->settings->derive;
    const surety_val value = surety_stream_info_of(arrival->stream)->value;
    surety_buf *out = &arrival->session->cli->out.buf;
    const size_t start = out->len;

    if (!value.doc ||
        surety_stream_info_of(arrival->stream)->state != SURETY_STREAM_OPEN)
        return;
    if (derive)
        surety_buf_text(out, "{\"value\":");
    surety_val_write(value, SURETY_STYLE_COMPACT, out);
    if (derive)
        surety_buf_text(out, ",\"derived\":null}");
    output_json(&arrival->session->cli->out, start);
    surety_buf_byte(out, '\n');
    arrival_line(arrival, start);
    output_flush(&arrival->session->cli->out);
}

/* ---- the early end ------------------------------------------------------ */

/* Appends why the tool does not wait for the rest. */
static void put_stop(const struct arrival *arrival, surety_buf *out)
{
    const surety_stream_state state =
        surety_stream_info_of(arrival->stream)->state;

    put_format(out, "stopped after %zu bytes: ",
               surety_stream_info_of(arrival->stream)->reply.len);
    surety_buf_text(
        out,
        state == SURETY_STREAM_RUNAWAY ? "the reply is running away"
        : state == SURETY_STREAM_REFUTED
            ? "the value at hand cannot satisfy the contract, and --commit "
              "waits for no other"
            : "nothing that follows can satisfy the contract");
}

/* Returns the stage of a finding. */
static surety_stage stage_of(const surety_issue *finding)
{
    for (int stage = SURETY_STAGE_EXTRACTION; stage <= SURETY_STAGE_JSON_PARSE;
         stage++)
        if (surety_str_equal(finding->keyword, surety_str_of(surety_stage_name(
                                                   (surety_stage)stage))))
            return (surety_stage)stage;
    return SURETY_STAGE_VALIDATION;
}

/* Appends a list of the report: its items, and then one more. */
static void put_issues(surety_buf *out, surety_val list,
                       const surety_issue *last)
{
    surety_buf_byte(out, '[');
    SURETY_EACH (item, list) {
        surety_val_write(item, SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, ',');
    }
    surety_issue_write(last, SURETY_REPORT_JSON, NULL, out);
    surety_buf_byte(out, ']');
}

/* Appends the report about the part that came, with the finding in place of its
 * errors unless the part is valid, and with a warning about the early end. */
static void put_stopped(const struct arrival *arrival, surety_val report,
                        bool is_valid, surety_buf *out)
{
    const surety_issue finding =
        surety_stream_info_of(arrival->stream)->finding;
    surety_issue stop = {.keyword = surety_str_of("stopped")};
    surety_val member = surety_val_first(report);
    surety_buf why;

    surety_buf_init(&why, NULL, 0);
    put_stop(arrival, &why);
    stop.message = surety_buf_str(&why);
    for (char before = '{'; member.doc;
         member = surety_val_next(report, member), before = ',') {
        surety_buf_byte(out, before);
        surety_val_write(surety_val_key(member), SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, ':');
        if (surety_val_is(surety_val_key(member), "warnings"))
            put_issues(out, member, &stop);
        else if (!is_valid && surety_val_is(surety_val_key(member), "errors"))
            put_issues(out, (surety_val){0}, &finding);
        else if (!is_valid && surety_val_is(surety_val_key(member), "stage"))
            put_format(out, "\"%s\"", surety_stage_name(stage_of(&finding)));
        else
            surety_val_write(member, SURETY_STYLE_COMPACT, out);
    }
    surety_buf_byte(out, '}');
    session_warnings(arrival->session->cli, out);
    surety_buf_byte(out, '\n');
    surety_buf_done(&why);
}

static void stop_json(const struct arrival *arrival,
                      const surety_outcome *outcome)
{
    struct cli *cli = arrival->session->cli;
    surety_doc *doc = surety_doc_new(NULL);
    surety_buf text;
    surety_error error;

    surety_buf_init(&text, NULL, 0);
    if (doc &&
        surety_outcome_write(outcome, SURETY_REPORT_JSON, NO_TEXT, 0, &text) ==
            SURETY_OK &&
        surety_doc_read(doc, surety_buf_str(&text), NULL, &error) == SURETY_OK)
        put_stopped(arrival, surety_doc_root(doc),
                    surety_outcome_info_of(outcome)->ok, &cli->err.buf);
    else
        cli_nomem(cli);
    surety_buf_done(&text);
    surety_doc_free(doc);
}

/* Writes the finding, the reason for the early end, and warnings. */
static void stop_text(const struct arrival *arrival,
                      const surety_outcome *outcome)
{
    const surety_outcome_info *info = surety_outcome_info_of(outcome);
    struct session *session = arrival->session;
    const surety_issue finding =
        surety_stream_info_of(arrival->stream)->finding;
    surety_buf *out = &session->cli->err.buf;
    surety_buf subject;
    surety_issue_form form = {
        .size = sizeof(form),
        .source = surety_str_of(input_name(arrival->path)),
        .text = surety_stream_info_of(arrival->stream)->reply,
        .warning = info->ok};
    const bool color = session->cli->color;
    const surety_report report =
        color ? SURETY_REPORT_COLOR : SURETY_REPORT_TEXT;

    surety_buf_init(&subject, NULL, 0);
    surety_buf_text(&subject, "contract ");
    surety_buf_add(&subject, surety_contract_info_of(session->contract)->id);
    form.subject = surety_buf_str(&subject);
    surety_issue_write(&finding, report, &form, out);
    surety_buf_text(out, color ? "\033[34m      =\033[0m " : "      = ");
    put_stop(arrival, out);
    surety_buf_byte(out, '\n');
    if (info->ok) {
        session_report(session, outcome, input_name(arrival->path));
    } else {
        form.warning = true;
        for (size_t i = 0; i < info->warning_count; i++) {
            const surety_issue issue = surety_outcome_warning(outcome, i);
            surety_issue_write(&issue, report, &form, out);
        }
    }
    surety_buf_done(&subject);
}

/* Returns whether the tool can stop waiting for the rest of the reply. If the
 * contract's fallback has the reply's text, the tool waits for the end, unless
 * the reply runs away. */
static bool is_decided(const struct arrival *arrival)
{
    const struct session *session = arrival->session;
    const surety_stream_state state =
        surety_stream_info_of(arrival->stream)->state;
    const bool takes_text =
        !session->options.no_fallback &&
        surety_contract_info_of(session->contract)->fallback ==
            SURETY_FALLBACK_TEXT;

    if (state == SURETY_STREAM_RUNAWAY)
        return true;
    return !takes_text &&
           (state == SURETY_STREAM_NO ||
            (state == SURETY_STREAM_REFUTED && session->settings->commit));
}

/* ---- the whole stream --------------------------------------------------- */

/* Waits until a read gives bytes or the end. False: the reader of the values
 * has closed its pipe. */
static bool arrival_wait(const struct arrival *arrival)
{
    struct output *out = &arrival->session->cli->out;
    struct pollfd watched[] = {{arrival->fd, POLLIN, 0}, {out->fd, 0, 0}};

    while (poll(watched, 2, -1) < 0 && errno == EINTR)
        ;
    if (watched[0].revents == 0 && (watched[1].revents & POLLERR) != 0)
        out->error = EPIPE;
    return !out->error;
}

enum arrival_end { ARRIVAL_WHOLE, ARRIVAL_STOPPED, ARRIVAL_FAILED };

/* Feeds the bytes to the stream until its end, or until the tool can stop. */
static enum arrival_end arrival_feed(struct arrival *arrival)
{
    struct session *session = arrival->session;
    const char *name = input_name(arrival->path);
    bool decided = false;
    surety_error error;
    surety_status status;
    size_t got = 0;

    for (;;) {
        if (!input_is_ready(arrival->fd)) {
            if (decided)
                return ARRIVAL_STOPPED;
            if (arrival->items)
                arrival_items(arrival);
            else
                arrival_show(arrival);
            if (!arrival_wait(arrival))
                return ARRIVAL_FAILED;
        }
        status = input_take(arrival->fd, arrival->path, arrival->bytes,
                            ARRIVAL_BYTES, &got, &error);
        if (status == SURETY_OK && got == 0)
            return ARRIVAL_WHOLE;
        if (status == SURETY_OK && decided)
            return ARRIVAL_STOPPED;
        if (status == SURETY_OK)
            status = surety_stream_feed(
                arrival->stream, (surety_str){arrival->bytes, got}, &error);
        if (status != SURETY_OK) {
            session_failure(session, cli_code_of(status, CODE_INVALID), name,
                            &error);
            return ARRIVAL_FAILED;
        }
        decided = is_decided(arrival);
    }
}

static void arrival_finish(struct arrival *arrival, bool is_stopped)
{
    struct session *session = arrival->session;
    surety_judge_options end = session->options;
    const surety_outcome *outcome = NULL;
    surety_error error;
    surety_status status;
    size_t start;

    end.cut = is_stopped;
    status = surety_stream_finish(arrival->stream, is_stopped ? &end : NULL,
                                  &outcome, &error);
    if (status != SURETY_OK) {
        session_failure(session, session_code(session, status),
                        input_name(arrival->path), &error);
        return;
    }
    if (!is_stopped)
        session_report(session, outcome, input_name(arrival->path));
    else if (session->settings->quiet)
        ;
    else if (session_form(session) == SURETY_REPORT_JSON)
        stop_json(arrival, outcome);
    else
        stop_text(arrival, outcome);
    if (arrival->items) {
        arrival_rest(arrival, outcome);
        return;
    }
    /* The value, unless it was the last line printed. */
    start = session->cli->out.buf.len;
    session_value(session, outcome);
    arrival_line(arrival, start);
}

static void arrival_run(struct arrival *arrival)
{
    struct session *session = arrival->session;
    const bool is_native = session->settings->native != NULL;
    surety_error error;
    surety_status status;
    enum arrival_end end;

    session->options.extract =
        is_native ? &session->extract_native : &session->extract;
    status = surety_stream_begin(arrival->stream, session->contract,
                                 &session->options, is_native, &error);
    if (status != SURETY_OK) {
        session_failure(session, cli_code_of(status, CODE_INVALID),
                        input_name(arrival->path), &error);
        return;
    }
    end = arrival_feed(arrival);
    if (end != ARRIVAL_FAILED)
        arrival_finish(arrival, end == ARRIVAL_STOPPED);
}

void stream_run(struct session *session, const struct operands *files)
{
    const char *native = session->settings->native;
    struct arrival arrival = {.session = session,
                              .path = native             ? native
                                      : files->count > 0 ? files->items[0]
                                                         : "-"};
    surety_error error;

    session->style = SURETY_STYLE_COMPACT;
    surety_buf_init(&arrival.shown, &memory_large, 0);
    arrival.fd = input_open(arrival.path, &error);
    if (arrival.fd < 0) {
        session_failure(session, CODE_WORLD, input_name(arrival.path), &error);
        return;
    }
    if (!session->settings->quiet)
        cli_invite(session->cli, arrival.path, "the reply");
    arrival.stream = surety_stream_new(&memory_large, &session->limits);
    arrival.bytes = malloc(ARRIVAL_BYTES);
    if (!arrival.stream || !arrival.bytes)
        cli_nomem(session->cli);
    else if (arrival_begin_items(&arrival))
        arrival_run(&arrival);
    surety_stream_free(arrival.stream);
    surety_items_free(arrival.items);
    free(arrival.validators);
    free(arrival.bytes);
    surety_buf_done(&arrival.shown);
    input_close(arrival.fd);
}
