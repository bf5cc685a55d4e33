/* SPDX-License-Identifier: Apache-2.0 */
/* session.h: judges the replies of one command: its contract, settings, outputs
 * and counts. Used by check, extract, run and render. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli.h"
#include "options.h"
#include "validator.h"

enum style_choice { STYLE_UNSET, STYLE_PRETTY, STYLE_COMPACT };

/* The options that the commands share. Filled by options_parse. */
struct session_settings {
    const char *contract;
    const char *extract, *forms;
    int pick; /* 0: the contract's; 1: first; 2: last */
    const char *marker;
    bool keep_reasoning;
    int repair; /* choice of --repair, from 1 */
    bool certain, partial;
    int report; /* choice of --report */
    bool no_fallback, not_strict, derive, quiet, verbose, first;
    struct texts variables;
    const char *native;
    int retry_prompt;   /* choice of --retry-prompt; 0: not given */
    const char *prompt; /* from --prompt: a text or @FILE */
    int style;          /* enum style_choice */
    bool jsonl;
    const char *field, *id, *raw;
    bool values;
    unsigned jobs;
    bool stream, commit;
    const char *items; /* from --items: a JSON Pointer */
    struct validator_settings validator;
};
SETTINGS_FIT(struct session_settings);

/* The rows about finding and repairing. These rows and those below are for a
 * settings type whose first member is a session_settings. */
#define SESSION_AT(member) offsetof(struct session_settings, member)
#define SESSION_ROWS_LOOK                                                      \
    SECTION("Finding and repairing the JSON"),                                 \
        TEXT("extract", 0, SESSION_AT(extract), "LIST",                        \
             "places to look in, in this order, joined by commas: native, "    \
             "whole, fence, fence-any, marker, embedded"),                     \
        CHOICE("pick", 0, SESSION_AT(pick), "first|last",                      \
               "within a place, which candidate to try first"),                \
        TEXT("marker", 0, SESSION_AT(marker), "TEXT",                          \
             "the text before the JSON, for the place marker"),                \
        TEXT("forms", 0, SESSION_AT(forms), "LIST",                            \
             "forms other than JSON that align reads, joined by commas: "      \
             "tool-call, yaml, table, csv, key-value, xml; or none"),          \
        FLAG("keep-reasoning", 0, SESSION_AT(keep_reasoning),                  \
             "look inside <think>...</think> and similar sections too"),       \
        CHOICE("repair", 0, SESSION_AT(repair), "none|syntax|align",           \
               "what may be repaired: none; syntax, the form of the JSON; "    \
               "align, also values, toward the schema. The report lists each " \
               "repair"),                                                      \
        FLAG("certain", 0, SESSION_AT(certain),                                \
             "of the repairs, only those that leave the meaning in no doubt")

/* The rows about using the value of a failed reply, for check and extract. */
#define SESSION_ROWS_PARTIAL                                                   \
    FLAG("partial", 0, SESSION_AT(partial),                                    \
         "print the beginning of a reply that was cut off, with a warning")

/* The rows about the contract's fallback, for check, run and render. */
#define SESSION_ROWS_FALLBACK                                                  \
    FLAG("no-fallback", 0, SESSION_AT(no_fallback),                            \
         "do not use the contract's fallback"),                                \
        TEXTS("var", 0, SESSION_AT(variables), "NAME=VALUE",                   \
              "the text for ${NAME} in the contract's fallback; may be given " \
              "again")

#define SESSION_ROWS_DERIVE                                                    \
    FLAG("derive", 0, SESSION_AT(derive),                                      \
         "compute the contract's derived members and print "                   \
         "{\"value\":...,\"derived\":...} instead of the value alone")

#define SESSION_ROWS_STYLE                                                     \
    SET("pretty", SESSION_AT(style), STYLE_PRETTY,                             \
        "indent the value; the default on a terminal"),                        \
        SET("compact", SESSION_AT(style), STYLE_COMPACT,                       \
            "one value a line; the default elsewhere"),                        \
        COLOR,                                                                 \
        FLAG("quiet", 'q', SESSION_AT(quiet),                                  \
             "no reports, progress or summary: only values, failures of the "  \
             "tool itself and the exit code")

/* Number of replies by result. */
struct tally {
    uint64_t replies, valid, fallbacks;
    uint64_t invalid[4]; /* by surety_stage */
    uint64_t unjudged;   /* a validator failed */
    uint64_t broken;     /* lines that are no record; counted as invalid too */
    uint64_t found;      /* records that have the member of --field */
    uint64_t lacking;    /* records without it, before the first that has it */
};
uint64_t tally_invalid(const struct tally *tally);
void tally_add(struct tally *tally, const surety_outcome *outcome);

struct session {
    struct cli *cli;
    const struct session_settings *settings;
    const surety_contract *contract;
    surety_limits limits;
    surety_extract extract;        /* the places to search in a reply */
    surety_extract extract_native; /* the same, with native first */
    surety_repair repair;          /* level of --repair */
    surety_judge_options options;
    surety_variable *variables;
    surety_str native; /* from --native */
    surety_str prompt; /* from --prompt */
    char *prompt_read; /* its memory if it was read from a file */
    struct validator_bounds bounds;
    struct validators validators;
    surety_judge *judge;
    surety_buf results;       /* SARIF results so far */
    surety_buf notifications; /* SARIF: errors that are not about a reply */
    surety_style style;
};

/* Prepares a session for contract; false: the message is written. Call
 * session_done also after a failure; it writes the rest of a report. */
bool session_init(struct session *session, struct cli *cli,
                  const struct session_settings *settings,
                  const surety_contract *contract);
void session_done(struct session *session);

/* Returns the exit code of a judgement that failed. */
int session_code(const struct session *session, surety_status status);
/* Opens the contract that the settings name. The warnings of its schema are
 * written unless --quiet was given. If reports are JSON or SARIF, the reports
 * contain the warnings, because a program reads standard error. NULL: the
 * message is written. */
surety_contract *session_contract(struct cli *cli,
                                  const struct session_settings *settings);

/* Adds these warnings as the member contract_warnings to a JSON report that
 * ends with its closing brace; only to the command's first report. */
void session_warnings(struct cli *cli, surety_buf *report);

/* Returns the form of reports: that of --report, with colour if the tool uses
 * colour. */
surety_report session_form(const struct session *session);
/* Appends the usable result as JSON: the value (with --derive also the derived
 * members), or null for a failure with --not-strict. False: there is none.
 * Threads may call it at the same time. */
bool session_put(const struct session *session, const surety_outcome *outcome,
                 surety_style style, surety_buf *out);
/* Writes the usable result. A failure gives null with --not-strict; without it,
 * it raises the exit code. */
void session_value(struct session *session, const surety_outcome *outcome);

/* Reports a failure that is not about a reply: a file, a limit. */
void session_failure(struct session *session, int code, const char *source,
                     const surety_error *error);
/* Writes the report of an outcome to err, unless --quiet. */
void session_report(struct session *session, const surety_outcome *outcome,
                    const char *source);
/* Judges one reply, and writes its value to out and its report to err. False:
 * stop. */
bool session_reply(struct session *session, const char *source,
                   surety_str reply);
/* Reads and judges each of the files, or standard input if there are none. */
void session_files(struct session *session, const struct operands *files);

#endif
