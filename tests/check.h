/* SPDX-License-Identifier: Apache-2.0 */
/* The harness of the C tests: TAP out, and every test again with the nth
 * allocation failing.
 *
 *     TEST(reads_a_number)
 *     {
 *         surety_doc *doc = surety_doc_new(check_alloc(t));
 *
 *         NEED(doc);
 *         TRY(surety_doc_read(doc, surety_str_of("1"), NULL, NULL));
 *         CHECK(surety_val_int(surety_doc_root(doc), 0) == 1);
 *     done:
 *         surety_doc_free(doc);
 *     }
 *
 *     int main(int argc, char **argv)
 *     {
 *         static const struct check_test tests[] = {{"reads a number",
 *                                                    reads_a_number}};
 *         return check_main(argc, argv, tests, CHECK_COUNT(tests));
 *     }
 *
 * Rules that make the fault runs honest: everything is allocated through
 * check_alloc(t), every test ends in `done:` and frees there whatever it may
 * have made (free functions take NULL), and what may fail for want of memory
 * is in TRY or NEED. After each run no block may be left.
 *
 * `PROGRAM` runs the tests once; `PROGRAM --fault` runs each with allocation
 * 1, 2, 3, ... failing, once (that one alone) and from there on (sticky), until
 * a run needs no more. Of tests that allocate more than 150 times, the first
 * 100 are each failed and then 50 of the rest; `PROGRAM --fault-all` fails
 * every one (make fault). */
#ifndef SURETY_TESTS_CHECK_H
#define SURETY_TESTS_CHECK_H

#include <surety/reply.h>

#include <stdio.h>

struct check {
    const char *name;
    surety_alloc alloc;
    size_t live;    /* blocks */
    size_t made;    /* allocations so far in this run */
    size_t fail_at; /* this allocation fails; 0: none */
    bool sticky;    /* and all after it */
    bool starved;   /* an allocation was refused in this run */
    bool failed;    /* a check failed */
    bool skipped;   /* it needs rules, which this build has not */
};

struct check_test {
    const char *name;
    void (*run)(struct check *t);
};

#define CHECK_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEST(function) static void function(struct check *t)

const surety_alloc *check_alloc(struct check *t);
int check_main(int argc, char **argv, const struct check_test *tests,
               size_t count);

/* What a test begins with: a schema or a contract by its text. */
surety_status check_schema(struct check *t, const char *text,
                           surety_schema **ret_schema);
surety_status check_contract(struct check *t, const char *text,
                             surety_contract **ret_contract);
/* Whether a report satisfies the built-in contract of that name. */
surety_status check_report(struct check *t, const char *contract,
                           surety_str report, bool *ret_ok);

/* Internal: record what happened; true where the test goes on. */
bool check_that(struct check *t, bool holds, const char *text, const char *file,
                int line);
bool check_status(struct check *t, surety_status status, const char *text,
                  const char *file, int line);
bool check_have(struct check *t, const void *ptr, const char *text,
                const char *file, int line);
bool check_text(struct check *t, surety_str got, const char *want,
                const char *file, int line);
bool check_json(struct check *t, surety_val got, const char *want,
                const char *file, int line);

/* Fails the test unless cond holds. */
#define CHECK(cond)                                                            \
    do {                                                                       \
        if (!check_that(t, (cond), #cond, __FILE__, __LINE__))                 \
            goto done;                                                         \
    } while (0)
/* The call must give SURETY_OK; NOMEM ends a starved run quietly. Where rules
 * are not built in, SURETY_UNSUPPORTED skips the test. */
#define TRY(call)                                                              \
    do {                                                                       \
        if (!check_status(t, (call), #call, __FILE__, __LINE__))               \
            goto done;                                                         \
    } while (0)
/* The call must give `want`; NOMEM ends a starved run quietly. */
#define EXPECT(want, call)                                                     \
    do {                                                                       \
        surety_status check_got = (call);                                      \
        if (check_got == SURETY_NOMEM && t->starved)                           \
            goto done;                                                         \
        if (!check_that(t, check_got == (want), #call " == " #want, __FILE__,  \
                        __LINE__))                                             \
            goto done;                                                         \
    } while (0)
/* The pointer must not be NULL; NULL ends a starved run quietly. */
#define NEED(ptr)                                                              \
    do {                                                                       \
        if (!check_have(t, (ptr), #ptr, __FILE__, __LINE__))                   \
            goto done;                                                         \
    } while (0)
/* The text must be `want`. */
#define CHECK_TEXT(got, want)                                                  \
    do {                                                                       \
        if (!check_text(t, (got), (want), __FILE__, __LINE__))                 \
            goto done;                                                         \
    } while (0)
/* The value must be `want`, as compact JSON; no value is "". */
#define CHECK_JSON(got, want)                                                  \
    do {                                                                       \
        if (!check_json(t, (got), (want), __FILE__, __LINE__))                 \
            goto done;                                                         \
    } while (0)

#endif
