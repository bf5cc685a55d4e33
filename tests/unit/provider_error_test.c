/* SPDX-License-Identifier: Apache-2.0 */
/* What is read out of the body of an error: its class, its name, its sentence,
 * and when to ask again. */
#include "provider/protocol.h"

#include <stdio.h>

#include "check.h"

static const surety_delivery ended = {.failure = SURETY_FAILURE_NONE};

#define GOOD                                                                   \
    "\"choices\":[{\"index\":0,\"message\":{\"content\":\"{}\"},"              \
    "\"finish_reason\":\"stop\"}]}"
#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A256 A64 A64 A64 A64

static const struct {
    surety_protocol protocol;
    int status;
    const char *body;
    surety_failure failure;
    const char *code, *message;
    int64_t retry_after_ms; /* -1: none */
} rows[] = {
    /* Where its sentence stands. */
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"message\":\"a message\",\"detail\":\"d\"}", SURETY_FAILURE_REQUEST, "",
     "a message", -1},
    {SURETY_PROTOCOL_OPENAI, 400, "{\"detail\":\"a detail\"}",
     SURETY_FAILURE_REQUEST, "", "a detail", -1},
    {SURETY_PROTOCOL_OPENAI, 400, "{\"error\":{\"error\":\"inner\"}}",
     SURETY_FAILURE_REQUEST, "", "inner", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":\"e\",\"error_description\":\"x\"}", SURETY_FAILURE_REQUEST,
     "", "e", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"error_description\":\"described\"}}",
     SURETY_FAILURE_REQUEST, "", "described", -1},
    {SURETY_PROTOCOL_OPENAI, 400, "{\"error\":{\"msg\":\"a msg\"}}",
     SURETY_FAILURE_REQUEST, "", "a msg", -1},
    {SURETY_PROTOCOL_OPENAI, 400, "{\"title\":\"a title\"}",
     SURETY_FAILURE_REQUEST, "", "a title", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"detail\":[{\"msg\":\"first\"},{\"msg\":\"second\"}]}",
     SURETY_FAILURE_REQUEST, "", "first", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"detail\":[{\"x\":\"first\"}],\"title\":\"last\"}",
     SURETY_FAILURE_REQUEST, "", "last", -1},
    {SURETY_PROTOCOL_OPENAI, 400, "{\"error\":{\"message\":\"\"},\"x\":1}",
     SURETY_FAILURE_REQUEST, "", "an error without a message (status 400)", -1},
    {SURETY_PROTOCOL_OPENAI, 400, "[]", SURETY_FAILURE_REQUEST, "",
     "an error without a message (status 400)", -1},
    {SURETY_PROTOCOL_OPENAI, 400, "3", SURETY_FAILURE_REQUEST, "", "3", -1},
    {SURETY_PROTOCOL_OPENAI, 400, "\"a text\"", SURETY_FAILURE_REQUEST, "",
     "\"a text\"", -1},
    {SURETY_PROTOCOL_OPENAI, 500, "{}", SURETY_FAILURE_SERVER, "",
     "an error without a message (status 500)", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"message\":[{\"msg\":\"of a list\"}],\"detail\":\"d\"}}",
     SURETY_FAILURE_REQUEST, "", "of a list", -1},
    /* A code that is a status, where the status says nothing. */
    {SURETY_PROTOCOL_OPENAI, 200,
     "{\"error\":{\"code\":299,\"message\":\"m\"}}", SURETY_FAILURE_SERVER,
     "299", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 200,
     "{\"error\":{\"code\":300,\"message\":\"m\"}}", SURETY_FAILURE_PROTOCOL,
     "300", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 200,
     "{\"error\":{\"code\":429,\"message\":\"m\"}}", SURETY_FAILURE_RATE_LIMIT,
     "429", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 200,
     "{\"error\":{\"code\":599,\"message\":\"m\"}}", SURETY_FAILURE_SERVER,
     "599", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 200,
     "{\"error\":{\"code\":600,\"message\":\"m\"}}", SURETY_FAILURE_SERVER,
     "600", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 503,
     "{\"error\":{\"code\":429,\"message\":\"m\"}}", SURETY_FAILURE_OVERLOADED,
     "429", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 300,
     "{\"error\":{\"code\":429,\"message\":\"m\"}}", SURETY_FAILURE_PROTOCOL,
     "", "the provider redirects (status 300), which is not followed", -1},
    {SURETY_PROTOCOL_OPENAI, 299,
     "{\"error\":{\"code\":429,\"message\":\"m\"}}", SURETY_FAILURE_RATE_LIMIT,
     "429", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":{\"code\":-1,\"message\":\"m\"}}",
     SURETY_FAILURE_SERVER, "-1", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 200,
     "{\"error\":{\"code\":401.5,\"message\":\"m\"}}", SURETY_FAILURE_SERVER,
     "401.5", "m", -1},
    /* Names, up to a length. */
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"code\":\"" A256 "\",\"message\":\"m\"}}",
     SURETY_FAILURE_REQUEST, A256, "m", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"code\":\"" A256 "a\",\"type\":\"next\",\"message\":\"m\"}}",
     SURETY_FAILURE_REQUEST, "next", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"code\":\"\",\"type\":\"next\",\"message\":\"m\"}}",
     SURETY_FAILURE_REQUEST, "next", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"type\":\"error\",\"status\":\"third\",\"message\":\"m\"}}",
     SURETY_FAILURE_REQUEST, "third", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"code\":\"one\",\"type\":\"two\",\"status\":\"insufficient_"
     "quota\",\"message\":\"m\"}}",
     SURETY_FAILURE_QUOTA, "one", "m", -1},
    /* What details name. */
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"message\":\"m\",\"details\":{\"error_code\":\"insufficient_"
     "credits\"}}}",
     SURETY_FAILURE_QUOTA, "insufficient_credits", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"message\":\"m\",\"code\":\"first\",\"details\":{\"error_"
     "code\":\"second\"},\"type\":\"third\"}}",
     SURETY_FAILURE_REQUEST, "first", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 400,
     "{\"error\":{\"message\":\"m\",\"details\":[{\"reason\":\"API_KEY_"
     "INVALID\"}]}}",
     SURETY_FAILURE_AUTH, "API_KEY_INVALID", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 400,
     "{\"error\":{\"message\":\"m\",\"details\":[{\"x\":1},{\"reason\":\"API_"
     "KEY_INVALID\"}]}}",
     SURETY_FAILURE_AUTH, "API_KEY_INVALID", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 400,
     "{\"error\":{\"message\":\"m\",\"details\":\"text\"}}",
     SURETY_FAILURE_REQUEST, "", "m", -1},
    /* When to ask again. */
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"retryDelay\":\"7s\"}]}}",
     SURETY_FAILURE_RATE_LIMIT, "RESOURCE_EXHAUSTED", "m", 7000},
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"retryDelay\":\"7\"}]}}",
     SURETY_FAILURE_RATE_LIMIT, "RESOURCE_EXHAUSTED", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"retryDelay\":\"s\"}]}}",
     SURETY_FAILURE_RATE_LIMIT, "RESOURCE_EXHAUSTED", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"retryDelay\":\"\"}]}}",
     SURETY_FAILURE_RATE_LIMIT, "RESOURCE_EXHAUSTED", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"retryDelay\":\"0.5s\"},{\"retryDelay\":"
     "\"9s\"}]}}",
     SURETY_FAILURE_RATE_LIMIT, "RESOURCE_EXHAUSTED", "m", 500},
    /* A quota a day is money; so many names are looked at. */
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"violations\":[{\"quotaId\":\"PerMinute\"}]}]}"
     "}",
     SURETY_FAILURE_RATE_LIMIT, "RESOURCE_EXHAUSTED", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"violations\":[{\"quotaId\":\"PerMinute\"},{"
     "\"quotaId\":\"xPerDay\"}]}]}}",
     SURETY_FAILURE_QUOTA, "RESOURCE_EXHAUSTED", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"violations\":[{\"quotaId\":\"PerDa\"}]}]}}",
     SURETY_FAILURE_RATE_LIMIT, "RESOURCE_EXHAUSTED", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"reason\":\"r0\"},{\"reason\":\"r1\"},{"
     "\"reason\":\"r2\"},{\"reason\":\"r3\"},{\"reason\":\"r4\"},{\"reason\":"
     "\"r5\"},{\"reason\":\"r6\"},{\"reason\":\"r7\"},{\"reason\":\"r8\"},{"
     "\"violations\":[{\"quotaId\":\"PerDay\"}]}]}}",
     SURETY_FAILURE_QUOTA, "RESOURCE_EXHAUSTED", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"reason\":\"r0\"},{\"reason\":\"r1\"},{"
     "\"reason\":\"r2\"},{\"reason\":\"r3\"},{\"reason\":\"r4\"},{\"reason\":"
     "\"r5\"},{\"reason\":\"r6\"},{\"reason\":\"API_KEY_INVALID\"}]}}",
     SURETY_FAILURE_RATE_LIMIT, "RESOURCE_EXHAUSTED", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 429,
     "{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_"
     "EXHAUSTED\",\"details\":[{\"reason\":\"r0\"},{\"reason\":\"r1\"},{"
     "\"reason\":\"r2\"},{\"reason\":\"r3\"},{\"reason\":\"r4\"},{\"reason\":"
     "\"r5\"},{\"reason\":\"API_KEY_INVALID\"}]}}",
     SURETY_FAILURE_AUTH, "RESOURCE_EXHAUSTED", "m", -1},
    /* Gateways put an empty error into a success. */
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":{}," GOOD, SURETY_FAILURE_NONE,
     "", "", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":{\"code\":0}," GOOD,
     SURETY_FAILURE_NONE, "", "", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":{\"code\":1}," GOOD,
     SURETY_FAILURE_SERVER, "1", "an error without a message (status 200)", -1},
    {SURETY_PROTOCOL_OPENAI, 200,
     "{\"error\":{\"a\":false,\"b\":null,\"c\":\"\",\"d\":[],\"e\":{}}," GOOD,
     SURETY_FAILURE_NONE, "", "", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":{\"a\":true}," GOOD,
     SURETY_FAILURE_SERVER, "", "an error without a message (status 200)", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":{\"a\":[0]}," GOOD,
     SURETY_FAILURE_SERVER, "", "an error without a message (status 200)", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":{\"a\":\"x\"}," GOOD,
     SURETY_FAILURE_SERVER, "", "an error without a message (status 200)", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":\"\"," GOOD, SURETY_FAILURE_NONE,
     "", "", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":\"x\"," GOOD,
     SURETY_FAILURE_SERVER, "", "x", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":null," GOOD, SURETY_FAILURE_NONE,
     "", "", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":[]," GOOD, SURETY_FAILURE_NONE,
     "", "", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":false," GOOD, SURETY_FAILURE_NONE,
     "", "", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":{\"code\":0.5}," GOOD,
     SURETY_FAILURE_SERVER, "0.5", "an error without a message (status 200)",
     -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":{\"a\":false,\"b\":\"x\"}," GOOD,
     SURETY_FAILURE_SERVER, "", "an error without a message (status 200)", -1},
    {SURETY_PROTOCOL_OPENAI, 200, "{\"error\":true," GOOD, SURETY_FAILURE_NONE,
     "", "", -1},
    /* An error may be the whole body. */
    {SURETY_PROTOCOL_ANTHROPIC, 200, "{\"type\":\"error\",\"message\":\"m\"}",
     SURETY_FAILURE_SERVER, "", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 200,
     "{\"object\":\"error\",\"message\":\"m\",\"code\":404}",
     SURETY_FAILURE_MODEL, "404", "m", -1},
    {SURETY_PROTOCOL_GEMINI, 200,
     "[{\"error\":{\"message\":\"m\",\"code\":404}}]", SURETY_FAILURE_MODEL,
     "404", "m", -1},
    {SURETY_PROTOCOL_ANTHROPIC, 200, "{\"type\":\"error\",\"error\":{}}",
     SURETY_FAILURE_SERVER, "", "an error without a message (status 200)", -1},
    {SURETY_PROTOCOL_OPENAI, 400, "{\"type\":\"other\",\"message\":\"m\"}",
     SURETY_FAILURE_REQUEST, "other", "m", -1},
    /* What a provider behind this one said. */
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"message\":\"Provider returned "
     "error\",\"metadata\":{\"raw\":\"prompt is too long: 9\"}}}",
     SURETY_FAILURE_CONTEXT, "",
     "Provider returned error: prompt is too long: 9", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"message\":\"\",\"metadata\":{\"raw\":\"only beneath\"}}}",
     SURETY_FAILURE_REQUEST, "", "only beneath", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"message\":\"m\",\"metadata\":{\"raw\":3}}}",
     SURETY_FAILURE_REQUEST, "", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"message\":\"m\",\"param\":\"response_format\"}}",
     SURETY_FAILURE_SCHEMA, "", "m", -1},
    {SURETY_PROTOCOL_OPENAI, 400,
     "{\"error\":{\"message\":\"m\",\"param\":\"other\"}}",
     SURETY_FAILURE_REQUEST, "", "m", -1},
    /* Bodies that are no JSON. */
    {SURETY_PROTOCOL_OPENAI, 502,
     "<html><head><title> Bad Gateway </title></head><body>x</body></html>",
     SURETY_FAILURE_SERVER, "", "Bad Gateway", -1},
    {SURETY_PROTOCOL_OPENAI, 502,
     "<script>var a = '<p>';</script><style>b{}</style><!-- c > d "
     "-->Seen<br>not",
     SURETY_FAILURE_SERVER, "", "Seen", -1},
    {SURETY_PROTOCOL_OPENAI, 502, "<SCRIPT>x</SCRIPT><p>Upper",
     SURETY_FAILURE_SERVER, "", "Upper", -1},
    {SURETY_PROTOCOL_OPENAI, 502, "<p><b>", SURETY_FAILURE_SERVER, "",
     "status 502 and no message", -1},
    {SURETY_PROTOCOL_OPENAI, 502, "<p", SURETY_FAILURE_SERVER, "",
     "status 502 and no message", -1},
    {SURETY_PROTOCOL_OPENAI, 502, "first line\nsecond", SURETY_FAILURE_SERVER,
     "", "first line", -1},
    {SURETY_PROTOCOL_OPENAI, 502, "first line\rsecond", SURETY_FAILURE_SERVER,
     "", "first line", -1},
    {SURETY_PROTOCOL_OPENAI, 502, "  \n lead\n", SURETY_FAILURE_SERVER, "",
     "lead", -1},
    {SURETY_PROTOCOL_OPENAI, 502, "<script>never ends", SURETY_FAILURE_SERVER,
     "", "status 502 and no message", -1},
    {SURETY_PROTOCOL_OPENAI, 529, "text < more", SURETY_FAILURE_OVERLOADED, "",
     "text", -1},
    {SURETY_PROTOCOL_OPENAI, 429, "You specified API usage limits",
     SURETY_FAILURE_QUOTA, "", "You specified API usage limits", -1},
    {SURETY_PROTOCOL_OPENAI, 400, "<scrip>a<scripted>b</scripted>c",
     SURETY_FAILURE_REQUEST, "", "a", -1},
};

