/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the source file: the contract's text, the words of enums, a table of
 * members for each type, the table of types, and the functions. */
#include "gen/inside.h"

#include <stdlib.h>

/* PIECE_MAX: bytes of one string literal; a compiler must accept only 4,095
 * (C11, 5.2.4.1). PIECE_WIDTH: columns of a line of it. */
enum { PIECE_MAX = 4000, PIECE_WIDTH = 70, SORTED_FROM = 16 };

/* ---- the contract -------------------------------------------------------- */

/* The end of the line of text that begins at i: after a newline, else after
 * the last space if the line gets too wide, else at the width. */
static size_t source_line(surety_str text, size_t i)
{
    size_t end = i, space = i, width = 0;

    while (end < text.len && text.ptr[end] != '\n' && width < PIECE_WIDTH) {
        const char byte = text.ptr[end++];

        width += byte == '"' || byte == '\\' || byte == '?' ? 2u : 1u;
        if (byte == ' ')
            space = end;
    }
    if (end == text.len)
        return end;
    if (text.ptr[end] == '\n' && width < PIECE_WIDTH)
        return end + 1;
    if (space > i && space + PIECE_WIDTH / 2 > end)
        return space;
    while (end < text.len && ((unsigned char)text.ptr[end] & 0xC0) == 0x80)
        end++;
    return end;
}

static void source_text(const surety__gen_model *model, surety_buf *out)
{
    const surety_val root = surety_contract_info_of(model->contract)->root;
    const surety_str text = surety_doc_text(root.doc);
    size_t piece = 0;

    surety__gen_put(out, "\nstatic const char *const @_text[] = {\n",
                    model->root->in_c.local);
    for (size_t i = 0; i < text.len;) {
        const size_t end = source_line(text, i);

        assert(end > i && end <= text.len);
        surety_buf_text(out, "    ");
        surety__gen_quote(out, (surety_str){text.ptr + i, end - i});
        piece += end - i;
        if (end == text.len || piece > PIECE_MAX - 2 * PIECE_WIDTH) {
            surety_buf_byte(out, ',');
            piece = 0;
        }
        surety_buf_byte(out, '\n');
        i = end;
    }
    surety_buf_text(out, "    NULL,\n};\n");
}

/* ---- words --------------------------------------------------------------- */

/* A text that is too long for a literal becomes a numbered array. */
static bool source_is_long(surety_str text)
{
    return text.len > PIECE_MAX;
}

static void source_long(surety_buf *out, const surety__gen_model *model,
                        surety_str text)
{
    size_t i = 0;

    while (i < model->long_count && !surety_str_equal(model->longs[i], text))
        i++;
    surety__gen_put(out, "@_long_", model->root->in_c.local);
    surety_buf_number(out, i + 1);
}

static void source_str(surety_buf *out, const surety__gen_model *model,
                       surety_str text)
{
    if (source_is_long(text)) {
        surety_buf_byte(out, '{');
        source_long(out, model, text);
        surety_buf_text(out, ", ");
        surety_buf_number(out, text.len);
        surety_buf_byte(out, '}');
        return;
    }
    surety_buf_text(out, "NAME(");
    surety__gen_quote(out, text);
    surety_buf_byte(out, ')');
}

/* Writes text as an array if it is long and was not written before. */
static void source_array(surety__gen_model *model, surety_str text,
                         surety_buf *out)
{
    surety_gen *gen = model->gen;

    for (size_t i = 0; i < model->long_count; i++)
        if (surety_str_equal(model->longs[i], text))
            return;
    if (!source_is_long(text))
        return;
    if (surety__grow(gen->alloc, &model->longs, &model->long_cap,
                     model->long_count + 1, sizeof(*model->longs),
                     SIZE_MAX) != SURETY_OK) {
        gen->status = SURETY_NOMEM;
        return;
    }
    model->longs[model->long_count++] = surety__arena_text(&gen->arena, text);
    surety_buf_text(out, "\nstatic const char ");
    source_long(out, model, text);
    surety_buf_text(out, "[] = {");
    for (size_t i = 0; i <= text.len && out->status == SURETY_OK; i++) {
        const unsigned char byte =
            i < text.len ? (unsigned char)text.ptr[i] : 0;

        surety_buf_text(out, i % 12 == 0 ? "\n    " : " ");
        /* The same bits, whether char is signed or not. */
        surety__buf_printf(out, byte < 0x80 ? "%u," : "(char)%u,", byte);
    }
    surety_buf_text(out, "\n};\n");
}

static surety_str source_json(surety__gen_model *model, surety_val val)
{
    surety_buf text;

    surety_buf_init(&text, model->gen->alloc, 0);
    surety_val_write(val, SURETY_STYLE_COMPACT, &text);
    return surety__arena_buf(&model->gen->arena, &text);
}

