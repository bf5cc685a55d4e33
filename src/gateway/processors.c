/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of processor time that control groups set (Linux, "Control Group
 * v2", cpu.max:
 * "QUOTA PERIOD" in microseconds, or "max PERIOD"). The limit of every group
 * above holds too, so each is read. In a container the first one is "/". */
#include "gateway/gateway.h"

#include <fcntl.h>
#include <unistd.h>

enum {
    PROCESSORS_TEXT_MAX = 8192, /* of /proc/self/cgroup; a path has 4,096 */
    PROCESSORS_PATH_MAX = 4096
};

/* Reads the beginning of a file of the system as a string; empty where there is
 * none. */
static void processors_read(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t len = fd < 0 ? -1 : read(fd, text, size - 1);

    text[len > 0 ? len : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

/* Reads a number and passes it and a space; 0: there is none. */
static uint64_t processors_number(const char **text)
{
    uint64_t number = 0;

    while (surety__is_digit(**text) && number < UINT32_MAX)
        number = number * 10 + (uint64_t)(*(*text)++ - '0');
    *text += **text == ' ';
    return number;
}

/* Returns the limit that the file at path has, rounded up, or count where that
 * is less. */
static uint32_t processors_limit(const char *path, uint32_t count)
{
    char text[64];
    const char *at = text;
    uint64_t quota, period;

    processors_read(path, text, sizeof(text));
    quota = processors_number(&at);
    period = processors_number(&at);
    if (!quota || !period || quota / period >= count)
        return count;
    return (uint32_t)((quota + period - 1) / period);
}

/* Returns the least limit of the group at path and of those above it. */
static uint32_t processors_of_group(surety_str groups, surety_str path,
                                    uint32_t count)
{
    static const char file[] = "/cpu.max";
    char name[PROCESSORS_PATH_MAX + sizeof(file)];
    size_t len = groups.len + path.len;

    if (len > PROCESSORS_PATH_MAX)
        return count;
    memcpy(name, groups.ptr, groups.len);
    memcpy(name + groups.len, path.ptr, path.len);
    while (len >= groups.len) {
        memcpy(name + len, file, sizeof(file));
        count = processors_limit(name, count);
        if (len == groups.len)
            break;
        do
            len--;
        while (name[len] != '/');
    }
    return count;
}

uint32_t surety__processors(const char *groups, const char *self,
                            uint32_t count)
{
    char text[PROCESSORS_TEXT_MAX];
    const char *path;

    processors_read(self, text, sizeof(text));
    path = strstr(text, "0::/"); /* the line of version 2 */
    if (!path)
        return count;
    path += strlen("0::");
    return processors_of_group(surety_str_of(groups),
                               (surety_str){path, strcspn(path, "\n")}, count);
}
