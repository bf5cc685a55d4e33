/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, looking ahead: the rules that decide what a byte means
 * when it could mean several things.
 *
 * 1. If the strict grammar can continue after a byte, that reading wins.
 * 2. In strict JSON a quote that ends a string is followed by a comma and a key
 *    with its colon, by a closing bracket and what may follow it, or by a
 *    colon. A quote with such a follower ends its string. The rules examine
 *    only quotes that the grammar does not allow there.
 * 3. A rule reads the next few signs, skips white space, and reads at most one
 *    key or name, of at most LENIENT_KEY_AHEAD bytes. */
#include "json/lenient.h"

/* ---- moving ahead ------------------------------------------------------- */

void surety__ahead_starve(struct ahead *ahead, enum lenient_wait sort,
                          size_t at)
{
    ahead->starved = true;
    surety__lenient_wait(ahead->lenient, sort, at);
}

struct sign surety__ahead_sign(struct ahead *ahead)
{
    surety_lenient *lenient = ahead->lenient;
    const size_t from = ahead->at;
    struct sign sign;

    for (;;) {
        size_t at = ahead->at;

        while (at < lenient->end &&
               (lenient->text[at] == ' ' || lenient->text[at] == '\t'))
            at++;
        ahead->at = at;
        sign = lenient_sign(lenient, at);
        if (sign.code == '\n' || sign.code == '\r')
            ahead->line = true;
        else if (sign.code != ' ' && sign.code != '\f' && sign.code != '\v' &&
                 (sign.code != '>' || !ahead->line || lenient->options.strict))
            break; /* ">" begins a line of a block quote */
        ahead->at += sign.len;
    }
    lenient->work += ahead->at - from + 1;
    if (sign.lack)
        surety__ahead_starve(ahead,
                             ahead->at == lenient->end ? WAIT_SIGN : WAIT_ANY,
                             lenient->end);
    return sign;
}

/* Skips the sign that surety__ahead_sign returned. */
static void ahead_pass(struct ahead *ahead, const struct sign *sign)
{
    ahead->at += sign->len;
}

/* Whether a quote ends what the first one opens: also a straight one what a
 * typographic one opens. */
static bool ahead_closes(const struct sign *first, const struct sign *quote)
{
    return quote->style == first->style ||
           (first->style == STYLE_CURLY && quote->style == STYLE_DOUBLE) ||
           (first->style == STYLE_CURLY_SINGLE && quote->style == STYLE_SINGLE);
}

bool surety__ahead_quoted(struct ahead *ahead, const struct sign *quote,
                          bool *ret_far)
{
    surety_lenient *lenient = ahead->lenient;
    const size_t start = ahead->at + quote->len;
    const size_t most = start + LENIENT_KEY_AHEAD;
    size_t at = start;

    *ret_far = false;
    while (at < lenient->end && at < most) {
        const unsigned char byte = (unsigned char)lenient->text[at];

        if (byte == '\\' && quote->style != STYLE_ESCAPED) {
            at += 2;
            continue;
        }
        if (byte == '\n' || byte == '\r')
            break;
        if (byte == '"' || byte == '\'' || byte == '`' || byte == '\\' ||
            byte == '&' || byte >= 0x80) {
            struct sign sign = lenient_sign(lenient, at);

            if (sign.lack) {
                lenient->work += at - start;
                surety__ahead_starve(ahead, WAIT_ANY, lenient->end);
                return false;
            }
            if (sign.code == SIGN_QUOTE && ahead_closes(quote, &sign)) {
                ahead->at = at + sign.len;
                lenient->work += at - start;
                return true;
            }
        }
        at++;
    }
    lenient->work += at - start;
    if (at >= most) {
        *ret_far = true;
    } else if (at >= lenient->end) {
        if (lenient->final) {
            *ret_far = true; /* the input ends inside this text */
        } else {
            surety__ahead_starve(ahead, WAIT_QUOTE, lenient->end);
            lenient->wait.most = most;
        }
    }
    return false;
}

bool surety__ahead_name(struct ahead *ahead, bool number, bool *ret_far)
{
    surety_lenient *lenient = ahead->lenient;
    const size_t start = ahead->at, most = start + LENIENT_KEY_AHEAD;
    size_t at = start;

    while (at < lenient->end && at < most &&
           (lenient_is_name(lenient->text[at]) ||
            (number && lenient->text[at] == '+')) &&
           ((unsigned char)lenient->text[at] < 0x80 ||
            lenient_sign(lenient, at).code == SIGN_OTHER))
        at++;
    *ret_far = at == most;
    lenient->work += at - start;
    ahead->at = at;
    if (at == lenient->end && at < most && !lenient->final) {
        surety__ahead_starve(ahead, WAIT_STOP, at);
        lenient->wait.most = most;
        return false;
    }
    return at > start && at < most;
}

