/* SPDX-License-Identifier: Apache-2.0 */
/* The machine: shapes applied to values with an explicit stack.
 *
 * A frame is one shape at work on one value. It goes through its states - its
 * own assertions, members or items, what applies to the same value, what is
 * left unevaluated - and pushes a frame for every subschema that is no leaf;
 * when that ends, its verdict stands in machine->result and the frame below
 * goes on where it waited. So depth of schema or instance costs no C stack, and
 * the frames that stand are at once the dynamic scope and the keyword location.
 *
 * One machine serves the check and the report: in MODE_FAST the first failure
 * ends a frame, in the other modes surety__report_failure is told and the frame
 * goes on. Subschemas that only decide (anyOf, oneOf, not, if, contains) are
 * always asked in MODE_FAST.
 *
 * Where a shape has an unevaluated keyword, its frame and those applied to the
 * same value below it carry one bit for every member or item. A frame's bits
 * are its own until it ends; then they count for the frame below, if it was
 * valid (2020-12 core, section 11). */
#include "schema/machine.h"

#include "schema/assert.h"

enum state {
    STATE_START,
    STATE_MEMBERS,
    STATE_NAMES,
    STATE_ITEMS,
    STATE_CONTAINS,
    STATE_APPLY,
    STATE_REST_MEMBERS,
    STATE_REST_ITEMS,
    STATE_END
};

/* What became of a subschema that was to be applied. */
enum applied { APPLIED_YES, APPLIED_NO, APPLIED_LATER };

void surety__machine_start(surety__machine *machine,
                           const surety_schema *schema, surety_val val,
                           enum surety__mode mode, surety_error *reterr)
{
    machine->schema = schema;
    machine->doc = val.doc;
    machine->mode = mode;
    machine->depth = 0;
    machine->report_base = 0;
    machine->bits_len = 0;
    machine->result = true;
    machine->status = SURETY_OK;
    machine->enough = false;
    machine->reterr = reterr;
    machine->work =
        machine->limits.work_base +
        (uint64_t)machine->limits.work_per_value * surety_doc_size(val.doc);
}

static bool machine_stop(surety__machine *machine, surety_status status)
{
    machine->status = status;
    return false;
}

bool surety__machine_charge(surety__machine *machine, uint64_t cost)
{
    if (cost <= machine->work) {
        machine->work -= cost;
        return true;
    }
    machine->work = 0;
    surety__fail(machine->reterr, SURETY_LIMIT,
                 "the check needs more steps than the limit of %u and %u for "
                 "each value allows (work_base, work_per_value)",
                 machine->limits.work_base, machine->limits.work_per_value);
    return machine_stop(machine, SURETY_LIMIT);
}

/* ---- evaluated bits ---------------------------------------------------- */

static bool bits_open(surety__machine *machine, surety__frame *frame)
{
    size_t words = ((size_t)frame->cell->count + 63) / 64;
    void *items = machine->bits;
    surety_status status = surety__grow(
        machine->alloc, &items, &machine->bits_cap, machine->bits_len + words,
        sizeof(*machine->bits), UINT32_MAX - 1);

    machine->bits = items;
    if (status)
        return machine_stop(machine, SURETY_NOMEM);
    frame->bits = (uint32_t)machine->bits_len;
    if (words)
        memset(machine->bits + machine->bits_len, 0,
               words * sizeof(*machine->bits));
    machine->bits_len += words;
    return true;
}

static void bits_mark(surety__machine *machine, const surety__frame *frame,
                      uint32_t ordinal)
{
    if (frame->bits != BITS_NONE)
        machine->bits[frame->bits + ordinal / 64] |= 1ull << ordinal % 64;
}

static bool bits_have(const surety__machine *machine,
                      const surety__frame *frame, uint32_t ordinal)
{
    return machine->bits[frame->bits + ordinal / 64] >> ordinal % 64 & 1;
}

/* ---- frames ------------------------------------------------------------ */

