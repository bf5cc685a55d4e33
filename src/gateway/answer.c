/* SPDX-License-Identifier: Apache-2.0 */
/* What a client gets: the run's result in the words of its protocol.
 *
 * The statuses follow what the official clients do with them: they send 408,
 * 409, 429 and 5xx again unless x-should-retry says no, and raise everything
 * else at once. A reply that breaks its contract was asked for again already,
 * so it is 422 and not to be retried. */
#include "gateway/gateway.h"
#include "template/template.h"

/* ---- the result ---------------------------------------------------------- */

/* HTTP status of a call that gave no reply, where the provider's own says
 * nothing to our client. ORDER failures. */
static int answer_http(const surety_answer *answer, bool own_key)
{
    switch (answer->failure) {
    case SURETY_FAILURE_NONE: return 400; /* no request can be made of it */
    case SURETY_FAILURE_REQUEST:
    case SURETY_FAILURE_SCHEMA:
    case SURETY_FAILURE_CONTEXT: return answer->http_status == 413 ? 413 : 400;
    case SURETY_FAILURE_AUTH:
        if (own_key)
            return 502; /* our key is wrong, and not the client's */
        return answer->http_status == 403 ? 403 : 401;
    case SURETY_FAILURE_MODEL: return 404;
    case SURETY_FAILURE_QUOTA:
    case SURETY_FAILURE_RATE_LIMIT: return 429;
    case SURETY_FAILURE_OVERLOADED: return 503;
    case SURETY_FAILURE_TIMEOUT: return 504;
    default: return 502;
    }
}

/* The failure of the last call. */
static surety__result answer_provider(const surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    const surety_attempt last =
        surety_run_attempt(exchange->run, info->attempt_count - 1);
    surety__result result = {.retry_after_ms = -1, .should_retry = -1};

    result.problem.message = info->message;
    if (!info->attempt_count) {
        result.problem.status = 400;
        result.should_retry = 0;
        return result;
    }
    result.problem.status =
        answer_http(&last.answer, !exchange->ask.brings_key);
    result.problem.code = last.answer.error_code;
    result.retry_after_ms = last.answer.retry_after_ms;
    if (last.answer.failure == SURETY_FAILURE_QUOTA)
        result.should_retry = 0;
    return result;
}

/* Whether the call is one of the last reply. */
static bool answer_is_last(const surety__exchange *exchange,
                           const surety_tool_use *use)
{
    return use->attempt == surety_run_info_of(exchange->run)->attempt_count;
}

/* Appends a list of the report of a call of a tool, its errors or its repairs,
 * each with the tool's name; count: how many stand before. Returns how many
 * they are. */
static size_t answer_put_list(const surety__exchange *exchange, size_t index,
                              const char *list, size_t count, surety_buf *out)
{
    const surety_tool_use use = surety_run_tool_use(exchange->run, index);
    const surety_str report = surety_run_tool_report(exchange->run, index);
    surety_doc *doc = surety_doc_new(exchange->arena.alloc);
    surety_val items = surety_val_none();
    size_t added = 0;

    if (!doc)
        out->status = SURETY_NOMEM;
    else if (report.len && !surety_doc_read(doc, report, NULL, NULL))
        items = surety_val_get(surety_doc_root(doc), list);
    SURETY_EACH (item, items) {
        surety_buf_text(out, count + added ? ",{" : "{");
        surety_json_text(out, "tool", use.name);
        SURETY_EACH (member, item) {
            surety_buf_byte(out, ',');
            surety_json_string(out, surety_val_str(surety_val_key(member)));
            surety_buf_byte(out, ':');
            surety_val_write(member, SURETY_STYLE_COMPACT, out);
        }
        surety_buf_byte(out, '}');
        added++;
    }
    surety_doc_free(doc);
    return added;
}

