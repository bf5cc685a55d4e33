/* SPDX-License-Identifier: Apache-2.0 */
/* almost_print.c: prints the replies of almost.h, one JSON a line, for
 * bench/repair.py.
 *
 *     almost-print COUNT
 *
 * COUNT of each shape, from fixed seeds: {"shape", "reply", "value",
 * "contract"}. */
#include "almost.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHOICES = 150 };

/* splitmix64 (Vigna, 2015). */
static uint64_t print_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static void print_line(const struct almost *almost, unsigned shape,
                       surety_buf *line)
{
    surety_buf_reset(line);
    surety_buf_text(line, "{\"shape\":");
    surety_json_string(line, surety_str_of(almost_shape(shape)));
    surety_buf_text(line, ",\"reply\":");
    surety_json_string(line, surety_buf_str(&almost->reply));
    surety_buf_text(line, ",\"value\":");
    surety_buf_add(line, surety_buf_str(&almost->json));
    surety_buf_text(line, ",\"contract\":");
    surety_buf_add(line, surety_buf_str(&almost->contract));
    surety_buf_text(line, "}\n");
    fwrite(line->ptr, 1, line->len, stdout);
}

int main(int argc, char **argv)
{
    const unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    uint8_t bytes[CHOICES];
    struct almost almost;
    surety_buf line;
    uint64_t state = 18;

    almost_init(&almost);
    surety_buf_init(&line, NULL, 0);
    for (unsigned shape = 0; shape < almost_shape_count(); shape++)
        for (unsigned long i = 0; i < count; i++) {
            struct choices choices = {bytes, sizeof(bytes), 0};

            for (size_t at = 0; at < sizeof(bytes); at++)
                bytes[at] = (uint8_t)print_next(&state);
            almost_make(&choices, shape, &almost);
            print_line(&almost, shape, &line);
        }
    almost_done(&almost);
    surety_buf_done(&line);
    return 0;
}
