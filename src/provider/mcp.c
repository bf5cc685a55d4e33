/* SPDX-License-Identifier: Apache-2.0 */
/* mcp.c: a transport to one server of the Model Context Protocol, over the
 * standard input and output of its process (process.h): one message a line.
 *
 * The first exchange starts the process. A server's era is found by a probe,
 * server/discover. Servers of the legacy era answer it with an error, not at
 * all, or by ending; they get a fresh process and `initialize`. A modern server
 * that starts too slowly for the probe refuses that, and is asked again. The
 * era is remembered until an opening fails.
 *
 * Lines that are no messages (a banner) are skipped, notifications and late
 * responses are ignored. A process that ends, or breaks a limit, ends its
 * exchanges, and the next exchange starts another. No exchange is sent twice,
 * because a tool may have effects.
 *
 * Invariants:
 * 1. A number of JSON-RPC is given once in the life of the transport.
 * 2. An exchange is sent only in MCP_STATE_OPEN; when that state ends, all that
 *    were sent have ended. The others wait for the next process, unless this
 *    one never got any.
 * 3. At most one process exists: the next is started when the last was waited
 *    for. */
#include "provider/mcp_message.h"
#include "provider/process.h"
#include "provider/provider.h"
#include "provider/transport.h"

#include <errno.h>
#include <poll.h>

enum {
    MCP_READ = 1 << 14,
    MCP_READS_MAX = 16, /* in a turn, so that deadlines are looked at */
    MCP_PROBE_MS = 1000,
    MCP_OPEN_MS = 30000,
    /* How long a server may take to end after its output is closed; and after
     * its input was closed, as in the official clients. */
    MCP_CLOSED_MS = 500,
    MCP_LEAVE_MS = 2000
};

typedef enum mcp_state {
    MCP_STATE_NONE = 0, /* no process */
    MCP_STATE_PROBE,
    MCP_STATE_INITIALIZE,
    MCP_STATE_OPEN,
    MCP_STATE_ENDING /* the process is stopped, and not waited for yet */
} mcp_state;

struct mcp_exchange {
    struct mcp_exchange *next;
    uint64_t id;     /* the caller's */
    uint64_t number; /* of JSON-RPC; 0: not sent */
    surety__intake intake;
    surety__progress progress;
    surety__arena arena; /* holds the texts */
    surety_str method, params;
};

struct mcp {
    surety_transport transport;
    const surety_alloc *alloc;
    surety_limits limits;
    surety__arena arena; /* holds the texts of the next three */
    surety_str url;
    const char **arguments;
    surety__variables variables;
    uint32_t probe_ms, open_ms;

    surety__process process;
    mcp_state state;
    surety__mcp_era era;
    bool probe_late;      /* the probe had no answer in time */
    uint64_t opening;     /* number of the probe or of initialize */
    uint64_t deadline_ms; /* of the opening, or of the end of a server whose
                           * output is closed; 0: none */

    struct mcp_exchange *first; /* in the order of their start */
    uint64_t number;            /* the last one given */
    bool used;                  /* the process got an exchange */
    surety_buf out;             /* bytes to write; before `written` they are */
    size_t written;
    surety_buf line; /* the line that is not complete yet */
    surety_doc *doc; /* the message that is read */
    bool called;     /* a receiver was called in this wait */
};

/* ---- exchanges ----------------------------------------------------------- */

static void mcp_free(struct mcp *mcp, struct mcp_exchange *exchange)
{
    surety__arena_done(&exchange->arena);
    surety__free(mcp->alloc, exchange, sizeof(*exchange));
}

static void mcp_end(struct mcp *mcp, struct mcp_exchange **place,
                    surety_delivery delivery)
{
    struct mcp_exchange *exchange = *place;

    *place = exchange->next;
    mcp->called = true;
    delivery.sent = exchange->number != 0;
    exchange->intake.receiver.end(exchange->intake.receiver.ctx, &delivery);
    mcp_free(mcp, exchange);
}