bool surety__machine_push(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *cell, surety__step step)
{
    void *items = machine->frames;
    const surety__frame *below =
        machine->depth ? &machine->frames[machine->depth - 1] : NULL;
    uint32_t inplace = below && step.same_value ? below->inplace + 1u : 0;
    surety__frame *frame;
    bool track;

    if (machine->mode == MODE_FAST)
        shape = shape->direct;
    track = shape->tracks || (below && step.same_value && step.keeps_bits &&
                              below->bits != BITS_NONE);
    /* A frame may look at every child, which is no application by itself. */
    if (!surety__machine_charge(
            machine, 1 + (cell->kind >= CELL_ARRAY ? cell->count / 16 : 0)))
        return false;
    if (inplace > machine->limits.inplace_depth_max) {
        surety__fail(machine->reterr, SURETY_LIMIT,
                     "more than %u subschemas are nested on one value "
                     "(inplace_depth_max)",
                     machine->limits.inplace_depth_max);
        return machine_stop(machine, SURETY_LIMIT);
    }
    if (surety__grow(machine->alloc, &items, &machine->frame_cap,
                     machine->depth + 1, sizeof(*machine->frames), SIZE_MAX))
        return machine_stop(machine, SURETY_NOMEM);
    machine->frames = items;
    frame = &machine->frames[machine->depth++];
    *frame = (surety__frame){.shape = shape,
                             .cell = cell,
                             .bits = BITS_NONE,
                             .bits_base = (uint32_t)machine->bits_len,
                             .best = UINT32_MAX,
                             .inplace = inplace,
                             .keyword = (uint16_t)step.keyword,
                             .same_value = step.same_value,
                             .keeps_bits = step.keeps_bits,
                             .token = step.token,
                             .index = step.index};
    if (track && (cell->kind == CELL_OBJECT || cell->kind == CELL_ARRAY))
        return bits_open(machine, frame);
    return true;
}

/* Ends the frame on top. What it evaluated counts below if it was valid; a
 * report takes it for meant even then, so that one mistake is told once. */
static bool machine_pop(surety__machine *machine, bool valid)
{
    surety__frame *frame = &machine->frames[--machine->depth];
    const surety__frame *below =
        machine->depth ? &machine->frames[machine->depth - 1] : NULL;

    if (below && frame->same_value && frame->keeps_bits &&
        frame->bits != BITS_NONE && below->bits != BITS_NONE &&
        (valid || machine->mode != MODE_FAST)) {
        size_t words = ((size_t)frame->cell->count + 63) / 64;

        for (size_t i = 0; i < words; i++)
            machine->bits[below->bits + i] |= machine->bits[frame->bits + i];
    }
    machine->bits_len = frame->bits_base;
    machine->result = valid;
    return true;
}

static surety__frame *machine_top(surety__machine *machine)
{
    return &machine->frames[machine->depth - 1];
}

/* A failure at the frame on top: true where the frame must end now. */
static bool machine_fails(surety__machine *machine, surety__failure failure)
{
    machine_top(machine)->failed = true;
    if (machine->mode == MODE_FAST)
        return true;
    surety__report_failure(machine, failure);
    return false;
}

/* A false subschema is told here, so that the finding can name what it
 * forbids. */
static enum applied apply_never(surety__machine *machine,
                                const surety__shape *shape,
                                const surety__cell *cell, surety__step step)
{
    surety__failure failure = {.keyword = step.keyword,
                               .instance = cell,
                               .step = step,
                               .never = shape};

    if (machine->mode != MODE_FAST)
        surety__report_failure(machine, failure);
    return APPLIED_NO;
}

static enum applied apply_step(surety__machine *machine,
                               const surety__shape *shape,
                               const surety__cell *cell, surety__step step)
{
    if (shape->always)
        return APPLIED_YES;
    if (shape->never)
        return apply_never(machine, shape, cell, step);
    machine_top(machine)->waiting = true;
    surety__machine_push(machine, shape, cell, step);
    return APPLIED_LATER;
}

/* Applies a subschema in the machine's own mode. A leaf is decided at once in
 * MODE_FAST; inline, so that the step is not even put together for it. */
static inline enum applied apply(surety__machine *machine,
                                 const surety__shape *shape,
                                 const surety__cell *cell, surety__step step)
{
    bool holds;

    if (machine->mode != MODE_FAST)
        return apply_step(machine, shape, cell, step);
    shape = shape->direct;
    if (!shape->leaf)
        return apply_step(machine, shape, cell, step);
    if (shape->always || shape->never)
        return shape->always ? APPLIED_YES : APPLIED_NO;
    if (!surety__machine_charge(machine, 1))
        return APPLIED_NO;
    if (shape->plain)
        holds = shape->types &
                surety__type_bits(machine->doc, cell, shape->lexical_integer);
    else
        holds = surety__assert_all(machine, shape, cell);
    return holds ? APPLIED_YES : APPLIED_NO;
}

