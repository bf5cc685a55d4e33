/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, values without quotes: numbers, literals and text.
 *
 * The reader first finds the end of the token from the signs that follow, and
 * then its type:
 *
 * 1. A number or literal of JSON is that value.
 * 2. So is a literal of Python or ECMAScript, and a number in a form that has
 *    only one reading.
 * 3. Any other token is a string of exactly these characters (2024-05-01, 12
 *    kg, 18,204, 007). The alignment, which knows the schema, may convert it
 *    later. */
#include "json/lenient.h"

/* ---- types of tokens ---------------------------------------------------- */

static const struct {
    char name[10];
    uint8_t len, kind, repair; /* REPAIR_COUNT: it is JSON, no repair */
} bare_names[] = {
    {"true", 4, CELL_TRUE, REPAIR_COUNT},
    {"false", 5, CELL_FALSE, REPAIR_COUNT},
    {"null", 4, CELL_NULL, REPAIR_COUNT},
    {"True", 4, CELL_TRUE, REPAIR_PYTHON_LITERAL},
    {"False", 5, CELL_FALSE, REPAIR_PYTHON_LITERAL},
    {"None", 4, CELL_NULL, REPAIR_PYTHON_LITERAL},
    {"TRUE", 4, CELL_TRUE, REPAIR_PYTHON_LITERAL},
    {"FALSE", 5, CELL_FALSE, REPAIR_PYTHON_LITERAL},
    {"NULL", 4, CELL_NULL, REPAIR_PYTHON_LITERAL},
    {"Null", 4, CELL_NULL, REPAIR_PYTHON_LITERAL},
    {"undefined", 9, CELL_NULL, REPAIR_JS_LITERAL},
    {"NaN", 3, CELL_NULL, REPAIR_JS_LITERAL},
    {"nan", 3, CELL_NULL, REPAIR_JS_LITERAL},
    {"nil", 3, CELL_NULL, REPAIR_JS_LITERAL},
    {"Infinity", 8, CELL_NULL, REPAIR_JS_LITERAL},
    {"-Infinity", 9, CELL_NULL, REPAIR_JS_LITERAL},
    {"+Infinity", 9, CELL_NULL, REPAIR_JS_LITERAL},
    {"-NaN", 4, CELL_NULL, REPAIR_JS_LITERAL},
    {"+NaN", 4, CELL_NULL, REPAIR_JS_LITERAL},
    {"- Infinity", 10, CELL_NULL, REPAIR_JS_LITERAL},
    {"+ Infinity", 10, CELL_NULL, REPAIR_JS_LITERAL},
    {"- NaN", 5, CELL_NULL, REPAIR_JS_LITERAL},
    {"+ NaN", 5, CELL_NULL, REPAIR_JS_LITERAL},
};

enum { BARE_NAMES = sizeof(bare_names) / sizeof(*bare_names) };

static size_t bare_digits(const char *ptr, size_t at, size_t len)
{
    while (at < len && surety__is_digit(ptr[at]))
        at++;
    return at;
}

/* Returns the length of the longest prefix of the len bytes at ptr that is a
 * number of JSON; 0: none. */
static size_t bare_number(const char *ptr, size_t len)
{
    size_t at = len && *ptr == '-', end, start = at;

    end = bare_digits(ptr, at, len);
    if (end == at)
        return 0;
    if (ptr[at] == '0' && end - at > 1)
        return start + 1;
    at = end;
    if (at + 1 < len && ptr[at] == '.') {
        end = bare_digits(ptr, at + 1, len);
        if (end == at + 1)
            return at;
        at = end;
    }
    if (at + 1 < len && (ptr[at] == 'e' || ptr[at] == 'E')) {
        start = at + 1 + (ptr[at + 1] == '+' || ptr[at + 1] == '-');
        end = bare_digits(ptr, start, len);
        if (end > start)
            at = end;
    }
    return at;
}

/* Copies digits from *at on to out, without the underscores that group them.
 * Returns false when an underscore is not between two digits. */
static bool bare_grouped(const char *ptr, size_t len, size_t *at, char *out,
                         size_t *count)
{
    const size_t start = *at;

    for (; *at < len && (surety__is_digit(ptr[*at]) || ptr[*at] == '_');
         ++*at) {
        if (ptr[*at] != '_')
            out[(*count)++] = ptr[*at];
        else if (*at == start || *at + 1 == len ||
                 !surety__is_digit(ptr[*at + 1]) || ptr[*at - 1] == '_')
            return false;
    }
    return true;
}

