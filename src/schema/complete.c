/* SPDX-License-Identifier: Apache-2.0 */
/* Completing a valid value: defaults filled in, unknown properties left out.
 *
 * The value is walked with an explicit stack. Every value has the conjunction
 * of the shapes that apply to it: those that its container gives it, and what
 * these apply in place - allOf and references always, branches of anyOf, oneOf
 * and if where the machine says that they hold. A property is unknown where
 * some shape of its object defines properties and none of them evaluates it.
 *
 * Most values are complete, so the first walk builds nothing and ends at the
 * first change. Only where there is one does a second walk build the value.
 *
 * A conjunct knows which one led to it, so that a dynamic reference or a branch
 * is decided in its own dynamic scope. Levels keep their lists for the next
 * value that deep; nothing is allocated once they have grown. */
#include "schema/assert.h"
#include "schema/machine.h"
#include "schema/schema.h"

/* A container at work. */
struct level {
    const surety__cell *cell;
    const surety__cell *cursor;
    uint32_t left; /* children to come */
    surety__conjunction all;
};

/* Values of deprecated properties that are noted. */
enum { COMPLETION_DEPRECATED_MAX = 16 };

struct completion_note {
    surety_val value, subschema;
};

struct surety__completion {
    surety__machine *machine;
    surety_doc *doc; /* being built; NULL: the first walk, building nothing */
    bool fill, strip, changed;
    surety__arena arena; /* of the lists */
    surety__graph graph;
    const surety__cell *cell;    /* the value at hand */
    surety__member_facts member; /* its conjunction is member.all */
    struct level *levels;
    size_t depth, level_cap, level_made;
    const surety__shape **chain; /* scratch: the way to a conjunct */
    size_t chain_cap;
    struct completion_note deprecated[COMPLETION_DEPRECATED_MAX];
    size_t deprecated_count;
};

/* Makes the dynamic scope that of conjunct i of the value at hand: the shapes
 * on the way to it, root first. */
static void scope_enter(struct surety__completion *completion, size_t i)
{
    surety__machine *machine = completion->machine;
    const surety__conjunction *all = &completion->member.all;
    size_t level = completion->depth, length = 0;

    while (all) {
        const surety__conjunct *one = &all->items[i];

        if (surety__grow(machine->alloc, &completion->chain,
                         &completion->chain_cap, length + 1,
                         sizeof(*completion->chain), SIZE_MAX)) {
            machine->status = SURETY_NOMEM;
            return;
        }
        completion->chain[length++] = one->shape;
        i = one->from;
        if (!one->here)
            all = level ? &completion->levels[--level].all : NULL;
    }
    assert(length);
    machine->depth = 0;
    machine->bits_len = 0;
    while (length-- > 0 && !machine->status)
        surety__machine_scope(machine, completion->chain[length]);
}

static bool branch_holds(struct surety__completion *completion,
                         const surety__shape *branch)
{
    return surety__shape_holds(completion->machine, branch, completion->cell,
                               BITS_NONE) &&
           completion->machine->result;
}

/* Adds what one applicator of conjunct i applies to the same value. */
static bool completion_decide(void *context, surety__conjunction *all, size_t i,
                              const surety__applicator *one)
{
    struct surety__completion *completion = context;
    surety__machine *machine = completion->machine;
    surety__graph *graph = &completion->graph;
    const bool decides = one->kind == APPLY_ANY || one->kind == APPLY_ONE ||
                         one->kind == APPLY_IF;
    const surety__shape *shape;

    if (one->kind == APPLY_NOT)
        return true;
    if (decides || one->kind == APPLY_DYNAMIC)
        scope_enter(completion, i);
    if (machine->status)
        return false;
    if (one->kind == APPLY_DYNAMIC) {
        shape = surety__machine_dynamic(machine, 0, one);
        return surety__conjunction_apply(graph, all, i, shape);
    }
    if (one->kind == APPLY_IF) {
        const bool then = branch_holds(completion, one->shapes[0]);

        shape = then ? one->shapes[0] : NULL;
        return surety__conjunction_apply(graph, all, i, shape) &&
               surety__conjunction_apply(graph, all, i,
                                         one->shapes[then ? 1 : 2]);
    }
    if ((one->kind == APPLY_DEPENDENT || one->kind == APPLY_PROPERTY_VALUE) &&
        !surety__applies(machine->doc, completion->cell, one))
        return true;
    for (uint32_t j = 0; j < one->count && !machine->status; j++)
        if (!decides || branch_holds(completion, one->shapes[j]))
            surety__conjunction_apply(graph, all, i, one->shapes[j]);
    return !machine->status;
}

/* ---- children ---------------------------------------------------------- */

