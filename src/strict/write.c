/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the nodes as a schema document. The work is on a stack of tasks, the
 * next one on top: a node writes its own keywords and pushes tasks for its
 * children. The figures for the limits are counted here, because a provider
 * counts what it is sent. */
#include "strict/node.h"

#include <stdint.h>

enum write_kind {
    WRITE_NODE,
    WRITE_KEY,
    WRITE_OBJECT,
    WRITE_ARRAY,
    WRITE_CLOSE,
    WRITE_PAIRS_SEAL,
    WRITE_NULL_SCHEMA,
    WRITE_TRUE
};

struct write_task {
    enum write_kind kind;
    surety__link link; /* of NODE and ARRAY */
    bool nullable;
    uint32_t nesting;
    surety_str key;
};

struct write_state {
    surety_strict *strict;
    surety_doc *doc;
    struct write_task *tasks;
    size_t count, cap;
    size_t from; /* start of the tasks that are still in the order of the
                  * text */
    size_t written;
    surety__figures figures;
};

static void write_push(struct write_state *state, struct write_task task)
{
    surety_strict *strict = state->strict;

    if (strict->status == SURETY_OK)
        strict->status = surety__grow(strict->alloc, (void **)&state->tasks,
                                      &state->cap, state->count + 1,
                                      sizeof(task), STRICT_WRITTEN_MAX * 8);
    if (strict->status == SURETY_OK)
        state->tasks[state->count++] = task;
}

static void write_mark(struct write_state *state, enum write_kind kind)
{
    write_push(state, (struct write_task){.kind = kind});
}

static void write_named(struct write_state *state, surety_str key)
{
    write_push(state, (struct write_task){.kind = WRITE_KEY, .key = key});
}

static void write_link(struct write_state *state, surety__link link,
                       bool nullable, uint32_t nesting)
{
    write_push(state, (struct write_task){.kind = WRITE_NODE,
                                          .link = link,
                                          .nullable = nullable,
                                          .nesting = nesting});
}

/* Reverses the tasks pushed since `from`, so that the first is on top. */
static void write_turn(struct write_state *state)
{
    if (state->strict->status != SURETY_OK)
        return;
    for (size_t low = state->from, high = state->count; low + 1 < high; low++) {
        const struct write_task task = state->tasks[low];
        state->tasks[low] = state->tasks[--high];
        state->tasks[high] = task;
    }
}

void surety__strict_write_type(surety_doc *doc, const char *type)
{
    surety_build_object(doc);
    surety_build_name(doc, "type");
    surety_build_str(doc, surety_str_of(type));
    surety_build_close(doc);
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
    for (size_t i = 0; i < sizeof(write_types) / sizeof(*write_types); i++)
        if (names & write_types[i].bit)
            surety_build_str(state->doc, surety_str_of(write_types[i].name));
    if (!single)
        surety_build_close(state->doc);
}

static void write_told(struct write_state *state, const surety__node *node,
                       const char *more)
{
    surety_buf text;

    if (node->title.len) {
        surety_build_name(state->doc, "title");
        surety_build_str(state->doc, node->title);
    }
    if (!node->description.len && !*more)
        return;
    surety_buf_init(&text, state->strict->alloc, 0);
    surety_buf_add(&text, node->description);
    if (text.len && *more)
        surety_buf_byte(&text, ' ');
    surety_buf_text(&text, more);
    surety_build_name(state->doc, "description");
    surety_build_str(state->doc, surety_buf_str(&text));
    if (text.status != SURETY_OK)
        state->strict->status = text.status;
    surety_buf_done(&text);
}

static void write_kept(struct write_state *state, const surety__node *node)
{
    for (uint32_t i = 0; i < node->kept_count; i++) {
        surety_build_key_of(state->doc, surety_val_key(node->kept[i]));
        surety_build_val(state->doc, node->kept[i]);
    }
}

