/* SPDX-License-Identifier: Apache-2.0 */
/* pair.c: makes the calls and results of a conversation fit together.
 *
 * Providers refuse a call without a result, a result without a call, and a
 * result that does not follow its call at once. Histories have all three: a run
 * was interrupted, or its begin was cut off. First every result finds its call:
 * the last one with its id. Where each message of calls
 * is followed by its results and nothing is left over, nothing changes.
 * Otherwise the list is made anew: behind each message of calls comes one of
 * results, in the order of the calls. What belongs to no call stays in its
 * message. */
#include "message/conversation.h"

/* A call, and its result. */
struct pair {
    struct pair *next; /* with the same hash, or the next of the conversation */
    surety_str id;
    const surety_part *call;
    size_t message;      /* of the call */
    size_t found;        /* the message of the result */
    size_t first, count; /* the result, and the media behind it */
    bool waits;          /* no result was found yet */
};

struct pairing {
    surety_conversation *conversation;
    surety__arena arena; /* of the pairs */
    surety__map map;     /* the newest pair by the hash of its id */
    struct pair **pairs; /* in the order of the calls */
    size_t count, cap;
    size_t taken; /* results, with their media */
};

static surety_status pair_fail(size_t message, const char *what, surety_str id,
                               const char *hint, surety_error *reterr)
{
    surety__fail(reterr, SURETY_SYNTAX, "message %zu: %s: %.*s", message + 1,
                 what, (int)id.len, id.ptr);
    surety__hint(reterr, "%s", hint);
    return SURETY_SYNTAX;
}

static struct pair *pair_find(const struct pairing *pairing, surety_str id)
{
    struct pair *pair =
        surety__map_get(&pairing->map, surety__hash(id.ptr, id.len));

    while (pair && !surety_str_equal(pair->id, id))
        pair = pair->next;
    return pair;
}

static surety_status pair_call(struct pairing *pairing, size_t message,
                               const surety_part *call, surety_error *reterr)
{
    const surety_alloc *alloc = pairing->conversation->alloc;
    const uint64_t hash = surety__hash(call->id.ptr, call->id.len);
    struct pair *pair = pair_find(pairing, call->id);

    if (pair && pair->waits && pair->message == message)
        return pair_fail(message, "two calls have the same id", call->id,
                         "give each call an id of its own", reterr);
    pair = surety__arena_take(&pairing->arena, sizeof(*pair));
    if (!pair ||
        surety__grow(alloc, &pairing->pairs, &pairing->cap, pairing->count + 1,
                     sizeof(struct pair *), SIZE_MAX) != SURETY_OK)
        return surety__fail_nomem(reterr);
    *pair = (struct pair){.next = surety__map_get(&pairing->map, hash),
                          .id = call->id,
                          .call = call,
                          .message = message,
                          .waits = true};
    if (!surety__map_put(&pairing->map, alloc, hash, pair))
        return surety__fail_nomem(reterr);
    pairing->pairs[pairing->count++] = pair;
    return SURETY_OK;
}

static surety_status pair_result(struct pairing *pairing, size_t index,
                                 size_t first, surety_error *reterr)
{
    const surety_message *message = &pairing->conversation->messages[index];
    const surety_str id = message->parts[first].id;
    struct pair *pair = pair_find(pairing, id);
    size_t end = first + 1;

    if (!pair)
        return pair_fail(
            index, "there is no call for the result", id,
            "let the conversation begin before the message with that call",
            reterr);
    if (!pair->waits)
        return pair_fail(index, "a call has two results", id,
                         "leave one of them out", reterr);
    while (end < message->part_count &&
           surety__part_members(message->parts[end].kind) & PART_MEDIA)
        end++;
    pair->waits = false;
    pair->found = index;
    pair->first = first;
    pair->count = end - first;
    pairing->taken += pair->count;
    return SURETY_OK;
}

static surety_status pair_all(struct pairing *pairing, surety_error *reterr)
{
    const surety_conversation *conversation = pairing->conversation;
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < conversation->count; i++) {
        const surety_message *message = &conversation->messages[i];

        for (size_t k = 0; k < message->part_count && !status; k++) {
            const surety_part *part = &message->parts[k];

            if (part->kind == SURETY_PART_CALL)
                status = pair_call(pairing, i, part, reterr);
            else if (part->kind == SURETY_PART_RESULT)
                status = pair_result(pairing, i, k, reterr);
        }
    }
    return status;
}

/* Whether each message of calls is followed by its results. */
static bool pair_fits(const struct pairing *pairing)
{
    for (size_t i = 0; i < pairing->count; i++) {
        const struct pair *pair = pairing->pairs[i];

        if (pair->waits || pair->found != pair->message + 1)
            return false;
    }
    return true;
}

/* ---- the list, made anew ------------------------------------------------- */

static surety_status pair_note(surety_conversation *conversation,
                               const struct pair *pair, surety_error *reterr)
{
    char bytes[320];
    surety_buf text = surety__buf_over(bytes, sizeof(bytes));

    surety__buf_printf(
        &text,
        pair->waits ? "the call %.*s of message %zu has no result; it gets one "
                      "that says so"
                    : "the result of the call %.*s of message %zu comes later; "
                      "it is moved to its call",
        (int)(pair->id.len < 128 ? pair->id.len : 128), pair->id.ptr,
        pair->message + 1);
    return surety__conversation_note(
        conversation,
        &(surety_conversation_note){.rule = pair->waits ? "missing-result"
                                                        : "late-result",
                                    .message = pair->message,
                                    .text = surety_buf_str(&text)},
        reterr);
}

