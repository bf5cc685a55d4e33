/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a file: what is refused and where, commands with every end that they
 * can have, and the requests of HTTP calls. */
#include "check.h"
#include "provider/provider.h"
#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

static surety_str text(const char *zero_terminated)
{
    return surety_str_of(zero_terminated);
}

/* ---- a transport that shows its requests --------------------------------- */

struct shown {
    surety_transport transport;
    struct check *t;
    surety_buf request;
    int status;
    const char *location; /* of a redirect */
    const char *body;
};

static surety_status shown_start(void *ctx, uint64_t id,
                                 const surety_request *request,
                                 const surety_receiver *receiver,
                                 surety_error *reterr)
{
    struct shown *shown = ctx;
    const surety_header location = {text("Location"), text(shown->location),
                                    false};
    const surety_delivery delivery = {.sent = true,
                                      .failure = shown->location
                                                     ? SURETY_FAILURE_PROTOCOL
                                                     : SURETY_FAILURE_NONE};

    (void)id;
    (void)reterr;
    surety_buf_reset(&shown->request);
    surety_buf_add(&shown->request, request->method);
    surety_buf_byte(&shown->request, ' ');
    surety_buf_add(&shown->request, request->url);
    for (size_t i = 0; i < request->header_count; i++) {
        surety_buf_text(&shown->request, "\n");
        surety_buf_add(&shown->request, request->headers[i].name);
        surety_buf_text(&shown->request,
                        request->headers[i].secret ? "! " : ": ");
        surety_buf_add(&shown->request, request->headers[i].value);
    }
    surety_buf_byte(&shown->request, '\n');
    surety_buf_add(&shown->request, request->body);
    receiver->head(receiver->ctx, shown->status, &location,
                   shown->location ? 1 : 0);
    receiver->bytes(receiver->ctx, text(shown->body));
    receiver->end(receiver->ctx, &delivery);
    return shown->request.status;
}

static void shown_cancel(void *ctx, uint64_t id)
{
    (void)ctx;
    (void)id;
}

static surety_status shown_wait(void *ctx, uint32_t timeout_ms,
                                surety_error *reterr)
{
    (void)ctx;
    (void)timeout_ms;
    (void)reterr;
    return SURETY_OK;
}

static void shown_close(void *ctx)
{
    (void)ctx;
}

static void shown_init(struct shown *shown, struct check *t)
{
    *shown = (struct shown){.transport = {.version = 1,
                                          .ctx = shown,
                                          .start = shown_start,
                                          .cancel = shown_cancel,
                                          .wait = shown_wait,
                                          .close = shown_close},
                            .t = t,
                            .status = 200,
                            .body = "sunny"};
    surety_buf_init(&shown->request, check_alloc(t), 0);
}

static surety_status shown_wrap(void *ctx, surety_transport *inner,
                                surety_transport **ret_transport,
                                surety_error *reterr)
{
    struct shown *shown = ctx;

    (void)reterr;
    inner->close(inner->ctx);
    *ret_transport = &shown->transport;
    return SURETY_OK;
}

static const char *environment(void *ctx, const char *name)
{
    (void)ctx;
    return strcmp(name, "WEATHER_KEY") == 0      ? "secret-key-1"
           : strcmp(name, "BAD_KEY") == 0        ? "a\nb"
           : strcmp(name, "WEATHER_ORIGIN") == 0 ? "http://127.0.0.1:8080/"
                                                 : NULL;
}

static surety_status set_new(struct check *t, struct shown *shown,
                             surety_tools **ret_tools)
{
    const surety_tools_options options = {.size = sizeof(options),
                                          .environment = environment,
                                          .wrap = shown ? shown_wrap : NULL,
                                          .wrap_ctx = shown,
                                          .alloc = check_alloc(t)};

    return surety_tools_new(&options, ret_tools, NULL);
}

/* ---- files --------------------------------------------------------------- */

struct wrong {
    const char *file;
    uint32_t line, column;
    const char *path, *message;
};

