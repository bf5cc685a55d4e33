/* SPDX-License-Identifier: Apache-2.0 */
/* Completing a valid value: defaults filled in, unknown properties left out.
 *
 * The value is walked with an explicit stack. At every value there is a list of
 * the shapes that apply to it: those its parent's shapes gave it, and what
 * these apply in place - allOf and references always, branches of anyOf, oneOf
 * and if where the machine says that they hold. A property is unknown where
 * some shape on the list defines properties and none of them evaluates it.
 *
 * Each shape on a list remembers how it was reached (its trail), so that a
 * dynamic reference or a branch is decided in its own dynamic scope. */
#include "schema/assert.h"
#include "schema/machine.h"
#include "schema/schema.h"

/* A shape that applies to a value, and the one that led to it. */
struct trail {
    const surety__shape *shape;
    const surety__cell *cell;
    uint32_t parent; /* UINT32_MAX at the root */
    bool same_value;
};

/* A container at work. Its shapes are the trails from list up to list_end. */
struct level {
    const surety__cell *cell;
    const surety__cell *cursor;
    uint32_t left; /* children to come */
    uint32_t list, list_end;
};

/* Values of deprecated properties that are told. */
enum { COMPLETION_DEPRECATED_MAX = 16 };

struct completion_note {
    surety_val value, subschema;
};

struct surety__completion {
    surety__machine *machine;
    surety_doc *doc; /* being built */
    bool fill, strip, changed;
    struct trail *trails;
    size_t trail_count, trail_cap;
    struct level *levels;
    size_t depth, level_cap;
    uint32_t *chain; /* scratch: a trail's ancestors */
    size_t chain_cap;
    struct completion_note deprecated[COMPLETION_DEPRECATED_MAX];
    size_t deprecated_count;
};

static bool trail_add(struct surety__completion *completion, struct trail trail,
                      uint32_t list)
{
    surety__machine *machine = completion->machine;
    void *items = completion->trails;

    if (!trail.shape || trail.shape->never)
        return true;
    if (!surety__machine_charge(machine,
                                1 + (completion->trail_count - list) / 16))
        return false;
    for (size_t i = list; i < completion->trail_count; i++)
        if (completion->trails[i].shape == trail.shape)
            return true;
    if (surety__grow(machine->alloc, &items, &completion->trail_cap,
                     completion->trail_count + 1, sizeof(trail),
                     UINT32_MAX - 1)) {
        machine->status = SURETY_NOMEM;
        return false;
    }
    completion->trails = items;
    completion->trails[completion->trail_count++] = trail;
    return true;
}

/* Makes the machine's frames those of a trail, root first. */
static void trail_enter(struct surety__completion *completion, uint32_t at)
{
    surety__machine *machine = completion->machine;
    size_t length = 0;

    for (uint32_t i = at; i != UINT32_MAX; i = completion->trails[i].parent) {
        void *items = completion->chain;

        if (surety__grow(machine->alloc, &items, &completion->chain_cap,
                         length + 1, sizeof(*completion->chain), SIZE_MAX)) {
            machine->status = SURETY_NOMEM;
            return;
        }
        completion->chain = items;
        completion->chain[length++] = i;
    }
    machine->depth = 0;
    machine->bits_len = 0;
    while (length-- > 0 && !machine->status) {
        const struct trail *trail =
            &completion->trails[completion->chain[length]];

        surety__machine_push(machine, trail->shape, trail->cell,
                             (surety__step){.index = UINT32_MAX,
                                            .same_value = trail->same_value});
    }
}

static bool branch_holds(struct surety__completion *completion,
                         const surety__shape *branch, const surety__cell *cell)
{
    return surety__shape_holds(completion->machine, branch, cell, BITS_NONE) &&
           completion->machine->result;
}

