/* SPDX-License-Identifier: Apache-2.0 */
/* Keys in a file of SQLite, through the public header: added, found, revoked,
 * each limit at it, one below and one above. What needs several processes is
 * in tests/e2e/keys_test.py. */
#include "base/base.h"
#include "check.h"
#include "keys/keys.h"
#include "ledger_place.h"

/* 2026-11-28T16:00:00Z, and what is left of that day. */
#define NOW ((int64_t)1795881600000)
#define DAY_LEFT ((int64_t)8 * 3600 * 1000)
#define DOLLAR UINT64_C(1000000000000)

static surety_status open_at(struct check *t, const place *at,
                             surety_keys **ret_keys)
{
    const surety_keys_options options = {
        .size = sizeof(options), .timeout_ms = 2000, .alloc = check_alloc(t)};

    return surety_keys_open(surety_str_of(at->path), &options, ret_keys, NULL);
}

/* What is known of a key after adding it. */
typedef struct added {
    surety_buf secret;
    char id[32];
} added;

/* Adds a key, finds it, and gives its id. */
static surety_status add(surety_keys *keys, surety_key key, added *out)
{
    const surety_key *found = NULL;
    surety_status status;

    key.size = sizeof(key);
    if (!key.name.len)
        key.name = surety_str_of("a");
    status = surety_keys_add(keys, &key, NOW, &out->secret, NULL);
    if (!status)
        status = surety_keys_find(keys, surety_buf_str(&out->secret), NOW,
                                  &found, NULL);
    if (status)
        return status;
    memcpy(out->id, found->id.ptr, found->id.len + 1);
    return SURETY_OK;
}

static surety_status reserve(surety_keys *keys, const added *key,
                             uint64_t tokens, uint64_t picousd, int64_t now_ms,
                             surety_grant *ret_grant)
{
    const surety_estimate estimate = {sizeof(estimate), surety_str_of("m"),
                                      tokens, picousd};

    ret_grant->size = sizeof(*ret_grant);
    return surety_keys_reserve(keys, surety_str_of(key->id), &estimate, now_ms,
                               ret_grant, NULL);
}

static surety_status settle(surety_keys *keys, const surety_grant *grant,
                            uint64_t tokens, uint64_t picousd)
{
    const surety_estimate used = {sizeof(used), surety_str_of(""), tokens,
                                  picousd};

    return surety_keys_settle(keys, grant, &used, NULL);
}

TEST(hashes_as_the_standard_says)
{
    /* FIPS 180-4's examples, and lengths around a block. */
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
    };
    char digest[SURETY__DIGEST_LEN];
    char hex[65];

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety__sha256(surety_str_of(rows[i].text), digest);
        for (size_t at = 0; at < 32; at++)
            (void)snprintf(hex + 2 * at, 3, "%02x", (unsigned char)digest[at]);
        CHECK_TEXT(surety_str_of(hex), rows[i].want);
    }
    CHECK(surety__digest_equal(digest, digest));
    for (size_t at = 0; at < 32; at++) {
        char other[SURETY__DIGEST_LEN];

        memcpy(other, digest, sizeof(other));
        other[at] = (char)(other[at] ^ 0x40);
        CHECK(!surety__digest_equal(digest, other));
    }
done:
    return;
}

TEST(makes_secrets_that_differ)
{
    char a[SURETY__SECRET_LEN + 1] = "";
    char b[SURETY__SECRET_LEN + 1] = "";

    TRY(surety__secret_make(a, NULL));
    TRY(surety__secret_make(b, NULL));
    CHECK(surety__secret_formed(surety_str_of(a)) && strcmp(a, b) != 0);
    CHECK(!surety__secret_formed(surety_str_of(a + 1)));
    CHECK(!surety__secret_formed((surety_str){a, SURETY__SECRET_LEN - 1}));
    a[20] = ' ';
    CHECK(!surety__secret_formed(surety_str_of(a)));
done:
    return;
}

TEST(knows_days_and_months)
{
    const surety__periods now = surety__periods_of(NOW);
    /* The last millisecond of a leap year, and the time before 1970. */
    const surety__periods leap = surety__periods_of(1735689599999);
    const surety__periods early = surety__periods_of(-1);

    CHECK(now.day == 20261128 && now.month == 202611);
    CHECK(now.day_end_ms == NOW + DAY_LEFT);
    CHECK(now.month_end_ms == NOW + DAY_LEFT + (int64_t)2 * 86400000);
    CHECK(leap.day == 20241231 && leap.month_end_ms == 1735689600000 &&
          leap.day_end_ms == 1735689600000);
    CHECK(early.day == 19691231 && early.day_end_ms == 0);
done:
    return;
}

