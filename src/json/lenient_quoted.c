/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, strings: in any kind of quotes, and with characters that
 * models forget to escape.
 *
 * 1. A string refers to its bytes in the text as long as they equal its value.
 *    At the first byte that differs it moves to the doc's own block, as in the
 *    strict reader.
 * 2. lenient_ahead.c decides which quote ends a string. */
#include "json/lenient.h"

/* ---- bytes -------------------------------------------------------------- */

/* Appends len bytes to the own block. */
static enum lenient_step quoted_append(surety_lenient *lenient, const char *ptr,
                                       size_t len)
{
    surety_doc *doc = lenient->doc;

    if ((doc->own_cap - doc->own_len < len || !doc->own) &&
        surety__lenient_own(lenient, len + 1))
        return STEP_FAIL;
    if (len)
        memcpy(doc->own + doc->own_len, ptr, len);
    doc->own_len += len;
    return STEP_GO;
}

/* Moves the bytes that were read of the string to the own block. */
static enum lenient_step quoted_own(surety_lenient *lenient)
{
    struct quoted *quoted = &lenient->quoted;

    assert(lenient->at >= quoted->body);
    if (quoted->own)
        return STEP_GO;
    quoted->own = true;
    quoted->start = lenient->doc->own_len;
    return quoted_append(lenient, lenient->text + quoted->body,
                         lenient->at - quoted->body);
}

/* Adds the next len bytes of the text to the string as they are. */
static enum lenient_step quoted_take(surety_lenient *lenient, size_t len)
{
    assert(len <= lenient->end - lenient->at);
    if (lenient->quoted.own &&
        quoted_append(lenient, lenient->text + lenient->at, len))
        return STEP_FAIL;
    lenient->at += len;
    return STEP_GO;
}

/* Skips len bytes of the text and adds the count bytes at ptr instead. */
static enum lenient_step quoted_replace(surety_lenient *lenient, size_t len,
                                        const char *ptr, size_t count)
{
    assert(len <= lenient->end - lenient->at);
    if (quoted_own(lenient) || quoted_append(lenient, ptr, count))
        return STEP_FAIL;
    lenient->quoted.high |= count && (unsigned char)*ptr >= 0x80;
    lenient->at += len;
    return STEP_GO;
}

/* Records a repair once per string. */
static enum lenient_step quoted_repair(surety_lenient *lenient,
                                       enum surety__repair_kind kind,
                                       size_t len, const char *read)
{
    const uint64_t bit = (uint64_t)1 << kind;

    if (lenient->quoted.repairs & bit)
        return STEP_GO;
    lenient->quoted.repairs |= bit;
    return surety__lenient_repair(lenient, kind, lenient->at, len, read);
}

/* ---- escapes ------------------------------------------------------------ */

/* Returns the value of four hexadecimal digits at `at`; -1: they are none; -2:
 * more bytes are needed. */
static int32_t quoted_hex(const surety_lenient *lenient, size_t at)
{
    int32_t code = 0;

    for (size_t i = 0; i < 4; i++) {
        uint32_t digit;

        if (at + i == lenient->end)
            return -2;
        digit = surety__hex_digit(lenient->text[at + i]);
        if (digit > 15)
            return -1;
        code = code << 4 | (int32_t)digit;
    }
    return code;
}

/* Reads a \u escape at `at`. lead: the bytes of its backslashes. */
static enum lenient_step quoted_unicode(surety_lenient *lenient, size_t lead)
{
    const size_t at = lenient->at, digits = at + lead + 1;
    int32_t code = quoted_hex(lenient, digits), low = -1;
    char bytes[4];
    size_t len = lead + 5;

    if (code == -2)
        return lenient_more(lenient);
    if (code == -1) {
        if (quoted_repair(lenient, REPAIR_INVALID_UNICODE_ESCAPE, lead + 1,
                          "\\\\u"))
            return STEP_FAIL;
        return lead == 1 ? quoted_take(lenient, 2)
                         : quoted_replace(lenient, lead + 1, "\\u", 2);
    }
    if (code >= 0xD800 && code <= 0xDBFF) {
        const size_t next = at + len;

        for (size_t i = 0; i < lead + 1; i++) {
            if (next + i == lenient->end)
                return lenient_more(lenient);
            if (lenient->text[next + i] != (i < lead ? '\\' : 'u'))
                break;
            if (i == lead)
                low = quoted_hex(lenient, next + lead + 1);
        }
        if (low == -2)
            return lenient_more(lenient);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            len *= 2;
        }
    }
    if (code >= 0xD800 && code <= 0xDFFF) {
        if (surety__lenient_repair(lenient, REPAIR_LONE_SURROGATE, at, len,
                                   "\xEF\xBF\xBD"))
            return STEP_FAIL;
        code = 0xFFFD;
    }
    return quoted_replace(lenient, len, bytes,
                          surety__utf8_encode((uint32_t)code, bytes));
}

