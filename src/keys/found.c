/* SPDX-License-Identifier: Apache-2.0 */
/* The keys that were found lately, and secrets that no key has, so that most
 * requests need no statement. The entries are in sets of four; a digest has one
 * set. In a full set a secret without a key makes room first, then the one that
 * was used the longest ago: guesses never push out a key that is in use. */
#include "keys/keys.h"

enum { FOUND_WAYS = 4 };

bool surety__found_init(surety__found *found, size_t max,
                        const surety_alloc *alloc)
{
    found->alloc = alloc;
    found->turn = 0;
    found->set_count = max < FOUND_WAYS ? 1 : max / FOUND_WAYS;
    if (found->set_count > SIZE_MAX / FOUND_WAYS / sizeof(*found->entries))
        return false;
    found->entries = surety__new(alloc, found->set_count * FOUND_WAYS *
                                            sizeof(*found->entries));
    for (size_t i = 0; found->entries && i < found->set_count * FOUND_WAYS; i++)
        surety__arena_init(&found->entries[i].arena, alloc, 0);
    return found->entries != NULL;
}

void surety__found_reset(surety__found *found)
{
    for (size_t i = 0; i < found->set_count * FOUND_WAYS; i++)
        found->entries[i].is_used = false;
}

void surety__found_done(surety__found *found)
{
    for (size_t i = 0; found->entries && i < found->set_count * FOUND_WAYS; i++)
        surety__arena_done(&found->entries[i].arena);
    surety__free(found->alloc, found->entries,
                 found->set_count * FOUND_WAYS * sizeof(*found->entries));
}

/* The set of a digest, whose bytes are random. */
static surety__found_entry *found_set(surety__found *found, const char *digest)
{
    return found->entries +
           surety__load_eight(digest) % found->set_count * FOUND_WAYS;
}

surety__found_entry *surety__found_get(surety__found *found, const char *digest)
{
    surety__found_entry *set = found_set(found, digest);

    for (size_t i = 0; i < FOUND_WAYS; i++) {
        if (!set[i].is_used || !surety__digest_equal(set[i].digest, digest))
            continue;
        set[i].turn = ++found->turn;
        return &set[i];
    }
    return NULL;
}

/* Whether a makes room before b. */
static bool found_yields(const surety__found_entry *a,
                         const surety__found_entry *b)
{
    if (a->is_used != b->is_used)
        return !a->is_used;
    if (a->is_known != b->is_known)
        return !a->is_known;
    return a->turn < b->turn;
}

surety__found_entry *surety__found_add(surety__found *found, const char *digest)
{
    surety__found_entry *entry = found_set(found, digest);

    for (size_t i = 1; i < FOUND_WAYS; i++) {
        surety__found_entry *other = found_set(found, digest) + i;

        if (found_yields(other, entry))
            entry = other;
    }
    memcpy(entry->digest, digest, SURETY__DIGEST_LEN);
    surety__arena_reset(&entry->arena);
    entry->key = (surety_key){.size = sizeof(entry->key)};
    entry->is_used = true;
    entry->is_known = false;
    entry->read_ms = 0;
    entry->turn = ++found->turn;
    return entry;
}
