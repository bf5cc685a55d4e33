/* SPDX-License-Identifier: Apache-2.0 */
/* Spans on their way to a collector, over a transport of this file: what is
 * sent, when, how often, and what is dropped. The law: each request's spans are
 * sent, dropped or waiting, and what was sent came once. */
#include "observe/observe.h"

#include "check.h"

/* The collector. */
typedef struct collector {
    surety_transport transport;
    surety_receiver receiver;
    surety_buf bodies; /* that it took */
    uint64_t id;
    size_t starts;
    bool is_busy;
    surety_str body; /* under way */
} collector;

static surety_status take_start(void *ctx, uint64_t id,
                                const surety_request *request,
                                const surety_receiver *receiver,
                                surety_error *reterr)
{
    collector *to = ctx;

    (void)reterr;
    to->receiver = *receiver;
    to->id = id;
    to->is_busy = true;
    to->starts++;
    to->body = request->body;
    return surety_str_equal(request->url,
                            surety_str_of("http://c:4318/v1/traces")) &&
                   request->header_count == 2 &&
                   surety_str_equal(request->headers[1].value,
                                    surety_str_of("a b"))
               ? SURETY_OK
               : SURETY_MISUSE;
}

static void end_it(collector *to, int status, surety_failure failure)
{
    const surety_delivery delivery = {.failure = failure};

    to->is_busy = false;
    if (status)
        to->receiver.head(to->receiver.ctx, status, NULL, 0);
    if (status == 200)
        surety_buf_add(&to->bodies, to->body);
    to->receiver.end(to->receiver.ctx, &delivery);
}

static void take_cancel(void *ctx, uint64_t id)
{
    collector *to = ctx;

    if (to->is_busy && id == to->id)
        end_it(to, 0, SURETY_FAILURE_CANCELLED);
}

static void collector_init(struct check *t, collector *out)
{
    *out = (collector){.transport = {.version = 1,
                                     .ctx = out,
                                     .start = take_start,
                                     .cancel = take_cancel}};
    surety_buf_init(&out->bodies, check_alloc(t), 0);
}

static surety_status open_it(struct check *t, collector *to, const char *url,
                             const char *headers,
                             surety__exporter **ret_exporter,
                             surety_error *reterr)
{
    const surety__exporter_options options = {.endpoint = surety_str_of(url),
                                              .headers = surety_str_of(headers),
                                              .service = surety_str_of("s"),
                                              .version = surety_str_of("1"),
                                              .transport = &to->transport,
                                              .alloc = check_alloc(t)};

    return surety__exporter_new(&options, ret_exporter, reterr);
}

/* Adds a request whose run is `name`. */
static void add(surety__exporter *exporter, const char *name, bool is_sampled)
{
    const unsigned char random[SURETY__TRACE_RANDOM] = {1};
    surety__request_record record = {.route = "/v1/messages",
                                     .method = SURETY__LITERAL("POST"),
                                     .operation = "chat",
                                     .protocol = "anthropic",
                                     .status = 200,
                                     .is_whole = true,
                                     .run = surety_str_of(name)};
    surety__trace trace;

    surety__trace_begin(surety_str_of(""), random, &trace);
    trace.is_sampled = is_sampled;
    record.trace = &trace;
    surety__exporter_add(exporter, &record);
}

static size_t times(const surety_buf *text, const char *word)
{
    surety_str rest = surety_buf_str(text);
    const surety_str needle = surety_str_of(word);
    size_t count = 0;

    while (rest.len) {
        const size_t found = surety__str_find(rest, needle);

        count += found < rest.len;
        surety__str_skip(&rest,
                         found < rest.len ? found + needle.len : rest.len);
    }
    return count;
}

TEST(sends_what_has_waited)
{
    surety__exporter *exporter = NULL;
    collector to;

    collector_init(t, &to);
    TRY(open_it(t, &to, "http://c:4318/", "x-key=a%20b", &exporter, NULL));
    CHECK(surety__exporter_step(exporter, 5, false) == UINT64_MAX);
    add(exporter, "run-1", true);
    add(exporter, "run-2", false);
    CHECK(surety__exporter_step(exporter, 10, false) == 1010 ||
          surety__exporter_counts(exporter).dropped);
    CHECK(surety__exporter_step(exporter, 1009, false) == 1010 ||
          surety__exporter_counts(exporter).dropped);
    CHECK(!to.starts);
    (void)surety__exporter_step(exporter, 1010, false);
    if (surety__exporter_counts(exporter).dropped)
        goto done;
    CHECK(to.starts == 1 && to.is_busy);
    /* Others collect meanwhile. */
    add(exporter, "run-3", true);
    CHECK(surety__exporter_step(exporter, 9000, true) == UINT64_MAX);
    CHECK(to.starts == 1);
    end_it(&to, 200, SURETY_FAILURE_NONE);
    (void)surety__exporter_step(exporter, 9000, true);
    if (surety__exporter_counts(exporter).dropped || to.bodies.status)
        goto done;
    CHECK(to.starts == 2);
    end_it(&to, 200, SURETY_FAILURE_NONE);
    CHECK(surety__exporter_step(exporter, 9000, false) == UINT64_MAX);
    CHECK(to.bodies.status ||
          (times(&to.bodies, "run-1") == 1 && times(&to.bodies, "run-2") == 0 &&
           times(&to.bodies, "run-3") == 1));
    CHECK(surety__exporter_counts(exporter).sent == 2);
done:
    surety__exporter_free(exporter);
    surety_buf_done(&to.bodies);
}

