/* SPDX-License-Identifier: Apache-2.0 */
/* What a run adds to the call that it makes:
 *
 *     bench-calls URL CONTRACT ROUNDS CALLS
 *
 * URL is that of a model server whose reply satisfies CONTRACT. In each round
 * as many runs are made as bare libcurl calls, which send the request that the
 * run sent and read the whole response; both keep their connection. Prints the
 * nanoseconds of processor time of a call, for each round: JSON. The server is
 * another process, and its time does not count. */
#include <curl/curl.h>
#include <surety-run.h>

#include "common.h"

enum { ROUNDS_MAX = 100 };

/* A transport that notes the last request on its way to another. */
struct recorder {
    surety_transport face;
    surety_transport *inner;
    surety_buf url;
    surety_buf body;
    struct curl_slist *headers;
};

static void fail(const char *what)
{
    fprintf(stderr, "bench-calls: %s\n", what);
    exit(1);
}

static void header_note(struct recorder *recorder, const surety_header *header)
{
    surety_buf line;

    surety_buf_init(&line, NULL, 0);
    surety_buf_add(&line, header->name);
    surety_buf_text(&line, ": ");
    surety_buf_add(&line, header->value);
    surety_buf_byte(&line, '\0');
    recorder->headers = curl_slist_append(recorder->headers, line.ptr);
    surety_buf_done(&line);
}

static surety_status recorder_start(void *ctx, uint64_t id,
                                    const surety_request *request,
                                    const surety_receiver *receiver,
                                    surety_error *reterr)
{
    struct recorder *recorder = ctx;

    if (!recorder->url.len) {
        surety_buf_add(&recorder->url, request->url);
        surety_buf_byte(&recorder->url, '\0');
        surety_buf_add(&recorder->body, request->body);
        for (size_t i = 0; i < request->part_count; i++)
            surety_buf_add(&recorder->body, request->parts[i]);
        for (size_t i = 0; i < request->header_count; i++)
            header_note(recorder, &request->headers[i]);
    }
    return recorder->inner->start(recorder->inner->ctx, id, request, receiver,
                                  reterr);
}

static void recorder_cancel(void *ctx, uint64_t id)
{
    struct recorder *recorder = ctx;

    recorder->inner->cancel(recorder->inner->ctx, id);
}

static surety_status recorder_wait(void *ctx, uint32_t timeout_ms,
                                   surety_error *reterr)
{
    struct recorder *recorder = ctx;

    return recorder->inner->wait(recorder->inner->ctx, timeout_ms, reterr);
}

static void recorder_open(struct recorder *recorder)
{
    *recorder = (struct recorder){.face = {.version = 2,
                                           .ctx = recorder,
                                           .start = recorder_start,
                                           .cancel = recorder_cancel,
                                           .wait = recorder_wait}};
    surety_buf_init(&recorder->url, NULL, 0);
    surety_buf_init(&recorder->body, NULL, 0);
    if (surety_http_open(NULL, &recorder->inner, NULL))
        fail("libcurl is not there");
}

static void recorder_close(struct recorder *recorder)
{
    recorder->inner->close(recorder->inner->ctx);
    curl_slist_free_all(recorder->headers);
    surety_buf_done(&recorder->url);
    surety_buf_done(&recorder->body);
}

/* ---- one call each ------------------------------------------------------- */

static void run_once(const surety_contract *contract, const surety_model *model)
{
    const surety_run_options options = {
        .size = sizeof options,
        .contract = contract,
        .prompt = surety_str_of("How many inhabitants are there?"),
        .models = model,
        .model_count = 1};
    surety_run *run = NULL;

    if (surety_run_new(&options, &run, NULL) ||
        surety_run_wait(run, NULL, NULL) ||
        surety_run_info_of(run)->verdict != SURETY_RUN_VALID)
        fail("a run does not end with a valid reply");
    surety_run_free(run);
}

static size_t response_take(char *ptr, size_t size, size_t count, void *ctx)
{
    surety_buf_append(ctx, ptr, size * count);
    return size * count;
}

static CURL *curl_open(const struct recorder *recorder, surety_buf *response)
{
    CURL *curl = curl_easy_init();

    if (!curl)
        fail("libcurl cannot start");
    curl_easy_setopt(curl, CURLOPT_URL, recorder->url.ptr);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, recorder->headers);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, recorder->body.ptr);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)recorder->body.len);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, response_take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, response);
    return curl;
}

static void curl_once(CURL *curl, surety_buf *response)
{
    surety_buf_reset(response);
    if (curl_easy_perform(curl) != CURLE_OK || !response->len)
        fail("a bare call fails");
}

/* ---- rounds ----------------------------------------------------------------
 */

static void rounds_print(const char *name, const double *ns, unsigned count)
{
    printf("\"%s\": [", name);
    for (unsigned i = 0; i < count; i++)
        printf("%s%.0f", i ? ", " : "", ns[i]);
    printf("]");
}

static void rounds_run(const surety_contract *contract,
                       const surety_model *model, struct recorder *recorder,
                       unsigned rounds, unsigned calls)
{
    double runs[ROUNDS_MAX];
    double bare[ROUNDS_MAX];
    surety_buf response;
    CURL *curl;

    surety_buf_init(&response, NULL, 0);
    run_once(contract, model);
    curl = curl_open(recorder, &response);
    curl_once(curl, &response);
    for (unsigned i = 0; i < rounds; i++) {
        double start = used_ns();

        for (unsigned call = 0; call < calls; call++)
            run_once(contract, model);
        runs[i] = (used_ns() - start) / calls;
        start = used_ns();
        for (unsigned call = 0; call < calls; call++)
            curl_once(curl, &response);
        bare[i] = (used_ns() - start) / calls;
    }
    printf("{");
    rounds_print("surety", runs, rounds);
    printf(", ");
    rounds_print("libcurl", bare, rounds);
    printf(", \"bytes\": %zu}\n", recorder->body.len);
    curl_easy_cleanup(curl);
    surety_buf_done(&response);
}

int main(int argc, char **argv)
{
    surety_contract *contract = NULL;
    struct recorder recorder;
    surety_model model = {.size = sizeof model,
                          .name = surety_str_of("bench"),
                          .model = surety_str_of("bench"),
                          .protocol = SURETY_PROTOCOL_OPENAI};
    surety_str source;
    unsigned rounds;

    if (argc != 5) {
        fprintf(stderr, "usage: bench-calls URL CONTRACT ROUNDS CALLS\n");
        return 2;
    }
    source = file_read(argv[2]);
    if (!source.ptr || surety_contract_read(source, NULL, &contract, NULL))
        fail("the contract cannot be read");
    recorder_open(&recorder);
    model.base_url = surety_str_of(argv[1]);
    model.transport = &recorder.face;
    rounds = number_of(argv[3]);
    rounds_run(contract, &model, &recorder,
               rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX, number_of(argv[4]));
    recorder_close(&recorder);
    surety_contract_free(contract);
    free((void *)(size_t)source.ptr);
    return 0;
}
