/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of the early no, over texts and what may follow them.
 *
 * 1. Sound: what is said to be lost after some bytes is not valid, however it
 *    goes on. A prefix that is lost is continued at random, with names and
 *    values that are in the schema and its instances, which is where those
 *    stand that matter to it.
 * 2. Early: what a keyword says of a part of the value is reported when the
 * part has ended, and what depends on more than the part, like a branch of a
 *    union, when the whole has.
 *
 * Names that come twice are left out: then the last counts, and on the way
 * nobody waits for that (stream.h). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suite/stream_early.h"

enum { WORDS = 512, WORD_SIZE = 400, DEPTH = 64 };

static struct early {
    surety_val words[WORDS];
    size_t count, seen;
    uint64_t random;
    surety_stream *stream;
    surety_judge *judge;
    surety_contract *anything; /* true */
    surety_buf text, word;
} early;

static void early_begin(void)
{
    if (early.stream)
        return;
    early.random = 0x9E3779B97F4A7C15u;
    early.stream = surety_stream_new(NULL, NULL);
    early.judge = surety_judge_new(NULL, NULL);
    surety_buf_init(&early.text, NULL, 0);
    surety_buf_init(&early.word, NULL, 0);
    surety_contract_read(surety_str_of("true"), NULL, &early.anything, NULL);
}

void early_done(void)
{
    surety_stream_free(early.stream);
    surety_judge_free(early.judge);
    surety_contract_free(early.anything);
    surety_buf_done(&early.text);
    surety_buf_done(&early.word);
}

static size_t early_random(size_t below)
{
    early.random ^= early.random << 13;
    early.random ^= early.random >> 7;
    early.random ^= early.random << 17;
    return (size_t)(early.random >> 11) % below;
}

/* ---- words --------------------------------------------------------------- */

static void early_forget(void)
{
    early.count = early.seen = 0;
}

static void early_take(surety_val val)
{
    surety_val child = surety_val_first(val);

    early_begin();
    /* Each that was seen is kept with the same chance. */
    early.seen++;
    if (early.count < WORDS)
        early.words[early.count++] = val;
    else if (early_random(early.seen) < WORDS)
        early.words[early_random(WORDS)] = val;
    for (; child.doc; child = surety_val_next(val, child)) {
        const surety_val key = surety_val_key(child);

        if (key.doc && early.count < WORDS)
            early.words[early.count++] = key;
        early_take(child);
    }
}

/* Writes one of the words, a string if that is asked for. */
static void early_word(surety_buf *out, bool string)
{
    for (int tries = 0; tries < 20 && early.count; tries++) {
        const surety_val val = early.words[early_random(early.count)];

        if (string && surety_val_kind(val) != SURETY_KIND_STRING)
            continue;
        surety_buf_reset(&early.word);
        surety_val_write(val, SURETY_STYLE_COMPACT, &early.word);
        if (early.word.len > WORD_SIZE)
            continue;
        surety_buf_add(out, surety_buf_str(&early.word));
        return;
    }
    surety_buf_text(out, string ? "\"a\"" : "[]");
}

static void early_children(surety_buf *out, char open, bool comma,
                           unsigned depth);

static void early_value(surety_buf *out, unsigned depth)
{
    const char *const open = early_random(2) ? "{" : "[";

    if (!depth || early_random(3)) {
        early_word(out, false);
        return;
    }
    surety_buf_text(out, open);
    early_children(out, *open, false, depth - 1);
}

/* A few more members or items, and the end. */
static void early_children(surety_buf *out, char open, bool comma,
                           unsigned depth)
{
    for (size_t left = early_random(4); left; left--) {
        if (comma)
            surety_buf_text(out, ",");
        comma = true;
        if (open == '{') {
            early_word(out, true);
            surety_buf_text(out, ":");
        }
        early_value(out, depth);
    }
    surety_buf_text(out, open == '{' ? "}" : "]");
}

/* ---- what follows -------------------------------------------------------- */

/* Where a prefix of a JSON text ends. */
struct early_end {
    char stack[DEPTH]; /* the brackets that are open */
    size_t depth;
    enum {
        END_FIRST, /* behind a bracket that opens */
        END_NEXT,  /* behind a value */
        END_KEY,   /* behind a comma in an object */
        END_COLON, /* behind a key */
        END_VALUE
    } state;
    size_t start; /* of the scalar that is open, or the length */
};

static bool early_is_scalar(char byte)
{
    return !memchr("{}[]:, \t\r\n\"", byte, 12);
}

/* The string at `at`: where it ends, or len. */
static size_t early_string(surety_str text, size_t at)
{
    for (at++; at < text.len && text.ptr[at] != '"'; at++)
        at += text.ptr[at] == '\\';
    return at < text.len ? at + 1 : text.len + 1;
}

