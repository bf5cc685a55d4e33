/* SPDX-License-Identifier: Apache-2.0 */
/* mcp.h: the parts of surety mcp, a server of the Model Context Protocol
 * (https://modelcontextprotocol.io) on standard input and output: its messages
 * (mcp_message.c), its tools (mcp_tools.c), and the calls of tools, each of
 * which is a process (mcp_call.c). cmd_mcp.c puts them together. */
#ifndef CLI_MCP_H
#define CLI_MCP_H

#include <poll.h>
#include <sys/types.h>

#include "options.h"

/* ---- mcp_message.c: JSON-RPC 2.0, one message a line ----------------------
 */

/* The error codes of JSON-RPC 2.0, section 5.1, and of the protocol. */
enum mcp_code {
    MCP_PARSE_ERROR = -32700,
    MCP_INVALID_REQUEST = -32600,
    MCP_METHOD_NOT_FOUND = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_INTERNAL_ERROR = -32603,
    MCP_UNSUPPORTED_VERSION = -32022
};

/* The revision whose requests name it in _meta, and need no handshake. */
#define MCP_MODERN "2026-07-28"
/* The newest revision with the handshake of `initialize`. */
#define MCP_LEGACY "2025-11-25"

/* To whom an answer goes. */
struct mcp_peer {
    surety_str id; /* the id of the request, as JSON; empty: it has none */
    bool is_modern;
};

/* A message of the client. It refers to the document that it was read from. */
struct mcp_message {
    struct mcp_peer peer;
    surety_str method; /* empty: the message is a response */
    surety_val params;
    bool is_request; /* it has an id, and gets an answer */
};
/* Takes a message apart; its id is written to ids, which must outlive it.
 * False: it is no valid message, and the answer is written. */
bool mcp_message_read(surety_val root, struct mcp_message *ret_message,
                      surety_buf *ids, surety_buf *out);

/* Appends an error as the answer. data: JSON, may be empty. */
void mcp_refuse(const struct mcp_peer *peer, enum mcp_code code,
                const char *message, surety_str data, surety_buf *out);
/* Begin and end an answer with a result; between them the caller appends the
 * result's members. */
void mcp_result_begin(const struct mcp_peer *peer, surety_buf *out);
void mcp_result_end(surety_buf *out);
/* The result of `initialize` and of `server/discover`. */
void mcp_initialize(const struct mcp_message *message, surety_buf *out);
void mcp_discover(const struct mcp_peer *peer, surety_buf *out);

/* ---- mcp_tools.c: the tools ------------------------------------------------
 */

/* A tool is a command of surety. What a call gives is the command's options and
 * operands, so that both always do the same. */
struct mcp_tool;

/* Returns the tool of that name; NULL: there is none. */
const struct mcp_tool *mcp_tool_find(surety_str name);
/* Appends the member "tools" of the result of tools/list. */
void mcp_tools_list(surety_buf *out);

/* A file that a call needs. */
struct mcp_file {
    const char *name; /* of the tool's member, without a suffix */
    surety_val value;
};
enum { MCP_FILES_MAX = 2 };

/* The command line of a call. */
struct mcp_command {
    surety_buf words; /* each word ends with a NUL */
    size_t count;
    surety_buf input; /* for standard input */
    struct mcp_file files[MCP_FILES_MAX];
    size_t file_count;
};
void mcp_command_init(struct mcp_command *command);
void mcp_command_done(struct mcp_command *command);
/* What every call of a server has. */
struct mcp_world {
    const char *folder;         /* for the files of calls */
    const struct texts *limits; /* the arguments of --limit */
};
/* Makes the command line from a call's arguments, an object. False: the
 * arguments are wrong, and why is in errors, for the model. */
bool mcp_command_make(const struct mcp_tool *tool, surety_val arguments,
                      const struct mcp_world *world,
                      struct mcp_command *command, surety_buf *errors);

/* What a process wrote, and how it ended. */
struct mcp_output {
    surety_str out, err;
    int code;            /* the exit code; -1: it did not end by itself */
    const char *failure; /* NULL, or a sentence instead of a result */
};
/* Appends the members of the result of tools/call. */
void mcp_tool_result(const struct mcp_tool *tool,
                     const struct mcp_output *output, surety_buf *out);
/* The result of a call that failed before a process was started. */
void mcp_tool_failure(surety_str text, surety_buf *out);

/* ---- mcp_call.c: calls as processes ----------------------------------------
 */

struct mcp_call;

struct mcp_call_options {
    uint64_t timeout_ms;
    size_t bytes_max; /* of what a process writes */
};

/* Returns a call that is not started, and takes over id (JSON). NULL: no
 * memory. */
struct mcp_call *mcp_call_new(const struct mcp_tool *tool, surety_str id,
                              bool is_modern);
/* Ends the process if it runs, and frees the call. */
void mcp_call_free(struct mcp_call *call);
struct mcp_peer mcp_call_peer(const struct mcp_call *call);
/* Makes the command line of the call. False: why is in errors. */
bool mcp_call_prepare(struct mcp_call *call, surety_val arguments,
                      const struct mcp_world *world, surety_buf *errors);
/* Starts the process. False: why is in errors. */
bool mcp_call_start(struct mcp_call *call,
                    const struct mcp_call_options *options, uint64_t now_ms,
                    surety_buf *errors);
bool mcp_call_is_started(const struct mcp_call *call);
/* Writes what to wait for; at most MCP_CALL_FDS. Returns how many. */
enum { MCP_CALL_FDS = 3 };
size_t mcp_call_watch(const struct mcp_call *call, struct pollfd *fds);
/* Moves bytes, as far as that does not block. Returns whether the process has
 * ended, or was ended because a limit was exceeded. */
bool mcp_call_move(struct mcp_call *call,
                   const struct mcp_call_options *options, uint64_t now_ms);
/* The time at which the process is ended. */
uint64_t mcp_call_deadline(const struct mcp_call *call);
/* Appends the members of the result, after mcp_call_move returned true. */
void mcp_call_result(struct mcp_call *call, surety_buf *out);

#endif
