/* SPDX-License-Identifier: Apache-2.0 */
/* The door of provider/: a call as a request, a response as an answer. */
#ifndef SURETY_PROVIDER_PROVIDER_H
#define SURETY_PROVIDER_PROVIDER_H

#include <surety/json.h>
#include <surety/prompt.h>
#include <surety/provider.h>

#include "base/base.h"
#include "message/message.h"

/* ---- call.c, body.c and the protocols' files ----------------------------- */

/* A message of a call: its parts, and behind them a text of the run's own,
 * which may be empty. */
typedef struct surety__message {
    surety_role role;
    const surety_part *parts;
    size_t part_count;
    surety_str text;
    surety_prompt_part part; /* of text */
} surety__message;

/* A tool as the model sees it. Names are 1 to 64 of A-Z a-z 0-9 _ -. */
typedef struct surety__tool_spec {
    surety_str name;
    surety_str description; /* may be empty */
    surety_str parameters;  /* a schema, as JSON: that of an object */
    bool strict;            /* the provider enforces the schema */
    surety_str raw; /* the tool in the protocol's form; empty: it is written */
} surety__tool_spec;

/* A request that is the caller's own (raw.c). */
typedef struct surety__raw {
    surety_str body; /* an object of JSON; empty: none */
    /* Below the base URL, with a query; in it {model} stands for the model's
     * name. Empty: that of the protocol's calls. */
    surety_str path;
    surety_str method; /* empty: POST */
    const surety_header *headers;
    size_t header_count;
    /* The body is any bytes, which stay until the exchange has ended; body and
     * path are sent as they are, with this content type (empty: none). */
    bool is_bytes;
    surety_str type;
} surety__raw;

/* The contents of a call. */
typedef struct surety__call {
    const surety_model *model;
    surety_mode mode;  /* NATIVE, TOOL or PROMPT */
    surety_str system; /* may be empty */
    surety_prompt_part system_part;
    const surety__message *messages;
    size_t message_count;
    /* For NATIVE and TOOL: the schema in the provider's subset, as JSON, its
     * name (1 to 64 of A-Z a-z 0-9 _ -) and a description (may be empty).
     * strict: the provider enforces the subset. */
    surety_str schema;
    surety_str schema_name;
    surety_str schema_description;
    bool strict;
    /* The tools that the model may call, in the modes NATIVE and TOOL. TOOL: it
     * must call one, and the answer is one of them; NATIVE: it may. Without a
     * schema both modes are the same: the model may call a tool. In mode PROMPT
     * the request has no tools. */
    const surety__tool_spec *tools;
    size_t tool_count;
    bool answer_only; /* the tools are listed, but none may be called */
    /* Which of them; it counts where no answer's tool is among them. */
    surety_tool_choice choice;
    surety_str choice_name;
    bool single; /* at most one */
    /* Sent in place of all this, but for the model; NULL: none. */
    const surety__raw *raw;
} surety__call;

/* Whether a call to the protocol in this mode can have the choice.
 * UNSUPPORTED. */
surety_status surety__choice_check(surety_protocol protocol, surety_mode mode,
                                   surety_tool_choice choice, bool single,
                                   surety_error *reterr);

/* Whether the model takes tools and structured output in one call: Gemini does
 * from version 3 on. */
bool surety__model_joins_tools(const surety_model *model);

/* Encodes the call as a request: URL and headers in arena, the body in body,
 * which is emptied first and must stay until the exchange has ended.
 * The key's header is secret; two x-surety-... headers give a recorder the
 * protocol and the model, and no transport sends them. The response is a
 * stream unless model->whole is set. SURETY_NOMEM; SURETY_MISUSE: a URL, model
 * name, key or header that cannot be sent, an extra member that the protocol
 * sets itself, no base_url, no message; SURETY_UNSUPPORTED: the protocol does
 * not have this mode, or cannot carry a part; SURETY_SYNTAX: a text that is not
 * UTF-8. */
surety_status surety__call_encode(const surety__call *call,
                                  surety__arena *arena, surety_buf *body,
                                  surety_request *ret_request,
                                  surety_error *reterr);

/* Whether the protocol has this mode. */
bool surety__protocol_has(surety_protocol protocol, surety_mode mode);
/* Whether the provider of this name compiles a schema to a grammar. */
bool surety__provider_has_grammar(surety_str name);
/* Whether a transport causes this failure, not a provider's answer. */
bool surety__failure_is_below(surety_failure failure);
/* Whether the provider's documentation says that the model sees the schema of
 * structured output. For other servers of OpenAI's protocol that is unknown. */
bool surety__provider_shows_schema(surety_protocol protocol, surety_str name);

/* Whether a request with this path only counts tokens, which no provider
 * charges. */
bool surety__raw_is_count(surety_str path);

/* ---- decoder.c, answer.c, failure.c and the protocols' files ------------- */

/* Reads one response as it arrives. Owned by the caller. */
typedef struct surety__decoder surety__decoder;

