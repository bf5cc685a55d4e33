/* SPDX-License-Identifier: Apache-2.0 */
/* An answer on its way out: its head, and its body as the service gives it.
 *
 * 1. What goes out is in the connection's buffer, which is empty again before
 *    the service is asked for more. So a slow reader holds one block, and one
 *    that waits for the service holds nothing.
 * 2. The end of a body is known by its length, by a last chunk, or by the end
 *    of the connection. A body that is cut has none of them, so every client
 *    notices.
 * 3. A raw answer is the service's bytes alone, head and all: it may break HTTP
 *    on purpose. */
#include "serve/connection.h"

#include <errno.h>

enum {
    ANSWER_BLOCK = 16384,
    /* Room before a chunk's bytes for its size, and behind them for CRLF. */
    ANSWER_CHUNK_HEAD = 8,
    ANSWER_CHUNK_TAIL = 2
};

/* ---- the head ------------------------------------------------------------ */

/* RFC 9110, section 15, and RFC 6585. */
static const struct {
    int status;
    const char *reason;
} answer_reasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

static const char *answer_reason(int status)
{
    for (size_t i = 0; i < SURETY__COUNT(answer_reasons); i++)
        if (answer_reasons[i].status == status)
            return answer_reasons[i].reason;
    return "";
}

/* RFC 9110, section 5.6.7. */
static void answer_write_date(surety_buf *out, int64_t unix_s)
{
    static const char days[] = "ThuFriSatSunMonTueWed";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const int64_t day = unix_s / 86400;
    const unsigned second = (unsigned)(unix_s % 86400);
    const surety__date date = surety__date_of(day);
    const unsigned parts[] = {second / 3600, second / 60 % 60, second % 60};

    surety__buf_printf(out, "Date: %.*s, %u%u %.*s %u", 3, days + day % 7 * 3,
                       date.day / 10, date.day % 10, 3,
                       months + (date.month - 1) * 3, (unsigned)date.year);
    for (size_t i = 0; i < SURETY__COUNT(parts); i++)
        surety__buf_printf(out, "%c%u%u", i ? ':' : ' ', parts[i] / 10,
                           parts[i] % 10);
    surety_buf_text(out, " GMT\r\n");
}

/* The line is made once a second. */
static void answer_put_date(surety__server *server, surety_buf *out)
{
    surety_buf line = surety__buf_over(server->date, sizeof(server->date));

    if (server->date_s != server->unix_s || !server->date[0]) {
        memset(server->date, 0, sizeof(server->date));
        answer_write_date(&line, server->unix_s);
        server->date_s = server->unix_s;
    }
    surety_buf_text(out, server->date);
}

static void answer_put_line(surety_buf *out, surety_str name, surety_str value)
{
    char *room = surety__buf_room(out, name.len + value.len + 4);

    if (!room)
        return;
    memcpy(room, name.ptr, name.len);
    memcpy(room + name.len, ": ", 2);
    if (value.len)
        memcpy(room + name.len + 2, value.ptr, value.len);
    memcpy(room + name.len + 2 + value.len, "\r\n", 2);
    out->len += name.len + value.len + 4;
}

static bool answer_is_named(const surety_header *header, const char *name)
{
    return surety__str_equal_nocase(header->name, surety_str_of(name));
}

/* Checks what the service says. */
static surety_status answer_check(const surety__response *response,
                                  surety_error *reterr)
{
    if (response->status < 200 || response->status > 999)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a response cannot have the status %d",
                            response->status);
    for (size_t i = 0; i < response->header_count; i++) {
        const surety_header *header = &response->headers[i];
        if (!surety__is_token(header->name) ||
            surety__str_find_control(header->value, true) < header->value.len ||
            answer_is_named(header, "content-length") ||
            answer_is_named(header, "transfer-encoding"))
            return surety__fail(reterr, SURETY_MISUSE,
                                "a response cannot have the header \"%.*s\"",
                                (int)header->name.len, header->name.ptr);
    }
    return SURETY_OK;
}

