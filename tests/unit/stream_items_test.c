/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of an array. The law, for replies made by chance and cut
 * anywhere, with a second reply after one that fails: whenever an outcome is
 * valid, all that were given are the array of its value, each once and in
 * order. */
#include "check.h"
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS_ROUNDS = 3000 };

static const struct items_contract {
    const char *text, *location;
} items_contracts[] = {
    {"{\"required\":[\"rows\",\"n\"],\"properties\":{\"n\":{\"maximum\":10},"
     "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":"
     "[\"id\"],\"properties\":{\"id\":{\"type\":\"integer\"},\"d\":{"
     "\"default\":[1]}}}}},\"type\":\"object\",\"x-surety\":{\"unknown\":"
     "\"strip\"}}",
     "/rows"},
    {"{\"required\":[\"n\"],\"properties\":{\"n\":{\"maximum\":10},\"rows\":{"
     "\"anyOf\":[{\"type\":\"null\"},{\"$ref\":\"#/$defs/r\"}]}},\"$defs\":{"
     "\"r\":{\"type\":\"array\",\"items\":{\"properties\":{\"d\":{\"default\":"
     "2}}}}},\"type\":\"object\",\"x-surety\":{\"repair\":\"syntax\"}}",
     "/rows"},
    {"{\"required\":[\"n\"],\"properties\":{\"n\":{\"maximum\":10},\"rows\":{"
     "\"type\":\"array\"}},\"if\":{\"properties\":{\"n\":{\"minimum\":8}}},"
     "\"then\":{\"properties\":{\"rows\":{\"items\":{\"properties\":{\"d\":{"
     "\"default\":3}}}}}},\"type\":\"object\",\"x-surety\":{\"repair\":"
     "\"align\"}}",
     "/rows"},
};

static uint32_t items_chance(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % below;
}

static void items_reply(uint64_t *state, surety_buf *out)
{
    static const char *const rows[] = {"{\"id\": 1}",
                                       "{\"id\": 2, \"u\": \"\\u00e9\"}",
                                       "{\"id\": 3, \"d\": null, \"id\": 4}",
                                       "{\"id\": 5}", "{\"id\": \"x\"}"};
    static const char *const ends[] = {"\"n\": 7}", "\"n\": 9}", "\"n\": 11}",
                                       "\"rows\": [], \"n\": 7}", "n: 7"};
    const uint32_t count = items_chance(state, 5);

    surety_buf_text(out, items_chance(state, 3) ? "" : "Look: [{\"id\": 1}] ");
    surety_buf_text(out, "{\"rows\": [");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t kinds = items_chance(state, 4) ? 2 : 5;

        surety_buf_text(out, i ? ", " : "");
        surety_buf_text(out, rows[items_chance(state, kinds)]);
    }
    surety_buf_text(out, "], ");
    surety_buf_text(out, ends[items_chance(state, 5)]);
}

/* Takes all that there is; NOMEM, or the status that ended it. */
static surety_status items_drain(surety_items *items, surety_buf *out)
{
    surety_item item;
    surety_status status;

    while ((status = surety_items_next(items, &item, NULL)) == SURETY_OK) {
        if (item.index != surety_items_count(items) - 1)
            return SURETY_MISUSE;
        surety_buf_text(out, out->len > 1 ? "," : "");
        surety_buf_add(out, item.text);
    }
    return status;
}

/* Items of a contract's array, whose validator is in the options. */
struct items_job {
    surety_contract *contract;
    surety_items *items;
    surety_stream *stream;
    surety_validator validator;
    surety_judge_options options;
    const surety_outcome *outcome;
};

static surety_status items_open(struct check *t, struct items_job *job,
                                const char *contract, const char *location)
{
    surety_status status = check_contract(t, contract, &job->contract);

    job->stream = surety_stream_new(check_alloc(t), NULL);
    if (status == SURETY_OK)
        status = surety_items_new(job->contract, surety_str_of(location),
                                  check_alloc(t), &job->items, NULL);
    if (status != SURETY_OK)
        return status;
    job->validator = surety_items_validator(job->items);
    job->options = (surety_judge_options){.size = sizeof(job->options),
                                          .no_fallback = true,
                                          .validators = &job->validator,
                                          .validator_count = 1};
    return job->stream ? SURETY_OK : SURETY_NOMEM;
}

