/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: checks of a configuration.
 *
 * There are three. First, whether the file itself contains a key: that mistake
 * costs most, and the contract would only report an unknown member. Then the
 * contract surety/config. Then rules for URLs and headers that a schema cannot
 * express well. Every error has its position in the file. No message quotes a
 * text that is long enough to be a key, because people paste such messages
 * into reports. */
#include "config/config.h"

#include <surety/contract.h>

#include "provider/provider.h"

enum { QUOTED_MAX = 15 };

/* Sets the position of an error of the JSON reader or of
 * surety_json_uncomment. */
void surety__config_place(const surety_config *config, surety_error *reterr)
{
    if (reterr && reterr->position.line > 0)
        reterr->position = surety_position_at(
            config->text, reterr->position.offset, reterr->position.length);
}

surety_status surety__config_at(const surety_config *config, surety_val val,
                                surety_error *reterr, surety_status status)
{
    surety_buf path;

    if (!reterr || !val.doc)
        return status;
    reterr->status = status;
    path = surety__buf_over(reterr->path, sizeof(reterr->path));
    surety_val_pointer(val, &path);
    reterr->path[path.status == SURETY_OK ? path.len : 0] = '\0';
    reterr->position = surety_val_position(val);
    surety__config_place(config, reterr);
    return status;
}

/* ---- keys ---------------------------------------------------------------- */

/* Refuses members of object that would contain a key. */
static surety_status check_members(const surety_config *config,
                                   surety_val object, surety_error *reterr)
{
    surety_status status;

    if (surety_val_kind(object) != SURETY_KIND_OBJECT)
        return SURETY_OK;
    SURETY_EACH (val, object) {
        const surety_str name = surety_val_str(surety_val_key(val));
        if (!surety__name_is_secret(name))
            continue;
        status = surety__fail(
            reterr, SURETY_SYNTAX,
            "%.*s: the configuration must not contain a key: it is read, "
            "copied and shared more freely than a key should be",
            (int)name.len, name.ptr);
        surety__hint(reterr, "put it into an environment variable or a file, "
                             "and name that with key_env or key_file");
        return surety__config_at(config, surety_val_key(val), reterr, status);
    }
    return SURETY_OK;
}

/* Refuses keys in the file's object, in its providers and its models. */
static surety_status check_keys(const surety_config *config,
                                surety_error *reterr)
{
    const surety_val root = surety_doc_root(config->doc);
    const surety_val groups[] = {surety_val_get(root, "providers"),
                                 surety_val_get(root, "models")};
    surety_status status = check_members(config, root, reterr);

    for (size_t i = 0; i < 2; i++)
        for (surety_val row = surety_val_first(groups[i]);
             surety_val_kind(groups[i]) == SURETY_KIND_OBJECT && row.doc &&
             status == SURETY_OK;
             row = surety_val_next(groups[i], row))
            status = check_members(config, row, reterr);
    return status;
}

/* ---- the contract -------------------------------------------------------- */

/* Explains the failed pattern of a name, a variable or a price without quoting
 * the text. */
static void check_pattern_message(surety_finding finding, surety_error *reterr)
{
    const surety_str where = finding.absolute_keyword_location;
    const surety_str variable = SURETY__LITERAL("/$defs/variable/");
    const surety_str passed = SURETY__LITERAL("/$defs/passed/");
    const surety_str prices = SURETY__LITERAL("/properties/prices/");
    const surety_str paths = SURETY__LITERAL("/properties/passed_paths/");

    if (surety__str_find(where, variable) < where.len) {
        surety__fail(reterr, SURETY_SYNTAX,
                     "this is no name of an environment variable: capitals, "
                     "digits and underscores");
        surety__hint(reterr, "if it is the key itself, put it into a variable "
                             "such as PROVIDER_API_KEY and name that here");
    } else if (surety__str_find(where, passed) < where.len) {
        surety__fail(reterr, SURETY_SYNTAX,
                     "this is no name of an environment variable: letters, "
                     "digits and underscores");
        surety__hint(reterr, "write only the name here; the value comes "
                             "from the environment");
    } else if (surety__str_find(where, paths) < where.len) {
        surety__fail(reterr, SURETY_SYNTAX,
                     "this is no path that can be passed on: segments of "
                     "letters, digits and -._~:, none of which begins with a "
                     "dot or a colon");
        surety__hint(reterr, "it is below the provider's base_url: \"/files\" "
                             "is that path, \"/files/*\" all paths below it");
    } else if (surety__str_find(where, prices) < where.len) {
        surety__fail(reterr, SURETY_SYNTAX,
                     "a price here is for a model named PROVIDER:MODEL");
        surety__hint(reterr, "write the price of a model of this file into "
                             "that model, as its price");
    } else {
        surety__fail(reterr, SURETY_SYNTAX,
                     "a name here is of letters, digits, dots, hyphens and "
                     "underscores, and begins with a letter or digit");
    }
}

