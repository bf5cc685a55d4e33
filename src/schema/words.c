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
    words->entries[at].hash = hash;
    return &words->entries[at];
}

const surety__word *surety__words_find(const surety__words *words,
                                       surety_str text)
{
    const surety__word *entry = words->entries;
    uint32_t hash;

    if (text.len > words->longest)
        return NULL;
    if (!words->mask) {
        for (; entry->text.ptr; entry++)
            if (entry->text.len == text.len &&
                !memcmp(entry->text.ptr, text.ptr, text.len))
                return entry;
        return NULL;
    }
    hash = surety__hash(text.ptr, text.len);
    for (size_t at = hash & words->mask; entry[at].text.ptr;
         at = (at + 1) & words->mask)
        if (entry[at].hash == hash && surety_str_equal(entry[at].text, text))
            return &entry[at];
    return NULL;
}