/* Leaves out a backslash and the line end behind it, at `at`. */
static enum lenient_step quoted_continue(surety_lenient *lenient)
{
    const char *text = lenient->text + lenient->at;
    size_t len = 2;

    if (text[1] == '\r') {
        if (lenient->at + 2 == lenient->end && !lenient->final)
            return surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
        len += lenient->at + 2 < lenient->end && text[2] == '\n';
    }
    if (quoted_repair(lenient, REPAIR_LINE_CONTINUATION, len, ""))
        return STEP_FAIL;
    return quoted_replace(lenient, len, "", 0);
}

static bool quoted_is_letter(char byte)
{
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
}

/* Returns whether the string so far is the beginning of a path of Windows
 * (D:\name, \\server\name) whose backslashes are not doubled. */
static bool quoted_is_path(const surety_lenient *lenient)
{
    const char *body = lenient->text + lenient->quoted.body;
    const size_t len = lenient->at - lenient->quoted.body;

    size_t server = 2;

    /* The text of a string that was repaired is not its value. */
    if (lenient->doc->repairs.total != lenient->quoted.noted)
        return false;
    while (server < len && lenient_is_name(body[server]))
        server++;
    if (len < 2 || (memcmp(body, "\\\\", 2) || server == 2 ||
                    (server < len && body[server] != '\\')))
        if (len < 2 || body[1] != ':' || body[2] != '\\' ||
            !quoted_is_letter(*body))
            return false;
    for (size_t i = 2; i + 1 < len; i++)
        if (body[i] == '\\' && !lenient_is_name(body[i + 1]))
            return false;
    return true;
}

/* Reads the backslash at `at` in a path: one of its backslashes begins no
 * escape, so none does. escape: this one would begin one. */
static enum lenient_step quoted_path(surety_lenient *lenient, bool escape)
{
    struct quoted *quoted = &lenient->quoted;
    const bool first = !quoted->path;

    quoted->path = true;
    if (quoted_repair(lenient,
                      escape || quoted->own ? REPAIR_PLAIN_BACKSLASH
                                            : REPAIR_INVALID_ESCAPE,
                      1, "\\\\"))
        return STEP_FAIL;
    if (first && quoted->own) {
        lenient->doc->own_len = quoted->start;
        quoted->own = false;
    }
    return quoted_take(lenient, 1);
}

/* Returns 1 when a command of LaTeX is behind the backslash at `at` that could
 * begin an escape; 0 when not, or -1 when more bytes are needed. Nobody means a
 * backspace or a form feed before a word; of the others the whole word must be
 * a command. */
static int quoted_command(const surety_lenient *lenient, size_t at)
{
    static const char *const commands[] = {
        "nabla",  "natural", "nearrow",    "neg",   "neq",    "not",    "notin",
        "nu",     "rangle",  "rbrace",     "rceil", "rfloor", "rho",    "right",
        "rm",     "tan",     "rightarrow", "tanh",  "tau",    "tbinom", "text",
        "textbf", "textit",  "textrm",     "tfrac", "theta",  "tilde",  "times",
        "to",     "top",     "triangle"};
    const surety_str rest = {lenient->text + at + 1, lenient->end - at - 1};
    surety_str word = {rest.ptr, 0};

    while (word.len < rest.len && word.len < 16 &&
           quoted_is_letter(rest.ptr[word.len]))
        word.len++;
    if (word.len == rest.len && !lenient->final)
        return -1;
    if (word.len > 1 && (*word.ptr == 'b' || *word.ptr == 'f'))
        return 1;
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        if (surety_str_equal(word, surety_str_of(commands[i])))
            return 1;
    return 0;
}

/* Whether the backslash at `at`, which begins no escape, is one of LaTeX. */
static bool quoted_is_math(const surety_lenient *lenient)
{
    const char *text = lenient->text + lenient->at;

    return memchr("()[]{}", text[1], 6) ||
           (quoted_is_letter(text[1]) && lenient->end - lenient->at > 2 &&
            quoted_is_letter(text[2]));
}

/* A backslash that LaTeX has and JSON has not was read: commands are read as
 * they are from now on. Where one was taken for an escape, the string is read
 * again from its beginning, which *ret_again says. */
