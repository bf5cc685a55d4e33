/* SPDX-License-Identifier: Apache-2.0 */
/* surety/provider.h: one call to one model. A model is a protocol (what is
 * said: pure functions from a call to a request's bytes and from a response's
 * bytes to an answer) over a transport (how bytes get there: HTTPS, a
 * recording, a command). What a provider answers, refuses or breaks becomes one
 * surety_answer with one class of failure, whatever its protocol.
 *
 * Threads: a transport is owned and may have many exchanges under way; a model
 * is the caller's plain struct and may be shared while nobody changes it. */
#ifndef SURETY_PROVIDER_H
#define SURETY_PROVIDER_H

#include <surety/base.h>
#include <surety/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is said ----------------------------------------------------- */

/* The protocols. ORDER protocols (names in provider/names.c). */
typedef enum surety_protocol {
    SURETY_PROTOCOL_OPENAI = 0, /* Chat Completions; also vLLM, llama.cpp,
                                 * Ollama, LM Studio and OpenRouter by URL */
    SURETY_PROTOCOL_RESPONSES,  /* OpenAI Responses */
    SURETY_PROTOCOL_ANTHROPIC,  /* Anthropic Messages */
    SURETY_PROTOCOL_GEMINI,     /* Gemini generateContent */
    SURETY_PROTOCOL_TEXT        /* the prompt in, the reply out: commands */
} surety_protocol;
/* "openai", "responses", "anthropic", "gemini", "text"; never NULL. */
SURETY_API const char *surety_protocol_name(surety_protocol protocol);

/* How a model is bound to the schema. ORDER modes. */
typedef enum surety_mode {
    SURETY_MODE_AUTO = 0, /* the best that the protocol can do with a schema */
    SURETY_MODE_NATIVE,   /* the provider's structured output */
    SURETY_MODE_TOOL,     /* one tool that it is made to call */
    SURETY_MODE_PROMPT    /* the prompt alone */
} surety_mode;
/* "auto", "native", "tool", "prompt"; never NULL. */
SURETY_API const char *surety_mode_name(surety_mode mode);

typedef enum surety_role {
    SURETY_ROLE_USER = 0,
    SURETY_ROLE_ASSISTANT
} surety_role;

typedef struct surety_message {
    surety_role role;
    surety_str text;
} surety_message;

/* ---- what comes back -------------------------------------------------- */

/* Why a call gave no reply, or none that is whole. ORDER failures (names and
 * what becomes of each in provider/names.c). */
typedef enum surety_failure {
    SURETY_FAILURE_NONE = 0,
    /* The transport's: no answer of a provider. */
    SURETY_FAILURE_CONNECT,   /* unknown host, nobody listens: nothing sent */
    SURETY_FAILURE_TLS,       /* no trusted connection: nothing sent */
    SURETY_FAILURE_TIMEOUT,   /* a time limit passed */
    SURETY_FAILURE_RESET,     /* the connection broke off */
    SURETY_FAILURE_TRUNCATED, /* it ended before the reply's end mark */
    SURETY_FAILURE_COMMAND,   /* a command could not run, or failed */
    SURETY_FAILURE_LIMIT,     /* the response is larger than allowed */
    SURETY_FAILURE_PROTOCOL,  /* what came is not what the protocol says */
    SURETY_FAILURE_CANCELLED, /* the caller stopped it */
    /* The provider's, by status or by an error in its answer. */
    SURETY_FAILURE_REQUEST,    /* 400, 413, 422: it does not take this call */
    SURETY_FAILURE_SCHEMA,     /* it does not take this schema or this mode */
    SURETY_FAILURE_CONTEXT,    /* the prompt is too long for the model */
    SURETY_FAILURE_AUTH,       /* 401, 403: no key, or not the right one */
    SURETY_FAILURE_MODEL,      /* 404: no such model */
    SURETY_FAILURE_QUOTA,      /* nothing left to spend: waiting won't help */
    SURETY_FAILURE_RATE_LIMIT, /* 429: too much at once */
    SURETY_FAILURE_OVERLOADED, /* 503, 529 */
    SURETY_FAILURE_SERVER,     /* another 5xx, or 408 and 409 */
    /* The model's: it answered, and did not give the whole reply. */
    SURETY_FAILURE_REFUSAL, /* it declines */
    SURETY_FAILURE_FILTER,  /* a filter withheld or cut the reply */
    SURETY_FAILURE_LENGTH,  /* cut off by a token limit */
    SURETY_FAILURE_EMPTY,   /* it said nothing at all */
    /* The transport's again. */
    SURETY_FAILURE_ADDRESS /* public_only does not allow it: nothing sent */
} surety_failure;
#define SURETY_FAILURE_COUNT 24
/* "none", "connect", ..., "rate_limit", ...; never NULL. */
SURETY_API const char *surety_failure_name(surety_failure failure);
typedef struct surety_usage {
    /* false: the provider did not say, said the impossible, or the reply did
     * not come whole; the numbers are 0. */
    bool known;
    uint64_t input_tokens;        /* all of them, cached ones too */
    uint64_t cached_input_tokens; /* of those, read from a cache */
    uint64_t output_tokens;       /* all of them, reasoning too */
    uint64_t reasoning_tokens;    /* of those, reasoning */
} surety_usage;

