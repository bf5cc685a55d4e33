/* SPDX-License-Identifier: Apache-2.0 */
/* Places to listen at: what is refused and why, and what becomes of a path that
 * others hold, left behind, or took over. */
#include "serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"

/* A folder of the test's, and a path in it. */
struct place {
    char folder[64];
    char path[80]; /* of the file */
    char text[96]; /* unix: and the path */
};

static bool place_open(struct place *place)
{
    snprintf(place->folder, sizeof(place->folder), "/tmp/surety-listen-XXXXXX");
    if (!mkdtemp(place->folder))
        return false;
    snprintf(place->path, sizeof(place->path), "%s/s", place->folder);
    snprintf(place->text, sizeof(place->text), "unix:%s", place->path);
    return true;
}

static void place_close(const struct place *place)
{
    unlink(place->path);
    rmdir(place->folder);
}

/* Whether a client can connect to the path. */
static bool place_answers(const struct place *place)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bool answers;

    memcpy(address.sun_path, place->path, strlen(place->path) + 1);
    answers = !connect(fd, (struct sockaddr *)&address, sizeof(address));
    close(fd);
    return answers;
}

static bool place_exists(const struct place *place)
{
    return access(place->path, F_OK) == 0;
}

static surety_status listen_at(const char *place,
                               surety__listen_place *listener,
                               surety_error *error)
{
    *listener = (surety__listen_place){.fd = -1};
    return surety__listen_open(surety_str_of(place), 0, listener, error);
}

#define HINT                                                                   \
    "give one such as 127.0.0.1:4141, [::1]:4141 or unix:/run/surety.sock; a " \
    "port is a number from 0 to 65535"

TEST(refuses_what_is_no_place)
{
    static const struct {
        const char *place;
        surety_status status;
        const char *message;
    } cases[] = {
        {"127.0.0.1", SURETY_MISUSE, "\"127.0.0.1\" is no place to listen at"},
        {"127.0.0.1:", SURETY_MISUSE,
         "\"127.0.0.1:\" is no place to listen at"},
        {"127.0.0.1:65536", SURETY_MISUSE,
         "\"127.0.0.1:65536\" is no place to listen at"},
        {"127.0.0.1:-1", SURETY_MISUSE,
         "\"127.0.0.1:-1\" is no place to listen at"},
        {":80", SURETY_MISUSE, NULL},
        {"localhost:0", SURETY_MISUSE, "\"localhost\" is no IP address"},
        {"[127.0.0.1.1]:0", SURETY_MISUSE, "\"127.0.0.1.1\" is no IP address"},
        {"0123456789012345678901234567890123456789012345678901234567890123:0",
         SURETY_MISUSE, NULL},
        {"::1:0", SURETY_MISUSE, "\"::1:0\" is no place to listen at"},
        {"unix:", SURETY_MISUSE, NULL},
        {"fd:", SURETY_IO, "descriptor \"\" is no socket that listens"},
        {"fd:-1", SURETY_IO, "descriptor \"-1\" is no socket that listens"},
        {"fd:99999999999", SURETY_IO, NULL},
        {"fd:0", SURETY_IO, "descriptor \"0\" is no socket that listens"},
    };
    surety__listen_place listener;
    surety_error error;

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        CHECK(listen_at(cases[i].place, &listener, &error) == cases[i].status);
        if (cases[i].message)
            CHECK_TEXT(surety_str_of(error.message), cases[i].message);
        if (i < 4)
            CHECK_TEXT(surety_str_of(error.hint), HINT);
    }
done:
    return;
}

TEST(takes_a_port_once)
{
    surety__listen_place first = {.fd = -1}, second = {.fd = -1};
    surety_error error;
    surety_buf text;
    char wanted[80];

    surety_buf_init(&text, check_alloc(t), 0);
    CHECK(listen_at("127.0.0.1:0", &first, &error) == SURETY_OK);
    CHECK(first.port > 0);
    surety__listen_write(&first, false, &text);
    if (text.status)
        goto done;
    snprintf(wanted, sizeof(wanted), "http://127.0.0.1:%u",
             (unsigned)first.port);
    CHECK_TEXT(surety_buf_str(&text), wanted);
    snprintf(wanted, sizeof(wanted), "127.0.0.1:%u", (unsigned)first.port);
    CHECK(listen_at(wanted, &second, &error) == SURETY_IO);
    snprintf(wanted, sizeof(wanted), "cannot listen on 127.0.0.1 port %u: %s",
             (unsigned)first.port, strerror(EADDRINUSE));
    CHECK_TEXT(surety_str_of(error.message), wanted);
    CHECK_TEXT(surety_str_of(error.hint), "port 0 takes one that is free");
done:
    surety_buf_done(&text);
    surety__listen_close(&first);
    surety__listen_close(&second);
}

