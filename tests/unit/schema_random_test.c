/* SPDX-License-Identifier: Apache-2.0 */
/* Random schemas and values, always the same: the check of a tree, the one
 * of its text, the report, the completion, the prefix machine and a
 * plain checker (tests/fuzz/plain.h) must agree, and what the report finds must
 * be there.
 *
 * Everything allocates from libc: what runs out of memory is for other tests.
 */
#include "json/json.h"
#include "check.h"

#include <string.h>

#include "fuzz/plain.h"
#include "fuzz/schemas.h"
#include "schema/schema.h"

enum { SEEDS = 6000, SEED_BYTES = 300, VALUES = 8, LARGE_TIMES = 24 };

struct question {
    bool dynamic;
    surety_schema *schema;
    surety_checker *checker;
    surety__prefix *prefix;
    surety_lenient *reader;
    surety_doc *doc, *grown, *built;
    surety_findings *findings;
    surety_buf schema_text, text, values;
};

/* splitmix64 (Vigna, 2015). */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static bool agrees(const struct question *question, bool holds,
                   const char *what)
{
    if (!holds)
        printf("# %s\n# %.*s\n# %.*s\n", what, (int)question->schema_text.len,
               question->schema_text.ptr, (int)question->text.len,
               question->text.ptr);
    return holds;
}

/* ---- the ways ------------------------------------------------------------ */

/* What is found stands where it is said to stand, and so does the keyword. */
static bool findings_are_there(const struct question *question)
{
    const surety_val root = surety_doc_root(question->doc);

    for (size_t i = 0; i < surety_findings_count(question->findings); i++) {
        const surety_finding finding =
            surety_findings_at(question->findings, i);
        surety_str at = finding.absolute_keyword_location;
        const surety_val there = surety_val_at(root, finding.instance_location);

        while (at.len && *at.ptr != '#') {
            at.ptr++;
            at.len--;
        }
        at.ptr++;
        at.len--;
        if (there.index != finding.instance.index &&
            there.index != finding.instance.index + 1)
            return false;
        if (!question->dynamic &&
            surety_val_at(question->schema->root_val, at).index !=
                finding.schema.index)
            return false;
        if (!finding.message.len || !finding.keyword.len)
            return false;
    }
    return true;
}

/* Steps of so many bytes; whether the value is lost at its end. */
static bool prefix_loses(struct question *question, size_t step)
{
    const surety__lenient_options how = {.strict = true};
    const surety_str text = surety_buf_str(&question->text);
    bool lost = false;

    surety__prefix_begin(question->prefix, question->schema,
                         SURETY__PREFIX_STRICT);
    (void)surety__lenient_begin(question->reader, question->grown, &how, NULL);
    for (size_t at = 0; at < text.len && !lost; at += step) {
        const size_t left = text.len - at;
        surety_val root = surety_val_none();
        surety_status status = surety_lenient_feed(
            question->reader,
            (surety_str){text.ptr + at, left < step ? left : step}, NULL);

        if (!status)
            status = surety_lenient_snapshot(question->reader, &root, NULL);
        if (at + step >= text.len && status >= 0)
            status = surety_lenient_finish(question->reader, NULL, NULL);
        if (status < 0)
            return false;
        if (!root.doc || at + step >= text.len)
            root = surety_doc_root(question->grown);
        if (surety__prefix_step(question->prefix, root, &lost))
            return false;
    }
    return lost;
}

/* A value is lost when it has ended, if it is not valid; where a reference is
 * dynamic, it may be. A member that occurs twice counts twice while it grows,
 * so then nothing is said. */
static bool prefix_agrees(struct question *question, bool valid)
{
    static const size_t steps[] = {1, 7, SIZE_MAX / 2};

    for (size_t i = 0; i < CHECK_COUNT(steps); i++) {
        const bool lost = prefix_loses(question, steps[i]);

        if (lost ? valid : !valid && !question->dynamic)
            return question->doc->duplicate_count != 0;
    }
    return true;
}

/* What is complete stays as it is. */
static bool completes(struct question *question)
{
    const surety_val root = surety_doc_root(question->doc);
    surety_val filled = root;
    surety_val stripped = root;

    return !surety__checker_complete(question->checker, question->schema, true,
                                     false, question->built, &filled, NULL) &&
           filled.doc == root.doc &&
           !surety__checker_complete(question->checker, question->schema, true,
                                     true, question->built, &stripped, NULL) &&
           surety_val_count(stripped) <= surety_val_count(root);
}

