/* SPDX-License-Identifier: Apache-2.0 */
/* The machine: the state of evaluating shapes against values.
 *
 * machine.c    its life, its budget of work, the evaluated bits
 * evaluate.c   the core: frames and their phases
 * applied.c    the applicators of a frame (allOf, anyOf, if, $ref, ...)
 * leaf.c       assertions for the validity, the common ones at once
 * assert.c     assertions without subschemas
 * report.c     what a report notes of a failure (findings.h has the rest)
 * meant.c      the branch of a failed anyOf or oneOf that was meant */
#ifndef SURETY_SCHEMA_MACHINE_H
#define SURETY_SCHEMA_MACHINE_H

#include "schema/shape.h"

/* VALIDITY: yes or no; the first failure ends the evaluation. DISTANCE: how far
 * the value is from valid, to choose the branch that was meant. REPORT: every
 * failure becomes a finding. */
enum surety__mode { MODE_VALIDITY, MODE_DISTANCE, MODE_REPORT };

#define BITS_NONE UINT32_MAX

/* How a subschema was reached: the part of a keyword location that it adds. */
typedef struct surety__step {
    surety_str token; /* property name or pattern; ptr NULL: none */
    uint32_t index;   /* in an array of schemas; UINT32_MAX: none */
    surety__keyword keyword;
    bool same_value; /* as the shape that applies it */
} surety__step;

/* A step on the way to a finding: to a shape applied to a value, or last to
 * what failed. Findings with the same beginning share its marks. */
typedef struct surety__mark {
    struct surety__mark *above;       /* NULL at the root */
    const struct surety__mark *below; /* only while a location is written */
    const surety__shape *shape; /* NULL: the failed keyword is no subschema */
    const surety__cell *cell;
    surety__step step;
    uint32_t ordinal; /* which of the values of the step's keyword */
    uint32_t level;   /* how many are above */
} surety__mark;

/* One shape applied to one value. */
typedef struct surety__frame {
    const surety__shape *shape;
    const surety__cell *cell;
    const surety__cell *cursor; /* the key of the present member, or the item */
    uint32_t left;              /* members or items from the cursor on */
    uint32_t count;             /* required names or matches so far */
    uint32_t at;                /* the present applicator */
    uint32_t sub;               /* branch, or step within a member */
    uint64_t branches;          /* of anyOf and oneOf: still to be tried */
    uint32_t bits;              /* evaluated children, or BITS_NONE */
    uint8_t phase;
    bool owns;    /* the bits are its own, not those of the frame below */
    bool keeps;   /* children that it evaluates count for the frame below */
    bool matched; /* properties or patterns cover the present member */
    /* Of a report only. */
    bool reported;              /* the anyOf or oneOf that failed */
    uint32_t first, second;     /* branches that matched */
    surety__mark *mark;         /* NULL: no finding is in it so far */
    const surety__cell *passed; /* the children before it hold */
    surety__step step;
} surety__frame;

/* Which member or item of its value a frame of a report is at. */
static inline uint32_t surety__frame_ordinal(const surety__frame *frame)
{
    assert(!frame->left || frame->cell->kind >= CELL_ARRAY);
    return frame->left ? frame->cell->count - frame->left : 0;
}

/* Results for pairs of a shape and a value. A check that ends soon has none: it
 * begins to remember where it has spent the first part of its work. */
typedef struct surety__memo {
    surety__map results; /* the shape where it holds, else the cell */
    uint64_t work;       /* steps set aside */
    bool open;
} surety__memo;

/* How far the last evaluations came that failed. A report begins with a check;
 * it does not go again through what held. Other calls note nothing, nor does a
 * schema with a dynamic scope, on which the children may depend. */
enum { PASSED_MAX = 8 };
typedef struct surety__passed {
    struct {
        const surety__shape *shape;
        const surety__cell *cell;  /* for which shape does not hold: */
        const surety__cell *until; /* but for the children before this one */
    } list[PASSED_MAX];
    uint32_t count; /* of all: the first is overwritten by the ninth */
    bool open;
} surety__passed;