/* Returns how many bits a digit has after 0x, 0o or 0b; 0: the letter is none
 * of these. */
static unsigned bare_base(char letter)
{
    switch (letter | 0x20) {
    case 'x': return 4;
    case 'o': return 3;
    case 'b': return 1;
    default: return 0;
    }
}

/* Converts the prefix of two bytes at `at` and digits of so many bits, at most
 * 60 bits in all, to decimal. Appends it to the count bytes of out; returns the
 * new count, or 0 when it is no such number. */
static size_t bare_based(const char *ptr, size_t len, size_t at, char *out,
                         size_t count)
{
    const unsigned bits = bare_base(ptr[at + 1]);
    surety_buf digits = {.ptr = out + count, .cap = 24, .max = 24};
    uint64_t value = 0;

    if (len - at < 3 || (len - at - 2) * bits > 60)
        return 0;
    for (at += 2; at < len; at++) {
        uint32_t digit = surety__hex_digit(ptr[at]);

        if (digit >> bits)
            return 0;
        value = value << bits | digit;
    }
    surety_buf_number(&digits, value);
    return count + digits.len;
}

/* Converts another form of a number (.5, 5., +5, 1_000, 0x1F, 0o17, 0b101) to a
 * number of JSON. out has room for len + 24 bytes. Returns the length of the
 * number in out, or 0 when the token is no such form. */
static size_t bare_form(const char *ptr, size_t len, char *out)
{
    size_t at = 0, count = 0, digits;
    bool whole;

    if (len && (*ptr == '-' || *ptr == '+')) {
        if (*ptr == '-')
            out[count++] = '-';
        at++;
    }
    if (at + 1 < len && ptr[at] == '0' && bare_base(ptr[at + 1]))
        return bare_based(ptr, len, at, out, count);
    digits = count;
    if (!bare_grouped(ptr, len, &at, out, &count))
        return 0;
    whole = count > digits;
    if (whole && out[digits] == '0' && count - digits > 1)
        return 0; /* 007 is text */
    if (!whole)
        out[count++] = '0';
    if (at < len && ptr[at] == '.') {
        digits = count;
        out[count++] = '.';
        at++;
        if (!bare_grouped(ptr, len, &at, out, &count))
            return 0;
        if (count == digits + 1) {
            count = digits;
            if (!whole)
                return 0;
        }
    } else if (!whole) {
        return 0;
    }
    if (at < len && (ptr[at] | 0x20) == 'e') {
        out[count++] = 'e';
        at++;
        if (at < len && (ptr[at] == '+' || ptr[at] == '-'))
            out[count++] = ptr[at++];
        digits = count;
        for (; at < len && surety__is_digit(ptr[at]); at++)
            out[count++] = ptr[at];
        if (count == digits)
            return 0;
    }
    return at == len ? count : 0;
}

/* Returns the row of the name, or BARE_NAMES when there is none. */
static size_t bare_name(const char *ptr, size_t len)
{
    size_t row = 0;

    if (len < 3 || len > 10)
        return BARE_NAMES;
    while (row < BARE_NAMES && (bare_names[row].len != len ||
                                memcmp(bare_names[row].name, ptr, len)))
        row++;
    return row;
}

/* Returns whether the token is a number or the name of a literal. */
static bool bare_is_scalar(const char *ptr, size_t len)
{
    char out[128];

    if (len && bare_number(ptr, len) == len)
        return true;
    if (bare_name(ptr, len) < BARE_NAMES)
        return true;
    return len < 64 && bare_form(ptr, len, out);
}

/* ---- cells -------------------------------------------------------------- */

static surety__cell *bare_cell(surety_lenient *lenient, size_t start,
                               uint8_t kind, uint8_t flags)
{
    surety__cell *cell = surety__lenient_cell(lenient, start);

    if (cell) {
        surety__cell_head(cell, kind, flags, 0, (uint32_t)start);
        cell->i = 0;
    }
    return cell;
}

/* Returns whether the form of a number proves that it is no integer: 1.25, but
 * not 1.0 or 12.5e1. */
