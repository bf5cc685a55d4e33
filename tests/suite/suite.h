/* SPDX-License-Identifier: Apache-2.0 */
/* suite.h: what the programs of this folder share: files and texts. A test
 * program may end where there is no memory or no file, and these do. */
#ifndef SURETY_TESTS_SUITE_H
#define SURETY_TESTS_SUITE_H

#include <surety.h>

/* a and b joined; the caller frees it. */
char *suite_join(const char *a, const char *b);
/* A string value as text with a zero behind it; the caller frees it. */
char *suite_text(surety_val val);
/* The document in the file at path; ends the program where it is none. */
surety_doc *suite_read(const char *path);

#endif
