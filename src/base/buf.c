/* SPDX-License-Identifier: Apache-2.0 */
/* The growing buffer, to which all output is written. It keeps the first
 * failure, so callers append freely and check once. */
#include "base/base.h"

#include <stdio.h>

void surety_buf_init(surety_buf *buf, const surety_alloc *alloc, size_t max)
{
    *buf = (surety_buf){.alloc = alloc, .max = max ? max : SIZE_MAX / 2};
}

void surety_buf_done(surety_buf *buf)
{
    surety__free(buf->alloc, buf->ptr, buf->cap);
    buf->ptr = NULL;
    buf->len = 0;
    buf->cap = 0;
}

void surety_buf_reset(surety_buf *buf)
{
    buf->len = 0;
    buf->status = SURETY_OK;
}

char *surety__buf_room(surety_buf *buf, size_t n)
{
    if (buf->status)
        return NULL;
    if (n > buf->max || buf->len > buf->max - n) {
        buf->status = SURETY_LIMIT;
        return NULL;
    }
    if (n <= buf->cap - buf->len && buf->ptr)
        return buf->ptr + buf->len;
    buf->status = surety__grow(buf->alloc, &buf->ptr, &buf->cap, buf->len + n,
                               1, buf->max);
    return buf->status || !buf->ptr ? NULL : buf->ptr + buf->len;
}

void surety__buf_end(surety_buf *text, surety_status *status)
{
    if (text->status)
        *status = text->status;
    surety_buf_done(text);
}

void surety__buf_cut(surety_buf *buf, size_t start, size_t max)
{
    assert(start <= buf->len);
    if (buf->status || buf->len - start <= max)
        return;
    buf->len =
        start +
        surety__utf8_cut((surety_str){buf->ptr + start, buf->len - start}, max);
    surety_buf_text(buf, "...");
}

void surety_buf_append(surety_buf *buf, const char *ptr, size_t len)
{
    char *room = len ? surety__buf_room(buf, len) : NULL;

    if (!room)
        return;
    memcpy(room, ptr, len);
    buf->len += len;
}

void surety_buf_add(surety_buf *buf, surety_str str)
{
    surety_buf_append(buf, str.ptr, str.len);
}

#undef surety_buf_text
void surety_buf_text(surety_buf *buf, const char *zero_terminated)
{
    surety_buf_add(buf, surety__str_of(zero_terminated));
}

void surety_buf_byte(surety_buf *buf, char byte)
{
    char *room = surety__buf_room(buf, 1);

    if (!room)
        return;
    *room = byte;
    buf->len++;
}

void surety_buf_number(surety_buf *buf, uint64_t number)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    surety_buf_append(buf, digits + at, sizeof(digits) - at);
}

surety_str surety_buf_str(const surety_buf *buf)
{
    return (surety_str){buf->ptr, buf->len};
}

void surety__buf_printf(surety_buf *buf, const char *format, ...)
{
    va_list args, again;
    char small[256];
    char *room;
    int len;

    va_start(args, format);
    va_copy(again, args);
    len = vsnprintf(small, sizeof(small), format, args);
    assert(len >= 0);
    if ((size_t)len < sizeof(small)) {
        surety_buf_append(buf, small, (size_t)len);
    } else if ((room = surety__buf_room(buf, (size_t)len + 1))) {
        (void)vsnprintf(room, (size_t)len + 1, format, again);
        buf->len += (size_t)len;
    }
    va_end(again);
    va_end(args);
}
