/* SPDX-License-Identifier: Apache-2.0 */
/* Objects and arrays: which member is which property, and what each child is to
 * satisfy.
 *
 * An exact key stays what it is. Any other key that patterns do not name may be
 * a property's in another spelling, if that property is not there under its own
 * name and no second key claims it. A member that the schema does not allow is
 * left out; a member that it wants and that is not there is never made up. */
#include "align/inside.h"

/* An object and an alternative, while its members are looked at. */
struct object_work {
    surety_aligner *aligner;
    surety__alternative *alternative;
    surety_val object;
    surety__align_plan *plan;
    uint32_t *claims;             /* of each name: the member's number + 1 */
    bool *exact;                  /* of each name: its own key is there */
    const surety__shape **shapes; /* scratch */
    uint64_t cost;
};

/* ---- what a member is to satisfy ----------------------------------------- */

static bool member_has_pattern(struct object_work *work,
                               const surety__pattern *pattern, surety_str name)
{
    surety_aligner *aligner = work->aligner;
    int match;

    if (!surety__aligner_charge(aligner, 1 + name.len / 64))
        return false;
    match = surety__pattern_match(pattern, aligner->matcher, name);
    if (match < 0)
        aligner->status = (surety_status)match;
    surety__aligner_charge(aligner,
                           surety__matcher_steps(aligner->matcher) / 8);
    return match > 0 && !aligner->status;
}

/* Whether patternProperties of some shape name it. */
static bool member_is_patterned(struct object_work *work, surety_str name)
{
    for (uint32_t s = 0; s < work->alternative->shape_count; s++) {
        const surety__objects *objects = work->alternative->shapes[s]->objects;

        for (uint32_t p = 0; objects && p < objects->pattern_count; p++)
            if (member_has_pattern(work, objects->patterns[p].pattern, name))
                return true;
    }
    return false;
}

/* The shapes that one shape gives a member; false where it forbids it. */
static bool member_shapes(struct object_work *work,
                          const surety__objects *objects, surety_str name,
                          uint32_t *count, bool *ret_evaluated)
{
    const surety__property *property = surety__objects_named(
        objects, name, surety__hash(name.ptr, name.len) & 0xFFFF);
    bool matched = property && property->shape;

    if (matched)
        work->shapes[(*count)++] = property->shape;
    for (uint32_t p = 0; p < objects->pattern_count; p++)
        if (member_has_pattern(work, objects->patterns[p].pattern, name)) {
            matched = true;
            work->shapes[(*count)++] = objects->patterns[p].shape;
        }
    if (!matched && objects->additional) {
        if (objects->additional->never)
            return false;
        work->shapes[(*count)++] = objects->additional;
        matched = true;
    }
    *ret_evaluated = *ret_evaluated || matched;
    return true;
}

/* Whether a member of that name may be there; *ret_goal is for its value. */
static bool member_goal(struct object_work *work, surety_str name,
                        surety__goal **ret_goal)
{
    const surety__alternative *alternative = work->alternative;
    bool evaluated = false;
    uint32_t count = 0;

    for (uint32_t s = 0; s < alternative->shape_count; s++) {
        const surety__objects *objects = alternative->shapes[s]->objects;

        if (objects && !member_shapes(work, objects, name, &count, &evaluated))
            return false;
    }
    for (uint32_t s = 0; s < alternative->shape_count && !evaluated; s++) {
        const surety__objects *objects = alternative->shapes[s]->objects;

        if (!objects || !objects->unevaluated)
            continue;
        if (objects->unevaluated->never)
            return false;
        work->shapes[count++] = objects->unevaluated;
    }
    *ret_goal = surety__goal_of(work->aligner, work->shapes, count);
    return true;
}

