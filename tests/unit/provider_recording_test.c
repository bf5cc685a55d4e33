/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings: read, played, matched, recorded around another transport, and
 * what may never be in one. */
#include "provider/provider.h"
#include "provider/transport.h"
#include "check.h"
#include "heard.h"

#include <surety/provider.h>

#include <string.h>

#include "base/base.h"

#define SECRET "sk-canary-0123456789"

/* ---- reading ------------------------------------------------------------- */

TEST(reads_what_is_written_by_hand)
{
    static const char text[] =
        "\xEF\xBB\xBF# a comment\n"
        "\n"
        "{\"reply\": \"one\"}\r\n"
        "   \n"
        "{\"reply\": {\"x\": 1}, \"delay_ms\": 5, \"model\": \"m\"}\n"
        "{\"protocol\":\"openai\",\"model\":\"gpt\",\"request\":{\"method\":"
        "\"POST\",\"url\":\"https://h/v1\",\"headers\":{\"a\":\"b\"},\"json\":"
        "{}},\"response\":{\"status\":429,\"headers\":{\"retry-after\":\"7\"},"
        "\"json\":{\"error\":null}}}\n"
        "{\"response\":{\"status\":200,\"headers\":[[\"a\",\"1\"],[\"a\",\"2\"]"
        "],\"chunks\":[[0,\"x\"],[3,{\"base64\":\"/w==\"}]]},\"end\":\"reset\"}"
        "\n{\"end\":{\"failure\":\"connect\",\"message\":\"down\"}}";
    surety_recording *recording = NULL;
    surety_transport *transport = NULL;
    const surety_request request = request_of("https://any/", "");
    struct heard heard;

    heard_init(&heard, check_alloc(t));
    TRY(surety_recording_read((surety_str){text, sizeof(text) - 1},
                              check_alloc(t), &recording, NULL));
    CHECK(surety__recording_count(recording) == 5);
    CHECK(surety__recording_protocol(recording) == SURETY_PROTOCOL_TEXT);
    CHECK_TEXT(surety__recording_model(recording), "");
    TRY(surety_replay_open(recording, 0, check_alloc(t), &transport, NULL));
    for (int i = 0; i < 6; i++)
        TRY(heard_converse(&heard, transport, &request));
    CHECK_TEXT(surety_buf_str(&heard.text),
               "head 0\nbytes 3 one\nend none 1 \n"
               "head 0\nbytes 7 {\"x\":1}\nend none 1 \n"
               "head 429\nretry-after=7\nbytes 14 {\"error\":null}\n"
               "end none 1 \n"
               "head 200\na=1\na=2\nbytes 1 x\nbytes 1 \xFF\n"
               "end reset 1 the recording ends with reset\n"
               "end connect 0 down\n"
               "end protocol 0 the recording has no exchange left: all 5 were "
               "played\n");
done:
    transport_close(transport);
    surety_recording_free(recording);
    heard_done(&heard);
}

