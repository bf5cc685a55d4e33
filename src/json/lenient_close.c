/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, looking ahead over comments, and at closing brackets:
 * whether one can belong to the value, and the meaning of one of the wrong
 * kind. */
#include "json/lenient.h"

/* Returns what ends the comment that begins at ahead; NULL: none begins. */
static const char *close_comment(struct ahead *ahead)
{
    static const char *const marks[][2] = {
        {"//", "\n"}, {"#", "\n"}, {"/*", "*/"}, {"<!--", "-->"}};
    const surety_lenient *lenient = ahead->lenient;

    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        const char *open = marks[i][0];
        size_t at = ahead->at;

        while (*open && at < lenient->end && lenient->text[at] == *open)
            open++, at++;
        if (!*open)
            return marks[i][1];
        if (at == lenient->end && !lenient->final)
            surety__ahead_starve(ahead, WAIT_ANY, at);
    }
    return NULL;
}

bool surety__ahead_comment(struct ahead *ahead)
{
    surety_lenient *lenient = ahead->lenient;
    const size_t most = ahead->at + LENIENT_KEY_AHEAD;
    const char *close = close_comment(ahead);
    const size_t len = close ? strlen(close) : 0;

    if (!close || ahead->starved)
        return false;
    for (; ahead->at < lenient->end && ahead->at < most; ahead->at++) {
        lenient->work++;
        if (lenient->end - ahead->at >= len &&
            !memcmp(lenient->text + ahead->at, close, len)) {
            ahead->line = *close == '\n';
            ahead->at += len;
            return true;
        }
    }
    if (ahead->at < most && !lenient->final)
        surety__ahead_starve(ahead, WAIT_ANY, lenient->end);
    return false;
}

/* ---- closing brackets --------------------------------------------------- */

/* Returns whether no quote or no closing bracket follows on the line, within
 * LENIENT_KEY_AHEAD bytes: nothing there can end the current string and the
 * value. */
static bool close_quoteless(struct ahead *ahead)
{
    surety_lenient *lenient = ahead->lenient;
    const char *text = lenient->text;
    const size_t most = ahead->at + LENIENT_KEY_AHEAD;
    size_t at = ahead->at;
    bool quote = false;

    for (; at < lenient->end && at < most && text[at] != '\n'; at++) {
        quote |= text[at] == '"' || text[at] == '\'';
        if (quote && lenient_is_closer(text[at]))
            break;
    }
    lenient->work += at - ahead->at;
    if (at == lenient->end && at < most && !lenient->final) {
        surety__ahead_starve(ahead, WAIT_ANY, at);
        return false;
    }
    return at >= most || at == lenient->end || text[at] == '\n';
}

bool surety__ahead_closer(struct ahead *ahead, const struct sign *sign)
{
    surety_lenient *lenient = ahead->lenient;
    const surety__cell *cells = lenient->doc->cells;
    const bool dirty =
        lenient->state == LENIENT_QUOTED && lenient->quoted.dirty;
    struct sign next;
    bool right, last;

    if (lenient->open == PLACE_NONE)
        return true;
    right = sign->code == lenient_closer(&cells[lenient->open]);
    last = right && lenient->depth == 1;
    /* The rules ignore the text after the whole value. The exception is a
     * string that contains unescaped quotes: it may contain brackets, too. */
    if (last && !dirty)
        return true;
    if (!right && sign->code == ')' && !lenient_in_pairs(lenient))
        return false;
    ahead->at += sign->len;
    ahead->line = false;
    next = surety__ahead_sign(ahead);
    if (ahead->starved)
        return false;
    if (right && (next.code == '/' || next.code == '#' || next.code == '<') &&
        surety__ahead_comment(ahead)) {
        ahead->line = false;
        next = surety__ahead_sign(ahead);
    }
    if (ahead->starved)
        return false;
    if (lenient_is_closer(next.code) || next.code == SIGN_END || ahead->line)
        return true;
    if (last)
        return next.code == ';' || next.code == '<' || close_quoteless(ahead);
    return next.code == ',' ||
           (right && (next.code == SIGN_QUOTE || next.code == ';'));
}

/* Counts the errors of one reading of the closing brackets in run. kinds: the
 * closing brackets of the count open containers, innermost last. whole: kinds
 * holds all of them. behind: the sign after the brackets. */
static unsigned close_errors(const char *kinds, unsigned count, bool whole,
                             const char *run, unsigned len, int behind)
{
    unsigned errors = 0;

    assert(len <= LENIENT_CLOSERS);
    for (unsigned i = 0; i < len; i++) {
        unsigned up = 0;

        if (count == 0) {
            errors += whole ? 3 * (len - i) : 0;
            return behind == ',' && whole ? errors + 3 : errors;
        }
        while (up < count && kinds[count - 1 - up] != run[i])
            up++;
        if (up < count && up <= 1) {
            errors += up;
            count -= up + 1;
        } else {
            errors += 2;
            count--;
        }
    }
    if (count == 0 && whole)
        return behind == ',' ? errors + 3 : errors;
    return behind == SIGN_END ? errors + count : errors;
}

enum wrong surety__ahead_wrong(surety_lenient *lenient, const struct sign *sign,
                               size_t at)
{
    const surety__cell *cells = lenient->doc->cells;
    struct ahead ahead = {.lenient = lenient, .at = at};
    char kinds[LENIENT_CLOSERS + 2], run[LENIENT_CLOSERS];
    unsigned count = 0, len = 0, parent, kind, drop;
    uint32_t open = lenient->open;
    struct sign next = *sign;

    while (lenient_is_closer(next.code) && len < LENIENT_CLOSERS) {
        run[len++] = (char)next.code;
        ahead.at += next.len;
        next = surety__ahead_sign(&ahead);
        if (ahead.starved)
            return WRONG_WAIT;
    }
    /* Fill kinds so that the innermost container comes last. */
    for (; open != PLACE_NONE && count < sizeof(kinds); open = cells[open].span)
        count++;
    open = lenient->open;
    for (unsigned i = count; i > 0; i--, open = cells[open].span)
        kinds[i - 1] = (char)lenient_closer(&cells[open]);
    parent = UINT32_MAX;
    if (count > 1 && kinds[count - 2] == run[0])
        parent = 1 + close_errors(kinds, count - 2, open == PLACE_NONE, run + 1,
                                  len - 1, next.code);
    kind = 2 + close_errors(kinds, count - 1, open == PLACE_NONE, run + 1,
                            len - 1, next.code);
    drop = 2 + close_errors(kinds, count, open == PLACE_NONE, run + 1, len - 1,
                            next.code);
    if (parent <= kind && parent <= drop)
        return WRONG_PARENT;
    return kind <= drop ? WRONG_KIND : WRONG_DROP;
}
