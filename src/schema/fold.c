/* SPDX-License-Identifier: Apache-2.0 */
/* Folding: what of a schema's validity is known before any value is seen.
 *
 * The kind of a value often decides alone, so every shape gets a table of
 * kinds (surety__how): no value of this kind is valid, every one is, its own
 * content decides, or its children do. The tables are worked out from the
 * shapes that apply to the same value upwards (allOf is the conjunction of its
 * tables, anyOf the disjunction, ...); where that leaves one shape that still
 * asserts something, the value is routed to it at once. compiler->shapes has
 * each shape after those that it applies (circle.c).
 *
 * Then the parts are brought into the form in which the check reads them:
 * properties, required and additionalProperties as one table; enums of strings
 * as another; bounds of integers as a range; and for anyOf and oneOf the member
 * whose value distinguishes the branches. */
#include "schema/compile.h"

/* The parts are constant everywhere else. */
#define FOLD_WRITABLE(type, pointer) ((type *)(uintptr_t)(pointer))

/* A shape that every value satisfies, or none. */
static surety__shape *shape_constant(surety__compiler *compiler, bool always)
{
    surety__shape *shape = surety__compiler_take(compiler, sizeof(*shape));

    if (!shape)
        return NULL;
    shape->types = TYPE_ANY;
    shape->direct = shape;
    shape->ends = true;
    shape->always = always;
    shape->never = !always;
    memset(shape->how, always ? HOW_YES : HOW_NO, CELL_KINDS);
    return shape;
}

/* ---- references -------------------------------------------------------- */

bool surety__fold_may_pass(const surety__compiler *compiler,
                           const surety__shape *from, const surety__shape *to)
{
    return !compiler->schema->dynamic || from->resource == to->resource;
}

static const surety__shape *shape_direct(const surety__compiler *compiler,
                                         const surety__shape *shape)
{
    for (int hops = 0; hops < REFERENCE_HOPS && surety__shape_refers(shape) &&
                       surety__fold_may_pass(compiler, shape,
                                             shape->applicators[0].shapes[0]);
         hops++)
        shape = shape->applicators[0].shapes[0];
    return shape;
}

/* ---- repeated branches ------------------------------------------------- */

/* A branch of allOf or anyOf that leads to the same shape as an earlier one
 * decides nothing; it becomes true or false, so that towers of
 * {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]} cost no more than
 * their height. Only references of the same resource are looked through: what
 * another adds to the dynamic scope may make a difference. `seen` has the
 * applicator that last led to a shape. */
static bool branches_settle(surety__compiler *compiler,
                            const surety__resource *within,
                            const surety__applicator *applicator,
                            surety__map *seen)
{
    const bool all = applicator->kind == APPLY_ALL;

    if ((!all && applicator->kind != APPLY_ANY) || applicator->count < 2)
        return true;
    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *shape = applicator->shapes[i];
        const uint64_t key = (uintptr_t)surety__shape_meant(shape, within);
        surety__shape *neutral;

        if (surety__map_get(seen, key) != applicator) {
            if (!surety__map_put(seen, compiler->schema->alloc, key,
                                 (void *)(uintptr_t)applicator))
                return surety__resolver_starve(&compiler->resolver);
            continue;
        }
        neutral = shape_constant(compiler, all);
        if (!neutral)
            return false;
        neutral->at = shape->at;
        neutral->resource = shape->resource;
        applicator->shapes[i] = neutral;
    }
    return true;
}

/* ---- kinds ------------------------------------------------------------- */

/* The kinds whose values can be equal to one of choices, as bits. */
static unsigned choices_kinds(const surety__choices *choices,
                              const surety_doc *doc)
{
    unsigned kinds = 0;

    for (uint32_t i = 0; i < choices->count; i++) {
        unsigned kind = doc->cells[choices->list[i].value].kind;

        if (kind >= CELL_INT && kind <= CELL_REAL)
            kinds |= 1u << CELL_INT | 1u << CELL_WHOLE | 1u << CELL_REAL;
        else if (kind == CELL_STRING || kind == CELL_KEY)
            kinds |= 1u << CELL_STRING | 1u << CELL_KEY;
        else
            kinds |= 1u << kind;
    }
    return kinds;
}

