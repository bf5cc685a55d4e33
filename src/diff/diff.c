/* SPDX-License-Identifier: Apache-2.0 */
/* Two contracts side by side.
 *
 * The one idea: a place of the value is a task, two sides of shapes that apply
 * there. Comparing a task tells what differs at the place and puts off the
 * places below, on a stack, so that nothing recurses; a pair of sides is
 * compared once, wherever it is met again.
 *
 * A union (anyOf, oneOf) makes alternatives of a side: the rest of the side
 * with one branch each. Alternatives of both sides are matched, those that mean
 * the same most first, and each match is a task of its own; what is left over
 * is a form that is gone or new. Unions of many branches, and those inside of
 * many others, are not taken apart: they say the same, or they do not. */
#include "diff/diff.h"

enum { DIFF_VALUE_MAX = 80 };

/* Adds one shape, once. What only refers to another is that other. */
static void side_add_one(surety__side *side, const surety__shape *shape)
{
    if (shape && shape->direct)
        shape = shape->direct;
    if (!shape || shape->always)
        return;
    for (size_t i = 0; i < side->count; i++)
        if (side->parts[i] == shape)
            return;
    if (side->count == DIFF_PARTS)
        side->is_cut = true;
    else
        side->parts[side->count++] = shape;
}

void surety__side_add(surety__side *side, const surety__shape *shape)
{
    size_t next = side->count;

    side_add_one(side, shape);
    for (; next < side->count; next++) {
        const surety__shape *part = side->parts[next];

        for (uint32_t i = 0; i < part->applicator_count; i++) {
            const surety__applicator *applicator = &part->applicators[i];

            for (uint32_t j = 0;
                 applicator->kind == APPLY_ALL && j < applicator->count; j++)
                side_add_one(side, applicator->shapes[j]);
        }
    }
}

bool surety__side_never(const surety__side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->parts[i]->never)
            return true;
    return false;
}

surety_val surety__part_keyword(const surety__shape *part, const char *keyword)
{
    const surety__resource *resource = part->resource;
    const surety__keyword named = surety__keyword_named(surety_str_of(keyword));
    const surety__keyword known = surety__keyword_in(named, resource->dialect);
    const unsigned vocabulary = surety__keyword_rows[known].vocabulary;

    if (known == KW_NONE ||
        (vocabulary != VOCABULARY_FORMAT &&
         !(vocabulary & resource->vocabularies)) ||
        (resource->dialect < SURETY_DIALECT_2019_09 &&
         surety_val_get(part->at, "$ref").doc))
        return surety_val_none();
    return surety_val_get(part->at, keyword);
}

/* ---- what is told ------------------------------------------------------- */

static void diff_keep_text(surety_diff *diff, surety_str text,
                           surety_str *ret_text)
{
    *ret_text = surety__arena_text(&diff->arena, text);
    if (!ret_text->ptr)
        diff->status = SURETY_NOMEM;
}

/* The JSON Pointer of a side's subschema in its document. */
static void diff_locate(surety_diff *diff, const surety__side *side,
                        surety_str *ret_location)
{
    surety_buf_reset(&diff->scratch);
    if (side && side->count)
        surety_val_pointer(side->parts[0]->at, &diff->scratch);
    diff_keep_text(diff, surety_buf_str(&diff->scratch), ret_location);
}

/* Whether the change was told at its place before; then whoever it breaks, too,
 * is added there. */
static bool diff_is_told(surety_diff *diff, const surety_change *change)
{
    for (size_t i = diff->change_count; i > 0; i--) {
        surety_change *told = &diff->changes[i - 1];

        if (!surety_str_equal(told->at, change->at))
            return false;
        if (surety_str_equal(told->keyword, change->keyword) &&
            surety_str_equal(told->message, change->message)) {
            told->breaks_consumers |= change->breaks_consumers;
            told->breaks_producers |= change->breaks_producers;
            return true;
        }
    }
    return false;
}

