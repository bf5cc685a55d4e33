/* SPDX-License-Identifier: Apache-2.0 */
/* The mock server: a script behind the server of serve/, in a thread.
 *
 * 1. Every request takes the same steps: find its protocol; refuse what that
 *    provider would refuse (path, method, key, body, model, schema); pick a
 *    reply of the script; plan the reply; log it.
 * 2. One thread drives the server and does all of this, so the script needs no
 *    lock, and replies are given in the order in which requests came.
 * 3. A mock_call lives as long as its exchange. */
#include "mock/mock.h"
#include "template/template.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define MOCK_STEP_MS 1000
#define MOCK_LOGGED_MAX 256 /* bytes of a path or model in the log */

struct surety_mock {
    surety_mock_options options;
    surety__script script;
    surety__server *server;
    pthread_t thread;
    bool is_threaded;
    uint16_t port;
    uint64_t requests; /* requests so far */
    atomic_bool is_stopping;
    atomic_uint_fast64_t served;
};

/* One request, its plan and its result. */
typedef struct mock_call {
    surety_mock *mock;
    surety__serving *exchange;
    surety__arena arena;
    surety_doc *doc;
    surety__route route;
    surety__model_request request;
    surety__playback plan;
    surety_error error;
    uint64_t number;
    size_t reply; /* index in the script, from 1; 0: none */
    bool has_request;
    bool is_delayed;
    bool is_ours; /* refused by the mock, not by the script */
} mock_call;

/* ---- refusing ------------------------------------------------------------ */

static surety_str mock_header(void *ctx, const char *name)
{
    const mock_call *call = ctx;

    return surety__serving_header(call->exchange, name);
}

static void mock_refuse(mock_call *call, surety__problem problem)
{
    call->is_ours = true;
    if (!call->error.message[0] && problem.message.len)
        surety__fail(&call->error, SURETY_SYNTAX, "%.*s",
                     (int)problem.message.len, problem.message.ptr);
    surety__playback_problem(&call->plan, &problem);
}

/* The API key of the request, from the header or query that its protocol
 * uses. */
static surety_str mock_key(mock_call *call)
{
    const surety_str bearer = SURETY__LITERAL("Bearer ");
    surety_str key = {NULL, 0};

    if (call->route.protocol == SURETY_PROTOCOL_ANTHROPIC)
        key = mock_header(call, "x-api-key");
    if (call->route.protocol == SURETY_PROTOCOL_GEMINI) {
        key = mock_header(call, "x-goog-api-key");
        if (!key.len)
            key = surety__serving_query(call->exchange, "key=");
    }
    if (key.len)
        return key;
    key = mock_header(call, "authorization");
    if (!surety__str_starts(key, bearer))
        return (surety_str){NULL, 0};
    return (surety_str){key.ptr + bearer.len, key.len - bearer.len};
}

static bool mock_takes_key(mock_call *call)
{
    const surety_val require =
        surety_val_get(call->mock->script.root, "require_key");
    const surety_str key = mock_key(call);
    const bool is_gemini = call->route.protocol == SURETY_PROTOCOL_GEMINI;
    surety__problem problem = {.status = 401};

    if (!require.doc || (surety_val_kind(require) == SURETY_KIND_BOOLEAN &&
                         !surety_val_bool(require, false)))
        return true;
    if (surety_val_kind(require) == SURETY_KIND_STRING ||
                surety_val_kind(require) == SURETY_KIND_ARRAY
            ? surety__script_names(require, key)
            : key.len > 0)
        return true;
    if (is_gemini && key.len) {
        problem.status = 400;
        problem.message =
            SURETY__LITERAL("API key not valid. Please pass a valid API key.");
    } else if (is_gemini) {
        problem.status = 403;
    } else if (!key.len && call->route.protocol != SURETY_PROTOCOL_ANTHROPIC) {
        problem.message = SURETY__LITERAL(
            "You didn't provide an API key. You need to provide your API key "
            "in an Authorization header using Bearer auth.");
    }
    mock_refuse(call, problem);
    return false;
}

