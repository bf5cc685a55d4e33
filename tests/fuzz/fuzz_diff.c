/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_diff.c: what a diff claims, held against values.
 *
 * Two schemas, the second most often the first with a few members of it
 * dropped, replaced or added, and values that are made along either of them.
 * Where no producer breaks, the new schema takes what the old one takes; where
 * no consumer does, the old one takes what the new one takes. A consumer reads
 * by name (surety/diff.h): where a change that breaks nobody is reported,
 * members that the old schema leaves no room for are taken out of the value
 * first. A schema does not differ from itself. */
#include <surety/diff.h>

#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "schemas.h"

enum { VALUES = 24, VALUE_DEPTH = 3, SAMPLE_DEPTH = 6, WORDS_SIZE = 2048 };

struct pair {
    surety_buf texts[2];
    surety_contract *contracts[2];
    surety_diff *diff;
    surety_checker *checker;
    surety_findings *findings;
    bool consumers, producers, is_neutral; /* who breaks */
};

static void broken(const struct pair *pair, surety_str value, const char *what)
{
    fprintf(stderr, "%s\nold: %.*s\nnew: %.*s\nvalue: %.*s\n", what,
            (int)pair->texts[0].len, pair->texts[0].ptr,
            (int)pair->texts[1].len, pair->texts[1].ptr, (int)value.len,
            value.ptr);
    for (size_t i = 0; i < surety_diff_info_of(pair->diff)->change_count; i++) {
        const surety_change change =
            surety_diff_info_of(pair->diff)->changes[i];

        fprintf(stderr, "%.*s: %s%s %.*s: %.*s\n", (int)change.at.len,
                change.at.ptr, change.breaks_consumers ? "C" : "",
                change.breaks_producers ? "P" : "", (int)change.keyword.len,
                change.keyword.ptr, (int)change.message.len,
                change.message.ptr);
    }
    abort();
}

/* ---- the second schema --------------------------------------------------- */

enum edit { EDIT_DROP, EDIT_REPLACE, EDIT_ADD };

/* An edit of the n-th member or item of a document. */
struct edits {
    struct choices *choices;
    size_t wanted, met;
    enum edit edit;
};

static size_t count_members(surety_val val)
{
    size_t count = 0;

    for (surety_val child = surety_val_first(val); child.doc;
         child = surety_val_next(val, child))
        count += 1 + count_members(child);
    return count;
}

/* Writes val with the edit made in it. Schemas of this target nest little. */
static void write_edited(struct edits *edits, surety_val val, surety_buf *out)
{
    const bool is_object = surety_val_kind(val) == SURETY_KIND_OBJECT;
    const char *comma = "";

    if (!is_object && surety_val_kind(val) != SURETY_KIND_ARRAY) {
        surety_val_write(val, SURETY_STYLE_COMPACT, out);
        return;
    }
    surety_buf_byte(out, is_object ? '{' : '[');
    for (surety_val child = surety_val_first(val); child.doc;
         child = surety_val_next(val, child)) {
        const bool is_it = edits->met++ == edits->wanted;

        if (is_it && edits->edit == EDIT_DROP)
            continue;
        surety_buf_text(out, comma);
        comma = ",";
        if (is_it && edits->edit == EDIT_ADD && is_object) {
            fuzz_keyword_make(edits->choices, out);
            surety_buf_byte(out, ',');
        }
        if (is_object) {
            surety_val_write(surety_val_key(child), SURETY_STYLE_COMPACT, out);
            surety_buf_byte(out, ':');
        }
        if (is_it && edits->edit == EDIT_REPLACE &&
            surety_val_kind(child) >= SURETY_KIND_ARRAY)
            fuzz_schema_part(edits->choices, out);
        else if (is_it && edits->edit == EDIT_REPLACE)
            choose_value(edits->choices, &fuzz_words, 1, out);
        else
            write_edited(edits, child, out);
    }
    surety_buf_byte(out, is_object ? '}' : ']');
}

