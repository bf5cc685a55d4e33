/* SPDX-License-Identifier: Apache-2.0 */
/* The filter of --jsonl: judges the records of a stream with several threads
 * and writes the reports in the order of the input.
 *
 * Lines are read in batches, and each batch is in one slot of a ring. The slot
 * of a batch is the batch's number modulo the ring's size, so the output keeps
 * the order of the input without sorting, and memory is bounded by the ring for
 * every length of the stream. With one job there is no thread: a slot is
 * filled, judged and written in turn. With more jobs every thread does all
 * three steps: if the batch to be written next is done, it writes it; else it
 * reads the next batch and judges it. A batch stays with one thread and so in
 * one processor's caches, and no other thread must be woken to take it over.
 *
 * Invariants, under the ring's lock:
 * 1. written <= filled <= written + slots;
 * 2. at most one thread reads, and it owns the slot with the number filled; at
 *    most one thread writes, and it owns the slot with the number written,
 *    which is done; a slot between the two belongs to the thread that read it
 *    until it is done.
 * A batch is the input that is available without waiting, up to 256 KiB. So a
 * program that writes its records slowly sees the report of each record before
 * it writes the next one. */
#include "batch.h"

#include <assert.h>
#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "frequent.h"
#include "input.h"
#include "record.h"

/* LACKING_MAX: if this many records have no member with the name of --field,
 * and none has one, the error is in the command line and not in the log. */
enum { PROGRESS_MS = 100, ERRORS_SHOWN = 5, LACKING_MAX = 100 };

struct slot {
    struct batch_text text;
    struct record_sink sink;
    surety_status status;
    bool is_done;
    bool is_last; /* later batches are ignored, because --first found its value
                   * in this one */
};

/* What has been written so far, and when the progress was last shown. */
struct account {
    struct tally tally;
    struct frequent *errors; /* by kind and path; NULL: not counted */
    struct timespec started;
    int64_t shown_ms;
    bool shows_progress;  /* progress is shown, on a terminal */
    uint64_t total;       /* bytes of all inputs; 0: unknown */
    uint64_t done_before; /* bytes of the inputs before the current one */
    uint64_t done;        /* bytes of the current input that are done */
    char hint[192];       /* hint: the member that --field probably means */
    bool is_mistaken;     /* no record has the member of --field */
};

struct ring {
    const struct session *session;
    struct account *account; /* used only by the thread that writes */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot *slots;
    size_t count;
    uint64_t filled, written;
    bool is_reading, is_writing; /* a thread reads, writes */
    bool is_ended;               /* the end of the input was reached */
    bool is_stopped;             /* all threads end */
    unsigned running;            /* number of threads that have not ended */
    surety_status read_status;
    surety_error read_error;
    struct lines lines;
};

/* A thread, and the objects with which it judges. */
struct worker {
    struct ring *ring;
    struct recorder recorder;
    surety_status ready;
    bool is_reading;
    pthread_t thread;
};

/* ---- judging one batch -------------------------------------------------- */

static void slot_reset(struct slot *slot)
{
    surety_buf_reset(&slot->sink.out);
    surety_buf_reset(&slot->sink.errors);
    slot->sink.tally = (struct tally){0};
    slot->sink.hint[0] = '\0';
    slot->is_last = false;
    slot->status = SURETY_OK;
}

static void slot_work(struct recorder *recorder, struct slot *slot)
{
    const bool stops = recorder->session->settings->first;
    surety_str rest = {slot->text.ptr, slot->text.len};
    uint64_t number = slot->text.line;

    slot_reset(slot);
    while (rest.len > 0 && slot->status == SURETY_OK && !slot->is_last) {
        const struct record record = {.text = cli_line(&rest),
                                      .number = number++,
                                      .is_overlong = slot->text.is_overlong};

        slot->status = recorder_line(recorder, &record, &slot->sink);
        slot->is_last = stops && (tally_invalid(&slot->sink.tally) > 0 ||
                                  slot->sink.tally.unjudged > 0);
    }
}