void surety__diff_tell(surety_diff *diff, const surety__diff_task *task,
                       const char *keyword, unsigned breaks)
{
    const unsigned whom = task->loose ? DIFF_BOTH : breaks;
    surety_change change = {.at = task->at,
                            .keyword = surety_str_of(keyword),
                            .breaks_consumers = whom & DIFF_CONSUMERS,
                            .breaks_producers = whom & DIFF_PRODUCERS};
    void *items = diff->changes;

    if (diff->status == SURETY_OK)
        diff->status = diff->scratch.status;
    if (diff->status == SURETY_OK)
        diff_keep_text(diff, surety_buf_str(&diff->scratch), &change.message);
    if (diff->status == SURETY_OK && !diff_is_told(diff, &change)) {
        diff_locate(diff, &task->before, &change.old_location);
        diff_locate(diff, &task->after, &change.new_location);
        if (diff->status == SURETY_OK)
            diff->status = surety__grow(diff->alloc, &items, &diff->change_cap,
                                        diff->change_count + 1, sizeof(change),
                                        SURETY_DIFF_CHANGES_MAX);
        diff->changes = items;
        if (diff->status == SURETY_OK)
            diff->changes[diff->change_count++] = change;
    }
    surety_buf_reset(&diff->scratch);
}

void surety__diff_say(surety_diff *diff, const surety__diff_task *task,
                      const char *keyword, unsigned breaks, const char *message)
{
    surety_buf_reset(&diff->scratch);
    surety_buf_text(&diff->scratch, message);
    surety__diff_tell(diff, task, keyword, breaks);
}

/* A place below another one; empty with the status set. */
static surety_str diff_below(surety_diff *diff, surety_str at,
                             const char *token, size_t token_len)
{
    surety_str place = {NULL, 0};

    surety_buf_reset(&diff->scratch);
    surety_buf_add(&diff->scratch, at);
    if (token)
        surety_pointer_token(&diff->scratch, (surety_str){token, token_len});
    if (diff->scratch.status)
        diff->status = SURETY_NOMEM;
    else
        diff_keep_text(diff, surety_buf_str(&diff->scratch), &place);
    surety_buf_reset(&diff->scratch);
    return place;
}

void surety__diff_say_below(surety_diff *diff, const surety__diff_task *task,
                            surety_str token, const char *keyword,
                            unsigned breaks, const char *message)
{
    surety__diff_task below = *task;

    if (diff->status)
        return;
    below.at =
        diff_below(diff, task->at, token.ptr ? token.ptr : "", token.len);
    surety__diff_say(diff, &below, keyword, breaks, message);
}

void surety__diff_value(surety_diff *diff, surety_val value)
{
    surety_buf *out = &diff->scratch;
    const size_t start = out->len;

    if (surety_val_write(value, SURETY_STYLE_COMPACT, out))
        return;
    if (out->len - start > DIFF_VALUE_MAX) {
        out->len = start + DIFF_VALUE_MAX;
        while (out->len > start &&
               ((unsigned char)out->ptr[out->len] & 0xC0) == 0x80)
            out->len--;
        surety_buf_text(out, "...");
    }
}

/* ---- the stack ---------------------------------------------------------- */

/* Whether a task's sides were compared before in the same way; remembers
 * them. */
static bool diff_is_seen(surety_diff *diff, const surety__diff_task *task)
{
    const surety__side *const sides[] = {&task->before, &task->after};
    uint64_t key = 1 + (uint64_t)task->loose * 2 + task->types_told;

    for (size_t i = 0; i < 2; i++) {
        key = surety__diff_mix(key, sides[i]->opened_count);
        for (size_t j = 0; j < sides[i]->opened_count; j++)
            key = surety__diff_mix(key, (uintptr_t)sides[i]->opened[j]);
        for (size_t j = 0; j < sides[i]->count; j++)
            key = surety__diff_mix(key, (uintptr_t)sides[i]->parts[j]);
        key = surety__diff_mix(key, sides[i]->count + 1);
    }
    if (surety__map_get(&diff->seen, key))
        return true;
    if (!surety__map_put(&diff->seen, diff->alloc, key, diff))
        diff->status = SURETY_NOMEM;
    return false;
}

surety__diff_task surety__diff_with(const surety__diff_task *task,
                                    const surety__side *before,
                                    const surety__side *after)
{
    return (surety__diff_task){.at = task->at,
                               .before = *before,
                               .after = *after,
                               .loose = task->loose};
}

