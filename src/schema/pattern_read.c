/* SPDX-License-Identifier: Apache-2.0 */
/* From ECMA-262 (2023, 22.2.1, with u) to the syntax of PCRE2.
 *
 * The one idea: the source is read by the grammar of ECMA-262 alone, and only
 * what was understood is written, each piece in a spelling that PCRE2 cannot
 * take for anything else. No byte of the source reaches PCRE2 by itself, so no
 * construct of PCRE2's own can be had.
 *
 * Two passes: the first counts the groups and finds their names, since a
 * backreference may come before its group; the second checks, writes, and
 * adds to the net what it read, from which an automaton may be made.
 *
 * The search is unanchored and only its answer counts, so a first atom needs to
 * match as often as it must and not more: "\s+$" is read as "\s$" and ".*x"
 * as "x". That spares a run from being looked at again from each of its
 * characters, which would take quadratic time.
 *
 * Not checked: whether a character above ASCII is allowed in a group's name. */
#include "schema/pattern_inside.h"

surety_status surety__pattern_fail(surety__pattern_reader *reader,
                                   const char *at, surety_status status,
                                   const char *what)
{
    size_t offset = (size_t)(at - reader->start);

    surety__fail(reader->reterr, status, "pattern: %s at byte %zu of \"%.*s\"",
                 what, offset, (int)(reader->end - reader->start),
                 reader->start);
    if (reader->reterr)
        reader->reterr->position.offset = offset;
    return status;
}

void surety__pattern_write(surety__pattern_reader *reader, const char *text)
{
    if (reader->out)
        surety_buf_text(reader->out, text);
}

void surety__pattern_write_code(surety__pattern_reader *reader, uint32_t code)
{
    const char c = code < 0x80 ? (char)code : '\0';
    const bool plain =
        surety__is_letter(c) || surety__is_digit(c) || c == '_' || c == ' ';

    if (!reader->out)
        return;
    if (plain)
        surety_buf_byte(reader->out, c);
    else
        surety__buf_printf(reader->out, "\\x{%x}", code);
}

/* ---- groups -------------------------------------------------------------- */

/* The code point of a group's name at *at, which moves on; a \u escape counts
 * as what it means. 0xFFFFFFFF: none. */
static uint32_t pattern_name_next(surety__pattern_reader *reader,
                                  const char **at, const char *end)
{
    surety__pattern_reader escape = {
        .start = reader->start, .at = *at, .end = end};
    surety__pattern_atom atom = {.kind = ATOM_CODE};
    unsigned len;

    if (**at != '\\') {
        atom.code = surety__utf8_decode(*at, end, &len);
        *at += len;
        return atom.code;
    }
    if (end - *at < 2 || (*at)[1] != 'u' ||
        surety__pattern_escape(&escape, false, &atom))
        return UINT32_MAX;
    *at = escape.at;
    return atom.code;
}

static bool pattern_name_equal(surety__pattern_reader *reader, surety_str a,
                               surety_str b)
{
    const char *a_at = a.ptr;
    const char *b_at = b.ptr;

    while (a_at < a.ptr + a.len && b_at < b.ptr + b.len)
        if (pattern_name_next(reader, &a_at, a.ptr + a.len) !=
            pattern_name_next(reader, &b_at, b.ptr + b.len))
            return false;
    return a_at == a.ptr + a.len && b_at == b.ptr + b.len;
}

/* Reads the name behind "<", up to and past ">". */
static surety_status pattern_read_name(surety__pattern_reader *reader,
                                       surety_str *ret_name)
{
    const char *from = reader->at;
    const char *close = memchr(from, '>', (size_t)(reader->end - from));
    const char *at = from;

    if (!close || close == from)
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "a group's name is missing or not closed");
    if (close - from > PATTERN_NAME_MAX)
        return surety__pattern_fail(reader, from, SURETY_LIMIT,
                                    "a group's name above 1024 bytes");
    while (at < close) {
        const char *here = at;
        uint32_t code = pattern_name_next(reader, &at, close);
        const char c = code < 0x80 ? (char)code : '_';

        if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) ||
            (!surety__is_letter(c) && c != '_' && c != '$' &&
             (!surety__is_digit(c) || here == from)))
            return surety__pattern_fail(reader, here, SURETY_SYNTAX,
                                        "a group's name holds a character "
                                        "that it cannot have");
    }
    *ret_name = (surety_str){from, (size_t)(close - from)};
    reader->at = close + 1;
    return SURETY_OK;
}

