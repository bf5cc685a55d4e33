/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a run's value in pieces. The law, for contracts and replies made
 * by chance, cut anywhere, with re-asks, broken calls, partial values and
 * fallbacks: where a run ends with a value the pieces are its JSON; at any time
 * they are the beginning of a text that the contract may accept. LIVE: no call
 * follows a piece. RESUME: each call behind a piece says what was given.
 *
 * SURETY_SEED sets the seed, which a failure prints. */
#include "check.h"
#include "run_fake.h"
#include "run_pieces.h"

#include <surety/stream.h>

enum { OUTPUT_ROUNDS = 1500, OUTPUT_NATIVE = 3 };

#define OUTPUT_SCHEMA                                                          \
    "{\"type\":\"object\",\"required\":[\"name\",\"n\"],\"properties\":{"      \
    "\"name\":{\"type\":\"string\",\"maxLength\":12},\"tags\":{\"type\":"      \
    "\"array\",\"items\":{\"type\":\"string\"}},\"n\":{\"type\":\"number\","   \
    "\"maximum\":10},\"end\":{\"type\":\"boolean\"}},"                         \
    "\"additionalProperties\":false"

static const char *const output_contracts[] = {
    OUTPUT_SCHEMA "}",
    OUTPUT_SCHEMA ",\"x-surety\":{\"repair\":\"syntax\",\"partial\":true}}",
    OUTPUT_SCHEMA ",\"x-surety\":{\"fallback\":{\"kind\":\"value\",\"value\":{"
                  "\"name\":\"Zo\xC3\xAB\",\"n\":0}}}}",
    OUTPUT_SCHEMA "}",
};

struct output_law {
    const surety_run *run;
    const surety_contract *contract;
    surety_stream *stream;
    surety_run_output mode;
    surety_buf given;
    size_t pieces, early, reminded;
    bool starved;
    const char *broken;
};

static bool output_reminds(const struct output_law *law, uint32_t attempt)
{
    const surety_str prompt = surety_run_attempt(law->run, attempt - 1).prompt;

    for (size_t at = 0; at + law->given.len <= prompt.len; at++)
        if (!memcmp(prompt.ptr + at, law->given.ptr, law->given.len))
            return true;
    return false;
}

static void output_hear(void *ctx, const surety_event *event)
{
    struct output_law *law = ctx;

    if (event->kind == SURETY_EVENT_ATTEMPT && law->given.len) {
        law->reminded++;
        if (law->mode == SURETY_RUN_OUTPUT_LIVE)
            law->broken = "a call follows a piece";
        else if (!output_reminds(law, event->attempt))
            law->broken = "a call does not say what was given";
    }
    if (event->kind != SURETY_EVENT_OUTPUT)
        return;
    law->pieces++;
    law->early += surety_run_info_of(law->run)->verdict == SURETY_RUN_PENDING;
    if (!event->text.len)
        law->broken = "a piece is empty";
    surety_buf_add(&law->given, event->text);
    if (law->given.status ||
        surety_stream_begin(law->stream, law->contract, NULL, true, NULL) ||
        surety_stream_feed(law->stream, surety_buf_str(&law->given), NULL))
        law->starved = true;
    else if (surety_stream_info_of(law->stream)->state != SURETY_STREAM_OPEN)
        law->broken = "what was given cannot become valid";
}

/* A reply of the same members, in which chance breaks something. */
static void output_reply(struct pieces *pieces, bool native, surety_buf *out)
{
    static const char *const names[] = {
        "\"Zo\xC3\xAB\\ud83d\\ude00 \\\"q\\\"\"",
        "\"Zo\xC3\xAB\\uD83D\\uDE00 \\u0022q\\\"\"",
        "\"Zo\\u00eb\xF0\x9F\x98\x80 \\\"q\\\"\"",
        "\"Other\"",
        "\"a name that is far too long for it\"",
        "7"};
    static const char *const tags[] = {"[\"a\", \"b\\nc\"]",
                                       "[\"a\",\"b\\nc\"]", "[]", "[\"a\", 7]"};
    static const char *const tails[] = {"7.50, \"end\": true}",
                                        "7.50, \"end\": true}",
                                        "7.50,\"end\":null}",
                                        "11}",
                                        "1e0}",
                                        "7.50, \"n\": 8, \"end\": true}",
                                        "7.50, \"end\": tr",
                                        "7",
                                        "\"x"};

    if (!native && !pieces_next(pieces, 6))
        surety_buf_text(out, "So it is:\n");
    surety_buf_text(out, "{\"name\": ");
    surety_buf_text(out,
                    names[pieces_next(pieces, 3) ? pieces_next(pieces, 3)
                                                 : pieces_next(pieces, 6)]);
    if (native || pieces_next(pieces, 3)) {
        surety_buf_text(out, ", \"tags\": ");
        surety_buf_text(out, native && !pieces_next(pieces, 3)
                                 ? "null"
                                 : tags[pieces_next(pieces, 4)]);
    }
    surety_buf_text(out, ", \"n\": ");
    surety_buf_text(out, tails[pieces_next(pieces, CHECK_COUNT(tails))]);
}

