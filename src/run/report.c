/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a run as text. For programs: the report of its outcome, followed by
 * the run's own members, so that a program that reads the reports of checks
 * can read those of runs (the contract surety/report). For people: the errors,
 * then the attempts and the reasons of the decisions.
 *
 * Everything written comes from attempts and outcomes. Requests, headers and
 * keys are not kept in any place that this file can reach. */
#include "run/run.h"
#include "template/template.h"

static const surety_str report_run_none = {"", 0};

/* ---- JSON ---------------------------------------------------------------- */

/* Writes a member only if its text is not empty. */
static void report_run_some(surety_buf *out, const char *name, surety_str text)
{
    if (text.len)
        surety_json_text(out, name, text);
}

void surety__report_spent(surety_buf *out, const surety_usage *usage,
                          bool cost_known, uint64_t picousd)
{
    surety__template_write(
        out,
        ",'usage':{'known':$b,'input_tokens':$n,'cached_input_tokens':$n,"
        "'output_tokens':$n,'reasoning_tokens':$n},'cost_picousd':$o",
        usage->known, usage->input_tokens, usage->cached_input_tokens,
        usage->output_tokens, usage->reasoning_tokens, cost_known, picousd);
}

/* Writes why there is no reply. */
static void report_run_failure(surety_buf *out, const surety__attempt *attempt)
{
    const surety_answer *answer = &attempt->seen.answer;
    const char *failure = answer->failure == SURETY_FAILURE_NONE
                              ? NULL
                              : surety_failure_name(answer->failure);

    if (attempt->what == CASE_UNSENT)
        failure = "request";
    surety__template_write(out, ",'failure':$m", surety_str_of(failure));
    if (answer->ambiguous)
        surety_json_bool(out, "ambiguous", true);
    if (answer->http_status > 0)
        surety_json_number(out, "http_status", (uint64_t)answer->http_status);
    report_run_some(out, "error_code", answer->error_code);
    report_run_some(out, "error_message", answer->error_message);
    report_run_some(out, "refusal", answer->refusal);
    report_run_some(out, "finish_reason", answer->finish_reason);
    report_run_some(out, "response_id", answer->response_id);
    report_run_some(out, "request_id", answer->request_id);
}

/* The text of the reply that arrived. */
static surety_str report_run_text(const surety__attempt *attempt)
{
    const surety_answer *answer = &attempt->seen.answer;

    return answer->native.len ? answer->native : answer->text;
}

/* The stage that an attempt reached; NULL: it is valid, or was not judged. */
static const char *report_run_stage_of(const surety__attempt *attempt)
{
    const surety_failure failure = attempt->seen.answer.failure;

    if (attempt->seen.judged)
        return attempt->seen.ok ? NULL : surety_stage_name(attempt->seen.stage);
    if (failure == SURETY_FAILURE_REFUSAL || failure == SURETY_FAILURE_FILTER)
        return "refusal";
    if (attempt->what == CASE_ARGUMENTS || attempt->what == CASE_UNCALLED)
        return "tools";
    return failure == SURETY_FAILURE_NONE && attempt->what != CASE_UNSENT
               ? NULL
               : "provider";
}

/* Writes the stage of an attempt and, if it gave no valid reply, what it
 * gave. */
static void report_run_given(const surety__setup *setup,
                             const surety__attempt *attempt, surety_buf *out)
{
    const size_t max = surety_limits_of(setup->options.limits).attempt_raw_max;
    const surety_str text = report_run_text(attempt);
    const surety_str raw = {text.ptr, surety__utf8_cut(text, max)};

    surety__template_write(out, ",'stage':$m",
                           surety_str_of(report_run_stage_of(attempt)));
    if (attempt->what == CASE_VALID)
        return;
    if (attempt->seen.candidate.len) {
        surety_json_name(out, "candidate");
        surety_buf_add(out, attempt->seen.candidate);
    } else if (attempt->seen.candidate_len) {
        surety_json_number(out, "candidate_bytes", attempt->seen.candidate_len);
    }
    if (!text.len)
        return;
    surety__template_write(out, ",'raw':$s,'raw_bytes':$n", raw,
                           (uint64_t)text.len);
    if (raw.len < text.len)
        surety_json_number(out, "raw_cut", raw.len);
}

/* Writes a time of an attempt; 0: nothing is written. */
static void report_run_moment(const surety__log *log, surety_buf *out,
                              const char *name, uint64_t at_ms)
{
    if (at_ms)
        surety_json_number(out, name, at_ms - log->begun_ms);
}