static bool bare_is_fraction(const char *ptr, size_t len)
{
    bool dot = false;

    for (size_t i = 0; i < len; i++) {
        if ((ptr[i] | 0x20) == 'e')
            return false;
        dot |= ptr[i] == '.';
    }
    return dot && ptr[len - 1] != '0';
}

/* Makes the cell of a number of JSON. */
static enum lenient_step bare_make_number(surety_lenient *lenient, size_t start,
                                          size_t len, uint8_t flags)
{
    surety__cell *cell;

    if (len > lenient->doc->limits.number_len_max) {
        lenient->failure.length = len;
        return surety__lenient_limit(lenient, start, FAULT_NUMBER);
    }
    cell = bare_cell(lenient, start, CELL_REAL, 0);
    if (!cell)
        return STEP_FAIL;
    cell->len = (uint32_t)len;
    if (!bare_is_fraction(lenient->text + start, len))
        surety__number_cell(cell, (surety_str){lenient->text + start, len});
    if (cell->kind != CELL_INT)
        cell->off = (uint32_t)start;
    cell->flags |= flags;
    return STEP_GO;
}

static enum lenient_step bare_make_name(surety_lenient *lenient, size_t start,
                                        size_t row)
{
    const uint8_t kind = bare_names[row].kind, repair = bare_names[row].repair;

    if (repair != REPAIR_COUNT &&
        surety__lenient_repair(lenient, repair, start, bare_names[row].len,
                               kind == CELL_TRUE    ? "true"
                               : kind == CELL_FALSE ? "false"
                                                    : "null"))
        return STEP_FAIL;
    return bare_cell(lenient, start, kind, 0) ? STEP_GO : STEP_FAIL;
}

/* Makes the cell of a number in another form. *ret_made is false when the token
 * is no such number. */
static enum lenient_step bare_make_form(surety_lenient *lenient, size_t start,
                                        size_t len, bool *ret_made)
{
    surety_doc *doc = lenient->doc;
    surety__cell *cell;
    surety__text_repair repair;
    size_t count;

    *ret_made = false;
    if (len > doc->limits.number_len_max)
        return STEP_GO;
    if (surety__lenient_own(lenient, len + 24))
        return STEP_FAIL;
    count = bare_form(lenient->text + start, len, doc->own + doc->own_len);
    if (!count)
        return STEP_GO;
    repair = (surety__text_repair){.kind = REPAIR_NUMBER_FORM,
                                   .own = true,
                                   .offset = (uint32_t)start,
                                   .len = (uint32_t)len,
                                   .read_off = (uint32_t)doc->own_len,
                                   .read_len = (uint32_t)count};
    if (surety__lenient_repair_as(lenient, &repair))
        return STEP_FAIL;
    cell = bare_cell(lenient, start, CELL_REAL, 0);
    if (!cell)
        return STEP_FAIL;
    surety__number_cell(cell, (surety_str){doc->own + doc->own_len, count});
    /* An INT with a place has its text there, and this text differs. */
    if (cell->kind == CELL_INT) {
        cell->kind = CELL_WHOLE;
        cell->len = (uint32_t)count;
    }
    cell->flags = FLAG_OWN;
    cell->off = (uint32_t)doc->own_len;
    doc->own_len += count;
    *ret_made = true;
    return STEP_GO;
}

/* Copies text that is not valid UTF-8 to the own block, with U+FFFD for each
 * invalid sequence. */
static enum lenient_step bare_make_broken(surety_lenient *lenient, size_t start,
                                          size_t len, surety__cell *cell)
{
    surety_doc *doc = lenient->doc;
    const char *ptr = lenient->text + start, *end = ptr + len;
    char *out;

    if (surety__lenient_own(lenient, 3 * len + 1))
        return STEP_FAIL;
    cell->off = (uint32_t)doc->own_len;
    cell->flags |= FLAG_OWN;
    out = doc->own + doc->own_len;
    while (ptr < end) {
        unsigned step;
        uint32_t code = surety__utf8_decode(ptr, end, &step);

        out += surety__utf8_encode(code == UINT32_MAX ? 0xFFFD : code, out);
        ptr += step;
    }
    cell->len = (uint32_t)(out - (doc->own + doc->own_len));
    doc->own_len += cell->len;
    return STEP_GO;
}

