/* SPDX-License-Identifier: Apache-2.0 */
/* The token stream: windows, and the rare cases of tokens.h.
 *
 * 1. The window holds the masks of the last stretch of text that was scanned,
 *    and its tokens. Before the next scan, the tokens that the caller has not
 *    passed move to the front.
 * 2. A string that began in an earlier window is examined byte by byte, because
 *    its masks are gone.
 * 3. No byte after the end of a borrowed text may be loaded. A text that ends
 *    with a bracket or a quote is safe: every number and name stops there at
 *    the latest. Any other text is a single number or name, or invalid. It is
 *    copied if it is short enough to be valid, and the copy is padded. */
#include "json/index.h"

enum {
    TOKENS_PAD = 64,      /* bytes after a copy: a space, then zeros */
    TOKENS_SENTINELS = 16 /* sentinels after the last token */
};

/* White space, structural characters and quotes: the bytes that end a number or
 * name. */
const unsigned char surety__token_stops[256] = {
    ['\t'] = 1, ['\n'] = 1, ['\r'] = 1, [' '] = 1, ['"'] = 1, [','] = 1,
    [':'] = 1,  ['['] = 1,  [']'] = 1,  ['{'] = 1, ['}'] = 1,
};

const uint32_t surety__token_least[8] = {1,    0,     10,     100,
                                         1000, 10000, 100000, 1000000};

/* ---- windows ----------------------------------------------------------- */

const uint32_t *surety__tokens_fill(surety__tokens *tokens, const uint32_t *at)
{
    struct surety__scan *scan = &tokens->scan;
    uint32_t *const first = tokens->found;
    uint32_t *out = first;

    assert(scan->next <= scan->len);
    if (scan->next == scan->len && tokens->end)
        return at <= tokens->end ? at : NULL;
    if (at < tokens->end) {
        size_t left = (size_t)(tokens->end - at);

        memmove(first, at, left * sizeof(*first));
        out = first + left;
    } else {
        tokens->marked = false;
    }
    do {
        tokens->window = scan->next;
        out = tokens->run(scan, out);
        tokens->marked |= scan->marked != 0;
    } while (scan->next < scan->len && out - first < 2 * TOKENS_AHEAD);
    /* The caller must not see a string that is not valid UTF-8. With unique
     * keys the error waits: a duplicate key before it has to be reported first.
     * Only whole documents are read that way, and their strings are used after
     * the end. */
    if (scan->broken && !tokens->unique)
        return NULL;
    tokens->end = out;
    if (scan->next == scan->len) {
        tokens->limit = out;
        for (int i = 0; i < TOKENS_SENTINELS; i++)
            out[i] = tokens->sentinel;
    } else {
        tokens->limit = out - TOKENS_AHEAD;
    }
    return first;
}

/* ---- beginning and end -------------------------------------------------- */

/* Copies text to the doc, with padding. Returns false when out of memory. */
static bool tokens_copy(surety_doc *doc, surety_str text)
{
    surety_status status = surety__grow(doc->alloc, &doc->copy, &doc->copy_cap,
                                        text.len + TOKENS_PAD, 1, SIZE_MAX / 2);

    if (status)
        return false;
    if (text.len)
        memmove(doc->copy, text.ptr, text.len);
    memset(doc->copy + text.len, 0, TOKENS_PAD);
    doc->copy[text.len] = ' ';
    return true;
}

/* Returns whether a borrowed text ends with a bracket or a quote, so that it
 * can be read without a copy. *ret_first: the offset of its first byte;
 * *ret_len: its length; both without the white space around it. */
static bool tokens_is_closed(surety_str text, size_t *ret_first,
                             size_t *ret_len)
{
    size_t first = 0, end = text.len;

    while (end && scan_is_space(text.ptr[end - 1]))
        end--;
    while (first < end && scan_is_space(text.ptr[first]))
        first++;
    *ret_first = first;
    *ret_len = end - first;
    return end && (text.ptr[end - 1] == '}' || text.ptr[end - 1] == ']' ||
                   text.ptr[end - 1] == '"');
}

/* Chooses the bytes to read: the text or a copy. Returns false when the text is
 * refused. */
