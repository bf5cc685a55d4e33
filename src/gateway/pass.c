/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that are passed on: client and model speak one protocol, and there
 * is nothing to check. The request goes as it is but for the model's name, and
 * the response comes back byte for byte. It is a run all the same, with its
 * row, budget, retries and limits.
 *
 * 1. Headers pass by two lists, one for each direction; what no list names
 *    stays here. So no header of one connection reaches the other, and none of
 *    ours is forged.
 * 2. A stream goes on with its first byte. Any other response is given out
 *    when it is complete, so that one which breaks off is an error.
 * 3. The client gets nothing of our key: a response that refuses it, or has it
 *    in its body, is replaced by an error of ours.
 *
 * A request for an object (object.c) goes with all its bytes, and its response
 * is a stream where its content type says so. */
#include "gateway/gateway.h"

/* Headers of a request that mean something to its provider. */
static const char *const pass_asked[] = {"anthropic-version", "anthropic-beta",
                                         "openai-beta"};
/* The same, of a request whose body is the client's own: one that is asked
 * again, or goes to another model, has another body, which no provider takes
 * under the same key. */
static const char *const pass_once[] = {"idempotency-key"};
/* The same, where the client calls with its own key. */
static const char *const pass_accounts[] = {
    "openai-organization", "openai-project", "x-goog-user-project"};
/* Headers of a response for the client; a name that ends in "-" is the begin of
 * several. */
static const char *const pass_told[] = {
    "content-type",         "cache-control",  "retry-after",
    "retry-after-ms",       "x-should-retry", "x-ratelimit-",
    "anthropic-ratelimit-", "openai-model",   "openai-processing-ms",
    "openai-version"};

/* Whether a contract, tools or another protocol need more than passing on. */
static bool pass_is_plain(const surety__ask *ask)
{
    const surety__model_request *request = &ask->request;

    return request->mode == SURETY_MODE_PROMPT &&
           request->format == FORMAT_TEXT && !ask->has_named &&
           (!request->tool.len || request->choice == CHOICE_NONE);
}

bool surety__pass_takes(const surety__ask *ask, const surety_model *model)
{
    const bool configured = surety_val_count(model->extra) ||
                            model->has_temperature || model->output_tokens_max;

    return model->protocol == ask->route.protocol && !ask->giving.as_array &&
           !configured &&
           !(ask->tools.is_beside && model->mode == SURETY_MODE_PROMPT);
}

bool surety__pass_fits(const surety__ask *ask)
{
    return surety__pass_takes(ask, &ask->model) && pass_is_plain(ask) &&
           surety__route_is_alike(ask);
}

bool surety__pass_instead(const surety__ask *ask)
{
    const surety__model_request *request = &ask->request;
    const bool wants = request->mode != SURETY_MODE_PROMPT ||
                       request->format != FORMAT_TEXT || ask->has_named ||
                       request->choice >= CHOICE_REQUIRED;
    const bool waits = request->stream && ask->giving.is_asked &&
                       ask->giving.output != SURETY_RUN_OUTPUT_LIVE;
    const bool says =
        ask->has_repair || ask->retries || waits || ask->account.reports;

    return surety__pass_takes(ask, &ask->model) && !wants && !says;
}

bool surety__pass_beside(const surety__ask *ask)
{
    const surety__model_request *request = &ask->request;
    /* A response that is checked comes late, and this client wants it live. */
    const bool hurries = request->stream && ask->giving.is_chosen &&
                         ask->giving.output == SURETY_RUN_OUTPUT_LIVE &&
                         surety__pass_instead(ask);

    return !hurries && surety__pass_takes(ask, &ask->model) &&
           ask->model.mode != SURETY_MODE_PROMPT &&
           request->mode != SURETY_MODE_NATIVE &&
           request->format == FORMAT_TEXT && !ask->has_named &&
           !ask->has_twice && request->answers == 1 && !ask->account.reports &&
           (!ask->has_repair || ask->repair == SURETY_REPAIR_NONE);
}

bool surety__pass_copies(const surety__ask *ask)
{
    return ask->passes && !ask->tools.is_beside;
}

/* What a response for an object has besides. */
static const char *const pass_kept[] = {"content-disposition",
                                        "content-encoding", "allow"};

