/* SPDX-License-Identifier: Apache-2.0 */
/* The world of the simulator: what a seed makes of providers, ledger, clock and
 * memory (sim_world.c), of tools (sim_tool.c), what its models say (sim_say.c)
 * and which tools they ask for (sim_ask.c), and what must hold in it
 * (sim_test.c; sim_law.c of calls that were stopped, sim_item.c of elements and
 * values as they come); sim_policy.c compares when calls are stopped. */
#ifndef SURETY_TESTS_SIM_H
#define SURETY_TESTS_SIM_H

#include <surety/contract.h>
#include <surety/ledger.h>
#include <surety/prompt.h>
#include <surety/provider.h>
#include <surety/reply.h>
#include <surety/run.h>
#include <surety/stream.h>
#include <surety/tool.h>

#include <stdbool.h>
#include <stdint.h>

#include "sim/memory.h"

enum {
    SIM_MODELS = 3,
    SIM_ROWS = 512, /* and calls of tools */
    SIM_WORKS = 16,
    SIM_ASK_MAX = 2048,
    SIM_CONTRACTS = 11,
    SIM_PIECES = 24,
    SIM_BODY_MAX = 16384
};
#define SIM_KEY "sk-planted-0123456789abcdef"

struct sim_row {
    char id[36];
    bool tool; /* of a call of a tool */
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

/* How the call of a tool will end. ORDER fates (sim_tool.c) */
enum sim_fate {
    SIM_GIVES,
    SIM_EMPTY,
    SIM_MUCH,
    SIM_GARBLED,
    SIM_LIES,
    SIM_FAILS,
    SIM_HANGS,
    SIM_DIES,
    SIM_GONE,
    SIM_STARVES, /* memory runs out in the tool */
    SIM_FATES
};

/* A tool at work. */
struct sim_work {
    bool active;
    enum sim_fate fate;
    const surety_tool_call *call; /* of a function */
    size_t asks;                  /* how often it is not done yet */
    uint64_t exchange;            /* of a command or an HTTP call */
    surety_receiver receiver;
    uint64_t next_ms;
};

/* The tools of a world, and what was done with them. */
struct sim_tools {
    surety_tools *set; /* NULL: there are none */
    surety_transport transport;
    bool for_ever; /* the models ask for tools in every reply */
    struct sim_work works[SIM_WORKS];
    bool started[SIM_ROWS]; /* by the number of the use */
    size_t started_count;
    size_t asked; /* calls that models asked for */
    const char *last_name, *last_arguments;
    char text[SIM_ASK_MAX];    /* of a model that asks in a text */
    size_t told, told_results; /* events */
    uint32_t calls_max, steps_max;
    surety_validator validator;
};

/* The elements and values that a run gave out. */
struct sim_items {
    surety_items *set; /* NULL: the run gives none */
    const char *location;
    surety_buf given; /* as an array without its end */
    size_t count, early;
    bool patch;            /* the call under way is for one */
    size_t told, stayed;   /* elements that the prompt, and the turn of the last
                            * step, told of */
    size_t reminded;       /* calls behind the first of them */
    surety_buf value;      /* the last value so far */
    uint32_t value_number; /* the attempt that it is of */
    size_t values;
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
    struct sim_tools tools;
    struct sim_items items;
    bool says_rows; /* the models' replies have rows */
    struct sim_row rows[SIM_ROWS];
    size_t row_count, attempt_rows;
    unsigned ledger_fails; /* one in so many operations; 0: never */
    bool ledger_failed;
    surety_alloc alloc;
    struct memory memory;
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
void sim_add_string(struct sim_exchange *exchange, const char *text,
                    size_t len);
/* Where a piece of a text may end that begins here and has about len bytes:
 * between characters. */
size_t sim_piece(const char *text, size_t len);
/* What a model of the protocol answers. */
void sim_answer(struct sim *sim, surety_protocol protocol, const char *text,
                enum sim_ending ending, bool tool);
void sim_openai_stream(struct sim *sim, const char *text,
                       enum sim_ending ending, bool tool);
void sim_responses(struct sim_exchange *exchange, const char *text,
                   enum sim_ending ending, bool tool);
void sim_anthropic(struct sim_exchange *exchange, const char *text,
                   enum sim_ending ending, bool tool);
void sim_gemini(struct sim_exchange *exchange, const char *text,
                enum sim_ending ending, bool tool);

/* ---- sim_ask.c ----------------------------------------------------------- */

/* An answer that calls tools, in the words of the protocol; in a text where the
 * model has no tools of its own. */
void sim_ask(struct sim *sim, surety_protocol protocol, bool text);

/* ---- sim_tool.c ---------------------------------------------------------- */

/* What tools have, in bytes of a result and in milliseconds. */
enum { SIM_RESULT_MAX = 200, SIM_TOOL_MS = 3000 };
/* Makes tools for the run; frees them. */
void sim_tools_make(struct sim *sim);
void sim_tools_done(struct sim *sim);
/* As sim_next_ms and sim_deliver, of the tools alone. */
uint64_t sim_tools_next_ms(const struct sim *sim);
void sim_tools_deliver(struct sim *sim);
bool sim_tools_work(const struct sim *sim);
void sim_tools_hear(struct sim *sim, const surety_event *event);
/* What must hold before a call with their results leaves, and at the end. */
void sim_check_step(struct sim *sim, const surety_request *request,
                    const surety_attempt *attempt);
void sim_check_tools(struct sim *sim);

/* ---- sim_item.c ---------------------------------------------------------- */

/* Has the run give out the elements of that array of its contract, and its
 * values so far; frees what that takes. */
void sim_items_make(struct sim *sim, const char *location);
void sim_items_done(struct sim *sim);
void sim_items_hear(struct sim *sim, const surety_event *event);
/* What must hold at the end. */
void sim_check_items(struct sim *sim);

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
size_t sim_count(surety_str text, surety_str part);
bool sim_holds_key(surety_str text);
/* The row with this id; NULL: there is none. */
struct sim_row *sim_row_of(struct sim *sim, surety_str id);

/* Makes the world of a seed: everything but the run. */
void sim_make(struct sim *sim,
              const surety_contract *const contracts[SIM_CONTRACTS]);
/* When the transport has something to tell next; UINT64_MAX: never. */
uint64_t sim_next_ms(const struct sim *sim);
/* Lets the transport tell what it has to tell by now. */
void sim_deliver(struct sim *sim);

#endif
