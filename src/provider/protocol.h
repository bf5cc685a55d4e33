/* SPDX-License-Identifier: Apache-2.0 */
/* What a protocol is to the rest of provider/: a row of one table, and the
 * half-read answer that its functions fill in. */
#ifndef SURETY_PROVIDER_PROTOCOL_H
#define SURETY_PROVIDER_PROTOCOL_H

#include "provider/provider.h"
#include "provider/sse.h"

/* How a reply can end by itself: the provider's word and what it means. A word
 * that is in no row means that the reply is whole. */
typedef struct surety__ending {
    const char *word;
    surety_failure failure;
} surety__ending;

/* Whether a finish reason says that the reply has come whole. */
typedef enum surety__reason {
    REASON_TELLS = 0, /* no: the protocol has a mark of its own */
    REASON_ENDS,      /* if the bytes then end as they should: there are servers
                       * that leave the mark out */
    REASON_MARKS      /* yes: it is the mark */
} surety__reason;

typedef struct surety__protocol {
    bool modes[SURETY_MODE_PROMPT + 1];
    surety__reason reason;
    /* Appends the method's path and query to the URL. */
    void (*path)(const surety__call *call, surety_buf *out);
    /* Appends the header that carries the key, as "name" and prefix. */
    const char *key_header;
    const char *key_prefix;
    const char *version_header; /* NULL: none */
    const char *version;
    /* Builds the request's body; NULL: it is the prompt as text. */
    void (*body)(const surety__call *call, surety_doc *out);
    /* Members of it that model->extra may replace or, with null, take out;
     * "a/b" is member b of a. NULL-terminated. */
    const char *const *replaceable;
    /* Reads a whole response; a stream's event of that name. */
    void (*whole)(surety__decoder *decoder, surety_val root);
    void (*event)(surety__decoder *decoder, surety_str name, surety_val root);
    const surety__ending *endings; /* the last has no word */
} surety__protocol;

extern const surety__protocol surety__protocol_openai;
extern const surety__protocol surety__protocol_responses;
extern const surety__protocol surety__protocol_anthropic;
extern const surety__protocol surety__protocol_gemini;
extern const surety__protocol surety__protocol_text;
const surety__protocol *surety__protocol_of(surety_protocol protocol);

/* ---- URLs (url.c) -------------------------------------------------------- */

/* The parts of an http or https URL; they point into it. */
typedef struct surety__url {
    surety_str authority;
    surety_str host;  /* without its port */
    surety_str base;  /* scheme, authority and path, no slash at the end */
    surety_str query; /* with its "?"; may be empty */
} surety__url;

surety__url surety__url_split(surety_str url);
/* Whether the model is a command, not a URL. */
bool surety__call_is_exec(const surety_model *model);
/* MISUSE: the model cannot be asked at its base URL. */
surety_status surety__url_check(const surety_model *model,
                                surety_error *reterr);
/* Whether the base URL's host is domain or ends with "." and it: some members
 * are known to the inventor of a protocol only. */
bool surety__call_host_ends(const surety__call *call, const char *domain);

/* ---- for the bodies (body.c, plain.c) ------------------------------------ */

/* Appends the prompt as text, for a protocol that has no body (plain.c). */
void surety__text_write(const surety__call *call, surety_buf *out);
/* Builds own with the members of extra joined (body.c). SURETY_MISUSE: both
 * set a member that is not replaceable; SURETY_NOMEM. */
surety_status surety__extra_join(surety_val own, surety_val extra,
                                 const char *const *replaceable,
                                 surety_doc *out, surety_error *reterr);
/* Whether the response is asked for as a stream, of a protocol with a body. */
static inline bool surety__call_streams(const surety__call *call)
{
    return !call->model->whole;
}
/* Builds "name": text unless it is empty. */
void surety__build_text(surety_doc *out, const char *name, surety_str text);
/* Builds "name": true or false, or opens "name": { or [. */
void surety__build_bool(surety_doc *out, const char *name, bool value);
void surety__build_object(surety_doc *out, const char *name);
void surety__build_array(surety_doc *out, const char *name);
/* Builds the members that say what a value must be, the schema as member. */
void surety__build_schema(const surety__call *call, surety_doc *out,
                          const char *member);
/* Builds "role" and "content" of each message. */
void surety__build_messages(const surety__call *call, surety_doc *out);
/* Builds temperature where the model has one. */
void surety__build_temperature(const surety__call *call, surety_doc *out);

/* ---- the half-read answer (decoder.c, answer.c) -------------------------- */

enum {
    SURETY__WORD_MAX = 256,   /* bytes of an id, a code, a name */
    SURETY__SAID_MAX = 500,   /* of a provider's error or refusal */
    SURETY__BLOCKS_MAX = 4096 /* tool calls or content blocks in a reply */
};

/* What the body is. */
typedef enum surety__form {
    FORM_UNKNOWN = 0,
    FORM_WHOLE,
    FORM_STREAM,
    FORM_PLAIN /* the reply itself */
} surety__form;