static const struct {
    const char *text;
    uint32_t line, column;
    const char *path;
    const char *message;
} wrong[] = {
    {"", 0, 0, "", "the recording has no exchange"},
    {"# nothing\n\n", 0, 0, "", "the recording has no exchange"},
    {"{\"reply\":\"a\"}\n{\"reply\":\"a\"", 2, 13, "", NULL},
    {"\n\n{\"reply\":\"a\",}", 3, 14, "", NULL},
    {"[]", 1, 1, "", "an exchange is no object"},
    {"{}", 1, 1, "", "an exchange has neither a response nor an end"},
    {"{\"reply\":\"a\",\"delay\":1}", 1, 14, "/delay",
     "a reply has no member \"delay\""},
    {"{\"reply\":\"a\",\"delay_ms\":-1}", 1, 25, "/delay_ms",
     "a time is an integer from 0 to 4294967295, in ms"},
    {"{\"reply\":\"a\",\"delay_ms\":4294967296}", 1, 25, "/delay_ms",
     "a time is an integer from 0 to 4294967295, in ms"},
    {"{\"recording\":2,\"end\":\"reset\"}", 1, 14, "/recording",
     "this version of recordings is not known"},
    {"{\"end\":\"refusal\"}", 1, 8, "/end",
     "no transport ends with this; it is \"complete\", \"reset\", "
     "\"timeout\", ..."},
    {"{\"end\":{\"failure\":7}}", 1, 19, "/end/failure",
     "no transport ends with this; it is \"complete\", \"reset\", "
     "\"timeout\", ..."},
    {"{\"end\":{\"sent\":1}}", 1, 16, "/end/sent", "\"sent\" is no boolean"},
    {"{\"end\":{\"failure\":\"reset\",\"message\":\"a\\u0000\"}}", 1, 37,
     "/end/message", "a message is a string of at most 255 bytes without NUL"},
    {"{\"response\":{\"status\":99}}", 1, 23, "/response/status",
     "a status is 0 or from 100 to 999"},
    {"{\"response\":{\"status\":1000}}", 1, 23, "/response/status",
     "a status is 0 or from 100 to 999"},
    {"{\"response\":{\"json\":1,\"body\":\"\"}}", 1, 13, "/response",
     "a response has one of \"json\", \"body\" and \"chunks\""},
    {"{\"response\":{\"headers\":1}}", 1, 24, "/response/headers",
     "headers are neither an array nor an object"},
    {"{\"response\":{\"headers\":[[\"a\"]]}}", 1, 25, "/response/headers/0",
     "a header is no [name, value]"},
    {"{\"response\":{\"headers\":{\"a\":1}}}", 1, 29, "/response/headers/a",
     "a header's value is neither a string nor {\"base64\": ...}"},
    {"{\"response\":{\"chunks\":{}}}", 1, 23, "/response/chunks",
     "chunks are no array"},
    {"{\"response\":{\"chunks\":[\"a\"]}}", 1, 24, "/response/chunks/0",
     "a chunk is no [ms, text]"},
    {"{\"response\":{\"chunks\":[[0,{\"base64\":\"/x==\"}]]}}", 1, 37,
     "/response/chunks/0/1/base64", "a chunk is no base64 text"},
    {"{\"response\":{\"chunks\":[[0,{\"base64\":\"a\"}]]}}", 1, 37,
     "/response/chunks/0/1/base64", "a chunk is no base64 text"},
    {"{\"response\":{\"chunks\":[[0,{\"base64\":\"====\"}]]}}", 1, 37,
     "/response/chunks/0/1/base64", "a chunk is no base64 text"},
    {"{\"protocol\":\"soap\",\"end\":\"reset\"}", 1, 13, "/protocol",
     "a protocol is \"openai\", \"responses\", \"anthropic\", \"gemini\" "
     "or "
     "\"text\""},
    {"{\"request\":{\"json\":1,\"body\":\"\"},\"end\":\"reset\"}", 1, 29,
     "/request/body", "a request has \"json\" or \"body\", not both"},
    {"{\"model\":1,\"end\":\"reset\"}", 1, 10, "/model",
     "a model is no string"},
    {"{\"end\":\"reset\",\"end\":\"reset\"}", 1, 16, "", NULL},
};

TEST(says_where_a_recording_is_wrong)
{
    surety_recording *recording = NULL;
    surety_error error;

    for (size_t i = 0; i < CHECK_COUNT(wrong); i++) {
        EXPECT(SURETY_SYNTAX,
               surety_recording_read(surety_str_of(wrong[i].text),
                                     check_alloc(t), &recording, &error));
        if (error.position.line != wrong[i].line ||
            error.position.column != wrong[i].column)
            printf("# %s: %u:%u %s %s\n", wrong[i].text, error.position.line,
                   error.position.column, error.path, error.message);
        CHECK(error.position.line == wrong[i].line);
        CHECK(error.position.column == wrong[i].column);
        if (!wrong[i].message)
            continue;
        CHECK_TEXT(surety_str_of(error.message), wrong[i].message);
        if (!t->starved) /* the path is left out where memory is short */
            CHECK_TEXT(surety_str_of(error.path), wrong[i].path);
    }
    EXPECT(SURETY_SYNTAX,
           surety_recording_read(surety_str_of("{\"reply\":\"a\",\"modle\":1}"),
                                 check_alloc(t), &recording, &error));
    CHECK_TEXT(surety_str_of(error.hint), "did you mean \"model\"");
    EXPECT(SURETY_SYNTAX,
           surety_recording_read(surety_str_of("{"), check_alloc(t), &recording,
                                 NULL));
done:
    surety_recording_free(recording);
}

/* ---- playing ------------------------------------------------------------- */

