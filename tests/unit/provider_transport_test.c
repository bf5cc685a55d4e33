/* SPDX-License-Identifier: Apache-2.0 */
/* Transports from within: what a request may not hold, which addresses are
 * public, and whole exchanges with memory running out anywhere. What servers
 * and commands can do to them is tests/e2e/transport_test.py's matter. */
#include "check.h"
#include "heard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "provider/recording.h"
#include "provider/transport.h"

/* ---- the parts ----------------------------------------------------------- */

static const struct {
    const char *text;
    bool public;
} addresses[] = {
    {"1.1.1.1", true},
    {"8.8.8.8", true},
    {"0.0.0.0", false},
    {"0.255.255.255", false},
    {"1.0.0.0", true},
    {"9.255.255.255", true},
    {"10.0.0.0", false},
    {"10.255.255.255", false},
    {"11.0.0.0", true},
    {"100.63.255.255", true},
    {"100.64.0.0", false},
    {"100.127.255.255", false},
    {"100.128.0.0", true},
    {"126.255.255.255", true},
    {"127.0.0.1", false},
    {"127.255.255.255", false},
    {"128.0.0.0", true},
    {"169.253.255.255", true},
    {"169.254.169.254", false},
    {"169.255.0.0", true},
    {"172.15.255.255", true},
    {"172.16.0.0", false},
    {"172.31.255.255", false},
    {"172.32.0.0", true},
    {"192.0.0.8", false},
    {"192.0.1.0", true},
    {"192.0.2.1", false},
    {"192.88.99.1", false},
    {"192.167.255.255", true},
    {"192.168.0.0", false},
    {"192.169.0.0", true},
    {"198.17.255.255", true},
    {"198.18.0.0", false},
    {"198.19.255.255", false},
    {"198.20.0.0", true},
    {"198.51.100.7", false},
    {"203.0.113.7", false},
    {"223.255.255.255", true},
    {"224.0.0.1", false},
    {"240.0.0.1", false},
    {"255.255.255.255", false},
    {"::", false},
    {"::1", false},
    {"2606:4700::1111", true},
    {"::ffff:1.1.1.1", true},
    {"::ffff:127.0.0.1", false},
    {"::127.0.0.1", false},
    {"64:ff9b::1.1.1.1", true},
    {"64:ff9b::10.0.0.1", false},
    {"64:ff9b:1::1.1.1.1", false},
    {"2002:101:101::1", true},
    {"2002:a00:1::1", false},
    {"2001::1", false},
    {"2001:1ff:ffff::", false},
    {"2001:200::1", true},
    {"2001:db8::1", false},
    {"2001:db9::1", true},
    {"3fff::1", false},
    {"3fff:fff:ffff::", false},
    {"3fff:1000::1", true},
    {"4000::1", false},
    {"1fff::1", false},
    {"fc00::1", false},
    {"fd12::1", false},
    {"fe80::1", false},
    {"ff02::1", false},
    {"100::1", false},
};

TEST(knows_public_addresses)
{
    for (size_t i = 0; i < CHECK_COUNT(addresses); i++) {
        const bool six = strchr(addresses[i].text, ':') != NULL;
        unsigned char bytes[16];

        CHECK(inet_pton(six ? AF_INET6 : AF_INET, addresses[i].text, bytes) ==
              1);
        if (surety__address_is_public(bytes, six ? 16 : 4) !=
            addresses[i].public)
            printf("# %s\n", addresses[i].text);
        CHECK(surety__address_is_public(bytes, six ? 16 : 4) ==
              addresses[i].public);
    }
    CHECK(!surety__address_is_public((const unsigned char *)"\1\1\1\1", 3));
done:
    return;
}