static bool tokens_take(surety__tokens *tokens, surety_str text, bool borrow)
{
    surety_doc *doc = tokens->doc;
    size_t first, len;

    doc->text = text.len ? text.ptr : "";
    doc->text_len = text.len;
    if (text.len > doc->limits.text_bytes_max)
        return false;
    if (borrow && tokens_is_closed(text, &first, &len)) {
        tokens->base = text.ptr;
        tokens->loadable = text.len;
        tokens->sentinel = (uint32_t)first;
        return true;
    }
    if (borrow && len > READ_NUMBER_MAX)
        return false;
    if (!tokens_copy(doc, text)) {
        tokens->nomem = true;
        return false;
    }
    if (!borrow)
        doc->text = doc->copy;
    tokens->base = doc->copy;
    tokens->loadable = text.len + TOKENS_PAD;
    tokens->sentinel = (uint32_t)text.len + 1; /* the offset of a zero */
    return true;
}

static uint32_t tokens_least(uint32_t limit, size_t len)
{
    return limit < len ? limit : (uint32_t)len;
}

/* Copies the limits from the doc. */
static void tokens_limits(surety__tokens *tokens, size_t len)
{
    surety_limits *limits = &tokens->doc->limits;

    if (limits->number_len_max > READ_NUMBER_MAX)
        limits->number_len_max = READ_NUMBER_MAX;
    tokens->string_len_max = tokens_least(limits->string_len_max, len);
    tokens->key_len_max = tokens_least(limits->key_len_max, len);
    tokens->number_len_max = limits->number_len_max;
}

/* Returns the mask of as many slots as a text needs: so few that clearing them
 * is no work beside reading it. */
static uint32_t tokens_slot_mask(size_t len)
{
    const uint32_t want = (uint32_t)len / 2 | 15;

    if (want >= TOKENS_SLOTS)
        return TOKENS_SLOTS - 1;
    return UINT32_MAX >> __builtin_clz(want);
}

const uint32_t *surety__tokens_begin(surety__tokens *tokens, surety_doc *doc,
                                     surety_str text,
                                     const surety_read_options *options)
{
    const unsigned flags = options ? options->flags : 0;
    const surety_limits *limits = options ? options->limits : NULL;
    const bool bom = text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0;
    const uint32_t *at;

    tokens->doc = doc;
    tokens->end = NULL;
    tokens->marked = false;
    tokens->unique = flags & SURETY_READ_UNIQUE_KEYS;
    tokens->skip_bom = flags & SURETY_READ_SKIP_BOM;
    tokens->nomem = false;
    tokens->values = 0;
    tokens->duplicate = PLACE_NONE;
    if (limits || !doc->limits_default) {
        doc->limits = surety_limits_of(limits);
        doc->limits_default = !limits;
    }
    surety__doc_clear(doc);
    tokens_limits(tokens, text.len);
    if (!tokens_take(tokens, text, flags & SURETY_READ_BORROW) ||
        (bom && !tokens->skip_bom))
        return NULL;
    if (tokens->number_len_max < 8)
        tokens->loadable = 0;
    tokens->slot_mask = tokens_slot_mask(text.len);
    tokens->scan.text = tokens->base;
    tokens->scan.len = text.len;
    tokens->scan.next = 0;
    tokens->scan.quoted = tokens->scan.escaped = tokens->scan.scalar = 0;
    tokens->scan.broken = 0;
    tokens->run = text.len <= INDEX_SHORT ? surety__kernel_short
                                          : surety__kernel_best()->run;
    at = surety__tokens_fill(tokens, NULL);
    if (at && bom) {
        /* The BOM is a token, or part of the first one if that is a number or
         * name. */
        if (text.len > 3 &&
            !surety__token_stops[(unsigned char)tokens->base[3]])
            tokens->found[0] = 3;
        else
            at++;
    }
    return at;
}

bool surety__tokens_end(surety__tokens *tokens, const uint32_t *at)
{
    if (at > tokens->limit)
        at = surety__tokens_fill(tokens, at);
    return at && at == tokens->end && tokens->scan.next == tokens->scan.len &&
           !tokens->scan.broken &&
           tokens->values <= tokens->doc->limits.values_max;
}