static bool mock_knows_model(mock_call *call, surety_str model)
{
    const surety_val models = surety_val_get(call->mock->script.root, "models");
    const char *format =
        "The model `%.*s` does not exist or you do not have access to it.";
    surety__problem problem = {.status = 404,
                               .code = SURETY__LITERAL("model_not_found")};

    if (!models.doc || surety__script_names(models, model))
        return true;
    if (call->route.protocol == SURETY_PROTOCOL_ANTHROPIC)
        format = "model: %.*s";
    else if (call->route.protocol == SURETY_PROTOCOL_GEMINI)
        format = "models/%.*s is not found for API version v1beta, or is not "
                 "supported for generateContent.";
    surety__fail(&call->error, SURETY_SYNTAX, format, (int)model.len,
                 model.len ? model.ptr : "");
    problem.message = surety_str_of(call->error.message);
    mock_refuse(call, problem);
    return false;
}

/* Sets the error message for a refused path, with the routes that the server
 * has. */
static surety_str mock_path_message(mock_call *call, const char *wrong)
{
    const surety_str method = call->exchange->method;
    const surety_str path = call->exchange->path;

    surety__fail(&call->error, SURETY_SYNTAX,
                 "%s (%.*s %.*s): the mock server answers calls, counts of "
                 "tokens, embeddings and lists of models, and what a reply of "
                 "its script names in when.path",
                 wrong, (int)method.len, method.ptr, (int)path.len, path.ptr);
    return surety_str_of(call->error.message);
}

/* Checks path, method, size and key, which need no body. False: refused. */
static bool mock_admits(mock_call *call)
{
    const char *method = surety__route_method(call->route.kind);
    surety__problem problem = {.status = 404};

    if (!method) {
        problem.message = mock_path_message(call, "Invalid URL");
    } else if (!surety_str_equal(call->exchange->method,
                                 surety_str_of(method))) {
        problem.status = 405;
        problem.allow = method;
        problem.message = mock_path_message(call, "Method not allowed");
    } else if (call->exchange->is_oversized) {
        problem.status = 413;
    } else {
        return mock_takes_key(call);
    }
    mock_refuse(call, problem);
    return false;
}

/* ---- answering ----------------------------------------------------------- */

static void mock_list_models(mock_call *call)
{
    const surety_val models = surety_val_get(call->mock->script.root, "models");
    const size_t count = surety_val_count(models);
    surety_str *names =
        surety__arena_take(&call->arena, (count + 1) * sizeof(*names));
    size_t i = 0;

    if (!names) {
        call->plan.status = SURETY_NOMEM;
        return;
    }
    SURETY_EACH (one, models)
        names[i++] = surety_val_str(one);
    if (!count)
        names[i++] = SURETY__LITERAL("mock");
    assert(i <= count + 1);
    if (call->route.model.len && !mock_knows_model(call, call->route.model))
        return;
    surety__speak_models(call->route.protocol, names, i, call->route.model,
                         &call->plan.bytes);
    surety__playback_body(&call->plan, 200);
}

/* Reads the body of a request into call->request. False: refused, or out of
 * memory. */
static bool mock_reads(mock_call *call)
{
    const surety_read_options options = {sizeof(options), SURETY_READ_BORROW,
                                         NULL};
    const surety_val script = call->mock->script.root;
    surety__problem problem = {.status = 400};
    surety_status status;

    call->doc = surety_doc_new(call->mock->options.alloc);
    status = call->doc ? surety_doc_read(call->doc,
                                         surety_buf_str(&call->exchange->body),
                                         &options, &call->error)
                       : SURETY_NOMEM;
    if (status && status != SURETY_NOMEM) {
        surety_error shown;
        surety__fail(&shown, SURETY_SYNTAX,
                     "We could not parse the JSON body of your request: line "
                     "%u, column %u: %s",
                     (unsigned)call->error.position.line,
                     (unsigned)call->error.position.column,
                     call->error.message);
        call->error = shown;
        problem.message = surety_str_of(call->error.message);
    } else if (!status) {
        status = surety__speak_read(&call->route, surety_doc_root(call->doc),
                                    &call->arena, &call->request, &problem,
                                    &call->error);
        call->has_request = status == SURETY_OK;
    }
    if (!status && call->route.protocol == SURETY_PROTOCOL_ANTHROPIC &&
        !mock_header(call, "anthropic-version").len) {
        status = SURETY_SYNTAX;
        problem.message =
            SURETY__LITERAL("anthropic-version: header is required");
    }
    if (!status && !mock_knows_model(call, call->request.model))
        return false;
    if (!status &&
        surety_val_bool(surety_val_get(script, "strict_schemas"), false))
        status = surety__speak_strict(&call->request, &call->arena, &problem,
                                      &call->error);
    if (status == SURETY_NOMEM)
        call->plan.status = SURETY_NOMEM;
    else if (status)
        mock_refuse(call, problem);
    return status == SURETY_OK;
}

