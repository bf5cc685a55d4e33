/* SPDX-License-Identifier: Apache-2.0 */
/* Unions: which of them matter, what their branches are, and what remains of
 * them.
 *
 * An anyOf or oneOf matters only if its branches differ in the C type. Others,
 * such as branches with only "required", are left to the check. What a union
 * becomes depends on its branches: a null branch makes it nullable, a single
 * remaining branch replaces it, equal scalars merge. This is computed in
 * rounds over all unions until nothing changes. Each round removes something,
 * so it ends. */
#include "gen/inside.h"

/* ---- unions that matter -------------------------------------------------- */

/* How many shapes are examined at most, and how many may wait, before a union
 * simply counts. */
enum { UNION_WORK = 20000, UNION_LEFT = 256 };

/* Whether shape itself affects the C type of values of those types. A property
 * that is only required does not. */
static bool union_constrains(const surety__shape *shape, unsigned types)
{
    const surety__objects *objects = shape->objects;

    if (shape->never)
        return false;
    if ((shape->types & types) != types || shape->choices || shape->constant)
        return true;
    if (shape->arrays && (shape->arrays->rest || shape->arrays->prefix_count))
        return true;
    for (uint32_t i = 0; objects && i < objects->property_count; i++)
        if (objects->properties[i].shape)
            return true;
    return objects && (objects->pattern_count || objects->additional);
}

static bool union_push(const surety__applicator *one,
                       const surety__shape *left[UNION_LEFT], size_t *count)
{
    if (one->count > UNION_LEFT - *count)
        return false;
    for (uint32_t i = 0; i < one->count; i++)
        left[(*count)++] = one->shapes[i];
    return true;
}

/* Also true if the answer would take too long. */
bool surety__gen_union_counts(const surety__applicator *one, unsigned types)
{
    const surety__shape *left[UNION_LEFT];
    size_t count = 0;
    bool counts = !union_push(one, left, &count);

    for (size_t seen = 0; count && !counts; seen++) {
        const surety__shape *shape = left[--count];

        counts = seen == UNION_WORK || union_constrains(shape, types);
        for (uint32_t i = 0; i < shape->applicator_count && !shape->never; i++)
            if (shape->applicators[i].kind <= APPLY_ONE)
                counts |= !union_push(&shape->applicators[i], left, &count);
    }
    return counts;
}

/* ---- branches ------------------------------------------------------------ */

static surety_str branch_pointer(surety__gen_model *model,
                                 const surety__shape *shape)
{
    surety_buf pointer;

    if (shape->at.doc != surety_contract_info_of(model->contract)->root.doc)
        return (surety_str){NULL, 0};
    surety_buf_init(&pointer, model->gen->alloc, 0);
    surety_val_pointer(shape->at, &pointer);
    return surety__arena_buf(&model->gen->arena, &pointer);
}

/* The value of the member that distinguishes a branch, if it is one word. */
static surety_str branch_tag(const surety__shape *shape)
{
    const surety__objects *objects = surety__shape_behind(shape)->objects;

    for (uint32_t i = 0; objects && i < objects->property_count; i++) {
        const surety__property *property = &objects->properties[i];
        surety_val val;

        if (!property->shape || !property->required)
            continue;
        val = surety_val_get(property->shape->at, "const");
        if (!property->shape->constant && property->shape->choices &&
            property->shape->choices->count == 1)
            val = surety_val_first(surety_val_get(property->shape->at, "enum"));
        if (surety_val_kind(val) == SURETY_KIND_STRING)
            return surety_val_str(val);
    }
    return (surety_str){NULL, 0};
}

/* Whether only a type is beside the union. */
static bool union_is_bare(const surety__facts *facts)
{
    for (size_t i = 0; i < facts->all.count; i++) {
        const surety__shape *shape = facts->all.items[i].shape;

        if (shape->objects || shape->arrays || shape->numbers ||
            shape->strings || shape->choices || shape->constant)
            return false;
    }
    return facts->union_count == 1;
}

/* Labels a branch that has no label yet. */
static void branch_label(surety__gen_node *branch, surety_str word)
{
    if (branch->label.word.ptr)
        return;
    branch->label.word = word.ptr ? word : SURETY__LITERAL("");
    branch->label.inner = true;
}

/* The node of a branch together with the keywords beside the union. */
static surety__gen_node *branch_node(surety__gen_model *model,
                                     surety__gen_node *node,
                                     const surety__facts *facts,
                                     const surety__shape *shape,
                                     surety_str word)
{
    const unsigned types = surety__shape_behind(shape)->types;
    surety__conjunction all = {NULL, 0, 0, false};
    surety__gen_node *branch;

    if (union_is_bare(facts) && (types & facts->types) == types)
        return surety__gen_link(model, CONJUNCTION_OF(shape), node, word);
    if (!surety__conjunction_branch(&model->graph, &facts->all, facts->first,
                                    shape, &all))
        return NULL;
    branch = surety__gen_node_of(model, &all, node->conjunction->types, node);
    if (branch)
        branch_label(branch, word);
    return branch;
}

