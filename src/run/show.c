/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the values of a run as they come: the value so far of the reply that
 * arrives, its elements, and at the end the value that the run gives.
 *
 * Rules:
 * 1. Only a value that has the contract's form is shown, and only while it may
 *    still become valid. So nothing of a patch is shown, and no text that may
 *    be a call of a tool. A provider's form is converted back first.
 * 2. All bytes that arrive together give at most one value, and each value
 *    differs from the one shown before it.
 * 3. A value takes as long to write as it is, and what came to convert. So
 * behind a long one the reply must go on by a share of that length before the
 * next is written. That keeps the bytes of all values in proportion to the
 * reply.
 * 4. An element that was given stays: whatever the run ends with begins with
 *    it. Of a partial value no more are given, for the last may be one that was
 *    cut off.
 * 5. Which elements a reply gives is a function of its bytes, and not of how
 *    they come: they are looked for behind each comma and each bracket that
 *    closes (stream.h), in a provider's form too. */
#include "run/run.h"

/* A value is followed by the next when so many bytes of reply have come, for
 * each 256 of its own: a value of up to 1 KiB is shown with every token (four
 * bytes), and all values together are at most 256 times as long as the
 * reply. */
enum { SHOW_SHARE = 256 };

void surety__show_init(surety__show *show, const surety__setup *setup,
                       surety__run_store *store)
{
    *show = (surety__show){.setup = setup, .store = store};
    surety_buf_init(&show->shown, store->alloc, 0);
    surety_buf_init(&show->text, store->alloc, 0);
    surety_buf_init(&show->restored, store->alloc, 0);
}

void surety__show_done(surety__show *show)
{
    surety_buf_done(&show->shown);
    surety_buf_done(&show->text);
    surety_buf_done(&show->restored);
    surety_stream_free(show->stream);
    if (show->setup->options.items)
        (void)surety_items_begin(show->setup->options.items, NULL);
}

void surety__show_begin(surety__show *show, size_t attempt,
                        const surety__plan *plan, const surety__watch *watch)
{
    const surety_run_options *options = &show->setup->options;
    const bool calls = options->tools && !plan->answer_only &&
                       plan->mode == SURETY_MODE_PROMPT;
    const bool comes = options->contract && !plan->patch && !calls;

    surety_status status = SURETY_OK;

    show->attempt = attempt;
    show->next = show->next_look = 0;
    show->live = options->values && comes;
    show->outputs = options->output && comes;
    show->gives = options->items && comes;
    show->strict = surety__plan_restores(plan) ? plan->strict : NULL;
    if (options->items)
        status = surety_items_begin(options->items, show->gives && !show->strict
                                                        ? watch->stream
                                                        : NULL);
    (void)surety__store_pass(show->store, status);
}

/* ---- elements ------------------------------------------------------------ */

/* Gives all elements that there are now. */
static void show_items(const surety__show *show)
{
    const surety_run_options *options = &show->setup->options;
    surety_item item;
    surety_status status;

    while ((status = surety_items_next(options->items, &item, NULL)) ==
           SURETY_OK) {
        const surety_event event = {.kind = SURETY_EVENT_ITEM,
                                    .attempt = (uint32_t)show->attempt,
                                    .text = item.text,
                                    .item = item.index};

        if (options->event)
            options->event(options->event_ctx, &event);
    }
    if (status == SURETY_NOMEM)
        show->store->status = SURETY_NOMEM;
}

static surety_status show_differs(void *ctx, surety_str location,
                                  surety_str message, surety_str hint)
{
    bool *agrees = ctx;

    (void)location;
    (void)message;
    (void)hint;
    *agrees = false;
    return SURETY_OK;
}

bool surety__show_agrees(const surety__setup *setup, surety__run_store *store,
                         surety_val val)
{
    bool agrees = true;
    const surety_validation validation = {
        .value = val, .given = val, .ctx = &agrees, .add = show_differs};
    surety_validator validator;

    if (setup->options.items) {
        validator = surety_items_validator(setup->options.items);
        (void)surety__store_pass(
            store, validator.validate(validator.ctx, &validation, NULL));
    }
    if (setup->output) {
        validator = surety__output_validator(setup->output);
        (void)surety__store_pass(
            store, validator.validate(validator.ctx, &validation, NULL));
    }
    return agrees;
}

