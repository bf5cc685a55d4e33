/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, structure: reads brackets, commas, colons and keys, and
 * finds where each value begins.
 *
 * 1. One step reads one sign (a character outside strings; see struct sign).
 *    The state gives its meaning.
 * 2. Where the state does not allow the sign, a rule below repairs the text.
 *    Each rule gives its reason.
 * 3. The reader adds no data. It refuses a member without a value, and unknown
 *    text between values. */
#include "json/lenient.h"

/* ---- cells -------------------------------------------------------------- */

surety__cell *surety__lenient_cell(surety_lenient *lenient, size_t at)
{
    surety_doc *doc = lenient->doc;
    surety_status status;

    if (__builtin_expect(lenient->used >= doc->cell_cap ||
                             lenient->used >= doc->limits.values_max,
                         0)) {
        status = surety__doc_room(doc, lenient->used + 1);
        if (status == SURETY_LIMIT)
            surety__lenient_limit(lenient, at, FAULT_VALUES);
        else if (status)
            surety__lenient_nomem(lenient);
        if (status)
            return NULL;
    }
    doc->cell_count = lenient->used + 1;
    return &doc->cells[lenient->used++];
}

void surety__lenient_placed(surety_lenient *lenient, size_t end)
{
    lenient->last = (struct lenient_last){.scalar = true, .end = end};
    if (lenient->open == PLACE_NONE) {
        lenient->state = LENIENT_DONE;
        return;
    }
    lenient->doc->cells[lenient->open].count++;
    lenient->state = LENIENT_AFTER;
}

enum lenient_step surety__lenient_open(surety_lenient *lenient, uint8_t kind,
                                       uint8_t flags, size_t at, size_t len)
{
    surety__cell *cell;

    if (lenient->depth >= lenient->doc->limits.depth_max)
        return surety__lenient_limit(lenient, at, FAULT_DEPTH);
    cell = surety__lenient_cell(lenient, at);
    if (!cell)
        return STEP_FAIL;
    surety__cell_head(cell, kind, flags, 0, (uint32_t)at);
    surety__cell_text(cell, 0, lenient->open);
    lenient->open = (uint32_t)(lenient->used - 1);
    lenient->depth++;
    lenient->state = kind == CELL_OBJECT ? LENIENT_KEY : LENIENT_VALUE;
    lenient->at = at + len;
    lenient->last = (struct lenient_last){.end = lenient->at};
    return STEP_GO;
}

/* A single scalar in round brackets is that scalar, no array. end: the offset
 * after the closing bracket. */
static enum lenient_step walk_unwrap(surety_lenient *lenient, size_t end)
{
    surety_doc *doc = lenient->doc;
    const uint32_t open = lenient->open;

    if (lenient->used - open != 2 || doc->cells[open + 1].kind >= CELL_ARRAY)
        return surety__lenient_fail(lenient, doc->cells[open].place,
                                    "a value is in round brackets");
    lenient->open = doc->cells[open].span;
    lenient->depth--;
    doc->cells[open] = doc->cells[open + 1];
    lenient->used--;
    doc->cell_count = lenient->used;
    surety__lenient_placed(lenient, end);
    return STEP_GO;
}

enum lenient_step surety__lenient_close(surety_lenient *lenient, size_t end)
{
    surety_doc *doc = lenient->doc;
    const uint32_t open = lenient->open;
    surety__cell *cell = &doc->cells[open];
    uint32_t later;

    assert(open < lenient->used && lenient->depth > 0);
    if (cell->kind == CELL_ARRAY && cell->flags & LENIENT_ROUND &&
        cell->count == 1 && !lenient->last.comma)
        return walk_unwrap(lenient, end);
    lenient->open = cell->span;
    lenient->depth--;
    cell->span = (uint32_t)(lenient->used - open);
    cell->flags = 0;
    if (cell->kind == CELL_OBJECT && cell->count > 1) {
        if (surety__keys_mark(doc, open, &later))
            return surety__lenient_nomem(lenient);
        lenient->gone |= later != PLACE_NONE;
    }
    surety__lenient_placed(lenient, end);
    lenient->last.scalar = false;
    return STEP_GO;
}

/* ---- blanks and comments ------------------------------------------------ */

/* Returns whether a mark of a block quote is at `at`: ">" before anything else
 * on its line. */
static bool walk_is_mark(surety_lenient *lenient, size_t at)
{
    const char *text = lenient->text;
    const size_t least = at > LENIENT_KEY_AHEAD ? at - LENIENT_KEY_AHEAD : 0;

    if (lenient->options.strict || text[at] != '>')
        return false;
    for (; at > least && memchr(" \t>", text[at - 1], 3); at--)
        lenient->work++;
    return at > least && (text[at - 1] == '\n' || text[at - 1] == '\r');
}

