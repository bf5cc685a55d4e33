/* SPDX-License-Identifier: Apache-2.0 */
/* The options of surety run as a table, the rules about combining them, and
 * their numbers. Amounts are read exactly, as in the configuration: an amount
 * with too many decimals is refused, not rounded. */
#include "run_settings.h"

#include <string.h>
#include <sys/stat.h>

#include "commands.h"

#define AT(member) offsetof(struct run_settings, member)
#define DAY_MS 86400000
#define DAY_RANGE "0.001 to 86400 seconds"
#define SESSION(member) offsetof(struct run_settings, session.member)

const struct option_row run_options[] = {
    SECTION("Request"),
    TEXT("contract", 'c', SESSION(contract), "CONTRACT",
         "what the value must satisfy: " CONTRACT_IS
         "; without it the reply is printed as it comes"),
    TEXTS(
        "model", 'm', AT(models), "MODEL",
        "PROVIDER:NAME (openai, responses, anthropic, gemini, ollama, vllm, "
        "llamacpp, lmstudio, openrouter, or a provider of the configuration), "
        "exec:COMMAND, replay:FILE, or a name of the configuration; given "
        "again, it is called when the one before is given up"),
    CHOICE("consensus", 0, AT(consensus), "first|fastest|vote|aggregate",
           "ask every -m at the same time, and take the first valid answer in "
           "their order, the first in time, the most frequent value of each "
           "field, or "
           "what one more model makes of all"),
    TEXT("quorum", 0, AT(quorum), "N",
         "valid answers that --consensus vote and aggregate need; 1 unless "
         "given"),
    TEXT("aggregator", 0, AT(aggregator), "MODEL",
         "the model that merges for --consensus aggregate; the first -m unless "
         "given"),
    TEXT("system", 's', AT(system), "TEXT|@FILE", "the system prompt"),
    TEXT("messages", 0, AT(conversation.file), "FILE",
         "a conversation before the prompt: the JSON of OpenAI, Anthropic, "
         "Gemini, the AI SDK or --save-messages; the prompt may then be left "
         "out"),
    TEXTS("message", 0, AT(conversation.messages), "ROLE=TEXT|@FILE",
          "a message behind those, of system, user or assistant; may be given "
          "again"),
    TEXTS("image", 0, AT(conversation.images), "FILE|URL",
          "an image before the prompt; the provider fetches a URL; may be "
          "given again"),
    TEXTS("file", 0, AT(conversation.files), "FILE|URL",
          "a document or audio before the prompt, as --image"),
    CHOICE("style", 0, AT(style), "json-schema|typescript|example",
           "how the prompt shows the schema; the contract's unless given"),
    WORDS_ROW_INSTRUCTIONS(AT(words)),
    WORDS_ROW_REASK(AT(words)),
    WORDS_ROW_SYSTEM(AT(words)),
    WORDS_ROW_EXAMPLES(AT(words)),
    FLAG("instruct-system", 0, AT(instruct_system),
         "put the format instructions into the system prompt"),
    TEXT("config", 0, AT(config), "FILE",
         "the configuration; else ./surety.json or surety/surety.json in "
         "$XDG_CONFIG_HOME"),
    SECTION("The call"),
    CHOICE("mode", 0, AT(mode), "auto|native|tool|prompt",
           "how the model is bound to the schema: by structured output of its "
           "provider, a tool that it must call, the prompt alone, or the best "
           "of these that works"),
    TEXT("temperature", 't', AT(temperature), "NUMBER",
         "from 0 to 2; the provider's unless given"),
    TEXT("max-output-tokens", 0, AT(output_tokens), "N",
         "tokens of one reply, reasoning included"),
    FLAG("no-stream", 0, AT(no_stream), "ask for the reply in one piece"),
    TEXT("timeout", 0, AT(total), "SECONDS",
         "for all of one call; 600 unless given"),
    TEXT("connect-timeout", 0, AT(connect), "SECONDS",
         "for the name, the connection and TLS; 10 unless given"),
    TEXT("first-byte-timeout", 0, AT(first_byte), "SECONDS",
         "from the request to the first byte; 120 unless given"),
    TEXT("idle-timeout", 0, AT(idle), "SECONDS",
         "between two bytes; 60 unless given"),
    SESSION_ROWS_LOOK,
    SECTION("Commands"),
    VALIDATOR_ROWS(SESSION(validator)),
    SECTION("Failures"),
    TEXT(
        "retries", 0, AT(retries), "N",
        "how often each model is called again after a reply that fails, from 0 "
        "to 100; the contract's unless given. Broken connections, rate limits "
        "and overloads do not count"),
    CHOICE("feedback", 0, AT(feedback), "errors|simple|patch",
           "what the model gets then: every error with its location, a request "
           "for valid JSON, or the failing values, to be corrected by a JSON "
           "Patch"),
    CHOICE("stop", 0, AT(stop), "weigh|always|never",
           "when to stop a call whose reply cannot become valid any more: "
           "weigh, when the rest is likely to cost more than another round; "
           "always, at the first certain error; never, only a runaway. weigh "
           "unless given here or in the configuration"),
    FLAG("commit", 0, SESSION(commit),
         "take the first value of a reply as the answer, and stop the call "
         "when it can no longer satisfy the contract; without it a call is "
         "stopped only when no continuation can"),
    SESSION_ROWS_PARTIAL,
    SESSION_ROWS_FALLBACK,
    FLAG("not-strict", 0, SESSION(not_strict),
         "print null where no reply satisfies the contract, and exit 0; the "
         "report still gives the reason"),
    SECTION("Budget, of all calls together"),
    TEXT("max-calls", 0, AT(calls), "N", "calls that are sent; 8 unless given"),
    TEXT("max-tokens", 0, AT(tokens), "N",
         "tokens, input and output; 1000000 unless given"),
    TEXT("max-seconds", 0, AT(seconds), "SECONDS",
         "time on the clock, waiting included; 1200 unless given"),
    TEXT("max-usd", 0, AT(usd), "DOLLARS",
         "money; each model needs a price in the configuration"),
    SECTION("Tools"),
    TEXT("tools", 0, AT(tools), "FILE|none",
         "tools that the model may call: commands and HTTP calls of a tools "
         "file (surety tools FILE lists them); else the configuration's"),
    TEXTS(
        "mcp", 0, AT(servers), "COMMAND",
        "the tools of a server of the Model Context Protocol, which this line "
        "for /bin/sh starts; again for another one"),
    TEXT("max-steps", 0, AT(steps), "N",
         "replies that may call tools; then the model may only answer; 16 "
         "unless given"),
    TEXT("max-tool-calls", 0, AT(tool_calls), "N",
         "calls of tools in all; 64 unless given"),
    SECTION("Records"),
    TEXT("ledger", 0, AT(ledger), "URL|none",
         "where attempts are recorded: a file of SQLite or postgresql://...; "
         "else the configuration's, or surety/ledger.db in $XDG_STATE_HOME"),
    FLAG("ledger-raw", 0, AT(ledger_raw), "record prompts and replies too"),
    TEXT("tag", 0, AT(tag), "TEXT",
         "a name of your work in the ledger, by which surety stats groups"),
    FLAG("ledger-optional", 0, AT(ledger_optional),
         "go on when attempts cannot be recorded"),
    TEXT("record", 0, AT(record), "FILE",
         "write every exchange to FILE, without keys, to be played again"),
    TEXT("replay", 0, AT(replay), "FILE",
         "answer from a recording, by the exchange with the same request, "
         "without a network"),
    TEXT("save-messages", 0, AT(conversation.save), "FILE",
         "write the conversation to FILE, to go on with by --messages"),
    SECTION("Output"),
    CHOICE("report", 0, SESSION(report), "text|json|plain|github|sarif",
           "form of the report on standard error: text as compilers write, "
           "where there is something to say; json, one object in any case; "
           "plain, MESSAGE (path: a/b/0); github, workflow commands; sarif, "
           "one SARIF 2.1.0 document"),
    SESSION_ROWS_DERIVE,
    TEXT("items", 0, SESSION(items), "POINTER",
         "print the elements of this array, one a line, each as soon as it is "
         "whole and valid, in place of the value; none is taken back, and "
         "after a re-ask only new ones follow"),
    FLAG("values", 0, SESSION(values),
         "print each new partial value, one a line, as the reply comes; the "
         "last line is the value if the exit code is 0"),
    FLAG("verbose", 'v', AT(verbose),
         "write each call and its reason to standard error at once"),
    FLAG("show-prompt", 0, AT(show_prompt),
         "write the prompt of each attempt to standard error"),
    FLAG("show-reply", 0, AT(show_reply),
         "write the model's text to standard error as it comes"),
    FLAG("dry-run", 0, AT(dry_run),
         "print the body of the first request instead of sending it, and on "
         "standard error where it would go and what the run may cost; needs no "
         "key"),
    SESSION_ROWS_STYLE,
    OPTION_END};