static void mcp_end_all(struct mcp *mcp, surety_delivery delivery)
{
    while (mcp->first)
        mcp_end(mcp, &mcp->first, delivery);
}

/* Gives an exchange its response, and ends it. */
static void mcp_deliver(struct mcp *mcp, struct mcp_exchange **place,
                        surety_val response)
{
    surety__intake *intake = &(*place)->intake;
    surety_delivery delivery = {.failure = SURETY_FAILURE_NONE};

    intake->receiver.head(intake->receiver.ctx, 0, NULL, 0);
    (void)surety__intake_take(intake, surety_val_text(response), &delivery);
    mcp_end(mcp, place, delivery);
}

/* ---- the process --------------------------------------------------------- */

/* Lets the process end; another may follow it. */
static void mcp_retire(struct mcp *mcp)
{
    assert(mcp->process.pid > 0);
    mcp->state = MCP_STATE_ENDING;
    mcp->deadline_ms = 0;
    surety_buf_reset(&mcp->out);
    surety_buf_reset(&mcp->line);
    mcp->written = 0;
    if (!surety__process_look(&mcp->process))
        surety__process_stop(&mcp->process);
}

/* Ends the process, and the exchanges that it got; if it got none, all. */
static void mcp_break(struct mcp *mcp, surety_delivery delivery)
{
    struct mcp_exchange **place = &mcp->first;

    if (mcp->state != MCP_STATE_OPEN)
        mcp->era = MCP_ERA_UNKNOWN;
    mcp_retire(mcp);
    while (*place) {
        if (mcp->used && !(*place)->number)
            place = &(*place)->next;
        else
            mcp_end(mcp, place, delivery);
    }
}

/* The probe has shown no modern server: the next process gets initialize,
 * unless that was refused already. */
static void mcp_fall_back(struct mcp *mcp)
{
    if (mcp->era == MCP_ERA_LEGACY) {
        mcp_break(mcp, surety__delivery_of(
                           SURETY_FAILURE_PROTOCOL, false,
                           "the server answers neither server/discover nor "
                           "initialize as the protocol says"));
        return;
    }
    mcp->era = MCP_ERA_LEGACY;
    mcp_retire(mcp);
}

static void mcp_probe(struct mcp *mcp, uint32_t wait_ms)
{
    mcp->state = MCP_STATE_PROBE;
    mcp->deadline_ms = surety__clock_ms() + wait_ms;
    mcp->opening = ++mcp->number;
    surety__mcp_write_discover(mcp->opening, &mcp->out);
}

static surety_status mcp_launch(struct mcp *mcp, surety_error *reterr)
{
    surety__arena arena;
    char **environment;
    int error = 0;

    assert(!mcp->process.pid && !mcp->out.len && !mcp->line.len);
    surety__arena_init(&arena, mcp->alloc, 0);
    environment = surety__variables_pass(&mcp->variables, &arena);
    if (environment)
        error =
            surety__process_start(&mcp->process, mcp->arguments, environment);
    surety__arena_done(&arena);
    if (!environment)
        return surety__fail_nomem(reterr);
    if (error) {
        mcp_end_all(mcp,
                    surety__delivery_of(SURETY_FAILURE_COMMAND, false,
                                        "the server could not be started: %s",
                                        strerror(error)));
        return SURETY_OK;
    }
    mcp->used = false;
    if (mcp->era == MCP_ERA_UNKNOWN) {
        mcp->probe_late = false;
        mcp_probe(mcp, mcp->probe_ms);
    } else if (mcp->era == MCP_ERA_LEGACY) {
        mcp->state = MCP_STATE_INITIALIZE;
        mcp->deadline_ms = surety__clock_ms() + mcp->open_ms;
        mcp->opening = ++mcp->number;
        surety__mcp_write_initialize(mcp->opening, &mcp->out);
    } else {
        mcp->state = MCP_STATE_OPEN;
    }
    return SURETY_OK;
}

