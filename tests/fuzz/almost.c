/* SPDX-License-Identifier: Apache-2.0 */
/* almost.c: writes a value in one of the shapes of mistakes. A shape is a row
 * of spellings; what only a few shapes do is a flag. The texts of a value are
 * such that the row can write them without another meaning. */
#include "almost.h"

#include <string.h>

enum flag {
    FLAG_ONCE = 1,     /* the mistake is made at one place, chosen */
    FLAG_LINES = 2,    /* one member or item a line */
    FLAG_SOME = 4,     /* at some places, chosen */
    FLAG_INNER = 8,    /* the texts have quotes without backslashes */
    FLAG_HOLDS = 16,   /* a text holds JSON without backslashes */
    FLAG_FRAME = 32,   /* only around the value */
    FLAG_RAW = 64,     /* the texts have raw line ends */
    FLAG_ESCAPE = 128, /* the texts have backslashes that begin no escape */
    FLAG_ROWS = 256,   /* between rows brace and comma are missing */
    FLAG_FORMS = 512,  /* numbers are written otherwise */
};

/* How a shape writes; NULL: as JSON. */
struct spelling {
    const char *name;
    unsigned flags;
    const char *key_open, *key_close, *colon;
    const char *open, *close; /* around a text */
    const char *comma;        /* between members and items */
    const char *last;         /* behind the last one */
    const char *yes, *no, *null;
    const char *before, *behind;           /* around the whole */
    const char *brace, *end, *list, *stop; /* the brackets */
};

static const struct spelling spellings[] = {
    {.name = "valid"},
    {.name = "single quotes",
     .key_open = "'",
     .key_close = "'",
     .open = "'",
     .close = "'"},
    {.name = "typographic quotes",
     .key_open = "“",
     .key_close = "”",
     .open = "“",
     .close = "”"},
    {.name = "full-width quotes",
     .key_open = "＂",
     .key_close = "＂",
     .open = "＂",
     .close = "＂"},
    {.name = "backticks", .open = "`", .close = "`"},
    {.name = "keys without quotes", .key_open = "", .key_close = ""},
    {.name = "a key between two kinds of quotes",
     .flags = FLAG_LINES,
     .key_open = "“",
     .key_close = "\""},
    {.name = "trailing commas", .last = ","},
    {.name = "trailing commas at line ends", .flags = FLAG_LINES, .last = ","},
    {.name = "block comments", .flags = FLAG_SOME, .comma = "/* \"so\", */, "},
    {.name = "line comments", .flags = FLAG_SOME, .comma = ", // [a], it's\n"},
    {.name = "hash comments", .flags = FLAG_SOME, .comma = ", # {so}\n"},
    {.name = "markup comments", .flags = FLAG_SOME, .comma = " <!-- so -->,"},
    {.name = "a comment before the bracket", .last = " // so\n"},
    {.name = "no comma at a line end",
     .flags = FLAG_ONCE | FLAG_LINES,
     .comma = ""},
    {.name = "semicolons", .flags = FLAG_LINES, .comma = ";"},
    {.name = "doubled commas", .flags = FLAG_ONCE, .comma = ",, "},
    {.name = "Python's literals", .yes = "True", .no = "False", .null = "None"},
    {.name = "a Python dictionary",
     .key_open = "'",
     .key_close = "'",
     .open = "'",
     .close = "'",
     .yes = "True",
     .no = "False",
     .null = "None"},
    {.name = "undefined", .null = "undefined"},
    {.name = "equals signs", .colon = " = "},
    {.name = "arrows", .colon = " => "},
    {.name = "no colon", .flags = FLAG_ONCE, .colon = " "},
    {.name = "no-break spaces", .colon = ":\xC2\xA0", .comma = ",\xC2\xA0"},
    {.name = "form feeds", .colon = ":\f", .comma = ",\f"},
    {.name = "full-width signs",
     .colon = "：",
     .comma = "，",
     .brace = "｛",
     .end = "｝",
     .list = "［",
     .stop = "］"},
    {.name = "escaped as a whole",
     .key_open = "\\\"",
     .key_close = "\\\"",
     .open = "\\\"",
     .close = "\\\""},
    {.name = "entities",
     .key_open = "&quot;",
     .key_close = "&quot;",
     .open = "&quot;",
     .close = "&quot;"},
    {.name = "doubled quotes",
     .key_open = "\"\"",
     .key_close = "\"\"",
     .open = "\"\"",
     .close = "\"\""},
    {.name = "triple quotes", .open = "\"\"\"", .close = "\"\"\""},
    {.name = "strings in parts", .open = "\"\" + \"", .close = "\""},
    {.name = "quotes inside", .flags = FLAG_INNER | FLAG_LINES},
    {.name = "JSON inside", .flags = FLAG_HOLDS | FLAG_LINES},
    {.name = "raw line ends", .flags = FLAG_RAW},
    {.name = "backslashes", .flags = FLAG_ESCAPE},
    {.name = "numbers", .flags = FLAG_FORMS},
    {.name = "a bracket too many", .flags = FLAG_FRAME, .behind = "}"},
    {.name = "a fence",
     .flags = FLAG_FRAME,
     .before = "So:\n```json\n",
     .behind = "\n```\nIs it good?"},
    {.name = "an open fence", .flags = FLAG_FRAME, .before = "```json\n"},
    {.name = "prose",
     .flags = FLAG_FRAME,
     .before = "I took {that}, so it is ",
     .behind = ". Good?"},
    {.name = "thoughts",
     .flags = FLAG_FRAME,
     .before = "<think>Is it {\"id\": 0}?</think>\n"},
    {.name = "a program",
     .flags = FLAG_FRAME,
     .before = "const it = ",
     .behind = ";"},
    {.name = "a callback",
     .flags = FLAG_FRAME,
     .before = "callback(",
     .behind = ");"},
    {.name = "a byte order mark",
     .flags = FLAG_FRAME,
     .before = "\xEF\xBB\xBF"},
    {.name = "rows without brace and comma", .flags = FLAG_ROWS},
};

