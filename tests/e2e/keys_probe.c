/* SPDX-License-Identifier: Apache-2.0 */
/* Keys by commands, for tests with several processes:
 *
 *     keys_probe URL [TIMEOUT-MS]
 *
 * It answers each line of stdin with one line on stdout, and only once the call
 * has returned: "ok ...", "denied KIND RETRY_AFTER_MS" or "error STATUS
 * MESSAGE | HINT". Money is in picodollars; a limit of 0 is none.
 *
 *     add NAME REQUESTS TOKENS AT_ONCE DAY MONTH NOW    ok ID SECRET
 *     reserve KEY TOKENS MONEY NOW                      ok GRANT
 *     settle GRANT TOKENS MONEY                         ok
 *     find SECRET NOW                                   ok ID
 *     spent KEY NOW                                     ok DAY MONTH
 *     try                                               ok */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <surety-run.h>

enum { WORDS_MAX = 8 };

static uint64_t number(const char *word)
{
    return word ? strtoull(word, NULL, 10) : 0;
}

static void fail(const surety_error *error)
{
    (void)printf("error %s %s | %s\n", surety_status_name(error->status),
                 error->message, error->hint);
}

static surety_status add(surety_keys *keys, char **words, surety_error *error)
{
    const surety_key key = {.size = sizeof(key),
                            .name = surety_str_of(words[1]),
                            .minute_requests = number(words[2]),
                            .minute_tokens = number(words[3]),
                            .at_once_max = number(words[4]),
                            .day_picousd = number(words[5]),
                            .month_picousd = number(words[6])};
    const int64_t now_ms = (int64_t)number(words[7]);
    const surety_key *found = NULL;
    surety_status status;
    surety_buf secret;

    surety_buf_init(&secret, NULL, 0);
    status = surety_keys_add(keys, &key, now_ms, &secret, error);
    if (!status)
        status = surety_keys_find(keys, surety_buf_str(&secret), now_ms, &found,
                                  error);
    if (!status)
        (void)printf("ok %s %.*s\n", found->id.ptr, (int)secret.len,
                     secret.ptr);
    surety_buf_done(&secret);
    return status;
}

static surety_status reserve(surety_keys *keys, char **words,
                             surety_error *error)
{
    const surety_estimate estimate = {sizeof(estimate), surety_str_of("m"),
                                      number(words[2]), number(words[3])};
    surety_grant grant = {.size = sizeof(grant)};
    const surety_status status =
        surety_keys_reserve(keys, surety_str_of(words[1]), &estimate,
                            (int64_t)number(words[4]), &grant, error);

    if (!status && grant.denial)
        (void)printf("denied %s %llu\n", surety_denial_name(grant.denial),
                     (unsigned long long)grant.retry_after_ms);
    else if (!status)
        (void)printf("ok %s\n", grant.id);
    return status;
}

static surety_status settle(surety_keys *keys, char **words,
                            surety_error *error)
{
    const surety_estimate used = {sizeof(used), surety_str_of(""),
                                  number(words[2]), number(words[3])};
    surety_grant grant = {.size = sizeof(grant)};
    surety_status status;

    memcpy(grant.id, words[1], strnlen(words[1], sizeof(grant.id) - 1));
    status = surety_keys_settle(keys, &grant, &used, error);
    if (!status)
        (void)printf("ok\n");
    return status;
}

static surety_status find(surety_keys *keys, char **words, surety_error *error)
{
    const surety_key *found = NULL;
    const surety_status status =
        surety_keys_find(keys, surety_str_of(words[1]),
                         (int64_t)number(words[2]), &found, error);

    if (!status)
        (void)printf("ok %s\n", found->id.ptr);
    return status;
}

static surety_status try_it(surety_keys *keys, surety_error *error)
{
    const surety_status status = surety_keys_try(keys, error);

    if (!status)
        (void)printf("ok\n");
    return status;
}

static bool print_spent(void *ctx, const surety_key *key)
{
    if (strcmp(key->id.ptr, ctx) != 0)
        return true;
    (void)printf("ok %llu %llu\n", (unsigned long long)key->day_spent_picousd,
                 (unsigned long long)key->month_spent_picousd);
    return false;
}

static surety_status obey(surety_keys *keys, char **words, surety_error *error)
{
    if (!strcmp(words[0], "add"))
        return add(keys, words, error);
    if (!strcmp(words[0], "reserve"))
        return reserve(keys, words, error);
    if (!strcmp(words[0], "settle"))
        return settle(keys, words, error);
    if (!strcmp(words[0], "find"))
        return find(keys, words, error);
    if (!strcmp(words[0], "try"))
        return try_it(keys, error);
    return surety_keys_each(keys, (int64_t)number(words[2]), print_spent,
                            words[1], error);
}

int main(int argc, char **argv)
{
    const surety_keys_options options = {
        .size = sizeof(options),
        .timeout_ms = argc > 2 ? (uint32_t)number(argv[2]) : 0};
    surety_keys *keys = NULL;
    surety_error error;
    char line[512];

    if (argc < 2)
        return 2;
    if (surety_keys_open(surety_str_of(argv[1]), &options, &keys, &error)) {
        fail(&error);
        return 1;
    }
    (void)printf("ok open\n");
    (void)fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        char *words[WORDS_MAX] = {NULL};
        char *rest = line;

        for (size_t i = 0; i < WORDS_MAX && *rest != '\n'; i++) {
            const size_t len = strcspn(rest, " \n");

            words[i] = rest;
            rest += len;
            if (*rest == ' ')
                *rest++ = '\0';
        }
        *rest = '\0';
        if (words[0] && obey(keys, words, &error))
            fail(&error);
        (void)fflush(stdout);
    }
    surety_keys_close(keys);
    return 0;
}
