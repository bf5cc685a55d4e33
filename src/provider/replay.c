/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c: a transport that plays a recording.
 *
 * start chooses the exchange and creates a player for it. wait plays what is
 * due: the head, each portion, and the end, in the same calls as recorded.
 * Untimed, everything is due at once; timed, each event comes after the
 * recorded delay since the one before. The recording is only read, so several
 * transports may play it at once; each stores which exchanges it has given.
 *
 * A request matches a recorded one if the method, the URL without scheme and
 * host, and the body are equal; a JSON body is compared as a JSON value. First
 * the secrets are removed from the request in the way of the recorder
 * (redact.c), because the recording has none. */
#include "provider/recording.h"
#include "provider/redact.h"
#include "provider/transport.h"

/* One exchange under way. */
struct replay_player {
    struct replay_player *next;
    const surety__exchange *exchange; /* NULL: none is left */
    surety__intake intake;
    surety_delivery delivery; /* the end, if the recording has none */
    uint64_t id;
    uint64_t due_ms;
    size_t at; /* the next event: 0 is the head, 1 the first portion, ... */
};

/* The exchanges whose requests have the same digest, in order. */
struct replay_link {
    struct replay_link *next;
    const surety__exchange *exchange;
    bool given;
};

struct replay {
    surety_transport transport;
    const surety_alloc *alloc;
    surety__clock clock;
    const surety_recording *recording;
    bool match, timed;
    size_t next;                 /* without match: the index of the next
                                  * exchange */
    struct replay_player *first; /* in the order of their starts */
    struct replay_link *links;   /* with match: one for each exchange */
    surety__map digests;         /* from a digest to its first link */
    surety_doc *wanted, *recorded;
};

/* ---- matching ------------------------------------------------------------ */

/* Computes a digest; equal requests have equal digests. NOMEM. */
static surety_status replay_digest(surety_doc *doc, surety_buf *scratch,
                                   const surety__exchange *exchange,
                                   uint64_t *ret_digest)
{
    const surety_str path = surety__url_path(exchange->url);
    surety_str body = exchange->body;
    surety_status status;

    if (surety__body_read(doc, body, &status)) {
        surety_buf_reset(scratch);
        if (surety_val_write(surety_doc_root(doc), SURETY_STYLE_CANONICAL,
                             scratch) == SURETY_UNSUPPORTED)
            scratch->len = 0;
        body = surety_buf_str(scratch);
        status = scratch->status;
    }
    *ret_digest =
        (uint64_t)surety__hash(path.ptr, path.len) << 32 ^
        (uint64_t)surety__hash(exchange->method.ptr, exchange->method.len)
            << 16 ^
        surety__hash(body.ptr, body.len);
    return status;
}

static surety_status replay_equal(struct replay *replay,
                                  const surety__exchange *wanted,
                                  const surety__exchange *recorded,
                                  bool *ret_equal)
{
    surety_status status;
    bool equal = surety_str_equal(wanted->method, recorded->method) &&
                 surety_str_equal(surety__url_path(wanted->url),
                                  surety__url_path(recorded->url));

    *ret_equal = equal && surety_str_equal(wanted->body, recorded->body);
    if (!equal || *ret_equal)
        return SURETY_OK;
    if (!surety__body_read(replay->wanted, wanted->body, &status) ||
        !surety__body_read(replay->recorded, recorded->body, &status))
        return status;
    *ret_equal = surety_val_equal(surety_doc_root(replay->wanted),
                                  surety_doc_root(replay->recorded));
    return SURETY_OK;
}

/* Finds the first exchange not yet given that matches the request. NULL: there
 * is none; *ret_delivery has the reason. */
static surety_status replay_find(struct replay *replay,
                                 const surety__exchange *wanted,
                                 const surety__exchange **ret_exchange,
                                 surety_delivery *ret_delivery)
{
    surety_buf scratch;
    surety_status status;
    uint64_t digest = 0;
    size_t equals = 0;

    surety_buf_init(&scratch, replay->alloc, 0);
    status = replay_digest(replay->wanted, &scratch, wanted, &digest);
    surety_buf_done(&scratch);
    if (status)
        return status;
    for (struct replay_link *link = surety__map_get(&replay->digests, digest);
         link; link = link->next) {
        bool equal = false;

        status = replay_equal(replay, wanted, link->exchange, &equal);
        if (status)
            return status;
        equals += equal;
        if (!equal || link->given)
            continue;
        link->given = true;
        *ret_exchange = link->exchange;
        return SURETY_OK;
    }
    *ret_exchange = NULL;
    *ret_delivery =
        equals ? surety__delivery_of(SURETY_FAILURE_PROTOCOL, false,
                                     "the recording has this request %zu "
                                     "times, and all were played",
                                     equals)
               : surety__delivery_of(SURETY_FAILURE_PROTOCOL, false,
                                     "the recording does not have this "
                                     "request: none of its %zu exchanges has "
                                     "this method, path and body",
                                     replay->recording->count);
    return SURETY_OK;
}

