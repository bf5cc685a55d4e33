/* SPDX-License-Identifier: Apache-2.0 */
/* The stream: verdicts on the way, what is shown of the value, runaways at the
 * edge of their limits, and the outcome in the end. That it is the outcome of
 * the whole reply, in whatever chunks, is a law of tests/suite/stream_suite.c
 * and tests/fuzz/fuzz_stream.c. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#include <surety/stream.h>

#define NOTE                                                                   \
    "{\"type\":\"object\",\"required\":[\"id\"],\"properties\":{"              \
    "\"id\":{\"type\":\"integer\",\"maximum\":10},"                            \
    "\"text\":{\"type\":\"string\"}},\"additionalProperties\":false}"

enum { ANYWHERE, WHOLE, WHOLE_KEEPING, FENCE, MARKER, NATIVE };

static const surety_extract stream_places[] = {
    [ANYWHERE] = {.size = sizeof(surety_extract)},
    [WHOLE] = {.size = sizeof(surety_extract),
               .from = {SURETY_PLACE_NATIVE, SURETY_PLACE_WHOLE},
               .from_count = 2},
    [WHOLE_KEEPING] = {.size = sizeof(surety_extract),
                       .from = {SURETY_PLACE_WHOLE},
                       .from_count = 1,
                       .keep_reasoning = true},
    [FENCE] = {.size = sizeof(surety_extract),
               .from = {SURETY_PLACE_FENCE},
               .from_count = 1},
    [MARKER] = {.size = sizeof(surety_extract),
                .from = {SURETY_PLACE_MARKER},
                .from_count = 1,
                .marker = {"ANSWER:", 7}},
    [NATIVE] = {.size = sizeof(surety_extract)},
};

static surety_contract *contract_read(struct check *t, const char *text,
                                      surety_status *ret_status)
{
    const surety_schema_options schema = {.size = sizeof(schema),
                                          .alloc = check_alloc(t)};
    const surety_contract_options options = {
        .size = sizeof(options), .schema = &schema, .alloc = check_alloc(t)};
    surety_contract *contract = NULL;

    *ret_status =
        surety_contract_read(surety_str_of(text), &options, &contract, NULL);
    return contract;
}

/* Begins a stream that looks in a place. */
static surety_status stream_open(surety_stream *stream,
                                 const surety_contract *contract, int place,
                                 surety_repair level)
{
    const surety_judge_options how = {.size = sizeof(how),
                                      .extract = &stream_places[place],
                                      .repair = &level};

    return surety_stream_begin(stream, contract, &how, place == NATIVE, NULL);
}

static surety_status stream_text(surety_stream *stream, const char *text)
{
    return surety_stream_feed(stream, surety_str_of(text), NULL);
}

/* ---- verdicts ------------------------------------------------------------ */

/* A reply, how it is read, and the state when it has come byte by byte. */
struct verdict_row {
    int place;
    surety_repair level;
    const char *text;
    surety_stream_state state;
    const char *keyword, *location;
    size_t offset; /* of the finding */
};

