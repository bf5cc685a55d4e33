/* SPDX-License-Identifier: Apache-2.0 */
/* Finds arrays and objects in prose.
 *
 * At each "{" or "[" the strict reader tries to read a value, into the document
 * of the caller who asks for one candidate after the other, and says where the
 * value ends. Where that is no JSON, a recogniser measures how far the broken
 * value goes: it follows the grammar of RFC 8259 with a stack of open brackets,
 * until the value closes, the text ends, or a byte comes that no JSON text can
 * have there. In the last case the brackets that had looked like JSON by then
 * decide (a key and a colon, an item and a comma, or what start.c takes for a
 * value that a model wrote): from the outermost of those on, brackets are only
 * balanced, and the whole is given as one broken value. If none looked like
 * JSON, they are brackets of prose, and the search goes on behind them.
 *
 * Choices:
 * - A string may hold raw line ends while the grammar is followed; where
 *   brackets are balanced a string ends with its line, and if the string before
 *   the impossible byte went over a line end, balancing starts with it: a lone
 *   quote costs a line, not the rest of the reply.
 * - A broken value that balancing never closes ends where its brackets balance
 *   without regard to strings, if they ever do.
 * - A value that is open at the end gives nothing, and no part of it is given
 *   either: a part of a reply that was cut off is not the reply. Only an array
 *   of plain items that broke ("in [0, 1) and") and an object with an unquoted
 *   key are taken for prose then.
 * - A string in a bracket of prose may hide a value ({"x then {"a":1}), so the
 *   search goes on inside of it.
 *
 * 1. Text that reads as JSON is text that the recogniser follows to the same
 *    end: what is found does not depend on whether a document was given.
 * 2. Linear: going back is paid for out of SURETY__PASSES_MAX times the text,
 *    reading in vain out of SURETY__READS_MAX times. A pass that has used up
 * the former ends; the latter leaves the rest to the recogniser.
 * 3. Brackets deeper than SURETY__FRAMES_MAX are only counted.
 * 4. Nothing recurses; the recogniser allocates nothing. */
#include "extract/finder.h"

enum {
    VALUE_LOOK_MAX = 256 /* bytes that are read of a value at first */
};

enum value_state {
    VALUE_ITEM_OR_END,
    VALUE_KEY_OR_END,
    VALUE_ITEM,
    VALUE_KEY,
    VALUE_COLON,
    VALUE_COMMA
};

enum value_end {
    VALUE_CLOSED,   /* the value ends at pos */
    VALUE_BROKEN,   /* the byte at pos is impossible */
    VALUE_TOO_DEEP, /* more brackets than frames */
    VALUE_OPEN      /* the text ends */
};

enum value_last { VALUE_LAST_NONE, VALUE_LAST_STRING, VALUE_LAST_NESTED };

struct value_reader {
    const char *text;
    size_t pos, end;
    surety__opened *frames;
    size_t depth;
    enum value_state state;
    enum value_last last; /* what stood before the impossible byte */
    size_t string;        /* the last string's opening quote */
    surety__span nested;  /* the last value that closed in an open one */
};

static enum value_end value_follow(struct value_reader *reader);
static bool value_token(struct value_reader *reader);
static void value_close(struct value_reader *reader);
static bool value_read(surety_finder *finder, size_t start, size_t to,
                       surety__span *ret_span);
static size_t value_seek(surety_finder *finder, size_t from, size_t to);
static bool value_recover(struct value_reader *reader, enum value_end outcome,
                          surety_finder *finder, surety__span *ret_span);
static bool value_balance(struct value_reader *reader, size_t base, size_t from,
                          surety__span *ret_span);
static bool value_near(struct value_reader *reader);

