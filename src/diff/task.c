/* SPDX-License-Identifier: Apache-2.0 */
/* Records the results of comparing a task: changes at its location, and tasks
 * for the locations below. A change is recorded once for a location, and a
 * pair of conjunctions is compared once. */
#include "diff/diff.h"

enum { DIFF_VALUE_MAX = 80 };

/* ---- changes ------------------------------------------------------------- */

/* The JSON Pointer of the first conjunct in its document. all NULL: empty, for
 * a change outside the schemas. */
static surety_str diff_locate(surety_diff *diff, const surety__conjunction *all)
{
    surety_buf_reset(&diff->scratch);
    if (all && all->count)
        surety_val_pointer(all->items[0].shape->at, &diff->scratch);
    return surety__arena_text(&diff->arena, surety_buf_str(&diff->scratch));
}

/* Whether the change is already recorded at this location. If so, adds whom it
 * breaks. */
static bool diff_is_recorded(surety_diff *diff, const surety_change *change)
{
    for (size_t i = diff->change_count; i > 0; i--) {
        surety_change *earlier = &diff->changes[i - 1];

        if (!surety_str_equal(earlier->at, change->at))
            return false;
        if (surety_str_equal(earlier->keyword, change->keyword) &&
            surety_str_equal(earlier->message, change->message)) {
            earlier->breaks_consumers |= change->breaks_consumers;
            earlier->breaks_producers |= change->breaks_producers;
            return true;
        }
    }
    return false;
}

void surety__diff_record(surety_diff *diff, const surety__diff_task *task,
                         const char *keyword, unsigned breaks)
{
    const unsigned whom = task->loose ? DIFF_BOTH : breaks;
    surety_change change = {.at = task->at,
                            .keyword = surety_str_of(keyword),
                            .breaks_consumers = whom & DIFF_CONSUMERS,
                            .breaks_producers = whom & DIFF_PRODUCERS};

    assert(breaks <= DIFF_BOTH);
    if (diff->status == SURETY_OK)
        diff->status = diff->scratch.status;
    if (diff->status == SURETY_OK)
        change.message =
            surety__arena_text(&diff->arena, surety_buf_str(&diff->scratch));
    if (diff->status == SURETY_OK && !diff_is_recorded(diff, &change)) {
        change.old_location = diff_locate(diff, task->before);
        change.new_location = diff_locate(diff, task->after);
        if (diff->status == SURETY_OK)
            diff->status =
                surety__grow(diff->alloc, &diff->changes, &diff->change_cap,
                             diff->change_count + 1, sizeof(change),
                             SURETY_DIFF_CHANGES_MAX);
        if (diff->status == SURETY_OK)
            diff->changes[diff->change_count++] = change;
    }
    surety_buf_reset(&diff->scratch);
}

void surety__diff_report(surety_diff *diff, const surety__diff_task *task,
                         const char *keyword, unsigned breaks,
                         const char *message)
{
    surety_buf_reset(&diff->scratch);
    surety_buf_text(&diff->scratch, message);
    surety__diff_record(diff, task, keyword, breaks);
}

void surety__diff_report_turn(surety_diff *diff, const surety__diff_task *task,
                              const char *keyword, int turn, const char *gone,
                              const char *found)
{
    if (turn != 0)
        surety__diff_report(diff, task, keyword,
                            turn < 0 ? DIFF_CONSUMERS : DIFF_PRODUCERS,
                            turn < 0 ? gone : found);
}

/* A location below another one; empty with the status set. */
static surety_str diff_below(surety_diff *diff, surety_str at, surety_str token)
{
    surety_buf_reset(&diff->scratch);
    surety_buf_add(&diff->scratch, at);
    surety_pointer_token(&diff->scratch, token);
    return surety__arena_buf(&diff->arena, &diff->scratch);
}

void surety__diff_report_below(surety_diff *diff, const surety__diff_task *task,
                               surety_str token, const char *keyword,
                               unsigned breaks, const char *message)
{
    surety__diff_task below = *task;

    if (diff->status)
        return;
    below.at = diff_below(diff, task->at, token);
    surety__diff_report(diff, &below, keyword, breaks, message);
}

void surety__diff_value(surety_diff *diff, surety_val value)
{
    surety_buf *out = &diff->scratch;
    const size_t start = out->len;

    surety_val_write(value, SURETY_STYLE_COMPACT, out);
    surety__buf_cut(out, start, DIFF_VALUE_MAX);
}

/* ---- the stack ---------------------------------------------------------- */

surety__conjunction *surety__diff_list(surety_diff *diff, bool is_new)
{
    surety__conjunction *list = &diff->lists[is_new];

    list->count = 0;
    list->is_cut = false;
    return list;
}

/* Whether the task's conjunctions were compared before in the same way.
 * Remembers them. */
static bool diff_is_seen(surety_diff *diff, const surety__diff_task *task)
{
    uint64_t key = 1 + (uint64_t)task->loose * 2 + task->types_reported;

    key = surety__diff_mix(key, (uintptr_t)task->before);
    key = surety__diff_mix(key, (uintptr_t)task->after);
    if (surety__map_get(&diff->seen, key))
        return true;
    if (!surety__map_put(&diff->seen, diff->alloc, key, diff))
        diff->status = SURETY_NOMEM;
    return false;
}

/* The node of a conjunction; an empty one if out of memory. */
static const surety__conjunction *diff_node(surety_diff *diff,
                                            const surety__conjunction *all)
{
    static const surety__conjunction none = {NULL, 0, 0, false};
    const surety__conjunction_node *node =
        surety__graph_node(&diff->graph, all, TYPE_ANY);

    return node ? &node->all : &none;
}

void surety__diff_push(surety_diff *diff, const surety__diff_task *task,
                       const surety__conjunction *before,
                       const surety__conjunction *after)
{
    surety__diff_task pushed = *task;

    assert(before && after);
    pushed.before = diff_node(diff, before);
    pushed.after = diff_node(diff, after);
    if (diff->status || (before->count == 0 && after->count == 0) ||
        diff_is_seen(diff, &pushed) || diff->status)
        return;
    if (diff->pair_count++ >= SURETY_DIFF_PAIRS_MAX)
        diff->status = SURETY_LIMIT;
    else
        diff->status =
            surety__grow(diff->alloc, &diff->tasks, &diff->task_cap,
                         diff->task_count + 1, sizeof(*diff->tasks), SIZE_MAX);
    if (diff->status == SURETY_OK)
        diff->tasks[diff->task_count++] = pushed;
}

void surety__diff_push_below(surety_diff *diff, const surety__diff_task *task,
                             surety_str token,
                             const surety__conjunction *before,
                             const surety__conjunction *after)
{
    surety__diff_task below = *task;
    const size_t count = diff->task_count;

    below.types_reported = false;
    surety__diff_push(diff, &below, before, after);
    if (diff->task_count > count)
        diff->tasks[count].at = diff_below(diff, task->at, token);
}
