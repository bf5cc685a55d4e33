/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant pass of the judge: which candidate is taken, what is repaired
 * and told, what was cut off, and what must not be repaired. What the reader
 * and the aligner make of a text is tested with them. */
#include "check.h"

#include <surety/reply.h>

#include <string.h>

#define OBJECT                                                                 \
    "\"type\":\"object\",\"required\":[\"id\",\"title\"],"                     \
    "\"additionalProperties\":false,\"properties\":{"                          \
    "\"id\":{\"type\":\"integer\"},\"title\":{\"type\":\"string\"}}"
#define ROWS "{\"type\":\"array\",\"items\":{" OBJECT "}}"
#define SCHEMA "{" OBJECT "}"
#define STRINGS "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"

/* Any value but an object without an integer id; and the same, or a string. */
#define UNTYPED                                                                \
    "{\"required\":[\"id\"],\"properties\":{\"id\":{\"type\":\"integer\"}}}"
#define NAMED                                                                  \
    "{\"anyOf\":[{\"$ref\":\"#/$defs/"                                         \
    "s\"},{\"type\":\"object\",\"allOf\":[" UNTYPED                            \
    "]}],\"$defs\":{\"s\":{\"type\":\"string\"}}}"

enum { CERTAIN_ONLY = 1, PARTIAL = 2, CUT = 4 };

struct repair_case {
    const char *schema;
    const char *reply;
    surety_repair level;
    unsigned flags;
    const char *value; /* NULL: it is not valid */
    const char *told;  /* the kinds of repair, or the first error */
    surety_place place;
};

#define NONE SURETY_REPAIR_NONE
#define SYNTAX SURETY_REPAIR_SYNTAX
#define ALIGN SURETY_REPAIR_ALIGN
#define WHOLE SURETY_PLACE_WHOLE
#define FENCE SURETY_PLACE_FENCE
#define EMBEDDED SURETY_PLACE_EMBEDDED
#define GOOD "{\"id\":1,\"title\":\"a\"}"