/* Asks every way about the text. */
static bool ask(struct question *question)
{
    const surety_str text = surety_buf_str(&question->text);
    bool valid = false, of_text = false;
    plain_verdict plain;
    surety_val root;

    if (surety_doc_read(question->doc, text, NULL, NULL))
        return agrees(question, false, "no JSON");
    root = surety_doc_root(question->doc);
    if (surety_checker_check(question->checker, question->schema, root, &valid,
                             NULL))
        return agrees(question, false, "no answer");
    if (surety_checker_check_text(question->checker, question->schema, text,
                                  NULL, &of_text, NULL) ||
        of_text != valid)
        return agrees(question, false, "of the text");
    if (surety_checker_report(question->checker, question->schema, root,
                              question->findings, NULL) ||
        (surety_findings_count(question->findings) == 0) != valid)
        return agrees(question, false, "the report");
    plain = question->dynamic ? PLAIN_UNSURE
                              : plain_check(question->schema->root_val, root);
    return agrees(question,
                  plain == PLAIN_UNSURE || valid == (plain == PLAIN_VALID),
                  "the plain checker") &&
           agrees(question, findings_are_there(question), "a finding") &&
           agrees(question, !valid || completes(question), "the completion") &&
           agrees(question, prefix_agrees(question, valid), "the prefix");
}

/* ---- seeds --------------------------------------------------------------- */

/* An object with a large member, whose items are the array of values. */
static void make_large(surety_str values, const char *name, surety_buf *out)
{
    surety_buf_byte(out, '{');
    surety_buf_text(out, name);
    surety_buf_text(out, ":[");
    for (int i = 0; i < LARGE_TIMES; i++) {
        surety_buf_text(out, i ? ",[" : "[");
        surety_buf_add(out, values);
        surety_buf_byte(out, ']');
    }
    surety_buf_text(out, "]}");
}

static bool ask_seed(struct question *question, uint64_t seed)
{
    static const unsigned flags[] = {0, FUZZ_SCHEMAS_DYNAMIC,
                                     FUZZ_SCHEMAS_TAGGED};
    uint8_t bytes[SEED_BYTES];
    struct choices choices = {bytes, sizeof(bytes), 0};
    uint64_t state = seed;
    bool good = true;

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(random_next(&state) >> 40);
    choices.flags = flags[seed % CHECK_COUNT(flags)];
    question->dynamic = choices.flags == FUZZ_SCHEMAS_DYNAMIC;
    surety_buf_reset(&question->schema_text);
    surety_buf_reset(&question->values);
    fuzz_schema_make(&choices, &question->schema_text);
    if (surety_schema_read(surety_buf_str(&question->schema_text), NULL,
                           &question->schema, NULL))
        return true;
    for (int i = 0; i < VALUES && good; i++) {
        surety_buf_reset(&question->text);
        fuzz_value_make(&choices, &question->text);
        good = ask(question);
        surety_buf_text(&question->values, i ? "," : "");
        surety_buf_add(&question->values, surety_buf_str(&question->text));
    }
    if (good) {
        surety_buf_reset(&question->text);
        make_large(surety_buf_str(&question->values),
                   fuzz_words.names[choose(&choices, fuzz_words.name_count)],
                   &question->text);
        good = ask(question);
    }
    surety_schema_free(question->schema);
    question->schema = NULL;
    return good;
}

TEST(all_ways_agree)
{
    struct question question = {.checker = surety_checker_new(NULL, NULL),
                                .prefix = surety__prefix_new(NULL, NULL),
                                .reader = surety_lenient_new(NULL),
                                .doc = surety_doc_new(NULL),
                                .grown = surety_doc_new(NULL),
                                .built = surety_doc_new(NULL),
                                .findings = surety_findings_new(NULL)};

    surety_buf_init(&question.schema_text, NULL, 0);
    surety_buf_init(&question.text, NULL, 0);
    surety_buf_init(&question.values, NULL, 0);
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (!ask_seed(&question, seed)) {
            printf("# seed %u\n", (unsigned)seed);
            CHECK(false);
        }
done:
    surety_schema_free(question.schema);
    surety_buf_done(&question.schema_text);
    surety_buf_done(&question.text);
    surety_buf_done(&question.values);
    surety_findings_free(question.findings);
    surety_doc_free(question.built);
    surety_doc_free(question.grown);
    surety_doc_free(question.doc);
    surety_lenient_free(question.reader);
    surety__prefix_free(question.prefix);
    surety_checker_free(question.checker);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"all ways to ask agree", all_ways_agree},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