bool surety__value_next(surety_finder *finder, size_t from, size_t to,
                        surety__span *ret_span)
{
    struct value_reader reader = {.text = finder->reply.ptr,
                                  .pos = from,
                                  .end = to,
                                  .frames = finder->frames};
    const size_t work_max = SURETY__PASSES_MAX * finder->reply.len;

    while (finder->pass.work <= work_max) {
        const size_t start = value_seek(finder, reader.pos, to);
        enum value_end outcome;
        bool found;

        finder->pass.work += start - reader.pos + 1;
        if (start == to)
            return false;
        reader.pos = start;
        if (value_read(finder, start, to, ret_span)) {
            finder->pass.work += ret_span->end - start;
            finder->pass.open = SURETY__NOWHERE;
            return true;
        }
        outcome = value_follow(&reader);
        finder->pass.work += reader.pos - start;
        if (outcome == VALUE_CLOSED) {
            *ret_span = (surety__span){(uint32_t)start, (uint32_t)reader.pos};
            finder->pass.open = SURETY__NOWHERE;
            return true;
        }
        found = value_recover(&reader, outcome, finder, ret_span);
        if (found)
            finder->pass.open = SURETY__NOWHERE;
        if (found || reader.pos >= to)
            return found;
    }
    return false;
}

size_t surety__value_string(const char *text, size_t at, size_t to)
{
    const char *hit = text + at;

    while ((hit = memchr(hit + 1, '"', (size_t)(text + to - hit - 1)))) {
        const char *first = hit;

        while (first[-1] == '\\')
            first--;
        /* Linear: backslashes in a row precede one quote only. */
        if ((hit - first) % 2 == 0)
            return (size_t)(hit - text) + 1;
    }
    return SURETY__NOWHERE;
}

/* The next bracket that opens, from `from` on, or `to`. Where the next brace
 * and the next square bracket stand is kept for the pass, or a text with only
 * one of them would be searched for the other again and again. */
static size_t value_seek(surety_finder *finder, size_t from, size_t to)
{
    static const char marks[] = "{[";
    const char *ptr = finder->reply.ptr;
    size_t next = to;

    for (int i = 0; i < 2 && from < to; i++) {
        size_t at = finder->pass.marks[i].at;

        if (at <= from || from < finder->pass.marks[i].from) {
            const char *hit = ptr[from] == marks[i]
                                  ? ptr + from
                                  : memchr(ptr + from, marks[i], to - from);

            at = hit ? (size_t)(hit - ptr) : to;
            finder->pass.marks[i].from = from;
            finder->pass.marks[i].at = at;
        }
        next = at < next ? at : next;
    }
    return next;
}

/* ---- reading ------------------------------------------------------------- */

/* Whether JSON may go on behind the bracket at start. Of prose the byte behind
 * a bracket tells. */
static bool value_may_be_json(const char *text, size_t start, size_t to)
{
    size_t at = start + 1;

    while (at < to && surety__is_space(text[at]))
        at++;
    if (at == to)
        return false;
    return text[start] == '{'
               ? memchr("\"}", text[at], 2) != NULL
               : memchr("]{[\"-0123456789tfn", text[at], 18) != NULL;
}

/* Where the last bracket that closes before `to` ends; 0: there is none. Kept
 * for the pass: it does not depend on where a value starts. */
static size_t value_closing(surety_finder *finder, size_t to)
{
    const char *text = finder->reply.ptr;
    size_t at = to;

    if (finder->pass.closing.to == to)
        return finder->pass.closing.at;
    while (at && text[at - 1] != '}' && text[at - 1] != ']')
        at--;
    finder->pass.closing.to = to;
    finder->pass.closing.at = at;
    return at;
}

/* Reads the value at start into the document that the caller of a lazy search
 * gave. A short look comes first: most values in prose are short. What is read
 * in vain is paid for out of SURETY__READS_MAX times the text. */
