/* SPDX-License-Identifier: Apache-2.0 */
/* Converts numbers between text, int64_t and double.
 *
 * Reading a double tries three methods, the fastest first. None depends on the
 * locale.
 * 1. A mantissa below 2^53, multiplied or divided by a power of ten that a
 *    double holds exactly (Clinger 1990).
 * 2. The mantissa times a power of five of 128 bits, which decides all but
 *    about one case in 10^9 (Lemire 2021, "Number parsing at a gigabyte per
 *    second"). tools/gen_powers.py writes the table of powers during the build.
 * 3. The exact arithmetic of decimal.c. */
#include "json/inside.h"

#include <float.h>
#include <math.h>

/* REAL_POWER_FIRST, REAL_POWER_LAST and real_powers[][2]: 5^q with the top bit
 * set, high word first. */
#include "powers.inc"

/* ---- cells ------------------------------------------------------------- */

void surety__number_cell(surety__cell *cell, surety_str literal)
{
    bool negative = literal.ptr[0] == '-';
    uint64_t limit = (uint64_t)INT64_MAX + negative;
    uint64_t value = 0;
    size_t i = negative;

    assert(literal.len > i);
    cell->flags = 0;
    cell->hash = 0;
    for (; literal.len - i >= 8; i += 8) {
        const uint64_t word = surety__load_eight(literal.ptr + i);

        if (scan_no_digits(word))
            break;
        value = value * 100000000 + scan_eight(word);
    }
    for (; i < literal.len && surety__is_digit(literal.ptr[i]); i++)
        value = value * 10 + (uint64_t)(literal.ptr[i] - '0');
    /* 19 digits fit 64 bits, and more than 19 no int64_t. */
    if (i == literal.len && i - negative <= 19 && value <= limit) {
        cell->kind = CELL_INT;
        cell->i =
            negative && value ? -(int64_t)(value - 1) - 1 : (int64_t)value;
        return;
    }
    cell->kind = surety__decimal_is_integer(surety__decimal_of(literal))
                     ? CELL_WHOLE
                     : CELL_REAL;
    cell->len = (uint32_t)literal.len;
    cell->off = 0;
}

surety_str surety__cell_number(const surety_doc *doc, const surety__cell *cell)
{
    bool own = cell->flags & FLAG_OWN;
    const char *base = own ? doc->own : doc->text;
    size_t end = own ? doc->own_len : doc->text_len;
    size_t at = cell->place;

    if (cell->kind != CELL_INT)
        return (surety_str){base + cell->off, cell->len};
    if (at < end && base[at] == '-')
        at++;
    while (at < end && surety__is_digit(base[at]))
        at++;
    return (surety_str){base + cell->place, at - cell->place};
}

surety__decimal surety__cell_decimal(const surety_doc *doc,
                                     const surety__cell *cell)
{
    return surety__decimal_of(surety__cell_number(doc, cell));
}

int surety__number_compare(const surety_doc *a_doc, const surety__cell *a,
                           const surety_doc *b_doc, const surety__cell *b)
{
    if (a->kind == CELL_INT && b->kind == CELL_INT)
        return a->i < b->i ? -1 : a->i > b->i;
    return surety__decimal_compare(surety__cell_decimal(a_doc, a),
                                   surety__cell_decimal(b_doc, b));
}

/* ---- text to double ---------------------------------------------------- */

/* Rounds mantissa * 10^power to *ret_value. Returns false when 128 bits do not
 * decide, or the result is not a normal double. */