/* ---- progress and counts ------------------------------------------------ */

static int64_t elapsed_ms(const struct account *account)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)(now.tv_sec - account->started.tv_sec) * 1000 +
           (now.tv_nsec - account->started.tv_nsec) / 1000000;
}

static double rate_of(const struct account *account, int64_t ms)
{
    return (double)account->tally.replies * 1000.0 / (double)(ms > 0 ? ms : 1);
}

/* If the size of the inputs is known: shows the percentage that is done, and
 * how long the rest will take at the same speed. */
static void account_left(struct cli *cli, const struct account *account,
                         int64_t ms)
{
    const uint64_t done = account->done_before + account->done;
    double left;

    if (account->total == 0 || done == 0)
        return;
    if (done >= account->total) {
        surety_buf_text(&cli->err.buf, "100 %, ");
        return;
    }
    left = (double)ms / 1000.0 * (double)(account->total - done) / (double)done;
    put_format(
        &cli->err.buf, "%llu %%, ",
        (unsigned long long)((double)done * 100.0 / (double)account->total));
    if (left >= 3600)
        put_format(&cli->err.buf, "%llu h %llu min left, ",
                   (unsigned long long)left / 3600,
                   (unsigned long long)left % 3600 / 60);
    else if (left >= 60)
        put_format(&cli->err.buf, "%llu min left, ",
                   (unsigned long long)left / 60);
    else
        put_format(&cli->err.buf, "%llu s left, ", (unsigned long long)left);
}

static void account_show(struct cli *cli, struct account *account)
{
    const int64_t ms = elapsed_ms(account);

    if (!account->shows_progress || ms - account->shown_ms < PROGRESS_MS)
        return;
    account->shown_ms = ms;
    surety_buf_byte(&cli->err.buf, '\r');
    account_left(cli, account, ms);
    put_format(&cli->err.buf,
               "%llu replies, %.0f/s, %llu valid, %llu invalid\033[K",
               (unsigned long long)account->tally.replies, rate_of(account, ms),
               (unsigned long long)account->tally.valid,
               (unsigned long long)tally_invalid(&account->tally));
    output_flush(&cli->err);
}

static void account_sum(const struct session *session,
                        const struct account *account)
{
    surety_buf *out = &session->cli->err.buf;
    const struct tally *tally = &account->tally;
    const int64_t ms = elapsed_ms(account);
    const char *separator = " (";

    if (account->shows_progress && account->shown_ms > 0)
        surety_buf_text(out, "\r\033[K");
    /* After EPIPE there is no reader for a summary. */
    if (session->settings->quiet || session->cli->out.error == EPIPE)
        return;
    put_format(out, "%llu %s: %llu valid, %llu invalid",
               (unsigned long long)tally->replies,
               tally->replies == 1 ? "reply" : "replies",
               (unsigned long long)tally->valid,
               (unsigned long long)tally_invalid(tally));
    for (int stage = SURETY_STAGE_EXTRACTION; stage <= SURETY_STAGE_VALIDATION;
         stage++) {
        if (tally->invalid[stage] == 0)
            continue;
        put_format(out, "%s%llu %s", separator,
                   (unsigned long long)tally->invalid[stage],
                   surety_stage_name((surety_stage)stage));
        separator = ", ";
    }
    if (tally->broken > 0)
        put_format(out, "%s%llu record", separator,
                   (unsigned long long)tally->broken);
    if (tally_invalid(tally) > 0)
        surety_buf_byte(out, ')');
    if (tally->unjudged > 0)
        put_format(out, ", %llu not judged",
                   (unsigned long long)tally->unjudged);
    put_format(out, ", %llu fallback, %.2f s, %.0f/s\n",
               (unsigned long long)tally->fallbacks, (double)ms / 1000.0,
               rate_of(account, ms));
    if (account->errors && account->errors->count > 0) {
        surety_buf_text(out, "most frequent errors:\n");
        frequent_write(account->errors, ERRORS_SHOWN, out);
    }
}

