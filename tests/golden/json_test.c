/* SPDX-License-Identifier: Apache-2.0 */
/* Texts, and what the parts of json/ make of each: read by a person.
 *
 *     json_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case. Each of its sections begins with a line "=== PART
 * WORD..." and holds texts: a line "> TEXT", or ">> TEXT", in which \r \n \t \\
 * and \xNN stand for bytes. Behind each stands what comes of it; a line that
 * begins with # is a remark. The parts:
 *
 *     read [unique] [bom]   the strict reader
 *     lenient [strict] [certain] [cut] [expects=NAME,...] [steps] [places]
 *                           the tolerant reader; steps: what a snapshot shows
 *                           after each byte, an open value behind "~", and how
 *                           many bytes were looked at; places: where each value
 *                           stands
 *     prefixes [cut]        what the tolerant reader makes of each beginning:
 *                           the value and its repairs, or a word
 *     number                what a number comes to
 *     equal                 the items of an array, equal ones on a line
 *     divide                [number, divisor, ...]: of which it is a multiple
 *     patch                 [patch, target]: what the patch makes of it
 *     copy                  the value in an array, copied whole and by its
 *                           parts, with the places that are kept
 *     pointer               [value, pointer, ...]: what each leads to
 *     write                 the three styles
 *     shown                 the text for a terminal
 *     uncomment             the text without its comments
 *
 * To read, lenient and copy, NAME:VALUE sets a limit. Each text of a lenient
 * section without words must keep the laws of lenient_laws.h, too. */
#include "json/json.h"
#include "golden/cases.h"
#include "lenient_laws.h"

#include <stdio.h>
#include <stdlib.h>

/* A section's words and where its outcomes go. */
struct part {
    surety_str kind;
    surety_buf *out;
    surety_doc *doc;
    surety_limits limits;
    bool good;
};

static bool part_has(const struct part *part, const char *word)
{
    const size_t len = strlen(word);
    const surety_str kind = part->kind;

    for (size_t i = 0; i + len <= kind.len; i++)
        if (memcmp(kind.ptr + i, word, len) == 0 &&
            (i == 0 || kind.ptr[i - 1] == ' ') &&
            (i + len == kind.len || kind.ptr[i + len] == ' ' ||
             word[len - 1] == '='))
            return true;
    return false;
}

static void part_fail(struct part *part, const char *what, surety_str text)
{
    printf("# %s: %.*s\n", what, (int)text.len, text.ptr);
    part->good = false;
}

/* Takes the limits off the section's words. */
static void part_limits(struct part *part)
{
    surety_str rest = part->kind;

    part->limits = (surety_limits){.size = sizeof(part->limits)};
    while (rest.len) {
        const char *space = memchr(rest.ptr, ' ', rest.len);
        const size_t len = space ? (size_t)(space - rest.ptr) : rest.len;
        const char *colon = memchr(rest.ptr, ':', len);
        const size_t name = colon ? (size_t)(colon - rest.ptr) : 0;

        if (colon &&
            surety_limits_set(&part->limits, (surety_str){rest.ptr, name},
                              (surety_str){colon + 1, len - name - 1}, NULL))
            part_fail(part, "no such limit", (surety_str){rest.ptr, len});
        rest.ptr += len + (space != NULL);
        rest.len -= len + (space != NULL);
    }
}

/* ---- showing ------------------------------------------------------------- */

static void put_position(surety_buf *out, surety_position position)
{
    if (!position.line)
        return;
    surety__buf_printf(out, " at %u:%u, byte %zu", position.line,
                       position.column, position.offset);
    if (position.length)
        surety__buf_printf(out, "+%zu", position.length);
}

static void put_error(surety_buf *out, const surety_error *error)
{
    surety__buf_printf(out, "! %s", surety_status_name(error->status));
    put_position(out, error->position);
    surety__buf_printf(out, ": %s", error->message);
    if (error->hint[0])
        surety__buf_printf(out, "; %s", error->hint);
    if (error->path[0])
        surety__buf_printf(out, " (%s)", error->path);
    surety_buf_byte(out, '\n');
}

