/* SPDX-License-Identifier: Apache-2.0 */
/* surety/provider.h: one call to one model. A model has a protocol (pure
 * functions that turn a call into a request's bytes, and a response's bytes
 * into an answer) and a transport (which moves the bytes: HTTPS, a recording, a
 * command). Every response, refusal or fault becomes one surety_answer with one
 * class of failure, the same for all protocols.
 *
 * Threads: a transport is owned and may have many exchanges under way; a model
 * is a plain struct of the caller, which threads may share while none changes
 * it. */
#ifndef SURETY_PROVIDER_H
#define SURETY_PROVIDER_H

#include <surety/base.h>
#include <surety/json.h>
#include <surety/message.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- calls ------------------------------------------------------------ */

/* How a model is bound to the schema. ORDER modes. */
typedef enum surety_mode {
    SURETY_MODE_AUTO = 0, /* the most exact mode that the protocol has and the
                           * schema allows */
    SURETY_MODE_NATIVE,   /* the provider's structured output */
    SURETY_MODE_TOOL,     /* one tool that the model must call */
    SURETY_MODE_PROMPT    /* the prompt alone */
} surety_mode;
/* "auto", "native", "tool", "prompt"; never NULL. */
SURETY_API const char *surety_mode_name(surety_mode mode);

/* ---- answers ---------------------------------------------------------- */

/* Why a call gave no reply, or no complete reply. ORDER failures (names in
 * provider/names.c). */
typedef enum surety_failure {
    SURETY_FAILURE_NONE = 0,
    /* From the transport: the provider gave no answer. */
    SURETY_FAILURE_CONNECT,   /* unknown host, connection refused: nothing
                               * sent */
    SURETY_FAILURE_TLS,       /* no trusted connection: nothing sent */
    SURETY_FAILURE_TIMEOUT,   /* a time limit passed */
    SURETY_FAILURE_RESET,     /* the connection was closed early */
    SURETY_FAILURE_TRUNCATED, /* it ended before the reply's end mark */
    SURETY_FAILURE_COMMAND,   /* a command or function could not run, or
                               * failed */
    SURETY_FAILURE_LIMIT,     /* the response is larger than allowed */
    SURETY_FAILURE_PROTOCOL,  /* the response breaks the protocol */
    SURETY_FAILURE_CANCELLED, /* the caller stopped it */
    /* From the provider: a status, or an error in its answer. */
    SURETY_FAILURE_REQUEST,    /* 400, 413, 422: it refuses this call */
    SURETY_FAILURE_SCHEMA,     /* it refuses this schema or this mode */
    SURETY_FAILURE_CONTEXT,    /* the prompt is too long for the model */
    SURETY_FAILURE_AUTH,       /* 401, 403: no key, or a wrong key */
    SURETY_FAILURE_MODEL,      /* 404: no such model */
    SURETY_FAILURE_QUOTA,      /* no credit left: waiting does not help */
    SURETY_FAILURE_RATE_LIMIT, /* 429: too many calls or tokens at once */
    SURETY_FAILURE_OVERLOADED, /* 503, 529 */
    SURETY_FAILURE_SERVER,     /* another 5xx, or 408 and 409 */
    /* From the model: it answered, but gave no complete reply. */
    SURETY_FAILURE_REFUSAL, /* the model declines */
    SURETY_FAILURE_FILTER,  /* a filter withheld or cut the reply */
    SURETY_FAILURE_LENGTH,  /* cut off by a token limit */
    SURETY_FAILURE_EMPTY,   /* the reply is empty */
    /* From the transport again. */
    SURETY_FAILURE_ADDRESS /* public_only forbids it: nothing sent */
} surety_failure;
#define SURETY_FAILURE_COUNT 24
/* "none", "connect", ..., "rate_limit", ...; never NULL. */
SURETY_API const char *surety_failure_name(surety_failure failure);
typedef struct surety_usage {
    /* false: the provider reported no counts or impossible ones, or the reply
     * is incomplete. The counts of an answer are then those that it reported
     * until the reply broke off, or 0; those of an attempt are completed by an
     * estimate, and all 0 where the provider did nothing. */
    bool known;
    uint64_t input_tokens;        /* all input tokens, cached ones included */
    uint64_t cached_input_tokens; /* of these, read from a cache */
    uint64_t output_tokens;       /* all output tokens, reasoning included */
    uint64_t reasoning_tokens;    /* of these, reasoning */
} surety_usage;