/* Sets the texts of fixed values and defaults, and writes long ones. */
static void source_arrays(surety__gen_model *model, surety__gen_node *node,
                          surety_buf *out)
{
    if (node->form == GEN_NULL)
        node->json = SURETY__LITERAL("null");
    else if (node->form == SURETY_TYPED_FIXED)
        node->json = source_json(model, node->words[0]);
    source_array(model, node->json, out);
    for (uint32_t i = 0;
         node->form == SURETY_TYPED_ENUM && i < node->word_count; i++)
        source_array(model, surety_val_str(node->words[i]), out);
    for (uint32_t i = 0; i < node->member_count; i++) {
        surety__gen_member *member = &node->members[i];

        if (member->fill.doc)
            member->pointer = source_json(model, member->fill);
        else if (node->form != SURETY_TYPED_UNION)
            member->pointer = (surety_str){NULL, 0};
        source_array(model, member->json, out);
        source_array(model, member->pointer, out);
    }
}

/* Writes the words of an enum, or the value of a fixed node as JSON. */
static void source_words(const surety__gen_model *model,
                         const surety__gen_node *node, surety_buf *out)
{
    const bool fixed = !surety__gen_is_stored(node);
    const uint32_t count = fixed ? 1 : node->word_count;

    if (!fixed && node->form != SURETY_TYPED_ENUM)
        return;
    surety__gen_put(out, "\nstatic const surety_str @_words[] = {\n",
                    node->in_c.local);
    for (uint32_t i = 0; i < count; i++) {
        surety_buf_text(out, "    ");
        source_str(out, model,
                   fixed ? node->json : surety_val_str(node->words[i]));
        surety_buf_text(out, ",\n");
    }
    surety_buf_text(out, "};\n");
}

static void source_word_functions(const surety__gen_node *node, surety_buf *out)
{
    surety_buf arguments;

    surety_buf_byte(out, '\n');
    surety__gen_function(out, "const char *", node->in_c.name, "name",
                         "@ value", "\n{\n");
    surety__buf_printf(out, "    if ((unsigned)value >= %u)\n",
                       node->word_count);
    surety__gen_put(out,
                    "        return NULL;\n"
                    "    return @_words[value].ptr;\n}\n\n",
                    node->in_c.local);
    surety__gen_function(out, "bool ", node->in_c.name, "of",
                         "surety_str name\n@ *ret_value", "\n{\n");
    surety_buf_init(&arguments, out->alloc, 0);
    surety__gen_put(&arguments, "@_words\n", node->in_c.local);
    surety__buf_printf(&arguments, "%u\nname", node->word_count);
    surety__gen_call(out, 4,
                     SURETY__LITERAL("const size_t word = surety_typed_find"),
                     surety_buf_str(&arguments), ";\n\n");
    surety__buf_end(&arguments, &out->status);
    surety__buf_printf(out, "    if (word == %u)\n        return false;\n",
                       node->word_count);
    surety__gen_put(out,
                    node->in_c.name.len + 24 > 80
                        ? "    *ret_value =\n        (@)word;\n"
                        : "    *ret_value = (@)word;\n",
                    node->in_c.name);
    surety_buf_text(out, "    return true;\n}\n");
}

/* ---- members ------------------------------------------------------------- */

/* One row of a table, wrapped at 80 columns. An item waits until it is known
 * whether it is the last one. */
typedef struct source_row {
    surety_buf *out;
    surety_buf item;
    size_t column; /* 0: no item was written */
} source_row;

static void row_flush(source_row *row, bool last)
{
    const size_t len = row->item.len;

    if (row->column == 0) {
        surety_buf_text(row->out, "    {");
        row->column = 5;
    } else if (row->column + 2 + len + (last ? 2 : 1) > 80) {
        surety_buf_text(row->out, ",\n     ");
        row->column = 5;
    } else {
        surety_buf_text(row->out, ", ");
        row->column += 2;
    }
    surety_buf_add(row->out, surety_buf_str(&row->item));
    row->column += len;
    if (row->item.status != SURETY_OK)
        row->out->status = row->item.status;
    surety_buf_reset(&row->item);
}

/* Begins the next item; gives where it is written. */
static surety_buf *row_item(source_row *row)
{
    if (row->item.len)
        row_flush(row, false);
    return &row->item;
}

static void row_put(source_row *row, const char *text, surety_str name)
{
    surety__gen_put(row_item(row), text, name);
}

static void row_text(source_row *row, const char *text)
{
    surety_buf_text(row_item(row), text);
}

static void row_end(source_row *row)
{
    assert(row->column > 0 || row->item.status != SURETY_OK);
    row_flush(row, true);
    surety_buf_text(row->out, "},\n");
    row->column = 0;
}