/* The value, "~" before each that is open. */
static void put_value(surety_buf *out, surety_val val)
{
    const surety_kind kind = surety_val_kind(val);
    surety_val child = surety_val_first(val);

    if (surety_val_is_open(val))
        surety_buf_byte(out, '~');
    if (kind < SURETY_KIND_ARRAY) {
        surety_val_write(val, SURETY_STYLE_COMPACT, out);
        return;
    }
    surety_buf_byte(out, kind == SURETY_KIND_ARRAY ? '[' : '{');
    while (child.doc) {
        if (kind == SURETY_KIND_OBJECT) {
            surety_json_string(out, surety_val_str(surety_val_key(child)));
            surety_buf_byte(out, ':');
        }
        put_value(out, child);
        child = surety_val_next(val, child);
        if (child.doc)
            surety_buf_byte(out, ',');
    }
    surety_buf_byte(out, kind == SURETY_KIND_ARRAY ? ']' : '}');
}

static void put_duplicates(surety_buf *out, const surety_doc *doc)
{
    surety_position position, again;
    surety_str key;
    size_t i = 0;

    for (; surety_doc_duplicate(doc, i, &key, &position, &again) == SURETY_OK;
         i++) {
        surety_buf_text(out, "  twice ");
        surety_json_string(out, key);
        put_position(out, position);
        surety__buf_printf(out, ", again at %u:%u\n", again.line, again.column);
    }
    if (doc->duplicate_count > i)
        surety__buf_printf(out, "  %zu in all\n", doc->duplicate_count);
}

static void put_repairs(surety_buf *out, const surety_doc *doc)
{
    const size_t count = surety__doc_repair_count(doc);
    size_t i = 0;

    for (; surety__doc_repair(doc, i).kind[0]; i++) {
        const surety__repair_view repair = surety__doc_repair(doc, i);

        surety__buf_printf(
            out, "  %s %s at %zu: ", repair.likely ? "likely " : "certain",
            repair.kind, repair.offset);
        surety_json_string(out, repair.original);
        surety_buf_text(out, " -> ");
        surety_json_string(out, repair.read);
        surety_buf_byte(out, '\n');
    }
    if (count > i)
        surety__buf_printf(out, "  %zu more, %zu of all likely\n", count - i,
                           surety__doc_repair_likely(doc));
}

static void put_places(surety_buf *out, surety_val val)
{
    surety_val child = surety_val_first(val);
    const surety_val key = surety_val_key(val);

    surety_buf_text(out, "  place /");
    if (val.index) {
        surety_buf path;

        surety_buf_init(&path, NULL, 0);
        surety_val_pointer(val, &path);
        surety_buf_append(out, path.ptr + 1, path.len - 1);
        surety_buf_done(&path);
    }
    put_position(out, surety_val_position(val));
    if (surety_val_kind(key) == SURETY_KIND_STRING && val.index &&
        surety__cell_of(key)->kind == CELL_KEY) {
        surety_buf_text(out, ", key");
        put_position(out, surety_val_position(key));
    }
    surety_buf_byte(out, '\n');
    for (; child.doc; child = surety_val_next(val, child))
        put_places(out, child);
}

/* Whether the doc has the text that it was read from, and no string is said to
 * be ASCII that is not. */
static bool holds_text(const surety_doc *doc, surety_str text)
{
    if (!surety_str_equal(surety_doc_text(doc), text))
        return false;
    for (size_t i = 0; i < doc->cell_count; i++) {
        const surety__cell *cell = &doc->cells[i];
        bool ascii = true;

        if (!surety__cell_is_string(cell))
            continue;
        for (size_t k = 0; k < cell->len; k++)
            ascii &= (unsigned char)surety__cell_str(doc, cell).ptr[k] < 0x80;
        if (!ascii && cell->flags & FLAG_ASCII)
            return false;
    }
    return true;
}

/* ---- the strict reader --------------------------------------------------- */

static void part_read(struct part *part, surety_str text)
{
    const surety_read_options options = {
        .size = sizeof(options),
        .flags = (part_has(part, "unique") ? SURETY_READ_UNIQUE_KEYS : 0u) |
                 (part_has(part, "bom") ? SURETY_READ_SKIP_BOM : 0u),
        .limits = &part->limits};
    surety_error error = {0};

    if (surety_doc_read(part->doc, text, &options, &error)) {
        put_error(part->out, &error);
        return;
    }
    if (!holds_text(part->doc, text) || !laws_sound(part->doc))
        part_fail(part, "the text is another", text);
    surety_buf_text(part->out, "= ");
    put_value(part->out, surety_doc_root(part->doc));
    surety_buf_byte(part->out, '\n');
    put_duplicates(part->out, part->doc);
    if (part_has(part, "places"))
        put_places(part->out, surety_doc_root(part->doc));
}