/* Writes the calls of tools that an attempt's reply asks for. */
static void report_run_uses(const surety__steps *steps, size_t attempt,
                            const surety__log *log, surety_buf *out)
{
    bool any = false;

    for (size_t i = 0; i < steps->count; i++) {
        const surety_tool_use *seen = &steps->items[i].seen;

        if (seen->attempt != attempt)
            continue;
        surety__template_write(
            out, "$t{'id':$s,'call':$s,'name':$s,'arguments':$s,'made':$b",
            any ? "," : ",\"tools\":[", seen->id, seen->call, seen->name,
            seen->arguments, seen->made);
        report_run_moment(log, out, "started_ms", seen->started_ms);
        report_run_moment(log, out, "ended_ms", seen->ended_ms);
        if (seen->failure != SURETY_TOOL_NONE)
            surety__template_write(out, ",'failure':'$t','message':$s",
                                   surety_tool_failure_name(seen->failure),
                                   seen->message);
        if (steps->items[i].report.len) {
            surety_json_name(out, "report");
            surety_buf_add(out, steps->items[i].report);
        }
        surety_json_text(out, "result", seen->result);
        surety_buf_byte(out, '}');
        any = true;
    }
    if (any)
        surety_buf_byte(out, ']');
}

static void report_run_attempt(const surety_run *run, size_t i, surety_buf *out)
{
    const surety__setup *setup = &run->setup;
    const surety__log *log = &run->results.log;
    const surety__attempt *attempt = &log->items[i];
    const surety_attempt *seen = &attempt->seen;

    surety__template_write(
        out, "$t{'number':$n,'id':$s,'purpose':$s,'model':$s", i ? "," : "",
        (uint64_t)i + 1, seen->id, seen->purpose, seen->model->name);
    report_run_some(out, "answered_by", seen->answer.model);
    surety__template_write(out, ",'mode':'$t','reason':$s",
                           surety_mode_name(seen->mode), seen->reason);
    report_run_moment(log, out, "started_ms", seen->started_ms);
    report_run_moment(log, out, "first_byte_ms", seen->first_byte_ms);
    report_run_moment(log, out, "ended_ms", seen->ended_ms);
    report_run_failure(out, attempt);
    report_run_given(setup, attempt, out);
    if (seen->stopped != SURETY_STREAM_OPEN)
        /* Its output tokens are an estimate. */
        surety__template_write(
            out,
            ",'stopped':true,'stopped_for':'$t','stopped_after':$n,"
            "'output_tokens':$n,'estimated':true",
            surety_stream_state_name(seen->stopped), seen->stopped_bytes,
            seen->stopped_tokens);
    if (seen->stopped != SURETY_STREAM_OPEN && seen->saved_known)
        surety_json_number(out, "tokens_saved", seen->saved_tokens);
    if (attempt->read_on)
        surety_json_number(out, "read_on_after", attempt->read_on);
    surety__report_spent(out, &seen->answer.usage, seen->cost_known,
                         seen->cost_picousd);
    report_run_uses(&run->steps, i + 1, log, out);
    surety__template_write(out, ",'report':$r,'decision':$s}",
                           seen->report.len ? seen->report
                                            : SURETY__LITERAL("null"),
                           seen->decision);
}

/* The number of the attempt whose reply got furthest, from 1; 0: none was
 * judged. */
static size_t report_run_best(const surety__log *log)
{
    size_t best = 0;

    for (size_t i = 0; i < log->count; i++) {
        const surety__attempt *now = &log->items[i];
        const surety__attempt *then = best ? &log->items[best - 1] : NULL;

        if (!now->seen.judged)
            continue;
        if (!then || now->seen.ok ||
            (!then->seen.ok && (now->seen.stage > then->seen.stage ||
                                (now->seen.stage == then->seen.stage &&
                                 now->error_count < then->error_count))))
            best = i + 1;
    }
    return best;
}

static void report_run_members(const surety_run *run, surety_buf *out)
{
    const surety__results *results = &run->results;
    const surety__log *log = &results->log;
    const surety__judged *judged = &results->judged;
    const surety__spent *spent = &results->spent;
    const size_t best = report_run_best(log);

    surety__template_write(out, ",'verdict':'$t'",
                           surety_run_verdict_name(results->end.verdict));
    report_run_some(out, "message", results->end.message);
    report_run_some(out, "hint", results->end.hint);
    surety_json_text(out, "run", log->run);
    if (judged->replied)
        surety__template_write(out, ",'reply_first':$s,'reply_last':$s",
                               judged->reply_first, judged->reply_last);
    if (best)
        surety_json_number(out, "best", best);
    surety__report_spent(out, &spent->usage, !spent->cost_unknown,
                         spent->cost_picousd);
    surety_buf_text(out, ",\"attempts\":[");
    for (size_t i = 0; i < log->count; i++)
        report_run_attempt(run, i, out);
    surety_buf_byte(out, ']');
}