static bool value_read(surety_finder *finder, size_t start, size_t to,
                       surety__span *ret_span)
{
    const char *text = finder->reply.ptr;
    size_t end = value_closing(finder, to);
    size_t len = 0;
    bool read = false;

    if (!finder->doc || end <= start || !value_may_be_json(text, start, to) ||
        finder->reads > SURETY__READS_MAX * finder->reply.len)
        return false;
    for (size_t max = VALUE_LOOK_MAX; !read && len < end - start;
         max = SIZE_MAX) {
        len = end - start < max ? end - start : max;
        read =
            surety__doc_read_first(finder->doc, (surety_str){text + start, len},
                                   &finder->limits, &max);
        finder->reads += read ? 0 : max;
    }
    finder->has_read = read;
    if (read)
        *ret_span = (surety__span){(uint32_t)start,
                                   (uint32_t)(start + finder->doc->text_len)};
    return read;
}

/* ---- following ----------------------------------------------------------- */

/* Opens the bracket at pos. */
static bool value_open(struct value_reader *reader)
{
    const bool object = reader->text[reader->pos] == '{';

    assert(object || reader->text[reader->pos] == '[');
    if (reader->depth == SURETY__FRAMES_MAX)
        return false;
    if (reader->depth)
        reader->frames[reader->depth - 1].deep = true;
    reader->frames[reader->depth++] =
        (surety__opened){.start = (uint32_t)reader->pos, .object = object};
    reader->state = object ? VALUE_KEY_OR_END : VALUE_ITEM_OR_END;
    reader->last = VALUE_LAST_NONE;
    reader->pos++;
    return true;
}

/* Follows the value whose bracket is at pos. */
static enum value_end value_follow(struct value_reader *reader)
{
    reader->depth = 0;
    value_open(reader);
    for (;;) {
        surety__opened *top = &reader->frames[reader->depth - 1];
        const enum value_state state = reader->state;
        char byte;

        while (reader->pos < reader->end &&
               surety__is_space(reader->text[reader->pos]))
            reader->pos++;
        if (reader->pos == reader->end)
            return VALUE_OPEN;
        byte = reader->text[reader->pos];
        if (state == VALUE_COLON) {
            if (byte != ':')
                return VALUE_BROKEN;
            top->looks = true;
            reader->state = VALUE_ITEM;
            reader->pos++;
        } else if (state == VALUE_COMMA && byte == ',') {
            top->looks = true;
            reader->state = top->object ? VALUE_KEY : VALUE_ITEM;
            reader->pos++;
        } else if (byte == (top->object ? '}' : ']')) {
            if (state == VALUE_KEY || state == VALUE_ITEM)
                return VALUE_BROKEN;
            value_close(reader);
            if (!reader->depth)
                return VALUE_CLOSED;
        } else if (state == VALUE_COMMA) {
            return VALUE_BROKEN;
        } else if (byte == '"') {
            const size_t end =
                surety__value_string(reader->text, reader->pos, reader->end);

            reader->string = reader->pos;
            reader->last = VALUE_LAST_STRING;
            reader->pos = end == SURETY__NOWHERE ? reader->end : end;
            if (end == SURETY__NOWHERE)
                return VALUE_OPEN;
            reader->state = state == VALUE_KEY || state == VALUE_KEY_OR_END
                                ? VALUE_COLON
                                : VALUE_COMMA;
        } else if (state == VALUE_KEY || state == VALUE_KEY_OR_END) {
            return VALUE_BROKEN;
        } else if (byte == '{' || byte == '[') {
            if (!value_open(reader))
                return VALUE_TOO_DEEP;
        } else if (!value_token(reader)) {
            return VALUE_BROKEN;
        }
    }
}

/* Closes the top bracket; the closing one is at pos. */
static void value_close(struct value_reader *reader)
{
    assert(reader->depth);
    reader->pos++;
    reader->depth--;
    reader->nested = (surety__span){reader->frames[reader->depth].start,
                                    (uint32_t)reader->pos};
    reader->last = VALUE_LAST_NESTED;
    reader->state = VALUE_COMMA;
}

