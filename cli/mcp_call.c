/* SPDX-License-Identifier: Apache-2.0 */
/* A call of a tool is a process of this same program. So calls run side by
 * side, one that takes too long or is cancelled can be ended, and no input can
 * end the server. The process has a group of its own, three pipes, a time limit
 * and a limit on its output. A schema in the arguments is written to a file in
 * a folder of the call; results leave out the folder's name. */
#include "mcp.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"

/* This program, as the system knows it. */
#define PROGRAM "/proc/self/exe"

enum { READ_BYTES = 1 << 16 };

struct mcp_call {
    const struct mcp_tool *tool;
    char *id;
    size_t id_len;
    bool is_modern;
    struct mcp_command command;
    char folder[128]; /* empty: none was made */
    pid_t pid;        /* 0: not started */
    int in, out, err; /* pipes; -1: closed */
    size_t written;   /* bytes of the input */
    surety_buf out_bytes, err_bytes;
    uint64_t deadline_ms;
    int code;
    const char *failure;
};

struct mcp_call *mcp_call_new(const struct mcp_tool *tool, surety_str id,
                              bool is_modern)
{
    struct mcp_call *call = calloc(1, sizeof(*call));

    if (!call)
        return NULL;
    call->tool = tool;
    call->is_modern = is_modern;
    call->in = call->out = call->err = -1;
    call->code = -1;
    mcp_command_init(&call->command);
    surety_buf_init(&call->out_bytes, &memory_large, 0);
    surety_buf_init(&call->err_bytes, &memory_large, 0);
    call->id = malloc(id.len + 1);
    if (!call->id) {
        mcp_call_free(call);
        return NULL;
    }
    if (id.len > 0)
        memcpy(call->id, id.ptr, id.len);
    call->id_len = id.len;
    return call;
}

struct mcp_peer mcp_call_peer(const struct mcp_call *call)
{
    return (struct mcp_peer){{call->id, call->id_len}, call->is_modern};
}

bool mcp_call_is_started(const struct mcp_call *call)
{
    return call->pid != 0;
}

uint64_t mcp_call_deadline(const struct mcp_call *call)
{
    return call->deadline_ms;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Waits for the process, which is ended first if it still runs. */
static void reap(struct mcp_call *call, bool is_killed)
{
    int status = 0;

    close_end(&call->in);
    close_end(&call->out);
    close_end(&call->err);
    if (call->pid <= 0)
        return;
    if (is_killed)
        kill(-call->pid, SIGKILL);
    while (waitpid(call->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && !is_killed)
        call->code = WEXITSTATUS(status);
    call->pid = -1;
}

static void path_of(const struct mcp_call *call, size_t i,
                    char path[sizeof(call->folder) + 32])
{
    snprintf(path, sizeof(call->folder) + 32, "%s/%s.json", call->folder,
             call->command.files[i].name);
}

void mcp_call_free(struct mcp_call *call)
{
    char path[sizeof(call->folder) + 32];

    reap(call, true);
    for (size_t i = 0; i < call->command.file_count; i++) {
        path_of(call, i, path);
        unlink(path);
    }
    if (call->folder[0])
        rmdir(call->folder);
    mcp_command_done(&call->command);
    surety_buf_done(&call->out_bytes);
    surety_buf_done(&call->err_bytes);
    free(call->id);
    free(call);
}

/* ---- preparation -----------------------------------------------------------
 */

static bool fail(surety_buf *errors, const char *what, int error)
{
    put_format(errors, "%s: %s", what, strerror(error));
    return false;
}

static bool write_file(const char *path, surety_val value, surety_buf *errors)
{
    struct output file;
    const int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);

    if (fd < 0)
        return fail(errors, path, errno);
    output_init(&file, fd);
    surety_val_write(value, SURETY_STYLE_PRETTY, &file.buf);
    return output_close(&file) || fail(errors, path, file.error);
}

bool mcp_call_prepare(struct mcp_call *call, surety_val arguments,
                      const struct mcp_world *world, surety_buf *errors)
{
    const struct mcp_world own = {call->folder, world->limits};
    struct mcp_command *command = &call->command;
    char path[sizeof(call->folder) + 32];

    if (snprintf(call->folder, sizeof(call->folder), "%s/surety-mcp-XXXXXX",
                 world->folder) >= (int)sizeof(call->folder) ||
        !mkdtemp(call->folder)) {
        call->folder[0] = '\0';
        return fail(errors, world->folder, errno);
    }
    if (!mcp_command_make(call->tool, arguments, &own, command, errors))
        return false;
    for (size_t i = 0; i < command->file_count; i++) {
        path_of(call, i, path);
        if (!write_file(path, command->files[i].value, errors))
            return false;
        command->files[i].value = surety_val_none();
    }
    return true;
}

/* ---- the process -----------------------------------------------------------
 */

/* Makes the words of the command line. NULL: no memory. */
static char **make_argv(struct mcp_command *command)
{
    char **argv = calloc(command->count + 1, sizeof(*argv));
    char *ptr = command->words.ptr;

    for (size_t i = 0; argv && i < command->count; i++) {
        argv[i] = ptr;
        ptr += strlen(ptr) + 1;
    }
    return argv;
}

/* The pipes of a process: ours and its ends of standard input, output and
 * error. */
struct pipes {
    int ours[3], its[3];
};

static void pipes_close(struct pipes *pipes)
{
    for (int i = 0; i < 3; i++) {
        close_end(&pipes->ours[i]);
        close_end(&pipes->its[i]);
    }
}

/* Opens the pipes; ours do not block. False: errno is set. */
static bool pipes_open(struct pipes *pipes)
{
    *pipes = (struct pipes){{-1, -1, -1}, {-1, -1, -1}};
    for (int i = 0; i < 3; i++) {
        int ends[2];
        const bool is_input = i == STDIN_FILENO;
        if (pipe(ends) != 0)
            return false;
        pipes->ours[i] = ends[is_input];
        pipes->its[i] = ends[!is_input];
        if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0 ||
            fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0 ||
            fcntl(pipes->ours[i], F_SETFL, O_NONBLOCK) != 0)
            return false;
    }
    return true;
}

