/* SPDX-License-Identifier: Apache-2.0 */
/* Makes texts: samples of formats, and texts for a pattern, made from its
 * source. A result is a guess that the caller checks: assertions and
 * back-references are ignored, and a class gives one likely character.
 *
 * A pattern is processed from left to right. A group may be repeated, or be an
 * alternative that is not chosen, so a frame stores where its text began. An
 * alternative is chosen by skipping the others. Groups nested deeper than
 * SCRIBE_FRAMES are refused. */
#include "prompt/prompt.h"

enum { SCRIBE_FRAMES = 32, SCRIBE_TEXT_MAX = 4096, SCRIBE_REPEAT_MAX = 1024 };

typedef struct format_sample {
    const char *formats[4]; /* those with these samples */
    const char *samples[3];
} format_sample;

/* Samples of each format of JSON Schema 2020-12, validation, section 7.3. */
static const format_sample format_samples[] = {
    {{"date-time"},
     {"2025-01-31T09:30:00Z", "2025-02-01T10:00:00Z", "2025-02-02T11:15:00Z"}},
    {{"date"}, {"2025-01-31", "2025-02-01", "2025-02-02"}},
    {{"time"}, {"09:30:00Z", "10:00:00Z", "11:15:00Z"}},
    {{"duration"}, {"P1DT2H", "PT30M", "P2W"}},
    {{"email", "idn-email"},
     {"name@example.com", "other@example.com", "third@example.com"}},
    {{"hostname", "idn-hostname"},
     {"example.com", "example.org", "example.net"}},
    {{"ipv4"}, {"192.0.2.1", "192.0.2.2", "192.0.2.3"}},
    {{"ipv6"}, {"2001:db8::1", "2001:db8::2", "2001:db8::3"}},
    {{"uri", "uri-reference", "iri", "iri-reference"},
     {"https://example.com/", "https://example.org/", "https://example.net/"}},
    {{"uuid"},
     {"123e4567-e89b-12d3-a456-426614174000",
      "123e4567-e89b-12d3-a456-426614174001",
      "123e4567-e89b-12d3-a456-426614174002"}},
    {{"uri-template"},
     {"https://example.com/{id}", "https://example.org/{id}",
      "https://example.net/{id}"}},
    {{"json-pointer"}, {"/a/b", "/a/c", "/a/d"}},
    {{"relative-json-pointer"}, {"0/a", "0/b", "0/c"}},
    {{"regex"}, {"^[a-z]+$", "^[0-9]+$", "^.*$"}},
};

bool surety__make_format(surety_str format, unsigned n, surety_buf *out)
{
    for (size_t i = 0; i < SURETY__COUNT(format_samples) && n < 3; i++) {
        const format_sample *row = &format_samples[i];

        for (size_t k = 0; k < 4 && row->formats[k]; k++)
            if (surety_str_equal(format, surety_str_of(row->formats[k]))) {
                surety_buf_text(out, row->samples[n]);
                return true;
            }
    }
    return false;
}

/* ---- patterns ------------------------------------------------------------ */

typedef struct scribe_state {
    const char *at, *end;
    surety_buf *out;
    unsigned choice, more;
    size_t start; /* of the text in out */
    size_t atom;  /* start of the last atom's text */
    bool refused;
    struct scribe_frame {
        size_t text; /* start of the group's text */
        bool silent; /* a lookaround: its text is discarded */
    } frames[SCRIBE_FRAMES];
    unsigned depth;
} scribe_state;