surety_status surety__tokens_fault(surety__tokens *tokens, surety_error *reterr)
{
    surety_doc *doc = tokens->doc;
    const surety_str text = {doc->text, doc->text_len};
    struct read_mistake mistake = {.fault = FAULT_NOMEM};
    surety_status status;

    if (!tokens->nomem)
        mistake = surety__fault_find(doc, tokens->skip_bom);
    /* A duplicate key is found when its object closes. */
    if (tokens->duplicate != PLACE_NONE &&
        (mistake.fault == FAULT_NONE || mistake.offset > tokens->duplicate_end))
        mistake = (struct read_mistake){.fault = FAULT_DUPLICATE,
                                        .offset = tokens->duplicate};
    /* A caller that refuses a correct text does not follow the grammar. */
    assert(mistake.fault != FAULT_NONE);
    status = surety__read_explain(text, mistake, &doc->limits, reterr);
    surety__doc_clear(doc);
    return status;
}

/* ---- strings ----------------------------------------------------------- */

/* Returns whether a mask of the window has a bit from start to before end. */
static bool tokens_is_marked(const surety__tokens *tokens, const uint64_t *mask,
                             uint32_t start, uint32_t end)
{
    size_t first = (start - tokens->window) / TOKENS_BLOCK;
    size_t last = (end - tokens->window) / TOKENS_BLOCK;
    uint64_t from = UINT64_MAX << (start % TOKENS_BLOCK);
    /* All bits below end; none where end begins a block. */
    uint64_t to = ((uint64_t)1 << (end % TOKENS_BLOCK)) - 1;

    if (first == last)
        return mask[first] & from & to;
    if (mask[first] & from)
        return true;
    for (first++; first < last; first++)
        if (mask[first])
            return true;
    return to && (mask[last] & to);
}

/* The same by the bytes, for a string from an earlier window. */
static void tokens_look(const char *ptr, size_t len, bool *ret_escapes,
                        bool *ret_high)
{
    const char *end = ptr + len;

    *ret_escapes = memchr(ptr, '\\', len) != NULL;
    for (; end - ptr >= 8; ptr += 8)
        if (surety__load_eight(ptr) & 0x8080808080808080u)
            break;
    while (ptr < end && (unsigned char)*ptr < 0x80)
        ptr++;
    *ret_high = ptr < end;
}

/* Decodes the escape at *ptr (a backslash) to out, and moves *ptr after it.
 * end: the end of the string. Returns the number of bytes written; 0 when it is
 * no escape. */
static unsigned tokens_escape(const char **ptr, const char *end, char *out)
{
    const char *at = *ptr;
    uint32_t code, low;

    if (end - at < 2)
        return 0;
    *out = scan_escape(at[1]);
    *ptr = at + 2;
    if (*out)
        return 1;
    if (at[1] != 'u')
        return 0;
    code = scan_hex(at + 2, end);
    at += 6;
    if (code == UINT32_MAX || (code >= 0xDC00 && code <= 0xDFFF))
        return 0;
    if (code >= 0xD800 && code <= 0xDBFF) {
        if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
            return 0;
        low = scan_hex(at + 2, end);
        if (low < 0xDC00 || low > 0xDFFF)
            return 0;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        at += 6;
    }
    *ptr = at;
    return surety__utf8_encode(code, out);
}

/* Copies the bytes before the next backslash to out, which has room for all
 * bytes up to end. Returns the position of the backslash, or end. */
static const char *tokens_run(const char *ptr, const char *end, char *out)
{
#ifdef __SSE2__
    const __m128i backslash = _mm_set1_epi8('\\');

    for (; end - ptr >= 16; ptr += 16, out += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)ptr);
        int stop = _mm_movemask_epi8(_mm_cmpeq_epi8(block, backslash));

        _mm_storeu_si128((__m128i *)(void *)out, block);
        if (stop)
            return ptr + __builtin_ctz((unsigned)stop);
    }
#endif
    for (; end - ptr >= 8; ptr += 8, out += 8) {
        uint64_t word = surety__load_eight(ptr) ^ 0x5C5C5C5C5C5C5C5Cu;
        uint64_t stop =
            (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;

        memcpy(out, ptr, 8);
        if (stop)
            return ptr + (unsigned)__builtin_ctzll(stop) / 8;
    }
    while (ptr < end && *ptr != '\\')
        *out++ = *ptr++;
    return ptr;
}

/* Decodes the len bytes of a string at start into the own block. high: some of
 * them are above 0x7F. The decoded string is never longer. Returns false when
 * it has an invalid escape, or memory ran out. */
