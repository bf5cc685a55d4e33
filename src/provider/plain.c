/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c: the protocol `text`: the prompt in, the reply out, for commands and
 * other programs that read and write plain text.
 *
 * The prompt is the system text, an empty line, and the user's message. Of
 * several messages, each has a line with its role before it. The reply has no
 * end mark, so a clean end of the bytes completes it. There is no usage and no
 * refusal. */
#include "provider/protocol.h"

static void plain_body(const surety__call *call, surety_buf *out)
{
    surety_buf_add(out, call->system);
    for (size_t i = 0; i < call->message_count; i++) {
        if (out->len)
            surety_buf_text(out, "\n\n");
        if (call->message_count > 1)
            surety_buf_text(out, call->messages[i].role == SURETY_ROLE_USER
                                     ? "User:\n"
                                     : "Assistant:\n");
        for (size_t k = 0; k < call->messages[i].part_count; k++) {
            surety_buf_add(out, call->messages[i].parts[k].text);
            if (k + 1 < call->messages[i].part_count ||
                call->messages[i].text.len)
                surety_buf_text(out, "\n\n");
        }
        surety_buf_add(out, call->messages[i].text);
    }
    if (call->message_count > 1)
        surety_buf_text(out, "\n\nAssistant:\n");
}

static const surety__ending plain_endings[] = {{NULL, SURETY_FAILURE_NONE}};
static const char *const plain_replaceable[] = {NULL};

const surety__protocol surety__protocol_text = {
    .key_header = "authorization",
    .key_prefix = "Bearer ",
    .body = plain_body,
    .replaceable = plain_replaceable,
    .endings = plain_endings,
};