/* Appends "offsetof(TYPE, PATH)"; "@" in the path stands for name. */
static void row_offset(source_row *row, surety_str type, const char *path,
                       surety_str name)
{
    row_put(row, "offsetof(@, ", type);
    surety__gen_put(&row->item, path, name);
    surety_buf_byte(&row->item, ')');
}

/* Appends the offsets of a member's value and its count. */
static void row_place(source_row *row, const surety__gen_node *node,
                      const surety__gen_member *member)
{
    const surety_str stem = surety__gen_stem(member->name);
    const bool span = surety__gen_is_span(member->node);
    const char *within = node->form != SURETY_TYPED_UNION ? ""
                         : span                           ? "as.@."
                                                          : "as.";

    if (!surety__gen_is_stored(member->node)) {
        row_text(row, "NONE");
        row_text(row, "NONE");
        return;
    }
    row_put(row, "offsetof(@, ", node->in_c.name);
    surety__gen_put(&row->item, within, member->name);
    surety__gen_put(&row->item, "@)", member->name);
    if (!span) {
        row_text(row, "NONE");
        return;
    }
    row_put(row, "offsetof(@, ", node->in_c.name);
    surety__gen_put(&row->item, within, member->name);
    surety__gen_put(&row->item, "@_count)", stem);
}

static void row_flags(source_row *row, const surety__gen_node *node,
                      const surety__gen_member *member)
{
    const surety_str stem = surety__gen_stem(member->name);
    const bool is_union = node->form == SURETY_TYPED_UNION;

    if (!is_union && surety__gen_has(member))
        row_offset(row, node->in_c.name, "has_@", stem);
    else
        row_text(row, !is_union && !member->required && !member->fill.doc
                          ? "POINTER"
                          : "NONE");
    if (surety__gen_has_null(member))
        row_offset(row, node->in_c.name, "@_is_null", stem);
    else
        row_text(row, member->nullable ? "POINTER" : "NONE");
}

static void source_member(source_row *row, const surety__gen_model *model,
                          const surety__gen_node *node,
                          const surety__gen_member *member)
{
    source_str(row_item(row), model, member->json);
    row_put(row, "@", member->node->in_c.constant);
    row_place(row, node, member);
    row_flags(row, node, member);
    if (!member->pointer.ptr)
        row_text(row, "NULL");
    else if (source_is_long(member->pointer))
        source_long(row_item(row), model, member->pointer);
    else
        surety__gen_quote(row_item(row), member->pointer);
    row_end(row);
}

static int source_compare(const void *a, const void *b)
{
    const surety__gen_member *const *one = a;
    const surety__gen_member *const *other = b;

    return surety__str_compare((*one)->json, (*other)->json);
}

static bool source_is_sorted(const surety__gen_node *node)
{
    return node->form == SURETY_TYPED_STRUCT &&
           node->member_count >= SORTED_FROM;
}

static void source_sorted(surety_gen *gen, const surety__gen_node *node,
                          surety_buf *out)
{
    const surety__gen_member **sorted =
        surety__arena_take(&gen->arena, node->member_count * sizeof(*sorted));
    size_t column = 4;

    for (uint32_t i = 0; sorted && i < node->member_count; i++)
        sorted[i] = &node->members[i];
    if (sorted)
        qsort(sorted, node->member_count, sizeof(*sorted), source_compare);

    surety__gen_put(out,
                    "\n/* In the order of their names. */\n"
                    "static const uint32_t @_sorted[] = {\n   ",
                    node->in_c.local);
    for (uint32_t i = 0; sorted && i < node->member_count; i++) {
        const size_t start = out->len;

        surety_buf_byte(out, ' ');
        surety_buf_number(out, (size_t)(sorted[i] - node->members));
        surety_buf_byte(out, ',');
        column += out->len - start;
        if (column > 74 && i + 1 < node->member_count) {
            surety_buf_text(out, "\n   ");
            column = 4;
        }
    }
    surety_buf_text(out, "\n};\n");
}

static void source_members(const surety__gen_model *model,
                           const surety__gen_node *node, surety_buf *out)
{
    source_row row = {.out = out};

    surety_buf_init(&row.item, out->alloc, 0);
    surety__gen_put(out, "\nstatic const surety_typed_member @_members[] = {\n",
                    node->in_c.local);
    for (uint32_t i = 0; i < node->member_count; i++)
        source_member(&row, model, node, &node->members[i]);
    surety_buf_text(out, "};\n");
    surety_buf_done(&row.item);
    if (source_is_sorted(node))
        source_sorted(model->gen, node, out);
}

/* ---- types --------------------------------------------------------------- */

