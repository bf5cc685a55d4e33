/* SPDX-License-Identifier: Apache-2.0 */
/* A protocol: a row of one table, and the partial answer that its functions
 * fill in. */
#ifndef SURETY_PROVIDER_PROTOCOL_H
#define SURETY_PROVIDER_PROTOCOL_H

#include "provider/provider.h"
#include "provider/sse.h"
#include "template/template.h"

/* Here a macro, too: twenty members of each event are looked up by constants,
 * whose lengths the compiler then knows. */
#define surety_val_get(object, key)                                            \
    surety_val_member(object, surety_str_of(key))

/* A reason for which a reply ends: the provider's word and its meaning. A word
 * without a row means that the reply is complete. */
typedef struct surety__ending {
    const char *word;
    surety_failure failure;
} surety__ending;

/* A count in a provider's usage: its JSON Pointer, and the sums to which it
 * belongs. */
enum {
    TOKENS_INPUT = 1,
    TOKENS_CACHED = 2,
    TOKENS_OUTPUT = 4,
    TOKENS_REASONING = 8,
    TOKENS_TOTAL = 16, /* the provider's own sum */
    TOKENS_KEPT = 32   /* a usage that leaves it out has not changed it */
};
typedef struct surety__tokens {
    const char *pointer; /* NULL: the last row */
    unsigned sums;
} surety__tokens;

/* Whether a finish reason means that the reply is complete. */
typedef enum surety__reason {
    REASON_IGNORED = 0, /* no: the protocol has its own end mark */
    REASON_ENDS,        /* if the bytes also end without an error: some servers
                         * omit the end mark */
    REASON_MARKS        /* yes: it is the end mark */
} surety__reason;

/* What the content of a part is. */
typedef enum surety__source {
    SOURCE_NONE = 0, /* its text */
    SOURCE_DATA,
    SOURCE_URL,
    SOURCE_FILE_ID
} surety__source;
/* How a protocol writes a part of this kind, source and media type. */
typedef struct surety__part_form {
    surety_part_kind kind;
    surety__source source;
    /* Media types, separated by blanks; one that ends with a slash means all
     * that begin with it. NULL: any. */
    const char *media;
    /* JSON, in which ' stands for a quotation mark and $ with a letter for a
     * field of the part (parts.c). NULL: the last row. */
    const char *json;
} surety__part_form;

typedef struct surety__protocol {
    surety__reason reason;
    /* The method's path; NULL: put_path, if there is one, appends path and
     * query to the URL. */
    const char *path;
    void (*put_path)(const surety__call *call, surety_buf *out);
    /* The header that carries the key, and what comes before the key in it. */
    const char *key_header;
    const char *key_prefix;
    const char *version_header; /* NULL: none */
    const char *version;
    /* The parts that a message may have. A message of the role system may only
     * come first (system_first); a result has its media within. */
    const surety__part_form *forms;
    bool system_first;
    bool result_media;
    bool unique_ids;      /* no two calls of a conversation share an id */
    bool assistant_media; /* also a message of the assistant may have media */
    /* Writes the request's body: an object of JSON, or with `whole` NULL the
     * prompt as text. */
    void (*body)(const surety__call *call, surety_buf *out);
    /* The member of the body that has the messages, and how those of a call are
     * written as items of it. NULL: it has none. */
    const char *list;
    void (*messages)(const surety__call *call, surety_buf *out);
    /* Members of the body that model->extra may replace or, with null, remove;
     * "a/b" is member b of a. Ends with NULL. */
    const char *const *replaceable;
    /* Reads a whole response; reads one event of a stream, whose type is its
     * member "type" or its name. NULL: the response is the reply itself, and
     * there is only the mode PROMPT. */
    void (*whole)(surety__decoder *decoder, surety_val root);
    void (*event)(surety__decoder *decoder, surety_str type, surety_val root);
    /* Text and reasoning are members of the message, not items of a list: each
     * comes once. */
    bool members;
    bool bare_calls; /* a call may go without an id */
    const surety__tokens *tokens;
    const surety__ending *endings; /* the last row has no word */
} surety__protocol;

