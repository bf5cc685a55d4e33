/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the members and items of several containers that belong together.
 *
 * Members belong together by name. Items have no name: equal items belong
 * together; then objects and arrays of which at least half is equal, the most
 * similar first, in whatever order they were given. Only in arrays of numbers,
 * all of one length, items belong together by position, because there the
 * position has the meaning (a series, a point).
 *
 * 1. A voter has at most one item in a group. A second equal item begins, or
 *    joins, another group.
 * 2. A group is compared by the item that was given first.
 * 3. A new group comes after the group of the item before it, so the result has
 *    the voters' order.
 * 4. Equal items are found by hash. Similarity costs groups times items, which
 *    is counted as work. */
#include "vote/inside.h"

/* The columns of one container while they are collected: a list, and a map by
 * hash. */
typedef struct groups {
    surety__column *head;
    surety__map map; /* hash -> column; `alike` links equal hashes */
} groups;

static surety_status groups_add(surety_vote *vote, groups *all, uint64_t hash,
                                surety__column *behind,
                                surety__column **ret_column)
{
    surety__column *column = surety__vote_column(vote);

    if (!column)
        return SURETY_NOMEM;
    column->hash = hash;
    column->alike = surety__map_get(&all->map, hash);
    if (!surety__map_put(&all->map, vote->alloc, hash, column))
        return SURETY_NOMEM;
    column->next = behind ? behind->next : all->head;
    if (behind)
        behind->next = column;
    else
        all->head = column;
    *ret_column = column;
    return SURETY_OK;
}

static void groups_give(surety__column *column, uint32_t voter, surety_val val)
{
    assert(!column->given[voter].doc); /* 1. at most one item a voter */
    if (!column->votes++)
        column->first = voter;
    column->given[voter] = val;
}

/* ---- members ------------------------------------------------------------ */

static surety_status members_take(surety_vote *vote, groups *all,
                                  surety_val object, uint32_t voter)
{
    surety__column *before = all->head; /* new members come last */
    surety_status status = SURETY_OK;

    while (before && before->next)
        before = before->next;
    for (surety_val member = surety_val_first(object);
         member.doc && status == SURETY_OK;
         member = surety_val_next(object, member)) {
        const surety_val key = surety_val_key(member);
        const surety_str name = surety_val_str(key);
        const uint64_t hash = surety__hash(name.ptr, name.len);
        surety__column *column = surety__map_get(&all->map, hash);

        do {
            if (!surety__vote_work(vote, 1))
                return SURETY_LIMIT;
            if (!column || surety_str_equal(surety_val_str(column->key), name))
                break;
            column = column->alike;
        } while (column);
        if (!column) {
            status = groups_add(vote, all, hash, before, &column);
            if (status == SURETY_OK)
                column->key = key;
        }
        if (status == SURETY_OK) {
            groups_give(column, voter, member);
            before = column;
        }
    }
    return status;
}

surety_status surety__members_group(surety_vote *vote, const surety_val *column,
                                    surety__column **ret_columns)
{
    groups all = {0};
    surety_status status = SURETY_OK;

    for (uint32_t i = 0; i < vote->voters && status == SURETY_OK; i++)
        if (surety_val_kind(column[i]) == SURETY_KIND_OBJECT)
            status = members_take(vote, &all, column[i], i);
    surety__map_done(&all.map, vote->alloc);
    *ret_columns = all.head;
    return status;
}

/* ---- items -------------------------------------------------------------- */

/* Returns whether all arrays of a column have one length and only numbers. */
static bool items_are_series(const surety_vote *vote, const surety_val *column)
{
    size_t count = SIZE_MAX;

    for (uint32_t i = 0; i < vote->voters; i++) {
        const surety_val array = column[i];

        if (surety_val_kind(array) != SURETY_KIND_ARRAY)
            continue;
        if (count == SIZE_MAX)
            count = surety_val_count(array);
        if (surety_val_count(array) != count)
            return false;
        SURETY_EACH (item, array)
            if (surety_val_kind(item) != SURETY_KIND_NUMBER)
                return false;
    }
    return true;
}

static surety_status items_by_position(surety_vote *vote,
                                       const surety_val *column,
                                       surety__column **ret_columns)
{
    for (uint32_t i = 0; i < vote->voters; i++) {
        surety__column **link = ret_columns;

        if (surety_val_kind(column[i]) != SURETY_KIND_ARRAY)
            continue;
        SURETY_EACH (item, column[i]) {
            if (!*link)
                *link = surety__vote_column(vote);
            if (!*link)
                return SURETY_NOMEM;
            groups_give(*link, i, item);
            link = &(*link)->next;
        }
    }
    return SURETY_OK;
}

/* Returns how many children of two containers are equal, members by name and
 * items by position; *ret_of: out of how many. Returns 0 when the kinds differ
 * or one container has more than twice as many children. */