/* The index of the named group, or name_count. */
static size_t pattern_find_name(surety__pattern_reader *reader, surety_str name)
{
    size_t i = 0;

    while (i < reader->name_count &&
           !pattern_name_equal(reader, reader->names[i], name))
        i++;
    return i;
}

static bool pattern_looks_at(const surety__pattern_reader *reader,
                             const char *text)
{
    size_t len = strlen(text);

    return (size_t)(reader->end - reader->at) >= len &&
           !memcmp(reader->at, text, len);
}

/* Counts the capturing group at reader->at, a "(", if it is one. */
static surety_status pattern_count_group(surety__pattern_reader *reader)
{
    const char *from = reader->at++;
    surety_str name;
    surety_status status;

    if (reader->at == reader->end || *reader->at != '?') {
        reader->group_count++;
        return SURETY_OK;
    }
    if (!pattern_looks_at(reader, "?<") || pattern_looks_at(reader, "?<=") ||
        pattern_looks_at(reader, "?<!"))
        return SURETY_OK;
    reader->at += 2;
    status = pattern_read_name(reader, &name);
    if (status)
        return status;
    if (pattern_find_name(reader, name) < reader->name_count)
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "two groups have one name");
    if (reader->name_count == PATTERN_NAMES_MAX)
        return surety__pattern_fail(reader, from, SURETY_LIMIT,
                                    "more than 256 named groups");
    reader->names[reader->name_count] = name;
    reader->numbers[reader->name_count++] = ++reader->group_count;
    return SURETY_OK;
}

/* The first pass. Escapes and classes are stepped over, not yet checked. */
static surety_status pattern_count_groups(surety__pattern_reader *reader)
{
    bool in_class = false;
    surety_status status = SURETY_OK;

    while (!status && reader->at < reader->end) {
        char c = *reader->at;

        if (c == '\\') {
            char next = reader->at + 1 < reader->end ? reader->at[1] : '\0';

            if (!in_class && ((next >= '1' && next <= '9') || next == 'k'))
                reader->has_backreference = true;
            reader->at += reader->end - reader->at > 1 ? 2 : 1;
        } else if (c == '(' && !in_class) {
            status = pattern_count_group(reader);
        } else {
            if (c == '[' || c == ']')
                in_class = c == '[';
            reader->at++;
        }
    }
    reader->at = reader->start;
    return status;
}

/* Reads the opening of a group that captures nothing; false where it is
 * none. */
static bool pattern_open_plain(surety__pattern_reader *reader,
                               surety__pattern_group *group)
{
    static const struct {
        const char *text;
        bool assertion, behind;
    } kinds[] = {{"(?:", false, false},
                 {"(?=", true, false},
                 {"(?!", true, false},
                 {"(?<=", true, true},
                 {"(?<!", true, true}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (!pattern_looks_at(reader, kinds[i].text))
            continue;
        group->assertion = kinds[i].assertion;
        group->behind = group->behind || kinds[i].behind;
        surety__pattern_write(reader, kinds[i].text);
        reader->at += strlen(kinds[i].text);
        if (group->behind)
            surety__net_refuse(reader->net);
        else
            surety__net_open(reader->net,
                             group->assertion ? kinds[i].text[2] : '\0');
        return true;
    }
    return false;
}

