/* SPDX-License-Identifier: Apache-2.0 */
/* A contract's shapes become nodes, and nodes become types.
 *
 * A node that is new waits in the list of all nodes until its turn comes, so
 * depth costs no stack. What a node is depends on others where it is a union:
 * a branch that is null makes it nullable, one that is left alone is what it
 * is, scalars that are the same merge. That is settled in rounds over all
 * unions until nothing changes; each round takes something away, so it ends. */
#include "gen/inside.h"

enum { MODEL_NUMBERS = TYPE_NUMBER | TYPE_INTEGER };

static const uint8_t model_kinds[] = {TYPE_STRING, MODEL_NUMBERS, TYPE_BOOLEAN,
                                      TYPE_ARRAY, TYPE_OBJECT};
enum { MODEL_KINDS = sizeof(model_kinds) };

/* ---- nodes -----------------------------------------------------------------
 */

surety__gen_node *surety__gen_node_new(surety__gen_model *model, int form)
{
    surety_gen *gen = model->gen;
    surety__gen_node *node = surety__gen_take(gen, sizeof(*node));

    if (!node)
        return NULL;
    if (surety__grow(gen->alloc, (void **)&model->nodes, &model->node_cap,
                     model->node_count + 1, sizeof(*model->nodes),
                     SIZE_MAX) != SURETY_OK) {
        gen->status = SURETY_NOMEM;
        return NULL;
    }
    node->form = form;
    node->mask = TYPE_ANY;
    node->made = true;
    model->nodes[model->node_count++] = node;
    return node;
}

