/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_conversation.c: any text as a conversation.
 *
 * What is refused has a message, and a place in the text where it is not a
 * limit's; nothing is added then. What is taken is written and read again as
 * the same text; a repair is repaired once for all. */
#include <surety-run.h>

#include <stdint.h>
#include <stdlib.h>

#include "fuzz.h"

static surety_conversation *fuzz_new(void)
{
    surety_conversation *conversation = NULL;

    must(surety_conversation_new(NULL, &conversation, NULL) == SURETY_OK);
    return conversation;
}

static void fuzz_again(const surety_conversation *conversation)
{
    surety_conversation *again = fuzz_new();
    surety_buf out, twice;

    surety_buf_init(&out, NULL, 0);
    surety_buf_init(&twice, NULL, 0);
    must(surety_conversation_write(conversation, &out) == SURETY_OK);
    must(surety_conversation_read(again, surety_buf_str(&out), NULL) ==
         SURETY_OK);
    must(surety_conversation_write(again, &twice) == SURETY_OK);
    must(surety_str_equal(surety_buf_str(&out), surety_buf_str(&twice)));
    surety_buf_done(&out);
    surety_buf_done(&twice);
    surety_conversation_free(again);
}

static size_t fuzz_notes(const surety_conversation *conversation)
{
    surety_conversation_note note;
    size_t count = 0;

    while (surety_conversation_note_at(conversation, count, &note)) {
        must(note.text.len > 0);
        count++;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const surety_str text = {(const char *)data, size};
    surety_conversation *conversation = fuzz_new();
    surety_error err = {.status = SURETY_OK};
    size_t count, notes;

    if (surety_conversation_read(conversation, text, &err)) {
        must(err.status < 0 && err.message[0]);
        must(err.status != SURETY_SYNTAX || err.position.line > 0);
        (void)surety_conversation_messages(conversation, &count);
        must(count == 0 && fuzz_notes(conversation) == 0);
    } else {
        fuzz_again(conversation);
        if (surety_conversation_repair(conversation, &err)) {
            must(err.message[0] && err.hint[0]);
        } else {
            fuzz_again(conversation);
            notes = fuzz_notes(conversation);
            must(surety_conversation_repair(conversation, NULL) == SURETY_OK);
            must(fuzz_notes(conversation) == notes);
        }
    }
    surety_conversation_free(conversation);
    return 0;
}
