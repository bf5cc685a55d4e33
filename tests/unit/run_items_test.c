/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of an array as they come. The law, for replies made by chance, cut
 * anywhere, with re-asks, broken calls, partial values and fallbacks: each
 * element comes once and in order; where a run ends with a value, they are its
 * array (of a partial value its beginning); and each call behind them tells the
 * model what was given. And the same replies give the same elements, however
 * they are cut.
 *
 * SURETY_SEED sets the seed, which a failure prints. */
#include "check.h"
#include "run_pieces.h"

#include <string.h>

enum { ITEMS_ROUNDS = 2000 };

static const char *const items_contracts[] = {
    "{\"type\":\"object\",\"required\":[\"n\",\"rows\"],\"properties\":{"
    "\"n\":{\"type\":\"integer\",\"maximum\":10},"
    "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":["
    "\"id\"],\"properties\":{\"id\":{\"type\":\"integer\"},\"d\":{\"default\":"
    "\"x\"}}}}},\"x-surety\":{\"unknown\":\"strip\"}}",
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
    "\"maximum\":10},\"rows\":{\"type\":\"array\"}},\"x-surety\":{\"repair\":"
    "\"syntax\",\"partial\":true}}",
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
    "\"maximum\":10},\"rows\":{\"type\":\"array\"}},\"x-surety\":{"
    "\"fallback\":{\"kind\":\"value\",\"value\":{\"n\":0,\"rows\":[]}}}}",
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
    "\"maximum\":10},\"rows\":{\"type\":\"array\"}},\"x-surety\":{"
    "\"fallback\":{\"kind\":\"value\",\"value\":{\"n\":0,\"rows\":[{\"id\":0},"
    "{\"id\":1},{\"id\":2},{\"id\":3},{\"id\":4},{\"id\":5}]}}}}",
    /* Converted back: absent members came as null. */
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
    "\"type\":\"integer\",\"maximum\":10},\"rows\":{\"type\":\"array\","
    "\"items\":{\"type\":\"object\",\"required\":[\"id\"],\"properties\":{"
    "\"id\":{\"type\":\"integer\"},\"d\":{\"type\":\"string\"},\"e\":{"
    "\"type\":\"integer\",\"default\":5}},\"additionalProperties\":false}}},"
    "\"additionalProperties\":false,\"x-surety\":{\"partial\":true}}",
};
enum { ITEMS_NATIVE = 4 };

struct items_law {
    const surety_items *items;
    const surety_run *run;
    surety_buf given; /* as an array without its end */
    size_t count;
    size_t early;      /* elements that came before the end */
    uint32_t reminded; /* attempts whose prompt has what was given */
    bool starved;
    const char *broken;
};

/* Whether the prompt of the call has all that was given. */
static bool items_reminds(const struct items_law *law, uint32_t attempt)
{
    const surety_str prompt = surety_run_attempt(law->run, attempt - 1).prompt;
    size_t at = 0;

    for (size_t i = 0; i < law->count; i++) {
        const surety_str text = surety_items_at(law->items, i).text;

        while (at + text.len <= prompt.len &&
               memcmp(prompt.ptr + at, text.ptr, text.len) != 0)
            at++;
        if (at + text.len > prompt.len)
            return false;
    }
    return true;
}

static void items_hear(void *ctx, const surety_event *event)
{
    struct items_law *law = ctx;

    if (event->kind == SURETY_EVENT_ATTEMPT && law->count) {
        law->reminded++;
        if (!items_reminds(law, event->attempt))
            law->broken = "a call does not say what was given";
    }
    if (event->kind != SURETY_EVENT_ITEM)
        return;
    law->early += surety_run_info_of(law->run)->verdict == SURETY_RUN_PENDING;
    if (event->item != law->count)
        law->broken = "an element is not the next one";
    surety_buf_text(&law->given, law->count++ ? "," : "[");
    surety_buf_add(&law->given, event->text);
    law->starved |= law->given.status != SURETY_OK;
}

/* A reply that goes through the same rows, in which chance breaks something. */
static void items_reply(struct pieces *pieces, surety_buf *out)
{
    static const char *const wrong[] = {"{\"id\": \"x\"}", "{\"id\": 9}", "7",
                                        "{\"id\": 1, \"id\": 2}", "{}"};
    static const char *const tails[] = {
        "\"n\": 7}", "\"n\": 7}", "\"n\": 7}\nDone.",       "\"n\": 11}",
        "\"n\": ",   "\"n\"",     "\"rows\": [], \"n\": 7}"};
    const uint32_t count = pieces_next(pieces, 6);
    char row[64];

    surety_buf_text(out, pieces_next(pieces, 4) ? "" : "So {\"n\": 99}, or ");
    surety_buf_text(out, "{\"rows\": [");
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(row, sizeof(row), "{\"id\": %u}", (unsigned)i);
        surety_buf_text(out, i ? ", " : "");
        surety_buf_text(out,
                        pieces_next(pieces, 12)
                            ? row
                            : wrong[pieces_next(pieces, CHECK_COUNT(wrong))]);
    }
    surety_buf_text(out, "], ");
    surety_buf_text(out, tails[pieces_next(pieces, CHECK_COUNT(tails))]);
}

