/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two contracts.
 *
 * Each location of the value is a task: the two conjunctions that apply there.
 * Comparing a task reports the differences at the location, and pushes the
 * locations below it on a stack, so there is no recursion. A pair of
 * conjunctions is compared once, wherever it occurs again.
 *
 * A union (anyOf, oneOf) gives alternatives: the rest of the conjunction with
 * one branch each. The alternatives of both contracts are matched, the most
 * similar first, and each match is a task. An alternative without a match was
 * removed or is new. Unions with very many branches, and unions inside many
 * others, are not divided: they are only compared for equality. */
#include "diff/diff.h"

/* ---- unions ------------------------------------------------------------- */

/* A union in a conjunction; one NULL: there is none. */
struct form_union {
    const surety__applicator *one;
    surety__union_at at;
};

/* The n-th union of a conjunction that is not opened. */
static struct form_union forms_closed(const surety__conjunction *all, size_t n)
{
    struct form_union found = {.one = NULL};

    if (surety__conjunction_union(all, n, &found.at))
        found.one = surety__conjunction_applicator(all, found.at);
    return found;
}

/* The first union that can be divided into branches; *ret_wide: a union before
 * it has too many. */
static struct form_union forms_first(const surety_diff *diff,
                                     const surety__conjunction *all,
                                     bool *ret_wide)
{
    struct form_union found = {.one = NULL};

    for (size_t n = 0; surety__conjunction_settled(all) < DIFF_OPENED; n++) {
        found = forms_closed(all, n);
        if (!found.one ||
            (found.one->count <= DIFF_BRANCHES &&
             diff->pair_count + found.one->count <= SURETY_DIFF_PAIRS_MAX / 2))
            break;
        *ret_wide = true;
    }
    return found;
}

/* The conjunction with the i-th branch of a union. The keywords beside the
 * union still apply. The branch comes first, since messages name its
 * location. */
static const surety__conjunction *forms_branch(surety_diff *diff,
                                               const surety__conjunction *all,
                                               const struct form_union *of,
                                               size_t i, bool is_new)
{
    surety__conjunction *divided = surety__diff_list(diff, is_new);

    assert(i < of->one->count);
    surety__conjunction_branch(&diff->graph, all, of->at, of->one->shapes[i],
                               divided);
    return divided;
}

/* The value that a conjunction fixes for a member; NONE: it fixes none. */
static surety_val branch_constant(const surety__conjunction *all,
                                  const surety__property *name)
{
    for (size_t i = 0; i < all->count; i++) {
        const surety__objects *objects = all->items[i].shape->objects;
        const surety__property *property =
            objects ? surety__objects_named(objects, name->name, name->hash)
                    : NULL;

        if (property && property->shape && property->shape->constant)
            return surety_val_get(property->shape->at, "const");
    }
    return surety_val_none();
}

enum { MATCH_NONE = 0, MATCH_TYPES, MATCH_CONSTANT, MATCH_SAME };

/* How similar two branches are that are not the same. */
static int branch_match(surety_diff *diff, const surety__shape *before,
                        const surety__shape *after)
{
    surety__conjunction *old_all = surety__diff_list(diff, false);
    surety__conjunction *new_all = surety__diff_list(diff, true);
    const surety__property *name;
    surety__name_at at = {0, 0};

    surety__conjunction_add(&diff->graph, old_all,
                            (surety__conjunct){.shape = before});
    surety__conjunction_add(&diff->graph, new_all,
                            (surety__conjunct){.shape = after});
    while ((name = surety__conjunction_name(old_all, &at)) != NULL) {
        const surety_val a = branch_constant(old_all, name);
        const surety_val b = branch_constant(new_all, name);

        if (a.doc && b.doc)
            return surety_val_equal(a, b) ? MATCH_CONSTANT : MATCH_NONE;
    }
    return before->types & after->types ? MATCH_TYPES : MATCH_NONE;
}

/* Whether two branches match as well as wanted. Beyond DIFF_MATCHES they match
 * only if they are the same. */
