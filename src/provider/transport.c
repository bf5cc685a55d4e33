/* SPDX-License-Identifier: Apache-2.0 */
/* transport.c: functions that the transports share. Only this file
 * reads the clock and the environment. It keeps no state between calls. */
#include "provider/provider.h"
#include "provider/transport.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>

uint64_t surety__clock_ms(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void surety__clock_sleep(uint64_t ms)
{
    (void)poll(NULL, 0, ms < 1000000000 ? (int)ms : 1000000000);
}

const char *surety__process_variable(const char *name)
{
    return getenv(name);
}

/* ---- deliveries ---------------------------------------------------------- */

surety_delivery surety__delivery_of(surety_failure failure, bool sent,
                                    const char *format, ...)
{
    surety_delivery delivery = {.failure = failure, .sent = sent};
    surety_error error;
    size_t len;
    va_list args;

    va_start(args, format);
    surety__failv(&error, SURETY_IO, format, args);
    va_end(args);
    len = strlen(error.message);
    if (len >= sizeof(delivery.message)) {
        len = surety__utf8_cut(surety_str_of(error.message),
                               sizeof(delivery.message) - 4);
        memcpy(error.message + len, "...", 3);
        len += 3;
    }
    assert(len < sizeof(delivery.message));
    memcpy(delivery.message, error.message, len);
    return delivery;
}

surety_delivery surety__delivery_cancelled(bool sent)
{
    return surety__delivery_of(SURETY_FAILURE_CANCELLED, sent,
                               "the call was cancelled");
}

surety_delivery surety__delivery_limit(size_t max)
{
    return surety__delivery_of(SURETY_FAILURE_LIMIT, true,
                               "the response is longer than %zu bytes", max);
}

/* ---- bodies and deadlines ------------------------------------------------ */

surety__intake surety__intake_of(const surety_request *request,
                                 const surety_receiver *receiver)
{
    return (surety__intake){.receiver = *receiver,
                            .bytes_max = request->response_bytes_max
                                             ? request->response_bytes_max
                                             : (size_t)64 << 20};
}

bool surety__intake_take(surety__intake *intake, surety_str bytes,
                         surety_delivery *ret_delivery)
{
    assert(intake->bytes <= intake->bytes_max);
    if (bytes.len > intake->bytes_max - intake->bytes) {
        *ret_delivery = surety__delivery_limit(intake->bytes_max);
        return false;
    }
    intake->bytes += bytes.len;
    if (intake->receiver.bytes(intake->receiver.ctx, bytes))
        return true;
    *ret_delivery =
        surety__delivery_of(SURETY_FAILURE_CANCELLED, true,
                            "the receiver refused the rest of the response");
    return false;
}

surety__progress surety__progress_of(const surety_request *request)
{
    return (surety__progress){.timeouts =
                                  surety__timeouts_of(&request->timeouts),
                              .begin_ms = surety__clock_ms()};
}

uint64_t surety__progress_deadline(const surety__progress *progress,
                                   surety__late *ret_timeout)
{
    const surety_timeouts *timeouts = &progress->timeouts;
    const uint64_t total = progress->begin_ms + timeouts->total_ms;
    uint64_t next = total;

    *ret_timeout = LATE_TOTAL;
    if (progress->byte_ms) {
        next = progress->byte_ms + timeouts->idle_ms;
        *ret_timeout = LATE_IDLE;
    } else if (progress->sent_ms) {
        next = progress->sent_ms + timeouts->first_byte_ms;
        *ret_timeout = LATE_FIRST_BYTE;
    } else if (progress->connect_ms) {
        next = progress->connect_ms + timeouts->connect_ms;
        *ret_timeout = LATE_CONNECT;
    }
    if (next < total)
        return next;
    *ret_timeout = LATE_TOTAL;
    return total;
}

/* ---- headers ------------------------------------------------------------- */

const surety_header *surety__header_find(const surety_header *headers,
                                         size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (surety__str_equal_nocase(headers[i].name, surety_str_of(name)))
            return &headers[i];
    return NULL;
}

bool surety__header_is_internal(surety_str name)
{
    return surety__str_starts_nocase(name, SURETY__LITERAL("x-surety-"));
}

surety_status surety__headers_check(const surety_request *request,
                                    surety_error *reterr)
{
    for (size_t i = 0; i < request->header_count; i++) {
        const surety_str name = request->headers[i].name;
        const surety_str value = request->headers[i].value;

        if (!surety__is_token(name))
            return surety__fail(reterr, SURETY_MISUSE,
                                "\"%.*s\" is no name of a header",
                                (int)(name.len < 64 ? name.len : 64), name.ptr);
        if (surety__str_find_control(value, false) < value.len)
            return surety__fail(reterr, SURETY_MISUSE,
                                "the value of header %.*s has a control "
                                "character",
                                (int)(name.len < 64 ? name.len : 64), name.ptr);
        if (surety__str_equal_nocase(name, SURETY__LITERAL("content-length")) ||
            surety__str_equal_nocase(name,
                                     SURETY__LITERAL("transfer-encoding")))
            return surety__fail(reterr, SURETY_MISUSE,
                                "only the transport sets the header %.*s",
                                (int)name.len, name.ptr);
    }
    return SURETY_OK;
}

/* ---- addresses ----------------------------------------------------------- */

typedef struct transport_network {
    unsigned char bytes[4];
    unsigned bits;
} transport_network;

/* Networks that are not public (IANA's special-purpose registries). */
static const transport_network transport_private_v4[] = {
    {{0, 0, 0, 0}, 8},       /* this network, RFC 791 */
    {{10, 0, 0, 0}, 8},      /* private, RFC 1918 */
    {{100, 64, 0, 0}, 10},   /* shared, RFC 6598 */
    {{127, 0, 0, 0}, 8},     /* loopback, RFC 1122 */
    {{169, 254, 0, 0}, 16},  /* link-local, RFC 3927 */
    {{172, 16, 0, 0}, 12},   /* private, RFC 1918 */
    {{192, 0, 0, 0}, 24},    /* protocol assignments, RFC 6890 */
    {{192, 0, 2, 0}, 24},    /* documents, RFC 5737 */
    {{192, 88, 99, 0}, 24},  /* 6to4 relays, RFC 7526 */
    {{192, 168, 0, 0}, 16},  /* private, RFC 1918 */
    {{198, 18, 0, 0}, 15},   /* benchmarks, RFC 2544 */
    {{198, 51, 100, 0}, 24}, /* documents, RFC 5737 */
    {{203, 0, 113, 0}, 24},  /* documents, RFC 5737 */
    {{224, 0, 0, 0}, 3},     /* multicast, reserved and broadcast */
};

/* In 2000::/3. Outside of it an address is public only if it contains a public
 * IPv4 address. */
static const transport_network transport_private_v6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23}, /* protocol assignments, RFC 2928 */
    {{0x20, 0x01, 0x0D, 0xB8}, 32}, /* documents, RFC 3849 */
    {{0x3F, 0xFF, 0x00, 0x00}, 20}, /* documents, RFC 9637 */
};