bool surety__ahead_expects(const surety_lenient *lenient, size_t start,
                           size_t end, bool otherwise)
{
    const surety_str name = {lenient->text + start, end - start};

    if (!lenient->options.expects)
        return otherwise;
    return lenient->options.expects(lenient->options.expects_ctx, name);
}

bool surety__ahead_expects_name(surety_lenient *lenient, size_t start)
{
    struct ahead ahead = {.lenient = lenient, .at = start};
    bool far;

    return surety__ahead_name(&ahead, false, &far) &&
           surety__ahead_expects(lenient, start, ahead.at, false);
}

/* Returns whether the sign alone proves that a value begins. */
static bool ahead_begins_value(const struct sign *sign)
{
    return sign->code == SIGN_QUOTE || sign->code == '{' || sign->code == '[' ||
           sign->code == '-' ||
           (sign->code > 0 && surety__is_digit((char)sign->code));
}

int surety__ahead_dots(const surety_lenient *lenient, const struct sign *sign,
                       size_t at)
{
    if (sign->code != '.')
        return sign->code == SIGN_DOTS;
    for (size_t i = at; i < at + 3; i++) {
        if (i == lenient->end)
            return lenient->final ? 0 : -1;
        if (lenient->text[i] != '.')
            return 0;
    }
    return 1;
}

/* ---- members ------------------------------------------------------------ */

/* Returns whether a quoted key without its closing quote begins here: a name, a
 * colon, then a blank or the first byte of a value. */
static bool ahead_unended_key(struct ahead *ahead, size_t start)
{
    const surety_lenient *lenient = ahead->lenient;
    size_t at = start;

    while (at < lenient->end && at - start < LENIENT_KEY_AHEAD &&
           (lenient_is_name(lenient->text[at]) ||
            (lenient->text[at] == ' ' && at > start)))
        at++;
    if (at + 1 >= lenient->end || at == start || lenient->text[at] != ':' ||
        surety__is_digit(lenient->text[start]))
        return false;
    return strchr(" \t\n\"[{-0123456789", lenient->text[at + 1]) != NULL;
}

static enum member ahead_quoted_member(struct ahead *ahead,
                                       const struct sign *quote)
{
    const size_t start = ahead->at + quote->len;
    struct sign sign;
    size_t end;
    bool far;

    if (ahead->lenient->state == LENIENT_QUOTED &&
        !ahead->lenient->quoted.dirty && ahead_unended_key(ahead, start))
        return MEMBER_QUOTED;
    if (!surety__ahead_quoted(ahead, quote, &far))
        return far ? MEMBER_QUOTED : MEMBER_NO;
    end = ahead->at - quote->len;
    sign = surety__ahead_sign(ahead);
    if (ahead->starved)
        return MEMBER_NO;
    if (sign.code == ':' || sign.code == '=' || sign.code == SIGN_END) {
        if (ahead->lenient->quoted.dirty &&
            ahead->lenient->state == LENIENT_QUOTED &&
            !surety__ahead_expects(ahead->lenient, start, end, true))
            return MEMBER_NO;
        return MEMBER_QUOTED;
    }
    return end > start && (ahead_begins_value(&sign) ||
                           (sign.code > 0 && lenient_is_name((char)sign.code) &&
                            surety__ahead_scalar(ahead)))
               ? MEMBER_LOOSE
               : MEMBER_NO;
}

/* Reads a name without quotes, or with a closing quote only, and its colon.
 * symbol: a colon was before it, as Ruby has it. */
static enum member ahead_bare_member(struct ahead *ahead, bool symbol)
{
    const size_t start = ahead->at;
    struct sign sign;
    size_t end;
    bool far;

