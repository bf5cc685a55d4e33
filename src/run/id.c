/* SPDX-License-Identifier: Apache-2.0 */
/* Ids and random numbers. The state of the generator is one number in the run:
 * the same seed gives the same ids and delays, so that a simulator can replay
 * a run. It is not a secret and protects nothing. An id is a UUID of version 7
 * (RFC 9562, 5.7): 48 bits of Unix time, so that rows sort by their start, and
 * 74 random bits. If the caller gives no seed, this file alone takes one from
 * the system. */
#include "run/run.h"

#include <sys/random.h>

surety_status surety__id_seed(uint64_t *ret_seed, surety_error *reterr)
{
    uint64_t seed = 0;

    if (getentropy(&seed, sizeof(seed)))
        return surety__fail(reterr, SURETY_IO,
                            "the system gives no random bytes");
    *ret_seed = seed;
    return SURETY_OK;
}

/* SplitMix64 (Steele, Lea and Flood 2014, figure 17). */
uint64_t surety__id_random(uint64_t *state)
{
    uint64_t word = *state += 0x9E3779B97F4A7C15u;

    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return word ^ word >> 31;
}

uint64_t surety__id_below(uint64_t *state, uint64_t max)
{
    const uint64_t word = surety__id_random(state);

    return max == UINT64_MAX ? word : word % (max + 1);
}

void surety__id_write(uint64_t *state, int64_t unix_ms,
                      char out[SURETY__ID_LEN])
{
    static const char digits[] = "0123456789abcdef";
    const uint64_t time = unix_ms > 0 ? (uint64_t)unix_ms : 0;
    const uint64_t high =
        time << 16 | 0x7000u | (surety__id_random(state) & 0xFFFu);
    const uint64_t low = (uint64_t)2 << 62 | surety__id_random(state) >> 2;
    char hex[32];

    for (unsigned i = 0; i < 16; i++) {
        hex[i] = digits[high >> (60 - 4 * i) & 15];
        hex[16 + i] = digits[low >> (60 - 4 * i) & 15];
    }
    memset(out, '-', SURETY__ID_LEN);
    memcpy(out, hex, 8);
    memcpy(out + 9, hex + 8, 4);
    memcpy(out + 14, hex + 12, 4);
    memcpy(out + 19, hex + 16, 4);
    memcpy(out + 24, hex + 20, 12);
}
