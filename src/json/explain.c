/* SPDX-License-Identifier: Apache-2.0 */
/* Explains the mistake of a text that the strict reader refused.
 *
 * fault.c gives the state of the reader and the byte where it stopped. The
 * functions here examine the text again: they find the token at that byte,
 * check whether it comes from another language, and add a hint. A correct text
 * pays nothing for this. */
#include "json/inside.h"

/* Bytes of a token that a message quotes. */
enum { EXPLAIN_LEN = 32 };

struct explain {
    surety_str text;
    size_t offset;
    size_t length;  /* of the token at offset */
    char found[64]; /* the token as the message shows it */
};

static bool explain_is_word(unsigned char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '$' ||
           byte == '-' || byte == '+' || byte == '.' || byte >= 0x80;
}

/* Returns the length of the token at offset: a string with its quotes, a word
 * or number, or else one character; 0 at the end. */
static size_t explain_length(surety_str text, size_t offset)
{
    const char *ptr = text.ptr + offset, *end = text.ptr + text.len;
    const char *at = ptr;
    unsigned len;

    if (ptr == end)
        return 0;
    if (*at == '"') {
        for (at++; at < end && *at != '"' && (unsigned char)*at >= 0x20; at++)
            if (*at == '\\' && end - at > 1)
                at++;
        return at < end && *at == '"' ? (size_t)(at - ptr) + 1 : 1;
    }
    while (at < end && explain_is_word((unsigned char)*at)) {
        if (surety__utf8_decode(at, end, &len) == UINT32_MAX)
            break;
        at += len;
    }
    if (at > ptr)
        return (size_t)(at - ptr);
    surety__utf8_decode(ptr, end, &len);
    return len;
}

/* Writes the token as the message shows it: a string as it is, a word in
 * quotes, a structural character bare, an unprintable byte as a number. */
static void explain_found(struct explain *explain)
{
    surety_str text = explain->text;
    const char *ptr = text.ptr + explain->offset;
    surety_buf out = {.ptr = explain->found, .cap = sizeof(explain->found)};
    size_t len = explain->length;
    unsigned step = 0;
    uint32_t code;

    out.max = sizeof(explain->found) - 1;
    if (explain->offset == text.len) {
        surety_buf_text(&out, "the end of the text");
        explain->found[out.len] = '\0';
        return;
    }
    code = surety__utf8_decode(ptr, text.ptr + text.len, &step);
    if (code == UINT32_MAX) {
        surety__buf_printf(&out, "the byte 0x%02X", (unsigned char)*ptr);
    } else if (code < 0x20 || code == 0x7F) {
        surety__buf_printf(&out, "U+%04X", (unsigned)code);
    } else {
        bool quoted = len > 1 || explain_is_word((unsigned char)*ptr);
        size_t cut = len;

        if (len > EXPLAIN_LEN) {
            cut = EXPLAIN_LEN;
            while (((unsigned char)ptr[cut] & 0xC0) == 0x80)
                cut--;
        }
        if (quoted && *ptr != '"')
            surety_buf_byte(&out, '"');
        surety_buf_append(&out, ptr, cut);
        if (cut < len)
            surety_buf_text(&out, "...");
        if (quoted && (*ptr != '"' || cut < len))
            surety_buf_byte(&out, '"');
    }
    explain->found[out.len] = '\0';
}

static bool explain_starts(const struct explain *explain, const char *prefix)
{
    surety_str rest = {explain->text.ptr + explain->offset,
                       explain->text.len - explain->offset};

    return surety__str_starts(rest, surety_str_of(prefix));
}

static char explain_byte(const struct explain *explain)
{
    return explain->offset < explain->text.len
               ? explain->text.ptr[explain->offset]
               : '\0';
}

/* Names of values in other languages, and what JSON has instead. */
static const struct {
    const char *word;
    const char *hint;
} explain_words[] = {
    {"True", "true?"},      {"TRUE", "true?"},      {"False", "false?"},
    {"FALSE", "false?"},    {"None", "null?"},      {"Null", "null?"},
    {"NULL", "null?"},      {"nil", "null?"},       {"undefined", "null?"},
    {"NaN", "null?"},       {"nan", "null?"},       {"Infinity", "null?"},
    {"-Infinity", "null?"}, {"+Infinity", "null?"}, {"-NaN", "null?"},
    {"inf", "null?"},
};

/* Reports mistakes that do not depend on the state: comments, single quotes,
 * words of other languages. Returns false when there is none. */