TEST(sends_again_what_may_be_taken_later)
{
    static const struct {
        int status;
        surety_failure failure;
        bool again;
    } rows[] = {
        {429, SURETY_FAILURE_NONE, true},  {502, SURETY_FAILURE_NONE, true},
        {503, SURETY_FAILURE_NONE, true},  {504, SURETY_FAILURE_NONE, true},
        {0, SURETY_FAILURE_CONNECT, true}, {400, SURETY_FAILURE_NONE, false},
        {500, SURETY_FAILURE_NONE, false}, {301, SURETY_FAILURE_NONE, false}};
    surety__exporter *exporter = NULL;
    collector to;

    collector_init(t, &to);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        uint64_t now_ms = 0, pause_ms = 1000;

        to.starts = 0;
        TRY(open_it(t, &to, "http://c:4318", "x-key=a b", &exporter, NULL));
        add(exporter, "run-1", true);
        (void)surety__exporter_step(exporter, now_ms, true);
        while (to.is_busy) {
            uint64_t due;

            end_it(&to, rows[i].status, rows[i].failure);
            due = surety__exporter_step(exporter, now_ms, false);
            if (due == UINT64_MAX)
                break;
            CHECK(due == now_ms + pause_ms && !to.is_busy);
            now_ms = due;
            pause_ms *= 2;
            (void)surety__exporter_step(exporter, now_ms, false);
        }
        CHECK(surety__exporter_counts(exporter).dropped == 1 &&
              !surety__exporter_counts(exporter).waiting);
        CHECK(t->starved || to.starts == (rows[i].again ? 5 : 1));
        surety__exporter_free(exporter);
        exporter = NULL;
    }
done:
    surety__exporter_free(exporter);
    surety_buf_done(&to.bodies);
}

TEST(refuses_wrong_settings)
{
    static const char *const rows[][2] = {{"", ""},
                                          {"collector:4318", ""},
                                          {"ftp://c", ""},
                                          {"http://c", "x"},
                                          {"http://c", "a b=secret"},
                                          {"http://c", "=secret"},
                                          {"http://c", "a=secret%0a"}};
    surety__exporter *exporter = NULL;
    surety_error error;
    collector to;

    collector_init(t, &to);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        /* A name without a value is a header with an empty one. */
        EXPECT(i == 3 ? SURETY_OK : SURETY_MISUSE,
               open_it(t, &to, rows[i][0], rows[i][1], &exporter, &error));
        CHECK(i == 3 || !strstr(error.message, "secret"));
        surety__exporter_free(exporter);
        exporter = NULL;
    }
done:
    surety__exporter_free(exporter);
    surety_buf_done(&to.bodies);
}

/* Random requests, times and ends; then everything ends well. */
TEST(loses_nothing_without_counting_it)
{
    surety__exporter *exporter = NULL;
    uint64_t state = 7, now_ms = 0, added = 0;
    surety__export_counts counts;
    collector to;

    collector_init(t, &to);
    TRY(open_it(t, &to, "http://c:4318", "x-key=a b", &exporter, NULL));
    for (size_t i = 0; i < 3000; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        switch (state >> 60) {
        case 0:
        case 1:
            if (to.is_busy)
                end_it(&to, state >> 40 & 1 ? 200 : 503, SURETY_FAILURE_NONE);
            break;
        case 2:
            if (to.is_busy)
                end_it(&to, 0, SURETY_FAILURE_RESET);
            break;
        case 3:
        case 4:
        case 5: now_ms += state >> 40 & 1023; break;
        default: add(exporter, "run-1", true); added++;
        }
        (void)surety__exporter_step(exporter, now_ms, false);
        counts = surety__exporter_counts(exporter);
        CHECK(counts.sent + counts.dropped + counts.waiting == added);
    }
    for (size_t i = 0; i < 8; i++) {
        (void)surety__exporter_step(exporter, now_ms, true);
        now_ms += 20000;
        if (to.is_busy)
            end_it(&to, 200, SURETY_FAILURE_NONE);
    }
    (void)surety__exporter_step(exporter, now_ms, true);
    counts = surety__exporter_counts(exporter);
    CHECK(!counts.waiting && counts.sent + counts.dropped == added);
    CHECK(to.bodies.status || times(&to.bodies, "run-1") == counts.sent);
    /* Without a collector its memory is bounded. */
    for (size_t i = 0; i < 20000; i++)
        add(exporter, "run-1", true);
    counts = surety__exporter_counts(exporter);
    CHECK(counts.dropped && (t->starved || counts.waiting > 1000));
done:
    surety__exporter_free(exporter);
    surety_buf_done(&to.bodies);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"sends what has waited", sends_what_has_waited},
        {"sends again what may be taken later",
         sends_again_what_may_be_taken_later},
        {"refuses wrong settings", refuses_wrong_settings},
        {"loses nothing without counting it",
         loses_nothing_without_counting_it},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
