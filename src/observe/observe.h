/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about requests of a server that stands before models: metrics,
 * a line of an access log, spans of a trace. All of it is pure: a record of a
 * request that has ended goes in, text comes out. No text of a record comes
 * from a prompt, a reply or a key's secret. */
#ifndef SURETY_OBSERVE_OBSERVE_H
#define SURETY_OBSERVE_OBSERVE_H

#include <surety/json.h>
#include <surety/provider.h>

#include "base/base.h"

/* ---- the record ---------------------------------------------------------- */

/* One error of a reply: where and which rule, never the value. */
typedef struct surety__failure_record {
    surety_str keyword, path;
} surety__failure_record;

/* One attempt of a request. Times are Unix time in milliseconds; 0: never. */
typedef struct surety__attempt_record {
    uint32_t number;
    surety_str purpose;         /* "ask", "re-ask", ... */
    surety_str provider, model; /* of the configuration, not of the client */
    int64_t started_ms, first_byte_ms, ended_ms;
    int http_status;    /* 0: none */
    surety_str failure; /* its class; empty: the model answered */
    surety_str finish_reason, response_id;
    bool ok; /* the reply satisfies its contract */
    const surety__failure_record *failures;
    size_t failure_count;
    bool usage_known;
    uint64_t input_tokens, cached_input_tokens, output_tokens;
    uint64_t reasoning_tokens;
    bool cost_known;
    uint64_t cost_picousd;
    bool estimated; /* the counts and the cost, in whole or in part */
} surety__attempt_record;

/* A trace's ids (W3C Trace Context); texts end with NUL. */
typedef struct surety__trace {
    char trace_id[33];
    char span_id[17];   /* of the request's own span */
    char parent_id[17]; /* of the caller's; empty: none */
    bool is_sampled;
} surety__trace;

/* One request that has ended. */
typedef struct surety__request_record {
    const char *route;     /* one of ours: "/v1/chat/completions" */
    const char *operation; /* "chat", "embeddings", ... */
    surety_str method;     /* of HTTP */
    const char *protocol;  /* of the client */
    surety_str run;        /* UUID; empty: none */
    surety_str key;        /* the id of its key; empty: none */
    surety_str tag;        /* the client's name of its work; may be empty */
    surety_str unchecked;  /* the member that prevented a check; or empty */
    surety_str model;      /* as the client named it */
    /* The contract, where it has a name of ours; else empty, though the request
     * may have brought a schema. */
    surety_str contract, contract_version;
    bool has_contract;
    bool is_stream;
    bool is_whole;       /* the client got all of the answer */
    int status;          /* of HTTP */
    const char *verdict; /* of the run; NULL: refused before */
    const char *denial;  /* surety_denial_name; NULL: none */
    uint32_t repairs;
    int64_t started_ms;
    uint64_t total_us, overhead_us, first_byte_us; /* 0: no byte */
    const surety__attempt_record *attempts;
    size_t attempt_count;
    const surety__trace *trace; /* NULL: none */
} surety__request_record;

/* ---- names.c: OpenTelemetry's names -------------------------------------- */

/* The version of the semantic conventions that the names are of. */
#define SURETY__SEMCONV "1.41.0"

/* ORDER names (observe/names.c). */
typedef enum surety__name {
    NAME_DURATION = 0,
    NAME_FIRST_CHUNK,
    NAME_TOKEN_USAGE,
    NAME_TOKEN_TYPE,
    NAME_OPERATION,
    NAME_PROVIDER,
    NAME_REQUEST_MODEL,
    NAME_RESPONSE_ID,
    NAME_FINISH_REASONS,
    NAME_INPUT_TOKENS,
    NAME_OUTPUT_TOKENS,
    NAME_CACHED_TOKENS,
    NAME_REASONING_TOKENS,
    NAME_ERROR,
    NAME_METHOD,
    NAME_ROUTE,
    NAME_STATUS,
    NAME_STREAM,
    NAME_COUNT
} surety__name;

