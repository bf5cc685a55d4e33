/* SPDX-License-Identifier: Apache-2.0 */
/* The files a registry reads. Inner header of contract/. */
#ifndef SURETY_CONTRACT_FILES_H
#define SURETY_CONTRACT_FILES_H

#include "base/base.h"

/* Whether path is a regular file, or a link to one. */
bool surety__file_exists(const char *path);

/* Reads a regular file of at most max bytes into buf, emptied first. SURETY_IO
 * with the system's reason; SURETY_LIMIT; SURETY_NOMEM. */
surety_status surety__file_read(const char *path, size_t max, surety_buf *buf,
                                surety_error *reterr);

/* Paths below a folder, in an arena. */
typedef struct surety__listing {
    surety_str *paths; /* relative, terminated, sorted by bytes */
    size_t count;
} surety__listing;

/* Lists the regular files below folder whose names end in ".json" and begin
 * with no dot, through at most depth levels of folders (0: folder itself only);
 * folders behind symbolic links are passed over, so there are no loops. A
 * folder that does not exist has no files. SURETY_IO; SURETY_LIMIT: more than
 * 10,000; SURETY_NOMEM. */
surety_status surety__folder_list(surety_str folder, unsigned depth,
                                  surety__arena *arena,
                                  surety__listing *ret_listing,
                                  surety_error *reterr);

/* "folder/name", or name where folder is empty, terminated, in the arena; ptr
 * NULL when out of memory. */
surety_str surety__path_join(surety__arena *arena, surety_str folder,
                             surety_str name);

#endif
