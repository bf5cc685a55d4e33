/* SPDX-License-Identifier: Apache-2.0 */
/* What two sides say of members and items. A member that only the new side
 * names is new, which breaks nobody who reads by name. Where an object is open
 * a member may come without being named, as what additional members may be; so
 * one that is named, or no longer is, is compared with those. */
#include "diff/diff.h"

/* What a side says of one member. */
struct member_said {
    surety__side side;
    const surety__property *property; /* the first that names it */
    const surety_doc *doc;            /* of that property's default */
    const surety__cell *default_val;
    bool required;
    bool named;  /* by properties or patternProperties */
    bool closed; /* additionalProperties is false for it */
};

/* Whether an object may be taken for a member that it has, or for how many they
 * are. Who reads by name then meets objects that were never there. */
static bool members_count(const surety__side *side)
{
    for (size_t i = 0; i < side->count; i++) {
        const surety__shape *part = side->parts[i];

        if (part->objects && (part->objects->min_properties > 0 ||
                              part->objects->dependent_count > 0))
            return true;
        for (uint32_t j = 0; j < part->applicator_count; j++)
            if (part->applicators[j].kind >= APPLY_NOT ||
                part->applicators[j].kind == APPLY_DYNAMIC)
                return true;
    }
    return false;
}

/* Whether members that are not named are refused, in so many words. */
static bool members_are_closed(const surety__objects *objects)
{
    return objects->additional && objects->additional->never;
}

static bool member_pattern_holds(const surety__pattern *pattern,
                                 surety__matcher *matcher, surety_str name)
{
    return matcher && surety__pattern_match(pattern, matcher, name) == 1;
}

static void member_ask(const surety__side *side, surety_str name,
                       surety__matcher *matcher, struct member_said *said)
{
    const uint32_t hash = surety__hash(name.ptr, name.len) & 0xFFFF;

    *said = (struct member_said){.named = false};
    for (size_t i = 0; i < side->count; i++) {
        const surety__objects *objects = side->parts[i]->objects;
        const surety__property *property =
            objects ? surety__objects_named(objects, name, hash) : NULL;
        bool is_named = property && property->shape;

        if (!objects)
            continue;
        said->required = said->required || (property && property->required);
        if (is_named) {
            surety__side_add(&said->side, property->shape);
            said->property = property;
            if (property->default_val && !said->default_val) {
                said->default_val = property->default_val;
                said->doc = side->parts[i]->at.doc;
            }
        }
        for (uint32_t p = 0; p < objects->pattern_count; p++)
            if (member_pattern_holds(objects->patterns[p].pattern, matcher,
                                     name)) {
                surety__side_add(&said->side, objects->patterns[p].shape);
                is_named = true;
            }
        if (!is_named)
            surety__side_add(&said->side, objects->additional);
        if (!is_named && members_are_closed(objects))
            said->closed = true;
        said->named = said->named || is_named;
    }
}

static void member_compare_default(surety_diff *diff,
                                   const surety__diff_task *task,
                                   surety_str name,
                                   const struct member_said *before,
                                   const struct member_said *after)
{
    if (!before->default_val)
        return;
    if (!after->default_val) {
        if (!after->required)
            surety__diff_say_below(diff, task, name, "default", DIFF_CONSUMERS,
                                   "it is not filled in any more where it is "
                                   "absent");
    } else if (!surety_val_equal(
                   surety__val_of(before->doc, before->default_val),
                   surety__val_of(after->doc, after->default_val))) {
        surety__diff_say_below(diff, task, name, "default", DIFF_CONSUMERS,
                               "another value is filled in where it is absent");
    }
}

/* Whether an object that has a member which the side has no room for is new to
 * who reads by name: it had to have the member, or its members count. */
static bool member_is_barred(const surety__side *side,
                             const struct member_said *said)
{
    return said->closed && (said->required || members_count(side));
}

/* A member that one side names (it is the new or the old one) and that may come
 * on the other side as an additional one. What may come as anything is told
 * with the member; where the additional ones say something, it is compared. */
