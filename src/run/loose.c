/* SPDX-License-Identifier: Apache-2.0 */
/* What surely holds of a structured value as its provider delivers it, as a
 * contract that it can be checked against while it comes.
 *
 * A value that was made for a rewritten schema (strict.h) is checked by the
 * contract only after it was made one of the contract's again: until then
 * nulls stand where nothing will, lists where objects will. So a violation that
 * is seen on the way counts only if it will be there afterwards. The one rule:
 * contract and sent schema are walked side by side, and where both have the
 * same types and names a value is changed by nothing but the loss of nulls that
 * stand for absent members. There the contract's rules about single values are
 * taken over, every member that may be absent may be null, and nothing is taken
 * that the loss of a null could mend. Wherever the two differ everything goes.
 *
 * No rule of the result refers to another; it is as deep as LOOSE_DEPTH and as
 * large as LOOSE_SCHEMAS, and beyond that everything goes, too. */
#include "run/run.h"

enum {
    LOOSE_DEPTH = 48,
    LOOSE_SCHEMAS = 4000,
    LOOSE_REFERENCES = 16 /* one behind the other */
};

/* A schema, or (without one) the end of a container, or a name before one. */
typedef struct loose_task {
    surety_val given, sent;
    surety_val name; /* the key of a member */
    uint32_t depth;
    bool closes, nullable;
} loose_task;

typedef struct loose_state {
    surety__store *store;
    surety_doc *out;
    surety_val given, sent; /* the roots */
    loose_task *tasks;
    size_t count, cap;
    size_t schemas;
} loose_state;

static void loose_push(loose_state *state, loose_task task)
{
    void *items = state->tasks;

    if (surety__grow(state->store->alloc, &items, &state->cap, state->count + 1,
                     sizeof(task), SIZE_MAX / sizeof(task)) != SURETY_OK) {
        state->store->status = SURETY_NOMEM;
        return;
    }
    state->tasks = items;
    state->tasks[state->count++] = task;
}

/* Where the references of a schema lead; SURETY_NONE: not within the document.
 * Keywords beside a reference are passed over. */
static surety_val loose_resolve(surety_val root, surety_val schema)
{
    for (int i = 0; i < LOOSE_REFERENCES; i++) {
        const surety_val target = surety_val_get(schema, "$ref");
        surety_str pointer = surety_val_str(target);

        if (!target.doc)
            return schema;
        if (!pointer.len || pointer.ptr[0] != '#' ||
            surety__str_find(pointer, SURETY__LITERAL("%")) < pointer.len)
            break;
        pointer.ptr++;
        pointer.len--;
        schema = surety_val_at(root, pointer);
    }
    return surety_val_none();
}

enum {
    LOOSE_STRING = 1,
    LOOSE_INTEGER = 2,
    LOOSE_FRACTION = 4,
    LOOSE_BOOLEAN = 8,
    LOOSE_OBJECT = 16,
    LOOSE_ARRAY = 32,
    LOOSE_HOLDS = LOOSE_OBJECT | LOOSE_ARRAY
};