static size_t items_likeness(surety_val a, surety_val b, size_t *ret_of)
{
    const surety_kind kind = surety_val_kind(a);
    const size_t a_count = surety_val_count(a);
    const size_t b_count = surety_val_count(b);
    size_t equal = 0;

    *ret_of = a_count > b_count ? a_count : b_count;
    if (kind != surety_val_kind(b) || a_count > b_count * 2 ||
        b_count > a_count * 2)
        return 0;
    if (kind == SURETY_KIND_OBJECT) {
        SURETY_EACH (member, a) {
            const surety_val other =
                surety_val_member(b, surety_val_str(surety_val_key(member)));

            equal += other.doc && surety_val_equal(member, other);
        }
    } else if (kind == SURETY_KIND_ARRAY) {
        surety_val other = surety_val_first(b);

        for (surety_val item = surety_val_first(a); item.doc && other.doc;
             item = surety_val_next(a, item), other = surety_val_next(b, other))
            equal += surety_val_equal(item, other);
    }
    return equal;
}

/* Finds the group that is most similar to item, at least by half, and has no
 * item of voter. *ret_column is NULL when there is none. */
static surety_status items_alike(surety_vote *vote, const groups *all,
                                 surety_val item, uint32_t voter,
                                 surety__column **ret_column)
{
    const surety_kind kind = surety_val_kind(item);
    size_t best = 0;
    size_t best_of = 1;

    *ret_column = NULL;
    if (kind != SURETY_KIND_OBJECT && kind != SURETY_KIND_ARRAY)
        return SURETY_OK;
    for (surety__column *one = all->head; one; one = one->next) {
        size_t of = 1;
        size_t equal;

        if (one->given[voter].doc)
            continue;
        /* 16 members that are searched count as one step, as in a check; an
         * object has at most twice as many members as the other. */
        if (!surety__vote_work(vote, 1 + surety_val_count(item) *
                                             (1 + surety_val_count(item) / 8)))
            return SURETY_LIMIT;
        equal = items_likeness(one->given[one->first], item, &of);
        if (equal * 2 >= of && equal * best_of > best * of) {
            *ret_column = one;
            best = equal;
            best_of = of;
        }
    }
    return SURETY_OK;
}

/* Finds the group of items equal to item that has no item of voter. *ret_column
 * is NULL when there is none. */
static surety_status items_equal(surety_vote *vote, const groups *all,
                                 surety_val item, uint32_t voter,
                                 surety__column **ret_column)
{
    const size_t steps = 1 + surety_val_count(item);
    surety__column *one = surety__map_get(&all->map, surety__val_hash(item));

    *ret_column = NULL;
    for (; one; one = one->alike) {
        if (!surety__vote_work(vote, steps))
            return SURETY_LIMIT;
        if (!one->given[voter].doc &&
            surety_val_equal(one->given[one->first], item))
            *ret_column = one; /* the last one in the chain is the oldest */
    }
    return SURETY_OK;
}

/* Puts a voter's items into groups, in two passes. Items that are equal to a
 * group go first, so that a similar item cannot take their place. places has
 * room for one column per item. */
static surety_status items_take(surety_vote *vote, groups *all,
                                surety_val array, uint32_t voter,
                                surety__column **places)
{
    surety_status status = SURETY_OK;
    surety_val item = surety_val_first(array);

    for (size_t i = 0; item.doc && status == SURETY_OK;
         i++, item = surety_val_next(array, item)) {
        status = items_equal(vote, all, item, voter, &places[i]);
        if (places[i])
            groups_give(places[i], voter, item);
    }
    item = surety_val_first(array);
    for (size_t i = 0; item.doc && status == SURETY_OK;
         i++, item = surety_val_next(array, item)) {
        if (places[i])
            continue;
        status = items_alike(vote, all, item, voter, &places[i]);
        if (status == SURETY_OK && !places[i])
            status = groups_add(vote, all, surety__val_hash(item),
                                i ? places[i - 1] : NULL, &places[i]);
        if (status == SURETY_OK)
            groups_give(places[i], voter, item);
    }
    return status;
}

surety_status surety__items_group(surety_vote *vote, const surety_val *column,
                                  surety__column **ret_columns)
{
    surety_status status = SURETY_OK;
    surety__column **places = NULL;
    groups all = {0};
    size_t longest = 0;

    if (items_are_series(vote, column))
        return items_by_position(vote, column, ret_columns);
    for (uint32_t i = 0; i < vote->voters; i++)
        if (surety_val_kind(column[i]) == SURETY_KIND_ARRAY &&
            surety_val_count(column[i]) > longest)
            longest = surety_val_count(column[i]);
    places = surety__arena_take(&vote->arena, longest * sizeof(*places));
    if (!places)
        return SURETY_NOMEM;
    for (uint32_t i = 0; i < vote->voters && status == SURETY_OK; i++)
        if (surety_val_kind(column[i]) == SURETY_KIND_ARRAY)
            status = items_take(vote, &all, column[i], i, places);
    surety__map_done(&all.map, vote->alloc);
    *ret_columns = all.head;
    return status;
}
