/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server with a service of the test's: every way in which a service
 * goes on, and the clients that do not. One thread: the test moves the server
 * while it reads. */
#include "serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { STEP_MS = 2, STEPS_MAX = 4000, STARVED_MAX = 40 };

/* What the service does with the next request, and what it noticed. */
struct world {
    const struct check *t;
    surety__server *server;
    uint16_t port;
    int listening;
    surety__response response;
    surety__flow flow;  /* of request */
    uint32_t wait_ms;   /* before it, where it is not 0 */
    const char *pulled; /* a letter a pull: a byte itself, or " " waits 1 ms,
                           "~" waits long, "." "!" "^" end, cut and reset */
    size_t pulls;
    bool twice;  /* answers twice */
    bool waked;  /* what waits long is waked */
    bool waited; /* once before the request was answered */
    surety__serving *waiting;
    surety_error error;
    surety_status status, again;
    unsigned requests, ended, whole;
    uint64_t sent;
    char seen[200]; /* METHOD PATH QUERY BODY */
    int fd;
    char got[65536];
    size_t len;
    bool reset;
};

static size_t put_text(char *to, size_t at, size_t size, surety_str text)
{
    const size_t len = text.len < size - 2 - at ? text.len : size - 2 - at;

    if (len)
        memcpy(to + at, text.ptr, len);
    to[at + len] = ' ';
    to[at + len + 1] = '\0';
    return at + len + 1;
}

static surety__flow serve_request(void *ctx, surety__serving *exchange,
                                  uint32_t *ret_wait_ms)
{
    struct world *world = ctx;
    const size_t size = sizeof(world->seen);
    size_t at = 0;

    if (world->wait_ms && !world->waited) {
        world->waited = true;
        world->waiting = exchange;
        *ret_wait_ms = world->wait_ms;
        return FLOW_WAIT;
    }
    world->requests++;
    at = put_text(world->seen, at, size, exchange->method);
    at = put_text(world->seen, at, size, exchange->path);
    at = put_text(world->seen, at, size, exchange->query);
    at = put_text(world->seen, at, size,
                  exchange->is_oversized ? surety_str_of("too large")
                                         : surety_buf_str(&exchange->body));
    put_text(world->seen, at, size, surety__serving_header(exchange, "X-A"));
    if (world->flow != FLOW_ON)
        return world->flow;
    if (!world->response.status)
        return FLOW_ON;
    world->status =
        surety__serving_answer(exchange, &world->response, &world->error);
    if (world->twice)
        world->again =
            surety__serving_answer(exchange, &world->response, &world->error);
    return FLOW_ON;
}

static surety__flow serve_pull(void *ctx, surety__serving *exchange,
                               surety__pull *pull)
{
    struct world *world = ctx;
    const char letter = world->pulled[world->pulls];

    world->pulls += letter != '\0';
    switch (letter) {
    case ' ': pull->wait_ms = 1; return FLOW_WAIT;
    case '~':
        pull->wait_ms = SERVE_WAIT_LONG;
        world->waiting = exchange;
        return FLOW_WAIT;
    case '!': return FLOW_CUT;
    case '^': return FLOW_RESET;
    case '.':
    case '\0': return FLOW_END;
    default: break;
    }
    pull->room[0] = letter;
    pull->len = 1;
    return FLOW_ON;
}

static void serve_ended(void *ctx, surety__serving *exchange, bool whole)
{
    struct world *world = ctx;

    world->ended++;
    world->whole += whole;
    world->sent = exchange->sent;
    world->waiting = NULL;
}

static surety_status world_open(struct check *t, struct world *world,
                                surety__server_options options)
{
    surety__listen_place listener;
    surety_status status;

    *world = (struct world){.t = t, .fd = -1, .pulled = ""};
    status = surety__listen_ip(surety_str_of(""), 0, &listener, &world->error);
    if (status)
        return status;
    world->port = listener.port;
    world->listening = listener.fd;
    options.sockets = &listener.fd;
    options.socket_count = 1;
    options.service =
        (surety__service){world, serve_request, serve_pull, serve_ended};
    options.alloc = check_alloc(t);
    return surety__server_open(&options, &world->server, &world->error);
}