static void make_edited(struct choices *choices, const surety_buf *from,
                        surety_buf *out)
{
    surety_doc *doc = surety_doc_new(NULL);
    size_t count;

    if (surety_doc_read(doc, surety_buf_str(from), NULL, NULL) == SURETY_OK) {
        count = count_members(surety_doc_root(doc));
        write_edited(
            &(struct edits){.choices = choices,
                            .wanted = count ? (choose(choices, 256) * 256u +
                                               choose(choices, 256)) %
                                                  count
                                            : 0,
                            .edit = (enum edit)choose(choices, 3)},
            surety_doc_root(doc), out);
    }
    surety_doc_free(doc);
}

/* ---- values -------------------------------------------------------------- */

/* What a value is made along. */
struct sample {
    struct choices *choices;
    surety_val root; /* of the schema */
    surety_buf *out;
};

static void sample_value(struct sample *sample, surety_val schema,
                         unsigned depth);

/* The i-th child of an array or object, or NONE. */
static surety_val child_at(surety_val val, unsigned i)
{
    surety_val child = surety_val_first(val);

    while (child.doc && i-- > 0)
        child = surety_val_next(val, child);
    return child;
}

static surety_val child_chosen(struct choices *choices, surety_val val)
{
    const size_t count = surety_val_count(val);

    return count ? child_at(val, choose(choices, (unsigned)count))
                 : surety_val_none();
}

static void sample_items(struct sample *sample, surety_val schema,
                         unsigned depth)
{
    const surety_val prefix = surety_val_get(schema, "prefixItems");
    const surety_val rest = surety_val_get(schema, "items");
    const surety_val contains = surety_val_get(schema, "contains");
    const unsigned count = choose(sample->choices, 5);

    surety_buf_byte(sample->out, '[');
    for (unsigned i = 0; i < count; i++) {
        surety_val item = child_at(prefix, i);

        if (!item.doc)
            item = contains.doc && choose(sample->choices, 2) ? contains : rest;
        surety_buf_text(sample->out, i ? "," : "");
        sample_value(sample, item, depth);
    }
    surety_buf_byte(sample->out, ']');
}

/* The members that properties names and others, each of them now and then. */
static void sample_members(struct sample *sample, surety_val schema,
                           unsigned depth)
{
    const surety_val properties = surety_val_get(schema, "properties");
    const surety_val rest = surety_val_get(schema, "additionalProperties");
    surety_buf *out = sample->out;
    const char *comma = "";

    surety_buf_byte(out, '{');
    for (unsigned i = 0; i < fuzz_words.name_count; i++) {
        surety_str name = surety_str_of(fuzz_words.names[i]);
        surety_val member;

        name = (surety_str){name.ptr + 1, name.len - 2};
        member = surety_val_member(properties, name);
        if (choose(sample->choices, member.doc ? 4 : 3) < 2)
            continue;
        surety_buf_text(out, comma);
        surety_buf_text(out, fuzz_words.names[i]);
        surety_buf_byte(out, ':');
        sample_value(sample, member.doc ? member : rest, depth);
        comma = ",";
    }
    surety_buf_byte(out, '}');
}

/* A schema that applies to the same value, or NONE. */
static surety_val sample_branch(struct sample *sample, surety_val schema)
{
    static const char *const unions[] = {"allOf", "anyOf", "oneOf"};
    static const char *const lone[] = {"then", "else", "if", "not"};
    const surety_val ref = surety_val_get(schema, "$ref");
    surety_val branch = child_chosen(
        sample->choices, surety_val_get(schema, PICK(sample->choices, unions)));

    if (ref.doc && surety_val_str(ref).len > 0 &&
        (!branch.doc || choose(sample->choices, 2)))
        return surety_val_at(sample->root,
                             (surety_str){surety_val_str(ref).ptr + 1,
                                          surety_val_str(ref).len - 1});
    return branch.doc ? branch
                      : surety_val_get(schema, PICK(sample->choices, lone));
}

