/* SPDX-License-Identifier: Apache-2.0 */
/* The switch of the mutants (mutant.h), compiled into libsurety's copy. It is
 * read before main. What was reached is kept in a file that every process of a
 * test shares, so that a child's counts too, and one that crashes loses
 * nothing. */
#include "mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MUTANTS_MAX = 1 << 16 };

static unsigned char mutant_nowhere[MUTANTS_MAX];
int surety_mutant = -1;
volatile unsigned char *surety_seen = mutant_nowhere;

__attribute__((constructor)) static void mutant_choose(void)
{
    const char *number = getenv("SURETY_MUTANT");
    const char *path = getenv("SURETY_SEEN");
    void *shared;
    int fd;

    if (number)
        surety_mutant = atoi(number);
    fd = path ? open(path, O_RDWR) : -1;
    if (fd < 0)
        return;
    shared = mmap(NULL, MUTANTS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared != MAP_FAILED)
        surety_seen = shared;
    close(fd);
}