TEST(gives_the_exchange_with_the_same_request)
{
    static const char text[] =
        "{\"request\":{\"method\":\"POST\",\"url\":\"https://a/v1/x?s=1\","
        "\"json\":{\"a\":1,\"b\":[1e2]}},\"response\":{\"body\":\"first\"}}\n"
        "{\"request\":{\"method\":\"POST\",\"url\":\"https://a/v1/x?s=1\","
        "\"json\":{\"b\":[100],\"a\":1.0}},\"response\":{\"body\":\"second\"}}"
        "\n"
        "{\"request\":{\"method\":\"POST\",\"url\":\"https://a/v1/x\","
        "\"body\":\"plain\"},\"response\":{\"body\":\"third\"}}\n";
    surety_recording *recording = NULL;
    surety_transport *transport = NULL;
    struct heard heard;
    surety_request request = request_of("http://b:8/v1/x", "plain");

    heard_init(&heard, check_alloc(t));
    TRY(surety_recording_read((surety_str){text, sizeof(text) - 1},
                              check_alloc(t), &recording, NULL));
    TRY(surety_replay_open(recording, SURETY_REPLAY_MATCH, check_alloc(t),
                           &transport, NULL));
    TRY(heard_converse(&heard, transport, &request));
    request = request_of("http://b:8/v1/x?s=1", "{\"b\":[100.0], \"a\":1}");
    TRY(heard_converse(&heard, transport, &request));
    TRY(heard_converse(&heard, transport, &request));
    TRY(heard_converse(&heard, transport, &request));
    request.method = surety_str_of("GET");
    TRY(heard_converse(&heard, transport, &request));
    request = request_of("http://b:8/v1/x?s=1", "{\"b\":[101], \"a\":1}");
    TRY(heard_converse(&heard, transport, &request));
    CHECK_TEXT(surety_buf_str(&heard.text),
               "head 200\nbytes 5 third\nend none 1 \n"
               "head 200\nbytes 5 first\nend none 1 \n"
               "head 200\nbytes 6 second\nend none 1 \n"
               "end protocol 0 the recording has this request 2 times, and all "
               "were played\n"
               "end protocol 0 the recording does not have this request: none "
               "of its 3 exchanges has this method, path and body\n"
               "end protocol 0 the recording does not have this request: none "
               "of its 3 exchanges has this method, path and body\n");
done:
    transport_close(transport);
    surety_recording_free(recording);
    heard_done(&heard);
}

/* A clock that moves only while a transport sleeps. */
static uint64_t moved_now(void *ctx)
{
    return *(const uint64_t *)ctx;
}

static void moved_sleep(void *ctx, uint64_t ms)
{
    *(uint64_t *)ctx += ms;
}

TEST(keeps_the_recorded_time)
{
    static const char text[] = "{\"response\":{\"after_ms\":20,\"chunks\":[[20,"
                               "\"a\"],[20,\"b\"]]},\"end\":{\"after_ms\":20}}"
                               "\n{\"reply\":\"quick\"}";
    uint64_t now_ms = 1000;
    const surety__clock clock = {
        .ctx = &now_ms, .now_ms = moved_now, .sleep_ms = moved_sleep};
    surety_recording *recording = NULL;
    surety_transport *transport = NULL;
    const surety_request request = request_of("", "");
    struct heard slow, quick;
    const surety_receiver receivers[2] = {heard_receiver(&slow),
                                          heard_receiver(&quick)};
    int waits = 0;

    heard_init(&slow, check_alloc(t));
    heard_init(&quick, check_alloc(t));
    TRY(surety_recording_read((surety_str){text, sizeof(text) - 1},
                              check_alloc(t), &recording, NULL));
    TRY(surety__replay_open(recording, SURETY_REPLAY_TIMED, &clock,
                            check_alloc(t), &transport, NULL));
    TRY(transport->start(transport->ctx, 1, &request, &receivers[0], NULL));
    TRY(transport->start(transport->ctx, 2, &request, &receivers[1], NULL));
    EXPECT(SURETY_MISUSE,
           transport->start(transport->ctx, 2, &request, &receivers[1], NULL));
    TRY(transport->wait(transport->ctx, 0, NULL));
    CHECK(quick.ends == 1 && slow.text.len == 0);
    TRY(transport->wait(transport->ctx, 19, NULL));
    CHECK(slow.text.len == 0 && now_ms == 1019);
    for (; !slow.ends; waits++)
        TRY(transport->wait(transport->ctx, 1000, NULL));
    CHECK(waits == 4 || slow.text.status);
    CHECK(now_ms == 1080 || slow.text.status);
done:
    transport_close(transport);
    surety_recording_free(recording);
    heard_done(&slow);
    heard_done(&quick);
}