    if (!surety__ahead_name(ahead, false, &far))
        return MEMBER_NO;
    end = ahead->at;
    sign = surety__ahead_sign(ahead);
    if (ahead->starved)
        return MEMBER_NO;
    if (sign.code == SIGN_QUOTE && end < ahead->at && ahead->lenient->last.pair)
        return MEMBER_BARE; /* the keys have no colons */
    if (ahead->lenient->last.pair && end < ahead->at && sign.code > 0 &&
        lenient_is_name((char)sign.code))
        return surety__ahead_scalar(ahead) ? MEMBER_BARE : MEMBER_NO;
    if (sign.code == SIGN_QUOTE && end == ahead->at) {
        ahead_pass(ahead, &sign);
        sign = surety__ahead_sign(ahead);
        if (ahead->starved)
            return MEMBER_NO;
    }
    if (sign.code == '=')
        return symbol || lenient_in_call(ahead->lenient) ||
                       surety__ahead_expects(ahead->lenient, start, end, false)
                   ? MEMBER_BARE
                   : MEMBER_NO;
    if (sign.code != ':')
        return MEMBER_NO;
    ahead_pass(ahead, &sign);
    sign = lenient_sign(ahead->lenient, ahead->at);
    if (sign.lack) {
        surety__ahead_starve(ahead, WAIT_ANY, ahead->at);
        return MEMBER_NO;
    }
    /* http://x is no member, nor is 12:30. */
    if (sign.code == '/' || (surety__is_digit(ahead->lenient->text[start]) &&
                             sign.code > 0 && lenient_is_name((char)sign.code)))
        return MEMBER_NO;
    return MEMBER_BARE;
}

enum member surety__ahead_member(struct ahead *ahead)
{
    struct sign sign = surety__ahead_sign(ahead);

    if (ahead->starved)
        return MEMBER_NO;
    if (sign.code == SIGN_QUOTE)
        return ahead_quoted_member(ahead, &sign);
    if (sign.code == SIGN_OTHER ||
        (sign.code > 0 && lenient_is_name((char)sign.code)))
        return ahead_bare_member(ahead, false);
    if (sign.code == ':') {
        ahead_pass(ahead, &sign);
        return ahead_bare_member(ahead, true);
    }
    if (sign.code == '(' && lenient_in_pairs(ahead->lenient)) {
        ahead_pass(ahead, &sign);
        sign = surety__ahead_sign(ahead);
        return sign.code == SIGN_QUOTE ? MEMBER_QUOTED : MEMBER_NO;
    }
    return MEMBER_NO;
}

/* Returns whether a key of several words without quotes begins at ahead: names
 * on one line, a colon, and the first byte of a value. */
static bool ahead_words(struct ahead *ahead)
{
    struct sign sign = surety__ahead_sign(ahead);
    unsigned words = 0;
    bool far;

    ahead->line = false;
    while (!ahead->starved && !ahead->line &&
           (sign.code == SIGN_OTHER ||
            (sign.code > 0 && lenient_is_name((char)sign.code)))) {
        if (words++ == LENIENT_WORDS || !surety__ahead_name(ahead, false, &far))
            return false;
        sign = surety__ahead_sign(ahead);
    }
    if (ahead->starved || ahead->line || !words || sign.code != ':')
        return false;
    ahead_pass(ahead, &sign);
    sign = surety__ahead_sign(ahead);
    return !ahead->starved && !ahead->line && ahead_begins_value(&sign);
}

int surety__ahead_set(surety_lenient *lenient, size_t at)
{
    struct ahead ahead = {.lenient = lenient, .at = at};
    struct sign sign = surety__ahead_sign(&ahead);
    bool far;

    if (sign.code == SIGN_QUOTE && sign.style == STYLE_SINGLE &&
        surety__ahead_quoted(&ahead, &sign, &far))
        sign = surety__ahead_sign(&ahead);
    else
        sign.code = SIGN_OTHER;
    return ahead.starved ? -1 : sign.code == ',';
}

/* ---- quotes ------------------------------------------------------------- */

static enum closing ahead_say(const struct ahead *ahead, bool closes)
{
    if (ahead->starved)
        return CLOSING_WAIT;
    return closes ? CLOSING_YES : CLOSING_NO;
}

/* Returns whether the current string can be a key: not empty, short, on one
 * line, without unescaped quotes. */
static bool ahead_is_key_like(const surety_lenient *lenient, size_t at)
{
    const struct quoted *quoted = &lenient->quoted;

    return !quoted->dirty && at > quoted->body &&
           at - quoted->body <= LENIENT_KEY_AHEAD &&
           !(quoted->repairs >> REPAIR_CONTROL_CHARACTER & 1);
}

static bool ahead_under(const surety_lenient *lenient, uint8_t kind)
{
    const surety__cell *cells = lenient->doc->cells;

    return lenient->open != PLACE_NONE &&
           cells[lenient->open].span != PLACE_NONE &&
           cells[cells[lenient->open].span].kind == kind;
}

/* Returns whether the text from start to end is a number, by its first byte, or
 * the name of a literal. */