/* Whether there are assertions on the members. */
static bool objects_assert(const surety__objects *objects)
{
    bool asserts = objects->pattern_count || objects->required_count ||
                   (objects->additional && !objects->additional->always);

    for (uint32_t i = 0; i < objects->property_count && !asserts; i++)
        asserts = objects->properties[i].shape &&
                  !objects->properties[i].shape->always;
    return asserts;
}

/* The shape's own assertions on one kind of value. */
static enum surety__how own_part(const surety__shape *shape, unsigned kind)
{
    const surety__arrays *arrays = shape->arrays;
    const surety__objects *objects = shape->objects;

    switch (kind) {
    case CELL_INT:
    case CELL_WHOLE:
    case CELL_REAL: return shape->numbers ? HOW_CHECK : HOW_YES;
    case CELL_STRING:
    case CELL_KEY: return shape->strings ? HOW_CHECK : HOW_YES;
    case CELL_ARRAY:
        if (!arrays)
            return HOW_YES;
        if (arrays->walks || arrays->contains || arrays->unevaluated ||
            arrays->unique)
            return HOW_WALK;
        return arrays->min_items || arrays->max_items != UINT64_MAX ? HOW_CHECK
                                                                    : HOW_YES;
    case CELL_OBJECT:
        if (!objects)
            return HOW_YES;
        if (objects_assert(objects) || objects->names ||
            objects->dependent_count || objects->unevaluated)
            return HOW_WALK;
        return objects->min_properties || objects->max_properties != UINT64_MAX
                   ? HOW_CHECK
                   : HOW_YES;
    default: return HOW_YES;
    }
}

/* Whether a value of this kind is checked beyond its type: its own content
 * against enum and const, its own bounds. */
static bool own_checks(const surety__shape *shape, unsigned kind)
{
    const surety__arrays *arrays = shape->arrays;
    const surety__objects *objects = shape->objects;

    if (kind > CELL_TRUE && (shape->choices || shape->constant))
        return true;
    if (kind == CELL_ARRAY)
        return arrays && (arrays->min_items || arrays->max_items != UINT64_MAX);
    if (kind == CELL_OBJECT)
        return objects && (objects->min_properties ||
                           objects->max_properties != UINT64_MAX);
    return own_part(shape, kind) == HOW_CHECK;
}

/* The same for all of the shape but its applicators; kinds: those that enum and
 * const leave. */
static enum surety__how own_how(surety__shape *shape, unsigned kind,
                                unsigned kinds)
{
    enum surety__how how = own_part(shape, kind);
    bool spelling = kind == CELL_WHOLE && shape->lexical_integer &&
                    !(shape->types & TYPE_NUMBER);

    if (!(shape->types & surety__type_of_kind[kind]) || !(kinds >> kind & 1))
        return HOW_NO;
    if (!spelling && !own_checks(shape, kind))
        return how;
    shape->checks |= (uint16_t)(1u << kind);
    return how == HOW_WALK ? HOW_WALK : HOW_CHECK;
}

/* An applicator on values of a kind: NO, YES or WALK; then *ret_only is
 * the one shape that decides, or NULL where several do. */
