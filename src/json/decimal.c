/* SPDX-License-Identifier: Apache-2.0 */
/* Exact decimals, for numbers that int64 and double cannot represent.
 *
 * 1. A number is its text, so it is exact, whatever its size.
 * 2. A comparison needs no arithmetic. Divisibility, the rounding of hard cases
 *    to a double, and the shortest digits of a double need integers of some
 *    thousand bits. These are fixed blocks on the stack. Of GMP only the mpn_
 *    functions are used, which work in the memory that they get. So no function
 *    here allocates, and none can fail.
 * 3. A block holds BIG_DIGITS decimal digits. So the readers accept no longer
 *    number, whatever the limit number_len_max is. */
#include "json/inside.h"

#include <gmp.h>
#include <math.h>

enum {
    BIG_DIGITS = 2048,
    /* log2(10) < 3.33. Two more limbs are for carries. */
    BIG_LIMBS = BIG_DIGITS * 333 / 100 / GMP_NUMB_BITS + 3,
    /* The decimal digits that fit into one limb, with 10 to that power. */
    LIMB_DIGITS = GMP_NUMB_BITS >= 64 ? 19 : 9,
    /* The halfway points between doubles have at most 767 digits: further
     * digits only show that the number is greater. */
    REAL_DIGITS = 770
};

struct big {
    mp_limb_t limb[BIG_LIMBS];
    mp_size_t count; /* without leading zeros; 0 for zero */
};

_Static_assert((int)READ_NUMBER_MAX <= (int)BIG_DIGITS, "every number fits");

/* ---- parsing a literal -------------------------------------------------- */

surety__decimal surety__decimal_of(surety_str literal)
{
    const char *ptr = literal.ptr, *end = literal.ptr + literal.len;
    const char *first = NULL, *last = NULL;
    int64_t index = 0, first_index = 0, last_index = 0, point = -1;
    int64_t exponent = 0;
    surety__decimal number = {.digits = literal.ptr};

    if (ptr < end && *ptr == '-') {
        number.negative = true;
        ptr++;
    }
    for (; ptr < end && (*ptr | 0x20) != 'e'; ptr++) {
        if (*ptr == '.') {
            point = index;
            continue;
        }
        if (*ptr != '0') {
            if (!first) {
                first = ptr;
                first_index = index;
            }
            last = ptr;
            last_index = index;
        }
        index++;
    }
    if (!first)
        return number;
    if (point < 0)
        point = index;
    if (ptr < end) {
        bool minus = *++ptr == '-';

        for (ptr += minus || *ptr == '+'; ptr < end; ptr++)
            if (exponent < 100000000000)
                exponent = exponent * 10 + (*ptr - '0');
        if (minus)
            exponent = -exponent;
    }
    exponent += point - 1 - last_index;
    number.digits = first;
    number.digits_len = (uint32_t)(last - first) + 1;
    number.digit_count = (uint32_t)(last_index - first_index) + 1;
    number.exponent = exponent > 1000000000    ? 1000000000
                      : exponent < -1000000000 ? -1000000000
                                               : exponent;
    return number;
}

bool surety__decimal_is_integer(surety__decimal number)
{
    return number.digit_count == 0 || number.exponent >= 0;
}

/* Compares the magnitudes of two numbers that are not zero. */
static int decimal_compare_digits(surety__decimal a, surety__decimal b)
{
    int64_t a_top = a.exponent + a.digit_count;
    int64_t b_top = b.exponent + b.digit_count;
    uint32_t i = 0, j = 0;

    if (a_top != b_top)
        return a_top < b_top ? -1 : 1;
    for (; i < a.digits_len && j < b.digits_len; i++, j++) {
        if (a.digits[i] == '.')
            i++;
        if (b.digits[j] == '.')
            j++;
        if (a.digits[i] != b.digits[j])
            return a.digits[i] < b.digits[j] ? -1 : 1;
    }
    return a.digit_count < b.digit_count   ? -1
           : a.digit_count > b.digit_count ? 1
                                           : 0;
}

