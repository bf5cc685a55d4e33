/* SPDX-License-Identifier: Apache-2.0 */
/* Compares members and items. A new property breaks no consumer that reads
 * members by name. If an object is open, a member may already be there as an
 * additional one. So a property that is new or was removed is compared with
 * the schema of additional members. */
#include "diff/diff.h"

/* Whether the validity of an object may depend on other members or their
 * number. Then a consumer that reads by name may get objects that were invalid
 * before. */
static bool members_count(const surety__conjunction *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const surety__shape *shape = all->items[i].shape;

        if (shape->objects && (shape->objects->min_properties > 0 ||
                               shape->objects->dependent_count > 0))
            return true;
        for (uint32_t j = 0; j < shape->applicator_count; j++)
            if (shape->applicators[j].kind >= APPLY_NOT ||
                shape->applicators[j].kind == APPLY_DYNAMIC)
                return true;
    }
    return false;
}

/* Whether an object with a member that the conjunction forbids is new for a
 * consumer that reads by name: the member was required, or members count. */
static bool member_is_barred(const surety__conjunction *all,
                             const surety__member_facts *member)
{
    return member->closed && (member->required || members_count(all));
}

/* Compares a property that is only in one contract with the additional members
 * of the other. If these may be any value, only the property is reported; if
 * they have a schema, the two are compared. */
static void member_compare_lone(surety_diff *diff,
                                const surety__diff_task *task, surety_str name,
                                const surety__member_facts *before,
                                const surety__member_facts *after)
{
    const bool is_new = after->named;
    const surety__member_facts *lone = is_new ? after : before;
    const surety__member_facts *other = is_new ? before : after;
    const bool is_free = !other->all.count && lone->all.count > 0;
    unsigned breaks = DIFF_NONE;

    assert(before->named != after->named);
    if (is_new)
        breaks = (is_free ? DIFF_PRODUCERS : DIFF_NONE) |
                 (member_is_barred(task->before, before) &&
                          !surety__conjunction_never(&after->all)
                      ? DIFF_CONSUMERS
                      : DIFF_NONE);
    else
        breaks = (is_free || before->required ? DIFF_CONSUMERS : DIFF_NONE) |
                 (after->closed && !surety__conjunction_never(&before->all)
                      ? DIFF_PRODUCERS
                      : DIFF_NONE);
    surety__diff_report_below(
        diff, task, name, "properties", breaks,
        !is_free ? (is_new ? "the member is new" : "the member is gone")
        : is_new ? "the member is new, and could be anything before"
                 : "the member is gone, and may be anything where it comes");
    if (other->all.count && !other->closed)
        surety__diff_push_below(diff, task, name, &before->all, &after->all);
}

static void member_compare(surety_diff *diff, const surety__diff_task *task,
                           const surety__property *property)
{
    const surety_str name = property->name;
    surety__member_facts *before = &diff->members[0];
    surety__member_facts *after = &diff->members[1];

    if (!surety__conjunction_member(&diff->graph, task->before, name,
                                    property->hash, before) ||
        !surety__conjunction_member(&diff->graph, task->after, name,
                                    property->hash, after))
        return;
    if (before->required && !after->required && before->named <= after->named &&
        !after->fill.doc)
        surety__diff_report_below(diff, task, name, "required", DIFF_CONSUMERS,
                                  "it may be absent now");
    else if (!before->required && after->required)
        surety__diff_report_below(diff, task, name, "required", DIFF_PRODUCERS,
                                  "it must be there now");
    if (before->required && before->closed && !after->named && !after->closed)
        surety__diff_report_below(diff, task, name, "additionalProperties",
                                  DIFF_CONSUMERS, "an object may have it now");
    if (before->fill.doc &&
        (after->fill.doc ? !surety_val_equal(before->fill, after->fill)
                         : !after->required))
        surety__diff_report_below(
            diff, task, name, "default", DIFF_CONSUMERS,
            after->fill.doc
                ? "another value is filled in where it is absent"
                : "it is not filled in any more where it is absent");
    if (before->named != after->named)
        member_compare_lone(diff, task, name, before, after);
    else if (before->named)
        surety__diff_push_below(diff, task, name, &before->all, &after->all);
}

/* Compares the properties of a conjunction that `other` (may be NULL) does not
 * have. */
static void members_compare(surety_diff *diff, const surety__diff_task *task,
                            const surety__conjunction *all,
                            const surety__conjunction *other)
{
    const surety__property *property;
    surety__name_at at = {0, 0};

    while ((property = surety__conjunction_name(all, &at)) != NULL)
        if (!other || !surety__conjunction_mentions(
                          other, other->count, property->name, property->hash))
            member_compare(diff, task, property);
}

