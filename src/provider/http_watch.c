/* SPDX-License-Identifier: Apache-2.0 */
/* http_watch.c: waits for libcurl's sockets and times. libcurl says which
 * sockets it waits for and when it wants to be called; an epoll has the
 * sockets, and one timer, which is set to the next time of libcurl's or of an
 * exchange. The epoll itself can be watched by a caller's loop: it is readable
 * when wait has work. What is to be done at once, the start of a request, rings
 * a bell instead, which costs the system less than a timer.
 *
 * libcurl asks for a socket when a request is sent, and lets go of it when the
 * answer is read. A connection that rests stays in the epoll until something
 * comes on it: so the next request that it carries needs no call of the
 * system. */
#include "provider/http.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { WATCH_EVENTS = 64 };

/* Watches for these events of a socket; 0: no more. */
static int watch_set(const surety__http *http, curl_socket_t file,
                     uint32_t events)
{
    struct epoll_event event = {.events = events, .data = {.fd = file}};

    if (!events) {
        (void)epoll_ctl(http->epoll, EPOLL_CTL_DEL, file, NULL);
        return 0;
    }
    if (!epoll_ctl(http->epoll, EPOLL_CTL_MOD, file, &event))
        return 0;
    return epoll_ctl(http->epoll, EPOLL_CTL_ADD, file, &event);
}

/* libcurl waits for other events of a socket: of a connection's, or of one of
 * its own, with which it looks up names. */
