/* SPDX-License-Identifier: Apache-2.0 */
/* Inside form/: what a reader of forms holds, and how a value is written. */
#ifndef SURETY_FORM_INSIDE_H
#define SURETY_FORM_INSIDE_H

#include "form/form.h"
#include "json/json.h"

enum {
    FORM_READINGS_MAX = 64, /* of one text; more are repetitions */
    FORM_FAILURES_MAX = 16  /* what looks like a form and is none */
};

struct surety__forms {
    const surety_alloc *alloc;
    surety_limits limits;
    surety__form_task task;
    surety_str text; /* the task's */
    surety_status status;
    surety_doc *doc;     /* of JSON in the text */
    surety_buf out;      /* what was written */
    surety__arena names; /* of calls */
    surety__form_origin *origins;
    size_t origin_count, origin_cap;
    surety__formed readings[FORM_READINGS_MAX];
    size_t count;
    size_t failures; /* of reading what looked like a form, which costs */
    void *nodes;     /* of elements (xml.c) */
    size_t node_cap, node_size;
};

/* ---- text ---------------------------------------------------------------- */

/* A stretch of the text. */
typedef struct form_span {
    size_t at, end;
} form_span;

static inline surety_str surety__form_str(const surety__forms *forms,
                                          form_span span)
{
    return (surety_str){forms->text.ptr + span.at, span.end - span.at};
}

/* The span without the blanks around it. */
form_span surety__form_trim(const surety__forms *forms, form_span span);
/* Cuts what is before the first mark in the span off, and the mark. All of the
 * span where there is none: then false. */
bool surety__form_until(const surety__forms *forms, form_span *span,
                        const char *mark, form_span *ret_before);
/* Whether the span begins with the mark, which is then skipped. */
bool surety__form_skip(const surety__forms *forms, form_span *span,
                       const char *mark);
/* The line at `at`, without its end; *ret_next: behind it. */
form_span surety__form_line(const surety__forms *forms, size_t at, size_t stop,
                            size_t *ret_next);
/* Where the next line begins, unless one does at `at`. */
size_t surety__form_behind(const surety__forms *forms, size_t at);
/* Whether nothing but blanks is in the span. */
bool surety__form_is_blank(const surety__forms *forms, form_span span);
/* A copy of a name that lives as long as the list. */
surety_str surety__form_keep(surety__forms *forms, surety_str name);
/* A text without the marks of emphasis or code around all of it. */
surety_str surety__form_plain(surety_str text);
/* Whether the text is running text, or in a block that is none of a language.
 */
bool surety__form_is_words(const surety__forms *forms);
/* The member that a name means; empty: no object is expected to have it. */
surety_str surety__form_member(const surety__forms *forms, surety_str name);
/* Whether there is one. */
bool surety__form_knows(const surety__forms *forms, surety_str name);
/* Whether a text set off from others ends before the line that ends at `at`:
 * it is blank, there is none, or it ends with a colon. */
bool surety__form_opens(const surety__forms *forms, size_t at);

/* ---- writing (write.c) --------------------------------------------------- */

/* Begins a reading; NULL: there are too many. */
surety__formed *surety__form_begin(surety__forms *forms, surety_form form,
                                   size_t start);
/* Its text ends at `end`. */
void surety__form_end(surety__forms *forms, size_t end);
/* Takes the reading at hand back. */
void surety__form_drop(surety__forms *forms);
/* A bracket, for the byte of the text at `at`. */
void surety__form_bracket(surety__forms *forms, char bracket, size_t at);
/* A string for the bytes of a span; key: it is one. */
void surety__form_string(surety__forms *forms, surety_str text, form_span span,
                         bool key);
/* JSON as it is. */
void surety__form_json(surety__forms *forms, surety_str text, form_span span);
/* A number, true or false as it is; anything else as a string. */
void surety__form_number(surety__forms *forms, surety_str text, form_span span);
/* Whether no object of the reading at hand has a key twice. */
bool surety__form_is_unique(surety__forms *forms);
/* A number, true, false or null as JSON has it; anything else as a string. */
void surety__form_scalar(surety__forms *forms, surety_str text, form_span span);

/* ---- the forms ----------------------------------------------------------- */

void surety__form_calls(surety__forms *forms);
void surety__form_tables(surety__forms *forms);
void surety__form_csv(surety__forms *forms);
void surety__form_lines(surety__forms *forms);
void surety__form_xml(surety__forms *forms);
void surety__form_yaml(surety__forms *forms);

#endif
