/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one command and notes what it took: bench-launch FILE COMMAND...
 *
 * FILE gets one line: microseconds of processor time, peak memory in KiB, exit
 * status. It is a program of its own because Linux counts the memory that a
 * process had before its exec, and a child of the driver would begin with the
 * driver's. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* wait4 is older than POSIX and not in it. */
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage);

static long long microseconds(struct timeval time)
{
    return (long long)time.tv_sec * 1000000 + (long long)time.tv_usec;
}

int main(int argc, char **argv)
{
    struct rusage usage = {0};
    FILE *file = NULL;
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
    file = fopen(argv[1], "w");
    if (!file)
        return 1;
    fprintf(file, "%lld %lld %d\n",
            microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
            (long long)usage.ru_maxrss, status);
    return fclose(file) == 0 ? 0 : 1;
}
