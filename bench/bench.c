/* SPDX-License-Identifier: Apache-2.0 */
/* One set of documents, and all that the native tools can do with it, in one
 * process:
 *
 *     bench-native set SCHEMA|- DOCUMENTS [WORK]
 *     bench-native reply CONTRACT REPLIES [WORK]
 *     bench-native stream - TEXTS [WORK]
 *
 * bench.py drives it:
 *
 *     stdout first   {"verdicts": "1101...", "works": ["surety parse", ...]},
 *                    or {"error": "..."}
 *     stdin          TOOL WORK MS      do it for at least MS
 *     stdout         NANOSECONDS       of one pass, the mean
 *
 * A pass is every document of the set once. Time is the processor time of this
 * process, so a busy machine costs no tool anything. Every work has run before
 * it is measured, and its memory is reused where its interface allows that.
 * With WORK it does that once and ends: so its memory can be measured from
 * outside.
 *
 * A file that ends in .jsonl has a document on each line, one that ends in .seq
 * has one after each byte 1E (RFC 7464), every other file is one document. */
#include <string.h>

#include <surety/json.h>
#include <surety/reply.h>
#include <surety/schema.h>
#include <surety/strict.h>

#include "common.h"
#include "peers.h"

enum {
    REPEAT = 20, /* how often the work "again" repeats each document */
    PIECE = 4    /* bytes of a stream that arrive together */
};

static const surety_read_options borrowing = {.size = sizeof borrowing,
                                              .flags = SURETY_READ_BORROW};

struct set {
    surety_str schema_text; /* empty: none */
    surety_str text;        /* all documents */
    surety_str *texts;      /* one each */
    surety_doc **docs;      /* read; NULL: none are held */
    size_t count;
    surety_schema *schema;     /* NULL in the modes reply and stream */
    surety_contract *contract; /* NULL in the mode stream; in the mode set for
                                * the strict compiler only, and NULL where the
                                * schema is no contract */
    surety_checker *checker;
    surety_findings *findings;
    surety_buf out; /* scratch */
    surety_doc *scratch;
    surety_judge *judge;     /* NULL but in the mode reply */
    surety_lenient *lenient; /* NULL but in the mode stream */
    peers *peers;            /* NULL but in the mode set */
    size_t valid; /* every work counts, so that none is optimised away */
};

/* The driver reads the reason; the exit frees everything. */
static void fail(const char *what, const char *why)
{
    printf("{\"error\": \"%s: %s\"}\n", what, why);
    exit(0);
}

/* The same as file_read, but it never fails. */
static surety_str file_open(const char *path)
{
    const surety_str text = file_read(path);

    if (!text.ptr)
        fail(path, "cannot be read");
    return text;
}

/* ---- what Surety does with one document ---------------------------------- */

static bool text_read(surety_doc *doc, surety_str text)
{
    return surety_doc_read(doc, text, &borrowing, NULL) == SURETY_OK;
}

static bool value_check(struct set *set, const surety_doc *doc)
{
    bool valid = false;

    surety_checker_check(set->checker, set->schema, surety_doc_root(doc),
                         &valid, NULL);
    return valid;
}

/* Whether there is any error; all of them are in the findings. */
static bool value_errors(struct set *set, const surety_doc *doc)
{
    return surety_checker_report(set->checker, set->schema,
                                 surety_doc_root(doc), set->findings,
                                 NULL) == SURETY_OK &&
           surety_findings_count(set->findings) > 0;
}

/* The same, and all of them as JSON: so their locations and messages are
 * read. */
static bool value_written(struct set *set, const surety_doc *doc)
{
    surety_buf_reset(&set->out);
    return value_errors(set, doc) &&
           surety_findings_write(set->findings, false, SURETY_OUTPUT_BASIC,
                                 &set->out) == SURETY_OK;
}

static bool text_check(struct set *set, surety_str text)
{
    return text_read(set->scratch, text) && value_check(set, set->scratch);
}

static bool reply_judge(struct set *set, surety_str reply)
{
    const surety_judge_options options = {.size = sizeof options};
    const surety_outcome *outcome = NULL;

    return surety_judge_reply(set->judge, set->contract, reply, &options,
                              &outcome, NULL) == SURETY_OK &&
           surety_outcome_info_of(outcome)->ok;
}

