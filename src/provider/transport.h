/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the transports share: the ends of exchanges,
 * checks of requests, public addresses, and a shield against SIGPIPE. */
#ifndef SURETY_PROVIDER_TRANSPORT_H
#define SURETY_PROVIDER_TRANSPORT_H

#include <signal.h>

#include <surety/provider.h>

#include "base/base.h"
#include "provider/provider.h"

/* A clock. now_ms never goes back. sleep_ms returns after ms milliseconds of
 * now_ms, or earlier. */
typedef struct surety__clock {
    void *ctx;
    uint64_t (*now_ms)(void *ctx);
    void (*sleep_ms)(void *ctx, uint64_t ms);
} surety__clock;

/* As surety_replay_open, with a clock for the waits, which must outlive the
 * transport. */
surety_status surety__replay_open(const surety_recording *recording,
                                  unsigned flags, const surety__clock *clock,
                                  const surety_alloc *alloc,
                                  surety_transport **ret_transport,
                                  surety_error *reterr);

/* An end of an exchange. format is that of surety__fail. */
surety_delivery surety__delivery_of(surety_failure failure, bool sent,
                                    const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The end of an exchange that was cancelled. */
surety_delivery surety__delivery_cancelled(bool sent);
/* The end of a response that has more than max bytes. */
surety_delivery surety__delivery_limit(size_t max);

/* Passes the body of a response to its receiver, within the limit of the
 * request (64 MiB if that is 0). */
typedef struct surety__intake {
    surety_receiver receiver;
    size_t bytes, bytes_max;
} surety__intake;
surety__intake surety__intake_of(const surety_request *request,
                                 const surety_receiver *receiver);
/* False: the exchange ends with *ret_delivery, because the body is too long, or
 * the receiver refuses the rest. */
bool surety__intake_take(surety__intake *intake, surety_str bytes,
                         surety_delivery *ret_delivery);

/* The times of an exchange, of the monotonic clock; 0: not yet. */
typedef struct surety__progress {
    surety_timeouts timeouts;
    uint64_t begin_ms;
    uint64_t connect_ms; /* it began to connect */
    uint64_t sent_ms;    /* its request was sent */
    uint64_t byte_ms;    /* the last byte arrived */
} surety__progress;
/* The timeout that an exchange exceeds. */
typedef enum surety__late {
    LATE_TOTAL = 0,
    LATE_CONNECT,
    LATE_FIRST_BYTE,
    LATE_IDLE
} surety__late;
/* Begins now. */
surety__progress surety__progress_of(const surety_request *request);
/* The next deadline, and the timeout that it exceeds. */
uint64_t surety__progress_deadline(const surety__progress *progress,
                                   surety__late *ret_timeout);

/* Whether a header is only for a recorder: x-surety-... */
bool surety__header_is_internal(surety_str name);
/* Refuses (SURETY_MISUSE) a header that would change the request's framing: a
 * name that is not a token (RFC 9110, 5.6.2), a value with CR, LF, NUL or
 * another control character (5.5), content-length and transfer-encoding. */
surety_status surety__headers_check(const surety_request *request,
                                    surety_error *reterr);

/* Whether an address may belong to a host on the public network. False for
 * private, loopback, link-local, shared, reserved, documentation, multicast
 * and broadcast addresses (the special-purpose registries of RFC 6890), and
 * for an IPv6 address that contains such an IPv4 address. bytes: 4 or 16, in
 * network order. */
bool surety__address_is_public(const unsigned char *bytes, size_t len);

/* Protects from SIGPIPE. Writing to a pipe or connection without a reader must
 * not end the program, and a library must not change the program's action for
 * SIGPIPE. Between raise and lower, the signal is blocked in this thread, and
 * lower removes one that this thread caused. */
typedef struct surety__shield {
    sigset_t before;
    bool held; /* one was pending before */
} surety__shield;
void surety__shield_raise(surety__shield *shield);
void surety__shield_lower(const surety__shield *shield);

#endif