bool surety__machine_ask(surety__machine *machine, const surety__shape *shape,
                         const surety__cell *cell, surety__step step,
                         enum surety__mode mode)
{
    enum surety__mode before = machine->mode;
    size_t base = machine->depth;
    bool done;

    machine->mode = mode;
    done = surety__machine_push(machine, shape, cell, step) &&
           surety__machine_run(machine, base);
    machine->mode = before;
    return done;
}

/* Asks for a subschema's verdict without telling its failures. */
static enum applied decide(surety__machine *machine, const surety__shape *shape,
                           const surety__cell *cell, surety__step step)
{
    if (shape->always || shape->never)
        return shape->always ? APPLIED_YES : APPLIED_NO;
    if (machine->mode == MODE_FAST)
        return apply(machine, shape, cell, step);
    surety__machine_ask(machine, shape, cell, step, MODE_FAST);
    return machine->result ? APPLIED_YES : APPLIED_NO;
}

/* The verdict that the frame waited for, or the one of a new application. */
static bool resume(surety__frame *frame)
{
    bool waited = frame->waiting;

    frame->waiting = false;
    return waited;
}

static bool next_state(surety__frame *frame, enum state state)
{
    frame->state = (uint8_t)state;
    frame->ordinal = 0;
    frame->at = 0;
    frame->sub = 0;
    frame->count = 0;
    frame->best = UINT32_MAX;
    frame->matched = false;
    frame->cursor = frame->cell + 1;
    return true;
}

/* ---- states ------------------------------------------------------------ */

static bool step_start(surety__machine *machine, surety__frame *frame)
{
    const surety__shape *shape = frame->shape;

    if (shape->always)
        return machine_pop(machine, true);
    if (shape->never) {
        apply_never(machine, shape, frame->cell,
                    (surety__step){.keyword = KW_NONE, .index = UINT32_MAX});
        return machine_pop(machine, false);
    }
    if (!surety__assert_all(machine, shape, frame->cell)) {
        frame->failed = true;
        if (machine->mode == MODE_FAST)
            return machine_pop(machine, false);
    }
    if (frame->cell->kind == CELL_OBJECT && shape->objects)
        return next_state(frame, STATE_MEMBERS);
    if (frame->cell->kind == CELL_ARRAY && shape->arrays)
        return next_state(frame, STATE_ITEMS);
    return next_state(frame, STATE_APPLY);
}

static surety__step step_child(surety__keyword keyword, surety_str token)
{
    return (surety__step){
        .keyword = keyword, .token = token, .index = UINT32_MAX};
}

/* The next subschema for the member at work, in steps: properties, every
 * pattern that fits, additionalProperties. APPLIED_LATER: a frame was pushed;
 * APPLIED_NO: a subschema failed; APPLIED_YES: the member is done. */
static enum applied member_apply(surety__machine *machine, surety__frame *frame)
{
    const surety__objects *objects = frame->shape->objects;
    const surety__cell *key = frame->cursor;
    surety_str name = surety__cell_str(machine->doc, key);
    enum applied applied = APPLIED_YES;

    if (frame->sub == 0) {
        const surety__property *property =
            surety__objects_find(objects, machine->doc, key);

        frame->sub = 1;
        frame->matched = property && property->shape;
        frame->count += property && property->required;
        if (frame->matched) {
            bits_mark(machine, frame, frame->ordinal);
            applied = apply(machine, property->shape, key + 1,
                            step_child(KW_PROPERTIES, property->name));
        }
    }
    while (applied == APPLIED_YES && frame->sub <= objects->pattern_count) {
        const surety__pattern_member *pattern =
            &objects->patterns[frame->sub++ - 1];

        if (!surety__assert_pattern(machine, pattern->pattern, name))
            continue;
        frame->matched = true;
        bits_mark(machine, frame, frame->ordinal);
        applied = apply(machine, pattern->shape, key + 1,
                        step_child(KW_PATTERN_PROPERTIES, pattern->source));
    }
    if (applied == APPLIED_YES && !frame->matched && objects->additional) {
        frame->matched = true;
        bits_mark(machine, frame, frame->ordinal);
        applied =
            apply(machine, objects->additional,
                  objects->additional->never ? key : key + 1,
                  step_child(KW_ADDITIONAL_PROPERTIES, (surety_str){NULL, 0}));
    }
    return applied;
}

