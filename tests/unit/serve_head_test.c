/* SPDX-License-Identifier: Apache-2.0 */
/* Heads and chunked bodies of requests: what is taken, what is refused and with
 * which status, and that it does not matter how the bytes were cut. */
#include "serve/head.h"

#include <string.h>

#include "check.h"

/* Reads a head that comes in pieces of `piece` bytes; *ret_len is its length.
 * MORE: it has not ended. */
static surety_status read_head(surety_str text, size_t piece,
                               surety__arena *arena,
                               surety__serve_head *ret_head, size_t *ret_len,
                               surety__serve_fault *ret_fault)
{
    surety_status status = SURETY_MORE;
    size_t at = 0, came = 0;

    while (status == SURETY_MORE && came < text.len) {
        came = came + piece < text.len ? came + piece : text.len;
        status = surety__serve_find((surety_str){text.ptr, came}, &at, ret_len,
                                    ret_fault);
    }
    if (status)
        return status;
    return surety__serve_read((surety_str){text.ptr, *ret_len}, arena, ret_head,
                              ret_fault);
}

#define TOP "POST /a HTTP/1.1\r\nHost: x\r\n"

TEST(takes_what_the_rfc_allows)
{
    static const struct {
        const char *text;
        const char *target;
        uint64_t body_len;
        size_t fields;
        bool is_chunked, is_old, keeps_alive, expects;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "/", 0, 1, false, false, true,
         false},
        {"GET /a?b=%20#c HTTP/1.1\r\nHost: x:80\r\n\r\n", "/a?b=%20#c", 0, 1,
         false, false, true, false},
        {"GET http://x/a HTTP/1.1\r\nHost: x\r\n\r\n", "/a", 0, 1, false, false,
         true, false},
        {"GET HTTPS://x HTTP/1.1\r\nHost: [::1]:8\r\n\r\n", "/", 0, 1, false,
         false, true, false},
        {"OPTIONS * HTTP/1.1\r\nHost:\r\n\r\n", "*", 0, 1, false, false, true,
         false},
        {"GET / HTTP/1.0\r\n\r\n", "/", 0, 0, false, true, false, false},
        {"GET / HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n", "/", 0, 1,
         false, true, true, false},
        {TOP "Connection: CLOSE\r\n\r\n", "/a", 0, 2, false, false, false,
         false},
        {TOP "Content-Length: 18446744073709551615\r\n\r\n", "/a", UINT64_MAX,
         2, false, false, true, false},
        {TOP "content-length:\t007 \r\n\r\n", "/a", 7, 2, false, false, true,
         false},
        {TOP "Transfer-Encoding: Chunked\r\n\r\n", "/a", 0, 2, true, false,
         true, false},
        {TOP "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\n", "/a", 1, 3,
         false, false, true, true},
        {TOP "X-A: \xFF\t\x80\r\n\r\n", "/a", 0, 2, false, false, true, false},
        {TOP "X-A:\r\nX-A: b\r\n\r\n", "/a", 0, 3, false, false, true, false},
    };
    surety__arena arena;

    surety__arena_init(&arena, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety_str text = surety_str_of(cases[i].text);
        for (size_t piece = 1; piece <= text.len; piece++) {
            surety__serve_head head = {.method = {NULL, 0}};
            surety__serve_fault fault = {0, ""};
            size_t len = 0;

            TRY(read_head(text, piece, &arena, &head, &len, &fault));
            CHECK(len == text.len);
            CHECK_TEXT(head.target, cases[i].target);
            CHECK(head.body_len == cases[i].body_len);
            CHECK(head.field_count == cases[i].fields);
            CHECK(head.is_chunked == cases[i].is_chunked);
            CHECK(head.is_old == cases[i].is_old);
            CHECK(head.keeps_alive == cases[i].keeps_alive);
            CHECK(head.expects == cases[i].expects);
        }
    }
done:
    surety__arena_done(&arena);
}

