/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two subschemas are equal in meaning, with everything that they
 * reach: a text that is equal may refer to subschemas that differ.
 *
 * Pairs of shapes are compared, from the given pair on: in place, below, and
 * through references. The assertions of a pair must be equal as JSON, and its
 * subschemas form pairs by their names or positions. Annotations and names of
 * definitions do not count. Each pair is visited once, so references may form
 * cycles; pairs found equal are remembered. If more than SURETY_DIFF_PAIRS_MAX
 * pairs would be visited, the answer is no, and a possible change is reported.
 *
 * The target of a dynamic reference depends on the path to it; there the
 * contracts must be equal. */
#include "diff/diff.h"

struct same_pair {
    const surety__shape *before, *after;
};

struct same_walk {
    surety_diff *diff;
    struct same_pair *pairs; /* a stack */
    size_t count, cap, met;
    bool differs;
};

static void same_push(struct same_walk *walk, const surety__shape *before,
                      const surety__shape *after)
{
    surety_diff *diff = walk->diff;
    uint64_t key;

    assert(walk->met <= SURETY_DIFF_PAIRS_MAX + 1u);
    if (!before || !after)
        walk->differs = walk->differs || before || after;
    if (!before || !after || walk->differs || diff->status)
        return;
    /* A shape with only a reference is replaced by its target. */
    before = before->direct ? before->direct : before;
    after = after->direct ? after->direct : after;
    key = surety__diff_mix(surety__diff_mix(1, (uintptr_t)before),
                           (uintptr_t)after);
    if (surety__map_get(&diff->same, key))
        return;
    walk->differs = walk->met++ == SURETY_DIFF_PAIRS_MAX;
    if (!surety__map_put(&diff->same, diff->alloc, key, diff))
        diff->status = SURETY_NOMEM;
    else
        diff->status =
            surety__grow(diff->alloc, &walk->pairs, &walk->cap, walk->count + 1,
                         sizeof(*walk->pairs), SIZE_MAX);
    if (!diff->status)
        walk->pairs[walk->count++] = (struct same_pair){before, after};
}

/* ---- assertions ---------------------------------------------------------- */

/* Whether a keyword has an effect by its value alone: its dialect knows it, it
 * is not an identifier, it contains no subschemas, and no later member
 * replaces it. */
static bool same_counts(const surety__shape *shape, surety_val member)
{
    const surety_str name = surety_val_str(surety_val_key(member));
    const surety__keyword keyword = surety__keyword_in(
        surety__keyword_named(name), shape->resource->dialect);
    const surety__keyword_row *row = &surety__keyword_rows[keyword];

    return keyword != KW_NONE && row->vocabulary != VOCABULARY_CORE &&
           row->form < FORM_SCHEMA &&
           surety_val_member(shape->at, name).index == member.index;
}

static size_t same_count(const surety__shape *shape)
{
    size_t count = 0;

    SURETY_EACH (member, shape->at)
        count += same_counts(shape, member);
    return count;
}

bool surety__diff_is_lexical(const surety__shape *shape)
{
    return shape->lexical_integer && (shape->types & TYPE_INTEGER) &&
           !(shape->types & TYPE_NUMBER);
}

bool surety__diff_same_strings(const surety__shape *before,
                               const surety__shape *after)
{
    static const surety__strings none = {.format = NULL};
    const surety__strings *a = before->strings ? before->strings : &none;
    const surety__strings *b = after->strings ? after->strings : &none;

    return a->format == b->format && a->content_base64 == b->content_base64 &&
           a->content_json == b->content_json;
}

/* Compares the names that a member requires; `dependencies` may have them
 * beside subschemas. */
static bool same_dependents(const surety__shape *before,
                            const surety__shape *after)
{
    const surety__objects *left = before->objects;
    const surety__objects *right = after->objects;

    if ((left ? left->dependent_count : 0) !=
        (right ? right->dependent_count : 0))
        return false;
    for (uint32_t i = 0; left && i < left->dependent_count; i++) {
        const surety__dependent_required *one = &left->dependents[i];
        uint32_t j = 0;

        while (j < right->dependent_count &&
               (one->keyword != right->dependents[j].keyword ||
                !surety_str_equal(one->key, right->dependents[j].key)))
            j++;
        if (j == right->dependent_count ||
            !surety_val_equal(
                surety__val_of(before->at.doc, one->names),
                surety__val_of(after->at.doc, right->dependents[j].names)))
            return false;
    }
    return true;
}

static bool same_assertions(const surety__shape *before,
                            const surety__shape *after)
{
    if (before->never != after->never || before->always != after->always ||
        surety__diff_is_lexical(before) != surety__diff_is_lexical(after) ||
        before->resource->vocabularies != after->resource->vocabularies ||
        !surety__diff_same_strings(before, after) ||
        same_count(before) != same_count(after))
        return false;
    SURETY_EACH (member, before->at)
        if (same_counts(before, member) &&
            !surety_val_equal(
                member, surety_val_member(
                            after->at, surety_val_str(surety_val_key(member)))))
            return false;
    return same_dependents(before, after);
}

/* ---- subschemas ---------------------------------------------------------- */

/* Adds a pair if `before` is inside the text `within`; NONE: always. */
static void same_child(struct same_walk *walk, surety_val within,
                       const surety__shape *before, const surety__shape *after)
{
    if (within.doc && (!before || before->at.doc != within.doc ||
                       before->at.index < within.index ||
                       surety__cell_of(before->at) >=
                           surety__cell_after(surety__cell_of(within))))
        return;
    same_push(walk, before, after);
}