static const struct repair_case cases[] = {
    /* levels */
    {SCHEMA, "{\"id\":1,\"title\":\"a\",}", NONE, 0, NULL,
     "a comma is not allowed before }", WHOLE},
    {SCHEMA, "{\"id\":1,\"title\":\"a\",}", SYNTAX, 0, GOOD, "trailing-comma",
     WHOLE},
    {SCHEMA, "{\"id\":\"1\",\"title\":\"a\"}", SYNTAX, 0, NULL,
     "\"1\" is a string, but must be an integer", WHOLE},
    {SCHEMA, "{\"id\":\"1\",\"title\":\"a\"}", ALIGN, 0, GOOD,
     "number-from-text", WHOLE},
    {SCHEMA, "{'id':'1','title':'a'}", ALIGN, 0, GOOD,
     "single-quote single-quote single-quote single-quote number-from-text",
     WHOLE},
    /* strict JSON is what it is */
    {SCHEMA, GOOD, ALIGN, 0, GOOD, "", WHOLE},
    {SCHEMA, "So: " GOOD ".", ALIGN, 0, GOOD, "", EMBEDDED},
    {SCHEMA, "```json\n" GOOD "\n```\n", ALIGN, 0, GOOD, "", FENCE},
    /* places: in their order, and within one what takes least */
    {SCHEMA, "So {'id':0,'title':'b'}:\n```json\n{'id':1,'title':'a'}\n```",
     SYNTAX, 0, GOOD, "single-quote single-quote single-quote", FENCE},
    {SCHEMA, "```json\n{'id':0,'title':'b'}\n```\n```json\n" GOOD "\n```",
     SYNTAX, 0, GOOD, "", FENCE},
    {SCHEMA, "{'id':0 'title':'b'} or {'id':1,'title':'a'}", SYNTAX, 0, GOOD,
     "single-quote single-quote single-quote", EMBEDDED},
    {SCHEMA, "{'id':1,'title':'a'} or {'id':2,'title':'b'}", SYNTAX, 0, GOOD,
     "single-quote single-quote single-quote", EMBEDDED},
    /* a part of what is almost JSON is not the value; nor are footnotes */
    {"true", "So { \"a\" [1], 'b': {} }", SYNTAX, 0, "{\"a\":[1],\"b\":{}}",
     "missing-colon single-quote", EMBEDDED},
    {SCHEMA, "See [1]: {'id':1,'title':'a'}", SYNTAX, 0, GOOD, "single-quote",
     EMBEDDED},
    {"true", "{\"ok\" 1}", SYNTAX, 0, "{\"ok\":1}", "missing-colon", WHOLE},
    {"true", "{\"a\" 1, \"b\" [2]}", SYNTAX, 0, "{\"a\":1,\"b\":[2]}",
     "missing-colon missing-colon", WHOLE},
    /* nor is a part of JSON that cannot be read, or was closed too early */
    {"true", "{\"a\": [\"n\": 1}, {\"n\": 2}], \"b\": true}", SYNTAX, 0, NULL,
     "a comma or the end of the array is expected", WHOLE},
    {"true", "{\"a\": [{\"n\": 1}, \"n\": 2}], \"b\": true}", SYNTAX, 0, NULL,
     "expected a comma or ]", WHOLE},
    {"true", "So [{\"a\": 1, {\"b\": 2}, ?], and {\"c\": 3}.", NONE, 0,
     "{\"c\":3}", "", EMBEDDED},
    {"true", "So [{\"a\": 1, ?}, {\"b\": 2}]. Now {'c': 3}.", SYNTAX, 0,
     "{\"c\":3}", "single-quote", EMBEDDED},
    {"true", "So [{\"a\": 1, ?}, {\"b\": 2}].", SYNTAX, 0, NULL, "expected",
     EMBEDDED},
    /* what is valid as it stands is the value at every level */
    {"true", "See [1]: {'a':2}", SYNTAX, 0, "[1]", "", EMBEDDED},
    {STRINGS, "Of [202], it is [[\"a\", \"b\"].", ALIGN, 0, "[\"a\",\"b\"]", "",
     EMBEDDED},
    {"true", "It is {{\"a\": 1}, and {\"b\": 2} is[ not.", ALIGN, 0,
     "{\"a\":1}", "", EMBEDDED},
    {"true", "[]  {\n", ALIGN, PARTIAL, "[]", "", EMBEDDED},
    {"true", "`{\"a\": 1}`", ALIGN, 0, "{\"a\":1}", "", EMBEDDED},
    {"true", "'''\n{\"a\": 1}\n'''", ALIGN, 0, "{\"a\":1}", "", EMBEDDED},
    {"true", "'a'", SYNTAX, 0, "\"a\"", "single-quote", WHOLE},
    {"true", "See [1].", SYNTAX, 0, "[1]", "", EMBEDDED},
    {"true", "I hope this helps {smile}.", SYNTAX, 0, NULL,
     "nothing that looks like JSON was found", SURETY_PLACE_NONE},
    {"true", "[a, b]", SYNTAX, 0, "[\"a\",\"b\"]",
     "unquoted-value unquoted-value", WHOLE},
    {"true", "No JSON here.", ALIGN, 0, NULL,
     "nothing that looks like JSON was found", SURETY_PLACE_NONE},
    /* fences that the strict search does not know */
    {SCHEMA, "```json\n" GOOD, SYNTAX, 0, GOOD, "", FENCE},
    {SCHEMA, "```json " GOOD " ```", SYNTAX, 0, GOOD, "", FENCE},
    {SCHEMA, "```json\n{\"id\":1,\"title\":\"\n```\na\n```\n\"}\n```", SYNTAX,
     0, "{\"id\":1,\"title\":\"\\n```\\na\\n```\\n\"}", "control-character",
     FENCE},
    {SCHEMA, "```json\nresult = " GOOD ";\n```", SYNTAX, 0, GOOD, "wrapper",
     FENCE},
    {SCHEMA, GOOD "}", SYNTAX, 0, GOOD, "extra-close", WHOLE},
    /* what was cut off is not closed */
    {SCHEMA, "{\"id\":1,\"title\":\"a", ALIGN, 0, NULL,
     "the reply is cut off: the string at \"/title\" does not end", WHOLE},
    {SCHEMA, "{\"id\":1,\"title\":", ALIGN, 0, NULL,
     "the reply is cut off: the root object does not end", WHOLE},
    {SCHEMA, "{\"id\":1,\"title\":\"a\"", ALIGN, 0, GOOD, "missing-close",
     WHOLE},
    {SCHEMA, "{\"id\":1,\"title\":\"a\"", ALIGN, CERTAIN_ONLY, NULL,
     "the reply is cut off: the root object does not end", WHOLE},
    {SCHEMA, "{\"id\":1,\"title\":\"a\"", ALIGN, CUT, NULL,
     "the reply is cut off: the root object does not end", WHOLE},
    {SCHEMA, GOOD, ALIGN, CUT, GOOD, "", WHOLE},
    {SCHEMA, "```json\n" GOOD "\n", ALIGN, CUT, GOOD, "", FENCE},
    {SCHEMA, "Like " GOOD ":\n```json\n{\"id\":2,\"title\":\"b", SYNTAX, 0,
     GOOD, "", EMBEDDED},
    {SCHEMA, "Like {'id':1,'title':'a'}:\n```json\n{\"id\":2,\"title\":\"b",
     SYNTAX, 0, NULL,
     "the reply is cut off: the string at \"/title\" does not end", FENCE},
    {SCHEMA, "Like {'id':1,'title':'a'}:\n```json\n{\"no\":2,\"title\":\"b",
     SYNTAX, 0, GOOD, "single-quote single-quote single-quote", EMBEDDED},
    {"{\"type\":\"integer\"}", "12", ALIGN, 0, "12", "", WHOLE},
    /* partial values */
    {SCHEMA, "{\"id\":1,\"title\":\"a", SYNTAX, PARTIAL, GOOD, "", WHOLE},
    {SCHEMA, "{\"id\":1,\"ti", SYNTAX, PARTIAL, "{\"id\":1}", "", WHOLE},
    {SCHEMA, "{\"id\":1,\"title\":\"a", NONE, PARTIAL, GOOD, "", WHOLE},
    {SCHEMA, "{\"id\":1,\"title\":\"a\n", NONE, PARTIAL, GOOD, "", WHOLE},
    {SCHEMA, "{\"id\":1,\"title\":\"a\r\n\n", SYNTAX, PARTIAL, GOOD, "", WHOLE},
    {SCHEMA, "{\"id\":1,\"title\":\"a\n", NONE, PARTIAL | CUT, GOOD, "", WHOLE},
    {SCHEMA, "```json\n{\"id\":1,\"title\":\"a\n", NONE, PARTIAL, GOOD, "",
     FENCE},
    {SCHEMA, "{'id':1,'title':'a", NONE, PARTIAL, NULL,
     "a string must be in double quotes", WHOLE},
    {SCHEMA, "{\"title\":1,\"id\":", SYNTAX, PARTIAL, NULL,
     "1 must be a string", WHOLE},
    {SCHEMA, "{\"no\":1,\"id\":", SYNTAX, PARTIAL, NULL,
     "the property \"no\" is not allowed", WHOLE},
    {SCHEMA, "So:\n```json\n{\"id\":1,\"title\":\"a", SYNTAX, PARTIAL, GOOD, "",
     FENCE},
    {SCHEMA, "{\"id\":1,\"title\":\"a\"", NONE, PARTIAL, GOOD, "", WHOLE},
    {SCHEMA, "{\"id\":\"1\",\"title\":\"a\"", ALIGN, PARTIAL, GOOD,
     "missing-close number-from-text", WHOLE},
    {"true", "[\"a\"]]]", NONE, PARTIAL, "[\"a\"]", "", EMBEDDED},
    {SCHEMA, "  ", SYNTAX, PARTIAL, NULL, "the reply is empty",
     SURETY_PLACE_NONE},
    {SCHEMA, GOOD, SYNTAX, PARTIAL, GOOD, "", WHOLE},
    /* rows */
    {ROWS, GOOD "\n" GOOD "\n", SYNTAX, 0, "[" GOOD "," GOOD "]", "rows",
     WHOLE},
    {ROWS, "One:\n" GOOD "\nTwo:\n" GOOD, SYNTAX, 0, "[" GOOD "," GOOD "]",
     "rows", EMBEDDED},
    {ROWS, "```json\n" GOOD "\n```\n```json\n{'id':1,'title':'a'}\n```", SYNTAX,
     0, "[" GOOD "," GOOD "]", "single-quote single-quote single-quote rows",
     FENCE},
    {ROWS, GOOD "\n" GOOD "\n", NONE, 0, NULL, "must be an array", EMBEDDED},
    {SCHEMA, GOOD "\n" GOOD "\n", ALIGN, 0, GOOD, "", EMBEDDED},
    {ROWS, "[" GOOD "]\n[" GOOD "]\n", ALIGN, 0, "[" GOOD "]", "", EMBEDDED},
    /* all of them or none */
    {ROWS, GOOD, ALIGN, 0, "[" GOOD "]", "array-from-value", WHOLE},
    {ROWS, GOOD " as in [1]", ALIGN, 0, "[" GOOD "]", "array-from-value",
     EMBEDDED},
    {ROWS, GOOD "\n{\"id\":2}\n" GOOD, ALIGN, 0, NULL,
     "the required property \"title\" is missing", EMBEDDED},
    {ROWS, GOOD "\n" GOOD "\n{\"id\":", ALIGN, 0, NULL, "must be an array",
     EMBEDDED},
    {ROWS, "```\n" GOOD "\n```\n```\n{\"id\": ]\n```", ALIGN, 0, NULL,
     "must be an array", EMBEDDED},
    {"true", GOOD "\n" GOOD, ALIGN, 0, GOOD, "", EMBEDDED},
    {ROWS, GOOD ",\n" GOOD "]", ALIGN, 0, "[" GOOD "," GOOD "]", "rows", WHOLE},
    /* scalars in words */
    {"{\"type\":\"number\"}", "The score is 8/10.", ALIGN, 0, NULL,
     "nothing that looks like JSON was found", SURETY_PLACE_NONE},
    {"{\"type\":\"boolean\"}", "yes and no", ALIGN, 0, NULL,
     "nothing that looks like JSON was found", SURETY_PLACE_NONE},
    {"{\"type\":\"string\"}", "As an AI model, I can\xE2\x80\x99t do that.",
     ALIGN, 0, NULL, "nothing that looks like JSON was found",
     SURETY_PLACE_NONE},
    {"{\"type\":\"string\"}", "null", ALIGN, 0, NULL, "null must be a string",
     WHOLE},
    {"{\"type\":\"boolean\"}", "The answer is: True.", ALIGN, 0, "true",
     "text boolean-from-text", WHOLE},
    {"{\"type\":\"boolean\"}", "The answer is: True.", SYNTAX, 0, NULL,
     "nothing that looks like JSON was found", SURETY_PLACE_NONE},
    {"{\"type\":\"string\"}", "Paris", ALIGN, 0, "\"Paris\"", "text", WHOLE},
    {"{\"type\":\"string\"}", "Paris", ALIGN, CUT, NULL,
     "nothing that looks like JSON was found", SURETY_PLACE_NONE},
    {"{\"type\":\"string\"}", "I'm sorry, I cannot help.", ALIGN, 0, NULL,
     "nothing that looks like JSON was found", SURETY_PLACE_NONE},
    {"{\"type\":\"string\"}", "<think>Rome?</think> Paris", ALIGN, 0,
     "\"Paris\"", "text", WHOLE},
    {"{\"type\":\"string\"}", "<think>Rome?", ALIGN, 0, NULL,
     "reasoning begins at line 1 but never ends: the reply looks cut off",
     SURETY_PLACE_NONE},
    /* only where the schema names a scalar, and the reply has no value of a
     * kind that it takes */
    {UNTYPED, "{\"ref\": 7}", ALIGN, 0, NULL,
     "the required property \"id\" is missing", WHOLE},
    {UNTYPED, "Sure: {ref: 7}", ALIGN, 0, NULL,
     "the required property \"id\" is missing", EMBEDDED},
    {UNTYPED, "'{\"ref\": 7}'", ALIGN, 0, NULL,
     "the required property \"id\" is missing", EMBEDDED},
    {UNTYPED, "{\"result\": \"xyz\"}", ALIGN, 0, NULL,
     "the required property \"id\" is missing", WHOLE},
    {UNTYPED, "{\"result\": {\"id\": \"7\"}}", ALIGN, 0, "{\"id\":7}",
     "wrapper-key number-from-text", WHOLE},
    {UNTYPED, "Sure, it is 7.", ALIGN, 0, NULL,
     "nothing that looks like JSON was found", SURETY_PLACE_NONE},
    {"{\"minimum\":5}", "It is 7.", ALIGN, 0, NULL,
     "nothing that looks like JSON was found", SURETY_PLACE_NONE},
    {"{\"anyOf\":[{\"type\":\"integer\"}," UNTYPED "]}", "It is 7.", ALIGN, 0,
     "7", "text number-from-text", WHOLE},
    {"{\"anyOf\":[{\"type\":\"boolean\"}," UNTYPED "]}", "Yes.", ALIGN, 0,
     "true", "text boolean-from-text", WHOLE},
    {NAMED, "Hello there.", ALIGN, 0, "\"Hello there.\"", "text", WHOLE},
    {NAMED, "{\"ref\": 7}", ALIGN, 0, NULL,
     "the required property \"id\" is missing", WHOLE},
    {NAMED, "So {\"ref\": 7}", ALIGN, 0, NULL,
     "the required property \"id\" is missing", EMBEDDED},
    {NAMED, "So [7, 8]", ALIGN, 0, "\"So [7, 8]\"", "text", WHOLE},
    {"{\"type\":\"string\"}", "So {\"ref\": 7}", ALIGN, 0,
     "\"So {\\\"ref\\\": 7}\"", "text", WHOLE},
    {STRINGS, "Paris", ALIGN, 0, NULL, "nothing that looks like JSON was found",
     SURETY_PLACE_NONE},
    /* never from thinking */
    {"true", "<think>{'a':1}</think>", SYNTAX, 0, NULL,
     "nothing that looks like JSON was found", SURETY_PLACE_NONE},
};

