/* SPDX-License-Identifier: Apache-2.0 */
/* Votes: what several answers come to, and who agreed. */
#include "check.h"

#include <string.h>

#include <surety/json.h>
#include <surety/vote.h>

enum { ANSWERS_MAX = 5 };

struct room {
    surety_vote *vote;
    surety_doc *docs[ANSWERS_MAX];
    surety_doc *out;
    surety_buf text;
    surety_val vals[ANSWERS_MAX];
    size_t count;
};

static surety_status room_open(struct room *room, struct check *t,
                               const char *const *answers, size_t count)
{
    memset(room, 0, sizeof(*room));
    surety_buf_init(&room->text, check_alloc(t), 0);
    room->vote = surety_vote_new(check_alloc(t), NULL);
    room->out = surety_doc_new(check_alloc(t));
    room->count = count;
    for (size_t i = 0; i < count; i++) {
        surety_status status;

        room->docs[i] = surety_doc_new(check_alloc(t));
        if (!room->docs[i])
            return SURETY_NOMEM;
        status = surety_doc_read(room->docs[i], surety_str_of(answers[i]), NULL,
                                 NULL);
        if (status != SURETY_OK)
            return status;
        room->vals[i] = surety_doc_root(room->docs[i]);
    }
    return room->vote && room->out ? SURETY_OK : SURETY_NOMEM;
}

static void room_close(struct room *room)
{
    surety_vote_free(room->vote);
    surety_doc_free(room->out);
    surety_buf_done(&room->text);
    for (size_t i = 0; i < ANSWERS_MAX; i++)
        surety_doc_free(room->docs[i]);
}

/* Merges and writes: the value, and then a line a ballot. */
static surety_status room_merge(struct room *room)
{
    surety_status status =
        surety_vote_merge(room->vote, room->vals, room->count, room->out, NULL);

    if (status != SURETY_OK)
        return status;
    surety_buf_reset(&room->text);
    status = surety_val_write(surety_doc_root(room->out), SURETY_STYLE_COMPACT,
                              &room->text);
    for (size_t i = 0; i < surety_vote_info_of(room->vote)->ballot_count; i++) {
        const surety_ballot ballot =
            surety_vote_info_of(room->vote)->ballots[i];

        surety_buf_text(&room->text, "\n\"");
        surety_buf_add(&room->text, ballot.pointer);
        surety_buf_text(&room->text, "\" ");
        surety_buf_text(&room->text, surety_vote_how_name(ballot.how));
        surety_buf_byte(&room->text, ' ');
        surety_buf_number(&room->text, ballot.votes);
        surety_buf_byte(&room->text, '/');
        surety_buf_number(&room->text, ballot.voters);
    }
    return status == SURETY_OK ? room->text.status : status;
}

