/* SPDX-License-Identifier: Apache-2.0 */
/* The file of an SQLite ledger, before SQLite opens it. It is created with its
 * folders so that no other user may read it, and its folder is synced. It is
 * distinguished from another file that has taken its name.
 *
 * A file that exists is never opened here: closing it would release the locks
 * that SQLite holds on it elsewhere in this process (fcntl(2)). */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger/ledger.h"

/* The meaning of errno, independent of the locale. */
static const char *file_reason(int code)
{
    switch (code) {
    case EACCES:
    case EPERM: return "permission denied";
    case EROFS: return "the file system is read-only";
    case ENOSPC: return "the disk is full";
    case EDQUOT: return "the quota is used up";
    case ENOTDIR: return "a part of the path is no folder";
    case ENAMETOOLONG: return "the name is too long";
    case ELOOP: return "symbolic links in a circle";
    case ENOENT: return "a folder of the path is gone";
    case EMFILE:
    case ENFILE: return "too many open files";
    case EIO: return "the disk failed";
    default: return "the system refused";
    }
}

static surety_status file_fail(const char *what, const char *path, int code,
                               surety_error *reterr)
{
    (void)surety__fail(reterr, SURETY_IO, "%s %s cannot be made: %s", what,
                       path, file_reason(code));
    surety__hint(reterr, "name a ledger in a folder that may be written");
    return SURETY_IO;
}

/* Syncs the folder that has the last entry of a path, so that the entry is
 * durable; a system that cannot sync folders counts as success. slash: before
 * that entry; NULL: the path has none. The text is unchanged at the end. */
static bool file_sync_folder(char *text, char *slash)
{
    int folder;
    bool done;

    if (slash && slash != text)
        *slash = '\0';
    folder = open(!slash          ? "."
                  : slash == text ? "/"
                                  : text,
                  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        done = errno == EACCES;
    } else {
        done = !fsync(folder) || errno == EINVAL;
        (void)close(folder);
    }
    if (slash)
        *slash = '/';
    return done;
}

/* Creates each folder above the file. text: a copy of the path, unchanged at
 * the end. */
static surety_status file_folders(char *text, surety_error *reterr)
{
    char *last = *text == '/' ? text : NULL;
    char *slash;

    for (slash = strchr(text + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        struct stat info;

        *slash = '\0';
        if (!stat(text, &info)) {
            if (!S_ISDIR(info.st_mode))
                return file_fail("the folder", text, ENOTDIR, reterr);
        } else {
            if (mkdir(text, 0700) && errno != EEXIST)
                return file_fail("the folder", text, errno, reterr);
            (void)file_sync_folder(text, last);
        }
        *slash = '/';
        last = slash;
    }
    return SURETY_OK;
}

/* Creates the file. text: its path, unchanged at the end. */
static surety_status file_create(char *text, surety_error *reterr)
{
    const int file = open(text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (file < 0)
        return errno == EEXIST ? SURETY_OK
                               : file_fail("the ledger", text, errno, reterr);
    (void)close(file);
    return file_sync_folder(text, strrchr(text, '/'))
               ? SURETY_OK
               : file_fail("the ledger", text, EIO, reterr);
}

/* Fails because a path leads to something else than a file. */
static surety_status file_fail_kind(const char *path, bool is_folder,
                                    const char *hint, surety_error *reterr)
{
    (void)surety__fail(reterr, SURETY_IO, "%s is %s", path,
                       is_folder ? "a folder" : "no file");
    surety__hint(reterr, "%s", hint);
    return SURETY_IO;
}

surety_status surety__file_make(const char *path, const surety_alloc *alloc,
                                surety_error *reterr)
{
    surety_status status;
    struct stat info;
    surety_buf text;

    if (!stat(path, &info)) {
        return S_ISREG(info.st_mode)
                   ? SURETY_OK
                   : file_fail_kind(path, S_ISDIR(info.st_mode),
                                    "name a file for the ledger", reterr);
    }
    surety_buf_init(&text, alloc, 0);
    surety_buf_text(&text, path);
    surety_buf_byte(&text, '\0');
    if (text.status) {
        surety_buf_done(&text);
        return surety__fail_nomem(reterr);
    }
    status = file_folders(text.ptr, reterr);
    if (!status)
        status = file_create(text.ptr, reterr);
    surety_buf_done(&text);
    return status;
}

surety_status surety__file_look(const char *path, surety_error *reterr)
{
    const surety_str name = surety_str_of(path);
    struct stat info;
    int code;

    if (stat(path, &info)) {
        code = errno;
        if (code == ENOENT || code == ENOTDIR)
            return surety__fail_absent(name, reterr);
    } else if (!S_ISREG(info.st_mode)) {
        return file_fail_kind(path, S_ISDIR(info.st_mode),
                              "name the file of a ledger", reterr);
    } else if (!access(path, R_OK)) {
        return SURETY_OK;
    } else {
        code = errno;
    }
    (void)surety__fail(reterr, SURETY_IO, "the ledger %s cannot be read: %s",
                       path, file_reason(code));
    surety__hint(reterr, "allow reading it, or name another ledger");
    return SURETY_IO;
}

bool surety__file_holds(const char *path)
{
    struct stat info;

    return !stat(path, &info) && info.st_size > 0;
}

bool surety__file_identify(const char *path, surety__file_id *ret_id)
{
    struct stat info;

    if (stat(path, &info))
        return false;
    ret_id->device = (uint64_t)info.st_dev;
    ret_id->number = (uint64_t)info.st_ino;
    return true;
}
