/* SPDX-License-Identifier: Apache-2.0 */
/* Rules and derived members: jq in a process of its own, its answers, its
 * mistakes and its bounds. */
#include "check.h"
#include "contract/contract.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The address sanitizer's allocator reserves its memory beforehand, so a bound
 * on address space cannot be met under it. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

#ifdef SURETY_WITH_JQ

/* A contract, an evaluator and a value, for most tests here. */
struct bench {
    surety_contract *contract;
    surety__rules *rules;
    surety_doc *value, *out;
    surety_limits limits;
    surety_error err;
    const surety__rule_result *results;
};

/* Opens a contract with these rules, and these derived members (name, program,
 * name, ...); both end in NULL and may be NULL. */
static surety_status bench_open(struct check *t, struct bench *bench,
                                const char *const *exprs,
                                const char *const *derived)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .limits = &bench->limits,
                                             .alloc = check_alloc(t)};
    surety_buf text;
    surety_status status;

    bench->limits.size = sizeof(bench->limits);
    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, "{\"x-surety\":{\"rules\":[");
    for (size_t i = 0; exprs && exprs[i]; i++) {
        surety__buf_printf(&text,
                           "%s{\"id\":\"%zu\",\"expr\":", i > 0 ? "," : "", i);
        surety_json_string(&text, surety_str_of(exprs[i]));
        surety_buf_text(&text, ",\"message\":\"m\"}");
    }
    surety_buf_text(&text, "],\"derive\":{");
    for (size_t i = 0; derived && derived[i]; i += 2) {
        surety_buf_text(&text, i > 0 ? "," : "");
        surety_json_string(&text, surety_str_of(derived[i]));
        surety_buf_byte(&text, ':');
        surety_json_string(&text, surety_str_of(derived[i + 1]));
    }
    surety_buf_text(&text, "}}}");
    status = surety_contract_read(surety_buf_str(&text), &options,
                                  &bench->contract, &bench->err);
    surety_buf_done(&text);
    if (status != SURETY_OK)
        return status;
    bench->rules = surety__rules_new(bench->contract, check_alloc(t));
    bench->value = surety_doc_new(check_alloc(t));
    bench->out = surety_doc_new(check_alloc(t));
    return bench->rules && bench->value && bench->out ? SURETY_OK
                                                      : SURETY_NOMEM;
}

static surety_status bench_check(struct bench *bench, const char *json)
{
    const surety_status status =
        surety_doc_read(bench->value, surety_str_of(json), NULL, &bench->err);

    if (status != SURETY_OK)
        return status;
    return surety__rules_check(bench->rules, surety_doc_root(bench->value),
                               &bench->results, &bench->err);
}

static surety_status bench_derive(struct bench *bench, const char *json)
{
    const surety_status status =
        surety_doc_read(bench->value, surety_str_of(json), NULL, &bench->err);

    if (status != SURETY_OK)
        return status;
    return surety__rules_derive(bench->rules, surety_doc_root(bench->value),
                                bench->out, &bench->err);
}

static void bench_close(struct bench *bench)
{
    surety_doc_free(bench->out);
    surety_doc_free(bench->value);
    surety__rules_free(bench->rules);
    surety_contract_free(bench->contract);
}

TEST(answers_rules)
{
    static const char *const exprs[] = {
        ".a == 1", ".a # )",      ".b[] | . > 0",   "empty",
        "null",    "\"\\(.a))\"", "error(\"why\")", "error(null), error({x:1})",
        NULL};
    struct bench bench = {0};

    TRY(bench_open(t, &bench, exprs, NULL));
    TRY(bench_check(&bench, "{\"a\":1,\"b\":[1,2]}"));
    CHECK(bench.results[0].holds);
    CHECK(bench.results[1].holds);
    CHECK(bench.results[2].holds);
    CHECK(!bench.results[3].holds);
    CHECK(bench.results[3].status == SURETY_SYNTAX);
    CHECK_TEXT(bench.results[3].text, "the rule gave neither true nor false");
    CHECK(!bench.results[4].holds && bench.results[4].status == SURETY_OK);
    CHECK(bench.results[5].holds);
    CHECK(!bench.results[6].holds);
    CHECK(bench.results[6].status == SURETY_SYNTAX);
    CHECK_TEXT(bench.results[6].text, "why");
    CHECK(!bench.results[7].holds);
    TRY(bench_check(&bench, "{\"a\":2,\"b\":[1,0,2]}"));
    CHECK(!bench.results[0].holds && bench.results[0].status == SURETY_OK);
    CHECK(!bench.results[2].holds && bench.results[2].status == SURETY_OK);
done:
    bench_close(&bench);
}