TEST(ends_when_the_caller_wants)
{
    static const char text[] =
        "{\"response\":{\"chunks\":[[0,\"abc\"],[0,\"def\"]]}}\n"
        "{\"response\":{\"chunks\":[[0,\"abc\"],[0,\"def\"]]}}\n"
        "{\"response\":{\"chunks\":[[0,\"abc\"],[0,\"def\"]]}}\n"
        "{\"response\":{\"chunks\":[[0,\"abc\"],[0,\"def\"]]}}\n"
        "{\"response\":{\"chunks\":[[0,\"abc\"],[0,\"def\"]]}}\n";
    surety_recording *recording = NULL;
    surety_transport *transport = NULL;
    surety_request request = request_of("", "");
    struct heard heard;
    const surety_receiver receiver = heard_receiver(&heard);

    heard_init(&heard, check_alloc(t));
    TRY(surety_recording_read((surety_str){text, sizeof(text) - 1},
                              check_alloc(t), &recording, NULL));
    TRY(surety_replay_open(recording, 0, check_alloc(t), &transport, NULL));
    heard.break_after = 1;
    TRY(heard_converse(&heard, transport, &request));
    CHECK(heard.failure == SURETY_FAILURE_CANCELLED && heard.sent);
    request.response_bytes_max = 5;
    TRY(heard_converse(&heard, transport, &request));
    CHECK(heard.failure == SURETY_FAILURE_LIMIT);
    request.response_bytes_max = 6;
    TRY(heard_converse(&heard, transport, &request));
    CHECK(heard.failure == SURETY_FAILURE_NONE);
    TRY(transport->start(transport->ctx, 3, &request, &receiver, NULL));
    transport->cancel(transport->ctx, 2);
    CHECK(heard.ends == 3);
    transport->cancel(transport->ctx, 3);
    CHECK(heard.ends == 4 && heard.failure == SURETY_FAILURE_CANCELLED);
    transport->cancel(transport->ctx, 3);
    CHECK(heard.ends == 4);
    TRY(transport->start(transport->ctx, 4, &request, &receiver, NULL));
    transport->close(transport->ctx);
    transport = NULL;
    CHECK(heard.ends == 5 && heard.failure == SURETY_FAILURE_CANCELLED);
done:
    transport_close(transport);
    surety_recording_free(recording);
    heard_done(&heard);
}

/* ---- recording ----------------------------------------------------------- */

/* A transport that plays made-up exchanges and keeps what it was asked. */
struct made {
    surety_transport transport;
    int status;
    const surety_header *headers;
    size_t header_count;
    bool has_head;
    const surety_str *portions;
    size_t portion_count;
    surety_delivery delivery;
    surety_buf asked; /* headers of the request */
    surety_receiver receiver;
    uint64_t id;
    bool running;
    bool eager; /* ends within start */
    surety_status refuses;
    bool closed;
};

static void made_play(struct made *made)
{
    surety_delivery delivery = made->delivery;

    if (made->has_head)
        made->receiver.head(made->receiver.ctx, made->status, made->headers,
                            made->header_count);
    for (size_t i = 0; made->has_head && i < made->portion_count; i++)
        if (!made->receiver.bytes(made->receiver.ctx, made->portions[i])) {
            delivery = (surety_delivery){SURETY_FAILURE_CANCELLED, true, "off"};
            break;
        }
    made->running = false;
    made->receiver.end(made->receiver.ctx, &delivery);
}

static surety_status made_start(void *ctx, uint64_t id,
                                const surety_request *request,
                                const surety_receiver *receiver,
                                surety_error *reterr)
{
    struct made *made = ctx;

    if (made->refuses)
        return surety__fail(reterr, made->refuses, "no");
    for (size_t i = 0; i < request->header_count; i++) {
        surety_buf_add(&made->asked, request->headers[i].name);
        surety_buf_byte(&made->asked, ' ');
    }
    made->id = id;
    made->receiver = *receiver;
    made->running = true;
    if (made->eager)
        made_play(made);
    return SURETY_OK;
}

