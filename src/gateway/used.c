/* SPDX-License-Identifier: Apache-2.0 */
/* The transports that the runs of a worker use, each once however many runs
 * share it; the clocks; and the end of a wait. */
#include "gateway/gateway.h"

surety_now surety__worker_now(void)
{
    const surety__serve_times times = surety__serve_clock();

    return (surety_now){times.monotonic_us / 1000, times.unix_ms};
}

void surety__gateway_wake(surety_gateway *gateway)
{
    for (size_t i = 0; i < gateway->count; i++)
        if (gateway->workers[i].server)
            surety__server_wake(gateway->workers[i].server);
}

surety_status surety__worker_use(surety__worker *worker,
                                 surety_transport *transport)
{
    surety__used used;
    surety_status status;

    for (size_t i = 0; i < worker->used_count; i++)
        if (worker->used[i].transport == transport) {
            worker->used[i].runs++;
            return SURETY_OK;
        }
    status = surety__grow(worker->gateway->options.alloc, &worker->used,
                          &worker->used_cap, worker->used_count + 1,
                          sizeof(*worker->used), SIZE_MAX / 64);
    if (status)
        return status;
    used = (surety__used){.transport = transport, .runs = 1, .fd = -1};
    if (transport->version >= 3)
        used.fd = transport->descriptor(transport->ctx);
    if (used.fd >= 0 && surety__server_watch(worker->server, used.fd, true))
        used.fd = -1;
    worker->used[worker->used_count++] = used;
    return SURETY_OK;
}

void surety__worker_leave(surety__worker *worker, surety_transport *transport)
{
    for (size_t i = 0; i < worker->used_count; i++) {
        if (worker->used[i].transport != transport)
            continue;
        if (--worker->used[i].runs > 0)
            return;
        if (worker->used[i].fd >= 0)
            (void)surety__server_watch(worker->server, worker->used[i].fd,
                                       false);
        worker->used[i] = worker->used[--worker->used_count];
        return;
    }
}