static void quoted_math(surety_lenient *lenient, bool *ret_again)
{
    struct quoted *quoted = &lenient->quoted;
    size_t at = quoted->body;

    *ret_again = false;
    quoted->math = true;
    if (!quoted->own || quoted->dirty ||
        lenient->doc->repairs.total != quoted->noted)
        return;
    for (; at < lenient->at; at++) {
        if (lenient->text[at] != '\\')
            continue;
        if (quoted_command(lenient, at) == 1)
            break;
        at++;
    }
    lenient->work += at - quoted->body;
    if (at >= lenient->at)
        return;
    lenient->doc->own_len = quoted->start;
    quoted->own = quoted->decoded = false;
    lenient->at = quoted->body;
    *ret_again = true;
}

/* Reads the backslash at `at`, which begins no escape of JSON; byte is behind
 * it. */
static enum lenient_step quoted_plain(surety_lenient *lenient, char byte)
{
    struct quoted *quoted = &lenient->quoted;
    bool again;

    /* A backslash before a line end continues the line in the next one (JSON5,
     * section 5.1). */
    if (byte == '\n' || byte == '\r')
        return quoted_continue(lenient);
    if (quoted->key && byte == '_') {
        /* Markdown escapes it so. */
        if (quoted_repair(lenient, REPAIR_INVALID_ESCAPE, 2, "_"))
            return STEP_FAIL;
        return quoted_replace(lenient, 2, "_", 1);
    }
    if (quoted_is_path(lenient))
        return quoted_path(lenient, false);
    if (!quoted->math && lenient->at + 2 == lenient->end && !lenient->final)
        return surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
    if (!quoted->math && quoted_is_math(lenient)) {
        quoted_math(lenient, &again);
        if (again)
            return STEP_GO;
    }
    quoted->kept |= quoted_is_letter(byte);
    if (quoted_repair(lenient,
                      quoted->decoded && quoted_is_letter(byte)
                          ? REPAIR_MIXED_ESCAPE
                          : REPAIR_INVALID_ESCAPE,
                      1, "\\\\"))
        return STEP_FAIL;
    return quoted_take(lenient, 1);
}

/* Reads the backslash at `at`, in a string whose quotes are not escaped. */
static enum lenient_step quoted_escape(surety_lenient *lenient)
{
    struct quoted *quoted = &lenient->quoted;
    const size_t at = lenient->at;
    char byte, decoded;

    if (at + 1 == lenient->end)
        return lenient_more(lenient);
    byte = lenient->text[at + 1];
    if (quoted->path && lenient_is_name(byte))
        return quoted_path(lenient, byte == 'u' || scan_escape(byte));
    if (byte == 'u') {
        if (quoted_hex(lenient, at + 2) == -1 && quoted_is_path(lenient))
            return quoted_path(lenient, true);
        return quoted_unicode(lenient, 1);
    }
    if (byte == '&' && quoted->style == STYLE_ENTITY) {
        const struct sign quote = lenient_sign(lenient, at + 1);

        if (quote.lack)
            return lenient_more(lenient);
        if (quote.code == SIGN_QUOTE)
            return quoted_replace(lenient, 1u + quote.len, "\"", 1);
    }
    decoded = scan_escape(byte);
    if (decoded && quoted->math && quoted_is_letter(byte)) {
        const int command = quoted_command(lenient, at);

        if (command < 0)
            return surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
        if (command && quoted_repair(lenient, REPAIR_LATEX, 1, "\\\\"))
            return STEP_FAIL;
        if (command)
            return quoted_take(lenient, 1);
    }
    if (decoded && quoted_is_letter(byte)) {
        /* Of \new\data one or both backslashes may have been meant. */
        quoted->decoded = true;
        if (quoted->kept &&
            quoted_repair(lenient, REPAIR_MIXED_ESCAPE, 2, "\\"))
            return STEP_FAIL;
    }
    if (decoded)
        return quoted_replace(lenient, 2, &decoded, 1);
    if (byte == '\'' || byte == '`') {
        if (quoted->style != (byte == '`' ? STYLE_BACKTICK : STYLE_SINGLE) &&
            quoted_repair(lenient, REPAIR_INVALID_ESCAPE, 2,
                          byte == '\'' ? "'" : "`"))
            return STEP_FAIL;
        return quoted_replace(lenient, 2, &byte, 1);
    }
    return quoted_plain(lenient, byte);
}

/* Reads the backslash at `at`, in a string that was escaped as a whole, quotes
 * included: two backslashes mean one. */