unsigned almost_shape_count(void)
{
    return sizeof(spellings) / sizeof(*spellings);
}

const char *almost_shape(unsigned shape)
{
    return spellings[shape].name;
}

/* ---- values ----------------------------------------------------------------
 */

static const char *const keys[] = {"id", "title", "city", "max_count", "k"};

static const char *const plain_texts[] = {
    "",     "Oslo",        "a, b", "no: yes",  "it is [so]", "caf\xC3\xA9",
    "12",   "12 kg",       "null", "{x}",      "a => b",     "x = 1; y",
    "f(x)", "one, two: 3", "1/2",  "# 7 // 8",
};
static const char *const inner_texts[] = {
    "The \"big\" lamp",
    "a \"b\" c",
    "he said \"no\" twice",
    "\"so\" it is",
};
static const char *const held_texts[] = {
    "{\"b\": 1}",
    "{\"b\": 1, \"c\": \"d\"}",
    "[\"x\", \"y\"]",
    "{\"b\": {\"c\": [1, 2]}, \"d\": \"e\"}",
};
static const char *const raw_texts[] = {"one\ntwo", "a\tb", "x\n\n- y\n- z"};
static const char *const odd_texts[] = {"^\\d+\\.\\w$", "C:\\dir\\sub",
                                        "5\\% of \\$7", "D:\\new\\data"};

static const struct number {
    const char *json, *odd;
} numbers[] = {
    {"5", "+5"},      {"31", "0x1F"}, {"1000", "1_000"}, {"0.5", ".5"},
    {"-7", "-0b111"}, {"7.0", "7."},  {"0", "0o0"},      {"12.75", "12.75"},
};

struct writer {
    struct choices *choices;
    const struct spelling *row;
    struct almost *out;
    unsigned once; /* signs until the mistake that is made once */
};

static void both(struct writer *writer, const char *json, const char *reply)
{
    surety_buf_text(&writer->out->json, json);
    surety_buf_text(&writer->out->reply, reply ? reply : json);
}

/* Whether the mistake is made at this place. */
static bool here(struct writer *writer)
{
    if (writer->row->flags & FLAG_SOME)
        return choose(writer->choices, 2);
    if (writer->row->flags & FLAG_ONCE)
        return writer->once-- == 0;
    return true;
}