/* The same in the form of a provider, in events of its stream, which `how`
 * cuts. */
static void items_native(struct pieces *pieces, uint32_t how,
                         surety_buf *scratch, surety_buf *out)
{
    static const char *const rows[] = {
        "{\"id\":%u,\"d\":null,\"e\":null}", "{\"id\":%u,\"d\":\"x\",\"e\":2}",
        "{\"id\":%u,\"d\":\"\\u00e9\",\"e\":null}"};
    static const char *const tails[] = {"7}", "7}", "7}", "11}", "null}", "7"};
    const uint32_t count = pieces_next(pieces, 6);
    struct pieces cuts;
    char row[64];

    surety_buf_reset(scratch);
    surety_buf_text(scratch, "{\"rows\":[");
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(row, sizeof(row), rows[i % CHECK_COUNT(rows)],
                       pieces_next(pieces, 12) ? (unsigned)i : 9u);
        surety_buf_text(scratch, i ? "," : "");
        surety_buf_text(scratch, row);
    }
    surety_buf_text(scratch, "],\"n\":");
    surety_buf_text(scratch, tails[pieces_next(pieces, CHECK_COUNT(tails))]);
    cuts.state = pieces->state + how;
    for (size_t at = 0; at < scratch->len;) {
        size_t len = 1 + pieces_next(&cuts, how == 3 ? 400 : 12);

        len = len < scratch->len - at ? len : scratch->len - at;
        surety_buf_text(out, "data: {\"choices\":[{\"index\":0,\"delta\":{"
                             "\"content\":");
        surety_json_string(out, (surety_str){scratch->ptr + at, len});
        surety_buf_text(out, "}}]}\n\n");
        at += len;
    }
    surety_buf_text(out, "data: {\"choices\":[{\"index\":0,\"delta\":{},"
                         "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
}

/* Whether what was given is the array of the run's value. */
static bool items_hold(struct items_law *law, const surety_run *run,
                       surety_buf *scratch)
{
    const surety_run_info *info = surety_run_info_of(run);
    const bool part = info->verdict == SURETY_RUN_PARTIAL;
    surety_val array;

    if (info->verdict < SURETY_RUN_VALID || info->verdict > SURETY_RUN_FALLBACK)
        return true;
    array = surety_val_at(surety_outcome_info_of(info->outcome)->value,
                          surety_str_of("/rows"));
    surety_buf_reset(scratch);
    if (array.doc && surety_val_kind(array) == SURETY_KIND_ARRAY)
        (void)surety_val_write(array, SURETY_STYLE_COMPACT, scratch);
    else
        surety_buf_text(scratch, "[]");
    if (!law->count)
        surety_buf_text(&law->given, "[");
    if (!part)
        surety_buf_byte(&law->given, ']');
    law->starved |= scratch->status || law->given.status;
    return law->starved ||
           (law->given.len <= scratch->len &&
            (part || law->given.len == scratch->len) &&
            memcmp(law->given.ptr, scratch->ptr, law->given.len) == 0);
}

struct items_seen {
    size_t verdicts[SURETY_RUN_VALIDATOR + 1];
    size_t reminded, refused;
    size_t early[CHECK_COUNT(items_contracts)];
};

