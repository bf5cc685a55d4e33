/* SPDX-License-Identifier: Apache-2.0 */
/* Writes C text: comments, strings, calls that fit 80 columns. Text from a
 * contract cannot end or begin a comment, or be read as anything else: see
 * comment_word and quote_code. */
#include "gen/inside.h"

enum { PUT_COLUMNS = 80, PUT_COMMENT_MAX = 2000 };

void surety__gen_put(surety_buf *out, const char *text, surety_str name)
{
    for (;; text++) {
        const size_t len = strcspn(text, "@");

        surety_buf_append(out, text, len);
        text += len;
        if (*text == '\0')
            return;
        surety_buf_add(out, name);
    }
}

/* ---- comments ------------------------------------------------------------ */

/* Whether a character changes the direction of the text, or ends a line. */
static bool put_is_hidden(uint32_t code)
{
    return code == 0x61C || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
           (code >= 0x80 && code < 0xA0);
}

/* Whether a character takes two columns in a fixed-width font. */
static bool put_is_wide(uint32_t code)
{
    return (code >= 0x1100 && code <= 0x115F) ||
           (code >= 0x2E80 && code <= 0xA4CF && code != 0x303F) ||
           (code >= 0xAC00 && code <= 0xD7A3) ||
           (code >= 0xF900 && code <= 0xFAFF) ||
           (code >= 0xFE30 && code <= 0xFE6F) ||
           (code >= 0xFF00 && code <= 0xFF60) ||
           (code >= 0xFFE0 && code <= 0xFFE6) ||
           (code >= 0x20000 && code <= 0x3FFFD);
}

/* The next word of a comment, made safe. *ret_columns: its width. */
static surety_str comment_word(surety_str *text, surety_buf *word,
                               size_t *ret_columns)
{
    size_t i = 0, columns = 0;

    surety_buf_reset(word);
    while (i < text->len && (unsigned char)text->ptr[i] <= ' ')
        i++;
    while (i < text->len && (unsigned char)text->ptr[i] > ' ') {
        unsigned len = 1;
        const char byte = text->ptr[i];
        const char last = word->len ? word->ptr[word->len - 1] : '\0';
        const uint32_t code =
            surety__utf8_decode(text->ptr + i, text->ptr + text->len, &len);

        /* Prevents the end or beginning of a comment, and trigraphs. */
        if ((last == '*' && byte == '/') || (last == '/' && byte == '*') ||
            (last == '?' && byte == '?')) {
            surety_buf_byte(word, ' ');
            columns++;
        }
        if (put_is_hidden(code) || byte == 0x7F || code == 0xFFFFFFFF)
            surety_buf_byte(word, ' ');
        else
            surety_buf_append(word, text->ptr + i, len);
        columns += put_is_wide(code) ? 2 : 1;
        i += len;
    }
    surety__str_skip(text, i);
    *ret_columns = columns;
    return surety_buf_str(word);
}

static void put_indent(surety_buf *out, size_t indent)
{
    for (size_t i = 0; i < indent; i++)
        surety_buf_byte(out, ' ');
}

void surety__gen_comment(surety_buf *out, size_t indent, surety_str text)
{
    size_t column = indent + 2, written = 0;
    surety_buf word;

    assert(indent < PUT_COLUMNS / 2);
    surety_buf_init(&word, out->alloc, 0);
    put_indent(out, indent);
    surety_buf_text(out, "/*");
    while (text.len && word.status == SURETY_OK && out->status == SURETY_OK) {
        size_t columns;
        const surety_str next = comment_word(&text, &word, &columns);

        if (!next.len)
            break;
        written += columns + 1;
        if (written > PUT_COMMENT_MAX) {
            surety_buf_text(out, " ...");
            break;
        }
        /* Leaves space for " * /" after the last word. */
        if (column + 1 + columns + 3 > PUT_COLUMNS && column > indent + 2) {
            surety_buf_byte(out, '\n');
            put_indent(out, indent);
            surety_buf_text(out, " *");
            column = indent + 2;
        }
        surety_buf_byte(out, ' ');
        surety_buf_add(out, next);
        column += 1 + columns;
    }
    if (column + 3 > PUT_COLUMNS) {
        surety_buf_byte(out, '\n');
        put_indent(out, indent);
    }
    surety_buf_text(out, " */\n");
    surety__buf_end(&word, &out->status);
}

/* ---- strings ------------------------------------------------------------- */

static void quote_code(surety_buf *out, const char *ptr, unsigned len,
                       uint32_t code)
{
    static const char letters[] = "a\ab\bf\fn\nr\rt\tv\v";

    for (size_t i = 1; i < sizeof(letters); i += 2)
        if (len == 1 && *ptr == letters[i] && *ptr) {
            surety_buf_byte(out, '\\');
            surety_buf_byte(out, letters[i - 1]);
            return;
        }
    if (len == 1 && (*ptr == '"' || *ptr == '\\'))
        surety_buf_byte(out, '\\');
    else if (len == 1 && *ptr == '?' && out->len &&
             out->ptr[out->len - 1] == '?')
        surety_buf_byte(out, '\\');
    if (code >= 0x20 && code != 0x7F && code != 0xFFFFFFFF &&
        !put_is_hidden(code)) {
        surety_buf_append(out, ptr, len);
        return;
    }
    /* Three octal digits, so that a following digit is not part of the
     * escape. */
    for (unsigned i = 0; i < len; i++)
        surety__buf_printf(out, "\\%03o", (unsigned char)ptr[i]);
}

void surety__gen_quote(surety_buf *out, surety_str text)
{
    surety_buf_byte(out, '"');
    for (size_t i = 0; i < text.len && out->status == SURETY_OK;) {
        unsigned len = 1;
        const uint32_t code =
            surety__utf8_decode(text.ptr + i, text.ptr + text.len, &len);

        quote_code(out, text.ptr + i, len, code);
        i += len;
    }
    surety_buf_byte(out, '"');
}

