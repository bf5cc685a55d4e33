/* SPDX-License-Identifier: Apache-2.0 */
/* Counts errors and repairs by contract, kind and path.
 *
 * 1. In a path, array indices become "*", so that the same issue in every item
 *    counts as one. So do member names that are all digits, since a path does
 *    not distinguish them from indices.
 * 2. A reply counts once for each distinct issue that it has, and so does a
 *    run. */
#include "stats/stats.h"

#include <assert.h>
#include <stdlib.h>

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

static surety__issue *issue_new(surety_stats *stats, surety__issues *issues,
                                const surety_stats_issue *wanted, uint64_t hash)
{
    surety__issue *issue = surety__arena_take(&stats->arena, sizeof(*issue));
    surety_status status;

    assert(issues->count < SURETY_STATS_ISSUES_MAX);
    if (!issue) {
        (void)surety__stats_nomem(stats);
        return NULL;
    }
    issue->info.contract = surety__stats_keep(stats, wanted->contract);
    issue->info.kind = surety__stats_keep(stats, wanted->kind);
    issue->info.path = surety__stats_keep(stats, wanted->path);
    issue->next = surety__map_get(&issues->map, hash);
    status = surety__grow(stats->alloc, &issues->items, &issues->cap,
                          issues->count + 1, sizeof(surety__issue *),
                          SURETY_STATS_ISSUES_MAX);
    if (stats->status || status ||
        !surety__map_put(&issues->map, stats->alloc, hash, issue)) {
        (void)surety__stats_nomem(stats);
        return NULL;
    }
    issues->items[issues->count++] = issue;
    return issue;
}

static uint64_t issue_hash(const surety_stats_issue *issue)
{
    const surety_str texts[] = {issue->contract, issue->kind, issue->path};
    uint64_t hash = 0;

    for (size_t i = 0; i < 3; i++)
        hash = hash * 0x100000001B3u +
               surety__hash(texts[i].len ? texts[i].ptr : "", texts[i].len);
    return hash;
}

/* Finds or adds an issue. NULL: more issues than the limit, or a failure, kept
 * in stats. */
static surety__issue *issue_of(surety_stats *stats, surety__issues *issues,
                               const surety_stats_issue *wanted)
{
    const uint64_t hash = issue_hash(wanted);
    surety__issue *issue = surety__map_get(&issues->map, hash);

    while (issue &&
           !(surety_str_equal(issue->info.contract, wanted->contract) &&
             surety_str_equal(issue->info.kind, wanted->kind) &&
             surety_str_equal(issue->info.path, wanted->path)))
        issue = issue->next;
    if (issue)
        return issue;
    if (issues->count < SURETY_STATS_ISSUES_MAX)
        return issue_new(stats, issues, wanted, hash);
    issues->left += issues->left_reply != stats->reply;
    issues->left_reply = stats->reply;
    return NULL;
}

/* Adds the issue to the run's list unless it is there. */
static bool issue_note(surety_stats *stats, surety__issue *issue,
                       surety__had **had)
{
    surety__had *one = *had;

    while (one && one->issue != issue)
        one = one->next;
    if (one)
        return true;
    one = surety__arena_take(&stats->arena, sizeof(*one));
    if (!one)
        return surety__stats_nomem(stats);
    *one = (surety__had){.next = *had, .issue = issue};
    *had = one;
    return true;
}

/* Writes the three texts that identify an issue into made, one after the other.
 * The result points into it. */
static surety_stats_issue issue_make(surety_stats *stats, surety_str contract,
                                     const surety_entry_issue *listed,
                                     surety_buf *path, surety_buf *made)
{
    surety_str texts[3];
    size_t starts[4] = {0};

    surety_buf_reset(made);
    surety_buf_reset(path);
    issue_put_path(listed->path, path);
    texts[0] = contract;
    texts[1] = listed->kind;
    texts[2] = surety_buf_str(path);
    for (size_t i = 0; i < 3; i++) {
        surety_buf_add(made, surety__stats_cut(stats, texts[i]));
        starts[i + 1] = made->len;
    }
    if (path->status || made->status)
        (void)surety__stats_nomem(stats);
    for (size_t i = 0; i < 3; i++)
        texts[i] = (surety_str){made->ptr ? made->ptr + starts[i] : "",
                                starts[i + 1] - starts[i]};
    return (surety_stats_issue){
        .contract = texts[0], .kind = texts[1], .path = texts[2]};
}

bool surety__issues_add(surety_stats *stats, surety__issues *issues,
                        const surety_entry *entry, bool repairs,
                        surety__had **had)
{
    const surety_entry_issue *listed = repairs ? entry->repairs : entry->errors;
    const size_t count = repairs ? entry->repair_count : entry->error_count;
    surety_buf made;
    surety_buf path;

    surety_buf_init(&made, stats->alloc, 0);
    surety_buf_init(&path, stats->alloc, 0);
    for (size_t i = 0; listed && i < count && !stats->status; i++) {
        const surety_stats_issue wanted =
            issue_make(stats, entry->contract, &listed[i], &path, &made);
        surety__issue *issue =
            stats->status ? NULL : issue_of(stats, issues, &wanted);

        if (!issue)
            continue;
        issue->info.replies += issue->reply != stats->reply;
        issue->reply = stats->reply;
        (void)issue_note(stats, issue, had);
    }
    surety_buf_done(&path);
    surety_buf_done(&made);
    return stats->status == SURETY_OK;
}

/* Orders by most replies, then by the texts. */
static int issue_compare(const void *a, const void *b)
{
    const surety_stats_issue *left = &(*(surety__issue *const *)a)->info;
    const surety_stats_issue *right = &(*(surety__issue *const *)b)->info;
    int order;

    if (left->replies != right->replies)
        return left->replies > right->replies ? -1 : 1;
    order = surety__str_compare(left->contract, right->contract);
    if (!order)
        order = surety__str_compare(left->kind, right->kind);
    return order ? order : surety__str_compare(left->path, right->path);
}

void surety__issues_end(surety__issues *issues)
{
    if (issues->count)
        qsort(issues->items, issues->count, sizeof(*issues->items),
              issue_compare);
}

void surety__issues_done(surety__issues *issues, const surety_alloc *alloc)
{
    surety__map_done(&issues->map, alloc);
    surety__free(alloc, issues->items, issues->cap * sizeof(surety__issue *));
}

/* ---- results ------------------------------------------------------------- */

surety_stats_issue surety_stats_error_at(const surety_stats *stats, size_t i)
{
    if (!stats || i >= stats->info.error_count)
        return (surety_stats_issue){.replies = 0};
    return stats->errors.items[i]->info;
}

surety_stats_issue surety_stats_repair_at(const surety_stats *stats, size_t i)
{
    if (!stats || i >= stats->info.repair_count)
        return (surety_stats_issue){.replies = 0};
    return stats->repairs.items[i]->info;
}
