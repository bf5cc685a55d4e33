/* SPDX-License-Identifier: Apache-2.0 */
/* The door of reply/: what a judge holds while it judges, and the steps that
 * judge.c puts in order. */
#ifndef SURETY_REPLY_REPLY_H
#define SURETY_REPLY_REPLY_H

#include <surety/reply.h>

#include "base/base.h"
#include "contract/contract.h"
#include "json/json.h"

/* One issue and what the reports need beside the public part. */
typedef struct surety__issue {
    surety_issue seen;
    size_t char_offset; /* code points before it */
    size_t char_length;
    bool placed; /* position.offset and .length are set */
} surety__issue;

typedef struct surety__issues {
    surety__issue *items;
    size_t count, cap; /* cap counts items */
} surety__issues;

/* The result of one reply. Texts of issues stand in the arena; values stand in
 * the judge's docs; the judge owns it. */
struct surety_outcome {
    surety_judge *judge;
    surety__arena arena;
    surety__issues errors, warnings;
    surety_str contract_id;
    surety_str seen; /* what positions are of: the reply or the native text */
    surety_stage stage;
    surety_val value;
    surety_val derived;
    surety_place place;
    size_t start, end;
    bool fallback;
};

/* SIZE_MAX for a trial's index: the candidate is the native text. */
#define SURETY__NATIVE SIZE_MAX

/* Candidates whose errors are counted to compare them. */
#define SURETY__RIVALS_MAX 16

/* One candidate on its way through the judge, and how far it got. */
typedef struct surety__trial {
    surety_doc *doc;
    surety_findings *findings;
    surety_candidate candidate;
    size_t index; /* the finder's number, or SURETY__NATIVE */
    size_t order; /* how many were tried before it */
    surety_stage stage;
    bool counted; /* error_count is known */
    size_t error_count;
    surety_error fault;        /* json_parse: what the reader said */
    surety__verdict *verdicts; /* the rules', or NULL; in the arena */
} surety__trial;

struct surety_judge {
    const surety_alloc *alloc;
    surety_limits limits;
    surety_finder *finder;
    surety_checker *checker;
    surety_doc *completed, *derived, *fallback;
    surety_buf scratch;
    surety__trial trials[2];
    surety_outcome outcome;
    /* The reply at hand. */
    const surety_contract *contract;
    surety_judge_options options;
    const surety_extract *extract;
    surety_str reply;
    surety__rules *rules; /* for this reply only; NULL until needed */
    surety__trial *now;   /* the candidate being tried */
    surety__trial *best;  /* the one that got furthest; NULL: none yet */
    size_t turn;          /* the finder's candidates taken so far */
    size_t tried;         /* those, and the native text */
    bool native_tried;
    /* Those that break the schema besides the best, which are compared with it
     * only where none is valid. */
    struct {
        size_t index, order;
    } rivals[SURETY__RIVALS_MAX];
    size_t rival_count;
};

/* ---- outcome.c ---------------------------------------------------------- */

/* Forgets the last reply's result; keeps the memory. */
void surety__outcome_reset(surety_outcome *outcome);
void surety__outcome_done(surety_outcome *outcome);
/* An empty issue at the end of a list; NULL when out of memory. Good until the
 * next is added. */
surety__issue *surety__issue_add(surety_outcome *outcome,
                                 surety__issues *issues);
/* Takes what was written to the judge's scratch buffer as a text of the
 * outcome and empties the buffer. False when out of memory. */
bool surety__outcome_take(surety_outcome *outcome, surety_str *ret_text);
/* Copies text into the outcome. False when out of memory. */
bool surety__outcome_copy(surety_outcome *outcome, surety_str text,
                          surety_str *ret_text);

/* ---- explain.c ---------------------------------------------------------- */

/* Fills the outcome's errors: why there is no valid candidate. */
surety_status surety__explain_errors(surety_judge *judge);
/* Fills the warnings about the contract and the candidate. */
surety_status surety__explain_warnings(surety_judge *judge);
/* Adds a warning without a place; text as surety__buf_printf. */
surety_status surety__explain_warn(surety_judge *judge, const char *keyword,
                                   const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- locate.c ----------------------------------------------------------- */

/* Places an issue at a value (or key) of the trial's doc. A container is
 * pointed at by its opening bracket. Nothing where it has no place. */
void surety__locate_value(const surety_judge *judge, const surety__trial *trial,
                          surety_val value, surety__issue *issue);
/* The same for length bytes at an offset of the candidate's text. */
void surety__locate_span(const surety_judge *judge, const surety__trial *trial,
                         size_t offset, size_t length, surety__issue *issue);
/* How many bytes the string at the start of text takes, quotes included. */
size_t surety__locate_string(surety_str text);
/* Gives every placed issue its line, column and characters, in one pass over
 * the text. SURETY_NOMEM. */
surety_status surety__locate_all(surety_outcome *outcome);

/* ---- fallback.c --------------------------------------------------------- */

/* Makes the contract's fallback the outcome's value where it has one and the
 * reply may have it, and says so in a warning. */
surety_status surety__fallback_apply(surety_judge *judge, surety_error *reterr);
/* Whether a reply reads as a provider's error or a refusal. */
bool surety__fallback_refused(surety_str reply);

#endif
