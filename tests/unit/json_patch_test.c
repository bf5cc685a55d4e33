/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Patch: the examples of RFC 6902, appendix A, and what the RFC leaves to
 * the edges; all or nothing; limits. */
#include "check.h"

#include <surety/json.h>

#include <stdio.h>
#include <string.h>

struct patch_case {
    const char *target, *patch;
    const char *want; /* NULL: it does not apply */
    const char *path; /* then: the operation */
};

static const struct patch_case cases[] = {
    /* RFC 6902, appendix A */
    {"{\"foo\":\"bar\"}",
     "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\"}]",
     "{\"baz\":\"qux\",\"foo\":\"bar\"}", NULL},
    {"{\"foo\":[\"bar\",\"baz\"]}",
     "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":\"qux\"}]",
     "{\"foo\":[\"bar\",\"qux\",\"baz\"]}", NULL},
    {"{\"baz\":\"qux\",\"foo\":\"bar\"}",
     "[{\"op\":\"remove\",\"path\":\"/baz\"}]", "{\"foo\":\"bar\"}", NULL},
    {"{\"foo\":[\"bar\",\"qux\",\"baz\"]}",
     "[{\"op\":\"remove\",\"path\":\"/foo/1\"}]", "{\"foo\":[\"bar\",\"baz\"]}",
     NULL},
    {"{\"baz\":\"qux\",\"foo\":\"bar\"}",
     "[{\"op\":\"replace\",\"path\":\"/baz\",\"value\":\"boo\"}]",
     "{\"baz\":\"boo\",\"foo\":\"bar\"}", NULL},
    {"{\"foo\":{\"bar\":\"baz\",\"waldo\":\"fred\"},\"qux\":{\"corge\":1}}",
     "[{\"op\":\"move\",\"from\":\"/foo/waldo\",\"path\":\"/qux/thud\"}]",
     "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":1,\"thud\":\"fred\"}}",
     NULL},
    {"{\"foo\":[\"all\",\"grass\",\"cows\",\"eat\"]}",
     "[{\"op\":\"move\",\"from\":\"/foo/1\",\"path\":\"/foo/3\"}]",
     "{\"foo\":[\"all\",\"cows\",\"eat\",\"grass\"]}", NULL},
    {"{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}",
     "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"qux\"},"
     "{\"op\":\"test\",\"path\":\"/foo/1\",\"value\":2.0}]",
     "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}", NULL},
    {"{\"baz\":\"qux\"}",
     "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"bar\"}]", NULL, "/0"},
    {"{\"foo\":\"bar\"}",
     "[{\"op\":\"add\",\"path\":\"/child\",\"value\":{\"grandchild\":{}}}]",
     "{\"foo\":\"bar\",\"child\":{\"grandchild\":{}}}", NULL},
    {"{\"foo\":\"bar\"}",
     "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"xyz\":123}]",
     "{\"foo\":\"bar\",\"baz\":\"qux\"}", NULL},
    {"{\"foo\":\"bar\"}",
     "[{\"op\":\"add\",\"path\":\"/baz/bat\",\"value\":\"qux\"}]", NULL, "/0"},
    {"{\"/\":9,\"~1\":10}",
     "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]",
     "{\"/\":9,\"~1\":10}", NULL},
    {"{\"/\":9,\"~1\":10}",
     "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":\"10\"}]", NULL, "/0"},
    {"{\"foo\":[\"bar\"]}",
     "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":[\"abc\",\"def\"]}]",
     "{\"foo\":[\"bar\",[\"abc\",\"def\"]]}", NULL},
    /* the root */
    {"{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":[1]}]", "[1]",
     NULL},
    {"{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":2}]", "2",
     NULL},
    {"{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"\"}]", "1",
     NULL},
    {"{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"\"}]", NULL, "/0"},
    /* the ends of arrays */
    {"[1]", "[{\"op\":\"add\",\"path\":\"/1\",\"value\":2}]", "[1,2]", NULL},
    {"[1]", "[{\"op\":\"add\",\"path\":\"/2\",\"value\":2}]", NULL, "/0"},
    {"[1]", "[{\"op\":\"add\",\"path\":\"/01\",\"value\":2}]", NULL, "/0"},
    {"[1]", "[{\"op\":\"remove\",\"path\":\"/-\"}]", NULL, "/0"},
    {"[]", "[{\"op\":\"add\",\"path\":\"/0\",\"value\":{}}]", "[{}]", NULL},
    /* keys with escapes; over what is there */
    {"{}", "[{\"op\":\"add\",\"path\":\"/a~1b~0c\",\"value\":1}]",
     "{\"a/b~c\":1}", NULL},
    {"{}", "[{\"op\":\"add\",\"path\":\"/a~2\",\"value\":1}]", NULL, "/0"},
    {"{}", "[{\"op\":\"add\",\"path\":\"/a~\",\"value\":1}]", NULL, "/0"},
    {"{\"\":1}", "[{\"op\":\"add\",\"path\":\"/\",\"value\":null}]",
     "{\"\":null}", NULL},
    {"{}", "[{\"op\":\"add\",\"path\":\"a\",\"value\":1}]", NULL, "/0"},
    /* moves */
    {"{\"a\":{\"b\":1}}",
     "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/c\"}]", NULL, "/0"},
    {"{\"a\":1}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]",
     "{\"a\":1}", NULL},
    {"{\"a\":1,\"ab\":{}}",
     "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/ab/c\"}]",
     "{\"ab\":{\"c\":1}}", NULL},
    /* in order, and nothing where one fails */
    {"{\"a\":1}",
     "[{\"op\":\"add\",\"path\":\"/b\",\"value\":[]},"
     "{\"op\":\"add\",\"path\":\"/b/-\",\"value\":1},"
     "{\"op\":\"copy\",\"from\":\"/b\",\"path\":\"/b/0\"}]",
     "{\"a\":1,\"b\":[[1],1]}", NULL},
    {"{\"a\":1}",
     "[{\"op\":\"remove\",\"path\":\"/a\"},{\"op\":\"remove\",\"path\":"
     "\"/a\"}]",
     NULL, "/1"},
    {"{\"a\":1}", "[]", "{\"a\":1}", NULL},
    /* what is no patch */
    {"1", "{}", NULL, ""},
    {"1", "[1]", NULL, "/0"},
    {"1", "[{\"op\":\"put\",\"path\":\"\",\"value\":1}]", NULL, "/0"},
    {"1", "[{\"op\":\"add\",\"value\":1}]", NULL, "/0"},
    {"1", "[{\"op\":\"add\",\"path\":\"\"}]", NULL, "/0"},
    {"1", "[{\"op\":\"copy\",\"path\":\"\"}]", NULL, "/0"},
    {"1", "[{\"op\":\"add\",\"path\":1,\"value\":1}]", NULL, "/0"},
};

