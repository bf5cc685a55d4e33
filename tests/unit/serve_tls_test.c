/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server by TLS. Law: a client gets the same bytes with and without
 * TLS, however its records and the network cut them. One thread: the test moves
 * the server while its client, OpenSSL with buffers in memory, reads. */
#include "serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "certificate.h"
#include "check.h"

enum { STEPS_MAX = 20000, STARVED_MAX = 60, SEEDS = 24, GOT_MAX = 1 << 20 };

/* ---- chance -------------------------------------------------------------- */

static uint32_t draw(uint64_t *chance, uint32_t bound)
{
    *chance = *chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*chance >> 33) % bound;
}

/* A size, often near that of a record. */
static size_t draw_size(uint64_t *chance)
{
    static const uint32_t near[] = {1, 16383, 16384, 16385, 32768};

    return draw(chance, 2) ? near[draw(chance, CHECK_COUNT(near))]
                           : 1 + draw(chance, 60000);
}

/* ---- the service --------------------------------------------------------- */

/* Answers with the body of the request, three times, cut by chance. */
struct service {
    uint64_t chance;
    bool waits; /* sometimes, before it gives more */
    size_t at;  /* bytes given */
    unsigned ended, whole;
};

static surety__flow echo_request(void *ctx, surety__serving *exchange,
                                 uint32_t *ret_wait_ms)
{
    struct service *service = ctx;
    const surety__response response = {
        .kind = ANSWER_STREAMED, .status = 200, .body_len = UINT64_MAX};

    (void)ret_wait_ms;
    service->at = 0;
    return surety__serving_answer(exchange, &response, NULL) ? FLOW_CUT
                                                             : FLOW_ON;
}

static surety__flow echo_pull(void *ctx, surety__serving *exchange,
                              surety__pull *pull)
{
    struct service *service = ctx;
    const surety_str body = surety_buf_str(&exchange->body);
    size_t len = body.len - service->at % (body.len ? body.len : 1);

    if (service->at == 3 * body.len)
        return FLOW_END;
    if (service->waits && !draw(&service->chance, 4)) {
        pull->wait_ms = 1;
        return FLOW_WAIT;
    }
    if (len > pull->size)
        len = pull->size;
    len = draw(&service->chance, 3) ? len
                                    : 1 + draw(&service->chance, (uint32_t)len);
    memcpy(pull->room, body.ptr + service->at % body.len, len);
    service->at += pull->len = len;
    return FLOW_ON;
}

static void echo_ended(void *ctx, surety__serving *exchange, bool whole)
{
    struct service *service = ctx;

    (void)exchange;
    service->ended++;
    service->whole += whole;
}

/* ---- the client ---------------------------------------------------------- */

struct client {
    uint64_t chance;
    int fd;
    SSL *ssl;        /* NULL: plain */
    BIO *in, *out;   /* of ssl */
    char held[4096]; /* bytes for the socket */
    size_t held_len;
    char *got;
    size_t len;
    bool is_over, is_broken;
};

/* is_slow: the window is small, so that the server's socket is often full. */
static bool client_dial(struct client *client, uint16_t port, SSL_CTX *context,
                        bool is_slow)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(port)};
    const int small = 4096, yes = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    client->got = malloc(GOT_MAX);
    if (client->fd < 0 || !client->got ||
        setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)) ||
        (is_slow && setsockopt(client->fd, SOL_SOCKET, SO_RCVBUF, &small,
                               sizeof(small))) ||
        connect(client->fd, (struct sockaddr *)&address, sizeof(address)))
        return false;
    fcntl(client->fd, F_SETFL, O_NONBLOCK);
    if (!context)
        return true;
    client->ssl = SSL_new(context);
    client->in = BIO_new(BIO_s_mem());
    client->out = BIO_new(BIO_s_mem());
    SSL_set_bio(client->ssl, client->in, client->out);
    SSL_set_connect_state(client->ssl);
    return true;
}

static void client_close(struct client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    SSL_free(client->ssl);
    free(client->got);
}

