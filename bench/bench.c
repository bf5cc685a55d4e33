/* SPDX-License-Identifier: Apache-2.0 */
/* Surety's side of the measurements:
 *
 *     bench-surety set SCHEMA|- INSTANCES [WORK]
 *     bench-surety reply CONTRACT REPLIES [WORK]
 *     bench-surety stream - TEXTS [WORK]
 *
 * It holds one data set and does what it is told, so that the driver
 * (bench.py) can let it and its peers take turns:
 *
 *     stdout first   {"verdicts": "1101..."}   a digit a document, or
 *                    {"error": "..."}          and that was all
 *     stdin          WORK MS                   do WORK for at least MS
 *     stdout         NANOSECONDS               of one pass, the mean
 *
 * With WORK it does that once and holds no document that was read: so the
 * memory that a work takes can be seen from outside. It ends with 3 where that
 * cannot be done.
 *
 * Time is the wall clock's or the process's own on the processors, whichever
 * is less: a busy machine then costs nobody anything, and neither do the
 * helping threads that a peer may have.
 *
 * One pass is every document of the set once; the table `works` has what can
 * be done with it. A file ending in .jsonl holds a document a line, one ending
 * in .seq a document after each byte 1E (RFC 7464), any other is one document.
 * All memory is reused where the interface allows it; nothing is measured
 * before it has run once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <surety/json.h>
#include <surety/reply.h>
#include <surety/schema.h>

#include "written.h"

/* How often the work "again" repeats each document. */
#define REPEAT 20

static const surety_read_options borrowing = {.size = sizeof borrowing,
                                              .flags = SURETY_READ_BORROW};

struct set {
    surety_str schema_text; /* empty: none */
    surety_str text;        /* the instances */
    surety_str *texts;      /* one a document */
    surety_doc **docs;      /* NULL where none are held */
    size_t count;
    surety_schema *schema;
    surety_schema_cache *cache; /* it holds the schema once more */
    surety_checker *checker;
    surety_doc *scratch;
    surety_contract *contract; /* of replies; NULL: the texts are JSON */
    surety_finder *finder;
    surety_judge *judge;
    surety_lenient *reader; /* of texts that come in pieces; else NULL */
    written written;        /* the schema as C */
    size_t valid; /* counted by every work, so that none is optimised away */
};

/* The driver reads the reason; the exit frees what was held. */
static void fail(const char *what, const char *why)
{
    printf("{\"error\": \"%s: %s\"}\n", what, why);
    exit(0);
}

static surety_str file_read(const char *path)
{
    surety_str text = {NULL, 0};
    FILE *file = fopen(path, "rb");
    long size = 0;
    char *ptr = NULL;

    if (!file || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 ||
        fseek(file, 0, SEEK_SET) != 0)
        fail(path, "cannot be read");
    ptr = malloc((size_t)size + 1);
    if (!ptr || fread(ptr, 1, (size_t)size, file) != (size_t)size)
        fail(path, "cannot be read");
    fclose(file);
    text.ptr = ptr;
    text.len = (size_t)size;
    return text;
}

/* ---- the works ---------------------------------------------------------- */

static surety_status text_read(surety_doc *doc, surety_str text)
{
    return surety_doc_read(doc, text, &borrowing, NULL);
}

static bool value_check(struct set *set, const surety_doc *doc)
{
    bool valid = false;

    surety_checker_check(set->checker, set->schema, surety_doc_root(doc),
                         &valid, NULL);
    return valid;
}

static bool text_check(struct set *set, surety_str text)
{
    return text_read(set->scratch, text) == SURETY_OK &&
           value_check(set, set->scratch);
}

/* The value of the first candidate, as a caller without a contract has it. */
static bool reply_extract(struct set *set, surety_str reply)
{
    return surety_finder_find(set->finder, reply, NULL, NULL, NULL) ==
               SURETY_OK &&
           surety_finder_count(set->finder) > 0 &&
           text_read(set->scratch, surety_finder_at(set->finder, 0).text) ==
               SURETY_OK;
}

static bool reply_judge(struct set *set, surety_str reply)
{
    const surety_outcome *outcome = NULL;

    return surety_judge_reply(set->judge, set->contract, reply, NULL, &outcome,
                              NULL) == SURETY_OK &&
           surety_outcome_info_of(outcome)->ok;
}

static void pass_parse(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += text_read(set->scratch, set->texts[i]) == SURETY_OK;
}

static void pass_check(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += value_check(set, set->docs[i]);
}

static void pass_again(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        for (unsigned again = 0; again < REPEAT; again++)
            set->valid += value_check(set, set->docs[i]);
}

static void pass_written(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid +=
            set->written.fits(&set->written, surety_doc_root(set->docs[i]));
}

