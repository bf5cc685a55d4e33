/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of events: the same list however the bytes are cut. */
#include "provider/sse.h"

#include "check.h"

struct heard {
    surety_buf out;
    size_t stop_after; /* 0: never */
    size_t count;
};

static bool hear(void *ctx, surety_str name, surety_str data)
{
    struct heard *heard = ctx;

    surety_buf_add(&heard->out, name);
    surety_buf_byte(&heard->out, '|');
    surety_buf_add(&heard->out, data);
    surety_buf_byte(&heard->out, '\n');
    heard->count++;
    return !heard->stop_after || heard->count < heard->stop_after;
}

static const struct {
    const char *stream;
    const char *events;
    bool unfinished;
} cases[] = {
    {"", "", false},
    {"data: a\n\n", "message|a\n", false},
    {"data:a\n\n", "message|a\n", false},
    {"data:  a\n\n", "message| a\n", false},
    {"data\n\n", "message|\n", false},
    {"data:\n\n", "message|\n", false},
    {"data: a\ndata: b\n\n", "message|a\nb\n", false},
    {"data\ndata\n\n", "message|\n\n", false},
    {"data: a\r\rdata: b\r\n\r\ndata: c\n\n",
     "message|a\nmessage|b\nmessage|c\n", false},
    {"data: a\n\r\n", "message|a\n", false},
    {"data: a\r\n\n", "message|a\n", false},
    {"data: a\n\n\n\n", "message|a\n", false},
    {"event: x\ndata: a\n\n", "x|a\n", false},
    {"event: x\nevent: y\ndata: a\n\n", "y|a\n", false},
    {"event: x\n\ndata: a\n\n", "message|a\n", false},
    {"event: x\ndata: a\n\ndata: b\n\n", "x|a\nmessage|b\n", false},
    {"event\ndata: a\n\n", "message|a\n", false},
    {": note\n\n:\ndata: a\n: x\n\n", "message|a\n", false},
    {"id: 1\nretry: 5\nnovel: z\ndata: a\n\n", "message|a\n", false},
    {"dat: a\ndataa: b\n data: c\nData: d\n\n", "", false},
    {"data: a:b: c\n\n", "message|a:b: c\n", false},
    {"data: [DONE]", "", true},
    {"data: [DONE]\n", "", true},
    {"event: x\n", "", true},
    {"data: a\n\n: x", "message|a\n", true},
    {"\xEF\xBB\xBF"
     "data: a\n\n",
     "message|a\n", false},
    {"\xEF\xBB\xBF\xEF\xBB\xBF"
     "data: a\n\n",
     "", false},
    {"\xEF\xBB"
     "data: a\n\n",
     "", false},
    {"\n\xEF\xBB\xBF"
     "data: a\n\n",
     "", false},
    {"data: h\xC3\xB6\xF0\x9F\x94\xA9\n\n",
     "message|h\xC3\xB6\xF0\x9F\x94\xA9\n", false},
};

/* Feeds text cut at split, or after each byte where that is 0. */
static surety_status feed(surety__sse *sse, surety_str text, size_t split,
                          struct heard *heard)
{
    surety_status status = SURETY_OK;

    surety__sse_reset(sse);
    surety_buf_reset(&heard->out);
    heard->count = 0;
    for (size_t at = 0; at < text.len && status == SURETY_OK;) {
        const size_t end = !split ? at + 1 : at < split ? split : text.len;

        status = surety__sse_feed(sse, (surety_str){text.ptr + at, end - at},
                                  hear, heard);
        at = end;
    }
    return heard->out.status ? heard->out.status : status;
}

TEST(gives_the_same_events_however_they_are_cut)
{
    struct heard heard = {.count = 0};
    surety__sse sse;

    surety__sse_init(&sse, check_alloc(t));
    surety_buf_init(&heard.out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety_str text = surety_str_of(cases[i].stream);

        for (size_t split = 0; split <= text.len; split++) {
            TRY(feed(&sse, text, split, &heard));
            CHECK_TEXT(surety_buf_str(&heard.out), cases[i].events);
            CHECK(surety__sse_unfinished(&sse) == cases[i].unfinished);
        }
    }
done:
    surety__sse_done(&sse);
    surety_buf_done(&heard.out);
}