/* Finds the exchange for a request, after removing secrets as a recorder
 * does. */
static surety_status replay_match(struct replay *replay,
                                  const surety_request *request,
                                  const surety__exchange **ret_exchange,
                                  surety_delivery *ret_delivery)
{
    surety__arena arena;
    surety__exchange wanted = {0};
    surety__secrets secrets;
    surety_status status;

    surety__arena_init(&arena, replay->alloc, 0);
    status = surety__secrets_of(request, &arena, &secrets);
    if (!status)
        status = surety__redact_request(&secrets, request, &arena, &wanted);
    if (!status)
        status = replay_find(replay, &wanted, ret_exchange, ret_delivery);
    surety__arena_done(&arena);
    return status;
}

/* ---- playing ------------------------------------------------------------- */

/* The delay of the player's next event after the one before. */
static uint32_t replay_distance(const struct replay_player *player)
{
    const surety__exchange *exchange = player->exchange;

    if (!exchange)
        return 0;
    if (exchange->has_head && player->at == 0)
        return exchange->head_after_ms;
    if (exchange->has_head && player->at <= exchange->portion_count)
        return exchange->portions[player->at - 1].after_ms;
    return exchange->end_after_ms;
}

/* Plays one event; false: it was the last. */
static bool replay_event(struct replay_player *player)
{
    const surety__exchange *exchange = player->exchange;
    const surety_receiver *receiver = &player->intake.receiver;

    assert(!exchange || player->at <= exchange->portion_count + 1);
    if (!exchange)
        return false;
    if (!exchange->has_head || player->at > exchange->portion_count) {
        player->delivery = exchange->delivery;
        return false;
    }
    if (player->at++ == 0) {
        receiver->head(receiver->ctx, exchange->status,
                       exchange->response_headers,
                       exchange->response_header_count);
        return true;
    }
    return surety__intake_take(&player->intake,
                               exchange->portions[player->at - 2].bytes,
                               &player->delivery);
}

/* Removes the player and reports its end to the receiver. */
static void replay_end(struct replay *replay, struct replay_player **place)
{
    struct replay_player *player = *place;

    *place = player->next;
    player->intake.receiver.end(player->intake.receiver.ctx, &player->delivery);
    surety__free(replay->alloc, player, sizeof(*player));
}

/* Plays what is due at now. Returns whether a receiver was called. */
static bool replay_play(struct replay *replay, uint64_t now_ms)
{
    struct replay_player **place = &replay->first;
    bool called = false;

    while (*place) {
        struct replay_player *player = *place;
        bool more = true;

        while (more && (!replay->timed || player->due_ms <= now_ms)) {
            more = replay_event(player);
            called = true;
            if (more)
                player->due_ms += replay_distance(player);
        }
        if (more)
            place = &player->next;
        else
            replay_end(replay, place);
    }
    return called;
}

static surety_status replay_start(void *ctx, uint64_t id,
                                  const surety_request *request,
                                  const surety_receiver *receiver,
                                  surety_error *reterr)
{
    struct replay *replay = ctx;
    const surety_recording *recording = replay->recording;
    struct replay_player **place = &replay->first;
    struct replay_player *player;
    surety_request own;
    surety_status status =
        surety__options_take(&own, sizeof(own), request, reterr);

    if (status)
        return status;
    for (; *place; place = &(*place)->next)
        if ((*place)->id == id)
            return surety__fail(reterr, SURETY_MISUSE,
                                "an exchange with this id is under way");
    player = surety__new(replay->alloc, sizeof(*player));
    if (!player)
        return surety__fail_nomem(reterr);
    if (replay->match)
        status =
            replay_match(replay, &own, &player->exchange, &player->delivery);
    else if (replay->next < recording->count)
        player->exchange = &recording->exchanges[replay->next++];
    else
        player->delivery = surety__delivery_of(
            SURETY_FAILURE_PROTOCOL, false,
            "the recording has no exchange left: all %zu were played",
            recording->count);
    if (status) {
        surety__free(replay->alloc, player, sizeof(*player));
        return surety__fail_nomem(reterr);
    }
    player->id = id;
    player->intake = surety__intake_of(&own, receiver);
    player->due_ms =
        replay->clock.now_ms(replay->clock.ctx) + replay_distance(player);
    *place = player;
    return SURETY_OK;
}

