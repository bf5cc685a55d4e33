/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as a request's head and as a chunked body: how they are cut
 * changes nothing, and a head that is taken has exactly the lines that a reader
 * sees who knows only CRLF. The first byte says where to cut. */
#include "serve/head.h"

#include "fuzz.h"

static void read_head(surety_str text, size_t cut)
{
    size_t at = 0, in_two = 0, len = 0, other = 0;
    surety__serve_fault fault = {0, ""}, second = {0, ""};
    const surety_status whole = surety__serve_find(text, &at, &len, &fault);
    surety_status status = surety__serve_find((surety_str){text.ptr, cut},
                                              &in_two, &other, &second);
    surety__arena arena;
    surety__serve_head head;

    if (status == SURETY_MORE)
        status = surety__serve_find(text, &in_two, &other, &second);
    must(status == whole && fault.status == second.status && len == other);
    if (whole)
        return;
    must(len >= 4 && !memcmp(text.ptr + len - 4, "\r\n\r\n", 4));
    surety__arena_init(&arena, NULL, 0);
    if (!surety__serve_read((surety_str){text.ptr, len}, &arena, &head,
                            &fault)) {
        size_t lines = 0;

        for (size_t i = 0; i < len; i++) {
            const bool is_end = text.ptr[i] == '\n';
            must(text.ptr[i] != '\0');
            must(!is_end || text.ptr[i - 1] == '\r');
            lines += is_end;
        }
        /* The first line, the fields, and the empty line. */
        must(head.field_count + 2 == lines);
        must(!head.is_chunked || !head.body_len);
    } else {
        must(fault.status >= 400 && fault.message[0]);
    }
    surety__arena_done(&arena);
}

static surety_status read_chunks(surety_str text, size_t cut, surety_buf *out,
                                 size_t *ret_at)
{
    surety__chunks chunks = {.state = 0};
    surety_status status = SURETY_MORE;
    surety__serve_fault fault = {0, ""};
    size_t at = 0;

    while (status == SURETY_MORE && at < text.len) {
        const size_t end = !cut ? at + 1 : at < cut ? cut : text.len;
        size_t used = 0;

        status = surety__serve_chunks(
            &chunks, (surety_str){text.ptr + at, end - at}, &used, out, &fault);
        if (status == SURETY_SYNTAX)
            return status;
        at += used;
    }
    *ret_at = at;
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    surety_buf want, got;
    surety_str text;
    surety_status status;
    size_t at = 0, other = 0, cut;

    if (size < 2)
        return 0;
    text = (surety_str){(const char *)data + 1, size - 1};
    cut = 1 + data[0] % text.len;
    read_head(text, cut);
    surety_buf_init(&want, NULL, 0);
    surety_buf_init(&got, NULL, 0);
    status = read_chunks(text, text.len, &want, &at);
    must(want.len <= text.len);
    for (size_t i = 0; i < 2; i++) {
        surety_buf_reset(&got);
        must(read_chunks(text, i ? 0 : cut, &got, &other) == status);
        must(status == SURETY_SYNTAX ||
             (at == other &&
              surety_str_equal(surety_buf_str(&want), surety_buf_str(&got))));
    }
    surety_buf_done(&want);
    surety_buf_done(&got);
    return 0;
}
