/* SPDX-License-Identifier: Apache-2.0 */
/* Nearly all patterns of schemas, matched without PCRE2: a plain text by
 * comparing, the rest by a deterministic automaton, in one look at each byte.
 *
 * 1. A state is the set of the net's positions (pattern_class.c) that may come
 *    next. One that holds the position behind the pattern accepts whatever
 *    comes. A search anywhere begins anew at each character: what may begin
 *    is in every state.
 * 2. Characters that no set of the pattern distinguishes share a column of the
 *    table. Above ASCII they are code points; where there is but one column
 *    for them it is that of the first byte, and the bytes behind it stay where
 *    they are, so that nothing is decoded.
 * 3. With few states a column is one word that holds for each state the next
 *    one, six bits each: the shift by the state is the whole step.
 * 4. "^[a-f]{64}$" and the like, perhaps with atoms before it, is "^[a-f]*$"
 * and as many characters, which are counted.
 * 5. The text that every match begins with is compared before the automaton
 *    starts, behind it.
 *
 * Lookaheads at the start are automata of their own, matched one after the
 * other. An automaton may be exponentially large, so there are bounds, of the
 * work too; what exceeds them is left to PCRE2. States that mean the same are
 * not merged: it costs more than it gives.
 *
 * What it gains: without it a check takes 1.02 to 4.1 times as long, a
 * compilation 1.07 to 1.8 (seven sets of schemas with patterns; `bench-surety
 * set SCHEMA INSTANCES`, works check and compile, against a build that leaves
 * surety__pattern_simplify out). */
#include "schema/pattern_inside.h"

enum {
    STATE_DEAD = 0,
    STATE_ALWAYS = 1,
    STATE_NONE = UINT16_MAX,
    STATE_BITS = 6, /* of a state in a word; that many fit: */
    STATE_FEW = 64 / STATE_BITS,
    PREFIX_MAX = 64,    /* of the text compared before an automaton */
    WITHIN_MAX = 16,    /* of the text that every match has */
    STATE_SLOTS = 1024, /* of the table of states; twice those that can be */
    COLUMN_WORDS = PATTERN_COLUMNS_MAX / 64
};

/* ---- plain texts --------------------------------------------------------- */

/* The one code point of a label that is exactly that; else UINT32_MAX. */
static uint32_t label_code(const surety__pattern_net *net,
                           const surety__pattern_label *label)
{
    const surety__pattern_range *range = net->ranges + label->range_from;
    const unsigned half = label->ascii[0] ? 0 : 1;
    const uint64_t word = label->ascii[half];

    if (label->negated || label->range_count > 1)
        return UINT32_MAX;
    if (label->range_count)
        return !label->ascii[0] && !label->ascii[1] && range->low == range->high
                   ? range->low
                   : UINT32_MAX;
    if (!word || word & (word - 1) || (!half && label->ascii[1]))
        return UINT32_MAX;
    return half * 64 + (uint32_t)__builtin_ctzll(word);
}

/* Whether the net is a plain text; bytes has room for all its positions.
 * Otherwise that is what every match begins with, as far as it is plain. */
static bool literal_find(const surety__pattern_net *net, size_t accept,
                         surety__pattern_simple *simple, char *bytes,
                         size_t *ret_len)
{
    const uint64_t *next = net->roots[0].piece.first;
    size_t len = 0;

    *ret_len = 0;
    for (;;) {
        const size_t position = surety__bits_next(next, net->words, 0);
        uint32_t code;

        if (surety__bits_next(next, net->words, position + 1) < net->words * 64)
            return false;
        if (position == accept)
            return net->root_count == 1;
        next = surety__net_follow(net, position);
        if (surety__bits_in(net->ends, position)) {
            simple->ends = true;
            continue;
        }
        if (simple->ends)
            return false;
        if (surety__bits_in(net->begins, position)) {
            if (len)
                return false;
            simple->starts = true;
            continue;
        }
        code = label_code(net, &net->labels[net->label_of[position]]);
        if (code == UINT32_MAX)
            return false;
        len += surety__utf8_encode(code, bytes + len);
        *ret_len = len;
    }
}

/* ---- columns ------------------------------------------------------------- */

