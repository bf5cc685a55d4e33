/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of the report: shapes applied to values with an explicit stack.
 *
 * A frame is one shape at work on one value. It goes through its states - its
 * own assertions, members or items, what applies to the same value, what is
 * left unevaluated - and pushes a frame for every subschema whose failures it
 * reports; when that ends, the frame below goes on where it waited. So depth
 * of schema or instance costs no C stack, and the frames that stand are at once
 * the dynamic scope and the keyword location. Whether a frame's value is valid
 * is not asked: subschemas that only decide (anyOf, oneOf, not, if, contains)
 * are left to the verdict.
 *
 * Where a shape has an unevaluated keyword, its frame and those applied to the
 * same value below it carry one bit for every member or item. A frame's bits
 * are its own until it ends; then they count for the frame below, even if it
 * was not valid (which 2020-12 core, section 11, would have): it was meant, and
 * one mistake is reported once. */
#include "schema/machine.h"

#include "schema/assert.h"

enum state {
    STATE_START,
    STATE_MEMBERS,
    STATE_NAMES,
    STATE_ITEMS,
    STATE_CONTAINS,
    STATE_APPLY,
    STATE_REST,
    STATE_END
};

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
    machine->status = SURETY_OK;
    machine->enough = false;
    machine->reterr = reterr;
    machine->work =
        machine->limits.work_base +
        (uint64_t)machine->limits.work_per_value * val.doc->cell_count;
}

static bool machine_stop(surety__machine *machine, surety_status status)
{
    machine->status = status;
    return false;
}

bool surety__machine_exhausted(surety__machine *machine)
{
    machine->work = 0;
    surety__fail(machine->reterr, SURETY_LIMIT,
                 "the check needs more steps than the limit of %u and %u for "
                 "each value allows (work_base, work_per_value)",
                 machine->limits.work_base, machine->limits.work_per_value);
    return machine_stop(machine, SURETY_LIMIT);
}

/* ---- frames ------------------------------------------------------------ */

bool surety__machine_push(surety__machine *machine, const surety__shape *shape,
                          const surety__cell *cell, surety__step step)
{
    void *items = machine->frames;
    const surety__frame *below =
        machine->depth ? &machine->frames[machine->depth - 1] : NULL;
    surety__frame *frame;
    bool track;

    track = shape->tracks || (below && step.same_value && step.keeps_bits &&
                              below->bits != BITS_NONE);
    /* A frame may look at every child, which is no application by itself. */
    if (!surety__machine_charge(
            machine, 1 + (cell->kind >= CELL_ARRAY ? cell->count / 16 : 0)))
        return false;
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
                             .keyword = (uint16_t)step.keyword,
                             .same_value = step.same_value,
                             .keeps_bits = step.keeps_bits,
                             .token = step.token,
                             .index = step.index};
    if (track && cell->kind >= CELL_ARRAY)
        frame->bits = surety__bits_open(machine, cell->count);
    return !machine->status;
}

/* Ends the frame on top. */
static void machine_pop(surety__machine *machine)
{
    surety__frame *frame = &machine->frames[--machine->depth];
    const surety__frame *below =
        machine->depth ? &machine->frames[machine->depth - 1] : NULL;

    if (below && frame->same_value && frame->keeps_bits &&
        frame->bits != BITS_NONE && below->bits != BITS_NONE)
        surety__bits_merge(machine, below->bits, frame->bits,
                           frame->cell->count);
    machine->bits_len = frame->bits_base;
}

static surety__frame *machine_top(surety__machine *machine)
{
    return &machine->frames[machine->depth - 1];
}

/* A false subschema is reported here, so that the finding can name what it
 * forbids. */
static void tell_never(surety__machine *machine, const surety__shape *shape,
                       const surety__cell *cell, surety__step step)
{
    surety__report_failure(machine, (surety__failure){.keyword = step.keyword,
                                                      .instance = cell,
                                                      .step = step,
                                                      .never = shape});
}

/* Applies a subschema and reports its failures. True where a frame was pushed
 * for it, which has to end first. */