static bool branch_matches(surety_diff *diff, const surety__shape *before,
                           const surety__shape *after, int wanted)
{
    if (wanted == MATCH_SAME)
        return surety_val_equal(before->at, after->at);
    return diff->match_count < DIFF_MATCHES && ++diff->match_count &&
           branch_match(diff, before, after) == wanted;
}

/* Matches the branches of two unions. partner[i]: the new branch for the i-th
 * old one, or SIZE_MAX. */
static void forms_match(surety_diff *diff, const surety__applicator *before,
                        const surety__applicator *after, size_t *partner,
                        bool *taken)
{
    for (size_t i = 0; i < before->count; i++)
        partner[i] = SIZE_MAX;
    for (int wanted = MATCH_SAME; wanted > MATCH_NONE; wanted--)
        for (size_t i = 0; i < before->count; i++)
            for (size_t j = 0; partner[i] == SIZE_MAX && j < after->count; j++)
                if (!taken[j] && branch_matches(diff, before->shapes[i],
                                                after->shapes[j], wanted)) {
                    partner[i] = j;
                    taken[j] = true;
                }
}

static void forms_report(surety_diff *diff, const surety__diff_task *task,
                         const surety__applicator *one, size_t i, bool is_new)
{
    const char *keyword = one->keyword == KW_ONE_OF ? "oneOf" : "anyOf";
    surety_buf *out = &diff->scratch;
    const surety_val named = surety_val_get(one->shapes[i]->at, "title");

    surety_buf_reset(out);
    surety_buf_text(out, "the form ");
    surety__diff_value(diff, named.doc ? named : one->shapes[i]->at);
    surety_buf_text(out, is_new ? " is taken, too" : " is not taken any more");
    surety__diff_record(diff, task, keyword,
                        is_new ? DIFF_CONSUMERS : DIFF_PRODUCERS);
}

/* Whether an object satisfies at most one branch of a oneOf, because each
 * branch requires a member and fixes it to values of its own. */
static bool forms_are_tagged(const surety__applicator *one)
{
    const surety__switch *branching = one->branching;

    for (uint32_t t = 0; branching && t < branching->tag_count; t++) {
        const surety__tag *tag = &branching->tags[t];
        bool alone = !surety__branches_count(tag->open, one->count) &&
                     surety__branches_count(tag->lacking, one->count) <= 1;

        for (uint32_t i = 0; alone && i <= tag->values.mask; i++)
            alone = surety__branches_count(tag->values.entries[i].value,
                                           one->count) <= 1;
        if (alone)
            return true;
    }
    return false;
}

/* Whether several branches of a oneOf may hold at the same time: neither their
 * types nor a fixed member excludes that. */
static bool forms_are_loose(const surety__conjunction *all,
                            const surety__applicator *one)
{
    unsigned counted = surety__conjunction_types(all);
    unsigned types = 0;

    if (!one || one->kind != APPLY_ONE)
        return false;
    if (forms_are_tagged(one))
        counted &= ~(unsigned)TYPE_OBJECT;
    for (uint32_t i = 0; i < one->count; i++) {
        if (one->shapes[i]->types & types & counted)
            return true;
        types |= one->shapes[i]->types;
    }
    return false;
}

/* Compares two unions: matching branches are compared with each other. */
static void diff_union_pairs(surety_diff *diff, const surety__diff_task *task,
                             const struct form_union *before,
                             const struct form_union *after)
{
    size_t *partner =
        surety__arena_take(&diff->arena, before->one->count * sizeof(*partner));
    bool *taken =
        surety__arena_take(&diff->arena, after->one->count * sizeof(*taken));

    assert(before->one->count <= DIFF_BRANCHES &&
           after->one->count <= DIFF_BRANCHES);
    if (!partner || !taken)
        return;
    forms_match(diff, before->one, after->one, partner, taken);
    for (size_t j = 0; j < after->one->count; j++)
        if (!taken[j])
            forms_report(diff, task, after->one, j, true);
    for (size_t i = before->one->count; i > 0; i--) {
        const surety__conjunction *left, *right;

        if (partner[i - 1] == SIZE_MAX) {
            forms_report(diff, task, before->one, i - 1, false);
            continue;
        }
        left = forms_branch(diff, task->before, before, i - 1, false);
        right = forms_branch(diff, task->after, after, partner[i - 1], true);
        surety__diff_push(diff, task, left, right);
    }
}