static const surety__shape *same_pattern(const surety__objects *objects,
                                         surety_str source)
{
    for (uint32_t i = 0; objects && i < objects->pattern_count; i++)
        if (surety_str_equal(objects->patterns[i].source, source))
            return objects->patterns[i].shape;
    return NULL;
}

static void same_objects(struct same_walk *walk, surety_val within,
                         const surety__objects *before,
                         const surety__objects *after)
{
    static const surety__objects none = {.property_count = 0};
    const surety__objects *other = after ? after : &none;

    for (uint32_t i = 0; i < before->property_count; i++) {
        const surety__property *one = &before->properties[i];
        const surety__property *found =
            one->shape && after
                ? surety__objects_named(after, one->name, one->hash)
                : NULL;

        same_child(walk, within, one->shape, found ? found->shape : NULL);
    }
    for (uint32_t i = 0; i < before->pattern_count; i++)
        same_child(walk, within, before->patterns[i].shape,
                   same_pattern(after, before->patterns[i].source));
    same_child(walk, within, before->additional, other->additional);
    same_child(walk, within, before->names, other->names);
    same_child(walk, within, before->unevaluated, other->unevaluated);
}

static void same_arrays(struct same_walk *walk, surety_val within,
                        const surety__arrays *before,
                        const surety__arrays *after)
{
    static const surety__arrays none = {.prefix_count = 0};
    const surety__arrays *other = after ? after : &none;

    for (uint32_t i = 0; i < before->prefix_count; i++)
        same_child(walk, within, before->prefix[i],
                   i < other->prefix_count ? other->prefix[i] : NULL);
    same_child(walk, within, before->rest, other->rest);
    same_child(walk, within, before->contains, other->contains);
    same_child(walk, within, before->unevaluated, other->unevaluated);
}

/* The applicator of shape that corresponds to `one`; NULL: none. It usually
 * has the same index. */
static const surety__applicator *same_applicator(const surety__shape *shape,
                                                 const surety__applicator *one,
                                                 uint32_t place)
{
    for (uint32_t i = 0; i < shape->applicator_count; i++) {
        const surety__applicator *other =
            &shape->applicators[(place + i) % shape->applicator_count];

        if (other->keyword == one->keyword &&
            surety_str_equal(other->key, one->key) &&
            surety_str_equal(other->value, one->value))
            return other;
    }
    return NULL;
}

static void same_children(struct same_walk *walk, surety_val within,
                          const surety__shape *before,
                          const surety__shape *after)
{
    if (before->objects)
        same_objects(walk, within, before->objects, after->objects);
    if (before->arrays)
        same_arrays(walk, within, before->arrays, after->arrays);
    for (uint32_t i = 0; i < before->applicator_count; i++) {
        const surety__applicator *one = &before->applicators[i];
        const surety__applicator *other = same_applicator(after, one, i);

        walk->differs |= one->kind == APPLY_DYNAMIC && !within.doc &&
                         !walk->diff->is_unchanged;
        for (uint32_t j = 0; j < one->count; j++)
            same_child(walk, within, one->shapes[j],
                       other && j < other->count ? other->shapes[j] : NULL);
    }
}

static size_t same_child_count(const surety__shape *shape)
{
    const surety__objects *objects = shape->objects;
    const surety__arrays *arrays = shape->arrays;
    size_t count = 0;

    for (uint32_t i = 0; objects && i < objects->property_count; i++)
        count += objects->properties[i].shape != NULL;
    if (objects)
        count += (size_t)objects->pattern_count +
                 (objects->additional != NULL) + (objects->names != NULL) +
                 (objects->unevaluated != NULL);
    if (arrays)
        count += (size_t)arrays->prefix_count + (arrays->rest != NULL) +
                 (arrays->contains != NULL) + (arrays->unevaluated != NULL);
    for (uint32_t i = 0; i < shape->applicator_count; i++)
        count += shape->applicators[i].count;
    return count;
}

/* Compares the pairs pushed, and ends the walk. */
static bool same_end(struct same_walk *walk)
{
    surety_diff *diff = walk->diff;

    while (walk->count > 0 && !walk->differs && !diff->status) {
        const struct same_pair pair = walk->pairs[--walk->count];

        if (!same_assertions(pair.before, pair.after) ||
            same_child_count(pair.before) != same_child_count(pair.after))
            walk->differs = true;
        else
            same_children(walk, surety_val_none(), pair.before, pair.after);
    }
    surety__free(diff->alloc, walk->pairs, walk->cap * sizeof(*walk->pairs));
    /* It is unknown which of the visited pairs differ, so all are forgotten. */
    if (walk->differs)
        surety__map_done(&diff->same, diff->alloc);
    return !walk->differs;
}

bool surety__diff_same(surety_diff *diff, const surety__shape *before,
                       const surety__shape *after)
{
    struct same_walk walk = {.diff = diff};

    same_push(&walk, before, after);
    return same_end(&walk);
}

bool surety__diff_same_below(surety_diff *diff, const surety__shape *before,
                             const surety__shape *after, const char *keyword)
{
    struct same_walk walk = {.diff = diff};

    same_children(&walk, surety_val_get(before->at, keyword), before, after);
    return same_end(&walk);
}

bool surety__diff_same_union(surety_diff *diff,
                             const surety__applicator *before,
                             const surety__applicator *after)
{
    struct same_walk walk = {.diff = diff};

    walk.differs = before->kind != after->kind || before->count != after->count;
    for (uint32_t i = 0; i < before->count && !walk.differs; i++)
        same_push(&walk, before->shapes[i], after->shapes[i]);
    return same_end(&walk);
}
