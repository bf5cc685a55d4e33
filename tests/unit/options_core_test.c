/* SPDX-License-Identifier: Apache-2.0 */
/* The structs of libsurety that begin with their size, from callers with older
 * and newer headers. */
#include <surety.h>

#include "options_size.h"

static surety_contract *contract_of(const char *text)
{
    surety_contract *contract = NULL;

    (void)surety_contract_read(surety_str_of(text), NULL, &contract, NULL);
    return contract;
}

/* ---- base and json ------------------------------------------------------- */

static void limits_fill(void *own)
{
    ((surety_limits *)own)->depth_max = 7;
}

static void limits_alter(void *own)
{
    ((surety_limits *)own)->server_tools_max = 9;
}

static void limits_act(const void *given, surety_buf *out)
{
    const surety_limits limits = surety_limits_of(given);

    surety_buf_number(out, limits.size);
    surety_buf_byte(out, ' ');
    surety_buf_number(out, limits.depth_max);
    surety_buf_byte(out, ' ');
    surety_buf_number(out, limits.findings_max);
    surety_buf_byte(out, ' ');
    surety_buf_number(out, limits.server_tools_max);
}

static const surety_limits options_shallow = {.size = sizeof(surety_limits),
                                              .depth_max = 2};

static void read_fill(void *own)
{
    ((surety_read_options *)own)->flags = SURETY_READ_SKIP_BOM;
}

static void read_alter(void *own)
{
    ((surety_read_options *)own)->limits = &options_shallow;
}

static void read_act(const void *given, surety_buf *out)
{
    const surety_str text = surety_str_of("\xEF\xBB\xBF[[[1]]]");
    surety_doc *doc = surety_doc_new(NULL);
    surety_schema *schema = NULL;
    surety_checker *checker = surety_checker_new(NULL, NULL);
    bool valid = false;

    (void)surety_schema_read(surety_str_of("{\"type\":\"array\"}"), NULL,
                             &schema, NULL);
    options_ended(surety_doc_read(doc, text, given, NULL), out);
    if (options_ended(surety_checker_check_text(checker, schema, text, given,
                                                &valid, NULL),
                      out))
        surety_buf_number(out, valid);
    surety_checker_free(checker);
    surety_schema_free(schema);
    surety_doc_free(doc);
}

static void schema_fill(void *own)
{
    ((surety_schema_options *)own)->assert_format = true;
}

static void schema_show(const surety_schema *schema, surety_buf *out)
{
    surety_checker *checker = surety_checker_new(NULL, NULL);
    bool valid = false;

    options_ended(surety_checker_check_text(checker, schema,
                                            surety_str_of("\"no date\""), NULL,
                                            &valid, NULL),
                  out);
    surety_buf_number(out, valid);
    surety_checker_free(checker);
}

static void schema_act(const void *given, surety_buf *out)
{
    const surety_str text = surety_str_of("{\"format\":\"date\"}");
    const surety_contract_options options = {.size = sizeof(options),
                                             .schema = given};
    surety_schema_cache *cache = surety_schema_cache_new(NULL, 4, 4096);
    surety_doc *doc = surety_doc_new(NULL);
    surety_schema *schema = NULL;
    surety_contract *contract = NULL;
    const surety_schema *kept = NULL;

    (void)surety_doc_read(doc, text, NULL, NULL);
    if (options_ended(surety_schema_read(text, given, &schema, NULL), out))
        schema_show(schema, out);
    surety_schema_free(schema);
    schema = NULL;
    if (options_ended(
            surety_schema_compile(surety_doc_root(doc), given, &schema, NULL),
            out))
        schema_show(schema, out);
    surety_schema_free(schema);
    if (options_ended(surety_schema_cache_read(cache, text, given, &kept, NULL),
                      out))
        schema_show(kept, out);
    if (options_ended(surety_contract_read(text, &options, &contract, NULL),
                      out))
        schema_show(surety_contract_info_of(contract)->schema, out);
    surety_contract_free(contract);
    surety_schema_cache_free(cache);
    surety_doc_free(doc);
}

/* ---- contracts ----------------------------------------------------------- */

static void contract_fill(void *own)
{
    ((surety_contract_options *)own)->name = surety_str_of("a/b");
}

static void contract_act(const void *given, surety_buf *out)
{
    static const char *const text[] = {"{}", NULL};
    const surety_typed typed = {.contract_name = "c", .contract = text};
    surety_contract *contract = NULL;

    if (options_ended(
            surety_contract_read(surety_str_of("{}"), given, &contract, NULL),
            out))
        options_put(out, surety_contract_info_of(contract)->id);
    surety_contract_free(contract);
    contract = NULL;
    if (options_ended(surety_typed_contract(&typed, given, &contract, NULL),
                      out))
        options_put(out, surety_contract_info_of(contract)->id);
    surety_contract_free(contract);
}

static void gen_fill(void *own)
{
    ((surety_gen_options *)own)->prefix = surety_str_of("zz");
}