static void write_choices(struct write_state *state, const surety__node *node,
                          bool nullable)
{
    uint64_t text = 0;

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

/* Writes a list of key and value, and pushes its tasks. */
static void write_pairs(struct write_state *state, surety__link value,
                        uint32_t nesting)
{
    surety_build_name(state->doc, "items");
    surety_build_object(state->doc);
    surety_build_name(state->doc, "type");
    surety_build_str(state->doc, surety_str_of("object"));
    surety_build_name(state->doc, "properties");
    surety_build_object(state->doc);
    surety_build_name(state->doc, PAIR_KEY);
    surety__strict_write_type(state->doc, "string");
    write_named(state, SURETY__LITERAL(PAIR_VALUE));
    write_link(state, value, false, nesting + 1);
    write_mark(state, WRITE_PAIRS_SEAL);
    state->figures.properties += 2;
    if (nesting + 1 > state->figures.nesting)
        state->figures.nesting = nesting + 1;
}

/* Writes the rest of such a list after the value, except its closing
 * bracket. */
static void write_pairs_seal(struct write_state *state)
{
    surety_build_close(state->doc);
    surety_build_name(state->doc, "required");
    surety_build_array(state->doc);
    surety_build_str(state->doc, surety_str_of(PAIR_KEY));
    surety_build_str(state->doc, surety_str_of(PAIR_VALUE));
    surety_build_close(state->doc);
    surety_build_name(state->doc, "additionalProperties");
    surety_build_bool(state->doc, false);
    surety_build_close(state->doc);
}

/* ---- objects and arrays -------------------------------------------------- */

/* Writes an object's keywords, and pushes tasks for its properties. */
static void write_object(struct write_state *state, const surety__node *node,
                         uint32_t nesting)
{
    const unsigned traits = state->strict->subset->traits;
    const bool all = traits & SUBSET_ALL_REQUIRED;
    const bool beside = node->object.others_how == OTHERS_BESIDE;
    bool any = all;

    state->figures.text += node->object.beside.len;
    state->figures.properties += node->object.field_count + beside;
    if (nesting + 1 > state->figures.nesting)
        state->figures.nesting = nesting + 1;
    for (uint32_t i = 0; i < node->object.field_count; i++) {
        any |= node->object.fields[i].required;
        state->figures.text += node->object.fields[i].sent.len;
        state->figures.optional += !all && !node->object.fields[i].required;
    }
    if (any || beside) {
        surety_build_name(state->doc, "required");
        surety_build_array(state->doc);
        for (uint32_t i = 0; i < node->object.field_count; i++)
            if (all || node->object.fields[i].required)
                surety_build_str(state->doc, node->object.fields[i].sent);
        if (beside)
            surety_build_str(state->doc, node->object.beside);
        surety_build_close(state->doc);
    }
    if (node->object.others_how == OTHERS_NONE || beside) {
        surety_build_name(state->doc, "additionalProperties");
        surety_build_bool(state->doc, false);
    } else if (node->object.others_how == OTHERS_SCHEMA) {
        write_named(state, SURETY__LITERAL("additionalProperties"));
        if (node->object.others.node)
            write_link(state, node->object.others, false, nesting + 1);
        else
            write_mark(state, WRITE_TRUE);
    }
    if (!node->object.field_count && !beside && !(traits & SUBSET_CLOSED))
        return;
    write_named(state, SURETY__LITERAL("properties"));
    write_mark(state, WRITE_OBJECT);
    for (uint32_t i = 0; i < node->object.field_count; i++) {
        write_named(state, node->object.fields[i].sent);
        write_link(state, node->object.fields[i].link,
                   node->object.fields[i].nulled, nesting + 1);
    }
    if (beside) {
        write_named(state, node->object.beside);
        write_mark(state, WRITE_OBJECT);
        write_push(state, (struct write_task){.kind = WRITE_ARRAY,
                                              .link = node->array.as_object
                                                          ? node->array.items
                                                          : node->object.others,
                                              .nullable = node->array.as_object,
                                              .nesting = nesting + 1});
        write_mark(state, WRITE_CLOSE);
    }
    write_mark(state, WRITE_CLOSE);
}

static void write_array(struct write_state *state, const surety__node *node,
                        uint32_t nesting)
{
    if (node->array.prefix_count) {
        write_named(state, SURETY__LITERAL("prefixItems"));
        write_mark(state, WRITE_ARRAY);
        for (uint32_t i = 0; i < node->array.prefix_count; i++)
            write_link(state, node->array.prefix[i], false, nesting);
        write_mark(state, WRITE_CLOSE);
    } else if (node->array.items.node) {
        write_named(state, SURETY__LITERAL("items"));
        write_link(state, node->array.items, false, nesting);
    } else if (node->array.closed) {
        surety_build_name(state->doc, "items");
        surety__strict_write_type(state->doc, "string");
    }
}

static void write_typed(struct write_state *state, const surety__node *node,
                        bool nullable, uint32_t nesting)
{
    unsigned types = node->types | (nullable ? TYPE_NULL : 0u);

    if (node->array.as_object)
        types = (types & ~(unsigned)TYPE_ARRAY) | TYPE_OBJECT;
    write_type(state, node, types);
    write_told(state, node,
               node->array.closed && !node->array.prefix_count &&
                       node->types & TYPE_ARRAY && !node->choice_count
                   ? "Always empty."
                   : "");
    write_kept(state, node);
    if (node->choice_count) {
        write_choices(state, node, nullable);
        return;
    }
    if (types & TYPE_OBJECT && node->types != TYPE_ANY)
        write_object(state, node, nesting);
    else if (types & TYPE_ARRAY && node->types != TYPE_ANY)
        write_array(state, node, nesting);
}

static void write_union(struct write_state *state, const surety__node *node,
                        bool nullable, uint32_t nesting)
{
    state->figures.unions++;
    write_told(state, node, "");
    write_kept(state, node);
    surety_build_name(state->doc,
                      node->one_of && !nullable ? "oneOf" : "anyOf");
    surety_build_array(state->doc);
    for (uint32_t i = 0; i < node->branch_count; i++)
        write_link(state, node->branches[i], false, nesting);
    if (nullable)
        write_mark(state, WRITE_NULL_SCHEMA);
    write_mark(state, WRITE_CLOSE);
}

static void write_reference(struct write_state *state, const surety__node *node,
                            bool nullable)
{
    surety_doc *doc = state->doc;
    surety_buf text;

    surety_buf_init(&text, state->strict->alloc, 0);
    surety_buf_text(&text, "#");
    if (node->name.len) {
        surety_buf_text(&text, "/$defs/");
        surety_buf_add(&text, node->name);
    }
    if (nullable) {
        state->figures.unions++;
        surety_build_object(doc);
        surety_build_name(doc, "anyOf");
        surety_build_array(doc);
    }
    surety_build_object(doc);
    surety_build_name(doc, "$ref");
    surety_build_str(doc, surety_buf_str(&text));
    surety_build_close(doc);
    if (nullable) {
        surety__strict_write_type(doc, "null");
        surety_build_close(doc);
        surety_build_close(doc);
    }
    if (text.status != SURETY_OK)
        state->strict->status = text.status;
    surety_buf_done(&text);
}

/* Writes the schema of a node in place. Its object stays open for the tasks. */
static void write_body(struct write_state *state, const surety__node *node,
                       bool nullable, uint32_t nesting)
{
    state->from = state->count;
    if (++state->written > STRICT_WRITTEN_MAX)
        state->strict->status = SURETY_LIMIT;
    surety_build_object(state->doc);
    if (node->form == NODE_UNION) {
        write_union(state, node, nullable, nesting);
    } else {
        write_typed(state, node, nullable, nesting);
    }
    write_mark(state, WRITE_CLOSE);
    write_turn(state);
}

static void write_array_task(struct write_state *state,
                             const struct write_task *task)
{
    if (!task->link.node) {
        surety_build_array(state->doc);
        return;
    }
    state->from = state->count;
    surety_build_name(state->doc, "type");
    surety_build_str(state->doc, surety_str_of("array"));
    if (task->nullable) {
        write_named(state, SURETY__LITERAL("items"));
        write_link(state, task->link, false, task->nesting);
    } else {
        surety_build_name(state->doc, "description");
        surety_build_str(state->doc,
                         surety_str_of("Members of any name, each as its key "
                                       "and its value."));
        write_pairs(state, task->link, task->nesting);
    }
    write_turn(state);
}

/* Skips unions that have a single branch and no keywords of their own. */
static const surety__node *write_behind(const surety__node *node)
{
    for (unsigned i = 0; i < 64; i++) {
        if (node->form != NODE_UNION || node->branch_count != 1 ||
            node->needs_name || node->title.len || node->description.len ||
            node->kept_count)
            break;
        node = node->branches[0].node;
    }
    return node;
}

static void write_run(struct write_state *state)
{
    while (state->count && state->strict->status == SURETY_OK) {
        const struct write_task task = state->tasks[--state->count];
        switch (task.kind) {
        case WRITE_KEY: surety_build_key(state->doc, task.key); break;
        case WRITE_OBJECT: surety_build_object(state->doc); break;
        case WRITE_ARRAY: write_array_task(state, &task); break;
        case WRITE_CLOSE: surety_build_close(state->doc); break;
        case WRITE_PAIRS_SEAL: write_pairs_seal(state); break;
        case WRITE_NULL_SCHEMA:
            surety__strict_write_type(state->doc, "null");
            break;
        case WRITE_TRUE: surety_build_bool(state->doc, true); break;
        case WRITE_NODE: {
            const surety__node *node = write_behind(task.link.node);
            if (node->needs_name)
                write_reference(state, node, task.nullable);
            else
                write_body(state, node, task.nullable, task.nesting);
            break;
        }
        }
    }
}

/* ---- names of definitions ------------------------------------------------ */

/* Appends the wanted name: the last token of the definition's location, in
 * characters that all providers accept. */
static void write_wish(const surety__node *node, surety_buf *out)
{
    surety_buf pointer;
    size_t start;

    if (!node->origin.doc) {
        surety_buf_text(out, "any_value");
        return;
    }
    surety_buf_init(&pointer, out->alloc, 0);
    surety_val_pointer(node->origin, &pointer);
    for (start = pointer.len; start > 0 && pointer.ptr[start - 1] != '/';)
        start--;
    for (size_t i = start; i < pointer.len && i - start < 50; i++) {
        const char byte = pointer.ptr[i];
        const bool plain =
            (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
            (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
        surety_buf_byte(out, plain ? byte : '_');
    }
    if (out->len == 0)
        surety_buf_text(out, "root");
    if (pointer.status != SURETY_OK)
        out->status = pointer.status;
    surety_buf_done(&pointer);
}

static void write_names(surety_strict *strict)
{
    surety__map taken = {NULL, 0, 0};
    surety_buf name;

    surety_buf_init(&name, strict->alloc, 0);
    for (size_t i = 0; i < strict->node_count; i++) {
        surety__node *node = strict->nodes[i];
        size_t len;
        if (!node->needs_name || !node->seen ||
            (node == strict->root && !strict->wrapped))
            continue;
        surety_buf_reset(&name);
        write_wish(node, &name);
        len = name.len;
        for (unsigned n = 2;
             surety__map_get(&taken, surety__hash(name.ptr, name.len) + 1ull) &&
             name.status == SURETY_OK;
             n++) {
            name.len = len;
            surety__buf_printf(&name, "_%u", n);
        }
        node->name = surety__graph_text(&strict->graph, surety_buf_str(&name));
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

    for (size_t i = 0; i < strict->node_count && strict->status == SURETY_OK;
         i++) {
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
        write_body(state, node, false, 0);
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
        surety_build_name(state->doc, "type");
        surety_build_str(state->doc, surety_str_of("object"));
        surety_build_name(state->doc, "properties");
        surety_build_object(state->doc);
        surety_build_key(state->doc, strict->wrap);
        write_link(state, (surety__link){strict->root, false}, false, 1);
        write_run(state);
        surety_build_close(state->doc);
        surety_build_name(state->doc, "required");
        surety_build_array(state->doc);
        surety_build_str(state->doc, strict->wrap);
        surety_build_close(state->doc);
        surety_build_name(state->doc, "additionalProperties");
        surety_build_bool(state->doc, false);
        state->figures.properties++;
    } else {
        write_body(state, strict->root, false, 0);
        if (strict->status == SURETY_OK) {
            /* The lowest task closes the root: the definitions come before
             * it. */
            const struct write_task last = state->tasks[0];
            memmove(state->tasks, state->tasks + 1,
                    (state->count - 1) * sizeof(last));
            state->count--;
            write_run(state);
        }
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
    surety_build_begin(state.doc,
                       surety_contract_info_of(strict->contract)->root.doc);
    if (strict->status == SURETY_OK)
        write_root(&state);
    surety__free(strict->alloc, state.tasks, state.cap * sizeof(*state.tasks));
    status = surety_build_end(state.doc, reterr);
    if (strict->status != SURETY_OK)
        return strict->status;
    if (status != SURETY_OK)
        return strict->status = status;
    surety__strict_limits(strict, &state.figures);
    return strict->status;
}