TEST(keeps_a_nul)
{
    struct heard heard = {.count = 0};
    surety__sse sse;

    surety__sse_init(&sse, check_alloc(t));
    surety_buf_init(&heard.out, check_alloc(t), 0);
    TRY(feed(&sse, SURETY__LITERAL("data: a\0b\n\n"), 0, &heard));
    CHECK(surety_str_equal(surety_buf_str(&heard.out),
                           SURETY__LITERAL("message|a\0b\n")));
done:
    surety__sse_done(&sse);
    surety_buf_done(&heard.out);
}

TEST(stops_when_told)
{
    struct heard heard = {.stop_after = 1};
    surety__sse sse;

    surety__sse_init(&sse, check_alloc(t));
    surety_buf_init(&heard.out, check_alloc(t), 0);
    EXPECT(SURETY_END,
           feed(&sse, SURETY__LITERAL("data: a\n\ndata: b\n\n"), 9, &heard));
    CHECK_TEXT(surety_buf_str(&heard.out), "message|a\n");
done:
    surety__sse_done(&sse);
    surety_buf_done(&heard.out);
}

/* One event whose lines have `size` bytes, line ends counted; in lines of
 * `line` bytes. */
static surety_status feed_large(surety__sse *sse, size_t size, size_t line,
                                struct heard *heard)
{
    static const char filler[] = "data:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    surety_status status = SURETY_OK;

    surety__sse_reset(sse);
    surety_buf_reset(&heard->out);
    heard->count = 0;
    while (size && status == SURETY_OK) {
        size_t left = size < line ? size : line;

        size -= left;
        for (bool first = true; left > 1 && status == SURETY_OK;) {
            const size_t skip = first ? 0 : 5;
            const size_t most = sizeof(filler) - 1 - skip;
            const size_t part = left - 1 < most ? left - 1 : most;

            status = surety__sse_feed(sse, (surety_str){filler + skip, part},
                                      hear, heard);
            left -= part;
            first = false;
        }
        if (status == SURETY_OK)
            status = surety__sse_feed(sse, SURETY__LITERAL("\n"), hear, heard);
    }
    if (status == SURETY_OK)
        status = surety__sse_feed(sse, SURETY__LITERAL("\n"), hear, heard);
    return heard->out.status ? heard->out.status : status;
}

TEST(bounds_an_event)
{
    struct heard heard = {.count = 0};
    const size_t max = SURETY__SSE_EVENT_MAX;
    surety__sse sse;

    surety__sse_init(&sse, check_alloc(t));
    surety_buf_init(&heard.out, check_alloc(t), 0);
    /* The empty line that ends an event is counted with it. */
    TRY(feed_large(&sse, max - 2, max, &heard));
    CHECK(heard.count == 1);
    TRY(feed_large(&sse, max - 1, max, &heard));
    CHECK(heard.count == 1);
    EXPECT(SURETY_LIMIT, feed_large(&sse, max, max, &heard));
    CHECK(heard.count == 0);
    TRY(feed_large(&sse, max - 1, 4096, &heard));
    CHECK(heard.count == 1);
    EXPECT(SURETY_LIMIT, feed_large(&sse, max, 4096, &heard));
    EXPECT(SURETY_LIMIT, feed_large(&sse, 2 * max, 4096, &heard));
    /* A limit reached is forgotten with the stream. */
    TRY(feed(&sse, SURETY__LITERAL("data: a\n\n"), 0, &heard));
    CHECK(heard.count == 1);
done:
    surety__sse_done(&sse);
    surety_buf_done(&heard.out);
}

TEST(tells_a_stream_by_its_start)
{
    static const struct {
        const char *start;
        surety_status looks;
    } rows[] = {
        {"", SURETY_MORE},     {":", SURETY_OK},         {"d", SURETY_MORE},
        {"data", SURETY_MORE}, {"data:", SURETY_OK},     {"data ", SURETY_END},
        {"event:", SURETY_OK}, {"even", SURETY_MORE},    {"error", SURETY_END},
        {"id:", SURETY_OK},    {"idle", SURETY_END},     {"retry:", SURETY_OK},
        {"{", SURETY_END},     {"upstream", SURETY_END},
    };

    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        CHECK(surety__sse_looks(surety_str_of(rows[i].start)) == rows[i].looks);
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"gives the same events however they are cut",
         gives_the_same_events_however_they_are_cut},
        {"keeps a NUL", keeps_a_nul},
        {"stops when told", stops_when_told},
        {"bounds an event", bounds_an_event},
        {"tells a stream by its start", tells_a_stream_by_its_start},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
