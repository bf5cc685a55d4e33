/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c: a transport that calls a command. The request's body is its standard
 * input, its output is the response, and how it ends is the delivery.
 *
 * Each exchange is a process (process.h). No call blocks: input is written as
 * far as the pipe accepts it while output is read, so the two processes cannot
 * wait for each other forever. A command that must end (cancelled, late, over a
 * limit) is stopped, and the receiver gets the end at once; the process is
 * waited for later. A process cannot be polled, so its state is checked every
 * 50 ms, and every 4 ms once its output is closed.
 *
 * Invariant: the receiver of a dismissed child is not called again. */
#include "provider/provider.h"
#include "provider/process.h"
#include "provider/transport.h"

#include <errno.h>
#include <poll.h>

enum { EXEC_READ = 1 << 12 };

struct exec_child {
    struct exec_child *next;
    struct exec *exec;
    surety__intake intake;
    surety__progress progress; /* a command has its request at once */
    uint64_t id;
    surety__process process; /* not started: see failed */
    surety__arena arena;     /* holds the body */
    surety_str body;         /* the part of it that is not written */
    bool has_head;
    bool dismissed;         /* the receiver got the end */
    surety_delivery failed; /* why it could not be started */
};

struct exec {
    surety_transport transport;
    const surety_alloc *alloc;
    struct exec_child *first; /* in the order of their start */
    struct pollfd *polls;     /* one for every pipe */
    size_t poll_cap;
    surety__arena arena; /* holds the names of the variables */
    surety__variables variables;
    size_t count; /* of children */
    bool called;  /* a receiver was called in this wait */
};

/* ---- starting ------------------------------------------------------------ */

/* The arguments that a URL stands for, as surety__arguments_read. */
static surety_status exec_arguments(surety_str url, surety__arena *arena,
                                    const char ***ret_arguments,
                                    surety_error *reterr)
{
    const surety_str scheme = SURETY__LITERAL("exec:");
    const surety_str list = SURETY__LITERAL("argv:");
    const char **arguments;
    surety_str command;

    if (surety__str_starts(url, list)) {
        surety__str_skip(&url, list.len);
        return surety__arguments_read(url, arena, ret_arguments, reterr);
    }
    if (!surety__str_starts(url, scheme) || url.len == scheme.len ||
        memchr(url.ptr, 0, url.len))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a command's URL is \"exec:COMMAND\" or "
                            "\"argv:[...]\"");
    surety__str_skip(&url, scheme.len);
    command = surety__arena_text(arena, url);
    arguments = surety__arena_take(arena, 4 * sizeof(*arguments));
    if (!command.ptr || !arguments)
        return surety__fail_nomem(reterr);
    arguments[0] = "/bin/sh";
    arguments[1] = "-c";
    arguments[2] = command.ptr;
    *ret_arguments = arguments;
    return SURETY_OK;
}

/* Starts the command; an error becomes child->failed. */
static void exec_launch(struct exec_child *child, const char **arguments,
                        char **environment)
{
    const int error =
        surety__process_start(&child->process, arguments, environment);

    if (error)
        child->failed = surety__delivery_of(
            SURETY_FAILURE_COMMAND, false,
            "the command could not be started: %s", strerror(error));
}

/* ---- ending -------------------------------------------------------------- */

/* Closes the pipes and reports the end to the receiver. */
static void exec_end(struct exec_child *child, surety_delivery delivery)
{
    assert(!child->dismissed);
    for (int i = 0; i < PROCESS_PIPES; i++)
        surety__process_close_pipe(&child->process, i);
    child->dismissed = true;
    child->exec->called = true;
    child->intake.receiver.end(child->intake.receiver.ctx, &delivery);
}

/* Stops a command that still works, and reports the end. */
static void exec_stop(struct exec_child *child, surety_delivery delivery)
{
    if (child->process.pid)
        surety__process_stop(&child->process);
    exec_end(child, delivery);
}

/* Frees a child whose process was waited for. */
static void exec_remove(struct exec_child **place)
{
    struct exec_child *child = *place;
    struct exec *exec = child->exec;

    assert(child->dismissed && exec->count > 0);
    *place = child->next;
    exec->count--;
    surety__arena_done(&child->arena);
    surety__free(exec->alloc, child, sizeof(*child));
}

/* Frees the dismissed children that have ended. Returns whether some have
 * not. */
