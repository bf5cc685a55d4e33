/* SPDX-License-Identifier: Apache-2.0 */
/* The door of reply/: what a judge holds while it judges, and the steps that
 * judge.c puts in order. */
#ifndef SURETY_REPLY_REPLY_H
#define SURETY_REPLY_REPLY_H

#include <surety/reply.h>

#include "base/base.h"
#include "align/align.h"

#include "contract/contract.h"
#include "json/json.h"
#include "extract/extract.h"
#include "form/form.h"

/* One issue and what the reports need beside the public part. */
typedef struct surety__issue {
    surety_issue seen;
    size_t char_offset; /* code points before it */
    size_t char_length;
    bool placed; /* position.offset and .length are set */
} surety__issue;

/* One repair: what an issue has and what it has not. */
typedef struct surety__repair {
    surety__issue issue; /* its keyword is the kind */
    bool likely;
    surety_str original, read;
    uint32_t cost;
} surety__repair;

typedef struct surety__repairs {
    surety__repair *items;
    size_t count, cap;
    size_t total; /* those too that are not listed */
} surety__repairs;

typedef struct surety__issues {
    surety__issue *items;
    size_t count, cap; /* cap counts items */
} surety__issues;

/* The result of one reply. Texts of issues are in the arena, values in the
 * judge's docs; the judge owns it. */
struct surety_outcome {
    surety_outcome_info info; /* filled in at the end */
    surety_judge *judge;
    surety__arena arena;
    surety__issues errors, warnings;
    surety__repairs repairs;
    surety_str contract_id;
    surety_str seen; /* what positions are of: the reply or the native text */
    surety_stage stage;
    surety_val value;
    surety_val derived;
    surety_place place;
    size_t start, end;
    bool fallback;
    bool partial;
    surety_str open;    /* where partial is set */
    bool looks_cut_off; /* what is wrong is that the reply ends too early */
};

/* What a validator has against a value; in the arena. */
typedef struct surety__objection {
    struct surety__objection *next;
    surety_str location, message, hint;
} surety__objection;

/* How much had to be repaired. ORDER of preference. */
typedef enum surety__repaired {
    REPAIRED_NOTHING,
    REPAIRED_CERTAIN, /* only what leaves the meaning in no doubt */
    REPAIRED_LIKELY,
    REPAIRED_PARTIAL /* it was cut off */
} surety__repaired;

/* How good a valid trial is; the members decide in this order, and the lower
 * value is better. All zero: it is valid unchanged. */
typedef struct surety__rank {
    bool weak; /* it may be brackets of prose */
    surety__repaired repaired;
    uint64_t cost;
    unsigned group; /* of its place */
} surety__rank;

/* The form other than JSON that a trial's value had. */
typedef struct surety__trial_form {
    bool is_one;
    enum surety__repair_kind kind;
    size_t start, end; /* the stretch of the reply that has it */
} surety__trial_form;

/* One candidate on its way through the judge, and how far it got. */
typedef struct surety__trial {
    surety_doc *doc;          /* one of the judge's */
    surety_doc *aligned;      /* NULL until there was need of it */
    surety__aligner *aligner; /* likewise */
    surety_findings *findings;
    surety_error fault; /* json_parse: the reader's error */
    /* From here on it is cleared for each candidate. */
    surety_candidate candidate;
    size_t index; /* the finder's number, but of the native text */
    surety_stage stage;
    bool counted; /* error_count is known */
    size_t error_count;
    surety__rule_result *results; /* the rules', or NULL; in the arena */
    surety__objection *objections, *objection_last; /* the validators' */
    size_t objection_count; /* those too that are not listed */
    bool refused;           /* by the options' native_fault */
    /* Of those of the tolerant pass (repair.c). */
    bool tolerant;  /* it is one; index is a region's number */
    bool fits;      /* aligned holds its value */
    bool cut;       /* it ends where the text was cut off */
    bool promising; /* and nothing that came speaks against it */
    bool broken;    /* it is JSON that cannot be read */
    surety__rank rank;
    size_t wrapper;  /* bytes passed over before it */
    size_t brackets; /* and behind it */
    size_t rows;     /* it was made of so many values */
    bool text;       /* the text itself was taken for a value */
    surety__trial_form form;
} surety__trial;

/* What is to be judged, and how; it does not change during a judgement. */
typedef struct surety__task {
    const surety_contract *contract;
    const surety_schema *schema; /* the contract's */
    surety_judge_options options;
    surety_extract extract;
    surety_str reply;
    surety_repair repair;
    bool partial;
    bool tolerant; /* there is a tolerant pass */
} surety__task;