static bool ahead_is_value(const surety_lenient *lenient, size_t start,
                           size_t end)
{
    static const char *const names[] = {"true", "false",     "null",
                                        "True", "False",     "None",
                                        "nil",  "undefined", "NaN"};
    const surety_str name = {lenient->text + start, end - start};

    if (memchr("+-.", *name.ptr, 3))
        return name.len > 1 &&
               (surety__is_digit(name.ptr[1]) || name.ptr[1] == '.');
    if (surety__is_digit(*name.ptr))
        return true;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (surety_str_equal(surety_str_of(names[i]), name))
            return true;
    return false;
}

/* Returns whether the quoted text at ahead is an item of its own: a comma,
 * bracket or quote is behind it. */
static bool ahead_is_item(struct ahead *ahead, const struct sign *quote)
{
    struct sign sign;
    bool far;

    if (!surety__ahead_quoted(ahead, quote, &far))
        return false;
    sign = surety__ahead_sign(ahead);
    return !ahead->starved && (sign.code == ',' || sign.code == SIGN_QUOTE ||
                               lenient_is_closer(sign.code));
}

bool surety__ahead_scalar(struct ahead *ahead)
{
    surety_lenient *lenient = ahead->lenient;
    size_t start = ahead->at;
    struct sign sign;
    bool far;

    if (!surety__ahead_name(ahead, true, &far))
        return far;
    if (!ahead_is_value(lenient, start, ahead->at))
        return false;
    sign = surety__ahead_sign(ahead);
    if (ahead->starved)
        return false;
    if (sign.code == ',' || lenient_is_closer(sign.code) || sign.code == '{' ||
        sign.code == '[' || sign.code == SIGN_END || ahead->line)
        return true;
    if (sign.code == SIGN_QUOTE && !lenient_in_object(lenient))
        return ahead_is_item(ahead, &sign);
    if (sign.code == '/' || sign.code == '#' || sign.code == '<')
        return surety__ahead_comment(ahead);
    /* A second scalar may follow without a comma. */
    start = ahead->at;
    return sign.code > 0 && lenient_is_name((char)sign.code) &&
           surety__ahead_name(ahead, true, &far) &&
           ahead_is_value(lenient, start, ahead->at);
}

/* Returns whether an item of words without quotes is at ahead: words on one
 * line up to a comma. */
static bool ahead_bare_item(struct ahead *ahead)
{
    struct sign sign = surety__ahead_sign(ahead);
    unsigned words = 0;
    bool far;

    while (!ahead->starved && !ahead->line &&
           (sign.code == SIGN_OTHER ||
            (sign.code > 0 && lenient_is_name((char)sign.code)))) {
        if (words++ == LENIENT_WORDS || !surety__ahead_name(ahead, false, &far))
            return false;
        sign = surety__ahead_sign(ahead);
    }
    return !ahead->starved && !ahead->line && words && sign.code == ',';
}

/* Returns whether the text after a quote and a comma (or semicolon) continues
 * the container, so that the quote ended its string. */
static bool ahead_after_comma(struct ahead *ahead)
{
    surety_lenient *lenient = ahead->lenient;
    const bool in_object = lenient_in_object(lenient);
    const struct ahead before = *ahead;
    struct sign sign = surety__ahead_sign(ahead);
    bool line = ahead->line;

    if (ahead->starved)
        return false;
    if (lenient_is_closer(sign.code))
        return surety__ahead_closer(ahead, &sign);
    if (sign.code == SIGN_END || sign.code == ',' || sign.code == SIGN_DOTS ||
        sign.code == '/' || sign.code == '#' || sign.code == '.')
        return true;
    if (in_object) {
        enum member member;

        if (sign.code == '{')
            return ahead_under(lenient, CELL_ARRAY);
        *ahead = before;
        member = surety__ahead_member(ahead);
        if (member == MEMBER_NO && (line || !lenient->quoted.dirty) &&
            !ahead->starved) {
            *ahead = before;
            return ahead_words(ahead);
        }
        return member == MEMBER_QUOTED || member == MEMBER_BARE ||
               (member == MEMBER_LOOSE && (line || !lenient->quoted.dirty));
    }
    if (sign.code == SIGN_QUOTE || sign.code == '{' || sign.code == '[' ||
        sign.code == '(')
        return true;
    if (line)
        return true;
    if (!lenient->quoted.dirty) {
        struct ahead call = *ahead;

        if (surety__call_begins(&call))
            return true;
        if (!call.starved) {
            call = *ahead;
            if (ahead_bare_item(&call))
                return true;
        }
        if (call.starved) {
            ahead->starved = true;
            return false;
        }
    }
    return surety__ahead_scalar(ahead);
}

/* Decides about a quote that another quote follows, with only white space
 * between them. */
