/* SPDX-License-Identifier: Apache-2.0 */
/* What a client asks: its conversation, its contract, the model and how to
 * treat the reply. Everything is decided here before a token is spent; a
 * request that cannot be carried out is refused with the name of the member or
 * header that is wrong.
 *
 * The contract is, first found: the one that the header Surety-Contract names,
 * the request's own schema, that of the tool that the model must call, or an
 * object where the request wants any JSON object. */
#include "gateway/gateway.h"

enum { ASK_PROVIDER_MAX = 128 }; /* bytes of a provider's name */

static surety_str ask_copy(surety__ask *ask, surety_str text)
{
    return surety__arena_text(ask->arena, text);
}

/* ---- headers ------------------------------------------------------------- */

static surety_status ask_header_bad(surety__ask *ask, const char *name,
                                    surety_str value, const char *wanted,
                                    surety__problem *ret_problem)
{
    surety_error error;

    surety__fail(&error, SURETY_SYNTAX, "the header %s is %s, and not \"%.*s\"",
                 name, wanted, (int)value.len, value.ptr);
    return surety__ask_refuse(ask, 400, surety_str_of(name), &error,
                              ret_problem);
}

/* The header has the exchange's life. The value is not shown: it may be long,
 * or no text. */
static surety_status ask_tag(surety__ask *ask, const surety__serving *serving,
                             surety__problem *ret_problem)
{
    const surety_str tag = surety__serving_header(serving, "surety-tag");
    surety_error error;

    if (tag.len <= SURETY__GATEWAY_TAG_MAX && surety__utf8_valid(tag, NULL)) {
        ask->account.tag = tag;
        return SURETY_OK;
    }
    surety__fail(&error, SURETY_SYNTAX,
                 "the header Surety-Tag is text in UTF-8 of at most %d bytes",
                 SURETY__GATEWAY_TAG_MAX);
    return surety__ask_refuse(ask, 400, SURETY__LITERAL("Surety-Tag"), &error,
                              ret_problem);
}

static surety_status ask_headers(surety__ask *ask,
                                 const surety__serving *serving,
                                 surety__problem *ret_problem)
{
    static const char *const levels[] = {"none", "syntax", "align"};
    static const char *const streams[] = {"hold", "live", "resume"};
    const surety_str repair = surety__serving_header(serving, "surety-repair");
    const surety_str retries =
        surety__serving_header(serving, "surety-retries");
    const surety_str report = surety__serving_header(serving, "surety-report");
    const surety_str stream = surety__serving_header(serving, "surety-stream");
    uint64_t number = 0;

    for (size_t i = 0; i < SURETY__COUNT(levels); i++)
        if (repair.ptr && surety_str_equal(repair, surety_str_of(levels[i]))) {
            ask->repair = (surety_repair)i;
            ask->has_repair = true;
        }
    if (repair.ptr && !ask->has_repair)
        return ask_header_bad(ask, "Surety-Repair", repair,
                              "none, syntax or align", ret_problem);
    if (retries.ptr && (!surety__str_number(retries, &number) ||
                        number > SURETY__GATEWAY_RETRIES_MAX))
        return ask_header_bad(ask, "Surety-Retries", retries,
                              "a number from 0 to 10", ret_problem);
    if (retries.ptr)
        ask->retries = number ? (uint32_t)number : SURETY_RUN_NONE;
    ask->account.reports = surety_str_equal(report, SURETY__LITERAL("full"));
    if (report.ptr && !ask->account.reports)
        return ask_header_bad(ask, "Surety-Report", report, "full",
                              ret_problem);
    for (size_t i = 0; i < SURETY__COUNT(streams); i++)
        if (stream.ptr && surety_str_equal(stream, surety_str_of(streams[i]))) {
            ask->giving.output = (surety_run_output)i;
            ask->giving.is_asked = ask->giving.is_chosen = true;
        }
    if (stream.ptr && !ask->giving.is_asked)
        return ask_header_bad(ask, "Surety-Stream", stream,
                              "hold, live or resume", ret_problem);
    ask->has_named = surety__serving_header(serving, "surety-contract").ptr;
    return ask_tag(ask, serving, ret_problem);
}

