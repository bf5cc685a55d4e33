/* SPDX-License-Identifier: Apache-2.0 */
/* The limits, from the table limits.def: their defaults, and each limit by its
 * name, for callers that read limits from a command line or a file. */
#include "base/base.h"

#include <assert.h>

static const surety_limits limits_default = {
    .size = sizeof(surety_limits),
#define LIMIT(member, usual, max, what, why) .member = usual,
#include "base/limits.def"
#undef LIMIT
};

/* ORDER limits */
static const struct limits_row {
    surety_limit seen;
    size_t offset, size;
} limits_rows[] = {
#define LIMIT(member, normal, most, bounds, reason)                            \
    {{.name = #member,                                                         \
      .what = bounds,                                                          \
      .why = reason,                                                           \
      .usual = normal,                                                         \
      .max = most},                                                            \
     offsetof(surety_limits, member),                                          \
     sizeof(((surety_limits *)0)->member)},
#include "base/limits.def"
#undef LIMIT
};

enum { LIMITS_COUNT = sizeof(limits_rows) / sizeof(*limits_rows) };

surety_limits surety_limits_of(const surety_limits *given)
{
    /* Most are the defaults, copied. */
    if (!given || (given->size == sizeof(*given) &&
                   !memcmp(given, &limits_default, sizeof(*given))))
        return limits_default;
    return surety__limits_over(given, &limits_default);
}

surety_limits surety__limits_over(const surety_limits *given,
                                  const surety_limits *others)
{
    surety_limits limits = *others;
    surety_limits own;

    if (given && given->size != sizeof(own)) {
        (void)surety__options_take(&own, sizeof(own), given, NULL);
        given = &own;
    }
    if (given) {
#define LIMIT(member, usual, max, what, why)                                   \
    limits.member = given->member ? given->member : limits.member;
#include "base/limits.def"
#undef LIMIT
    }
    if (limits.text_bytes_max > UINT32_MAX - 64)
        limits.text_bytes_max = UINT32_MAX - 64;
    return limits;
}

bool surety_limit_at(size_t i, surety_limit *ret_limit)
{
    if (i >= LIMITS_COUNT)
        return false;
    *ret_limit = limits_rows[i].seen;
    return true;
}

/* Reads digits with an optional K, M or G. Returns false when the text is no
 * number, or the number needs more than 64 bits. */
static bool limits_number(surety_str text, uint64_t *ret_value)
{
    static const char units[] = {'K', 'M', 'G'};
    uint64_t value = 0;
    uint64_t unit = 1;

    for (size_t i = 0; text.len > 1 && i < sizeof(units) && unit == 1; i++)
        if (text.ptr[text.len - 1] == units[i])
            unit = (uint64_t)1024 << 10 * i;
    if (unit > 1)
        text.len--;
    return surety__str_number(text, &value) &&
           !__builtin_mul_overflow(value, unit, ret_value);
}

/* Reports that no limit has this name. */
static surety_status limits_refuse(surety_str name, surety_error *reterr)
{
    const int shown = (int)(name.len < 64 ? name.len : 64);
    const char *found = NULL;
    unsigned nearest = 5;

    for (size_t i = 0; i < LIMITS_COUNT; i++) {
        const char *word = limits_rows[i].seen.name;
        const unsigned distance =
            surety__str_distance(name, surety_str_of(word), nearest - 1);

        if (distance < nearest) {
            nearest = distance;
            found = word;
        }
    }
    surety__fail(reterr, SURETY_SYNTAX, "there is no limit \"%.*s\"", shown,
                 name.ptr);
    if (found)
        surety__hint(reterr, "did you mean \"%s\"?", found);
    return SURETY_SYNTAX;
}

surety_status surety_limits_set(surety_limits *limits, surety_str name,
                                surety_str value, surety_error *reterr)
{
    const int shown = (int)(value.len < 32 ? value.len : 32);
    const struct limits_row *row = limits_rows;
    const struct limits_row *const end = limits_rows + LIMITS_COUNT;
    uint64_t number = 0;
    uint32_t number32;
    size_t wide;

    while (row < end && !surety_str_equal(name, surety_str_of(row->seen.name)))
        row++;
    if (row == end)
        return limits_refuse(name, reterr);
    if (row->offset + row->size > limits->size)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the struct of limits is too small for %s",
                            row->seen.name);
    if (!limits_number(value, &number) || number == 0 ||
        number > row->seen.max) {
        surety__fail(reterr, SURETY_SYNTAX,
                     "%s is a whole number from 1 to %zu, not \"%.*s\"",
                     row->seen.name, (size_t)row->seen.max, shown, value.ptr);
        surety__hint(reterr, "the suffixes K, M and G multiply by 1,024, "
                             "1,024^2 and 1,024^3");
        return SURETY_SYNTAX;
    }
    number32 = (uint32_t)number;
    wide = (size_t)number;
    assert(row->size == sizeof(wide) || row->size == sizeof(number32));
    if (row->size == sizeof(wide))
        memcpy((char *)limits + row->offset, &wide, sizeof(wide));
    else
        memcpy((char *)limits + row->offset, &number32, sizeof(number32));
    return SURETY_OK;
}

/* Returns whether text has the name as a whole word: schema_depth_max ends with
 * depth_max, but is another name. */
static bool limits_names(surety_str text, surety_str name)
{
    size_t from = 0;

    while (from < text.len) {
        const surety_str rest = {text.ptr + from, text.len - from};
        const size_t at = from + surety__str_find(rest, name);

        if (at >= text.len)
            return false;
        if (at == 0 || text.ptr[at - 1] != '_')
            return true;
        from = at + name.len;
    }
    return false;
}

const char *surety__limit_named(const char *message)
{
    const surety_str text = surety_str_of(message);

    for (size_t i = 0; i < LIMITS_COUNT; i++)
        if (limits_names(text, surety_str_of(limits_rows[i].seen.name)))
            return limits_rows[i].seen.name;
    return NULL;
}
