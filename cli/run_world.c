/* SPDX-License-Identifier: Apache-2.0 */
/* The first signal asks the run to stop: what is under way is closed and
 * recorded, and then the process ends by that signal after all. The handler is
 * gone with its first use, so a second signal ends it there and then. One that
 * was ignored when the tool was started stays ignored (nohup). */
#include "run_world.h"

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
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (sigaction(numbers[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

const volatile int *signals_caught(void)
{
    return &caught;
}

void signals_raise(struct cli *cli)
{
    if (!caught)
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

bool record_file_open(struct record_file *file, struct cli *cli,
                      const char *path)
{
    *file = (struct record_file){.cli = cli, .path = path, .fd = -1};
    if (!path)
        return true;
    file->fd =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file->fd >= 0)
        return true;
    cli_fail(cli, CODE_WORLD, NULL, "the recording %s cannot be written: %s",
             path, strerror(errno));
    return false;
}

/* Says it once. */
static surety_status record_file_fail(struct record_file *file, int error)
{
    if (!file->has_failed)
        cli_fail(file->cli, CODE_WORLD, NULL,
                 "the recording %s cannot be written: %s", file->path,
                 strerror(error));
    file->has_failed = true;
    return SURETY_IO;
}

surety_status record_file_write(void *ctx, surety_str line)
{
    struct record_file *file = ctx;
    size_t done = 0;

    while (done < line.len) {
        const ssize_t wrote = write(file->fd, line.ptr + done, line.len - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            return record_file_fail(file, errno);
    }
    return SURETY_OK;
}

void record_file_close(struct record_file *file)
{
    if (file->fd >= 0 && close(file->fd) != 0 && errno != EINTR)
        record_file_fail(file, errno);
    file->fd = -1;
}
