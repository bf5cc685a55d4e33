/* SPDX-License-Identifier: Apache-2.0 */
/* surety/tool.h: tools that a model may call. A tool has a name, a description
 * and a contract for its arguments (parameters), and may have one for its
 * result. Arguments are repaired at the level that the contract allows, and
 * checked like a reply; wrong ones go back to the model with every error. A
 * result is checked before the model sees it.
 *
 * Threads: a set of tools is owned. */
#ifndef SURETY_TOOL_H
#define SURETY_TOOL_H

#include <surety/base.h>
#include <surety/json.h>
#include <surety/provider.h>
#include <surety/reply.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct surety_tools surety_tools;

typedef struct surety_tools_options {
    size_t size;                 /* sizeof(surety_tools_options) */
    const surety_limits *limits; /* NULL: defaults; copied */
    const surety_alloc *alloc;
    /* Returns the value of an environment variable, or NULL. The text is copied
     * before the surety call returns. NULL: the process's environment. */
    const char *(*environment)(void *ctx, const char *name);
    void *environment_ctx;
    /* Is called with each transport that the set opens, and gives the one to
     * use in its place, which then owns it: a recorder, a replay. On failure
     * `inner` is closed by the set. NULL: none. */
    surety_status (*wrap)(void *ctx, surety_transport *inner,
                          surety_transport **ret_transport,
                          surety_error *reterr);
    void *wrap_ctx;
    /* When it is not 0, a server of a tools file that is being listed stops
     * within 100 ms, and surety_tools_read fails with SURETY_CANCELLED. NULL:
     * never. */
    const volatile int *cancelled;
    /* Arguments are repaired at this level, and not at that of their contract;
     * with certain_only, by certain repairs alone. */
    bool has_repair;
    surety_repair repair;
    bool certain_only;
} surety_tools_options;

/* Makes an empty set. options NULL: defaults. SURETY_NOMEM. */
SURETY_API surety_status surety_tools_new(const surety_tools_options *options,
                                          surety_tools **ret_tools,
                                          surety_error *reterr);
/* Frees the set. No call of its tools may be under way. */
SURETY_API void surety_tools_free(surety_tools *tools); /* takes NULL */

/* ---- tools of the program ------------------------------------------------ */

/* One call of a tool; the address stays the same until the call has ended. */
typedef struct surety_tool_call {
    surety_str tool;      /* its name */
    surety_str id;        /* the model's id of the call */
    surety_val arguments; /* an object that satisfies the parameters */
    surety_str text;      /* the same as JSON on one line */
} surety_tool_call;

/* A tool that the program itself has. */
typedef struct surety_tool {
    size_t size; /* sizeof(surety_tool) */
    /* A letter or "_", then letters, digits, "_" and "-"; at most 64. */
    surety_str name;
    surety_str description; /* what it does, for the model; may be empty */
    /* The contract for the arguments, as JSON; its schema has "type":
     * "object". Empty: the tool has no arguments. */
    surety_str parameters;
    /* The contract for the result, as JSON. Empty: the result is any text. */
    surety_str result;
    /* Further checks of the arguments (reply.h). Copied; what ctx refers to
     * must outlive the set. */
    const surety_validator *validators;
    size_t validator_count;
    /* Does the work and appends the result to `result`, as UTF-8. MORE: it is
     * not done yet, and is called again; what was appended stays. Every other
     * status: the tool failed, and the model reads reterr's message. NOMEM ends
     * the run. NULL declares the tool: the caller of the run makes its calls.
     * A run whose model calls declared tools ends with SURETY_RUN_CALLS (run.h)
     * when all arguments are valid. */
    surety_status (*call)(void *ctx, const surety_tool_call *call,
                          surety_buf *result, surety_error *reterr);
    /* Is called once for a call that returned MORE and will not be called
     * again: it was cancelled, or its time is over. May be NULL. */
    void (*cancel)(void *ctx, const surety_tool_call *call);
    void *ctx;
    uint32_t time_ms_max;    /* of one call; 0: 60,000 */
    size_t result_bytes_max; /* 0: 262,144 */
    /* Equal calls are no mistake of the model: the result may be another one
     * each time, as the state of a job is. */
    bool polls;
    /* The contract for the arguments where it was read before, in place of
     * parameters. It must outlive the set. */
    const surety_contract *contract;
    /* The provider is asked to enforce the parameters, where its strict subset
     * (strict.h) accepts their schema unchanged. They are checked here in any
     * case. */
    bool strict;
    /* The tool in a provider's own form, an object of JSON: models of
     * raw_protocol get it as it is, with the members that only their provider
     * knows. It is not looked at, so its name and schema must be those above.
     * Where strict is set and the schema is not accepted, it is not used. Must
     * outlive the set; may be empty. */
    surety_str raw;
    surety_protocol raw_protocol;
} surety_tool;

