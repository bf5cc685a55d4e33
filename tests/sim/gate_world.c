/* SPDX-License-Identifier: Apache-2.0 */
/* The world of a seed besides clients and models: clock, chance, memory, the
 * ledger, keys and the configuration. What the library has for the first four
 * is replaced here and in gate_ledger.c: the linker takes these functions and
 * leaves its own (serve/clock.c, serve/peer.c, gateway/random.c,
 * provider/http.c, ledger/book.c). */
#define _GNU_SOURCE /* memmem */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <surety/keys.h>

#include "gateway/gateway.h"
#include "sim/chance.h"
#include "sim/gate.h"

/* Where the replaced functions find the world. */
struct gate *gate_now;

/* ---- chance and notes ---------------------------------------------------- */

void gate_begins(struct gate *gate, uint64_t *last_ms)
{
    gate->has_tie = gate->has_tie || *last_ms == gate->now_ms;
    *last_ms = gate->now_ms;
}

enum gate_stream gate_draw_from(struct gate *gate, enum gate_stream stream)
{
    const enum gate_stream before = gate->stream;

    gate->stream = stream;
    return before;
}

uint64_t gate_below(struct gate *gate, uint64_t count)
{
    return chance_word(&gate->streams[gate->stream]) % count;
}

bool gate_one_in(struct gate *gate, unsigned count)
{
    return gate_below(gate, count) == 0;
}

void gate_note(struct gate *gate, const void *ptr, size_t len)
{
    gate->hash = chance_hash(gate->hash, ptr, len);
}

void gate_must(struct gate *gate, bool holds, const char *law)
{
    if (holds || gate->broken)
        return;
    gate->broken = law;
    if (gate->how.is_verbose)
        printf("# %8llu ms  broken: %s\n", (unsigned long long)gate->now_ms,
               law);
}

bool gate_has(surety_str text, const char *part)
{
    return text.len && memmem(text.ptr, text.len, part, strlen(part));
}

void gate_must_hide(struct gate *gate, surety_str text, const char *law)
{
    gate_must(gate,
              !gate_has(text, GATE_KEY) && !gate_has(text, "sk-client") &&
                  (!gate->has_keys || (!gate_has(text, gate->secret) &&
                                       !gate_has(text, gate->admin))),
              law);
}

/* ---- clock, chance and transport of the gateway -------------------------- */

surety__serve_times surety__serve_clock(void)
{
    if (gate_now->drains) {
        gate_now->now_ms++;
        gate_now->unix_ms++;
    }
    return (surety__serve_times){gate_now->now_ms * 1000, gate_now->unix_ms};
}

uint64_t surety__serve_us(void)
{
    return surety__serve_clock().monotonic_us;
}

/* A client says it itself. */
bool surety__serving_is_local(const surety__serving *exchange)
{
    return !surety__serving_header(exchange, "Far").ptr;
}

bool surety__worker_random(surety__worker *worker, void *out, size_t len)
{
    const enum gate_stream stream =
        len == SURETY__TRACE_RANDOM ? STREAM_TRACES : STREAM_RUNS;
    unsigned char *bytes = out;

    (void)worker;
    if (stream == STREAM_RUNS)
        gate_begins(gate_now, &gate_now->run_ms);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (unsigned char)chance_word(&gate_now->streams[stream]);
    return true;
}

surety_status surety_http_open(const surety_http_options *options,
                               surety_transport **ret_transport,
                               surety_error *reterr)
{
    (void)options;
    (void)reterr;
    gate_now->transports++;
    *ret_transport = &gate_now->transport;
    return SURETY_OK;
}

/* ---- keys ---------------------------------------------------------------- */

#define GATE_BUDGET 2000000000 /* of a day, in picodollars */
/* Of a token of the input; one of the output has two. */
#define GATE_PICOUSD 1000000

/* Adds a key. */
static void keys_add(struct gate *gate, surety_keys *keys,
                     const surety_key *key, char secret[64])
{
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    if (surety_keys_add(keys, key, gate->unix_ms, &out, NULL) || out.len >= 64)
        abort();
    memcpy(secret, out.ptr, out.len);
    surety_buf_done(&out);
}