/* The result of one call. Texts belong to the object that gives the answer. */
typedef struct surety_answer {
    surety_failure failure;
    /* The model's text, with its parts joined, without its reasoning. If the
     * reply is incomplete: the part that came; if only a part of a tool's
     * arguments came, that part. */
    surety_str text;
    /* The structured value as JSON text: the arguments of the answer's tool
     * (mode TOOL; the first call if there are several), or the text of
     * structured output (mode NATIVE). Empty: none, or incomplete; or the model
     * called other tools. */
    surety_str native;
    surety_str refusal;       /* the model's text when it declined */
    surety_str finish_reason; /* how the reply ended, in the provider's own
                               * word */
    surety_str model;         /* the model that answered, as the response names
                               * it */
    surety_str response_id;   /* id of the response, from its body */
    surety_str request_id;    /* id of the request, from a header */
    /* For a provider's error: its type or code, and its message, on one line
     * without control characters. For a transport's failure: empty, and a
     * description. Keys are masked. */
    surety_str error_code;
    surety_str error_message;
    surety_usage usage;
    int http_status;        /* 0: none */
    int64_t retry_after_ms; /* delay that the provider asked for; -1: none */
    int should_retry;       /* x-should-retry: 1, 0, or -1 where absent */
    bool ambiguous; /* the request may have been carried out, but no answer says
                     * so */
    /* The answer as a message: text, reasoning and calls of tools in their
     * order, each with the item that its provider wants to get back. It has no
     * parts if the answer is incomplete. */
    surety_message message;
} surety_answer;

/* ---- tools ------------------------------------------------------------ */

/* Which tools a model may call. ORDER tool choices (names in
 * provider/names.c). */
typedef enum surety_tool_choice {
    SURETY_TOOL_CHOICE_AUTO = 0, /* any or none */
    SURETY_TOOL_CHOICE_NONE,
    SURETY_TOOL_CHOICE_REQUIRED, /* at least one */
    SURETY_TOOL_CHOICE_NAMED     /* the one with this name */
} surety_tool_choice;
/* "auto", "none", "required", "named"; never NULL. */
SURETY_API const char *surety_tool_choice_name(surety_tool_choice choice);

/* ---- transports ------------------------------------------------------- */

typedef struct surety_header {
    surety_str name;
    surety_str value;
    bool secret; /* contains a key: never recorded, never shown */
} surety_header;

/* Milliseconds; 0 means the default. */
typedef struct surety_timeouts {
    uint32_t connect_ms;    /* host name lookup, connection and TLS; 10,000 */
    uint32_t first_byte_ms; /* from the request to the first byte; 120,000 */
    uint32_t idle_ms;       /* between two bytes; 60,000 */
    uint32_t total_ms;      /* the whole exchange; 600,000, as the official
                             * clients */
} surety_timeouts;
/* One request. It must be valid until start returns; a transport copies what it
 * needs later. */
typedef struct surety_request {
    size_t size; /* sizeof(surety_request) */
    surety_str method;
    surety_str url; /* https://..., http://..., exec:COMMAND, argv:[...] */
    const surety_header *headers;
    size_t header_count;
    surety_str body;
    surety_timeouts timeouts;
    size_t response_bytes_max; /* 0: 64 MiB */
    /* The bytes of body stay until the exchange has ended, so that a transport
     * need not copy them. */
    bool body_stays;
    /* For a transport of version 2: the body is these texts, one after the
     * other, and `body` is empty. They and the list stay until the exchange has
     * ended. 0: there is only `body`. */
    const surety_str *parts;
    size_t part_count;
} surety_request;

/* How an exchange ended for the transport. */
typedef struct surety_delivery {
    surety_failure failure; /* NONE, or a failure of the transport */
    bool sent;              /* the provider may have got the request or a part
                             * of it */
    char message[256];      /* description, zero-terminated; empty with NONE */
} surety_delivery;

/* The functions that an exchange calls, from within start, wait or cancel of
 * its transport. head is called once, before bytes; bytes is called for each
 * chunk, and returns false to stop the exchange; end is called exactly once and
 * last, also after cancel. They must not call the transport. */
