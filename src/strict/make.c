/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes out of conjunctions of shapes. A node that is new waits in the list of
 * all nodes until its turn comes, so depth costs no stack. Unions with
 * something beside them are multiplied out: each branch becomes the conjunction
 * of the branch and what stands beside the union. */
#include "strict/node.h"

static uint64_t node_hash(const surety__part *parts, size_t count,
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

static bool node_equals(const surety__node *node, const surety__part *parts,
                        size_t count, unsigned mask)
{
    bool equal = node->part_count == count && node->mask == mask;

    for (size_t i = 0; equal && i < count; i++)
        equal = node->parts[i].shape == parts[i].shape &&
                node->parts[i].settled == parts[i].settled;
    return equal;
}

static surety__node *node_new(surety_strict *strict)
{
    surety__node *node = surety__strict_take(strict, sizeof(*node));

    if (!node)
        return NULL;
    if (strict->status == SURETY_OK)
        strict->status = surety__grow(strict->alloc, (void **)&strict->nodes,
                                      &strict->node_cap, strict->node_count + 1,
                                      sizeof(*strict->nodes), STRICT_NODES_MAX);
    if (strict->status != SURETY_OK)
        return NULL;
    strict->nodes[strict->node_count++] = node;
    return node;
}

surety__node *surety__node_of(surety_strict *strict, const surety__part *parts,
                              size_t count, unsigned mask)
{
    const uint64_t hash = node_hash(parts, count, mask);
    surety__node *first = surety__map_get(&strict->known, hash);
    surety__node *node = first;

    while (node && !node_equals(node, parts, count, mask))
        node = node->next;
    if (node)
        return node;
    node = node_new(strict);
    if (!node)
        return NULL;
    node->next = first;
    node->mask = (uint8_t)mask;
    node->part_count = (uint32_t)count;
    node->parts = surety__strict_take(strict, count * sizeof(*parts));
    if (!node->parts)
        return NULL;
    if (count)
        memcpy(node->parts, parts, count * sizeof(*parts));
    if (!surety__map_put(&strict->known, strict->alloc, hash, node))
        strict->status = SURETY_NOMEM;
    return node;
}

surety__link surety__node_link(surety_strict *strict,
                               const surety__parts *parts)
{
    surety__part part;
    surety__link link = {NULL, false};

    if (parts->count != 1 || parts->items[0].settled) {
        link.node =
            surety__node_of(strict, parts->items, parts->count, TYPE_ANY);
        return link;
    }
    part = parts->items[0];
    for (unsigned i = 0; i < 64; i++) {
        const surety__shape *target = surety__shape_target(part.shape);
        if (!target)
            break;
        part.shape = target;
        link.by_name = true;
    }
    link.node = surety__node_of(strict, &part, 1, TYPE_ANY);
    return link;
}

surety__node *surety__node_union(surety_strict *strict,
                                 const surety__link *links, size_t count)
{
    surety__node *node = node_new(strict);

    if (!node)
        return NULL;
    node->is_made = true;
    node->mask = node->types = TYPE_ANY;
    node->form = NODE_UNION;
    node->branch_count = (uint32_t)count;
    node->branches = surety__strict_take(strict, count * sizeof(*links));
    if (node->branches && count)
        memcpy(node->branches, links, count * sizeof(*links));
    return node;
}

/* The node of a branch and of what stands beside the union. */
static surety__link union_branch(surety_strict *strict,
                                 const surety__facts *facts,
                                 const surety__shape *shape, unsigned mask)
{
    surety__parts parts = {NULL, 0, 0};
    surety__link link = {NULL, false};

    if (!surety__parts_add(strict, &parts, (surety__part){shape, 0}))
        return link;
    for (size_t i = 0; i < facts->parts.count; i++) {
        surety__part part = facts->parts.items[i];
        part.settled |= PART_QUIET;
        if (i == facts->union_part)
            part.settled |= (uint64_t)1 << facts->union_index;
        if (part.shape != shape && !surety__parts_add(strict, &parts, part))
            return link;
    }
    link.node = surety__node_of(strict, parts.items, parts.count, mask);
    return link;
}

static void union_tell(surety_strict *strict, const surety__applicator *of,
                       surety_val keyword, bool bare)
{
    if (of->kind == APPLY_ONE && !(strict->subset->traits & SUBSET_ONE_OF))
        surety__strict_say(strict, SURETY_STRICT_REWRITTEN, keyword,
                           "sent as anyOf; the contract still enforces that "
                           "exactly one matches",
                           "%s does not take \"oneOf\"", strict->subset->title);
    else if (!bare)
        surety__strict_say(strict, SURETY_STRICT_REWRITTEN, keyword,
                           "they are copied into every branch",
                           "%s does not take keywords beside a union",
                           strict->subset->title);
}

static void node_branches(surety_strict *strict, surety__node *node,
                          const surety__facts *facts)
{
    const surety__part *part = &facts->parts.items[facts->union_part];
    const surety__applicator *of =
        &part->shape->applicators[facts->union_index];
    const bool bare = facts->parts.count == 1 && node->mask == TYPE_ANY &&
                      surety__shape_is_bare(part->shape);
    const surety_val keyword =
        surety_val_member(part->shape->at, surety__keyword_name(of->keyword));

    union_tell(strict, of, keyword, bare);
    node->form = NODE_UNION;
    node->one_of =
        of->kind == APPLY_ONE && strict->subset->traits & SUBSET_ONE_OF;
    node->branches =
        surety__strict_take(strict, of->count * sizeof(*node->branches));
    for (uint32_t i = 0; node->branches && i < of->count; i++) {
        surety__part branch = {of->shapes[i], 0};
        const surety__parts alone = {&branch, 1, 1};
        if (branch.shape->never)
            continue;
        node->branches[node->branch_count++] =
            bare ? surety__node_link(strict, &alone)
                 : union_branch(strict, facts, branch.shape, node->mask);
    }
    surety__node_keywords(strict, node, facts);
}

/* ---- types --------------------------------------------------------------- */

enum { TYPE_NUMBERS = TYPE_NUMBER | TYPE_INTEGER };

static const uint8_t type_kinds[] = {TYPE_STRING, TYPE_NUMBERS, TYPE_BOOLEAN,
                                     TYPE_ARRAY, TYPE_OBJECT};

/* Makes a union of node by types where one schema cannot have them all. */
static bool node_split(surety_strict *strict, surety__node *node,
                       const surety__facts *facts)
{
    const bool lists = strict->subset->traits & SUBSET_TYPE_LISTS;
    const unsigned scalars = TYPE_STRING | TYPE_NUMBERS | TYPE_BOOLEAN;
    unsigned masks[sizeof(type_kinds)];
    size_t count = 0;

    if (lists && node->types & scalars)
        masks[count++] = node->types & scalars;
    for (size_t i = 0; i < sizeof(type_kinds); i++)
        if (node->types & type_kinds[i] && !(lists && type_kinds[i] & scalars))
            masks[count++] = node->types & type_kinds[i];
    if (count < 2)
        return false;
    masks[0] |= node->types & TYPE_NULL;
    node->form = NODE_UNION;
    node->branches =
        surety__strict_take(strict, count * sizeof(*node->branches));
    for (size_t i = 0; i < count && node->branches; i++) {
        surety__parts parts = {NULL, 0, 0};
        for (size_t j = 0; j < facts->parts.count; j++) {
            surety__part part = facts->parts.items[j];
            part.settled |= PART_QUIET;
            if (!surety__parts_add(strict, &parts, part))
                return true;
        }
        node->branches[node->branch_count++].node =
            surety__node_of(strict, parts.items, parts.count, masks[i]);
    }
    surety__strict_say(strict, SURETY_STRICT_REWRITTEN,
                       surety_val_get(node->origin, "type").doc
                           ? surety_val_get(node->origin, "type")
                           : node->origin,
                       "sent as anyOf of one schema for each",
                       "%s does not take these types in one schema",
                       strict->subset->title);
    surety__node_keywords(strict, node, facts);
    return true;
}

/* Nothing is said about the value's kind. */
static void node_any(surety_strict *strict, surety__node *node,
                     const surety__facts *facts)
{
    if (!(strict->subset->traits & SUBSET_ANY)) {
        node->form = NODE_TEXT;
        if (node->origin.doc)
            surety__strict_say(strict, SURETY_STRICT_REWRITTEN, node->origin,
                               "it is asked for as JSON in a string, and read "
                               "back; say its type where one is known",
                               "%s does not take a schema that allows any "
                               "value",
                               strict->subset->title);
    }
    surety__node_keywords(strict, node, facts);
}

/* The type that keywords speak of, where none is declared. */
static void node_infer(surety_strict *strict, surety__node *node,
                       const surety__facts *facts)
{
    if (facts->typed || node->mask != TYPE_ANY)
        return;
    for (size_t i = 0; i < sizeof(type_kinds); i++)
        if (facts->speaks == type_kinds[i]) {
            node->types = type_kinds[i];
            surety__strict_say(strict, SURETY_STRICT_REWRITTEN, node->origin,
                               "declare the type",
                               "no type is declared; only values of the kind "
                               "that its keywords are about are asked for");
        }
}

/* The choices where the subset takes them; false: they are none. */
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
        surety__strict_say(
            strict, SURETY_STRICT_IMPOSSIBLE,
            keyword.doc ? keyword : node->origin,
            "describe them by properties and items, or list scalar values",
            "%s does not take arrays and objects in \"enum\" and \"const\"",
            strict->subset->title);
    if (!surety_val_get(node->origin, "type").doc && !(traits & SUBSET_ANY))
        surety__strict_say(strict, SURETY_STRICT_REWRITTEN, node->origin,
                           "the types of the values are sent; declare the type",
                           "%s wants a type beside \"enum\" and \"const\"",
                           strict->subset->title);
    if (node->constant && !(traits & SUBSET_CONST)) {
        node->constant = false;
        surety__strict_say(strict, SURETY_STRICT_REWRITTEN,
                           keyword.doc ? keyword : node->origin,
                           "sent as an enum of one value",
                           "%s does not take \"const\"", strict->subset->title);
    }
}