/* Whether want is in got; an empty one only in an empty one. */
static bool stands_in(surety_str got, const char *want)
{
    const surety_str needle = surety_str_of(want);

    for (size_t at = 0; at + needle.len <= got.len; at++)
        if (!memcmp(got.ptr + at, needle.ptr, needle.len))
            return needle.len > 0 || got.len == 0;
    return false;
}

/* What is told of an outcome: the kinds of its repairs, or its first error. */
static void tell(const surety_outcome *outcome, surety_buf *out)
{
    surety_buf_reset(out);
    if (!surety_outcome_info_of(outcome)->ok) {
        surety_buf_add(out, surety_outcome_error(outcome, 0).message);
        return;
    }
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->repaired_count;
         i++) {
        surety_buf_text(out, i ? " " : "");
        surety_buf_text(out, surety_outcome_repaired(outcome, i).kind);
    }
}

static surety_status judge(surety_contract *contract,
                           const struct repair_case *row,
                           surety_outcome **ret_outcome)
{
    const surety_judge_options options = {
        .size = sizeof(options),
        .repair = &row->level,
        .certain_only = row->flags & CERTAIN_ONLY,
        .partial = row->flags & PARTIAL,
        .cut = row->flags & CUT,
    };

    return surety_contract_judge(contract, surety_str_of(row->reply), &options,
                                 ret_outcome, NULL);
}