/* Returns whether no record has the member of --field; reports that once. */
static bool account_lacks(const struct session *session,
                          const struct account *account, uint64_t least,
                          const char *hint)
{
    const struct tally *tally = &account->tally;

    if (tally->lacking < least || (least == 1 && tally->found > 0))
        return false;
    cli_usage(session->cli, *hint ? hint : NULL,
              "--field %s: none of %s%llu %s has it", session->settings->field,
              least > 1 ? "the first " : "", (unsigned long long)tally->lacking,
              tally->lacking == 1 ? "record" : "records");
    return true;
}

/* ---- writing ------------------------------------------------------------ */

/* Writes the reports of a batch; false: stop. */
static bool slot_write(const struct session *session, const struct slot *slot,
                       struct account *account)
{
    struct cli *cli = session->cli;

    const struct tally *tally = &slot->sink.tally;
    const surety_str out = surety_buf_str(&slot->sink.out);
    surety_str errors = surety_buf_str(&slot->sink.errors);
    bool is_mistaken;

    account->tally.replies += tally->replies;
    account->tally.valid += tally->valid;
    account->tally.fallbacks += tally->fallbacks;
    account->tally.unjudged += tally->unjudged;
    account->tally.broken += tally->broken;
    if (account->tally.found == 0)
        account->tally.lacking += tally->lacking;
    account->tally.found += tally->found;
    for (size_t i = 0; i < 4; i++)
        account->tally.invalid[i] += tally->invalid[i];
    assert(slot->text.bytes >= account->done);
    account->done = slot->text.bytes;
    while (account->errors && errors.len > 0) {
        const surety_str text = surety_str_of(errors.ptr);

        frequent_add(account->errors, text);
        errors.ptr += text.len + 1;
        errors.len -= text.len + 1;
    }
    if (!account->hint[0])
        memcpy(account->hint, slot->sink.hint, sizeof(account->hint));
    if (slot->status != SURETY_OK)
        cli_nomem(cli);
    if (tally_invalid(tally) > 0 && !session->settings->not_strict)
        cli_raise(cli, CODE_INVALID);
    if (tally->unjudged > 0)
        cli_raise(cli, CODE_WORLD);
    account_show(cli, account);
    if (isatty(cli->out.fd)) {
        surety_buf_add(&cli->out.buf, out);
        output_json(&cli->out, 0);
        output_flush(&cli->out);
    } else {
        output_write(&cli->out, out);
    }
    is_mistaken = account_lacks(session, account, LACKING_MAX, account->hint);
    account->is_mistaken |= is_mistaken;
    return !cli->out.error && slot->status == SURETY_OK && !slot->is_last &&
           !is_mistaken;
}

/* ---- threads ------------------------------------------------------------ */

/* Reads the next batch and judges it. The caller holds the lock, which is
 * released during the work and held again on return. A thread may be cancelled
 * only while it reads, because a read may wait forever. */
static void ring_fill(struct ring *ring, struct worker *worker)
{
    struct slot *slot = &ring->slots[ring->filled % ring->count];
    surety_status status;
    int state;

    assert(!ring->is_reading && ring->filled - ring->written < ring->count);
    ring->is_reading = worker->is_reading = true;
    slot->is_done = false;
    pthread_mutex_unlock(&ring->lock);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    status = lines_read(&ring->lines, &slot->text, &ring->read_error);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_mutex_lock(&ring->lock);
    ring->is_reading = worker->is_reading = false;
    pthread_cond_broadcast(&ring->changed);
    if (status != SURETY_OK) {
        ring->read_status = status;
        ring->is_ended = true;
        return;
    }
    ring->filled++;
    pthread_mutex_unlock(&ring->lock);
    if (worker->ready == SURETY_OK) {
        slot_work(&worker->recorder, slot);
    } else {
        slot_reset(slot);
        slot->status = worker->ready;
    }
    pthread_mutex_lock(&ring->lock);
    slot->is_done = true;
}

