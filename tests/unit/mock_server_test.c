/* SPDX-License-Identifier: Apache-2.0 */
/* The mock server without a thread: the test opens connections, and moves the
 * server until an answer is whole. */
#include "mock/mock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

#define STR(text) surety_str_of(text)

/* A log that keeps its last line. */
struct heard {
    char line[1024];
    size_t len;
    unsigned count;
};

static void hear(void *ctx, surety_str line)
{
    struct heard *heard = ctx;

    heard->len = line.len < sizeof(heard->line) ? line.len : 0;
    memcpy(heard->line, line.ptr, heard->len);
    heard->count++;
}

static surety_status open_mock(struct check *t, const char *script,
                               struct heard *heard, surety_mock **ret_mock,
                               surety_error *reterr)
{
    const surety_mock_options options = {.size = sizeof(options),
                                         .log = heard ? hear : NULL,
                                         .log_ctx = heard,
                                         .alloc = check_alloc(t)};

    return surety__mock_new(STR(script), &options, ret_mock, reterr);
}

static int dial(const surety_mock *mock)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_port = htons(surety_mock_port(mock));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
        close(fd);
        return -1;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

/* Sends the text, and reads until the end or until it ends with `last`; gives
 * how many bytes, or -1 after a reset. */
static ssize_t talk(surety_mock *mock, int fd, const char *text,
                    const char *last, char *out, size_t size)
{
    size_t len = 0;

    if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
        return -1;
    for (int i = 0; i < 400 && len < size - 1; i++) {
        ssize_t got;
        surety__mock_step(mock, 5);
        while ((got = recv(fd, out + len, size - 1 - len, 0)) > 0) {
            len += (size_t)got;
            out[len] = '\0';
        }
        if (got == 0 || (last && len >= strlen(last) &&
                         strcmp(out + len - strlen(last), last) == 0))
            break;
        if (got < 0 && errno != EAGAIN)
            return -1;
    }
    out[len] = '\0';
    return (ssize_t)len;
}

#define HEAD(length)                                                           \
    "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"   \
    "Content-Length: " length "\r\n"
#define PLAIN                                                                  \
    HEAD("58")                                                                 \
    "\r\n{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":"       \
    "\"hey\"}]}"

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

/* ---- tests --------------------------------------------------------------- */

/* When memory ends in the middle, an answer may be missing; never more. */
static bool is_starved(const struct check *t)
{
    return t->starved;
}

TEST(answers_a_call)
{
    surety_mock *mock = NULL;
    struct heard heard = {.count = 0};
    char out[8192] = "";
    int fd = -1;

    TRY(open_mock(t, "{\"replies\":[{\"text\":\"hello\"}]}", &heard, &mock,
                  NULL));
    fd = dial(mock);
    CHECK(fd >= 0);
    talk(mock, fd, PLAIN, NULL, out, sizeof(out));
    if (is_starved(t))
        goto done;
    CHECK(has(out, "HTTP/1.1 200 OK\r\n"));
    CHECK(has(out, "\"content\":\"hello\""));
    CHECK(has(out, "x-request-id: req_mock1\r\n"));
    CHECK(surety_mock_served(mock) == 1 && heard.count == 1);
    CHECK(has(heard.line, "\"status\":200") &&
          has(heard.line, "\"ended\":\"whole\""));
done:
    if (fd >= 0)
        close(fd);
    surety_mock_close(mock);
}

TEST(streams_a_call)
{
    surety_mock *mock = NULL;
    char out[8192] = "";
    int fd = -1;

    TRY(open_mock(t,
                  "{\"replies\":[{\"chunks\":[\"a\",\"b\"],"
                  "\"chunk_delay_ms\":2,\"delay_ms\":2}]}",
                  NULL, &mock, NULL));
    fd = dial(mock);
    CHECK(fd >= 0);
    talk(mock, fd,
         "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: "
         "72\r\n\r\n{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":"
         "\"user\",\"content\":\"hey\"}]}",
         "0\r\n\r\n", out, sizeof(out));
    if (is_starved(t))
        goto done;
    CHECK(has(out, "Transfer-Encoding: chunked\r\n"));
    CHECK(has(out, "\"delta\":{\"content\":\"a\"}"));
    CHECK(has(out, "\"delta\":{\"content\":\"b\"}"));
    CHECK(has(out, "data: [DONE]\n\n"));
done:
    if (fd >= 0)
        close(fd);
    surety_mock_close(mock);
}

