/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c: a transport that calls a command. The request's body is its standard
 * input, its output is the response, and how it ends is the delivery.
 *
 * Each exchange is a process group with three pipes. No call blocks: input is
 * written as far as the pipe accepts it while output is read, so the two
 * processes cannot wait for each other forever. A group that must end
 * (cancelled, late, over a limit) gets SIGTERM, and SIGKILL half a second
 * later. The receiver gets the end at once; the process is waited for later.
 * When a command ends by itself, the other processes of its group are killed,
 * and output that they would still have written is not read.
 *
 * The command gets the working directory, no open files except the three
 * pipes, default signal actions, and a small environment: what a program needs
 * to find others, its user's files, language and time zone, and the variables
 * that the caller lists. A program that calls models has the keys of all its
 * providers in its environment, and a command must not get them. A process
 * cannot be polled, so its state is checked every 50 ms, and every 4 ms once
 * its output is closed.
 *
 * Invariant: a process is waited for (which frees its number for another) only
 * after the last signal was sent to its group. */
#include "provider/provider.h"
#include "provider/transport.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    EXEC_GRACE_MS = 500,  /* from SIGTERM to SIGKILL */
    EXEC_LOOK_MS = 50,    /* interval to check a silent command */
    EXEC_SOON_MS = 4,     /* and one that is about to end */
    EXEC_TAIL = 2048,     /* bytes kept of standard error */
    EXEC_SHOWN_MAX = 160, /* of them, in a message */
    EXEC_READ = 1 << 12,
    EXEC_PIPES = 3
};

struct exec_child {
    struct exec_child *next;
    struct exec *exec;
    surety__intake intake;
    surety__progress progress; /* a command has its request at once */
    uint64_t id;
    pid_t pid;             /* 0: it could not be started */
    int pipes[EXEC_PIPES]; /* this process's ends; -1: closed */
    surety__arena arena;   /* holds the body */
    surety_str body;
    size_t written;
    uint64_t kill_ms; /* when SIGKILL is due */
    bool has_head;
    bool exited;    /* it ended, and is not waited for yet */
    bool gone;      /* other code of the program waited for it */
    bool dismissed; /* the receiver got the end */
    siginfo_t how;
    surety_delivery failed; /* why it could not be started */
    size_t tail_len;
    char tail[EXEC_TAIL]; /* the end of standard error */
};

struct exec {
    surety_transport transport;
    const surety_alloc *alloc;
    struct exec_child *first; /* in the order of their start */
    struct pollfd *polls;     /* one for every pipe */
    size_t poll_cap;
    surety__arena arena; /* holds the names */
    surety_str *names;   /* further variables that are passed on */
    size_t name_count;
    size_t count; /* of children */
    bool called;  /* a receiver was called in this wait */
};

extern char **environ;

/* ---- starting ------------------------------------------------------------ */

/* Opens a pipe with ends above standard error that no child inherits. */
static bool exec_pipe(int *ret_read, int *ret_write)
{
    int ends[2];
    int read_end;
    int write_end;

    if (pipe(ends))
        return false;
    read_end = fcntl(ends[0], F_DUPFD_CLOEXEC, 3);
    write_end = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
    close(ends[0]);
    close(ends[1]);
    if (read_end < 0 || write_end < 0) {
        if (read_end >= 0)
            close(read_end);
        if (write_end >= 0)
            close(write_end);
        return false;
    }
    *ret_read = read_end;
    *ret_write = write_end;
    return true;
}

/* Makes the child close files that other code of this program left
 * inheritable. */
static void exec_close_others(posix_spawn_file_actions_t *actions)
{
    DIR *files = opendir("/dev/fd");
    const struct dirent *entry;

    while (files && (entry = readdir(files))) {
        int file = 0;
        const char *digit = entry->d_name;

        for (; *digit >= '0' && *digit <= '9' && file < 100000000; digit++)
            file = file * 10 + (*digit - '0');
        if (*digit || file < 3 || file == dirfd(files))
            continue;
        if ((fcntl(file, F_GETFD) & FD_CLOEXEC) == 0)
            (void)posix_spawn_file_actions_addclose(actions, file);
    }
    if (files)
        closedir(files);
}

/* Variables that every command gets if they are set. */
static const char *const exec_variables[] = {"PATH",     "HOME",  "USER",
                                             "LOGNAME",  "SHELL", "LANG",
                                             "LANGUAGE", "TZ",    "TMPDIR"};

/* Whether a variable, "NAME=VALUE", has this name. */
static bool exec_is_of(const char *variable, surety_str name)
{
    return strncmp(variable, name.ptr, name.len) == 0 &&
           variable[name.len] == '=';
}