TEST(repairs_what_may_be_repaired)
{
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        TRY(check_contract(t, cases[i].schema, &contract));
        TRY(judge(contract, &cases[i], &outcome));
        tell(outcome, &text);
        TRY(text.status);
        if (!stands_in(surety_buf_str(&text), cases[i].told))
            CHECK_TEXT(surety_buf_str(&text), cases[i].told);
        if (surety_outcome_info_of(outcome)->place != cases[i].place)
            CHECK_TEXT(surety_str_of(cases[i].reply), "of another place");
        CHECK(surety_outcome_info_of(outcome)->ok == (cases[i].value != NULL));
        surety_buf_reset(&text);
        if (cases[i].value)
            CHECK_JSON(surety_outcome_info_of(outcome)->value, cases[i].value);
        surety_outcome_free(outcome);
        surety_contract_free(contract);
        outcome = NULL;
        contract = NULL;
    }
done:
    surety_buf_done(&text);
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* What satisfies the contract as it stands satisfies it at every level, with
 * the same value and no repairs; and what was repaired once stays as it is. */
TEST(changes_no_json)
{
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        struct repair_case again = {.schema = cases[i].schema,
                                    .reply = cases[i].value};

        if (!cases[i].value || cases[i].flags & PARTIAL)
            continue;
        TRY(check_contract(t, again.schema, &contract));
        for (int level = SURETY_REPAIR_NONE; level <= SURETY_REPAIR_ALIGN;
             level++) {
            again.level = (surety_repair)level;
            TRY(judge(contract, &again, &outcome));
            CHECK(surety_outcome_info_of(outcome)->ok);
            CHECK(surety_outcome_info_of(outcome)->place == SURETY_PLACE_WHOLE);
            CHECK(surety_outcome_info_of(outcome)->repaired_count == 0);
            CHECK_JSON(surety_outcome_info_of(outcome)->value, again.reply);
            surety_outcome_free(outcome);
            outcome = NULL;
        }
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(tells_where_and_what)
{
    static const char reply[] = "> ```json\n> {'id': '7',\n>  'title': 'a',}\n"
                                "> ```\n";
    static const struct {
        const char *kind, *original, *read, *location;
        bool likely;
        uint32_t cost, line, column;
        size_t length;
    } want[] = {
        {"single-quote", "'", "\"", "", false, 0, 2, 4, 1},
        {"single-quote", "'", "\"", "", false, 0, 2, 10, 1},
        {"single-quote", "'", "\"", "", false, 0, 3, 4, 1},
        {"single-quote", "'", "\"", "", false, 0, 3, 13, 1},
        {"trailing-comma", ",", "", "", false, 0, 3, 16, 1},
        {"number-from-text", "\"7\"", "7", "/id", true, 3, 2, 10, 3},
    };
    const struct repair_case row = {.reply = reply,
                                    .level = SURETY_REPAIR_ALIGN};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, SCHEMA, &contract));
    TRY(judge(contract, &row, &outcome));
    CHECK(surety_outcome_info_of(outcome)->repaired_count == CHECK_COUNT(want));
    for (size_t i = 0; i < CHECK_COUNT(want); i++) {
        const surety_repaired got = surety_outcome_repaired(outcome, i);

        CHECK_TEXT(surety_str_of(got.kind), want[i].kind);
        CHECK_TEXT(got.original, want[i].original);
        CHECK_TEXT(got.read, want[i].read);
        CHECK_TEXT(got.instance_location, want[i].location);
        CHECK(got.likely == want[i].likely);
        CHECK(got.cost == want[i].cost);
        CHECK(got.position.line == want[i].line);
        CHECK(got.position.column == want[i].column);
        CHECK(got.position.length == want[i].length);
    }
    CHECK(surety_outcome_repaired(outcome, CHECK_COUNT(want)).kind[0] == '\0');
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(marks_what_is_partial)
{
    static const struct {
        const char *reply;
        unsigned flags;
        bool partial;
        const char *open;
    } rows[] = {
        {"{\"id\":1,\"title\":\"a", PARTIAL, true, "/title"},
        {"{\"id\":1,\"title\":", PARTIAL, true, ""},
        {"{\"id\":1,\"title\":\"a\"", PARTIAL, true, ""},
        {"{\"id\":1,\"title\":\"a\"", PARTIAL | CUT, true, ""},
        {GOOD, PARTIAL, false, ""},
        {"{\"id\":1,\"title\":\"a", 0, false, ""},
    };
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, SCHEMA, &contract));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct repair_case row = {.reply = rows[i].reply,
                                        .flags = rows[i].flags,
                                        .level = SURETY_REPAIR_SYNTAX};

        TRY(judge(contract, &row, &outcome));
        CHECK(surety_outcome_info_of(outcome)->partial == rows[i].partial);
        CHECK_TEXT(surety_outcome_info_of(outcome)->open, rows[i].open);
        CHECK(surety_val_is_open(surety_outcome_info_of(outcome)->value) ==
              rows[i].partial);
        surety_outcome_free(outcome);
        outcome = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* Findings on what was cut off: which stay whatever comes. */