static void early_sign(struct early_end *end, char byte)
{
    const bool object = end->depth && end->stack[end->depth - 1] == '{';

    switch (byte) {
    case '{':
    case '[':
        end->stack[end->depth++] = byte;
        end->state = END_FIRST;
        break;
    case '}':
    case ']':
        end->depth--;
        end->state = END_NEXT;
        break;
    case ',': end->state = object ? END_KEY : END_VALUE; break;
    case ':': end->state = END_VALUE; break;
    default: break;
    }
}

/* text is the beginning of a JSON text; false where it nests too deep. */
static bool early_read(surety_str text, struct early_end *end)
{
    *end = (struct early_end){.state = END_VALUE};
    for (size_t at = 0; at < text.len;) {
        const bool object = end->depth && end->stack[end->depth - 1] == '{';
        const char byte = text.ptr[at];

        end->start = at;
        if (byte != '"' && !early_is_scalar(byte)) {
            if (end->depth == DEPTH)
                return false;
            early_sign(end, byte);
            end->start = ++at;
            continue;
        }
        if (byte == '"')
            at = early_string(text, at);
        else
            while (at < text.len && early_is_scalar(text.ptr[at]))
                at++;
        end->state = object && end->state != END_VALUE ? END_COLON : END_NEXT;
        if (byte == '"' && at <= text.len)
            end->start = at;
    }
    return true;
}

/* The rest of the scalar that is open; whole is the text that it stood in. */
static void early_scalar(surety_buf *out, surety_str whole, size_t start,
                         size_t at)
{
    static const char *const more[] = {"", "", "0", "5", "e1", ".5", "00"};
    const char first = whole.ptr[start];
    const bool same = early_random(2);

    if (first == '"') {
        while (same && at < whole.len && whole.ptr[at] != '"' &&
               whole.ptr[at] != '\\')
            surety_buf_byte(out, whole.ptr[at++]);
        if (!same && early_random(2))
            surety_buf_byte(out, 'a');
        surety_buf_byte(out, '"');
    } else if (same || memchr("tfn", first, 3)) {
        while (at < whole.len && early_is_scalar(whole.ptr[at]))
            surety_buf_byte(out, whole.ptr[at++]);
    } else {
        surety_buf_text(out, more[early_random(7)]);
    }
}

/* Makes a text of the first `at` bytes of whole and what may follow; false
 * where that cannot be done. */
static bool early_continue(surety_str whole, size_t at, surety_buf *out)
{
    const surety_str prefix = {whole.ptr, at};
    struct early_end end;

    if ((at < whole.len && ((unsigned char)whole.ptr[at] & 0xC0) == 0x80) ||
        !early_read(prefix, &end))
        return false;
    surety_buf_reset(out);
    surety_buf_add(out, prefix);
    if (end.start < at)
        early_scalar(out, whole, end.start, at);
    while (end.depth) {
        const char open = end.stack[--end.depth];

        if (end.state == END_KEY) {
            early_word(out, true);
            end.state = END_COLON;
        }
        if (end.state == END_COLON)
            surety_buf_text(out, ":");
        if (end.state == END_COLON || end.state == END_VALUE)
            early_value(out, 1);
        early_children(out, open, end.state != END_FIRST, 1);
        end.state = END_NEXT;
    }
    return true;
}

/* ---- laws ---------------------------------------------------------------- */

static bool early_is_twice(surety_str text)
{
    const surety_judge_options how = {.size = sizeof(how), .native = text};
    const surety_outcome *outcome;

    if (surety_judge_reply(early.judge, early.anything, (surety_str){NULL, 0},
                           &how, &outcome, NULL))
        return true;
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->warning_count; i++)
        if (surety_str_equal(surety_outcome_warning(outcome, i).keyword,
                             surety_str_of("duplicate_key")))
            return true;
    return false;
}

static bool early_is_good(const surety_contract *contract, surety_str text,
                          const surety_repair *level)
{
    const surety_judge_options how = {
        .size = sizeof(how), .native = text, .repair = level};
    const surety_outcome *outcome;

    return !surety_judge_reply(early.judge, contract, (surety_str){NULL, 0},
                               &how, &outcome, NULL) &&
           surety_outcome_info_of(outcome)->ok;
}

/* Where the value at `at` ends. */
static size_t early_value_end(surety_str text, size_t at)
{
    size_t depth = 0;

    do {
        const char byte = text.ptr[at];

        if (byte == '"') {
            at = early_string(text, at);
            continue;
        }
        if (!depth && early_is_scalar(byte)) {
            while (at < text.len && early_is_scalar(text.ptr[at]))
                at++;
            break;
        }
        depth += byte == '{' || byte == '[';
        depth -= byte == '}' || byte == ']';
        at++;
    } while (depth && at < text.len);
    return at;
}