static bool explain_foreign(const struct explain *explain, surety_error *reterr)
{
    surety_str token = {explain->text.ptr + explain->offset, explain->length};
    char byte = explain_byte(explain);

    if (explain_starts(explain, "//") || explain_starts(explain, "/*") ||
        byte == '#') {
        surety__fail(reterr, SURETY_SYNTAX, "comments are not JSON");
        surety__hint(reterr, "take the comment out");
        return true;
    }
    if (byte == '\'' || byte == '`') {
        surety__fail(reterr, SURETY_SYNTAX,
                     "a string must be in double quotes");
        surety__hint(reterr, "write \"...\" instead of %c...%c", byte, byte);
        return true;
    }
    for (size_t i = 0; i < sizeof(explain_words) / sizeof(*explain_words); i++)
        if (surety_str_equal(token, surety_str_of(explain_words[i].word))) {
            surety__fail(reterr, SURETY_SYNTAX, "%s is not JSON",
                         explain_words[i].word);
            surety__hint(reterr, "%s", explain_words[i].hint);
            return true;
        }
    return false;
}

/* Reports an ellipsis, which marks an omission. Returns false when there is
 * none. */
static bool explain_ellipsis(const struct explain *explain,
                             surety_error *reterr)
{
    if (!explain_starts(explain, "...") &&
        !explain_starts(explain, "\xE2\x80\xA6"))
        return false;
    surety__fail(reterr, SURETY_SYNTAX, "an ellipsis is not JSON");
    surety__hint(reterr, "write out what it stands for, or take it out");
    return true;
}

/* Reports a token where a value is expected. */
static void explain_value(const struct explain *explain, enum read_fault fault,
                          surety_error *reterr)
{
    char byte = explain_byte(explain);

    if (explain_foreign(explain, reterr) || explain_ellipsis(explain, reterr))
        return;
    if (fault == FAULT_ITEM && byte == ']') {
        surety__fail(reterr, SURETY_SYNTAX, "a comma is not allowed before ]");
        surety__hint(reterr, "take the last comma out");
    } else if (byte == ',' && fault != FAULT_ROOT) {
        surety__fail(reterr, SURETY_SYNTAX,
                     "a value is missing before a comma");
    } else if (fault == FAULT_MEMBER && byte == '}') {
        surety__fail(reterr, SURETY_SYNTAX, "a value is missing after a colon");
    } else if (byte == '+' || byte == '.') {
        surety__fail(reterr, SURETY_SYNTAX, "numbers may not begin with %c",
                     byte);
        surety__hint(reterr, byte == '.' ? "write a 0 before the point"
                                         : "leave the sign out");
    } else if (fault == FAULT_ROOT && (explain_starts(explain, "\xFF\xFE") ||
                                       explain_starts(explain, "\xFE\xFF"))) {
        surety__fail(reterr, SURETY_SYNTAX, "the text is UTF-16, not UTF-8");
        surety__hint(reterr, "convert it to UTF-8");
    } else {
        surety__fail(reterr, SURETY_SYNTAX, "expected %s, found %s",
                     fault == FAULT_FIRST_ITEM ? "a value or ]" : "a value",
                     explain->found);
        if (explain_is_word((unsigned char)byte))
            surety__hint(reterr, "strings stand in double quotes");
    }
}

/* Reports a token where a key is expected. */
static void explain_key(const struct explain *explain, enum read_fault fault,
                        surety_error *reterr)
{
    char byte = explain_byte(explain);

    if (byte == '}') {
        surety__fail(reterr, SURETY_SYNTAX, "a comma is not allowed before }");
        surety__hint(reterr, "take the last comma out");
    } else if (explain_ellipsis(explain, reterr)) {
        return;
    } else if (explain_is_word((unsigned char)byte)) {
        surety__fail(reterr, SURETY_SYNTAX,
                     "a key must be in double quotes, found %s",
                     explain->found);
    } else if (!explain_foreign(explain, reterr)) {
        surety__fail(reterr, SURETY_SYNTAX, "expected %s, found %s",
                     fault == FAULT_FIRST_KEY ? "a key or }" : "a key",
                     explain->found);
    }
}

/* Reports a text that ends too early. */
static void explain_end(enum read_fault fault, surety_error *reterr)
{
    const char *message;

    switch (fault) {
    case FAULT_ROOT: message = "the text is empty"; break;
    case FAULT_FIRST_ITEM:
    case FAULT_ITEM:
    case FAULT_AFTER_ITEM: message = "the text ends inside an array"; break;
    case FAULT_FIRST_KEY:
    case FAULT_KEY:
    case FAULT_AFTER_MEMBER: message = "the text ends inside an object"; break;
    case FAULT_COLON: message = "the text ends after a key"; break;
    case FAULT_MEMBER: message = "the text ends after a colon"; break;
    case FAULT_MINUS:
    case FAULT_FRACTION:
    case FAULT_EXPONENT: message = "the text ends inside a number"; break;
    default: message = "the text ends inside a string"; break;
    }
    surety__fail(reterr, SURETY_SYNTAX, "%s", message);
    if (fault == FAULT_ROOT)
        surety__hint(reterr, "a JSON text holds exactly one value");
    else
        surety__hint(reterr, "it looks cut off");
}