static bool step_members(surety__machine *machine, surety__frame *frame)
{
    const surety__objects *objects = frame->shape->objects;
    bool failed = resume(frame) && !machine->result;

    while (objects->walks && frame->ordinal < frame->cell->count) {
        enum applied applied = APPLIED_YES;

        if (!failed)
            applied = member_apply(machine, frame);
        if (applied == APPLIED_LATER || machine->status)
            return true;
        if (failed || applied == APPLIED_NO) {
            failed = false;
            frame->failed = true;
            if (machine->mode == MODE_FAST)
                return machine_pop(machine, false);
            continue; /* the member's other subschemas have their say too */
        }
        frame->cursor = surety__cell_after(frame->cursor + 1);
        frame->ordinal++;
        frame->sub = 0;
    }
    if (!surety__assert_names(machine, frame->shape, frame->cell,
                              frame->count)) {
        frame->failed = true;
        if (machine->mode == MODE_FAST)
            return machine_pop(machine, false);
    }
    return next_state(frame, objects->names ? STATE_NAMES : STATE_APPLY);
}

static bool step_names(surety__machine *machine, surety__frame *frame)
{
    const surety__shape *names = frame->shape->objects->names;
    bool later = resume(frame);

    while (later || frame->ordinal < frame->cell->count) {
        enum applied applied = APPLIED_LATER;

        if (later)
            applied = machine->result ? APPLIED_YES : APPLIED_NO;
        else
            applied =
                apply(machine, names, frame->cursor,
                      step_child(KW_PROPERTY_NAMES, (surety_str){NULL, 0}));
        if (applied == APPLIED_LATER || machine->status)
            return true;
        later = false;
        if (applied == APPLIED_NO) {
            frame->failed = true;
            if (machine->mode == MODE_FAST)
                return machine_pop(machine, false);
        }
        frame->cursor = surety__cell_after(frame->cursor + 1);
        frame->ordinal++;
    }
    return next_state(frame, STATE_APPLY);
}

static enum applied item_apply(surety__machine *machine, surety__frame *frame)
{
    const surety__arrays *arrays = frame->shape->arrays;
    bool prefix = frame->ordinal < arrays->prefix_count;
    surety__step step =
        step_child(prefix ? arrays->prefix_keyword : arrays->rest_keyword,
                   (surety_str){NULL, 0});

    if (prefix)
        step.index = frame->ordinal;
    bits_mark(machine, frame, frame->ordinal);
    return apply(machine,
                 prefix ? arrays->prefix[frame->ordinal] : arrays->rest,
                 frame->cursor, step);
}

static bool step_items(surety__machine *machine, surety__frame *frame)
{
    const surety__arrays *arrays = frame->shape->arrays;
    bool later = resume(frame);
    uint32_t end = arrays->rest ? frame->cell->count : arrays->prefix_count;

    if (end > frame->cell->count)
        end = frame->cell->count;
    while (later || frame->ordinal < end) {
        enum applied applied = machine->result ? APPLIED_YES : APPLIED_NO;

        if (!later)
            applied = item_apply(machine, frame);
        if (applied == APPLIED_LATER || machine->status)
            return true;
        later = false;
        if (applied == APPLIED_NO) {
            frame->failed = true;
            if (machine->mode == MODE_FAST)
                return machine_pop(machine, false);
        }
        frame->cursor = surety__cell_after(frame->cursor);
        frame->ordinal++;
    }
    if (!surety__assert_unique(machine, frame->shape, frame->cell)) {
        frame->failed = true;
        if (machine->mode == MODE_FAST)
            return machine_pop(machine, false);
    }
    return next_state(frame, arrays->contains ? STATE_CONTAINS : STATE_APPLY);
}

/* Without bits to mark, contains need not look further once its minimum is
 * there and no maximum is set. */
static bool contains_enough(const surety__frame *frame,
                            const surety__arrays *arrays)
{
    return frame->bits == BITS_NONE && frame->count >= arrays->min_contains &&
           arrays->max_contains == UINT64_MAX;
}