static bool apply(surety__machine *machine, const surety__shape *shape,
                  const surety__cell *cell, surety__step step)
{
    if (shape->always)
        return false;
    if (shape->never) {
        tell_never(machine, shape, cell, step);
        return false;
    }
    machine_top(machine)->waiting = true;
    surety__machine_push(machine, shape, cell, step);
    return true;
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

/* A subschema's verdict on the value of the frame on top or on a child of it,
 * without its failures. */
static bool decide(surety__machine *machine, const surety__shape *shape,
                   const surety__cell *cell, bool keeps_bits)
{
    surety__shape_holds(machine, shape, cell,
                        keeps_bits ? machine_top(machine)->bits : BITS_NONE);
    return machine->result;
}

/* Whether a frame has ended for which this one waited. */
static bool resume(surety__frame *frame)
{
    bool waited = frame->waiting;

    frame->waiting = false;
    return waited;
}

static void next_state(surety__frame *frame, enum state state)
{
    frame->state = (uint8_t)state;
    frame->ordinal = 0;
    frame->at = 0;
    frame->sub = 0;
    frame->count = 0;
    frame->best = UINT32_MAX;
    frame->matched = false;
    frame->cursor = frame->cell + 1;
}

/* ---- states ------------------------------------------------------------ */

static void step_start(surety__machine *machine, surety__frame *frame)
{
    const surety__shape *shape = frame->shape;

    if (shape->always) {
        machine_pop(machine);
        return;
    }
    if (shape->never) {
        tell_never(machine, shape, frame->cell,
                   (surety__step){.keyword = KW_NONE, .index = UINT32_MAX});
        machine_pop(machine);
        return;
    }
    surety__assert_all(machine, shape, frame->cell);
    next_state(frame, frame->cell->kind == CELL_OBJECT && shape->objects
                          ? STATE_MEMBERS
                      : frame->cell->kind == CELL_ARRAY && shape->arrays
                          ? STATE_ITEMS
                          : STATE_APPLY);
}

static surety__step step_child(surety__keyword keyword, surety_str token)
{
    return (surety__step){
        .keyword = keyword, .token = token, .index = UINT32_MAX};
}

/* The next subschema for the member at work, in steps: properties, every
 * pattern that fits, additionalProperties. True where a frame was pushed;
 * otherwise the member is done. */
static bool member_apply(surety__machine *machine, surety__frame *frame)
{
    const surety__objects *objects = frame->shape->objects;
    const surety__cell *key = frame->cursor;
    surety_str name = surety__cell_str(machine->doc, key);
    bool later = false;

    if (frame->sub == 0) {
        const surety__property *property =
            surety__objects_find(objects, machine->doc, key);

        frame->sub = 1;
        frame->matched = property && property->shape;
        frame->count += property && property->required;
        if (frame->matched) {
            surety__bits_mark(machine, frame->bits, frame->ordinal);
            later = apply(machine, property->shape, key + 1,
                          step_child(KW_PROPERTIES, property->name));
        }
    }
    while (!later && frame->sub <= objects->pattern_count) {
        const surety__pattern_member *pattern =
            &objects->patterns[frame->sub++ - 1];

        if (!surety__assert_pattern(machine, pattern->pattern, name))
            continue;
        frame->matched = true;
        surety__bits_mark(machine, frame->bits, frame->ordinal);
        later = apply(machine, pattern->shape, key + 1,
                      step_child(KW_PATTERN_PROPERTIES, pattern->source));
    }
    if (!later && !frame->matched && objects->additional) {
        frame->matched = true;
        surety__bits_mark(machine, frame->bits, frame->ordinal);
        later =
            apply(machine, objects->additional,
                  objects->additional->never ? key : key + 1,
                  step_child(KW_ADDITIONAL_PROPERTIES, (surety_str){NULL, 0}));
    }
    return later;
}

static void step_members(surety__machine *machine, surety__frame *frame)
{
    const surety__objects *objects = frame->shape->objects;

    resume(frame);
    while (objects->walks && frame->ordinal < frame->cell->count) {
        if (member_apply(machine, frame) || machine->status)
            return;
        frame->cursor = surety__cell_after(frame->cursor + 1);
        frame->ordinal++;
        frame->sub = 0;
    }
    surety__assert_names(machine, frame->shape, frame->cell, frame->count);
    next_state(frame, objects->names ? STATE_NAMES : STATE_APPLY);
}

static void step_names(surety__machine *machine, surety__frame *frame)
{
    const surety__shape *names = frame->shape->objects->names;
    bool later = resume(frame);

    while (later || frame->ordinal < frame->cell->count) {
        if (!later &&
            apply(machine, names, frame->cursor,
                  step_child(KW_PROPERTY_NAMES, (surety_str){NULL, 0})))
            return;
        later = false;
        frame->cursor = surety__cell_after(frame->cursor + 1);
        frame->ordinal++;
    }
    next_state(frame, STATE_APPLY);
}

static bool item_apply(surety__machine *machine, surety__frame *frame)
{
    const surety__arrays *arrays = frame->shape->arrays;
    bool prefix = frame->ordinal < arrays->prefix_count;
    surety__step step =
        step_child(prefix ? arrays->prefix_keyword : arrays->rest_keyword,
                   (surety_str){NULL, 0});

    if (prefix)
        step.index = frame->ordinal;
    surety__bits_mark(machine, frame->bits, frame->ordinal);
    return apply(machine,
                 prefix ? arrays->prefix[frame->ordinal] : arrays->rest,
                 frame->cursor, step);
}

static void step_items(surety__machine *machine, surety__frame *frame)
{
    const surety__arrays *arrays = frame->shape->arrays;
    bool later = resume(frame);
    uint32_t end = arrays->rest ? frame->cell->count : arrays->prefix_count;

    if (end > frame->cell->count)
        end = frame->cell->count;
    while (later || frame->ordinal < end) {
        if (!later && item_apply(machine, frame))
            return;
        later = false;
        frame->cursor = surety__cell_after(frame->cursor);
        frame->ordinal++;
    }
    surety__assert_unique(machine, frame->shape, frame->cell);
    next_state(frame, arrays->contains ? STATE_CONTAINS : STATE_APPLY);
}

/* Without bits to mark, contains need not look further once its minimum is
 * there and no maximum is set. */
static bool contains_enough(const surety__frame *frame,
                            const surety__arrays *arrays)
{
    return frame->bits == BITS_NONE && frame->count >= arrays->min_contains &&
           arrays->max_contains == UINT64_MAX;
}

static void step_contains(surety__machine *machine, surety__frame *frame)
{
    const surety__arrays *arrays = frame->shape->arrays;

    while (frame->ordinal < frame->cell->count &&
           !contains_enough(frame, arrays)) {
        if (decide(machine, arrays->contains, frame->cursor, false)) {
            frame->count++;
            if (arrays->contains_evaluates)
                surety__bits_mark(machine, frame->bits, frame->ordinal);
        }
        if (machine->status)
            return;
        frame->cursor = surety__cell_after(frame->cursor);
        frame->ordinal++;
    }
    if (frame->count < arrays->min_contains ||
        frame->count > arrays->max_contains)
        surety__report_failure(
            machine,
            (surety__failure){
                .keyword = frame->count > arrays->max_contains ? KW_MAX_CONTAINS
                           : arrays->min_contains == 1         ? KW_CONTAINS
                                                       : KW_MIN_CONTAINS,
                .instance = frame->cell,
                .count = frame->count});
    next_state(machine_top(machine), STATE_APPLY);
}

const surety__shape *
surety__machine_dynamic(const surety__machine *machine, size_t levels,
                        const surety__applicator *applicator)
{
    const surety__resource *last = NULL;

    for (size_t i = 0; i < machine->depth + levels; i++) {
        const surety__shape *shape =
            i < machine->depth ? machine->frames[i].shape
                               : machine->levels[i - machine->depth].shape;
        const surety__dynamic *dynamic = shape->resource->dynamics;

        if (shape->resource == last)
            continue;
        last = shape->resource;
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

/* Each of the following does the next piece of an applicator; true where a
 * frame was pushed. */

static bool apply_each(surety__machine *machine, surety__frame *frame,
                       const surety__applicator *applicator)
{
    while (frame->sub < applicator->count) {
        uint32_t branch = frame->sub++;
        const surety__shape *shape = applicator->shapes[branch];

        if (applicator->kind == APPLY_DYNAMIC) {
            if (!surety__machine_charge(machine, machine->depth / 32))
                return false;
            shape = surety__machine_dynamic(machine, 0, applicator);
        }
        if (apply(machine, shape, frame->cell, step_branch(applicator, branch)))
            return true;
    }
    return false;
}

/* Counts the branches that hold; true where they are as many as must. Where
 * nothing must be marked, anyOf ends at the first and oneOf at the second. */
static bool branches_hold(surety__machine *machine, surety__frame *frame,
                          const surety__applicator *applicator)
{
    uint32_t enough = frame->bits != BITS_NONE        ? UINT32_MAX
                      : applicator->kind == APPLY_ANY ? 1
                                                      : 2;

    for (uint32_t branch = 0; branch < applicator->count &&
                              frame->count < enough && !machine->status;
         branch++) {
        if (!decide(machine, applicator->shapes[branch], frame->cell, true))
            continue;
        if (frame->count++ == 0)
            frame->best = branch;
        else if (frame->count == 2)
            frame->second = branch;
    }
    return applicator->kind == APPLY_ANY ? frame->count >= 1
                                         : frame->count == 1;
}

/* Reports that no branch holds, or that several of a oneOf do. Where one branch
 * was meant, applies it to report its failures. */
static bool apply_branches(surety__machine *machine, surety__frame *frame,
                           const surety__applicator *applicator)
{
    surety__failure failure = {.keyword = applicator->keyword,
                               .instance = frame->cell,
                               .other = applicator->count};
    uint32_t meant = UINT32_MAX;

    if (branches_hold(machine, frame, applicator) || machine->status)
        return false;
    failure.count = frame->count;
    failure.step.index = frame->best;
    if (machine->mode == MODE_REPORT && frame->count == 0) {
        meant = surety__report_meant(machine, applicator, frame->cell);
        frame = machine_top(machine);
    }
    if (machine->status)
        return false;
    if (meant != UINT32_MAX)
        return apply(machine, applicator->shapes[meant], frame->cell,
                     step_branch(applicator, meant));
    surety__report_failure(machine, failure);
    return false;
}

/* then or else, as the if decides. */
static bool apply_if_then(surety__machine *machine, surety__frame *frame,
                          const surety__applicator *applicator)
{
    uint32_t branch =
        decide(machine, applicator->shapes[0], frame->cell, true) ? 1 : 2;

    return !machine->status && applicator->shapes[branch] &&
           apply(machine, applicator->shapes[branch], frame->cell,
                 step_branch(applicator, branch));
}

static bool apply_dependent_schema(surety__machine *machine,
                                   surety__frame *frame,
                                   const surety__applicator *applicator)
{
    /* Finding the key is linear in the members. */
    return frame->cell->kind == CELL_OBJECT &&
           surety__machine_charge(machine, frame->cell->count / 16) &&
           surety__applies(machine->doc, frame->cell, applicator) &&
           apply(machine, applicator->shapes[0], frame->cell,
                 step_branch(applicator, 0));
}

/* The next piece of the applicator at work; `later`: the frame that was pushed
 * for it has ended. */
static bool applicator_step(surety__machine *machine, surety__frame *frame,
                            const surety__applicator *applicator, bool later)
{
    if (later && applicator->kind != APPLY_ALL)
        return false;
    switch (applicator->kind) {
    case APPLY_ALL:
    case APPLY_DYNAMIC: return apply_each(machine, frame, applicator);
    case APPLY_ANY:
    case APPLY_ONE: return apply_branches(machine, frame, applicator);
    case APPLY_NOT:
        if (decide(machine, applicator->shapes[0], frame->cell, false))
            surety__report_failure(
                machine,
                (surety__failure){.keyword = KW_NOT, .instance = frame->cell});
        return false;
    case APPLY_IF: return apply_if_then(machine, frame, applicator);
    default: return apply_dependent_schema(machine, frame, applicator);
    }
}

static enum state state_after_apply(const surety__frame *frame)
{
    const surety__shape *shape = frame->shape;

    if (frame->cell->kind == CELL_OBJECT && shape->objects &&
        shape->objects->unevaluated)
        return STATE_REST;
    if (frame->cell->kind == CELL_ARRAY && shape->arrays &&
        shape->arrays->unevaluated)
        return STATE_REST;
    return STATE_END;
}

static void step_apply(surety__machine *machine, surety__frame *frame)
{
    bool later = resume(frame);

    while (frame->at < frame->shape->applicator_count) {
        if (applicator_step(machine, frame,
                            &frame->shape->applicators[frame->at], later) ||
            machine->status)
            return;
        frame = machine_top(machine);
        later = false;
        frame->at++;
        frame->sub = 0;
        frame->count = 0;
        frame->best = UINT32_MAX;
    }
    next_state(frame, state_after_apply(frame));
}

/* unevaluatedProperties and unevaluatedItems: the children without a bit. */
static void step_rest(surety__machine *machine, surety__frame *frame)
{
    bool object = frame->cell->kind == CELL_OBJECT;
    const surety__shape *shape = object ? frame->shape->objects->unevaluated
                                        : frame->shape->arrays->unevaluated;
    bool later = resume(frame);

    while (later || frame->ordinal < frame->cell->count) {
        const surety__cell *value = frame->cursor + (object ? 1 : 0);

        if (!later &&
            !surety__bits_have(machine, frame->bits, frame->ordinal) &&
            apply(machine, shape,
                  shape->never && object ? frame->cursor : value,
                  step_child(object ? KW_UNEVALUATED_PROPERTIES
                                    : KW_UNEVALUATED_ITEMS,
                             (surety_str){NULL, 0})))
            return;
        later = false;
        surety__bits_mark(machine, frame->bits, frame->ordinal);
        frame->cursor = surety__cell_after(value);
        frame->ordinal++;
    }
    next_state(frame, STATE_END);
}

bool surety__machine_run(surety__machine *machine, size_t base)
{
    while (machine->depth > base && !machine->status) {
        surety__frame *frame = machine_top(machine);

        if (machine->enough) {
            machine->depth = base;
            break;
        }
        switch ((enum state)frame->state) {
        case STATE_START: step_start(machine, frame); break;
        case STATE_MEMBERS: step_members(machine, frame); break;
        case STATE_NAMES: step_names(machine, frame); break;
        case STATE_ITEMS: step_items(machine, frame); break;
        case STATE_CONTAINS: step_contains(machine, frame); break;
        case STATE_APPLY: step_apply(machine, frame); break;
        case STATE_REST: step_rest(machine, frame); break;
        case STATE_END: machine_pop(machine); break;
        }
    }
    return !machine->status;
}
