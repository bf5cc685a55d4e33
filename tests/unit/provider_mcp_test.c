/* SPDX-License-Identifier: Apache-2.0 */
/* The transport to a server of the Model Context Protocol: servers are scripts
 * of the shell that answer line by line, and show what they read. */
#include "check.h"
#include "heard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/base.h"
#include "provider/provider.h"

#define NEVER_MS 600000 /* more than a test may take */

/* Functions of a server: `answer ID RESULT`, `refuse ID DATA`, `log TEXT`. */
#define ANSWER                                                                 \
    "answer() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\\n' "    \
    "\"$1\" \"$2\"; }; "                                                       \
    "refuse() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":"             \
    "{\"code\":-32601,\"message\":\"no\",\"data\":%s}}\\n' \"$1\" \"$2\"; }; "
#define MODERN "answer 1 '{\"supportedVersions\":[\"2026-07-28\"]}'; "
#define LEGACY "answer 2 '{\"protocolVersion\":\"2025-06-18\"}'; "

/* A server and an exchange or two. */
struct talk {
    surety_buf command, url;
    surety_transport *transport;
    struct heard heard[2];
    surety_receiver receivers[2];
};

static void talk_init(struct talk *talk, struct check *t)
{
    *talk = (struct talk){.transport = NULL};
    for (int i = 0; i < 2; i++) {
        heard_init(&talk->heard[i], check_alloc(t));
        talk->receivers[i] = heard_receiver(&talk->heard[i]);
    }
}

/* Opens the transport to a script. probe_ms: how long the probe waits. */
static surety_status talk_open(struct talk *talk, struct check *t,
                               const char *script, uint32_t probe_ms)
{
    static const surety_limits limits = {.size = sizeof(limits),
                                         .text_bytes_max = 20000};
    surety_buf text;
    surety_status status;

    surety_buf_init(&talk->command, NULL, 0);
    surety_buf_init(&talk->url, NULL, 0);
    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, ANSWER);
    surety_buf_text(&text, script);
    surety_buf_text(&talk->command, "[\"sh\",\"-c\",");
    surety_json_string(&talk->command, surety_buf_str(&text));
    surety_buf_byte(&talk->command, ']');
    surety_buf_text(&talk->url, "mcp:");
    surety_buf_add(&talk->url, surety_buf_str(&talk->command));
    surety_buf_done(&text);
    status = surety__mcp_open(
        &(surety__mcp_options){.command = surety_buf_str(&talk->command),
                               .limits = &limits,
                               .probe_ms = probe_ms,
                               .open_ms = NEVER_MS,
                               .alloc = check_alloc(t)},
        &talk->transport, NULL);
    return status;
}

/* Starts exchange i. */
static surety_status talk_start(struct talk *talk, size_t i, const char *method,
                                const char *params)
{
    const surety_request request = {
        .size = sizeof(request),
        .method = surety_str_of(method),
        .url = surety_buf_str(&talk->url),
        .body = surety_str_of(params),
        .timeouts = {.total_ms = NEVER_MS, .first_byte_ms = NEVER_MS},
        .response_bytes_max = 4000};

    return talk->transport->start(talk->transport->ctx, i + 1, &request,
                                  &talk->receivers[i], NULL);
}

/* Waits until exchange i has ended the given number of times. */
static surety_status talk_wait(struct talk *talk, size_t i, int ends)
{
    surety_status status = SURETY_OK;

    while (!status && (int)talk->heard[i].ends < ends)
        status = talk->transport->wait(talk->transport->ctx, 1000, NULL);
    return status ? status : talk->heard[i].body.status;
}

static void talk_done(struct talk *talk)
{
    if (talk->transport)
        talk->transport->close(talk->transport->ctx);
    for (int i = 0; i < 2; i++)
        heard_done(&talk->heard[i]);
    surety_buf_done(&talk->command);
    surety_buf_done(&talk->url);
}