/* ---- numbers ------------------------------------------------------------- */

#define TO(member) offsetof(struct run_numbers, member)

/* An amount in units of 10^-scale, from min to max. */
static const struct amount {
    const char *option;
    size_t text, number; /* offsets in the settings and in the numbers */
    unsigned scale;
    uint64_t min, max;
    const char *range; /* min and max in words */
} amounts[] = {
    {"retries", AT(retries), TO(retries), 0, 0, 100, "0 to 100"},
    {"temperature", AT(temperature), TO(temperature_millionths), 6, 0, 2000000,
     "0 to 2"},
    {"max-output-tokens", AT(output_tokens), TO(output_tokens), 0, 1, 10000000,
     "1 to 10000000"},
    {"quorum", AT(quorum), TO(quorum), 0, 1, SURETY_VOTERS_MAX, "1 to 64"},
    {"timeout", AT(total), TO(total_ms), 3, 1, DAY_MS, DAY_RANGE},
    {"connect-timeout", AT(connect), TO(connect_ms), 3, 1, DAY_MS, DAY_RANGE},
    {"first-byte-timeout", AT(first_byte), TO(first_byte_ms), 3, 1, DAY_MS,
     DAY_RANGE},
    {"idle-timeout", AT(idle), TO(idle_ms), 3, 1, DAY_MS, DAY_RANGE},
    {"max-steps", AT(steps), TO(steps), 0, 1, 1000, "1 to 1000"},
    {"max-tool-calls", AT(tool_calls), TO(tool_calls), 0, 1, 10000,
     "1 to 10000"},
    {"max-calls", AT(calls), TO(calls), 0, 1, 10000, "1 to 10000"},
    {"max-tokens", AT(tokens), TO(tokens), 0, 1, 1000000000000,
     "1 to 1000000000000"},
    {"max-seconds", AT(seconds), TO(ms), 3, 1, 604800000,
     "0.001 to 604800 seconds"},
    {"max-usd", AT(usd), TO(cost_picousd), 12, 1, 1000000000000000000,
     "0.000000000001 to 1000000 dollars"}};

