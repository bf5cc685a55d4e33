/* SPDX-License-Identifier: Apache-2.0 */
/* What the page /ui is told: sums, runs and attempts of a ledger of the test's,
 * the bench, and the stretches of a reply that are underlined. */
#include "gateway/ui.h"

#include <string.h>

#include "check.h"

#define RUN_A "01936f00-0000-7000-8000-00000000000a"
#define RUN_B "01936f01-0000-7000-8000-00000000000b"
#define LITERAL SURETY__LITERAL
/* The same in a constant. */
#define WORD(text)                                                             \
    {                                                                          \
        text, sizeof(text) - 1                                                 \
    }

/* A ledger of three attempts: run A is wrong and then right, run B is wrong. */
static const surety_entry_issue hours = {WORD("type"), WORD("/hours"),
                                         WORD("\"x<b>\" is no integer")};

static bool give(int64_t since_ms, bool (*each)(void *, const surety_entry *),
                 void *ctx, const char *run, uint32_t number, bool ok)
{
    const int64_t started_ms = INT64_C(0x01936f000000) +
                               (strcmp(run, RUN_A) ? INT64_C(0x10000) : 0) +
                               number;
    surety_entry entry = {
        .size = sizeof(entry),
        .id = LITERAL("01936f00-0000-7000-8000-000000000001"),
        .run = surety_str_of(run),
        .number = number,
        .purpose = number > 1 ? LITERAL("re-ask") : LITERAL("ask"),
        .contract = LITERAL("ticket"),
        .provider = LITERAL("openai"),
        .model = LITERAL("m"),
        .mode = LITERAL("native"),
        .started_ms = started_ms,
        .ended_ms = started_ms + 500,
        .state = SURETY_ENTRY_DONE,
        .ok = ok,
        .stage = ok ? LITERAL("done") : LITERAL("validation"),
        .errors = &hours,
        .error_count = !ok,
        .usage_known = true,
        .input_tokens = 7,
        .output_tokens = 3,
        .cost_known = true,
        .cost_picousd = 1000,
        .reply = ok ? LITERAL("{\"hours\":4}")
                    : LITERAL("So: {\"hours\": \"x<b>\"}"),
    };

    return started_ms < since_ms || each(ctx, &entry);
}

static surety_status ledger_each(void *ctx, int64_t since_ms,
                                 bool (*each)(void *, const surety_entry *),
                                 void *each_ctx, surety_error *reterr)
{
    (void)ctx;
    (void)reterr;
    (void)(give(since_ms, each, each_ctx, RUN_A, 1, false) &&
           give(since_ms, each, each_ctx, RUN_A, 2, true) &&
           give(since_ms, each, each_ctx, RUN_B, 1, false));
    return SURETY_OK;
}

static const surety_ledger ledger = {.version = 1, .each = ledger_each};