static void made_cancel(void *ctx, uint64_t id)
{
    struct made *made = ctx;
    const surety_delivery delivery = {SURETY_FAILURE_CANCELLED, true, "stop"};

    if (!made->running || made->id != id)
        return;
    made->running = false;
    made->receiver.end(made->receiver.ctx, &delivery);
}

static surety_status made_wait(void *ctx, uint32_t timeout_ms,
                               surety_error *reterr)
{
    struct made *made = ctx;

    (void)timeout_ms;
    (void)reterr;
    if (made->running)
        made_play(made);
    return SURETY_OK;
}

static void made_close(void *ctx)
{
    struct made *made = ctx;

    made_cancel(made, made->id);
    made->closed = true;
}

static void made_init(struct made *made, struct check *t)
{
    *made = (struct made){.delivery = {.sent = true},
                          .status = 200,
                          .has_head = true,
                          .transport = {1, made, made_start, made_cancel,
                                        made_wait, made_close, NULL}};
    surety_buf_init(&made->asked, check_alloc(t), 0);
}

struct written {
    surety_buf text;
    surety_status refuses;
};

static surety_status write_line(void *ctx, surety_str line)
{
    struct written *written = ctx;

    surety_buf_add(&written->text, line);
    return written->refuses ? written->refuses : written->text.status;
}

static bool holds(surety_str text, const char *needle)
{
    return surety__str_find(text, surety_str_of(needle)) < text.len;
}

/* Secrets wherever they can be; one is cut in three. */
static const surety_header secrets_asked[] = {
    {{"Authorization", 13}, {"Bearer " SECRET, 7 + 20}, true},
    {{"X-Api-Key", 9}, {"other-key-5678", 14}, false},
    {{"x-surety-model", 14}, {"gpt-5", 5}, false},
    {{"X-Surety-Protocol", 17}, {"responses", 9}, false},
    {{"x-note", 6}, {"see " SECRET, 4 + 20}, false},
    {{"odd", 3}, {"quo\"te/key", 10}, true},
    {{"short", 5}, {"abc", 3}, true},
};
static const surety_header secrets_told[] = {
    {{"set-cookie", 10}, {"session=private", 15}, false},
    {{"x-echo", 6}, {SECRET, 20}, false},
};
static const surety_str secrets_portions[] = {
    {"abc wrong key sk-can", 20}, {"ary-", 4}, {"0123456789 end", 14},
    {"other-key-567", 13},        {"8", 1},    {"quo\\\"te/key abc", 15},
};

TEST(keeps_every_secret_out)
{
    struct made made;
    struct written written = {.refuses = SURETY_OK};
    surety_transport *transport = NULL;
    surety_recording *recording = NULL;
    surety_request request = request_of(
        "https://user:password@host/v1?key=k1&alt=sse&token=" SECRET "#f",
        "{\"a\":\"" SECRET "\",\"b\":\"quo\\\"te/key\",\"c\":\"quo%22te%2Fkey "
        "password user\"}");
    struct heard heard;
    surety_str line;

    heard_init(&heard, check_alloc(t));
    made_init(&made, t);
    surety_buf_init(&written.text, check_alloc(t), 0);
    made.headers = secrets_told;
    made.header_count = CHECK_COUNT(secrets_told);
    made.portions = secrets_portions;
    made.portion_count = CHECK_COUNT(secrets_portions);
    made.delivery = (surety_delivery){SURETY_FAILURE_RESET, true,
                                      "it said " SECRET " and broke"};
    request.headers = secrets_asked;
    request.header_count = CHECK_COUNT(secrets_asked);
    TRY(surety_record_open(&made.transport, write_line, &written,
                           check_alloc(t), &transport, NULL));
    TRY(heard_converse(&heard, transport, &request));
    TRY(transport->wait(transport->ctx, 0, NULL));
    TRY(made.asked.status);
    CHECK_TEXT(surety_buf_str(&made.asked),
               "Authorization X-Api-Key x-note odd short ");
    line = surety_buf_str(&written.text);
    CHECK(!holds(line, "canary") && !holds(line, "0123456789"));
    CHECK(!holds(line, "other-key") && !holds(line, "te/key"));
    CHECK(!holds(line, "password") && !holds(line, "user:"));
    CHECK(!holds(line, "private") && !holds(line, "k1"));
    CHECK(!holds(line, "te%2Fkey") && !holds(line, "uthorization"));
    CHECK(holds(line, "\"protocol\":\"responses\",\"model\":\"gpt-5\""));
    CHECK(holds(line, "\"https://***@host/v1?key=***&alt=sse&token=***#f\""));
    CHECK(
        holds(line, "\"json\":{\"a\":\"***\",\"b\":\"***\",\"c\":\"*** *** "));
    CHECK(holds(line, "[\"x-note\",\"see ***\"]"));
    CHECK(holds(line, "[\"set-cookie\",\"***\"],[\"x-echo\",\"***\"]"));
    CHECK(holds(line, "\"abc wrong key ***\"]"));
    CHECK(holds(line, "\" end\"]"));
    CHECK(holds(line, "\"*** abc\"]"));
    CHECK(holds(line, "\"message\":\"it said *** and broke\""));
    /* What the caller heard was not touched. */
    CHECK(holds(surety_buf_str(&heard.text), "x-echo=" SECRET));
    TRY(surety_recording_read(line, check_alloc(t), &recording, NULL));
    CHECK(surety__recording_protocol(recording) == SURETY_PROTOCOL_RESPONSES);
    CHECK_TEXT(surety__recording_model(recording), "gpt-5");
    /* The same request is found, though its secrets are not there. */
    transport->close(transport->ctx);
    transport = NULL;
    TRY(surety_replay_open(recording, SURETY_REPLAY_MATCH, check_alloc(t),
                           &transport, NULL));
    TRY(heard_converse(&heard, transport, &request));
    CHECK(heard.failure == SURETY_FAILURE_RESET);
done:
    transport_close(transport);
    surety_recording_free(recording);
    heard_done(&heard);
    surety_buf_done(&made.asked);
    surety_buf_done(&written.text);
}

