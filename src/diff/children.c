/* SPDX-License-Identifier: Apache-2.0 */
/* What two sides say of members and items. A member that only the new side
 * names is new, which breaks nobody who reads by name; one that is not named
 * any more may still come where the object is open, as anything. */
#include "diff/diff.h"

/* What a side says of one member. */
struct member_said {
    surety__side side;
    const surety__property *property; /* the first that names it */
    const surety_doc *doc;            /* of that property's default */
    const surety__cell *default_val;
    bool required;
    bool named; /* by properties or patternProperties */
};

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
    member_compare_default(diff, task, name, &before, &after);
    if (before.named && !after.named)
        surety__diff_say_below(
            diff, task, name, "properties",
            (before.required ? DIFF_CONSUMERS : DIFF_NOBODY) |
                (surety__side_never(&after.side) ? DIFF_PRODUCERS
                                                 : DIFF_NOBODY),
            "the member is gone");
    else if (!before.named && after.named)
        surety__diff_say_below(diff, task, name, "properties", DIFF_NOBODY,
                               "the member is new");
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

/* What a side takes of members that nobody names. */
static surety__side members_other(const surety__side *side)
{
    surety__side other = {.count = 0};

    for (size_t i = 0; i < side->count; i++)
        if (side->parts[i]->objects)
            surety__side_add(&other, side->parts[i]->objects->additional);
    return other;
}

static void members_compare_other(surety_diff *diff,
                                  const surety__diff_task *task)
{
    const surety__side before = members_other(&task->before);
    const surety__side after = members_other(&task->after);
    const bool closed_before = surety__side_never(&before);
    const bool closed_after = surety__side_never(&after);

    if (closed_before && !closed_after)
        surety__diff_say(diff, task, "additionalProperties", DIFF_NOBODY,
                         "members that are not named are taken, too");
    else if (!closed_before && closed_after)
        surety__diff_say(diff, task, "additionalProperties", DIFF_PRODUCERS,
                         "members that are not named are not taken any more");
    else if (!closed_before)
        surety__diff_push(diff, surety__diff_with(task, &before, &after), "*",
                          1);
}

static const surety__objects *members_of(const surety__side *side, size_t i)
{
    return side->parts[i]->objects;
}

/* A pattern of one object beside those of another. */
static void members_compare_pattern(surety_diff *diff,
                                    const surety__diff_task *task,
                                    const surety__pattern_member *old_one,
                                    const surety__objects *objects)
{
    surety__side before = {.count = 0};
    surety__side after = {.count = 0};

    for (uint32_t i = 0; objects && i < objects->pattern_count; i++)
        if (surety_str_equal(old_one->source, objects->patterns[i].source)) {
            surety__side_add(&before, old_one->shape);
            surety__side_add(&after, objects->patterns[i].shape);
            surety__diff_push(diff, surety__diff_with(task, &before, &after),
                              "*", 1);
            return;
        }
}

/* Patterns that both sides have; others are told by their text. */
static void members_compare_patterns(surety_diff *diff,
                                     const surety__diff_task *task)
{
    for (size_t i = 0; i < task->before.count; i++) {
        const surety__objects *objects = members_of(&task->before, i);

        for (uint32_t p = 0; objects && p < objects->pattern_count; p++)
            for (size_t j = 0; j < task->after.count; j++)
                members_compare_pattern(diff, task, &objects->patterns[p],
                                        members_of(&task->after, j));
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
