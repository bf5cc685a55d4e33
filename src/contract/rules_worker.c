/* SPDX-License-Identifier: Apache-2.0 */
/* rules_worker.c: runs jq in a child process.
 *
 * libjq can neither be interrupted nor limited in its memory, and it aborts
 * when memory runs out; and a user wrote the rules. So the programs run in a
 * child, forked from the caller. The child has one socket, a board (memory
 * shared with its parent), an empty environment, and its limits: memory by
 * RLIMIT_AS, time by the parent's clock, and by RLIMIT_CPU in case the parent
 * is gone. An evaluation is one message to the child and, if the outputs fit
 * the board, one message back; each costs a context switch.
 *
 * Invariants:
 * 1. The child ends only by _exit or a signal: nothing of the parent's (exit
 *    handlers, buffered output) runs twice.
 * 2. The child sends only answers. So if the socket of an idle worker is
 *    readable, the worker is dead.
 * 3. The parent reads no more of the board than its size, whatever the child
 *    writes there, and copies the data before it examines them.
 * 4. Only the process that started a worker talks to it. A fork of that process
 *    closes its copy of the socket and starts a worker of its own.
 *
 * The child works after a fork without exec. In a program with threads that is
 * safe if libc's allocator is prepared for fork (as in glibc and musl): the
 * child takes no other lock. The child does not stop a determined attacker:
 * contracts are configuration, not input. */
#include "contract/rules_worker.h"

#ifdef SURETY_WITH_JQ

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jq.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WORKER_EXIT_MEMORY = 77, /* the child's exit code: out of memory */
    WORKER_EXIT_BROKEN = 78, /* the parent is gone, or an invalid message */
    WORKER_SOCKET = 3,       /* its only file; 0 to 2 are /dev/null */
    WORKER_SIGNALS = 64,     /* signal() fails for numbers that are none */
    WORKER_BOARD = 1 << 16,  /* bytes of a board */
    WORKER_HEAR = 1 << 16    /* bytes that the child reads at once */
};

struct surety__board {
    _Atomic uint32_t len;
    char bytes[WORKER_BOARD - sizeof(uint32_t)];
};

/* The child's state: the board it writes to, and the message it reads. */
struct worker_child {
    surety__board *board;
    bool spilled; /* the board was full: outputs go through the socket */
    char *text;
    size_t len, cap;
    uint64_t bound_s; /* processor seconds at the last limit, plus 1 */
};

/* ---- the child ---------------------------------------------------------- */

/* Closes all files above the socket. */
static void worker_close_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    struct rlimit files = {1024, 1024};
    int last = WORKER_SOCKET;

    if (folder) {
        while ((entry = readdir(folder)) != NULL) {
            int file = 0;

            for (const char *at = entry->d_name; *at >= '0' && *at <= '9'; at++)
                file = file * 10 + (*at - '0');
            if (file > last)
                last = file;
        }
        closedir(folder);
    } else {
        getrlimit(RLIMIT_NOFILE, &files);
        last = files.rlim_cur < 65536 ? (int)files.rlim_cur : 65536;
    }
    for (int file = WORKER_SOCKET + 1; file <= last; file++)
        close(file);
}

/* Limits the child's memory. The memory that is already mapped belongs to the
 * parent, so the limit is added to it. If the system does not report that size,
 * the limit alone applies: rather too strict than none. */
static void worker_bound_memory(const surety_limits *limits)
{
    struct rlimit bound;
    char text[32];
    rlim_t pages = 0;
    const int file = open("/proc/self/statm", O_RDONLY);
    const ssize_t len = file < 0 ? 0 : read(file, text, sizeof(text));

    for (ssize_t i = 0; i < len && text[i] >= '0' && text[i] <= '9'; i++)
        pages = pages * 10 + (rlim_t)(text[i] - '0');
    if (file >= 0)
        close(file);
    bound.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) +
                     ((rlim_t)limits->rule_memory_mib_max << 20);
    bound.rlim_max = bound.rlim_cur;
    setrlimit(RLIMIT_AS, &bound);
}