/* The classes of characters, a column each. */
struct automaton_columns {
    size_t count; /* and behind them those of continuations and the end */
    uint64_t ascii[PATTERN_COLUMNS_MAX][2]; /* those of ASCII */
    uint32_t sample[PATTERN_COLUMNS_MAX];   /* a code point of each */
    /* Above ASCII. */
    uint32_t wide_from[2 * PATTERN_RANGES_MAX + 1];
    uint8_t wide_column[2 * PATTERN_RANGES_MAX + 1];
    size_t wide_count;
};

static bool label_has(const surety__pattern_net *net,
                      const surety__pattern_label *label, uint32_t code)
{
    const surety__pattern_range *ranges = net->ranges + label->range_from;

    if (code < 0x80)
        return label->ascii[code >> 6] >> (code & 63) & 1;
    for (size_t i = 0; i < label->range_count; i++)
        if (ranges[i].low <= code && code <= ranges[i].high)
            return !label->negated;
    return label->negated;
}

static bool columns_split_ascii(struct automaton_columns *columns,
                                const surety__pattern_net *net)
{
    columns->ascii[0][0] = UINT64_MAX;
    columns->ascii[0][1] = UINT64_MAX;
    columns->count = 1;
    for (size_t k = 0; k < net->label_count; k++) {
        const uint64_t *set = net->labels[k].ascii;
        const size_t count = columns->count;

        for (size_t i = 0; i < count; i++) {
            uint64_t *old = columns->ascii[i];
            const uint64_t in[2] = {old[0] & set[0], old[1] & set[1]};

            if (!(in[0] | in[1]) || (in[0] == old[0] && in[1] == old[1]))
                continue;
            if (columns->count == PATTERN_COLUMNS_MAX)
                return false;
            old[0] ^= in[0];
            old[1] ^= in[1];
            memcpy(columns->ascii[columns->count++], in, sizeof(in));
        }
    }
    for (size_t i = 0; i < columns->count; i++)
        columns->sample[i] =
            (uint32_t)surety__bits_next(columns->ascii[i], 2, 0);
    return true;
}

/* Puts the code points where a range begins or has ended in order. */
static void columns_cut(struct automaton_columns *columns,
                        const surety__pattern_net *net)
{
    uint32_t *from = columns->wide_from;
    size_t count = 1;

    from[0] = 0x80;
    for (size_t i = 0; i < 2 * net->range_count; i++) {
        const surety__pattern_range *range = &net->ranges[i / 2];
        const uint32_t cut = i % 2 ? range->high + 1 : range->low;
        size_t at = count;

        while (at && from[at - 1] > cut)
            at--;
        if (cut > 0x10FFFF || (at && from[at - 1] == cut))
            continue;
        memmove(from + at + 1, from + at, (count - at) * sizeof(*from));
        from[at] = cut;
        count++;
    }
    columns->wide_count = count;
}

static bool columns_split_wide(struct automaton_columns *columns,
                               surety__pattern_net *net)
{
    const size_t first = columns->count;

    columns_cut(columns, net);
    for (size_t i = 0; i < columns->wide_count; i++) {
        const uint32_t code = columns->wide_from[i];
        size_t same = first;

        for (; same < columns->count; same++) {
            size_t k = 0;

            while (k < net->label_count &&
                   label_has(net, &net->labels[k], code) ==
                       label_has(net, &net->labels[k], columns->sample[same]))
                k++;
            if (!surety__net_works(net, k))
                return false;
            if (k == net->label_count)
                break;
        }
        if (same == PATTERN_COLUMNS_MAX)
            return false;
        if (same == columns->count)
            columns->sample[columns->count++] = code;
        columns->wide_column[i] = (uint8_t)same;
    }
    if (columns->count == first + 1)
        columns->wide_count = 0;
    return columns->count + 2 <= PATTERN_COLUMNS_MAX;
}

/* ---- the automaton ------------------------------------------------------- */