typedef struct listed {
    size_t count;
    surety_key last;
    size_t models;
    bool is_same; /* the models are those of the test */
} listed;

static bool list(void *ctx, const surety_key *key)
{
    listed *to = ctx;

    to->count++;
    to->last = *key;
    to->is_same = key->model_count == 2 &&
                  surety_str_equal(key->models[0], surety_str_of("gpt-5*")) &&
                  surety_str_equal(key->models[1], surety_str_of("o3"));
    return true;
}

TEST(keeps_what_a_key_has)
{
    const surety_str models[] = {surety_str_of("gpt-5*"), surety_str_of("o3")};
    const surety_key given = {.size = sizeof(given),
                              .name = surety_str_of("team ü"),
                              .admin = true,
                              .models = models,
                              .model_count = 2,
                              .minute_requests = 1,
                              .minute_tokens = 2,
                              .at_once_max = 3,
                              .day_picousd = 4,
                              .month_picousd = 5,
                              .expires_ms = NOW + 1000};
    const surety_key *found = NULL;
    surety_keys *keys = NULL;
    listed seen = {.count = 0};
    added key = {.id = ""};
    surety_buf text;
    place at;

    place_make(&at);
    surety_buf_init(&key.secret, check_alloc(t), 0);
    surety_buf_init(&text, check_alloc(t), 0);
    TRY(open_at(t, &at, &keys));
    TRY(add(keys, given, &key));
    CHECK(key.secret.len == SURETY__SECRET_LEN &&
          strlen(key.id) == SURETY__KEY_ID_LEN);
    TRY(surety_keys_each(keys, NOW, list, &seen, NULL));
    CHECK(seen.count == 1 && seen.is_same);
    CHECK(seen.last.admin && seen.last.minute_requests == 1 &&
          seen.last.minute_tokens == 2 && seen.last.at_once_max == 3 &&
          seen.last.day_picousd == 4 && seen.last.month_picousd == 5 &&
          seen.last.created_ms == NOW && !seen.last.revoked_ms &&
          !seen.last.used_ms && seen.last.expires_ms == NOW + 1000);
    /* It expires, and another one may not have its name. */
    EXPECT(SURETY_END, surety_keys_find(keys, surety_buf_str(&key.secret),
                                        NOW + 1000, &found, NULL));
    EXPECT(SURETY_MISUSE, surety_keys_add(keys, &given, NOW, &text, NULL));
    CHECK(!text.len);
    TRY(surety_keys_revoke(keys, surety_str_of("team ü"), NOW, NULL));
    EXPECT(SURETY_END,
           surety_keys_revoke(keys, surety_str_of("team ü"), NOW, NULL));
    EXPECT(SURETY_END, surety_keys_find(keys, surety_buf_str(&key.secret), NOW,
                                        &found, NULL));
    TRY(surety_keys_add(keys, &given, NOW, &text, NULL));
done:
    surety_keys_close(keys);
    surety_buf_done(&key.secret);
    surety_buf_done(&text);
    place_remove(&at);
}

TEST(refuses_what_no_key_can_be)
{
    const surety_str empty = surety_str_of("");
    const surety_str lines = surety_str_of("a\nb");
    char name[202];
    const surety_key wrong[] = {
        {.name = surety_str_of("a\tb")},
        {.name = surety_str_of("a"), .models = &empty, .model_count = 1},
        {.name = surety_str_of("a"), .models = &lines, .model_count = 1},
        {.name = surety_str_of("a"), .day_picousd = UINT64_MAX / 8 + 1},
        {.name = surety_str_of("\xFF")},
        {.name = {name, 201}},
    };
    surety_keys *keys = NULL;
    surety_buf secret;
    place at;

    memset(name, 'n', sizeof(name));
    place_make(&at);
    surety_buf_init(&secret, check_alloc(t), 0);
    TRY(open_at(t, &at, &keys));
    for (size_t i = 0; i < CHECK_COUNT(wrong); i++) {
        surety_key key = wrong[i];

        key.size = sizeof(key);
        EXPECT(SURETY_MISUSE, surety_keys_add(keys, &key, NOW, &secret, NULL));
    }
    TRY(surety_keys_add(
        keys, &(surety_key){.size = sizeof(surety_key), .name = {name, 200}},
        NOW, &secret, NULL));
done:
    surety_keys_close(keys);
    surety_buf_done(&secret);
    place_remove(&at);
}

/* Two objects are two processes' for the database: what one revokes, the other
 * finds no more once what it has read is not fresh. */
