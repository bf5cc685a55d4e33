/* SPDX-License-Identifier: Apache-2.0 */
/* The server side of the providers' protocols: the part that they share.
 *
 * 1. Each protocol is a table of functions (speak.h) in a file of its own.
 * 2. A request is read into surety__model_request. An answer consists of up to
 *    three parts and any number of calls of tools. They become events as they
 *    come, or one body at the end, so a script, a test and a gateway all write
 *    the same answer the same way.
 * 3. All of it is pure: bytes in, bytes out.
 *
 * What it does not do: images, audio. */
#include "serve/speak.h"

static const surety__speaker *const speakers[] = {
    /* ORDER protocols */
    &surety__speaker_openai,
    &surety__speaker_responses,
    &surety__speaker_anthropic,
    &surety__speaker_gemini,
};

static const surety__speaker *speaker_of(surety_protocol protocol)
{
    assert(protocol < SURETY_PROTOCOL_TEXT);
    return speakers[protocol];
}

/* ---- routes -------------------------------------------------------------- */

/* Path prefixes that providers and compatible servers use. */
static const char *const speak_prefixes[] = {
    "",        "/v1",        "/v1beta",      "/v1alpha",
    "/api/v1", "/api",       "/openai/v1",   "/v1beta/openai",
    "/openai", "/anthropic", "/anthropic/v1"};

static const struct {
    const char *path;
    surety__route_kind kind;
    surety_protocol protocol;
} speak_paths[] = {
    {"/chat/completions", ROUTE_CALL, SURETY_PROTOCOL_OPENAI},
    {"/responses", ROUTE_CALL, SURETY_PROTOCOL_RESPONSES},
    {"/messages", ROUTE_CALL, SURETY_PROTOCOL_ANTHROPIC},
    {"/messages/count_tokens", ROUTE_COUNT, SURETY_PROTOCOL_ANTHROPIC},
    {"/responses/input_tokens", ROUTE_COUNT, SURETY_PROTOCOL_RESPONSES},
    {"/embeddings", ROUTE_EMBED, SURETY_PROTOCOL_OPENAI},
};

/* Gemini's methods, which follow the model in a path. */
static const struct {
    const char *name;
    surety__route_kind kind;
    bool is_streamed;
} speak_methods[] = {
    {":generateContent", ROUTE_CALL, false},
    {":streamGenerateContent", ROUTE_CALL, true},
    {":countTokens", ROUTE_COUNT, false},
    {":embedContent", ROUTE_EMBED, false},
    {":batchEmbedContents", ROUTE_EMBED, false},
};

static bool speak_is_prefix(surety_str prefix)
{
    return surety__str_among(prefix, speak_prefixes,
                             SURETY__COUNT(speak_prefixes));
}

/* Finds the route of PREFIX/models, PREFIX/models/NAME, and Gemini's calls,
 * whose path ends in a method. */
static void speak_route_models(surety_str path, surety__route *route)
{
    const surety_str name = SURETY__LITERAL("/models");
    const size_t at = surety__str_find(path, name);
    surety_str rest;

    if (at == path.len || !speak_is_prefix((surety_str){path.ptr, at}))
        return;
    rest = (surety_str){path.ptr + at + name.len, path.len - at - name.len};
    if (rest.len && (rest.ptr[0] != '/' || rest.len == 1))
        return;
    route->kind = ROUTE_MODELS;
    if (!rest.len)
        return;
    route->model = (surety_str){rest.ptr + 1, rest.len - 1};
    for (size_t i = 0; i < SURETY__COUNT(speak_methods); i++) {
        const surety_str method = surety_str_of(speak_methods[i].name);
        if (!surety__str_ends(rest, method))
            continue;
        route->model.len -= method.len;
        route->stream = speak_methods[i].is_streamed;
        route->kind = route->model.len ? speak_methods[i].kind : ROUTE_NONE;
        route->protocol = SURETY_PROTOCOL_GEMINI;
        return;
    }
}