static enum closing ahead_after_quote(struct ahead *ahead,
                                      const struct sign *quote, bool adjoining)
{
    surety_lenient *lenient = ahead->lenient;
    const bool in_object = lenient_in_object(lenient);
    const bool line = ahead->line;
    const size_t start = ahead->at + quote->len;
    struct sign sign;
    bool far, empty;

    /* Of two adjacent quotes only the second can end the string, unless the
     * second begins a key. */
    if (adjoining && (!in_object || quote->style != lenient->quoted.style))
        return CLOSING_NO;
    if (!surety__ahead_quoted(ahead, quote, &far)) {
        if (ahead->starved)
            return CLOSING_WAIT;
        return far && line ? CLOSING_YES : CLOSING_NO;
    }
    empty = ahead->at == start + quote->len;
    sign = surety__ahead_sign(ahead);
    if (ahead->starved)
        return CLOSING_WAIT;
    if (sign.code == ':' && !(adjoining && empty))
        return CLOSING_YES; /* a comma is missing */
    if (adjoining)
        return CLOSING_NO;
    if (!in_object)
        return line || sign.code == ',' || sign.code == ']' ||
                       sign.code == SIGN_QUOTE || sign.code == SIGN_END
                   ? CLOSING_YES
                   : ahead_say(ahead, surety__ahead_scalar(ahead));
    /* After a key without a colon the next string is a key, too: such strings
     * are pairs. */
    if (lenient->last.pair && sign.code != ',')
        return CLOSING_YES;
    return sign.code == ',' || sign.code == '}' || sign.code == SIGN_QUOTE ||
                   sign.code == SIGN_END
               ? CLOSING_JOIN
               : CLOSING_NO;
}

/* Handles a key that lacks its closing quote: the name before a colon inside
 * the string is the key, if there is such a name. */
static enum closing ahead_split_key(surety_lenient *lenient, size_t at)
{
    const size_t body = lenient->quoted.body;
    const char *text = lenient->text;
    size_t end = body;

    if (lenient->quoted.own || lenient->quoted.dirty ||
        at - body > LENIENT_KEY_AHEAD)
        return CLOSING_NO;
    while (end < at && (lenient_is_name(text[end]) || text[end] == ' '))
        end++;
    lenient->work += end - body;
    if (end == body || end >= at || text[end] != ':')
        return CLOSING_NO;
    lenient->early = end;
    return CLOSING_EARLIER;
}

/* Decides about a quote inside a key, before another quote: with that one
 * begins the value, if a comma, bracket or quote is behind its end. */
static enum closing ahead_closing_pair(struct ahead *ahead,
                                       const struct sign *quote)
{
    struct sign sign;
    bool far;

    if (!surety__ahead_quoted(ahead, quote, &far))
        return ahead->starved ? CLOSING_WAIT : CLOSING_NO;
    sign = surety__ahead_sign(ahead);
    return ahead_say(ahead, sign.code == ',' || sign.code == '}' ||
                                sign.code == SIGN_QUOTE);
}

int surety__ahead_other(surety_lenient *lenient, size_t at)
{
    const struct quoted *quoted = &lenient->quoted;
    const char own = quoted->style == STYLE_SINGLE ? '\'' : '"';
    const struct sign quote = lenient_sign(lenient, at);
    struct ahead ahead = {.lenient = lenient, .at = at + quote.len};
    const size_t most = at + LENIENT_KEY_AHEAD;
    struct sign sign;
    size_t end;

    if (quote.lack)
        return surety__lenient_wait(lenient, WAIT_ANY, lenient->end), -1;
    if (quote.code != SIGN_QUOTE || quote.style > STYLE_CURLY_SINGLE ||
        quoted->style > STYLE_SINGLE || quoted->dirty || at == quoted->body ||
        lenient->options.strict)
        return 0;
    sign = surety__ahead_sign(&ahead);
    if (ahead.starved)
        return -1;
    if (sign.code != ':' || ahead.line)
        return 0;
    /* In JSON the key goes on to its own quote and a colon, on one line. */
    for (end = ahead.at; end < lenient->end && end < most &&
                         lenient->text[end] != own &&
                         (unsigned char)lenient->text[end] >= ' ';)
        end++;
    lenient->work += end - ahead.at;
    if (end == most)
        return 0;
    if (end == lenient->end) {
        if (lenient->final)
            return quote.len;
        surety__lenient_wait(lenient, WAIT_QUOTE, end);
        lenient->wait.most = most;
        return -1;
    }
    if (lenient->text[end] != own)
        return quote.len;
    ahead.at = end + 1;
    sign = surety__ahead_sign(&ahead);
    return ahead.starved ? -1 : sign.code == ':' ? 0 : quote.len;
}