struct surety_judge {
    const surety_alloc *alloc;
    surety_limits limits;
    surety_finder *finder;
    surety_checker *checker;
    surety__forms *forms;  /* NULL until they are needed */
    surety_doc *completed; /* the outcome's value, where no trial has it */
    surety_doc *derived;   /* NULL until a reply derives members */
    surety_buf scratch;
    surety_doc *docs[2]; /* of the trials; both may have the same */
    surety__trial trials[2];
    surety_outcome outcome;
    /* The reply at hand. */
    surety__task task;
    bool put_off;         /* the whole reply may be a text, */
    bool taken_up;        /* and is to be taken for one now */
    surety__rules *rules; /* for this reply only; NULL until needed */
    surety__trial *now;   /* the candidate being tried */
    surety__trial *best;  /* the one that got furthest; NULL: none yet */
    size_t compared;      /* trials whose errors were counted to compare them */
    bool cut_off;         /* a candidate that may be the answer was cut off */
    bool unvalidated;     /* a validator failed, or is not done */
    /* Another value that is valid, too, and where it starts. */
    struct {
        bool found;
        size_t start;
    } another;
};

/* ---- trial.c ------------------------------------------------------------ */

/* The trial that is not the best so far, with a doc that the best one does not
 * have: a candidate may be read to it. */
surety__trial *surety__trial_spare(surety_judge *judge);
/* Makes a candidate the trial at hand, which keeps its doc. */
surety__trial *surety__trial_take(surety_judge *judge, size_t index,
                                  const surety_candidate *candidate);
/* The same with the native text, or the candidate that the finder listed last.
 */
surety__trial *surety__trial_take_native(surety_judge *judge);
void surety__trial_take_found(surety_judge *judge);
/* Whether a trial's candidate is the native text. */
static inline bool surety__trial_is_native(const surety__trial *trial)
{
    return trial->candidate.place == SURETY_PLACE_NATIVE;
}
/* Reads a trial's candidate strictly. What is the reply's own bytes is not
 * copied; a copy cleaned of markup belongs to the finder, so the doc takes its
 * own. */
surety_status surety__trial_read_text(surety_judge *judge, surety__trial *trial,
                                      surety_error *reterr);
/* JSON: is the trial at hand exactly one value? One that the finder has read is
 * at the stage behind it already. */
surety_status surety__trial_read(surety_judge *judge, surety_error *reterr);
/* Schema, rules, validators: does the trial at hand satisfy the contract? If
 * not for what the schema does not say, with how many errors? */
surety_status surety__trial_check(surety_judge *judge, surety_error *reterr);
/* What JSON Schema cannot say of a trial that satisfies the schema: the
 * contract's rules, then the host's validators. Its stage where all of them
 * hold is DONE. */
surety_status surety__trial_beyond(surety_judge *judge, surety__trial *trial,
                                   surety_error *reterr);
/* Counts what is wrong with a trial that breaks the schema. */
surety_status surety__trial_count(surety_judge *judge, surety__trial *trial,
                                  surety_error *reterr);
/* Fills in defaults and leaves out unknown members, as the contract says.
 * *value becomes the completed one where that changes it. *ret_breaks: the
 * completed one would not satisfy the schema, so *value stays. */
surety_status surety__trial_complete(surety_judge *judge, surety_val *value,
                                     bool *ret_breaks, surety_error *reterr);
/* What a trial was read, and aligned, to. */
static inline surety_val surety__trial_value(const surety__trial *trial)
{
    return surety_doc_root(trial->fits ? trial->aligned : trial->doc);
}

/* ---- rank.c ------------------------------------------------------------- */

/* Keeps the trial at hand where it is better than the best so far. */
surety_status surety__rank_keep(surety_judge *judge, surety_error *reterr);

/* ---- another.c ---------------------------------------------------------- */

/* Whether the candidates that follow the best one hold another valid value, in
 * its place or a later one: judge->another. Asked of a strictly valid one, for
 * those that were repaired are compared anyway; a whole reply or a native value
 * has no others. */
surety_status surety__another_find(surety_judge *judge, surety_error *reterr);

/* ---- validate.c --------------------------------------------------------- */

/* Asks the host's validators about a trial that satisfies schema and rules, and
 * is given out as value. Its stage where they add no issue is DONE.
 * SURETY_MORE: one is not done. */
surety_status surety__validate(surety_judge *judge, surety__trial *trial,
                               surety_val value, surety_error *reterr);

