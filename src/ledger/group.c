/* SPDX-License-Identifier: Apache-2.0 */
/* A group: writes that wait to be carried out in one transaction. Each is a
 * copy of its entry. */
#include "ledger/ledger.h"

void surety__group_init(surety__group *group, const surety_alloc *alloc)
{
    *group = (surety__group){.alloc = alloc};
    surety__arena_init(&group->arena, alloc, 0);
}

void surety__group_done(surety__group *group)
{
    surety__free(group->alloc, group->list, group->cap * sizeof(*group->list));
    surety__arena_done(&group->arena);
}

void surety__group_clear(surety__group *group)
{
    group->count = 0;
    surety__arena_reset(&group->arena);
}

/* Copies a text of any length; false: out of memory. */
static bool group_text(surety__group *group, surety_str *text)
{
    if (!text->len)
        return true;
    *text = surety__arena_text(&group->arena, *text);
    return text->ptr != NULL;
}

/* Copies the list of errors or repairs. */
static bool group_issues(surety__group *group, size_t count,
                         const surety_entry_issue **list)
{
    surety_entry_issue *copies;

    if (!count)
        return true;
    copies = surety__arena_take(&group->arena, count * sizeof(*copies));
    if (!copies)
        return false;
    for (size_t i = 0; i < count; i++) {
        copies[i] = (*list)[i];
        if (!group_text(group, &copies[i].kind) ||
            !group_text(group, &copies[i].path) ||
            !group_text(group, &copies[i].message))
            return false;
    }
    *list = copies;
    return true;
}

surety_status surety__group_add(surety__group *group, const surety_entry *entry,
                                bool ends, bool raw, surety_error *reterr)
{
    surety__write write = {.entry = *entry, .ends = ends};
    bool copied = true;

    if (surety__grow(group->alloc, &group->list, &group->cap, group->count + 1,
                     sizeof(*group->list), SIZE_MAX))
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < SURETY__COLUMNS && copied; i++) {
        surety_str *text = surety__entry_text(&write.entry, i);

        if (text && !raw && surety__column_raw(i))
            text->len = 0;
        copied = !text || group_text(group, text);
    }
    if (!copied ||
        !group_issues(group, entry->error_count, &write.entry.errors) ||
        !group_issues(group, entry->repair_count, &write.entry.repairs))
        return surety__fail_nomem(reterr);
    group->list[group->count++] = write;
    return SURETY_OK;
}
