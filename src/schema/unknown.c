/* SPDX-License-Identifier: Apache-2.0 */
/* Unknown keywords: misspelt ones, those of another draft, and those that no
 * dialect knows. JSON Schema ignores them (2020-12 core, section 4.3.1), so a
 * slip accepts everything; they become warnings.
 *
 * Annotations of other tools and names beginning with "x-" get no warning. Only
 * keywords of subschemas that are looked at, in the schema's own document,
 * count. */
#include "schema/compile.h"

/* Annotations that assert nothing and are no mistake, sorted. */
static const char *const unknown_quiet[] = {
    /* JSON Schema's own, of whatever draft, and hyper-schema's. */
    "$anchor", "$comment", "$defs", "$vocabulary", "base", "contentEncoding",
    "contentMediaType", "contentSchema", "deprecated", "description",
    "examples", "links", "media", "readOnly", "title", "writeOnly",
    /* OpenAPI, Gemini. */
    "discriminator", "example", "externalDocs", "propertyOrdering", "xml",
    /* VS Code and JSON Schema Store. */
    "allowComments", "allowTrailingCommas", "defaultSnippets",
    "deprecationMessage", "doNotSuggest", "editPresentation",
    "enumDeprecationMessages", "enumDescriptions", "enumDetails",
    "enumItemLabels", "enumSortTexts", "errorMessage", "markdownDescription",
    "markdownDeprecationMessage", "markdownEnumDescriptions", "order",
    "patternErrorMessage", "private", "scope", "suggestSortText", "tags",
    "version",
    /* Generators of types and their annotations. */
    "customTypes", "defaultProperties", "enumNames", "existingJavaType",
    "goJSONSchema", "javaType", "pyType", "tsEnumNames", "tsType", "typeof",
    /* Forms, fakers, ajv. */
    "$async", "chance", "faker", "headerTemplate", "infoText", "options",
    "propertyOrder", "template", "watch"};

/* What such names begin with: vendors', forms', JSON-LD's, and notes. */
static const char *const unknown_prefixes[] = {"x-", "ui:", "meta:", "@",
                                               "_",  "//",  "$$"};

static bool unknown_is_quiet(surety_str name)
{
    for (size_t i = 0; i < sizeof(unknown_prefixes) / sizeof(*unknown_prefixes);
         i++)
        if (surety__str_starts(name, surety_str_of(unknown_prefixes[i])))
            return true;
    for (size_t i = 0; i < sizeof(unknown_quiet) / sizeof(*unknown_quiet); i++)
        if (surety_str_equal(name, surety_str_of(unknown_quiet[i])))
            return true;
    return false;
}

static const char *unknown_dialect(surety_dialect dialect)
{
    /* ORDER dialects */
    static const char *const names[] = {
        "2020-12", "draft 4", "draft 6", "draft 7", "2019-09", "2020-12", "v1"};

    return names[dialect];
}

/* The keyword of the dialect that was meant, an empty text where none is near:
 * one slip in a short name, two in a long one, or another case. */
static surety_str unknown_meant(surety_str name, surety_dialect dialect)
{
    static const char *const notes[] = {"title", "description", "examples"};
    unsigned least = name.len < 5 ? 1 : 2;
    surety_str best = {NULL, 0};

    for (unsigned i = 1; i < KW_COUNT + 3 && name.len > 2; i++) {
        const surety_str known = i < KW_COUNT
                                     ? surety__keyword_rows[i].name
                                     : surety_str_of(notes[i - KW_COUNT]);
        unsigned distance;

        if (i < KW_COUNT && (dialect < surety__keyword_rows[i].first ||
                             dialect > surety__keyword_rows[i].last))
            continue;
        if (surety__str_equal_nocase(name, known))
            return known;
        distance = surety__str_distance(name, known, least);
        if (distance <= least) {
            best = known;
            least = distance - 1;
        }
    }
    return best;
}

