/* SPDX-License-Identifier: Apache-2.0 */
/* Checkers of a few data sets' schemas, written out in C: written.c. */
#ifndef BENCH_WRITTEN_H
#define BENCH_WRITTEN_H

#include <surety/schema.h>

/* What C does not say better than the library. */
enum written_part { PART_NO_BLANK, PART_0_TO_1, PART_0_TO_10, PART_COUNT };

typedef struct written written;
struct written {
    /* Whether value satisfies the schema; NULL: nobody wrote it out. */
    bool (*fits)(const written *with, surety_val value);
    surety_checker *checker;
    surety_schema *parts[PART_COUNT];
};

/* Of the schema that stands in the file at path. */
written written_open(const char *path);
void written_close(written *with);

#endif