void surety__diff_push(surety_diff *diff, surety__diff_task task,
                       const char *token, size_t token_len)
{
    void *items = diff->tasks;

    if (diff->status || (task.before.count == 0 && task.after.count == 0) ||
        diff_is_seen(diff, &task) || diff->status)
        return;
    if (diff->pair_count++ >= SURETY_DIFF_PAIRS_MAX) {
        diff->status = SURETY_LIMIT;
        return;
    }
    if (token)
        task.at = diff_below(diff, task.at, token, token_len);
    if (diff->status == SURETY_OK)
        diff->status =
            surety__grow(diff->alloc, &items, &diff->task_cap,
                         diff->task_count + 1, sizeof(*diff->tasks), SIZE_MAX);
    diff->tasks = items;
    if (diff->status == SURETY_OK)
        diff->tasks[diff->task_count++] = task;
}

/* ---- unions ------------------------------------------------------------- */

bool surety__side_opened(const surety__side *side,
                         const surety__applicator *applicator)
{
    for (size_t i = 0; i < side->opened_count; i++)
        if (side->opened[i] == applicator)
            return true;
    return false;
}

/* The first union of a side that is still to be opened. */
static const surety__applicator *side_union(const surety__side *side)
{
    for (size_t i = 0; i < side->count && side->opened_count < DIFF_OPENED; i++)
        for (uint32_t j = 0; j < side->parts[i]->applicator_count; j++) {
            const surety__applicator *applicator =
                &side->parts[i]->applicators[j];

            if ((applicator->kind == APPLY_ANY ||
                 applicator->kind == APPLY_ONE) &&
                applicator->count <= DIFF_BRANCHES &&
                !surety__side_opened(side, applicator))
                return applicator;
        }
    return NULL;
}

/* A side's parts with its i-th branch. What a part says beside its union still
 * holds; the branch stands first, for it is what a message is about. */
static surety__side forms_branch(const surety__side *side,
                                 const surety__applicator *one, size_t i)
{
    surety__side all = {.opened_count = side->opened_count,
                        .is_cut = side->is_cut};

    memcpy(all.opened, side->opened, sizeof(all.opened));
    all.opened[all.opened_count++] = one;
    surety__side_add(&all, one->shapes[i]);
    for (size_t j = 0; j < side->count; j++)
        surety__side_add(&all, side->parts[j]);
    return all;
}

/* The value that a side fixes a member to; NONE where it does not. */
static surety_val branch_constant(const surety__side *side, surety_str name)
{
    for (size_t i = 0; i < side->count; i++) {
        const surety__objects *objects = side->parts[i]->objects;
        const surety__property *property =
            objects
                ? surety__objects_named(
                      objects, name, surety__hash(name.ptr, name.len) & 0xFFFF)
                : NULL;

        if (property && property->shape && property->shape->constant)
            return surety_val_get(property->shape->at, "const");
    }
    return surety_val_none();
}

enum { MATCH_NONE = 0, MATCH_TYPES, MATCH_CONSTANT, MATCH_SAME };

/* How much two branches mean the same. */
static int branch_match(const surety__shape *before, const surety__shape *after)
{
    surety__side old_side = {.count = 0};
    surety__side new_side = {.count = 0};

    if (surety_val_equal(before->at, after->at))
        return MATCH_SAME;
    surety__side_add(&old_side, before);
    surety__side_add(&new_side, after);
    for (size_t i = 0; i < old_side.count; i++) {
        const surety__objects *objects = old_side.parts[i]->objects;

        for (uint32_t j = 0; objects && j < objects->property_count; j++) {
            const surety_str name = objects->properties[j].name;
            const surety_val a = branch_constant(&old_side, name);
            const surety_val b = branch_constant(&new_side, name);

            if (a.doc && b.doc)
                return surety_val_equal(a, b) ? MATCH_CONSTANT : MATCH_NONE;
        }
    }
    return before->types & after->types ? MATCH_TYPES : MATCH_NONE;
}

/* Matches the branches of two unions; partner[i] is that of the i-th old one,
 * or SIZE_MAX. */
static void forms_match(const surety__applicator *before,
                        const surety__applicator *after, size_t *partner,
                        bool *taken)
{
    for (size_t i = 0; i < before->count; i++)
        partner[i] = SIZE_MAX;
    for (size_t j = 0; j < after->count; j++)
        taken[j] = false;
    for (int wanted = MATCH_SAME; wanted > MATCH_NONE; wanted--)
        for (size_t i = 0; i < before->count; i++)
            for (size_t j = 0; partner[i] == SIZE_MAX && j < after->count; j++)
                if (!taken[j] && branch_match(before->shapes[i],
                                              after->shapes[j]) == wanted) {
                    partner[i] = j;
                    taken[j] = true;
                }
}

