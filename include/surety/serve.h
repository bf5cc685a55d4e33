/* SPDX-License-Identifier: Apache-2.0 */
/* surety/serve.h: the gateway. Clients of OpenAI Chat Completions, OpenAI
 * Responses, Anthropic Messages and Gemini call it as if it were the provider.
 * It makes each request a run: a reply to a request with a schema satisfies the
 * schema, or the client gets an error that says why not.
 *
 *     surety_gateway_options options = {.size = sizeof(options),
 *                                       .port = 4141};
 *     if (surety_gateway_open(&options, &gateway, &err))
 *         return fail(err.message);
 *     wait_for_signal();
 *     surety_gateway_close(gateway);
 *
 * Threads: a gateway starts its own threads, unless its options say that the
 * caller steps it; one thread at a time may call its functions. */
#ifndef SURETY_SERVE_H
#define SURETY_SERVE_H

#include <surety/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct surety_gateway surety_gateway;

/* How a stream is given out where its request does not say so (the header
 * Surety-Stream, docs/gateway.md). */
typedef enum surety_gateway_stream {
    /* Held with a schema and where a call is demanded; else live. */
    SURETY_GATEWAY_STREAM_DEFAULT = 0,
    SURETY_GATEWAY_STREAM_HOLD,
    SURETY_GATEWAY_STREAM_LIVE,
    SURETY_GATEWAY_STREAM_RESUME
} surety_gateway_stream;

/* 0 and an empty text mean the default. All texts are copied. */
typedef struct surety_gateway_options {
    size_t size;        /* sizeof(surety_gateway_options) */
    surety_str address; /* an IP address; 127.0.0.1 */
    uint16_t port;      /* 0: the system chooses a free port */
    uint32_t threads;   /* one a processor that the process may use, at most
                         * 16; 256 if given; 1 if the caller steps it */
    /* The configuration: models, keys, prices, budget (surety_config_load). */
    surety_str config;
    /* Folders of contracts, joined by ":" (surety_registry_new). */
    surety_str contracts;
    /* A URL (surety_ledger_open), or "none"; empty: that of the configuration,
     * and none if it names no ledger. */
    surety_str ledger;
    /* The largest body of a request; 10 MiB. */
    size_t body_bytes_max;
    /* Open connections of all threads together; 16,384. */
    uint32_t connections_max;
    /* Requests under way in all threads together; 4,096. One more is refused
     * with the status 503, and the client may send it again. */
    uint32_t requests_max;
    /* Is called when a request has ended, with one JSON object without a
     * newline (docs/gateway.md). It has no prompt, reply or secret. It runs in
     * the gateway's threads, one at a time. May be NULL. */
    void (*log)(void *ctx, surety_str line);
    void *log_ctx;
    const surety_alloc *alloc; /* must be safe for several threads */
    /* Clients send keys of the gateway's own, which are in the ledger's
     * database (surety/keys.h), and models are called with the keys of the
     * configuration. Without a ledger: SURETY_MISUSE. */
    bool keys;
    /* Where traces go (OTLP/HTTP in JSON), as OTEL_EXPORTER_OTLP_ENDPOINT has
     * it: a URL without /v1/traces; empty: nowhere. And the headers for it, as
     * OTEL_EXPORTER_OTLP_HEADERS has them ("NAME=VALUE,..."), and the service's
     * name; surety. SURETY_MISUSE: one of them is wrong. */
    surety_str otlp_endpoint;
    surety_str otlp_headers;
    surety_str service_name;
    /* Requests that wait for one model that has a limit of calls at one time;
     * 1,000. One more is refused with the status 503. */
    uint32_t waiting_max;
    /* A model that failed so often in a row is left alone for a while, and then
     * tried again with one call; 5. And for how long; 30,000. */
    uint32_t model_failures_max;
    uint32_t model_pause_ms;
    /* Places in place of address and port, at most 16: "ADDRESS:PORT",
     * "unix:PATH", or "fd:NUMBER", a descriptor that listens. */
    const surety_str *listen;
    size_t listen_count;
    /* The caller steps the gateway, which starts no thread but that of the
     * page. Keys are looked for within a step. */
    bool is_stepped;
    uint32_t socket_mode; /* of the paths; 0600: their owner may connect */
    /* No page /ui, which clients on this machine get without a key
     * (docs/gateway.md). */
    bool no_ui;
    /* Paths of a certificate with its chain, and of its key, both in PEM:
     * places with an IP address take TLS 1.2 and 1.3, and nothing else. Without
     * the second the key is in the first. A place that is a path takes none. */
    surety_str tls_certificate;
    surety_str tls_key;
    /* A path of the certificates, in PEM, that sign those of clients: a client
     * without such a certificate cannot connect by an IP address. Where the
     * file has a list of revoked certificates (a CRL), no client that is in one
     * can connect, nor one whose signer has no list in force. Empty: clients
     * need none. Without tls_certificate: SURETY_MISUSE. */
    surety_str tls_clients;
    surety_gateway_stream stream;
} surety_gateway_options;

/* Reads the configuration, opens the ledger and starts to serve. SURETY_MISUSE:
 * a place has no such form, or the key does not fit the certificate, or every
 * user of the machine can read it; SURETY_IO: it cannot listen there, or a
 * thread cannot start, or a file or OpenSSL is missing; SURETY_SYNTAX: a file
 * has no certificate or key, or the key is encrypted; SURETY_UNSUPPORTED: this
 * build serves without TLS; SURETY_NOMEM; other statuses as surety_config_load
 * and surety_ledger_open. */
SURETY_API surety_status
surety_gateway_open(const surety_gateway_options *options,
                    surety_gateway **ret_gateway, surety_error *reterr);
/* The port of the first place that has one; 0: none has. */
SURETY_API uint16_t surety_gateway_port(const surety_gateway *gateway);
/* Where it listens: "http://127.0.0.1:4141", "unix:/run/surety.sock". The text
 * is empty where there is no i-th place. */
SURETY_API surety_str surety_gateway_place_at(const surety_gateway *gateway,
                                              size_t i);
/* For a gateway that the caller steps. Does what can be done now, and waits at
 * most timeout_ms for more to do. Returns after how many milliseconds it is to
 * be called again at the latest, or sooner when the descriptor is readable. */
SURETY_API uint32_t surety_gateway_step(surety_gateway *gateway,
                                        uint32_t timeout_ms);
/* A descriptor for the caller's poll or epoll; -1: the gateway has threads. */
SURETY_API int surety_gateway_descriptor(const surety_gateway *gateway);
/* Reads the configuration, the contracts, the certificate and its key again.
 * Requests under way end with the old ones, and connections keep their
 * certificate. A failure changes nothing; statuses as surety_gateway_open. */
SURETY_API surety_status surety_gateway_reload(surety_gateway *gateway,
                                               surety_error *reterr);
/* Goes on, but /readyz answers 503, and each answer ends its connection: what
 * stands in front sends its requests to another gateway. */
SURETY_API void surety_gateway_leave(surety_gateway *gateway);
/* The same; accepts no more connections, and waits at most timeout_ms until all
 * requests have ended. Returns whether they have. */
SURETY_API bool surety_gateway_drain(surety_gateway *gateway,
                                     uint32_t timeout_ms);
/* Cancels the requests under way, whose rows in the ledger are completed, and
 * frees the gateway. Takes NULL. */
SURETY_API void surety_gateway_close(surety_gateway *gateway);

#ifdef __cplusplus
}
#endif
#endif
