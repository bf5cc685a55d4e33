/* SPDX-License-Identifier: Apache-2.0 */
/* surety/base.h: what every other header stands on: how a call ends, text by
 * pointer and length, the allocator a caller may bring, a growing buffer, and
 * every limit with its default. Nothing here reads or checks JSON.
 *
 * Threads, one keyword an object:
 *   frozen  any number of threads may use it at once (schema, contract);
 *   owned   one thread at a time, may move between threads (doc while it is
 *           being filled, checker, judge, buffer);
 *   none    there is no global state at all. */
#ifndef SURETY_BASE_H
#define SURETY_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(SURETY_BUILD) && defined(__GNUC__)
#define SURETY_API __attribute__((visibility("default")))
#else
#define SURETY_API
#endif

#define SURETY_VERSION "0.1.0"

/* The version of the library that is loaded, "MAJOR.MINOR.PATCH". */
SURETY_API const char *surety_version(void);

/* How a call ended. Zero is success; above zero the call did not fail but is
 * not done, or has nothing to give; below zero it failed. */
typedef enum surety_status {
    SURETY_OK = 0,
    SURETY_MORE = 1,    /* give more input, then call again */
    SURETY_END = 2,     /* there is nothing (more) to give */
    SURETY_NOMEM = -1,  /* the allocator said no */
    SURETY_LIMIT = -2,  /* a limit of surety_limits was reached */
    SURETY_MISUSE = -3, /* the caller broke a stated rule; nothing changed */
    SURETY_SYNTAX = -4, /* the input is not what it claims to be */
    SURETY_UNSUPPORTED = -5, /* understood, and deliberately not done */
    SURETY_IO = -6,          /* a file or a process could not be used */
    SURETY_TIMEOUT = -7,     /* a time bound passed */
    SURETY_CANCELLED = -8    /* the caller asked to stop */
} surety_status;

/* The name of a status in lower case ("ok", "limit", ...); never NULL. */
SURETY_API const char *surety_status_name(surety_status status);

/* Text: len bytes at ptr, not terminated, UTF-8 unless said otherwise, owned
 * by somebody else. The empty text may have a NULL ptr. */
typedef struct surety_str {
    const char *ptr;
    size_t len;
} surety_str;

/* The text up to the terminating zero; NULL gives the empty text. */
SURETY_API surety_str surety_str_of(const char *zero_terminated);
SURETY_API bool surety_str_equal(surety_str a, surety_str b);

/* A place in a text. line and column count from 1, columns count code points,
 * offset and length count bytes. line 0: there is no position. */
typedef struct surety_position {
    size_t offset;
    size_t length;
    uint32_t line;
    uint32_t column;
} surety_position;

/* Where the byte at offset stands in text; CR, LF and CRLF end a line. An
 * offset past the end gives the end. Linear in offset. */
SURETY_API surety_position surety_position_at(surety_str text, size_t offset,
                                              size_t length);

/* Why a call failed. The caller owns it and may pass NULL wherever one is
 * asked for. It is written on failure only, whole, without allocating.
 * message and hint are terminated; message is one sentence without a full
 * stop that says what is wrong, hint (may be empty) what to do. */
typedef struct surety_error {
    surety_status status;
    surety_position position; /* in the text the call was reading */
    char source[256];         /* the file or URI it stands in; may be empty */
    char path[256];           /* JSON Pointer in that text; may be empty */
    char message[320];
    char hint[256];
} surety_error;

/* The memory a caller brings. resize(ctx, NULL, 0, n) allocates, resize(ctx,
 * p, n, m) grows or shrinks, resize(ctx, p, n, 0) frees and returns NULL. A
 * NULL for a size above 0 means out of memory, and p is still owned. Blocks
 * are aligned as malloc's. Where NULL is given for a surety_alloc, libc's
 * allocator is used. It must outlive what was made with it. */
typedef struct surety_alloc {
    void *(*resize)(void *ctx, void *ptr, size_t size_old, size_t size_new);
    void *ctx;
} surety_alloc;

/* A growing text that the caller owns. ptr may be NULL while len is 0. The
 * first failure is kept in status and every later append does nothing, so a
 * writer appends freely and looks once at the end. */
typedef struct surety_buf {
    char *ptr;
    size_t len;
    size_t cap;
    size_t max; /* bytes it may hold */
    surety_status status;
    const surety_alloc *alloc;
} surety_buf;

/* max 0: SIZE_MAX / 2. The allocator is kept by reference. */
SURETY_API void surety_buf_init(surety_buf *buf, const surety_alloc *alloc,
                                size_t max);
SURETY_API void surety_buf_done(surety_buf *buf);
/* Empties it and forgets a failure; keeps the memory. */
SURETY_API void surety_buf_reset(surety_buf *buf);
SURETY_API void surety_buf_append(surety_buf *buf, const char *ptr, size_t len);
SURETY_API void surety_buf_add(surety_buf *buf, surety_str str);
SURETY_API void surety_buf_text(surety_buf *buf, const char *zero_terminated);
SURETY_API void surety_buf_byte(surety_buf *buf, char byte);
SURETY_API void surety_buf_number(surety_buf *buf, uint64_t number);
/* What it holds now, valid until the next call on it. */
SURETY_API surety_str surety_buf_str(const surety_buf *buf);

