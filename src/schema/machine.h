/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that applies shapes to values: what the verdict (verdict.c) and
 * the report (machine.c) share. */
#ifndef SURETY_SCHEMA_MACHINE_H
#define SURETY_SCHEMA_MACHINE_H

#include "schema/shape.h"

/* What the machine is after. VERDICT: yes or no, the first failure ends it.
 * COUNT: how far from valid, for choosing the branch that was meant. REPORT:
 * every failure as a finding. */
enum surety__mode { MODE_VERDICT, MODE_COUNT, MODE_REPORT };

#define BITS_NONE UINT32_MAX

/* One shape at work on one value, of a verdict that went deeper. */
typedef struct surety__level {
    const surety__shape *shape;
    const surety__cell *cell;
    const surety__cell *cursor; /* the member's key or the item at work */
    uint32_t left;              /* members or items from there on */
    uint32_t count;             /* required names or matches so far */
    uint32_t at;                /* applicator */
    uint32_t sub;               /* branch, or step within a member */
    uint64_t branches;          /* of anyOf and oneOf: still to be tried */
    uint32_t bits;              /* evaluated children, or BITS_NONE */
    uint8_t phase;
    bool owns;    /* the bits are its own, not those of the level below */
    bool keeps;   /* what it evaluates counts for the level below */
    bool matched; /* the member is covered by properties or patterns */
} surety__level;

/* One shape at work on one value, of a report. */
typedef struct surety__frame {
    const surety__shape *shape;
    const surety__cell *cell;
    const surety__cell *cursor; /* the member's key or the item at work */
    uint32_t ordinal;           /* of the member or item at work */
    uint32_t at;                /* applicator, or position in a list */
    uint32_t sub;               /* step within the member or applicator */
    uint32_t count;             /* matches or required names so far */
    uint32_t bits;              /* evaluated children, or BITS_NONE */
    uint32_t bits_base;         /* length of the bit stack before it */
    uint32_t best, second;      /* first branches that matched */
    uint8_t state;
    bool waiting; /* for a child to end */
    bool matched; /* the member is covered by properties or patterns */
    /* How the frame below led here. */
    uint16_t keyword;
    bool same_value;
    bool keeps_bits;  /* what it evaluates counts for the frame below */
    surety_str token; /* property name or pattern, or */
    uint32_t index;   /* index in an array of schemas; UINT32_MAX: none */
} surety__frame;

typedef struct surety__machine {
    const surety_schema *schema;
    const surety_doc *doc;
    enum surety__mode mode;
    surety__level *levels;
    size_t level_cap;
    surety__frame *frames;
    size_t depth, frame_cap;
    size_t report_base; /* frames below are no part of a keyword location */
    uint64_t *bits;
    size_t bits_len, bits_cap;
    bool result;      /* of the verdict that was asked last */
    uint64_t work;    /* steps that are left */
    uint64_t badness; /* of MODE_COUNT */
    surety_status status;
    surety__matcher *matcher;
    surety_findings *findings;
    surety_limits limits;
    surety__pair *hashes; /* scratch of uniqueItems */
    size_t hash_cap;
    surety_doc *content; /* scratch of contentMediaType and of hints */
    surety_buf text;     /* scratch of the report */
    bool enough;         /* the report is full: nothing more is wanted */
    surety_error *reterr;
    const surety_alloc *alloc;
} surety__machine;

struct surety_checker {
    surety__machine machine;
    struct surety__completion *completion; /* scratch of complete.c, or NULL */
    struct surety__straight *straight;     /* scratch of straight.c, or NULL */
};

/* complete.c; takes NULL. */
void surety__completion_free(const surety_alloc *alloc,
                             struct surety__completion *completion);
/* straight.c; takes NULL. */
void surety__straight_free(const surety_alloc *alloc,
                           struct surety__straight *straight);

/* How a child is reached: for locations, and for what evaluation counts. */
typedef struct surety__step {
    surety__keyword keyword;
    surety_str token;
    uint32_t index;
    bool same_value;
    bool keeps_bits;
} surety__step;

/* Makes the machine ready for val. */
void surety__machine_start(surety__machine *machine,
                           const surety_schema *schema, surety_val val,
                           enum surety__mode mode, surety_error *reterr);
bool surety__machine_push(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *cell, surety__step step);
/* Says that there is not so much work left. */
bool surety__machine_exhausted(surety__machine *machine);
/* Takes cost steps off the work that is left; false, with the status set,
 * where there are not so many. */
static inline bool surety__machine_charge(surety__machine *machine,
                                          uint64_t cost)
{
    if (cost > machine->work)
        return surety__machine_exhausted(machine);
    machine->work -= cost;
    return true;
}
/* Runs until the frames above base have ended; false where it could not. */
bool surety__machine_run(surety__machine *machine, size_t base);
/* Applies one more shape in mode COUNT or REPORT on top of the frames that
 * stand. False where it could not be done. */
