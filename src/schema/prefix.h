/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the prefix machine: prefix.c walks a value that
 * grows, prefix_thread.c has the shapes that apply to it, prefix_past.c what
 * they require of children that have ended, prefix_find.c writes the finding.
 */
#ifndef SURETY_SCHEMA_PREFIX_H
#define SURETY_SCHEMA_PREFIX_H

#include "schema/machine.h"
#include "schema/schema.h"

/* Threads of one value; the others are decided when the value ends. */
enum { PREFIX_THREADS = 256 };

#define PREFIX_NONE UINT32_MAX

enum prefix_node {
    NODE_ALL, /* a shape: refuted with any of its parts, proven with all of them
               */
    NODE_ANY, /* an anyOf: proven with any branch, refuted with all of them */
    NODE_ONE, /* a oneOf: proven with one branch where all others are refuted */
    NODE_IF   /* if, then and else, or what a member decides in place of if */
};

/* The role of a thread in its parent. */
enum prefix_role { ROLE_PART, ROLE_NOT, ROLE_IF, ROLE_THEN, ROLE_ELSE };

/* A result that no continuation changes. */
enum prefix_state {
    PREFIX_OPEN,
    PREFIX_REFUTED, /* none satisfies it */
    PREFIX_PROVEN,  /* every one does */
    PREFIX_UNKNOWN  /* not decided, and no longer needed */
};

/* The subject of a finding. */
struct prefix_cause {
    uint32_t cell;
    uint32_t key; /* of a member: its key; else cell */
    surety__keyword keyword;
};

/* A shape that applies to an open value, or a node of such. */
typedef struct prefix_thread {
    const surety__shape *shape;           /* of a node: its shape */
    const surety__applicator *applicator; /* of a node */
    struct prefix_cause cause; /* the value; of an IF: what refuted the one of
                                * then and else that is refuted */
    uint32_t parent;           /* PREFIX_NONE: the root */
    uint32_t open; /* parts that are not proven: its own assertions are one, and
                    * what waits for the end; of a union: not refuted */
    uint32_t proven;   /* of a union: branches that are */
    uint32_t known;    /* of an IF: bits of IF_KNOWS */
    uint32_t required; /* names of required that have come */
    uint32_t lacking;  /* names of those that have to come before it can be
                        * proven; PREFIX_NONE: it cannot before the end */
    uint64_t matches;  /* items that contains counts */
    uint8_t node;      /* enum prefix_node */
    uint8_t role;      /* enum prefix_role */
    uint8_t state;     /* enum prefix_state */
    bool needed;       /* something depends on whether it is proven */
    bool own;          /* its own assertions are proven */
} prefix_thread;

/* A part of an IF in this state, as a bit. */
#define IF_KNOWS(role, state)                                                  \
    (1u << (2 * ((role)-ROLE_IF) + ((state) == PREFIX_PROVEN)))

/* A value that is open, on the path from the root. */
typedef struct prefix_level {
    uint32_t cell;
    uint32_t key;     /* of a member: its key; else cell */
    uint32_t place;   /* where it begins in the text */
    uint32_t cursor;  /* of a container: the key or item that comes next */
    uint32_t ordinal; /* children before it */
    uint32_t thread;  /* the first of its threads; they end where those of the
                       * next level begin */
    size_t items;     /* of levels around, in the table */
    uint32_t counted; /* of a string: bytes looked at, */
    uint64_t chars;   /* and the characters that begin in them */
    uint8_t kind;
    bool spread; /* the threads for the same value have been made */
} prefix_level;

/* An item of an array that is open and asks for uniqueItems. */
typedef struct prefix_entry {
    uint64_t hash;
    uint32_t cell;
    uint32_t next; /* with the same head, + 1; 0: none */
} prefix_entry;

struct surety__prefix {
    const surety_alloc *alloc;
    surety_checker *checker;
    surety_findings *findings;
    surety_finding found;
    const surety_schema *schema;
    unsigned flags; /* enum surety__prefix_flag */
    prefix_level *levels;
    size_t level_count, level_cap;
    prefix_thread *threads;
    size_t thread_count, thread_cap;
    size_t base; /* where the threads of the child at hand begin */
    struct prefix_cause cause; /* why it is refuted */
    prefix_entry *items;       /* the last that came is the last */
    uint32_t *heads;           /* by hash, + 1 */
    size_t item_count, item_cap, head_cap;
    uint64_t spent;     /* work of the steps before */
    uint64_t rechecked; /* cells that were looked at again */
    size_t duplicates;  /* keys that had been taken out before this step */
    bool begun;         /* the root has been seen */
    bool ended;         /* all of it has, or nothing more can be decided */
    bool refuted;
    bool nomem;
};