/* Appends the errors of a call. Returns their number. */
static size_t answer_put_faults(const surety__exchange *exchange, size_t index,
                                size_t count, surety_buf *out)
{
    const surety_tool_use use = surety_run_tool_use(exchange->run, index);
    const size_t added = answer_put_list(exchange, index, "errors", count, out);

    if (added)
        return added;
    surety__template_write(out, "$t{'tool':$s,'kind':'$t','message':$s}",
                           count ? "," : "", use.name,
                           surety_tool_failure_name(use.failure), use.message);
    return 1;
}

/* Appends the repairs of the calls that the answer has. Returns how many they
 * are. */
static size_t answer_put_mended(const surety__exchange *exchange,
                                surety_buf *out)
{
    const surety_run_info *run = surety_run_info_of(exchange->run);
    size_t count = 0;

    for (size_t i = 0;
         i < run->tool_use_count && run->verdict == SURETY_RUN_CALLS; i++) {
        const surety_tool_use use = surety_run_tool_use(exchange->run, i);

        if (answer_is_last(exchange, &use))
            count += answer_put_list(exchange, i, "repairs", count, out);
    }
    return count;
}

/* The errors of the last reply, as a JSON array in the arena. */
static surety_str answer_issues(surety__exchange *exchange)
{
    const surety_run_info *run = surety_run_info_of(exchange->run);
    const surety_outcome *outcome = run->outcome;
    const surety_outcome_info *info = surety_outcome_info_of(outcome);
    size_t count = 0;
    surety_buf out;

    surety_buf_init(&out, exchange->arena.alloc, 0);
    surety_buf_byte(&out, '[');
    for (size_t i = 0; i < run->tool_use_count; i++) {
        const surety_tool_use use = surety_run_tool_use(exchange->run, i);

        if (answer_is_last(exchange, &use) && use.failure != SURETY_TOOL_NONE &&
            use.failure != SURETY_TOOL_CANCELLED)
            count += answer_put_faults(exchange, i, count, &out);
    }
    for (size_t i = 0; i < info->error_count && !count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        surety_buf_text(&out, i ? "," : "");
        surety_issue_write(&issue, SURETY_REPORT_JSON, NULL, &out);
    }
    surety_buf_byte(&out, ']');
    return surety__arena_buf(&exchange->arena, &out);
}

/* How many repairs the answer has. */
static size_t answer_repairs(const surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    surety_buf unseen;
    size_t count;

    if (info->verdict != SURETY_RUN_CALLS)
        return surety_outcome_info_of(info->outcome)->repaired_count;
    surety_buf_init(&unseen, exchange->arena.alloc, 0);
    count = answer_put_mended(exchange, &unseen);
    surety_buf_done(&unseen);
    return count;
}

static surety__result answer_violation(surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    surety__result result = {.retry_after_ms = -1, .should_retry = 0};

    result.problem = (surety__problem){
        .status = 422,
        .code = SURETY__LITERAL("schema_violation"),
        .param = info->outcome
                     ? surety_outcome_error(info->outcome, 0).instance_location
                     : (surety_str){NULL, 0},
        .message = info->message,
        .details = answer_issues(exchange)};
    if (exchange->ask.route.protocol != SURETY_PROTOCOL_GEMINI)
        result.problem.type = result.problem.code; /* Gemini's are its own */
    return result;
}

/* No model took the call. */
static surety__result answer_busy(const surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);

    return (surety__result){
        .problem = {.status = 503, .message = info->message},
        .retry_after_ms = (int64_t)exchange->visit.retry_after_ms,
        .should_retry = 1};
}

/* Whether the model may answer with any text. No contract says then that it has
 * to be whole. */
static bool answer_may_talk(const surety__exchange *exchange)
{
    const surety__ask *ask = &exchange->ask;

    return !ask->kept &&
           (!ask->tools.set || ask->request.choice == CHOICE_AUTO ||
            ask->request.choice == CHOICE_NONE);
}

