/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the nodes as a schema document. The work is on a stack of tasks, the
 * next one on top: a node writes its own keywords and pushes tasks for its
 * children. The figures for the limits are counted here, because a provider
 * counts what it is sent. */
#include "strict/plan.h"

enum { STEP_LIST = STEP_OWN, STEP_PAIR_END, STEP_NULL_SCHEMA, STEP_TRUE };

struct write_state {
    surety_strict *strict;
    surety_doc *doc;
    surety__plan plan;
    size_t written;
    surety__figures figures;
};

/* A step that writes the schema of a node. */
static surety__plan_step write_link(surety__link link, bool nullable,
                                    uint32_t depth)
{
    assert(link.node);
    return (surety__plan_step){
        .node = link.node, .nullable = nullable, .depth = depth};
}

static void write_named(surety_doc *doc, const char *name, surety_str text)
{
    surety_build_name(doc, name);
    surety_build_str(doc, text);
}

void surety__strict_write_type(surety_doc *doc, const char *type)
{
    surety_build_object(doc);
    write_named(doc, "type", surety_str_of(type));
    surety_build_close(doc);
}

/* Writes the schema of an object that has only the properties to come. */
static void write_exact(surety_doc *doc)
{
    write_named(doc, "type", SURETY__LITERAL("object"));
    surety_build_name(doc, "properties");
    surety_build_object(doc);
}

static void write_closed(surety_doc *doc)
{
    surety_build_name(doc, "additionalProperties");
    surety_build_bool(doc, false);
}

/* The same after these properties, all of which are required. */
static void write_exact_end(surety_doc *doc, const surety_str *names,
                            size_t count)
{
    surety_build_close(doc);
    surety_build_name(doc, "required");
    surety_build_array(doc);
    for (size_t i = 0; i < count; i++)
        surety_build_str(doc, names[i]);
    surety_build_close(doc);
    write_closed(doc);
}

/* ---- one node ------------------------------------------------------------ */

static const struct {
    uint8_t bit;
    const char *name;
} write_types[] = {{TYPE_STRING, "string"},   {TYPE_NUMBER, "number"},
                   {TYPE_INTEGER, "integer"}, {TYPE_BOOLEAN, "boolean"},
                   {TYPE_OBJECT, "object"},   {TYPE_ARRAY, "array"},
                   {TYPE_NULL, "null"}};

static void write_type(struct write_state *state, const surety__node *node,
                       unsigned types)
{
    const surety_val given = surety_val_get(node->origin, "type");
    unsigned names =
        types & TYPE_NUMBER ? types & ~(unsigned)TYPE_INTEGER : types;
    const bool single = (names & (names - 1)) == 0;

    if (!given.doc && node->choice_count &&
        state->strict->subset->traits & SUBSET_ANY)
        return;
    if (!single)
        state->figures.unions++;
    surety_build_name(state->doc, "type");
    if (given.doc && node->conjunction->all.items[0].shape->types == types) {
        surety_build_val(state->doc, given);
        return;
    }
    if (!single)
        surety_build_array(state->doc);
    for (size_t i = 0; i < SURETY__COUNT(write_types); i++)
        if (names & write_types[i].bit)
            surety_build_str(state->doc, surety_str_of(write_types[i].name));
    if (!single)
        surety_build_close(state->doc);
}

static void write_about(struct write_state *state, const surety__node *node,
                        const char *more)
{
    surety_buf text;

    if (node->title.len)
        write_named(state->doc, "title", node->title);
    if (!node->description.len && !*more)
        return;
    surety_buf_init(&text, state->strict->alloc, 0);
    surety_buf_add(&text, node->description);
    if (text.len && *more)
        surety_buf_byte(&text, ' ');
    surety_buf_text(&text, more);
    write_named(state->doc, "description", surety_buf_str(&text));
    surety__buf_end(&text, &state->plan.status);
}

static void write_keywords(struct write_state *state, const surety__node *node)
{
    for (uint32_t i = 0; i < node->keyword_count; i++) {
        surety_build_key_of(state->doc, surety_val_key(node->keywords[i]));
        surety_build_val(state->doc, node->keywords[i]);
    }
}

