/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, looking ahead at containers as programs write them: a
 * call whose arguments have names, a container in the brackets of a call, pairs
 * of a key and a value, and PHP's arrays with keys.
 *
 * A call is decided at its round bracket: its first argument says what it
 * is. */
#include "json/lenient.h"

/* Returns whether the bytes from start to end are names joined by dots. */
static bool call_is_name(const surety_lenient *lenient, size_t start,
                         size_t end)
{
    const char *text = lenient->text;

    if (start == end || surety__is_digit(text[start]) || text[start] == '.')
        return false;
    for (size_t i = start; i < end; i++)
        if (!lenient_is(text[i], BYTE_PLAIN) && text[i] != '.')
            return false;
    return true;
}

/* Returns whether the name that ends at end is that of a dictionary. */
static bool call_is_dict(const surety_lenient *lenient, size_t start,
                         size_t end)
{
    static const char word[] = "dict";

    if (end - start < 4)
        return false;
    for (size_t i = 0; i < 4; i++)
        if ((lenient->text[end - 4 + i] | 0x20) != word[i])
            return false;
    return true;
}

/* Returns whether a quoted key and "=>" are at ahead. */
static bool call_is_arrow(struct ahead *ahead, const struct sign *quote)
{
    const surety_lenient *lenient = ahead->lenient;
    struct sign sign;
    bool far;

    if (!surety__ahead_quoted(ahead, quote, &far))
        return false;
    sign = surety__ahead_sign(ahead);
    if (ahead->starved || sign.code != '=')
        return false;
    if (ahead->at + 1 == lenient->end && !lenient->final) {
        ahead->starved = true;
        surety__lenient_wait(ahead->lenient, WAIT_ANY, lenient->end);
        return false;
    }
    return ahead->at + 1 < lenient->end && lenient->text[ahead->at + 1] == '>';
}

/* Returns whether "(", a quoted key and a comma are at ahead. */
static bool call_is_pair(struct ahead *ahead)
{
    struct sign sign = surety__ahead_sign(ahead);
    bool far;

    if (ahead->starved || sign.code != '(')
        return false;
    ahead->at += sign.len;
    sign = surety__ahead_sign(ahead);
    if (ahead->starved || sign.code != SIGN_QUOTE ||
        !surety__ahead_quoted(ahead, &sign, &far))
        return false;
    sign = surety__ahead_sign(ahead);
    return !ahead->starved && sign.code == ',';
}

enum call_form surety__call_form(surety_lenient *lenient, size_t start,
                                 size_t at, size_t *ret_next)
{
    struct ahead ahead = {.lenient = lenient, .at = at + 1};
    enum call_form form = CALL_NONE;
    struct sign sign;
    bool far;

    *ret_next = at + 1;
    if (!call_is_name(lenient, start, at))
        return CALL_NONE;
    sign = surety__ahead_sign(&ahead);
    if (ahead.starved)
        return CALL_WAIT;
    if (sign.code == '[' || sign.code == '{') {
        *ret_next = ahead.at + sign.len;
        ahead.at = *ret_next;
        form = CALL_VALUE;
        if (sign.code == '[' && call_is_dict(lenient, start, at) &&
            call_is_pair(&ahead))
            form = CALL_PAIRS;
    } else if (sign.code == SIGN_QUOTE) {
        form = call_is_arrow(&ahead, &sign) ? CALL_MEMBERS : CALL_NONE;
    } else if (sign.code > 0 && lenient_is_name((char)sign.code) &&
               surety__ahead_name(&ahead, false, &far)) {
        sign = surety__ahead_sign(&ahead);
        form = sign.code == '=' ? CALL_MEMBERS : CALL_NONE;
    }
    return ahead.starved ? CALL_WAIT : form;
}

bool surety__call_begins(struct ahead *ahead)
{
    surety_lenient *lenient = ahead->lenient;
    const size_t start = ahead->at;
    enum call_form form;
    size_t next;
    bool far;

    if (!surety__ahead_name(ahead, false, &far) || ahead->at == lenient->end ||
        lenient->text[ahead->at] != '(')
        return false;
    form = surety__call_form(lenient, start, ahead->at, &next);
    ahead->starved = form == CALL_WAIT;
    return form != CALL_NONE && form != CALL_WAIT;
}

int surety__call_is_hash(surety_lenient *lenient, size_t at)
{
    struct ahead ahead = {.lenient = lenient, .at = at};
    const struct sign sign = surety__ahead_sign(&ahead);
    /* JSON has no single quotes: its arrays do not wait for the item's end. */
    const bool arrow = !ahead.starved && sign.code == SIGN_QUOTE &&
                       sign.style == STYLE_SINGLE &&
                       call_is_arrow(&ahead, &sign);

    return ahead.starved ? -1 : arrow;
}
