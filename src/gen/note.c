/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and notes, which all files of gen/ use and which use none of them. */
#include "gen/inside.h"

void *surety__gen_take(surety_gen *gen, size_t size)
{
    void *ptr = surety__arena_take(&gen->arena, size ? size : 1);

    if (!ptr)
        gen->status = SURETY_NOMEM;
    return ptr;
}

surety_str surety__gen_text(surety_gen *gen, surety_str text)
{
    const surety_str copy = surety__arena_text(&gen->arena, text);

    if (!copy.ptr)
        gen->status = SURETY_NOMEM;
    return copy;
}

surety_str surety__gen_join(surety_gen *gen, surety_str text, const char *end)
{
    const size_t end_len = strlen(end);
    char *copy = surety__gen_take(gen, text.len + end_len + 1);

    if (!copy)
        return (surety_str){NULL, 0};
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    memcpy(copy + text.len, end, end_len);
    return (surety_str){copy, text.len + end_len};
}

/* ---- notes --------------------------------------------------------------- */

void surety__gen_say(surety__gen_model *model, surety_val at,
                     const char *keyword, const char *hint, const char *format,
                     ...)
{
    surety_gen *gen = model->gen;
    surety_gen_note note = {.contract = model->number, .at = at};
    va_list list;

    if (keyword && surety_val_get(at, keyword).doc)
        note.at = surety_val_get(at, keyword);
    if (gen->status != SURETY_OK ||
        !surety__graph_is_news(&model->graph, note.at, 0))
        return;
    va_start(list, format);
    note.message = surety__graph_words(&model->graph, format, list);
    va_end(list);
    note.hint = surety__gen_text(gen, surety_str_of(hint));
    if (gen->status == SURETY_OK)
        gen->status =
            surety__grow(gen->alloc, (void **)&gen->notes, &gen->note_cap,
                         gen->note_count + 1, sizeof(note), SIZE_MAX);
    if (gen->status == SURETY_OK)
        gen->notes[gen->note_count++] = note;
}
