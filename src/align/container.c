/* SPDX-License-Identifier: Apache-2.0 */
/* Objects and arrays: which member belongs to which property, and the goal of
 * each child.
 *
 * An exact key stays. Another key that no pattern names may be a property in
 * another spelling, if the property is not there under its own name and no
 * second key claims it. A member that the schema does not allow is left out. A
 * missing member is never invented. */
#include "align/inside.h"

/* The member that has a name. */
struct object_claim {
    uint32_t member; /* its index + 1; 0: none */
    bool exact;      /* its key is the name itself */
};

/* An object and an alternative, while the members are processed. */
struct object_work {
    surety__aligner *aligner;
    surety__alternative *alternative;
    surety_val object;
    surety__align_plan *plan;
    struct object_claim *claims; /* for each name */
    surety__member_facts member; /* scratch */
    uint64_t cost;
};

/* ---- the goal of a member ------------------------------------------------ */

/* Finds the schemas of a name. False: the status is set. */
static bool member_ask(struct object_work *work, surety_str name)
{
    return surety__conjunction_member(&work->aligner->graph,
                                      &work->alternative->all, name,
                                      surety__name_hash(name), &work->member);
}

/* Whether a member of this name is allowed; *ret_goal: the goal of its
 * value. */
static bool member_goal(struct object_work *work, surety_str name,
                        surety__goal **ret_goal)
{
    surety__member_facts *member = &work->member;

    if (!member_ask(work, name) || member->closed)
        return false;
    if (!member->covered) {
        surety__conjunction_unevaluated(
            &work->aligner->graph, &work->alternative->all, true, &member->all);
        if (surety__conjunction_never(&member->all))
            return false;
    }
    *ret_goal = surety__goal_of(work->aligner, &member->all);
    return true;
}

/* ---- members and properties ---------------------------------------------- */

static surety__edit_id key_edit(enum surety__closeness close)
{
    return close == CLOSE_CASE        ? EDIT_KEY_CASE
           : close == CLOSE_SEPARATOR ? EDIT_KEY_SEPARATOR
                                      : EDIT_KEY_ACCENT;
}

/* Lists the members and marks exact keys; near: of another key the closest
 * name, or NULL. */
static bool parts_list(struct object_work *work)
{
    const surety__cell *cell = surety__cell_of(work->object);
    const surety_doc *doc = work->object.doc;
    const surety__cell *key = cell + 1;

    for (uint32_t i = 0; i < cell->count; i++) {
        surety__aligned_part *part = &work->plan->parts[i];
        enum surety__closeness close;
        surety__entry *name;

        part->key = (uint32_t)(key - doc->cells);
        if (!surety__aligner_charge(work->aligner, 1 + key->len / 64))
            return false;
        name = surety__lexicon_find(&work->alternative->names,
                                    (surety_val){doc, part->key}, &close);
        key = surety__cell_after(key + 1);
        if (!name)
            continue;
        if (close == CLOSE_SAME) {
            size_t at = (size_t)(name - work->alternative->names.entries);

            work->claims[at] = (struct object_claim){i + 1, true};
            part->known = name;
            part->name = name->text;
            part->optional = !name->required;
            continue;
        }
        part->near = name;
        part->key_edit = (uint8_t)key_edit(close);
    }
    return true;
}

/* Renames a member to the name that its key is close to, if the name is free.
 * False: two keys claim it. */
static bool part_rename(struct object_work *work, uint32_t i)
{
    surety__aligned_part *part = &work->plan->parts[i];
    surety__entry *name = part->near;
    size_t at = name ? (size_t)(name - work->alternative->names.entries) : 0;
    surety_str key = surety_val_str((surety_val){work->object.doc, part->key});
    surety__goal *goal;

    if (part->name.ptr)
        return true;
    /* No property has the key's exact name, so a pattern names it. */
    if (!name || work->claims[at].exact ||
        (member_ask(work, key) && work->member.named) ||
        (!name->required && member_goal(work, key, &goal))) {
        part->key_edit = EDIT_NONE;
        part->name = key;
        return true;
    }
    if (work->claims[at].member)
        return false;
    work->claims[at].member = i + 1;
    part->known = name;
    part->name = name->text;
    part->optional = !name->required;
    work->cost += surety__edit_rows[part->key_edit].cost;
    return true;
}

