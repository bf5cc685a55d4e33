/* SPDX-License-Identifier: Apache-2.0 */
/* Values brought to schemas, and what is told of it: read by a person.
 *
 *     align_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape     what a model does, and what is safe to do about it
 *     === schema    the schema
 *     === values    a value a line, "text " before plain text; below each,
 *                   behind two blanks, what becomes of it and the edits:
 *                   KIND [likely] COST AT-POINTER: FROM > TO
 *
 * With --update what is behind blanks is written anew, to be read before
 * it is believed. */
#include "align/align.h"
#include "golden/cases.h"

/* What aligns the values of a case. */
struct setting {
    surety_schema *schema;
    surety_doc *doc, *out;
    surety__aligner *aligner;
};

static void add_val(surety_buf *out, surety_val val)
{
    if (val.doc)
        surety_val_write(val, SURETY_STYLE_COMPACT, out);
    else
        surety_buf_text(out, "nothing");
}

static void add_edit(surety_buf *out, surety__edit edit)
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

/* Appends what becomes of the value in line. */
static void write_aligned(const struct setting *setting, surety_str line,
                          surety_buf *out)
{
    const bool text = golden_take(&line, "text ");
    surety_error err;
    surety_status status;

    if (!text && surety_doc_read(setting->doc, line, NULL, &err))
        golden_die("a value is no JSON", err.message);
    if (text)
        status = surety__aligner_align_text(setting->aligner, setting->schema,
                                            line, setting->out, &err);
    else
        status = surety__aligner_align(setting->aligner, setting->schema,
                                       surety_doc_root(setting->doc),
                                       setting->out, &err);
    surety_buf_text(out, "  = ");
    if (status) {
        surety_buf_text(out, "refused: ");
        surety_buf_text(out, err.message);
        surety_buf_text(out, "\n");
        return;
    }
    add_val(out, surety_doc_root(setting->out));
    surety_buf_text(out, "\n");
    for (size_t i = 0; i < surety__aligner_edits(setting->aligner)->count; i++)
        add_edit(out, surety__aligner_edits(setting->aligner)->items[i]);
}

static void write_values(const struct setting *setting, surety_str lines,
                         surety_buf *out)
{
    surety_str line;

    while (golden_line(&lines, &line)) {
        if (line.len && *line.ptr == ' ')
            continue;
        surety_buf_add(out, line);
        surety_buf_text(out, "\n");
        write_aligned(setting, line, out);
    }
}

static void take_section(struct setting *setting,
                         const struct golden_section *section)
{
    surety_error err;

    if (golden_is(section, "schema")) {
        surety_schema_free(setting->schema);
        setting->schema = NULL;
        if (surety_schema_read(section->body, NULL, &setting->schema, &err))
            golden_die("a schema cannot be read", err.message);
    }
}

static bool run(struct golden *golden)
{
    struct setting setting = {.doc = surety_doc_new(NULL),
                              .out = surety_doc_new(NULL),
                              .aligner = surety__aligner_new(NULL, NULL)};

    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (golden_is(section, "values")) {
            golden_begin(golden, section);
            write_values(&setting, section->body, &golden->made);
        } else {
            golden_keep(golden, section);
            take_section(&setting, section);
        }
    }
    surety__aligner_free(setting.aligner);
    surety_doc_free(setting.out);
    surety_doc_free(setting.doc);
    surety_schema_free(setting.schema);
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