/* Answers a count of tokens or a request for embeddings, which no script
 * provides. */
static void mock_measure(mock_call *call)
{
    if (!mock_reads(call))
        return;
    if (call->route.kind == ROUTE_COUNT)
        surety__speak_count(&call->request, &call->plan.bytes);
    else
        surety__speak_embed(&call->request, &call->plan.bytes);
    surety__playback_body(&call->plan, 200);
}

/* Describes the call by the properties that "when" can match. */
static void mock_refuse_exhausted(mock_call *call)
{
    const surety__model_request *request = &call->request;
    surety_buf text;

    surety_buf_init(&text, call->mock->options.alloc, 0);
    surety__buf_printf(
        &text,
        "%s, model %.*s, mode %s, format %s, tool_choice %s, last %.*s%s",
        surety_protocol_name(request->protocol), (int)request->model.len,
        request->model.len ? request->model.ptr : "",
        surety_mode_name(request->mode), surety__format_name(request->format),
        surety__choice_name(request->choice),
        (int)surety__request_last(request).len,
        surety__request_last(request).ptr, request->stream ? ", stream" : "");
    surety__fail(&call->error, SURETY_SYNTAX,
                 "the mock's script has no reply left that fits call %u (%.*s)",
                 (unsigned)call->mock->script.calls, (int)text.len,
                 text.ptr ? text.ptr : "");
    surety_buf_done(&text);
    mock_refuse(
        call, (surety__problem){.status = 400,
                                .code = SURETY__LITERAL("script_exhausted"),
                                .message = surety_str_of(call->error.message)});
}

/* Plans a reply of the script. */
static void mock_play(mock_call *call, const surety__script_reply *reply,
                      uint64_t number, bool as_array)
{
    const surety__script *script = &call->mock->script;
    const surety__playback_order order = {script, reply, &call->request, number,
                                          as_array};

    assert(reply >= script->replies &&
           reply < script->replies + script->reply_count);
    call->reply = (size_t)(reply - script->replies) + 1;
    surety__playback_reply(&call->plan, &order);
}

/* Plans the script's reply to a call. */
static void mock_play_call(mock_call *call)
{
    surety__script *script = &call->mock->script;
    const surety__script_call shown = {&call->request, call->exchange->path,
                                       mock_header, call};
    const surety__script_reply *reply = surety__script_pick(script, &shown);
    const bool as_array =
        call->request.stream &&
        call->request.protocol == SURETY_PROTOCOL_GEMINI &&
        !surety_str_equal(surety__serving_query(call->exchange, "alt="),
                          SURETY__LITERAL("sse"));

    if (!reply) {
        mock_refuse_exhausted(call);
        return;
    }
    if (as_array)
        call->request.stream = false;
    mock_play(call, reply, script->calls, as_array);
}

/* Plans the script's reply to a request that is no call: one whose "when" has
 * its path. False: there is none. A request without the required key is refused
 * and uses up no reply. */
static bool mock_play_other(mock_call *call)
{
    const surety__script_call shown = {&call->request, call->exchange->path,
                                       mock_header, call};
    surety__script_reply *reply;

    call->request = (surety__model_request){.protocol = call->route.protocol,
                                            .model = call->route.model,
                                            .mode = SURETY_MODE_PROMPT,
                                            .answers = 1,
                                            .schema = surety_val_none()};
    reply = surety__script_find(&call->mock->script, &shown, true);
    if (!reply)
        return false;
    if (!mock_takes_key(call))
        return true;
    if (reply->left != UINT64_MAX)
        reply->left--;
    mock_play(call, reply, call->number, false);
    return true;
}