/* Notes the value of a deprecated property, once. */
static void note_deprecated(struct surety__completion *completion,
                            const surety__conjunction *all,
                            const surety__cell *key)
{
    const surety_doc *doc = completion->machine->doc;

    for (size_t i = 0; i < all->count &&
                       completion->deprecated_count < COMPLETION_DEPRECATED_MAX;
         i++) {
        const surety__shape *shape = all->items[i].shape;
        const surety__property *property =
            shape->objects ? surety__objects_find(shape->objects, doc, key)
                           : NULL;

        if (!property || !property->shape || !property->deprecated)
            continue;
        completion->deprecated[completion->deprecated_count++] =
            (struct completion_note){
                surety__val_of(doc, key + 1),
                surety__val_of(shape->at.doc, property->deprecated)};
        return;
    }
}

/* Finds the shapes of a child; unevaluated ones only where no other covers it.
 */
static void child_gather(struct surety__completion *completion,
                         const struct level *level, const surety__cell *child)
{
    surety__conjunction *all = &completion->member.all;
    const bool object = level->cell->kind == CELL_OBJECT;

    all->count = 0;
    if (object) {
        surety__conjunction_member(
            &completion->graph, &level->all,
            surety__cell_str(completion->machine->doc, child - 1),
            child[-1].hash, &completion->member);
        if (completion->machine->schema->has_deprecated)
            note_deprecated(completion, &level->all, child - 1);
    } else {
        surety__conjunction_item(&completion->graph, &level->all,
                                 level->cell->count - level->left, all);
    }
    if (!all->count)
        surety__conjunction_unevaluated(&completion->graph, &level->all, object,
                                        all);
}

/* Whether some shape of the level says which properties there are. */
static bool level_defines(const struct level *level)
{
    for (size_t i = 0; i < level->all.count; i++) {
        const surety__objects *objects = level->all.items[i].shape->objects;

        if (objects && objects->defines)
            return true;
    }
    return false;
}