extern const surety__protocol surety__protocol_openai;
extern const surety__protocol surety__protocol_responses;
extern const surety__protocol surety__protocol_anthropic;
extern const surety__protocol surety__protocol_gemini;
extern const surety__protocol surety__protocol_text;
const surety__protocol *surety__protocol_of(surety_protocol protocol);

/* ---- URLs (url.c) -------------------------------------------------------- */

/* The parts of an http or https URL, as pointers into it. */
typedef struct surety__url {
    surety_str authority;
    surety_str host;  /* without the port */
    surety_str base;  /* scheme, authority and path, without a slash at the
                       * end */
    surety_str query; /* with its "?"; may be empty */
} surety__url;

surety__url surety__url_split(surety_str url);
/* Whether the model is a command, not a URL. */
bool surety__call_is_exec(const surety_model *model);
/* MISUSE: the model's base URL cannot be used. */
surety_status surety__url_check(const surety_model *model,
                                surety_error *reterr);
/* Whether the host of the base URL is domain or a subdomain of it: only the
 * inventor of a protocol knows some of its members. */
bool surety__call_host_ends(const surety__call *call, const char *domain);

/* ---- the caller's own request (raw.c) ------------------------------------ */

/* MISUSE: it cannot be a request. */
surety_status surety__raw_check(const surety__call *call, surety_error *reterr);
/* Writes the body with the model's name. SYNTAX: it is no object of JSON. */
surety_status surety__raw_write(const surety__call *call, surety_buf *out,
                                surety_error *reterr);
void surety__raw_path(const surety__call *call, surety_buf *out);
/* Adds its headers behind those of model, which is the call's. */
surety_status surety__raw_headers(const surety__call *call,
                                  surety__arena *arena, surety_model *model,
                                  surety_error *reterr);

/* ---- for bodies (body.c) ------------------------------------------------- */

/* Builds own joined with the members of extra. SURETY_MISUSE: both set a member
 * that is not replaceable; SURETY_NOMEM. */
surety_status surety__extra_join(surety_val own, surety_val extra,
                                 const char *const *replaceable,
                                 surety_doc *out, surety_error *reterr);
/* Appends a text of the call as a JSON string. */
void surety__body_text(surety_buf *out, surety_str text,
                       const surety_prompt_part *part);
/* Appends name, description and strictness of a tool or a format, and its
 * schema under the name member. */
void surety__body_schema(const surety__tool_spec *spec, surety_buf *out,
                         const char *member);
/* Appends the member "temperature", if the model has one. */
void surety__body_temperature(const surety__call *call, surety_buf *out);

/* The contract's schema, as a tool or a format. */
surety__tool_spec surety__call_answer(const surety__call *call);
/* Appends the tools of the call, the answer's last, each by `write`, with
 * commas between them. Returns whether there are any; if not, nothing is
 * written. */
bool surety__body_tools(const surety__call *call, surety_buf *out,
                        const char *before,
                        void (*write)(const surety__tool_spec *spec,
                                      surety_buf *out));
/* Which tool the model may call. */
typedef enum surety__choice {
    CHOICE_FREE = 0, /* any or none */
    CHOICE_NONE,
    CHOICE_SOME, /* at least one */
    CHOICE_NAMED /* this one */
} surety__choice;
/* *ret_name: of NAMED. *ret_single: it may make one call only. */
surety__choice surety__call_choice(const surety__call *call,
                                   surety_str *ret_name, bool *ret_single);

/* ---- messages (parts.c) -------------------------------------------------- */

/* Writes parts of a call's messages. */
typedef struct surety__writer {
    const surety__call *call;
    const surety__protocol *protocol;
    surety_buf *out;
    size_t marks_over;              /* cache marks to leave out first */
    const surety_prompt_part *kept; /* of the text at hand, or NULL */
    bool unsigned_call; /* the next call needs a signature that it lacks */
    surety__map uses;   /* how many calls had an id, by its hash */
} surety__writer;

