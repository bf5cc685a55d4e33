/* SPDX-License-Identifier: Apache-2.0 */
/* Character classes and the sets \d \w \s (ECMA-262, 22.2.1 and 22.2.2.9).
 *
 * A class is written member by member in PCRE2's syntax, every character that
 * is no letter or digit by its number, so that "[[:alpha:]]" is what ECMA-262
 * takes it for. While it is read its ASCII part is kept as a set of bytes for
 * the simple forms. A lone surrogate can be in no text: it is left out, and a
 * range that begins or ends at one is shortened. */
#include "schema/pattern_inside.h"

/* A class while it is read. */
struct class_state {
    surety__byte_set set; /* its ASCII part */
    bool any;             /* something was written */
    bool above_all;       /* every code point above ASCII is a member */
    bool simple;          /* set and above_all say it all */
};

/* How a set is written, outside a class and as members of one. Space is
 * WhiteSpace and LineTerminator (ECMA-262, 12.2 and 12.3; Unicode 15's Zs). In
 * a class the complements are ranges: PCRE2 10.42 misjudges characters above
 * U+00FF where [^...] holds both \W and a property. */
#define CLASS_SPACE                                                            \
    "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}"         \
    "\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"
static const struct {
    char letter;
    const char *outside, *inside;
} class_sets[] = {
    {'d', "\\d", "0-9"},
    {'D', "\\D", "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}"},
    {'w', "\\w", "0-9A-Z_a-z"},
    {'W', "\\W",
     "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}"},
    {'s', "[" CLASS_SPACE "]", CLASS_SPACE},
    {'S', "[^" CLASS_SPACE "]",
     "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}"
     "\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}"
     "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}"
     "\\x{ff00}-\\x{10ffff}"},
};

static bool class_has(char letter, unsigned byte)
{
    bool digit = byte >= '0' && byte <= '9';

    switch (letter) {
    case 'd': return digit;
    case 'D': return !digit;
    case 'w':
    case 'W':
        return (digit || byte == '_' || (byte >= 'a' && byte <= 'z') ||
                (byte >= 'A' && byte <= 'Z')) == (letter == 'w');
    default:
        return ((byte >= '\t' && byte <= '\r') || byte == ' ') ==
               (letter == 's');
    }
}

bool surety__pattern_set(surety__pattern_reader *reader, char letter,
                         bool in_class, surety__byte_set *set, bool *ret_wide)
{
    for (unsigned byte = 0; byte < 0x80; byte++)
        if (class_has(letter, byte))
            surety__byte_add(set, byte);
    *ret_wide = letter == 'D' || letter == 'W';
    for (unsigned i = 4; *ret_wide && i < 8; i++)
        set->bits[i] = UINT32_MAX;
    for (size_t i = 0; i < sizeof(class_sets) / sizeof(*class_sets); i++)
        if (class_sets[i].letter == letter)
            surety__pattern_write(reader, in_class ? class_sets[i].inside
                                                   : class_sets[i].outside);
    return letter != 's' && letter != 'S';
}

/* Adds the code points low to high. */
static void class_add(surety__pattern_reader *reader, struct class_state *state,
                      uint32_t low, uint32_t high)
{
    if (low >= 0xD800 && low <= 0xDFFF)
        low = 0xE000;
    if (high >= 0xD800 && high <= 0xDFFF)
        high = 0xD7FF;
    if (low > high)
        return;
    state->any = true;
    for (uint32_t code = low; code <= high && code < 0x80; code++)
        surety__byte_add(&state->set, code);
    if (high >= 0x80 && low <= 0x80 && high == 0x10FFFF)
        state->above_all = true;
    else if (high >= 0x80)
        state->simple = false;
    surety__pattern_write_code(reader, low);
    if (low < high) {
        surety__pattern_write(reader, "-");
        surety__pattern_write_code(reader, high);
    }
}

