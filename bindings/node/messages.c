/* SPDX-License-Identifier: Apache-2.0 */
/* messages.c: see messages.h. Calls without results get one that says so, as
 * every provider refuses a conversation with such calls. */
#include "messages.h"

surety_status messages_read(surety_str text, surety_run_options *options,
                            surety_conversation **ret, surety_error *reterr)
{
    const surety_conversation_options how = {.size = sizeof(how),
                                             .limits = options->limits};
    surety_status status;

    if (text.len == 0)
        return SURETY_OK;
    status = surety_conversation_new(&how, ret, reterr);
    if (!status)
        status = surety_conversation_read(*ret, text, reterr);
    if (!status)
        status = surety_conversation_repair(*ret, reterr);
    if (!status)
        options->messages =
            surety_conversation_messages(*ret, &options->message_count);
    return status;
}

surety_status messages_write(const surety_run *ended,
                             const surety_limits *limits, surety_buf *out,
                             surety_error *reterr)
{
    const surety_conversation_options how = {.size = sizeof(how),
                                             .limits = limits};
    surety_conversation *conversation = NULL;
    const surety_message *messages;
    size_t i, count;
    surety_status status = surety_conversation_new(&how, &conversation, reterr);

    messages = surety_run_messages(ended, &count);
    for (i = 0; i < count && !status; i++)
        status = surety_conversation_add(conversation, &messages[i], reterr);
    if (!status)
        status = surety_conversation_write(conversation, out);
    surety_conversation_free(conversation);
    return status;
}
