/* SPDX-License-Identifier: Apache-2.0 */
/* A gateway that has as many requests under way as it may: its page can still
 * be seen, and takes no place of them. */
#include <poll.h>

#include "gateway_step.h"

#define MODEL                                                                  \
    "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "  \
    "x\r\nConnection: close\r\nContent-Length: 72\r\n\r\n"                     \
    "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"How "     \
    "many of them?\"}]}"
#define PAGE                                                                   \
    "GET /ui HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\n"       \
    "Connection: close\r\n\r\n"

/* Sends a request, and steps the gateway until its call reaches the provider.
 * Returns its socket. */
static int full_hold(const struct check *t, surety_gateway *gateway,
                     const struct step_provider *provider)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(surety_gateway_port(gateway))};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct pollfd call = {.fd = provider->listener, .events = POLLIN};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
        send(fd, MODEL, strlen(MODEL), MSG_NOSIGNAL) != (ssize_t)strlen(MODEL))
        return fd;
    for (int i = 0; i < (t->starved ? STARVED_MAX : STEPS_MAX); i++) {
        surety_gateway_step(gateway, 1);
        if (poll(&call, 1, 0) > 0)
            break;
    }
    return fd;
}

TEST(shows_its_page_when_it_is_full)
{
    char path[] = "/tmp/surety-full-XXXXXX", config[256];
    const int fd = mkstemp(path);
    surety_gateway_options options = step_options(t, path);
    struct step_provider provider = {.listener = -1, .link = -1};
    surety_gateway *gateway = NULL;
    surety_buf answer;
    int held = -1;

    surety_buf_init(&answer, NULL, 0);
    CHECK(step_listen(&provider) && fd >= 0);
    snprintf(config, sizeof(config),
             "{\"providers\":{\"p\":{\"protocol\":\"openai\",\"base_url\":"
             "\"http://127.0.0.1:%u/v1\"}},\"models\":{\"m\":{\"provider\":"
             "\"p\",\"model\":\"m\"}}}",
             provider.port);
    CHECK(step_write(path, config));
    options.no_ui = false;
    options.requests_max = 1;
    TRY(surety_gateway_open(&options, &gateway, NULL));
    CHECK(step_ask(t, gateway, PAGE, NULL, &answer) || t->starved);
    held = full_hold(t, gateway, &provider);
    CHECK(step_ask(t, gateway, MODEL, NULL, &answer) || t->starved);
    CHECK(step_has(&answer, "HTTP/1.1 503") || t->starved);
    CHECK(step_ask(t, gateway, PAGE, NULL, &answer) || t->starved);
    CHECK(step_has(&answer, "HTTP/1.1 200") || t->starved);
done:
    surety_gateway_close(gateway);
    surety_buf_done(&answer);
    if (held >= 0)
        close(held);
    step_end(&provider);
    if (fd >= 0)
        close(fd);
    unlink(path);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"shows its page when it is full", shows_its_page_when_it_is_full},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
