/* SPDX-License-Identifier: Apache-2.0 */
/* suite.h: what the programs of this folder share: files, texts, and what the
 * JSON Schema Test Suite serves. A test program may end where there is no
 * memory or no file, and these do. */
#ifndef SURETY_TESTS_SUITE_H
#define SURETY_TESTS_SUITE_H

#include <surety.h>

#include <stdio.h>

/* Ends the program. */
void suite_die(const char *what, const char *which);

/* a and b joined; the caller frees it. */
char *suite_join(const char *a, const char *b);
/* A string value as text with a zero behind it; the caller frees it. */
char *suite_text(surety_val val);
/* The document in the file at path; ends the program where it is none. */
surety_doc *suite_read(const char *path);
/* The next line of a file, without its end; false at the end of the file. */
bool suite_next_line(FILE *file, surety_buf *line);

/* Paths of files, sorted. */
struct suite_files {
    char **paths;
    size_t count, room;
};

/* The file at path, or those below the folder at path, whose names end so; no
 * link is followed. None where nothing is there. */
void suite_list(struct suite_files *files, const char *path,
                const char *ending);
void suite_unlist(struct suite_files *files);

/* The documents below ROOT/remotes, which the suite serves as
 * http://localhost:1234/PATH. */
struct suite_remotes {
    struct suite_files files;
    surety_doc **docs;
    size_t skip; /* bytes of a path before PATH */
};

void suite_remotes_read(struct suite_remotes *remotes, const char *root);
void suite_remotes_free(struct suite_remotes *remotes);
/* A surety_resolve_fn, to which nothing else is known; ctx is the remotes. */
surety_status suite_resolve(void *ctx, surety_str uri, surety_val *ret_val);

#endif
