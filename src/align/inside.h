/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of align/ share: goals (what a value is to satisfy), plans
 * (what becomes of it) and the aligner.
 *
 * A question is a goal and a value; its answer is a plan and a cost.
 *
 * Invariants:
 * 1. Nothing is built while questions are asked but trials: plans are small,
 *    shared, and live in the aligner's arena until the next call.
 * 2. At the end the one plan of the root is written, with its edits; no other
 *    writing gives edits.
 * 3. All edits are counted, and the first mends_max of them are kept. */
#ifndef SURETY_ALIGN_INSIDE_H
#define SURETY_ALIGN_INSIDE_H

#include "align/align.h"

#include "align/letters.h"
#include "schema/schema.h"

/* ORDER edits.def */
typedef enum surety__edit_id {
    EDIT_NONE,
#define EDIT(id, name, cost, likely, text) EDIT_##id,
#include "align/edits.def"
#undef EDIT
    EDIT_COUNT
} surety__edit_id;

typedef struct surety__edit_row {
    const char *name;
    uint32_t cost;
    bool likely;
} surety__edit_row;

extern const surety__edit_row surety__edit_rows[EDIT_COUNT];

/* ---- goals (goal.c) ------------------------------------------------------ */

/* A name that an alternative knows, by the hash of its letters. */
typedef struct surety__known {
    surety_str text;
    uint32_t letters;    /* surety__text_hash */
    uint32_t hash;       /* surety__hash's low 16 bits */
    uint32_t next;       /* with the same slot by letters, + 1; 0: none */
    uint32_t next_exact; /* with the same slot by hash */
    bool required;
    /* What its value is to satisfy, once it was asked for. */
    bool goal_known, allowed;
    struct surety__goal *goal;
} surety__known;

/* One way to satisfy a goal: what holds all at once, unions decided. */
typedef struct surety__alternative {
    surety__conjunction all;
    uint8_t types;    /* TYPE_ bits that every shape lets pass */
    uint8_t named;    /* those of them that type, enum, const or a keyword of
                       * containers speaks of */
    bool enumerated;  /* some shape lists its values */
    bool names_ready; /* the following are filled in */
    surety__known *names;
    uint32_t *slots, *exact_slots; /* index + 1 */
    uint32_t name_count, slot_mask;
} surety__alternative;

/* A string that an enum or const of a goal lists. */
typedef struct surety__align_choice {
    surety_val val;
    surety_str text;
    uint32_t letters;
    uint32_t next;
} surety__align_choice;

typedef struct surety__goal {
    const surety__conjunction *roots; /* of a node: all of it is to hold */
    /* Filled in when first asked for. */
    bool expanded, listed;
    bool several; /* its shapes do not say all that decides */
    uint8_t types, named;
    bool open_string; /* strings pass that no list names */
    surety__alternative *alternatives;
    uint32_t alternative_count;
    surety__align_choice *choices;
    uint32_t *choice_slots;
    uint32_t choice_count, choice_mask;
    size_t choice_longest; /* letters */
} surety__goal;

/* ---- plans --------------------------------------------------------------- */

enum surety__plan_kind {
    PLAN_NULL,
    PLAN_FALSE,
    PLAN_TRUE,
    PLAN_NUMBER, /* text */
    PLAN_STRING, /* text */
    PLAN_VALUE,  /* a copy of inner, a value of the schema */
    PLAN_ARRAY,  /* items */
    PLAN_OBJECT, /* parts */
    PLAN_WRAP,   /* an array of inner, by inner_plan */
    PLAN_INNER   /* inner, by inner_plan */
};

struct surety__align_plan;

/* A member of an object and what becomes of it. */
typedef struct surety__aligned_part {
    uint32_t key;         /* its cell in the doc of the object */
    uint8_t key_edit;     /* EDIT_NONE: the key stays */
    uint8_t left_out;     /* EDIT_NONE: it stays */
    bool optional;        /* it may be left out if it is null */
    surety__known *known; /* the property that it is, or NULL */
    surety__goal *goal;   /* NULL: anything */
    surety_str name; /* the key it gets, of the schema; where the key stays it
                      * is good only while the object's plan is made */
    const struct surety__align_plan *plan; /* NULL: a copy */
} surety__aligned_part;