static void write_choices(struct write_state *state, const surety__node *node,
                          bool nullable)
{
    uint64_t text = 0;

    assert(node->choice_count > 0);
    for (uint32_t i = 0; i < node->choice_count; i++)
        text += surety_val_str(node->choices[i]).len;
    state->figures.text += text;
    if (node->constant && !nullable) {
        surety_build_name(state->doc, "const");
        surety_build_val(state->doc, node->choices[0]);
        return;
    }
    state->figures.choices += node->choice_count;
    if (text > state->figures.many_text &&
        node->choice_count > state->strict->subset->enum_many) {
        state->figures.many_text = text;
        state->figures.many_choices = node->choice_count;
    }
    surety_build_name(state->doc, "enum");
    surety_build_array(state->doc);
    for (uint32_t i = 0; i < node->choice_count; i++)
        if (!(state->strict->subset->traits & SUBSET_ENUM_SCALAR) ||
            surety_val_kind(node->choices[i]) != SURETY_KIND_NULL)
            surety_build_val(state->doc, node->choices[i]);
    if (nullable)
        surety_build_null(state->doc);
    surety_build_close(state->doc);
}

/* ---- objects and arrays -------------------------------------------------- */

static void write_deeper(struct write_state *state, uint32_t depth)
{
    if (depth > state->figures.nesting)
        state->figures.nesting = depth;
}

static const surety_str write_pair_names[] = {
    {PAIR_KEY, sizeof(PAIR_KEY) - 1}, {PAIR_VALUE, sizeof(PAIR_VALUE) - 1}};

/* Writes the schema of a list: of the items of a tuple, or of key and value. */
static void write_list(struct write_state *state, const surety__plan_step *step)
{
    surety_doc *doc = state->doc;
    surety__plan_step item = *step;

    item.kind = STEP_VALUE;
    surety_build_object(doc);
    write_named(doc, "type", SURETY__LITERAL("array"));
    if (step->nullable) {
        item.nullable = false;
        surety__plan_member(&state->plan, SURETY__LITERAL("items"), item);
    } else {
        write_named(doc, "description",
                    SURETY__LITERAL("Members of any name, each as its key and "
                                    "its value."));
        surety_build_name(doc, "items");
        surety_build_object(doc);
        write_exact(doc);
        surety_build_key(doc, write_pair_names[0]);
        surety__strict_write_type(doc, "string");
        item.depth++;
        surety__plan_member(&state->plan, write_pair_names[1], item);
        surety__plan_mark(&state->plan, STEP_PAIR_END);
        state->figures.properties += 2;
        write_deeper(state, item.depth);
    }
    surety__plan_mark(&state->plan, STEP_CLOSE);
}

/* Writes the names that an object requires. */
static void write_required(struct write_state *state,
                           const surety__object_form *object)
{
    const bool all = state->strict->subset->traits & SUBSET_ALL_REQUIRED;
    const bool beside = object->others_how == OTHERS_BESIDE;
    bool any = all || beside;

    for (uint32_t i = 0; i < object->field_count; i++) {
        any |= object->fields[i].required;
        state->figures.optional += !all && !object->fields[i].required;
    }
    if (!any)
        return;
    surety_build_name(state->doc, "required");
    surety_build_array(state->doc);
    for (uint32_t i = 0; i < object->field_count; i++)
        if (all || object->fields[i].required)
            surety_build_str(state->doc, object->fields[i].sent);
    if (beside)
        surety_build_str(state->doc, object->beside);
    surety_build_close(state->doc);
}

/* Writes an object's keywords, and plans its properties. */
static void write_object(struct write_state *state, const surety__node *node,
                         uint32_t depth)
{
    const surety__object_form *object = &node->object;
    const bool beside = object->others_how == OTHERS_BESIDE;
    surety__plan *plan = &state->plan;

    state->figures.text += object->beside.len;
    state->figures.properties += object->field_count + beside;
    write_deeper(state, depth + 1);
    write_required(state, object);
    if (object->others_how == OTHERS_NONE || beside)
        write_closed(state->doc);
    else if (object->others_how == OTHERS_SCHEMA)
        surety__plan_member(plan, SURETY__LITERAL("additionalProperties"),
                            object->others.node
                                ? write_link(object->others, false, depth + 1)
                                : (surety__plan_step){.kind = STEP_TRUE});
    if (!object->field_count && !beside &&
        !(state->strict->subset->traits & SUBSET_CLOSED))
        return;
    surety__plan_member(plan, SURETY__LITERAL("properties"),
                        (surety__plan_step){.kind = STEP_OBJECT});
    for (uint32_t i = 0; i < object->field_count; i++) {
        const surety__sent_member *field = &object->fields[i];

        state->figures.text += field->sent.len;
        surety__plan_member(plan, field->sent,
                            write_link(field->link, field->nulled, depth + 1));
    }
    if (beside) {
        const bool tuple = node->array.as_object;
        surety__plan_step list = write_link(
            tuple ? node->array.items : object->others, tuple, depth + 1);

        list.kind = STEP_LIST;
        surety__plan_member(plan, object->beside, list);
    }
    surety__plan_mark(plan, STEP_CLOSE);
}