/* Sends bytes that TLS made, a stretch by chance. */
static void client_flush(struct client *client)
{
    ssize_t sent;
    size_t len;

    if (!client->held_len) {
        const int got =
            BIO_read(client->out, client->held,
                     (int)(1 + draw(&client->chance, sizeof(client->held))));
        client->held_len = got > 0 ? (size_t)got : 0;
    }
    len = client->held_len
              ? 1 + draw(&client->chance, (uint32_t)client->held_len)
              : 0;
    sent = len ? send(client->fd, client->held, len, MSG_NOSIGNAL) : 0;
    if (sent > 0) {
        client->held_len -= (size_t)sent;
        memmove(client->held, client->held + sent, client->held_len);
    }
}

/* Writes a stretch of the request; returns its length. */
static size_t client_write(struct client *client, const char *bytes, size_t len)
{
    size_t sent = 0;

    if (!len)
        return 0;
    if (draw(&client->chance, 2))
        len = 1 + draw(&client->chance, (uint32_t)len);
    if (client->ssl)
        return SSL_write_ex(client->ssl, bytes, len, &sent) == 1 ? sent : 0;
    sent = (size_t)send(client->fd, bytes, len, MSG_NOSIGNAL);
    return sent == SIZE_MAX ? 0 : sent;
}

/* Reads what came, and decrypts it. */
static void client_read(struct client *client)
{
    char block[4096];
    const size_t room = 1 + draw(&client->chance, sizeof(block));
    const ssize_t got = recv(client->fd, block, room, 0);
    size_t len = 0;

    if (got == 0)
        client->is_over = true;
    client->is_broken = got < 0 && errno != EAGAIN;
    if (!client->ssl && got > 0) {
        assert(client->len + (size_t)got < GOT_MAX);
        memcpy(client->got + client->len, block, (size_t)got);
        client->len += (size_t)got;
    }
    if (!client->ssl)
        return;
    if (got > 0)
        BIO_write(client->in, block, (int)got);
    while (SSL_read_ex(client->ssl, client->got + client->len,
                       GOT_MAX - client->len, &len) == 1)
        client->len += len;
}

/* Sends all bytes, and reads until the connection is closed. A starved server
 * may leave it open. */
static bool client_talk(const struct check *t, struct client *client,
                        surety__server *server, surety_str bytes)
{
    int starved = 0;

    for (int i = 0; i < STEPS_MAX && !client->is_over; i++) {
        if (t->starved && ++starved > STARVED_MAX)
            return false;
        surety__server_step(server, !t->fail_at && i % 8 == 0);
        surety__str_skip(&bytes, client_write(client, bytes.ptr, bytes.len));
        if (client->ssl)
            client_flush(client);
        if (draw(&client->chance, 3))
            client_read(client);
        if (client->is_broken)
            return false;
    }
    return client->is_over;
}

/* ---- the law ------------------------------------------------------------- */

/* Appends requests with bodies of any size; the last ends the connection. */
static void requests_write(uint64_t *chance, size_t count, surety_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        const size_t len = draw(chance, 5) ? draw_size(chance) : 0;

        surety__buf_printf(out,
                           "POST / HTTP/1.1\r\nHost: a\r\n%sContent-Length: "
                           "%u\r\n\r\n",
                           i + 1 == count ? "Connection: close\r\n" : "",
                           (unsigned)len);
        for (size_t k = 0; k < len; k++)
            surety_buf_byte(out, (char)('a' + (k * 7 + i) % 23));
    }
}

/* What a client gets; returns whether it came to its end. Client and service
 * have the seed. */
static bool talk(struct check *t, surety__tls *tls, SSL_CTX *context,
                 surety_str bytes, struct client *client,
                 struct service *service)
{
    surety__listen_place listener;
    surety__server_options options = {
        .socket_count = 1, .no_date = true, .tls = tls};
    surety__server *server = NULL;
    bool is_done = false;

