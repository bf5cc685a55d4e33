/* SPDX-License-Identifier: Apache-2.0 */
/* The providers' protocols from the server's side, byte for byte.
 *
 *     speak_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case. Its sections, of which some are made:
 *
 *     === request PROTOCOL   the body of a call
 *     === asked              made: what it asks, or how it is refused
 *     === strict             made: whether a strict server takes its schema
 *     === said               an answer: lines `PART: TEXT`, each a piece
 *                            (reasoning, text, refusal, arguments), `call:
 * NAME` before a call's arguments, and `finish: WORD`, `usage: IN CACHED OUT
 * REASONING`
 *     === whole              made: the answer as one body
 *     === stream             made: the answer as events
 *     === failed             lines `status: N`, and type, code, param, message,
 *                            request_id, details: an error
 *     === failure            made: its body, then its event in a stream */
#include "golden/cases.h"

#include <stdlib.h>
#include <string.h>

#include "serve/serve.h"

/* A request that was read, and the answer to it. */
struct call {
    surety__route route;
    surety_doc *doc;
    surety__arena arena;
    surety__model_request request;
    surety__problem problem;
    surety_error error;
    surety_status status;
    surety_str said;
};

static const char *const part_names[PART_NONE] = {
    "reasoning: ", "text: ", "refusal: ", "arguments: "};

static surety_protocol protocol_of(surety_str name)
{
    for (int i = 0; surety_protocol_name((surety_protocol)i); i++)
        if (surety_str_equal(
                name, surety_str_of(surety_protocol_name((surety_protocol)i))))
            return (surety_protocol)i;
    golden_die("no such protocol", "a request's");
    return SURETY_PROTOCOL_OPENAI;
}

static void read_request(struct call *call,
                         const struct golden_section *section)
{
    surety_str name = section->kind;

    golden_take(&name, "request ");
    call->route = (surety__route){.kind = ROUTE_CALL,
                                  .protocol = protocol_of(name),
                                  .model = surety_str_of("")};
    if (surety_doc_read(call->doc, section->body, NULL, NULL) != SURETY_OK)
        golden_die("no JSON", "a request");
    call->status = surety__speak_read(&call->route, surety_doc_root(call->doc),
                                      &call->arena, &call->request,
                                      &call->problem, &call->error);
}

static void put_line(surety_buf *out, const char *name, surety_str text)
{
    if (text.len == 0)
        return;
    surety_buf_text(out, name);
    surety_buf_text(out, ": ");
    surety_buf_add(out, text);
    surety_buf_byte(out, '\n');
}

static void put_asked(const struct call *call, surety_buf *out)
{
    const surety__model_request *request = &call->request;

    put_line(out, "model", request->model);
    put_line(out, "mode", surety_str_of(surety_mode_name(request->mode)));
    put_line(out, "format",
             surety_str_of(surety__format_name(request->format)));
    put_line(out, "choice",
             surety_str_of(surety__choice_name(request->choice)));
    for (size_t i = 0; i < request->tool_count; i++)
        put_line(out, "offers", request->tools[i]);
    put_line(out, "tool", request->tool);
    put_line(out, "schema name", request->schema_name);
    if (request->schema.doc) {
        surety_buf_text(out, request->strict ? "strict schema: " : "schema: ");
        surety_val_write(request->schema, SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, '\n');
    }
    surety_buf_text(out, request->stream ? "stream" : "whole");
    surety_buf_text(out, request->usage_chunk ? " with usage" : "");
    surety_buf_text(out, ", answers ");
    surety_buf_number(out, request->answers);
    surety_buf_text(out, ", bytes ");
    surety_buf_number(out, request->prompt_bytes);
    surety_buf_byte(out, '\n');
    put_line(out, "system", request->system);
    for (size_t i = 0; i < request->message_count; i++)
        put_line(out, surety__author_name(request->messages[i].author),
                 request->messages[i].text);
}

static void make_asked(struct call *call, surety_buf *out)
{
    if (call->status == SURETY_OK) {
        put_asked(call, out);
        return;
    }
    surety_buf_text(out, surety_status_name(call->status));
    surety_buf_byte(out, ' ');
    surety_buf_number(out, (uint64_t)call->problem.status);
    surety_buf_byte(out, '\n');
    surety__speak_error(call->route.protocol, &call->problem, out);
}