bool run_numbers_read(struct cli *cli, const struct run_settings *settings,
                      struct run_numbers *numbers)
{
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        const struct amount *amount = &amounts[i];
        const char *text =
            *(const char *const *)((const char *)settings + amount->text);
        uint64_t *number = (uint64_t *)((char *)numbers + amount->number);
        surety_error error;

        if (!text)
            continue;
        if (surety_decimal_read(surety_str_of(text), amount->scale, number,
                                &error) != SURETY_OK)
            return cli_usage(cli, NULL, "--%s: %s", amount->option,
                             error.message);
        if (*number < amount->min || *number > amount->max)
            return cli_usage(cli, NULL, "--%s goes from %s, not %s",
                             amount->option, amount->range, text);
    }
    return true;
}

/* ---- combinations of options --------------------------------------------- */

/* Returns an option that was given and needs a contract; NULL: none. */
static const char *wants_contract(const struct run_settings *settings)
{
    const struct session_settings *session = &settings->session;
    const struct {
        bool given;
        const char *name;
    } rows[] = {{settings->style, "style"},
                {settings->words.instructions, "instructions"},
                {settings->words.reask, "reask"},
                {settings->words.system, "system-template"},
                {settings->words.examples, "examples"},
                {settings->instruct_system, "instruct-system"},
                {settings->mode, "mode"},
                {settings->retries, "retries"},
                {settings->feedback, "feedback"},
                {session->extract, "extract"},
                {session->report == 5, "report sarif"},
                {session->pick, "pick"},
                {session->forms, "forms"},
                {session->marker, "marker"},
                {session->keep_reasoning, "keep-reasoning"},
                {session->repair, "repair"},
                {session->certain, "certain"},
                {settings->stop, "stop"},
                {session->commit, "commit"},
                {session->partial, "partial"},
                {session->no_fallback, "no-fallback"},
                {session->variables.count, "var"},
                {session->not_strict, "not-strict"},
                {session->items, "items"},
                {session->values, "values"},
                {session->derive, "derive"},
                {session->validator.commands.count, "validator"},
                {session->style == STYLE_PRETTY, "pretty"}};

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].given)
            return rows[i].name;
    return NULL;
}