/* Takes everything from the child that its parent had, except memory. */
static void worker_confine(const surety_contract *contract, int socket)
{
    const struct rlimit none = {0, 0};
    sigset_t signals;
    int null;

    for (int number = 1; number <= WORKER_SIGNALS; number++)
        signal(number, SIG_DFL);
    sigemptyset(&signals);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    /* Leave the terminal's process group: an interrupt is for the parent. */
    setpgid(0, 0);

    null = open("/dev/null", O_RDWR);
    if (null < 0)
        _exit(WORKER_EXIT_BROKEN);
    if (socket != WORKER_SOCKET && dup2(socket, WORKER_SOCKET) < 0)
        _exit(WORKER_EXIT_BROKEN);
    for (int file = 0; file < WORKER_SOCKET; file++)
        if (null != file && dup2(null, file) < 0)
            _exit(WORKER_EXIT_BROKEN);
    worker_close_files();

    worker_bound_memory(&contract->limits);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_NOFILE, &none); /* no file can be opened from here on */
}

/* Allows the processor time of one more evaluation, rounded up. */
static void worker_bound_time(struct worker_child *child,
                              const surety_limits *limits)
{
    struct timespec used;
    struct rlimit bound;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0 ||
        (child->bound_s && child->bound_s == (uint64_t)used.tv_sec + 1) ||
        getrlimit(RLIMIT_CPU, &bound) != 0)
        return;
    child->bound_s = (uint64_t)used.tv_sec + 1;
    bound.rlim_cur = (rlim_t)used.tv_sec + limits->rule_time_ms_max / 1000 + 4;
    if (bound.rlim_max != RLIM_INFINITY && bound.rlim_cur > bound.rlim_max)
        bound.rlim_cur = bound.rlim_max;
    setrlimit(RLIMIT_CPU, &bound);
}

static void worker_starve(void *ctx)
{
    (void)ctx;
    _exit(WORKER_EXIT_MEMORY);
}

static void worker_note(void *ctx, jv message)
{
    surety_buf *wrong = ctx; /* jq's first message */

    if (wrong->len == 0 && jv_get_kind(message) == JV_KIND_STRING)
        surety_buf_append(wrong, jv_string_value(message),
                          (size_t)jv_string_length_bytes(jv_copy(message)));
    jv_free(message);
}

static jq_state *worker_compile_one(const surety_contract *contract,
                                    size_t only, surety_buf *wrong)
{
    jq_state *jq = jq_init();
    surety_buf program;

    if (!jq)
        _exit(WORKER_EXIT_MEMORY);
    jq_set_nomem_handler(jq, worker_starve, NULL);
    jq_set_error_cb(jq, worker_note, wrong);
    surety_buf_init(&program, NULL, 0);
    surety__rules_program(contract, only, &program);
    surety_buf_byte(&program, '\0');
    if (program.status != SURETY_OK)
        _exit(WORKER_EXIT_MEMORY);
    if (!jq_compile(jq, program.ptr))
        jq_teardown(&jq); /* which sets jq to NULL */
    surety_buf_done(&program);
    return jq;
}

static void worker_write(const void *ptr, size_t len)
{
    const char *from = ptr;

    while (len > 0) {
        const ssize_t count = send(WORKER_SOCKET, from, len, MSG_NOSIGNAL);

        if (count < 0 && errno != EINTR)
            _exit(WORKER_EXIT_BROKEN);
        if (count > 0) {
            from += count;
            len -= (size_t)count;
        }
    }
}

static void worker_put(uint32_t kind, const char *ptr, size_t len)
{
    const surety__packet frame = {kind, (uint32_t)len};

    worker_write(&frame, sizeof(frame));
    worker_write(ptr, len);
}

/* Compiles all programs as one, which costs jq's 15 ms for its built-in
 * definitions once. If that fails, compiles each alone to find the wrong
 * one. */