static void member_compare_lone(surety_diff *diff,
                                const surety__diff_task *task, surety_str name,
                                const struct member_said *before,
                                const struct member_said *after)
{
    const bool is_new = after->named;
    const struct member_said *lone = is_new ? after : before;
    const struct member_said *other = is_new ? before : after;
    const bool is_free = !other->side.count && lone->side.count > 0;
    unsigned breaks = DIFF_NOBODY;

    if (is_new)
        breaks = (is_free ? DIFF_PRODUCERS : DIFF_NOBODY) |
                 (member_is_barred(&task->before, before) &&
                          !surety__side_never(&after->side)
                      ? DIFF_CONSUMERS
                      : DIFF_NOBODY);
    else
        breaks = (is_free || before->required ? DIFF_CONSUMERS : DIFF_NOBODY) |
                 (after->closed && !surety__side_never(&before->side)
                      ? DIFF_PRODUCERS
                      : DIFF_NOBODY);
    surety__diff_say_below(
        diff, task, name, "properties", breaks,
        !is_free ? (is_new ? "the member is new" : "the member is gone")
        : is_new ? "the member is new, and could be anything before"
                 : "the member is gone, and may be anything where it comes");
    if (other->side.count && !other->closed)
        surety__diff_push(diff,
                          surety__diff_with(task, &before->side, &after->side),
                          name.ptr ? name.ptr : "", name.len);
}

static void member_compare(surety_diff *diff, const surety__diff_task *task,
                           surety_str name, surety__matcher *matcher)
{
    struct member_said before, after;

    member_ask(&task->before, name, matcher, &before);
    member_ask(&task->after, name, matcher, &after);
    if (before.required && !after.required && before.named <= after.named &&
        !after.default_val)
        surety__diff_say_below(diff, task, name, "required", DIFF_CONSUMERS,
                               "it may be absent now");
    else if (!before.required && after.required)
        surety__diff_say_below(diff, task, name, "required", DIFF_PRODUCERS,
                               "it must be there now");
    if (before.required && before.closed && !after.named && !after.closed)
        surety__diff_say_below(diff, task, name, "additionalProperties",
                               DIFF_CONSUMERS, "an object may have it now");
    member_compare_default(diff, task, name, &before, &after);
    if (before.named != after.named)
        member_compare_lone(diff, task, name, &before, &after);
    else if (before.named)
        surety__diff_push(diff,
                          surety__diff_with(task, &before.side, &after.side),
                          name.ptr ? name.ptr : "", name.len);
}

/* Whether a part before the one at `until` names a member, in either side. */
static bool member_is_earlier(const surety__side *side, size_t until,
                              const surety__property *property)
{
    for (size_t i = 0; i < until; i++)
        if (side->parts[i]->objects &&
            surety__objects_named(side->parts[i]->objects, property->name,
                                  property->hash))
            return true;
    return false;
}

/* The members that a side names and `other` (may be NULL) does not. */
static void members_compare(surety_diff *diff, const surety__diff_task *task,
                            const surety__side *side, const surety__side *other,
                            surety__matcher *matcher)
{
    for (size_t i = 0; i < side->count; i++) {
        const surety__objects *objects = side->parts[i]->objects;

        for (uint32_t j = 0; objects && j < objects->property_count; j++) {
            const surety__property *property = &objects->properties[j];

            if (!member_is_earlier(side, i, property) &&
                !(other && member_is_earlier(other, other->count, property)))
                member_compare(diff, task, property->name, matcher);
        }
    }
}

/* What a side takes of members that nobody names; *ret_closed: none at all. */
static surety__side members_other(const surety__side *side, bool *ret_closed)
{
    surety__side other = {.count = 0};

    *ret_closed = false;
    for (size_t i = 0; i < side->count; i++)
        if (side->parts[i]->objects) {
            surety__side_add(&other, side->parts[i]->objects->additional);
            if (members_are_closed(side->parts[i]->objects))
                *ret_closed = true;
        }
    return other;
}

static void members_compare_other(surety_diff *diff,
                                  const surety__diff_task *task)
{
    bool closed_before, closed_after;
    const surety__side before = members_other(&task->before, &closed_before);
    const surety__side after = members_other(&task->after, &closed_after);

    if (closed_before && !closed_after)
        surety__diff_say(diff, task, "additionalProperties",
                         members_count(&task->before) ? DIFF_CONSUMERS
                                                      : DIFF_NOBODY,
                         "members that are not named are taken, too");
    else if (!closed_before && closed_after)
        surety__diff_say(diff, task, "additionalProperties", DIFF_PRODUCERS,
                         "members that are not named are not taken any more");
    else if (!closed_before)
        surety__diff_push(diff, surety__diff_with(task, &before, &after), "*",
                          1);
}