/* ---- the tolerant reader ------------------------------------------------- */

/* Whether the name is one of the section's. */
static bool lenient_expects(void *ctx, surety_str name)
{
    const struct part *part = ctx;
    const char *end = part->kind.ptr + part->kind.len;
    const char *at = part->kind.ptr;

    while (end - at > 8 && memcmp(at, "expects=", 8) != 0)
        at++;
    for (at += 8; at < end && at[-1] != ' '; at++) {
        const char *start = at;

        while (at < end && *at != ',' && *at != ' ')
            at++;
        if (surety_str_equal((surety_str){start, (size_t)(at - start)}, name))
            return true;
    }
    return false;
}

/* Each snapshot that differs from the one before. */
static surety_status lenient_steps(struct part *part, surety_str text,
                                   const surety__lenient_options *options,
                                   size_t *ret_end, surety_error *error)
{
    surety_lenient *reader = surety_lenient_new(NULL);
    surety_status status =
        surety__lenient_begin(reader, part->doc, options, error);
    surety_buf shown, before;
    surety_val root;

    surety_buf_init(&shown, NULL, 0);
    surety_buf_init(&before, NULL, 0);
    for (size_t i = 0; status == SURETY_OK && i < text.len; i++) {
        status =
            surety_lenient_feed(reader, (surety_str){text.ptr + i, 1}, error);
        if (status < SURETY_OK ||
            surety_lenient_snapshot(reader, &root, NULL) != SURETY_OK)
            continue;
        surety_buf_reset(&shown);
        put_value(&shown, root);
        if (root.doc &&
            !surety_str_equal(surety_buf_str(&shown), surety_buf_str(&before)))
            surety__buf_printf(part->out, "  %zu: %.*s\n", i + 1,
                               (int)shown.len, shown.ptr);
        surety_buf_reset(&before);
        surety_buf_add(&before, surety_buf_str(&shown));
    }
    if (status >= SURETY_OK)
        status = surety_lenient_finish(reader, ret_end, error);
    surety__buf_printf(part->out, "  %zu bytes looked at\n", reader->work);
    surety_buf_done(&shown);
    surety_buf_done(&before);
    surety_lenient_free(reader);
    return status;
}

static surety__lenient_options lenient_options(struct part *part)
{
    return (surety__lenient_options){
        .strict = part_has(part, "strict"),
        .certain_only = part_has(part, "certain"),
        .cut = part_has(part, "cut"),
        .expects = part_has(part, "expects=") ? lenient_expects : NULL,
        .expects_ctx = part,
        .limits = &part->limits};
}

/* What is said of every text that is cut off. */
static bool lenient_says_cut(const surety_error *error, surety_str text,
                             size_t end)
{
    return error->status == SURETY_END && end == text.len &&
           error->position.offset == end && !error->position.length &&
           !strcmp(error->message, "the text ends before its value does") &&
           !strcmp(error->hint, "it was cut off: ask for it again, with room "
                                "for a longer reply");
}

static void part_lenient(struct part *part, surety_str text)
{
    static const unsigned char ones[] = {1};
    const struct laws_chunks chunks = {
        .lens = ones, .count = 1, .snapshots = true};
    const surety__lenient_options options = lenient_options(part);
    const bool plain = surety_str_equal(part->kind, surety_str_of("lenient"));
    const bool steps = part_has(part, "steps");
    const char *broken = plain ? laws_of(text, &chunks, NULL) : NULL;
    surety_error error = {0};
    surety_status status;
    size_t end = 0;

    if (broken)
        part_fail(part, broken, text);
    status = steps ? lenient_steps(part, text, &options, &end, &error)
                   : surety__doc_read_lenient(part->doc, text, &options, &end,
                                              &error);
    if (status < SURETY_OK) {
        put_error(part->out, &error);
        return;
    }
    if (!steps && !holds_text(part->doc, text))
        part_fail(part, "the text is another", text);
    if (status == SURETY_END && !lenient_says_cut(&error, text, end))
        part_fail(part, "it is not said to be cut off", text);
    surety_buf_text(part->out, status == SURETY_END ? "cut " : "= ");
    put_value(part->out, surety_doc_root(part->doc));
    if (status == SURETY_END) {
        surety__buf_printf(part->out, " in /%s",
                           error.path + (error.path[0] != 0));
        put_position(part->out, error.position);
    } else if (end != text.len) {
        surety__buf_printf(part->out, " to %zu", end);
    }
    surety_buf_byte(part->out, '\n');
    put_repairs(part->out, part->doc);
    put_duplicates(part->out, part->doc);
    if (part_has(part, "places"))
        put_places(part->out, surety_doc_root(part->doc));
}

