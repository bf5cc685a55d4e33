/* SPDX-License-Identifier: Apache-2.0 */
/* Compares listed values. A conjunction that lists its values (enum, const)
 * accepts those that all of its conjuncts accept, and no others. Such lists
 * are short, so keywords are not compared: each value is checked by both
 * conjunctions. In a oneOf whose branches may hold at the same time that is
 * not enough, since a second valid branch makes the oneOf invalid: there the
 * lists themselves are compared, and the other keywords as usual. */
#include "diff/diff.h"

/* Steps for all checks of one diff together. Values beyond them are reported
 * as not accepted. */
enum { DIFF_WORK = 20000000 };

/* The values of a conjunction's first list; list NULL: it has none. */
struct value_list {
    const surety__choices *list;
    const surety_doc *doc;
    const surety__conjunction *all;
    const surety_schema *schema;
};

static struct value_list values_of(const surety__conjunction *all,
                                   const surety_contract *contract)
{
    const surety__shape *listing = surety__conjunction_listing(all);
    struct value_list values = {
        .all = all, .schema = surety_contract_info_of(contract)->schema};

    if (listing) {
        values.list = listing->constant ? listing->constant : listing->choices;
        values.doc = listing->at.doc;
    }
    return values;
}

static surety_val values_at(const struct value_list *values, uint32_t i)
{
    assert(i < values->list->count);
    return (surety_val){values->doc, (uint32_t)values->list->list[i].value};
}

/* Whether all conjuncts accept the value; listed: whether all their lists have
 * it. */
static bool values_take(surety_diff *diff, const struct value_list *values,
                        surety_val value, bool listed)
{
    bool valid = false;

    if (listed)
        return surety__conjunction_lists(values->all, value);
    (void)surety__conjunction_check(diff->checker, values->schema, values->all,
                                    value, &diff->work, &valid);
    return valid;
}

/* Whether a list has the i-th value of another one. */
static bool values_have(const struct value_list *values,
                        const struct value_list *other, uint32_t wanted)
{
    const surety__pair *pair = &other->list->list[wanted];

    assert(wanted < other->list->count);
    for (uint32_t i = 0; values->list && i < values->list->count; i++)
        if (values->list->list[i].key == pair->key &&
            surety_val_equal(values_at(values, i), values_at(other, wanted)))
            return true;
    return false;
}

enum { VALUES_LISTED = 8 };

/* The first values in the order of their list, and their number. */
struct value_first {
    uint64_t at[VALUES_LISTED]; /* offset in the document */
    size_t count;
};

static void values_first(struct value_first *first, uint64_t at)
{
    size_t i = first->count < VALUES_LISTED ? first->count : VALUES_LISTED - 1;

    if (first->count++ >= VALUES_LISTED && at > first->at[i])
        return;
    for (; i > 0 && first->at[i - 1] > at; i--)
        first->at[i] = first->at[i - 1];
    first->at[i] = at;
}

/* Reports the values of both lists that `takes` accepts and `lacks` does not.
 * In a loose branch of a oneOf only the lists decide. */
static void values_report(surety_diff *diff, const surety__diff_task *task,
                          const struct value_list *takes,
                          const struct value_list *lacks, bool is_new)
{
    surety_buf *out = &diff->scratch;
    size_t count = 0, shown = 0;

    surety_buf_reset(out);
    for (int k = 0; k < 2; k++) {
        const struct value_list *values = k ? lacks : takes;
        struct value_first first = {.count = 0};

        for (uint32_t i = 0; values->list && i < values->list->count; i++) {
            const surety_val value = values_at(values, i);

            if (!(k && values_have(takes, values, i)) &&
                values_take(diff, takes, value, task->loose) &&
                !values_take(diff, lacks, value, task->loose))
                values_first(&first, values->list->list[i].value);
        }
        count += first.count;
        for (size_t i = 0;
             i < first.count && shown < VALUES_LISTED && i < VALUES_LISTED;
             i++) {
            surety_buf_text(out, shown++ > 0 ? ", " : "");
            surety__diff_value(
                diff, (surety_val){values->doc, (uint32_t)first.at[i]});
        }
    }
    if (count == 0)
        return;
    if (count > shown)
        surety__buf_printf(out, " and %zu more", count - shown);
    surety_buf_text(out, count > 1 ? " are" : " is");
    surety_buf_text(out, is_new ? " taken, too" : " not taken any more");
    surety__diff_record(diff, task, "enum",
                        is_new ? DIFF_CONSUMERS : DIFF_PRODUCERS);
}

/* Whether a conjunct may reach a dynamic reference, whose target the check
 * does not know there. */
static bool values_are_dynamic(const struct value_list *values)
{
    for (size_t i = 0; i < values->all->count && values->schema->dynamic; i++)
        if (values->all->items[i].shape->applicator_count ||
            values->all->items[i].shape->objects ||
            values->all->items[i].shape->arrays)
            return true;
    return false;
}

bool surety__diff_values(surety_diff *diff, const surety__diff_task *task)
{
    const struct value_list before = values_of(task->before, diff->before);
    const struct value_list after = values_of(task->after, diff->after);

    if ((!before.list && !after.list) || task->before->is_cut ||
        task->after->is_cut)
        return false;
    if (!diff->checker) {
        diff->checker = surety_checker_new(diff->alloc, NULL);
        diff->work = DIFF_WORK;
        if (!diff->checker)
            diff->status = SURETY_NOMEM;
        if (diff->status)
            return true;
    }
    values_report(diff, task, &before, &after, false);
    values_report(diff, task, &after, &before, true);
    if (!after.list)
        surety__diff_report(diff, task, "enum", DIFF_CONSUMERS,
                            "other values than the listed ones are taken, too");
    else if (!before.list)
        surety__diff_report(diff, task, "enum", DIFF_PRODUCERS,
                            "only listed values are taken now");
    if (!diff->is_unchanged &&
        (values_are_dynamic(&before) || values_are_dynamic(&after)))
        surety__diff_report(diff, task, "enum", DIFF_BOTH,
                            "other listed values may be taken");
    return !task->loose;
}