static void forms_tell(surety_diff *diff, const surety__diff_task *task,
                       const surety__applicator *one, size_t i, bool is_new)
{
    const char *keyword = one->keyword == KW_ONE_OF ? "oneOf" : "anyOf";
    surety_buf *out = &diff->scratch;
    const surety_val named = surety_val_get(one->shapes[i]->at, "title");

    surety_buf_reset(out);
    surety_buf_text(out, "the form ");
    surety__diff_value(diff, named.doc ? named : one->shapes[i]->at);
    surety_buf_text(out, is_new ? " is taken, too" : " is not taken any more");
    surety__diff_tell(diff, task, keyword,
                      is_new ? DIFF_CONSUMERS : DIFF_PRODUCERS);
}

/* Whether an object satisfies one branch of a oneOf at most, because each fixes
 * a member that it must have to values of its own. */
static bool forms_are_tagged(const surety__applicator *one)
{
    const surety__switch *branching = one->branching;

    if (!branching || !branching->name.ptr || branching->open ||
        (branching->lacking & (branching->lacking - 1)))
        return false;
    for (uint32_t i = 0;
         branching->words.mask ? i <= branching->words.mask
                               : branching->words.entries[i].text.ptr != NULL;
         i++) {
        const uint64_t branches = branching->words.entries[i].branches;

        if (branches & (branches - 1))
            return false;
    }
    return true;
}

/* Whether several branches of a oneOf of a side may hold at once: neither their
 * types nor a member that they fix tells them apart. */
