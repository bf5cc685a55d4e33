/* SPDX-License-Identifier: Apache-2.0 */
/* surety validate: validates JSON files by a JSON Schema. No document is ever
 * fetched: a reference is resolved in the schema itself, in a metaschema, or in
 * a document given with --resolve, which is found by the URI given for it or by
 * its own $id. Unlike check, it prints no value, because a valid instance is
 * its own value. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "input.h"
#include "library.h"

enum output_choice { OUTPUT_UNSET, OUTPUT_FLAG, OUTPUT_BASIC, OUTPUT_DETAILED };

struct validate_settings {
    int output;  /* enum output_choice */
    int dialect; /* the choices of --dialect, from 1 */
    bool assert_format, jsonl, quiet, verbose, first;
    struct texts resolve;
};

SETTINGS_FIT(struct validate_settings);
#define AT(member) offsetof(struct validate_settings, member)

const struct option_row validate_options[] = {
    SECTION("Schema"),
    TEXTS("resolve", 'r', AT(resolve), "URI=FILE",
          "the document for URI in references; it is found by its own $id too; "
          "may be given again. Nothing is fetched from the network"),
    CHOICE("dialect", 0, AT(dialect), "4|6|7|2019-09|2020-12",
           "draft of JSON Schema where $schema does not say; 2020-12 unless "
           "given"),
    FLAG("assert-format", 0, AT(assert_format),
         "a value that does not have the format of \"format\" is invalid, as "
         "in contracts (surety check); without it \"format\" is an annotation"),
    SECTION("Output"),
    CHOICE("output", 'o', AT(output), "flag|basic|detailed",
           "print one JSON object an instance to standard output, in this "
           "output format of JSON Schema, instead of text on standard error"),
    COLOR,
    FLAG("quiet", 'q', AT(quiet),
         "no text; only failures of the tool itself and the exit code"),
    FLAG("verbose", 'v', AT(verbose),
         "say of each instance whether it is valid, and whether \"format\" was "
         "asserted"),
    SECTION("Many instances"),
    FLAG("jsonl", 0, AT(jsonl),
         "each line of an INSTANCE file is an instance; empty lines are passed "
         "over"),
    FLAG("first", 0, AT(first), "stop at the first instance that is invalid"),
    OPTION_END};

/* A document of --resolve, for references. */
struct resource {
    surety_str uri;
    surety_str text;
    surety_doc *doc;
};

struct validator {
    struct cli *cli;
    const struct validate_settings *settings;
    const char *schema_path;
    surety_limits limits;
    struct resource *resources;
    size_t resource_count;
    bool is_unresolved; /* a reference could not be resolved */
    surety_schema *schema;
    surety_checker *checker;
    surety_findings *findings;
    surety_doc *doc; /* the instance */
};

/* ---- the schema --------------------------------------------------------- */

/* Returns the URI without an empty fragment, which schemas of draft 7 and
 * before may have in $id. */
static surety_str without_fragment(surety_str uri)
{
    if (uri.len > 0 && uri.ptr[uri.len - 1] == '#')
        uri.len--;
    return uri;
}

/* Returns whether uri equals `given`, or, if given is relative, ends with a
 * slash and given. */
static bool uri_matches(surety_str uri, surety_str given)
{
    const bool is_absolute = memchr(given.ptr, ':', given.len) != NULL;

    given = without_fragment(given);
    if (surety_str_equal(uri, given))
        return true;
    return !is_absolute && given.len > 0 && uri.len > given.len &&
           uri.ptr[uri.len - given.len - 1] == '/' &&
           memcmp(uri.ptr + uri.len - given.len, given.ptr, given.len) == 0;
}

static surety_status resolve_uri(void *ctx, surety_str uri, surety_val *ret_val)
{
    struct validator *validator = ctx;

    for (size_t i = 0; i < validator->resource_count; i++) {
        const struct resource *resource = &validator->resources[i];
        const surety_val root = surety_doc_root(resource->doc);
        const surety_val old = surety_val_get(root, "id");
        const surety_val own = surety_val_get(root, "$id");
        const surety_str id = surety_val_str(own.doc ? own : old);
        if (uri_matches(uri, resource->uri) ||
            (id.len > 0 && surety_str_equal(uri, without_fragment(id)))) {
            *ret_val = root;
            return SURETY_OK;
        }
    }
    validator->is_unresolved = true;
    return SURETY_END;
}