surety_str surety__ask_key(const surety__ask *ask,
                           const surety__serving *serving)
{
    const surety_str bearer = SURETY__LITERAL("Bearer ");
    surety_str key = {NULL, 0};

    if (ask->route.protocol == SURETY_PROTOCOL_ANTHROPIC)
        key = surety__serving_header(serving, "x-api-key");
    if (ask->route.protocol == SURETY_PROTOCOL_GEMINI) {
        key = surety__serving_header(serving, "x-goog-api-key");
        if (!key.len)
            key = surety__serving_query(serving, "key=");
    }
    if (key.len)
        return key;
    key = surety__serving_header(serving, "authorization");
    if (!surety__str_starts(key, bearer))
        return (surety_str){NULL, 0};
    return (surety_str){key.ptr + bearer.len, key.len - bearer.len};
}

/* ---- the model ----------------------------------------------------------- */

/* Splits PROVIDER:NAME; a name alone belongs to the provider of the client's
 * protocol. Commands and recordings are no client's to name. */
static bool ask_provider(const surety__ask *ask, surety_str name,
                         surety_str *ret_provider, surety_str *ret_name)
{
    const char *colon = name.len ? memchr(name.ptr, ':', name.len) : NULL;

    *ret_provider = surety_str_of(surety_protocol_name(ask->route.protocol));
    *ret_name = name;
    if (colon) {
        *ret_provider = (surety_str){name.ptr, (size_t)(colon - name.ptr)};
        surety__str_skip(ret_name, ret_provider->len + 1);
    }
    return ret_name->len && ret_provider->len &&
           !surety_str_equal(*ret_provider, SURETY__LITERAL("exec")) &&
           !surety_str_equal(*ret_provider, SURETY__LITERAL("replay"));
}

/* Finds a model with our key, or where we have none, without. */
static surety_status ask_find(const surety__ask *ask, surety_str name,
                              bool brings_key, const surety_model **ret_model,
                              surety_error *reterr)
{
    const surety__settings *settings = ask->settings;
    surety_status status =
        surety_config_model(settings->config, name, ret_model, reterr);

    if (status == SURETY_UNSUPPORTED && brings_key)
        status =
            surety_config_model(settings->keyless, name, ret_model, reterr);
    return status;
}

static surety_status ask_no_model(surety__ask *ask, surety_str name,
                                  surety__problem *ret_problem)
{
    surety_error error;

    surety__fail(&error, SURETY_SYNTAX,
                 "The model `%.*s` does not exist or you do not have access to "
                 "it.",
                 (int)name.len, name.len ? name.ptr : "");
    surety__ask_refuse(ask, 404, SURETY__LITERAL("model"), &error, ret_problem);
    ret_problem->code = SURETY__LITERAL("model_not_found");
    return ret_problem->message.ptr ? SURETY_SYNTAX : SURETY_NOMEM;
}

/* Finds what all models of a provider have. They share one row of the
 * configuration, so that names which clients make up take no memory. */
static surety_status ask_find_any(const surety__ask *ask, surety_str provider,
                                  bool brings_key,
                                  const surety_model **ret_model,
                                  surety_error *reterr)
{
    char room[ASK_PROVIDER_MAX + 5];
    surety_buf text = surety__buf_over(room, sizeof(room));

    surety_buf_add(&text, provider);
    surety_buf_text(&text, ":any");
    return ask_find(ask, surety_buf_str(&text), brings_key, ret_model, reterr);
}

/* Makes a model the request's, with the client's key where it has none. */
static surety_status ask_take(surety__ask *ask, const surety_model *found,
                              surety_str key)
{
    ask->model = *found;
    if (found->key.len || found->protocol != ask->route.protocol)
        return SURETY_OK;
    ask->model.key = ask_copy(ask, key);
    ask->brings_key = key.len > 0;
    return ask->brings_key && !ask->model.key.ptr ? SURETY_NOMEM : SURETY_OK;
}

/* Why there is no model, though its name is known. */
static surety_status ask_refuse_model(surety__ask *ask, surety_status status,
                                      const surety_error *error,
                                      surety__problem *ret_problem)
{
    return surety__ask_refuse(
        ask,
        status == SURETY_UNSUPPORTED ? 401 /* neither side has a key */ : 500,
        SURETY__LITERAL("model"), error, ret_problem);
}