static bool tokens_decode(surety__tokens *tokens, const char *start, size_t len,
                          bool high, surety__cell *cell)
{
    surety_doc *doc = tokens->doc;
    const char *ptr = start, *end = start + len;
    const size_t rest = tokens->scan.len - (size_t)(start - tokens->base);
    char *out;

    /* Make room for the rest of the text the first time: later strings fit
     * then. A string without a closing quote is one byte longer than that: it
     * ends at the sentinel. */
    if (doc->own_cap - doc->own_len < len &&
        surety__doc_own_room(doc, doc->own_len || rest < len ? len : rest)) {
        tokens->nomem = true;
        return false;
    }
    out = doc->own + doc->own_len;
    while (ptr < end) {
        unsigned written;

        if (*ptr != '\\') {
            const char *run = ptr;

            ptr = tokens_run(ptr, end, out);
            out += ptr - run;
            continue;
        }
        written = tokens_escape(&ptr, end, out);
        if (!written)
            return false;
        high |= (unsigned char)*out >= 0x80;
        out += written;
    }
    cell->flags = high ? FLAG_OWN : FLAG_OWN | FLAG_ASCII;
    cell->off = (uint32_t)doc->own_len;
    cell->len = (uint32_t)(out - (doc->own + doc->own_len));
    doc->own_len += cell->len;
    return true;
}

const uint32_t *surety__token_text(surety__tokens *tokens, const uint32_t *at,
                                   surety__cell *cell, uint8_t kind)
{
    const bool is_key = kind == CELL_KEY;
    const uint32_t start = at[0] + 1, end = at[1], len = end - start;
    const char *ptr = tokens->base + start;
    bool escapes, high;

    if (len > tokens->doc->text_len) /* there is no closing quote */
        return NULL;
    if (start > tokens->window) {
        escapes =
            tokens_is_marked(tokens, tokens->scan.backslashes, start, end);
        high = tokens_is_marked(tokens, tokens->scan.high, start, end);
    } else {
        tokens_look(ptr, len, &escapes, &high);
    }
    surety__cell_head(cell, kind, high ? 0 : FLAG_ASCII, 0, start - 1);
    surety__cell_text(cell, len, start);
    if (escapes) {
        if (!tokens_decode(tokens, ptr, len, high, cell))
            return NULL;
        ptr = tokens->doc->own + cell->off;
    }
    if (cell->len > (is_key ? tokens->key_len_max : tokens->string_len_max))
        return NULL;
    if (is_key)
        cell->hash = (uint16_t)surety__hash(ptr, cell->len);
    return at + 2;
}

/* ---- numbers and names -------------------------------------------------- */

/* Returns the offset of the first byte from `at` on that is no digit, or the
 * end of the text. */
static size_t tokens_digits(const surety__tokens *tokens, size_t at)
{
    const size_t len = tokens->scan.len;

    while (at + 8 <= tokens->loadable) {
        uint64_t stop = scan_no_digits(surety__load_eight(tokens->base + at));

        if (stop)
            return at + (unsigned)__builtin_ctzll(stop) / 8;
        at += 8;
    }
    while (at < len && surety__is_digit(tokens->base[at]))
        at++;
    return at;
}

/* Returns whether a number or name may end before offset. */
static bool tokens_stops(const surety__tokens *tokens, size_t offset)
{
    return offset >= tokens->scan.len ||
           surety__token_stops[(unsigned char)tokens->base[offset]];
}

/* Any number. */
static const uint32_t *tokens_number(const surety__tokens *tokens,
                                     const uint32_t *at, surety__cell *cell)
{
    const char *base = tokens->base;
    const size_t len = tokens->scan.len;
    const size_t place = *at, digits = place + (base[place] == '-');
    size_t end = tokens_digits(tokens, digits);
    bool broken = false; /* it has a fraction other than 0, no exponent */

    if (end == digits || (base[digits] == '0' && end - digits > 1))
        return NULL;
    if (end < len && base[end] == '.') {
        const size_t start = end + 1;

        end = tokens_digits(tokens, start);
        if (end == start)
            return NULL;
        broken = base[end - 1] != '0';
    }
    if (end < len && (base[end] | 0x20) == 'e') {
        size_t start = end + 1;

        start += start < len && (base[start] == '+' || base[start] == '-');
        end = tokens_digits(tokens, start);
        if (end == start)
            return NULL;
        broken = false;
    }
    if (end - place > tokens->number_len_max || !tokens_stops(tokens, end))
        return NULL;
    surety__cell_head(cell, CELL_REAL, 0, 0, (uint32_t)place);
    cell->len = (uint32_t)(end - place);
    if (!broken)
        surety__number_cell(cell, (surety_str){base + place, end - place});
    if (cell->kind != CELL_INT)
        cell->off = (uint32_t)place;
    return at + 1;
}

