/* SPDX-License-Identifier: Apache-2.0 */
/* What became of each keyword, and the compiler's memory. A note is found by
 * the place of its keyword, for a keyword that many nodes share is said once;
 * the texts are made in the strict schema's arena. */
#include "strict/node.h"

void *surety__strict_take(surety_strict *strict, size_t size)
{
    void *block = surety__arena_take(&strict->arena, size ? size : 1);

    if (!block && strict->status == SURETY_OK)
        strict->status = SURETY_NOMEM;
    return block;
}

surety_str surety__strict_text(surety_strict *strict, surety_str text)
{
    const surety_str copy = surety__arena_text(&strict->arena, text);

    if (!copy.ptr && strict->status == SURETY_OK)
        strict->status = SURETY_NOMEM;
    return copy;
}

bool surety__parts_add(surety_strict *strict, surety__parts *parts,
                       surety__part part)
{
    if (parts->count == parts->cap) {
        const size_t cap = parts->cap * 2 + 4;
        surety__part *items;

        if (cap > STRICT_NODES_MAX) {
            strict->status = SURETY_LIMIT;
            return false;
        }
        items = surety__strict_take(strict, cap * sizeof(*items));
        if (!items)
            return false;
        if (parts->count)
            memcpy(items, parts->items, parts->count * sizeof(*items));
        parts->items = items;
        parts->cap = cap;
    }
    parts->items[parts->count++] = part;
    return true;
}

/* Whether it has been said of the keyword; from now on it has. */
static bool note_repeats(surety_strict *strict, surety_val keyword,
                         surety_strict_verdict verdict)
{
    const uint64_t key =
        ((uint64_t)keyword.index << 16 ^ (uint64_t)(uintptr_t)keyword.doc) | 1;
    surety__sentence *first = surety__map_get(&strict->said, key);
    surety__sentence *said;

    for (said = first; said; said = said->next)
        if (said->keyword.doc == keyword.doc &&
            said->keyword.index == keyword.index && said->verdict == verdict)
            return true;
    said = surety__strict_take(strict, sizeof(*said));
    if (!said)
        return true;
    *said = (surety__sentence){first, keyword, (uint8_t)verdict};
    if (!surety__map_put(&strict->said, strict->alloc, key, said))
        strict->status = SURETY_NOMEM;
    return false;
}

/* Whether the last token but one of a pointer names a keyword that holds
 * schemas by name: then the last is such a name and no keyword. */
static bool note_is_name(surety_str pointer)
{
    static const char *const maps[] = {
        "properties",  "patternProperties", "$defs",
        "definitions", "dependentSchemas",  "dependencies"};
    size_t end, start;

    for (end = pointer.len; end > 0 && pointer.ptr[end - 1] != '/';)
        end--;
    for (start = end ? end - 1 : 0; start > 0 && pointer.ptr[start - 1] != '/';)
        start--;
    for (size_t i = 0; end && i < sizeof(maps) / sizeof(*maps); i++)
        if (surety_str_equal((surety_str){pointer.ptr + start, end - 1 - start},
                             surety_str_of(maps[i])))
            return true;
    return false;
}

/* What a note names: the keyword, or that it is about a whole schema. */
static surety_str note_keyword(surety_val keyword, surety_val key,
                               surety_str pointer)
{
    if (surety_val_kind(keyword) == SURETY_KIND_BOOLEAN &&
        (!key.doc || note_is_name(pointer)))
        return surety_val_bool(keyword, false) ? SURETY__LITERAL("true")
                                               : SURETY__LITERAL("false");
    if (!key.doc || note_is_name(pointer) ||
        !surety__strict_keyword_of(surety_val_str(key)))
        return SURETY__LITERAL("schema");
    return surety_val_str(key);
}

void surety__strict_say(surety_strict *strict, surety_strict_verdict verdict,
                        surety_val keyword, const char *hint,
                        const char *format, ...)
{
    surety_strict_note note = {.verdict = verdict};
    surety_val key = {NULL, 0};
    surety_buf text;
    surety_error error;
    va_list list;

    if (strict->status != SURETY_OK || note_repeats(strict, keyword, verdict))
        return;
    if (verdict > strict->verdict)
        strict->verdict = verdict;
    va_start(list, format);
    surety__failv(&error, SURETY_SYNTAX, format, list);
    va_end(list);
    surety_buf_init(&text, strict->alloc, 0);
    if (keyword.doc && keyword.index > 0 &&
        surety__cell_of(keyword)[-1].kind == CELL_KEY)
        key = surety_val_key(keyword);
    surety_val_pointer(keyword, &text);
    note.position = surety_val_position(key.doc ? key : keyword);
    note.keyword = surety__strict_text(
        strict, note_keyword(keyword, key, surety_buf_str(&text)));
    note.location = surety__strict_text(strict, surety_buf_str(&text));
    note.message = surety__strict_text(strict, surety_str_of(error.message));
    note.hint = surety__strict_text(strict, surety_str_of(hint ? hint : ""));
    if (text.status != SURETY_OK)
        strict->status = text.status;
    surety_buf_done(&text);
    if (strict->status == SURETY_OK)
        strict->status = surety__grow(strict->alloc, (void **)&strict->notes,
                                      &strict->note_cap, strict->note_count + 1,
                                      sizeof(note), STRICT_WRITTEN_MAX);
    if (strict->status == SURETY_OK)
        strict->notes[strict->note_count++] = note;
}