static jq_state *worker_compile(const surety_contract *contract)
{
    const size_t count = surety__rules_count(contract);
    jq_state *jq;
    surety_buf wrong, message;
    uint32_t index = 0;

    surety_buf_init(&wrong, NULL, 0);
    jq = worker_compile_one(contract, SIZE_MAX, &wrong);
    if (jq)
        return jq;
    for (size_t i = 0; i < count; i++) {
        jq_state *alone;

        surety_buf_reset(&wrong);
        alone = worker_compile_one(contract, i, &wrong);
        if (!alone) {
            index = (uint32_t)i;
            break;
        }
        jq_teardown(&alone);
    }
    surety_buf_init(&message, NULL, 0);
    surety_buf_append(&message, (const char *)&index, sizeof(index));
    surety_buf_add(&message, surety_buf_str(&wrong));
    worker_put(FRAME_WRONG, message.ptr, message.len);
    return NULL;
}

/* Waits for a message and reads it whole. Returns false when the parent has
 * closed the socket. The parent sends one message at a time and waits for the
 * answer. */
static bool worker_hear(struct worker_child *child)
{
    size_t want = sizeof(surety__packet);

    child->len = 0;
    child->spilled = false;
    while (child->len < want) {
        const size_t cap = want > WORKER_HEAR ? want : WORKER_HEAR;
        ssize_t count;

        if (cap > child->cap) {
            child->text = surety__resize(NULL, child->text, child->cap, cap);
            if (!child->text)
                _exit(WORKER_EXIT_MEMORY);
            child->cap = cap;
        }
        count = recv(WORKER_SOCKET, child->text + child->len,
                     child->cap - child->len, 0);
        if (count == 0 || (count < 0 && errno != EINTR))
            return false;
        if (count > 0)
            child->len += (size_t)count;
        if (child->len >= sizeof(surety__packet)) {
            surety__packet frame;

            memcpy(&frame, child->text, sizeof(frame));
            want = sizeof(frame) + frame.size;
        }
    }
    return true;
}

/* Writes an output to the board or, when the board is full, to the socket. */
static void worker_show(struct worker_child *child, const char *ptr, size_t len)
{
    const surety__packet frame = {FRAME_OUTPUT, (uint32_t)len};
    surety__board *board = child->board;
    const uint32_t at = board ? atomic_load(&board->len) : 0;

    if (!board || child->spilled ||
        len > sizeof(board->bytes) - sizeof(frame) ||
        at > sizeof(board->bytes) - sizeof(frame) - len) {
        child->spilled = true;
        worker_put(FRAME_OUTPUT, ptr, len);
        return;
    }
    memcpy(board->bytes + at, &frame, sizeof(frame));
    memcpy(board->bytes + at + sizeof(frame), ptr, len);
    atomic_store(&board->len, at + (uint32_t)(sizeof(frame) + len));
}

/* Runs one evaluation. The program's input is [DERIVE, VALUE]. It gives one
 * output for each rule or derived member; each is written at once, so that the
 * parent knows which program was running when the time ran out. */
static void worker_answer(struct worker_child *child, jq_state *jq)
{
    surety__packet frame;
    surety_str text;
    jv value;
    jv output;

    memcpy(&frame, child->text, sizeof(frame));
    text = (surety_str){child->text + sizeof(frame), frame.size};
    if (text.len > INT32_MAX) {
        worker_put(FRAME_DEEP, NULL, 0);
        return;
    }
    value = jv_parse_sized(text.ptr, (int)text.len);
    if (!jv_is_valid(value)) {
        jv_free(value);
        worker_put(FRAME_DEEP, NULL, 0);
        return;
    }
    value =
        JV_ARRAY(frame.kind == FRAME_DERIVE ? jv_true() : jv_false(), value);
    jq_start(jq, value, 0);
    while (jv_is_valid(output = jq_next(jq))) {
        jv json = jv_dump_string(output, 0);

        worker_show(child, jv_string_value(json),
                    (size_t)jv_string_length_bytes(jv_copy(json)));
        jv_free(json);
    }
    jv_free(output);
    worker_put(FRAME_DONE, NULL, 0);
}

/* Compiles the programs, then answers until the parent closes the socket. Never
 * returns. */
