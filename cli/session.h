/* SPDX-License-Identifier: Apache-2.0 */
/* session.h: one command's judging of replies: the contract, how to look, what
 * to print, and what came out of it. check and extract share it. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli.h"
#include "options.h"
#include "validator.h"

enum style_choice { STYLE_UNSET, STYLE_PRETTY, STYLE_COMPACT };

/* What both commands ask of the user. Filled by options_parse. */
struct session_settings {
    const char *contract;
    const char *extract;
    int pick; /* 0: the contract's; 1: first; 2: last */
    const char *marker;
    bool keep_reasoning;
    int repair; /* the choices of --repair, counted from 1 */
    bool certain, partial;
    int report; /* of --report */
    bool no_fallback, not_strict, derive, quiet, verbose, first;
    struct texts variables;
    const char *native;
    int retry_prompt;   /* of --retry-prompt; 0: not given */
    const char *prompt; /* of --prompt: a text or @FILE */
    int style;          /* enum style_choice */
    int color;          /* enum color_choice */
    bool jsonl;
    const char *field, *id, *raw;
    bool values;
    unsigned jobs;
    bool stream, commit;
    struct validator_settings validator;
};
/* Frees what lists of texts there are. */
void session_settings_done(struct session_settings *settings);

/* The rows of how to look. As those below, for a settings type whose first
 * member is a session_settings. */
#define SESSION_ROWS_LOOK                                                      \
    SECTION("Finding and repairing the JSON"),                                 \
        {"extract",                                                            \
         0,                                                                    \
         OPTION_TEXT,                                                          \
         offsetof(struct session_settings, extract),                           \
         0,                                                                    \
         "LIST",                                                               \
         NULL,                                                                 \
         "places to look in, in this order, joined by commas: native, whole, " \
         "fence, fence-any, marker, embedded"},                                \
        {"pick",                                                               \
         0,                                                                    \
         OPTION_CHOICE,                                                        \
         offsetof(struct session_settings, pick),                              \
         0,                                                                    \
         NULL,                                                                 \
         "first|last",                                                         \
         "within a place, which candidate to try first"},                      \
        {"marker",    0,                                                       \
         OPTION_TEXT, offsetof(struct session_settings, marker),               \
         0,           "TEXT",                                                  \
         NULL,        "the text before the JSON, for the place marker"},       \
        {"keep-reasoning",                                                     \
         0,                                                                    \
         OPTION_FLAG,                                                          \
         offsetof(struct session_settings, keep_reasoning),                    \
         0,                                                                    \
         NULL,                                                                 \
         NULL,                                                                 \
         "look inside <think>...</think> and similar sections too"},           \
        {"repair",                                                             \
         0,                                                                    \
         OPTION_CHOICE,                                                        \
         offsetof(struct session_settings, repair),                            \
         0,                                                                    \
         NULL,                                                                 \
         "none|syntax|align",                                                  \
         "what may be repaired: none; syntax, the form of the JSON; align, "   \
         "also values, toward the schema. The report lists each repair"},      \
    {                                                                          \
        "certain", 0, OPTION_FLAG, offsetof(struct session_settings, certain), \
            0, NULL, NULL,                                                     \
            "of the repairs, only those that leave the meaning in no doubt"    \
    }

/* What of a failure may still be used, for check and extract. */
#define SESSION_ROWS_PARTIAL                                                   \
    {                                                                          \
        "partial", 0, OPTION_FLAG, offsetof(struct session_settings, partial), \
            0, NULL, NULL,                                                     \
            "of a reply that was cut off, print what is there, with a warning" \
    }

/* The contract's fallback, for check, run and render. */
#define SESSION_ROWS_FALLBACK                                                  \
    {"no-fallback",                                                            \
     0,                                                                        \
     OPTION_FLAG,                                                              \
     offsetof(struct session_settings, no_fallback),                           \
     0,                                                                        \
     NULL,                                                                     \
     NULL,                                                                     \
     "do not use the contract's fallback"},                                    \
    {                                                                          \
        "var", 0, OPTION_TEXTS, offsetof(struct session_settings, variables),  \
            0, "NAME=VALUE", NULL,                                             \
            "the text for ${NAME} in the contract's fallback; may be given "   \
            "again"                                                            \
    }

