/* SPDX-License-Identifier: Apache-2.0 */
/* The two interfaces of systemd that a service needs: sockets that it was
 * started with, and a datagram for each change of its state. Both are stable
 * and small, so no library is needed for them. */
#include "systemd.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { SYSTEMD_SOCKETS_MAX = 1000 };

/* The number in a variable of the environment; 0: none. */
static unsigned systemd_number(const char *name, unsigned most)
{
    const char *text = getenv(name);
    unsigned number;

    if (!text)
        return 0;
    number = cli_number(&text, most);
    return *text || number > most ? 0 : number;
}

unsigned systemd_sockets(void)
{
    /* The sockets are for this process only, and not for its children. */
    if (systemd_number("LISTEN_PID", INT32_MAX) != (unsigned)getpid())
        return 0;
    return systemd_number("LISTEN_FDS", SYSTEMD_SOCKETS_MAX);
}

void systemd_tell(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t len = path ? strlen(path) : 0;
    int fd;

    if (!len || len >= sizeof(address.sun_path))
        return;
    memcpy(address.sun_path, path, len);
    /* "@" stands for the NUL of an abstract name. */
    if (*path == '@')
        address.sun_path[0] = '\0';
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL,
                 (struct sockaddr *)&address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
    close(fd);
}

void systemd_tell_reload(void)
{
    struct timespec now;
    char state[80];

    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%llu",
             (unsigned long long)now.tv_sec * 1000000 +
                 (unsigned long long)now.tv_nsec / 1000);
    systemd_tell(state);
}