static void sample_value(struct sample *sample, surety_val schema,
                         unsigned depth)
{
    static const char *const containers[] = {
        "items",      "prefixItems",          "contains",
        "properties", "additionalProperties", "required"};
    const surety_val listed = surety_val_get(schema, "enum");
    const surety_val constant = surety_val_get(schema, "const");
    const surety_val branch = sample_branch(sample, schema);
    unsigned container = 6;

    for (unsigned i = 0; i < 6 && container == 6; i++)
        if (surety_val_get(schema, containers[i]).doc &&
            choose(sample->choices, 2))
            container = i;
    if (depth && branch.doc && choose(sample->choices, 3))
        sample_value(sample, branch, depth - 1);
    else if (constant.doc && choose(sample->choices, 4))
        surety_val_write(constant, SURETY_STYLE_COMPACT, sample->out);
    else if (surety_val_count(listed) && choose(sample->choices, 8))
        surety_val_write(child_chosen(sample->choices, listed),
                         SURETY_STYLE_COMPACT, sample->out);
    else if (depth && container < 3)
        sample_items(sample, schema, depth - 1);
    else if (depth && container < 6)
        sample_members(sample, schema, depth - 1);
    else
        choose_value(sample->choices, &fuzz_words,
                     depth > VALUE_DEPTH ? VALUE_DEPTH : depth, sample->out);
}

/* ---- the law ------------------------------------------------------------- */

static bool takes(struct pair *pair, int which, surety_val value)
{
    bool valid = false;

    return !surety_checker_check(
               pair->checker,
               surety_contract_info_of(pair->contracts[which])->schema, value,
               &valid, NULL) &&
           valid;
}

/* Writes val without the member whose key is at key. */
static void write_without(surety_val val, surety_val key, surety_buf *out)
{
    const bool is_object = surety_val_kind(val) == SURETY_KIND_OBJECT;
    const char *comma = "";

    if (!is_object && surety_val_kind(val) != SURETY_KIND_ARRAY) {
        surety_val_write(val, SURETY_STYLE_COMPACT, out);
        return;
    }
    surety_buf_byte(out, is_object ? '{' : '[');
    for (surety_val child = surety_val_first(val); child.doc;
         child = surety_val_next(val, child)) {
        if (is_object && surety_val_key(child).index == key.index)
            continue;
        surety_buf_text(out, comma);
        comma = ",";
        if (is_object) {
            surety_val_write(surety_val_key(child), SURETY_STYLE_COMPACT, out);
            surety_buf_byte(out, ':');
        }
        write_without(child, key, out);
    }
    surety_buf_byte(out, is_object ? '}' : ']');
}

/* The key that the old schema has no room for, NONE where there is none. */
static surety_val find_unknown(struct pair *pair, surety_val value)
{
    if (surety_checker_report(
            pair->checker, surety_contract_info_of(pair->contracts[0])->schema,
            value, pair->findings, NULL))
        return surety_val_none();
    for (size_t i = 0; i < surety_findings_count(pair->findings); i++) {
        const surety_finding finding = surety_findings_at(pair->findings, i);

        if (surety_str_equal(finding.keyword,
                             surety_str_of("additionalProperties")))
            return finding.instance;
    }
    return surety_val_none();
}

/* Whether the old schema takes the value once members that it has no room for
 * are taken out. */
static bool reads_by_name(struct pair *pair, surety_str text)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_buf left;
    surety_val key;
    bool is_taken = false;

    surety_buf_init(&left, NULL, 0);
    surety_buf_add(&left, text);
    for (;;) {
        if (surety_doc_read(doc, surety_buf_str(&left), NULL, NULL))
            break;
        is_taken = takes(pair, 0, surety_doc_root(doc));
        key = is_taken ? surety_val_none()
                       : find_unknown(pair, surety_doc_root(doc));
        if (!key.doc)
            break;
        surety_buf_reset(&left);
        write_without(surety_doc_root(doc), key, &left);
    }
    surety_buf_done(&left);
    surety_doc_free(doc);
    return is_taken;
}