/* Reads one member: a code point, or something that is written at once. */
static surety_status class_member(surety__pattern_reader *reader,
                                  struct class_state *state,
                                  surety__pattern_atom *ret_atom)
{
    surety_status status;
    unsigned len;
    bool wide;

    ret_atom->kind = ATOM_CODE;
    if (*reader->at != '\\') {
        ret_atom->code = surety__utf8_decode(reader->at, reader->end, &len);
        if (ret_atom->code > 0x10FFFF)
            return surety__pattern_fail(reader, reader->at, SURETY_SYNTAX,
                                        "bytes that are no UTF-8");
        reader->at += len;
        return SURETY_OK;
    }
    status = surety__pattern_escape(reader, true, ret_atom);
    if (status || ret_atom->kind == ATOM_CODE)
        return status;
    state->any = true;
    if (ret_atom->kind == ATOM_PROPERTY) {
        state->simple = false;
    } else {
        if (!surety__pattern_set(reader, ret_atom->letter, true, &state->set,
                                 &wide))
            state->simple = false;
        else if (wide)
            state->above_all = true;
    }
    return SURETY_OK;
}

/* Whether a hyphen that makes a range stands at reader->at. */
static bool class_is_range(const surety__pattern_reader *reader)
{
    return reader->end - reader->at >= 2 && reader->at[0] == '-' &&
           reader->at[1] != ']';
}

/* Reads a member or a range of two. */
static surety_status class_range(surety__pattern_reader *reader,
                                 struct class_state *state)
{
    const char *from = reader->at;
    surety__pattern_atom low = {.kind = ATOM_CODE};
    surety__pattern_atom high = {.kind = ATOM_CODE};
    surety_status status = class_member(reader, state, &low);

    if (status)
        return status;
    if (!class_is_range(reader)) {
        if (low.kind == ATOM_CODE)
            class_add(reader, state, low.code, low.code);
        return SURETY_OK;
    }
    reader->at++;
    status = class_member(reader, state, &high);
    if (status)
        return status;
    if (low.kind == ATOM_CODE && high.kind == ATOM_CODE) {
        if (low.code > high.code)
            return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                        "a range whose ends are reversed");
        class_add(reader, state, low.code, high.code);
        return SURETY_OK;
    }
    /* Beside a set the hyphen is a member (ECMA-262, B.1.2.8.1). */
    if (low.kind == ATOM_CODE)
        class_add(reader, state, low.code, low.code);
    if (high.kind == ATOM_CODE)
        class_add(reader, state, high.code, high.code);
    class_add(reader, state, '-', '-');
    return SURETY_OK;
}

/* The class as an item; negated where asked. */
static void class_item(const struct class_state *state, bool negated,
                       surety__pattern_item *item)
{
    item->set = state->set;
    item->wide = state->above_all != negated;
    for (unsigned i = 0; negated && i < 4; i++)
        item->set.bits[i] = ~item->set.bits[i];
    for (unsigned i = 4; i < 8; i++)
        item->set.bits[i] = item->wide ? UINT32_MAX : 0;
}

surety_status surety__pattern_class(surety__pattern_reader *reader,
                                    surety__pattern_item *ret_item,
                                    bool *ret_simple)
{
    struct class_state state = {.simple = true};
    const char *from = reader->at++;
    size_t begin = reader->out ? reader->out->len : 0;
    bool negated = reader->at < reader->end && *reader->at == '^';
    surety_status status = SURETY_OK;

    reader->at += negated ? 1 : 0;
    surety__pattern_write(reader, negated ? "[^" : "[");
    while (!status && reader->at < reader->end && *reader->at != ']')
        status = class_range(reader, &state);
    if (status)
        return status;
    if (reader->at == reader->end)
        return surety__pattern_fail(reader, from, SURETY_SYNTAX,
                                    "a class that is never closed");
    reader->at++;
    surety__pattern_write(reader, "]");
    if (!state.any) {
        /* No member: nothing matches, or everything does. */
        if (reader->out && !reader->out->status)
            reader->out->len = begin;
        surety__pattern_write(reader, negated ? "(?s:.)" : "(?:(?!))");
    }
    class_item(&state, negated, ret_item);
    *ret_simple = state.simple;
    return SURETY_OK;
}