/* All that a side says of the members that a pattern matches; *ret_is_first,
 * which may be NULL: no part before the one at `part` has it. */
static surety__side members_matching(const surety__side *side,
                                     surety_str source, size_t part,
                                     bool *ret_is_first)
{
    surety__side matching = {.count = 0};

    for (size_t i = 0; i < side->count; i++) {
        const surety__objects *objects = side->parts[i]->objects;

        for (uint32_t p = 0; objects && p < objects->pattern_count; p++)
            if (surety_str_equal(source, objects->patterns[p].source)) {
                surety__side_add(&matching, objects->patterns[p].shape);
                if (ret_is_first && i < part)
                    *ret_is_first = false;
            }
    }
    return matching;
}

/* Patterns that both sides have; others are told by their text. */
static void members_compare_patterns(surety_diff *diff,
                                     const surety__diff_task *task)
{
    for (size_t i = 0; i < task->before.count; i++) {
        const surety__objects *objects = task->before.parts[i]->objects;

        for (uint32_t p = 0; objects && p < objects->pattern_count; p++) {
            const surety_str source = objects->patterns[p].source;
            bool is_first = true;
            const surety__side before =
                members_matching(&task->before, source, i, &is_first);
            const surety__side after =
                members_matching(&task->after, source, 0, NULL);

            if (is_first && after.count > 0)
                surety__diff_push(
                    diff, surety__diff_with(task, &before, &after), "*", 1);
        }
    }
}

static bool side_has_objects(const surety__side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->parts[i]->objects)
            return true;
    return false;
}

void surety__diff_objects(surety_diff *diff, const surety__diff_task *task)
{
    const size_t first = diff->task_count;
    surety__matcher *matcher;

    if (!side_has_objects(&task->before) && !side_has_objects(&task->after))
        return;
    matcher = surety__matcher_new(diff->alloc, NULL);
    if (!matcher) {
        diff->status = SURETY_NOMEM;
        return;
    }
    members_compare(diff, task, &task->before, NULL, matcher);
    members_compare(diff, task, &task->after, &task->before, matcher);
    members_compare_patterns(diff, task);
    members_compare_other(diff, task);
    surety__matcher_free(matcher);
    /* The first one put off is to come off first. */
    for (size_t low = first, high = diff->task_count; low + 1 < high; low++) {
        const surety__diff_task swapped = diff->tasks[low];

        high--;
        diff->tasks[low] = diff->tasks[high];
        diff->tasks[high] = swapped;
    }
}

/* ---- items --------------------------------------------------------------- */

static uint32_t items_prefix(const surety__side *side)
{
    uint32_t most = 0;

    for (size_t i = 0; i < side->count; i++) {
        const surety__arrays *arrays = side->parts[i]->arrays;

        if (arrays && arrays->prefix_count > most)
            most = arrays->prefix_count;
    }
    return most;
}

/* What a side takes as its i-th item; UINT32_MAX: behind every prefix. */
static surety__side items_at(const surety__side *side, uint32_t i)
{
    surety__side item = {.count = 0};

    for (size_t j = 0; j < side->count; j++) {
        const surety__arrays *arrays = side->parts[j]->arrays;

        if (arrays)
            surety__side_add(&item, i < arrays->prefix_count ? arrays->prefix[i]
                                                             : arrays->rest);
    }
    return item;
}

void surety__diff_arrays(surety_diff *diff, const surety__diff_task *task)
{
    const uint32_t old_prefix = items_prefix(&task->before);
    const uint32_t new_prefix = items_prefix(&task->after);
    const uint32_t prefix = old_prefix > new_prefix ? old_prefix : new_prefix;
    surety__side before = items_at(&task->before, UINT32_MAX);
    surety__side after = items_at(&task->after, UINT32_MAX);

    surety__diff_push(diff, surety__diff_with(task, &before, &after), "*", 1);
    for (uint32_t i = prefix; i > 0 && diff->status == SURETY_OK; i--) {
        char token[16];
        surety_buf number = {.ptr = token, .cap = 15, .max = 15};

        surety_buf_number(&number, i - 1);
        before = items_at(&task->before, i - 1);
        after = items_at(&task->after, i - 1);
        surety__diff_push(diff, surety__diff_with(task, &before, &after), token,
                          number.len);
    }
}
