/* SPDX-License-Identifier: Apache-2.0 */
/* Each line is one write. Where a write ends within a line, the next line
 * begins anew, so that only the lines that found no room are damaged. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool log_open(struct log_file *log, const char *path, mode_t mode,
              struct cli *cli)
{
    *log = (struct log_file){.path = path, .fd = -1};
    surety_buf_init(&log->buf, NULL, 0);
    if (!path)
        return true;
    log->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, mode);
    if (log->fd < 0)
        return cli_fail(cli, CODE_WORLD, NULL, "%s cannot be written: %s", path,
                        strerror(errno));
    return true;
}

static void log_write(struct log_file *log)
{
    const surety_str text = surety_buf_str(&log->buf);
    size_t done = 0;

    while (done < text.len) {
        const ssize_t wrote = write(log->fd, text.ptr + done, text.len - done);

        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            break;
    }
    if (log->buf.status || done < text.len)
        log->error = log->buf.status ? ENOMEM : errno;
    if (done)
        log->is_cut = text.ptr[done - 1] != '\n';
}

void log_line(void *ctx, surety_str line)
{
    struct log_file *log = ctx;

    surety_buf_reset(&log->buf);
    if (log->is_cut)
        surety_buf_byte(&log->buf, '\n');
    surety_buf_add(&log->buf, line);
    surety_buf_byte(&log->buf, '\n');
    log_write(log);
}

void log_close(struct log_file *log, struct cli *cli)
{
    if (log->fd >= 0 && close(log->fd) && errno != EINTR)
        log->error = errno;
    if (log->error)
        cli_fail(cli, CODE_WORLD, NULL, "%s lacks lines: %s", log->path,
                 strerror(log->error));
    surety_buf_done(&log->buf);
}
