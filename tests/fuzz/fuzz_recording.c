/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_recording.c: any bytes as a recording. What can be read is played
 * through a recorder; what that writes reads again and plays the same. */
#include <surety/provider.h>

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "fuzz.h"

#define NEED(cond)                                                             \
    do {                                                                       \
        if (!(cond))                                                           \
            abort();                                                           \
    } while (0)

struct heard {
    surety_buf text;
    size_t ends;
};

static void hear_head(void *ctx, int status, const surety_header *headers,
                      size_t count)
{
    struct heard *heard = ctx;

    surety__buf_printf(&heard->text, "head %d\n", status);
    for (size_t i = 0; i < count; i++) {
        surety_buf_add(&heard->text, headers[i].name);
        surety_buf_byte(&heard->text, '=');
        surety_buf_add(&heard->text, headers[i].value);
        surety_buf_byte(&heard->text, '\n');
    }
}

static bool hear_bytes(void *ctx, surety_str bytes)
{
    struct heard *heard = ctx;

    surety__buf_printf(&heard->text, "bytes %zu ", bytes.len);
    surety_buf_add(&heard->text, bytes);
    return true;
}

static void hear_end(void *ctx, const surety_delivery *delivery)
{
    struct heard *heard = ctx;

    surety__buf_printf(&heard->text, "end %s %d %s\n",
                       surety_failure_name(delivery->failure), delivery->sent,
                       delivery->message);
    heard->ends++;
}

static surety_status write_line(void *ctx, surety_str line)
{
    surety_buf_add(ctx, line);
    return SURETY_OK;
}

/* Plays the whole recording into heard; with written, through a recorder. */
static void play(const surety_recording *recording, struct heard *heard,
                 surety_buf *written)
{
    const surety_request request = {.size = sizeof(request),
                                    .method = surety_str_of("POST"),
                                    .url = surety_str_of("https://host/"),
                                    .response_bytes_max = SIZE_MAX};
    const surety_receiver receiver = {heard, hear_head, hear_bytes, hear_end};
    surety_transport *transport = NULL;

    NEED(surety_replay_open(recording, NULL, &transport, NULL) == SURETY_OK);
    if (written)
        NEED(surety_record_open(transport, write_line, written, NULL,
                                &transport, NULL) == SURETY_OK);
    for (size_t i = 0; i < surety_recording_count(recording); i++) {
        NEED(transport->start(transport->ctx, i, &request, &receiver, NULL) ==
             SURETY_OK);
        NEED(transport->wait(transport->ctx, 0, NULL) == SURETY_OK);
        NEED(heard->ends == i + 1);
    }
    transport->close(transport->ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    surety_recording *recording = NULL;
    surety_recording *again = NULL;
    struct heard first = {.ends = 0};
    struct heard second = {.ends = 0};
    surety_buf written;
    surety_error error;
    const surety_status status = surety_recording_read(
        (surety_str){(const char *)data, size}, NULL, &recording, &error);

    if (status) {
        NEED(status == SURETY_SYNTAX || status == SURETY_LIMIT);
        NEED(error.message[0]);
        return 0;
    }
    surety_buf_init(&first.text, NULL, 0);
    surety_buf_init(&second.text, NULL, 0);
    surety_buf_init(&written, NULL, 0);
    play(recording, &first, &written);
    NEED(surety_recording_read(surety_buf_str(&written), NULL, &again,
                               &error) == SURETY_OK);
    NEED(surety_recording_count(again) == surety_recording_count(recording));
    play(again, &second, NULL);
    /* A cookie's value is the one thing that a recorder leaves out of these. */
    if (surety__str_find(surety_buf_str(&written), SURETY__LITERAL("***")) ==
        written.len)
        NEED(surety_str_equal(surety_buf_str(&first.text),
                              surety_buf_str(&second.text)));
    surety_recording_free(recording);
    surety_recording_free(again);
    surety_buf_done(&first.text);
    surety_buf_done(&second.text);
    surety_buf_done(&written);
    return 0;
}
