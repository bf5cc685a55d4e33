/* SPDX-License-Identifier: Apache-2.0 */
/* Stage one of the strict reader: every kernel that runs here must find what a
 * plain loop finds, for all lengths and alignments, and touch no byte outside
 * the text: each text ends where readable memory ends. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"

#include "json/index.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { SPAN = 1 << 16, MOST = 3 * TOKENS_WINDOW };

/* What is found in a text, a window at a time. */
struct found {
    uint32_t tokens[MOST + TOKENS_SLACK];
    size_t count;
    uint64_t backslashes[MOST / TOKENS_BLOCK], high[MOST / TOKENS_BLOCK];
    bool broken;
};

struct bench {
    char *page; /* SPAN bytes, and nothing readable behind them */
    struct found want, got;
    uint64_t chance;
};

static struct bench *bench_new(void)
{
    struct bench *bench = calloc(1, sizeof(*bench));

    if (!bench)
        return NULL;
    bench->page = mmap(NULL, 2 * SPAN, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bench->page == MAP_FAILED ||
        mprotect(bench->page + SPAN, SPAN, PROT_NONE)) {
        free(bench);
        return NULL;
    }
    bench->chance = 88172645463325252u;
    return bench;
}

static void bench_free(struct bench *bench)
{
    if (bench)
        munmap(bench->page, 2 * SPAN);
    free(bench);
}

/* The next number of a row (Marsaglia 2003, xorshift). */
static unsigned bench_chance(struct bench *bench, unsigned below)
{
    bench->chance ^= bench->chance << 13;
    bench->chance ^= bench->chance >> 7;
    bench->chance ^= bench->chance << 17;
    return (unsigned)(bench->chance >> 33) % below;
}

/* What a token is, said byte by byte. FF and SUB, which are "," and ":" but for
 * one bit, count as signs; the grammar refuses them. */
static void bench_want(struct found *want, const char *text, size_t len)
{
    bool quoted = false, escaped = false, scalar = false;

    memset(want, 0, sizeof(*want));
    for (size_t i = 0; i < len; i++) {
        const unsigned char byte = (unsigned char)text[i];
        const uint64_t bit = (uint64_t)1 << i % TOKENS_BLOCK;
        bool starts = false;

        want->backslashes[i / TOKENS_BLOCK] |= byte == '\\' ? bit : 0;
        want->high[i / TOKENS_BLOCK] |= byte >= 0x80 ? bit : 0;
        want->broken |= quoted && byte < 0x20;
        if (byte == '"' && !escaped) {
            quoted = !quoted;
            starts = true;
            scalar = false;
        } else if (!quoted) {
            bool sign = byte && strchr("{}[]:,\f\x1A", byte);
            bool space = byte && strchr(" \t\r\n", byte);

            starts = sign || (!space && !scalar);
            scalar = !sign && !space;
        }
        escaped = byte == '\\' && !escaped;
        if (starts)
            want->tokens[want->count++] = (uint32_t)i;
    }
    want->broken |= quoted;
    want->broken |= !surety__utf8_valid((surety_str){text, len}, NULL);
}

static void bench_run(const struct surety__kernel *kernel, struct found *got,
                      const char *text, size_t len)
{
    struct surety__scan scan = {.text = text, .len = len};
    uint32_t *out = got->tokens;

    memset(got, 0, sizeof(*got));
    do {
        const size_t from = scan.next / TOKENS_BLOCK;
        size_t size;

        out = kernel->run(&scan, out);
        size = ((scan.next + TOKENS_BLOCK - 1) / TOKENS_BLOCK - from) *
               sizeof(*scan.high);
        memcpy(got->backslashes + from, scan.backslashes, size);
        memcpy(got->high + from, scan.high, size);
    } while (scan.next < len);
    got->count = (size_t)(out - got->tokens);
    got->broken = scan.broken != 0;
}

/* Whether all kernels find in text what they should; it is moved to the end of
 * the readable memory. */