TEST(computes_derived_members)
{
    static const char *const derived[] = {"sum",         ".a + 1", "big/~",
                                          "[.b[],.b[]]", "no",     "null",
                                          "many",        "1,2",    NULL};
    struct bench bench = {0};
    surety_val out;

    TRY(bench_open(t, &bench, NULL, derived));
    TRY(bench_derive(&bench, "{\"a\":1.5,\"b\":[\"\\u0000\xC3\xA4\",0.1]}"));
    out = surety_doc_root(bench.out);
    CHECK(surety_val_count(out) == 4);
    CHECK(surety_val_real(surety_val_get(out, "sum"), 0) == 2.5);
    CHECK(surety_val_count(surety_val_get(out, "big/~")) == 4);
    CHECK(surety_str_equal(
        surety_val_str(surety_val_at(out, surety_str_of("/big~1~0/2"))),
        (surety_str){"\0\xC3\xA4", 3}));
    CHECK_TEXT(
        surety_val_number(surety_val_at(out, surety_str_of("/big~1~0/3"))),
        "0.1");
    CHECK(surety_val_kind(surety_val_get(out, "no")) == SURETY_KIND_NULL);
    CHECK(surety_val_int(surety_val_get(out, "many"), 0) == 1);
    TRY(bench_check(&bench, "{}"));
done:
    bench_close(&bench);
}

TEST(says_which_derived_member_fails)
{
    static const char *const derived[] = {"a", "1",     "b", ".x | keys",
                                          "c", "empty", NULL};
    struct bench bench = {0};

    TRY(bench_open(t, &bench, NULL, derived));
    EXPECT(SURETY_SYNTAX, bench_derive(&bench, "{\"x\":1}"));
    CHECK_TEXT(surety_str_of(bench.err.path), "/x-surety/derive/b");
    CHECK(strstr(bench.err.message, "number (1) has no keys"));
    EXPECT(SURETY_SYNTAX, bench_derive(&bench, "{\"x\":{}}"));
    CHECK_TEXT(surety_str_of(bench.err.path), "/x-surety/derive/c");
    CHECK_TEXT(surety_str_of(bench.err.message),
               "the derived member gives no value");
done:
    bench_close(&bench);
}

/* A program that is wrong, which of two it is, and what is said. */
TEST(says_which_program_is_wrong)
{
    static const struct {
        const char *expr, *said;
    } rows[] = {
        {".a b", "the jq program does not compile: syntax error, unexpected "
                 "IDENT"},
        {"nosuch(1)",
         "the jq program does not compile: nosuch/1 is not defined"},
        {"$x", "the jq program does not compile: $x is not defined"},
        {"import \"a\" as a; .", "the jq program does not compile: syntax"},
        {". as $x", "the jq program does not compile: syntax"},
        {"(.a", "the jq program has a '(' that is never closed"},
        {".a) | (.b", "the jq program has a stray ')' at byte 2"},
        {"[.a}", "the jq program has a stray '}' at byte 3"},
        {"\"a", "the jq program has a '\"' that is never closed"},
        {"\"\\(1\"", "the jq program has a '\"' that is never closed"},
        {"1 # (\n)", "the jq program has a stray ')' at byte 6"},
    };
    struct bench bench = {0};

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const char *const exprs[] = {".", rows[i].expr, NULL};

        if (t->fail_at && i > 0)
            break; /* one is enough for the fault runs: each costs 30 ms */
        EXPECT(SURETY_SYNTAX, bench_open(t, &bench, exprs, NULL));
        CHECK_TEXT(surety_str_of(bench.err.path), "/x-surety/rules/1/expr");
        CHECK(!strncmp(bench.err.message, rows[i].said, strlen(rows[i].said)));
        CHECK(bench.err.position.line == 1 && bench.err.position.column == 76);
    }
