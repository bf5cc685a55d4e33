/* SPDX-License-Identifier: Apache-2.0 */
/* Files, whole or not at all: bytes go to a hidden name in the same folder and
 * then get theirs in one step, so nobody ever reads half a picture and a full
 * disk leaves what was there. A file that is there is kept unless the caller
 * says otherwise, and that too is one step (link), not a look and then a
 * write. This is the door to the file system for what is rendered. */
#include "render/render.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAVE_PATH_MAX = 4096, SAVE_TRIES_MAX = 100 };

struct save_paths {
    char wanted[SAVE_PATH_MAX];
    char part[SAVE_PATH_MAX + 32];
};

static surety_status save_fail(surety_error *reterr, const char *path,
                               int error)
{
    surety__fail(reterr, SURETY_IO, "%.200s cannot be written: %s", path,
                 strerror(error));
    return SURETY_IO;
}

static surety_status save_exists(surety_error *reterr, const char *path)
{
    surety__fail(reterr, SURETY_MISUSE, "%.200s is there already", path);
    surety__hint(reterr, "it is replaced only where that is asked for");
    return SURETY_MISUSE;
}

/* The path of name in folder, terminated. */
static surety_status save_path(surety_str folder, surety_str name,
                               struct save_paths *paths, surety_error *reterr)
{
    surety_buf made;
    bool is_safe;
    size_t at = 0;

    surety_buf_init(&made, NULL, 0);
    surety_file_name(name, &made);
    is_safe = surety_str_equal(surety_buf_str(&made), name) && name.len > 0;
    at = made.status ? 1 : 0;
    surety_buf_done(&made);
    if (at)
        return surety__fail_nomem(reterr);
    if (!is_safe)
        return surety__fail(reterr, SURETY_MISUSE,
                            "\"%.*s\" is no safe name for a file",
                            (int)(name.len > 100 ? 100 : name.len), name.ptr);
    if (folder.len == 0)
        folder = surety_str_of(".");
    if (folder.len + name.len + 2 > SAVE_PATH_MAX ||
        memchr(folder.ptr, '\0', folder.len))
        return surety__fail(reterr, SURETY_IO,
                            "the folder's path is longer than %d bytes or has "
                            "a NUL",
                            SAVE_PATH_MAX - FILE_NAME_MAX - 2);
    memcpy(paths->wanted, folder.ptr, folder.len);
    paths->wanted[folder.len] = '/';
    memcpy(paths->wanted + folder.len + 1, name.ptr, name.len);
    paths->wanted[folder.len + 1 + name.len] = '\0';
    return SURETY_OK;
}

/* Makes the hidden file; -1 with errno. */
static int save_open(surety_str folder, struct save_paths *paths)
{
    surety_buf part;
    int fd = -1;

    if (folder.len == 0)
        folder = surety_str_of(".");
    for (unsigned i = 0; i < SAVE_TRIES_MAX && fd < 0; i++) {
        surety_buf_init(&part, NULL, sizeof(paths->part));
        surety_buf_add(&part, folder);
        surety__buf_printf(&part, "/.surety-%u.part", i);
        surety_buf_byte(&part, '\0');
        if (!part.status)
            memcpy(paths->part, part.ptr, part.len);
        errno = ENOMEM;
        if (part.status) {
            surety_buf_done(&part);
            return -1;
        }
        surety_buf_done(&part);
        fd = open(paths->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    return fd;
}

static int save_write(int fd, surety_str bytes)
{
    size_t done = 0;

    while (done < bytes.len) {
        const ssize_t wrote = write(fd, bytes.ptr + done, bytes.len - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            return errno;
    }
    return fsync(fd) && errno != EINVAL && errno != ENOTSUP ? errno : 0;
}

/* Gives the file its name where nothing has it. */
static int save_link(const struct save_paths *paths)
{
    int fd;

    if (link(paths->part, paths->wanted) == 0) {
        unlink(paths->part);
        return 0;
    }
    if (errno == EEXIST)
        return EEXIST;
    /* A file system without links: take the name, then the place. */
    fd = open(paths->wanted, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    close(fd);
    return rename(paths->part, paths->wanted) ? errno : 0;
}

surety_status surety_file_save(surety_str folder, surety_str name,
                               surety_str bytes, bool replace,
                               surety_error *reterr)
{
    struct save_paths paths;
    struct stat about;
    surety_status status = save_path(folder, name, &paths, reterr);
    int error;
    int fd;

    if (status)
        return status;
    if (!replace && lstat(paths.wanted, &about) == 0)
        return save_exists(reterr, paths.wanted);
    fd = save_open(folder, &paths);
    if (fd < 0)
        return save_fail(reterr, paths.wanted, errno);
    error = save_write(fd, bytes);
    if (close(fd) && !error && errno != EINTR)
        error = errno;
    if (!error && !replace)
        error = save_link(&paths);
    else if (!error)
        error = rename(paths.part, paths.wanted) ? errno : 0;
    if (error)
        unlink(paths.part);
    if (error == EEXIST)
        return save_exists(reterr, paths.wanted);
    return error ? save_fail(reterr, paths.wanted, error) : SURETY_OK;
}