/* ---- repair.c ----------------------------------------------------------- */

/* Tries the regions of a place as the tolerant reader reads them, and what
 * alignment makes of them. The best trial is then perhaps valid, or partial
 * where that is allowed. */
surety_status surety__repair_place(surety_judge *judge, surety_place place,
                                   surety_error *reterr);
/* Checks a trial that was read, and aligns it where that may help. Its stage is
 * DONE where it is valid. */
/* The kind of a trial's closing brackets too many: whether one inside is. */
enum surety__repair_kind surety__repair_extra(const surety__trial *trial);
surety_status surety__repair_check(surety_judge *judge, surety__trial *trial,
                                   surety_error *reterr);
/* Whether the reply holds an array or object, valid or not, and the schema
 * takes values of that kind: then its text is no value. */
bool surety__repair_answered(const surety_judge *judge);
/* Takes the reply's own words for a value where the schema wants a scalar. */
surety_status surety__repair_text(surety_judge *judge, surety_error *reterr);

/* ---- form.c ------------------------------------------------------------- */

/* Tries what the reply has in other forms than JSON, as far as the contract
 * allows them: the best trial is then perhaps valid. */
surety_status surety__form_try(surety_judge *judge, surety_error *reterr);

/* ---- partial.c ---------------------------------------------------------- */

/* Whether what has come of a value that was cut off is all that is wrong with
 * it: the trial's findings are filled where not. */
surety_status surety__partial_check(surety_judge *judge, surety__trial *trial,
                                    bool *ret_good, surety_error *reterr);
/* Whether a finding on a value that was cut off stays true whatever comes. */
bool surety__partial_stays(surety_val root, const surety_finding *finding);

/* The JSON Pointer of the innermost value of a trial that was cut off. */
surety_str surety__partial_path(const surety__trial *trial);

/* ---- notes.c ------------------------------------------------------------ */

/* Lists the repairs of the best trial. Only ever NOMEM. */
surety_status surety__notes_fill(surety_judge *judge);

/* ---- outcome.c ---------------------------------------------------------- */

/* Forgets the last reply's result; keeps the memory. */
void surety__outcome_reset(surety_outcome *outcome);
void surety__outcome_done(surety_outcome *outcome);
/* An empty issue at the end of a list; NULL when out of memory. Good until the
 * next is added. */
surety__issue *surety__issue_add(surety_outcome *outcome,
                                 surety__issues *issues);
/* An empty repair at the end of the list; NULL when out of memory. */
surety__repair *surety__repair_add(surety_outcome *outcome);
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
/* Warns of each deprecated property that the value has, after it was
 * completed. SURETY_NOMEM. */
surety_status surety__explain_deprecated(surety_judge *judge);
/* Adds a warning without a place; text as surety__buf_printf. */
surety_status surety__explain_warn(surety_judge *judge, const char *keyword,
                                   const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Warns of another value that satisfies the contract, at an offset of the
 * reply. SURETY_NOMEM. */
surety_status surety__explain_another(surety_judge *judge, size_t offset);
/* Warns that members follow behind the value, at an offset of the reply.
 * SURETY_NOMEM. */
surety_status surety__explain_behind(surety_judge *judge, size_t offset);

/* Fills in info, when the judgement is made. */
void surety__outcome_settle(surety_outcome *outcome);
/* Whether the errors say that the reply ended before its JSON did. */
bool surety__outcome_looks_cut_off(const surety_outcome *outcome);

/* Text quoted in a message, cut between code points where it is long. */
void surety__explain_quote(surety_buf *out, surety_str text, size_t max);
/* Fills the texts of an issue that has only a keyword. */
void surety__explain_keyword(surety__issue *issue, const char *keyword);

/* ---- locate.c ----------------------------------------------------------- */

/* Places an issue at a value (or key) of the trial's doc. A container is
 * pointed at by its opening bracket. Nothing where it has no place. */
void surety__locate_value(const surety_judge *judge, const surety__trial *trial,
                          surety_val value, surety__issue *issue);
/* The same for length bytes at an offset of the candidate's text. */
void surety__locate_span(const surety_judge *judge, const surety__trial *trial,
                         size_t offset, size_t length, surety__issue *issue);
/* How many bytes the string at the start of text takes, quotes included; a text
 * without quotes, up to the next sign of JSON. */
size_t surety__locate_string(surety_str text);
/* How many bytes are pointed at for the value or key of a cell of doc; text
 * begins with them. */
size_t surety__locate_cell(surety_str text, const surety_doc *doc,
                           const surety__cell *cell);
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