TEST(asks_a_modern_server)
{
    struct talk talk;

    talk_init(&talk, t);
    TRY(talk_open(&talk, t,
                  "echo 'Welcome!'; echo '{\"id\":1}'; read l; answer 1 \"{"
                  "\\\"supportedVersions\\\":[\\\"2026-07-28\\\"],"
                  "\\\"probe\\\":$l}\"; read a; read b; "
                  "echo '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}';"
                  "answer 7 '\"not asked for\"'; "
                  "answer 3 \"$b\"; answer 2 \"$a\"; read end",
                  NEVER_MS));
    TRY(talk_start(&talk, 0, "tools/list", ""));
    TRY(talk_start(&talk, 1, "tools/call", "{\"name\": \"a\",\n\"x\": 1.0}"));
    EXPECT(SURETY_MISUSE, talk_start(&talk, 1, "tools/list", ""));
    TRY(talk_wait(&talk, 0, 1));
    TRY(talk_wait(&talk, 1, 1));
    CHECK(!talk.heard[0].failure && !talk.heard[1].failure);
    CHECK_TEXT(surety_buf_str(&talk.heard[0].body),
               "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"jsonrpc\":\"2.0\","
               "\"id\":2,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
               "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
               "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"surety\","
               "\"version\":\"" SURETY_VERSION "\"},"
               "\"io.modelcontextprotocol/clientCapabilities\":{}}}}}");
    CHECK(surety__str_find(surety_buf_str(&talk.heard[1].body),
                           surety_str_of("{}},\"name\":\"a\",\"x\":1.0}}}")) <
          talk.heard[1].body.len);
done:
    talk_done(&talk);
}

TEST(begins_anew_with_a_legacy_server)
{
    /* It ends at everything before initialize, asks for a ping and for roots,
     * and sends its answer in an array. */
    static const char script[] =
        "read l; case \"$l\" in *initialize*) ;; *) exit 1;; esac; "
        "echo '{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}'; "
        "read p; " LEGACY "read i; read q; "
        "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}'; "
        "read r; printf '[1,'; answer 9 null | tr '\\n' ','; "
        "answer 3 \"[$l,$p,$i,$q,$r]\" | tr '\\n' ']'; echo; read end";
    struct talk talk;

    talk_init(&talk, t);
    TRY(talk_open(&talk, t, script, NEVER_MS));
    TRY(talk_start(&talk, 0, "tools/list", "{\"cursor\":\"\"}"));
    TRY(talk_wait(&talk, 0, 1));
    CHECK(!talk.heard[0].failure);
    CHECK_TEXT(
        surety_buf_str(&talk.heard[0].body),
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":[{\"jsonrpc\":\"2.0\","
        "\"id\":2,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":"
        "\"surety\",\"version\":\"" SURETY_VERSION "\"}}},"
        "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}},"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},"
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{"
        "\"cursor\":\"\"}},{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":"
        "-32601,\"message\":\"the client does not offer this\"}}]}");
done:
    talk_done(&talk);
}

TEST(finds_the_era_of_slow_and_strange_servers)
{
    static const struct {
        const char *script;
        uint32_t probe_ms;
        surety_failure failure;
        const char *text; /* the result, or the message */
    } cases[] = {
        /* Legacy, and silent to what it does not know. */
        {"while read l; do case \"$l\" in *initialize\\\"*) " LEGACY
         ";; *tools*) answer 3 5;; esac; done",
         5, SURETY_FAILURE_NONE, "5"},
        /* Legacy, and refuses the probe. */
        {"while read l; do case \"$l\" in *initialize\\\"*) " LEGACY
         ";; *tools*) answer 3 5;; *discover*) refuse 1 null;; esac; done",
         NEVER_MS, SURETY_FAILURE_NONE, "5"},
        /* Modern, and too slow for the probe; the second process names the
         * revision in its refusal, or answers when it is asked again. */
        {"while read l; do case \"$l\" in *initialize*) refuse 2 "
         "'{\"supported\":[\"2026-07-28\"]}';; *tools*) answer 3 5;; esac; "
         "done",
         5, SURETY_FAILURE_NONE, "5"},
        {"s=; while read l; do case \"$l\" in *initialize*) s=1; "
         "refuse 2 null;; *tools*) answer 4 5;; *discover*) "
         "[ $s ] && answer 3 '{\"supportedVersions\":[\"2026-07-28\"]}';; "
         "esac; done",
         5, SURETY_FAILURE_NONE, "5"},
        {"while read l; do case \"$l\" in *initialize*) refuse 2 null;; "
         "*) refuse 3 null;; esac; done",
         5, SURETY_FAILURE_PROTOCOL,
         "the server answers neither server/discover nor initialize as the "
         "protocol says"},
        {"read l; refuse 1 null; refuse 2 null; read end", NEVER_MS,
         SURETY_FAILURE_PROTOCOL, "the server refuses to open: no"},
        {"read l; refuse 1 null; answer 2 '{\"protocolVersion\":\"3\"}'; "
         "read end",
         NEVER_MS, SURETY_FAILURE_PROTOCOL,
         "the server speaks the revision \"3\" of the protocol, which is not "
         "known"},
        {"echo 'no key' >&2; exit 4", NEVER_MS, SURETY_FAILURE_COMMAND,
         "the server ended with status 4: no key"},
        {"exit 0", NEVER_MS, SURETY_FAILURE_RESET,
         "the server closed its output"},
    };
    struct talk talk;
    surety_doc *doc = surety_doc_new(NULL);

    talk_init(&talk, t);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        talk_init(&talk, t);
        TRY(talk_open(&talk, t, cases[i].script, cases[i].probe_ms));
        TRY(talk_start(&talk, 0, "tools/list", ""));
        TRY(talk_wait(&talk, 0, 1));
        CHECK(talk.heard[0].failure == cases[i].failure);
        CHECK(talk.heard[0].sent == !cases[i].failure);
        if (cases[i].failure) {
            CHECK_TEXT(surety_str_of(talk.heard[0].message), cases[i].text);
        } else {
            TRY(surety_doc_read(doc, surety_buf_str(&talk.heard[0].body), NULL,
                                NULL));
            CHECK_JSON(surety_val_get(surety_doc_root(doc), "result"),
                       cases[i].text);
        }
        talk_done(&talk);
        talk_init(&talk, t);
    }
