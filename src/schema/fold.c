/* SPDX-License-Identifier: Apache-2.0 */
/* Folding: what of a schema's verdicts is known before any value is seen.
 *
 * The kind of a value often decides alone, so every shape gets a table of
 * kinds (surety__how): no value of this kind is valid, every one is, its own
 * content decides, or its children do. The tables are worked out from the
 * shapes that apply to the same value upwards (allOf is the conjunction of its
 * tables, anyOf the disjunction, ...); where that leaves one shape that still
 * has something to ask, the question is routed to it at once. A circle of
 * such shapes is left as it is: its table says to walk.
 *
 * Then the parts are brought into the form in which the verdict reads them:
 * properties, required and additionalProperties as one table; enums of strings
 * as another; bounds of integers as a range; and for anyOf and oneOf the member
 * whose value tells the branches apart. */
#include "schema/compile.h"

enum fold_state { FOLD_NONE, FOLD_OPEN, FOLD_DONE };

/* The parts are constant for everybody else. */
#define FOLD_WRITABLE(type, pointer) ((type *)(uintptr_t)(pointer))

/* ---- references -------------------------------------------------------- */

enum { REFERENCE_HOPS = 16 };

/* Whether a shape does nothing but refer to another. */
static bool shape_refers(const surety__shape *shape)
{
    return shape->applicator_count == 1 &&
           shape->applicators[0].keyword == KW_REF &&
           shape->types == TYPE_ANY && !shape->choices && !shape->constant &&
           !shape->numbers && !shape->strings && !shape->arrays &&
           !shape->objects;
}

const surety__shape *surety__shape_meant(const surety__shape *shape,
                                         const surety__resource *within)
{
    for (int hops = 0; hops < REFERENCE_HOPS && shape_refers(shape) &&
                       (!within || shape->resource == within);
         hops++)
        shape = shape->applicators[0].shapes[0];
    return shape;
}

/* Whether to may decide in from's place: a dynamic reference below must still
 * find the resource of from in its scope. */
static bool fold_may_pass(const surety__compiler *compiler,
                          const surety__shape *from, const surety__shape *to)
{
    return !compiler->schema->dynamic || from->resource == to->resource;
}

static const surety__shape *shape_direct(const surety__compiler *compiler,
                                         const surety__shape *shape)
{
    for (int hops = 0;
         hops < REFERENCE_HOPS && shape_refers(shape) &&
         fold_may_pass(compiler, shape, shape->applicators[0].shapes[0]);
         hops++)
        shape = shape->applicators[0].shapes[0];
    return shape;
}

/* ---- repeated branches ------------------------------------------------- */

/* A branch of allOf or anyOf that leads to the same shape as an earlier one
 * decides nothing; it becomes true or false, so that towers of
 * {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]} cost no more than
 * their height. Only references of the same resource are looked through: what
 * another adds to the dynamic scope may make a difference. `seen` tells the
 * applicator that last led to a shape. */
static surety_status branches_settle(surety__compiler *compiler,
                                     const surety__resource *within,
                                     const surety__applicator *applicator,
                                     surety__map *seen)
{
    bool all = applicator->kind == APPLY_ALL;

    if ((!all && applicator->kind != APPLY_ANY) || applicator->count < 2)
        return SURETY_OK;
    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *shape = applicator->shapes[i];
        uint64_t key = (uintptr_t)surety__shape_meant(shape, within);
        surety__shape *neutral;

        if (surety__map_get(seen, key) != applicator) {
            if (!surety__map_put(seen, compiler->schema->alloc, key,
                                 (void *)(uintptr_t)applicator))
                return surety__fail_nomem(compiler->resolver.reterr);
            continue;
        }
        neutral = surety__compiler_take(compiler, sizeof(*neutral));
        if (!neutral)
            return SURETY_NOMEM;
        *neutral = (surety__shape){.at = shape->at,
                                   .resource = shape->resource,
                                   .types = TYPE_ANY,
                                   .direct = neutral,
                                   .folded = FOLD_DONE,
                                   .always = all,
                                   .never = !all};
        memset(neutral->how, all ? HOW_YES : HOW_NO, CELL_KINDS);
        applicator->shapes[i] = neutral;
    }
    return SURETY_OK;
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