TEST(test_overview)
{
    const surety__ui_question all = {.since_ms = 0};
    const surety__ui_question none = {.model = LITERAL("other")};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;
    surety_val total;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    TRY(surety__ui_overview(&ledger, &all, &out, NULL));
    TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
    total = surety_val_at(surety_doc_root(doc), LITERAL("/stats/total"));
    CHECK(surety_val_uint(surety_val_get(total, "runs"), 0) == 2);
    CHECK(surety_val_uint(surety_val_get(total, "second_try"), 0) == 1);
    CHECK(surety_val_uint(surety_val_get(total, "rejected"), 0) == 1);
    surety_buf_reset(&out);
    TRY(surety__ui_overview(&ledger, &none, &out, NULL));
    TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
    total = surety_val_at(surety_doc_root(doc), LITERAL("/stats/total"));
    CHECK(surety_val_uint(surety_val_get(total, "runs"), 9) == 0);
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

/* Each list has the runs that its question wants, the newest first. */
TEST(test_runs)
{
    static const struct {
        surety__ui_question question;
        const char *runs[3];
    } rows[] = {
        {{.since_ms = 0}, {RUN_B, RUN_A}},
        {{.ending = WORD("valid")}, {RUN_A}},
        {{.ending = WORD("problem")}, {RUN_B}},
        {{.ending = WORD("rejected")}, {RUN_B}},
        {{.ending = WORD("open")}, {NULL}},
        {{.model = WORD("m"), .contract = WORD("ticket")}, {RUN_B, RUN_A}},
        {{.model = WORD("n")}, {NULL}},
        {{.contract = WORD("n")}, {NULL}},
        {{.since_ms = INT64_C(0x01936f010000)}, {RUN_B}},
    };
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    for (size_t i = 0; i < SURETY__COUNT(rows); i++) {
        surety_val runs;
        size_t k = 0;

        surety_buf_reset(&out);
        TRY(surety__ui_runs(&ledger, &rows[i].question, &out, NULL));
        TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
        runs = surety_val_get(surety_doc_root(doc), "runs");
        for (; rows[i].runs[k]; k++)
            CHECK(surety_val_is(surety_val_get(surety_val_item(runs, k), "run"),
                                rows[i].runs[k]));
        CHECK(surety_val_count(runs) == k);
    }
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

/* Where the clock was set back in the middle of a run, by a minute here, its
 * second attempt comes first. A run without its first attempt is older than
 * what was asked for. */
static surety_status back_each(void *ctx, int64_t since_ms,
                               bool (*each)(void *, const surety_entry *),
                               void *each_ctx, surety_error *reterr)
{
    (void)ctx;
    (void)reterr;
    (void)(give(since_ms + 60000, each, each_ctx, RUN_A, 2, true) &&
           give(since_ms, each, each_ctx, RUN_B, 2, true) &&
           give(since_ms, each, each_ctx, RUN_A, 1, false));
    return SURETY_OK;
}

TEST(test_clock_set_back)
{
    const surety_ledger back = {.version = 1, .each = back_each};
    const surety__ui_question all = {.since_ms = 0};
    const surety__ui_question of = {.model = LITERAL("m")};
    const surety__ui_question one = {.run = LITERAL(RUN_A)};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;
    surety_val runs, run;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    TRY(surety__ui_runs(&back, &all, &out, NULL));
    TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
    runs = surety_val_get(surety_doc_root(doc), "runs");
    run = surety_val_item(runs, 0);
    CHECK(surety_val_count(runs) == 1);
    CHECK(surety_val_is(surety_val_get(run, "run"), RUN_A));
    CHECK(surety_val_uint(surety_val_get(run, "calls"), 0) == 2);
    CHECK(surety_val_uint(surety_val_get(run, "cost_picousd"), 0) == 2000);
    CHECK(surety_val_int(surety_val_get(run, "started_ms"), 0) ==
          INT64_C(0x01936f000001));
    surety_buf_reset(&out);
    TRY(surety__ui_runs(&back, &of, &out, NULL));
    TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
    CHECK(surety_val_count(surety_val_get(surety_doc_root(doc), "runs")) == 2);
    surety_buf_reset(&out);
    TRY(surety__ui_run(&back, &one, &out, NULL));
    TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
    CHECK(surety_val_count(surety_val_get(surety_doc_root(doc), "attempts")) ==
          2);
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

TEST(test_run)
{
    const surety__ui_question one = {.run = LITERAL(RUN_A)};
    const surety__ui_question other = {
        .run = LITERAL("01936f00-0000-7000-8000-0000000000ff")};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;
    surety_val first, error;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    TRY(surety__ui_run(&ledger, &one, &out, NULL));
    TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
    CHECK(surety_val_count(surety_val_get(surety_doc_root(doc), "attempts")) ==
          2);
    first = surety_val_at(surety_doc_root(doc), LITERAL("/attempts/0"));
    error = surety_val_at(first, LITERAL("/errors/0"));
    CHECK(surety_val_is(surety_val_get(first, "reply"),
                        "So: {\"hours\": \"x<b>\"}"));
    /* The stretch is the value with its quotation marks. */
    CHECK(surety_val_uint(surety_val_get(error, "start"), 0) == 14);
    CHECK(surety_val_uint(surety_val_get(error, "end"), 0) == 20);
    surety_buf_reset(&out);
    EXPECT(SURETY_END, surety__ui_run(&ledger, &other, &out, NULL));
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

static uint32_t place_random(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* The law of a stretch: for any value in any reply, it is that value's text. */
TEST(test_place)
{
    static const char *const scalars[] = {
        "1",          "-2.5e3",       "true",        "null",   "\"\"",
        "\"a\\\"b\"", "\"\xC3\xA4\"", "\"\\u00e4\"", "\"<b>\""};
    static const char *const around[] = {"", "So: ", "\xE2\x82\xAC\n```json\n"};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_doc *placed = surety_doc_new(check_alloc(t));
    surety_buf reply, out, pointer;
    uint32_t state = 1;

    surety_buf_init(&reply, check_alloc(t), 0);
    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_init(&pointer, check_alloc(t), 0);
    NEED(doc);
    NEED(placed);
    for (size_t i = 0; i < 60; i++) {
        const uint32_t count = 1 + place_random(&state, 6);
        const size_t wrong = place_random(&state, count);
        surety_entry_issue issue = {WORD("type"), WORD(""), WORD("wrong")};
        surety_val error;
        size_t begin, start, end;

        surety_buf_reset(&reply);
        surety_buf_reset(&out);
        surety_buf_reset(&pointer);
        surety_buf_text(&reply, around[i % 3]);
        begin = reply.len;
        surety_buf_text(&reply, "{\"\xC3\xB6/\": [");
        for (size_t k = 0; k < count; k++) {
            surety_buf_text(&reply, k ? ",  " : " ");
            surety_buf_text(&reply, scalars[place_random(&state, 9)]);
        }
        surety_buf_text(&reply, "]}");
        TRY(reply.status);
        TRY(surety_doc_read(doc,
                            (surety_str){reply.ptr + begin, reply.len - begin},
                            NULL, NULL));
        surety_buf_text(&reply, i % 3 == 2 ? "\n```\n" : "");
        surety__buf_printf(&pointer, "/\xC3\xB6~1/%zu", wrong);
        TRY(pointer.status);
        issue.path = surety_buf_str(&pointer);
        TRY(surety__ui_place(surety_buf_str(&reply), &issue, 1, &out));
        TRY(surety_doc_read(placed, surety_buf_str(&out), NULL, NULL));
        error = surety_val_item(surety_doc_root(placed), 0);
        start = (size_t)surety_val_uint(surety_val_get(error, "start"), 999);
        end = (size_t)surety_val_uint(surety_val_get(error, "end"), 999);
        CHECK(start < end && end <= reply.len);
        CHECK(surety_str_equal(
            (surety_str){reply.ptr + start, end - start},
            surety_val_text(surety_val_at(surety_doc_root(doc), issue.path))));
    }
done:
    surety_buf_done(&pointer);
    surety_buf_done(&out);
    surety_buf_done(&reply);
    surety_doc_free(placed);
    surety_doc_free(doc);
}

/* What is underlined. */
TEST(test_check)
{
    static const struct {
        const char *body;
        const char *underlined; /* NULL: nothing */
        const char *keyword;
    } rows[] = {
        {"{'reply':'{~h~:1}','schema':'{}'}", NULL, NULL},
        {"{'reply':'{~h~:~x~}','schema':'{~properties~:{~h~:{~type~:"
         "~integer~}}}'}",
         "\"x\"", "type"},
        {"{'reply':'[12,3]','schema':'{~items~:{~maximum~:9}}'}", "12",
         "maximum"},
        {"{'reply':'[1','schema':'{}'}", "", "json_parse"},
        {"{'reply':'{}','schema':'{~required~:[~a~]}'}", "{", "required"},
        {"{'reply':'[~\xC3\xA4\xC3\xB6~]','schema':'{~items~:{~maxLength~:1}"
         "}'}",
         "\"\xC3\xA4\xC3\xB6\"", "maxLength"},
        {"{'reply':'{~message~:1}','contract':'simple/message'}", "1", "type"},
    };
    surety_doc *body = surety_doc_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_registry *registry = NULL;
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};
    surety_buf out;
    char text[200];

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(body);
    NEED(doc);
    TRY(surety_registry_new((surety_str){NULL, 0}, &options, &registry, NULL));
    for (size_t i = 0; i < SURETY__COUNT(rows); i++) {
        size_t len = 0;
        surety_val issue;
        surety_str reply;
        size_t start, end;

        for (const char *at = rows[i].body; *at; at++) {
            if (*at == '~')
                text[len++] = '\\';
            text[len++] = *at == '\'' || *at == '~' ? '"' : *at;
        }
        TRY(surety_doc_read(body, (surety_str){text, len}, NULL, NULL));
        surety_buf_reset(&out);
        TRY(surety__ui_check(surety_doc_root(body), registry, &out, NULL));
        TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
        issue = surety_val_at(surety_doc_root(doc), LITERAL("/issues/0"));
        CHECK(surety_val_bool(surety_val_get(surety_doc_root(doc), "ok"),
                              false) == !rows[i].keyword);
        if (!rows[i].keyword)
            continue;
        reply = surety_val_str(surety_val_get(surety_doc_root(body), "reply"));
        start = (size_t)surety_val_uint(surety_val_get(issue, "start"), 999);
        end = (size_t)surety_val_uint(surety_val_get(issue, "end"), 999);
        CHECK(surety_val_is(surety_val_get(issue, "keyword"), rows[i].keyword));
        CHECK(start <= end && end <= reply.len);
        CHECK_TEXT(((surety_str){reply.ptr + start, end - start}),
                   rows[i].underlined);
    }
done:
    surety_registry_free(registry);
    surety_buf_done(&out);
    surety_doc_free(doc);
    surety_doc_free(body);
}

/* Files and programs of others are not opened by way of the bench. */
TEST(test_check_refuses)
{
    static const struct {
        const char *text;
        surety_status status;
    } rows[] = {
        {"{\"reply\":\"1\",\"contract\":\"/etc/passwd\"}", SURETY_END},
        {"{\"reply\":\"1\",\"contract\":\"../x\"}", SURETY_END},
        {"{\"reply\":\"1\",\"contract\":\"x.json\"}", SURETY_END},
        {"{\"reply\":\"1\",\"contract\":\"no/such\"}", SURETY_END},
        {"{\"reply\":\"1\",\"schema\":\"{\\\"type\\\":7}\"}", SURETY_SYNTAX},
        {"{\"reply\":\"1\",\"schema\":\"\"}", SURETY_SYNTAX},
        {"{\"reply\":\"1\"}", SURETY_SYNTAX},
        {"{\"schema\":{}}", SURETY_SYNTAX},
        {"[]", SURETY_SYNTAX},
    };
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};
    surety_doc *body = surety_doc_new(check_alloc(t));
    surety_registry *registry = NULL;
    surety_buf out;
    surety_error error;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(body);
    TRY(surety_registry_new((surety_str){NULL, 0}, &options, &registry, NULL));
    for (size_t i = 0; i < SURETY__COUNT(rows); i++) {
        TRY(surety_doc_read(body, surety_str_of(rows[i].text), NULL, NULL));
        EXPECT(rows[i].status,
               surety__ui_check(surety_doc_root(body), registry, &out, &error));
        CHECK(error.message[0]);
    }
    TRY(surety__ui_contracts(registry, &out, &error));
    CHECK(surety__str_find(surety_buf_str(&out), LITERAL("simple/message")) <
          out.len);
done:
    surety_registry_free(registry);
    surety_buf_done(&out);
    surety_doc_free(body);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"the sums of the page", test_overview},
        {"the list of runs", test_runs},
        {"a run whose clock was set back is whole", test_clock_set_back},
        {"one run", test_run},
        {"any value is found in its reply", test_place},
        {"the bench", test_check},
        {"the bench refuses", test_check_refuses},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
