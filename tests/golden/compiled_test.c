/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas as they are compiled and asked, compared byte for byte with case
 * files.
 *
 *     compiled_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case, with sections that begin with a line "=== KIND":
 *
 *     === schema          a schema
 *     === schemas         or many, a line each
 *     === options         a line each: dialect N (as surety_dialect counts),
 *                         assert-format, base URI, limit NAME NUMBER
 *     === document URI    what a reference to URI leads to
 *     === compiled        of every schema: its line, where there are many, and
 *                         below it what is wrong (status, place, message and
 *                         hint) or its warnings
 *     === instances       a value each line
 *     === asked           of each: whether it is valid, the steps that the
 *                         check, the report and the completion need, what
 *                         was completed or found
 *     === growth          a text each line
 *     === grown           of each, byte by byte: where it is lost as strict
 *                         JSON, as what is repaired, as what is aligned; and as
 *                         JSON that comes at once; why; and all steps
 *
 * The steps are the least limit of work with which there is an answer. They are
 * no promise, but a change of them is a change of how soon SURETY_LIMIT comes:
 * it wants to be seen. With --update what is expected is written anew, for a
 * person to review. */
#include "json/json.h"
#include "schema/schema.h"
#include "golden/cases.h"

#include <stdio.h>
#include <string.h>

#include "schema/prefix.h"

/* What a case is asked with. */
struct setting {
    const struct golden *golden;
    surety_limits limits;
    surety_schema_options options;
    surety_doc *documents[GOLDEN_SECTIONS_MAX];
    surety_schema *schema;
    surety_checker *checker;
    surety_doc *doc, *built;
    surety_findings *findings;
    bool changed; /* by the completion */
};

/* ---- settings ------------------------------------------------------------ */

static surety_status setting_resolve(void *ctx, surety_str uri,
                                     surety_val *ret_val)
{
    struct setting *setting = ctx;

    for (size_t i = 0; i < setting->golden->count; i++) {
        surety_str kind = setting->golden->sections[i].kind;

        if (!golden_take(&kind, "document ") || !surety_str_equal(kind, uri))
            continue;
        if (!setting->documents[i])
            setting->documents[i] = surety_doc_new(NULL);
        *ret_val = surety_val_none();
        if (surety_str_equal(setting->golden->sections[i].body,
                             surety_str_of("fails")))
            return SURETY_IO;
        if (surety_doc_read(setting->documents[i],
                            setting->golden->sections[i].body, NULL, NULL))
            golden_die("a document is no JSON", setting->golden->path);
        *ret_val = surety_doc_root(setting->documents[i]);
        return SURETY_OK;
    }
    return SURETY_END;
}

static void setting_read(const struct golden *golden, struct setting *setting)
{
    surety_str rest = golden_body(golden, "options");
    surety_str line;
    char name[64], value[32];
    unsigned number;

    *setting = (struct setting){.golden = golden,
                                .limits = {.size = sizeof(setting->limits)},
                                .options = {.size = sizeof(setting->options),
                                            .limits = &setting->limits,
                                            .resolve = setting_resolve,
                                            .resolve_ctx = setting}};
    while (golden_line(&rest, &line)) {
        char text[128];

        snprintf(text, sizeof(text), "%.*s", (int)line.len, line.ptr);
        if (!strcmp(text, "assert-format"))
            setting->options.assert_format = true;
        else if (sscanf(text, "dialect %u", &number) == 1)
            setting->options.dialect = (surety_dialect)number;
        else if (golden_take(&line, "base "))
            setting->options.base_uri = line;
        else if (sscanf(text, "limit %63s %31s", name, value) != 2 ||
                 surety_limits_set(&setting->limits, surety_str_of(name),
                                   surety_str_of(value), NULL))
            golden_die("an option is not known", text);
    }
    setting->checker = surety_checker_new(NULL, &setting->limits);
    setting->doc = surety_doc_new(NULL);
    setting->built = surety_doc_new(NULL);
    setting->findings = surety_findings_new(NULL);
}

