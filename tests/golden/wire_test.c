/* SPDX-License-Identifier: Apache-2.0 */
/* The mock server over the wire: a script, what a client sends, what comes back
 * and what is logged.
 *
 *     wire_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case. Its sections, of which some are made:
 *
 *     === script      starts a server; one that ran before is closed
 *     === refused     made: why it cannot start
 *     === request     METHOD TARGET, then a header a line (Host, Connection:
 *                     close and Content-Length are added), an empty line, the
 *                     body; `@fill N C` makes the body N times C, `@chunked`
 *                     sends it so, `@keep` keeps the connection, `@leave TEXT`
 *                     hangs up when TEXT has come
 *     === answered    made: the status, the headers by name, the body without
 *                     its chunks, and `reset` or `cut` where it ended so
 *     === log         made: the lines since the last
 *
 * All of it happens in one thread: the server is moved while the client waits.
 */
#include "golden/cases.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mock/mock.h"

enum {
    STEPS_MAX = 20000,
    AFTER_MAX = 400,
    STEP_MS = 5,
    LINES_MAX = 32,
    SHOWN_MAX = 2000
};

struct world {
    surety_mock *mock;
    surety_status status;
    surety_error error;
    int fd;
    bool keeps, chunked;
    surety_str leaves; /* after this text */
    bool reset;
    surety_buf sent, got, log;
    size_t logged;
};

static void hear_log(void *ctx, surety_str line)
{
    struct world *world = ctx;

    surety_buf_add(&world->log, line);
    surety_buf_byte(&world->log, '\n');
    world->logged++;
}

static void hang_up(struct world *world)
{
    if (world->fd >= 0)
        close(world->fd);
    world->fd = -1;
}

static void start(struct world *world, surety_str script)
{
    const surety_mock_options options = {
        .size = sizeof(options), .log = hear_log, .log_ctx = world};

    hang_up(world);
    surety_mock_close(world->mock);
    world->mock = NULL;
    world->status =
        surety__mock_new(script, &options, &world->mock, &world->error);
}

/* ---- the client ---------------------------------------------------------- */

static void dial(struct world *world)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    if (world->fd >= 0)
        return;
    address.sin_port = htons(surety_mock_port(world->mock));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    world->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (world->fd < 0 ||
        connect(world->fd, (struct sockaddr *)&address, sizeof(address)))
        golden_die("no connection", "to the mock");
    fcntl(world->fd, F_SETFL, O_NONBLOCK);
}

static void add_header(struct world *world, surety_str given, const char *name,
                       const char *value)
{
    const surety_str want = surety_str_of(name);
    surety_str line;

    while (golden_line(&given, &line) && line.len)
        if (line.len > want.len && line.ptr[want.len] == ':' &&
            surety__str_equal_nocase((surety_str){line.ptr, want.len}, want))
            return;
    surety_buf_text(&world->sent, name);
    surety_buf_text(&world->sent, ": ");
    surety_buf_text(&world->sent, value);
    surety_buf_text(&world->sent, "\r\n");
}

static void add_length(struct world *world, surety_str given, size_t len)
{
    char text[24];

    snprintf(text, sizeof(text), "%zu", len);
    add_header(world, given, "Content-Length", text);
}

/* The bytes of a request. */
static void make_request(struct world *world, surety_str text)
{
    surety_str line = {"", 0};
    surety_str given;
    surety_buf body;

    surety_buf_init(&body, NULL, 0);
    surety_buf_reset(&world->sent);
    world->keeps = world->chunked = false;
    world->leaves = (surety_str){NULL, 0};
    golden_line(&text, &line);
    surety_buf_add(&world->sent, line);
    surety_buf_text(&world->sent, " HTTP/1.1\r\n");
    given = text;
    while (golden_line(&text, &line) && line.len) {
        if (golden_take(&line, "@fill ")) {
            char *end = NULL;
            size_t count = strtoul(line.ptr, &end, 10);

            for (; count > 0; count--)
                surety_buf_byte(&body, end[1]);
        } else if (golden_take(&line, "@keep")) {
            world->keeps = true;
        } else if (golden_take(&line, "@chunked")) {
            world->chunked = true;
        } else if (golden_take(&line, "@leave ")) {
            world->leaves = line;
        } else {
            surety_buf_add(&world->sent, line);
            surety_buf_text(&world->sent, "\r\n");
        }
    }
    surety_buf_add(&body, text);
    add_header(world, given, "Host", "x");
    if (!world->keeps)
        add_header(world, given, "Connection", "close");
    if (world->chunked)
        add_header(world, given, "Transfer-Encoding", "chunked");
    else if (body.len)
        add_length(world, given, body.len);
    surety_buf_text(&world->sent, "\r\n");
    if (world->chunked)
        surety__buf_printf(&world->sent, "%zx\r\n", body.len);
    surety_buf_add(&world->sent, surety_buf_str(&body));
    if (world->chunked)
        surety_buf_text(&world->sent, "\r\n0\r\n\r\n");
    surety_buf_done(&body);
}