/* Each of these is read otherwise by some server, or by none. */
static const struct {
    const char *text;
    int status;
    const char *message; /* its begin */
} refused[] = {
    {TOP "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
     "the request says more than once"},
    {TOP "Content-Length: 3\r\nContent-Length: 3\r\n\r\n", 400,
     "the request says more than once"},
    {TOP "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n", 400,
     "the request says more than once"},
    {TOP "Content-Length: 3, 3\r\n\r\n", 400, "Content-Length is not"},
    {TOP "Content-Length: +3\r\n\r\n", 400, "Content-Length is not"},
    {TOP "Content-Length: -1\r\n\r\n", 400, "Content-Length is not"},
    {TOP "Content-Length: 0x3\r\n\r\n", 400, "Content-Length is not"},
    {TOP "Content-Length:\r\n\r\n", 400, "Content-Length is not"},
    {TOP "Content-Length: 18446744073709551619\r\n\r\n", 413, "the body"},
    {TOP "Content-Length : 3\r\n\r\n", 400, "a header field"},
    {TOP "Transfer-Encoding: xchunked\r\n\r\n", 501, "the only Transfer"},
    {TOP "Transfer-Encoding: gzip, chunked\r\n\r\n", 501, "the only Tran"},
    {TOP "Transfer-Encoding: chunked, identity\r\n\r\n", 501, "the only"},
    {TOP "Transfer-Encoding:\r\n\r\n", 501, "the only Transfer"},
    {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
     "HTTP/1.0 has no"},
    {"POST / HTTP/1.1\nHost: x\r\n\r\n", 400, "a line of the request's"},
    {TOP "X-A: b\nX-B: c\r\n\r\n", 400, "a line of the request's"},
    {TOP "\n", 400, "a line of the request's"},
    {TOP "X-A: b\rc\r\n\r\n", 400, "the request's head has a CR"},
    {TOP "X-A: b\r\r\n\r\n", 400, "the request's head has a CR"},
    {TOP "X-A: \x01\r\n\r\n", 400, "the request's head has a control"},
    {TOP "X-A: \x7F\r\n\r\n", 400, "the request's head has a control"},
    {TOP "X-A: b\r\n c\r\n\r\n", 400, "a header field"},
    {TOP "X-A: b\r\n\tc: d\r\n\r\n", 400, "a header field"},
    {TOP "X A: b\r\n\r\n", 400, "a header field"},
    {TOP ": b\r\n\r\n", 400, "a header field"},
    {TOP "X-A\r\n\r\n", 400, "a header field"},
    {TOP "Host: x\r\n\r\n", 400, "the request must have one Host"},
    {"GET / HTTP/1.1\r\n\r\n", 400, "the request must have one Host"},
    {"GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", 400, "the request m"},
    {"GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", 400, "Host is no host"},
    {"GET / HTTP/1.1\r\nHost: a@x\r\n\r\n", 400, "Host is no host"},
    {"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "the request's first"},
    {"GET / HTTP/1.1 \r\nHost: x\r\n\r\n", 400, "the request's first"},
    {"GET /\r\nHost: x\r\n\r\n", 400, "the request's first"},
    {"GET / http/1.1\r\nHost: x\r\n\r\n", 400, "the request's first"},
    {"GET / HTTP/1.10\r\nHost: x\r\n\r\n", 400, "the request's first"},
    {"GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505, "the server speaks"},
    {"GET / HTTP/1.2\r\nHost: x\r\n\r\n", 505, "the server speaks"},
    {"G@T / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "the request's first"},
    {" GET / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "the request's first"},
    {"\r\n\r\n", 400, "the request's first"},
    {"GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400, "the request's target"},
    {"GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, "the request's tar"},
    {"GET /\xC3\xA4 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "the request's fi"},
    {TOP "Expect: 200-ok\r\n\r\n", 417, "the only Expect"},
};

TEST(refuses_the_rest)
{
    surety__arena arena;

    surety__arena_init(&arena, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(refused); i++) {
        const surety_str text = surety_str_of(refused[i].text);
        for (size_t piece = 1; piece <= text.len; piece++) {
            surety__serve_head head;
            surety__serve_fault fault = {0, ""};
            size_t len = 0;
            const surety_status status =
                read_head(text, piece, &arena, &head, &len, &fault);

            if (t->starved)
                goto done;
            CHECK(status == SURETY_SYNTAX);
            CHECK(fault.status == refused[i].status);
            CHECK(strncmp(fault.message, refused[i].message,
                          strlen(refused[i].message)) == 0);
        }
    }
done:
    surety__arena_done(&arena);
}

TEST(bounds_the_fields)
{
    surety__arena arena;
    surety_buf text;

    surety__arena_init(&arena, check_alloc(t), 0);
    surety_buf_init(&text, check_alloc(t), 0);
    for (int over = -1; over <= 1; over++) {
        surety__serve_head head;
        surety__serve_fault fault = {0, ""};
        surety_status status;
        size_t len = 0;

        surety_buf_reset(&text);
        surety_buf_text(&text, "GET / HTTP/1.1\r\nHost: x\r\n");
        for (int i = 1; i < SURETY__SERVE_FIELDS_MAX + over; i++)
            surety_buf_text(&text, "a: b\r\n");
        surety_buf_text(&text, "\r\n");
        TRY(text.status);
        status = read_head(surety_buf_str(&text), text.len, &arena, &head, &len,
                           &fault);
        if (t->starved)
            goto done;
        CHECK(status == (over > 0 ? SURETY_SYNTAX : SURETY_OK));
        CHECK(over <= 0 || fault.status == 431);
    }
done:
    surety_buf_done(&text);
    surety__arena_done(&arena);
}

/* ---- chunked bodies ------------------------------------------------------ */

static surety_status read_chunks(surety_str text, size_t piece, surety_buf *out,
                                 size_t *ret_len,
                                 surety__serve_fault *ret_fault)
{
    surety__chunks chunks = {.state = 0};
    surety_status status = SURETY_MORE;
    size_t at = 0;

    surety_buf_reset(out);
    while (status == SURETY_MORE && at < text.len) {
        const size_t len = text.len - at < piece ? text.len - at : piece;
        size_t used = 0;

        status = surety__serve_chunks(&chunks, (surety_str){text.ptr + at, len},
                                      &used, out, ret_fault);
        if (status == SURETY_SYNTAX)
            return status;
        at += used;
    }
    *ret_len = at;
    return status;
}

TEST(reads_chunks_however_they_are_cut)
{
    static const struct {
        const char *text;
        const char *body; /* NULL: refused; "-": it goes on */
        size_t rest;      /* bytes behind the body */
    } cases[] = {
        {"0\r\n\r\n", "", 0},
        {"3\r\nabc\r\n0\r\n\r\n", "abc", 0},
        {"0003;a=\"b\"\r\nabc\r\n0;c\r\nX: y\r\nZ:\r\n\r\nGET", "abc", 3},
        {"2\r\n\r\n\r\n0\r\n\r\n\r\n", "\r\n", 2},
        {"A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
         "01234567890123456789", 0},
        {"3\r\nab", "-", 0},
        {"3\r\nabc\r\n0\r\n", "-", 0},
        {"0x3\r\nabc\r\n0\r\n\r\n", NULL, 0},
        {"-1\r\n", NULL, 0},
        {"+3\r\nabc\r\n0\r\n\r\n", NULL, 0},
        {" 3\r\nabc\r\n0\r\n\r\n", NULL, 0},
        {"3 \r\nabc\r\n0\r\n\r\n", NULL, 0},
        {"\r\nabc\r\n0\r\n\r\n", NULL, 0},
        {";a\r\n", NULL, 0},
        {"3\nabc\r\n0\r\n\r\n", NULL, 0},
        {"3\r\nabc\n0\r\n\r\n", NULL, 0},
        {"3\r\nabcd\r\n0\r\n\r\n", NULL, 0},
        {"3\r\nabc0\r\n\r\n", NULL, 0},
        {"3\r\rabc\r\n0\r\n\r\n", NULL, 0},
        {"10000000000000000\r\n", NULL, 0},
        {"3;a\nb\r\nabc\r\n0\r\n\r\n", NULL, 0},
        {"3;\x01\r\nabc\r\n0\r\n\r\n", NULL, 0},
        {"0\r\n folded\r\n\r\n", NULL, 0},
        {"0\r\nX: y\n\r\n", NULL, 0},
        {"0\r\nX: \x7F\r\n\r\n", NULL, 0},
        {"0\r\n\n", NULL, 0},
        {"0\r\n\r\r\n", NULL, 0},
    };
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety_str text = surety_str_of(cases[i].text);
        for (size_t piece = 1; piece <= text.len; piece++) {
            surety__serve_fault fault = {0, ""};
            size_t len = 0;
            const surety_status status =
                read_chunks(text, piece, &out, &len, &fault);

            TRY(out.status);
            if (!cases[i].body) {
                CHECK(status == SURETY_SYNTAX && fault.status == 400);
            } else if (cases[i].body[0] == '-') {
                CHECK(status == SURETY_MORE);
            } else {
                CHECK(status == SURETY_OK && len == text.len - cases[i].rest);
                CHECK_TEXT(surety_buf_str(&out), cases[i].body);
            }
        }
    }
done:
    surety_buf_done(&out);
}

/* Extensions and trailers are read past up to a bound, and together. */
TEST(bounds_what_it_reads_past)
{
    surety_buf text, out;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&out, check_alloc(t), 0);
    for (int over = -1; over <= 1; over++) {
        surety__serve_fault fault = {0, ""};
        surety_status status;
        size_t len = 0;

        surety_buf_reset(&text);
        surety_buf_text(&text, "1;");
        for (int i = 0; i < SURETY__SERVE_EXTRA_MAX / 2; i++)
            surety_buf_byte(&text, 'a');
        surety_buf_text(&text, "\r\nx\r\n0\r\n");
        for (int i = 0; i < SURETY__SERVE_EXTRA_MAX / 2 + over; i++)
            surety_buf_byte(&text, 'b');
        surety_buf_text(&text, "\r\n\r\n");
        TRY(text.status);
        status = read_chunks(surety_buf_str(&text), 1000, &out, &len, &fault);
        TRY(out.status);
        CHECK(status == (over > 0 ? SURETY_SYNTAX : SURETY_OK));
        CHECK(over <= 0 || fault.status == 431);
    }
done:
    surety_buf_done(&out);
    surety_buf_done(&text);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"takes what the RFC allows", takes_what_the_rfc_allows},
        {"refuses the rest", refuses_the_rest},
        {"bounds the fields", bounds_the_fields},
        {"reads chunks however they are cut",
         reads_chunks_however_they_are_cut},
        {"bounds what it reads past", bounds_what_it_reads_past},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
