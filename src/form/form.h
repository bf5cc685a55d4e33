/* SPDX-License-Identifier: Apache-2.0 */
/* The door of form/: values that a text has in another form than JSON. A reader
 * lists the stretches of a text that have such a form, and gives each as JSON:
 * as the bytes of the text itself, where those are (almost) JSON, or written
 * anew, with the offset in the text of each part. What it gives is a proposal.
 * Whether it is the value is for the contract to say.
 *
 * Linear in the text. Nothing is read twice but what is a bounded number of
 * times. */
#ifndef SURETY_FORM_FORM_H
#define SURETY_FORM_FORM_H

#include <surety/form.h>
#include <surety/extract.h>

#include "base/base.h"

/* From written byte `written` on, the bytes are those of the text from `source`
 * on. */
typedef struct surety__form_origin {
    uint32_t written, source;
} surety__form_origin;

/* A stretch of the text, from start to end, and its value. */
typedef struct surety__formed {
    surety_form form;
    bool weak;  /* prose may look so: it counts only where it is valid */
    bool blank; /* cells without a text are left out, and are "" in the next
                 * reading, which is of the same stretch */
    size_t start, end;
    bool raw;  /* the value is the text's own bytes, */
    size_t at; /* from here, or from here of what was written, */
    size_t len;
    size_t origin, origin_count; /* of what was written */
    surety_str name;             /* of a call; empty: it has none */
} surety__formed;

/* What a reader is told of the text and of what is wanted. */
typedef struct surety__form_task {
    surety_str text;
    surety_str info; /* the first word of a block's info string */
    bool block;      /* the text is all that a block of code holds */
    unsigned forms;  /* bits 1u << surety_form: those to look for */
    /* The member that a name means: false where no object is expected to have
     * one. NULL: each name is that of a member. */
    bool (*name)(void *ctx, surety_str name, surety_str *ret_name);
    /* Whether a call of that tool has a text as that argument. NULL: it is not
     * known. */
    bool (*is_text)(void *ctx, surety_str tool, surety_str name);
    /* Whether there is such a tool. NULL: any name may be that of one. */
    bool (*is_tool)(void *ctx, surety_str name);
    void *ctx;
} surety__form_task;

typedef struct surety__forms surety__forms;

/* NULL: out of memory. */
surety__forms *surety__forms_new(const surety_alloc *alloc,
                                 const surety_limits *limits);
void surety__forms_free(surety__forms *forms); /* takes NULL */
/* Lists what the text has, of each form in the order of the text. OK or NOMEM.
 */
surety_status surety__forms_read(surety__forms *forms,
                                 const surety__form_task *task);
size_t surety__forms_count(const surety__forms *forms);
const surety__formed *surety__forms_at(const surety__forms *forms, size_t i);
/* The value as (almost) JSON; the forms' or the text's own bytes. */
surety_str surety__forms_text(const surety__forms *forms,
                              const surety__formed *reading);
/* Where the parts of what was written are in the text. */
const surety__form_origin *surety__forms_origins(const surety__forms *forms,
                                                 const surety__formed *reading);

#endif
