/* SPDX-License-Identifier: Apache-2.0 */
/* What models are told, as text to be read.
 *
 *     prompt_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case with sections, each begun by a line "=== WORDS":
 *
 *     === contract             the contract
 *     === reply                a reply that failed (only where there is one)
 *     === STYLE                what surety_prompt_write must give: json-schema,
 *                              typescript, example; the prompt is "Go on."
 *     === FEEDBACK             what surety_prompt_again must add after a failed
 *                              reply: simple, errors, patch
 *     === mended PATCH         PATCH is a reply to the patch prompt; what must
 *                              come of it, or "error: ..."
 *
 * With --update what must come is written anew. */
#include "golden/cases.h"

#include <stdio.h>
#include <string.h>

static const char *const styles[] = {"contract", "json-schema", "typescript",
                                     "example"};
static const char *const feedbacks[] = {"errors", "simple", "patch"};

/* What the sections so far have said. */
struct talk {
    surety_contract *contract;
    surety_outcome *outcome;
    surety_str reply;
};

static int index_of(const char *const *names, size_t count, surety_str name)
{
    for (size_t i = 0; i < count; i++)
        if (surety_str_equal(name, surety_str_of(names[i])))
            return (int)i;
    return -1;
}

/* Writes what a section must hold; false: its words mean nothing. */
static bool answer(const struct talk *talk, surety_str words, surety_buf *out)
{
    const int style = index_of(styles, 4, words);
    const int feedback = index_of(feedbacks, 3, words);
    const surety_str prompt = surety_str_of("Go on.");
    surety_prompt_options options = {.size = sizeof(options)};
    surety_status status = SURETY_OK;
    surety_error err;

    if (style >= 0) {
        options.style = (surety_prompt_style)style;
        status =
            surety_prompt_write(talk->contract, prompt, &options, out, &err);
    } else if (feedback >= 0 && talk->outcome) {
        surety_buf first;

        surety_buf_init(&first, NULL, 0);
        surety_prompt_write(talk->contract, prompt, &options, &first, NULL);
        status = surety_prompt_again(talk->contract, prompt,
                                     (surety_feedback)feedback, talk->outcome,
                                     talk->reply, &options, out, &err);
        if (status == SURETY_OK &&
            (out->len < first.len ||
             memcmp(out->ptr, first.ptr, first.len) != 0))
            surety_buf_text(out, "the first prompt is not at its start\n");
        else if (status == SURETY_OK) {
            memmove(out->ptr, out->ptr + first.len, out->len - first.len);
            out->len -= first.len;
        }
        surety_buf_done(&first);
    } else if (talk->outcome && golden_take(&words, "mended ")) {
        status = surety_prompt_patch(talk->outcome, words, out, &err);
        if (status == SURETY_OK)
            surety_buf_byte(out, '\n');
    } else {
        return false;
    }
    if (status != SURETY_OK) {
        surety_buf_text(out, "error: ");
        surety_buf_text(out, err.message);
        surety_buf_byte(out, '\n');
    }
    return out->status == SURETY_OK;
}

/* Takes a section in; false: it cannot be, or its words mean nothing. */
static bool run_section(struct golden *golden, struct talk *talk,
                        const struct golden_section *section)
{
    surety_error err;
    surety_buf answered;
    bool good;

    if (golden_is(section, "contract")) {
        golden_keep(golden, section);
        good = surety_contract_read(section->body, NULL, &talk->contract,
                                    &err) == SURETY_OK;
        if (!good)
            printf("# %s\n", err.message);
        return good;
    }
    if (golden_is(section, "reply")) {
        golden_keep(golden, section);
        talk->reply = section->text;
        return talk->contract &&
               surety_reply_judge(talk->contract, talk->reply, NULL,
                                  &talk->outcome, &err) == SURETY_OK &&
               !surety_outcome_ok(talk->outcome);
    }
    golden_begin(golden, section);
    surety_buf_init(&answered, NULL, 0);
    good = talk->contract && answer(talk, section->kind, &answered);
    surety_buf_add(&golden->made, surety_buf_str(&answered));
    surety_buf_done(&answered);
    return good;
}

static bool run(struct golden *golden)
{
    struct talk talk = {.contract = NULL};
    bool good = true;

    for (size_t i = 0; i < golden->count; i++)
        good = run_section(golden, &talk, &golden->sections[i]) && good;
    surety_outcome_free(talk.outcome);
    surety_contract_free(talk.contract);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
