/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of tool/ share: a call, and the kinds of tools that are called
 * over a transport. */
#ifndef SURETY_TOOL_INSIDE_H
#define SURETY_TOOL_INSIDE_H

#include "tool/tool.h"

/* The built-in contract of a tools file, embedded at build time. */
extern const surety__embedded surety__tools_contract[];
extern const size_t surety__tools_contract_count;

/* ---- kinds (command.c, remote.c) -------------------------------------------
 */

/* A response that is complete. */
typedef struct surety__tool_response {
    int status;          /* of HTTP; 0: of another kind */
    surety_str location; /* where a redirect leads; else empty */
    surety_str body;
} surety__tool_response;

/* What the response to a call has. */
typedef struct surety__tool_reply {
    surety_str text;
    bool failed; /* the tool reports that it failed, and text is its message */
} surety__tool_reply;

/* How the tools of one kind are called. All texts are in the call's arena. */
typedef struct surety__tool_kind {
    surety_status (*open)(surety_tools *tools, const surety__tool *tool,
                          surety_transport **ret_transport,
                          surety_error *reterr);
    /* Fills method, url, headers and body. SYNTAX: the arguments cannot be
     * sent. */
    surety_status (*request)(const surety_tools *tools,
                             const surety__tool *tool,
                             const surety_tool_call *call, surety__arena *arena,
                             surety_request *request, surety_error *reterr);
    /* Reads a response. NOMEM; SYNTAX: it is none of the protocol. */
    surety_status (*read)(const surety__tool_response *response,
                          surety__arena *arena, surety__tool_reply *ret_reply,
                          surety_error *reterr);
} surety__tool_kind;

extern const surety__tool_kind surety__tool_command;
extern const surety__tool_kind surety__tool_http;

/* A transport that tools of a set share. */
typedef struct surety__tool_link {
    struct surety__tool_link *next;
    const surety__tool_kind *kind;
    surety_str key;              /* equal keys of a kind share it */
    surety_transport *transport; /* NULL: not open */
} surety__tool_link;

/* Writes the arguments of a command as JSON. The path of a program that is
 * relative and has a slash starts at folder; a name without one is looked for
 * in PATH. */
void surety__tool_command_write(surety_val command, surety_str folder,
                                surety_buf *out);
/* Read what does the work of a tool of a file, into tool->spec, and give the
 * key of its link. at: the member on which an error is, if it is not the
 * tool's. SYNTAX, MISUSE, NOMEM. */
surety_status surety__tool_command_read(surety_tools *tools, surety_val row,
                                        surety_str folder, surety__tool *tool,
                                        surety_str *ret_key,
                                        surety_error *reterr);
surety_status surety__tool_http_read(surety_tools *tools, surety_val row,
                                     surety__tool *tool, surety_str *ret_key,
                                     surety_val *at, surety_error *reterr);

/* ---- tools.c ------------------------------------------------------------- */

/* Checks a tool whose member given is filled in, and adds it to the set. */
surety_status surety__tools_put(surety_tools *tools, surety__tool *tool,
                                surety_error *reterr);

/* ---- call.c -------------------------------------------------------------- */

typedef enum surety__tool_state {
    CALL_NEW = 0,
    CALL_JUDGED, /* it may begin */
    CALL_UNDER_WAY,
    CALL_ENDED
} surety__tool_state;

struct surety__tool_call {
    surety_tools *tools;
    void (*ready)(void *ctx);
    void *ready_ctx;
    const surety__tool *tool; /* NULL: unknown */
    surety__arena arena;      /* of this call */
    surety_doc *arguments;
    surety_buf output;     /* of the tool */
    surety_tool_call seen; /* what the program's function gets */
    surety_tool_result result;
    surety_str report; /* of a declared tool's arguments */
    surety__tool_state state;
    bool waits; /* the function has returned MORE */
    bool asks;  /* a validator of the arguments has */
    uint64_t deadline_ms;
    /* Of an exchange. */
    uint64_t exchange_id;           /* 0: none is under way */
    bool starved;                   /* out of memory while bytes came */
    surety__tool_response response; /* its body is output */
    surety_delivery delivery;
};

/* ---- read.c -------------------------------------------------------------- */

/* The link that a tool shares with those of the same kind and key. NULL when
 * out of memory. */
surety__tool_link *surety__tools_link(surety_tools *tools,
                                      const surety__tool_kind *kind,
                                      surety_str key);

/* ---- send.c -------------------------------------------------------------- */

/* The transport that is used in place of one that was opened (the set's option
 * wrap). On failure the inner one is closed. */
surety_status surety__tool_wrap(surety_tools *tools, surety_transport *inner,
                                surety_transport **ret_transport,
                                surety_error *reterr);
/* Opens the transport of a tool if it is not open. */
surety_status surety__tool_open(surety_tools *tools, const surety__tool *tool,
                                surety_error *reterr);

/* Sends the request of the call; the transport is opened if it is not open.
 * Fails with why nothing could be sent; SYNTAX: because of the arguments. */
surety_status surety__tool_send(surety__tool_call *call, surety_error *reterr);
/* Ends the exchange if one is under way. */
void surety__tool_stop(surety__tool_call *call);
/* The class of a delivery that failed. */
surety_tool_failure surety__tool_failure_of(const surety_delivery *delivery);

/* ---- validator.c --------------------------------------------------------- */

/* Drops the answers of a judgement that has ended. From now on those of the
 * next are kept until then. */
void surety__command_forget(surety_command *command);

/* ---- judge.c: arguments and results -------------------------------------- */

/* Judges a text of a model or a tool by a contract. */
surety_status surety__tool_judge(surety_tools *tools,
                                 const surety_contract *contract,
                                 const surety_tool *validators, surety_str text,
                                 const surety_outcome **ret_outcome,
                                 surety_error *reterr);
/* Appends a line for each error of the outcome. */
void surety__tool_issues(const surety_outcome *outcome, surety_buf *out);

#endif