done:
    bench_close(&bench);
}

TEST(refuses_a_zero_byte_in_a_program)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};
    surety_contract *contract = NULL;
    surety_error err;

    EXPECT(
        SURETY_SYNTAX,
        surety_contract_read(
            surety_str_of("{\"x-surety\":{\"derive\":{\"a\":\"1\\u0000\"}}}"),
            &options, &contract, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "the jq program has a zero byte at byte 1");
done:
    surety_contract_free(contract);
}

TEST(bounds_the_nesting_of_a_program)
{
    char expr[256];
    const char *const exprs[] = {expr, NULL};
    struct bench bench = {0};

    for (unsigned depth = 63; depth <= 65; depth++) {
        memset(expr, '(', depth);
        expr[depth] = '1';
        memset(expr + depth + 1, ')', depth);
        expr[2 * depth + 1] = '\0';
        EXPECT(depth > 64 ? SURETY_SYNTAX : SURETY_OK,
               bench_open(t, &bench, exprs, NULL));
        if (depth > 64)
            CHECK_TEXT(surety_str_of(bench.err.message),
                       "the jq program has '(' nested too deep at byte 64");
        else
            bench_close(&bench);
        bench = (struct bench){0};
    }
done:
    bench_close(&bench);
}

TEST(keeps_programs_from_looking_elsewhere)
{
    static const char *const exprs[] = {"(env | length) == 0",
                                        "($ENV | length) == 0",
                                        "halt",
                                        "input",
                                        "[inputs] | true",
                                        "now",
                                        "halt_error",
                                        "debug | stderr | . == .",
                                        "true",
                                        NULL};
    struct bench bench = {0};

    TRY(bench_open(t, &bench, exprs, NULL));
    TRY(bench_check(&bench, "{}"));
    CHECK(bench.results[0].holds);
    CHECK(bench.results[1].holds);
    for (size_t i = 2; i < 7; i++) {
        CHECK(bench.results[i].status == SURETY_SYNTAX);
        CHECK_TEXT(bench.results[i].text, "not available in a contract");
    }
    CHECK(bench.results[7].holds);
    CHECK(bench.results[8].holds);
done:
    bench_close(&bench);
}

TEST(ends_a_rule_that_never_ends)
{
    static const char *const exprs[] = {
        "true", "if . == {} then [recurse(.)] else . end", "true", NULL};
    struct bench bench = {.limits = {.rule_time_ms_max = 200}};

    TRY(bench_open(t, &bench, exprs, NULL));
    TRY(bench_check(&bench, "{}"));
    CHECK(bench.results[0].holds);
    CHECK(bench.results[1].status == SURETY_TIMEOUT);
    CHECK_TEXT(bench.results[1].text,
               "the rule takes more than 200 ms (rule_time_ms_max)");
    CHECK(!bench.results[2].holds);
    CHECK(bench.results[2].status == SURETY_TIMEOUT);
    /* The next value gets another process. */
    TRY(bench_check(&bench, "1"));
    CHECK(bench.results[1].holds);
    CHECK(bench.results[2].holds);
done:
    bench_close(&bench);
}

TEST(ends_a_derived_member_that_never_ends)
{
    static const char *const derived[] = {"a", "1", "b", "last(repeat(.))",
                                          NULL};
    struct bench bench = {.limits = {.rule_time_ms_max = 200}};

    TRY(bench_open(t, &bench, NULL, derived));
    EXPECT(SURETY_TIMEOUT, bench_derive(&bench, "1"));
    CHECK_TEXT(surety_str_of(bench.err.path), "/x-surety/derive/b");
    CHECK_TEXT(surety_str_of(bench.err.message),
               "the derived member takes more than 200 ms (rule_time_ms_max)");
done:
    bench_close(&bench);
}