static bool real_lemire(uint64_t mantissa, int64_t power, double *ret_value)
{
    unsigned zeros = 0, shift;
    uint64_t high, low, more, kept, bits;
    const uint64_t *five;
    int64_t exponent;

    if (power < REAL_POWER_FIRST || power > REAL_POWER_LAST)
        return false;
    five = real_powers[power - REAL_POWER_FIRST];
    while (!(mantissa >> 63)) {
        mantissa <<= 1;
        zeros++;
    }
    high = surety__multiply(mantissa, five[0], &low);
    /* The low word of the power matters only if the bits below the kept ones
     * are all ones. */
    if ((high & 0x1FF) == 0x1FF) {
        uint64_t carry = surety__multiply(mantissa, five[1], &more);

        low += carry;
        high += low < carry;
        if (low == UINT64_MAX)
            return false;
    }
    shift = (unsigned)(high >> 63) + 9;
    kept = high >> shift; /* 54 bits: the last one is for rounding */
    /* floor(power * log2(10)) + 63, then the double's exponent. */
    exponent =
        ((power * 217706) >> 16) + 63 + (int64_t)(high >> 63) - zeros + 1023;
    /* Possibly halfway between two doubles: leave it to exact arithmetic. */
    if ((kept & 1) && kept << shift == high && low <= 1)
        return false;
    kept += kept & 1;
    kept >>= 1;
    if (kept >> 53) {
        kept >>= 1;
        exponent++;
    }
    if (exponent <= 0 || exponent >= 0x7FF)
        return false;
    bits = (uint64_t)exponent << 52 | (kept & (((uint64_t)1 << 52) - 1));
    memcpy(ret_value, &bits, sizeof(bits));
    return true;
}

/* Computes mantissa * 10^power if doubles hold both exactly. Returns false when
 * they do not. */
static bool real_clinger(uint64_t mantissa, int64_t power, double *ret_value)
{
    static const double tens[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    if (FLT_EVAL_METHOD != 0 || mantissa >> 53 || power < -22 || power > 22)
        return false;
    *ret_value = power < 0 ? (double)mantissa / tens[-power]
                           : (double)mantissa * tens[power];
    return true;
}

double surety__decimal_real(surety__decimal number)
{
    int64_t top = number.exponent + number.digit_count;
    int64_t power = number.exponent;
    uint64_t mantissa = 0;
    uint32_t taken = 0;
    double value, other;

    if (number.digit_count == 0 || top < -330)
        return number.negative ? -0.0 : 0.0;
    if (top > 310)
        return number.negative ? -HUGE_VAL : HUGE_VAL;
    for (uint32_t i = 0; i < number.digits_len && taken < 19; i++) {
        if (number.digits[i] == '.')
            continue;
        mantissa = mantissa * 10 + (uint64_t)(number.digits[i] - '0');
        taken++;
    }
    power += number.digit_count - taken;
    /* With more than 19 digits the number is between mantissa and mantissa + 1:
     * it is decided if both give the same double. */
    if (taken == number.digit_count
            ? !real_clinger(mantissa, power, &value) &&
                  !real_lemire(mantissa, power, &value)
            : !real_lemire(mantissa, power, &value) ||
                  !real_lemire(mantissa + 1, power, &other) || value != other)
        value = surety__decimal_exact(number);
    return number.negative ? -value : value;
}

double surety__number_real(surety_str literal)
{
    return surety__decimal_real(surety__decimal_of(literal));
}

/* ---- double to text ---------------------------------------------------- */

static char *number_zeros(char *out, int count)
{
    for (; count > 0; count--)
        *out++ = '0';
    return out;
}

static char *number_digits(char *out, const char *digits, int count)
{
    memcpy(out, digits, (size_t)count);
    return out + count;
}

static char *number_exponent(char *out, int exponent)
{
    int size = exponent < 0 ? -exponent : exponent;

    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    if (size >= 100)
        *out++ = (char)('0' + size / 100);
    if (size >= 10)
        *out++ = (char)('0' + size / 10 % 10);
    *out++ = (char)('0' + size % 10);
    return out;
}

/* As ECMA-262, Number::toString. count: number of digits; power: how many are
 * before the point. */
size_t surety__number_write(double value, char *out)
{
    char *start = out;
    char digits[20];
    int count, power;

    assert(isfinite(value));
    if (value == 0) {
        *out = '0';
        return 1;
    }
    if (value < 0)
        *out++ = '-';
    count =
        surety__decimal_shortest(value < 0 ? -value : value, digits, &power);
    if (power > 21 || power < -5) {
        *out++ = digits[0];
        if (count > 1)
            *out++ = '.';
        out = number_digits(out, digits + 1, count - 1);
        out = number_exponent(out, power - 1);
    } else if (power <= 0) {
        *out++ = '0';
        *out++ = '.';
        out = number_zeros(out, -power);
        out = number_digits(out, digits, count);
    } else if (count <= power) {
        out = number_digits(out, digits, count);
        out = number_zeros(out, power - count);
    } else {
        out = number_digits(out, digits, power);
        *out++ = '.';
        out = number_digits(out, digits + power, count - power);
    }
    return (size_t)(out - start);
}
