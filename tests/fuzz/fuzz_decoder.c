/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as a response in any protocol: the answer is the same fed at
 * once, cut in two and a byte at a time, and is one that its reader may rely
 * on. Four bytes choose the protocol and mode, the status, the content type and
 * delivery, and the cut; the rest is the body. */
#include "provider/provider.h"

#include "fuzz.h"

static const char secret[] = "sk-x";

struct given {
    surety_protocol protocol;
    surety_mode mode;
    bool tools;
    int status;
    surety_header header;
    surety_delivery delivery;
    surety_str body;
};

static void choose(struct given *given, const uint8_t *data, size_t size)
{
    static const int statuses[] = {200, 200, 200, 0,   400, 401,
                                   404, 429, 500, 503, 307, 204};
    static const char *const types[] = {"text/event-stream", "application/json",
                                        "text/html", ""};
    static const surety_failure ends[] = {
        SURETY_FAILURE_NONE, SURETY_FAILURE_NONE, SURETY_FAILURE_RESET,
        SURETY_FAILURE_CANCELLED};

    *given = (struct given){
        .protocol = (surety_protocol)(data[0] % 5),
        .mode = (surety_mode)(SURETY_MODE_NATIVE + data[0] / 5 % 3),
        .tools = data[0] / 15 % 2 == 1,
        .status = statuses[data[1] % (sizeof(statuses) / sizeof(*statuses))],
        .header = {surety_str_of("content-type"),
                   surety_str_of(types[data[2] % 4]), false},
        .delivery = {.failure = ends[data[2] / 4 % 4], .sent = true},
        .body = {(const char *)data + 4, size - 4},
    };
    if (data[2] & 64)
        given->header.name = surety_str_of("content-encoding");
}

static void read_cut(surety__decoder *decoder, const struct given *given,
                     size_t cut, surety_answer *ret_answer)
{
    const surety_str body = given->body;
    const surety_model model = {.protocol = given->protocol,
                                .key = surety_str_of(secret)};
    const surety__call call = {.model = &model,
                               .mode = given->mode,
                               .schema = surety_str_of("{}"),
                               .schema_name = surety_str_of("n"),
                               .tool_count = given->tools};
    bool goes_on = true;

    surety__decoder_begin(decoder, &call, NULL);
    if (given->status)
        surety__decoder_head(decoder, given->status, &given->header, 1);
    for (size_t at = 0; at < body.len && goes_on;) {
        const size_t end = !cut ? at + 1 : at < cut ? cut : body.len;

        goes_on = surety__decoder_feed(decoder,
                                       (surety_str){body.ptr + at, end - at});
        at = end;
    }
    surety__decoder_finish(decoder, &given->delivery, 0);
    must(surety__decoder_answer(decoder, ret_answer) == SURETY_OK);
}

/* What is shown holds no key and nothing that a terminal would obey. */
static void check_shown(surety_str text)
{
    must(surety__str_find(text, surety_str_of(secret)) == text.len);
    must(surety__utf8_valid(text, NULL));
    for (size_t i = 0; i < text.len; i++)
        must((unsigned char)text.ptr[i] >= ' ' && text.ptr[i] != 0x7F);
    must(text.len < 1100);
}

static void check_answer(const struct given *given, const surety_answer *answer)
{
    const surety_usage *usage = &answer->usage;

    must((unsigned)answer->failure < SURETY_FAILURE_COUNT);
    must(usage->cached_input_tokens <= usage->input_tokens);
    must(usage->reasoning_tokens <= usage->output_tokens);
    /* A reply that broke off may have counts so far. */
    must(usage->known || answer->failure ||
         (!usage->input_tokens && !usage->output_tokens));
    must(answer->retry_after_ms >= -1);
    must(answer->failure || answer->text.len || answer->native.len ||
         (given->tools && answer->message.part_count));
    must(!answer->failure || !answer->message.part_count);
    must(!answer->native.len || !answer->failure);
    must(!answer->native.len || given->mode != SURETY_MODE_PROMPT);
    must(given->status < 300 || answer->failure);
    must(given->delivery.failure != SURETY_FAILURE_CANCELLED ||
         answer->failure);
    check_shown(answer->error_code);
    check_shown(answer->error_message);
    check_shown(answer->finish_reason);
    check_shown(answer->model);
    check_shown(answer->response_id);
    check_shown(answer->request_id);
}

/* A message goes back to every protocol; one whose text is no UTF-8, as a
 * command's may be, to none until the run has made it so. */
static void check_message(const surety_message *parts)
{
    bool is_text = true;
    const surety__message message = {.role = SURETY_ROLE_ASSISTANT,
                                     .parts = parts->parts,
                                     .part_count = parts->part_count};
    surety__arena arena;
    surety_buf body;

    for (size_t i = 0; i < parts->part_count; i++)
        is_text = is_text && surety__utf8_valid(parts->parts[i].text, NULL);
    surety__arena_init(&arena, NULL, 0);
    surety_buf_init(&body, NULL, 0);
    for (int i = 0; i < SURETY_PROTOCOL_TEXT; i++) {
        const surety_model model = {.protocol = (surety_protocol)i,
                                    .model = surety_str_of("m"),
                                    .base_url = surety_str_of("http://h")};
        const surety__call call = {.model = &model,
                                   .mode = SURETY_MODE_PROMPT,
                                   .messages = &message,
                                   .message_count = 1};
        surety_doc *doc = surety_doc_new(NULL);
        surety_request request;

        must(surety__call_encode(&call, &arena, &body, &request, NULL) ==
             (is_text ? SURETY_OK : SURETY_SYNTAX));
        must(doc &&
             (!is_text || !surety_doc_read(doc, request.body, NULL, NULL)));
        surety_doc_free(doc);
    }
    surety__arena_done(&arena);
    surety_buf_done(&body);
}

static void check_same(const surety_answer *a, const surety_answer *b)
{
    must(a->failure == b->failure);
    must(surety_str_equal(a->text, b->text));
    must(surety_str_equal(a->native, b->native));
    must(surety_str_equal(a->refusal, b->refusal));
    must(surety_str_equal(a->finish_reason, b->finish_reason));
    must(surety_str_equal(a->error_code, b->error_code));
    must(surety_str_equal(a->error_message, b->error_message));
    must(a->usage.known == b->usage.known &&
         a->usage.input_tokens == b->usage.input_tokens &&
         a->usage.output_tokens == b->usage.output_tokens);
    must(a->ambiguous == b->ambiguous);
    must(a->message.part_count == b->message.part_count);
    for (size_t i = 0; i < a->message.part_count; i++) {
        const surety_part *x = &a->message.parts[i];
        const surety_part *y = &b->message.parts[i];

        must(x->kind == y->kind && surety_str_equal(x->text, y->text));
        must(surety_str_equal(x->id, y->id));
        must(surety_str_equal(x->name, y->name));
        must(surety_str_equal(x->raw, y->raw));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    surety__decoder *whole, *cut;
    surety_answer want, got;
    struct given given;

    if (size < 5)
        return 0;
    choose(&given, data, size);
    whole = surety__decoder_new(NULL, NULL);
    cut = surety__decoder_new(NULL, NULL);
    must(whole && cut);
    read_cut(whole, &given, given.body.len, &want);
    check_answer(&given, &want);
    if (want.message.part_count)
        check_message(&want.message);
    read_cut(cut, &given, 1 + data[3] % given.body.len, &got);
    check_same(&want, &got);
    read_cut(cut, &given, 0, &got);
    check_same(&want, &got);
    surety__decoder_free(whole);
    surety__decoder_free(cut);
    return 0;
}