TEST(judges_what_has_come)
{
    static const struct {
        const char *schema;
        const char *reply;
        bool good;
    } rows[] = {
        {"{\"minItems\":3}", "[1,", true},
        {"{\"maxItems\":1}", "[1,2,", false},
        {"{\"minProperties\":3}", "{\"a\":1,", true},
        {"{\"contains\":{\"const\":1}}", "[2,", true},
        {"{\"items\":{\"type\":\"string\"}}", "[1,", false},
        {"{\"properties\":{\"a\":{\"minLength\":3}}}", "{\"a\":\"x", true},
        {"{\"properties\":{\"a\":{\"minLength\":3}}}", "{\"a\":\"x\",", false},
        {"{\"properties\":{\"a\":{\"maxLength\":1}}}", "{\"a\":\"xy", false},
        {"{\"properties\":{\"a\":{\"pattern\":\"z$\"}}}", "{\"a\":\"xy", true},
        {"{\"properties\":{\"a\":{\"enum\":[\"xyz\"]}}}", "{\"a\":\"xy", true},
        {"{\"properties\":{\"a\":{\"enum\":[\"xz\"]}}}", "{\"a\":\"xy", false},
        {"{\"properties\":{\"a\":{\"const\":\"xyz\"}}}", "{\"a\":\"xy", true},
        {"{\"properties\":{\"a\":{\"const\":\"xz\"}}}", "{\"a\":\"xy", false},
        {"{\"properties\":{\"a\":{\"type\":\"integer\"}}}", "{\"a\":\"x",
         false},
        {"{\"properties\":{\"a\":{\"minimum\":10}}}", "{\"a\":1", true},
        {"{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":1.", false},
        {"{\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}",
         "{\"c\":1,", true},
        {"{\"oneOf\":[{\"required\":[\"a\"],\"properties\":{\"a\":{\"const\":1}"
         "}},{\"required\":[\"b\"]}]}",
         "{\"a\":2,", true},
        {"{\"properties\":{\"s\":{\"anyOf\":[{\"const\":1},{\"const\":2}]}}}",
         "{\"s\":3,", false},
        {"{\"properties\":{\"s\":{\"anyOf\":[{\"const\":\"xa\"},{\"const\":"
         "\"ya\"}]}}}",
         "{\"s\":\"x", true},
        {"{\"if\":{\"required\":[\"z\"]},\"else\":{\"maxProperties\":0}}",
         "{\"a\":1,", true},
        {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"properties\":{\"b\":"
         "{\"type\":\"string\"}}}}}",
         "{\"b\":1,", false},
        {"{\"additionalProperties\":false}", "{\"a\":\"x", false},
        {"{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1,\"c", false},
        {"{\"propertyNames\":{\"maxLength\":1}}", "{\"a\":1,\"cc", true},
        {"false", "[1,", false},
    };
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const struct repair_case row = {.reply = rows[i].reply,
                                        .flags = PARTIAL | CUT,
                                        .level = SURETY_REPAIR_SYNTAX};

        TRY(check_contract(t, rows[i].schema, &contract));
        TRY(judge(contract, &row, &outcome));
        if (surety_outcome_info_of(outcome)->ok != rows[i].good)
            CHECK_TEXT(surety_str_of(rows[i].schema), "judged otherwise");
        CHECK(surety_outcome_info_of(outcome)->partial == rows[i].good);
        CHECK(rows[i].good || surety_outcome_info_of(outcome)->error_count > 0);
        surety_outcome_free(outcome);
        surety_contract_free(contract);
        outcome = NULL;
        contract = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* Another valid value is warned of at every level, with both places, and which
 * of them is taken is what the contract picks. A reply of nothing at all,
 * without an address, is none. */
static const struct {
    const char *reply;
    surety_repair level;
    bool last;
    const char *value;
    unsigned line, column; /* of the other one; 0: there is no warning */
    const char *taken;     /* where the taken one stands */
} others[] = {
    {"{\"n\":3} Wait: {\"n\":4}", NONE, false, "{\"n\":3}", 1, 15,
     "line 1, column 1 was taken (pick: first)"},
    {"{\"n\":3} Wait: {\"n\":4}", NONE, true, "{\"n\":4}", 1, 1,
     "line 1, column 15 was taken (pick: last)"},
    {"{\"n\":3} Wait: {\"n\":4}", SYNTAX, false, "{\"n\":3}", 1, 15,
     "line 1, column 1 was taken (pick: first)"},
    {"{\"n\":3}assistantfinal{\"n\":4}", NONE, false, "{\"n\":3}", 1, 22,
     "line 1, column 1 "},
    {"{\"n\":3}assistantfinal{\"n\":4}", NONE, true, "{\"n\":4}", 1, 1,
     "line 1, column 22 "},
    {"{\"n\":3}\nCorrected: {\"n\":4}", NONE, true, "{\"n\":4}", 1, 1,
     "line 2, column 12 "},
    {"{\"n\":3}\n{\"n\":4}\n", NONE, false, "{\"n\":3}", 2, 1,
     "line 1, column 1 "},
    {"{\"n\":3} Yes: {\"n\": 3}", ALIGN, false, "{\"n\":3}", 0, 0, ""},
    {"{\"n\":3} Yes: {\"n\": 3}", NONE, false, "{\"n\":3}", 0, 0, ""},
    {"{\"n\":3}, {\"n\": 3}, {\"n\": 3}, {\"n\": 3}, {\"n\": 3}, {\"n\":5}",
     NONE, false, "{\"n\":3}", 1, 50, "line 1, column 1 "},
    {"{\"n\":3} Wait: {\"n\":\"4\"}", ALIGN, false, "{\"n\":3}", 0, 0, ""},
    {"```\n{\"n\":3}\n```\n```\n{\"n\":4}\n```", ALIGN, false, "{\"n\":3}", 5,
     1, "line 2, column 1 "},
    {"```json\n{\"n\":3}\n```\n```json\n{\"n\":4}\n```", NONE, true,
     "{\"n\":4}", 2, 1, "line 5, column 1 was taken (pick: last)"},
    {"```json\n{\"n\":3}\n```\n```\n{\"n\":4}\n```", NONE, false, "{\"n\":3}",
     5, 1, "line 2, column 1 "},
    {"```\n{\"n\":3}\n```\nCorrected: {\"n\":4}", ALIGN, false, "{\"n\":3}", 4,
     12, "line 2, column 1 "},
    {"Like {\"n\":3}:\n```json\n{\"n\":4}\n```\n", NONE, false, "{\"n\":4}", 1,
     6, "line 3, column 1 "},
    {"Like {\"n\":3}:\n```json\n\n {\"n\":3}\n```\n", NONE, false, "{\"n\":3}",
     0, 0, ""},
    {"```\n{\"n\":3}\n```\nor {n}.", NONE, false, "{\"n\":3}", 0, 0, ""},
    {"{\"n\":3}", ALIGN, false, "{\"n\":3}", 0, 0, ""},
    {"{'n':3} or {'n':4}", SYNTAX, false, "{\"n\":3}", 1, 12,
     "line 1, column 1 was taken"},
    {"{'n':3} or {'n':4}", SYNTAX, true, "{\"n\":4}", 1, 1,
     "line 1, column 12 was taken"},
    {"{'n' 3} or {'n':4}", SYNTAX, false, "{\"n\":4}", 1, 1,
     "line 1, column 12 was taken"},
    {"{'n':3} or {'n': 3}", SYNTAX, false, "{\"n\":3}", 0, 0, ""},
};

TEST(warns_of_another_value)
{
    static const struct {
        const char *reply;
        surety_repair level;
        size_t warnings;
    } cut[] = {
        {"Like {\"n\":3}:\n```\n{\"n\":4,", ALIGN, 1},
        {"Like {\"n\":3}:\n```\n{\"n\":4,", NONE, 0},
    };
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, "{\"properties\":{\"n\":{\"type\":\"integer\"}}}",
                       &contract));
    for (size_t i = 0; i < CHECK_COUNT(others); i++) {
        const surety_extract extract = {.size = sizeof(extract),
                                        .pick_last = others[i].last};
        const surety_judge_options options = {.size = sizeof(options),
                                              .extract = &extract,
                                              .repair = &others[i].level};
        surety_issue warning;

        TRY(surety_contract_judge(contract, surety_str_of(others[i].reply),
                                  &options, &outcome, NULL));
        warning = surety_outcome_warning(outcome, 0);
        CHECK_JSON(surety_outcome_info_of(outcome)->value, others[i].value);
        CHECK(surety_outcome_info_of(outcome)->warning_count ==
              (others[i].line > 0));
        if (others[i].line) {
            CHECK_TEXT(warning.keyword, "ambiguous");
            CHECK(warning.position.line == others[i].line);
            CHECK(warning.position.column == others[i].column);
            CHECK(stands_in(warning.message, others[i].taken));
        }
        surety_outcome_free(outcome);
        outcome = NULL;
    }
    for (size_t i = 0; i < CHECK_COUNT(cut); i++) {
        const struct repair_case row = {.reply = cut[i].reply,
                                        .level = cut[i].level};

        TRY(judge(contract, &row, &outcome));
        CHECK(surety_outcome_info_of(outcome)->ok);
        CHECK(surety_outcome_info_of(outcome)->warning_count ==
              cut[i].warnings);
        surety_outcome_free(outcome);
        outcome = NULL;
    }
    TRY(surety_contract_judge(contract, (surety_str){NULL, 0}, NULL, &outcome,
                              NULL));
    CHECK(!surety_outcome_info_of(outcome)->ok);
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* The contract's own level, and a judge that is used for one reply after the
 * other. */
TEST(keeps_nothing_between_replies)
{
    static const char text[] =
        "{\"x-surety\":{\"repair\":\"align\",\"partial\":true}," OBJECT "}";
    static const char *const replies[] = {
        GOOD,      "{'id':'1','title':'a'}", "```json\n{\"id\":1,\"title\":\"a",
        "nothing", "{id: 1, title: \"a\",}", GOOD};
    const surety_outcome *outcome = NULL;
    surety_judge *judge_ = NULL;
    surety_contract *contract = NULL;

    TRY(check_contract(t, text, &contract));
    judge_ = surety_judge_new(check_alloc(t), NULL);
    NEED(judge_);
    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < CHECK_COUNT(replies); i++) {
            TRY(surety_judge_reply(judge_, contract, surety_str_of(replies[i]),
                                   NULL, &outcome, NULL));
            CHECK(surety_outcome_info_of(outcome)->ok == (i != 3));
            CHECK(surety_outcome_info_of(outcome)->partial == (i == 2));
            CHECK((surety_outcome_info_of(outcome)->repaired_count > 0) ==
                  (i == 1 || i == 4));
        }
done:
    surety_judge_free(judge_);
    surety_contract_free(contract);
}

