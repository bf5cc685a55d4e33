/* SPDX-License-Identifier: Apache-2.0 */
/* Alignment: changes a value so that it satisfies a schema.
 *
 * A valid value is copied without further work, so a second alignment changes
 * nothing. Otherwise the search (solve.c) finds the plan with the lowest cost,
 * the plan is written, and the result is checked against the whole schema:
 * whatever the search misses, the result is never invalid. No value is
 * invented: every scalar in the result was in the value, or is the schema's
 * own spelling of it. */
#include "align/align.h"

#include "align/inside.h"

/* ---- the aligner --------------------------------------------------------- */

surety__aligner *surety__aligner_new(const surety_alloc *alloc,
                                     const surety_limits *limits)
{
    surety__aligner *aligner = surety__new(alloc, sizeof(*aligner));
    bool made = true;

    if (!aligner)
        return NULL;
    aligner->alloc = alloc;
    aligner->limits = surety_limits_of(limits);
    surety__arena_init(&aligner->arena, alloc, 0);
    aligner->arena.status = &aligner->status;
    surety_buf_init(&aligner->pointer, alloc, 0);
    aligner->graph = (surety__graph){.arena = &aligner->arena,
                                     .work = &aligner->work,
                                     .limits = &aligner->limits,
                                     .adds = CONJUNCTION_DIRECT};
    aligner->checker = surety_checker_new(alloc, limits);
    for (size_t i = 0; i < DOC_COUNT; i++)
        made &= (aligner->docs[i] = surety_doc_new(alloc)) != NULL;
    if (!made || !aligner->checker) {
        surety__aligner_free(aligner);
        return NULL;
    }
    return aligner;
}

void surety__aligner_free(surety__aligner *aligner)
{
    if (!aligner)
        return;
    surety_checker_free(aligner->checker);
    for (size_t i = 0; i < DOC_COUNT; i++)
        surety_doc_free(aligner->docs[i]);
    surety__graph_done(&aligner->graph);
    surety__map_done(&aligner->answers, aligner->alloc);
    surety__arena_done(&aligner->arena);
    surety_buf_done(&aligner->pointer);
    surety__free(aligner->alloc, aligner, sizeof(*aligner));
}

/* Begins a call: forgets the last one, and gives the work for val. */
static void aligner_begin(surety__aligner *aligner, const surety_schema *schema,
                          surety_val val)
{
    aligner->schema = schema;
    surety__graph_reset(&aligner->graph);
    surety__map_done(&aligner->answers, aligner->alloc);
    aligner->answers = (surety__map){.cap = 0};
    surety__arena_reset(&aligner->arena);
    aligner->questions = NULL;
    aligner->places = NULL;
    aligner->question_cap = aligner->place_cap = 0;
    aligner->edits = (surety__align_edits){.items = NULL};
    aligner->inner_open = false;
    aligner->status = SURETY_OK;
    aligner->answer = (surety__answer){.fits = false};
    aligner->work =
        aligner->limits.work_base +
        (uint64_t)aligner->limits.work_per_value * val.doc->cell_count;
}

/* Ends a call without a value. */
static surety_status aligner_fail(surety__aligner *aligner, bool ambiguous,
                                  surety_error *reterr)
{
    surety_status status = aligner->status;

    aligner->edits = (surety__align_edits){.items = NULL};
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (status == SURETY_LIMIT)
        return surety__fail(
            reterr, status,
            "the alignment needs more steps than the limit of %u and %u for "
            "each value allows (work_base, work_per_value)",
            aligner->limits.work_base, aligner->limits.work_per_value);
    if (status)
        return surety__fail(reterr, status, "the value cannot be written");
    return surety__fail(
        reterr, SURETY_END,
        ambiguous
            ? "two ways to make the value satisfy the schema are equally good"
            : "nothing that is certain enough makes the value satisfy the "
              "schema");
}

/* Ends a call: writes the value that the answer's plan makes of val to out, and
 * checks it. */
