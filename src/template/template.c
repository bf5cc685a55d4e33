/* SPDX-License-Identifier: Apache-2.0 */
/* template.c: writes JSON from a template, so that the code shows the JSON that
 * it makes. The template is a constant of ours, and its letters say which types
 * the arguments have: a letter that is none is a mistake of ours. */
#include "template/template.h"

/* Appends text as the inside of a JSON string. */
static void template_inside(surety_buf *out, surety_str text)
{
    const size_t start = out->len;

    surety_json_string(out, text);
    if (out->status)
        return;
    assert(out->len >= start + 2);
    memmove(out->ptr + start, out->ptr + start + 1, out->len - start - 2);
    out->len -= 2;
}

static void template_text_or_null(surety_buf *out, surety_str text)
{
    if (text.len)
        surety_json_string(out, text);
    else
        surety_buf_text(out, "null");
}

static void template_value(surety_buf *out, surety_val val)
{
    if (val.doc)
        (void)surety_val_write(val, SURETY_STYLE_COMPACT, out);
    else
        surety_buf_text(out, "null");
}

static void template_real(surety_buf *out, double real)
{
    surety_doc *doc = surety_doc_new(out->alloc);

    surety_build_begin(doc, NULL);
    surety_build_real(doc, real);
    if (doc && surety_build_end(doc, NULL) != SURETY_NOMEM)
        template_value(out, surety_doc_root(doc));
    else if (!out->status)
        out->status = SURETY_NOMEM;
    surety_doc_free(doc);
}

const char *surety__template_plain(surety_buf *out, const char *at)
{
    const char *const argument = strchr(at, '$');
    const size_t len = argument ? (size_t)(argument - at) : strlen(at);
    char *room = surety__buf_room(out, len);

    for (size_t i = 0; i < len && room; i++)
        room[i] = at[i] == '\'' ? '"' : at[i];
    out->len += room ? len : 0;
    return at + len;
}

void surety__template_write(surety_buf *out, const char *template, ...)
{
    uint64_t number;
    va_list args;
    int known;

    va_start(args, template);
    for (const char *at = surety__template_plain(out, template); *at;
         at = surety__template_plain(out, at + 1)) {
        switch (*++at) {
        case 's': surety_json_string(out, va_arg(args, surety_str)); break;
        case 'm': template_text_or_null(out, va_arg(args, surety_str)); break;
        case 'e': template_inside(out, va_arg(args, surety_str)); break;
        case 'r': surety_buf_add(out, va_arg(args, surety_str)); break;
        case 't': surety_buf_text(out, va_arg(args, const char *)); break;
        case 'n': surety_buf_number(out, va_arg(args, uint64_t)); break;
        case 'o':
            known = va_arg(args, int);
            number = va_arg(args, uint64_t);
            if (known)
                surety_buf_number(out, number);
            else
                surety_buf_text(out, "null");
            break;
        case 'f': template_real(out, va_arg(args, double)); break;
        case 'b':
            surety_buf_text(out, va_arg(args, int) ? "true" : "false");
            break;
        case 'v': template_value(out, va_arg(args, surety_val)); break;
        default: assert(false);
        }
    }
    va_end(args);
}