/* What the shape's own assertions of one kind of value ask. */
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
        if (objects->walks || objects->names || objects->dependent_count ||
            objects->unevaluated)
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

/* The same for the whole shape but its applicators; kinds: those that enum and
 * const leave. */
static enum surety__how own_how(surety__shape *shape, unsigned kind,
                                unsigned kinds)
{
    static const uint8_t types[CELL_KINDS] = {
        [CELL_NULL] = TYPE_NULL,     [CELL_FALSE] = TYPE_BOOLEAN,
        [CELL_TRUE] = TYPE_BOOLEAN,  [CELL_INT] = TYPE_INTEGER,
        [CELL_WHOLE] = TYPE_INTEGER, [CELL_REAL] = TYPE_NUMBER,
        [CELL_STRING] = TYPE_STRING, [CELL_KEY] = TYPE_STRING,
        [CELL_ARRAY] = TYPE_ARRAY,   [CELL_OBJECT] = TYPE_OBJECT,
    };
    enum surety__how how = own_part(shape, kind);
    bool spelling = kind == CELL_WHOLE && shape->lexical_integer &&
                    !(shape->types & TYPE_NUMBER);

    if (!(shape->types & types[kind]) || !(kinds >> kind & 1))
        return HOW_NO;
    if (!spelling && !own_checks(shape, kind))
        return how;
    shape->checks |= (uint16_t)(1u << kind);
    return how == HOW_WALK ? HOW_WALK : HOW_CHECK;
}

/* An applicator's say on values of a kind: NO, YES or WALK; then *ret_only is
 * the one shape that decides, or NULL where several do. */
static enum surety__how list_how(const surety__applicator *applicator,
                                 unsigned kind, const surety__shape **ret_only)
{
    bool all = applicator->kind == APPLY_ALL;
    uint32_t yes = 0;
    uint32_t open = 0;

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
        !fold_may_pass(compiler, shape, only))
        return HOW_WALK;
    if (only->how[kind] == HOW_ROUTE)
        only = only->route[kind];
    if (only == shape || !fold_may_pass(compiler, shape, only))
        return HOW_WALK;
    *ret_route = only;
    return HOW_ROUTE;
}

static surety_status fold_kinds(surety__compiler *compiler,
                                surety__shape *shape)
{
    unsigned kinds = UINT32_MAX;
    uint8_t how[CELL_KINDS] = {HOW_NO};

    shape->folded = FOLD_DONE;
    if (shape->always || shape->never)
        return SURETY_OK;
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
            return SURETY_NOMEM;
        shape->route[kind] = route;
    }
    memcpy(shape->how, how, sizeof(how));
    return SURETY_OK;
}

struct fold_step {
    surety__shape *shape;
    uint32_t applicator, branch;
};

/* The next shape that step leads to for the same value and that has not been
 * folded, or NULL. */
static surety__shape *fold_next(struct fold_step *step)
{
    while (step->applicator < step->shape->applicator_count) {
        const surety__applicator *applicator =
            &step->shape->applicators[step->applicator];

        while (step->branch < applicator->count) {
            const surety__shape *shape = applicator->shapes[step->branch++];

            if (shape && shape->direct->folded == FOLD_NONE)
                return FOLD_WRITABLE(surety__shape, shape->direct);
        }
        step->applicator++;
        step->branch = 0;
    }
    return NULL;
}

/* Depth first, with its own stack, so that a shape is folded after those that
 * it applies. */
static surety_status fold_tables(surety__compiler *compiler)
{
    const surety_alloc *alloc = compiler->schema->alloc;
    size_t bytes = compiler->shape_count * sizeof(struct fold_step);
    struct fold_step *stack = surety__resize(alloc, NULL, 0, bytes);
    surety_status status = stack ? SURETY_OK : SURETY_NOMEM;

    for (size_t i = 0; i < compiler->shape_count && !status; i++) {
        surety__shape *next = compiler->shapes[i];
        size_t depth = 0;

        if (next->folded != FOLD_NONE)
            continue;
        do {
            if (next) {
                next->folded = FOLD_OPEN;
                stack[depth++] = (struct fold_step){.shape = next};
            } else {
                status = fold_kinds(compiler, stack[--depth].shape);
            }
            next = depth ? fold_next(&stack[depth - 1]) : NULL;
        } while (depth && !status);
    }
    if (status)
        surety__fail_nomem(compiler->resolver.reterr);
    surety__free(alloc, stack, bytes);
    return status;
}

