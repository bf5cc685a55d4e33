/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, containers as programs write them (lenient_call.c): how
 * they open, and how what stands around their members is read.
 *
 * What is opened is an ordinary container with other brackets (lenient.h), so
 * the rules for members and items are those of JSON. */
#include "json/lenient.h"

enum lenient_step surety__lenient_call(surety_lenient *lenient, bool *ret_made)
{
    const size_t start = lenient->bare.place, at = lenient->at;
    enum surety__repair_kind kind = REPAIR_CALL;
    uint8_t cell = CELL_OBJECT, flags = LENIENT_ROUND;
    size_t next;

    *ret_made = false;
    if (lenient->options.strict)
        return STEP_GO;
    switch (surety__call_form(lenient, start, at, &next)) {
    case CALL_WAIT: return STEP_WAIT;
    case CALL_MEMBERS: break;
    case CALL_PAIRS:
        kind = REPAIR_PAIRS;
        flags = LENIENT_PAIRS | LENIENT_WRAPPED;
        break;
    case CALL_VALUE:
        kind = REPAIR_CONSTRUCTOR;
        cell = lenient->text[next - 1] == '{' ? CELL_OBJECT : CELL_ARRAY;
        flags = LENIENT_WRAPPED;
        break;
    default: return STEP_GO;
    }
    *ret_made = true;
    if (surety__lenient_repair(lenient, kind, start, next - start,
                               cell == CELL_OBJECT ? "{" : "["))
        return STEP_FAIL;
    return surety__lenient_open(lenient, cell, flags, start, next - start);
}

enum lenient_step surety__lenient_bracket(surety_lenient *lenient,
                                          const struct sign *sign)
{
    const size_t at = lenient->at;
    const int hash = lenient->options.strict
                         ? 0
                         : surety__call_is_hash(lenient, at + sign->len);

    if (hash < 0)
        return STEP_WAIT;
    if (surety__lenient_odd(lenient, sign, "["))
        return STEP_FAIL;
    if (!hash)
        return surety__lenient_open(lenient, CELL_ARRAY, 0, at, sign->len);
    if (surety__lenient_repair(lenient, REPAIR_HASH, at, sign->len, "{"))
        return STEP_FAIL;
    return surety__lenient_open(lenient, CELL_OBJECT, LENIENT_SWAPPED, at,
                                sign->len);
}

bool surety__lenient_symbol(surety_lenient *lenient,
                            enum lenient_step *ret_step)
{
    const size_t next = lenient->at + 1;

    *ret_step = STEP_WAIT;
    if (next == lenient->end && !lenient->final) {
        surety__lenient_wait(lenient, WAIT_ANY, next);
        return true;
    }
    if (next == lenient->end || !lenient_is(lenient->text[next], BYTE_PLAIN) ||
        surety__is_digit(lenient->text[next]))
        return false;
    *ret_step = surety__lenient_skip(lenient, REPAIR_SYMBOL, 1, "");
    return true;
}

enum lenient_step surety__lenient_pair(surety_lenient *lenient,
                                       const struct sign *sign)
{
    struct ahead ahead = {.lenient = lenient, .at = lenient->at + sign->len};
    const struct sign next = surety__ahead_sign(&ahead);

    if (ahead.starved)
        return STEP_WAIT;
    if (sign->code != '(' || next.code != SIGN_QUOTE)
        return surety__lenient_fail(lenient, lenient->at,
                                    "a key and a value in round brackets are "
                                    "expected");
    lenient->at = ahead.at;
    return surety__lenient_quote(lenient, &next, true);
}

enum lenient_step surety__lenient_wrapped(surety_lenient *lenient, size_t *end)
{
    struct ahead ahead = {.lenient = lenient, .at = *end};
    struct sign sign = surety__ahead_sign(&ahead);
    const char *text = lenient->text;
    const size_t most = *end + LENIENT_KEY_AHEAD;

    if (ahead.starved)
        return STEP_WAIT;
    /* Further arguments, as dtype=float, say nothing about the value. */
    while (sign.code != ')' && ahead.at < lenient->end && ahead.at < most &&
           !memchr("()[]{}\n", text[ahead.at], 7))
        ahead.at++, lenient->work++;
    if (ahead.at == lenient->end)
        return lenient_more(lenient);
    if (ahead.at == most || text[ahead.at] != ')' ||
        (sign.code != ')' && sign.code != ','))
        return surety__lenient_fail(lenient, ahead.at,
                                    "a call's bracket is not closed");
    *end = ahead.at + 1;
    return STEP_GO;
}

enum lenient_step surety__lenient_fence_end(surety_lenient *lenient)
{
    const size_t left = lenient->end - lenient->at;

    if (memcmp(lenient->text + lenient->at, "```", left < 3 ? left : 3) != 0)
        return surety__lenient_fail(lenient, lenient->at,
                                    "a block of code is not closed");
    if (left < 3)
        return lenient_more(lenient);
    lenient->marks.fenced = false;
    return surety__lenient_skip(lenient, REPAIR_FENCE, 3, "");
}
