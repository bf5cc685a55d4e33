/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the source file: the contract's text, the words of enums, a table of
 * members for each type, the table of types, and the functions. */
#include "gen/inside.h"

/* PIECE_MAX: bytes of one string literal; a compiler must accept only 4,095
 * (C11, 5.2.4.1). PIECE_WIDTH: columns of a line of it. */
enum { PIECE_MAX = 4000, PIECE_WIDTH = 70, SORTED_FROM = 16 };

static void source_name(surety_buf *out, const surety__gen_model *model,
                        const char *end)
{
    surety_buf_add(out, model->root->in_c.local);
    surety_buf_text(out, end);
}

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

    surety_buf_text(out, "\nstatic const char *const ");
    source_name(out, model, "_text[] = {\n");
    for (size_t i = 0; i < text.len;) {
        const size_t end = source_line(text, i);

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
    source_name(out, model, "_long_");
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
    if (surety__grow(gen->alloc, (void **)&model->longs, &model->long_cap,
                     model->long_count + 1, sizeof(*model->longs),
                     SIZE_MAX) != SURETY_OK) {
        gen->status = SURETY_NOMEM;
        return;
    }
    model->longs[model->long_count++] = surety__gen_text(gen, text);
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
    surety_str json = {NULL, 0};
    surety_buf text;

    surety_buf_init(&text, model->gen->alloc, 0);
    surety_val_write(val, SURETY_STYLE_COMPACT, &text);
    if (text.status == SURETY_OK)
        json = surety__gen_text(model->gen, surety_buf_str(&text));
    else
        model->gen->status = text.status;
    surety_buf_done(&text);
    return json;
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

static void source_words(const surety__gen_model *model,
                         const surety__gen_node *node, surety_buf *out)
{
    surety_buf_text(out, "\nstatic const surety_str ");
    surety_buf_add(out, node->in_c.local);
    surety_buf_text(out, "_words[] = {\n");
    for (uint32_t i = 0; i < node->word_count; i++) {
        surety_buf_text(out, "    ");
        source_str(out, model, surety_val_str(node->words[i]));
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
    surety_buf_text(out, "        return NULL;\n    return ");
    surety_buf_add(out, node->in_c.local);
    surety_buf_text(out, "_words[value].ptr;\n}\n\n");
    surety__gen_function(out, "bool ", node->in_c.name, "of",
                         "surety_str name\n@ *ret_value", "\n{\n");
    surety_buf_init(&arguments, out->alloc, 0);
    surety_buf_add(&arguments, node->in_c.local);
    surety__buf_printf(&arguments, "_words\n%u\nname", node->word_count);
    surety__gen_call(out, 4,
                     SURETY__LITERAL("const size_t word = surety_typed_find"),
                     surety_buf_str(&arguments), ";\n\n");
    if (arguments.status != SURETY_OK)
        out->status = arguments.status;
    surety_buf_done(&arguments);
    surety__buf_printf(out, "    if (word == %u)\n        return false;\n",
                       node->word_count);
    surety_buf_text(out, "    *ret_value =");
    surety_buf_text(out, node->in_c.name.len + 24 > 80 ? "\n        (" : " (");
    surety_buf_add(out, node->in_c.name);
    surety_buf_text(out, ")word;\n    return true;\n}\n");
}

/* Writes the value of a fixed node as JSON. */
static void source_fixed(const surety__gen_model *model,
                         const surety__gen_node *node, surety_buf *out)
{
    surety_buf_text(out, "\nstatic const surety_str ");
    surety_buf_add(out, node->in_c.local);
    surety_buf_text(out, "_words[] = {\n    ");
    source_str(out, model, node->json);
    surety_buf_text(out, ",\n};\n");
}

/* ---- members ------------------------------------------------------------- */

/* One row of a table, wrapped at 80 columns. */
typedef struct source_row {
    surety_buf *out;
    surety_buf item;
    size_t column;
    bool first;
} source_row;

static void row_begin(source_row *row)
{
    surety_buf_text(row->out, "    {");
    row->column = 5;
    row->first = true;
}

/* Appends the collected item. */
static void row_put(source_row *row, bool last)
{
    const size_t len = row->item.len;

    if (!row->first) {
        surety_buf_byte(row->out, ',');
        row->column++;
        if (row->column + 1 + len + (last ? 2 : 1) > 80) {
            surety_buf_text(row->out, "\n     ");
            row->column = 5;
        } else {
            surety_buf_byte(row->out, ' ');
            row->column++;
        }
    }
    surety_buf_add(row->out, surety_buf_str(&row->item));
    row->column += len;
    row->first = false;
    if (last)
        surety_buf_text(row->out, "},\n");
    if (row->item.status != SURETY_OK)
        row->out->status = row->item.status;
    surety_buf_reset(&row->item);
}

static void row_text(source_row *row, const char *text, bool last)
{
    surety_buf_text(&row->item, text);
    row_put(row, last);
}

/* Appends "offsetof(TYPE, BEFORE NAME AFTER)". */
static void row_offset(source_row *row, surety_str type, const char *before,
                       surety_str name, const char *after)
{
    surety_buf_text(&row->item, "offsetof(");
    surety_buf_add(&row->item, type);
    surety_buf_text(&row->item, ", ");
    surety_buf_text(&row->item, before);
    surety_buf_add(&row->item, name);
    surety_buf_text(&row->item, after);
    surety_buf_byte(&row->item, ')');
    row_put(row, false);
}

static bool source_is_stored(const surety__gen_node *node)
{
    return node->form != SURETY_TYPED_FIXED && node->form != GEN_NULL;
}

/* Appends the offsets of a member's value and its count. */
static void row_place(source_row *row, const surety__gen_node *node,
                      const surety__gen_member *member)
{
    const surety_str stem = surety__gen_stem(member->name);
    const bool span = surety__gen_is_span(member->node);
    surety_buf path;

    if (!source_is_stored(member->node)) {
        row_text(row, "NONE", false);
        row_text(row, "NONE", false);
        return;
    }
    if (node->form != SURETY_TYPED_UNION) {
        row_offset(row, node->in_c.name, "", member->name, "");
        if (span)
            row_offset(row, node->in_c.name, "", stem, "_count");
        else
            row_text(row, "NONE", false);
        return;
    }
    surety_buf_init(&path, row->out->alloc, 0);
    surety_buf_text(&path, "as.");
    surety_buf_add(&path, member->name);
    if (span)
        surety_buf_byte(&path, '.');
    surety_buf_byte(&path, '\0');
    if (path.status == SURETY_OK) {
        row_offset(row, node->in_c.name, path.ptr,
                   span ? member->name : (surety_str){NULL, 0}, "");
        if (span)
            row_offset(row, node->in_c.name, path.ptr, stem, "_count");
        else
            row_text(row, "NONE", false);
    } else {
        row->out->status = path.status;
    }
    surety_buf_done(&path);
}

static void row_flags(source_row *row, const surety__gen_node *node,
                      const surety__gen_member *member)
{
    const surety_str stem = surety__gen_stem(member->name);
    const bool is_union = node->form == SURETY_TYPED_UNION;

    if (!is_union && surety__gen_has(member))
        row_offset(row, node->in_c.name, "has_", stem, "");
    else if (!is_union && !member->required && !member->fill.doc)
        row_text(row, "POINTER", false);
    else
        row_text(row, "NONE", false);
    if (surety__gen_has_null(member))
        row_offset(row, node->in_c.name, "", stem, "_is_null");
    else if (member->nullable)
        row_text(row, "POINTER", false);
    else
        row_text(row, "NONE", false);
}

static void source_member(source_row *row, const surety__gen_model *model,
                          const surety__gen_node *node,
                          const surety__gen_member *member)
{
    row_begin(row);
    source_str(&row->item, model, member->json);
    row_put(row, false);
    surety_buf_add(&row->item, member->node->in_c.constant);
    row_put(row, false);
    row_place(row, node, member);
    row_flags(row, node, member);
    if (!member->pointer.ptr)
        surety_buf_text(&row->item, "NULL");
    else if (source_is_long(member->pointer))
        source_long(&row->item, model, member->pointer);
    else
        surety__gen_quote(&row->item, member->pointer);
    row_put(row, true);
}

static surety_str source_sort_name(const surety__gen_node *node, uint64_t i)
{
    return node->members[i].json;
}

/* The members' indices in the order of their names; a bottom-up merge sort. */
static uint32_t *source_sort(surety_gen *gen, const surety__gen_node *node)
{
    const uint32_t count = node->member_count;
    uint32_t *from = surety__gen_take(gen, count * sizeof(*from));
    uint32_t *to = surety__gen_take(gen, count * sizeof(*to));

    for (uint32_t i = 0; from && i < count; i++)
        from[i] = i;
    for (uint32_t width = 1; from && to && width < count; width *= 2) {
        uint32_t *swap = from;

        for (uint32_t low = 0; low < count; low += 2 * width) {
            const uint32_t middle = low + width < count ? low + width : count;
            const uint32_t high =
                low + 2 * width < count ? low + 2 * width : count;
            uint32_t a = low, b = middle;

            for (uint32_t k = low; k < high; k++)
                if (a < middle &&
                    (b >= high ||
                     surety__str_compare(source_sort_name(node, from[a]),
                                         source_sort_name(node, from[b])) <= 0))
                    to[k] = from[a++];
                else
                    to[k] = from[b++];
        }
        from = to;
        to = swap;
    }
    return from;
}

static bool source_is_sorted(const surety__gen_node *node)
{
    return node->form == SURETY_TYPED_STRUCT &&
           node->member_count >= SORTED_FROM;
}

static void source_sorted(surety_gen *gen, const surety__gen_node *node,
                          surety_buf *out)
{
    const uint32_t *sorted = source_sort(gen, node);
    size_t column = 4;

    surety_buf_text(out, "\n/* In the order of their names. */\n"
                         "static const uint32_t ");
    surety_buf_add(out, node->in_c.local);
    surety_buf_text(out, "_sorted[] = {\n   ");
    for (uint32_t i = 0; sorted && i < node->member_count; i++) {
        const size_t start = out->len;

        surety_buf_byte(out, ' ');
        surety_buf_number(out, sorted[i]);
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
    surety_buf_text(out, "\nstatic const surety_typed_member ");
    surety_buf_add(out, node->in_c.local);
    surety_buf_text(out, "_members[] = {\n");
    for (uint32_t i = 0; i < node->member_count; i++)
        source_member(&row, model, node, &node->members[i]);
    surety_buf_text(out, "};\n");
    surety_buf_done(&row.item);
    if (source_is_sorted(node))
        source_sorted(model->gen, node, out);
}

/* ---- types --------------------------------------------------------------- */

static void row_sizeof(source_row *row, surety_str type)
{
    surety_buf_text(&row->item, "sizeof(");
    surety_buf_add(&row->item, type);
    surety_buf_byte(&row->item, ')');
    row_put(row, false);
}

static const char *source_form(const surety__gen_node *node)
{
    static const char *const names[] = {
        "SURETY_TYPED_BOOL",   "SURETY_TYPED_INT",   "SURETY_TYPED_UINT",
        "SURETY_TYPED_REAL",   "SURETY_TYPED_TEXT",  "SURETY_TYPED_NUMBER",
        "SURETY_TYPED_ENUM",   "SURETY_TYPED_VALUE", "SURETY_TYPED_FIXED",
        "SURETY_TYPED_STRUCT", "SURETY_TYPED_TUPLE", "SURETY_TYPED_LIST",
        "SURETY_TYPED_MAP",    "SURETY_TYPED_UNION", "SURETY_TYPED_WRAP"};

    return node->form == GEN_NULL ? names[SURETY_TYPED_FIXED]
                                  : names[node->form];
}

/* The C type of a list's items or a map's values. */
static surety_str source_item_type(const surety__gen_node *item)
{
    return surety__gen_is_span(item) ? item->in_c.name
                                     : surety__gen_ctype(item);
}

/* Appends the size of the type in an array, and the stride of its elements. */
static void row_sizes(source_row *row, const surety__gen_node *node)
{
    const bool named = node->in_c.name.len > 0;

    if (!source_is_stored(node))
        row_text(row, "0", false);
    else if (!surety__gen_is_span(node))
        row_sizeof(row, surety__gen_ctype(node));
    else if (node->place.needs_holder && named)
        row_sizeof(row, node->in_c.name);
    else
        row_text(row, "0", false);
    if (node->form == SURETY_TYPED_LIST)
        row_sizeof(row, source_item_type(node->rest));
    else if (node->form == SURETY_TYPED_MAP)
        row_sizeof(row, node->in_c.entry);
    else if (node->form == SURETY_TYPED_UNION)
        row_sizeof(row, node->in_c.kind);
    else
        row_text(row, "0", false);
}

/* Appends members, words, their number, and the order by name. */
static void row_tables(source_row *row, const surety__gen_node *node)
{
    if (node->member_count) {
        surety_buf_add(&row->item, node->in_c.local);
        surety_buf_text(&row->item, "_members");
        row_put(row, false);
    } else {
        row_text(row, "NULL", false);
    }
    if (node->form == SURETY_TYPED_ENUM) {
        surety_buf_add(&row->item, node->in_c.local);
        surety_buf_text(&row->item, "_words");
    } else if (!source_is_stored(node)) {
        surety_buf_add(&row->item, node->in_c.local);
        surety_buf_text(&row->item, "_words");
    } else {
        surety_buf_text(&row->item, "NULL");
    }
    row_put(row, false);
    surety_buf_number(&row->item, node->form == SURETY_TYPED_ENUM
                                      ? node->word_count
                                      : node->member_count);
    row_put(row, false);
    if (source_is_sorted(node)) {
        surety_buf_add(&row->item, node->in_c.local);
        surety_buf_text(&row->item, "_sorted");
        row_put(row, false);
    } else {
        row_text(row, "NULL", false);
    }
}

static void row_rest(source_row *row, const surety__gen_node *node)
{
    if (!node->rest) {
        row_text(row, "NONE", false);
        row_text(row, "NONE", false);
        row_text(row, "NONE", true);
        return;
    }
    surety_buf_add(&row->item, node->rest->in_c.constant);
    row_put(row, false);
    if (node->form == SURETY_TYPED_MAP) {
        row_offset(row, node->in_c.entry, "", SURETY__LITERAL("value"), "");
        row_text(row, "NONE", true);
    } else if (node->form == SURETY_TYPED_LIST) {
        row_text(row, "NONE", false);
        row_text(row, "NONE", true);
    } else {
        row_offset(row, node->in_c.name, "", node->in_c.rest, "");
        surety_buf_text(&row->item, "offsetof(");
        surety_buf_add(&row->item, node->in_c.name);
        surety_buf_text(&row->item, ", ");
        surety_buf_add(&row->item, node->in_c.rest);
        surety_buf_text(&row->item, "_count)");
        row_put(row, true);
    }
}

static void source_type(const surety__gen_node *node, surety_buf *out)
{
    source_row row = {.out = out};
    surety_str name = node->in_c.name;

    if (!name.len && node->rest)
        name = source_item_type(node->rest);
    if (!name.len)
        name = node->form < SURETY_TYPED_FIXED ? surety__gen_ctype(node)
                                               : SURETY__LITERAL("fixed");
    surety_buf_init(&row.item, out->alloc, 0);
    row_begin(&row);
    row_text(&row, source_form(node), false);
    surety__gen_quote(&row.item, name);
    row_put(&row, false);
    row_sizes(&row, node);
    row_tables(&row, node);
    row_rest(&row, node);
    surety_buf_done(&row.item);
}

static void source_types(const surety__gen_model *model, surety_buf *out)
{
    surety_buf_text(out, "\nstatic const surety_typed_type ");
    source_name(out, model, "_types[] = {\n");
    for (size_t i = 0; i < model->order_count; i++)
        source_type(model->order[i], out);
    surety_buf_text(out, "};\n");
}

static void source_places(surety__gen_model *model, surety_buf *out)
{
    surety_str *names =
        surety__gen_take(model->gen, model->order_count * sizeof(*names));

    for (size_t i = 0; names && i < model->order_count; i++)
        names[i] = model->order[i]->in_c.constant;
    if (!names)
        return;
    surety_buf_text(out, "\n/* Places in the table of types. */\n");
    surety__gen_enum(out, "enum", names, model->order_count,
                     (surety_str){NULL, 0});
}

static void source_root(const surety__gen_model *model, surety_buf *out)
{
    surety_buf_text(out, "\nstatic const surety_typed ");
    source_name(out, model, "_typed = {\n    ");
    source_name(out, model, "_types,\n");
    surety__buf_printf(out, "    %zu,\n    ", model->order_count);
    surety_buf_add(out, model->root->in_c.constant);
    surety_buf_text(out, ",\n    ");
    surety__gen_quote(out, surety_contract_info_of(model->contract)->name);
    surety_buf_text(out, ",\n    ");
    source_name(out, model, "_text,\n};\n");
}

void surety__gen_source_write(surety__gen_model *model, surety_buf *out)
{
    surety_buf_text(out, "\n/* Tables. */\n/* clang-format off */\n");
    source_text(model, out);
    for (size_t i = 0; i < model->order_count; i++)
        source_arrays(model, model->order[i], out);
    for (size_t i = 0; i < model->order_count; i++) {
        if (model->order[i]->form == SURETY_TYPED_ENUM)
            source_words(model, model->order[i], out);
        else if (!source_is_stored(model->order[i]))
            source_fixed(model, model->order[i], out);
    }
    source_places(model, out);
    for (size_t i = 0; i < model->order_count; i++)
        if (model->order[i]->member_count)
            source_members(model, model->order[i], out);
    source_types(model, out);
    source_root(model, out);
    surety_buf_text(out, "/* clang-format on */\n");
    for (size_t i = 0; i < model->order_count; i++)
        if (model->order[i]->form == SURETY_TYPED_ENUM)
            source_word_functions(model->order[i], out);
    surety__gen_functions_define(model, out);
}