surety__writer surety__writer_of(const surety__call *call,
                                 const surety__protocol *protocol,
                                 surety_buf *out);
void surety__writer_done(surety__writer *writer);
/* Checks that the protocol can carry each part. SURETY_MISUSE: a part that does
 * not fit its role, or has no content; SURETY_UNSUPPORTED; SURETY_NOMEM. */
surety_status surety__parts_check(const surety__call *call,
                                  const surety__protocol *protocol,
                                  const surety_alloc *alloc,
                                  surety_error *reterr);
/* Whether anything of a part or a message is written in this protocol. */
bool surety__part_goes(const surety__call *call, const surety_part *part);
/* Whether the part has an item of this protocol, which is written then. */
bool surety__part_has_own(const surety__call *call, const surety_part *part);
bool surety__message_goes(const surety__call *call,
                          const surety__message *message);
/* The number of messages of the role system before all others. */
size_t surety__system_count(const surety__call *call);
/* The number of the message behind the turn that begins with message first: the
 * messages of the model, or of all others. */
size_t surety__turn_end(const surety__call *call, size_t first);
/* Appends a comma, unless a list has just begun. */
void surety__writer_next(surety__writer *writer);
/* Append items of a list: a part, and of a result with count - 1 media behind
 * it; the results of a message; everything else in it; the messages of a turn
 * that are the system's, or the others, results first. */
void surety__writer_part(surety__writer *writer, const surety_part *part,
                         size_t count);
void surety__writer_results(surety__writer *writer,
                            const surety__message *message);
void surety__writer_others(surety__writer *writer,
                           const surety__message *message);
void surety__writer_turn(surety__writer *writer, size_t first, size_t end,
                         bool is_system);
/* Writes the text of a part, a string; behind who speaks, where the protocol
 * has no member for it. */
void surety__writer_text(surety__writer *writer, const surety_part *part);
/* Appends who speaks as a member, where the protocol has it. */
void surety__writer_speaker(surety__writer *writer,
                            const surety__message *message);
/* Appends what surety__writer_text puts before the text, as it is. */
void surety__part_name(const surety__call *call, const surety_part *part,
                       surety_buf *out);
/* Append a message with its role and content; what messages have besides
 * results, as a user's message. */
void surety__writer_message(surety__writer *writer,
                            const surety__message *message);
void surety__writer_beside(surety__writer *writer, size_t first, size_t end);
/* Appends the texts and media of a message: a string if it has one text, else a
 * list; null: its parts are others. */
void surety__writer_content(surety__writer *writer,
                            const surety__message *message);

/* ---- the partial answer (decoder.c, answer.c) ---------------------------- */

enum {
    SURETY__NAME_MAX = 256,    /* bytes of an id, a code, a name */
    SURETY__MESSAGE_MAX = 500, /* of a provider's error or refusal */
    SURETY__TOKENS_MAX = 5,    /* rows of a usage */
    SURETY__BLOCKS_MAX = 4096  /* tool calls or content blocks in a reply */
};

/* Begins the ids that are made for calls where a provider gave none. */
#define SURETY__MADE_ID "surety-"

/* The form of the body. */
typedef enum surety__form {
    FORM_UNKNOWN = 0,
    FORM_WHOLE,
    FORM_STREAM,
    FORM_PLAIN /* the reply itself */
} surety__form;

/* What the response used, as far as it came. */
typedef struct surety__tokens_used {
    surety_usage usage;                  /* as it was reported last */
    uint64_t counts[SURETY__TOKENS_MAX]; /* of the protocol's rows */
    size_t output_bytes;  /* of text, reasoning, refusal, arguments of calls */
    size_t counted_bytes; /* of these, what the usage counts */
} surety__tokens_used;