static enum surety__how list_how(const surety__applicator *applicator,
                                 unsigned kind, const surety__shape **ret_only)
{
    bool all = applicator->kind == APPLY_ALL;
    uint32_t yes = 0;
    uint32_t open = 0;

    assert(applicator->count && applicator->kind <= APPLY_ONE);
    if (applicator->choice) {
        *ret_only = applicator->choice;
        return applicator->choice->how[kind] <= HOW_YES
                   ? (enum surety__how)applicator->choice->how[kind]
                   : HOW_WALK;
    }
    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *branch = applicator->shapes[i]->direct;

        if (branch->how[kind] == HOW_YES) {
            yes++;
        } else if (branch->how[kind] != HOW_NO) {
            open++;
            *ret_only = branch;
        } else if (all) {
            return HOW_NO;
        }
    }
    if (all ? !open : applicator->kind == APPLY_ANY ? yes : yes == 1 && !open)
        return HOW_YES;
    if (!all && (yes > 1 || (!yes && !open)))
        return HOW_NO;
    if (open > 1 || (!all && yes))
        *ret_only = NULL;
    return HOW_WALK;
}

static enum surety__how if_how(const surety__applicator *applicator,
                               unsigned kind, const surety__shape **ret_only)
{
    enum surety__how hows[3] = {HOW_YES, HOW_YES, HOW_YES};
    unsigned branch = 0;

    for (unsigned i = 0; i < 3; i++)
        if (applicator->shapes[i])
            hows[i] = applicator->shapes[i]->direct->how[kind];
    if (hows[0] == HOW_YES || hows[0] == HOW_NO)
        branch = hows[0] == HOW_YES ? 1 : 2;
    else if (hows[1] == hows[2] && hows[1] <= HOW_YES)
        return hows[1];
    if (branch && hows[branch] <= HOW_YES)
        return hows[branch];
    if (branch)
        *ret_only = applicator->shapes[branch]->direct;
    return HOW_WALK;
}

static enum surety__how applicator_how(const surety__applicator *applicator,
                                       unsigned kind,
                                       const surety__shape **ret_only)
{
    enum surety__how how;

    *ret_only = NULL;
    switch (applicator->kind) {
    case APPLY_ALL:
    case APPLY_ANY:
    case APPLY_ONE: return list_how(applicator, kind, ret_only);
    case APPLY_NOT:
        how = applicator->shapes[0]->direct->how[kind];
        return how == HOW_NO ? HOW_YES : how == HOW_YES ? HOW_NO : HOW_WALK;
    case APPLY_IF: return if_how(applicator, kind, ret_only);
    case APPLY_DYNAMIC: return HOW_WALK;
    default: return kind == CELL_OBJECT ? HOW_WALK : HOW_YES;
    }
}

/* The table's entry for one kind; *ret_route is set for ROUTE. */
static enum surety__how fold_kind(const surety__compiler *compiler,
                                  surety__shape *shape, unsigned kind,
                                  unsigned kinds,
                                  const surety__shape **ret_route)
{
    enum surety__how own = own_how(shape, kind, kinds);
    const surety__shape *only = NULL;
    uint32_t open = 0;

    if (own == HOW_NO)
        return own;
    for (uint32_t i = 0; i < shape->applicator_count; i++) {
        const surety__shape *here;
        enum surety__how how =
            applicator_how(&shape->applicators[i], kind, &here);

        if (how == HOW_NO)
            return how;
        if (how == HOW_YES)
            continue;
        open++;
        only = here;
    }
    if (!open)
        return own;
    if (own != HOW_YES || open > 1 || !only ||
        !surety__fold_may_pass(compiler, shape, only))
        return HOW_WALK;
    if (only->how[kind] == HOW_ROUTE)
        only = only->route[kind];
    if (only == shape || !surety__fold_may_pass(compiler, shape, only))
        return HOW_WALK;
    assert(only->how[kind] != HOW_ROUTE);
    *ret_route = only;
    return HOW_ROUTE;
}