static bool bench_agrees(struct bench *bench, const char *from, size_t len)
{
    char *text = bench->page + SPAN - len;
    const size_t words = (len + TOKENS_BLOCK - 1) / TOKENS_BLOCK;
    const struct surety__kernel *kernel;

    memmove(text, from, len);
    bench_want(&bench->want, text, len);
    for (size_t i = 0; (kernel = surety__kernel_at(i)) != NULL; i++) {
        struct found *got = &bench->got;

        bench_run(kernel, got, text, len);
        if (got->count != bench->want.count ||
            got->broken != bench->want.broken ||
            memcmp(got->tokens, bench->want.tokens,
                   got->count * sizeof(*got->tokens)) ||
            memcmp(got->backslashes, bench->want.backslashes,
                   words * sizeof(*got->high)) ||
            memcmp(got->high, bench->want.high, words * sizeof(*got->high))) {
            printf("# %s: %zu of %zu tokens in %zu bytes, broken %d\n",
                   kernel->name, got->count, bench->want.count, len,
                   got->broken);
            return false;
        }
    }
    return true;
}

/* Bytes that matter, bytes of UTF-8, or any. */
static void bench_fill(struct bench *bench, char *text, size_t len,
                       unsigned kind)
{
    static const char signs[] = "{}[]:,\"\"\"\\\\ \n\ta0-";
    static const char *const parts[] = {
        "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "abc", "\"", " "};
    size_t i = 0;

    while (i < len) {
        unsigned any = bench_chance(bench, 256);

        if (kind == 0) {
            text[i++] = signs[any % (sizeof(signs) - 1)];
        } else if (kind == 1) {
            const char *part = parts[any % CHECK_COUNT(parts)];

            while (*part && i < len)
                text[i++] = *part++;
        } else {
            text[i++] = (char)any;
        }
    }
}

TEST(finds_the_same_everywhere)
{
    struct bench *bench = bench_new();
    char text[256];

    NEED(bench);
    CHECK(surety__kernel_at(0) && surety__kernel_best());
    for (size_t len = 0; len <= 200; len++)
        for (unsigned i = 0; i < 60; i++) {
            bench_fill(bench, text, len, i % 3);
            CHECK(bench_agrees(bench, text, len));
        }
done:
    bench_free(bench);
}

/* Every text of up to five bytes of each class, and every byte in a string and
 * outside. */
TEST(every_short_text)
{
    static const char classes[] = "{,\"a \t\\\x01\xC3";
    const unsigned count = sizeof(classes) - 1;
    struct bench *bench = bench_new();
    char text[INDEX_SHORT + 1];

    NEED(bench);
    for (unsigned len = 1, all = count; len <= 5; len++, all *= count)
        for (unsigned row = 0; row < all; row++) {
            for (unsigned i = 0, rest = row; i < len; i++, rest /= count)
                text[i] = classes[rest % count];
            CHECK(bench_agrees(bench, text, len));
        }
    for (unsigned byte = 0; byte < 256; byte++)
        for (size_t at = 0; at < sizeof(text); at++) {
            memcpy(text, "[\"abc\", 12,\"xy\"]", sizeof(text));
            text[at] = (char)byte;
            CHECK(bench_agrees(bench, text, sizeof(text)));
            CHECK(bench_agrees(bench, text, sizeof(text) - 1));
        }
done:
    bench_free(bench);
}

TEST(every_byte_and_pair)
{
    struct bench *bench = bench_new();
    char text[TOKENS_BLOCK + 16];

    NEED(bench);
    for (unsigned pair = 0; pair < 65536; pair++) {
        const size_t at = TOKENS_BLOCK - 1 - pair % 3; /* across the blocks */

        memset(text, 'a', sizeof(text));
        text[0] = '"';
        text[at] = (char)(pair >> 8);
        text[at + 1] = (char)pair;
        text[sizeof(text) - 1] = '"';
        CHECK(bench_agrees(bench, text, sizeof(text)));
    }
    /* Sequences of three and four, all second bytes, cut at each byte. */
    for (unsigned lead = 0xE0; lead < 0x100; lead++)
        for (unsigned second = 0x70; second < 0xD0; second++)
            for (size_t len = TOKENS_BLOCK - 1; len < TOKENS_BLOCK + 4; len++) {
                memset(text, ' ', sizeof(text));
                text[TOKENS_BLOCK - 2] = (char)lead;
                text[TOKENS_BLOCK - 1] = (char)second;
                text[TOKENS_BLOCK] = (char)0x80;
                text[TOKENS_BLOCK + 1] = (char)0xBF;
                CHECK(bench_agrees(bench, text, len));
            }
done:
    bench_free(bench);
}