/* Sets ask->model. */
static surety_status ask_model(surety__ask *ask, surety_str key,
                               surety__problem *ret_problem)
{
    const surety_str name = surety__route_first(ask);
    const surety_model *found = NULL;
    surety_str provider, own;
    surety_error error;
    surety_status status;

    if (surety__settings_model(ask->settings, name) != SIZE_MAX) {
        status = ask_find(ask, name, key.len > 0, &found, &error);
        own = (surety_str){NULL, 0};
    } else {
        if (!ask_provider(ask, name, &provider, &own) ||
            provider.len > ASK_PROVIDER_MAX)
            return ask_no_model(ask, name, ret_problem);
        status = ask_find_any(ask, provider, key.len > 0, &found, &error);
        if (status == SURETY_SYNTAX ||
            (!status && found->protocol == SURETY_PROTOCOL_TEXT))
            return ask_no_model(ask, name, ret_problem);
    }
    if (status)
        return ask_refuse_model(ask, status, &error, ret_problem);
    if (ask_take(ask, found, key))
        return SURETY_NOMEM;
    if (own.len) {
        ask->model.name = ask_copy(ask, name);
        ask->model.model = ask_copy(ask, own);
        if (!ask->model.name.ptr || !ask->model.model.ptr)
            return SURETY_NOMEM;
    }
    return SURETY_OK;
}

/* Sets ask->model for a request that is for an object: it is the provider's,
 * and has the name of its paths in surety.json. */
static surety_status ask_object(surety__ask *ask,
                                const surety__serving *serving, surety_str key,
                                surety__problem *ret_problem)
{
    const surety_config_passed *passed = ask->object.passed;
    const surety_model *found = NULL;
    surety_error error;
    surety_status status =
        ask_find_any(ask, passed->provider, key.len > 0, &found, &error);
    surety_buf name;

    if (status)
        return ask_refuse_model(ask, status, &error, ret_problem);
    if (ask_take(ask, found, key))
        return SURETY_NOMEM;
    ask->request = (surety__model_request){.protocol = ask->route.protocol,
                                           .mode = SURETY_MODE_PROMPT,
                                           .answers = 1,
                                           .schema = surety_val_none()};
    surety_buf_init(&name, ask->arena->alloc, 0);
    surety_buf_add(&name, passed->provider);
    surety_buf_byte(&name, ':');
    surety_buf_add(&name, passed->path);
    ask->model.name = surety__arena_buf(ask->arena, &name);
    ask->model.model = passed->path;
    ask->passes = true;
    return ask->model.name.ptr
               ? surety__object_target(ask, serving, ret_problem)
               : SURETY_NOMEM;
}

/* ---- the contract -------------------------------------------------------- */

static surety_status ask_bad_schema(surety__ask *ask, const char *param,
                                    const surety_error *error,
                                    surety__problem *ret_problem)
{
    surety_error shown;

    surety__fail(&shown,
                 error->status == SURETY_NOMEM ? SURETY_NOMEM : SURETY_SYNTAX,
                 "the schema cannot be used: %s%s%s", error->message,
                 error->path[0] ? ", at " : "", error->path);
    if (error->hint[0])
        surety__hint(&shown, "%s", error->hint);
    return surety__ask_refuse(ask, 400, surety_str_of(param), &shown,
                              ret_problem);
}

surety_status surety__ask_schema(surety__ask *ask, surety_val schema,
                                 bool is_openapi, surety_str *ret_text)
{
    const surety_alloc *alloc = ask->arena->alloc;
    surety_buf text;

    surety_buf_init(&text, alloc, 0);
    if (!is_openapi)
        surety_val_write(schema, SURETY_STYLE_COMPACT, &text);
    else if (surety__openapi_write(schema, alloc, &text) && !text.status)
        text.status = SURETY_NOMEM;
    *ret_text = surety__arena_buf(ask->arena, &text);
    return ret_text->ptr ? SURETY_OK : SURETY_NOMEM;
}

/* Puts the description that stands beside the request's schema into its text,
 * where it has none: the model reads it. */
static surety_status ask_describe(surety__ask *ask, surety_str *text)
{
    const surety__model_request *request = &ask->request;
    const surety_val schema = request->schema;
    surety_buf out;

    if (!request->schema_description.len ||
        surety_val_kind(schema) != SURETY_KIND_OBJECT ||
        surety_val_get(schema, "description").doc)
        return SURETY_OK;
    surety_buf_init(&out, ask->arena->alloc, 0);
    surety_buf_byte(&out, '{');
    surety_json_text(&out, "description", request->schema_description);
    surety_buf_text(&out, surety_val_count(schema) ? "," : "");
    surety_buf_add(&out, (surety_str){text->ptr + 1, text->len - 1});
    *text = surety__arena_buf(ask->arena, &out);
    return text->ptr ? SURETY_OK : SURETY_NOMEM;
}