done:
    talk_done(&talk);
    surety_doc_free(doc);
}

TEST(starts_a_server_again)
{
    /* The second process is not probed, and its numbers go on. */
    struct talk talk;

    talk_init(&talk, t);
    TRY(talk_open(&talk, t,
                  "read l; case \"$l\" in *discover*) " MODERN "read l; "
                  "echo bad >&2; kill -9 $$;; esac; answer 3 5; read end",
                  NEVER_MS));
    TRY(talk_start(&talk, 0, "tools/call", "{}"));
    TRY(talk_wait(&talk, 0, 1));
    CHECK(talk.heard[0].failure == SURETY_FAILURE_COMMAND &&
          talk.heard[0].sent);
    CHECK_TEXT(surety_str_of(talk.heard[0].message),
               "the server was ended by signal 9: bad");
    TRY(talk_start(&talk, 0, "tools/call", "{}"));
    TRY(talk_wait(&talk, 0, 2));
    CHECK(!talk.heard[0].failure);
    CHECK_TEXT(surety_buf_str(&talk.heard[0].body),
               "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":5}");
done:
    talk_done(&talk);
}

TEST(cancels_and_ignores_what_comes_late)
{
    /* It answers the first request only when that is cancelled. */
    static const char script[] =
        "read l; " MODERN "read a; read c; answer 2 '\"late\"'; read b; "
        "answer 3 \"$c\"; read end";
    struct talk talk;

    talk_init(&talk, t);
    for (int late = 0; late < 2; late++) {
        talk_init(&talk, t);
        TRY(talk_open(&talk, t, script, NEVER_MS));
        TRY(talk_start(&talk, 0, "tools/call", "{}"));
        if (late) {
            const surety_request request = {
                .size = sizeof(request),
                .method = surety_str_of("tools/call"),
                .url = surety_buf_str(&talk.url),
                .timeouts = {.total_ms = NEVER_MS, .first_byte_ms = 1}};

            talk.transport->cancel(talk.transport->ctx, 1);
            TRY(talk.transport->start(talk.transport->ctx, 1, &request,
                                      &talk.receivers[0], NULL));
            TRY(talk_wait(&talk, 0, 2));
            CHECK(talk.heard[0].failure == SURETY_FAILURE_TIMEOUT);
            CHECK_TEXT(surety_str_of(talk.heard[0].message),
                       "the server did not answer within 1 ms");
        } else {
            /* One more turn of the transport sends the request. */
            while (!talk.heard[0].ends) {
                TRY(talk.transport->wait(talk.transport->ctx, 100, NULL));
                talk.transport->cancel(talk.transport->ctx, 1);
            }
            CHECK(talk.heard[0].failure == SURETY_FAILURE_CANCELLED);
        }
        if (talk.heard[0].sent) {
            TRY(talk_start(&talk, 1, "tools/call", "{}"));
            TRY(talk_wait(&talk, 1, 1));
            CHECK(!talk.heard[1].failure);
            CHECK(surety__str_find(surety_buf_str(&talk.heard[1].body),
                                   surety_str_of("\"requestId\":2")) <
                  talk.heard[1].body.len);
        }
        talk_done(&talk);
        talk_init(&talk, t);
    }
done:
    talk_done(&talk);
}