static enum lenient_step quoted_escaped(surety_lenient *lenient)
{
    const size_t at = lenient->at, left = lenient->end - at;
    const char *text = lenient->text + at;
    char byte;

    if (left < 2)
        return lenient_more(lenient);
    if (text[1] != '\\') {
        byte = scan_escape(text[1]);
        if (byte)
            return quoted_replace(lenient, 2, &byte, 1);
        return quoted_take(lenient, 1);
    }
    if (left < 3)
        return lenient_more(lenient);
    if (text[2] == '\\') {
        if (left < 4)
            return lenient_more(lenient);
        if (text[3] == '"' || text[3] == '\\')
            return quoted_replace(lenient, 4, text + 3, 1);
        return quoted_replace(lenient, 2, "\\", 1);
    }
    if (text[2] == 'u')
        return quoted_unicode(lenient, 2);
    byte = scan_escape(text[2]);
    if (byte)
        return quoted_replace(lenient, 3, &byte, 1);
    return quoted_replace(lenient, 2, "\\", 1);
}

/* Reads the ampersand at `at`, in a string whose quotes are entities. */
static enum lenient_step quoted_entity(surety_lenient *lenient)
{
    static const char *const entities[][2] = {
        {"&amp;", "&"},  {"&lt;", "<"},  {"&gt;", ">"},
        {"&#34;", "\""}, {"&#39;", "'"}, {"&apos;", "'"},
    };
    const char *text = lenient->text + lenient->at;
    const size_t left = lenient->end - lenient->at;

    for (size_t i = 0; i < sizeof(entities) / sizeof(*entities); i++) {
        const size_t len = strlen(entities[i][0]);

        if (memcmp(text, entities[i][0], left < len ? left : len) != 0)
            continue;
        if (left >= len)
            return quoted_replace(lenient, len, entities[i][1], 1);
        if (!lenient->final)
            return surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
    }
    return quoted_take(lenient, 1);
}

/* ---- ends --------------------------------------------------------------- */

/* Makes the cell of the string; the machine continues at next. */
static enum lenient_step quoted_close(surety_lenient *lenient, size_t next)
{
    const struct quoted *quoted = &lenient->quoted;
    surety_doc *doc = lenient->doc;
    const size_t off = quoted->own ? quoted->start : quoted->body;
    const size_t len =
        quoted->own ? doc->own_len - quoted->start : lenient->at - off;
    uint8_t flags = quoted->high ? 0 : FLAG_ASCII;
    uint16_t hash = 0;
    surety__cell *cell;

    assert(lenient->at >= quoted->body && next >= lenient->at);
    if (quoted->key && len > doc->limits.key_len_max)
        return surety__lenient_limit(lenient, quoted->place, FAULT_KEY_LEN);
    if (!quoted->key && len > doc->limits.string_len_max)
        return surety__lenient_limit(lenient, quoted->place, FAULT_STRING);
    cell = surety__lenient_cell(lenient, quoted->place);
    if (!cell)
        return STEP_FAIL;
    if (quoted->own)
        flags |= FLAG_OWN;
    if (quoted->key)
        hash = (uint16_t)surety__hash(
            (quoted->own ? doc->own : lenient->text) + off, len);
    surety__cell_head(cell, quoted->key ? CELL_KEY : CELL_STRING, flags, hash,
                      (uint32_t)quoted->place);
    surety__cell_text(cell, (uint32_t)len, (uint32_t)off);
    lenient->at = next;
    if (quoted->key) {
        lenient->last.key = true;
        lenient->state = LENIENT_COLON;
        return STEP_GO;
    }
    surety__lenient_placed(lenient, next);
    return STEP_GO;
}

/* Joins the string and the next one, which begins after the quote of len
 * bytes. */
static enum lenient_step quoted_join(surety_lenient *lenient, size_t len)
{
    struct ahead ahead = {.lenient = lenient, .at = lenient->at + len};
    struct sign sign = surety__ahead_sign(&ahead);

    if (sign.code == '+') {
        ahead.at += sign.len;
        sign = surety__ahead_sign(&ahead);
    }
    if (quoted_own(lenient) ||
        surety__lenient_repair(lenient, REPAIR_STRING_CONCATENATION,
                               lenient->at, ahead.at + sign.len - lenient->at,
                               ""))
        return STEP_FAIL;
    lenient->quoted.style = sign.style;
    lenient->quoted.dirty = false;
    lenient->at = ahead.at + sign.len;
    return STEP_GO;
}

/* Turns the string into a key: of the object around an array that was not
 * closed, or of an object without braces at the root. */