static void pass_tree(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += text_check(set, set->texts[i]);
}

static void pass_compile(struct set *set)
{
    surety_schema *schema = NULL;

    if (surety_schema_read(set->schema_text, NULL, &schema, NULL) == SURETY_OK)
        set->valid++;
    surety_schema_free(schema);
}

static void pass_recall(struct set *set)
{
    const surety_schema *schema = NULL;

    set->valid += surety_schema_cache_read(set->cache, set->schema_text, NULL,
                                           &schema, NULL) == SURETY_OK;
}

static void pass_extract(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += reply_extract(set, set->texts[i]);
}

static void pass_judge(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += reply_judge(set, set->texts[i]);
}

/* A text in pieces of so many bytes, and after each the value so far. */
enum { PIECE = 4 };

static bool text_stream(struct set *set, surety_str text)
{
    surety_val value = surety_val_none();
    surety_status status =
        surety_lenient_begin(set->reader, set->scratch, NULL, NULL);

    for (size_t at = 0; status == SURETY_OK && at < text.len; at += PIECE) {
        const size_t left = text.len - at;

        status = surety_lenient_feed(
            set->reader,
            (surety_str){text.ptr + at, left < PIECE ? left : PIECE}, NULL);
        if (status == SURETY_OK)
            status = surety_lenient_snapshot(set->reader, &value, NULL);
        set->valid += value.doc != NULL;
    }
    return status >= SURETY_OK &&
           surety_lenient_finish(set->reader, NULL, NULL) == SURETY_OK;
}

static void pass_stream(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += text_stream(set, set->texts[i]);
}

static bool any(const struct set *set)
{
    return !set->contract && !set->reader;
}

static bool has_reader(const struct set *set)
{
    return set->reader != NULL;
}

static bool has_schema(const struct set *set)
{
    return set->schema != NULL;
}

static bool has_docs(const struct set *set)
{
    return set->schema && set->docs;
}

static bool is_written(const struct set *set)
{
    return has_docs(set) && set->written.fits;
}

static bool has_contract(const struct set *set)
{
    return set->contract != NULL;
}

static const struct work {
    const char *name;
    void (*pass)(struct set *set);
    bool (*able)(const struct set *set);
    unsigned times; /* that a pass does every document */
} works[] = {
    {"parse", pass_parse, any, 1},              /* bytes to a document */
    {"check", pass_check, has_docs, 1},         /* documents that stay read */
    {"again", pass_again, has_docs, REPEAT},    /* each several times on end */
    {"written", pass_written, is_written, 1},   /* check, by C of its own */
    {"bytes", pass_tree, has_schema, 1},        /* parse, then check */
    {"compile", pass_compile, has_schema, 1},   /* text to a schema */
    {"recall", pass_recall, has_schema, 1},     /* the same, once cached */
    {"extract", pass_extract, has_contract, 1}, /* a reply to a value */
    {"judge", pass_judge, has_contract, 1},     /* a reply to a verdict */
    {"stream", pass_stream, has_reader, 1},     /* pieces to values */
};

static double now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* NULL: there is no such work, or this set is not for it. */
static const struct work *work_find(const struct set *set, const char *name)
{
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (strcmp(works[i].name, name) == 0 && works[i].able(set))
            return &works[i];
    return NULL;
}

/* The mean nanoseconds of doing every document once. */
static double work_time(struct set *set, const struct work *work, unsigned ms)
{
    const double start_ns = now_ns(CLOCK_MONOTONIC);
    const double used_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    double passes = 0;
    double spent = 0;
    double used = 0;

    do {
        work->pass(set);
        passes += work->times;
        spent = now_ns(CLOCK_MONOTONIC) - start_ns;
    } while (spent < ms * 1e6);
    used = now_ns(CLOCK_PROCESS_CPUTIME_ID) - used_ns;
    return (used < spent ? used : spent) / passes;
}

/* ---- the set ------------------------------------------------------------ */

static bool ends_with(const char *path, const char *ending)
{
    const size_t path_len = strlen(path);
    const size_t len = strlen(ending);

    return path_len > len && strcmp(path + path_len - len, ending) == 0;
}

static void set_split(struct set *set, const char *path)
{
    const char *ptr = set->text.ptr;
    const char *end = ptr + set->text.len;
    const bool is_many = ends_with(path, ".jsonl") || ends_with(path, ".seq");
    const char mark = ends_with(path, ".seq") ? '\x1e' : '\n';
    size_t parts = 1;

    for (const char *at = ptr; is_many && at < end; at++)
        parts += *at == mark;
    set->texts = calloc(parts, sizeof *set->texts);
    if (!set->texts)
        fail("instances", "out of memory");
    while (ptr < end) {
        const char *found =
            is_many ? memchr(ptr, mark, (size_t)(end - ptr)) : NULL;
        const char *stop = found ? found : end;

        if (stop > ptr)
            set->texts[set->count++] = (surety_str){ptr, (size_t)(stop - ptr)};
        ptr = found ? found + 1 : end;
    }
}