/* The pieces of the answer as they are decoded: text of the reply (in mode
 * NATIVE it is the structured value and comes as PIECE_NATIVE), of the
 * structured value, of reasoning; and an item of the reasoning, whole, where
 * the provider wants it back. A whole response gives its pieces at the end. */
typedef enum surety__piece {
    PIECE_TEXT = 0,
    PIECE_NATIVE,
    PIECE_REASONING,
    PIECE_ITEM
} surety__piece;
typedef struct surety__listener {
    void *ctx;
    void (*piece)(void *ctx, surety__piece piece, surety_str text);
} surety__listener;

/* NULL when out of memory. limits and alloc may be NULL. */
surety__decoder *surety__decoder_new(const surety_limits *limits,
                                     const surety_alloc *alloc);
void surety__decoder_free(surety__decoder *decoder); /* takes NULL */

/* Prepares for the response to this call; the last one is forgotten. The call
 * is not needed later. No message contains the model's key. */
void surety__decoder_begin(surety__decoder *decoder, const surety__call *call,
                           const surety__listener *listener);
/* The three events of a receiver. feed returns false if the rest is of no use:
 * a limit, an error, out of memory. The first bytes of the body decide whether
 * it is a stream of events or one JSON text, and the content type if they do
 * not. */
void surety__decoder_head(surety__decoder *decoder, int status,
                          const surety_header *headers, size_t count);
bool surety__decoder_feed(surety__decoder *decoder, surety_str bytes);
/* now_ms: wall clock, for a Retry-After that is a date. */
void surety__decoder_finish(surety__decoder *decoder,
                            const surety_delivery *delivery, int64_t now_ms);
/* Whether the answer has the call of a tool, or the begin of one. */
bool surety__decoder_calls(const surety__decoder *decoder);
/* Bytes of the output that came behind the last usage that counts output. */
size_t surety__decoder_uncounted(const surety__decoder *decoder);
/* OK after finish: the texts of *ret_answer are valid until the next begin.
 * SURETY_NOMEM: out of memory during reading. SURETY_MORE: not finished. */
surety_status surety__decoder_answer(const surety__decoder *decoder,
                                     surety_answer *ret_answer);

/* ---- servers of the Model Context Protocol (mcp.c) ------------------------
 */

typedef struct surety__mcp_options {
    surety_str command; /* ["COMMAND", "TEXT", ...]: JSON; copied */
    /* Names of the variables that the server inherits, as surety_exec_open;
     * copied. */
    const surety_str *environment;
    size_t environment_count;
    const surety_limits *limits; /* NULL: defaults; copied */
    /* How long the server may take to answer the probe, after which it counts
     * as one of the legacy era; and to open. 0: 1,000 and 30,000: the one is
     * the usual wait of clients, the other lets a launcher fetch the server. */
    uint32_t probe_ms, open_ms;
    const surety_alloc *alloc;
} surety__mcp_options;
/* Opens a transport for one server, which the first exchange starts, and a
 * later one again if it has ended. A request's method is that of JSON-RPC, its
 * URL "mcp:" and the command, its body the params (an object without _meta, or
 * empty), its headers are ignored. The response's body is the response of
 * JSON-RPC, on one line. Several exchanges may be under way. SURETY_MISUSE: not
 * a command, not names of variables. */
surety_status surety__mcp_open(const surety__mcp_options *options,
                               surety_transport **ret_transport,
                               surety_error *reterr);

/* ---- secrets (secret.c) -------------------------------------------------- */

/* Whether the name of a query parameter or a configuration member is that of a
 * secret, ignoring case, "_" and "-". */
bool surety__name_is_secret(surety_str name);
/* The first header of this name; NULL: none. (transport.c) */
const surety_header *surety__header_find(const surety_header *headers,
                                         size_t count, const char *name);
/* Whether a header always carries a key. */
bool surety__header_is_secret(surety_str name);

/* Whether the same call may succeed later: a rate limit, an overload, a broken
 * connection, ... */
bool surety__failure_passes(surety_failure failure);

/* ---- the clock and the environment (transport.c) ------------------------- */

/* The monotonic clock in ms: changes of the wall clock do not move
 * deadlines. */
uint64_t surety__clock_ms(void);
/* Sleeps; a signal ends it early. */
void surety__clock_sleep(uint64_t ms);
/* The value of a variable of this process; NULL: not set. */
const char *surety__process_variable(const char *name);

surety_timeouts surety__timeouts_of(const surety_timeouts *given);

size_t surety__recording_count(const surety_recording *recording);
/* Protocol and model of the first exchange, for a model that is only a
 * recording. */
surety_protocol surety__recording_protocol(const surety_recording *recording);
surety_str surety__recording_model(const surety_recording *recording);

/* The sum of two counts, of tokens or of picodollars; UINT64_MAX if it would
 * overflow. */
static inline uint64_t surety__sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
