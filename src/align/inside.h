/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of align/: goals (what a value must satisfy), plans
 * (what becomes of it) and the aligner.
 *
 * A question is a goal and a value; its answer is a plan and a cost.
 *
 * Invariants:
 * 1. During the search only trials are built. Plans are small and shared, and
 *    live in the aligner's arena until the next call.
 * 2. At the end the plan of the root is written, with its edits. No other
 *    writing records edits.
 * 3. All edits are counted, and the first repairs_max of them are kept. */
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

/* ---- texts found by their letters (lexicon.c) ---------------------------- */

/* A text of the schema: the name of a property, or a string of enum or const.
 */
typedef struct surety__entry {
    surety_str text;
    uint32_t letters;    /* surety__text_hash */
    uint32_t hash;       /* surety__name_hash */
    uint32_t next;       /* with the same slot by letters, + 1; 0: none */
    uint32_t next_exact; /* with the same slot by hash */
    surety_val val;      /* of a string: it */
    bool required;       /* of a name, and the following members */
    /* The goal of its value, after it was first needed. */
    bool goal_known, allowed;
    struct surety__goal *goal;
} surety__entry;

typedef struct surety__lexicon {
    surety__entry *entries; /* NULL: not made yet */
    uint32_t *slots, *exact_slots;
    uint32_t count, mask;
    size_t longest; /* bytes of the longest text */
} surety__lexicon;

/* A search for the closest text. */
typedef struct surety__lookup {
    surety_str text;
    surety_str bare;              /* compared with the entries' bare texts */
    enum surety__closeness least; /* of bare texts, at best */
    uint32_t letters;
    /* The result: */
    enum surety__closeness close;
    bool ambiguous; /* two are equally close, or too many to compare */
} surety__lookup;

/* ---- goals (goal.c) ------------------------------------------------------ */

/* One way to satisfy a goal: shapes that all apply, with unions decided. */
typedef struct surety__alternative {
    surety__conjunction all;
    uint8_t types;         /* TYPE_ bits that every shape accepts */
    uint8_t named;         /* those of them that type, enum, const or a keyword
                            * about containers names */
    bool enumerated;       /* a shape lists its values */
    surety__lexicon names; /* of its properties, on first use */
} surety__alternative;

typedef struct surety__goal {
    const surety__conjunction *roots; /* of a graph node: all of them must
                                       * hold */
    /* Filled in on first use. */
    bool expanded;
    bool several; /* its shapes alone do not decide the validity */
    uint8_t types, named;
    bool open_string; /* strings are accepted that are not listed */
    surety__alternative *alternatives;
    uint32_t alternative_count;
    surety__lexicon choices; /* the strings of enum and const */
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
    PLAN_MEMBER, /* an object with the member text: inner, by inner_plan */
    PLAN_INNER   /* inner, by inner_plan */
};

struct surety__align_plan;

/* A member of an object, and what becomes of it. */
typedef struct surety__aligned_part {
    uint32_t key;         /* its cell in the doc of the object */
    uint8_t key_edit;     /* EDIT_NONE: the key is kept */
    uint8_t left_out;     /* EDIT_NONE: the member is kept */
    bool optional;        /* it may be left out if it is null */
    surety__entry *known; /* its property, or NULL */
    surety__entry *near;  /* the name closest to its key, or NULL */
    surety__goal *goal;   /* NULL: any value */
    surety_str name; /* its new key, from the schema; if the key is kept, valid
                      * only while the object's plan is made */
    const struct surety__align_plan *plan; /* NULL: a copy */
} surety__aligned_part;

typedef struct surety__align_plan {
    uint8_t kind;
    uint8_t edit;  /* surety__edit_id; EDIT_NONE for a container */
    uint32_t cost; /* of the edit alone */
    uint32_t count;
    surety_val val; /* the original value */
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
    bool ambiguous; /* a different result has the same cost */
} surety__answer;

/* ---- the aligner --------------------------------------------------------- */

struct surety__question;    /* solve.c */
struct surety__align_place; /* write.c */

/* The aligner's own documents. */
enum {
    DOC_TRIAL,   /* a plan written to be checked or compared */
    DOC_OTHER,   /* the plan that it is compared with */
    DOC_LITERAL, /* numbers, JSON in strings */
    DOC_INNER,   /* an array of the values that were JSON in strings */
    DOC_TEXT,    /* a plain text as a value */
    DOC_COUNT
};

struct surety__aligner {
    const surety_alloc *alloc;
    surety_limits limits;
    surety_checker *checker;
    const surety_schema *schema;
    surety__arena arena;
    surety__graph graph; /* its nodes become goals */
    surety__map answers;
    surety_doc *docs[DOC_COUNT];
    bool inner_open; /* DOC_INNER's array */
    bool is_text;    /* the value is a plain text: that is the first edit */
    uint64_t work;   /* steps left */
    surety_status status;
    /* Vectors in the arena: */
    struct surety__question *questions;
    size_t question_count, question_cap;
    surety__answer answer; /* of the last question that ended */
    struct surety__align_place *places;
    size_t place_count, place_cap;
    surety_buf pointer; /* of the value being written */
    surety__align_edits edits;
};

/* Takes cost steps from the work left; false: there are not enough, and the
 * status is set. */
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