static int watch_on_socket(CURL *easy, curl_socket_t file, int what, void *ctx,
                           void *of_socket)
{
    surety__http *http = ctx;
    surety__http_socket *place = surety__http_pool_find(http, file);
    uint32_t events = 0;
    int failed;

    (void)easy;
    (void)of_socket;
    if (what != CURL_POLL_REMOVE)
        events = (what & CURL_POLL_IN ? EPOLLIN : 0) |
                 (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (!place)
        return watch_set(http, file, events);
    place->wanted = events;
    if (!events || place->watched == events)
        return 0;
    failed = watch_set(http, file, events);
    place->watched = failed ? 0 : events;
    return failed;
}

void surety__http_watch_forget(surety__http *http, curl_socket_t file)
{
    surety__http_socket *place = surety__http_pool_find(http, file);

    if (place && place->watched)
        (void)watch_set(http, file, 0);
}

/* libcurl wants to be called in ms; -1: it does not. A millisecond more, since
 * a call that comes early is not asked for again. */
static int watch_on_timer(CURLM *multi, long ms, void *ctx)
{
    surety__http *http = ctx;

    (void)multi;
    http->curl_ms = ms < 0    ? UINT64_MAX
                    : ms == 0 ? 0
                              : surety__clock_ms() + (uint64_t)ms + 1;
    return 0;
}

surety_status surety__http_watch_open(surety__http *http, surety_error *reterr)
{
    struct epoll_event timer = {.events = EPOLLIN};
    /* Each ring is one event, so the bell is never read. */
    struct epoll_event bell = {.events = EPOLLIN | EPOLLET};
    __typeof__(curl_multi_setopt) *set = http->curl.multi_setopt;

    http->curl_ms = http->armed_ms = UINT64_MAX;
    http->epoll = epoll_create1(EPOLL_CLOEXEC);
    http->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    http->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    timer.data.fd = http->timer;
    bell.data.fd = http->bell;
    if (http->epoll < 0 || http->timer < 0 || http->bell < 0 ||
        epoll_ctl(http->epoll, EPOLL_CTL_ADD, http->timer, &timer) ||
        epoll_ctl(http->epoll, EPOLL_CTL_ADD, http->bell, &bell))
        return surety__fail(reterr, SURETY_IO,
                            "a transport needs three more open files: %s",
                            strerror(errno));
    if (set(http->multi, CURLMOPT_SOCKETFUNCTION, watch_on_socket) ||
        set(http->multi, CURLMOPT_SOCKETDATA, (void *)http) ||
        set(http->multi, CURLMOPT_TIMERFUNCTION, watch_on_timer) ||
        set(http->multi, CURLMOPT_TIMERDATA, (void *)http))
        return surety__fail_nomem(reterr);
    return SURETY_OK;
}

void surety__http_watch_close(surety__http *http)
{
    if (http->epoll >= 0)
        (void)close(http->epoll);
    if (http->timer >= 0)
        (void)close(http->timer);
    if (http->bell >= 0)
        (void)close(http->bell);
}

/* When something is to be done without an event. */
static uint64_t watch_next(const surety__http *http)
{
    const uint64_t due_ms = http->count ? http->items[0]->due_ms : UINT64_MAX;

    return due_ms < http->curl_ms ? due_ms : http->curl_ms;
}

void surety__http_watch_arm(surety__http *http)
{
    const uint64_t next_ms = watch_next(http);
    struct itimerspec when = {{0, 0}, {0, 0}};

    if (!http->watched)
        return;
    if (next_ms <= http->now_ms) {
        if (!http->is_rung)
            http->is_rung = eventfd_write(http->bell, 1) == 0;
        return;
    }
    /* A timer that fires too early stays: the wait that it ends sets it anew.
     * Most exchanges end before. */
    if (next_ms == http->armed_ms ||
        (next_ms > http->armed_ms && http->armed_ms > http->now_ms))
        return;
    http->armed_ms = next_ms;
    if (next_ms != UINT64_MAX) {
        when.it_value.tv_sec = (time_t)(next_ms / 1000);
        when.it_value.tv_nsec = (long)(next_ms % 1000) * 1000000 + 1;
    }
    (void)timerfd_settime(http->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Whether something came on a connection that rests, which is not watched from
 * now on: http_pool.c peeks at it. */
static bool watch_rests(surety__http *http, curl_socket_t file)
{
    surety__http_socket *place = surety__http_pool_find(http, file);

    if (!place || place->wanted)
        return false;
    (void)watch_set(http, file, 0);
    place->watched = 0;
    return true;
}

/* Gives libcurl the events that there are. */
static CURLMcode watch_give(surety__http *http,
                            const struct epoll_event *events, int count)
{
    CURLMcode code = CURLM_OK;
    int running;

    for (int i = 0; i < count && !code; i++) {
        const unsigned what = events[i].events;
        const int mask = (what & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) |
                         (what & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                         (what & EPOLLERR ? CURL_CSELECT_ERR : 0);

        if (events[i].data.fd != http->timer &&
            events[i].data.fd != http->bell &&
            !watch_rests(http, events[i].data.fd))
            code = http->curl.multi_socket_action(
                http->multi, events[i].data.fd, mask, &running);
    }
    if (!code && http->curl_ms <= http->now_ms) {
        http->curl_ms = UINT64_MAX;
        code = http->curl.multi_socket_action(http->multi, CURL_SOCKET_TIMEOUT,
                                              0, &running);
    }
    return code;
}

CURLMcode surety__http_watch(surety__http *http, uint64_t until_ms,
                             bool *ret_signal)
{
    struct epoll_event events[WATCH_EVENTS];
    const uint64_t now_ms = surety__clock_ms();
    const uint64_t next_ms = watch_next(http);
    uint64_t sleep_ms = 0;
    int count;

    until_ms = next_ms < until_ms ? next_ms : until_ms;
    if (until_ms > now_ms)
        sleep_ms = until_ms - now_ms;
    if (sleep_ms > INT32_MAX)
        sleep_ms = INT32_MAX;
    count = epoll_wait(http->epoll, events, WATCH_EVENTS, (int)sleep_ms);
    *ret_signal = count < 0 && errno == EINTR;
    http->is_rung = false;
    http->now_ms = surety__clock_ms();
    return watch_give(http, events, count);
}