/* Decides about a quote of len bytes at `at`, inside a key. */
static enum closing ahead_closing_key(surety_lenient *lenient, size_t at,
                                      size_t len)
{
    struct ahead ahead = {.lenient = lenient, .at = at + len};
    struct sign sign = surety__ahead_sign(&ahead);
    const bool adjoining = ahead.at == at + len;

    if (ahead.starved)
        return CLOSING_WAIT;
    switch (sign.code) {
    case ':':
    case '=':
    case SIGN_END:
    case ',':
    case '}':
    case '{':
    case '[':
    case '/': return CLOSING_YES;
    case SIGN_QUOTE:
        return !adjoining                   ? CLOSING_YES
               : at == lenient->quoted.body ? CLOSING_NO
                                            : ahead_closing_pair(&ahead, &sign);
    default: break;
    }
    if (sign.code == '-' || sign.code == '+' || sign.code == '.' ||
        (sign.code > 0 && surety__is_digit((char)sign.code)))
        return adjoining ? ahead_say(&ahead, surety__ahead_scalar(&ahead))
                         : CLOSING_YES;
    if (sign.code < 0 || !lenient_is_name((char)sign.code))
        return CLOSING_NO;
    return ahead_say(&ahead, surety__ahead_scalar(&ahead));
}

/* Decides whether a quote at `at`, which ends no string, opens the next key,
 * because the string before it lacks its closing quote. Sets lenient->early to
 * the end of that string. Returns false when the bytes before `at` do not allow
 * it. */
static bool ahead_early(surety_lenient *lenient, size_t at)
{
    const char *text = lenient->text;
    const size_t body = lenient->quoted.body;
    size_t back = at, comma;
    bool line = false;

    /* A line that was continued had bytes that the string has not. */
    if (lenient->quoted.repairs >> REPAIR_LINE_CONTINUATION & 1)
        return false;
    for (; back > body && scan_is_space(text[back - 1]); back--)
        line |= text[back - 1] == '\n';
    lenient->work += at - back;
    if (back > body && text[back - 1] == '{') {
        /* The next object of an array follows: },{"key": */
        for (back--; back > body && scan_is_space(text[back - 1]); back--)
            continue;
        if (back == body || text[back - 1] != ',')
            return false;
        for (back--; back > body && scan_is_space(text[back - 1]); back--)
            continue;
        if (back == body || text[back - 1] != '}' ||
            !ahead_under(lenient, CELL_ARRAY))
            return false;
        for (back--; back > body && scan_is_space(text[back - 1]); back--)
            continue;
        lenient->early = back;
        return true;
    }
    comma = back;
    if (back > body && text[back - 1] == ',')
        comma--;
    else if (!line)
        return false;
    lenient->early = comma;
    return true;
}

enum closing surety__ahead_early(surety_lenient *lenient, size_t at)
{
    struct ahead ahead = {.lenient = lenient, .at = at};
    struct sign quote = lenient_sign(lenient, at), sign;
    size_t start = at + quote.len, end;
    bool far;

    if (lenient->open == PLACE_NONE || quote.code != SIGN_QUOTE ||
        !ahead_early(lenient, at))
        return CLOSING_NO;
    if (!surety__ahead_quoted(&ahead, &quote, &far))
        return ahead.starved ? CLOSING_WAIT : CLOSING_NO;
    end = ahead.at - quote.len;
    sign = surety__ahead_sign(&ahead);
    if (ahead.starved)
        return CLOSING_WAIT;
    if (!lenient_in_object(lenient))
        return !lenient->quoted.dirty && lenient->text[lenient->early] == ',' &&
                       memchr(lenient->text + lenient->early, '\n',
                              at - lenient->early) &&
                       (sign.code == ',' || sign.code == ']')
                   ? CLOSING_EARLIER
                   : CLOSING_NO;
    if (sign.code != ':' || end == start ||
        (lenient->quoted.dirty &&
         !surety__ahead_expects(lenient, start, end, true)))
        return CLOSING_NO;
    return CLOSING_EARLIER;
}