/* The native text: all of it is the value, and positions are its own. */
TEST(repairs_the_native_value)
{
    static const struct {
        const char *native;
        bool good;
    } rows[] = {
        {"{'id': 1, 'title': 'a'}", true},
        {"{'id': 1, 'title': 'a'} and more", false},
        {"{\"id\": 1, \"title\": \"a", false},
    };
    const surety_repair level = SURETY_REPAIR_SYNTAX;
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, SCHEMA, &contract));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const surety_judge_options options = {.size = sizeof(options),
                                              .native =
                                                  surety_str_of(rows[i].native),
                                              .repair = &level};

        TRY(surety_contract_judge(contract, surety_str_of(""), &options,
                                  &outcome, NULL));
        CHECK(surety_outcome_info_of(outcome)->ok == rows[i].good);
        CHECK(surety_outcome_info_of(outcome)->place == SURETY_PLACE_NATIVE);
        if (rows[i].good)
            CHECK(surety_outcome_repaired(outcome, 0).position.column == 2);
        surety_outcome_free(outcome);
        outcome = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* Writes a reply with a block for each digit (of base 4) of turn; sloppy: each
 * value has a comma that only the tolerant reader takes. */
static void write_blocks(surety_buf *out, unsigned turn, bool sloppy)
{
    static const char *const values[] = {
        "{\"id\":\"1\",\"title\":\"a\"", "{\"id\":[],\"title\":\"x\"",
        "{\"id\":{},\"title\":3,\"z\":1", "{\"id\":\"2\",\"title\":\"b\""};

    surety_buf_reset(out);
    for (unsigned left = turn; left; left /= 4) {
        surety_buf_text(out, "So:\n```json\n");
        surety_buf_text(out, values[left % 4]);
        surety_buf_text(out, sloppy ? ",}\n```\n" : "}\n```\n");
    }
}

