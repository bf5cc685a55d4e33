/* SPDX-License-Identifier: Apache-2.0 */
/* functions.c: a transport whose other end is a function of JavaScript.
 *
 * The wire is OpenAI's Responses, because its items carry text, reasoning and
 * calls of tools in their order, and whatever an item has goes back byte for
 * byte (wire.cjs reads and writes it). A request is a note to JavaScript; what
 * JavaScript gives is kept, behind the lock, until the run's thread waits and
 * passes it to the receiver. So no JavaScript runs in the run's thread, and a
 * function that never answers is ended by the time limits, as a server is: its
 * signal is aborted, and what it still gives is left out. */
#include "functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOST "https://function.invalid/"
#define BYTES_MAX                                                              \
    ((size_t)64 << 20) /* of a response, where a model says none */
#define SLICE_MS 50    /* the longest wait for one signal */

struct exchange {
    struct exchange *next;
    struct functions *functions;
    uint64_t id;     /* the run's */
    uint32_t number; /* JavaScript's */
    surety_receiver receiver;
    surety_timeouts timeouts;
    size_t bytes, bytes_max;
    uint64_t begin_ms, byte_ms; /* byte_ms 0: nothing came */
    bool over;                  /* the receiver has the end */
    /* What JavaScript gave and the receiver has not; behind the lock. */
    bool is_given; /* there is something */
    int status;
    surety_buf retry_after, text;
    bool ended;
    surety_delivery end;
};

