/* SPDX-License-Identifier: Apache-2.0 */
/* Values as C types and back, read by a person.
 *
 *     typed_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape     what is read, and what matters
 *     === read      a value a line, and below it, behind blanks, what it is
 *                   written back as, or why it is not what the type holds
 *     === printed   a value a line, and below it the form for debugging
 *
 * The type is the node of tests/typed_node.h, once as it stands and once with
 * its members sorted, by which they are found: both must say the same. With
 * --update the last two are written anew. */
#include "golden/cases.h"

#include "base/base.h"
#include "typed_node.h"

#include <string.h>

enum { NODE_TYPES = sizeof(node_types) / sizeof(*node_types) };

/* any bag choices color heir kind natural next note number pair real text whole
 */
static const uint32_t sorted[] = {7, 12, 11, 6, 9, 5, 1, 8, 13, 4, 10, 2, 3, 0};

/* Appends what became of a value. */
static void put_value(surety_buf *out, const surety_typed *of,
                      const surety_contract *contract, surety_str text,
                      bool is_printed)
{
    surety_doc *doc = surety_doc_new(NULL);
    const void *value = NULL;
    surety_error error = {0};

    if (!doc || surety_doc_read(doc, text, NULL, &error))
        golden_die("no JSON", error.message);
    if (surety_typed_from(of, contract, surety_doc_root(doc), &value, &error)) {
        golden_error(out, &error);
    } else if (is_printed) {
        surety_typed_print(of, value, out);
    } else {
        surety_buf_text(out, "  = ");
        if (surety_typed_write(of, value, SURETY_STYLE_COMPACT, out, &error))
            golden_error(out, &error);
        surety_buf_byte(out, '\n');
    }
    surety_typed_free(value);
    surety_doc_free(doc);
}

static void put_values(surety_buf *out, surety_str body, bool is_printed)
{
    surety_typed_type types[NODE_TYPES];
    const surety_typed finding = {types, NODE_TYPES, IS_NODE, "a/node",
                                  node_text};
    surety_contract *contract = NULL;
    surety_buf other;
    surety_str line;

    memcpy(types, node_types, sizeof(types));
    types[IS_NODE].sorted = sorted;
    if (surety_typed_contract(&typed, NULL, &contract, NULL))
        golden_die("no contract", "of the node");
    surety_buf_init(&other, NULL, 0);
    while (golden_line(&body, &line)) {
        const size_t start = out->len + line.len + 1;
        if (line.len == 0 || !strchr("{[\"0123456789ntf", *line.ptr) ||
            (is_printed && *line.ptr == 'n' && line.len > 4))
            continue;
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        put_value(out, &typed, contract, line, is_printed);
        surety_buf_reset(&other);
        put_value(&other, &finding, contract, line, is_printed);
        if (other.len != out->len - start ||
            memcmp(other.ptr, out->ptr + start, other.len) != 0)
            golden_die("sorted members are found otherwise", other.ptr);
    }
    surety_buf_done(&other);
    surety_contract_free(contract);
}

static bool run(struct golden *golden)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        const bool is_printed = golden_is(section, "printed");

        if (!is_printed && !golden_is(section, "read")) {
            golden_keep(golden, section);
            continue;
        }
        golden_begin(golden, section);
        put_values(&golden->made, section->body, is_printed);
    }
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
