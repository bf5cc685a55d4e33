/* SPDX-License-Identifier: Apache-2.0 */
/* Judges one reply after the other.
 *
 * In every form the value goes to standard output and the report to standard
 * error, so a pipe gets only values, and `2>report` gets only reports. SARIF is
 * one document for the whole command, so its results are collected and written
 * at the end; files that cannot be read become its notifications. */
#include "session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "library.h"
#include "memory.h"
#include "nearest.h"

/* ORDER reports: the choices of --report. */
static const surety_report report_forms[] = {
    SURETY_REPORT_TEXT,  SURETY_REPORT_TEXT,   SURETY_REPORT_JSON,
    SURETY_REPORT_PLAIN, SURETY_REPORT_GITHUB, SURETY_REPORT_SARIF};

/* ORDER repairs: the choices of --repair. */
static const surety_repair repair_levels[] = {
    SURETY_REPAIR_NONE, SURETY_REPAIR_NONE, SURETY_REPAIR_SYNTAX,
    SURETY_REPAIR_ALIGN};

uint64_t tally_invalid(const struct tally *tally)
{
    return tally->invalid[SURETY_STAGE_EXTRACTION] +
           tally->invalid[SURETY_STAGE_JSON_PARSE] +
           tally->invalid[SURETY_STAGE_VALIDATION] + tally->broken;
}

void tally_add(struct tally *tally, const surety_outcome *outcome)
{
    const surety_outcome_info *info = surety_outcome_info_of(outcome);

    tally->replies++;
    if (info->ok)
        tally->valid++;
    else if (info->fallback)
        tally->fallbacks++;
    else
        tally->invalid[info->stage]++;
}

/* ---- preparation -------------------------------------------------------- */

/* Appends a contract's warning in the form of a report's issue. */
static void warning_json(surety_buf *out, const char *source,
                         const surety_issue *issue)
{
    (void)source;
    surety_issue_write(issue, SURETY_REPORT_JSON, NULL, out);
}

/* Appends it as a notification of SARIF 2.1.0 (section 3.58). */
static void warning_sarif(surety_buf *out, const char *source,
                          const surety_issue *issue)
{
    surety_buf text;

    surety_buf_text(out, "{\"level\":\"warning\",\"descriptor\":{\"id\":");
    surety_json_string(out, issue->keyword);
    surety_buf_text(out, "},\"message\":{\"text\":");
    surety_buf_init(&text, NULL, 0);
    surety_buf_add(&text, issue->message);
    if (issue->hint.len > 0) {
        surety_buf_text(&text, "; ");
        surety_buf_add(&text, issue->hint);
    }
    surety_json_string(out, surety_buf_str(&text));
    surety_buf_done(&text);
    surety_buf_text(out, "},\"locations\":[{\"physicalLocation\":{"
                         "\"artifactLocation\":{\"uri\":");
    surety_json_string(out, surety_str_of(source));
    surety_buf_byte(out, '}');
    if (issue->position.line)
        put_format(out, ",\"region\":{\"startLine\":%u,\"startColumn\":%u}",
                   (unsigned)issue->position.line,
                   (unsigned)issue->position.column);
    surety_buf_text(out, "},\"logicalLocations\":[{\"fullyQualifiedName\":");
    surety_json_string(out, issue->keyword_location);
    surety_buf_text(out, "}]}]}");
}

surety_contract *session_contract(struct cli *cli,
                                  const struct session_settings *settings)
{
    const surety_report form = report_forms[settings->report];

    assert((size_t)settings->report < COUNT_OF(report_forms));
    cli->is_github = form == SURETY_REPORT_GITHUB;
    if (settings->quiet)
        cli->no_schema_warnings = true;
    else if (!settings->jsonl && form == SURETY_REPORT_JSON)
        cli->warning_put = warning_json;
    else if (!settings->jsonl && form == SURETY_REPORT_SARIF)
        cli->warning_put = warning_sarif;
    return library_contract(cli, settings->contract);
}

void session_warnings(struct cli *cli, surety_buf *report)
{
    surety_buf *warnings = &cli->warnings;
    const size_t start = report->len;

    if (warnings->len == 0 || report->len == 0 ||
        report->ptr[report->len - 1] != '}')
        return;
    report->len--;
    surety_buf_text(report, ",\"contract_warnings\":[");
    surety_buf_add(report, surety_buf_str(warnings));
    surety_buf_text(report, "]}");
    surety_json_shown(report, start);
    surety_buf_reset(warnings);
}

