/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, secrets in memory, and the file of --record. The first signal stops
 * the run: the exchange under way is closed and recorded, and then the process
 * ends by that signal. The handler is removed by its first use, so a second
 * signal ends the process at once. A signal that was ignored when the tool
 * started stays ignored (nohup). */
#include "run_world.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static volatile int caught;

static void catch_signal(int number)
{
    caught = number;
}

void signals_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    struct sigaction before;

    memset(&action, 0, sizeof(action));
    action.sa_handler = catch_signal;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (sigaction(numbers[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

const volatile int *signals_caught(void)
{
    return &caught;
}

void signals_stop(void)
{
    caught = -1;
}

void signals_raise(struct cli *cli)
{
    if (caught <= 0)
        return;
    output_flush(&cli->out);
    output_flush(&cli->err);
    signal(caught, SIG_DFL);
    raise(caught);
}

void secrets_guard(void)
{
    const struct rlimit none = {0, 0};

    (void)setrlimit(RLIMIT_CORE, &none);
#ifdef PR_SET_DUMPABLE
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

void secrets_release(void)
{
#ifdef PR_SET_DUMPABLE
    (void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
#endif
}

/* Tests whether a file or a device accepts bytes. A file gets them behind what
 * it has, and loses them again; a device gets a blank line, which a recording
 * may have. */
static bool takes_bytes(int fd)
{
    static const char blanks[4096] = "\n";
    struct stat about;
    size_t len = 0;
    ssize_t wrote;
    int error = 0;

    if (fstat(fd, &about))
        return false;
    if (S_ISREG(about.st_mode)) {
        len = sizeof(blanks);
        (void)lseek(fd, 0, SEEK_END);
    } else if (S_ISCHR(about.st_mode) && !isatty(fd))
        len = 1;
    wrote = len > 0 ? write(fd, blanks, len) : 0;
    if (wrote < 0 || (size_t)wrote < len)
        error = wrote < 0 ? errno : ENOSPC;
    if (S_ISREG(about.st_mode) &&
        (ftruncate(fd, about.st_size) != 0 || lseek(fd, 0, SEEK_SET) != 0) &&
        !error)
        error = errno;
    errno = error;
    return !error;
}

bool record_file_open(struct record_file *file, struct cli *cli,
                      const char *path)
{
    *file = (struct record_file){.cli = cli, .path = path, .fd = -1};
    if (!path)
        return true;
    file->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file->fd >= 0 && takes_bytes(file->fd))
        return true;
    return cli_fail(cli, CODE_WORLD, NULL,
                    "the recording %s cannot be written: %s", path,
                    strerror(errno));
}

void record_file_empty(struct record_file *file)
{
    struct stat about;

    if (file->fd >= 0 && !file->is_empty && fstat(file->fd, &about) == 0 &&
        S_ISREG(about.st_mode) && ftruncate(file->fd, 0) != 0)
        file->error = errno;
    file->is_empty = true;
}

surety_status record_file_write(void *ctx, surety_str line)
{
    struct record_file *file = ctx;
    size_t done = 0;

    assert(file->fd >= 0);
    record_file_empty(file);
    while (!file->error && done < line.len) {
        const ssize_t wrote = write(file->fd, line.ptr + done, line.len - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            file->error = errno;
    }
    if (!file->error)
        file->len += (off_t)line.len;
    else if (done > 0 && ftruncate(file->fd, file->len) != 0)
        return SURETY_OK; /* a pipe or device cannot remove an incomplete
                           * line */
    return SURETY_OK;
}

void record_file_close(struct record_file *file)
{
    if (file->fd >= 0 && close(file->fd) != 0 && errno != EINTR && !file->error)
        file->error = errno;
    if (file->error)
        cli_fail(file->cli, CODE_WORLD,
                 "the answer is not affected; what was recorded before is "
                 "whole",
                 "the recording %s cannot be written: %s", file->path,
                 strerror(file->error));
    file->error = 0;
    file->fd = -1;
}