/* Adds a tool; all texts but raw are copied. SURETY_MISUSE: the name cannot be
 * a tool's or is already one, the parameters are not of the type object, or the
 * set would have declared tools beside others; SURETY_SYNTAX and others as
 * surety_contract_read, with "NAME: parameters" or "NAME: result" in
 * reterr->source. */
SURETY_API surety_status surety_tools_add(surety_tools *tools,
                                          const surety_tool *tool,
                                          surety_error *reterr);

/* ---- commands as validators ---------------------------------------------- */

/* A command that judges a value in addition to schema and rules: it gets the
 * value as one line of JSON on its standard input, and writes its issues as a
 * JSON array, [{"path":"/a","message":"why","hint":"..."}], or nothing. Owned;
 * one thread. */
typedef struct surety_command surety_command;
typedef struct surety_command_options {
    size_t size; /* sizeof(surety_command_options) */
    /* exec:COMMAND or argv:["COMMAND", "TEXT", ...], as surety_exec_open. */
    surety_str url;
    /* Names of variables that it inherits, as surety_exec_open. */
    const surety_str *environment;
    size_t environment_count;
    uint32_t time_ms_max; /* of one value; 0: 10,000 */
    size_t bytes_max;     /* that it may write about one; 0: 1 MiB */
    /* How it is reached; then closed with it. NULL: it is started. */
    surety_transport *transport;
    const surety_alloc *alloc;
} surety_command_options;
/* Starts nothing before a value is judged. SURETY_MISUSE, SURETY_NOMEM; then a
 * given transport stays the caller's. */
SURETY_API surety_status
surety_command_new(const surety_command_options *options,
                   surety_command **ret_command, surety_error *reterr);
/* Ends what is under way. Takes NULL. */
SURETY_API void surety_command_free(surety_command *command);
/* For surety_judge_options or a tool. Its call waits at most 10 ms, and returns
 * MORE if the command is not done. SURETY_SYNTAX, SURETY_IO: the command
 * failed; SURETY_LIMIT, SURETY_TIMEOUT. name: as issues name it; it must
 * outlive the validator. */
SURETY_API surety_validator surety_command_validator(surety_command *command,
                                                     surety_str name);

/* ---- tools of a file ----------------------------------------------------- */

/* Adds the tools of a tools file (docs/tools.md): JSON with comments, checked
 * against the built-in contract surety/tools. A command runs outside of this
 * program, an HTTP call leaves it; neither gets a key but those that the file
 * names. Relative paths of commands start at folder; empty: the working folder.
 * Nothing but its servers is started before a tool is called. On failure the
 * set has the tools before the wrong one. SURETY_SYNTAX with line, column and
 * path; other statuses as surety_tools_add. */
SURETY_API surety_status surety_tools_read(surety_tools *tools, surety_str text,
                                           surety_str folder,
                                           surety_error *reterr);

/* ---- tools of a server --------------------------------------------------- */

/* A server of the Model Context Protocol, over the standard input and output of
 * its process. */