static void gen_act(const void *given, surety_buf *out)
{
    surety_contract *contract = contract_of(
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}");
    const surety_contract *contracts[] = {contract};
    surety_gen *gen = NULL;

    if (options_ended(surety_gen_new(contracts, 1, given, &gen, NULL), out))
        options_put(out, surety_gen_info_of(gen)->header);
    surety_gen_free(gen);
    surety_contract_free(contract);
}

/* ---- replies ------------------------------------------------------------- */

static void extract_fill(void *own)
{
    surety_extract *extract = own;

    extract->from[0] = SURETY_PLACE_MARKER;
    extract->from[1] = SURETY_PLACE_FENCE_ANY;
    extract->from_count = 2;
    extract->marker = surety_str_of("X:");
}

static void extract_alter(void *own)
{
    ((surety_extract *)own)->forms_off = 1u << SURETY_FORM_KEY_VALUE;
}

static void judged_show(const surety_outcome *outcome, surety_buf *out)
{
    surety_buf_number(out, surety_outcome_info_of(outcome)->ok);
    surety_buf_number(out, surety_outcome_info_of(outcome)->partial);
    options_put(out, surety_str_of(surety_place_name(
                         surety_outcome_info_of(outcome)->place)));
    surety_val_write(surety_outcome_info_of(outcome)->value,
                     SURETY_STYLE_COMPACT, out);
}

static void judge_all(const surety_contract *contract, surety_str reply,
                      const surety_judge_options *options, surety_buf *out)
{
    surety_judge *judge = surety_judge_new(NULL, NULL);
    surety_stream *stream = surety_stream_new(NULL, NULL);
    surety_outcome *outcome = NULL;
    const surety_outcome *seen = NULL;

    if (options_ended(
            surety_contract_judge(contract, reply, options, &outcome, NULL),
            out))
        judged_show(outcome, out);
    surety_outcome_free(outcome);
    if (options_ended(
            surety_judge_reply(judge, contract, reply, options, &seen, NULL),
            out))
        judged_show(seen, out);
    if (options_ended(
            surety_stream_begin(stream, contract, options, false, NULL), out)) {
        (void)surety_stream_feed(stream, reply, NULL);
        if (options_ended(surety_stream_finish(stream, NULL, &seen, NULL), out))
            judged_show(seen, out);
    }
    (void)surety_stream_begin(stream, contract, NULL, false, NULL);
    (void)surety_stream_feed(stream, reply, NULL);
    if (options_ended(surety_stream_finish(stream, options, &seen, NULL), out))
        judged_show(seen, out);
    surety_stream_free(stream);
    surety_judge_free(judge);
}

static void extract_act(const void *given, surety_buf *out)
{
    const surety_judge_options options = {.size = sizeof(options),
                                          .extract = given};
    const surety_str reply =
        surety_str_of("{\"a\":2}\nX: 3\n\n```json\n1\n```\n");
    surety_contract *contract = contract_of("{}");
    surety_finder *finder = surety_finder_new(NULL);

    if (options_ended(surety_finder_find(finder, reply, given, NULL, NULL),
                      out))
        surety_buf_number(out, surety_finder_count(finder));
    judge_all(contract, reply, &options, out);
    surety_contract_free(contract);
    contract = contract_of("{\"type\":\"object\",\"properties\":{\"a\":"
                           "{\"type\":\"integer\"}},\"x-surety\":{"
                           "\"repair\":\"align\"}}");
    judge_all(contract, surety_str_of("```\na: 1\n```\n"), &options, out);
    surety_finder_free(finder);
    surety_contract_free(contract);
}

static bool calls_is(void *ctx, surety_str name)
{
    return ctx && surety_str_equal(name, surety_str_of(ctx));
}

static void calls_fill(void *own)
{
    ((surety_calls_options *)own)->is_tool = calls_is;
}

static void calls_alter(void *own)
{
    static char name[] = "f";

    ((surety_calls_options *)own)->ctx = name;
}

static void calls_act(const void *given, surety_buf *out)
{
    surety_calls *calls = surety_calls_new(NULL, NULL);

    if (options_ended(surety_calls_find(
                          calls,
                          surety_str_of("{\"name\":\"f\",\"arguments\":{}}"),
                          given, NULL),
                      out))
        surety_buf_number(out, surety_calls_count(calls));
    surety_calls_free(calls);
}

static surety_status judge_refuse(void *ctx,
                                  const surety_validation *validation,
                                  surety_error *reterr)
{
    (void)ctx;
    (void)reterr;
    return surety_validation_add(validation, surety_str_of(""),
                                 surety_str_of("no"), surety_str_of(""));
}

static void judge_fill(void *own)
{
    static const surety_validator refuses = {.validate = judge_refuse};
    static const surety_repair repair = SURETY_REPAIR_SYNTAX;
    static const surety_extract places = {
        .size = sizeof(places),
        .from = {SURETY_PLACE_NATIVE, SURETY_PLACE_WHOLE},
        .from_count = 2};

    ((surety_judge_options *)own)->native = surety_str_of("{\"n\":1}");
    ((surety_judge_options *)own)->extract = &places;
    ((surety_judge_options *)own)->repair = &repair;
    ((surety_judge_options *)own)->validators = &refuses;
}

