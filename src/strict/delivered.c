/* SPDX-License-Identifier: Apache-2.0 */
/* A schema of what certainly holds for a value in its delivered form, to check
 * the value while it arrives.
 *
 * The contract judges a rewritten value only after it was restored. Before
 * that, nulls mean absent members, and lists replace objects. So a violation
 * that is found early counts only if it certainly exists after the restoring
 * too.
 *
 * Rules:
 * 1. If restoring only removes nulls from a node's values, the node has the
 *    types and names of its one subschema in the contract. The rules of that
 *    subschema about single values are copied, except those that removing a
 *    null could satisfy. Every member that may be absent may be null.
 * 2. Every other node accepts any value.
 * 3. The result has no references. It has at most DELIVERED_DEPTH levels and
 *    DELIVERED_SCHEMAS objects; beyond them any value is accepted. */
#include "strict/plan.h"

enum {
    DELIVERED_DEPTH = 48,
    DELIVERED_SCHEMAS = 4000,
    DELIVERED_HOLDS = TYPE_OBJECT | TYPE_ARRAY
};

struct delivered_state {
    surety__plan plan;
    size_t schemas;
};

/* Whether all requested members are properties of the shape under the same
 * names. */
static bool delivered_names(const surety__node *node,
                            const surety__shape *shape)
{
    for (uint32_t i = 0; i < node->object.field_count; i++) {
        const surety__sent_member *field = &node->object.fields[i];
        const surety__property *property =
            shape->objects
                ? surety__objects_named(shape->objects, field->name,
                                        surety__name_hash(field->name))
                : NULL;

        if (!property || !property->shape ||
            !surety_str_equal(field->name, field->sent))
            return false;
    }
    return true;
}

/* The subschema of a node if restoring only removes nulls from its values;
 * NULL: it changes more, or the subschema has no types. */
static const surety__shape *delivered_shape(const surety_strict *strict,
                                            const surety__node *node)
{
    const surety__shape *root = strict->root->conjunction->all.items[0].shape;
    const surety__shape *shape;

    if (!node || node->form != NODE_VALUE || !node->conjunction ||
        node->conjunction->all.count != 1 || node->array.as_object ||
        node->object.others_how == OTHERS_BESIDE)
        return NULL;
    shape = node->conjunction->all.items[0].shape;
    return shape->resource == root->resource &&
                   surety_val_get(shape->at, "type").doc &&
                   ((shape->types ^ node->types) & ~(unsigned)TYPE_NULL) == 0 &&
                   delivered_names(node, shape)
               ? shape
               : NULL;
}

/* Whether the values of an enum contain no objects and no members. */
static bool delivered_is_plain(surety_val values)
{
    bool plain = surety_val_kind(values) != SURETY_KIND_OBJECT;

    for (surety_val item = surety_val_first(values); plain && item.doc;
         item = surety_val_next(values, item))
        plain = surety_val_count(item) == 0 &&
                surety_val_kind(item) != SURETY_KIND_OBJECT;
    return plain;
}

/* Writes the rules about single values, which removing a null cannot
 * satisfy. */
static void delivered_rules(surety_doc *out, surety_val given)
{
    static const char *const names[] = {
        "type",       "minimum",   "maximum",  "exclusiveMinimum",
        "pattern",    "minLength", "minItems", "exclusiveMaximum",
        "format",     "maxLength", "maxItems", "minProperties",
        "multipleOf", "required",  "enum",     "const"};

    for (size_t i = 0; i < SURETY__COUNT(names); i++) {
        const surety_val rule = surety_val_get(given, names[i]);

        if (!rule.doc ||
            (strcmp(names[i], "enum") == 0 && !delivered_is_plain(rule)) ||
            (strcmp(names[i], "const") == 0 &&
             surety_val_kind(rule) >= SURETY_KIND_ARRAY))
            continue;
        surety_build_name(out, names[i]);
        surety_build_val(out, rule);
    }
}

/* Writes the members of an object, the last one first. */
static void delivered_members(surety__plan *plan, const surety__plan_step *step,
                              const surety__objects *objects)
{
    if (objects->additional && objects->additional->never &&
        !objects->pattern_count) {
        surety_build_name(plan->out, "additionalProperties");
        surety_build_bool(plan->out, false);
    }
    surety__plan_member(plan, SURETY__LITERAL("properties"),
                        (surety__plan_step){.kind = STEP_OBJECT});
    for (uint32_t i = objects->property_count; i-- > 0;) {
        const surety__property *property = &objects->properties[i];
        const surety__sent_member *field =
            surety__object_member(&step->node->object, property->name);

        if (property->shape)
            surety__plan_member(
                plan, property->name,
                (surety__plan_step){.node = field ? field->link.node : NULL,
                                    .depth = step->depth + 1,
                                    .nullable = !property->required});
    }
    surety__plan_mark(plan, STEP_CLOSE);
}