/* Writes the next batch. The caller holds the lock; it is held on return. */
static void ring_write(struct ring *ring)
{
    const struct slot *slot = &ring->slots[ring->written % ring->count];
    bool goes_on;

    assert(!ring->is_writing && ring->written < ring->filled && slot->is_done);
    ring->is_writing = true;
    pthread_mutex_unlock(&ring->lock);
    goes_on = slot_write(ring->session, slot, ring->account);
    pthread_mutex_lock(&ring->lock);
    ring->is_writing = false;
    ring->written++;
    ring->is_stopped = ring->is_stopped || !goes_on;
    pthread_cond_broadcast(&ring->changed);
}

static void *ring_run(void *argument)
{
    struct worker *worker = argument;
    struct ring *ring = worker->ring;
    int state;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    worker->ready = recorder_init(&worker->recorder, ring->session);
    pthread_mutex_lock(&ring->lock);
    /* A thread without memory for its objects ends, unless it is the last. */
    while ((worker->ready == SURETY_OK || ring->running == 1) &&
           !ring->is_stopped &&
           !(ring->is_ended && ring->written == ring->filled)) {
        if (!ring->is_writing && ring->written < ring->filled &&
            ring->slots[ring->written % ring->count].is_done)
            ring_write(ring);
        else if (!ring->is_reading && !ring->is_ended &&
                 ring->filled - ring->written < ring->count)
            ring_fill(ring, worker);
        else
            pthread_cond_wait(&ring->changed, &ring->lock);
    }
    assert(ring->running > 0 && ring->written <= ring->filled);
    ring->running--;
    pthread_cond_broadcast(&ring->changed);
    pthread_mutex_unlock(&ring->lock);
    return NULL;
}

/* ---- one input ---------------------------------------------------------- */

/* Judges the whole input in this thread. */
static bool stream_alone(struct ring *ring)
{
    struct recorder recorder;
    struct slot *slot = &ring->slots[0];
    bool goes_on = true;

    slot->status = recorder_init(&recorder, ring->session);
    if (slot->status != SURETY_OK)
        goes_on = slot_write(ring->session, slot, ring->account);
    while (goes_on) {
        ring->read_status =
            lines_read(&ring->lines, &slot->text, &ring->read_error);
        if (ring->read_status != SURETY_OK)
            break;
        slot_work(&recorder, slot);
        goes_on = slot_write(ring->session, slot, ring->account);
    }
    recorder_done(&recorder);
    return goes_on;
}

enum { STACK_BYTES = 512 << 10, ARENAS = 4 };

/* Judges the whole input with `jobs` threads, or with fewer if the system
 * cannot start more. */
static bool stream_threads(struct ring *ring, unsigned jobs)
{
    struct worker *workers = calloc(jobs, sizeof(*workers));
    pthread_attr_t attributes;
    unsigned started = 0;
    bool goes_on;

#ifdef __GLIBC__
    /* Each arena of glibc takes 64 MiB of address space, and after its first
     * batches a thread allocates next to nothing. */
    mallopt(M_ARENA_MAX, ARENAS);
#endif
    /* The library does not recurse, so a small stack is enough for each
     * thread. */
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_mutex_lock(&ring->lock);
    for (; workers && started < jobs; started++) {
        workers[started].ring = ring;
        if (pthread_create(&workers[started].thread, &attributes, ring_run,
                           &workers[started]) != 0)
            break;
        ring->running++;
    }
    if (started == 0) {
        cli_fail(ring->session->cli, CODE_WORLD, "try --jobs 1",
                 "cannot start threads");
        ring->is_stopped = true;
    }
    while (ring->running > 0 && !ring->is_stopped)
        pthread_cond_wait(&ring->changed, &ring->lock);
    goes_on = !ring->is_stopped;
    for (unsigned i = 0; i < started; i++)
        if (workers[i].is_reading)
            pthread_cancel(workers[i].thread);
    pthread_mutex_unlock(&ring->lock);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        recorder_done(&workers[i].recorder);
    }
    pthread_attr_destroy(&attributes);
    free(workers);
    return goes_on;
}