/* Compares a union with a conjunction without one: the first branch of each
 * type is compared with it. Branches of other types are reported with the
 * types. */
static void diff_union_alone(surety_diff *diff, const surety__diff_task *task,
                             const struct form_union *of, bool is_new)
{
    const surety__conjunction *all = is_new ? task->after : task->before;
    const unsigned form =
        surety__conjunction_types(is_new ? task->before : task->after);
    unsigned any = 0, open = form;

    for (size_t i = 0; i < of->one->count; i++)
        any |=
            surety__conjunction_types(forms_branch(diff, all, of, i, is_new));
    surety__diff_types(diff, task, is_new ? form : any, is_new ? any : form);
    for (size_t i = 0; i < of->one->count; i++) {
        const surety__conjunction *branch =
            forms_branch(diff, all, of, i, is_new);
        const unsigned types = surety__conjunction_types(branch) & form;

        if (types & open) {
            surety__diff_task put_off = *task;

            put_off.types_reported = true;
            surety__diff_push(diff, &put_off, is_new ? task->before : branch,
                              is_new ? branch : task->after);
        } else if (types) {
            forms_report(diff, task, of->one, i, is_new);
        }
        open &= ~types;
    }
}

/* Divides the unions of a task into branches; false: it has none. */
static bool diff_unions(surety_diff *diff, const surety__diff_task *task)
{
    bool wide = false;
    const struct form_union before = forms_first(diff, task->before, &wide);
    const struct form_union after = forms_first(diff, task->after, &wide);
    surety__diff_task opened = *task;

    /* A union is not divided where its counterpart cannot be. */
    if ((!before.one && !after.one) || (wide && (!before.one || !after.one)))
        return false;
    opened.types_reported = false;
    opened.loose = task->loose || forms_are_loose(task->before, before.one) ||
                   forms_are_loose(task->after, after.one);
    /* The branches may be the same; whether a oneOf counts them may not. */
    surety__diff_report_turn(diff, task, "oneOf",
                             forms_are_loose(task->after, after.one) -
                                 forms_are_loose(task->before, before.one),
                             "a value may satisfy several of the forms now",
                             "a value must satisfy one of the forms alone now");
    if (before.one && after.one)
        diff_union_pairs(diff, &opened, &before, &after);
    else
        diff_union_alone(diff, &opened, before.one ? &before : &after,
                         !before.one);
    return true;
}

/* Whether the parts beyond the limits differ; they are only compared for
 * equality. These are unions that are not opened (except the first one if none
 * is opened, which facets.c reports) and, if there are too many conjuncts, the
 * whole contracts. */
static bool diff_rest_differs(surety_diff *diff, const surety__diff_task *task)
{
    const surety__conjunction *before = task->before;
    const surety__conjunction *after = task->after;
    const bool is_reported = !surety__conjunction_settled(before) &&
                             !surety__conjunction_settled(after);

    if ((before->is_cut || after->is_cut) && !diff->is_unchanged)
        return true;
    for (size_t n = is_reported;; n++) {
        const surety__applicator *left = forms_closed(before, n).one;
        const surety__applicator *right = forms_closed(after, n).one;

        if (!left && !right)
            return false;
        if (!left || !right || !surety__diff_same_union(diff, left, right))
            return true;
    }
}

/* ---- the whole contracts ------------------------------------------------- */