static surety_status pattern_open_group(surety__pattern_reader *reader)
{
    const char *from = reader->at;
    surety__pattern_group group = {.assertion = false};
    surety_str name;
    surety_status status = SURETY_OK;

    reader->leading = false;
    if (reader->depth == PATTERN_DEPTH_MAX)
        return surety__pattern_fail(reader, from, SURETY_LIMIT,
                                    "more than 250 groups in each other");
    group.behind = reader->depth && reader->open[reader->depth - 1].behind;
    if (!pattern_open_plain(reader, &group)) {
        bool named = pattern_looks_at(reader, "(?<");

        if (!named && pattern_looks_at(reader, "(?"))
            return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                        "\"(?\" does not begin a group that "
                                        "ECMA-262 knows");
        reader->at += named ? 3 : 1;
        if (named)
            status = pattern_read_name(reader, &name);
        group.number = ++reader->opened;
        surety__net_open(reader->net, '\0');
        surety__pattern_write(reader, reader->has_backreference ? "(" : "(?:");
    }
    assert(reader->depth < PATTERN_DEPTH_MAX);
    assert(reader->opened <= reader->group_count);
    reader->open[reader->depth++] = group;
    return status;
}

/* ---- escapes ------------------------------------------------------------- */

/* Reads exactly `count` hexadecimal digits at reader->at. */
static bool pattern_read_digits(surety__pattern_reader *reader, size_t count,
                                uint32_t *ret_code)
{
    uint32_t code = 0;

    if ((size_t)(reader->end - reader->at) < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const unsigned digit = surety__hex_digit(reader->at[i]);

        if (digit > 15)
            return false;
        code = code * 16 + digit;
    }
    reader->at += count;
    *ret_code = code;
    return true;
}

/* Reads what follows "\u": four digits, two such escapes that are a surrogate
 * pair, or any number of digits in braces. */
static bool pattern_read_unicode(surety__pattern_reader *reader,
                                 uint32_t *ret_code)
{
    uint32_t low;
    uint32_t code = 0;

    if (reader->at < reader->end && *reader->at == '{') {
        const char *digits = ++reader->at;

        for (; reader->at < reader->end && surety__hex_digit(*reader->at) < 16;
             reader->at++)
            if (code <= 0x10FFFF)
                code = code * 16 + surety__hex_digit(*reader->at);
        if (reader->at == digits || reader->at == reader->end ||
            *reader->at != '}' || code > 0x10FFFF)
            return false;
        reader->at++;
        *ret_code = code;
        return true;
    }
    if (!pattern_read_digits(reader, 4, &code))
        return false;
    *ret_code = code;
    if (code >= 0xD800 && code <= 0xDBFF && pattern_looks_at(reader, "\\u")) {
        const char *back = reader->at;

        reader->at += 2;
        if (pattern_read_digits(reader, 4, &low) && low >= 0xDC00 &&
            low <= 0xDFFF)
            *ret_code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        else
            reader->at = back;
    }
    return true;
}

/* Reads "\p{...}" from behind the p and writes it. */
static surety_status pattern_read_property(surety__pattern_reader *reader,
                                           char letter)
{
    const char *from = reader->at - 2;
    const char *open = reader->at + 1;
    const char *close = NULL;
    const char *equals;
    surety_str name, value;
    surety_buf *out = reader->out;

    if (reader->at < reader->end && *reader->at == '{')
        close = memchr(open, '}', (size_t)(reader->end - open));
    if (!close)
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "a property is not written \\p{...}");
    equals = memchr(open, '=', (size_t)(close - open));
    name = (surety_str){open, (size_t)((equals ? equals : close) - open)};
    value = equals ? (surety_str){equals + 1, (size_t)(close - equals - 1)}
                   : (surety_str){NULL, 0};
    if (out)
        surety__buf_printf(out, "\\%c{", letter);
    if (!surety__pattern_property(name, value, equals != NULL, out))
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "ECMA-262 knows no such property");
    surety__pattern_write(reader, "}");
    reader->at = close + 1;
    return SURETY_OK;
}

/* Reads a backreference from its first digit or "k" on. */
static surety_status pattern_read_reference(surety__pattern_reader *reader,
                                            uint32_t *ret_group)
{
    const char *from = reader->at - 1;
    size_t group = 0;
    surety_str name;
    surety_status status;

    if (*reader->at == 'k') {
        size_t i;

        reader->at++;
        if (reader->at == reader->end || *reader->at++ != '<')
            return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                        "\\k is not followed by <NAME>");
        status = pattern_read_name(reader, &name);
        if (status)
            return status;
        i = pattern_find_name(reader, name);
        group = i < reader->name_count ? reader->numbers[i] : 0;
    } else {
        for (; reader->at < reader->end && surety__is_digit(*reader->at);
             reader->at++)
            if (group <= reader->group_count)
                group = group * 10 + (size_t)(*reader->at - '0');
    }
    if (!group || group > reader->group_count)
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "a backreference to a group that is not "
                                    "there");
    *ret_group = (uint32_t)group;
    return SURETY_OK;
}