/* Adds one name of --extract. */
static bool take_place(struct cli *cli, surety_extract *extract,
                       surety_str name)
{
    surety_place place = SURETY_PLACE_NONE;
    struct nearest nearest;
    char hint[128];

    nearest_init(&nearest, name);
    for (int i = SURETY_PLACE_NATIVE; i <= SURETY_PLACE_EMBEDDED; i++) {
        const surety_str known =
            surety_str_of(surety_place_name((surety_place)i));

        nearest_try(&nearest, known);
        if (surety_str_equal(known, name))
            place = (surety_place)i;
    }
    if (place == SURETY_PLACE_NONE) {
        return cli_usage(cli, nearest_hint(&nearest, "", hint, sizeof(hint)),
                         "--extract knows no place \"%.*s\"", (int)name.len,
                         name.ptr);
    }
    for (size_t i = 0; i < extract->from_count; i++) {
        if (extract->from[i] == place)
            return cli_usage(cli, "leave one of them out",
                             "--extract lists %s twice",
                             surety_place_name(place));
    }
    assert(extract->from_count < COUNT_OF(extract->from));
    extract->from[extract->from_count++] = place;
    return true;
}

static bool take_places(struct cli *cli, surety_extract *extract,
                        const char *list)
{
    extract->from_count = 0;
    for (;;) {
        const size_t len = strcspn(list, ",");
        if (!take_place(cli, extract, (surety_str){list, len}))
            return false;
        if (list[len] == '\0')
            return true;
        list += len + 1;
    }
}

/* Takes one name of --forms away from those that are not read. */
static bool take_form(struct cli *cli, surety_extract *extract, surety_str name)
{
    struct nearest nearest;
    char hint[128];

    nearest_init(&nearest, name);
    for (unsigned i = 0; i < SURETY_FORMS; i++) {
        const surety_str known =
            surety_str_of(surety_form_name((surety_form)i));

        nearest_try(&nearest, known);
        if (surety_str_equal(known, name)) {
            extract->forms_off &= ~(1u << i);
            return true;
        }
    }
    return cli_usage(cli, nearest_hint(&nearest, "", hint, sizeof(hint)),
                     "--forms knows no form \"%.*s\"", (int)name.len, name.ptr);
}

static bool take_forms(struct cli *cli, surety_extract *extract,
                       const char *list)
{
    extract->forms_off = (1u << SURETY_FORMS) - 1;
    if (strcmp(list, "none") == 0)
        return true;
    for (;;) {
        const size_t len = strcspn(list, ",");

        if (!take_form(cli, extract, (surety_str){list, len}))
            return false;
        if (list[len] == '\0')
            return true;
        list += len + 1;
    }
}

static bool session_look(struct session *session)
{
    const struct session_settings *settings = session->settings;
    surety_extract *extract = &session->extract;
    surety_extract *native = &session->extract_native;
    bool has_native = false;

    *extract = *surety_contract_info_of(session->contract)->extract;
    extract->size = sizeof(*extract);
    if (settings->extract &&
        !take_places(session->cli, extract, settings->extract))
        return false;
    if (settings->forms && !take_forms(session->cli, extract, settings->forms))
        return false;
    if (settings->pick)
        extract->pick_last = settings->pick == 2;
    if (settings->keep_reasoning)
        extract->keep_reasoning = true;
    if (settings->marker)
        extract->marker = surety_str_of(settings->marker);
    for (size_t i = 0; i < extract->from_count; i++) {
        has_native |= extract->from[i] == SURETY_PLACE_NATIVE;
        if (extract->from[i] == SURETY_PLACE_MARKER && settings->extract &&
            extract->marker.len == 0)
            return cli_usage(
                session->cli, "give the text with --marker",
                "--extract names the place marker, but no marker is set");
    }
    *native = *extract;
    if (extract->from_count > 0 && !has_native) {
        for (size_t i = extract->from_count; i > 0; i--)
            native->from[i] = native->from[i - 1];
        native->from[0] = SURETY_PLACE_NATIVE;
        native->from_count++;
    }
    return true;
}

