/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_message.h: the messages of the Model Context Protocol (JSON-RPC 2.0), as
 * a client writes and reads them. */
#ifndef SURETY_PROVIDER_MCP_MESSAGE_H
#define SURETY_PROVIDER_MCP_MESSAGE_H

#include <surety/json.h>

#include "base/base.h"

/* The era of a server. Up to the revision 2025-11-25 the client begins with
 * `initialize`. From 2026-07-28 on every request names its revision. */
typedef enum surety__mcp_era {
    MCP_ERA_UNKNOWN = 0,
    MCP_ERA_LEGACY,
    MCP_ERA_MODERN
} surety__mcp_era;

/* ---- writing: each appends one message, a line --------------------------- */

/* params: an object on one line, without _meta; or empty. */
void surety__mcp_write_request(uint64_t id, surety_str method,
                               surety_str params, surety__mcp_era era,
                               surety_buf *out);
/* The two ways to begin. */
void surety__mcp_write_discover(uint64_t id, surety_buf *out);
void surety__mcp_write_initialize(uint64_t id, surety_buf *out);
/* Follows the answer to initialize. */
void surety__mcp_write_initialized(surety_buf *out);
void surety__mcp_write_cancelled(uint64_t id, const char *reason,
                                 surety_buf *out);
/* Answers a request of the server: a ping; it may ask for nothing else. */
void surety__mcp_write_answer(surety_val request, surety_buf *out);

/* ---- reading ------------------------------------------------------------- */

typedef enum surety__mcp_kind {
    MCP_OTHER = 0, /* a notification, or no message */
    MCP_REQUEST,
    MCP_RESPONSE
} surety__mcp_kind;
/* What a message is. ret_id: of a response; 0 where it is none of ours. */
surety__mcp_kind surety__mcp_kind_of(surety_val message, uint64_t *ret_id);

/* Whether the answer to server/discover or initialize names the modern revision
 * as one that the server supports. */
bool surety__mcp_offers_modern(surety_val response);
/* Whether the answer to initialize agrees to a legacy revision. */
bool surety__mcp_offers_legacy(surety_val response);

#endif
