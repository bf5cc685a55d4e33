/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c: the protocol `text`: the prompt in, the reply out, for commands and
 * other programs that read and write plain text.
 *
 * The prompt is the system text, an empty line, and the user's message. Of
 * several messages, each has a line with its role before it, and a call or a
 * result one with the tool's name. The reply has no end mark, so a clean end of
 * the bytes completes it. There is no usage and no refusal. */
#include "provider/protocol.h"

/* The rows say only which parts there are. */
static const surety__part_form plain_forms[] = {
    {SURETY_PART_TEXT, SOURCE_NONE, NULL, ""},
    {SURETY_PART_CALL, SOURCE_NONE, NULL, ""},
    {SURETY_PART_RESULT, SOURCE_NONE, NULL, ""},
    {SURETY_PART_TEXT, SOURCE_NONE, NULL, NULL},
};

/* Appends a paragraph: a line before it, if there is one, and its text. */
static void plain_paragraph(surety_buf *out, const char *head, surety_str name,
                            surety_str text)
{
    if (out->len)
        surety_buf_text(out, "\n\n");
    if (*head)
        surety__template_write(out, "$t$r:\n", head, name);
    surety_buf_add(out, text);
}

static void plain_message(const surety__call *call,
                          const surety__message *message, surety_buf *out)
{
    static const char *const roles[] = {"System", "User", "Assistant", ""};
    const surety_str none = {"", 0};
    const char *head = call->message_count > 1 ? roles[message->role] : "";

    for (size_t i = 0; i < message->part_count; i++) {
        const surety_part *part = &message->parts[i];

        if (!surety__part_goes(call, part))
            continue;
        if (part->kind == SURETY_PART_TEXT) {
            plain_paragraph(out, head, none, none);
            surety__part_name(call, part, out);
            surety_buf_add(out, part->text);
            head = "";
        } else {
            plain_paragraph(out,
                            part->kind == SURETY_PART_CALL ? "Call of "
                            : part->error                  ? "Error of "
                                                           : "Result of ",
                            part->name, part->text);
        }
    }
    if (message->text.len || !message->part_count)
        plain_paragraph(out, head, none, message->text);
}

static void plain_body(const surety__call *call, surety_buf *out)
{
    surety_buf_add(out, call->system);
    for (size_t i = 0; i < call->message_count; i++)
        plain_message(call, &call->messages[i], out);
    if (call->message_count > 1)
        surety_buf_text(out, "\n\nAssistant:\n");
}

static const surety__ending plain_endings[] = {{NULL, SURETY_FAILURE_NONE}};
static const char *const plain_replaceable[] = {NULL};

const surety__protocol surety__protocol_text = {
    .key_header = "authorization",
    .key_prefix = "Bearer ",
    .forms = plain_forms,
    .body = plain_body,
    .replaceable = plain_replaceable,
    .endings = plain_endings,
};
