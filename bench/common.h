/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of the measurements share. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <surety/base.h>

/* Processor time of this process: a busy machine costs nothing. */
static inline double used_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The caller frees ptr; it is NULL where the file cannot be read. */
static inline surety_str file_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *ptr = NULL;
    long size = -1;

    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        ptr = malloc((size_t)size + 1);
    if (ptr && fread(ptr, 1, (size_t)size, file) != (size_t)size) {
        free(ptr);
        ptr = NULL;
    }
    if (file)
        fclose(file);
    return (surety_str){ptr, ptr ? (size_t)size : 0};
}

/* A decimal number; 0 where there is none. */
static inline unsigned number_of(const char *text)
{
    unsigned number = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (unsigned)(*text - '0');
    return number;
}

#endif