/* ---- the opening --------------------------------------------------------- */

static void mcp_is_open(struct mcp *mcp, surety__mcp_era era)
{
    mcp->era = era;
    mcp->state = MCP_STATE_OPEN;
    mcp->deadline_ms = 0;
}

/* The answer to server/discover or to initialize. */
static void mcp_opening(struct mcp *mcp, surety_val response)
{
    const surety_val error = surety_val_get(response, "error");
    const surety_str version = surety_val_str(
        surety_val_get(surety_val_get(response, "result"), "protocolVersion"));
    const surety_str message = surety_val_str(surety_val_get(error, "message"));

    if (surety__mcp_offers_modern(response)) {
        mcp_is_open(mcp, MCP_ERA_MODERN);
    } else if (mcp->state == MCP_STATE_PROBE) {
        mcp_fall_back(mcp);
    } else if (surety__mcp_offers_legacy(response)) {
        surety__mcp_write_initialized(&mcp->out);
        mcp_is_open(mcp, MCP_ERA_LEGACY);
    } else if (error.doc && mcp->probe_late) {
        mcp_probe(mcp, mcp->open_ms);
    } else if (error.doc) {
        mcp_break(mcp, surety__delivery_of(
                           SURETY_FAILURE_PROTOCOL, false,
                           "the server refuses to open: %.*s",
                           (int)(message.len < 160 ? message.len : 160),
                           message.len ? message.ptr : ""));
    } else {
        mcp_break(mcp, surety__delivery_of(
                           SURETY_FAILURE_PROTOCOL, false,
                           "the server speaks the revision \"%.*s\" of the "
                           "protocol, which is not known",
                           (int)(version.len < 40 ? version.len : 40),
                           version.len ? version.ptr : ""));
    }
}

static void mcp_opening_late(struct mcp *mcp)
{
    if (mcp->state == MCP_STATE_PROBE && mcp->era == MCP_ERA_UNKNOWN) {
        mcp->probe_late = true;
        mcp_fall_back(mcp);
        return;
    }
    mcp_break(mcp, surety__delivery_of(SURETY_FAILURE_TIMEOUT, false,
                                       "the server did not open within %u ms",
                                       mcp->open_ms));
}

/* ---- what the server writes ---------------------------------------------- */

static void mcp_message(struct mcp *mcp, surety_val message)
{
    uint64_t number;
    const surety__mcp_kind kind = surety__mcp_kind_of(message, &number);
    struct mcp_exchange **place = &mcp->first;

    if (mcp->state == MCP_STATE_ENDING)
        return;
    if (kind == MCP_REQUEST && mcp->era == MCP_ERA_LEGACY)
        surety__mcp_write_answer(message, &mcp->out);
    if (kind != MCP_RESPONSE || !number)
        return;
    if (number == mcp->opening &&
        (mcp->state == MCP_STATE_PROBE || mcp->state == MCP_STATE_INITIALIZE)) {
        mcp_opening(mcp, message);
        return;
    }
    while (*place && (*place)->number != number)
        place = &(*place)->next;
    if (*place)
        mcp_deliver(mcp, place, message);
}

/* Reads one line: a message, or (revision 2025-03-26) an array of them. A
 * message that cannot be read breaks the connection, because its request would
 * wait in vain; another line that cannot be read is no message. */
static surety_status mcp_line(struct mcp *mcp, surety_str line,
                              surety_error *reterr)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .limits = &mcp->limits};
    surety_error error;
    const surety_status status =
        surety_doc_read(mcp->doc, line, &options, &error);
    const surety_val root = surety_doc_root(mcp->doc);

    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (status) {
        if (surety__str_find(line, SURETY__LITERAL("\"jsonrpc\"")) < line.len)
            mcp_break(mcp,
                      surety__delivery_of(
                          status == SURETY_LIMIT ? SURETY_FAILURE_LIMIT
                                                 : SURETY_FAILURE_PROTOCOL,
                          true, "a message of the server: %s", error.message));
    } else if (surety_val_kind(root) == SURETY_KIND_ARRAY) {
        SURETY_EACH (item, root)
            mcp_message(mcp, item);
    } else {
        mcp_message(mcp, root);
    }
    return SURETY_OK;
}