/* What came of one call. Texts belong to whoever gives the answer out. */
typedef struct surety_answer {
    surety_failure failure;
    /* The model's text, its parts joined; never its reasoning. Where the reply
     * is not whole: as much as came, and of a tool's arguments that were cut
     * off, where there is no other text, those. */
    surety_str text;
    /* The structured value as JSON text: the arguments of the tool (mode TOOL;
     * of its first call, should there be several) or the text of structured
     * output (mode NATIVE). Empty: none, or not whole. */
    surety_str native;
    surety_str refusal;       /* what the model said when it declined */
    surety_str finish_reason; /* the provider's own word for how it ended */
    surety_str model;         /* the model that answered, as it calls itself */
    surety_str response_id;   /* the response's id in its body */
    surety_str request_id;    /* the request's id in a header */
    /* Of a provider's error: its type or code, and its sentence, on one line
     * without control characters. Of a failed transport: empty, and what
     * happened. Keys are masked. */
    surety_str error_code;
    surety_str error_message;
    surety_usage usage;
    int http_status;        /* 0: none */
    int64_t retry_after_ms; /* what the provider asked for; -1: nothing */
    int should_retry;       /* x-should-retry: 1, 0, or -1 where absent */
    bool ambiguous; /* the request may have been carried out, and no answer
                     * says whether it was */
} surety_answer;

/* ---- how bytes get there ---------------------------------------------- */

typedef struct surety_header {
    surety_str name;
    surety_str value;
    bool secret; /* a key: never recorded, never shown */
} surety_header;

/* Milliseconds; 0 means the default. */
typedef struct surety_timeouts {
    uint32_t connect_ms;    /* name, connection and TLS; 10,000 */
    uint32_t first_byte_ms; /* from the request to the first byte; 120,000 */
    uint32_t idle_ms;       /* between two bytes; 60,000 */
    uint32_t total_ms;      /* all of it; 600,000, as the official clients */
} surety_timeouts;
/* One request, the caller's until start returns: a transport copies what it
 * keeps. */
typedef struct surety_request {
    size_t size; /* sizeof(surety_request) */
    surety_str method;
    surety_str url; /* https://..., http://... or exec:COMMAND */
    const surety_header *headers;
    size_t header_count;
    surety_str body;
    surety_timeouts timeouts;
    size_t response_bytes_max; /* 0: 64 MiB */
} surety_request;

/* How an exchange ended below the protocol. */
typedef struct surety_delivery {
    surety_failure failure; /* NONE, or one of the transport's */
    bool sent;              /* the request, or a part of it, may have arrived */
    char message[256];      /* what happened, terminated; empty with NONE */
} surety_delivery;