static void keys_make(struct gate *gate)
{
    const surety_key admin = {
        .size = sizeof(admin), .name = surety_str_of("owner"), .admin = true};
    const surety_key key = {
        .size = sizeof(key),
        .name = surety_str_of("client"),
        .minute_requests = gate_one_in(gate, 3) ? 1 + gate_below(gate, 8) : 0,
        .at_once_max = gate_one_in(gate, 3) ? 1 + gate_below(gate, 3) : 0,
        .day_picousd = GATE_BUDGET};
    surety_keys *keys = NULL;

    (void)unlink(gate->bench->database);
    if (surety_keys_open(surety_str_of(gate->bench->database), NULL, &keys,
                         NULL))
        abort();
    keys_add(gate, keys, &key, gate->secret);
    keys_add(gate, keys, &admin, gate->admin);
    surety_keys_close(keys);
}

static bool keys_see(void *ctx, const surety_key *key)
{
    struct gate *gate = ctx;

    gate_must(gate,
              !key->day_picousd || key->day_spent_picousd <= key->day_picousd,
              "no budget is exceeded");
    return true;
}

static void keys_check(struct gate *gate)
{
    surety_keys *keys = NULL;

    if (surety_keys_open(surety_str_of(gate->bench->database), NULL, &keys,
                         NULL) ||
        surety_keys_each(keys, gate->unix_ms, keys_see, gate, NULL))
        abort();
    surety_keys_close(keys);
}

/* ---- configuration ------------------------------------------------------- */

static const char *const gate_protocols[] = {"openai", "responses", "anthropic",
                                             "gemini"};

/* Clients do not say which of OpenAI's protocols they speak. */
static surety_protocol gate_kin(surety_protocol protocol)
{
    return protocol == SURETY_PROTOCOL_RESPONSES ? SURETY_PROTOCOL_OPENAI
                                                 : protocol;
}

size_t gate_keeper(const struct gate *gate, surety_protocol protocol)
{
    for (size_t i = 0; i < gate->model_count; i++)
        if (gate_kin(gate->models[i].protocol) == gate_kin(protocol))
            return i;
    return SIZE_MAX;
}

void gate_configure(struct gate *gate, bool is_wrong)
{
    surety_buf text;
    FILE *file;

    surety_buf_init(&text, NULL, 0);
    surety__buf_printf(&text, "{\"retry\":{\"max\":%u,\"first\":%u},",
                       (unsigned)gate_below(gate, 3),
                       1 + (unsigned)gate_below(gate, 3));
    if (gate->has_ledger)
        surety_buf_text(&text, "\"ledger\":{\"url\":\"gate.db\"},");
    surety_buf_text(&text, "\"providers\":{");
    for (size_t i = 0; i < gate->model_count; i++)
        surety__buf_printf(
            &text,
            "%s\"p%zu\":{\"protocol\":\"%s\",\"base_url\":\"http://m%zu.test/"
            "%s\",\"key_env\":\"GATE_KEY\",\"timeouts\":{\"total\":%u},"
            "\"passed_paths\":[%s]}",
            i ? "," : "", i, gate_protocols[gate->models[i].protocol], i,
            gate->models[i].protocol == SURETY_PROTOCOL_GEMINI ? "v1beta"
                                                               : "v1",
            20 + (unsigned)gate_below(gate, 200),
            gate_keeper(gate, gate->models[i].protocol) == i ? "\"/files/*\""
                                                             : "");
    surety_buf_text(&text, "},\"models\":{");
    for (size_t i = 0; i < gate->model_count; i++) {
        surety__buf_printf(&text,
                           "%s\"m%zu\":{\"provider\":\"p%zu\",\"model\":"
                           "\"small\",\"stream\":%s,\"price\":{\"input\":1,"
                           "\"output\":2}",
                           i ? "," : "", i, i,
                           gate_one_in(gate, 2) ? "true" : "false");
        if (gate->models[i].at_once)
            surety__buf_printf(&text, ",\"at_once\":%u",
                               (unsigned)gate->models[i].at_once);
        surety_buf_text(&text, "}");
    }
    surety_buf_text(&text, "},\"routes\":{\"mr\":[");
    for (size_t i = 0; i < gate->model_count; i++)
        surety__buf_printf(&text, "%s{\"model\":\"m%zu\",\"weight\":%u}",
                           i ? "," : "", i, 1 + (unsigned)gate_below(gate, 3));
    surety_buf_text(&text, is_wrong ? "]},\"wrong\":1}" : "]}}");
    file = fopen(gate->bench->config, "w");
    if (!file || text.status ||
        fwrite(text.ptr, 1, text.len, file) != text.len || fclose(file))
        abort();
    surety_buf_done(&text);
}