static bool read_resource(struct validator *validator, const char *given)
{
    struct resource *resource =
        &validator->resources[validator->resource_count];
    const char *equals = strrchr(given, '=');
    const surety_read_options options = {
        sizeof(options), SURETY_READ_BORROW | SURETY_READ_SKIP_BOM,
        &validator->limits};
    surety_error error;

    if (!equals || equals == given)
        return cli_usage(validator->cli, "write --resolve URI=FILE",
                         "--resolve %s has no URI and \"=\"", given);
    resource->uri = (surety_str){given, (size_t)(equals - given)};
    if (!cli_read(validator->cli, equals + 1, input_schema(&validator->limits),
                  CODE_USAGE, &resource->text))
        return false;
    validator->resource_count++;
    resource->doc = surety_doc_new(NULL);
    if (!resource->doc)
        return cli_nomem(validator->cli);
    return surety_doc_read(resource->doc, resource->text, &options, &error) ==
               SURETY_OK ||
           cli_report(validator->cli, CODE_USAGE, input_name(equals + 1),
                      resource->text, &error);
}

static bool read_schema(struct validator *validator)
{
    const struct validate_settings *settings = validator->settings;
    surety_schema_options options = {.size = sizeof(options),
                                     .limits = &validator->limits};
    surety_str text = {NULL, 0};
    surety_error error;
    surety_status status;

    validator->resources =
        calloc(settings->resolve.count + 1, sizeof(struct resource));
    if (!validator->resources)
        return cli_nomem(validator->cli);
    for (size_t i = 0; i < settings->resolve.count; i++)
        if (!read_resource(validator, settings->resolve.items[i]))
            return false;
    /* ORDER dialects: the choices have the numbers of the enum. */
    options.dialect = (surety_dialect)settings->dialect;
    options.assert_format = settings->assert_format;
    options.resolve = resolve_uri;
    options.resolve_ctx = validator;
    status = input_read(validator->schema_path,
                        input_schema(&validator->limits), &text, &error);
    if (status == SURETY_OK)
        status = surety_schema_read(text, &options, &validator->schema, &error);
    if (status == SURETY_SYNTAX && validator->is_unresolved)
        snprintf(error.hint, sizeof(error.hint),
                 "nothing is fetched; give it with --resolve URI=FILE");
    if (status != SURETY_OK)
        cli_report(validator->cli, cli_code_of(status, CODE_USAGE),
                   input_name(validator->schema_path), text, &error);
    else if (!settings->quiet)
        library_warn(validator->cli, input_name(validator->schema_path),
                     validator->schema);
    free((char *)text.ptr);
    return status == SURETY_OK;
}

/* ---- one instance ------------------------------------------------------- */

/* The source of an instance: a file, or, if line is not 0, one line of it. */
struct instance {
    const char *source;
    surety_str text;
    uint32_t line;
};

/* Writes a JSON error or an exceeded limit in the chosen form. */
static void put_failure(struct validator *validator,
                        const struct instance *instance,
                        const surety_error *error)
{
    struct cli *cli = validator->cli;
    surety_buf *out = &cli->out.buf;
    struct diag diag = {.source = surety_str_of(instance->source),
                        .text = instance->text,
                        .position = error->position,
                        .line_shown = instance->line,
                        .keyword = surety_str_of(error->status == SURETY_SYNTAX
                                                     ? "json_parse"
                                                     : "limit"),
                        .message = surety_str_of(error->message),
                        .hint = surety_str_of(error->hint)};

    if (validator->settings->output > OUTPUT_FLAG) {
        surety_buf_text(out, "{\"valid\":false,\"errors\":[{"
                             "\"keywordLocation\":\"\","
                             "\"instanceLocation\":\"\",\"error\":");
        surety_json_string(out, diag.message);
        surety_buf_text(out, "}]}\n");
    } else if (validator->settings->output == OUTPUT_FLAG) {
        surety_buf_text(out, "{\"valid\":false}\n");
    } else if (!validator->settings->quiet) {
        diag_write(&cli->err.buf, cli->color, &diag);
    }
}