/* The fields that begin resets. */
typedef struct surety__reading {
    surety__form form;
    int status;
    bool has_head;
    bool coded;          /* has a content coding, which is not decoded */
    bool starved;        /* out of memory */
    bool broken;         /* the rest is of no use; failure has the reason */
    bool finished;       /* finish was called */
    bool done;           /* the end mark arrived */
    bool whole;          /* the reply is complete */
    size_t after_done;   /* bytes after the end mark */
    size_t blank_count;  /* blank bytes at the beginning */
    int64_t retry_after; /* ms; -1: unknown */
    int should_retry;
    bool ambiguous;
    bool raw;    /* the request is the caller's own */
    bool others; /* an item came that is left out of the message (draft.c) */

    surety_failure failure; /* of an error, or of the reason for which the
                             * reply ended */
    surety__tokens_used used;
    bool has_finish; /* a finish reason arrived */
    surety_protocol protocol;
    bool tools;    /* the model may call others than the answer's */
    size_t native; /* the number of the draft that is the answer's call, from 1;
                    * 0: none */

    /* For the protocols' own use. */
    bool begun;           /* a stream's first event arrived */
    char block_kind;      /* kind of the open content block; 0: none */
    uint64_t block_index; /* its number */
} surety__reading;

/* A part of the message under way. */
typedef struct surety__draft {
    surety_part_kind kind;
    bool over;         /* the next piece begins another part */
    uint64_t index;    /* the provider's number of its block or item */
    size_t start, len; /* TEXT: its bytes in the decoder's text */
    /* The text of a REASONING; the arguments, id and name of a CALL; the item
     * that goes back. A REASONING with a name goes back as this member. */
    surety_buf text, id, name, raw;
} surety__draft;
typedef struct surety__drafts {
    surety__draft *items;
    size_t count, cap;
    size_t made; /* drafts with buffers, from answers before too */
    surety_part *parts;
    size_t part_cap;
} surety__drafts;

struct surety__decoder {
    const surety_alloc *alloc;
    surety_limits limits;
    const surety__protocol *protocol;
    surety_mode mode;
    surety__listener listener;
    surety__reading is;
    surety__sse sse;
    surety_doc *doc; /* the body, or one event at a time */
    surety__drafts drafts;

    union {
        struct {
            /* For the response. */
            surety_buf secret, content_type, location, retry_date;
            surety_buf body; /* while the form is unknown or FORM_WHOLE */
            /* For the answer. */
            surety_buf text, refusal, finish_reason, model;
            surety_buf response_id, request_id, error_code, error_message;
            surety_buf answer_tool; /* the name of the answer's tool */
        };
        surety_buf buffers[14]; /* the same, as a list */
    };
};

/* Add a piece to the answer. */
void surety__answer_text(surety__decoder *decoder, surety_str text);
void surety__answer_reasoning(surety__decoder *decoder, surety_str text);
/* A reasoning has ended; draft may be NULL. */
void surety__answer_item(surety__decoder *decoder, const surety__draft *draft);
void surety__answer_refusal(surety__decoder *decoder, surety_str text);
/* The number of a call; an impossible one breaks the answer. */
uint64_t surety__answer_index(surety__decoder *decoder, surety_val index,
                              uint64_t otherwise);
/* Add a fragment of the arguments of a call, or all of them as a JSON value
 * (none: an empty object); a call that has arguments keeps them. draft may be
 * NULL. */
void surety__answer_arguments(surety__decoder *decoder, surety__draft *draft,
                              surety_str fragment);
void surety__answer_object(surety__decoder *decoder, surety__draft *draft,
                           surety_val value);
/* Appends at most max bytes of text as one line without the secret. */
void surety__answer_show(surety__decoder *decoder, surety_buf *out,
                         surety_str text, size_t max);
/* Sets word, unless it has a value already. */
void surety__answer_word(surety__decoder *decoder, surety_buf *word,
                         surety_str value);
/* The same for the members with the response's id and the model's name. */
void surety__answer_names(surety__decoder *decoder, surety_val object,
                          const char *id, const char *model);