/* How the last call failed. */
static surety_failure answer_failure(const surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);

    return info->attempt_count
               ? surety_run_attempt(exchange->run, info->attempt_count - 1)
                     .answer.failure
               : SURETY_FAILURE_NONE;
}

/* Whether the answer is a text that the model's limit of tokens cut off, as
 * clients know it. Where tools are offered, it may be a text beside a call that
 * was begun. */
static bool answer_is_cut(const surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);

    return info->verdict == SURETY_RUN_REJECTED && answer_may_talk(exchange) &&
           (!exchange->ask.tools.set || info->reply_last.len) &&
           answer_failure(exchange) == SURETY_FAILURE_LENGTH;
}

/* Whether the model said nothing, and did so again when it was asked again: an
 * agent's model may have nothing to add to the results of its tools. */
static bool answer_is_empty(const surety__exchange *exchange)
{
    return surety_run_info_of(exchange->run)->verdict == SURETY_RUN_PROVIDER &&
           answer_may_talk(exchange) &&
           answer_failure(exchange) == SURETY_FAILURE_EMPTY;
}

surety__result surety__answer_result(surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    surety__result result = {.retry_after_ms = -1, .should_retry = 0};

    if (exchange->visit.is_refused && !info->attempt_count)
        return answer_busy(exchange);
    if (exchange->owed.is_lost) {
        result.problem.status = 503;
        result.problem.message = exchange->owed.why;
        result.should_retry = 1;
        return result;
    }
    switch (info->verdict) {
    case SURETY_RUN_VALID:
    case SURETY_RUN_CALLS:
    case SURETY_RUN_FALLBACK:
        return (surety__result){.ok = true, .retry_after_ms = -1};
    case SURETY_RUN_REFUSED:
        /* The model's refusal is an answer that clients know, unless a part of
         * a value stands before it. */
        if (exchange->ask.kept && exchange->attempt)
            return answer_violation(exchange);
        return (surety__result){.ok = true, .retry_after_ms = -1};
    case SURETY_RUN_PARTIAL: return answer_violation(exchange);
    case SURETY_RUN_REJECTED:
        return answer_is_cut(exchange)
                   ? (surety__result){.ok = true, .retry_after_ms = -1}
                   : answer_violation(exchange);
    case SURETY_RUN_PROVIDER:
        return answer_is_empty(exchange)
                   ? (surety__result){.ok = true, .retry_after_ms = -1}
                   : answer_provider(exchange);
    case SURETY_RUN_BUDGET:
        result.problem.status = 429;
        result.problem.code = SURETY__LITERAL("budget_exceeded");
        break;
    case SURETY_RUN_LEDGER:
        result.problem.status = 503;
        result.should_retry = 1;
        break;
    default: result.problem.status = 500;
    }
    result.problem.message = info->message;
    return result;
}

/* ---- the speech ---------------------------------------------------------- */

void surety__answer_name(surety__exchange *exchange)
{
    exchange->speech.id = surety_run_info_of(exchange->run)->id;
    exchange->speech.created = (uint64_t)(surety__worker_now().unix_ms / 1000);
}

surety__speech_part surety__answer_part(const surety__exchange *exchange)
{
    return exchange->ask.request.mode == SURETY_MODE_TOOL ? PART_ARGUMENTS
                                                          : PART_TEXT;
}

/* Adds the calls of the answer. Where the provider gave one no id, it gets one
 * of the run's. */
static void answer_speak_calls(surety__exchange *exchange,
                               const surety_message *message, surety_buf *out)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    size_t part = 0;

    for (size_t i = 0; i < info->tool_use_count; i++) {
        const surety_tool_use use = surety_run_tool_use(exchange->run, i);
        surety_str raw = {NULL, 0};

        if (!answer_is_last(exchange, &use))
            continue;
        while (part < message->part_count &&
               message->parts[part].kind != SURETY_PART_CALL)
            part++;
        if (part < message->part_count &&
            message->parts[part].raw_protocol == exchange->ask.route.protocol)
            raw = message->parts[part].raw;
        part++;
        surety__speech_begin_call(&exchange->speech, use.name);
        surety__speech_mark_call(&exchange->speech, use.call, raw);
        surety__speech_piece(&exchange->speech, PART_ARGUMENTS, use.arguments,
                             out);
    }
}