/* Writes the message of a finding. */
static void check_message(surety_finding finding, surety_error *reterr)
{
    const surety_str pattern = SURETY__LITERAL("pattern");
    const surety_str found = surety_val_str(finding.instance);
    char text[160];
    surety_buf wanted = surety__buf_over(text, sizeof(text));

    if (surety_str_equal(finding.keyword, pattern)) {
        check_pattern_message(finding, reterr);
        return;
    }
    if (found.len <= QUOTED_MAX ||
        surety_str_equal(finding.keyword,
                         SURETY__LITERAL("additionalProperties"))) {
        surety__fail(reterr, SURETY_SYNTAX, "%.*s", (int)finding.message.len,
                     finding.message.ptr);
        surety__hint(reterr, "%.*s", (int)finding.hint.len, finding.hint.ptr);
        return;
    }
    surety_val_write(finding.schema, SURETY_STYLE_COMPACT, &wanted);
    surety__fail(reterr, SURETY_SYNTAX,
                 wanted.status == SURETY_OK
                     ? "this text of %zu bytes does not satisfy \"%.*s\": %.*s"
                     : "this text of %zu bytes does not satisfy \"%.*s\"%.*s",
                 found.len, (int)finding.keyword.len, finding.keyword.ptr,
                 wanted.status == SURETY_OK ? (int)wanted.len : 0, text);
}

static surety_status check_contract(const surety_config *config,
                                    surety_error *reterr)
{
    const surety_val root = surety_doc_root(config->doc);
    const surety_schema_options options = {
        .size = sizeof(options), .assert_format = true, .alloc = config->alloc};
    const surety__embedded *own = surety__config_contract;
    surety_schema *schema = NULL;
    surety_checker *checker = surety_checker_new(config->alloc, NULL);
    surety_findings *findings = surety_findings_new(config->alloc);
    surety_finding finding;
    surety_status status;

    if (!checker || !findings) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    status = surety_schema_read((surety_str){own->text, own->len}, &options,
                                &schema, reterr);
    if (status == SURETY_OK)
        status = surety_checker_report(checker, schema, root, findings, reterr);
    if (status != SURETY_OK || surety_findings_count(findings) == 0)
        goto done;
    finding = surety_findings_at(findings, 0);
    if (!finding.keyword.ptr) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    if (reterr)
        check_message(finding, reterr);
    status = surety__config_at(config, finding.instance, reterr, SURETY_SYNTAX);
done:
    surety_findings_free(findings);
    surety_checker_free(checker);
    surety_schema_free(schema);
    return status;
}

surety_status surety__config_check(const surety_config *config,
                                   surety_error *reterr)
{
    const surety_kind kind = surety_val_kind(surety_doc_root(config->doc));
    surety_status status;

    if (kind != SURETY_KIND_OBJECT) {
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "a configuration is an object, and this is %s %s",
                              kind == SURETY_KIND_ARRAY ? "an" : "a",
                              surety_kind_name(kind));
        return surety__config_at(config, surety_doc_root(config->doc), reterr,
                                 status);
    }
    status = check_keys(config, reterr);
    return status == SURETY_OK ? check_contract(config, reterr) : status;
}

/* ---- URLs ---------------------------------------------------------------- */

/* Whether word is in a list of words with blanks between them, ignoring
 * case. */
static bool check_is_listed(surety_str word, const char *list)
{
    while (*list) {
        const size_t len = strcspn(list, " ");

        if (surety__str_equal_nocase(word, (surety_str){list, len}))
            return true;
        list += len + (list[len] == ' ');
    }
    return false;
}

