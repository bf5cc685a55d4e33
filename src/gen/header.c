/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the header file: types, each after the types it uses, and the
 * functions of the root. */
#include "gen/inside.h"

enum { DEFAULT_SHOWN_MAX = 40 };

/* The entry for any value, in surety/typed.h. */
#define HEADER_ENTRY "surety_typed_entry"

/* ---- comments ------------------------------------------------------------ */

/* The value of a keyword in shape or, with `far`, in the schema it refers
 * to. */
static surety_val header_about(const surety__shape *shape, const char *keyword,
                               bool far)
{
    surety_val about = {NULL, 0};

    for (unsigned i = 0; shape && i < 64 && !about.doc; i++) {
        about = surety_val_get(shape->at, keyword);
        if (!far || shape->applicator_count != 1 ||
            shape->applicators->kind != APPLY_ALL ||
            shape->applicators->count != 1)
            break;
        shape = shape->applicators->shapes[0];
    }
    return about;
}

static surety_str header_about_text(const surety__shape *shape, bool far)
{
    const surety_str text =
        surety_val_str(header_about(shape, "description", far));

    return text.len ? text : surety_val_str(header_about(shape, "title", far));
}

static void header_sentence(surety_buf *out, surety_str text)
{
    if (out->len)
        surety_buf_byte(out, ' ');
    surety_buf_add(out, text);
    if (text.len && !memchr(".!?:;", text.ptr[text.len - 1], 5))
        surety_buf_byte(out, '.');
}

static void header_shown(surety_buf *out, const char *word, surety_val val)
{
    surety_buf shown;

    surety_buf_init(&shown, out->alloc, 0);
    surety_val_write(val, SURETY_STYLE_COMPACT, &shown);
    if (shown.len <= DEFAULT_SHOWN_MAX) {
        surety_buf_text(out, out->len ? " " : "");
        surety_buf_text(out, word);
        surety__gen_put(out, " @.", surety_buf_str(&shown));
    }
    surety__buf_end(&shown, &out->status);
}

/* Writes the comment of a member: its description, its name in JSON, its
 * default. */
static void header_member_comment(const surety__gen_member *member,
                                  surety_buf *out)
{
    const bool fixed = member->node->form == SURETY_TYPED_FIXED;
    /* A type with a name has its own description. */
    const surety_str about =
        header_about_text(member->shape, member->node->in_c.name.len == 0);
    surety_buf text;

    surety_buf_init(&text, out->alloc, 0);
    if (!surety_str_equal(member->name, member->json) || fixed) {
        surety_json_string(&text, member->json);
        if (about.len || fixed || member->fill.doc)
            surety_buf_byte(&text, ':');
    }
    if (about.len)
        header_sentence(&text, about);
    if (fixed)
        header_shown(&text, about.len ? "Always" : "always",
                     member->node->words[0]);
    if (member->fill.doc)
        header_shown(&text, "Default:", member->fill);
    if (text.len)
        surety__gen_comment(out, 4, surety_buf_str(&text));
    surety__buf_end(&text, &out->status);
}

static void header_type_comment(const surety__gen_node *node, surety_buf *out)
{
    const surety_str about = header_about_text(node->origin, true);

    if (about.len)
        surety__gen_comment(out, 0, about);
}

/* ---- declarations -------------------------------------------------------- */

/* "BEFORE TYPE *NAME MARK;" */
typedef struct header_declaration {
    size_t indent;
    const char *before;
    surety_str type;
    bool is_pointer;
    surety_str name;
    const char *mark;
} header_declaration;

static void header_gap(surety_buf *out, bool breaks, size_t indent)
{
    surety_buf_byte(out, breaks ? '\n' : ' ');
    for (size_t i = 0; breaks && i < indent + 4; i++)
        surety_buf_byte(out, ' ');
}

/* Appends a declaration. One that is too wide is broken before the mark, else
 * before the name. */
