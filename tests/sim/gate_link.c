/* SPDX-License-Identifier: Apache-2.0 */
/* The connection of a client: bytes over a Unix socket, or TLS over TCP.
 * OpenSSL has buffers in memory on the client's side, so its records are cut
 * up, sent slowly, spoilt and broken off as the seed says.
 *
 * A smooth connection hides its records: all that TLS has to move is moved at
 * once, and in no time. Then its client gets the same at the same time as
 * without TLS. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"
#include "sim/gate.h"

enum { LINK_BLOCK = 65536 };

int __real_accept4(int fd, struct sockaddr *peer, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *peer, socklen_t *len, int flags);

/* ---- sockets ------------------------------------------------------------- */

static bool link_connect(const struct gate *gate, int *ret_fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t len = strlen(gate->bench->socket);

    if (len >= sizeof(address.sun_path))
        abort();
    memcpy(address.sun_path, gate->bench->socket, len + 1);
    *ret_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*ret_fd < 0)
        abort();
    return !connect(*ret_fd, (struct sockaddr *)&address, sizeof(address));
}

/* In place of accept4, by the linker: the gateway takes TLS by IP only. What is
 * sent over a Unix socket is there at once, however busy the machine is. */
int __wrap_accept4(int fd, struct sockaddr *peer, socklen_t *len, int flags)
{
    const int taken = __real_accept4(fd, peer, len, flags);

    if (taken >= 0 && gate_now->is_tls)
        peer->sa_family = AF_INET;
    return taken;
}

/* ---- TLS ----------------------------------------------------------------- */

#ifdef SURETY_WITH_TLS

bool gate_link_has_tls(void)
{
    return true;
}

bool gate_link_bench(struct gate_bench *bench)
{
    bench->context = SSL_CTX_new(TLS_client_method());
    return bench->context && certificate_make(&bench->files);
}

void gate_link_bench_done(struct gate_bench *bench)
{
    certificate_remove(&bench->files);
    SSL_CTX_free(bench->context);
}

static void link_begin(const struct gate *gate, struct gate_link *link)
{
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());

    link->ssl = SSL_new(gate->bench->context);
    if (!in || !out || !link->ssl)
        abort();
    SSL_set_bio(link->ssl, in, out);
    SSL_set_max_proto_version(link->ssl,
                              link->is_old ? TLS1_2_VERSION : TLS1_3_VERSION);
    SSL_set_connect_state(link->ssl);
}

/* Spoils the records from a place on. */
static void link_spoil(const struct gate_link *link, char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (link->flushed + i >= link->spoilt_at)
            bytes[i] = (char)(bytes[i] ^ (char)(0x55 + i % 7));
}

/* Sends what TLS has made: all of it, or a piece. */
static void link_flush(struct gate_link *link)
{
    BIO *out = SSL_get_wbio(link->ssl);
    char block[LINK_BLOCK];
    size_t most = link->is_smooth ? sizeof(block) : link->piece_len;
    char *bytes;
    long left;
    ssize_t sent;

    if (link->cut_at - link->flushed < most)
        most = (size_t)(link->cut_at - link->flushed);
    left = BIO_get_mem_data(out, &bytes);
    if ((size_t)left < most)
        most = (size_t)left;
    if (most) {
        memcpy(block, bytes, most);
        link_spoil(link, block, most);
        sent = send(link->fd, block, most, MSG_NOSIGNAL);
        if (sent > 0 && BIO_read(out, block, (int)sent) == sent) {
            link->flushed += (uint64_t)sent;
            link->moves = true;
        }
    }
}

/* Takes what came for TLS: all of it, or a piece. */
static void link_fill(struct gate_link *link, bool all)
{
    BIO *in = SSL_get_rbio(link->ssl);
    char block[LINK_BLOCK];
    ssize_t got;

    do {
        got = recv(link->fd, block, all ? sizeof(block) : link->piece_len, 0);
        if (got > 0) {
            link->moves = true;
            if (BIO_write(in, block, (int)got) != got)
                abort();
        }
    } while (got > 0 && all);
    link->is_ended = link->is_ended || !got ||
                     (got < 0 && errno != EAGAIN && errno != EINTR);
}

