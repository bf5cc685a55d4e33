/* SPDX-License-Identifier: Apache-2.0 */
/* How a value that a model wrote may start, seen from its first bytes alone:
 * enough to pass over the brackets of prose, so that the tolerant reader, which
 * makes something of almost any text, is not asked about them. An object has a
 * key, quoted or a word with a colon; an array has an item that is no bare word
 * ("{smile}", "[see below]" and "[text](url)" are prose).
 *
 * Every look ahead is bounded, so that asking at every byte stays linear.
 * Blanks of Unicode around a text are no part of it. */
#include "extract/finder.h"

enum {
    START_KEY_MAX = 128,     /* bytes of a key that is not quoted */
    START_NUMBERS_MAX = 256, /* bytes of numbers that an array starts with */
    START_NESTED_MAX = 8,    /* brackets that are looked into */
    START_WRAPS_MAX = 8,     /* wrappers around one value */
    START_LABEL_MAX = 80,    /* bytes of a label */
    START_TAG_MAX = 80,      /* bytes of a tag */
    START_WORDS_MAX = 4,     /* words of a key that is not quoted */
    START_ITEM_MAX = 1024,   /* bytes of a quoted item */
    START_OPEN_MAX = 1024    /* open brackets whose kind is known */
};

/* Literals of JSON, Python and JavaScript. */
static const char *const start_literals[] = {
    "true", "false", "null", "True", "False",     "None",
    "TRUE", "FALSE", "NULL", "NaN",  "undefined", "Infinity",
};

static bool start_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool start_is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           start_is_digit(byte) || byte == '_' || byte == '$' || (byte & 0x80);
}

static bool start_has(surety_str text, size_t at, surety_str what)
{
    return text.len - at >= what.len &&
           !memcmp(text.ptr + at, what.ptr, what.len);
}

/* The bytes of the full-width form of an ASCII punctuation mark (U+FF01 on) at
 * `at`, or of the mark itself; 0: there is another byte. */
static size_t start_mark(surety_str text, size_t at, char mark)
{
    const unsigned code = 0xFEE0u + (unsigned char)mark;

    if (at < text.len && text.ptr[at] == mark)
        return 1;
    return text.len - at >= 3 && text.ptr[at] == '\xEF' &&
                   (unsigned char)text.ptr[at + 1] ==
                       (0x80u | (code >> 6 & 0x3F)) &&
                   (unsigned char)text.ptr[at + 2] == (0x80u | (code & 0x3F))
               ? 3
               : 0;
}

/* The bytes of a quote at `at`, escaped or typographic ones too; 0: none. */
static size_t start_quote(surety_str text, size_t at)
{
    if (at >= text.len)
        return 0;
    if (memchr("\"'`", text.ptr[at], 3))
        return 1;
    if (start_has(text, at, SURETY__LITERAL("\\\"")))
        return 2;
    if (start_has(text, at, SURETY__LITERAL("&quot;")))
        return 6;
    /* U+2018 to U+201F. */
    if (start_has(text, at, SURETY__LITERAL("\xE2\x80")) &&
        text.len - at >= 3 && (unsigned char)text.ptr[at + 2] >= 0x98 &&
        (unsigned char)text.ptr[at + 2] <= 0x9F)
        return 3;
    return 0;
}

static size_t start_space(surety_str text, size_t at)
{
    for (; at < text.len; at++)
        if (!surety__is_space(text.ptr[at]))
            break;
    return at;
}

/* Whether the three bytes at ptr are a blank of Unicode: U+1680, U+2000 to
 * U+200B, U+2028, U+2029, U+202F, U+205F, the word joiner, U+3000, or the byte
 * order mark. */
static bool start_is_blank(const char *ptr)
{
    const uint32_t bytes = (uint32_t)(unsigned char)ptr[0] << 16 |
                           (uint32_t)(unsigned char)ptr[1] << 8 |
                           (unsigned char)ptr[2];

    switch (bytes) {
    case 0xE19A80:
    case 0xE280A8:
    case 0xE280A9:
    case 0xE280AF:
    case 0xE2819F:
    case 0xE281A0:
    case 0xE38080:
    case 0xEFBBBF: return true;
    default: return bytes >= 0xE28080 && bytes <= 0xE2808B;
    }
}

/* The length of the blank that the len bytes at ptr start with (front) or end
 * with; 0: none. */