static enum lenient_step quoted_name(surety_lenient *lenient, size_t len)
{
    if (lenient->open == PLACE_NONE) {
        if (surety__lenient_repair(lenient, REPAIR_BRACES_MISSING,
                                   lenient->quoted.place, 0, "{"))
            return STEP_FAIL;
        /* The machine reads the string again, as a key. */
        return surety__lenient_open(lenient, CELL_OBJECT, LENIENT_LOOSE,
                                    lenient->quoted.place, 0);
    }
    if (surety__lenient_repair(lenient, REPAIR_MISSING_CLOSE, lenient->last.end,
                               0, "]") ||
        surety__lenient_close(lenient, lenient->last.end))
        return STEP_FAIL;
    lenient->marks.hoisted = lenient->open + 1;
    lenient->quoted.key = true;
    return quoted_close(lenient, lenient->at + len);
}

/* Returns the length of a quote of another style at the end of the string. It
 * was meant as the closing quote if the string contains no other one like it.
 * end: the offset after the string. 0: there is none. */
static size_t quoted_other(const surety_lenient *lenient, size_t end)
{
    const char *text = lenient->text;
    const size_t body = lenient->quoted.body;
    const char first = lenient->quoted.style == STYLE_SINGLE ? '"' : '\'';

    if (lenient->quoted.key || end == body)
        return 0;
    if (text[end - 1] == first)
        return text[end - 2] != '\\' &&
               !memchr(text + body, first, end - 1 - body);
    if (end - body < 3 || memcmp(text + end - 3, "\xE2\x80\x9D", 3))
        return 0;
    return surety__str_find((surety_str){text + body, end - body},
                            SURETY__LITERAL("\xE2\x80\x9C")) < end - body
               ? 0
               : 3;
}

/* Takes back that control characters are in the string, where it ends before
 * them. */
static void quoted_forget(surety_lenient *lenient, size_t end)
{
    static const enum surety__repair_kind kinds[] = {REPAIR_CONTROL_CHARACTER,
                                                     REPAIR_LINE_IN_KEY};

    for (size_t i = 0; i < SURETY__COUNT(kinds); i++)
        if (lenient->quoted.repairs >> kinds[i] & 1 &&
            lenient->quoted.control_at >= end)
            surety__doc_repair_drop(lenient->doc, kinds[i]);
}

/* Ends the string at `early`, before a comma, bracket or line end. */
static enum lenient_step quoted_early(surety_lenient *lenient)
{
    const size_t next = lenient->early;
    const size_t other = quoted_other(lenient, next), end = next - other;

    assert(end >= lenient->quoted.body && next <= lenient->at);
    /* A line end after the string is no control character of the string. */
    quoted_forget(lenient, end);
    if (surety__lenient_repair(lenient, REPAIR_MISSING_QUOTE, end, other, "\""))
        return STEP_FAIL;
    if (lenient->quoted.own)
        lenient->doc->own_len -= lenient->at - end;
    lenient->at = end;
    return quoted_close(lenient, next);
}

/* Ends a key at a quote of len bytes that is not its own. */
static enum lenient_step quoted_other_end(surety_lenient *lenient, size_t len)
{
    if (surety__lenient_repair(lenient, REPAIR_MISSING_QUOTE, lenient->at, len,
                               "\""))
        return STEP_FAIL;
    return quoted_close(lenient, lenient->at + len);
}

/* Ends a block of code before its marks at `at`, and the line end before
 * them. */
static enum lenient_step quoted_fence_end(surety_lenient *lenient)
{
    const char *text = lenient->text;
    const size_t next = lenient->at + 3, body = lenient->quoted.body;
    size_t end = lenient->at;

    end -= end > body && text[end - 1] == '\n';
    end -= end > body && text[end - 1] == '\r';
    quoted_forget(lenient, end);
    if (lenient->quoted.own)
        lenient->doc->own_len -= lenient->at - end;
    lenient->at = end;
    return quoted_close(lenient, next);
}

/* Reads a quote of len bytes at `at`. */
static enum lenient_step quoted_quote(surety_lenient *lenient, size_t len)
{
    struct quoted *quoted = &lenient->quoted;