static enum lenient_step bare_make_text(surety_lenient *lenient, size_t start,
                                        size_t len, uint8_t flags)
{
    const char *ptr = lenient->text + start;
    surety__cell *cell;

    if (len > lenient->doc->limits.string_len_max)
        return surety__lenient_limit(lenient, start, FAULT_STRING);
    cell = bare_cell(lenient, start, CELL_STRING, FLAG_ASCII | flags);
    if (!cell)
        return STEP_FAIL;
    surety__cell_text(cell, (uint32_t)len, (uint32_t)start);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)ptr[i] >= 0x80) {
            cell->flags &= (uint8_t)~FLAG_ASCII;
            break;
        }
    if (cell->flags & FLAG_ASCII ||
        surety__utf8_valid((surety_str){ptr, len}, NULL))
        return STEP_GO;
    if (!(flags & FLAG_OPEN) &&
        surety__lenient_repair(lenient, REPAIR_INVALID_UTF8, start, len,
                               "\xEF\xBF\xBD"))
        return STEP_FAIL;
    return bare_make_broken(lenient, start, len, cell);
}

/* Makes the cell of a token whose end has not arrived. */
static enum lenient_step bare_make_open(surety_lenient *lenient, size_t start,
                                        size_t len, bool *ret_made)
{
    const char *ptr = lenient->text + start;
    size_t number;

    *ret_made = true;
    for (size_t i = 0; i < BARE_NAMES; i++)
        if (len <= bare_names[i].len && !memcmp(bare_names[i].name, ptr, len) &&
            *ptr != '-' && *ptr != '+')
            return bare_cell(lenient, start, bare_names[i].kind, FLAG_OPEN)
                       ? STEP_GO
                       : STEP_FAIL;
    number = bare_number(ptr, len);
    if (number &&
        (number == len || (len - number <= 2 && (ptr[number] == '.' ||
                                                 (ptr[number] | 0x20) == 'e'))))
        return bare_make_number(lenient, start, number, FLAG_OPEN);
    if (len <= 1 && (*ptr == '-' || *ptr == '+' || *ptr == '.')) {
        *ret_made = false;
        return STEP_GO;
    }
    /* Leave out a character whose last bytes have not arrived. */
    while (len && !surety__utf8_valid((surety_str){ptr, len}, NULL) &&
           (unsigned char)ptr[len - 1] >= 0x80)
        len--;
    return bare_make_text(lenient, start, len, FLAG_OPEN);
}

/* ---- constructors ------------------------------------------------------- */

/* The one value in the brackets of a constructor, as offsets into its token. */
struct bare_inner {
    size_t start, end; /* without its quotes */
    bool quoted;
};

/* Skips names that dots join, from `at` on. */
static size_t bare_dotted(const char *ptr, size_t at, size_t len)
{
    const size_t start = at;

    while (at < len &&
           (lenient_is(ptr[at], BYTE_PLAIN) || (ptr[at] == '.' && at > start)))
        at++;
    return at > start && !surety__is_digit(ptr[start]) ? at : start;
}

static size_t bare_blanks(const char *ptr, size_t at, size_t len)
{
    while (at < len && scan_is_space(ptr[at]))
        at++;
    return at;
}

/* Finds the literal in NAME(LITERAL), new NAME(LITERAL), or <NAME: LITERAL>, as
 * Python shows an enum. Returns false when the token has another form. */
static bool bare_inner(const char *ptr, size_t len, struct bare_inner *ret)
{
    const bool angle = len && *ptr == '<';
    size_t at = angle, end;

    if (len < 4 || ptr[len - 1] != (angle ? '>' : ')'))
        return false;
    if (!memcmp(ptr, "new ", 4))
        at = bare_blanks(ptr, 4, len);
    end = bare_dotted(ptr, at, len);
    if (end == at || end == len || ptr[end] != (angle ? ':' : '('))
        return false;
    at = bare_blanks(ptr, end + 1, len);
    for (end = len - 1; end > at && scan_is_space(ptr[end - 1]);)
        end--;
    *ret = (struct bare_inner){.start = at, .end = end};
    if (end - at >= 2 && (ptr[at] == '"' || ptr[at] == '\'')) {
        *ret = (struct bare_inner){at + 1, end - 1, true};
        return ptr[end - 1] == ptr[at] &&
               !memchr(ptr + at + 1, ptr[at], end - at - 2) &&
               !memchr(ptr + at + 1, '\\', end - at - 2);
    }
    return end > at && bare_number(ptr + at, end - at) == end - at;
}