static bool transport_in_network(const unsigned char *bytes,
                                 const unsigned char *network, unsigned bits)
{
    assert(bits <= 32);
    for (unsigned i = 0; i < bits; i++)
        if ((bytes[i / 8] ^ network[i / 8]) & (0x80u >> i % 8))
            return false;
    return true;
}

static bool transport_in_networks(const unsigned char *bytes,
                                  const transport_network *networks,
                                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (transport_in_network(bytes, networks[i].bytes, networks[i].bits))
            return true;
    return false;
}

static bool transport_public_v4(const unsigned char *bytes)
{
    return !transport_in_networks(bytes, transport_private_v4,
                                  SURETY__COUNT(transport_private_v4));
}

bool surety__address_is_public(const unsigned char *bytes, size_t len)
{
    static const unsigned char mapped[12] = {0, 0, 0, 0, 0,    0,
                                             0, 0, 0, 0, 0xFF, 0xFF};
    static const unsigned char nat64[12] = {0, 0x64, 0xFF, 0x9B};
    static const unsigned char to4[2] = {0x20, 0x02};
    static const unsigned char global[1] = {0x20};

    if (len == 4)
        return transport_public_v4(bytes);
    if (len != 16)
        return false;
    if (memcmp(bytes, mapped, 12) == 0 || memcmp(bytes, nat64, 12) == 0)
        return transport_public_v4(bytes + 12);
    if (memcmp(bytes, to4, 2) == 0)
        return transport_public_v4(bytes + 2);
    return transport_in_network(bytes, global, 3) &&
           !transport_in_networks(bytes, transport_private_v6,
                                  SURETY__COUNT(transport_private_v6));
}

/* ---- SIGPIPE ------------------------------------------------------------- */

void surety__shield_raise(surety__shield *shield)
{
    sigset_t pending;
    sigset_t pipes;

    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipes, &shield->before);
    shield->held = false;
    /* Only what was blocked before can be pending. */
    if (sigismember(&shield->before, SIGPIPE) == 1) {
        sigemptyset(&pending);
        (void)sigpending(&pending);
        shield->held = sigismember(&pending, SIGPIPE) == 1;
    }
}

void surety__shield_lower(const surety__shield *shield)
{
    const struct timespec now = {0, 0};
    sigset_t pipes;

    if (!shield->held) {
        sigemptyset(&pipes);
        sigaddset(&pipes, SIGPIPE);
        while (sigtimedwait(&pipes, NULL, &now) > 0)
            ;
    }
    (void)pthread_sigmask(SIG_SETMASK, &shield->before, NULL);
}
