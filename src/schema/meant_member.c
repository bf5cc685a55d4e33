/* SPDX-License-Identifier: Apache-2.0 */
/* The const and enum members of the branches of an anyOf or oneOf, for an
 * object that satisfies none of them.
 *
 * A branch is looked at with what its references and allOf apply to the same
 * value, MEANT_SHAPES at most. Nothing is evaluated here. */
#include "schema/machine.h"

enum { MEANT_SHAPES = 32, MEANT_MEMBERS = 256 };

/* A branch and what its references and allOf apply to the same value, a little
 * way; gives how many. */
static size_t meant_shapes(const surety__shape *branch,
                           const surety__shape *shapes[MEANT_SHAPES])
{
    size_t count = 1;

    shapes[0] = branch;
    for (size_t i = 0; i < count; i++)
        for (uint32_t a = 0; a < shapes[i]->applicator_count; a++) {
            const surety__applicator *applicator = &shapes[i]->applicators[a];

            for (uint32_t s = 0; applicator->kind == APPLY_ALL &&
                                 s < applicator->count && count < MEANT_SHAPES;
                 s++)
                shapes[count++] = applicator->shapes[s];
        }
    return count;
}

static const surety__choices *property_choices(const surety__property *property,
                                               const surety__shape **ret_of)
{
    if (!property || !property->shape)
        return NULL;
    *ret_of = surety__shape_meant(property->shape, NULL);
    return (*ret_of)->constant ? (*ret_of)->constant : (*ret_of)->choices;
}

bool surety__meant_fits(const surety_doc *doc, const surety__shape *branch,
                        const surety__cell *object)
{
    const surety__shape *shapes[MEANT_SHAPES];
    size_t count = meant_shapes(branch, shapes);
    bool fits = false;

    for (size_t i = 0; i < count; i++) {
        const surety__objects *objects = shapes[i]->objects;

        for (uint32_t p = 0; objects && p < objects->property_count; p++) {
            const surety__property *property = &objects->properties[p];
            const surety__shape *of = NULL;
            const surety__choices *choices = property_choices(property, &of);
            const surety__cell *member =
                choices ? surety__member_named(doc, object, property->name)
                        : NULL;

            if (!member)
                continue;
            if (!surety__choices_have(choices, of->at.doc,
                                      surety__val_of(doc, member)))
                return false;
            fits = true;
        }
    }
    return fits;
}

const surety__choices *surety__meant_choices(const surety_doc *doc,
                                             const surety__shape *branch,
                                             const surety__cell *key,
                                             const surety__shape **ret_of)
{
    const surety__shape *shapes[MEANT_SHAPES];
    size_t count = meant_shapes(branch, shapes);
    const surety__choices *choices = NULL;

    for (size_t i = 0; i < count && !choices; i++)
        if (shapes[i]->objects)
            choices = property_choices(
                surety__objects_find(shapes[i]->objects, doc, key), ret_of);
    return choices;
}

const surety__cell *surety__meant_unknown(const surety_doc *doc,
                                          const surety__applicator *applicator,
                                          const surety__cell *object)
{
    const surety__cell *key = object + 1;

    if (object->kind != CELL_OBJECT)
        return NULL;
    for (uint32_t m = 0; m < object->count && m < MEANT_MEMBERS; m++) {
        uint32_t refused = 0;

        for (uint32_t i = 0; i < applicator->count; i++) {
            const surety__shape *of = NULL;
            const surety__choices *choices =
                surety__meant_choices(doc, applicator->shapes[i], key, &of);

            if (!choices || surety__choices_have(choices, of->at.doc,
                                                 surety__val_of(doc, key + 1)))
                break;
            refused++;
        }
        if (refused == applicator->count)
            return key;
        key = surety__cell_after(key + 1);
    }
    return NULL;
}