static bool step_contains(surety__machine *machine, surety__frame *frame)
{
    const surety__arrays *arrays = frame->shape->arrays;
    bool later = resume(frame);

    while (later || (frame->ordinal < frame->cell->count &&
                     !contains_enough(frame, arrays))) {
        enum applied applied = machine->result ? APPLIED_YES : APPLIED_NO;

        if (!later)
            applied = decide(machine, arrays->contains, frame->cursor,
                             step_child(KW_CONTAINS, (surety_str){NULL, 0}));
        if (applied == APPLIED_LATER || machine->status)
            return true;
        later = false;
        frame = machine_top(machine);
        if (applied == APPLIED_YES) {
            frame->count++;
            if (arrays->contains_evaluates)
                bits_mark(machine, frame, frame->ordinal);
        }
        frame->cursor = surety__cell_after(frame->cursor);
        frame->ordinal++;
    }
    if (frame->count < arrays->min_contains ||
        frame->count > arrays->max_contains) {
        surety__failure failure = {
            .keyword = frame->count > arrays->max_contains ? KW_MAX_CONTAINS
                       : arrays->min_contains == 1         ? KW_CONTAINS
                                                           : KW_MIN_CONTAINS,
            .instance = frame->cell,
            .count = frame->count};

        if (machine_fails(machine, failure))
            return machine_pop(machine, false);
    }
    return next_state(machine_top(machine), STATE_APPLY);
}

const surety__shape *surety__machine_dynamic(
    const surety__machine *machine, const surety__applicator *applicator)
{
    const surety__resource *last = NULL;

    for (size_t i = 0; i < machine->depth; i++) {
        const surety__resource *resource = machine->frames[i].shape->resource;
        const surety__dynamic *dynamic = resource->dynamics;

        if (resource == last)
            continue;
        last = resource;
        for (; dynamic; dynamic = dynamic->next)
            if (dynamic->name == applicator->dynamic_name)
                return dynamic->shape;
    }
    return applicator->shapes[0];
}

bool surety__applies(const surety_doc *doc, const surety__cell *object,
                     const surety__applicator *applicator)
{
    const surety__cell *member;

    if (object->kind != CELL_OBJECT)
        return false;
    member =
        surety__member(doc, object, applicator->key,
                       surety__hash(applicator->key.ptr, applicator->key.len));
    if (!member || applicator->kind == APPLY_DEPENDENT)
        return member != NULL;
    return member->kind == CELL_STRING &&
           surety_str_equal(surety__cell_str(doc, member), applicator->value);
}

static surety__step step_branch(const surety__applicator *applicator,
                                uint32_t branch)
{
    surety__step step = {.keyword = applicator->keyword,
                         .token = applicator->key,
                         .index = UINT32_MAX,
                         .same_value = true,
                         .keeps_bits = applicator->kind != APPLY_NOT};

    if (applicator->keyword == KW_ALL_OF || applicator->keyword == KW_ANY_OF ||
        applicator->keyword == KW_ONE_OF)
        step.index = branch;
    if (applicator->kind == APPLY_IF)
        step.keyword = branch == 0 ? KW_IF : branch == 1 ? KW_THEN : KW_ELSE;
    return step;
}

/* Each of the following does the next piece of an applicator: APPLIED_LATER
 * where a frame was pushed, else its verdict. */

static enum applied apply_each(surety__machine *machine, surety__frame *frame,
                               const surety__applicator *applicator)
{
    while (frame->sub < applicator->count) {
        uint32_t branch = frame->sub++;
        const surety__shape *shape = applicator->shapes[branch];
        enum applied applied;

        if (applicator->kind == APPLY_DYNAMIC) {
            if (!surety__machine_charge(machine, machine->depth / 32))
                return APPLIED_LATER;
            shape = surety__machine_dynamic(machine, applicator);
        }
        applied =
            apply(machine, shape, frame->cell, step_branch(applicator, branch));
        if (applied == APPLIED_LATER)
            return applied;
        if (applied == APPLIED_NO) {
            frame->failed = true;
            if (machine->mode == MODE_FAST)
                return applied;
        }
    }
    return APPLIED_YES;
}

/* Counts the branches that hold. Where nothing must be marked, anyOf ends at
 * the first and oneOf at the second. */