static void header_declare(surety_buf *out, header_declaration one)
{
    const size_t mark = strlen(one.mark);
    const size_t named = one.indent + strlen(one.before) + one.type.len + 1 +
                         one.is_pointer + one.name.len;
    const bool is_wide = named + mark + (mark > 0) + 1 > 80;

    for (size_t i = 0; i < one.indent; i++)
        surety_buf_byte(out, ' ');
    surety_buf_text(out, one.before);
    surety_buf_add(out, one.type);
    header_gap(out, is_wide && (!mark || named > 80), one.indent);
    if (one.is_pointer)
        surety_buf_byte(out, '*');
    surety_buf_add(out, one.name);
    if (mark)
        header_gap(out, is_wide && named <= 80, one.indent);
    surety_buf_text(out, one.mark);
    surety_buf_text(out, ";\n");
}

/* Declares the items of a list or the entries of a map, and their count. */
static void header_span(surety_buf *out, size_t indent,
                        const surety__gen_node *node, surety_str name,
                        const char *mark)
{
    const surety_str type = node->form == SURETY_TYPED_MAP
                                ? node->in_c.entry
                                : surety__gen_ctype(node->rest);
    surety_buf count;

    assert(surety__gen_is_span(node));
    header_declare(
        out, (header_declaration){indent, "const ", type, true, name, mark});
    surety_buf_init(&count, out->alloc, 0);
    surety__gen_put(&count, "@_count", surety__gen_stem(name));
    header_declare(out,
                   (header_declaration){indent, "", SURETY__LITERAL("size_t"),
                                        false, surety_buf_str(&count), mark});
    surety__buf_end(&count, &out->status);
}

static void header_member(surety_buf *out, size_t indent,
                          const surety__gen_member *member, const char *mark)
{
    const surety__gen_node *node = member->node;
    const bool is_pointer = surety__gen_is_pointer(node);

    if (!surety__gen_is_stored(node))
        return;
    if (surety__gen_is_span(node))
        header_span(out, indent, node, member->name, mark);
    else
        header_declare(out,
                       (header_declaration){indent, is_pointer ? "const " : "",
                                            surety__gen_ctype(node), is_pointer,
                                            member->name, mark});
}

/* ---- types --------------------------------------------------------------- */

static void header_open(surety_buf *out, surety_str name, bool forward)
{
    surety__gen_put(out, forward ? "struct @ {\n" : "typedef struct @ {\n",
                    name);
}

static void header_close(surety_buf *out, surety_str name, bool forward)
{
    surety__gen_put(out, forward ? "};\n" : "} @;\n", name);
}

static void header_struct(const surety__gen_node *node, surety_buf *out)
{
    bool empty = node->rest == NULL;

    assert(node->in_c.name.len > 0);
    header_type_comment(node, out);
    header_open(out, node->in_c.name, node->place.forward);
    for (uint32_t i = 0; i < node->member_count; i++) {
        const surety__gen_member *member = &node->members[i];
        const surety_str stem = surety__gen_stem(member->name);
        const bool old = surety_val_bool(
            header_about(member->shape, "deprecated", true), false);
        size_t start;

        header_member_comment(member, out);
        start = out->len;
        if (surety__gen_has(member))
            surety__gen_put(out, "    bool has_@;\n", stem);
        if (surety__gen_has_null(member))
            surety__gen_put(out, "    bool @_is_null;\n", stem);
        header_member(out, 4, member, old ? "SURETY_DEPRECATED" : "");
        empty = empty && out->len == start;
    }
    if (node->rest) {
        const bool is_tuple = node->form == SURETY_TYPED_TUPLE;

        surety__gen_comment(
            out, 4,
            is_tuple ? SURETY__LITERAL("What follows these.")
                     : SURETY__LITERAL("Members that have no name here."));
        header_span(out, 4, node->rest, node->in_c.rest, "");
    }
    if (empty)
        surety_buf_text(out, "    bool unused;\n");
    header_close(out, node->in_c.name, node->place.forward);
}

static void header_words(surety_buf *out, surety_str name,
                         const surety_str *words, uint32_t count)
{
    surety_buf head;

    surety_buf_init(&head, out->alloc, 0);
    surety__gen_put(&head, "typedef enum @", name);
    surety__gen_enum(out, surety_buf_str(&head), words, count, name);
    surety__buf_end(&head, &out->status);
}

static void header_enum(const surety__gen_node *node, surety_buf *out)
{
    header_type_comment(node, out);
    header_words(out, node->in_c.name, node->in_c.words, node->word_count);
    surety_buf_text(out,
                    "/* Its word in JSON; NULL for what is no value. */\n");
    surety__gen_function(out, "const char *", node->in_c.name, "name",
                         "@ value", ";\n");
    surety_buf_text(out, "/* The value of a word; false: there is none. */\n");
    surety__gen_function(out, "bool ", node->in_c.name, "of",
                         "surety_str name\n@ *ret_value", ";\n");
}