static uint64_t clock_ms(void)
{
    struct timespec time = {0};

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void exchange_free(struct exchange *exchange)
{
    surety_buf_done(&exchange->retry_after);
    surety_buf_done(&exchange->text);
    free(exchange);
}

/* ---- in the run's thread ------------------------------------------------- */

/* Reports the end. Where JavaScript still works on it, it is told to stop. */
static void exchange_end(struct exchange *exchange,
                         const surety_delivery *delivery, bool stop)
{
    struct functions *functions = exchange->functions;
    const struct note note = {
        .kind = NOTE_STOP, .number = exchange->number, .member = SIZE_MAX};

    pthread_mutex_lock(&functions->lock);
    exchange->over = true;
    pthread_mutex_unlock(&functions->lock);
    if (stop)
        functions->post(functions->ctx, &note);
    exchange->receiver.end(exchange->receiver.ctx, delivery);
}

static void exchange_fail(struct exchange *exchange, surety_failure failure,
                          const char *message)
{
    surety_delivery delivery = {.failure = failure, .sent = true};

    snprintf(delivery.message, sizeof(delivery.message), "%s", message);
    exchange_end(exchange, &delivery, true);
}

static void exchange_head(struct exchange *exchange, int status,
                          surety_str retry_after)
{
    const bool good = status < 300;
    const surety_header headers[] = {
        {surety_str_of("content-type"),
         surety_str_of(good ? "text/event-stream" : "application/json"), false},
        {surety_str_of("retry-after"), retry_after, false}};

    exchange->receiver.head(exchange->receiver.ctx, status, headers,
                            retry_after.len ? 2 : 1);
}

static void exchange_bytes(struct exchange *exchange, surety_str text)
{
    if (text.len > exchange->bytes_max - exchange->bytes) {
        exchange_fail(exchange, SURETY_FAILURE_LIMIT,
                      "the model's answer is larger than allowed");
        return;
    }
    exchange->bytes += text.len;
    if (!exchange->receiver.bytes(exchange->receiver.ctx, text))
        exchange_fail(exchange, SURETY_FAILURE_CANCELLED,
                      "the rest of the answer is not wanted");
}

/* Passes on what JavaScript gave. The lock is not held. False: nothing. */
static bool exchange_pass(struct exchange *exchange, surety_status *ret_status)
{
    struct functions *functions = exchange->functions;
    struct exchange given;

    pthread_mutex_lock(&functions->lock);
    given = *exchange;
    exchange->is_given = false;
    exchange->status = 0;
    surety_buf_init(&exchange->retry_after, NULL, 0);
    surety_buf_init(&exchange->text, NULL, exchange->bytes_max + 1);
    pthread_mutex_unlock(&functions->lock);
    if (given.is_given)
        exchange->byte_ms = clock_ms();
    if (given.text.status == SURETY_NOMEM)
        *ret_status = SURETY_NOMEM;
    if (given.status)
        exchange_head(exchange, given.status,
                      surety_buf_str(&given.retry_after));
    if (given.text.status == SURETY_LIMIT)
        exchange_fail(exchange, SURETY_FAILURE_LIMIT,
                      "the model's answer is larger than allowed");
    else if (given.text.len)
        exchange_bytes(exchange, surety_buf_str(&given.text));
    if (given.ended && !exchange->over)
        exchange_end(exchange, &given.end, false);
    surety_buf_done(&given.retry_after);
    surety_buf_done(&given.text);
    return given.is_given;
}

/* Ends an exchange whose time is over. False: it has time. */
static bool exchange_late(struct exchange *exchange, uint64_t now_ms)
{
    const surety_timeouts *most = &exchange->timeouts;
    const uint64_t taken_ms = now_ms - exchange->begin_ms;
    char message[96] = "";

    if (taken_ms >= most->total_ms)
        snprintf(message, sizeof(message),
                 "the model's function was not done after %u ms",
                 (unsigned)most->total_ms);
    else if (!exchange->byte_ms && taken_ms >= most->first_byte_ms)
        snprintf(message, sizeof(message),
                 "the model's function gave nothing within %u ms",
                 (unsigned)most->first_byte_ms);
    else if (exchange->byte_ms && now_ms >= exchange->byte_ms + most->idle_ms)
        snprintf(message, sizeof(message),
                 "the model's function gave nothing more for %u ms",
                 (unsigned)most->idle_ms);
    if (*message && !exchange->over)
        exchange_fail(exchange, SURETY_FAILURE_TIMEOUT, message);
    return exchange->over;
}

/* Frees the exchanges that are over. */
static void exchanges_sweep(struct functions *functions)
{
    struct exchange **place, *exchange;

    pthread_mutex_lock(&functions->lock);
    place = &functions->exchanges;
    while ((exchange = *place)) {
        if (!exchange->over) {
            place = &exchange->next;
            continue;
        }
        *place = exchange->next;
        exchange_free(exchange);
    }
    pthread_mutex_unlock(&functions->lock);
}

static uint32_t timeout_of(uint32_t given, uint32_t otherwise)
{
    return given ? given : otherwise;
}

static struct exchange *exchange_new(struct functions *functions, uint64_t id,
                                     const surety_request *request,
                                     const surety_receiver *receiver)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    const surety_timeouts *given = &request->timeouts;

    if (!exchange)
        return NULL;
    exchange->functions = functions;
    exchange->id = id;
    exchange->receiver = *receiver;
    exchange->timeouts = (surety_timeouts){
        0, timeout_of(given->first_byte_ms, 120000),
        timeout_of(given->idle_ms, 60000), timeout_of(given->total_ms, 600000)};
    exchange->bytes_max =
        request->response_bytes_max ? request->response_bytes_max : BYTES_MAX;
    exchange->begin_ms = clock_ms();
    surety_buf_init(&exchange->retry_after, NULL, 0);
    surety_buf_init(&exchange->text, NULL, exchange->bytes_max + 1);
    return exchange;
}