/* One automaton after the other while they are built. */
struct automaton_builder {
    surety__pattern_net *net;
    size_t accept;
    size_t words; /* of the sets here: no more than are needed */
    struct automaton_columns columns;
    size_t width;      /* columns, those behind the classes included */
    size_t column_end; /* the last of them */
    uint64_t members[PATTERN_COLUMNS_MAX][PATTERN_WORDS_MAX];
    uint64_t columns_of[PATTERN_SETS_MAX][COLUMN_WORDS]; /* by label */
    uint64_t accepting[PATTERN_WORDS_MAX]; /* anchors that accept at the end */
    uint64_t takes[PATTERN_WORDS_MAX];     /* positions that take a character */
    uint64_t again[PATTERN_WORDS_MAX];     /* positions that may begin at every
                                              character */
    uint64_t *sets;                        /* of the states but the first two */
    size_t sets_cap;
    uint16_t *next; /* the tables of all, by the numbers of states */
    size_t next_cap, next_count;
    size_t state_count; /* of the one being built */
    uint16_t none;      /* its state behind a character that nothing takes */
    uint16_t single[PATTERN_POSITIONS_MAX]; /* states behind one position */
    uint16_t slots[STATE_SLOTS];
};

static bool automaton_any(const uint64_t *bits, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (bits[i])
            return true;
    return false;
}

/* Which positions take a character of each column. */
static void automaton_members(struct automaton_builder *builder)
{
    const surety__pattern_net *net = builder->net;
    const size_t count = builder->columns.count;

    memset(builder->members, 0, count * sizeof(*builder->members));
    memset(builder->takes, 0, sizeof(builder->takes));
    memset(builder->columns_of, 0,
           net->label_count * sizeof(*builder->columns_of));
    for (size_t k = 0; k < net->label_count; k++)
        for (size_t i = 0; i < count; i++)
            if (label_has(net, &net->labels[k], builder->columns.sample[i]))
                surety__bits_add(builder->columns_of[k], i);
    for (size_t p = 0; p < net->count; p++) {
        const uint64_t *columns = builder->columns_of[net->label_of[p]];
        size_t i = 0;

        if (p == builder->accept || surety__bits_in(net->begins, p) ||
            surety__bits_in(net->ends, p))
            continue;
        surety__bits_add(builder->takes, p);
        while ((i = surety__bits_next(columns, COLUMN_WORDS, i)) < count)
            surety__bits_add(builder->members[i++], p);
    }
}

/* Adds the successors of each anchor of `anchors` in set, over and over. */
static void automaton_close(const surety__pattern_net *net, uint64_t *set,
                            const uint64_t *anchors)
{
    uint64_t done[PATTERN_WORDS_MAX] = {0};
    size_t i = 0;

    while ((i = surety__bits_next(set, net->words, i)) < net->words * 64) {
        if (surety__bits_in(anchors, i) && !surety__bits_in(done, i)) {
            surety__bits_add(done, i);
            surety__bits_join(set, surety__net_follow(net, i), net->words);
            i = 0;
        } else {
            i++;
        }
    }
}

/* Finds the ends that have nothing but ends between them and the position
 * behind the pattern. */
static void automaton_accepting(struct automaton_builder *builder)
{
    const surety__pattern_net *net = builder->net;
    size_t i = 0;

    memset(builder->accepting, 0, sizeof(builder->accepting));
    while ((i = surety__bits_next(net->ends, net->words, i)) <
           net->words * 64) {
        uint64_t set[PATTERN_WORDS_MAX] = {0};

        surety__bits_add(set, i);
        automaton_close(net, set, net->ends);
        if (surety__bits_in(set, builder->accept))
            surety__bits_add(builder->accepting, i);
        i++;
    }
}

/* The number of the state that set is, which may be a new one; STATE_NONE:
 * there is no room (a bound, or *ret_status). */
