/* SPDX-License-Identifier: Apache-2.0 */
/* The strict reader against a file of cases, one JSON object a line:
 *
 *     {"id": "...", "kind": "y", "input_b64": "..."}
 *
 * kind y must be accepted, n refused, i may be either. Every input is read
 * copied and borrowed (from memory of exactly its size, so that sanitizers see
 * a byte too many) and checked by a checker, whose schema takes every value or
 * none, and all must say the same; what is accepted must come back equal after
 * being written.
 *
 * usage: strict_test [PROJECT]
 * The file is named by SURETY_STRICT_CASES, or stands beside the project at
 * ../shared/data/strict/cases.jsonl; without it the test is skipped. */
#include <surety/schema.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    unsigned cases, wrong;
};

static int base64_digit(char byte)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = byte ? strchr(digits, byte) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* Decodes RFC 4648 base64 to out, which has room; gives the length. */
static size_t base64_decode(surety_str text, char *out)
{
    unsigned long bits = 0;
    unsigned count = 0;
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        int digit = base64_digit(text.ptr[i]);

        if (digit < 0)
            continue;
        bits = (bits << 6 | (unsigned long)digit) & 0xFFFFFF;
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[len++] = (char)(bits >> count & 0xFF);
        }
    }
    return len;
}

/* Whether what doc holds comes back equal from its own text. */
static bool comes_back(const surety_doc *doc)
{
    surety_doc *again = surety_doc_new(NULL);
    surety_buf out;
    bool same;

    surety_buf_init(&out, NULL, 0);
    same =
        again &&
        surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, &out) ==
            SURETY_OK &&
        surety_doc_read(again, surety_buf_str(&out), NULL, NULL) == SURETY_OK &&
        surety_val_equal(surety_doc_root(doc), surety_doc_root(again));
    surety_buf_done(&out);
    surety_doc_free(again);
    return same;
}

/* Whether a checker says of input, in all ways to see it, what the reader says:
 * that it is JSON or at which byte it is not. */
static bool is_same_text(surety_str input, surety_status status,
                         const surety_error *want)
{
    static const char *const schemas[] = {
        "true", "false", "{\"items\":{\"type\":\"string\"}}",
        "{\"properties\":{\"a\":false}}", "{\"uniqueItems\":true}"};
    surety_checker *checker = surety_checker_new(NULL, NULL);
    bool same = checker != NULL;

    for (size_t i = 0; same && i < sizeof(schemas) / sizeof(*schemas); i++) {
        surety_schema *schema = NULL;
        surety_error err = {.status = SURETY_OK};
        bool valid;

        same = !surety_schema_read(surety_str_of(schemas[i]), NULL, &schema,
                                   NULL) &&
               surety_checker_check_text(checker, schema, input, NULL, &valid,
                                         &err) == status &&
               (!status || err.position.offset == want->position.offset);
        surety_schema_free(schema);
    }
    surety_checker_free(checker);
    return same;
}

/* Reads one input; NULL where it went as kind says, else what went wrong. */
static const char *judge(surety_str input, char kind)
{
    surety_read_options options = {.size = sizeof(options),
                                   .flags = SURETY_READ_BORROW};
    surety_doc *copied = surety_doc_new(NULL);
    surety_doc *borrowed = surety_doc_new(NULL);
    const char *wrong = NULL;
    surety_error err;
    surety_status status;

    if (!copied || !borrowed) {
        wrong = "out of memory";
        goto done;
    }
    status = surety_doc_read(copied, input, NULL, &err);
    if (surety_doc_read(borrowed, input, &options, NULL) != status)
        wrong = "copied and borrowed texts are read differently";
    else if (!is_same_text(input, status, &err))
        wrong = "the checker says something else";
    else if (kind == 'y' && status)
        wrong = err.message;
    else if (kind == 'n' && !status)
        wrong = "accepted";
    else if (!status && !comes_back(borrowed))
        wrong = "does not come back";
    if (wrong == err.message)
        printf("# %s at byte %zu\n", err.message, err.position.offset);
    if (wrong == err.message)
        wrong = "refused";
done:
    surety_doc_free(copied);
    surety_doc_free(borrowed);
    return wrong;
}

/* Runs the case of one line. */
static void run_line(surety_doc *line, surety_str text, struct tally *tallies)
{
    surety_val root;
    surety_str kind, base64;
    struct tally *tally;
    const char *wrong = "is no case";
    char *input;

    if (surety_doc_read(line, text, NULL, NULL))
        root = surety_val_none();
    else
        root = surety_doc_root(line);
    kind = surety_val_str(surety_val_get(root, "kind"));
    base64 = surety_val_str(surety_val_get(root, "input_b64"));
    tally = &tallies[kind.len && *kind.ptr == 'y'   ? 0
                     : kind.len && *kind.ptr == 'n' ? 1
                                                    : 2];
    if (kind.len == 1) {
        size_t len;

        /* Decoded twice: the second time into exactly what it needs. */
        input = malloc(base64.len + 1);
        len = input ? base64_decode(base64, input) : 0;
        free(input);
        input = malloc(len ? len : 1);
        wrong = "out of memory";
        if (input) {
            base64_decode(base64, input);
            wrong = judge((surety_str){input, len}, *kind.ptr);
        }
        free(input);
    }
    tally->cases++;
    if (wrong) {
        surety_str id = surety_val_str(surety_val_get(root, "id"));

        tally->wrong++;
        printf("# %.*s: %s\n", (int)id.len, id.len ? id.ptr : "", wrong);
    }
}

/* A line of the file without its end, in *line of *size bytes. */
static bool next_line(FILE *file, char **line, size_t *size, size_t *ret_len)
{
    size_t len = 0;
    int byte;

    while ((byte = getc(file)) != EOF && byte != '\n') {
        if (len == *size) {
            size_t more = *size ? *size * 2 : 4096;
            char *grown = realloc(*line, more);

            if (!grown)
                return false;
            *line = grown;
            *size = more;
        }
        (*line)[len++] = (char)byte;
    }
    *ret_len = len;
    return len > 0 || byte != EOF;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"must be accepted", "must be refused",
                                        "may be either"};
    struct tally tallies[3] = {{0, 0}, {0, 0}, {0, 0}};
    const char *path = getenv("SURETY_STRICT_CASES");
    surety_doc *doc = surety_doc_new(NULL);
    char beside[4096], *line = NULL;
    size_t size = 0, len;
    bool failed = false;
    FILE *file;

    if (!path) {
        snprintf(beside, sizeof(beside), "%s/../shared/data/strict/cases.jsonl",
                 argc > 1 ? argv[1] : ".");
        path = beside;
    }
    file = fopen(path, "rb");
    if (!file || !doc) {
        printf("1..0 # SKIP no file of cases (set SURETY_STRICT_CASES)\n");
        surety_doc_free(doc);
        return 0;
    }
    while (next_line(file, &line, &size, &len))
        if (len)
            run_line(doc, (surety_str){line, len}, tallies);
    fclose(file);
    free(line);
    surety_doc_free(doc);
    printf("1..3\n");
    for (int i = 0; i < 3; i++) {
        bool bad = tallies[i].wrong || !tallies[i].cases;

        printf("%sok %d - %u inputs that %s%s\n", bad ? "not " : "", i + 1,
               tallies[i].cases, names[i], bad ? ": some went wrong" : "");
        failed = failed || bad;
    }
    return failed;
}
