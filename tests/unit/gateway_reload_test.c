/* SPDX-License-Identifier: Apache-2.0 */
/* A reload takes what it checked, whatever its file has become when a thread
 * gets to it. The gateway is stepped, so nothing depends on time. */
#include "gateway_step.h"

#define ASK                                                                    \
    "GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n"        \
    "Connection: close\r\n\r\n"

TEST(takes_what_it_checked)
{
    static const char one[] =
        "{\"models\":{\"one\":{\"provider\":\"openai\",\"model\":\"m\"}}}";
    static const char two[] =
        "{\"models\":{\"two\":{\"provider\":\"openai\",\"model\":\"m\"}}}";
    char path[] = "/tmp/surety-reload-XXXXXX";
    const int fd = mkstemp(path);
    const surety_gateway_options options = step_options(t, path);
    surety_gateway *gateway = NULL;
    surety_buf answer;
    surety_error error;

    surety_buf_init(&answer, NULL, 0);
    CHECK(fd >= 0 && step_write(path, one));
    TRY(surety_gateway_open(&options, &gateway, NULL));
    CHECK(step_ask(t, gateway, ASK, NULL, &answer) || t->starved);
    CHECK(step_has(&answer, "\"one\"") || t->starved);
    CHECK(step_write(path, two));
    TRY(surety_gateway_reload(gateway, NULL));
    CHECK(step_write(path, ""));
    CHECK(step_ask(t, gateway, ASK, NULL, &answer) || t->starved);
    CHECK(step_has(&answer, "\"two\"") || t->starved);
    /* Of several reloads the last one counts, and a wrong one not at all. */
    CHECK(step_write(path, one));
    TRY(surety_gateway_reload(gateway, NULL));
    CHECK(step_write(path, two));
    TRY(surety_gateway_reload(gateway, NULL));
    CHECK(step_write(path, "{"));
    EXPECT(SURETY_SYNTAX, surety_gateway_reload(gateway, &error));
    CHECK(step_ask(t, gateway, ASK, NULL, &answer) || t->starved);
    CHECK(step_has(&answer, "\"two\"") || t->starved);
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
