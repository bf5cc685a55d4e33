/* SPDX-License-Identifier: Apache-2.0 */
/* The world of a gateway, which a seed makes: clients (gate_client.c), their
 * connections (gate_link.c) and requests (gate_ask.c; of the page gate_page.c),
 * models behind a transport (gate_model.c), the ledger (gate_ledger.c), keys,
 * clock, chance and memory (gate_world.c); and the laws of each answer
 * (gate_law.c) and of the whole (gate_test.c).
 *
 * The gateway is the real one, on a real socket, and its caller steps it. The
 * linker puts four things of the world in the place of the library's own: the
 * clock, the random bytes, libcurl and the ledger's database. */
#ifndef SURETY_TESTS_GATE_H
#define SURETY_TESTS_GATE_H

#include <pthread.h>
#include <sys/types.h>

#include <surety/contract.h>
#include <surety/ledger.h>
#include <surety/provider.h>
#include <surety/schema.h>
#include <surety/serve.h>

#include "ledger/ledger.h"
#include "serve/serve.h"
#ifdef SURETY_WITH_TLS
#include "certificate.h"
#endif
#include "sim/memory.h"

enum {
    GATE_MODELS = 4,
    GATE_CALLERS = 5, /* clients that ask models */
    GATE_USERS = 2,   /* and those of the page */
    GATE_CLIENTS = GATE_CALLERS + GATE_USERS,
    GATE_ASKS = 4, /* of a client */
    GATE_OBJECTS = GATE_CALLERS * GATE_ASKS,
    GATE_CALLS = 64,
    GATE_ROWS = 512,
    GATE_SCHEMAS = 2,
    /* When the owner does something, and between jumps of the wall clock, at
     * the latest. */
    GATE_OWNER_MS = 6000,
    GATE_JUMPS_MS = 60000
};

/* The key of the gateway at its providers. */
#define GATE_KEY "sk-planted-0123456789abcdef"

/* ---- models -------------------------------------------------------------- */

/* A call of a model, as the transport brings its answer. */
struct gate_call {
    bool is_active;
    bool is_object; /* it asks no model */
    uint64_t id;
    size_t model;
    surety_receiver receiver;
    int status; /* 0: there is no answer */
    surety_header headers[4];
    size_t header_count;
    surety_buf body;
    size_t told, piece_len;
    bool is_head_told;
    bool hangs;      /* nothing follows the body, not even its end */
    bool is_stopped; /* the receiver wants no more */
    surety_failure failure;
    bool is_sent, is_right; /* the body is what the model meant */
    surety_usage usage;     /* that it tells */
    size_t row;             /* in the ledger; SIZE_MAX: none */
    uint64_t next_ms, gap_ms, until_ms;
};

struct gate_model {
    surety_protocol protocol;
    uint32_t at_once; /* 0: any number */
    uint32_t under_way;
};

/* ---- clients ------------------------------------------------------------- */

enum gate_giving { GIVING_NONE, GIVING_HOLD, GIVING_LIVE, GIVING_RESUME };

/* A connection. Where it is not smooth, TLS sends and takes pieces of records.
 */
struct gate_link {
    int fd;             /* -1: not connected */
    struct ssl_st *ssl; /* NULL: plain */
    bool is_smooth;
    bool is_old;                /* TLS 1.2 at most */
    bool says_end;              /* before it hangs up */
    bool is_faulty;             /* one of the next three */
    bool is_plain;              /* it speaks HTTP where TLS is spoken */
    uint64_t cut_at, spoilt_at; /* bytes of TLS; UINT64_MAX: never */
    size_t piece_len;
    uint64_t flushed; /* bytes of TLS that were sent */
    bool is_ended;    /* the other side has ended */
    bool moves;       /* TLS sent or took something */
};

/* What the rows come to. */
struct gate_sums {
    uint64_t runs, calls, input_tokens, output_tokens, picousd;
    uint64_t unpriced, gave; /* calls without a cost; answers to clients */
};

/* A request for the page. ORDER page_questions. */
enum page_kind {
    PAGE_OVERVIEW,
    PAGE_RUNS,
    PAGE_RUN,
    PAGE_CONTRACTS,
    PAGE_CHECK,
    PAGE_NOW,
    PAGE_NONE, /* there is no such question */
    PAGE_FILE
};

struct gate_page {
    enum page_kind kind;
    int status;        /* that it deserves; 0: it is not for the page */
    const char *file;  /* NULL: none */
    bool is_head;      /* the method: an answer has no body */
    bool is_filtered;  /* the figures are not those of all rows */
    size_t row, check; /* of the run; of the bench */
    struct gate_sums before;
};

/* A request of a client. */
struct gate_ask {
    surety_protocol protocol;
    enum gate_giving giving;
    bool is_stream;
    bool is_wrong;     /* the gateway has to refuse it */
    bool is_named;     /* by a contract of the gateway's folder */
    bool is_tool;      /* a tool that must be called has the schema */
    int schema;        /* -1: none */
    int object;        /* the number of the provider's that it is for; -1: it
                        * is a call */
    bool is_posted;    /* sent with POST, and a body */
    size_t start, end; /* in the client's bytes */
    bool is_answered;
    uint64_t begun_ms; /* when its first byte was sent */
    struct gate_page page;
};