/* Skips white space and records it as read. Returns false when the reader has
 * failed. */
static bool walk_blanks(surety_lenient *lenient)
{
    if (lenient->at < lenient->end && lenient->text[lenient->at] > ' ' &&
        lenient->text[lenient->at] != '\\' && lenient->text[lenient->at] != '>')
        return true;
    for (;;) {
        const char *ptr = lenient->text + lenient->at;
        const char *end = lenient->text + lenient->end, *from = ptr;
        bool line = false;
        struct sign sign;
        size_t at;

        for (; ptr < end && scan_is_space(*ptr); ptr++)
            line |= *ptr == '\n' || *ptr == '\r';
        lenient->last.line |= line;
        lenient->work += (size_t)(ptr - from);
        at = lenient->at = (size_t)(ptr - lenient->text);
        if (ptr < end && walk_is_mark(lenient, at)) {
            if (surety__lenient_skip(lenient, REPAIR_BLOCK_QUOTE, 1, ""))
                return false;
            continue;
        }
        if (ptr == end || ((unsigned char)*ptr < 0x80 && *ptr != '\\' &&
                           *ptr != '\f' && *ptr != '\v'))
            return true;
        sign = lenient_sign(lenient, at);
        if (sign.code != ' ' && sign.code != '\n' && sign.code != '\f' &&
            sign.code != '\v')
            return true;
        lenient->last.line |= sign.code == '\n';
        if (surety__lenient_skip(lenient,
                                 *ptr == '\\' ? REPAIR_ESCAPED_JSON
                                 : *ptr == '\xEF' && at == 0
                                     ? REPAIR_BYTE_ORDER_MARK
                                     : REPAIR_ODD_SPACE,
                                 sign.len, *ptr == '\xEF' ? "" : " "))
            return false;
    }
}

/* Returns 1 when a comment may begin at `at`, where sign is; 0 when not, or -1
 * when more bytes are needed. */
static int walk_is_comment(const surety_lenient *lenient,
                           const struct sign *sign)
{
    if (sign->code == '<')
        return lenient_is_markup(lenient, lenient->at);
    return sign->code == '/' || sign->code == '#';
}

/* Reads the sign at `at`, which may begin a comment. */
static enum lenient_step walk_comment(surety_lenient *lenient)
{
    const size_t at = lenient->at;

    lenient->bare = (struct bare){.place = at};
    if (lenient->text[at] == '#' && lenient->last.key &&
        lenient->state == LENIENT_VALUE) {
        /* A "#" after a key may begin a value: #ff8800, #42. */
        if (at + 1 == lenient->end && !lenient->final)
            return surety__lenient_wait(lenient, WAIT_ANY, at + 1);
        if (at + 1 < lenient->end && lenient_is_name(lenient->text[at + 1])) {
            lenient->state = LENIENT_BARE;
            return STEP_GO;
        }
    }
    lenient->resume = lenient->state;
    if (lenient->text[at] == '#') {
        lenient->state = LENIENT_LINE;
        lenient->at++;
        return STEP_GO;
    }
    if (lenient->text[at] == '<') {
        lenient->state = LENIENT_BLOCK;
        lenient->at += 4;
        return STEP_GO;
    }
    if (at + 1 == lenient->end)
        return lenient_more(lenient);
    if (lenient->text[at + 1] != '/' && lenient->text[at + 1] != '*') {
        if (lenient->state != LENIENT_VALUE)
            return surety__lenient_fail(lenient, at, "a slash is no value");
        lenient->state = LENIENT_BARE; /* a path or a regular expression */
        return STEP_GO;
    }
    lenient->state =
        lenient->text[at + 1] == '/' ? LENIENT_LINE : LENIENT_BLOCK;
    lenient->at += 2;
    return STEP_GO;
}

static enum lenient_step walk_comment_end(surety_lenient *lenient)
{
    lenient->state = lenient->resume;
    return surety__lenient_repair(lenient, REPAIR_COMMENT, lenient->bare.place,
                                  lenient->at - lenient->bare.place, "");
}

static enum lenient_step walk_line(surety_lenient *lenient)
{
    while (lenient->at < lenient->end && lenient->text[lenient->at] != '\n' &&
           lenient->text[lenient->at] != '\r')
        lenient->at++, lenient->work++;
    if (lenient->at == lenient->end && !lenient->final)
        return surety__lenient_wait(lenient, WAIT_ANY, lenient->at);
    return walk_comment_end(lenient);
}

static enum lenient_step walk_block(surety_lenient *lenient)
{
    const char *close =
        lenient->text[lenient->bare.place] == '<' ? "-->" : "*/";
    const size_t len = strlen(close);