/* Says what is wrong with a name; named: the keyword of other dialects. */
static void unknown_write(surety_str name, surety__keyword named,
                          surety_dialect dialect, surety_buf *message,
                          surety_buf *hint)
{
    const char *draft = unknown_dialect(dialect);
    surety_str meant;

    surety_json_string(message, name);
    if (named != KW_NONE) {
        const surety__keyword_row *row = &surety__keyword_rows[named];

        surety__buf_printf(message, " is not known in %s, so it says nothing",
                           draft);
        if (dialect < row->first)
            surety__buf_printf(hint,
                               "\"$schema\" declares the draft; %s has it",
                               unknown_dialect((surety_dialect)row->first));
        else
            surety__buf_printf(
                hint,
                "\"$schema\" declares the draft; %s was the last to have "
                "it",
                unknown_dialect((surety_dialect)row->last));
        return;
    }
    if (surety_str_equal(name, SURETY__LITERAL("nullable"))) {
        surety_buf_text(message,
                        " is a keyword of OpenAPI 3.0 and says nothing "
                        "in JSON Schema");
        surety_buf_text(hint, "name \"null\" among the types");
        return;
    }
    surety__buf_printf(message,
                       " is no keyword of JSON Schema (%s), so it says nothing",
                       draft);
    meant = unknown_meant(name, dialect);
    if (meant.len)
        surety__buf_printf(hint, "did you mean \"%.*s\"?", (int)meant.len,
                           meant.ptr);
    else
        surety_buf_text(hint, "a keyword of your own begins with \"x-\"");
}

/* Keeps a warning about key; false when out of memory. */
static bool unknown_add(surety_schema *schema, surety_val key,
                        surety__keyword named, surety_dialect dialect)
{
    surety_schema_warning *warning;
    surety_buf message, hint;
    bool added;

    if (schema->info.warning_count == SURETY_SCHEMA_WARNINGS_MAX) {
        schema->info.warnings_left++;
        return true;
    }
    if (!schema->warnings)
        schema->warnings =
            surety__arena_take(&schema->arena, SURETY_SCHEMA_WARNINGS_MAX *
                                                   sizeof(*schema->warnings));
    if (!schema->warnings)
        return false;
    schema->info.warnings = schema->warnings;
    warning = &schema->warnings[schema->info.warning_count++];
    surety_buf_init(&message, schema->alloc, 0);
    surety_buf_init(&hint, schema->alloc, 0);
    unknown_write(surety_val_str(key), named, dialect, &message, &hint);
    *warning = (surety_schema_warning){
        .key = key,
        .message = surety__arena_text(&schema->arena, surety_buf_str(&message)),
        .hint = surety__arena_text(&schema->arena, surety_buf_str(&hint))};
    added = !message.status && !hint.status && warning->message.ptr &&
            warning->hint.ptr;
    surety_buf_done(&message);
    surety_buf_done(&hint);
    return added;
}

bool surety__unknown_note(surety__compiler *compiler)
{
    surety_schema *schema = compiler->schema;
    const surety__shape *shape = compiler->shape;
    const surety_dialect dialect = shape->resource->dialect;

    if (shape->at.doc != schema->root_val.doc)
        return true;
    SURETY_EACH (member, shape->at) {
        const surety_val key = surety_val_key(member);
        const surety_str name = surety_val_str(key);
        const surety__keyword named = surety__keyword_named(name);
        const bool is_false = surety_val_kind(member) == SURETY_KIND_BOOLEAN &&
                              !surety_val_bool(member, true);

        if ((named && surety__keyword_in(named, dialect)) ||
            unknown_is_quiet(name) ||
            (is_false && surety_str_equal(name, SURETY__LITERAL("nullable"))))
            continue;
        if (!unknown_add(schema, key, named, dialect))
            return surety__resolver_starve(&compiler->resolver);
    }
    return true;
}

/* Puts the warnings in the order of the text: shapes are built in the order in
 * which they are referred to. */
void surety__unknown_sort(surety_schema *schema)
{
    for (size_t i = 1; i < schema->info.warning_count; i++)
        for (size_t j = i; j > 0 && schema->warnings[j].key.index <
                                        schema->warnings[j - 1].key.index;
             j--) {
            const surety_schema_warning later = schema->warnings[j];

            schema->warnings[j] = schema->warnings[j - 1];
            schema->warnings[j - 1] = later;
        }
}
