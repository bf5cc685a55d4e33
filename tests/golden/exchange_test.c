/* SPDX-License-Identifier: Apache-2.0 */
/* Whole exchanges: what a server or a command is sent, and what is heard of
 * what it does.
 *
 *     exchange_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case. Its sections, of which some are made:
 *
 *     === open        lines of options of the transports: `public_only`,
 *                     `proxy URL` (HOST is the server), `ca_file PATH`,
 *                     `variable NAME`
 *     === server      what it does with each connection, after it read a
 *                     request: a line is sent as it stands with \r\n. Others:
 *                     `@bytes TEXT` with \r \n \xNN, `@times N TEXT`,
 *                     `@fill N TEXT`, and then `@wait MS`, `@read` (another
 *                     request), `@next` (closes; the next connection),
 *                     `@reset`, `@hold` (until the client closes); `@deaf`
 *                     as the first line: no request is waited for
 *     === request     see request.h; the options are those of option_read
 *     === heard       made: head, body, end; or why it was refused
 *     === asked       made, and last: all that the server read
 *
 * The transport lives as long as its case. What libcurl says in its own words
 * is left out, for they are another with each of its versions. */
#include "golden/request.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <surety/provider.h>

#include "provider/transport.h"

enum {
    HEADERS_MAX = 8, /* that are shown */
    VARIABLES_MAX = 4,
    SHOWN_MAX = 200, /* bytes of a body */
    WAIT_MS = 60000, /* for what always comes */
    READ_MAX = 1 << 14
};

/* ---- the server ---------------------------------------------------------- */

struct server {
    pthread_t thread;
    bool runs;
    int listening, connection;
    atomic_uint waits; /* how often it waited for the client */
    char host[32];     /* "127.0.0.1:PORT" */
    surety_str script;
    bool deaf; /* it does not read a request before it sends */
    surety_buf asked, out;
};

/* Reads until a request is whole, or the client is gone. */
static void server_read(struct server *server)
{
    const size_t start = server->asked.len;
    const surety_str length = SURETY__LITERAL("Content-Length: ");
    char room[READ_MAX];
    ssize_t len = 1;

    if (start)
        surety_buf_text(&server->asked, "\n");
    while (len > 0) {
        const char *const asked = server->asked.ptr;
        const surety_str all = {asked ? asked + start : NULL,
                                server->asked.len - start};
        const size_t head =
            all.len ? surety__str_find(all, SURETY__LITERAL("\r\n\r\n")) : 0;
        size_t body = 0;

        if (head < all.len) {
            const size_t at = surety__str_find(all, length);

            if (at < head)
                body = (size_t)strtoul(all.ptr + at + length.len, NULL, 10);
            if (all.len >= head + 4 + body)
                return;
        }
        len = recv(server->connection, room, sizeof(room), 0);
        if (len > 0)
            surety_buf_append(&server->asked, room, (size_t)len);
    }
}

static void server_send(struct server *server)
{
    size_t at = 0;
    ssize_t len = 1;

    for (; at < server->out.len && len > 0; at += (size_t)len)
        len = send(server->connection, server->out.ptr + at,
                   server->out.len - at, MSG_NOSIGNAL);
    surety_buf_reset(&server->out);
}

static void server_leave(struct server *server, bool reset)
{
    const struct linger now = {1, 0};

    if (server->connection < 0)
        return;
    if (reset)
        setsockopt(server->connection, SOL_SOCKET, SO_LINGER, &now,
                   sizeof(now));
    close(server->connection);
    server->connection = -1;
}

static void server_next(struct server *server)
{
    server_leave(server, false);
    server->waits++;
    server->connection = accept(server->listening, NULL, NULL);
    if (server->connection >= 0 && !server->deaf)
        server_read(server);
}

/* Sends what is gathered and does what a line asks for besides. */
static void server_act(struct server *server, surety_str line)
{
    char room[READ_MAX];

    server_send(server);
    if (golden_take(&line, "@wait ")) {
        surety__clock_sleep(strtoul(line.ptr, NULL, 10));
    } else if (golden_take(&line, "@read")) {
        server->waits++;
        server_read(server);
    } else if (golden_take(&line, "@next")) {
        server_next(server);
    } else if (golden_take(&line, "@reset")) {
        server_leave(server, true);
    } else if (golden_take(&line, "@hold")) {
        while (recv(server->connection, room, sizeof(room), 0) > 0)
            ;
    } else {
        golden_die("no such line of a server", line.ptr);
    }
}