/* The escapes of one code point; the letter is behind reader->at.
 * False where it is none. */
static bool pattern_read_code_escape(surety__pattern_reader *reader,
                                     char letter, uint32_t *ret_code)
{
    static const char controls[] = "f\fn\nr\rt\tv\v";
    char next = reader->at < reader->end ? *reader->at : '\0';

    if (letter == 'x')
        return pattern_read_digits(reader, 2, ret_code);
    if (letter == 'u')
        return pattern_read_unicode(reader, ret_code);
    if (letter == 'c') {
        if (!surety__is_letter(next))
            return false;
        *ret_code = (uint32_t)next % 32;
        reader->at++;
        return true;
    }
    for (const char *control = controls; *control; control += 2) {
        if (*control == letter) {
            *ret_code = (uint32_t)control[1];
            return true;
        }
    }
    *ret_code = letter == '0' ? 0 : (uint32_t)letter;
    if (letter == '0')
        return next < '0' || next > '9';
    return letter >= ' ' && letter < 0x7F && !surety__is_digit(letter) &&
           !surety__is_letter(letter);
}

surety_status surety__pattern_escape(surety__pattern_reader *reader,
                                     bool in_class,
                                     surety__pattern_atom *ret_atom)
{
    const char *from = reader->at++;
    char letter;

    if (reader->at == reader->end)
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "a backslash with nothing behind it");
    letter = *reader->at;
    ret_atom->letter = letter;
    if (!in_class && ((letter >= '1' && letter <= '9') || letter == 'k')) {
        ret_atom->kind = ATOM_REFERENCE;
        return pattern_read_reference(reader, &ret_atom->code);
    }
    reader->at++;
    if (letter && strchr("dDwWsS", letter)) {
        ret_atom->kind = ATOM_SET;
        return SURETY_OK;
    }
    if (letter == 'p' || letter == 'P') {
        ret_atom->kind = ATOM_PROPERTY;
        return pattern_read_property(reader, letter);
    }
    if (letter == 'b' && in_class) {
        ret_atom->code = '\b';
        return SURETY_OK;
    }
    if ((letter == 'b' || letter == 'B') && !in_class) {
        ret_atom->kind = ATOM_BOUNDARY;
        return SURETY_OK;
    }
    if (!pattern_read_code_escape(reader, letter, &ret_atom->code))
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "an escape that ECMA-262 does not know");
    return SURETY_OK;
}

/* ---- atoms and quantifiers ----------------------------------------------- */

/* The empty set. Its ranges are left as they are. */
static void pattern_set_init(surety__pattern_set *set)
{
    memset(set, 0, offsetof(surety__pattern_set, ranges));
}

/* Writes a backreference. In its own group it matches the empty text, for the
 * group has captured nothing yet (ECMA-262, 22.2.2.4); in a lookbehind
 * ECMA-262 matches from right to left, which PCRE2 does not. */
static surety_status pattern_write_reference(surety__pattern_reader *reader,
                                             const char *from, uint32_t number)
{
    bool own = false;

    surety__net_refuse(reader->net);
    if (!reader->out)
        return SURETY_OK;
    if (reader->depth && reader->open[reader->depth - 1].behind)
        return surety__pattern_fail(reader, from, SURETY_UNSUPPORTED,
                                    "a backreference in a lookbehind");
    for (size_t i = 0; i < reader->depth; i++)
        own = own || reader->open[i].number == number;
    /* In a group: the machine code of PCRE2 10.42 fails to repeat a reference
     * to a group that is not set. */
    if (own)
        surety__pattern_write(reader, "(?:)");
    else
        surety__buf_printf(reader->out, "(?:\\g{%u})", number);
    return SURETY_OK;
}

