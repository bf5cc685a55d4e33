/* SPDX-License-Identifier: Apache-2.0 */
/* Goals: the conjunction that a value must satisfy, with references, allOf and
 * unions resolved.
 *
 * A goal is expanded into alternatives, in the order of the schema. In each,
 * references and allOf are followed, and one branch of every anyOf, oneOf and
 * if is chosen, so that a plan works on a plain list of shapes. The branches
 * are digits, of which the last union's counts fastest; counting visits all
 * alternatives. Equal goals are the same goal, however often a recursive
 * schema leads to it, so results for a goal and a value are reused.
 *
 * This file does not handle not, contains, dependencies and dynamic scopes;
 * the check of the result does. */
#include "align/inside.h"

/* A union on the way, and the chosen branch. */
struct goal_digit {
    uint32_t branch, count;
};

struct goal_expansion {
    surety__aligner *aligner;
    surety__goal *goal;
    surety__conjunction all; /* the current alternative */
    struct goal_digit *digits;
    size_t digit_count, digit_cap;
    size_t met; /* unions of the current alternative so far */
    size_t cap; /* of the goal's alternatives */
};

/* ---- goals --------------------------------------------------------------- */

surety__goal *surety__goal_of(surety__aligner *aligner,
                              const surety__conjunction *roots)
{
    surety__conjunction_node *node;
    surety__goal *goal;

    if (!surety__aligner_charge(aligner, 1 + roots->count) || !roots->count)
        return NULL;
    node = surety__graph_node(&aligner->graph, roots, TYPE_ANY);
    if (!node || node->made)
        return node ? node->made : NULL;
    goal = surety__aligner_take(aligner, 1, sizeof(*goal));
    if (goal)
        goal->roots = &node->all;
    node->made = goal;
    return goal;
}

surety__goal *surety__goal_root(surety__aligner *aligner)
{
    surety__conjunction roots = {NULL, 0, 0, false};

    surety__conjunction_add(&aligner->graph, &roots,
                            (surety__conjunct){.shape = aligner->schema->root});
    return surety__goal_of(aligner, &roots);
}

bool surety__goal_holds(surety__aligner *aligner, const surety__goal *goal,
                        surety_val val)
{
    bool holds = true;
    surety_status status = SURETY_OK;

    if (goal)
        status =
            surety__conjunction_check(aligner->checker, aligner->schema,
                                      goal->roots, val, &aligner->work, &holds);
    if (status)
        aligner->status = status;
    return holds && !aligner->status;
}

/* ---- alternatives -------------------------------------------------------- */

/* The TYPE_ bits that a shape accepts, as far as it decides alone. */
static uint8_t shape_kinds(const surety__shape *shape)
{
    unsigned types = 0;

    for (uint8_t kind = CELL_NULL; kind < CELL_KINDS; kind++)
        if (kind != CELL_KEY && shape->how[kind] != HOW_NO)
            types |=
                surety__type_bits(NULL, &(surety__cell){.kind = kind}, false);
    return (uint8_t)types;
}

/* Keeps the current alternative, unless no type is left. */
static bool alternative_keep(struct goal_expansion *expansion)
{
    surety__aligner *aligner = expansion->aligner;
    surety__goal *goal = expansion->goal;
    const surety__conjunction *all = &expansion->all;
    surety__alternative alternative = {.types = TYPE_ANY};
    const bool typed = surety__conjunction_types(all) != TYPE_ANY;
    const surety__conjunction_node *node;

    for (size_t i = 0; i < all->count; i++)
        alternative.types &= shape_kinds(all->items[i].shape);
    if (!alternative.types)
        return true;
    alternative.enumerated = surety__conjunction_listing(all) != NULL;
    alternative.named = alternative.types;
    if (!typed && !alternative.enumerated)
        alternative.named &=
            surety__conjunction_speaks(all) & (TYPE_OBJECT | TYPE_ARRAY);
    node = surety__graph_node(&aligner->graph, all, TYPE_ANY);
    if (!node || !surety__aligner_room(aligner, &goal->alternatives,
                                       &expansion->cap, goal->alternative_count,
                                       sizeof(*goal->alternatives)))
        return false;
    alternative.all = node->all;
    goal->alternatives[goal->alternative_count++] = alternative;
    return true;
}

/* The branch of the current union; a new union begins with its first branch. */
static bool expansion_digit(struct goal_expansion *expansion, uint32_t count,
                            uint32_t *ret_branch)
{
    surety__aligner *aligner = expansion->aligner;

    if (expansion->met == expansion->digit_count) {
        if (!surety__aligner_room(aligner, &expansion->digits,
                                  &expansion->digit_cap, expansion->digit_count,
                                  sizeof(*expansion->digits)))
            return false;
        expansion->digits[expansion->digit_count++] =
            (struct goal_digit){0, count};
    }
    *ret_branch = expansion->digits[expansion->met++].branch;
    return true;
}