static ssize_t link_write(struct gate_link *link, const char *bytes, size_t len)
{
    size_t sent = 0;

    errno = EPIPE;
    if (SSL_is_init_finished(link->ssl) && gate_link_is_closed_well(link))
        return -1;
    ERR_clear_error();
    if (SSL_write_ex(link->ssl, bytes, len, &sent) != 1)
        sent = 0;
    link_flush(link);
    errno = EAGAIN;
    return sent ? (ssize_t)sent : -1;
}

/* Reads as much as recv would give, whatever records it is in. */
static ssize_t link_read(struct gate_link *link, char *room, size_t size)
{
    size_t len = 0, got = 1;

    link_fill(link, link->is_smooth);
    ERR_clear_error();
    while (len < size && SSL_read_ex(link->ssl, room + len, size - len, &got))
        len += got;
    link_flush(link);
    errno = EAGAIN;
    return len ? (ssize_t)len : link->is_ended ? 0 : -1;
}

bool gate_link_is_closed_well(struct gate_link *link)
{
    char byte;

    if (!link->ssl)
        return true;
    link_fill(link, true);
    ERR_clear_error();
    (void)SSL_peek(link->ssl, &byte, 1);
    return SSL_get_shutdown(link->ssl) & SSL_RECEIVED_SHUTDOWN;
}

static void link_end(struct gate_link *link)
{
    if (link->ssl && link->says_end && SSL_is_init_finished(link->ssl)) {
        (void)SSL_shutdown(link->ssl);
        link_flush(link);
    }
    SSL_free(link->ssl);
    link->ssl = NULL;
}

#else

bool gate_link_has_tls(void)
{
    return false;
}

bool gate_link_bench(struct gate_bench *bench)
{
    (void)bench;
    return true;
}

void gate_link_bench_done(struct gate_bench *bench)
{
    (void)bench;
}

static void link_begin(const struct gate *gate, struct gate_link *link)
{
    (void)gate;
    (void)link;
}

static ssize_t link_write(struct gate_link *link, const char *bytes, size_t len)
{
    (void)link;
    (void)bytes;
    (void)len;
    return -1;
}

static ssize_t link_read(struct gate_link *link, char *room, size_t size)
{
    (void)link;
    (void)room;
    (void)size;
    return -1;
}

bool gate_link_is_closed_well(struct gate_link *link)
{
    (void)link;
    return true;
}

static void link_end(struct gate_link *link)
{
    (void)link;
}

#endif

/* ---- both ---------------------------------------------------------------- */

void gate_link_make(struct gate *gate, struct gate_link *link, size_t len)
{
    const bool is_faulty = !gate->is_smooth && gate_one_in(gate, 4);

    *link = (struct gate_link){.fd = -1,
                               .is_smooth = gate->is_smooth,
                               .is_old = gate_one_in(gate, 3),
                               .says_end = gate_one_in(gate, 2),
                               .piece_len = 1 + gate_below(gate, 700),
                               .cut_at = UINT64_MAX,
                               .spoilt_at = UINT64_MAX};
    if (!is_faulty)
        return;
    link->is_faulty = true;
    switch (gate_below(gate, 4)) {
    case 0: link->is_plain = true; break;
    case 1: link->cut_at = gate_below(gate, 600); break; /* a handshake */
    case 2: link->cut_at = gate_below(gate, 600 + 2 * len); break;
    default: link->spoilt_at = gate_below(gate, 600 + 2 * len); break;
    }
}

bool gate_link_open(const struct gate *gate, struct gate_link *link)
{
    link->flushed = 0;
    link->is_ended = false;
    if (!link_connect(gate, &link->fd))
        return false;
    if (gate->is_tls && !link->is_plain)
        link_begin(gate, link);
    return true;
}

bool gate_link_is_cut(const struct gate_link *link)
{
    return link->flushed >= link->cut_at;
}

ssize_t gate_link_send(struct gate_link *link, const char *bytes, size_t len)
{
    return link->ssl ? link_write(link, bytes, len)
                     : send(link->fd, bytes, len, MSG_NOSIGNAL);
}

ssize_t gate_link_receive(struct gate_link *link, char *room, size_t size)
{
    return link->ssl ? link_read(link, room, size)
                     : recv(link->fd, room, size, 0);
}

void gate_link_close(struct gate_link *link)
{
    if (link->fd < 0)
        return;
    link_end(link);
    close(link->fd);
    link->fd = -1;
}