/* Takes bytes of standard output. When the process is retired, the rest is of
 * no use. */
static surety_status mcp_take(struct mcp *mcp, surety_str bytes,
                              surety_error *reterr)
{
    surety_status status = SURETY_OK;

    while (!status && bytes.len && mcp->state != MCP_STATE_ENDING) {
        const char *end = memchr(bytes.ptr, '\n', bytes.len);
        const size_t len = end ? (size_t)(end - bytes.ptr) : bytes.len;

        if (mcp->line.len + len > mcp->limits.text_bytes_max) {
            mcp_break(mcp, surety__delivery_of(
                               SURETY_FAILURE_LIMIT, true,
                               "a line of the server is longer than %zu bytes "
                               "(text_bytes_max)",
                               mcp->limits.text_bytes_max));
            break;
        }
        surety_buf_append(&mcp->line, bytes.ptr, len);
        surety__str_skip(&bytes, end ? len + 1 : len);
        if (mcp->line.status)
            return surety__fail_nomem(reterr);
        if (!end)
            break;
        status = mcp_line(mcp, surety_buf_str(&mcp->line), reterr);
        surety_buf_reset(&mcp->line);
    }
    return status;
}

/* ---- a turn -------------------------------------------------------------- */

/* Writes what the pipe accepts. */
static surety_status mcp_flush(struct mcp *mcp, surety_error *reterr)
{
    const surety_str out = surety_buf_str(&mcp->out);
    surety_str rest = out;

    if (mcp->out.status)
        return surety__fail_nomem(reterr);
    if (!out.len)
        return SURETY_OK;
    surety__str_skip(&rest, mcp->written);
    if (surety__process_write(&mcp->process, &rest)) {
        mcp->written = out.len - rest.len;
        return SURETY_OK;
    }
    /* All is written, or the server does not read any more and will end. */
    surety_buf_reset(&mcp->out);
    mcp->written = 0;
    return SURETY_OK;
}

/* Writes the requests of exchanges that wait for the opening. */
static void mcp_send(struct mcp *mcp)
{
    for (struct mcp_exchange *exchange = mcp->first; exchange;
         exchange = exchange->next) {
        if (exchange->number)
            continue;
        mcp->used = true;
        exchange->number = ++mcp->number;
        exchange->progress.sent_ms = surety__clock_ms();
        surety__mcp_write_request(exchange->number, exchange->method,
                                  exchange->params, mcp->era, &mcp->out);
    }
}

/* The process has ended, or closed its output and does not end. */
static void mcp_ended(struct mcp *mcp)
{
    surety_delivery delivery;

    if (mcp->state == MCP_STATE_PROBE && mcp->era == MCP_ERA_UNKNOWN) {
        mcp_fall_back(mcp);
        return;
    }
    if (mcp->process.exited)
        delivery = surety__process_outcome(&mcp->process, "server");
    if (!mcp->process.exited || !delivery.failure)
        delivery = surety__delivery_of(SURETY_FAILURE_RESET, true,
                                       "the server closed its output");
    mcp_break(mcp, delivery);
}

