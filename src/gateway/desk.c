/* SPDX-License-Identifier: Apache-2.0 */
/* The desk: a thread that answers the page's questions. Reading a ledger takes
 * as long as the ledger is, and judging a pasted reply as long as its schema
 * wants; the loops of the workers, which serve everybody, must not wait for
 * that. So a question becomes a job, and the worker that took it is woken when
 * the job is done.
 *
 * What is under way only the workers know. For that question each worker writes
 * its own requests down in its next turn, and the last completes the job.
 *
 * Invariants:
 * 1. Only the desk's lock guards jobs; it is never held while a job is worked
 *    on.
 * 2. A job belongs to its exchange, but to the desk while it is active and its
 *    client has hung up.
 * 3. A worker without questions pays one atomic read a turn. */
#include "gateway/ui.h"
#include "template/template.h"

struct surety__desk {
    pthread_mutex_t lock;
    pthread_cond_t work; /* a job came, or the desk closes */
    pthread_t thread;
    surety__job *first;  /* for the thread, in their order */
    surety__job *called; /* for the workers */
    size_t count;
    atomic_uint_fast64_t calls; /* JOB_NOW so far */
    bool is_started, is_closing;
};

static void job_free(const surety_alloc *alloc, surety__job *job)
{
    surety_doc_free(job->body);
    surety_buf_done(&job->out);
    surety__free(alloc, job, sizeof(*job));
}

/* Takes a job out of a list. False: it is not there. */
static bool job_unlink(surety__job **link, const surety__job *job)
{
    while (*link && *link != job)
        link = &(*link)->next;
    if (!*link)
        return false;
    *link = job->next;
    return true;
}

/* ---- the thread ---------------------------------------------------------- */

/* Opens the ledger for reading, with the texts that it has. */
static surety_status desk_ledger(const surety__job *job,
                                 surety_ledger **ret_ledger,
                                 surety_error *reterr)
{
    const surety_gateway *gateway = job->worker->gateway;
    const surety_ledger_options options = {.size = sizeof(options),
                                           .raw = job->kind == JOB_RUN,
                                           .read_only = true,
                                           .alloc = gateway->options.alloc};

    return surety_ledger_open(job->worker->ledger_url, &options, ret_ledger,
                              reterr);
}

static surety_status desk_read(surety__job *job, surety_error *reterr)
{
    const surety__ui_question question =
        surety__ui_ask(surety_doc_root(job->body));
    surety_ledger *ledger = NULL;
    surety_status status;

    if (!job->worker->ledger_url.len) {
        surety_buf_text(&job->out, "{\"ledger\":false}");
        return job->out.status;
    }
    status = desk_ledger(job, &ledger, reterr);
    if (!status) {
        if (job->kind == JOB_OVERVIEW)
            status = surety__ui_overview(ledger, &question, &job->out, reterr);
        else if (job->kind == JOB_RUNS)
            status = surety__ui_runs(ledger, &question, &job->out, reterr);
        else
            status = surety__ui_run(ledger, &question, &job->out, reterr);
    }
    surety_ledger_close(ledger);
    return status;
}

/* A registry belongs to one thread: the bench reads the folders anew, and so
 * sees a contract that was just written. */
static surety_status desk_bench(surety__job *job, surety_error *reterr)
{
    const surety_gateway_options *options = &job->worker->gateway->options;
    const surety_contract_options contract = {.size = sizeof(contract),
                                              .alloc = options->alloc};
    surety_registry *registry = NULL;
    surety_status status =
        surety_registry_new(options->contracts, &contract, &registry, reterr);

    if (!status)
        status = job->kind == JOB_CHECK
                     ? surety__ui_check(surety_doc_root(job->body), registry,
                                        &job->out, reterr)
                     : surety__ui_contracts(registry, &job->out, reterr);
    surety_registry_free(registry);
    return status;
}

static void desk_answer(surety__job *job)
{
    surety_error error = {.status = SURETY_OK};
    const bool reads = job->kind <= JOB_RUN;
    const surety_status status =
        reads ? desk_read(job, &error) : desk_bench(job, &error);

    job->status = 200;
    if (!status)
        return;
    job->status = !reads ? 422 : status == SURETY_END ? 404 : 503;
    surety_buf_reset(&job->out);
    surety__template_write(
        &job->out,
        "{'error':{'message':$s,'hint':$m,'path':$m,'line':$n,'column':$n}}",
        surety_str_of(error.message), surety_str_of(error.hint),
        surety_str_of(error.path), (uint64_t)error.position.line,
        (uint64_t)error.position.column);
}

/* Gives a job back to its exchange, or frees it. With the lock. */
static void desk_return(surety_gateway *gateway, surety__job *job)
{
    job->is_active = false;
    job->is_done = true;
    if (job->exchange)
        surety__server_wake(job->worker->server);
    else
        job_free(gateway->options.alloc, job);
}

static void *desk_work(void *ctx)
{
    surety_gateway *gateway = ctx;
    surety__desk *desk = gateway->desk;
    surety__job *job;

    pthread_mutex_lock(&desk->lock);
    while (!desk->is_closing) {
        job = desk->first;
        if (!job) {
            pthread_cond_wait(&desk->work, &desk->lock);
            continue;
        }
        desk->first = job->next;
        desk->count--;
        job->is_active = true;
        pthread_mutex_unlock(&desk->lock);
        desk_answer(job);
        pthread_mutex_lock(&desk->lock);
        desk_return(gateway, job);
    }
    pthread_mutex_unlock(&desk->lock);
    return NULL;
}

