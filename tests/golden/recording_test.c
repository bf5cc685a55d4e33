/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings as they are read, written, played and made.
 *
 *     recording_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case. Its sections, of which some are made:
 *
 *     === recording   its text; with "escaped" \r \n \t \\ and \xNN stand for
 *                     bytes
 *     === read        made: each exchange, or what is wrong and where
 *     === written     made: each exchange as it is written
 *     === play        `match`, `timed`: plays the recording from its start on
 *     === record      what another transport answers, a line each: `head N`,
 *                     `header NAME: VALUE`, `bytes TEXT` with escapes, `end
 *                     FAILURE MESSAGE`, `unsent FAILURE MESSAGE`; records what
 *                     follows
 *     === request     see request.h; `@max N`, `@break N`
 *     === heard       made: by a clock that only moves while it is waited for
 *     === recorded    made: the line, with 0 for every time, of the request
 *                     before it or what was heard last
 *
 * What was read must be the same after it was written and read again. */
#include "golden/request.h"

#include <string.h>

#include "provider/recording.h"
#include "provider/transport.h"

struct world {
    surety_recording *recording;
    surety_status status;
    surety_error error;
    uint64_t now_ms;
    surety__clock clock;
    surety_transport *player, *recorder;
    surety_transport inner; /* of the recorder */
    surety_str answer;      /* its script */
    surety_receiver receiver;
    surety_buf recorded;
};

/* ---- what is shown ------------------------------------------------------- */

static void put_escaped(surety_buf *out, surety_str text)
{
    surety_buf_byte(out, '"');
    for (size_t i = 0; i < text.len; i++)
        golden_escape(out, text.ptr[i]);
    surety_buf_text(out, "\"\n");
}

static void put_headers(surety_buf *out, const surety_header *headers,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        surety_buf_text(out, "  ");
        surety_buf_add(out, headers[i].name);
        surety_buf_text(out, ": ");
        put_escaped(out, headers[i].value);
    }
}

static void put_end(surety_buf *out, const surety_delivery *delivery)
{
    surety__buf_printf(out, "%s%s%s%s\n",
                       surety_failure_name(delivery->failure),
                       delivery->sent ? ", sent" : "",
                       delivery->message[0] ? ": " : "", delivery->message);
}

static void put_exchange(surety_buf *out, const surety__exchange *exchange)
{
    surety__buf_printf(out, "%s", surety_protocol_name(exchange->protocol));
    surety_buf_text(out, exchange->model.len ? " model " : "\n");
    if (exchange->model.len)
        put_escaped(out, exchange->model);
    if (exchange->method.len || exchange->url.len || exchange->header_count ||
        exchange->body.len) {
        surety_buf_text(out, "request ");
        surety_buf_add(out, exchange->method);
        surety_buf_byte(out, ' ');
        put_escaped(out, exchange->url);
        put_headers(out, exchange->headers, exchange->header_count);
        surety_buf_text(out, "  body ");
        put_escaped(out, exchange->body);
    }
    if (exchange->has_head) {
        surety__buf_printf(out, "+%zu head %d\n",
                           (size_t)exchange->head_after_ms, exchange->status);
        put_headers(out, exchange->response_headers,
                    exchange->response_header_count);
    }
    for (size_t i = 0; i < exchange->portion_count; i++) {
        surety__buf_printf(out, "+%zu ",
                           (size_t)exchange->portions[i].after_ms);
        put_escaped(out, exchange->portions[i].bytes);
    }
    surety__buf_printf(out, "+%zu end ", (size_t)exchange->end_after_ms);
    put_end(out, &exchange->delivery);
}

static void put_read(const struct world *world, surety_buf *out)
{
    const surety_error *error = &world->error;

    if (world->recording) {
        for (size_t i = 0; i < world->recording->count; i++)
            put_exchange(out, &world->recording->exchanges[i]);
        return;
    }
    surety__buf_printf(
        out, "%s %zu:%zu byte %zu %s\n", surety_status_name(world->status),
        (size_t)error->position.line, (size_t)error->position.column,
        error->position.offset, error->path);
    surety__buf_printf(out, "%s\n%s%s", error->message, error->hint,
                       error->hint[0] ? "\n" : "");
}

static void put_written(const surety_recording *recording, surety_buf *out)
{
    surety_doc *doc = surety_doc_new(NULL);

    for (size_t i = 0; recording && i < recording->count; i++)
        if (surety__exchange_write(&recording->exchanges[i], doc, out))
            golden_die("not written", "an exchange");
    surety_doc_free(doc);
}

/* ---- what is heard ------------------------------------------------------- */

struct heard {
    struct world *world;
    surety_buf *out;
    uint64_t last_ms;
    size_t break_after, portions;
    bool ended;
};

static void put_time(struct heard *heard)
{
    const uint64_t now_ms = heard->world->now_ms;

    if (now_ms != heard->last_ms)
        surety__buf_printf(heard->out, "+%zu ",
                           (size_t)(now_ms - heard->last_ms));
    heard->last_ms = now_ms;
}

