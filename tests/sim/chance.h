/* SPDX-License-Identifier: Apache-2.0 */
/* Chance and hashes of the simulators: nothing in them is random but what a
 * seed makes so. */
#ifndef SURETY_TESTS_CHANCE_H
#define SURETY_TESTS_CHANCE_H

#include <stddef.h>
#include <stdint.h>

#define CHANCE_HASH 0xCBF29CE484222325u /* of nothing */

static inline uint64_t chance_begin(uint64_t seed)
{
    return seed * 0xD1342543DE82EF95u + 1;
}

/* The next word of a stream (splitmix64: Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", 2014). */
static inline uint64_t chance_word(uint64_t *state)
{
    uint64_t word = *state += 0x9E3779B97F4A7C15u;

    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return word ^ word >> 31;
}

/* Adds bytes to a hash (FNV-1a). */
static inline uint64_t chance_hash(uint64_t hash, const void *ptr, size_t len)
{
    const unsigned char *bytes = ptr;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    return hash;
}

#endif
