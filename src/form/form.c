/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of forms: it asks each form for what it finds in a text, and keeps
 * the list. */
#include "form/inside.h"

static void (*const form_readers[SURETY_FORMS])(surety__forms *forms) = {
    [SURETY_FORM_TOOL_CALL] = surety__form_calls,
    [SURETY_FORM_YAML] = surety__form_yaml,
    [SURETY_FORM_TABLE] = surety__form_tables,
    [SURETY_FORM_CSV] = surety__form_csv,
    [SURETY_FORM_KEY_VALUE] = surety__form_lines,
    [SURETY_FORM_XML] = surety__form_xml,
};

surety__forms *surety__forms_new(const surety_alloc *alloc,
                                 const surety_limits *limits)
{
    surety__forms *forms = surety__new(alloc, sizeof(*forms));

    if (!forms)
        return NULL;
    forms->alloc = alloc;
    forms->limits = surety_limits_of(limits);
    surety_buf_init(&forms->out, alloc, 0);
    surety__arena_init(&forms->names, alloc, 0);
    forms->doc = surety_doc_new(alloc);
    if (forms->doc)
        return forms;
    surety__forms_free(forms);
    return NULL;
}

void surety__forms_free(surety__forms *forms)
{
    if (!forms)
        return;
    surety_doc_free(forms->doc);
    surety_buf_done(&forms->out);
    surety__arena_done(&forms->names);
    surety__free(forms->alloc, forms->origins,
                 forms->origin_cap * sizeof(*forms->origins));
    surety__free(forms->alloc, forms->nodes,
                 forms->node_cap * forms->node_size);
    surety__free(forms->alloc, forms, sizeof(*forms));
}

surety_status surety__forms_read(surety__forms *forms,
                                 const surety__form_task *task)
{
    forms->task = *task;
    forms->text = task->text;
    forms->status = SURETY_OK;
    forms->origin_count = forms->count = forms->failures = 0;
    surety_buf_reset(&forms->out);
    surety__arena_reset(&forms->names);
    for (size_t i = 0; i < SURETY_FORMS; i++) {
        forms->failures = 0;
        if (task->forms & 1u << i && task->text.len)
            form_readers[i](forms);
    }
    return forms->status;
}

size_t surety__forms_count(const surety__forms *forms)
{
    return forms->count;
}

const surety__formed *surety__forms_at(const surety__forms *forms, size_t i)
{
    assert(i < forms->count);
    return &forms->readings[i];
}

surety_str surety__forms_text(const surety__forms *forms,
                              const surety__formed *reading)
{
    return (surety_str){(reading->raw ? forms->text.ptr : forms->out.ptr) +
                            reading->at,
                        reading->len};
}

const surety__form_origin *surety__forms_origins(const surety__forms *forms,
                                                 const surety__formed *reading)
{
    return reading->origin_count ? forms->origins + reading->origin : NULL;
}