    for (; lenient->end - lenient->at >= len; lenient->at++, lenient->work++)
        if (!memcmp(lenient->text + lenient->at, close, len)) {
            lenient->at += len;
            return walk_comment_end(lenient);
        }
    return lenient_more(lenient);
}

/* Skips an ellipsis: the model left out items or members. */
static enum lenient_step walk_ellipsis(surety_lenient *lenient,
                                       const struct sign *sign)
{
    struct ahead ahead = {.lenient = lenient};
    size_t end = lenient->at + sign->len;
    struct sign next;

    if (lenient->open == PLACE_NONE || lenient->last.key)
        return surety__lenient_fail(lenient, lenient->at,
                                    "an ellipsis replaces a value");
    while (end < lenient->end && lenient->text[end] == '.')
        end++, lenient->work++;
    ahead.at = end;
    next = surety__ahead_sign(&ahead);
    if (ahead.starved)
        return STEP_WAIT;
    if (next.code != ',' && next.code != '/' && next.code != '#' &&
        next.code != SIGN_END && next.code != SIGN_QUOTE && next.code != '{' &&
        next.code != '[' && !lenient_is_closer(next.code) && !ahead.line)
        return surety__lenient_fail(lenient, ahead.at,
                                    "text follows an ellipsis");
    if (surety__lenient_skip(lenient, REPAIR_ELLIPSIS, end - lenient->at, ""))
        return STEP_FAIL;
    lenient->last = (struct lenient_last){.end = end};
    lenient->state = LENIENT_AFTER;
    return STEP_GO;
}

/* Skips the ellipsis or three dots at `at`. Returns false when they are none.
 */
static bool walk_dots(surety_lenient *lenient, const struct sign *sign,
                      enum lenient_step *ret_step)
{
    const int dots = surety__ahead_dots(lenient, sign, lenient->at);

    if (dots)
        *ret_step =
            dots < 0 ? lenient_more(lenient) : walk_ellipsis(lenient, sign);
    return dots != 0;
}

/* ---- closing ------------------------------------------------------------ */

enum lenient_step surety__lenient_odd(surety_lenient *lenient,
                                      const struct sign *sign, const char *read)
{
    return sign->odd ? surety__lenient_repair(lenient, REPAIR_FULL_WIDTH,
                                              lenient->at, sign->len, read)
                     : STEP_GO;
}

/* Closes an object that began with two braces: "}}" counts as one "}". */
static enum lenient_step walk_close_twice(surety_lenient *lenient, size_t end)
{
    struct ahead ahead = {.lenient = lenient, .at = end};
    struct sign sign = surety__ahead_sign(&ahead);

    if (ahead.starved)
        return STEP_WAIT;
    if (sign.code == '}')
        end = ahead.at + sign.len;
    else if (sign.code != SIGN_END)
        return surety__lenient_fail(lenient, ahead.at,
                                    "braces were opened twice and closed once");
    lenient->at = end;
    return surety__lenient_close(lenient, end);
}

static enum lenient_step walk_wrong(surety_lenient *lenient,
                                    const struct sign *sign)
{
    const size_t at = lenient->at;
    size_t len = sign->len;

    switch (surety__ahead_wrong(lenient, sign, at)) {
    case WRONG_WAIT: return STEP_WAIT;
    case WRONG_PARENT:
        if (surety__lenient_repair(lenient, REPAIR_MISSING_CLOSE,
                                   lenient->last.end, 0,
                                   lenient_in_object(lenient) ? "}" : "]"))
            return STEP_FAIL;
        return surety__lenient_close(lenient, at);
    case WRONG_KIND:
        if (surety__lenient_skip(lenient, REPAIR_WRONG_CLOSE, sign->len,
                                 lenient_in_object(lenient) ? "}" : "]"))
            return STEP_FAIL;
        return surety__lenient_close(lenient, lenient->at);
    default:
        if (lenient->marks.hoisted == lenient->open + 1)
            return surety__lenient_fail(
                lenient, at, "a member is in the brackets of an array");
        /* Also skip the brackets of the same kind that follow:
         * surety__ahead_wrong has counted them. */
        while (!sign->odd && len < LENIENT_CLOSERS && at + len < lenient->end &&
               lenient->text[at + len] == sign->code)
            len++;
        return surety__lenient_skip(lenient, REPAIR_WRONG_CLOSE, len, "");
    }
}