    switch (surety__ahead_closing(lenient, lenient->at, len)) {
    case CLOSING_YES: return quoted_close(lenient, lenient->at + len);
    case CLOSING_JOIN: return quoted_join(lenient, len);
    case CLOSING_NAME: return quoted_name(lenient, len);
    case CLOSING_EARLIER: return quoted_early(lenient);
    case CLOSING_WAIT: return STEP_WAIT;
    default: break;
    }
    if (surety__lenient_repair(
            lenient, REPAIR_UNESCAPED_QUOTE, lenient->at, len,
            lenient->text[lenient->at] == '\'' ? "'" : "\\\""))
        return STEP_FAIL;
    quoted->dirty = true;
    quoted->high |=
        len > 1 && (unsigned char)lenient->text[lenient->at] >= 0x80;
    if (quoted->style == STYLE_ESCAPED)
        return quoted_replace(lenient, len, "\"", 1);
    return quoted_take(lenient, len);
}

/* Reads a double quote at `at` in a string in single quotes: it belongs to the
 * string, or opens the next key. */
static enum lenient_step quoted_double(surety_lenient *lenient)
{
    switch (surety__ahead_early(lenient, lenient->at)) {
    case CLOSING_WAIT: return STEP_WAIT;
    case CLOSING_EARLIER: return quoted_early(lenient);
    default: return quoted_take(lenient, 1);
    }
}

/* Ends the text in a string: the text is cut off. But if its last bytes are
 * exactly the brackets that close the open containers, and these brackets do
 * not belong to the string, then only the closing quote is missing. */
static enum lenient_step quoted_end(surety_lenient *lenient)
{
    const char *text = lenient->text;
    const surety__cell *cells = lenient->doc->cells;
    uint32_t open = lenient->open;
    size_t end = lenient->end;
    int64_t nest = 0;

    if (lenient->options.cut || lenient->options.strict ||
        lenient->options.certain_only || lenient->quoted.key ||
        open == PLACE_NONE || lenient->quoted.style > STYLE_SINGLE ||
        lenient->quoted.repairs >> REPAIR_LINE_CONTINUATION & 1 ||
        cells[open].flags & LENIENT_LOOSE)
        return STEP_CUT;
    /* Compare the brackets from the last to the first with the containers from
     * the outermost inwards. */
    for (uint32_t up = lenient->depth; up > 0; up--) {
        open = lenient->open;
        for (uint32_t i = 1; i < up; i++)
            open = cells[open].span;
        while (end > lenient->quoted.body && scan_is_space(text[end - 1]))
            end--;
        if (end == lenient->quoted.body || cells[open].flags & LENIENT_TWICE ||
            text[end - 1] != lenient_closer(&cells[open]))
            return STEP_CUT;
        end--;
        if (up > LENIENT_CLOSERS)
            return STEP_CUT;
    }
    while (end > lenient->quoted.body && scan_is_space(text[end - 1]))
        end--;
    for (size_t i = lenient->quoted.body; i < end; i++)
        nest += (text[i] == '{' || text[i] == '[') -
                (text[i] == '}' || text[i] == ']');
    if (nest || end == lenient->quoted.body)
        return STEP_CUT;
    lenient->early = end;
    return quoted_early(lenient);
}

/* ---- the machine -------------------------------------------------------- */

/* Returns the length of a quote at `at` that may end the string; 0: there is
 * none; -1: more bytes are needed. */
static int quoted_candidate(const surety_lenient *lenient)
{
    const size_t at = lenient->at, left = lenient->end - at;
    const char *text = lenient->text + at;
    const uint8_t style = lenient->quoted.style;
    struct sign sign;

    if (style == STYLE_TRIPLE || style == STYLE_TRIPLE_SINGLE) {
        const char quote = style == STYLE_TRIPLE ? '"' : '\'';

        for (size_t i = 0; i < 4; i++) {
            if (i == left)
                return lenient->final && i > 2 ? 3 : lenient->final ? 0 : -1;
            if (text[i] != quote)
                return i > 2 ? 3 : 0;
        }
        return 0; /* the last three of four quotes end the string */
    }
    if (style == STYLE_DOUBLED || style == STYLE_FENCE) {
        const char *close = style == STYLE_FENCE ? "```" : "\"\"";
        const size_t len = strlen(close);

        if (memcmp(text, close, left < len ? left : len) != 0)
            return 0;
        return left >= len ? (int)len : lenient->final ? 0 : -1;
    }
    sign = lenient_sign(lenient, at);
    if (sign.lack)
        return -1;
    if (sign.code != SIGN_QUOTE)
        return 0;
    if (sign.style == style ||
        (style == STYLE_CURLY && sign.style == STYLE_DOUBLE) ||
        (style == STYLE_CURLY_SINGLE && sign.style == STYLE_SINGLE))
        return sign.len;
    return 0;
}

