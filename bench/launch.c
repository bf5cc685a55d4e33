/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one command and tells what it took: bench-launch FILE COMMAND...
 *
 * FILE gets one line: nanoseconds of wall time, microseconds in user mode,
 * peak memory in KiB, exit status. It is a program of its own because Linux
 * counts the memory that a process had before its exec, and a child of the
 * driver would begin with the driver's. */
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* wait4 is older than POSIX and not in it. */
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage);

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    const int64_t start_ns = now_ns();
    struct rusage usage = {0};
    FILE *file = NULL;
    int64_t wall_ns = 0;
    int status = -1;
    pid_t child = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: bench-launch FILE COMMAND...\n");
        return 2;
    }
    child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return 1;
    wall_ns = now_ns() - start_ns;
    file = fopen(argv[1], "w");
    if (!file)
        return 1;
    fprintf(file, "%lld %lld %lld %d\n", (long long)wall_ns,
            (long long)usage.ru_utime.tv_sec * 1000000 +
                (long long)usage.ru_utime.tv_usec,
            (long long)usage.ru_maxrss, status);
    return fclose(file) == 0 ? 0 : 1;
}