struct gate_client {
    struct gate_link link;
    struct gate_ask asks[GATE_ASKS];
    size_t ask_count, written; /* asks; a user of the page writes them late */
    bool is_user;
    uint64_t user_ms; /* that a user of the page waits before a request */
    uint64_t hash;    /* of its answers */
    size_t at;        /* the ask whose answer is next */
    surety_buf out;   /* all asks, one after the other */
    size_t sent;
    surety_buf in; /* of the answer that is next */
    bool pipelines;
    size_t write_len, read_len; /* most bytes at once */
    uint64_t gap_ms, next_ms, dialled_ms;
    bool waits;     /* the last time it could neither send nor read */
    size_t hang_at; /* bytes sent after which it hangs up; SIZE_MAX: never */
    uint32_t dials; /* connections so far */
    bool is_over;
};

/* An answer, as far as it came. Its texts are the client's bytes. */
struct gate_answer {
    int status; /* 0: no head came */
    surety_str head;
    surety_buf body; /* without chunks */
    bool is_whole;   /* it came to its end */
    bool closes;
    size_t len; /* bytes of all of it */
};

/* ---- the world ----------------------------------------------------------- */

struct gate_row {
    char id[36], run[36];
    bool begins, finishes; /* waits for the flush */
    bool is_begun, is_finished;
    size_t begun, ended; /* the copies of its entries */
    /* The usage that the model told in an answer that came whole. */
    bool is_told;
    surety_usage usage;
    size_t model;                /* whose call it is; SIZE_MAX: none yet */
    bool gave_value, gave_error; /* to a client that had asked for a schema */
};

/* What every seed uses. */
struct gate_bench {
    char folder[64];
    char config[96], socket[96], database[96];
#ifdef SURETY_WITH_TLS
    SSL_CTX *context; /* of clients */
    struct certificate files;
#endif
    surety_schema *schemas[GATE_SCHEMAS];
    surety_checker *checker;
    surety_doc *doc, *event, *value; /* scratch */
    struct gate_tally {
        size_t statuses[600];
        size_t whole, streams, cuts, errors, fallbacks, values, tools, objects;
        size_t calls, rows, starved, hung_up, logged;
        size_t secured, plain; /* answers by TLS; worlds run without it */
        size_t pages, figures, compared; /* figures that were exact */
    } tally;
};

/* Streams of chance. What one part of the world draws changes nothing for the
 * others, so two worlds of a seed that differ in one part can be compared. */
enum gate_stream {
    STREAM_WORLD,
    STREAM_PAGE,  /* users of the page */
    STREAM_LINK,  /* connections */
    STREAM_OWNER, /* what happens while it serves */
    STREAM_CLOCK, /* how far a step moves it */
    STREAM_WALL,  /* jumps of the wall clock */
    STREAM_MODELS,
    STREAM_LEDGER,
    STREAM_RUNS,   /* random bytes of runs */
    STREAM_TRACES, /* and those of traces, which each request has */
    STREAMS
};

/* How a seed's world is run. */
struct gate_how {
    bool is_verbose;
    bool no_page; /* without the users of the page */
    bool no_tls;
};

struct gate {
    struct gate_bench *bench;
    uint64_t seed, streams[STREAMS];
    enum gate_stream stream; /* what draws now */
    struct gate_how how;
    const char *broken; /* the law that does not hold */
    uint64_t hash;      /* of all that was seen */
    uint64_t now_ms;
    int64_t unix_ms;
    uint64_t jump_ms;              /* when the wall clock jumps */
    uint64_t disturb_ms, close_ms; /* UINT64_MAX: never */
    bool drains;                   /* the clock moves by itself */
    surety_gateway *gateway;
    bool is_even; /* its owner did not end it */
    bool is_tcp;  /* else it listens at a path */
    bool is_tls, is_smooth;
    bool is_staying; /* no client hung up */
    /* When the last run and the last call began. Where two did so at one time,
     * the order of what they draw depends on the steps in between. */
    uint64_t run_ms, call_ms;
    bool has_tie;
    bool is_closing; /* the gateway was closed before its clients had ended */
    struct gate_model models[GATE_MODELS];
    size_t model_count;
    struct gate_client clients[GATE_CLIENTS];
    size_t client_count, caller_count;
    size_t object_count;
    bool are_posted[GATE_OBJECTS]; /* a POST for it was sent to its provider */
    struct gate_call calls[GATE_CALLS];
    size_t call_count; /* so far */
    surety_transport transport;
    int idle_fd; /* of the transport; never readable */
    size_t transports;
    surety_ledger ledger;
    bool has_ledger, is_ledger_open, ledger_failed;
    unsigned ledger_fails; /* one in so many writes; 0: never */
    bool is_raw, are_reads_broken;
    surety_ledger reader; /* of the page */
    struct gate_row rows[GATE_ROWS];
    size_t row_count;
    surety__group kept; /* the entries */
    bool has_keys;
    char secret[64], admin[64];
    surety_alloc alloc;
    struct memory memory;
    pthread_mutex_t memory_lock;
    pthread_mutex_t baton;   /* whose thread goes on: recursive */
    size_t logged, answered; /* lines, and answers to requests that it read */
};

