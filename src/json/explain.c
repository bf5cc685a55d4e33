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

/* Reports a mistake, with what was found if the message leads to that, and a
 * hint if there is one. */
static void explain_fail(surety_error *reterr, const char *message,
                         const char *found, const char *hint)
{
    surety__fail(reterr, SURETY_SYNTAX, "%s%s%s", message,
                 found ? ", found " : "", found ? found : "");
    if (hint)
        surety__hint(reterr, "%s", hint);
}

/* Literals of other languages. */
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
        explain_fail(reterr, "comments are not JSON", NULL,
                     "remove the comment");
        return true;
    }
    if (byte == '\'' || byte == '`') {
        explain_fail(reterr, "a string must be in double quotes", NULL, NULL);
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
    explain_fail(reterr, "an ellipsis is not JSON", NULL,
                 "write what was left out, or remove the ellipsis");
    return true;
}

/* Reports a token where a value is expected. */
static void explain_value(const struct explain *explain, enum read_fault fault,
                          surety_error *reterr)
{
    char byte = explain_byte(explain);

    if (explain_foreign(explain, reterr) || explain_ellipsis(explain, reterr))
        return;
    if (fault == FAULT_ITEM && byte == ']')
        explain_fail(reterr, "a comma is not allowed before ]", NULL,
                     "remove the last comma");
    else if (byte == ',' && fault != FAULT_ROOT)
        explain_fail(reterr, "a value is missing before a comma", NULL, NULL);
    else if (fault == FAULT_MEMBER && byte == '}')
        explain_fail(reterr, "a value is missing after a colon", NULL, NULL);
    else if (byte == '+')
        explain_fail(reterr, "numbers may not begin with +", NULL,
                     "leave the sign out");
    else if (byte == '.')
        explain_fail(reterr, "numbers may not begin with .", NULL,
                     "write a 0 before the point");
    else if (fault == FAULT_ROOT && (explain_starts(explain, "\xFF\xFE") ||
                                     explain_starts(explain, "\xFE\xFF")))
        explain_fail(reterr, "the text is UTF-16, not UTF-8", NULL,
                     "convert it to UTF-8");
    else
        explain_fail(reterr,
                     fault == FAULT_FIRST_ITEM ? "expected a value or ]"
                                               : "expected a value",
                     explain->found,
                     explain_is_word((unsigned char)byte)
                         ? "strings need double quotes"
                         : NULL);
}

/* Reports a token where a key is expected. */
static void explain_key(const struct explain *explain, enum read_fault fault,
                        surety_error *reterr)
{
    char byte = explain_byte(explain);

    if (byte == '}')
        explain_fail(reterr, "a comma is not allowed before }", NULL,
                     "remove the last comma");
    else if (explain_ellipsis(explain, reterr))
        return;
    else if (explain_is_word((unsigned char)byte))
        explain_fail(reterr, "a key must be in double quotes", explain->found,
                     NULL);
    else if (!explain_foreign(explain, reterr))
        explain_fail(reterr,
                     fault == FAULT_FIRST_KEY ? "expected a key or }"
                                              : "expected a key",
                     explain->found, NULL);
}

/* For each fault the message where the text ends, and elsewhere; no message:
 * the functions below and above choose one by the bytes. */
static const struct {
    const char *end, *message, *hint;
    bool finds; /* the message leads to what was found */
} explain_rows[FAULT_VALUES + 1] = {
    [FAULT_ROOT] = {.end = "the text is empty"},
    [FAULT_FIRST_ITEM] = {.end = "the text ends inside an array"},
    [FAULT_ITEM] = {.end = "the text ends inside an array"},
    [FAULT_AFTER_ITEM] = {.end = "the text ends inside an array",
                          .message = "expected a comma or ] after an array "
                                     "item",
                          .finds = true},
    [FAULT_FIRST_KEY] = {.end = "the text ends inside an object"},
    [FAULT_KEY] = {.end = "the text ends inside an object"},
    [FAULT_COLON] = {.end = "the text ends after a key",
                     .message = "expected a colon after a key",
                     .finds = true},
    [FAULT_MEMBER] = {.end = "the text ends after a colon"},
    [FAULT_AFTER_MEMBER] = {.end = "the text ends inside an object",
                            .message = "expected a comma or } after a member",
                            .finds = true},
    [FAULT_SECOND] = {.message = "nothing may follow the value", .finds = true},
    [FAULT_STRING_END] = {.end = "the text ends inside a string"},
    [FAULT_ZERO] = {.message = "numbers may not begin with 0",
                    .hint = "leave the leading zeros out"},
    [FAULT_MINUS] = {.end = "the text ends inside a number",
                     .message = "a digit must follow -",
                     .finds = true},
    [FAULT_FRACTION] = {.end = "the text ends inside a number",
                        .message = "a digit must follow the decimal point",
                        .finds = true},
    [FAULT_EXPONENT] = {.end = "the text ends inside a number",
                        .message = "a digit must follow the exponent's e",
                        .finds = true},
    [FAULT_BOM] = {.message =
                       "the text begins with a UTF-8 byte order mark (BOM)",
                   .hint = "remove the first three bytes"},
};

