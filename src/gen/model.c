/* SPDX-License-Identifier: Apache-2.0 */
/* Makes nodes from a contract's shapes, and types from nodes.
 *
 * A new node waits in the list of all nodes until it is processed, so depth
 * needs no recursion. When all are made, unions are settled, and every member
 * gets the node that its value finally has. */
#include "gen/inside.h"

/* ---- one node ------------------------------------------------------------ */

static void model_any(surety__gen_model *model, surety__gen_node *node,
                      surety_val at, const char *keyword, const char *why)
{
    node->form = SURETY_TYPED_VALUE;
    surety__gen_add_note(model, at, keyword, "it becomes a surety_val", "%s",
                         why);
}

/* Whether the word is in the list already. */
static bool choice_seen(const surety__gen_node *node, surety_val val)
{
    for (uint32_t i = 0; i < node->word_count; i++)
        if (surety_val_equal(node->words[i], val))
            return true;
    return false;
}

/* Handles enum and const. False: the node has none, or they do not determine
 * its form. */
static bool model_choices(surety__gen_model *model, surety__gen_node *node,
                          surety__facts *facts)
{
    uint32_t count;
    const surety__shape *shape =
        surety__facts_choices(&model->graph, facts, &node->words, &count);
    unsigned types = 0;

    if (!shape)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const surety_val val = node->words[i];

        if (surety_val_kind(val) == SURETY_KIND_NULL)
            node->nullable = true;
        else if (node->word_count > 64 || !choice_seen(node, val))
            node->words[node->word_count++] = val;
    }
    for (uint32_t i = 0; i < node->word_count; i++)
        types |= surety__type_bits(node->words[i].doc,
                                   surety__cell_of(node->words[i]), false);
    assert(node->word_count <= count);
    facts->types = types;
    if (!types)
        node->form = node->nullable ? GEN_NULL : GEN_NEVER;
    else if (node->word_count == 1 && !node->nullable)
        node->form = SURETY_TYPED_FIXED;
    else if (types & (TYPE_ARRAY | TYPE_OBJECT))
        model_any(model, node, shape->at, "enum",
                  "no enum in C has arrays or objects for values");
    else if (surety__gen_split(model, node, facts, types))
        return true;
    else if (types == TYPE_STRING)
        node->form = SURETY_TYPED_ENUM;
    else
        return false;
    return true;
}

/* Whether a bound or a word is beyond the range of an integer in C. */
static bool number_beyond(const surety_doc *doc, const surety__cell *bound,
                          const char *limit, bool above)
{
    const surety__decimal edge = surety__decimal_of(surety_str_of(limit));
    int order;

    if (!bound)
        return false;
    order = surety__decimal_compare(surety__cell_decimal(doc, bound), edge);
    return above ? order > 0 : order < 0;
}

static bool number_words(const surety__gen_node *node, const char *limit,
                         bool above)
{
    bool beyond = false;

    for (uint32_t i = 0; i < node->word_count; i++)
        beyond |= number_beyond(node->words[i].doc,
                                surety__cell_of(node->words[i]), limit, above);
    return beyond;
}

/* Whether the tightest bound, or a word, is beyond the limit. */
static bool number_bounds(const surety__gen_node *node,
                          const surety__facts *facts, const char *limit,
                          bool above)
{
    const surety__bound bound = surety__conjunction_bound(&facts->all, above);

    return number_words(node, limit, above) ||
           number_beyond(bound.doc, bound.cell, limit, above);
}

/* Whether the minimum, or every word, is 0 or more. */
static bool number_is_natural(const surety__gen_node *node,
                              const surety__facts *facts)
{
    const surety__bound bound = surety__conjunction_bound(&facts->all, false);

    if (node->word_count)
        return !number_words(node, "0", false);
    return bound.cell && !number_beyond(bound.doc, bound.cell,
                                        bound.is_exclusive ? "-1" : "0", false);
}

static void model_number(surety__gen_model *model, surety__gen_node *node,
                         const surety__facts *facts)
{
    if (facts->types & TYPE_NUMBER) {
        node->form = SURETY_TYPED_REAL;
    } else if (number_bounds(node, facts, "-9223372036854775808", false) ||
               number_bounds(node, facts, "18446744073709551615", true) ||
               (number_bounds(node, facts, "9223372036854775807", true) &&
                !number_is_natural(node, facts))) {
        node->form = SURETY_TYPED_NUMBER;
        surety__gen_add_note(model, node->origin->at, NULL,
                             "it is stored as its text",
                             "no integer in C has this range");
    } else {
        node->form = number_bounds(node, facts, "9223372036854775807", true)
                         ? SURETY_TYPED_UINT
                         : SURETY_TYPED_INT;
    }
}

