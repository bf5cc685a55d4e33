/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_align.c: values brought to schemas.
 *
 * An input that begins with "{" is a schema on the first line and a value on
 * each of the next ("text " before one: it is plain text). Any other input is a
 * series of choices that make a schema and values that nearly satisfy it, so
 * that nearly every input is a real question. What must hold:
 *
 * - a valid value is copied, without an edit;
 * - what comes out is valid, and aligning it once more changes nothing;
 * - a second alignment, by another aligner, says the same;
 * - there are edits exactly where something differs, their costs add up, and
 *   what they say came of it is where they say. */
#include "align/align.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choices.h"
#include "fuzz.h"

enum { SCHEMA_DEPTH = 3, VALUE_DEPTH = 3, VALUES = 6 };

enum mode { MODE_VALUE, MODE_TEXT };

/* One question, and what comes of it. */
struct trial {
    const surety_schema *schema;
    surety_str schema_text, text;
    enum mode mode;
    surety_val val;
    surety_doc *out;
    surety_status status;
};

static const surety_limits limits = {
    .size = sizeof(limits), .inplace_depth_max = 60, .work_base = 20000};

static void fault(const struct trial *trial, const char *what)
{
    fprintf(stderr, "%s\nschema: %.*s\nvalue: %.*s\n", what,
            (int)trial->schema_text.len, trial->schema_text.ptr,
            (int)trial->text.len, trial->text.ptr);
    abort();
}

static void trial_align(struct trial *trial, surety__aligner *aligner,
                        surety_doc *out)
{
    trial->out = out;
    if (trial->mode == MODE_TEXT)
        trial->status = surety__aligner_align_text(aligner, trial->schema,
                                                   trial->text, out, NULL);
    else
        trial->status = surety__aligner_align(aligner, trial->schema,
                                              trial->val, out, NULL);
}

static void trial_write(const struct trial *trial, surety_val val,
                        surety_buf *out)
{
    surety_buf_reset(out);
    if (surety_val_write(val, SURETY_STYLE_COMPACT, out))
        fault(trial, "a value cannot be written");
}

static bool same(const surety_buf *a, const surety_buf *b)
{
    return surety_str_equal(surety_buf_str(a), surety_buf_str(b));
}

/* What the edits say. */
static void check_edits(const struct trial *trial,
                        const surety__aligner *aligner)
{
    size_t count = surety__aligner_edits(aligner)->count;
    uint64_t cost = 0;

    for (size_t i = 0; i < count; i++) {
        surety__edit edit = surety__aligner_edits(aligner)->items[i];
        surety_val at =
            surety_val_at(surety_doc_root(trial->out), edit.pointer);
        surety_val key;

        cost += edit.cost;
        if (!edit.cost || !*edit.kind || (!edit.from.doc && !edit.to.doc))
            fault(trial, "an edit says nothing");
        if (!edit.to.doc)
            continue;
        if (!at.doc)
            fault(trial, "an edit's place is not there");
        if (edit.to.index == at.index)
            continue;
        key = surety_val_key(at);
        if (edit.to.index != key.index || strncmp(edit.kind, "key-", 4))
            fault(trial, "an edit is told of another place");
    }
    if (cost != surety__aligner_edits(aligner)->cost)
        fault(trial, "the costs do not add up");
}

static void check_result(struct trial *trial, surety__aligner *aligner,
                         surety_checker *checker)
{
    surety_doc *again = surety_doc_new(NULL);
    surety__aligner *other = surety__aligner_new(NULL, NULL);
    struct trial second = *trial;
    surety_buf before, after;
    bool valid = false;

    surety_buf_init(&before, NULL, 0);
    surety_buf_init(&after, NULL, 0);
    trial_write(trial, surety_doc_root(trial->out), &after);
    if (surety_checker_check(checker, trial->schema,
                             surety_doc_root(trial->out), &valid, NULL) ||
        !valid)
        fault(trial, "what came out is not valid");
    check_edits(trial, aligner);
    if (trial->mode == MODE_VALUE) {
        trial_write(trial, trial->val, &before);
        if (same(&before, &after) != !surety__aligner_edits(aligner)->count)
            fault(trial, "edits and changes are not the same");
    } else if (!surety__aligner_edits(aligner)->count) {
        fault(trial, "an alignment without an edit");
    }
    trial_align(&second, other, again);
    trial_write(trial, surety_doc_root(again), &before);
    if (second.status || !same(&before, &after) ||
        surety__aligner_edits(other)->count !=
            surety__aligner_edits(aligner)->count ||
        surety__aligner_edits(other)->cost !=
            surety__aligner_edits(aligner)->cost)
        fault(trial, "a second alignment differs");
    second.mode = MODE_VALUE;
    second.val = surety_doc_root(trial->out);
    trial_align(&second, other, again);
    trial_write(trial, surety_doc_root(again), &before);
    if (second.status || !same(&before, &after) ||
        surety__aligner_edits(other)->count)
        fault(trial, "aligning the result changes it");
    surety_buf_done(&before);
    surety_buf_done(&after);
    surety__aligner_free(other);
    surety_doc_free(again);
}

