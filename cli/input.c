/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files and streams of lines. Files are not mapped, because a file that
 * shrinks while it is mapped ends the process. Lines are read in large blocks
 * and given out in batches of whole lines, so memory does not grow with the
 * stream, and a line of a slow writer is given out as soon as it is
 * complete. */
#include "input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "memory.h"

enum { READ_STEP = 1 << 16, BATCH_BYTES = 1 << 18 };

const char *input_name(const char *path)
{
    if (*path == '\0')
        return "\"\"";
    return strcmp(path, "-") == 0 ? "stdin" : path;
}

static surety_status input_fail(surety_error *reterr, surety_status status,
                                const char *path, const char *message)
{
    memset(reterr, 0, sizeof(*reterr));
    reterr->status = status;
    snprintf(reterr->source, sizeof(reterr->source), "%s", input_name(path));
    snprintf(reterr->message, sizeof(reterr->message), "%s", message);
    return status;
}

static surety_status input_fail_errno(surety_error *reterr, const char *path,
                                      int error)
{
    char message[256];

    snprintf(message, sizeof(message), "cannot be read: %s", strerror(error));
    input_fail(reterr, SURETY_IO, path, message);
    if (error == EISDIR)
        snprintf(reterr->hint, sizeof(reterr->hint),
                 "name the files in it, as in %.200s/*", path);
    return SURETY_IO;
}

int input_open(const char *path, surety_error *reterr)
{
    struct stat about;
    int fd = STDIN_FILENO;

    if (strcmp(path, "-") != 0)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        input_fail_errno(reterr, path, errno);
        return -1;
    }
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) {
        input_close(fd);
        input_fail_errno(reterr, path, EISDIR);
        return -1;
    }
    return fd;
}

void input_close(int fd)
{
    if (fd > STDIN_FILENO)
        close(fd);
}

/* Reads once, and repeats a read that a signal interrupted. 0: the end; -1:
 * errno is set. */
static ssize_t read_some(int fd, char *ptr, size_t len)
{
    for (;;) {
        const ssize_t got = read(fd, ptr, len);
        struct pollfd watched = {fd, POLLIN, 0};
        if (got >= 0 || (errno != EINTR && errno != EAGAIN))
            return got;
        if (errno == EAGAIN)
            poll(&watched, 1, -1);
    }
}

surety_status input_take(int fd, const char *path, char *ptr, size_t len,
                         size_t *ret_got, surety_error *reterr)
{
    const ssize_t got = read_some(fd, ptr, len);

    if (got < 0)
        return input_fail_errno(reterr, path, errno);
    *ret_got = (size_t)got;
    return SURETY_OK;
}

uint64_t input_left(int fd)
{
    struct stat about;
    const off_t at = lseek(fd, 0, SEEK_CUR);

    if (at < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) ||
        about.st_size <= at)
        return 0;
    return (uint64_t)(about.st_size - at);
}

bool input_is_ready(int fd)
{
    struct pollfd watched = {fd, POLLIN, 0};

    return poll(&watched, 1, 0) == 1;
}

static bool reserve(char **ptr, size_t *cap, size_t want)
{
    size_t cap_new = *cap + *cap / 2;
    char *grown;

    if (want <= *cap)
        return true;
    if (cap_new < want)
        cap_new = want;
    grown = realloc(*ptr, cap_new);
    if (!grown)
        return false;
    *ptr = grown;
    *cap = cap_new;
    return true;
}

struct input_bound input_text(const surety_limits *limits)
{
    return (struct input_bound){limits->text_bytes_max, "text_bytes_max"};
}

struct input_bound input_schema(const surety_limits *limits)
{
    return (struct input_bound){limits->schema_bytes_max, "schema_bytes_max"};
}

/* Writes the hint for a limit that the user can raise. */
static void input_raise(surety_error *reterr, const char *limit)
{
    if (limit)
        snprintf(reterr->hint, sizeof(reterr->hint),
                 "--limit %s=VALUE raises it, such as %s=128M", limit, limit);
}

void input_overlong(size_t max, surety_error *reterr)
{
    memset(reterr, 0, sizeof(*reterr));
    reterr->status = SURETY_LIMIT;
    snprintf(reterr->message, sizeof(reterr->message),
             "the line is longer than the limit text_bytes_max of %zu bytes",
             max);
    input_raise(reterr, "text_bytes_max");
}