/* The text in pieces, and after each of them the value so far. */
static bool text_stream(struct set *set, surety_str text)
{
    surety_val value = surety_val_none();
    surety_status status =
        surety_lenient_begin(set->lenient, set->scratch, NULL, NULL);

    for (size_t at = 0; status == SURETY_OK && at < text.len; at += PIECE) {
        const size_t left = text.len - at;

        status = surety_lenient_feed(
            set->lenient,
            (surety_str){text.ptr + at, left < PIECE ? left : PIECE}, NULL);
        if (status == SURETY_OK)
            status = surety_lenient_snapshot(set->lenient, &value, NULL);
        set->valid += value.doc != NULL;
    }
    return status >= SURETY_OK &&
           surety_lenient_finish(set->lenient, NULL, NULL) == SURETY_OK;
}

/* ---- passes -------------------------------------------------------------- */

static void pass_parse(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += text_read(set->scratch, set->texts[i]);
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

static void pass_errors(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += value_errors(set, set->docs[i]);
}

static void pass_written(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += value_written(set, set->docs[i]);
}

static void pass_bytes(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += text_check(set, set->texts[i]);
}

static void pass_compile(struct set *set)
{
    surety_schema *schema = NULL;

    set->valid +=
        surety_schema_read(set->schema_text, NULL, &schema, NULL) == SURETY_OK;
    surety_schema_free(schema);
}

static void pass_strict(struct set *set)
{
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;

    set->valid += surety_contract_read(set->schema_text, NULL, &contract,
                                       NULL) == SURETY_OK &&
                  surety_strict_of(contract, SURETY_SUBSET_OPENAI, &strict,
                                   NULL) == SURETY_OK;
    surety_contract_free(contract);
}

static void pass_judge(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += reply_judge(set, set->texts[i]);
}

static void pass_stream(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        set->valid += text_stream(set, set->texts[i]);
}

static void pass_yyjson(struct set *set)
{
    set->valid += peers_parse(set->peers, PEER_YYJSON);
}

static void pass_simdjson(struct set *set)
{
    set->valid += peers_parse(set->peers, PEER_SIMDJSON);
}

/* ---- the table of works ---------------------------------------------------
 */

static bool has_texts(const struct set *set)
{
    return set->count && !set->judge && !set->lenient;
}

static bool has_schema(const struct set *set)
{
    return set->schema != NULL;
}

static bool has_docs(const struct set *set)
{
    return set->docs && set->count;
}

static bool has_contract(const struct set *set)
{
    return set->contract && !set->judge;
}

static bool has_judge(const struct set *set)
{
    return set->judge != NULL;
}

static bool has_lenient(const struct set *set)
{
    return set->lenient != NULL;
}

static bool has_yyjson(const struct set *set)
{
    return set->peers && peers_have(PEER_YYJSON);
}

static bool has_simdjson(const struct set *set)
{
    return set->peers && peers_have(PEER_SIMDJSON);
}

static const struct work {
    const char *name; /* TOOL WORK */
    void (*pass)(struct set *set);
    bool (*able)(const struct set *set);
    unsigned times; /* that a pass does every document */
} works[] = {
    {"surety parse", pass_parse, has_texts, 1}, /* bytes to a document */
    {"surety check", pass_check, has_docs, 1},  /* a document to yes or no */
    {"surety again", pass_again, has_docs, REPEAT},  /* each in a row */
    {"surety errors", pass_errors, has_docs, 1},     /* to all that is wrong */
    {"surety written", pass_written, has_docs, 1},   /* and that as JSON */
    {"surety bytes", pass_bytes, has_docs, 1},       /* bytes to yes or no */
    {"surety compile", pass_compile, has_schema, 1}, /* text to a schema */
    {"surety strict", pass_strict, has_contract, 1}, /* to one for OpenAI */
    {"surety judge", pass_judge, has_judge, 1},      /* a reply to a value */
    {"surety stream", pass_stream, has_lenient, 1},  /* pieces to values */
    {"yyjson parse", pass_yyjson, has_yyjson, 1},
    {"simdjson parse", pass_simdjson, has_simdjson, 1},
};
enum { WORK_COUNT = sizeof works / sizeof *works };

/* NULL: there is no such work, or this set is not for it. */
static const struct work *work_find(const struct set *set, const char *name)
{
    for (size_t i = 0; i < WORK_COUNT; i++)
        if (strcmp(works[i].name, name) == 0 && works[i].able(set))
            return &works[i];
    return NULL;
}

/* The mean nanoseconds of doing every document once. Reading the clock takes as
 * long as a small pass, so it is read less and less often. */
static double work_time(struct set *set, const struct work *work, unsigned ms)
{
    const double start = used_ns();
    double passes = 0;
    double used = 0;
    size_t together = 1;

    do {
        for (size_t i = 0; i < together; i++)
            work->pass(set);
        passes += (double)together * work->times;
        used = used_ns() - start;
        if (used < ms * 1e6 / 16)
            together *= 2;
    } while (used < ms * 1e6);
    return used / passes;
}

/* ---- the set --------------------------------------------------------------
 */

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
        fail("documents", "out of memory");
    while (ptr < end) {
        const char *found =
            is_many ? memchr(ptr, mark, (size_t)(end - ptr)) : NULL;
        const char *stop = found ? found : end;

        if (stop > ptr)
            set->texts[set->count++] = (surety_str){ptr, (size_t)(stop - ptr)};
        ptr = found ? found + 1 : end;
    }
}