static enum applied apply_branches(surety__machine *machine,
                                   surety__frame *frame,
                                   const surety__applicator *applicator,
                                   bool later)
{
    uint32_t enough = frame->bits != BITS_NONE        ? UINT32_MAX
                      : applicator->kind == APPLY_ANY ? 1
                                                      : 2;

    while (later || (frame->sub < applicator->count && frame->count < enough)) {
        enum applied applied = machine->result ? APPLIED_YES : APPLIED_NO;

        if (!later) {
            uint32_t branch = frame->sub++;

            applied = decide(machine, applicator->shapes[branch], frame->cell,
                             step_branch(applicator, branch));
            frame = machine_top(machine);
        }
        if (applied == APPLIED_LATER || machine->status)
            return APPLIED_LATER;
        later = false;
        if (applied == APPLIED_YES) {
            if (frame->count++ == 0)
                frame->best = frame->sub - 1;
            else if (frame->count == 2)
                frame->second = frame->sub - 1;
        }
    }
    return applicator->kind == APPLY_ANY
               ? (frame->count >= 1 ? APPLIED_YES : APPLIED_NO)
           : frame->count == 1 ? APPLIED_YES
                               : APPLIED_NO;
}

/* No branch holds, or several of a oneOf do. Tells it; where one branch was
 * meant, that branch is applied again to tell its failures. */
static enum applied branches_failed(surety__machine *machine,
                                    surety__frame *frame,
                                    const surety__applicator *applicator)
{
    surety__failure failure = {.keyword = applicator->keyword,
                               .instance = frame->cell,
                               .count = frame->count,
                               .other = applicator->count,
                               .step = {.index = frame->best}};
    uint32_t meant = UINT32_MAX;

    frame->failed = true;
    if (machine->mode == MODE_FAST)
        return APPLIED_NO;
    if (machine->mode == MODE_REPORT && frame->count == 0) {
        meant = surety__report_meant(machine, applicator, frame->cell);
        frame = machine_top(machine);
    }
    if (machine->status)
        return APPLIED_NO;
    if (meant == UINT32_MAX) {
        surety__report_failure(machine, failure);
        return APPLIED_NO;
    }
    return apply(machine, applicator->shapes[meant], frame->cell,
                 step_branch(applicator, meant));
}

/* sub: 0 decide the if, 1 its verdict is there, 2 then or else was applied. */
static enum applied apply_if_then(surety__machine *machine,
                                  surety__frame *frame,
                                  const surety__applicator *applicator,
                                  bool later)
{
    enum applied applied = machine->result ? APPLIED_YES : APPLIED_NO;

    if (frame->sub == 0) {
        frame->sub = 1;
        applied = decide(machine, applicator->shapes[0], frame->cell,
                         step_branch(applicator, 0));
        frame = machine_top(machine);
        if (applied == APPLIED_LATER)
            return applied;
        later = true;
    }
    if (frame->sub == 1 && later) {
        uint32_t branch = applied == APPLIED_YES ? 1 : 2;

        frame->sub = 2;
        if (!applicator->shapes[branch])
            return APPLIED_YES;
        applied = apply(machine, applicator->shapes[branch], frame->cell,
                        step_branch(applicator, branch));
    }
    return applied;
}

static enum applied apply_not_holding(surety__machine *machine,
                                      surety__frame *frame,
                                      const surety__applicator *applicator,
                                      bool later)
{
    const surety__cell *cell = frame->cell;
    enum applied applied = machine->result ? APPLIED_YES : APPLIED_NO;

    if (!later)
        applied = decide(machine, applicator->shapes[0], cell,
                         step_branch(applicator, 0));
    if (applied != APPLIED_YES)
        return applied == APPLIED_NO ? APPLIED_YES : applied;
    if (machine_fails(machine,
                      (surety__failure){.keyword = KW_NOT, .instance = cell}))
        return APPLIED_NO;
    return APPLIED_YES;
}

