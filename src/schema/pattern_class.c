/* SPDX-License-Identifier: Apache-2.0 */
/* Character classes, the sets \d \w \s (ECMA-262, 22.2.1 and 22.2.2.9), and
 * the net of sets that a pattern is.
 *
 * A class is written member by member in PCRE2's syntax, every character that
 * is no letter or digit by its number, so that "[[:alpha:]]" is what ECMA-262
 * takes it for. While it is read it is also kept as a set, for the net. A lone
 * surrogate can be in no text: it is left out, and a range that begins or ends
 * at one is shortened.
 *
 * The net is Glushkov's automaton, made while the pattern is read: each
 * character or anchor that the pattern writes is a position, and a position
 * knows those that may follow it. A repetition with bounds copies its
 * positions. "^" and "$" are positions that take no character. Lookaheads right
 * behind the "^" at the start are roots of their own. What else is no regular
 * language, word boundaries, Unicode properties and what exceeds a bound makes
 * the net refuse; from then on nothing is added. */
#include "schema/pattern_inside.h"

/* A class while it is read. */
struct class_state {
    surety__pattern_set *set;
    bool any; /* something was written */
};

/* Ranges in order, each written as PCRE2 takes it in a class. Space is
 * WhiteSpace and LineTerminator (ECMA-262, 12.2 and 12.3; Unicode 15's Zs). */
