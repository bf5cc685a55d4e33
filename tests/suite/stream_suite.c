/* SPDX-License-Identifier: Apache-2.0 */
/* stream_suite.c: what a stream says on the way, over instances whose end is
 * known, through the public headers.
 *
 *     stream_suite suite ROOT [N]    the JSON Schema Test Suite; N: how many
 *                                    texts and continuations are made (2)
 *     stream_suite schemas FOLDER    folders of schema.json and instances.jsonl
 *     stream_suite cases PATH        replies of tests/suite/repair_suite.c: a
 *                                    file, or a folder of them
 *     stream_suite golden FOLDER     those of tests/golden/contracts_test.c
 *
 * Laws, each a TAP line for a file:
 *
 * 1. An instance that is valid, as a native value byte by byte, is never said
 *    to be lost, at whatever repair level.
 * 2. One of which the stream says NO does not satisfy its contract, unless a
 *    key occurs twice in it; nor does anything else that begins so, and the NO
 *    comes when the part that decides it has ended (stream_early.c).
 * 3. In whatever chunks a reply comes, the outcome is that of the whole, and so
 *    is what the stream has said in the end.
 *
 * Instances of real schemas are valid, mostly; so of each some are made in
 * which one value is another. Of invalid instances it is shown how many were
 * told before their end, and after what part of their bytes on average. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "suite/stream_early.h"
#include "suite/suite.h"

enum { SHOWN = 300 };

static struct suite {
    struct suite_remotes remotes;
    size_t number;
    bool failed;
    surety_stream *stream;
    surety_judge *judge;
    surety_contract *anything; /* true */
    surety_buf text, shown;
    unsigned rounds;
    size_t wrong, valid, invalid, early; /* of the file at hand */
    double part;                         /* of the early ones, added up */
} suite;

void suite_wrong(const char *what, surety_val schema, surety_str text,
                 size_t at)
{
    suite.wrong++;
    surety_buf_reset(&suite.shown);
    if (schema.doc)
        surety_val_write(schema, SURETY_STYLE_COMPACT, &suite.shown);
    printf("# %s at byte %zu of %.*s\n", what, at,
           (int)(text.len < SHOWN ? text.len : SHOWN), text.ptr);
    if (suite.shown.len)
        printf("#     with %.*s\n",
               (int)(suite.shown.len < SHOWN ? suite.shown.len : SHOWN),
               suite.shown.ptr);
}

static void suite_line(const char *name)
{
    suite.number++;
    suite.failed = suite.failed || suite.wrong;
    printf("%s %zu - %s: %zu valid, %zu invalid, %zu of them told early",
           suite.wrong ? "not ok" : "ok", suite.number, name, suite.valid,
           suite.invalid, suite.early);
    if (suite.early)
        printf(", after %.0f %% of their bytes",
               100 * suite.part / (double)suite.early);
    printf("\n");
    fflush(stdout);
    suite.wrong = suite.valid = suite.invalid = suite.early = 0;
    suite.part = 0;
}

/* ---- one text ------------------------------------------------------------ */

size_t suite_feed(surety_stream *stream, const surety_contract *contract,
                  const surety_judge_options *options, bool native,
                  surety_str text, size_t size)
{
    size_t said = SIZE_MAX;
    surety_error error;

    if (surety_stream_begin(stream, contract, options, native, &error))
        suite_die("begin", error.message);
    for (size_t at = 0; at < text.len; at += size) {
        const size_t len = text.len - at < size ? text.len - at : size;

        if (surety_stream_feed(stream, (surety_str){text.ptr + at, len},
                               &error))
            suite_die("feed", error.message);
        if (said == SIZE_MAX &&
            surety_stream_info_of(stream)->state != SURETY_STREAM_OPEN)
            said = at + len;
    }
    return said;
}

/* What is shown of an outcome. */
static void suite_outcome(const surety_outcome *outcome, surety_buf *out)
{
    surety_buf_reset(out);
    surety_outcome_write(outcome, SURETY_REPORT_JSON, surety_str_of("reply"), 0,
                         out);
}