/* Takes a schema, as JSON, for the contract. */
static surety_status ask_schema(surety__ask *ask, surety_str text,
                                surety__problem *ret_problem)
{
    const surety__model_request *request = &ask->request;
    surety_error error;
    const surety_status status = surety__settings_schema(
        ask->settings, request->schema_name, text, &ask->kept, &error);

    if (!status)
        return SURETY_OK;
    return ask_bad_schema(
        ask, request->mode == SURETY_MODE_TOOL ? "tools" : "schema", &error,
        ret_problem);
}

static surety_status ask_contract(surety__ask *ask,
                                  const surety__serving *serving,
                                  surety__problem *ret_problem)
{
    const surety_str named = surety__serving_header(serving, "surety-contract");
    const surety__model_request *request = &ask->request;
    surety_str schema;
    surety_error error;

    if (named.ptr) {
        if (!surety__settings_named(ask->settings, named, &ask->kept, &error))
            return SURETY_OK;
        return surety__ask_refuse(ask, 400, SURETY__LITERAL("Surety-Contract"),
                                  &error, ret_problem);
    }
    if (ask->tools.set && request->mode == SURETY_MODE_TOOL)
        return SURETY_OK; /* the tools have their schemas */
    if (request->schema.doc)
        return surety__ask_schema(ask, request->schema, request->is_openapi,
                                  &schema) ||
                       ask_describe(ask, &schema)
                   ? SURETY_NOMEM
                   : ask_schema(ask, schema, ret_problem);
    if (ask->request.format == FORMAT_JSON_OBJECT)
        return ask_schema(ask, SURETY__LITERAL("{\"type\":\"object\"}"),
                          ret_problem);
    return SURETY_OK;
}

/* ---- reading ------------------------------------------------------------- */

/* Reads a call of a model. */
static surety_status ask_call(surety__ask *ask, surety__problem *ret_problem)
{
    surety_error error;
    const surety_status status =
        surety__speak_read(&ask->route, surety_doc_root(ask->doc), ask->arena,
                           &ask->request, ret_problem, &error);

    if (status != SURETY_SYNTAX)
        return status;
    ret_problem->message = ask_copy(ask, ret_problem->message);
    return ret_problem->message.ptr ? status : SURETY_NOMEM;
}

/* Reads what else a client asks of a model: vectors, or a count of tokens. Only
 * the model's name matters here. */
static surety_status ask_other(surety__ask *ask, surety__problem *ret_problem)
{
    const surety_val root = surety_doc_root(ask->doc);
    surety__model_request *request = &ask->request;
    surety_error error;

    *request = (surety__model_request){.protocol = ask->route.protocol,
                                       .model = ask->route.model,
                                       .mode = SURETY_MODE_PROMPT,
                                       .answers = 1,
                                       .schema = surety_val_none()};
    if (!request->model.len)
        request->model = surety_val_str(surety_val_get(root, "model"));
    if (request->model.len && surety_val_kind(root) == SURETY_KIND_OBJECT)
        return SURETY_OK;
    surety__fail(&error, SURETY_SYNTAX,
                 "the request names no model: it has no member \"model\"");
    return surety__ask_refuse(ask, 400, SURETY__LITERAL("model"), &error,
                              ret_problem);
}

/* Reads the body. A name that is twice in an object is refused only with the
 * messages: a request that is passed on may have it. */
static surety_status ask_json(surety__ask *ask, surety_str body,
                              surety_error *reterr)
{
    const surety_read_options strict = {
        sizeof(strict), SURETY_READ_BORROW | SURETY_READ_UNIQUE_KEYS, NULL};
    const surety_read_options loose = {sizeof(loose), SURETY_READ_BORROW, NULL};
    surety_status status = surety_doc_read(ask->doc, body, &strict, reterr);

    if (status == SURETY_SYNTAX) {
        status = surety_doc_read(ask->doc, body, &loose, reterr);
        ask->has_twice = status == SURETY_OK;
    }
    return status;
}

static surety_status ask_body(surety__ask *ask, const surety__serving *serving,
                              const surety_alloc *alloc,
                              surety__problem *ret_problem)
{
    surety_error error, shown;
    surety_status status;

    ask->doc = surety_doc_new(alloc);
    if (!ask->doc)
        return SURETY_NOMEM;
    status = ask_json(ask, surety_buf_str(&serving->body), &error);
    if (status == SURETY_NOMEM)
        return SURETY_NOMEM;
    if (status) {
        surety__fail(&shown, SURETY_SYNTAX,
                     "the request's body is not JSON: line %u, column %u: %s",
                     (unsigned)error.position.line,
                     (unsigned)error.position.column, error.message);
        return surety__ask_refuse(ask, 400, (surety_str){NULL, 0}, &shown,
                                  ret_problem);
    }
    return ask->route.kind == ROUTE_CALL ? ask_call(ask, ret_problem)
                                         : ask_other(ask, ret_problem);
}