/* Each beginning in a block of its own size. */
static void part_prefixes(struct part *part, surety_str text)
{
    const surety__lenient_options options = lenient_options(part);

    for (size_t len = 1; len <= text.len; len++) {
        char *block = malloc(len);
        surety_status status;
        surety_error error;
        size_t end = 0;

        if (!block)
            golden_die("no memory for", "a text");
        memcpy(block, text.ptr, len);
        status = surety__doc_read_lenient(part->doc, (surety_str){block, len},
                                          &options, &end, &error);
        surety__buf_printf(part->out, "  %zu%s ", len,
                           status == SURETY_END ? " cut"
                           : status < SURETY_OK ? " !"
                                                : "");
        if (status < SURETY_OK)
            surety_buf_text(part->out, error.message);
        else
            put_value(part->out, surety_doc_root(part->doc));
        for (size_t i = 0; i < surety__doc_repair_count(part->doc); i++)
            surety__buf_printf(part->out, " %s",
                               surety__doc_repair(part->doc, i).kind);
        surety_buf_byte(part->out, '\n');
        free(block);
    }
}

/* ---- numbers and values -------------------------------------------------- */

static void part_number(struct part *part, surety_str text)
{
    const surety_val val = surety_doc_root(part->doc);
    const int64_t whole = surety_val_int(val, 42);
    const uint64_t natural = surety_val_uint(val, 42);
    surety_buf *out = part->out;

    (void)text;
    surety_buf_text(out, surety_val_is_integer(val) ? "= integer" : "= real");
    if (whole == surety_val_int(val, 43))
        surety__buf_printf(out, ", int %lld", (long long)whole);
    if (natural == surety_val_uint(val, 43))
        surety__buf_printf(out, ", uint %llu", (unsigned long long)natural);
    surety__buf_printf(out, ", double %a, canonical ",
                       surety_val_real(val, 0.5));
    if (surety_val_write(val, SURETY_STYLE_CANONICAL, out))
        surety_buf_text(out, "none");
    surety_buf_byte(out, '\n');
}

static void part_equal(struct part *part, surety_str text)
{
    const surety_val array = surety_doc_root(part->doc);
    const size_t count = surety_val_count(array);

    for (size_t i = 0; i < count; i++) {
        const surety_val item = surety_val_item(array, i);
        bool first = true;

        for (size_t j = 0; j < count; j++) {
            const surety_val other = surety_val_item(array, j);
            const bool equal = surety_val_equal(item, other);

            if (equal != surety_val_equal(other, item) ||
                (equal && surety__val_hash(item) != surety__val_hash(other)) ||
                (!equal && surety__val_hash(item) == surety__val_hash(other)))
                part_fail(part, "neither one way nor the other", text);
            first &= !(equal && j < i);
        }
        for (size_t j = i; first && j < count; j++) {
            const surety_val other = surety_val_item(array, j);

            if (surety_val_equal(item, other)) {
                surety_buf_text(part->out, j == i ? "= " : "  ");
                put_value(part->out, other);
            }
        }
        if (first)
            surety_buf_byte(part->out, '\n');
    }
}

static void part_divide(struct part *part, surety_str text)
{
    const surety_val array = surety_doc_root(part->doc);
    const surety_val number = surety_val_first(array);
    surety_val divisor = surety_val_next(array, number);

    (void)text;
    for (; divisor.doc; divisor = surety_val_next(array, divisor)) {
        const bool holds = surety__decimal_multiple(
            surety__decimal_of(surety_val_number(number)),
            surety__decimal_of(surety_val_number(divisor)));

        surety_buf_text(part->out, holds ? "= of " : "! not of ");
        put_value(part->out, divisor);
        surety_buf_byte(part->out, '\n');
    }
}