static const struct verdict_row verdict_rows[] = {
    {WHOLE, SURETY_REPAIR_NONE, "{\"id\": 11, \"", SURETY_STREAM_NO, "maximum",
     "/id", 7},
    {WHOLE, SURETY_REPAIR_NONE, "{\"id\": 11", SURETY_STREAM_OPEN, "", "", 0},
    {WHOLE, SURETY_REPAIR_NONE, " \n{\"idd\": 1", SURETY_STREAM_NO,
     "additionalProperties", "/idd", 3},
    {WHOLE, SURETY_REPAIR_NONE, "{\"id\": 1} ", SURETY_STREAM_OPEN, "", "", 0},
    {WHOLE, SURETY_REPAIR_NONE, "{\"id\": 1} so", SURETY_STREAM_NO,
     "json_parse", "", 10},
    {WHOLE, SURETY_REPAIR_NONE, "{\"id\": 1}\n<think>so</think>",
     SURETY_STREAM_OPEN, "", "", 0},
    {WHOLE, SURETY_REPAIR_NONE, "<think>{</think>{\"id\": 11}",
     SURETY_STREAM_NO, "maximum", "/id", 23},
    {WHOLE, SURETY_REPAIR_NONE, "{}", SURETY_STREAM_NO, "required", "", 0},
    {WHOLE, SURETY_REPAIR_NONE, "{\"id\" 1", SURETY_STREAM_NO, "json_parse", "",
     6},
    {WHOLE, SURETY_REPAIR_NONE, "{\"id\": 1, \"id\": 2}", SURETY_STREAM_OPEN,
     "", "", 0},
    /* Its tag may have been part of the prompt. */
    {WHOLE, SURETY_REPAIR_NONE, "Well", SURETY_STREAM_REFUTED, "json_parse", "",
     0},
    {WHOLE, SURETY_REPAIR_NONE, "Well\n</think>\n{\"id\"", SURETY_STREAM_OPEN,
     "", "", 0},
    {WHOLE, SURETY_REPAIR_NONE, "12", SURETY_STREAM_REFUTED, "type", "", 0},
    {WHOLE_KEEPING, SURETY_REPAIR_NONE, "Well", SURETY_STREAM_NO, "json_parse",
     "", 0},
    {WHOLE, SURETY_REPAIR_SYNTAX, "{'id': 11, 'text'", SURETY_STREAM_NO,
     "maximum", "/id", 7},
    {WHOLE, SURETY_REPAIR_SYNTAX, "const x = {id: 1}; ", SURETY_STREAM_OPEN, "",
     "", 0},
    {WHOLE, SURETY_REPAIR_ALIGN, "{\"id\": \"11\", \"Text\": [",
     SURETY_STREAM_OPEN, "", "", 0},
    {WHOLE, SURETY_REPAIR_ALIGN, "{\"id\": 11, \"text\": 1", SURETY_STREAM_NO,
     "maximum", "/id", 7},
    {ANYWHERE, SURETY_REPAIR_NONE, "So {\"id\": 11}.", SURETY_STREAM_REFUTED,
     "maximum", "/id", 10},
    {ANYWHERE, SURETY_REPAIR_NONE, "So {\"id\": 11} or {", SURETY_STREAM_OPEN,
     "", "", 0},
    {ANYWHERE, SURETY_REPAIR_NONE, "So {smile}", SURETY_STREAM_OPEN, "", "", 0},
    {ANYWHERE, SURETY_REPAIR_NONE, "So {\"id\": x}", SURETY_STREAM_REFUTED,
     "json_parse", "", 10},
    {ANYWHERE, SURETY_REPAIR_NONE, "<think>{\"id\": 11}</think>",
     SURETY_STREAM_OPEN, "", "", 0},
    {FENCE, SURETY_REPAIR_NONE, "{\"id\": 11}", SURETY_STREAM_OPEN, "", "", 0},
    {FENCE, SURETY_REPAIR_NONE, "```\n{\"id\": 11}", SURETY_STREAM_OPEN, "", "",
     0},
    {FENCE, SURETY_REPAIR_NONE, "```json\n{\"id\": 11}", SURETY_STREAM_REFUTED,
     "maximum", "/id", 15},
    {MARKER, SURETY_REPAIR_NONE, "{\"id\": 11} ANSWER: 7 ",
     SURETY_STREAM_REFUTED, "type", "", 19},
    {NATIVE, SURETY_REPAIR_NONE, "{\"id\": \"1", SURETY_STREAM_NO, "type",
     "/id", 7},
    {NATIVE, SURETY_REPAIR_NONE, "Well, I", SURETY_STREAM_NO, "json_parse", "",
     0},
    {NATIVE, SURETY_REPAIR_NONE, "{\"id\": 1}x", SURETY_STREAM_NO, "json_parse",
     "", 9},
};

