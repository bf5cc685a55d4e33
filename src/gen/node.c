/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes: their creation, the node of a conjunction, aliases, and the C type of
 * a node. */
#include "gen/inside.h"

/* ---- nodes --------------------------------------------------------------- */

surety__gen_node *surety__gen_node_new(surety__gen_model *model, int form)
{
    surety_gen *gen = model->gen;
    surety__gen_node *node = surety__arena_take(&gen->arena, sizeof(*node));

    if (!node)
        return NULL;
    if (surety__grow(gen->alloc, &model->nodes, &model->node_cap,
                     model->node_count + 1, sizeof(*model->nodes),
                     SIZE_MAX) != SURETY_OK) {
        gen->status = SURETY_NOMEM;
        return NULL;
    }
    node->form = form;
    node->made = true;
    model->nodes[model->node_count++] = node;
    return node;
}

surety__gen_node *surety__gen_node_of(surety__gen_model *model,
                                      const surety__conjunction *all,
                                      unsigned types, surety__gen_node *parent)
{
    surety__conjunction_node *means =
        surety__graph_node(&model->graph, all, types);
    const surety__shape *origin = all->count ? all->items[0].shape : NULL;
    surety__gen_node *node = means ? means->made : NULL;

    if (node || !means)
        return node;
    if (model->node_count >= GEN_NODES_MAX) {
        surety__gen_add_note(model, origin ? origin->at : surety_val_none(),
                             NULL, "use fewer unions beside each other",
                             "there are more than %d types when references and "
                             "unions are written out",
                             GEN_NODES_MAX);
        return model->value;
    }
    node = surety__gen_node_new(model, SURETY_TYPED_VALUE);
    if (!node)
        return NULL;
    node->made = false;
    node->conjunction = means;
    node->label.parent = parent;
    node->origin = origin;
    means->made = node;
    return node;
}

/* The name of the definition that shape is, or an empty text. */
static surety_str model_definition(surety__gen_model *model,
                                   const surety__shape *shape)
{
    static const char *const folders[] = {"$defs", "definitions", "schemas"};
    surety_str last, before;
    surety_buf pointer;

    surety_buf_init(&pointer, model->gen->alloc, 0);
    surety_val_pointer(shape->at, &pointer);
    last = surety__pointer_last(surety__arena_buf(&model->gen->arena, &pointer),
                                &before);
    return surety__str_among(before, folders, SURETY__COUNT(folders))
               ? last
               : (surety_str){NULL, 0};
}

surety__gen_node *surety__gen_link(surety__gen_model *model,
                                   const surety__conjunction *all,
                                   surety__gen_node *parent, surety_str word)
{
    const surety__shape *shape;
    surety__gen_node *node;
    surety_str name = {NULL, 0};

    if (all->count != 1) {
        node = surety__gen_node_of(model, all, TYPE_ANY, parent);
    } else {
        shape = surety__shape_behind(all->items[0].shape);
        node =
            surety__gen_node_of(model, CONJUNCTION_OF(shape), TYPE_ANY, parent);
        if (node && !node->label.word.ptr)
            name = model_definition(model, shape);
    }
    if (!node || node->label.word.ptr)
        return node;
    node->label.top = name.len > 0;
    node->label.word =
        node->label.top ? name : surety__arena_text(&model->gen->arena, word);
    node->label.inner = !node->label.top && parent &&
                        (parent->form == SURETY_TYPED_UNION ||
                         parent->form == SURETY_TYPED_MAP);
    return node;
}

surety__gen_node *surety__gen_target(surety__gen_node *node, bool *nullable)
{
    for (unsigned i = 0; node->form == GEN_ALIAS && i < GEN_NODES_MAX; i++) {
        assert(node->alias);
        *nullable |= node->nullable;
        node = node->alias;
    }
    *nullable |= node->nullable;
    return node;
}

/* ---- in C ---------------------------------------------------------------- */

bool surety__gen_is_pointer(const surety__gen_node *node)
{
    return node->form == SURETY_TYPED_STRUCT ||
           node->form == SURETY_TYPED_TUPLE;
}

bool surety__gen_is_span(const surety__gen_node *node)
{
    return node->form == SURETY_TYPED_LIST || node->form == SURETY_TYPED_MAP;
}

bool surety__gen_is_stored(const surety__gen_node *node)
{
    return node->form != SURETY_TYPED_FIXED && node->form != GEN_NULL;
}

/* A pointer that is NULL already expresses one of the two. */
bool surety__gen_has(const surety__gen_member *member)
{
    return !member->required && !member->fill.doc &&
           (!surety__gen_is_pointer(member->node) || member->nullable);
}

bool surety__gen_has_null(const surety__gen_member *member)
{
    return member->nullable && !surety__gen_is_pointer(member->node);
}

/* ORDER surety_typed_form */
const surety__gen_form surety__gen_forms[GEN_NULL + 1] = {
    {"SURETY_TYPED_BOOL", "bool", "bool", "boolean"},
    {"SURETY_TYPED_INT", "int64_t", "int", "integer"},
    {"SURETY_TYPED_UINT", "uint64_t", "uint", "integer"},
    {"SURETY_TYPED_REAL", "double", "real", "number"},
    {"SURETY_TYPED_TEXT", "surety_str", "text", "text"},
    {"SURETY_TYPED_NUMBER", "surety_str", "number", "number"},
    {"SURETY_TYPED_ENUM", NULL, NULL, "word"},
    {"SURETY_TYPED_VALUE", "surety_val", "value", "value"},
    {"SURETY_TYPED_FIXED", NULL, NULL, "fixed"},
    {"SURETY_TYPED_STRUCT", NULL, NULL, "object"},
    {"SURETY_TYPED_TUPLE", NULL, NULL, "tuple"},
    {"SURETY_TYPED_LIST", NULL, NULL, "list"},
    {"SURETY_TYPED_MAP", NULL, NULL, "map"},
    {"SURETY_TYPED_UNION", NULL, NULL, "choice"},
    {"SURETY_TYPED_WRAP", NULL, NULL, "value"},
    {"SURETY_TYPED_FIXED", NULL, "null", "null"}};

surety_str surety__gen_ctype(const surety__gen_node *node)
{
    const char *ctype;

    assert(node->form <= GEN_NULL);
    ctype = surety__gen_forms[node->form].ctype;
    return ctype ? surety_str_of(ctype) : node->in_c.name;
}