static void part_patch(struct part *part, surety_str text)
{
    const surety_val root = surety_doc_root(part->doc);
    surety_doc *made = surety_doc_new(NULL);
    surety_error error = {0};

    if (surety_patch_apply(surety_val_item(root, 0), surety_val_item(root, 1),
                           made, &error)) {
        put_error(part->out, &error);
    } else {
        if (!laws_sound(made))
            part_fail(part, "the result is not sound", text);
        surety_buf_text(part->out, "= ");
        put_value(part->out, surety_doc_root(made));
        surety_buf_byte(part->out, '\n');
    }
    surety_doc_free(made);
}

/* Pushes a value by its parts, each copied. */
static void copy_parts(surety_doc *made, surety_val val)
{
    const surety_kind kind = surety_val_kind(val);
    surety_val child = surety_val_first(val);

    if (kind < SURETY_KIND_ARRAY) {
        surety_build_val(made, val);
        return;
    }
    if (kind == SURETY_KIND_ARRAY)
        surety_build_array(made);
    else
        surety_build_object(made);
    for (; child.doc; child = surety_val_next(val, child)) {
        if (kind == SURETY_KIND_OBJECT)
            surety_build_key_of(made, surety_val_key(child));
        copy_parts(made, child);
    }
    surety_build_close(made);
}

/* whole: at once; origin: the places stay. */
static void copy_put(struct part *part, bool whole, bool origin)
{
    const surety_val root = surety_doc_root(part->doc);
    surety_doc *made = surety_doc_new(NULL);
    surety_error error = {0};

    surety_build_begin(made, origin ? part->doc : NULL);
    surety_build_array(made);
    if (whole)
        surety_build_val(made, root);
    else
        copy_parts(made, root);
    surety_build_str(made, surety_str_of("end"));
    surety_build_close(made);
    if (surety_build_end(made, &error)) {
        put_error(part->out, &error);
    } else {
        surety_buf_text(part->out, "= ");
        put_value(part->out, surety_doc_root(made));
        surety_buf_byte(part->out, '\n');
        if (!laws_sound(made) ||
            !surety_val_equal(root, surety_val_item(surety_doc_root(made), 0)))
            part_fail(part, "the copy is another", surety_doc_text(part->doc));
        if (whole || origin)
            put_places(part->out, surety_doc_root(made));
    }
    surety_doc_free(made);
}

static void part_copy(struct part *part, surety_str text)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .limits = &part->limits};
    surety_error error = {0};

    if (surety_doc_read(part->doc, text, &options, &error)) {
        put_error(part->out, &error);
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        copy_put(part, i & 1, i & 2);
}

static void part_pointer(struct part *part, surety_str text)
{
    const surety_val array = surety_doc_root(part->doc);
    const surety_val root = surety_val_first(array);
    surety_val pointer = surety_val_next(array, root);
    surety_buf path;

    (void)text;
    surety_buf_init(&path, NULL, 0);
    for (; pointer.doc; pointer = surety_val_next(array, pointer)) {
        const surety_val found = surety_val_at(root, surety_val_str(pointer));

        put_value(part->out, pointer);
        if (!found.doc) {
            surety_buf_text(part->out, ": nothing\n");
            continue;
        }
        surety_buf_text(part->out, ": ");
        put_value(part->out, found);
        surety_buf_reset(&path);
        surety_val_pointer(found, &path);
        surety_buf_text(part->out, ", which is at ");
        surety_json_string(part->out, surety_buf_str(&path));
        surety_buf_byte(part->out, '\n');
    }
    surety_buf_done(&path);
}

/* ---- writing ------------------------------------------------------------- */

static void put_lines(surety_buf *out, surety_str text)
{
    surety_str line;

    while (golden_line(&text, &line)) {
        surety_buf_text(out, "| ");
        surety_buf_add(out, line);
        /* No line ends in a space. */
        if (line.len && line.ptr[line.len - 1] == ' ')
            surety_buf_byte(out, '|');
        surety_buf_byte(out, '\n');
    }
}