    if (surety__listen_ip(surety_str_of(""), 0, &listener, NULL))
        return false;
    options.sockets = &listener.fd;
    options.service =
        (surety__service){service, echo_request, echo_pull, echo_ended};
    options.alloc = check_alloc(t);
    if (!surety__server_open(&options, &server, NULL) &&
        client_dial(client, listener.port, context, !t->fail_at))
        is_done = client_talk(t, client, server, bytes);
    surety__server_close(server);
    return is_done;
}

/* The bodies of all answers, without their framing: an answer's chunks depend
 * on what the service gave at once, and that is the same for a seed. */
TEST(gives_the_bytes_of_plain_http)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    struct client plain = {.fd = -1}, secure = {.fd = -1};
    struct service first, second;
    surety__tls *tls = NULL;
    struct certificate files = {.folder = ""};
    surety_buf bytes;

    surety_buf_init(&bytes, check_alloc(t), 0);
    CHECK(context && certificate_make(&files));
    TRY(surety__tls_open(surety_str_of(files.certificate),
                         surety_str_of(files.key), surety_str_of(""),
                         check_alloc(t), &tls, NULL));
    for (uint64_t seed = 1; seed <= (t->fail_at ? 1 : SEEDS); seed++) {
        uint64_t chance = seed;
        bool came, came_too;

        surety_buf_reset(&bytes);
        SSL_CTX_set_max_proto_version(context, seed % 3 ? TLS1_3_VERSION
                                                        : TLS1_2_VERSION);
        requests_write(&chance, t->fail_at ? 2 : 1 + draw(&chance, 4), &bytes);
        if (bytes.status)
            break;
        client_close(&plain);
        client_close(&secure);
        plain = secure = (struct client){.chance = seed, .fd = -1};
        first = second = (struct service){.chance = seed, .waits = !t->fail_at};
        came = talk(t, NULL, NULL, surety_buf_str(&bytes), &plain, &first);
        came_too =
            talk(t, tls, context, surety_buf_str(&bytes), &secure, &second);
        if (t->fail_at)
            break;
        CHECK(came && came_too);
        CHECK(first.ended == second.ended && first.whole == second.whole);
        CHECK(plain.len == secure.len);
        CHECK(!memcmp(plain.got, secure.got, plain.len));
        /* The end is TLS's own, too: nothing was cut off. */
        CHECK(SSL_get_shutdown(secure.ssl) & SSL_RECEIVED_SHUTDOWN);
    }
done:
    client_close(&plain);
    client_close(&secure);
    surety__tls_close(tls);
    certificate_remove(&files);
    SSL_CTX_free(context);
    surety_buf_done(&bytes);
}

/* A handshake that does not come ends like a head that does not come. */
TEST(ends_a_slow_handshake)
{
    surety__server_options options = {
        .socket_count = 1, .head_ms = 1, .alloc = check_alloc(t)};
    struct client client = {.fd = -1};
    struct certificate files = {.folder = ""};
    surety__listen_place listener;
    surety__server *server = NULL;

    CHECK(certificate_make(&files));
    TRY(surety__tls_open(surety_str_of(files.certificate),
                         surety_str_of(files.key), surety_str_of(""),
                         check_alloc(t), &options.tls, NULL));
    TRY(surety__listen_ip(surety_str_of(""), 0, &listener, NULL));
    options.sockets = &listener.fd;
    TRY(surety__server_open(&options, &server, NULL));
    CHECK(client_dial(&client, listener.port, NULL, false));
    CHECK(send(client.fd, "\x16\x03\x01", 3, MSG_NOSIGNAL) == 3);
    for (int i = 0; i < STEPS_MAX && !client.is_over && !client.is_broken;
         i++) {
        if (t->starved && i > STARVED_MAX)
            goto done;
        surety__server_step(server, 1);
        client_read(&client);
    }
    CHECK(client.is_over || client.is_broken);
    CHECK(!client.len);
done:
    client_close(&client);
    surety__server_close(server);
    surety__tls_close(options.tls);
    certificate_remove(&files);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"gives the bytes of plain HTTP", gives_the_bytes_of_plain_http},
        {"ends a slow handshake", ends_a_slow_handshake},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