/* An enum of booleans and null where only strings and numbers can be listed. */
static void node_drop_choices(surety_strict *strict, surety__node *node)
{
    surety_buf words;

    if (!(strict->subset->traits & SUBSET_ENUM_SCALAR) || !node->choice_count ||
        node->types & (TYPE_STRING | TYPE_NUMBERS))
        return;
    if (node->types & TYPE_BOOLEAN) {
        surety_buf_init(&words, strict->alloc, 0);
        surety_buf_add(&words, node->description);
        if (words.len)
            surety_buf_byte(&words, ' ');
        surety_buf_text(&words, "One of:");
        for (uint32_t i = 0; i < node->choice_count; i++) {
            surety_buf_byte(&words, ' ');
            surety_val_write(node->choices[i], SURETY_STYLE_COMPACT, &words);
        }
        node->description = surety__strict_text(strict, surety_buf_str(&words));
        surety_buf_done(&words);
        surety__strict_say(strict, SURETY_STRICT_REWRITTEN, node->origin,
                           "told in the description; the contract still "
                           "enforces it",
                           "%s takes only strings and numbers in \"enum\"",
                           strict->subset->title);
    }
    node->choice_count = 0;
    node->constant = false;
}

static void node_make(surety_strict *strict, surety__node *node)
{
    surety__facts facts;
    bool chosen;

    if (node->is_made)
        return;
    node->is_made = true;
    if (node->part_count)
        node->origin = node->parts[0].shape->at;
    if (!surety__facts_gather(strict, node, &facts))
        return;
    node->types = (uint8_t)facts.types;
    chosen = surety__facts_choices(strict, &facts, node);
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
    if (!facts.typed && !facts.speaks && node->mask == TYPE_ANY) {
        node_any(strict, node, &facts);
        return;
    }
    node_infer(strict, node, &facts);
    if (!(strict->subset->traits & SUBSET_ENUM_ALL && chosen) &&
        node_split(strict, node, &facts))
        return;
    if (node->types & TYPE_OBJECT && !chosen)
        surety__node_object(strict, node, &facts);
    if (node->types & TYPE_ARRAY && !chosen)
        surety__node_array(strict, node, &facts);
    surety__node_keywords(strict, node, &facts);
    node_drop_choices(strict, node);
}