/* Writes the head. length UINT64_MAX: not known. */
static void answer_put_head(surety__connection *connection,
                            const surety__response *response, uint64_t length)
{
    const surety__serving *exchange = connection->exchange;
    const bool is_old = exchange && exchange->head->is_old;
    const bool has_body = response->status != 204 && response->status != 304;
    surety_buf *out = &connection->out;
    bool has_date = connection->server->options.no_date;

    for (size_t i = 0; i < response->header_count; i++) {
        const surety_header *header = &response->headers[i];
        has_date = has_date || answer_is_named(header, "date");
        if (answer_is_named(header, "connection"))
            connection->is_last = true;
    }
    connection->framing = !has_body              ? FRAMING_DONE
                          : length != UINT64_MAX ? FRAMING_LENGTH
                          : is_old               ? FRAMING_CLOSE
                                                 : FRAMING_CHUNKED;
    if (connection->framing == FRAMING_CLOSE || connection->server->is_leaving)
        connection->is_last = true;
    surety_buf_text(out, "HTTP/1.1 ");
    surety_buf_number(out, (uint64_t)response->status);
    surety_buf_byte(out, ' ');
    surety_buf_text(out, answer_reason(response->status));
    surety_buf_text(out, "\r\n");
    if (!has_date)
        answer_put_date(connection->server, out);
    if (connection->is_last)
        surety_buf_text(out, "Connection: close\r\n");
    else if (is_old)
        surety_buf_text(out, "Connection: keep-alive\r\n");
    for (size_t i = 0; i < response->header_count; i++) {
        const surety_header *header = &response->headers[i];

        if (!answer_is_named(header, "connection"))
            answer_put_line(out, header->name, header->value);
    }
    if (connection->framing == FRAMING_LENGTH) {
        surety_buf_text(out, "Content-Length: ");
        surety_buf_number(out, length);
        surety_buf_text(out, "\r\n");
    } else if (connection->framing == FRAMING_CHUNKED) {
        surety_buf_text(out, "Transfer-Encoding: chunked\r\n");
    }
    surety_buf_text(out, "\r\n");
    connection->left = length;
}

/* Begins an answer of which all is known. */
static surety_status answer_begin(surety__connection *connection,
                                  const surety__response *response,
                                  bool is_silent)
{
    const bool is_whole = response->kind == ANSWER_WHOLE;

    assert(connection->state <= STATE_THINKING && !connection->out.len);
    answer_put_head(connection, response,
                    is_whole ? response->body.len : response->body_len);
    if (is_whole && !is_silent && connection->framing != FRAMING_DONE)
        surety_buf_add(&connection->out, response->body);
    if (is_whole || is_silent ||
        (connection->framing == FRAMING_LENGTH && !connection->left))
        connection->framing = FRAMING_DONE;
    if (connection->out.status) {
        surety_buf_done(&connection->out);
        return SURETY_NOMEM;
    }
    connection->state = STATE_ANSWERING;
    return SURETY_OK;
}

surety_status surety__serving_answer(surety__serving *exchange,
                                     const surety__response *response,
                                     surety_error *reterr)
{
    surety__connection *connection = exchange->connection;
    surety_status status;

    if (connection->state >= STATE_ANSWERING)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the request has its answer already");
    if (response->kind == ANSWER_RAW) {
        connection->state = STATE_ANSWERING;
        connection->framing = FRAMING_RAW;
        connection->is_last = true;
        return SURETY_OK;
    }
    status = answer_check(response, reterr);
    if (status)
        return status;
    status = answer_begin(
        connection, response,
        surety_str_equal(exchange->method, SURETY__LITERAL("HEAD")));
    if (status)
        return surety__fail_nomem(reterr);
    if (response->kind == ANSWER_WHOLE)
        exchange->sent = response->body.len;
    return SURETY_OK;
}

surety__next surety__answer_fault(surety__connection *connection,
                                  const surety__serve_fault *fault)
{
    const surety_header type = {SURETY__LITERAL("Content-Type"),
                                SURETY__LITERAL("application/json"), false};
    const surety__problem problem = {.status = fault->status,
                                     .message = surety_str_of(fault->message)};
    surety__response response = {
        .status = fault->status, .headers = &type, .header_count = 1};
    surety_status status = SURETY_NOMEM;
    surety_buf body;

    surety_buf_init(&body, connection->server->options.alloc, 0);
    surety__speak_error(SURETY_PROTOCOL_OPENAI, &problem, &body);
    response.body = surety_buf_str(&body);
    connection->is_last = true;
    if (!body.status)
        status = answer_begin(connection, &response, false);
    surety_buf_done(&body);
    return status ? NEXT_CLOSE : NEXT_ON;
}

/* ---- the body ------------------------------------------------------------ */