static void put_findings(struct validator *validator,
                         const struct instance *instance)
{
    struct cli *cli = validator->cli;
    surety_buf subject;

    surety_buf_init(&subject, NULL, 0);
    put_format(&subject, "schema %s", input_name(validator->schema_path));
    for (size_t i = 0; i < surety_findings_count(validator->findings); i++) {
        const surety_finding finding =
            surety_findings_at(validator->findings, i);
        const struct diag diag = {.source = surety_str_of(instance->source),
                                  .text = instance->text,
                                  .position =
                                      surety_val_position(finding.instance),
                                  .line_shown = instance->line,
                                  .keyword = finding.keyword,
                                  .message = finding.message,
                                  .at = finding.instance_location,
                                  .subject = surety_buf_str(&subject),
                                  .location = finding.absolute_keyword_location,
                                  .hint = finding.hint};

        diag_write(&cli->err.buf, cli->color, &diag);
    }
    if (surety_findings_truncated(validator->findings))
        put_format(&cli->err.buf, "%s: more errors are not shown\n",
                   instance->source);
    surety_buf_done(&subject);
}

/* Writes the result of a checked instance in the chosen form. */
static surety_status put_result(struct validator *validator, bool is_valid,
                                const struct instance *instance,
                                surety_error *error)
{
    const int output = validator->settings->output;
    const surety_val root = surety_doc_root(validator->doc);
    const bool is_text = output == OUTPUT_UNSET && !validator->settings->quiet;
    surety_status status = SURETY_OK;

    if (!is_valid && (output > OUTPUT_FLAG || is_text))
        status = surety_checker_report(validator->checker, validator->schema,
                                       root, validator->findings, error);
    if (status != SURETY_OK)
        return status;
    if (output != OUTPUT_UNSET) {
        /* ORDER outputs: the choices begin at 1, the enum at 0. */
        surety_findings_write(validator->findings, is_valid,
                              (surety_output)(output - 1),
                              &validator->cli->out.buf);
        surety_buf_byte(&validator->cli->out.buf, '\n');
    } else if (!is_valid && is_text) {
        put_findings(validator, instance);
    }
    if (is_text && validator->settings->verbose) {
        put_safe(&validator->cli->err.buf, surety_str_of(instance->source));
        if (validator->settings->jsonl)
            put_format(&validator->cli->err.buf, ":%u", instance->line);
        put_format(&validator->cli->err.buf, ": %s; \"format\" was %s\n",
                   is_valid ? "valid" : "invalid",
                   validator->settings->assert_format
                       ? "asserted"
                       : "an annotation (--assert-format asserts it)");
    }
    return SURETY_OK;
}

/* Gives whether the bytes satisfy the schema. A document is needed only for
 * messages: about errors, or about duplicate keys. */
static surety_status instance_is_valid(struct validator *validator,
                                       surety_str text, bool *ret_is_valid,
                                       surety_error *reterr)
{
    const surety_read_options options = {
        sizeof(options), SURETY_READ_BORROW | SURETY_READ_SKIP_BOM,
        &validator->limits};
    surety_status status;

    if (validator->settings->quiet)
        return surety_checker_check_text(validator->checker, validator->schema,
                                         text, &options, ret_is_valid, reterr);
    status = surety_doc_read(validator->doc, text, &options, reterr);
    if (status == SURETY_OK)
        status = surety_checker_check(validator->checker, validator->schema,
                                      surety_doc_root(validator->doc),
                                      ret_is_valid, reterr);
    return status;
}

/* False: stop. */
static bool check_instance(struct validator *validator,
                           const struct instance *instance)
{
    struct cli *cli = validator->cli;
    bool is_valid = false;
    surety_error error;
    surety_status status =
        instance_is_valid(validator, instance->text, &is_valid, &error);

    if (status == SURETY_OK && !validator->settings->quiet)
        library_warn_duplicates(cli, instance->source, instance->text,
                                validator->doc, instance->line);
    if (status == SURETY_OK)
        status = put_result(validator, is_valid, instance, &error);
    if (status == SURETY_NOMEM)
        cli_nomem(cli);
    else if (status != SURETY_OK)
        put_failure(validator, instance, &error);
    if (!is_valid)
        cli_raise(cli, CODE_INVALID);
    return status != SURETY_NOMEM && output_pace(&cli->out) &&
           (is_valid || !validator->settings->first);
}

