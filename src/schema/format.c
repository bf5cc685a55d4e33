/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats, and those that need no file of their own.
 *
 * A row is a name, the drafts in which the specification lists it as a format,
 * and its function; a name whose rules changed has two rows. Any draft lets a
 * checker know more formats than it lists (draft 4 validation, section 7.1), so
 * a name that a later draft brought is known in all, by its newest rules: who
 * writes "date" beside draft 4 means a date. */
#include "schema/format.h"

#include "schema/pattern.h"

#define DRAFT(dialect) (1u << (SURETY_DIALECT_##dialect))
#define FROM_2019 (DRAFT(2019_09) | DRAFT(2020_12) | DRAFT(V1))
#define FROM_7 (DRAFT(7) | FROM_2019)
#define FROM_6 (DRAFT(6) | FROM_7)
#define FROM_4 (DRAFT(4) | FROM_6)

static const struct {
    const char *name;
    unsigned drafts;
    surety__format_fn is;
} format_rows[] = {
    {"date-time", FROM_4, surety__format_date_time},
    {"date", FROM_7, surety__format_date},
    {"time", FROM_7, surety__format_time},
    {"duration", FROM_2019, surety__format_duration},
    {"email", FROM_4, surety__format_email},
    {"idn-email", FROM_7, surety__format_idn_email},
    {"hostname", DRAFT(4) | DRAFT(6), surety__format_hostname},
    {"hostname", FROM_7, surety__format_hostname_alabel},
    {"idn-hostname", FROM_7, surety__format_idn_hostname},
    {"ipv4", FROM_4, surety__format_ipv4},
    {"ipv6", FROM_4, surety__format_ipv6},
    {"uri", FROM_4, surety__format_uri},
    {"uri-reference", FROM_6, surety__format_uri_reference},
    {"iri", FROM_7, surety__format_iri},
    {"iri-reference", FROM_7, surety__format_iri_reference},
    {"uuid", FROM_2019, surety__format_uuid},
    {"uri-template", FROM_6, surety__format_uri_template},
    {"json-pointer", FROM_6, surety__format_json_pointer},
    {"relative-json-pointer", DRAFT(7) | DRAFT(2019_09),
     surety__format_relative_pointer},
    {"relative-json-pointer", DRAFT(2020_12) | DRAFT(V1),
     surety__format_relative_pointer_moved},
    {"regex", FROM_7, surety__format_regex},
};

surety__format_fn surety__format_find(surety_str name, unsigned drafts)
{
    surety__format_fn newest = NULL;

    for (size_t i = 0; i < sizeof(format_rows) / sizeof(*format_rows); i++) {
        if (!surety_str_equal(name, surety_str_of(format_rows[i].name)))
            continue;
        if (format_rows[i].drafts & drafts)
            return format_rows[i].is;
        newest = format_rows[i].is;
    }
    return newest;
}

/* Whether eight bytes are hexadecimal digits. The highest bit of each means
 * whether it is at least, and not above, the ends of a range. */
static bool format_is_hex(uint64_t bytes)
{
    const uint64_t each = 0x0101010101010101;
    const uint64_t high = each * 0x80;
    const uint64_t lower = bytes | each * 0x20;
    const uint64_t digit =
        (bytes + each * (0x80 - '0')) & ~(bytes + each * (0x7F - '9'));
    const uint64_t letter =
        (lower + each * (0x80 - 'a')) & ~(lower + each * (0x7F - 'f'));

    return ((digit | letter) & ~bytes & high) == high;
}

bool surety__format_uuid(surety_str text)
{
    const char *ptr = text.ptr;
    char digits[32];
    uint64_t bytes[4];

    if (text.len != 36 || ptr[8] != '-' || ptr[13] != '-' || ptr[18] != '-' ||
        ptr[23] != '-')
        return false;
    memcpy(digits, ptr, 8);
    memcpy(digits + 8, ptr + 9, 4);
    memcpy(digits + 12, ptr + 14, 4);
    memcpy(digits + 16, ptr + 19, 4);
    memcpy(digits + 20, ptr + 24, 12);
    memcpy(bytes, digits, sizeof(bytes));
    return format_is_hex(bytes[0]) && format_is_hex(bytes[1]) &&
           format_is_hex(bytes[2]) && format_is_hex(bytes[3]);
}

bool surety__format_json_pointer(surety_str text)
{
    if (text.len && text.ptr[0] != '/')
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '~' &&
            (i + 1 == text.len ||
             (text.ptr[i + 1] != '0' && text.ptr[i + 1] != '1')))
            return false;
    return true;
}

/* Takes a number without zeros in front. */
static bool format_take_number(surety_str *rest)
{
    size_t len = 0;

    while (len < rest->len && surety__is_digit(rest->ptr[len]))
        len++;
    if (!len || (len > 1 && rest->ptr[0] == '0'))
        return false;
    surety__str_skip(rest, len);
    return true;
}

static bool format_is_relative(surety_str text, bool moved)
{
    if (!format_take_number(&text))
        return false;
    if (moved && text.len && (text.ptr[0] == '+' || text.ptr[0] == '-')) {
        surety__str_skip(&text, 1);
        if (!format_take_number(&text))
            return false;
    }
    if (text.len == 1 && text.ptr[0] == '#')
        return true;
    return surety__format_json_pointer(text);
}

bool surety__format_relative_pointer(surety_str text)
{
    return format_is_relative(text, false);
}

bool surety__format_relative_pointer_moved(surety_str text)
{
    return format_is_relative(text, true);
}

bool surety__format_regex(surety_str text)
{
    return surety__pattern_is_valid(text);
}

bool surety__content_base64(surety_str text)
{
    size_t len = text.len;

    if (len % 4)
        return false;
    for (int pad = 0; pad < 2 && len && text.ptr[len - 1] == '='; pad++)
        len--;
    for (size_t i = 0; i < len; i++) {
        char c = text.ptr[i];

        if (!surety__is_letter(c) && !surety__is_digit(c) && c != '+' &&
            c != '/')
            return false;
    }
    return true;
}
