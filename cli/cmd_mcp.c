/* SPDX-License-Identifier: Apache-2.0 */
/* surety mcp: serves the tool's commands as tools of the Model Context
 * Protocol, on standard input and output, one JSON-RPC message a line.
 *
 * 1. A line is read, taken apart and answered at once, except a call of a tool,
 *    which becomes a process; a call that finds no free place waits.
 * 2. Every request gets one answer, unless the client cancels it.
 * 3. Nothing is written to standard output but messages.
 * 4. At the end of standard input the calls under way are finished. */
#include "commands.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mcp.h"
#include "run_world.h"

enum {
    /* The processes at one time: more only wait for each other. */
    JOBS = 4,
    JOBS_MAX = 64,
    /* Calls that run or wait. While there are so many nothing is read. */
    CALLS_MAX = 256,
    /* Clients stop waiting after about a minute. */
    TIMEOUT_S = 60,
    TIMEOUT_S_MAX = 86400,
    /* What a process may write; a client's buffer for a message is of this
     * order (10 MB in the protocol's own SDK). */
    OUTPUT_MAX = 8 << 20,
    READ_STEP = 1 << 16,
    /* Signals are noticed after that time at the latest. */
    WAIT_MS = 1000
};

struct mcp_settings {
    unsigned jobs, timeout_s;
    bool verbose;
};

SETTINGS_FIT(struct mcp_settings);
#define AT(member) offsetof(struct mcp_settings, member)

const struct option_row mcp_options[] = {
    SECTION("Calls"),
    NUMBER("jobs", 0, AT(jobs), JOBS_MAX, "N",
           "how many calls run at one time; 4 unless given"),
    NUMBER("timeout", 0, AT(timeout_s), TIMEOUT_S_MAX, "SECONDS",
           "the longest time that a call may take; 60 unless given"),
    SECTION("Output"),
    FLAG("verbose", 'v', AT(verbose),
         "a line on standard error for each call of a tool"),
    OPTION_END};