void surety__gen_union(surety__gen_model *model, surety__gen_node *node,
                       const surety__facts *facts)
{
    const surety__applicator *of =
        surety__conjunction_applicator(&facts->all, facts->first);

    node->form = SURETY_TYPED_UNION;
    node->members = surety__arena_take(&model->gen->arena,
                                       of->count * sizeof(*node->members));
    for (uint32_t i = 0; i < of->count && node->members; i++) {
        const surety__shape *shape = of->shapes[i];
        const surety_str tag = branch_tag(shape);
        surety__gen_member *member = &node->members[node->member_count];

        if (shape->never)
            continue;
        *member = (surety__gen_member){.json = tag, .shape = shape};
        member->pointer = branch_pointer(model, shape);
        member->node = branch_node(model, node, facts, shape, tag);
        if (!member->node)
            return;
        node->member_count++;
    }
}

static surety_str split_word(unsigned types)
{
    switch (types) {
    case TYPE_STRING: return SURETY__LITERAL("text");
    case TYPE_BOOLEAN: return SURETY__LITERAL("boolean");
    case TYPE_ARRAY: return SURETY__LITERAL("list");
    case TYPE_OBJECT: return SURETY__LITERAL("object");
    default: return SURETY__LITERAL("number");
    }
}

bool surety__gen_split(surety__gen_model *model, surety__gen_node *node,
                       const surety__facts *facts, unsigned types)
{
    unsigned kinds[KINDS_MAX];
    const size_t count = surety__types_split(types, kinds);

    assert(count <= KINDS_MAX);
    if (count < 2)
        return false;
    node->form = SURETY_TYPED_UNION;
    node->members =
        surety__arena_take(&model->gen->arena, count * sizeof(*node->members));
    for (size_t i = 0; i < count && node->members; i++) {
        surety__gen_member *member = &node->members[node->member_count];

        *member = (surety__gen_member){.json = {NULL, 0}};
        member->node = surety__gen_node_of(model, &facts->all, kinds[i], node);
        if (!member->node)
            return true;
        branch_label(member->node, split_word(kinds[i]));
        node->member_count++;
    }
    return true;
}

/* ---- what remains -------------------------------------------------------- */

/* Whether a branch is removed: null, never, or the same as an earlier one. */
static bool settle_drops(surety__gen_node *node, uint32_t left,
                         surety__gen_node *branch)
{
    if (branch->form == GEN_NULL) {
        node->nullable = true;
        return true;
    }
    if (branch->form == GEN_NEVER)
        return true;
    for (uint32_t i = 0; i < left; i++) {
        bool nullable = false;
        const surety__gen_node *earlier =
            surety__gen_target(node->members[i].node, &nullable);

        if (earlier == branch || (earlier->form == branch->form &&
                                  branch->form <= SURETY_TYPED_NUMBER))
            return true;
    }
    return false;
}

static bool settle_union(surety__gen_model *model, surety__gen_node *node)
{
    const bool was_nullable = node->nullable;
    const uint32_t count = node->member_count;
    uint32_t left = 0;

    assert(node->form == SURETY_TYPED_UNION);
    for (uint32_t i = 0; i < count; i++) {
        surety__gen_node *branch =
            surety__gen_target(node->members[i].node, &node->nullable);

        if (settle_drops(node, left, branch))
            continue;
        if (branch->form == SURETY_TYPED_VALUE) {
            node->form = SURETY_TYPED_VALUE;
            node->nullable = false;
            if (branch->origin && branch->origin->always && node->origin)
                surety__gen_add_note(model, node->origin->at, NULL,
                                     "it becomes a surety_val",
                                     "a branch allows any value");
            return true;
        }
        node->members[left++] = node->members[i];
    }
    node->member_count = left;
    if (left == 0) {
        node->form = node->nullable ? GEN_NULL : GEN_NEVER;
    } else if (left == 1) {
        node->form = GEN_ALIAS;
        node->alias = node->members[0].node;
    }
    return left < 2 || left != count || node->nullable != was_nullable;
}

/* Removes members that can have no value. Without members the node is a map or
 * any object. */
static void settle_members(surety__gen_model *model, surety__gen_node *node)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < node->member_count; i++) {
        bool nullable = false;

        if (surety__gen_target(node->members[i].node, &nullable)->form !=
            GEN_NEVER)
            node->members[left++] = node->members[i];
        else if (node->form == SURETY_TYPED_TUPLE)
            break;
    }
    node->member_count = left;
    if (left)
        return;
    node->form = SURETY_TYPED_VALUE;
    if (node->rest && node->rest->rest != model->value) {
        node->form = node->rest->form;
        node->rest = node->rest->rest;
    }
}

void surety__gen_settle(surety__gen_model *model)
{
    bool changed = true;

    while (changed && model->gen->status == SURETY_OK) {
        changed = false;
        for (size_t i = model->node_count; i-- > 0;)
            if (model->nodes[i]->form == SURETY_TYPED_UNION)
                changed |= settle_union(model, model->nodes[i]);
    }
    for (size_t i = 0; i < model->node_count; i++)
        if (model->nodes[i]->form == SURETY_TYPED_STRUCT ||
            model->nodes[i]->form == SURETY_TYPED_TUPLE)
            settle_members(model, model->nodes[i]);
}