static mock_call *mock_begin(surety_mock *mock, surety__serving *exchange)
{
    const surety_alloc *alloc = mock->options.alloc;
    mock_call *call = surety__new(alloc, sizeof(*call));

    assert(!exchange->own);
    if (!call)
        return NULL;
    call->mock = mock;
    call->exchange = exchange;
    call->number = ++mock->requests;
    surety__arena_init(&call->arena, alloc, 0);
    surety__playback_init(&call->plan, alloc);
    exchange->own = call;
    call->route = surety__route_of(exchange->path,
                                   mock_header(call, "anthropic-version").ptr ||
                                       mock_header(call, "x-api-key").ptr,
                                   mock_header(call, "x-goog-api-key").ptr);
    call->plan.protocol = call->route.protocol;
    call->plan.number = call->number;
    if (call->route.kind != ROUTE_CALL && mock_play_other(call))
        return call;
    if (!mock_admits(call))
        return call;
    switch (call->route.kind) {
    case ROUTE_MODELS: mock_list_models(call); break;
    case ROUTE_COUNT:
    case ROUTE_EMBED: mock_measure(call); break;
    default:
        if (mock_reads(call))
            mock_play_call(call);
    }
    return call;
}

static surety__flow mock_request(void *ctx, surety__serving *exchange,
                                 uint32_t *ret_wait_ms)
{
    mock_call *call = exchange->own;
    surety__response response;

    if (!call)
        call = mock_begin(ctx, exchange);
    if (!call || call->plan.status)
        return FLOW_CUT;
    if (call->plan.delay_ms && !call->is_delayed) {
        call->is_delayed = true;
        *ret_wait_ms = call->plan.delay_ms;
        return FLOW_WAIT;
    }
    if (call->plan.hang_up != FLOW_ON) {
        call->plan.last = call->plan.hang_up;
        return call->plan.hang_up;
    }
    response = (surety__response){.kind = call->plan.kind,
                                  .status = call->plan.http_status,
                                  .headers = call->plan.headers,
                                  .header_count = call->plan.header_count,
                                  .body_len =
                                      call->request.stream && !call->is_ours
                                          ? UINT64_MAX
                                          : surety__playback_size(&call->plan)};
    return surety__serving_answer(exchange, &response, &call->error) ? FLOW_CUT
                                                                     : FLOW_ON;
}

static surety__flow mock_pull(void *ctx, surety__serving *exchange,
                              surety__pull *pull)
{
    mock_call *call = exchange->own;

    (void)ctx;
    return surety__playback_pull(&call->plan, pull);
}

/* ---- the log ------------------------------------------------------------- */

static surety_str mock_bounded(surety_str text)
{
    return (surety_str){text.ptr, text.len < MOCK_LOGGED_MAX ? text.len
                                                             : MOCK_LOGGED_MAX};
}

/* A name of the request, for the log; NULL: the request was not read. */
static surety_str mock_shown(const mock_call *call, const char *name)
{
    return surety_str_of(call->has_request ? name : NULL);
}

static const char *mock_outcome(const mock_call *call, bool whole)
{
    if (whole)
        return "whole";
    if (call->plan.last == FLOW_CUT)
        return "cut";
    return call->plan.last == FLOW_RESET ? "reset" : "broken";
}

static void mock_put_log(surety_buf *out, const mock_call *call, bool whole)
{
    const surety__serving *exchange = call->exchange;
    const surety__model_request *request = &call->request;
    const struct {
        const char *name;
        surety_str text; /* ptr NULL: null */
    } texts[] = {
        {"method", exchange->method},
        {"path", exchange->path},
        {"protocol",
         surety_str_of(call->route.kind == ROUTE_NONE
                           ? NULL
                           : surety_protocol_name(call->route.protocol))},
        {"model", call->has_request ? request->model : (surety_str){NULL, 0}},
        {"mode", mock_shown(call, surety_mode_name(request->mode))},
        {"format", mock_shown(call, surety__format_name(request->format))},
        {"tool_choice", mock_shown(call, surety__choice_name(request->choice))},
        {"last", call->has_request && request->message_count
                     ? surety__request_last(request)
                     : (surety_str){NULL, 0}},
    };

    surety__template_write(out, "{'request':$n", call->number);
    for (size_t i = 0; i < SURETY__COUNT(texts); i++)
        surety__template_write(out,
                               texts[i].text.ptr ? ",'$t':$s" : ",'$t':null",
                               texts[i].name, mock_bounded(texts[i].text));
    surety_json_bool(out, "stream", call->has_request && request->stream);
    surety__template_write(
        out,
        ",'reply':$o,'status':$o,'request_bytes':$n,'response_bytes':$n,'ended'"
        ":'$t','message':$m}",
        call->reply != 0, (uint64_t)call->reply,
        call->plan.hang_up == FLOW_ON && call->plan.kind != ANSWER_RAW,
        (uint64_t)call->plan.http_status, (uint64_t)exchange->body.len,
        exchange->sent, mock_outcome(call, whole),
        mock_bounded(surety_str_of(call->error.message)));
}

