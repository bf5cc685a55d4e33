/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the messages of the Model Context Protocol: JSON-RPC 2.0.
 *
 * There are two eras of the protocol. Up to the revision 2025-11-25 a client
 * begins with `initialize`. From 2026-07-28 on there is no beginning: every
 * request names its revision in _meta. Both are served at once, because each
 * request shows its era. A client may probe with server/discover and still use
 * `initialize` afterwards. Answers to earlier revisions leave out the members
 * that only the later one has (resultType, the server's name in _meta). */
#include "mcp.h"

#define META "io.modelcontextprotocol/"

static const char *const legacy_versions[] = {"2024-11-05", "2025-03-26",
                                              "2025-06-18", MCP_LEGACY};

static void put_peer(const struct mcp_peer *peer, surety_buf *out)
{
    surety_buf_text(out, "{\"jsonrpc\":\"2.0\"");
    if (peer->id.len > 0) {
        surety_json_name(out, "id");
        surety_buf_add(out, peer->id);
    }
}

void mcp_refuse(const struct mcp_peer *peer, enum mcp_code code,
                const char *message, surety_str data, surety_buf *out)
{
    put_peer(peer, out);
    put_format(out, ",\"error\":{\"code\":%d", (int)code);
    surety_json_text(out, "message", surety_str_of(message));
    if (data.len > 0) {
        surety_json_name(out, "data");
        surety_buf_add(out, data);
    }
    surety_buf_text(out, "}}\n");
}

/* Appends the name and the version of this server as a member. */
static void put_server(const char *name, surety_buf *out)
{
    surety_json_name(out, name);
    surety_buf_text(out, "{\"name\":\"surety\",\"title\":\"Surety\"");
    surety_json_text(out, "version", surety_str_of(surety_version()));
    surety_buf_byte(out, '}');
}

void mcp_result_begin(const struct mcp_peer *peer, surety_buf *out)
{
    put_peer(peer, out);
    surety_buf_text(out, ",\"result\":{");
    if (!peer->is_modern)
        return;
    surety_buf_text(out, "\"resultType\":\"complete\",\"_meta\":{");
    put_server(META "serverInfo", out);
    surety_buf_byte(out, '}');
}

void mcp_result_end(surety_buf *out)
{
    surety_buf_text(out, "}}\n");
}

/* ---- reading --------------------------------------------------------------
 */

/* Checks what a request says about its revision. False: the answer is
 * written. */
static bool check_version(struct mcp_message *message, surety_buf *out)
{
    const surety_val meta = surety_val_get(message->params, "_meta");
    const surety_val version = surety_val_get(meta, META "protocolVersion");
    surety_buf data;

    message->peer.is_modern = version.doc != NULL;
    if (!message->peer.is_modern || !message->is_request)
        return true;
    if (!surety_val_is(version, MCP_MODERN)) {
        surety_buf_init(&data, NULL, 0);
        surety_buf_text(&data, "{\"supported\":[\"" MCP_MODERN "\"]");
        surety_json_value(&data, "requested", version);
        surety_buf_byte(&data, '}');
        mcp_refuse(&message->peer, MCP_UNSUPPORTED_VERSION,
                   "this revision of the protocol is not supported",
                   surety_buf_str(&data), out);
        surety_buf_done(&data);
        return false;
    }
    if (surety_val_kind(surety_val_get(meta, META "clientCapabilities")) ==
        SURETY_KIND_OBJECT)
        return true;
    mcp_refuse(&message->peer, MCP_INVALID_PARAMS,
               "_meta has no object " META "clientCapabilities", NO_TEXT, out);
    return false;
}

bool mcp_message_read(surety_val root, struct mcp_message *ret_message,
                      surety_buf *ids, surety_buf *out)
{
    const surety_val id = surety_val_get(root, "id");
    const surety_val method = surety_val_get(root, "method");
    const bool is_id =
        surety_val_kind(id) == SURETY_KIND_STRING || surety_val_is_integer(id);
    struct mcp_message message = {.params = surety_val_get(root, "params"),
                                  .is_request = id.doc != NULL};
    const char *fault = NULL;

    surety_buf_reset(ids);
    if (is_id) {
        surety_val_write(id, SURETY_STYLE_COMPACT, ids);
        message.peer.id = surety_buf_str(ids);
    }
    if (surety_val_kind(root) != SURETY_KIND_OBJECT ||
        !surety_val_is(surety_val_get(root, "jsonrpc"), "2.0"))
        fault = "a message is an object with \"jsonrpc\": \"2.0\"";
    else if (id.doc && !is_id)
        fault = "an id is a string or an integer";
    else if (method.doc && surety_val_kind(method) != SURETY_KIND_STRING)
        fault = "a method is a string";
    else if (!method.doc && !surety_val_get(root, "result").doc &&
             !surety_val_get(root, "error").doc)
        fault = "a message has a method";
    else if (message.params.doc &&
             surety_val_kind(message.params) != SURETY_KIND_OBJECT)
        fault = "params is an object";
    if (fault) {
        mcp_refuse(&message.peer, MCP_INVALID_REQUEST, fault, NO_TEXT, out);
        return false;
    }
    message.method = surety_val_str(method);
    *ret_message = message;
    return check_version(ret_message, out);
}

/* ---- the opening -----------------------------------------------------------
 */

static void put_about(surety_buf *out)
{
    surety_json_name(out, "capabilities");
    surety_buf_text(out, "{\"tools\":{}}");
    surety_json_text(
        out, "instructions",
        surety_str_of(
            "Surety finds the JSON in the text of a language model, repairs "
            "it, checks it against a contract (a JSON Schema, or a name that "
            "contracts_list gives), and reports each error with its place. Use "
            "check when there is a contract, extract or repair when there is "
            "none, validate for JSON files and schemas."));
}

void mcp_initialize(const struct mcp_message *message, surety_buf *out)
{
    const surety_val requested =
        surety_val_get(message->params, "protocolVersion");
    const char *version = MCP_LEGACY;

    for (size_t i = 0; i < COUNT_OF(legacy_versions); i++)
        if (surety_val_is(requested, legacy_versions[i]))
            version = legacy_versions[i];
    mcp_result_begin(&message->peer, out);
    surety_json_text(out, "protocolVersion", surety_str_of(version));
    put_server("serverInfo", out);
    put_about(out);
    mcp_result_end(out);
}

void mcp_discover(const struct mcp_peer *peer, surety_buf *out)
{
    const struct mcp_peer modern = {peer->id, true};

    mcp_result_begin(&modern, out);
    surety_json_name(out, "supportedVersions");
    surety_buf_text(out, "[\"" MCP_MODERN "\"]");
    put_about(out);
    surety_buf_text(out, ",\"ttlMs\":3600000,\"cacheScope\":\"public\"");
    mcp_result_end(out);
}
