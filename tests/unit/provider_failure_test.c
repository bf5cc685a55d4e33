/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a provider's error: its class, when to ask again, and what
 * is shown of it. */
#include "provider/provider.h"
#include "provider/protocol.h"

#include <stdio.h>

#include "check.h"

static const surety_delivery ended = {.failure = SURETY_FAILURE_NONE};

/* One error: status, type, code, message, and the class it must get. */
static const struct {
    int status;
    const char *type, *code, *message;
    surety_failure failure;
} rows[] = {
    /* Statuses alone. */
    {400, "", "", "No.", SURETY_FAILURE_REQUEST},
    {401, "", "", "No.", SURETY_FAILURE_AUTH},
    {402, "", "", "No.", SURETY_FAILURE_QUOTA},
    {403, "", "", "No.", SURETY_FAILURE_AUTH},
    {404, "", "", "No.", SURETY_FAILURE_MODEL},
    {405, "", "", "No.", SURETY_FAILURE_REQUEST},
    {408, "", "", "No.", SURETY_FAILURE_SERVER},
    {409, "", "", "No.", SURETY_FAILURE_SERVER},
    {413, "", "", "No.", SURETY_FAILURE_REQUEST},
    {418, "", "", "No.", SURETY_FAILURE_REQUEST},
    {422, "", "", "No.", SURETY_FAILURE_REQUEST},
    {425, "", "", "No.", SURETY_FAILURE_SERVER},
    {429, "", "", "No.", SURETY_FAILURE_RATE_LIMIT},
    {499, "", "", "No.", SURETY_FAILURE_REQUEST},
    {500, "", "", "No.", SURETY_FAILURE_SERVER},
    {501, "", "", "No.", SURETY_FAILURE_REQUEST},
    {502, "", "", "No.", SURETY_FAILURE_SERVER},
    {503, "", "", "No.", SURETY_FAILURE_OVERLOADED},
    {504, "", "", "No.", SURETY_FAILURE_SERVER},
    {524, "", "", "No.", SURETY_FAILURE_SERVER},
    {529, "", "", "No.", SURETY_FAILURE_OVERLOADED},
    {599, "", "", "No.", SURETY_FAILURE_SERVER},
    {600, "", "", "No.", SURETY_FAILURE_PROTOCOL},
    {304, "", "", "No.", SURETY_FAILURE_PROTOCOL},
    {101, "", "", "No.", SURETY_FAILURE_PROTOCOL},
    /* Money, on any status. */
    {429, "", "insufficient_quota", "", SURETY_FAILURE_QUOTA},
    {429, "insufficient_quota", "", "", SURETY_FAILURE_QUOTA},
    {400, "", "billing_hard_limit_reached", "", SURETY_FAILURE_QUOTA},
    {429, "", "billing_not_active", "", SURETY_FAILURE_QUOTA},
    {402, "billing_error", "", "", SURETY_FAILURE_QUOTA},
    {429, "", "insufficient_credits", "", SURETY_FAILURE_QUOTA},
    {429, "", "insufficient_balance", "", SURETY_FAILURE_QUOTA},
    {429, "", "credit_balance_too_low", "", SURETY_FAILURE_QUOTA},
    {429, "", "credits_exhausted", "", SURETY_FAILURE_QUOTA},
    {429, "", "payment_required", "", SURETY_FAILURE_QUOTA},
    {429, "", "Enforced_Spend_Limit_Reached", "", SURETY_FAILURE_QUOTA},
    {400, "invalid_request_error", "", "Your credit balance is too low.",
     SURETY_FAILURE_QUOTA},
    {429, "", "", "Insufficient credits, add more", SURETY_FAILURE_QUOTA},
    {400, "", "", "Insufficient Balance", SURETY_FAILURE_QUOTA},
    /* Keys. */
    {400, "", "invalid_api_key", "", SURETY_FAILURE_AUTH},
    {400, "", "API_KEY_INVALID", "", SURETY_FAILURE_AUTH},
    {400, "", "API_KEY_EXPIRED", "", SURETY_FAILURE_AUTH},
    {200, "authentication_error", "", "", SURETY_FAILURE_AUTH},
    {200, "UNAUTHENTICATED", "", "", SURETY_FAILURE_AUTH},
    {400, "", "account_deactivated", "", SURETY_FAILURE_AUTH},
    {400, "", "", "API key not valid. Please", SURETY_FAILURE_AUTH},
    {400, "", "", "API key expired", SURETY_FAILURE_AUTH},
    {200, "permission_error", "", "", SURETY_FAILURE_AUTH},
    {200, "PERMISSION_DENIED", "", "", SURETY_FAILURE_AUTH},
    /* Filters on the way in. */
    {400, "", "content_policy_violation", "", SURETY_FAILURE_FILTER},
    {400, "", "content_filter", "", SURETY_FAILURE_FILTER},
    {400, "", "moderation_blocked", "", SURETY_FAILURE_FILTER},
    {400, "", "invalid_prompt", "", SURETY_FAILURE_FILTER},
    {403, "", "", "Needs moderation and your input was flagged",
     SURETY_FAILURE_FILTER},
    /* Length. */
    {400, "", "context_length_exceeded", "", SURETY_FAILURE_CONTEXT},
    {400, "exceed_context_size_error", "", "", SURETY_FAILURE_CONTEXT},
    {400, "", "string_above_max_length", "", SURETY_FAILURE_CONTEXT},
    {413, "", "tokens_limit_reached", "", SURETY_FAILURE_CONTEXT},
    {400, "", "", "prompt is too long: 9 tokens > 8", SURETY_FAILURE_CONTEXT},
    {400, "", "", "the maximum context length is 8", SURETY_FAILURE_CONTEXT},
    {400, "", "", "input length and `max_tokens` exceed context limit",
     SURETY_FAILURE_CONTEXT},
    {400, "", "", "it exceeds the available context size",
     SURETY_FAILURE_CONTEXT},
    {400, "", "", "Your input exceeds the context window of this model",
     SURETY_FAILURE_CONTEXT},
    {400, "", "", "exceeds the maximum number of tokens allowed (8)",
     SURETY_FAILURE_CONTEXT},
    {400, "", "", "input length exceeds the context length",
     SURETY_FAILURE_CONTEXT},
    {429, "tokens", "rate_limit_exceeded", "Request too large for bolt-2",
     SURETY_FAILURE_CONTEXT},
    /* Schemas and modes. */
    {400, "", "invalid_json_schema", "", SURETY_FAILURE_SCHEMA},
    {400, "", "invalid_function_parameters", "", SURETY_FAILURE_SCHEMA},
    {400, "", "json_validate_failed", "", SURETY_FAILURE_SCHEMA},
    {400, "", "tool_use_failed", "", SURETY_FAILURE_SCHEMA},
    {400, "", "", "The compiled grammar is too large", SURETY_FAILURE_SCHEMA},
    {400, "", "", "Schema is too complex", SURETY_FAILURE_SCHEMA},
    {400, "", "", "too many states for serving", SURETY_FAILURE_SCHEMA},
    {500, "", "", "Failed to parse grammar", SURETY_FAILURE_SCHEMA},
    {500, "", "", "Failed to initialize samplers", SURETY_FAILURE_SCHEMA},
    {500, "", "", "Invalid grammar: x", SURETY_FAILURE_SCHEMA},
    {500, "", "", "invalid JSON schema in format", SURETY_FAILURE_SCHEMA},
    {500, "", "", "JSON schema conversion failed", SURETY_FAILURE_SCHEMA},
    {400, "", "",
     "Thinking may not be enabled when tool_choice forces tool use.",
     SURETY_FAILURE_SCHEMA},
    {400, "", "", "bolt:1b does not support tools", SURETY_FAILURE_SCHEMA},
    {404, "", "", "No endpoints found that support tool use",
     SURETY_FAILURE_SCHEMA},
    {404, "", "", "No endpoints can handle the requested parameters",
     SURETY_FAILURE_SCHEMA},
    {400, "", "", "JSON mode is not enabled for bolt", SURETY_FAILURE_SCHEMA},
    {400, "", "", "Function calling is not enabled", SURETY_FAILURE_SCHEMA},
    {400, "", "", "'response_format' is not supported", SURETY_FAILURE_SCHEMA},
    {422, "", "", "response_format: no", SURETY_FAILURE_SCHEMA},
    {400, "", "", "in text.format.schema", SURETY_FAILURE_SCHEMA},
    {400, "", "", "output_config: no", SURETY_FAILURE_SCHEMA},
    {400, "", "", "output_format: no", SURETY_FAILURE_SCHEMA},
    {400, "", "", "tools.0.input_schema: no", SURETY_FAILURE_SCHEMA},
    {400, "", "", "tool_choice: no", SURETY_FAILURE_SCHEMA},
    {422, "", "", "tool_choice: no", SURETY_FAILURE_SCHEMA},
    {400, "", "", "json_schema is not supported", SURETY_FAILURE_SCHEMA},
    {400, "", "", "this JSON Schema is not supported", SURETY_FAILURE_SCHEMA},
    {400, "", "", "response_schema: no", SURETY_FAILURE_SCHEMA},
    {400, "", "", "responseSchema: no", SURETY_FAILURE_SCHEMA},
    {400, "", "", "response_json_schema: no", SURETY_FAILURE_SCHEMA},
    {400, "", "", "responseJsonSchema: no", SURETY_FAILURE_SCHEMA},
    {400, "", "", "function_declarations: no", SURETY_FAILURE_SCHEMA},
    {500, "", "", "response_format: crash", SURETY_FAILURE_SERVER},
    /* Models. */
    {400, "", "model_not_found", "", SURETY_FAILURE_MODEL},
    {400, "", "model_not_available", "", SURETY_FAILURE_MODEL},
    {404, "", "DeploymentNotFound", "", SURETY_FAILURE_MODEL},
    {200, "not_found_error", "", "", SURETY_FAILURE_MODEL},
    {200, "NOT_FOUND", "", "", SURETY_FAILURE_MODEL},
    {400, "", "", "bolt/9 is not a valid model ID", SURETY_FAILURE_MODEL},
    /* Too much. */
    {200, "", "rate_limit_exceeded", "", SURETY_FAILURE_RATE_LIMIT},
    {200, "rate_limit_error", "", "", SURETY_FAILURE_RATE_LIMIT},
    {200, "RESOURCE_EXHAUSTED", "", "", SURETY_FAILURE_RATE_LIMIT},
    {200, "too_many_requests", "", "", SURETY_FAILURE_RATE_LIMIT},
    {503, "", "slow_down", "", SURETY_FAILURE_RATE_LIMIT},
    {200, "overloaded_error", "", "", SURETY_FAILURE_OVERLOADED},
    {500, "", "server_is_overloaded", "", SURETY_FAILURE_OVERLOADED},
    {500, "", "engine_overloaded", "", SURETY_FAILURE_OVERLOADED},
    {500, "engine_overloaded_error", "", "", SURETY_FAILURE_OVERLOADED},
    {500, "", "model_overloaded", "", SURETY_FAILURE_OVERLOADED},
    {200, "UNAVAILABLE", "", "", SURETY_FAILURE_OVERLOADED},
    {500, "", "", "The model is overloaded.", SURETY_FAILURE_OVERLOADED},
    {500, "", "", "That model is currently overloaded",
     SURETY_FAILURE_OVERLOADED},
    /* Names that say little. */
    {200, "invalid_request_error", "", "", SURETY_FAILURE_REQUEST},
    {200, "request_too_large", "", "", SURETY_FAILURE_REQUEST},
    {200, "INVALID_ARGUMENT", "", "", SURETY_FAILURE_REQUEST},
    {200, "FAILED_PRECONDITION", "", "", SURETY_FAILURE_REQUEST},
    {200, "server_error", "", "", SURETY_FAILURE_SERVER},
    {200, "api_error", "", "", SURETY_FAILURE_SERVER},
    {200, "timeout_error", "", "", SURETY_FAILURE_SERVER},
    {200, "novel_error", "", "Who knows.", SURETY_FAILURE_SERVER},
    {200, "", "", "Who knows.", SURETY_FAILURE_SERVER},
};