/* Makes the model and its replies by chance. */
static surety_status items_pieces(struct pieces *pieces, bool native,
                                  uint32_t how, surety_buf *scratch)
{
    surety_status status = SURETY_OK;

    if (native) {
        pieces->model.provider = surety_str_of("openai");
        pieces->model.protocol = SURETY_PROTOCOL_OPENAI;
        pieces->model.key = surety_str_of("k");
        pieces->model.mode = SURETY_MODE_NATIVE;
    }
    for (size_t i = 0; i < PIECES_REPLIES && status == SURETY_OK; i++) {
        if (native)
            items_native(pieces, how, scratch, &pieces->replies[i]);
        else
            items_reply(pieces, &pieces->replies[i]);
        status = scratch->status ? scratch->status : pieces->replies[i].status;
    }
    pieces->piece_max = pieces_next(pieces, 4) * (native ? 90 : 3);
    return status;
}

static bool items_round(struct check *t, uint64_t seed, struct items_seen *seen)
{
    struct pieces pieces;
    struct items_law law = {.items = NULL};
    surety_run_options options = {.size = sizeof(options),
                                  .prompt = surety_str_of("Which?"),
                                  .event = items_hear,
                                  .event_ctx = &law,
                                  .seed = 1,
                                  .retry_max = 2,
                                  .alloc = check_alloc(t)};
    surety_contract *contract = NULL;
    surety_items *items = NULL;
    surety_run *run = NULL;
    surety_buf scratch;
    size_t kind;
    bool good = false;

    pieces_init(&pieces, t, seed);
    surety_buf_init(&scratch, check_alloc(t), 0);
    surety_buf_init(&law.given, check_alloc(t), 0);
    kind = pieces_next(&pieces, CHECK_COUNT(items_contracts));
    TRY(check_contract(t, items_contracts[kind], &contract));
    TRY(surety_items_new(contract, surety_str_of("/rows"), check_alloc(t),
                         &items, NULL));
    TRY(items_pieces(&pieces, kind == ITEMS_NATIVE, 0, &scratch));
    options.contract = contract;
    options.models = &pieces.model;
    options.model_count = 1;
    options.items = items;
    options.stop = (surety_stop)pieces_next(&pieces, 3);
    TRY(surety_run_new(&options, &run, NULL));
    law.items = items;
    law.run = run;
    TRY(pieces_go(&pieces, run));
    CHECK(!law.broken);
    CHECK(law.count == surety_items_count(items));
    CHECK(items_hold(&law, run, &scratch));
    CHECK(!law.starved || t->fail_at);
    seen->verdicts[surety_run_info_of(run)->verdict]++;
    seen->reminded += law.reminded;
    seen->early[kind] += law.early;
    for (size_t i = 0; i < surety_run_info_of(run)->attempt_count; i++)
        seen->refused += strstr(surety_run_attempt(run, i).decision.ptr,
                                "validator at /rows") != NULL;
    good = true;
done:
    if (!good && !t->starved)
        printf("# seed %llu: %s: %.*s and not %.*s\n", (unsigned long long)seed,
               law.broken ? law.broken : "what was given is not the array",
               (int)law.given.len, law.given.ptr, (int)scratch.len,
               scratch.ptr);
    surety_run_free(run);
    surety_items_free(items);
    surety_contract_free(contract);
    pieces_done(&pieces);
    surety_buf_done(&scratch);
    surety_buf_done(&law.given);
    return good;
}

TEST(gives_the_array_of_the_value)
{
    const char *given = getenv("SURETY_SEED");
    const uint64_t first = given ? strtoull(given, NULL, 10) : 1;
    const uint64_t rounds = given ? 1 : t->fail_at ? 8 : ITEMS_ROUNDS;
    struct items_seen seen = {.reminded = 0};

    for (uint64_t i = 0; i < rounds; i++)
        if (!items_round(t, first + i, &seen))
            return;
    /* All of these happen. */
    if (rounds == ITEMS_ROUNDS) {
        CHECK(seen.verdicts[SURETY_RUN_VALID] > ITEMS_ROUNDS / 4);
        CHECK(seen.verdicts[SURETY_RUN_PARTIAL]);
        CHECK(seen.verdicts[SURETY_RUN_FALLBACK]);
        CHECK(seen.verdicts[SURETY_RUN_REJECTED]);
        CHECK(seen.reminded > ITEMS_ROUNDS / 8);
        CHECK(seen.refused);
        for (size_t i = 0; i < CHECK_COUNT(seen.early); i++)
            CHECK(seen.early[i] > ITEMS_ROUNDS / 10);
    }
done:;
}