/* Returns the first byte from ptr on that the string cannot take as it is. */
static const char *quoted_scan(const char *ptr, const char *end, uint8_t style)
{
    const char quote = style == STYLE_BACKTICK || style == STYLE_FENCE ? '`'
                       : style == STYLE_ENTITY                         ? '&'
                                                                       : '\'';

    if (style == STYLE_DOUBLE || style == STYLE_ESCAPED ||
        style == STYLE_TRIPLE || style == STYLE_DOUBLED)
        return scan_plain(ptr, end, end);
    while (ptr < end && (unsigned char)*ptr >= 0x20 &&
           (unsigned char)*ptr < 0x80 && *ptr != quote && *ptr != '"' &&
           *ptr != '\\')
        ptr++;
    return ptr;
}

static enum lenient_step quoted_control(surety_lenient *lenient)
{
    static const char *const names[] = {
        "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005",
        "\\u0006", "\\u0007", "\\b",     "\\t",     "\\n",     "\\u000b",
        "\\f",     "\\r",     "\\u000e", "\\u000f", "\\u0010", "\\u0011",
        "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
        "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d",
        "\\u001e", "\\u001f"};
    const unsigned char byte = (unsigned char)lenient->text[lenient->at];

    if (!(lenient->quoted.repairs >> REPAIR_CONTROL_CHARACTER & 1 ||
          lenient->quoted.repairs >> REPAIR_LINE_IN_KEY & 1))
        lenient->quoted.control_at = lenient->at;
    if (quoted_repair(lenient,
                      lenient->quoted.key && (byte == '\n' || byte == '\r')
                          ? REPAIR_LINE_IN_KEY
                          : REPAIR_CONTROL_CHARACTER,
                      1, names[byte]))
        return STEP_FAIL;
    return quoted_take(lenient, 1);
}

/* Reads a byte above 0x7F at `at`. */
static enum lenient_step quoted_wide(surety_lenient *lenient)
{
    const char *ptr = lenient->text + lenient->at;
    const char *end = lenient->text + lenient->end;
    unsigned step = scan_sequence(ptr, end);

    if (step) {
        lenient->quoted.high = true;
        return quoted_take(lenient, step);
    }
    surety__utf8_decode(ptr, end, &step);
    if (ptr + step == end && !lenient->final)
        return surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
    /* The text ends inside a character. */
    if (ptr + step == end && (unsigned char)*ptr >= 0xC2 &&
        (unsigned char)*ptr <= 0xF4)
        return STEP_CUT;
    if (surety__lenient_repair(lenient, REPAIR_INVALID_UTF8, lenient->at, step,
                               "\xEF\xBF\xBD"))
        return STEP_FAIL;
    return quoted_replace(lenient, step, "\xEF\xBF\xBD", 3);
}

enum lenient_step surety__lenient_quoted(surety_lenient *lenient)
{
    const char *text = lenient->text;
    const char *ptr = text + lenient->at, *end = text + lenient->end;
    const char *stop = quoted_scan(ptr, end, lenient->quoted.style);
    int candidate;

    lenient->work += (size_t)(stop - ptr) + 1;
    if (stop > ptr && quoted_take(lenient, (size_t)(stop - ptr)))
        return STEP_FAIL;
    if (stop == end)
        return lenient->final
                   ? quoted_end(lenient)
                   : surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
    if ((unsigned char)*stop < 0x20)
        return quoted_control(lenient);
    candidate = *stop == '"' && lenient->quoted.style == STYLE_DOUBLE
                    ? 1
                    : quoted_candidate(lenient);
    if (candidate < 0)
        return surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
    if (candidate) {
        if (lenient->quoted.style == STYLE_FENCE)
            return quoted_fence_end(lenient);
        if (lenient->quoted.style >= STYLE_TRIPLE)
            return quoted_close(lenient, lenient->at + (size_t)candidate);
        return quoted_quote(lenient, (size_t)candidate);
    }
    if (lenient->quoted.key && (*stop == '"' || (unsigned char)*stop >= 0x80)) {
        candidate = surety__ahead_other(lenient, lenient->at);
        if (candidate < 0)
            return STEP_WAIT;
        if (candidate)
            return quoted_other_end(lenient, (size_t)candidate);
    }
    if (*stop == '"' && lenient->quoted.style == STYLE_SINGLE &&
        !lenient->quoted.key)
        return quoted_double(lenient);
    if (*stop == '&')
        return quoted_entity(lenient);
    if (*stop == '\\' && lenient->quoted.style == STYLE_FENCE)
        return quoted_take(lenient, 1);
    if (*stop == '\\')
        return lenient->quoted.style == STYLE_ESCAPED ? quoted_escaped(lenient)
                                                      : quoted_escape(lenient);
    if ((unsigned char)*stop >= 0x80)
        return quoted_wide(lenient);
    return quoted_take(lenient, 1);
}

