/* SPDX-License-Identifier: Apache-2.0 */
/* What a value asks for, and what is made of it: read by a person.
 *
 *     render_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape     what is asked for, and what matters
 *     === options   a line each: census, formulas, bom, labels, both, names,
 *                   missing TEXT
 *     === value     the value
 *     === outputs   an output a line: its place, its file, and what became of
 *                   it; below it the remarks; then the text of a table (of a
 *                   page what stands in its body) behind four blanks, in which
 *                   control characters but line ends stand as \xNN, CR as \r
 *
 * Pictures are told by their form alone, for the letters are those of the
 * machine. With --update the outputs are written anew, to be read before they
 * are believed. */
#include <surety/render.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_BYTES_MAX = 1 << 16, MISSING_MAX = 4 };

/* What the leak sanitizer passes over: what fontconfig keeps for the life of
 * the process. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

struct golden {
    char text[CASE_BYTES_MAX];
    size_t size;
    surety_str options, value;
    size_t kept; /* bytes before the outputs */
    surety_str missing[MISSING_MAX];
    surety_rendering_options rendering;
    surety_buf made; /* the file as it should be */
};

static void golden_die(const char *what, const char *which)
{
    printf("Bail out! %s: %s\n", what, which);
    exit(1);
}

/* ---- reading a case ------------------------------------------------------ */

/* What stands in the section of a kind; empty where there is none. */
static surety_str golden_section(const struct golden *golden, const char *kind)
{
    char head[64];
    const char *start;
    const char *end;

    snprintf(head, sizeof(head), "=== %s\n", kind);
    start = strstr(golden->text, head);
    if (!start)
        return (surety_str){NULL, 0};
    start += strlen(head);
    end = strstr(start - 1, "\n=== ");
    end = end ? end + 1 : golden->text + golden->size;
    return (surety_str){start, (size_t)(end - start)};
}

static void golden_option(struct golden *golden, surety_str line)
{
    surety_rendering_options *options = &golden->rendering;

    options->census |= surety_str_equal(line, surety_str_of("census"));
    options->formulas |= surety_str_equal(line, surety_str_of("formulas"));
    options->byte_order_mark |= surety_str_equal(line, surety_str_of("bom"));
    if (surety_str_equal(line, surety_str_of("labels")))
        options->headers = SURETY_HEADERS_LABELS;
    else if (surety_str_equal(line, surety_str_of("names")))
        options->headers = SURETY_HEADERS_NAMES;
    else if (surety_str_equal(line, surety_str_of("both")))
        options->headers = SURETY_HEADERS_BOTH;
    else if (line.len > 8 && memcmp(line.ptr, "missing ", 8) == 0 &&
             options->missing_count < MISSING_MAX)
        golden->missing[options->missing_count++] =
            (surety_str){line.ptr + 8, line.len - 8};
}

static void golden_read(struct golden *golden, const char *path)
{
    FILE *file = fopen(path, "rb");
    surety_str rest;
    surety_str outputs;

    memset(golden, 0, sizeof(*golden));
    if (file)
        golden->size = fread(golden->text, 1, sizeof(golden->text) - 1, file);
    if (!file || golden->size == sizeof(golden->text) - 1)
        golden_die("a case cannot be read", path);
    fclose(file);
    golden->rendering = (surety_rendering_options){
        .size = sizeof(golden->rendering), .missing = golden->missing};
    golden->value = golden_section(golden, "value");
    outputs = golden_section(golden, "outputs");
    if (!golden->value.ptr || !outputs.ptr ||
        !golden_section(golden, "shape").ptr)
        golden_die("a case has no shape, value or outputs", path);
    golden->kept = (size_t)(outputs.ptr - golden->text);
    rest = golden_section(golden, "options");
    while (rest.len > 0) {
        const size_t len =
            (size_t)((const char *)memchr(rest.ptr, '\n', rest.len) - rest.ptr);
        golden_option(golden, (surety_str){rest.ptr, len});
        rest = (surety_str){rest.ptr + len + 1, rest.len - len - 1};
    }
}

/* ---- telling what was made ----------------------------------------------- */