/* ---- gate_world.c -------------------------------------------------------- */

/* Where the replaced functions find the world. */
extern struct gate *gate_now;

/* Notes that a run or a call begins. */
void gate_begins(struct gate *gate, uint64_t *last_ms);
/* Draws from a stream from now on; returns the one before. */
enum gate_stream gate_draw_from(struct gate *gate, enum gate_stream stream);
uint64_t gate_below(struct gate *gate, uint64_t count);
bool gate_one_in(struct gate *gate, unsigned count);
void gate_note(struct gate *gate, const void *ptr, size_t len);
/* Notes the first law that does not hold. */
void gate_must(struct gate *gate, bool holds, const char *law);
/* No key of anyone's is in a text that goes to a client, a row or the log. */
void gate_must_hide(struct gate *gate, surety_str text, const char *law);
bool gate_has(surety_str text, const char *part);
/* The model whose provider gets requests for objects from clients of this
 * protocol; SIZE_MAX: none does. */
size_t gate_keeper(const struct gate *gate, surety_protocol protocol);
/* Writes the configuration; is_wrong: one that must be refused. */
void gate_configure(struct gate *gate, bool is_wrong);
/* Makes the world of a seed and opens its gateway. False: it has none, because
 * memory ran out. */
bool gate_open(struct gate *gate, struct gate_bench *bench, uint64_t seed,
               struct gate_how how);
/* Closes the gateway and frees the rest. */
void gate_close(struct gate *gate);
bool gate_bench_open(struct gate_bench *bench);
void gate_bench_close(struct gate_bench *bench);

/* ---- gate_model.c -------------------------------------------------------- */

void gate_transport_make(struct gate *gate);
/* When a model has something to tell next; UINT64_MAX: never. */
uint64_t gate_calls_next_ms(const struct gate *gate);
size_t gate_calls_active(const struct gate *gate);

/* ---- gate_ledger.c ------------------------------------------------------- */

/* What a reader of the ledger gets of a row; NULL: it is not durable. */
const surety_entry *gate_row_entry(const struct gate *gate,
                                   const struct gate_row *row);
void gate_baton_take(struct gate *gate);
void gate_baton_give(struct gate *gate);
/* As surety_alloc's resize; ctx: the gate. */
void *gate_resize(void *ctx, void *ptr, size_t size_old, size_t size_new);
/* Waits for the jobs of the page. False: there was none. */
bool gate_settle(struct gate *gate);

/* ---- gate_ask.c ---------------------------------------------------------- */

/* Appends a request to the client's bytes. */
void gate_ask_write(struct gate *gate, struct gate_client *client,
                    struct gate_ask *ask);
/* The texts of the schemas; the last is that of the contract "point". */
extern const char *const gate_schemas[GATE_SCHEMAS];

/* ---- gate_page.c --------------------------------------------------------- */

/* As gate_ask_write, for a user of the page. */
void gate_page_write(struct gate *gate, struct gate_client *client,
                     struct gate_ask *ask);
/* Notes the rows, when the whole request was sent. */
void gate_page_sent(const struct gate *gate, struct gate_ask *ask);
/* What must hold of an answer. */
void gate_check_page(struct gate *gate, const struct gate_page *page,
                     const struct gate_answer *answer);

/* ---- gate_link.c --------------------------------------------------------- */

bool gate_link_has_tls(void); /* the build has */
bool gate_link_bench(struct gate_bench *bench);
void gate_link_bench_done(struct gate_bench *bench);
/* Makes the connection of a client that sends len bytes. */
void gate_link_make(struct gate *gate, struct gate_link *link, size_t len);
/* Connects. False: nothing listens there. */
bool gate_link_open(const struct gate *gate, struct gate_link *link);
void gate_link_close(struct gate_link *link);
/* As send and recv. */
ssize_t gate_link_send(struct gate_link *link, const char *bytes, size_t len);
ssize_t gate_link_receive(struct gate_link *link, char *room, size_t size);
/* Whether all was sent that it will send. */
bool gate_link_is_cut(const struct gate_link *link);
/* Whether the gateway said by TLS that no more follows. */
bool gate_link_is_closed_well(struct gate_link *link);

/* ---- gate_client.c ------------------------------------------------------- */

void gate_client_make(struct gate *gate, struct gate_client *client,
                      bool is_user);
void gate_client_done(struct gate_client *client);
/* Sends and reads what it can by now. */
void gate_client_move(struct gate *gate, struct gate_client *client);
uint64_t gate_clients_next_ms(const struct gate *gate);
bool gate_clients_over(const struct gate *gate);
/* The value of a header; ptr NULL: absent. */
surety_str gate_header(surety_str head, const char *name);

/* ---- gate_law.c ---------------------------------------------------------- */

/* What must hold of an answer. */
void gate_check_answer(struct gate *gate, const struct gate_client *client,
                       const struct gate_ask *ask,
                       const struct gate_answer *answer);

#endif