static void write_text(struct writer *writer)
{
    const unsigned flags = writer->row->flags;
    const char *text = flags & FLAG_INNER   ? PICK(writer->choices, inner_texts)
                       : flags & FLAG_HOLDS ? PICK(writer->choices, held_texts)
                       : flags & FLAG_RAW   ? PICK(writer->choices, raw_texts)
                       : flags & FLAG_ESCAPE
                           ? PICK(writer->choices, odd_texts)
                           : PICK(writer->choices, plain_texts);

    surety_json_string(&writer->out->json, surety_str_of(text));
    surety_buf_text(&writer->out->reply,
                    writer->row->open ? writer->row->open : "\"");
    surety_buf_text(&writer->out->reply, text);
    surety_buf_text(&writer->out->reply,
                    writer->row->close ? writer->row->close : "\"");
    surety_buf_text(&writer->out->contract, "{\"type\":\"string\"}");
}

static void write_scalar(struct writer *writer, unsigned kind)
{
    const struct spelling *row = writer->row;
    const struct number *number;

    switch (kind) {
    case 0: write_text(writer); return;
    case 1:
        number = &PICK(writer->choices, numbers);
        both(writer, number->json,
             row->flags & FLAG_FORMS ? number->odd : number->json);
        surety_buf_text(&writer->out->contract, "{\"type\":\"number\"}");
        return;
    case 2:
        if (choose(writer->choices, 2))
            both(writer, "true", row->yes);
        else
            both(writer, "false", row->no);
        surety_buf_text(&writer->out->contract, "{\"type\":\"boolean\"}");
        return;
    default:
        both(writer, "null", row->null);
        surety_buf_text(&writer->out->contract, "{\"type\":\"null\"}");
    }
}

/* Writes what stands between two members or items, or before the first. */
static void write_gap(struct writer *writer, unsigned i)
{
    const struct spelling *row = writer->row;

    surety_buf_text(&writer->out->json, i ? "," : "");
    if (i)
        surety_buf_text(&writer->out->reply,
                        row->comma && here(writer) ? row->comma : ", ");
    surety_buf_text(&writer->out->reply, row->flags & FLAG_LINES ? "\n  " : "");
}

static void write_end(struct writer *writer, unsigned count, const char *json,
                      const char *reply)
{
    const struct spelling *row = writer->row;

    if (count && row->last)
        surety_buf_text(&writer->out->reply, row->last);
    surety_buf_text(&writer->out->reply, row->flags & FLAG_LINES ? "\n" : "");
    both(writer, json, reply);
}

static void write_value(struct writer *writer, unsigned depth);

static void write_list(struct writer *writer, unsigned depth)
{
    const struct spelling *row = writer->row;
    const unsigned count = choose(writer->choices, 4);
    const unsigned kind = choose(writer->choices, 4);

    both(writer, "[", row->list);
    surety_buf_text(&writer->out->contract, "{\"type\":\"array\"");
    for (unsigned i = 0; i < count; i++) {
        const size_t len = writer->out->contract.len;

        write_gap(writer, i);
        if (kind == 3 && depth) {
            write_value(writer, depth - 1);
            writer->out->contract.len = len; /* items of any kind */
            continue;
        }
        surety_buf_text(&writer->out->contract, ",\"items\":");
        write_scalar(writer, kind % 3);
        if (i)
            writer->out->contract.len = len;
    }
    write_end(writer, count, "]", row->stop);
    surety_buf_text(&writer->out->contract, "}");
}

/* open: the closing brace is missing. */
static void write_object(struct writer *writer, unsigned depth, bool open)
{
    const struct spelling *row = writer->row;
    const unsigned first = choose(writer->choices, 5);
    const unsigned count = 1 + choose(writer->choices, 4);
    struct almost *out = writer->out;

    both(writer, "{", row->brace);
    surety_buf_text(&out->contract, "{\"type\":\"object\","
                                    "\"additionalProperties\":false,"
                                    "\"properties\":{");
    for (unsigned i = 0; i < count; i++) {
        const char *key = keys[(first + i) % 5];

        write_gap(writer, i);
        surety_json_string(&out->json, surety_str_of(key));
        surety_buf_text(&out->json, ":");
        surety_buf_text(&out->reply, row->key_open ? row->key_open : "\"");
        surety_buf_text(&out->reply, key);
        surety_buf_text(&out->reply, row->key_close ? row->key_close : "\"");
        surety_buf_text(&out->reply,
                        row->colon && here(writer) ? row->colon : ": ");
        surety_buf_text(&out->contract, i ? "," : "");
        surety_json_string(&out->contract, surety_str_of(key));
        surety_buf_text(&out->contract, ":");
        write_value(writer, depth);
    }
    surety_buf_text(&out->contract, "},\"required\":[");
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(&out->contract, i ? "," : "");
        surety_json_string(&out->contract,
                           surety_str_of(keys[(first + i) % 5]));
    }
    surety_buf_text(&out->contract, "]}");
    if (open)
        surety_buf_text(&out->json, "}");
    else
        write_end(writer, count, "}", row->end);
}