static void worker_serve(const surety_contract *contract, surety__board *board)
{
    extern char **environ;
    char *nothing[] = {NULL};
    struct worker_child child = {.board = board};
    jq_state *jq;

    environ = nothing; /* stays valid as long as the child lives */
    worker_bound_time(&child, &contract->limits);
    jq = worker_compile(contract);
    if (!jq)
        _exit(0);
    worker_put(FRAME_READY, NULL, 0);
    while (worker_hear(&child)) {
        worker_bound_time(&child, &contract->limits);
        worker_answer(&child, jq);
    }
    _exit(0);
}

/* ---- the parent --------------------------------------------------------- */

/* Makes a pair of sockets, none of them at the number of a standard stream that
 * the caller closed: a library that writes to that stream would write into the
 * socket. */
static bool worker_sockets(int *ret_pair)
{
    int pair[2];
    int error;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    ret_pair[0] = fcntl(pair[0], F_DUPFD_CLOEXEC, WORKER_SOCKET);
    ret_pair[1] = fcntl(pair[1], F_DUPFD_CLOEXEC, WORKER_SOCKET);
    error = errno;
    close(pair[0]);
    close(pair[1]);
    if (ret_pair[0] >= 0 && ret_pair[1] >= 0)
        return true;
    if (ret_pair[0] >= 0)
        close(ret_pair[0]);
    errno = error;
    return false;
}

/* Returns memory that the child shares. NULL: there is none, and all outputs go
 * through the socket. (MAP_ANONYMOUS is not in POSIX; /dev/zero does the
 * same.) */
static surety__board *worker_board(void)
{
    const int file = open("/dev/zero", O_RDWR | O_CLOEXEC);
    void *ptr;

    if (file < 0)
        return NULL;
    ptr = mmap(NULL, sizeof(surety__board), PROT_READ | PROT_WRITE, MAP_SHARED,
               file, 0);
    close(file);
    return ptr == MAP_FAILED ? NULL : ptr;
}

static void worker_drop_board(surety__board *board)
{
    if (board)
        munmap(board, sizeof(*board));
}

surety_status surety__worker_start(surety__worker *worker,
                                   const surety_contract *contract,
                                   surety_error *reterr)
{
    surety__board *board;
    int pair[2];
    pid_t pid;

    if (!worker_sockets(pair))
        return surety__fail(reterr, SURETY_IO,
                            "no socket for the rules' process: %s",
                            strerror(errno));
    board = worker_board();
    pid = fork();
    if (pid == 0) {
        worker_confine(contract, pair[1]);
        worker_serve(contract, board);
    }
    const int error = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        worker_drop_board(board);
        return surety__fail(reterr, SURETY_IO, "no process for the rules: %s",
                            strerror(error));
    }
    *worker = (surety__worker){
        .pid = pid, .owner = getpid(), .socket = pair[0], .board = board};
    return SURETY_OK;
}

void surety__worker_stop(surety__worker *worker)
{
    if (worker->pid == 0)
        return;
    close(worker->socket);
    worker_drop_board(worker->board);
    if (worker->owner == getpid()) {
        kill(worker->pid, SIGKILL);
        while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    *worker = (surety__worker){0};
}

bool surety__worker_idle(const surety__worker *worker)
{
    struct pollfd file = {worker->socket, POLLIN, 0};

    return worker->pid != 0 && worker->owner == getpid() &&
           poll(&file, 1, 0) == 0;
}

static surety_status worker_wait(const surety__worker *worker, short events,
                                 uint64_t deadline_ms)
{
    struct pollfd file = {worker->socket, events, 0};

    for (;;) {
        const uint64_t now = surety__worker_clock_ms();
        const uint64_t left = deadline_ms > now ? deadline_ms - now : 0;
        const int count = poll(&file, 1, left > 60000 ? 60000 : (int)left);

        if (count > 0)
            return SURETY_OK;
        if (count < 0 && errno != EINTR)
            return SURETY_IO;
        if (left == 0)
            return SURETY_TIMEOUT;
    }
}

static surety_status worker_push(const surety__worker *worker, const char *ptr,
                                 size_t len, uint64_t deadline_ms)
{
    while (len > 0) {
        const ssize_t count =
            send(worker->socket, ptr, len, MSG_DONTWAIT | MSG_NOSIGNAL);
        surety_status status;

        if (count > 0) {
            ptr += count;
            len -= (size_t)count;
            continue;
        }
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno != EAGAIN)
            return SURETY_IO;
        status = worker_wait(worker, POLLOUT, deadline_ms);
        if (status != SURETY_OK)
            return status;
    }
    return SURETY_OK;
}

