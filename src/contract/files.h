/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a registry reads. Inner header of contract/. */
#ifndef SURETY_CONTRACT_FILES_H
#define SURETY_CONTRACT_FILES_H

#include "base/base.h"

/* Returns whether path is a regular file, or a link to one. */
bool surety__file_exists(const char *path);

/* Reads a regular file of at most max bytes into buf, which it empties first.
 * Fails with SURETY_IO and the system's reason, SURETY_LIMIT, SURETY_NOMEM. */
surety_status surety__file_read(const char *path, size_t max, surety_buf *buf,
                                surety_error *reterr);

/* Paths below a folder; an arena owns them. */
typedef struct surety__listing {
    surety_str *paths; /* relative, zero-terminated, sorted by bytes */
    size_t count;
} surety__listing;

/* Lists the regular files below folder whose names end in ".json" and do not
 * begin with a dot, at most depth levels of folders deep (0: folder only).
 * Skips symbolic links to folders, so there are no loops. A folder that does
 * not exist has no files. SURETY_IO; SURETY_LIMIT: more than 10,000 files or
 * folders; SURETY_NOMEM. */
surety_status surety__folder_list(surety_str folder, unsigned depth,
                                  surety__arena *arena,
                                  surety__listing *ret_listing,
                                  surety_error *reterr);

/* Returns "folder/name", or name when folder is empty, zero-terminated, in the
 * arena; ptr is NULL when out of memory. */
surety_str surety__path_join(surety__arena *arena, surety_str folder,
                             surety_str name);

#endif