/* ---- life ---------------------------------------------------------------- */

static void gate_log(void *ctx, surety_str line)
{
    struct gate *gate = ctx;

    gate->logged++;
    gate_must_hide(gate, line, "no key is in the log");
    if (!gate->has_keys)
        gate_note(gate, line.ptr, line.len);
    if (gate->how.is_verbose)
        printf("# %8llu ms  %.*s\n", (unsigned long long)gate->now_ms,
               (int)line.len, line.ptr);
}

static void gate_make(struct gate *gate)
{
    gate->hash = CHANCE_HASH;
    gate->is_staying = true;
    gate->now_ms = 1 + gate_below(gate, 1000000);
    gate->unix_ms = 1700000000000 + (int64_t)gate_below(gate, 1000000);
    gate->jump_ms = gate->now_ms + gate_below(gate, GATE_JUMPS_MS);
    gate->disturb_ms = gate_one_in(gate, 3)
                           ? gate->now_ms + gate_below(gate, GATE_OWNER_MS)
                           : UINT64_MAX;
    gate->close_ms = gate_one_in(gate, 12)
                         ? gate->now_ms + gate_below(gate, GATE_OWNER_MS)
                         : UINT64_MAX;
    gate->model_count = 1 + gate_below(gate, GATE_MODELS);
    for (size_t i = 0; i < gate->model_count; i++)
        gate->models[i] = (struct gate_model){
            .protocol = (surety_protocol)gate_below(gate, 4),
            .at_once =
                gate_one_in(gate, 3) ? 1 + (uint32_t)gate_below(gate, 2) : 0};
    gate->has_keys = gate_one_in(gate, 16);
    gate->has_ledger = gate->has_keys || !gate_one_in(gate, 3);
    gate_draw_from(gate, STREAM_LINK);
    gate->is_tls =
        gate_link_has_tls() && gate_one_in(gate, 5) && !gate->how.no_tls;
    gate->is_smooth = gate_one_in(gate, 2) || !gate->is_tls;
    gate_draw_from(gate, STREAM_WORLD);
    gate->is_raw = gate_one_in(gate, 2);
    gate->are_reads_broken = gate_one_in(gate, 8);
    gate->ledger_fails =
        gate_one_in(gate, 6) ? 2 + (unsigned)gate_below(gate, 8) : 0;
    for (size_t i = 0; i < GATE_CALLS; i++)
        surety_buf_init(&gate->calls[i].body, NULL, 0);
    gate_transport_make(gate);
    gate_configure(gate, false);
    if (gate->has_keys)
        keys_make(gate);
    gate->caller_count = 1 + gate_below(gate, GATE_CALLERS);
    for (size_t i = 0; i < gate->caller_count; i++)
        gate_client_make(gate, &gate->clients[i], false);
    gate->client_count = gate->caller_count;
    gate_draw_from(gate, STREAM_PAGE);
    if (!gate->how.no_page && gate_one_in(gate, 2))
        gate->client_count += 1 + gate_below(gate, GATE_USERS);
    for (size_t i = gate->caller_count; i < gate->client_count; i++)
        gate_client_make(gate, &gate->clients[i], true);
    gate_draw_from(gate, STREAM_LINK);
    for (size_t i = 0; i < gate->client_count; i++)
        gate_link_make(gate, &gate->clients[i].link, gate->clients[i].out.len);
    gate_draw_from(gate, STREAM_WORLD);
}