TEST(tells_of_a_line_that_was_not_written)
{
    struct made made;
    struct written written = {.refuses = SURETY_IO};
    surety_transport *transport = NULL;
    const surety_request request = request_of("https://host/", "x");
    struct heard heard;
    const surety_receiver receiver = heard_receiver(&heard);
    surety_error error;

    heard_init(&heard, check_alloc(t));
    made_init(&made, t);
    surety_buf_init(&written.text, check_alloc(t), 0);
    TRY(surety_record_open(&made.transport, write_line, &written,
                           check_alloc(t), &transport, NULL));
    TRY(transport->start(transport->ctx, 1, &request, &receiver, NULL));
    EXPECT(SURETY_IO, transport->wait(transport->ctx, 10, &error));
    CHECK(heard.ends == 1 && heard.failure == SURETY_FAILURE_NONE);
    CHECK_TEXT(surety_str_of(error.message),
               "an exchange could not be recorded: io");
    TRY(transport->wait(transport->ctx, 10, NULL));
    /* In cancel: the next wait says so. */
    TRY(transport->start(transport->ctx, 2, &request, &receiver, NULL));
    transport->cancel(transport->ctx, 2);
    CHECK(heard.ends == 2 && heard.failure == SURETY_FAILURE_CANCELLED);
    EXPECT(SURETY_IO, transport->wait(transport->ctx, 10, NULL));
    /* An exchange that ends within start, and one that does not begin. */
    written.refuses = SURETY_OK;
    made.eager = true;
    TRY(transport->start(transport->ctx, 3, &request, &receiver, NULL));
    CHECK(heard.ends == 3);
    made.refuses = SURETY_MISUSE;
    EXPECT(SURETY_MISUSE,
           transport->start(transport->ctx, 4, &request, &receiver, &error));
    made.refuses = SURETY_OK;
    made.eager = false;
    TRY(transport->wait(transport->ctx, 10, NULL));
    /* Closing cancels and writes. */
    TRY(transport->start(transport->ctx, 5, &request, &receiver, NULL));
    written.text.len = 0;
    transport->close(transport->ctx);
    transport = NULL;
    CHECK(made.closed && heard.ends == 4);
    CHECK(written.text.status || t->starved ||
          holds(surety_buf_str(&written.text), "\"failure\":\"cancelled\""));
done:
    transport_close(transport);
    heard_done(&heard);
    surety_buf_done(&made.asked);
    surety_buf_done(&written.text);
}

/* ---- the round trip ------------------------------------------------------ */

static uint64_t dice(uint64_t *state, uint64_t sides)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state % sides;
}