/* ---- values -------------------------------------------------------------- */

/* Gives the value to the caller, unless it is the one shown before. */
static void show_value(surety__show *show, surety_val val)
{
    const surety_buf last = show->shown;

    surety_buf_reset(&show->text);
    (void)surety_val_write(val, SURETY_STYLE_COMPACT, &show->text);
    if (show->text.status != SURETY_OK) {
        show->store->status = SURETY_NOMEM;
        return;
    }
    if (show->shown_of == show->attempt &&
        surety_str_equal(surety_buf_str(&show->text), surety_buf_str(&last)))
        return;
    show->shown = show->text;
    show->text = last;
    show->shown_of = show->attempt;
    surety__setup_event(show->setup, show->attempt, SURETY_EVENT_VALUE,
                        surety_buf_str(&show->shown));
}

/* What has come of a provider's form, converted back; false: nothing yet. */
static bool show_restored(surety__show *show, const surety__watch *watch,
                          surety_val *ret_val)
{
    const surety_run_options *options = &show->setup->options;
    const surety_stream_info *info;
    surety_status status;

    if (!surety__watch_is_open(watch))
        return false;
    if (!show->stream)
        show->stream = surety_stream_new(show->store->alloc, options->limits);
    surety_buf_reset(&show->restored);
    status = show->stream ? surety_strict_restore_part(
                                show->strict, surety__watch_reply(watch),
                                options->limits, &show->restored, NULL)
                          : SURETY_NOMEM;
    if (status == SURETY_OK)
        status = surety_stream_begin(show->stream, options->contract, NULL,
                                     true, NULL);
    if (status == SURETY_OK)
        status = surety_stream_feed(show->stream,
                                    surety_buf_str(&show->restored), NULL);
    if (status == SURETY_NOMEM)
        show->store->status = SURETY_NOMEM;
    if (status != SURETY_OK)
        return false;
    info = surety_stream_info_of(show->stream);
    *ret_val = info->value;
    return info->state == SURETY_STREAM_OPEN && info->value.doc;
}

size_t surety__show_cut(const surety__show *show, surety_str text)
{
    size_t len = 0;

    if (!show->gives || !show->strict)
        return text.len;
    while (len < text.len && !memchr(",]}", text.ptr[len], 3))
        len++;
    return len < text.len ? len + 1 : len;
}

void surety__show_look(surety__show *show, const surety__watch *watch)
{
    surety_items *items = show->setup->options.items;
    const surety_str reply = surety__watch_reply(watch);
    surety_val val;

    if (!show->gives || !show->strict || reply.len < show->next_look ||
        !reply.len || !memchr(",]}", reply.ptr[reply.len - 1], 3) ||
        show->store->status != SURETY_OK || !show_restored(show, watch, &val))
        return;
    (void)surety__store_pass(show->store,
                             surety_items_begin(items, show->stream));
    (void)surety_items_begin(items, NULL);
    show->next_look = reply.len + reply.len / SHOW_SHARE + 1;
}

void surety__show_reply(surety__show *show, const surety__watch *watch)
{
    surety_val val;
    size_t came, len;

    if (show->gives && show->store->status == SURETY_OK)
        show_items(show);
    came = surety__watch_reply(watch).len;
    if ((!show->live && !show->outputs) || show->store->status != SURETY_OK ||
        came < show->next ||
        !(show->strict ? show_restored(show, watch, &val)
                       : surety__watch_value(watch, &val)))
        return;
    if (show->live)
        show_value(show, val);
    if (show->outputs)
        surety__output_look(show->setup->output, show->attempt, val);
    len = show->live ? show->shown.len : show->setup->output->text.len;
    show->next = came + (show->strict ? came : len) / SHOW_SHARE + 1;
}

void surety__show_end(surety__show *show, size_t attempt,
                      surety_run_verdict verdict, surety_val val)
{
    const surety_run_options *options = &show->setup->options;

    if (show->store->status != SURETY_OK || !val.doc)
        return;
    show->attempt = attempt;
    if (options->items && verdict != SURETY_RUN_PARTIAL) {
        surety_items_end(options->items, val);
        show_items(show);
    }
    if (options->values && show->store->status == SURETY_OK)
        show_value(show, val);
    if (options->output && show->store->status == SURETY_OK)
        surety__output_end(show->setup->output, attempt, val);
}