/* ---- words ------------------------------------------------------------- */

enum { WORDS_LISTED = 4 };

/* Room for count words, as a list or a table at most half full. */
static bool words_open(surety__compiler *compiler, surety__words *words,
                       size_t count)
{
    size_t room = count;

    if (count > WORDS_LISTED)
        for (room = 2 * WORDS_LISTED; room < 2 * count;)
            room *= 2;
    words->mask = count > WORDS_LISTED ? (uint32_t)room - 1 : 0;
    words->entries =
        surety__compiler_take(compiler, (room + 1) * sizeof(*words->entries));
    return words->entries != NULL;
}

/* The entry of text, new or old. */
static surety__word *words_add(surety__words *words, surety_str text)
{
    uint32_t hash = surety__hash(text.ptr, text.len);
    size_t at = hash & words->mask;

    while (words->entries[at].text.ptr &&
           !surety_str_equal(words->entries[at].text, text))
        at = words->mask ? (at + 1) & words->mask : at + 1;
    words->entries[at].text = text;
    if (text.len > words->longest)
        words->longest = text.len;
    words->entries[at].hash = hash;
    return &words->entries[at];
}

const surety__word *surety__words_find(const surety__words *words,
                                       surety_str text)
{
    const surety__word *entry = words->entries;
    uint32_t hash;

    if (text.len > words->longest)
        return NULL;
    if (!words->mask) {
        for (; entry->text.ptr; entry++)
            if (entry->text.len == text.len &&
                !memcmp(entry->text.ptr, text.ptr, text.len))
                return entry;
        return NULL;
    }
    hash = surety__hash(text.ptr, text.len);
    for (size_t at = hash & words->mask; entry[at].text.ptr;
         at = (at + 1) & words->mask)
        if (entry[at].hash == hash && surety_str_equal(entry[at].text, text))
            return &entry[at];
    return NULL;
}