/* The attempt of the outcome's reply if it was stopped; or NULL. */
static const surety__attempt *report_run_stopped(const surety__results *results)
{
    const size_t stopped = results->judged.outcome_of.stopped;

    return stopped ? &results->log.items[stopped - 1] : NULL;
}

/* The stage that the reply of the run's outcome reached. */
static surety_stage report_run_reached(const surety__results *results)
{
    const surety__attempt *stopped = report_run_stopped(results);
    const surety_stage stage =
        surety_outcome_info_of(results->judged.outcome)->stage;

    if (stopped && !stopped->seen.ok)
        return stopped->seen.stage;
    return stage == SURETY_STAGE_DONE ? SURETY_STAGE_JSON_PARSE : stage;
}

/* The stage that the run reached; NULL: it has a value. */
static const char *report_run_stage(const surety__results *results)
{
    switch (results->end.verdict) {
    case SURETY_RUN_VALID:
    case SURETY_RUN_CALLS:
    case SURETY_RUN_PARTIAL: return NULL;
    case SURETY_RUN_REFUSED: return "refusal";
    case SURETY_RUN_BUDGET: return "budget";
    case SURETY_RUN_LEDGER: return "ledger";
    case SURETY_RUN_CANCELLED: return "cancelled";
    case SURETY_RUN_VALIDATOR: return "validator";
    case SURETY_RUN_FALLBACK:
    case SURETY_RUN_REJECTED:
        if (results->judged.outcome)
            return surety_stage_name(report_run_reached(results));
        if (surety__log_calls_are_wrong(&results->log))
            return "tools";
        break;
    default: break;
    }
    return "provider";
}

/* Writes the report's warnings, and one more that the reply was stopped. */
static void report_run_warnings(const surety__attempt *attempt,
                                surety_val warnings, surety_buf *out)
{
    surety_buf why;

    surety_buf_init(&why, out->alloc, 0);
    surety__decide_stop(&attempt->seen, &why);
    surety_buf_byte(out, '[');
    SURETY_EACH (item, warnings) {
        (void)surety_val_write(item, SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, ',');
    }
    surety__template_write(out, "{'keyword':'stopped','error':$s}]",
                           surety_buf_str(&why));
    surety__buf_end(&why, &out->status);
}

/* Writes a member of an outcome's report. If the reply was stopped, its
 * attempt replaces or completes some members; attempt NULL: it was not
 * stopped. */
static void report_run_member(const surety__attempt *attempt, surety_val member,
                              surety_buf *out)
{
    const surety_val key = surety_val_key(member);
    const bool finds =
        attempt && !attempt->seen.ok && !attempt->outcome_reports;

    if (out->len && out->ptr[out->len - 1] != '{')
        surety_buf_byte(out, ',');
    (void)surety_val_write(key, SURETY_STYLE_COMPACT, out);
    surety_buf_byte(out, ':');
    if (attempt && surety_val_is(key, "warnings")) {
        report_run_warnings(attempt, member, out);
    } else if (finds && surety_val_is(key, "errors")) {
        surety_buf_byte(out, '[');
        surety_issue_write(&attempt->finding, SURETY_REPORT_JSON, NULL, out);
        surety_buf_byte(out, ']');
    } else if (finds && surety_val_is(key, "stage")) {
        surety_json_string(
            out, surety_str_of(surety_stage_name(attempt->seen.stage)));
    } else if (finds && surety_val_is(key, "ok")) {
        surety_buf_text(out, "false");
    } else {
        (void)surety_val_write(member, SURETY_STYLE_COMPACT, out);
    }
}

/* Writes the members of the outcome's report. The report is written and read
 * again, so that only one function knows its form. */
static surety_status report_run_outcome(const surety_outcome *outcome,
                                        const surety__attempt *stopped,
                                        bool has_head, surety_buf *out)
{
    surety_doc *doc = surety_doc_new(out->alloc);
    surety_status status = SURETY_NOMEM;
    surety_val root = surety_val_none();
    surety_buf text;

    surety_buf_init(&text, out->alloc, 0);
    if (doc)
        status = surety_outcome_write(outcome, SURETY_REPORT_JSON,
                                      report_run_none, 0, &text);
    if (status == SURETY_OK)
        status = surety_doc_read(doc, surety_buf_str(&text), NULL, NULL);
    if (status == SURETY_OK)
        root = surety_doc_root(doc);
    SURETY_EACH (member, root)
        if (!has_head || (!surety_val_is(surety_val_key(member), "ok") &&
                          !surety_val_is(surety_val_key(member), "stage")))
            report_run_member(stopped, member, out);
    surety_buf_done(&text);
    surety_doc_free(doc);
    return status;
}

