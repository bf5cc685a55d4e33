/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the branch of a union that a value belongs to.
 *
 * 1. Cheap tests come first: the value's kind and, for an object, its required
 *    members and the members that allow one word only.
 * 2. If several branches are left, the contract decides which are valid.
 * 3. Of the valid ones, the branch that has most of the value's members is
 *    taken; of equal ones, the first.
 * 4. No test goes deeper than the kinds of a branch's members, so nested unions
 *    do not multiply the work. */
#include "json/json.h"
#include "typed/inside.h"

enum { CHOOSE_BRANCHES_MAX = 64 };

static bool choose_is_fixed(const surety_typed_type *type, surety_val val)
{
    const surety_str json = type->words[0];
    const surety_kind kind = surety_val_kind(val);
    surety_str text = surety_val_str(val);
    bool plain;

    if (json.len && json.ptr[0] == '"') {
        plain = memchr(json.ptr, '\\', json.len) == NULL;
        return kind == SURETY_KIND_STRING &&
               (!plain || surety_str_equal(
                              text, (surety_str){json.ptr + 1, json.len - 2}));
    }
    switch (json.len ? json.ptr[0] : '\0') {
    case 't': return surety_val_bool(val, false);
    case 'f': return !surety_val_bool(val, true);
    case 'n': return kind == SURETY_KIND_NULL;
    case '[': return kind == SURETY_KIND_ARRAY;
    case '{': return kind == SURETY_KIND_OBJECT;
    default: break;
    }
    return kind == SURETY_KIND_NUMBER &&
           surety__decimal_compare(surety__decimal_of(surety_val_number(val)),
                                   surety__decimal_of(json)) == 0;
}

/* Returns whether val can have that type, by its kind and word. */
static bool choose_fits(const surety_typed_type *type, surety_val val)
{
    const surety_kind kind = surety_val_kind(val);

    switch (type->form) {
    case SURETY_TYPED_BOOL: return kind == SURETY_KIND_BOOLEAN;
    case SURETY_TYPED_INT:
    case SURETY_TYPED_UINT: return surety_val_is_integer(val);
    case SURETY_TYPED_REAL:
    case SURETY_TYPED_NUMBER: return kind == SURETY_KIND_NUMBER;
    case SURETY_TYPED_TEXT: return kind == SURETY_KIND_STRING;
    case SURETY_TYPED_ENUM:
        return kind == SURETY_KIND_STRING &&
               surety_typed_find(type->words, type->count,
                                 surety_val_str(val)) < type->count;
    case SURETY_TYPED_FIXED: return choose_is_fixed(type, val);
    case SURETY_TYPED_STRUCT:
    case SURETY_TYPED_MAP: return kind == SURETY_KIND_OBJECT;
    case SURETY_TYPED_TUPLE:
    case SURETY_TYPED_LIST: return kind == SURETY_KIND_ARRAY;
    case SURETY_TYPED_VALUE:
    case SURETY_TYPED_UNION:
    case SURETY_TYPED_WRAP: break;
    }
    return true;
}

/* The same for a struct's members. *ret_known: how many of val's members the
 * struct has. */
static bool choose_members(const surety_typed *typed,
                           const surety_typed_type *type, surety_val val,
                           size_t *ret_known)
{
    size_t known = 0;

    for (uint32_t i = 0; i < type->count; i++) {
        const surety_typed_member *member = &type->members[i];
        const surety_val v = surety_val_member(val, member->name);

        if (!v.doc) {
            if (member->has == SURETY_TYPED_NONE && !member->fill)
                return false;
            continue;
        }
        known++;
        if (surety_val_kind(v) == SURETY_KIND_NULL &&
            member->null != SURETY_TYPED_NONE)
            continue;
        if (!choose_fits(surety__typed_type(typed, member->type), v))
            return false;
    }
    *ret_known = known;
    return true;
}

/* ---- validity by the contract -------------------------------------------- */