bool surety__fold_kinds(surety__compiler *compiler, surety__shape *shape)
{
    unsigned kinds = UINT32_MAX;
    uint8_t how[CELL_KINDS] = {HOW_NO};

    if (shape->always || shape->never)
        return true;
    if (shape->choices)
        kinds &= choices_kinds(shape->choices, shape->at.doc);
    if (shape->constant)
        kinds &= choices_kinds(shape->constant, shape->at.doc);
    for (unsigned kind = CELL_NULL; kind < CELL_KINDS; kind++) {
        const surety__shape *route = NULL;

        how[kind] = (uint8_t)fold_kind(compiler, shape, kind, kinds, &route);
        if (how[kind] != HOW_ROUTE)
            continue;
        if (!shape->route)
            shape->route = surety__compiler_take(
                compiler, CELL_KINDS * sizeof(*shape->route));
        if (!shape->route)
            return false;
        shape->route[kind] = route;
    }
    memcpy(shape->how, how, sizeof(how));
    return true;
}

/* ---- words ------------------------------------------------------------- */

/* enum or const, if they are strings and nothing else. */
static bool fold_words(surety__compiler *compiler, surety__shape *shape)
{
    const surety__choices *choices =
        shape->constant ? shape->constant : shape->choices;
    const surety_doc *doc = shape->at.doc;
    surety__words words = {.longest = 0};

    if (!choices || (shape->constant && shape->choices) ||
        choices_kinds(choices, doc) != (1u << CELL_STRING | 1u << CELL_KEY))
        return true;
    if (!surety__words_open(compiler, &words, choices->count))
        return false;
    for (uint32_t i = 0; i < choices->count; i++)
        surety__words_add(
            &words, surety__cell_str(doc, &doc->cells[choices->list[i].value]));
    shape->words = surety__compiler_keep(compiler, &words, sizeof(words));
    return shape->words != NULL;
}

/* ---- numbers ----------------------------------------------------------- */

static bool bound_is_int(const surety__cell *bound)
{
    return !bound || bound->kind == CELL_INT;
}

static void fold_numbers(surety__numbers *numbers)
{
    const surety__cell *above = numbers->exclusive_minimum;
    const surety__cell *below = numbers->exclusive_maximum;

    if (!bound_is_int(numbers->minimum) || !bound_is_int(numbers->maximum) ||
        !bound_is_int(above) || !bound_is_int(below) ||
        !bound_is_int(numbers->multiple_of) ||
        (above && above->i == INT64_MAX) || (below && below->i == INT64_MIN))
        return;
    assert(!numbers->ranged);
    numbers->ranged = true;
    numbers->least = numbers->minimum ? numbers->minimum->i : INT64_MIN;
    numbers->most = numbers->maximum ? numbers->maximum->i : INT64_MAX;
    numbers->lower = numbers->least;
    numbers->upper = numbers->most;
    if (above && above->i >= numbers->least) {
        numbers->least = above->i + 1;
        numbers->lower = above->i;
    }
    if (below && below->i <= numbers->most) {
        numbers->most = below->i - 1;
        numbers->upper = below->i;
    }
}

/* ---- objects and arrays ------------------------------------------------ */

static void slots_add(surety__slot *slots, uint32_t mask, uint32_t hash,
                      surety__slot slot)
{
    uint32_t at = surety__slot_first(mask, hash);

    assert(slot.shape && slot.property);
    while (slots[at].shape)
        at = (at + 1) & mask;
    slots[at] = slot;
}

/* The state of folding besides the compiler. */
struct fold {
    surety__compiler *compiler;
    surety__shape *anything;  /* true */
    surety__matcher *matcher; /* NULL until it is needed */
};

/* Names times patterns that are matched when the schema is compiled. */
enum { ALONE_MAX = 1 << 16 };

/* Whether no pattern matches the name, as far as that is known without PCRE2.
 */
static bool slot_is_alone(const struct fold *fold,
                          const surety__objects *objects,
                          const surety__slot *slot)
{
    const surety_str name = slot->property->name;

    const uint32_t most =
        objects->index ? objects->index->longest : objects->pattern_count;

    if (!fold->matcher || (uint64_t)objects->property_count * most > ALONE_MAX)
        return false;
    for (uint32_t i = surety__patterns_next(objects, name, 0);
         i < objects->pattern_count;
         i = surety__patterns_next(objects, name, i + 1)) {
        const surety__pattern *pattern = objects->patterns[i].pattern;

        if (!surety__pattern_is_simple(pattern) ||
            surety__pattern_match(pattern, fold->matcher, name) != 0)
            return false;
    }
    return true;
}

