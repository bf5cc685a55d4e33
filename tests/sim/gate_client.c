/* SPDX-License-Identifier: Apache-2.0 */
/* Clients on real sockets: they send in odd pieces, one request after the other
 * or all at once, read slowly, and hang up at any byte. Each reads its answers
 * by the rules of HTTP/1.1 (RFC 9112) and nothing of the gateway's own. */
#define _GNU_SOURCE /* memmem */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

#include "base/base.h"
#include "sim/chance.h"
#include "sim/gate.h"

/* ---- answers ------------------------------------------------------------- */

surety_str gate_header(surety_str head, const char *name)
{
    const size_t len = strlen(name);
    const char *line = head.ptr;
    const char *end = head.len ? head.ptr + head.len : NULL;

    while (line < end) {
        const char *stop = memmem(line, (size_t)(end - line), "\r\n", 2);

        if (!stop)
            stop = end;
        if ((size_t)(stop - line) > len + 1 && line[len] == ':' &&
            !strncasecmp(line, name, len)) {
            line += len + 1;
            while (line < stop && *line == ' ')
                line++;
            return (surety_str){line, (size_t)(stop - line)};
        }
        line = stop + 2;
    }
    return (surety_str){NULL, 0};
}

static size_t number_of(surety_str text, unsigned base, size_t *ret_len)
{
    size_t number = 0, len = 0;

    for (; len < text.len && len < 9; len++) {
        const char byte = text.ptr[len];
        const unsigned digit =
            byte >= '0' && byte <= '9'   ? (unsigned)(byte - '0')
            : byte >= 'a' && byte <= 'f' ? (unsigned)(byte - 'a' + 10)
            : byte >= 'A' && byte <= 'F' ? (unsigned)(byte - 'A' + 10)
                                         : 99;

        if (digit >= base)
            break;
        number = number * base + digit;
    }
    *ret_len = len;
    return number;
}

/* Reads chunks (RFC 9112, 7.1). False: they are wrong. */
static bool answer_chunks(struct gate_answer *answer, surety_str text)
{
    size_t at = 0;

    for (;;) {
        const surety_str rest = {text.ptr + at, text.len - at};
        const char *line =
            rest.len ? memmem(rest.ptr, rest.len, "\r\n", 2) : NULL;
        size_t digits, len, left;

        if (!line)
            return rest.len < 12;
        len = number_of(rest, 16, &digits);
        if (!digits || rest.ptr + digits != line)
            return false;
        at += digits + 2;
        left = text.len - at;
        if (left < len + 2) {
            surety_buf_append(&answer->body, text.ptr + at,
                              left < len ? left : len);
            return left <= len || text.ptr[at + len] == '\r';
        }
        surety_buf_append(&answer->body, text.ptr + at, len);
        at += len;
        if (memcmp(text.ptr + at, "\r\n", 2) != 0)
            return false;
        at += 2;
        if (!len) {
            answer->is_whole = true;
            answer->len += at;
            return true;
        }
    }
}

/* Reads as much of an answer as has come; is_head: it has no body. False: it is
 * no HTTP. */
static bool answer_read(struct gate_answer *answer, surety_str text,
                        bool is_head)
{
    const char *stop =
        text.len ? memmem(text.ptr, text.len, "\r\n\r\n", 4) : NULL;
    surety_str length, coding, rest;
    size_t digits, len;

    if (!stop)
        return text.len < 9 || !memcmp(text.ptr, "HTTP/1.1 ", 9);
    if (text.len < 13 || memcmp(text.ptr, "HTTP/1.1 ", 9) != 0)
        return false;
    answer->status = (int)number_of((surety_str){text.ptr + 9, 3}, 10, &digits);
    answer->head = (surety_str){text.ptr, (size_t)(stop - text.ptr) + 2};
    answer->len = answer->head.len + 2;
    answer->closes = surety_str_equal(gate_header(answer->head, "Connection"),
                                      surety_str_of("close"));
    length = gate_header(answer->head, "Content-Length");
    coding = gate_header(answer->head, "Transfer-Encoding");
    rest = (surety_str){text.ptr + answer->len, text.len - answer->len};
    if (digits != 3 || !length.ptr == !coding.ptr)
        return false;
    if (coding.ptr)
        return surety_str_equal(coding, surety_str_of("chunked")) &&
               answer_chunks(answer, rest);
    len = number_of(length, 10, &digits);
    if (digits != length.len)
        return false;
    if (is_head)
        len = 0;
    answer->is_whole = rest.len >= len;
    surety_buf_append(&answer->body, rest.ptr, rest.len < len ? rest.len : len);
    answer->len += len;
    return true;
}