static bool exec_sweep(struct exec *exec, uint64_t now_ms)
{
    struct exec_child **place = &exec->first;
    bool left = false;

    while (*place) {
        struct exec_child *child = *place;

        if (child->dismissed &&
            (!child->process.pid ||
             surety__process_end(&child->process, now_ms))) {
            exec_remove(place);
            continue;
        }
        left = left || child->dismissed;
        place = &child->next;
    }
    return left;
}

/* ---- moving bytes -------------------------------------------------------- */

static void exec_head(struct exec_child *child)
{
    if (child->has_head)
        return;
    child->has_head = true;
    child->exec->called = true;
    child->intake.receiver.head(child->intake.receiver.ctx, 0, NULL, 0);
}

/* Reads from standard output; false: there is no more now. */
static bool exec_read(struct exec_child *child)
{
    char bytes[EXEC_READ];
    const size_t got =
        surety__process_read(&child->process, bytes, sizeof(bytes));
    surety_delivery delivery;

    if (!got)
        return false;
    child->progress.byte_ms = surety__clock_ms();
    exec_head(child);
    child->exec->called = true;
    if (surety__intake_take(&child->intake, (surety_str){bytes, got},
                            &delivery))
        return true;
    exec_stop(child, delivery);
    return false;
}

/* ---- a child's turn ------------------------------------------------------ */

static surety_delivery exec_late(const struct exec_child *child,
                                 surety__late late)
{
    const surety_timeouts *timeouts = &child->progress.timeouts;

    assert(late != LATE_CONNECT);
    if (late == LATE_TOTAL)
        return surety__delivery_of(SURETY_FAILURE_TIMEOUT, true,
                                   "the command was not done after %u ms",
                                   timeouts->total_ms);
    if (late == LATE_IDLE)
        return surety__delivery_of(SURETY_FAILURE_TIMEOUT, true,
                                   "the command wrote nothing for %u ms",
                                   timeouts->idle_ms);
    return surety__delivery_of(SURETY_FAILURE_TIMEOUT, true,
                               "the command wrote nothing within %u ms",
                               timeouts->first_byte_ms);
}

static void exec_turn(struct exec_child *child)
{
    surety__process *process = &child->process;
    surety__late late;
    bool exited;

    if (!process->pid) {
        exec_end(child, child->failed);
        return;
    }
    /* A command need not read all of its input. */
    if (!surety__process_write(process, &child->body))
        surety__process_close_pipe(process, 0);
    surety__process_read_error(process);
    /* Check first, then read: after the end of the process all its output is
     * in the pipe. */
    exited = surety__process_look(process);
    for (int i = 0; (i < 16 || exited) && exec_read(child);)
        i++;
    if (child->dismissed)
        return;
    surety__process_read_error(process);
    if (exited) {
        const surety_delivery delivery =
            surety__process_outcome(process, "command");

        if (!delivery.failure)
            exec_head(child);
        exec_end(child, delivery);
    } else if (surety__progress_deadline(&child->progress, &late) <=
               surety__clock_ms()) {
        exec_stop(child, exec_late(child, late));
    }
}

/* Sleeps until a pipe is ready, a deadline, or the next check of the
 * processes; false: a signal arrived. */
static bool exec_sleep(struct exec *exec, uint64_t now_ms, uint64_t until_ms,
                       bool dying)
{
    nfds_t count = 0;

    if (dying && until_ms > now_ms + PROCESS_LOOK_MS)
        until_ms = now_ms + PROCESS_LOOK_MS;
    for (const struct exec_child *child = exec->first; child;
         child = child->next) {
        surety__late late;
        const uint64_t deadline =
            surety__progress_deadline(&child->progress, &late);
        const uint64_t look =
            now_ms +
            (child->process.pipes[1] < 0 ? PROCESS_SOON_MS : PROCESS_LOOK_MS);

        if (child->dismissed)
            continue;
        if (deadline < until_ms)
            until_ms = deadline;
        if (look < until_ms)
            until_ms = look;
        for (int i = 0; i < PROCESS_PIPES; i++)
            if (child->process.pipes[i] >= 0)
                exec->polls[count++] =
                    (struct pollfd){.fd = child->process.pipes[i],
                                    .events = i ? POLLIN : POLLOUT};
    }
    assert(count <= exec->poll_cap);
    if (until_ms <= now_ms)
        return true;
    return poll(exec->polls, count, (int)(until_ms - now_ms)) >= 0 ||
           errno != EINTR;
}

/* ---- the transport ------------------------------------------------------- */

