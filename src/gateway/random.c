/* SPDX-License-Identifier: Apache-2.0 */
/* Random bytes: nothing else in the gateway is left to chance. The simulator
 * has a file of its own in place of this one, which gives those of a seed. */
#include "gateway/gateway.h"

#include <sys/random.h>

bool surety__worker_random(surety__worker *worker, void *out, size_t len)
{
    assert(len <= sizeof(worker->random));
    if (worker->random_left < len) {
        worker->random_left = 0;
        if (getentropy(worker->random, sizeof(worker->random)))
            return false;
        worker->random_left = sizeof(worker->random);
    }
    worker->random_left -= len;
    memcpy(out, worker->random + worker->random_left, len);
    return true;
}
