/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of strings: the values of an enum, or of the tag of a union. A
 * few are a list, more an open-addressing table at most half full. */
#include "schema/compile.h"

enum { WORDS_LISTED = 4 };

bool surety__words_open(surety__compiler *compiler, surety__words *words,
                        size_t count)
{
    size_t room = count;

    if (count > WORDS_LISTED)
        for (room = 2 * WORDS_LISTED; room < 2 * count;)
            room *= 2;
    words->mask = count > WORDS_LISTED ? (uint32_t)room - 1 : 0;
    words->entries =
        surety__compiler_take(compiler, (room + 1) * sizeof(*words->entries));
    return words->entries != NULL;
}

/* Whether the word is the text with these ends. */
static inline bool word_is(const surety__word *word, surety_str text,
                           uint64_t head, uint64_t tail)
{
    return word->head == head && word->tail == tail &&
           word->text.len == text.len &&
           (text.len <= 16 ||
            !memcmp(word->text.ptr + 8, text.ptr + 8, text.len - 16));
}

surety__word *surety__words_add(surety__words *words, surety_str text)
{
    uint32_t hash = surety__hash(text.ptr, text.len);
    size_t at = hash & words->mask;

    assert(text.ptr && !(words->mask & (words->mask + 1)));
    while (words->entries[at].text.ptr &&
           !surety_str_equal(words->entries[at].text, text))
        at = words->mask ? (at + 1) & words->mask : at + 1;
    words->entries[at].text = text;
    if (text.len > words->longest)
        words->longest = text.len;
    surety__name_ends(text.ptr, text.len, &words->entries[at].head,
                      &words->entries[at].tail);
    return &words->entries[at];
}

const surety__word *surety__words_find(const surety__words *words,
                                       surety_str text)
{
    const surety__word *entries = words->entries;
    uint64_t head, tail;
    size_t at = 0;

    if (text.len > words->longest)
        return NULL;
    surety__name_ends(text.ptr, text.len, &head, &tail);
    if (!words->mask) {
        for (; entries[at].text.ptr; at++)
            if (word_is(&entries[at], text, head, tail))
                return &entries[at];
        return NULL;
    }
    for (at = surety__hash(text.ptr, text.len) & words->mask;
         entries[at].text.ptr; at = (at + 1) & words->mask)
        if (word_is(&entries[at], text, head, tail))
            return &entries[at];
    return NULL;
}