#if !defined(SANITIZED)
TEST(ends_a_rule_that_takes_memory)
{
    static const char *const exprs[] = {"[range(100000000)] | length", "true",
                                        NULL};
    struct bench bench = {
        .limits = {.rule_time_ms_max = 20000, .rule_memory_mib_max = 64}};

    TRY(bench_open(t, &bench, exprs, NULL));
    TRY(bench_check(&bench, "{}"));
    CHECK(bench.results[0].status == SURETY_LIMIT);
    CHECK_TEXT(bench.results[0].text,
               "the rule takes more than 64 MiB (rule_memory_mib_max)");
    CHECK(bench.results[1].status == SURETY_LIMIT);
done:
    bench_close(&bench);
}
#endif

TEST(takes_values_of_depth_256)
{
    static const char *const exprs[] = {"true", NULL};
    struct bench bench = {0};
    char json[1024];

    TRY(bench_open(t, &bench, exprs, NULL));
    for (unsigned depth = 255; depth <= 257; depth++) {
        memset(json, '[', depth);
        memset(json + depth, ']', depth);
        json[2 * depth] = '\0';
        if (depth == 257) {
            EXPECT(SURETY_LIMIT, bench_check(&bench, json));
            CHECK_TEXT(surety_str_of(bench.err.message),
                       "the value is nested deeper than the 256 levels that "
                       "rules can take");
        } else {
            TRY(bench_check(&bench, json));
            CHECK(bench.results[0].holds);
        }
    }
    TRY(bench_check(&bench, "1"));
done:
    bench_close(&bench);
}

/* Outputs up to what the memory has that both processes share, and beyond it,
 * alone and several; a value that is longer than a message is expected to be.
 */
TEST(carries_long_values)
{
    static const char *const derived[] = {
        "a", ".", "b", "[., \"b\"]", "c", "length", "d", ".[:9]", NULL};
    static const size_t lengths[] = {0,     16000, 21800, 21900, 32740,
                                     32760, 65470, 65500, 65510, 65515,
                                     65520, 65525, 65530, 65536, 200000};
    struct bench bench = {0};
    surety_buf json;

    surety_buf_init(&json, NULL, 0);
    TRY(bench_open(t, &bench, NULL, derived));
    for (size_t i = 0; i < CHECK_COUNT(lengths); i++) {
        surety_val root;
        surety_str a, b;

        if (t->fail_at && i > 0)
            continue;
        surety_buf_reset(&json);
        surety_buf_byte(&json, '"');
        for (size_t k = 0; k < lengths[i]; k++)
            surety_buf_byte(&json, (char)('a' + k % 26));
        surety_buf_text(&json, "\"");
        surety_buf_byte(&json, '\0');
        TRY(json.status);
        TRY(bench_derive(&bench, json.ptr));
        root = surety_doc_root(bench.out);
        a = surety_val_str(surety_val_get(root, "a"));
        b = surety_val_str(surety_val_item(surety_val_get(root, "b"), 0));
        CHECK(a.len == lengths[i] && surety_str_equal(a, b));
        CHECK(a.len == 0 || memcmp(a.ptr, json.ptr + 1, a.len) == 0);
        CHECK(surety_val_uint(surety_val_get(root, "c"), 1) == lengths[i]);
        CHECK(surety_val_count(root) == 4);
    }
done:
    surety_buf_done(&json);
    bench_close(&bench);
}

/* jq frees nested arrays by recursion: deep ones overflow its stack, which in
 * a process of its own is nobody else's. */
TEST(starts_again_after_a_death)
{
    static const char *const exprs[] = {
        "if . == 1 then true else (reduce range(1000000) as $i (null; [.]) | "
        "true) end",
        NULL};
    struct bench bench = {.limits = {.rule_time_ms_max = 10000}};

    TRY(bench_open(t, &bench, exprs, NULL));
    EXPECT(SURETY_IO, bench_check(&bench, "2"));
    CHECK_TEXT(surety_str_of(bench.err.message),
               "the rules' process died in the rule 0");
    CHECK_TEXT(surety_str_of(bench.err.hint),
               "make it do less, or simpler, things");
    TRY(bench_check(&bench, "1"));
    CHECK(bench.results[0].holds);
done:
    bench_close(&bench);
}