int surety__ahead_doubled(surety_lenient *lenient, size_t at, bool key)
{
    const char *text = lenient->text;
    struct ahead ahead = {.lenient = lenient};
    const size_t most = at + LENIENT_KEY_AHEAD;
    struct sign sign;
    size_t end = at;

    /* In JSON a sign, a blank or nothing follows two quotes. */
    while (end < lenient->end && end < at + 2 && text[end] == '"')
        end++;
    if (end < at + 2 && end < lenient->end)
        return 0;
    if (end < lenient->end &&
        (memchr(",:}]", text[end], 4) || (unsigned char)text[end] <= ' '))
        return 0;
    while (end < lenient->end && end < most && text[end] != '"' &&
           (unsigned char)text[end] >= ' ')
        end++;
    lenient->work += end - at;
    if (end + 1 >= lenient->end && !lenient->final) {
        surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
        return -1;
    }
    if (end + 1 >= lenient->end || end == most || text[end] != '"' ||
        text[end + 1] != '"')
        return 0;
    ahead.at = end + 2;
    sign = surety__ahead_sign(&ahead);
    if (ahead.starved)
        return -1;
    return key ? sign.code == ':'
               : sign.code == ',' || sign.code == SIGN_END ||
                     lenient_is_closer(sign.code);
}

/* Returns whether the comment at ahead proves that the quote before it ended
 * its string: what follows the comment continues the container. */
static bool ahead_after_comment(struct ahead *ahead)
{
    struct sign sign;

    if (ahead->lenient->quoted.dirty || !surety__ahead_comment(ahead))
        return false;
    sign = surety__ahead_sign(ahead);
    if (ahead->starved)
        return false;
    if (sign.code == ',') {
        ahead_pass(ahead, &sign);
        return ahead_after_comma(ahead);
    }
    if (lenient_is_closer(sign.code))
        return surety__ahead_closer(ahead, &sign);
    return sign.code == SIGN_END ||
           (ahead->line && lenient_in_object(ahead->lenient) &&
            surety__ahead_member(ahead) == MEMBER_QUOTED);
}

/* Decides about a quote before a sign that is no comma, closing bracket or
 * quote. */
static bool ahead_after_other(struct ahead *ahead, const struct sign *sign,
                              bool adjoining)
{
    surety_lenient *lenient = ahead->lenient;
    const bool line = ahead->line;
    const size_t start = ahead->at;
    struct sign next;

    if (sign->code == '/' || sign->code == '#' || sign->code == '<')
        return (!adjoining && sign->code != '<') || ahead_after_comment(ahead);
    if (sign->code == SIGN_DOTS || sign->code == '.')
        return line;
    if (adjoining)
        return false;
    if (!lenient_in_object(lenient)) {
        if (sign->code == '{' || sign->code == '[' ||
            (sign->code == '=' && !lenient->quoted.dirty &&
             !lenient->doc->cells[lenient->open].count))
            return true;
        return surety__ahead_scalar(ahead);
    }
    if (sign->code == '{' && ahead_under(lenient, CELL_ARRAY) &&
        !lenient->quoted.dirty) {
        ahead_pass(ahead, sign);
        return surety__ahead_member(ahead) == MEMBER_QUOTED;
    }
    if (sign->code == '{' || sign->code == '[')
        return false;
    if (surety__ahead_member(ahead) != MEMBER_BARE)
        return false;
    if (line || surety__ahead_expects_name(lenient, start))
        return true;
    /* The value of the member must be one beyond doubt. */
    if (lenient->quoted.dirty || lenient->options.expects || ahead->starved)
        return false;
    next = surety__ahead_sign(ahead);
    if (next.code == SIGN_QUOTE || next.code == '{' || next.code == '[')
        return true;
    return !ahead->starved && surety__ahead_scalar(ahead);
}

/* Counts the quotes from `at` on, up to the one that ends the text; 0: none
 * does on this line, within LENIENT_KEY_AHEAD bytes. */
static unsigned ahead_quotes(struct ahead *ahead, size_t at, char quote)
{
    surety_lenient *lenient = ahead->lenient;
    const size_t start = at, most = at + LENIENT_KEY_AHEAD;
    size_t end = at;
    unsigned count = 0;

    for (; at < lenient->end && at < most && lenient->text[at] != '\n'; at++) {
        if (lenient->text[at] == '\\')
            at++;
        else if (lenient->text[at] == quote)
            count++, end = at + 1;
    }
    lenient->work += at - start;
    if (at >= lenient->end && at < most && !lenient->final) {
        surety__ahead_starve(ahead, WAIT_ANY, lenient->end);
        return 0;
    }
    ahead->at = end;
    surety__ahead_sign(ahead);
    return ahead->starved || ahead->at < lenient->end ? 0 : count;
}

/* Decides about a quote in a string at the root: the string is a value, unless
 * a colon makes it a key, or a plus sign joins another. A quote belongs to the
 * string when more text follows it that a quote ends, and it opens a word, or
 * what would follow has a quote without its pair. */