static void world_close(struct world *world)
{
    if (world->fd >= 0)
        close(world->fd);
    surety__server_close(world->server);
}

/* ---- the client ---------------------------------------------------------- */

static bool dial(struct world *world, const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    if (world->fd >= 0)
        close(world->fd);
    world->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_port = htons(world->port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (world->fd < 0 ||
        connect(world->fd, (struct sockaddr *)&address, sizeof(address)))
        return false;
    fcntl(world->fd, F_SETFL, O_NONBLOCK);
    world->len = 0;
    world->reset = world->waited = false;
    world->pulls = 0;
    return send(world->fd, text, strlen(text), MSG_NOSIGNAL) ==
           (ssize_t)strlen(text);
}

/* Where memory ended, what is waited for may never come. */
static int steps_max(const struct world *world)
{
    return world->t->starved ? STARVED_MAX : STEPS_MAX;
}

/* Moves the server until the connection is closed. */
static void listen_to_end(struct world *world)
{
    for (int i = 0; i < steps_max(world); i++) {
        ssize_t got;

        surety__server_step(world->server, STEP_MS);
        if (world->waked && world->waiting) {
            surety__serving_wake(world->waiting);
            surety__server_wake(world->server);
            world->waiting = NULL;
        }
        while ((got = recv(world->fd, world->got + world->len,
                           sizeof(world->got) - 1 - world->len, 0)) > 0)
            world->len += (size_t)got;
        world->got[world->len] = '\0';
        world->reset = got < 0 && errno == ECONNRESET;
        if (got == 0 || world->reset)
            break;
    }
    /* The server's own view of the end. */
    for (int i = 0; i < 20 && world->ended < world->requests; i++)
        surety__server_step(world->server, STEP_MS);
}

static bool has(const struct world *world, const char *part)
{
    return strstr(world->got, part) != NULL;
}

/* What is behind the head. */
static surety_str body_of(const struct world *world)
{
    const char *end = strstr(world->got, "\r\n\r\n");

    return surety_str_of(end ? end + 4 : "no head");
}

#define GET(path)                                                              \
    "GET " path " HTTP/1.1\r\nHost: x\r\nX-A: b\r\nConnection: close\r\n\r\n"

/* ---- tests --------------------------------------------------------------- */

TEST(answers_whole)
{
    const surety_header headers[] = {{{"x-b", 3}, {"c", 1}, false},
                                     {{"x-b", 3}, {"d", 1}, false}};
    struct world world;

    TRY(world_open(t, &world, (surety__server_options){.no_date = false}));
    world.response = (surety__response){.status = 418,
                                        .headers = headers,
                                        .header_count = 2,
                                        .body = {"hello", 5}};
    CHECK(dial(&world, GET("/a%20b?c=%20")));
    listen_to_end(&world);
    if (t->starved)
        goto done;
    TRY(world.status);
    CHECK_TEXT(surety_str_of(world.seen), "GET /a b c=%20  b ");
    CHECK(strncmp(world.got, "HTTP/1.1 418 ", 13) == 0);
    CHECK(has(&world, "x-b: c\r\n") && has(&world, "x-b: d\r\n"));
    CHECK(has(&world, "Content-Length: 5\r\n") && has(&world, "Date: "));
    CHECK_TEXT(body_of(&world), "hello");
    CHECK(world.requests == 1 && world.ended == 1 && world.whole == 1);
    CHECK(world.sent == 5);
done:
    world_close(&world);
}

TEST(goes_on_as_the_service_says)
{
    static const struct {
        const char *pulled;
        surety__answer_kind kind;
        uint64_t body_len;
        const char *got; /* the body, or all of what is raw */
        uint64_t sent;
        bool whole, reset, waked;
    } cases[] = {
        {"ab c.", ANSWER_STREAMED, 3, "abc", 3, true, false, false},
        {"ab~c.", ANSWER_STREAMED, 3, "abc", 3, true, false, true},
        {"ab!", ANSWER_STREAMED, 3, "ab", 2, false, false, false},
        {"ab^", ANSWER_STREAMED, 3, "ab", 2, false, true, false},
        {"!", ANSWER_STREAMED, 3, "", 0, false, false, false},
        {"a b c.", ANSWER_RAW, 0, "abc", 3, true, false, false},
        {"a~b.", ANSWER_RAW, 0, "ab", 2, true, false, true},
        {"ab!", ANSWER_RAW, 0, "ab", 2, false, false, false},
        {"ab^", ANSWER_RAW, 0, "ab", 2, false, true, false},
        {".", ANSWER_RAW, 0, "", 0, true, false, false},
        {"^", ANSWER_RAW, 0, "", 0, false, true, false},
    };
    struct world world;

    TRY(world_open(t, &world, (surety__server_options){.no_date = true}));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const bool raw = cases[i].kind == ANSWER_RAW;

        world.ended = world.whole = world.requests = 0;
        world.response = (surety__response){.kind = cases[i].kind,
                                            .status = 200,
                                            .body_len = cases[i].body_len};
        world.pulled = cases[i].pulled;
        world.waked = cases[i].waked;
        CHECK(dial(&world, GET("/")));
        listen_to_end(&world);
        if (t->starved)
            goto done;
        CHECK_TEXT(raw ? surety_str_of(world.got) : body_of(&world),
                   cases[i].got);
        CHECK(!has(&world, "Date: "));
        CHECK(world.reset == cases[i].reset);
        CHECK(world.ended == 1 && world.whole == cases[i].whole);
        CHECK(world.sent == cases[i].sent);
    }
done:
    world_close(&world);
}