/* Runs of backslashes, strings and sequences over the ends of blocks and
 * windows. */
TEST(goes_over_the_ends)
{
    static const size_t ends[] = {TOKENS_BLOCK, 2 * TOKENS_BLOCK, TOKENS_WINDOW,
                                  2 * TOKENS_WINDOW};
    struct bench *bench = bench_new();
    char *text = malloc(MOST);

    NEED(bench);
    NEED(text);
    for (size_t e = 0; e < CHECK_COUNT(ends); e++)
        for (size_t run = 0; run < 140; run++)
            for (size_t before = 0; before <= run && before < 70; before++) {
                size_t at = ends[e] - (before < ends[e] ? before : ends[e]);
                size_t len = ends[e] + 150;

                if (run > 6 && before % 23 > 1)
                    continue; /* long runs at some places only */
                memset(text, 'x', len);
                text[0] = '"';
                memset(text + at, '\\', run);
                if (at + run < len)
                    text[at + run] = '"';
                CHECK(bench_agrees(bench, text, len));
                memcpy(text + at, "\xF0\x9F\x98\x80\xE2\x82\xAC\"", 8);
                CHECK(bench_agrees(bench, text, len));
                text[at] = 'x'; /* its rest is no UTF-8 */
                CHECK(bench_agrees(bench, text, len));
            }
    for (unsigned i = 0; i < 300; i++) {
        size_t len = TOKENS_WINDOW - 70 + bench_chance(bench, 140);

        if (i % 2)
            len += TOKENS_WINDOW;
        bench_fill(bench, text, len, i % 3);
        CHECK(bench_agrees(bench, text, len));
    }
done:
    free(text);
    bench_free(bench);
}

/* A borrowed text that ends where memory ends is read as its copy is, whole
 * and cut at every byte. */
TEST(touches_nothing_behind_a_borrowed_text)
{
    static const char whole[] =
        "{\"a\":[1,-2.5e3,true,null,\"x\\u00e9\\n\xC3\xA9\"],\"long key\": "
        "false, \"n\":[123456789,0.125,{}],\"s\":\"0123456789abcdef\"}";
    static const char *const lone[] = {"1",     "-12.5e-7", "true", "null",
                                       "false", "\"abc\"",  "[1]",  "{}",
                                       "tru",   "1 }",      "",     "[t]"};
    struct bench *bench = bench_new();
    surety_doc *copied = surety_doc_new(check_alloc(t));
    surety_doc *borrowed = surety_doc_new(check_alloc(t));
    surety_read_options options = {sizeof(options), SURETY_READ_BORROW, NULL};

    NEED(bench);
    NEED(copied);
    NEED(borrowed);
    for (size_t i = 0; i < sizeof(whole) + CHECK_COUNT(lone); i++) {
        const bool cut = i < sizeof(whole);
        const char *from = cut ? whole : lone[i - sizeof(whole)];
        const size_t len = cut ? i : strlen(from);
        char *text = bench->page + SPAN - len;
        surety_error want = {0}, got = {0};
        surety_status status;

        memcpy(text, from, len);
        status = surety_doc_read(copied, (surety_str){text, len}, NULL, &want);
        if (status == SURETY_NOMEM && t->starved)
            goto done;
        EXPECT(status, surety_doc_read(borrowed, (surety_str){text, len},
                                       &options, &got));
        CHECK_TEXT(surety_str_of(got.message), want.message);
        CHECK(got.position.offset == want.position.offset);
        CHECK(surety_val_equal(surety_doc_root(copied),
                               surety_doc_root(borrowed)) ||
              status != SURETY_OK);
    }
done:
    surety_doc_free(copied);
    surety_doc_free(borrowed);
    bench_free(bench);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"finds the same everywhere", finds_the_same_everywhere},
        {"every short text", every_short_text},
        {"every byte and pair", every_byte_and_pair},
        {"goes over the ends", goes_over_the_ends},
        {"touches nothing behind a borrowed text",
         touches_nothing_behind_a_borrowed_text},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