static void mock_ended(void *ctx, surety__serving *exchange, bool whole)
{
    surety_mock *mock = ctx;
    mock_call *call = exchange->own;
    surety_buf line;

    if (call) {
        surety_buf_init(&line, mock->options.alloc, 0);
        if (mock->options.log) {
            mock_put_log(&line, call, whole);
            if (!line.status)
                mock->options.log(mock->options.log_ctx, surety_buf_str(&line));
        }
        surety_buf_done(&line);
        surety_doc_free(call->doc);
        surety__playback_done(&call->plan);
        surety__arena_done(&call->arena);
        surety__free(mock->options.alloc, call, sizeof(*call));
    }
    atomic_fetch_add(&mock->served, 1);
}

/* ---- opening and closing ------------------------------------------------- */

surety_status surety__mock_new(surety_str script,
                               const surety_mock_options *options,
                               surety_mock **ret_mock, surety_error *reterr)
{
    surety__listen_place listener;
    surety__server_options server = {
        .sockets = &listener.fd, .socket_count = 1, .no_date = true};
    surety_mock_options own;
    surety_mock *mock;
    surety_status status =
        surety__options_take(&own, sizeof(own), options, reterr);

    if (status)
        return status;
    mock = surety__new(own.alloc, sizeof(*mock));
    if (!mock)
        return surety__fail_nomem(reterr);
    mock->options = own;
    server.alloc = own.alloc;
    atomic_init(&mock->is_stopping, false);
    atomic_init(&mock->served, 0);
    status = surety__script_read(&mock->script, script, mock->options.folder,
                                 own.alloc, reterr);
    server.service =
        (surety__service){mock, mock_request, mock_pull, mock_ended};
    server.body_bytes_max = (size_t)surety_val_uint(
        surety_val_get(mock->script.root, "request_bytes_max"),
        (uint64_t)32 << 20);
    if (!status)
        status = surety__listen_ip(mock->options.address, mock->options.port,
                                   &listener, reterr);
    if (!status) {
        mock->port = listener.port;
        status = surety__server_open(&server, &mock->server, reterr);
    }
    if (status)
        surety_mock_close(mock);
    else
        *ret_mock = mock;
    return status;
}

void surety__mock_step(surety_mock *mock, uint32_t timeout_ms)
{
    assert(!mock->is_threaded);
    surety__server_step(mock->server, timeout_ms);
}

static void *mock_thread(void *ctx)
{
    surety_mock *mock = ctx;

    while (!atomic_load(&mock->is_stopping))
        surety__server_step(mock->server, MOCK_STEP_MS);
    return NULL;
}

surety_status surety_mock_open(surety_str script,
                               const surety_mock_options *options,
                               surety_mock **ret_mock, surety_error *reterr)
{
    surety_mock *mock = NULL;
    sigset_t all, before;
    surety_status status = surety__mock_new(script, options, &mock, reterr);
    int error;

    if (status)
        return status;
    /* Signals go to the caller's threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&mock->thread, NULL, mock_thread, mock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) {
        surety_mock_close(mock);
        return surety__fail(reterr, SURETY_IO, "no thread can be started: %s",
                            strerror(error));
    }
    mock->is_threaded = true;
    *ret_mock = mock;
    return SURETY_OK;
}

uint16_t surety_mock_port(const surety_mock *mock)
{
    return mock->port;
}

uint64_t surety_mock_served(const surety_mock *mock)
{
    return atomic_load(&((surety_mock *)(uintptr_t)mock)->served);
}

void surety_mock_close(surety_mock *mock)
{
    if (!mock)
        return;
    if (mock->is_threaded) {
        atomic_store(&mock->is_stopping, true);
        surety__server_wake(mock->server);
        pthread_join(mock->thread, NULL);
    }
    surety__server_close(mock->server);
    surety__script_done(&mock->script);
    surety__free(mock->options.alloc, mock, sizeof(*mock));
}
