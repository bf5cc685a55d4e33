/* SPDX-License-Identifier: Apache-2.0 */
/* world.h: a world for runs, as text: what models answer and when comes from a
 * script, the clock moves to what happens next, and all that the run did is
 * there to be read.
 *
 *     struct world world;
 *
 *     world_open(&world, golden);
 *     while (golden_line(&options, &line))
 *         good = world_option(&world, line) && good;
 *     good = world_ready(&world) && good;
 *     ... surety_run_new(&world.options, &run, &err) ...
 *     world_go(&world, run, step);
 *     world_close(&world);
 *
 * The script is the section "answers", or "answers NAME" for one model alone.
 * An answer is a line, with what is particular about it on lines of two blanks
 * below (\n, \t, \\ and \xNN stand for bytes in each text):
 *
 *     says TEXT         a whole reply; usage 10 and 5 tokens
 *     calls TEXT        the tool's arguments
 *     refuses TEXT      the model's refusal
 *     streams           the pieces below, 10 ms apart
 *     status N BODY     any status and body
 *     nothing           no status; what becomes of it says `breaks`
 *     no-start TEXT     the transport does not start it
 *
 *       + TEXT, & TEXT, ~ TEXT     a piece: text, arguments, reasoning
 *       repeat N TEXT   a piece of text that is N times this
 *       wait N          N ms instead of 10 before the next piece, or the head
 *       finish REASON   the finish reason instead of "stop"
 *       usage IN OUT [CACHED REASONING], usage none
 *       beside TEXT     text beside the arguments
 *       header NAME: VALUE
 *       breaks FAILURE MESSAGE     how the delivery ends
 *       unsent          nothing left the machine
 *       no-end          the stream has no end mark
 *       stalls          it never ends
 */
#ifndef SURETY_TESTS_GOLDEN_WORLD_H
#define SURETY_TESTS_GOLDEN_WORLD_H

#include "golden/cases.h"

#include <surety-run.h>

enum {
    WORLD_MODELS = 8,
    WORLD_EXCHANGES = 8,
    WORLD_MOMENTS = 64, /* of one answer */
    WORLD_HEADERS = 4,
    WORLD_VALIDATORS = 4
};

enum world_kind { MOMENT_HEAD, MOMENT_BYTES, MOMENT_END };

/* What of an answer comes when; a piece is a part of its bytes. */
struct world_moment {
    uint64_t at_ms;
    enum world_kind kind;
    size_t from, len;
};

struct world_exchange {
    bool active;
    uint64_t id;
    surety_receiver receiver;
    struct world_moment moments[WORLD_MOMENTS];
    size_t count, next;
    int status;
    surety_header headers[WORLD_HEADERS];
    size_t header_count;
    surety_delivery delivery;
    surety_buf bytes;
};

/* A model and the way to it. */
struct world_lane {
    struct world *world;
    surety_transport transport;
    surety_doc *extra;
};

struct world_validator {
    struct world *world;
    surety_str says; /* its words */
    surety_str kind, place, message;
    size_t late;  /* how often it is not done */
    size_t asked; /* how often it was asked */
    size_t most;  /* how often it may be */
};

struct world {
    const struct golden *golden;
    uint64_t now_ms;
    uint64_t stop_ms; /* world_go stops here; 0: it does not */
    /* What is asked. */
    surety_run_options options;
    surety_judge_options judge;
    surety_prompt_options prompt;
    surety_extract extract;
    surety_repair repair;
    surety_limits limits;
    surety_model models[WORLD_MODELS];
    struct world_lane lanes[WORLD_MODELS];
    size_t model_count;
    surety_validator validators[WORLD_VALIDATORS];
    struct world_validator rules[WORLD_VALIDATORS];
    /* What is answered. */
    surety_str scripts[WORLD_MODELS + 1]; /* the last: everybody's */
    struct world_exchange exchanges[WORLD_EXCHANGES];
    size_t calls;
    /* The ledger. */
    surety_ledger ledger;
    size_t begun, finished;
    uint64_t begin_fails, finish_fails;
    /* What was done, to be read. */
    surety_buf sent, events, rows;
    surety_buf body; /* the last that was sent */
};

void world_open(struct world *world, const struct golden *golden);
void world_close(struct world *world);
/* Takes a line of options; false: it means nothing. The lines:
 *     model NAME [WORD...]    mode=M protocol=P provider=P named=NAME stream
 *                             ambiguous max=N price=IN,CACHED,OUT extra=JSON;
 *                             without any: a model "m" in mode prompt, whole
 *     prompt TEXT, system TEXT, instruct-system, style STYLE
 *     instructions TEXT, reask TEXT, system-template TEXT: templates
 *     calls N, tokens N, ms N, cost N
 *     retries N, first N, most N, retry-after N, broken-retries N, re-asks N
 *                             (-: none)
 *     feedback F, stop S, commit, seed N, limit NAME N
 *     repair LEVEL, partial, no-fallback, certain-only, derive,
 *     extract PLACE...
 *     validator NAME odd PLACE MESSAGE, ... misplaces PLACE MESSAGE, ... late
 * N,
 *                             ... fails MESSAGE, ... tires N MESSAGE (after N
 *                             values)
 *     no-ledger, raw, ledger-optional, begin-fails N, finish-fails N
 *     stop-at N               ms after the first step */
bool world_option(struct world *world, surety_str line);
/* Makes the options whole, once all of them are taken. */
bool world_ready(struct world *world);
/* Moves the clock and what is under way until step does not say MORE, or to
 * stop_ms: then MORE. TIMEOUT: it does not come to an end. */
surety_status world_go(struct world *world, void *machine,
                       surety_status (*step)(void *machine, surety_now now,
                                             uint32_t *ret_delay_ms,
                                             surety_error *reterr),
                       surety_error *reterr);
surety_now world_now(const struct world *world);
/* Takes the word before the next blank off text. */
surety_str world_word(surety_str *text);
uint64_t world_number(surety_str text);
/* Appends "    NAME: TEXT" with what a terminal acts on escaped; nothing where
 * the text is empty. */
void world_tell(surety_buf *out, const char *name, surety_str text);
/* Appends text, its ESC as \x1b, and a line end where it has none. */
void world_tell_raw(surety_buf *out, surety_str text);
/* Appends JSON as people read it. */
void world_tell_json(surety_buf *out, surety_str json);

/* ---- world_answer.c: what the world does -------------------------------- */

surety_transport world_transport(struct world_lane *lane);
/* Lets happen what is due. */
void world_deliver(struct world *world);
/* When the next thing happens; UINT64_MAX: nothing will. */
uint64_t world_next(const struct world *world);
surety_ledger world_ledger(struct world *world);
void world_hear(void *ctx, const surety_event *event);

#endif