/* Whether the last reply's text is a part of the answer and was not passed on
 * yet. Where that of an earlier reply was, whose calls were wrong, it comes
 * only if no calls come. */
static bool answer_says(const surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);

    if (info->verdict == SURETY_RUN_CALLS)
        return !exchange->attempt;
    return !exchange->ask.kept && exchange->attempt != info->attempt_count;
}

/* Adds the answer's message: reasoning, text and calls. What its provider wants
 * to get back goes to a client of the same protocol. */
static void answer_speak_message(surety__exchange *exchange, surety_buf *out)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    surety__speech *speech = &exchange->speech;
    size_t count;
    const surety_message *messages = surety_run_messages(exchange->run, &count);
    const surety_message *last = &messages[count - 1];

    for (size_t i = 0; i < last->part_count; i++) {
        const surety_part *part = &last->parts[i];

        if (part->kind != SURETY_PART_REASONING ||
            exchange->attempt == info->attempt_count)
            continue;
        if (part->raw.len &&
            part->raw_protocol == exchange->ask.route.protocol &&
            surety__speech_raw(speech, part->raw, out))
            continue;
        if (part->text.len && !exchange->attempt)
            surety__speech_piece(speech, PART_REASONING, part->text, out);
    }
    for (size_t i = 0; i < last->part_count && answer_says(exchange); i++)
        if (last->parts[i].kind == SURETY_PART_TEXT &&
            last->parts[i].text.len) {
            if (exchange->attempt)
                surety__speech_piece(speech, PART_TEXT, SURETY__LITERAL("\n\n"),
                                     out);
            surety__speech_piece(speech, PART_TEXT, last->parts[i].text, out);
        }
    if (info->verdict == SURETY_RUN_CALLS)
        answer_speak_calls(exchange, last, out);
}

void surety__answer_speak(surety__exchange *exchange, surety_buf *out)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    const surety_attempt last = surety_run_attempt(
        exchange->run, info->attempt_count ? info->attempt_count - 1 : 0);
    surety_buf text;

    if (info->verdict == SURETY_RUN_REFUSED) {
        surety__speech_piece(
            &exchange->speech, PART_REFUSAL,
            last.answer.refusal.len ? last.answer.refusal : info->message, out);
        return;
    }
    if (answer_is_cut(exchange) || answer_is_empty(exchange)) {
        surety__speech_piece(&exchange->speech, PART_TEXT, last.answer.text,
                             out);
        return;
    }
    if (!exchange->ask.kept || exchange->ask.tools.set)
        answer_speak_message(exchange, out);
    if (!exchange->ask.kept || info->verdict == SURETY_RUN_CALLS)
        return;
    surety_buf_init(&text, exchange->arena.alloc, 0);
    surety_val_write(surety_outcome_info_of(info->outcome)->value,
                     SURETY_STYLE_COMPACT, &text);
    if (text.status)
        exchange->out.status = text.status;
    surety__speech_piece(&exchange->speech, surety__answer_part(exchange),
                         surety_buf_str(&text), out);
    surety_buf_done(&text);
}

surety__closing surety__answer_closing(const surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    surety__closing closing = {.usage = info->usage};

    /* A part of the usage that is estimated is given too: clients add up. */
    closing.usage.known = info->attempt_count > 0;
    if (info->verdict == SURETY_RUN_REFUSED)
        closing.finish = SURETY__LITERAL("refusal");
    else if (answer_is_cut(exchange))
        closing.finish = SURETY__LITERAL("length");
    return closing;
}

