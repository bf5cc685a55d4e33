/* SPDX-License-Identifier: Apache-2.0 */
/* surety/base.h: what all other headers use: the status of a call, text as
 * pointer and length, the caller's allocator, a growing buffer, and every limit
 * with its default. Nothing here reads or checks JSON.
 *
 * Threads: each header gives one keyword for each of its objects:
 *   frozen  any number of threads may use the object at once (schema,
 *           contract);
 *   owned   one thread at a time may use the object, which may move between
 *           threads (a doc while it is being filled, checker, judge, buffer);
 *   none    the functions keep no state. No library has global state. */
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

/* Returns the version of the loaded library, "MAJOR.MINOR.PATCH". */
SURETY_API const char *surety_version(void);

/* How a call ended. Zero: success. Above zero: no failure, but the call needs
 * more input or has no more output. Below zero: failure. */
typedef enum surety_status {
    SURETY_OK = 0,
    SURETY_MORE = 1,         /* not done: call again, with more input where that
                              * is what it waits for */
    SURETY_END = 2,          /* no (more) output */
    SURETY_NOMEM = -1,       /* out of memory */
    SURETY_LIMIT = -2,       /* a limit of surety_limits was reached */
    SURETY_MISUSE = -3,      /* the caller broke a documented rule; nothing
                              * changed */
    SURETY_SYNTAX = -4,      /* the input does not have the required form */
    SURETY_UNSUPPORTED = -5, /* understood, and not supported by design */
    SURETY_IO = -6,          /* a file, a process or a library could not be
                              * used */
    SURETY_TIMEOUT = -7,     /* a time limit passed */
    SURETY_CANCELLED = -8    /* the caller cancelled the call */
} surety_status;

/* Returns the name of a status in lower case ("ok", "limit", ...); never
 * NULL. */
SURETY_API const char *surety_status_name(surety_status status);

/* Text: len bytes at ptr, not zero-terminated, UTF-8 unless documented
 * otherwise. A surety_str never owns its bytes. ptr may be NULL for the empty
 * text. */
typedef struct surety_str {
    const char *ptr;
    size_t len;
} surety_str;

/* Returns the text up to the terminating zero, as a reference; NULL gives the
 * empty text. */
SURETY_API surety_str surety_str_of(const char *zero_terminated);
SURETY_API bool surety_str_equal(surety_str a, surety_str b);

/* A position in a text. line and column start at 1; column counts code points;
 * offset and length are bytes. line 0 means no position. */
typedef struct surety_position {
    size_t offset;
    size_t length;
    uint32_t line;
    uint32_t column;
} surety_position;

/* Returns the position of the byte at offset in text. CR, LF and CRLF end a
 * line. An offset past the end gives the position of the end. Linear in
 * offset. */
SURETY_API surety_position surety_position_at(surety_str text, size_t offset,
                                              size_t length);

/* Why a call failed. The caller owns the struct, and may pass NULL for every
 * surety_error parameter. A call writes it only on failure, then writes all of
 * its members, and allocates nothing for it. All texts are zero-terminated.
 * message is one sentence without a full stop that describes the error; hint
 * (may be empty) says how to fix it. */
typedef struct surety_error {
    surety_status status;
    surety_position position; /* in the text that the call was reading */
    char source[256];         /* file or URI of that text; may be empty */
    char path[256];           /* JSON Pointer in that text; may be empty */
    char message[320];
    char hint[256];
} surety_error;

/* The caller's allocator. resize(ctx, NULL, 0, n) allocates, resize(ctx, p, n,
 * m) grows or shrinks, resize(ctx, p, n, 0) frees and returns NULL. If resize
 * returns NULL for a size above 0, it is out of memory, and p stays allocated.
 * Blocks must be aligned like malloc's. A NULL surety_alloc means libc's
 * allocator. The allocator must outlive all objects made with it. */
typedef struct surety_alloc {
    void *(*resize)(void *ctx, void *ptr, size_t size_old, size_t size_new);
    void *ctx;
} surety_alloc;