/* What nests without end and may be on the C stack. */
typedef struct surety__nest {
    bool framed;     /* none of it: a frame is asked for */
    uint32_t height; /* shapes of HOW_WALK that are there */
} surety__nest;

typedef struct surety__machine {
    const surety_schema *schema;
    const surety_doc *doc;
    enum surety__mode mode;
    surety__frame *frames;
    size_t depth; /* in use, without those of a validity */
    size_t frame_cap;
    size_t report_base; /* frames below are no part of a keyword location */
    uint64_t *bits;     /* a stack */
    size_t bits_len, bits_cap;
    bool result; /* of the last validity */
    surety__nest nest;
    uint64_t work;     /* steps left, but for those set aside */
    uint64_t distance; /* of MODE_DISTANCE */
    surety_status status;
    surety__matcher *matcher;
    surety_findings *findings;
    surety_limits limits;
    surety__pair *hashes; /* scratch of uniqueItems */
    size_t hash_cap;
    surety_doc *content; /* scratch of contentMediaType */
    bool enough;         /* the report is full */
    surety__memo memo;
    surety__passed passed;
    surety_error *reterr;
    const surety_alloc *alloc;
} surety__machine;

struct surety_checker {
    surety__machine machine;
    struct surety__completion *completion; /* scratch of complete.c, or NULL */
    surety_doc *text; /* of surety_checker_check_text, or NULL */
};

/* complete.c; takes NULL. */
void surety__completion_free(const surety_alloc *alloc,
                             struct surety__completion *completion);

/* ---- life, work and bits (machine.c) ------------------------------------ */

/* Prepares the machine for val. */
void surety__machine_start(surety__machine *machine,
                           const surety_schema *schema, surety_val val,
                           enum surety__mode mode, surety_error *reterr);
/* Lets the machine remember, once a first part of its work is spent. */
void surety__machine_remember(surety__machine *machine);
/* Sets the status LIMIT: the work is spent. Always false. */
bool surety__machine_exhausted(surety__machine *machine);
/* Takes cost steps off all that are left, also of those set aside, and
 * remembers from now on. False, with the status LIMIT, where fewer are left. */
bool surety__machine_extend(surety__machine *machine, uint64_t cost);
/* Takes cost steps off the work that is left. False, with the status set, where
 * fewer are left. */
static inline bool surety__machine_charge(surety__machine *machine,
                                          uint64_t cost)
{
    if (cost > machine->work)
        return surety__machine_extend(machine, cost);
    machine->work -= cost;
    return true;
}
/* True: it is remembered whether cell satisfies shape. */
bool surety__memo_find(const surety__machine *machine,
                       const surety__shape *shape, const surety__cell *cell,
                       bool *ret_holds);
/* Remembers it, while there is room. The status is set when out of memory. */
void surety__memo_note(surety__machine *machine, const surety__shape *shape,
                       const surety__cell *cell, bool holds);
/* Notes that shape does not hold for cell, but for its children before until.
 */
void surety__passed_add(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell, const surety__cell *until);
static inline void surety__passed_note(surety__machine *machine,
                                       const surety__shape *shape,
                                       const surety__cell *cell,
                                       const surety__cell *until)
{
    if (machine->passed.open)
        surety__passed_add(machine, shape, cell, until);
}
/* Until where the children of cell are known to hold for shape, which does not;
 * NULL: it is unknown. */
const surety__cell *surety__passed_find(const surety__machine *machine,
                                        const surety__shape *shape,
                                        const surety__cell *cell);
/* Room for a frame at depth. False, with the status set, when out of memory. */
bool surety__machine_room(surety__machine *machine, size_t depth);
/* Reads text to the machine's content, which holds it until the next call. The
 * status is that of surety_doc_read. */
surety_status surety__machine_read(surety__machine *machine, surety_str text);
/* Adds shape to the dynamic scope. The status is set where it could not. */
void surety__machine_scope(surety__machine *machine,
                           const surety__shape *shape);
/* The shape that a dynamic reference means. Its dynamic scope is the frames of
 * the machine and `above` more, which are a validity's. */