static size_t start_blank(const char *ptr, size_t len, bool front)
{
    const char *end = front ? ptr : ptr + len;
    const char byte = front ? ptr[0] : end[-1];

    if (byte == ' ' || (byte >= '\t' && byte <= '\r'))
        return 1;
    if (len >= 3 && (byte & 0x80) && start_is_blank(front ? ptr : end - 3))
        return 3;
    if (len >= 2 && (byte & 0x80) &&
        (!memcmp(front ? ptr : end - 2, "\xC2\xA0", 2) ||
         !memcmp(front ? ptr : end - 2, "\xC2\x85", 2)))
        return 2;
    return 0;
}

size_t surety__text_ink(surety_str text, size_t at)
{
    size_t size;

    while (at < text.len &&
           (size = start_blank(text.ptr + at, text.len - at, true)))
        at += size;
    return at;
}

surety__span surety__trim(surety_str text, surety__span span)
{
    const uint32_t start = span.start;
    size_t size;

    text.len = span.end;
    span.start = (uint32_t)surety__text_ink(text, start);
    if (span.start == span.end)
        return (surety__span){start, start};
    while ((size = start_blank(text.ptr + span.start, span.end - span.start,
                               false)))
        span.end -= (uint32_t)size;
    return span;
}

bool surety__start_comment(surety_str text, size_t at)
{
    return start_has(text, at, SURETY__LITERAL("//")) ||
           start_has(text, at, SURETY__LITERAL("/*")) ||
           start_has(text, at, SURETY__LITERAL("# "));
}

/* The length of the literal at `at`; one that the text's end cuts off counts,
 * which *ret_cut says. 0: none. */
static size_t start_literal(surety_str text, size_t at, bool *ret_cut)
{
    size_t end = at;

    while (end < text.len && end - at < 10 && start_is_word(text.ptr[end]))
        end++;
    if (end == at)
        return 0;
    for (size_t i = 0; i < sizeof(start_literals) / sizeof(*start_literals);
         i++) {
        const surety_str literal = surety_str_of(start_literals[i]);

        if (end - at > literal.len ||
            memcmp(text.ptr + at, literal.ptr, end - at) != 0)
            continue;
        if (end - at < literal.len && end < text.len)
            continue;
        *ret_cut = end - at < literal.len;
        return end - at;
    }
    return 0;
}

/* Behind the quoted text at `at`; text.len: it does not end in time. */
static size_t start_quoted(surety_str text, size_t at)
{
    const size_t stop =
        text.len - at > START_ITEM_MAX ? at + START_ITEM_MAX : text.len;
    const char quote = text.ptr[at];
    const size_t len = start_quote(text, at);

    for (at += len; at < stop; at++) {
        if (text.ptr[at] == '\\' && len != 2)
            at++;
        else if (len == 1 ? text.ptr[at] == quote
                          : start_quote(text, at) == len)
            return at + start_quote(text, at);
    }
    return text.len;
}

/* Behind a scalar of an object or array at `at`; `at`: there is none. */
static size_t start_scalar(surety_str text, size_t at)
{
    bool cut = false;
    size_t end = at;

    if (start_quote(text, at))
        return start_quoted(text, at);
    if (at < text.len && (start_is_digit(text.ptr[at]) || text.ptr[at] == '-'))
        for (end++;
             end < text.len && memchr("0123456789.eE+-", text.ptr[end], 15);)
            end++;
    return end > at ? end : at + start_literal(text, at, &cut);
}

/* A key that is not quoted, or whose first quote is missing, from `at` on. */
static enum surety__start_kind start_key(surety_str text, size_t at)
{
    const size_t stop =
        text.len - at > START_KEY_MAX ? at + START_KEY_MAX : text.len;
    unsigned words = 0;

    /* Ruby writes a colon before it. */
    at +=
        at + 1 < stop && text.ptr[at] == ':' && start_is_word(text.ptr[at + 1]);
    while (at < stop && start_is_word(text.ptr[at])) {
        size_t next;

        while (at < stop && (start_is_word(text.ptr[at]) ||
                             text.ptr[at] == '-' || text.ptr[at] == '.'))
            at++;
        if (at == text.len)
            return words ? START_WEAK : START_STRONG;
        words++;
        for (next = at; next < stop && surety__is_blank(text.ptr[next]);)
            next++;
        if (start_mark(text, next, ':') || start_mark(text, next, '='))
            return words == 1 ? START_STRONG : START_WEAK;
        if (next > at && words == 1 && next < stop &&
            (start_quote(text, next) || start_is_digit(text.ptr[next]))) {
            /* The colon is missing. */
            next = start_space(text, start_scalar(text, next));
            return start_mark(text, next, '}') || start_mark(text, next, ',')
                       ? START_WEAK
                       : START_NONE;
        }
        if (start_quote(text, next)) {
            next = start_space(text, next + start_quote(text, next));
            return start_mark(text, next, ':') ? START_STRONG : START_NONE;
        }
        if (next == at || words == START_WORDS_MAX)
            break;
        at = next;
    }
    return START_NONE;
}

