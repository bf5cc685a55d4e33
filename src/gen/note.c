/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and notes, which all files of gen/ use and which use none of them. */
#include "gen/inside.h"

surety_str surety__gen_join(surety_gen *gen, surety_str text, const char *end)
{
    surety_buf joined;

    surety_buf_init(&joined, gen->alloc, 0);
    surety_buf_add(&joined, text);
    surety_buf_text(&joined, end);
    return surety__arena_buf(&gen->arena, &joined);
}

/* ---- notes --------------------------------------------------------------- */

void surety__gen_add_note(surety__gen_model *model, surety_val at,
                          const char *keyword, const char *hint,
                          const char *format, ...)
{
    surety_gen *gen = model->gen;
    surety_gen_note note = {
        .contract = model->number, .at = at, .hint = surety_str_of(hint)};
    va_list list;

    assert(hint && format);
    if (keyword && surety_val_get(at, keyword).doc)
        note.at = surety_val_get(at, keyword);
    if (gen->status != SURETY_OK ||
        !surety__graph_is_news(&model->graph, note.at, 0))
        return;
    va_start(list, format);
    note.message = surety__graph_words(&model->graph, format, list);
    va_end(list);
    if (gen->status == SURETY_OK)
        gen->status = surety__grow(gen->alloc, &gen->notes, &gen->note_cap,
                                   gen->note_count + 1, sizeof(note), SIZE_MAX);
    if (gen->status == SURETY_OK)
        gen->notes[gen->note_count++] = note;
}