/* The schemas of additional members. *ret_closed: they are forbidden. */
static const surety__conjunction *members_other(surety_diff *diff,
                                                const surety__conjunction *all,
                                                bool is_new, bool *ret_closed)
{
    surety__conjunction *others = surety__diff_list(diff, is_new);

    *ret_closed = false;
    for (size_t i = 0; i < all->count; i++) {
        const surety__objects *objects = all->items[i].shape->objects;

        if (!objects)
            continue;
        surety__conjunction_add(
            &diff->graph, others,
            (surety__conjunct){.shape = objects->additional});
        *ret_closed |= objects->additional && objects->additional->never;
    }
    return others;
}

static void members_compare_other(surety_diff *diff,
                                  const surety__diff_task *task)
{
    bool closed_before, closed_after;
    const surety__conjunction *before =
        members_other(diff, task->before, false, &closed_before);
    const surety__conjunction *after =
        members_other(diff, task->after, true, &closed_after);

    if (closed_before && !closed_after)
        surety__diff_report(diff, task, "additionalProperties",
                            members_count(task->before) ? DIFF_CONSUMERS
                                                        : DIFF_NONE,
                            "members that are not named are taken, too");
    else if (!closed_before && closed_after)
        surety__diff_report(
            diff, task, "additionalProperties", DIFF_PRODUCERS,
            "members that are not named are not taken any more");
    else if (!closed_before)
        surety__diff_push_below(diff, task, SURETY__LITERAL("*"), before,
                                after);
}

/* The schemas for members that a pattern matches. *ret_first: the first
 * conjunct with this pattern. */
static const surety__conjunction *
members_matching(surety_diff *diff, const surety__conjunction *all, bool is_new,
                 surety_str source, size_t *ret_first)
{
    surety__conjunction *matching = surety__diff_list(diff, is_new);

    *ret_first = SIZE_MAX;
    for (size_t i = 0; i < all->count; i++) {
        const surety__objects *objects = all->items[i].shape->objects;

        for (uint32_t p = 0; objects && p < objects->pattern_count; p++) {
            if (!surety_str_equal(source, objects->patterns[p].source))
                continue;
            surety__conjunction_add(
                &diff->graph, matching,
                (surety__conjunct){.shape = objects->patterns[p].shape});
            if (*ret_first == SIZE_MAX)
                *ret_first = i;
        }
    }
    return matching;
}

/* Compares patterns that both contracts have; others are compared as text. */
static void members_compare_patterns(surety_diff *diff,
                                     const surety__diff_task *task)
{
    for (size_t i = 0; i < task->before->count; i++) {
        const surety__objects *objects = task->before->items[i].shape->objects;

        for (uint32_t p = 0; objects && p < objects->pattern_count; p++) {
            const surety_str source = objects->patterns[p].source;
            size_t first, other;
            const surety__conjunction *before =
                members_matching(diff, task->before, false, source, &first);
            const surety__conjunction *after =
                members_matching(diff, task->after, true, source, &other);

            if (first == i && after->count > 0)
                surety__diff_push_below(diff, task, SURETY__LITERAL("*"),
                                        before, after);
        }
    }
}

void surety__diff_objects(surety_diff *diff, const surety__diff_task *task)
{
    const size_t first = diff->task_count;

    assert(diff->task_count <= diff->task_cap);
    if (!((surety__conjunction_speaks(task->before) |
           surety__conjunction_speaks(task->after)) &
          TYPE_OBJECT))
        return;
    members_compare(diff, task, task->before, NULL);
    members_compare(diff, task, task->after, task->before);
    members_compare_patterns(diff, task);
    members_compare_other(diff, task);
    /* Reverses the tasks, so that the first one pushed comes first. */
    for (size_t low = first, high = diff->task_count; low + 1 < high; low++) {
        const surety__diff_task swapped = diff->tasks[low];

        high--;
        diff->tasks[low] = diff->tasks[high];
        diff->tasks[high] = swapped;
    }
}

/* ---- items --------------------------------------------------------------- */

/* Compares the schemas of the i-th item; UINT32_MAX: of items after the
 * prefix. */
static void items_compare(surety_diff *diff, const surety__diff_task *task,
                          uint32_t i, surety_str token)
{
    surety__conjunction *before = surety__diff_list(diff, false);
    surety__conjunction *after = surety__diff_list(diff, true);

    surety__conjunction_item(&diff->graph, task->before, i, before);
    surety__conjunction_item(&diff->graph, task->after, i, after);
    surety__diff_push_below(diff, task, token, before, after);
}

void surety__diff_arrays(surety_diff *diff, const surety__diff_task *task)
{
    const uint32_t before = surety__conjunction_places(task->before, NULL);
    const uint32_t after = surety__conjunction_places(task->after, NULL);

    items_compare(diff, task, UINT32_MAX, SURETY__LITERAL("*"));
    for (uint32_t i = before > after ? before : after;
         i > 0 && diff->status == SURETY_OK; i--) {
        char token[16];
        surety_buf number = surety__buf_over(token, sizeof(token));

        surety_buf_number(&number, i - 1);
        items_compare(diff, task, i - 1, surety_buf_str(&number));
    }
}