/* Infers the types from the keywords if none is declared. */
static void model_infer(surety__gen_model *model, surety__gen_node *node,
                        surety__facts *facts)
{
    unsigned kinds[KINDS_MAX];

    if (facts->typed || node->conjunction->types != TYPE_ANY)
        return;
    if (surety__types_split(facts->speaks, kinds) == 1) {
        facts->types = facts->speaks;
        surety__gen_add_note(model, node->origin->at, NULL, "declare the type",
                             "no type is declared; the C type holds only "
                             "values of the kind that the keywords constrain");
        return;
    }
    model_any(model, node, node->origin->at, NULL,
              "no type is declared, and the keywords constrain several");
    facts->types = 0;
}

/* Sets the form of a node without choices and unions. */
static void model_kind(surety__gen_model *model, surety__gen_node *node,
                       const surety__facts *facts)
{
    assert(!(facts->types & TYPE_NULL));
    if (facts->types & TYPE_OBJECT)
        surety__gen_object(model, node, facts);
    else if (facts->types & TYPE_ARRAY)
        surety__gen_array(model, node, facts);
    else if (facts->types & TYPE_NUMBERS)
        model_number(model, node, facts);
    else if (facts->types & TYPE_BOOLEAN)
        node->form = SURETY_TYPED_BOOL;
    else if (facts->types & TYPE_STRING)
        node->form = SURETY_TYPED_TEXT;
}

static void model_node(surety__gen_model *model, surety__gen_node *node)
{
    const surety__applicator *one;
    surety__facts facts;

    assert(node->conjunction && !node->made);
    node->made = true;
    if (!surety__facts_gather(&model->graph, node->conjunction, &facts))
        return;
    if (facts.never || !facts.types) {
        node->form = GEN_NEVER;
        return;
    }
    if (facts.unresolved) {
        model_any(
            model, node, facts.unresolved->at, NULL,
            "the target of a dynamic reference depends on the path to it");
        return;
    }
    if (model_choices(model, node, &facts))
        return;
    one = facts.union_count
              ? surety__conjunction_applicator(&facts.all, facts.first)
              : NULL;
    if (facts.union_count > 1 || (one && one->count > GEN_UNION_MAX)) {
        model_any(model, node, facts.all.items[facts.first.conjunct].shape->at,
                  NULL,
                  facts.union_count > 1 ? "two unions apply to one value"
                                        : "a union has more than 64 branches");
        return;
    }
    if (one) {
        surety__gen_union(model, node, &facts);
        return;
    }
    if (!facts.typed && !facts.speaks && node->conjunction->types == TYPE_ANY) {
        node->form = SURETY_TYPED_VALUE;
        return;
    }
    model_infer(model, node, &facts);
    if (facts.types & TYPE_NULL) {
        node->nullable = true;
        facts.types &= ~(unsigned)TYPE_NULL;
        if (!facts.types) {
            node->form = GEN_NULL;
            return;
        }
    }
    if ((facts.types | TYPE_NULL) == TYPE_ANY && !facts.speaks)
        node->form = SURETY_TYPED_VALUE;
    else if (!surety__gen_split(model, node, &facts, facts.types))
        model_kind(model, node, &facts);
}

/* ---- nodes of members and items ------------------------------------------ */

/* The node for an item or a map's value, which have no member struct for null.
 * A nullable one becomes a union with null; one without a C type becomes any
 * value. */