/* Whether what a finding says may depend on more than its part. */
static bool early_is_wide(surety_str location)
{
    static const char *const keywords[] = {"anyOf",
                                           "oneOf",
                                           "not",
                                           "if",
                                           "then",
                                           "else",
                                           "unevaluated",
                                           "dynamicRef",
                                           "recursiveRef",
                                           "dependen",
                                           "propertyDependencies"};
    char text[256];

    if (location.len >= sizeof(text))
        return true;
    memcpy(text, location.ptr, location.len);
    text[location.len] = '\0';
    for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
        if (strstr(text, keywords[i]))
            return true;
    return false;
}

static size_t early_blanks(surety_str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\n'))
        at++;
    return at;
}

/* When a part of the text that begins at `at` has been seen: of a name when its
 * value begins. The end of a number, and of a string without characters, is
 * seen at the sign behind it. */
static size_t early_seen(surety_str text, size_t at)
{
    const size_t end = early_value_end(text, at);
    const size_t behind = early_blanks(text, end);

    if (behind < text.len && text.ptr[behind] == ':') {
        at = early_blanks(text, behind + 1);
        return early_value_end(text, at) == at + 2 ? early_seen(text, at)
                                                   : at + 2;
    }
    return !memchr("{[\"", text.ptr[at], 3) || end == at + 2 ? behind + 1 : end;
}

/* After how many bytes the text has to be lost. */
static size_t early_deadline(const surety_contract *contract, surety_str text,
                             bool dynamic)
{
    const surety_judge_options how = {.size = sizeof(how), .native = text};
    const surety_outcome *outcome;
    size_t deadline = text.len;

    if (surety_judge_reply(early.judge, contract, (surety_str){NULL, 0}, &how,
                           &outcome, NULL))
        return text.len;
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->error_count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        if (!dynamic && !early_is_wide(issue.keyword_location) &&
            issue.position.offset < text.len) {
            const size_t seen = early_seen(text, issue.position.offset);

            deadline = seen < deadline ? seen : deadline;
        }
    }
    return deadline;
}

static bool early_is_dynamic(const surety_contract *contract)
{
    bool dynamic;

    surety_buf_reset(&early.word);
    surety_val_write(surety_contract_info_of(contract)->root,
                     SURETY_STYLE_COMPACT, &early.word);
    surety_buf_byte(&early.word, '\0');
    dynamic = strstr(early.word.ptr, "$dynamicRef") ||
              strstr(early.word.ptr, "$recursiveRef") ||
              strstr(early.word.ptr, "\"$ref\":\"https://json-schema.org");
    return dynamic;
}

static void early_try(const surety_contract *contract, surety_str text,
                      unsigned rounds)
{
    static const surety_repair levels[] = {
        SURETY_REPAIR_NONE, SURETY_REPAIR_SYNTAX, SURETY_REPAIR_ALIGN};
    const surety_val schema = surety_contract_info_of(contract)->root;

    early_begin();
    if (!text.len || early_is_twice(text))
        return;
    for (size_t i = 0; i < 3; i++) {
        const surety_judge_options how = {.size = sizeof(how),
                                          .repair = &levels[i]};
        const bool good = early_is_good(contract, text, &levels[i]);
        const size_t said =
            suite_feed(early.stream, contract, &how, true, text, 1);

        if (good && said != SIZE_MAX)
            suite_wrong("what is good is lost", schema, text, said);
        if (i == 0 && !good && memchr("{[", *text.ptr, 2) &&
            said > early_deadline(contract, text, early_is_dynamic(contract)))
            suite_wrong("what is not valid is reported late", schema, text,
                        said);
        for (unsigned r = 0; said != SIZE_MAX && r < rounds; r++) {
            surety_str other;

            if (!early_continue(text, said, &early.text))
                break;
            other = surety_buf_str(&early.text);
            if (early_is_good(contract, other, &levels[i]) &&
                !early_is_twice(other))
                suite_wrong("what is lost can go on", schema, other, said);
        }
    }
}

/* ---- groups -------------------------------------------------------------- */