/* Reads what a process has written that is not retired. */
static surety_status mcp_read(struct mcp *mcp, surety_error *reterr)
{
    char bytes[MCP_READ];
    surety_status status = SURETY_OK;
    const bool exited = surety__process_look(&mcp->process);

    surety__process_read_error(&mcp->process);
    for (int i = 0; !status && mcp->state != MCP_STATE_ENDING &&
                    (i < MCP_READS_MAX || exited);
         i++) {
        const size_t len =
            surety__process_read(&mcp->process, bytes, sizeof(bytes));

        if (!len)
            break;
        status = mcp_take(mcp, (surety_str){bytes, len}, reterr);
    }
    if (status || mcp->state == MCP_STATE_ENDING)
        return status;
    surety__process_read_error(&mcp->process);
    if (exited)
        mcp_ended(mcp);
    else if (mcp->process.pipes[1] < 0 && mcp->state == MCP_STATE_OPEN &&
             !mcp->deadline_ms)
        mcp->deadline_ms = surety__clock_ms() + MCP_CLOSED_MS;
    return SURETY_OK;
}

/* Ends the exchanges that are late, and tells the server of it. */
static void mcp_end_late(struct mcp *mcp, uint64_t now_ms)
{
    struct mcp_exchange **place = &mcp->first;

    while (*place) {
        const surety__progress *progress = &(*place)->progress;
        surety__late late;

        if (surety__progress_deadline(progress, &late) > now_ms) {
            place = &(*place)->next;
            continue;
        }
        if ((*place)->number)
            surety__mcp_write_cancelled((*place)->number, "timeout", &mcp->out);
        mcp_end(mcp, place,
                surety__delivery_of(SURETY_FAILURE_TIMEOUT, true,
                                    "the server did not answer within %u ms",
                                    late == LATE_TOTAL
                                        ? progress->timeouts.total_ms
                                        : progress->timeouts.first_byte_ms));
    }
}

/* Starts the process, or waits for its end. */
static surety_status mcp_prepare(struct mcp *mcp, surety_error *reterr)
{
    if (mcp->state == MCP_STATE_ENDING &&
        surety__process_end(&mcp->process, surety__clock_ms()))
        mcp->state = MCP_STATE_NONE;
    return mcp->state == MCP_STATE_NONE && mcp->first ? mcp_launch(mcp, reterr)
                                                      : SURETY_OK;
}

/* Whether there is a process that is not retired. */
static bool mcp_lives(const struct mcp *mcp)
{
    return mcp->state != MCP_STATE_NONE && mcp->state != MCP_STATE_ENDING;
}

static surety_status mcp_turn(struct mcp *mcp, surety_error *reterr)
{
    const uint64_t now_ms = surety__clock_ms();
    surety_status status = mcp_prepare(mcp, reterr);

    if (!status && mcp_lives(mcp))
        status = mcp_read(mcp, reterr);
    if (!status && mcp->deadline_ms && mcp->deadline_ms <= now_ms) {
        if (mcp->state == MCP_STATE_OPEN)
            mcp_ended(mcp);
        else
            mcp_opening_late(mcp);
    }
    if (status)
        return status;
    mcp_end_late(mcp, now_ms);
    if (mcp->state == MCP_STATE_OPEN)
        mcp_send(mcp);
    return mcp_lives(mcp) ? mcp_flush(mcp, reterr) : SURETY_OK;
}

/* Sleeps until a pipe is ready, a deadline, or the next check of the process;
 * false: a signal arrived. */
static bool mcp_sleep(const struct mcp *mcp, uint64_t now_ms, uint64_t until_ms)
{
    const surety__process *process = &mcp->process;
    struct pollfd polls[PROCESS_PIPES];
    uint64_t look_ms = UINT64_MAX;
    nfds_t count = 0;

    if (process->pid)
        look_ms = now_ms +
                  (process->pipes[1] < 0 ? PROCESS_SOON_MS : PROCESS_LOOK_MS);
    if (mcp->state == MCP_STATE_ENDING)
        look_ms = now_ms + PROCESS_SOON_MS;
    for (const struct mcp_exchange *exchange = mcp->first; exchange;
         exchange = exchange->next) {
        surety__late late;
        const uint64_t deadline_ms =
            surety__progress_deadline(&exchange->progress, &late);

        if (deadline_ms < until_ms)
            until_ms = deadline_ms;
    }
    if (mcp->deadline_ms && mcp->deadline_ms < until_ms)
        until_ms = mcp->deadline_ms;
    if (look_ms < until_ms)
        until_ms = look_ms;
    for (int i = 0; i < PROCESS_PIPES && process->pid; i++)
        if (process->pipes[i] >= 0 && (i || mcp->out.len))
            polls[count++] = (struct pollfd){.fd = process->pipes[i],
                                             .events = i ? POLLIN : POLLOUT};
    if (until_ms <= now_ms)
        return true;
    return poll(polls, count, (int)(until_ms - now_ms)) >= 0 || errno != EINTR;
}