static void diff_compare(surety_diff *diff, const surety__diff_task *task)
{
    const bool never_before = surety__conjunction_never(task->before);
    const bool never_after = surety__conjunction_never(task->after);

    if (never_before || never_after) {
        if (!never_before)
            surety__diff_report(diff, task, "false", DIFF_PRODUCERS,
                                "nothing is taken here any more");
        else if (!never_after)
            surety__diff_report(diff, task, "false", DIFF_CONSUMERS,
                                "something is taken here now");
        return;
    }
    if (surety__diff_values(diff, task) || diff->status ||
        diff_unions(diff, task))
        return;
    if (diff_rest_differs(diff, task))
        surety__diff_report(diff, task, "allOf", DIFF_BOTH,
                            "more subschemas apply here than are compared, and "
                            "they are not all equal");
    surety__diff_facets(diff, task);
    surety__diff_arrays(diff, task);
    surety__diff_objects(diff, task);
}

static surety_status diff_all(surety_diff *diff)
{
    const surety__diff_task whole = {.at = {"", 0}};
    const surety_contract *const contracts[] = {diff->before, diff->after};

    for (size_t i = 0; i < 2; i++)
        surety__conjunction_add(
            &diff->graph, surety__diff_list(diff, i),
            (surety__conjunct){
                .shape = surety_contract_info_of(contracts[i])->schema->root});
    surety__diff_push(diff, &whole, &diff->lists[0], &diff->lists[1]);
    while (diff->status == SURETY_OK && diff->task_count > 0) {
        const surety__diff_task task = diff->tasks[--diff->task_count];

        diff_compare(diff, &task);
    }
    if (diff->status == SURETY_OK)
        surety__diff_policy(diff);
    return diff->status;
}

surety_status surety_diff_new(const surety_contract *before,
                              const surety_contract *after,
                              const surety_alloc *alloc, surety_diff **ret_diff,
                              surety_error *reterr)
{
    surety_diff *diff;
    surety_status status;

    if (!before || !after || !ret_diff)
        return surety__fail(reterr, SURETY_MISUSE,
                            "two contracts are needed to compare");
    diff = surety__new(alloc, sizeof(*diff));
    if (!diff)
        return surety__fail_nomem(reterr);
    diff->alloc = alloc;
    diff->before = before;
    diff->after = after;
    diff->is_unchanged = surety_val_equal(surety_contract_info_of(before)->root,
                                          surety_contract_info_of(after)->root);
    surety__arena_init(&diff->arena, alloc, 0);
    diff->arena.status = &diff->status;
    surety_buf_init(&diff->scratch, alloc, 0);
    diff->graph =
        (surety__graph){.arena = &diff->arena,
                        .adds = CONJUNCTION_DIRECT | CONJUNCTION_FOLLOWED,
                        .cut_at = DIFF_CONJUNCTS};
    status = diff_all(diff);
    if (status == SURETY_OK) {
        surety__diff_settle(diff);
        *ret_diff = diff;
        return SURETY_OK;
    }
    surety_diff_free(diff);
    if (status == SURETY_LIMIT)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the contracts differ in more than %d places, or "
                            "have more than %d pairs of subschemas to compare",
                            SURETY_DIFF_CHANGES_MAX, SURETY_DIFF_PAIRS_MAX);
    return surety__fail_nomem(reterr);
}

void surety_diff_free(surety_diff *diff)
{
    if (!diff)
        return;
    surety__free(diff->alloc, diff->changes,
                 diff->change_cap * sizeof(*diff->changes));
    surety__free(diff->alloc, diff->tasks,
                 diff->task_cap * sizeof(*diff->tasks));
    surety__graph_done(&diff->graph);
    surety__map_done(&diff->seen, diff->alloc);
    surety__map_done(&diff->same, diff->alloc);
    surety_checker_free(diff->checker);
    surety_buf_done(&diff->scratch);
    surety__arena_done(&diff->arena);
    surety__free(diff->alloc, diff, sizeof(*diff));
}

const surety_diff_info *surety_diff_info_of(const surety_diff *diff)
{
    return &diff->info;
}