/* Who hears of an exchange, from within start, wait or cancel of its transport.
 * head comes once, before bytes; bytes as often as needed and returns false to
 * break off; end exactly once and last, also after cancel. None may call the
 * transport back. */
typedef struct surety_receiver {
    void *ctx;
    void (*head)(void *ctx, int status, const surety_header *headers,
                 size_t count);
    bool (*bytes)(void *ctx, surety_str bytes);
    void (*end)(void *ctx, const surety_delivery *delivery);
} surety_receiver;

/* A way for bytes. The caller may bring one. */
typedef struct surety_transport {
    uint32_t version; /* 1 */
    void *ctx;
    /* Begins an exchange under id, which the caller chose and which no other
     * exchange under way has. Does not block. SURETY_NOMEM, SURETY_MISUSE (a
     * URL it does not take); every other failure is the delivery's. receiver
     * is copied. */
    surety_status (*start)(void *ctx, uint64_t id,
                           const surety_request *request,
                           const surety_receiver *receiver,
                           surety_error *reterr);
    /* Ends it with CANCELLED, at once; nothing where it has ended. */
    void (*cancel)(void *ctx, uint64_t id);
    /* Moves bytes; returns when a receiver was told something, else after
     * timeout_ms at most, or on a signal. SURETY_NOMEM, SURETY_IO. */
    surety_status (*wait)(void *ctx, uint32_t timeout_ms, surety_error *reterr);
    /* Cancels what is under way and frees it. */
    void (*close)(void *ctx);
} surety_transport;

typedef struct surety_http_options {
    size_t size;        /* sizeof(surety_http_options) */
    surety_str ca_file; /* PEM; empty: the system's */
    surety_str proxy;   /* URL; empty: HTTPS_PROXY, NO_PROXY and their kin */
    /* Connections kept at once, in all and to one host; 0: 64 and 16. */
    uint32_t connections_max;
    uint32_t connections_host_max;
    /* Refuse to connect to loopback, link-local and private addresses, after
     * the name was resolved: for URLs that users give. */
    bool public_only;
    const surety_alloc *alloc;
} surety_http_options;

/* HTTP and HTTPS by libcurl: pooled, HTTP/2 where the server has it, no
 * redirects, no compression, certificates always checked. libcurl is loaded
 * here: SURETY_IO where it is not installed. */
SURETY_API surety_status surety_http_open(const surety_http_options *options,
                                          surety_transport **ret_transport,
                                          surety_error *reterr);

typedef struct surety_exec_options {
    size_t size; /* sizeof(surety_exec_options) */
    /* Names of variables that commands get from this process's environment,
     * where they are set, besides PATH, HOME, USER, LOGNAME, SHELL, LANG,
     * LANGUAGE, LC_*, TZ and TMPDIR. Copied. */
    const surety_str *environment;
    size_t environment_count;
    const surety_alloc *alloc;
} surety_exec_options;

/* exec:COMMAND: the body on the standard input of `/bin/sh -c COMMAND`, the
 * response its standard output. Not SURETY_MODE_NATIVE or TOOL. A status other
 * than 0 is COMMAND with the end of its standard error. Of this process's
 * environment a command gets what surety_exec_options names, and so no key.
 * NULL options: no further variables. SURETY_MISUSE: a name is empty, or has
 * "=" or a NUL. */
SURETY_API surety_status surety_exec_open(const surety_exec_options *options,
                                          surety_transport **ret_transport,
                                          surety_error *reterr);

/* ---- recordings ------------------------------------------------------- */

/* A recording is JSON Lines, an exchange a line (docs/recordings.md). Keys are
 * never in it. */
typedef struct surety_recording surety_recording;

/* Reads a recording; it keeps no reference to text. SURETY_SYNTAX with line,
 * column and path; SURETY_NOMEM. */
SURETY_API surety_status surety_recording_read(surety_str text,
                                               const surety_alloc *alloc,
                                               surety_recording **ret_recording,
                                               surety_error *reterr);