static bool session_variables(struct session *session)
{
    const struct texts *given = &session->settings->variables;

    session->variables = calloc(given->count + 1, sizeof(surety_variable));
    if (!session->variables)
        return cli_nomem(session->cli);
    for (size_t i = 0; i < given->count; i++) {
        const char *equals = strchr(given->items[i], '=');
        if (!equals || equals == given->items[i])
            return cli_usage(session->cli, "write --var name=value",
                             "--var %s has no name and \"=\"", given->items[i]);
        session->variables[i].name =
            (surety_str){given->items[i], (size_t)(equals - given->items[i])};
        session->variables[i].value = surety_str_of(equals + 1);
    }
    session->options.variables = session->variables;
    session->options.variables_count = given->count;
    return true;
}

bool session_init(struct session *session, struct cli *cli,
                  const struct session_settings *settings,
                  const surety_contract *contract)
{
    assert(contract);
    *session = (struct session){.cli = cli,
                                .settings = settings,
                                .contract = contract,
                                .limits = cli->limits};
    surety_buf_init(&session->results, NULL, 0);
    surety_buf_init(&session->notifications, NULL, 0);
    session->style =
        settings->style == STYLE_PRETTY ||
                (settings->style == STYLE_UNSET && isatty(cli->out.fd))
            ? SURETY_STYLE_PRETTY
            : SURETY_STYLE_COMPACT;
    session->options.size = sizeof(session->options);
    session->options.extract = &session->extract;
    session->options.no_fallback =
        settings->no_fallback || settings->retry_prompt;
    session->options.derive = settings->derive;
    session->options.certain_only = settings->certain;
    session->options.partial = settings->partial;
    if (settings->repair) {
        assert((size_t)settings->repair < COUNT_OF(repair_levels));
        session->repair = repair_levels[settings->repair];
        session->options.repair = &session->repair;
    }
    if (!session_look(session) || !session_variables(session))
        return false;
    if (settings->native && !settings->stream &&
        !cli_read(cli, settings->native, input_text(&session->limits),
                  CODE_INVALID, &session->native))
        return false;
    if (!cli_text(cli, settings->prompt, false, &session->prompt,
                  &session->prompt_read) ||
        !validator_bounds_read(&session->bounds, cli, &settings->validator))
        return false;
    if (validators_init(&session->validators, &settings->validator,
                        &session->bounds))
        return cli_nomem(cli);
    session->options.validators = session->validators.list;
    session->options.validator_count = session->validators.count;
    session->judge = surety_judge_new(&memory_large, &session->limits);
    if (!session->judge)
        cli_nomem(cli);
    return session->judge != NULL;
}

/* ---- reports ------------------------------------------------------------ */

surety_report session_form(const struct session *session)
{
    const surety_report form = report_forms[session->settings->report];

    return form == SURETY_REPORT_TEXT && session->cli->color
               ? SURETY_REPORT_COLOR
               : form;
}

void session_failure(struct session *session, int code, const char *source,
                     const surety_error *error)
{
    surety_buf *out = &session->notifications;
    surety_buf text;

    if (session_form(session) != SURETY_REPORT_SARIF ||
        session->settings->quiet) {
        cli_report(session->cli, code, source, NO_TEXT, error);
        return;
    }
    cli_raise(session->cli, code);
    surety_buf_init(&text, NULL, 0);
    put_format(&text, "%s: %s", source, error->message);
    if (out->len > 0)
        surety_buf_byte(out, ',');
    surety_buf_text(out, "{\"level\":\"error\",\"message\":{\"text\":");
    surety_json_string(out, surety_buf_str(&text));
    surety_buf_text(out, "}}");
    surety_buf_done(&text);
}

/* Writes the SARIF document. SARIF 2.1.0, sections 3.13 (log), 3.14 (run), 3.20
 * (invocation). */
static void session_sarif(struct session *session)
{
    surety_buf *out = &session->cli->err.buf;
    const size_t start = out->len;
    const bool is_whole = session->notifications.len == 0;

    put_format(out,
               "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
               "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{"
               "\"name\":\"surety\",\"version\":\"%s\"}},"
               "\"columnKind\":\"unicodeCodePoints\","
               "\"invocations\":[{\"executionSuccessful\":%s",
               surety_version(), is_whole ? "true" : "false");
    surety_buf_text(out, ",\"toolExecutionNotifications\":[");
    surety_buf_add(out, surety_buf_str(&session->notifications));
    surety_buf_text(out, "],\"toolConfigurationNotifications\":[");
    surety_buf_add(out, surety_buf_str(&session->cli->warnings));
    surety_buf_text(out, "]}],\"results\":[");
    surety_buf_add(out, surety_buf_str(&session->results));
    surety_buf_text(out, "]}]}\n");
    surety_json_shown(out, start);
}