/* Reads three backticks at `at`: the marks around JSON are skipped, and any
 * other block is a string. What follows them on their line says what it is. */
static enum lenient_step quoted_fence(surety_lenient *lenient)
{
    const char *text = lenient->text;
    const size_t at = lenient->at, word = at + 3;
    size_t body = word, first;
    bool json;

    while (body < lenient->end && lenient_is(text[body], BYTE_PLAIN))
        body++, lenient->work++;
    json =
        body == word || (body - word >= 4 && !memcmp(text + word, "json", 4));
    while (body < lenient->end && (text[body] == ' ' || text[body] == '\t'))
        body++;
    if (body < lenient->end && text[body] == '\r')
        body++;
    if (body == lenient->end && !lenient->final)
        return surety__lenient_wait(lenient, WAIT_ANY, body);
    if (body < lenient->end && text[body] == '\n')
        body++;
    else
        body = word;
    for (first = body; first < lenient->end && scan_is_space(text[first]);)
        first++;
    if (first == lenient->end && !lenient->final)
        return surety__lenient_wait(lenient, WAIT_SIGN, first);
    json = json && first < lenient->end &&
           (text[first] == '{' || text[first] == '[');
    if (surety__lenient_repair(lenient, REPAIR_FENCE, at, body - at,
                               json ? "" : "\""))
        return STEP_FAIL;
    lenient->at = body;
    lenient->marks.fenced |= json;
    if (json)
        return STEP_GO;
    lenient->quoted =
        (struct quoted){.place = at, .body = body, .style = STYLE_FENCE};
    lenient->state = LENIENT_QUOTED;
    return STEP_GO;
}

enum lenient_step surety__lenient_quote(surety_lenient *lenient,
                                        const struct sign *sign, bool key)
{
    static const uint8_t kinds[] = {
        0,
        REPAIR_SINGLE_QUOTE,
        REPAIR_BACKTICK,
        REPAIR_SMART_QUOTE,
        REPAIR_SMART_QUOTE,
        REPAIR_SMART_QUOTE,
        REPAIR_ESCAPED_JSON,
        REPAIR_HTML_ENTITY,
        REPAIR_TRIPLE_QUOTE,
        REPAIR_TRIPLE_QUOTE,
        REPAIR_DOUBLED_QUOTE,
        REPAIR_FENCE,
    };
    const size_t at = lenient->at;
    uint8_t style = sign->style;
    size_t len = sign->len;

    /* The quotes of values are doubled where those of a key are. */
    if (style == STYLE_DOUBLE && !lenient->options.strict &&
        (key || lenient->marks.doubled)) {
        const int doubled = surety__ahead_doubled(lenient, at, key);

        if (doubled < 0)
            return STEP_WAIT;
        lenient->marks.doubled |= doubled != 0;
        style = doubled ? STYLE_DOUBLED : style;
        len += (size_t)doubled;
    }
    if (!key && (style == STYLE_DOUBLE || style == STYLE_SINGLE ||
                 style == STYLE_BACKTICK)) {
        size_t same = 1;

        while (same < 3 && at + same < lenient->end &&
               lenient->text[at + same] == lenient->text[at])
            same++;
        if (same < 3 && at + same == lenient->end && !lenient->final)
            return surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
        if (same < 3 && style == STYLE_BACKTICK && lenient->open == PLACE_NONE)
            return surety__lenient_fail(lenient, at,
                                        "words in backticks are no value");
        if (same == 3 && style == STYLE_BACKTICK)
            return lenient->open == PLACE_NONE
                       ? surety__lenient_fail(lenient, at,
                                              "a block of code is no value")
                       : quoted_fence(lenient);
        if (same == 3) {
            style = style == STYLE_DOUBLE ? STYLE_TRIPLE : STYLE_TRIPLE_SINGLE;
            len = 3;
        }
    }
    if (style != STYLE_DOUBLE &&
        surety__lenient_repair(lenient, kinds[style], at, len, "\""))
        return STEP_FAIL;
    lenient->quoted = (struct quoted){.place = at,
                                      .body = at + len,
                                      .style = style,
                                      .key = key,
                                      .path = lenient->marks.raw,
                                      .noted = lenient->doc->repairs.total};
    lenient->marks.raw = false;
    lenient->at = at + len;
    lenient->state = LENIENT_QUOTED;
    return STEP_GO;
}