static void items_close(struct items_job *job)
{
    surety_items_free(job->items);
    surety_stream_free(job->stream);
    surety_contract_free(job->contract);
    *job = (struct items_job){.items = NULL};
}

/* Feeds a reply in chunks by chance (of a byte without a state), and finishes
 * it. */
static surety_status items_read(struct items_job *job, surety_str reply,
                                uint64_t *state, surety_buf *given)
{
    surety_status status = surety_stream_begin(job->stream, job->contract,
                                               &job->options, false, NULL);

    surety_items_begin(job->items, job->stream);
    for (size_t at = 0; at < reply.len && status >= SURETY_OK;) {
        size_t len = state ? 1 + items_chance(state, 9) : 1;

        len = len < reply.len - at ? len : reply.len - at;
        status = surety_stream_feed(job->stream,
                                    (surety_str){reply.ptr + at, len}, NULL);
        if (status == SURETY_OK)
            status = items_drain(job->items, given);
        at += len;
    }
    return status < SURETY_OK
               ? status
               : surety_stream_finish(job->stream, NULL, &job->outcome, NULL);
}

/* Takes what the value of the whole reply still has. */
static surety_status items_take_rest(struct items_job *job, surety_buf *given)
{
    surety_items_end(job->items, surety_outcome_info_of(job->outcome)->value);
    return items_drain(job->items, given);
}

/* One contract, up to three replies; *ret_valid, *ret_early: what happened. */
static void items_round(struct check *t, uint64_t seed, size_t *valid,
                        size_t *early)
{
    const struct items_contract *one =
        &items_contracts[seed % CHECK_COUNT(items_contracts)];
    uint64_t state = seed * 7919 + 1;
    struct items_job job = {.items = NULL};
    surety_buf reply, given, want;
    bool ok = false;

    surety_buf_init(&reply, check_alloc(t), 0);
    surety_buf_init(&given, check_alloc(t), 0);
    surety_buf_init(&want, check_alloc(t), 0);
    TRY(items_open(t, &job, one->text, one->location));
    surety_buf_byte(&given, '[');
    for (int asks = 0; asks < 3 && !ok; asks++) {
        surety_buf_reset(&reply);
        items_reply(&state, &reply);
        TRY(reply.status);
        TRY(items_read(&job, surety_buf_str(&reply), &state, &given));
        *early += surety_items_count(job.items);
        ok = surety_outcome_info_of(job.outcome)->ok;
    }
    if (ok) {
        const surety_val array =
            surety_val_at(surety_outcome_info_of(job.outcome)->value,
                          surety_str_of(one->location));

        EXPECT(SURETY_END, items_take_rest(&job, &given));
        surety_buf_byte(&given, ']');
        if (array.doc && surety_val_kind(array) == SURETY_KIND_ARRAY)
            (void)surety_val_write(array, SURETY_STYLE_COMPACT, &want);
        else
            surety_buf_text(&want, "[]");
        surety_buf_byte(&want, 0);
        TRY(want.status);
        TRY(given.status);
        CHECK_TEXT(surety_buf_str(&given), want.ptr);
        ++*valid;
    }
done:
    if (t->failed)
        printf("# round %llu: %.*s\n", (unsigned long long)seed, (int)reply.len,
               reply.ptr ? reply.ptr : "");
    items_close(&job);
    surety_buf_done(&reply);
    surety_buf_done(&given);
    surety_buf_done(&want);
}

TEST(gives_the_array_of_every_valid_value)
{
    const uint64_t rounds = t->fail_at ? 3 : ITEMS_ROUNDS;
    size_t valid = 0, early = 0;

    for (uint64_t i = 0; i < rounds && !t->failed; i++)
        items_round(t, i, &valid, &early);
    CHECK(t->fail_at || (valid > ITEMS_ROUNDS / 4 && early > ITEMS_ROUNDS / 2));
done:;
}

