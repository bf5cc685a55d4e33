/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets in requests and responses, as they are taken out for a recorder. */
#include "provider/redact.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

#define SECRET "sk-canary-0123456789"
#define URL "https://h/v1"

static const surety_str post = {"POST", 4};

static surety_status redacted(surety_str url, surety_str body,
                              const surety_header *headers, size_t count,
                              surety__arena *arena, surety__exchange *ret)
{
    const surety_request request = {.size = sizeof(request),
                                    .method = post,
                                    .url = url,
                                    .headers = headers,
                                    .header_count = count,
                                    .body = body};
    surety__secrets secrets;
    const surety_status status = surety__secrets_of(&request, arena, &secrets);

    return status ? status
                  : surety__redact_request(&secrets, &request, arena, ret);
}

TEST(takes_secrets_out_of_urls)
{
    static const struct {
        const char *url, *shown;
    } urls[] = {
        {"", ""},
        {URL, URL},
        {"http://u@h/", "http://***@h/"},
        {"http://u:p@h/", "http://***@h/"},
        {"http://u@v@h/", "http://***@h/"},
        {"http://@h/", "http://@h/"},
        {"http://h/u@v", "http://h/u@v"},
        {"http://h?u@v", "http://h?u@v"},
        {"http://h#u@v", "http://h#u@v"},
        {"u@h", "u@h"},
        {"http://", "http://"},
        {URL "?key=a", URL "?key=***"},
        {URL "?KEY=a", URL "?KEY=***"},
        {URL "?key=", URL "?key="},
        {URL "?key", URL "?key"},
        {URL "?key&a=b", URL "?key&a=b"},
        {URL "?key#a=b", URL "?key#a=b"},
        {URL "?ke=a&keys=b&xkey=c", URL "?ke=a&keys=b&xkey=c"},
        {URL "?a=b&key=c&d=e", URL "?a=b&key=***&d=e"},
        {URL "?key=a#b", URL "?key=***#b"},
        {URL "?key=a&key=b", URL "?key=***&key=***"},
        {URL "?key=a=b", URL "?key=***"},
        {URL "/key=a", URL "/key=a"},
        {URL "?api_key=a&api-key=b&apikey=c&access_token=d",
         URL "?api_key=***&api-key=***&apikey=***&access_token=***"},
        {URL "?token=a&sig=b&signature=c&x-api-key=d&subscription-key=e",
         URL "?token=***&sig=***&signature=***&x-api-key=***"
             "&subscription-key=***"},
    };
    surety__exchange exchange = {.status = 0};
    surety__arena arena;

    surety__arena_init(&arena, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(urls); i++) {
        /* What is behind the URL is not read. */
        char text[200] = "";
        const size_t len = strlen(urls[i].url);

        memcpy(text, urls[i].url, len);
        memcpy(text + len, "=key&key=@/", 11);
        TRY(redacted((surety_str){text, len}, (surety_str){NULL, 0}, NULL, 0,
                     &arena, &exchange));
        CHECK_TEXT(exchange.url, urls[i].shown);
        CHECK_TEXT(exchange.method, "POST");
        CHECK(exchange.body.len == 0 && exchange.header_count == 0);
    }
done:
    surety__arena_done(&arena);
}

TEST(leaves_out_headers_that_are_secret)
{
    static const char *const secret[] = {
        "authorization", "proxy-authorization", "x-api-key",
        "API-Key",       "x-goog-api-key",      "Cookie"};
    static const char *const plain[] = {"authorizatio", "authorizations",
                                        "x-note", "set-cookie", ""};
    surety__exchange exchange = {.status = 0};
    surety__arena arena;
    surety_header header = {.value = {"value-of-8", 10}};

    surety__arena_init(&arena, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(secret); i++) {
        header.name = surety_str_of(secret[i]);
        TRY(redacted(surety_str_of(URL), surety_str_of("a value-of-8 b"),
                     &header, 1, &arena, &exchange));
        CHECK(exchange.header_count == 0);
        CHECK_TEXT(exchange.body, "a *** b");
    }
    for (size_t i = 0; i < CHECK_COUNT(plain); i++) {
        header.name = surety_str_of(plain[i]);
        TRY(redacted(surety_str_of(URL), surety_str_of("a value-of-8 b"),
                     &header, 1, &arena, &exchange));
        CHECK(exchange.header_count == 1);
        CHECK_TEXT(exchange.headers[0].name, plain[i]);
        CHECK_TEXT(exchange.headers[0].value, "value-of-8");
        CHECK_TEXT(exchange.body, "a value-of-8 b");
    }
done:
    surety__arena_done(&arena);
}