static bool exec_passes_on(const struct exec *exec, const char *variable)
{
    for (size_t i = 0; i < SURETY__COUNT(exec_variables); i++)
        if (exec_is_of(variable, surety_str_of(exec_variables[i])))
            return true;
    for (size_t i = 0; i < exec->name_count; i++)
        if (exec_is_of(variable, exec->names[i]))
            return true;
    return strncmp(variable, "LC_", 3) == 0;
}

/* The variables of this process that a command gets, in a vector in arena with
 * NULL at the end. The texts belong to the environment. NULL: out of memory. */
static char **exec_environment(const struct exec *exec, surety__arena *arena)
{
    size_t count = 0;
    char **passed;

    while (environ && environ[count])
        count++;
    passed = surety__arena_take(arena, (count + 1) * sizeof(*passed));
    for (size_t i = 0, to = 0; passed && i < count; i++)
        if (exec_passes_on(exec, environ[i]))
            passed[to++] = environ[i];
    return passed;
}

/* Returns 0 or an errno. theirs: the child's ends of the pipes. */
static int exec_spawn(struct exec_child *child, char *command,
                      const int *theirs, char **environment)
{
    char shell[] = "/bin/sh";
    char option[] = "-c";
    char *arguments[] = {shell, option, command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t usual;
    int error = ENOMEM;

    if (posix_spawn_file_actions_init(&actions))
        return ENOMEM;
    if (!posix_spawnattr_init(&attributes)) {
        sigemptyset(&none);
        sigemptyset(&usual);
        sigaddset(&usual, SIGPIPE);
        sigaddset(&usual, SIGXFSZ);
        sigaddset(&usual, SIGCHLD);
        sigaddset(&usual, SIGINT);
        sigaddset(&usual, SIGQUIT);
        sigaddset(&usual, SIGTERM);
        (void)posix_spawnattr_setpgroup(&attributes, 0);
        (void)posix_spawnattr_setsigmask(&attributes, &none);
        (void)posix_spawnattr_setsigdefault(&attributes, &usual);
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
                                                        POSIX_SPAWN_SETSIGMASK |
                                                        POSIX_SPAWN_SETSIGDEF);
        error = 0;
        for (int i = 0; i < EXEC_PIPES && !error; i++)
            error = posix_spawn_file_actions_adddup2(&actions, theirs[i], i);
        exec_close_others(&actions);
        if (!error)
            error = posix_spawn(&child->pid, shell, &actions, &attributes,
                                arguments, environment);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Opens the pipes and starts the command; an error becomes child->failed. */
static void exec_launch(struct exec_child *child, char *command,
                        char **environment)
{
    int theirs[EXEC_PIPES] = {-1, -1, -1};
    int error = 0;

    assert(!child->pid);
    if (!exec_pipe(&theirs[0], &child->pipes[0]) ||
        !exec_pipe(&child->pipes[1], &theirs[1]) ||
        !exec_pipe(&child->pipes[2], &theirs[2]))
        error = errno;
    for (int i = 0; i < EXEC_PIPES && !error; i++)
        if (fcntl(child->pipes[i], F_SETFL, O_NONBLOCK))
            error = errno;
    if (!error)
        error = exec_spawn(child, command, theirs, environment);
    for (int i = 0; i < EXEC_PIPES; i++)
        if (theirs[i] >= 0)
            close(theirs[i]);
    if (!error)
        return;
    child->pid = 0;
    child->failed = surety__delivery_of(SURETY_FAILURE_COMMAND, false,
                                        "the command could not be started: %s",
                                        strerror(error));
}

/* ---- ending -------------------------------------------------------------- */

static void exec_close_pipe(struct exec_child *child, int i)
{
    if (child->pipes[i] >= 0)
        close(child->pipes[i]);
    child->pipes[i] = -1;
}

static void exec_signal(const struct exec_child *child, int number)
{
    if (child->pid && !child->gone)
        (void)kill(-child->pid, number);
}

/* Whether the process has ended. It is not waited for. */
static bool exec_look(struct exec_child *child)
{
    if (child->exited)
        return true;
    child->how.si_pid = 0;
    if (waitid(P_PID, (id_t)child->pid, &child->how,
               WEXITED | WNOHANG | WNOWAIT)) {
        child->gone = errno == ECHILD;
        child->exited = child->gone;
    } else {
        child->exited = child->how.si_pid == child->pid;
    }
    return child->exited;
}

/* Closes the pipes and reports the end to the receiver. */
static void exec_end(struct exec_child *child, surety_delivery delivery)
{
    assert(!child->dismissed);
    for (int i = 0; i < EXEC_PIPES; i++)
        exec_close_pipe(child, i);
    child->dismissed = true;
    child->exec->called = true;
    child->intake.receiver.end(child->intake.receiver.ctx, &delivery);
}

/* Stops a command that still works, and reports the end. */
static void exec_stop(struct exec_child *child, surety_delivery delivery)
{
    child->kill_ms = surety__clock_ms() + EXEC_GRACE_MS;
    exec_signal(child, SIGTERM);
    exec_signal(child, SIGCONT);
    exec_end(child, delivery);
}

/* Kills the rest of the group of a process that has ended, waits for it, and
 * frees the child. */
static void exec_bury(struct exec_child **place)
{
    struct exec_child *child = *place;
    struct exec *exec = child->exec;

    assert(child->dismissed && exec->count > 0);
    *place = child->next;
    exec->count--;
    exec_signal(child, SIGKILL);
    if (child->pid && !child->gone)
        while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
            ;
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

        if (!child->dismissed) {
            place = &child->next;
            continue;
        }
        if (!child->pid || exec_look(child)) {
            exec_bury(place);
            continue;
        }
        if (now_ms >= child->kill_ms)
            exec_signal(child, SIGKILL);
        left = true;
        place = &child->next;
    }
    return left;
}

/* ---- moving bytes -------------------------------------------------------- */

static void exec_write(struct exec_child *child)
{
    assert(child->written <= child->body.len);
    while (child->pipes[0] >= 0 && child->written < child->body.len) {
        const ssize_t count =
            write(child->pipes[0], child->body.ptr + child->written,
                  child->body.len - child->written);

        if (count > 0)
            child->written += (size_t)count;
        else if (count < 0 && errno == EAGAIN)
            return;
        else if (count < 0 && errno != EINTR)
            break; /* a command need not read all of its input */
    }
    exec_close_pipe(child, 0);
}

/* Reads standard error and keeps its end. */
static void exec_read_error(struct exec_child *child)
{
    char bytes[EXEC_TAIL];

    while (child->pipes[2] >= 0) {
        const ssize_t got = read(child->pipes[2], bytes, sizeof(bytes));
        const size_t len = got > 0 ? (size_t)got : 0;
        const size_t kept = child->tail_len < EXEC_TAIL - len ? child->tail_len
                                                              : EXEC_TAIL - len;

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            exec_close_pipe(child, 2);
            return;
        }
        memmove(child->tail, child->tail + child->tail_len - kept, kept);
        memcpy(child->tail + kept, bytes, len);
        child->tail_len = kept + len;
    }
}

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
    const ssize_t got =
        child->pipes[1] < 0 ? 0 : read(child->pipes[1], bytes, sizeof(bytes));
    surety_delivery delivery;

    if (got > 0) {
        child->progress.byte_ms = surety__clock_ms();
        exec_head(child);
        child->exec->called = true;
        if (surety__intake_take(&child->intake,
                                (surety_str){bytes, (size_t)got}, &delivery))
            return true;
        exec_stop(child, delivery);
        return false;
    }
    if (got < 0 && errno == EINTR)
        return true;
    if (got == 0 || errno != EAGAIN)
        exec_close_pipe(child, 1);
    return false;
}

