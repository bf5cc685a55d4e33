/* SPDX-License-Identifier: Apache-2.0 */
/* process.c: starts processes, moves their bytes, and ends them.
 *
 * A process gets the working directory, no open files except its three pipes,
 * default signal actions, and a small environment: what a program needs to find
 * others, its user's files, language and time zone, and the variables that the
 * caller lists. A program that calls models has the keys of all its providers
 * in its environment, and a process must not get them.
 *
 * It leads a group. A group that must end gets SIGTERM, and SIGKILL half a
 * second later. When a process ends by itself, the other processes of its group
 * are killed, and output that they would still have written is not read.
 *
 * Invariant: a process is waited for (which frees its number for another) only
 * after the last signal was sent to its group. */
#include "provider/process.h"
#include "provider/transport.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PROCESS_GRACE_MS = 500,  /* from SIGTERM to SIGKILL */
    PROCESS_SHOWN_MAX = 160, /* bytes of standard error in a message */
};

extern char **environ;

/* ---- the environment ----------------------------------------------------- */

/* Variables that every process gets if they are set. */
static const char *const process_variables[] = {"PATH",     "HOME",  "USER",
                                                "LOGNAME",  "SHELL", "LANG",
                                                "LANGUAGE", "TZ",    "TMPDIR"};

/* Whether a variable, "NAME=VALUE", has this name. */
static bool process_is_of(const char *variable, surety_str name)
{
    return strncmp(variable, name.ptr, name.len) == 0 &&
           variable[name.len] == '=';
}

static bool process_passes_on(const surety__variables *variables,
                              const char *variable)
{
    for (size_t i = 0; i < SURETY__COUNT(process_variables); i++)
        if (process_is_of(variable, surety_str_of(process_variables[i])))
            return true;
    for (size_t i = 0; i < variables->count; i++)
        if (process_is_of(variable, variables->names[i]))
            return true;
    return strncmp(variable, "LC_", 3) == 0;
}

surety_status surety__variables_take(surety__arena *arena,
                                     const surety_str *names, size_t count,
                                     surety__variables *ret_variables,
                                     surety_error *reterr)
{
    surety_str *copies =
        surety__arena_take(arena, (count + 1) * sizeof(*copies));

    if (!copies)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count; i++) {
        const surety_str name = names[i];

        if (name.len == 0 || memchr(name.ptr, '=', name.len) ||
            memchr(name.ptr, 0, name.len))
            return surety__fail(reterr, SURETY_MISUSE,
                                "\"%.*s\" is not the name of a variable",
                                (int)(name.len < 64 ? name.len : 64), name.ptr);
        copies[i] = surety__arena_text(arena, name);
        if (!copies[i].ptr)
            return surety__fail_nomem(reterr);
    }
    *ret_variables = (surety__variables){.names = copies, .count = count};
    return SURETY_OK;
}

char **surety__variables_pass(const surety__variables *variables,
                              surety__arena *arena)
{
    size_t count = 0;
    char **passed;

    while (environ && environ[count])
        count++;
    passed = surety__arena_take(arena, (count + 1) * sizeof(*passed));
    for (size_t i = 0, to = 0; passed && i < count; i++)
        if (process_passes_on(variables, environ[i]))
            passed[to++] = environ[i];
    return passed;
}

/* ---- arguments ----------------------------------------------------------- */

/* Whether a value is the arguments of a command: texts, first its name. */
static bool process_are_arguments(surety_val list)
{
    if (surety_val_kind(list) != SURETY_KIND_ARRAY ||
        !surety_val_str(surety_val_first(list)).len)
        return false;
    SURETY_EACH (item, list) {
        const surety_str text = surety_val_str(item);

        if (surety_val_kind(item) != SURETY_KIND_STRING ||
            memchr(text.ptr, 0, text.len))
            return false;
    }
    return true;
}