/* Whether the byte at `at` begins a line of a block quote. */
static bool start_is_quote_mark(surety_str text, size_t at)
{
    if (at >= text.len || text.ptr[at] != '>')
        return false;
    while (at && surety__is_blank(text.ptr[at - 1]))
        at--;
    return at && text.ptr[at - 1] == '\n';
}

/* Skips blanks, those of Unicode and escaped ones (\n, \r, \t) too, and the
 * mark of a block quote. */
static size_t start_ink(surety_str text, size_t at)
{
    for (;;) {
        at = surety__text_ink(text, start_space(text, at));
        if (start_is_quote_mark(text, at)) {
            at++;
            continue;
        }
        if (text.len - at < 2 || text.ptr[at] != '\\' ||
            !memchr("nrt", text.ptr[at + 1], 3))
            return at;
        at += 2;
    }
}

/* What follows the opening brace. */
static enum surety__start_kind start_object(surety_str text, size_t at)
{
    for (unsigned i = 0; i < START_NESTED_MAX; i++) {
        at = start_ink(text, at);
        if (at == text.len || start_quote(text, at))
            return START_STRONG;
        if (surety__start_comment(text, at) || start_mark(text, at, '}') ||
            memchr(",.", text.ptr[at], 2))
            return START_WEAK;
        if (start_mark(text, at, '{') == 0)
            return start_key(text, at);
        at++;
    }
    return START_NONE;
}

/* Numbers that an array starts with: what follows them decides. */
static enum surety__start_kind start_numbers(surety_str text, size_t at)
{
    const size_t stop =
        text.len - at > START_NUMBERS_MAX ? at + START_NUMBERS_MAX : text.len;
    size_t open = 1;
    bool cut = false;

    for (; at < stop; at++) {
        open += text.ptr[at] == '[';
        open -= text.ptr[at] == ']';
        if (!open)
            return START_WEAK;
        if (!start_is_digit(text.ptr[at]) &&
            !memchr("+-.,_eE[] \t\r\n", text.ptr[at], 13))
            break;
    }
    if (at == text.len ||
        (at < stop && (start_quote(text, at) || start_mark(text, at, '{') ||
                       start_literal(text, at, &cut))))
        return START_STRONG;
    return START_WEAK;
}

/* What follows the opening square bracket. */
static enum surety__start_kind start_array(surety_str text, size_t at)
{
    for (unsigned i = 0; i < START_NESTED_MAX; i++) {
        bool cut = false;

        at = start_space(text, at);
        if (at == text.len || start_quote(text, at))
            return START_STRONG;
        if (start_mark(text, at, ']'))
            return START_WEAK;
        if (start_mark(text, at, '{'))
            return start_object(text, at + start_mark(text, at, '{'));
        if (start_is_digit(text.ptr[at]) || memchr("+-.", text.ptr[at], 3))
            return start_numbers(text, at);
        if (surety__start_comment(text, at) || memchr(",(", text.ptr[at], 2))
            return START_WEAK;
        if (start_literal(text, at, &cut)) {
            at = start_space(text, at + start_literal(text, at, &cut));
            return cut || at == text.len || start_mark(text, at, ',')
                       ? START_STRONG
                   : start_mark(text, at, ']') != 0 ? START_WEAK
                                                    : START_NONE;
        }
        if (start_mark(text, at, '[') == 0)
            return START_NONE;
        at += start_mark(text, at, '[');
    }
    return START_STRONG;
}

/* Whether a call is at `at` whose arguments are an object's members: a name and
 * an equals sign without a bracket behind it, a quoted key and "=>", or pairs
 * in a dictionary's brackets. */
