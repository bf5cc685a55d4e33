/* SPDX-License-Identifier: Apache-2.0 */
/* Reports all errors of a contract, not only the first.
 *
 * Reading a contract stops at the first error. So the file is first validated
 * by the schemas of contracts and schemas (surety/contract, then the metaschema
 * of its dialect), which finds every error of form with its position. Then it
 * is read, which adds the first other error (a reference that cannot be
 * resolved, a pattern that is no regular expression, a template with a variable
 * that there is not). Last come the warnings of lint_schema.c and
 * lint_prompt.c, and the keywords that providers do not accept, from
 * lint_strict.c. */
#include "lint.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "library.h"

enum { OFFSETS_MAX = 64 };

/* Returns whether an error at offset was reported before; if not, stores the
 * offset. */
static bool was_reported(struct lint *lint, size_t offset)
{
    const size_t count =
        lint->errors < OFFSETS_MAX ? lint->errors : OFFSETS_MAX;

    for (size_t i = 0; i < count; i++)
        if (lint->offsets[i] == offset)
            return true;
    if (lint->errors < OFFSETS_MAX)
        lint->offsets[lint->errors] = offset;
    return false;
}

static void lint_error(struct lint *lint, const surety_error *error)
{
    const surety_position position = error->position;

    if (position.line > 0 && was_reported(lint, position.offset))
        return;
    lint->errors++;
    cli_report(lint->cli, CODE_USAGE, lint->source, lint->text, error);
}

/* Returns whether as many findings of this kind were shown as one needs to see;
 * counts it. */
static bool was_shown(struct lint *lint, const struct diag *diag)
{
    struct lint_kind *kind = lint->kinds;

    while (kind < lint->kinds + lint->kind_count &&
           (!surety_str_equal(surety_buf_str(&kind->message), diag->message) ||
            !surety_str_equal(surety_buf_str(&kind->keyword), diag->keyword)))
        kind++;
    if (kind == lint->kinds + LINT_KINDS_MAX)
        return false;
    if (kind == lint->kinds + lint->kind_count) {
        *kind = (struct lint_kind){.count = 0};
        surety_buf_init(&kind->keyword, NULL, 0);
        surety_buf_init(&kind->message, NULL, 0);
        surety_buf_add(&kind->keyword, diag->keyword);
        surety_buf_add(&kind->message, diag->message);
        lint->kind_count++;
    }
    return ++kind->count > LINT_SHOWN_MAX && !lint->shows_all;
}

void lint_end(struct lint *lint)
{
    surety_buf *out = &lint->cli->err.buf;

    assert(lint->kind_count <= LINT_KINDS_MAX);
    for (size_t i = 0; i < lint->kind_count; i++) {
        struct lint_kind *kind = &lint->kinds[i];

        if (kind->count > LINT_SHOWN_MAX && !lint->shows_all)
            put_format(out, "%s: %zu more [%.*s]: %.*s (--all shows them)\n",
                       lint->source, kind->count - LINT_SHOWN_MAX,
                       (int)kind->keyword.len, kind->keyword.ptr,
                       (int)kind->message.len, kind->message.ptr);
        surety_buf_done(&kind->keyword);
        surety_buf_done(&kind->message);
    }
    lint->kind_count = 0;
}

void lint_put(struct lint *lint, struct diag *diag)
{
    assert(lint->source);
    diag->source = surety_str_of(lint->source);
    diag->text = lint->text;
    if (diag->level == DIAG_ERROR) {
        lint->errors++;
        cli_raise(lint->cli, CODE_USAGE);
    } else {
        lint->warnings++;
    }
    if (!was_shown(lint, diag))
        diag_write(&lint->cli->err.buf, lint->cli->color, diag);
}

void lint_warn(struct lint *lint, surety_val val, const char *keyword,
               const char *hint, const char *format, ...)
{
    char message[512];
    surety_buf at;
    struct diag diag = {.level = DIAG_WARNING,
                        .position = surety_val_position(val),
                        .keyword = surety_str_of(keyword),
                        .hint = surety_str_of(hint)};
    va_list list;

    va_start(list, format);
    vsnprintf(message, sizeof(message), format, list);
    va_end(list);
    surety_buf_init(&at, NULL, 0);
    surety_val_pointer(val, &at);
    diag.message = surety_str_of(message);
    diag.at = surety_buf_str(&at);
    lint_put(lint, &diag);
    surety_buf_done(&at);
}