static void try_one(struct trial *trial, surety__aligner *aligner)
{
    surety_checker *checker = surety_checker_new(NULL, NULL);
    surety_doc *doc = surety_doc_new(NULL);
    surety_doc *out = surety_doc_new(NULL);
    bool valid = false;

    if (trial->mode != MODE_TEXT &&
        surety_doc_read(doc, trial->text, NULL, NULL))
        goto done;
    trial->val = surety_doc_root(doc);
    trial_align(trial, aligner, out);
    if (trial->status == SURETY_OK)
        check_result(trial, aligner, checker);
    else if (surety__aligner_edits(aligner)->count)
        fault(trial, "edits of what failed");
    if (trial->mode == MODE_VALUE &&
        !surety_checker_check(checker, trial->schema, trial->val, &valid,
                              NULL) &&
        valid && (trial->status || surety__aligner_edits(aligner)->count))
        fault(trial, "a valid value was not copied");
done:
    surety_doc_free(out);
    surety_doc_free(doc);
    surety_checker_free(checker);
}

/* ---- made of choices ----------------------------------------------------- */

static const char *const names[] = {"\"id\"", "\"first_name\"", "\"kind\"",
                                    "\"rows\"", "\"a\""};

static const char *const keys[] = {
    "\"id\"",   "\"Id\"",   "\" ID \"",       "\"first_name\"", "\"firstName\"",
    "\"kind\"", "\"KIND\"", "\"rows\"",       "\"a\"",          "\"data\"",
    "\"a.\"",   "\"_a\"",   "\"k\\u00efnd\"", "\"x\""};

static const char *const scalars[] = {"null",
                                      "true",
                                      "1",
                                      "0",
                                      "2.50",
                                      "3.0",
                                      "\"\"",
                                      "\"none\"",
                                      "\"42\"",
                                      "\"18,204\"",
                                      "\"$5\"",
                                      "\"3/4\"",
                                      "\"yes\"",
                                      "\"Low\"",
                                      "\"HIGH - so\"",
                                      "\"high.\"",
                                      "\"not low\"",
                                      "\"in progress\"",
                                      "\"[1,\\\"2\\\"]\"",
                                      "\"{\\\"ID\\\":\\\"7\\\"}\"",
                                      "\"low or high\"",
                                      "\"circle\"",
                                      "12345678901234567890"};

static const struct choices_words words = {
    .names = keys,
    .name_count = sizeof(keys) / sizeof(*keys),
    .scalars = scalars,
    .scalar_count = sizeof(scalars) / sizeof(*scalars),
    .items_max = 3};

static const char *const leaves[] = {
    "{\"type\":\"integer\"}",
    "{\"type\":\"number\"}",
    "{\"type\":\"string\"}",
    "{\"type\":\"boolean\"}",
    "{\"type\":[\"integer\",\"null\"]}",
    "{\"type\":[\"string\",\"number\"]}",
    "{\"enum\":[\"low\",\"high\",\"in_progress\"]}",
    "{\"enum\":[\"Low\",\"low\",\"HIGH\"]}",
    "{\"const\":\"circle\"}",
    "{\"enum\":[1,2,null]}",
    "{\"type\":\"integer\",\"minimum\":2}",
    "{\"type\":\"string\",\"pattern\":\"^[0-9]+$\"}",
    "{\"$ref\":\"#\"}",
    "{\"$ref\":\"#/$defs/d\"}",
    "true",
    "false",
    "{\"not\":{\"type\":\"string\"}}",
    "{\"contains\":{\"type\":\"integer\"}}"};

static void make_schema(struct choices *choices, surety_buf *out,
                        unsigned depth);