SURETY_API void surety_recording_free(surety_recording *recording);
/* A clock that a caller brings. now_ms never goes back. sleep_ms returns when
 * now_ms has moved on by ms, or earlier. */
typedef struct surety_clock {
    void *ctx;
    uint64_t (*now_ms)(void *ctx);
    void (*sleep_ms)(void *ctx, uint64_t ms);
} surety_clock;

typedef struct surety_replay_options {
    size_t size; /* sizeof(surety_replay_options) */
    /* Give the exchange whose request is the same (method, path with query,
     * body as a JSON value), each once; without it they are given in their
     * order whatever is asked. */
    bool match;
    bool timed; /* wait as long as the recording did, between chunks too */
    const surety_alloc *alloc;
    /* Times the exchanges; must outlive the transport. NULL: the system's
     * monotonic clock. */
    const surety_clock *clock;
} surety_replay_options;

/* Plays a recording, which must outlive the transport. A request that has no
 * exchange left ends with PROTOCOL and a message that says so. */
SURETY_API surety_status surety_replay_open(
    const surety_recording *recording, const surety_replay_options *options,
    surety_transport **ret_transport, surety_error *reterr);

/* Passes everything on to inner, which it then owns, and hands each exchange,
 * when it has ended, to write as one line with its newline: without secret
 * headers, and with every text of secrets (of eight bytes and more) replaced in
 * URL, headers and bodies. A request's protocol and model are told by its
 * x-surety headers, which are not sent. The exchange is what it is when write
 * fails; the next wait then gives its status, once (surety_run_wait goes on
 * with the answer and gives the status at the end). */
SURETY_API surety_status surety_record_open(
    surety_transport *inner, surety_status (*write)(void *ctx, surety_str line),
    void *ctx, const surety_alloc *alloc, surety_transport **ret_transport,
    surety_error *reterr);

/* ---- a model ---------------------------------------------------------- */

/* Micro-dollars a million tokens, so that tokens times price are exact
 * pico-dollars. */
typedef struct surety_price {
    bool known;
    uint64_t input_microusd;
    uint64_t cached_input_microusd;
    uint64_t output_microusd;
} surety_price;
/* What a usage costs at a price, in pico-dollars (10^-12); UINT64_MAX where it
 * is more than that holds. */
SURETY_API uint64_t surety_price_cost(const surety_price *price,
                                      const surety_usage *usage);
/* Appends pico-dollars as dollars, exactly: "0.30", with two decimals, or as
 * many as there are. */
SURETY_API void surety_dollars_write(uint64_t picousd, surety_buf *out);
/* The same rounded, for tables: "1234" from 1,000 dollars on, "12.34" from 1
 * on; below, four decimals, or as many as show two digits: "0.1234",
 * "0.0000034"; and "0". */
SURETY_API void surety_dollars_write_rounded(uint64_t picousd, surety_buf *out);

/* A model that can be called. Everything in it is the caller's and must outlive
 * what uses it. Zero means the default everywhere but in size: models stand in
 * arrays and never grow, and another size is SURETY_MISUSE. */
typedef struct surety_model {
    size_t size;         /* sizeof(surety_model) */
    surety_str name;     /* as its user names it: "openai:gpt-5-mini" */
    surety_str provider; /* "openai"; may be empty */
    surety_str model;    /* the provider's name of it */
    surety_protocol protocol;
    surety_str base_url; /* with the version, without the method's path:
                          * "https://api.openai.com/v1" */
    surety_str key;      /* empty: none is sent */
    const surety_header *headers; /* besides the protocol's */
    size_t header_count;
    surety_mode mode;
    bool whole; /* ask for the response in one piece, no stream */
    bool has_temperature;
    double temperature;
    uint32_t output_tokens_max; /* 0: the provider's, 8,192 for Anthropic */
    /* An object whose members join the request's body, those of objects that
     * both have too. A member that the protocol sets itself is refused, but for
     * the name and number of the token limit, tool_choice (Gemini: toolConfig),
     * parallel_tool_calls, stream_options and store: those it replaces, and
     * with null takes out. */
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
