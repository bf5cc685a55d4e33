/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/1.1 as it is read from a client: the head of a request, and a chunked
 * body. Both are pure: bytes in, and the same result however they were cut.
 *
 * They take only what RFC 9110 and RFC 9112 let a client send, and nothing that
 * two servers behind each other could read in two ways. */
#ifndef SURETY_SERVE_HEAD_H
#define SURETY_SERVE_HEAD_H

#include <surety/provider.h>

#include "base/base.h"

/* Why a request is refused. */
typedef struct surety__serve_fault {
    int status;          /* of HTTP */
    const char *message; /* a sentence, for the client */
} surety__serve_fault;

/* Header fields in a head; clients send about 20. More: 431. */
#define SURETY__SERVE_FIELDS_MAX 100

/* The head of a request. Its texts refer to the bytes that were read. */
typedef struct surety__serve_head {
    surety_str method;
    surety_str target; /* begins with "/", or is "*" */
    const surety_header *fields;
    size_t field_count;
    uint64_t body_len; /* of a body that is not chunked */
    bool is_chunked;
    bool is_old;      /* HTTP/1.0 */
    bool keeps_alive; /* the connection is for more requests */
    bool expects;     /* the client waits for 100 before it sends the body */
} surety__serve_head;

/* Looks for the end of a head in the bytes that have come. *at says how far
 * they were looked at; it begins at 0. OK: *ret_len is the length of the head
 * with its empty line. MORE: it has not ended. SYNTAX: it has a byte that no
 * head may have; *ret_fault says which. */
surety_status surety__serve_find(surety_str bytes, size_t *at, size_t *ret_len,
                                 surety__serve_fault *ret_fault);
/* Reads a head that surety__serve_find found. SYNTAX with *ret_fault; NOMEM.
 * The list of fields belongs to the arena. */
surety_status surety__serve_read(surety_str bytes, surety__arena *arena,
                                 surety__serve_head *ret_head,
                                 surety__serve_fault *ret_fault);
/* The value of the first field of that name; ptr NULL: absent. */
surety_str surety__serve_field(const surety__serve_head *head,
                               const char *name);

/* The position in a chunked body (RFC 9112, section 7.1); all zero at first. */
typedef struct surety__chunks {
    int state;
    unsigned digits; /* of the chunk's size */
    uint64_t left;   /* bytes of the chunk that are to come */
    size_t extra;    /* bytes of extensions and trailers so far */
} surety__chunks;

/* Bytes of chunk extensions and trailer fields in one body, which are read past
 * because nothing needs them. More: 431. */
#define SURETY__SERVE_EXTRA_MAX 8192

/* Reads what bytes has of a chunked body, and appends its content to out. OK:
 * the body has ended; *ret_used bytes belong to it. MORE: all bytes do. SYNTAX
 * with *ret_fault. Where out has a failure it is left as it is. */
surety_status surety__serve_chunks(surety__chunks *chunks, surety_str bytes,
                                   size_t *ret_used, surety_buf *out,
                                   surety__serve_fault *ret_fault);

#endif
