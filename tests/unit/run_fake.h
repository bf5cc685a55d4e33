/* SPDX-License-Identifier: Apache-2.0 */
/* A world for tests of runs: a transport that answers from a list, a ledger in
 * memory, and a clock that the test moves.
 *
 *     struct trial trial;
 *
 *     TRY(trial_open(&trial, t, contract, answers, CHECK_COUNT(answers)));
 *     trial.options.retry_max = 1;
 *     TRY(trial_go(&trial));
 *     CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
 * done:
 *     trial_close(&trial); */
#ifndef SURETY_TESTS_RUN_FAKE_H
#define SURETY_TESTS_RUN_FAKE_H

#include "check.h"

#include <surety/ledger.h>
#include <surety/provider.h>
#include <surety/run.h>

#include <stdlib.h>
#include <string.h>

/* Bodies of answers as OpenAI gives them. */
#define ENDS(text, reason)                                                     \
    "{\"id\":\"c\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"message\":{"  \
    "\"role\":\"assistant\",\"content\":\"" text                               \
    "\"},\"finish_reason\":\"" reason "\"}],\"usage\":{\"prompt_tokens\":10,"  \
    "\"completion_tokens\":5}}"
#define SAYS(text) ENDS(text, "stop")
#define CUT(text) ENDS(text, "length")
#define REFUSES                                                                \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":null,\"refusal\":"    \
    "\"I will not.\"},\"finish_reason\":\"stop\"}]}"
#define FAILS(type, code)                                                      \
    "{\"error\":{\"type\":\"" type "\",\"code\":\"" code                       \
    "\",\"message\":\"It says no to sk-planted-1234567890.\"}}"

/* One answer of the transport, in the order in which calls are made. */
struct fake_answer {
    int status; /* 0: no head at all */
    const char *body;
    surety_failure failure; /* how the delivery ends */
    const char *header, *value;
    bool unsent;  /* nothing left the machine */
    bool stalls;  /* never ends by itself, once its body is told */
    bool refused; /* start says no */
};

enum { FAKE_CALLS = 16 };

struct fake {
    surety_transport transport;
    surety_ledger ledger;
    const struct fake_answer *answers;
    size_t answer_count;
    /* What was sent. */
    size_t calls;
    char bodies[FAKE_CALLS][4096];
    char lines[FAKE_CALLS][256]; /* method, URL and content type */
    uint64_t times[FAKE_CALLS];
    uint64_t now_ms;
    /* Under way. */
    bool active;
    bool told; /* all that a stalled answer has to say */
    uint64_t id;
    surety_receiver receiver;
    size_t cancelled;
    uint32_t first_ms; /* how long the first wait may take */
    int stop;          /* what a signal handler would set */
    /* The ledger's rows. */
    size_t begun, finished;
    size_t tools;                     /* of those begun */
    size_t begin_fails, finish_fails; /* this one, from 1 */
    bool before;                      /* each begun before it was sent */
    char finishes[FAKE_CALLS][1024];
    /* What was heard. */
    char events[8192];
    char pieces[4096];
};

static inline void fake_copy(char *to, size_t size, surety_str text)
{
    const size_t len = text.len < size - 1 ? text.len : size - 1;

    if (len)
        memcpy(to, text.ptr, len);
    to[len] = 0;
}

static inline void fake_join(char *to, size_t size, surety_str text)
{
    const size_t at = strlen(to);

    fake_copy(to + at, size - at, text);
}

static inline void fake_line(char *to, size_t size,
                             const surety_request *request)
{
    fake_copy(to, size, request->method);
    fake_join(to, size, surety_str_of(" "));
    fake_join(to, size, request->url);
    for (size_t i = 0; i < request->header_count; i++)
        if (request->headers[i].name.len == 12 &&
            memcmp(request->headers[i].name.ptr, "content-type", 12) == 0) {
            fake_join(to, size, surety_str_of(" "));
            fake_join(to, size, request->headers[i].value);
        }
}

static inline surety_status fake_start(void *ctx, uint64_t id,
                                       const surety_request *request,
                                       const surety_receiver *receiver,
                                       surety_error *reterr)
{
    struct fake *fake = ctx;
    const size_t call = fake->calls;

    if (fake->active || call >= FAKE_CALLS)
        abort();
    fake->before = fake->before && fake->begun == call + 1;
    fake->times[call] = fake->now_ms;
    fake_copy(fake->bodies[call], sizeof(fake->bodies[call]), request->body);
    fake_line(fake->lines[call], sizeof(fake->lines[call]), request);
    fake->calls++;
    if (call < fake->answer_count && fake->answers[call].refused) {
        if (reterr) {
            memset(reterr, 0, sizeof(*reterr));
            reterr->status = SURETY_MISUSE;
            memcpy(reterr->message, "no such door", 13);
        }
        return SURETY_MISUSE;
    }
    fake->active = true;
    fake->told = false;
    fake->id = id;
    fake->receiver = *receiver;
    return SURETY_OK;
}

