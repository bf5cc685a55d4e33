/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a reply to a few contracts. The first byte chooses contract and
 * options, the rest is the reply (or, by a bit of it, the native value). Its
 * upper two bits choose the level of repair; where there is one, the first byte
 * of the rest chooses how far it may go. What must hold: a value wherever the
 * outcome is ok, issues wherever it is not, places inside of the reply, the
 * same report the second time, forms for people that are UTF-8 without control
 * characters, and a JSON report that satisfies the contract surety/report. Of
 * repairs: what comes out satisfies the schema, none are likely where only
 * certain ones are allowed, and what is valid without them stays as it is. */
#include <surety/reply.h>

#include "contract/contract.h"

#include "fuzz.h"

static const char *const contracts[] = {
    "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{"
    "\"a\":{\"type\":\"integer\",\"maximum\":9},\"b\":{\"minLength\":2},"
    "\"c\":{\"items\":{\"type\":\"boolean\"},\"uniqueItems\":true}},"
    "\"additionalProperties\":false}",
    "{\"x-surety\":{\"name\":\"f\",\"extract\":{\"from\":[\"fence\"]},"
    "\"deprecated\":\"use g\",\"fallback\":{\"kind\":\"text\","
    "\"field\":\"/s\",\"value\":{\"s\":\"\",\"n\":[]}}},\"type\":\"array\"}",
    "{\"x-surety\":{\"extract\":{\"from\":[\"marker\",\"fence-any\"],"
    "\"marker\":\"A:\",\"pick\":\"last\"},\"unknown\":\"strip\","
    "\"fallback\":{\"kind\":\"value\",\"value\":[\"${v}\",{\"${v}\":1}]}},"
    "\"properties\":{\"a\":{\"default\":[{}]},\"b\":{\"anyOf\":["
    "{\"type\":\"string\"},{\"const\":1}]}}}",
    "false",
};
enum { CONTRACTS = sizeof(contracts) / sizeof(*contracts) };

/* Read once and kept: what is fuzzed is the judge. */
static surety_contract *contract_of(size_t i)
{
    static surety_contract *kept[CONTRACTS + 1];
    surety_str text;

    if (kept[i])
        return kept[i];
    if (i < CONTRACTS) {
        text = surety_str_of(contracts[i]);
    } else {
        const surety__embedded *builtin =
            surety__builtin_find(SURETY__LITERAL("surety/report"));

        must(builtin != NULL);
        text = (surety_str){builtin->text, builtin->len};
    }
    must(surety_contract_read(text, NULL, &kept[i], NULL) == SURETY_OK);
    return kept[i];
}

static surety_judge *judge_kept(void)
{
    static surety_judge *judge;

    if (!judge)
        judge = surety_judge_new(NULL, NULL);
    must(judge != NULL);
    return judge;
}

static void check_issue(surety_issue issue, surety_str seen)
{
    must(issue.keyword.len > 0 && issue.message.len > 0);
    must(surety__utf8_valid(issue.message, NULL));
    must(issue.position.offset <= seen.len);
    must(issue.position.length <= seen.len - issue.position.offset);
    must((issue.position.line == 0) == (issue.position.column == 0));
}

/* Lines of UTF-8 without anything a terminal acts on. */
static void check_form(const surety_outcome *outcome, surety_report form)
{
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    must(surety_outcome_write(outcome, form, SURETY__LITERAL("r\x1b.md"), 0,
                              &out) == SURETY_OK);
    must(out.len == 0 || surety__utf8_valid(surety_buf_str(&out), NULL));
    for (size_t i = 0; i < out.len; i++)
        must((unsigned char)out.ptr[i] >= 0x20 || out.ptr[i] == '\n' ||
             out.ptr[i] == '\t');
    surety_buf_done(&out);
}

static void check_json(const surety_outcome *outcome, surety_buf *report)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_outcome *verdict = NULL;

    must(surety_outcome_write(outcome, SURETY_REPORT_JSON, SURETY__LITERAL("r"),
                              0, report) == SURETY_OK);
    must(doc &&
         surety_doc_read(doc, surety_buf_str(report), NULL, NULL) == SURETY_OK);
    must(surety_contract_judge(contract_of(CONTRACTS), surety_buf_str(report),
                               NULL, &verdict, NULL) == SURETY_OK);
    must(surety_outcome_info_of(verdict)->ok);
    surety_outcome_free(verdict);
    surety_doc_free(doc);
}

static void check_outcome(const surety_outcome *outcome, surety_str seen)
{
    const size_t errors = surety_outcome_info_of(outcome)->error_count;

    must(surety_outcome_info_of(outcome)->ok == (errors == 0));
    must(surety_outcome_info_of(outcome)->ok ==
         (surety_outcome_info_of(outcome)->stage == SURETY_STAGE_DONE));
    if (surety_outcome_info_of(outcome)->ok ||
        surety_outcome_info_of(outcome)->fallback)
        must(surety_val_kind(surety_outcome_info_of(outcome)->value) !=
             SURETY_KIND_NONE);
    else
        must(surety_val_kind(surety_outcome_info_of(outcome)->value) ==
             SURETY_KIND_NONE);
    must(surety_outcome_info_of(outcome)->start <=
         surety_outcome_info_of(outcome)->end);
    must(surety_outcome_info_of(outcome)->end <= seen.len);
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->repaired_count;
         i++) {
        const surety_repaired repaired = surety_outcome_repaired(outcome, i);

        must(*repaired.kind != '\0');
        must(repaired.position.offset + repaired.position.length <= seen.len);
    }
    for (size_t i = 0; i < errors; i++)
        check_issue(surety_outcome_error(outcome, i), seen);
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->warning_count; i++)
        check_issue(surety_outcome_warning(outcome, i), seen);
    check_form(outcome, SURETY_REPORT_TEXT);
    check_form(outcome, SURETY_REPORT_PLAIN);
    check_form(outcome, SURETY_REPORT_GITHUB);
    check_form(outcome, SURETY_REPORT_SARIF);
}