/* Returns whether two paths name the same file, even if they are written
 * differently. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;

    if (!a || !b)
        return false;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &first) == 0 && stat(b, &second) == 0 &&
           S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Returns whether --record would overwrite a recording that is replayed. */
static bool overwrites_replayed(const struct run_settings *settings)
{
    static const char replay[] = "replay:";

    if (is_same_file(settings->record, settings->replay))
        return true;
    for (size_t i = 0; i < settings->models.count; i++) {
        const char *model = settings->models.items[i];
        if (strncmp(model, replay, strlen(replay)) == 0 &&
            is_same_file(settings->record, model + strlen(replay)))
            return true;
    }
    return false;
}

/* Checks what is printed while the reply comes. */
static bool prints_consistently(struct cli *cli,
                                const struct run_settings *settings)
{
    const struct session_settings *session = &settings->session;
    const char *comes = session->items    ? "--items"
                        : session->values ? "--values"
                                          : NULL;
    const struct {
        bool given;
        const char *option, *hint;
    } rows[] = {
        {session->items && session->values, "--values",
         "leave one of them out"},
        {settings->consensus, "--consensus",
         "they are of one reply; leave one of them out"},
        {session->derive, "--derive", "leave one of them out"},
        {session->style == STYLE_PRETTY, "--pretty", "each is a line"},
        {session->items && session->not_strict, "--not-strict",
         "the value is not printed"},
    };

    for (size_t i = 0; comes && i < COUNT_OF(rows); i++)
        if (rows[i].given)
            return cli_usage(cli, rows[i].hint, "%s does not go with %s", comes,
                             rows[i].option);
    return true;
}

bool run_is_consistent(struct cli *cli, const struct run_settings *settings,
                       const struct operands *operands)
{
    const int kind = settings->consensus - 1;
    const bool is_merged =
        kind == SURETY_CONSENSUS_VOTE || kind == SURETY_CONSENSUS_AGGREGATE;
    const char *option =
        settings->session.contract ? NULL : wants_contract(settings);
    const struct option_rule rules[] = {
        {operands->count == 1 && operands->items[0][0] == '\0',
         "give it as an argument, as @FILE, or on standard input",
         "the prompt is empty"},
        {overwrites_replayed(settings), "write to another file",
         "--record and what is replayed are the same file"},
        {!settings->session.validator.commands.count &&
             (settings->session.validator.timeout ||
              settings->session.validator.bytes),
         "add --validator COMMAND",
         "--validator-timeout and --validator-bytes are for --validator"},
        {settings->dry_run && settings->record, "leave one of them out",
         "--dry-run sends nothing that --record could write"},
        {settings->quorum && !is_merged, "add --consensus vote",
         "--quorum is for --consensus vote and aggregate"},
        {settings->aggregator && kind != SURETY_CONSENSUS_AGGREGATE,
         "add --consensus aggregate",
         "--aggregator is for --consensus aggregate"},
        {settings->consensus && settings->session.derive,
         "leave one of them out", "--derive is not for --consensus"},
        {settings->consensus && settings->conversation.save,
         "leave one of them out", "--save-messages is not for --consensus"},
        {settings->dry_run && settings->conversation.save,
         "leave one of them out",
         "--dry-run has no answer that --save-messages could write"},
        {settings->consensus && settings->show_reply,
         "--verbose shows what each model does",
         "--show-reply is not for --consensus"},
        {settings->consensus && settings->session.report > 2,
         "leave --report out", "--consensus reports as text or json"}};

    if (operands->count > 1)
        return cli_usage(cli, "quote it, so that the shell keeps it together",
                         "the prompt is one argument, not %zu",
                         operands->count);
    if (option)
        return cli_usage(cli, "name the contract with -c",
                         "--%s is for a contract", option);
    return options_obey(cli, rules, COUNT_OF(rules)) &&
           prints_consistently(cli, settings);
}