TEST(answers_late_or_not_at_all)
{
    struct world world;

    TRY(world_open(t, &world, (surety__server_options){.no_date = true}));
    /* Asked again after its time, and when it is waked. */
    world.response = (surety__response){.status = 200, .body = {"x", 1}};
    for (int i = 0; i < 2; i++) {
        world.wait_ms = i ? SERVE_WAIT_LONG : 3;
        world.waked = i;
        CHECK(dial(&world, GET("/")));
        listen_to_end(&world);
        if (t->starved)
            goto done;
        CHECK_TEXT(body_of(&world), "x");
        CHECK(world.waited && world.requests == (unsigned)i + 1);
    }
    world.wait_ms = 0;
    /* Cut, and reset. */
    world.flow = FLOW_CUT;
    CHECK(dial(&world, GET("/")));
    listen_to_end(&world);
    CHECK(t->starved || (world.len == 0 && !world.reset));
    world.flow = FLOW_RESET;
    CHECK(dial(&world, GET("/")));
    listen_to_end(&world);
    CHECK(t->starved || (world.len == 0 && world.reset));
    CHECK(t->starved || (world.ended == 4 && world.whole == 2));
    /* A service that forgot to answer. */
    world.flow = FLOW_ON;
    world.response.status = 0;
    CHECK(dial(&world, GET("/")));
    listen_to_end(&world);
    if (t->starved)
        goto done;
    CHECK(strncmp(world.got, "HTTP/1.1 500 ", 13) == 0);
    CHECK(has(&world, "\"message\":\"the server ran out of memory\""));
done:
    world_close(&world);
}

TEST(refuses_answers_that_are_none)
{
    static const struct {
        surety_header header;
        int status;
        const char *message;
    } cases[] = {
        {{{"", 0}, {"a", 1}, false},
         200,
         "a response cannot have the header \"\""},
        {{{"x a", 3}, {"a\nb", 3}, false},
         200,
         "a response cannot have the header \"x a\""},
        {{{"x\x1F", 2}, {"a", 1}, false},
         200,
         "a response cannot have the header \"x\\x1f\""},
        {{{"x-a", 3}, {"a\x7F", 2}, false},
         200,
         "a response cannot have the header \"x-a\""},
        {{{"x-a", 3}, {"a ~", 3}, false},
         99,
         "a response cannot have the status 99"},
    };
    struct world world;

    TRY(world_open(t, &world, (surety__server_options){.no_date = true}));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        world.response = (surety__response){.status = cases[i].status,
                                            .headers = &cases[i].header,
                                            .header_count = 1};
        CHECK(dial(&world, GET("/")));
        listen_to_end(&world);
        if (t->starved)
            goto done;
        CHECK(world.status == SURETY_MISUSE);
        CHECK_TEXT(surety_str_of(world.error.message), cases[i].message);
        CHECK(strncmp(world.got, "HTTP/1.1 500 ", 13) == 0);
    }
    world.response = (surety__response){.status = 200,
                                        .headers = &cases[4].header,
                                        .header_count = 1,
                                        .body = {"once", 4}};
    world.twice = true;
    CHECK(dial(&world, GET("/")));
    listen_to_end(&world);
    if (t->starved)
        goto done;
    CHECK(world.status == SURETY_OK && world.again == SURETY_MISUSE);
    CHECK_TEXT(surety_str_of(world.error.message),
               "the request has its answer already");
    CHECK_TEXT(body_of(&world), "once");
