/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_random.c: another main of a fuzz target without libFuzzer: inputs made
 * of random bytes, for targets that read their input as choices.
 *
 *     TARGET FIRST COUNT SIZE
 *
 * Gives the target COUNT inputs of SIZE bytes, made of the seeds from FIRST on.
 * A target that finds a fault aborts; then the seed is printed, so that
 * "TARGET SEED 1 SIZE" finds it again. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"

static volatile sig_atomic_t random_seed;

/* Writes the number without stdio, for a handler must not use it. */
static void random_say(int signal_number)
{
    char text[64] = "not ok 1 - seed           \n1..1\n";
    char *digit = text + 25;
    unsigned seed = (unsigned)random_seed;
    ssize_t written;

    (void)signal_number;
    for (size_t i = 0; i < 10 && (seed || i == 0); i++, seed /= 10)
        *digit-- = (char)('0' + seed % 10);
    written = write(STDOUT_FILENO, text, 32);
    _exit(written == 32 ? 1 : 2);
}

/* splitmix64 (Vigna, 2015). */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

int main(int argc, char **argv)
{
    const unsigned long first = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
    const unsigned long count = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    const size_t size = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    uint8_t *bytes = malloc(size + 1);

    if (!bytes || argc != 4)
        return 99;
    signal(SIGABRT, random_say);
    for (unsigned long seed = first; seed < first + count; seed++) {
        uint64_t state = seed;

        random_seed = (sig_atomic_t)seed;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)(random_next(&state) >> 40);
        (void)LLVMFuzzerTestOneInput(bytes, size);
    }
    printf("ok 1 - %lu inputs from seed %lu on\n1..1\n", count, first);
    free(bytes);
    return 0;
}