/* For --verbose: writes the result and what it is based on. */
static void put_verbose(const struct session *session,
                        const surety_outcome *outcome, const char *source,
                        surety_buf *out)
{
    const surety_outcome_info *info = surety_outcome_info_of(outcome);

    put_safe(out, surety_str_of(source));
    surety_buf_text(out, info->ok ? ": valid" : ": invalid");
    surety_buf_text(out, ", contract ");
    surety_buf_add(out, surety_contract_info_of(session->contract)->id);
    if (info->candidate.doc)
        put_format(out, ", place %s", surety_place_name(info->place));
    surety_buf_text(out, "; formats were asserted\n");
}

/* Writes a line that the value is partial, so that users of text reports do not
 * overlook it. */
static void put_partial(const surety_outcome *outcome, const char *source,
                        bool color, surety_buf *out)
{
    const surety_str open = surety_outcome_info_of(outcome)->open;
    const surety_issue_form form = {
        .size = sizeof(form), .source = surety_str_of(source), .warning = true};
    surety_issue issue = {.keyword = surety_str_of("partial")};
    surety_buf message;

    surety_buf_init(&message, NULL, 0);
    surety_buf_text(&message, "the reply was cut off; this is what there is of "
                              "its value, which goes on at ");
    if (open.len > 0)
        surety_buf_add(&message, open);
    else
        surety_buf_text(&message, "its root");
    issue.message = surety_buf_str(&message);
    surety_issue_write(&issue, color ? SURETY_REPORT_COLOR : SURETY_REPORT_TEXT,
                       &form, out);
    surety_buf_done(&message);
}

void session_report(struct session *session, const surety_outcome *outcome,
                    const char *source)
{
    const surety_report form = session_form(session);
    const bool is_sarif = form == SURETY_REPORT_SARIF;
    surety_buf *out = is_sarif ? &session->results : &session->cli->err.buf;
    const size_t start = out->len;

    if (session->settings->quiet)
        return;
    if (is_sarif && start > 0)
        surety_buf_byte(out, ',');
    surety_outcome_write(outcome, form, surety_str_of(source), 0, out);
    if (surety_outcome_info_of(outcome)->partial &&
        (form == SURETY_REPORT_TEXT || form == SURETY_REPORT_COLOR))
        put_partial(outcome, source, session->cli->color, out);
    if (session->settings->verbose &&
        (form == SURETY_REPORT_TEXT || form == SURETY_REPORT_COLOR))
        put_verbose(session, outcome, source, out);
    if (form == SURETY_REPORT_JSON) {
        session_warnings(session->cli, out);
        surety_buf_byte(out, '\n');
    }
    /* A valid reply adds no results, so the comma before them is removed. */
    if (is_sarif && start > 0 && out->len == start + 1)
        out->len = start;
}

/* ---- values ------------------------------------------------------------- */

/* With --derive: appends the value and its derived members as one object. */
static void put_derived(const surety_outcome *outcome, surety_style style,
                        surety_buf *out)
{
    const surety_val derived = surety_outcome_info_of(outcome)->derived;
    surety_doc *doc = surety_doc_new(NULL);
    surety_error error;

    if (doc) {
        surety_build_begin(doc, NULL);
        surety_build_object(doc);
        surety_build_name(doc, "value");
        surety_build_val(doc, surety_outcome_info_of(outcome)->value);
        surety_build_name(doc, "derived");
        if (derived.doc)
            surety_build_val(doc, derived);
        else
            surety_build_null(doc);
        surety_build_close(doc);
    }
    if (!doc || surety_build_end(doc, &error) != SURETY_OK)
        out->status = SURETY_NOMEM;
    else
        surety_val_write(surety_doc_root(doc), style, out);
    surety_doc_free(doc);
}

bool session_put(const struct session *session, const surety_outcome *outcome,
                 surety_style style, surety_buf *out)
{
    const surety_outcome_info *info = surety_outcome_info_of(outcome);

    if (info->ok || info->fallback) {
        if (session->settings->derive)
            put_derived(outcome, style, out);
        else
            surety_val_write(info->value, style, out);
        return true;
    }
    if (session->settings->not_strict)
        surety_buf_text(out, "null");
    return session->settings->not_strict;
}

