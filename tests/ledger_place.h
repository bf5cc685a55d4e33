/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_place.h: a place for the database of a test. */
#ifndef SURETY_TESTS_LEDGER_PLACE_H
#define SURETY_TESTS_LEDGER_PLACE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A path in a folder of this test's own. */
typedef struct place {
    char folder[64];
    char path[96];
} place;

static inline void place_make(place *out)
{
    memset(out, 0, sizeof(*out));
    memcpy(out->folder, "/tmp/surety-ledger-XXXXXX", 26);
    if (!mkdtemp(out->folder))
        out->folder[0] = '\0';
    memcpy(out->path, out->folder, sizeof(out->folder));
    memcpy(out->path + strlen(out->path), "/ledger.db", 11);
}

static inline void place_remove(const place *at)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char path[128];

    for (size_t i = 0; i < 4; i++) {
        const size_t len = strlen(at->path);

        memcpy(path, at->path, len);
        memcpy(path + len, endings[i], strlen(endings[i]) + 1);
        (void)unlink(path);
    }
    (void)rmdir(at->folder);
}

#endif
