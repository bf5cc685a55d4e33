/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a soak's gateways: preloaded, it adds to the time of day what
 * stands as milliseconds in the file $SOAK_CLOCK, which the test changes while
 * they run. Time that only passes (CLOCK_MONOTONIC) is the system's. */
#define _GNU_SOURCE /* syscall */

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *clock_shift;

__attribute__((constructor)) static void clock_open(void)
{
    const char *path = getenv("SOAK_CLOCK");
    const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const void *place =
        fd < 0 ? MAP_FAILED
               : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);

    if (place != MAP_FAILED)
        clock_shift = place;
    if (fd >= 0)
        close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
    const int result = (int)syscall(SYS_clock_gettime, clock, ret_time);
    int64_t ms;

    if (result || clock != CLOCK_REALTIME || !clock_shift)
        return result;
    ms = (int64_t)ret_time->tv_sec * 1000 + ret_time->tv_nsec / 1000000 +
         *clock_shift;
    ret_time->tv_sec = (time_t)(ms / 1000);
    ret_time->tv_nsec =
        (long)(ms % 1000) * 1000000 + ret_time->tv_nsec % 1000000;
    return 0;
}