static const char *answer_how(const surety_run_info *info)
{
    return surety_run_verdict_name(info->verdict);
}

void surety__answer_about(const surety__exchange *exchange, surety_buf *out)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    const surety_outcome_info *outcome = surety_outcome_info_of(info->outcome);

    surety__template_write(
        out, "'surety':{'run':$s,'verdict':'$t','attempts':$n", info->id,
        answer_how(info), (uint64_t)info->attempt_count);
    if (info->attempt_count && !info->usage.known)
        surety_buf_text(out, ",\"usage_estimated\":true");
    surety_buf_text(out, ",\"repairs\":[");
    for (size_t i = 0;
         i < outcome->repaired_count && info->verdict != SURETY_RUN_CALLS;
         i++) {
        const surety_repaired one = surety_outcome_repaired(info->outcome, i);

        surety__template_write(
            out,
            "$t{'kind':'$t','confidence':'$t','instanceLocation':$s,"
            "'original':$s,'read':$s,'line':$n,'column':$n}",
            i ? "," : "", one.kind, one.likely ? "likely" : "certain",
            one.instance_location, one.original, one.read,
            (uint64_t)one.position.line, (uint64_t)one.position.column);
    }
    answer_put_mended(exchange, out);
    surety_buf_byte(out, ']');
    if (exchange->ask.account.reports) {
        surety_buf_text(out, ",\"report\":");
        surety_run_write(exchange->run, SURETY_REPORT_JSON,
                         (surety_str){NULL, 0}, out);
    }
    surety_buf_byte(out, '}');
}

/* ---- heads --------------------------------------------------------------- */

bool surety__answer_has_room(const surety__answer_head *head)
{
    return head->count + SURETY__ANSWER_HEADERS_OWN <
           SURETY__ANSWER_HEADERS_MAX;
}

void surety__answer_add(surety__answer_head *head, const char *name,
                        surety_str value)
{
    assert(head->count < SURETY__ANSWER_HEADERS_MAX);
    head->headers[head->count++] =
        (surety_header){surety_str_of(name), value, false};
}

static void answer_add_number(surety__answer_head *head, const char *name,
                              uint64_t number)
{
    surety_buf text =
        surety__buf_over(head->numbers[head->count], sizeof(head->numbers[0]));

    surety_buf_number(&text, number);
    surety__answer_add(head, name, surety_buf_str(&text));
}

/* The headers that say what became of a request. */
void surety__answer_add_run(surety__answer_head *head,
                            const surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    const bool anthropic =
        exchange->ask.route.protocol == SURETY_PROTOCOL_ANTHROPIC;

    if (!exchange->run)
        return;
    if (info->id.len) {
        surety__answer_add(head, "Surety-Run", info->id);
        surety__answer_add(head, anthropic ? "request-id" : "x-request-id",
                           info->id);
    }
    if (exchange->ask.account.unchecked.len)
        surety__answer_add(head, "Surety-Unchecked",
                           exchange->ask.account.unchecked);
    if (info->verdict == SURETY_RUN_PENDING)
        return; /* a stream whose head goes out early */
    answer_add_number(head, "Surety-Attempts", info->attempt_count);
    answer_add_number(head, "Surety-Repairs", answer_repairs(exchange));
    if (info->verdict == SURETY_RUN_FALLBACK)
        surety__answer_add(head, "Surety-Fallback", SURETY__LITERAL("true"));
    answer_add_number(head, "Surety-Overhead-Us", exchange->busy_us);
}

void surety__answer_begun(surety__exchange *exchange, int status)
{
    exchange->status = status;
    exchange->notes.answered_us = surety__serve_us() - exchange->started_us;
}

