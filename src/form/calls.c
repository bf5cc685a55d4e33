/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in a text, for who makes them: call.c finds them, and here their
 * arguments become JSON. Nothing is judged; the tool's contract does that. */
#include "form/inside.h"

struct surety_calls {
    const surety_alloc *alloc;
    surety__forms *forms;
    surety_doc *doc;
    surety_calls_options options;
    surety__arena arena;
    surety_called *items;
    size_t count;
};

static bool calls_is_tool(void *ctx, surety_str name)
{
    const surety_calls_options *options = ctx;

    return options->is_tool(options->ctx, name);
}

static bool calls_is_text(void *ctx, surety_str tool, surety_str name)
{
    const surety_calls_options *options = ctx;

    return options->is_text && options->is_text(options->ctx, tool, name);
}

surety_calls *surety_calls_new(const surety_alloc *alloc,
                               const surety_limits *limits)
{
    surety_calls *calls = surety__new(alloc, sizeof(*calls));

    if (!calls)
        return NULL;
    calls->alloc = alloc;
    surety__arena_init(&calls->arena, alloc, 0);
    calls->forms = surety__forms_new(alloc, limits);
    calls->doc = surety_doc_new(alloc);
    if (calls->forms && calls->doc)
        return calls;
    surety_calls_free(calls);
    return NULL;
}

void surety_calls_free(surety_calls *calls)
{
    if (!calls)
        return;
    surety__forms_free(calls->forms);
    surety_doc_free(calls->doc);
    surety__arena_done(&calls->arena);
    surety__free(calls->alloc, calls, sizeof(*calls));
}

/* The arguments as JSON; a string of JSON holds them. */
static surety_status calls_arguments(surety_calls *calls, surety_str text,
                                     surety_str *ret_arguments)
{
    const surety__lenient_options options = {.limits = &calls->forms->limits};
    surety_buf out;
    surety_val value;
    size_t used = 0;
    surety_status status =
        surety__doc_read_lenient(calls->doc, text, &options, &used, NULL);

    if (status == SURETY_NOMEM)
        return status;
    *ret_arguments = text;
    if (status == SURETY_OK) {
        surety_buf_init(&out, calls->alloc, 0);
        value = surety_doc_root(calls->doc);
        if (surety_val_kind(value) == SURETY_KIND_STRING)
            surety_buf_add(&out, surety_val_str(value));
        else
            (void)surety_val_write(value, SURETY_STYLE_COMPACT, &out);
        *ret_arguments = surety_buf_str(&out);
        if (out.status == SURETY_OK)
            *ret_arguments = surety__arena_text(&calls->arena, *ret_arguments);
        else
            ret_arguments->ptr = NULL;
        surety_buf_done(&out);
    }
    return ret_arguments->ptr ? SURETY_OK : SURETY_NOMEM;
}

surety_status surety_calls_find(surety_calls *calls, surety_str text,
                                const surety_calls_options *options,
                                surety_error *reterr)
{
    surety_calls_options *own;
    surety__form_task task = {.text = text,
                              .forms = 1u << SURETY_FORM_TOOL_CALL,
                              .is_text = calls_is_text};
    surety_status status;

    if (!calls || (text.len && !text.ptr))
        return surety__fail(reterr, SURETY_MISUSE,
                            "an object for calls and a text are needed");
    own = &calls->options;
    if (surety__options_take(own, sizeof(*own), options, reterr))
        return SURETY_MISUSE;
    if (text.len > calls->forms->limits.text_bytes_max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the text has %zu bytes, more than the limit "
                            "text_bytes_max of %zu",
                            text.len, calls->forms->limits.text_bytes_max);
    task.ctx = own;
    task.is_tool = own->is_tool ? calls_is_tool : NULL;
    calls->count = 0;
    surety__arena_reset(&calls->arena);
    status = surety__forms_read(calls->forms, &task);
    calls->items = surety__arena_take(&calls->arena,
                                      (surety__forms_count(calls->forms) + 1) *
                                          sizeof(*calls->items));
    if (!calls->items)
        status = SURETY_NOMEM;
    for (size_t i = 0;
         status == SURETY_OK && i < surety__forms_count(calls->forms); i++) {
        const surety__formed *reading = surety__forms_at(calls->forms, i);
        surety_called *called = &calls->items[i];

        called->name = reading->name;
        called->start = reading->start;
        called->end = reading->end;
        status =
            calls_arguments(calls, surety__forms_text(calls->forms, reading),
                            &called->arguments);
        calls->count += status == SURETY_OK;
    }
    return status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

size_t surety_calls_count(const surety_calls *calls)
{
    return calls ? calls->count : 0;
}

surety_called surety_calls_at(const surety_calls *calls, size_t i)
{
    return calls && i < calls->count ? calls->items[i] : (surety_called){0};
}
