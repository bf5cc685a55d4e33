/* SPDX-License-Identifier: Apache-2.0 */
/* schema_suite.c: the official JSON Schema Test Suite, through the public
 * headers.
 *
 *     schema_suite ROOT EXCEPTIONS
 *
 * ROOT holds tests/ and remotes/. Every file of every dialect we know is one
 * TAP line, required and optional alike; tests that fail are named above it.
 * Drafts 3 and next are no dialects of ours and are left out.
 *
 * Each test is judged by every way to a verdict, and all must agree with the
 * suite: the check of the document, the check of its text as it is
 * written in several ways (suite_ways), and the report (findings if and only
 * if invalid); a schema that should compile must do so. `format` is
 * asserted where the suite asks for it: in folders called format and in
 * optional/, but for the two files that test annotation and the vocabulary
 * themselves.
 *
 * Remotes are read first, all of them: the suite serves remotes/PATH at
 * http://localhost:1234/PATH, and nothing else resolves. */
#include <stdlib.h>
#include <string.h>

#include "suite/suite.h"

enum { EXCEPTIONS_MAX = 256 };

struct exception {
    char *file, *group, *test;
    size_t used; /* tests it excused */
    size_t seen; /* tests it names in this suite */
};

/* What one run knows. */
static struct suite {
    const char *root;
    struct suite_remotes remotes;
    struct exception exceptions[EXCEPTIONS_MAX];
    size_t exception_count;
    surety_checker *checker;
    surety_findings *findings;
    surety_buf text; /* an instance's own */
    size_t failures; /* in the current file */
    size_t excused;
    size_t passed;
} suite;

/* The file and group that is being run, for messages and exceptions. */
struct group {
    const char *file; /* below tests/ */
    char *name;
    surety_dialect dialect;
    bool assert_format;
};

static const struct {
    const char *folder;
    surety_dialect dialect;
} suite_drafts[] = {
    {"draft4/", SURETY_DIALECT_4},
    {"draft6/", SURETY_DIALECT_6},
    {"draft7/", SURETY_DIALECT_7},
    {"draft2019-09/", SURETY_DIALECT_2019_09},
    {"draft2020-12/", SURETY_DIALECT_2020_12},
    {"v1/", SURETY_DIALECT_V1},
};

/* ---- collecting ---------------------------------------------------------- */

/* The dialect of a file below tests/, or DEFAULT for one that is not ours. */
static surety_dialect suite_dialect(const char *below)
{
    for (size_t i = 0; i < sizeof(suite_drafts) / sizeof(*suite_drafts); i++) {
        const char *folder = suite_drafts[i].folder;

        if (strncmp(below, folder, strlen(folder)) == 0)
            return suite_drafts[i].dialect;
    }
    return SURETY_DIALECT_DEFAULT;
}

/* The next part of a line, up to "|", with no blanks around it. */
static char *suite_part(char **line)
{
    char *start = *line + strspn(*line, " \t");
    char *bar = strchr(start, '|');
    char *end = bar ? bar : start + strlen(start);

    *line = bar ? bar + 1 : end;
    while (end > start && strchr(" \t\n", end[-1]))
        end--;
    *end = '\0';
    return suite_join("", start);
}

static void suite_read_exceptions(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[1024];

    if (!file)
        suite_die("cannot read", path);
    while (fgets(line, sizeof(line), file)) {
        struct exception *exception = &suite.exceptions[suite.exception_count];
        char *rest = line;
        char *reason;

        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (suite.exception_count++ == EXCEPTIONS_MAX)
            suite_die("too many exceptions", path);
        exception->file = suite_part(&rest);
        exception->group = suite_part(&rest);
        exception->test = suite_part(&rest);
        reason = suite_part(&rest);
        if (!*reason)
            suite_die("an exception without a reason", exception->file);
        free(reason);
    }
    fclose(file);
}

/* ---- running ------------------------------------------------------------ */

static struct exception *suite_exception(const struct group *group,
                                         const char *test)
{
    for (size_t i = 0; i < suite.exception_count; i++) {
        struct exception *exception = &suite.exceptions[i];

        if (strcmp(exception->file, group->file) == 0 &&
            (strcmp(exception->group, "*") == 0 ||
             strcmp(exception->group, group->name) == 0) &&
            (strcmp(exception->test, "*") == 0 ||
             strcmp(exception->test, test) == 0))
            return exception;
    }
    return NULL;
}