static surety__flow answer_give(surety__exchange *exchange,
                                surety__answer_head *head, int status,
                                surety_str body)
{
    const surety__response response = {.kind = ANSWER_WHOLE,
                                       .status = status,
                                       .headers = head->headers,
                                       .header_count = head->count,
                                       .body = body};

    surety__answer_begun(exchange, status);
    return surety__serving_answer(exchange->serving, &response, NULL) ? FLOW_CUT
                                                                      : FLOW_ON;
}

surety__flow surety__answer_plain(surety__exchange *exchange, int status,
                                  const char *type, surety_str text)
{
    surety__answer_head head = {.count = 0};

    surety__answer_add(&head, "Content-Type", surety_str_of(type));
    return answer_give(exchange, &head, status, text);
}

surety__flow surety__answer_models(surety__exchange *exchange)
{
    const surety_config_info *info =
        surety_config_info_of(exchange->ask.settings->config);
    const surety__route *route = &exchange->ask.route;
    surety__answer_head head = {.count = 0};
    surety__result result = {.retry_after_ms = -1, .should_retry = 0};
    bool found = !route->model.len;

    for (size_t i = 0; i < info->model_count; i++)
        found = found || surety_str_equal(info->models[i], route->model);
    if (!found) {
        result.problem.status = 404;
        return surety__answer_problem(exchange, &result);
    }
    surety__speak_models(route->protocol, info->models, info->model_count,
                         route->model, &exchange->out);
    if (exchange->out.status)
        return FLOW_CUT;
    surety__answer_add(&head, "Content-Type",
                       surety__speak_content_type(false));
    return answer_give(exchange, &head, 200, surety_buf_str(&exchange->out));
}

surety__flow surety__answer_problem(surety__exchange *exchange,
                                    const surety__result *result)
{
    surety__answer_head head = {.count = 0};
    surety__problem problem = result->problem;

    problem.request_id = surety_run_info_of(exchange->run)->id;
    surety_buf_reset(&exchange->out);
    surety__speak_error(exchange->ask.route.protocol, &problem, &exchange->out);
    if (exchange->out.status)
        return FLOW_CUT;
    surety__answer_add(&head, "Content-Type",
                       surety__speak_content_type(false));
    if (problem.allow)
        surety__answer_add(&head, "Allow", surety_str_of(problem.allow));
    surety__answer_add_run(&head, exchange);
    if (result->should_retry >= 0)
        surety__answer_add(
            &head, "x-should-retry",
            surety_str_of(result->should_retry ? "true" : "false"));
    if (result->retry_after_ms >= 0) {
        answer_add_number(&head, "retry-after-ms",
                          (uint64_t)result->retry_after_ms);
        answer_add_number(&head, "Retry-After",
                          ((uint64_t)result->retry_after_ms + 999) / 1000);
    }
    return answer_give(exchange, &head, problem.status,
                       surety_buf_str(&exchange->out));
}

surety__flow surety__answer_whole(surety__exchange *exchange)
{
    const surety__result result = surety__answer_result(exchange);
    const surety__closing closing = surety__answer_closing(exchange);
    surety_buf *out = &exchange->out;
    surety__answer_head head = {.count = 0};

    if (!result.ok)
        return surety__answer_problem(exchange, &result);
    surety__answer_name(exchange);
    surety__answer_speak(exchange, NULL);
    surety_buf_text(out, exchange->ask.giving.as_array ? "[" : "");
    surety__speech_whole(&exchange->speech, &closing, out);
    if (out->status)
        return FLOW_CUT;
    assert(out->ptr[out->len - 1] == '}');
    out->len--; /* the body is an object, which gets one member more */
    surety_buf_byte(out, ',');
    surety__answer_about(exchange, out);
    surety_buf_text(out, exchange->ask.giving.as_array ? "}]" : "}");
    if (out->status)
        return FLOW_CUT;
    surety__answer_add(&head, "Content-Type",
                       surety__speak_content_type(false));
    surety__answer_add_run(&head, exchange);
    return answer_give(exchange, &head, 200, surety_buf_str(out));
}