/* ---- how a command ended ------------------------------------------------- */

/* The end of standard error as one line, in text (EXEC_SHOWN_MAX bytes). */
static surety_str exec_last_line(const struct exec_child *child, char *text)
{
    surety_str tail =
        surety__str_trim((surety_str){child->tail, child->tail_len});

    if (tail.len > EXEC_SHOWN_MAX) {
        tail.ptr += tail.len - EXEC_SHOWN_MAX;
        tail.len = EXEC_SHOWN_MAX;
        while (tail.len && ((unsigned char)*tail.ptr & 0xC0) == 0x80) {
            surety__str_skip(&tail, 1);
        }
    }
    for (size_t i = 0; i < tail.len; i++)
        text[i] =
            tail.ptr[i] == '\n' || tail.ptr[i] == '\t' ? ' ' : tail.ptr[i];
    return (surety_str){text, tail.len};
}

static surety_delivery exec_outcome(const struct exec_child *child)
{
    char text[EXEC_SHOWN_MAX];
    const surety_str line = exec_last_line(child, text);
    const char *colon = line.len ? ": " : "";

    if (child->gone)
        return surety__delivery_of(
            SURETY_FAILURE_COMMAND, true,
            "how the command ended is not known, for the program ignores "
            "SIGCHLD or waits for all children");
    if (child->how.si_code != CLD_EXITED)
        return surety__delivery_of(SURETY_FAILURE_COMMAND, true,
                                   "the command was ended by signal %d%s%.*s",
                                   child->how.si_status, colon, (int)line.len,
                                   line.ptr);
    if (child->how.si_status)
        return surety__delivery_of(SURETY_FAILURE_COMMAND, true,
                                   "the command ended with status %d%s%.*s",
                                   child->how.si_status, colon, (int)line.len,
                                   line.ptr);
    return (surety_delivery){.failure = SURETY_FAILURE_NONE, .sent = true};
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
    surety__late late;
    bool exited;

    if (!child->pid) {
        exec_end(child, child->failed);
        return;
    }
    exec_write(child);
    exec_read_error(child);
    /* Check first, then read: after the end of the process all its output is
     * in the pipe. */
    exited = exec_look(child);
    for (int i = 0; (i < 16 || exited) && exec_read(child);)
        i++;
    if (child->dismissed)
        return;
    exec_read_error(child);
    if (exited) {
        const surety_delivery delivery = exec_outcome(child);

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

    if (dying && until_ms > now_ms + EXEC_LOOK_MS)
        until_ms = now_ms + EXEC_LOOK_MS;
    for (const struct exec_child *child = exec->first; child;
         child = child->next) {
        surety__late late;
        const uint64_t deadline =
            surety__progress_deadline(&child->progress, &late);
        const uint64_t look =
            now_ms + (child->pipes[1] < 0 ? EXEC_SOON_MS : EXEC_LOOK_MS);

        if (child->dismissed)
            continue;
        if (deadline < until_ms)
            until_ms = deadline;
        if (look < until_ms)
            until_ms = look;
        for (int i = 0; i < EXEC_PIPES; i++)
            if (child->pipes[i] >= 0)
                exec->polls[count++] = (struct pollfd){
                    .fd = child->pipes[i], .events = i ? POLLIN : POLLOUT};
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
    const surety_str scheme = SURETY__LITERAL("exec:");
    struct exec *exec = ctx;
    struct exec_child **place = &exec->first;
    struct exec_child *child;
    surety_request own;
    surety_str command;
    char **environment;

    if (surety__options_take(&own, sizeof(own), request, reterr))
        return SURETY_MISUSE;
    if (!surety__str_starts(own.url, scheme) || own.url.len == scheme.len ||
        memchr(own.url.ptr, 0, own.url.len))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a command's URL is \"exec:COMMAND\"");
    for (; *place; place = &(*place)->next)
        if ((*place)->id == id && !(*place)->dismissed)
            return surety__fail(reterr, SURETY_MISUSE,
                                "an exchange with this id is under way");
    if (surety__grow(exec->alloc, &exec->polls, &exec->poll_cap,
                     (exec->count + 1) * EXEC_PIPES, sizeof(*exec->polls),
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
        .pipes = {-1, -1, -1},
    };
    child->progress.sent_ms = child->progress.begin_ms;
    surety__arena_init(&child->arena, exec->alloc, 0);
    child->body = surety__arena_text(&child->arena, own.body);
    command = surety__arena_text(&child->arena, own.url);
    environment = exec_environment(exec, &child->arena);
    if (!child->body.ptr || !command.ptr || !environment) {
        surety__arena_done(&child->arena);
        surety__free(exec->alloc, child, sizeof(*child));
        return surety__fail_nomem(reterr);
    }
    exec_launch(child, (char *)command.ptr + scheme.len, environment);
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
        exec_stop(child, surety__delivery_cancelled(child->pid != 0));
        return;
    }
}

static void exec_close(void *ctx)
{
    struct exec *exec = ctx;

    for (struct exec_child *child = exec->first; child; child = child->next)
        if (!child->dismissed)
            exec_stop(child, surety__delivery_cancelled(child->pid != 0));
    while (exec_sweep(exec, surety__clock_ms()))
        surety__clock_sleep(EXEC_SOON_MS);
    surety__free(exec->alloc, exec->polls,
                 exec->poll_cap * sizeof(*exec->polls));
    surety__arena_done(&exec->arena);
    surety__free(exec->alloc, exec, sizeof(*exec));
}

static surety_status exec_take_names(struct exec *exec,
                                     const surety_str *environment,
                                     size_t count, surety_error *reterr)
{
    exec->names =
        surety__arena_take(&exec->arena, (count + 1) * sizeof(*exec->names));
    if (!exec->names)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count; i++) {
        const surety_str name = environment[i];

        if (name.len == 0 || memchr(name.ptr, '=', name.len) ||
            memchr(name.ptr, 0, name.len))
            return surety__fail(reterr, SURETY_MISUSE,
                                "\"%.*s\" is not the name of a variable",
                                (int)(name.len < 64 ? name.len : 64), name.ptr);
        exec->names[i] = surety__arena_text(&exec->arena, name);
        if (!exec->names[i].ptr)
            return surety__fail_nomem(reterr);
    }
    exec->name_count = count;
    return SURETY_OK;
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
    status = exec_take_names(exec, environment, environment_count, reterr);
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