/* An instance as a native value. */
static void suite_instance(const surety_contract *contract, surety_str text,
                           bool valid)
{
    static const surety_repair levels[] = {
        SURETY_REPAIR_NONE, SURETY_REPAIR_SYNTAX, SURETY_REPAIR_ALIGN};
    const surety_val schema = surety_contract_info_of(contract)->root;

    for (size_t i = 0; i < 3; i++) {
        const surety_judge_options how = {.size = sizeof(how),
                                          .repair = &levels[i]};
        const size_t said =
            suite_feed(suite.stream, contract, &how, true, text, 1);
        surety_issue issue;

        if (valid && said != SIZE_MAX)
            suite_wrong("a valid value is lost", schema, text, said);
        if (valid || said == SIZE_MAX)
            continue;
        issue = surety_stream_info_of(suite.stream)->finding;
        if (!issue.keyword.len || !issue.message.len)
            suite_wrong("a finding says nothing", schema, text, said);
        if (i == 0) {
            suite.early++;
            suite.part += (double)said / (double)text.len;
        }
    }
    suite.valid += valid;
    suite.invalid += !valid;
    /* Sizes that cut texts and characters at other places. */
    for (size_t size = 2; size <= 64; size = size * 3 - 1) {
        const size_t said =
            suite_feed(suite.stream, contract, NULL, true, text, size);

        if (valid && said != SIZE_MAX)
            suite_wrong("a valid value in chunks is lost", schema, text, said);
    }
}

/* ---- the JSON Schema Test Suite ------------------------------------------ */

static bool suite_ends(const char *path, const char *end)
{
    const size_t len = strlen(path);

    return len > strlen(end) && !strcmp(path + len - strlen(end), end);
}

static surety_dialect suite_dialect(const char *path)
{
    return strstr(path, "/draft4/")         ? SURETY_DIALECT_4
           : strstr(path, "/draft6/")       ? SURETY_DIALECT_6
           : strstr(path, "/draft7/")       ? SURETY_DIALECT_7
           : strstr(path, "/draft2019-09/") ? SURETY_DIALECT_2019_09
           : strstr(path, "/v1/")           ? SURETY_DIALECT_V1
                                            : SURETY_DIALECT_2020_12;
}

/* A schema that is no contract (it has x-surety, or our limits) is left out. */
static surety_contract *suite_contract(surety_val schema,
                                       const surety_schema_options *options)
{
    const surety_contract_options contract_options = {
        .size = sizeof(contract_options), .schema = options};
    surety_contract *contract = NULL;

    surety_buf_reset(&suite.text);
    surety_val_write(schema, SURETY_STYLE_COMPACT, &suite.text);
    surety_contract_read(surety_buf_str(&suite.text), &contract_options,
                         &contract, NULL);
    return contract;
}

static void suite_run_group(const char *path, surety_val group,
                            surety_val other)
{
    const bool format = strstr(path, "/optional/") || strstr(path, "/format/");
    const surety_schema_options options = {.size = sizeof(options),
                                           .dialect = suite_dialect(path),
                                           .assert_format = format,
                                           .resolve = suite_resolve,
                                           .resolve_ctx = &suite.remotes};
    const surety_val tests = surety_val_get(group, "tests");
    surety_contract *contract =
        suite_contract(surety_val_get(group, "schema"), &options);
    surety_checker *checker = surety_checker_new(NULL, NULL);

    for (surety_val test = surety_val_first(tests); contract && test.doc;
         test = surety_val_next(tests, test)) {
        const surety_val data = surety_val_get(test, "data");
        bool valid = false;

        /* What the check says counts: schema_suite.c is about that. */
        if (surety_checker_check(checker,
                                 surety_contract_info_of(contract)->schema,
                                 data, &valid, NULL))
            continue;
        for (int style = SURETY_STYLE_COMPACT; style <= SURETY_STYLE_PRETTY;
             style++) {
            surety_buf_reset(&suite.text);
            surety_val_write(data, (surety_style)style, &suite.text);
            suite_instance(contract, surety_buf_str(&suite.text), valid);
        }
    }
    early_group(group, other, &options, suite.rounds);
    surety_checker_free(checker);
    surety_contract_free(contract);
}