typedef struct surety_tool_server {
    size_t size;        /* sizeof(surety_tool_server) */
    surety_str command; /* JSON: ["COMMAND", "TEXT", ...]; no shell reads it */
    surety_str prefix;  /* of the names of its tools in the set */
    /* The server's names of the tools that are wanted; none: all. */
    const surety_str *only;
    size_t only_count;
    uint32_t time_ms_max;    /* of one call; 0: 60,000 */
    size_t result_bytes_max; /* 0: 262,144 */
    /* Names of the variables that the server inherits, as surety_exec_open. */
    const surety_str *environment;
    size_t environment_count;
} surety_tool_server;

/* Starts a server, and adds the tools that it lists; it ends with the set. All
 * texts are copied. In a tool's name other characters than those of a name
 * become "_", and "_2" and so on follows a name that the set has already. When
 * *cancelled (may be NULL) is not 0, it stops within 100 ms. On failure the set
 * has the tools before the wrong one. SURETY_IO: the server cannot be started
 * or breaks the protocol; SURETY_TIMEOUT after a minute; SURETY_LIMIT
 * (server_tools_max, ...); SURETY_CANCELLED; others as surety_tools_add. */
SURETY_API surety_status surety_tools_connect(surety_tools *tools,
                                              const surety_tool_server *server,
                                              const volatile int *cancelled,
                                              surety_error *reterr);

/* ---- what a set has ------------------------------------------------------ */

/* A tool as a model sees it. The texts belong to the set. */
typedef struct surety_tool_info {
    size_t size; /* sizeof(surety_tool_info) of the library */
    surety_str name;
    surety_str description; /* may be empty */
    surety_str parameters;  /* JSON Schema on one line */
    surety_str result;      /* the same; empty: any text */
    bool polls;
} surety_tool_info;

SURETY_API size_t surety_tools_count(const surety_tools *tools);
/* The i-th tool, in the order in which they were added; NULL past the last. */
SURETY_API const surety_tool_info *surety_tools_info(const surety_tools *tools,
                                                     size_t i);

/* ---- calls --------------------------------------------------------------- */

/* Why a call of a tool gave no result. ORDER tool failures (names in
 * tool/names.c). */
typedef enum surety_tool_failure {
    SURETY_TOOL_NONE = 0,
    SURETY_TOOL_UNKNOWN,     /* there is no tool of this name */
    SURETY_TOOL_ARGUMENTS,   /* the arguments do not satisfy the parameters */
    SURETY_TOOL_FAILED,      /* the tool reports that it failed */
    SURETY_TOOL_UNREACHABLE, /* it could not be started or reached */
    SURETY_TOOL_BROKEN,      /* it ended before its result was complete */
    SURETY_TOOL_TIMEOUT,     /* its time is over */
    SURETY_TOOL_LIMIT,       /* its result is longer than allowed */
    SURETY_TOOL_RESULT,      /* its result is not UTF-8, or breaks its
                              * contract */
    SURETY_TOOL_CANCELLED
} surety_tool_failure;
#define SURETY_TOOL_FAILURE_COUNT 10
/* "none", "unknown", "arguments", ...; never NULL. */
SURETY_API const char *surety_tool_failure_name(surety_tool_failure failure);

/* What a call of a tool gave. */
typedef struct surety_tool_result {
    surety_tool_failure failure;
    /* For the model: the result, or what failed and how it can be avoided. The
     * value as JSON on one line where the tool has a contract for it. */
    surety_str text;
    surety_str message;   /* why it failed: a sentence; empty with NONE */
    surety_str arguments; /* with which it was called, as JSON on one line; as
                           * the model wrote them if they are not valid */
    bool checked;         /* the result satisfies the tool's contract for it */
    bool sent;            /* the tool was called, or may have been */
} surety_tool_result;

/* Calls the tool of this name as a run does and waits for its end; the call of
 * a declared tool ends when its arguments were judged. *ret_result
 * is valid until the next call of this function, or until the set is freed.
 * When *cancelled (may be NULL) is not 0, it cancels the call within 100 ms.
 * OK for every result; SURETY_NOMEM; the status of a validator that failed, or
 * of a transport's wait. */
SURETY_API surety_status
surety_tools_call(surety_tools *tools, surety_str name, surety_str arguments,
                  const volatile int *cancelled,
                  const surety_tool_result **ret_result, surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