TEST(puts_errors_into_classes)
{
    const surety_header json = {surety_str_of("content-type"),
                                surety_str_of("application/json"), false};
    const surety_model model = {.protocol = SURETY_PROTOCOL_OPENAI};
    const surety__call call = {.model = &model, .mode = SURETY_MODE_NATIVE};
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;
    char body[512];

    NEED(decoder);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const bool code = rows[i].code[0] != '\0';

        snprintf(body, sizeof(body),
                 "{\"error\":{\"type\":\"%s\",\"code\":%s%s%s,\"message\":"
                 "\"%s\"}}",
                 rows[i].type, code ? "\"" : "", code ? rows[i].code : "null",
                 code ? "\"" : "", rows[i].message);
        surety__decoder_begin(decoder, &call, NULL);
        surety__decoder_head(decoder, rows[i].status, &json, 1);
        surety__decoder_feed(decoder, surety_str_of(body));
        surety__decoder_finish(decoder, &ended, 0);
        TRY(surety__decoder_answer(decoder, &answer));
        if (answer.failure != rows[i].failure)
            printf("# row %zu: %d %s %s %s\n", i, rows[i].status, rows[i].type,
                   rows[i].code, rows[i].message);
        CHECK(answer.failure == rows[i].failure);
        CHECK_TEXT(answer.error_code, code ? rows[i].code : rows[i].type);
        CHECK(answer.error_message.len > 0);
        CHECK(answer.http_status == rows[i].status);
        CHECK(!answer.ambiguous && !answer.usage.known);
    }