static enum lenient_step walk_closer(surety_lenient *lenient,
                                     const struct sign *sign)
{
    const surety__cell *cell = &lenient->doc->cells[lenient->open];
    size_t end = lenient->at + sign->len;
    enum lenient_step step = STEP_GO;

    if (cell->flags & LENIENT_LOOSE) {
        /* The object has no braces: it ends before this bracket. */
        lenient->at = lenient->last.end;
        return surety__lenient_close(lenient, lenient->at);
    }
    if (lenient_closer(cell) != sign->code)
        return walk_wrong(lenient, sign);
    if (cell->flags & LENIENT_WRAPPED)
        step = surety__lenient_wrapped(lenient, &end);
    if (step != STEP_GO)
        return step;
    if (cell->flags & LENIENT_TWICE) {
        struct ahead ahead = {.lenient = lenient, .at = end};

        surety__ahead_sign(&ahead);
        if (ahead.starved)
            return STEP_WAIT;
    }
    if (lenient->last.comma && !(cell->flags & LENIENT_ROUND) &&
        surety__lenient_repair(lenient, REPAIR_TRAILING_COMMA,
                               lenient->last.comma_at, 1, ""))
        return STEP_FAIL;
    if (surety__lenient_odd(lenient, sign, sign->code == '}' ? "}" : "]"))
        return STEP_FAIL;
    if (cell->flags & LENIENT_TWICE)
        return walk_close_twice(lenient, end);
    lenient->at = end;
    return surety__lenient_close(lenient, end);
}

/* Reads an object that begins where a key is expected. If an array contains the
 * open object, the open object lacks its closing brace. */
static enum lenient_step walk_next_object(surety_lenient *lenient)
{
    const surety__cell *cells = lenient->doc->cells;
    const surety__cell *cell = &cells[lenient->open];
    const bool comma = lenient->last.comma;

    if (!cell->count || cell->span == PLACE_NONE ||
        cells[cell->span].kind != CELL_ARRAY)
        return surety__lenient_fail(lenient, lenient->at,
                                    "expected a key, found an object");
    if (surety__lenient_repair(lenient, REPAIR_MISSING_CLOSE, lenient->last.end,
                               0, "}") ||
        surety__lenient_close(lenient, lenient->at) != STEP_GO)
        return STEP_FAIL;
    if (comma) {
        lenient->last.comma = true;
        lenient->state = LENIENT_VALUE;
    }
    return STEP_GO;
}

/* ---- keys --------------------------------------------------------------- */

/* Returns whether the name is a valid ECMAScript identifier. */
static bool walk_is_plain(const char *ptr, size_t len)
{
    if (!len || surety__is_digit(*ptr))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!lenient_is(ptr[i], BYTE_PLAIN))
            return false;
    return true;
}

/* Makes the cell of the key without quotes that ends at end; the machine
 * continues at next. */
static enum lenient_step walk_make_key(surety_lenient *lenient, size_t end,
                                       size_t next)
{
    const size_t start = lenient->at;
    const char *ptr = lenient->text + start;
    const size_t len = end - start;
    const bool plain = walk_is_plain(ptr, len);
    surety__cell *cell;
    uint8_t flags = FLAG_ASCII;

    assert(start < end && end <= next && next <= lenient->end);
    for (size_t i = 0; i < len && !plain; i++)
        if ((unsigned char)ptr[i] >= 0x80)
            flags = 0;
    if (!flags && !surety__utf8_valid((surety_str){ptr, len}, NULL))
        return surety__lenient_fail(lenient, start,
                                    "a key without quotes is no UTF-8");
    if (len > lenient->doc->limits.key_len_max)
        return surety__lenient_limit(lenient, start, FAULT_KEY_LEN);
    if (next > end && lenient->text[end] == '"') {
        if (surety__lenient_repair(lenient, REPAIR_MISSING_QUOTE, start, 0,
                                   "\""))
            return STEP_FAIL;
    } else {
        const surety__text_repair repair = {
            .kind = plain ? REPAIR_UNQUOTED_KEY : REPAIR_UNQUOTED_TEXT_KEY,
            .offset = (uint32_t)start,
            .len = (uint32_t)len,
            .read_off = (uint32_t)start,
            .read_len = (uint32_t)len};

        if (surety__lenient_repair_as(lenient, &repair))
            return STEP_FAIL;
    }
    cell = surety__lenient_cell(lenient, start);
    if (!cell)
        return STEP_FAIL;
    surety__cell_head(cell, CELL_KEY, flags, (uint16_t)surety__hash(ptr, len),
                      (uint32_t)start);
    surety__cell_text(cell, (uint32_t)len, (uint32_t)start);
    lenient->at = next;
    lenient->state = LENIENT_COLON;
    lenient->last.key = true;
    return STEP_GO;
}

/* Handles the case that no key begins at `at`. */
static enum lenient_step walk_no_key(surety_lenient *lenient)
{
    if (lenient->doc->cells[lenient->open].flags & LENIENT_LOOSE &&
        lenient->doc->cells[lenient->open].count) {
        lenient->at = lenient->last.end;
        return surety__lenient_close(lenient, lenient->at);
    }
    return surety__lenient_fail(lenient, lenient->at,
                                "a key with a colon is expected");
}