/* Notes which member of the request keeps it from being checked. A name that a
 * client made up may be no text for a header. */
static void ask_doubt(surety__ask *ask, surety_str place, surety_str member)
{
    bool is_plain = place.len > 0;

    for (size_t i = 0; i < place.len; i++)
        is_plain = is_plain && place.ptr[i] >= ' ' && place.ptr[i] <= '~';
    ask->account.unchecked = is_plain ? place : member;
}

static surety_status ask_messages(surety__ask *ask,
                                  const surety__serving *serving,
                                  const surety_alloc *alloc,
                                  surety__problem *ret_problem)
{
    const surety_conversation_options options = {.size = sizeof(options),
                                                 .alloc = alloc,
                                                 .has_protocol = true,
                                                 .protocol =
                                                     ask->route.protocol};
    surety_error error, shown;
    surety_status status =
        surety_conversation_new(&options, &ask->conversation, &error);

    if (!status && ask->has_twice)
        status = surety_conversation_read(
            ask->conversation, surety_buf_str(&serving->body), &error);
    else if (!status)
        status = surety_conversation_read_value(
            ask->conversation, surety_doc_root(ask->doc), &error);
    if (!status)
        status = surety_conversation_repair(ask->conversation, &error);
    if (!status)
        return SURETY_OK;
    shown = error;
    if (error.path[0]) /* not every protocol's error has a place for it */
        surety__fail(&shown, status, "%s: %s", error.path, error.message);
    surety__hint(&shown, "%s", error.hint);
    status = surety__ask_refuse(ask, 400, surety_str_of(error.path), &shown,
                                ret_problem);
    ask_doubt(ask, ret_problem->param, SURETY__LITERAL("messages"));
    return status;
}

/* Refuses what a gateway cannot promise anything about. */
static surety_status ask_scope(surety__ask *ask, surety__problem *ret_problem)
{
    const surety__model_request *request = &ask->request;
    surety_error error;

    if (request->answers > 1) {
        ask->account.unchecked = SURETY__LITERAL("n");
        surety__fail(&error, SURETY_SYNTAX,
                     "this gateway gives one answer to a request");
        return surety__ask_refuse(ask, 400, SURETY__LITERAL("n"), &error,
                                  ret_problem);
    }
    return SURETY_OK;
}

/* Whether the request is passed on. A request that is no call can only be. */
static surety_status ask_passing(surety__ask *ask,
                                 const surety__serving *serving,
                                 surety__problem *ret_problem)
{
    const surety_protocol from = ask->route.protocol;
    const surety_protocol to = ask->model.protocol;
    surety_error error;

    if (ask->request.stream && from == SURETY_PROTOCOL_GEMINI &&
        !surety_str_equal(surety__serving_query(serving, "alt="),
                          SURETY__LITERAL("sse"))) {
        ask->giving.as_array = true;
        ask->request.stream = false;
    }
    if (ask->route.kind == ROUTE_CALL) {
        ask->passes = surety__pass_fits(ask);
        return ask->passes ? surety__route_pass(ask) : SURETY_OK;
    }
    ask->passes = true;
    if (from == to ||
        (ask->route.kind == ROUTE_EMBED && from == SURETY_PROTOCOL_OPENAI &&
         to == SURETY_PROTOCOL_RESPONSES))
        return SURETY_OK;
    surety__fail(&error, SURETY_SYNTAX,
                 "the model speaks the protocol %s, and such a request goes "
                 "to a model of the protocol %s only",
                 surety_protocol_name(to), surety_protocol_name(from));
    surety__hint(&error, "name another model");
    return surety__ask_refuse(ask, 400, SURETY__LITERAL("model"), &error,
                              ret_problem);
}

/* Settles how replies are repaired, and how a stream is given out: live where
 * the request can be judged so, else held. A tool that must be called is then
 * asked for as a contract, because only a contract's value comes in pieces. */