static void header_union(const surety__gen_node *node, surety_buf *out)
{
    bool open = false;

    assert(node->in_c.kind.len > 0 && node->in_c.words);
    header_words(out, node->in_c.kind, node->in_c.words, node->member_count);
    surety_buf_byte(out, '\n');
    header_type_comment(node, out);
    header_open(out, node->in_c.name, node->place.forward);
    surety__gen_put(out, "    @ kind;\n", node->in_c.kind);
    for (uint32_t i = 0; i < node->member_count; i++) {
        const surety__gen_member *member = &node->members[i];
        const bool span = surety__gen_is_span(member->node);

        if (!surety__gen_is_stored(member->node))
            continue;
        if (!open)
            surety_buf_text(out, "    union {\n");
        open = true;
        /* A list has two members, which must be in one struct. */
        if (span)
            surety_buf_text(out, "        struct {\n");
        header_member(out, span ? 12 : 8, member, "");
        if (span)
            surety__gen_put(out, "        } @;\n", member->name);
    }
    if (open)
        surety_buf_text(out, "    } as;\n");
    header_close(out, node->in_c.name, node->place.forward);
}

/* Writes the struct of a list or map that is not a member. */
static void header_holder(const surety__gen_node *node, bool forward,
                          surety_buf *out)
{
    header_open(out, node->in_c.name, forward);
    header_span(out, 4, node, SURETY__LITERAL("items"), "");
    header_close(out, node->in_c.name, forward);
}

static void header_type(const surety__gen_model *model,
                        const surety__gen_node *node, surety_buf *out)
{
    const size_t start = out->len;

    assert(node->place.placed);
    surety_buf_byte(out, '\n');
    switch (node->form) {
    case SURETY_TYPED_ENUM: header_enum(node, out); return;
    case SURETY_TYPED_UNION: header_union(node, out); return;
    case SURETY_TYPED_STRUCT:
    case SURETY_TYPED_TUPLE:
    case SURETY_TYPED_WRAP: header_struct(node, out); return;
    case SURETY_TYPED_MAP:
        if (node->rest == model->value)
            break;
        header_open(out, node->in_c.entry, node->place.forward);
        surety__gen_put(out, "    surety_str key;\n    @ value;\n",
                        surety__gen_ctype(node->rest));
        header_close(out, node->in_c.entry, node->place.forward);
        return;
    case SURETY_TYPED_LIST:
        if (!node->place.needs_holder)
            break;
        header_holder(node, node->place.forward, out);
        return;
    default: break;
    }
    /* This form needs no type. */
    if (out->status == SURETY_OK)
        out->len = start;
}

/* Declares types that pointers use before their definition. The structs of
 * maps follow at once: they contain only a pointer and a count, and maps may
 * contain each other. */
static void header_ahead(const surety__gen_model *model, surety_buf *out)
{
    size_t start;

    surety_buf_byte(out, '\n');
    start = out->len;
    for (size_t i = 0; i < model->order_count; i++) {
        const surety__gen_node *node = model->order[i];
        const surety_str name =
            node->form == SURETY_TYPED_MAP ? node->in_c.entry : node->in_c.name;

        if (node->place.forward && node->form != SURETY_TYPED_ENUM &&
            name.len && !surety_str_equal(name, SURETY__LITERAL(HEADER_ENTRY)))
            header_declare(out, (header_declaration){0, "typedef struct ", name,
                                                     false, name, ""});
    }
    if (out->status == SURETY_OK && out->len == start)
        out->len--;
    for (size_t i = 0; i < model->order_count; i++) {
        const surety__gen_node *node = model->order[i];

        if (node->form != SURETY_TYPED_MAP || !node->place.needs_holder)
            continue;
        surety_buf_byte(out, '\n');
        header_holder(node, false, out);
    }
}

void surety__gen_header_write(surety__gen_model *model, surety_buf *out)
{
    header_ahead(model, out);
    for (size_t i = 0; i < model->order_count; i++)
        header_type(model, model->order[i], out);
    surety__gen_functions(model, false, out);
}