/* Writes which attempt gave what. */
static void items_trace(void *ctx, const surety_event *event)
{
    surety_buf *out = ctx;
    char attempt[16];

    if (event->kind != SURETY_EVENT_ITEM)
        return;
    (void)snprintf(attempt, sizeof(attempt), "%u: ", event->attempt);
    surety_buf_text(out, attempt);
    surety_buf_add(out, event->text);
    surety_buf_text(out, "\n");
}

/* The run of a seed, with its replies cut in one of several ways. */
static surety_status items_cut(struct check *t, uint64_t seed, uint32_t how,
                               surety_buf *trace)
{
    static const size_t pieces_max[] = {0, 1, 12, 400};
    struct pieces pieces;
    surety_run_options options = {.size = sizeof(options),
                                  .prompt = surety_str_of("Which?"),
                                  .event = items_trace,
                                  .event_ctx = trace,
                                  .seed = 1,
                                  .stop = (surety_stop)(seed % 3),
                                  .values = seed % 2,
                                  .alloc = check_alloc(t)};
    const size_t kind = seed % CHECK_COUNT(items_contracts);
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_status status;
    surety_buf scratch;

    pieces_init(&pieces, t, seed);
    surety_buf_init(&scratch, check_alloc(t), 0);
    status = check_contract(t, items_contracts[kind], &contract);
    if (status == SURETY_OK)
        status = surety_items_new(contract, surety_str_of("/rows"),
                                  check_alloc(t), &options.items, NULL);
    if (status == SURETY_OK)
        status = items_pieces(&pieces, kind == ITEMS_NATIVE, how, &scratch);
    options.contract = contract;
    options.models = &pieces.model;
    options.model_count = 1;
    if (status == SURETY_OK)
        status = surety_run_new(&options, &run, NULL);
    pieces.state += how;
    pieces.piece_max = pieces_max[how];
    if (status == SURETY_OK)
        status = pieces_go(&pieces, run);
    surety_run_free(run);
    surety_items_free(options.items);
    surety_contract_free(contract);
    pieces_done(&pieces);
    surety_buf_done(&scratch);
    return status == SURETY_OK ? trace->status : status;
}

TEST(gives_the_same_however_the_replies_are_cut)
{
    const uint64_t rounds = t->fail_at ? 8 : ITEMS_ROUNDS;
    surety_buf traces[4];
    size_t some = 0;

    for (size_t i = 0; i < CHECK_COUNT(traces); i++)
        surety_buf_init(&traces[i], check_alloc(t), 0);
    for (uint64_t seed = 1; seed <= rounds && !t->failed; seed++) {
        for (uint32_t i = 0; i < CHECK_COUNT(traces); i++) {
            surety_buf_reset(&traces[i]);
            TRY(items_cut(t, seed, i, &traces[i]));
        }
        for (size_t i = 1; i < CHECK_COUNT(traces); i++) {
            const bool same = surety_str_equal(surety_buf_str(&traces[0]),
                                               surety_buf_str(&traces[i]));

            if (t->starved || same)
                continue;
            printf("# seed %llu, cut %zu: %.*s# and whole: %.*s",
                   (unsigned long long)seed, i, (int)traces[i].len,
                   traces[i].ptr, (int)traces[0].len, traces[0].ptr);
            CHECK(same);
        }
        some += traces[0].len > 0;
    }
    CHECK(t->fail_at || some > ITEMS_ROUNDS / 2);
done:
    for (size_t i = 0; i < CHECK_COUNT(traces); i++)
        surety_buf_done(&traces[i]);
}

TEST(says_what_it_cannot_do)
{
    struct pieces pieces;
    surety_run_options options = {.size = sizeof(options),
                                  .prompt = surety_str_of("Which?"),
                                  .alloc = check_alloc(t)};
    surety_contract *contract = NULL;
    surety_items *items = NULL;
    surety_run *run = NULL;

    pieces_init(&pieces, t, 1);
    TRY(check_contract(t, "{\"type\":\"array\"}", &contract));
    TRY(surety_items_new(contract, surety_str_of(""), check_alloc(t), &items,
                         NULL));
    options.models = &pieces.model;
    options.model_count = 1;
    options.items = items;
    EXPECT(SURETY_MISUSE, surety_run_new(&options, &run, NULL));
done:
    surety_run_free(run);
    surety_items_free(items);
    surety_contract_free(contract);
    pieces_done(&pieces);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"gives the array of the value", gives_the_array_of_the_value},
        {"gives the same however the replies are cut",
         gives_the_same_however_the_replies_are_cut},
        {"says what it cannot do", says_what_it_cannot_do},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
