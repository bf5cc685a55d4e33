/* SPDX-License-Identifier: Apache-2.0 */
/* Text by pointer and length: compare, trim, find, edit distance, positions,
 * percent-encoding. */
#include "base/base.h"

#undef surety_str_of
surety_str surety_str_of(const char *zero_terminated)
{
    return surety__str_of(zero_terminated);
}

bool surety_str_equal(surety_str a, surety_str b)
{
    return a.len == b.len && (a.len == 0 || !memcmp(a.ptr, b.ptr, a.len));
}

int surety__str_compare(surety_str a, surety_str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool str_is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

surety_str surety__str_trim(surety_str text)
{
    while (text.len && str_is_blank(text.ptr[0])) {
        text.ptr++;
        text.len--;
    }
    while (text.len && str_is_blank(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

bool surety__str_starts(surety_str text, surety_str prefix)
{
    return text.len >= prefix.len &&
           surety_str_equal((surety_str){text.ptr, prefix.len}, prefix);
}

bool surety__str_ends(surety_str text, surety_str ending)
{
    return text.len >= ending.len &&
           surety_str_equal(
               (surety_str){text.ptr + text.len - ending.len, ending.len},
               ending);
}

static unsigned char str_lower(char byte)
{
    return (unsigned char)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
}

bool surety__str_equal_nocase(surety_str a, surety_str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (a.ptr[i] != b.ptr[i] && str_lower(a.ptr[i]) != str_lower(b.ptr[i]))
            return false;
    return true;
}

bool surety__str_starts_nocase(surety_str text, surety_str prefix)
{
    return text.len >= prefix.len &&
           surety__str_equal_nocase((surety_str){text.ptr, prefix.len}, prefix);
}

bool surety__str_among(surety_str text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (surety_str_equal(text, surety_str_of(names[i])))
            return true;
    return false;
}

bool surety__str_among_nocase(surety_str text, const char *const *names,
                              size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (surety__str_equal_nocase(text, surety_str_of(names[i])))
            return true;
    return false;
}

size_t surety__str_find_nocase(surety_str text, surety_str needle)
{
    for (size_t i = 0; i + needle.len <= text.len; i++)
        if (surety__str_equal_nocase((surety_str){text.ptr + i, needle.len},
                                     needle))
            return i;
    return text.len;
}

bool surety__is_token(surety_str name)
{
    /* A bit a character: the signs and digits, "A" to "_", "`" to "~". */
    static const uint32_t tokens[8] = {0, 0x03FF6CFA, 0xC7FFFFFE, 0x57FFFFFF};

    for (size_t i = 0; i < name.len; i++) {
        const unsigned char byte = (unsigned char)name.ptr[i];

        if (!(tokens[byte / 32] >> byte % 32 & 1))
            return false;
    }
    return name.len > 0;
}

bool surety__str_number(surety_str text, uint64_t *ret_number)
{
    uint64_t number = 0;

    for (size_t i = 0; i < text.len; i++)
        if (!surety__is_digit(text.ptr[i]) ||
            __builtin_mul_overflow(number, (uint64_t)10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(text.ptr[i] - '0'),
                                   &number))
            return false;
    *ret_number = number;
    return text.len > 0;
}

/* Returns whether one of eight bytes is a control character. */
static bool str_has_control(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u;
    const uint64_t deleted = word ^ ones * 0x7F;

    return (((word - ones * 0x20) & ~word) | ((deleted - ones) & ~deleted)) &
           ones * 0x80;
}

size_t surety__str_find_control(surety_str text, bool tabs)
{
    for (size_t i = 0; i < text.len; i++) {
        while (text.len - i > 8 &&
               !str_has_control(surety__load_eight(text.ptr + i)))
            i += 8;
        if (((unsigned char)text.ptr[i] < 0x20 &&
             (tabs || text.ptr[i] != '\t')) ||
            text.ptr[i] == 0x7F)
            return i;
    }
    return text.len;
}

/* Finds the first byte with memchr, then compares. For a needle of m bytes the
 * worst case is the text's length times m; needles are short. */
size_t surety__str_find(surety_str text, surety_str needle)
{
    size_t at = 0;

    if (needle.len == 0)
        return 0;
    while (needle.len <= text.len - at) {
        const char *hit = memchr(text.ptr + at, needle.ptr[0],
                                 text.len - at - needle.len + 1);

        if (!hit)
            break;
        if (!memcmp(hit, needle.ptr, needle.len))
            return (size_t)(hit - text.ptr);
        at = (size_t)(hit - text.ptr) + 1;
    }
    return text.len;
}

enum { DISTANCE_LEN = 64 };

static unsigned str_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The bytes of a text as bits, four bytes to a bit. */
static uint64_t str_bytes(surety_str text)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < text.len; i++)
        bytes |= (uint64_t)1 << (text.ptr[i] & 63);
    return bytes;
}

/* Whether one text has more bytes that the other has not than so many edits
 * put in or take out. */
static bool str_bytes_differ(surety_str a, surety_str b, unsigned max)
{
    const uint64_t in_a = str_bytes(a);
    const uint64_t in_b = str_bytes(b);

    return (unsigned)__builtin_popcountll(in_a & ~in_b) > max ||
           (unsigned)__builtin_popcountll(in_b & ~in_a) > max;
}

unsigned surety__str_distance(surety_str a, surety_str b, unsigned max)
{
    unsigned rows[3][DISTANCE_LEN + 1];

    if (a.len > DISTANCE_LEN || b.len > DISTANCE_LEN || a.len > b.len + max ||
        b.len > a.len + max || str_bytes_differ(a, b, max))
        return max + 1;
    for (unsigned j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a.len; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3];

        row[0] = i;
        for (unsigned j = 1; j <= b.len; j++) {
            unsigned cost = a.ptr[i - 1] != b.ptr[j - 1];

            row[j] = str_min(str_min(above[j] + 1, row[j - 1] + 1),
                             above[j - 1] + cost);
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
                a.ptr[i - 2] == b.ptr[j - 1])
                row[j] = str_min(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return str_min(rows[a.len % 3][b.len], max + 1);
}

/* Counts the lines that end in text from `from` to `to`. Returns where the last
 * line starts; from: none ends. */
static size_t position_lines(surety_str text, size_t from, size_t to,
                             uint32_t *line)
{
    const char *const ptr = text.ptr;
    const char *hit = to > from ? ptr + from : NULL;
    size_t start = from;

    if (hit && memchr(hit, '\r', to - from)) {
        for (size_t i = from; i < to; i++) {
            if (ptr[i] != '\n' &&
                (ptr[i] != '\r' || (i + 1 < text.len && ptr[i + 1] == '\n')))
                continue;
            start = i + 1;
            ++*line;
        }
        return start;
    }
    while (hit && (hit = memchr(ptr + start, '\n', to - start))) {
        start = (size_t)(hit - ptr) + 1;
        ++*line;
    }
    return start;
}

/* How many code points start in the text from `from` to `to`. */
static size_t position_chars(surety_str text, size_t from, size_t to)
{
    size_t count = 0;

    for (size_t i = from; i < to; i++)
        count += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return count;
}

void surety__position_advance(surety__position_walk *walk, size_t offset)
{
    size_t start, count;

    if (offset > walk->text.len)
        offset = walk->text.len;
    if (offset < walk->offset)
        *walk = surety__position_begin(walk->text);
    start = position_lines(walk->text, walk->offset, offset, &walk->line);
    if (start > walk->offset)
        walk->column = 1;
    count = position_chars(walk->text, start, offset);
    walk->chars += position_chars(walk->text, walk->offset, start) + count;
    walk->column += (uint32_t)count;
    walk->offset = offset;
}

surety_position surety_position_at(surety_str text, size_t offset,
                                   size_t length)
{
    surety_position position = {.length = length, .line = 1};
    size_t start;

    position.offset = offset < text.len ? offset : text.len;
    start = position_lines(text, 0, position.offset, &position.line);
    position.column =
        (uint32_t)position_chars(text, start, position.offset) + 1;
    return position;
}

void surety__buf_percent(surety_buf *buf, surety_str text, const char *also)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];

        if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
            (byte >= '0' && byte <= '9') || memchr("-._~", byte, 4) ||
            (byte && strchr(also, byte))) {
            surety_buf_byte(buf, (char)byte);
        } else {
            surety_buf_byte(buf, '%');
            surety_buf_byte(buf, hex[byte >> 4]);
            surety_buf_byte(buf, hex[byte & 15]);
        }
    }
}
