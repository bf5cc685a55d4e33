/* SPDX-License-Identifier: Apache-2.0 */
/* surety mock: starts a model server that answers from a script. The server has
 * its own thread; the main thread waits for a signal. The server's thread sends
 * it such a signal when the number of requests of --requests is reached, or
 * when a line cannot be written to standard error. While the server runs, only
 * its thread writes: one line for each request. */
#include "commands.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <surety/mock.h>

#include "input.h"
#include "log.h"

enum { MOCK_SCRIPT_MAX = 64 << 20 };

struct mock_settings {
    const char *script;
    struct texts replies;
    bool echo;
    const char *address;
    const char *port;
    const char *log;
    unsigned requests;
    unsigned seconds;
    bool quiet;
};

SETTINGS_FIT(struct mock_settings);
#define AT(member) offsetof(struct mock_settings, member)

const struct option_row mock_options[] = {
    SECTION("Replies"),
    TEXT("script", 's', AT(script), "FILE",
         "replies and faults: JSON, comments allowed (the contract "
         "surety/mock-script); - is standard input"),
    TEXTS("reply", 'r', AT(replies), "TEXT",
          "the model's reply, or @FILE; may be given again for the next "
          "request. The last is repeated"),
    FLAG("echo", 0, AT(echo), "the model repeats the user's last message"),
    SECTION("Where"),
    TEXT("address", 'a', AT(address), "ADDRESS",
         "the IP address to listen on; 127.0.0.1 unless given"),
    TEXT("port", 'p', AT(port), "PORT",
         "the port to listen on; 0, the default, takes one that is free"),
    SECTION("How long"),
    NUMBER("requests", 'n', AT(requests), 1000000000, "N",
           "end after N requests"),
    NUMBER("for", 0, AT(seconds), 1000000, "SECONDS", "end after that time"),
    SECTION("Output"),
    TEXT("log", 0, AT(log), "FILE", "append one JSON object a request to FILE"),
    FLAG("quiet", 'q', AT(quiet), "no lines about requests on standard error"),
    OPTION_END};

struct mock_session {
    struct cli *cli;
    const struct mock_settings *settings;
    surety_mock *mock;
    surety_doc *doc; /* the parsed log line */
    struct log_file log;
    unsigned over; /* number of requests that have ended */
    pthread_t waiter;
};

/* ---- the log ------------------------------------------------------------ */

static void put_word(surety_buf *out, surety_val val, const char *name)
{
    const surety_val member = surety_val_get(val, name);

    if (surety_val_kind(member) != SURETY_KIND_STRING)
        return;
    surety_buf_byte(out, ' ');
    put_safe(out, surety_val_str(member));
}

/* Appends one log line for people. */
static void put_line(surety_buf *out, surety_val line)
{
    const surety_val reply = surety_val_get(line, "reply");
    const surety_val status = surety_val_get(line, "status");

    surety_buf_number(out, surety_val_uint(surety_val_get(line, "request"), 0));
    put_word(out, line, "method");
    put_word(out, line, "path");
    put_word(out, line, "protocol");
    put_word(out, line, "model");
    put_word(out, line, "mode");
    if (surety_val_bool(surety_val_get(line, "stream"), false))
        surety_buf_text(out, " stream");
    surety_buf_text(out, ":");
    if (surety_val_kind(status) == SURETY_KIND_NUMBER)
        put_format(out, " status %u", (unsigned)surety_val_uint(status, 0));
    if (surety_val_kind(reply) == SURETY_KIND_NUMBER)
        put_format(out, " reply %u", (unsigned)surety_val_uint(reply, 0));
    surety_buf_text(out, ", ");
    surety_buf_number(
        out, surety_val_uint(surety_val_get(line, "response_bytes"), 0));
    surety_buf_text(out, " bytes,");
    put_word(out, line, "ended");
    if (surety_val_str(surety_val_get(line, "message")).len) {
        surety_buf_text(out, ":");
        put_word(out, line, "message");
    }
    surety_buf_byte(out, '\n');
}

/* Runs in the server's thread. */
static void log_request(void *ctx, surety_str line)
{
    struct mock_session *session = ctx;
    const struct mock_settings *settings = session->settings;
    bool is_bad = false;

    if (session->log.fd >= 0)
        log_line(&session->log, line);
    if (!settings->quiet &&
        surety_doc_read(session->doc, line, NULL, NULL) == SURETY_OK) {
        put_line(&session->cli->err.buf, surety_doc_root(session->doc));
        is_bad = !output_flush(&session->cli->err);
    }
    session->over++;
    if (is_bad || (settings->requests && session->over >= settings->requests))
        pthread_kill(session->waiter, SIGALRM);
}

/* ---- the script --------------------------------------------------------- */