static void *server_run(void *ctx)
{
    struct server *server = ctx;
    surety_str rest = server->script;
    surety_str line;

    server->deaf = golden_take(&rest, "@deaf\n");
    server_next(server);
    while (server->connection >= 0 && golden_line(&rest, &line)) {
        const bool fill = golden_take(&line, "@fill ");
        const bool times = !fill && golden_take(&line, "@times ");
        size_t count = 1;

        if (fill || times) {
            char *end = NULL;

            count = strtoul(line.ptr, &end, 10);
            line.len -= (size_t)(end + 1 - line.ptr);
            line.ptr = end + 1;
        }
        if (!fill && !times && golden_take(&line, "@bytes ")) {
            golden_unescape(line, &server->out);
        } else if (!fill && !times && line.len && line.ptr[0] == '@') {
            server_act(server, line);
        } else {
            for (; count > 0; count--) {
                surety_buf_add(&server->out, line);
                surety_buf_text(&server->out, fill ? "" : "\r\n");
            }
        }
    }
    server_send(server);
    server_leave(server, false);
    return NULL;
}

static void server_open(struct server *server, surety_str script)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->script = script;
    server->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server->listening < 0 ||
        bind(server->listening, (struct sockaddr *)&address, len) ||
        listen(server->listening, 8) ||
        getsockname(server->listening, (struct sockaddr *)&address, &len))
        golden_die("no server", "bind");
    snprintf(server->host, sizeof(server->host), "127.0.0.1:%u",
             ntohs(address.sin_port));
    if (!script.len)
        return;
    server->runs =
        pthread_create(&server->thread, NULL, server_run, server) == 0;
    if (!server->runs)
        golden_die("no server", "thread");
}

static void server_close(struct server *server)
{
    shutdown(server->listening, SHUT_RDWR);
    if (server->runs)
        pthread_join(server->thread, NULL);
    close(server->listening);
}

/* ---- what is shown ------------------------------------------------------- */

struct world {
    struct server server;
    surety_transport *http, *exec;
};

/* Appends text with the server's name for its address. */
static void put_named(const struct world *world, surety_str text,
                      surety_buf *out)
{
    const surety_str host = surety_str_of(world->server.host);
    size_t at;

    while ((at = surety__str_find(text, host)) < text.len) {
        surety_buf_append(out, text.ptr, at);
        surety_buf_text(out, "HOST");
        text.ptr += at + host.len;
        text.len -= at + host.len;
    }
    surety_buf_add(out, text);
}

/* Appends a message without libcurl's own words. */
static void put_message(const struct world *world, surety_str text,
                        surety_buf *out)
{
    static const char *const before[] = {
        "broke off: ", "rules of HTTP: ", "no connection to HOST: ",
        "no trusted connection to HOST: ", "name.invalid:443: "};
    surety_buf named;

    surety_buf_init(&named, NULL, 0);
    put_named(world, text, &named);
    text = surety_buf_str(&named);
    for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++) {
        const size_t end = surety__str_find(text, surety_str_of(before[i])) +
                           strlen(before[i]);

        if (end < text.len) {
            named.len = end;
            surety_buf_text(&named, "...");
            break;
        }
    }
    surety_buf_add(out, surety_buf_str(&named));
    surety_buf_done(&named);
}

/* ---- what is heard ------------------------------------------------------- */

struct heard {
    const struct world *world;
    surety_buf *out;
    surety_buf body;
    size_t break_after, portions;
    bool has_head, ended;
};