static bool fold_objects(struct fold *fold, surety__objects *objects)
{
    surety__compiler *compiler = fold->compiler;
    uint32_t room = 4;
    surety__slot *slots;

    objects->other = objects->additional && !objects->additional->always
                         ? objects->additional->direct
                         : NULL;
    objects->plain = objects->pattern_count == 0;
    while (room < 2 * objects->property_count)
        room *= 2;
    slots = surety__compiler_take(compiler, room * sizeof(*slots));
    if (!objects->plain && !fold->matcher)
        fold->matcher = surety__matcher_new(compiler->schema->alloc,
                                            &compiler->schema->limits);
    if (!slots || (!objects->plain && !fold->matcher))
        return surety__resolver_starve(&compiler->resolver);
    if (!surety__patterns_index(compiler, objects))
        return false;
    for (uint32_t i = 0; i < objects->property_count; i++) {
        const surety__property *property = &objects->properties[i];
        surety__slot slot = {.shape = fold->anything,
                             .len = (uint32_t)property->name.len,
                             .required = property->required,
                             .covers = property->shape != NULL,
                             .property = property};

        slot.alone = objects->plain || slot_is_alone(fold, objects, &slot);
        if (property->shape)
            slot.shape = property->shape->direct;
        else if (slot.alone && objects->other)
            slot.shape = objects->other;
        surety__name_ends(property->name.ptr, slot.len, &slot.head, &slot.tail);
        slots_add(slots, room - 1, property->hash, slot);
    }
    objects->slots = slots;
    objects->slot_mask = room - 1;
    return true;
}

static void fold_arrays(surety__arrays *arrays)
{
    arrays->plain = !arrays->prefix_count && !arrays->contains &&
                    !arrays->unique && !arrays->unevaluated;
}

/* ---- what needs no frame ------------------------------------------------- */

/* Whether no kind of value of shape needs a frame. */
static bool shape_ends(const surety__shape *shape)
{
    for (unsigned kind = CELL_NULL; kind < CELL_KINDS; kind++)
        if (surety__route_end(shape, kind)->how[kind] > HOW_FLAT)
            return false;
    return true;
}

static bool members_end_flat(const surety__objects *objects)
{
    for (uint32_t i = 0; i < objects->property_count; i++)
        if (objects->properties[i].shape &&
            !objects->properties[i].shape->direct->ends)
            return false;
    for (uint32_t i = 0; i < objects->pattern_count; i++)
        if (!objects->patterns[i].shape->direct->ends)
            return false;
    return (!objects->additional || objects->additional->direct->ends) &&
           (!objects->names || objects->names->direct->ends);
}

static bool items_end_flat(const surety__arrays *arrays)
{
    for (uint32_t i = 0; i < arrays->prefix_count; i++)
        if (!arrays->prefix[i]->direct->ends)
            return false;
    return (!arrays->rest || arrays->rest->direct->ends) &&
           (!arrays->contains || arrays->contains->direct->ends);
}

static bool applicators_end(const surety__shape *shape, unsigned kind)
{
    for (uint32_t i = 0; i < shape->applicator_count; i++) {
        const surety__applicator *applicator = &shape->applicators[i];

        const surety__jump *jump =
            kind == CELL_OBJECT ? applicator->jump : NULL;
        const uint32_t count = jump ? jump->target_count : applicator->count;

        if (applicator->kind == APPLY_DYNAMIC)
            return false;
        for (uint32_t k = 0; k < count; k++) {
            const surety__shape *branch =
                jump ? jump->targets[k] : applicator->shapes[k];

            if (branch &&
                surety__route_end(branch->direct, kind)->how[kind] > HOW_FLAT)
                return false;
        }
    }
    return true;
}

