/* SPDX-License-Identifier: Apache-2.0 */
/* Makes nodes from conjunctions. A new node waits in the list of all nodes
 * until it is processed, so depth needs no recursion. A union with other
 * keywords beside it is multiplied out: each branch becomes a node together
 * with those keywords. When all nodes are made, settle.c settles them. */
#include "strict/node.h"

/* ---- unions -------------------------------------------------------------- */

/* The node of a branch together with the keywords beside the union. */
static surety__link union_branch(surety_strict *strict,
                                 const surety__facts *facts,
                                 const surety__shape *shape, unsigned types)
{
    surety__conjunction all = {NULL, 0, 0, false};
    surety__link link = {NULL, false};

    if (!surety__conjunction_branch(&strict->graph, &facts->all, facts->first,
                                    shape, &all))
        return link;
    for (size_t i = 1; i < all.count; i++)
        all.items[i].quiet = true;
    link.node = surety__node_of(strict, &all, types);
    return link;
}

static void union_note(surety_strict *strict, const surety__applicator *of,
                       surety_val keyword, bool bare)
{
    if (of->kind == APPLY_ONE && !(strict->subset->traits & SUBSET_ONE_OF))
        surety__strict_rewritten(
            strict, keyword,
            "sent as anyOf; the contract still enforces that "
            "exactly one matches",
            "does not take \"oneOf\"");
    else if (!bare)
        surety__strict_rewritten(strict, keyword,
                                 "they are copied into every branch",
                                 "does not take keywords beside a union");
}

static void node_branches(surety_strict *strict, surety__node *node,
                          const surety__facts *facts)
{
    const surety__shape *shape = facts->all.items[facts->first.conjunct].shape;
    const surety__applicator *of =
        surety__conjunction_applicator(&facts->all, facts->first);
    const bool bare = facts->all.count == 1 &&
                      node->conjunction->types == TYPE_ANY &&
                      surety__shape_is_bare(shape);
    const surety_val keyword =
        surety_val_member(shape->at, surety__keyword_name(of->keyword));

    assert(facts->union_count > 0 && !node->branches);
    union_note(strict, of, keyword, bare);
    node->form = NODE_UNION;
    node->one_of =
        of->kind == APPLY_ONE && strict->subset->traits & SUBSET_ONE_OF;
    node->branches =
        surety__arena_take(&strict->arena, of->count * sizeof(*node->branches));
    for (uint32_t i = 0; node->branches && i < of->count; i++) {
        const surety__shape *branch = of->shapes[i];
        if (branch->never)
            continue;
        node->branches[node->branch_count++] =
            bare
                ? surety__node_link(strict, CONJUNCTION_OF(branch))
                : union_branch(strict, facts, branch, node->conjunction->types);
    }
    surety__node_keywords(strict, node, facts);
}

/* ---- types --------------------------------------------------------------- */

/* Makes a node a union by types if one schema cannot have all its types. */
static bool node_split(surety_strict *strict, surety__node *node,
                       const surety__facts *facts)
{
    /* Types that one schema can list. */
    const unsigned listed = strict->subset->traits & SUBSET_TYPE_LISTS
                                ? TYPE_STRING | TYPE_NUMBERS | TYPE_BOOLEAN
                                : 0;
    unsigned masks[KINDS_MAX + 1];
    surety__conjunction all = {NULL, 0, 0, false};
    size_t count = 0;

    if (node->types & listed)
        masks[count++] = node->types & listed;
    count += surety__types_split(node->types & ~listed, masks + count);
    if (count < 2)
        return false;
    masks[0] |= node->types & TYPE_NULL;
    node->form = NODE_UNION;
    node->branches =
        surety__arena_take(&strict->arena, count * sizeof(*node->branches));
    for (size_t i = 0; i < facts->all.count; i++) {
        surety__conjunct one = facts->all.items[i];
        one.quiet = true;
        if (!surety__conjunction_add(&strict->graph, &all, one))
            return true;
    }
    for (size_t i = 0; i < count && node->branches; i++)
        node->branches[node->branch_count++].node =
            surety__node_of(strict, &all, masks[i]);
    surety__strict_rewritten(strict,
                             surety_val_get(node->origin, "type").doc
                                 ? surety_val_get(node->origin, "type")
                                 : node->origin,
                             "sent as anyOf of one schema for each",
                             "does not take these types in one schema");
    surety__node_keywords(strict, node, facts);
    return true;
}

/* Makes a node about whose type nothing is known. */
static void node_any(surety_strict *strict, surety__node *node,
                     const surety__facts *facts)
{
    if (!(strict->subset->traits & SUBSET_ANY)) {
        node->branches =
            surety__arena_take(&strict->arena, sizeof(*node->branches));
        if (!node->branches)
            return;
        node->branches[0].node = surety__node_any(strict, node->origin);
        node->branches[0].by_name = true;
        node->branch_count = node->branches[0].node != NULL;
    }
    surety__node_keywords(strict, node, facts);
    if (node->branch_count)
        node->form = NODE_UNION;
}

/* Infers the type from the keywords if none is declared. */
static void node_infer(surety_strict *strict, surety__node *node,
                       const surety__facts *facts)
{
    unsigned kinds[KINDS_MAX];

    if (facts->typed || node->conjunction->types != TYPE_ANY ||
        surety__types_split(facts->speaks, kinds) != 1)
        return;
    node->types = (uint8_t)facts->speaks;
    surety__strict_add_note(strict, SURETY_STRICT_REWRITTEN, node->origin,
                            "declare the type",
                            "no type is declared; only values of the kind that "
                            "its keywords constrain are requested");
}