/* Returns whether the token says what a value would be: <name>, without other
 * signs, as in a template. */
static bool bare_is_placeholder(const char *ptr, size_t len)
{
    if (len < 3 || *ptr != '<' || ptr[len - 1] != '>')
        return false;
    for (size_t i = 1; i + 1 < len; i++)
        if (!lenient_is_name(ptr[i]) && ptr[i] != ' ')
            return false;
    return true;
}

/* Returns whether the text without quotes is an item with its key, as PHP
 * writes them: 1 => 'a'. */
static bool bare_is_hash(const surety_lenient *lenient, surety_str text)
{
    return !lenient_in_object(lenient) &&
           surety__str_find(text, SURETY__LITERAL("=>")) < text.len;
}

/* Makes the cell of the value in a constructor's brackets. */
static enum lenient_step bare_make_inner(surety_lenient *lenient, size_t start,
                                         size_t len,
                                         const struct bare_inner *inner)
{
    const size_t from = start + inner->start, size = inner->end - inner->start;
    const size_t quote = inner->quoted;
    const surety__text_repair repair = {.kind = REPAIR_CONSTRUCTOR,
                                        .offset = (uint32_t)start,
                                        .len = (uint32_t)len,
                                        .read_off = (uint32_t)(from - quote),
                                        .read_len =
                                            (uint32_t)(size + 2 * quote)};

    if (surety__lenient_repair_as(lenient, &repair))
        return STEP_FAIL;
    return inner->quoted ? bare_make_text(lenient, from, size, 0)
                         : bare_make_number(lenient, from, size, 0);
}

enum lenient_step surety__lenient_token(surety_lenient *lenient, size_t start,
                                        size_t end, bool open, bool *ret_made)
{
    const char *ptr = lenient->text + start;
    size_t len = end - start;
    enum lenient_step step;
    surety__text_repair repair;
    struct bare_inner inner;
    size_t row;
    bool made;

    while (len && (scan_is_space(ptr[len - 1]) || ptr[len - 1] == '\f'))
        len--;
    if (open)
        return bare_make_open(lenient, start, len, ret_made);
    *ret_made = true;
    if (bare_number(ptr, len) == len)
        return bare_make_number(lenient, start, len, 0);
    row = bare_name(ptr, len);
    if (row < BARE_NAMES)
        return bare_make_name(lenient, start, row);
    step = bare_make_form(lenient, start, len, &made);
    if (step != STEP_GO || made)
        return step;
    if (lenient->open == PLACE_NONE)
        return surety__lenient_fail(lenient, start, "no value begins here");
    if (bare_inner(ptr, len, &inner))
        return bare_make_inner(lenient, start, len, &inner);
    if (bare_is_placeholder(ptr, len))
        return surety__lenient_fail(lenient, start,
                                    "a placeholder replaces a value");
    if (bare_is_hash(lenient, (surety_str){ptr, len}))
        return surety__lenient_fail(lenient, start, "an array has keys");
    repair = (surety__text_repair){.kind = REPAIR_UNQUOTED_VALUE,
                                   .offset = (uint32_t)start,
                                   .len = (uint32_t)len,
                                   .read_off = (uint32_t)start,
                                   .read_len = (uint32_t)len};
    if (surety__lenient_repair_as(lenient, &repair))
        return STEP_FAIL;
    return bare_make_text(lenient, start, len, 0);
}

/* ---- the end of a token ------------------------------------------------- */

/* Returns whether the token up to `at` is a number or name. Once it is not,
 * more bytes cannot make it one. */
static bool bare_scalar(surety_lenient *lenient)
{
    struct bare *bare = &lenient->bare;

    if (!bare->text && lenient->at != bare->scalar) {
        if (bare_is_scalar(lenient->text + bare->place,
                           lenient->at - bare->place))
            bare->scalar = lenient->at;
        else
            bare->text = true;
    }
    return !bare->text;
}

/* Ends the token at `at`. */
static enum lenient_step bare_finish(surety_lenient *lenient)
{
    bool made;
    const enum lenient_step step = surety__lenient_token(
        lenient, lenient->bare.place, lenient->at, false, &made);

    if (step == STEP_GO)
        surety__lenient_placed(lenient, lenient->at);
    return step;
}

