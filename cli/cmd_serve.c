/* SPDX-License-Identifier: Apache-2.0 */
/* surety serve: the gateway. Its threads do the work; the main thread waits for
 * signals, and is the only one that writes to standard error. The log has a
 * descriptor of its own. */
#include "commands.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <surety/serve.h>

#include "configuration.h"
#include "library.h"
#include "log.h"
#include "systemd.h"

struct serve_settings {
    struct texts listen;
    const char *mode;
    const char *config;
    const char *ledger;
    const char *log;
    const char *certificate;
    const char *key;
    const char *clients;
    unsigned threads;
    unsigned notice;
    unsigned drain;
    unsigned requests;
    unsigned connections;
    unsigned body;
    bool keys;
    unsigned waiting;
    unsigned failures;
    unsigned pause;
    int ui;     /* 2: off */
    int stream; /* as surety_gateway_stream */
};

enum { SERVE_DRAIN_S = 30 };

SETTINGS_FIT(struct serve_settings);
#define AT(member) offsetof(struct serve_settings, member)

const struct option_row serve_options[] = {
    SECTION("Where"),
    TEXTS("listen", 'l', AT(listen), "PLACE",
          "an IP address and port, or unix:PATH; may be given several times. "
          "127.0.0.1:4141 unless given, or the sockets of systemd. Port 0 "
          "takes one that is free; [::1]:4141 is IPv6"),
    TEXT("socket-mode", 0, AT(mode), "MODE",
         "the mode of a PATH, octal; 600 unless given: its owner may connect"),
    TEXT("tls-cert", 0, AT(certificate), "FILE",
         "the certificate in PEM, and its chain behind it: places with an IP "
         "address take TLS alone, and a PATH takes none"),
    TEXT("tls-key", 0, AT(key), "FILE",
         "its key in PEM, not encrypted; in the certificate's FILE unless "
         "given"),
    TEXT("tls-client-ca", 0, AT(clients), "FILE",
         "certificates in PEM: only a client with a certificate that one of "
         "them signed can connect by TLS, and none that a list (CRL) in FILE "
         "revokes"),
    TEXT("config", 0, AT(config), "FILE",
         "the configuration; otherwise ./surety.json, or the user's"),
    TEXT("ledger", 0, AT(ledger), "URL|none",
         "the database of attempts; otherwise that of the configuration, or "
         "the user's"),
    FLAG("keys", 0, AT(keys),
         "clients send keys of the gateway's own (surety keys add), which are "
         "in the ledger's database; models are called with the keys of the "
         "configuration"),
    CHOICE("stream", 0, AT(stream), "hold|live|resume",
           "how a stream is given out where its request does not say so "
           "(Surety-Stream); unless given, hold with a schema or a call that "
           "is demanded, else live"),
    SECTION("How much"),
    NUMBER(
        "threads", 't', AT(threads), 256, "N",
        "threads that serve; one for each processor that the process may use, "
        "and at most 16, unless given"),
    NUMBER("max-requests", 0, AT(requests), 1000000, "N",
           "requests under way, of all threads together; one more gets the "
           "status 503. 4,096 unless given"),
    NUMBER("max-connections", 0, AT(connections), 1000000, "N",
           "open connections, of all threads together; further ones wait. "
           "16,384 unless given"),
    NUMBER("max-body", 0, AT(body), 1000000000, "BYTES",
           "the largest body of a request; 10,485,760 unless given"),
    NUMBER("notice", 0, AT(notice), 86400, "SECONDS",
           "how long it still serves after SIGTERM, while /readyz answers 503 "
           "and what stands in front looks for others; 0 unless given"),
    NUMBER("max-waiting", 0, AT(waiting), 1000000, "N",
           "requests that wait for a model with at_once; one more gets the "
           "status 503. 1,000 unless given"),
    NUMBER("model-failures", 0, AT(failures), 1000, "N",
           "failures in a row after which a model is left alone for a while; 5 "
           "unless given"),
    NUMBER("model-pause", 0, AT(pause), 86400, "SECONDS",
           "for how long; then one call tries it. 30 unless given"),
    NUMBER("drain", 0, AT(drain), 86400, "SECONDS",
           "how long requests under way may take after that; 30 unless "
           "given"),
    SECTION("Output"),
    CHOICE("ui", 0, AT(ui), "on|off",
           "the page /ui, for browsers on this machine; on unless given"),
    TEXT("log", 0, AT(log), "FILE",
         "append one JSON object a request to FILE; it has no prompts, replies "
         "or secrets"),
    OPTION_END};