/* ---- what nodes make of each other ----------------------------------------
 */

static bool settle_branches(surety_strict *strict, surety__node *node)
{
    uint32_t count = 0;
    bool changed = false;

    for (uint32_t i = 0; i < node->branch_count; i++) {
        const surety__link link = node->branches[i];
        if (link.node->form == NODE_NEVER)
            continue;
        node->branches[count++] = link;
        if (link.node->form == NODE_TEXT) {
            surety__strict_say(strict, SURETY_STRICT_REWRITTEN, node->origin,
                               "the whole value is asked for as JSON in a "
                               "string",
                               "a branch allows any value");
            node->form = NODE_TEXT;
            return true;
        }
        if (link.node->has_null && !node->has_null)
            changed = node->has_null = true;
    }
    changed |= count != node->branch_count;
    node->branch_count = count;
    if (count == 0) {
        node->form = NODE_NEVER;
        changed = true;
    }
    return changed;
}

static bool settle_fields(surety__node *node)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < node->field_count; i++) {
        if (node->fields[i].link.node->form != NODE_NEVER) {
            node->fields[count++] = node->fields[i];
        } else if (node->fields[i].required) {
            node->form = NODE_NEVER;
            return true;
        } else if (node->tuple_object) {
            node->others_how = OTHERS_NONE;
            node->others = node->items = (surety__link){NULL, false};
            break;
        }
    }
    if (count == node->field_count)
        return false;
    node->field_count = count;
    return true;
}

