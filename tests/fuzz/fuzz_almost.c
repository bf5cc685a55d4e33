/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_almost.c: a value that a reply says in a wrong way comes back.
 *
 * The input is choices: a value, a shape of mistake, a contract (almost.h), and
 * how the reply comes. What must hold:
 *
 *  1. The value comes back, whatever its shape.
 *  2. No reply, also one with any sign left out, doubled, replaced or put in,
 *     gives a certain wrong value: one that differs from what was written, with
 *     only certain repairs and without a warning.
 *  3. A stream comes to what the whole comes to.
 *
 * A sign that is wrong may leave JSON of another value; what such a text means
 * cannot be known, and it is left out. */
#include <stdio.h>

#include "fuzz.h"

#include <surety/reply.h>
#include <surety/stream.h>

#include "almost.h"

struct question {
    struct almost almost;
    const char *shape;
    surety_contract *contract;
    surety_doc *doc;
    surety_val meant;
};

static void holds(const struct question *question, bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s, %s\nmeant: %.*s\ncontract: %.*s\nreply: %.*s\n",
            question->shape, what, (int)question->almost.json.len,
            question->almost.json.ptr, (int)question->almost.contract.len,
            question->almost.contract.ptr, (int)question->almost.reply.len,
            question->almost.reply.ptr);
    abort();
}

static bool is_meant(const struct question *question,
                     const surety_outcome_info *info)
{
    return info->ok && surety_val_equal(info->value, question->meant);
}

/* Whether the outcome has a value that nothing calls a guess. */
static bool is_certain(const surety_outcome *outcome)
{
    const surety_outcome_info *info = surety_outcome_info_of(outcome);

    if (!info->ok || info->warning_count)
        return false;
    for (size_t i = 0; i < info->repaired_count; i++)
        if (surety_outcome_repaired(outcome, i).likely)
            return false;
    return true;
}

/* Feeds the reply in chunks; the outcome belongs to the stream. */
static const surety_outcome_info *streamed(const struct question *question,
                                           const surety_judge_options *options,
                                           size_t chunk, surety_stream *stream)
{
    const surety_str reply = surety_buf_str(&question->almost.reply);
    const surety_outcome *outcome = NULL;

    must(stream && !surety_stream_begin(stream, question->contract, options,
                                        false, NULL));
    for (size_t at = 0; at < reply.len; at += chunk) {
        const size_t left = reply.len - at;

        must(surety_stream_feed(
                 stream,
                 (surety_str){reply.ptr + at, chunk < left ? chunk : left},
                 NULL) >= SURETY_OK);
    }
    must(!surety_stream_finish(stream, NULL, &outcome, NULL));
    return surety_outcome_info_of(outcome);
}

static void ask(struct question *question, bool damaged, size_t chunk)
{
    static const surety_repair level = SURETY_REPAIR_ALIGN;
    surety_judge_options options = {.size = sizeof(options), .repair = &level};
    const surety_str reply = surety_buf_str(&question->almost.reply);
    surety_outcome *whole = NULL, *certain = NULL;
    surety_stream *stream = surety_stream_new(NULL, NULL);
    const surety_outcome_info *one, *two;

    must(!surety_contract_judge(question->contract, reply, &options, &whole,
                                NULL));
    two = streamed(question, &options, chunk, stream);
    options.certain_only = true;
    must(!surety_contract_judge(question->contract, reply, &options, &certain,
                                NULL));
    one = surety_outcome_info_of(whole);
    holds(question, damaged || is_meant(question, one), "comes back");
    holds(question, !is_certain(whole) || is_meant(question, one),
          "a certain wrong value");
    holds(question,
          !is_certain(certain) ||
              is_meant(question, surety_outcome_info_of(certain)),
          "a wrong value with certain repairs");
    holds(question,
          one->ok == two->ok && one->repaired_count == two->repaired_count &&
              (!one->ok || surety_val_equal(one->value, two->value)),
          "streamed");
    surety_outcome_free(certain);
    surety_stream_free(stream);
    surety_outcome_free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = {data, size, 0};
    const unsigned shape = choose(&choices, almost_shape_count() + 16);
    const size_t chunk = 1 + choose(&choices, 40);
    const bool damaged = shape >= almost_shape_count();
    struct question question = {
        .shape = damaged ? "one sign" : almost_shape(shape),
        .doc = surety_doc_new(NULL),
    };
    surety_doc *other = surety_doc_new(NULL);

    must(question.doc && other);
    almost_init(&question.almost);
    if (damaged)
        almost_damage(&choices, &question.almost);
    else
        almost_make(&choices, shape, &question.almost);
    must(!surety_doc_read(question.doc, surety_buf_str(&question.almost.json),
                          NULL, NULL));
    question.meant = surety_doc_root(question.doc);
    must(!surety_contract_read(surety_buf_str(&question.almost.contract), NULL,
                               &question.contract, NULL));
    if (!damaged ||
        surety_doc_read(other, surety_buf_str(&question.almost.reply), NULL,
                        NULL))
        ask(&question, damaged, chunk);
    surety_contract_free(question.contract);
    almost_done(&question.almost);
    surety_doc_free(other);
    surety_doc_free(question.doc);
    return 0;
}