static void schema_open(struct set *set, const char *path, bool is_contract)
{
    surety_error error = {0};
    surety_status status = SURETY_OK;

    set->scratch = surety_doc_new(NULL);
    set->checker = surety_checker_new(NULL, NULL);
    set->cache = surety_schema_cache_new(NULL, 0, 0);
    set->finder = surety_finder_new(NULL);
    set->judge = surety_judge_new(NULL, NULL);
    if (strcmp(path, "-") == 0)
        return;
    set->schema_text = file_read(path);
    set->written = written_open(path);
    if (is_contract)
        status = surety_contract_read(set->schema_text, NULL, &set->contract,
                                      &error);
    else
        status =
            surety_schema_read(set->schema_text, NULL, &set->schema, &error);
    if (status != SURETY_OK)
        fail(is_contract ? "contract" : "schema", surety_status_name(status));
}

/* All ways to a verdict must come to the same, or none is measured. */
static bool verdict_of(struct set *set, surety_str text)
{
    const bool valid = set->schema ? text_check(set, text)
                                   : text_read(set->scratch, text) == SURETY_OK;

    if (set->schema && set->written.fits &&
        set->written.fits(&set->written, surety_doc_root(set->scratch)) !=
            valid)
        fail("written", "another verdict than the schema's");
    return valid;
}

/* Reads every document once, and keeps those that "check" is done on. */
static void set_say(struct set *set)
{
    char *verdicts = calloc(set->count + 1, 1);

    if (set->schema)
        set->docs = calloc(set->count + 1, sizeof(surety_doc *));
    if (!verdicts || (set->schema && !set->docs))
        fail("instances", "out of memory");
    for (size_t i = 0; i < set->count; i++) {
        const bool valid = set->contract ? reply_judge(set, set->texts[i])
                           : set->reader ? text_stream(set, set->texts[i])
                                         : verdict_of(set, set->texts[i]);

        verdicts[i] = valid ? '1' : '0';
        if (set->docs) {
            set->docs[i] = surety_doc_new(NULL);
            text_read(set->docs[i], set->texts[i]);
        }
    }
    printf("{\"verdicts\": \"%s\"}\n", verdicts);
    fflush(stdout);
    free(verdicts);
}

static void set_serve(struct set *set)
{
    char line[64];

    while (fgets(line, sizeof line, stdin)) {
        char *blank = strchr(line, ' ');
        const struct work *work = NULL;
        unsigned ms = 0;

        for (char *at = blank ? blank + 1 : ""; *at >= '0' && *at <= '9'; at++)
            ms = ms * 10 + (unsigned)(*at - '0');
        if (blank)
            *blank = '\0';
        work = work_find(set, line);
        printf("%.1f\n", work ? work_time(set, work, ms) : -1);
        fflush(stdout);
    }
}

static void set_close(struct set *set)
{
    for (size_t i = 0; set->docs && i < set->count; i++)
        surety_doc_free(set->docs[i]);
    surety_doc_free(set->scratch);
    surety_checker_free(set->checker);
    surety_schema_free(set->schema);
    surety_schema_cache_free(set->cache);
    surety_finder_free(set->finder);
    surety_judge_free(set->judge);
    surety_lenient_free(set->reader);
    written_close(&set->written);
    surety_contract_free(set->contract);
    free(set->docs);
    free(set->texts);
    free((void *)(size_t)set->text.ptr);
    free((void *)(size_t)set->schema_text.ptr);
}

int main(int argc, char **argv)
{
    struct set set = {0};
    const struct work *once = NULL;

    if (argc < 4 || argc > 5 ||
        (strcmp(argv[1], "set") != 0 && strcmp(argv[1], "reply") != 0 &&
         strcmp(argv[1], "stream") != 0)) {
        fprintf(stderr, "usage: bench-surety set SCHEMA|- INSTANCES [WORK]\n"
                        "       bench-surety reply CONTRACT REPLIES [WORK]\n"
                        "       bench-surety stream - TEXTS [WORK]\n");
        return 2;
    }
    set.text = file_read(argv[3]);
    set_split(&set, argv[3]);
    schema_open(&set, argv[2], strcmp(argv[1], "reply") == 0);
    if (strcmp(argv[1], "stream") == 0)
        set.reader = surety_lenient_new(NULL);
    if (argc == 4) {
        set_say(&set);
        set_serve(&set);
    } else {
        once = work_find(&set, argv[4]);
        if (once)
            once->pass(&set);
    }
    set_close(&set);
    return once || argc == 4 ? 0 : 3;
}