static void suite_judge(const struct group *group, surety_val test,
                        const char *wrong)
{
    char *name = suite_text(surety_val_get(test, "description"));
    struct exception *exception = suite_exception(group, name);

    if (exception)
        exception->seen++;
    if (wrong && exception) {
        exception->used++;
        suite.excused++;
    } else if (wrong) {
        suite.failures++;
        printf("# %s | %s | %s: %s\n", group->file, group->name, name, wrong);
    } else {
        suite.passed++;
    }
    free(name);
}

/* How an instance is written for the check of its text. */
static const struct way {
    const char *name;
    surety_style style;
    unsigned flags; /* of enum surety_read_flag */
    bool twice;     /* each member, and first with another value */
} suite_ways[] = {
    {"from its text", SURETY_STYLE_COMPACT, 0, false},
    {"where keys must be unique", SURETY_STYLE_COMPACT, SURETY_READ_UNIQUE_KEYS,
     false},
    {"from its pretty text", SURETY_STYLE_PRETTY, 0, false},
    {"from its text with repeated keys", SURETY_STYLE_COMPACT, 0, true},
};

/* Writes val with every member twice. The first, which does not count, is null
 * or, where the second is null, an object: so it mostly is wrong. */
static void suite_write_twice(surety_val val, surety_buf *out)
{
    bool object = surety_val_kind(val) == SURETY_KIND_OBJECT;

    if (!object && surety_val_kind(val) != SURETY_KIND_ARRAY) {
        surety_val_write(val, SURETY_STYLE_COMPACT, out);
        return;
    }
    surety_buf_byte(out, object ? '{' : '[');
    for (surety_val child = surety_val_first(val); child.doc;) {
        surety_val next = surety_val_next(val, child);

        if (object) {
            surety_val_write(surety_val_key(child), SURETY_STYLE_COMPACT, out);
            surety_buf_text(out, surety_val_kind(child) == SURETY_KIND_NULL
                                     ? ":{}"
                                     : ":null");
            surety_buf_byte(out, ',');
            surety_val_write(surety_val_key(child), SURETY_STYLE_COMPACT, out);
            surety_buf_byte(out, ':');
        }
        suite_write_twice(child, out);
        if (next.doc)
            surety_buf_byte(out, ',');
        child = next;
    }
    surety_buf_byte(out, object ? '}' : ']');
}

/* What is wrong with the answer for the text of instance, written
 * one way into memory of just that size: a byte read behind it is seen. */
static const char *suite_way(const surety_schema *schema, surety_val instance,
                             const struct way *way, bool want,
                             surety_error *error)
{
    surety_read_options options = {.size = sizeof(options),
                                   .flags = way->flags};
    bool valid = !want;
    surety_status status;
    char *exact;

    surety_buf_reset(&suite.text);
    if (way->twice)
        suite_write_twice(instance, &suite.text);
    else
        surety_val_write(instance, way->style, &suite.text);
    exact = malloc(suite.text.len ? suite.text.len : 1);
    if (suite.text.status || !exact)
        suite_die("out of memory", way->name);
    memcpy(exact, suite.text.ptr, suite.text.len);
    status = surety_checker_check_text(suite.checker, schema,
                                       (surety_str){exact, suite.text.len},
                                       &options, &valid, error);
    free(exact);
    if (!status && valid == want)
        return NULL;
    if (!status)
        snprintf(error->message, sizeof(error->message),
                 "is %s, %s we say the other", want ? "valid" : "invalid",
                 way->name);
    return error->message[0] ? error->message : "the check of the text failed";
}

/* What is wrong with our answer to one test; NULL where nothing is. */
static const char *suite_answer(const surety_schema *schema, surety_val test,
                                surety_error *error)
{
    surety_val instance = surety_val_get(test, "data");
    bool want = surety_val_bool(surety_val_get(test, "valid"), false);
    bool valid = !want;
    size_t count;

    error->message[0] = '\0';
    if (surety_checker_check(suite.checker, schema, instance, &valid, error))
        return error->message[0] ? error->message : "the check failed";
    if (valid != want)
        return want ? "is valid, we say invalid" : "is invalid, we say valid";
    for (size_t i = 0; i < sizeof(suite_ways) / sizeof(*suite_ways); i++) {
        const char *wrong =
            suite_way(schema, instance, &suite_ways[i], want, error);

        if (wrong)
            return wrong;
    }
    if (surety_checker_report(suite.checker, schema, instance, suite.findings,
                              error))
        return error->message[0] ? error->message : "the report failed";
    count = surety_findings_count(suite.findings);
    if (want && count)
        return "is valid, the report has findings";
    if (!want && !count)
        return "is invalid, the report has no findings";
    return NULL;
}