/* Headers of an upload to Gemini, and of its answers. */
static const char *const pass_upload[] = {"x-goog-upload-protocol",
                                          "x-goog-upload-command",
                                          "x-goog-upload-offset",
                                          "x-goog-upload-file-name",
                                          "x-goog-upload-header-content-length",
                                          "x-goog-upload-header-content-type"};
static const char *const pass_uploaded[] = {
    "x-goog-upload-url", "x-goog-upload-status",
    "x-goog-upload-chunk-granularity", "x-goog-upload-size-received"};

static bool pass_is_object(const surety__ask *ask)
{
    return ask->route.kind == ROUTE_OBJECT;
}

/* The path of the provider for a request that is no call; "" : the usual. */
static surety_str pass_path(const surety__ask *ask,
                            const surety__serving *serving)
{
    static const char *const methods[] = {":countTokens", ":embedContent",
                                          ":batchEmbedContents"};
    static const char *const paths[] = {"/models/{model}:countTokens",
                                        "/models/{model}:embedContent",
                                        "/models/{model}:batchEmbedContents"};

    if (pass_is_object(ask))
        return ask->object.path;
    if (ask->route.kind == ROUTE_CALL)
        return (surety_str){NULL, 0};
    if (ask->route.protocol == SURETY_PROTOCOL_ANTHROPIC)
        return SURETY__LITERAL("/messages/count_tokens");
    if (ask->route.protocol == SURETY_PROTOCOL_RESPONSES)
        return SURETY__LITERAL("/responses/input_tokens");
    for (size_t i = 0; i < SURETY__COUNT(methods); i++)
        if (surety__str_ends(serving->path, surety_str_of(methods[i])))
            return surety_str_of(paths[i]);
    return SURETY__LITERAL("/embeddings");
}

/* The headers that a model gets: its own, and then the client's. */
typedef struct pass_list {
    const surety_model *model;
    const surety__serving *serving;
    surety_header *items;
    size_t count;
} pass_list;

/* Adds a header, unless the configuration has it. */
static void pass_add(pass_list *list, surety_header header)
{
    const surety_model *model = list->model;

    for (size_t i = 0; i < model->header_count; i++)
        if (surety__str_equal_nocase(model->headers[i].name, header.name))
            return;
    list->items[list->count++] = header;
}

static void pass_add_asked(pass_list *list, const char *const *names,
                           size_t name_count)
{
    for (size_t i = 0; i < name_count; i++) {
        const surety_str value =
            surety__serving_header(list->serving, names[i]);

        if (value.len)
            pass_add(list,
                     (surety_header){surety_str_of(names[i]), value, false});
    }
}

/* Adds what says who the client is, where it calls with its own key. A token of
 * Anthropic's that came as a bearer's goes so: it is no key of the API. */
static void pass_add_own(pass_list *list, const surety__ask *ask,
                         surety_model *model)
{
    const surety_str bearer =
        surety__serving_header(list->serving, "authorization");

    pass_add_asked(list, pass_accounts, SURETY__COUNT(pass_accounts));
    if (ask->route.protocol != SURETY_PROTOCOL_ANTHROPIC ||
        surety__serving_header(list->serving, "x-api-key").len || !bearer.len)
        return;
    pass_add(list,
             (surety_header){SURETY__LITERAL("authorization"), bearer, true});
    model->key = (surety_str){NULL, 0};
}

/* Adds the client's headers to a model of its protocol. SURETY_NOMEM. */
static surety_status pass_model(surety__ask *ask,
                                const surety__serving *serving,
                                surety_model *model)
{
    const size_t most = model->header_count + SURETY__COUNT(pass_asked) +
                        SURETY__COUNT(pass_once) +
                        SURETY__COUNT(pass_accounts) +
                        SURETY__COUNT(pass_upload) + 2;
    const surety_str accept = surety__serving_header(serving, "accept");
    pass_list list = {.model = model, .serving = serving};

    list.items = surety__arena_take(ask->arena, most * sizeof(*list.items));
    if (!list.items)
        return SURETY_NOMEM;
    for (size_t i = 0; i < model->header_count; i++)
        list.items[list.count++] = model->headers[i];
    pass_add_asked(&list, pass_asked, SURETY__COUNT(pass_asked));
    if (surety__pass_copies(ask) && model == &ask->model)
        pass_add_asked(&list, pass_once, SURETY__COUNT(pass_once));
    if (ask->brings_key && model == &ask->model)
        pass_add_own(&list, ask, model);
    if (ask->object.is_upload)
        pass_add_asked(&list, pass_upload, SURETY__COUNT(pass_upload));
    if (pass_is_object(ask))
        pass_add(&list,
                 (surety_header){SURETY__LITERAL("accept"),
                                 accept.len ? accept : SURETY__LITERAL("*/*"),
                                 false});
    model->headers = list.items;
    model->header_count = list.count;
    return SURETY_OK;
}

