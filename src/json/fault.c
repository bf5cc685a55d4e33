/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the mistake in a text that the strict reader refused: the first byte,
 * in text order, that the grammar or the limits do not allow.
 *
 * The reader only notices that there is a mistake, because it examines many
 * bytes at once. The functions here read the text again byte by byte, by the
 * same grammar and limits, and build nothing. The state of the machine is the
 * current label in fault_values; the kind of each open container is one bit. */
#include "json/inside.h"

struct fault {
    const char *begin, *end;
    surety_doc *doc; /* its limits */
    uint32_t *kinds; /* scratch memory: a bit for each open container */
    uint32_t depth;
    size_t values;
    struct read_mistake mistake;
};

/* Records a mistake. Returns NULL, for the caller to return. */
static const char *fault_note(struct fault *fault, enum read_fault kind,
                              const char *at, size_t length)
{
    assert(at >= fault->begin && at <= fault->end);
    fault->mistake.fault = kind;
    fault->mistake.offset = (size_t)(at - fault->begin);
    fault->mistake.length = length;
    return NULL;
}

static const char *fault_space(const char *ptr, const char *end)
{
    while (ptr != end && scan_is_space(*ptr))
        ptr++;
    return ptr;
}

/* ---- strings ----------------------------------------------------------- */

/* Reads the escape at ptr. Returns the byte after it, and adds the length of
 * its UTF-8 form to *len. */
static const char *fault_escape(struct fault *fault, const char *ptr,
                                size_t *len)
{
    const char *end = fault->end;
    uint32_t code, low;

    if (end - ptr < 2)
        return fault_note(fault, FAULT_STRING_END, end, 0);
    if (ptr[1] != 'u') {
        ++*len;
        return scan_escape(ptr[1]) ? ptr + 2
                                   : fault_note(fault, FAULT_ESCAPE, ptr, 0);
    }
    code = scan_hex(ptr + 2, end);
    if (code == UINT32_MAX)
        return fault_note(fault, FAULT_HEX, ptr, 0);
    if (code < 0xD800 || code > 0xDFFF) {
        *len += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
        return ptr + 6;
    }
    if (code > 0xDBFF || end - ptr < 8 || ptr[6] != '\\' || ptr[7] != 'u')
        return fault_note(fault, FAULT_SURROGATE, ptr, 6);
    low = scan_hex(ptr + 8, end);
    if (low == UINT32_MAX)
        return fault_note(fault, FAULT_HEX, ptr + 6, 0);
    if (low < 0xDC00 || low > 0xDFFF)
        return fault_note(fault, FAULT_SURROGATE, ptr, 6);
    *len += 4;
    return ptr + 12;
}

/* Reads the string or key whose opening quote is at ptr. */
static const char *fault_string(struct fault *fault, const char *ptr,
                                bool is_key)
{
    const surety_limits *limits = &fault->doc->limits;
    const char *quote = ptr++, *end = fault->end;
    size_t len = 0; /* of the decoded string */

    for (;;) {
        const char *run = ptr;
        unsigned step;

        ptr = scan_plain(ptr, end, end);
        len += (size_t)(ptr - run);
        if (ptr == end)
            return fault_note(fault, FAULT_STRING_END, ptr, 0);
        if (*ptr == '"')
            break;
        if (*ptr == '\\') {
            ptr = fault_escape(fault, ptr, &len);
            if (!ptr)
                return NULL;
            continue;
        }
        if ((unsigned char)*ptr < 0x20)
            return fault_note(fault, FAULT_CONTROL, ptr, 1);
        step = scan_sequence(ptr, end);
        if (!step)
            return fault_note(fault, FAULT_UTF8, ptr, 0);
        ptr += step;
        len += step;
    }
    ptr++;
    if (is_key && len > limits->key_len_max)
        return fault_note(fault, FAULT_KEY_LEN, quote, (size_t)(ptr - quote));
    if (!is_key && len > limits->string_len_max)
        return fault_note(fault, FAULT_STRING, quote, (size_t)(ptr - quote));
    return ptr;
}

/* ---- numbers and names -------------------------------------------------- */

static const char *fault_digits(const char *ptr, const char *end)
{
    while (ptr != end && surety__is_digit(*ptr))
        ptr++;
    return ptr;
}

/* Reads the number at ptr, which begins with a minus or a digit. */
static const char *fault_number(struct fault *fault, const char *ptr)
{
    const char *start = ptr, *end = fault->end, *digits;

    ptr += *ptr == '-';
    digits = ptr;
    ptr = fault_digits(ptr, end);
    if (ptr == digits)
        return fault_note(fault, FAULT_MINUS, ptr, 0);
    if (*digits == '0' && ptr - digits > 1)
        return fault_note(fault, FAULT_ZERO, digits, 0);
    if (ptr != end && *ptr == '.') {
        digits = ++ptr;
        ptr = fault_digits(ptr, end);
        if (ptr == digits)
            return fault_note(fault, FAULT_FRACTION, ptr, 0);
    }
    if (ptr != end && (*ptr == 'e' || *ptr == 'E')) {
        ptr++;
        ptr += ptr != end && (*ptr == '+' || *ptr == '-');
        digits = ptr;
        ptr = fault_digits(ptr, end);
        if (ptr == digits)
            return fault_note(fault, FAULT_EXPONENT, ptr, 0);
    }
    if ((size_t)(ptr - start) > fault->doc->limits.number_len_max)
        return fault_note(fault, FAULT_NUMBER, start, (size_t)(ptr - start));
    return ptr;
}

