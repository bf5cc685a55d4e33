/* SPDX-License-Identifier: Apache-2.0 */
/* A gateway in a program's own loop, without a thread of its own. The client is
 * a socket of the same loop, and the model a mock whose first reply breaks the
 * schema: the client never sees that reply. */
#include <surety-serve.h>

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char script[] =
    "{\"replies\": [{\"text\": \"{\\\"hours\\\": \\\"a few\\\"}\"},"
    "               {\"text\": \"{\\\"hours\\\": 4}\"}]}";
static const char body[] =
    "{\"model\": \"here:m\","
    " \"messages\": [{\"role\": \"user\", \"content\": \"How long?\"}],"
    " \"response_format\": {\"type\": \"json_schema\", \"json_schema\": {"
    "   \"name\": \"ticket\", \"schema\": {\"type\": \"object\","
    "     \"properties\": {\"hours\": {\"type\": \"integer\"}}}}}}";

/* Writes a configuration whose provider "here" is the mock. */
static int configure(char *path, uint16_t port)
{
    const int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (!file)
        return -1;
    fprintf(file,
            "{\"providers\": {\"here\": {\"base_url\": "
            "\"http://127.0.0.1:%u/v1\"}}}",
            port);
    return fclose(file);
}

/* Sends the request as a client does. */
static int call(uint16_t port)
{
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    char text[1000];

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    snprintf(text, sizeof(text),
             "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
             "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
             strlen(body), body);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
        write(fd, text, strlen(text)) < 0)
        return -1;
    return fd;
}

/* The program's loop, in which the gateway does its part: one thread. */
static void serve(surety_gateway *gateway, int client, surety_buf *answer)
{
    struct pollfd fds[2] = {{surety_gateway_descriptor(gateway), POLLIN, 0},
                            {client, POLLIN, 0}};
    char bytes[4096];
    ssize_t got = 1;

    while (got > 0) {
        const uint32_t wait_ms = surety_gateway_step(gateway, 0);

        if (poll(fds, 2, (int)wait_ms) > 0 && fds[1].revents) {
            got = read(client, bytes, sizeof(bytes));
            if (got > 0)
                surety_buf_append(answer, bytes, (size_t)got);
        }
    }
}

int main(void)
{
    const surety_str place = {"127.0.0.1:0", 11};
    surety_gateway_options options = {.size = sizeof(options),
                                      .listen = &place,
                                      .listen_count = 1,
                                      .is_stepped = true};
    char path[] = "/tmp/surety-example-XXXXXX";
    surety_mock *mock = NULL;
    surety_gateway *gateway = NULL;
    surety_error err = {.message = ""};
    surety_buf answer;
    const char *json;
    int client = -1;

    surety_buf_init(&answer, NULL, 0);
    if (surety_mock_open(surety_str_of(script), NULL, &mock, &err))
        goto done;
    options.config = surety_str_of(path);
    if (configure(path, surety_mock_port(mock)) ||
        surety_gateway_open(&options, &gateway, &err))
        goto done;
    client = call(surety_gateway_port(gateway));
    if (client < 0)
        goto done;
    serve(gateway, client, &answer);
    surety_buf_byte(&answer, '\0');
    json = strstr(answer.ptr, "\"content\":");
    printf("%.6s, %.26s\n", answer.ptr + 9, json ? json : "no content");
    json = strstr(answer.ptr, "\"attempts\":");
    printf("%.12s\n", json ? json : "no attempts");
done:
    fprintf(stderr, "%s", err.message); /* empty unless a call failed */
    if (client >= 0)
        close(client);
    surety_gateway_close(gateway);
    surety_mock_close(mock);
    surety_buf_done(&answer);
    unlink(path);
    return 0;
}