static surety_status aligner_end(surety__aligner *aligner,
                                 const surety__answer *answer, surety_val val,
                                 surety_doc *out, surety_error *reterr)
{
    bool valid = false;

    if (aligner->inner_open && !aligner->status) {
        surety_build_close(aligner->docs[DOC_INNER]);
        aligner->status = surety_build_end(aligner->docs[DOC_INNER], NULL);
    }
    if (!aligner->status && answer->fits && !answer->ambiguous &&
        surety__plan_write(aligner, answer, val, out, true)) {
        valid = !answer->plan;
        if (!valid)
            aligner->status =
                surety_checker_check(aligner->checker, aligner->schema,
                                     surety_doc_root(out), &valid, NULL);
    }
    return valid && !aligner->status
               ? SURETY_OK
               : aligner_fail(aligner, answer->ambiguous, reterr);
}

surety_status surety__aligner_align(surety__aligner *aligner,
                                    const surety_schema *schema, surety_val val,
                                    surety_doc *out, surety_error *reterr)
{
    surety__answer answer = {.fits = true};
    surety__goal *goal;

    if (!aligner || !schema || !val.doc || !out || out == val.doc)
        return surety__fail(reterr, SURETY_MISUSE, "there is nothing to align");
    aligner_begin(aligner, schema, val);
    aligner->is_text = false;
    goal = surety__goal_root(aligner);
    if (!surety__goal_holds(aligner, goal, val))
        answer = surety__align_solve(aligner, goal, val);
    return aligner_end(aligner, &answer, val, out, reterr);
}

/* ---- plain text ---------------------------------------------------------- */

/* Whether val is a string of an alternative of goal. A string that another
 * alternative accepts only because it has no type is no answer. */
static bool text_is_named(surety__aligner *aligner, const surety__goal *goal,
                          surety_val val)
{
    bool named = false;

    for (uint32_t i = 0; i < goal->alternative_count && !named; i++) {
        const surety__alternative *alternative = &goal->alternatives[i];
        surety__goal *alone;

        if (!(alternative->types & TYPE_STRING))
            continue;
        alone = surety__goal_of(aligner, &alternative->all);
        named = !aligner->status && surety__goal_holds(aligner, alone, val);
    }
    return named;
}

/* The scalar of the schema that text means. */
static surety__answer text_answer(surety__aligner *aligner, surety__goal *goal,
                                  surety_val val)
{
    surety__answer answer = {.fits = false};
    surety_str text = surety_val_str(val);
    surety__goal scalars;

    /* If the schema accepts any value, it names no scalar. */
    if (aligner->status || !text.len || !goal ||
        !surety__goal_scalars(aligner, goal, &scalars))
        return answer;
    if (surety__goal_holds(aligner, goal, val))
        answer.fits = text_is_named(aligner, &scalars, val);
    if (answer.fits || aligner->status || scalars.open_string ||
        !surety__goal_list(aligner, &scalars))
        return answer;
    answer = surety__scalar_align(aligner, &scalars, val);
    if (!answer.fits && !aligner->status)
        answer = surety__text_align(aligner, &scalars, val, text);
    return answer;
}

surety_status surety__aligner_align_text(surety__aligner *aligner,
                                         const surety_schema *schema,
                                         surety_str text, surety_doc *out,
                                         surety_error *reterr)
{
    surety__answer answer;
    surety_status status;
    surety_doc *doc;
    surety_val val;

    if (!aligner || !schema || !out)
        return surety__fail(reterr, SURETY_MISUSE, "there is nothing to align");
    doc = aligner->docs[DOC_TEXT];
    surety_build_begin(doc, NULL);
    surety_build_str(doc, surety__text_trim(text));
    status = surety_build_end(doc, NULL);
    val = surety_doc_root(doc);
    aligner_begin(aligner, schema, (surety_val){doc, 0});
    aligner->is_text = true;
    aligner->status = status;
    answer = text_answer(aligner, surety__goal_root(aligner), val);
    return aligner_end(aligner, &answer, val, out, reterr);
}

const surety__align_edits *surety__aligner_edits(const surety__aligner *aligner)
{
    return &aligner->edits;
}