/* Reports a token that may not follow a key or a value. */
static void explain_between(const struct explain *explain,
                            enum read_fault fault, surety_error *reterr)
{
    char byte = explain_byte(explain);

    if ((byte == '/' || byte == '#') && explain_foreign(explain, reterr))
        return;
    if (fault == FAULT_SECOND && byte != '\0' &&
        memchr("{[\"-0123456789tfn", byte, 17))
        explain_fail(reterr, "a second value follows the first", NULL,
                     "a JSON text has exactly one value");
    else
        explain_fail(reterr, explain_rows[fault].message, explain->found, NULL);
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

static surety_status explain_limit(enum read_fault fault, size_t length,
                                   const surety_limits *limits,
                                   surety_error *reterr)
{
    const struct {
        const char *message, *name;
        size_t limit;
        const char *unit;
        bool counts; /* the message leads to the length */
    } rows[] = {{"arrays and objects are nested deeper than", "depth_max",
                 limits->depth_max, "", false},
                {"the text has", "text_bytes_max", limits->text_bytes_max,
                 " bytes", true},
                {"a number has", "number_len_max", limits->number_len_max,
                 " characters", true},
                {"a string is longer than", "string_len_max",
                 limits->string_len_max, " bytes", false},
                {"a key is longer than", "key_len_max", limits->key_len_max,
                 " bytes", false},
                {"the text has more values than", "values_max",
                 limits->values_max, "", false}},
      *row = &rows[fault - FAULT_DEPTH];

    assert(fault >= FAULT_DEPTH && fault <= FAULT_VALUES);
    if (row->counts)
        return surety__fail(
            reterr, SURETY_LIMIT, "%s %zu%s, more than the limit %s of %zu",
            row->message, length, row->unit, row->name, row->limit);
    return surety__fail(reterr, SURETY_LIMIT, "%s the limit %s of %zu%s",
                        row->message, row->name, row->limit, row->unit);
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
    case FAULT_COLON:
    case FAULT_AFTER_ITEM:
    case FAULT_AFTER_MEMBER:
    case FAULT_SECOND: explain_between(explain, fault, reterr); break;
    case FAULT_MINUS:
        explain->offset--;
        explain->length = explain_length(explain->text, explain->offset);
        if (explain_foreign(explain, reterr))
            break;
        explain->offset++;
        explain->length = 1;
        explain_fail(reterr, explain_rows[fault].message, explain->found, NULL);
        break;
    case FAULT_CONTROL:
    case FAULT_UTF8:
    case FAULT_ESCAPE:
    case FAULT_HEX:
    case FAULT_SURROGATE: return explain_string(explain, fault, reterr);
    case FAULT_DUPLICATE:
        surety__fail(reterr, SURETY_SYNTAX, "the object has the key %s twice",
                     explain->found);
        break;
    default:
        explain_fail(reterr, explain_rows[fault].message,
                     explain_rows[fault].finds ? explain->found : NULL,
                     explain_rows[fault].hint);
        return fault == FAULT_BOM ? 3 : explain->length;
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
        assert(explain_rows[mistake.fault].end);
        explain_fail(reterr, explain_rows[mistake.fault].end, NULL,
                     mistake.fault == FAULT_ROOT
                         ? "a JSON text has exactly one value"
                         : "it looks cut off");
        length = 0;
    } else {
        length = explain_mistake(&explain, mistake.fault, reterr);
    }
    reterr->position = surety_position_at(text, explain.offset, length);
    return status;
}