const char *surety__name_of(surety__name name);
/* The value of gen_ai.provider.name for a provider of the configuration. */
surety_str surety__name_provider(surety_str provider);

/* ---- metrics.c ----------------------------------------------------------- */

typedef struct surety__metrics surety__metrics;
/* Owned; the caller locks it where several threads use it. NULL: out of
 * memory. */
surety__metrics *surety__metrics_new(const surety_alloc *alloc);
void surety__metrics_free(surety__metrics *metrics); /* takes NULL */
/* Counts a request that has ended. What finds no memory, and series beyond the
 * bound, are counted as dropped. */
void surety__metrics_add(surety__metrics *metrics,
                         const surety__request_record *record);
/* Adds what `from` has counted. */
void surety__metrics_merge(surety__metrics *metrics,
                           const surety__metrics *from);
/* Appends all of it in the text format of Prometheus (0.0.4). under_way: the
 * requests that have not ended. */
void surety__metrics_write(const surety__metrics *metrics, uint64_t under_way,
                           surety_buf *out);

/* ---- access.c: a line of the access log ---------------------------------- */

/* Appends one JSON object, without a line feed. */
void surety__access_write(const surety__request_record *record,
                          surety_buf *out);
/* Appends a time as RFC 3339 in UTC, with milliseconds. */
void surety__time_write(int64_t unix_ms, surety_buf *out);

/* ---- traceparent.c ------------------------------------------------------- */

#define SURETY__TRACE_RANDOM 24
#define SURETY__TRACEPARENT_LEN 55

/* Begins the span of a request: in the caller's trace, if traceparent is valid,
 * else in a new one, which is sampled. random: bytes for the ids. */
void surety__trace_begin(surety_str traceparent,
                         const unsigned char random[SURETY__TRACE_RANDOM],
                         surety__trace *out);
/* Appends the header's value for what is called within the span. */
void surety__trace_write(const surety__trace *trace, surety_buf *out);

/* ---- span.c: OTLP/HTTP in JSON ------------------------------------------- */

/* Appends the spans of a request, one of its own and one for each attempt,
 * separated by commas. The record has a trace. */
void surety__spans_write(const surety__request_record *record, surety_buf *out);
/* Appends the body of a POST to /v1/traces with spans of surety__spans_write,
 * those of several requests separated by commas. */
void surety__spans_wrap(surety_str service, surety_str version,
                        surety_str spans, surety_buf *out);

/* ---- export.c: spans sent to a collector --------------------------------- */

typedef struct surety__exporter surety__exporter;
typedef struct surety__exporter_options {
    surety_str endpoint; /* OTEL_EXPORTER_OTLP_ENDPOINT, without /v1/traces */
    surety_str headers;  /* OTEL_EXPORTER_OTLP_HEADERS: "NAME=VALUE,..." */
    surety_str service, version;
    surety_transport *transport; /* for it alone; outlives it */
    const surety_alloc *alloc;
} surety__exporter_options;

/* SURETY_MISUSE: the endpoint or the headers are wrong; no message has a
 * header's value. */
surety_status surety__exporter_new(const surety__exporter_options *options,
                                   surety__exporter **ret_exporter,
                                   surety_error *reterr);
/* Cancels what is under way. Takes NULL. */
void surety__exporter_free(surety__exporter *exporter);
/* Keeps the spans of a request, if its trace is sampled. */
void surety__exporter_add(surety__exporter *exporter,
                          const surety__request_record *record);
/* Sends what is due, with now_ms of a clock that never goes back. Returns when
 * to call again at the latest; UINT64_MAX: when the transport gave something,
 * or a request was added. flush: send at once. The caller moves the
 * transport. */
uint64_t surety__exporter_step(surety__exporter *exporter, uint64_t now_ms,
                               bool flush);
/* Requests whose spans were taken by the collector, were dropped, or wait. */
typedef struct surety__export_counts {
    uint64_t sent, dropped, waiting;
} surety__export_counts;
surety__export_counts surety__exporter_counts(const surety__exporter *exporter);

#endif
