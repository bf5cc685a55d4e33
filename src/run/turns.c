/* SPDX-License-Identifier: Apache-2.0 */
/* The conversation of a run: what its calls send, and what its caller goes on
 * with.
 *
 * Invariants:
 * 1. A call sends the given messages, the run's own turns, and behind them the
 *    text of the plan (the open turn), which the next plan replaces. So a
 *    re-ask takes the place of the prompt, and no reply that failed is sent.
 * 2. A step closes the open turn: the model's calls of tools and their results
 *    follow it, and it never changes again. What was sent is a prefix of what
 *    will be sent, so a provider's cache can keep it.
 * 3. The messages that are kept for the caller have its prompt without format
 *    instructions, the steps, and the answer. Re-asks are not among them,
 *    unless the caller wants them.
 * 4. Texts live as long as the run or its options, and are not copied. */
#include "run/run.h"

/* ---- the two lists ------------------------------------------------------- */

/* Bytes of a message, for an estimate of its tokens. */
static size_t turns_bytes(const surety_message *message)
{
    size_t bytes = 0;

    for (size_t i = 0; i < message->part_count; i++)
        bytes += message->parts[i].text.len + message->parts[i].data.len;
    return bytes;
}

static void turns_send(surety__turns *turns, surety__run_store *store,
                       const surety__message *message)
{
    if (surety__grow(store->alloc, &turns->sent, &turns->sent_cap,
                     turns->sent_count + 1, sizeof(*turns->sent),
                     SIZE_MAX / sizeof(*turns->sent)) != SURETY_OK)
        store->status = SURETY_NOMEM;
    else
        turns->sent[turns->sent_count++] = *message;
}

static void turns_keep(surety__turns *turns, surety__run_store *store,
                       const surety_message *message)
{
    if (surety__grow(store->alloc, &turns->kept, &turns->kept_cap,
                     turns->kept_count + 1, sizeof(*turns->kept),
                     SIZE_MAX / sizeof(*turns->kept)) != SURETY_OK)
        store->status = SURETY_NOMEM;
    else
        turns->kept[turns->kept_count++] = *message;
}

/* A message of one text; without parts if memory runs out. */
static surety_message turns_text(surety__run_store *store, surety_role role,
                                 surety_str text)
{
    surety_part *part = surety__arena_take(&store->arena, sizeof(*part));

    if (!part) {
        store->status = SURETY_NOMEM;
        return (surety_message){.role = role};
    }
    *part = (surety_part){.kind = SURETY_PART_TEXT, .text = text};
    return (surety_message){role, part, 1};
}

static void turns_keep_text(surety__turns *turns, surety__run_store *store,
                            surety_role role, surety_str text)
{
    const surety_message message = turns_text(store, role, text);

    turns_keep(turns, store, &message);
}

/* Sends a message that is not the run's open turn. */
static void turns_send_closed(surety__turns *turns, surety__run_store *store,
                              const surety_message *message)
{
    const surety__message sent = {.role = message->role,
                                  .parts = message->parts,
                                  .part_count = message->part_count};

    turns_send(turns, store, &sent);
    turns->bytes += turns_bytes(message);
}

void surety__turns_begin(surety__turns *turns, const surety__setup *setup,
                         surety__run_store *store)
{
    const surety_run_options *options = &setup->options;

    assert(!turns->sent_count && !turns->kept_count);
    for (size_t i = 0; i < options->message_count; i++) {
        turns_send_closed(turns, store, &options->messages[i]);
        turns_keep(turns, store, &options->messages[i]);
    }
    if (options->prompt.len)
        turns_keep_text(turns, store, SURETY_ROLE_USER, options->prompt);
}

void surety__turns_ask(surety__turns *turns, surety__run_store *store,
                       surety_str text, const surety_prompt_part *part)
{
    surety__message *last =
        turns->sent_count ? &turns->sent[turns->sent_count - 1] : NULL;

    if (turns->open) {
        last->text = (surety_str){"", 0};
        turns->sent_count -= !last->part_count;
        last = turns->sent_count ? &turns->sent[turns->sent_count - 1] : NULL;
    }
    turns->open = false;
    if (!text.len && last)
        return;
    if (last && last->role == SURETY_ROLE_USER && !last->text.len) {
        last->text = text;
        last->part = *part;
    } else {
        const surety__message message = {SURETY_ROLE_USER, NULL, 0, text,
                                         *part};

        turns_send(turns, store, &message);
    }
    turns->open = store->status == SURETY_OK;
}

void surety__turns_step(surety__turns *turns, surety__run_store *store,
                        const surety_answer *answer,
                        const surety_message *results, bool as_text)
{
    surety_message sent[] = {answer->message, *results};

    assert(answer->message.role == SURETY_ROLE_ASSISTANT);
    assert(results->role == SURETY_ROLE_TOOL && results->part_count);
    if (turns->open)
        turns->bytes += turns->sent[turns->sent_count - 1].text.len;
    turns->open = false;
    turns->steps++;
    turns_keep(turns, store, &answer->message);
    turns_keep(turns, store, results);
    if (as_text) {
        for (size_t i = 0; i < results->part_count; i++)
            surety__tool_text_result(&results->parts[i], &store->text);
        sent[0] = turns_text(store, SURETY_ROLE_ASSISTANT, answer->text);
        sent[1] =
            turns_text(store, SURETY_ROLE_USER, surety__store_keep(store));
    }
    for (size_t i = 0; i < SURETY__COUNT(sent); i++)
        turns_send_closed(turns, store, &sent[i]);
}

void surety__turns_keep_reask(surety__turns *turns, surety__run_store *store,
                              surety_str reply, surety_str reask)
{
    turns_keep_text(turns, store, SURETY_ROLE_ASSISTANT, reply);
    turns_keep_text(turns, store, SURETY_ROLE_USER, reask);
}

void surety__turns_end(surety__turns *turns, surety__run_store *store,
                       const surety_answer *answer)
{
    const surety_message *message = &answer->message;
    bool calls = !message->part_count;

    /* The call of the answer's tool has no result: the value itself is what a
     * conversation goes on from. */
    for (size_t i = 0; i < message->part_count; i++)
        calls = calls || message->parts[i].kind == SURETY_PART_CALL;
    if (calls)
        turns_keep_text(turns, store, SURETY_ROLE_ASSISTANT,
                        answer->native.len ? answer->native : answer->text);
    else
        turns_keep(turns, store, message);
}

void surety__turns_done(surety__turns *turns, surety__run_store *store)
{
    surety__free(store->alloc, turns->sent,
                 turns->sent_cap * sizeof(*turns->sent));
    surety__free(store->alloc, turns->kept,
                 turns->kept_cap * sizeof(*turns->kept));
}
