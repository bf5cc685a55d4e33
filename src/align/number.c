/* SPDX-License-Identifier: Apache-2.0 */
/* Converts numbers as people write them to JSON numbers.
 *
 * All work is on digits; nothing is ever rounded. A text is accepted only if
 * it can mean one number: commas separate groups of three ("18,204"), a
 * fraction must have a finite decimal form ("3/4"), and a currency sign is
 * ignored. A number with a unit ("45%": 45 or 0.45) and a form with different
 * meanings in different countries ("1.204,5", "2,5") are refused. */
#include "align/inside.h"

/* A text being read, and the JSON number written so far. */
struct human_read {
    const char *at, *end;
    char *out;
    size_t len;
    bool negative;
    surety__edit_id edit;
};

static size_t human_digits(const struct human_read *read)
{
    size_t count = 0;

    while (read->at + count < read->end && surety__is_digit(read->at[count]))
        count++;
    return count;
}

static bool human_skip(struct human_read *read, const char *text)
{
    size_t len = strlen(text);

    if ((size_t)(read->end - read->at) < len || memcmp(read->at, text, len))
        return false;
    read->at += len;
    return true;
}

static void human_put(struct human_read *read, const char *ptr, size_t len)
{
    memcpy(read->out + read->len, ptr, len);
    read->len += len;
}

/* Copies the digits here to the number; gives how many. */
static size_t human_take(struct human_read *read)
{
    const size_t count = human_digits(read);

    human_put(read, read->at, count);
    read->at += count;
    return count;
}

static void human_blanks(struct human_read *read)
{
    while (read->at < read->end && *read->at == ' ')
        read->at++;
}

/* The first of texts that is here; NULL: none. */
static const char *human_any(const struct human_read *read,
                             const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct human_read rest = *read;

        if (human_skip(&rest, texts[i]))
            return texts[i];
    }
    return NULL;
}

static bool human_currency(struct human_read *read)
{
    static const char *const signs[] = {"$",
                                        "\xE2\x82\xAC" /* euro */,
                                        "\xC2\xA3" /* pound */,
                                        "\xC2\xA5" /* yen */,
                                        "\xE2\x82\xB9" /* rupee */,
                                        "US$",
                                        "USD",
                                        "EUR",
                                        "GBP"};
    const char *sign = human_any(read, signs, SURETY__COUNT(signs));

    if (sign)
        read->edit = EDIT_NUMBER_FROM_FORM;
    return sign && human_skip(read, sign);
}

static bool human_sign(struct human_read *read)
{
    return human_skip(read, "-") || human_skip(read, "\xE2\x88\x92");
}

/* The character that separates groups of digits here, as a text; NULL: none. */
static const char *human_grouping(const struct human_read *read)
{
    static const char *const marks[] = {",",
                                        "_",
                                        "'",
                                        " ",
                                        "\xC2\xA0" /* no-break space */,
                                        "\xE2\x80\xAF" /* narrow no-break */,
                                        "\xE2\x80\x89" /* thin space */,
                                        "\xE2\x80\x99" /* apostrophe */};
    const char *mark = human_any(read, marks, SURETY__COUNT(marks));
    struct human_read rest = *read;

    return mark && human_skip(&rest, mark) && human_digits(&rest) ? mark : NULL;
}

/* Reads the integer part and joins its groups. */
static bool human_whole(struct human_read *read)
{
    const char *start = read->at;
    size_t first = human_take(read), count;
    const char *mark;

    mark = first ? human_grouping(read) : NULL;
    if (!mark)
        return true;
    if (*mark != '_' && (first > 3 || *start == '0'))
        return false;
    while (human_skip(read, mark)) {
        count = human_take(read);
        if (!count || (*mark != '_' && count != 3))
            return false;
    }
    read->edit = EDIT_NUMBER_FROM_FORM;
    return true;
}

/* Removes leading zeros that JSON does not allow, and adds a zero if there is
 * no integer part. */
static void human_zeros(struct human_read *read, size_t from)
{
    size_t zeros = 0, digits = read->len - from;

    while (zeros + 1 < digits && read->out[from + zeros] == '0')
        zeros++;
    if (zeros) {
        memmove(read->out + from, read->out + from + zeros, digits - zeros);
        read->len -= zeros;
        read->edit = EDIT_NUMBER_FROM_FORM;
    }
    if (!digits) {
        read->out[read->len++] = '0';
        read->edit = EDIT_NUMBER_FROM_FORM;
    }
}