surety_status surety__pass_headers(surety__ask *ask,
                                   const surety__serving *serving)
{
    const surety_protocol protocol = ask->route.protocol;
    surety_status status = SURETY_OK;

    for (size_t i = 0; i <= ask->other_count && !status; i++) {
        surety_model *model = i ? &ask->others[i - 1] : &ask->model;

        if (ask->passes)
            model->whole = !ask->request.stream;
        if (model->protocol == protocol)
            status = pass_model(ask, serving, model);
    }
    return status;
}

void surety__pass_options(const surety__ask *ask,
                          const surety__serving *serving,
                          surety_run_options *options)
{
    if (pass_is_object(ask)) {
        options->request_as_is = true;
        options->request_method = serving->method;
        options->request_type = surety__serving_header(serving, "content-type");
        /* What it costs is not known, so no budget bounds it. */
        options->budget.cost_picousd_max = 0;
    }
    options->request = surety_buf_str(&serving->body);
    options->request_path = pass_path(ask, serving);
    options->messages = NULL;
    options->message_count = 0;
}

/* Whether the response is a stream, which the request for an object does not
 * say. */
static bool pass_is_stream(const surety__exchange *exchange)
{
    const surety_run_response_info *info =
        surety_run_response_info_of(exchange->run);
    const surety_str type = SURETY__LITERAL("content-type");
    const surety_str stream = SURETY__LITERAL("text/event-stream");

    for (size_t i = 0; i < info->header_count; i++)
        if (surety__str_equal_nocase(info->headers[i].name, type))
            return surety__str_starts_nocase(info->headers[i].value, stream);
    return false;
}

void surety__pass_event(surety__exchange *exchange, const surety_event *event)
{
    if (event->kind == SURETY_EVENT_HEAD) {
        exchange->attempt = event->attempt;
        if (pass_is_object(&exchange->ask))
            exchange->ask.request.stream = pass_is_stream(exchange);
    } else if (event->kind == SURETY_EVENT_BYTES)
        surety_buf_add(&exchange->out, event->text);
}

/* ---- the response -------------------------------------------------------- */

static bool pass_is_told(const surety__ask *ask, surety_str name)
{
    if (pass_is_object(ask) &&
        surety__str_among_nocase(name, pass_kept, SURETY__COUNT(pass_kept)))
        return true;
    if (ask->object.is_upload &&
        surety__str_among_nocase(name, pass_uploaded,
                                 SURETY__COUNT(pass_uploaded)))
        return true;
    for (size_t i = 0; i < SURETY__COUNT(pass_told); i++) {
        const surety_str told = surety_str_of(pass_told[i]);

        if (told.ptr[told.len - 1] == '-'
                ? surety__str_starts_nocase(name, told)
                : surety__str_equal_nocase(name, told))
            return true;
    }
    return false;
}

/* Whether the client must not see the response. */
static bool pass_is_hidden(const surety__exchange *exchange, int status)
{
    const surety__ask *ask = &exchange->ask;
    const surety_str body = surety_buf_str(&exchange->out);

    if (status / 100 == 3) /* nothing follows a redirect */
        return true;
    if (ask->brings_key || !ask->model.key.len)
        return false;
    return status == 401 || status == 403 ||
           surety__str_find(body, ask->model.key) < body.len;
}

/* The length of the body that a HEAD asks for without the body; UINT64_MAX: the
 * provider does not say it. */