surety_status surety__worker_send(surety__worker *worker, surety_str message,
                                  uint64_t deadline_ms)
{
    if (worker->board)
        atomic_store(&worker->board->len, 0);
    worker->seen = 0;
    worker->held = false;
    return worker_push(worker, message.ptr, message.len, deadline_ms);
}

static surety_status worker_take(const surety__worker *worker, char *ptr,
                                 size_t len, uint64_t deadline_ms)
{
    while (len > 0) {
        const surety_status status = worker_wait(worker, POLLIN, deadline_ms);
        ssize_t count;

        if (status != SURETY_OK)
            return status;
        count = recv(worker->socket, ptr, len, MSG_DONTWAIT);
        if (count == 0)
            return SURETY_IO;
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return SURETY_IO;
        if (count > 0) {
            ptr += count;
            len -= (size_t)count;
        }
    }
    return SURETY_OK;
}

/* Takes the next message from the board. Returns false when there is none. */
static bool worker_read_board(surety__worker *worker, uint32_t *ret_kind,
                              surety_buf *buf)
{
    const surety__board *board = worker->board;
    const uint32_t len = board ? atomic_load(&board->len) : 0;
    surety__packet frame;

    if (len > sizeof(board->bytes) || worker->seen > len ||
        len - worker->seen < sizeof(frame))
        return false;
    memcpy(&frame, board->bytes + worker->seen, sizeof(frame));
    if (frame.size > len - worker->seen - sizeof(frame))
        return false;
    worker->seen += (uint32_t)sizeof(frame);
    surety_buf_reset(buf);
    surety_buf_append(buf, board->bytes + worker->seen, frame.size);
    worker->seen += frame.size;
    *ret_kind = frame.kind;
    return true;
}

surety_status surety__worker_receive(surety__worker *worker,
                                     uint64_t deadline_ms, uint32_t *ret_kind,
                                     surety_buf *buf)
{
    surety__packet *frame = &worker->held_frame;
    char *room;
    surety_status status;

    if (!worker->held) {
        worker->held_status =
            worker_take(worker, (char *)frame, sizeof(*frame), deadline_ms);
        worker->held = true;
    }
    if (worker_read_board(worker, ret_kind, buf))
        return buf->status;
    worker->held = false;
    if (worker->held_status != SURETY_OK)
        return worker->held_status;
    surety_buf_reset(buf);
    if (frame->size > 0) {
        room = surety__buf_room(buf, frame->size);
        if (!room)
            return buf->status;
        status = worker_take(worker, room, frame->size, deadline_ms);
        if (status != SURETY_OK)
            return status;
        buf->len += frame->size;
    }
    *ret_kind = frame->kind;
    return SURETY_OK;
}

surety_status surety__worker_bury(surety__worker *worker)
{
    surety_status status = SURETY_IO;
    int how = 0;
    pid_t pid;

    close(worker->socket);
    worker_drop_board(worker->board);
    do {
        pid = waitpid(worker->pid, &how, 0);
    } while (pid < 0 && errno == EINTR);
    if (pid == worker->pid) {
        if (WIFEXITED(how) && WEXITSTATUS(how) == WORKER_EXIT_MEMORY)
            status = SURETY_LIMIT;
        else if (WIFSIGNALED(how) && WTERMSIG(how) == SIGXCPU)
            status = SURETY_TIMEOUT;
    }
    *worker = (surety__worker){0};
    return status;
}

uint64_t surety__worker_clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

#endif