surety__next surety__answer_wait(surety__connection *connection,
                                 uint32_t wait_ms)
{
    connection->is_waiting = true;
    surety__due_set(connection, wait_ms == SERVE_WAIT_LONG
                                    ? SERVE_NEVER
                                    : connection->server->now + wait_ms);
    return NEXT_REST;
}

/* Puts size and CRLF around the bytes that were pulled behind the room for
 * them. */
static void answer_frame(surety__connection *connection, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char *out = connection->out.ptr;
    size_t at = ANSWER_CHUNK_HEAD;

    assert(len > 0);
    out[ANSWER_CHUNK_HEAD + len] = '\r';
    out[ANSWER_CHUNK_HEAD + len + 1] = '\n';
    out[--at] = '\n';
    out[--at] = '\r';
    for (size_t rest = len; rest; rest >>= 4)
        out[--at] = digits[rest & 15];
    connection->out_start = at;
    connection->out.len = ANSWER_CHUNK_HEAD + len + ANSWER_CHUNK_TAIL;
}

static surety__next answer_finish(surety__connection *connection)
{
    if (connection->framing == FRAMING_LENGTH && connection->left)
        return NEXT_CLOSE;
    if (connection->framing == FRAMING_CHUNKED)
        surety_buf_text(&connection->out, "0\r\n\r\n");
    connection->framing = FRAMING_DONE;
    return connection->out.status ? NEXT_CLOSE : NEXT_ON;
}

/* Asks the service for more of the body. */
static surety__next answer_pull(surety__connection *connection)
{
    const surety__service *service = &connection->server->options.service;
    const bool is_chunked = connection->framing == FRAMING_CHUNKED;
    surety__serving *exchange = connection->exchange;
    surety__pull pull = {.size = ANSWER_BLOCK};

    pull.room = surety__buf_room(
        &connection->out, ANSWER_CHUNK_HEAD + ANSWER_BLOCK + ANSWER_CHUNK_TAIL);
    if (!pull.room)
        return NEXT_CLOSE;
    if (is_chunked)
        pull.room += ANSWER_CHUNK_HEAD;
    if (connection->framing == FRAMING_LENGTH && connection->left < pull.size)
        pull.size = (size_t)connection->left;
    switch (service->pull(service->ctx, exchange, &pull)) {
    case FLOW_ON: break;
    case FLOW_WAIT:
        surety_buf_done(&connection->out);
        return surety__answer_wait(connection, pull.wait_ms);
    case FLOW_END: return answer_finish(connection);
    case FLOW_RESET: connection->is_reset = true; return NEXT_CLOSE;
    case FLOW_CUT:
    default: return NEXT_CLOSE;
    }
    assert(pull.len > 0 && pull.len <= pull.size);
    if (is_chunked)
        answer_frame(connection, pull.len);
    else
        connection->out.len = pull.len;
    if (connection->framing != FRAMING_RAW)
        exchange->sent += pull.len;
    if (connection->framing == FRAMING_LENGTH) {
        connection->left -= pull.len;
        if (!connection->left)
            connection->framing = FRAMING_DONE;
    }
    return NEXT_ON;
}

/* Sends what is in the buffer. */
static surety__next answer_send(surety__connection *connection)
{
    surety_buf *out = &connection->out;

    while (connection->out_start < out->len) {
        const ssize_t sent =
            surety__wire_send(connection, out->ptr + connection->out_start,
                              out->len - connection->out_start);

        if (sent < 0 && errno != EAGAIN)
            return NEXT_CLOSE;
        /* A reader that takes nothing for that long is gone. */
        surety__due_set(connection, connection->server->now +
                                        connection->server->options.idle_ms);
        if (sent < 0)
            return NEXT_REST;
        connection->out_start += (size_t)sent;
        if (connection->framing == FRAMING_RAW)
            connection->exchange->sent += (uint64_t)sent;
    }
    connection->out_start = out->len = 0;
    return NEXT_ON;
}

surety__next surety__answer_move(surety__connection *connection)
{
    surety__next next;

    assert(connection->state == STATE_ANSWERING);
    connection->is_waiting = false;
    for (;;) {
        next = answer_send(connection);
        if (next != NEXT_ON || connection->framing == FRAMING_DONE)
            break;
        next = answer_pull(connection);
        if (next != NEXT_ON)
            break;
    }
    return next;
}