static surety_status functions_start(void *ctx, uint64_t id,
                                     const surety_request *request,
                                     const surety_receiver *receiver,
                                     surety_error *reterr)
{
    struct functions *functions = ctx;
    struct exchange *exchange;
    struct note note = {.kind = NOTE_ASK, .text = request->body};
    const size_t host = strlen(HOST);
    surety_status status;

    *reterr = (surety_error){.status = SURETY_NOMEM};
    if (request->url.len <= host || memcmp(request->url.ptr, HOST, host))
        return reterr->status = SURETY_MISUSE;
    while (note.member < functions->count &&
           strtoull(request->url.ptr + host, NULL, 10) != note.member)
        note.member++;
    exchange = exchange_new(functions, id, request, receiver);
    if (!exchange)
        return SURETY_NOMEM;
    pthread_mutex_lock(&functions->lock);
    exchange->number = note.number = ++functions->last_number;
    exchange->next = functions->exchanges;
    functions->exchanges = exchange;
    pthread_mutex_unlock(&functions->lock);
    status = functions->post(functions->ctx, &note);
    if (status) /* JavaScript has ended, or there is no memory */
        exchange_fail(exchange, SURETY_FAILURE_CANCELLED,
                      "JavaScript cannot be reached");
    return SURETY_OK;
}

static void functions_cancel(void *ctx, uint64_t id)
{
    struct functions *functions = ctx;
    struct exchange *exchange = functions->exchanges;

    while (exchange && (exchange->over || exchange->id != id))
        exchange = exchange->next;
    if (exchange)
        exchange_fail(exchange, SURETY_FAILURE_CANCELLED,
                      "the call was stopped");
}

/* Waits at most that long for JavaScript to give something. */
static void functions_sleep(struct functions *functions, uint32_t timeout_ms)
{
    const struct exchange *exchange;
    struct timespec until;
    bool is_given = false;

    if (timeout_ms > SLICE_MS)
        timeout_ms = SLICE_MS;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)timeout_ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&functions->lock);
    for (exchange = functions->exchanges; exchange; exchange = exchange->next)
        is_given |= exchange->is_given || exchange->over;
    if (!is_given)
        pthread_cond_timedwait(&functions->given, &functions->lock, &until);
    pthread_mutex_unlock(&functions->lock);
}

static surety_status functions_wait(void *ctx, uint32_t timeout_ms,
                                    surety_error *reterr)
{
    struct functions *functions = ctx;
    uint64_t now_ms, until_ms = clock_ms() + timeout_ms;
    surety_status status = SURETY_OK;
    struct exchange *exchange;
    bool moved = false;

    do {
        now_ms = clock_ms();
        functions_sleep(functions,
                        until_ms > now_ms ? (uint32_t)(until_ms - now_ms) : 0);
        now_ms = clock_ms();
        for (exchange = functions->exchanges; exchange && !status;
             exchange = exchange->next) {
            if (!exchange->over)
                moved |= exchange_pass(exchange, &status) ||
                         exchange_late(exchange, now_ms);
            moved |= exchange->over;
        }
        exchanges_sweep(functions);
    } while (!moved && !status && now_ms < until_ms);
    if (status)
        *reterr = (surety_error){.status = status, .message = "out of memory"};
    return status;
}

static void functions_close(void *ctx)
{
    struct functions *functions = ctx;
    struct exchange *exchange;

    for (exchange = functions->exchanges; exchange; exchange = exchange->next)
        if (!exchange->over)
            exchange_fail(exchange, SURETY_FAILURE_CANCELLED,
                          "the call was stopped");
    exchanges_sweep(functions);
}

/* ---- in JavaScript's thread ---------------------------------------------- */

void functions_init(struct functions *functions)
{
    *functions = (struct functions){.count = 0};
    pthread_mutex_init(&functions->lock, NULL);
    pthread_cond_init(&functions->given, NULL);
    functions->transport = (surety_transport){1,
                                              functions,
                                              functions_start,
                                              functions_cancel,
                                              functions_wait,
                                              functions_close,
                                              NULL};
}