/* Adds what one applicator of the trail at `at` applies to the same value. */
static void list_apply(struct surety__completion *completion, uint32_t at,
                       const surety__applicator *applicator, uint32_t list)
{
    surety__machine *machine = completion->machine;
    const surety__cell *cell = completion->trails[at].cell;
    struct trail next = {.cell = cell, .parent = at, .same_value = true};
    bool decides = applicator->kind == APPLY_ANY ||
                   applicator->kind == APPLY_ONE ||
                   applicator->kind == APPLY_IF;
    uint32_t then;

    if (applicator->kind == APPLY_NOT)
        return;
    if (decides || applicator->kind == APPLY_DYNAMIC)
        trail_enter(completion, at);
    if (applicator->kind == APPLY_DYNAMIC) {
        next.shape = surety__machine_dynamic(machine, 0, applicator);
        trail_add(completion, next, list);
        return;
    }
    if (applicator->kind == APPLY_IF) {
        then = branch_holds(completion, applicator->shapes[0], cell) ? 1 : 2;
        next.shape = then == 1 ? applicator->shapes[0] : NULL;
        trail_add(completion, next, list);
        next.shape = applicator->shapes[then];
        trail_add(completion, next, list);
        return;
    }
    if ((applicator->kind == APPLY_DEPENDENT ||
         applicator->kind == APPLY_PROPERTY_VALUE) &&
        !surety__applies(machine->doc, cell, applicator))
        return;
    for (uint32_t i = 0; i < applicator->count && !machine->status; i++) {
        if (decides && !branch_holds(completion, applicator->shapes[i], cell))
            continue;
        next.shape = applicator->shapes[i];
        trail_add(completion, next, list);
    }
}

/* Completes a list with everything that its shapes apply in place. */
static void list_expand(struct surety__completion *completion, uint32_t list)
{
    for (uint32_t i = list;
         i < completion->trail_count && !completion->machine->status; i++) {
        const surety__shape *shape = completion->trails[i].shape;

        for (uint32_t a = 0; a < shape->applicator_count; a++)
            list_apply(completion, i, &shape->applicators[a], list);
    }
}

/* ---- children ---------------------------------------------------------- */

/* Several shapes may define a property: the value is noted once. */
static void note_deprecated(struct surety__completion *completion,
                            const surety__shape *shape,
                            const surety__property *property,
                            const surety__cell *cell)
{
    const surety_val value = surety__val_of(completion->machine->doc, cell);
    const size_t count = completion->deprecated_count;

    if (count == COMPLETION_DEPRECATED_MAX ||
        (count &&
         surety__cell_of(completion->deprecated[count - 1].value) == cell))
        return;
    completion->deprecated[completion->deprecated_count++] =
        (struct completion_note){
            value, surety__val_of(shape->at.doc, property->deprecated)};
}

static void list_property(struct surety__completion *completion, uint32_t i,
                          const surety__cell *key, uint32_t list)
{
    surety__machine *machine = completion->machine;
    const surety__objects *objects = completion->trails[i].shape->objects;
    const surety__property *property;
    struct trail next = {.cell = key + 1, .parent = i};
    bool matched;

    if (!objects)
        return;
    property = surety__objects_find(objects, machine->doc, key);
    matched = property && property->shape;
    if (matched) {
        if (property->deprecated)
            note_deprecated(completion, completion->trails[i].shape, property,
                            key + 1);
        next.shape = property->shape;
        trail_add(completion, next, list);
    }
    for (uint32_t p = 0; p < objects->pattern_count; p++) {
        if (!surety__assert_pattern(machine, objects->patterns[p].pattern,
                                    surety__cell_str(machine->doc, key)))
            continue;
        matched = true;
        next.shape = objects->patterns[p].shape;
        trail_add(completion, next, list);
    }
    if (!matched) {
        next.shape = objects->additional;
        trail_add(completion, next, list);
    }
}

static void list_item(struct surety__completion *completion, uint32_t i,
                      const surety__cell *item, uint32_t ordinal, uint32_t list)
{
    const surety__arrays *arrays = completion->trails[i].shape->arrays;
    struct trail next = {.cell = item, .parent = i};

    if (!arrays)
        return;
    next.shape =
        ordinal < arrays->prefix_count ? arrays->prefix[ordinal] : arrays->rest;
    trail_add(completion, next, list);
}