/* Sets the reason for which the reply ended, and its failure from the
 * protocol's endings. */
void surety__answer_finish(surety__decoder *decoder, surety_val reason);
/* A member that is a string; empty if it is null or absent. Another type breaks
 * the answer. what: a name for it. */
surety_str surety__answer_string(surety__decoder *decoder, surety_val object,
                                 const char *member, const char *what);
/* Breaks the answer: the response violates the protocol, or is too large. */
void surety__answer_break(surety__decoder *decoder, surety_failure failure,
                          const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes the usage by the protocol's rows, if it is plausible: each count is an
 * integer from 0 to 10^12, and parts are not larger than their totals. */
void surety__answer_usage(surety__decoder *decoder, surety_val usage);

/* ---- the message under way (draft.c) ------------------------------------- */

/* Begins a part. NULL: out of memory or too many, and the answer has that. */
surety__draft *surety__draft_add(surety__decoder *decoder,
                                 surety_part_kind kind);
/* The part of this kind that goes on, or a new one. */
surety__draft *surety__draft_open(surety__decoder *decoder,
                                  surety_part_kind kind);
/* The last part; the last with this index; the last call. NULL: none. */
surety__draft *surety__draft_last(const surety__decoder *decoder);
surety__draft *surety__draft_at(const surety__decoder *decoder, uint64_t index);
surety__draft *surety__draft_call(const surety__decoder *decoder);
/* Ends the last part. */
void surety__draft_close(surety__decoder *decoder);
/* Sets a call's id and name where it has none yet. */
void surety__draft_name(surety__decoder *decoder, surety__draft *draft,
                        surety_str id, surety_str name);
/* Sets the item that goes back, as its bytes came, unless there is one. draft
 * may be NULL. */
void surety__draft_item(surety__decoder *decoder, surety__draft *draft,
                        surety_val item);
/* Ends the item that goes back with the member input, from the text that came.
 * Where that is no JSON, there is no item. */
void surety__draft_input(surety__decoder *decoder, surety__draft *draft);
/* The call of the answer's tool; NULL: none. */
surety__draft *surety__draft_native(const surety__decoder *decoder);
/* Records failures of the last part's buffers. */
void surety__drafts_check(surety__decoder *decoder);
/* Makes the message's parts of a complete answer. */
void surety__drafts_end(surety__decoder *decoder);
void surety__drafts_done(surety__decoder *decoder);

/* ---- errors (failure.c, retry.c) ----------------------------------------- */

/* The error in a body; SURETY_NONE: there is none. With a status other than
 * success the whole body is an error in any case. */
surety_val surety__error_in(surety_val root);
/* Takes an error: its code, message and class. val may be any value. */
void surety__error_take(surety__decoder *decoder, surety_val val);
/* Takes a body that is not JSON as the error for the response's status. Its
 * message is `before` and the first text in the body. */
void surety__error_take_text(surety__decoder *decoder, surety_str body,
                             const char *before);
/* The class of a status alone; NONE for 0 and 2xx. */
surety_failure surety__error_of_status(int status);

/* Appends at most max bytes of text on one line: no control or bidirectional
 * characters, one blank for several, secret replaced by "***", "..." at the
 * end if it was cut. */
void surety__error_clean(surety_buf *out, surety_str text, surety_str secret,
                         size_t max);

/* Reads Retry-After (RFC 9110, 10.2.3) as seconds, with fractions. Returns
 * milliseconds, at most a year; -1: not a number. */
int64_t surety__retry_seconds(surety_str text);
/* The same for milliseconds, and for an HTTP date (5.6.7), which gives
 * milliseconds since 1970. */
int64_t surety__retry_ms(surety_str text);
int64_t surety__retry_date(surety_str text);
/* The time from now to then in ms; 0 if it has passed; at most a year. */
int64_t surety__retry_until(int64_t then_ms, int64_t now_ms);

#endif