TEST(verdicts_say_what_is_certain)
{
    surety_stream *stream = surety_stream_new(check_alloc(t), NULL);
    surety_status status;
    surety_contract *contract = contract_read(t, NOTE, &status);
    bool good = true;

    TRY(status);
    NEED(stream);
    for (size_t i = 0; i < CHECK_COUNT(verdict_rows); i++) {
        const struct verdict_row *row = &verdict_rows[i];
        surety_issue issue;

        TRY(stream_open(stream, contract, row->place, row->level));
        for (size_t k = 0; row->text[k]; k++)
            TRY(surety_stream_feed(stream, (surety_str){row->text + k, 1},
                                   NULL));
        issue = surety_stream_info_of(stream)->finding;
        if (surety_stream_info_of(stream)->state == row->state &&
            surety_str_equal(issue.keyword, surety_str_of(row->keyword)) &&
            surety_str_equal(issue.instance_location,
                             surety_str_of(row->location)) &&
            issue.position.offset == row->offset &&
            (issue.message.len > 0) == (row->state != SURETY_STREAM_OPEN))
            continue;
        good = false;
        printf("# %s: %s, %.*s at \"%.*s\", byte %zu\n", row->text,
               surety_stream_state_name(surety_stream_info_of(stream)->state),
               (int)issue.keyword.len,
               issue.keyword.ptr ? issue.keyword.ptr : "",
               (int)issue.instance_location.len,
               issue.instance_location.ptr ? issue.instance_location.ptr : "",
               issue.position.offset);
    }
    CHECK(good);
done:
    surety_stream_free(stream);
    surety_contract_free(contract);
}

TEST(a_row_is_not_lost_for_the_whole)
{
    surety_stream *stream = surety_stream_new(check_alloc(t), NULL);
    surety_status status;
    surety_contract *contract = contract_read(
        t, "{\"type\":\"array\",\"items\":{\"type\":\"object\"}}", &status);

    TRY(status);
    NEED(stream);
    TRY(stream_open(stream, contract, WHOLE, SURETY_REPAIR_SYNTAX));
    TRY(stream_text(stream, "{\"a\": 1}"));
    CHECK(surety_stream_info_of(stream)->state == SURETY_STREAM_REFUTED);
    TRY(stream_open(stream, contract, WHOLE, SURETY_REPAIR_NONE));
    TRY(stream_text(stream, "{\"a\": 1}"));
    CHECK(surety_stream_info_of(stream)->state == SURETY_STREAM_NO);
    TRY(stream_open(stream, contract, WHOLE, SURETY_REPAIR_SYNTAX));
    TRY(stream_text(stream, "[[1"));
    CHECK(surety_stream_info_of(stream)->state == SURETY_STREAM_NO);
done:
    surety_stream_free(stream);
    surety_contract_free(contract);
}

/* ---- values -------------------------------------------------------------- */