/* The value that came out, by itself. */
static void check_value(const surety_contract *contract,
                        const surety_outcome *outcome)
{
    surety_checker *checker = surety_checker_new(NULL, NULL);
    surety_doc *doc = surety_doc_new(NULL);
    bool valid = false;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    must(surety_val_write(surety_outcome_info_of(outcome)->value,
                          SURETY_STYLE_COMPACT, &text) == SURETY_OK);
    must(checker && doc &&
         surety_doc_read(doc, surety_buf_str(&text), NULL, NULL) == SURETY_OK);
    if (!surety_outcome_info_of(outcome)->partial) {
        must(surety_checker_check(
                 checker, surety_contract_info_of(contract)->schema,
                 surety_doc_root(doc), &valid, NULL) == SURETY_OK);
        must(valid);
    }
    surety_buf_done(&text);
    surety_doc_free(doc);
    surety_checker_free(checker);
}

/* Whether the outcome may be another than the strict one: of an earlier place,
 * or of something larger that the strict one is a part of. */
static bool may_differ(const surety_outcome *outcome,
                       const surety_outcome *strict)
{
    if (surety_outcome_info_of(outcome)->place <
        surety_outcome_info_of(strict)->place)
        return true;
    if (!surety_outcome_info_of(outcome)->ok)
        return surety_outcome_info_of(outcome)->stage ==
                   SURETY_STAGE_JSON_PARSE &&
               surety_outcome_info_of(strict)->place >= SURETY_PLACE_MARKER;
    return surety_outcome_info_of(outcome)->repaired_count > 0 &&
           surety_outcome_info_of(outcome)->start <=
               surety_outcome_info_of(strict)->start &&
           surety_outcome_info_of(outcome)->end >=
               surety_outcome_info_of(strict)->end;
}

/* The reply with repairs: how says which. */
static void check_repairs(const surety_contract *contract, surety_str text,
                          surety_judge_options options, surety_repair level,
                          unsigned how)
{
    const surety_repair none = SURETY_REPAIR_NONE;
    surety_outcome *strict = NULL;
    surety_outcome *outcome = NULL;
    const surety_str seen = options.native.len ? options.native : text;
    surety_status status;

    options.no_fallback = true;
    options.repair = &none;
    status = surety_contract_judge(contract, text, &options, &strict, NULL);
    must(status == SURETY_OK || status == SURETY_LIMIT);
    options.repair = &level;
    options.certain_only = how & 1;
    options.partial = how & 2;
    options.cut = how & 4;
    status = surety_contract_judge(contract, text, &options, &outcome, NULL);
    must(status == SURETY_OK || status == SURETY_LIMIT);
    if (outcome) {
        check_outcome(outcome, seen);
        for (size_t i = 0;
             i < surety_outcome_info_of(outcome)->repaired_count &&
             surety_outcome_info_of(outcome)->ok;
             i++)
            must(!(options.certain_only &&
                   surety_outcome_repaired(outcome, i).likely));
        if (surety_outcome_info_of(outcome)->ok)
            check_value(contract, outcome);
    }
    if (strict && outcome && surety_outcome_info_of(strict)->ok &&
        !may_differ(outcome, strict))
        must(surety_outcome_info_of(outcome)->ok &&
             surety_val_equal(surety_outcome_info_of(outcome)->value,
                              surety_outcome_info_of(strict)->value));
    surety_outcome_free(strict);
    surety_outcome_free(outcome);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const surety_variable variable = {SURETY__LITERAL("v"),
                                      SURETY__LITERAL("\xFF$")};
    surety_judge_options options = {
        .size = sizeof(options), .variables = &variable, .variables_count = 1};
    surety_str text = {(const char *)data + 1, size - 1};
    surety_buf reports[2];
    surety_contract *contract;

    if (size == 0)
        return 0;
    contract = contract_of(data[0] % CONTRACTS);
    options.no_fallback = data[0] & 16;
    if (data[0] & 32) {
        options.native = text;
        text.len = 0;
    }
    for (size_t i = 0; i < 2; i++) {
        const surety_outcome *outcome = NULL;
        const surety_status status = surety_judge_reply(
            judge_kept(), contract, text, &options, &outcome, NULL);

        surety_buf_init(&reports[i], NULL, 0);
        must(status == SURETY_OK || status == SURETY_LIMIT);
        if (status == SURETY_OK) {
            check_outcome(outcome, surety_outcome_info_of(outcome)->place ==
                                           SURETY_PLACE_NATIVE
                                       ? options.native
                                       : text);
            check_json(outcome, &reports[i]);
        }
    }
    must(surety_str_equal(surety_buf_str(&reports[0]),
                          surety_buf_str(&reports[1])));
    surety_buf_done(&reports[0]);
    surety_buf_done(&reports[1]);
    if (data[0] >> 6 && size > 1)
        check_repairs(contract, text, options,
                      (surety_repair)((data[0] >> 6) - 1), data[1]);
    return 0;
}