static void make_strict(struct call *call, surety_buf *out)
{
    const surety_status status = surety__speak_strict(
        &call->request, &call->arena, &call->problem, &call->error);

    if (status == SURETY_OK)
        surety_buf_text(out, "taken");
    else
        surety__speak_error(call->route.protocol, &call->problem, out);
}

static void read_closing(surety_str said, surety__closing *closing)
{
    surety_str line;

    while (golden_line(&said, &line)) {
        char numbers[100];
        char *at = numbers;

        if (golden_take(&line, "finish: "))
            closing->finish = line;
        if (!golden_take(&line, "usage: ") || line.len >= sizeof(numbers))
            continue;
        memcpy(numbers, line.ptr, line.len);
        numbers[line.len] = 0;
        closing->usage.known = true;
        closing->usage.input_tokens = strtoull(at, &at, 10);
        closing->usage.cached_input_tokens = strtoull(at, &at, 10);
        closing->usage.output_tokens = strtoull(at, &at, 10);
        closing->usage.reasoning_tokens = strtoull(at, &at, 10);
    }
}

/* The answer as events, or as one body. */
static void make_answer(const struct call *call, bool stream, surety_buf *out)
{
    surety_str said = call->said;
    surety__closing closing = {.finish = surety_str_of("")};
    surety__speech speech;
    surety_str line;

    surety__speech_init(&speech, &call->request, surety_str_of("1f"), NULL);
    speech.tool = call->request.tool;
    speech.created = 1700000000;
    read_closing(said, &closing);
    if (stream)
        surety__speech_begin(&speech, &closing.usage, out);
    while (golden_line(&said, &line)) {
        if (golden_take(&line, "call: "))
            surety__speech_begin_call(&speech, line);
        for (int part = 0; part < PART_NONE; part++)
            if (golden_take(&line, part_names[part]))
                surety__speech_piece(&speech, (surety__speech_part)part, line,
                                     stream ? out : NULL);
    }
    if (stream)
        surety__speech_end(&speech, &closing, out);
    else
        surety__speech_whole(&speech, &closing, out);
    surety__speech_done(&speech);
}

static void make_failure(const struct call *call, surety_str failed,
                         surety_buf *out)
{
    surety__problem problem = {.status = 500};
    const struct {
        const char *name;
        surety_str *text;
    } members[] = {{"type: ", &problem.type},
                   {"code: ", &problem.code},
                   {"param: ", &problem.param},
                   {"message: ", &problem.message},
                   {"request_id: ", &problem.request_id},
                   {"details: ", &problem.details}};
    surety__speech speech;
    surety_str line;

    while (golden_line(&failed, &line)) {
        if (golden_take(&line, "status: "))
            problem.status = atoi(line.ptr);
        for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
            if (golden_take(&line, members[i].name))
                *members[i].text = line;
    }
    surety__speak_error(call->route.protocol, &problem, out);
    surety_buf_byte(out, '\n');
    surety__speech_init(&speech, &call->request, surety_str_of("1f"), NULL);
    surety__speech_fail(&speech, &problem, out);
    surety__speech_done(&speech);
}

static bool run(struct golden *golden)
{
    struct call call = {.doc = surety_doc_new(NULL)};
    surety_str failed = {NULL, 0};

    if (!call.doc)
        golden_die("out of memory", golden->path);
    surety__arena_init(&call.arena, NULL, 0);
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        surety_str kind = section->kind;
        const bool request = golden_is(section, "asked");
        const bool whole = golden_is(section, "whole");
        const bool stream = golden_is(section, "stream");
        const bool failure = golden_is(section, "failure");
        const bool strict = golden_is(section, "strict");

        if (!request && !whole && !stream && !failure && !strict) {
            golden_keep(golden, section);
            if (golden_take(&kind, "request "))
                read_request(&call, section);
            else if (golden_is(section, "said"))
                call.said = section->body;
            else if (golden_is(section, "failed"))
                failed = section->body;
            continue;
        }
        golden_begin(golden, section);
        if (request)
            make_asked(&call, &golden->made);
        else if (strict)
            make_strict(&call, &golden->made);
        else if (failure)
            make_failure(&call, failed, &golden->made);
        else
            make_answer(&call, stream, &golden->made);
        golden_end(golden);
    }
    surety__arena_done(&call.arena);
    surety_doc_free(call.doc);
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