/* The same in events of a provider's stream. */
static void output_events(struct pieces *pieces, surety_str reply,
                          surety_buf *out)
{
    for (size_t at = 0; at < reply.len;) {
        size_t len = 1 + pieces_next(pieces, 9);

        len = len < reply.len - at ? len : reply.len - at;
        while (at + len < reply.len &&
               ((unsigned char)reply.ptr[at + len] & 0xC0) == 0x80)
            len++;
        surety_buf_text(out, "data: {\"choices\":[{\"index\":0,\"delta\":{"
                             "\"content\":");
        surety_json_string(out, (surety_str){reply.ptr + at, len});
        surety_buf_text(out, "}}]}\n\n");
        at += len;
    }
    surety_buf_text(out, "data: {\"choices\":[{\"index\":0,\"delta\":{},"
                         "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
}

/* Makes the model and its replies by chance. */
static surety_status output_pieces(struct pieces *pieces, bool native,
                                   surety_buf *scratch)
{
    surety_status status = SURETY_OK;

    if (native) {
        pieces->model.provider = surety_str_of("openai");
        pieces->model.protocol = SURETY_PROTOCOL_OPENAI;
        pieces->model.key = surety_str_of("k");
        pieces->model.mode = SURETY_MODE_NATIVE;
    }
    for (size_t i = 0; i < PIECES_REPLIES && status == SURETY_OK; i++) {
        surety_buf_reset(scratch);
        output_reply(pieces, native, native ? scratch : &pieces->replies[i]);
        if (native)
            output_events(pieces, surety_buf_str(scratch), &pieces->replies[i]);
        status = scratch->status ? scratch->status : pieces->replies[i].status;
    }
    pieces->piece_max = pieces_next(pieces, 4) * (native ? 90 : 3);
    return status;
}

/* Whether the pieces are the run's value. */
static bool output_holds(struct output_law *law, surety_buf *scratch)
{
    const surety_run_info *info = surety_run_info_of(law->run);

    if (info->verdict < SURETY_RUN_VALID || info->verdict > SURETY_RUN_FALLBACK)
        return true;
    surety_buf_reset(scratch);
    (void)surety_val_write(surety_outcome_info_of(info->outcome)->value,
                           SURETY_STYLE_COMPACT, scratch);
    law->starved |= scratch->status || law->given.status;
    return law->starved || surety_str_equal(surety_buf_str(scratch),
                                            surety_buf_str(&law->given));
}

struct output_seen {
    size_t verdicts[SURETY_RUN_CALLS + 1];
    size_t reminded, refused;
    size_t early[CHECK_COUNT(output_contracts)];
};

static bool output_round(struct check *t, uint64_t seed,
                         struct output_seen *seen)
{
    struct pieces pieces;
    struct output_law law = {.broken = NULL};
    surety_run_options options = {.size = sizeof(options),
                                  .prompt = surety_str_of("Who?"),
                                  .event = output_hear,
                                  .event_ctx = &law,
                                  .seed = 1,
                                  .retry_max = 2,
                                  .alloc = check_alloc(t)};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_buf scratch;
    size_t kind;
    bool good = false;

    pieces_init(&pieces, t, seed);
    surety_buf_init(&scratch, check_alloc(t), 0);
    surety_buf_init(&law.given, check_alloc(t), 0);
    kind = pieces_next(&pieces, CHECK_COUNT(output_contracts));
    TRY(check_contract(t, output_contracts[kind], &contract));
    TRY(output_pieces(&pieces, kind == OUTPUT_NATIVE, &scratch));
    law.mode = seed % 2 ? SURETY_RUN_OUTPUT_LIVE : SURETY_RUN_OUTPUT_RESUME;
    law.stream = surety_stream_new(check_alloc(t), NULL);
    NEED(law.stream);
    options.contract = law.contract = contract;
    options.models = &pieces.model;
    options.model_count = 1;
    options.output = law.mode;
    options.values = seed % 3 == 0;
    TRY(surety_run_new(&options, &run, NULL));
    law.run = run;
    TRY(pieces_go(&pieces, run));
    CHECK(!law.broken);
    CHECK(output_holds(&law, &scratch));
    CHECK(!law.starved || t->fail_at);
    seen->verdicts[surety_run_info_of(run)->verdict]++;
    seen->reminded += law.reminded;
    seen->early[kind] += law.early;
    for (size_t i = 0; i < surety_run_info_of(run)->attempt_count; i++)
        seen->refused += strstr(surety_run_attempt(run, i).decision.ptr,
                                "validator at the root") != NULL;
    good = true;
done:
    if (!good && !t->starved)
        printf("# seed %llu: %s: %.*s and not %.*s\n", (unsigned long long)seed,
               law.broken ? law.broken : "what was given is not the value",
               (int)law.given.len, law.given.ptr, (int)scratch.len,
               scratch.ptr);
    surety_run_free(run);
    surety_stream_free(law.stream);
    surety_contract_free(contract);
    pieces_done(&pieces);
    surety_buf_done(&scratch);
    surety_buf_done(&law.given);
    return good;
}

static void output_laws(struct check *t)
{
    const char *given = getenv("SURETY_SEED");
    const uint64_t first = given ? strtoull(given, NULL, 10) : 1;
    const uint64_t rounds = given ? 1 : t->fail_at ? 8 : OUTPUT_ROUNDS;
    struct output_seen seen = {.reminded = 0};

    for (uint64_t i = 0; i < rounds; i++)
        if (!output_round(t, first + i, &seen))
            return;
    /* All of these happen. */
    if (rounds == OUTPUT_ROUNDS) {
        CHECK(seen.verdicts[SURETY_RUN_VALID] > OUTPUT_ROUNDS / 4);
        CHECK(seen.verdicts[SURETY_RUN_PARTIAL]);
        CHECK(seen.verdicts[SURETY_RUN_FALLBACK]);
        CHECK(seen.verdicts[SURETY_RUN_REJECTED]);
        CHECK(seen.reminded > OUTPUT_ROUNDS / 16);
        CHECK(seen.refused);
        for (size_t i = 0; i < CHECK_COUNT(seen.early); i++)
            CHECK(seen.early[i] > OUTPUT_ROUNDS / 10);
    }
done:;
}

static void output_measure(void *ctx, const surety_event *event)
{
    if (event->kind == SURETY_EVENT_OUTPUT)
        *(size_t *)ctx += event->text.len;
}

/* RESUME: a text that is too long to be quoted is like one of LIVE. */
static void output_limit(struct check *t)
{
    static const size_t lengths[] = {15 << 10, 18 << 10};

    for (size_t i = 0; i < CHECK_COUNT(lengths); i++) {
        struct pieces pieces;
        size_t given = 0;
        surety_run_options options = {.size = sizeof(options),
                                      .prompt = surety_str_of("What?"),
                                      .event = output_measure,
                                      .event_ctx = &given,
                                      .seed = 1,
                                      .output = SURETY_RUN_OUTPUT_RESUME,
                                      .alloc = check_alloc(t)};
        surety_contract *contract = NULL;
        surety_run *run = NULL;
        bool good = false;

        pieces_init(&pieces, t, 1);
        for (size_t k = 0; k < PIECES_REPLIES; k++) {
            surety_buf_text(&pieces.replies[k], "{\"name\":\"");
            for (size_t at = 0; at < lengths[i]; at++)
                surety_buf_byte(&pieces.replies[k], (char)('a' + at % 23));
            surety_buf_text(&pieces.replies[k], "\",\"n\":11}");
            TRY(pieces.replies[k].status);
        }
        pieces.piece_max = 400;
        TRY(check_contract(t, "{\"properties\":{\"n\":{\"maximum\":10}}}",
                           &contract));
        options.contract = contract;
        options.models = &pieces.model;
        options.model_count = 1;
        options.retry_max = 1;
        TRY(surety_run_new(&options, &run, NULL));
        TRY(pieces_go(&pieces, run));
        CHECK(surety_run_info_of(run)->verdict == SURETY_RUN_REJECTED);
        CHECK(given > lengths[i] - 800);
        CHECK(pieces.calls == (i ? 1 : 2));
        good = true;
    done:
        surety_run_free(run);
        surety_contract_free(contract);
        pieces_done(&pieces);
        if (!good)
            return;
    }
}

/* Which contracts change a value at its end. */
static void output_allows(struct check *t)
{
    static const struct {
        const char *contract;
        bool allowed;
    } rows[] = {
        {OUTPUT_SCHEMA "}", true},
        {OUTPUT_SCHEMA ",\"x-surety\":{\"repair\":\"syntax\"}}", true},
        {OUTPUT_SCHEMA ",\"x-surety\":{\"repair\":\"align\"}}", false},
        {OUTPUT_SCHEMA ",\"x-surety\":{\"unknown\":\"strip\"}}", false},
        {"{\"properties\":{\"a\":{\"default\":1}}}", false},
    };
    const surety_repair align = SURETY_REPAIR_ALIGN;
    const surety_judge_options judge = {.size = sizeof(judge),
                                        .repair = &align};
    struct trial trial;

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        TRY(trial_open(&trial, t, rows[i].contract, NULL, 0));
        EXPECT(rows[i].allowed ? SURETY_OK : SURETY_UNSUPPORTED,
               surety_run_output_allows(trial.contract, NULL, NULL));
        EXPECT(SURETY_UNSUPPORTED,
               surety_run_output_allows(trial.contract, &judge, NULL));
        trial.options.output = SURETY_RUN_OUTPUT_LIVE;
        EXPECT(rows[i].allowed ? SURETY_OK : SURETY_MISUSE,
               trial_begin(&trial));
        trial_close(&trial);
    }
    EXPECT(SURETY_UNSUPPORTED, surety_run_output_allows(NULL, NULL, NULL));
    return;
done:
    trial_close(&trial);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"the pieces are the value", output_laws},
        {"a text that is too long to be quoted", output_limit},
        {"contracts that change a value at its end", output_allows},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