/* Applies the chosen branch of a union. */
static bool expansion_decide(void *context, surety__conjunction *all, size_t i,
                             const surety__applicator *one)
{
    struct goal_expansion *expansion = context;
    surety__graph *graph = &expansion->aligner->graph;
    const bool is_if = one->kind == APPLY_IF;
    uint32_t branch = 0;

    if (one->kind == APPLY_DYNAMIC)
        return surety__conjunction_apply(graph, all, i, one->shapes[0]);
    if (!is_if && one->kind != APPLY_ANY && one->kind != APPLY_ONE)
        return true;
    expansion->goal->several |= is_if;
    if (!expansion_digit(expansion, is_if ? 2 : one->count, &branch))
        return false;
    if (is_if && branch == 0)
        return surety__conjunction_apply(graph, all, i, one->shapes[0]) &&
               surety__conjunction_apply(graph, all, i, one->shapes[1]);
    return surety__conjunction_apply(graph, all, i,
                                     one->shapes[is_if ? 2 : branch]);
}

/* Goes on to the next alternative; false: there is none left. */
static bool expansion_next(struct goal_expansion *expansion)
{
    assert(expansion->met == expansion->digit_count);
    while (expansion->digit_count) {
        struct goal_digit *last =
            &expansion->digits[expansion->digit_count - 1];

        if (++last->branch < last->count)
            return true;
        expansion->digit_count--;
    }
    return false;
}

/* Makes one alternative. */
static bool expansion_step(struct goal_expansion *expansion)
{
    surety__aligner *aligner = expansion->aligner;
    const surety__conjunction *roots = expansion->goal->roots;

    expansion->met = 0;
    expansion->all.count = 0;
    for (size_t i = 0; i < roots->count; i++)
        if (!surety__conjunction_add(&aligner->graph, &expansion->all,
                                     roots->items[i]))
            return false;
    return surety__aligner_charge(aligner, 4) &&
           surety__conjunction_follow(&aligner->graph, &expansion->all,
                                      expansion_decide, expansion) &&
           alternative_keep(expansion);
}

/* Combines the properties of the alternatives. */
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

bool surety__goal_expand(surety__aligner *aligner, surety__goal *goal)
{
    struct goal_expansion expansion = {.aligner = aligner, .goal = goal};
    bool done;

    if (goal->expanded)
        return true;
    do
        done = expansion_step(&expansion);
    while (done && expansion_next(&expansion));
    if (done) {
        goal->several = goal->several || goal->alternative_count > 1;
        goal_sum(goal);
        goal->expanded = true;
    }
    return done;
}

bool surety__goal_scalars(surety__aligner *aligner, surety__goal *goal,
                          surety__goal *out)
{
    const unsigned scalars = TYPE_ANY & ~(TYPE_ARRAY | TYPE_OBJECT);

    if (!surety__goal_expand(aligner, goal))
        return false;
    *out =
        (surety__goal){.roots = goal->roots, .expanded = true, .several = true};
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

/* ---- lexicons ------------------------------------------------------------ */

/* Adds the strings of an enum or const of shape. */
static void goal_list(surety__aligner *aligner, surety__goal *goal,
                      const surety__shape *shape,
                      const surety__choices *choices)
{
    for (uint32_t i = 0; choices && i < choices->count; i++) {
        const surety_val val = {shape->at.doc,
                                (uint32_t)choices->list[i].value};
        surety__entry *choice;

        if (surety_val_kind(val) != SURETY_KIND_STRING)
            continue;
        choice =
            surety__lexicon_add(aligner, &goal->choices, surety_val_str(val));
        if (choice && !choice->val.doc)
            choice->val = val;
    }
}

bool surety__goal_list(surety__aligner *aligner, surety__goal *goal)
{
    uint32_t count = 0;

    if (goal->choices.entries)
        return !aligner->status;
    for (uint32_t a = 0; a < goal->alternative_count; a++)
        for (size_t s = 0; s < goal->alternatives[a].all.count; s++) {
            const surety__shape *shape =
                goal->alternatives[a].all.items[s].shape;

            count += shape->choices ? shape->choices->count : 0;
            count += shape->constant ? shape->constant->count : 0;
        }
    if (!surety__lexicon_make(aligner, &goal->choices, count))
        return false;
    for (uint32_t a = 0; a < goal->alternative_count; a++)
        for (size_t s = 0; s < goal->alternatives[a].all.count; s++) {
            const surety__shape *shape =
                goal->alternatives[a].all.items[s].shape;

            goal_list(aligner, goal, shape, shape->choices);
            goal_list(aligner, goal, shape, shape->constant);
        }
    return !aligner->status;
}

bool surety__names_make(surety__aligner *aligner,
                        surety__alternative *alternative)
{
    const surety__conjunction *all = &alternative->all;
    uint32_t count = 0;

    if (alternative->names.entries)
        return !aligner->status;
    for (size_t s = 0; s < all->count; s++)
        if (all->items[s].shape->objects)
            count += all->items[s].shape->objects->property_count;
    if (!surety__lexicon_make(aligner, &alternative->names, count))
        return false;
    for (size_t s = 0; s < all->count; s++) {
        const surety__objects *objects = all->items[s].shape->objects;

        for (uint32_t p = 0; objects && p < objects->property_count; p++) {
            const surety__property *property = &objects->properties[p];
            surety__entry *name = surety__lexicon_add(
                aligner, &alternative->names, property->name);

            if (name)
                name->required |= property->required;
        }
    }
    return !aligner->status;
}
