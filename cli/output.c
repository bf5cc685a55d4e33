/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tool's output. A program must not exit with 0 if its value was not
 * written because the disk is full, so every write and the close are checked.
 * The first failure is kept, and all later output is discarded: a command
 * checks `error` where it can stop early, and main turns it into the exit
 * code. */
#include "output.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <surety/json.h>

#include "memory.h"

enum { OUTPUT_ENOUGH = 1 << 16 };

void output_init(struct output *output, int fd)
{
    output->fd = fd;
    output->error = 0;
    surety_buf_init(&output->buf, &memory_large, 0);
}

/* Waits until a non-blocking descriptor accepts more bytes. */
static bool wait_writable(int fd)
{
    struct pollfd watched = {fd, POLLOUT, 0};

    return poll(&watched, 1, -1) >= 0 || errno == EINTR;
}

static void write_all(struct output *output, surety_str text)
{
    size_t done = 0;

    while (!output->error && done < text.len) {
        const ssize_t wrote =
            write(output->fd, text.ptr + done, text.len - done);
        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno == EAGAIN && wait_writable(output->fd))
            continue;
        else if (errno != EINTR)
            output->error = errno;
    }
}

bool output_flush(struct output *output)
{
    if (output->buf.status && !output->error)
        output->error = ENOMEM;
    write_all(output, surety_buf_str(&output->buf));
    surety_buf_reset(&output->buf);
    return !output->error;
}

bool output_write(struct output *output, surety_str text)
{
    if (output_flush(output))
        write_all(output, text);
    return !output->error;
}

bool output_pace(struct output *output)
{
    if (output->buf.len < OUTPUT_ENOUGH && !output->buf.status)
        return !output->error;
    return output_flush(output);
}

void output_text(struct output *output, surety_str text)
{
    if (isatty(output->fd))
        surety_buf_shown(&output->buf, text, true);
    else
        surety_buf_add(&output->buf, text);
    if (text.len == 0 || text.ptr[text.len - 1] != '\n')
        surety_buf_byte(&output->buf, '\n');
}

void output_json(struct output *output, size_t start)
{
    assert(start <= output->buf.len);
    if (isatty(output->fd))
        surety_json_shown(&output->buf, start);
}

bool output_close(struct output *output)
{
    assert(output->fd >= 0);
    output_flush(output);
    surety_buf_done(&output->buf);
    if (close(output->fd) && !output->error && errno != EINTR)
        output->error = errno;
    return !output->error;
}