/* Takes cost off the work that is left; false where less is left. */
static inline bool surety__prefix_charge(surety__prefix *prefix, uint64_t cost)
{
    surety__machine *const machine = &prefix->checker->machine;

    if (cost > machine->work)
        return false;
    machine->work -= cost;
    return true;
}

/* A cause at the value of the level. */
static inline struct prefix_cause surety__level_cause(const prefix_level *level,
                                                      surety__keyword keyword)
{
    return (struct prefix_cause){level->cell, level->key, keyword};
}

/* Whether the kind of a value is certain. */
bool surety__prefix_is_firm(const surety__prefix *prefix,
                            const surety__cell *cell);

/* ---- prefix_thread.c ---------------------------------------------------- */

/* Whether a thread is undecided and needed. */
bool surety__thread_is_open(surety__prefix *prefix, uint32_t thread);
/* Sets the thread's state, with the cause where it is refuted; that may decide
 * its parent, too. */
void surety__thread_settle(surety__prefix *prefix, uint32_t thread,
                           enum prefix_state state, struct prefix_cause cause);
static inline void surety__thread_refute(surety__prefix *prefix,
                                         uint32_t thread,
                                         struct prefix_cause cause)
{
    surety__thread_settle(prefix, thread, PREFIX_REFUTED, cause);
}
/* The own assertions of the thread's shape are proven. */
void surety__thread_own(surety__prefix *prefix, uint32_t thread);
/* The condition in place of the if of a NODE_IF is decided. */
void surety__thread_if(surety__prefix *prefix, uint32_t thread, bool holds);
/* A part of the thread cannot be decided before its end. */
static inline void surety__thread_wait(surety__prefix *prefix, uint32_t thread)
{
    if (thread != PREFIX_NONE)
        prefix->threads[thread].open++;
}
/* A part of the thread was checked: it is refuted with it, or waits for the end
 * where it is unknown. */
static inline void surety__thread_hear(surety__prefix *prefix, uint32_t thread,
                                       enum prefix_state state,
                                       struct prefix_cause cause)
{
    if (state == PREFIX_REFUTED)
        surety__thread_refute(prefix, thread, cause);
    else if (state == PREFIX_UNKNOWN)
        surety__thread_wait(prefix, thread);
}
/* Moves *at to the first open thread from *at on; false: there is none, or the
 * value is refuted. */
bool surety__thread_next(surety__prefix *prefix, uint32_t *at);
/* Whether subschemas can be checked by themselves, and it matters. */
bool surety__thread_may_check(const surety__prefix *prefix);
/* The state by checking a value that is complete. */
enum prefix_state surety__thread_check(surety__prefix *prefix,
                                       const surety__shape *shape,
                                       const surety__cell *cell);
/* A child of a value with the thread parent (PREFIX_NONE: the root) has to
 * satisfy shape: decides it, or makes a thread for it. */
void surety__thread_ask(surety__prefix *prefix, uint32_t parent,
                        const surety__shape *shape, struct prefix_cause child);
/* The same for a name and propertyNames. */
void surety__thread_name(surety__prefix *prefix, uint32_t parent,
                         const surety__shape *shape, struct prefix_cause name);
/* Makes the threads that the level's threads lead to for the same value. */
void surety__thread_spread(surety__prefix *prefix, prefix_level *level);
/* A string goes on: is there a value that starts so? */
void surety__thread_string(surety__prefix *prefix, prefix_level *level);
/* A scalar or a container has come to its end. */
void surety__thread_end(surety__prefix *prefix, prefix_level *level,
                        bool whole);

/* ---- prefix_past.c ------------------------------------------------------ */

/* The child of level at cell has ended; it is counted already. */
void surety__past_child(surety__prefix *prefix, const prefix_level *level,
                        uint32_t cell);
/* A thread for a container has been made. */
void surety__past_begin(surety__prefix *prefix, const prefix_level *level,
                        uint32_t thread);
/* Whether something that the shape itself asks of a container is checked at its
 * end only. */
bool surety__past_waits(const surety__prefix *prefix,
                        const surety__shape *shape, unsigned kind);
/* Forgets the items of levels beyond the first count. */
void surety__past_forget(surety__prefix *prefix, size_t count);

/* ---- prefix_find.c ------------------------------------------------------ */

/* Fills prefix->found: why root is refuted. OK, NOMEM. */
surety_status surety__prefix_explain(surety__prefix *prefix, surety_val root);

#endif
