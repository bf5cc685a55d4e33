/* SPDX-License-Identifier: Apache-2.0 */
/* A reload takes what it checked, whatever its file has become when a thread
 * gets to it. The gateway is stepped, so nothing depends on time. */
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

static bool file_write(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    const bool is_done = out && fputs(text, out) >= 0;

    return out && !fclose(out) && is_done;
}

/* What the gateway answers to a question for its models. */
static bool ask(const struct check *t, surety_gateway *gateway,
                surety_buf *answer)
{
    const surety_str bytes =
        SURETY__LITERAL("GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: "
                        "Bearer x\r\nConnection: close\r\n\r\n");
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
        got = recv(fd, block, sizeof(block), 0);
        if (got > 0)
            surety_buf_append(answer, block, (size_t)got);
    }
    if (fd >= 0)
        close(fd);
    return got == 0;
}

/* Whether the answer lists a model: "NAME", quotes included. */
static bool has(surety_buf *answer, const char *name)
{
    surety_buf_byte(answer, '\0');
    return !answer->status && strstr(answer->ptr, name);
}

TEST(takes_what_it_checked)
{
    static const char one[] =
        "{\"models\":{\"one\":{\"provider\":\"openai\",\"model\":\"m\"}}}";
    static const char two[] =
        "{\"models\":{\"two\":{\"provider\":\"openai\",\"model\":\"m\"}}}";
    char path[] = "/tmp/surety-reload-XXXXXX";
    const int fd = mkstemp(path);
    const surety_str place = SURETY__LITERAL("127.0.0.1:0");
    const surety_gateway_options options = {.size = sizeof(options),
                                            .config = surety_str_of(path),
                                            .ledger = SURETY__LITERAL("none"),
                                            .listen = &place,
                                            .listen_count = 1,
                                            .is_stepped = true,
                                            .no_ui = true,
                                            .alloc = check_alloc(t)};
    surety_gateway *gateway = NULL;
    surety_buf answer;
    surety_error error;

    surety_buf_init(&answer, NULL, 0);
    CHECK(fd >= 0 && file_write(path, one));
    TRY(surety_gateway_open(&options, &gateway, NULL));
    CHECK(ask(t, gateway, &answer) || t->starved);
    CHECK(has(&answer, "\"one\"") || t->starved);
    CHECK(file_write(path, two));
    TRY(surety_gateway_reload(gateway, NULL));
    CHECK(file_write(path, ""));
    CHECK(ask(t, gateway, &answer) || t->starved);
    CHECK(has(&answer, "\"two\"") || t->starved);
    /* Of several reloads the last one counts, and a wrong one not at all. */
    CHECK(file_write(path, one));
    TRY(surety_gateway_reload(gateway, NULL));
    CHECK(file_write(path, two));
    TRY(surety_gateway_reload(gateway, NULL));
    CHECK(file_write(path, "{"));
    EXPECT(SURETY_SYNTAX, surety_gateway_reload(gateway, &error));
    CHECK(ask(t, gateway, &answer) || t->starved);
    CHECK(has(&answer, "\"two\"") || t->starved);
done:
    surety_gateway_close(gateway);
    surety_buf_done(&answer);
    if (fd >= 0)
        close(fd);
    unlink(path);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"takes what it checked", takes_what_it_checked},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