static uint64_t pass_length(const surety_run_response_info *info)
{
    const surety_str name = SURETY__LITERAL("content-length");
    uint64_t len;

    for (size_t i = 0; i < info->header_count; i++)
        if (surety__str_equal_nocase(info->headers[i].name, name) &&
            surety__str_number(info->headers[i].value, &len))
            return len;
    return UINT64_MAX;
}

static surety__flow pass_give(surety__exchange *exchange,
                              const surety_run_response_info *info,
                              bool is_streamed)
{
    const bool is_head =
        surety_str_equal(exchange->serving->method, SURETY__LITERAL("HEAD"));
    surety__response response = {
        .kind = is_streamed || is_head ? ANSWER_STREAMED : ANSWER_WHOLE,
        .status = info->status,
        .body_len = is_head ? pass_length(info) : UINT64_MAX};
    surety__answer_head head = {.count = 0};

    for (size_t i = 0; i < info->header_count; i++) {
        surety_header header = info->headers[i];

        if (surety__upload_is_url(header.name))
            header.value = exchange->ask.object.url;
        if (pass_is_told(&exchange->ask, header.name) &&
            surety__answer_has_room(&head) &&
            surety__str_find_control(header.value, true) == header.value.len)
            head.headers[head.count++] = header;
    }
    if (is_streamed)
        surety__answer_add(&head, "X-Accel-Buffering", SURETY__LITERAL("no"));
    if (is_streamed && exchange->ask.tools.is_beside &&
        exchange->ask.giving.is_asked)
        surety__answer_add(&head, "Surety-Stream", SURETY__LITERAL("hold"));
    surety__answer_add_run(&head, exchange);
    if (!is_streamed)
        response.body = surety_buf_str(&exchange->out);
    response.headers = head.headers;
    response.header_count = head.count;
    surety__answer_begun(exchange, info->status);
    return surety__serving_answer(exchange->serving, &response, NULL) ? FLOW_CUT
                                                                      : FLOW_ON;
}

/* The bytes of an upload would go past the gateway. */
static surety__flow pass_astray(surety__exchange *exchange)
{
    const surety__result result = {
        .problem = {.status = 502,
                    .message = SURETY__LITERAL(
                        "the provider wants the bytes of this upload at a URL "
                        "that is not below its base URL, or is not named in "
                        "passed_paths")},
        .retry_after_ms = -1,
        .should_retry = 0};

    return surety__answer_problem(exchange, &result);
}

surety__flow surety__pass_answer(surety__exchange *exchange)
{
    const surety_run_info *run = surety_run_info_of(exchange->run);
    const surety_run_response_info *info =
        surety_run_response_info_of(exchange->run);
    const bool good = info && info->status / 100 == 2;
    surety__result result;

    if (exchange->out.status)
        return FLOW_CUT;
    if (info && !surety__upload_learn(exchange, info))
        return pass_astray(exchange);
    if (exchange->ask.request.stream && good &&
        !(exchange->ask.tools.is_beside && exchange->owed.is_lost))
        return pass_give(exchange, info, true);
    if (run->verdict == SURETY_RUN_PENDING)
        return FLOW_WAIT;
    if (info && (!good || run->verdict == SURETY_RUN_VALID) &&
        !exchange->owed.is_lost && !pass_is_hidden(exchange, info->status))
        return pass_give(exchange, info, false);
    result = surety__answer_result(exchange);
    if (result.ok)
        result = (surety__result){.problem = {.status = 502},
                                  .retry_after_ms = -1,
                                  .should_retry = -1};
    return surety__answer_problem(exchange, &result);
}

bool surety__pass_is_held(const surety__exchange *exchange)
{
    return exchange->ask.tools.is_beside &&
           !surety_run_response_info_of(exchange->run);
}

bool surety__pass_continue(surety__exchange *exchange)
{
    const surety_run_info *run = surety_run_info_of(exchange->run);

    if (run->verdict == SURETY_RUN_PENDING)
        return true;
    if (exchange->ask.tools.is_beside &&
        (run->verdict != SURETY_RUN_VALID || exchange->owed.is_lost)) {
        surety_buf_reset(&exchange->out);
        exchange->out_start = 0;
        return false;
    }
    exchange->is_over = true;
    exchange->is_cut =
        run->verdict != SURETY_RUN_VALID || exchange->owed.is_lost;
    return true;
}