surety__route surety__route_of(surety_str path, bool anthropic, bool google)
{
    surety__route route = {.protocol = SURETY_PROTOCOL_OPENAI};

    if (anthropic)
        route.protocol = SURETY_PROTOCOL_ANTHROPIC;
    else if (google ||
             (surety__str_starts(path, SURETY__LITERAL("/v1beta/")) &&
              !surety__str_starts(path, SURETY__LITERAL("/v1beta/openai"))))
        route.protocol = SURETY_PROTOCOL_GEMINI;
    for (size_t i = 0; i < SURETY__COUNT(speak_paths); i++) {
        const surety_str ending = surety_str_of(speak_paths[i].path);
        if (surety__str_ends(path, ending) &&
            speak_is_prefix((surety_str){path.ptr, path.len - ending.len})) {
            route.kind = speak_paths[i].kind;
            route.protocol = speak_paths[i].protocol;
            return route;
        }
    }
    speak_route_models(path, &route);
    return route;
}

const char *surety__route_method(surety__route_kind kind)
{
    switch (kind) {
    case ROUTE_NONE: return NULL;
    case ROUTE_MODELS: return "GET";
    case ROUTE_OBJECT: return "GET, HEAD, POST, PUT, PATCH, DELETE";
    default: return "POST";
    }
}

surety_str surety__route_below(surety_str path)
{
    surety_str below = path;

    for (size_t i = 0; i < SURETY__COUNT(speak_prefixes); i++) {
        const surety_str prefix = surety_str_of(speak_prefixes[i]);
        surety_str rest = path;

        if (!surety__str_starts(path, prefix))
            continue;
        surety__str_skip(&rest, prefix.len);
        if (rest.len && rest.ptr[0] == '/' && rest.len < below.len)
            below = rest;
    }
    return below;
}

/* Whether a path begins with "/models" as a segment, ignoring case. */
static bool speak_is_models(surety_str path)
{
    const surety_str models = SURETY__LITERAL("/models");

    return surety__str_starts_nocase(path, models) &&
           (path.len == models.len || path.ptr[models.len] == '/');
}

bool surety__route_is_taken(surety_str path)
{
    for (size_t i = 0; i < SURETY__COUNT(speak_prefixes); i++) {
        const surety_str prefix = surety_str_of(speak_prefixes[i]);
        surety_str rest = path;

        if (!surety__str_starts_nocase(path, prefix))
            continue;
        surety__str_skip(&rest, prefix.len);
        if (speak_is_models(rest))
            return true;
        for (size_t k = 0; k < SURETY__COUNT(speak_paths); k++)
            if (surety__str_equal_nocase(rest,
                                         surety_str_of(speak_paths[k].path)))
                return true;
    }
    for (size_t i = 0; i < SURETY__COUNT(speak_methods); i++) {
        const surety_str method = surety_str_of(speak_methods[i].name);
        surety_str end = path;

        if (path.len < method.len)
            continue;
        surety__str_skip(&end, path.len - method.len);
        if (surety__str_equal_nocase(end, method))
            return true;
    }
    return false;
}

/* ---- reading ------------------------------------------------------------- */

surety_status surety__speak_read(const surety__route *route, surety_val body,
                                 surety__arena *arena,
                                 surety__model_request *ret_request,
                                 surety__problem *ret_problem,
                                 surety_error *reterr)
{
    surety__request_reader reader = {.body = body,
                                     .arena = arena,
                                     .request = ret_request,
                                     .problem = ret_problem,
                                     .error = reterr,
                                     .counts = route->kind == ROUTE_COUNT};

    *ret_request = (surety__model_request){.protocol = route->protocol,
                                           .model = route->model,
                                           .stream = route->stream,
                                           .mode = SURETY_MODE_PROMPT,
                                           .answers = 1,
                                           .schema = surety_val_none()};
    *ret_problem = (surety__problem){.status = 400};
    if (surety_val_kind(body) != SURETY_KIND_OBJECT)
        surety__request_fail(&reader, NULL, NULL,
                             "the request's body must be a JSON object");
    else if (route->kind == ROUTE_EMBED)
        surety__embed_read(&reader);
    else
        speaker_of(route->protocol)->read(&reader);
    if (reader.status == SURETY_NOMEM)
        surety__fail_nomem(reterr);
    return reader.status;
}