static bool start_call(surety_str text, size_t at)
{
    const size_t stop =
        text.len - at > START_KEY_MAX ? at + START_KEY_MAX : text.len;
    size_t end = at;

    if (start_is_digit(text.ptr[at]))
        return false;
    while (end < stop && (start_is_word(text.ptr[end]) || text.ptr[end] == '.'))
        end++;
    if (end == at || end == stop || text.ptr[end] != '(')
        return false;
    at = start_space(text, end + 1);
    if (start_quote(text, at) == 1) {
        at = start_space(text, start_quoted(text, at));
        return start_has(text, at, SURETY__LITERAL("=>"));
    }
    if (at < text.len && text.ptr[at] == '[') {
        at = start_space(text, at + 1);
        return end >= 4 && at < text.len && text.ptr[at] == '(' &&
               surety__str_equal_nocase((surety_str){text.ptr + end - 4, 4},
                                        SURETY__LITERAL("dict"));
    }
    for (end = at; end < text.len && end - at < START_KEY_MAX &&
                   start_is_word(text.ptr[end]);)
        end++;
    if (end == at)
        return false;
    at = start_space(text, end);
    if (at + 1 >= text.len || text.ptr[at] != '=' || text.ptr[at + 1] == '=')
        return false;
    at = start_space(text, at + 1);
    return at < text.len && text.ptr[at] != '{';
}

enum surety__start_kind surety__start_at(surety_str text, size_t at)
{
    bool cut = false;

    if (at >= text.len)
        return START_NONE;
    if (start_mark(text, at, '{'))
        return start_object(text, at + start_mark(text, at, '{'));
    if (start_mark(text, at, '['))
        return start_array(text, at + start_mark(text, at, '['));
    if (start_quote(text, at) || start_is_digit(text.ptr[at]) ||
        memchr("+-.(", text.ptr[at], 4) || start_literal(text, at, &cut) ||
        start_call(text, at))
        return START_SCALAR;
    return START_NONE;
}

/* Whether a quoted key, or one without its first quote, and a colon are at
 * `at`: the comma or bracket before it is missing. */
static bool start_leads(surety_str text, size_t at)
{
    size_t end = at;

    if (start_quote(text, at)) {
        end = start_quoted(text, at);
    } else {
        while (end < text.len && start_is_word(text.ptr[end]))
            end++;
        if (end == at || !start_quote(text, end))
            return false;
        while (start_quote(text, end) && end - at < START_KEY_MAX)
            end += start_quote(text, end);
    }
    return start_mark(text, start_space(text, end), ':') != 0;
}

/* Whether the quote at `at`, behind a brace, opens a key. It may have lost its
 * second quote, or have its first one twice. */
static bool start_is_member(surety_str text, size_t at)
{
    const size_t quote = start_quote(text, at);
    bool cut = false;
    size_t end = at + quote, next;

    while (end < text.len && start_is_word(text.ptr[end]))
        end++;
    next = end + (end < text.len && memchr(",}]", text.ptr[end], 3));
    if (end > at + quote && start_mark(text, next, ':'))
        return true;
    next = start_space(text, start_quoted(text, at));
    return start_mark(text, next, ':') || start_mark(text, next, '=') ||
           start_mark(text, next, ']') || start_quote(text, next) ||
           start_literal(text, next, &cut) ||
           (next == at + 2 * quote && start_leads(text, next)) ||
           (next < text.len && (start_is_digit(text.ptr[next]) ||
                                memchr("{[-", text.ptr[next], 3)));
}

bool surety__start_is_json(surety_str text, size_t at)
{
    for (unsigned i = 0; i < START_NESTED_MAX && at < text.len; i++) {
        if (text.ptr[at] == '{') {
            at = start_space(text, at + 1);
            if (surety__start_comment(text, at))
                return true;
            if (!start_quote(text, at))
                return at < text.len && start_key(text, at) == START_STRONG;
            return start_is_member(text, at);
        }
        if (text.ptr[at] != '[')
            return false;
        at = start_space(text, at + 1);
        if (surety__start_comment(text, at))
            return true;
        if (start_quote(text, at)) {
            at = start_space(text, start_quoted(text, at));
            return start_mark(text, at, ',') || start_mark(text, at, ']') ||
                   start_mark(text, at, ':');
        }
        /* Of numbers and literals two brackets are no footnote's. */
        if (start_scalar(text, at) > at) {
            at = start_space(text, start_scalar(text, at));
            return i &&
                   (start_mark(text, at, ',') || start_mark(text, at, ']'));
        }
    }
    return false;
}

