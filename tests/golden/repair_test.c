/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of broken replies, and what comes of each: read by a person.
 *
 *     repair_test [--update] FOLDER
 *
 * A case is FOLDER/NUMBER-SHAPE.case: sections that begin with a line "===
 * KIND" and go on to the next; the line end in front of the next is no part of
 * them.
 *
 *     === shape            what is broken, and what is safe to do about it
 *     === contract         the contract from here on; where there is none: any
 *                          value
 *     === reply            the reply; "=== reply escaped": \r \n \t \\ and \xNN
 *                          stand for bytes
 *     === outcome WORD...  what comes of it. With no word it is aligned; none,
 *                          syntax, certain-only, partial and cut say otherwise
 *     === replies WORD...  escaped replies, a line each; below each, behind two
 *                          blanks, what comes of it, by the same words
 *
 * An outcome shows the value and each repair with its place, or why there is no
 * value. Its JSON report must satisfy the contract surety/report. With --update
 * the outcomes are written anew, to be read before they are believed. */
#include "golden/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_word(surety_str text, const char *word)
{
    const size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++)
        if (memcmp(text.ptr + i, word, len) == 0 &&
            (i == 0 || text.ptr[i - 1] == ' ') &&
            (i + len == text.len || text.ptr[i + len] == ' '))
            return true;
    return false;
}

/* ---- showing an outcome -------------------------------------------------- */

static void put_place(surety_buf *out, surety_position position)
{
    if (position.line) {
        surety_buf_text(out, " at ");
        surety_buf_number(out, position.line);
        surety_buf_byte(out, ':');
        surety_buf_number(out, position.column);
    }
}

static void put_issue(surety_buf *out, const char *what, surety_issue issue)
{
    surety_buf_text(out, what);
    surety_buf_add(out, issue.keyword);
    put_place(out, issue.position);
    if (issue.instance_location.len) {
        surety_buf_text(out, " in ");
        surety_buf_add(out, issue.instance_location);
    }
    surety_buf_text(out, ": ");
    surety_buf_add(out, issue.message);
    if (issue.hint.len) {
        surety_buf_text(out, "; ");
        surety_buf_add(out, issue.hint);
    }
    surety_buf_byte(out, '\n');
}

static void put_repaired(surety_buf *out, surety_repaired repaired)
{
    surety_buf_text(out, repaired.likely ? "likely  " : "certain ");
    surety_buf_text(out, repaired.kind);
    put_place(out, repaired.position);
    if (repaired.cost) {
        surety_buf_text(out, ", cost ");
        surety_buf_number(out, repaired.cost);
        surety_buf_text(out, ", /"); /* "/" alone: the root */
        if (repaired.instance_location.len)
            surety_buf_append(out, repaired.instance_location.ptr + 1,
                              repaired.instance_location.len - 1);
    }
    surety_buf_text(out, ": ");
    surety_json_string(out, repaired.original);
    surety_buf_text(out, " -> ");
    surety_json_string(out, repaired.read);
    surety_buf_byte(out, '\n');
}

static void put_span(surety_buf *out, const surety_outcome *outcome)
{
    surety_buf_byte(out, ' ');
    surety_buf_number(out, surety_outcome_info_of(outcome)->start);
    surety_buf_byte(out, '-');
    surety_buf_number(out, surety_outcome_info_of(outcome)->end);
    surety_buf_byte(out, '\n');
}

static void put_outcome(surety_buf *out, const surety_outcome *outcome)
{
    if (surety_outcome_info_of(outcome)->ok) {
        surety_buf_text(out, "value   ");
        surety_val_write(surety_outcome_info_of(outcome)->value,
                         SURETY_STYLE_COMPACT, out);
        surety_buf_text(out, "\nfrom    ");
        surety_buf_text(
            out, surety_place_name(surety_outcome_info_of(outcome)->place));
        put_span(out, outcome);
    } else {
        surety_buf_text(out, "refused ");
        surety_buf_text(
            out, surety_stage_name(surety_outcome_info_of(outcome)->stage));
        surety_buf_byte(out, '\n');
    }
    if (surety_outcome_info_of(outcome)->fallback) {
        surety_buf_text(out, "instead ");
        surety_val_write(surety_outcome_info_of(outcome)->value,
                         SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, '\n');
    }
    if (surety_outcome_info_of(outcome)->partial) {
        surety_buf_text(out, "open    /");
        if (surety_outcome_info_of(outcome)->open.len)
            surety_buf_append(out,
                              surety_outcome_info_of(outcome)->open.ptr + 1,
                              surety_outcome_info_of(outcome)->open.len - 1);
        surety_buf_byte(out, '\n');
    }
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->repaired_count; i++)
        put_repaired(out, surety_outcome_repaired(outcome, i));
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->error_count; i++)
        put_issue(out, "error   ", surety_outcome_error(outcome, i));
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->warning_count; i++)
        put_issue(out, "warning ", surety_outcome_warning(outcome, i));
}