/* Skips a class, from after its "[" to after its "]". */
static const char *scribe_class_end(const char *at, const char *end)
{
    for (; at < end && *at != ']'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at < end ? at + 1 : end;
}

/* Skips the rest of the alternatives, up to the group's ")" or the end.
 * stop_at_bar: also stops at the next "|" of this group. */
static const char *scribe_skip(const char *at, const char *end,
                               bool stop_at_bar)
{
    unsigned depth = 0;

    while (at < end) {
        if (*at == '\\') {
            at++;
        } else if (*at == '[') {
            at = scribe_class_end(at + 1, end);
            continue;
        } else if (*at == '(') {
            depth++;
        } else if (*at == ')' && depth-- == 0) {
            return at;
        } else if (*at == '|' && depth == 0 && stop_at_bar) {
            return at;
        }
        if (at < end)
            at++;
    }
    return end;
}

/* At the start of alternatives: moves to the chosen one. */
static void scribe_choose(scribe_state *scribe)
{
    const char *at = scribe->at;
    unsigned count = 1;
    unsigned take;

    for (;;) {
        at = scribe_skip(at, scribe->end, true);
        if (at == scribe->end || *at != '|')
            break;
        count++;
        at++;
    }
    take = scribe->choice % count;
    scribe->choice /= count;
    while (take-- > 0)
        scribe->at = scribe_skip(scribe->at, scribe->end, true) + 1;
}

/* A character for an escape's letter; '\0': it matches no character. */
static char scribe_escape(char letter)
{
    static const char letters[] = "dwsSWDtnrfvpPbB0";
    static const char meant[] = "1a a-a\t\n\r\f\va1\0\0\0";
    const char *found = memchr(letters, letter, sizeof(letters) - 1);

    return found ? meant[found - letters] : letter;
}

/* Reads an escape after its backslash. Returns its code point; 0: it matches
 * no character. */
static uint32_t scribe_read_escape(scribe_state *scribe)
{
    const char letter = *scribe->at++;
    unsigned digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 0;
    uint32_t code = 0;

    if (letter == 'u' && scribe->at < scribe->end && *scribe->at == '{') {
        scribe->at++;
        while (scribe->at < scribe->end && surety__hex_digit(*scribe->at) < 16)
            code = (code << 4 | surety__hex_digit(*scribe->at++)) & 0x1FFFFF;
        if (scribe->at < scribe->end)
            scribe->at++;
        return code < 0xD800 || (code > 0xDFFF && code <= 0x10FFFF) ? code : 0;
    }
    for (; digits > 0 && scribe->at < scribe->end; digits--) {
        const unsigned digit = surety__hex_digit(*scribe->at);

        if (digit > 15)
            break;
        code = code << 4 | digit;
        scribe->at++;
    }
    if (letter == 'x' || letter == 'u')
        return code >= 0xD800 && code <= 0xDFFF ? 0 : code;
    if ((letter == 'p' || letter == 'P') && scribe->at < scribe->end &&
        *scribe->at == '{') {
        while (scribe->at < scribe->end && *scribe->at != '}')
            scribe->at++;
        if (scribe->at < scribe->end)
            scribe->at++;
    }
    return (unsigned char)scribe_escape(letter);
}

static void scribe_put(scribe_state *scribe, uint32_t code)
{
    char bytes[4];

    scribe->atom = scribe->out->len;
    if (code)
        surety_buf_append(scribe->out, bytes, surety__utf8_encode(code, bytes));
}

/* Reads a code point: an escape or a character. */
static uint32_t scribe_code(scribe_state *scribe)
{
    unsigned len;
    uint32_t code;

    if (*scribe->at == '\\' && scribe->at + 1 < scribe->end) {
        scribe->at++;
        return scribe_read_escape(scribe);
    }
    code = surety__utf8_decode(scribe->at, scribe->end, &len);
    scribe->at += len;
    return code;
}

/* Reads a class from after its "[" and appends a character of it: the first
 * letter if there is one. For a negated class, a character that it does not
 * list. */
static void scribe_class(scribe_state *scribe)
{
    static const char likely[] = "a1A _-x0Zz.~";
    const char *end = scribe_class_end(scribe->at, scribe->end);
    bool named[sizeof(likely)] = {false};
    uint32_t first = 0, letter = 0;
    bool negated = false;

    if (scribe->at < end && *scribe->at == '^') {
        negated = true;
        scribe->at++;
    }
    while (scribe->at + 1 < end) {
        const uint32_t low = scribe_code(scribe);
        uint32_t high = low;

        if (scribe->at + 2 < end && *scribe->at == '-') {
            scribe->at++;
            high = scribe_code(scribe);
        }
        if (!first)
            first = low;
        if (!letter && high >= 'a' && low <= 'z')
            letter = low > 'a' ? low : 'a';
        for (size_t i = 0; i + 1 < sizeof(likely); i++)
            named[i] |=
                low <= (uint32_t)likely[i] && (uint32_t)likely[i] <= high;
    }
    scribe->at = end;
    if (!negated) {
        scribe_put(scribe, letter ? letter : first);
        return;
    }
    for (size_t i = 0; i + 1 < sizeof(likely); i++) {
        if (!named[i]) {
            scribe_put(scribe, (unsigned char)likely[i]);
            return;
        }
    }
    scribe->refused = true;
}

/* Reads a number of a quantifier. */
static unsigned scribe_count(scribe_state *scribe)
{
    unsigned count = 0;

    while (scribe->at < scribe->end && surety__is_digit(*scribe->at)) {
        if (count < SCRIBE_REPEAT_MAX)
            count = count * 10 + (unsigned)(*scribe->at - '0');
        scribe->at++;
    }
    return count;
}

/* Reads the quantifier after an atom, if there is one, and repeats or removes
 * the atom's text. */
static void scribe_repeat(scribe_state *scribe)
{
    surety_buf *out = scribe->out;
    const size_t len = out->len - scribe->atom;
    unsigned min = 1, max = 1;

    assert(scribe->atom <= out->len);
    if (scribe->at < scribe->end && memchr("*+?", *scribe->at, 3)) {
        min = *scribe->at == '+';
        max = *scribe->at == '?' ? 1 : SCRIBE_REPEAT_MAX;
        scribe->at++;
    } else if (scribe->at + 1 < scribe->end && *scribe->at == '{' &&
               surety__is_digit(scribe->at[1])) {
        scribe->at++;
        min = max = scribe_count(scribe);
        if (scribe->at < scribe->end && *scribe->at == ',') {
            scribe->at++;
            max = scribe->at < scribe->end && *scribe->at == '}'
                      ? SCRIBE_REPEAT_MAX
                      : scribe_count(scribe);
        }
        if (scribe->at < scribe->end)
            scribe->at++;
    } else {
        return;
    }
    if (scribe->at < scribe->end && *scribe->at == '?')
        scribe->at++;
    max = max < min + scribe->more ? max : min + scribe->more;
    if (max == 0)
        out->len = scribe->atom;
    for (unsigned i = 1; i < max && len; i++) {
        if (out->len - scribe->start > SCRIBE_TEXT_MAX)
            break;
        if (surety__buf_room(out, len))
            memcpy(out->ptr + out->len, out->ptr + scribe->atom, len);
        if (out->status == SURETY_OK)
            out->len += len;
    }
}

/* Begins a group, from after its "(". */
static void scribe_open(scribe_state *scribe)
{
    struct scribe_frame *frame;

    if (scribe->depth == SCRIBE_FRAMES) {
        scribe->refused = true;
        return;
    }
    frame = &scribe->frames[scribe->depth++];
    *frame = (struct scribe_frame){.text = scribe->out->len};
    if (scribe->at < scribe->end && *scribe->at == '?') {
        const char kind = scribe->at + 1 < scribe->end ? scribe->at[1] : ':';
        const char next = scribe->at + 2 < scribe->end ? scribe->at[2] : ':';

        frame->silent = kind == '=' || kind == '!' ||
                        (kind == '<' && (next == '=' || next == '!'));
        while (scribe->at < scribe->end && !memchr(":=!>", *scribe->at, 4))
            scribe->at++;
        if (scribe->at < scribe->end)
            scribe->at++;
    }
    scribe_choose(scribe);
}

static void scribe_close(scribe_state *scribe)
{
    const struct scribe_frame *frame;

    if (scribe->depth == 0) {
        scribe->refused = true;
        return;
    }
    frame = &scribe->frames[--scribe->depth];
    assert(frame->text >= scribe->start && frame->text <= scribe->out->len);
    scribe->atom = frame->text;
    if (frame->silent)
        scribe->out->len = frame->text;
    scribe_repeat(scribe);
}

bool surety__make_pattern(surety_str source, unsigned n, unsigned more,
                          surety_buf *out)
{
    scribe_state scribe = {.at = source.ptr,
                           .end = source.len ? source.ptr + source.len
                                             : source.ptr,
                           .out = out,
                           .choice = n,
                           .more = more,
                           .start = out->len,
                           .atom = out->len};

    if (!source.len)
        return true;
    scribe_choose(&scribe);
    while (scribe.at < scribe.end && !scribe.refused &&
           out->status == SURETY_OK &&
           out->len - scribe.start <= SCRIBE_TEXT_MAX) {
        const char byte = *scribe.at;

        if (byte == '^' || byte == '$') {
            scribe.at++;
        } else if (byte == '|') {
            scribe.at = scribe_skip(scribe.at, scribe.end, false);
        } else if (byte == '(') {
            scribe.at++;
            scribe_open(&scribe);
        } else if (byte == ')') {
            scribe.at++;
            scribe_close(&scribe);
        } else if (byte == '[') {
            scribe.at++;
            scribe_class(&scribe);
            scribe_repeat(&scribe);
        } else {
            scribe_put(&scribe, byte == '.' ? (scribe.at++, (uint32_t)'a')
                                            : scribe_code(&scribe));
            scribe_repeat(&scribe);
        }
    }
    return !scribe.refused && scribe.depth == 0 && out->status == SURETY_OK;
}