/* The three docs and the text of a test. */
struct bench {
    surety_doc *patch, *target, *out;
    surety_buf text;
};

static bool bench_make(struct check *t, struct bench *bench)
{
    *bench = (struct bench){surety_doc_new(check_alloc(t)),
                            surety_doc_new(check_alloc(t)),
                            surety_doc_new(check_alloc(t)),
                            {.len = 0}};
    surety_buf_init(&bench->text, check_alloc(t), 0);
    return bench->patch && bench->target && bench->out;
}

static void bench_free(struct bench *bench)
{
    surety_doc_free(bench->patch);
    surety_doc_free(bench->target);
    surety_doc_free(bench->out);
    surety_buf_done(&bench->text);
}

static surety_status apply(struct bench *bench, const char *patch,
                           const char *target, surety_error *err)
{
    surety_status status =
        surety_doc_read(bench->patch, surety_str_of(patch), NULL, err);

    if (status == SURETY_OK)
        status =
            surety_doc_read(bench->target, surety_str_of(target), NULL, err);
    if (status == SURETY_OK)
        status =
            surety_patch_apply(surety_doc_root(bench->patch),
                               surety_doc_root(bench->target), bench->out, err);
    return status;
}

TEST(applies_as_the_rfc_says)
{
    struct bench bench;
    surety_error err;

    NEED(bench_make(t, &bench) ? &bench : NULL);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        if (!cases[i].want) {
            EXPECT(SURETY_SYNTAX,
                   apply(&bench, cases[i].patch, cases[i].target, &err));
            CHECK(strcmp(err.path, cases[i].path) == 0);
            CHECK(err.message[0] != '\0');
            continue;
        }
        TRY(apply(&bench, cases[i].patch, cases[i].target, &err));
        TRY(surety_doc_read(bench.target, surety_str_of(cases[i].want), NULL,
                            NULL));
        CHECK(surety_val_equal(surety_doc_root(bench.out),
                               surety_doc_root(bench.target)));
    }