/* Returns the offset after the name that begins at `at`, or most if the name is
 * longer. */
static size_t walk_name(const surety_lenient *lenient, size_t at, size_t most)
{
    const char *text = lenient->text;

    if (most > lenient->end)
        most = lenient->end;
    while (at < most) {
        while (at < most && lenient_is(text[at], BYTE_PLAIN))
            at++;
        if (at >= most || !lenient_is_name(text[at]) ||
            ((unsigned char)text[at] >= 0x80 &&
             lenient_sign(lenient, at).code != SIGN_OTHER))
            break;
        at++;
    }
    return at;
}

/* Reads the name of a key at `at` and a scalar without the colon between
 * them. */
static enum lenient_step walk_bare_pair(surety_lenient *lenient)
{
    const size_t start = lenient->at;
    const size_t end = walk_name(lenient, start, start + LENIENT_KEY_AHEAD);
    struct ahead ahead = {.lenient = lenient, .at = end};

    surety__ahead_sign(&ahead);
    if (ahead.at == end || !walk_is_plain(lenient->text + start, end - start) ||
        !surety__ahead_scalar(&ahead))
        return ahead.starved ? STEP_WAIT : walk_no_key(lenient);
    return walk_make_key(lenient, end, end);
}

/* Reads a key without quotes: one name, or several words before a colon. */
static enum lenient_step walk_bare_key(surety_lenient *lenient)
{
    const size_t start = lenient->at, most = start + LENIENT_KEY_AHEAD;
    struct ahead ahead = {.lenient = lenient, .at = start};
    const char *text = lenient->text;
    size_t at = start, end;
    struct sign sign;

    at = walk_name(lenient, start, most);
    end = at;
    lenient->work += at - start;
    if (at < lenient->end && at < most && at > start && text[at] == ':')
        return walk_make_key(lenient, at, at);
    for (;;) {
        if (at >= most)
            return walk_no_key(lenient);
        if (at == lenient->end && !lenient->final) {
            surety__lenient_wait(lenient, WAIT_STOP, at);
            lenient->wait.most = most;
            return STEP_WAIT;
        }
        ahead.line = false;
        ahead.at = at;
        sign = surety__ahead_sign(&ahead);
        if (ahead.starved)
            return STEP_WAIT;
        if (sign.code == SIGN_END)
            return STEP_CUT;
        if (sign.code == ':' || (sign.code == '=' && end > start))
            return end > start ? walk_make_key(lenient, end, ahead.at)
                               : walk_no_key(lenient);
        if (ahead.line || sign.code == ',' || lenient_is_closer(sign.code) ||
            sign.code == '{' || sign.code == '[' || sign.code == SIGN_QUOTE ||
            (sign.code >= 0 && sign.code < ' '))
            break;
        /* The key has another word. */
        lenient->work += ahead.at + sign.len - at;
        at = walk_name(lenient, ahead.at + sign.len, most);
        end = at;
    }
    if (sign.code == SIGN_QUOTE && ahead.at == end && end > start) {
        const size_t next = end + sign.len;

        ahead.at = next;
        sign = surety__ahead_sign(&ahead);
        if (ahead.starved)
            return STEP_WAIT;
        if (sign.code == ':')
            return walk_make_key(lenient, end, next);
    } else if (end > start && !ahead.line &&
               walk_is_plain(text + start, end - start) &&
               (sign.code == SIGN_QUOTE || sign.code == '{' ||
                sign.code == '[')) {
        return walk_make_key(lenient, end, end); /* the colon is missing */
    }
    if (sign.code == ',' || lenient_is_closer(sign.code))
        return walk_bare_pair(lenient);
    return walk_no_key(lenient);
}

static enum lenient_step walk_member_key(surety_lenient *lenient,
                                         const struct sign *sign)
{
    enum lenient_step step;

    if (lenient_in_pairs(lenient) && sign->code != ']')
        return surety__lenient_pair(lenient, sign);
    switch (sign->code) {
    case SIGN_QUOTE: return surety__lenient_quote(lenient, sign, true);
    case '}':
    case ']':
    case ')': return walk_closer(lenient, sign);
    case ',':
        return surety__lenient_skip(lenient, REPAIR_DOUBLED_COMMA, sign->len,
                                    "");
    case '{': return walk_next_object(lenient);
    case ':':
        if (surety__lenient_symbol(lenient, &step))
            return step;
        return walk_no_key(lenient);
    case '[':
    case '=':
    case ';': return walk_no_key(lenient);
    case '.':
    case SIGN_DOTS:
        if (walk_dots(lenient, sign, &step))
            return step;
        break;
    default: break;
    }
    return walk_bare_key(lenient);
}