done:
    surety__decoder_free(decoder);
}

#define YEAR_MS (INT64_C(366) * 24 * 3600 * 1000)

static const struct {
    const char *text;
    int64_t seconds, ms, date;
} retries[] = {
    {"7", 7000, 7, -1},
    {" 7 ", 7000, 7, -1},
    {"0", 0, 0, -1},
    {"1.5", 1500, 1, -1},
    {"1.", 1000, 1, -1},
    {"0.0009", 0, 0, -1},
    {"-1", -1, -1, -1},
    {"+1", -1, -1, -1},
    {".5", -1, -1, -1},
    {"1e9", -1, -1, -1},
    {"7s", -1, -1, -1},
    {"", -1, -1, -1},
    {"1000000000", YEAR_MS, 1000000000, -1},
    {"31622400", YEAR_MS, 31622400, -1},
    {"31622399", YEAR_MS - 1000, 31622399, -1},
    {"99999999999999999999999999999999", YEAR_MS, YEAR_MS, -1},
    {"Sun, 06 Nov 1994 08:49:37 GMT", -1, -1, INT64_C(784111777000)},
    {"Sunday, 06-Nov-94 08:49:37 GMT", -1, -1, INT64_C(784111777000)},
    {"Sunday, 06-Nov-26 08:49:37 GMT", -1, -1, INT64_C(1793954977000)},
    {"Sun Nov  6 08:49:37 1994", -1, -1, INT64_C(784111777000)},
    {"Thu, 01 Jan 1970 00:00:00 GMT", -1, -1, 0},
    {"Tue, 29 Feb 2028 12:00:00 GMT", -1, -1, INT64_C(1835438400000)},
    {"Wed, 01 Mar 2028 00:00:00 GMT", -1, -1, INT64_C(1835481600000)},
    {"Fri, 31 Dec 9999 23:59:60 GMT", -1, -1, INT64_C(253402300800000)},
    {"Sun, 06 Nov 1969 08:49:37 GMT", -1, -1, -1},
    {"Sun, 06 Nov 1994 24:49:37 GMT", -1, -1, -1},
    {"Sun, 06 Nov 1994 08:60:37 GMT", -1, -1, -1},
    {"Sun, 00 Nov 1994 08:49:37 GMT", -1, -1, -1},
    {"Sun, 06 Nov 1994 08:49:37 CET", -1, -1, -1},
    {"Sun, 06 Nov 1994", -1, -1, -1},
    {"Sun, 06 Foo 1994 08:49:37 GMT", -1, -1, -1},
    {"Sun, ", -1, -1, -1},
    {",", -1, -1, -1},
    {"soon", -1, -1, -1},
    {"Fri, 05 Jan 2027 01:02:03 GMT", -1, -1, INT64_C(1799110923000)},
    {"Fri, 05 Feb 2027 01:02:03 GMT", -1, -1, INT64_C(1801789323000)},
    {"Fri, 05 Mar 2027 01:02:03 GMT", -1, -1, INT64_C(1804208523000)},
    {"Fri, 05 Apr 2027 01:02:03 GMT", -1, -1, INT64_C(1806886923000)},
    {"Fri, 05 May 2027 01:02:03 GMT", -1, -1, INT64_C(1809478923000)},
    {"Fri, 05 Jun 2027 01:02:03 GMT", -1, -1, INT64_C(1812157323000)},
    {"Fri, 05 Jul 2027 01:02:03 GMT", -1, -1, INT64_C(1814749323000)},
    {"Fri, 05 Aug 2027 01:02:03 GMT", -1, -1, INT64_C(1817427723000)},
    {"Fri, 05 Sep 2027 01:02:03 GMT", -1, -1, INT64_C(1820106123000)},
    {"Fri, 05 Oct 2027 01:02:03 GMT", -1, -1, INT64_C(1822698123000)},
    {"Fri, 05 Nov 2027 01:02:03 GMT", -1, -1, INT64_C(1825376523000)},
    {"Fri, 05 Dec 2027 01:02:03 GMT", -1, -1, INT64_C(1827968523000)},
    {"Fri, 29 Feb 2000 00:00:00 GMT", -1, -1, INT64_C(951782400000)},
    {"Fri, 01 Mar 2000 00:00:00 GMT", -1, -1, INT64_C(951868800000)},
    {"Fri, 28 Feb 2100 00:00:00 GMT", -1, -1, INT64_C(4107456000000)},
    {"Fri, 01 Mar 2100 00:00:00 GMT", -1, -1, INT64_C(4107542400000)},
    {"Fri, 28 Feb 2028 00:00:00 GMT", -1, -1, INT64_C(1835308800000)},
    {"Fri, 31 Dec 2028 00:00:00 GMT", -1, -1, INT64_C(1861833600000)},
    {"Fri, 02 Jan 1970 00:00:00 GMT", -1, -1, INT64_C(86400000)},
    {"Fri, 01 Mar 1972 00:00:00 GMT", -1, -1, INT64_C(68256000000)},
    {"Fri, 01 Jan 2001 00:00:00 GMT", -1, -1, INT64_C(978307200000)},
    {"Fri, 01 Jan 2101 00:00:00 GMT", -1, -1, INT64_C(4133980800000)},
    {"Fri, 01 Mar 2400 00:00:00 GMT", -1, -1, INT64_C(13574649600000)},
    {"Fri, 01-Jan-69 00:00:00 GMT", -1, -1, INT64_C(3124224000000)},
    {"Fri, 01-Jan-70 00:00:00 GMT", -1, -1, 0},
    {"Fri, 01-Jan-00 00:00:00 GMT", -1, -1, INT64_C(946684800000)},
    {"Fri, 01-Jan-99 00:00:00 GMT", -1, -1, INT64_C(915148800000)},
    {"fri,01 jan 2027 00:00:00 GMT", -1, -1, INT64_C(1798761600000)},
    {"Fri, 1 Jan 2027 0:0:0 GMT", -1, -1, INT64_C(1798761600000)},
    {"Fri, 31 Jan 2027 23:59:60 GMT", -1, -1, INT64_C(1801440000000)},
    {" Fri Jan 01 00:00:00 2027 ", -1, -1, INT64_C(1798761600000)},
    {"Fri, 001 Jan 2027 00:00:00 GMT", -1, -1, -1},
    {"Fri, 32 Jan 2027 00:00:00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 02027 00:00:00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 100 00:00:00 GMT", -1, -1, -1},
    {"Fri, 01Jan 2027 00:00:00 GMT", -1, -1, -1},
    {"Fri, 01 Jan2027 00:00:00 GMT", -1, -1, -1},
    {"Fri, 01 Ja 2027 00:00:00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 202700:00:00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 2027 000:00:00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 2027 00:000:00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 2027 00:00:000 GMT", -1, -1, -1},
    {"Fri, 01 Jan 2027 00:00:61 GMT", -1, -1, -1},
    {"Fri, 01 Jan 2027 00:00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 2027 00.00.00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 2027 :00:00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 2027 00::00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 2027 00:00: GMT", -1, -1, -1},
    {"Fri, Jan 2027 00:00:00 GMT", -1, -1, -1},
    {"Fri, 01 Jan 2027 00:00:00", -1, -1, -1},
    {"Fri, 01 Jan 2027 00:00:00 GMTx", -1, -1, -1},
    {"Fri Jan 01 00:00:00 02027", -1, -1, -1},
    {"Fri Jan 001 00:00:00 2027", -1, -1, -1},
    {"Fri Jan01 00:00:00 2027", -1, -1, -1},
    {"Fri Jan 0100:00:00 2027", -1, -1, -1},
    {"Fri Jan 01 00:00:002027", -1, -1, -1},
    {"Fri Jan 01 00:00:00", -1, -1, -1},
    {"Fri Jan 01 00:00:00 27", -1, -1, -1},
    {"Jan", -1, -1, -1},
    {"1.2345", 1234, 1, -1},
    {"1.5x", -1, -1, -1},
    {"1..5", -1, -1, -1},
    {"0.00099999", 0, 0, -1},
    {"00000000000000000000007", 7000, 7, -1},
    {"31622399.9999", YEAR_MS - 1, 31622399, -1},
    {"31622400000", YEAR_MS, YEAR_MS, -1},
    {"31622399999", YEAR_MS, YEAR_MS - 1, -1},
    {"31622400001", YEAR_MS, YEAR_MS, -1},
    {"7 7", -1, -1, -1},
    {"/", -1, -1, -1},
    {":", -1, -1, -1},
    {"9.09", 9090, 9, -1},
    {"1,5", -1, -1, -1},
};

