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
 * 4. The contract's examples come first, in the form that the call's mode asks
 *    for. They are no part of what is kept.
 * 5. Texts live as long as the run or its options, and are not copied. */
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

/* A message of one text, in UTF-8 whatever the model wrote, because no message
 * can be sent or saved else; without parts if memory runs out. */
static surety_message turns_text(surety__run_store *store, surety_role role,
                                 surety_str text)
{
    surety_part *part = surety__arena_take(&store->arena, sizeof(*part));

    if (!part) {
        store->status = SURETY_NOMEM;
        return (surety_message){.role = role};
    }
    *part = (surety_part){.kind = SURETY_PART_TEXT,
                          .text = surety__store_utf8(store, text)};
    return (surety_message){role, part, 1};
}

static void turns_keep_text(surety__turns *turns, surety__run_store *store,
                            surety_role role, surety_str text)
{
    const surety_message message = turns_text(store, role, text);

    turns_keep(turns, store, &message);
}

/* Keeps a message of the model as a conversation can hold it: texts in UTF-8,
 * and arguments that are no object as a member of one. */
static void turns_keep_answer(surety__turns *turns, surety__run_store *store,
                              const surety_message *message)
{
    const size_t size = message->part_count * sizeof(*message->parts);
    surety_part *parts = surety__arena_take(&store->arena, size);
    const surety_message kept = {message->role, parts, message->part_count};

    if (!parts) {
        store->status = SURETY_NOMEM;
        return;
    }
    memcpy(parts, message->parts, size);
    for (size_t i = 0; i < kept.part_count; i++) {
        if (parts[i].kind != SURETY_PART_CALL) {
            parts[i].text = surety__store_utf8(store, parts[i].text);
            continue;
        }
        if (!surety__arguments_write(parts[i].text, &store->text))
            parts[i].text = surety__store_keep(store);
        else
            (void)surety__store_pass(store, store->text.status);
        surety_buf_reset(&store->text);
    }
    turns_keep(turns, store, &kept);
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
        if (turns->lead_at == i &&
            options->messages[i].role == SURETY_ROLE_SYSTEM)
            turns->lead_at++;
    }
    if (options->prompt.len)
        turns_keep_text(turns, store, SURETY_ROLE_USER, options->prompt);
}

/* ---- examples ------------------------------------------------------------ */

/* Adds a message of one part to a list that is long enough. */
static void turns_lead_part(surety__message *lead, size_t *count,
                            surety_role role, const surety_part *part)
{
    lead[(*count)++] =
        (surety__message){.role = role, .parts = part, .part_count = 1};
}

/* Writes the messages of an example. A value that a tool must give is the call
 * of that tool, which has a result, as every call must. */
static void turns_lead_one(const surety__plan *plan, surety__run_store *store,
                           surety_val turn, surety__message *lead,
                           size_t *count)
{
    const bool answers =
        surety_val_is(surety_val_get(turn, "role"), "assistant");
    surety_part *parts = surety__arena_take(&store->arena, 2 * sizeof(*parts));
    const surety_str text = surety__store_copy(
        store, surety_val_str(surety_val_get(turn, "content")));

    if (!parts) {
        store->status = SURETY_NOMEM;
        return;
    }
    parts[0] = (surety_part){.kind = SURETY_PART_TEXT, .text = text};
    if (!answers || plan->mode != SURETY_MODE_TOOL) {
        turns_lead_part(lead, count,
                        answers ? SURETY_ROLE_ASSISTANT : SURETY_ROLE_USER,
                        &parts[0]);
        return;
    }
    surety__buf_printf(&store->text, "example_%zu", *count / 3 + 1);
    parts[0].kind = SURETY_PART_CALL;
    parts[0].name = plan->name;
    parts[0].id = surety__store_keep(store);
    parts[1] = parts[0];
    parts[1].kind = SURETY_PART_RESULT;
    parts[1].text = SURETY__LITERAL("accepted");
    turns_lead_part(lead, count, SURETY_ROLE_ASSISTANT, &parts[0]);
    turns_lead_part(lead, count, SURETY_ROLE_TOOL, &parts[1]);
}

/* Makes room for count messages where the examples are, in place of those that
 * are there. */
static surety__message *turns_lead_room(surety__turns *turns,
                                        surety__run_store *store, size_t count)
{
    const size_t rest = turns->sent_count - turns->lead_at - turns->lead_count;

    if (surety__grow(store->alloc, &turns->sent, &turns->sent_cap,
                     turns->sent_count + count, sizeof(*turns->sent),
                     SIZE_MAX / sizeof(*turns->sent)) != SURETY_OK) {
        store->status = SURETY_NOMEM;
        return NULL;
    }
    memmove(&turns->sent[turns->lead_at + count],
            &turns->sent[turns->lead_at + turns->lead_count],
            rest * sizeof(*turns->sent));
    turns->sent_count = turns->lead_at + count + rest;
    turns->lead_count = count;
    return &turns->sent[turns->lead_at];
}

