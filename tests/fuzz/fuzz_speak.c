/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as a request of a protocol (the first byte says which) and
 * answers it with its own prompt, whole and streamed: whatever was asked, a
 * whole answer is one JSON text and every event of a stream holds one. */
#include "serve/serve.h"

#include "fuzz.h"

static void need_json(surety_str text)
{
    const surety_limits limits = {.size = sizeof(limits), .depth_max = 2000};
    const surety_read_options options = {
        sizeof(options), SURETY_READ_BORROW | SURETY_READ_UNIQUE_KEYS, &limits};
    surety_doc *doc = surety_doc_new(NULL);
    surety_status status;

    must(doc);
    status = surety_doc_read(doc, text, &options, NULL);
    /* A schema that is told back may have keys twice. */
    must(status == SURETY_OK || status == SURETY_SYNTAX);
    if (status) {
        const surety_read_options lenient = {sizeof(lenient),
                                             SURETY_READ_BORROW, &limits};
        must(surety_doc_read(doc, text, &lenient, NULL) == SURETY_OK);
    }
    surety_doc_free(doc);
}

static void need_events(surety_str text)
{
    const surety_str data = {"data: ", 6};

    while (text.len) {
        const size_t end = surety__str_find(text, (surety_str){"\n", 1});
        const surety_str line = {text.ptr, end};
        must(end < text.len);
        if (surety__str_starts(line, data) &&
            !surety_str_equal(line, surety_str_of("data: [DONE]")))
            need_json((surety_str){line.ptr + 6, line.len - 6});
        else
            must(!line.len || line.ptr[0] == ':' ||
                 surety__str_starts(line, surety_str_of("event: ")) ||
                 line.ptr[0] == 'd');
        text.ptr += end + 1;
        text.len -= end + 1;
    }
}

static void answer(const surety__model_request *request, bool stream)
{
    const surety_str text =
        request->message_count ? request->messages[0].text : surety_str_of("x");
    const surety__problem problem = {.status = 529, .message = text};
    surety__closing ending = {.usage = {true, 5, 9, 3, 1}};
    surety__speech speech;
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    surety__speech_init(&speech, request, surety_str_of("1"), NULL);
    ending.finish = request->schema_name;
    if (stream)
        surety__speech_begin(&speech, &ending.usage, &out);
    for (int part = 0; part < PART_NONE; part++)
        surety__speech_piece(&speech, (surety__speech_part)part, text,
                             stream ? &out : NULL);
    if (stream) {
        surety__speech_ping(&speech, &out);
        surety__speech_fail(&speech, &problem, &out);
        surety__speech_end(&speech, &ending, &out);
        need_events(surety_buf_str(&out));
    } else {
        surety__speech_whole(&speech, &ending, &out);
        need_json(surety_buf_str(&out));
    }
    surety__speech_done(&speech);
    surety_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    surety_str body;
    surety__route route;
    surety__model_request request;
    surety__problem problem;
    surety__arena arena;
    surety_error error;
    surety_doc *doc = surety_doc_new(NULL);
    surety_status status;
    surety_buf out;

    surety__arena_init(&arena, NULL, 0);
    surety_buf_init(&out, NULL, 0);
    if (!size || !doc)
        goto done;
    body = (surety_str){(const char *)data + 1, size - 1};
    route = surety__route_of(body, data[0] & 4, data[0] & 8);
    must(route.kind != ROUTE_CALL || route.protocol < SURETY_PROTOCOL_TEXT);
    route = (surety__route){.kind = ROUTE_CALL,
                            .protocol = (surety_protocol)(data[0] & 3),
                            .model = {"m", 1}};
    if (surety_doc_read(doc, body, NULL, NULL) != SURETY_OK)
        goto done;
    status = surety__speak_read(&route, surety_doc_root(doc), &arena, &request,
                                &problem, &error);
    must(status == SURETY_OK || status == SURETY_SYNTAX);
    if (status == SURETY_OK) {
        answer(&request, false);
        answer(&request, true);
        status = surety__speak_strict(&request, &arena, &problem, &error);
        must(status == SURETY_OK || status == SURETY_SYNTAX);
    }
    /* Chat Completions have no route that counts tokens. */
    if (status == SURETY_OK && route.protocol != SURETY_PROTOCOL_OPENAI) {
        surety__speak_count(&request, &out);
        need_json(surety_buf_str(&out));
    }
    if (status == SURETY_SYNTAX) {
        surety__speak_error(route.protocol, &problem, &out);
        need_json(surety_buf_str(&out));
    }
    surety_buf_reset(&out);
    route.kind = ROUTE_EMBED;
    if (surety__speak_read(&route, surety_doc_root(doc), &arena, &request,
                           &problem, &error) == SURETY_OK) {
        surety__speak_embed(&request, &out);
        need_json(surety_buf_str(&out));
    }
done:
    surety_buf_done(&out);
    surety__arena_done(&arena);
    surety_doc_free(doc);
    return 0;
}