static bool default_earlier(const struct level *level, size_t end,
                            const surety__property *property)
{
    for (size_t i = 0; i < end; i++) {
        const surety__objects *objects = level->all.items[i].shape->objects;
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

    for (size_t i = 0; i < level->all.count; i++) {
        const surety__shape *shape = level->all.items[i].shape;
        const surety__objects *objects = shape->objects;

        for (uint32_t p = 0; objects && p < objects->property_count; p++) {
            const surety__property *property = &objects->properties[p];

            if (!property->default_val ||
                !surety__machine_charge(completion->machine,
                                        1 + level->cell->count / 16) ||
                surety__member_named(doc, level->cell, property->name) ||
                default_earlier(level, i, property))
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

/* Whether the children of the value at hand may change. */
static bool value_is_open(struct surety__completion *completion)
{
    surety__conjunction *all = &completion->member.all;

    return completion->cell->kind >= CELL_ARRAY &&
           surety__conjunction_follow(&completion->graph, all,
                                      completion_decide, completion) &&
           surety__conjunction_speaks(all) & (TYPE_OBJECT | TYPE_ARRAY);
}

/* Begins the value at hand: copies it whole, or opens a level for its children.
 */
static void value_begin(struct surety__completion *completion)
{
    surety__machine *machine = completion->machine;
    const surety__cell *cell = completion->cell;
    surety__conjunction *all = &completion->member.all;
    surety__conjunction spare;
    struct level *level;

    if (!value_is_open(completion)) {
        surety_build_val(completion->doc, surety__val_of(machine->doc, cell));
        return;
    }
    if (surety__grow(machine->alloc, &completion->levels,
                     &completion->level_cap, completion->depth + 1,
                     sizeof(*completion->levels), SIZE_MAX)) {
        machine->status = SURETY_NOMEM;
        return;
    }
    level = &completion->levels[completion->depth++];
    if (completion->depth > completion->level_made) {
        *level = (struct level){.cell = NULL};
        completion->level_made = completion->depth;
    }
    /* The level gets the list, and the next value the level's old one. */
    spare = level->all;
    *level = (struct level){
        .cell = cell, .cursor = cell + 1, .left = cell->count, .all = *all};
    *all = spare;
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

    assert(level->left <= level->cell->count);
    if (level->left == 0) {
        if (object && completion->fill)
            level_defaults(completion, level);
        surety_build_close(completion->doc);
        completion->depth--;
        return;
    }
    /* No item is left out, and no scalar changes. */
    if (object || child->kind >= CELL_ARRAY)
        child_gather(completion, level, child);
    level->left--;
    level->cursor = surety__cell_after(child);
    if (object && completion->strip && !completion->member.all.count &&
        level_defines(level)) {
        completion->changed = true;
        return;
    }
    if (object)
        surety_build_key_of(completion->doc,
                            surety__val_of(machine->doc, child - 1));
    completion->cell = child;
    value_begin(completion);
}

void surety__completion_free(const surety_alloc *alloc,
                             struct surety__completion *completion)
{
    if (!completion)
        return;
    surety__free(alloc, completion->chain,
                 completion->chain_cap * sizeof(*completion->chain));
    surety__graph_done(&completion->graph);
    surety__arena_done(&completion->arena);
    surety__free(alloc, completion->levels,
                 completion->level_cap * sizeof(*completion->levels));
    surety__free(alloc, completion, sizeof(*completion));
}

/* The checker's own, made when first asked for, its memory kept; NULL when out
 * of memory. */
static struct surety__completion *completion_begin(surety_checker *checker)
{
    struct surety__completion *completion = checker->completion;
    surety__machine *machine = &checker->machine;

    if (!completion) {
        completion = surety__new(machine->alloc, sizeof(*completion));
        if (!completion)
            return NULL;
        checker->completion = completion;
        completion->machine = machine;
        surety__arena_init(&completion->arena, machine->alloc, 0);
        completion->arena.status = &machine->status;
        completion->graph = (surety__graph){.arena = &completion->arena,
                                            .work = &machine->work,
                                            .limits = &machine->limits,
                                            .adds = CONJUNCTION_POSSIBLE};
    }
    return completion;
}

/* Goes through val, and builds the completed value in doc; without a doc it
 * ends at the first change. */
static surety_status completion_walk(struct surety__completion *completion,
                                     const surety_schema *schema,
                                     const surety__conjunction *all,
                                     surety_val val, surety_doc *doc,
                                     surety_error *reterr)
{
    bool added = true;

    surety_error why = {.status = SURETY_OK};
    surety__machine *machine = completion->machine;

    completion->doc = doc;
    completion->cell = surety__cell_of(val);
    completion->member.all.count = 0;
    completion->depth = 0;
    completion->changed = false;
    completion->deprecated_count = 0;
    surety__machine_start(machine, schema, val, MODE_VALIDITY, &why);
    completion->graph.reterr = machine->reterr;
    surety_build_begin(doc, val.doc);
    for (size_t i = 0; added && i < all->count; i++)
        added = surety__conjunction_add(
            &completion->graph, &completion->member.all,
            (surety__conjunct){.shape = all->items[i].shape});
    if (added)
        value_begin(completion);
    while (completion->depth && !machine->status &&
           (doc || !completion->changed))
        level_step(completion);
    if (machine->status == SURETY_LIMIT && !why.status)
        surety__machine_exhausted(machine);
    machine->reterr = NULL;
    if (reterr && why.status)
        *reterr = why;
    else if (machine->status == SURETY_NOMEM)
        surety__fail_nomem(reterr);
    return machine->status;
}

/* Completes *value, to which the shapes of `all` apply. */
static surety_status completion_go(struct surety__completion *completion,
                                   const surety_schema *schema,
                                   const surety__conjunction *all,
                                   surety_doc *doc, surety_val *value,
                                   surety_error *reterr)
{
    surety_status status =
        completion_walk(completion, schema, all, *value, NULL, reterr);

    if (status != SURETY_OK || !completion->changed)
        return status;
    status = completion_walk(completion, schema, all, *value, doc, reterr);
    if (status == SURETY_OK)
        status = surety_build_end(doc, reterr);
    if (status == SURETY_OK)
        *value = surety_doc_root(doc);
    return status;
}

surety_status surety__checker_complete(surety_checker *checker,
                                       const surety_schema *schema,
                                       bool fill_defaults, bool strip_unknown,
                                       surety_doc *doc, surety_val *value,
                                       surety_error *reterr)
{
    struct surety__completion *completion;

    if (!checker || !schema || !value || !value->doc || !doc ||
        doc == value->doc)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is nothing to complete");
    completion = completion_begin(checker);
    if (!completion)
        return surety__fail_nomem(reterr);
    completion->fill = fill_defaults;
    completion->strip = strip_unknown;
    return completion_go(completion, schema, CONJUNCTION_OF(schema->root), doc,
                         value, reterr);
}

surety_status surety__conjunction_complete(surety_checker *checker,
                                           const surety_schema *schema,
                                           const surety__conjunction *all,
                                           unsigned how, surety_doc *doc,
                                           surety_val *value)
{
    struct surety__completion *completion = completion_begin(checker);

    if (!completion)
        return SURETY_NOMEM;
    completion->fill = how & COMPLETES_FILL;
    completion->strip = how & COMPLETES_STRIP;
    return completion_go(completion, schema, all, doc, value, NULL);
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
