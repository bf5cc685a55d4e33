/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the prefix machine share: prefix.c walks a value that
 * grows, prefix_thread.c asks the shapes that have a say on it, prefix_find.c
 * puts the answer into words. */
#ifndef SURETY_SCHEMA_PREFIX_H
#define SURETY_SCHEMA_PREFIX_H

#include "schema/machine.h"
#include "schema/schema.h"

/* Threads of one value; what is beyond them is decided when the value ends. */
enum { PREFIX_THREADS = 256 };

#define PREFIX_NONE UINT32_MAX

enum prefix_node {
    NODE_ALL, /* a shape: dead with any of its threads */
    NODE_ANY, /* an anyOf or oneOf: dead with all of its threads */
    NODE_ONE
};

/* A shape that has a say on a value that is open, or a union of such. */
typedef struct prefix_thread {
    const surety__shape *shape; /* of a union: that it stands in */
    uint32_t parent;   /* what it is a part of; PREFIX_NONE: the root */
    uint32_t alive;    /* of a union: branches that are not dead */
    uint32_t required; /* names of required that have come */
    uint32_t inplace;  /* nested applications to this value */
    uint8_t node;      /* enum prefix_node */
    bool entry;        /* its parent is of the value around */
    bool dead;
    bool undecided; /* something that it asks waits for the end */
    bool settled;   /* at the end: something that it is a part of was checked */
} prefix_thread;

/* A value that is open, on the path from the root. */
typedef struct prefix_level {
    uint32_t cell;
    uint32_t key;     /* of a member: its key; else cell */
    uint32_t place;   /* where it begins in the text */
    uint32_t cursor;  /* of a container: the key or item that comes next */
    uint32_t ordinal; /* children before it */
    uint32_t thread;  /* the first of its threads; they end where those of the
                       * next level begin */
    uint32_t counted; /* of a string: bytes looked at, */
    uint64_t chars;   /* and the characters that begin in them */
    uint8_t kind;
    bool spread; /* the threads for the same value have been made */
} prefix_level;

/* What killed the last thread: a finding is about it. */
struct prefix_cause {
    uint32_t cell;
    uint32_t key; /* of a member: its key; else cell */
    surety__keyword keyword;
};

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
    struct prefix_cause cause;
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
/* The thread cannot be satisfied for what cause says. */
void surety__thread_kill(surety__prefix *prefix, uint32_t thread,
                         struct prefix_cause cause);
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

/* ---- prefix_find.c ------------------------------------------------------ */

/* Fills prefix->found: why root is dead. OK, NOMEM. */
surety_status surety__prefix_tell(surety__prefix *prefix, surety_val root);

#endif