static void write_value(struct writer *writer, unsigned depth)
{
    const unsigned kind = choose(writer->choices, depth ? 7 : 4);

    if (kind < 4)
        write_scalar(writer, kind);
    else if (kind < 6)
        write_list(writer, depth - 1);
    else
        write_object(writer, depth - 1, false);
}

/* Writes two rows of scalars; the first has no closing brace, and no comma
 * follows. */
static void write_rows(struct writer *writer)
{
    const size_t len = writer->out->contract.len;

    both(writer, "[", NULL);
    write_object(writer, 0, true);
    both(writer, ",", " ");
    write_object(writer, 0, false);
    both(writer, "]", NULL);
    writer->out->contract.len = len;
    surety_buf_text(&writer->out->contract,
                    "{\"type\":\"array\",\"items\":{\"type\":\"object\"}}");
}

/* ---- replies ---------------------------------------------------------------
 */

void almost_init(struct almost *almost)
{
    surety_buf_init(&almost->json, NULL, 0);
    surety_buf_init(&almost->contract, NULL, 0);
    surety_buf_init(&almost->reply, NULL, 0);
}

void almost_done(struct almost *almost)
{
    surety_buf_done(&almost->json);
    surety_buf_done(&almost->contract);
    surety_buf_done(&almost->reply);
}

void almost_make(struct choices *choices, unsigned shape, struct almost *almost)
{
    struct writer writer = {.choices = choices, .out = almost};
    const struct spelling *row = &spellings[shape];

    surety_buf_reset(&almost->json);
    surety_buf_reset(&almost->contract);
    surety_buf_reset(&almost->reply);
    writer.row = row;
    writer.once = choose(choices, 3);
    surety_buf_text(&almost->reply, row->before ? row->before : "");
    if (row->flags & FLAG_ROWS)
        write_rows(&writer);
    else
        write_object(&writer, 2, false);
    surety_buf_text(&almost->reply, row->behind ? row->behind : "");
    if (choose(choices, 2) == 0) {
        surety_buf_reset(&almost->contract);
        surety_buf_text(&almost->contract, "true");
    }
}

/* Whether a byte of the reply is in a text, between its quotes. */
static bool damage_is_text(const char *text, size_t at)
{
    bool quoted = false;

    for (size_t i = 0; i < at; i++)
        quoted ^= text[i] == '"';
    return quoted && text[at] != '"';
}

void almost_damage(struct choices *choices, struct almost *almost)
{
    static const char signs[] = "{}[],:\"";
    static const char others[] = "{}[],:\"'`/#\\;=() <>+-.*0aT";
    char *text;
    size_t at, len;

    almost_make(choices, 0, almost);
    surety_buf_byte(&almost->reply, '\0'); /* room for one more */
    text = almost->reply.ptr;
    len = --almost->reply.len;
    at = (choose(choices, 256) << 8 | choose(choices, 256)) % len;
    while (at < len && !strchr(signs, text[at]))
        at++;
    if (at == len)
        at = 0;
    switch (choose(choices, damage_is_text(text, at) ? 2 : 4)) {
    case 0:
        memmove(text + at, text + at + 1, len - at - 1);
        almost->reply.len--;
        break;
    case 1:
        memmove(text + at + 1, text + at, len - at);
        almost->reply.len++;
        break;
    case 2:
        memmove(text + at + 1, text + at, len - at);
        almost->reply.len++;
        text[at] = others[choose(choices, sizeof(others) - 1)];
        break;
    default: text[at] = others[choose(choices, sizeof(others) - 1)];
    }
}