static unsigned loose_type(surety_val name)
{
    static const struct {
        const char *name;
        unsigned bits;
    } rows[] = {{"string", LOOSE_STRING},
                {"integer", LOOSE_INTEGER},
                {"number", LOOSE_INTEGER | LOOSE_FRACTION},
                {"boolean", LOOSE_BOOLEAN},
                {"object", LOOSE_OBJECT},
                {"array", LOOSE_ARRAY}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (surety_val_is(name, rows[i].name))
            return rows[i].bits;
    return 0;
}

/* The types that a schema lists, without null; 0: it lists none. */
static unsigned loose_types(surety_val schema)
{
    const surety_val type = surety_val_get(schema, "type");
    unsigned bits = loose_type(type);

    for (surety_val name = surety_val_first(type); name.doc;
         name = surety_val_next(type, name))
        bits |= loose_type(name);
    return bits;
}

/* What a schema is but for null, where it is a union with null alone. */
static surety_val loose_without_null(const loose_state *state,
                                     surety_val schema)
{
    const surety_val union_of = surety_val_get(schema, "anyOf");
    const surety_val first = surety_val_first(union_of);

    if (surety_val_kind(union_of) != SURETY_KIND_ARRAY ||
        surety_val_count(union_of) != 2 ||
        !surety_val_is(surety_val_get(surety_val_next(union_of, first), "type"),
                       "null"))
        return schema;
    return loose_resolve(state->sent, first);
}

static bool loose_lists(surety_val names, surety_str name)
{
    for (surety_val item = surety_val_first(names); item.doc;
         item = surety_val_next(names, item))
        if (surety_str_equal(surety_val_str(item), name))
            return true;
    return false;
}

/* Whether every name of one object is one of the other's. */
static bool loose_within(surety_val object, surety_val other)
{
    for (surety_val member = surety_val_first(object); member.doc;
         member = surety_val_next(object, member))
        if (!surety_val_member(other, surety_val_str(surety_val_key(member)))
                 .doc)
            return false;
    return true;
}

/* Whether the loss of nulls is all that happens to values of this schema, but
 * for what they hold. */
static bool loose_same(surety_val given, surety_val sent, bool root)
{
    const unsigned types = loose_types(given);

    return types && types == loose_types(sent) &&
           (root || !surety_val_get(given, "$id").doc) &&
           !surety_val_get(sent, "anyOf").doc &&
           (!(types & LOOSE_OBJECT) ||
            loose_within(surety_val_get(sent, "properties"),
                         surety_val_get(given, "properties")));
}

/* Whether the schema's values are compared whole and hold no members. */
static bool loose_is_plain(surety_val values)
{
    bool plain = surety_val_kind(values) != SURETY_KIND_OBJECT;

    for (surety_val item = surety_val_first(values); plain && item.doc;
         item = surety_val_next(values, item))
        plain = surety_val_count(item) == 0 &&
                surety_val_kind(item) != SURETY_KIND_OBJECT;
    return plain;
}

/* The rules about single values, which no loss of a null mends. */
static void loose_rules(loose_state *state, surety_val given)
{
    static const char *const names[] = {
        "type",       "minimum",   "maximum",  "exclusiveMinimum",
        "pattern",    "minLength", "minItems", "exclusiveMaximum",
        "format",     "maxLength", "maxItems", "minProperties",
        "multipleOf", "required"};
    const surety_val choices = surety_val_get(given, "enum");
    const surety_val constant = surety_val_get(given, "const");

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const surety_val rule = surety_val_get(given, names[i]);

        if (!rule.doc)
            continue;
        surety_build_name(state->out, names[i]);
        surety_build_val(state->out, rule);
    }
    if (choices.doc && loose_is_plain(choices)) {
        surety_build_name(state->out, "enum");
        surety_build_val(state->out, choices);
    }
    if (constant.doc && surety_val_kind(constant) < SURETY_KIND_ARRAY) {
        surety_build_name(state->out, "const");
        surety_build_val(state->out, constant);
    }
}

/* The members of an object, as tasks; the last that is pushed is done first. */
static void loose_members(loose_state *state, const loose_task *task)
{
    const surety_val given = surety_val_get(task->given, "properties");
    const surety_val sent = surety_val_get(task->sent, "properties");
    const surety_val required = surety_val_get(task->given, "required");
    const surety_val others =
        surety_val_get(task->given, "additionalProperties");

    if (surety_val_kind(others) == SURETY_KIND_BOOLEAN &&
        !surety_val_bool(others, true) &&
        !surety_val_get(task->given, "patternProperties").doc) {
        surety_build_name(state->out, "additionalProperties");
        surety_build_bool(state->out, false);
    }
    if (surety_val_kind(given) != SURETY_KIND_OBJECT)
        return;
    surety_build_name(state->out, "properties");
    surety_build_object(state->out);
    loose_push(state, (loose_task){.closes = true});
    for (surety_val member = surety_val_first(given); member.doc;
         member = surety_val_next(given, member)) {
        const surety_val key = surety_val_key(member);

        loose_push(
            state,
            (loose_task){.name = key,
                         .given = member,
                         .sent = surety_val_member(sent, surety_val_str(key)),
                         .depth = task->depth + 1,
                         .nullable =
                             !loose_lists(required, surety_val_str(key))});
    }
}