/* Makes a script from --reply and --echo. */
static void make_script(const struct mock_settings *settings, surety_buf *out)
{
    surety_buf_text(out, "{\"then\":\"repeat\",\"replies\":[");
    for (size_t i = 0; i < settings->replies.count; i++) {
        const char *text = settings->replies.items[i];
        if (i > 0)
            surety_buf_byte(out, ',');
        surety_buf_text(out, text[0] == '@' ? "{\"file\":" : "{\"text\":");
        surety_json_string(out, surety_str_of(text + (text[0] == '@')));
        surety_buf_byte(out, '}');
    }
    if (settings->echo)
        surety_buf_text(out, settings->replies.count > 0 ? ",{\"echo\":true}"
                                                         : "{\"echo\":true}");
    surety_buf_text(out, "]}");
}

/* Returns the folder of path; empty: the working folder. */
static surety_str folder_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    if (!slash)
        return NO_TEXT;
    return (surety_str){path, slash == path ? 1 : (size_t)(slash - path)};
}

static bool read_port(struct cli *cli, const char *text, uint16_t *ret_port)
{
    const char *end = text;
    const unsigned value = text ? cli_number(&end, UINT16_MAX) : 0;

    if (text && (end == text || *end || value > UINT16_MAX))
        return cli_usage(cli, "a port is a number from 0 to 65535",
                         "\"%s\" is no port", text);
    *ret_port = (uint16_t)value;
    return true;
}

/* Reads the script and starts the server. */
static bool start(struct mock_session *session)
{
    const struct mock_settings *settings = session->settings;
    surety_mock_options options = {.size = sizeof(options),
                                   .address = surety_str_of(settings->address),
                                   .folder = folder_of(settings->script),
                                   .log = log_request,
                                   .log_ctx = session};
    surety_str text = {NULL, 0};
    surety_error error;
    surety_status status;
    surety_buf made;

    surety_buf_init(&made, NULL, 0);
    if (!read_port(session->cli, settings->port, &options.port))
        return false;
    if (settings->script) {
        status = input_read(settings->script,
                            (struct input_bound){MOCK_SCRIPT_MAX, NULL}, &text,
                            &error);
        if (status == SURETY_OK)
            status = surety_mock_open(text, &options, &session->mock, &error);
    } else {
        make_script(settings, &made);
        status = surety_mock_open(surety_buf_str(&made), &options,
                                  &session->mock, &error);
    }
    if (status != SURETY_OK)
        cli_report(session->cli, cli_code_of(status, CODE_USAGE),
                   settings->script ? input_name(settings->script) : "mock",
                   text, &error);
    surety_buf_done(&made);
    free((char *)text.ptr);
    return status == SURETY_OK;
}

/* ---- waiting ------------------------------------------------------------ */

/* Waits until a signal, or until the requests of --for have ended. */
static void wait_for_end(const struct mock_settings *settings,
                         const sigset_t *signals)
{
    if (settings->seconds > 0)
        (void)cli_signalled(signals, settings->seconds);
    else
        while (sigwaitinfo(signals, NULL) < 0)
            continue;
}

static void serve(struct mock_session *session, const sigset_t *signals)
{
    const char *address = session->settings->address;
    struct cli *cli = session->cli;

    assert(session->mock);
    address = address ? address : "127.0.0.1";
    put_format(&cli->out.buf,
               strchr(address, ':')
                   ? "surety mock: listening on http://[%s]:%u\n"
                   : "surety mock: listening on http://%s:%u\n",
               address, (unsigned)surety_mock_port(session->mock));
    if (output_flush(&cli->out))
        wait_for_end(session->settings, signals);
    surety_mock_close(session->mock);
}

void mock_run(struct cli *cli, const void *given,
              const struct operands *operands)
{
    const struct mock_settings *settings = given;
    const bool has_replies = settings->replies.count > 0 || settings->echo;
    struct mock_session session = {.cli = cli, .settings = settings};
    sigset_t signals;

    if (operands->count > 0) {
        cli_usage(cli, "--script FILE or --reply TEXT gives the replies",
                  "mock takes no operand such as \"%s\"", operands->items[0]);
        return;
    }
    if (has_replies == (settings->script != NULL)) {
        cli_usage(cli, "try: surety mock --reply '{\"x\": 1}'",
                  "no replies are given: use --script, or --reply and --echo");
        return;
    }
    session.waiter = pthread_self();
    session.doc = surety_doc_new(NULL);
    if (!session.doc) {
        cli_nomem(cli);
        return;
    }
    /* Blocked before the other thread starts, so that only this one gets
     * them. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (log_open(&session.log, settings->log, 0644, cli) && start(&session))
        serve(&session, &signals);
    log_close(&session.log, cli);
    surety_doc_free(session.doc);
}