typedef struct surety__align_plan {
    uint8_t kind;
    uint8_t edit;  /* surety__edit_id, EDIT_NONE for a container */
    uint32_t cost; /* of the edit alone */
    uint32_t count;
    surety_val val; /* what stood there */
    surety_str text;
    surety_val inner;
    const struct surety__align_plan *inner_plan; /* NULL: a copy */
    union {
        const struct surety__align_plan **items; /* NULL: a copy */
        surety__aligned_part *parts;
    };
} surety__align_plan;

typedef struct surety__answer {
    const surety__align_plan *plan; /* NULL: a copy */
    uint64_t cost;
    bool fits;
    bool ambiguous; /* something else that differs costs as little */
} surety__answer;

/* An edit as it is kept. */
typedef struct surety__change {
    uint8_t id;
    uint32_t cost;
    size_t pointer, pointer_len; /* in texts of the edits */
    surety_val from, to;
} surety__change;

/* ---- the aligner --------------------------------------------------------- */

struct surety__question;    /* solve.c */
struct surety__align_place; /* write.c */

/* The documents of its own. */
typedef struct surety__align_docs {
    surety_doc *trial[2]; /* plans written to be checked and compared */
    surety_doc *literal;  /* numbers, JSON in strings */
    surety_doc *inner;    /* values that were in strings: an array of them */
    bool inner_open;
    surety_doc *rows; /* of surety__aligner_align_rows */
} surety__align_docs;

/* The edits of the last call: all are counted, and so many kept as the limits
 * allow. */
typedef struct surety__align_edits {
    surety__change *items;
    size_t kept, cap;
    size_t count, likely;
    uint64_t cost;
    surety_buf texts; /* pointers of those that are kept */
} surety__align_edits;

struct surety__aligner {
    const surety_alloc *alloc;
    surety_limits limits;
    surety_checker *checker;
    surety__align_options options;
    const surety_schema *schema;
    surety__arena arena;
    surety__graph graph; /* whose nodes are made goals */
    surety__map answers;
    surety__align_docs docs;
    uint8_t lead;  /* the edit that every value begins with, or NONE */
    uint64_t work; /* steps that are left */
    surety_status status;
    struct surety__question *questions;
    size_t question_count, question_cap;
    surety__answer answer; /* of the question that ended last */
    struct surety__align_place *places;
    size_t place_count, place_cap;
    surety_buf pointer; /* of the value that is written */
    surety__align_edits edits;
};

/* Of names or choices with the same letters so many are compared; more are
 * not told apart. */
enum { LIKENESS_MAX = 8 };

/* Takes cost steps off the work that is left; false, with the status set,
 * where there are not so many. */
static inline bool surety__aligner_charge(surety__aligner *aligner,
                                          uint64_t cost)
{
    if (aligner->status)
        return false;
    if (cost > aligner->work) {
        aligner->status = SURETY_LIMIT;
        return false;
    }
    aligner->work -= cost;
    return true;
}

/* plan.c */

/* Zeroed memory until the next call; NULL with the status set. */
void *surety__aligner_take(surety__aligner *aligner, size_t count, size_t size);
/* A plan with one edit. */
surety__align_plan *surety__plan_new(surety__aligner *aligner,
                                     enum surety__plan_kind kind,
                                     surety__edit_id edit, surety_val val);

/* goal.c */

/* The goal of a conjunction; equal ones give the same goal. NULL where anything
 * satisfies it, or with the status set. */
surety__goal *surety__goal_of(surety__aligner *aligner,
                              const surety__conjunction *roots);