void functions_done(struct functions *functions)
{
    size_t i;

    for (i = 0; i < functions->count; i++) {
        bytes_drop(&functions->list[i].name);
        bytes_drop(&functions->list[i].provider);
        bytes_drop(&functions->list[i].model);
    }
    free(functions->list);
    pthread_mutex_destroy(&functions->lock);
    pthread_cond_destroy(&functions->given);
}

static bool function_take(napi_env env, napi_value object,
                          struct function *function)
{
    surety_price *price = &function->price;
    napi_value value;

    function->at = number_take(env, object, "at", FUNCTION_AGGREGATOR);
    function->mode = (surety_mode)number_take(env, object, "mode", 0);
    price->known = member_take(env, object, "price", &value);
    if (price->known) {
        price->input_microusd = (uint64_t)number_take(env, value, "input", 0);
        price->cached_input_microusd =
            (uint64_t)number_take(env, value, "cachedInput", 0);
        price->output_microusd = (uint64_t)number_take(env, value, "output", 0);
    }
    return text_take(env, object, "name", &function->name) &&
           text_take(env, object, "provider", &function->provider) &&
           text_take(env, object, "model", &function->model);
}

bool functions_take(napi_env env, napi_value spec, struct functions *ret)
{
    napi_value list, item;
    uint32_t i, count;

    if (!member_take(env, spec, "functions", &list))
        return true;
    if (napi_get_array_length(env, list, &count))
        return fail_node(env);
    ret->list = calloc(count ? count : 1, sizeof(*ret->list));
    if (!ret->list)
        return fail_status(env, SURETY_NOMEM, "out of memory");
    ret->count = count;
    for (i = 0; i < count; i++) {
        snprintf(ret->list[i].url, sizeof(ret->list[i].url), HOST "%u",
                 (unsigned)i);
        if (napi_get_element(env, list, i, &item))
            return fail_node(env);
        if (!function_take(env, item, &ret->list[i]))
            return false;
    }
    return true;
}

const struct function *function_find(const struct functions *functions,
                                     int64_t at)
{
    size_t i;

    for (i = 0; i < functions->count; i++)
        if (functions->list[i].at == at)
            return &functions->list[i];
    return NULL;
}

surety_model function_model(const struct function *function,
                            surety_transport *transport)
{
    return (surety_model){.size = sizeof(surety_model),
                          .name = function->name.str,
                          .provider = function->provider.str,
                          .model = function->model.str,
                          .protocol = SURETY_PROTOCOL_RESPONSES,
                          .base_url = surety_str_of(function->url),
                          .mode = function->mode,
                          .price = function->price,
                          .transport = transport};
}

/* Takes a message as one that ends with a whole character. */
static void message_take(surety_str text, char *message, size_t size)
{
    size_t len = text.len < size ? text.len : size - 1;

    if (len < text.len)
        while (len && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
            len--;
    if (len)
        memcpy(message, text.ptr, len);
    message[len] = 0;
}

bool functions_give(struct functions *functions, uint32_t number,
                    const struct gift *gift)
{
    struct exchange *exchange;
    bool wanted;

    pthread_mutex_lock(&functions->lock);
    exchange = functions->exchanges;
    while (exchange && exchange->number != number)
        exchange = exchange->next;
    wanted = exchange && !exchange->over && !exchange->ended;
    if (wanted) {
        if (gift->status) {
            exchange->status = gift->status;
            surety_buf_add(&exchange->retry_after, gift->retry_after);
        }
        surety_buf_add(&exchange->text, gift->text);
        if (gift->ended) {
            exchange->ended = true;
            exchange->end = (surety_delivery){.failure = gift->failure,
                                              .sent = gift->failure !=
                                                      SURETY_FAILURE_CONNECT};
            message_take(gift->message, exchange->end.message,
                         sizeof(exchange->end.message));
        }
        exchange->is_given = true;
        pthread_cond_broadcast(&functions->given);
    }
    pthread_mutex_unlock(&functions->lock);
    return wanted;
}