/* Bytes of every kind: text, cut UTF-8, NUL. */
static surety_str dice_text(uint64_t *state, char *room, size_t max)
{
    static const char *const pieces[] = {
        "data: {\"a\":1}\n\n",
        "\xC3",
        "\xA9",
        "\xE2\x82\xAC",
        "\xFF",
        "\r\n",
        "\"\\\x01",
        "",
        "plain ",
        "\x7F",
    };
    size_t len = 0;

    for (uint64_t i = dice(state, 5); i > 0; i--) {
        const char *piece = pieces[dice(state, CHECK_COUNT(pieces))];
        const size_t size = *piece ? strlen(piece) : 1;

        if (len + size > max)
            break;
        memcpy(room + len, piece, size);
        len += size;
    }
    return (surety_str){room, len};
}

TEST(plays_what_was_recorded)
{
    enum { PORTIONS = 6, HEADERS = 3, ROOM = 64 };
    const int rounds = t->fail_at ? 3 : 4000;
    surety_transport *recorder = NULL, *player = NULL;
    surety_recording *recording = NULL;
    struct made made;
    struct written written = {.refuses = SURETY_OK};
    struct heard first, second;
    uint64_t state = 88172645463325252u;
    static const char *const bodies[] = {"{\"a\":[1,2.50,\"\\u00e9\"]}", "",
                                         "plain", "\"text\"", "\xFF\xFE"};

    made_init(&made, t);
    heard_init(&first, check_alloc(t));
    heard_init(&second, check_alloc(t));
    surety_buf_init(&written.text, check_alloc(t), 0);
    TRY(surety_record_open(&made.transport, write_line, &written,
                           check_alloc(t), &recorder, NULL));
    for (int i = 0; i < rounds; i++) {
        char rooms[PORTIONS + 2 * HEADERS][ROOM];
        surety_str portions[PORTIONS];
        surety_header headers[HEADERS];
        const surety_request request =
            request_of("https://h/x", bodies[dice(&state, 5)]);

        made.status = dice(&state, 8) ? 100 + (int)dice(&state, 900) : 0;
        made.has_head = dice(&state, 8) != 0;
        made.portion_count = dice(&state, PORTIONS + 1);
        made.header_count = dice(&state, HEADERS + 1);
        made.portions = portions;
        made.headers = headers;
        for (size_t k = 0; k < PORTIONS; k++)
            portions[k] = dice_text(&state, rooms[k], ROOM);
        for (size_t k = 0; k < HEADERS; k++)
            headers[k] = (surety_header){
                .name = dice_text(&state, rooms[PORTIONS + 2 * k], ROOM),
                .value = dice_text(&state, rooms[PORTIONS + 2 * k + 1], ROOM)};
        made.delivery =
            (surety_delivery){.failure = (surety_failure)dice(
                                  &state, SURETY_FAILURE_CANCELLED + 1),
                              .sent = dice(&state, 2)};
        if (made.delivery.failure)
            memcpy(made.delivery.message, "caf\xC3\xA9 \"broke\"", 14);
        TRY(heard_converse(&first, recorder, &request));
    }
    TRY(recorder->wait(recorder->ctx, 0, NULL));
    TRY(surety_recording_read(surety_buf_str(&written.text), check_alloc(t),
                              &recording, NULL));
    CHECK(surety__recording_count(recording) == (size_t)rounds);
    TRY(surety_replay_open(recording, 0, check_alloc(t), &player, NULL));
    for (int i = 0; i < rounds; i++) {
        const surety_request request = request_of("https://h/x", "");

        TRY(heard_converse(&second, player, &request));
    }
    CHECK(surety_str_equal(surety_buf_str(&first.text),
                           surety_buf_str(&second.text)));
done:
    transport_close(recorder);
    transport_close(player);
    surety_recording_free(recording);
    surety_buf_done(&made.asked);
    heard_done(&first);
    heard_done(&second);
    surety_buf_done(&written.text);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"reads what is written by hand", reads_what_is_written_by_hand},
        {"says where a recording is wrong", says_where_a_recording_is_wrong},
        {"gives the exchange with the same request",
         gives_the_exchange_with_the_same_request},
        {"keeps the recorded time", keeps_the_recorded_time},
        {"ends when the caller wants", ends_when_the_caller_wants},
        {"keeps every secret out", keeps_every_secret_out},
        {"tells of a line that was not written",
         tells_of_a_line_that_was_not_written},
        {"plays what was recorded", plays_what_was_recorded},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
