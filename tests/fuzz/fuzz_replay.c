/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_replay.c: the main of a fuzz target without libFuzzer.
 *
 * Feeds every file of the folders named to LLVMFuzzerTestOneInput, in the
 * order of their names, one TAP line a file. A short file is also fed cut off
 * at every byte, for that is where a reader runs over its end. Each input
 * is in a block of exactly its size, so that the sanitizers see a read
 * beyond it. A target that finds a fault aborts; nothing is caught here. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { CUT_MAX = 512, PATH_SIZE = 4096 };

static void replay_bytes(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);

    if (!exact) {
        printf("Bail out! out of memory\n");
        exit(1);
    }
    if (size)
        memcpy(exact, data, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

/* The bytes of the file at path, at most 1 MiB; NULL where it cannot be
 * read. */
static uint8_t *replay_load(const char *path, size_t *ret_size)
{
    enum { LOAD_MAX = 1 << 20 };
    FILE *file = fopen(path, "rb");
    uint8_t *data = file ? malloc(LOAD_MAX) : NULL;

    if (data)
        *ret_size = fread(data, 1, LOAD_MAX, file);
    if (file)
        fclose(file);
    return data;
}

static int replay_file(size_t number, const char *folder, const char *name)
{
    char path[PATH_SIZE];
    size_t size = 0;
    uint8_t *data;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    data = replay_load(path, &size);
    if (!data) {
        printf("not ok %zu - %s cannot be read\n", number, name);
        return 1;
    }
    replay_bytes(data, size);
    for (size_t cut = 0; size <= CUT_MAX && cut < size; cut++)
        replay_bytes(data, cut);
    free(data);
    printf("ok %zu - %s\n", number, name);
    return 0;
}

static int replay_chosen(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    size_t number = 0;
    int failed = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) {
        struct dirent **entries = NULL;
        int count = scandir(argv[i], &entries, replay_chosen, alphasort);

        if (count < 1) {
            printf("not ok %zu - no corpus in %s\n", ++number, argv[i]);
            failed = 1;
        }
        for (int k = 0; k < count; k++) {
            failed |= replay_file(++number, argv[i], entries[k]->d_name);
            free(entries[k]);
        }
        free(entries);
    }
    printf("1..%zu\n", number);
    return failed;
}
