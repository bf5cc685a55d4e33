/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the prefix machine share: prefix.c walks a value that
 * grows, prefix_thread.c asks the shapes that have a say on it, prefix_past.c
 * what they say of children that have ended, prefix_find.c puts the answer into
 * words. */
#ifndef SURETY_SCHEMA_PREFIX_H
#define SURETY_SCHEMA_PREFIX_H

#include "schema/machine.h"
#include "schema/schema.h"

/* Threads of one value; what is beyond them is decided when the value ends. */
enum { PREFIX_THREADS = 256 };

#define PREFIX_NONE UINT32_MAX

enum prefix_node {
    NODE_ALL, /* a shape: dead with any of its parts, sure with all of them */
    NODE_ANY, /* an anyOf: sure with any branch, dead with all of them */
    NODE_ONE, /* a oneOf: sure with one branch where all others are dead */
    NODE_IF   /* if, then and else, or what a member decides in place of if */
};

/* What a thread is to its parent. */
enum prefix_role { ROLE_PART, ROLE_NOT, ROLE_IF, ROLE_THEN, ROLE_ELSE };

/* What no continuation changes. */
enum prefix_state {
    PREFIX_OPEN,
    PREFIX_DEAD, /* none satisfies it */
    PREFIX_SURE, /* every one does */
    PREFIX_LEFT  /* nobody asks any more */
};

/* What a finding is about. */
struct prefix_cause {
    uint32_t cell;
    uint32_t key; /* of a member: its key; else cell */
    surety__keyword keyword;
};

/* A shape that has a say on a value that is open, or a node of such. */
typedef struct prefix_thread {
    const surety__shape *shape;           /* of a node: that it stands in */
    const surety__applicator *applicator; /* of a node */
    struct prefix_cause cause; /* the value; of an IF: of what the one of then
                                * and else that is dead died */
    uint32_t parent;           /* what it is a part of; PREFIX_NONE: the root */
    uint32_t open;  /* parts that are not sure: what it asks itself is one, and
                     * what waits for the end; of a union: not dead */
    uint32_t sure;  /* of a union: branches that are */
    uint32_t known; /* of an IF: bits of IF_KNOWS */
    uint32_t required; /* names of required that have come */
    uint32_t lacking;  /* names of those that have to come before it can be
                        * sure; PREFIX_NONE: it cannot before the end */
    uint64_t matches;  /* items that contains counts */
    uint8_t node;      /* enum prefix_node */
    uint8_t role;      /* enum prefix_role */
    uint8_t state;     /* enum prefix_state */
    bool asked;        /* something depends on its being sure */
    bool own;          /* what it asks itself is sure */
} prefix_thread;

/* A part of an IF in this state, as a bit. */
#define IF_KNOWS(role, state)                                                  \
    (1u << (2 * ((role)-ROLE_IF) + ((state) == PREFIX_SURE)))

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
    surety_buf text; /* of found, where it stands in no report */
    const surety_schema *schema;
    unsigned flags; /* enum surety__prefix_flag */
    prefix_level *levels;
    size_t level_count, level_cap;
    prefix_thread *threads;
    size_t thread_count, thread_cap;
    size_t base; /* where the threads of the child at hand begin */
    struct prefix_cause cause; /* of death */
    prefix_entry *items;       /* the last that came is the last */
    uint32_t *heads;           /* by hash, + 1 */
    size_t item_count, item_cap, head_cap;
    uint64_t spent;     /* work of the steps before */
    uint64_t rechecked; /* cells that were looked at again */
    size_t duplicates;  /* keys that had been taken out before this step */
    bool begun;         /* the root has been seen */
    bool ended;         /* all of it, or nothing can be said any more */
    bool dead;
    bool nomem;
};

/* Takes cost off the work that is left; false where there is not so much. */
static inline bool surety__prefix_charge(surety__prefix *prefix, uint64_t cost)
{
    surety__machine *const machine = &prefix->checker->machine;

    if (cost > machine->work)
        return false;
    machine->work -= cost;
    return true;
}

/* Whether the kind of a value is certain. */
bool surety__prefix_is_firm(const surety__prefix *prefix,
                            const surety__cell *cell);

/* ---- prefix_thread.c ---------------------------------------------------- */

/* Whether a thread still has a say. */
bool surety__thread_lives(surety__prefix *prefix, uint32_t thread);
/* The thread is dead, for what cause says, or sure, or nobody can tell; so may
 * be what it is a part of. */
void surety__thread_settle(surety__prefix *prefix, uint32_t thread,
                           enum prefix_state state, struct prefix_cause cause);
static inline void surety__thread_kill(surety__prefix *prefix, uint32_t thread,
                                       struct prefix_cause cause)
{
    surety__thread_settle(prefix, thread, PREFIX_DEAD, cause);
}
/* What the thread's shape itself asks is sure. */
void surety__thread_own(surety__prefix *prefix, uint32_t thread);
/* What takes the place of the if of a NODE_IF is decided. */
void surety__thread_if(surety__prefix *prefix, uint32_t thread, bool holds);
/* A part of the thread cannot be decided before its end. */
static inline void surety__thread_wait(surety__prefix *prefix, uint32_t thread)
{
    if (thread != PREFIX_NONE)
        prefix->threads[thread].open++;
}
/* Whether subschemas can be checked by themselves, and it matters. */
bool surety__thread_may_check(const surety__prefix *prefix);
/* What the check says of a value that is complete. */
enum prefix_state surety__thread_verdict(surety__prefix *prefix,
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

/* Fills prefix->found: why root is dead. OK, NOMEM. */
surety_status surety__prefix_tell(surety__prefix *prefix, surety_val root);

#endif
