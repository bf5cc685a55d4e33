/* SPDX-License-Identifier: Apache-2.0 */
/* TLS of a server, by OpenSSL: the certificate with its key, and the bytes of
 * one connection.
 *
 * 1. A certificate and its key are read into a context whole or not at all, so
 *    a reload with wrong files changes nothing. A connection keeps the context
 *    that it began with.
 * 2. A read has room for a whole record (RFC 8446, section 5.1). So no byte
 *    stays in OpenSSL, where epoll would not see it.
 * 3. OpenSSL writes to the socket with write(2), which raises SIGPIPE where the
 *    client is gone. The signal is blocked meanwhile, and taken back.
 * 4. The text of a key is overwritten when it was read. OpenSSL keeps the key
 *    itself as long as it serves.
 *
 * What it does not do: TLS before 1.2, renegotiation, compression, HTTP/2, and
 * asking an authority whether a certificate was revoked (OCSP). Without OpenSSL
 * this file only reports that it is missing. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "serve/connection.h"

#ifdef SURETY_WITH_TLS
#include "serve/openssl.h"

enum {
    /* Of a file. A certificate has some 2 KB, and a chain three of them; a list
     * of revoked certificates has 50 bytes for each. */
    TLS_FILE_BYTES_MAX = 1 << 20,
    TLS_RECORD_BYTES = 16384 /* RFC 8446, section 5.1 */
};

struct surety__tls {
    surety__openssl lib;
    const surety_alloc *alloc;
    surety__arena arena; /* the paths */
    surety_str certificate, key;
    surety_str clients;   /* empty: they need no certificate */
    pthread_mutex_t lock; /* of context */
    SSL_CTX *context;
    atomic_uint_fast64_t failed; /* handshakes */
};

struct surety__tls_link {
    surety__tls *tls;
    SSL *ssl;
    int fd;
    bool is_begun;  /* the first byte was looked at */
    bool is_broken; /* nothing may follow */
};

/* ---- certificate and key ------------------------------------------------- */

static const surety__function_row tls_rows[] = {SURETY__OPENSSL(SURETY__ROW)};
static const surety__library tls_library = {
    SURETY__LIBSSL, "connections with TLS", tls_rows,
    sizeof(tls_rows) / sizeof(*tls_rows)};

/* Why OpenSSL's last call failed. */
static const char *tls_reason(const surety__tls *tls)
{
    const char *reason =
        tls->lib.reason_error_string(tls->lib.peek_last_error());

    return reason ? reason : "it is damaged";
}

/* Reads a file into the room. */
static surety_status tls_read_file(surety_str path, bool is_secret, char *room,
                                   size_t *ret_len, surety_error *reterr)
{
    const int fd = open(path.ptr, O_RDONLY | O_CLOEXEC);
    surety_status status = SURETY_OK;
    struct stat about;
    size_t len = 0;
    ssize_t got = 1;

    if (fd < 0 || fstat(fd, &about)) {
        status = surety__fail(reterr, SURETY_IO, "%s cannot be read: %s",
                              path.ptr, strerror(errno));
    } else if (is_secret && S_ISREG(about.st_mode) &&
               (about.st_mode & (S_IROTH | S_IWOTH))) {
        status = surety__fail(reterr, SURETY_MISUSE,
                              "%s has a key, and every user of this machine "
                              "can read or write it",
                              path.ptr);
        surety__hint(reterr, "chmod 640, so that its owner and group can");
    }
    while (!status && got && len < TLS_FILE_BYTES_MAX) {
        got = read(fd, room + len, TLS_FILE_BYTES_MAX - len);
        if (got > 0)
            len += (size_t)got;
        else if (got < 0 && errno != EINTR)
            status = surety__fail(reterr, SURETY_IO, "%s cannot be read: %s",
                                  path.ptr, strerror(errno));
    }
    if (!status && len == TLS_FILE_BYTES_MAX)
        status = surety__fail(reterr, SURETY_LIMIT,
                              "%s has %d bytes or more, too many for a "
                              "certificate or key",
                              path.ptr, TLS_FILE_BYTES_MAX);
    if (fd >= 0)
        close(fd);
    *ret_len = len;
    return status;
}

/* A password callback of PEM: there is no user to ask. */
static int tls_refuse_password(char *room, int size, int writes, void *ctx)
{
    bool *is_asked = ctx;

    (void)room;
    (void)size;
    (void)writes;
    *is_asked = true;
    return -1;
}