/* Reads a reply whole, by bytes or in chunks by chance; as in items_read. */
static surety_status items_cut(struct check *t, uint64_t seed, unsigned how,
                               surety_buf *given)
{
    const struct items_contract *one =
        &items_contracts[seed % CHECK_COUNT(items_contracts)];
    uint64_t state = seed * 104729 + 3;
    struct items_job job = {.items = NULL};
    surety_buf reply;
    surety_status status = items_open(t, &job, one->text, one->location);

    surety_buf_init(&reply, check_alloc(t), 0);
    items_reply(&state, &reply);
    if (!items_chance(&state, 3))
        items_reply(&state, &reply);
    if (status == SURETY_OK)
        status = reply.status;
    if (status == SURETY_OK && how == 0) {
        status = surety_stream_begin(job.stream, job.contract, &job.options,
                                     false, NULL);
        surety_items_begin(job.items, job.stream);
        if (status == SURETY_OK)
            status =
                surety_stream_feed(job.stream, surety_buf_str(&reply), NULL);
        if (status == SURETY_OK)
            status = items_drain(job.items, given);
    } else if (status == SURETY_OK) {
        state += how;
        status = items_read(&job, surety_buf_str(&reply),
                            how == 1 ? NULL : &state, given);
    }
    items_close(&job);
    surety_buf_done(&reply);
    return status < SURETY_OK ? status : given->status;
}

/* What is given of a reply is a function of its bytes: its cuts change nothing,
 * also where it is refused, or has more values than one. */
TEST(gives_the_same_however_the_reply_is_cut)
{
    const uint64_t rounds = t->fail_at ? 3 : ITEMS_ROUNDS;
    surety_buf given[4];
    size_t some = 0;

    for (size_t i = 0; i < CHECK_COUNT(given); i++)
        surety_buf_init(&given[i], check_alloc(t), 0);
    for (uint64_t seed = 0; seed < rounds && !t->failed; seed++) {
        for (unsigned i = 0; i < CHECK_COUNT(given); i++) {
            surety_buf_reset(&given[i]);
            TRY(items_cut(t, seed, i, &given[i]));
        }
        for (size_t i = 1; i < CHECK_COUNT(given); i++)
            CHECK(surety_str_equal(surety_buf_str(&given[0]),
                                   surety_buf_str(&given[i])));
        some += given[0].len > 0;
    }
    CHECK(t->fail_at || some > ITEMS_ROUNDS / 3);
done:
    for (size_t i = 0; i < CHECK_COUNT(given); i++) {
        if (t->failed)
            printf("# %.*s\n", (int)given[i].len,
                   given[i].ptr ? given[i].ptr : "");
        surety_buf_done(&given[i]);
    }
}

TEST(says_what_contradicts)
{
    surety_contract *contract = NULL;
    surety_items *items = NULL;
    surety_stream *stream = surety_stream_new(check_alloc(t), NULL);
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_item item;
    surety_error error;

    NEED(stream);
    NEED(doc);
    TRY(check_contract(t,
                       "{\"type\":\"array\",\"items\":{\"type\":"
                       "\"number\"}}",
                       &contract));
    EXPECT(SURETY_MISUSE, surety_items_new(contract, surety_str_of("rows"),
                                           check_alloc(t), &items, NULL));
    EXPECT(SURETY_MISUSE, surety_items_new(contract, surety_str_of("/rows"),
                                           check_alloc(t), &items, NULL));
    EXPECT(SURETY_MISUSE, surety_items_new(contract, surety_str_of("/0"),
                                           check_alloc(t), &items, NULL));
    TRY(surety_items_new(contract, surety_str_of(""), check_alloc(t), &items,
                         NULL));
    TRY(surety_stream_begin(stream, contract, NULL, false, NULL));
    surety_items_begin(items, stream);
    TRY(surety_stream_feed(stream, surety_str_of("[1, 2, 3"), NULL));
    TRY(surety_items_next(items, &item, NULL));
    CHECK_TEXT(item.text, "1");
    TRY(surety_items_next(items, &item, NULL));
    CHECK_TEXT(item.text, "2");
    /* More digits of the third may follow. */
    EXPECT(SURETY_END, surety_items_next(items, &item, NULL));
    TRY(surety_doc_read(doc, surety_str_of("[1.0,5]"), NULL, NULL));
    surety_items_end(items, surety_doc_root(doc));
    EXPECT(SURETY_SYNTAX, surety_items_next(items, &item, &error));
    CHECK(strstr(error.message, "element 1 was given out as 2 and is now 5"));
done:
    surety_items_free(items);
    surety_stream_free(stream);
    surety_doc_free(doc);
    surety_contract_free(contract);
}