static void suite_run_schemas(const char *root)
{
    char *tests = suite_join(root, "/tests");
    struct suite_files files;

    suite_list(&files, tests, ".json");
    suite_remotes_read(&suite.remotes, root);
    for (size_t i = 0; i < files.count; i++) {
        const char *below = files.paths[i] + strlen(tests);
        surety_doc *doc;
        surety_val groups, other;

        if (strstr(below, "/draft3/") || strstr(below, "/draft-next/"))
            continue;
        doc = suite_read(files.paths[i]);
        groups = surety_doc_root(doc);
        other = surety_val_first(groups);
        for (surety_val group = other; group.doc;
             group = surety_val_next(groups, group)) {
            suite_run_group(below, group, other);
            other = group;
        }
        suite_line(below + 1);
        surety_doc_free(doc);
    }
    suite_remotes_free(&suite.remotes);
    suite_unlist(&files);
    free(tests);
}

/* ---- real schemas -------------------------------------------------------- */

enum { INSTANCES_MAX = 40, OTHERS = 8, LINE_MAX_BYTES = 1 << 16 };

/* Writes val; of its values, counted in *left, the last is another. */
static void suite_write_other(surety_val val, size_t *left, surety_buf *out)
{
    const surety_kind kind = surety_val_kind(val);
    const bool object = kind == SURETY_KIND_OBJECT;
    surety_val child = surety_val_first(val);

    if (--*left == 0) {
        surety_buf_text(out, kind == SURETY_KIND_STRING    ? "7.5"
                             : kind == SURETY_KIND_BOOLEAN ? "[]"
                             : kind == SURETY_KIND_NUMBER  ? "{\"?\":[null]}"
                                                           : "\"other\"");
        return;
    }
    if (!object && kind != SURETY_KIND_ARRAY) {
        surety_val_write(val, SURETY_STYLE_COMPACT, out);
        return;
    }
    surety_buf_byte(out, object ? '{' : '[');
    for (; child.doc; child = surety_val_next(val, child)) {
        if (child.index != surety_val_first(val).index)
            surety_buf_byte(out, ',');
        if (object) {
            surety_val_write(surety_val_key(child), SURETY_STYLE_COMPACT, out);
            surety_buf_byte(out, ':');
        }
        suite_write_other(child, left, out);
    }
    surety_buf_byte(out, object ? '}' : ']');
}

static bool suite_is_valid(const surety_contract *contract, surety_str text)
{
    const surety_judge_options how = {.size = sizeof(how), .native = text};
    const surety_outcome *outcome;

    return !surety_judge_reply(suite.judge, contract, (surety_str){NULL, 0},
                               &how, &outcome, NULL) &&
           surety_outcome_info_of(outcome)->ok;
}

/* An instance and what is made of it. */
static void suite_others(const surety_contract *contract, surety_str text)
{
    surety_doc *doc = surety_doc_new(NULL);

    suite_instance(contract, text, suite_is_valid(contract, text));
    for (size_t i = 0; i < OTHERS && !surety_doc_read(doc, text, NULL, NULL);
         i++) {
        size_t left = 1 + surety__doc_size(doc) * (i + 1) / (OTHERS + 1) / 2;
        surety_str other;

        surety_buf_reset(&suite.text);
        suite_write_other(surety_doc_root(doc), &left, &suite.text);
        other = surety_buf_str(&suite.text);
        suite_instance(contract, other, suite_is_valid(contract, other));
    }
    surety_doc_free(doc);
}