/* What counts as a string, in which brackets are text. ORDER of attempts. */
enum start_strings {
    STRINGS_WHOLE, /* strings may go over line ends; */
    STRINGS_LINE,  /* one ends with its line: a lone quote costs a line; */
    STRINGS_NONE   /* nothing that a reader did not take for one, and the kinds
                    * of brackets do not matter, either */
};

/* Open brackets; those deeper than START_OPEN_MAX are only counted. */
struct start_brackets {
    bool object[START_OPEN_MAX];
    size_t kinds[2]; /* how many of each kind are open */
    size_t depth, over;
};

/* Counts the bracket `byte`; true: the first one is closed. With kinds, a
 * closing bracket closes open ones of the other kind inside of its own, and is
 * passed over where it has none. */
static bool start_bracket(struct start_brackets *open, char byte, bool kinds)
{
    const bool object = kinds && (byte == '{' || byte == '}');

    if (byte == '{' || byte == '[') {
        if (open->over || open->depth == START_OPEN_MAX) {
            open->over++;
            return false;
        }
        open->object[open->depth++] = object;
        open->kinds[object]++;
        return false;
    }
    if (open->over) {
        open->over--;
        return false;
    }
    if (!open->kinds[object])
        return false;
    for (;;) {
        const bool kind = open->object[--open->depth];

        assert(open->kinds[kind]); /* kinds counts the open brackets */
        open->kinds[kind]--;
        if (kind == object)
            return open->depth == 0;
    }
}

/* Where the string in single quotes that opens at `at` ends; `at`: it does not
 * end with its line, so the quote is an apostrophe. */
static size_t start_single(surety_str text, size_t at)
{
    for (size_t end = at + 1; end < text.len && text.ptr[end] != '\n'; end++) {
        if (text.ptr[end] == '\'')
            return end;
        end += text.ptr[end] == '\\';
    }
    return at;
}

/* Where the brackets that open at `at` balance; text.len + 1: nowhere. */
static size_t start_balance(surety_str text, size_t at, size_t read,
                            enum start_strings strings)
{
    struct start_brackets open = {.depth = 0};
    bool inside = false;
    bool opens = false; /* a value or key may follow */

    for (; at < text.len; at++) {
        const char byte = text.ptr[at];

        if (at >= read && (strings == STRINGS_NONE ||
                           (strings == STRINGS_LINE && byte == '\n')))
            inside = false;
        switch (byte) {
        case '\\': at += inside; break;
        case '"':
            if (at < read || strings != STRINGS_NONE)
                inside = !inside;
            break;
        case '\'':
            if (!inside && strings != STRINGS_NONE && opens)
                at = start_single(text, at);
            break;
        case '{':
        case '[':
        case '}':
        case ']':
            if (!inside && start_bracket(&open, byte, strings != STRINGS_NONE))
                return at + 1;
            break;
        default: break;
        }
        if (!surety__is_space(byte))
            opens = byte == '{' || byte == '[' || byte == ',' || byte == ':';
    }
    return text.len + 1;
}

bool surety__start_closes(surety_str text, size_t at, size_t read,
                          size_t *ret_end)
{
    static const enum start_strings attempts[] = {STRINGS_WHOLE, STRINGS_LINE,
                                                  STRINGS_NONE};

    for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
        *ret_end = start_balance(text, at, read, attempts[i]);
        if (*ret_end <= text.len)
            return true;
    }
    *ret_end = text.len;
    return false;
}

size_t surety__start_extend(surety_str text, size_t end)
{
    size_t at;

    assert(end <= text.len);
    for (;;) {
        if (end < text.len && memchr("{[", text.ptr[end], 2)) {
            (void)surety__start_closes(text, end, end, &end);
            continue;
        }
        at = start_space(text, end);
        if (at == text.len || !memchr("}],", text.ptr[at], 3))
            return end;
        if (text.ptr[at] != ',') {
            end = at + 1;
            continue;
        }
        at = start_space(text, at + 1);
        if (start_scalar(text, at) == at &&
            (at == text.len || !memchr("{[", text.ptr[at], 2)))
            return end;
        while (start_scalar(text, at) > at) {
            end = start_scalar(text, at);
            at = start_space(text, end);
            if (at < text.len && memchr(":,", text.ptr[at], 2))
                at = start_space(text, end = at + 1);
        }
        if (at < text.len && memchr("{[", text.ptr[at], 2))
            (void)surety__start_closes(text, at, at, &end);
    }
}

