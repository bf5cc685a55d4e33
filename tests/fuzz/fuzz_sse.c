/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as a stream of events: the events are the same fed at once,
 * cut in two and a byte at a time; none has a line end in its name; no more
 * bytes come out than went in. The first byte says where to cut. */
#include "provider/sse.h"

#include "fuzz.h"

struct heard {
    surety_buf out;
    size_t bytes;
};

static bool hear(void *ctx, surety_str name, surety_str data)
{
    struct heard *heard = ctx;

    must(name.len && !memchr(name.ptr, '\n', name.len) &&
         !memchr(name.ptr, '\r', name.len));
    must(!data.len || !memchr(data.ptr, '\r', data.len));
    heard->bytes += data.len;
    surety_buf_add(&heard->out, name);
    surety_buf_byte(&heard->out, 0);
    surety_buf_add(&heard->out, data);
    surety_buf_byte(&heard->out, 1);
    return true;
}

static void read_cut(surety__sse *sse, surety_str text, size_t cut,
                     struct heard *heard)
{
    surety__sse_reset(sse);
    surety_buf_reset(&heard->out);
    heard->bytes = 0;
    for (size_t at = 0; at < text.len;) {
        const size_t end = !cut ? at + 1 : at < cut ? cut : text.len;

        must(surety__sse_feed(sse, (surety_str){text.ptr + at, end - at}, hear,
                              heard) == SURETY_OK);
        at = end;
    }
    must(heard->bytes <= text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct heard want, got;
    surety__sse sse;
    surety_str text;
    bool unfinished;

    if (size < 2)
        return 0;
    text = (surety_str){(const char *)data + 1, size - 1};
    surety__sse_init(&sse, NULL);
    surety_buf_init(&want.out, NULL, 0);
    surety_buf_init(&got.out, NULL, 0);
    read_cut(&sse, text, text.len, &want);
    unfinished = surety__sse_unfinished(&sse);
    read_cut(&sse, text, 1 + data[0] % text.len, &got);
    must(surety_str_equal(surety_buf_str(&want.out), surety_buf_str(&got.out)));
    must(unfinished == surety__sse_unfinished(&sse));
    read_cut(&sse, text, 0, &got);
    must(surety_str_equal(surety_buf_str(&want.out), surety_buf_str(&got.out)));
    must(unfinished == surety__sse_unfinished(&sse));
    (void)surety__sse_looks(text);
    surety__sse_done(&sse);
    surety_buf_done(&want.out);
    surety_buf_done(&got.out);
    return 0;
}