TEST(finds_for_as_long_as_it_is_fresh)
{
    const surety_key *found = NULL;
    surety_keys *keys[2] = {NULL, NULL};
    added key = {.id = ""};
    surety_str secret;
    place at;

    place_make(&at);
    surety_buf_init(&key.secret, check_alloc(t), 0);
    TRY(open_at(t, &at, &keys[0]));
    TRY(open_at(t, &at, &keys[1]));
    TRY(add(keys[0], (surety_key){.name = surety_str_of("a")}, &key));
    secret = surety_buf_str(&key.secret);
    TRY(surety_keys_find(keys[1], secret, NOW, &found, NULL));
    CHECK_TEXT(found->name, "a");
    TRY(surety_keys_revoke(keys[0], surety_str_of(key.id), NOW, NULL));
    EXPECT(SURETY_END, surety_keys_find(keys[0], secret, NOW, &found, NULL));
    TRY(surety_keys_find(keys[1], secret, NOW + 1999, &found, NULL));
    EXPECT(SURETY_END,
           surety_keys_find(keys[1], secret, NOW + 2000, &found, NULL));
    /* A secret that no key has, and what is no secret at all. */
    key.secret.ptr[30] = key.secret.ptr[30] == 'x' ? 'y' : 'x';
    EXPECT(SURETY_END, surety_keys_find(keys[1], secret, NOW, &found, NULL));
    EXPECT(SURETY_END,
           surety_keys_find(keys[1], surety_str_of("sk-1"), NOW, &found, NULL));
done:
    surety_keys_close(keys[0]);
    surety_keys_close(keys[1]);
    surety_buf_done(&key.secret);
    place_remove(&at);
}

/* The cache: guesses push out each other, and no key. */
TEST(guesses_push_out_no_key)
{
    surety__found found = {.set_count = 0};
    char known[3][SURETY__DIGEST_LEN];
    char guess[SURETY__DIGEST_LEN] = "";

    NEED(surety__found_init(&found, 4, check_alloc(t)) ? &found : NULL);
    for (size_t i = 0; i < 3; i++) {
        memset(known[i], (int)i + 1, SURETY__DIGEST_LEN);
        surety__found_add(&found, known[i])->is_known = true;
    }
    for (unsigned char i = 10; i < 200; i++) {
        memset(guess, i, sizeof(guess));
        CHECK(!surety__found_get(&found, guess));
        (void)surety__found_add(&found, guess);
        CHECK(surety__found_get(&found, guess) != NULL);
    }
    for (size_t i = 0; i < 3; i++)
        CHECK(surety__found_get(&found, known[i])->is_known);
    surety__found_reset(&found);
    CHECK(!surety__found_get(&found, known[0]));
done:
    surety__found_done(&found);
}

TEST(bounds_a_budget)
{
    surety_keys *keys = NULL;
    added key = {.id = ""};
    listed seen = {.count = 0};
    surety_grant a, b;
    place at;

    place_make(&at);
    surety_buf_init(&key.secret, check_alloc(t), 0);
    TRY(open_at(t, &at, &keys));
    TRY(add(keys, (surety_key){.day_picousd = 10 * DOLLAR}, &key));
    /* More than all of it, all of it, and one too much beside that. */
    TRY(reserve(keys, &key, 0, 10 * DOLLAR + 1, NOW, &a));
    CHECK(a.denial == SURETY_DENIAL_DAY && !a.retry_after_ms && !a.id[0]);
    TRY(reserve(keys, &key, 5, 10 * DOLLAR, NOW, &a));
    CHECK(!a.denial && strlen(a.id) == SURETY__RESERVATION_ID_LEN);
    TRY(reserve(keys, &key, 0, 1, NOW, &b));
    CHECK(b.denial == SURETY_DENIAL_DAY && b.retry_after_ms == 1000);
    CHECK_TEXT(surety_str_of(b.message),
               "the key \"a\" may spend 10.00 dollars a day: 0.00 are spent, "
               "10.00 are reserved by requests under way, and this request "
               "does not fit");
    /* What was not used is free again, and a second end changes nothing. */
    TRY(settle(keys, &a, 7, 4 * DOLLAR));
    TRY(settle(keys, &a, 7, 4 * DOLLAR));
    TRY(reserve(keys, &key, 0, 6 * DOLLAR + 1, NOW, &b));
    CHECK(b.denial == SURETY_DENIAL_DAY && b.retry_after_ms == DAY_LEFT);
    TRY(reserve(keys, &key, 0, 6 * DOLLAR, NOW, &b));
    CHECK(!b.denial);
    TRY(surety_keys_each(keys, NOW, list, &seen, NULL));
    CHECK(seen.last.day_spent_picousd == 4 * DOLLAR &&
          seen.last.month_spent_picousd == 4 * DOLLAR &&
          seen.last.used_ms == NOW);
    /* The next day; then it lapses, and still is counted when it is settled:
     * in the day in which it was reserved. */
    TRY(reserve(keys, &key, 0, 10 * DOLLAR, NOW + DAY_LEFT, &a));
    CHECK(!a.denial);
    TRY(reserve(keys, &key, 0, 1, NOW + DAY_LEFT + 899999, &b));
    CHECK(b.denial == SURETY_DENIAL_DAY);
    TRY(reserve(keys, &key, 0, 10 * DOLLAR, NOW + DAY_LEFT + 900000, &b));
    CHECK(!b.denial);
    TRY(settle(keys, &a, 0, 3 * DOLLAR));
    TRY(surety_keys_each(keys, NOW + DAY_LEFT, list, &seen, NULL));
    CHECK(seen.last.day_spent_picousd == 3 * DOLLAR &&
          seen.last.month_spent_picousd == 7 * DOLLAR);
done:
    surety_keys_close(keys);
    surety_buf_done(&key.secret);
    place_remove(&at);
}