done:
    bench_free(&bench);
}

TEST(leaves_the_result_alone_on_failure)
{
    struct bench bench;

    NEED(bench_make(t, &bench) ? &bench : NULL);
    TRY(surety_doc_read(bench.out, surety_str_of("[\"kept\"]"), NULL, NULL));
    EXPECT(SURETY_SYNTAX,
           apply(&bench,
                 "[{\"op\":\"replace\",\"path\":\"\",\"value\":1},"
                 "{\"op\":\"test\",\"path\":\"\",\"value\":2}]",
                 "0", NULL));
    CHECK_JSON(surety_doc_root(bench.out), "[\"kept\"]");
    CHECK(surety_patch_apply(surety_doc_root(bench.patch),
                             surety_doc_root(bench.out), bench.out,
                             NULL) == SURETY_MISUSE);
    CHECK(surety_patch_apply(surety_doc_root(bench.patch), surety_val_none(),
                             bench.out, NULL) == SURETY_MISUSE);
done:
    bench_free(&bench);
}

/* Operations: the limit and one more. Copies that double a value end, too. */
TEST(has_limits)
{
    static const char test[] = "{\"op\":\"test\",\"path\":\"\",\"value\":[]}";
    static const char copy[] =
        "{\"op\":\"copy\",\"from\":\"\",\"path\":\"/-\"}";
    struct bench bench;

    NEED(bench_make(t, &bench) ? &bench : NULL);
    for (size_t count = 10000; count <= 10001; count++) {
        surety_buf_reset(&bench.text);
        for (size_t i = 0; i < count; i++) {
            surety_buf_byte(&bench.text, i ? ',' : '[');
            surety_buf_text(&bench.text, test);
        }
        surety_buf_append(&bench.text, "]", 2);
        NEED(bench.text.ptr && bench.text.status == SURETY_OK ? &bench : NULL);
        EXPECT(count == 10000 ? SURETY_OK : SURETY_LIMIT,
               apply(&bench, bench.text.ptr, "[]", NULL));
    }
    surety_buf_reset(&bench.text);
    for (size_t i = 0; i < 64; i++) {
        surety_buf_byte(&bench.text, i ? ',' : '[');
        surety_buf_text(&bench.text, copy);
    }
    surety_buf_append(&bench.text, "]", 2);
    NEED(bench.text.ptr && bench.text.status == SURETY_OK ? &bench : NULL);
    EXPECT(SURETY_LIMIT, apply(&bench, bench.text.ptr,
                               "[\"0123456789012345678901234567890123456789"
                               "0123456789012345678901234567890123456789\"]",
                               NULL));
done:
    bench_free(&bench);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"applies as the RFC says", applies_as_the_rfc_says},
        {"leaves the result alone on failure",
         leaves_the_result_alone_on_failure},
        {"has limits", has_limits},
    };
    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
