/* SPDX-License-Identifier: Apache-2.0 */
/* How long each chunk of a stream takes: a text comes in chunks of CHUNK bytes,
 * and after each the value so far is at hand.
 *
 *     bench-chunks CONTRACT TEXT
 *
 * "reader" is the tolerant reader alone, "stream" the whole stream, with the
 * search for the value, the prefix check against the contract and the watch for
 * runaways. Each prints the nanoseconds of all chunks together, and the median,
 * the 99th percentile and the most of one: JSON. Every round begins with new
 * objects, so that buffers grow in each; a chunk's time is its least of the
 * rounds, for what else the machine does hits another chunk each time. Reading
 * the clock is a part of it. */
#include <surety.h>
#include <surety/stream.h>

#include "common.h"

enum { CHUNK = 4, ROUNDS = 5 };

static void fail(const char *what)
{
    fprintf(stderr, "bench-chunks: %s\n", what);
    exit(1);
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Notes what the chunk has taken, if that is less than before. */
static void note(float *least, size_t chunk, double ns)
{
    if ((float)ns < least[chunk])
        least[chunk] = (float)ns;
}

static surety_str piece(surety_str text, size_t at)
{
    return (surety_str){text.ptr + at,
                        text.len - at < CHUNK ? text.len - at : CHUNK};
}

static void round_of_reader(surety_str text, float *least)
{
    surety_lenient *reader = surety_lenient_new(NULL);
    surety_doc *doc = surety_doc_new(NULL);
    surety_val value;

    if (!reader || !doc || surety_lenient_begin(reader, doc, NULL, NULL))
        fail("no reader");
    for (size_t at = 0; at < text.len; at += CHUNK) {
        const double start = now_ns();

        if (surety_lenient_feed(reader, piece(text, at), NULL) < 0 ||
            surety_lenient_snapshot(reader, &value, NULL) < 0)
            fail("the text is refused");
        note(least, at / CHUNK, now_ns() - start);
    }
    surety_lenient_free(reader);
    surety_doc_free(doc);
}

static void round_of_stream(const surety_contract *contract, surety_str text,
                            float *least)
{
    surety_stream *stream = surety_stream_new(NULL, NULL);
    surety_val value = surety_val_none();

    if (!stream || surety_stream_begin(stream, contract, NULL, false, NULL))
        fail("no stream");
    for (size_t at = 0; at < text.len; at += CHUNK) {
        const double start = now_ns();

        if (surety_stream_feed(stream, piece(text, at), NULL))
            fail("the stream fails");
        value = surety_stream_info_of(stream)->value;
        note(least, at / CHUNK, now_ns() - start);
    }
    if (!value.doc ||
        surety_stream_info_of(stream)->state != SURETY_STREAM_OPEN)
        fail("the text does not satisfy the contract");
    surety_stream_free(stream);
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a;
    const float y = *(const float *)b;

    return (x > y) - (x < y);
}

static void say(const char *name, float *least, size_t count)
{
    double all = 0;

    qsort(least, count, sizeof *least, compare);
    for (size_t i = 0; i < count; i++)
        all += least[i];
    printf("\"%s\": [%.0f, %.0f, %.0f, %.0f]", name, all, least[count / 2],
           least[count - 1 - count / 100], least[count - 1]);
    for (size_t i = 0; i < count; i++)
        least[i] = 1e30f;
}

int main(int argc, char **argv)
{
    surety_contract *contract = NULL;
    surety_str source, text;
    size_t count;
    float *least;

    if (argc != 3) {
        fprintf(stderr, "usage: bench-chunks CONTRACT TEXT\n");
        return 2;
    }
    source = file_read(argv[1]);
    text = file_read(argv[2]);
    if (!source.ptr || !text.ptr)
        fail("a file cannot be read");
    count = (text.len + CHUNK - 1) / CHUNK;
    least = malloc((count + 1) * sizeof *least);
    if (!count || !least || surety_contract_read(source, NULL, &contract, NULL))
        fail(argv[1]);
    for (size_t i = 0; i < count; i++)
        least[i] = 1e30f;
    printf("{\"chunks\": %zu, ", count);
    for (int i = 0; i < ROUNDS; i++)
        round_of_reader(text, least);
    say("reader", least, count);
    printf(", ");
    for (int i = 0; i < ROUNDS; i++)
        round_of_stream(contract, text, least);
    say("stream", least, count);
    printf("}\n");
    surety_contract_free(contract);
    free((void *)(size_t)source.ptr);
    free((void *)(size_t)text.ptr);
    free(least);
    return 0;
}