static void write_array(struct write_state *state,
                        const surety__array_form *array, uint32_t depth)
{
    if (array->prefix_count) {
        surety__plan_member(&state->plan, SURETY__LITERAL("prefixItems"),
                            (surety__plan_step){.kind = STEP_ARRAY});
        for (uint32_t i = 0; i < array->prefix_count; i++)
            surety__plan_add(&state->plan,
                             write_link(array->prefix[i], false, depth));
        surety__plan_mark(&state->plan, STEP_CLOSE);
    } else if (array->items.node) {
        surety__plan_member(&state->plan, SURETY__LITERAL("items"),
                            write_link(array->items, false, depth));
    } else if (array->closed) {
        surety_build_name(state->doc, "items");
        surety__strict_write_type(state->doc, "string");
    }
}

static void write_typed(struct write_state *state, const surety__node *node,
                        bool nullable, uint32_t depth)
{
    unsigned types = node->types | (nullable ? TYPE_NULL : 0u);

    if (node->array.as_object)
        types = (types & ~(unsigned)TYPE_ARRAY) | TYPE_OBJECT;
    write_type(state, node, types);
    write_about(state, node,
                node->array.closed && !node->array.prefix_count &&
                        node->types & TYPE_ARRAY && !node->choice_count
                    ? "Always empty."
                    : "");
    write_keywords(state, node);
    if (node->choice_count)
        write_choices(state, node, nullable);
    else if (types & TYPE_OBJECT && node->types != TYPE_ANY)
        write_object(state, node, depth);
    else if (types & TYPE_ARRAY && node->types != TYPE_ANY)
        write_array(state, &node->array, depth);
}

static void write_union(struct write_state *state, const surety__node *node,
                        bool nullable, uint32_t depth)
{
    state->figures.unions++;
    write_about(state, node, "");
    write_keywords(state, node);
    surety_build_name(state->doc,
                      node->one_of && !nullable ? "oneOf" : "anyOf");
    surety_build_array(state->doc);
    for (uint32_t i = 0; i < node->branch_count; i++)
        surety__plan_add(&state->plan,
                         write_link(node->branches[i], false, depth));
    if (nullable)
        surety__plan_mark(&state->plan, STEP_NULL_SCHEMA);
    surety__plan_mark(&state->plan, STEP_CLOSE);
}

static void write_reference(struct write_state *state, const surety__node *node,
                            bool nullable)
{
    surety_doc *doc = state->doc;
    surety_buf text;

    surety_buf_init(&text, state->strict->alloc, 0);
    surety_buf_text(&text, node->name.len ? "#/$defs/" : "#");
    surety_buf_add(&text, node->name);
    if (nullable) {
        state->figures.unions++;
        surety_build_object(doc);
        surety_build_name(doc, "anyOf");
        surety_build_array(doc);
    }
    surety_build_object(doc);
    write_named(doc, "$ref", surety_buf_str(&text));
    surety_build_close(doc);
    if (nullable) {
        surety__strict_write_type(doc, "null");
        surety_build_close(doc);
        surety_build_close(doc);
    }
    surety__buf_end(&text, &state->plan.status);
}

/* Writes the schema of a node in place. Its object stays open, for the steps
 * that it plans. */
static void write_body(struct write_state *state, const surety__node *node,
                       bool nullable, uint32_t depth)
{
    if (++state->written > STRICT_WRITTEN_MAX)
        state->plan.status = SURETY_LIMIT;
    surety_build_object(state->doc);
    if (node->form == NODE_UNION)
        write_union(state, node, nullable, depth);
    else
        write_typed(state, node, nullable, depth);
}

/* Skips unions that have a single branch and no keywords of their own. */
static const surety__node *write_behind(const surety__node *node)
{
    for (unsigned i = 0; i < 64; i++) {
        if (node->form != NODE_UNION || node->branch_count != 1 ||
            node->needs_name || node->title.len || node->description.len ||
            node->keyword_count)
            break;
        node = node->branches[0].node;
    }
    return node;
}

/* Does what is planned. */
static void write_run(struct write_state *state)
{
    surety__plan_step step;

    while (surety__plan_next(&state->plan, &step))
        switch (step.kind) {
        case STEP_LIST: write_list(state, &step); break;
        case STEP_PAIR_END:
            write_exact_end(state->doc, write_pair_names, 2);
            surety_build_close(state->doc);
            break;
        case STEP_NULL_SCHEMA:
            surety__strict_write_type(state->doc, "null");
            break;
        case STEP_TRUE: surety_build_bool(state->doc, true); break;
        default:
            assert(step.kind == STEP_VALUE);
            step.node = write_behind(step.node);
            if (step.node->needs_name) {
                write_reference(state, step.node, step.nullable);
            } else {
                write_body(state, step.node, step.nullable, step.depth);
                surety__plan_mark(&state->plan, STEP_CLOSE);
            }
        }
}

