/* SPDX-License-Identifier: Apache-2.0 */
/* What the transports share: the clock, how an exchange ends, what a
 * request may not hold, which addresses are public, and a shield against
 * SIGPIPE. */
#ifndef SURETY_PROVIDER_TRANSPORT_H
#define SURETY_PROVIDER_TRANSPORT_H

#include <signal.h>

#include <surety/provider.h>

#include "base/base.h"

/* The monotonic clock: no jump of the day's time moves a deadline. */
uint64_t surety__clock_ms(void);
/* Sleeps; less on a signal. */
void surety__clock_sleep(uint64_t ms);
/* Both, as a caller's clock would be given. */
surety_clock surety__clock_system(void);

/* An end of an exchange. The formats of surety__fail. */
surety_delivery surety__delivery_of(surety_failure failure, bool sent,
                                    const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The end of an exchange whose receiver wanted no more, or that cancel hit. */
surety_delivery surety__delivery_broken(bool sent);
surety_delivery surety__delivery_cancelled(bool sent);
/* The end of a response of more than max bytes. */
surety_delivery surety__delivery_limit(size_t max);

/* 64 MiB for 0. */
size_t surety__response_max(const surety_request *request);

/* Whether a header only tells a recorder something: x-surety-... */
bool surety__header_marks(surety_str name);
/* Refuses (SURETY_MISUSE) what would change the request's framing: a name that
 * is no token (RFC 9110, 5.6.2), a value with CR, LF, NUL or another control
 * character (5.5), content-length and transfer-encoding. */
surety_status surety__headers_check(const surety_request *request,
                                    surety_error *reterr);

/* Whether an address may be that of a host on the public network: not private,
 * loopback, link-local, shared, reserved, for documents, multicast or broadcast
 * (the special-purpose registries of RFC 6890), nor an IPv6 address in which
 * such an IPv4 address. bytes: 4 or 16, in network order. */
bool surety__address_is_public(const unsigned char *bytes, size_t len);

/* A write to a pipe or connection without a reader must not end the program,
 * and a library must not change what the program does with SIGPIPE: between
 * raise and lower this thread holds the signal back and takes away one that it
 * caused itself. */
typedef struct surety__shield {
    sigset_t before;
    bool held; /* one was pending before */
} surety__shield;
void surety__shield_raise(surety__shield *shield);
void surety__shield_lower(const surety__shield *shield);

#endif