static void setting_done(struct setting *setting)
{
    surety_schema_free(setting->schema);
    surety_checker_free(setting->checker);
    surety_doc_free(setting->doc);
    surety_doc_free(setting->built);
    surety_findings_free(setting->findings);
    for (size_t i = 0; i < GOLDEN_SECTIONS_MAX; i++)
        surety_doc_free(setting->documents[i]);
}

/* ---- compiling ----------------------------------------------------------- */

static void write_line(surety_buf *out, const char *indent, const char *text)
{
    if (!*text)
        return;
    surety_buf_text(out, indent);
    surety_buf_text(out, text);
    surety_buf_byte(out, '\n');
}

static void write_place(surety_buf *out, surety_position position)
{
    surety_buf_number(out, position.line);
    surety_buf_byte(out, ':');
    surety_buf_number(out, position.column);
}

static void write_error(surety_buf *out, const surety_error *err)
{
    surety_buf_text(out, "  ");
    surety_buf_text(out, surety_status_name(err->status));
    surety_buf_text(out, " at ");
    write_place(out, err->position);
    surety_buf_text(out, *err->source ? " of " : "");
    surety_buf_text(out, err->source);
    surety_buf_text(out, *err->path ? " " : "");
    surety_buf_text(out, err->path);
    surety_buf_byte(out, '\n');
    write_line(out, "    ", err->message);
    write_line(out, "    ", err->hint);
}

static void write_warnings(surety_buf *out, const surety_schema *schema)
{
    const surety_schema_info *info = surety_schema_info_of(schema);

    for (size_t i = 0; i < info->warning_count; i++) {
        const surety_schema_warning warning = info->warnings[i];

        surety_buf_text(out, "  ");
        write_place(out, surety_val_position(warning.key));
        surety_buf_byte(out, ' ');
        surety_buf_add(out, warning.message);
        surety_buf_text(out, warning.hint.len ? " | " : "");
        surety_buf_add(out, warning.hint);
        surety_buf_byte(out, '\n');
    }
    surety_buf_text(out, info->warnings_left ? "  and more\n" : "");
}

/* Compiles text into setting->schema; what is to be said of it goes to out. */
static bool compile(struct setting *setting, surety_str text, surety_buf *out)
{
    surety_error err = {.status = SURETY_OK};
    surety_status status;

    surety_schema_free(setting->schema);
    setting->schema = NULL;
    status =
        surety_schema_read(text, &setting->options, &setting->schema, &err);
    if (status)
        write_error(out, &err);
    else
        write_warnings(out, setting->schema);
    return !status;
}

static void write_compiled(struct setting *setting, surety_buf *out)
{
    surety_str rest = golden_body(setting->golden, "schemas");
    surety_str line;

    if (!rest.len)
        compile(setting, golden_body(setting->golden, "schema"), out);
    while (golden_line(&rest, &line)) {
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        compile(setting, line, out);
    }
}

/* ---- asking -------------------------------------------------------------- */

enum way { WAY_CHECK, WAY_REPORT, WAY_COMPLETE, WAYS };

/* Asks one way with so much work. */
static surety_status ask(struct setting *setting, enum way way, uint32_t work,
                         bool *ret_valid)
{
    const surety_val root = surety_doc_root(setting->doc);
    surety_val value = root;
    surety_checker *const checker = setting->checker;
    surety_status status;

    checker->machine.limits.work_per_value = 0;
    checker->machine.limits.work_base = work;
    switch (way) {
    case WAY_CHECK:
        return surety_checker_check(checker, setting->schema, root, ret_valid,
                                    NULL);
    case WAY_REPORT:
        return surety_checker_report(checker, setting->schema, root,
                                     setting->findings, NULL);
    default:
        status = surety__checker_complete(checker, setting->schema, true, true,
                                          setting->built, &value, NULL);
        setting->changed = value.doc == setting->built;
        return status;
    }
}