/* A growing text; the caller owns it. ptr may be NULL while len is 0. The first
 * failure is kept in status, and later appends do nothing, so a writer needs to
 * check status only once, at the end. */
typedef struct surety_buf {
    char *ptr;
    size_t len;
    size_t cap;
    size_t max; /* most bytes that it may hold */
    surety_status status;
    const surety_alloc *alloc;
} surety_buf;

/* Makes an empty buffer; surety_buf_done frees its memory. max 0: SIZE_MAX / 2.
 * The allocator is kept by reference. */
SURETY_API void surety_buf_init(surety_buf *buf, const surety_alloc *alloc,
                                size_t max);
SURETY_API void surety_buf_done(surety_buf *buf);
/* Empties the buffer and clears its status; keeps the memory for reuse. */
SURETY_API void surety_buf_reset(surety_buf *buf);
SURETY_API void surety_buf_append(surety_buf *buf, const char *ptr, size_t len);
SURETY_API void surety_buf_add(surety_buf *buf, surety_str str);
SURETY_API void surety_buf_text(surety_buf *buf, const char *zero_terminated);
SURETY_API void surety_buf_byte(surety_buf *buf, char byte);
SURETY_API void surety_buf_number(surety_buf *buf, uint64_t number);
/* Appends a text that is safe to show on a terminal: characters that it would
 * interpret, or that reverse or hide text, become \xNN or \u{NNNN}; so do bytes
 * that are not UTF-8. keeps_lines: line feeds and tabs stay. */
SURETY_API void surety_buf_shown(surety_buf *buf, surety_str text,
                                 bool keeps_lines);
/* Returns the content, valid until the next call on the buffer. */
SURETY_API surety_str surety_buf_str(const surety_buf *buf);

/* Every limit, with its default and the reason for the default. A member that
 * is 0 means the default, and so does a NULL surety_limits. A call that exceeds
 * a limit fails with SURETY_LIMIT; its message names the limit and its
 * value. */
typedef struct surety_limits {
    size_t size; /* sizeof(surety_limits) of the caller's header */
    /* Bytes of one JSON text or one reply; 32 MiB, which is what providers
     * accept in one request. At most 4 GiB - 64, because offsets have 32
     * bits. */
    size_t text_bytes_max;
    /* Nesting of arrays and objects; 512: more than real documents have, and
     * less than what makes other tools fail. */
    uint32_t depth_max;
    /* Characters of one number; 1,000, so that exact arithmetic stays cheap. At
     * most 2,048. */
    uint32_t number_len_max;
    /* Bytes of one string, 16 MiB, and of one key, 64 KiB. */
    uint32_t string_len_max;
    uint32_t key_len_max;
    /* Values in one document, keys included; 8 million. */
    uint32_t values_max;
    /* Bytes of one schema document, 2 MiB; subschemas in one compile, 100,000;
     * nesting of subschemas, 128; documents in one compile, 256. */
    size_t schema_bytes_max;
    uint32_t schema_nodes_max;
    uint32_t schema_depth_max;
    uint32_t schema_documents_max;
    /* Nested applications of subschemas to the same value ($ref, allOf, ...),
     * counted when a schema is compiled; 256. */
    uint32_t inplace_depth_max;
    /* Bytes of one pattern, 64 KiB; steps of one match, 100,000 plus 8 for each
     * byte of the text; heap of one match in KiB, 8 MiB. */
    uint32_t pattern_len_max;
    uint32_t pattern_match_max;
    uint32_t pattern_heap_kib_max;
    /* Steps of one check: work_per_value for each value of the instance, plus
     * work_base; 512 and 1 million. One step is one subschema applied to one
     * value, 64 bytes or 8 steps of a pattern, 64 bytes compared, or 16 members
     * searched. */
    uint32_t work_per_value;
    uint32_t work_base;
    /* Findings in one report; 32. The report says when there were more. */
    uint32_t findings_max;
    /* Candidates tried in one reply; 256. */
    uint32_t candidates_max;
    /* Time and memory of one evaluation of a contract's rules; 2,000 ms and 256
     * MiB. */
    uint32_t rule_time_ms_max;
    uint32_t rule_memory_mib_max;
    /* Repairs kept for one value; 1,024. Further ones are only counted. */
    uint32_t repairs_max;
    /* A stream is running away after this many consecutive bytes of white space
     * outside of strings (blank_run_max; 4 KiB, more than the deepest indent),
     * or after this many bytes that repeat a text of at most 256 bytes
     * (repeat_run_max; 32 KiB, some 8,000 tokens). */
    uint32_t blank_run_max;
    uint32_t repeat_run_max;
    /* In place of repeat_run_max where the repeated text is complete items of
     * an array, in a value that may still satisfy its contract: up to this many
     * bytes they are data; 8 MiB, more than a model can write in one reply. */
    uint32_t repeat_data_max;
    /* Bytes of the raw text of one attempt, and of its rejected candidate, in a
     * run's report; 64 KiB: longer than nearly every reply, and all attempts of
     * a run together stay below a megabyte. */
    uint32_t attempt_raw_max;
    /* Results that one check remembers, each of one subschema for one value;
     * 262,144. It begins to remember them when it takes long. */
    uint32_t memo_max;
    /* Bytes of one image, document or audio; 24 MiB: in base64 that is the 32
     * MiB of a provider's request. */
    size_t media_bytes_max;
    /* Messages of one conversation; 100,000, as many as a provider takes. */
    uint32_t messages_max;
    /* Tools that one server of the Model Context Protocol lists, and pages of
     * its list; 1,024, ten times what large servers have. */
    size_t server_tools_max;
} surety_limits;

