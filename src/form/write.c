/* SPDX-License-Identifier: Apache-2.0 */
/* What readers of forms write: JSON, and where each part of it was in the text.
 *
 * A comma is written before each key, item or bracket that follows another: the
 * last byte that was written says so. A string's first byte and its last, the
 * quotes, are at its first and last byte in the text, so that a position within
 * the text is right for all of it. */
#include "form/inside.h"

/* Byte `written` of what is written is byte `source` of the text. */
static void write_origin(surety__forms *forms, size_t written, size_t source)
{
    if (surety__grow(forms->alloc, &forms->origins, &forms->origin_cap,
                     forms->origin_count + 1, sizeof(*forms->origins),
                     SIZE_MAX / 64) != SURETY_OK) {
        forms->status = SURETY_NOMEM;
        return;
    }
    forms->origins[forms->origin_count++] = (surety__form_origin){
        (uint32_t)(written - forms->readings[forms->count].at),
        (uint32_t)source};
}

/* A comma, where one belongs before what comes. */
static void write_comma(surety__forms *forms, size_t at)
{
    const surety_buf *out = &forms->out;

    if (out->len > forms->readings[forms->count].at && out->ptr &&
        !memchr("[{:", out->ptr[out->len - 1], 3)) {
        write_origin(forms, out->len, at);
        surety_buf_byte(&forms->out, ',');
    }
}

surety__formed *surety__form_begin(surety__forms *forms, surety_form form,
                                   size_t start)
{
    surety__formed *reading;

    if (forms->count == FORM_READINGS_MAX || forms->status != SURETY_OK)
        return NULL;
    reading = &forms->readings[forms->count];
    *reading = (surety__formed){.form = form,
                                .start = start,
                                .at = forms->out.len,
                                .origin = forms->origin_count};
    return reading;
}

void surety__form_end(surety__forms *forms, size_t end)
{
    surety__formed *reading = &forms->readings[forms->count];

    assert(forms->count < FORM_READINGS_MAX && reading->start <= end);
    if (forms->out.status != SURETY_OK)
        forms->status = forms->out.status;
    reading->end = end;
    if (!reading->raw)
        reading->len = forms->out.len - reading->at;
    reading->origin_count = forms->origin_count - reading->origin;
    forms->count++;
}

void surety__form_drop(surety__forms *forms)
{
    const surety__formed *reading = &forms->readings[forms->count];

    assert(reading->at <= forms->out.len);
    forms->out.len = reading->at;
    forms->origin_count = reading->origin;
}

void surety__form_bracket(surety__forms *forms, char bracket, size_t at)
{
    if (bracket == '{' || bracket == '[')
        write_comma(forms, at);
    write_origin(forms, forms->out.len, at);
    surety_buf_byte(&forms->out, bracket);
}

void surety__form_string(surety__forms *forms, surety_str text, form_span span,
                         bool key)
{
    surety_buf *out = &forms->out;
    size_t start;

    write_comma(forms, span.at);
    start = out->len;
    surety_json_string(out, text);
    if (out->status != SURETY_OK)
        return;
    write_origin(forms, start, span.at);
    write_origin(forms, start + 1, span.at);
    write_origin(forms, out->len - 1,
                 span.end > span.at ? span.end - 1 : span.end);
    if (key)
        surety_buf_byte(out, ':');
}

/* Whether a text is a number, true or false as JSON writes it. */
static bool write_is_literal(surety__forms *forms, surety_str text)
{
    surety_status status;
    surety_kind kind;

    if (!text.len || !memchr("-0123456789tf", text.ptr[0], 13) ||
        memchr(" \t\r\n", text.ptr[text.len - 1], 4))
        return false;
    status = surety_doc_read(forms->doc, text, NULL, NULL);
    if (status == SURETY_NOMEM)
        forms->status = status;
    kind = surety_val_kind(surety_doc_root(forms->doc));
    return status == SURETY_OK &&
           (kind == SURETY_KIND_NUMBER || kind == SURETY_KIND_BOOLEAN);
}

void surety__form_json(surety__forms *forms, surety_str text, form_span span)
{
    const size_t len = span.end - span.at;

    write_comma(forms, span.at);
    write_origin(forms, forms->out.len, span.at);
    /* What is longer than what it was made of is all at its first byte. */
    for (size_t i = 1; text.len > len && i < text.len; i++)
        write_origin(forms, forms->out.len + i, span.at);
    surety_buf_add(&forms->out, text);
}

void surety__form_number(surety__forms *forms, surety_str text, form_span span)
{
    if (write_is_literal(forms, text))
        surety__form_json(forms, text, span);
    else
        surety__form_string(forms, text, span, false);
}

bool surety__form_is_unique(surety__forms *forms)
{
    static const surety_read_options options = {
        .size = sizeof(options), .flags = SURETY_READ_UNIQUE_KEYS};
    const surety__formed *reading = &forms->readings[forms->count];
    surety_status status;

    if (forms->out.status != SURETY_OK)
        return false;
    status = surety_doc_read(forms->doc,
                             (surety_str){forms->out.ptr + reading->at,
                                          forms->out.len - reading->at},
                             &options, NULL);
    if (status == SURETY_NOMEM)
        forms->status = status;
    return status == SURETY_OK;
}

void surety__form_scalar(surety__forms *forms, surety_str text, form_span span)
{
    static const char *const nulls[] = {"null", "Null", "NULL", "None", "nil"};

    if (surety__str_among(text, nulls, SURETY__COUNT(nulls)))
        surety__form_json(forms, SURETY__LITERAL("null"), span);
    else
        surety__form_number(forms, text, span);
}