/* Reads the scalar at ptr. place: the fault when there is none. */
static const char *fault_leaf(struct fault *fault, const char *ptr,
                              enum read_fault place)
{
    const surety_str rest = {ptr, (size_t)(fault->end - ptr)};

    if (*ptr == '"')
        return fault_string(fault, ptr, false);
    if (*ptr == '-' || surety__is_digit(*ptr))
        return fault_number(fault, ptr);
    if (surety__str_starts(rest, SURETY__LITERAL("true")) ||
        surety__str_starts(rest, SURETY__LITERAL("null")))
        return ptr + 4;
    if (surety__str_starts(rest, SURETY__LITERAL("false")))
        return ptr + 5;
    return fault_note(fault, place, ptr, 0);
}

/* ---- values ------------------------------------------------------------ */

/* Counts the value or key at ptr. Returns false above the limit. */
static bool fault_count(struct fault *fault, const char *ptr)
{
    if (fault->values++ < fault->doc->limits.values_max)
        return true;
    fault_note(fault, FAULT_VALUES, ptr, 0);
    return false;
}

/* Opens the container whose bracket is at ptr. */
static bool fault_open(struct fault *fault, const char *ptr)
{
    const uint32_t word = fault->depth / 32;
    const uint32_t bit = (uint32_t)1 << fault->depth % 32;

    if (fault->depth >= fault->doc->limits.depth_max) {
        fault_note(fault, FAULT_DEPTH, ptr, 1);
        return false;
    }
    fault->kinds = surety__doc_scratch(fault->doc, word + (size_t)1);
    if (!fault->kinds) {
        fault_note(fault, FAULT_NOMEM, ptr, 0);
        return false;
    }
    if (*ptr == '{')
        fault->kinds[word] |= bit;
    else
        fault->kinds[word] &= ~bit;
    fault->depth++;
    return true;
}

static bool fault_in_object(const struct fault *fault)
{
    const uint32_t at = fault->depth - 1;

    assert(fault->depth > 0);
    return fault->kinds[at / 32] >> at % 32 & 1;
}

/* Reads the key at ptr and its colon. Returns the byte where the value is
 * expected. */
static const char *fault_key(struct fault *fault, const char *ptr,
                             enum read_fault place)
{
    const char *end = fault->end;

    if (ptr == end || *ptr != '"')
        return fault_note(fault, place, ptr, 0);
    if (!fault_count(fault, ptr))
        return NULL;
    ptr = fault_string(fault, ptr, true);
    if (!ptr)
        return NULL;
    ptr = fault_space(ptr, end);
    if (ptr == end || *ptr != ':')
        return fault_note(fault, FAULT_COLON, ptr, 0);
    return fault_space(ptr + 1, end);
}

/* Reads the text's value from ptr on. Returns the byte after it. */
static const char *fault_values(struct fault *fault, const char *ptr)
{
    const char *end = fault->end;
    enum read_fault place = FAULT_ROOT;
    bool in_object;

value:
    if (ptr == end)
        return fault_note(fault, place, ptr, 0);
    if (!fault_count(fault, ptr))
        return NULL;
    if (*ptr == '[' || *ptr == '{') {
        in_object = *ptr == '{';
        if (!fault_open(fault, ptr))
            return NULL;
        ptr = fault_space(ptr + 1, end);
        if (ptr != end && *ptr == (in_object ? '}' : ']'))
            goto close;
        place = in_object ? FAULT_FIRST_KEY : FAULT_FIRST_ITEM;
        if (in_object)
            goto key;
        goto value;
    }
    ptr = fault_leaf(fault, ptr, place);
    if (!ptr)
        return NULL;
after:
    if (!fault->depth)
        return ptr;
    in_object = fault_in_object(fault);
    ptr = fault_space(ptr, end);
    if (ptr != end && *ptr == (in_object ? '}' : ']'))
        goto close;
    if (ptr == end || *ptr != ',')
        return fault_note(
            fault, in_object ? FAULT_AFTER_MEMBER : FAULT_AFTER_ITEM, ptr, 0);
    ptr = fault_space(ptr + 1, end);
    place = in_object ? FAULT_KEY : FAULT_ITEM;
    if (!in_object)
        goto value;
key:
    ptr = fault_key(fault, ptr, place);
    if (!ptr)
        return NULL;
    place = FAULT_MEMBER;
    goto value;
close:
    fault->depth--;
    ptr++;
    goto after;
}

struct read_mistake surety__fault_find(surety_doc *doc, bool skip_bom)
{
    struct fault fault = {.begin = doc->text,
                          .end = doc->text + doc->text_len,
                          .doc = doc,
                          .mistake = {.fault = FAULT_NONE}};
    const char *ptr = fault.begin;

    doc->cell_count = 0;
    if (doc->text_len > doc->limits.text_bytes_max) {
        fault_note(&fault, FAULT_TEXT, ptr, 0);
        return fault.mistake;
    }
    if (doc->text_len >= 3 && memcmp(ptr, "\xEF\xBB\xBF", 3) == 0) {
        if (!skip_bom) {
            fault_note(&fault, FAULT_BOM, ptr, 3);
            return fault.mistake;
        }
        ptr += 3;
    }
    ptr = fault_values(&fault, fault_space(ptr, fault.end));
    if (ptr) {
        ptr = fault_space(ptr, fault.end);
        if (ptr != fault.end)
            fault_note(&fault, FAULT_SECOND, ptr, 0);
    }
    return fault.mistake;
}