surety_status surety__arguments_read(surety_str json, surety__arena *arena,
                                     const char ***ret_arguments,
                                     surety_error *reterr)
{
    surety_doc *doc = surety_doc_new(arena->alloc);
    surety_status status =
        doc ? surety_doc_read(doc, json, NULL, reterr) : SURETY_NOMEM;
    surety_val list;
    const char **arguments;
    size_t count = 0;

    if (status)
        goto done;
    list = surety_doc_root(doc);
    if (!process_are_arguments(list)) {
        status = SURETY_SYNTAX;
        goto done;
    }
    arena->status = &status;
    arguments = surety__arena_take(arena, (surety_val_count(list) + 1) *
                                              sizeof(*arguments));
    SURETY_EACH (item, list) {
        if (!arguments)
            break;
        arguments[count++] =
            surety__arena_text(arena, surety_val_str(item)).ptr;
    }
    arena->status = NULL;
    *ret_arguments = arguments;
done:
    surety_doc_free(doc);
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    return status ? surety__fail(reterr, SURETY_MISUSE,
                                 "a command is a JSON array of texts, its "
                                 "name and its arguments: "
                                 "[\"COMMAND\", \"TEXT\"]")
                  : SURETY_OK;
}

/* ---- starting ------------------------------------------------------------ */

/* Opens a pipe with ends above standard error that no child inherits. */
static bool process_pipe(int *ret_read, int *ret_write)
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
static void process_close_others(posix_spawn_file_actions_t *actions)
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

/* Returns 0 or an errno. theirs: the child's ends of the pipes. */
static int process_spawn(surety__process *process, const char **arguments,
                         char **environment, const int *theirs)
{
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
        for (int i = 0; i < PROCESS_PIPES && !error; i++)
            error = posix_spawn_file_actions_adddup2(&actions, theirs[i], i);
        process_close_others(&actions);
        if (!error)
            error = posix_spawnp(&process->pid, arguments[0], &actions,
                                 &attributes, (char **)arguments, environment);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

int surety__process_start(surety__process *process, const char **arguments,
                          char **environment)
{
    int theirs[PROCESS_PIPES] = {-1, -1, -1};
    int *ours = process->pipes;
    int error = 0;

    *process = (surety__process){.pipes = {-1, -1, -1}};
    if (!process_pipe(&theirs[0], &ours[0]) ||
        !process_pipe(&ours[1], &theirs[1]) ||
        !process_pipe(&ours[2], &theirs[2]))
        error = errno;
    for (int i = 0; i < PROCESS_PIPES && !error; i++)
        if (fcntl(ours[i], F_SETFL, O_NONBLOCK))
            error = errno;
    if (!error)
        error = process_spawn(process, arguments, environment, theirs);
    for (int i = 0; i < PROCESS_PIPES; i++) {
        if (theirs[i] >= 0)
            close(theirs[i]);
        if (error)
            surety__process_close_pipe(process, i);
    }
    if (error)
        process->pid = 0;
    return error;
}

/* ---- moving bytes -------------------------------------------------------- */

bool surety__process_write(surety__process *process, surety_str *rest)
{
    while (process->pipes[0] >= 0 && rest->len) {
        const ssize_t count = write(process->pipes[0], rest->ptr, rest->len);

        if (count > 0)
            surety__str_skip(rest, (size_t)count);
        else if (count < 0 && errno == EAGAIN)
            return true;
        else if (count < 0 && errno != EINTR)
            return false;
    }
    return false;
}

size_t surety__process_read(surety__process *process, char *bytes, size_t size)
{
    while (process->pipes[1] >= 0) {
        const ssize_t got = read(process->pipes[1], bytes, size);

        if (got > 0)
            return (size_t)got;
        if (got < 0 && errno == EAGAIN)
            return 0;
        if (got == 0 || errno != EINTR)
            surety__process_close_pipe(process, 1);
    }
    return 0;
}

void surety__process_read_error(surety__process *process)
{
    char bytes[PROCESS_TAIL];

    while (process->pipes[2] >= 0) {
        const ssize_t got = read(process->pipes[2], bytes, sizeof(bytes));
        const size_t len = got > 0 ? (size_t)got : 0;
        const size_t kept = process->tail_len < PROCESS_TAIL - len
                                ? process->tail_len
                                : PROCESS_TAIL - len;

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            surety__process_close_pipe(process, 2);
            return;
        }
        memmove(process->tail, process->tail + process->tail_len - kept, kept);
        memcpy(process->tail + kept, bytes, len);
        process->tail_len = kept + len;
    }
}