int surety__decimal_compare(surety__decimal a, surety__decimal b)
{
    int a_sign = a.digit_count == 0 ? 0 : a.negative ? -1 : 1;
    int b_sign = b.digit_count == 0 ? 0 : b.negative ? -1 : 1;

    if (a_sign != b_sign)
        return a_sign < b_sign ? -1 : 1;
    return a_sign == 0 ? 0 : a_sign * decimal_compare_digits(a, b);
}

/* ---- big integers ------------------------------------------------------ */

static void big_set(struct big *big, uint64_t value)
{
    big->count = 0;
    while (value) {
        big->limb[big->count++] = (mp_limb_t)value;
        value = GMP_NUMB_BITS >= 64 ? 0 : value >> (GMP_NUMB_BITS & 63);
    }
}

static void big_multiply(struct big *big, mp_limb_t factor, mp_limb_t addend)
{
    mp_limb_t carry = 0;

    if (big->count) {
        carry = mpn_mul_1(big->limb, big->limb, big->count, factor);
        carry += mpn_add_1(big->limb, big->limb, big->count, addend);
    } else {
        carry = addend;
    }
    if (carry) {
        assert(big->count < BIG_LIMBS);
        big->limb[big->count++] = carry;
    }
}

/* Multiplies by base to the power; base is at most 10. */
static void big_multiply_power(struct big *big, mp_limb_t base, int64_t power)
{
    for (; power >= 9; power -= 9) {
        mp_limb_t factor = base * base * base;

        big_multiply(big, factor * factor * factor, 0);
    }
    for (; power > 0; power--)
        big_multiply(big, base, 0);
}

static void big_shift(struct big *big, int64_t bits)
{
    mp_size_t limbs = (mp_size_t)(bits / GMP_NUMB_BITS);
    unsigned rest = (unsigned)(bits % GMP_NUMB_BITS);
    mp_limb_t carry = 0;

    if (big->count == 0 || bits == 0)
        return;
    assert(big->count + limbs + 1 <= BIG_LIMBS);
    if (limbs) {
        mpn_copyd(big->limb + limbs, big->limb, big->count);
        mpn_zero(big->limb, limbs);
        big->count += limbs;
    }
    if (rest)
        carry = mpn_lshift(big->limb, big->limb, big->count, rest);
    if (carry)
        big->limb[big->count++] = carry;
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return a->count ? mpn_cmp(a->limb, b->limb, a->count) : 0;
}

/* Compares a + b with c. Returns -1, 0 or 1. */
static int big_compare_sum(const struct big *a, const struct big *b,
                           const struct big *c)
{
    struct big sum = a->count < b->count ? *b : *a;
    const struct big *less = a->count < b->count ? a : b;
    mp_limb_t carry = 0;

    if (less->count)
        carry = mpn_add(sum.limb, sum.limb, sum.count, less->limb, less->count);
    if (carry)
        sum.limb[sum.count++] = carry;
    return big_compare(&sum, c);
}

static void big_trim(struct big *big)
{
    while (big->count && big->limb[big->count - 1] == 0)
        big->count--;
}

/* Divides big by divisor: the remainder goes to big, the quotient to
 * quotient. */
static void big_divide(struct big *big, const struct big *divisor,
                       struct big *quotient)
{
    struct big remainder;

    assert(divisor->count > 0);
    quotient->count = 0;
    if (big->count < divisor->count)
        return;
    mpn_tdiv_qr(quotient->limb, remainder.limb, 0, big->limb, big->count,
                divisor->limb, divisor->count);
    quotient->count = big->count - divisor->count + 1;
    big_trim(quotient);
    mpn_copyi(big->limb, remainder.limb, divisor->count);
    big->count = divisor->count;
    big_trim(big);
}

static int64_t big_bits(const struct big *big)
{
    return big->count ? (int64_t)mpn_sizeinbase(big->limb, big->count, 2) : 0;
}

static bool big_bit(const struct big *big, int64_t bit)
{
    return big->limb[bit / GMP_NUMB_BITS] >> (bit % GMP_NUMB_BITS) & 1;
}