/* ---- streams ------------------------------------------------------------- */

surety__flow surety__answer_stream(surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    static const char *const streams[] = {"hold", "live", "resume"};
    surety__response response = {
        .kind = ANSWER_STREAMED, .status = 200, .body_len = UINT64_MAX};
    surety__answer_head head = {.count = 0};

    if (info->verdict != SURETY_RUN_PENDING && !exchange->is_cut) {
        const surety__result result = surety__answer_result(exchange);

        if (!result.ok)
            return surety__answer_problem(exchange, &result);
    }
    surety__answer_name(exchange);
    surety__answer_add(&head, "Content-Type", surety__speak_content_type(true));
    surety__answer_add(&head, "Cache-Control", SURETY__LITERAL("no-cache"));
    surety__answer_add(&head, "X-Accel-Buffering", SURETY__LITERAL("no"));
    if (exchange->ask.giving.is_asked)
        surety__answer_add(&head, "Surety-Stream",
                           surety_str_of(streams[exchange->ask.giving.output]));
    surety__answer_add_run(&head, exchange);
    response.headers = head.headers;
    response.header_count = head.count;
    surety__answer_begun(exchange, 200);
    return surety__serving_answer(exchange->serving, &response, NULL) ? FLOW_CUT
                                                                      : FLOW_ON;
}

/* Ends a stream with an error, behind which the connection is cut: clients do
 * not see a missing end mark. */
static void answer_break(surety__exchange *exchange,
                         const surety__problem *problem)
{
    surety__problem shown = *problem;

    if (!shown.message.len)
        shown.message =
            SURETY__LITERAL("the model's reply broke off, and a part of it was "
                            "sent already");
    shown.request_id = surety_run_info_of(exchange->run)->id;
    if (!shown.status)
        shown.status = 502;
    surety__speech_fail(&exchange->speech, &shown, &exchange->out);
    exchange->is_cut = exchange->is_over = true;
}

/* Ends a stream, and says what became of the request: in a comment before the
 * last events. Google's clients do not read comments; there the last event has
 * it as a member, as a whole answer has. */
static void answer_end(surety__exchange *exchange,
                       const surety__closing *closing)
{
    const bool google = exchange->ask.route.protocol == SURETY_PROTOCOL_GEMINI;
    surety_buf *out = &exchange->out;

    if (!google) {
        surety_buf_text(out, ": {");
        surety__answer_about(exchange, out);
        surety_buf_text(out, "}\n\n");
    }
    surety__speech_end(&exchange->speech, closing, out);
    if (!google || out->status)
        return;
    assert(out->len > 3 && out->ptr[out->len - 3] == '}');
    out->len -= 3;
    surety_buf_byte(out, ',');
    surety__answer_about(exchange, out);
    surety_buf_text(out, "}\n\n");
}

void surety__answer_continue(surety__exchange *exchange)
{
    const surety_run_info *info = surety_run_info_of(exchange->run);
    const surety__closing closing = surety__answer_closing(exchange);
    surety__result result;

    /* Rows come first: an end is given out behind them. */
    if (exchange->is_over || exchange->owed.waits)
        return;
    if (exchange->ask.passes && surety__pass_continue(exchange))
        return;
    if (exchange->is_cut) {
        answer_break(exchange, &(surety__problem){0});
        return;
    }
    if (info->verdict == SURETY_RUN_PENDING)
        return;
    result = surety__answer_result(exchange);
    if (!result.ok) {
        answer_break(exchange, &result.problem);
        return;
    }
    if (!exchange->attempt) {
        surety__speech_begin(&exchange->speech, &closing.usage, &exchange->out);
        surety__answer_speak(exchange, &exchange->out);
    } else if (info->verdict == SURETY_RUN_CALLS || answer_says(exchange)) {
        answer_speak_message(exchange, &exchange->out);
    }
    answer_end(exchange, &closing);
    exchange->is_over = true;
}
