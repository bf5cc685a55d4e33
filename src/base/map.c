/* SPDX-License-Identifier: Apache-2.0 */
/* A map from 64-bit keys to pointers: linear probing, at most half full. */
#include "base/base.h"

enum { MAP_FIRST = 16 };

static uint64_t map_mix(uint64_t key)
{
    key = (key ^ key >> 31) * 0x9E3779B97F4A7C15u;
    return key ^ key >> 29;
}

static struct surety__map_entry *map_slot(const surety__map *map, uint64_t key)
{
    size_t at = (size_t)map_mix(key) & (map->cap - 1);

    while (map->entries[at].value && map->entries[at].key != key)
        at = (at + 1) & (map->cap - 1);
    return &map->entries[at];
}

void *surety__map_get(const surety__map *map, uint64_t key)
{
    return map->cap ? map_slot(map, key)->value : NULL;
}

static bool map_grow(surety__map *map, const surety_alloc *alloc)
{
    surety__map grown = {.cap = map->cap ? map->cap * 2 : MAP_FIRST};

    if (grown.cap > SIZE_MAX / 2 / sizeof(*grown.entries))
        return false;
    grown.entries = surety__new(alloc, grown.cap * sizeof(*grown.entries));
    if (!grown.entries)
        return false;
    for (size_t i = 0; i < map->cap; i++)
        if (map->entries[i].value)
            *map_slot(&grown, map->entries[i].key) = map->entries[i];
    grown.count = map->count;
    surety__map_done(map, alloc);
    *map = grown;
    return true;
}

bool surety__map_put(surety__map *map, const surety_alloc *alloc, uint64_t key,
                     void *value)
{
    struct surety__map_entry *slot;

    assert(value);
    if (map->count * 2 >= map->cap && !map_grow(map, alloc))
        return false;
    slot = map_slot(map, key);
    map->count += slot->value == NULL;
    *slot = (struct surety__map_entry){key, value};
    return true;
}

void surety__map_done(surety__map *map, const surety_alloc *alloc)
{
    surety__free(alloc, map->entries, map->cap * sizeof(*map->entries));
    *map = (surety__map){.cap = 0};
}