static const struct wrong wrongs[] = {
    {"{\"tools\": [}", 1, 12, "", "found }"},
    {"{\"tools\": [], \"more\": 1}", 1, 15, "/more", "\"more\""},
    {"{\"tools\": [{\"name\": \"1\", \"command\": [\"x\"]}]}", 1, 21,
     "/tools/0/name", "pattern"},
    {"{\"tools\": [/* \u00e9 */ {\"name\": \"a\"}]}", 1, 20, "/tools/0",
     "one of the members command, shell and http"},
    {"{\"tools\": [\n  {\"name\": \"a\", \"command\": [\"x\"],\n   "
     "\"parameters\": "
     "{\"type\": \"objekt\"}}]}",
     3, 27, "/tools/0/parameters/type", "objekt"},
    {"{\"tools\": [{\"name\": \"a\", \"command\": [\"x\"]},\n{\"name\": \"a\", "
     "\"shell\": \"x\"}]}",
     2, 1, "/tools/1", "two tools called a"},
    {"{\"tools\": [{\"name\": \"unnamed\", \"command\": [\"x\"]}]}", 1, 12,
     "/tools/0", "no tool may be called unnamed"},
    {"{\"tools\": [{\"name\": \"a\", \"http\": {\"url\": "
     "\"https://h/{b}\"}}]}",
     1, 42, "/tools/0/http/url", "\"{b}\" names no argument"},
    {"{\"tools\": [{\"name\": \"a\", \"http\": {\"url\": "
     "\"https://{h}/\"}}]}",
     1, 42, "/tools/0/http/url", "pattern"},
};

TEST(wrong_files)
{
    surety_tools *tools = NULL;
    surety_error error;

    for (size_t i = 0; i < CHECK_COUNT(wrongs); i++) {
        const struct wrong *wrong = &wrongs[i];

        surety_tools_free(tools);
        tools = NULL;
        TRY(set_new(t, NULL, &tools));
        EXPECT(strstr(wrong->message, "two tools") ||
                       strstr(wrong->message, "no tool may")
                   ? SURETY_MISUSE
                   : SURETY_SYNTAX,
               surety_tools_read(tools, text(wrong->file), text(""), &error));
        CHECK(error.position.line == wrong->line);
        CHECK(error.position.column == wrong->column);
        CHECK_TEXT(text(error.path), wrong->path);
        CHECK(strstr(error.message, wrong->message));
    }
done:
    surety_tools_free(tools);
}

/* ---- commands ------------------------------------------------------------ */

static const char commands[] =
    "// What the tests call.\n"
    "{\"tools\": ["
    "{\"name\": \"echo\", \"command\": [\"cat\"], \"parameters\": "
    "{\"type\": \"object\"}},"
    "{\"name\": \"sum\", \"shell\": \"cat >/dev/null; echo '{\\\"sum\\\": "
    "4}'\","
    " \"result\": {\"properties\": {\"sum\": {\"type\": \"integer\"}}}},"
    "{\"name\": \"fails\", \"shell\": \"echo 'no such city' >&2; exit 3\"},"
    "{\"name\": \"dies\", \"shell\": \"kill -9 $$\"},"
    "{\"name\": \"hangs\", \"command\": [\"sleep\", \"600\"], \"time_ms\": "
    "100},"
    "{\"name\": \"floods\", \"shell\": \"yes\", \"result_bytes\": 1000},"
    "{\"name\": \"binary\", \"shell\": \"printf 'a\\\\377'\"},"
    "{\"name\": \"missing\", \"command\": [\"./none.sh\"]},"
    "{\"name\": \"key\", \"shell\": \"echo $TOOL_KEY\", \"env\": "
    "[\"TOOL_KEY\"]},"
    "{\"name\": \"keyless\", \"shell\": \"echo [$TOOL_KEY]\"},"
    "{\"name\": \"judged\", \"command\": [\"cat\"], \"parameters\": "
    "{\"type\": \"object\"}, \"validator\": [\"sh\", \"-c\", \"sleep 0.03; "
    "grep -q 13 && echo '[{\\\"path\\\": [\\\"a\\\"], \\\"message\\\": "
    "\\\"is unlucky\\\"}]' || true\"]}"
    "]}";

struct ending {
    const char *tool, *arguments;
    surety_tool_failure failure;
    const char *text;
};

static const struct ending endings[] = {
    {"echo", "{\"a\": \"$(id) `id` ; id\"}", SURETY_TOOL_NONE,
     "{\"a\":\"$(id) `id` ; id\"}"},
    {"sum", "{}", SURETY_TOOL_NONE, "{\"sum\":4}"},
    {"fails", "{}", SURETY_TOOL_FAILED,
     "The tool failed: the command ended with status 3: no such city."},
    {"dies", "{}", SURETY_TOOL_FAILED,
     "The tool failed: the command was ended by signal 9."},
    {"hangs", "{}", SURETY_TOOL_TIMEOUT,
     "The tool failed: the command was not done after 100 ms."},
    {"floods", "{}", SURETY_TOOL_LIMIT,
     "The tool failed: its result is longer than 1000 bytes."},
    {"binary", "{}", SURETY_TOOL_RESULT,
     "The tool failed: its result is not UTF-8 at byte 1."},
    {"missing", "{}", SURETY_TOOL_UNREACHABLE, NULL},
    {"key", "{}", SURETY_TOOL_NONE, "the key"},
    {"keyless", "{}", SURETY_TOOL_NONE, "[]"},
    {"judged", "{\"a\": 12}", SURETY_TOOL_NONE, "{\"a\":12}"},
    {"judged", "{\"a\": 13}", SURETY_TOOL_ARGUMENTS,
     "The arguments are not valid, so the tool was not called. Call it again "
     "with arguments that satisfy its parameters:\n- /a: is unlucky"},
};

