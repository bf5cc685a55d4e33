/* SPDX-License-Identifier: Apache-2.0 */
/* Surety's side of the measurements: bench-surety SCHEMA|- INSTANCES.
 *
 * It holds one data set and does what it is told, so that the driver
 * (bench.py) can let it and its peers take turns:
 *
 *     stdout first   {"verdicts": "1101..."}   a digit a document, or
 *                    {"error": "..."}          and that was all
 *     stdin          WORK MS                   do WORK for at least MS
 *     stdout         NANOSECONDS               of one pass, the mean
 *
 * Time is the wall clock's or the process's own on the processors, whichever
 * is less: a busy machine then costs nobody anything, and neither do the
 * helping threads that a peer may have.
 *
 * One pass is every document of the set once. The works: parse (bytes to a
 * document), check (documents that stay read), bytes (parse and check),
 * compile (the schema's text to a schema); without a schema only parse, and
 * then no document is kept. INSTANCES ending in .jsonl holds a
 * document a line, any other file is one document. All memory is reused where
 * the interface allows it; nothing is measured before it has run once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <surety/json.h>
#include <surety/schema.h>

struct set {
    surety_str schema_text; /* empty: none */
    surety_str text;        /* the instances */
    surety_str *texts;      /* one a document */
    surety_doc **docs;
    size_t count;
    surety_schema *schema;
    surety_checker *checker;
    surety_doc *scratch;
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
    const surety_read_options options = {.size = sizeof options,
                                         .flags = SURETY_READ_BORROW};

    return surety_doc_read(doc, text, &options, NULL);
}

static bool value_check(struct set *set, const surety_doc *doc)
{
    bool valid = false;

    surety_checker_check(set->checker, set->schema, surety_doc_root(doc),
                         &valid, NULL);
    return valid;
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

static void pass_bytes(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += text_read(set->scratch, set->texts[i]) == SURETY_OK &&
                      value_check(set, set->scratch);
}

static void pass_compile(struct set *set)
{
    surety_schema *schema = NULL;

    if (surety_schema_read(set->schema_text, NULL, &schema, NULL) == SURETY_OK)
        set->valid++;
    surety_schema_free(schema);
}

static const struct work {
    const char *name;
    void (*pass)(struct set *set);
    bool wants_schema;
} works[] = {
    {"parse", pass_parse, false},
    {"check", pass_check, true},
    {"bytes", pass_bytes, true},
    {"compile", pass_compile, true},
};

static double now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The mean nanoseconds of a pass; below zero: there is no such work. */
static double work_do(struct set *set, const char *name, unsigned ms)
{
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        const double start_ns = now_ns(CLOCK_MONOTONIC);
        const double used_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        double passes = 0;
        double spent = 0;
        double used = 0;

        if (strcmp(works[i].name, name) != 0 ||
            (works[i].wants_schema && !set->schema))
            continue;
        do {
            works[i].pass(set);
            passes++;
            spent = now_ns(CLOCK_MONOTONIC) - start_ns;
        } while (spent < ms * 1e6);
        used = now_ns(CLOCK_PROCESS_CPUTIME_ID) - used_ns;
        return (used < spent ? used : spent) / passes;
    }
    return -1;
}

/* ---- the set ------------------------------------------------------------ */

static void set_split(struct set *set, bool is_lines)
{
    const char *ptr = set->text.ptr;
    const char *end = ptr + set->text.len;
    size_t lines = 1;

    for (const char *at = ptr; is_lines && at < end; at++)
        lines += *at == '\n';
    set->texts = calloc(lines, sizeof *set->texts);
    set->docs = calloc(lines, sizeof *set->docs);
    if (!set->texts || !set->docs)
        fail("instances", "out of memory");
    while (ptr < end) {
        const char *feed =
            is_lines ? memchr(ptr, '\n', (size_t)(end - ptr)) : NULL;
        const char *stop = feed ? feed : end;

        if (stop > ptr)
            set->texts[set->count++] = (surety_str){ptr, (size_t)(stop - ptr)};
        ptr = feed ? feed + 1 : end;
    }
}

static void set_open(struct set *set, const char *schema, const char *instances)
{
    const size_t len = strlen(instances);
    surety_error error = {0};

    set->text = file_read(instances);
    set_split(set, len > 6 && strcmp(instances + len - 6, ".jsonl") == 0);
    set->scratch = surety_doc_new(NULL);
    set->checker = surety_checker_new(NULL, NULL);
    if (strcmp(schema, "-") != 0) {
        set->schema_text = file_read(schema);
        if (surety_schema_read(set->schema_text, NULL, &set->schema, &error) !=
            SURETY_OK)
            fail("schema", surety_status_name(error.status));
    }
    printf("{\"verdicts\": \"");
    for (size_t i = 0; i < set->count; i++) {
        surety_doc *doc = set->schema ? surety_doc_new(NULL) : set->scratch;
        const bool ok = text_read(doc, set->texts[i]) == SURETY_OK &&
                        (!set->schema || value_check(set, doc));

        if (set->schema)
            set->docs[i] = doc;
        putchar(ok ? '1' : '0');
    }
    printf("\"}\n");
    fflush(stdout);
}

static void set_close(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        surety_doc_free(set->docs[i]);
    surety_doc_free(set->scratch);
    surety_checker_free(set->checker);
    surety_schema_free(set->schema);
    free(set->docs);
    free(set->texts);
    free((void *)(size_t)set->text.ptr);
    free((void *)(size_t)set->schema_text.ptr);
}

int main(int argc, char **argv)
{
    struct set set = {0};
    char line[64];

    if (argc != 3) {
        fprintf(stderr, "usage: bench-surety SCHEMA|- INSTANCES\n");
        return 2;
    }
    set_open(&set, argv[1], argv[2]);
    while (fgets(line, sizeof line, stdin)) {
        char *blank = strchr(line, ' ');
        unsigned ms = 0;

        for (char *at = blank ? blank + 1 : ""; *at >= '0' && *at <= '9'; at++)
            ms = ms * 10 + (unsigned)(*at - '0');
        if (blank)
            *blank = '\0';
        printf("%.1f\n", work_do(&set, line, ms));
        fflush(stdout);
    }
    set_close(&set);
    return 0;
}