/* Adapts the choices to the subset. */
static void node_choices(surety_strict *strict, surety__node *node)
{
    const unsigned traits = strict->subset->traits;
    const surety_val keyword =
        surety_val_get(node->origin, node->constant ? "const" : "enum");
    unsigned types = 0;

    for (uint32_t i = 0; i < node->choice_count; i++)
        types |= surety__type_bits(node->choices[i].doc,
                                   surety__cell_of(node->choices[i]), false);
    node->types &= (uint8_t)types;
    if (types & (TYPE_ARRAY | TYPE_OBJECT) && !(traits & SUBSET_ENUM_ALL))
        surety__strict_add_note(
            strict, SURETY_STRICT_IMPOSSIBLE,
            keyword.doc ? keyword : node->origin,
            "describe them by properties and items, or list scalar values",
            "%s does not take arrays and objects in \"enum\" and \"const\"",
            strict->subset->title);
    if (!surety_val_get(node->origin, "type").doc && !(traits & SUBSET_ANY))
        surety__strict_rewritten(
            strict, node->origin,
            "the types of the values are sent; declare the type",
            "wants a type beside \"enum\" and \"const\"");
    if (node->constant && !(traits & SUBSET_CONST)) {
        node->constant = false;
        surety__strict_rewritten(strict, keyword.doc ? keyword : node->origin,
                                 "sent as an enum of one value",
                                 "does not take \"const\"");
    }
}

/* Moves an enum of booleans and null to the description if only strings and
 * numbers can be listed. */
static void node_drop_choices(surety_strict *strict, surety__node *node)
{
    surety_buf words;

    if (!(strict->subset->traits & SUBSET_ENUM_SCALAR) || !node->choice_count ||
        node->types & (TYPE_STRING | TYPE_NUMBERS))
        return;
    if (node->types & TYPE_BOOLEAN) {
        surety_buf_init(&words, strict->alloc, 0);
        surety_buf_text(&words, "One of:");
        for (uint32_t i = 0; i < node->choice_count; i++) {
            surety_buf_byte(&words, ' ');
            surety_val_write(node->choices[i], SURETY_STYLE_COMPACT, &words);
        }
        surety__node_describe(strict, node, &words);
        surety__strict_rewritten(
            strict, node->origin,
            "moved to the description; the contract still enforces it",
            "takes only strings and numbers in \"enum\"");
    }
    node->choice_count = 0;
    node->constant = false;
}

/* ---- one node ------------------------------------------------------------ */

/* Adds notes about references and allOf of a shape, which are merged. */
static void node_note_merged(surety_strict *strict, const surety__shape *shape)
{
    for (uint32_t i = 0; i < shape->applicator_count; i++) {
        const surety__applicator *one = &shape->applicators[i];
        const bool dynamic = one->kind == APPLY_DYNAMIC;
        const surety_str name = surety__keyword_name(one->keyword);
        if (one->kind != APPLY_ALL && !dynamic)
            continue;
        surety__strict_add_note(
            strict, SURETY_STRICT_REWRITTEN, surety_val_member(shape->at, name),
            dynamic ? "the schema that it names is copied; the contract still "
                      "follows the dynamic reference"
                    : "its content is merged into the schema around it",
            "%s does not take \"%.*s\"%s", strict->subset->title, (int)name.len,
            name.ptr, dynamic ? "" : " here");
    }
}

static void node_make(surety_strict *strict, surety__node *node)
{
    const surety__shape *chosen;
    surety__facts facts;

    if (node->is_made)
        return;
    assert(node->conjunction);
    node->is_made = true;
    if (node->conjunction->all.count)
        node->origin = node->conjunction->all.items[0].shape->at;
    if (!surety__facts_gather(&strict->graph, node->conjunction, &facts))
        return;
    for (size_t i = 0; i < facts.all.count; i++)
        node_note_merged(strict, facts.all.items[i].shape);
    node->types = (uint8_t)facts.types;
    chosen = surety__facts_choices(&strict->graph, &facts, &node->choices,
                                   &node->choice_count);
    node->constant = chosen && chosen->constant;
    if (facts.never || !node->types || (chosen && !node->choice_count)) {
        node->form = NODE_NEVER;
        return;
    }
    if (facts.union_count) {
        node_branches(strict, node, &facts);
        return;
    }
    if (chosen)
        node_choices(strict, node);
    if (!facts.typed && !facts.speaks && node->conjunction->types == TYPE_ANY) {
        node_any(strict, node, &facts);
        return;
    }
    node_infer(strict, node, &facts);
    if (!(strict->subset->traits & SUBSET_ENUM_ALL && chosen) &&
        node_split(strict, node, &facts))
        return;
    assert(chosen || !(node->types & TYPE_OBJECT && node->types & TYPE_ARRAY));
    if (node->types & TYPE_OBJECT && !chosen)
        surety__node_object(strict, node, &facts);
    if (node->types & TYPE_ARRAY && !chosen)
        surety__node_array(strict, node, &facts);
    surety__node_keywords(strict, node, &facts);
    node_drop_choices(strict, node);
}

surety_status surety__node_make_all(surety_strict *strict)
{
    for (size_t i = 0; i < strict->node_count && strict->status == SURETY_OK;
         i++)
        node_make(strict, strict->nodes[i]);
    if (strict->status == SURETY_OK)
        surety__node_settle_all(strict);
    return strict->status;
}