static surety_status answer_to(surety__decoder *decoder,
                               surety_protocol protocol, int status,
                               surety_str body, surety_answer *ret_answer)
{
    const surety_header json = {surety_str_of("content-type"),
                                surety_str_of("application/json"), false};
    const surety_model model = {.protocol = protocol};
    const surety__call call = {.model = &model, .mode = SURETY_MODE_NATIVE};

    surety__decoder_begin(decoder, &call, NULL);
    surety__decoder_head(decoder, status, &json, 1);
    surety__decoder_feed(decoder, body);
    surety__decoder_finish(decoder, &ended, 0);
    return surety__decoder_answer(decoder, ret_answer);
}

TEST(reads_what_an_error_holds)
{
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;

    NEED(decoder);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        TRY(answer_to(decoder, rows[i].protocol, rows[i].status,
                      surety_str_of(rows[i].body), &answer));
        if (answer.failure != rows[i].failure)
            printf("# row %zu: %s\n", i, rows[i].body);
        CHECK(answer.failure == rows[i].failure);
        CHECK_TEXT(answer.error_code, rows[i].code);
        CHECK_TEXT(answer.error_message, rows[i].message);
        CHECK(answer.retry_after_ms == rows[i].retry_after_ms);
    }
done:
    surety__decoder_free(decoder);
}