/* The shapes of a child; unevaluated ones only where no other covers it. */
static void list_child(struct surety__completion *completion,
                       const struct level *level, const surety__cell *child,
                       uint32_t list)
{
    bool object = level->cell->kind == CELL_OBJECT;
    uint32_t ordinal = level->cell->count - level->left;

    for (uint32_t i = level->list;
         i < level->list_end && !completion->machine->status; i++) {
        if (object)
            list_property(completion, i, child - 1, list);
        else
            list_item(completion, i, child, ordinal, list);
    }
    for (uint32_t i = level->list;
         i < level->list_end && completion->trail_count == list; i++) {
        const surety__shape *shape = completion->trails[i].shape;
        struct trail next = {.cell = child, .parent = i};

        next.shape = object
                         ? (shape->objects ? shape->objects->unevaluated : NULL)
                         : (shape->arrays ? shape->arrays->unevaluated : NULL);
        trail_add(completion, next, list);
    }
}

/* Whether some shape of the level says which properties there are. */
static bool level_defines(const struct surety__completion *completion,
                          const struct level *level)
{
    for (uint32_t i = level->list; i < level->list_end; i++) {
        const surety__objects *objects = completion->trails[i].shape->objects;

        if (objects && objects->defines)
            return true;
    }
    return false;
}

static bool default_earlier(const struct surety__completion *completion,
                            const struct level *level, uint32_t end,
                            const surety__property *property)
{
    for (uint32_t i = level->list; i < end; i++) {
        const surety__objects *objects = completion->trails[i].shape->objects;
        const surety__property *other =
            objects
                ? surety__objects_named(objects, property->name, property->hash)
                : NULL;

        if (other && other->default_val)
            return true;
    }
    return false;
}

/* Adds the defaults of properties that the object does not have. */
static void level_defaults(struct surety__completion *completion,
                           const struct level *level)
{
    const surety_doc *doc = completion->machine->doc;

    for (uint32_t i = level->list; i < level->list_end; i++) {
        const surety__shape *shape = completion->trails[i].shape;
        const surety__objects *objects = shape->objects;

        for (uint32_t p = 0; objects && p < objects->property_count; p++) {
            const surety__property *property = &objects->properties[p];

            if (!property->default_val ||
                !surety__machine_charge(completion->machine,
                                        1 + level->cell->count / 16) ||
                surety__member(
                    doc, level->cell, property->name,
                    surety__hash(property->name.ptr, property->name.len)) ||
                default_earlier(completion, level, i, property))
                continue;
            completion->changed = true;
            surety_build_key(completion->doc, property->name);
            surety_build_val(
                completion->doc,
                surety__val_of(shape->at.doc, property->default_val));
        }
    }
}

/* ---- the walk ---------------------------------------------------------- */

/* Whether the shapes of a list say nothing of what is inside a value. */
static bool list_inert(const struct surety__completion *completion,
                       uint32_t list)
{
    for (size_t i = list; i < completion->trail_count; i++)
        if (completion->trails[i].shape->objects ||
            completion->trails[i].shape->arrays)
            return false;
    return true;
}

/* Begins a value whose direct shapes stand from list on: copies it whole, or
 * opens a level for its children. */
static void value_begin(struct surety__completion *completion,
                        const surety__cell *cell, uint32_t list)
{
    surety__machine *machine = completion->machine;
    void *items = completion->levels;

    list_expand(completion, list);
    if (cell->kind < CELL_ARRAY || list_inert(completion, list)) {
        surety_build_val(completion->doc, surety__val_of(machine->doc, cell));
        completion->trail_count = list;
        return;
    }
    if (surety__grow(machine->alloc, &items, &completion->level_cap,
                     completion->depth + 1, sizeof(*completion->levels),
                     SIZE_MAX)) {
        machine->status = SURETY_NOMEM;
        return;
    }
    completion->levels = items;
    completion->levels[completion->depth++] =
        (struct level){.cell = cell,
                       .cursor = cell + 1,
                       .left = cell->count,
                       .list = list,
                       .list_end = (uint32_t)completion->trail_count};
    if (cell->kind == CELL_OBJECT)
        surety_build_object(completion->doc);
    else
        surety_build_array(completion->doc);
}