#define SESSION_ROWS_DERIVE                                                    \
    {                                                                          \
        "derive", 0, OPTION_FLAG, offsetof(struct session_settings, derive),   \
            0, NULL, NULL,                                                     \
            "compute the contract's derived members and print "                \
            "{\"value\":...,\"derived\":...} instead of the value alone"       \
    }

#define SESSION_ROWS_STYLE                                                     \
    {"pretty",     0,                                                          \
     OPTION_SET,   offsetof(struct session_settings, style),                   \
     STYLE_PRETTY, NULL,                                                       \
     NULL,         "indent the value; the default on a terminal"},             \
        {"compact",     0,                                                     \
         OPTION_SET,    offsetof(struct session_settings, style),              \
         STYLE_COMPACT, NULL,                                                  \
         NULL,          "one value a line; the default elsewhere"},            \
        OPTION_COLOR(offsetof(struct session_settings, color)),                \
    {                                                                          \
        "quiet", 'q', OPTION_FLAG, offsetof(struct session_settings, quiet),   \
            0, NULL, NULL,                                                     \
            "no reports, progress or summary: only values, failures of the "   \
            "tool itself and the exit code"                                    \
    }

/* How many replies ended how. */
struct tally {
    uint64_t replies, valid, fallbacks;
    uint64_t invalid[4]; /* by surety_stage */
    uint64_t unjudged;   /* a validator failed */
    uint64_t broken;     /* lines that are no record; invalid, too */
    uint64_t found;      /* records that have the member of --field */
    uint64_t lacking;    /* and those without, before the first that has it */
};
uint64_t tally_invalid(const struct tally *tally);
void tally_add(struct tally *tally, const surety_outcome *outcome);

struct session {
    struct cli *cli;
    const struct session_settings *settings;
    const surety_contract *contract;
    surety_limits limits;
    surety_extract extract;        /* where to look in a reply */
    surety_extract extract_native; /* the same, the native value first */
    surety_repair repair;          /* of --repair */
    surety_judge_options options;
    surety_variable *variables;
    surety_str native; /* of --native */
    surety_str prompt; /* of --prompt; from a file: freed */
    struct validator_bounds bounds;
    struct validators validators;
    surety_judge *judge;
    surety_buf results;       /* SARIF results so far */
    surety_buf notifications; /* SARIF: what went wrong besides */
    surety_style style;
};

/* Makes ready to judge for contract; false: said why. Call session_done in any
 * case, which writes what is left of a report. */
bool session_init(struct session *session, struct cli *cli,
                  const struct session_settings *settings,
                  const surety_contract *contract);
void session_done(struct session *session);

/* The exit code of a judgement that failed. */
int session_code(const struct session *session, surety_status status);
/* The contract that the settings name. What its schema warns of is written
 * unless --quiet was given; where reports are JSON or SARIF, which a program
 * reads from the same place, they have the warnings. NULL: said why. */
surety_contract *session_contract(struct cli *cli,
                                  const struct session_settings *settings);

/* Adds them to a report in JSON that ends with its brace, the first of the
 * command, as the member contract_warnings. */
void session_warnings(struct cli *cli, surety_buf *report);

/* The form that reports have: of --report, with colour where there is. */
surety_report session_form(const struct session *session);
/* Appends as JSON what there is to use: the value, with --derive the derived
 * members too, or null for a failure that --not-strict forgives. False: there
 * is nothing. Safe in threads. */
bool session_put(const struct session *session, const surety_outcome *outcome,
                 surety_style style, surety_buf *out);
/* Prints what there is to use; a failure that --not-strict forgives is null,
 * any other raises its code. */
void session_value(struct session *session, const surety_outcome *outcome);

/* A failure that is no reply's: a file, a limit. */
void session_failure(struct session *session, int code, const char *source,
                     const surety_error *error);
/* Writes the report of an outcome to err, unless --quiet. */
void session_report(struct session *session, const surety_outcome *outcome,
                    const char *source);
/* Says on a terminal that it is the terminal that is read. */
void session_invite(struct session *session, const char *path);

/* Judges one reply: its value to out, its report to err. False: stop. */
bool session_reply(struct session *session, const char *source,
                   surety_str reply);
/* Reads and judges each of the files, or standard input where there is none. */
void session_files(struct session *session, const struct operands *files);

#endif