TEST(reads_retry_after)
{
    for (size_t i = 0; i < CHECK_COUNT(retries); i++) {
        const surety_str text = surety_str_of(retries[i].text);

        CHECK(surety__retry_seconds(text) == retries[i].seconds);
        CHECK(surety__retry_ms(text) == retries[i].ms);
        CHECK(surety__retry_date(text) == retries[i].date);
        /* Nothing is read past the end. */
        for (size_t len = 0; len < text.len; len++) {
            const surety_str cut = {text.ptr, len};

            (void)surety__retry_seconds(cut);
            (void)surety__retry_date(cut);
        }
    }
    CHECK(surety__retry_until(5000, 2000) == 3000);
    CHECK(surety__retry_until(2000, 2000) == 0);
    CHECK(surety__retry_until(2001, 2000) == 1);
    CHECK(surety__retry_until(YEAR_MS, 0) == YEAR_MS);
    CHECK(surety__retry_until(YEAR_MS + 2, 3) == YEAR_MS - 1);
    CHECK(surety__retry_until(YEAR_MS + 9, -1) == YEAR_MS);
    CHECK(surety__retry_until(-1, -2) == YEAR_MS);
    CHECK(surety__retry_until(2000, 5000) == 0);
    CHECK(surety__retry_until(YEAR_MS + 1, 0) == YEAR_MS);
    CHECK(surety__retry_until(5, INT64_MIN) == YEAR_MS);
    CHECK(surety__retry_until(0, INT64_MAX) == 0);
done:;
}