/* Whether a query (from its "?") has a parameter whose name is that of a
 * secret. */
static bool check_query_has_secret(surety_str query)
{
    size_t i = 1;

    while (i < query.len) {
        const size_t start = i;
        while (i < query.len && !memchr("=&#", query.ptr[i], 3))
            i++;
        if (surety__name_is_secret((surety_str){query.ptr + start, i - start}))
            return true;
        while (i < query.len && query.ptr[i] != '&')
            i++;
        i++;
    }
    return false;
}

/* What is wrong with url, or NULL. */
static const char *check_url_fault(surety_str url, const char *schemes)
{
    const surety_str mark = SURETY__LITERAL("://");
    const size_t scheme = surety__str_find(url, mark);
    const size_t host = scheme + mark.len;
    size_t i = host;

    if (host >= url.len ||
        !check_is_listed((surety_str){url.ptr, scheme}, schemes))
        return "does not begin with a scheme that fits";
    for (size_t k = 0; k < url.len; k++)
        if ((unsigned char)url.ptr[k] <= 0x20 || url.ptr[k] == 0x7F ||
            url.ptr[k] == '\\')
            return "holds a character that no URL has";
    while (i < url.len && !memchr("/?#", url.ptr[i], 3)) {
        if (url.ptr[i] == '@')
            return "holds a user or a password";
        i++;
    }
    if (i == host)
        return "names no host";
    while (i < url.len && url.ptr[i] != '?' && url.ptr[i] != '#')
        i++;
    if (check_query_has_secret((surety_str){url.ptr + i, url.len - i}))
        return "holds a key or a password";
    if (memchr(url.ptr + i, '#', url.len - i))
        return "has a fragment";
    return NULL;
}

surety_status surety__config_check_url(const surety_config *config,
                                       surety_val url, const char *schemes,
                                       surety_error *reterr)
{
    const char *fault = check_url_fault(surety_val_str(url), schemes);
    surety_status status;

    if (!fault)
        return SURETY_OK;
    status = surety__fail(reterr, SURETY_SYNTAX, "this URL %s", fault);
    if (strstr(fault, "password"))
        surety__hint(reterr, "the configuration contains neither; a provider "
                             "has key_env and key_file, a proxy HTTPS_PROXY, "
                             "PostgreSQL PGPASSWORD and ~/.pgpass");
    else
        surety__hint(reterr,
                     "a URL is SCHEME://HOST/PATH, with a scheme of: %s",
                     schemes);
    return surety__config_at(config, url, reterr, status);
}

/* ---- headers ------------------------------------------------------------- */

/* Headers that only the protocol or the connection sets. */
static const char check_own_headers[] =
    "host content-length transfer-encoding connection content-type accept "
    "accept-encoding expect upgrade te trailer keep-alive proxy-connection";

static const char *check_header_fault(surety_str name, surety_val value)
{
    const surety_str text = surety_val_str(value);

    if (!surety__is_token(name))
        return "is no name of a header";
    if (check_is_listed(name, check_own_headers) ||
        surety__str_starts_nocase(name, SURETY__LITERAL("x-surety-")))
        return "is a header that is not set here";
    if (surety_val_kind(value) == SURETY_KIND_STRING &&
        surety__header_is_secret(name))
        return "carries a key, which the configuration must not contain";
    return surety__str_find_control(text, false) < text.len
               ? "has a control character in its value"
               : NULL;
}

surety_status surety__config_check_headers(const surety_config *config,
                                           surety_val headers,
                                           surety_error *reterr)
{
    surety_status status;

    if (!headers.doc)
        return SURETY_OK;
    SURETY_EACH (value, headers) {
        const surety_str name = surety_val_str(surety_val_key(value));
        const char *fault = check_header_fault(name, value);
        if (!fault)
            continue;
        status =
            surety__fail(reterr, SURETY_SYNTAX, "\"%.*s\" %s",
                         (int)(name.len < 64 ? name.len : 64), name.ptr, fault);
        if (strstr(fault, "carries"))
            surety__hint(reterr, "write {\"env\": \"VARIABLE\"} or {\"file\": "
                                 "\"PATH\"} as its value");
        return surety__config_at(config, surety_val_key(value), reterr, status);
    }
    return SURETY_OK;
}