/* A phrase counts where it ends within the first 8,192 bytes of a sentence. */
TEST(searches_so_much_of_a_sentence)
{
    static const char phrase[] = "PROMPT is too long";
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;
    surety_buf body;

    surety_buf_init(&body, check_alloc(t), 0);
    NEED(decoder);
    for (size_t before = 8192 - sizeof(phrase);
         before <= 8192 - sizeof(phrase) + 2; before++) {
        surety_buf_reset(&body);
        surety_buf_text(&body, "{\"error\":{\"message\":\"");
        for (size_t i = 0; i < before; i++)
            surety_buf_byte(&body, '.');
        surety_buf_text(&body, phrase);
        surety_buf_text(&body, "\"}}");
        TRY(body.status);
        TRY(answer_to(decoder, SURETY_PROTOCOL_OPENAI, 400,
                      surety_buf_str(&body), &answer));
        CHECK(answer.failure == (before + sizeof(phrase) - 1 <= 8192
                                     ? SURETY_FAILURE_CONTEXT
                                     : SURETY_FAILURE_REQUEST));
        CHECK(answer.error_message.len == 500 + 3);
    }
done:
    surety_buf_done(&body);
    surety__decoder_free(decoder);
}

/* No control character, none that turns the direction and none that is not
 * seen comes through; those beside them do. */