void surety__speak_count(const surety__model_request *request, surety_buf *out)
{
    const char *count = speaker_of(request->protocol)->count;

    assert(count); /* a route counts tokens only where the protocol does */
    surety__template_write(out, count, (request->prompt_bytes + 3) / 4);
}

/* ---- errors, lists ------------------------------------------------------- */

void surety__speak_error(surety_protocol protocol,
                         const surety__problem *problem, surety_buf *out)
{
    const surety__speaker *speaker = speaker_of(protocol);
    const surety__fault_row *row = speaker->faults;
    surety__problem full = *problem;

    while (row->status && row->status != problem->status)
        row++;
    if (!full.type.len)
        full.type = surety_str_of(row->type);
    if (!full.code.len)
        full.code = surety_str_of(row->code);
    if (!full.message.len)
        full.message = surety_str_of(row->message);
    speaker->error(&full, out);
}

void surety__speak_models(surety_protocol protocol, const surety_str *models,
                          size_t count, surety_str one, surety_buf *out)
{
    const surety__speaker *speaker = speaker_of(protocol);

    if (one.len) {
        surety__template_write(out, speaker->model, one, one);
        return;
    }
    surety__template_write(out, speaker->models);
    for (size_t i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        surety__template_write(out, speaker->model, models[i], models[i]);
    }
    surety_buf_byte(out, ']');
    if (protocol == SURETY_PROTOCOL_ANTHROPIC)
        surety__template_write(
            out, ",'has_more':false,'first_id':$m,'last_id':$m",
            count ? models[0] : (surety_str){NULL, 0},
            count ? models[count - 1] : (surety_str){NULL, 0});
    surety_buf_byte(out, '}');
}

/* ---- speech -------------------------------------------------------------- */

void surety__speech_init(surety__speech *speech,
                         const surety__model_request *request, surety_str id,
                         const surety_alloc *alloc)
{
    *speech = (surety__speech){.request = request,
                               .id = id,
                               .model = request->model,
                               .tool = request->tool,
                               .words = speaker_of(request->protocol)->words,
                               .open = PART_NONE};
    surety_buf_init(&speech->raws, alloc, 0);
    for (int i = 0; i < PART_NONE; i++)
        surety_buf_init(&speech->parts[i], alloc, 0);
}

void surety__speech_done(surety__speech *speech)
{
    surety_buf_done(&speech->raws);
    for (int i = 0; i < PART_NONE; i++)
        surety_buf_done(&speech->parts[i]);
    surety__free(speech->parts[0].alloc, speech->calls,
                 speech->call_cap * sizeof(*speech->calls));
    speech->calls = NULL;
    speech->call_count = speech->call_cap = 0;
}

void surety__speech_begin_call(surety__speech *speech, surety_str tool)
{
    surety_buf *arguments = &speech->parts[PART_ARGUMENTS];
    const surety_status status = surety__grow(
        arguments->alloc, &speech->calls, &speech->call_cap,
        speech->call_count + 1, sizeof(*speech->calls), SIZE_MAX / 64);

    if (!status)
        speech->calls[speech->call_count++] =
            (surety__speech_call){.tool = tool, .start = arguments->len};
    else if (!arguments->status)
        arguments->status = status;
}

void surety__speech_mark_call(surety__speech *speech, surety_str id,
                              surety_str raw)
{
    surety_buf *arguments = &speech->parts[PART_ARGUMENTS];

    if (arguments->status || !speech->call_count)
        return;
    speech->calls[speech->call_count - 1].id = id;
    speech->calls[speech->call_count - 1].raw = raw;
}

void surety__speech_begin(surety__speech *speech, const surety_usage *usage,
                          surety_buf *out)
{
    const surety__speaker *speaker = speaker_of(speech->request->protocol);

    if (speaker->begin)
        speaker->begin(speech, usage, out);
}