/* The least work with which there is an answer. */
static uint32_t least_work(struct setting *setting, enum way way,
                           bool *ret_valid)
{
    uint32_t low = 0;
    uint32_t high = 1;

    while (ask(setting, way, high, ret_valid) == SURETY_LIMIT &&
           high < 1u << 24) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (ask(setting, way, middle, ret_valid) == SURETY_LIMIT)
            low = middle;
        else
            high = middle;
    }
    if (high == 1 && !ask(setting, way, 0, ret_valid))
        return 0;
    if (ask(setting, way, high, ret_valid))
        golden_die("no answer", setting->golden->path);
    return high;
}

static void write_findings(surety_findings *findings, surety_buf *out)
{
    for (size_t i = 0; i < surety_findings_count(findings); i++) {
        const surety_finding finding = surety_findings_at(findings, i);

        surety_buf_text(out, "    ");
        surety_buf_add(out, finding.instance_location);
        surety_buf_byte(out, ' ');
        surety_buf_add(out, finding.absolute_keyword_location);
        surety_buf_text(out, " | ");
        surety_buf_add(out, finding.message);
        surety_buf_text(out, finding.hint.len ? " | " : "");
        surety_buf_add(out, finding.hint);
        surety_buf_byte(out, '\n');
    }
}

static void write_deprecated(const struct setting *setting, surety_buf *out)
{
    surety_val subschema = surety_val_none();
    surety_val value;

    for (size_t i = 0;; i++) {
        value = surety__checker_deprecated(setting->checker, i, &subschema);
        if (!value.doc)
            return;
        surety_buf_text(out, "  deprecated: ");
        surety_val_pointer(value, out);
        surety_buf_text(out, " of ");
        surety_val_pointer(subschema, out);
        surety_buf_byte(out, '\n');
    }
}

static void write_asked_one(struct setting *setting, surety_str text,
                            surety_buf *out)
{
    static const char *const ways[] = {"check", "report", "complete"};
    bool valid[2] = {false, false};
    bool more = false;

    if (surety_doc_read(setting->doc, text, NULL, NULL))
        golden_die("an instance is no JSON", setting->golden->path);
    surety_buf_add(out, text);
    for (unsigned way = WAY_CHECK; way < WAYS; way++) {
        const uint32_t work =
            way == WAY_COMPLETE && !valid[0]
                ? 0
                : least_work(setting, (enum way)way, &valid[way % 2]);

        if (way == WAY_CHECK && (ask(setting, (enum way)way, 1u << 24, &more) ||
                                 more != valid[way]))
            surety_buf_text(out, "\n  with more work it is otherwise");
        if (way == WAY_CHECK)
            surety_buf_text(out, valid[0] ? "\n  valid;" : "\n  invalid;");
        if (way == WAY_COMPLETE && !valid[0])
            break;
        surety_buf_byte(out, ' ');
        surety_buf_text(out, ways[way]);
        surety_buf_byte(out, ' ');
        surety_buf_number(out, work);
    }
    if ((surety_findings_count(setting->findings) == 0) != valid[0])
        surety_buf_text(out, ", the report says otherwise");
    surety_buf_byte(out, '\n');
    write_findings(setting->findings, out);
    if (valid[0])
        write_deprecated(setting, out);
    if (valid[0] && setting->changed) {
        surety_buf_text(out, "  completed: ");
        surety_val_write(surety_doc_root(setting->built), SURETY_STYLE_COMPACT,
                         out);
        surety_buf_byte(out, '\n');
    }
}

static void write_asked(struct setting *setting, surety_buf *out)
{
    surety_str rest = golden_body(setting->golden, "instances");
    surety_str line;

    if (!compile(setting, golden_body(setting->golden, "schema"), out))
        return;
    while (golden_line(&rest, &line))
        write_asked_one(setting, line, out);
}

/* ---- growing ------------------------------------------------------------- */