TEST(bounds_a_month)
{
    surety_keys *keys = NULL;
    added key = {.id = ""};
    surety_grant a;
    place at;

    place_make(&at);
    surety_buf_init(&key.secret, check_alloc(t), 0);
    TRY(open_at(t, &at, &keys));
    TRY(add(
        keys,
        (surety_key){.day_picousd = 3 * DOLLAR, .month_picousd = 4 * DOLLAR},
        &key));
    TRY(reserve(keys, &key, 0, 3 * DOLLAR, NOW, &a));
    TRY(settle(keys, &a, 0, 3 * DOLLAR));
    TRY(reserve(keys, &key, 0, 2 * DOLLAR, NOW + DAY_LEFT, &a));
    CHECK(a.denial == SURETY_DENIAL_MONTH &&
          a.retry_after_ms == (uint64_t)2 * 86400000);
    TRY(reserve(keys, &key, 0, 2 * DOLLAR, NOW + DAY_LEFT + 2 * 86400000, &a));
    CHECK(!a.denial);
done:
    surety_keys_close(keys);
    surety_buf_done(&key.secret);
    place_remove(&at);
}

TEST(bounds_a_minute)
{
    surety_keys *keys = NULL;
    added key = {.id = ""};
    surety_grant a;
    place at;

    place_make(&at);
    surety_buf_init(&key.secret, check_alloc(t), 0);
    TRY(open_at(t, &at, &keys));
    TRY(add(keys, (surety_key){.minute_requests = 2, .minute_tokens = 100},
            &key));
    TRY(reserve(keys, &key, 101, 0, NOW, &a));
    CHECK(a.denial == SURETY_DENIAL_TOKENS && !a.retry_after_ms);
    TRY(reserve(keys, &key, 100, 0, NOW + 500, &a));
    CHECK(!a.denial);
    TRY(reserve(keys, &key, 1, 0, NOW + 10000, &a));
    CHECK(a.denial == SURETY_DENIAL_TOKENS && a.retry_after_ms == 50000);
    TRY(reserve(keys, &key, 0, 0, NOW + 20000, &a));
    CHECK(!a.denial);
    TRY(reserve(keys, &key, 0, 0, NOW + 59999, &a));
    CHECK(a.denial == SURETY_DENIAL_REQUESTS && a.retry_after_ms == 1);
    TRY(reserve(keys, &key, 0, 0, NOW + 60000, &a));
    CHECK(!a.denial);
    TRY(reserve(keys, &key, 0, 0, NOW + 60000, &a));
    CHECK(a.denial == SURETY_DENIAL_REQUESTS && a.retry_after_ms == 20000);
    /* A clock that is set back by an hour denies nothing for an hour. */
    TRY(reserve(keys, &key, 100, 0, NOW - 3600000, &a));
    CHECK(!a.denial);
    /* What was used, and not what was reserved, is counted. */
    TRY(settle(keys, &a, 40, 0));
    TRY(reserve(keys, &key, 61, 0, NOW - 3600000, &a));
    CHECK(a.denial == SURETY_DENIAL_TOKENS);
    TRY(reserve(keys, &key, 60, 0, NOW - 3600000, &a));
    CHECK(!a.denial);
done:
    surety_keys_close(keys);
    surety_buf_done(&key.secret);
    place_remove(&at);
}