TEST(shows_one_clean_line)
{
    static const struct {
        const char *text, *secret;
        size_t max;
        const char *shown;
    } texts[] = {
        {"", "", 10, ""},
        {"  a  b\t\r\nc  ", "", 10, "a b c"},
        {"0123456789", "", 10, "0123456789"},
        {"0123456789a", "", 10, "0123456789..."},
        {"012345678\xC3\xB6", "", 10, "012345678..."},
        {"01234567\xC3\xB6", "", 10, "01234567\xC3\xB6"},
        {"\x1B[31mred\x7F\xC2\x9B"
         "31m",
         "", 20, "[31mred 31m"},
        {"a\xE2\x80\xAE"
         "b\xE2\x81\xA6"
         "c\xEF\xBB\xBF"
         "d",
         "", 20, "a b c d"},
        {"a\xFF\xFE"
         "b\xC3",
         "", 20, "a b"},
        {"key sk-1 and sk-1", "sk-1", 40, "key *** and ***"},
        {"sk-1sk-1sk-1", "sk-1", 6, "******..."},
        {"xsk-", "sk-1", 6, "xsk-"},
        {"0123456sk-1", "sk-1", 9, "0123456..."},
    };
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
        surety_buf_reset(&out);
        surety__error_clean(&out, surety_str_of(texts[i].text),
                            surety_str_of(texts[i].secret), texts[i].max);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), texts[i].shown);
    }