enum { SERVE_PLACES_MAX = 16 };

/* The place of a socket that systemd gave. */
struct serve_place {
    char text[16];
};

struct serve_session {
    struct cli *cli;
    const struct serve_settings *settings;
    surety_gateway *gateway;
    struct log_file log;
    surety_str places[SERVE_PLACES_MAX];
    struct serve_place given[SERVE_PLACES_MAX];
};

/* Reads the mode of a path, three or four octal digits. */
static bool read_mode(struct cli *cli, const char *text, uint32_t *ret_mode)
{
    uint32_t mode = 0;
    size_t len = 0;

    if (!text)
        return true;
    for (; text[len] >= '0' && text[len] <= '7' && len < 5; len++)
        mode = mode * 8 + (uint32_t)(text[len] - '0');
    if (text[len] || len < 3 || len > 4 || !mode || mode > 0777)
        return cli_usage(cli, "as in 660: its owner and group may connect",
                         "\"%s\" is no mode of a socket", text);
    *ret_mode = mode;
    return true;
}

/* Lists the places to listen at: those of the command line, and the sockets of
 * systemd. */
static bool list_places(struct serve_session *session,
                        surety_gateway_options *options)
{
    const struct texts *given = &session->settings->listen;
    const unsigned sockets = systemd_sockets();
    struct serve_place *place;

    if (given->count + sockets > SERVE_PLACES_MAX)
        return cli_usage(session->cli, NULL,
                         "%zu places to listen at are more than %d",
                         given->count + sockets, SERVE_PLACES_MAX);
    for (size_t i = 0; i < given->count; i++)
        session->places[options->listen_count++] =
            surety_str_of(given->items[i]);
    if (!given->count && !sockets)
        session->places[options->listen_count++] =
            surety_str_of("127.0.0.1:4141");
    for (unsigned i = 0; i < sockets; i++) {
        place = &session->given[i];
        snprintf(place->text, sizeof(place->text), "fd:%u", SYSTEMD_FIRST + i);
        session->places[options->listen_count++] = surety_str_of(place->text);
    }
    options->listen = session->places;
    return true;
}

/* Finds the ledger, and reports the errors of the configuration. */
static bool find_ledger(struct serve_session *session, surety_buf *place,
                        surety_str *ret_url)
{
    const char *given = session->settings->ledger;
    const surety_config_options options = {.size = sizeof(options),
                                           .keyless = true};
    surety_config *config =
        configuration_open(session->cli, session->settings->config, &options);
    bool is_found = config != NULL;

    if (given && !*given) {
        is_found =
            cli_usage(session->cli, NULL, "--ledger needs a place, or none");
    } else if (given) {
        *ret_url = surety_str_of(given);
    } else if (config && !surety_config_info_of(config)->ledger.len) {
        is_found = configuration_ledger(
            session->cli, surety_config_info_of(config)->ledger_optional,
            place);
        *ret_url = surety_buf_str(place);
    }
    surety_config_free(config);
    return is_found;
}

static surety_str serve_environment(const char *name)
{
    const char *value = getenv(name);

    return surety_str_of(value ? value : "");
}