TEST(bounds_what_is_done_at_once)
{
    surety_keys *keys = NULL;
    added key = {.id = ""};
    surety_grant a, b;
    place at;

    place_make(&at);
    surety_buf_init(&key.secret, check_alloc(t), 0);
    TRY(open_at(t, &at, &keys));
    TRY(add(keys, (surety_key){.at_once_max = 1}, &key));
    TRY(reserve(keys, &key, 0, 0, NOW, &a));
    CHECK(!a.denial);
    TRY(reserve(keys, &key, 0, 0, NOW, &b));
    CHECK(b.denial == SURETY_DENIAL_AT_ONCE && b.retry_after_ms == 1000);
    TRY(settle(keys, &a, 0, 0));
    TRY(reserve(keys, &key, 0, 0, NOW, &a));
    CHECK(!a.denial);
    /* One whose process died lapses. */
    TRY(reserve(keys, &key, 0, 0, NOW + 900000, &b));
    CHECK(!b.denial);
done:
    surety_keys_close(keys);
    surety_buf_done(&key.secret);
    place_remove(&at);
}

TEST(allows_models_and_keys)
{
    static const struct {
        const char *model;
        bool allowed;
    } rows[] = {{"gpt-5", true}, {"gpt-5-mini", true}, {"gpt-", false},
                {"o3", true},    {"o3-mini", false},   {"", false}};
    const surety_str models[] = {surety_str_of("gpt-5*"), surety_str_of("o3")};
    surety_keys *keys = NULL;
    added key = {.id = ""};
    surety_grant a = {.size = sizeof(a)};
    place at;

    place_make(&at);
    surety_buf_init(&key.secret, check_alloc(t), 0);
    TRY(open_at(t, &at, &keys));
    TRY(add(keys, (surety_key){.models = models, .model_count = 2}, &key));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const surety_estimate estimate = {sizeof(estimate),
                                          surety_str_of(rows[i].model), 1, 1};

        TRY(surety_keys_reserve(keys, surety_str_of(key.id), &estimate, NOW, &a,
                                NULL));
        CHECK(a.denial ==
              (rows[i].allowed ? SURETY_DENIAL_NONE : SURETY_DENIAL_MODEL));
        /* Without a limit there is nothing to settle. */
        CHECK(!a.id[0] && !a.retry_after_ms);
        TRY(settle(keys, &a, 1, 1));
    }
    TRY(surety_keys_revoke(keys, surety_str_of("a"), NOW, NULL));
    TRY(reserve(keys, &key, 0, 0, NOW, &a));
    CHECK(a.denial == SURETY_DENIAL_KEY);
    CHECK_TEXT(surety_str_of(a.message), "the key was revoked");
    memcpy(key.id, "key_none", 9);
    TRY(reserve(keys, &key, 0, 0, NOW, &a));
    CHECK(a.denial == SURETY_DENIAL_KEY);
    CHECK(!strcmp(surety_denial_name(SURETY_DENIAL_AT_ONCE), "at-once") &&
          !strcmp(surety_denial_name((surety_denial)99), "unknown"));
done:
    surety_keys_close(keys);
    surety_buf_done(&key.secret);
    place_remove(&at);
}

TEST(tries_the_database)
{
    const surety__cell cells[] = {
        surety__cell_number(0), surety__cell_number(0),
        surety__cell_text(surety_str_of("")), surety__cell_number(-1)};
    surety_keys *keys = NULL;
    int64_t left = 0;
    place at;

    place_make(&at);
    TRY(open_at(t, &at, &keys));
    for (int i = 0; i < 3; i++)
        TRY(surety_keys_try(keys, NULL));
    TRY(surety__keys_ask(keys->store, KEYS_RESERVED, cells, 4, &left, NULL));
    CHECK(left == 0);
    CHECK(remove(at.path) == 0);
    EXPECT(SURETY_IO, surety_keys_try(keys, NULL));
done:
    surety_keys_close(keys);
    place_remove(&at);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"hashes as the standard says", hashes_as_the_standard_says},
        {"makes secrets that differ", makes_secrets_that_differ},
        {"knows days and months", knows_days_and_months},
        {"keeps what a key has", keeps_what_a_key_has},
        {"refuses what no key can be", refuses_what_no_key_can_be},
        {"finds for as long as it is fresh", finds_for_as_long_as_it_is_fresh},
        {"guesses push out no key", guesses_push_out_no_key},
        {"bounds a budget", bounds_a_budget},
        {"bounds a month", bounds_a_month},
        {"bounds a minute", bounds_a_minute},
        {"bounds what is done at once", bounds_what_is_done_at_once},
        {"allows models and keys", allows_models_and_keys},
        {"tries the database", tries_the_database},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