TEST(merges)
{
    static const struct {
        const char *answers[ANSWERS_MAX];
        const char *want;
    } rows[] = {
        {{"1"}, "1\n\"\" unanimous 1/1"},
        {{"\"a\"", "\"b\"", "\"a\""}, "\"a\"\n\"\" majority 2/3"},
        {{"\"b\"", "\"a\""}, "\"b\"\n\"\" tie 1/2"},
        {{"\"a\"", "\"b\"", "\"c\"", "\"b\"", "\"d\""},
         "\"b\"\n\"\" plurality 2/5"},
        {{"true", "false", "false"}, "false\n\"\" majority 2/3"},
        /* Numbers: one that was given, as it was written. */
        {{"1", "9", "3"}, "3\n\"\" median 1/3"},
        {{"1.50", "1.5", "7"}, "1.50\n\"\" majority 2/3"},
        {{"9", "1", "3", "5"}, "3\n\"\" median 1/4"},
        {{"5", "9", "1", "3"}, "5\n\"\" median 1/4"},
        {{"1e400", "2e400", "3"}, "1e400\n\"\" median 1/3"},
        /* The kind that most gave. */
        {{"null", "\"n\"", "null"}, "null\n\"\" majority 2/3"},
        {{"[]", "{}", "{}"}, "{}"},
        {{"1", "\"1\""}, "1\n\"\" tie 1/2"},
        /* Members. */
        {{"{\"a\":1,\"b\":2}", "{\"b\":2,\"c\":3}", "{\"b\":4,\"a\":1}"},
         "{\"a\":1,\"b\":2}\n\"/a\" majority 2/3\n\"/b\" majority 2/3\n"
         "\"/c\" left-out 1/3"},
        {{"{\"a\":1}", "{\"b\":1}"},
         "{\"a\":1}\n\"/a\" tie 1/2\n\"/b\" left-out 1/2"},
        {{"{\"~/\":{\"x\":[true]}}"},
         "{\"~/\":{\"x\":[true]}}\n"
         "\"/~0~1/x/0\" unanimous 1/1"},
        /* Series keep their places; other items find each other. */
        {{"[1,2,3]", "[1,2,4]", "[1,5,3]"},
         "[1,2,3]\n\"/0\" unanimous 3/3\n\"/1\" majority 2/3\n\"/2\" majority "
         "2/3"},
        {{"[\"x\",\"y\"]", "[\"y\",\"x\",\"z\"]", "[\"y\"]"},
         "[\"x\",\"y\"]\n\"/0\" majority 2/3\n\"/2\" left-out 1/3\n\"/1\" "
         "unanimous 3/3"},
        {{"[\"a\",\"a\"]", "[\"a\"]", "[\"a\",\"a\"]"},
         "[\"a\",\"a\"]\n\"/0\" unanimous 3/3\n\"/1\" majority 2/3"},
        {{"[{\"n\":\"Ada\",\"p\":1},{\"n\":\"Bo\",\"p\":2}]",
          "[{\"n\":\"Bo\",\"p\":3},{\"n\":\"Ada\",\"p\":1}]",
          "[{\"n\":\"Bo\",\"p\":3}]"},
         "[{\"n\":\"Ada\",\"p\":1},{\"n\":\"Bo\",\"p\":3}]\n"
         "\"/0/n\" majority 2/3\n\"/0/p\" majority 2/3\n"
         "\"/1/n\" unanimous 3/3\n\"/1/p\" majority 2/3"},
        {{"[\"a\",\"c\"]", "[\"a\",\"b\",\"c\"]", "[\"b\",\"c\"]"},
         "[\"a\",\"b\",\"c\"]\n\"/0\" majority 2/3\n\"/1\" majority 2/3\n"
         "\"/2\" unanimous 3/3"},
    };
    struct room room = {0};

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        size_t count = 0;

        while (count < ANSWERS_MAX && rows[i].answers[count])
            count++;
        TRY(room_open(&room, t, rows[i].answers, count));
        TRY(room_merge(&room));
        CHECK_TEXT(surety_buf_str(&room.text), rows[i].want);
        room_close(&room);
        memset(&room, 0, sizeof(room));
    }
done:
    room_close(&room);
}

/* Items that are objects or arrays find the one that they are most like, at
 * least half; of one more than twice the size they are no likeness. */
TEST(alike_items_find_each_other)
{
    static const struct {
        const char *answers[2], *want;
    } rows[] = {
        {{"[{\"a\":1}]", "[{\"a\":1,\"b\":2}]"},
         "[{\"a\":1}]\n\"/0/a\" unanimous 2/2\n\"/0/b\" left-out 1/2"},
        {{"[{\"a\":1}]", "[{\"a\":1,\"b\":2,\"c\":3}]"},
         "[{\"a\":1}]\n\"/0\" left-out 1/2\n\"/0/a\" tie 1/2"},
        {{"[{\"a\":1,\"b\":2}]", "[{\"a\":1,\"b\":9}]"},
         "[{\"a\":1,\"b\":2}]\n\"/0/a\" unanimous 2/2\n\"/0/b\" median 1/2"},
        {{"[{\"a\":1,\"b\":2,\"c\":3}]", "[{\"a\":1,\"b\":8,\"c\":9}]"},
         "[{\"a\":1,\"b\":2,\"c\":3}]\n\"/0\" left-out 1/2\n\"/0/a\" tie "
         "1/2\n\"/0/b\" tie 1/2\n\"/0/c\" tie 1/2"},
        {{"[[1,2]]", "[[1,3]]"},
         "[[1,2]]\n\"/0/0\" unanimous 2/2\n\"/0/1\" median 1/2"},
        {{"[[1,2,3]]", "[[1,8,9]]"},
         "[[1,2,3]]\n\"/0\" left-out 1/2\n\"/0/0\" tie 1/2\n\"/0/1\" tie "
         "1/2\n\"/0/2\" tie 1/2"},
        {{"[[1]]", "[{\"a\":1}]"},
         "[[1]]\n\"/0\" left-out 1/2\n\"/0/0\" tie 1/2"},
        {{"[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2,\"c\":3,\"d\":4}]",
          "[{\"a\":1,\"b\":2,\"c\":3,\"d\":5}]"},
         "[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2,\"c\":3,\"d\":4}]\n\"/0/a\" tie "
         "1/2\n\"/0/b\" tie 1/2\n\"/1/a\" unanimous 2/2\n\"/1/b\" unanimous "
         "2/2\n\"/1/c\" unanimous 2/2\n\"/1/d\" median 1/2"},
        {{"[{\"a\":1,\"b\":2},{\"a\":1,\"b\":3}]", "[{\"a\":1,\"b\":4}]"},
         "[{\"a\":1,\"b\":2},{\"a\":1,\"b\":3}]\n\"/0/a\" unanimous "
         "2/2\n\"/0/b\" median 1/2\n\"/1/a\" tie 1/2\n\"/1/b\" tie 1/2"},
        {{"[[\"x\",\"y\"],[\"x\",\"z\"]]", "[[\"x\",\"z\"],[\"x\",\"y\"]]"},
         "[[\"x\",\"y\"],[\"x\",\"z\"]]\n\"/0/0\" unanimous 2/2\n\"/0/1\" "
         "unanimous 2/2\n\"/1/0\" unanimous 2/2\n\"/1/1\" unanimous 2/2"},
    };
    struct room room = {0};

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        TRY(room_open(&room, t, rows[i].answers, 2));
        TRY(room_merge(&room));
        CHECK_TEXT(surety_buf_str(&room.text), rows[i].want);
        room_close(&room);
        memset(&room, 0, sizeof(room));
    }