static surety_status pattern_read_escape_atom(surety__pattern_reader *reader,
                                              bool *ret_assertion)
{
    surety__pattern_set set;
    surety__pattern_atom atom = {.kind = ATOM_CODE};
    const char *from = reader->at;
    surety_status status = surety__pattern_escape(reader, false, &atom);

    if (status)
        return status;
    pattern_set_init(&set);
    switch (atom.kind) {
    case ATOM_CODE:
        if (atom.code >= 0xD800 && atom.code <= 0xDFFF) {
            /* No text has a lone surrogate. */
            surety__pattern_write(reader, "(?:(?!))");
            surety__net_atom(reader->net, &set);
        } else {
            surety__pattern_write_code(reader, atom.code);
            surety__net_code(reader->net, atom.code);
        }
        break;
    case ATOM_SET:
        surety__pattern_set_letter(reader, atom.letter, false, &set);
        surety__net_atom(reader->net, &set);
        break;
    case ATOM_PROPERTY: surety__net_refuse(reader->net); break;
    case ATOM_BOUNDARY:
        *ret_assertion = true;
        surety__pattern_write(reader, atom.letter == 'b' ? "\\b" : "\\B");
        surety__net_refuse(reader->net);
        break;
    case ATOM_REFERENCE:
        status = pattern_write_reference(reader, from, atom.code);
    }
    return status;
}

static void pattern_read_dot(surety__pattern_reader *reader)
{
    surety__pattern_set set;

    pattern_set_init(&set);
    surety__pattern_set_add(&set, 0x2028, 0x2029);
    set.ascii[0] = ~(((uint64_t)1 << '\n') | ((uint64_t)1 << '\r'));
    set.ascii[1] = UINT64_MAX;
    set.negated = true;
    reader->at++;
    surety__pattern_write(reader, "[^\\n\\r\\x{2028}\\x{2029}]");
    surety__net_atom(reader->net, &set);
}

static surety_status pattern_read_literal(surety__pattern_reader *reader)
{
    unsigned len;
    uint32_t code = surety__utf8_decode(reader->at, reader->end, &len);

    if (code > 0x10FFFF)
        return surety__pattern_fail(reader, reader->at, SURETY_SYNTAX,
                                    "bytes that are no UTF-8");
    reader->at += len;
    surety__pattern_write_code(reader, code);
    surety__net_code(reader->net, code);
    return SURETY_OK;
}

static void pattern_read_anchor(surety__pattern_reader *reader)
{
    bool start = *reader->at++ == '^';

    surety__pattern_write(reader, start ? "^" : "\\z");
    surety__net_anchor(reader->net, start);
}

/* Reads a count at *at; what is above every bound stays there. */
static bool pattern_read_count(const char **at, const char *end,
                               uint32_t *ret_count)
{
    const char *from = *at;
    uint32_t count = 0;

    for (; *at < end && surety__is_digit(**at); ++*at)
        count = count > 100000000 ? count : count * 10 + (uint32_t)(**at - '0');
    *ret_count = count;
    return *at > from;
}

/* Whether a quantifier in braces is at reader->at, and its bounds. */
static bool pattern_read_braces(const surety__pattern_reader *reader,
                                const char **ret_after, uint32_t *ret_min,
                                uint32_t *ret_max)
{
    const char *at = reader->at + 1;

    if (!pattern_read_count(&at, reader->end, ret_min))
        return false;
    *ret_max = *ret_min;
    if (at < reader->end && *at == ',') {
        at++;
        if (!pattern_read_count(&at, reader->end, ret_max))
            *ret_max = UINT32_MAX;
    }
    *ret_after = at + 1;
    return at < reader->end && *at == '}';
}

/* Whether a quantifier is at reader->at: its bounds, and what is behind
 * it. */
static bool pattern_find_quantifier(const surety__pattern_reader *reader,
                                    const char **ret_after, uint32_t *ret_min,
                                    uint32_t *ret_max)
{
    if (reader->at == reader->end)
        return false;
    *ret_after = reader->at + 1;
    *ret_min = *reader->at == '+' ? 1 : 0;
    *ret_max = *reader->at == '?' ? 1 : UINT32_MAX;
    switch (*reader->at) {
    case '*':
    case '+':
    case '?': return true;
    case '{': return pattern_read_braces(reader, ret_after, ret_min, ret_max);
    default: return false;
    }
}