static enum applied applicator_step(surety__machine *machine,
                                    surety__frame *frame,
                                    const surety__applicator *applicator,
                                    bool later)
{
    enum applied applied;

    switch (applicator->kind) {
    case APPLY_ALL:
    case APPLY_DYNAMIC:
        if (later && !machine->result) {
            frame->failed = true;
            if (machine->mode == MODE_FAST)
                return APPLIED_NO;
        }
        return apply_each(machine, frame, applicator);
    case APPLY_ANY:
    case APPLY_ONE:
        if (frame->matched) { /* the meant branch was told */
            frame->matched = false;
            return APPLIED_YES;
        }
        applied = apply_branches(machine, frame, applicator, later);
        frame = machine_top(machine);
        if (applied != APPLIED_NO)
            return applied;
        frame->matched = true;
        applied = branches_failed(machine, frame, applicator);
        if (applied == APPLIED_LATER)
            return applied;
        machine_top(machine)->matched = false;
        return machine->mode == MODE_FAST ? APPLIED_NO : APPLIED_YES;
    case APPLY_NOT: return apply_not_holding(machine, frame, applicator, later);
    case APPLY_IF:
        applied = apply_if_then(machine, frame, applicator, later);
        break;
    default:
        if (later) {
            applied = machine->result ? APPLIED_YES : APPLIED_NO;
            break;
        }
        if (frame->cell->kind != CELL_OBJECT)
            return APPLIED_YES;
        /* Finding the key is linear in the members. */
        if (!surety__machine_charge(machine, frame->cell->count / 16))
            return APPLIED_LATER;
        if (!surety__applies(machine->doc, frame->cell, applicator))
            return APPLIED_YES;
        applied = apply(machine, applicator->shapes[0], frame->cell,
                        step_branch(applicator, 0));
    }
    if (applied == APPLIED_NO)
        machine_top(machine)->failed = true;
    return applied == APPLIED_NO && machine->mode != MODE_FAST ? APPLIED_YES
                                                               : applied;
}

static enum state state_after_apply(const surety__frame *frame)
{
    const surety__shape *shape = frame->shape;

    if (frame->cell->kind == CELL_OBJECT && shape->objects &&
        shape->objects->unevaluated)
        return STATE_REST_MEMBERS;
    if (frame->cell->kind == CELL_ARRAY && shape->arrays &&
        shape->arrays->unevaluated)
        return STATE_REST_ITEMS;
    return STATE_END;
}

static bool step_apply(surety__machine *machine, surety__frame *frame)
{
    bool later = resume(frame);

    while (frame->at < frame->shape->applicator_count) {
        enum applied applied = applicator_step(
            machine, frame, &frame->shape->applicators[frame->at], later);

        if (applied == APPLIED_LATER || machine->status)
            return true;
        frame = machine_top(machine);
        if (applied == APPLIED_NO)
            return machine_pop(machine, false);
        later = false;
        frame->at++;
        frame->sub = 0;
        frame->count = 0;
        frame->best = UINT32_MAX;
        frame->matched = false;
    }
    return next_state(frame, state_after_apply(frame));
}

/* unevaluatedProperties and unevaluatedItems: the children without a bit. */
static bool step_rest(surety__machine *machine, surety__frame *frame)
{
    bool object = frame->cell->kind == CELL_OBJECT;
    const surety__shape *shape = object ? frame->shape->objects->unevaluated
                                        : frame->shape->arrays->unevaluated;
    bool later = resume(frame);

    while (later || frame->ordinal < frame->cell->count) {
        const surety__cell *value = frame->cursor + (object ? 1 : 0);
        enum applied applied = machine->result ? APPLIED_YES : APPLIED_NO;

        if (!later) {
            if (bits_have(machine, frame, frame->ordinal))
                applied = APPLIED_YES;
            else
                applied = apply(machine, shape,
                                shape->never && object ? frame->cursor : value,
                                step_child(object ? KW_UNEVALUATED_PROPERTIES
                                                  : KW_UNEVALUATED_ITEMS,
                                           (surety_str){NULL, 0}));
        }
        if (applied == APPLIED_LATER || machine->status)
            return true;
        later = false;
        if (applied == APPLIED_NO) {
            frame->failed = true;
            if (machine->mode == MODE_FAST)
                return machine_pop(machine, false);
        }
        bits_mark(machine, frame, frame->ordinal);
        frame->cursor = surety__cell_after(value);
        frame->ordinal++;
    }
    return next_state(frame, STATE_END);
}

bool surety__machine_run(surety__machine *machine, size_t base)
{
    while (machine->depth > base && !machine->status) {
        surety__frame *frame = machine_top(machine);

        if (machine->enough) {
            machine->depth = base;
            machine->result = false;
            break;
        }
        switch ((enum state)frame->state) {
        case STATE_START: step_start(machine, frame); break;
        case STATE_MEMBERS: step_members(machine, frame); break;
        case STATE_NAMES: step_names(machine, frame); break;
        case STATE_ITEMS: step_items(machine, frame); break;
        case STATE_CONTAINS: step_contains(machine, frame); break;
        case STATE_APPLY: step_apply(machine, frame); break;
        case STATE_REST_MEMBERS:
        case STATE_REST_ITEMS: step_rest(machine, frame); break;
        case STATE_END: machine_pop(machine, !frame->failed); break;
        }
    }
    return !machine->status;
}