bool surety__text_goes_on(surety_str text, size_t at)
{
    at = start_space(text, at);
    while (at < text.len && memchr("}]", text.ptr[at], 2))
        at = start_space(text, at + 1);
    if (start_leads(text, at))
        return true;
    while (at < text.len && text.ptr[at] == ',') {
        at = start_space(text, at + 1);
        while (start_scalar(text, at) > at) {
            at = start_space(text, start_scalar(text, at));
            if (start_mark(text, at, ':'))
                return true;
            if (at < text.len && text.ptr[at] == ',')
                at = start_space(text, at + 1);
        }
        if (at < text.len && memchr("{[", text.ptr[at], 2)) {
            (void)surety__start_closes(text, at, at, &at);
            at = start_space(text, at);
        }
        if (at < text.len && memchr("}]", text.ptr[at], 2))
            return true;
    }
    return false;
}

/* Where the next such byte is in [at, stop); stop: nowhere. */
static size_t start_byte(surety_str text, size_t at, size_t stop, char byte)
{
    const char *hit = at < stop ? memchr(text.ptr + at, byte, stop - at) : NULL;

    return hit ? (size_t)(hit - text.ptr) : stop;
}

size_t surety__start_next(surety_str text, size_t at, size_t stop,
                          surety__marks *marks,
                          enum surety__start_kind *ret_start)
{
    static const char bytes[] = {'{', '[', '\xEF'};

    assert(stop <= text.len);
    for (;;) {
        size_t first;

        for (size_t i = 0; i < SURETY__MARKS; i++)
            if (marks->next[i] < at || !marks->known)
                marks->next[i] = start_byte(text, at, stop, bytes[i]);
        marks->known = true;
        first = marks->next[0] < marks->next[1] ? 0 : 1;
        first = marks->next[2] < marks->next[first] ? 2 : first;
        at = marks->next[first];
        if (at >= stop)
            return stop;
        *ret_start = surety__start_at(text, at);
        if (*ret_start != START_NONE && *ret_start != START_SCALAR)
            return at;
        at++;
    }
}

/* ---- wrappers ------------------------------------------------------------ */

/* Behind the tag at `at` ("<answer>", "</json>", "<|message|>"); `at`: none. */
static size_t start_tag(surety_str text, size_t at)
{
    const size_t stop =
        text.len - at > START_TAG_MAX ? at + START_TAG_MAX : text.len;
    size_t end = at + 1;

    if (at >= text.len || text.ptr[at] != '<')
        return at;
    while (end < stop && !memchr("<>\n{[", text.ptr[end], 5))
        end++;
    return end < stop && text.ptr[end] == '>' && end > at + 1 ? end + 1 : at;
}

/* Behind the line at `at`. */
static size_t start_line(surety_str text, size_t at)
{
    while (at < text.len && text.ptr[at] != '\n')
        at++;
    return at;
}

/* Behind the comment or heading at `at`; `at`: none. */
static size_t start_after_comment(surety_str text, size_t at)
{
    if (start_has(text, at, SURETY__LITERAL("/*"))) {
        const surety_str rest = {text.ptr + at, text.len - at};
        const size_t end = surety__str_find(rest, SURETY__LITERAL("*/"));

        return end == rest.len ? at : at + end + 2;
    }
    if (start_has(text, at, SURETY__LITERAL("//")) ||
        (at < text.len && text.ptr[at] == '#'))
        return start_line(text, at);
    return at;
}

/* Behind a label that ends in a colon ("**Final Answer:**"); `at`: none. */
static size_t start_label(surety_str text, size_t at)
{
    const size_t stop =
        text.len - at > START_LABEL_MAX ? at + START_LABEL_MAX : text.len;

    for (; at < stop; at++) {
        const size_t colon = start_mark(text, at, ':');

        if (colon)
            return at + colon;
        if (!start_is_word(text.ptr[at]) &&
            !memchr(" \t-*,'()", text.ptr[at], 8))
            break;
    }
    return 0;
}

/* Words before a value in a program or name its language. */
static bool start_is_lead(surety_str word, bool alone)
{
    static const char *const leads[] = {"const",   "let",   "var",
                                        "return",  "yield", "export",
                                        "default", "await", "final"};
    static const char *const languages[] = {
        "json", "json5", "jsonc", "jsonl", "js", "javascript", "python", "py"};

    for (size_t i = 0; i < sizeof(leads) / sizeof(*leads); i++)
        if (surety_str_equal(word, surety_str_of(leads[i])))
            return true;
    for (size_t i = 0; alone && i < sizeof(languages) / sizeof(*languages); i++)
        if (surety__str_equal_nocase(word, surety_str_of(languages[i])))
            return true;
    return false;
}