void surety__process_close_pipe(surety__process *process, int i)
{
    if (process->pipes[i] >= 0)
        close(process->pipes[i]);
    process->pipes[i] = -1;
}

/* ---- how it ended -------------------------------------------------------- */

bool surety__process_look(surety__process *process)
{
    if (process->exited)
        return true;
    process->how.si_pid = 0;
    if (waitid(P_PID, (id_t)process->pid, &process->how,
               WEXITED | WNOHANG | WNOWAIT)) {
        process->gone = errno == ECHILD;
        process->exited = process->gone;
    } else {
        process->exited = process->how.si_pid == process->pid;
    }
    return process->exited;
}

/* The end of standard error as one line, in text (PROCESS_SHOWN_MAX bytes). */
static surety_str process_last_line(const surety__process *process, char *text)
{
    surety_str tail =
        surety__str_trim((surety_str){process->tail, process->tail_len});

    if (tail.len > PROCESS_SHOWN_MAX) {
        tail.ptr += tail.len - PROCESS_SHOWN_MAX;
        tail.len = PROCESS_SHOWN_MAX;
        while (tail.len && ((unsigned char)*tail.ptr & 0xC0) == 0x80) {
            surety__str_skip(&tail, 1);
        }
    }
    for (size_t i = 0; i < tail.len; i++)
        text[i] =
            tail.ptr[i] == '\n' || tail.ptr[i] == '\t' ? ' ' : tail.ptr[i];
    return (surety_str){text, tail.len};
}

surety_delivery surety__process_outcome(const surety__process *process,
                                        const char *noun)
{
    char text[PROCESS_SHOWN_MAX];
    const surety_str line = process_last_line(process, text);
    const char *colon = line.len ? ": " : "";

    assert(process->exited);
    if (process->gone)
        return surety__delivery_of(
            SURETY_FAILURE_COMMAND, true,
            "how the %s ended is not known, for the program ignores SIGCHLD "
            "or waits for all children",
            noun);
    if (process->how.si_code != CLD_EXITED)
        return surety__delivery_of(
            SURETY_FAILURE_COMMAND, true, "the %s was ended by signal %d%s%.*s",
            noun, process->how.si_status, colon, (int)line.len, line.ptr);
    if (process->how.si_status)
        return surety__delivery_of(
            SURETY_FAILURE_COMMAND, true, "the %s ended with status %d%s%.*s",
            noun, process->how.si_status, colon, (int)line.len, line.ptr);
    return (surety_delivery){.failure = SURETY_FAILURE_NONE, .sent = true};
}

/* ---- ending -------------------------------------------------------------- */

static void process_signal(const surety__process *process, int number)
{
    if (!process->gone)
        (void)kill(-process->pid, number);
}

void surety__process_stop(surety__process *process)
{
    assert(process->pid > 0);
    process->kill_ms = surety__clock_ms() + PROCESS_GRACE_MS;
    process_signal(process, SIGTERM);
    process_signal(process, SIGCONT);
}

bool surety__process_end(surety__process *process, uint64_t now_ms)
{
    assert(process->pid > 0);
    if (!surety__process_look(process)) {
        if (now_ms >= process->kill_ms)
            process_signal(process, SIGKILL);
        return false;
    }
    process_signal(process, SIGKILL);
    if (!process->gone)
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    for (int i = 0; i < PROCESS_PIPES; i++)
        surety__process_close_pipe(process, i);
    process->pid = 0;
    return true;
}