/* Schemas: @ is that of the group, ~ that of another. */
static const char *const early_schemas[] = {
    "@",
    "{\"not\":@}",
    "{\"not\":{\"not\":@}}",
    "{\"oneOf\":[@,~]}",
    "{\"if\":@,\"then\":~,\"else\":{\"not\":~}}",
    "{\"allOf\":[{\"if\":~,\"else\":{\"not\":@}}]}",
    "{\"items\":{\"not\":@},"
    "\"additionalProperties\":{\"oneOf\":[@,~,{\"not\":~}]}}",
    "{\"not\":{\"properties\":{\"foo\":@,\"bar\":~}},"
    "\"items\":{\"if\":@,\"then\":{\"uniqueItems\":true}}}",
    "{\"dependentSchemas\":{\"foo\":@,\"bar\":{\"not\":~}},"
    "\"not\":{\"minProperties\":1,\"required\":[\"baz\"]}}",
    "{\"contains\":@,\"maxContains\":1,"
    "\"not\":{\"contains\":~,\"minContains\":2}}",
    "{\"not\":{\"contains\":@,\"maxContains\":2},"
    "\"if\":{\"minItems\":2},\"then\":{\"uniqueItems\":true}}",
    "{\"not\":{\"uniqueItems\":true},"
    "\"items\":{\"not\":{\"maxItems\":1}}}",
    "{\"oneOf\":[{\"required\":[\"foo\"]},{\"not\":@},"
    "{\"required\":[\"foo\"],\"maxProperties\":1}]}",
    "{\"if\":{\"patternProperties\":{\"^f\":@}},\"then\":"
    "{\"propertyNames\":{\"maxLength\":3}},"
    "\"else\":{\"dependentRequired\":{\"foo\":[\"bar\"]}}}",
    "{\"not\":{\"propertyNames\":@},"
    "\"oneOf\":[{\"dependentRequired\":{\"foo\":[\"bar\"]}},~]}",
};

/* What is made of the group's data: @ is that. */
static const char *const early_texts[] = {
    "@",
    "[@]",
    "[@,@]",
    "[0,@,1]",
    "[@,{},@]",
    "{\"foo\":@}",
    "{\"foo\":@,\"bar\":@}",
    "{\"bar\":1,\"foo\":@,\"baz\":2}",
};

/* Writes a schema, without the dialect where it is a part of another. */
static void early_schema(surety_val schema, bool part, surety_buf *out)
{
    bool comma = false;

    if (!part || surety_val_kind(schema) != SURETY_KIND_OBJECT) {
        surety_val_write(schema, SURETY_STYLE_COMPACT, out);
        return;
    }
    surety_buf_text(out, "{");
    for (surety_val child = surety_val_first(schema); child.doc;
         child = surety_val_next(schema, child)) {
        const surety_val key = surety_val_key(child);

        if (surety_str_equal(surety_val_str(key), surety_str_of("$schema")))
            continue;
        surety_buf_text(out, comma ? "," : "");
        surety_val_write(key, SURETY_STYLE_COMPACT, out);
        surety_buf_text(out, ":");
        surety_val_write(child, SURETY_STYLE_COMPACT, out);
        comma = true;
    }
    surety_buf_text(out, "}");
}

/* Fills in a pattern of those above. */
static void early_fill(const char *pattern, surety_val at, surety_val tilde,
                       surety_buf *out)
{
    const bool part = pattern[1] != '\0';

    surety_buf_reset(out);
    for (; *pattern; pattern++) {
        if (*pattern == '@' || *pattern == '~')
            early_schema(*pattern == '@' ? at : tilde, part, out);
        else
            surety_buf_byte(out, *pattern);
    }
}

static void early_data(const surety_contract *contract, surety_val tests,
                       unsigned rounds)
{
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    for (surety_val test = surety_val_first(tests); test.doc;
         test = surety_val_next(tests, test)) {
        const surety_val data = surety_val_get(test, "data");

        for (size_t i = 0; i < sizeof(early_texts) / sizeof(*early_texts);
             i++) {
            early_fill(early_texts[i], data, data, &text);
            early_try(contract, surety_buf_str(&text), rounds);
        }
        surety_buf_reset(&text);
        surety_val_write(data, SURETY_STYLE_PRETTY, &text);
        early_try(contract, surety_buf_str(&text), rounds);
    }
    for (unsigned i = 0; i < 2 * rounds; i++) {
        surety_buf_reset(&text);
        early_value(&text, 2);
        early_try(contract, surety_buf_str(&text), rounds);
    }
    surety_buf_done(&text);
}

void early_group(surety_val group, surety_val other,
                 const surety_schema_options *options, unsigned rounds)
{
    const surety_contract_options how = {.size = sizeof(how),
                                         .schema = options};
    /* What they are made of does not depend on the dialect. */
    const size_t count = options->dialect == SURETY_DIALECT_2020_12
                             ? sizeof(early_schemas) / sizeof(*early_schemas)
                             : 1;
    surety_buf schema;

    early_begin();
    early_forget();
    early_take(group);
    early_take(surety_val_get(other, "schema"));
    surety_buf_init(&schema, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        surety_contract *contract = NULL;

        early_fill(early_schemas[i], surety_val_get(group, "schema"),
                   surety_val_get(other, "schema"), &schema);
        /* Some are no schemas: references lead elsewhere. */
        if (surety_contract_read(surety_buf_str(&schema), &how, &contract,
                                 NULL))
            continue;
        early_data(contract, surety_val_get(group, "tests"), rounds);
        surety_contract_free(contract);
    }
    surety_buf_done(&schema);
}