static void suite_run_group(const struct group *group, surety_val root)
{
    surety_schema_options options = {.size = sizeof(options),
                                     .dialect = group->dialect,
                                     .assert_format = group->assert_format,
                                     .resolve = suite_resolve,
                                     .resolve_ctx = &suite.remotes};
    surety_val tests = surety_val_get(root, "tests");
    surety_schema *schema = NULL;
    surety_error error = {.message = "the compile failed"};
    surety_status status = surety_schema_compile(surety_val_get(root, "schema"),
                                                 &options, &schema, &error);

    for (surety_val test = surety_val_first(tests); test.doc;
         test = surety_val_next(tests, test)) {
        if (status)
            suite_judge(group, test, error.message);
        else
            suite_judge(group, test, suite_answer(schema, test, &error));
    }
    surety_schema_free(schema);
}

/* Whether the file wants `format` asserted. */
static bool suite_asserts(const char *below)
{
    if (strstr(below, "/format-annotation.json") ||
        strstr(below, "/format-assertion.json"))
        return false;
    return strstr(below, "/optional/") || strstr(below, "/format/");
}

static bool suite_run_file(const char *path, size_t number)
{
    const char *below = path + strlen(suite.root) + strlen("/tests/");
    surety_doc *doc = suite_read(path);
    surety_val groups = surety_doc_root(doc);

    suite.failures = suite.excused = suite.passed = 0;
    for (surety_val root = surety_val_first(groups); root.doc;
         root = surety_val_next(groups, root)) {
        struct group group = {
            .file = below,
            .name = suite_text(surety_val_get(root, "description")),
            .dialect = suite_dialect(below),
            .assert_format = suite_asserts(below)};

        suite_run_group(&group, root);
        free(group.name);
    }
    printf("%s %zu - %s: %zu right, %zu wrong, %zu excepted\n",
           suite.failures ? "not ok" : "ok", number, below, suite.passed,
           suite.failures, suite.excused);
    fflush(stdout);
    surety_doc_free(doc);
    return !suite.failures;
}

/* An exception that this suite has tests for, and that excused none. */
static bool suite_check_stale(size_t number)
{
    size_t stale = 0;

    for (size_t i = 0; i < suite.exception_count; i++) {
        const struct exception *exception = &suite.exceptions[i];

        if (exception->seen && !exception->used) {
            printf("# stale: %s | %s | %s\n", exception->file, exception->group,
                   exception->test);
            stale++;
        }
    }
    printf("%s %zu - no exception is stale\n", stale ? "not ok" : "ok", number);
    return !stale;
}

static void suite_free(void)
{
    for (size_t i = 0; i < suite.exception_count; i++) {
        free(suite.exceptions[i].file);
        free(suite.exceptions[i].group);
        free(suite.exceptions[i].test);
    }
    suite_remotes_free(&suite.remotes);
    surety_findings_free(suite.findings);
    surety_buf_done(&suite.text);
    surety_checker_free(suite.checker);
}

int main(int argc, char **argv)
{
    struct suite_files files;
    size_t count = 0;
    bool good = true;
    char *tests;

    if (argc != 3)
        suite_die("usage", "schema_suite ROOT EXCEPTIONS");
    suite.root = argv[1];
    tests = suite_join(suite.root, "/tests");
    suite_list(&files, tests, ".json");
    if (!files.count) {
        printf("1..0 # SKIP no test suite in %s\n", suite.root);
        goto done;
    }
    suite_remotes_read(&suite.remotes, suite.root);
    suite_read_exceptions(argv[2]);
    suite.checker = surety_checker_new(NULL, NULL);
    suite.findings = surety_findings_new(NULL);
    surety_buf_init(&suite.text, NULL, 0);
    if (!suite.checker || !suite.findings)
        suite_die("out of memory", "checker");
    for (size_t i = 0; i < files.count; i++)
        if (suite_dialect(files.paths[i] + strlen(tests) + 1) !=
            SURETY_DIALECT_DEFAULT)
            good = suite_run_file(files.paths[i], ++count) && good;
    good = suite_check_stale(++count) && good;
    printf("1..%zu\n", count);
done:
    suite_unlist(&files);
    free(tests);
    suite_free();
    return good ? 0 : 1;
}
