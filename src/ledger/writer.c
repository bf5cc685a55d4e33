/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies the writing process by its machine, the boot of that machine, the
 * namespace of its pid (a container has its own), and the tick at which it
 * started. So a pid that was reused is not taken for it.
 *
 * Another writer can be checked if it shares this process's boot and pid
 * namespace. A writer from an earlier boot of this machine is dead. Any other
 * writer is unseen, and the caller must judge by its age. In doubt it is
 * alive. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "ledger/ledger.h"

#define WRITER_FILE_MAX 1024

/* Reads a small file without trailing newlines and blanks. Returns its
 * length. */
static size_t writer_read(const char *path, char *out, size_t size)
{
    surety_buf text = {.ptr = out, .cap = size, .max = size};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t len;

    if (file >= 0) {
        (void)surety__file_drain(file, size - 1, &text);
        (void)close(file);
    }
    len = text.len < size ? text.len : size - 1;
    while (len && (out[len - 1] == '\n' || out[len - 1] == ' '))
        len--;
    out[len] = '\0';
    return len;
}

/* Reads the state letter and the start tick of a process: the third and the
 * 22nd word of its stat file (proc(5)). The second word is a name in
 * parentheses with any characters. */
static bool writer_stat(int64_t pid, char *ret_state, char *start, size_t size)
{
    char path[32] = "";
    surety_buf name = {.ptr = path, .cap = sizeof(path), .max = sizeof(path)};
    char text[WRITER_FILE_MAX];
    const char *ptr = NULL;
    size_t len = 0;
    size_t space = 0;

    surety__buf_printf(&name, "/proc/%u/stat", (unsigned)pid);
    if (pid > 0 && pid <= INT32_MAX && writer_read(path, text, sizeof(text)))
        ptr = strrchr(text, ')');
    if (!ptr || ptr[1] != ' ')
        return false;
    *ret_state = ptr[2];
    for (ptr++; *ptr && space < 20; ptr++)
        space += *ptr == ' ';
    while (ptr[len] && ptr[len] != ' ')
        len++;
    if (!len || len >= size)
        return false;
    memcpy(start, ptr, len);
    start[len] = '\0';
    return true;
}

void surety__writer_self(surety__writer *out)
{
    char state = 0;
    size_t len;
    ssize_t got;

    memset(out, 0, sizeof(*out));
    out->pid = (int64_t)getpid();
    len = writer_read("/etc/machine-id", out->host, 64);
    out->host[len++] = '/';
    if (gethostname(out->host + len, sizeof(out->host) - len - 1))
        out->host[len] = '\0';
    (void)writer_read("/proc/sys/kernel/random/boot_id", out->boot,
                      sizeof(out->boot));
    got = readlink("/proc/self/ns/pid", out->space, sizeof(out->space) - 1);
    out->space[got > 0 ? got : 0] = '\0';
    if (!writer_stat(out->pid, &state, out->start, sizeof(out->start)))
        out->start[0] = '\0';
}

surety__writer_state surety__writer_state_of(const surety__writer *self,
                                             const surety__writer *other)
{
    const bool host = !strcmp(self->host, other->host);
    char start[sizeof(self->start)];
    char state = 0;

    if (strcmp(self->boot, other->boot))
        return host ? WRITER_DEAD : WRITER_UNSEEN;
    if ((!self->boot[0] && !host) || strcmp(self->space, other->space))
        return WRITER_UNSEEN;
    if (other->pid <= 0 || other->pid > INT32_MAX)
        return WRITER_UNSEEN;
    if (kill((pid_t)other->pid, 0) && errno == ESRCH)
        return WRITER_DEAD;
    if (!writer_stat(other->pid, &state, start, sizeof(start)))
        return WRITER_ALIVE;
    if (state == 'Z' || state == 'X')
        return WRITER_DEAD;
    return other->start[0] && strcmp(start, other->start) ? WRITER_DEAD
                                                          : WRITER_ALIVE;
}