bool surety__machine_ask(surety__machine *machine, const surety__shape *shape,
                         const surety__cell *cell, surety__step step,
                         enum surety__mode mode);
/* The shape that a dynamic reference means where the frames and then the first
 * `levels` levels are its dynamic scope. */
const surety__shape *
surety__machine_dynamic(const surety__machine *machine, size_t levels,
                        const surety__applicator *applicator);
/* Room for words of evaluated bits, all 0; BITS_NONE when out of memory, with
 * the status set. */
uint32_t surety__bits_open(surety__machine *machine, size_t children);
static inline void surety__bits_mark(surety__machine *machine, uint32_t bits,
                                     uint32_t ordinal)
{
    if (bits != BITS_NONE)
        machine->bits[bits + ordinal / 64] |= (uint64_t)1 << ordinal % 64;
}
static inline bool surety__bits_have(const surety__machine *machine,
                                     uint32_t bits, uint32_t ordinal)
{
    return machine->bits[bits + ordinal / 64] >> ordinal % 64 & 1;
}
/* What from has counts for into as well. */
void surety__bits_merge(surety__machine *machine, uint32_t into, uint32_t from,
                        size_t children);

/* ---- the verdict (verdict.c) ------------------------------------------- */

/* Whether cell satisfies shape, in machine->result; the frames that stand are
 * the dynamic scope. What it evaluates of cell's children is marked in bits,
 * if it is valid; BITS_NONE: nobody asks. False where no verdict could be had,
 * with the status set. */
bool surety__shape_holds(surety__machine *machine, const surety__shape *shape,
                         const surety__cell *cell, uint32_t bits);
/* Whether an APPLY_DEPENDENT or APPLY_PROPERTY_VALUE applies to an object. */
bool surety__applies(const surety_doc *doc, const surety__cell *object,
                     const surety__applicator *applicator);

/* What verdict.c and straight.c share. */

/* Whether the cell holds what shape says of it without its subschemas. */
bool surety__leaf_holds(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell);

/* The slot of the key's name, or NULL. */
static inline const surety__slot *
surety__slot_find(const surety__objects *objects, const surety_doc *doc,
                  const surety__cell *key)
{
    const surety__slot *const slots = objects->slots;
    const uint32_t mask = objects->slot_mask;
    const uint32_t len = key->len;
    uint32_t at = surety__slot_first(mask, key->hash);
    const char *name;
    uint64_t head, tail;

    if (!slots[at].shape)
        return NULL;
    name = surety__cell_str(doc, key).ptr;
    surety__name_ends(name, len, &head, &tail);
    do {
        if (slots[at].head == head && slots[at].tail == tail &&
            slots[at].len == len &&
            (len <= 16 || !memcmp(slots[at].name + 8, name + 8, len - 16)))
            return &slots[at];
        at = (at + 1) & mask;
    } while (slots[at].shape);
    return NULL;
}

/* Where a walk stands within a member whose value several shapes may have a say
 * on. */
typedef struct surety__wide {
    uint32_t sub; /* 0: properties; then the patterns; then the rest */
    uint32_t required;
    bool matched;
} surety__wide;

/* The next shape for the value of the member whose key is at hand, or NULL. */
const surety__shape *surety__wide_member(surety__machine *machine,
                                         const surety__objects *objects,
                                         const surety__cell *key,
                                         surety__wide *wide);

/* ---- reporting (report.c) ---------------------------------------------- */

/* A failure of keyword at the frame on top; instance is what it is about. The
 * argument is what the message needs: a cell of the schema, a count, a name. */
typedef struct surety__failure {
    surety__keyword keyword;
    const surety__cell *instance;
    surety_str name; /* a property, "" where there is none */
    uint64_t count;
    uint64_t other;
    surety__step step;          /* of a false subschema: how it was reached */
    const surety__shape *never; /* the false subschema, NULL: none */
} surety__failure;

void surety__report_failure(surety__machine *machine, surety__failure failure);
/* A failed anyOf or oneOf: gives the branch that was meant, or UINT32_MAX. */
uint32_t surety__report_meant(surety__machine *machine,
                              const surety__applicator *applicator,
                              const surety__cell *cell);
/* The key of the member of object for which every branch has a const or an
 * enum and none of them its value; NULL where there is none. */
const surety__cell *surety__report_unknown(const surety__machine *machine,
                                           const surety__applicator *applicator,
                                           const surety__cell *object);
/* What const or enum say in branch of the property called by a key cell of the
 * instance, or NULL; *ret_of is the shape that has them. */
const surety__choices *surety__report_choices(const surety__machine *machine,
                                              const surety__shape *branch,
                                              const surety__cell *key,
                                              const surety__shape **ret_of);

/* ---- messages (message.c) ---------------------------------------------- */

void surety__message_write(const surety__machine *machine,
                           const surety__failure *failure, surety_buf *out);
void surety__message_hint(surety__machine *machine,
                          const surety__failure *failure, surety_buf *out);

#endif