static void hear_head(void *ctx, int status, const surety_header *headers,
                      size_t count)
{
    struct heard *heard = ctx;

    put_time(heard);
    surety__buf_printf(heard->out, "head %d\n", status);
    put_headers(heard->out, headers, count);
}

static bool hear_bytes(void *ctx, surety_str bytes)
{
    struct heard *heard = ctx;

    put_time(heard);
    put_escaped(heard->out, bytes);
    return ++heard->portions != heard->break_after;
}

static void hear_end(void *ctx, const surety_delivery *delivery)
{
    struct heard *heard = ctx;

    put_time(heard);
    surety_buf_text(heard->out, "end ");
    put_end(heard->out, delivery);
    heard->ended = true;
}

static uint64_t clock_now(void *ctx)
{
    return ((struct world *)ctx)->now_ms;
}

static void clock_sleep(void *ctx, uint64_t ms)
{
    ((struct world *)ctx)->now_ms += ms;
}

/* ---- the transport that is recorded -------------------------------------- */

static surety_status inner_start(void *ctx, uint64_t id,
                                 const surety_request *request,
                                 const surety_receiver *receiver,
                                 surety_error *reterr)
{
    struct world *world = ctx;

    (void)id;
    (void)request;
    (void)reterr;
    world->receiver = *receiver;
    return SURETY_OK;
}

static void inner_cancel(void *ctx, uint64_t id)
{
    (void)ctx;
    (void)id;
}

static void inner_close(void *ctx)
{
    (void)ctx;
}

static surety_failure failure_named(surety_str *text)
{
    for (int i = SURETY_FAILURE_COUNT; i-- > 0;)
        if (golden_take(text, surety_failure_name((surety_failure)i)))
            return (surety_failure)i;
    golden_die("no such failure", text->ptr);
    return SURETY_FAILURE_NONE;
}

/* One line of the answer, but for a header's. */
static void inner_say(const surety_receiver *receiver, surety_str line,
                      const surety_header *headers, size_t count)
{
    const bool unsent = golden_take(&line, "unsent ");
    surety_delivery delivery = {.sent = !unsent};
    surety_buf bytes;

    surety_buf_init(&bytes, NULL, 0);
    if (golden_take(&line, "head ")) {
        receiver->head(receiver->ctx, (int)golden_number(line), headers, count);
    } else if (golden_take(&line, "bytes ")) {
        golden_unescape(line, &bytes);
        (void)receiver->bytes(receiver->ctx, surety_buf_str(&bytes));
    } else if (unsent || golden_take(&line, "end ")) {
        delivery.failure = failure_named(&line);
        line = surety__str_trim(line);
        if (line.len)
            memcpy(delivery.message, line.ptr, line.len);
        receiver->end(receiver->ctx, &delivery);
    } else {
        golden_die("no such line of an answer", line.ptr);
    }
    surety_buf_done(&bytes);
}

static surety_status inner_wait(void *ctx, uint32_t timeout_ms,
                                surety_error *reterr)
{
    struct world *world = ctx;
    surety_header headers[REQUEST_HEADERS_MAX];
    surety_str rest = world->answer;
    surety_str head = {NULL, 0};
    surety_str line;
    size_t count = 0;

    (void)timeout_ms;
    (void)reterr;
    while (golden_line(&rest, &line)) {
        if (golden_take(&line, "header ")) {
            const size_t colon = surety__str_find(line, SURETY__LITERAL(": "));

            headers[count++] = (surety_header){
                .name = {line.ptr, colon},
                .value = {line.ptr + colon + 2, line.len - colon - 2}};
            continue;
        }
        if (head.len)
            inner_say(&world->receiver, head, headers, count);
        head = line;
        count = 0;
    }
    inner_say(&world->receiver, head, headers, count);
    return SURETY_OK;
}

/* Keeps a line without its times, which are the machine's. */
static surety_status keep_line(void *ctx, surety_str line)
{
    struct world *world = ctx;
    const surety_str after = SURETY__LITERAL("after_ms\":");

    for (size_t i = 0; i < line.len; i++) {
        const bool timed = (i >= after.len && !memcmp(line.ptr + i - after.len,
                                                      after.ptr, after.len)) ||
                           (i >= 2 && line.ptr[i - 1] == '[' &&
                            (line.ptr[i - 2] == '[' || line.ptr[i - 2] == ','));

        if (timed && line.ptr[i] >= '0' && line.ptr[i] <= '9') {
            while (line.ptr[i + 1] >= '0' && line.ptr[i + 1] <= '9')
                i++;
            surety_buf_byte(&world->recorded, '0');
        } else {
            surety_buf_byte(&world->recorded, line.ptr[i]);
        }
    }
    return SURETY_OK;
}

/* ---- cases --------------------------------------------------------------- */

