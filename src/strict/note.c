/* SPDX-License-Identifier: Apache-2.0 */
/* Notes about what became of each keyword. A keyword of several nodes gets one
 * note. */
#include <stdlib.h>

#include "strict/node.h"

/* Whether the last token of a pointer is a name and not a keyword: the token
 * before it is a keyword with subschemas by name. */
static bool note_is_name(surety_str pointer)
{
    static const char *const maps[] = {
        "properties",  "patternProperties", "$defs",
        "definitions", "dependentSchemas",  "dependencies"};
    surety_str before;

    surety__pointer_last(pointer, &before);
    for (size_t i = 0; i < SURETY__COUNT(maps); i++)
        if (surety_str_equal(before, surety_str_of(maps[i])))
            return true;
    return false;
}

/* The keyword that a note names, or "schema" for a whole schema. */
static surety_str note_keyword(surety_val keyword, surety_val key,
                               surety_str pointer)
{
    const bool whole = !key.doc || note_is_name(pointer);

    if (whole && surety_val_kind(keyword) == SURETY_KIND_BOOLEAN)
        return surety_val_bool(keyword, false) ? SURETY__LITERAL("true")
                                               : SURETY__LITERAL("false");
    return whole || !surety__strict_keyword_of(surety_val_str(key))
               ? SURETY__LITERAL("schema")
               : surety_val_str(key);
}

void surety__strict_add_note(surety_strict *strict,
                             surety_strict_support support, surety_val keyword,
                             const char *hint, const char *format, ...)
{
    surety_strict_note note = {.support = support,
                               .hint = surety_str_of(hint ? hint : "")};
    surety_val key = {NULL, 0};
    surety_val where;
    surety_buf text;
    va_list list;

    if (strict->status != SURETY_OK ||
        !surety__graph_is_news(&strict->graph, keyword, support))
        return;
    if (support > strict->info.support)
        strict->info.support = support;
    va_start(list, format);
    note.message = surety__graph_words(&strict->graph, format, list);
    va_end(list);
    surety_buf_init(&text, strict->alloc, 0);
    if (keyword.doc && keyword.index > 0 &&
        surety__cell_of(keyword)[-1].kind == CELL_KEY)
        key = surety_val_key(keyword);
    surety__pointer_walk_to(&strict->note_walk, keyword, &text);
    where = key.doc ? key : keyword;
    (void)surety__val_span(where, &note.position.offset, &note.position.length);
    note.keyword = surety__arena_text(
        &strict->arena, note_keyword(keyword, key, surety_buf_str(&text)));
    note.location = surety__arena_text(&strict->arena, surety_buf_str(&text));
    surety__buf_end(&text, &strict->status);
    if (strict->status == SURETY_OK)
        strict->status = surety__grow(strict->alloc, (void **)&strict->notes,
                                      &strict->note_cap, strict->note_count + 1,
                                      sizeof(note), STRICT_WRITTEN_MAX);
    if (strict->status == SURETY_OK)
        strict->status =
            surety__grow(strict->alloc, (void **)&strict->places,
                         &strict->place_cap, strict->note_count + 1,
                         sizeof(*strict->places), STRICT_WRITTEN_MAX);
    if (strict->status != SURETY_OK)
        return;
    strict->places[strict->note_count] =
        (struct surety__strict_place){note.position.length ? where.doc : NULL,
                                      note.position.offset, strict->note_count};
    strict->notes[strict->note_count++] = note;
}

static int note_compare(const void *a, const void *b)
{
    const struct surety__strict_place *first = a;
    const struct surety__strict_place *second = b;

    if (first->doc != second->doc)
        return (uintptr_t)first->doc < (uintptr_t)second->doc ? -1 : 1;
    return (first->offset > second->offset) - (first->offset < second->offset);
}

void surety__strict_locate(surety_strict *strict)
{
    surety__position_walk walk = surety__position_begin(SURETY__LITERAL(""));
    const surety_doc *doc = NULL;

    if (strict->note_count > 1)
        qsort(strict->places, strict->note_count, sizeof(*strict->places),
              note_compare);
    for (size_t i = 0; i < strict->note_count; i++) {
        const struct surety__strict_place *place = &strict->places[i];
        surety_position *position = &strict->notes[place->note].position;

        if (!place->doc)
            continue;
        if (place->doc != doc)
            walk = surety__position_begin(surety_doc_text(place->doc));
        doc = place->doc;
        surety__position_advance(&walk, place->offset);
        position->line = walk.line;
        position->column = walk.column;
    }
}

void surety__strict_rewritten(surety_strict *strict, surety_val keyword,
                              const char *hint, const char *what)
{
    surety__strict_add_note(strict, SURETY_STRICT_REWRITTEN, keyword, hint,
                            "%s %s", strict->subset->title, what);
}

/* ---- text ---------------------------------------------------------------- */

void surety__strict_plain(surety_buf *out, surety_str text, size_t max,
                          const char *also)
{
    for (size_t i = 0; i < text.len && i < max; i++) {
        const char byte = text.ptr[i];
        const char letter = (char)(byte | 0x20);
        const bool plain = (letter >= 'a' && letter <= 'z') ||
                           surety__is_digit(byte) || byte == '-' ||
                           (byte && strchr(also, byte));

        surety_buf_byte(out, plain ? byte : '_');
    }
}

void surety__node_describe(surety_strict *strict, surety__node *node,
                           surety_buf *sentence)
{
    surety_buf text;

    if (!sentence->len && sentence->status == SURETY_OK)
        return;
    surety_buf_init(&text, strict->alloc, 0);
    surety_buf_add(&text, node->description);
    if (text.len && sentence->len)
        surety_buf_byte(&text, ' ');
    surety_buf_add(&text, surety_buf_str(sentence));
    if (sentence->status != SURETY_OK)
        text.status = sentence->status;
    surety_buf_done(sentence);
    node->description = surety__arena_buf(&strict->arena, &text);
}