/* ---- names of definitions ------------------------------------------------ */

/* Appends the wanted name: the last token of the definition's location, in
 * characters that all providers accept. */
static void write_wish(surety__pointer_walk *walk, const surety__node *node,
                       surety_buf *out)
{
    surety_buf pointer;

    if (!node->origin.doc) {
        surety_buf_text(out, "any_value");
        return;
    }
    surety_buf_init(&pointer, out->alloc, 0);
    surety__pointer_walk_to(walk, node->origin, &pointer);
    surety__strict_plain(
        out, surety__pointer_last(surety_buf_str(&pointer), NULL), 50, "");
    if (out->len == 0)
        surety_buf_text(out, "root");
    surety__buf_end(&pointer, &out->status);
}

static void write_names(surety_strict *strict)
{
    surety__map taken = {NULL, 0, 0};
    surety__pointer_walk walk = {.doc = NULL};
    surety_buf name;

    surety_buf_init(&name, strict->alloc, 0);
    for (size_t i = 0; i < strict->node_count; i++) {
        surety__node *node = strict->nodes[i];
        size_t len;
        if (!node->needs_name || !node->seen ||
            (node == strict->root && !strict->wrapped))
            continue;
        surety_buf_reset(&name);
        write_wish(&walk, node, &name);
        len = name.len;
        for (unsigned n = 2;
             surety__map_get(&taken, surety__hash(name.ptr, name.len) + 1ull) &&
             name.status == SURETY_OK;
             n++) {
            name.len = len;
            surety__buf_printf(&name, "_%u", n);
        }
        node->name = surety__arena_text(&strict->arena, surety_buf_str(&name));
        if (name.status != SURETY_OK ||
            !surety__map_put(&taken, strict->alloc,
                             surety__hash(name.ptr, name.len) + 1ull, node))
            strict->status = SURETY_NOMEM;
        if (strict->status != SURETY_OK)
            break;
    }
    surety__map_done(&taken, strict->alloc);
    surety_buf_done(&name);
}

/* Writes the definitions into the root's open object. */
static void write_defs(struct write_state *state)
{
    surety_strict *strict = state->strict;
    bool any = false;

    for (size_t i = 0; i < strict->node_count; i++) {
        surety__node *node = strict->nodes[i];
        if (!node->name.len || (node == strict->root && !strict->wrapped))
            continue;
        if (!any) {
            surety_build_name(state->doc, "$defs");
            surety_build_object(state->doc);
        }
        any = true;
        state->figures.text += node->name.len;
        surety_build_key(state->doc, node->name);
        assert(state->plan.count == 0 || state->plan.status != SURETY_OK);
        write_body(state, node, false, 0);
        surety__plan_mark(&state->plan, STEP_CLOSE);
        write_run(state);
    }
    if (any)
        surety_build_close(state->doc);
}

static void write_root(struct write_state *state)
{
    surety_strict *strict = state->strict;

    if (strict->wrapped) {
        surety_build_object(state->doc);
        write_exact(state->doc);
        surety__plan_member(
            &state->plan, strict->wrap,
            write_link((surety__link){strict->root, false}, false, 1));
        write_run(state);
        write_exact_end(state->doc, &strict->wrap, 1);
        state->figures.properties++;
    } else {
        write_body(state, strict->root, false, 0);
        write_run(state);
    }
    write_defs(state);
    surety_build_close(state->doc);
}

surety_status surety__strict_write(surety_strict *strict, surety_error *reterr)
{
    struct write_state state = {.strict = strict};
    surety_status status;

    write_names(strict);
    strict->doc = surety_doc_new(strict->alloc);
    if (!strict->doc) {
        strict->status = SURETY_NOMEM;
        return surety__fail_nomem(reterr);
    }
    state.doc = strict->doc;
    state.plan = (surety__plan){.strict = strict, .out = strict->doc};
    surety_build_begin(state.doc,
                       surety_contract_info_of(strict->contract)->root.doc);
    if (strict->status == SURETY_OK)
        write_root(&state);
    surety__plan_done(&state.plan);
    status = surety_build_end(state.doc, reterr);
    if (strict->status == SURETY_OK)
        strict->status = state.plan.status ? state.plan.status : status;
    if (strict->status == SURETY_OK)
        surety__strict_limits(strict, &state.figures);
    return strict->status;
}