TEST(refuses_headers_that_change_the_request)
{
    static const struct {
        const char *name;
        surety_str value;
        surety_status status;
    } cases[] = {
        {"x-a", {"plain \t value \xC3\xA9", 16}, SURETY_OK},
        {"x-a", {NULL, 0}, SURETY_OK},
        {"!#$%&'*+-.^_`|~", {"", 0}, SURETY_OK},
        {"", {"a", 1}, SURETY_MISUSE},
        {"x a", {"a", 1}, SURETY_MISUSE},
        {"x:", {"a", 1}, SURETY_MISUSE},
        {"x\n", {"a", 1}, SURETY_MISUSE},
        {"x\xC3\xA9", {"a", 1}, SURETY_MISUSE},
        {"x-a", {"a\r\nb: c", 7}, SURETY_MISUSE},
        {"x-a", {"a\nb", 3}, SURETY_MISUSE},
        {"x-a", {"a\0b", 3}, SURETY_MISUSE},
        {"x-a", {"a\x7F", 2}, SURETY_MISUSE},
        {"x-a", {"\x1F", 1}, SURETY_MISUSE},
        {"Content-Length", {"1", 1}, SURETY_MISUSE},
        {"transfer-ENCODING", {"x", 1}, SURETY_MISUSE},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety_header header = {surety_str_of(cases[i].name),
                                      cases[i].value, false};
        const surety_request request = {
            .size = sizeof(request), .headers = &header, .header_count = 1};
        surety_error error = {.status = SURETY_OK};

        EXPECT(cases[i].status, surety__headers_check(&request, &error));
        CHECK(cases[i].status == SURETY_OK || error.message[0]);
    }
    CHECK(surety__header_is_internal(surety_str_of("X-Surety-Model")));
    CHECK(!surety__header_is_internal(surety_str_of("x-suret")));
    CHECK(!surety__header_is_internal(surety_str_of("a-x-surety-model")));
done:
    return;
}

TEST(cuts_messages_between_characters)
{
    char text[400];
    surety_delivery delivery;

    for (size_t i = 0; i < sizeof(text); i += 2)
        memcpy(text + i, "\xC3\xA9", 2);
    for (size_t shift = 0; shift < 2; shift++) {
        delivery = surety__delivery_of(SURETY_FAILURE_RESET, true, "%s%.*s",
                                       shift ? "x" : "", 390, text);
        CHECK(strlen(delivery.message) < sizeof(delivery.message));
        CHECK(strlen(delivery.message) > 240);
        CHECK(surety__utf8_valid(surety_str_of(delivery.message), NULL));
    }
    delivery = surety__delivery_of(SURETY_FAILURE_NONE, false, "%s", "");
    CHECK(delivery.message[0] == '\0' && !delivery.sent);
done:
    return;
}

TEST(takes_away_only_its_own_signals)
{
    surety__shield shield;
    sigset_t pending;
    sigset_t before;
    sigset_t after;
    int ends[2] = {-1, -1};

    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &before) == 0);
    CHECK(pipe(ends) == 0);
    close(ends[0]);
    ends[0] = -1;
    surety__shield_raise(&shield);
    CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
    surety__shield_lower(&shield);
    sigpending(&pending);
    CHECK(!sigismember(&pending, SIGPIPE));
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &after) == 0);
    CHECK(sigismember(&before, SIGPIPE) == sigismember(&after, SIGPIPE));
done:
    if (ends[0] >= 0)
        close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
}

TEST(finds_the_path_of_a_url)
{
    static const char *const cases[][2] = {
        {"https://host/v1/x?a=b", "/v1/x?a=b"},
        {"http://host", ""},
        {"http://host?x", "?x"},
        {"exec:cat /a", "exec:cat /a"},
        {"https://u:p@host:8/", "/"},
        {"", ""},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        CHECK_TEXT(surety__url_path(surety_str_of(cases[i][0])), cases[i][1]);
    /* Nothing is read past the end. */
    CHECK_TEXT(surety__url_path((surety_str){"http://host/x", 11}), "");
    CHECK_TEXT(surety__url_path((surety_str){"http://h?x", 8}), "");
    CHECK_TEXT(surety__url_path((surety_str){"http://h", 6}), "http:/");
done:
    return;
}

/* ---- exchanges ----------------------------------------------------------- */

/* A server in the same thread, one connection after the other. */
struct server {
    int listening;
    int connection; /* whose request has not come yet; -1: none */
    char url[64];
    char request[4096]; /* the last one */
};

static bool server_open(struct server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    surety_buf url;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listening =
        socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->listening < 0 ||
        bind(server->listening, (struct sockaddr *)&address, len) ||
        listen(server->listening, 8) ||
        getsockname(server->listening, (struct sockaddr *)&address, &len))
        return false;
    surety_buf_init(&url, NULL, sizeof(server->url) - 1);
    surety__buf_printf(&url, "http://127.0.0.1:%u/x", ntohs(address.sin_port));
    memcpy(server->url, url.ptr, url.len);
    server->url[url.len] = '\0';
    surety_buf_done(&url);
    return true;
}