surety_status input_read(const char *path, struct input_bound bound,
                         surety_str *ret_text, surety_error *reterr)
{
    const size_t max = bound.max;
    surety_status status = SURETY_OK;
    char message[128];
    char *ptr = NULL;
    size_t len = 0;
    size_t cap = 0;
    ssize_t got = 1;
    struct stat about;
    const int fd = input_open(path, reterr);

    if (fd < 0)
        return SURETY_IO;
    /* The buffer has one byte more than the file, so one read finds the end. A
     * file that is too large is not read. */
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_size >= 0) {
        if ((uintmax_t)about.st_size > max) {
            len = max + 1;
            got = 0;
        } else if (!reserve(&ptr, &cap, (size_t)about.st_size + 1)) {
            got = -2;
        }
    }
    memory_advise(ptr, cap);
    while (got > 0 && len <= max) {
        if (!reserve(&ptr, &cap, len + (len < cap ? 1 : READ_STEP))) {
            got = -2;
            break;
        }
        got = read_some(fd, ptr + len, cap - len);
        if (got > 0)
            len += (size_t)got;
    }
    if (got == -2) {
        status = input_fail(reterr, SURETY_NOMEM, path, "out of memory");
    } else if (got == -1) {
        status = input_fail_errno(reterr, path, errno);
    } else if (len > max) {
        snprintf(message, sizeof(message),
                 "is larger than the limit%s%s of %zu bytes",
                 bound.limit ? " " : "", bound.limit ? bound.limit : "", max);
        status = input_fail(reterr, SURETY_LIMIT, path, message);
        input_raise(reterr, bound.limit);
    }
    input_close(fd);
    if (status) {
        free(ptr);
        return status;
    }
    *ret_text = (surety_str){ptr, len};
    return SURETY_OK;
}

void batch_text_init(struct batch_text *text)
{
    *text = (struct batch_text){.ptr = NULL};
    (void)reserve(&text->ptr, &text->cap, BATCH_BYTES + READ_STEP);
}

void batch_text_done(struct batch_text *text)
{
    free(text->ptr);
    *text = (struct batch_text){.ptr = NULL};
}

void lines_init(struct lines *lines, int fd, const char *path, size_t line_max)
{
    assert(fd >= 0 && line_max > 0);
    *lines = (struct lines){.fd = fd, .path = path, .line_max = line_max};
}

void lines_done(struct lines *lines)
{
    free(lines->rest);
    lines->rest = NULL;
}

/* Discards the bytes of a line that is longer than the limit. */
static void skip_line(struct lines *lines, struct batch_text *text)
{
    const char *feed = memchr(text->ptr, '\n', text->len);
    size_t skipped = text->len;

    if (feed) {
        skipped = (size_t)(feed - text->ptr) + 1;
        lines->is_skipping = false;
    }
    memmove(text->ptr, text->ptr + skipped, text->len - skipped);
    text->len -= skipped;
}

/* Skips a byte order mark before the first line, as RFC 8259, section 8.1,
 * allows. */
static void skip_mark(struct lines *lines, struct batch_text *text)
{
    if (!lines->is_started && text->len >= 3 &&
        memcmp(text->ptr, "\xEF\xBB\xBF", 3) == 0) {
        memmove(text->ptr, text->ptr + 3, text->len - 3);
        text->len -= 3;
    }
    lines->is_started = true;
}

static surety_status lines_take(struct lines *lines, struct batch_text *text,
                                surety_error *reterr)
{
    size_t end = 0;

    assert(lines->rest_len <= lines->rest_cap);
    text->len = 0;
    text->is_overlong = false;
    if (!reserve(&text->ptr, &text->cap, lines->rest_len + BATCH_BYTES))
        goto nomem;
    if (lines->rest_len > 0)
        memcpy(text->ptr, lines->rest, lines->rest_len);
    text->len = lines->rest_len;
    lines->rest_len = 0;
    for (;;) {
        size_t seen = text->len;
        ssize_t got;
        if (text->len == text->cap && end > 0)
            break;
        if (!reserve(&text->ptr, &text->cap, text->len + 1))
            goto nomem;
        got =
            read_some(lines->fd, text->ptr + text->len, text->cap - text->len);
        if (got < 0)
            return input_fail_errno(reterr, lines->path, errno);
        if (got == 0) {
            skip_mark(lines, text);
            return text->len > 0 ? SURETY_OK : SURETY_END;
        }
        text->len += (size_t)got;
        lines->bytes += (uint64_t)got;
        if (lines->is_skipping)
            skip_line(lines, text);
        if (seen >= text->len) /* because of skip_line */
            seen = 0;
        for (size_t i = text->len; i > seen; i--)
            if (text->ptr[i - 1] == '\n') {
                end = i;
                break;
            }
        if (end == 0 && text->len > lines->line_max) {
            skip_mark(lines, text);
            text->is_overlong = true;
            lines->is_skipping = true;
            return SURETY_OK;
        }
        if (end > 0 && (text->len >= BATCH_BYTES || !input_is_ready(lines->fd)))
            break;
    }
    /* The rest after the last whole line is for the next batch. */
    assert(end <= text->len);
    if (!reserve(&lines->rest, &lines->rest_cap, text->len - end + 1))
        goto nomem;
    lines->rest_len = text->len - end;
    memcpy(lines->rest, text->ptr + end, lines->rest_len);
    text->len = end;
    skip_mark(lines, text);
    return SURETY_OK;
nomem:
    return input_fail(reterr, SURETY_NOMEM, lines->path, "out of memory");
}

surety_status lines_read(struct lines *lines, struct batch_text *text,
                         surety_error *reterr)
{
    const surety_status status = lines_take(lines, text, reterr);
    surety_str rest = {text->ptr, text->len};

    if (status != SURETY_OK)
        return status;
    text->line = lines->line + 1;
    text->bytes = lines->bytes - lines->rest_len;
    for (; rest.len > 0; lines->line++)
        (void)cli_line(&rest);
    return SURETY_OK;
}