static void close_all(struct world *world)
{
    if (world->player)
        world->player->close(world->player->ctx);
    if (world->recorder)
        world->recorder->close(world->recorder->ctx);
    world->player = world->recorder = NULL;
}

/* Reads a recording; what it gives when it is written must be stable. */
static bool read_recording(struct world *world, surety_str text)
{
    surety_recording *again = NULL;
    surety_buf first, second;
    bool good = true;

    close_all(world);
    surety_recording_free(world->recording);
    world->recording = NULL;
    world->error = (surety_error){.status = SURETY_OK};
    world->status =
        surety_recording_read(text, NULL, &world->recording, &world->error);
    if (world->status)
        return true;
    surety_buf_init(&first, NULL, 0);
    surety_buf_init(&second, NULL, 0);
    put_written(world->recording, &first);
    if (surety_recording_read(surety_buf_str(&first), NULL, &again, NULL))
        golden_die("not read again", first.ptr);
    put_written(again, &second);
    good = surety_str_equal(surety_buf_str(&first), surety_buf_str(&second));
    surety_recording_free(again);
    surety_buf_done(&first);
    surety_buf_done(&second);
    return good;
}

static void play(struct world *world, surety_str text)
{
    unsigned flags = 0;
    surety_str line;

    close_all(world);
    while (golden_line(&text, &line)) {
        if (golden_take(&line, "match"))
            flags |= SURETY_REPLAY_MATCH;
        if (golden_take(&line, "timed"))
            flags |= SURETY_REPLAY_TIMED;
    }
    if (!world->recording ||
        surety__replay_open(world->recording, flags, &world->clock, NULL,
                            &world->player, NULL))
        golden_die("not played", "a recording");
}

static void record(struct world *world, surety_str text)
{
    close_all(world);
    world->answer = text;
    if (surety_record_open(&world->inner, keep_line, world, NULL,
                           &world->recorder, NULL))
        golden_die("not recorded", "an answer");
}

struct asking {
    struct golden_request given;
    size_t break_after;
};

static void option_read(void *ctx, surety_str line)
{
    struct asking *asking = ctx;

    if (golden_take(&line, "@max "))
        asking->given.request.response_bytes_max = golden_number(line);
    else if (golden_take(&line, "@break "))
        asking->break_after = golden_number(line);
    else
        golden_die("no such option of a request", line.ptr);
}

static void ask(struct world *world, surety_str text, surety_buf *out)
{
    surety_transport *transport =
        world->player ? world->player : world->recorder;
    struct asking asking = {.given = {.ctx = &asking, .option = option_read}};
    struct heard heard = {.world = world, .out = out, .last_ms = world->now_ms};
    const surety_receiver receiver = {&heard, hear_head, hear_bytes, hear_end};
    surety_error error;

    golden_request_read(text, "host", &asking.given);
    heard.break_after = asking.break_after;
    if (!transport || transport->start(transport->ctx, 1, &asking.given.request,
                                       &receiver, &error))
        golden_die("no start", error.message);
    while (!heard.ended)
        if (transport->wait(transport->ctx, 100000, &error))
            golden_die("no wait", error.message);
    surety_buf_done(&asking.given.url);
}

static bool run(struct golden *golden)
{
    struct world world = {.clock = {&world, clock_now, clock_sleep},
                          .inner = {1, &world, inner_start, inner_cancel,
                                    inner_wait, inner_close, NULL}};
    surety_buf text;
    bool good = true;

    surety_buf_init(&text, NULL, 0);
    surety_buf_init(&world.recorded, NULL, 0);
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        const bool escaped = golden_is(section, "recording escaped");

        if (golden_is(section, "read") || golden_is(section, "written") ||
            golden_is(section, "heard") || golden_is(section, "recorded")) {
            golden_begin(golden, section);
        } else {
            golden_keep(golden, section);
        }
        if (escaped) {
            surety_buf_reset(&text);
            golden_unescape(section->body, &text);
            good = read_recording(&world, surety_buf_str(&text)) && good;
        } else if (golden_is(section, "recording")) {
            good = read_recording(&world, section->body) && good;
        } else if (golden_is(section, "read")) {
            put_read(&world, &golden->made);
        } else if (golden_is(section, "written")) {
            put_written(world.recording, &golden->made);
        } else if (golden_is(section, "play")) {
            play(&world, section->body);
        } else if (golden_is(section, "record")) {
            record(&world, section->text);
        } else if (golden_is(section, "heard")) {
            ask(&world, section[-1].body, &golden->made);
        } else if (golden_is(section, "recorded")) {
            surety_buf_reset(&text);
            if (!world.recorded.len)
                ask(&world, section[-1].body, &text);
            surety_buf_add(&golden->made, surety_buf_str(&world.recorded));
            surety_buf_reset(&world.recorded);
        }
    }
    close_all(&world);
    surety_recording_free(world.recording);
    surety_buf_done(&world.recorded);
    surety_buf_done(&text);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