/* Replaces the examples by those of examples, turns of surety_prompt_turns. */
static void turns_lead_set(surety__turns *turns, surety__run_store *store,
                           const surety__plan *plan, surety_val examples)
{
    const size_t most = surety_val_count(examples) / 2 * 3;
    surety__message *lead =
        most ? surety__arena_take(&store->arena, most * sizeof(*lead)) : NULL;
    surety__message *room;
    size_t count = 0;

    if (most && !lead)
        store->status = SURETY_NOMEM;
    SURETY_EACH (turn, examples)
        if (store->status == SURETY_OK)
            turns_lead_one(plan, store, turn, lead, &count);
    if (store->status != SURETY_OK || (!count && !turns->lead_count))
        return;
    room = turns_lead_room(turns, store, count);
    if (!room)
        return;
    turns->bytes -= turns->lead_bytes;
    turns->lead_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        room[i] = lead[i];
        turns->lead_bytes += lead[i].parts->text.len;
    }
    turns->bytes += turns->lead_bytes;
}

bool surety__turns_lead(surety__turns *turns, surety__forms *forms,
                        const surety_model *model, const surety__plan *plan,
                        surety_error *reterr)
{
    const surety__setup *setup = forms->setup;
    surety__run_store *store = forms->store;
    surety_prompt_options options = setup->prompt_options;
    surety_doc *examples = NULL;
    surety_status status = SURETY_OK;

    if (!setup->options.contract ||
        (turns->led && turns->lead_mode == plan->mode &&
         turns->lead_strict == plan->strict &&
         turns->lead_patch == plan->patch))
        return true;
    options.native = plan->mode != SURETY_MODE_PROMPT;
    if (options.native)
        surety__mode_show(forms, model, plan, &options);
    if (!surety__store_doc(store, &examples))
        return false;
    /* A request for a patch has no examples of whole values. */
    if (!plan->patch)
        status = surety_prompt_turns(setup->options.contract, &options,
                                     examples, reterr);
    if (surety__store_pass(store, status) == SURETY_OK)
        turns_lead_set(turns, store, plan,
                       plan->patch ? surety_val_none()
                                   : surety_doc_root(examples));
    surety_doc_free(examples);
    turns->led = true;
    turns->lead_mode = plan->mode;
    turns->lead_strict = plan->strict;
    turns->lead_patch = plan->patch;
    return status == SURETY_OK && store->status == SURETY_OK;
}

/* ---- the run's own turns --------------------------------------------------
 */

void surety__turns_ask(surety__turns *turns, surety__run_store *store,
                       surety_str text, const surety_prompt_part *part)
{
    surety__message *last =
        turns->sent_count ? &turns->sent[turns->sent_count - 1] : NULL;

    if (turns->open) {
        last->text = (surety_str){"", 0};
        last->part = (surety_prompt_part){0};
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
                        const surety_message *results, bool as_text, bool keeps)
{
    surety_message sent[] = {answer->message, *results};

    assert(answer->message.role == SURETY_ROLE_ASSISTANT);
    assert(results->role == SURETY_ROLE_TOOL && results->part_count);
    if (turns->open)
        turns->bytes += turns->sent[turns->sent_count - 1].text.len;
    turns->open = false;
    turns->steps++;
    turns->offered = turns->offered || as_text;
    if (keeps) {
        turns_keep_answer(turns, store, &answer->message);
        turns_keep(turns, store, results);
    }
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
                       const surety_answer *answer, bool calls)
{
    const surety_message *message = &answer->message;
    bool as_text = !message->part_count;

    /* The call of the answer's tool has no result: the value itself is what a
     * conversation goes on from. */
    for (size_t i = 0; i < message->part_count && !calls; i++)
        as_text = as_text || message->parts[i].kind == SURETY_PART_CALL;
    if (as_text)
        turns_keep_text(turns, store, SURETY_ROLE_ASSISTANT,
                        answer->native.len ? answer->native : answer->text);
    else
        turns_keep_answer(turns, store, message);
}

void surety__turns_done(surety__turns *turns, surety__run_store *store)
{
    surety__free(store->alloc, turns->sent,
                 turns->sent_cap * sizeof(*turns->sent));
    surety__free(store->alloc, turns->kept,
                 turns->kept_cap * sizeof(*turns->kept));
}