static enum lenient_step walk_colon(surety_lenient *lenient,
                                    const struct sign *sign)
{
    const size_t at = lenient->at;
    size_t len = sign->len;

    lenient->last.line = false;
    lenient->state = LENIENT_VALUE;
    if (sign->code == ':') {
        if (surety__lenient_odd(lenient, sign, ":"))
            return STEP_FAIL;
        lenient->at += len;
        return STEP_GO;
    }
    if (sign->code == ',' && lenient_in_pairs(lenient)) {
        lenient->at += len;
        return STEP_GO;
    }
    if (sign->code == '=') {
        if (at + len == lenient->end && !lenient->final) {
            lenient->state = LENIENT_COLON;
            return surety__lenient_wait(lenient, WAIT_ANY, at + len);
        }
        if (at + len < lenient->end && lenient->text[at + len] == '>')
            len++;
        if (lenient_in_call(lenient)) {
            lenient->at += len;
            return STEP_GO;
        }
        return surety__lenient_skip(lenient, REPAIR_EQUALS_SIGN, len, ":");
    }
    if (sign->code == SIGN_QUOTE || sign->code == '{' || sign->code == '[' ||
        sign->code == SIGN_OTHER || sign->code == '+' ||
        (sign->code > 0 && lenient_is_name((char)sign->code))) {
        lenient->last.pair = true;
        return surety__lenient_repair(lenient, REPAIR_MISSING_COLON, at, 0,
                                      ":");
    }
    return surety__lenient_fail(lenient, at,
                                "a colon and a value are missing after a key");
}

/* ---- values ------------------------------------------------------------- */

/* Opens an object. Two braces in a row come from a template and count as
 * one. */
static enum lenient_step walk_brace(surety_lenient *lenient,
                                    const struct sign *sign)
{
    const size_t at = lenient->at, next = at + sign->len;
    int set = 0;
    bool twice;

    if (next == lenient->end && !lenient->final)
        /* Wait: the next byte may be a second brace. Until it arrives, a
         * snapshot does not show the object. */
        return surety__lenient_wait(lenient, WAIT_ANY, next);
    twice = next < lenient->end && lenient->text[next] == '{';
    /* All waiting is done before the first repair. */
    if (!twice && !lenient->options.strict)
        set = surety__ahead_set(lenient, next);
    if (set < 0)
        return STEP_WAIT;
    if (surety__lenient_odd(lenient, sign, "{"))
        return STEP_FAIL;
    if (twice) {
        if (surety__lenient_repair(lenient, REPAIR_DOUBLE_BRACES, at,
                                   sign->len + 1u, "{"))
            return STEP_FAIL;
        return surety__lenient_open(lenient, CELL_OBJECT, LENIENT_TWICE, at,
                                    sign->len + 1u);
    }
    if (set)
        return surety__lenient_repair(lenient, REPAIR_SET, at, sign->len, "[")
                   ? STEP_FAIL
                   : surety__lenient_open(lenient, CELL_ARRAY, LENIENT_SWAPPED,
                                          at, sign->len);
    return surety__lenient_open(lenient, CELL_OBJECT, 0, at, sign->len);
}

/* Opens an object without braces: its members begin at the root. */
static enum lenient_step walk_loose(surety_lenient *lenient)
{
    const size_t at = lenient->at;

    if (surety__lenient_repair(lenient, REPAIR_BRACES_MISSING, at, 0, "{"))
        return STEP_FAIL;
    return surety__lenient_open(lenient, CELL_OBJECT, LENIENT_LOOSE, at, 0);
}

/* Reads a name at the root: a number, a literal, or the first key of an object
 * without braces. */
static enum lenient_step walk_root_name(surety_lenient *lenient)
{
    const size_t start = lenient->at;
    struct ahead ahead = {.lenient = lenient, .at = start};
    enum member member;

    if (lenient->text[start] == '-' || lenient->text[start] == '+' ||
        lenient->text[start] == '.' || surety__is_digit(lenient->text[start]))
        member = MEMBER_NO;
    else
        member = surety__ahead_member(&ahead);
    if (ahead.starved)
        return STEP_WAIT;
    if (member == MEMBER_BARE) {
        const char *ptr = lenient->text + start;
        size_t len = 0;

        /* The key must be an identifier of a program, not a word of a
         * sentence. */
        while (start + len < lenient->end && lenient_is_name(ptr[len]))
            len++;
        if (walk_is_plain(ptr, len) &&
            surety__ahead_expects(lenient, start, start + len,
                                  *ptr >= 'a' && *ptr <= 'z'))
            return walk_loose(lenient);
    }
    lenient->bare = (struct bare){.place = start};
    lenient->state = LENIENT_BARE;
    return STEP_GO;
}

/* Reads a value without quotes at `at`, or a string with a prefix. */
static enum lenient_step walk_text(surety_lenient *lenient)
{
    const int prefix = surety__lenient_prefix(lenient);
    struct sign quote;