/* ---- judging ------------------------------------------------------------- */

/* Writes what an outcome section must hold; false where it cannot be judged. */
static bool write_outcome(const surety_contract *contract, surety_str reply,
                          surety_str words, surety_buf *out)
{
    const surety_repair level = has_word(words, "none") ? SURETY_REPAIR_NONE
                                : has_word(words, "syntax")
                                    ? SURETY_REPAIR_SYNTAX
                                    : SURETY_REPAIR_ALIGN;
    const surety_judge_options options = {.size = sizeof(options),
                                          .repair = &level,
                                          .certain_only =
                                              has_word(words, "certain-only"),
                                          .partial = has_word(words, "partial"),
                                          .cut = has_word(words, "cut")};
    const surety_str exact = golden_exact(reply);
    surety_outcome *outcome = NULL;
    surety_error error = {.message = "no reason"};
    bool good = surety_contract_judge(contract, exact, &options, &outcome,
                                      &error) == SURETY_OK;

    if (good)
        put_outcome(out, outcome);
    else
        printf("# cannot judge: %s\n", error.message);
    good = good && golden_report_holds(outcome);
    surety_outcome_free(outcome);
    free((char *)exact.ptr);
    return good;
}

/* The same of every line of a section. */
static bool write_outcomes(const surety_contract *contract, surety_str lines,
                           surety_str words, surety_buf *out)
{
    surety_buf reply, told;
    surety_str line, rest;
    bool good = true;

    surety_buf_init(&reply, NULL, 0);
    surety_buf_init(&told, NULL, 0);
    while (golden_line(&lines, &line)) {
        if (line.len > 1 && line.ptr[0] == ' ' && line.ptr[1] == ' ')
            continue;
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        surety_buf_reset(&reply);
        surety_buf_reset(&told);
        golden_unescape(line, &reply);
        good = write_outcome(contract, surety_buf_str(&reply), words, &told) &&
               good;
        for (rest = surety_buf_str(&told); golden_line(&rest, &line);) {
            surety_buf_text(out, "  ");
            surety_buf_add(out, line);
            surety_buf_byte(out, '\n');
        }
    }
    surety_buf_done(&told);
    surety_buf_done(&reply);
    return good;
}

/* ---- a case -------------------------------------------------------------- */

static bool take_contract(surety_str text, surety_contract **contract)
{
    surety_error error;

    surety_contract_free(*contract);
    *contract = NULL;
    if (surety_contract_read(text, NULL, contract, &error) == SURETY_OK)
        return true;
    printf("# contract: %s (%s)\n", error.message, error.path);
    return false;
}

static bool run(struct golden *golden)
{
    surety_contract *contract = NULL;
    surety_buf reply;
    bool good = take_contract(surety_str_of("true"), &contract) &&
                golden_find(golden, "shape");

    surety_buf_init(&reply, NULL, 0);
    golden_bytes(golden, "reply", &reply);
    for (size_t i = 0; i < golden->count && good; i++) {
        const struct golden_section *section = &golden->sections[i];
        surety_str words = section->kind;

        if (golden_take(&words, "outcome")) {
            golden_begin(golden, section);
            good = write_outcome(contract, surety_buf_str(&reply), words,
                                 &golden->made);
        } else if (golden_take(&words, "replies")) {
            golden_begin(golden, section);
            good =
                write_outcomes(contract, section->body, words, &golden->made);
        } else {
            golden_keep(golden, section);
        }
        if (golden_is(section, "contract"))
            good = take_contract(section->body, &contract);
    }
    surety_contract_free(contract);
    surety_buf_done(&reply);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