/* Reads what may follow the integer part: ".5", ".", "e3". */
static bool human_rest(struct human_read *read, bool has_whole)
{
    size_t count;

    if (human_skip(read, ".")) {
        count = human_digits(read);
        if (!count && !has_whole)
            return false;
        if (count)
            human_put(read, ".", 1);
        else
            read->edit = EDIT_NUMBER_FROM_FORM;
        human_take(read);
    } else if (!has_whole) {
        return false;
    }
    if (read->at >= read->end || (*read->at | 32) != 'e')
        return true;
    human_put(read, read->at++, 1);
    if (read->at < read->end && (*read->at == '+' || *read->at == '-'))
        human_put(read, read->at++, 1);
    return human_take(read) != 0;
}

/* Reads "/4" after the numerator, whose digits are in out from `from`, and
 * writes the quotient. False: it has no finite decimal form. */
static bool human_fraction(struct human_read *read, size_t from)
{
    uint64_t numerator = 0, denominator = 0;
    size_t count;

    human_blanks(read);
    if (!human_skip(read, "/"))
        return false;
    human_blanks(read);
    count = human_digits(read);
    if (!count || count > 9 || read->len - from > 9)
        return false;
    for (size_t i = from; i < read->len; i++)
        numerator = numerator * 10 + (uint64_t)(read->out[i] - '0');
    for (size_t i = 0; i < count; i++)
        denominator = denominator * 10 + (uint64_t)(read->at[i] - '0');
    read->at += count;
    if (!denominator || *(read->at - count) == '0')
        return false;
    read->edit = EDIT_NUMBER_FROM_FORM;
    read->len = from;
    for (uint64_t digit = 1000000000, whole = numerator / denominator; digit;
         digit /= 10)
        if (whole >= digit || digit == 1)
            read->out[read->len++] = (char)('0' + whole / digit % 10);
    numerator %= denominator;
    if (numerator)
        read->out[read->len++] = '.';
    for (unsigned i = 0; numerator && i < 12; i++) {
        numerator *= 10;
        read->out[read->len++] = (char)('0' + numerator / denominator);
        numerator %= denominator;
    }
    return numerator == 0;
}

/* Reads "0x1F", up to 60 bits. */
static bool human_hexadecimal(struct human_read *read)
{
    uint64_t value = 0;
    size_t count = 0, from;

    if (!human_skip(read, "0x") && !human_skip(read, "0X"))
        return false;
    for (; read->at < read->end && surety__hex_digit(*read->at) < 16;
         read->at++, count++)
        value = value << 4 | surety__hex_digit(*read->at);
    if (!count || count > 15)
        return false;
    from = read->len;
    do {
        memmove(read->out + from + 1, read->out + from, read->len - from);
        read->out[from] = (char)('0' + value % 10);
        read->len++;
        value /= 10;
    } while (value);
    read->edit = EDIT_NUMBER_FROM_FORM;
    return true;
}

static bool human_unsigned(struct human_read *read)
{
    size_t from = read->len;
    struct human_read again = *read;
    bool has_whole;

    if (human_hexadecimal(read))
        return true;
    *read = again;
    has_whole = human_digits(read) > 0;
    if (!human_whole(read))
        return false;
    human_zeros(read, from);
    again = *read;
    if (has_whole && human_fraction(read, from))
        return true;
    *read = again;
    return human_rest(read, has_whole);
}

size_t surety__number_of_text(surety_str text, char *out,
                              surety__edit_id *ret_edit)
{
    struct human_read read = {.out = out, .edit = EDIT_NUMBER_FROM_TEXT};
    bool currency, plus;

    text = surety__text_trim(text);
    if (!text.len || text.len > 1000)
        return 0;
    read.at = text.ptr;
    read.end = text.ptr + text.len;
    read.negative = human_sign(&read);
    plus = !read.negative && human_skip(&read, "+");
    if (plus || (read.negative && *text.ptr != '-'))
        read.edit = EDIT_NUMBER_FROM_FORM;
    currency = human_currency(&read);
    if (currency) {
        human_blanks(&read);
        read.negative =
            (!plus && !read.negative && human_sign(&read)) || read.negative;
    }
    if (read.negative)
        read.out[read.len++] = '-';
    if (read.at >= read.end || !human_unsigned(&read))
        return 0;
    human_blanks(&read);
    if (!currency)
        human_currency(&read);
    if (read.at != read.end)
        return 0;
    assert(read.len && read.len <= text.len + 24);
    *ret_edit = read.edit;
    return read.len;
}