/* Reports a token that may not follow a key or a value. */
static void explain_between(const struct explain *explain,
                            enum read_fault fault, surety_error *reterr)
{
    char byte = explain_byte(explain);

    if (byte == '/' || byte == '#') {
        if (explain_foreign(explain, reterr))
            return;
    }
    switch (fault) {
    case FAULT_COLON:
        surety__fail(reterr, SURETY_SYNTAX,
                     "expected a colon after a key, found %s", explain->found);
        break;
    case FAULT_AFTER_ITEM:
        surety__fail(reterr, SURETY_SYNTAX,
                     "expected a comma or ] after an array item, found %s",
                     explain->found);
        break;
    case FAULT_AFTER_MEMBER:
        surety__fail(reterr, SURETY_SYNTAX,
                     "expected a comma or } after a member, found %s",
                     explain->found);
        break;
    default:
        if (byte != '\0' && memchr("{[\"-0123456789tfn", byte, 17)) {
            surety__fail(reterr, SURETY_SYNTAX,
                         "a second value follows the first");
            surety__hint(reterr, "a JSON text holds exactly one value");
        } else {
            surety__fail(reterr, SURETY_SYNTAX,
                         "nothing may follow the value, found %s",
                         explain->found);
        }
    }
}

/* Reports a mistake inside a string. Returns the length of the bytes it is
 * about. */
static size_t explain_string(const struct explain *explain,
                             enum read_fault fault, surety_error *reterr)
{
    const char *ptr = explain->text.ptr + explain->offset;
    const char *end = explain->text.ptr + explain->text.len;
    struct explain next = *explain;
    unsigned len = 1;

    switch (fault) {
    case FAULT_CONTROL:
        surety__fail(reterr, SURETY_SYNTAX,
                     "control character U+%04X in a string must be escaped",
                     (unsigned char)*ptr);
        if (*ptr == '\n' || *ptr == '\r' || *ptr == '\t')
            surety__hint(reterr, "write \\%c",
                         *ptr == '\n'   ? 'n'
                         : *ptr == '\r' ? 'r'
                                        : 't');
        else
            surety__hint(reterr, "write \\u%04x", (unsigned char)*ptr);
        return 1;
    case FAULT_UTF8:
        surety__utf8_decode(ptr, end, &len);
        surety__fail(reterr, SURETY_SYNTAX, "invalid UTF-8: byte 0x%02X",
                     (unsigned char)*ptr);
        return len;
    case FAULT_ESCAPE:
        surety__utf8_decode(ptr + 1, end, &len);
        if ((unsigned char)ptr[1] >= 0x20 && (unsigned char)ptr[1] < 0x7F) {
            surety__fail(reterr, SURETY_SYNTAX, "\\%c is no escape of JSON",
                         ptr[1]);
        } else {
            next.offset++;
            next.length = len;
            explain_found(&next);
            surety__fail(reterr, SURETY_SYNTAX,
                         "a backslash before %s is no escape of JSON",
                         next.found);
        }
        surety__hint(reterr, "a backslash itself is written \\\\");
        return 1 + len;
    case FAULT_HEX:
        while (len < 6 && ptr + len < end && ptr[len] != '"' &&
               (unsigned char)ptr[len] > 0x20 && (unsigned char)ptr[len] < 0x7F)
            len++;
        surety__fail(reterr, SURETY_SYNTAX,
                     "four hexadecimal digits must follow \\u, found %.*s",
                     (int)len, ptr);
        return len;
    default:
        surety__fail(reterr, SURETY_SYNTAX, "%.6s is half of a surrogate pair",
                     ptr);
        surety__hint(reterr, "a pair is \\ud800 to \\udbff and then \\udc00 "
                             "to \\udfff");
        return 6;
    }
}

