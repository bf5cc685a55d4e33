/* SPDX-License-Identifier: Apache-2.0 */
/* suite.c: files and texts for the programs of this folder. They run once and
 * end, so what goes wrong here ends them with a word. */
#include "suite/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void suite_end(const char *what, const char *path)
{
    printf("Bail out! %s: %s\n", what, path);
    exit(1);
}

char *suite_join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *joined = malloc(size);

    if (!joined)
        suite_end("out of memory", a);
    snprintf(joined, size, "%s%s", a, b);
    return joined;
}

char *suite_text(surety_val val)
{
    surety_str str = surety_val_str(val);
    char *text = malloc(str.len + 1);

    if (!text)
        suite_end("out of memory", "text");
    if (str.len)
        memcpy(text, str.ptr, str.len);
    text[str.len] = '\0';
    return text;
}

surety_doc *suite_read(const char *path)
{
    enum { FILE_MAX = 8 << 20 };
    FILE *file = fopen(path, "rb");
    char *text = malloc(FILE_MAX);
    surety_doc *doc = surety_doc_new(NULL);
    surety_error error;
    size_t len;

    if (!file || !text || !doc)
        suite_end("cannot read", path);
    len = fread(text, 1, FILE_MAX, file);
    if (surety_doc_read(doc, (surety_str){text, len}, NULL, &error))
        suite_end(error.message, path);
    fclose(file);
    free(text);
    return doc;
}