/* Whether a number may hold byte; its exact form is the reader's business. */
static bool value_is_digit(char byte)
{
    return (byte >= '0' && byte <= '9') || byte == '.' || byte == 'e' ||
           byte == 'E' || byte == '+' || byte == '-';
}

/* Reads the number or literal at pos. */
static bool value_token(struct value_reader *reader)
{
    const surety_str rest = {reader->text + reader->pos,
                             reader->end - reader->pos};
    size_t len = 0;

    if (rest.ptr[0] == '-' || (rest.ptr[0] >= '0' && rest.ptr[0] <= '9')) {
        while (len < rest.len && value_is_digit(rest.ptr[len]))
            len++;
    } else if (surety__str_starts(rest, SURETY__LITERAL("true")) ||
               surety__str_starts(rest, SURETY__LITERAL("null"))) {
        len = 4;
    } else if (surety__str_starts(rest, SURETY__LITERAL("false"))) {
        len = 5;
    } else {
        return false;
    }
    reader->pos += len;
    reader->last = VALUE_LAST_NONE;
    reader->state = VALUE_COMMA;
    return true;
}

/* Decides about a value that did not close. True: it is given, pos is behind
 * it. False: pos is where the search goes on. */
static bool value_recover(struct value_reader *reader, enum value_end outcome,
                          surety_finder *finder, surety__span *ret_span)
{
    const size_t stop = reader->pos;
    const size_t top = reader->depth - 1;
    size_t base = 0;
    size_t from = stop;
    bool near, weak, balanced;

    near = outcome == VALUE_BROKEN && value_near(reader);
    while (base <= top && !reader->frames[base].looks)
        base++;
    if (outcome == VALUE_TOO_DEEP)
        base = 0;
    if (outcome == VALUE_OPEN && finder->pass.open == SURETY__NOWHERE)
        finder->pass.open = reader->frames[0].start;
    if (base > top) {
        if (reader->last == VALUE_LAST_NESTED && outcome == VALUE_BROKEN) {
            *ret_span = reader->nested;
            reader->pos = reader->nested.end;
            return true;
        }
        if (reader->last == VALUE_LAST_STRING)
            reader->pos = reader->string + 1;
        return false;
    }
    if (outcome == VALUE_OPEN)
        return false;
    if (reader->last == VALUE_LAST_STRING &&
        (memchr(reader->text + reader->string, '\n', stop - reader->string) ||
         memchr(reader->text + reader->string, '\r', stop - reader->string)))
        from = reader->string;
    weak = base == top &&
           (near || !(reader->frames[top].object || reader->frames[top].deep));
    if (finder->pass.open == SURETY__NOWHERE)
        finder->pass.open = reader->frames[base].start;
    balanced = value_balance(reader, base, from, ret_span);
    finder->pass.work += reader->pos - from;
    if (balanced) {
        reader->pos = ret_span->end;
        return true;
    }
    reader->pos = weak ? stop : reader->end;
    return false;
}

/* Whether a comment is at pos, or what models write in place of a first key or
 * item. The bracket then looks like JSON. */
static bool value_near(struct value_reader *reader)
{
    const surety_str text = {reader->text, reader->end};
    surety__opened *top = &reader->frames[reader->depth - 1];

    if (reader->state != VALUE_KEY_OR_END && reader->state != VALUE_ITEM_OR_END)
        return false;
    top->looks = surety__start_comment(text, reader->pos) ||
                 surety__start_is_json(text, top->start);
    return top->looks;
}

/* What balancing keeps besides the frames. */
struct value_balancer {
    size_t kinds[2]; /* open brackets of each kind, from the base on */
    size_t over;     /* open brackets that have no frame */
    size_t plain;    /* open brackets, strings not regarded */
    size_t plain_end;
};

static void value_balance_open(struct value_reader *reader,
                               struct value_balancer *balancer);
static bool value_balance_close(struct value_reader *reader, size_t base,
                                struct value_balancer *balancer);
static size_t value_balance_string(const struct value_reader *reader,
                                   char quote, struct value_balancer *balancer);

