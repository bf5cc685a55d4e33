/* SPDX-License-Identifier: Apache-2.0 */
/* Makes JSON safe to show: reports go to terminals and logs, and contain text
 * of a model. Outside strings JSON is ASCII. So any character above 0x7E that a
 * terminal acts on can become an escape, and the value stays the same. */
#include "json/json.h"

/* Returns the next byte that is 0x7F or above, or end. */
static const char *shown_next(const char *ptr, const char *end)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    const uint64_t ones = UINT64_C(0x0101010101010101);

    for (; end - ptr >= 8; ptr += 8) {
        uint64_t word, del;

        memcpy(&word, ptr, 8);
        del = word ^ (ones * 0x7F);
        if ((word & high) || ((del - ones) & ~del & high))
            break;
    }
    while (ptr < end && (unsigned char)*ptr < 0x7F)
        ptr++;
    return ptr;
}

/* Returns the first character from ptr on that must be escaped, or end. */
static const char *shown_find(const char *ptr, const char *end,
                              uint32_t *ret_code, unsigned *ret_len)
{
    for (ptr = shown_next(ptr, end); ptr < end; ptr = shown_next(ptr, end)) {
        *ret_code = surety__utf8_decode(ptr, end, ret_len);
        if (*ret_code != UINT32_MAX && surety__utf8_is_acted_on(*ret_code))
            return ptr;
        ptr += *ret_len;
    }
    return end;
}

void surety_json_shown(surety_buf *out, size_t start)
{
    const char *ptr = out->len > start ? out->ptr + start : "";
    const char *end = ptr + (out->len > start ? out->len - start : 0);
    const char *found;
    surety_buf copy;
    uint32_t code = 0;
    unsigned len = 0;

    found = shown_find(ptr, end, &code, &len);
    if (out->status || found == end)
        return;
    start += (size_t)(found - ptr);
    surety_buf_init(&copy, out->alloc, 0);
    surety_buf_append(&copy, found, (size_t)(end - found));
    if (copy.status) {
        out->status = copy.status;
        surety_buf_done(&copy);
        return;
    }
    out->len = start;
    ptr = copy.ptr;
    end = ptr + copy.len;
    while ((found = shown_find(ptr, end, &code, &len)) < end) {
        surety_buf_append(out, ptr, (size_t)(found - ptr));
        if (code > 0xFFFF)
            surety__buf_printf(out, "\\u%04x\\u%04x", 0xD7C0 + (code >> 10),
                               0xDC00 + (code & 0x3FF));
        else
            surety__buf_printf(out, "\\u%04x", code);
        ptr = found + len;
    }
    surety_buf_append(out, ptr, (size_t)(end - ptr));
    surety_buf_done(&copy);
}