static void replay_cancel(void *ctx, uint64_t id)
{
    struct replay *replay = ctx;
    struct replay_player **place = &replay->first;

    while (*place && (*place)->id != id)
        place = &(*place)->next;
    if (!*place)
        return;
    (*place)->delivery = surety__delivery_cancelled((*place)->exchange != NULL);
    replay_end(replay, place);
}

static surety_status replay_wait(void *ctx, uint32_t timeout_ms,
                                 surety_error *reterr)
{
    struct replay *replay = ctx;
    const surety__clock *clock = &replay->clock;
    const uint64_t begin_ms = clock->now_ms(clock->ctx);
    uint64_t until_ms = begin_ms + timeout_ms;

    (void)reterr;
    if (replay_play(replay, begin_ms))
        return SURETY_OK;
    for (const struct replay_player *player = replay->first; player;
         player = player->next)
        if (player->due_ms < until_ms)
            until_ms = player->due_ms;
    clock->sleep_ms(clock->ctx, until_ms - begin_ms);
    (void)replay_play(replay, clock->now_ms(clock->ctx));
    return SURETY_OK;
}

/* ---- life ---------------------------------------------------------------- */

static void replay_free(struct replay *replay)
{
    surety__map_done(&replay->digests, replay->alloc);
    surety__free(replay->alloc, replay->links,
                 replay->recording->count * sizeof(*replay->links));
    surety_doc_free(replay->wanted);
    surety_doc_free(replay->recorded);
    surety__free(replay->alloc, replay, sizeof(*replay));
}

static void replay_close(void *ctx)
{
    struct replay *replay = ctx;

    while (replay->first)
        replay_cancel(replay, replay->first->id);
    replay_free(replay);
}

/* Adds every exchange to the list of its digest, in order. */
static surety_status replay_index(struct replay *replay)
{
    const surety_recording *recording = replay->recording;
    surety_status status = SURETY_OK;
    surety_buf scratch;

    replay->wanted = surety_doc_new(replay->alloc);
    replay->recorded = surety_doc_new(replay->alloc);
    replay->links =
        surety__new(replay->alloc, recording->count * sizeof(*replay->links));
    if (!replay->wanted || !replay->recorded || !replay->links)
        return SURETY_NOMEM;
    surety_buf_init(&scratch, replay->alloc, 0);
    for (size_t i = recording->count; i > 0 && !status; i--) {
        struct replay_link *link = &replay->links[i - 1];
        uint64_t digest = 0;

        link->exchange = &recording->exchanges[i - 1];
        status =
            replay_digest(replay->wanted, &scratch, link->exchange, &digest);
        link->next = surety__map_get(&replay->digests, digest);
        if (!status &&
            !surety__map_put(&replay->digests, replay->alloc, digest, link))
            status = SURETY_NOMEM;
    }
    surety_buf_done(&scratch);
    return status;
}

static uint64_t replay_now(void *ctx)
{
    (void)ctx;
    return surety__clock_ms();
}

static void replay_sleep(void *ctx, uint64_t ms)
{
    (void)ctx;
    surety__clock_sleep(ms);
}

surety_status surety_replay_open(const surety_recording *recording,
                                 unsigned flags, const surety_alloc *alloc,
                                 surety_transport **ret_transport,
                                 surety_error *reterr)
{
    static const surety__clock clock = {.now_ms = replay_now,
                                        .sleep_ms = replay_sleep};

    return surety__replay_open(recording, flags, &clock, alloc, ret_transport,
                               reterr);
}

surety_status surety__replay_open(const surety_recording *recording,
                                  unsigned flags, const surety__clock *clock,
                                  const surety_alloc *alloc,
                                  surety_transport **ret_transport,
                                  surety_error *reterr)
{
    struct replay *replay = surety__new(alloc, sizeof(*replay));

    if (!replay)
        return surety__fail_nomem(reterr);
    *replay = (struct replay){
        .alloc = alloc,
        .clock = *clock,
        .recording = recording,
        .match = flags & SURETY_REPLAY_MATCH,
        .timed = flags & SURETY_REPLAY_TIMED,
        .transport = {.version = 1,
                      .ctx = replay,
                      .start = replay_start,
                      .cancel = replay_cancel,
                      .wait = replay_wait,
                      .close = replay_close},
    };
    if (replay->match && replay_index(replay)) {
        replay_free(replay);
        return surety__fail_nomem(reterr);
    }
    *ret_transport = &replay->transport;
    return SURETY_OK;
}