/* Answers a request that has come, if one has. It never waits for one: its
 * client has this thread, too. */
static void server_turn(struct server *server, const char *answer)
{
    ssize_t len;

    if (server->connection < 0)
        server->connection = accept(server->listening, NULL, NULL);
    if (server->connection < 0)
        return;
    len = recv(server->connection, server->request, sizeof(server->request) - 1,
               MSG_DONTWAIT);
    if (len < 0 && errno == EAGAIN)
        return;
    server->request[len > 0 ? len : 0] = '\0';
    if (len > 0)
        (void)send(server->connection, answer, strlen(answer), MSG_NOSIGNAL);
    close(server->connection);
    server->connection = -1;
}

static void server_close(struct server *server)
{
    if (server->connection >= 0)
        close(server->connection);
    if (server->listening >= 0)
        close(server->listening);
}

/* Opens a server and the transport that asks it. */
static surety_status http_open(struct server *server,
                               const surety_http_options *options,
                               surety_transport **ret_transport)
{
    return server_open(server) ? surety_http_open(options, ret_transport, NULL)
                               : SURETY_IO;
}

/* Lets both work until one more exchange has ended. */
static surety_status http_hear(surety_transport *transport,
                               struct server *server, const char *answer,
                               const struct heard *heard)
{
    const size_t ends = heard->ends;
    surety_status status = SURETY_OK;

    while (heard->ends == ends && !status) {
        status = transport->wait(transport->ctx, 10, NULL);
        server_turn(server, answer);
    }
    return status;
}

/* Whether a loop that watches the transport would sleep now. */
static bool is_idle(const surety_transport *transport)
{
    struct pollfd look = {.fd = transport->descriptor(transport->ctx),
                          .events = POLLIN};

    return poll(&look, 1, 0) == 0;
}

TEST(talks_to_a_server)
{
    static const surety_header headers[] = {
        {{"content-type", 12}, {"application/json", 16}, false},
        {{"x-empty", 7}, {NULL, 0}, false},
        {{"authorization", 13}, {"Bearer k", 8}, true},
    };
    struct server server = {.listening = -1, .connection = -1};
    surety_http_options options = {.size = sizeof(options),
                                   .ca_file = {"/etc/ca", 7},
                                   .alloc = check_alloc(t)};
    surety_transport *transport = NULL;
    surety_request request = request_of("", "{}");
    struct heard heard;
    const surety_receiver receiver = heard_receiver(&heard);

    heard_init(&heard, check_alloc(t));
    TRY(http_open(&server, &options, &transport));
    request.url = surety_str_of(server.url);
    request.headers = headers;
    request.header_count = CHECK_COUNT(headers);
    TRY(transport->start(transport->ctx, 5, &request, &receiver, NULL));
    EXPECT(SURETY_MISUSE,
           transport->start(transport->ctx, 5, &request, &receiver, NULL));
    TRY(http_hear(transport, &server,
                  "HTTP/1.1 200 OK\r\nX-A: b\r\nX-B: c\r\n"
                  "Content-Length: 5\r\n\r\nhello",
                  &heard));
    CHECK(heard.ends == 1);
    CHECK(heard.heads == 1 && heard.status == 200);
    CHECK(heard.failure == SURETY_FAILURE_NONE && heard.sent);
    TRY(heard.body.status);
    CHECK_TEXT(surety_buf_str(&heard.body), "hello");
    /* The server has closed the connection, which rests: that is no work. */
    TRY(transport->wait(transport->ctx, 0, NULL));
    CHECK(is_idle(transport));
    /* What is under way when it is closed. */
    TRY(transport->start(transport->ctx, 6, &request, &receiver, NULL));
    transport->cancel(transport->ctx, 7);
    CHECK(heard.ends == 1);
    transport->close(transport->ctx);
    transport = NULL;
    CHECK(heard.ends == 2 && heard.failure == SURETY_FAILURE_CANCELLED);
    CHECK(!heard.sent);
    EXPECT(SURETY_MISUSE,
           surety_http_open(
               &(surety_http_options){.size = sizeof(surety_http_options),
                                      .proxy = {"a\0b", 3},
                                      .alloc = check_alloc(t)},
               &transport, NULL));
done:
    transport_close(transport);
    server_close(&server);
    heard_done(&heard);
}