typedef struct surety_receiver {
    void *ctx;
    void (*head)(void *ctx, int status, const surety_header *headers,
                 size_t count);
    bool (*bytes)(void *ctx, surety_str bytes);
    void (*end)(void *ctx, const surety_delivery *delivery);
} surety_receiver;

/* Moves the bytes of exchanges. The caller may provide its own. */
typedef struct surety_transport {
    /* 1; 2: start also takes a body in parts; 3: descriptor is there too. */
    uint32_t version;
    void *ctx;
    /* Begins an exchange. The caller chooses id, which no other exchange under
     * way may have. Does not block. receiver is copied. SURETY_NOMEM;
     * SURETY_MISUSE: the transport does not support the URL. Every other
     * failure is reported in the delivery. */
    surety_status (*start)(void *ctx, uint64_t id,
                           const surety_request *request,
                           const surety_receiver *receiver,
                           surety_error *reterr);
    /* Ends the exchange with CANCELLED at once; does nothing if it has
     * ended. */
    void (*cancel)(void *ctx, uint64_t id);
    /* Moves bytes. Returns when a function of a receiver was called, after
     * timeout_ms, or on a signal. SURETY_NOMEM, SURETY_IO. */
    surety_status (*wait)(void *ctx, uint32_t timeout_ms, surety_error *reterr);
    /* Cancels the exchanges under way and frees the transport. */
    void (*close)(void *ctx);
    /* Version 3: a file descriptor for poll or epoll that is readable when wait
     * with no timeout has work, time limits included; always the same one. -1:
     * there is none, and wait has to be called every few milliseconds. The
     * caller only watches it. */
    int (*descriptor)(void *ctx);
} surety_transport;

typedef struct surety_http_options {
    size_t size;        /* sizeof(surety_http_options) */
    surety_str ca_file; /* PEM; empty: the system's certificates */
    surety_str proxy;   /* URL; empty: the usual variables (HTTPS_PROXY,
                         * NO_PROXY, ...); if none names a proxy when the
                         * transport is opened, none is used */
    /* Most open connections, in total and to one host; 0: 64 and 16. */
    uint32_t connections_max;
    uint32_t connections_host_max;
    /* Refuse to connect to loopback, link-local and private addresses; checked
     * after the host name is resolved. For URLs that users give. */
    bool public_only;
    const surety_alloc *alloc;
} surety_http_options;

/* Opens a transport for HTTP and HTTPS with libcurl: with a pool of connections
 * and HTTP/2 where the server has it, without redirects and compression.
 * Certificates are always checked. libcurl is loaded here: SURETY_IO if it is
 * not installed. */
SURETY_API surety_status surety_http_open(const surety_http_options *options,
                                          surety_transport **ret_transport,
                                          surety_error *reterr);

/* Opens a transport for commands. exec:COMMAND runs `/bin/sh -c COMMAND`;
 * argv:["COMMAND", "TEXT", ...], a JSON array, runs the command with these
 * arguments and without a shell (PATH is searched for a name without a slash).
 * The request's body is the standard input; the standard output is the
 * response. The modes NATIVE and TOOL are not possible. An exit status other
 * than 0 is the failure COMMAND, with the end of the standard error as its
 * message. environment has the names (copied) of the environment variables that
 * a command inherits from this process where they are set, besides PATH, HOME,
 * USER, LOGNAME, SHELL, LANG, LANGUAGE, LC_*, TZ and TMPDIR. It inherits no
 * other, so it gets no key. SURETY_MISUSE: a name is empty, or has "=" or a
 * NUL. */
SURETY_API surety_status surety_exec_open(const surety_str *environment,
                                          size_t environment_count,
                                          const surety_alloc *alloc,
                                          surety_transport **ret_transport,
                                          surety_error *reterr);

/* ---- recordings ------------------------------------------------------- */

/* A recording is JSON Lines with one exchange a line (docs/recordings.md). It
 * never contains keys. */
typedef struct surety_recording surety_recording;

/* Reads a recording; it keeps no reference to text. SURETY_SYNTAX with line,
 * column and path; SURETY_NOMEM. */