static bool settle_node(surety_strict *strict, surety__node *node)
{
    bool changed = false;

    if (node->form == NODE_UNION)
        return settle_branches(strict, node);
    if (node->form != NODE_VALUE)
        return false;
    if (node->types & TYPE_NULL && !node->has_null)
        changed = node->has_null = true;
    if (node->others.node && node->others.node->form == NODE_NEVER) {
        node->others = (surety__link){NULL, false};
        node->others_how = OTHERS_NONE;
        changed = true;
    }
    if (node->items.node && node->items.node->form == NODE_NEVER) {
        node->items = (surety__link){NULL, false};
        node->items_closed = true;
        changed = true;
    }
    return settle_fields(node) || changed;
}

/* ---- fields by name --------------------------------------------------------
 */

static void node_index(surety_strict *strict, surety__node *node)
{
    uint32_t size = 4;

    while (size < node->field_count * 2)
        size *= 2;
    node->table = surety__strict_take(strict, size * sizeof(*node->table));
    node->table_mask = size - 1;
    for (uint32_t i = 0; i < node->field_count && node->table; i++) {
        const surety_str sent = node->fields[i].sent;
        uint32_t at = surety__hash(sent.ptr, sent.len) & node->table_mask;
        while (node->table[at])
            at = (at + 1) & node->table_mask;
        node->table[at] = i + 1;
    }
}

const surety__field *surety__node_field(const surety__node *node,
                                        surety_str sent)
{
    uint32_t at;

    if (!node->table)
        return NULL;
    at = surety__hash(sent.ptr, sent.len) & node->table_mask;
    for (; node->table[at]; at = (at + 1) & node->table_mask)
        if (surety_str_equal(node->fields[node->table[at] - 1].sent, sent))
            return &node->fields[node->table[at] - 1];
    return NULL;
}

surety_status surety__node_make_all(surety_strict *strict)
{
    bool changed = true;

    for (size_t i = 0; i < strict->node_count && strict->status == SURETY_OK;
         i++)
        node_make(strict, strict->nodes[i]);
    while (changed && strict->status == SURETY_OK) {
        changed = false;
        for (size_t i = strict->node_count; i-- > 0;)
            changed |= settle_node(strict, strict->nodes[i]);
    }
    if (strict->subset->traits & SUBSET_ALL_REQUIRED)
        for (size_t i = 0; i < strict->node_count; i++)
            for (uint32_t j = 0; j < strict->nodes[i]->field_count; j++) {
                surety__field *field = &strict->nodes[i]->fields[j];
                field->nulled = !field->required && !field->link.node->has_null;
            }
    for (size_t i = 0; i < strict->node_count && strict->status == SURETY_OK;
         i++)
        if (strict->nodes[i]->field_count)
            node_index(strict, strict->nodes[i]);
    return strict->status;
}
