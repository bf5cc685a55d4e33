/* SPDX-License-Identifier: Apache-2.0 */
/* suite.c: files and texts for the programs of this folder. They run once and
 * end, so what goes wrong here ends them with a word. */
#include "suite/suite.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_die(const char *what, const char *path)
{
    printf("Bail out! %s: %s\n", what, path);
    exit(1);
}

char *suite_join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *joined = malloc(size);

    if (!joined)
        suite_die("out of memory", a);
    snprintf(joined, size, "%s%s", a, b);
    return joined;
}

char *suite_text(surety_val val)
{
    surety_str str = surety_val_str(val);
    char *text = malloc(str.len + 1);

    if (!text)
        suite_die("out of memory", "text");
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
        suite_die("cannot read", path);
    len = fread(text, 1, FILE_MAX, file);
    if (surety_doc_read(doc, (surety_str){text, len}, NULL, &error))
        suite_die(error.message, path);
    fclose(file);
    free(text);
    return doc;
}

bool suite_next_line(FILE *file, surety_buf *line)
{
    int byte;

    surety_buf_reset(line);
    while ((byte = getc(file)) != EOF && byte != '\n')
        surety_buf_byte(line, (char)byte);
    if (line->status)
        suite_die("out of memory", "a line");
    return line->len > 0 || byte != EOF;
}

/* ---- folders ------------------------------------------------------------- */

static void files_add(struct suite_files *files, char *path)
{
    if (files->count == files->room) {
        files->room = files->room ? 2 * files->room : 64;
        files->paths =
            realloc(files->paths, files->room * sizeof(*files->paths));
        if (!files->paths)
            suite_die("out of memory", path);
    }
    files->paths[files->count++] = path;
}

static void files_find(struct suite_files *files, const char *path,
                       const char *ending)
{
    const size_t len = strlen(path), least = strlen(ending);
    char *slash = suite_join(path, "/");
    DIR *folder = opendir(path);
    struct stat info;

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char *below = suite_join(slash, entry->d_name);

        if (entry->d_name[0] != '.' && lstat(below, &info) == 0 &&
            !S_ISLNK(info.st_mode))
            files_find(files, below, ending);
        free(below);
    }
    if (folder)
        closedir(folder);
    else if (len > least && strcmp(path + len - least, ending) == 0 &&
             access(path, R_OK) == 0)
        files_add(files, suite_join(path, ""));
    free(slash);
}

static int files_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void suite_list(struct suite_files *files, const char *path, const char *ending)
{
    *files = (struct suite_files){.count = 0};
    files_find(files, path, ending);
    if (files->count)
        qsort(files->paths, files->count, sizeof(*files->paths), files_compare);
}

void suite_unlist(struct suite_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
}

/* ---- remotes ------------------------------------------------------------- */

void suite_remotes_read(struct suite_remotes *remotes, const char *root)
{
    char *folder = suite_join(root, "/remotes");

    remotes->skip = strlen(folder) + 1;
    suite_list(&remotes->files, folder, ".json");
    remotes->docs = calloc(remotes->files.count + 1, sizeof(*remotes->docs));
    if (!remotes->docs)
        suite_die("out of memory", folder);
    for (size_t i = 0; i < remotes->files.count; i++)
        remotes->docs[i] = suite_read(remotes->files.paths[i]);
    free(folder);
}

void suite_remotes_free(struct suite_remotes *remotes)
{
    for (size_t i = 0; i < remotes->files.count; i++)
        surety_doc_free(remotes->docs[i]);
    free(remotes->docs);
    suite_unlist(&remotes->files);
}

surety_status suite_resolve(void *ctx, surety_str uri, surety_val *ret_val)
{
    static const char host[] = "http://localhost:1234/";
    const struct suite_remotes *remotes = ctx;
    const size_t len = sizeof(host) - 1;

    if (uri.len < len || memcmp(uri.ptr, host, len) != 0)
        return SURETY_END;
    uri = (surety_str){uri.ptr + len, uri.len - len};
    for (size_t i = 0; i < remotes->files.count; i++) {
        const char *path = remotes->files.paths[i] + remotes->skip;

        if (surety_str_equal(uri, surety_str_of(path))) {
            *ret_val = surety_doc_root(remotes->docs[i]);
            return SURETY_OK;
        }
    }
    return SURETY_END;
}
