/* SPDX-License-Identifier: Apache-2.0 */
/* transport_probe.c: sends requests through a transport and prints what the
 * receivers heard, one JSON object a line, then what the process holds:
 *
 *     transport_probe [OPTION VALUE]... URL...
 *     transport_probe [OPTION VALUE]... "METHOD URL BODY"...
 *
 * An option is before the URLs, and --option without a value where the
 * table says so. Of each URL --count exchanges are made, --parallel at once. */
#include <surety/json.h>
#include <surety/provider.h>

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { HEADERS = 16, PARTS = 8, SHOWN = 4096, EXCHANGES = 20000 };

struct probe {
    surety_http_options http;
    surety_request request;
    surety_header headers[HEADERS];
    surety_str parts[PARTS];
    unsigned long count, parallel, wait_ms;
    long cancel_ms;         /* after the start; -1: never */
    const char *cancel_on;  /* "head" or "bytes" */
    unsigned long break_on; /* the portion that is one too many; 0: none */
    unsigned long close_on; /* exchanges after which all is closed; 0: none */
    const char *record, *replay;
    bool match, timed, quiet;
    bool polls; /* wait when its descriptor says so, and only then */
    bool closed;
};

struct exchange {
    struct probe *probe;
    surety_transport *transport;
    uint64_t id;
    uint64_t begin_ms;
    surety_buf text, headers;
    size_t bytes, portions;
    int status, heads;
    bool running, ended, hooked; /* hooked: what cancel_on waits for came */
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- what is heard ------------------------------------------------------- */

static void hear_head(void *ctx, int status, const surety_header *headers,
                      size_t count)
{
    struct exchange *exchange = ctx;

    exchange->heads++;
    exchange->status = status;
    for (size_t i = 0; i < count; i++) {
        surety_buf_text(&exchange->headers, i ? ",[" : "[");
        surety_json_string(&exchange->headers, headers[i].name);
        surety_buf_byte(&exchange->headers, ',');
        surety_json_string(&exchange->headers, headers[i].value);
        surety_buf_byte(&exchange->headers, ']');
    }
    if (exchange->probe->cancel_on &&
        strcmp(exchange->probe->cancel_on, "head") == 0)
        exchange->hooked = true;
}

static bool hear_bytes(void *ctx, surety_str bytes)
{
    struct exchange *exchange = ctx;

    exchange->bytes += bytes.len;
    exchange->portions++;
    if (exchange->text.len + bytes.len <= SHOWN)
        surety_buf_add(&exchange->text, bytes);
    if (exchange->probe->cancel_on &&
        strcmp(exchange->probe->cancel_on, "bytes") == 0)
        exchange->hooked = true;
    return exchange->portions != exchange->probe->break_on;
}

static void hear_end(void *ctx, const surety_delivery *delivery)
{
    struct exchange *exchange = ctx;
    surety_buf line;

    if (exchange->ended) {
        puts("{\"fault\":\"ended twice\"}");
        return;
    }
    exchange->ended = true;
    exchange->running = false;
    if (!exchange->probe->quiet) {
        surety_buf_init(&line, NULL, 0);
        surety_json_string(&line, surety_buf_str(&exchange->text));
        printf("{\"id\":%lu,\"status\":%d,\"heads\":%d,\"headers\":[%.*s],"
               "\"bytes\":%zu,\"portions\":%zu,\"text\":%.*s,"
               "\"failure\":\"%s\",\"sent\":%s,\"ms\":%lu,\"message\":",
               (unsigned long)exchange->id, exchange->status, exchange->heads,
               (int)exchange->headers.len, exchange->headers.ptr,
               exchange->bytes, exchange->portions, (int)line.len, line.ptr,
               surety_failure_name(delivery->failure),
               delivery->sent ? "true" : "false",
               (unsigned long)(now_ms() - exchange->begin_ms));
        surety_buf_reset(&line);
        surety_json_string(&line, surety_str_of(delivery->message));
        printf("%.*s}\n", (int)line.len, line.ptr);
        surety_buf_done(&line);
    }
    surety_buf_done(&exchange->text);
    surety_buf_done(&exchange->headers);
}

/* ---- options ------------------------------------------------------------- */

static surety_str read_file(const char *path)
{
    static char room[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t len = file ? fread(room, 1, sizeof(room), file) : 0;

    if (file)
        fclose(file);
    return (surety_str){room, len};
}

static unsigned long number_of(const char *text)
{
    unsigned long number = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (unsigned long)(*text - '0');
    return number;
}

/* "Name: value"; a "!" before it makes it secret. */
static void add_header(struct probe *probe, const char *text)
{
    surety_header *header = &probe->headers[probe->request.header_count++];
    const char *colon = strchr(text, ':');

    header->secret = *text == '!';
    text += header->secret;
    header->name = (surety_str){text, (size_t)(colon - text)};
    header->value = surety_str_of(colon[1] ? colon + 2 : colon + 1);
}

static bool take_switch(struct probe *probe, const char *name)
{
    if (strcmp(name, "--public-only") == 0)
        probe->http.public_only = true;
    else if (strcmp(name, "--match") == 0)
        probe->match = true;
    else if (strcmp(name, "--timed") == 0)
        probe->timed = true;
    else if (strcmp(name, "--quiet") == 0)
        probe->quiet = true;
    else if (strcmp(name, "--poll") == 0)
        probe->polls = true;
    else
        return false;
    return true;
}

/* Adds a part to the body: as many letters, another one in each part. */
static void add_part(struct probe *probe, size_t size)
{
    static char letters[PARTS][1 << 20];
    const size_t i = probe->request.part_count++;

    memset(letters[i], 'a' + (int)i, size);
    probe->parts[i] = (surety_str){letters[i], size};
    probe->request.parts = probe->parts;
}

static bool take_number(struct probe *probe, const char *name, const char *text)
{
    const unsigned long number = number_of(text);
    surety_timeouts *timeouts = &probe->request.timeouts;

    if (strcmp(name, "--connect-ms") == 0)
        timeouts->connect_ms = (uint32_t)number;
    else if (strcmp(name, "--first-ms") == 0)
        timeouts->first_byte_ms = (uint32_t)number;
    else if (strcmp(name, "--idle-ms") == 0)
        timeouts->idle_ms = (uint32_t)number;
    else if (strcmp(name, "--total-ms") == 0)
        timeouts->total_ms = (uint32_t)number;
    else if (strcmp(name, "--max-bytes") == 0)
        probe->request.response_bytes_max = number;
    else if (strcmp(name, "--part-size") == 0)
        add_part(probe, number);
    else if (strcmp(name, "--count") == 0)
        probe->count = number;
    else if (strcmp(name, "--parallel") == 0)
        probe->parallel = number;
    else if (strcmp(name, "--host-max") == 0)
        probe->http.connections_host_max = (uint32_t)number;
    else if (strcmp(name, "--cancel-ms") == 0)
        probe->cancel_ms = (long)number;
    else if (strcmp(name, "--break-on") == 0)
        probe->break_on = number;
    else if (strcmp(name, "--close-on") == 0)
        probe->close_on = number;
    else
        return false;
    return true;
}

static bool take_text(struct probe *probe, const char *name, const char *text)
{
    static char zeros[64 << 20];

    if (strcmp(name, "--body") == 0)
        probe->request.body = surety_str_of(text);
    else if (strcmp(name, "--body-size") == 0)
        probe->request.body = (surety_str){zeros, number_of(text)};
    else if (strcmp(name, "--method") == 0)
        probe->request.method = surety_str_of(text);
    else if (strcmp(name, "--header") == 0)
        add_header(probe, text);
    else if (strcmp(name, "--ca") == 0)
        probe->http.ca_file = surety_str_of(text);
    else if (strcmp(name, "--proxy") == 0)
        probe->http.proxy = surety_str_of(text);
    else if (strcmp(name, "--cancel-on") == 0)
        probe->cancel_on = text;
    else if (strcmp(name, "--record") == 0)
        probe->record = text;
    else if (strcmp(name, "--replay") == 0)
        probe->replay = text;
    else
        return false;
    return true;
}

/* ---- running ------------------------------------------------------------- */

static surety_status write_line(void *ctx, surety_str line)
{
    return fwrite(line.ptr, 1, line.len, ctx) == line.len ? SURETY_OK
                                                          : SURETY_IO;
}

static void refuse(const char *what, const surety_error *error)
{
    surety_buf line;

    surety_buf_init(&line, NULL, 0);
    surety_json_string(&line, surety_str_of(error->message));
    printf("{\"refused\":\"%s\",\"as\":\"%s\",\"message\":%.*s}\n", what,
           surety_status_name(error->status), (int)line.len, line.ptr);
    surety_buf_done(&line);
}

static surety_transport *open_transport(struct probe *probe, const char *url,
                                        surety_recording **ret_recording,
                                        FILE **ret_file)
{
    surety_transport *transport = NULL;
    surety_transport *recorder = NULL;
    surety_error error;
    surety_status status;

    if (probe->replay) {
        status = surety_recording_read(read_file(probe->replay), NULL,
                                       ret_recording, &error);
        if (!status)
            status = surety_replay_open(
                *ret_recording,
                (probe->match ? SURETY_REPLAY_MATCH : 0u) |
                    (probe->timed ? SURETY_REPLAY_TIMED : 0u),
                NULL, &transport, &error);
    } else if (strncmp(url, "exec:", 5) == 0) {
        status = surety_exec_open(NULL, 0, NULL, &transport, &error);
    } else {
        status = surety_http_open(&probe->http, &transport, &error);
    }
    if (!status && probe->record) {
        *ret_file = fopen(probe->record, "wb");
        status = surety_record_open(transport, write_line, *ret_file, NULL,
                                    &recorder, &error);
        transport = recorder;
    }
    if (!status)
        return transport;
    refuse("open", &error);
    return NULL;
}

static bool begin(struct exchange *exchange, surety_transport *transport,
                  uint64_t id)
{
    const surety_receiver receiver = {exchange, hear_head, hear_bytes,
                                      hear_end};
    surety_error error;

    exchange->transport = transport;
    exchange->id = id;
    exchange->begin_ms = now_ms();
    exchange->running = true;
    surety_buf_init(&exchange->text, NULL, 0);
    surety_buf_init(&exchange->headers, NULL, 0);
    if (transport->start(transport->ctx, id, &exchange->probe->request,
                         &receiver, &error) == SURETY_OK)
        return true;
    exchange->running = false;
    refuse("start", &error);
    return false;
}

static void cancel_due(const struct probe *probe, struct exchange *exchange)
{
    if (!exchange->running)
        return;
    if (exchange->hooked ||
        (probe->cancel_ms >= 0 &&
         now_ms() >= exchange->begin_ms + (uint64_t)probe->cancel_ms))
        exchange->transport->cancel(exchange->transport->ctx, exchange->id);
}

/* Takes "URL", or "METHOD URL BODY" with an address and texts of its own. */
static void address(struct probe *probe, const char *text)
{
    const char *url = strchr(text, ' ');
    const char *body = url ? strchr(url + 1, ' ') : NULL;

    probe->request.url = surety_str_of(text);
    if (!body || strncmp(text, "exec:", 5) == 0)
        return;
    probe->request.method = (surety_str){text, (size_t)(url - text)};
    probe->request.url = (surety_str){url + 1, (size_t)(body - url - 1)};
    probe->request.body = surety_str_of(body + 1);
}

/* Ten minutes: a descriptor that is not readable in time is a hang. */
static void wait_for_descriptor(const surety_transport *transport)
{
    struct pollfd file = {.fd = transport->descriptor(transport->ctx),
                          .events = POLLIN};

    (void)poll(&file, 1, 600000);
}

/* All exchanges with one transport. */
static void run(struct probe *probe, surety_transport *transport, char **urls,
                int url_count)
{
    static struct exchange exchanges[EXCHANGES];
    const unsigned long total = probe->count * (unsigned long)url_count;
    unsigned long begun = 0;
    unsigned long done = 0;

    while (done < total && !(probe->close_on && done >= probe->close_on)) {
        surety_error error;

        while (begun < total && begun - done < probe->parallel) {
            exchanges[begun].probe = probe;
            address(probe, urls[begun % (unsigned long)url_count]);
            if (!begin(&exchanges[begun], transport, begun + 1))
                exchanges[begun].ended = true;
            begun++;
        }
        for (unsigned long i = 0; i < begun; i++)
            cancel_due(probe, &exchanges[i]);
        for (done = 0; done < begun && exchanges[done].ended;)
            done++;
        for (unsigned long i = done; i < begun; i++)
            done += exchanges[i].ended;
        if (done == total || (probe->close_on && done >= probe->close_on))
            break;
        if (done == begun)
            continue;
        if (probe->polls)
            wait_for_descriptor(transport);
        if (transport->wait(transport->ctx,
                            probe->polls ? 0 : (uint32_t)probe->wait_ms,
                            &error))
            refuse("wait", &error);
    }
}

static unsigned count_files(void)
{
    DIR *files = opendir("/proc/self/fd");
    unsigned count = 0;

    while (files && readdir(files))
        count++;
    if (files)
        closedir(files);
    return count - 3; /* ".", ".." and the folder's own */
}

int main(int argc, char **argv)
{
    static struct probe probe = {.http = {.size = sizeof(probe.http)},
                                 .count = 1,
                                 .parallel = 1,
                                 .wait_ms = 20,
                                 .cancel_ms = -1};
    surety_recording *recording = NULL;
    surety_transport *transport;
    struct rusage usage;
    FILE *file = NULL;
    unsigned before;
    unsigned during;
    int i = 1;

    probe.request.size = sizeof(probe.request);
    probe.request.method = surety_str_of("POST");
    probe.request.headers = probe.headers;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (take_switch(&probe, argv[i]))
            continue;
        if (i + 1 < argc && (take_number(&probe, argv[i], argv[i + 1]) ||
                             take_text(&probe, argv[i], argv[i + 1])))
            i++;
        else
            return 2;
    }
    if (i == argc)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    before = count_files();
    transport = open_transport(&probe, argv[i], &recording, &file);
    if (!transport)
        return 1;
    run(&probe, transport, argv + i, argc - i);
    during = count_files();
    transport->close(transport->ctx);
    surety_recording_free(recording);
    if (file)
        fclose(file);
    getrusage(RUSAGE_SELF, &usage);
    printf("{\"files_before\":%u,\"files\":%u,\"files_after\":%u,"
           "\"memory_kib\":%ld}\n",
           before, during, count_files(), usage.ru_maxrss);
    return 0;
}
