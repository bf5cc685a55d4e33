/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of the gateway and the mock: nothing else there asks the system
 * for the time. The simulator has a file of its own in place of this one, with
 * a clock that it moves itself. */
#include "serve/serve.h"

#include <time.h>

static int64_t clock_us(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

uint64_t surety__serve_us(void)
{
    return (uint64_t)clock_us(CLOCK_MONOTONIC);
}

surety__serve_times surety__serve_clock(void)
{
    return (surety__serve_times){surety__serve_us(),
                                 clock_us(CLOCK_REALTIME) / 1000};
}