static void judge_alter(void *own)
{
    static const surety_limits narrow = {.size = sizeof(narrow),
                                         .text_bytes_max = 3};

    ((surety_judge_options *)own)->limits = &narrow;
}

static void judge_act(const void *given, surety_buf *out)
{
    surety_contract *contract = contract_of("{\"type\":\"object\"}");

    judge_all(contract, surety_str_of("{\"a\": \"b\""), given, out);
    judge_all(contract, surety_str_of("It is this: {\"a\": 1} so"), given, out);
    judge_all(contract, surety_str_of("{\"a\": 1}"), given, out);
    surety_contract_free(contract);
}

static void issue_fill(void *own)
{
    ((surety_issue_form *)own)->source = surety_str_of("a.md");
}

static void issue_alter(void *own)
{
    ((surety_issue_form *)own)->warning = true;
}

static void issue_act(const void *given, surety_buf *out)
{
    const surety_issue issue = {.keyword = surety_str_of("type"),
                                .message = surety_str_of("is no number"),
                                .position = {0, 1, 1, 1}};
    surety_buf text;
    surety_status status;

    surety_buf_init(&text, NULL, 0);
    status = surety_issue_write(&issue, SURETY_REPORT_TEXT, given, &text);
    options_ended(status, out);
    surety_buf_add(out, surety_buf_str(&text));
    surety_buf_done(&text);
}

/* ---- prompts ------------------------------------------------------------- */

static void prompt_fill(void *own)
{
    ((surety_prompt_options *)own)->native = true;
    ((surety_prompt_options *)own)->style = SURETY_PROMPT_EXAMPLE;
    ((surety_prompt_options *)own)->examples =
        surety_str_of("[{\"input\":\"Two?\",\"output\":{\"a\":2}}]");
}

static void prompt_alter(void *own)
{
    ((surety_prompt_options *)own)->as_turns = true;
}

static void prompt_act(const void *given, surety_buf *out)
{
    const surety_str reply = surety_str_of("{\"a\":\"x\"}");
    const surety_str asked = surety_str_of("Count.");
    surety_contract *contract =
        contract_of("{\"type\":\"object\",\"required\":[\"a\"],"
                    "\"properties\":{\"a\":{\"type\":\"integer\"}}}");
    surety_doc *turns = surety_doc_new(NULL);
    surety_outcome *outcome = NULL;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    (void)surety_contract_judge(contract, reply, NULL, &outcome, NULL);
    options_ended(surety_prompt_turns(contract, given, turns, NULL), out);
    options_ended(
        surety_prompt_write(contract, surety_str_of(""), given, &text, NULL),
        out);
    options_ended(surety_prompt_write(contract, asked, given, &text, NULL),
                  out);
    options_ended(surety_prompt_check(given, NULL), out);
    options_ended(
        surety_prompt_system(contract, asked, asked, given, &text, NULL), out);
    if (options_ended(surety_prompt_again(contract, asked,
                                          SURETY_FEEDBACK_ERRORS, outcome,
                                          reply, given, &text, NULL),
                      out))
        surety_buf_add(out, surety_buf_str(&text));
    surety_outcome_free(outcome);
    surety_doc_free(turns);
    surety_contract_free(contract);
    surety_buf_done(&text);
}

/* ---- the table ----------------------------------------------------------- */

static const struct options_row options_rows[] = {
    OPTIONS_ROW(surety_limits, server_tools_max, .fill = limits_fill,
                .alter = limits_alter, .act = limits_act, .lenient = true),
    OPTIONS_ROW(surety_read_options, limits, .fill = read_fill,
                .alter = read_alter, .act = read_act),
    OPTIONS_ROW(surety_calls_options, ctx, .fill = calls_fill,
                .alter = calls_alter, .act = calls_act),
    OPTIONS_ROW(surety_extract, forms_off, .fill = extract_fill,
                .alter = extract_alter, .act = extract_act),
    OPTIONS_ROW(surety_schema_options, alloc, .fill = schema_fill,
                .act = schema_act),
    OPTIONS_ROW(surety_contract_options, alloc, .fill = contract_fill,
                .act = contract_act),
    OPTIONS_ROW(surety_judge_options, limits, .fill = judge_fill,
                .alter = judge_alter, .act = judge_act),
    OPTIONS_ROW(surety_issue_form, warning, .fill = issue_fill,
                .alter = issue_alter, .act = issue_act),
    OPTIONS_ROW(surety_prompt_options, as_turns, .fill = prompt_fill,
                .alter = prompt_alter, .act = prompt_act),
    OPTIONS_ROW(surety_gen_options, alloc, .fill = gen_fill, .act = gen_act),
};

TEST(takes_structs_of_any_size)
{
    options_try_all(t, options_rows, CHECK_COUNT(options_rows));
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"takes structs of older and newer headers", takes_structs_of_any_size},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