static void level_step(struct surety__completion *completion)
{
    struct level *level = &completion->levels[completion->depth - 1];
    surety__machine *machine = completion->machine;
    bool object = level->cell->kind == CELL_OBJECT;
    const surety__cell *child = level->cursor + (object ? 1 : 0);
    uint32_t list = (uint32_t)completion->trail_count;

    if (level->left == 0) {
        if (object && completion->fill)
            level_defaults(completion, level);
        surety_build_close(completion->doc);
        completion->trail_count = level->list;
        completion->depth--;
        return;
    }
    list_child(completion, level, child, list);
    level->left--;
    level->cursor = surety__cell_after(child);
    if (object && completion->strip && completion->trail_count == list &&
        level_defines(completion, level)) {
        completion->changed = true;
        return;
    }
    if (object)
        surety_build_key_of(completion->doc,
                            surety__val_of(machine->doc, child - 1));
    value_begin(completion, child, list);
}

void surety__completion_free(const surety_alloc *alloc,
                             struct surety__completion *completion)
{
    if (!completion)
        return;
    surety__free(alloc, completion->chain,
                 completion->chain_cap * sizeof(*completion->chain));
    surety__free(alloc, completion->trails,
                 completion->trail_cap * sizeof(*completion->trails));
    surety__free(alloc, completion->levels,
                 completion->level_cap * sizeof(*completion->levels));
    surety__free(alloc, completion, sizeof(*completion));
}

/* The checker's own, made when first asked for, its memory kept; NULL when out
 * of memory. */
static struct surety__completion *completion_begin(surety_checker *checker)
{
    struct surety__completion *completion = checker->completion;

    if (!completion)
        completion = surety__new(checker->machine.alloc, sizeof(*completion));
    if (!completion)
        return NULL;
    checker->completion = completion;
    completion->machine = &checker->machine;
    completion->trail_count = 0;
    completion->depth = 0;
    completion->changed = false;
    completion->deprecated_count = 0;
    return completion;
}

surety_status surety_checker_complete(surety_checker *checker,
                                      const surety_schema *schema,
                                      surety_val val, bool fill_defaults,
                                      bool strip_unknown, surety_doc *doc,
                                      bool *ret_changed, surety_error *reterr)
{
    surety_error why = {.status = SURETY_OK};
    struct surety__completion *completion;
    surety__machine *machine;
    surety_status status;

    if (!checker || !schema || !val.doc || !doc || doc == val.doc)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is nothing to complete");
    machine = &checker->machine;
    completion = completion_begin(checker);
    if (!completion)
        return surety__fail_nomem(reterr);
    completion->fill = fill_defaults;
    completion->strip = strip_unknown;
    completion->doc = doc;
    surety__machine_start(machine, schema, val, MODE_VALIDITY, &why);
    surety_build_begin(doc, val.doc);
    trail_add(completion,
              (struct trail){.shape = schema->root,
                             .cell = surety__cell_of(val),
                             .parent = UINT32_MAX},
              0);
    if (!machine->status)
        value_begin(completion, surety__cell_of(val), 0);
    while (completion->depth && !machine->status)
        level_step(completion);
    status = machine->status;
    machine->reterr = NULL;
    if (status) {
        if (reterr && why.status)
            *reterr = why;
        else if (status == SURETY_NOMEM)
            surety__fail_nomem(reterr);
        return status;
    }
    status = surety_build_end(doc, reterr);
    if (!status && ret_changed)
        *ret_changed = completion->changed;
    return status;
}

surety_val surety__checker_deprecated(const surety_checker *checker, size_t i,
                                      surety_val *ret_subschema)
{
    const struct surety__completion *completion = checker->completion;

    if (!completion || i >= completion->deprecated_count)
        return surety_val_none();
    *ret_subschema = completion->deprecated[i].subschema;
    return completion->deprecated[i].value;
}
