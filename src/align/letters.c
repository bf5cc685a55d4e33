/* SPDX-License-Identifier: Apache-2.0 */
/* Compares texts without case, separators and accents (letters.h).
 *
 * A text is never copied: a cursor returns its code points one by one, as a
 * level of closeness sees them. Two texts are as close as the first level on
 * which their cursors agree. letters.inc has the mappings, as ranges made from
 * the Unicode character database for Latin, Greek and Cyrillic. Rules of
 * single languages are not known: neither the Turkish i nor the German ae for
 * a with two dots. */
#include "align/letters.h"

/* Letters from first to last, of which each step-th is mapped: to itself and
 * value in letter_cases, to value in letter_bases. */
struct letter_row {
    uint16_t first, last, step;
    int32_t value;
};

#define LETTER_CASE(first, last, step, delta) {first, last, step, delta},
#define LETTER_BASE(first, last, base)
static const struct letter_row letter_cases[] = {
#include "letters.inc"
};
#undef LETTER_CASE
#undef LETTER_BASE
#define LETTER_CASE(first, last, step, delta)
#define LETTER_BASE(first, last, base) {first, last, 1, base},
static const struct letter_row letter_bases[] = {
#include "letters.inc"
};
#undef LETTER_CASE
#undef LETTER_BASE

/* The row that maps code; NULL: none. */
static const struct letter_row *letter_find(const struct letter_row *rows,
                                            size_t count, uint32_t code)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct letter_row *row = &rows[middle];

        if (code < row->first)
            high = middle;
        else if (code > row->last)
            low = middle + 1;
        else
            return (code - row->first) % row->step ? NULL : row;
    }
    return NULL;
}

static uint32_t letter_small(uint32_t code)
{
    const struct letter_row *row;

    if (code < 0x80)
        return code - 'A' < 26 ? code + 32 : code;
    row = letter_find(letter_cases, SURETY__COUNT(letter_cases), code);
    return row ? (uint32_t)((int32_t)code + row->value) : code;
}

/* The letter without its marks; 0 for a mark itself. *ret_second: a second
 * letter. */
static uint32_t letter_plain(uint32_t code, uint32_t *ret_second)
{
    const struct letter_row *row;

    if (code < 0x80)
        return code;
    if (code >= 0x300 && code < 0x370)
        return 0;
    switch (code) {
    case 0xDF: *ret_second = 's'; return 's';
    case 0xE6: *ret_second = 'e'; return 'a';
    case 0x153: *ret_second = 'e'; return 'o';
    case 0xF8: return 'o';
    case 0xF0:
    case 0x111: return 'd';
    case 0x131: return 'i';
    case 0x142: return 'l';
    default: break;
    }
    /* Full-width forms of ASCII. */
    if (code - 0xFF01 < 0x5E)
        return letter_small(code - 0xFEE0);
    row = letter_find(letter_bases, SURETY__COUNT(letter_bases), code);
    return row ? (uint32_t)row->value : code;
}

static bool letter_is_blank(uint32_t code)
{
    return code == ' ' || (code >= 9 && code <= 13) || code == 0x85 ||
           code == 0xA0 || (code >= 0x2000 && code <= 0x200B) ||
           code == 0x2028 || code == 0x2029 || code == 0x202F ||
           code == 0x205F || code == 0x2060 || code == 0x3000 || code == 0xFEFF;
}

static bool letter_is_separator(uint32_t code)
{
    return letter_is_blank(code) || code == '_' || code == '-' || code == '.' ||
           code == '/' || code == '\'' || code == 0x2019 || code == 0xAD ||
           (code >= 0x2010 && code <= 0x2015) || code == 0x2212;
}

bool surety__is_word(uint32_t code)
{
    if (code < 0x80)
        return code - '0' < 10 || (code | 32) - 'a' < 26;
    return !letter_is_blank(code) && code != 0xFFFFFFFF &&
           !(code >= 0xA1 && code <= 0xBF && code != 0xAA && code != 0xB5 &&
             code != 0xBA) &&
           code != 0xD7 && code != 0xF7 &&
           !(code >= 0x2010 && code <= 0x206F) &&
           !(code >= 0x20A0 && code <= 0x20CF) &&
           !(code >= 0x2190 && code <= 0x2BFF) &&
           !(code >= 0x3000 && code <= 0x303F) &&
           !(code >= 0xFF01 && code <= 0xFF0F);
}