/* Takes the server's certificate, and those behind it as its chain. */
static surety_status tls_take_chain(const surety__tls *tls, SSL_CTX *context,
                                    BIO *pem, surety_error *reterr)
{
    const surety__openssl *lib = &tls->lib;
    const char *path = tls->certificate.ptr;
    bool is_asked = false;
    X509 *one = lib->pem_read_x509(pem, NULL, tls_refuse_password, &is_asked);
    bool is_taken;

    if (!one) {
        surety__fail(reterr, SURETY_SYNTAX, "%s has no certificate: %s", path,
                     tls_reason(tls));
        surety__hint(reterr, "it must be PEM: the server's certificate first, "
                             "then those that signed it");
        return SURETY_SYNTAX;
    }
    is_taken = lib->ctx_use_certificate(context, one) == 1;
    lib->x509_free(one);
    lib->clear_error();
    while (is_taken && (one = lib->pem_read_x509(pem, NULL, tls_refuse_password,
                                                 &is_asked)) != NULL) {
        /* The context owns it then. */
        is_taken = lib->ctx_ctrl(context, SSL_CTRL_CHAIN_CERT, 0, one) == 1;
        if (!is_taken)
            lib->x509_free(one);
    }
    if (is_taken &&
        ERR_GET_REASON(lib->peek_last_error()) == PEM_R_NO_START_LINE)
        return SURETY_OK;
    return surety__fail(reterr, SURETY_SYNTAX,
                        "a certificate of %s cannot be used: %s", path,
                        tls_reason(tls));
}

static surety_status tls_take_key(const surety__tls *tls, SSL_CTX *context,
                                  BIO *pem, surety_error *reterr)
{
    const surety__openssl *lib = &tls->lib;
    bool is_asked = false, fits;
    EVP_PKEY *key =
        lib->pem_read_key(pem, NULL, tls_refuse_password, &is_asked);

    if (!key && is_asked) {
        surety__fail(reterr, SURETY_SYNTAX,
                     "the key in %s is encrypted, and there is no one to ask "
                     "for its password",
                     tls->key.ptr);
        surety__hint(reterr, "openssl pkey -in FILE -out NEW decrypts it");
        return SURETY_SYNTAX;
    }
    if (!key)
        return surety__fail(reterr, SURETY_SYNTAX, "%s has no key in PEM: %s",
                            tls->key.ptr, tls_reason(tls));
    fits =
        lib->ctx_use_key(context, key) == 1 && lib->ctx_check_key(context) == 1;
    lib->pkey_free(key);
    if (fits)
        return SURETY_OK;
    return surety__fail(reterr, SURETY_MISUSE,
                        "the key in %s does not fit the certificate in %s",
                        tls->key.ptr, tls->certificate.ptr);
}

/* Takes the lists of revoked certificates (RFC 5280, section 5), if the file
 * has some. Then the signer of each client must have one that is in force. */
static bool tls_take_revoked(const surety__tls *tls, X509_STORE *store,
                             BIO *pem)
{
    const surety__openssl *lib = &tls->lib;
    bool is_asked = false, is_taken = true, is_some = false;
    X509_CRL *list;

    lib->clear_error();
    lib->bio_ctrl(pem, BIO_CTRL_RESET, 0, NULL);
    while (is_taken && (list = lib->pem_read_crl(pem, NULL, tls_refuse_password,
                                                 &is_asked)) != NULL) {
        is_taken = lib->store_add_crl(store, list) == 1;
        lib->crl_free(list);
        is_some = true;
    }
    if (is_some)
        lib->store_set_flags(store, X509_V_FLAG_CRL_CHECK);
    return is_taken &&
           ERR_GET_REASON(lib->peek_last_error()) == PEM_R_NO_START_LINE;
}

/* Takes the certificates that sign those of clients. One in the middle of a
 * chain is enough, so a private authority need not give its root. */