struct server {
    struct cli *cli;
    const struct mcp_settings *settings;
    struct mcp_call_options options;
    size_t jobs;
    struct mcp_world world;
    surety_buf line;  /* the beginning of a line */
    bool is_skipping; /* the rest of a line beyond the limit */
    bool has_ended;   /* standard input */
    surety_doc *doc;  /* the message */
    surety_doc *none; /* {}: the arguments of a call that has none */
    surety_buf ids;
    struct mcp_call *calls[CALLS_MAX]; /* in the order in which they came */
    size_t count;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- calls -----------------------------------------------------------------
 */

static void call_end(struct server *server, size_t i)
{
    assert(i < server->count);
    mcp_call_free(server->calls[i]);
    server->count--;
    memmove(&server->calls[i], &server->calls[i + 1],
            (server->count - i) * sizeof(*server->calls));
}

/* Answers a call with a failure. */
static void call_refuse(struct server *server, const struct mcp_call *call,
                        surety_str text)
{
    const struct mcp_peer peer = mcp_call_peer(call);
    surety_buf *out = &server->cli->out.buf;

    mcp_result_begin(&peer, out);
    mcp_tool_failure(text, out);
    mcp_result_end(out);
}

/* Answers a call whose process has ended. */
static void call_answer(struct server *server, struct mcp_call *call)
{
    const struct mcp_peer peer = mcp_call_peer(call);
    surety_buf *out = &server->cli->out.buf;

    mcp_result_begin(&peer, out);
    mcp_call_result(call, out);
    mcp_result_end(out);
}

static void call_new(struct server *server, const struct mcp_message *message)
{
    const surety_str name =
        surety_val_str(surety_val_get(message->params, "name"));
    surety_val arguments = surety_val_get(message->params, "arguments");
    const struct mcp_tool *tool = mcp_tool_find(name);
    struct mcp_call *call = NULL;
    surety_buf errors;

    if (!tool) {
        mcp_refuse(&message->peer, MCP_INVALID_PARAMS,
                   "there is no tool of that name; tools/list names them",
                   NO_TEXT, &server->cli->out.buf);
        return;
    }
    assert(server->count < CALLS_MAX);
    call = mcp_call_new(tool, message->peer.id, message->peer.is_modern);
    if (!call) {
        mcp_refuse(&message->peer, MCP_INTERNAL_ERROR, "out of memory", NO_TEXT,
                   &server->cli->out.buf);
        return;
    }
    server->calls[server->count++] = call;
    if (!arguments.doc)
        arguments = surety_doc_root(server->none);
    surety_buf_init(&errors, NULL, 0);
    if (!mcp_call_prepare(call, arguments, &server->world, &errors)) {
        call_refuse(server, call, surety_buf_str(&errors));
        call_end(server, server->count - 1);
    } else if (server->settings->verbose) {
        surety_buf_text(&server->cli->err.buf, "surety mcp: call of ");
        put_safe(&server->cli->err.buf, name);
        surety_buf_byte(&server->cli->err.buf, '\n');
    }
    surety_buf_done(&errors);
}

/* Starts waiting calls while there are free places. */
static void calls_start(struct server *server)
{
    size_t running = 0;

    for (size_t i = 0; i < server->count; i++)
        running += mcp_call_is_started(server->calls[i]);
    for (size_t i = 0; i < server->count && running < server->jobs;) {
        struct mcp_call *call = server->calls[i];
        surety_buf errors;

        if (mcp_call_is_started(call)) {
            i++;
            continue;
        }
        surety_buf_init(&errors, NULL, 0);
        if (mcp_call_start(call, &server->options, now_ms(), &errors)) {
            running++;
            i++;
        } else {
            call_refuse(server, call, surety_buf_str(&errors));
            call_end(server, i);
        }
        surety_buf_done(&errors);
    }
}

static void calls_move(struct server *server)
{
    for (size_t i = 0; i < server->count;) {
        struct mcp_call *call = server->calls[i];

        if (mcp_call_is_started(call) &&
            mcp_call_move(call, &server->options, now_ms())) {
            call_answer(server, call);
            call_end(server, i);
        } else {
            i++;
        }
    }
}

/* Ends the call that a notification names, which then gets no answer. */
static void call_cancel(struct server *server,
                        const struct mcp_message *message)
{
    surety_buf id;

    surety_buf_init(&id, NULL, 0);
    surety_val_write(surety_val_get(message->params, "requestId"),
                     SURETY_STYLE_COMPACT, &id);
    for (size_t i = 0; i < server->count; i++) {
        if (surety_str_equal(mcp_call_peer(server->calls[i]).id,
                             surety_buf_str(&id))) {
            call_end(server, i);
            break;
        }
    }
    surety_buf_done(&id);
}

/* ---- messages --------------------------------------------------------------
 */

static bool is_method(const struct mcp_message *message, const char *name)
{
    return surety_str_equal(message->method, surety_str_of(name));
}

static void list_tools(const struct mcp_message *message, surety_buf *out)
{
    if (surety_val_get(message->params, "cursor").doc) {
        mcp_refuse(&message->peer, MCP_INVALID_PARAMS,
                   "the list has one page and no cursor", NO_TEXT, out);
        return;
    }
    mcp_result_begin(&message->peer, out);
    mcp_tools_list(out);
    if (message->peer.is_modern)
        surety_buf_text(out, ",\"ttlMs\":3600000,\"cacheScope\":\"public\"");
    mcp_result_end(out);
}

static void take_message(struct server *server, surety_val root)
{
    surety_buf *out = &server->cli->out.buf;
    struct mcp_message message;

    if (!mcp_message_read(root, &message, &server->ids, out))
        return;
    if (!message.is_request) {
        if (is_method(&message, "notifications/cancelled"))
            call_cancel(server, &message);
    } else if (is_method(&message, "tools/call")) {
        call_new(server, &message);
    } else if (is_method(&message, "tools/list")) {
        list_tools(&message, out);
    } else if (is_method(&message, "server/discover")) {
        mcp_discover(&message.peer, out);
    } else if (is_method(&message, "initialize")) {
        mcp_initialize(&message, out);
    } else if (is_method(&message, "ping") && !message.peer.is_modern) {
        mcp_result_begin(&message.peer, out);
        mcp_result_end(out);
    } else if (message.method.len > 0) {
        mcp_refuse(&message.peer, MCP_METHOD_NOT_FOUND,
                   "there is no such method", NO_TEXT, out);
    }
}

static void refuse_line(struct server *server, enum mcp_code code,
                        const char *message)
{
    const struct mcp_peer unknown = {NO_TEXT, false};

    mcp_refuse(&unknown, code, message, NO_TEXT, &server->cli->out.buf);
}

/* Takes a line: a message, or several in an array (revision 2025-03-26). */
static void take_line(struct server *server, surety_str line)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW,
                                         .limits = &server->cli->limits};
    surety_error error;
    surety_val root;

    while (line.len > 0 && memchr(" \t\r", line.ptr[line.len - 1], 3))
        line.len--;
    if (line.len == 0)
        return;
    if (surety_doc_read(server->doc, line, &options, &error) != SURETY_OK) {
        refuse_line(server, MCP_PARSE_ERROR, error.message);
        return;
    }
    root = surety_doc_root(server->doc);
    if (surety_val_kind(root) != SURETY_KIND_ARRAY) {
        take_message(server, root);
        return;
    }
    if (surety_val_count(root) > CALLS_MAX - server->count) {
        refuse_line(server, MCP_INVALID_REQUEST,
                    "the batch has more messages than calls can wait");
        return;
    }
    for (surety_val item = surety_val_first(root); item.doc;
         item = surety_val_next(root, item))
        take_message(server, item);
}

/* ---- reading ---------------------------------------------------------------
 */

/* Refuses a line beyond the limit, once. */
static void refuse_long(struct server *server)
{
    if (!server->is_skipping)
        refuse_line(server, MCP_INVALID_REQUEST,
                    "the message is longer than the limit text_bytes_max");
}