/* The usual ones take no loop: an integer of 8 to 15 digits, and a fraction
 * with at most seven before the point and 15 after it, the last of them not
 * 0. */
const uint32_t *surety__token_decimal(surety__tokens *tokens,
                                      const uint32_t *at, surety__cell *cell)
{
    static const uint32_t tens[] = {1,     10,     100,     1000,
                                    10000, 100000, 1000000, 10000000};
    const uint32_t place = *at;
    const bool negative = tokens->base[place] == '-';
    const char *ptr = tokens->base + place + negative;
    uint64_t word, stop, more, end;
    unsigned whole, bits;

    if (place + (size_t)25 > tokens->loadable || tokens->number_len_max < 25)
        return tokens_number(tokens, at, cell);
    word = surety__load_eight(ptr);
    stop = scan_no_digits(word);
    whole = stop ? (unsigned)__builtin_ctzll(stop) / 8 : 8;
    if (!whole || (*ptr == '0' && whole > 1) || (stop && ptr[whole] != '.'))
        return tokens_number(tokens, at, cell);
    ptr += whole + (stop != 0);
    more = surety__load_eight(ptr);
    end = scan_no_digits(more);
    if (stop && !end) {
        ptr += 8;
        end = scan_no_digits(surety__load_eight(ptr));
    }
    bits = end ? (unsigned)__builtin_ctzll(end) & 56u : 64;
    if (bits == 64 || !surety__token_stops[(unsigned char)ptr[bits / 8]])
        return tokens_number(tokens, at, cell);
    if (!stop) {
        const uint64_t value = scan_eight(word) * tens[bits / 8] +
                               scan_eight(more << 8 << (56 - bits));

        surety__cell_head(cell, CELL_INT, 0, 0, place);
        cell->i = negative ? -(int64_t)value : (int64_t)value;
        return at + 1;
    }
    ptr += bits / 8;
    if (ptr[-1] == '.' || ptr[-1] == '0')
        return tokens_number(tokens, at, cell);
    surety__cell_head(cell, CELL_REAL, 0, 0, place);
    surety__cell_text(cell, (uint32_t)(ptr - tokens->base) - place, place);
    return at + 1;
}

/* An integer of at most seven digits is read byte by byte: so few are behind
 * it that eight cannot be loaded at once. */
const uint32_t *surety__token_last(surety__tokens *tokens, const uint32_t *at,
                                   surety__cell *cell)
{
    const uint32_t place = *at;
    const bool negative = tokens->base[place] == '-';
    const size_t first = place + (size_t)negative;
    size_t end = first;
    int64_t value = 0;

    while (end < tokens->scan.len && end - first < 8 &&
           surety__is_digit(tokens->base[end]))
        value = value * 10 + (tokens->base[end++] - '0');
    if (end - first > 7 || tokens->number_len_max < 8 ||
        value < surety__token_least[end - first] || !tokens_stops(tokens, end))
        return surety__token_decimal(tokens, at, cell);
    surety__cell_head(cell, CELL_INT, 0, 0, place);
    cell->i = negative ? -value : value;
    return at + 1;
}

const uint32_t *surety__token_word(surety__tokens *tokens, const uint32_t *at,
                                   surety__cell *cell)
{
    static const struct {
        uint8_t kind, len;
        char word[6];
    } words[] = {{CELL_TRUE, 4, "true"},
                 {CELL_NULL, 4, "null"},
                 {CELL_FALSE, 5, "false"}};
    const size_t place = *at;

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        const size_t end = place + words[i].len;

        if (end <= tokens->scan.len && tokens_stops(tokens, end) &&
            !memcmp(tokens->base + place, words[i].word, words[i].len)) {
            surety__cell_head(cell, words[i].kind, 0, 0, *at);
            cell->i = 0;
            return at + 1;
        }
    }
    return NULL;
}
