/* SPDX-License-Identifier: Apache-2.0 */
/* Replies that are checked while they come: when a call is stopped, when it is
 * not, and what becomes of it. */
#include "check.h"
#include "run_fake.h"

#define PIECE(text)                                                            \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text          \
    "\"}}]}\n\n"
#define ARGUMENTS(text)                                                        \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":"  \
    "0,\"function\":{\"arguments\":\"" text "\"}}]}}]}\n\n"
#define FINISH(reason)                                                         \
    "data: "                                                                   \
    "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason      \
    "\"}]}\n\ndata: [DONE]\n\n"
#define VALID "{\\\"n\\\":3,\\\"s\\\":\\\"a\\\"}"
#define BLANKS "                                                            "

#define SCHEMA                                                                 \
    "\"type\":\"object\",\"required\":[\"n\",\"s\"],\"properties\":{"          \
    "\"n\":{\"type\":\"integer\",\"maximum\":10},"                             \
    "\"s\":{\"type\":\"string\"},\"o\":{\"type\":\"string\"},"                 \
    "\"any\":{}},\"additionalProperties\":false"

/* Runs a contract with these members of x-surety; the first answer is the one
 * that is looked at, and any other is valid. */
struct watch_case {
    const char *policy;
    const char *body;
    bool ends; /* the first answer, after its body */
    surety_mode mode;
    bool commit, partial;
    uint32_t retry_max;
    surety_stream_state stopped;
    size_t calls;
    surety_run_verdict verdict;
    const char *decision; /* a part of the first attempt's */
    const char *told;     /* a part of the second prompt; NULL: none */
};

static const surety_limits watch_limits = {
    .size = sizeof(watch_limits), .blank_run_max = 100, .repeat_run_max = 600};

static bool watch_holds(const char *text, const char *part)
{
    if (strstr(text, part))
        return true;
    printf("# no \"%s\" in %s\n", part, text);
    return false;
}

static surety_status watch_open(struct trial *trial, struct check *t,
                                const struct watch_case *one,
                                struct fake_answer answers[2])
{
    static surety_judge_options judge;
    char contract[1024];
    surety_status status;

    (void)snprintf(contract, sizeof(contract),
                   "{" SCHEMA ",\"x-surety\":{\"name\":\"c\"%s}}",
                   one->policy ? one->policy : "");
    answers[0] = (struct fake_answer){
        .status = 200, .body = one->body, .stalls = !one->ends};
    answers[1] = (struct fake_answer){.status = 200, .body = SAYS(VALID)};
    if (one->mode == SURETY_MODE_TOOL)
        answers[1].body = ARGUMENTS(VALID) FINISH("tool_calls");
    status = trial_open(trial, t, contract, answers, 2);
    trial->models[0].whole = false;
    trial->models[0].mode = one->mode ? one->mode : SURETY_MODE_PROMPT;
    trial->models[0].output_tokens_max = 1000;
    judge =
        (surety_judge_options){.size = sizeof(judge), .partial = one->partial};
    trial->options.judge = &judge;
    trial->options.commit = one->commit;
    trial->options.stop = SURETY_STOP_ALWAYS;
    trial->options.retry_max = one->retry_max;
    trial->options.limits = &watch_limits;
    trial->options.budget.ms_max = 60000;
    return status;
}

static void watch_try(struct check *t, const struct watch_case *one)
{
    struct fake_answer answers[2];
    struct trial trial;
    const struct fake *fake = &trial.fake;
    surety_attempt first;
    char decision[1024];

    TRY(watch_open(&trial, t, one, answers));
    TRY(trial_go(&trial));
    first = surety_run_attempt(trial.run, 0);
    fake_copy(decision, sizeof(decision), first.decision);
    CHECK(first.stopped == one->stopped);
    CHECK(fake->calls == one->calls && fake->finished == one->calls);
    CHECK(surety_run_info_of(trial.run)->verdict == one->verdict);
    CHECK(!one->decision || watch_holds(decision, one->decision));
    CHECK(!one->told || watch_holds(fake->bodies[1], one->told));
    CHECK((fake->cancelled > 0) == !one->ends);
    if (first.stopped != SURETY_STREAM_OPEN) {
        CHECK(first.judged && first.stopped_bytes == first.answer.text.len);
        CHECK(first.answer.failure == SURETY_FAILURE_NONE);
        CHECK(first.saved_known);
        CHECK(first.saved_tokens + first.stopped_tokens == 1000);
        CHECK(watch_holds(decision, "stopped after "));
        CHECK(watch_holds(fake->finishes[0], "done||"));
    }
done:
    trial_close(&trial);
}

