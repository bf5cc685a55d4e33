/* SPDX-License-Identifier: Apache-2.0 */
/* Values as they come. The law, for replies made by chance, cut anywhere, with
 * re-asks: each value is the one that a stream has of the same bytes; each
 * differs from the one before; short ones come with every piece; the last one
 * is the value that the run gives.
 *
 * SURETY_SEED sets the seed, which a failure prints. */
#include "check.h"
#include "run_fake.h"
#include "run_pieces.h"

enum { SHOW_ROUNDS = 1500, SHOW_ROUNDS_FAULT = 1 };

static const char *const show_contracts[] = {
    "{\"type\":\"object\",\"required\":[\"n\",\"rows\"],\"properties\":{"
    "\"n\":{\"type\":\"integer\",\"maximum\":10},\"d\":{\"default\":\"x\"},"
    "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}},"
    "\"additionalProperties\":false,\"x-surety\":{\"name\":\"c\","
    "\"unknown\":\"strip\"}}",
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{\"type\":"
    "\"integer\",\"maximum\":10}},\"x-surety\":{\"name\":\"c\",\"repair\":"
    "\"syntax\",\"partial\":true}}",
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{\"type\":"
    "\"integer\",\"maximum\":10}},\"x-surety\":{\"name\":\"c\",\"repair\":"
    "\"align\"}}",
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{\"type\":"
    "\"integer\",\"maximum\":10}},\"x-surety\":{\"name\":\"c\",\"fallback\":{"
    "\"kind\":\"value\",\"value\":{\"n\":0}}}}",
};

/* What is heard of a run, beside what a stream has. */
struct show_law {
    const surety_contract *contract;
    surety_stream *stream;
    surety_buf came;  /* of the attempt's reply */
    surety_buf value; /* the stream's, closed; empty: none */
    surety_buf last;  /* the last value heard */
    uint32_t attempt; /* whose value that was */
    size_t values, bytes;
    bool quiet; /* only counts */
    bool starved;
    bool late; /* a value came that may be the last one only */
    const char *broken;
};

/* Writes what a stream has of the bytes that came. */
static void show_expect(struct show_law *law)
{
    const surety_stream_info *info;

    surety_buf_reset(&law->value);
    if (surety_stream_begin(law->stream, law->contract, NULL, false, NULL) ||
        surety_stream_feed(law->stream, surety_buf_str(&law->came), NULL)) {
        law->starved = true;
        return;
    }
    info = surety_stream_info_of(law->stream);
    if (info->state == SURETY_STREAM_OPEN && info->value.doc)
        law->starved |= surety_val_write(info->value, SURETY_STYLE_COMPACT,
                                         &law->value) != SURETY_OK;
}

static void show_hear_value(struct show_law *law, const surety_event *event)
{
    const bool same = law->last.len && law->attempt == event->attempt &&
                      surety_str_equal(event->text, surety_buf_str(&law->last));

    if (law->late)
        law->broken = "a value that is not the stream's is not the last";
    if (same)
        law->broken = "a value comes twice";
    show_expect(law);
    law->late = !surety_str_equal(event->text, surety_buf_str(&law->value));
    law->attempt = event->attempt;
    surety_buf_reset(&law->last);
    surety_buf_add(&law->last, event->text);
    law->starved |= law->last.status != SURETY_OK;
}

static void show_hear(void *ctx, const surety_event *event)
{
    struct show_law *law = ctx;

    if (law->quiet && event->kind == SURETY_EVENT_VALUE) {
        law->values++;
        law->bytes += event->text.len;
    }
    if (law->starved || law->quiet)
        return;
    if (event->kind == SURETY_EVENT_ATTEMPT)
        surety_buf_reset(&law->came);
    if (event->kind == SURETY_EVENT_TEXT)
        surety_buf_add(&law->came, event->text);
    law->starved |= law->came.status != SURETY_OK;
    if (event->kind == SURETY_EVENT_VALUE)
        show_hear_value(law, event);
}

/* ---- replies ------------------------------------------------------------- */

static void show_row(struct pieces *pieces, surety_buf *out)
{
    static const char *const rows[] = {
        "{\"id\": 1, \"t\": \"Lamp\\u00e9 \\\"x\\\"\"}",
        "{}",
        "{\"k\": [1, 2.5e3, null, true]}",
        "{\"t\": \"\xC3\xA9\xF0\x9F\x98\x80\"}",
        "7",
    };

    surety_buf_text(out, rows[pieces_next(pieces, CHECK_COUNT(rows))]);
}

/* A reply that may be valid, wrong, broken, or cut off. */
static void show_reply(struct pieces *pieces, surety_buf *out)
{
    static const char *const heads[] = {"", "", "Here it is:\n```json\n",
                                        "So {\"n\": 99}, or "};
    static const char *const members[] = {"\"n\": 7", "\"n\": 7, \"u\": 1",
                                          "\"n\": 11", "n: 3", "\"n\": \"7\""};
    static const char *const tails[] = {"}", "}", "}\n```\nGood luck.", "",
                                        "} {\"n\": 8, \"rows\": []}"};
    const uint32_t count = pieces_next(pieces, 5);

    surety_buf_text(out, heads[pieces_next(pieces, CHECK_COUNT(heads))]);
    surety_buf_text(out, "{\"rows\": [");
    for (uint32_t i = 0; i < count; i++) {
        surety_buf_text(out, i ? ", " : "");
        show_row(pieces, out);
    }
    surety_buf_text(out, "], ");
    surety_buf_text(out, members[pieces_next(pieces, CHECK_COUNT(members))]);
    surety_buf_text(out, tails[pieces_next(pieces, CHECK_COUNT(tails))]);
}

/* ---- the law ------------------------------------------------------------- */

static void show_open(struct show_law *law, struct check *t,
                      const surety_contract *contract)
{
    *law = (struct show_law){.contract = contract};
    law->stream = surety_stream_new(check_alloc(t), NULL);
    surety_buf_init(&law->came, check_alloc(t), 0);
    surety_buf_init(&law->value, check_alloc(t), 0);
    surety_buf_init(&law->last, check_alloc(t), 0);
}

static void show_close(struct show_law *law)
{
    surety_stream_free(law->stream);
    surety_buf_done(&law->came);
    surety_buf_done(&law->value);
    surety_buf_done(&law->last);
}

/* Steps the run; behind each piece, what the stream has was heard. */
static surety_status show_go(struct pieces *pieces, surety_run *run,
                             struct show_law *law)
{
    uint64_t now_ms = 1000;
    surety_status status;

    for (;;) {
        uint32_t delay_ms = 0;
        const surety_now now = {now_ms, 1700000000000 + (int64_t)now_ms};

        status = surety_run_step(run, now, &delay_ms, NULL);
        if (status != SURETY_MORE || law->starved)
            return law->starved ? SURETY_NOMEM : status;
        now_ms += pieces->active ? 1 : delay_ms;
        (void)pieces_wait(pieces, delay_ms, NULL);
        show_expect(law);
        /* The decoder may hold back the end of the reply. */
        if (pieces->active && law->value.len && law->value.len < 256 &&
            !surety_str_equal(surety_buf_str(&law->value),
                              surety_buf_str(&law->last)))
            law->broken = "a short value does not come";
    }
}

/* Whether the last value heard is the one that the run gives. */
static bool show_ends(const struct show_law *law, surety_run *run,
                      surety_buf *scratch)
{
    const surety_run_info *info = surety_run_info_of(run);

    if (info->verdict < SURETY_RUN_VALID || info->verdict > SURETY_RUN_FALLBACK)
        return !law->late;
    surety_buf_reset(scratch);
    (void)surety_val_write(surety_outcome_info_of(info->outcome)->value,
                           SURETY_STYLE_COMPACT, scratch);
    return surety_str_equal(surety_buf_str(scratch),
                            surety_buf_str(&law->last));
}

static bool show_round(struct check *t, uint64_t seed, size_t *ended)
{
    struct pieces pieces;
    struct show_law law;
    surety_judge_options judge = {.size = sizeof(judge)};
    surety_run_options options = {.size = sizeof(options),
                                  .prompt = surety_str_of("Which?"),
                                  .event = show_hear,
                                  .event_ctx = &law,
                                  .seed = 1,
                                  .retry_max = 2,
                                  .values = true,
                                  .alloc = check_alloc(t)};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    bool good = false;

    pieces_init(&pieces, t, seed);
    show_open(&law, t, NULL);
    TRY(check_contract(
        t, show_contracts[pieces_next(&pieces, CHECK_COUNT(show_contracts))],
        &contract));
    law.contract = contract;
    NEED(law.stream);
    for (size_t i = 0; i < PIECES_REPLIES; i++) {
        show_reply(&pieces, &pieces.replies[i]);
        TRY(pieces.replies[i].status);
    }
    pieces.piece_max = pieces_next(&pieces, 4) * 3;
    options.contract = contract;
    options.models = &pieces.model;
    options.model_count = 1;
    options.stop = (surety_stop)pieces_next(&pieces, 3);
    judge.partial = pieces_next(&pieces, 2);
    options.judge = &judge;
    TRY(surety_run_new(&options, &run, NULL));
    TRY(show_go(&pieces, run, &law));
    CHECK(!law.broken);
    CHECK(show_ends(&law, run, &law.value));
    ended[surety_run_info_of(run)->verdict]++;
    good = true;
done:
    if (law.broken)
        printf("# seed %llu: %s\n", (unsigned long long)seed, law.broken);
    surety_run_free(run);
    surety_contract_free(contract);
    pieces_done(&pieces);
    show_close(&law);
    return good;
}

TEST(shows_what_a_stream_has)
{
    const char *given = getenv("SURETY_SEED");
    const uint64_t first = given ? strtoull(given, NULL, 10) : 1;
    const uint64_t rounds = t->fail_at ? SHOW_ROUNDS_FAULT : SHOW_ROUNDS;
    size_t ended[SURETY_RUN_VALIDATOR + 1] = {0};

    for (uint64_t i = 0; i < (given ? 1 : rounds); i++)
        if (!show_round(t, first + i, ended))
            return;
    /* The replies end in each of these ways. */
    CHECK(t->fail_at || given || ended[SURETY_RUN_VALID] > SHOW_ROUNDS / 4);
    CHECK(t->fail_at || given || ended[SURETY_RUN_PARTIAL]);
    CHECK(t->fail_at || given || ended[SURETY_RUN_FALLBACK]);
    CHECK(t->fail_at || given || ended[SURETY_RUN_REJECTED]);
done:;
}

/* ---- where only the last value comes ------------------------------------- */

#define PIECE(text)                                                            \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text          \
    "\"}}]}\n\n"
#define FINISH                                                                 \
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":"         \
    "\"stop\"}]}\n\ndata: [DONE]\n\n"

struct show_case {
    const char *members; /* of the contract */
    const char *reply;
    const char *values; /* a line each */
    surety_mode mode;
    bool off;
};

static void show_write(void *ctx, const surety_event *event)
{
    surety_buf *out = ctx;

    if (event->kind != SURETY_EVENT_VALUE)
        return;
    surety_buf_add(out, event->text);
    surety_buf_byte(out, '\n');
}

static void show_case(struct check *t, const struct show_case *one)
{
    struct pieces pieces;
    surety_run_options options = {.size = sizeof(options),
                                  .prompt = surety_str_of("Which?"),
                                  .event = show_write,
                                  .seed = 1,
                                  .values = !one->off,
                                  .alloc = check_alloc(t)};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_buf values;
    char text[256];

    surety_buf_init(&values, check_alloc(t), 0);
    pieces_init(&pieces, t, 1);
    snprintf(text, sizeof(text),
             "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
             "\"integer\"},\"o\":{\"type\":\"integer\",\"default\":2}}%s}",
             one->members);
    TRY(check_contract(t, text, &contract));
    surety_buf_text(&pieces.replies[0], one->reply);
    TRY(pieces.replies[0].status);
    pieces.piece_max = 1;
    pieces.model.mode = one->mode;
    if (one->mode == SURETY_MODE_NATIVE) {
        pieces.model.provider = surety_str_of("openai");
        pieces.model.protocol = SURETY_PROTOCOL_OPENAI;
        pieces.model.key = surety_str_of("k");
    }
    options.event_ctx = &values;
    options.contract = contract;
    options.models = &pieces.model;
    options.model_count = 1;
    TRY(surety_run_new(&options, &run, NULL));
    TRY(pieces_go(&pieces, run));
    CHECK(surety_run_info_of(run)->verdict == SURETY_RUN_VALID);
    TRY(values.status);
    CHECK_TEXT(surety_buf_str(&values), one->values);
done:
    surety_run_free(run);
    surety_contract_free(contract);
    pieces_done(&pieces);
    surety_buf_done(&values);
}

TEST(shows_what_has_the_form_of_the_contract)
{
    static const struct show_case cases[] = {
        {.members = "",
         .reply = "{\"n\": 12}",
         .mode = SURETY_MODE_PROMPT,
         .values = "{}\n{\"n\":1}\n{\"n\":12}\n{\"n\":12,\"o\":2}\n"},
        {.members = "",
         .reply = "{\"n\": 12}",
         .mode = SURETY_MODE_PROMPT,
         .off = true,
         .values = ""},
        /* The provider has its own form of a member that may be absent. */
        {.members = ",\"additionalProperties\":false",
         .reply = PIECE("{\\\"n\\\":1") PIECE("2,\\\"o\\\":null}") FINISH,
         .mode = SURETY_MODE_NATIVE,
         .values = "{\"n\":1}\n{\"n\":12}\n{\"n\":12,\"o\":2}\n"},
        {.members =
             ",\"required\":[\"n\",\"o\"],\"additionalProperties\":false",
         .reply = PIECE("{\\\"n\\\":1") PIECE("2,\\\"o\\\":3}") FINISH,
         .mode = SURETY_MODE_NATIVE,
         .values = "{\"n\":1}\n{\"n\":12,\"o\":3}\n"},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        show_case(t, &cases[i]);
}

/* The bytes of all values stay in proportion to the reply. */
TEST(shows_long_values_seldom)
{
    struct pieces pieces;
    struct show_law law;
    surety_run_options options = {.size = sizeof(options),
                                  .prompt = surety_str_of("Which?"),
                                  .event = show_hear,
                                  .event_ctx = &law,
                                  .seed = 1,
                                  .values = true,
                                  .alloc = check_alloc(t)};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    const size_t rows = t->fail_at ? 20 : 3000;

    pieces_init(&pieces, t, 1);
    show_open(&law, t, NULL);
    TRY(check_contract(t, "{\"type\":\"array\"}", &contract));
    surety_buf_text(&pieces.replies[0], "[0");
    for (size_t i = 0; i < rows; i++)
        surety_buf_text(&pieces.replies[0], ",1234567");
    surety_buf_text(&pieces.replies[0], "]");
    TRY(pieces.replies[0].status);
    pieces.piece_max = 4;
    law.contract = contract;
    law.quiet = true;
    options.contract = contract;
    options.models = &pieces.model;
    options.model_count = 1;
    TRY(surety_run_new(&options, &run, NULL));
    TRY(pieces_go(&pieces, run));
    CHECK(surety_run_info_of(run)->verdict == SURETY_RUN_VALID);
    CHECK(law.bytes <= 257 * pieces.replies[0].len);
    CHECK(law.values > rows / 8);
    CHECK(!t->fail_at ? law.values < rows * 2 : true);
done:
    surety_run_free(run);
    surety_contract_free(contract);
    pieces_done(&pieces);
    show_close(&law);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"shows what a stream has", shows_what_a_stream_has},
        {"shows what has the form of the contract",
         shows_what_has_the_form_of_the_contract},
        {"shows long values seldom", shows_long_values_seldom},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