/* The items of an array; tuples are left alone. */
static void loose_items(loose_state *state, const loose_task *task)
{
    const surety_val given = surety_val_get(task->given, "items");

    if (surety_val_kind(given) != SURETY_KIND_OBJECT ||
        surety_val_get(task->given, "prefixItems").doc)
        return;
    surety_build_name(state->out, "items");
    loose_push(state, (loose_task){.given = given,
                                   .sent = surety_val_get(task->sent, "items"),
                                   .depth = task->depth + 1});
}

/* One schema. What is nullable is a union with null. */
static void loose_schema(loose_state *state, loose_task task)
{
    if (task.name.doc)
        surety_build_key(state->out, surety_val_str(task.name));
    task.given = loose_resolve(state->given, task.given);
    task.sent =
        loose_without_null(state, loose_resolve(state->sent, task.sent));
    if (task.depth > LOOSE_DEPTH || ++state->schemas > LOOSE_SCHEMAS ||
        !loose_same(task.given, task.sent, !task.depth)) {
        surety_build_bool(state->out, true);
        return;
    }
    surety_build_object(state->out);
    if (task.nullable) {
        surety_build_name(state->out, "anyOf");
        surety_build_array(state->out);
        surety_build_object(state->out);
        surety_build_name(state->out, "type");
        surety_build_text(state->out, "null");
        surety_build_close(state->out);
        surety_build_object(state->out);
        loose_push(state, (loose_task){.closes = true});
        loose_push(state, (loose_task){.closes = true});
    } else if (!task.depth && surety_val_get(task.given, "$schema").doc) {
        surety_build_name(state->out, "$schema");
        surety_build_val(state->out, surety_val_get(task.given, "$schema"));
    }
    loose_push(state, (loose_task){.closes = true});
    loose_rules(state, task.given);
    /* Of a schema for both, what they hold is left alone. */
    if ((loose_types(task.given) & LOOSE_HOLDS) == LOOSE_ARRAY)
        loose_items(state, &task);
    else if ((loose_types(task.given) & LOOSE_HOLDS) == LOOSE_OBJECT)
        loose_members(state, &task);
}

/* Writes the schema to the store's text; false: out of memory, or it is too
 * large. */
static bool loose_write(surety__store *store, surety_val given,
                        const surety__bound *bound, surety_doc *doc)
{
    loose_state state = {
        .store = store,
        .out = doc,
        .given = given,
        .sent = surety_strict_schema(bound->strict),
    };
    surety_status status;

    surety_build_begin(doc, NULL);
    loose_push(&state, (loose_task){.given = state.given, .sent = state.sent});
    while (state.count && store->status == SURETY_OK) {
        const loose_task task = state.tasks[--state.count];

        if (task.closes)
            surety_build_close(doc);
        else
            loose_schema(&state, task);
    }
    surety__free(store->alloc, state.tasks, state.cap * sizeof(*state.tasks));
    status = surety_build_end(doc, NULL);
    if (status == SURETY_OK)
        status = surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT,
                                  &store->text);
    if (status == SURETY_NOMEM)
        store->status = SURETY_NOMEM;
    return status == SURETY_OK && store->status == SURETY_OK;
}

const surety_contract *surety__loose_contract(surety__store *store,
                                              const surety__setup *setup,
                                              surety__bound *bound)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .limits = setup->options.limits,
                                             .alloc = store->alloc};
    surety_doc *doc;

    if (bound->loosened)
        return bound->loose;
    bound->loosened = true;
    doc = surety_doc_new(store->alloc);
    if (!doc)
        store->status = SURETY_NOMEM;
    else if (loose_write(store,
                         surety_contract_info_of(setup->options.contract)->root,
                         bound, doc) &&
             surety_contract_read(surety_buf_str(&store->text), &options,
                                  &bound->loose, NULL) == SURETY_NOMEM)
        store->status = SURETY_NOMEM;
    surety_buf_reset(&store->text);
    surety_doc_free(doc);
    return bound->loose;
}