/* Reports every failure of the contract against schema. */
static bool check_form(struct lint *lint, const surety_schema *schema)
{
    surety_checker *checker = surety_checker_new(NULL, &lint->cli->limits);
    surety_findings *findings = surety_findings_new(NULL);
    const surety_val root = surety_doc_root(lint->doc);
    const bool is_ready = checker && findings;
    surety_error error;

    if (is_ready && surety_checker_report(checker, schema, root, findings,
                                          &error) == SURETY_OK) {
        for (size_t i = 0; i < surety_findings_count(findings); i++) {
            const surety_finding finding = surety_findings_at(findings, i);
            struct diag diag = {.position =
                                    surety_val_position(finding.instance),
                                .keyword = finding.keyword,
                                .message = finding.message,
                                .at = finding.instance_location,
                                .hint = finding.hint};
            if (!was_reported(lint, diag.position.offset))
                lint_put(lint, &diag);
        }
    }
    surety_findings_free(findings);
    surety_checker_free(checker);
    return is_ready;
}

/* ORDER dialects: the metaschema of each dialect. */
static const char *const metaschemas[] = {
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema"};

/* Returns the dialect that is used for a schema without $schema; 2020-12 if the
 * schema cannot be read. */
static surety_dialect dialect_assumed(surety_val root)
{
    surety_dialect dialect = SURETY_DIALECT_2020_12;
    surety_schema *schema = NULL;

    if (surety_schema_compile(root, NULL, &schema, NULL) == SURETY_OK)
        dialect = surety_schema_info_of(schema)->dialect;
    surety_schema_free(schema);
    return dialect;
}

/* Returns the dialect that $schema declares; 2020-12 for a custom
 * metaschema. */
static surety_dialect dialect_of(surety_val root)
{
    surety_str uri = surety_val_str(surety_val_get(root, "$schema"));

    if (uri.len == 0)
        return dialect_assumed(root);
    for (int i = SURETY_DIALECT_4; i <= SURETY_DIALECT_2020_12; i++) {
        surety_str known = surety_str_of(metaschemas[i]);
        if (known.len > 0 && known.ptr[known.len - 1] == '#')
            known.len--;
        if (uri.len > 0 && uri.ptr[uri.len - 1] == '#')
            uri.len--;
        if (surety_str_equal(uri, known))
            return (surety_dialect)i;
    }
    return SURETY_DIALECT_2020_12;
}

static bool check_metaschema(struct lint *lint)
{
    surety_schema *schema = NULL;
    surety_buf text;
    surety_error error;
    surety_status status;
    bool is_ready = true;

    assert(lint->dialect < COUNT_OF(metaschemas));
    surety_buf_init(&text, NULL, 0);
    put_format(&text, "{\"$ref\":\"%s\"}", metaschemas[lint->dialect]);
    status = surety_schema_read(surety_buf_str(&text), NULL, &schema, &error);
    if (status == SURETY_OK)
        is_ready = check_form(lint, schema);
    surety_schema_free(schema);
    surety_buf_done(&text);
    return is_ready && status != SURETY_NOMEM;
}

bool lint_contract(struct lint *lint)
{
    surety_read_options options = {sizeof(options),
                                   SURETY_READ_BORROW | SURETY_READ_SKIP_BOM,
                                   &lint->cli->limits};
    const surety_contract_options own = {.size = sizeof(own),
                                         .limits = &lint->cli->limits};
    surety_contract *contract = NULL;
    surety_error error;
    surety_status status;
    bool is_done = false;

    lint->doc = surety_doc_new(NULL);
    if (!lint->doc)
        return false;
    status = surety_doc_read(lint->doc, lint->text, &options, &error);
    if (status != SURETY_OK) {
        lint_error(lint, &error);
        is_done = status != SURETY_NOMEM;
        goto done;
    }
    lint->dialect = dialect_of(surety_doc_root(lint->doc));
    if (lint->own && !check_form(lint, lint->own))
        goto done;
    if (!check_metaschema(lint))
        goto done;
    status = surety_contract_read(lint->text, &own, &contract, &error);
    if (status == SURETY_NOMEM)
        goto done;
    if (status != SURETY_OK)
        lint_error(lint, &error);
    lint->warnings += library_warn_duplicates(lint->cli, lint->source,
                                              lint->text, lint->doc, 0);
    lint->schema = contract ? surety_contract_info_of(contract)->schema : NULL;
    is_done = lint_schema(lint) && (!contract || (lint_prompt(lint, contract) &&
                                                  lint_strict(lint, contract)));
done:
    lint->schema = NULL;
    surety_contract_free(contract);
    surety_doc_free(lint->doc);
    lint->doc = NULL;
    return is_done;
}