static surety_status ask_settle(surety__ask *ask, const surety_alloc *alloc,
                                surety__problem *ret_problem)
{
    const surety__model_request *request = &ask->request;
    const bool forced = request->mode == SURETY_MODE_TOOL;

    if (!request->stream)
        ask->giving.output = SURETY_RUN_OUTPUT_OFF;
    if (!ask->has_repair)
        ask->repair =
            ask->giving.output ? SURETY_REPAIR_SYNTAX : SURETY_REPAIR_ALIGN;
    if (!request->tool_count)
        return SURETY_OK;
    if (forced && (ask->giving.output || ask->has_named))
        return SURETY_OK;
    return surety__ask_declare(ask, alloc, ret_problem);
}

/* Reads all of a request that is to be checked. */
static surety_status ask_check(surety__ask *ask, const surety__serving *serving,
                               const surety_alloc *alloc,
                               surety__problem *ret_problem)
{
    surety_status status = ask_scope(ask, ret_problem);

    if (!status)
        status = ask_settle(ask, alloc, ret_problem);
    if (!status)
        status = ask_contract(ask, serving, ret_problem);
    if (!status)
        status = ask_messages(ask, serving, alloc, ret_problem);
    if (!status)
        status = surety__params_read(ask, alloc, ret_problem);
    if (!status)
        status = surety__route_follow(ask, alloc);
    return status;
}

/* Passes a request on of which a part is unknown here: its provider may know
 * it, and judges it. The calls of its functions are checked where it could be
 * read so far. status: how it was refused. */
static surety_status ask_pass_instead(surety__ask *ask,
                                      const surety_alloc *alloc, bool is_read,
                                      surety_status status)
{
    const bool is_unknown =
        status == SURETY_SYNTAX && ask->account.unchecked.len;

    if (is_unknown && is_read && surety__pass_beside(ask) &&
        surety__ask_declare_beside(ask, alloc))
        return SURETY_NOMEM;
    if (!is_unknown || (!ask->tools.is_beside && !surety__pass_instead(ask))) {
        ask->account.unchecked.len = 0;
        return status;
    }
    if (ask->tools.is_beside)
        ask->account.unchecked.len = 0;
    else
        surety__ask_undeclare(ask, alloc);
    surety__kept_leave(ask->settings, ask->kept);
    ask->kept = NULL; /* that of a tool which must be called */
    ask->giving.output = SURETY_RUN_OUTPUT_OFF;
    ask->passes = true;
    return surety__route_pass(ask);
}

/* Whether a call that cannot be read names a model at least. */
static bool ask_is_doubtful(surety__ask *ask, surety_status status,
                            const surety__problem *problem)
{
    const surety_val root = surety_doc_root(ask->doc);

    if (status != SURETY_SYNTAX || ask->route.kind != ROUTE_CALL ||
        surety_val_kind(root) != SURETY_KIND_OBJECT || !ask->request.model.len)
        return false;
    ask_doubt(ask, problem->param, SURETY__LITERAL("request"));
    return true;
}

surety_status surety__ask_read(surety__ask *ask, const surety__serving *serving,
                               const surety_alloc *alloc,
                               surety__problem *ret_problem)
{
    const bool is_object = ask->object.passed != NULL;
    const surety_str key = ask->has_own_keys ? (surety_str){NULL, 0}
                                             : surety__ask_key(ask, serving);
    surety__problem doubt;
    surety_status read =
        is_object ? SURETY_OK : ask_body(ask, serving, alloc, ret_problem);
    surety_status status = read;

    if (ask_is_doubtful(ask, read, ret_problem)) {
        doubt = *ret_problem;
        status = SURETY_OK;
    }
    if (!status)
        status = ask_headers(ask, serving, ret_problem);
    if (!status && is_object)
        return ask_object(ask, serving, key, ret_problem);
    if (!status)
        status = ask_model(ask, key, ret_problem);
    if (!status)
        status = ask_passing(ask, serving, ret_problem);
    if (status || ask->passes) {
        ask->account.unchecked.len = 0; /* there is nothing to check */
        return status;
    }
    if (read)
        *ret_problem = doubt;
    status = read ? read : ask_check(ask, serving, alloc, ret_problem);
    return ask_pass_instead(ask, alloc, !read, status);
}

void surety__ask_done(surety__ask *ask)
{
    surety_conversation_free(ask->conversation);
    surety_doc_free(ask->extra);
    surety__route_done(ask);
    surety_doc_free(ask->doc);
    if (!ask->settings)
        return;
    surety__ask_undeclare(ask, ask->arena->alloc);
    surety__kept_leave(ask->settings, ask->kept);
    surety__settings_leave(ask->settings);
}
