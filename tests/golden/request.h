/* SPDX-License-Identifier: Apache-2.0 */
/* request.h: a request as text, for the cases of transports:
 *
 *     METHOD URL        in which HOST is the server's address
 *     NAME: VALUE       headers; "!NAME: VALUE": one that is secret
 *     @OPTION           of the exchange, the program's matter
 *
 *     the body, after an empty line */
#ifndef SURETY_TESTS_GOLDEN_REQUEST_H
#define SURETY_TESTS_GOLDEN_REQUEST_H

#include <surety/provider.h>

#include "base/base.h"
#include "golden/cases.h"

enum { REQUEST_HEADERS_MAX = 8 };

struct golden_request {
    surety_request request;
    surety_header headers[REQUEST_HEADERS_MAX];
    surety_buf url;
    void *ctx; /* of option */
    void (*option)(void *ctx, surety_str line);
};

static inline void golden_request_header(struct golden_request *given,
                                         surety_str line)
{
    const bool secret = golden_take(&line, "!");
    const size_t colon = surety__str_find(line, SURETY__LITERAL(": "));
    surety_request *request = &given->request;

    if (request->header_count == REQUEST_HEADERS_MAX || colon == line.len)
        golden_die("no header", line.ptr);
    given->headers[request->header_count++] =
        (surety_header){.name = {line.ptr, colon},
                        .value = {line.ptr + colon + 2, line.len - colon - 2},
                        .secret = secret};
}

/* Reads text into given, whose ctx and option are set. Its texts are those of
 * text, and url, which the caller ends. */
static inline void golden_request_read(surety_str text, const char *host,
                                       struct golden_request *given)
{
    const surety_str mark = SURETY__LITERAL("HOST");
    surety_request *request = &given->request;
    surety_str line = {"", 0};
    size_t at;

    *request =
        (surety_request){.size = sizeof(*request), .headers = given->headers};
    surety_buf_init(&given->url, NULL, 0);
    golden_line(&text, &line);
    at = surety__str_find(line, SURETY__LITERAL(" "));
    if (at == line.len)
        golden_die("no URL", line.ptr);
    request->method = (surety_str){line.ptr, at};
    line.ptr += at + 1;
    line.len -= at + 1;
    at = surety__str_find(line, mark);
    surety_buf_append(&given->url, line.ptr, at);
    if (at < line.len) {
        surety_buf_text(&given->url, host);
        at += mark.len;
        surety_buf_append(&given->url, line.ptr + at, line.len - at);
    }
    request->url = surety_buf_str(&given->url);
    while (golden_line(&text, &line) && line.len) {
        if (line.ptr[0] == '@')
            given->option(given->ctx, line);
        else
            golden_request_header(given, line);
    }
    request->body = text;
}

/* What a number at the start of text is. */
static inline uint32_t golden_number(surety_str text)
{
    uint32_t number = 0;

    for (size_t i = 0; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9';
         i++)
        number = number * 10 + (uint32_t)(text.ptr[i] - '0');
    return number;
}

#endif