/* Whether values of kind need no frame, if those below do not. */
static bool kind_is_flat(const surety__shape *shape, unsigned kind)
{
    if (shape->how[kind] != HOW_WALK || shape->tracks ||
        (kind == CELL_OBJECT && shape->objects &&
         !members_end_flat(shape->objects)) ||
        (kind == CELL_ARRAY && shape->arrays && !items_end_flat(shape->arrays)))
        return false;
    return applicators_end(shape, kind);
}

/* The kinds for whose values one loop is enough. */
static uint16_t shape_loop(const surety__shape *shape)
{
    unsigned quick = 0;

    if (shape->bare && shape->objects && shape->objects->plain &&
        !shape->objects->dependent_count)
        quick |= 1u << CELL_OBJECT;
    if (shape->bare && shape->arrays && shape->arrays->plain &&
        shape->arrays->rest)
        quick |= 1u << CELL_ARRAY;
    return (uint16_t)quick;
}

/* The kinds for whose values a loop is enough, and then each subschema for the
 * value itself. */
static uint16_t shape_parts_quick(const surety__shape *shape)
{
    const surety__objects *objects = shape->objects;
    unsigned kinds = (1u << CELL_KINDS) - 1;

    if (shape->tracks)
        return 0;
    for (uint32_t i = 0; i < shape->applicator_count; i++)
        if (shape->applicators[i].kind == APPLY_DYNAMIC ||
            shape->applicators[i].kind >= APPLY_DEPENDENT)
            return 0;
    if (shape->arrays && !shape->arrays->plain)
        kinds &= ~(1u << CELL_ARRAY);
    if (objects && (objects->dependent_count || objects->names))
        kinds &= ~(1u << CELL_OBJECT);
    return (uint16_t)kinds;
}

/* In every round the kinds that only need flat ones become flat. */
static bool fold_flat(surety__compiler *compiler)
{
    size_t bytes = compiler->shape_count * sizeof(uint16_t);
    uint16_t *flat = surety__resize(compiler->schema->alloc, NULL, 0, bytes);
    bool goes_on = true;

    if (!flat)
        return surety__resolver_starve(&compiler->resolver);
    for (size_t i = 0; i < compiler->shape_count; i++) {
        surety__shape *shape = compiler->shapes[i];

        shape->ends = shape_ends(shape);
        shape->bare = !shape->applicator_count && !shape->tracks &&
                      (!shape->objects || !shape->objects->names) &&
                      (!shape->arrays || !shape->arrays->contains);
        for (unsigned kind = CELL_NULL; kind < CELL_KINDS; kind++)
            shape->quick.any |=
                (uint16_t)((shape->how[kind] == HOW_YES) << kind);
        shape->quick.loop = shape_loop(shape);
        shape->quick.parts = shape_parts_quick(shape);
    }
    for (int round = 0; round < FLAT_HEIGHT && goes_on; round++) {
        goes_on = false;
        for (size_t i = 0; i < compiler->shape_count; i++) {
            flat[i] = 0;
            for (unsigned kind = CELL_NULL;
                 kind < CELL_KINDS && !compiler->shapes[i]->ends; kind++)
                if (kind_is_flat(compiler->shapes[i], kind))
                    flat[i] |= (uint16_t)(1u << kind);
        }
        for (size_t i = 0; i < compiler->shape_count; i++)
            for (unsigned kind = CELL_NULL; kind < CELL_KINDS && flat[i];
                 kind++)
                if (flat[i] >> kind & 1)
                    compiler->shapes[i]->how[kind] = HOW_FLAT;
        for (size_t i = 0; i < compiler->shape_count; i++) {
            surety__shape *shape = compiler->shapes[i];

            goes_on = goes_on || flat[i];
            shape->ends = shape->ends || shape_ends(shape);
        }
    }
    surety__free(compiler->schema->alloc, flat, bytes);
    return true;
}

