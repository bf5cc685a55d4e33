/* SPDX-License-Identifier: Apache-2.0 */
/* sse.c: reads events from bytes, by the HTML standard, section 9.2.6
 * ("Interpreting an event stream").
 *
 * A line is taken directly from the bytes if they contain all of it, otherwise
 * it is collected in `line`. So every byte is read once, and the events do not
 * depend on how the stream was divided into chunks. CR, LF and CRLF end a
 * line: a LF after a CR is skipped, also at the beginning of the next chunk.
 * An empty line completes an event. An event that the end of the stream leaves
 * incomplete is dropped, as the standard requires; surety__sse_unfinished
 * reports it.
 *
 * id and retry are ignored: no provider resumes a stream. */
#include "provider/sse.h"

void surety__sse_init(surety__sse *sse, const surety_alloc *alloc)
{
    *sse = (surety__sse){0};
    surety_buf_init(&sse->line, alloc, SURETY__SSE_EVENT_MAX);
    surety_buf_init(&sse->name, alloc, SURETY__SSE_EVENT_MAX);
    surety_buf_init(&sse->data, alloc, SURETY__SSE_EVENT_MAX);
}

void surety__sse_done(surety__sse *sse)
{
    surety_buf_done(&sse->line);
    surety_buf_done(&sse->name);
    surety_buf_done(&sse->data);
}

static void sse_event_reset(surety__sse *sse)
{
    surety_buf_reset(&sse->name);
    surety_buf_reset(&sse->data);
    sse->event_len = 0;
    sse->has_data = false;
}

void surety__sse_reset(surety__sse *sse)
{
    surety_buf_reset(&sse->line);
    sse_event_reset(sse);
    sse->bom_len = 0;
    sse->after_cr = false;
}

bool surety__sse_unfinished(const surety__sse *sse)
{
    return sse->line.len > 0 || sse->has_data || sse->name.len > 0;
}

static bool sse_dispatch(surety__sse *sse, surety__sse_hear *hear, void *ctx)
{
    bool goes_on = true;

    if (sse->has_data)
        goes_on = hear(ctx,
                       sse->name.len ? surety_buf_str(&sse->name)
                                     : SURETY__LITERAL("message"),
                       surety_buf_str(&sse->data));
    sse_event_reset(sse);
    return goes_on;
}

/* Reads a complete line that is not empty. */
static void sse_field(surety__sse *sse, surety_str line)
{
    const char *colon = memchr(line.ptr, ':', line.len);
    surety_str name = line;
    surety_str value = {NULL, 0};

    assert(line.len > 0);
    if (colon) {
        name.len = (size_t)(colon - line.ptr);
        value.ptr = colon + 1;
        value.len = line.len - name.len - 1;
        if (value.len && value.ptr[0] == ' ') {
            surety__str_skip(&value, 1);
        }
    }
    if (surety_str_equal(name, SURETY__LITERAL("data"))) {
        if (sse->has_data)
            surety_buf_byte(&sse->data, '\n');
        surety_buf_add(&sse->data, value);
        sse->has_data = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("event"))) {
        surety_buf_reset(&sse->name);
        surety_buf_add(&sse->name, value);
    }
}

static surety_status sse_status(const surety__sse *sse)
{
    if (sse->line.status)
        return sse->line.status;
    if (sse->name.status)
        return sse->name.status;
    if (sse->data.status)
        return sse->data.status;
    return sse->event_len > SURETY__SSE_EVENT_MAX ? SURETY_LIMIT : SURETY_OK;
}

/* Handles the end of a line; `rest` is its last bytes. */
static surety_status sse_line(surety__sse *sse, surety_str rest,
                              surety__sse_hear *hear, void *ctx)
{
    surety_status status;

    sse->event_len += rest.len + 1;
    if (sse->line.len) {
        surety_buf_add(&sse->line, rest);
        rest = surety_buf_str(&sse->line);
    }
    if (sse->line.status == SURETY_OK && rest.len)
        sse_field(sse, rest);
    status = sse_status(sse);
    if (status == SURETY_OK && !rest.len && !sse_dispatch(sse, hear, ctx))
        status = SURETY_END;
    surety_buf_reset(&sse->line);
    return status;
}

/* Skips a byte order mark at the start of the stream; it may arrive byte by
 * byte. Bytes that only begin like one are the start of the first line. */
static surety_str sse_skip_bom(surety__sse *sse, surety_str bytes)
{
    static const char bom[] = "\xEF\xBB\xBF";

    assert(sse->bom_len <= 3);
    while (sse->bom_len < 3 && bytes.len) {
        if (bytes.ptr[0] != bom[sse->bom_len]) {
            surety_buf_append(&sse->line, bom, sse->bom_len);
            sse->bom_len = 3;
            break;
        }
        sse->bom_len++;
        surety__str_skip(&bytes, 1);
    }
    return bytes;
}

/* The next place of byte, which is sought again only behind the last one. */
static size_t sse_next(surety_str bytes, char byte, size_t start, size_t last)
{
    const char *found;

    if (start && last >= start)
        return last;
    found = memchr(bytes.ptr + start, byte, bytes.len - start);
    return found ? (size_t)(found - bytes.ptr) : bytes.len;
}

surety_status surety__sse_feed(surety__sse *sse, surety_str bytes,
                               surety__sse_hear *hear, void *ctx)
{
    surety_status status;
    size_t start = 0;
    size_t lf = 0;
    size_t cr = 0;

    bytes = sse_skip_bom(sse, bytes);
    if (!bytes.len)
        return SURETY_OK;
    while (start < bytes.len) {
        const bool after_cr = sse->after_cr;
        size_t end;

        sse->after_cr = false;
        if (after_cr && bytes.ptr[start] == '\n') {
            start++;
            continue;
        }
        lf = sse_next(bytes, '\n', start, lf);
        cr = sse_next(bytes, '\r', start, cr);
        end = lf < cr ? lf : cr;
        if (end == bytes.len)
            break;
        sse->after_cr = end == cr;
        status = sse_line(sse, (surety_str){bytes.ptr + start, end - start},
                          hear, ctx);
        if (status)
            return status;
        start = end + 1;
    }
    assert(start <= bytes.len);
    surety_buf_append(&sse->line, bytes.ptr + start, bytes.len - start);
    sse->event_len += bytes.len - start;
    return sse_status(sse);
}

surety_status surety__sse_looks(surety_str start)
{
    static const char *const fields[] = {"data", "event", "id", "retry"};

    if (!start.len)
        return SURETY_MORE;
    if (start.ptr[0] == ':')
        return SURETY_OK;
    for (size_t i = 0; i < SURETY__COUNT(fields); i++) {
        const surety_str field = surety_str_of(fields[i]);
        const size_t len = start.len < field.len ? start.len : field.len;

        if (memcmp(start.ptr, field.ptr, len))
            continue;
        if (start.len <= field.len)
            return SURETY_MORE;
        return start.ptr[field.len] == ':' ? SURETY_OK : SURETY_END;
    }
    return SURETY_END;
}