SURETY_API surety_status surety_recording_read(surety_str text,
                                               const surety_alloc *alloc,
                                               surety_recording **ret_recording,
                                               surety_error *reterr);
SURETY_API void surety_recording_free(surety_recording *recording);

enum surety_replay_flag {
    /* Answer with the exchange whose request is equal (method, path with query,
     * body as a JSON value); each is used once. Without this flag: answer with
     * the exchanges in their order, whatever the requests are. */
    SURETY_REPLAY_MATCH = 1,
    /* Wait as long as in the recording, between chunks too. */
    SURETY_REPLAY_TIMED = 2
};
/* Opens a transport that answers from a recording, which must outlive it. flags
 * is a bitwise or. A request for which no exchange is left ends with PROTOCOL
 * and a message that says so. */
SURETY_API surety_status surety_replay_open(const surety_recording *recording,
                                            unsigned flags,
                                            const surety_alloc *alloc,
                                            surety_transport **ret_transport,
                                            surety_error *reterr);

/* Opens a transport that passes all requests to inner, which it then owns, and
 * records them. When an exchange has ended, it calls write with one line,
 * newline included. The line has no secret headers, and every secret of eight
 * bytes and more is replaced in URL, headers and bodies. The request's x-surety
 * headers name its protocol and model for the record; they are not sent. If
 * write fails, the exchange is not affected, and the next wait returns the
 * status of write, once (surety_run_wait continues with the answer and returns
 * that status at the end). */
SURETY_API surety_status surety_record_open(
    surety_transport *inner, surety_status (*write)(void *ctx, surety_str line),
    void *ctx, const surety_alloc *alloc, surety_transport **ret_transport,
    surety_error *reterr);

/* ---- models ----------------------------------------------------------- */

/* Prices in micro-dollars for a million tokens, so that tokens times price is
 * an exact number of pico-dollars. */
typedef struct surety_price {
    bool known;
    uint64_t input_microusd;
    uint64_t cached_input_microusd;
    uint64_t output_microusd;
} surety_price;
/* Returns the cost of a usage in pico-dollars (10^-12 dollars); UINT64_MAX if
 * the cost is larger than that. */
SURETY_API uint64_t surety_price_cost(const surety_price *price,
                                      const surety_usage *usage);
/* Appends pico-dollars as dollars, exactly: "0.30"; with two decimals, or more
 * where they are needed. rounded, for tables: "1234" from 1,000 dollars on,
 * "12.34" from 1 dollar on; below 1 dollar with four decimals, or with as many
 * as two significant digits need: "0.1234", "0.0000034"; and "0". */
SURETY_API void surety_dollars_write(uint64_t picousd, bool rounded,
                                     surety_buf *out);

/* A model that can be called. Everything in it belongs to the caller and must
 * outlive all its users. Zero means the default for every member but size.
 * Because models are items of arrays, the struct never grows: another size is
 * SURETY_MISUSE. */
typedef struct surety_model {
    size_t size;         /* sizeof(surety_model) */
    surety_str name;     /* the user's name for it: "openai:gpt-5-mini" */
    surety_str provider; /* "openai"; may be empty */
    surety_str model;    /* the provider's name for it */
    surety_protocol protocol;
    surety_str base_url; /* URL with the version, without the path of a method:
                          * "https://api.openai.com/v1" */
    surety_str key;      /* empty: none is sent */
    const surety_header *headers; /* added to the protocol's headers */
    size_t header_count;
    surety_mode mode;
    bool whole; /* ask for the response at once, not as a stream */
    bool has_temperature;
    double temperature;
    uint32_t output_tokens_max; /* 0: the provider's, 8,192 for Anthropic */
    /* An object that is merged into the request's body; objects that both have
     * are merged too. A member that the protocol sets itself is refused, with
     * these exceptions, which extra replaces, or removes with null: the name
     * and number of the token limit, tool_choice (Gemini: toolConfig),
     * parallel_tool_calls, stream_options and store. */
    surety_val extra;
    surety_price price;
    surety_timeouts timeouts;
    size_t response_bytes_max; /* 0: 64 MiB */
    bool retry_ambiguous; /* repeat a call that may have been carried out */
    surety_transport *transport;
} surety_model;

#ifdef __cplusplus
}
#endif
#endif
