/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_message.c: writes and reads the messages of the Model Context Protocol.
 *
 * Invariants:
 * 1. A message that is written has no line end before its own.
 * 2. A client declares no capabilities. So a server may ask it for nothing but
 *    a ping, and only a server of the legacy era may do that. */
#include "provider/mcp_message.h"

#define META "io.modelcontextprotocol/"
#define MODERN "2026-07-28"
#define LEGACY "2025-11-25"
#define CLIENT "{\"name\":\"surety\",\"version\":\"" SURETY_VERSION "\"}"

enum { MCP_METHOD_NOT_FOUND = -32601 }; /* JSON-RPC 2.0, 5.1 */

static const char *const mcp_legacy_versions[] = {"2024-11-05", "2025-03-26",
                                                  "2025-06-18", LEGACY};

/* ---- writing ------------------------------------------------------------- */

static void mcp_put_begin(surety_buf *out)
{
    surety_buf_text(out, "{\"jsonrpc\":\"2.0\"");
}

void surety__mcp_write_request(uint64_t id, surety_str method,
                               surety_str params, surety__mcp_era era,
                               surety_buf *out)
{
    assert(params.len != 1);
    mcp_put_begin(out);
    surety_json_number(out, "id", id);
    surety_json_text(out, "method", method);
    surety_json_name(out, "params");
    surety_buf_byte(out, '{');
    if (era == MCP_ERA_MODERN)
        surety_buf_text(out, "\"_meta\":{\"" META "protocolVersion\":\"" MODERN
                             "\",\"" META "clientInfo\":" CLIENT ",\"" META
                             "clientCapabilities\":{}}");
    if (params.len > 2) {
        if (era == MCP_ERA_MODERN)
            surety_buf_byte(out, ',');
        surety_buf_append(out, params.ptr + 1, params.len - 2);
    }
    surety_buf_text(out, "}}\n");
}

void surety__mcp_write_discover(uint64_t id, surety_buf *out)
{
    surety__mcp_write_request(id, SURETY__LITERAL("server/discover"),
                              (surety_str){NULL, 0}, MCP_ERA_MODERN, out);
}

void surety__mcp_write_initialize(uint64_t id, surety_buf *out)
{
    surety__mcp_write_request(
        id, SURETY__LITERAL("initialize"),
        SURETY__LITERAL("{\"protocolVersion\":\"" LEGACY
                        "\",\"capabilities\":{},\"clientInfo\":" CLIENT "}"),
        MCP_ERA_LEGACY, out);
}

void surety__mcp_write_initialized(surety_buf *out)
{
    mcp_put_begin(out);
    surety_buf_text(out, ",\"method\":\"notifications/initialized\"}\n");
}

void surety__mcp_write_cancelled(uint64_t id, const char *reason,
                                 surety_buf *out)
{
    mcp_put_begin(out);
    surety_buf_text(out,
                    ",\"method\":\"notifications/cancelled\",\"params\":{");
    surety_json_number(out, "requestId", id);
    surety_json_text(out, "reason", surety_str_of(reason));
    surety_buf_text(out, "}}\n");
}

void surety__mcp_write_answer(surety_val request, surety_buf *out)
{
    mcp_put_begin(out);
    surety_json_value(out, "id", surety_val_get(request, "id"));
    if (surety_val_is(surety_val_get(request, "method"), "ping"))
        surety_buf_text(out, ",\"result\":{}}\n");
    else
        surety__buf_printf(out,
                           ",\"error\":{\"code\":%d,"
                           "\"message\":\"the client does not offer this\"}}\n",
                           MCP_METHOD_NOT_FOUND);
}

/* ---- reading ------------------------------------------------------------- */

surety__mcp_kind surety__mcp_kind_of(surety_val message, uint64_t *ret_id)
{
    const surety_val id = surety_val_get(message, "id");

    *ret_id = 0;
    if (!id.doc || !surety_val_is(surety_val_get(message, "jsonrpc"), "2.0"))
        return MCP_OTHER;
    if (surety_val_get(message, "method").doc)
        return MCP_REQUEST;
    *ret_id = surety_val_uint(id, 0);
    return MCP_RESPONSE;
}

static bool mcp_has_modern(surety_val versions)
{
    SURETY_EACH (version, versions)
        if (surety_val_is(version, MODERN))
            return true;
    return false;
}

bool surety__mcp_offers_modern(surety_val response)
{
    const surety_val result = surety_val_get(response, "result");
    const surety_val data =
        surety_val_get(surety_val_get(response, "error"), "data");

    return mcp_has_modern(surety_val_get(result, "supportedVersions")) ||
           mcp_has_modern(surety_val_get(data, "supported"));
}

bool surety__mcp_offers_legacy(surety_val response)
{
    const surety_val version =
        surety_val_get(surety_val_get(response, "result"), "protocolVersion");

    for (size_t i = 0; i < SURETY__COUNT(mcp_legacy_versions); i++)
        if (surety_val_is(version, mcp_legacy_versions[i]))
            return true;
    return false;
}