/* Sets *ret_valid to whether val satisfies the schema at pointer; true when
 * there is no such schema. */
static surety_status choose_valid(surety__typed_chooser *chooser,
                                  const char *pointer, surety_val val,
                                  bool *ret_valid)
{
    const surety_contract_info *info =
        surety_contract_info_of(chooser->contract);
    const surety_limits *limits = &chooser->contract->limits;
    /* The pointer is a constant of the table. */
    const uint64_t key = (uint64_t)(uintptr_t)pointer;
    const surety__shape *shape = surety__map_get(&chooser->shapes, key);
    surety_val at;

    *ret_valid = true;
    if (!pointer)
        return SURETY_OK;
    if (!shape) {
        at = surety_val_at(info->root, surety_str_of(pointer));
        shape = at.doc ? surety__schema_shape(info->schema, at) : NULL;
        if (!shape)
            return SURETY_OK;
        if (!surety__map_put(&chooser->shapes, chooser->alloc, key,
                             (void *)(uintptr_t)shape))
            return SURETY_NOMEM;
    }
    if (!chooser->checker) {
        chooser->checker = surety_checker_new(chooser->alloc, limits);
        chooser->work =
            (uint64_t)limits->work_per_value * surety__doc_size(val.doc) +
            limits->work_base;
    }
    if (!chooser->checker)
        return SURETY_NOMEM;
    return surety__shape_check(chooser->checker, info->schema, shape, val,
                               &chooser->work, ret_valid);
}

void surety__typed_chooser_done(surety__typed_chooser *chooser)
{
    surety_checker_free(chooser->checker);
    surety__map_done(&chooser->shapes, chooser->alloc);
}

/* ---- the choice ---------------------------------------------------------- */

/* Chooses the best of the remaining branches: bit i of left is branch i. */
static surety_status choose_best(surety__typed_chooser *chooser,
                                 const surety_typed_type *type, surety_val val,
                                 const size_t *known, uint64_t left,
                                 uint32_t *ret_branch)
{
    uint64_t valid = 0;
    uint32_t best = type->count;

    for (uint32_t i = 0; i < type->count && i < CHOOSE_BRANCHES_MAX; i++) {
        surety_status status;
        bool holds = false;

        if (!(left >> i & 1))
            continue;
        status = choose_valid(chooser, type->members[i].fill, val, &holds);
        if (status != SURETY_OK)
            return status;
        valid |= (uint64_t)holds << i;
    }
    if (!valid)
        valid = left;
    for (uint32_t i = 0; i < type->count && i < CHOOSE_BRANCHES_MAX; i++)
        if (valid >> i & 1 && (best == type->count || known[i] > known[best]))
            best = i;
    *ret_branch = best;
    return SURETY_OK;
}

surety_status surety__typed_choose(surety__typed_chooser *chooser,
                                   const surety_typed_type *type,
                                   surety_val val, uint32_t *ret_branch)
{
    size_t known[CHOOSE_BRANCHES_MAX] = {0};
    uint64_t left = 0;
    uint32_t first = type->count;

    for (uint32_t i = 0; i < type->count && i < CHOOSE_BRANCHES_MAX; i++) {
        const surety_typed_type *branch =
            surety__typed_type(chooser->typed, type->members[i].type);

        if (!choose_fits(branch, val))
            continue;
        if (branch->form == SURETY_TYPED_STRUCT &&
            !choose_members(chooser->typed, branch, val, &known[i]))
            continue;
        /* A fixed word is a better match than any text. */
        known[i] += branch->form == SURETY_TYPED_ENUM ||
                    branch->form == SURETY_TYPED_FIXED;
        left |= (uint64_t)1 << i;
        if (first == type->count)
            first = i;
    }
    *ret_branch = first;
    if (!(left & (left - 1)))
        return SURETY_OK;
    return choose_best(chooser, type, val, known, left, ret_branch);
}