static void hold(struct pair *pair, surety_str text)
{
    surety_doc *doc = surety_doc_new(NULL);
    bool old_takes, new_takes;

    if (surety_doc_read(doc, text, NULL, NULL) == SURETY_OK) {
        old_takes = takes(pair, 0, surety_doc_root(doc));
        new_takes = takes(pair, 1, surety_doc_root(doc));
        if (!pair->producers && old_takes && !new_takes)
            broken(pair, text, "no producer breaks");
        if (!pair->consumers && new_takes && !old_takes &&
            !(pair->is_neutral && reads_by_name(pair, text)))
            broken(pair, text, "no consumer breaks");
    }
    surety_doc_free(doc);
}

static void compare(struct pair *pair)
{
    must(!surety_diff_new(pair->contracts[0], pair->contracts[0], NULL,
                          &pair->diff, NULL));
    if (surety_diff_info_of(pair->diff)->change_count > 0)
        broken(pair, surety_str_of(""), "a schema differs from itself");
    surety_diff_free(pair->diff);
    must(!surety_diff_new(pair->contracts[0], pair->contracts[1], NULL,
                          &pair->diff, NULL));
    for (size_t i = 0; i < surety_diff_info_of(pair->diff)->change_count; i++) {
        const surety_change change =
            surety_diff_info_of(pair->diff)->changes[i];

        pair->consumers |= change.breaks_consumers;
        pair->producers |= change.breaks_producers;
        pair->is_neutral |=
            !change.breaks_consumers && !change.breaks_producers;
    }
}

/* Values along both schemas, made of bytes that follow from the input. */
static void hold_all(struct pair *pair, uint64_t state)
{
    uint8_t bytes[WORDS_SIZE];
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    for (int i = 0; i < VALUES; i++) {
        struct choices choices = {bytes, sizeof(bytes), 0};
        struct sample sample = {.choices = &choices, .out = &text};

        for (size_t k = 0; k < sizeof(bytes); k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (uint8_t)(state >> 56);
        }
        sample.root = surety_contract_info_of(pair->contracts[i % 2])->root;
        surety_buf_reset(&text);
        sample_value(&sample, sample.root, SAMPLE_DEPTH);
        hold(pair, surety_buf_str(&text));
    }
    surety_buf_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const surety_limits limits = {.size = sizeof(limits),
                                         .work_base = 100000};
    struct choices choices = {data, size, 0};
    struct pair pair = {.checker = surety_checker_new(NULL, &limits),
                        .findings = surety_findings_new(NULL)};
    const unsigned edits = choose(&choices, 4);
    uint64_t state = 14695981039346656037u;

    for (size_t i = 0; i < size; i++)
        state = (state ^ data[i]) * 1099511628211u;
    for (int i = 0; i < 2; i++)
        surety_buf_init(&pair.texts[i], NULL, 0);
    fuzz_schema_make(&choices, &pair.texts[0]);
    if (edits == 0)
        fuzz_schema_make(&choices, &pair.texts[1]);
    else
        make_edited(&choices, &pair.texts[0], &pair.texts[1]);
    for (unsigned i = 1; i < edits; i++) {
        surety_buf again;

        surety_buf_init(&again, NULL, 0);
        make_edited(&choices, &pair.texts[1], &again);
        surety_buf_done(&pair.texts[1]);
        pair.texts[1] = again;
    }
    if (!surety_contract_read(surety_buf_str(&pair.texts[0]), NULL,
                              &pair.contracts[0], NULL) &&
        !surety_contract_read(surety_buf_str(&pair.texts[1]), NULL,
                              &pair.contracts[1], NULL)) {
        compare(&pair);
        if (!pair.consumers || !pair.producers)
            hold_all(&pair, state);
    }
    surety_diff_free(pair.diff);
    for (int i = 0; i < 2; i++) {
        surety_contract_free(pair.contracts[i]);
        surety_buf_done(&pair.texts[i]);
    }
    surety_findings_free(pair.findings);
    surety_checker_free(pair.checker);
    return 0;
}