/* The goal of a member's value, computed once for each name. */
static bool part_goal(struct object_work *work, surety__aligned_part *part)
{
    surety__entry *name = part->known;

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
    for (uint32_t i = 0; i < work->alternative->names.count; i++)
        if (work->alternative->names.entries[i].required &&
            !work->claims[i].member)
            return false;
    /* If no member is kept, the object was meant for something else. */
    return !work->aligner->status && (kept || !work->plan->count);
}

surety__align_plan *surety__object_plan(surety__aligner *aligner,
                                        surety__alternative *alternative,
                                        surety_val object, uint64_t *ret_cost)
{
    const uint32_t count = surety__cell_of(object)->count;
    uint32_t required = 0;
    struct object_work work = {
        .aligner = aligner, .alternative = alternative, .object = object};

    if (!surety__names_make(aligner, alternative))
        return NULL;
    /* Fewer members than required names: a cheap first test for unions of many
     * branches. */
    for (uint32_t i = 0; i < alternative->names.count; i++)
        required += alternative->names.entries[i].required;
    if (required > count ||
        !surety__aligner_charge(
            aligner, 1 + (count + (uint64_t)alternative->names.count) / 4))
        return NULL;
    work.plan = surety__plan_new(aligner, PLAN_OBJECT, EDIT_NONE, object);
    work.claims = surety__aligner_take(aligner, alternative->names.count + 1u,
                                       sizeof(*work.claims));
    if (!work.plan || !work.claims)
        return NULL;
    work.plan->count = count;
    work.plan->parts =
        surety__aligner_take(aligner, count + 1u, sizeof(*work.plan->parts));
    if (!work.plan->parts || !parts_list(&work))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!part_rename(&work, i))
            return NULL;
    if (!parts_settle(&work))
        return NULL;
    *ret_cost = work.cost;
    return work.plan;
}

surety__entry *surety__rows_name(surety__aligner *aligner,
                                 surety__alternative *alternative,
                                 surety__goal **ret_goal)
{
    struct object_work work = {.aligner = aligner, .alternative = alternative};
    surety__entry *only = NULL;

    if (!surety__names_make(aligner, alternative) ||
        !surety__aligner_charge(aligner, 1 + alternative->names.count / 4))
        return NULL;
    for (uint32_t i = 0; i < alternative->names.count; i++) {
        surety__entry *name = &alternative->names.entries[i];

        if (!name->required)
            continue;
        if (only)
            return NULL;
        only = name;
    }
    if (!only || !member_goal(&work, only->text, ret_goal) || !*ret_goal ||
        !surety__goal_expand(aligner, *ret_goal))
        return NULL;
    return (*ret_goal)->named & TYPE_ARRAY ? only : NULL;
}

/* ---- arrays -------------------------------------------------------------- */

surety__goal *surety__item_goal(surety__aligner *aligner,
                                const surety__alternative *alternative,
                                uint32_t i)
{
    surety__conjunction item = {NULL, 0, 0, false};

    if (!surety__conjunction_item(&aligner->graph, &alternative->all, i, &item))
        surety__conjunction_unevaluated(&aligner->graph, &alternative->all,
                                        false, &item);
    return surety__goal_of(aligner, &item);
}

surety__align_plan *surety__array_plan(surety__aligner *aligner,
                                       const surety__alternative *alternative,
                                       surety_val array)
{
    const uint32_t count = surety__cell_of(array)->count;
    const surety__range range =
        surety__conjunction_range(&alternative->all, COUNT_ITEMS);
    surety__align_plan *plan;

    assert(surety__cell_of(array)->kind == CELL_ARRAY);
    if (count < range.least || count > range.most)
        return NULL;
    plan = surety__plan_new(aligner, PLAN_ARRAY, EDIT_NONE, array);
    if (!plan)
        return NULL;
    plan->count = count;
    plan->items =
        surety__aligner_take(aligner, count + 1u, sizeof(*plan->items));
    return plan->items ? plan : NULL;
}