surety_status surety__report_stopped(const surety_outcome *outcome,
                                     const surety__attempt *attempt,
                                     surety_buf *out)
{
    surety_status status;

    assert(attempt->seen.stopped != SURETY_STREAM_OPEN);
    surety_buf_byte(out, '{');
    status = report_run_outcome(outcome, attempt, false, out);
    surety_buf_byte(out, '}');
    return status == SURETY_OK ? out->status : status;
}

/* The first 500 characters of the last reply, as in reports of checks. */
static surety_str report_run_raw(const surety__results *results)
{
    surety_str last = results->judged.reply_last;
    size_t len = 0;

    for (size_t i = results->log.count; i-- > 0 && !last.len;)
        last = report_run_text(&results->log.items[i]);
    for (int i = 0; i < 500 && len < last.len; i++) {
        unsigned taken;

        (void)surety__utf8_decode(last.ptr + len, last.ptr + last.len, &taken);
        len += taken;
    }
    return (surety_str){len ? last.ptr : "", len};
}

/* Writes the same members if no reply was judged. */
static void report_run_unjudged(const surety_contract *contract,
                                const surety__results *results, surety_buf *out)
{
    const surety__end *end = &results->end;
    const bool ok = end->verdict == SURETY_RUN_VALID;

    surety__template_write(out, ",'contract':$s,'value':",
                           contract ? surety_contract_info_of(contract)->id
                                    : report_run_none);
    if (ok)
        surety_json_string(out, results->judged.reply_last);
    else
        surety_buf_text(out, "null");
    surety_buf_text(out, ",\"fallback\":false,\"place\":null,\"span\":null,"
                         "\"errors\":[");
    if (end->message.len) {
        surety__template_write(out, "{'keyword':'$t','error':$s",
                               ok ? "provider" : report_run_stage(results),
                               end->message);
        report_run_some(out, "hint", end->hint);
        surety_buf_byte(out, '}');
    }
    surety_buf_text(out, "],\"repairs\":[],\"warnings\":[]");
    surety_json_text(out, "raw", report_run_raw(results));
}

static surety_status report_run_json(const surety_run *run, surety_buf *out)
{
    const surety__results *results = &run->results;
    const char *stage = report_run_stage(results);
    surety_status status = SURETY_OK;

    surety__template_write(out, "{'ok':$b,'stage':$m", !stage,
                           surety_str_of(stage));
    if (results->judged.outcome)
        status = report_run_outcome(results->judged.outcome,
                                    report_run_stopped(results), true, out);
    else
        report_run_unjudged(run->setup.options.contract, results, out);
    report_run_members(run, out);
    surety_buf_byte(out, '}');
    return status == SURETY_OK ? out->status : status;
}

/* ---- for people ---------------------------------------------------------- */

enum { REPORT_RUN_TEXT_MAX = 1000, REPORT_RUN_LINE_MAX = 200 };

/* Writes a line for each call of a tool in an attempt. */
static void report_run_write_uses(const surety__steps *steps, size_t attempt,
                                  surety_buf *out)
{
    for (size_t i = 0; i < steps->count; i++) {
        const surety_tool_use *seen = &steps->items[i].seen;
        const bool failed = seen->failure != SURETY_TOOL_NONE;

        if (seen->attempt != attempt)
            continue;
        surety_buf_text(out, "  ");
        surety__buf_line(out, seen->name, 64);
        surety_buf_byte(out, '(');
        surety__buf_line(out, seen->arguments, REPORT_RUN_LINE_MAX / 2);
        surety_buf_text(out, failed ? ") failed: " : "): ");
        surety__buf_line(out, failed ? seen->message : seen->result,
                         REPORT_RUN_LINE_MAX / 2);
        surety_buf_byte(out, '\n');
    }
}

