/* SPDX-License-Identifier: Apache-2.0 */
/* Goals: what a value is to satisfy, with references, allOf and unions settled.
 *
 * A goal is a set of shapes that all have to hold: those that a member's
 * properties, patterns and allOf give it. It is expanded into alternatives, in
 * the order of the schema: in each, references and allOf are followed and one
 * branch of every anyOf, oneOf and if is taken, so that whoever aligns a value
 * sees plain lists of shapes. Equal goals are one, however often a schema that
 * refers to itself comes by; so what was found out for a goal and a value is
 * found again.
 *
 * What is not seen here - not, contains, dependencies, dynamic scopes - is seen
 * by the check of what comes out. */
#include "align/inside.h"

/* An alternative in the making: shapes up to `at` are followed, of that one
 * the applicators before `applied`. */
struct goal_draft {
    const surety__shape **shapes;
    uint32_t count, cap;
    uint32_t at, applied;
    struct goal_draft *next;
};

struct goal_expansion {
    surety_aligner *aligner;
    struct goal_draft *open; /* a stack */
    surety__alternative *list;
    size_t count, cap;
};

/* ---- goals --------------------------------------------------------------- */

static uint32_t goal_hash(const surety__shape **roots, uint32_t count)
{
    uint64_t hash = count;

    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ (uint64_t)(uintptr_t)roots[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* The roots without what says nothing and what is there twice; their count. */
static uint32_t goal_reduce(const surety__shape **roots, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        const surety__shape *shape = roots[i]->direct;
        uint32_t k = 0;

        while (k < kept && roots[k] != shape)
            k++;
        if (k == kept && !shape->always)
            roots[kept++] = shape;
    }
    return kept;
}

surety__goal *surety__goal_of(surety_aligner *aligner,
                              const surety__shape **roots, uint32_t count)
{
    surety__goal *first, *goal;
    uint32_t hash;

    if (!surety__aligner_charge(aligner, 1 + count))
        return NULL;
    count = goal_reduce(roots, count);
    if (!count)
        return NULL;
    hash = goal_hash(roots, count);
    first = surety__map_get(&aligner->goals, hash);
    for (goal = first; goal; goal = goal->next)
        if (goal->root_count == count &&
            !memcmp(goal->roots, roots, count * sizeof(*roots)))
            return goal;
    goal = surety__aligner_take(aligner, 1, sizeof(*goal));
    if (!goal)
        return NULL;
    goal->roots = surety__aligner_take(aligner, count, sizeof(*roots));
    if (!goal->roots)
        return NULL;
    memcpy(goal->roots, roots, count * sizeof(*roots));
    goal->root_count = count;
    goal->hash = hash;
    goal->next = first;
    if (!surety__map_put(&aligner->goals, aligner->alloc, hash, goal)) {
        aligner->status = SURETY_NOMEM;
        return NULL;
    }
    return goal;
}

bool surety__goal_holds(surety_aligner *aligner, const surety__goal *goal,
                        surety_val val)
{
    for (uint32_t i = 0; goal && i < goal->root_count; i++) {
        bool holds = false;
        surety_status status =
            surety__shape_check(aligner->checker, aligner->schema,
                                goal->roots[i], val, &aligner->work, &holds);

        if (status)
            aligner->status = status;
        if (status || !holds)
            return false;
    }
    return !aligner->status;
}

/* ---- alternatives -------------------------------------------------------- */

static bool draft_add(surety_aligner *aligner, struct goal_draft *draft,
                      const surety__shape *shape)
{
    const surety__shape **shapes;

    if (!shape || shape->direct->always)
        return true;
    shape = shape->direct;
    if (!surety__aligner_charge(aligner, 1 + draft->count / 8))
        return false;
    for (uint32_t i = 0; i < draft->count; i++)
        if (draft->shapes[i] == shape)
            return true;
    if (draft->count == draft->cap) {
        uint32_t cap = draft->cap + draft->cap / 2 + 4;

        shapes = surety__aligner_take(aligner, cap, sizeof(*shapes));
        if (!shapes)
            return false;
        if (draft->count)
            memcpy(shapes, draft->shapes, draft->count * sizeof(*shapes));
        draft->shapes = shapes;
        draft->cap = cap;
    }
    draft->shapes[draft->count++] = shape;
    return true;
}

/* A copy of draft with one or two more shapes, on the stack. */
static bool draft_fork(struct goal_expansion *expansion,
                       const struct goal_draft *draft,
                       const surety__shape *shape, const surety__shape *other)
{
    surety_aligner *aligner = expansion->aligner;
    struct goal_draft *fork;

    if (!surety__aligner_charge(aligner, 4 + draft->count / 8))
        return false;
    fork = surety__aligner_take(aligner, 1, sizeof(*fork));
    if (!fork)
        return false;
    *fork = *draft;
    fork->cap = fork->count; /* so that the first addition copies */
    fork->next = expansion->open;
    expansion->open = fork;
    return draft_add(aligner, fork, shape) && draft_add(aligner, fork, other);
}

/* The TYPE_ bits that a shape lets pass, as far as it knows by itself. */
static uint8_t draft_types(const surety__shape *shape)
{
    unsigned types = 0;

    types |= shape->how[CELL_NULL] != HOW_NO ? TYPE_NULL : 0u;
    types |= shape->how[CELL_FALSE] != HOW_NO || shape->how[CELL_TRUE] != HOW_NO
                 ? TYPE_BOOLEAN
                 : 0u;
    types |= shape->how[CELL_INT] != HOW_NO || shape->how[CELL_WHOLE] != HOW_NO
                 ? TYPE_INTEGER
                 : 0u;
    types |= shape->how[CELL_REAL] != HOW_NO ? TYPE_NUMBER : 0u;
    types |= shape->how[CELL_STRING] != HOW_NO ? TYPE_STRING : 0u;
    types |= shape->how[CELL_ARRAY] != HOW_NO ? TYPE_ARRAY : 0u;
    types |= shape->how[CELL_OBJECT] != HOW_NO ? TYPE_OBJECT : 0u;
    return (uint8_t)types;
}

static bool draft_finish(struct goal_expansion *expansion,
                         const struct goal_draft *draft)
{
    surety__alternative alternative = {.shapes = draft->shapes,
                                       .shape_count = draft->count,
                                       .types = TYPE_ANY};
    void *items = expansion->list;
    bool typed = false;
    unsigned named = 0;

    for (uint32_t i = 0; i < draft->count; i++) {
        const surety__shape *shape = draft->shapes[i];

        alternative.types &= draft_types(shape);
        alternative.enumerated =
            alternative.enumerated || shape->choices || shape->constant;
        typed = typed || shape->types != TYPE_ANY;
        named |= (shape->objects ? TYPE_OBJECT : 0u) |
                 (shape->arrays ? TYPE_ARRAY : 0u);
    }
    if (!alternative.types)
        return true;
    alternative.named = typed || alternative.enumerated
                            ? alternative.types
                            : (uint8_t)(alternative.types & named);
    if (surety__grow(expansion->aligner->alloc, &items, &expansion->cap,
                     expansion->count + 1, sizeof(alternative), UINT32_MAX)) {
        expansion->aligner->status = SURETY_NOMEM;
        return false;
    }
    expansion->list = items;
    expansion->list[expansion->count++] = alternative;
    return true;
}

/* Follows one applicator of a draft; *ret_forked: others go on in its place. */
static bool draft_follow(struct goal_expansion *expansion, surety__goal *goal,
                         struct goal_draft *draft,
                         const surety__applicator *applicator, bool *ret_forked)
{
    surety_aligner *aligner = expansion->aligner;
    bool all = applicator->kind == APPLY_ALL;

    if (all || applicator->kind == APPLY_DYNAMIC) {
        for (uint32_t i = 0; i < applicator->count; i++)
            if (!draft_add(aligner, draft, applicator->shapes[i]))
                return false;
        return true;
    }
    if (applicator->kind == APPLY_IF) {
        goal->several = true;
        *ret_forked = true;
        return draft_fork(expansion, draft, applicator->shapes[2], NULL) &&
               draft_fork(expansion, draft, applicator->shapes[0],
                          applicator->shapes[1]);
    }
    if (applicator->kind != APPLY_ANY && applicator->kind != APPLY_ONE)
        return true;
    *ret_forked = true;
    for (uint32_t i = applicator->count; i-- > 0;)
        if (!draft_fork(expansion, draft, applicator->shapes[i], NULL))
            return false;
    return true;
}

/* Takes the draft on top as far as it goes. */
static bool draft_step(struct goal_expansion *expansion, surety__goal *goal)
{
    struct goal_draft *draft = expansion->open;
    bool forked = false;

    expansion->open = draft->next;
    while (draft->at < draft->count) {
        const surety__shape *shape = draft->shapes[draft->at];

        if (draft->applied == shape->applicator_count) {
            draft->at++;
            draft->applied = 0;
            continue;
        }
        if (!draft_follow(expansion, goal, draft,
                          &shape->applicators[draft->applied++], &forked))
            return false;
        if (forked)
            return true;
    }
    return draft_finish(expansion, draft);
}

/* What its alternatives are taken together. */
static void goal_sum(surety__goal *goal)
{
    for (uint32_t i = 0; i < goal->alternative_count; i++) {
        const surety__alternative *alternative = &goal->alternatives[i];

        goal->types |= alternative->types;
        goal->named |= alternative->named;
        goal->open_string =
            goal->open_string ||
            (alternative->types & TYPE_STRING && !alternative->enumerated);
    }
}

bool surety__goal_expand(surety_aligner *aligner, surety__goal *goal)
{
    struct goal_expansion expansion = {.aligner = aligner};
    struct goal_draft first = {.at = 0};
    bool done = true;

    if (goal->expanded)
        return true;
    expansion.open = &first;
    for (uint32_t i = 0; i < goal->root_count && done; i++)
        done = draft_add(aligner, &first, goal->roots[i]);
    while (done && expansion.open)
        done = draft_step(&expansion, goal);
    if (done && expansion.count) {
        goal->alternatives = surety__aligner_take(aligner, expansion.count,
                                                  sizeof(*expansion.list));
        done = goal->alternatives != NULL;
    }
    if (done) {
        if (expansion.count)
            memcpy(goal->alternatives, expansion.list,
                   expansion.count * sizeof(*expansion.list));
        goal->alternative_count = (uint32_t)expansion.count;
        goal->several = goal->several || expansion.count > 1;
        goal_sum(goal);
        goal->expanded = true;
    }
    surety__free(aligner->alloc, expansion.list,
                 expansion.cap * sizeof(*expansion.list));
    return done;
}

bool surety__goal_scalars(surety_aligner *aligner, surety__goal *goal,
                          surety__goal *out)
{
    const unsigned scalars = TYPE_ANY & ~(TYPE_ARRAY | TYPE_OBJECT);

    if (!surety__goal_expand(aligner, goal))
        return false;
    *out = (surety__goal){.roots = goal->roots,
                          .root_count = goal->root_count,
                          .expanded = true,
                          .several = true};
    out->alternatives = surety__aligner_take(
        aligner, goal->alternative_count + 1u, sizeof(*out->alternatives));
    if (!out->alternatives)
        return false;
    for (uint32_t i = 0; i < goal->alternative_count; i++)
        if (goal->alternatives[i].named & scalars)
            out->alternatives[out->alternative_count++] = goal->alternatives[i];
    goal_sum(out);
    return true;
}

/* ---- what enum and const list -------------------------------------------- */

static void choices_count(const surety__choices *choices, uint32_t *count)
{
    if (choices)
        *count += choices->count;
}

static void choices_take(surety_aligner *aligner, surety__goal *goal,
                         const surety__shape *shape,
                         const surety__choices *choices)
{
    for (uint32_t i = 0; choices && i < choices->count; i++) {
        surety_val val = {shape->at.doc, (uint32_t)choices->list[i].value};
        surety__align_choice *choice = &goal->choices[goal->choice_count];
        uint32_t *slot;
        uint32_t other;

        if (surety_val_kind(val) != SURETY_KIND_STRING)
            continue;
        choice->val = val;
        choice->text = surety_val_str(val);
        choice->letters = surety__text_hash(surety__text_bare(choice->text));
        slot = &goal->choice_slots[choice->letters & goal->choice_mask];
        for (other = *slot; other; other = goal->choices[other - 1].next)
            if (!surety__aligner_charge(aligner, 1) ||
                surety_str_equal(goal->choices[other - 1].text, choice->text))
                break;
        if (other)
            continue;
        choice->next = *slot;
        *slot = ++goal->choice_count;
        if (choice->text.len > goal->choice_longest)
            goal->choice_longest = choice->text.len;
    }
}

bool surety__goal_list(surety_aligner *aligner, surety__goal *goal)
{
    uint32_t count = 0, size = 8;

    if (goal->listed)
        return true;
    for (uint32_t a = 0; a < goal->alternative_count; a++)
        for (uint32_t s = 0; s < goal->alternatives[a].shape_count; s++) {
            choices_count(goal->alternatives[a].shapes[s]->choices, &count);
            choices_count(goal->alternatives[a].shapes[s]->constant, &count);
        }
    if (!surety__aligner_charge(aligner, count))
        return false;
    while (size < 2 * count)
        size *= 2;
    goal->choices =
        surety__aligner_take(aligner, count + 1u, sizeof(*goal->choices));
    goal->choice_slots =
        surety__aligner_take(aligner, size, sizeof(*goal->choice_slots));
    if (!goal->choices || !goal->choice_slots)
        return false;
    goal->choice_mask = size - 1;
    for (uint32_t a = 0; a < goal->alternative_count; a++)
        for (uint32_t s = 0; s < goal->alternatives[a].shape_count; s++) {
            const surety__shape *shape = goal->alternatives[a].shapes[s];

            choices_take(aligner, goal, shape, shape->choices);
            choices_take(aligner, goal, shape, shape->constant);
        }
    goal->listed = true;
    return !aligner->status;
}

/* ---- the names of an alternative ---------------------------------------- */

static void names_add(surety_aligner *aligner, surety__alternative *alternative,
                      const surety__property *property)
{
    surety__known *name = &alternative->names[alternative->name_count];
    uint32_t *slot;
    uint32_t other;

    name->text = property->name;
    name->letters = surety__text_hash(surety__text_bare(property->name));
    name->required = property->required;
    slot = &alternative->slots[name->letters & alternative->slot_mask];
    for (other = *slot; other; other = alternative->names[other - 1].next)
        if (!surety__aligner_charge(aligner, 1) ||
            surety_str_equal(alternative->names[other - 1].text, name->text))
            break;
    if (other) {
        alternative->names[other - 1].required |= property->required;
        return;
    }
    name->hash = surety__hash(name->text.ptr, name->text.len) & 0xFFFF;
    name->next = *slot;
    *slot = ++alternative->name_count;
    slot = &alternative->exact_slots[name->hash & alternative->slot_mask];
    name->next_exact = *slot;
    *slot = alternative->name_count;
}

bool surety__names_make(surety_aligner *aligner,
                        surety__alternative *alternative)
{
    uint32_t count = 0, size = 8;

    if (alternative->names_ready)
        return true;
    for (uint32_t s = 0; s < alternative->shape_count; s++)
        if (alternative->shapes[s]->objects)
            count += alternative->shapes[s]->objects->property_count;
    if (!surety__aligner_charge(aligner, count))
        return false;
    while (size < 2 * count)
        size *= 2;
    alternative->names =
        surety__aligner_take(aligner, count + 1u, sizeof(*alternative->names));
    alternative->slots =
        surety__aligner_take(aligner, size, sizeof(*alternative->slots));
    alternative->exact_slots =
        surety__aligner_take(aligner, size, sizeof(*alternative->slots));
    if (!alternative->names || !alternative->slots || !alternative->exact_slots)
        return false;
    alternative->slot_mask = size - 1;
    for (uint32_t s = 0; s < alternative->shape_count; s++) {
        const surety__objects *objects = alternative->shapes[s]->objects;

        for (uint32_t p = 0; objects && p < objects->property_count; p++)
            names_add(aligner, alternative, &objects->properties[p]);
    }
    alternative->names_ready = true;
    return !aligner->status;
}

surety__known *surety__names_exact(const surety__alternative *alternative,
                                   const surety_doc *doc,
                                   const surety__cell *key)
{
    surety_str text = surety__cell_str(doc, key);

    for (uint32_t i =
             alternative->exact_slots[key->hash & alternative->slot_mask];
         i; i = alternative->names[i - 1].next_exact) {
        surety__known *name = &alternative->names[i - 1];

        if (name->hash == key->hash && surety_str_equal(name->text, text))
            return name;
    }
    return NULL;
}

/* One look at a name for key: the closest so far, *ret_torn where two are
 * equally close. */
static surety__known *names_closer(surety__known *best, surety__known *name,
                                   surety_str key,
                                   enum surety__closeness *ret_close,
                                   bool *ret_torn)
{
    enum surety__closeness close = surety__text_closeness(key, name->text);

    if (close == CLOSE_NOT) {
        close = surety__text_closeness(surety__text_bare(key),
                                       surety__text_bare(name->text));
        close = close < CLOSE_SEPARATOR ? CLOSE_SEPARATOR : close;
    }
    if (close == CLOSE_NOT || close > *ret_close)
        return best;
    *ret_torn = close == *ret_close;
    *ret_close = close;
    return name;
}

surety__known *surety__names_find(const surety__alternative *alternative,
                                  surety_str key,
                                  enum surety__closeness *ret_close)
{
    uint32_t letters = surety__text_hash(surety__text_bare(key));
    uint32_t first = alternative->slots[letters & alternative->slot_mask];
    surety__known *best = NULL;
    unsigned looks = 0;
    bool torn = false;

    *ret_close = CLOSE_SAME;
    for (uint32_t i = first; i; i = alternative->names[i - 1].next)
        if (surety_str_equal(alternative->names[i - 1].text, key))
            return &alternative->names[i - 1];
        else if (alternative->names[i - 1].letters == letters)
            looks++;
    *ret_close = CLOSE_NOT;
    for (uint32_t i = looks <= LIKENESS_MAX ? first : 0; i;
         i = alternative->names[i - 1].next)
        if (alternative->names[i - 1].letters == letters)
            best = names_closer(best, &alternative->names[i - 1], key,
                                ret_close, &torn);
    return torn ? NULL : best;
}