static bool batch_stream(const struct session *session, const char *path,
                         struct account *account)
{
    const unsigned jobs = session->settings->jobs;
    struct ring ring = {.session = session,
                        .account = account,
                        .count = jobs > 1 ? jobs * 2 + 2 : 1};
    struct cli *cli = session->cli;
    bool goes_on = true;
    const int fd = input_open(path, &ring.read_error);

    if (fd < 0) {
        cli_report(cli, CODE_WORLD, input_name(path), NO_TEXT,
                   &ring.read_error);
        return !session->settings->first;
    }
    ring.slots = calloc(ring.count, sizeof(*ring.slots));
    if (!ring.slots) {
        cli_nomem(cli);
        input_close(fd);
        return false;
    }
    for (size_t i = 0; i < ring.count; i++) {
        surety_buf_init(&ring.slots[i].sink.out, NULL, 0);
        surety_buf_init(&ring.slots[i].sink.errors, NULL, 0);
        batch_text_init(&ring.slots[i].text);
    }
    lines_init(&ring.lines, fd, path, session->limits.text_bytes_max);
    pthread_mutex_init(&ring.lock, NULL);
    pthread_cond_init(&ring.changed, NULL);
    goes_on = jobs > 1 ? stream_threads(&ring, jobs) : stream_alone(&ring);
    if (ring.read_status < 0) {
        cli_report(cli, CODE_WORLD, input_name(path), NO_TEXT,
                   &ring.read_error);
        goes_on = goes_on && !session->settings->first;
    }
    account->done_before += account->done;
    account->done = 0;
    pthread_cond_destroy(&ring.changed);
    pthread_mutex_destroy(&ring.lock);
    lines_done(&ring.lines);
    for (size_t i = 0; i < ring.count; i++) {
        batch_text_done(&ring.slots[i].text);
        surety_buf_done(&ring.slots[i].sink.out);
        surety_buf_done(&ring.slots[i].sink.errors);
    }
    free(ring.slots);
    input_close(fd);
    return goes_on;
}

/* Returns the bytes of all inputs; 0 if one is no regular file. */
static uint64_t inputs_total(const struct operands *files)
{
    uint64_t total = 0;

    if (files->count == 0)
        return input_left(STDIN_FILENO);
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->items[i];
        struct stat about;
        uint64_t size = 0;

        if (strcmp(path, "-") == 0)
            size = input_left(STDIN_FILENO);
        else if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
            size = (uint64_t)about.st_size;
        if (size == 0)
            return 0;
        total += size;
    }
    return total;
}

void batch_run(struct session *session, const struct operands *files)
{
    struct cli *cli = session->cli;
    struct account account = {.shown_ms = 0};
    bool goes_on = true;

    account.shows_progress = !session->settings->quiet && isatty(cli->err.fd) &&
                             !isatty(cli->out.fd);
    if (account.shows_progress)
        account.total = inputs_total(files);
    if (!session->settings->quiet)
        account.errors = frequent_new();
    clock_gettime(CLOCK_MONOTONIC, &account.started);
    if (files->count == 0) {
        if (!session->settings->quiet)
            cli_invite(cli, "-", "one record a line");
        output_flush(&cli->err);
        batch_stream(session, "-", &account);
    }
    for (size_t i = 0; goes_on && i < files->count; i++)
        goes_on = batch_stream(session, files->items[i], &account);
    account_sum(session, &account);
    if (session->settings->field && !account.is_mistaken)
        (void)account_lacks(session, &account, 1, account.hint);
    frequent_free(account.errors);
}
