/* SPDX-License-Identifier: Apache-2.0 */
/* A chunked body (RFC 9112, section 7.1), as strictly as the head: each line
 * ends in CRLF, a size is at most 16 hexadecimal digits, and nothing stands
 * between a chunk's bytes and its CRLF. Extensions and trailer fields are read
 * past; their bytes are bounded. */
#include "serve/head.h"

enum {
    CHUNKS_SIZE = 0, /* digits of a size */
    CHUNKS_EXTENSION,
    CHUNKS_SIZE_LF,
    CHUNKS_DATA,
    CHUNKS_DATA_CR,
    CHUNKS_DATA_LF,
    CHUNKS_LINE, /* the begin of a trailer field, or of the empty line */
    CHUNKS_TRAILER,
    CHUNKS_TRAILER_LF,
    CHUNKS_LAST_LF,
    CHUNKS_END
};

enum { CHUNKS_DIGITS_MAX = 16 };

static const surety__serve_fault chunks_wrong = {
    400, "a chunk of the body is not SIZE, CRLF, bytes, CRLF"};
static const surety__serve_fault chunks_long = {
    431, "the body's chunk extensions and trailer fields are too long"};

/* A byte of an extension or of a trailer field. NULL: it may stand there. */
static const surety__serve_fault *chunks_pass(surety__chunks *chunks, char byte)
{
    if (((unsigned char)byte < ' ' && byte != '\t') || byte == 0x7F)
        return &chunks_wrong;
    return ++chunks->extra > SURETY__SERVE_EXTRA_MAX ? &chunks_long : NULL;
}

static const surety__serve_fault *chunks_size(surety__chunks *chunks, char byte)
{
    const unsigned digit = surety__hex_digit(byte);

    if (digit < 16) {
        chunks->left = chunks->left << 4 | digit;
        return ++chunks->digits > CHUNKS_DIGITS_MAX ? &chunks_wrong : NULL;
    }
    if (!chunks->digits || (byte != ';' && byte != '\r'))
        return &chunks_wrong;
    chunks->state = byte == ';' ? CHUNKS_EXTENSION : CHUNKS_SIZE_LF;
    return NULL;
}

/* Takes one byte that is no content. */
static const surety__serve_fault *chunks_step(surety__chunks *chunks, char byte)
{
    switch (chunks->state) {
    case CHUNKS_SIZE: return chunks_size(chunks, byte);
    case CHUNKS_EXTENSION:
        if (byte != '\r')
            return chunks_pass(chunks, byte);
        chunks->state = CHUNKS_SIZE_LF;
        return NULL;
    case CHUNKS_SIZE_LF:
        chunks->state = chunks->left ? CHUNKS_DATA : CHUNKS_LINE;
        break;
    case CHUNKS_DATA_CR:
        chunks->state = CHUNKS_DATA_LF;
        return byte == '\r' ? NULL : &chunks_wrong;
    case CHUNKS_DATA_LF:
        chunks->state = CHUNKS_SIZE;
        chunks->digits = 0;
        break;
    case CHUNKS_LINE:
        chunks->state = byte == '\r' ? CHUNKS_LAST_LF : CHUNKS_TRAILER;
        if (byte == '\r')
            return NULL;
        return byte == ' ' || byte == '\t' ? &chunks_wrong
                                           : chunks_pass(chunks, byte);
    case CHUNKS_TRAILER:
        if (byte != '\r')
            return chunks_pass(chunks, byte);
        chunks->state = CHUNKS_TRAILER_LF;
        return NULL;
    case CHUNKS_TRAILER_LF: chunks->state = CHUNKS_LINE; break;
    default: chunks->state = CHUNKS_END; break;
    }
    return byte == '\n' ? NULL : &chunks_wrong;
}

surety_status surety__serve_chunks(surety__chunks *chunks, surety_str bytes,
                                   size_t *ret_used, surety_buf *out,
                                   surety__serve_fault *ret_fault)
{
    const surety__serve_fault *fault = NULL;
    size_t at = 0;

    assert(chunks->state != CHUNKS_END);
    while (at < bytes.len && !fault && chunks->state != CHUNKS_END) {
        if (chunks->state == CHUNKS_DATA) {
            const size_t here = bytes.len - at;
            const size_t len =
                chunks->left < here ? (size_t)chunks->left : here;

            surety_buf_append(out, bytes.ptr + at, len);
            at += len;
            chunks->left -= len;
            if (!chunks->left)
                chunks->state = CHUNKS_DATA_CR;
        } else {
            fault = chunks_step(chunks, bytes.ptr[at++]);
        }
    }
    if (fault) {
        *ret_fault = *fault;
        return SURETY_SYNTAX;
    }
    *ret_used = at;
    return chunks->state == CHUNKS_END ? SURETY_OK : SURETY_MORE;
}