/* Repeats a leading atom as often as it must and not more. One that need not
 * match at all is taken back, and the next is the leading one. */
static void pattern_write_leading(surety__pattern_reader *reader, uint32_t min)
{
    surety__net_repeat(reader->net, min, min);
    if (min) {
        if (reader->out && min > 1)
            surety__buf_printf(reader->out, "{%u}", min);
        reader->leading = false;
    } else if (reader->out && !reader->out->status) {
        reader->out->len = reader->out_last;
    }
}

static surety_status pattern_read_quantifier(surety__pattern_reader *reader,
                                             bool assertion)
{
    const char *from = reader->at;
    const char *after;
    uint32_t min, max;

    if (!pattern_find_quantifier(reader, &after, &min, &max)) {
        reader->leading = false;
        return SURETY_OK;
    }
    if (assertion)
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "a quantifier behind an assertion");
    if (min > max)
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "a quantifier whose bounds are reversed");
    if (reader->out && (min > PATTERN_REPEAT_MAX ||
                        (max != UINT32_MAX && max > PATTERN_REPEAT_MAX)))
        return surety__pattern_fail(reader, from, SURETY_LIMIT,
                                    "a count above 65535");
    reader->at = after;
    if (after < reader->end && *after == '?')
        reader->at++;
    if (reader->leading) {
        pattern_write_leading(reader, min);
    } else {
        if (reader->end - reader->at == 1 && *reader->at == '$')
            surety__net_repeat_last(reader->net, min, max);
        else
            surety__net_repeat(reader->net, min, max);
        if (reader->out)
            surety_buf_append(reader->out, from, (size_t)(reader->at - from));
    }
    return SURETY_OK;
}

/* Reads one atom or assertion with its quantifier, or one delimiter. */
static surety_status pattern_read_term(surety__pattern_reader *reader)
{
    surety__pattern_set set;
    const char *from = reader->at;
    const char *after;
    uint32_t min, max;
    bool assertion = false;
    surety_status status = SURETY_OK;

    reader->out_last = reader->out ? reader->out->len : 0;
    if (pattern_find_quantifier(reader, &after, &min, &max))
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "a quantifier with nothing to repeat");
    switch (*from) {
    case '|':
        reader->leading = !reader->depth;
        surety__pattern_write(reader, "|");
        surety__net_alternative(reader->net);
        reader->at++;
        return SURETY_OK;
    case '(': return pattern_open_group(reader);
    case ')':
        if (!reader->depth)
            return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                        "a \")\" that closes nothing");
        assertion = reader->open[--reader->depth].assertion;
        surety__pattern_write(reader, ")");
        surety__net_close(reader->net);
        reader->at++;
        break;
    case '^':
    case '$':
        assertion = true;
        pattern_read_anchor(reader);
        break;
    case '\\': status = pattern_read_escape_atom(reader, &assertion); break;
    case '[':
        pattern_set_init(&set);
        status = surety__pattern_class(reader, &set);
        if (!status)
            surety__net_atom(reader->net, &set);
        break;
    case '.': pattern_read_dot(reader); break;
    default: status = pattern_read_literal(reader); break;
    }
    return status ? status : pattern_read_quantifier(reader, assertion);
}

surety_status surety__pattern_read(surety__pattern_reader *reader,
                                   surety_str source, surety_buf *out,
                                   surety__pattern_net *net,
                                   surety_error *reterr)
{
    surety_status status;

    if (!source.len)
        source = SURETY__LITERAL("");
    assert(!out || !net);
    memset(reader, 0, offsetof(surety__pattern_reader, names));
    reader->start = source.ptr;
    reader->at = source.ptr;
    reader->end = source.ptr + source.len;
    reader->out = out;
    reader->net = net;
    reader->reterr = reterr;
    reader->leading = true;
    status = pattern_count_groups(reader);
    while (!status && reader->at < reader->end)
        status = pattern_read_term(reader);
    if (!status && reader->depth)
        status = surety__pattern_fail(reader, reader->end, SURETY_SYNTAX,
                                      "a group that is never closed");
    return status;
}
