/* SPDX-License-Identifier: Apache-2.0 */
/* Reports where the golden cases do not reach: every width of a line around the
 * cut, every issue's position against a plain count, and calls that fail. */
#include "check.h"

#include <surety/reply.h>

#include <string.h>

#include "base/base.h"

static surety_status read_contract(struct check *t, const char *text,
                                   const surety_limits *limits,
                                   surety_contract **ret_contract)
{
    const surety_contract_options options = {
        .size = sizeof(options), .limits = limits, .alloc = check_alloc(t)};

    return surety_contract_read(surety_str_of(text), &options, ret_contract,
                                NULL);
}

/* The nth line of text, from 0. */
static surety_str line_of(surety_str text, size_t n)
{
    size_t len;

    for (;; n--) {
        len = surety__str_find(text, SURETY__LITERAL("\n"));
        if (n == 0 || len == text.len)
            break;
        text.ptr += len + 1;
        text.len -= len + 1;
    }
    return (surety_str){text.ptr, len};
}

/* A line of `before` characters, the bad value, and `after` characters. */
static void write_line(surety_buf *out, size_t before, size_t after)
{
    surety_buf_reset(out);
    surety_buf_byte(out, '[');
    for (size_t i = 1; i < before; i++)
        surety_buf_byte(out, ' ');
    surety_buf_byte(out, '7');
    for (size_t i = 1; i < after; i++)
        surety_buf_byte(out, ' ');
    surety_buf_byte(out, ']');
}

TEST(a_line_is_cut_around_the_place)
{
    static const struct {
        size_t before, after; /* the value counts to after */
        size_t shown;         /* characters, ellipses included */
        size_t caret;         /* blanks in front of it */
        bool cut_before, cut_after;
    } cases[] = {
        {1, 118, 120, 1, false, false},   {1, 119, 121, 1, false, true},
        {60, 59, 120, 60, false, false},  {60, 60, 121, 60, false, true},
        {118, 1, 120, 118, false, false}, {119, 1, 121, 119, true, false},
        {500, 500, 122, 61, true, true},  {500, 9, 121, 111, true, false},
    };
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_buf reply, report;

    surety_buf_init(&reply, check_alloc(t), 0);
    surety_buf_init(&report, check_alloc(t), 0);
    TRY(read_contract(t, "{\"items\":{\"type\":\"string\"}}", NULL, &contract));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        static const char dots[] = "\xE2\x80\xA6";
        surety_str line, under;

        write_line(&reply, cases[i].before, cases[i].after);
        TRY(reply.status);
        TRY(surety_contract_judge(contract, surety_buf_str(&reply), NULL,
                                  &outcome, NULL));
        surety_buf_reset(&report);
        TRY(surety_outcome_write(outcome, SURETY_REPORT_TEXT,
                                 surety_str_of("r"), 0, &report));
        line = line_of(surety_buf_str(&report), 1);
        CHECK(surety__str_starts(line, SURETY__LITERAL("    1 | ")));
        line.ptr += 8;
        line.len -= 8;
        CHECK(surety__utf8_count(line) == cases[i].shown);
        CHECK(surety__str_starts(line, surety_str_of(dots)) ==
              cases[i].cut_before);
        CHECK(!memcmp(line.ptr + line.len - 3, dots, 3) == cases[i].cut_after);
        under = line_of(surety_buf_str(&report), 2);
        CHECK(surety__str_find(under, SURETY__LITERAL("^")) ==
              8 + cases[i].caret);
        surety_outcome_free(outcome);
        outcome = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
    surety_buf_done(&report);
    surety_buf_done(&reply);
}

/* Members in an order that the schema's keywords do not have, with every kind
 * of line end and characters of every length between them. */