/* The first instances of a set, as they are in its file. */
static void suite_run_set(const char *folder, const char *name)
{
    char *below = suite_join(folder, "/");
    char *path = suite_join(below, name);
    char *schema_path = suite_join(path, "/schema.json");
    char *lines_path = suite_join(path, "/instances.jsonl");
    const surety_schema_options options = {.size = sizeof(options)};
    FILE *file = fopen(lines_path, "r");
    surety_doc *schema = file ? suite_read(schema_path) : NULL;
    surety_contract *contract =
        schema ? suite_contract(surety_doc_root(schema), &options) : NULL;
    char *line = malloc(LINE_MAX_BYTES);
    bool within = false; /* a line that is too long */

    for (int i = 0; contract && line && i < INSTANCES_MAX &&
                    fgets(line, LINE_MAX_BYTES, file);) {
        const bool ends = strchr(line, '\n') != NULL;

        if (ends && !within) {
            suite_others(contract, (surety_str){line, strcspn(line, "\n")});
            i++;
        }
        within = !ends;
    }
    if (contract)
        suite_line(name);
    if (file)
        fclose(file);
    free(line);
    surety_contract_free(contract);
    surety_doc_free(schema);
    free(below);
    free(path);
    free(schema_path);
    free(lines_path);
}

static void suite_run_sets(const char *folder)
{
    struct dirent **names;
    const int count = scandir(folder, &names, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.')
            suite_run_set(folder, names[i]->d_name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

/* ---- replies ------------------------------------------------------------- */

/* Whether a key occurs twice in the reply, so that the last counts: on the way
 * nobody waits for that (stream.h). */
static bool suite_is_twice(const surety_judge_options *from, surety_str reply)
{
    surety_judge_options how = *from;
    const surety_outcome *outcome;

    if (surety_judge_reply(suite.judge, suite.anything, reply, &how, &outcome,
                           NULL))
        return false;
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->warning_count; i++)
        if (surety_str_equal(surety_outcome_warning(outcome, i).keyword,
                             surety_str_of("duplicate_key")))
            return true;
    return false;
}

static void suite_law(const surety_contract *contract, surety_str reply,
                      const surety_judge_options *from, bool native)
{
    static const size_t sizes[] = {1, 2, 3, 7, 64, SIZE_MAX};
    const surety_val schema = surety_contract_info_of(contract)->root;
    const surety_outcome *outcome;
    surety_stream_state state = SURETY_STREAM_OPEN;
    surety_judge_options how = *from;
    surety_error error;
    bool good, twice;

    if (native)
        how.native = reply;
    twice = suite_is_twice(&how, native ? (surety_str){NULL, 0} : reply);
    if (surety_judge_reply(suite.judge, contract,
                           native ? (surety_str){NULL, 0} : reply, &how,
                           &outcome, &error)) {
        suite_wrong(error.message, schema, reply, 0);
        return;
    }
    good = surety_outcome_info_of(outcome)->ok;
    suite_outcome(outcome, &suite.shown);
    surety_buf_reset(&suite.text);
    surety_buf_add(&suite.text, surety_buf_str(&suite.shown));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        const size_t said = suite_feed(
            suite.stream, contract, from, native, reply,
            reply.len && sizes[i] > reply.len ? reply.len : sizes[i]);
        const surety_stream_state last =
            surety_stream_info_of(suite.stream)->state;

        if (!twice && good && last == SURETY_STREAM_NO)
            suite_wrong("NO to a reply that is good", schema, reply, said);
        if (!twice && i && last != state)
            suite_wrong("the chunks change the last state", schema, reply,
                        sizes[i]);
        state = last;
        if (surety_stream_finish(suite.stream, NULL, &outcome, &error)) {
            suite_wrong(error.message, schema, reply, said);
            continue;
        }
        suite_outcome(outcome, &suite.shown);
        if (!surety_str_equal(surety_buf_str(&suite.shown),
                              surety_buf_str(&suite.text)))
            suite_wrong("the chunks change the outcome", schema, reply,
                        sizes[i]);
    }
}

static void suite_case(surety_val row)
{
    static const surety_repair levels[] = {
        SURETY_REPAIR_NONE, SURETY_REPAIR_SYNTAX, SURETY_REPAIR_ALIGN};
    static const surety_extract whole = {
        .size = sizeof(whole), .from = {SURETY_PLACE_WHOLE}, .from_count = 1};
    const surety_schema_options options = {.size = sizeof(options)};
    const surety_val schema = surety_val_get(row, "schema");
    const surety_str input = surety_val_str(surety_val_get(row, "input"));
    surety_contract *contract = NULL;

    if (surety_val_kind(schema) == SURETY_KIND_OBJECT)
        contract = suite_contract(schema, &options);
    if (!contract)
        surety_contract_read(surety_str_of("true"), NULL, &contract, NULL);
    for (size_t i = 0; contract && i < 9; i++) {
        const surety_judge_options how = {
            .size = sizeof(how),
            .repair = &levels[i % 3],
            .extract = i < 3 || i >= 6 ? NULL : &whole,
        };

        suite_law(contract, input, &how, i >= 6);
    }
    suite.valid++;
    surety_contract_free(contract);
}

static void suite_run_file(const char *path)
{
    FILE *file = fopen(path, "r");
    surety_doc *doc = surety_doc_new(NULL);
    surety_buf line;

    if (!file)
        suite_die("cannot read", path);
    surety_buf_init(&line, NULL, 0);
    while (suite_next_line(file, &line))
        if (!surety_doc_read(doc, surety_buf_str(&line), NULL, NULL))
            suite_case(surety_doc_root(doc));
    suite_line(path);
    surety_buf_done(&line);
    surety_doc_free(doc);
    fclose(file);
}

static void suite_run_cases(const char *path)
{
    struct suite_files files;

    suite_list(&files, path, ".jsonl");
    for (size_t i = 0; i < files.count; i++)
        suite_run_file(files.paths[i]);
    suite_unlist(&files);
}

/* FOLDER/AREA/CONTRACT/NAME.ENDING */
static void suite_run_golden(const char *folder)
{
    enum { REPLY_MAX = 1 << 20 };
    const surety_judge_options how = {.size = sizeof(how)};
    surety_registry *registry = NULL;
    struct suite_files files;
    char *text = malloc(REPLY_MAX);

    suite_list(&files, folder, "");
    surety_registry_new(surety_str_of(""), NULL, &registry, NULL);
    for (size_t i = 0; text && i < files.count; i++) {
        const char *name = files.paths[i] + strlen(folder) + 1;
        const char *end = strrchr(name, '/');
        surety_contract *contract = NULL;
        FILE *file = fopen(files.paths[i], "r");
        size_t len = file ? fread(text, 1, REPLY_MAX, file) : 0;

        if (file)
            fclose(file);
        if (end && !suite_ends(name, ".expect"))
            surety_registry_find(registry,
                                 (surety_str){name, (size_t)(end - name)},
                                 &contract, NULL);
        if (contract) {
            suite_law(contract, (surety_str){text, len}, &how,
                      suite_ends(name, ".json"));
            suite.valid++;
        }
        surety_contract_free(contract);
    }
    if (suite.valid)
        suite_line(folder);
    suite_unlist(&files);
    surety_registry_free(registry);
    free(text);
}

int main(int argc, char **argv)
{
    suite.stream = surety_stream_new(NULL, NULL);
    suite.judge = surety_judge_new(NULL, NULL);
    surety_buf_init(&suite.text, NULL, 0);
    surety_buf_init(&suite.shown, NULL, 0);
    surety_contract_read(surety_str_of("true"), NULL, &suite.anything, NULL);
    suite.rounds = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 2;
    if (argc < 3 || argc > 4 || !suite.anything || !suite.stream ||
        !suite.judge)
        suite_die("usage", "stream_suite suite|schemas|cases|golden PATH");
    if (!strcmp(argv[1], "suite"))
        suite_run_schemas(argv[2]);
    else if (!strcmp(argv[1], "schemas"))
        suite_run_sets(argv[2]);
    else if (!strcmp(argv[1], "golden"))
        suite_run_golden(argv[2]);
    else
        suite_run_cases(argv[2]);
    if (suite.number)
        printf("1..%zu\n", suite.number);
    else
        printf("1..0 # SKIP nothing in %s\n", argv[2]);
    surety_stream_free(suite.stream);
    surety_judge_free(suite.judge);
    surety_contract_free(suite.anything);
    surety_buf_done(&suite.text);
    surety_buf_done(&suite.shown);
    early_done();
    return suite.failed;
}