/* Two threads use the memory and the rows (gate_ledger.c). */
static void gate_make_locks(struct gate *gate)
{
    pthread_mutexattr_t again;

    if (pthread_mutexattr_init(&again) ||
        pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE) ||
        pthread_mutex_init(&gate->baton, &again) ||
        pthread_mutex_init(&gate->memory_lock, NULL))
        abort();
    pthread_mutexattr_destroy(&again);
    gate_baton_take(gate);
}

/* Names the certificate, if it takes TLS. */
static void gate_secure(const struct gate *gate,
                        surety_gateway_options *options)
{
#ifdef SURETY_WITH_TLS
    if (!gate->is_tls)
        return;
    options->tls_certificate = surety_str_of(gate->bench->files.certificate);
    options->tls_key = surety_str_of(gate->bench->files.key);
    options->listen_count = 2;
#else
    (void)gate;
    (void)options;
#endif
}

bool gate_open(struct gate *gate, struct gate_bench *bench, uint64_t seed,
               struct gate_how how)
{
    char place[128] = "unix:";
    /* The second is for TLS, and no client goes there. */
    const surety_str listen[] = {{place, 5 + strlen(bench->socket)},
                                 surety_str_of("127.0.0.1:0")};
    surety_gateway_options options = {.size = sizeof(options),
                                      .config = surety_str_of(bench->config),
                                      .contracts = surety_str_of(bench->folder),
                                      .log = gate_log,
                                      .log_ctx = gate,
                                      .listen = listen,
                                      .listen_count = 1,
                                      .is_stepped = true};
    surety_error error;
    surety_status status;

    memset(gate, 0, sizeof(*gate));
    gate->bench = bench;
    gate->seed = seed;
    for (size_t i = 0; i < STREAMS; i++)
        gate->streams[i] = chance_begin(seed * STREAMS + i);
    gate->how = how;
    surety__group_init(&gate->kept, NULL);
    gate_make_locks(gate);
    gate->idle_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    gate_now = gate;
    gate_make(gate);
    memcpy(place + 5, bench->socket, strlen(bench->socket) + 1);
    gate_secure(gate, &options);
    gate->alloc = (surety_alloc){gate_resize, gate};
    options.alloc = &gate->alloc;
    options.ledger = surety_str_of(gate->has_keys     ? bench->database
                                   : gate->has_ledger ? "gate.db"
                                                      : "none");
    options.keys = gate->has_keys;
    if (gate_one_in(gate, 4))
        options.requests_max = 1 + (uint32_t)gate_below(gate, 4);
    if (gate_one_in(gate, 4))
        options.waiting_max = 1 + (uint32_t)gate_below(gate, 3);
    if (gate_one_in(gate, 2))
        options.model_failures_max = 1 + (uint32_t)gate_below(gate, 3);
    if (gate_one_in(gate, 8))
        gate->memory.fail_at =
            1 + gate_below(gate, gate_one_in(gate, 2) ? 400 : 3000);
    status = surety_gateway_open(&options, &gate->gateway, &error);
    if (status && how.is_verbose)
        printf("# open: %s\n", error.message);
    gate_must(gate, !status || (gate->memory.starved && status == SURETY_NOMEM),
              "a gateway opens, or memory ran out");
    return !status;
}

/* A row that was begun is finished, and has what its model told. */
static void row_check_end(struct gate *gate, const struct gate_row *row)
{
    const surety_usage *usage = &row->usage;
    const surety_entry *entry = gate_row_entry(gate, row);

    gate_must(gate,
              row->is_finished || !row->is_begun || gate->ledger_failed ||
                  gate->memory.starved,
              "each row that was begun is finished");
    if (!entry || entry->state != SURETY_ENTRY_DONE || !row->is_told)
        return;
    gate_must(gate,
              entry->usage_known &&
                  entry->input_tokens == usage->input_tokens &&
                  entry->output_tokens == usage->output_tokens,
              "a row has the usage that its model told");
    gate_must(gate,
              entry->cost_known &&
                  entry->cost_picousd ==
                      GATE_PICOUSD * usage->input_tokens +
                          GATE_PICOUSD * 2 * usage->output_tokens,
              "a row has the cost of its usage");
}