/* ---- jobs ---------------------------------------------------------------- */

/* Puts a job at the end of the thread's list. With the lock. */
static bool desk_queue(surety_gateway *gateway, surety__job *job)
{
    surety__desk *desk = gateway->desk;
    surety__job **link = &desk->first;

    if (desk->count >= SURETY__DESK_JOBS_MAX)
        return false;
    if (!desk->is_started)
        desk->is_started =
            pthread_create(&desk->thread, NULL, desk_work, gateway) == 0;
    if (!desk->is_started)
        return false;
    while (*link)
        link = &(*link)->next;
    *link = job;
    desk->count++;
    pthread_cond_signal(&desk->work);
    return true;
}

bool surety__desk_put(surety_gateway *gateway, surety__job *job)
{
    surety__desk *desk = gateway->desk;
    bool taken = true;

    pthread_mutex_lock(&desk->lock);
    if (job->kind == JOB_NOW) {
        job->missing = gateway->count;
        job->call = atomic_fetch_add(&desk->calls, 1) + 1;
        job->next = desk->called;
        desk->called = job;
    } else {
        taken = desk_queue(gateway, job);
    }
    pthread_mutex_unlock(&desk->lock);
    if (!taken)
        job_free(gateway->options.alloc, job);
    else if (job->kind == JOB_NOW)
        surety__gateway_wake(gateway);
    return taken;
}

bool surety__desk_is_done(surety_gateway *gateway, const surety__job *job)
{
    bool is_done;

    pthread_mutex_lock(&gateway->desk->lock);
    is_done = job->is_done;
    pthread_mutex_unlock(&gateway->desk->lock);
    return is_done;
}

void surety__desk_leave(surety_gateway *gateway, surety__job *job)
{
    surety__desk *desk = gateway->desk;
    bool is_active;

    pthread_mutex_lock(&desk->lock);
    job->exchange = NULL;
    is_active = job->is_active;
    if (!is_active && !job_unlink(&desk->called, job) &&
        job_unlink(&desk->first, job))
        desk->count--;
    pthread_mutex_unlock(&desk->lock);
    if (!is_active)
        job_free(gateway->options.alloc, job);
}

/* ---- requests under way -------------------------------------------------- */

/* Writes the requests of this worker whose runs go on. */
static void desk_write(const surety__worker *worker, surety_buf *out)
{
    const uint64_t now_us = surety__serve_us();

    for (const surety__exchange *exchange = worker->exchanges; exchange;
         exchange = exchange->next) {
        const surety__ask *ask = &exchange->ask;
        const surety_run_info *info = surety_run_info_of(exchange->run);

        if (!exchange->run || info->verdict != SURETY_RUN_PENDING)
            continue;
        surety__template_write(
            out,
            "$t{'run':$s,'model':$s,'contract':$m,'protocol':'$t',"
            "'stream':$b,'attempts':$n,'age_ms':$n}",
            out->len && out->ptr[out->len - 1] == '[' ? "" : ",", info->id,
            ask->model.name,
            ask->kept ? surety_contract_info_of(ask->kept->contract)->id
                      : (surety_str){NULL, 0},
            surety_protocol_name(ask->route.protocol), ask->request.stream,
            (uint64_t)info->attempt_count,
            (now_us - exchange->started_us) / 1000);
    }
}

void surety__desk_report(surety__worker *worker)
{
    surety__desk *desk = worker->gateway->desk;

    if (!desk || atomic_load(&desk->calls) == worker->called)
        return;
    pthread_mutex_lock(&desk->lock);
    for (surety__job **link = &desk->called, *job; (job = *link) != NULL;) {
        if (job->call > worker->called) {
            if (!job->out.len)
                surety_buf_text(&job->out, "{\"requests\":[");
            desk_write(worker, &job->out);
            job->missing--;
        }
        if (job->missing) {
            link = &job->next;
            continue;
        }
        *link = job->next;
        surety_buf_text(&job->out, "]}");
        job->status = 200;
        desk_return(worker->gateway, job);
    }
    worker->called = atomic_load(&desk->calls);
    pthread_mutex_unlock(&desk->lock);
}

/* ---- opening and closing ------------------------------------------------- */

surety_status surety__desk_open(surety_gateway *gateway, surety_error *reterr)
{
    surety__desk *desk = surety__new(gateway->options.alloc, sizeof(*desk));

    if (!desk)
        return surety__fail_nomem(reterr);
    pthread_mutex_init(&desk->lock, NULL);
    pthread_cond_init(&desk->work, NULL);
    gateway->desk = desk;
    return SURETY_OK;
}

void surety__desk_close(surety_gateway *gateway)
{
    surety__desk *desk = gateway->desk;

    if (!desk || !desk->is_started)
        return;
    pthread_mutex_lock(&desk->lock);
    desk->is_closing = true;
    pthread_cond_signal(&desk->work);
    pthread_mutex_unlock(&desk->lock);
    pthread_join(desk->thread, NULL);
    desk->is_started = false;
}

void surety__desk_free(surety_gateway *gateway)
{
    surety__desk *desk = gateway->desk;

    if (!desk)
        return;
    assert(!desk->first && !desk->called && !desk->is_started);
    pthread_cond_destroy(&desk->work);
    pthread_mutex_destroy(&desk->lock);
    surety__free(gateway->options.alloc, desk, sizeof(*desk));
}