done:
    room_close(&room);
}

TEST(tells_who_gave_what)
{
    static const char *const answers[] = {"{\"a\":1}", "{\"a\":2}",
                                          "{\"b\":[0]}"};
    struct room room = {0};

    TRY(room_open(&room, t, answers, 3));
    TRY(room_merge(&room));
    CHECK(surety_vote_info_of(room.vote)->ballot_count == 2);
    CHECK(surety_val_int(surety_vote_info_of(room.vote)->ballots[0].given[0],
                         0) == 1);
    CHECK(surety_val_int(surety_vote_info_of(room.vote)->ballots[0].given[1],
                         0) == 2);
    CHECK(!surety_vote_info_of(room.vote)->ballots[0].given[2].doc);
    CHECK(surety_val_count(
              surety_vote_info_of(room.vote)->ballots[1].given[2]) == 1);
    CHECK_TEXT(surety_vote_info_of(room.vote)->ballots[1].pointer, "/b");
    /* 1 of 3 for /a, and 2 of 3 for leaving /b out. */
    CHECK(surety_vote_info_of(room.vote)->agreement > 0.49 &&
          surety_vote_info_of(room.vote)->agreement < 0.51);
done:
    room_close(&room);
}

TEST(refuses_what_cannot_be_merged)
{
    static const char *const answers[] = {"1", "2"};
    struct room room = {0};
    surety_val many[SURETY_VOTERS_MAX + 1];

    TRY(room_open(&room, t, answers, 2));
    for (size_t i = 0; i <= SURETY_VOTERS_MAX; i++)
        many[i] = room.vals[i % 2];
    EXPECT(SURETY_MISUSE,
           surety_vote_merge(room.vote, many, 0, room.out, NULL));
    EXPECT(SURETY_MISUSE,
           surety_vote_merge(room.vote, many, SURETY_VOTERS_MAX + 1, room.out,
                             NULL));
    TRY(surety_vote_merge(room.vote, many, SURETY_VOTERS_MAX, room.out, NULL));
    many[1] = surety_val_none();
    EXPECT(SURETY_MISUSE,
           surety_vote_merge(room.vote, many, 2, room.out, NULL));
done:
    room_close(&room);
}

/* Two lists of which no item is like another cost their product. */
TEST(bounds_its_work)
{
    const surety_limits small = {
        .size = sizeof(small), .work_base = 1000, .work_per_value = 1};
    surety_doc *docs[2] = {NULL, NULL};
    surety_doc *out = surety_doc_new(check_alloc(t));
    surety_vote *vote = surety_vote_new(check_alloc(t), &small);
    surety_error error;
    surety_val vals[2];

    NEED(out);
    NEED(vote);
    for (int voter = 0; voter < 2; voter++) {
        docs[voter] = surety_doc_new(check_alloc(t));
        NEED(docs[voter]);
        surety_build_begin(docs[voter], NULL);
        surety_build_array(docs[voter]);
        for (int i = 0; i < 100; i++) {
            surety_build_object(docs[voter]);
            surety_build_name(docs[voter], "n");
            surety_build_int(docs[voter], i * 2 + voter);
            surety_build_close(docs[voter]);
        }
        surety_build_close(docs[voter]);
        TRY(surety_build_end(docs[voter], NULL));
        vals[voter] = surety_doc_root(docs[voter]);
    }
    EXPECT(SURETY_LIMIT, surety_vote_merge(vote, vals, 2, out, &error));
    CHECK(strstr(error.message, "work_base"));
    CHECK(surety_vote_info_of(vote)->ballot_count == 0);
done:
    surety_doc_free(docs[0]);
    surety_doc_free(docs[1]);
    surety_doc_free(out);
    surety_vote_free(vote);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"merges", merges},
        {"alike items find each other", alike_items_find_each_other},
        {"tells who gave what", tells_who_gave_what},
        {"refuses what cannot be merged", refuses_what_cannot_be_merged},
        {"bounds its work", bounds_its_work},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
