/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of the world, in place of the library's database: it keeps what
 * was flushed, as a database would, and gives it to the page.
 *
 * The page reads in a thread of the gateway's. Two threads that run at once
 * would leave to chance which allocation fails and which rows are read. So a
 * baton is held by the test, but in gate_settle, where it waits for the jobs of
 * the page; the other thread needs it to allocate and to read. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/ui.h"
#include "sim/gate.h"

static surety_status ledger_fail(struct gate *gate, surety_error *reterr)
{
    gate->ledger_failed = true;
    return surety__fail(reterr, SURETY_IO, "the disk is full");
}

static bool ledger_fails(struct gate *gate)
{
    const enum gate_stream before = gate_draw_from(gate, STREAM_LEDGER);
    const bool fails =
        gate->ledger_fails && gate_one_in(gate, gate->ledger_fails);

    gate_draw_from(gate, before);
    return fails;
}

static struct gate_row *row_of(struct gate *gate, surety_str id)
{
    for (size_t i = 0; id.len == 36 && i < gate->row_count; i++)
        if (!memcmp(gate->rows[i].id, id.ptr, 36))
            return &gate->rows[i];
    return NULL;
}

static void row_check(struct gate *gate, const surety_entry *entry)
{
    gate_must_hide(gate, entry->error_message, "no key is in a row");
    gate_must_hide(gate, entry->decision, "no key is in a row");
    gate_must_hide(gate, entry->model, "no key is in a row");
}

/* Writes what waits. */
static surety_status ledger_flush(void *ctx, surety_error *reterr)
{
    struct gate *gate = ctx;
    const bool fails = ledger_fails(gate);

    for (size_t i = 0; i < gate->row_count; i++) {
        struct gate_row *row = &gate->rows[i];

        row->is_begun = row->is_begun || (row->begins && !fails);
        row->is_finished = row->is_finished || (row->finishes && !fails);
        row->begins = row->finishes = false;
    }
    gate->ledger.waiting = 0;
    return fails ? ledger_fail(gate, reterr) : SURETY_OK;
}

/* Begins and finishes wait for a flush, or are written at once. */
static surety_status ledger_keep(struct gate *gate, surety_error *reterr)
{
    if (!gate->ledger.grouped)
        return ledger_flush(gate, reterr);
    gate->ledger.waiting++;
    return SURETY_OK;
}

static void ledger_copy(struct gate *gate, const surety_entry *entry,
                        size_t *ret_place)
{
    *ret_place = gate->kept.count;
    if (surety__group_add(&gate->kept, entry, false, true, NULL))
        abort();
}

static surety_status ledger_begin(void *ctx, const surety_entry *entry,
                                  surety_error *reterr)
{
    struct gate *gate = ctx;
    struct gate_row *row = &gate->rows[gate->row_count];

    gate_must(gate, entry->id.len == 36 && entry->run.len == 36,
              "a row has its ids");
    gate_must(gate, !row_of(gate, entry->id), "the ids of rows differ");
    row_check(gate, entry);
    if (gate->row_count == GATE_ROWS)
        abort();
    gate->row_count++;
    *row = (struct gate_row){.model = SIZE_MAX};
    ledger_copy(gate, entry, &row->begun);
    memcpy(row->id, entry->id.ptr, 36);
    memcpy(row->run, entry->run.ptr, 36);
    row->begins = true;
    return ledger_keep(gate, reterr);
}

static surety_status ledger_finish(void *ctx, const surety_entry *entry,
                                   surety_error *reterr)
{
    struct gate *gate = ctx;
    struct gate_row *row = row_of(gate, entry->id);

    row_check(gate, entry);
    gate_must(gate, row != NULL, "a row that is finished was begun");
    if (!row)
        return SURETY_MISUSE;
    gate_must(gate, !row->is_finished && !row->finishes,
              "a row is finished once");
    gate_must(gate, entry->state != SURETY_ENTRY_OPEN,
              "a row that is finished is not open");
    gate_must(gate, entry->ended_ms >= entry->started_ms,
              "a row ends after its start");
    ledger_copy(gate, entry, &row->ended);
    row->finishes = true;
    return ledger_keep(gate, reterr);
}

static void ledger_close(void *ctx)
{
    struct gate *gate = ctx;

    (void)ledger_flush(gate, NULL);
    gate->is_ledger_open = false;
}

/* ---- reading ------------------------------------------------------------- */

const surety_entry *gate_row_entry(const struct gate *gate,
                                   const struct gate_row *row)
{
    if (row->is_finished)
        return &gate->kept.list[row->ended].entry;
    return row->is_begun ? &gate->kept.list[row->begun].entry : NULL;
}