done:
    world_close(&world);
}

TEST(takes_bodies_up_to_a_size)
{
    static const struct {
        const char *request;
        const char *seen;
    } cases[] = {
        {"Content-Length: 4\r\n\r\nabcd", "POST /  abcd  "},
        {"Content-Length: 5\r\n\r\nabcde", "POST /  too large  "},
        {"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n",
         "POST /  abcd  "},
        {"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n",
         "POST /  too large  "},
        {"Content-Length: 0\r\n\r\n", "POST /    "},
    };
    struct world world;
    char text[200];

    TRY(world_open(t, &world, (surety__server_options){.body_bytes_max = 4}));
    world.response = (surety__response){.status = 200};
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        snprintf(text, sizeof(text),
                 "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s",
                 cases[i].request);
        CHECK(dial(&world, text));
        listen_to_end(&world);
        if (t->starved)
            goto done;
        CHECK_TEXT(surety_str_of(world.seen), cases[i].seen);
        CHECK(strncmp(world.got, "HTTP/1.1 200 ", 13) == 0);
    }
done:
    world_close(&world);
}

/* A client that does not get on is hung up on; not before, and not one whose
 * request is being thought about. */
TEST(hangs_up_on_the_slow)
{
    static const struct {
        surety__server_options options;
        const char *text;
        const char *got; /* the begin */
    } cases[] = {
        {{.head_ms = 20}, "", ""},
        {{.head_ms = 20}, "GET /", "HTTP/1.1 408 "},
        {{.head_ms = 20}, "GET / HTTP/1.1\r\nHost:", "HTTP/1.1 408 "},
        {{.body_ms = 20},
         "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc",
         "HTTP/1.1 408 "},
        {{.idle_ms = 20},
         "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
         "HTTP/1.1 200 OK\r\n"},
        {{.idle_ms = 1}, GET("/"), "HTTP/1.1 200 OK\r\n"},
    };
    struct world world = {.t = t, .fd = -1};

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        TRY(world_open(t, &world, cases[i].options));
        world.response = (surety__response){.status = 200};
        world.wait_ms = i == 5 ? 40 : 0;
        CHECK(dial(&world, cases[i].text));
        listen_to_end(&world);
        if (t->starved)
            goto done;
        CHECK(strncmp(world.got, cases[i].got, strlen(cases[i].got)) == 0);
        CHECK((world.len == 0) == (cases[i].got[0] == '\0'));
        CHECK(world.requests == (i >= 4));
        world_close(&world);
        world = (struct world){.t = t, .fd = -1};
    }
done:
    world_close(&world);
}

/* The exchange of a client that hangs up ends, whole or half of the way. */
TEST(notices_who_is_gone)
{
    struct world world;

    TRY(world_open(t, &world, (surety__server_options){.no_date = true}));
    for (int i = 0; i < 4; i++) {
        const bool half = i % 2;

        world.ended = world.requests = 0;
        world.wait_ms = i < 2 ? SERVE_WAIT_LONG : 0;
        world.response = (surety__response){
            .kind = ANSWER_RAW, .status = 200, .body_len = UINT64_MAX};
        world.pulled = "a~";
        CHECK(dial(&world, GET("/")));
        for (int k = 0; k < steps_max(&world) && !world.waiting; k++)
            surety__server_step(world.server, STEP_MS);
        if (t->starved)
            goto done;
        CHECK(world.waiting && world.ended == 0);
        if (half) {
            shutdown(world.fd, SHUT_WR);
        } else {
            close(world.fd);
            world.fd = -1;
        }
        for (int k = 0; k < steps_max(&world) && !world.ended; k++)
            surety__server_step(world.server, STEP_MS);
        CHECK(t->starved || i < 2 || world.ended == 1);
        CHECK(t->starved || world.whole == 0);
    }
done:
    world_close(&world);
}