static void schema_open(struct set *set, const char *path)
{
    /* A report of all errors is one without a most number of them. */
    const surety_limits limits = {.size = sizeof limits,
                                  .findings_max = 1u << 20};
    surety_status status = SURETY_OK;

    set->scratch = surety_doc_new(NULL);
    set->checker = surety_checker_new(NULL, &limits);
    set->findings = surety_findings_new(NULL);
    surety_buf_init(&set->out, NULL, 0);
    if (strcmp(path, "-") == 0)
        return;
    set->schema_text = file_open(path);
    surety_contract_read(set->schema_text, NULL, &set->contract, NULL);
    if (set->judge)
        status = set->contract ? SURETY_OK : SURETY_SYNTAX;
    else
        status = surety_schema_read(set->schema_text, NULL, &set->schema, NULL);
    if (status != SURETY_OK)
        fail("schema", surety_status_name(status));
}

static void docs_read(struct set *set)
{
    set->docs = calloc(set->count + 1, sizeof(surety_doc *));
    for (size_t i = 0; i < set->count; i++) {
        set->docs[i] = surety_doc_new(NULL);
        if (!set->docs[i] || !text_read(set->docs[i], set->texts[i]))
            fail("documents", "one is not JSON");
    }
    set->peers = peers_new(set->texts, set->count);
}

static void set_open(struct set *set, char **argv)
{
    set->text = file_open(argv[3]);
    set_split(set, argv[3]);
    if (strcmp(argv[1], "reply") == 0)
        set->judge = surety_judge_new(NULL, NULL);
    if (strcmp(argv[1], "stream") == 0)
        set->lenient = surety_lenient_new(NULL);
    schema_open(set, argv[2]);
}

static void set_close(struct set *set)
{
    for (size_t i = 0; set->docs && i < set->count; i++)
        surety_doc_free(set->docs[i]);
    if (set->peers)
        peers_free(set->peers);
    surety_doc_free(set->scratch);
    surety_checker_free(set->checker);
    surety_findings_free(set->findings);
    surety_buf_done(&set->out);
    surety_schema_free(set->schema);
    surety_contract_free(set->contract);
    surety_judge_free(set->judge);
    surety_lenient_free(set->lenient);
    free(set->docs);
    free(set->texts);
    free((void *)(size_t)set->text.ptr);
    free((void *)(size_t)set->schema_text.ptr);
}

/* ---- the driver's words ----------------------------------------------------
 */

static bool verdict_of(struct set *set, size_t i)
{
    return set->judge     ? reply_judge(set, set->texts[i])
           : set->lenient ? text_stream(set, set->texts[i])
           : set->schema  ? value_check(set, set->docs[i])
                          : true;
}

static void set_say(struct set *set)
{
    const char *comma = "";

    printf("{\"verdicts\": \"");
    for (size_t i = 0; i < set->count; i++)
        putchar(verdict_of(set, i) ? '1' : '0');
    printf("\", \"works\": [");
    for (size_t i = 0; i < WORK_COUNT; i++)
        if (works[i].able(set)) {
            printf("%s\"%s\"", comma, works[i].name);
            comma = ", ";
        }
    puts("]}");
    fflush(stdout);
}

static void set_serve(struct set *set)
{
    char line[64];

    while (fgets(line, sizeof line, stdin)) {
        char *blank = strrchr(line, ' ');
        const struct work *work = NULL;

        if (blank)
            *blank = '\0';
        work = work_find(set, line);
        printf("%.1f\n",
               work ? work_time(set, work, number_of(blank + 1)) : -1);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    struct set set = {0};
    const struct work *once = NULL;

    if (argc < 4 || argc > 5 ||
        (strcmp(argv[1], "set") != 0 && strcmp(argv[1], "reply") != 0 &&
         strcmp(argv[1], "stream") != 0)) {
        fprintf(stderr, "usage: bench-native set SCHEMA|- DOCUMENTS [WORK]\n"
                        "       bench-native reply CONTRACT REPLIES [WORK]\n"
                        "       bench-native stream - TEXTS [WORK]\n");
        return 2;
    }
    set_open(&set, argv);
    if (!set.judge && !set.lenient)
        docs_read(&set);
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