static bool reader_fails(struct gate *gate)
{
    const enum gate_stream before = gate_draw_from(gate, STREAM_PAGE);
    const bool fails = gate->are_reads_broken && gate_one_in(gate, 3);

    gate_draw_from(gate, before);
    return fails;
}

/* Gives a row, as a database does that has no raw texts, or is not asked for
 * them. */
static bool reader_give(const struct gate *gate, size_t row,
                        bool (*each)(void *ctx, const surety_entry *entry),
                        void *ctx)
{
    surety_entry entry = *gate_row_entry(gate, &gate->rows[row]);

    if (!gate->reader.raw)
        entry.prompt.len = entry.reply.len = 0;
    return each(ctx, &entry);
}

/* Rows in the order of their start. */
static surety_status reader_each(void *ctx, int64_t since_ms,
                                 bool (*each)(void *ctx,
                                              const surety_entry *entry),
                                 void *each_ctx, surety_error *reterr)
{
    struct gate *gate = ctx;
    size_t order[GATE_ROWS], count = 0;
    bool fails, goes_on = true;

    gate_baton_take(gate);
    fails = reader_fails(gate);
    for (size_t i = 0; i < gate->row_count; i++) {
        const surety_entry *entry = gate_row_entry(gate, &gate->rows[i]);
        size_t at = count;

        if (!entry || entry->started_ms < since_ms)
            continue;
        for (; at &&
               gate_row_entry(gate, &gate->rows[order[at - 1]])->started_ms >
                   entry->started_ms;
             at--)
            order[at] = order[at - 1];
        order[at] = i;
        count++;
    }
    for (size_t i = 0; i < count / (fails ? 2 : 1) && goes_on; i++)
        goes_on = reader_give(gate, order[i], each, each_ctx);
    gate_baton_give(gate);
    return fails ? surety__fail(reterr, SURETY_IO, "the disk is broken")
                 : SURETY_OK;
}

static void reader_close(void *ctx)
{
    (void)ctx;
}

static surety_status reader_open(struct gate *gate, bool raw,
                                 surety_ledger **ret_ledger,
                                 surety_error *reterr)
{
    bool fails;

    gate_baton_take(gate);
    fails = reader_fails(gate);
    gate->reader = (surety_ledger){.version = 2,
                                   .ctx = gate,
                                   .raw = raw,
                                   .each = reader_each,
                                   .close = reader_close};
    gate_baton_give(gate);
    *ret_ledger = &gate->reader;
    return fails ? surety__fail(reterr, SURETY_IO, "the disk is gone")
                 : SURETY_OK;
}

surety_status surety_ledger_open(surety_str url,
                                 const surety_ledger_options *options,
                                 surety_ledger **ret_ledger,
                                 surety_error *reterr)
{
    (void)url;
    if (options->read_only)
        return reader_open(gate_now, options->raw, ret_ledger, reterr);
    gate_now->ledger = (surety_ledger){.version = 2,
                                       .ctx = gate_now,
                                       .raw = gate_now->is_raw,
                                       .begin = ledger_begin,
                                       .finish = ledger_finish,
                                       .close = ledger_close,
                                       .flush = ledger_flush};
    gate_now->is_ledger_open = true;
    *ret_ledger = &gate_now->ledger;
    return SURETY_OK;
}

void surety_ledger_close(surety_ledger *ledger)
{
    if (ledger)
        ledger->close(ledger->ctx);
}

/* ---- the baton ----------------------------------------------------------- */

void gate_baton_take(struct gate *gate)
{
    if (pthread_mutex_lock(&gate->baton))
        abort();
}

void gate_baton_give(struct gate *gate)
{
    if (pthread_mutex_unlock(&gate->baton))
        abort();
}

void *gate_resize(void *ctx, void *ptr, size_t size_old, size_t size_new)
{
    struct gate *gate = ctx;
    void *moved;

    /* The desk frees jobs under its lock, which the test may want to have. */
    if (size_new)
        gate_baton_take(gate);
    pthread_mutex_lock(&gate->memory_lock);
    moved = memory_resize(&gate->memory, ptr, size_old, size_new);
    pthread_mutex_unlock(&gate->memory_lock);
    if (size_new)
        gate_baton_give(gate);
    return moved;
}

bool gate_settle(struct gate *gate)
{
    bool has_waited = false;

    gate_baton_give(gate);
    for (const surety__exchange *exchange = gate->gateway->workers->exchanges;
         exchange; exchange = exchange->next) {
        if (!exchange->job || exchange->job->kind == JOB_NOW)
            continue;
        while (!surety__desk_is_done(gate->gateway, exchange->job))
            sched_yield();
        has_waited = true;
    }
    gate_baton_take(gate);
    return has_waited;
}
