/* SPDX-License-Identifier: Apache-2.0 */
/* surety check: reads replies and writes values. This file has the command's
 * options and the rules about which of them can be combined. session.c judges
 * replies one by one, batch.c judges the records of a stream, stream.c judges
 * one reply while it arrives. */
#include "commands.h"

#include <string.h>

#include "batch.h"
#include "record.h"
#include "session.h"
#include "stream.h"

#define AT(member) offsetof(struct session_settings, member)

const struct option_row check_options[] = {
    SECTION("Contract"),
    TEXT("contract", 'c', AT(contract), "CONTRACT",
         "what the value must satisfy: " CONTRACT_IS),
    SESSION_ROWS_LOOK,
    SESSION_ROWS_PARTIAL,
    TEXT("native", 0, AT(native), "FILE",
         "the structured value that the provider's API delivered, as JSON (the "
         "place native); with it no FILE need be given"),
#ifdef SURETY_WITH_RUN
    SECTION("Validators"),
    VALIDATOR_ROWS(AT(validator)),
#endif
    SECTION("Failures"),
    SESSION_ROWS_FALLBACK,
    FLAG("not-strict", 0, AT(not_strict),
         "print null for a reply that does not satisfy the contract, and exit "
         "0; the report still gives the reason"),
    FLAG("first", 0, AT(first),
         "stop at the first reply that does not satisfy the contract"),
    CHOICE("retry-prompt", 0, AT(retry_prompt), "contract|simple|errors|patch",
           "for a reply that does not satisfy the contract print what the "
           "model should be sent next: the prompt again with the format "
           "instructions and, simple, a fixed request; errors, every error; "
           "patch, the failing parts, to be corrected by a JSON Patch; "
           "contract, the contract's choice. No fallback is used"),
    TEXT("prompt", 0, AT(prompt), "TEXT",
         "for --retry-prompt: the prompt that was answered, a text or @FILE"),
    SECTION("Output"),
    CHOICE("report", 0, AT(report), "text|json|plain|github|sarif",
           "form of the report on standard error: text as compilers write; "
           "json, one object a line for every reply, valid or not; plain, "
           "MESSAGE (path: a/b/0); github, workflow commands; sarif, one SARIF "
           "2.1.0 document"),
    SESSION_ROWS_DERIVE,
    SESSION_ROWS_STYLE,
    FLAG("verbose", 'v', AT(verbose),
         "show in the text report of each reply, valid or not, the contract, "
         "the place, and that formats were asserted"),
    SECTION("Many replies"),
    FLAG("jsonl", 0, AT(jsonl),
         "read one record a line and write one report a line, as JSON, in the "
         "same order, to standard output, with the number of its line as "
         "record. A line that is a JSON string is a reply; any other is itself "
         "the value to check. Blank lines are skipped, and counted; a line "
         "that is no record gets a report of the stage record"),
    TEXT("field", 0, AT(field), "NAME",
         "each record is an object and the reply is its member NAME (a JSON "
         "Pointer where it begins with /)"),
    TEXT("id", 0, AT(id), "NAME",
         "copy each record's member NAME (a JSON Pointer where it begins with "
         "/) into its report, as id"),
    TEXT("raw", 0, AT(raw), "N|none",
         "characters of the reply that a report repeats; unless given, none of "
         "a valid one and 500 of any other"),
    FLAG("values", 0, AT(values),
         "write the values of valid replies and fallbacks, one a line, and no "
         "reports"),
    NUMBER("jobs", 'j', AT(jobs), 256, "N",
           "threads that judge records; 1 unless given"),
    SECTION("A reply being written"),
    FLAG("stream", 0, AT(stream),
         "read one reply as it arrives and print each new partial value, one a "
         "line; the last line is the value if the exit code is 0. Stop as soon "
         "as nothing that follows can satisfy the contract"),
    TEXT("items", 0, AT(items), "POINTER",
         "with --stream: print the elements of this array, one a line, each as "
         "soon as it is whole and valid, in place of the value"),
    FLAG("commit", 0, AT(commit),
         "with --stream: stop too when the current value cannot satisfy the "
         "contract any more, although another value after it could"),
    OPTION_END};