/* Appends up to LIMB_DIGITS digits of number, from *at on, to big. Returns how
 * many. */
static int big_take(struct big *big, surety__decimal number, uint32_t *at)
{
    mp_limb_t chunk = 0, scale = 1;
    int count = 0;

    for (; count < LIMB_DIGITS && *at < number.digits_len; ++*at) {
        if (number.digits[*at] == '.')
            continue;
        chunk = chunk * 10 + (mp_limb_t)(number.digits[*at] - '0');
        scale *= 10;
        count++;
    }
    big_multiply(big, scale, chunk);
    return count;
}

/* ---- divisibility ------------------------------------------------------ */

bool surety__decimal_multiple(surety__decimal number, surety__decimal divisor)
{
    int64_t zeros = number.exponent - divisor.exponent;
    struct big modulus, rest, quotient;
    uint32_t at = 0;

    assert(divisor.digit_count > 0 && divisor.digit_count <= BIG_DIGITS);
    if (number.digit_count == 0)
        return true;
    /* The last digit of number is not 0, so number is no multiple of 10. */
    if (zeros < 0)
        return false;
    big_set(&modulus, 0);
    while (at < divisor.digits_len)
        big_take(&modulus, divisor, &at);
    big_set(&rest, 0);
    for (at = 0; at < number.digits_len;) {
        big_take(&rest, number, &at);
        big_divide(&rest, &modulus, &quotient);
    }
    /* The divisor has at most digit_count * 4 factors of 2 or 5; more zeros
     * than that change nothing. */
    if (zeros > (int64_t)divisor.digit_count * 4)
        zeros = (int64_t)divisor.digit_count * 4;
    for (; zeros > 0 && rest.count; zeros -= 9) {
        big_multiply_power(&rest, 10, zeros < 9 ? zeros : 9);
        big_divide(&rest, &modulus, &quotient);
    }
    return rest.count == 0;
}

/* ---- rounding to a double ---------------------------------------------- */

static double real_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Returns the double nearest to quotient * 2^exponent, ties to even. more: the
 * exact value is a little greater than that. quotient has at least 55 bits. */
static double real_round(const struct big *quotient, int64_t exponent,
                         bool more)
{
    int64_t bits = big_bits(quotient);
    int64_t keep = bits + exponent + 1074; /* down to the least subnormal */
    int64_t cut;
    uint64_t mantissa = 0;

    assert(bits >= 55);
    if (keep < 0)
        return 0;
    if (keep > 53)
        keep = 53;
    cut = bits - keep;
    for (int64_t i = bits; i > cut; i--)
        mantissa = mantissa << 1 | big_bit(quotient, i - 1);
    if (big_bit(quotient, cut - 1)) {
        more = more || mpn_scan1(quotient->limb, 0) < (mp_bitcnt_t)(cut - 1);
        mantissa += more || (mantissa & 1);
    }
    exponent += cut;
    if (mantissa >> 53) {
        mantissa >>= 1;
        exponent++;
    }
    if (mantissa >> 52 == 0)
        return real_of_bits(mantissa);
    if (exponent > 971)
        return HUGE_VAL;
    return real_of_bits((uint64_t)(exponent + 1075) << 52 |
                        (mantissa & (((uint64_t)1 << 52) - 1)));
}

double surety__decimal_exact(surety__decimal number)
{
    struct big above, below, quotient;
    int64_t exponent = number.exponent;
    int64_t shift = 0;
    uint32_t at = 0, taken = 0;

    big_set(&above, 0);
    while (at < number.digits_len && taken < REAL_DIGITS)
        taken += (uint32_t)big_take(&above, number, &at);
    exponent += number.digit_count - taken;
    big_set(&below, 1);
    if (exponent >= 0)
        big_multiply_power(&above, 5, exponent);
    else
        big_multiply_power(&below, 5, -exponent);
    if (big_bits(&above) < big_bits(&below) + 64)
        shift = big_bits(&below) + 64 - big_bits(&above);
    big_shift(&above, shift);
    big_divide(&above, &below, &quotient);
    return real_round(&quotient, exponent - shift,
                      above.count > 0 || taken < number.digit_count);
}