/* Adds len bytes to the token, which makes it text. */
static enum lenient_step bare_take(surety_lenient *lenient, size_t len)
{
    assert(len <= lenient->end - lenient->at);
    lenient->bare.text = true;
    lenient->at += len;
    return STEP_GO;
}

/* Returns whether the signs after a comma or line end in an object's value show
 * that the value ends there: a closing bracket, a member, or the like.
 * *ret_wait: more bytes are needed. */
static bool bare_ends_before(struct ahead *ahead, bool line, bool *ret_wait)
{
    const struct ahead before = *ahead;
    struct sign sign = surety__ahead_sign(ahead);
    enum member member;
    bool ends;

    line |= ahead->line;
    if (ahead->starved) {
        *ret_wait = true;
        return false;
    }
    if (lenient_is_closer(sign.code)) {
        ends = surety__ahead_closer(ahead, &sign);
    } else if (sign.code == SIGN_END || sign.code == ',' || sign.code == '/' ||
               sign.code == '#' || sign.code == SIGN_DOTS || sign.code == '{') {
        ends = true;
    } else {
        *ahead = before;
        member = surety__ahead_member(ahead);
        ends = member == MEMBER_QUOTED || member == MEMBER_BARE ||
               (member == MEMBER_LOOSE && line);
    }
    *ret_wait = ahead->starved;
    return ends;
}

/* Reads a comma of len bytes at `at`. */
static enum lenient_step bare_comma(surety_lenient *lenient, size_t len)
{
    struct ahead ahead = {.lenient = lenient, .at = lenient->at + len};
    const char *text = lenient->text;
    bool wait = false;

    if (!lenient_in_object(lenient) ||
        (lenient->options.strict && bare_scalar(lenient)))
        return bare_finish(lenient);
    if (ahead.at == lenient->end && !lenient->final)
        return surety__lenient_wait(lenient, WAIT_ANY, ahead.at);
    if (bare_scalar(lenient)) {
        size_t at = ahead.at;

        if (at == lenient->end || !surety__is_digit(text[at]))
            return bare_finish(lenient);
        /* 18,204 is text; but 1,2: is a value and a key. */
        while (at < lenient->end && surety__is_digit(text[at]) &&
               at - ahead.at < LENIENT_KEY_AHEAD)
            at++;
        lenient->work += at - ahead.at;
        if (at == lenient->end && !lenient->final) {
            surety__lenient_wait(lenient, WAIT_STOP, at);
            lenient->wait.most = ahead.at + LENIENT_KEY_AHEAD;
            return STEP_WAIT;
        }
        if (at < lenient->end && text[at] == ':')
            return bare_finish(lenient);
        return bare_take(lenient, len);
    }
    if (bare_ends_before(&ahead, false, &wait))
        return bare_finish(lenient);
    return wait ? STEP_WAIT : bare_take(lenient, len);
}

/* Returns whether the sign ends the token, whatever follows it. */
static bool bare_is_end(surety_lenient *lenient, int code)
{
    const int closer = lenient_closer(&lenient->doc->cells[lenient->open]);

    if (code == '}' || code == ']' || code == closer)
        return true;
    if (code == ',' && !lenient_in_object(lenient))
        return true;
    return (code == ',' || code == ';') && bare_scalar(lenient);
}

/* Ends the text in a token; blank: white space follows the token. A complete
 * number or name becomes the value. A text is cut off, except in the last line
 * of an object without braces, which nothing else ends. */
static enum lenient_step bare_end(surety_lenient *lenient, bool blank)
{
    const char *ptr = lenient->text + lenient->bare.place;
    const size_t len = lenient->at - lenient->bare.place;
    const bool loose = lenient->doc->cells[lenient->open].flags & LENIENT_LOOSE;

    if (blank ? loose || bare_scalar(lenient)
              : !lenient->options.cut && !lenient->bare.text &&
                    (bare_number(ptr, len) == len ||
                     bare_name(ptr, len) < BARE_NAMES))
        return bare_finish(lenient);
    return STEP_CUT;
}

/* Reads white space at `at`. */
static enum lenient_step bare_blank(surety_lenient *lenient)
{
    struct ahead ahead = {.lenient = lenient, .at = lenient->at};
    struct sign sign = surety__ahead_sign(&ahead);
    const size_t next = ahead.at;
    enum member member;
    bool wait = false;
    int ends;