/* Returns given (may be NULL) with each 0 replaced by its default. */
SURETY_API surety_limits surety_limits_of(const surety_limits *given);

/* Describes one member of surety_limits, for command lines and configuration
 * files that set limits by name. The texts are constants. */
typedef struct surety_limit {
    const char *name; /* name of the member */
    const char *what; /* what it limits: a phrase */
    const char *why;  /* reason for the default: a phrase */
    uint64_t usual;   /* the default */
    uint64_t max; /* largest value that surety_limits_set accepts; the smallest
                   * is 1 */
} surety_limit;
/* Gives the i-th limit, in the order of the struct. False: i is past the
 * last. */
SURETY_API bool surety_limit_at(size_t i, surety_limit *ret_limit);
/* Sets the member called name. value is a number in decimal digits; a suffix K,
 * M or G multiplies it by 1,024, 1,024^2 or 1,024^3. SURETY_SYNTAX: there is no
 * such limit (the hint gives the nearest name), or value is no such number;
 * SURETY_MISUSE: limits->size does not include that member. */
SURETY_API surety_status surety_limits_set(surety_limits *limits,
                                           surety_str name, surety_str value,
                                           surety_error *reterr);

/* ---- files --------------------------------------------------------------- */

/* Writes bytes to the file at path, completely or not at all: it writes a
 * temporary file in the same folder and renames it. An existing file is
 * SURETY_MISUSE unless replace is set. It is replaced, not written to, so a
 * symbolic link itself is replaced, not its target. SURETY_IO: the message
 * gives the system's reason. Allocates nothing. */
SURETY_API surety_status surety_file_write(surety_str path, surety_str bytes,
                                           bool replace, surety_error *reterr);
/* Appends the folder of one kind of a user's files (XDG Base Directory
 * Specification 0.8). given is the value of the variable, such as
 * XDG_CONFIG_HOME; it is the folder if it is an absolute path. Otherwise the
 * folder is home/below, such as $HOME/.config. Returns false and appends
 * nothing if home is needed and empty. */
SURETY_API bool surety_user_folder(surety_str given, surety_str home,
                                   const char *below, surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