/* Feeds bytes and takes a step. */
static surety_status grow(surety__prefix *prefix, surety_lenient *reader,
                          surety_doc *doc, surety_str bytes, bool *ret_lost)
{
    surety_status status = surety_lenient_feed(reader, bytes, NULL);
    surety_val root = surety_val_none();

    if (status == SURETY_END)
        status = surety_lenient_finish(reader, NULL, NULL);
    else if (status == SURETY_OK)
        status = surety_lenient_snapshot(reader, &root, NULL);
    if (status)
        return status;
    return surety__prefix_step(prefix, root.doc ? root : surety_doc_root(doc),
                               ret_lost);
}

static void write_found(surety_buf *out, const surety__prefix *prefix)
{
    const surety_finding *const found = surety__prefix_finding(prefix);

    surety_buf_text(out, ": ");
    surety_buf_add(out, found->instance_location);
    surety_buf_byte(out, ' ');
    surety_buf_add(out, found->keyword_location);
    surety_buf_byte(out, ' ');
    surety_buf_add(out, found->keyword);
    surety_buf_text(out, " | ");
    surety_buf_add(out, found->message);
}

static void write_grown_one(struct setting *setting, surety_str text,
                            surety_buf *out)
{
    static const struct {
        const char *name;
        unsigned flags;
        size_t bytes; /* of a step */
    } modes[] = {{"strict ", SURETY__PREFIX_STRICT, 1},
                 {"repaired ", 0, 1},
                 {"aligned ", SURETY__PREFIX_ALIGN, 1},
                 {"at once ", SURETY__PREFIX_STRICT, SIZE_MAX}};
    surety_lenient *reader = surety_lenient_new(NULL);

    surety_buf_add(out, text);
    surety_buf_byte(out, '\n');
    for (size_t m = 0; m < sizeof(modes) / sizeof(*modes); m++) {
        const surety__lenient_options how = {.strict = modes[m].flags &
                                                       SURETY__PREFIX_STRICT};
        surety__prefix *prefix = surety__prefix_new(NULL, &setting->limits);
        bool lost = false;
        size_t at = 0;

        surety__prefix_begin(prefix, setting->schema, modes[m].flags);
        if (surety__lenient_begin(reader, setting->doc, &how, NULL))
            golden_die("a text cannot be read", setting->golden->path);
        while (at < text.len && !lost) {
            const size_t left = text.len - at;
            const surety_str bytes = {
                text.ptr + at, left < modes[m].bytes ? left : modes[m].bytes};

            at += bytes.len;
            if (grow(prefix, reader, setting->doc, bytes, &lost))
                break;
        }
        surety_buf_text(out, "  ");
        surety_buf_text(out, modes[m].name);
        if (lost)
            surety_buf_number(out, at);
        else
            surety_buf_byte(out, '-');
        surety_buf_text(out, ", ");
        surety_buf_number(out, prefix->spent);
        if (lost)
            write_found(out, prefix);
        surety_buf_byte(out, '\n');
        surety__prefix_free(prefix);
    }
    surety_lenient_free(reader);
}

static void write_grown(struct setting *setting, surety_buf *out)
{
    surety_str rest = golden_body(setting->golden, "growth");
    surety_str line;

    if (!compile(setting, golden_body(setting->golden, "schema"), out))
        return;
    while (golden_line(&rest, &line))
        write_grown_one(setting, line, out);
}

/* ---- cases --------------------------------------------------------------- */

static const struct expectation {
    const char *kind;
    void (*write)(struct setting *setting, surety_buf *out);
} expectations[] = {
    {"compiled", write_compiled},
    {"asked", write_asked},
    {"grown", write_grown},
};

/* NULL: the section holds no expectation. */
static const struct expectation *
expectation_of(const struct golden_section *section)
{
    for (size_t i = 0; i < sizeof(expectations) / sizeof(*expectations); i++)
        if (golden_is(section, expectations[i].kind))
            return &expectations[i];
    return NULL;
}

static bool run(struct golden *golden)
{
    struct setting setting;

    setting_read(golden, &setting);
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        const struct expectation *expectation = expectation_of(section);

        if (expectation) {
            golden_begin(golden, section);
            expectation->write(&setting, &golden->made);
        } else {
            golden_keep(golden, section);
        }
    }
    setting_done(&setting);
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