static const surety__pattern_range class_digit[] = {{'0', '9'}};
static const surety__pattern_range class_word[] = {
    {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const surety__pattern_range class_space[] = {
    {'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
    {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};

static const struct class_row {
    char letter, negated;
    const surety__pattern_range *ranges;
    size_t count;
} class_rows[] = {
#define CLASS(letter, negated, ranges)                                         \
    {                                                                          \
        letter, negated, ranges, sizeof(ranges) / sizeof(*(ranges))            \
    }
    CLASS('d', 'D', class_digit),
    CLASS('w', 'W', class_word),
    CLASS('s', 'S', class_space),
#undef CLASS
};

static void class_write(surety__pattern_reader *reader, uint32_t low,
                        uint32_t high)
{
    surety__pattern_write_code(reader, low);
    if (low == high)
        return;
    surety__pattern_write(reader, "-");
    surety__pattern_write_code(reader, high);
}

/* Each range, or what is between them; added to *set (may be NULL), and written
 * if `write`. */
static void class_ranges(surety__pattern_reader *reader,
                         const struct class_row *row, bool negated,
                         surety__pattern_set *set, bool write)
{
    uint32_t from = 0;

    for (size_t i = 0; i < row->count + negated; i++) {
        surety__pattern_range range = {from, 0x10FFFF};

        if (!negated)
            range = row->ranges[i];
        else if (i < row->count)
            range.high = row->ranges[i].low - 1;
        if (set)
            surety__pattern_set_add(set, range.low, range.high);
        if (write)
            class_write(reader, range.low, range.high);
        if (i < row->count)
            from = row->ranges[i].high + 1;
    }
}

/* In a class the complements are ranges: PCRE2 10.42 misjudges characters above
 * U+00FF where [^...] holds both \W and a property. */
void surety__pattern_set_letter(surety__pattern_reader *reader, char letter,
                                bool in_class, surety__pattern_set *set)
{
    const struct class_row *row = class_rows;
    char escape[] = {'\\', letter, '\0'};

    while (row->letter != letter && row->negated != letter)
        row++;
    assert(row < class_rows + sizeof(class_rows) / sizeof(*class_rows));
    class_ranges(reader, row, letter == row->negated, set, in_class);
    if (in_class)
        return;
    if (row->ranges != class_space) {
        surety__pattern_write(reader, escape);
        return;
    }
    surety__pattern_write(reader, letter == 's' ? "[" : "[^");
    class_ranges(reader, row, false, NULL, true);
    surety__pattern_write(reader, "]");
}

void surety__pattern_set_add(surety__pattern_set *set, uint32_t low,
                             uint32_t high)
{
    assert(low <= high && high <= 0x10FFFF);
    for (unsigned half = 0; half < 2; half++) {
        const uint32_t base = half * 64;
        const uint32_t from = low > base ? low : base;
        const uint32_t to = high < base + 63 ? high : base + 63;

        if (from <= to)
            set->ascii[half] |= UINT64_MAX >> (63 - (to - from))
                                                  << (from - base);
    }
    if (low < 0x80)
        low = 0x80;
    if (low > high)
        return;
    if (set->range_count == PATTERN_SET_RANGES_MAX)
        set->beyond = true;
    else
        set->ranges[set->range_count++] = (surety__pattern_range){low, high};
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
    surety__pattern_set_add(state->set, low, high);
    class_write(reader, low, high);
}

/* Reads one member: a code point, as which *ret_atom begins, or something that
 * is written at once. */
static surety_status class_member(surety__pattern_reader *reader,
                                  struct class_state *state,
                                  surety__pattern_atom *ret_atom)
{
    surety_status status;
    unsigned len;

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
    if (ret_atom->kind == ATOM_PROPERTY)
        state->set->beyond = true;
    else
        surety__pattern_set_letter(reader, ret_atom->letter, true, state->set);
    return SURETY_OK;
}

/* Whether a hyphen that makes a range is at reader->at. */
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

surety_status surety__pattern_class(surety__pattern_reader *reader,
                                    surety__pattern_set *ret_set)
{
    struct class_state state = {.set = ret_set};
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
    if (negated) {
        ret_set->ascii[0] = ~ret_set->ascii[0];
        ret_set->ascii[1] = ~ret_set->ascii[1];
        ret_set->negated = true;
    }
    return SURETY_OK;
}

/* ---- the net ------------------------------------------------------------- */

/* Whether all of bits are in the other set. */
static bool net_bits_within(const uint64_t *bits, const uint64_t *other,
                            size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (bits[i] & ~other[i])
            return false;
    return true;
}

/* to |= from with every member greater by `by`. */
static void net_bits_shift(uint64_t *to, const uint64_t *from, size_t by,
                           size_t words)
{
    size_t skip = by / 64;
    unsigned shift = by % 64;

    for (size_t i = words; i-- > skip;) {
        uint64_t word = from[i - skip] << shift;

        if (shift && i > skip)
            word |= from[i - skip - 1] >> (64 - shift);
        to[i] |= word;
    }
}

void surety__net_init(surety__pattern_net *net, const surety_alloc *alloc)
{
    memset(net, 0, offsetof(surety__pattern_net, roots));
    net->alloc = alloc;
    net->words = 1;
    net->follow = net->few;
    net->root_count = 1;
    net->linear = true;
    memset(net->frames, 0, sizeof(*net->frames));
    net->frames[0].sequence.empty = true;
}

/* The bytes of `follow` with sets of so many words. */
static size_t net_follow_size(size_t words)
{
    return words * 64 * words * sizeof(uint64_t);
}

void surety__net_done(surety__pattern_net *net)
{
    if (net->follow != net->few)
        surety__free(net->alloc, net->follow, net_follow_size(net->words));
}

void surety__net_refuse(surety__pattern_net *net)
{
    if (net)
        net->refused = true;
}

bool surety__net_works(surety__pattern_net *net, size_t work)
{
    net->work += work;
    if (net->work > PATTERN_WORK_MAX)
        net->refused = true;
    return !net->refused;
}

/* Makes room for twice as many positions, in sets twice as long. */
static void net_widen(surety__pattern_net *net)
{
    const size_t words = net->words;
    const size_t size = net_follow_size(2 * words);
    uint64_t *old = net->follow;
    uint64_t *follow = size <= sizeof(net->few)
                           ? net->few
                           : surety__resize(net->alloc, NULL, 0, size);

    if (!follow) {
        net->refused = true;
        net->starved = true;
        return;
    }
    for (size_t i = net->count; i-- > 0;) {
        memmove(follow + 2 * words * i, old + words * i,
                words * sizeof(*follow));
        memset(follow + 2 * words * i + words, 0, words * sizeof(*follow));
    }
    if (old != net->few)
        surety__free(net->alloc, old, net_follow_size(words));
    net->follow = follow;
    net->words = 2 * words;
}

/* A new position; net->count where there can be none. */
static size_t net_position(surety__pattern_net *net, size_t label)
{
    if (net->count == net->words * 64 && net->words < PATTERN_WORDS_MAX)
        net_widen(net);
    else if (net->count == PATTERN_POSITIONS_MAX)
        net->refused = true;
    if (net->refused)
        return net->count;
    assert(net->count < net->words * 64 && label <= UINT8_MAX);
    memset(surety__net_follow(net, net->count), 0,
           net->words * sizeof(*net->follow));
    net->label_of[net->count] = (uint8_t)label;
    return net->count++;
}

/* Makes the positions of `from` followed by those of `to`. */
static void net_link(surety__pattern_net *net, const uint64_t *from,
                     const uint64_t *to)
{
    const size_t words = net->words;
    size_t i = surety__bits_next(from, words, 0);

    for (; i < words * 64; i = surety__bits_next(from, words, i + 1)) {
        surety__bits_join(surety__net_follow(net, i), to, words);
        if (!surety__net_works(net, words))
            return;
    }
}

/* Puts the last atom behind those before it. */
static void net_settle(surety__pattern_net *net)
{
    surety__pattern_piece *sequence = &net->frames[net->depth].sequence;
    const surety__pattern_piece *piece = &net->piece;

    if (!net->has_piece)
        return;
    net->has_piece = false;
    net_link(net, sequence->last, piece->first);
    if (sequence->empty)
        surety__bits_join(sequence->first, piece->first, PATTERN_WORDS_MAX);
    if (!piece->empty)
        memset(sequence->last, 0, sizeof(sequence->last));
    surety__bits_join(sequence->last, piece->last, PATTERN_WORDS_MAX);
    sequence->empty = sequence->empty && piece->empty;
}

/* Makes one position the last atom. */
static void net_single(surety__pattern_net *net, size_t position)
{
    net->piece = (surety__pattern_piece){.empty = false};
    net->has_piece = true;
    net->piece_from = position;
    surety__bits_add(net->piece.first, position);
    surety__bits_add(net->piece.last, position);
}

/* The label for set; PATTERN_SETS_MAX: there is no room. */
static size_t net_label(surety__pattern_net *net,
                        const surety__pattern_set *set)
{
    surety__pattern_label label = {.ascii = {set->ascii[0], set->ascii[1]},
                                   .negated = set->negated,
                                   .range_from = net->range_count,
                                   .range_count = set->range_count};
    size_t size;

    if (set->range_count == 1 && set->ranges[0].low == 0x80 &&
        set->ranges[0].high == 0x10FFFF) {
        label.negated = !label.negated;
        label.range_count = 0;
    }
    size = label.range_count * sizeof(*set->ranges);
    for (size_t i = 0; i < net->label_count; i++) {
        const surety__pattern_label *known = &net->labels[i];

        if (known->ascii[0] == label.ascii[0] &&
            known->ascii[1] == label.ascii[1] &&
            known->negated == label.negated &&
            known->range_count == label.range_count &&
            !memcmp(net->ranges + known->range_from, set->ranges, size))
            return i;
    }
    if (net->label_count == PATTERN_SETS_MAX ||
        label.range_count > PATTERN_RANGES_MAX - net->range_count)
        return PATTERN_SETS_MAX;
    memcpy(net->ranges + net->range_count, set->ranges, size);
    net->range_count += label.range_count;
    net->labels[net->label_count] = label;
    return net->label_count++;
}

void surety__net_atom(surety__pattern_net *net, const surety__pattern_set *set)
{
    size_t label, position;

    if (!net || net->refused)
        return;
    net_settle(net);
    label = set->beyond ? PATTERN_SETS_MAX : net_label(net, set);
    if (label == PATTERN_SETS_MAX) {
        net->refused = true;
        return;
    }
    position = net_position(net, label);
    if (!net->refused)
        net_single(net, position);
}

void surety__net_code(surety__pattern_net *net, uint32_t code)
{
    surety__pattern_set set;

    memset(&set, 0, offsetof(surety__pattern_set, ranges));
    surety__pattern_set_add(&set, code, code);
    surety__net_atom(net, &set);
}

void surety__net_anchor(surety__pattern_net *net, bool start)
{
    size_t position;

    if (!net || net->refused)
        return;
    net_settle(net);
    net->linear = net->linear && start && !net->count;
    position = net_position(net, 0);
    if (net->refused)
        return;
    surety__bits_add(start ? net->begins : net->ends, position);
    net_single(net, position);
}

/* Whether a lookahead here is matched at the start of the text. */
static bool net_is_at_start(const surety__pattern_net *net)
{
    const surety__pattern_frame *frame = &net->frames[0];

    return !net->depth && !frame->has_alternatives && !frame->sequence.empty &&
           net_bits_within(frame->sequence.first, net->begins, net->words) &&
           net_bits_within(frame->sequence.last, net->begins, net->words);
}

void surety__net_open(surety__pattern_net *net, char assertion)
{
    surety__pattern_frame *frame;

    if (!net || net->refused)
        return;
    net_settle(net);
    if (net->depth + 1 == PATTERN_FRAMES_MAX ||
        (assertion &&
         (net->root_count == PATTERN_ROOTS_MAX || !net_is_at_start(net)))) {
        net->refused = true;
        return;
    }
    net->linear = false;
    frame = &net->frames[++net->depth];
    memset(frame, 0, sizeof(*frame));
    frame->sequence.empty = true;
    frame->assertion = assertion;
    frame->from = net->count;
}

/* Ends the alternative being read. */
static void net_end_alternative(surety__pattern_net *net)
{
    surety__pattern_frame *frame = &net->frames[net->depth];

    net_settle(net);
    surety__bits_join(frame->alternatives.first, frame->sequence.first,
                      net->words);
    surety__bits_join(frame->alternatives.last, frame->sequence.last,
                      net->words);
    frame->alternatives.empty =
        frame->alternatives.empty || frame->sequence.empty;
}

void surety__net_alternative(surety__pattern_net *net)
{
    surety__pattern_frame *frame;

    if (!net || net->refused)
        return;
    if (!net->depth && net->root_count > 1) {
        net->refused = true;
        return;
    }
    net->linear = false;
    net_end_alternative(net);
    frame = &net->frames[net->depth];
    frame->has_alternatives = true;
    frame->sequence = (surety__pattern_piece){.empty = true};
}

void surety__net_close(surety__pattern_net *net)
{
    const surety__pattern_frame *frame;

    if (!net || net->refused)
        return;
    net_end_alternative(net);
    assert(net->depth > 0);
    frame = &net->frames[net->depth--];
    if (frame->assertion) {
        net->roots[net->root_count].piece = frame->alternatives;
        net->roots[net->root_count++].wanted = frame->assertion == '=';
        return;
    }
    net->piece = frame->alternatives;
    net->piece_from = frame->from;
    net->has_piece = true;
}

/* Copies the last atom's `span` positions to behind them, `copies` times. */
static void net_copy(surety__pattern_net *net, size_t span, size_t copies)
{
    const size_t from = net->piece_from;

    /* All room first: what follows a position may lie beyond it. */
    if (span * copies > PATTERN_POSITIONS_MAX - net->count)
        net->refused = true;
    while (!net->refused && net->words * 64 < net->count + span * copies)
        net_widen(net);
    for (size_t i = 0; !net->refused && i < span * copies; i++) {
        const size_t source = from + i % span;
        const size_t to = net_position(net, net->label_of[source]);

        if (net->refused || !surety__net_works(net, net->words))
            return;
        if (span > 1)
            net_bits_shift(surety__net_follow(net, to),
                           surety__net_follow(net, source), to - source,
                           net->words);
        if (surety__bits_in(net->begins, source))
            surety__bits_add(net->begins, to);
        if (surety__bits_in(net->ends, source))
            surety__bits_add(net->ends, to);
    }
}

/* Repeats one position so, which needs no sets to be gone through. */
static void net_chain_single(surety__pattern_net *net, size_t min,
                             size_t copies, bool loops)
{
    const size_t from = net->piece_from;

    assert(copies && net->count == from + copies);
    for (size_t i = 1; i < copies; i++)
        surety__bits_add(surety__net_follow(net, from + i - 1), from + i);
    if (loops)
        surety__bits_add(surety__net_follow(net, from + copies - 1),
                         from + copies - 1);
    memset(net->piece.last, 0, sizeof(net->piece.last));
    for (size_t i = min ? min - 1 : 0; i < copies; i++)
        surety__bits_add(net->piece.last, from + i);
}

/* Repeats it with bounds: copies in a chain, of which the first `min` must be
 * gone through. */
static void net_chain(surety__pattern_net *net, uint32_t min, uint32_t max)
{
    const surety__pattern_piece one = net->piece;
    const size_t span = net->count - net->piece_from;
    const size_t copies = max == UINT32_MAX ? (min ? min : 1) : max;
    surety__pattern_piece copy = one;

    if (!span)
        return;
    if (copies > PATTERN_POSITIONS_MAX / span) {
        net->refused = true;
        return;
    }
    net_copy(net, span, copies - 1);
    if (net->refused)
        return;
    if (span == 1 && !one.empty) {
        net_chain_single(net, min, copies, max == UINT32_MAX);
        return;
    }
    if (min > 1)
        memset(net->piece.last, 0, sizeof(net->piece.last));
    for (size_t i = 1; i < copies; i++) {
        surety__pattern_piece next = {.empty = false};

        net_bits_shift(next.first, one.first, span * i, net->words);
        net_bits_shift(next.last, one.last, span * i, net->words);
        net_link(net, copy.last, next.first);
        if (i + 1 >= min)
            surety__bits_join(net->piece.last, next.last, net->words);
        copy = next;
    }
    if (max == UINT32_MAX)
        net_link(net, copy.last, copy.first);
}

void surety__net_repeat(surety__pattern_net *net, uint32_t min, uint32_t max)
{
    if (!net || net->refused || !net->has_piece)
        return;
    if (min > PATTERN_REPEAT_MAX ||
        (max != UINT32_MAX && max > PATTERN_REPEAT_MAX)) {
        net->refused = true;
        return;
    }
    net->linear = false;
    if (!max) {
        net->count = net->piece_from;
        for (size_t i = 0; i < net->words; i++) {
            const size_t low = i * 64;
            const uint64_t left = net->count >= low + 64 ? UINT64_MAX
                                  : net->count > low
                                      ? ~(UINT64_MAX << (net->count - low))
                                      : 0;

            net->begins[i] &= left;
            net->ends[i] &= left;
        }
        net->piece = (surety__pattern_piece){.empty = true};
        return;
    }
    if (net->piece.empty)
        min = 0; /* it may match nothing instead of once more */
    net_chain(net, min, max);
    if (!min)
        net->piece.empty = true;
}

void surety__net_repeat_last(surety__pattern_net *net, uint32_t min,
                             uint32_t max)
{
    const uint32_t copies = max == UINT32_MAX ? min : max;

    /* "^", atoms and this: for its bounds it is enough to count the characters
     * of the text, and it may be repeated at will. */
    if (net && !net->refused && net->has_piece && net->linear &&
        surety__bits_in(net->begins, 0) && copies > PATTERN_COPIES_FEW &&
        copies <= PATTERN_REPEAT_MAX) {
        const uint32_t before = (uint32_t)net->count - 2;

        net->counted = true;
        net->count_min = before + min;
        net->count_max = max == UINT32_MAX ? max : before + max;
        min = 0;
        max = UINT32_MAX;
    }
    surety__net_repeat(net, min, max);
}

size_t surety__net_finish(surety__pattern_net *net)
{
    uint64_t accept[PATTERN_WORDS_MAX] = {0};
    size_t position;

    net_end_alternative(net);
    net->roots[0].piece = net->frames[0].alternatives;
    net->roots[0].wanted = true;
    position = net_position(net, 0);
    if (net->refused)
        return 0;
    surety__bits_add(accept, position);
    for (size_t i = 0; i < net->root_count; i++) {
        surety__pattern_piece *piece = &net->roots[i].piece;

        net_link(net, piece->last, accept);
        if (piece->empty)
            surety__bits_add(piece->first, position);
    }
    return position;
}