/* Returns whether the other options can be combined with --stream; false: the
 * message is written. */
static bool is_streamable(struct cli *cli,
                          const struct session_settings *settings,
                          const struct operands *files)
{
    const struct {
        bool given;
        const char *option, *hint;
    } rows[] = {
        {settings->jsonl, "--jsonl", "it judges records as they arrive anyway"},
        {settings->retry_prompt, "--retry-prompt", "it is for whole replies"},
        {settings->style == STYLE_PRETTY, "--pretty", "a value is a line"},
        {settings->report > 2, "that --report", "it is text or json"},
        {settings->items && settings->derive, "both --items and --derive",
         "leave one of them out"},
        {settings->items && settings->not_strict,
         "both --items and --not-strict", "the value is not printed"},
    };
    const size_t count = files->count + (settings->native != NULL);

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].given)
            return cli_usage(cli, rows[i].hint, "--stream does not go with %s",
                             rows[i].option);
    return count <= 1 || cli_usage(cli, "call it once for each",
                                   "--stream reads one reply, not %zu", count);
}

/* Checks that the options can be combined; false: the message is written. */
static bool is_consistent(struct cli *cli,
                          const struct session_settings *settings,
                          const struct operands *files)
{
    size_t raw_max;
    const char *wants_jsonl = settings->field    ? "--field"
                              : settings->id     ? "--id"
                              : settings->raw    ? "--raw"
                              : settings->values ? "--values"
                              : settings->jobs   ? "--jobs"
                                                 : NULL;
    const struct option_rule rules[] = {
        {settings->jsonl && settings->native,
         "a record that is no JSON string is itself checked",
         "--native does not go with --jsonl"},
        {settings->jsonl && settings->report != 0 && settings->report != 2,
         "leave --report out", "--jsonl writes reports as JSON only"},
        {!settings->validator.commands.count &&
             (settings->validator.timeout || settings->validator.bytes ||
              settings->validator.environment.count),
         "add --validator COMMAND",
         "--validator-timeout, --validator-bytes and --env are for "
         "--validator"},
        {settings->values && (settings->id || settings->raw),
         "leave one of them out",
         "--values writes no reports, and --id and --raw are for those"},
        {settings->raw && !record_raw_read(settings->raw, &raw_max),
         "a number from 1 to 1000000, or none",
         "--raw does not say how many characters"},
        {settings->commit && !settings->stream, "add --stream",
         "--commit is for --stream"},
        {settings->items && !settings->stream, "add --stream",
         "--items is for --stream"},
        {settings->prompt && !settings->retry_prompt,
         "add --retry-prompt contract", "--prompt is for --retry-prompt"}};

    if (!settings->jsonl && wants_jsonl)
        return cli_usage(cli, "add --jsonl", "%s is for --jsonl", wants_jsonl);
    if (!options_obey(cli, rules, COUNT_OF(rules)))
        return false;
    if (settings->stream && !is_streamable(cli, settings, files))
        return false;
    if (settings->retry_prompt && (settings->jsonl || settings->not_strict))
        return cli_usage(cli, "leave one of them out",
                         "--retry-prompt does not go with %s",
                         settings->jsonl ? "--jsonl" : "--not-strict");
    if (settings->native && files->count > 1)
        return cli_usage(cli, "call it once for each",
                         "--native goes with one reply, not %zu", files->count);
    return true;
}

void check_run(struct cli *cli, const void *given, const struct operands *files)
{
    const struct session_settings *settings = given;
    surety_contract *contract = NULL;
    struct session session;

    if (is_consistent(cli, settings, files))
        contract = session_contract(cli, settings);
    if (!contract)
        return;
    if (session_init(&session, cli, settings, contract)) {
        if (settings->jsonl)
            batch_run(&session, files);
        else if (settings->stream)
            stream_run(&session, files);
        else
            session_files(&session, files);
    }
    session_done(&session);
    surety_contract_free(contract);
}