#define WHOLE ",\"extract\":{\"from\":[\"native\",\"whole\"]}"

TEST(stops_text_that_cannot_be_valid)
{
    static const struct watch_case cases[] = {
        {.policy = WHOLE,
         .body = PIECE("{\\\"n\\\": 1") PIECE("1, \\\"s\\\": "),
         .stopped = SURETY_STREAM_NO,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .decision = "the reply breaks its contract (maximum at /n): re-ask 1",
         .told = "11 is greater than the maximum of 10"},
        /* Where there may be another value, it is waited for. */
        {.body =
             PIECE("Not {\\\"n\\\": 11}, ") PIECE("but " VALID) FINISH("stop"),
         .ends = true,
         .calls = 1,
         .verdict = SURETY_RUN_VALID},
        {.body = PIECE("Not {\\\"n\\\": 11}, "),
         .commit = true,
         .stopped = SURETY_STREAM_REFUTED,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .decision = "re-ask 1"},
        /* Text where JSON alone may stand. */
        {.policy = WHOLE ",\"extract\":{\"from\":[\"whole\"],"
                         "\"skip_reasoning\":false}",
         .body = PIECE("Here is it: "),
         .stopped = SURETY_STREAM_NO,
         .calls = 2,
         .verdict = SURETY_RUN_VALID},
        /* A reply that is whole is judged whole. */
        {.policy = WHOLE,
         .body = PIECE("{\\\"n\\\": 11, \\\"s\\\": 7}") FINISH("stop"),
         .ends = true,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .decision = "type at /s"},
        {.policy = WHOLE ",\"repair\":\"syntax\"",
         .body = PIECE("{n: 11, ") PIECE("s: "),
         .stopped = SURETY_STREAM_NO,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .decision = "maximum at /n"},
        {.policy = WHOLE,
         .body = PIECE("{\\\"n\\\": 11, "),
         .retry_max = SURETY_RUN_NONE,
         .stopped = SURETY_STREAM_NO,
         .calls = 1,
         .verdict = SURETY_RUN_REJECTED,
         .decision = "re-asks are switched off"},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        watch_try(t, &cases[i]);
}

TEST(stops_structured_values)
{
    static const struct watch_case cases[] = {
        /* The null is one that stands for nothing, and will be taken out. */
        {.mode = SURETY_MODE_NATIVE,
         .body = PIECE(
             "{\\\"o\\\":null,\\\"any\\\":\\\"{}\\\",\\\"n\\\":11, \\\"s"),
         .stopped = SURETY_STREAM_NO,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .decision = "(maximum at /n)",
         .told = "11 is greater than the maximum of 10"},
        {.mode = SURETY_MODE_NATIVE,
         .body = PIECE("{\\\"o\\\":null,\\\"any\\\":\\\"{}\\\",\\\"n\\\":1,")
             PIECE("\\\"s\\\":\\\"x\\\"}") FINISH("stop"),
         .ends = true,
         .calls = 1,
         .verdict = SURETY_RUN_VALID},
        {.mode = SURETY_MODE_TOOL,
         .body = ARGUMENTS("{\\\"o\\\":7"),
         .stopped = SURETY_STREAM_NO,
         .calls = 2,
         .verdict = SURETY_RUN_VALID},
        {.mode = SURETY_MODE_TOOL,
         .body = ARGUMENTS("{\\\"n\\\":1"),
         .calls = 1,
         .verdict = SURETY_RUN_BUDGET},
        {.mode = SURETY_MODE_TOOL,
         .body = ARGUMENTS("{\\\"o\\\":7, \\\""),
         .stopped = SURETY_STREAM_NO,
         .calls = 2,
         .verdict = SURETY_RUN_VALID},
        /* Broken arguments, and nothing beside them. */
        {.mode = SURETY_MODE_TOOL,
         .body = ARGUMENTS("{\\\"n\\\":3, oh \\\"no"),
         .stopped = SURETY_STREAM_NO,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .decision = "the reply's JSON is broken"},
        /* A server that knows nothing of structured output. */
        {.mode = SURETY_MODE_NATIVE,
         .body = PIECE("Here it is: ```json\\n") PIECE(VALID "\\n```")
             FINISH("stop"),
         .ends = true,
         .calls = 1,
         .verdict = SURETY_RUN_VALID},
        {.policy = WHOLE,
         .mode = SURETY_MODE_NATIVE,
         .body = PIECE("{\\\"o\\\":3.5, \\\"n"),
         .stopped = SURETY_STREAM_NO,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .decision = "at /o)"},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        watch_try(t, &cases[i]);
}

TEST(stops_what_runs_away)
{
    static const struct watch_case cases[] = {
        {.body = PIECE("{\\\"n\\\": " BLANKS BLANKS),
         .stopped = SURETY_STREAM_RUNAWAY,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .decision = "the reply ran away (white space",
         .told = "ran on without end"},
        /* The value before it counts. */
        {.body = PIECE(VALID BLANKS BLANKS),
         .stopped = SURETY_STREAM_RUNAWAY,
         .calls = 1,
         .verdict = SURETY_RUN_VALID,
         .decision = "the reply is valid: it is taken"},
        {.mode = SURETY_MODE_NATIVE,
         .body = PIECE("{\\\"n\\\":3," BLANKS BLANKS),
         .stopped = SURETY_STREAM_RUNAWAY,
         .calls = 2,
         .verdict = SURETY_RUN_VALID},
        {.body = PIECE("again, ") PIECE("again, again, again, again, again, ")
             PIECE("again, again, again, again, again, again, again, again, ")
                 PIECE("again, again, again, again, again, again, again, ")
                     PIECE("again, again, again, again, again, again, again, ")
                         PIECE("again, again, again, again, again, again, ")
                             PIECE("again, again, again, again, again, again, ")
                                 PIECE("again, again, again, again, again, ")
                                     PIECE("again, again, again, again, ")
                                         PIECE("again, again, again, again, ")
                                             PIECE("again, again, again, ")
                                                 PIECE("again, again, again, ")
                                                     PIECE("again, again, ")
                                                         PIECE(BLANKS "again, ")
                                                             PIECE("and " BLANKS
                                                                       BLANKS),
         .stopped = SURETY_STREAM_RUNAWAY,
         .calls = 2,
         .verdict = SURETY_RUN_VALID},
        {.body = PIECE("{\\\"n\\\": " BLANKS BLANKS),
         .partial = true,
         .retry_max = SURETY_RUN_NONE,
         .stopped = SURETY_STREAM_RUNAWAY,
         .calls = 1,
         .verdict = SURETY_RUN_PARTIAL,
         .decision = "the reply ran away"},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        watch_try(t, &cases[i]);
}

TEST(waits_for_what_is_wanted_whole)
{
    static const struct watch_case cases[] = {
        /* A patch corrects the value, which must be there. */
        {.policy = WHOLE ",\"retry\":{\"feedback\":\"patch\"}",
         .body = PIECE("{\\\"n\\\": 11, \\\"s\\\": ") PIECE("\\\"a\\\"}")
             FINISH("stop"),
         .ends = true,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .told = "RFC 6902"},
        {.policy = WHOLE ",\"retry\":{\"feedback\":\"patch\"}",
         .body = PIECE("{\\\"n\\\": 11, \\\"s\\\": "),
         .retry_max = SURETY_RUN_NONE,
         .stopped = SURETY_STREAM_NO,
         .calls = 1,
         .verdict = SURETY_RUN_REJECTED},
        /* The fallback is the whole text. */
        {.policy = WHOLE ",\"retry\":{\"max\":0},\"fallback\":{\"kind\":"
                         "\"text\",\"value\":{\"s\":\"\"},\"field\":\"/s\"}",
         .body = PIECE("{\\\"n\\\": 11, ") PIECE("and more") FINISH("stop"),
         .ends = true,
         .calls = 1,
         .verdict = SURETY_RUN_FALLBACK},
        {.policy = WHOLE ",\"retry\":{\"max\":0},\"fallback\":{\"kind\":"
                         "\"null\"}",
         .body = PIECE("{\\\"n\\\": 11, ") PIECE("and more"),
         .stopped = SURETY_STREAM_NO,
         .calls = 1,
         .verdict = SURETY_RUN_FALLBACK},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        watch_try(t, &cases[i]);
}

TEST(takes_a_part_at_last)
{
    static const struct watch_case cases[] = {
        {.policy = ",\"partial\":true",
         .body = PIECE("{\\\"n\\\": 3, \\\"s\\\": \\\"ab") FINISH("length"),
         .ends = true,
         .retry_max = SURETY_RUN_NONE,
         .calls = 1,
         .verdict = SURETY_RUN_PARTIAL,
         .decision = "cut off by a limit on its length"},
        {.policy = ",\"partial\":true",
         .body = PIECE("{\\\"n\\\": 3, \\\"s\\\": \\\"ab") FINISH("length"),
         .ends = true,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .told = "much shorter"},
        {.policy = ",\"partial\":true",
         .body = PIECE("{\\\"n\\\": 3, \\\"s\\\": \\\"ab") FINISH("stop"),
         .ends = true,
         .calls = 2,
         .verdict = SURETY_RUN_VALID,
         .decision = "the reply ends before its JSON does: re-ask 1",
         .told = "ended before its JSON did"},
        {.policy = ",\"partial\":true",
         .mode = SURETY_MODE_NATIVE,
         .body = PIECE("{\\\"o\\\":null,\\\"n\\\": 3, \\\"s\\\": \\\"ab")
             FINISH("length"),
         .ends = true,
         .retry_max = SURETY_RUN_NONE,
         .calls = 1,
         .verdict = SURETY_RUN_PARTIAL},
        {.policy = ",\"partial\":true",
         .mode = SURETY_MODE_NATIVE,
         .body = PIECE("{\\\"o\\\":null,\\\"any\\\":") FINISH("length"),
         .ends = true,
         .retry_max = SURETY_RUN_NONE,
         .calls = 1,
         .verdict = SURETY_RUN_PARTIAL},
        /* Time ran out in the middle of it. */
        {.partial = true,
         .body = PIECE("{\\\"n\\\": 3, \\\"s\\\": \\\"ab"),
         .calls = 1,
         .verdict = SURETY_RUN_PARTIAL,
         .decision = "is spent"},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        watch_try(t, &cases[i]);
}

TEST(takes_no_part_that_is_wrong)
{
    static const struct watch_case cases[] = {
        /* A part that breaks the contract is none. */
        {.policy = ",\"partial\":true",
         .mode = SURETY_MODE_NATIVE,
         .body = PIECE("{\\\"n\\\":33, \\\"s\\\":") FINISH("length"),
         .ends = true,
         .retry_max = SURETY_RUN_NONE,
         .stopped = SURETY_STREAM_NO,
         .calls = 1,
         .verdict = SURETY_RUN_REJECTED},
        {.policy = ",\"partial\":true",
         .body = PIECE("{\\\"n\\\": 33, \\\"s\\\": \\\"ab") FINISH("length"),
         .ends = true,
         .retry_max = SURETY_RUN_NONE,
         .calls = 1,
         .verdict = SURETY_RUN_REJECTED},
        {.body = PIECE("{\\\"n\\\": 3, \\\"s\\\": \\\"ab") FINISH("length"),
         .ends = true,
         .retry_max = SURETY_RUN_NONE,
         .calls = 1,
         .verdict = SURETY_RUN_REJECTED},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        watch_try(t, &cases[i]);
}

/* The part has what came, and its report says that it is one. */
TEST(tells_that_it_is_a_part)
{
    static const struct watch_case one = {
        .body = PIECE("{\\\"o\\\":null,\\\"n\\\": 3, \\\"s\\\": \\\"ab")
            FINISH("length"),
        .ends = true,
        .partial = true,
        .mode = SURETY_MODE_NATIVE,
        .retry_max = SURETY_RUN_NONE};
    const surety_outcome *outcome;
    struct fake_answer answers[2];
    struct trial trial;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(watch_open(&trial, t, &one, answers));
    TRY(trial_go(&trial));
    outcome = surety_run_info_of(trial.run)->outcome;
    CHECK(surety_outcome_info_of(outcome)->ok &&
          surety_outcome_info_of(outcome)->partial);
    CHECK_TEXT(surety_outcome_info_of(outcome)->open, "/s");
    CHECK_JSON(surety_outcome_info_of(outcome)->value,
               "{\"n\":3,\"s\":\"ab\"}");
    surety_buf_reset(&out);
    TRY(surety_run_write(trial.run, SURETY_REPORT_JSON, surety_str_of(""),
                         &out));
    surety_buf_byte(&out, 0);
    CHECK(watch_holds(out.ptr, "{\"ok\":true,\"stage\":null"));
    CHECK(watch_holds(out.ptr, "\"verdict\":\"partial\""));
    CHECK(watch_holds(out.ptr, "\"open\":\"/s\""));
    CHECK(watch_holds(out.ptr,
                      "the value is a part of a reply that was cut off"));
done:
    surety_buf_done(&out);
    trial_close(&trial);
}

/* What the report and the ledger say of a call that was stopped. */
TEST(reports_what_was_stopped)
{
    static const struct watch_case one = {
        .body = PIECE("{\\\"o\\\":null,\\\"n\\\":11, \\\"s"),
        .mode = SURETY_MODE_NATIVE,
        .retry_max = SURETY_RUN_NONE};
    static const char *const parts[] = {
        "{\"ok\":false,\"stage\":\"validation\"",
        "\"keyword\":\"maximum\"",
        "\"keyword\":\"stopped\"",
        "\"stopped\":true,\"stopped_for\":\"no\",\"stopped_after\":20,"
        "\"output_tokens\":7,\"estimated\":true,\"tokens_saved\":993",
        "\"failure\":null",
        "stopped after 20 bytes, about 7 tokens of at most 1000: the reply "
        "breaks its contract (maximum at /n)",
    };
    struct fake_answer answers[2];
    struct trial trial;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(watch_open(&trial, t, &one, answers));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_REJECTED);
    CHECK(!surety_run_info_of(trial.run)->usage.known);
    CHECK(surety_run_info_of(trial.run)->usage.output_tokens == 7);
    TRY(surety_run_write(trial.run, SURETY_REPORT_JSON, surety_str_of(""),
                         &out));
    surety_buf_byte(&out, 0);
    for (size_t i = 0; i < CHECK_COUNT(parts); i++)
        CHECK(watch_holds(out.ptr, parts[i]));
    CHECK(!strstr(out.ptr, "is no string"));
    CHECK(watch_holds(trial.fake.finishes[0],
                      "done||validation||stopped after 20"));
done:
    surety_buf_done(&out);
    trial_close(&trial);
}

/* Who cancels the run at the moment when it would stop the call. */
TEST(may_be_cancelled_first)
{
    static const struct watch_case one = {.body = PIECE("{\\\"n\\\":11, \\\"s"),
                                          .mode = SURETY_MODE_NATIVE};
    struct fake_answer answers[2];
    struct trial trial;
    uint32_t delay_ms = 0;

    TRY(watch_open(&trial, t, &one, answers));
    TRY(trial_begin(&trial));
    TRY(surety_run_step(trial.run, (surety_now){1, 1}, &delay_ms, NULL) ==
                SURETY_MORE
            ? SURETY_OK
            : SURETY_NOMEM);
    TRY(fake_wait(&trial.fake, 0, NULL));
    surety_run_cancel(trial.run, (surety_now){2, 2});
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_CANCELLED);
    CHECK(trial.fake.cancelled == 1 && trial.fake.finished == 1);
    CHECK(surety_run_attempt(trial.run, 0).stopped == SURETY_STREAM_OPEN);
done:
    trial_close(&trial);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"stops text that cannot be valid", stops_text_that_cannot_be_valid},
        {"stops structured values", stops_structured_values},
        {"stops what runs away", stops_what_runs_away},
        {"waits for what is wanted whole", waits_for_what_is_wanted_whole},
        {"takes a part at last", takes_a_part_at_last},
        {"takes no part that is wrong", takes_no_part_that_is_wrong},
        {"tells that it is a part", tells_that_it_is_a_part},
        {"reports what was stopped", reports_what_was_stopped},
        {"may be cancelled first", may_be_cancelled_first},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