/* ---- cursors ----------------------------------------------------------- */

surety__folding surety__letters_of(surety_str text,
                                   enum surety__closeness level)
{
    return (surety__folding){
        .at = text.ptr,
        .end = text.ptr ? text.ptr + text.len : NULL,
        .level = level,
    };
}

/* Skips separators; true: they separate two digits. */
static bool letters_pass(surety__folding *letters)
{
    bool passed = false;
    unsigned len;

    while (letters->at < letters->end) {
        uint32_t code = surety__utf8_decode(letters->at, letters->end, &len);

        if (!letter_is_separator(code))
            return passed && letters->digit && code - '0' < 10;
        letters->at += len;
        passed = true;
    }
    return false;
}

uint32_t surety__letters_next(surety__folding *letters)
{
    uint32_t code = letters->pending;
    unsigned len;

    letters->pending = 0;
    if (code)
        return code;
    do {
        if (letters->level >= CLOSE_SEPARATOR && letters_pass(letters)) {
            letters->digit = false;
            return ' ';
        }
        if (letters->at >= letters->end)
            return LETTER_END;
        code = surety__utf8_decode(letters->at, letters->end, &len);
        letters->at += len;
        if (letters->level >= CLOSE_CASE)
            code = letter_small(code);
        if (letters->level >= CLOSE_ACCENT)
            code = letter_plain(code, &letters->pending);
    } while (!code && letters->level >= CLOSE_ACCENT);
    letters->digit = code - '0' < 10;
    return code;
}

enum surety__closeness surety__text_closeness(surety_str a, surety_str b)
{
    enum surety__closeness level = CLOSE_SAME;

    if (surety_str_equal(a, b))
        return CLOSE_SAME;
    a = surety__text_trim(a);
    b = surety__text_trim(b);
    while (++level < CLOSE_NOT) {
        surety__folding left = surety__letters_of(a, level);
        surety__folding right = surety__letters_of(b, level);
        uint32_t one = surety__letters_next(&left);
        uint32_t other = surety__letters_next(&right);

        /* Texts that have only separators are not close. */
        if (one == LETTER_END && other == LETTER_END)
            return CLOSE_NOT;
        while (one == other && one != LETTER_END) {
            one = surety__letters_next(&left);
            other = surety__letters_next(&right);
        }
        if (one == other)
            break;
    }
    return level;
}

uint32_t surety__text_hash(surety_str text)
{
    surety__folding letters =
        surety__letters_of(surety__text_trim(text), CLOSE_ACCENT);
    uint32_t hash = 0, letter;

    while ((letter = surety__letters_next(&letters)) != LETTER_END)
        hash = surety__letter_hash(hash, letter);
    return hash;
}

/* ---- characters around a text -------------------------------------------- */

static bool letter_is_around(uint32_t code)
{
    static const char ascii[] = "\"'`*_.,;:!()[]{}<>~";

    if (code < 0x80)
        return code && memchr(ascii, (int)code, sizeof(ascii) - 1);
    return code == 0xAB || code == 0xBB || (code >= 0x2018 && code <= 0x201F) ||
           code == 0x2026 || code == 0x2039 || code == 0x203A ||
           code == 0x3002 || code == 0x3001 ||
           (code >= 0x300C && code <= 0x300F);
}

/* text without the blanks around it and, if punctuation, without the
 * punctuation. */
static surety_str text_without(surety_str text, bool punctuation)
{
    const char *end, *at = text.ptr;
    unsigned len;

    if (!text.len)
        return text;
    end = text.ptr + text.len;
    while (at < end) {
        uint32_t code = surety__utf8_decode(at, end, &len);

        if (!letter_is_blank(code) && !(punctuation && letter_is_around(code)))
            break;
        at += len;
    }
    while (end > at) {
        const char *last = end - 1;
        uint32_t code;

        while (last > at && ((unsigned char)*last & 0xC0) == 0x80)
            last--;
        code = surety__utf8_decode(last, end, &len);
        if (!letter_is_blank(code) && !(punctuation && letter_is_around(code)))
            break;
        end = last;
    }
    return (surety_str){at, (size_t)(end - at)};
}

surety_str surety__text_trim(surety_str text)
{
    return text_without(text, false);
}

surety_str surety__text_bare(surety_str text)
{
    return text_without(text, true);
}