/* Moves the server until the answer is over. */
static void converse(struct world *world)
{
    const size_t logged = world->logged;
    surety_str leaves = world->leaves;
    size_t sent = 0;
    ssize_t got = 1;

    surety_buf_reset(&world->got);
    world->reset = false;
    for (int i = 0; i < STEPS_MAX && got != 0; i++) {
        char room[4096];
        ssize_t len = 0;

        if (sent < world->sent.len)
            len = send(world->fd, world->sent.ptr + sent,
                       world->sent.len - sent, MSG_NOSIGNAL);
        sent += len > 0 ? (size_t)len : 0;
        surety__mock_step(world->mock, STEP_MS);
        while ((got = recv(world->fd, room, sizeof(room), 0)) > 0)
            surety_buf_append(&world->got, room, (size_t)got);
        if (got < 0 && errno != EAGAIN) {
            world->reset = true;
            break;
        }
        if (leaves.len && surety__str_find(surety_buf_str(&world->got),
                                           leaves) < world->got.len) {
            leaves.len = 0;
            shutdown(world->fd, SHUT_RDWR);
        }
        if (world->keeps && world->logged > logged)
            return;
    }
    hang_up(world);
    for (int i = 0; i < AFTER_MAX && world->logged == logged; i++)
        surety__mock_step(world->mock, STEP_MS);
}

/* ---- what is shown ------------------------------------------------------- */

static int compare_lines(const void *left, const void *right)
{
    const surety_str *a = left;
    const surety_str *b = right;
    const int order = memcmp(a->ptr, b->ptr, a->len < b->len ? a->len : b->len);

    return order ? order : (a->len > b->len) - (a->len < b->len);
}

/* Takes a line with \r\n at its end off text. */
static surety_str take_line(surety_str *text)
{
    surety_str line = {"", 0};

    golden_line(text, &line);
    if (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* The body without its chunks; false where the last is missing. */
static bool put_chunks(surety_str text, surety_buf *out)
{
    while (text.len) {
        const surety_str line = take_line(&text);
        const size_t len = strtoul(line.ptr, NULL, 16);

        if (!len)
            return true;
        if (text.len < len + 2)
            break;
        surety_buf_append(out, text.ptr, len);
        text.ptr += len + 2;
        text.len -= len + 2;
    }
    surety_buf_add(out, text);
    return false;
}

static void put_body(surety_str body, surety_buf *out)
{
    if (body.len > SHOWN_MAX) {
        surety__buf_printf(out, "%zu bytes\n", body.len);
        return;
    }
    for (size_t i = 0; i < body.len; i++) {
        if (body.ptr[i] == '\n' && i + 1 < body.len)
            surety_buf_text(out, "\\n\n");
        else
            golden_escape(out, body.ptr[i]);
    }
    if (body.len)
        surety_buf_byte(out, '\n');
}

static void put_answer(const struct world *world, surety_buf *out)
{
    surety_str rest = surety_buf_str(&world->got);
    surety_str lines[LINES_MAX];
    surety_str line;
    size_t count = 0;
    size_t length = SIZE_MAX;
    bool chunked = false, whole = true;
    surety_buf body;

    surety_buf_init(&body, NULL, 0);
    if (golden_take(&rest, "HTTP/1.1 ")) {
        surety_buf_add(out, (surety_str){take_line(&rest).ptr, 3});
        surety_buf_byte(out, '\n');
        while ((line = take_line(&rest)).len && count < LINES_MAX) {
            lines[count++] = line;
            if (golden_take(&line, "Content-Length: "))
                length = strtoul(line.ptr, NULL, 10);
            chunked |= golden_take(&line, "Transfer-Encoding: chunked");
        }
        qsort(lines, count, sizeof(*lines), compare_lines);
        for (size_t i = 0; i < count; i++) {
            surety_buf_text(out, "  ");
            surety_buf_add(out, lines[i]);
            surety_buf_byte(out, '\n');
        }
    }
    if (chunked)
        whole = put_chunks(rest, &body);
    else
        surety_buf_add(&body, rest);
    whole = whole && (length == SIZE_MAX || body.len == length);
    put_body(surety_buf_str(&body), out);
    if (world->reset)
        surety_buf_text(out, "reset\n");
    else if (!whole)
        surety_buf_text(out, "cut\n");
    surety_buf_done(&body);
}

static void put_refusal(const struct world *world, surety_buf *out)
{
    const surety_error *error = &world->error;

    if (!world->status) {
        surety_buf_text(out, "it starts\n");
        return;
    }
    surety__buf_printf(out, "%s: %s\n", surety_status_name(world->status),
                       error->message);
    if (error->hint[0])
        surety__buf_printf(out, "%s\n", error->hint);
}

static bool run(struct golden *golden)
{
    struct world world = {.fd = -1};

    surety_buf_init(&world.sent, NULL, 0);
    surety_buf_init(&world.got, NULL, 0);
    surety_buf_init(&world.log, NULL, 0);
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        surety_buf *made = &golden->made;

        if (golden_is(section, "answered")) {
            if (!world.mock)
                golden_die(world.error.message, golden->path);
            make_request(&world, section[-1].body);
            dial(&world);
            converse(&world);
            golden_begin(golden, section);
            put_answer(&world, made);
        } else if (golden_is(section, "log")) {
            golden_begin(golden, section);
            surety_buf_add(made, surety_buf_str(&world.log));
            surety_buf_reset(&world.log);
        } else if (golden_is(section, "refused")) {
            golden_begin(golden, section);
            put_refusal(&world, made);
        } else {
            golden_keep(golden, section);
            if (golden_is(section, "script"))
                start(&world, section->body);
        }
    }
    hang_up(&world);
    surety_mock_close(world.mock);
    surety_buf_done(&world.sent);
    surety_buf_done(&world.got);
    surety_buf_done(&world.log);
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