/* Takes the whole lines that have been read, while a call can wait. */
static void take_lines(struct server *server)
{
    surety_buf *line = &server->line;
    size_t done = 0;

    while (server->count < CALLS_MAX && done < line->len) {
        const char *ptr = line->ptr + done;
        const char *feed = memchr(ptr, '\n', line->len - done);
        if (!feed)
            break;
        if ((size_t)(feed - ptr) > server->cli->limits.text_bytes_max)
            refuse_long(server);
        else if (!server->is_skipping)
            take_line(server, (surety_str){ptr, (size_t)(feed - ptr)});
        server->is_skipping = false;
        done += (size_t)(feed - ptr) + 1;
    }
    if (done > 0) {
        memmove(line->ptr, line->ptr + done, line->len - done);
        line->len -= done;
    }
    if (server->count < CALLS_MAX &&
        line->len > server->cli->limits.text_bytes_max) {
        refuse_long(server);
        server->is_skipping = true;
        surety_buf_reset(line);
    }
}

/* Reads the bytes that have come. */
static void read_input(struct server *server)
{
    char bytes[READ_STEP];
    size_t got = 0;
    surety_error error;

    if (input_take(STDIN_FILENO, "-", bytes, sizeof(bytes), &got, &error)) {
        cli_report(server->cli, CODE_WORLD, input_name("-"), NO_TEXT, &error);
        server->has_ended = true;
        return;
    }
    surety_buf_append(&server->line, bytes, got);
    if (got == 0) {
        server->has_ended = true;
        if (server->line.len > 0)
            surety_buf_byte(&server->line, '\n');
    }
    if (server->line.status) {
        cli_nomem(server->cli);
        server->has_ended = true;
    }
}

/* Waits until bytes can be moved; returns whether standard input has some. */
static bool wait_for_bytes(struct server *server)
{
    struct pollfd fds[1 + MCP_CALL_FDS * JOBS_MAX];
    const bool reads = !server->has_ended && server->count < CALLS_MAX;
    const uint64_t now = now_ms();
    uint64_t timeout = WAIT_MS;
    size_t count = 1;

    fds[0] = (struct pollfd){reads ? STDIN_FILENO : -1, POLLIN, 0};
    for (size_t i = 0; i < server->count; i++) {
        const struct mcp_call *call = server->calls[i];
        if (!mcp_call_is_started(call))
            continue;
        count += mcp_call_watch(call, fds + count);
        if (mcp_call_deadline(call) < now + timeout)
            timeout = mcp_call_deadline(call) > now
                          ? mcp_call_deadline(call) - now
                          : 0;
    }
    if (poll(fds, count, (int)timeout) <= 0)
        return false;
    return fds[0].revents != 0;
}

/* Serves until the input has ended and every call is answered, a signal comes,
 * or the client has gone. */
static void serve(struct server *server)
{
    while (!*signals_caught() && output_flush(&server->cli->out)) {
        output_flush(&server->cli->err);
        if (server->has_ended && server->count == 0 && server->line.len == 0)
            return;
        if (wait_for_bytes(server))
            read_input(server);
        take_lines(server);
        calls_start(server);
        calls_move(server);
    }
}

void mcp_run(struct cli *cli, const void *given,
             const struct operands *operands)
{
    const struct mcp_settings *settings = given;
    const char *folder = getenv("TMPDIR");
    struct server *server;

    if (operands->count > 0) {
        cli_usage(cli, "the client writes its requests to standard input",
                  "mcp takes no operand such as \"%s\"", operands->items[0]);
        return;
    }
    server = calloc(1, sizeof(*server));
    if (!server) {
        cli_nomem(cli);
        return;
    }
    server->cli = cli;
    server->settings = settings;
    server->options.timeout_ms =
        (uint64_t)(settings->timeout_s ? settings->timeout_s : TIMEOUT_S) *
        1000;
    server->options.bytes_max = OUTPUT_MAX;
    server->jobs = settings->jobs ? settings->jobs : JOBS;
    server->world.folder = folder && *folder ? folder : "/tmp";
    server->world.limits = &cli->limits_given;
    server->doc = surety_doc_new(NULL);
    server->none = surety_doc_new(NULL);
    surety_buf_init(&server->line, NULL, 0);
    surety_buf_init(&server->ids, NULL, 0);
    if (!server->doc || !server->none ||
        surety_doc_read(server->none, surety_str_of("{}"), NULL, NULL)) {
        cli_nomem(cli);
    } else {
        cli_invite(cli, "-", "messages of the Model Context Protocol");
        signals_catch();
        serve(server);
    }
    while (server->count > 0)
        call_end(server, server->count - 1);
    surety_buf_done(&server->ids);
    surety_buf_done(&server->line);
    surety_doc_free(server->none);
    surety_doc_free(server->doc);
    free(server);
    signals_raise(cli);
}