TEST(breaks_where_it_is_told)
{
    surety_mock *mock = NULL;
    char out[8192] = "";
    const char *body;
    int fd = -1;
    ssize_t got;

    TRY(open_mock(t,
                  "{\"replies\":[{\"text\":\"hello\",\"cut_at\":9},"
                  "{\"text\":\"hello\",\"reset_at\":0},"
                  "{\"bytes\":{\"hex\":\"00 ff 0a\"}},{\"hang_up\":true}]}",
                  NULL, &mock, NULL));
    for (int i = 0; i < 4; i++) {
        fd = dial(mock);
        CHECK(fd >= 0);
        got = talk(mock, fd, PLAIN, NULL, out, sizeof(out));
        if (is_starved(t))
            goto done;
        body = strstr(out, "\r\n\r\n");
        if (i == 0)
            CHECK(body && strcmp(body + 4, "{\"id\":\"ch") == 0);
        if (i == 1)
            CHECK(got == -1);
        if (i == 2)
            CHECK(got == 3 && memcmp(out, "\0\xff\n", 3) == 0);
        if (i == 3)
            CHECK(got == 0);
        close(fd);
        fd = -1;
    }
done:
    if (fd >= 0)
        close(fd);
    surety_mock_close(mock);
}

TEST(closes_while_streams_are_open)
{
    surety_mock *mock = NULL;
    struct heard heard = {.count = 0};
    char out[4096] = "";
    int fds[3] = {-1, -1, -1};

    TRY(open_mock(t,
                  "{\"replies\":[{\"text\":\"hello\",\"stall_at\":3},"
                  "{\"text\":\"x\",\"delay_ms\":60000},"
                  "{\"bytes\":\"abc\",\"stall_at\":2}]}",
                  &heard, &mock, NULL));
    for (int i = 0; i < 3; i++) {
        fds[i] = dial(mock);
        CHECK(fds[i] >= 0);
        send(fds[i], PLAIN, strlen(PLAIN), MSG_NOSIGNAL);
        for (int k = 0; k < 5; k++)
            surety__mock_step(mock, 5);
    }
    if (is_starved(t))
        goto done;
    CHECK(recv(fds[0], out, sizeof(out) - 1, 0) > 0 &&
          has(out, "\r\n\r\n{\"i"));
    CHECK(recv(fds[2], out, sizeof(out) - 1, 0) == 2);
    CHECK(heard.count == 0);
    /* One hangs up while it waits. */
    close(fds[1]);
    fds[1] = -1;
    for (int k = 0; k < 5; k++)
        surety__mock_step(mock, 5);
    if (is_starved(t))
        goto done;
    CHECK(heard.count == 1 && has(heard.line, "\"ended\":\"broken\""));
    surety_mock_close(mock);
    mock = NULL;
    CHECK(heard.count == 3 || is_starved(t));
done:
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    surety_mock_close(mock);
}

TEST(refuses_as_providers_do)
{
    static const struct {
        const char *request;
        const char *status;
        const char *part;
    } cases[] = {
        {"GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "404",
         "Invalid URL (GET /nothing)"},
        {"GET /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: "
         "close\r\n\r\n",
         "405", "method_not_allowed"},
        {HEAD("2") "Authorization: Bearer sk-x\r\n\r\n{]", "400",
         "line 1, column 2"},
        {HEAD("2") "\r\n{}", "401", "You didn't provide an API key"},
        {HEAD("2") "Authorization: Bearer sk-y\r\n\r\n{}", "401",
         "invalid_api_key"},
        {HEAD("2") "Authorization: Bearer sk-x\r\n\r\n{}", "400",
         "model parameter"},
        {HEAD("62") "Authorization: Bearer sk-x\r\n\r\n{\"model\":\"none\","
                    "\"messages\":[{\"role\":\"user\",\"content\":\"hey\"}] }",
         "404", "model_not_found"},
        {HEAD("101") "Authorization: Bearer sk-x\r\n\r\n", "413",
         "request_too_large"},
        {"POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: "
         "close\r\nContent-Length: 2\r\nx-api-key: sk-x\r\n\r\n{}",
         "400", "model: Field required"},
        {"GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: "
         "close\r\nAuthorization: Bearer sk-x\r\n\r\n",
         "200", "\"id\":\"m\""},
        {"GET /v1beta/models?key=sk-x HTTP/1.1\r\nHost: x\r\nConnection: "
         "close\r\n\r\n",
         "200", "\"name\":\"models/m\""},
        {"GET /v1/models/%6d HTTP/1.1\r\nHost: x\r\nConnection: "
         "close\r\nAuthorization: Bearer sk-x\r\n\r\n",
         "200", "{\"id\":\"m\""},
        {"GET /v1/models/%00 HTTP/1.1\r\nHost: x\r\nConnection: "
         "close\r\nAuthorization: Bearer sk-x\r\n\r\n",
         "404", "%00"},
    };
    surety_mock *mock = NULL;
    struct heard heard = {.count = 0};
    char out[8192] = "";
    int fd = -1;

    TRY(open_mock(t,
                  "{\"replies\":[],\"require_key\":\"sk-x\",\"models\":"
                  "[\"m\"],\"request_bytes_max\":100}",
                  &heard, &mock, NULL));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        out[0] = '\0';
        fd = dial(mock);
        CHECK(fd >= 0);
        talk(mock, fd, cases[i].request, NULL, out, sizeof(out));
        if (is_starved(t))
            goto done;
        if (strncmp(out + 9, cases[i].status, 3) != 0 ||
            !has(out, cases[i].part))
            printf("# %s\n# got %s\n", cases[i].request, out);
        CHECK(strncmp(out + 9, cases[i].status, 3) == 0);
        CHECK(has(out, cases[i].part));
        CHECK(!has(heard.line, "sk-"));
        close(fd);
        fd = -1;
    }