static const struct items_growth {
    const char *location, *head, *unit, *middle, *item, *end;
} items_growths[] = {
    {"/rows", "{", "\"%zu\":1,", "\"rows\":[0", ",1", "]}"},
    {"/rows", "{\"a\":1,\"a\":2,", "\"%zu\":1,", "\"rows\":[0", ",1", "]}"},
    {"/a~1b/rows", "{\"a/b\":{", "\"%zu\":[1],", "\"rows\":[{\"a\":1}",
     ",{\"a\":1,\"a\":2}", "]},\"x\":0}"},
    /* The first array is not the one of the value. */
    {"/rows", "{", "\"rows\":%zu,", "\"rows\":[0", ",1", "]}"},
};

static surety_status items_grow(const struct items_growth *growth, size_t many,
                                surety_buf *reply)
{
    char unit[64];

    surety_buf_reset(reply);
    surety_buf_text(reply, growth->head);
    for (size_t i = 0; i < many; i++) {
        (void)snprintf(unit, sizeof(unit), growth->unit, i);
        surety_buf_text(reply, unit);
    }
    surety_buf_text(reply, growth->middle);
    for (size_t i = 0; i < many; i++)
        surety_buf_text(reply, growth->item);
    surety_buf_text(reply, growth->end);
    return reply->status;
}

/* Replies of this many children, a byte at a time. Each child is looked at once
 * as it comes, once more in a value that was moved, and each element when the
 * validator and the end compare it. What waits costs one look a byte. */
TEST(work_is_linear_in_the_reply)
{
    static const char text[] =
        "{\"properties\":{\"rows\":{\"$ref\":\"#/$defs/r\"},\"a/b\":{"
        "\"properties\":{\"rows\":{\"$ref\":\"#/$defs/r\"}}}},\"$defs\":{"
        "\"r\":{\"type\":\"array\",\"items\":{\"default\":1}}},\"x-surety\":{"
        "\"repair\":\"syntax\"}}";
    const size_t many = t->fail_at ? 3 : 5000;
    struct items_job job = {.items = NULL};
    surety_buf reply, given;

    surety_buf_init(&reply, check_alloc(t), 0);
    surety_buf_init(&given, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(items_growths); i++) {
        const struct items_growth *growth = &items_growths[i];

        TRY(items_grow(growth, many, &reply));
        TRY(items_open(t, &job, text, growth->location));
        TRY(items_read(&job, surety_buf_str(&reply), NULL, &given));
        CHECK(i == 3 || surety_items_count(job.items) == many + 1);
        CHECK(surety_outcome_info_of(job.outcome)->ok);
        EXPECT(SURETY_END, items_take_rest(&job, &given));
        CHECK(surety_items_count(job.items) == many + 1);
        CHECK(surety__items_work(job.items) <= 10 * many + 40 + reply.len);
        items_close(&job);
    }
done:
    items_close(&job);
    surety_buf_done(&reply);
    surety_buf_done(&given);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"gives the array of every valid value",
         gives_the_array_of_every_valid_value},
        {"gives the same however the reply is cut",
         gives_the_same_however_the_reply_is_cut},
        {"says what contradicts", says_what_contradicts},
        {"work is linear in the reply", work_is_linear_in_the_reply},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
