/* SPDX-License-Identifier: Apache-2.0 */
/* Lexicons: texts of a schema (names of properties, strings of enum and const),
 * found by the hash of their letters, so that a long list costs no more than a
 * short one.
 *
 * Invariants:
 * 1. A text is in a lexicon once.
 * 2. Entries with the same slot are a chain; numbers of entries are + 1, and 0
 *    ends a chain. */
#include "align/inside.h"

/* How many texts with the same letters are compared; if there are more, they
 * are ambiguous. */
enum { LIKENESS_MAX = 8 };

bool surety__lexicon_make(surety__aligner *aligner, surety__lexicon *lexicon,
                          uint32_t count)
{
    uint32_t size = 8;

    assert(!lexicon->entries);
    if (!surety__aligner_charge(aligner, count))
        return false;
    while (size < 2 * count)
        size *= 2;
    lexicon->entries =
        surety__aligner_take(aligner, count + 1u, sizeof(*lexicon->entries));
    lexicon->slots =
        surety__aligner_take(aligner, size, sizeof(*lexicon->slots));
    lexicon->exact_slots =
        surety__aligner_take(aligner, size, sizeof(*lexicon->exact_slots));
    lexicon->mask = size - 1;
    return !aligner->status;
}

surety__entry *surety__lexicon_add(surety__aligner *aligner,
                                   surety__lexicon *lexicon, surety_str text)
{
    surety__entry *entry = &lexicon->entries[lexicon->count];
    const uint32_t letters = surety__text_hash(surety__text_bare(text));
    uint32_t *const slot = &lexicon->slots[letters & lexicon->mask];
    uint32_t *exact;

    for (uint32_t i = *slot; i; i = lexicon->entries[i - 1].next) {
        if (!surety__aligner_charge(aligner, 1))
            return NULL;
        if (surety_str_equal(lexicon->entries[i - 1].text, text))
            return &lexicon->entries[i - 1];
    }
    *entry = (surety__entry){.text = text,
                             .letters = letters,
                             .hash = surety__name_hash(text),
                             .next = *slot};
    assert(lexicon->count < lexicon->mask);
    exact = &lexicon->exact_slots[entry->hash & lexicon->mask];
    entry->next_exact = *exact;
    *slot = *exact = ++lexicon->count;
    if (text.len > lexicon->longest)
        lexicon->longest = text.len;
    return entry;
}

static surety__entry *lexicon_exact(const surety__lexicon *lexicon,
                                    surety_str text, uint32_t hash)
{
    for (uint32_t i = lexicon->exact_slots[hash & lexicon->mask]; i;
         i = lexicon->entries[i - 1].next_exact) {
        surety__entry *entry = &lexicon->entries[i - 1];

        if (entry->hash == hash && surety_str_equal(entry->text, text))
            return entry;
    }
    return NULL;
}

surety__entry *surety__lexicon_closest(const surety__lexicon *lexicon,
                                       surety__lookup *lookup)
{
    const uint32_t first = lexicon->slots[lookup->letters & lexicon->mask];
    surety__entry *best = NULL;
    unsigned alike = 0;

    lookup->close = CLOSE_NOT;
    lookup->ambiguous = false;
    for (uint32_t i = first; i; i = lexicon->entries[i - 1].next) {
        surety__entry *entry = &lexicon->entries[i - 1];
        enum surety__closeness close;

        if (entry->letters != lookup->letters)
            continue;
        if (++alike > LIKENESS_MAX) {
            lookup->ambiguous = true;
            return entry;
        }
        close = surety__text_closeness(lookup->text, entry->text);
        if (close == CLOSE_NOT) {
            close = surety__text_closeness(lookup->bare,
                                           surety__text_bare(entry->text));
            close = close < lookup->least ? lookup->least : close;
        }
        if (close == CLOSE_NOT || close > lookup->close)
            continue;
        lookup->ambiguous = close == lookup->close;
        lookup->close = close;
        best = entry;
    }
    return best;
}

surety__entry *surety__lexicon_find(const surety__lexicon *lexicon,
                                    surety_val key,
                                    enum surety__closeness *ret_close)
{
    const surety_str text = surety_val_str(key);
    surety__lookup lookup = {.text = text, .least = CLOSE_SEPARATOR};
    surety__entry *entry =
        lexicon_exact(lexicon, text, surety__cell_of(key)->hash);

    *ret_close = CLOSE_SAME;
    if (entry)
        return entry;
    lookup.bare = surety__text_bare(text);
    lookup.letters = surety__text_hash(lookup.bare);
    entry = surety__lexicon_closest(lexicon, &lookup);
    *ret_close = lookup.close;
    return lookup.ambiguous ? NULL : entry;
}