const surety__shape *
surety__machine_dynamic(const surety__machine *machine, size_t above,
                        const surety__applicator *applicator);
/* Bits for the children of a container, all 0. BITS_NONE, with the status set,
 * when out of memory. */
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
/* Adds the bits `from` to those of `into`. */
void surety__bits_merge(surety__machine *machine, uint32_t into, uint32_t from,
                        size_t children);

/* ---- evaluation (evaluate.c) --------------------------------------------- */

/* Whether cell satisfies shape, in machine->result; the machine's frames are
 * the dynamic scope. If it is valid, the children that it evaluates are marked
 * in bits, unless that is BITS_NONE. False, with the status set, where there
 * it is unknown. */
bool surety__shape_holds(surety__machine *machine, const surety__shape *shape,
                         const surety__cell *cell, uint32_t bits);
/* Evaluates shape in the machine's mode, DISTANCE or REPORT, above its frames.
 * The status is set where that failed. */
void surety__shape_report(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *cell, surety__step step);
/* Whether an APPLY_DEPENDENT or APPLY_PROPERTY_VALUE applies to an object. */
bool surety__applies(const surety_doc *doc, const surety__cell *object,
                     const surety__applicator *applicator);
/* Whether cell satisfies shape without its subschemas. (leaf.c) */
bool surety__leaf_holds(surety__machine *machine, const surety__shape *shape,
                        const surety__cell *cell);

/* The value of the member called name, or NULL. */
static inline const surety__cell *surety__member_named(
    const surety_doc *doc, const surety__cell *object, surety_str name)
{
    return surety__member(doc, object, name, surety__hash(name.ptr, name.len));
}
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
            (len <= 16 ||
             !memcmp(slots[at].property->name.ptr + 8, name + 8, len - 16)))
            return &slots[at];
        at = (at + 1) & mask;
    } while (slots[at].shape);
    return NULL;
}

/* A walk over the shapes that apply to the value of one member. */
typedef struct surety__wide {
    uint32_t sub; /* 0: properties; then the patterns; then the rest */
    uint32_t required;
    bool matched;
} surety__wide;

/* The next shape for the value of the member with this key, or NULL. */
const surety__shape *surety__wide_member(surety__machine *machine,
                                         const surety__objects *objects,
                                         const surety__cell *key,
                                         surety__wide *wide);

/* ---- reporting (report.c) ------------------------------------------------ */

/* A failure of keyword at the frame on top; instance failed. The rest is for
 * the message, which is written when it is read: nothing of the machine. */
typedef struct surety__failure {
    surety__keyword keyword;
    const surety__cell *instance;
    surety_str name; /* a property, "" where there is none */
    uint64_t count;
    uint64_t other;
    const surety__applicator *applicator; /* of a union */
    uint32_t first, second;               /* of its branches that match */
    surety__step step;                    /* to a false subschema */
    const surety__shape *never;           /* the false subschema, or NULL */
} surety__failure;

void surety__report_failure(surety__machine *machine, surety__failure failure);

/* ---- the branch that was meant (meant.c, meant_member.c) ------------------
 */

/* Of a failed anyOf or oneOf: the branch, or UINT32_MAX where that is open. */
uint32_t surety__meant_branch(surety__machine *machine,
                              const surety__applicator *applicator,
                              const surety__cell *cell);
/* The key of the member of object for which every branch has a const or an
 * enum and none of them its value; NULL where there is none. */
const surety__cell *surety__meant_unknown(const surety_doc *doc,
                                          const surety__applicator *applicator,
                                          const surety__cell *object);
/* Whether there are members for which branch has a const or an enum, and all of
 * them have its value. */
bool surety__meant_fits(const surety_doc *doc, const surety__shape *branch,
                        const surety__cell *object);
/* The const or enum that branch has for the property with this key, or NULL;
 * *ret_of is the shape that has it. */
const surety__choices *surety__meant_choices(const surety_doc *doc,
                                             const surety__shape *branch,
                                             const surety__cell *key,
                                             const surety__shape **ret_of);

#endif