/* ---- the transport ------------------------------------------------------- */

static surety_status mcp_wait(void *ctx, uint32_t timeout_ms,
                              surety_error *reterr)
{
    struct mcp *mcp = ctx;
    const uint64_t until_ms = surety__clock_ms() + timeout_ms;
    surety_status status = SURETY_OK;
    surety__shield shield;
    bool on = true;

    mcp->called = false;
    surety__shield_raise(&shield);
    while (on) {
        uint64_t now_ms;

        status = mcp_turn(mcp, reterr);
        now_ms = surety__clock_ms();
        on = !status && !mcp->called && now_ms < until_ms &&
             mcp_sleep(mcp, now_ms, until_ms);
    }
    surety__shield_lower(&shield);
    return status;
}

/* Copies the texts of a request; the params on one line. */
static surety_status mcp_copy(struct mcp *mcp, const surety_request *request,
                              struct mcp_exchange *exchange,
                              surety_error *reterr)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .limits = &mcp->limits};
    surety_status status = SURETY_OK;
    surety_buf text;

    exchange->method = surety__arena_text(&exchange->arena, request->method);
    if (!exchange->method.ptr)
        return surety__fail_nomem(reterr);
    if (!request->body.len)
        return SURETY_OK;
    status = surety_doc_read(mcp->doc, request->body, &options, reterr);
    if (status == SURETY_NOMEM)
        return status;
    if (status ||
        surety_val_kind(surety_doc_root(mcp->doc)) != SURETY_KIND_OBJECT)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the params of a request are a JSON object");
    surety_buf_init(&text, mcp->alloc, 0);
    surety_val_write(surety_doc_root(mcp->doc), SURETY_STYLE_COMPACT, &text);
    exchange->params = surety__arena_buf(&exchange->arena, &text);
    return exchange->params.ptr ? SURETY_OK : surety__fail_nomem(reterr);
}

static surety_status mcp_start(void *ctx, uint64_t id,
                               const surety_request *request,
                               const surety_receiver *receiver,
                               surety_error *reterr)
{
    struct mcp *mcp = ctx;
    struct mcp_exchange **place = &mcp->first;
    struct mcp_exchange *exchange;
    surety_request own;
    surety_status status;

    if (surety__options_take(&own, sizeof(own), request, reterr))
        return SURETY_MISUSE;
    if (!surety_str_equal(own.url, mcp->url) || !own.method.len)
        return surety__fail(reterr, SURETY_MISUSE,
                            "this is no request to this server");
    for (; *place; place = &(*place)->next)
        if ((*place)->id == id)
            return surety__fail(reterr, SURETY_MISUSE,
                                "an exchange with this id is under way");
    exchange = surety__new(mcp->alloc, sizeof(*exchange));
    if (!exchange)
        return surety__fail_nomem(reterr);
    *exchange = (struct mcp_exchange){
        .id = id,
        .intake = surety__intake_of(&own, receiver),
        .progress = surety__progress_of(&own),
    };
    surety__arena_init(&exchange->arena, mcp->alloc, 0);
    status = mcp_copy(mcp, &own, exchange, reterr);
    if (status)
        mcp_free(mcp, exchange);
    else
        *place = exchange;
    return status;
}