static void make_object(struct choices *choices, surety_buf *out,
                        unsigned depth)
{
    unsigned count = choose(choices, 4);
    unsigned closed = choose(choices, 4);
    uint8_t first = choices->left ? *choices->data : 0;

    surety_buf_text(out, "{\"type\":\"object\",\"properties\":{");
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        surety_buf_text(out, names[(first + i) % 5]);
        surety_buf_byte(out, ':');
        make_schema(choices, out, depth);
    }
    surety_buf_text(out, "}");
    if (count && choose(choices, 2)) {
        surety_buf_text(out, ",\"required\":[");
        surety_buf_text(out, names[first % 5]);
        surety_buf_text(out, "]");
    }
    if (closed == 1)
        surety_buf_text(out, ",\"additionalProperties\":false");
    if (closed == 2) {
        surety_buf_text(out, ",\"additionalProperties\":");
        make_schema(choices, out, depth);
    }
    if (closed == 3)
        surety_buf_text(out, ",\"patternProperties\":{\"^x\":true},"
                             "\"unevaluatedProperties\":false");
    surety_buf_byte(out, '}');
}

static void make_list(struct choices *choices, surety_buf *out,
                      const char *keyword, unsigned depth)
{
    unsigned count = 1 + choose(choices, 3);

    surety_buf_text(out, "{\"");
    surety_buf_text(out, keyword);
    surety_buf_text(out, "\":[");
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        make_schema(choices, out, depth);
    }
    surety_buf_text(out, "]}");
}

static void make_schema(struct choices *choices, surety_buf *out,
                        unsigned depth)
{
    static const char *const lists[] = {"anyOf", "oneOf", "allOf"};

    switch (depth ? choose(choices, 8) : 0) {
    case 1:
    case 2:
    case 3: make_object(choices, out, depth - 1); break;
    case 4:
        surety_buf_text(out, "{\"type\":\"array\",\"items\":");
        make_schema(choices, out, depth - 1);
        surety_buf_byte(out, '}');
        break;
    case 5: make_list(choices, out, PICK(choices, lists), depth - 1); break;
    case 6:
        surety_buf_text(out, "{\"if\":");
        make_schema(choices, out, depth - 1);
        surety_buf_text(out, ",\"then\":");
        make_schema(choices, out, depth - 1);
        surety_buf_text(out, ",\"else\":");
        make_schema(choices, out, depth - 1);
        surety_buf_byte(out, '}');
        break;
    default: surety_buf_text(out, PICK(choices, leaves)); break;
    }
}

static void try_choices(struct choices choices, surety__aligner *aligner)
{
    surety_schema *schema = NULL;
    surety_buf schema_text, value;

    surety_buf_init(&schema_text, NULL, 0);
    surety_buf_init(&value, NULL, 0);
    surety_buf_text(&schema_text, "{\"$defs\":{\"d\":");
    make_schema(&choices, &schema_text, SCHEMA_DEPTH - 1);
    surety_buf_text(&schema_text, "},\"allOf\":[");
    make_schema(&choices, &schema_text, SCHEMA_DEPTH);
    surety_buf_text(&schema_text, "]}");
    if (!surety_schema_read(surety_buf_str(&schema_text), NULL, &schema, NULL))
        for (int i = 0; i < VALUES; i++) {
            struct trial trial = {.schema = schema,
                                  .schema_text = surety_buf_str(&schema_text),
                                  .mode = MODE_VALUE};

            surety_buf_reset(&value);
            choose_value(&choices, &words, VALUE_DEPTH, &value);
            trial.text = surety_buf_str(&value);
            try_one(&trial, aligner);
        }
    surety_schema_free(schema);
    surety_buf_done(&value);
    surety_buf_done(&schema_text);
}

/* ---- as text ------------------------------------------------------------- */

static surety_str next_line(const char **at, const char *end)
{
    const char *start = *at;
    const char *stop = memchr(start, '\n', (size_t)(end - start));

    *at = stop ? stop + 1 : end;
    return (surety_str){start, (size_t)((stop ? stop : end) - start)};
}

static void try_lines(const char *at, const char *end, surety__aligner *aligner)
{
    surety_str first = next_line(&at, end);
    surety_schema *schema = NULL;

    if (surety_schema_read(first, NULL, &schema, NULL))
        return;
    while (at < end) {
        struct trial trial = {.schema = schema, .schema_text = first};
        surety_str line = next_line(&at, end);

        if (line.len > 5 && !memcmp(line.ptr, "text ", 5)) {
            trial.mode = MODE_TEXT;
            line.ptr += 5;
            line.len -= 5;
        }
        trial.text = line;
        try_one(&trial, aligner);
    }
    surety_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    surety__aligner *aligner = surety__aligner_new(NULL, &limits);

    if (size && *data == '{')
        try_lines((const char *)data, (const char *)data + size, aligner);
    else
        try_choices((struct choices){data, size, 0}, aligner);
    surety__aligner_free(aligner);
    return 0;
}