/* Writes one schema; a nullable one becomes a union with null. */
static void delivered_schema(struct delivered_state *state,
                             const surety__plan_step *step)
{
    const surety__shape *shape =
        delivered_shape(state->plan.strict, step->node);
    surety_doc *out = state->plan.out;
    unsigned holds;

    assert(step->depth <= DELIVERED_DEPTH + 1);
    if (step->depth > DELIVERED_DEPTH || !shape ||
        ++state->schemas > DELIVERED_SCHEMAS) {
        surety_build_bool(out, true);
        return;
    }
    surety_build_object(out);
    if (step->nullable) {
        surety_build_name(out, "anyOf");
        surety_build_array(out);
        surety__strict_write_type(out, "null");
        surety_build_object(out);
    } else if (!step->depth && surety_val_get(shape->at, "$schema").doc) {
        surety_build_name(out, "$schema");
        surety_build_val(out, surety_val_get(shape->at, "$schema"));
    }
    delivered_rules(out, shape->at);
    /* Tuples, and what may be an object or an array, get no children. */
    holds = shape->types & DELIVERED_HOLDS;
    if (holds == TYPE_OBJECT && shape->objects)
        delivered_members(&state->plan, step, shape->objects);
    if (holds == TYPE_ARRAY && step->node->array.items.node &&
        !step->node->array.prefix_count)
        surety__plan_member(
            &state->plan, SURETY__LITERAL("items"),
            (surety__plan_step){.node = step->node->array.items.node,
                                .depth = step->depth + 1});
    for (unsigned open = step->nullable ? 3 : 1; open > 0; open--)
        surety__plan_mark(&state->plan, STEP_CLOSE);
}

/* Builds the schema in out. */
static surety_status delivered_build(const surety_strict *strict,
                                     surety_doc *out, surety_error *reterr)
{
    struct delivered_state state = {.plan = {.strict = strict, .out = out}};
    surety__plan_step step;
    surety_status status;

    surety_build_begin(out, NULL);
    surety__plan_add(
        &state.plan,
        (surety__plan_step){.node = strict->wrapped ? NULL : strict->root});
    while (surety__plan_next(&state.plan, &step))
        delivered_schema(&state, &step);
    surety__plan_done(&state.plan);
    status = surety_build_end(out, reterr);
    return state.plan.status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

/* The recipe: `from` is the strict schema. */
static surety_status delivered_make(const surety_contract *contract,
                                    const void *from, void **ret_made,
                                    surety_error *reterr)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .limits = &contract->limits,
                                             .alloc = contract->alloc};
    surety_doc *doc = surety_doc_new(contract->alloc);
    surety_contract *made = NULL;
    surety_buf text;
    surety_status status;

    surety_buf_init(&text, contract->alloc, 0);
    status =
        doc ? delivered_build(from, doc, reterr) : surety__fail_nomem(reterr);
    if (status == SURETY_OK &&
        surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, &text))
        status = surety__fail_nomem(reterr);
    if (status == SURETY_OK)
        status = surety_contract_read(surety_buf_str(&text), &options, &made,
                                      reterr);
    if (status == SURETY_OK)
        *ret_made = made;
    surety_buf_done(&text);
    surety_doc_free(doc);
    return status;
}

static void delivered_free(void *made)
{
    surety_contract_free(made);
}

surety_status surety_strict_delivered(const surety_strict *strict,
                                      const surety_contract **ret_contract,
                                      surety_error *reterr)
{
    const surety__recipe recipe = {delivered_make, delivered_free, strict};
    const void *made = strict ? strict->contract : NULL;
    surety_status status = SURETY_OK;

    if (!strict || !ret_contract)
        return surety__fail(
            reterr, SURETY_MISUSE,
            "a strict schema and an address for the contract are "
            "needed");
    if (strict->info.support != SURETY_STRICT_ACCEPTED)
        status = surety__form_of(strict->contract,
                                 CONTRACT_DELIVERED + strict->subset->id,
                                 &recipe, &made, reterr);
    if (status == SURETY_OK)
        *ret_contract = made;
    return status;
}