static void mcp_cancel(void *ctx, uint64_t id)
{
    struct mcp *mcp = ctx;
    struct mcp_exchange **place = &mcp->first;
    surety__shield shield;

    while (*place && (*place)->id != id)
        place = &(*place)->next;
    if (!*place)
        return;
    if ((*place)->number) {
        surety__mcp_write_cancelled((*place)->number, "cancelled", &mcp->out);
        surety__shield_raise(&shield);
        (void)mcp_flush(mcp, NULL);
        surety__shield_lower(&shield);
    }
    mcp_end(mcp, place, surety__delivery_cancelled(true));
}

/* Lets the server end by itself, and reads what it still writes; then stops
 * it. */
static void mcp_leave(surety__process *process)
{
    const uint64_t until_ms = surety__clock_ms() + MCP_LEAVE_MS;
    char bytes[MCP_READ];

    surety__process_close_pipe(process, 0);
    while (!surety__process_look(process) && surety__clock_ms() < until_ms) {
        surety__process_read_error(process);
        if (!surety__process_read(process, bytes, sizeof(bytes)))
            surety__clock_sleep(PROCESS_SOON_MS);
    }
    if (!process->exited)
        surety__process_stop(process);
}

static void mcp_close(void *ctx)
{
    struct mcp *mcp = ctx;

    mcp_end_all(mcp, surety__delivery_cancelled(true));
    if (mcp->process.pid && mcp->state != MCP_STATE_ENDING)
        mcp_leave(&mcp->process);
    while (mcp->process.pid &&
           !surety__process_end(&mcp->process, surety__clock_ms()))
        surety__clock_sleep(PROCESS_SOON_MS);
    surety_buf_done(&mcp->out);
    surety_buf_done(&mcp->line);
    surety_doc_free(mcp->doc);
    surety__arena_done(&mcp->arena);
    surety__free(mcp->alloc, mcp, sizeof(*mcp));
}

/* Copies what the options refer to. */
static surety_status mcp_take_options(struct mcp *mcp,
                                      const surety__mcp_options *options,
                                      surety_error *reterr)
{
    surety_status status;
    surety_buf url;

    surety_buf_init(&url, mcp->alloc, 0);
    surety_buf_text(&url, "mcp:");
    surety_buf_add(&url, options->command);
    mcp->url = surety__arena_buf(&mcp->arena, &url);
    mcp->doc = surety_doc_new(mcp->alloc);
    if (!mcp->url.ptr || !mcp->doc)
        return surety__fail_nomem(reterr);
    status = surety__arguments_read(options->command, &mcp->arena,
                                    &mcp->arguments, reterr);
    return status ? status
                  : surety__variables_take(&mcp->arena, options->environment,
                                           options->environment_count,
                                           &mcp->variables, reterr);
}

surety_status surety__mcp_open(const surety__mcp_options *options,
                               surety_transport **ret_transport,
                               surety_error *reterr)
{
    struct mcp *mcp = surety__new(options->alloc, sizeof(*mcp));
    surety_status status;

    if (!mcp)
        return surety__fail_nomem(reterr);
    mcp->alloc = options->alloc;
    mcp->limits = surety_limits_of(options->limits);
    mcp->probe_ms = options->probe_ms ? options->probe_ms : MCP_PROBE_MS;
    mcp->open_ms = options->open_ms ? options->open_ms : MCP_OPEN_MS;
    surety__arena_init(&mcp->arena, mcp->alloc, 0);
    surety_buf_init(&mcp->out, mcp->alloc, 0);
    surety_buf_init(&mcp->line, mcp->alloc, 0);
    status = mcp_take_options(mcp, options, reterr);
    if (status) {
        mcp_close(mcp);
        return status;
    }
    mcp->transport = (surety_transport){.version = 1,
                                        .ctx = mcp,
                                        .start = mcp_start,
                                        .cancel = mcp_cancel,
                                        .wait = mcp_wait,
                                        .close = mcp_close};
    *ret_transport = &mcp->transport;
    return SURETY_OK;
}
