/* SPDX-License-Identifier: Apache-2.0 */
/* A gateway that a test steps, its one client, and a provider on a socket of
 * the test's: all in one thread, so nothing depends on time. */
#ifndef SURETY_TESTS_GATEWAY_STEP_H
#define SURETY_TESTS_GATEWAY_STEP_H

#include <surety/serve.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"

enum { STEPS_MAX = 20000, STARVED_MAX = 60 };

static inline bool step_write(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    const bool is_done = out && fputs(text, out) >= 0;

    return out && !fclose(out) && is_done;
}

/* A gateway at a port that the system picks, with the configuration at path and
 * without a ledger. */
static inline surety_gateway_options step_options(struct check *t,
                                                  const char *path)
{
    static const surety_str place = {"127.0.0.1:0", 11};

    return (surety_gateway_options){.size = sizeof(surety_gateway_options),
                                    .config = surety_str_of(path),
                                    .ledger = surety_str_of("none"),
                                    .listen = &place,
                                    .listen_count = 1,
                                    .is_stepped = true,
                                    .no_ui = true,
                                    .alloc = check_alloc(t)};
}

/* A provider. */
struct step_provider {
    int listener, link; /* -1: none */
    uint16_t port;
    const char *answer; /* its bytes */
    char asked[4096];
};

static inline bool step_listen(struct step_provider *provider)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    const int fd =
        socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    provider->listener = fd;
    provider->link = -1;
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
        listen(fd, 4) || getsockname(fd, (struct sockaddr *)&address, &len))
        return false;
    provider->port = ntohs(address.sin_port);
    return true;
}

/* Answers a request that has come, and keeps it. */
static inline void step_provide(struct step_provider *provider)
{
    ssize_t got;

    if (provider->link < 0)
        provider->link = accept(provider->listener, NULL, NULL);
    if (provider->link < 0)
        return;
    got = recv(provider->link, provider->asked, sizeof(provider->asked) - 1,
               MSG_DONTWAIT);
    if (got < 0)
        return;
    provider->asked[got] = '\0';
    (void)send(provider->link, provider->answer, strlen(provider->answer),
               MSG_NOSIGNAL);
    close(provider->link);
    provider->link = -1;
}

static inline void step_end(struct step_provider *provider)
{
    if (provider->link >= 0)
        close(provider->link);
    if (provider->listener >= 0)
        close(provider->listener);
}

/* What the gateway answers to a request; provider: NULL: it has none. */
static inline bool step_ask(const struct check *t, surety_gateway *gateway,
                            const char *request, struct step_provider *provider,
                            surety_buf *answer)
{
    const surety_str bytes = surety_str_of(request);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(surety_gateway_port(gateway))};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char block[1024];
    ssize_t got = -1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    surety_buf_reset(answer);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
        send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL) != (ssize_t)bytes.len ||
        fcntl(fd, F_SETFL, O_NONBLOCK))
        got = 0;
    for (int i = 0; got && i < (t->starved ? STARVED_MAX : STEPS_MAX); i++) {
        surety_gateway_step(gateway, 0);
        if (provider)
            step_provide(provider);
        got = recv(fd, block, sizeof(block), 0);
        if (got > 0)
            surety_buf_append(answer, block, (size_t)got);
    }
    if (fd >= 0)
        close(fd);
    return got == 0;
}

/* Whether the answer has a text. */
static inline bool step_has(surety_buf *answer, const char *text)
{
    surety_buf_byte(answer, '\0');
    return !answer->status && strstr(answer->ptr, text);
}

#endif
