/* SPDX-License-Identifier: Apache-2.0 */
/* A reply used while a model is still writing it, and given up as soon as
 * nothing that follows can make it right. */
#include <surety.h>

#include <stdio.h>

static const char contract_text[] =
    "{ \"type\": \"object\", \"required\": [\"city\", \"people\"],"
    "  \"properties\": {"
    "    \"city\": { \"type\": \"string\" },"
    "    \"people\": { \"type\": \"integer\", \"minimum\": 0 } },"
    /* Where the reply is the JSON and nothing else, a mistake is final. */
    "  \"x-surety\": { \"extract\": { \"from\": [\"whole\"] } } }";

/* What has come, on one line. */
static void show(surety_stream *stream)
{
    surety_val value = surety_stream_info_of(stream)->value;
    surety_val city = surety_val_get(value, "city");
    surety_buf text;

    if (!value.doc)
        return;
    surety_buf_init(&text, NULL, 0);
    surety_val_write(value, SURETY_STYLE_COMPACT, &text);
    printf("  %.*s%s\n", (int)text.len, text.ptr,
           surety_val_is_open(city) ? " (the city goes on)" : "");
    surety_buf_done(&text);
}

static void receive(surety_stream *stream, const surety_contract *contract,
                    const char *const *chunks)
{
    const surety_stream_info *info = surety_stream_info_of(stream);
    const surety_outcome *outcome = NULL;
    surety_error err;

    if (surety_stream_begin(stream, contract, NULL, false, &err))
        goto fail;
    for (; *chunks; chunks++) {
        if (surety_stream_feed(stream, surety_str_of(*chunks), &err))
            goto fail;
        if (info->state >= SURETY_STREAM_NO) {
            /* Here a program cancels the call that brings the reply. */
            printf("no, after %zu bytes: %.*s\n", info->reply.len,
                   (int)info->finding.message.len, info->finding.message.ptr);
            return;
        }
        show(stream);
    }
    if (surety_stream_finish(stream, NULL, &outcome, &err))
        goto fail;
    printf("%s\n", surety_outcome_info_of(outcome)->ok ? "valid" : "not valid");
    return;
fail:
    fprintf(stderr, "%s\n", err.message);
}

int main(void)
{
    static const char *const good[] = {"{\"city\": \"O", "sl",
                                       "o\", \"people\": ", "717710}", NULL};
    static const char *const bad[] = {
        "{\"city\": \"Oslo\", \"people\": ", "\"many", " thousands\" }", NULL};
    surety_contract *contract = NULL;
    surety_stream *stream = surety_stream_new(NULL, NULL);
    surety_error err;

    if (!stream || surety_contract_read(surety_str_of(contract_text), NULL,
                                        &contract, &err))
        return 1;
    receive(stream, contract, good);
    receive(stream, contract, bad);
    surety_stream_free(stream);
    surety_contract_free(contract);
    return 0;
}