static enum closing ahead_closing_root(surety_lenient *lenient, size_t at,
                                       size_t len)
{
    struct ahead ahead = {.lenient = lenient, .at = at + len}, rest = ahead;
    struct sign sign = surety__ahead_sign(&ahead);
    const char *text = lenient->text;
    unsigned count;

    if (ahead.starved)
        return CLOSING_WAIT;
    if (sign.code == ':' && !ahead.line && ahead_is_key_like(lenient, at))
        return CLOSING_NAME;
    if (sign.code == '+') {
        ahead_pass(&ahead, &sign);
        sign = surety__ahead_sign(&ahead);
        if (ahead.starved)
            return CLOSING_WAIT;
        return sign.code == SIGN_QUOTE ? CLOSING_JOIN : CLOSING_YES;
    }
    if (ahead.line || sign.code == SIGN_END || sign.code == ',' ||
        lenient->quoted.style > STYLE_SINGLE || lenient_is_closer(sign.code))
        return CLOSING_YES;
    count = ahead_quotes(&rest, at + len, text[at]);
    if (rest.starved)
        return CLOSING_WAIT;
    return count && (count % 2 || (scan_is_space(text[at - 1]) &&
                                   !scan_is_space(text[at + len])))
               ? CLOSING_NO
               : CLOSING_YES;
}

static enum closing ahead_closing_value(surety_lenient *lenient, size_t at,
                                        size_t len)
{
    struct ahead ahead = {.lenient = lenient, .at = at + len};
    struct sign sign = surety__ahead_sign(&ahead), next;
    const bool adjoining = ahead.at == at + len;

    if (ahead.starved)
        return CLOSING_WAIT;
    switch (sign.code) {
    case SIGN_END: return CLOSING_YES;
    case ',':
    case ';':
        ahead_pass(&ahead, &sign);
        ahead.line = false;
        return ahead_say(&ahead, ahead_after_comma(&ahead));
    case '}':
    case ']':
    case ')': return ahead_say(&ahead, surety__ahead_closer(&ahead, &sign));
    case SIGN_QUOTE: return ahead_after_quote(&ahead, &sign, adjoining);
    case '+':
        ahead_pass(&ahead, &sign);
        next = surety__ahead_sign(&ahead);
        if (ahead.starved)
            return CLOSING_WAIT;
        return next.code == SIGN_QUOTE ? CLOSING_JOIN : CLOSING_NO;
    case ':':
        if (lenient_in_object(lenient) || !ahead_is_key_like(lenient, at))
            return CLOSING_NO;
        /* Without an object around the array the next step refuses the colon.
         * It does so in an array without items, whose brackets may have been
         * meant as braces. */
        return ahead_under(lenient, CELL_OBJECT) &&
                       lenient->doc->cells[lenient->open].count &&
                       !(lenient->doc->cells[lenient->open].flags &
                         LENIENT_SWAPPED)
                   ? CLOSING_NAME
                   : CLOSING_YES;
    default:
        return ahead_say(&ahead, ahead_after_other(&ahead, &sign, adjoining));
    }
}

/* Returns whether the string up to `at` is JSON whose quotes lack backslashes,
 * and whose brackets are open. */
static bool ahead_in_brackets(surety_lenient *lenient, size_t at)
{
    struct quoted *quoted = &lenient->quoted;
    const char *text = lenient->text;

    if (!quoted->dirty || quoted->style > STYLE_SINGLE ||
        (text[quoted->body] != '{' && text[quoted->body] != '['))
        return false;
    if (!quoted->counted)
        quoted->counted = quoted->body;
    lenient->work += at - quoted->counted;
    for (; quoted->counted < at; quoted->counted++) {
        const char byte = text[quoted->counted];

        quoted->nest += byte == '{' || byte == '[';
        quoted->nest -= quoted->nest && (byte == '}' || byte == ']');
    }
    return quoted->nest;
}

enum closing surety__ahead_closing(surety_lenient *lenient, size_t at,
                                   size_t len)
{
    enum closing closing;

    if (lenient->options.strict)
        return CLOSING_YES;
    if (lenient->quoted.key) {
        closing = ahead_closing_key(lenient, at, len);
        return closing == CLOSING_NO ? ahead_split_key(lenient, at) : closing;
    }
    if (lenient->open == PLACE_NONE)
        return ahead_closing_root(lenient, at, len);
    if (ahead_in_brackets(lenient, at))
        return CLOSING_NO;
    closing = ahead_closing_value(lenient, at, len);
    return closing == CLOSING_NO ? surety__ahead_early(lenient, at) : closing;
}
