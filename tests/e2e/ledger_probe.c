/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger by commands, for tests of what may happen to it:
 *
 *     ledger_probe URL [TIMEOUT_MS]
 *
 * It answers each line of stdin with one line on stdout, and only once the
 * ledger has returned: "ok ..." or "error STATUS MESSAGE | HINT".
 *
 *     begin ID MS     finish ID       full ID BYTES (all members, and back)
 *     each MS         count           close */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/ledger.h"
#include "ledger_sample.h"

typedef struct walk {
    const surety_entry *want; /* NULL: print each */
    bool print;
    unsigned long count, same;
} walk;

static bool see(void *ctx, const surety_entry *entry)
{
    walk *to = ctx;

    to->count++;
    if (to->want && surety_str_equal(entry->id, to->want->id))
        to->same += sample_same(entry, to->want);
    if (to->print)
        (void)printf("%.*s %s %zu %zu\n", (int)entry->id.len, entry->id.ptr,
                     surety__entry_state_name(entry->state), entry->error_count,
                     entry->repair_count);
    return true;
}

static void answer(surety_status status, const char *what,
                   const surety_error *err)
{
    if (status)
        (void)printf("error %s %s | %s\n", surety_status_name(status),
                     err->message, err->hint);
    else
        (void)printf("ok %s\n", what);
    (void)fflush(stdout);
}

/* Every member, with a prompt of that many bytes, written and read back. */
static surety_status full(surety_ledger *ledger, const char *id, size_t size,
                          surety_error *err)
{
    char *big = malloc(size + 1);
    surety_entry entry;
    walk to = {.want = &entry};
    surety_status status;

    if (!big)
        return SURETY_NOMEM;
    for (size_t i = 0; i < size; i++)
        big[i] = (char)(i * 31 >> 3);
    entry = sample_entry(id, (surety_str){big, size});
    status = ledger->begin(ledger->ctx, &entry, err);
    if (!status)
        status = ledger->finish(ledger->ctx, &entry, err);
    if (!status)
        status = ledger->each(ledger->ctx, 0, see, &to, err);
    free(big);
    if (!status && to.same != 1) {
        (void)strcpy(err->message, "not the same came back");
        status = SURETY_IO;
    }
    return status;
}

/* One command; false: to be closed. */
static bool obey(surety_ledger *ledger, char *line)
{
    char verb[16] = "";
    char id[64] = "";
    long long number = 0;
    surety_error err = {.status = SURETY_OK};
    surety_entry entry;
    walk to = {.want = NULL};
    surety_status status = SURETY_MISUSE;
    char what[96];

    if (sscanf(line, "%15s %63s %lld", verb, id, &number) < 1 ||
        !strcmp(verb, "close"))
        return false;
    entry = sample_entry(id, (surety_str){NULL, 0});
    entry.started_ms = number ? number : entry.started_ms;
    if (!strcmp(verb, "begin")) {
        status = ledger->begin(ledger->ctx, &entry, &err);
    } else if (!strcmp(verb, "finish")) {
        status = ledger->finish(ledger->ctx, &entry, &err);
    } else if (!strcmp(verb, "full")) {
        status = full(ledger, id, (size_t)number, &err);
    } else if (!strcmp(verb, "each") || !strcmp(verb, "count")) {
        to.print = !strcmp(verb, "each");
        status = ledger->each(ledger->ctx, atoll(id), see, &to, &err);
        (void)snprintf(id, sizeof(id), "%lu", to.count);
    }
    (void)snprintf(what, sizeof(what), "%s %s", verb, id);
    answer(status, what, &err);
    return true;
}

int main(int argc, char **argv)
{
    surety_ledger_options options = {.size = sizeof(options), .raw = true};
    surety_ledger *ledger = NULL;
    surety_error err;
    char line[256];
    surety_status status;

    if (argc < 2)
        return 2;
    /* A file that may not grow is an error, and no end (setrlimit(2)). */
    (void)signal(SIGXFSZ, SIG_IGN);
    if (argc > 2)
        options.timeout_ms = (uint32_t)atoi(argv[2]);
    status =
        surety_ledger_open(surety_str_of(argv[1]), &options, &ledger, &err);
    answer(status, "open", &err);
    if (status)
        return 1;
    while (fgets(line, sizeof(line), stdin) && obey(ledger, line))
        continue;
    surety_ledger_close(ledger);
    (void)printf("ok close\n");
    return 0;
}