TEST(positions_are_those_of_a_plain_count)
{
    static const char text[] =
        "{\"required\":[\"x\"],\"properties\":{\"c\":false,\"b\":{\"const\":1},"
        "\"e\":{\"type\":\"null\"},\"a\":{\"maxLength\":0},\"d\":false}}";
    static const char reply[] =
        "\xC3\xA9\r\n\xE2\x82\xAC ```\r{\"a\":\"\xF0\x9F\x98\x80\",\r\n"
        "\t\"b\" : 2,\n\n\"b\":  {},\r\"c\": [\r\n1], \"d\":-1.5e3 "
        ",\"e\":true}";
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    size_t errors, count;

    TRY(read_contract(t, text, NULL, &contract));
    TRY(surety_contract_judge(contract, surety_str_of(reply), NULL, &outcome,
                              NULL));
    errors = surety_outcome_info_of(outcome)->error_count;
    count = errors + surety_outcome_info_of(outcome)->warning_count;
    CHECK(errors == 6 && count == 7);
    for (size_t i = 0; i < count; i++) {
        const surety_issue issue =
            i < errors ? surety_outcome_error(outcome, i)
                       : surety_outcome_warning(outcome, i - errors);
        const surety_position plain = surety_position_at(
            surety_str_of(reply), issue.position.offset, issue.position.length);

        CHECK(issue.position.line == plain.line);
        CHECK(issue.position.column == plain.column);
        CHECK(issue.position.length > 0);
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(many_issues_are_located_in_one_pass)
{
    const surety_limits limits = {.size = sizeof(limits), .findings_max = 5000};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_buf reply;

    surety_buf_init(&reply, check_alloc(t), 0);
    TRY(read_contract(t, "{\"items\":{\"maximum\":0}}", &limits, &contract));
    for (int i = 0; i < 500; i++)
        surety_buf_text(&reply, i ? ",\n 1" : "[1");
    surety_buf_byte(&reply, ']');
    TRY(reply.status);
    TRY(surety_contract_judge(contract, surety_buf_str(&reply), NULL, &outcome,
                              NULL));
    CHECK(surety_outcome_info_of(outcome)->error_count == 500);
    for (size_t i = 0; i < 500; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        CHECK(issue.position.line == i + 1);
        CHECK(issue.position.column == 2);
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
    surety_buf_done(&reply);
}

TEST(every_form_stops_where_the_buffer_ends)
{
    static const char reply[] = "{\"a\": 1, \"a\": 2}";
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(read_contract(t, "{\"required\":[\"b\"]}", NULL, &contract));
    TRY(surety_contract_judge(contract, surety_str_of(reply), NULL, &outcome,
                              NULL));
    for (int form = SURETY_REPORT_JSON; form <= SURETY_REPORT_SARIF; form++) {
        size_t len;

        out.max = 1 << 20;
        surety_buf_reset(&out);
        TRY(surety_outcome_write(outcome, (surety_report)form,
                                 surety_str_of("r"), 0, &out));
        len = out.len;
        CHECK(len > 0);
        for (size_t max = len - 1; max <= len; max++) {
            out.max = max;
            surety_buf_reset(&out);
            EXPECT(max < len ? SURETY_LIMIT : SURETY_OK,
                   surety_outcome_write(outcome, (surety_report)form,
                                        surety_str_of("r"), 0, &out));
        }
    }
    EXPECT(SURETY_MISUSE, surety_outcome_write(NULL, SURETY_REPORT_JSON,
                                               (surety_str){0}, 0, &out));
    EXPECT(SURETY_MISUSE, surety_outcome_write(outcome, SURETY_REPORT_JSON,
                                               (surety_str){0}, 0, NULL));
    EXPECT(SURETY_MISUSE, surety_outcome_write(outcome, (surety_report)6,
                                               (surety_str){0}, 0, &out));
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
    surety_buf_done(&out);
}

/* An issue with everything, in a text of two lines. */
static const char issue_text[] = "[\n  \"x\ty\"]";
static const surety_issue issue_full = {
    .keyword = {"type", 4},
    .instance_location = {"/0", 2},
    .keyword_location = {"/items/type", 11},
    .absolute_keyword_location = {"#/items/type", 12},
    .message = {"no number", 9},
    .hint = {"1", 1},
    .position = {.offset = 4, .length = 5, .line = 2, .column = 3},
};

/* What is shown of it: the form, what of the issue is left out, the lines. */
static const struct issue_row {
    surety_issue_form form;
    bool keyword, location, position, absolute, hint, color;
    const char *lines;
} issue_rows[] = {
    {{.size = sizeof(surety_issue_form)}, .lines = "reply: error: no number\n"},
    {{.size = sizeof(surety_issue_form), .warning = true},
     .keyword = true,
     .lines = "reply: warning[type]: no number\n"},
    {{.size = sizeof(surety_issue_form), .source = {"a.md", 4}},
     .keyword = true,
     .location = true,
     .lines = "a.md: error[type]: no number\n      = at /0\n"},
    {{.size = sizeof(surety_issue_form), .source = {"a.md", 4}},
     .location = true,
     .position = true,
     .hint = true,
     .lines = "a.md:2:3: error: no number\n      = at /0\n"
              "      = hint: 1\n"},
    {{.size = sizeof(surety_issue_form), .subject = {"contract c", 10}},
     .absolute = true,
     .hint = true,
     .lines = "reply: error: no number\n      = contract c: /items/type\n"
              "      = hint: 1\n"},
    /* With the text a place is shown in it, or not at all. */
    {{.size = sizeof(surety_issue_form), .text = {issue_text, 10}},
     .location = true,
     .lines = "reply: error: no number\n"},
    {{.size = sizeof(surety_issue_form), .text = {issue_text, 10}},
     .position = true,
     .lines = "reply:2:3: error: no number\n    2 |   \"x\ty\"]\n"
              "      |   ^^^^^\n"},
    {{.size = sizeof(surety_issue_form), .text = {issue_text, 10}},
     .location = true,
     .position = true,
     .lines = "reply:2:3: error: no number\n    2 |   \"x\ty\"]\n"
              "      |   ^^^^^ at /0\n"},
    /* At the end of the text, and behind it, where it is not shown. */
    {{.size = sizeof(surety_issue_form), .text = {issue_text, 4}},
     .location = true,
     .position = true,
     .lines = "reply:2:3: error: no number\n    2 |   \n"
              "      |   ^ at /0\n"},
    {{.size = sizeof(surety_issue_form), .text = {issue_text, 3}},
     .location = true,
     .position = true,
     .lines = "reply:2:3: error: no number\n"},
    {{.size = sizeof(surety_issue_form),
      .text = {issue_text, 10},
      .subject = {"c", 1}},
     .color = true,
     .keyword = true,
     .location = true,
     .position = true,
     .absolute = true,
     .hint = true,
     .lines = "\x1b[1mreply:2:3:\x1b[0m \x1b[1;31merror[type]\x1b[0m: no "
              "number\n\x1b[34m    2 |\x1b[0m   \"x\ty\"]\n\x1b[34m      "
              "|\x1b[0m   \x1b[31m^^^^^\x1b[0m at /0\n\x1b[34m      "
              "=\x1b[0m c: /items/type\n\x1b[34m      =\x1b[0m hint: "
              "\x1b[36m1\x1b[0m\n"},
};

TEST(an_issue_shows_what_there_is)
{
    static const surety_str none = {NULL, 0};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(issue_rows); i++) {
        const struct issue_row *row = &issue_rows[i];
        surety_issue issue = issue_full;

        issue.keyword = row->keyword ? issue.keyword : none;
        issue.instance_location =
            row->location ? issue.instance_location : none;
        issue.position.line = row->position ? issue.position.line : 0;
        if (!row->absolute)
            issue.absolute_keyword_location = none;
        issue.hint = row->hint ? issue.hint : none;
        surety_buf_reset(&out);
        TRY(surety_issue_write(
            &issue, row->color ? SURETY_REPORT_COLOR : SURETY_REPORT_TEXT,
            &row->form, &out));
        CHECK_TEXT(surety_buf_str(&out), row->lines);
    }
done:
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a line is cut around the place", a_line_is_cut_around_the_place},
        {"positions are those of a plain count",
         positions_are_those_of_a_plain_count},
        {"many issues are located in one pass",
         many_issues_are_located_in_one_pass},
        {"every form stops where the buffer ends",
         every_form_stops_where_the_buffer_ends},
        {"an issue shows what there is", an_issue_shows_what_there_is},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