/* Zeroed memory until the next call; NULL: the status is set. */
void *surety__aligner_take(surety__aligner *aligner, size_t count, size_t size);
/* Makes room for one more item of size bytes in a vector of count items in the
 * arena. vector: the address of the pointer to the items. */
bool surety__aligner_room(surety__aligner *aligner, void *vector, size_t *cap,
                          size_t count, size_t size);
/* A plan with one edit. */
surety__align_plan *surety__plan_new(surety__aligner *aligner,
                                     enum surety__plan_kind kind,
                                     surety__edit_id edit, surety_val val);

/* lexicon.c */

/* Room for count texts. */
bool surety__lexicon_make(surety__aligner *aligner, surety__lexicon *lexicon,
                          uint32_t count);
/* The entry of text, which is new if text is not there yet; NULL: the status is
 * set. */
surety__entry *surety__lexicon_add(surety__aligner *aligner,
                                   surety__lexicon *lexicon, surety_str text);
/* The entry closest to the lookup's text, of those with its letters; NULL:
 * none. */
surety__entry *surety__lexicon_closest(const surety__lexicon *lexicon,
                                       surety__lookup *lookup);
/* The name closest to a member's key, and how close (*ret_close); NULL: there
 * is none, or two are equally close. */
surety__entry *surety__lexicon_find(const surety__lexicon *lexicon,
                                    surety_val key,
                                    enum surety__closeness *ret_close);

/* goal.c */

/* The goal of a conjunction; equal ones have the same goal. NULL: any value
 * satisfies it, or the status is set. */
surety__goal *surety__goal_of(surety__aligner *aligner,
                              const surety__conjunction *roots);
/* The goal of the schema. */
surety__goal *surety__goal_root(surety__aligner *aligner);
/* Fills in the alternatives. */
bool surety__goal_expand(surety__aligner *aligner, surety__goal *goal);
/* Fills in out: goal, expanded, without the alternatives that name no
 * scalar. */
bool surety__goal_scalars(surety__aligner *aligner, surety__goal *goal,
                          surety__goal *out);
/* Fills in the choices. */
bool surety__goal_list(surety__aligner *aligner, surety__goal *goal);
/* Fills in the names of an alternative. */
bool surety__names_make(surety__aligner *aligner,
                        surety__alternative *alternative);
/* Whether val satisfies all roots of goal, which may be NULL. Also false if
 * the status is set. */
bool surety__goal_holds(surety__aligner *aligner, const surety__goal *goal,
                        surety_val val);

/* number.c */

/* Reads a number that people write as text, and writes it as a JSON number to
 * out (text.len + 24 bytes). *ret_edit: how it was written. Returns its
 * length; 0: not a number, or an ambiguous one. */
size_t surety__number_of_text(surety_str text, char *out,
                              surety__edit_id *ret_edit);

/* words.c */

/* The choice of goal that text means, and the edit for it; NULL: none, or
 * several. */
const surety__entry *surety__choice_meant(surety__aligner *aligner,
                                          const surety__goal *goal,
                                          surety_str text,
                                          surety__edit_id *ret_edit);
/* The single choice of goal that occurs anywhere in a longer text; NULL: none,
 * several, or the text negates. */
const surety__entry *surety__choice_within(surety__aligner *aligner,
                                           const surety__goal *goal,
                                           surety_str text);
/* 1, 0: the text means true or false; -1: neither. */
int surety__boolean_of_text(surety_str text);
/* The same for a longer text: one of the two occurs, and nothing negates it. */
int surety__boolean_within(surety__aligner *aligner, surety_str text);
/* Whether the text means null: null, none, n/a, or empty. */
bool surety__text_is_null(surety_str text);

/* scalar.c */

/* The cheapest scalar that satisfies goal and that val can become. */
surety__answer surety__scalar_align(surety__aligner *aligner,
                                    surety__goal *goal, surety_val val);

/* The scalar in a longer text: the single choice, boolean or number in it. val
 * is the text as a value. */
surety__answer surety__text_align(surety__aligner *aligner, surety__goal *goal,
                                  surety_val val, surety_str text);

/* container.c */

/* Begins the plan of an object or array for an alternative; its children are
 * not answered yet. NULL: the alternative cannot hold. */
surety__align_plan *surety__object_plan(surety__aligner *aligner,
                                        surety__alternative *alternative,
                                        surety_val object, uint64_t *ret_cost);
surety__align_plan *surety__array_plan(surety__aligner *aligner,
                                       const surety__alternative *alternative,
                                       surety_val array);
/* The only name that the alternative requires, where its value must be an array
 * or may be one, and the goal of it; NULL: there is none. */
surety__entry *surety__rows_name(surety__aligner *aligner,
                                 surety__alternative *alternative,
                                 surety__goal **ret_goal);
/* The goal of the i-th item. */
surety__goal *surety__item_goal(surety__aligner *aligner,
                                const surety__alternative *alternative,
                                uint32_t i);

/* solve.c */

/* Answers the question of goal and val. */
surety__answer surety__align_solve(surety__aligner *aligner, surety__goal *goal,
                                   surety_val val);

/* write.c */

/* Writes the value that the answer's plan makes of val to doc, which begins
 * here with val's document as origin. with_edits: its edits are recorded. */
bool surety__plan_write(surety__aligner *aligner, const surety__answer *answer,
                        surety_val val, surety_doc *doc, bool with_edits);

#endif