/* What begin sets back to nothing. */
typedef struct surety__reading {
    surety__form form;
    int status;
    bool has_head;
    bool coded;         /* in a coding that is not undone here */
    bool starved;       /* memory ran out */
    bool broken;        /* the rest is of no use; failure says why */
    bool finished;      /* finish was called */
    bool done;          /* the end mark came */
    bool whole;         /* and so the reply is all there */
    size_t after_done;  /* bytes since then */
    size_t blank_count; /* bytes before what says anything */
    uint64_t event_count;
    int64_t retry_after; /* ms; -1: unknown */
    int should_retry;
    bool ambiguous;

    surety_failure failure; /* of an error, or of the way the reply ended */
    surety_usage usage;
    bool has_finish;       /* a finish reason came */
    bool has_native;       /* a tool was called */
    bool native_over;      /* and its arguments are all there */
    uint64_t native_index; /* the number of that call */

    /* The protocols' own. */
    bool begun;           /* a stream's first event came */
    char block_kind;      /* of the content block that is open; 0: none */
    uint64_t block_index; /* its number */
    uint64_t counts[4];   /* of tokens, where each kind comes by itself */
} surety__reading;

struct surety__decoder {
    const surety_alloc *alloc;
    surety_limits limits;
    const surety__protocol *protocol;
    surety_mode mode;
    surety__listener listener;
    surety__reading is;
    surety__sse sse;
    surety_doc *doc; /* the body, or one event at a time */

    /* Of the response. */
    surety_buf secret, content_type, location, retry_date;
    surety_buf body; /* of a form that is unknown or FORM_WHOLE */
    /* Of the answer. */
    surety_buf text, native, refusal, finish_reason, model;
    surety_buf response_id, request_id, error_code, error_message;
    surety_buf native_id; /* of the tool call that counts */
};

/* Pieces of the answer. */
void surety__answer_text(surety__decoder *decoder, surety_str text);
void surety__answer_reasoning(surety__decoder *decoder, surety_str text);
void surety__answer_refusal(surety__decoder *decoder, surety_str text);
/* A fragment of the arguments of the tool call with this index and id (empty:
 * the fragment does not say). The first call counts; what others say is passed
 * over. An index out of bounds breaks. */
void surety__answer_arguments(surety__decoder *decoder, surety_val index,
                              surety_str id, surety_str fragment);
/* The same, whole, as a JSON value; none: an empty object. */
void surety__answer_object(surety__decoder *decoder, surety_val value);
/* Keeps the first word that is not empty. */
void surety__answer_word(surety__decoder *decoder, surety_buf *word,
                         surety_val val);
/* The reason for which the reply ended, looked up in the protocol's endings. */
void surety__answer_finish(surety__decoder *decoder, surety_val reason);
/* A string, or nothing where val is null or absent; all else breaks, for the
 * protocol has a string there. what names the member. */
surety_str surety__answer_string(surety__decoder *decoder, surety_val val,
                                 const char *what);
/* The response is not what the protocol says, or too large. */
void surety__answer_break(surety__decoder *decoder, surety_failure failure,
                          const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The number of tokens at this JSON Pointer of the usage, 0 where there is
 * none. Sets known to false where it is no integer from 0 to 10^12. */
uint64_t surety__answer_tokens(surety_val usage, const char *pointer,
                               bool *known);
/* Takes usage if it is possible: parts are no larger than their wholes. */
void surety__answer_usage(surety__decoder *decoder, surety_usage usage);

/* ---- errors (failure.c, retry.c) ----------------------------------------- */

/* The error that a body tells, SURETY_NONE where it tells none. A body of a
 * status that is no success is one in any case. */
surety_val surety__error_in(surety_val root);
/* Takes an error: its code, sentence and class. val may be any value. */
void surety__error_take(surety__decoder *decoder, surety_val val);
/* Takes a body that is no JSON as the error of the response's status; its
 * message is `before` and the first text in it. */
void surety__error_take_text(surety__decoder *decoder, surety_str body,
                             const char *before);
/* What a status says by itself; NONE for 0 and 2xx. */
surety_failure surety__error_of_status(int status);

/* Appends at most max bytes of text on one line: no control or bidirectional
 * characters, runs of blanks as one, secret replaced by "***", "..." where it
 * was cut. */
void surety__error_clean(surety_buf *out, surety_str text, surety_str secret,
                         size_t max);

/* Retry-After as milliseconds (RFC 9110, 10.2.3): seconds, fractions too. -1
 * where text is none. At most a year. */
int64_t surety__retry_seconds(surety_str text);
/* The same for milliseconds, and for an HTTP date (5.6.7), in milliseconds
 * since 1970. */
int64_t surety__retry_ms(surety_str text);
int64_t surety__retry_date(surety_str text);
/* From now to then, 0 where it has passed, at most a year. */
int64_t surety__retry_until(int64_t then_ms, int64_t now_ms);

#endif
