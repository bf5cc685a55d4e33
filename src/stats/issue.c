/* SPDX-License-Identifier: Apache-2.0 */
/* Counts errors and repairs by contract, kind and path.
 *
 * 1. In a path, array indices become "*", so that the same issue in every item
 *    counts as one. So do member names that are all digits, since a path does
 *    not distinguish them from indices.
 * 2. A reply counts once for each distinct issue that it has, for its model
 *    too, and so does a run. */
#include "stats/stats.h"

/* Whether a reference token can be an index (RFC 6901, section 4). */
static bool issue_is_index(surety_str token)
{
    if (!token.len || token.len > 9 || (token.len > 1 && token.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < token.len; i++)
        if (token.ptr[i] < '0' || token.ptr[i] > '9')
            return false;
    return true;
}

/* Appends a path with "*" for each index. */
static void issue_put_path(surety_str path, surety_buf *out)
{
    size_t at = 0;

    while (at < path.len) {
        const char *slash = at + 1 < path.len ? memchr(path.ptr + at + 1, '/',
                                                       path.len - at - 1)
                                              : NULL;
        const size_t end = slash ? (size_t)(slash - path.ptr) : path.len;
        const surety_str token = {path.ptr + at + 1, end - at - 1};

        if (path.ptr[at] == '/' && issue_is_index(token))
            surety_buf_text(out, "/*");
        else
            surety_buf_append(out, path.ptr + at, end - at);
        at = end;
    }
}

/* Finds or adds an issue. NULL: more issues than the limit, or a failure, kept
 * in stats. */
static surety__issue *issue_of(surety_stats *stats, surety__issues *issues,
                               surety_str key)
{
    surety__issue *issue = surety__keyed_find(&issues->list, key);
    surety_str rest;

    if (issue)
        return issue;
    if (issues->list.count == SURETY_STATS_ISSUES_MAX) {
        issues->left += issues->left_reply != stats->reply;
        issues->left_reply = stats->reply;
        return NULL;
    }
    issue = surety__keyed_add(stats, &issues->list, key, sizeof(*issue));
    if (!issue)
        return NULL;
    rest = issue->head.key;
    issue->info.contract = surety__key_take(&rest);
    issue->info.kind = surety__key_take(&rest);
    issue->info.path = surety__key_take(&rest);
    return issue;
}

/* Counts a reply of a model that has the issue. */
static void issue_count(surety_stats *stats, surety__issue *issue,
                        surety_str name)
{
    surety__issue_model *model = issue->models;

    issue->info.replies++;
    while (model && !surety_str_equal(model->model, name))
        model = model->next;
    if (model) {
        model->replies++;
        return;
    }
    if (issue->model_count == SURETY_STATS_MODELS_MAX) {
        issue->models_left++;
        return;
    }
    model = surety__arena_take(&stats->arena, sizeof(*model));
    if (!model)
        return;
    *model = (surety__issue_model){issue->models,
                                   surety__arena_text(&stats->arena, name), 1};
    issue->models = model;
    issue->model_count++;
}

/* Adds the issue to the run's list unless it is there. */
static void issue_note(surety_stats *stats, surety__issue *issue,
                       surety__had **had)
{
    surety__had *one = *had;

    while (one && one->issue != issue)
        one = one->next;
    if (one)
        return;
    one = surety__arena_take(&stats->arena, sizeof(*one));
    if (!one)
        return;
    *one = (surety__had){.next = *had, .issue = issue};
    *had = one;
}

bool surety__issues_add(surety_stats *stats, surety__issues *issues,
                        const surety_entry *entry, bool repairs,
                        surety__had **had)
{
    const surety_entry_issue *listed = repairs ? entry->repairs : entry->errors;
    const size_t count = repairs ? entry->repair_count : entry->error_count;
    surety_buf key, path;

    surety_buf_init(&key, stats->alloc, 0);
    surety_buf_init(&path, stats->alloc, 0);
    for (size_t i = 0; listed && i < count && !stats->status; i++) {
        surety__issue *issue;

        surety_buf_reset(&key);
        surety_buf_reset(&path);
        issue_put_path(listed[i].path, &path);
        surety__key_put(&key, surety__stats_cut(stats, entry->contract));
        surety__key_put(&key, surety__stats_cut(stats, listed[i].kind));
        surety__key_put(&key, surety__stats_cut(stats, surety_buf_str(&path)));
        if (path.status || key.status)
            (void)surety__stats_nomem(stats);
        issue = stats->status ? NULL
                              : issue_of(stats, issues, surety_buf_str(&key));
        if (!issue)
            continue;
        if (issue->reply != stats->reply)
            issue_count(stats, issue, surety__stats_cut(stats, entry->model));
        issue->reply = stats->reply;
        issue_note(stats, issue, had);
    }
    surety_buf_done(&path);
    surety_buf_done(&key);
    return stats->status == SURETY_OK;
}

/* Orders by most replies, then by the texts. */
static int issue_compare(const void *a, const void *b)
{
    const surety__issue *left = *(void *const *)a;
    const surety__issue *right = *(void *const *)b;
    int order;

    if (left->info.replies != right->info.replies)
        return left->info.replies > right->info.replies ? -1 : 1;
    order = surety__str_compare(left->info.contract, right->info.contract);
    if (!order)
        order = surety__str_compare(left->info.kind, right->info.kind);
    return order ? order
                 : surety__str_compare(left->info.path, right->info.path);
}

static bool issue_model_is_before(const surety__issue_model *a,
                                  const surety__issue_model *b)
{
    return a->replies != b->replies
               ? a->replies > b->replies
               : surety__str_compare(a->model, b->model) < 0;
}

static void issue_sort_models(surety__issue *issue)
{
    surety__issue_model *sorted = NULL;

    while (issue->models) {
        surety__issue_model *model = issue->models;
        surety__issue_model **at = &sorted;

        issue->models = model->next;
        while (*at && issue_model_is_before(*at, model))
            at = &(*at)->next;
        model->next = *at;
        *at = model;
    }
    issue->models = sorted;
}

void surety__issues_end(surety__issues *issues)
{
    surety__keyed_sort(&issues->list, issue_compare);
    for (size_t i = 0; i < issues->list.count; i++)
        issue_sort_models(issues->list.items[i]);
}

/* ---- results ------------------------------------------------------------- */

static surety_stats_issue issue_at(const surety_stats *stats, bool repairs,
                                   size_t i)
{
    const surety_stats_info *info = surety_stats_info_of(stats);
    const surety__issue *issue;

    if (i >= (repairs ? info->repair_count : info->error_count))
        return (surety_stats_issue){.replies = 0};
    issue = (repairs ? &stats->repairs : &stats->errors)->list.items[i];
    return issue->info;
}

surety_stats_issue surety_stats_error_at(const surety_stats *stats, size_t i)
{
    return issue_at(stats, false, i);
}

surety_stats_issue surety_stats_repair_at(const surety_stats *stats, size_t i)
{
    return issue_at(stats, true, i);
}