/* Counts a bracket at `at`, whether or not it is in a string. */
static void value_balance_plain(struct value_balancer *balancer, char byte,
                                size_t at)
{
    if (balancer->plain_end)
        return;
    if (byte == '{' || byte == '[')
        balancer->plain++;
    else if ((byte == '}' || byte == ']') && --balancer->plain == 0)
        balancer->plain_end = at + 1;
}

/* Balances the brackets of the value that starts at frame base, from `from` on.
 * A closing bracket also closes open ones of the other kind inside of its own,
 * and is passed over where it has none. */
static bool value_balance(struct value_reader *reader, size_t base, size_t from,
                          surety__span *ret_span)
{
    const uint32_t start = reader->frames[base].start;
    struct value_balancer balancer = {.plain = reader->depth - base};
    char last = '{';

    for (size_t i = base; i < reader->depth; i++)
        balancer.kinds[reader->frames[i].object]++;
    for (reader->pos = from; reader->pos < reader->end; reader->pos++) {
        const char byte = reader->text[reader->pos];

        if (byte == '"') {
            reader->pos = value_balance_string(reader, byte, &balancer);
        } else if (byte == '\'' &&
                   (last == '{' || last == '[' || last == ',' || last == ':')) {
            reader->pos = value_balance_string(reader, byte, &balancer);
        } else if (byte == '{' || byte == '[') {
            value_balance_open(reader, &balancer);
        } else if (byte == '}' || byte == ']') {
            value_balance_plain(&balancer, byte, reader->pos);
            if (value_balance_close(reader, base, &balancer)) {
                *ret_span = (surety__span){start, (uint32_t)reader->pos + 1};
                reader->pos++;
                return true;
            }
        }
        if (!surety__is_space(byte))
            last = byte;
    }
    reader->pos = reader->end;
    *ret_span = (surety__span){start, (uint32_t)balancer.plain_end};
    return balancer.plain_end != 0;
}

static void value_balance_open(struct value_reader *reader,
                               struct value_balancer *balancer)
{
    const bool object = reader->text[reader->pos] == '{';

    value_balance_plain(balancer, '{', reader->pos);
    if (balancer->over || reader->depth == SURETY__FRAMES_MAX) {
        balancer->over++;
        return;
    }
    reader->frames[reader->depth++] =
        (surety__opened){.start = (uint32_t)reader->pos, .object = object};
    balancer->kinds[object]++;
}

/* Closes for the bracket at pos; true: the base closed. */
static bool value_balance_close(struct value_reader *reader, size_t base,
                                struct value_balancer *balancer)
{
    const bool object = reader->text[reader->pos] == '}';

    if (balancer->over) {
        balancer->over--;
        return false;
    }
    if (!balancer->kinds[object])
        return false;
    for (;;) {
        const bool kind = reader->frames[--reader->depth].object;

        balancer->kinds[kind]--;
        if (kind == object)
            return reader->depth == base;
    }
}

/* The last byte of the string whose quote is at pos; of one in double
 * quotes that its line does not close, the last byte of the line; of one in
 * single quotes then the quote itself, which is an apostrophe. */
static size_t value_balance_string(const struct value_reader *reader,
                                   char quote, struct value_balancer *balancer)
{
    const size_t plain = balancer->plain;
    const size_t plain_end = balancer->plain_end;
    size_t at = reader->pos + 1;

    for (; at < reader->end; at++) {
        const char byte = reader->text[at];

        if (byte == quote)
            return at;
        if (byte == '\n' || byte == '\r')
            break;
        if (byte == '\\' && at + 1 < reader->end &&
            reader->text[at + 1] != '\n')
            at++;
        else
            value_balance_plain(balancer, byte, at);
    }
    if (quote == '"')
        return at < reader->end ? at : reader->end - 1;
    balancer->plain = plain;
    balancer->plain_end = plain_end;
    return reader->pos;
}