done:
    if (fd >= 0)
        close(fd);
    surety_mock_close(mock);
}

TEST(tells_where_a_script_is_wrong)
{
    static const struct {
        const char *script;
        unsigned line, column;
        const char *path;
        const char *message;
    } cases[] = {
        {"", 1, 1, "", NULL},
        {"{}", 1, 1, "", "replies"},
        {"// a\n{\"replies\": [] /* é */, \"then\": 3}", 2, 33, "/then", NULL},
        {"{\"replies\": [\n  {\"txet\": \"a\"}]}", 2, 4, "/replies/0/txet",
         "txet"},
        {"{\"replies\": [\n {\"text\": \"a\", \"json\": 1}]}", 2, 24,
         "/replies/0/json", "both \"text\" and \"json\""},
        {"{\"replies\": [{\"text\": \"//\", \"file\": null}]} /*", 1, 45, "",
         "never closed"},
        {"{\"replies\": [{\"file\": \"/nonexistent/x\"}]}", 1, 23,
         "/replies/0/file", "cannot be read"},
        {"{\"replies\": [{\"headers\": {\"Content-Length\": \"5\"}}]}", 1, 27,
         NULL, NULL},
        {"{\"replies\": [{\"headers\": {\"a\": \"b\\r\\nc: d\"}}]}", 1, 32,
         NULL, NULL},
        {"{\"replies\": [], \"replies\": []}", 1, 17, NULL, "replies"},
    };
    surety_mock *mock = NULL;
    surety_error error;

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety_status status =
            open_mock(t, cases[i].script, NULL, &mock, &error);
        if (status == SURETY_NOMEM && t->starved)
            goto done;
        CHECK(status == SURETY_SYNTAX || status == SURETY_IO);
        if (error.position.line != cases[i].line ||
            error.position.column != cases[i].column)
            printf("# %s: %u:%u %s %s\n", cases[i].script, error.position.line,
                   error.position.column, error.path, error.message);
        CHECK(error.position.line == cases[i].line);
        CHECK(error.position.column == cases[i].column);
        CHECK(!cases[i].path || strcmp(error.path, cases[i].path) == 0);
        CHECK(!cases[i].message || has(error.message, cases[i].message));
    }
done:
    surety_mock_close(mock);
}

TEST(has_a_thread)
{
    surety_mock *mock = NULL;
    surety_error error;
    surety_mock *second = NULL;
    surety_mock_options options = {.size = sizeof(options),
                                   .alloc = check_alloc(t)};

    TRY(surety_mock_open(STR("{\"replies\":[]}"), &options, &mock, &error));
    CHECK(surety_mock_port(mock) > 0 && surety_mock_served(mock) == 0);
    options.port = surety_mock_port(mock);
    EXPECT(SURETY_IO, surety_mock_open(STR("{\"replies\":[]}"), &options,
                                       &second, &error));
    CHECK(has(error.message, "cannot listen"));
    options.address = STR("localhost");
    EXPECT(SURETY_MISUSE, surety_mock_open(STR("{\"replies\":[]}"), &options,
                                           &second, &error));
done:
    surety_mock_close(second);
    surety_mock_close(mock);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"answers a call", answers_a_call},
        {"streams a call", streams_a_call},
        {"breaks where it is told", breaks_where_it_is_told},
        {"closes while streams are open", closes_while_streams_are_open},
        {"refuses as providers do", refuses_as_providers_do},
        {"tells where a script is wrong", tells_where_a_script_is_wrong},
        {"has a thread", has_a_thread},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