/* enum or const, if they are strings and nothing else. */
static surety_status fold_words(surety__compiler *compiler,
                                surety__shape *shape)
{
    const surety__choices *choices =
        shape->constant ? shape->constant : shape->choices;
    surety__words *words;

    if (!choices || (shape->constant && shape->choices) ||
        choices_kinds(choices, shape->at.doc) !=
            (1u << CELL_STRING | 1u << CELL_KEY))
        return SURETY_OK;
    words = surety__compiler_take(compiler, sizeof(*words));
    if (!words || !words_open(compiler, words, choices->count))
        return SURETY_NOMEM;
    for (uint32_t i = 0; i < choices->count; i++)
        words_add(words, surety__cell_str(
                             shape->at.doc,
                             &shape->at.doc->cells[choices->list[i].value]));
    shape->words = words;
    return SURETY_OK;
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

static void slots_add(surety__slot *slots, uint32_t mask, surety__slot slot)
{
    uint32_t at = surety__slot_first(mask, slot.hash);

    while (slots[at].shape)
        at = (at + 1) & mask;
    slots[at] = slot;
}

static surety_status fold_objects(surety__compiler *compiler,
                                  surety__objects *objects,
                                  const surety__shape *anything)
{
    uint32_t room = 4;
    surety__slot *slots;

    objects->other = objects->additional && !objects->additional->always
                         ? objects->additional->direct
                         : NULL;
    objects->plain = objects->pattern_count == 0;
    while (room < 2 * objects->property_count)
        room *= 2;
    slots = surety__compiler_take(compiler, room * sizeof(*slots));
    if (!slots)
        return SURETY_NOMEM;
    for (uint32_t i = 0; i < objects->property_count; i++) {
        const surety__property *property = &objects->properties[i];
        const surety__shape *shape = property->shape  ? property->shape->direct
                                     : objects->other ? objects->other
                                                      : anything;

        if (!property->required && shape->always && !objects->other)
            continue;
        slots_add(slots, room - 1,
                  (surety__slot){.shape = shape,
                                 .name = property->name.ptr,
                                 .len = (uint32_t)property->name.len,
                                 .hash = (uint16_t)property->hash,
                                 .required = property->required,
                                 .covers = property->shape != NULL});
        objects->slot_count++;
    }
    objects->slots = slots;
    objects->slot_mask = room - 1;
    return SURETY_OK;
}

static void fold_arrays(surety__arrays *arrays)
{
    arrays->plain = !arrays->prefix_count && !arrays->contains &&
                    !arrays->unique && !arrays->unevaluated;
}

/* ---- branches ---------------------------------------------------------- */

enum { SWITCH_BRANCHES = 64, SWITCH_SHAPES = 16, SWITCH_MEMBERS = 4 };

/* A branch and what references and allOf of it apply to the same value. */
struct branch_parts {
    const surety__shape *shapes[SWITCH_SHAPES];
    uint32_t count;
};

static void branch_collect(const surety__shape *branch,
                           struct branch_parts *parts)
{
    parts->shapes[0] = branch->direct;
    parts->count = 1;
    for (uint32_t i = 0; i < parts->count; i++)
        for (uint32_t a = 0; a < parts->shapes[i]->applicator_count; a++) {
            const surety__applicator *applicator =
                &parts->shapes[i]->applicators[a];

            for (uint32_t s = 0;
                 applicator->kind == APPLY_ALL && s < applicator->count &&
                 parts->count < SWITCH_SHAPES;
                 s++)
                parts->shapes[parts->count++] = applicator->shapes[s]->direct;
        }
}

/* The strings that a branch allows its member, or NULL; *ret_required tells
 * whether it must be there. */
static const surety__words *branch_words(const struct branch_parts *parts,
                                         surety_str name, uint32_t hash,
                                         bool *ret_required)
{
    const surety__words *words = NULL;

    *ret_required = false;
    for (uint32_t i = 0; i < parts->count; i++) {
        const surety__property *property =
            parts->shapes[i]->objects
                ? surety__objects_named(parts->shapes[i]->objects, name, hash)
                : NULL;

        if (!property)
            continue;
        *ret_required = *ret_required || property->required;
        if (!words && property->shape)
            words = property->shape->direct->words;
    }
    return words;
}

/* How many branches fix the member by strings; *ret_words is how many strings
 * these are. */
static uint32_t switch_score(const surety__applicator *applicator,
                             surety_str name, uint32_t hash, size_t *ret_words)
{
    uint32_t score = 0;

    *ret_words = 0;
    for (uint32_t i = 0; i < applicator->count; i++) {
        struct branch_parts parts;
        const surety__words *words;
        bool required;

        branch_collect(applicator->shapes[i], &parts);
        words = branch_words(&parts, name, hash, &required);
        if (!words)
            continue;
        score++;
        for (size_t w = 0; words->mask ? w <= words->mask
                                       : words->entries[w].text.ptr != NULL;
             w++)
            *ret_words += words->entries[w].text.ptr != NULL;
    }
    return score;
}

static surety_status switch_build(surety__compiler *compiler,
                                  surety__applicator *applicator,
                                  const surety__property *member, size_t count)
{
    surety__switch *built = surety__compiler_take(compiler, sizeof(*built));

    if (!built || !words_open(compiler, &built->words, count))
        return SURETY_NOMEM;
    built->name = member->name;
    built->hash = (uint16_t)member->hash;
    for (uint32_t i = 0; i < applicator->count; i++) {
        struct branch_parts parts;
        const surety__words *words;
        uint64_t bit = (uint64_t)1 << i;
        bool required;

        if (applicator->shapes[i]->direct->how[CELL_OBJECT] == HOW_NO)
            continue;
        branch_collect(applicator->shapes[i], &parts);
        words = branch_words(&parts, member->name, member->hash, &required);
        if (!required)
            built->lacking |= bit;
        if (!words)
            built->open |= bit;
        for (size_t w = 0;
             words && (words->mask ? w <= words->mask
                                   : words->entries[w].text.ptr != NULL);
             w++)
            if (words->entries[w].text.ptr)
                words_add(&built->words, words->entries[w].text)->branches |=
                    bit;
    }
    applicator->branching = built;
    return SURETY_OK;
}

/* Looks among the first branches' members for one that tells most of them
 * apart. */
static surety_status fold_switch(surety__compiler *compiler,
                                 surety__applicator *applicator)
{
    const surety__property *best = NULL;
    uint32_t best_score = 1;
    size_t best_words = 0;
    unsigned tried = 0;

    if ((applicator->kind != APPLY_ANY && applicator->kind != APPLY_ONE) ||
        applicator->count < 2 || applicator->count > SWITCH_BRANCHES)
        return SURETY_OK;
    for (uint32_t i = 0; i < 2; i++) {
        struct branch_parts parts;

        branch_collect(applicator->shapes[i], &parts);
        for (uint32_t s = 0; s < parts.count; s++) {
            const surety__objects *objects = parts.shapes[s]->objects;

            for (uint32_t p = 0; objects && p < objects->property_count; p++) {
                const surety__property *property = &objects->properties[p];
                uint32_t score;
                size_t words;

                if (!property->shape || !property->shape->direct->words ||
                    tried == SWITCH_MEMBERS)
                    continue;
                tried++;
                score = switch_score(applicator, property->name, property->hash,
                                     &words);
                if (score > best_score) {
                    best_score = score;
                    best_words = words;
                    best = property;
                }
            }
        }
    }
    return best ? switch_build(compiler, applicator, best, best_words)
                : SURETY_OK;
}

/* ---- the whole --------------------------------------------------------- */

static void shape_begin(surety__compiler *compiler, surety__shape *shape)
{
    if (!shape->never && !shape->applicator_count && shape->types == TYPE_ANY &&
        !shape->choices && !shape->constant && !shape->numbers &&
        !shape->strings && !shape->arrays && !shape->objects)
        shape->always = true;
    shape->direct = shape_direct(compiler, shape);
    memset(shape->how,
           shape->always  ? HOW_YES
           : shape->never ? HOW_NO
                          : HOW_WALK,
           CELL_KINDS);
}

static surety_status shape_parts(surety__compiler *compiler,
                                 surety__shape *shape,
                                 const surety__shape *anything)
{
    surety_status status = SURETY_OK;

    if (shape->numbers)
        fold_numbers(FOLD_WRITABLE(surety__numbers, shape->numbers));
    if (shape->arrays)
        fold_arrays(FOLD_WRITABLE(surety__arrays, shape->arrays));
    if (shape->objects)
        status = fold_objects(
            compiler, FOLD_WRITABLE(surety__objects, shape->objects), anything);
    return status ? status : fold_words(compiler, shape);
}

static surety_status fold_branches(surety__compiler *compiler)
{
    surety__map seen = {.cap = 0};
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < compiler->shape_count && !status; i++) {
        surety__shape *shape = compiler->shapes[i];

        for (uint32_t a = 0; a < shape->applicator_count && !status; a++)
            status = branches_settle(compiler, shape->resource,
                                     &shape->applicators[a], &seen);
    }
    surety__map_done(&seen, compiler->schema->alloc);
    return status;
}

surety_status surety__fold(surety__compiler *compiler)
{
    surety__shape *anything =
        surety__compiler_take(compiler, sizeof(*anything));
    surety_status status = anything ? SURETY_OK : SURETY_NOMEM;

    if (status)
        return status;
    anything->always = true;
    anything->direct = anything;
    memset(anything->how, HOW_YES, CELL_KINDS);
    compiler->schema->dynamic = compiler->dynamic_count > 0;
    for (size_t i = 0; i < compiler->shape_count; i++)
        shape_begin(compiler, compiler->shapes[i]);
    status = fold_branches(compiler);
    if (!status)
        status = fold_tables(compiler);
    for (size_t i = 0; i < compiler->shape_count && !status; i++)
        status = shape_parts(compiler, compiler->shapes[i], anything);
    for (size_t i = 0; i < compiler->shape_count && !status; i++) {
        surety__shape *shape = compiler->shapes[i];

        for (uint32_t a = 0; a < shape->applicator_count && !status; a++)
            status =
                fold_switch(compiler, FOLD_WRITABLE(surety__applicator,
                                                    &shape->applicators[a]));
    }
    return status;
}