done:
    surety_buf_done(&out);
}

TEST(knows_every_failure)
{
    for (int i = 0; i < SURETY_FAILURE_COUNT; i++) {
        const char *name = surety_failure_name((surety_failure)i);

        CHECK(name && name[0]);
        for (int k = 0; k < i; k++)
            CHECK(strcmp(name, surety_failure_name((surety_failure)k)));
    }
    CHECK(surety__failure_passes(SURETY_FAILURE_RATE_LIMIT));
    CHECK(!surety__failure_passes(SURETY_FAILURE_QUOTA));
done:;
}

TEST(prices_tokens)
{
    const surety_price price = {true, 250000, 25000, 2000000};
    const surety_usage usage = {true, 1000, 400, 50, 10};
    const surety_price dear = {true, UINT64_MAX / 2, 1, 1};

    CHECK(surety_price_cost(&price, &usage) ==
          600u * 250000u + 400u * 25000u + 50u * 2000000u);
    CHECK(surety_price_cost(&dear, &usage) == UINT64_MAX);
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"puts errors into classes", puts_errors_into_classes},
        {"reads Retry-After", reads_retry_after},
        {"shows one clean line", shows_one_clean_line},
        {"knows every failure", knows_every_failure},
        {"prices tokens", prices_tokens},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