static bool serve_start(struct serve_session *session)
{
    const struct serve_settings *settings = session->settings;
    surety_gateway_options options = {
        .size = sizeof(options),
        .threads = settings->threads,
        .config = surety_str_of(settings->config),
        .body_bytes_max = settings->body,
        .connections_max = settings->connections,
        .requests_max = settings->requests,
        .log = session->log.fd >= 0 ? log_line : NULL,
        .log_ctx = &session->log,
        .keys = settings->keys,
        .waiting_max = settings->waiting,
        .model_failures_max = settings->failures,
        .model_pause_ms = settings->pause * 1000,
        .otlp_endpoint = serve_environment("OTEL_EXPORTER_OTLP_ENDPOINT"),
        .otlp_headers = serve_environment("OTEL_EXPORTER_OTLP_HEADERS"),
        .no_ui = settings->ui == 2,
        .stream = (surety_gateway_stream)settings->stream,
        .tls_certificate = surety_str_of(settings->certificate),
        .tls_key = surety_str_of(settings->key),
        .tls_clients = surety_str_of(settings->clients),
        .service_name = serve_environment("OTEL_SERVICE_NAME")};
    surety_error error;
    surety_status status;
    surety_buf folders, place;
    bool is_ready;

    surety_buf_init(&folders, NULL, 0);
    surety_buf_init(&place, NULL, 0);
    library_folders(&folders);
    options.contracts = surety_buf_str(&folders);
    is_ready = list_places(session, &options) &&
               read_mode(session->cli, settings->mode, &options.socket_mode) &&
               find_ledger(session, &place, &options.ledger);
    if (is_ready) {
        status = surety_gateway_open(&options, &session->gateway, &error);
        is_ready = status == SURETY_OK;
        if (!is_ready)
            cli_report(session->cli, cli_code_of(status, CODE_USAGE),
                       "surety serve", NO_TEXT, &error);
    }
    surety_buf_done(&place);
    surety_buf_done(&folders);
    return is_ready;
}

/* Leaves no core file: the memory has keys. */
static void serve_keep_secrets(void)
{
    const struct rlimit none = {0, 0};

    (void)setrlimit(RLIMIT_CORE, &none);
}

static void serve_reload(struct serve_session *session)
{
    surety_error error;

    systemd_tell_reload();
    if (surety_gateway_reload(session->gateway, &error) == SURETY_OK) {
        put_format(&session->cli->err.buf,
                   "surety serve: the configuration was read again\n");
    } else {
        put_format(&session->cli->err.buf,
                   "surety serve: the configuration stays as it was: ");
        if (error.source[0])
            put_format(&session->cli->err.buf, "%s:%u:%u: ", error.source,
                       (unsigned)error.position.line,
                       (unsigned)error.position.column);
        put_safe(&session->cli->err.buf, surety_str_of(error.message));
        surety_buf_byte(&session->cli->err.buf, '\n');
    }
    (void)output_flush(&session->cli->err);
    systemd_tell("READY=1");
}

/* Waits for the signals, and lets the requests under way end. */
static void serve_wait(struct serve_session *session, const sigset_t *signals)
{
    const unsigned drain_s =
        session->settings->drain ? session->settings->drain : SERVE_DRAIN_S;
    const struct timespec none = {0, 0};
    int signal;

    while ((signal = sigwaitinfo(signals, NULL)) == SIGHUP || signal < 0)
        if (signal == SIGHUP)
            serve_reload(session);
    systemd_tell("STOPPING=1");
    surety_gateway_leave(session->gateway);
    /* A second signal ends them at once. */
    if (session->settings->notice &&
        cli_signalled(signals, session->settings->notice))
        return;
    for (unsigned i = 0; i < drain_s * 10; i++)
        if (surety_gateway_drain(session->gateway, 100) ||
            sigtimedwait(signals, NULL, &none) > 0)
            break;
}

/* Prints the places at which it listens. */
static bool serve_print(struct serve_session *session)
{
    surety_buf *out = &session->cli->out.buf;
    surety_str place = surety_gateway_place_at(session->gateway, 0);

    for (size_t i = 1; place.len; i++) {
        put_format(out, "surety serve: listening on ");
        put_safe(out, place);
        surety_buf_byte(out, '\n');
        place = surety_gateway_place_at(session->gateway, i);
    }
    return output_flush(&session->cli->out);
}

void serve_run(struct cli *cli, const void *given,
               const struct operands *operands)
{
    struct serve_session session = {.cli = cli, .settings = given};
    sigset_t signals;

    if (operands->count > 0) {
        cli_usage(cli, "surety serve --help lists the options",
                  "serve takes no operand such as \"%s\"", operands->items[0]);
        return;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    serve_keep_secrets();
    if (log_open(&session.log, session.settings->log, 0600, cli) &&
        serve_start(&session)) {
        if (serve_print(&session)) {
            systemd_tell("READY=1");
            serve_wait(&session, &signals);
        }
        surety_gateway_close(session.gateway);
    }
    log_close(&session.log, cli);
}
