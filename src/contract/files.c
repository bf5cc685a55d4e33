/* SPDX-License-Identifier: Apache-2.0 */
/* files.c: the file system for the registry: reads a file as a text, lists a
 * folder sorted. A list holds the folders that are not yet read, so there is no
 * recursion. */
#include "contract/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 10000 };

/* A path, and its depth in folders. */
struct files_path {
    surety_str path;
    unsigned depth;
};

/* The state of a listing. */
struct files_walk {
    surety__arena *arena;
    surety_str folder;
    unsigned depth_max;
    struct files_path *folders; /* a stack of folders to read */
    size_t folders_count, folders_cap;
    surety_str *files;
    size_t files_count, files_cap;
};

bool surety__file_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static surety_status files_fail(surety_error *reterr, const char *path,
                                int error)
{
    return surety__fail(reterr, SURETY_IO, "%s: %s", path, strerror(error));
}

surety_status surety__file_read(const char *path, size_t max, surety_buf *buf,
                                surety_error *reterr)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    surety_status status;
    struct stat info;

    if (file < 0)
        return files_fail(reterr, path, errno);
    surety_buf_reset(buf);
    if (fstat(file, &info) != 0) {
        status = files_fail(reterr, path, errno);
    } else if (!S_ISREG(info.st_mode)) {
        status = surety__fail(reterr, SURETY_IO, "%s is no regular file", path);
    } else {
        status = surety__file_drain(file, max, buf);
        if (status == SURETY_IO)
            files_fail(reterr, path, errno);
        else if (status == SURETY_LIMIT)
            surety__fail(reterr, SURETY_LIMIT,
                         "%s has more than schema_bytes_max (%zu) bytes", path,
                         max);
        else if (status)
            surety__fail_nomem(reterr);
    }
    close(file);
    return status;
}

static surety_status files_take(struct files_walk *walk, DIR *stream,
                                struct files_path from, const char *name)
{
    const surety_str suffix = SURETY__LITERAL(".json");
    const surety_str own = surety_str_of(name);
    const bool json = own.len > suffix.len && surety__str_ends(own, suffix);
    surety_status status;
    surety_str path;
    struct stat info;

    if (fstatat(dirfd(stream), name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return SURETY_OK; /* it was deleted in the meantime */
    if (S_ISLNK(info.st_mode) &&
        (fstatat(dirfd(stream), name, &info, 0) != 0 || S_ISDIR(info.st_mode)))
        return SURETY_OK;
    if (S_ISDIR(info.st_mode) ? from.depth == walk->depth_max
                              : !json || !S_ISREG(info.st_mode))
        return SURETY_OK;
    path = surety__path_join(walk->arena, from.path, own);
    if (!path.ptr)
        return SURETY_NOMEM;
    assert(from.depth <= walk->depth_max);
    if (S_ISDIR(info.st_mode)) {
        status = surety__grow(walk->arena->alloc, &walk->folders,
                              &walk->folders_cap, walk->folders_count + 1,
                              sizeof(*walk->folders), FILES_MAX);
        if (status == SURETY_OK)
            walk->folders[walk->folders_count++] =
                (struct files_path){path, from.depth + 1};
        return status;
    }
    status =
        surety__grow(walk->arena->alloc, &walk->files, &walk->files_cap,
                     walk->files_count + 1, sizeof(*walk->files), FILES_MAX);
    if (status == SURETY_OK)
        walk->files[walk->files_count++] = path;
    return status;
}

/* Reads one folder: adds its files to the list, and its folders to the
 * stack. */
static surety_status files_read_folder(struct files_walk *walk,
                                       struct files_path from,
                                       surety_error *reterr)
{
    const surety_str path =
        surety__path_join(walk->arena, walk->folder, from.path);
    surety_status status = SURETY_OK;
    const struct dirent *entry;
    DIR *stream;

    if (!path.ptr)
        return surety__fail_nomem(reterr);
    stream = opendir(path.ptr);
    if (!stream && (errno == ENOENT || errno == ENOTDIR))
        return SURETY_OK;
    if (!stream)
        return files_fail(reterr, path.ptr, errno);
    while (status == SURETY_OK && (entry = readdir(stream)) != NULL)
        if (entry->d_name[0] != '.')
            status = files_take(walk, stream, from, entry->d_name);
    closedir(stream);
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (status == SURETY_LIMIT)
        return surety__fail(reterr, status,
                            "%s has more than %d files or folders", path.ptr,
                            FILES_MAX);
    return status;
}

static int files_compare(const void *a, const void *b)
{
    return surety__str_compare(*(const surety_str *)a, *(const surety_str *)b);
}

surety_status surety__folder_list(surety_str folder, unsigned depth,
                                  surety__arena *arena,
                                  surety__listing *ret_listing,
                                  surety_error *reterr)
{
    struct files_walk walk = {
        .arena = arena, .folder = folder, .depth_max = depth};
    struct files_path next = {{"", 0}, 0};
    surety_status status = files_read_folder(&walk, next, reterr);

    while (status == SURETY_OK && walk.folders_count > 0) {
        next = walk.folders[--walk.folders_count];
        status = files_read_folder(&walk, next, reterr);
    }
    if (status == SURETY_OK && walk.files_count > 0) {
        surety_str *paths =
            surety__arena_take(arena, walk.files_count * sizeof(*paths));

        if (paths) {
            memcpy(paths, walk.files, walk.files_count * sizeof(*paths));
            qsort(paths, walk.files_count, sizeof(*paths), files_compare);
            *ret_listing = (surety__listing){paths, walk.files_count};
        } else {
            status = surety__fail_nomem(reterr);
        }
    } else if (status == SURETY_OK) {
        *ret_listing = (surety__listing){NULL, 0};
    }
    surety__free(arena->alloc, walk.folders,
                 walk.folders_cap * sizeof(*walk.folders));
    surety__free(arena->alloc, walk.files,
                 walk.files_cap * sizeof(*walk.files));
    return status;
}

surety_str surety__path_join(surety__arena *arena, surety_str folder,
                             surety_str name)
{
    const bool slash =
        folder.len > 0 && folder.ptr[folder.len - 1] != '/' && name.len > 0;
    const size_t len = folder.len + slash + name.len;
    char *path = surety__arena_take(arena, len + 1);

    if (!path)
        return (surety_str){NULL, 0};
    if (folder.len > 0)
        memcpy(path, folder.ptr, folder.len);
    if (slash)
        path[folder.len] = '/';
    if (name.len > 0)
        memcpy(path + folder.len + slash, name.ptr, name.len);
    return (surety_str){path, len};
}