/* Behind what begins with a word at `at`: an assignment, a call, a label, a
 * word of a program; `at`: it wraps nothing. */
static size_t start_word(surety_str text, size_t at, bool *ret_call)
{
    size_t end = at;
    size_t next;

    while (end < text.len && end - at < START_LABEL_MAX &&
           (start_is_word(text.ptr[end]) || text.ptr[end] == '.'))
        end++;
    for (next = end; next < text.len && surety__is_blank(text.ptr[next]);)
        next++;
    if (next == text.len || end == at)
        return at;
    if (start_is_lead((surety_str){text.ptr + at, end - at},
                      memchr("\r\n{[", text.ptr[next], 4) != NULL))
        return next;
    if (text.ptr[next] == '=')
        return next + 1;
    if (start_has(text, next, SURETY__LITERAL(":=")))
        return next + 2;
    if (text.ptr[next] == '(' && next == end) {
        *ret_call = true;
        return next + 1;
    }
    next = start_label(text, at);
    return next ? next : at;
}

enum surety__start_kind surety__start_commented(surety_str text, size_t at)
{
    for (unsigned i = 0; i < START_WRAPS_MAX && at < text.len; i++) {
        if (text.ptr[at] != '/')
            return surety__start_at(text, at) == START_SCALAR ? START_SCALAR
                                                              : START_NONE;
        at = start_space(text, start_after_comment(text, at));
    }
    return START_NONE;
}

/* Whether round brackets at `at` begin with a scalar and a comma, as a tuple of
 * Python does. */
static bool start_is_tuple(surety_str text, size_t at)
{
    size_t end;

    if (at >= text.len || text.ptr[at] != '(')
        return false;
    at = start_space(text, at + 1);
    end = start_scalar(text, at);
    return end > at && start_mark(text, start_space(text, end), ',');
}

size_t surety__start_unwrap(surety_str text, size_t at)
{
    const size_t from = at;
    bool call = false;

    for (unsigned i = 0; i <= START_WRAPS_MAX; i++) {
        size_t next;

        at = start_space(text, at);
        if (start_has(text, at, SURETY__LITERAL("\xEF\xBB\xBF")))
            at = start_space(text, at + 3);
        if (at >= text.len)
            return from;
        if (call && start_quote(text, at)) {
            next = start_space(text, at + start_quote(text, at));
            if (start_mark(text, next, '{') || start_mark(text, next, '['))
                return next;
        }
        if ((text.ptr[at] != '(' || start_is_tuple(text, at)) &&
            surety__start_at(text, at) != START_NONE)
            return at;
        next = start_tag(text, at);
        if (next == at)
            next = start_after_comment(text, at);
        if (next == at && memchr("(*_", text.ptr[at], 3))
            next = at + 1;
        if (next == at && start_is_word(text.ptr[at]))
            next = start_word(text, at, &call);
        if (next == at)
            return from;
        at = next;
    }
    return from;
}

bool surety__text_over(surety_str text, size_t at, size_t *ret_brackets)
{
    const surety__span rest =
        surety__trim(text, (surety__span){(uint32_t)at, (uint32_t)text.len});

    *ret_brackets = at;
    text.len = rest.end;
    while (at < text.len) {
        const size_t mark =
            start_mark(text, at, '}')   ? start_mark(text, at, '}')
            : start_mark(text, at, ']') ? start_mark(text, at, ']')
                                        : 0;
        const size_t tag = start_tag(text, at);

        if (mark || text.ptr[at] == ')') {
            at += mark ? mark : 1;
            *ret_brackets = mark ? at : *ret_brackets;
        } else if (tag > at) {
            at = tag;
        } else if (start_has(text, at, SURETY__LITERAL("//")) ||
                   start_has(text, at, SURETY__LITERAL("/*"))) {
            const size_t end = start_after_comment(text, at);

            if (end == at)
                return false;
            at = end;
        } else if (surety__is_space(text.ptr[at]) ||
                   memchr(";,'\"`*_~", text.ptr[at], 8)) {
            at++;
        } else {
            return false;
        }
    }
    return true;
}
