/* SPDX-License-Identifier: Apache-2.0 */
/* The world of the simulator: what a seed makes of providers, ledger, clock and
 * memory (sim_world.c), what its models say (sim_say.c), and what must hold in
 * it (sim_test.c; sim_law.c of calls that were stopped); sim_policy.c compares
 * when they are. */
#ifndef SURETY_TESTS_SIM_H
#define SURETY_TESTS_SIM_H

#include <surety/contract.h>
#include <surety/ledger.h>
#include <surety/prompt.h>
#include <surety/provider.h>
#include <surety/reply.h>
#include <surety/run.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    SIM_MODELS = 3,
    SIM_ROWS = 64,
    SIM_CONTRACTS = 9,
    SIM_PIECES = 24,
    SIM_BODY_MAX = 16384
};
#define SIM_KEY "sk-planted-0123456789abcdef"

struct sim_row {
    char id[36];
    uint64_t begun_ms, ended_ms;
    bool begun, finished;
    bool begin_failed, finish_failed;
    surety_entry_state state;
};

/* One answer as the transport will bring it. */
struct sim_exchange {
    bool active;
    uint64_t id;
    surety_receiver receiver;
    int status;
    surety_header headers[4];
    size_t header_count;
    char retry_after[32];
    char body[SIM_BODY_MAX];
    size_t body_len;
    size_t told; /* bytes of the body */
    size_t piece_len;
    bool head_told;
    bool broken_off; /* the receiver wants no more */
    bool endless;
    surety_failure failure;
    bool sent;
    bool whole; /* the provider says that the reply is whole */
    bool cancelled;
    uint64_t next_ms, gap_ms;
    int64_t asked_ms; /* by Retry-After; -1: nothing */
};

/* What a model said in one call. */
struct sim_said {
    const char *text; /* NULL: it said nothing, or nobody could tell what */
    bool tool;        /* as arguments */
};

struct sim {
    uint64_t seed, random;
    bool verbose;
    const char *broken; /* the invariant that does not hold */
    uint64_t now_ms;
    int64_t unix_ms;
    uint64_t hash; /* of everything that was seen */
    surety_run *run;
    surety_run_options options;
    surety_prompt_options prompt_options;
    surety_judge_options judge;
    surety_validator validator;
    bool validator_failed;
    surety_model models[SIM_MODELS];
    const surety_contract *contract;
    surety_budget budget;   /* with its defaults */
    surety_backoff backoff; /* too */
    surety_transport transport;
    struct sim_exchange exchange;
    size_t calls;
    uint64_t step_ms;       /* of the last step */
    uint64_t first_ms;      /* of the first step */
    uint64_t earliest_ms;   /* of the next call */
    const char *last_reply; /* what the model said last */
    struct sim_said said[SIM_ROWS];
    surety_ledger ledger;
    struct sim_row rows[SIM_ROWS];
    size_t row_count;
    unsigned ledger_fails; /* one in so many operations; 0: never */
    bool ledger_failed;
    surety_alloc alloc;
    size_t live, made, fail_at;
    bool starved;
};

/* ---- sim_say.c ----------------------------------------------------------- */

/* Limits at which the models' runaways are reported. */
extern const surety_limits sim_limits;
/* What a model says, often what it said before; kept in the table of calls. */
const char *sim_say(struct sim *sim);
void sim_add(struct sim_exchange *exchange, const char *text);
/* An answer of OpenAI's, whole or as a stream. */
enum sim_ending { SIM_STOP, SIM_CUT, SIM_FILTER, SIM_REFUSE };
void sim_openai(struct sim_exchange *exchange, const char *text,
                enum sim_ending ending, bool tool);
void sim_openai_stream(struct sim *sim, const char *text,
                       enum sim_ending ending, bool tool);
void sim_responses(struct sim_exchange *exchange, const char *text,
                   enum sim_ending ending, bool tool);
void sim_anthropic(struct sim_exchange *exchange, const char *text,
                   enum sim_ending ending, bool tool);
void sim_gemini(struct sim_exchange *exchange, const char *text,
                enum sim_ending ending, bool tool);

/* ---- sim_law.c ----------------------------------------------------------- */

/* A validator that refuses some values, is not done at times, and seldom fails;
 * and whether it refuses a value. */
surety_status sim_validate(void *ctx, const surety_validation *validation,
                           surety_error *reterr);
bool sim_refuses(const struct sim *sim, surety_val value);
/* What must hold of a run that it takes part in. */
void sim_check_validator(struct sim *sim);
/* What must hold of the i-th attempt, which was stopped. */
void sim_check_stopped(struct sim *sim, size_t i);

/* ---- sim_policy.c -------------------------------------------------------- */

/* Compares when calls are stopped; false where it does not hold what it must.
 */
bool sim_policies(bool print);

/* ---- sim_world.c --------------------------------------------------------- */

/* Contracts, read once for all seeds; false where one cannot be read. */
bool sim_contracts_read(const surety_contract *contracts[SIM_CONTRACTS]);

uint64_t sim_random(struct sim *sim);
uint64_t sim_below(struct sim *sim, uint64_t count);
bool sim_one_in(struct sim *sim, unsigned count);
void sim_note(struct sim *sim, const void *ptr, size_t len);
/* Notes the first invariant that does not hold. */
void sim_must(struct sim *sim, bool holds, const char *what);
bool sim_holds_key(surety_str text);

/* Makes the world of a seed: everything but the run. */
void sim_make(struct sim *sim,
              const surety_contract *const contracts[SIM_CONTRACTS]);
/* When the transport has something to tell next; UINT64_MAX: never. */
uint64_t sim_next_ms(const struct sim *sim);
/* Lets the transport tell what it has to tell by now. */
void sim_deliver(struct sim *sim);

#endif