    if (ahead.starved)
        return STEP_WAIT;
    if (sign.code == SIGN_END)
        return bare_end(lenient, true);
    if (sign.code == '/' || sign.code == '#')
        return bare_finish(lenient);
    if (lenient->bare.nest == 0 && bare_is_end(lenient, sign.code))
        return bare_finish(lenient);
    ends = sign.code == '<'       ? lenient_is_markup(lenient, next)
           : bare_scalar(lenient) ? surety__ahead_dots(lenient, &sign, next)
                                  : 0;
    if (ends)
        return ends < 0 ? lenient_more(lenient) : bare_finish(lenient);
    if (!lenient_in_object(lenient)) {
        if (ahead.line)
            return bare_finish(lenient);
        if (bare_scalar(lenient) &&
            (sign.code == SIGN_QUOTE || sign.code == '{' || sign.code == '[' ||
             surety__ahead_scalar(&ahead)))
            return bare_finish(lenient);
        return ahead.starved ? STEP_WAIT
                             : bare_take(lenient, next - lenient->at);
    }
    if (ahead.line) {
        if (lenient->doc->cells[lenient->open].flags & LENIENT_LOOSE ||
            bare_ends_before(&ahead, true, &wait))
            return bare_finish(lenient);
        return wait ? STEP_WAIT : bare_take(lenient, next - lenient->at);
    }
    if (sign.code == '{' && bare_scalar(lenient))
        return bare_finish(lenient); /* another object: no text joins them */
    member = surety__ahead_member(&ahead);
    if (ahead.starved)
        return STEP_WAIT;
    if (member == MEMBER_QUOTED ||
        (member != MEMBER_NO && bare_scalar(lenient)) ||
        (member == MEMBER_BARE && lenient->options.expects &&
         surety__ahead_expects_name(lenient, next)))
        return bare_finish(lenient);
    return bare_take(lenient, next - lenient->at);
}

/* Reads a quote at `at`. If the text has no quote before it, this may be its
 * closing quote. */
static enum lenient_step bare_quote(surety_lenient *lenient,
                                    const struct sign *sign)
{
    struct bare *bare = &lenient->bare;
    const size_t at = lenient->at;
    enum closing closing;

    if (sign->style > STYLE_SINGLE || bare->quoted ||
        lenient->open == PLACE_NONE || scan_is_space(lenient->text[at - 1])) {
        bare->quoted = sign->style == STYLE_DOUBLE && !bare->quoted;
        return bare_take(lenient, sign->len);
    }
    lenient->quoted = (struct quoted){
        .place = bare->place, .body = bare->place, .style = sign->style};
    closing = surety__ahead_closing(lenient, at, sign->len);
    if (closing == CLOSING_WAIT)
        return STEP_WAIT;
    if (closing != CLOSING_YES) {
        bare->quoted = sign->style == STYLE_DOUBLE;
        return bare_take(lenient, sign->len);
    }
    if (bare_is_hash(lenient, (surety_str){lenient->text + bare->place,
                                           at - bare->place}))
        return surety__lenient_fail(lenient, bare->place, "an array has keys");
    if (surety__lenient_repair(lenient, REPAIR_MISSING_QUOTE, bare->place, 0,
                               "\"") ||
        bare_make_text(lenient, bare->place, at - bare->place, 0) != STEP_GO)
        return STEP_FAIL;
    lenient->at = at + sign->len;
    surety__lenient_placed(lenient, lenient->at);
    return STEP_GO;
}

/* Reads a bracket at `at`. */
static enum lenient_step bare_bracket(surety_lenient *lenient,
                                      const struct sign *sign)
{
    struct bare *bare = &lenient->bare;
    const int code = sign->code;
    enum lenient_step step;
    bool made;

    assert(lenient->open != PLACE_NONE);
    if (lenient_is_closer(code)) {
        if (bare->nest == 0 &&
            (code != ')' || lenient_in_pairs(lenient) ||
             lenient_closer(&lenient->doc->cells[lenient->open]) == ')' ||
             bare_scalar(lenient)))
            return bare_finish(lenient);
        bare->nest -= bare->nest > 0;
        return bare_take(lenient, sign->len);
    }
    if (code == '(') {
        step = surety__lenient_call(lenient, &made);
        if (made || step != STEP_GO)
            return step;
    }
    if (code == '(' &&
        lenient_closer(&lenient->doc->cells[lenient->open]) != ')')
        return bare_take(lenient, sign->len);
    if ((code == '{' || !lenient_in_object(lenient)) && bare_scalar(lenient))
        return bare_finish(lenient);
    bare->nest++;
    return bare_take(lenient, sign->len);
}