static surety_status tls_take_clients(const surety__tls *tls, SSL_CTX *context,
                                      BIO *pem, surety_error *reterr)
{
    static const unsigned char session[] = "surety";
    const surety__openssl *lib = &tls->lib;
    X509_STORE *store = lib->ctx_store(context);
    bool is_asked = false, is_taken = true;
    size_t count = 0;
    X509 *one;

    while (is_taken && (one = lib->pem_read_x509(pem, NULL, tls_refuse_password,
                                                 &is_asked)) != NULL) {
        is_taken = lib->store_add(store, one) == 1 &&
                   lib->ctx_add_client_ca(context, one) == 1;
        lib->x509_free(one);
        count++;
    }
    if (!is_taken || !count ||
        ERR_GET_REASON(lib->peek_last_error()) != PEM_R_NO_START_LINE) {
        surety__fail(reterr, SURETY_SYNTAX,
                     count ? "a certificate of %s cannot be used: %s"
                           : "%s has no certificate: %s",
                     tls->clients.ptr, tls_reason(tls));
        surety__hint(reterr, "it must be PEM: the certificates that sign those "
                             "of clients");
        return SURETY_SYNTAX;
    }
    if (!tls_take_revoked(tls, store, pem))
        return surety__fail(reterr, SURETY_SYNTAX,
                            "a list of revoked certificates of %s cannot be "
                            "used: %s",
                            tls->clients.ptr, tls_reason(tls));
    lib->store_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
    /* OpenSSL resumes no session with a certificate without it. */
    lib->ctx_set_session_id(context, session, sizeof(session) - 1);
    lib->ctx_set_verify(
        context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return SURETY_OK;
}

/* Reads the files into a context. */
static surety_status tls_fill(const surety__tls *tls, SSL_CTX *context,
                              surety_error *reterr)
{
    const struct {
        surety_str path;
        bool is_secret;
        surety_status (*take)(const surety__tls *tls, SSL_CTX *context,
                              BIO *pem, surety_error *reterr);
    } files[] = {{tls->certificate, false, tls_take_chain},
                 {tls->key, true, tls_take_key},
                 {tls->clients, false, tls_take_clients}};
    const size_t count = tls->clients.len ? 3 : 2;
    const surety__openssl *lib = &tls->lib;
    char *room = surety__new(tls->alloc, TLS_FILE_BYTES_MAX);
    surety_status status = SURETY_OK;

    if (!room)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count && !status; i++) {
        size_t len = 0;
        BIO *pem = NULL;

        status = tls_read_file(files[i].path, files[i].is_secret, room, &len,
                               reterr);
        lib->clear_error();
        if (!status) {
            pem = lib->bio_new_mem_buf(room, (int)len);
            if (!pem)
                status = surety__fail_nomem(reterr);
        }
        if (!status)
            status = files[i].take(tls, context, pem, reterr);
        lib->bio_free(pem);
        lib->cleanse(room, len);
    }
    surety__free(tls->alloc, room, TLS_FILE_BYTES_MAX);
    return status;
}

/* Chooses HTTP/1.1 of the protocols that a client offers (RFC 7301); without it
 * the handshake ends. */