surety_status surety_run_write_log(const surety_run *run, bool color,
                                   surety_buf *out)
{
    if (!run || !out)
        return SURETY_MISUSE;
    for (size_t i = 0; i < run->results.log.count; i++) {
        const surety_attempt *seen = &run->results.log.items[i].seen;
        const surety_usage *usage = &seen->answer.usage;

        surety__buf_printf(out, "%sattempt %zu%s: ", color ? "\x1b[1m" : "",
                           i + 1, color ? "\x1b[0m" : "");
        surety_buf_add(out, seen->reason);
        if (seen->ended_ms)
            surety__buf_printf(out, "; %zu ms",
                               (size_t)(seen->ended_ms - seen->started_ms));
        if (usage->known)
            surety__buf_printf(out, ", %zu tokens in, %zu out",
                               (size_t)usage->input_tokens,
                               (size_t)usage->output_tokens);
        surety_buf_text(out, "\n  ");
        surety_buf_add(out, seen->decision.len ? seen->decision
                                               : SURETY__LITERAL("under way"));
        surety_buf_byte(out, '\n');
        report_run_write_uses(&run->steps, i + 1, out);
    }
    return out->status;
}

/* Writes the last reply if it could not be judged: no other part of the report
 * shows it. */
static void report_run_last(const surety__log *log, surety_buf *out)
{
    size_t i = log->count;
    surety_str text = {"", 0};
    surety_str left;

    while (i > 0 && !text.len)
        text = report_run_text(&log->items[--i]);
    if (!text.len || log->items[i].seen.judged)
        return;
    left = (surety_str){text.ptr, surety__utf8_cut(text, REPORT_RUN_TEXT_MAX)};
    surety__buf_printf(out, "what arrived in attempt %zu, %zu byte%s%s:\n",
                       i + 1, text.len, text.len == 1 ? "" : "s",
                       left.len < text.len ? ", begins" : "");
    while (left.len) {
        const size_t end = surety__str_find(left, SURETY__LITERAL("\n"));
        const size_t taken = end + (end < left.len);

        surety_buf_text(out, "  | ");
        surety__buf_line(out, (surety_str){left.ptr, end}, REPORT_RUN_LINE_MAX);
        surety_buf_byte(out, '\n');
        left.ptr += taken;
        left.len -= taken;
    }
}

/* Writes the run's message as an issue. */
static void report_run_message(const surety__end *end, surety_str source,
                               bool color, surety_buf *out)
{
    const surety_issue issue = {
        .keyword = surety_str_of(surety_run_verdict_name(end->verdict)),
        .message = end->message,
        .hint = end->hint,
    };
    const surety_issue_form form = {
        .size = sizeof(form),
        .source = source.len ? source : SURETY__LITERAL("run"),
        .warning = end->verdict == SURETY_RUN_FALLBACK ||
                   end->verdict == SURETY_RUN_PARTIAL,
    };

    (void)surety_issue_write(
        &issue, color ? SURETY_REPORT_COLOR : SURETY_REPORT_TEXT, &form, out);
}

/* Writes the run's message in the forms that have one line per error. */
static void report_run_line(const surety__end *end, surety_report form,
                            surety_buf *out)
{
    const char *verdict = surety_run_verdict_name(end->verdict);

    if (form == SURETY_REPORT_PLAIN) {
        surety_buf_add(out, end->message);
        surety_buf_text(out, " (path: )\n");
    } else if (form == SURETY_REPORT_GITHUB) {
        surety__buf_printf(out, "::error title=%s::", verdict);
        for (size_t i = 0; i < end->message.len; i++)
            if (end->message.ptr[i] == '%')
                surety_buf_text(out, "%25");
            else
                surety_buf_byte(out, end->message.ptr[i]);
        surety_buf_byte(out, '\n');
    } else {
        surety__template_write(
            out, "{'ruleId':'$t','level':'error','message':{'text':$s}}",
            verdict, end->message);
    }
}

surety_status surety_run_write(const surety_run *run, surety_report form,
                               surety_str source, surety_buf *out)
{
    const bool color = form == SURETY_REPORT_COLOR;
    const surety__end *end = run ? &run->results.end : NULL;
    const surety_outcome *outcome = run ? run->results.judged.outcome : NULL;
    surety_status status = SURETY_OK;

    if (!run || !out || (unsigned)form > SURETY_REPORT_SARIF)
        return SURETY_MISUSE;
    if (form == SURETY_REPORT_JSON) {
        const size_t start = out->len;

        status = report_run_json(run, out);
        surety_json_shown(out, start);
        return status ? status : out->status;
    }
    if (outcome)
        status = surety_outcome_write(outcome, form, source, 0, out);
    if (status != SURETY_OK || end->verdict == SURETY_RUN_VALID)
        return status;
    if (form == SURETY_REPORT_TEXT || color) {
        if (end->message.len)
            report_run_message(end, source, color, out);
        report_run_last(&run->results.log, out);
        (void)surety_run_write_log(run, color, out);
    } else if (!outcome && end->message.len) {
        report_run_line(end, form, out);
    }
    return out->status;
}