static bool forms_are_loose(const surety__side *side,
                            const surety__applicator *one)
{
    unsigned counted = surety__side_types(side);
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

/* What becomes looser or tighter where the branches may stay as they are: of a
 * oneOf that counts how many hold, and of what does not count them. */
static void forms_compare_counting(surety_diff *diff,
                                   const surety__diff_task *task,
                                   const surety__applicator *before,
                                   const surety__applicator *after)
{
    const bool was_counting = forms_are_loose(&task->before, before);
    const bool is_counting = forms_are_loose(&task->after, after);

    if (was_counting && !is_counting)
        surety__diff_say(diff, task, "oneOf", DIFF_CONSUMERS,
                         "a value may satisfy several of the forms now");
    else if (!was_counting && is_counting)
        surety__diff_say(diff, task, "oneOf", DIFF_PRODUCERS,
                         "a value must satisfy one of the forms alone now");
}

/* Both sides have a union: branches that mean the same are compared. */
static void diff_union_pairs(surety_diff *diff, const surety__diff_task *task,
                             const surety__applicator *before,
                             const surety__applicator *after)
{
    size_t partner[DIFF_BRANCHES];
    bool taken[DIFF_BRANCHES];

    forms_match(before, after, partner, taken);
    for (size_t j = 0; j < after->count; j++)
        if (!taken[j])
            forms_tell(diff, task, after, j, true);
    for (size_t i = before->count; i > 0; i--) {
        surety__side left, right;

        if (partner[i - 1] == SIZE_MAX) {
            forms_tell(diff, task, before, i - 1, false);
            continue;
        }
        left = forms_branch(&task->before, before, i - 1);
        right = forms_branch(&task->after, after, partner[i - 1]);
        surety__diff_push(diff, surety__diff_with(task, &left, &right), NULL,
                          0);
    }
}

/* One side has a union, the other is one form: the first branch of each type is
 * compared with it. Branches of types that the form does not have are told with
 * the types. */
static void diff_union_alone(surety_diff *diff, const surety__diff_task *task,
                             const surety__applicator *one, bool is_new)
{
    const surety__side *side = is_new ? &task->after : &task->before;
    const unsigned form =
        surety__side_types(is_new ? &task->before : &task->after);
    unsigned all = 0, open = form;

    for (size_t i = 0; i < one->count; i++) {
        const surety__side branch = forms_branch(side, one, i);

        all |= surety__side_types(&branch);
    }
    surety__diff_types(diff, task, is_new ? form : all, is_new ? all : form);
    for (size_t i = 0; i < one->count; i++) {
        const surety__side branch = forms_branch(side, one, i);
        const unsigned types = surety__side_types(&branch) & form;

        if (types & open) {
            surety__diff_task put_off =
                surety__diff_with(task, is_new ? &task->before : &branch,
                                  is_new ? &branch : &task->after);

            put_off.types_told = true;
            surety__diff_push(diff, put_off, NULL, 0);
        } else if (types) {
            forms_tell(diff, task, one, i, is_new);
        }
        open &= ~types;
    }
}

/* Takes the unions of a task apart; false: it has none. */
static bool diff_unions(surety_diff *diff, const surety__diff_task *task)
{
    const surety__applicator *before = side_union(&task->before);
    const surety__applicator *after = side_union(&task->after);

    surety__diff_task opened = *task;

    opened.loose = task->loose || forms_are_loose(&task->before, before) ||
                   forms_are_loose(&task->after, after);
    if (before || after)
        forms_compare_counting(diff, task, before, after);
    if (before && after)
        diff_union_pairs(diff, &opened, before, after);
    else if (before || after)
        diff_union_alone(diff, &opened, before ? before : after, !before);
    return before || after;
}

/* A side's n-th union that is not opened; NULL: there is none. */
static const surety__applicator *side_closed(const surety__side *side, size_t n)
{
    for (size_t i = 0; i < side->count; i++)
        for (uint32_t j = 0; j < side->parts[i]->applicator_count; j++) {
            const surety__applicator *one = &side->parts[i]->applicators[j];

            if ((one->kind == APPLY_ANY || one->kind == APPLY_ONE) &&
                !surety__side_opened(side, one) && n-- == 0)
                return one;
        }
    return NULL;
}

/* What is beyond the limits of a side must say the same: unions that are not
 * opened, but for the first where none is (which facets.c tells), and of parts
 * that do not fit all that the contracts say. */
static bool diff_rest_differs(surety_diff *diff, const surety__diff_task *task)
{
    const surety__side *before = &task->before;
    const surety__side *after = &task->after;
    const bool is_told = !before->opened_count && !after->opened_count;

    if ((before->is_cut || after->is_cut) &&
        !surety_val_equal(surety_contract_root(diff->before),
                          surety_contract_root(diff->after)))
        return true;
    for (size_t n = is_told;; n++) {
        const surety__applicator *left = side_closed(before, n);
        const surety__applicator *right = side_closed(after, n);

        if (!left && !right)
            return false;
        if (!left || !right || !surety__diff_same_union(diff, left, right))
            return true;
    }
}

/* ---- the whole ---------------------------------------------------------- */

static void diff_compare(surety_diff *diff, const surety__diff_task *task)
{
    const bool never_before = surety__side_never(&task->before);
    const bool never_after = surety__side_never(&task->after);

    if (never_before || never_after) {
        if (!never_before)
            surety__diff_say(diff, task, "false", DIFF_PRODUCERS,
                             "nothing is taken here any more");
        else if (!never_after)
            surety__diff_say(diff, task, "false", DIFF_CONSUMERS,
                             "something is taken here now");
        return;
    }
    if (surety__diff_values(diff, task) || diff->status ||
        diff_unions(diff, task))
        return;
    if (diff_rest_differs(diff, task))
        surety__diff_say(diff, task, "allOf", DIFF_BOTH,
                         "more subschemas stand here than are compared, and "
                         "they are not all the same");
    surety__diff_facets(diff, task);
    surety__diff_arrays(diff, task);
    surety__diff_objects(diff, task);
}

static surety_status diff_all(surety_diff *diff)
{
    surety__diff_task root = {.at = {"", 0}};

    surety__side_add(&root.before, surety_contract_schema(diff->before)->root);
    surety__side_add(&root.after, surety_contract_schema(diff->after)->root);
    surety__diff_push(diff, root, NULL, 0);
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
    surety__arena_init(&diff->arena, alloc, 0);
    surety_buf_init(&diff->scratch, alloc, 0);
    status = diff_all(diff);
    if (status == SURETY_OK) {
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
    surety__map_done(&diff->seen, diff->alloc);
    surety__map_done(&diff->same, diff->alloc);
    surety_checker_free(diff->checker);
    surety_buf_done(&diff->scratch);
    surety__arena_done(&diff->arena);
    surety__free(diff->alloc, diff, sizeof(*diff));
}

size_t surety_diff_count(const surety_diff *diff)
{
    return diff ? diff->change_count : 0;
}

surety_change surety_diff_at(const surety_diff *diff, size_t i)
{
    return i < surety_diff_count(diff) ? diff->changes[i] : (surety_change){0};
}