    if (prefix < 0)
        return surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
    if (prefix) {
        lenient->marks.raw = (lenient->text[lenient->at] | 0x20) == 'r';
        if (surety__lenient_skip(lenient, REPAIR_STRING_PREFIX, 1, ""))
            return STEP_FAIL;
        quote = lenient_sign(lenient, lenient->at);
        return surety__lenient_quote(lenient, &quote, false);
    }
    if (lenient->open == PLACE_NONE)
        return walk_root_name(lenient);
    lenient->bare = (struct bare){.place = lenient->at};
    lenient->state = LENIENT_BARE;
    return STEP_GO;
}

static enum lenient_step walk_value(surety_lenient *lenient,
                                    const struct sign *sign)
{
    const bool item = lenient->open != PLACE_NONE && !lenient->last.key;
    enum lenient_step step;

    switch (sign->code) {
    case SIGN_QUOTE: return surety__lenient_quote(lenient, sign, false);
    case '{': return walk_brace(lenient, sign);
    case '[': return surety__lenient_bracket(lenient, sign);
    case '(':
        if (surety__lenient_repair(lenient, REPAIR_TUPLE, lenient->at, 1, "["))
            return STEP_FAIL;
        return surety__lenient_open(lenient, CELL_ARRAY, LENIENT_ROUND,
                                    lenient->at, 1);
    case '}':
    case ']':
    case ')':
        if (item)
            return walk_closer(lenient, sign);
        break;
    case ',':
        if (!item)
            break;
        return surety__lenient_skip(lenient, REPAIR_DOUBLED_COMMA, sign->len,
                                    "");
    case '.':
    case SIGN_DOTS:
        if (walk_dots(lenient, sign, &step))
            return step;
        break;
    case ':':
        if (surety__lenient_symbol(lenient, &step))
            return step;
        break;
    default: break;
    }
    if (sign->code == SIGN_OTHER ||
        (sign->code > ' ' && sign->code != ':' && sign->code != ',' &&
         sign->code != ';' && sign->code != '=' &&
         !lenient_is_closer(sign->code)))
        return walk_text(lenient);
    return surety__lenient_fail(lenient, lenient->at,
                                lenient->last.key ? "a key has no value"
                                                  : "no value begins here");
}

/* Records a missing comma before the sign at `at`. */
static enum lenient_step walk_missing_comma(surety_lenient *lenient)
{
    if (surety__lenient_repair(lenient,
                               lenient->last.line ? REPAIR_MISSING_COMMA_LINE
                                                  : REPAIR_MISSING_COMMA,
                               lenient->last.end, 0, ","))
        return STEP_FAIL;
    lenient->state = lenient_in_object(lenient) ? LENIENT_KEY : LENIENT_VALUE;
    return STEP_GO;
}

/* Reads a sign after a value that is neither a comma nor a closing bracket: the
 * next value or key, if a comma is missing. */
static enum lenient_step walk_after_other(surety_lenient *lenient,
                                          const struct sign *sign)
{
    struct ahead ahead = {.lenient = lenient, .at = lenient->at};
    enum member member;

    if (!lenient_in_object(lenient)) {
        if (sign->code == SIGN_QUOTE || sign->code == '{' ||
            sign->code == '[' || sign->code == '(' || lenient->last.line ||
            (sign->code > 0 &&
             (surety__is_digit((char)sign->code) || sign->code == '-' ||
              sign->code == 't' || sign->code == 'f' || sign->code == 'n' ||
              sign->code == 'T' || sign->code == 'F' || sign->code == 'N')))
            return walk_missing_comma(lenient);
    } else if (sign->code == '{') {
        return walk_next_object(lenient);
    } else {
        member = surety__ahead_member(&ahead);
        if (ahead.starved)
            return STEP_WAIT;
        if (member != MEMBER_NO)
            return walk_missing_comma(lenient);
        if (lenient->doc->cells[lenient->open].flags & LENIENT_LOOSE)
            return walk_no_key(lenient);
    }
    return surety__lenient_fail(
        lenient, lenient->at,
        lenient_in_object(lenient)
            ? "a comma or the end of the object is expected"
            : "a comma or the end of the array is expected");
}