static unsigned automaton_state(struct automaton_builder *builder,
                                uint64_t *set, surety_status *ret_status)
{
    surety__pattern_net *net = builder->net;
    const size_t words = builder->words;
    uint64_t hash = 0;
    size_t slot, count;

    for (size_t i = 0; i < words; i++) {
        set[i] &= ~net->begins[i];
        hash = (hash ^ set[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    if (surety__bits_in(set, builder->accept))
        return STATE_ALWAYS;
    if (!automaton_any(set, words))
        return STATE_DEAD;
    slot = hash % STATE_SLOTS;
    for (; builder->slots[slot]; slot = (slot + 1) % STATE_SLOTS)
        if (!memcmp(builder->sets + (builder->slots[slot] - 2u) * words, set,
                    words * sizeof(*set)))
            return builder->slots[slot];
    assert(builder->state_count >= 2 && words <= PATTERN_WORDS_MAX);
    count = builder->state_count - 1; /* sets, with this one */
    if (builder->state_count == PATTERN_STATES_MAX ||
        !surety__net_works(net, words + builder->width))
        return STATE_NONE;
    *ret_status =
        surety__grow(net->alloc, (void **)&builder->sets, &builder->sets_cap,
                     count * words, sizeof(*builder->sets), SIZE_MAX);
    if (*ret_status)
        return STATE_NONE;
    memcpy(builder->sets + (count - 1) * words, set, words * sizeof(*set));
    builder->slots[slot] = (uint16_t)builder->state_count;
    return (unsigned)builder->state_count++;
}

/* The state behind the positions `taken`, of which there is one at least. */
static unsigned automaton_step(struct automaton_builder *builder,
                               const uint64_t *taken, surety_status *ret_status)
{
    surety__pattern_net *net = builder->net;
    const size_t words = builder->words;
    const size_t first = surety__bits_next(taken, words, 0);
    size_t i = surety__bits_next(taken, words, first + 1);
    const bool single = i >= words * 64;
    uint64_t set[PATTERN_WORDS_MAX];
    unsigned state;

    if (single && builder->single[first] != STATE_NONE)
        return builder->single[first];
    memcpy(set, builder->again, words * sizeof(*set));
    surety__bits_join(set, surety__net_follow(net, first), words);
    for (; i < words * 64; i = surety__bits_next(taken, words, i + 1)) {
        surety__bits_join(set, surety__net_follow(net, i), words);
        if (!surety__net_works(net, words))
            return STATE_NONE;
    }
    state = automaton_state(builder, set, ret_status);
    if (single)
        builder->single[first] = (uint16_t)state;
    return state;
}

/* The columns that a position of set takes. */
static void automaton_live(const struct automaton_builder *builder,
                           const uint64_t *set, uint64_t *columns)
{
    const surety__pattern_net *net = builder->net;

    memset(columns, 0, COLUMN_WORDS * sizeof(*columns));
    for (size_t k = 0; k < builder->words; k++) {
        uint64_t word = set[k] & builder->takes[k];

        for (; word; word &= word - 1) {
            const size_t p = k * 64 + (size_t)__builtin_ctzll(word);

            surety__bits_join(columns, builder->columns_of[net->label_of[p]],
                              COLUMN_WORDS);
        }
    }
}

/* Fills the row of a state. False: a bound was met, or *ret_status. */
static bool automaton_row(struct automaton_builder *builder, size_t state,
                          uint16_t *row, surety_status *ret_status)
{
    surety__pattern_net *net = builder->net;
    const size_t words = builder->words;
    uint64_t set[PATTERN_WORDS_MAX], taken[PATTERN_WORDS_MAX];
    uint64_t live[COLUMN_WORDS];
    size_t c = 0;

    memcpy(set, builder->sets + (state - 2) * words, words * sizeof(*set));
    automaton_live(builder, set, live);
    for (size_t i = 0; i < builder->columns.count; i++)
        row[i] = builder->none;
    while ((c = surety__bits_next(live, COLUMN_WORDS, c)) <
           builder->columns.count) {
        unsigned target;

        for (size_t i = 0; i < words; i++)
            taken[i] = set[i] & builder->members[c][i];
        target = automaton_step(builder, taken, ret_status);
        if (target == STATE_NONE)
            return false;
        row[c++] = (uint16_t)target;
        if (!surety__net_works(net, words))
            return false;
    }
    assert(builder->column_end == builder->columns.count + 1);
    row[builder->columns.count] = (uint16_t)state;
    row[builder->column_end] = STATE_DEAD;
    for (size_t i = 0; i < words; i++)
        if (set[i] & builder->accepting[i])
            row[builder->column_end] = STATE_ALWAYS;
    return surety__net_works(net, builder->width);
}

/* The state at the start of the text, with all that may begin anywhere. */
static unsigned automaton_start(struct automaton_builder *builder, size_t root,
                                surety_status *ret_status)
{
    surety__pattern_net *net = builder->net;
    uint64_t set[PATTERN_WORDS_MAX], taken[PATTERN_WORDS_MAX];
    unsigned none;

    builder->state_count = 2;
    for (size_t i = 0; i < net->count; i++)
        builder->single[i] = STATE_NONE;
    memset(builder->slots, 0, sizeof(builder->slots));
    memset(builder->again, 0, sizeof(builder->again));
    memcpy(set, net->roots[root].piece.first, sizeof(set));
    if (!root) {
        surety__bits_join(builder->again, set, net->words);
        for (size_t i = 0; i < net->words; i++)
            builder->again[i] &= ~net->begins[i];
    }
    automaton_close(net, set, net->begins);
    memcpy(taken, builder->again, sizeof(taken));
    none = automaton_state(builder, taken, ret_status);
    if (none == STATE_NONE)
        return STATE_NONE;
    builder->none = (uint16_t)none;
    return automaton_state(builder, set, ret_status);
}

/* Builds the automaton of a root; *ret_start is its first state, STATE_NONE
 * where there is none. */
static surety_status automaton_build(struct automaton_builder *builder,
                                     size_t root, unsigned *ret_start)
{
    const size_t from = builder->next_count;
    const size_t width = builder->width;
    surety_status status = SURETY_OK;
    unsigned start = automaton_start(builder, root, &status);

    *ret_start = STATE_NONE;
    for (size_t state = 0; state < builder->state_count; state++) {
        uint16_t row[PATTERN_COLUMNS_MAX];

        if (start == STATE_NONE ||
            builder->next_count + width > PATTERN_CELLS_MAX)
            return status;
        for (size_t c = 0; state < 2 && c < width; c++)
            row[c] = (uint16_t)state;
        if (state >= 2 && !automaton_row(builder, state, row, &status))
            return status;
        status = surety__grow(builder->net->alloc, (void **)&builder->next,
                              &builder->next_cap, builder->next_count + width,
                              sizeof(*builder->next), SIZE_MAX);
        if (status)
            return status;
        memcpy(builder->next + from + state * width, row, width * sizeof(*row));
        builder->next_count += width;
    }
    *ret_start = start;
    return SURETY_OK;
}

/* ---- the finished form --------------------------------------------------- */

/* The automata of a pattern as they were built. */
struct automaton_built {
    size_t from; /* in the builder's next */
    size_t state_count;
    unsigned start;
};

/* Writes the table of an automaton that has few states: a word a column. */
static void automaton_pack_rows(const struct automaton_builder *builder,
                                const struct automaton_built *built,
                                uint64_t *rows)
{
    const uint16_t *next = builder->next + built->from;

    for (size_t c = 0; c < builder->width; c++) {
        rows[c] = 0;
        for (size_t state = 0; state < built->state_count; state++)
            rows[c] |= (uint64_t)next[state * builder->width + c] * STATE_BITS
                       << (state * STATE_BITS);
    }
}

static void automaton_pack_next(const struct automaton_builder *builder,
                                const struct automaton_built *built,
                                uint16_t *next)
{
    const uint16_t *from = builder->next + built->from;

    for (size_t i = 0; i < built->state_count * builder->width; i++)
        next[i] = (uint16_t)(from[i] * builder->width);
}

static void automaton_pack_columns(const struct automaton_columns *columns,
                                   uint8_t *column_of)
{
    memset(column_of, 0, 0x80);
    for (size_t c = 1; c < columns->count && columns->sample[c] < 0x80; c++)
        for (unsigned half = 0; half < 2; half++)
            for (uint64_t word = columns->ascii[c][half]; word;
                 word &= word - 1)
                column_of[half * 64 + (unsigned)__builtin_ctzll(word)] =
                    (uint8_t)c;
    memset(column_of + 0x80, (int)columns->count, 0x40);
    memset(column_of + 0xC0, (int)columns->count - 1, 0x40);
}

/* The text that an automaton must begin with; *state becomes the one behind
 * it. */
static size_t automaton_prefix(const struct automaton_builder *builder,
                               const struct automaton_built *built,
                               unsigned *state, char *bytes)
{
    const struct automaton_columns *columns = &builder->columns;
    size_t len = 0;

    for (; *state > STATE_ALWAYS && len < PREFIX_MAX; len++) {
        const uint16_t *row =
            builder->next + built->from + *state * builder->width;
        size_t taken = columns->count;

        for (size_t c = 0; c < columns->count; c++) {
            if (row[c] == STATE_DEAD)
                continue;
            if (taken < columns->count || columns->sample[c] >= 0x80)
                return len;
            taken = c;
        }
        if (taken == columns->count || row[builder->column_end] != STATE_DEAD ||
            surety__bits_next(columns->ascii[taken], 2,
                              columns->sample[taken] + 1) < 128)
            return len;
        bytes[len] = (char)columns->sample[taken];
        *state = row[taken];
    }
    return len;
}

/* The bytes of the automata's tables together. */
static size_t automaton_size(const struct automaton_builder *builder,
                             const struct automaton_built *built,
                             size_t *ret_row_count, size_t *ret_cell_count)
{
    size_t row_count = 0;
    size_t cell_count = 0;

    for (size_t i = 0; i < builder->net->root_count; i++) {
        if (built[i].state_count <= STATE_FEW)
            row_count += builder->width;
        else
            cell_count += built[i].state_count * builder->width;
    }
    *ret_row_count = row_count;
    *ret_cell_count = cell_count;
    return row_count * sizeof(uint64_t) + cell_count * sizeof(uint16_t);
}

/* Copies the text to out; returns it there. */
static surety_str automaton_pack_within(surety_str within, char *out)
{
    if (within.len)
        memcpy(out, within.ptr, within.len);
    return (surety_str){out, within.len};
}

/* Puts the tables into one block of the right size: words first, bytes last. */
static surety_status automaton_pack(const struct automaton_builder *builder,
                                    const struct automaton_built *built,
                                    surety__pattern_simple *simple)
{
    const struct automaton_columns *columns = &builder->columns;
    const size_t roots = builder->net->root_count;
    const size_t wide_count = columns->wide_count;
    char prefix[PREFIX_MAX];
    unsigned start = built[0].start;
    const size_t prefix_len =
        roots > 1 ? 0 : automaton_prefix(builder, built, &start, prefix);
    const surety_str within =
        prefix_len ? (surety_str){NULL, 0} : simple->within;
    size_t row_count, cell_count;
    const size_t size =
        automaton_size(builder, built, &row_count, &cell_count) +
        wide_count * (sizeof(uint32_t) + 1) + 256 + prefix_len + within.len;
    uint64_t *rows = surety__resize(builder->net->alloc, NULL, 0, size);
    uint32_t *wide_from;
    uint16_t *next;
    uint8_t *column_of, *wide_column;

    if (!rows)
        return SURETY_NOMEM;
    wide_from = (uint32_t *)(rows + row_count);
    next = (uint16_t *)(wide_from + wide_count);
    assert(simple->form == PATTERN_PROGRAM);
    column_of = (uint8_t *)(next + cell_count);
    wide_column = column_of + 256;
    simple->form = PATTERN_AUTOMATON;
    simple->block = rows;
    simple->block_size = size;
    memcpy(wide_from, columns->wide_from, wide_count * sizeof(*wide_from));
    memcpy(wide_column, columns->wide_column, wide_count);
    memcpy(wide_column + wide_count, prefix, prefix_len);
    simple->within = automaton_pack_within(within, (char *)wide_column +
                                                       wide_count + prefix_len);
    automaton_pack_columns(columns, column_of);
    simple->literal =
        (surety_str){(const char *)wide_column + wide_count, prefix_len};
    simple->wide_count = wide_count;
    simple->wide_from = wide_from;
    simple->wide_column = wide_column;
    simple->column_of = column_of;
    simple->column_end = (unsigned)builder->column_end;
    simple->automaton_count = roots;
    simple->counted = builder->net->counted;
    simple->count_min = builder->net->count_min;
    simple->count_max = builder->net->count_max;
    for (size_t i = 0; i < roots; i++) {
        surety__automaton *automaton = &simple->automata[i];
        const bool few = built[i].state_count <= STATE_FEW;

        automaton->wanted = builder->net->roots[i].wanted;
        automaton->rows = few ? rows : NULL;
        automaton->next = few ? NULL : next;
        automaton->start = (i ? built[i].start : start) *
                           (few ? STATE_BITS : (unsigned)builder->width);
        if (few) {
            automaton_pack_rows(builder, &built[i], rows);
            rows += builder->width;
        } else {
            automaton_pack_next(builder, &built[i], next);
            next += built[i].state_count * builder->width;
        }
    }
    return SURETY_OK;
}

/* Takes the memory that most patterns need, at once. */
static surety_status automaton_reserve(struct automaton_builder *builder)
{
    enum { STATES = 24 };
    const surety_alloc *alloc = builder->net->alloc;
    surety_status status =
        surety__grow(alloc, (void **)&builder->sets, &builder->sets_cap,
                     STATES * builder->words, sizeof(*builder->sets), SIZE_MAX);

    if (!status)
        status = surety__grow(alloc, (void **)&builder->next,
                              &builder->next_cap, STATES * builder->width,
                              sizeof(*builder->next), SIZE_MAX);
    return status;
}

/* Makes the automata of a finished net, if they can be had. */
static surety_status automaton_make(surety__pattern_net *net, size_t accept,
                                    surety__pattern_simple *simple)
{
    struct automaton_builder builder;
    struct automaton_built built[PATTERN_ROOTS_MAX];
    surety_status status = SURETY_OK;

    builder.net = net;
    builder.accept = accept;
    builder.words = (net->count + 63) / 64;
    builder.sets = NULL;
    builder.sets_cap = 0;
    builder.next = NULL;
    builder.next_cap = 0;
    builder.next_count = 0;
    if (!columns_split_ascii(&builder.columns, net) ||
        !columns_split_wide(&builder.columns, net))
        return SURETY_OK;
    builder.column_end = builder.columns.count + 1;
    builder.width = builder.columns.count + 2;
    automaton_members(&builder);
    automaton_accepting(&builder);
    status = automaton_reserve(&builder);
    if (status)
        goto done;
    for (size_t i = 0; i < net->root_count; i++) {
        built[i].from = builder.next_count;
        status = automaton_build(&builder, i, &built[i].start);
        built[i].state_count = builder.state_count;
        if (status || built[i].start == STATE_NONE)
            goto done;
    }
    if (net->root_count == 1 && built[0].start == STATE_ALWAYS)
        simple->form = PATTERN_ALWAYS;
    else
        status = automaton_pack(&builder, built, simple);
done:
    surety__free(net->alloc, builder.sets,
                 builder.sets_cap * sizeof(*builder.sets));
    surety__free(net->alloc, builder.next,
                 builder.next_cap * sizeof(*builder.next));
    return status;
}

/* Whether the start is required behind an end, which only an empty text has
 * in this order. */
static bool net_turns_back(const surety__pattern_net *net)
{
    size_t i = 0;

    while ((i = surety__bits_next(net->ends, net->words, i)) <
           net->words * 64) {
        const uint64_t *follow = surety__net_follow(net, i++);

        for (size_t k = 0; k < net->words; k++)
            if (follow[k] & net->begins[k])
                return true;
    }
    return false;
}

surety_status surety__pattern_simplify(surety__pattern_net *net,
                                       surety__pattern_simple *simple)
{
    char bytes[PATTERN_POSITIONS_MAX * 4];
    size_t accept = net->refused ? 0 : surety__net_finish(net);
    surety_str text = {bytes, 0};
    surety_status status;

    if (net->starved)
        return SURETY_NOMEM;
    if (net->refused || net_turns_back(net))
        return SURETY_OK;
    if (!literal_find(net, accept, simple, bytes, &text.len)) {
        simple->within = text;
        if (text.len > WITHIN_MAX)
            simple->within.len = WITHIN_MAX;
        status = automaton_make(net, accept, simple);
        if (simple->form != PATTERN_AUTOMATON)
            simple->within = (surety_str){NULL, 0};
        return status;
    }
    if (text.len) {
        simple->block = surety__resize(net->alloc, NULL, 0, text.len);
        if (!simple->block)
            return SURETY_NOMEM;
        memcpy(simple->block, bytes, text.len);
    }
    simple->block_size = text.len;
    simple->literal = (surety_str){simple->block, text.len};
    simple->form = PATTERN_LITERAL;
    return SURETY_OK;
}

void surety__pattern_simple_done(surety__pattern_simple *simple,
                                 const surety_alloc *alloc)
{
    surety__free(alloc, simple->block, simple->block_size);
}

/* ---- matching ------------------------------------------------------------ */

/* The column of the character at *at, which moves on. */
static unsigned automaton_column(const surety__pattern_simple *simple,
                                 const char **at, const char *end)
{
    unsigned len = 1;
    size_t low = 0;
    size_t high = simple->wide_count;
    uint32_t code;

    if (!high || (uint8_t) * *at < 0x80)
        return simple->column_of[(uint8_t) * (*at)++];
    code = surety__utf8_decode(*at, end, &len);
    *at += len;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (simple->wide_from[middle] <= code)
            low = middle;
        else
            high = middle;
    }
    return simple->wide_column[low];
}

/* Whether the next four bytes are there and can be taken as they are; mask is
 * the bits that forbid it. */
static bool automaton_has_four(const char *at, const char *end, uint32_t mask)
{
    uint32_t four;

    if (end - at < (ptrdiff_t)sizeof(four))
        return false;
    memcpy(&four, at, sizeof(four));
    return !(four & mask);
}

/* One state after the other. The first two are never left, so four bytes may be
 * gone over before it is asked whether one of them is reached. */
static bool automaton_run_rows(const surety__pattern_simple *simple,
                               const surety__automaton *automaton,
                               surety_str text)
{
    const uint8_t *column_of = simple->column_of;
    const uint64_t *rows = automaton->rows;
    const uint32_t mask = simple->wide_count ? 0x80808080 : 0;
    const char *at = text.ptr;
    const char *end = at + text.len;
    uint64_t state = automaton->start;

    while (at < end && (state & 63) > STATE_BITS) {
        if (automaton_has_four(at, end, mask)) {
            state = rows[column_of[(uint8_t)at[0]]] >> (state & 63);
            state = rows[column_of[(uint8_t)at[1]]] >> (state & 63);
            state = rows[column_of[(uint8_t)at[2]]] >> (state & 63);
            state = rows[column_of[(uint8_t)at[3]]] >> (state & 63);
            at += 4;
        } else {
            state = rows[automaton_column(simple, &at, end)] >> (state & 63);
        }
    }
    return (rows[simple->column_end] >> (state & 63) & 63) == STATE_BITS;
}

static bool automaton_run_next(const surety__pattern_simple *simple,
                               const surety__automaton *automaton,
                               surety_str text)
{
    const uint16_t *next = automaton->next;
    const size_t always = simple->column_end + 1u;
    const char *at = text.ptr;
    const char *end = at + text.len;
    size_t state = automaton->start;

    while (at < end && state > always)
        state = next[state + automaton_column(simple, &at, end)];
    return next[state + simple->column_end] == always;
}

/* Whether text has as many characters as it must; a character is one to four
 * bytes, which often settles it. */
static bool automaton_counts(const surety__pattern_simple *simple,
                             surety_str text)
{
    size_t count;

    if (text.len < simple->count_min || text.len / 4 > simple->count_max)
        return false;
    if (text.len <= simple->count_max &&
        (text.len + 3) / 4 >= simple->count_min)
        return true;
    count = surety__utf8_count(text);
    return simple->count_min <= count && count <= simple->count_max;
}

static bool automaton_match(const surety__pattern_simple *simple,
                            surety_str text)
{
    const size_t skip = simple->literal.len;

    if (!text.len)
        text = SURETY__LITERAL("");
    if (simple->counted && !automaton_counts(simple, text))
        return false;
    if (skip) {
        if (!surety__str_starts(text, simple->literal))
            return false;
        surety__str_skip(&text, skip);
    }
    for (size_t i = 0; i < simple->automaton_count; i++) {
        const surety__automaton *automaton = &simple->automata[i];
        bool is = automaton->rows ? automaton_run_rows(simple, automaton, text)
                                  : automaton_run_next(simple, automaton, text);

        if (is != automaton->wanted)
            return false;
    }
    return true;
}

static bool literal_match(const surety__pattern_simple *simple, surety_str text)
{
    const surety_str literal = simple->literal;

    if (text.len < literal.len)
        return false;
    if (simple->starts && simple->ends)
        return surety_str_equal(text, literal);
    if (!literal.len)
        return true;
    if (simple->starts)
        return text.ptr[0] == literal.ptr[0] &&
               !memcmp(text.ptr, literal.ptr, literal.len);
    if (simple->ends)
        return !memcmp(text.ptr + text.len - literal.len, literal.ptr,
                       literal.len);
    return surety__str_find(text, literal) < text.len;
}

bool surety__pattern_simple_match(const surety__pattern_simple *simple,
                                  surety_str text)
{
    switch (simple->form) {
    case PATTERN_ALWAYS: return true;
    case PATTERN_LITERAL: return literal_match(simple, text);
    case PATTERN_AUTOMATON: return automaton_match(simple, text);
    case PATTERN_PROGRAM: break;
    }
    assert(false);
    return false;
}
