/* SPDX-License-Identifier: Apache-2.0 */
/* An if that asks for the value of one member, and the ladder of such ifs in
 * its else: the value leads to what applies, and no condition is tried.
 *
 * A condition is taken where it says nothing of objects but that one member has
 * one of some strings, booleans and null. All conditions of a ladder must be
 * about the same member; the rung of another is what applies where none before
 * it holds. Where dynamic references are left, every rung is part of their
 * scope, so there are no jumps. */
#include "schema/compile.h"

/* Each rung may be the first of a ladder: what comes later is left to another
 * jump. */
enum { JUMP_RUNGS = 32 };

/* The only member that a condition on objects is about; NULL: there is more to
 * it. */
static const surety__property *condition_member(const surety__shape *condition)
{
    const surety__objects *objects = condition->objects;
    const surety__property *property;

    if (!(condition->types & TYPE_OBJECT) || condition->applicator_count ||
        condition->choices || condition->constant || !objects ||
        objects->property_count != 1 || objects->pattern_count ||
        objects->names || objects->dependent_count || objects->unevaluated ||
        (objects->additional && !objects->additional->always) ||
        objects->min_properties || objects->max_properties != UINT64_MAX)
        return NULL;
    property = objects->properties;
    return property->shape ? property : NULL;
}

/* The values of a condition's member, where they are strings, booleans and null
 * alone; else NULL. */
static const surety__choices *condition_choices(const surety__shape *member)
{
    for (unsigned kind = CELL_INT; kind < CELL_KINDS; kind++)
        if (kind != CELL_STRING && kind != CELL_KEY &&
            member->how[kind] != HOW_NO)
            return NULL;
    return surety__shape_choices(member, member->at.doc);
}

/* The rung of an else: its if on objects, where it is nothing else. */
static const surety__applicator *rung_next(const surety__shape *other)
{
    const surety__shape *shape = other ? other->direct : NULL;

    return shape && shape->types & TYPE_OBJECT && !shape->objects &&
                   !shape->choices && !shape->constant &&
                   shape->applicator_count == 1 &&
                   shape->applicators->kind == APPLY_IF
               ? shape->applicators
               : NULL;
}

/* A jump that is being built. */
struct jump_build {
    surety__jump jump;
    surety__words words;
    const surety__shape *targets[JUMP_RUNGS + 1]; /* of the rungs, from 1 on */
    unsigned open; /* kinds below CELL_INT that no rung has yet */
    bool requires; /* every rung so far requires the member */
};

/* Adds the values that lead to `then`, unless an earlier rung has them. */
static void jump_take(struct jump_build *build, uint32_t rung,
                      const surety__property *property,
                      const surety__shape *then)
{
    const surety__shape *member = property->shape->direct;
    const surety__choices *choices = condition_choices(member);
    const surety_doc *doc = member->at.doc;

    build->targets[rung] = then;
    if (build->requires && !property->required) {
        build->jump.lacking = then;
        build->requires = false;
    }
    for (unsigned kind = CELL_NULL; kind <= CELL_TRUE; kind++)
        if (build->open >> kind & 1 && member->how[kind] == HOW_YES) {
            build->jump.kinds[kind] = then;
            build->open &= ~(1u << kind);
        }
    for (uint32_t i = 0; i < choices->count; i++) {
        const surety__cell *cell = &doc->cells[choices->list[i].value];
        surety__word *word;

        if (cell->kind != CELL_STRING || member->how[CELL_STRING] == HOW_NO)
            continue;
        word = surety__words_add(&build->words, surety__cell_str(doc, cell));
        if (!word->number)
            word->number = rung;
    }
}

/* The rungs of a ladder; returns how many. *ret_values is how many values they
 * have together. */
static uint32_t ladder_find(const surety__applicator *first,
                            const surety__applicator **rungs,
                            size_t *ret_values)
{
    const surety__property *member = NULL;
    uint32_t count = 0;

    *ret_values = 0;
    for (const surety__applicator *rung = first; rung && count < JUMP_RUNGS;
         rung = rung_next(rung->shapes[2])) {
        const surety__property *property =
            condition_member(rung->shapes[0]->direct);
        const surety__choices *choices =
            property ? condition_choices(property->shape->direct) : NULL;

        if (!choices ||
            (member && !surety_str_equal(member->name, property->name)))
            break;
        member = property;
        rungs[count++] = rung;
        *ret_values += choices->count;
    }
    return count;
}

bool surety__fold_jump(surety__compiler *compiler,
                       surety__applicator *applicator)
{
    const surety__applicator *rungs[JUMP_RUNGS];
    struct jump_build build = {.open = (1u << CELL_INT) - 1, .requires = true};
    const surety__property *property;
    const surety__shape *other;
    size_t values;
    uint32_t count;

    if (applicator->kind != APPLY_IF || compiler->schema->dynamic)
        return true;
    count = ladder_find(applicator, rungs, &values);
    if (!count)
        return true;
    if (!surety__words_open(compiler, &build.words, values))
        return false;
    for (uint32_t i = 0; i < count; i++)
        jump_take(&build, i + 1, condition_member(rungs[i]->shapes[0]->direct),
                  rungs[i]->shapes[1]);
    other = rungs[count - 1]->shapes[2];
    build.targets[0] = other;
    if (build.requires)
        build.jump.lacking = other;
    for (unsigned kind = CELL_NULL; kind <= CELL_TRUE; kind++)
        if (build.open >> kind & 1)
            build.jump.kinds[kind] = other;
    property = condition_member(applicator->shapes[0]->direct);
    build.jump.name = property->name;
    build.jump.hash = property->hash;
    build.jump.words =
        surety__compiler_keep(compiler, &build.words, sizeof(build.words));
    build.jump.targets = surety__compiler_keep(
        compiler, build.targets, (count + 1) * sizeof(*build.targets));
    build.jump.target_count = count + 1;
    applicator->jump =
        surety__compiler_keep(compiler, &build.jump, sizeof(build.jump));
    return build.jump.words && build.jump.targets && applicator->jump;
}