/* The union that alone decides about values of a kind, if each branch may
 * decide in the place of shape; else NULL. */
static const surety__applicator *kind_selects(const surety__compiler *compiler,
                                              const surety__shape *shape,
                                              unsigned kind)
{
    const surety__applicator *only = NULL;
    const surety__shape *here;

    if (shape->how[kind] < HOW_FLAT || shape->how[kind] > HOW_WALK ||
        shape->tracks || shape->checks >> kind & 1 ||
        own_part(shape, kind) != HOW_YES)
        return NULL;
    for (uint32_t i = 0; i < shape->applicator_count; i++) {
        const surety__applicator *applicator = &shape->applicators[i];

        if (applicator_how(applicator, kind, &here) == HOW_YES)
            continue;
        if (only || applicator->choice ||
            (applicator->kind != APPLY_ANY && applicator->kind != APPLY_ONE))
            return NULL;
        only = applicator;
    }
    for (uint32_t i = 0; only && i < only->count; i++)
        if (!surety__fold_may_pass(compiler, shape, only->shapes[i]->direct))
            return NULL;
    return only;
}

/* Values that a union alone decides about are left to the branches that they
 * select; the last change of the tables of kinds. */
static void fold_selects(surety__compiler *compiler)
{
    for (size_t i = 0; i < compiler->shape_count; i++) {
        surety__shape *shape = compiler->shapes[i];

        for (unsigned kind = CELL_NULL;
             kind < CELL_KINDS && shape->applicator_count; kind++) {
            const surety__applicator *selects =
                kind_selects(compiler, shape, kind);

            if (!selects || (shape->selects && shape->selects != selects))
                continue;
            shape->selects = selects;
            shape->how[kind] = shape->how[kind] == HOW_FLAT ? HOW_SELECT_FLAT
                                                            : HOW_SELECT_WALK;
        }
    }
}

/* ---- dynamic references ------------------------------------------------- */

/* A dynamic reference whose name only one resource declares leads there from
 * every scope: it becomes an ordinary one. Whether others are left is noted. */
static bool fold_dynamic(surety__compiler *compiler)
{
    const surety__resolver *resolver = &compiler->resolver;
    uint32_t *declared;

    if (!compiler->dynamic_count)
        return true;
    declared = surety__compiler_take(
        compiler, (resolver->name_count + (size_t)1) * sizeof(*declared));
    if (!declared)
        return false;
    for (size_t r = 0; r < resolver->resource_count; r++)
        for (const surety__dynamic *dynamic = resolver->resources[r]->dynamics;
             dynamic; dynamic = dynamic->next)
            declared[dynamic->name]++;
    for (size_t i = 0; i < compiler->shape_count; i++)
        for (uint32_t a = 0; a < compiler->shapes[i]->applicator_count; a++) {
            surety__applicator *applicator = FOLD_WRITABLE(
                surety__applicator, &compiler->shapes[i]->applicators[a]);

            if (applicator->kind != APPLY_DYNAMIC)
                continue;
            if (declared[applicator->dynamic_name] > 1)
                compiler->schema->dynamic = true;
            else
                applicator->kind = APPLY_ALL;
        }
    return true;
}

/* ---- all of it -------------------------------------------------------- */

static void shape_begin(surety__compiler *compiler, surety__shape *shape)
{
    if (!shape->never && !shape->applicator_count &&
        !surety__shape_asserts(shape))
        shape->always = true;
    shape->direct = shape_direct(compiler, shape);
    memset(shape->how,
           shape->always  ? HOW_YES
           : shape->never ? HOW_NO
                          : HOW_WALK,
           CELL_KINDS);
}

static bool shape_parts(struct fold *fold, surety__shape *shape)
{
    if (shape->numbers)
        fold_numbers(FOLD_WRITABLE(surety__numbers, shape->numbers));
    if (shape->arrays)
        fold_arrays(FOLD_WRITABLE(surety__arrays, shape->arrays));
    return (!shape->objects ||
            fold_objects(fold,
                         FOLD_WRITABLE(surety__objects, shape->objects))) &&
           fold_words(fold->compiler, shape);
}