/* Appends the size of the type in an array, and the stride of its elements. */
static void row_sizes(source_row *row, const surety__gen_node *node)
{
    const bool span = surety__gen_is_span(node);

    if (!surety__gen_is_stored(node) ||
        (span && !(node->place.needs_holder && node->in_c.name.len)))
        row_text(row, "0");
    else
        row_put(row, "sizeof(@)", surety__gen_ctype(node));
    if (node->form == SURETY_TYPED_LIST)
        row_put(row, "sizeof(@)", surety__gen_ctype(node->rest));
    else if (node->form == SURETY_TYPED_MAP)
        row_put(row, "sizeof(@)", node->in_c.entry);
    else if (node->form == SURETY_TYPED_UNION)
        row_put(row, "sizeof(@)", node->in_c.kind);
    else
        row_text(row, "0");
}

/* Appends members, words, their number, and the order by name. */
static void row_tables(source_row *row, const surety__gen_node *node)
{
    const bool is_enum = node->form == SURETY_TYPED_ENUM;
    const surety_str local = node->in_c.local;

    row_put(row, node->member_count ? "@_members" : "NULL", local);
    row_put(row, is_enum || !surety__gen_is_stored(node) ? "@_words" : "NULL",
            local);
    surety_buf_number(row_item(row),
                      is_enum ? node->word_count : node->member_count);
    row_put(row, source_is_sorted(node) ? "@_sorted" : "NULL", local);
}

static void row_rest(source_row *row, const surety__gen_node *node)
{
    row_put(row, node->rest ? "@" : "NONE",
            node->rest ? node->rest->in_c.constant : (surety_str){NULL, 0});
    if (node->form == SURETY_TYPED_MAP) {
        row_put(row, "offsetof(@, value)", node->in_c.entry);
        row_text(row, "NONE");
    } else if (!node->rest || node->form == SURETY_TYPED_LIST) {
        row_text(row, "NONE");
        row_text(row, "NONE");
    } else {
        row_offset(row, node->in_c.name, "@", node->in_c.rest);
        row_offset(row, node->in_c.name, "@_count", node->in_c.rest);
    }
    row_end(row);
}

static void source_type(const surety__gen_node *node, surety_buf *out)
{
    source_row row = {.out = out};
    surety_str name = node->in_c.name;

    if (!name.len && node->rest)
        name = surety__gen_ctype(node->rest);
    if (!name.len)
        name = node->form < SURETY_TYPED_FIXED ? surety__gen_ctype(node)
                                               : SURETY__LITERAL("fixed");
    surety_buf_init(&row.item, out->alloc, 0);
    row_text(&row, surety__gen_forms[node->form].constant);
    surety__gen_quote(row_item(&row), name);
    row_sizes(&row, node);
    row_tables(&row, node);
    row_rest(&row, node);
    surety_buf_done(&row.item);
}

static void source_places(surety__gen_model *model, surety_buf *out)
{
    surety_str *names = surety__arena_take(&model->gen->arena,
                                           model->order_count * sizeof(*names));

    for (size_t i = 0; names && i < model->order_count; i++)
        names[i] = model->order[i]->in_c.constant;
    if (!names)
        return;
    surety_buf_text(out, "\n/* Places in the table of types. */\n");
    surety__gen_enum(out, SURETY__LITERAL("enum"), names, model->order_count,
                     (surety_str){NULL, 0});
}

static void source_root(const surety__gen_model *model, surety_buf *out)
{
    const surety_str local = model->root->in_c.local;

    surety__gen_put(out,
                    "\nstatic const surety_typed @_typed = {\n"
                    "    @_types,\n    ",
                    local);
    surety_buf_number(out, model->order_count);
    surety__gen_put(out, ",\n    @,\n    ", model->root->in_c.constant);
    surety__gen_quote(out, surety_contract_info_of(model->contract)->name);
    surety__gen_put(out, ",\n    @_text,\n};\n", local);
}

void surety__gen_source_write(surety__gen_model *model, surety_buf *out)
{
    surety_buf_text(out, "\n/* Tables. */\n/* clang-format off */\n");
    source_text(model, out);
    for (size_t i = 0; i < model->order_count; i++)
        source_arrays(model, model->order[i], out);
    for (size_t i = 0; i < model->order_count; i++)
        source_words(model, model->order[i], out);
    source_places(model, out);
    for (size_t i = 0; i < model->order_count; i++)
        if (model->order[i]->member_count)
            source_members(model, model->order[i], out);
    surety__gen_put(out, "\nstatic const surety_typed_type @_types[] = {\n",
                    model->root->in_c.local);
    for (size_t i = 0; i < model->order_count; i++)
        source_type(model->order[i], out);
    surety_buf_text(out, "};\n");
    source_root(model, out);
    surety_buf_text(out, "/* clang-format on */\n");
    for (size_t i = 0; i < model->order_count; i++)
        if (model->order[i]->form == SURETY_TYPED_ENUM)
            source_word_functions(model->order[i], out);
    surety__gen_functions(model, true, out);
}
