/* SPDX-License-Identifier: Apache-2.0 */
/* Goes into a test program that is linked with a kernel fixed by
 * -DSURETY_KERNEL (tests/unit/meson.build): before its main runs, the program
 * is skipped where this processor cannot run that kernel, and fails where
 * another kernel would be used than the one it is named for. */
#include "json/index.h"

#include <stdio.h>
#include <stdlib.h>

#define KERNEL_TEXT(name) #name
#define KERNEL_NAME(name) KERNEL_TEXT(name)

__attribute__((constructor)) static void kernel_ask(void)
{
    const struct surety__kernel *kernel = surety__kernel_best();
    const char *wanted = KERNEL_NAME(SURETY_KERNEL);

    if (!kernel || strcmp(kernel->name, wanted) != 0) {
        printf("Bail out! there is no kernel called %s\n", wanted);
        exit(1);
    }
    if (!kernel->runs_here()) {
        printf("1..0 # SKIP this processor cannot run %s\n", wanted);
        exit(0);
    }
}
