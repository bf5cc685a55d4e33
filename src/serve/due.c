/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be done when: a binary heap of connections by time. Each knows its
 * slot, so a new time moves it in log n steps. The heap has a slot for every
 * connection, so setting a time cannot fail. */
#include "serve/connection.h"

surety_status surety__due_reserve(surety__server *server, size_t count)
{
    return surety__grow(server->options.alloc, &server->due, &server->due_cap,
                        count, sizeof(surety__connection *), SIZE_MAX);
}

static void due_place(surety__server *server, size_t slot,
                      surety__connection *connection)
{
    server->due[slot] = connection;
    connection->due_slot = slot;
}

/* Moves a connection up from its slot, as far as others are later. */
static void due_rise(surety__server *server, surety__connection *connection)
{
    size_t slot = connection->due_slot;

    while (slot > 0) {
        surety__connection *above = server->due[(slot - 1) / 2];
        if (above->due_at <= connection->due_at)
            break;
        due_place(server, slot, above);
        slot = (slot - 1) / 2;
    }
    due_place(server, slot, connection);
}

/* Moves it down, as far as others are earlier. */
static void due_sink(surety__server *server, surety__connection *connection)
{
    size_t slot = connection->due_slot;

    for (;;) {
        size_t below = 2 * slot + 1;
        if (below >= server->due_count)
            break;
        if (below + 1 < server->due_count &&
            server->due[below + 1]->due_at < server->due[below]->due_at)
            below++;
        if (server->due[below]->due_at >= connection->due_at)
            break;
        due_place(server, slot, server->due[below]);
        slot = below;
    }
    due_place(server, slot, connection);
}

static void due_remove(surety__server *server, surety__connection *connection)
{
    surety__connection *last = server->due[--server->due_count];

    if (last == connection)
        return;
    due_place(server, connection->due_slot, last);
    due_rise(server, last);
    due_sink(server, last);
}

void surety__due_set(surety__connection *connection, int64_t at)
{
    surety__server *server = connection->server;
    const bool was = connection->due_at != SERVE_NEVER;

    if (was && at == SERVE_NEVER)
        due_remove(server, connection);
    connection->due_at = at;
    if (at == SERVE_NEVER)
        return;
    if (!was) {
        assert(server->due_count < server->due_cap);
        due_place(server, server->due_count++, connection);
    }
    due_rise(server, connection);
    due_sink(server, connection);
}

surety__connection *surety__due_first(const surety__server *server)
{
    return server->due_count ? server->due[0] : NULL;
}