/* A path belongs to one process at a time, and is gone at the end. */
TEST(holds_a_path)
{
    surety__listen_place first = {.fd = -1}, second = {.fd = -1};
    struct place place;
    struct stat made;
    surety_error error;

    CHECK(place_open(&place));
    CHECK(listen_at(place.text, &first, &error) == SURETY_OK);
    CHECK(place_answers(&place));
    CHECK(!lstat(place.path, &made) && (made.st_mode & 0777) == 0600);
    CHECK(listen_at(place.text, &second, &error) == SURETY_IO);
    CHECK(strstr(error.message, place.path) &&
          strstr(error.message, strerror(EADDRINUSE)));
    CHECK(place_answers(&place));
    surety__listen_close(&first);
    CHECK(!place_exists(&place));
done:
    surety__listen_close(&second);
    place_close(&place);
}

/* What a process left behind is taken over; a file that is no socket stays. */
TEST(takes_over_a_dead_path)
{
    surety__listen_place first = {.fd = -1}, second = {.fd = -1};
    struct place place;
    surety_error error;
    int file;

    CHECK(place_open(&place));
    CHECK(listen_at(place.text, &first, &error) == SURETY_OK);
    close(first.fd); /* as the system does when a process dies */
    first.fd = -1;
    CHECK(place_exists(&place) && !place_answers(&place));
    CHECK(listen_at(place.text, &second, &error) == SURETY_OK);
    CHECK(place_answers(&place));
    /* The first one's end does not take the path from the second. */
    surety__listen_close(&first);
    CHECK(place_answers(&place));
    surety__listen_close(&second);
    CHECK(!place_exists(&place));
    file = open(place.path, O_CREAT | O_WRONLY, 0600);
    CHECK(file >= 0 && !close(file));
    CHECK(listen_at(place.text, &second, &error) == SURETY_IO);
    CHECK(place_exists(&place));
done:
    surety__listen_close(&second);
    place_close(&place);
}

/* Connects count clients to a port of IPv6. */
static bool clients_connect(uint16_t port, int *fds, size_t count)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6,
                                   .sin6_port = htons(port),
                                   .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    bool is_done = true;

    for (size_t i = 0; i < count; i++) {
        fds[i] = socket(AF_INET6, SOCK_STREAM, 0);
        is_done =
            !connect(fds[i], (struct sockaddr *)&address, sizeof(address)) &&
            is_done;
    }
    return is_done;
}

/* How many clients wait at a socket that does not block. */
static size_t clients_accept(int socket)
{
    size_t count = 0;

    for (int fd; (fd = accept(socket, NULL, NULL)) >= 0; count++)
        close(fd);
    return count;
}

/* Every server has a descriptor of its own of each place, and the last one gets
 * all clients that wait when the others close theirs. */
TEST(shares_its_places)
{
    int clients[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    uint16_t port;
    surety__listen_place listeners[2] = {{.fd = -1}, {.fd = -1}};
    int sockets[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    struct place place;
    surety_error error;
    bool has_place = false;

    CHECK(place_open(&place));
    has_place = true;
    CHECK(surety__listen_open(surety_str_of("[::1]:0"), 0, &listeners[0],
                              &error) == SURETY_OK);
    CHECK(surety__listen_open(surety_str_of(place.text), 0660, &listeners[1],
                              &error) == SURETY_OK);
    port = listeners[0].port;
    for (size_t i = 0; i < 3; i++)
        CHECK(surety__listen_share(listeners, 2, i == 2, sockets[i], &error) ==
              SURETY_OK);
    CHECK(listeners[0].fd == -1 && listeners[1].fd == -1);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            int listens = 0;
            socklen_t len = sizeof(listens);

            CHECK(!getsockopt(sockets[i][k], SOL_SOCKET, SO_ACCEPTCONN,
                              &listens, &len) &&
                  listens);
        }
    CHECK(clients_connect(port, clients, CHECK_COUNT(clients)));
    for (size_t i = 0; i < 4; i++) {
        close(sockets[i / 2][i % 2]);
        sockets[i / 2][i % 2] = -1;
    }
    CHECK(place_answers(&place));
    CHECK(clients_accept(sockets[2][0]) == CHECK_COUNT(clients));
done:
    for (size_t i = 0; i < CHECK_COUNT(clients); i++)
        if (clients[i] >= 0)
            close(clients[i]);
    for (size_t i = 0; i < 6; i++)
        if (sockets[i / 2][i % 2] >= 0)
            close(sockets[i / 2][i % 2]);
    surety__listen_close(&listeners[0]);
    surety__listen_close(&listeners[1]);
    if (has_place)
        place_close(&place);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"refuses what is no place", refuses_what_is_no_place},
        {"takes a port once", takes_a_port_once},
        {"holds a path", holds_a_path},
        {"takes over a dead path", takes_over_a_dead_path},
        {"shares its places", shares_its_places},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
