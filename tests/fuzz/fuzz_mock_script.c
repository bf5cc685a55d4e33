/* SPDX-License-Identifier: Apache-2.0 */
/* Reads any bytes as a script of the mock server, and plays what it gives to a
 * call of each protocol, whole and streamed: bytes come in the room there is,
 * the faults at their places, and a plan that can end does. */
#include "mock/mock.h"

#include "fuzz.h"

static surety_str no_header(void *ctx, const char *name)
{
    (void)ctx, (void)name;
    return (surety_str){NULL, 0};
}

static void pull_all(surety__playback *plan)
{
    const uint64_t size = surety__playback_size(plan);
    char room[4096];
    uint64_t got = 0;

    for (int i = 0; i < 3000; i++) {
        surety__pull pull = {room, sizeof(room), 0, 0};
        const surety__flow flow = surety__playback_pull(plan, &pull);
        if (flow == FLOW_WAIT && pull.wait_ms == SERVE_WAIT_LONG) {
            must(got == plan->stall_at);
            return;
        }
        if (flow == FLOW_WAIT)
            continue;
        if (flow == FLOW_CUT || flow == FLOW_RESET) {
            must(got == (flow == FLOW_CUT ? plan->cut_at : plan->reset_at));
            return;
        }
        if (flow == FLOW_END) {
            must(got == size);
            return;
        }
        must(flow == FLOW_ON && pull.len > 0 && pull.len <= sizeof(room));
        got += pull.len;
        must(got <= plan->cut_at && got <= plan->reset_at &&
             got <= plan->stall_at);
    }
}

static void play(surety__script *script, surety_protocol protocol, bool stream)
{
    const surety__model_message message = {AUTHOR_USER, {"h\xC3\xA9y", 4}, 0};
    surety__model_request request = {.protocol = protocol,
                                     .model = {"m", 1},
                                     .stream = stream,
                                     .mode = SURETY_MODE_TOOL,
                                     .messages = &message,
                                     .message_count = 1,
                                     .answers = 1};
    const surety__script_call call = {
        &request, {"/v1/messages", 12}, no_header, NULL};
    const surety__script_reply *reply = surety__script_pick(script, &call);
    const surety__playback_order order = {script, reply, &request,
                                          script->calls, false};
    surety__playback plan;

    if (!reply)
        return;
    surety__playback_init(&plan, NULL);
    if (surety__playback_reply(&plan, &order) == SURETY_OK)
        pull_all(&plan);
    surety__playback_done(&plan);
}

/* A script may name any file, and this is no test of files. */
static bool may_name_files(surety_str text)
{
    return surety__str_find(text, surety_str_of("file")) < text.len ||
           surety__str_find(text, surety_str_of("\\u")) < text.len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const surety_str text = {(const char *)data, size};
    surety__script script;
    surety_error error;
    surety_status status;

    if (may_name_files(text))
        return 0;
    status =
        surety__script_read(&script, text, (surety_str){NULL, 0}, NULL, &error);
    if (status == SURETY_OK)
        for (int i = 0; i < 16; i++)
            play(&script, (surety_protocol)(i / 2 % 4), i % 2);
    else
        must(status == SURETY_LIMIT ||
             (status == SURETY_SYNTAX && error.message[0]));
    surety__script_done(&script);
    return 0;
}