/* Reads a slash at `at`, which begins a comment after a number or name. */
static enum lenient_step bare_slash(surety_lenient *lenient)
{
    const size_t next = lenient->at + 1;

    if (next == lenient->end && !lenient->final)
        return surety__lenient_wait(lenient, WAIT_ANY, next);
    if (next < lenient->end &&
        (lenient->text[next] == '/' || lenient->text[next] == '*') &&
        bare_scalar(lenient))
        return bare_finish(lenient);
    return bare_take(lenient, 1);
}

static enum lenient_step bare_stop(surety_lenient *lenient,
                                   const struct sign *sign)
{
    switch (sign->code) {
    case ' ':
    case '\n':
    case '\r':
    case '\t':
    case '\f': return bare_blank(lenient);
    case ',':
        return lenient->bare.nest ? bare_take(lenient, sign->len)
                                  : bare_comma(lenient, sign->len);
    case '/': return bare_slash(lenient);
    case ';':
        return bare_scalar(lenient) ? bare_finish(lenient)
                                    : bare_take(lenient, sign->len);
    case SIGN_QUOTE: return bare_quote(lenient, sign);
    case '(':
    case '[':
    case '{':
    case ')':
    case ']':
    case '}': return bare_bracket(lenient, sign);
    default: return bare_take(lenient, sign->len);
    }
}

/* Returns whether the text is the beginning of a literal, or a number whose
 * fraction or exponent has no digits. */
static bool bare_goes_on(const char *ptr, size_t len)
{
    const size_t number = bare_number(ptr, len);

    for (size_t i = 0; i < BARE_NAMES; i++)
        if (bare_names[i].kind != CELL_NULL || bare_names[i].len == 4)
            if (len < bare_names[i].len &&
                !memcmp(bare_names[i].name, ptr, len) && *ptr >= 'A')
                return true;
    return number && len > number && len - number <= 2 &&
           (ptr[number] == '.' || (ptr[number] | 0x20) == 'e') &&
           (len - number == 1 || ptr[len - 1] == '+' || ptr[len - 1] == '-');
}

/* Reads a token at the root, where only numbers and names are values. */
static enum lenient_step bare_root(surety_lenient *lenient)
{
    bool made;

    while (lenient->at < lenient->end &&
           (lenient_is_name(lenient->text[lenient->at]) ||
            lenient->text[lenient->at] == '+'))
        lenient->at++, lenient->work++;
    if (lenient->at == lenient->end && !lenient->final)
        return surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
    if (lenient->at == lenient->bare.place)
        return surety__lenient_fail(lenient, lenient->at,
                                    "no value begins here");
    if (lenient->at < lenient->end && lenient->text[lenient->at] == '(') {
        const enum lenient_step step = surety__lenient_call(lenient, &made);

        if (made || step != STEP_GO)
            return step;
    }
    /* A number is complete by its grammar, but with options.cut digits may be
     * missing. */
    if (lenient->options.cut && lenient->at == lenient->end &&
        bare_scalar(lenient) &&
        bare_name(lenient->text + lenient->bare.place,
                  lenient->at - lenient->bare.place) == BARE_NAMES)
        return STEP_CUT;
    if (lenient->options.cut && lenient->at == lenient->end &&
        bare_goes_on(lenient->text + lenient->bare.place,
                     lenient->at - lenient->bare.place))
        return STEP_CUT;
    return bare_finish(lenient);
}

enum lenient_step surety__lenient_bare(surety_lenient *lenient)
{
    const char *text = lenient->text;
    size_t at = lenient->at;
    struct sign sign;

    if (lenient->open == PLACE_NONE)
        return bare_root(lenient);
    while (at < lenient->end && !lenient_is(text[at], BYTE_STOP))
        at++;
    lenient->work += at - lenient->at + 1;
    lenient->at = at;
    if (at == lenient->end)
        return lenient->final ? bare_end(lenient, false)
                              : surety__lenient_wait(lenient, WAIT_ANY, at);
    sign = lenient_sign(lenient, at);
    if (sign.lack)
        return surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
    return bare_stop(lenient, &sign);
}