/* ---- clients ------------------------------------------------------------- */

void gate_client_make(struct gate *gate, struct gate_client *client,
                      bool is_user)
{
    *client = (struct gate_client){
        .ask_count = 1 + gate_below(gate, GATE_ASKS),
        .is_user = is_user,
        .user_ms = gate_below(gate, gate_one_in(gate, 2) ? 4000 : 30000),
        .hash = CHANCE_HASH,
        .pipelines = !is_user && gate_one_in(gate, 4),
        .write_len = gate_one_in(gate, 2) ? 65536 : 1 + gate_below(gate, 300),
        .read_len = gate_one_in(gate, 2) ? 65536 : 1 + gate_below(gate, 500),
        .gap_ms = gate_one_in(gate, 2) ? 0 : gate_below(gate, 400),
        .next_ms = gate->now_ms + gate_below(gate, 3000),
        .hang_at = SIZE_MAX};
    surety_buf_init(&client->out, NULL, 0);
    surety_buf_init(&client->in, NULL, 0);
    client->link.fd = -1;
    if (is_user) { /* the files of the page are long */
        client->read_len *= 64;
        return;
    }
    for (; client->written < client->ask_count; client->written++)
        gate_ask_write(gate, client, &client->asks[client->written]);
    if (gate_one_in(gate, 5))
        client->hang_at = gate_below(gate, client->out.len + 1);
    if (client->out.status)
        abort();
}

void gate_client_done(struct gate_client *client)
{
    gate_link_close(&client->link);
    surety_buf_done(&client->out);
    surety_buf_done(&client->in);
}

static void client_end(struct gate_client *client)
{
    gate_link_close(&client->link);
    client->is_over = true;
}

/* Connects, and begins with the ask that is next. */
static void client_dial(struct gate *gate, struct gate_client *client)
{
    client->dials++;
    client->sent = client->asks[client->at].start;
    client->dialled_ms = gate->now_ms;
    surety_buf_reset(&client->in);
    if (!gate_link_open(gate, &client->link)) {
        gate_must(gate, gate->is_closing, "a gateway that serves is there");
        client_end(client);
    }
}

/* How many of its bytes it may send by now. */
static size_t client_until(const struct gate_client *client)
{
    const size_t until =
        client->pipelines ? client->out.len : client->asks[client->at].end;

    return until < client->hang_at ? until : client->hang_at;
}

static void client_send(struct gate *gate, struct gate_client *client)
{
    const size_t until = client_until(client);

    while (client->sent < until) {
        const size_t left = until - client->sent;
        const ssize_t sent =
            gate_link_send(&client->link, client->out.ptr + client->sent,
                           left < client->write_len ? left : client->write_len);

        if (sent < 0)
            return; /* the answer, or the end, says why */
        for (size_t i = client->at; i < client->ask_count; i++)
            if (client->asks[i].start >= client->sent &&
                client->asks[i].start < client->sent + (size_t)sent)
                client->asks[i].begun_ms = gate->now_ms;
        client->sent += (size_t)sent;
        client->waits = false;
        if (client->is_user && client->sent == client->asks[client->at].end)
            gate_page_sent(gate, &client->asks[client->at]);
        if (client->gap_ms)
            return;
    }
    if (client->sent >= client->hang_at || gate_link_is_cut(&client->link)) {
        gate->bench->tally.hung_up++;
        gate->is_staying = false;
        client_end(client);
    }
}

/* What TLS adds to an answer: a cut is no end, and an end is no cut. */
static void check_link(struct gate *gate, struct gate_client *client,
                       const struct gate_answer *answer)
{
    struct gate_link *link = &client->link;

    gate->bench->tally.secured += gate->is_tls && !link->is_plain;
    if (link->is_plain)
        gate_must(gate,
                  (answer->status == 400 &&
                   (gate_has(surety_buf_str(&answer->body), "takes TLS") ||
                    client->asks[client->at].page.is_head)) ||
                      gate->memory.starved || gate->is_closing,
                  "a client without TLS gets the answer that it needs it");
    if (!gate->is_tls || link->is_faulty || !answer->status)
        return;
    if (!answer->is_whole)
        gate_must(gate, !gate_link_is_closed_well(link),
                  "an answer that was cut has no end of TLS behind it");
    else if (answer->closes && link->is_smooth && !gate->is_closing)
        gate_must(gate, gate_link_is_closed_well(link),
                  "an end of TLS is behind the last answer");
}