static void hear_head(void *ctx, int status, const surety_header *headers,
                      size_t count)
{
    struct heard *heard = ctx;

    if (heard->has_head)
        surety_buf_text(heard->out, "AGAIN ");
    heard->has_head = true;
    surety__buf_printf(heard->out, "head %d\n", status);
    if (count > HEADERS_MAX) {
        surety__buf_printf(heard->out, "%zu headers\n", count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        surety_buf_text(heard->out, "  ");
        surety_buf_add(heard->out, headers[i].name);
        surety_buf_text(heard->out, ": ");
        surety_json_string(heard->out, headers[i].value);
        surety_buf_byte(heard->out, '\n');
    }
}

static bool hear_bytes(void *ctx, surety_str bytes)
{
    struct heard *heard = ctx;

    surety_buf_add(&heard->body, bytes);
    return ++heard->portions != heard->break_after;
}

static void hear_end(void *ctx, const surety_delivery *delivery)
{
    struct heard *heard = ctx;
    const surety_str body = surety_buf_str(&heard->body);

    if (body.len > SHOWN_MAX) {
        surety__buf_printf(heard->out, "body of %zu bytes\n", body.len);
    } else if (body.len) {
        surety_buf_text(heard->out, "body ");
        surety_json_string(heard->out, body);
        surety_buf_byte(heard->out, '\n');
    }
    surety__buf_printf(heard->out, "end %s%s",
                       surety_failure_name(delivery->failure),
                       delivery->sent ? ", sent" : "");
    if (delivery->message[0])
        surety_buf_text(heard->out, ": ");
    put_message(heard->world, surety_str_of(delivery->message), heard->out);
    surety_buf_byte(heard->out, '\n');
    heard->ended = true;
}

/* ---- requests ------------------------------------------------------------ */

struct asking {
    struct golden_request given;
    surety_str cancel; /* at the start, head, bytes */
    size_t break_after;
    uint32_t after;
    bool twice, close;
};

static void option_read(void *ctx, surety_str line)
{
    struct asking *asking = ctx;
    surety_timeouts *timeouts = &asking->given.request.timeouts;

    if (golden_take(&line, "@max "))
        asking->given.request.response_bytes_max = golden_number(line);
    else if (golden_take(&line, "@connect_ms "))
        timeouts->connect_ms = golden_number(line);
    else if (golden_take(&line, "@first_byte_ms "))
        timeouts->first_byte_ms = golden_number(line);
    else if (golden_take(&line, "@idle_ms "))
        timeouts->idle_ms = golden_number(line);
    else if (golden_take(&line, "@total_ms "))
        timeouts->total_ms = golden_number(line);
    else if (golden_take(&line, "@cancel ")) /* start, head or bytes */
        asking->cancel = line;
    else if (golden_take(&line, "@break ")) /* after so many portions */
        asking->break_after = golden_number(line);
    else if (golden_take(&line, "@after "))  /* the server has begun to wait */
        asking->after = golden_number(line); /* for the client so often */
    else if (golden_take(&line, "@twice"))   /* with the same id */
        asking->twice = true;
    else if (golden_take(&line, "@close")) /* the transport, at the start */
        asking->close = true;
    else
        golden_die("no such option of a request", line.ptr);
}

static void put_refusal(surety_status status, const surety_error *error,
                        surety_buf *out)
{
    surety__buf_printf(out, "refused %s: %s\n", surety_status_name(status),
                       error->message);
}

static void converse(struct world *world, const struct asking *asking,
                     struct heard *heard)
{
    const bool command =
        surety__str_starts(asking->given.request.url,
                           SURETY__LITERAL("exec")) ||
        surety__str_starts(asking->given.request.url, SURETY__LITERAL("argv"));
    surety_transport **place = command ? &world->exec : &world->http;
    surety_transport *transport = *place;
    const surety_receiver receiver = {heard, hear_head, hear_bytes, hear_end};
    surety_error error;
    surety_status status = transport->start(
        transport->ctx, 1, &asking->given.request, &receiver, &error);

    if (status) {
        put_refusal(status, &error, heard->out);
        return;
    }
    if (asking->twice) {
        status = transport->start(transport->ctx, 1, &asking->given.request,
                                  &receiver, &error);
        put_refusal(status, &error, heard->out);
    }
    if (asking->close) {
        transport->close(transport->ctx);
        *place = NULL;
    }
    while (!heard->ended) {
        if (surety_str_equal(asking->cancel, SURETY__LITERAL("start")) ||
            (surety_str_equal(asking->cancel, SURETY__LITERAL("head")) &&
             heard->has_head) ||
            (surety_str_equal(asking->cancel, SURETY__LITERAL("bytes")) &&
             heard->portions)) {
            transport->cancel(transport->ctx, 2); /* nobody's */
            transport->cancel(transport->ctx, 1);
            continue;
        }
        if (transport->wait(transport->ctx, WAIT_MS, &error))
            golden_die("no wait", error.message);
    }
}

static void run_request(struct world *world, surety_str text, surety_buf *out)
{
    struct asking asking = {.given = {.ctx = &asking, .option = option_read}};
    struct heard heard = {.world = world, .out = out};

    surety_buf_init(&heard.body, NULL, 0);
    golden_request_read(text, world->server.host, &asking.given);
    heard.break_after = asking.break_after;
    while (world->server.waits < asking.after)
        surety__clock_sleep(1);
    converse(world, &asking, &heard);
    surety_buf_done(&asking.given.url);
    surety_buf_done(&heard.body);
}

/* ---- cases --------------------------------------------------------------- */

/* Opens both transports; what is refused is shown. */
static void world_open(struct world *world, surety_str text, surety_buf *out)
{
    surety_str variables[VARIABLES_MAX];
    surety_http_options http = {.size = sizeof(http)};
    size_t variable_count = 0;
    surety_error error;
    surety_str line;
    surety_status status;

    while (golden_line(&text, &line)) {
        if (golden_take(&line, "public_only"))
            http.public_only = true;
        else if (golden_take(&line, "proxy "))
            http.proxy = line;
        else if (golden_take(&line, "ca_file "))
            http.ca_file = line;
        else if (golden_take(&line, "variable "))
            variables[variable_count++] = line;
        else
            golden_die("no such option", line.ptr);
    }
    if (surety_str_equal(http.proxy, SURETY__LITERAL("HOST")))
        http.proxy = surety_str_of(world->server.host);
    status = surety_http_open(&http, &world->http, &error);
    if (status)
        put_refusal(status, &error, out);
    status =
        surety_exec_open(variables, variable_count, NULL, &world->exec, &error);
    if (status)
        put_refusal(status, &error, out);
}

static void world_close(struct world *world)
{
    if (world->http)
        world->http->close(world->http->ctx);
    if (world->exec)
        world->exec->close(world->exec->ctx);
    world->http = world->exec = NULL;
    server_close(&world->server);
}

/* What the server read, with plain line ends. */
static void put_asked(const struct world *world, surety_buf *out)
{
    const surety_str version = SURETY__LITERAL("surety/" SURETY_VERSION);
    surety_str rest = surety_buf_str(&world->server.asked);
    surety_str line;

    while (golden_line(&rest, &line)) {
        const size_t at = surety__str_find(line, version);

        if (line.len && line.ptr[line.len - 1] == '\r')
            line.len--;
        if (at < line.len) {
            surety_buf_append(out, line.ptr, at);
            surety_buf_text(out, "surety/VERSION");
            line.ptr += at + version.len;
            line.len -= at + version.len;
        }
        if (line.len > SHOWN_MAX)
            surety__buf_printf(out, "%zu bytes", line.len);
        else
            put_named(world, line, out);
        surety_buf_byte(out, '\n');
    }
}

static bool run(struct golden *golden)
{
    struct world world = {.server = {.connection = -1}};
    surety_buf refused;

    surety_buf_init(&world.server.asked, NULL, 0);
    surety_buf_init(&world.server.out, NULL, 0);
    surety_buf_init(&refused, NULL, 0);
    server_open(&world.server, golden_find(golden, "server")
                                   ? golden_find(golden, "server")->text
                                   : (surety_str){"", 0});
    world_open(&world, golden_body(golden, "open"), &refused);
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (golden_is(section, "heard")) {
            golden_begin(golden, section);
            if (!world.http || !world.exec)
                surety_buf_add(&golden->made, surety_buf_str(&refused));
            else
                run_request(&world, section[-1].body, &golden->made);
        } else if (golden_is(section, "asked")) {
            world_close(&world);
            golden_begin(golden, section);
            put_asked(&world, &golden->made);
        } else {
            golden_keep(golden, section);
        }
    }
    if (world.http || world.exec)
        world_close(&world);
    surety_buf_done(&world.server.asked);
    surety_buf_done(&world.server.out);
    surety_buf_done(&refused);
    return true;
}

int main(int argc, char **argv)
{
    static const char *const proxies[] = {
        "http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY",
        "ALL_PROXY",  "no_proxy",    "NO_PROXY"};
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    /* No proxy of the tester's is asked. */
    for (size_t i = 0; i < sizeof(proxies) / sizeof(*proxies); i++)
        unsetenv(proxies[i]);
    setenv("SURETY_GIVEN", "a=b", 1);
    setenv("SURETY_GIVE", "c", 1);
    setenv("SURETY_GIVEN_MORE", "d", 1);
    setenv("SURETY_TOO", "e", 1);
    setenv("OPENAI_API_KEY", "sk-planted", 1);
    return golden_main(argc, argv, &folder);
}