static enum lenient_step walk_after(surety_lenient *lenient,
                                    const struct sign *sign)
{
    enum lenient_step step;

    if (lenient->marks.fenced && sign->code == SIGN_QUOTE &&
        sign->style == STYLE_BACKTICK)
        return surety__lenient_fence_end(lenient);
    if (lenient_in_pairs(lenient) && !lenient->last.pair) {
        if (sign->code != ')')
            return surety__lenient_fail(lenient, lenient->at,
                                        "a pair's bracket is not closed");
        lenient->last.pair = true;
        lenient->last.end = lenient->at += sign->len;
        return STEP_GO;
    }
    if (lenient_is_closer(sign->code))
        return walk_closer(lenient, sign);
    if (sign->code == ',' || sign->code == ';') {
        if (sign->code == ','
                ? surety__lenient_odd(lenient, sign, ",")
                : surety__lenient_repair(lenient, REPAIR_SEMICOLON, lenient->at,
                                         sign->len, ","))
            return STEP_FAIL;
        lenient->last.comma = true;
        lenient->last.comma_at = lenient->at;
        lenient->last.line = lenient->last.pair = false;
        lenient->at += sign->len;
        lenient->state =
            lenient_in_object(lenient) ? LENIENT_KEY : LENIENT_VALUE;
        return STEP_GO;
    }
    return walk_dots(lenient, sign, &step) ? step
                                           : walk_after_other(lenient, sign);
}

/* Returns whether only white space follows the last value. */
static bool walk_is_last(const surety_lenient *lenient)
{
    size_t at = lenient->last.end;

    while (at < lenient->end && scan_is_space(lenient->text[at]))
        at++;
    return at == lenient->end;
}

/* Records that the text ends with a number although a container is still open:
 * digits may be missing. White space after the number proves nothing, because
 * an editor may have added the last line end. */
static enum lenient_step walk_end_number(surety_lenient *lenient)
{
    const surety__cell *cell = &lenient->doc->cells[lenient->used - 1];
    const bool own = cell->flags & FLAG_OWN;
    surety__text_repair repair;

    assert(lenient->used > 0);
    /* A number in closed round brackets is complete. */
    if (!lenient->last.scalar || !surety__cell_is_number(cell) ||
        lenient->text[lenient->last.end - 1] == ')' || !walk_is_last(lenient))
        return STEP_GO;
    repair = (surety__text_repair){
        .kind = REPAIR_NUMBER_AT_END,
        .own = own,
        .offset = cell->place,
        .len = (uint32_t)(lenient->last.end - cell->place),
        .read_off = own ? cell->off : cell->place,
    };
    repair.read_len = own ? cell->len : repair.len;
    return surety__lenient_repair_as(lenient, &repair);
}

/* Ends the text: no more bytes come, and the value is not complete. */
static enum lenient_step walk_end(surety_lenient *lenient)
{
    const bool object = lenient_in_object(lenient);
    enum lenient_step step;
    bool loose;

    if (lenient->state == LENIENT_START)
        return surety__lenient_fail(lenient, lenient->at,
                                    "the text has no value");
    if (lenient->state != LENIENT_AFTER)
        return STEP_CUT;
    loose = lenient->doc->cells[lenient->open].flags & LENIENT_LOOSE;
    if (lenient->options.cut ||
        (!loose && (lenient->options.strict || lenient->options.certain_only)))
        return STEP_CUT;
    if (walk_end_number(lenient) ||
        (!loose &&
         surety__lenient_repair(lenient, REPAIR_MISSING_CLOSE,
                                lenient->last.end, 0, object ? "}" : "]")))
        return STEP_FAIL;
    step = surety__lenient_close(lenient, lenient->last.end);
    lenient->last.scalar = false; /* walk_unwrap may have set it again */
    return step;
}

/* Reads one sign that is neither white space nor the start of a comment. */
static enum lenient_step walk_sign(surety_lenient *lenient,
                                   const struct sign *sign)
{
    switch ((enum lenient_state)lenient->state) {
    case LENIENT_START: lenient->state = LENIENT_VALUE; return STEP_GO;
    case LENIENT_VALUE: return walk_value(lenient, sign);
    case LENIENT_KEY: return walk_member_key(lenient, sign);
    case LENIENT_COLON: return walk_colon(lenient, sign);
    default: return walk_after(lenient, sign);
    }
}

enum lenient_step surety__lenient_structure(surety_lenient *lenient)
{
    enum lenient_step step = STEP_GO;

    if (lenient->state == LENIENT_LINE)
        return walk_line(lenient);
    if (lenient->state == LENIENT_BLOCK)
        return walk_block(lenient);
    while (step == STEP_GO && lenient->state <= LENIENT_AFTER) {
        struct sign sign;
        int comment;

        if (!walk_blanks(lenient))
            return STEP_FAIL;
        sign = lenient_sign(lenient, lenient->at);
        if (sign.lack)
            return surety__lenient_wait(
                lenient, lenient->at == lenient->end ? WAIT_SIGN : WAIT_ANY,
                lenient->end);
        if (sign.code == SIGN_END)
            step = walk_end(lenient);
        else if ((comment = walk_is_comment(lenient, &sign)))
            step = comment < 0 ? lenient_more(lenient) : walk_comment(lenient);
        else
            step = walk_sign(lenient, &sign);
    }
    return step;
}