/* Reads a request that came on a connection of its own, and begins to answer
 * it; false: none came. */
static bool server_begin(struct server *server, int *connection,
                         const char *answer)
{
    if (*connection < 0)
        *connection = accept(server->listening, NULL, NULL);
    return *connection >= 0 &&
           recv(*connection, server->request, sizeof(server->request),
                MSG_DONTWAIT) > 0 &&
           send(*connection, answer, strlen(answer), MSG_NOSIGNAL) > 0;
}

/* A server ends its response and sends one that nothing asked for behind it.
 * Another request waits for a connection, and may begin in the same call of
 * wait in which the exchange before it ends: it gets a connection that is new.
 */
TEST(hears_no_answer_but_its_own)
{
    static const char begin[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na";
    static const char end[] = "bHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
                              "stale";
    struct server server = {.listening = -1, .connection = -1};
    int first = -1;
    surety_http_options options = {.size = sizeof(options),
                                   .connections_host_max = 1,
                                   .alloc = check_alloc(t)};
    surety_transport *transport = NULL;
    surety_request request = request_of("", "{}");
    struct heard heard, other;
    const surety_receiver receiver = heard_receiver(&heard);
    const surety_receiver another = heard_receiver(&other);

    heard_init(&heard, check_alloc(t));
    heard_init(&other, check_alloc(t));
    TRY(http_open(&server, &options, &transport));
    request.url = surety_str_of(server.url);
    TRY(transport->start(transport->ctx, 1, &request, &receiver, NULL));
    while (!heard.ends && !server_begin(&server, &first, begin))
        TRY(transport->wait(transport->ctx, 10, NULL));
    while (!heard.ends && !heard.body.len && !heard.body.status)
        TRY(transport->wait(transport->ctx, 10, NULL));
    TRY(heard.body.status);
    TRY(transport->start(transport->ctx, 2, &request, &another, NULL));
    TRY(transport->wait(transport->ctx, 0, NULL));
    (void)send(first, end, sizeof(end) - 1, MSG_NOSIGNAL);
    TRY(http_hear(transport, &server,
                  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfresh", &other));
    while (!heard.ends)
        TRY(transport->wait(transport->ctx, 10, NULL));
    TRY(heard.body.status);
    TRY(other.body.status);
    CHECK_TEXT(surety_buf_str(&heard.body), "ab");
    CHECK_TEXT(surety_buf_str(&other.body), "fresh");
done:
    transport_close(transport);
    if (first >= 0)
        close(first);
    server_close(&server);
    heard_done(&heard);
    heard_done(&other);
}

/* Handles of libcurl are used again: each request goes to its own URL, with its
 * own method, headers and body, whatever the one before was. */
TEST(begins_each_request_anew)
{
    static const surety_header secret = {
        {"authorization", 13}, {"Bearer k", 8}, true};
    static const struct {
        const char *path, *method, *body;
        bool has_key;
        surety_status status;
        const char *line;
    } rows[] = {
        {"", "POST", "{\"a\": 1}", true, SURETY_OK, "POST /x HTTP/1.1\r\n"},
        {"/y?b=1", "GET", "", false, SURETY_OK, "GET /x/y?b=1 HTTP/1.1\r\n"},
        {" z", "GET", "", true, SURETY_MISUSE, ""},
        {"", "POST", "2", false, SURETY_OK, "POST /x HTTP/1.1\r\n"},
        {"/../z", "POST", "3", false, SURETY_OK, "POST /x/../z HTTP/1.1\r\n"},
        {"/y?b=1", "GET", "", false, SURETY_OK, "GET /x/y?b=1 HTTP/1.1\r\n"},
    };
    struct server server = {.listening = -1, .connection = -1};
    surety_http_options options = {.size = sizeof(options),
                                   .alloc = check_alloc(t)};
    surety_transport *transport = NULL;
    struct heard heard;
    const surety_receiver receiver = heard_receiver(&heard);
    surety_status status;

    heard_init(&heard, check_alloc(t));
    TRY(http_open(&server, &options, &transport));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety_request request = request_of("", rows[i].body);
        char url[128];

        snprintf(url, sizeof(url), "%s%s", server.url, rows[i].path);
        request.url = surety_str_of(url);
        request.method = surety_str_of(rows[i].method);
        request.headers = &secret;
        request.header_count = rows[i].has_key ? 1 : 0;
        status = transport->start(transport->ctx, i, &request, &receiver, NULL);
        if (rows[i].status) {
            EXPECT(rows[i].status, status);
            continue;
        }
        TRY(status);
        TRY(http_hear(transport, &server,
                      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
                      "Connection: close\r\n\r\n",
                      &heard));
        CHECK(heard.failure == SURETY_FAILURE_NONE);
        CHECK(!strncmp(server.request, rows[i].line, strlen(rows[i].line)));
        CHECK(!strstr(server.request, "Bearer") == !rows[i].has_key);
        CHECK(!strcmp(strstr(server.request, "\r\n\r\n") + 4, rows[i].body));
    }
done:
    transport_close(transport);
    server_close(&server);
    heard_done(&heard);
}

static surety_status exec_open(struct check *t,
                               surety_transport **ret_transport)
{
    return surety_exec_open(NULL, 0, check_alloc(t), ret_transport, NULL);
}

/* Starts the request, and waits for its end. */
static surety_status exec_hear(surety_transport *transport,
                               const surety_request *request,
                               struct heard *heard)
{
    const surety_receiver receiver = heard_receiver(heard);
    surety_status status =
        transport->start(transport->ctx, 1, request, &receiver, NULL);

    while (!heard->ends && !status)
        status = transport->wait(transport->ctx, 20, NULL);
    return status;
}

TEST(talks_to_a_command)
{
    surety_transport *transport = NULL;
    surety_request request = request_of("exec:cat; exit 3", "in and out");
    struct heard heard;
    const surety_receiver receiver = heard_receiver(&heard);

    heard_init(&heard, check_alloc(t));
    TRY(exec_open(t, &transport));
    EXPECT(SURETY_MISUSE,
           transport->start(transport->ctx, 1,
                            &(surety_request){.size = sizeof(request),
                                              .url = {"exec:a\0b", 8}},
                            &receiver, NULL));
    TRY(transport->start(transport->ctx, 1, &request, &receiver, NULL));
    EXPECT(SURETY_MISUSE,
           transport->start(transport->ctx, 1, &request, &receiver, NULL));
    while (!heard.ends)
        TRY(transport->wait(transport->ctx, 20, NULL));
    CHECK(heard.failure == SURETY_FAILURE_COMMAND && heard.sent);
    TRY(heard.body.status);
    CHECK_TEXT(surety_buf_str(&heard.body), "in and out");
    /* Closing ends a command, and its process is waited for. */
    request.url = surety_str_of("exec:sleep 600");
    TRY(transport->start(transport->ctx, 1, &request, &receiver, NULL));
    transport->close(transport->ctx);
    transport = NULL;
    CHECK(heard.ends == 2 && heard.failure == SURETY_FAILURE_CANCELLED);
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
done:
    transport_close(transport);
    heard_done(&heard);
}

TEST(starts_a_command_without_a_shell)
{
    surety_transport *transport = NULL;
    const surety_request request =
        request_of("argv:[\"printf\", \"%s|\", \"$HOME\", \"a b\"]", "");
    struct heard heard;

    heard_init(&heard, check_alloc(t));
    TRY(exec_open(t, &transport));
    TRY(exec_hear(transport, &request, &heard));
    TRY(heard.body.status);
    CHECK_TEXT(surety_buf_str(&heard.body), "$HOME|a b|");
done:
    transport_close(transport);
    heard_done(&heard);
}

TEST(gives_a_command_a_small_environment)
{
    static const surety_str names[] = {{"SURETY_GIVEN", 12},
                                       {"SURETY_ABSENT", 13}};
    static const surety_str bad[] = {{"A=B", 3}};
    surety_transport *transport = NULL;
    const surety_request request = request_of(
        "exec:env | grep -E '^(SURETY_|LC_ALL|TZ|[A-Z]*_KEY)' | LC_ALL=C sort",
        "");
    struct heard heard;

    heard_init(&heard, check_alloc(t));
    setenv("OPENAI_API_KEY", "sk-planted", 1);
    setenv("SURETY_GIVEN", "a=b", 1);
    setenv("SURETY_GIVEN_MORE", "c", 1);
    setenv("SURETY_GIVE", "d", 1);
    setenv("LC_ALL", "C", 1);
    setenv("TZ", "UTC", 1);
    TRY(surety_exec_open(names, 2, check_alloc(t), &transport, NULL));
    TRY(exec_hear(transport, &request, &heard));
    TRY(heard.body.status);
    CHECK_TEXT(surety_buf_str(&heard.body),
               "LC_ALL=C\nSURETY_GIVEN=a=b\nTZ=UTC\n");
    transport->close(transport->ctx);
    transport = NULL;
    EXPECT(SURETY_MISUSE,
           surety_exec_open(bad, 1, check_alloc(t), &transport, NULL));
done:
    transport_close(transport);
    heard_done(&heard);
}

TEST(knows_when_somebody_else_waits)
{
    surety_transport *transport = NULL;
    const surety_request request = request_of("exec:true", "");
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    struct heard heard;

    heard_init(&heard, check_alloc(t));
    sigaction(SIGCHLD, &ignore, &before);
    TRY(exec_open(t, &transport));
    TRY(exec_hear(transport, &request, &heard));
    CHECK(heard.ends == 1 && heard.failure == SURETY_FAILURE_COMMAND);
done:
    transport_close(transport);
    sigaction(SIGCHLD, &before, NULL);
    heard_done(&heard);
}

static void ignore_signal(int number)
{
    (void)number;
}

/* A process that sends this one a signal every 50 ms, so that one comes after
 * the wait has begun, however late that is. */
static pid_t alarm_often(void)
{
    const pid_t child = fork();
    const struct timespec pause = {0, 50000000};

    while (child == 0 && nanosleep(&pause, NULL) == 0)
        if (kill(getppid(), SIGUSR1) != 0)
            _exit(0);
    return child;
}

/* One wait of ten minutes, more than a test may take, with nothing to tell. */
static surety_status wait_long(surety_transport *transport,
                               surety_status *ret_status)
{
    const pid_t child = alarm_often();

    *ret_status = SURETY_IO;
    if (child < 0)
        return *ret_status;
    *ret_status = transport->wait(transport->ctx, 600000, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return *ret_status;
}

TEST(returns_on_a_signal)
{
    const surety_http_options options = {.size = sizeof(options),
                                         .alloc = check_alloc(t)};
    struct sigaction action = {.sa_handler = ignore_signal};
    struct sigaction before;
    struct server server = {.listening = -1, .connection = -1};
    surety_transport *http = NULL, *exec = NULL;
    surety_request request = request_of("exec:sleep 600", "");
    struct heard heard;
    const surety_receiver receiver = heard_receiver(&heard);
    surety_status status;

    heard_init(&heard, check_alloc(t));
    sigaction(SIGUSR1, &action, &before);
    TRY(http_open(&server, &options, &http));
    TRY(exec_open(t, &exec));
    TRY(wait_long(http, &status));
    TRY(exec->start(exec->ctx, 1, &request, &receiver, NULL));
    TRY(wait_long(exec, &status));
    request.url = surety_str_of(server.url);
    TRY(http->start(http->ctx, 1, &request, &receiver, NULL));
    TRY(wait_long(http, &status));
    CHECK(heard.ends == 0);
done:
    transport_close(http);
    transport_close(exec);
    sigaction(SIGUSR1, &before, NULL);
    server_close(&server);
    heard_done(&heard);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"knows public addresses", knows_public_addresses},
        {"refuses headers that change the request",
         refuses_headers_that_change_the_request},
        {"cuts messages between characters", cuts_messages_between_characters},
        {"takes away only its own signals", takes_away_only_its_own_signals},
        {"finds the path of a URL", finds_the_path_of_a_url},
        {"talks to a server", talks_to_a_server},
        {"hears no answer but its own", hears_no_answer_but_its_own},
        {"begins each request anew", begins_each_request_anew},
        {"talks to a command", talks_to_a_command},
        {"starts a command without a shell", starts_a_command_without_a_shell},
        {"gives a command a small environment",
         gives_a_command_a_small_environment},
        {"knows when somebody else waits", knows_when_somebody_else_waits},
        {"returns on a signal", returns_on_a_signal},
    };

    /* No proxy of the tester's is asked. */
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