TEST(blanks_what_may_not_be_shown)
{
    static const struct {
        uint32_t first, last; /* of a range */
    } ranges[] = {{0x01, 0x20},     {0x7F, 0xA0},     {0x61C, 0x61C},
                  {0x200B, 0x200F}, {0x2028, 0x202F}, {0x2060, 0x206F},
                  {0xFEFF, 0xFEFF}};
    surety_buf out, text;

    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_init(&text, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(ranges); i++)
        for (uint32_t code = ranges[i].first - (i > 0);
             code <= ranges[i].last + 1; code++) {
            const bool blank =
                code >= ranges[i].first && code <= ranges[i].last;
            char bytes[4];
            const unsigned len = surety__utf8_encode(code, bytes);

            surety_buf_reset(&out);
            surety_buf_reset(&text);
            surety_buf_byte(&text, 'a');
            surety_buf_append(&text, bytes, len);
            surety_buf_byte(&text, 'b');
            TRY(text.status);
            surety__error_clean(&out, surety_buf_str(&text),
                                (surety_str){NULL, 0}, 10);
            TRY(out.status);
            if (blank)
                CHECK_TEXT(surety_buf_str(&out), "a b");
            else
                CHECK(surety_str_equal(surety_buf_str(&out),
                                       surety_buf_str(&text)));
        }
done:
    surety_buf_done(&text);
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"reads what an error holds", reads_what_an_error_holds},
        {"searches so much of a sentence", searches_so_much_of_a_sentence},
        {"blanks what may not be shown", blanks_what_may_not_be_shown},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