/* ---- instances ---------------------------------------------------------- */

static bool validate_file(struct validator *validator, const char *path)
{
    struct instance instance = {input_name(path), {NULL, 0}, 0};
    bool goes_on;

    if (!cli_read(validator->cli, path, input_text(&validator->limits),
                  CODE_INVALID, &instance.text))
        return !validator->settings->first;
    goes_on = check_instance(validator, &instance);
    free((char *)instance.text.ptr);
    return goes_on;
}

/* Checks each line of a batch. */
static bool validate_batch(struct validator *validator,
                           struct instance *instance,
                           const struct batch_text *batch)
{
    surety_str rest = {batch->ptr, batch->len};
    bool goes_on = true;
    surety_error error;

    while (rest.len > 0 && goes_on) {
        instance->line++;
        instance->text = cli_line(&rest);
        while (instance->text.len > 0 &&
               memchr("\r\t ", instance->text.ptr[instance->text.len - 1], 3))
            instance->text.len--;
        if (batch->is_overlong) {
            input_overlong(validator->limits.text_bytes_max, &error);
            instance->text.len = 0;
            error.position = (surety_position){0, 0, instance->line, 1};
            put_failure(validator, instance, &error);
            cli_raise(validator->cli, CODE_INVALID);
            goes_on = !validator->settings->first;
        } else if (instance->text.len > 0) {
            goes_on = check_instance(validator, instance);
        }
    }
    return goes_on && output_flush(&validator->cli->out) &&
           (output_flush(&validator->cli->err) || true);
}

static bool validate_lines(struct validator *validator, const char *path)
{
    struct instance instance = {input_name(path), {NULL, 0}, 0};
    struct batch_text batch = {.ptr = NULL};
    struct lines lines;
    surety_error error;
    surety_status status;
    bool goes_on = true;
    const int fd = input_open(path, &error);

    if (fd < 0) {
        cli_report(validator->cli, CODE_WORLD, instance.source, instance.text,
                   &error);
        return !validator->settings->first;
    }
    lines_init(&lines, fd, path, validator->limits.text_bytes_max);
    while (goes_on &&
           (status = lines_read(&lines, &batch, &error)) != SURETY_END) {
        if (status != SURETY_OK) {
            cli_report(validator->cli, CODE_WORLD, instance.source, NO_TEXT,
                       &error);
            break;
        }
        goes_on = validate_batch(validator, &instance, &batch);
    }
    lines_done(&lines);
    batch_text_done(&batch);
    input_close(fd);
    return goes_on;
}

static void validate_instances(struct validator *validator,
                               const struct operands *operands)
{
    bool goes_on = true;

    for (size_t i = 1; i < operands->count && goes_on; i++) {
        const char *path = operands->items[i];
        output_flush(&validator->cli->err);
        if (!validator->settings->quiet)
            cli_invite(validator->cli, path, "the instance");
        goes_on = validator->settings->jsonl ? validate_lines(validator, path)
                                             : validate_file(validator, path);
        output_flush(&validator->cli->out);
        output_flush(&validator->cli->err);
    }
}

static void validator_done(struct validator *validator)
{
    surety_schema_free(validator->schema);
    surety_checker_free(validator->checker);
    surety_findings_free(validator->findings);
    surety_doc_free(validator->doc);
    for (size_t i = 0; i < validator->resource_count; i++) {
        surety_doc_free(validator->resources[i].doc);
        free((char *)validator->resources[i].text.ptr);
    }
    free(validator->resources);
}

void validate_run(struct cli *cli, const void *settings,
                  const struct operands *operands)
{
    struct validator validator = {.cli = cli, .settings = settings};

    if (operands->count < 2) {
        cli_usage(cli, "write - for standard input",
                  operands->count == 0 ? "name a schema and an instance"
                                       : "name an instance after the schema");
        return;
    }
    validator.schema_path = operands->items[0];
    validator.limits = cli->limits;
    validator.checker = surety_checker_new(NULL, &validator.limits);
    validator.findings = surety_findings_new(NULL);
    validator.doc = surety_doc_new(NULL);
    if (!validator.checker || !validator.findings || !validator.doc)
        cli_nomem(cli);
    else if (read_schema(&validator))
        validate_instances(&validator, operands);
    validator_done(&validator);
}