void session_value(struct session *session, const surety_outcome *outcome)
{
    surety_buf *out = &session->cli->out.buf;
    const size_t start = out->len;

    if (!session_put(session, outcome, session->style, out)) {
        cli_raise(session->cli, CODE_INVALID);
        return;
    }
    output_json(&session->cli->out, start);
    surety_buf_byte(out, '\n');
}

/* Writes the prompt of a re-ask after a reply that failed. */
static void session_again(struct session *session,
                          const surety_outcome *outcome, surety_str reply)
{
    static const surety_feedback feedbacks[] = {
        SURETY_FEEDBACK_SIMPLE, SURETY_FEEDBACK_ERRORS, SURETY_FEEDBACK_PATCH};
    const surety_prompt_options options = {
        .size = sizeof(options), .native = session->settings->native != NULL};
    const int choice = session->settings->retry_prompt;
    surety_error error;
    const surety_status status = surety_prompt_again(
        session->contract, session->prompt,
        choice > 1 ? feedbacks[choice - 2]
                   : surety_contract_info_of(session->contract)->feedback,
        outcome, reply, &options, &session->cli->out.buf, &error);

    assert(choice > 0 && (size_t)choice <= COUNT_OF(feedbacks) + 1);
    cli_raise(session->cli, CODE_INVALID);
    if (status != SURETY_OK)
        cli_report(session->cli, cli_code_of(status, CODE_USAGE),
                   session->settings->contract, NO_TEXT, &error);
}

int session_code(const struct session *session, surety_status status)
{
    return session->validators.has_failed ? CODE_WORLD
                                          : cli_code_of(status, CODE_INVALID);
}

bool session_reply(struct session *session, const char *source,
                   surety_str reply)
{
    const surety_outcome *outcome = NULL;
    struct cli *cli = session->cli;
    surety_error error;
    surety_status status;
    bool is_bad;

    session->options.native = session->native;
    session->options.extract = session->settings->native
                                   ? &session->extract_native
                                   : &session->extract;
    session->validators.has_failed = false;
    status = surety_judge_reply(session->judge, session->contract, reply,
                                &session->options, &outcome, &error);
    if (status != SURETY_OK) {
        session_failure(session, session_code(session, status), source, &error);
    } else {
        if (surety_outcome_info_of(outcome)->place == SURETY_PLACE_NATIVE &&
            session->settings->native)
            source = input_name(session->settings->native);
        session_report(session, outcome, source);
        if (session->settings->retry_prompt &&
            !surety_outcome_info_of(outcome)->ok)
            session_again(session, outcome, reply);
        else
            session_value(session, outcome);
    }
    is_bad =
        status != SURETY_OK || (!surety_outcome_info_of(outcome)->ok &&
                                !surety_outcome_info_of(outcome)->fallback);
    output_flush(&cli->err);
    if (!output_flush(&cli->out))
        return false;
    return status != SURETY_NOMEM && !(is_bad && session->settings->first);
}

static bool session_file(struct session *session, const char *path)
{
    surety_str reply = {NULL, 0};
    surety_error error;
    surety_status status;
    bool goes_on;

    if (!session->settings->quiet)
        cli_invite(session->cli, path, "the reply");
    status = input_read(path, input_text(&session->limits), &reply, &error);
    if (status != SURETY_OK) {
        session_failure(session, cli_code_of(status, CODE_INVALID),
                        input_name(path), &error);
        return !session->settings->first;
    }
    goes_on = session_reply(session, input_name(path), reply);
    free((char *)reply.ptr);
    return goes_on;
}

void session_files(struct session *session, const struct operands *files)
{
    if (files->count == 0 && session->settings->native) {
        session_reply(session, "reply", NO_TEXT);
        return;
    }
    if (files->count == 0)
        session_file(session, "-");
    for (size_t i = 0; i < files->count; i++)
        if (!session_file(session, files->items[i]))
            return;
}

void session_done(struct session *session)
{
    if (session->judge && !session->settings->quiet &&
        !session->settings->jsonl &&
        session_form(session) == SURETY_REPORT_SARIF)
        session_sarif(session);
    surety_buf_done(&session->results);
    surety_buf_done(&session->notifications);
    surety_judge_free(session->judge);
    validators_done(&session->validators);
    validator_bounds_done(&session->bounds);
    free((char *)session->native.ptr);
    free(session->prompt_read);
    free(session->variables);
}
