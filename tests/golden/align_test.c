/* SPDX-License-Identifier: Apache-2.0 */
/* Values brought to schemas, and what is told of it: read by a person.
 *
 *     align_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape     what a model does, and what is safe to do about it
 *     === schema    the schema
 *     === options   a line each: units, decimal-comma
 *     === values    a value a line, "text " before plain text and "rows "
 *                   before an array whose items are rows; below each, behind
 *                   two blanks, what becomes of it and the edits:
 *                   KIND [likely] COST AT-POINTER: FROM > TO
 *
 * With --update what stands behind blanks is written anew, to be read before
 * it is believed. */
#include <surety/align.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_BYTES_MAX = 1 << 16 };

struct golden {
    char text[CASE_BYTES_MAX];
    size_t size;
    surety_schema *schema;
    surety_align_options options;
    surety_doc *doc, *out;
    surety_aligner *aligner;
    surety_buf made; /* the file as it should be */
};

static void golden_die(const char *what, const char *which)
{
    printf("Bail out! %s: %s\n", what, which);
    exit(1);
}

static void golden_read(struct golden *golden, const char *path)
{
    FILE *file = fopen(path, "rb");

    golden->size =
        file ? fread(golden->text, 1, sizeof(golden->text), file) : 0;
    if (!file || golden->size == sizeof(golden->text))
        golden_die("a case cannot be read", path);
    fclose(file);
}

static void add_val(surety_buf *out, surety_val val)
{
    if (val.doc)
        surety_val_write(val, SURETY_STYLE_COMPACT, out);
    else
        surety_buf_text(out, "nothing");
}

static void add_edit(surety_buf *out, surety_edit edit)
{
    surety_buf_text(out, "    ");
    surety_buf_text(out, edit.kind);
    surety_buf_text(out, edit.likely ? " likely " : " ");
    surety_buf_number(out, edit.cost);
    surety_buf_text(out, edit.pointer.len ? " at " : "");
    surety_buf_add(out, edit.pointer);
    surety_buf_text(out, ": ");
    add_val(out, edit.from);
    surety_buf_text(out, " > ");
    add_val(out, edit.to);
    surety_buf_text(out, "\n");
}

static surety_status align_rows(struct golden *golden, surety_error *reterr)
{
    enum { ROWS_MAX = 64 };
    surety_val rows[ROWS_MAX];
    surety_val array = surety_doc_root(golden->doc);
    surety_val item = surety_val_first(array);
    size_t count = 0;

    for (; item.doc && count < ROWS_MAX; item = surety_val_next(array, item))
        rows[count++] = item;
    return surety_aligner_align_rows(golden->aligner, golden->schema, rows,
                                     count, &golden->options, golden->out,
                                     reterr);
}

/* Appends what becomes of the value in line. */
static void golden_align(struct golden *golden, surety_str line)
{
    bool text = line.len > 5 && !memcmp(line.ptr, "text ", 5);
    bool rows = line.len > 5 && !memcmp(line.ptr, "rows ", 5);
    surety_buf *out = &golden->made;
    surety_error err;
    surety_status status = SURETY_OK;

    if (text || rows) {
        line.ptr += 5;
        line.len -= 5;
    }
    if (!text && surety_doc_read(golden->doc, line, NULL, &err))
        golden_die("a value is no JSON", err.message);
    if (text)
        status =
            surety_aligner_align_text(golden->aligner, golden->schema, line,
                                      &golden->options, golden->out, &err);
    else if (rows)
        status = align_rows(golden, &err);
    else
        status = surety_aligner_align(golden->aligner, golden->schema,
                                      surety_doc_root(golden->doc),
                                      &golden->options, golden->out, &err);
    surety_buf_text(out, "  = ");
    if (status) {
        surety_buf_text(out, "refused: ");
        surety_buf_text(out, err.message);
        surety_buf_text(out, "\n");
        return;
    }
    add_val(out, surety_doc_root(golden->out));
    surety_buf_text(out, "\n");
    for (size_t i = 0; i < surety_aligner_edit_count(golden->aligner); i++)
        add_edit(out, surety_aligner_edit(golden->aligner, i));
}

/* Takes one line of a section in. */
static void golden_line(struct golden *golden, surety_str section,
                        surety_str line)
{
    surety_error err;
    bool values = surety_str_equal(section, surety_str_of("values"));

    if (values && line.len && *line.ptr == ' ')
        return;
    surety_buf_add(&golden->made, line);
    surety_buf_text(&golden->made, "\n");
    if (surety_str_equal(section, surety_str_of("schema"))) {
        surety_schema_free(golden->schema);
        golden->schema = NULL;
        if (surety_schema_read(line, NULL, &golden->schema, &err))
            golden_die("a schema cannot be read", err.message);
    } else if (surety_str_equal(section, surety_str_of("options"))) {
        golden->options.units = golden->options.units ||
                                surety_str_equal(line, surety_str_of("units"));
        golden->options.decimal_comma =
            golden->options.decimal_comma ||
            surety_str_equal(line, surety_str_of("decimal-comma"));
    } else if (values) {
        golden_align(golden, line);
    }
}

static bool golden_run(const char *path, bool update)
{
    static struct golden golden;
    surety_str section = {NULL, 0};
    FILE *file;
    bool good;

    golden_read(&golden, path);
    golden.schema = NULL;
    golden.options = (surety_align_options){.size = sizeof(golden.options)};
    golden.doc = surety_doc_new(NULL);
    golden.out = surety_doc_new(NULL);
    golden.aligner = surety_aligner_new(NULL, NULL);
    surety_buf_init(&golden.made, NULL, 0);
    for (size_t at = 0; at < golden.size;) {
        const char *start = golden.text + at;
        const char *end = memchr(start, '\n', golden.size - at);
        surety_str line = {start,
                           end ? (size_t)(end - start) : golden.size - at};

        at += line.len + 1;
        if (line.len > 4 && !memcmp(line.ptr, "=== ", 4)) {
            section = (surety_str){line.ptr + 4, line.len - 4};
            surety_buf_add(&golden.made, line);
            surety_buf_text(&golden.made, "\n");
        } else {
            golden_line(&golden, section, line);
        }
    }
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
    surety_aligner_free(golden.aligner);
    surety_doc_free(golden.out);
    surety_doc_free(golden.doc);
    surety_schema_free(golden.schema);
    return good;
}

static int golden_chosen(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 5 && !strcmp(entry->d_name + len - 5, ".case");
}

int main(int argc, char **argv)
{
    bool update = argc > 2 && !strcmp(argv[1], "--update");
    const char *folder = argc > 1 ? argv[argc - 1] : ".";
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, golden_chosen, alphasort);
    bool good = count > 0;

    printf("1..%d\n", count > 0 ? count : 0);
    for (int i = 0; i < count; i++) {
        char path[4096];
        bool holds;

        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        holds = golden_run(path, update);
        good = good && holds;
        printf("%s %d - %s\n", holds ? "ok" : "not ok", i + 1,
               entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return good ? 0 : 1;
}