/* What is spare goes back to the contract, so that the next evaluator need not
 * compile again. */
TEST(hands_its_process_on)
{
    static const char *const exprs[] = {". == 1", NULL};
    struct bench bench = {0};
    surety__rules *second = NULL;

    TRY(bench_open(t, &bench, exprs, NULL));
    NEED(second = surety__rules_new(bench.contract, check_alloc(t)));
    TRY(bench_check(&bench, "1"));
    TRY(surety__rules_check(second, surety_doc_root(bench.value),
                            &bench.results, NULL));
    CHECK(bench.results[0].holds);
    surety__rules_free(bench.rules);
    NEED(bench.rules = surety__rules_new(bench.contract, check_alloc(t)));
    TRY(bench_check(&bench, "2"));
    CHECK(!bench.results[0].holds);
done:
    surety__rules_free(second);
    bench_close(&bench);
}

/* A process that forks after reading a contract shares its worker's socket:
 * both must get their own answers. */
TEST(survives_a_fork)
{
    static const char *const exprs[] = {". == 1", NULL};
    struct bench bench = {0};
    pid_t pid = -1;
    int how = 0;

    TRY(bench_open(t, &bench, exprs, NULL));
    TRY(bench_check(&bench, "1"));
    pid = fork();
    if (pid == 0) {
        const bool good =
            bench_check(&bench, "2") == SURETY_OK && !bench.results[0].holds;

        bench_close(&bench);
        _exit(good ? 0 : 1);
    }
    CHECK(pid > 0);
    for (unsigned i = 0; i < 20; i++) {
        TRY(bench_check(&bench, "1"));
        CHECK(bench.results[0].holds);
    }
done:
    if (pid > 0) {
        waitpid(pid, &how, 0);
        if (!t->starved && !t->failed)
            (void)check_that(t, WIFEXITED(how) && WEXITSTATUS(how) == 0,
                             "the fork's answer", __FILE__, __LINE__);
    }
    bench_close(&bench);
}

#else

TEST(refuses_rules_without_jq)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};
    surety_contract *contract = NULL;
    surety_error err;

    EXPECT(SURETY_UNSUPPORTED,
           surety_contract_read(
               surety_str_of("{\"x-surety\":{\"derive\":{\"a\":\"1\"}}}"),
               &options, &contract, &err));
    CHECK_TEXT(surety_str_of(err.path), "/x-surety/derive/a");
    CHECK_TEXT(surety_str_of(err.message),
               "rules and derived members are not part of this build");
done:
    surety_contract_free(contract);
}

#endif

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
#ifdef SURETY_WITH_JQ
        {"answers rules", answers_rules},
        {"computes derived members", computes_derived_members},
        {"says which derived member fails", says_which_derived_member_fails},
        {"says which program is wrong", says_which_program_is_wrong},
        {"refuses a zero byte in a program", refuses_a_zero_byte_in_a_program},
        {"bounds the nesting of a program", bounds_the_nesting_of_a_program},
        {"keeps programs from looking elsewhere",
         keeps_programs_from_looking_elsewhere},
        {"ends a rule that never ends", ends_a_rule_that_never_ends},
        {"ends a derived member that never ends",
         ends_a_derived_member_that_never_ends},
#if !defined(SANITIZED)
        {"ends a rule that takes memory", ends_a_rule_that_takes_memory},
#endif
        {"takes values of depth 256", takes_values_of_depth_256},
        {"carries long values", carries_long_values},
        {"starts again after a death", starts_again_after_a_death},
        {"hands its process on", hands_its_process_on},
        {"survives a fork", survives_a_fork},
#else
        {"refuses rules without jq", refuses_rules_without_jq},
#endif
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