/* ---- enums --------------------------------------------------------------- */

void surety__gen_enum(surety_buf *out, surety_str head, const surety_str *words,
                      size_t count, surety_str name)
{
    size_t len = head.len + name.len + 4 + (name.len > 0);
    bool flat;

    for (size_t i = 0; i < count; i++)
        len += words[i].len + 2;
    flat = len <= PUT_COLUMNS;
    surety_buf_add(out, head);
    surety_buf_text(out, flat ? " { " : " {\n");
    for (size_t i = 0; i < count; i++) {
        if (!flat)
            put_indent(out, 4);
        surety_buf_add(out, words[i]);
        if (i + 1 < count)
            surety_buf_byte(out, ',');
        surety_buf_byte(out, flat ? ' ' : '\n');
    }
    surety_buf_byte(out, '}');
    if (name.len)
        surety_buf_byte(out, ' ');
    surety_buf_add(out, name);
    surety_buf_text(out, ";\n");
}

/* ---- calls --------------------------------------------------------------- */

/* Takes the first argument; *ret_end: what follows it at least, a comma or the
 * parenthesis and the tail. */
static surety_str call_next(surety_str *arguments, size_t tail_len,
                            size_t *ret_end)
{
    const size_t len = surety__str_find(*arguments, SURETY__LITERAL("\n"));
    const surety_str argument = {arguments->ptr, len};
    const bool last = len == arguments->len;

    *ret_end = last ? 1 + tail_len : 1;
    arguments->ptr = last ? NULL : arguments->ptr + len + 1;
    arguments->len -= last ? len : len + 1;
    return argument;
}

/* Whether every argument fits on its own line at that column. */
static bool call_fits(surety_str arguments, size_t column, size_t tail_len)
{
    size_t end;

    do {
        const size_t len = call_next(&arguments, tail_len, &end).len;

        if (column + len + end > PUT_COLUMNS)
            return false;
    } while (arguments.ptr);
    return true;
}

/* Writes the arguments in lines that begin at that column; out NULL: only
 * counts the lines. */
static size_t call_fill(surety_buf *out, surety_str arguments, size_t column,
                        size_t tail_len)
{
    size_t at = column, lines = 1, end;
    bool first = true;

    do {
        const surety_str argument = call_next(&arguments, tail_len, &end);
        const bool wraps = !first && at + 1 + argument.len + end > PUT_COLUMNS;

        at = wraps ? column : at + !first;
        lines += wraps;
        if (out && wraps) {
            surety_buf_byte(out, '\n');
            put_indent(out, column);
        } else if (out && !first) {
            surety_buf_byte(out, ' ');
        }
        if (out) {
            surety_buf_add(out, argument);
            surety_buf_text(out, arguments.ptr ? "," : "");
        }
        at += argument.len + 1;
        first = false;
    } while (arguments.ptr);
    return lines;
}

/* The length of the type at the beginning of a declaration; 0: it is a call. */
static size_t call_type(surety_str head, size_t indent)
{
    size_t len = head.len;

    if (indent)
        return 0;
    while (len && head.ptr[len - 1] != ' ' && head.ptr[len - 1] != '*')
        len--;
    return len;
}

/* If a call does not fit on one line, but does after the "=" of its head,
 * begins a new line after the "=". Returns the rest of the head. */
static surety_str call_assign(surety_buf *out, size_t indent, surety_str head,
                              surety_str arguments, size_t tail_len)
{
    const surety_str equals = SURETY__LITERAL(" = ");
    const size_t at = surety__str_find(head, equals);
    size_t width = head.len + arguments.len + 2 + tail_len;

    for (size_t i = 0; i < arguments.len; i++)
        width += arguments.ptr[i] == '\n';
    if (at == head.len || indent + width <= PUT_COLUMNS ||
        indent + 4 + width - at - equals.len > PUT_COLUMNS)
        return head;
    surety_buf_append(out, head.ptr, at + 2);
    surety_buf_byte(out, '\n');
    put_indent(out, indent + 4);
    return (surety_str){head.ptr + at + equals.len, head.len - at - equals.len};
}

void surety__gen_call(surety_buf *out, size_t indent, surety_str head,
                      surety_str arguments, const char *tail)
{
    const size_t tail_len = strcspn(tail, "\n");
    const size_t type_len = call_type(head, indent);
    const size_t alone = head.len - type_len + 1;
    const bool is_void = surety__str_starts(head, SURETY__LITERAL("void "));
    size_t column;

    put_indent(out, indent);
    head = call_assign(out, indent, head, arguments, tail_len);
    column = indent + head.len + 1;
    if (call_fits(arguments, column, tail_len)) {
        surety_buf_add(out, head);
        surety_buf_byte(out, '(');
    } else if (type_len && call_fits(arguments, alone, tail_len) &&
               (column > PUT_COLUMNS ||
                call_fill(NULL, arguments, alone, tail_len) + is_void <=
                    call_fill(NULL, arguments, indent + 4, tail_len))) {
        const bool star = head.ptr[type_len - 1] == '*';

        column = alone;
        surety_buf_append(out, head.ptr, star ? type_len : type_len - 1);
        surety_buf_byte(out, '\n');
        surety_buf_append(out, head.ptr + type_len, head.len - type_len);
        surety_buf_byte(out, '(');
    } else {
        column = indent + 4;
        surety_buf_add(out, head);
        surety_buf_text(out, "(\n");
        put_indent(out, column);
    }
    call_fill(out, arguments, column, tail_len);
    surety_buf_byte(out, ')');
    surety_buf_text(out, tail);
}