/* Appends the lines of a text, each behind `indent`. */
static void put_lines(surety_buf *out, surety_str text, const char *indent)
{
    static const char digits[] = "0123456789abcdef";
    bool is_first = true;

    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (is_first && byte != '\n')
            surety_buf_text(out, indent);
        is_first = byte == '\n';
        if (byte == '\r') {
            surety_buf_text(out, "\\r");
        } else if ((byte < 0x20 && byte != '\n') || byte == 0x7F) {
            surety_buf_text(out, "\\x");
            surety_buf_byte(out, digits[byte >> 4]);
            surety_buf_byte(out, digits[byte & 15]);
        } else {
            surety_buf_byte(out, (char)byte);
        }
    }
    if (!is_first)
        surety_buf_byte(out, '\n');
}

static bool has_ending(surety_str name, const char *ending)
{
    const size_t len = strlen(ending);

    return name.len >= len &&
           memcmp(name.ptr + name.len - len, ending, len) == 0;
}

/* What stands in the body of a page. */
static surety_str page_body(surety_buf *page)
{
    const char *start;
    const char *end;

    surety_buf_byte(page, '\0');
    start = page->ptr ? strstr(page->ptr, "<body>\n") : NULL;
    end = start ? strstr(start, "</body>") : NULL;
    return end ? (surety_str){start + 7, (size_t)(end - start) - 7}
               : (surety_str){NULL, 0};
}

static void put_output(surety_buf *out, surety_rendering *all, size_t i)
{
    surety_render_item item;
    surety_error error;
    surety_buf bytes;
    surety_status status;

    memset(&error, 0, sizeof(error));
    surety_buf_init(&bytes, NULL, 0);
    status = surety_rendering_draw(all, i, &bytes, &error);
    item = surety_rendering_item(all, i);
    surety_buf_add(out, item.at);
    surety_buf_byte(out, ' ');
    surety_buf_add(out, item.name);
    surety_buf_text(out, status ? ": " : ": made\n");
    if (status) {
        surety_buf_text(out, error.message);
        surety_buf_text(out, error.hint[0] ? "; " : "");
        surety_buf_text(out, error.hint);
        surety_buf_text(out, error.path[0] ? " at " : "");
        surety_buf_text(out, error.path);
        surety_buf_byte(out, '\n');
    }
    put_lines(out, item.remark, "  = ");
    if (!status && has_ending(item.name, ".csv"))
        put_lines(out, surety_buf_str(&bytes), "    ");
    else if (!status && has_ending(item.name, ".html"))
        put_lines(out, page_body(&bytes), "    ");
    surety_buf_done(&bytes);
}

static void golden_make(struct golden *golden, const char *path)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_rendering *all = NULL;
    surety_error error;

    surety_buf_append(&golden->made, golden->text, golden->kept);
    if (!doc || surety_doc_read(doc, golden->value, NULL, &error))
        golden_die("a value is no JSON", path);
    if (surety_rendering_new(surety_doc_root(doc), &golden->rendering, &all,
                             &error) != SURETY_OK) {
        surety_buf_text(&golden->made, "none: ");
        surety_buf_text(&golden->made, error.message);
        surety_buf_byte(&golden->made, '\n');
    }
    for (size_t i = 0; all && i < surety_rendering_count(all); i++)
        put_output(&golden->made, all, i);
    surety_rendering_free(all);
    surety_doc_free(doc);
}

static bool golden_run(const char *path, bool update)
{
    static struct golden golden;
    FILE *file;
    bool good;

    golden_read(&golden, path);
    surety_buf_init(&golden.made, NULL, 0);
    golden_make(&golden, path);
    good = surety_str_equal(surety_buf_str(&golden.made),
                            (surety_str){golden.text, golden.size});
    if (!good && update) {
        file = fopen(path, "wb");
        if (!file ||
            fwrite(golden.made.ptr, 1, golden.made.len, file) !=
                golden.made.len ||
            fclose(file))
            golden_die("a case cannot be written", path);
        good = true;
    } else if (!good) {
        printf("# got:\n%.*s", (int)golden.made.len, golden.made.ptr);
    }
    surety_buf_done(&golden.made);
    return good;
}

static int is_case(const struct dirent *entry)
{
    const size_t len = strlen(entry->d_name);

    return len > 5 && strcmp(entry->d_name + len - 5, ".case") == 0;
}

int main(int argc, char **argv)
{
    const bool update = argc > 1 && strcmp(argv[1], "--update") == 0;
    const char *folder = argc > 1 ? argv[argc - 1] : ".";
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_case, alphasort);
    int failed = 0;

    if (count <= 0)
        golden_die("no cases in", folder);
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        char path[4096];
        bool good;

        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        good = golden_run(path, update);
        failed += !good;
        printf("%s %d - %s\n", good ? "ok" : "not ok", i + 1,
               entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return failed > 0;
}