TEST(commands_end)
{
    surety_tools *tools = NULL;
    const surety_tool_result *result;

    (void)setenv("TOOL_KEY", "the key", 1);
    TRY(set_new(t, NULL, &tools));
    TRY(surety_tools_read(tools, text(commands), text("/nonexistent"), NULL));
    for (size_t i = 0; i < CHECK_COUNT(endings); i++) {
        const struct ending *ending = &endings[i];

        TRY(surety_tools_call(tools, text(ending->tool),
                              text(ending->arguments), NULL, &result, NULL));
        CHECK(result->failure == ending->failure);
        if (ending->text)
            CHECK_TEXT(result->text, ending->text);
        CHECK(result->sent == (ending->failure != SURETY_TOOL_UNREACHABLE &&
                               ending->failure != SURETY_TOOL_ARGUMENTS));
        CHECK(result->checked == (strcmp(ending->tool, "sum") == 0));
    }
done:
    surety_tools_free(tools);
}

TEST(a_command_is_cancelled)
{
    const volatile int cancelled = 1;
    surety_tools *tools = NULL;
    const surety_tool_result *result;

    TRY(set_new(t, NULL, &tools));
    TRY(surety_tools_read(tools, text(commands), text(""), NULL));
    TRY(surety_tools_call(tools, text("hangs"), text("{}"), &cancelled, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_CANCELLED && result->sent);
    CHECK_TEXT(result->message, "the call was cancelled");
done:
    surety_tools_free(tools);
}

/* ---- HTTP ---------------------------------------------------------------- */

static const char weather[] =
    "{\"tools\": ["
    "{\"name\": \"weather\", \"parameters\": {\"type\": \"object\", "
    "\"properties\": {\"city\": {\"type\": \"string\"}, \"days\": {}, "
    "\"unit\": {}, \"fields\": {\"type\": \"array\"}}, \"required\": "
    "[\"city\"]},"
    " \"http\": {\"url\": \"https://api.test/v1/{city}/now?x=1\", "
    "\"query\": {\"get\": \"NAME,{fields}\", \"key\": {\"env\": "
    "\"WEATHER_KEY\"}}, \"headers\": {\"X-Unit\": \"{unit}\", "
    "\"Authorization\": {\"env\": \"WEATHER_KEY\", \"before\": \"Bearer "
    "\"}}}},"
    "{\"name\": \"report\", \"parameters\": {\"type\": \"object\", "
    "\"properties\": {\"id\": {}, \"note\": {}}}, \"http\": {\"method\": "
    "\"POST\", \"url\": \"https://api.test/reports/{id}\", \"origin_env\": "
    "\"WEATHER_ORIGIN\"}},"
    "{\"name\": \"keyless\", \"http\": {\"url\": \"https://api.test/\", "
    "\"query\": {\"key\": {\"env\": \"NO_KEY\"}}}},"
    "{\"name\": \"rows\", \"parameters\": {\"type\": \"object\", "
    "\"properties\": {\"set\": {}, \"for\": {}}}, \"http\": {\"url\": "
    "\"https://api.test/data/{+set}\", \"query\": {\"for\": \"{for}:*\", "
    "\"key\": {\"env\": \"NO_KEY\", \"optional\": true}}, \"headers\": "
    "{\"X-Key\": {\"env\": \"NO_KEY\", \"before\": \"Bearer \", "
    "\"optional\": true}}}},"
    "{\"name\": \"odd\", \"http\": {\"url\": \"https://api.test/\", "
    "\"query\": {\"key\": {\"env\": \"BAD_KEY\", \"optional\": true}}}}"
    "]}";

struct sent {
    const char *tool, *arguments, *request;
};

static const struct sent sents[] = {
    {"weather", "{\"city\": \"S\u00e3o Paulo/../x\", \"days\": 3}",
     "GET https://api.test/v1/S%C3%A3o%20Paulo%2F..%2Fx/now?x=1"
     "&key=secret-key-1&days=3\nx-surety-key! secret-key-1\n"
     "Authorization! Bearer secret-key-1\n"},
    {"weather",
     "{\"city\": \"a\", \"unit\": \"C\", \"fields\": [\"B&1\", 2], \"days\": "
     "null}",
     "GET https://api.test/v1/a/now?x=1&get=NAME,B%261,2&key=secret-key-1\n"
     "x-surety-key! secret-key-1\nX-Unit: C\n"
     "Authorization! Bearer secret-key-1\n"},
    {"report", "{\"id\": 7, \"note\": \"\u00e9\", \"more\": [1]}",
     "POST http://127.0.0.1:8080/reports/7\ncontent-type: application/json\n"
     "{\"note\":\"\u00e9\",\"more\":[1]}"},
    {"rows", "{\"set\": \"acs/acs5?x\", \"for\": \"a/b\"}",
     "GET https://api.test/data/acs/acs5%3Fx?for=a%2Fb:*\n"},
};

struct unsent {
    const char *tool, *arguments;
    surety_tool_failure failure;
    const char *message;
};

static const struct unsent unsents[] = {
    {"weather", "{\"city\": \"..\"}", SURETY_TOOL_ARGUMENTS,
     "an argument makes the path lead elsewhere: it must not be empty, \".\" "
     "or \"..\""},
    {"weather", "{\"city\": \"\"}", SURETY_TOOL_ARGUMENTS,
     "an argument makes the path lead elsewhere: it must not be empty, \".\" "
     "or \"..\""},
    {"weather", "{\"city\": \"a\", \"unit\": \"C\\r\\nX: 1\"}",
     SURETY_TOOL_ARGUMENTS, "the header X-Unit would get a control character"},
    {"report", "{}", SURETY_TOOL_ARGUMENTS, "the call needs the argument id"},
    {"keyless", "{}", SURETY_TOOL_UNREACHABLE,
     "the environment variable NO_KEY is not set"},
    {"rows", "{\"set\": \"acs/../x\"}", SURETY_TOOL_ARGUMENTS,
     "an argument makes the path lead elsewhere: it must not be empty, \".\" "
     "or \"..\""},
    {"rows", "{\"set\": \"/evil.test\"}", SURETY_TOOL_ARGUMENTS,
     "an argument makes the path lead elsewhere: it must not be empty, \".\" "
     "or \"..\""},
    {"odd", "{}", SURETY_TOOL_UNREACHABLE,
     "the environment variable BAD_KEY has a control character"},
};

TEST(http_requests)
{
    struct shown shown;
    surety_tools *tools = NULL;
    const surety_tool_result *result;

    shown_init(&shown, t);
    TRY(set_new(t, &shown, &tools));
    TRY(surety_tools_read(tools, text(weather), text(""), NULL));
    for (size_t i = 0; i < CHECK_COUNT(sents); i++) {
        TRY(surety_tools_call(tools, text(sents[i].tool),
                              text(sents[i].arguments), NULL, &result, NULL));
        CHECK(result->failure == SURETY_TOOL_NONE);
        CHECK_TEXT(surety_buf_str(&shown.request), sents[i].request);
        CHECK_TEXT(result->text, "sunny");
    }
    for (size_t i = 0; i < CHECK_COUNT(unsents); i++) {
        TRY(surety_tools_call(tools, text(unsents[i].tool),
                              text(unsents[i].arguments), NULL, &result, NULL));
        CHECK(result->failure == unsents[i].failure && !result->sent);
        CHECK_TEXT(result->message, unsents[i].message);
    }
    shown.status = 404;
    shown.body = "error: unknown variable\n";
    TRY(surety_tools_call(tools, text("report"), text("{\"id\":1}"), NULL,
                          &result, NULL));
    CHECK(result->failure == SURETY_TOOL_FAILED && result->sent);
    CHECK_TEXT(result->text,
               "The tool failed: HTTP status 404: error: unknown variable");
    shown.status = 302;
    shown.location = "/missing_key.html?key=secret-key-1";
    shown.body = "";
    TRY(surety_tools_call(tools, text("report"), text("{\"id\":2}"), NULL,
                          &result, NULL));
    CHECK_TEXT(result->message,
               "HTTP status 302, a redirect to /missing_key.html");
done:
    surety_tools_free(tools);
    surety_buf_done(&shown.request);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"wrong files", wrong_files},
        {"commands end", commands_end},
        {"a command is cancelled", a_command_is_cancelled},
        {"HTTP requests", http_requests},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