static void explain_number(const struct explain *explain, enum read_fault fault,
                           surety_error *reterr)
{
    switch (fault) {
    case FAULT_ZERO:
        surety__fail(reterr, SURETY_SYNTAX, "numbers may not begin with 0");
        surety__hint(reterr, "leave the leading zeros out");
        break;
    case FAULT_MINUS:
        surety__fail(reterr, SURETY_SYNTAX, "a digit must follow -, found %s",
                     explain->found);
        break;
    case FAULT_FRACTION:
        surety__fail(reterr, SURETY_SYNTAX,
                     "a digit must follow the decimal point, found %s",
                     explain->found);
        break;
    default:
        surety__fail(reterr, SURETY_SYNTAX,
                     "a digit must follow the exponent's e, found %s",
                     explain->found);
    }
}

static surety_status explain_limit(enum read_fault fault, size_t length,
                                   const surety_limits *limits,
                                   surety_error *reterr)
{
    switch (fault) {
    case FAULT_DEPTH:
        return surety__fail(reterr, SURETY_LIMIT,
                            "arrays and objects are nested deeper than the "
                            "limit depth_max of %u",
                            limits->depth_max);
    case FAULT_TEXT:
        return surety__fail(reterr, SURETY_LIMIT,
                            "the text has %zu bytes, more than the limit "
                            "text_bytes_max of %zu",
                            length, limits->text_bytes_max);
    case FAULT_NUMBER:
        return surety__fail(reterr, SURETY_LIMIT,
                            "a number has %zu characters, more than the limit "
                            "number_len_max of %u",
                            length, limits->number_len_max);
    case FAULT_STRING:
        return surety__fail(reterr, SURETY_LIMIT,
                            "a string is longer than the limit string_len_max "
                            "of %u bytes",
                            limits->string_len_max);
    case FAULT_KEY_LEN:
        return surety__fail(reterr, SURETY_LIMIT,
                            "a key is longer than the limit key_len_max of %u "
                            "bytes",
                            limits->key_len_max);
    default:
        return surety__fail(reterr, SURETY_LIMIT,
                            "the text has more values than the limit "
                            "values_max of %u",
                            limits->values_max);
    }
}

/* Fills in message and hint of a SURETY_SYNTAX error. Returns the length of the
 * mistake. */
static size_t explain_mistake(struct explain *explain, enum read_fault fault,
                              surety_error *reterr)
{
    switch (fault) {
    case FAULT_ROOT:
    case FAULT_FIRST_ITEM:
    case FAULT_ITEM:
    case FAULT_MEMBER: explain_value(explain, fault, reterr); break;
    case FAULT_FIRST_KEY:
    case FAULT_KEY: explain_key(explain, fault, reterr); break;
    case FAULT_ZERO:
    case FAULT_FRACTION:
    case FAULT_EXPONENT: explain_number(explain, fault, reterr); break;
    case FAULT_MINUS:
        explain->offset--;
        explain->length = explain_length(explain->text, explain->offset);
        if (!explain_foreign(explain, reterr)) {
            explain->offset++;
            explain->length = 1;
            explain_number(explain, fault, reterr);
        }
        break;
    case FAULT_CONTROL:
    case FAULT_UTF8:
    case FAULT_ESCAPE:
    case FAULT_HEX:
    case FAULT_SURROGATE: return explain_string(explain, fault, reterr);
    case FAULT_BOM:
        surety__fail(reterr, SURETY_SYNTAX,
                     "the text begins with a UTF-8 byte order mark (BOM)");
        surety__hint(reterr, "take the first three bytes out");
        return 3;
    case FAULT_DUPLICATE:
        surety__fail(reterr, SURETY_SYNTAX,
                     "the key %s stands in its object twice", explain->found);
        break;
    default: explain_between(explain, fault, reterr); break;
    }
    return explain->length;
}

surety_status surety__read_explain(surety_str text, struct read_mistake mistake,
                                   const surety_limits *limits,
                                   surety_error *reterr)
{
    struct explain explain = {.text = text, .offset = mistake.offset};
    surety_status status = SURETY_SYNTAX;
    size_t length = mistake.length;

    if (mistake.fault == FAULT_NOMEM)
        return surety__fail_nomem(reterr);
    if (!reterr)
        return mistake.fault >= FAULT_DEPTH ? SURETY_LIMIT : SURETY_SYNTAX;
    explain.length = explain_length(text, explain.offset);
    explain_found(&explain);
    if (mistake.fault >= FAULT_DEPTH) {
        if (mistake.fault == FAULT_TEXT)
            length = text.len;
        status = explain_limit(mistake.fault, length, limits, reterr);
        if (mistake.fault == FAULT_VALUES)
            length = explain.length;
    } else if (explain.offset == text.len) {
        explain_end(mistake.fault, reterr);
        length = 0;
    } else {
        length = explain_mistake(&explain, mistake.fault, reterr);
    }
    reterr->position = surety_position_at(text, explain.offset, length);
    return status;
}