/* Starts the process. Returns 0 or an error number. */
static int spawn(struct mcp_call *call, char **argv, const struct pipes *pipes)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    int error;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2(&actions, pipes->its[i], i);
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    error =
        posix_spawn(&call->pid, PROGRAM, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool mcp_call_start(struct mcp_call *call,
                    const struct mcp_call_options *options, uint64_t now_ms,
                    surety_buf *errors)
{
    char **argv = make_argv(&call->command);
    struct pipes pipes;
    int error = ENOMEM;

    assert(call->pid == 0);
    call->deadline_ms = now_ms + options->timeout_ms;
    if (!pipes_open(&pipes))
        error = errno;
    else if (argv)
        error = spawn(call, argv, &pipes);
    free(argv);
    if (error) {
        call->pid = 0;
        pipes_close(&pipes);
        return fail(errors, "the tool cannot be started", error);
    }
    call->in = pipes.ours[STDIN_FILENO];
    call->out = pipes.ours[STDOUT_FILENO];
    call->err = pipes.ours[STDERR_FILENO];
    for (int i = 0; i < 3; i++)
        close_end(&pipes.its[i]);
    if (call->command.input.len == 0)
        close_end(&call->in);
    return true;
}

size_t mcp_call_watch(const struct mcp_call *call, struct pollfd *fds)
{
    size_t count = 0;

    if (call->in >= 0)
        fds[count++] = (struct pollfd){call->in, POLLOUT, 0};
    if (call->out >= 0)
        fds[count++] = (struct pollfd){call->out, POLLIN, 0};
    if (call->err >= 0)
        fds[count++] = (struct pollfd){call->err, POLLIN, 0};
    assert(count <= MCP_CALL_FDS);
    return count;
}

/* Writes of the input what the process takes. */
static void feed(struct mcp_call *call)
{
    const surety_str input = surety_buf_str(&call->command.input);

    while (call->in >= 0) {
        const ssize_t wrote = write(call->in, input.ptr + call->written,
                                    input.len - call->written);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0 && errno == EAGAIN)
            return;
        if (wrote >= 0)
            call->written += (size_t)wrote;
        /* A process that reads no more has its reason, and says it. */
        if (wrote < 0 || call->written == input.len)
            close_end(&call->in);
    }
}

/* Reads the bytes that have come. */
static void drain(int *fd, surety_buf *bytes, size_t bytes_max)
{
    char block[READ_BYTES];

    while (*fd >= 0 && bytes->len <= bytes_max) {
        const ssize_t got = read(*fd, block, sizeof(block));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got > 0)
            surety_buf_append(bytes, block, (size_t)got);
        else
            close_end(fd);
    }
}

bool mcp_call_move(struct mcp_call *call,
                   const struct mcp_call_options *options, uint64_t now_ms)
{
    assert(call->pid > 0);
    feed(call);
    drain(&call->out, &call->out_bytes, options->bytes_max);
    drain(&call->err, &call->err_bytes, options->bytes_max);
    if (call->out_bytes.status || call->err_bytes.status)
        call->failure = "out of memory";
    else if (call->out_bytes.len > options->bytes_max ||
             call->err_bytes.len > options->bytes_max)
        call->failure = "the result is too large for a message";
    else if (now_ms >= call->deadline_ms)
        call->failure = "the call took too long and was ended (the option "
                        "--timeout of surety mcp)";
    if (!call->failure && (call->out >= 0 || call->err >= 0))
        return false;
    reap(call, call->failure != NULL);
    if (!call->failure && call->code < 0)
        call->failure = "the process of the tool was ended by a signal";
    return true;
}

/* ---- the result ------------------------------------------------------------
 */

/* Takes the name of the call's folder out of a text. */
static surety_str without_folder(const struct mcp_call *call, surety_buf *bytes)
{
    const size_t len = strlen(call->folder);
    size_t kept = 0;

    for (size_t i = 0; i < bytes->len;) {
        if (len > 0 && bytes->len - i > len && bytes->ptr[i + len] == '/' &&
            memcmp(bytes->ptr + i, call->folder, len) == 0)
            i += len + 1;
        else
            bytes->ptr[kept++] = bytes->ptr[i++];
    }
    while (kept > 0 && bytes->ptr[kept - 1] == '\n')
        kept--;
    return (surety_str){bytes->ptr, kept};
}

void mcp_call_result(struct mcp_call *call, surety_buf *out)
{
    const struct mcp_output output = {
        .out = without_folder(call, &call->out_bytes),
        .err = without_folder(call, &call->err_bytes),
        .code = call->code,
        .failure = call->failure};

    mcp_tool_result(call->tool, &output, out);
}