/* The goal of the schema. */
surety__goal *surety__goal_root(surety__aligner *aligner);
/* Fills in its alternatives. */
bool surety__goal_expand(surety__aligner *aligner, surety__goal *goal);
/* Makes out, as expanded, what goal is without the alternatives that name no
 * scalar. */
bool surety__goal_scalars(surety__aligner *aligner, surety__goal *goal,
                          surety__goal *out);
/* Fills in its choices. */
bool surety__goal_list(surety__aligner *aligner, surety__goal *goal);
/* Fills in the names of an alternative. */
bool surety__names_make(surety__aligner *aligner,
                        surety__alternative *alternative);
/* The name that the key cell of doc has; NULL: none. */
surety__known *surety__names_exact(const surety__alternative *alternative,
                                   const surety_doc *doc,
                                   const surety__cell *key);
/* The name closest to key, *ret_close how close; NULL where there is none, or
 * two are equally close. */
surety__known *surety__names_find(const surety__alternative *alternative,
                                  surety_str key,
                                  enum surety__closeness *ret_close);
/* Whether val satisfies all roots of goal, which may be NULL. False also with
 * the status set. */
bool surety__goal_holds(surety__aligner *aligner, const surety__goal *goal,
                        surety_val val);

/* number.c */

/* The number that people write as text, as a JSON number in out (text.len + 24
 * bytes); *ret_edit says how it was written. 0: it is none, or none that is in
 * no doubt. Gives the length. */
size_t surety__number_of_text(surety_str text,
                              const surety__align_options *options, char *out,
                              surety__edit_id *ret_edit);

/* words.c */

/* The choice of goal that text means, with the edit it takes; NULL: none, or
 * more than one. */
const surety__align_choice *surety__choice_meant(surety__aligner *aligner,
                                                 const surety__goal *goal,
                                                 surety_str text,
                                                 surety__edit_id *ret_edit);
/* The one choice of goal that stands in a text that says more, anywhere in it;
 * NULL: none, several, or a negation stands there. */
const surety__align_choice *surety__choice_within(surety__aligner *aligner,
                                                  const surety__goal *goal,
                                                  surety_str text);
/* 1, 0: the text says true or false; -1: neither. */
int surety__boolean_of_text(surety_str text);
/* The same for a text that says more: one of both, and nothing that takes it
 * back. */
int surety__boolean_within(surety__aligner *aligner, surety_str text);
/* Whether it stands for "nothing": null, none, n/a, nothing at all. */
bool surety__text_is_null(surety_str text);

/* scalar.c */

/* The least costly scalar that a scalar can become to satisfy goal. */
surety__answer surety__scalar_align(surety__aligner *aligner,
                                    surety__goal *goal, surety_val val);

/* What a text that says more says of a scalar: the one choice, truth value or
 * number in it. val is the text as a value. */
surety__answer surety__text_align(surety__aligner *aligner, surety__goal *goal,
                                  surety_val val, surety_str text);

/* container.c */

/* Begins what becomes of an object or array by an alternative: a plan whose
 * children are still to be asked for. NULL: it cannot satisfy it. */
surety__align_plan *surety__object_plan(surety__aligner *aligner,
                                        surety__alternative *alternative,
                                        surety_val object, uint64_t *ret_cost);
surety__align_plan *surety__array_plan(surety__aligner *aligner,
                                       const surety__alternative *alternative,
                                       surety_val array);
/* The goal of the i-th item. */
surety__goal *surety__item_goal(surety__aligner *aligner,
                                const surety__alternative *alternative,
                                uint32_t i);

/* solve.c */

/* Answers the question of goal and val. */
surety__answer surety__align_solve(surety__aligner *aligner, surety__goal *goal,
                                   surety_val val);
void surety__align_solve_done(surety__aligner *aligner);

/* write.c */

/* Writes what plan makes of val to doc, which is begun here with origin; with
 * the edits where `tells`. */
bool surety__plan_write(surety__aligner *aligner, const surety__answer *answer,
                        surety_val val, surety_doc *doc, bool tells);
void surety__plan_write_done(surety__aligner *aligner);

#endif