/* Looks at an answer; ended: no more of it will come. False: more of it has to
 * come. */
static bool client_look(struct gate *gate, struct gate_client *client,
                        bool ended)
{
    struct gate_ask *ask = &client->asks[client->at];
    struct gate_answer answer = {.status = 0};
    bool is_read;

    surety_buf_init(&answer.body, NULL, 0);
    is_read =
        answer_read(&answer, surety_buf_str(&client->in), ask->page.is_head);
    gate_must(gate, is_read, "an answer has the form of HTTP");
    if (!is_read || (!answer.is_whole && !ended)) {
        surety_buf_done(&answer.body);
        return false;
    }
    ask->is_answered = true;
    check_link(gate, client, &answer);
    if (client->link.is_plain) { /* of this answer the service knows nothing */
        surety_buf_done(&answer.body);
        client_end(client);
        return false;
    }
    gate_check_answer(gate, client, ask, &answer);
    client->hash = chance_hash(client->hash, client->in.ptr,
                               answer.is_whole ? answer.len : client->in.len);
    gate->answered += answer.is_whole && answer.status != 408;
    client->at++;
    surety_buf_done(&answer.body);
    if (ended || answer.closes) {
        gate_link_close(&client->link);
    } else {
        client->in.len -= answer.len;
        memmove(client->in.ptr, client->in.ptr + answer.len, client->in.len);
    }
    if (client->at == client->ask_count) {
        gate_must(gate, client->link.fd < 0 || !client->in.len,
                  "nothing follows the last answer");
        client_end(client);
    }
    return client->link.fd >= 0;
}

static void client_receive(struct gate *gate, struct gate_client *client)
{
    char block[65536];
    ssize_t got;

    do {
        got = gate_link_receive(&client->link, block,
                                client->read_len < sizeof(block)
                                    ? client->read_len
                                    : sizeof(block));
        if (got > 0) {
            client->waits = false;
            gate_note(gate, block, (size_t)got);
            surety_buf_append(&client->in, block, (size_t)got);
            while (client->link.fd >= 0 && client->in.len &&
                   client_look(gate, client, false))
                continue;
        }
    } while (got > 0 && client->link.fd >= 0 && !client->gap_ms);
    if (client->link.fd < 0 || got > 0 ||
        (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return;
    client->waits = false;
    /* The connection has ended: an idle one may, and is dialled again. */
    if (!client->in.len && client->sent == client->asks[client->at].start &&
        client->dials < 8) {
        gate_link_close(&client->link);
        return;
    }
    (void)client_look(gate, client, true);
}

void gate_client_move(struct gate *gate, struct gate_client *client)
{
    if (client->is_over || client->next_ms > gate->now_ms)
        return;
    client->waits = client->link.fd >= 0;
    client->link.moves = false;
    if (client->is_user && client->written == client->at) {
        gate_page_write(gate, client, &client->asks[client->at]);
        client->written++;
        client->sent = client->asks[client->at].start;
        client->next_ms = gate->now_ms + client->user_ms;
        client->waits = false;
        return;
    }
    if (client->link.fd < 0) {
        client_dial(gate, client);
        client->waits = true; /* until it has sent something */
    }
    if (client->link.fd >= 0)
        client_send(gate, client);
    if (client->link.fd >= 0)
        client_receive(gate, client);
    /* A pause follows what it sent or read. What it waits for is read when it
     * comes, however often it was looked at before. */
    if (!client->waits)
        client->next_ms = gate->now_ms + client->gap_ms;
    /* Records that it does not see. */
    if (client->waits && client->link.moves) {
        client->waits = false;
        client->next_ms =
            gate->now_ms + (client->link.is_smooth ? 0 : client->gap_ms);
    }
}

uint64_t gate_clients_next_ms(const struct gate *gate)
{
    uint64_t next_ms = UINT64_MAX;

    for (size_t i = 0; i < gate->client_count; i++) {
        const struct gate_client *client = &gate->clients[i];
        /* One that only waits for its answer is looked at in every step. */
        if (!client->is_over && !client->waits && client->next_ms < next_ms)
            next_ms = client->next_ms;
    }
    return next_ms;
}

bool gate_clients_over(const struct gate *gate)
{
    for (size_t i = 0; i < gate->client_count; i++)
        if (!gate->clients[i].is_over)
            return false;
    return true;
}