void gate_close(struct gate *gate)
{
    gate->is_closing = true;
    gate->memory.fail_at = 0;
    gate_baton_give(gate);
    surety_gateway_close(gate->gateway);
    gate->gateway = NULL;
    gate_must(gate, !gate_calls_active(gate), "no call outlives the gateway");
    gate_must(gate, !gate->transports, "each transport is closed");
    gate_must(gate, !gate->is_ledger_open, "the ledger is closed");
    gate_must(gate, !gate->memory.live, "no memory is left");
    gate_must(gate, gate->logged >= gate->answered || gate->memory.starved,
              "each answered request has a line in the log");
    for (size_t i = 0; i < gate->row_count; i++)
        row_check_end(gate, &gate->rows[i]);
    if (gate->has_keys)
        keys_check(gate);
    for (size_t i = 0; i < gate->client_count; i++)
        gate_client_done(&gate->clients[i]);
    for (size_t i = 0; i < GATE_CALLS; i++)
        surety_buf_done(&gate->calls[i].body);
    close(gate->idle_fd);
    surety__group_done(&gate->kept);
    pthread_mutex_destroy(&gate->baton);
    pthread_mutex_destroy(&gate->memory_lock);
    gate->bench->tally.calls += gate->call_count;
    gate->bench->tally.rows += gate->row_count;
    gate->bench->tally.starved += gate->memory.starved;
    gate->bench->tally.logged += gate->logged;
}

/* Writes the folder's contract: the last schema with a fallback. */
static bool bench_contract(const struct gate_bench *bench)
{
    const char *schema = gate_schemas[GATE_SCHEMAS - 1];
    char path[128];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/point.json", bench->folder);
    file = fopen(path, "w");
    return file &&
           fprintf(file,
                   "%.*s,\"x-surety\":{\"name\":\"point\",\"version\":\"1.0.0\""
                   ",\"fallback\":{\"kind\":\"value\",\"value\":{\"n\":0,"
                   "\"s\":\"a\"}}}}",
                   (int)strlen(schema) - 1, schema) > 0 &&
           !fclose(file);
}

bool gate_bench_open(struct gate_bench *bench)
{
    bool is_open;

    memset(bench, 0, sizeof(*bench));
    memcpy(bench->folder, "/tmp/surety-gate-XXXXXX", 24);
    is_open = mkdtemp(bench->folder) != NULL;
    (void)snprintf(bench->config, sizeof(bench->config), "%s/surety.json",
                   bench->folder);
    (void)snprintf(bench->socket, sizeof(bench->socket), "%s/gate",
                   bench->folder);
    (void)snprintf(bench->database, sizeof(bench->database), "%s/keys.db",
                   bench->folder);
    setenv("GATE_KEY", GATE_KEY, 1);
    bench->checker = surety_checker_new(NULL, NULL);
    bench->doc = surety_doc_new(NULL);
    bench->event = surety_doc_new(NULL);
    bench->value = surety_doc_new(NULL);
    for (size_t i = 0; i < GATE_SCHEMAS && is_open; i++)
        is_open = !surety_schema_read(surety_str_of(gate_schemas[i]), NULL,
                                      &bench->schemas[i], NULL);
    return is_open && gate_link_bench(bench) && bench->checker && bench->doc &&
           bench->event && bench->value && bench_contract(bench);
}

void gate_bench_close(struct gate_bench *bench)
{
    static const char *const names[] = {"surety.json", "gate",
                                        "point.json",  "keys.db",
                                        "keys.db-wal", "keys.db-shm"};
    char path[128];

    for (size_t i = 0; i < SURETY__COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", bench->folder, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(bench->folder);
    gate_link_bench_done(bench);
    for (size_t i = 0; i < GATE_SCHEMAS; i++)
        surety_schema_free(bench->schemas[i]);
    surety_checker_free(bench->checker);
    surety_doc_free(bench->doc);
    surety_doc_free(bench->event);
    surety_doc_free(bench->value);
}
