/* SPDX-License-Identifier: Apache-2.0 */
/* Votes, as text to be read.
 *
 *     vote_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case with sections:
 *
 *     === answers      JSON, one a line
 *     === options      a line each: limit NAME N
 * and what must come:
 *     === merged       the result, or why there is none, and how much they
 *                      agree
 *     === ballots      each decision: where, how, how many, the value; below it
 *                      what each voter gave
 *
 * With --update what must come is written anew. */
#include "base/base.h"

#include "golden/cases.h"

#include <stdio.h>

static void tell_value(surety_buf *out, surety_val value)
{
    if (value.doc)
        (void)surety_val_write(value, SURETY_STYLE_COMPACT, out);
    else
        surety_buf_text(out, "nothing");
}

static void tell_ballots(const surety_vote *vote, size_t voters,
                         surety_buf *out)
{
    for (size_t i = 0; i < surety_vote_info_of(vote)->ballot_count; i++) {
        const surety_ballot ballot = surety_vote_info_of(vote)->ballots[i];

        surety__buf_printf(out,
                           "\"%.*s\" %s, %u of %u: ", (int)ballot.pointer.len,
                           ballot.pointer.ptr, surety_vote_how_name(ballot.how),
                           (unsigned)ballot.votes, (unsigned)ballot.voters);
        tell_value(out, ballot.value);
        surety_buf_text(out, "\n   ");
        for (size_t voter = 0; voter < voters; voter++) {
            surety_buf_byte(out, ' ');
            tell_value(out, surety_vote_info_of(vote)->ballots[i].given[voter]);
        }
        surety_buf_byte(out, '\n');
    }
}

/* The voters' answers. */
struct answers {
    surety_doc *docs[SURETY_VOTERS_MAX];
    surety_val vals[SURETY_VOTERS_MAX];
    size_t count;
};

/* False: one is no JSON. */
static bool read_answers(surety_str text, struct answers *answers)
{
    surety_str line;

    answers->count = 0;
    while (answers->count < SURETY_VOTERS_MAX && golden_line(&text, &line)) {
        const size_t i = answers->count++;

        answers->docs[i] = surety_doc_new(NULL);
        if (surety_doc_read(answers->docs[i], line, NULL, NULL) != SURETY_OK)
            return false;
        answers->vals[i] = surety_doc_root(answers->docs[i]);
    }
    return true;
}

static bool read_limits(surety_str text, surety_limits *limits)
{
    surety_str line;

    while (golden_line(&text, &line)) {
        size_t space;

        if (!golden_take(&line, "limit "))
            return false;
        space = surety__str_find(line, SURETY__LITERAL(" "));
        if (space == line.len ||
            surety_limits_set(
                limits, (surety_str){line.ptr, space},
                (surety_str){line.ptr + space + 1, line.len - space - 1},
                NULL) != SURETY_OK)
            return false;
    }
    return true;
}

static void write_case(struct golden *golden, const surety_vote *vote,
                       surety_str merged, size_t voters)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (golden_is(section, "merged")) {
            golden_begin(golden, section);
            surety_buf_add(&golden->made, merged);
        } else if (golden_is(section, "ballots")) {
            golden_begin(golden, section);
            tell_ballots(vote, voters, &golden->made);
        } else {
            golden_keep(golden, section);
        }
    }
}

static bool run(struct golden *golden)
{
    surety_limits limits = {.size = sizeof(limits)};
    struct answers answers;
    surety_doc *out = surety_doc_new(NULL);
    surety_error err = {.status = SURETY_OK};
    surety_vote *vote;
    surety_buf merged;
    bool good = read_answers(golden_body(golden, "answers"), &answers) &&
                read_limits(golden_body(golden, "options"), &limits);

    surety_buf_init(&merged, NULL, 0);
    vote = surety_vote_new(NULL, &limits);
    if (good && surety_vote_merge(vote, answers.vals, answers.count, out,
                                  &err) == SURETY_OK) {
        (void)surety_val_write(surety_doc_root(out), SURETY_STYLE_PRETTY,
                               &merged);
        surety__buf_printf(&merged, "\nagreement %.4f\n",
                           surety_vote_info_of(vote)->agreement);
    } else if (good) {
        surety__buf_printf(&merged, "%s: %s\n", surety_status_name(err.status),
                           err.message);
    } else {
        printf("# an answer is no JSON, or an option means nothing\n");
    }
    write_case(golden, vote, surety_buf_str(&merged), answers.count);
    for (size_t i = 0; i < answers.count; i++)
        surety_doc_free(answers.docs[i]);
    surety_buf_done(&merged);
    surety_vote_free(vote);
    surety_doc_free(out);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
