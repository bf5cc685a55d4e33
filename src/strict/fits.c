/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how a delivered value can be read. Each pair of a node and a value
 * that the walk from the root reaches is one item. An item depends on the
 * items of its children or, for a union, on those of its branches for the same
 * value. A value comes before its children in the document, so one pass from
 * the last value to the first settles all items. The cost is the number of
 * nodes times the number of values, however unions are nested.
 *
 * A branch fits if the complete value matches it: types, names and choices,
 * down to the last leaf. Each item has a hash (sum) of the value that it
 * gives. A union whose branches give different sums can be read in more than
 * one way; this file does not choose one then. */
#include "json/json.h"
#include "strict/node.h"

/* Rounds over the unions of one value. Deeper unions of unions do not fit. */
enum { FITS_ROUNDS = 64 };

/* ---- sums: hashes of values ---------------------------------------------- */

/* The finalizer of SplitMix64. */
static uint64_t sum_mix(uint64_t sum, uint64_t more)
{
    uint64_t mixed = sum * 0x9E3779B97F4A7C15u + more;

    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

static uint64_t sum_text(uint64_t seed, surety_str text)
{
    uint64_t sum = seed ^ 0xCBF29CE484222325u;

    for (size_t i = 0; i < text.len; i++)
        sum = (sum ^ (unsigned char)text.ptr[i]) * 0x100000001B3u;
    return sum_mix(sum, text.len);
}

static uint64_t sum_scalar(surety_val val)
{
    const surety_kind kind = surety_val_kind(val);

    if (kind == SURETY_KIND_NUMBER)
        return sum_text((uint64_t)kind, surety_val_number(val));
    if (kind == SURETY_KIND_STRING)
        return sum_text((uint64_t)kind, surety_val_str(val));
    return sum_mix((uint64_t)kind, surety_val_bool(val, false));
}

/* Adds an item of an array in order, or a member of an object in any order. */
static uint64_t sum_add(bool object, uint64_t sum, surety_str name,
                        uint64_t value)
{
    return object ? sum + sum_mix(sum_text(1, name), value)
                  : sum_mix(sum, value);
}

static uint64_t sum_as_it_is(const surety__fits *fits, surety_val val)
{
    return fits->sums[val.index];
}

/* Computes the sums of all values of a document, unchanged. */
static void sum_all(surety__fits *fits, const surety_doc *doc)
{
    fits->sum_count = surety__doc_size(doc);
    fits->sums =
        surety__new(fits->alloc, fits->sum_count * sizeof(*fits->sums));
    if (!fits->sums) {
        fits->status = SURETY_NOMEM;
        return;
    }
    for (size_t i = fits->sum_count; i-- > 0;) {
        const surety_val val = {doc, (uint32_t)i};
        const bool object = doc->cells[i].kind == CELL_OBJECT;
        uint64_t sum = doc->cells[i].kind;

        if (doc->cells[i].kind < CELL_ARRAY) {
            if (doc->cells[i].kind != CELL_KEY)
                fits->sums[i] = sum_scalar(val);
            continue;
        }
        SURETY_EACH (sub, val)
            sum = sum_add(object, sum,
                          object ? surety_val_str(surety_val_key(sub))
                                 : (surety_str){0},
                          sum_as_it_is(fits, sub));
        fits->sums[i] = sum;
    }
}

/* ---- one value and one node ---------------------------------------------- */

static bool fits_is_open(const surety__fits *fits, surety_val val)
{
    return fits->open && surety_val_is_open(val);
}

/* The types that a node has in the sent schema. */
static unsigned fits_sent(const surety__node *node)
{
    return node->array.as_object
               ? (node->types & ~(unsigned)TYPE_ARRAY) | TYPE_OBJECT
               : node->types;
}

bool surety__fits_is_pairs(const surety__fits *fits, surety_val list)
{
    if (surety_val_kind(list) != SURETY_KIND_ARRAY)
        return false;
    SURETY_EACH (item, list) {
        const surety_val key = surety_val_get(item, PAIR_KEY);
        const bool pair = surety_val_kind(key) == SURETY_KIND_STRING &&
                          surety_val_get(item, PAIR_VALUE).doc &&
                          surety_val_count(item) == 2;
        if (!pair && !fits_is_open(fits, item))
            return false;
    }
    return true;
}

/* Whether val has the members that an object of node must have. */
static bool fits_names(const surety__fits *fits, const surety__node *node,
                       surety_val val)
{
    const bool all = fits->strict->subset->traits & SUBSET_ALL_REQUIRED;
    const bool beside = node->object.others_how == OTHERS_BESIDE;
    size_t wanted = beside, found = 0;

    for (uint32_t i = 0; i < node->object.field_count; i++)
        wanted += all || node->object.fields[i].required;
    SURETY_EACH (sub, val) {
        const surety_str name = surety_val_str(surety_val_key(sub));
        const surety__sent_member *field =
            surety__object_member(&node->object, name);
        if (field)
            found += all || field->required;
        else if (beside && surety_str_equal(name, node->object.beside) &&
                 (node->array.as_object
                      ? surety_val_kind(sub) == SURETY_KIND_ARRAY
                      : surety__fits_is_pairs(fits, sub)))
            found++;
        else if (node->object.others_how == OTHERS_NONE || beside)
            return false;
    }
    return found == wanted || fits_is_open(fits, val);
}

bool surety__fits_looks(const surety__fits *fits, const surety__node *node,
                        surety_val val)
{
    const unsigned bits =
        surety__type_bits(val.doc, surety__cell_of(val), false);

    if (node->form != NODE_VALUE || !(bits & fits_sent(node)))
        return false;
    if (node->choice_count)
        return surety__node_lists(node, val) || fits_is_open(fits, val);
    return surety_val_kind(val) != SURETY_KIND_OBJECT ||
           fits_names(fits, node, val);
}

/* ---- children ------------------------------------------------------------ */

surety__children surety__children_of(const surety__fits *fits,
                                     const surety__node *node, surety_val val)
{
    surety__children of = {.node = node, .val = val};

    assert(node->form == NODE_VALUE);
    if (node->object.others_how == OTHERS_BESIDE)
        of.list = surety_val_member(val, node->object.beside);
    of.has_pairs = of.list.doc && !node->array.as_object &&
                   surety__fits_is_pairs(fits, of.list);
    return of;
}

/* Moves to the next item of a list; false: there is none. */
static bool children_item(surety__children *of, surety_val list)
{
    of->item =
        of->item.doc ? surety_val_next(list, of->item) : surety_val_first(list);
    return of->item.doc != NULL;
}

static bool children_tuple(surety__children *of, surety__child *ret_child)
{
    const surety__object_form *object = &of->node->object;

    assert(of->present <= of->index);
    while (of->index < object->field_count) {
        const uint32_t i = of->index++;
        const surety_val sub =
            surety_val_member(of->val, object->fields[i].sent);

        if (!sub.doc || surety__item_absent(of->node, i, of->present, sub))
            continue;
        of->has_gap |= of->present++ != i;
        *ret_child =
            (surety__child){.node = object->fields[i].link.node, .val = sub};
        return true;
    }
    if (!children_item(of, of->list))
        return false;
    of->has_gap |= of->present < object->field_count;
    *ret_child =
        (surety__child){.node = of->node->array.items.node, .val = of->item};
    return true;
}

static bool children_object(surety__children *of, surety__child *ret_child)
{
    const surety__object_form *object = &of->node->object;

    for (;;) {
        const surety__sent_member *field;
        surety_str name;

        if (of->in_list) {
            of->in_list = children_item(of, of->list);
            *ret_child =
                (surety__child){.role = CHILD_PAIR,
                                .key = surety_val_get(of->item, PAIR_KEY),
                                .val = surety_val_get(of->item, PAIR_VALUE),
                                .node = object->others.node};
            ret_child->name = surety_val_str(ret_child->key);
            if (ret_child->val.doc)
                return true;
            continue;
        }
        of->member = of->member.doc ? surety_val_next(of->val, of->member)
                                    : surety_val_first(of->val);
        if (!of->member.doc)
            return false;
        if (of->has_pairs && of->member.index == of->list.index) {
            of->in_list = true;
            continue;
        }
        name = surety_val_str(surety_val_key(of->member));
        field = surety__object_member(object, name);
        if (field && surety__member_absent(field, of->member))
            continue;
        *ret_child = (surety__child){.role = field ? CHILD_FIELD : CHILD_OTHER,
                                     .name = field ? field->name : name,
                                     .node = field ? field->link.node
                                                   : object->others.node,
                                     .val = of->member};
        return true;
    }
}

bool surety__children_next(surety__children *of, surety__child *ret_child)
{
    if (surety_val_kind(of->val) == SURETY_KIND_OBJECT)
        return of->node->array.as_object ? children_tuple(of, ret_child)
                                         : children_object(of, ret_child);
    if (!children_item(of, of->val))
        return false;
    *ret_child = (surety__child){
        .node = surety__array_item(&of->node->array, of->index++),
        .val = of->item};
    return true;
}

/* ---- items --------------------------------------------------------------- */

static uint64_t fits_key(const surety__node *node, surety_val val)
{
    return (uint64_t)node->ordinal << 32 | val.index;
}

const surety__fit *surety__fits_of(const surety__fits *fits,
                                   const surety__node *node, surety_val val)
{
    const uintptr_t number =
        (uintptr_t)surety__map_get(&fits->index, fits_key(node, val));

    return number ? &fits->items[number - 1] : NULL;
}

/* Adds the item of a node and a value, and makes the current item depend on
 * it. */
static void fits_add(surety__fits *fits, const surety__node *node,
                     surety_val val)
{
    const surety_alloc *alloc = fits->alloc;
    uintptr_t number;

    if (fits->status != SURETY_OK)
        return;
    number = (uintptr_t)surety__map_get(&fits->index, fits_key(node, val));
    if (!number) {
        fits->status =
            surety__grow(alloc, (void **)&fits->items, &fits->cap,
                         fits->count + 1, sizeof(*fits->items), FITS_MAX);
        if (fits->status != SURETY_OK)
            return;
        fits->items[fits->count++] = (surety__fit){.node = node, .val = val};
        number = fits->count;
        if (!surety__map_put(&fits->index, alloc, fits_key(node, val),
                             (void *)number)) {
            fits->status = SURETY_NOMEM;
            return;
        }
    }
    fits->status = surety__grow(alloc, (void **)&fits->edges, &fits->edge_cap,
                                fits->edge_count + 1, sizeof(*fits->edges),
                                (size_t)FITS_MAX * 4);
    if (fits->status == SURETY_OK)
        fits->edges[fits->edge_count++] = (uint32_t)(number - 1);
}

/* Adds the items that an item depends on. A value that does not look like its
 * node has none. */
static void fits_open_item(surety__fits *fits, size_t i)
{
    const surety__node *node = fits->items[i].node;
    const surety_val val = fits->items[i].val;
    const size_t first = fits->edge_count;
    const bool looks = surety__fits_looks(fits, node, val);

    if (node->form == NODE_UNION) {
        for (uint32_t j = 0; j < node->branch_count; j++) {
            const surety__node *branch = node->branches[j].node;
            if (branch->form == NODE_UNION ||
                surety__fits_looks(fits, branch, val))
                fits_add(fits, branch, val);
        }
    } else if (looks && !node->choice_count) {
        surety__children of = surety__children_of(fits, node, val);
        surety__child child;
        while (surety__children_next(&of, &child))
            if (child.node)
                fits_add(fits, child.node, child.val);
    }
    fits->items[i].fits = looks;
    fits->items[i].first = (uint32_t)first;
    fits->items[i].count = (uint32_t)(fits->edge_count - first);
}

/* ---- sums of items ------------------------------------------------------- */

static uint64_t fits_child_sum(const surety__fits *fits,
                               const surety__node *node, surety_val val)
{
    const surety__fit *fit = node ? surety__fits_of(fits, node, val) : NULL;

    return fit && fit->fits ? fit->sum : sum_as_it_is(fits, val);
}

/* The sum of what a value becomes that has children. */
static uint64_t fits_sum(const surety__fits *fits, const surety__node *node,
                         surety_val val)
{
    const bool object =
        surety_val_kind(val) == SURETY_KIND_OBJECT && !node->array.as_object;
    surety__children of = surety__children_of(fits, node, val);
    uint64_t sum = object ? CELL_OBJECT : CELL_ARRAY;
    surety__child child;

    while (surety__children_next(&of, &child))
        sum = sum_add(object, sum, child.name,
                      fits_child_sum(fits, child.node, child.val));
    return sum;
}

static void fits_settle_value(surety__fits *fits, surety__fit *fit)
{
    const surety_kind kind = surety_val_kind(fit->val);
    const surety__node *node = fit->node;

    for (uint32_t i = 0; i < fit->count && fit->fits; i++)
        fit->fits = fits->items[fits->edges[fit->first + i]].fits;
    if (!fit->fits)
        return;
    fit->sum = kind < SURETY_KIND_ARRAY || node->choice_count || !node->changes
                   ? sum_as_it_is(fits, fit->val)
                   : fits_sum(fits, node, fit->val);
}

/* Settles a union. True: its result changed. */
static bool fits_settle_union(surety__fits *fits, surety__fit *fit)
{
    const surety__fit before = *fit;

    assert(fit->node->form == NODE_UNION);
    fit->fits = fit->many = false;
    for (uint32_t i = 0; i < fit->count; i++) {
        const surety__fit *branch = &fits->items[fits->edges[fit->first + i]];
        if (!branch->fits || branch == fit)
            continue;
        if (!fit->fits) {
            fit->fits = true;
            fit->sum = branch->sum;
            fit->how = branch->node;
        }
        fit->many |= branch->many || branch->sum != fit->sum;
    }
    return fit->fits != before.fits || fit->many != before.many ||
           fit->sum != before.sum || fit->how != before.how;
}

/* Settles the items of one value: first those that depend on its children,
 * then unions. */
static void fits_settle_group(surety__fits *fits, const surety__pair *group,
                              size_t count)
{
    bool changed = true;

    assert(count > 0);
    for (size_t i = 0; i < count; i++)
        if (fits->items[group[i].value].node->form != NODE_UNION)
            fits_settle_value(fits, &fits->items[group[i].value]);
    for (unsigned round = 0; changed && round < FITS_ROUNDS; round++) {
        changed = false;
        for (size_t i = count; i-- > 0;)
            if (fits->items[group[i].value].node->form == NODE_UNION)
                changed |=
                    fits_settle_union(fits, &fits->items[group[i].value]);
    }
}

static void fits_settle(surety__fits *fits)
{
    const surety_alloc *alloc = fits->alloc;
    surety__pair *order = surety__new(alloc, fits->count * sizeof(*order));
    size_t end;

    if (!order) {
        fits->status = SURETY_NOMEM;
        return;
    }
    for (size_t i = 0; i < fits->count; i++)
        order[i] = (surety__pair){fits->items[i].val.index, i};
    surety__pairs_sort(order, fits->count);
    for (size_t start = fits->count; start > 0;) {
        for (end = start;
             start > 0 && order[start - 1].key == order[end - 1].key;)
            start--;
        fits_settle_group(fits, order + start, end - start);
    }
    surety__free(alloc, order, fits->count * sizeof(*order));
}

void surety__fits_find(surety__fits *fits, const surety__node *node,
                       surety_val val)
{
    sum_all(fits, val.doc);
    fits_add(fits, node, val);
    for (size_t i = 0; i < fits->count && fits->status == SURETY_OK; i++)
        fits_open_item(fits, i);
    if (fits->status == SURETY_OK)
        fits_settle(fits);
}

void surety__fits_done(surety__fits *fits)
{
    const surety_alloc *alloc = fits->alloc;

    surety__free(alloc, fits->items, fits->cap * sizeof(*fits->items));
    surety__free(alloc, fits->edges, fits->edge_cap * sizeof(*fits->edges));
    surety__free(alloc, fits->sums, fits->sum_count * sizeof(*fits->sums));
    surety__map_done(&fits->index, alloc);
}
