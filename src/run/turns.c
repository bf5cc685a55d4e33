/* SPDX-License-Identifier: Apache-2.0 */
/* The conversation of a run: what its calls send, and what its caller goes on
 * with.
 *
 * Invariants:
 * 1. A call sends the given messages, the run's own turns, and behind them the
 *    text of the plan (the open turn), which the next plan replaces. So a
 *    re-ask takes the place of the prompt, and no reply that failed is sent.
 * 2. The messages that are kept for the caller have its prompt without format
 *    instructions, and the answer. Re-asks are not among them, unless the
 *    caller wants them.
 * 3. Texts live as long as the run: parts are copied from answers. */
#include "run/run.h"

/* ---- copies -------------------------------------------------------------- */

static surety_part *turns_parts(surety__run_store *store,
                                const surety_part *parts, size_t count)
{
    surety_part *own =
        surety__arena_take(&store->arena, (count + 1) * sizeof(*own));

    if (!own) {
        store->status = SURETY_NOMEM;
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        surety_str *const texts[] = {
            &own[i].text,    &own[i].media_type, &own[i].data, &own[i].url,
            &own[i].file_id, &own[i].name,       &own[i].id,   &own[i].raw,
        };

        own[i] = parts[i];
        for (size_t j = 0; j < SURETY__COUNT(texts); j++)
            *texts[j] = surety__store_copy(store, *texts[j]);
    }
    return own;
}

/* Bytes of a part, for an estimate of its tokens. */
static size_t turns_bytes(const surety_message *message)
{
    size_t bytes = 0;

    for (size_t i = 0; i < message->part_count; i++)
        bytes += message->parts[i].text.len + message->parts[i].data.len;
    return bytes;
}

/* ---- the two lists ------------------------------------------------------- */

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

static void turns_keep_text(surety__turns *turns, surety__run_store *store,
                            surety_role role, surety_str text)
{
    const surety_part part = {.kind = SURETY_PART_TEXT, .text = text};
    const surety_message message = {role, turns_parts(store, &part, 1), 1};

    if (message.parts)
        turns_keep(turns, store, &message);
}

void surety__turns_begin(surety__turns *turns, const surety__setup *setup,
                         surety__run_store *store)
{
    const surety_run_options *options = &setup->options;

    assert(!turns->sent_count && !turns->kept_count);
    for (size_t i = 0; i < options->message_count; i++) {
        const surety_message *given = &options->messages[i];
        const surety__message message = {
            given->role, given->parts, given->part_count, {"", 0}, {0}};

        turns_send(turns, store, &message);
        turns_keep(turns, store, given);
        turns->bytes += turns_bytes(given);
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

void surety__turns_keep_reask(surety__turns *turns, surety__run_store *store,
                              surety_str reply, surety_str reask)
{
    turns_keep_text(turns, store, SURETY_ROLE_ASSISTANT, reply);
    turns_keep_text(turns, store, SURETY_ROLE_USER, reask);
}

void surety__turns_end(surety__turns *turns, surety__run_store *store,
                       const surety_answer *answer)
{
    turns_keep_text(turns, store, SURETY_ROLE_ASSISTANT,
                    answer->native.len ? answer->native : answer->text);
}

void surety__turns_done(surety__turns *turns, surety__run_store *store)
{
    surety__free(store->alloc, turns->sent,
                 turns->sent_cap * sizeof(*turns->sent));
    surety__free(store->alloc, turns->kept,
                 turns->kept_cap * sizeof(*turns->kept));
}
