/* SPDX-License-Identifier: Apache-2.0 */
/* Strings that are no UTF-8, or do not end, in a checked text: no pattern and
 * no format ever sees one. What reads UTF-8 without checking it (PCRE2) would
 * leave the text, so it is where readable memory ends, and in a middle of a
 * few windows. */
#define _DEFAULT_SOURCE
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "schema/schema.h"

enum { PAGE = 64 << 10 }; /* a multiple of every page's size */

/* With % for the text of a pattern or the name of a format. */
static const char *const forms[] = {
    "{\"pattern\":\"%\"}",
    "{\"items\":{\"pattern\":\"%\"}}",
    "{\"additionalProperties\":{\"pattern\":\"%\"}}",
    "{\"propertyNames\":{\"pattern\":\"%\"}}",
    "{\"patternProperties\":{\"%\":false}}",
};
static const char *const patterns[] = {
    "(?<=a)b",           "^(?!.*\\\\p{Lu}).*$", "(.)\\\\1", "^.{2,9}(?=z)",
    "\\\\b\\\\w+(?<=.)", "(?<!\\\\p{L}.)x$",    "^a.*z$",   "[^a-z]+$",
    "\\\\p{L}$"};
static const char *const formats[] = {"{\"format\":\"idn-hostname\"}",
                                      "{\"format\":\"idn-email\"}",
                                      "{\"format\":\"iri\"}",
                                      "{\"format\":\"regex\"}",
                                      "{\"format\":\"hostname\"}",
                                      "{\"format\":\"uri-template\"}",
                                      "{\"maxLength\":1}",
                                      "{\"const\":\"\\u00e9\"}"};
static const char bytes[] = "\xF0\xE2\xC3\x80\xBF\x9F\xF4\xED\xFF\xC0"
                            "abxz.-@%[\xF0\xE2\xC3";

struct broken {
    char *page; /* behind it none can be read */
    surety_checker *checker;
    surety_doc *doc;
    uint64_t seed;
};

static bool broken_init(struct broken *broken)
{
    broken->page = mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (broken->page == MAP_FAILED ||
        mprotect(broken->page + PAGE, PAGE, PROT_NONE))
        abort();
    broken->seed = 88172645463325252u;
    broken->checker = surety_checker_new(NULL, NULL);
    broken->doc = surety_doc_new(NULL);
    return broken->checker && broken->doc;
}

static void broken_done(struct broken *broken)
{
    munmap(broken->page, (size_t)2 * PAGE);
    surety_checker_free(broken->checker);
    surety_doc_free(broken->doc);
}

static unsigned broken_chance(struct broken *broken, unsigned below)
{
    broken->seed ^= broken->seed << 13;
    broken->seed ^= broken->seed >> 7;
    broken->seed ^= broken->seed << 17;
    return (unsigned)(broken->seed >> 33) % below;
}

/* A string of any of bytes, alone or in a container; every fourth is cut. */
static size_t broken_text(struct broken *broken, char *out)
{
    static const char *const begins[] = {"\"", "[0,\"", "{\"k\":\"", "{\""};
    static const char *const ends[] = {"\"", "\"]", "\"}", "\":1}"};
    const unsigned kind = broken_chance(broken, 4);
    const size_t count = broken_chance(broken, 12);
    size_t len = strlen(begins[kind]);

    memcpy(out, begins[kind], len);
    for (size_t i = 0; i < count; i++)
        out[len++] = bytes[broken_chance(broken, sizeof(bytes) - 1)];
    if (broken_chance(broken, 4)) {
        memcpy(out + len, ends[kind], strlen(ends[kind]));
        len += strlen(ends[kind]);
    }
    return len;
}

/* Whether text, put to the end of the page behind spaces, is refused or judged
 * as its tree is. */
static bool broken_same(struct broken *broken, const surety_schema *schema,
                        const char *text, size_t len, size_t spaces)
{
    char *at = broken->page + PAGE - len;
    bool valid = false, of_text = false;
    surety_error want = {.status = SURETY_OK}, got = want;
    surety_status status;

    memcpy(at, text, len);
    at -= spaces;
    len += spaces;
    memset(at, ' ', spaces);
    status = surety_doc_read(broken->doc, (surety_str){at, len}, NULL, &want);
    if (!status)
        status =
            surety_checker_check(broken->checker, schema,
                                 surety_doc_root(broken->doc), &valid, &want);
    return surety_checker_check_text(broken->checker, schema,
                                     (surety_str){at, len}, NULL, &of_text,
                                     &got) == status &&
           of_text == valid && !strcmp(want.message, got.message) &&
           want.position.offset == got.position.offset;
}

static surety_status broken_ask(struct check *t, struct broken *broken,
                                const char *schema_text)
{
    surety_schema_options options = {.size = sizeof(options),
                                     .assert_format = true};
    surety_schema *schema = NULL;
    surety_status status =
        surety_schema_read(surety_str_of(schema_text), &options, &schema, NULL);

    for (int i = 0; i < 2000 && !status; i++) {
        char text[64];
        size_t len = broken_text(broken, text);
        size_t spaces = i % 4 ? 0 : 4085 + broken_chance(broken, 12);

        if (!check_that(t, broken_same(broken, schema, text, len, spaces),
                        schema_text, __FILE__, __LINE__))
            break;
    }
    surety_schema_free(schema);
    return status;
}

TEST(no_pattern_sees_broken_strings)
{
    struct broken broken;
    surety_buf schema;

    surety_buf_init(&schema, NULL, 0);
    NEED(broken_init(&broken) ? &broken : NULL);
    for (size_t i = 0; i < CHECK_COUNT(forms); i++)
        for (size_t k = 0; k < CHECK_COUNT(patterns); k++) {
            const char *mark = strchr(forms[i], '%');

            surety_buf_reset(&schema);
            surety_buf_append(&schema, forms[i], (size_t)(mark - forms[i]));
            surety_buf_text(&schema, patterns[k]);
            surety_buf_text(&schema, mark + 1);
            surety_buf_byte(&schema, '\0');
            TRY(schema.status);
            TRY(broken_ask(t, &broken, schema.ptr));
        }
done:
    surety_buf_done(&schema);
    broken_done(&broken);
}

TEST(no_format_sees_broken_strings)
{
    struct broken broken;

    NEED(broken_init(&broken) ? &broken : NULL);
    for (size_t i = 0; i < CHECK_COUNT(formats); i++)
        TRY(broken_ask(t, &broken, formats[i]));
done:
    broken_done(&broken);
}

/* What an earlier duplicate key is under UNIQUE_KEYS, though what follows is no
 * UTF-8: the first mistake of the text is reported. */
TEST(tells_the_first_mistake)
{
    static const char text[] = "[{\"a\":1,\"a\":2},\"\xFF\"]";
    surety_read_options options = {.size = sizeof(options),
                                   .flags = SURETY_READ_UNIQUE_KEYS};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error err;

    NEED(doc);
    EXPECT(SURETY_SYNTAX,
           surety_doc_read(doc, surety_str_of(text), &options, &err));
    CHECK(err.position.offset == 8);
    EXPECT(SURETY_SYNTAX,
           surety_doc_read(doc, surety_str_of(text), NULL, &err));
    CHECK(err.position.offset == 16);
done:
    surety_doc_free(doc);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"no pattern sees broken strings", no_pattern_sees_broken_strings},
        {"no format sees broken strings", no_format_sees_broken_strings},
        {"tells the first mistake", tells_the_first_mistake},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
