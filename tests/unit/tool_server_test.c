/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of servers of the Model Context Protocol: what is listed, how they are
 * named and called, what of their results the model reads. Servers are scripts
 * of the shell; those that a file names, too. */
#include "check.h"

#include <string.h>

#include "base/base.h"
#include "tool/tool.h"

/* `answer ID RESULT` of a server, and the answer to the probe. */
#define ANSWER                                                                 \
    "answer() { printf '%s\\n' \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$1,"  \
    "$2}\"; }; read l; "                                                       \
    "answer 1 '\"result\":{\"supportedVersions\":[\"2026-07-28\"]}'; read l; "
#define TOOL(name)                                                             \
    "{\"name\":\"" name "\",\"inputSchema\":{\"type\":\"object\"}}"
#define LIST(tools) "answer 2 '\"result\":{\"tools\":[" tools "]}'; "

static surety_status set_new(struct check *t, const surety_limits *limits,
                             surety_tools **ret_tools)
{
    const surety_tools_options options = {
        .size = sizeof(options), .limits = limits, .alloc = check_alloc(t)};

    return surety_tools_new(&options, ret_tools, NULL);
}

/* Adds the tools of a script. */
static surety_status connect_to(surety_tools *tools, const char *script,
                                const char *only, const char *prefix,
                                surety_error *reterr)
{
    const surety_str wanted = surety_str_of(only);
    surety_tool_server server = {.size = sizeof(server),
                                 .prefix = surety_str_of(prefix),
                                 .only = &wanted,
                                 .only_count = only ? 1 : 0};
    surety_buf text;
    surety_buf command;
    surety_status status;

    surety_buf_init(&text, NULL, 0);
    surety_buf_init(&command, NULL, 0);
    surety_buf_text(&text, ANSWER);
    surety_buf_text(&text, script);
    surety_buf_text(&command, "[\"sh\",\"-c\",");
    surety_json_string(&command, surety_buf_str(&text));
    surety_buf_byte(&command, ']');
    server.command = surety_buf_str(&command);
    status = surety_tools_connect(tools, &server, NULL, reterr);
    surety_buf_done(&text);
    surety_buf_done(&command);
    return status;
}

TEST(lists_every_page)
{
    static const char *const names[] = {"admin_list", "_2nd", "a", "a_2"};
    surety_tools *tools = NULL;

    TRY(set_new(t, NULL, &tools));
    TRY(connect_to(
        tools,
        "answer 2 '\"result\":{\"tools\":[{\"name\":\"admin.list\","
        "\"title\":\"Lists\",\"inputSchema\":{\"type\":\"object\","
        "\"x-surety\":{\"rules\":[1]},\"required\":[\"x\"]},\"outputSchema\":{"
        "\"type\":\"array\"}}],\"nextCursor\":\"\"}'; read l; "
        "case \"$l\" in *'\"cursor\":\"\"'*) answer 3 '\"result\":{\"tools\":["
        "" TOOL("2nd") "," TOOL("a") "," TOOL("a") "]}';; esac; read end",
        NULL, "", NULL));
    CHECK(surety_tools_count(tools) == 4);
    for (size_t i = 0; i < CHECK_COUNT(names); i++)
        CHECK_TEXT(surety_tools_info(tools, i)->name, names[i]);
    CHECK_TEXT(surety_tools_info(tools, 0)->description, "Lists");
    CHECK_TEXT(surety_tools_info(tools, 0)->parameters,
               "{\"type\":\"object\",\"required\":[\"x\"]}");
    CHECK_TEXT(surety_tools_info(tools, 0)->result, "{\"type\":\"array\"}");
done:
    surety_tools_free(tools);
}

TEST(adds_the_tools_that_are_wanted)
{
    surety_tools *tools = NULL;

    TRY(set_new(t, NULL, &tools));
    TRY(connect_to(tools, LIST(TOOL("a") "," TOOL("b")) "read end", "b", "x-",
                   NULL));
    CHECK(surety_tools_count(tools) == 1);
    CHECK_TEXT(surety_tools_info(tools, 0)->name, "x-b");
done:
    surety_tools_free(tools);
}