static int tls_choose(SSL *ssl, const unsigned char **ret_name,
                      unsigned char *ret_len, const unsigned char *offered,
                      unsigned len, void *ctx)
{
    const surety_str wanted = SURETY__LITERAL("http/1.1");

    (void)ssl;
    (void)ctx;
    for (unsigned at = 0; at < len && offered[at] < len - at;
         at += 1u + offered[at]) {
        const surety_str name = {(const char *)offered + at + 1, offered[at]};

        if (!surety_str_equal(name, wanted))
            continue;
        *ret_name = offered + at + 1;
        *ret_len = offered[at];
        return SSL_TLSEXT_ERR_OK;
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* Makes a context of the files. Sessions are resumed by tickets, whose keys it
 * has, and not from a cache, which would grow. */
static surety_status tls_make(const surety__tls *tls, SSL_CTX **ret_context,
                              surety_error *reterr)
{
    const surety__openssl *lib = &tls->lib;
    SSL_CTX *context;
    surety_status status;

    lib->clear_error();
    context = lib->ctx_new(lib->server_method());
    if (!context)
        return surety__fail(reterr, SURETY_IO, "OpenSSL cannot start: %s",
                            tls_reason(tls));
    lib->ctx_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION,
                  NULL);
    lib->ctx_ctrl(context, SSL_CTRL_MODE,
                  SSL_MODE_ENABLE_PARTIAL_WRITE |
                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                      SSL_MODE_RELEASE_BUFFERS,
                  NULL);
    lib->ctx_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF,
                  NULL);
    lib->ctx_set_options(context,
                         SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    lib->ctx_set_alpn(context, tls_choose, NULL);
    status = tls_fill(tls, context, reterr);
    if (status)
        lib->ctx_free(context);
    else
        *ret_context = context;
    return status;
}

surety_status surety__tls_open(surety_str certificate, surety_str key,
                               surety_str clients, const surety_alloc *alloc,
                               surety__tls **ret_tls, surety_error *reterr)
{
    surety__tls *tls = surety__new(alloc, sizeof(*tls));
    surety_status status;

    if (!tls)
        return surety__fail_nomem(reterr);
    tls->alloc = alloc;
    pthread_mutex_init(&tls->lock, NULL);
    surety__arena_init(&tls->arena, alloc, 0);
    tls->certificate = surety__arena_text(&tls->arena, certificate);
    tls->key = surety__arena_text(&tls->arena, key);
    tls->clients = clients.len ? surety__arena_text(&tls->arena, clients)
                               : (surety_str){"", 0};
    atomic_init(&tls->failed, 0);
    status = tls->certificate.ptr && tls->key.ptr && tls->clients.ptr
                 ? surety__load(&tls_library, &tls->lib, reterr)
                 : surety__fail_nomem(reterr);
    if (!status)
        status = tls_make(tls, &tls->context, reterr);
    if (status)
        surety__tls_close(tls);
    else
        *ret_tls = tls;
    return status;
}

surety_status surety__tls_reload(surety__tls *tls, surety_error *reterr)
{
    SSL_CTX *made, *old;
    const surety_status status = tls_make(tls, &made, reterr);

    if (status)
        return status;
    pthread_mutex_lock(&tls->lock);
    old = tls->context;
    tls->context = made;
    pthread_mutex_unlock(&tls->lock);
    tls->lib.ctx_free(old); /* its connections keep it */
    return SURETY_OK;
}

void surety__tls_close(surety__tls *tls)
{
    if (!tls)
        return;
    if (tls->context)
        tls->lib.ctx_free(tls->context);
    pthread_mutex_destroy(&tls->lock);
    surety__arena_done(&tls->arena);
    surety__free(tls->alloc, tls, sizeof(*tls));
}

/* ---- one connection ------------------------------------------------------ */

surety__tls_link *surety__tls_link_new(surety__tls *tls, int fd)
{
    surety__tls_link *link = surety__new(tls->alloc, sizeof(*link));

    if (!link)
        return NULL;
    link->tls = tls;
    link->fd = fd;
    pthread_mutex_lock(&tls->lock);
    link->ssl = tls->lib.new(tls->context);
    pthread_mutex_unlock(&tls->lock);
    if (!link->ssl || tls->lib.set_fd(link->ssl, fd) != 1) {
        surety__tls_link_free(link);
        return NULL;
    }
    tls->lib.set_accept_state(link->ssl);
    return link;
}

uint64_t surety__tls_failed(const surety__tls *tls)
{
    return atomic_load(&tls->failed);
}

void surety__tls_link_free(surety__tls_link *link)
{
    if (!link)
        return;
    if (link->is_begun && !link->tls->lib.is_init_finished(link->ssl))
        atomic_fetch_add(&link->tls->failed, 1);
    link->tls->lib.free(link->ssl);
    surety__free(link->tls->alloc, link, sizeof(*link));
}

/* Blocks SIGPIPE. Returns whether the caller's thread took it before. */
static bool link_shield(sigset_t *pipe)
{
    sigset_t before;

    sigemptyset(pipe);
    sigaddset(pipe, SIGPIPE);
    return !pthread_sigmask(SIG_BLOCK, pipe, &before) &&
           !sigismember(&before, SIGPIPE);
}

static void link_unshield(const sigset_t *pipe, bool was_open)
{
    const struct timespec none = {0, 0};
    const int error = errno;

    if (was_open) {
        while (sigtimedwait(pipe, NULL, &none) > 0)
            continue;
        pthread_sigmask(SIG_UNBLOCK, pipe, NULL);
    }
    errno = error;
}

/* What a call that did not move a byte means: 0 at the end, or -1 and errno. */
static ssize_t link_stop(surety__tls_link *link, int result, bool *ret_crosses,
                         int crossed)
{
    const int error = link->tls->lib.get_error(link->ssl, result);

    if (error == SSL_ERROR_ZERO_RETURN)
        return 0;
    *ret_crosses = error == crossed;
    link->is_broken =
        error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE;
    errno = link->is_broken ? EPROTO : EAGAIN;
    return -1;
}

/* Whether the first byte is one of TLS; other errors are the next read's. */
static bool link_begin(surety__tls_link *link)
{
    char first = 0;

    if (recv(link->fd, &first, 1, MSG_PEEK) != 1)
        return true;
    link->is_begun = true;
    return first < 'A' || first > 'Z';
}

ssize_t surety__tls_receive(surety__tls_link *link, char *room, size_t size,
                            bool *ret_crosses)
{
    const surety__openssl *lib = &link->tls->lib;
    sigset_t pipe;
    size_t got = 0;
    bool was_open;
    int result;

    assert(size >= TLS_RECORD_BYTES);
    *ret_crosses = false;
    if (!link->is_begun && !link_begin(link)) {
        link->is_broken = true;
        errno = EPROTONOSUPPORT;
        return -1;
    }
    lib->clear_error();
    was_open = link_shield(&pipe);
    result = lib->read_ex(link->ssl, room, size, &got);
    link_unshield(&pipe, was_open);
    return result == 1
               ? (ssize_t)got
               : link_stop(link, result, ret_crosses, SSL_ERROR_WANT_WRITE);
}

ssize_t surety__tls_send(surety__tls_link *link, const char *bytes, size_t len)
{
    const surety__openssl *lib = &link->tls->lib;
    bool crosses = false;
    sigset_t pipe;
    size_t sent = 0;
    bool was_open;
    int result;

    lib->clear_error();
    was_open = link_shield(&pipe);
    result = lib->write_ex(link->ssl, bytes, len, &sent);
    link_unshield(&pipe, was_open);
    if (result == 1)
        return (ssize_t)sent;
    /* Behind the handshake a write never waits for a read. */
    if (link_stop(link, result, &crosses, SSL_ERROR_WANT_READ) == 0 || crosses)
        errno = EPROTO;
    return -1;
}

bool surety__tls_end(surety__tls_link *link)
{
    const surety__openssl *lib = &link->tls->lib;
    bool crosses = false;
    sigset_t pipe;
    bool was_open;
    int result;

    if (link->is_broken)
        return true;
    lib->clear_error();
    was_open = link_shield(&pipe);
    result = lib->shutdown(link->ssl);
    link_unshield(&pipe, was_open);
    return result >= 0 ||
           link_stop(link, result, &crosses, SSL_ERROR_WANT_WRITE) == 0 ||
           !crosses;
}

#else

surety_status surety__tls_open(surety_str certificate, surety_str key,
                               surety_str clients, const surety_alloc *alloc,
                               surety__tls **ret_tls, surety_error *reterr)
{
    (void)certificate;
    (void)key;
    (void)clients;
    (void)alloc;
    (void)ret_tls;
    surety__fail(reterr, SURETY_UNSUPPORTED, "this build serves without TLS");
    surety__hint(reterr, "build it with OpenSSL (libssl-dev), or let a proxy "
                         "in front take TLS");
    return SURETY_UNSUPPORTED;
}

/* No object exists for which these could be called. */

surety_status surety__tls_reload(surety__tls *tls, surety_error *reterr)
{
    (void)tls;
    (void)reterr;
    return SURETY_OK;
}

void surety__tls_close(surety__tls *tls)
{
    (void)tls;
}

surety__tls_link *surety__tls_link_new(surety__tls *tls, int fd)
{
    (void)tls;
    (void)fd;
    return NULL;
}

uint64_t surety__tls_failed(const surety__tls *tls)
{
    (void)tls;
    return 0;
}

void surety__tls_link_free(surety__tls_link *link)
{
    (void)link;
}

ssize_t surety__tls_receive(surety__tls_link *link, char *room, size_t size,
                            bool *ret_crosses)
{
    (void)link;
    (void)room;
    (void)size;
    (void)ret_crosses;
    return -1;
}

ssize_t surety__tls_send(surety__tls_link *link, const char *bytes, size_t len)
{
    (void)link;
    (void)bytes;
    (void)len;
    return -1;
}

bool surety__tls_end(surety__tls_link *link)
{
    (void)link;
    return true;
}

#endif