static inline void fake_end(struct fake *fake, surety_failure failure,
                            bool sent, const char *message)
{
    surety_delivery delivery = {.failure = failure, .sent = sent};

    fake_copy(delivery.message, sizeof(delivery.message),
              surety_str_of(message));
    fake->active = false;
    fake->receiver.end(fake->receiver.ctx, &delivery);
}

static inline void fake_cancel(void *ctx, uint64_t id)
{
    struct fake *fake = ctx;

    if (!fake->active || fake->id != id)
        return;
    fake->cancelled++;
    fake_end(fake, SURETY_FAILURE_CANCELLED, true, "stopped");
}

/* Answers the call under way. */
static inline surety_status fake_wait(void *ctx, uint32_t timeout_ms,
                                      surety_error *reterr)
{
    struct fake *fake = ctx;
    const struct fake_answer *answer;
    surety_header headers[2] = {
        {.name = {"content-type", 12}, .value = {"application/json", 16}}};
    size_t count = 1;

    (void)reterr;
    if (!fake->first_ms)
        fake->first_ms = timeout_ms;
    if (!fake->active || fake->told)
        return SURETY_OK;
    fake->told = true;
    if (fake->calls > fake->answer_count) {
        fake_end(fake, SURETY_FAILURE_COMMAND, false, "no answer is left");
        return SURETY_OK;
    }
    answer = &fake->answers[fake->calls - 1];
    if (answer->header) {
        headers[1].name = surety_str_of(answer->header);
        headers[1].value = surety_str_of(answer->value);
        count++;
    }
    if (answer->status)
        fake->receiver.head(fake->receiver.ctx, answer->status, headers, count);
    if (answer->body)
        (void)fake->receiver.bytes(fake->receiver.ctx,
                                   surety_str_of(answer->body));
    if (!answer->stalls)
        fake_end(fake, answer->failure, !answer->unsent,
                 answer->failure ? "it broke" : "");
    return SURETY_OK;
}

/* Other waits for a transport: for what a signal handler would set, and one
 * that fails. */
static inline surety_status fake_wait_stopped(void *ctx, uint32_t timeout_ms,
                                              surety_error *reterr)
{
    struct fake *fake = ctx;

    (void)timeout_ms;
    (void)reterr;
    fake->stop = 1;
    return SURETY_OK;
}

static inline surety_status fake_wait_broken(void *ctx, uint32_t timeout_ms,
                                             surety_error *reterr)
{
    (void)ctx;
    (void)timeout_ms;
    if (reterr) {
        memset(reterr, 0, sizeof(*reterr));
        reterr->status = SURETY_IO;
    }
    return SURETY_IO;
}

/* One that fails without an error. */
static inline surety_status fake_wait_silent(void *ctx, uint32_t timeout_ms,
                                             surety_error *reterr)
{
    (void)ctx;
    (void)timeout_ms;
    (void)reterr;
    return SURETY_IO;
}

/* One that brings the answer, and then fails, as a recorder does that cannot
 * write. */
static inline surety_status fake_wait_late(void *ctx, uint32_t timeout_ms,
                                           surety_error *reterr)
{
    (void)fake_wait(ctx, timeout_ms, reterr);
    return fake_wait_broken(ctx, timeout_ms, reterr);
}

static inline void fake_close(void *ctx)
{
    (void)ctx;
}

static inline surety_status fake_say(surety_error *reterr)
{
    if (reterr) {
        memset(reterr, 0, sizeof(*reterr));
        reterr->status = SURETY_IO;
        memcpy(reterr->message, "disk full", 10);
        memcpy(reterr->hint, "make room", 10);
    }
    return SURETY_IO;
}

static inline surety_status fake_begin(void *ctx, const surety_entry *entry,
                                       surety_error *reterr)
{
    struct fake *fake = ctx;

    const bool tool = surety_str_equal(entry->purpose, surety_str_of("tool"));

    if (entry->number != fake->begun - fake->tools + !tool ||
        entry->id.len != 36)
        abort();
    fake->begun++;
    fake->tools += tool;
    return fake->begun == fake->begin_fails ? fake_say(reterr) : SURETY_OK;
}

/* "state|failure|stage|ok|decision" */
static inline surety_status fake_finish(void *ctx, const surety_entry *entry,
                                        surety_error *reterr)
{
    static const char *const states[] = {"open", "done", "failed", "cancelled",
                                         "unknown"};
    struct fake *fake = ctx;
    char *row = fake->finishes[fake->finished];
    const size_t size = sizeof(fake->finishes[0]);

    fake->finished++;
    fake_copy(row, size, surety_str_of(states[entry->state]));
    fake_join(row, size, surety_str_of("|"));
    fake_join(row, size, entry->failure);
    fake_join(row, size, surety_str_of("|"));
    fake_join(row, size, entry->stage);
    fake_join(row, size, surety_str_of(entry->ok ? "|ok|" : "||"));
    fake_join(row, size, entry->decision);
    return fake->finished == fake->finish_fails ? fake_say(reterr) : SURETY_OK;
}