TEST(finds_every_form_of_a_secret)
{
    static const struct {
        const char *value, *body, *shown;
    } cases[] = {
        {"1234567", "1234567", "1234567"},
        {"12345678", "12345678", "***"},
        {"a/0z9A-_.~Z", "a%2F0z9A-_.~Z", "***"},
        {"{`[@/:^", "%7B%60%5B%40%2F%3A%5E", "***"},
        {"12345678", "1234567812345678x12345678", "******x***"},
        {"Bearer 12345678", "12345678 Bearer 12345678", "*** ***"},
        {"Bearer 1234567", "1234567 Bearer 1234567", "1234567 ***"},
        {"Bearer", "Bearer", "Bearer"},
        {"a\"b\\c\nd/e", "a\\\"b\\\\c\\nd/e", "***"},
        {"a\"b\\c\nd/e", "a%22b%5Cc%0Ad%2Fe", "***"},
        {"azAZ09-._~", "azAZ09-._~", "***"},
        {"@[`{/:az", "%40%5B%60%7B%2F%3Aaz", "***"},
        {"\xC3\xB6 234567", "%C3%B6%20234567", "***"},
    };
    surety__exchange exchange = {.status = 0};
    surety__arena arena;
    surety_header header = {.name = {"x-odd", 5}, .secret = true};

    surety__arena_init(&arena, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        header.value = surety_str_of(cases[i].value);
        TRY(redacted(surety_str_of(URL), surety_str_of(cases[i].body), &header,
                     1, &arena, &exchange));
        CHECK_TEXT(exchange.body, cases[i].shown);
        CHECK(exchange.header_count == 0);
    }
    /* "user:password", each alone too. */
    TRY(redacted(surety_str_of("http://long-user:password@h/"),
                 surety_str_of("password long-user long-user:password"), NULL,
                 0, &arena, &exchange));
    CHECK_TEXT(exchange.body, "*** long-user ***");
done:
    surety__arena_done(&arena);
}

/* Wherever a body is cut, what comes out together is the same, and no time is
 * lost. */
TEST(finds_secrets_across_portions)
{
    static const char body[] = "a " SECRET SECRET " b " SECRET;
    static const char shown[] = "a ****** b ***";
    surety_str texts[] = {{SECRET, sizeof(SECRET) - 1}};
    const surety__secrets secrets = {texts, 1};
    const size_t len = sizeof(body) - 1;
    surety__portion portions[sizeof(body)];
    surety__arena arena;
    surety_buf all;

    surety__arena_init(&arena, check_alloc(t), 0);
    surety_buf_init(&all, check_alloc(t), 0);
    for (size_t size = 1; size <= len; size++) {
        surety__exchange exchange = {.end_after_ms = 5, .portions = portions};
        uint64_t time_ms = 0;

        for (size_t at = 0; at < len; at += size)
            portions[exchange.portion_count++] = (surety__portion){
                3, {body + at, at + size < len ? size : len - at}};
        const uint64_t want_ms = 5 + 3 * exchange.portion_count;

        TRY(surety__redact_response(&secrets, &arena, &exchange));
        surety_buf_reset(&all);
        for (size_t i = 0; i < exchange.portion_count; i++) {
            CHECK(exchange.portions[i].bytes.len > 0);
            surety_buf_add(&all, exchange.portions[i].bytes);
            time_ms += exchange.portions[i].after_ms;
        }
        TRY(all.status);
        CHECK_TEXT(surety_buf_str(&all), shown);
        CHECK(time_ms + exchange.end_after_ms == want_ms);
    }
done:
    surety_buf_done(&all);
    surety__arena_done(&arena);
}

TEST(keeps_times_in_their_range)
{
    surety_str texts[] = {{SECRET, sizeof(SECRET) - 1}};
    const surety__secrets secrets = {texts, 1};
    const surety__portion portions[] = {{UINT32_MAX, {SECRET, 10}},
                                        {1, {&SECRET[10], 10}},
                                        {2, {NULL, 0}},
                                        {UINT32_MAX - 1, {SECRET, 15}},
                                        {3, {&SECRET[15], 5}}};
    surety__exchange exchange = {.end_after_ms = UINT32_MAX - 2,
                                 .portions = portions,
                                 .portion_count = CHECK_COUNT(portions)};
    surety__arena arena;

    surety__arena_init(&arena, check_alloc(t), 0);
    TRY(surety__redact_response(&secrets, &arena, &exchange));
    CHECK(exchange.portion_count == 3);
    CHECK(exchange.portions[0].after_ms == UINT32_MAX);
    CHECK_TEXT(exchange.portions[0].bytes, "***");
    CHECK(exchange.portions[1].after_ms == 3);
    CHECK(exchange.portions[1].bytes.len == 0);
    CHECK(exchange.portions[2].after_ms == UINT32_MAX - 1);
    CHECK(exchange.end_after_ms == UINT32_MAX);
done:
    surety__arena_done(&arena);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"takes secrets out of URLs", takes_secrets_out_of_urls},
        {"leaves out headers that are secret",
         leaves_out_headers_that_are_secret},
        {"finds every form of a secret", finds_every_form_of_a_secret},
        {"finds secrets across portions", finds_secrets_across_portions},
        {"keeps times in their range", keeps_times_in_their_range},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