/* Writes the results of pairs to parts; returns how many parts they are. */
static size_t pair_put(const surety_conversation *conversation,
                       struct pair *const *pairs, size_t count,
                       surety_part *parts)
{
    size_t made = 0;

    for (size_t i = 0; i < count; i++) {
        const struct pair *pair = pairs[i];

        if (pair->waits)
            parts[made++] = (surety_part){
                .kind = SURETY_PART_RESULT,
                .id = pair->id,
                .name = pair->call->name,
                .error = true,
                .text = SURETY__LITERAL(
                    "There is no result: the call was interrupted.")};
        for (size_t k = 0; k < pair->count; k++)
            parts[made++] =
                conversation->messages[pair->found].parts[pair->first + k];
    }
    return made;
}

/* Writes what a message has besides results to parts; returns the number. */
static size_t pair_rest(const surety_message *message, surety_part *parts)
{
    bool of_result = false;
    size_t made = 0;

    for (size_t i = 0; i < message->part_count; i++) {
        const surety_part *part = &message->parts[i];

        of_result =
            part->kind == SURETY_PART_RESULT ||
            (of_result && surety__part_members(part->kind) & PART_MEDIA);
        if (!of_result)
            parts[made++] = *part;
    }
    return made;
}

/* Makes the list from the pairs. There is room for every message and one of
 * results behind it, and for all parts. */
static size_t pair_build(const struct pairing *pairing, surety_message *made,
                         surety_part *parts)
{
    const surety_conversation *conversation = pairing->conversation;
    size_t next = 0; /* pair */
    size_t count = 0;

    for (size_t i = 0; i < conversation->count; i++) {
        const surety_message *message = &conversation->messages[i];
        const size_t first = next;
        surety_message results = {.role = SURETY_ROLE_TOOL, .parts = NULL};

        made[count] = *message;
        if (message->role == SURETY_ROLE_TOOL) {
            made[count].part_count = pair_rest(message, parts);
            made[count].parts = parts;
            parts += made[count].part_count;
        }
        if (made[count].part_count > 0 || message->role != SURETY_ROLE_TOOL)
            count++;
        while (next < pairing->count && pairing->pairs[next]->message == i)
            next++;
        if (next == first)
            continue;
        results.parts = parts;
        results.part_count =
            pair_put(conversation, pairing->pairs + first, next - first, parts);
        parts += results.part_count;
        made[count++] = results;
    }
    assert(next == pairing->count);
    return count;
}

static surety_status pair_apply(struct pairing *pairing, surety_error *reterr)
{
    surety_conversation *conversation = pairing->conversation;
    const size_t room = conversation->count * 2;
    size_t parts = pairing->count + pairing->taken;
    surety_message *made;
    surety_part *items;
    surety_status status = SURETY_OK;
    size_t count;

    for (size_t i = 0; i < conversation->count; i++)
        parts += conversation->messages[i].role == SURETY_ROLE_TOOL
                     ? conversation->messages[i].part_count
                     : 0;
    made = surety__resize(conversation->alloc, NULL, 0, room * sizeof(*made));
    items = surety__arena_take(&conversation->arena, parts * sizeof(*items));
    if (!made || !items)
        status = surety__fail_nomem(reterr);
    for (size_t i = 0; i < pairing->count && status == SURETY_OK; i++)
        if (pairing->pairs[i]->waits ||
            pairing->pairs[i]->found != pairing->pairs[i]->message + 1)
            status = pair_note(conversation, pairing->pairs[i], reterr);
    count = status == SURETY_OK ? pair_build(pairing, made, items) : 0;
    if (count > conversation->limits.messages_max)
        status = surety__fail(
            reterr, SURETY_LIMIT,
            "the conversation has more messages than the limit messages_max of "
            "%u",
            conversation->limits.messages_max);
    if (status != SURETY_OK) {
        surety__free(conversation->alloc, made, room * sizeof(*made));
        return status;
    }
    surety__free(conversation->alloc, conversation->messages,
                 conversation->cap * sizeof(*made));
    conversation->messages = made;
    conversation->count = count;
    conversation->cap = room;
    return SURETY_OK;
}

surety_status surety_conversation_repair(surety_conversation *conversation,
                                         surety_error *reterr)
{
    const size_t note_count = conversation->note_count;
    struct pairing pairing = {.conversation = conversation};
    surety_status status;

    surety__arena_init(&pairing.arena, conversation->alloc, 0);
    status = pair_all(&pairing, reterr);
    if (status == SURETY_OK && !pair_fits(&pairing))
        status = pair_apply(&pairing, reterr);
    if (status != SURETY_OK)
        conversation->note_count = note_count;
    surety__map_done(&pairing.map, conversation->alloc);
    surety__free(conversation->alloc, pairing.pairs,
                 pairing.cap * sizeof(struct pair *));
    surety__arena_done(&pairing.arena);
    return status;
}