/* What the strict pass has read is not read again: the outcome is that of
 * values that only the tolerant reader reads. */
TEST(aligns_what_was_read)
{
    struct repair_case row = {.level = ALIGN};
    surety_contract *contract = NULL;
    surety_outcome *outcomes[2] = {NULL, NULL};
    const surety_outcome_info *info[2];
    surety_buf replies[2]; /* outcomes borrow them */

    surety_buf_init(&replies[0], check_alloc(t), 0);
    surety_buf_init(&replies[1], check_alloc(t), 0);
    TRY(check_contract(t, SCHEMA, &contract));
    for (unsigned turn = 1; turn < 64; turn++) {
        for (int sloppy = 0; sloppy < 2; sloppy++) {
            write_blocks(&replies[sloppy], turn, sloppy);
            surety_buf_byte(&replies[sloppy], '\0');
            TRY(replies[sloppy].status);
            row.reply = replies[sloppy].ptr;
            TRY(judge(contract, &row, &outcomes[sloppy]));
            info[sloppy] = surety_outcome_info_of(outcomes[sloppy]);
        }
        CHECK(info[0]->ok == info[1]->ok);
        CHECK(info[0]->error_count == info[1]->error_count);
        if (info[0]->ok)
            CHECK(surety_val_equal(info[0]->value, info[1]->value));
        for (size_t i = 0; i < info[0]->error_count; i++)
            CHECK(
                surety_str_equal(surety_outcome_error(outcomes[0], i).message,
                                 surety_outcome_error(outcomes[1], i).message));
        for (int sloppy = 0; sloppy < 2; sloppy++) {
            surety_outcome_free(outcomes[sloppy]);
            outcomes[sloppy] = NULL;
        }
    }
done:
    surety_buf_done(&replies[0]);
    surety_buf_done(&replies[1]);
    surety_outcome_free(outcomes[0]);
    surety_outcome_free(outcomes[1]);
    surety_contract_free(contract);
}