/* Every limit, its default and why. A member that is 0 means the default, and
 * so does a NULL surety_limits. Reaching one is SURETY_LIMIT with a message
 * that names the limit and its value. */
typedef struct surety_limits {
    size_t size; /* sizeof(surety_limits) of the caller's header */
    /* Bytes of one JSON text or one reply; 32 MiB: what providers accept in
     * one request. At most 4 GiB - 64, for offsets are 32 bits. */
    size_t text_bytes_max;
    /* Open arrays and objects at once; 512: above every real document, below
     * what makes other tools fail. */
    uint32_t depth_max;
    /* Characters of one number; 1,000: exact arithmetic stays cheap. At most
     * 2,048. */
    uint32_t number_len_max;
    /* Bytes of one string, 16 MiB, and of one key, 64 KiB. */
    uint32_t string_len_max;
    uint32_t key_len_max;
    /* Values (keys counted too) in one document; 8 million. */
    uint32_t values_max;
    /* Bytes of one schema document, 2 MiB; subschemas in one compile, 100,000;
     * nesting of subschemas, 128; documents in one compile, 256. */
    size_t schema_bytes_max;
    uint32_t schema_nodes_max;
    uint32_t schema_depth_max;
    uint32_t schema_documents_max;
    /* Applications of subschemas to one value without moving into it, nested,
     * counted when a schema is compiled; 256. */
    uint32_t inplace_depth_max;
    /* Bytes of one pattern, 64 KiB; steps of one match, 100,000 and 8 for each
     * byte of the text; its heap, 8 MiB in KiB. */
    uint32_t pattern_len_max;
    uint32_t pattern_match_max;
    uint32_t pattern_heap_kib_max;
    /* Steps of one check: this much for every value of the instance, and
     * work_base besides. 512 and 1 million. A step is one subschema applied
     * to one value, 64 bytes or 8 steps of a pattern, 64 bytes compared, 16
     * members looked through. */
    uint32_t work_per_value;
    uint32_t work_base;
    /* Findings in one report; 32. The report says that there were more. */
    uint32_t findings_max;
    /* Candidates looked at in one reply; 256. */
    uint32_t candidates_max;
    /* One evaluation of a contract's rules: 2,000 ms and 256 MiB. */
    uint32_t rule_time_ms_max;
    uint32_t rule_memory_mib_max;
    /* Mends and edits kept of one value, 1,024; the rest is counted. */
    uint32_t mends_max;
    /* A stream is running away when so many bytes of white space stand outside
     * of strings, 4 KiB: more than the deepest indent; or when so many bytes
     * repeat a text of at most 256 bytes, 32 KiB: some 8,000 tokens. */
    uint32_t blank_run_max;
    uint32_t repeat_run_max;
    /* Where what is repeated are complete items of an array, in a value that
     * may still satisfy its contract, they are data up to so many bytes, 8 MiB:
     * more than a model can say in one reply. */
    uint32_t repeat_data_max;
    /* Bytes of the raw text of one attempt, and of its refused candidate, in a
     * run's report, 64 KiB: longer than nearly every reply, and all attempts of
     * a run together stay below a megabyte. */
    uint32_t attempt_raw_max;
} surety_limits;

/* All limits with their defaults filled in over the zeros of given, which may
 * be NULL. */
SURETY_API surety_limits surety_limits_of(const surety_limits *given);

/* One member of surety_limits, for those who name it in a command line or a
 * file. Texts are constants. */
typedef struct surety_limit {
    const char *name; /* the member's */
    const char *what; /* it bounds: a phrase */
    const char *why;  /* the default is what it is: a phrase */
    uint64_t usual;   /* the default */
    uint64_t max; /* the most that surety_limits_set takes; the least is 1 */
} surety_limit;
/* The i-th, in the order of the struct; false: there are no more. */
SURETY_API bool surety_limit_at(size_t i, surety_limit *ret_limit);
/* Sets the member of that name to a number written in digits, behind which K, M
 * or G stands for 1,024 and its powers. SURETY_SYNTAX: no such limit, with the
 * nearest name as the hint, or no such number; SURETY_MISUSE: the size of
 * limits does not reach that member. */
SURETY_API surety_status surety_limits_set(surety_limits *limits,
                                           surety_str name, surety_str value,
                                           surety_error *reterr);

/* ---- files --------------------------------------------------------------- */

/* Writes bytes to the file at path, whole or not at all: to a temporary name in
 * the same folder first. A file that is there is SURETY_MISUSE unless replace;
 * it is replaced and not written to, so a symbolic link is replaced itself.
 * SURETY_IO with the system's reason. Allocates nothing. */
SURETY_API surety_status surety_file_write(surety_str path, surety_str bytes,
                                           bool replace, surety_error *reterr);
/* Appends the folder of a user's files of one kind (XDG Base Directory
 * Specification 0.8): given, which is what its variable says, such as
 * XDG_CONFIG_HOME, where that is an absolute path, else home/below, such as
 * $HOME/.config. False, with nothing appended: home is empty too. */
SURETY_API bool surety_user_folder(surety_str given, surety_str home,
                                   const char *below, surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
