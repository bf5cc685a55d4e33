/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.c: exact amounts of money and time.
 *
 * 0.15 dollars are 150,000 micro-dollars, not the nearest double; otherwise a
 * budget would be wrong in its last digits without a visible reason. The
 * digits of a number are collected without trailing zeros, then multiplied by
 * what is left of its exponent. A number that is not an integer in the unit is
 * refused, never rounded. */
#include "config/config.h"

enum { DECIMAL_POWER_MAX = 1000000, DECIMAL_SHOWN = 48 };

/* A number as digits times a power of ten. */
typedef struct decimal {
    uint64_t digits; /* without trailing zeros */
    int64_t power;
    int64_t zeros; /* read, but not yet in digits */
    bool too_large;
} decimal;

static void decimal_digit(decimal *into, char digit)
{
    if (digit == '0') {
        into->zeros += into->digits != 0 || into->too_large;
        return;
    }
    for (int64_t i = -1; i < into->zeros && !into->too_large; i++)
        into->too_large =
            __builtin_mul_overflow(into->digits, 10u, &into->digits);
    into->zeros = 0;
    into->too_large |= __builtin_add_overflow(
        into->digits, (unsigned)(digit - '0'), &into->digits);
}

static bool decimal_is_digit(const char *ptr, const char *end)
{
    return ptr < end && *ptr >= '0' && *ptr <= '9';
}

/* Reads an exponent after its "e". NULL: it is not valid. */
static const char *decimal_exponent(const char *ptr, const char *end,
                                    decimal *into)
{
    bool is_minus = ptr < end && *ptr == '-';
    int64_t exponent = 0;

    if (ptr < end && (*ptr == '-' || *ptr == '+'))
        ptr++;
    if (!decimal_is_digit(ptr, end))
        return NULL;
    for (; decimal_is_digit(ptr, end); ptr++)
        if (exponent < DECIMAL_POWER_MAX)
            exponent = exponent * 10 + (*ptr - '0');
    into->power += is_minus ? -exponent : exponent;
    return ptr;
}

/* Reads a number of RFC 8259, section 6, without the minus. */
static bool decimal_read(surety_str number, decimal *into)
{
    const char *ptr = number.ptr;
    const char *end = ptr + number.len;

    if (!decimal_is_digit(ptr, end) ||
        (*ptr == '0' && decimal_is_digit(ptr + 1, end)))
        return false;
    for (; decimal_is_digit(ptr, end); ptr++)
        decimal_digit(into, *ptr);
    if (ptr < end && *ptr == '.') {
        if (!decimal_is_digit(++ptr, end))
            return false;
        for (; decimal_is_digit(ptr, end); ptr++) {
            decimal_digit(into, *ptr);
            into->power--;
        }
    }
    if (ptr < end && (*ptr == 'e' || *ptr == 'E')) {
        ptr = decimal_exponent(ptr + 1, end, into);
        if (!ptr)
            return false;
    }
    return ptr == end;
}

/* The number times 10^scale. The status gives the reason if there is none. */
static surety_status decimal_scale(surety_str number, unsigned scale,
                                   uint64_t *ret_value)
{
    decimal read = {0};
    const bool is_minus = number.len > 0 && number.ptr[0] == '-';
    uint64_t value;

    if (is_minus)
        number = (surety_str){number.ptr + 1, number.len - 1};
    if (!decimal_read(number, &read))
        return SURETY_SYNTAX;
    if (read.digits == 0 && !read.too_large) {
        *ret_value = 0;
        return SURETY_OK;
    }
    if (is_minus)
        return SURETY_SYNTAX;
    read.power += read.zeros + (int64_t)scale;
    if (read.power < 0)
        return SURETY_UNSUPPORTED;
    value = read.digits;
    for (int64_t i = 0; i < read.power && !read.too_large; i++)
        read.too_large = __builtin_mul_overflow(value, 10u, &value);
    if (read.too_large)
        return SURETY_LIMIT;
    *ret_value = value;
    return SURETY_OK;
}

surety_status surety_decimal_read(surety_str text, unsigned scale,
                                  uint64_t *ret_value, surety_error *reterr)
{
    const int shown =
        (int)(text.len < DECIMAL_SHOWN ? text.len : DECIMAL_SHOWN);

    switch (decimal_scale(text, scale, ret_value)) {
    case SURETY_OK: return SURETY_OK;
    case SURETY_UNSUPPORTED:
        if (scale == 0)
            return surety__fail(reterr, SURETY_UNSUPPORTED,
                                "%.*s is no whole number", shown, text.ptr);
        return surety__fail(reterr, SURETY_UNSUPPORTED,
                            "%.*s has more than %u decimals, and nothing is "
                            "rounded here",
                            shown, text.ptr, scale);
    case SURETY_LIMIT:
        return surety__fail(reterr, SURETY_LIMIT,
                            "%.*s is more than can be counted", shown,
                            text.ptr);
    default:
        return surety__fail(reterr, SURETY_SYNTAX,
                            "\"%.*s\" is no number from 0 up, such as %s",
                            shown, text.ptr, scale ? "0.05" : "5");
    }
}
