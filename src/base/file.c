/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a file whole or not at all, and reads open files.
 *
 * 1. The bytes go to a file with a hidden name in the same folder, which then
 *    gets its own name in one step. So no process reads half of a file, and a
 *    full disk leaves the old file as it was.
 * 2. An existing file is kept unless the caller asks to replace it. That is
 *    also one step (link), not a check followed by a write.
 * 3. surety_user_folder has the one rule for the folder of a user's files. The
 *    caller reads the environment. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_PATH_MAX = 4096, FILE_TRIES_MAX = 100, FILE_STEP = 1 << 16 };

struct file_paths {
    char wanted[FILE_PATH_MAX];
    char part[FILE_PATH_MAX + 32];
    size_t folder_len; /* bytes of the folder in both, slash included */
};

/* Returns the length of the folder in path, slash included. */
static size_t file_folder_len(surety_str path)
{
    while (path.len > 0 && path.ptr[path.len - 1] != '/')
        path.len--;
    return path.len;
}

static surety_status file_unwritten(surety_error *reterr, const char *path,
                                    int error)
{
    if (error == EEXIST) {
        surety__fail(reterr, SURETY_MISUSE, "%.200s is there already", path);
        surety__hint(reterr,
                     "choose another path, or ask for the file to be replaced");
        return SURETY_MISUSE;
    }
    return surety__fail(reterr, SURETY_IO, "%.200s cannot be written: %s", path,
                        strerror(error));
}

/* Creates the hidden file. Returns its descriptor, or -1 with errno. */
static int file_open_part(struct file_paths *paths)
{
    char *name = paths->part + paths->folder_len;
    int fd = -1;

    memcpy(paths->part, paths->wanted, paths->folder_len);
    for (unsigned i = 0; i < FILE_TRIES_MAX && fd < 0; i++) {
        memcpy(name, ".surety-00.part", sizeof(".surety-00.part"));
        name[8] = (char)('0' + i / 10);
        name[9] = (char)('0' + i % 10);
        fd = open(paths->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    if (fd < 0)
        errno = EBUSY;
    return fd;
}

/* Writes the bytes and closes the file. Returns the first errno, or 0. */
static int file_fill(int fd, surety_str bytes)
{
    size_t done = 0;
    int error = 0;

    while (done < bytes.len && !error) {
        const ssize_t wrote = write(fd, bytes.ptr + done, bytes.len - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            error = errno;
    }
    if (!error && fsync(fd) && errno != EINVAL && errno != ENOTSUP)
        error = errno;
    if (close(fd) && !error && errno != EINTR)
        error = errno;
    return error;
}

/* Gives the file its name if no other file has it. Returns an errno, or 0. */
static int file_link(const struct file_paths *paths)
{
    int fd;

    if (link(paths->part, paths->wanted) == 0) {
        unlink(paths->part);
        return 0;
    }
    if (errno == EEXIST)
        return EEXIST;
    /* The file system has no links: create the name first, then replace it. */
    fd = open(paths->wanted, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    close(fd);
    return rename(paths->part, paths->wanted) ? errno : 0;
}

surety_status surety_file_write(surety_str path, surety_str bytes, bool replace,
                                surety_error *reterr)
{
    struct file_paths paths;
    struct stat about;
    int error;
    int fd;

    if (path.len == 0 || path.len >= FILE_PATH_MAX ||
        memchr(path.ptr, '\0', path.len))
        return surety__fail(reterr, SURETY_IO,
                            "a file's path is empty, longer than %d bytes, or "
                            "has a NUL",
                            FILE_PATH_MAX - 1);
    memcpy(paths.wanted, path.ptr, path.len);
    paths.wanted[path.len] = '\0';
    paths.folder_len = file_folder_len(path);
    if (!replace && lstat(paths.wanted, &about) == 0)
        return file_unwritten(reterr, paths.wanted, EEXIST);
    fd = file_open_part(&paths);
    if (fd < 0)
        return file_unwritten(reterr, paths.wanted, errno);
    error = file_fill(fd, bytes);
    if (!error && !replace)
        error = file_link(&paths);
    else if (!error && rename(paths.part, paths.wanted))
        error = errno;
    if (!error)
        return SURETY_OK;
    unlink(paths.part);
    return file_unwritten(reterr, paths.wanted, error);
}

surety_status surety__file_drain(int fd, size_t max, surety_buf *out)
{
    const size_t start = out->len;

    assert(fd >= 0);
    for (;;) {
        const size_t left = max - (out->len - start);
        const size_t want = left < FILE_STEP ? left + 1 : FILE_STEP;
        char *room = surety__buf_room(out, want);
        ssize_t got;

        if (!room)
            return out->status;
        got = read(fd, room, want);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return SURETY_IO;
        if (got == 0)
            return SURETY_OK;
        out->len += (size_t)got;
        if (out->len - start > max)
            return SURETY_LIMIT;
    }
}

bool surety_user_folder(surety_str given, surety_str home, const char *below,
                        surety_buf *out)
{
    if (given.len > 0 && given.ptr[0] == '/') {
        surety_buf_add(out, given);
    } else if (home.len > 0) {
        surety_buf_add(out, home);
        surety_buf_byte(out, '/');
        surety_buf_text(out, below);
    } else {
        return false;
    }
    return true;
}