/* Room for all the shapes that one member can be given. */
static bool member_room(struct object_work *work)
{
    size_t count = 1;

    for (uint32_t s = 0; s < work->alternative->shape_count; s++) {
        const surety__objects *objects = work->alternative->shapes[s]->objects;

        count += objects ? objects->pattern_count + 2u : 0u;
    }
    work->shapes =
        surety__aligner_take(work->aligner, count, sizeof(*work->shapes));
    return work->shapes != NULL;
}

/* ---- which member is which property -------------------------------------- */

static surety_str part_key(const struct object_work *work,
                           const surety__aligned_part *part)
{
    return surety_val_str((surety_val){work->object.doc, part->key});
}

static surety__edit_id key_edit(enum surety__closeness close)
{
    return close == CLOSE_CASE        ? EDIT_KEY_CASE
           : close == CLOSE_SEPARATOR ? EDIT_KEY_SEPARATOR
                                      : EDIT_KEY_ACCENT;
}

/* Lists the members and notes the keys that are exact. Of the others *near is
 * the name that each is close to, NULL: none. */
static bool parts_list(struct object_work *work, surety__known **near)
{
    const surety__cell *cell = surety__cell_of(work->object);
    const surety_doc *doc = work->object.doc;
    const surety__cell *key = cell + 1;

    for (uint32_t i = 0; i < cell->count; i++) {
        surety__aligned_part *part = &work->plan->parts[i];
        enum surety__closeness close;
        surety__known *name;

        part->key = (uint32_t)(key - doc->cells);
        if (!surety__aligner_charge(work->aligner, 1 + key->len / 64))
            return false;
        close = CLOSE_SAME;
        name = surety__names_exact(work->alternative, doc, key);
        if (!name)
            name = surety__names_find(work->alternative,
                                      surety__cell_str(doc, key), &close);
        key = surety__cell_after(key + 1);
        if (!name)
            continue;
        if (close == CLOSE_SAME) {
            size_t at = (size_t)(name - work->alternative->names);

            work->exact[at] = true;
            work->claims[at] = i + 1;
            part->known = name;
            part->name = name->text;
            part->optional = !name->required;
            continue;
        }
        near[i] = name;
        part->key_edit = (uint8_t)key_edit(close);
    }
    return true;
}

/* Gives the name that a key is close to to its member, if it is free. False
 * where two keys claim it. */
static bool part_rename(struct object_work *work, uint32_t i,
                        surety__known *name)
{
    surety__aligned_part *part = &work->plan->parts[i];
    size_t at = name ? (size_t)(name - work->alternative->names) : 0;
    surety_str key = part_key(work, part);
    surety__goal *goal;

    if (part->name.ptr)
        return true;
    if (!name || work->exact[at] || member_is_patterned(work, key) ||
        (!name->required && member_goal(work, key, &goal))) {
        part->key_edit = EDIT_NONE;
        part->name = key;
        part->optional = !name || !work->exact[at] ? part->optional : false;
        return true;
    }
    if (work->claims[at])
        return false;
    work->claims[at] = i + 1;
    part->known = name;
    part->name = name->text;
    part->optional = !name->required;
    work->cost += surety__edit_rows[part->key_edit].cost;
    return true;
}

/* What the value of a part is to satisfy, found once for each name. */
static bool part_goal(struct object_work *work, surety__aligned_part *part)
{
    surety__known *name = part->known;

    if (!name)
        return member_goal(work, part->name, &part->goal);
    if (!name->goal_known) {
        name->allowed = member_goal(work, part->name, &name->goal);
        name->goal_known = !work->aligner->status;
    }
    part->goal = name->goal;
    return name->allowed;
}

static bool parts_settle(struct object_work *work)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < work->plan->count; i++) {
        surety__aligned_part *part = &work->plan->parts[i];

        if (part_goal(work, part)) {
            kept++;
        } else if (part->key_edit || work->aligner->status) {
            return false;
        } else {
            part->left_out = EDIT_UNKNOWN_KEY;
            work->cost += surety__edit_rows[EDIT_UNKNOWN_KEY].cost;
        }
    }
    for (uint32_t i = 0; i < work->alternative->name_count; i++)
        if (work->alternative->names[i].required && !work->claims[i])
            return false;
    /* Where nothing of it counts, it was meant for something else. */
    return !work->aligner->status && (kept || !work->plan->count);
}