/* An anyOf or oneOf of enums is one enum. */
static bool fold_choice(surety__compiler *compiler, const surety__shape *owner,
                        surety__applicator *applicator)
{
    surety__choices choices = {.list = NULL};
    surety__shape *choice;

    if (applicator->kind != APPLY_ANY && applicator->kind != APPLY_ONE)
        return true;
    if (!surety__branches_merge(compiler, owner->at.doc, applicator, &choices))
        return false;
    if (!choices.list)
        return true;
    choice = shape_constant(compiler, true);
    if (!choice)
        return false;
    choice->always = false;
    choice->at = owner->at;
    choice->resource = owner->resource;
    choice->choices =
        surety__compiler_keep(compiler, &choices, sizeof(choices));
    applicator->choice = choice;
    return choice->choices && surety__fold_kinds(compiler, choice) &&
           fold_words(compiler, choice);
}

static bool fold_branches(surety__compiler *compiler)
{
    surety__map seen = {.cap = 0};
    bool done = true;

    for (size_t i = 0; i < compiler->shape_count && done; i++) {
        const surety__shape *shape = compiler->shapes[i];

        for (uint32_t a = 0; a < shape->applicator_count && done; a++)
            done = branches_settle(compiler, shape->resource,
                                   &shape->applicators[a], &seen) &&
                   fold_choice(compiler, shape,
                               FOLD_WRITABLE(surety__applicator,
                                             &shape->applicators[a]));
    }
    surety__map_done(&seen, compiler->schema->alloc);
    return done;
}

static bool fold_switches(surety__compiler *compiler)
{
    bool done = true;

    for (size_t i = 0; i < compiler->shape_count && done; i++) {
        const surety__shape *shape = compiler->shapes[i];

        for (uint32_t a = 0; a < shape->applicator_count && done; a++) {
            surety__applicator *applicator =
                FOLD_WRITABLE(surety__applicator, &shape->applicators[a]);

            done = surety__fold_switch(compiler, applicator) &&
                   surety__fold_jump(compiler, applicator);
        }
    }
    return done;
}

/* Merges the objects of shapes. The merged shapes are added behind the others,
 * and are not merged again. */
static bool fold_merged(struct fold *fold)
{
    surety__compiler *compiler = fold->compiler;
    const size_t count = compiler->shape_count;

    for (size_t i = 0; i < count; i++) {
        surety__shape *shape = compiler->shapes[i];

        if (shape->applicator_count && shape->how[CELL_OBJECT] == HOW_WALK &&
            !surety__fold_merge(compiler, shape))
            return false;
    }
    for (size_t i = count; i < compiler->shape_count; i++)
        if (!shape_parts(fold, compiler->shapes[i]))
            return false;
    return true;
}

bool surety__fold(surety__compiler *compiler)
{
    struct fold fold = {.compiler = compiler,
                        .anything = shape_constant(compiler, true)};
    bool done = fold.anything && fold_dynamic(compiler);

    for (size_t i = 0; i < compiler->shape_count && done; i++) {
        compiler->shapes[i]->number = (uint32_t)i;
        shape_begin(compiler, compiler->shapes[i]);
    }
    done = done && fold_branches(compiler);
    for (size_t i = 0; i < compiler->shape_count && done; i++)
        done = surety__fold_kinds(compiler, compiler->shapes[i]);
    for (size_t i = 0; i < compiler->shape_count && done; i++)
        done = shape_parts(&fold, compiler->shapes[i]);
    done = done && fold_switches(compiler) && fold_merged(&fold);
    surety__matcher_free(fold.matcher);
    if (!done || !fold_flat(compiler))
        return false;
    fold_selects(compiler);
    return true;
}