static void speech_close(surety__speech *speech, surety_buf *out)
{
    const surety__speaker *speaker = speaker_of(speech->request->protocol);

    assert(speech->open <= PART_NONE);
    if (speech->open == PART_NONE)
        return;
    if (speaker->close)
        speaker->close(speech, out);
    speech->open = PART_NONE;
    speech->index++;
}

void surety__speech_piece(surety__speech *speech, surety__speech_part part,
                          surety_str text, surety_buf *out)
{
    const surety__speaker *speaker = speaker_of(speech->request->protocol);

    assert(part < PART_NONE);
    if (part == PART_ARGUMENTS && !speech->call_count)
        surety__speech_begin_call(speech, speech->tool);
    surety_buf_add(&speech->parts[part], text);
    speech->has[part] = true;
    if (!out)
        return;
    if (speech->open != part || (part == PART_ARGUMENTS &&
                                 speech->open_call + 1 < speech->call_count)) {
        speech_close(speech, out);
        speech->open = part;
        speech->open_call = speech->call_count ? speech->call_count - 1 : 0;
        if (speaker->part)
            speaker->part(speech, out);
    }
    if (text.len)
        speaker->piece(speech, text, out);
}

bool surety__speech_waits(const surety__speech *speech)
{
    const surety__speaker *speaker = speaker_of(speech->request->protocol);

    return speaker->raw && !speaker->seal;
}

bool surety__speech_raw(surety__speech *speech, surety_str raw, surety_buf *out)
{
    const surety__speaker *speaker = speaker_of(speech->request->protocol);
    const bool seals = speaker->seal && speech->open == PART_REASONING;
    surety_doc *doc;

    if (!speaker->raw)
        return false;
    surety_buf_text(&speech->raws, speech->raws.len ? "," : "");
    surety_buf_add(&speech->raws, raw);
    if (!out)
        return true;
    doc = surety_doc_new(out->alloc);
    if (!doc || surety_doc_read(doc, raw, NULL, NULL))
        out->status = out->status ? out->status : SURETY_NOMEM;
    else if (!seals || !speaker->seal(speech, surety_doc_root(doc), out)) {
        speech_close(speech, out);
        speaker->raw(speech, surety_doc_root(doc), out);
    }
    speech->open = PART_NONE;
    speech->index++;
    surety_doc_free(doc);
    return true;
}

/* Copies the failure of a part to the buffer of the answer. */
static void speech_check(const surety__speech *speech, surety_buf *out)
{
    if (speech->raws.status && !out->status)
        out->status = speech->raws.status;
    for (int i = 0; i < PART_NONE; i++)
        if (speech->parts[i].status && !out->status)
            out->status = speech->parts[i].status;
}

void surety__speech_end(surety__speech *speech, const surety__closing *ending,
                        surety_buf *out)
{
    speech_close(speech, out);
    speaker_of(speech->request->protocol)->end(speech, ending, out);
    speech_check(speech, out);
}

void surety__speech_fail(surety__speech *speech, const surety__problem *problem,
                         surety_buf *out)
{
    const surety__speaker *speaker = speaker_of(speech->request->protocol);

    if (speaker->fail) {
        speaker->fail(speech, problem, out);
        return;
    }
    surety_buf_text(out, speaker->failing);
    surety__speak_error(speech->request->protocol, problem, out);
    surety_buf_text(out, "\n\n");
}

void surety__speech_whole(surety__speech *speech, const surety__closing *ending,
                          surety_buf *out)
{
    speaker_of(speech->request->protocol)->whole(speech, ending, out);
    speech_check(speech, out);
}

surety_str surety__speak_content_type(bool stream)
{
    return stream ? SURETY__LITERAL("text/event-stream; charset=utf-8")
                  : SURETY__LITERAL("application/json");
}

void surety__speech_ping(const surety__speech *speech, surety_buf *out)
{
    const surety__speaker *speaker = speaker_of(speech->request->protocol);

    if (speaker->ping)
        speaker->ping(speech, out);
    else
        surety_buf_text(out, ": ping\n\n");
}