TEST(the_value_is_shown_as_it_comes)
{
    static const struct {
        const char *chunk, *shown; /* NULL: nothing */
    } steps[] = {
        {"I see {that} and ", NULL},
        {"this: {\"id\": ", "{}"},
        {"3, \"te", "{\"id\":3}"},
        {"xt\": \"a", "{\"id\":3,\"text\":\"a\"}"},
        {"b\"", "{\"id\":3,\"text\":\"ab\"}"},
        {"} and {more}", "{\"id\":3,\"text\":\"ab\"}"},
        {"\n```json\n{\"", "{}"},
        {"id\": 4}\n```\n", "{\"id\":4}"},
    };
    surety_stream *stream = surety_stream_new(check_alloc(t), NULL);
    const surety_outcome *outcome = NULL;
    surety_buf shown;
    surety_status status;
    surety_contract *contract = contract_read(t, NOTE, &status);

    surety_buf_init(&shown, check_alloc(t), 0);
    TRY(status);
    NEED(stream);
    TRY(stream_open(stream, contract, ANYWHERE, SURETY_REPAIR_NONE));
    CHECK(!surety_stream_info_of(stream)->value.doc);
    for (size_t i = 0; i < CHECK_COUNT(steps); i++) {
        TRY(stream_text(stream, steps[i].chunk));
        CHECK_JSON(surety_stream_info_of(stream)->value,
                   steps[i].shown ? steps[i].shown : "");
        CHECK(surety_stream_info_of(stream)->state == SURETY_STREAM_OPEN);
        if (i == 3) {
            const surety_val root = surety_stream_info_of(stream)->value;

            CHECK(surety_val_is_open(root));
            CHECK(!surety_val_is_open(surety_val_get(root, "id")));
            CHECK(surety_val_is_open(surety_val_get(root, "text")));
        }
    }
    TRY(surety_stream_finish(stream, NULL, &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->ok);
    CHECK(surety_outcome_info_of(outcome)->place == SURETY_PLACE_FENCE);
    EXPECT(SURETY_MISUSE, stream_text(stream, "x"));
done:
    surety_buf_done(&shown);
    surety_stream_free(stream);
    surety_contract_free(contract);
}

TEST(a_stream_ends_as_its_options_say)
{
    const surety_judge_options partial = {.size = sizeof(partial),
                                          .partial = true};
    surety_stream *stream = surety_stream_new(check_alloc(t), NULL);
    const surety_outcome *outcome = NULL;
    surety_status status;
    surety_contract *contract = contract_read(t, NOTE, &status);

    TRY(status);
    NEED(stream);
    EXPECT(SURETY_MISUSE, stream_text(stream, "x"));
    EXPECT(SURETY_MISUSE, surety_stream_begin(stream, NULL, NULL, false, NULL));
    TRY(stream_open(stream, contract, NATIVE, SURETY_REPAIR_NONE));
    TRY(stream_text(stream, "{\"id\": 5}"));
    CHECK_TEXT(surety_stream_info_of(stream)->reply, "{\"id\": 5}");
    TRY(surety_stream_finish(stream, NULL, &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->ok);
    CHECK(surety_outcome_info_of(outcome)->place == SURETY_PLACE_NATIVE);
    TRY(surety_stream_begin(stream, contract, NULL, false, NULL));
    TRY(stream_text(stream, "{\"id\": 5, \"text\": \"a"));
    TRY(surety_stream_finish(stream, NULL, &outcome, NULL));
    CHECK(!surety_outcome_info_of(outcome)->ok);
    TRY(surety_stream_finish(stream, &partial, &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->partial);
    TRY(surety_stream_begin(stream, contract, NULL, false, NULL));
    CHECK(!surety_stream_info_of(stream)->reply.len);
    TRY(surety_stream_finish(stream, NULL, &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->stage == SURETY_STAGE_EXTRACTION);
done:
    surety_stream_free(stream);
    surety_contract_free(contract);
}

TEST(a_no_stays)
{
    surety_stream *stream = surety_stream_new(check_alloc(t), NULL);
    const surety_outcome *outcome = NULL;
    surety_status status;
    surety_contract *contract = contract_read(t, NOTE, &status);

    TRY(status);
    NEED(stream);
    TRY(stream_open(stream, contract, WHOLE, SURETY_REPAIR_NONE));
    TRY(stream_text(stream, "{\n  \"id\": 11, \""));
    TRY(stream_text(stream, "text\": 5} and so on"));
    CHECK(surety_stream_info_of(stream)->state == SURETY_STREAM_NO);
    CHECK_TEXT(surety_stream_info_of(stream)->finding.keyword, "maximum");
    CHECK(surety_stream_info_of(stream)->finding.position.line == 2);
    CHECK(surety_stream_info_of(stream)->finding.position.column == 9);
    CHECK(surety_stream_info_of(stream)->finding.position.length == 2);
    CHECK(surety_stream_info_of(stream)->reply.len == 34);
    TRY(surety_stream_finish(stream, NULL, &outcome, NULL));
    CHECK(!surety_outcome_info_of(outcome)->ok);
done:
    surety_stream_free(stream);
    surety_contract_free(contract);
}

/* ---- limits -------------------------------------------------------------- */

/* Feeds head, count times unit, and tail, a few bytes at a time. */
static surety_status stream_many(surety_stream *stream, const char *head,
                                 const char *unit, size_t count,
                                 const char *tail)
{
    surety_status status = stream_text(stream, head);

    for (size_t i = 0; i < count && !status; i++)
        status = stream_text(stream, unit);
    return status ? status : stream_text(stream, tail);
}

TEST(white_space_has_a_limit)
{
    const surety_limits limits = {.size = sizeof(limits), .blank_run_max = 50};
    surety_stream *stream = surety_stream_new(check_alloc(t), &limits);
    surety_status status;
    surety_contract *contract = contract_read(t, "true", &status);
    static const struct {
        const char *head, *unit;
        size_t count;
        const char *tail;
        bool away;
    } rows[] = {
        {"{\"a\":", " ", 49, "1}", false},
        {"{\"a\":", "\n", 50, "", true},
        {"{\"a\":1}", "\t\r", 25, "", true},
        {"So ", " ", 48, "it is", false},
        {"So ", " ", 49, "", true},
        {"{\"a\":\"", " ", 60, "\"}", false},
        {"{\"a\":\"\\\"", " ", 60, "\"}", false},
        {"{\"a\\\\\":", " ", 50, "", true},
        {"\"", " ", 50, "", false},
    };

    TRY(status);
    NEED(stream);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        TRY(stream_open(stream, contract, ANYWHERE, SURETY_REPAIR_NONE));
        TRY(stream_many(stream, rows[i].head, rows[i].unit, rows[i].count,
                        rows[i].tail));
        if ((surety_stream_info_of(stream)->state == SURETY_STREAM_RUNAWAY) !=
            rows[i].away)
            printf("# %s\n", rows[i].head);
        CHECK((surety_stream_info_of(stream)->state == SURETY_STREAM_RUNAWAY) ==
              rows[i].away);
        if (rows[i].away)
            CHECK_TEXT(surety_stream_info_of(stream)->finding.keyword,
                       "runaway");
    }
done:
    surety_stream_free(stream);
    surety_contract_free(contract);
}

/* len bytes of period p behind `before` bytes that have none; fed in chunks;
 * whether it runs away. */
static surety_status stream_period(surety_stream *stream,
                                   const surety_contract *contract,
                                   size_t before, size_t period, size_t len,
                                   bool *ret_away)
{
    enum { CHUNK = 97, MOST = 4096 };
    char text[MOST];
    uint32_t random = 1;
    surety_status status =
        stream_open(stream, contract, FENCE, SURETY_REPAIR_NONE);

    for (size_t i = 0; i < before + period; i++) {
        random = random * 1103515245u + 12345u;
        text[i] = (char)('a' + (random >> 16) % 26);
    }
    if (before)
        text[before - 1] = '#';
    for (size_t i = before + period; i < before + len; i++)
        text[i] = text[i - period];
    text[before + len] = '#';
    for (size_t at = 0; at < before + len + 1 && !status; at += CHUNK) {
        const size_t left = before + len + 1 - at;

        status = surety_stream_feed(
            stream, (surety_str){text + at, left < CHUNK ? left : CHUNK}, NULL);
    }
    *ret_away = surety_stream_info_of(stream)->state == SURETY_STREAM_RUNAWAY;
    return status;
}

TEST(repetition_has_a_limit)
{
    const surety_limits limits = {.size = sizeof(limits),
                                  .repeat_run_max = 1500};
    static const size_t periods[] = {1, 2, 7, 100, 255, 256};
    surety_stream *stream = surety_stream_new(check_alloc(t), &limits);
    surety_status status;
    surety_contract *contract = contract_read(t, "true", &status);
    bool away = false;

    TRY(status);
    NEED(stream);
    for (size_t i = 0; i < CHECK_COUNT(periods); i++)
        for (size_t before = 0; before < 1600; before += 399) {
            TRY(stream_period(stream, contract, before, periods[i], 1499,
                              &away));
            CHECK(!away);
            TRY(stream_period(stream, contract, before, periods[i], 1500,
                              &away));
            CHECK(away);
            CHECK(surety_stream_info_of(stream)->finding.position.offset ==
                  before);
            TRY(stream_period(stream, contract, before, periods[i], 1501,
                              &away));
            CHECK(away);
        }
    TRY(stream_period(stream, contract, 0, 257, 2500, &away));
    CHECK(!away);
done:
    surety_stream_free(stream);
    surety_contract_free(contract);
}

static const struct {
    const char *head, *unit, *tail;
    size_t len; /* of the units together, about */
    surety_repair repair;
    bool away;
} alike[] = {
    {"{\"rows\":[", "{\"n\":7},", "8]}", 3900, SURETY_REPAIR_NONE, false},
    {"{\"rows\":[", "{\"n\":7},", "8]}", 4100, SURETY_REPAIR_NONE, true},
    {"{\"rows\":[", "7,", "8]}", 3900, SURETY_REPAIR_NONE, false},
    {"{\"rows\":[[", "7,\n   ", "8]]}", 3900, SURETY_REPAIR_NONE, false},
    {"{\"rows\":[", "[{\"n\":7},\"a\"],", "8]}", 3900, SURETY_REPAIR_NONE,
     false},
    {"So: {\"rows\":[", "{\"n\":7},", "8]}.", 3900, SURETY_REPAIR_NONE, false},
    {"```json\n{\"rows\":[", "{\"n\":7},\n", "8]}\n```", 3900,
     SURETY_REPAIR_NONE, false},
    {"{rows:[", "{n:7},", "8]}", 3900, SURETY_REPAIR_SYNTAX, false},
    /* they cannot be good */
    {"{\"rows\":[", "{\"n\":\"7\"},", "8]}", 1600, SURETY_REPAIR_NONE, true},
    {"{\"rows\":7,\"b\":[", "7,", "8]}", 1600, SURETY_REPAIR_NONE, true},
    /* or are no items */
    {"{\"rows\":[\"", "and so ", "on\"]}", 1600, SURETY_REPAIR_NONE, true},
    {"{\"rows\":[\"", "\\\"7\\\",", "8\"]}", 1600, SURETY_REPAIR_NONE, true},
    {"{\"rows\":[1,2,3,4,{", "\"n\":7,", "\"m\":8}]}", 1600, SURETY_REPAIR_NONE,
     true},
    {"{", "\"rows\":[7,7,7,7],", "\"m\":8}", 1600, SURETY_REPAIR_NONE, true},
    {"{\"rows\":[", "7", "]}", 1600, SURETY_REPAIR_NONE, true},
    {"{\"rows\":[", "[", "]}", 1600, SURETY_REPAIR_NONE, true},
    {"{\"rows\":[", "/* 7 */", "8]}", 1600, SURETY_REPAIR_SYNTAX, true},
    {"", "and so [7], ", "on", 1600, SURETY_REPAIR_NONE, true},
    {"", "{\"rows\":[]}\n", "on", 1600, SURETY_REPAIR_NONE, true},
};

/* Items that are alike are data as long as they are complete and may be good;
 * what else goes on and on is not. In chunks of any size. */
TEST(items_are_data)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"rows\":{\"type\":\"array\","
        "\"items\":{\"properties\":{\"n\":{\"type\":\"integer\"}}}}}}";
    static const surety_limits limits = {.size = sizeof(limits),
                                         .repeat_run_max = 1500,
                                         .repeat_data_max = 4000};
    static const size_t chunks[] = {1, 7, 97, 1024, SIZE_MAX};
    surety_stream *stream = surety_stream_new(check_alloc(t), &limits);
    surety_status status;
    surety_contract *contract = contract_read(t, schema, &status);
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    TRY(status);
    NEED(stream);
    /* Each allocation of one row is failed in one way of cutting it. */
    for (size_t i = t->fail_at ? 3 : 0;
         i < (t->fail_at ? 4 : CHECK_COUNT(alike) * CHECK_COUNT(chunks)); i++) {
        const size_t row = i / CHECK_COUNT(chunks);
        const size_t most = chunks[i % CHECK_COUNT(chunks)];

        surety_buf_reset(&text);
        surety_buf_text(&text, alike[row].head);
        while (!text.status && text.len < alike[row].len)
            surety_buf_text(&text, alike[row].unit);
        surety_buf_text(&text, alike[row].tail);
        TRY(text.status);
        TRY(stream_open(stream, contract, ANYWHERE, alike[row].repair));
        for (size_t at = 0; at < text.len; at += most) {
            const size_t left = text.len - at;

            TRY(surety_stream_feed(
                stream, (surety_str){text.ptr + at, left < most ? left : most},
                NULL));
            if (left <= most)
                break;
        }
        if ((surety_stream_info_of(stream)->state == SURETY_STREAM_RUNAWAY) !=
            alike[row].away)
            printf("# %s%s in chunks of %zu\n", alike[row].head,
                   alike[row].unit, most);
        CHECK((surety_stream_info_of(stream)->state == SURETY_STREAM_RUNAWAY) ==
              alike[row].away);
        if (alike[row].away)
            CHECK_TEXT(surety_stream_info_of(stream)->finding.keyword,
                       "runaway");
    }
done:
    surety_buf_done(&text);
    surety_stream_free(stream);
    surety_contract_free(contract);
}

TEST(a_reply_has_a_limit)
{
    const surety_limits limits = {.size = sizeof(limits), .text_bytes_max = 10};
    surety_stream *stream = surety_stream_new(check_alloc(t), &limits);
    surety_status status;
    surety_contract *contract = contract_read(t, "true", &status);
    surety_error error = {.status = SURETY_OK};

    TRY(status);
    NEED(stream);
    TRY(surety_stream_begin(stream, contract, NULL, false, NULL));
    TRY(stream_text(stream, "123456789"));
    EXPECT(SURETY_LIMIT,
           surety_stream_feed(stream, surety_str_of("ab"), &error));
    CHECK(strstr(error.message, "text_bytes_max of 10"));
    CHECK(surety_stream_info_of(stream)->reply.len == 9);
    TRY(stream_text(stream, "a"));
    CHECK(surety_stream_info_of(stream)->reply.len == 10);
    TRY(stream_text(stream, ""));
    EXPECT(SURETY_LIMIT, stream_text(stream, "b"));
done:
    surety_stream_free(stream);
    surety_contract_free(contract);
}

TEST(verdicts_have_names)
{
    CHECK(!strcmp(surety_stream_state_name(SURETY_STREAM_OPEN), "open"));
    CHECK(!strcmp(surety_stream_state_name(SURETY_STREAM_REFUTED), "refuted"));
    CHECK(!strcmp(surety_stream_state_name(SURETY_STREAM_NO), "no"));
    CHECK(!strcmp(surety_stream_state_name(SURETY_STREAM_RUNAWAY), "runaway"));
    CHECK(surety_stream_info_of(NULL)->state == SURETY_STREAM_OPEN);
    CHECK(!surety_stream_info_of(NULL)->value.doc);
    CHECK(!surety_stream_info_of(NULL)->reply.len);
    surety_stream_free(NULL);
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"verdicts say what is certain", verdicts_say_what_is_certain},
        {"a row is not lost for the whole", a_row_is_not_lost_for_the_whole},
        {"the value is shown as it comes", the_value_is_shown_as_it_comes},
        {"a stream ends as its options say", a_stream_ends_as_its_options_say},
        {"a no stays", a_no_stays},
        {"white space has a limit", white_space_has_a_limit},
        {"repetition has a limit", repetition_has_a_limit},
        {"items are data", items_are_data},
        {"a reply has a limit", a_reply_has_a_limit},
        {"verdicts have names", verdicts_have_names},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