TEST(bounds_what_a_server_sends)
{
    struct talk talk;

    talk_init(&talk, t);
    TRY(talk_open(&talk, t,
                  "long() { printf '\"'; head -c $1 /dev/zero | tr '\\0' a; "
                  "printf '\"'; }; read l; " MODERN
                  "read l; answer 2 \"$(long 5000)\"; read l; long 20001; "
                  "read end",
                  NEVER_MS));
    TRY(talk_start(&talk, 0, "tools/call", "{}"));
    TRY(talk_wait(&talk, 0, 1));
    CHECK(talk.heard[0].failure == SURETY_FAILURE_LIMIT);
    CHECK_TEXT(surety_str_of(talk.heard[0].message),
               "the response is longer than 4000 bytes");
    TRY(talk_start(&talk, 0, "tools/call", "{}"));
    TRY(talk_wait(&talk, 0, 2));
    CHECK(talk.heard[0].failure == SURETY_FAILURE_LIMIT);
    CHECK_TEXT(surety_str_of(talk.heard[0].message),
               "a line of the server is longer than 20000 bytes "
               "(text_bytes_max)");
done:
    talk_done(&talk);
}

TEST(breaks_off_where_a_message_cannot_be_read)
{
    struct talk talk;

    talk_init(&talk, t);
    TRY(talk_open(&talk, t,
                  "read l; " MODERN "echo '{\"a\": '; read l; "
                  "answer 2 \"$(printf '\"\\377\"')\"; read end",
                  NEVER_MS));
    TRY(talk_start(&talk, 0, "tools/call", "{}"));
    TRY(talk_wait(&talk, 0, 1));
    CHECK(talk.heard[0].failure == SURETY_FAILURE_PROTOCOL &&
          talk.heard[0].sent);
    CHECK(strncmp(talk.heard[0].message, "a message of the server: ", 25) == 0);
done:
    talk_done(&talk);
}

TEST(refuses_what_is_no_request_to_the_server)
{
    static const surety_str bad = {"A=B", 3};
    surety__mcp_options options = {.command = surety_str_of("[]"),
                                   .alloc = check_alloc(t)};
    surety_transport *none = NULL;
    struct talk talk;

    talk_init(&talk, t);
    EXPECT(SURETY_MISUSE, surety__mcp_open(&options, &none, NULL));
    options.command = surety_str_of("[\"true\"]");
    options.environment = &bad;
    options.environment_count = 1;
    EXPECT(SURETY_MISUSE, surety__mcp_open(&options, &none, NULL));
    TRY(talk_open(&talk, t, "read end", NEVER_MS));
    EXPECT(SURETY_MISUSE, talk_start(&talk, 0, "", ""));
    EXPECT(SURETY_MISUSE, talk_start(&talk, 0, "tools/list", "[]"));
    EXPECT(SURETY_MISUSE, talk_start(&talk, 0, "tools/list", "{"));
    surety_buf_text(&talk.url, "x");
    EXPECT(SURETY_MISUSE, talk_start(&talk, 0, "tools/list", ""));
    /* No process is left, and none was needed to close. */
    talk.transport->close(talk.transport->ctx);
    talk.transport = NULL;
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
done:
    talk_done(&talk);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"asks a modern server", asks_a_modern_server},
        {"begins anew with a legacy server", begins_anew_with_a_legacy_server},
        {"finds the era of slow and strange servers",
         finds_the_era_of_slow_and_strange_servers},
        {"starts a server again", starts_a_server_again},
        {"cancels and ignores what comes late",
         cancels_and_ignores_what_comes_late},
        {"bounds what a server sends", bounds_what_a_server_sends},
        {"breaks off where a message cannot be read",
         breaks_off_where_a_message_cannot_be_read},
        {"refuses what is no request to the server",
         refuses_what_is_no_request_to_the_server},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