/* More repairs than are listed. */
TEST(bounds_the_list)
{
    const surety_limits limits = {.size = sizeof(limits), .repairs_max = 3};
    const surety_contract_options options = {
        .size = sizeof(options), .limits = &limits, .alloc = check_alloc(t)};
    const surety_repair level = SURETY_REPAIR_SYNTAX;
    const surety_judge_options how = {.size = sizeof(how), .repair = &level};
    static const char *const replies[] = {"['a','b','c']", "['a','b','c','d']"};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_buf report;

    surety_buf_init(&report, check_alloc(t), 0);
    TRY(surety_contract_read(surety_str_of("true"), &options, &contract, NULL));
    for (size_t i = 0; i < 2; i++) {
        TRY(surety_contract_judge(contract, surety_str_of(replies[i]), &how,
                                  &outcome, NULL));
        CHECK(surety_outcome_info_of(outcome)->ok);
        CHECK(surety_outcome_info_of(outcome)->repaired_count == 3);
        CHECK(surety_outcome_info_of(outcome)->warning_count == i);
        surety_buf_reset(&report);
        TRY(surety_outcome_write(outcome, SURETY_REPORT_TEXT,
                                 surety_str_of("r"), 0, &report));
        CHECK(stands_in(surety_buf_str(&report), "1 more repair\n") ==
              (i == 1));
        surety_outcome_free(outcome);
        outcome = NULL;
    }
done:
    surety_buf_done(&report);
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"repairs what may be repaired", repairs_what_may_be_repaired},
        {"changes no JSON", changes_no_json},
        {"tells where and what", tells_where_and_what},
        {"marks what is partial", marks_what_is_partial},
        {"judges what has come", judges_what_has_come},
        {"warns of another value", warns_of_another_value},
        {"keeps nothing between replies", keeps_nothing_between_replies},
        {"repairs the native value", repairs_the_native_value},
        {"aligns what was read", aligns_what_was_read},
        {"bounds the list", bounds_the_list},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