static uint64_t node_key(const surety__gen_part *parts, size_t count,
                         unsigned mask)
{
    uint64_t hash = mask + 1;

    for (size_t i = 0; i < count; i++) {
        hash =
            (hash ^ (uint64_t)(uintptr_t)parts[i].shape) * 0xFF51AFD7ED558CCDu;
        hash = (hash ^ hash >> 32 ^ parts[i].settled) * 0xC4CEB9FE1A85EC53u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool node_is(const surety__gen_node *node, const surety__gen_part *parts,
                    size_t count, unsigned mask)
{
    bool equal = node->part_count == count && node->mask == mask;

    for (size_t i = 0; equal && i < count; i++)
        equal = node->parts[i].shape == parts[i].shape &&
                node->parts[i].settled == parts[i].settled;
    return equal;
}

surety__gen_node *surety__gen_node_of(surety__gen_model *model,
                                      const surety__gen_part *parts,
                                      size_t count, unsigned mask,
                                      surety__gen_node *parent)
{
    const uint64_t hash = node_key(parts, count, mask);
    surety__gen_node *first = surety__map_get(&model->known, hash);
    surety__gen_node *node = first;

    while (node && !node_is(node, parts, count, mask))
        node = node->next;
    if (node)
        return node;
    if (model->node_count >= GEN_NODES_MAX) {
        surety__gen_say(model, count ? parts[0].shape->at : surety_val_none(),
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
    node->next = first;
    node->mask = (uint8_t)mask;
    node->parent = parent;
    node->part_count = (uint32_t)count;
    node->origin = count ? parts[0].shape : NULL;
    node->parts = surety__gen_take(model->gen, count * sizeof(*parts));
    if (!node->parts)
        return NULL;
    if (count)
        memcpy(node->parts, parts, count * sizeof(*parts));
    if (!surety__map_put(&model->known, model->gen->alloc, hash, node))
        model->gen->status = SURETY_NOMEM;
    return node;
}

/* What shape is a reference to, if it says nothing else. */
static const surety__shape *model_referred(const surety__shape *shape)
{
    const surety__applicator *applicator = shape->applicators;

    if (shape->never || shape->types != TYPE_ANY || shape->objects ||
        shape->arrays || shape->numbers || shape->strings || shape->choices ||
        shape->constant || shape->applicator_count != 1 ||
        applicator->kind != APPLY_ALL || applicator->count != 1 ||
        applicator->keyword == KW_ALL_OF)
        return NULL;
    return applicator->shapes[0];
}

/* The name of the definition that shape is, or an empty text. */
static surety_str model_definition(surety__gen_model *model,
                                   const surety__shape *shape)
{
    surety_str name = {NULL, 0};
    surety_buf pointer;
    surety_str text;
    size_t last, before;

    surety_buf_init(&pointer, model->gen->alloc, 0);
    surety_val_pointer(shape->at, &pointer);
    if (pointer.status != SURETY_OK)
        model->gen->status = pointer.status;
    text = surety_buf_str(&pointer);
    for (last = text.len; last > 0 && text.ptr[last - 1] != '/'; last--)
        ;
    for (before = last ? last - 1 : 0;
         before > 0 && text.ptr[before - 1] != '/'; before--)
        ;
    if (last > before + 1) {
        const surety_str folder = {text.ptr + before, last - 1 - before};

        if (surety_str_equal(folder, SURETY__LITERAL("$defs")) ||
            surety_str_equal(folder, SURETY__LITERAL("definitions")) ||
            surety_str_equal(folder, SURETY__LITERAL("schemas")))
            name = surety__gen_text(
                model->gen, (surety_str){text.ptr + last, text.len - last});
    }
    surety_buf_done(&pointer);
    return name;
}

surety__gen_node *surety__gen_link(surety__gen_model *model,
                                   const surety__gen_parts *parts,
                                   surety__gen_node *parent, surety_str word)
{
    surety__gen_part part;
    surety__gen_node *node;
    surety_str name = {NULL, 0};

    if (parts->count != 1 || parts->items[0].settled) {
        node = surety__gen_node_of(model, parts->items, parts->count, TYPE_ANY,
                                   parent);
    } else {
        part = parts->items[0];
        for (unsigned i = 0; i < 64 && model_referred(part.shape); i++)
            part.shape = model_referred(part.shape);
        node = surety__gen_node_of(model, &part, 1, TYPE_ANY, parent);
        if (node && !node->word.ptr)
            name = model_definition(model, part.shape);
    }
    if (!node || node->word.ptr)
        return node;
    node->top = name.len > 0;
    node->word = node->top ? name : surety__gen_text(model->gen, word);
    node->inner = !node->top && parent &&
                  (parent->form == SURETY_TYPED_UNION ||
                   parent->form == SURETY_TYPED_MAP);
    return node;
}

surety__gen_node *surety__gen_target(surety__gen_node *node, bool *nullable)
{
    for (unsigned i = 0; node->form == GEN_ALIAS && i < GEN_NODES_MAX; i++) {
        *nullable |= node->nullable;
        node = node->alias;
    }
    *nullable |= node->nullable;
    return node;
}

/* ---- unions ----------------------------------------------------------------
 */

static surety_str branch_pointer(surety__gen_model *model,
                                 const surety__shape *shape)
{
    surety_str text = {NULL, 0};
    surety_buf pointer;

    if (shape->at.doc != surety_contract_root(model->contract).doc)
        return text;
    surety_buf_init(&pointer, model->gen->alloc, 0);
    surety_val_pointer(shape->at, &pointer);
    if (pointer.status == SURETY_OK)
        text = surety__gen_text(model->gen, surety_buf_str(&pointer));
    else
        model->gen->status = pointer.status;
    surety_buf_done(&pointer);
    return text;
}

/* The value of the member by which a branch is told, if that is one word. */
static surety_str branch_tag(const surety__shape *shape)
{
    const surety__objects *objects;

    for (unsigned i = 0; i < 64 && model_referred(shape); i++)
        shape = model_referred(shape);
    objects = shape->objects;
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

/* Whether nothing but a type stands beside the union. */
static bool model_is_bare(const surety__gen_facts *facts)
{
    for (size_t i = 0; i < facts->parts.count; i++) {
        const surety__gen_part *part = &facts->parts.items[i];
        const surety__shape *shape = part->shape;

        if (shape->objects || shape->arrays || shape->numbers ||
            shape->strings || shape->choices || shape->constant)
            return false;
    }
    return facts->union_count == 1;
}

static surety__gen_node *model_branch(surety__gen_model *model,
                                      surety__gen_node *node,
                                      const surety__gen_facts *facts,
                                      const surety__shape *shape,
                                      surety_str word)
{
    surety__gen_parts parts = {NULL, 0, 0};
    surety__gen_node *branch;

    if (!surety__gen_parts_add(model, &parts, (surety__gen_part){shape, 0}))
        return NULL;
    if (model_is_bare(facts) && (shape->types & facts->types) == shape->types)
        return surety__gen_link(model, &parts, node, word);
    if (model_is_bare(facts)) {
        const surety__shape *end = shape;

        for (unsigned i = 0; i < 64 && model_referred(end); i++)
            end = model_referred(end);
        if ((end->types & facts->types) == end->types)
            return surety__gen_link(model, &parts, node, word);
    }
    for (size_t i = 0; i < facts->parts.count; i++) {
        surety__gen_part part = facts->parts.items[i];

        if (i == facts->union_part)
            part.settled |= (uint64_t)1 << facts->union_index;
        if (part.shape != shape && !surety__gen_parts_add(model, &parts, part))
            return NULL;
    }
    branch =
        surety__gen_node_of(model, parts.items, parts.count, node->mask, node);
    if (branch && !branch->word.ptr) {
        branch->word = surety__gen_text(model->gen, word);
        branch->inner = true;
    }
    return branch;
}

static void model_union(surety__gen_model *model, surety__gen_node *node,
                        const surety__gen_facts *facts)
{
    const surety__gen_part *part = &facts->parts.items[facts->union_part];
    const surety__applicator *of =
        &part->shape->applicators[facts->union_index];

    node->form = SURETY_TYPED_UNION;
    node->members =
        surety__gen_take(model->gen, of->count * sizeof(*node->members));
    for (uint32_t i = 0; i < of->count && node->members; i++) {
        const surety__shape *shape = of->shapes[i];
        const surety_str tag = branch_tag(shape);
        surety__gen_member *member = &node->members[node->member_count];

        if (shape->never)
            continue;
        *member = (surety__gen_member){.json = tag, .shape = shape};
        member->pointer = branch_pointer(model, shape);
        member->node = model_branch(model, node, facts, shape, tag);
        if (!member->node)
            return;
        node->member_count++;
    }
}

static surety_str model_kind_word(unsigned types)
{
    switch (types) {
    case TYPE_STRING: return SURETY__LITERAL("text");
    case TYPE_BOOLEAN: return SURETY__LITERAL("boolean");
    case TYPE_ARRAY: return SURETY__LITERAL("list");
    case TYPE_OBJECT: return SURETY__LITERAL("object");
    default: return SURETY__LITERAL("number");
    }
}

/* A union of one node for each kind of value. */
static bool model_split(surety__gen_model *model, surety__gen_node *node,
                        const surety__gen_facts *facts, unsigned types)
{
    unsigned masks[MODEL_KINDS];
    size_t count = 0;

    for (size_t i = 0; i < MODEL_KINDS; i++)
        if (types & model_kinds[i])
            masks[count++] = types & model_kinds[i];
    if (count < 2)
        return false;
    node->form = SURETY_TYPED_UNION;
    node->members =
        surety__gen_take(model->gen, count * sizeof(*node->members));
    for (size_t i = 0; i < count && node->members; i++) {
        surety__gen_member *member = &node->members[node->member_count];

        *member = (surety__gen_member){.json = {NULL, 0}};
        member->node = surety__gen_node_of(model, facts->parts.items,
                                           facts->parts.count, masks[i], node);
        if (!member->node)
            return true;
        if (!member->node->word.ptr) {
            member->node->word = model_kind_word(masks[i]);
            member->node->inner = true;
        }
        node->member_count++;
    }
    return true;
}

/* ---- one node ---------------------------------------------------------------
 */

static void model_lost(surety__gen_model *model, surety__gen_node *node,
                       surety_val at, const char *keyword, const char *why)
{
    node->form = SURETY_TYPED_VALUE;
    surety__gen_say(model, at, keyword, "it is kept as a surety_val", "%s",
                    why);
}

static bool choice_holds(const surety__gen_facts *facts, surety_val val)
{
    if (!(surety__type_bits(val.doc, surety__cell_of(val), false) &
          facts->types))
        return false;
    for (size_t i = 0; i < facts->parts.count; i++) {
        const surety__shape *shape = facts->parts.items[i].shape;

        if ((shape->choices &&
             !surety__choices_have(shape->choices, shape->at.doc, val)) ||
            (shape->constant &&
             !surety__choices_have(shape->constant, shape->at.doc, val)))
            return false;
    }
    return true;
}

/* Whether a word stood before. */
static bool choice_seen(const surety__gen_node *node, surety_val val)
{
    for (uint32_t i = 0; i < node->word_count; i++)
        if (surety_val_equal(node->words[i], val))
            return true;
    return false;
}

static void choice_add(surety__gen_node *node, const surety__gen_facts *facts,
                       surety_val val)
{
    if (!val.doc || !choice_holds(facts, val))
        return;
    if (surety_val_kind(val) == SURETY_KIND_NULL)
        node->nullable = true;
    else if (node->word_count > 64 || !choice_seen(node, val))
        node->words[node->word_count++] = val;
}

/* What values of enum and const make of a node; false: there are none. */
static bool model_choices(surety__gen_model *model, surety__gen_node *node,
                          surety__gen_facts *facts)
{
    const surety__shape *shape = NULL;
    unsigned types = 0;
    surety_val list;

    for (size_t i = 0; i < facts->parts.count && !shape; i++)
        if (facts->parts.items[i].shape->choices ||
            facts->parts.items[i].shape->constant)
            shape = facts->parts.items[i].shape;
    if (!shape)
        return false;
    list = surety_val_get(shape->at, "enum");
    node->words = surety__gen_take(model->gen, (surety_val_count(list) + 1) *
                                                   sizeof(*node->words));
    if (!node->words)
        return true;
    if (shape->constant)
        choice_add(node, facts, surety_val_get(shape->at, "const"));
    else
        for (surety_val v = surety_val_first(list); v.doc;
             v = surety_val_next(list, v))
            choice_add(node, facts, v);
    for (uint32_t i = 0; i < node->word_count; i++)
        types |= surety__type_bits(node->words[i].doc,
                                   surety__cell_of(node->words[i]), false);
    facts->types = types;
    if (!types)
        node->form = node->nullable ? GEN_NULL : GEN_NEVER;
    else if (node->word_count == 1 && !node->nullable)
        node->form = SURETY_TYPED_FIXED;
    else if (types & (TYPE_ARRAY | TYPE_OBJECT))
        model_lost(model, node, shape->at, "enum",
                   "no enum in C has arrays or objects for values");
    else if (model_split(model, node, facts, types))
        return true;
    else if (types == TYPE_STRING)
        node->form = SURETY_TYPED_ENUM;
    else
        return false;
    return true;
}

/* Whether a bound lies beyond what an integer in C holds. */
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

static bool number_bounds(const surety__gen_facts *facts, const char *limit,
                          bool above)
{
    bool beyond = false;

    for (size_t i = 0; i < facts->parts.count; i++) {
        const surety__shape *shape = facts->parts.items[i].shape;
        const surety__numbers *numbers = shape->numbers;
        const surety_doc *doc = shape->at.doc;

        if (!numbers)
            continue;
        beyond |= number_beyond(
            doc, above ? numbers->maximum : numbers->minimum, limit, above);
        beyond |= number_beyond(doc,
                                above ? numbers->exclusive_maximum
                                      : numbers->exclusive_minimum,
                                limit, above);
    }
    return beyond;
}

/* Whether some minimum is 0 or more. */
static bool number_is_natural(const surety__gen_facts *facts)
{
    for (size_t i = 0; i < facts->parts.count; i++) {
        const surety__shape *shape = facts->parts.items[i].shape;
        const surety__numbers *numbers = shape->numbers;

        if (numbers && numbers->minimum &&
            !number_beyond(shape->at.doc, numbers->minimum, "0", false))
            return true;
    }
    return false;
}

static void model_number(surety__gen_model *model, surety__gen_node *node,
                         const surety__gen_facts *facts)
{
    if (facts->types & TYPE_NUMBER) {
        node->form = SURETY_TYPED_REAL;
    } else if (number_bounds(facts, "-9223372036854775808", false) ||
               number_bounds(facts, "18446744073709551615", true) ||
               (number_bounds(facts, "9223372036854775807", true) &&
                !number_is_natural(facts))) {
        node->form = SURETY_TYPED_NUMBER;
        surety__gen_say(model, node->origin->at, NULL,
                        "it is kept as its own text",
                        "no integer in C has this range");
    } else {
        node->form = number_bounds(facts, "9223372036854775807", true)
                         ? SURETY_TYPED_UINT
                         : SURETY_TYPED_INT;
    }
}

/* The types where none is declared: those that keywords are about. */
static void model_infer(surety__gen_model *model, surety__gen_node *node,
                        surety__gen_facts *facts)
{
    if (facts->typed || node->mask != TYPE_ANY)
        return;
    for (size_t i = 0; i < MODEL_KINDS; i++)
        if (facts->speaks == model_kinds[i]) {
            facts->types = model_kinds[i];
            surety__gen_say(model, node->origin->at, NULL, "declare the type",
                            "no type is declared; the C type holds only values "
                            "of the kind that the keywords are about");
            return;
        }
    model_lost(model, node, node->origin->at, NULL,
               "no type is declared, and keywords are about several");
    facts->types = 0;
}

/* What is left once choices and unions are settled. */
static void model_kind(surety__gen_model *model, surety__gen_node *node,
                       const surety__gen_facts *facts)
{
    if (facts->types & TYPE_OBJECT)
        surety__gen_object(model, node, facts);
    else if (facts->types & TYPE_ARRAY)
        surety__gen_array(model, node, facts);
    else if (facts->types & MODEL_NUMBERS)
        model_number(model, node, facts);
    else if (facts->types & TYPE_BOOLEAN)
        node->form = SURETY_TYPED_BOOL;
    else if (facts->types & TYPE_STRING)
        node->form = SURETY_TYPED_TEXT;
}

static void model_node(surety__gen_model *model, surety__gen_node *node)
{
    surety__gen_facts facts;

    node->made = true;
    if (!surety__gen_gather(model, node, &facts))
        return;
    if (facts.never || !facts.types) {
        node->form = GEN_NEVER;
        return;
    }
    if (facts.lost.doc) {
        model_lost(model, node, facts.lost, NULL,
                   "where a dynamic reference leads depends on the way to it");
        return;
    }
    if (model_choices(model, node, &facts))
        return;
    if (facts.union_count > 1 ||
        (facts.union_count && facts.parts.items[facts.union_part]
                                      .shape->applicators[facts.union_index]
                                      .count > GEN_UNION_MAX)) {
        model_lost(model, node, facts.parts.items[facts.union_part].shape->at,
                   NULL,
                   facts.union_count > 1 ? "two unions stand beside each other"
                                         : "a union has more than 64 branches");
        return;
    }
    if (facts.union_count) {
        model_union(model, node, &facts);
        return;
    }
    if (!facts.typed && !facts.speaks && node->mask == TYPE_ANY) {
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
    else if (!model_split(model, node, &facts, facts.types))
        model_kind(model, node, &facts);
}

/* ---- unions settled ---------------------------------------------------------
 */

static bool settle_is_same(const surety__gen_node *a, const surety__gen_node *b)
{
    if (a == b)
        return true;
    return a->form == b->form &&
           (a->form == SURETY_TYPED_TEXT || a->form == SURETY_TYPED_BOOL ||
            a->form == SURETY_TYPED_INT || a->form == SURETY_TYPED_UINT ||
            a->form == SURETY_TYPED_REAL || a->form == SURETY_TYPED_NUMBER);
}

/* Whether a branch goes: it is null, nothing, or what one before it is. */
static bool settle_drops(surety__gen_node *node, uint32_t kept,
                         surety__gen_node *branch)
{
    if (branch->form == GEN_NULL) {
        node->nullable = true;
        return true;
    }
    if (branch->form == GEN_NEVER)
        return true;
    for (uint32_t i = 0; i < kept; i++) {
        bool nullable = false;

        if (settle_is_same(surety__gen_target(node->members[i].node, &nullable),
                           branch))
            return true;
    }
    return false;
}

static bool settle_union(surety__gen_model *model, surety__gen_node *node)
{
    const bool was_nullable = node->nullable;
    const uint32_t count = node->member_count;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        surety__gen_node *branch =
            surety__gen_target(node->members[i].node, &node->nullable);

        if (settle_drops(node, kept, branch))
            continue;
        if (branch->form == SURETY_TYPED_VALUE) {
            node->form = SURETY_TYPED_VALUE;
            node->nullable = false;
            if (branch->origin && branch->origin->always && node->origin)
                surety__gen_say(model, node->origin->at, NULL,
                                "it is kept as a surety_val",
                                "a branch allows any value");
            return true;
        }
        node->members[kept++] = node->members[i];
    }
    node->member_count = kept;
    if (kept == 0) {
        node->form = node->nullable ? GEN_NULL : GEN_NEVER;
    } else if (kept == 1) {
        node->form = GEN_ALIAS;
        node->alias = node->members[0].node;
    }
    return kept < 2 || kept != count || node->nullable != was_nullable;
}

/* Members that no value has go; without any, it is a map or any object. */
static void settle_members(surety__gen_model *model, surety__gen_node *node)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < node->member_count; i++) {
        bool nullable = false;

        if (surety__gen_target(node->members[i].node, &nullable)->form !=
            GEN_NEVER)
            node->members[kept++] = node->members[i];
        else if (node->form == SURETY_TYPED_TUPLE)
            break;
    }
    node->member_count = kept;
    if (kept)
        return;
    node->form = SURETY_TYPED_VALUE;
    if (node->rest && node->rest->rest != model->value) {
        node->form = node->rest->form;
        node->rest = node->rest->rest;
    }
}

static void model_settle(surety__gen_model *model)
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

/* ---- what stands where ------------------------------------------------------
 */

/* The node for a value that no member is about: an item or a map's value. What
 * is nullable there is a union with null, and what is nothing a value. */
static surety__gen_node *model_boxed(surety__gen_model *model,
                                     surety__gen_node *node)
{
    bool nullable = false;
    surety__gen_node *target = surety__gen_target(node, &nullable);
    surety__gen_node *box = target->box;
    surety__gen_node *null;

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
    box->members = surety__gen_take(model->gen, (target->member_count + 2) *
                                                    sizeof(*box->members));
    if (!box->members)
        return target;
    /* A union that is nullable gets one branch more. */
    if (target->form == SURETY_TYPED_UNION) {
        memcpy(box->members, target->members,
               target->member_count * sizeof(*box->members));
        box->member_count = target->member_count;
    } else {
        box->members[box->member_count++].node = target;
    }
    box->members[box->member_count++].node = null;
    box->parent = node->parent;
    box->word = node->word;
    box->top = node->top;
    box->origin = node->origin;
    target->box = box;
    return box;
}

/* The whole is a struct, whatever the contract's root is. */
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
    wrap->members = surety__gen_take(model->gen, sizeof(*wrap->members));
    if (!wrap->members)
        return;
    wrap->members[0] = (surety__gen_member){.json = SURETY__LITERAL("value"),
                                            .node = model->root,
                                            .required = true};
    if (root == model->value)
        wrap->members[0].node = root;
    wrap->member_count = 1;
    wrap->origin = model->root->origin;
    if (!root->word.len)
        root->word = SURETY__LITERAL("value");
    model->root->word = root->word;
    root->parent = wrap;
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
        /* Any value may be null, and says so itself. */
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

    surety__map_done(&model->known, alloc);
    surety__map_done(&model->said, alloc);
    surety__matcher_free(model->matcher);
    surety_checker_free(model->checker);
    surety__free(alloc, model->longs, model->long_cap * sizeof(*model->longs));
    surety__free(alloc, model->nodes, model->node_cap * sizeof(*model->nodes));
}

surety_status surety__gen_model_make(surety__gen_model *model)
{
    surety_gen *gen = model->gen;
    surety__gen_part part = {model->schema->root, 0};
    const surety__gen_parts parts = {&part, 1, 1};

    model->value = surety__gen_node_new(model, SURETY_TYPED_VALUE);
    if (model->value)
        model->root =
            surety__gen_link(model, &parts, NULL, (surety_str){NULL, 0});
    if (!model->root)
        return gen->status;
    for (size_t i = 0; i < model->node_count && gen->status == SURETY_OK; i++)
        if (!model->nodes[i]->made)
            model_node(model, model->nodes[i]);
    if (gen->status == SURETY_OK)
        model_settle(model);
    if (gen->status == SURETY_OK)
        model_wrap(model);
    for (size_t i = 0; i < model->node_count && gen->status == SURETY_OK; i++)
        model_members(model, model->nodes[i]);
    return gen->status;
}