static inline void fake_hear(void *ctx, const surety_event *event)
{
    struct fake *fake = ctx;

    if (event->kind == SURETY_EVENT_TEXT) {
        fake_join(fake->pieces, sizeof(fake->pieces), event->text);
        return;
    }
    fake_join(fake->events, sizeof(fake->events),
              surety_str_of(event->kind == SURETY_EVENT_ATTEMPT ? "> " : "< "));
    fake_join(fake->events, sizeof(fake->events), event->text);
    fake_join(fake->events, sizeof(fake->events), surety_str_of("\n"));
}

static inline void fake_init(struct fake *fake,
                             const struct fake_answer *answers, size_t count)
{
    memset(fake, 0, sizeof(*fake));
    fake->transport = (surety_transport){
        1, fake, fake_start, fake_cancel, fake_wait, fake_close, NULL};
    fake->ledger = (surety_ledger){
        .version = 1, .ctx = fake, .begin = fake_begin, .finish = fake_finish};
    fake->answers = answers;
    fake->answer_count = count;
    fake->before = true;
    fake->now_ms = 1000;
}

static inline surety_model fake_model(struct fake *fake, const char *name)
{
    return (surety_model){.size = sizeof(surety_model),
                          .name = surety_str_of(name),
                          .provider = surety_str_of("openai"),
                          .model = surety_str_of(name),
                          .protocol = SURETY_PROTOCOL_OPENAI,
                          .base_url = surety_str_of("http://localhost/v1"),
                          .key = surety_str_of("sk-planted-1234567890"),
                          .mode = SURETY_MODE_PROMPT,
                          .whole = true,
                          .transport = &fake->transport};
}

static inline surety_run_options fake_options(struct check *t,
                                              struct fake *fake,
                                              const surety_contract *contract,
                                              const surety_model *models,
                                              size_t count)
{
    return (surety_run_options){.size = sizeof(surety_run_options),
                                .contract = contract,
                                .prompt = surety_str_of("How many?"),
                                .models = models,
                                .model_count = count,
                                .ledger = &fake->ledger,
                                .event = fake_hear,
                                .event_ctx = fake,
                                .seed = 1,
                                .alloc = check_alloc(t)};
}

/* Steps until the run has ended, or stalls; moves the clock as far as it is
 * told to. */
static inline surety_status fake_go(struct fake *fake, surety_run *run,
                                    surety_error *reterr)
{
    for (int i = 0; i < 100; i++) {
        uint32_t delay_ms = 0;
        const surety_now now = {fake->now_ms,
                                1700000000000 + (int64_t)fake->now_ms};
        const surety_status status =
            surety_run_step(run, now, &delay_ms, reterr);

        if (status != SURETY_MORE)
            return status;
        if (fake->active && (!fake->told || fake->calls > fake->answer_count ||
                             !fake->answers[fake->calls - 1].stalls))
            fake->now_ms += 10;
        else
            fake->now_ms += delay_ms;
        (void)fake_wait(fake, delay_ms, reterr);
    }
    return SURETY_TIMEOUT;
}

/* ---- a run --------------------------------------------------------------- */

/* A run of a model "m", or of it and "other", who speak through one fake. */
struct trial {
    struct fake fake;
    surety_model models[2];
    surety_run_options options; /* those of m alone */
    surety_contract *contract;
    surety_run *run;
};

/* Makes all but the contract new. */
static inline void trial_reset(struct trial *trial, struct check *t,
                               const struct fake_answer *answers, size_t count)
{
    surety_run_free(trial->run);
    trial->run = NULL;
    fake_init(&trial->fake, answers, count);
    trial->models[0] = fake_model(&trial->fake, "m");
    trial->models[1] = fake_model(&trial->fake, "other");
    trial->options =
        fake_options(t, &trial->fake, trial->contract, trial->models, 1);
}

/* contract: its text; NULL: none. Whatever comes of it, trial_close ends it. */
static inline surety_status trial_open(struct trial *trial, struct check *t,
                                       const char *contract,
                                       const struct fake_answer *answers,
                                       size_t count)
{
    surety_status status = SURETY_OK;

    trial->run = NULL;
    trial->contract = NULL;
    if (contract)
        status = check_contract(t, contract, &trial->contract);
    trial_reset(trial, t, answers, count);
    return status;
}

static inline surety_status trial_begin(struct trial *trial)
{
    return surety_run_new(&trial->options, &trial->run, NULL);
}

/* Begins, and goes until the run has ended. */
static inline surety_status trial_go(struct trial *trial)
{
    const surety_status status = trial_begin(trial);

    return status == SURETY_OK ? fake_go(&trial->fake, trial->run, NULL)
                               : status;
}

static inline void trial_close(struct trial *trial)
{
    surety_run_free(trial->run);
    surety_contract_free(trial->contract);
}

#endif