/* Whether the names that are required are there at all: a first look that
 * costs little, for unions of many branches. */
static bool parts_may_do(const struct object_work *work)
{
    uint32_t count = surety__cell_of(work->object)->count;
    uint32_t required = 0;

    for (uint32_t i = 0; i < work->alternative->name_count; i++)
        required += work->alternative->names[i].required;
    return required <= count;
}

surety__align_plan *surety__object_plan(surety_aligner *aligner,
                                        surety__alternative *alternative,
                                        surety_val object, uint64_t *ret_cost)
{
    uint32_t count = surety__cell_of(object)->count;
    struct object_work work = {
        .aligner = aligner, .alternative = alternative, .object = object};
    surety__known **near;

    if (!surety__names_make(aligner, alternative) || !parts_may_do(&work) ||
        !surety__aligner_charge(
            aligner, 1 + (count + (uint64_t)alternative->name_count) / 4))
        return NULL;
    work.plan = surety__plan_new(aligner, PLAN_OBJECT, EDIT_NONE, object);
    near = surety__aligner_take(aligner, count + 1u, sizeof(*near));
    work.claims = surety__aligner_take(aligner, alternative->name_count + 1u,
                                       sizeof(*work.claims));
    work.exact = surety__aligner_take(aligner, alternative->name_count + 1u,
                                      sizeof(*work.exact));
    if (!work.plan || !near || !work.claims || !work.exact ||
        !member_room(&work))
        return NULL;
    work.plan->count = count;
    work.plan->parts =
        surety__aligner_take(aligner, count + 1u, sizeof(*work.plan->parts));
    if (!work.plan->parts || !parts_list(&work, near))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!part_rename(&work, i, near[i]))
            return NULL;
    if (!parts_settle(&work))
        return NULL;
    *ret_cost = work.cost;
    return work.plan;
}

/* ---- arrays -------------------------------------------------------------- */

surety__goal *surety__item_goal(surety_aligner *aligner,
                                const surety__alternative *alternative,
                                uint64_t i)
{
    const surety__shape **shapes = surety__aligner_take(
        aligner, alternative->shape_count + 1u, sizeof(*shapes));
    uint32_t count = 0;

    for (uint32_t s = 0; shapes && s < alternative->shape_count; s++) {
        const surety__arrays *arrays = alternative->shapes[s]->arrays;
        const surety__shape *shape = NULL;

        if (arrays)
            shape = i < arrays->prefix_count ? arrays->prefix[i] : arrays->rest;
        if (shape)
            shapes[count++] = shape;
    }
    for (uint32_t s = 0; shapes && !count && s < alternative->shape_count;
         s++) {
        const surety__arrays *arrays = alternative->shapes[s]->arrays;

        if (arrays && arrays->unevaluated)
            shapes[count++] = arrays->unevaluated;
    }
    return shapes ? surety__goal_of(aligner, shapes, count) : NULL;
}

surety__align_plan *surety__array_plan(surety_aligner *aligner,
                                       const surety__alternative *alternative,
                                       surety_val array)
{
    uint32_t count = surety__cell_of(array)->count;
    surety__align_plan *plan;

    for (uint32_t s = 0; s < alternative->shape_count; s++) {
        const surety__arrays *arrays = alternative->shapes[s]->arrays;

        if (arrays && (count < arrays->min_items || count > arrays->max_items))
            return NULL;
    }
    plan = surety__plan_new(aligner, PLAN_ARRAY, EDIT_NONE, array);
    if (!plan)
        return NULL;
    plan->count = count;
    plan->items =
        surety__aligner_take(aligner, count + 1u, sizeof(*plan->items));
    return plan->items ? plan : NULL;
}