TEST(reads_results)
{
    static const struct {
        const char *answer;
        surety_tool_failure failure;
        const char *text;
    } cases[] = {
        {"\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
         "{\"type\":\"text\",\"text\":\"b\"}]}",
         SURETY_TOOL_NONE, "a\nb"},
        {"\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"\","
         "\"mimeType\":\"image/png\"},{\"type\":\"resource_link\",\"uri\":"
         "\"file:///x\"},{\"type\":\"resource\",\"resource\":{\"uri\":\"u\","
         "\"text\":\"c\"}}]}",
         SURETY_TOOL_NONE,
         "[image of the type image/png]\n[resource_link: file:///x]\nc"},
        {"\"result\":{\"resultType\":\"complete\",\"content\":[],"
         "\"structuredContent\": {\"n\": 1.50}}",
         SURETY_TOOL_NONE, "{\"n\":1.50}"},
        {"\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],"
         "\"structuredContent\":1,\"isError\":true}",
         SURETY_TOOL_FAILED, "The tool failed: no"},
        {"\"error\":{\"code\":-32602,\"message\":\"what?\"}",
         SURETY_TOOL_FAILED, "The tool failed: what?"},
        {"\"result\":{\"resultType\":\"input_required\"}", SURETY_TOOL_FAILED,
         "The tool failed: the server asks for more input, which a run does "
         "not give"},
        {"\"x\":1", SURETY_TOOL_BROKEN,
         "The tool failed: the server's response has neither a result nor an "
         "error."},
    };
    surety_tools *tools = NULL;
    const surety_tool_result *result;

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_buf script;
        surety_status status;

        TRY(set_new(t, NULL, &tools));
        surety_buf_init(&script, NULL, 0);
        surety_buf_text(
            &script,
            LIST(TOOL("a.b")) "read l; case \"$l\" in "
                              "*'\"name\":\"a.b\",\"arguments\":{\"x\":1}'*"
                              ") answer 3 '");
        surety_buf_text(&script, cases[i].answer);
        surety_buf_text(&script, "';; esac; read end");
        surety_buf_byte(&script, '\0');
        status = connect_to(tools, script.ptr, NULL, "", NULL);
        surety_buf_done(&script);
        TRY(status);
        TRY(surety_tools_call(tools, surety_str_of("a_b"),
                              surety_str_of("{\"x\": 1}"), NULL, &result,
                              NULL));
        CHECK(result->failure == cases[i].failure);
        CHECK_TEXT(result->text, cases[i].text);
        surety_tools_free(tools);
        tools = NULL;
    }
done:
    surety_tools_free(tools);
}

TEST(says_why_nothing_can_be_listed)
{
    static const struct {
        const char *script;
        surety_status status;
        const char *message;
    } cases[] = {
        {"answer 2 '\"error\":{\"message\":\"no\"}'; read end", SURETY_IO,
         "the server refuses to list its tools: no"},
        {"answer 2 '\"result\":{}'; read end", SURETY_IO,
         "the server's list has no tools"},
        {LIST("{}") "read end", SURETY_IO, "a tool of the server has no name"},
        {LIST(TOOL("a") "," TOOL("b") "," TOOL("c")) "read end", SURETY_LIMIT,
         "the server has more than 2 tools (server_tools_max)"},
        {"for i in 2 3 4; do answer $i '\"result\":{\"tools\":[],"
         "\"nextCursor\":\"x\"}'; read l; done",
         SURETY_LIMIT,
         "the server's list has more than 2 pages (server_tools_max)"},
        {"exit 3", SURETY_IO,
         "the server's tools cannot be listed: the server ended with status "
         "3"},
    };
    const surety_limits limits = {.size = sizeof(limits),
                                  .server_tools_max = 2};
    surety_tools *tools = NULL;
    surety_error error;

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        TRY(set_new(t, &limits, &tools));
        EXPECT(cases[i].status,
               connect_to(tools, cases[i].script, NULL, "", &error));
        CHECK_TEXT(surety_str_of(error.message), cases[i].message);
        surety_tools_free(tools);
        tools = NULL;
    }
done:
    surety_tools_free(tools);
}

TEST(stops_when_it_is_cancelled)
{
    const volatile int cancelled = 1;
    const surety_tool_server server = {
        .size = sizeof(server),
        .command = surety_str_of("[\"sh\",\"-c\",\"read l; read l\"]")};
    surety_tools *tools = NULL;

    TRY(set_new(t, NULL, &tools));
    EXPECT(SURETY_CANCELLED,
           surety_tools_connect(tools, &server, &cancelled, NULL));
done:
    surety_tools_free(tools);
}

TEST(takes_servers_from_a_file)
{
    surety_tools *tools = NULL;
    surety_error error;

    TRY(set_new(t, NULL, &tools));
    TRY(surety_tools_read(
        tools,
        surety_str_of("{\"tools\": [], \"servers\": [{\"mcp\": [\"sh\", \"-c\","
                      "\""
                      "read l; echo '{\\\"jsonrpc\\\":\\\"2.0\\\","
                      "\\\"id\\\":1,\\\"result\\\":{\\\"supportedVersions\\\":["
                      "\\\"2026-07-28\\\"]}}'; read l; echo '{\\\"jsonrpc\\\":"
                      "\\\"2.0\\\",\\\"id\\\":2,\\\"result\\\":{\\\"tools\\\":["
                      "{\\\"name\\\":\\\"a\\\",\\\"inputSchema\\\":{"
                      "\\\"type\\\":\\\"object\\\"}}]}}'; read l\"],"
                      "\"prefix\": \"s_\", \"only\": [\"a\"]}]}"),
        surety_str_of(""), NULL));
    CHECK(surety_tools_count(tools) == 1);
    CHECK_TEXT(surety_tools_info(tools, 0)->name, "s_a");
    EXPECT(SURETY_IO,
           surety_tools_read(tools,
                             surety_str_of("{\"tools\": [],\n \"servers\": ["
                                           "{\"mcp\": [\"./nothing\"]}]}"),
                             surety_str_of("/nowhere"), &error));
    CHECK(error.position.line == 2);
    CHECK_TEXT(surety_str_of(error.path), "/servers/0");
done:
    surety_tools_free(tools);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"lists every page", lists_every_page},
        {"adds the tools that are wanted", adds_the_tools_that_are_wanted},
        {"reads results", reads_results},
        {"says why nothing can be listed", says_why_nothing_can_be_listed},
        {"stops when it is cancelled", stops_when_it_is_cancelled},
        {"takes servers from a file", takes_servers_from_a_file},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