static surety__gen_node *model_boxed(surety__gen_model *model,
                                     surety__gen_node *node)
{
    bool nullable = false;
    surety__gen_node *target = surety__gen_target(node, &nullable);
    surety__gen_node *box = target->box;
    surety__gen_node *null;

    assert(target->form != GEN_ALIAS);
    if (target->form >= GEN_NULL || target->form == SURETY_TYPED_FIXED)
        return model->value;
    if (!nullable || target->form == SURETY_TYPED_VALUE)
        return target;
    if (box)
        return box;
    box = surety__gen_node_new(model, SURETY_TYPED_UNION);
    null = surety__gen_node_new(model, GEN_NULL);
    if (!box || !null)
        return target;
    box->members = surety__arena_take(
        &model->gen->arena, (target->member_count + 2) * sizeof(*box->members));
    if (!box->members)
        return target;
    /* A nullable union gets one more branch. */
    if (target->form == SURETY_TYPED_UNION) {
        memcpy(box->members, target->members,
               target->member_count * sizeof(*box->members));
        box->member_count = target->member_count;
    } else {
        box->members[box->member_count++].node = target;
    }
    box->members[box->member_count++].node = null;
    box->label.parent = node->label.parent;
    box->label.word = node->label.word;
    box->label.top = node->label.top;
    box->origin = node->origin;
    target->box = box;
    return box;
}

/* Makes the root a struct, whatever the contract's root is. */
static void model_wrap(surety__gen_model *model)
{
    bool nullable = false;
    surety__gen_node *root = surety__gen_target(model->root, &nullable);
    surety__gen_node *wrap;

    if (root->form >= GEN_NULL || root->form == SURETY_TYPED_FIXED)
        root = model->value;
    if (!nullable && root->form == SURETY_TYPED_STRUCT) {
        model->root = root;
        return;
    }
    wrap = surety__gen_node_new(model, SURETY_TYPED_WRAP);
    if (!wrap)
        return;
    wrap->members =
        surety__arena_take(&model->gen->arena, sizeof(*wrap->members));
    if (!wrap->members)
        return;
    wrap->members[0] = (surety__gen_member){.json = SURETY__LITERAL("value"),
                                            .node = model->root,
                                            .required = true};
    if (root == model->value)
        wrap->members[0].node = root;
    wrap->member_count = 1;
    wrap->origin = model->root->origin;
    if (!root->label.word.len)
        root->label.word = SURETY__LITERAL("value");
    model->root->label.word = root->label.word;
    root->label.parent = wrap;
    model->root = wrap;
}

static void model_members(surety__gen_model *model, surety__gen_node *node)
{
    for (uint32_t i = 0; i < node->member_count; i++) {
        surety__gen_member *member = &node->members[i];
        bool nullable = false;
        surety__gen_node *target = surety__gen_target(member->node, &nullable);

        if (target->form == GEN_NULL && node->form != SURETY_TYPED_UNION)
            target = model->value;
        /* The type of any value includes null. */
        member->nullable = nullable && node->form != SURETY_TYPED_UNION &&
                           target->form != SURETY_TYPED_VALUE;
        if (target->form == SURETY_TYPED_FIXED && member->nullable) {
            target = model->value;
            member->nullable = false;
        }
        member->node = target;
    }
    if (node->rest &&
        (node->form == SURETY_TYPED_LIST || node->form == SURETY_TYPED_MAP))
        node->rest = model_boxed(model, node->rest);
}

void surety__gen_model_done(surety__gen_model *model)
{
    const surety_alloc *alloc = model->gen->alloc;

    surety__graph_done(&model->graph);
    surety_checker_free(model->checker);
    surety__free(alloc, model->longs, model->long_cap * sizeof(*model->longs));
    surety__free(alloc, model->nodes, model->node_cap * sizeof(*model->nodes));
}

surety_status surety__gen_model_make(surety__gen_model *model)
{
    surety_gen *gen = model->gen;

    model->graph = (surety__graph){.arena = &gen->arena,
                                   .limits = &model->contract->limits,
                                   .schema = model->schema,
                                   .counts = surety__gen_union_counts};
    model->value = surety__gen_node_new(model, SURETY_TYPED_VALUE);
    if (model->value)
        model->root =
            surety__gen_link(model, CONJUNCTION_OF(model->schema->root), NULL,
                             (surety_str){NULL, 0});
    if (!model->root)
        return gen->status;
    for (size_t i = 0; i < model->node_count && gen->status == SURETY_OK; i++)
        if (!model->nodes[i]->made)
            model_node(model, model->nodes[i]);
    if (gen->status == SURETY_OK)
        surety__gen_settle(model);
    if (gen->status == SURETY_OK)
        model_wrap(model);
    for (size_t i = 0; i < model->node_count && gen->status == SURETY_OK; i++)
        model_members(model, model->nodes[i]);
    if (gen->status == SURETY_OK)
        surety__gen_fill(model);
    return gen->status;
}