static void part_write(struct part *part, surety_str text)
{
    static const surety_style styles[] = {
        SURETY_STYLE_COMPACT, SURETY_STYLE_PRETTY, SURETY_STYLE_CANONICAL};
    surety_buf written;

    (void)text;
    surety_buf_init(&written, NULL, 0);
    for (size_t i = 0; i < sizeof(styles) / sizeof(*styles); i++) {
        surety_buf_reset(&written);
        if (surety_val_write(surety_doc_root(part->doc), styles[i], &written))
            surety_buf_text(part->out, "! unsupported\n");
        else
            put_lines(part->out, surety_buf_str(&written));
    }
    surety_buf_done(&written);
}

static void part_shown(struct part *part, surety_str text)
{
    surety_buf written;

    surety_buf_init(&written, NULL, 0);
    surety_buf_add(&written, text);
    surety_json_shown(&written, 0);
    put_lines(part->out, surety_buf_str(&written));
    surety_buf_done(&written);
}

static void part_uncomment(struct part *part, surety_str text)
{
    surety_buf written;
    surety_error error = {0};

    surety_buf_init(&written, NULL, 0);
    surety_buf_add(&written, text);
    if (surety_json_uncomment(text, written.ptr, &error))
        put_error(part->out, &error);
    else
        put_lines(part->out, surety_buf_str(&written));
    surety_buf_done(&written);
}

/* ---- cases --------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(struct part *part, surety_str text);
    bool read; /* the text is JSON */
} parts[] = {
    {"read", part_read, false},         {"lenient", part_lenient, false},
    {"prefixes", part_prefixes, false}, {"number", part_number, true},
    {"equal", part_equal, true},        {"divide", part_divide, true},
    {"patch", part_patch, true},        {"pointer", part_pointer, true},
    {"copy", part_copy, false},         {"write", part_write, true},
    {"shown", part_shown, false},       {"uncomment", part_uncomment, false},
};

/* The bytes are a block of their own size, so that the sanitizers see a byte
 * beyond. */
static void run_text(struct part *part, size_t row, surety_str line)
{
    surety_str text = line;
    surety_buf bytes;
    surety_error error;
    size_t start;
    char *block;

    surety_buf_init(&bytes, NULL, 0);
    if (golden_take(&text, ">> "))
        golden_unescape(text, &bytes);
    else if (golden_take(&text, "> "))
        surety_buf_add(&bytes, text);
    block = malloc(bytes.len + !bytes.len);
    if (!block)
        golden_die("no memory for", "a text");
    if (bytes.len)
        memcpy(block, bytes.ptr, bytes.len);
    text = (surety_str){block, bytes.len};
    surety_buf_add(part->out, line);
    surety_buf_byte(part->out, '\n');
    start = part->out->len;
    if (parts[row].read &&
        surety_doc_read(part->doc, text, NULL, &error) != SURETY_OK)
        put_error(part->out, &error);
    else
        parts[row].run(part, text);
    surety_json_shown(part->out, start);
    free(block);
    surety_buf_done(&bytes);
}

static bool run_section(struct golden *golden,
                        const struct golden_section *section, surety_doc *doc)
{
    struct part part = {
        .kind = section->kind, .out = &golden->made, .doc = doc, .good = true};
    surety_str rest = section->text, line;
    size_t row = 0;

    while (row < sizeof(parts) / sizeof(*parts)) {
        surety_str kind = section->kind;

        if (golden_take(&kind, parts[row].name) &&
            (!kind.len || *kind.ptr == ' '))
            break;
        row++;
    }
    if (row == sizeof(parts) / sizeof(*parts)) {
        part_fail(&part, "no such part", section->kind);
        return false;
    }
    part_limits(&part);
    golden_begin(golden, section);
    while (golden_line(&rest, &line)) {
        if (line.len && *line.ptr == '>')
            run_text(&part, row, line);
        else if (!line.len || *line.ptr == '#')
            surety__buf_printf(&golden->made, "%.*s\n", (int)line.len,
                               line.len ? line.ptr : "");
    }
    return part.good;
}

static bool run(struct golden *golden)
{
    surety_doc *doc = surety_doc_new(NULL);
    bool good = true;

    for (size_t i = 0; i < golden->count; i++)
        good &= run_section(golden, &golden->sections[i], doc);
    surety_doc_free(doc);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