static surety_status exec_wait(void *ctx, uint32_t timeout_ms,
                               surety_error *reterr)
{
    struct exec *exec = ctx;
    const uint64_t until_ms = surety__clock_ms() + timeout_ms;
    surety__shield shield;
    bool on = true;

    (void)reterr;
    exec->called = false;
    surety__shield_raise(&shield);
    while (on) {
        bool dying;
        uint64_t now_ms;

        for (struct exec_child *child = exec->first; child; child = child->next)
            if (!child->dismissed)
                exec_turn(child);
        now_ms = surety__clock_ms();
        dying = exec_sweep(exec, now_ms);
        on = !exec->called && now_ms < until_ms &&
             exec_sleep(exec, now_ms, until_ms, dying);
    }
    surety__shield_lower(&shield);
    return SURETY_OK;
}

static surety_status exec_start(void *ctx, uint64_t id,
                                const surety_request *request,
                                const surety_receiver *receiver,
                                surety_error *reterr)
{
    struct exec *exec = ctx;
    struct exec_child **place = &exec->first;
    struct exec_child *child;
    surety_request own;
    surety_status status;
    const char **arguments = NULL;
    char **environment;

    if (surety__options_take(&own, sizeof(own), request, reterr))
        return SURETY_MISUSE;
    for (; *place; place = &(*place)->next)
        if ((*place)->id == id && !(*place)->dismissed)
            return surety__fail(reterr, SURETY_MISUSE,
                                "an exchange with this id is under way");
    if (surety__grow(exec->alloc, &exec->polls, &exec->poll_cap,
                     (exec->count + 1) * PROCESS_PIPES, sizeof(*exec->polls),
                     SIZE_MAX))
        return surety__fail_nomem(reterr);
    child = surety__new(exec->alloc, sizeof(*child));
    if (!child)
        return surety__fail_nomem(reterr);
    *child = (struct exec_child){
        .exec = exec,
        .id = id,
        .intake = surety__intake_of(&own, receiver),
        .progress = surety__progress_of(&own),
    };
    child->progress.sent_ms = child->progress.begin_ms;
    surety__arena_init(&child->arena, exec->alloc, 0);
    child->body = surety__arena_text(&child->arena, own.body);
    environment = surety__variables_pass(&exec->variables, &child->arena);
    status = child->body.ptr && environment
                 ? exec_arguments(own.url, &child->arena, &arguments, reterr)
                 : surety__fail_nomem(reterr);
    if (status) {
        surety__arena_done(&child->arena);
        surety__free(exec->alloc, child, sizeof(*child));
        return status;
    }
    exec_launch(child, arguments, environment);
    *place = child;
    exec->count++;
    return SURETY_OK;
}

static void exec_cancel(void *ctx, uint64_t id)
{
    struct exec *exec = ctx;

    for (struct exec_child *child = exec->first; child; child = child->next) {
        if (child->id != id || child->dismissed)
            continue;
        exec_stop(child, surety__delivery_cancelled(child->process.pid != 0));
        return;
    }
}

static void exec_close(void *ctx)
{
    struct exec *exec = ctx;

    for (struct exec_child *child = exec->first; child; child = child->next)
        if (!child->dismissed)
            exec_stop(child,
                      surety__delivery_cancelled(child->process.pid != 0));
    while (exec_sweep(exec, surety__clock_ms()))
        surety__clock_sleep(PROCESS_SOON_MS);
    surety__free(exec->alloc, exec->polls,
                 exec->poll_cap * sizeof(*exec->polls));
    surety__arena_done(&exec->arena);
    surety__free(exec->alloc, exec, sizeof(*exec));
}

surety_status surety_exec_open(const surety_str *environment,
                               size_t environment_count,
                               const surety_alloc *alloc,
                               surety_transport **ret_transport,
                               surety_error *reterr)
{
    struct exec *exec = surety__new(alloc, sizeof(*exec));
    surety_status status;

    if (!exec)
        return surety__fail_nomem(reterr);
    exec->alloc = alloc;
    surety__arena_init(&exec->arena, alloc, 0);
    status = surety__variables_take(
        &exec->arena, environment, environment_count, &exec->variables, reterr);
    if (status) {
        exec_close(exec);
        return status;
    }
    exec->transport = (surety_transport){.version = 1,
                                         .ctx = exec,
                                         .start = exec_start,
                                         .cancel = exec_cancel,
                                         .wait = exec_wait,
                                         .close = exec_close};
    *ret_transport = &exec->transport;
    return SURETY_OK;
}