/* A client that sends its next request before the answer: the server sleeps
 * until the service has one, and takes the request then. */
TEST(sleeps_while_clients_send_ahead)
{
    const char *ahead = "GET /2 HTTP/1.1\r\nHost: x\r\n"
                        "Connection: close\r\n\r\n";
    struct pollfd look = {.events = POLLIN};
    struct world world;

    TRY(world_open(t, &world, (surety__server_options){.no_date = true}));
    look.fd = surety__server_descriptor(world.server);
    world.response = (surety__response){.status = 200, .body = {"x", 1}};
    world.wait_ms = SERVE_WAIT_LONG;
    CHECK(dial(&world, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"));
    for (int k = 0; k < steps_max(&world) && !world.waiting; k++)
        surety__server_step(world.server, STEP_MS);
    if (t->starved)
        goto done;
    CHECK(send(world.fd, ahead, strlen(ahead), MSG_NOSIGNAL) > 0);
    surety__server_step(world.server, STEP_MS);
    CHECK(poll(&look, 1, 0) == 0);
    world.waked = true;
    listen_to_end(&world);
    CHECK(t->starved || (world.requests == 2 && world.whole == 2));
done:
    world_close(&world);
}

/* A request whose client has ended its side is answered: it reads on. */
TEST(answers_who_has_said_all)
{
    struct world world;

    TRY(world_open(t, &world, (surety__server_options){.no_date = true}));
    world.response = (surety__response){.status = 200, .body = {"x", 1}};
    CHECK(dial(&world, GET("/")));
    shutdown(world.fd, SHUT_WR);
    listen_to_end(&world);
    CHECK(t->starved || world.whole == 1);
done:
    world_close(&world);
}

/* A server that leaves: an answer under way goes out and ends its connection, a
 * client between two requests is hung up on, and a new one is refused. */
TEST(leaves_when_it_is_told)
{
    struct world world;

    TRY(world_open(t, &world, (surety__server_options){.no_date = true}));
    world.response = (surety__response){.status = 200};
    surety__server_leave(world.server);
    CHECK(dial(&world, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    listen_to_end(&world);
    if (t->starved)
        goto done;
    CHECK_TEXT(surety_str_of(world.got),
               "HTTP/1.1 200 OK\r\nConnection: close\r\n"
               "Content-Length: 0\r\n\r\n");
    CHECK(dial(&world, "GET / HT"));
    surety__server_step(world.server, STEP_MS);
    surety__server_refuse(world.server);
    if (t->starved)
        goto done;
    CHECK(surety__server_busy(world.server) == 1);
    CHECK(send(world.fd, "TP/1.1\r\nHost: x\r\n\r\n", 19, MSG_NOSIGNAL) == 19);
    listen_to_end(&world);
    if (t->starved)
        goto done;
    CHECK(world.requests == 2 && world.whole == 2);
    CHECK(surety__server_busy(world.server) == 0);
    CHECK(!dial(&world, ""));
done:
    world_close(&world);
}

/* A server that refuses forgets a socket of which others have a descriptor,
 * such as systemd: a client that waits for them does not keep it busy. */
TEST(forgets_a_shared_socket)
{
    struct world world;
    struct pollfd ready = {.events = POLLIN};
    int kept = -1;

    TRY(world_open(t, &world, (surety__server_options){.no_date = true}));
    kept = dup(world.listening);
    CHECK(kept >= 0);
    surety__server_refuse(world.server);
    CHECK(dial(&world, ""));
    ready.fd = surety__server_descriptor(world.server);
    CHECK(poll(&ready, 1, 0) == 0);
done:
    if (kept >= 0)
        close(kept);
    world_close(&world);
}

/* A child that was forked has the sockets until it closes them or starts a
 * program. Closing ours does not take them out of epoll then. */
TEST(forgets_a_connection_that_a_child_has)
{
    struct world world;
    struct pollfd ready = {.events = POLLIN};
    pid_t child = -1;
    int steps = 0;

    TRY(world_open(t, &world, (surety__server_options){.no_date = true}));
    CHECK(dial(&world, "GET / HT"));
    while (!surety__server_busy(world.server) && steps++ < steps_max(&world))
        surety__server_step(world.server, STEP_MS);
    child = fork();
    CHECK(child >= 0);
    if (child == 0)
        for (;;)
            pause();
    shutdown(world.fd, SHUT_RDWR);
    while (surety__server_busy(world.server) && steps++ < steps_max(&world))
        surety__server_step(world.server, STEP_MS);
    ready.fd = surety__server_descriptor(world.server);
    CHECK(t->starved || surety__server_busy(world.server) == 0);
    CHECK(t->starved || poll(&ready, 1, 0) == 0);
done:
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    world_close(&world);
}

/* Servers that share a limit: no more connections are open than it says,
 * whichever server they are of, and who waits is taken when one ends. */
TEST(shares_a_limit_of_connections)
{
    struct world worlds[2];
    atomic_size_t open;
    const surety__server_options options = {
        .no_date = true, .connections_max = 1, .connections = &open};
    int steps = 0;

    atomic_init(&open, 0);
    worlds[0] = worlds[1] = (struct world){.t = t, .fd = -1};
    for (size_t i = 0; i < 2; i++)
        TRY(world_open(t, &worlds[i], options));
    CHECK(dial(&worlds[0], "GET / HT"));
    while (!surety__server_busy(worlds[0].server) &&
           steps++ < steps_max(&worlds[0]))
        surety__server_step(worlds[0].server, STEP_MS);
    if (t->starved)
        goto done;
    CHECK(dial(&worlds[1], "GET / HT"));
    for (int i = 0; i < 20; i++) {
        surety__server_step(worlds[1].server, STEP_MS);
        CHECK(surety__server_busy(worlds[1].server) == 0);
        CHECK(atomic_load(&open) == 1);
    }
    /* It looks again by itself: the others' closing is no event of its own. */
    CHECK(surety__server_wait_ms(worlds[1].server, 60000) <= 1000);
    shutdown(worlds[0].fd, SHUT_RDWR);
    while (surety__server_busy(worlds[0].server) &&
           steps++ < steps_max(&worlds[0]))
        surety__server_step(worlds[0].server, STEP_MS);
    CHECK(atomic_load(&open) == 0);
    while (!surety__server_busy(worlds[1].server) &&
           steps++ < steps_max(&worlds[1]))
        surety__server_step(worlds[1].server, STEP_MS);
    CHECK(t->starved || surety__server_busy(worlds[1].server) == 1);
    CHECK(t->starved || atomic_load(&open) == 1);
    surety__server_close(worlds[1].server);
    worlds[1].server = NULL;
    CHECK(atomic_load(&open) == 0);
done:
    for (size_t i = 0; i < 2; i++)
        world_close(&worlds[i]);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"answers whole", answers_whole},
        {"goes on as the service says", goes_on_as_the_service_says},
        {"answers late or not at all", answers_late_or_not_at_all},
        {"refuses answers that are none", refuses_answers_that_are_none},
        {"takes bodies up to a size", takes_bodies_up_to_a_size},
        {"hangs up on the slow", hangs_up_on_the_slow},
        {"notices who is gone", notices_who_is_gone},
        {"sleeps while clients send ahead", sleeps_while_clients_send_ahead},
        {"answers who has said all", answers_who_has_said_all},
        {"leaves when it is told", leaves_when_it_is_told},
        {"forgets a shared socket", forgets_a_shared_socket},
        {"forgets a connection that a child has",
         forgets_a_connection_that_a_child_has},
        {"shares a limit of connections", shares_a_limit_of_connections},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
