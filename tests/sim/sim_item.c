/* SPDX-License-Identifier: Apache-2.0 */
/* Elements and values as they come. What must hold of them:
 *
 * - an element is given once and in order, and never after the end;
 * - where the run ends with a value, its array is what was given, and of a part
 *   of a value what was given begins it;
 * - every call behind an element tells the model of it (but one for a patch,
 * which leaves the elements as they are);
 * - a value so far is JSON, of the attempt under way, and the last one is the
 *   run's. */
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_items_make(struct sim *sim, const char *location)
{
    struct sim_items *items = &sim->items;
    const size_t fail_at = sim->memory.fail_at;

    sim->memory.fail_at = 0;
    items->location = location;
    surety_buf_init(&items->given, NULL, 0);
    surety_buf_init(&items->value, NULL, 0);
    sim_must(sim,
             surety_items_new(sim->contract, surety_str_of(location),
                              &sim->alloc, &items->set, NULL) == SURETY_OK,
             "a contract with an array has its elements");
    sim->memory.fail_at = fail_at;
    sim->options.items = items->set;
    sim->options.values = sim_one_in(sim, 2);
}

void sim_items_done(struct sim *sim)
{
    surety_items_free(sim->items.set);
    surety_buf_done(&sim->items.given);
    surety_buf_done(&sim->items.value);
}

/* Whether the prompt of the call has all that was given, in its order. */
static bool items_remind(const struct sim *sim, surety_str prompt)
{
    size_t at = 0;

    for (size_t i = 0; i < sim->items.count; i++) {
        const surety_str text = surety_items_at(sim->items.set, i).text;

        while (at + text.len <= prompt.len &&
               memcmp(prompt.ptr + at, text.ptr, text.len) != 0)
            at++;
        if (at + text.len > prompt.len)
            return false;
        at += text.len;
    }
    return true;
}

/* What a call sends of the elements that were given: its prompt, or what the
 * steps before it go on behind. */
static void items_check_prompt(struct sim *sim, uint32_t number)
{
    struct sim_items *items = &sim->items;
    const surety_attempt attempt = surety_run_attempt(sim->run, number - 1);
    const bool retry =
        surety_str_equal(attempt.purpose, surety_str_of("retry"));

    if (surety_str_equal(attempt.purpose, surety_str_of("step")))
        items->stayed = items->told;
    if (!retry)
        items->patch =
            surety_str_equal(attempt.purpose, surety_str_of("patch"));
    if (items->patch)
        return;
    items->told =
        items_remind(sim, attempt.prompt) ? items->count : items->stayed;
    items->reminded += items->count > 0;
    sim_must(sim, items->told == items->count,
             "a call tells of the elements that were given");
}

static bool items_is_json(surety_str text)
{
    surety_doc *doc = surety_doc_new(NULL);
    const bool good =
        doc && surety_doc_read(doc, text, NULL, NULL) == SURETY_OK;

    surety_doc_free(doc);
    return good;
}

void sim_items_hear(struct sim *sim, const surety_event *event)
{
    struct sim_items *items = &sim->items;
    const surety_run_verdict verdict = surety_run_info_of(sim->run)->verdict;

    if (event->kind == SURETY_EVENT_ATTEMPT)
        items_check_prompt(sim, event->attempt);
    if (event->kind == SURETY_EVENT_VALUE) {
        sim_must(sim, sim->options.values, "values only where they are wanted");
        /* At the end a part of an earlier reply may be taken, or a fallback. */
        sim_must(sim,
                 event->attempt >= items->value_number ||
                     verdict != SURETY_RUN_PENDING,
                 "values go forward");
        sim_must(sim, items_is_json(event->text), "a value so far is JSON");
        items->value_number = event->attempt;
        items->values++;
        surety_buf_reset(&items->value);
        surety_buf_add(&items->value, event->text);
    }
    if (event->kind != SURETY_EVENT_ITEM)
        return;
    sim_must(sim, items->set != NULL, "elements only where they are wanted");
    sim_must(sim, event->item == items->count,
             "an element is the next one, once");
    items->early += verdict == SURETY_RUN_PENDING;
    surety_buf_text(&items->given, items->count++ ? "," : "[");
    surety_buf_add(&items->given, event->text);
}

/* Whether the array of the value is what was given. */
static bool items_agree(struct sim *sim, surety_val value, bool part)
{
    struct sim_items *items = &sim->items;
    const surety_val array =
        surety_val_at(value, surety_str_of(items->location));
    surety_buf text;
    bool good;

    surety_buf_init(&text, NULL, 0);
    if (array.doc && surety_val_kind(array) == SURETY_KIND_ARRAY)
        (void)surety_val_write(array, SURETY_STYLE_COMPACT, &text);
    else
        surety_buf_text(&text, "[]");
    if (!items->count)
        surety_buf_byte(&items->given, '[');
    if (!part)
        surety_buf_byte(&items->given, ']');
    if (text.status || items->given.status)
        abort();
    good = items->given.len <= text.len &&
           (part || items->given.len == text.len) &&
           memcmp(items->given.ptr, text.ptr, items->given.len) == 0;
    if (!good && sim->verbose)
        printf("# given: %.*s\n# value: %.*s\n", (int)items->given.len,
               items->given.ptr, (int)text.len, text.ptr);
    surety_buf_done(&text);
    return good;
}

/* Whether the last value so far is the run's. */
static bool items_showed(const struct sim *sim, surety_val value)
{
    surety_buf text;
    bool good;

    surety_buf_init(&text, NULL, 0);
    (void)surety_val_write(value, SURETY_STYLE_COMPACT, &text);
    good = surety_str_equal(surety_buf_str(&text),
                            surety_buf_str(&sim->items.value));
    surety_buf_done(&text);
    return good;
}

void sim_check_items(struct sim *sim)
{
    const surety_run_info *info = surety_run_info_of(sim->run);
    const surety_outcome *outcome = info->outcome;

    if (!sim->items.set || sim->memory.starved ||
        info->verdict < SURETY_RUN_VALID || info->verdict > SURETY_RUN_FALLBACK)
        return;
    sim_must(sim,
             items_agree(sim, surety_outcome_info_of(outcome)->value,
                         info->verdict == SURETY_RUN_PARTIAL),
             "the elements that were given are the value's");
    if (sim->options.values)
        sim_must(sim, items_showed(sim, surety_outcome_info_of(outcome)->value),
                 "the last value so far is the run's");
}
