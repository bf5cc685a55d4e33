/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_recording.c: any bytes as a recording. What can be read is played
 * through a recorder; what that writes reads again and plays the same. */
#include <surety/provider.h>

#include <string.h>

#include "provider/provider.h"
#include "../heard.h"
#include "fuzz.h"

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
    const surety_receiver receiver = heard_receiver(heard);
    surety_transport *transport = NULL;

    must(surety_replay_open(recording, 0, NULL, &transport, NULL) == SURETY_OK);
    if (written)
        must(surety_record_open(transport, write_line, written, NULL,
                                &transport, NULL) == SURETY_OK);
    for (size_t i = 0; i < surety__recording_count(recording); i++) {
        must(transport->start(transport->ctx, i, &request, &receiver, NULL) ==
             SURETY_OK);
        must(transport->wait(transport->ctx, 0, NULL) == SURETY_OK);
        must(heard->ends == i + 1);
    }
    transport->close(transport->ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    surety_recording *recording = NULL;
    surety_recording *again = NULL;
    struct heard first, second;
    surety_buf written;
    surety_error error;
    const surety_status status = surety_recording_read(
        (surety_str){(const char *)data, size}, NULL, &recording, &error);

    if (status) {
        must(status == SURETY_SYNTAX || status == SURETY_LIMIT);
        must(error.message[0]);
        return 0;
    }
    heard_init(&first, NULL);
    heard_init(&second, NULL);
    surety_buf_init(&written, NULL, 0);
    play(recording, &first, &written);
    must(surety_recording_read(surety_buf_str(&written), NULL, &again,
                               &error) == SURETY_OK);
    must(surety__recording_count(again) == surety__recording_count(recording));
    play(again, &second, NULL);
    /* A cookie's value is the one thing that a recorder leaves out of these. */
    if (surety__str_find(surety_buf_str(&written), SURETY__LITERAL("***")) ==
        written.len)
        must(surety_str_equal(surety_buf_str(&first.text),
                              surety_buf_str(&second.text)));
    surety_recording_free(recording);
    surety_recording_free(again);
    heard_done(&first);
    heard_done(&second);
    surety_buf_done(&written);
    return 0;
}