/* ---- the shortest digits of a double ----------------------------------- */

/* Produces the digits of value = above / below one by one. up / below and down
 * / below are the distances to the midpoints between value and its neighbours;
 * from them follows when enough digits are written (Steele and White 1990,
 * Burger and Dybvig 1996). */
struct shortest {
    struct big above, below, up, down;
    bool even; /* the midpoints themselves read back as value */
};

static void shortest_times_ten(struct shortest *state)
{
    big_multiply(&state->above, 10, 0);
    big_multiply(&state->up, 10, 0);
    big_multiply(&state->down, 10, 0);
}

/* Returns whether the value, rounded up within its interval, reaches 1. */
static bool shortest_reaches_one(const struct shortest *state)
{
    int order = big_compare_sum(&state->above, &state->up, &state->below);

    return state->even ? order >= 0 : order > 0;
}

/* Prepares state for mantissa * 2^exponent, scaled to [0.1, 1). Returns the
 * power of ten of the scale. */
static int shortest_begin(struct shortest *state, uint64_t mantissa,
                          int exponent)
{
    /* Above a power of two the neighbour is twice as far as below it. */
    bool lopsided = mantissa == (uint64_t)1 << 52 && exponent > -1074;
    int power;

    state->even = (mantissa & 1) == 0;
    big_set(&state->above, mantissa);
    big_set(&state->below, 1);
    big_set(&state->up, 1);
    big_set(&state->down, 1);
    big_shift(&state->above, (exponent > 0 ? exponent : 0) + 1 + lopsided);
    big_shift(&state->below, (exponent < 0 ? -exponent : 0) + 1 + lopsided);
    big_shift(&state->up, (exponent > 0 ? exponent : 0) + lopsided);
    big_shift(&state->down, exponent > 0 ? exponent : 0);
    /* floor(log10(value)) + 1, or one less: 30103 / 100000 is a little greater
     * than log10(2), and exact enough for exponents of four digits. */
    power = (int)big_bits(&state->above) - (int)big_bits(&state->below);
    power = (power - 1) * 30103 / 100000 - 1;
    if (power > 0)
        big_multiply_power(&state->below, 10, power);
    for (int i = power; i < 0; i++)
        shortest_times_ten(state);
    while (shortest_reaches_one(state)) {
        big_multiply(&state->below, 10, 0);
        power++;
    }
    return power;
}

/* Returns the next digit; above keeps the remainder. */
static int shortest_digit(struct shortest *state)
{
    int digit = 0;

    shortest_times_ten(state);
    for (; big_compare(&state->above, &state->below) >= 0; digit++) {
        mpn_sub(state->above.limb, state->above.limb, state->above.count,
                state->below.limb, state->below.count);
        big_trim(&state->above);
    }
    return digit;
}

int surety__decimal_shortest(double value, char *digits, int *ret_power)
{
    struct shortest state;
    uint64_t bits, mantissa;
    int exponent, count = 0;

    assert(value > 0 && isfinite(value));
    memcpy(&bits, &value, sizeof(bits));
    mantissa = bits & (((uint64_t)1 << 52) - 1);
    exponent = (int)(bits >> 52 & 0x7FF);
    if (exponent)
        mantissa |= (uint64_t)1 << 52;
    exponent = exponent ? exponent - 1075 : -1074;
    *ret_power = shortest_begin(&state, mantissa, exponent);
    for (;;) {
        int digit = shortest_digit(&state);
        int order = big_compare(&state.above, &state.down);
        bool low = state.even ? order <= 0 : order < 0;
        bool high = shortest_reaches_one(&state);

        if (low && high) {
            order = big_compare_sum(&state.above, &state.above, &state.below);
            high = order > 0 || (order == 0 && (digit & 1));
        }
        digits[count++] = (char)('0' + digit + high);
        if (low || high)
            return count;
    }
}
