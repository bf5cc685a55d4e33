/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile replies and limits met through the whole core, where the tool has no
 * option for them: the limits that a contract carries into judging, values as
 * deep as they may be, a reply cut at every byte, and that whatever was in the
 * way, the same judge then serves the next reply as if nothing had been. The
 * limits of a schema: schema_limits_test.c; of a document: json_read_test.c. */
#include <string.h>

#include <surety/json.h>
#include <surety/reply.h>
#include <surety/schema.h>

#include "base/base.h"
#include "extract/extract.h"
#include "check.h"

/* A contract with small limits, and the judge that keeps them. */
struct court {
    surety_limits limits;
    surety_contract *contract;
    surety_judge *judge;
    const surety_outcome *outcome;
    surety_error error;
};

static surety_status court_open(struct court *court, struct check *t,
                                const char *text)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("c"),
                                             .limits = &court->limits,
                                             .alloc = check_alloc(t)};
    const surety_status status = surety_contract_read(
        surety_str_of(text), &options, &court->contract, &court->error);

    if (status != SURETY_OK)
        return status;
    court->judge = surety_judge_new(check_alloc(t), &court->limits);
    return court->judge ? SURETY_OK : SURETY_NOMEM;
}

static void court_close(struct court *court)
{
    surety_judge_free(court->judge);
    surety_contract_free(court->contract);
}

static surety_status court_hear(struct court *court, surety_str reply)
{
    return surety_judge_reply(court->judge, court->contract, reply, NULL,
                              &court->outcome, &court->error);
}

static bool court_fails_at(const struct court *court, surety_stage stage,
                           const char *limit)
{
    return !surety_outcome_info_of(court->outcome)->ok &&
           surety_outcome_info_of(court->outcome)->stage == stage &&
           strstr(surety_outcome_error(court->outcome, 0).message.ptr, limit);
}

/* opened count times, then closed as often; an object holds 1 at the end. */
static void put_nested(surety_buf *buf, bool is_object, unsigned count)
{
    surety_buf_reset(buf);
    for (unsigned i = 0; i < count; i++)
        surety_buf_text(buf, is_object ? "{\"a\":" : "[");
    surety_buf_byte(buf, '1');
    for (unsigned i = 0; i < count; i++)
        surety_buf_byte(buf, is_object ? '}' : ']');
}

TEST(keeps_the_size_of_a_reply)
{
    struct court court = {
        .limits = {.size = sizeof(surety_limits), .text_bytes_max = 20}};

    TRY(court_open(&court, t, "{\"type\":\"array\"}"));
    TRY(court_hear(&court, surety_str_of("Well, here you: [1]")));
    CHECK(surety_outcome_info_of(court.outcome)->ok);
    TRY(court_hear(&court, surety_str_of("Well, here, you: [1]")));
    CHECK(surety_outcome_info_of(court.outcome)->ok);
    EXPECT(SURETY_LIMIT,
           court_hear(&court, surety_str_of("Well, here, you: [12]")));
    CHECK(strstr(court.error.message, "text_bytes_max of 20"));
    TRY(court_hear(&court, surety_str_of("[1]")));
    CHECK(surety_outcome_info_of(court.outcome)->ok);
done:
    court_close(&court);
}

TEST(looks_at_so_many_candidates)
{
    struct court court = {
        .limits = {.size = sizeof(surety_limits), .candidates_max = 3}};

    TRY(court_open(&court, t,
                   "{\"items\":{\"maximum\":5},\"x-surety\":{\"extract\":"
                   "{\"from\":[\"embedded\"]}}}"));
    TRY(court_hear(&court, surety_str_of("[9] and [1]")));
    CHECK(surety_outcome_info_of(court.outcome)->ok);
    TRY(court_hear(&court, surety_str_of("[9] and [9] and [1]")));
    CHECK(surety_outcome_info_of(court.outcome)->ok);
    TRY(court_hear(&court, surety_str_of("[9] and [9] and [9] and [1]")));
    CHECK(!surety_outcome_info_of(court.outcome)->ok);
    CHECK(surety_outcome_info_of(court.outcome)->stage ==
          SURETY_STAGE_VALIDATION);
done:
    court_close(&court);
}

TEST(keeps_the_limits_of_a_value)
{
    static const struct {
        const char *below, *at, *above, *name;
    } edges[] = {
        {"[[1]]", "[[[1]]]", "[[[[1]]]]", "depth_max of 3"},
        {"[1234]", "[12345]", "[123456]", "number_len_max of 5"},
        {"[\"abc\"]", "[\"abcd\"]", "[\"abcde\"]", "string_len_max of 4"},
        {"{\"a\":1}", "{\"ab\":1}", "{\"abc\":1}", "key_len_max of 2"},
        {"[1,2,3,4]", "[1,2,3,4,5]", "[1,2,3,4,5,6]", "values_max of 6"},
    };
    struct court court = {.limits = {.size = sizeof(surety_limits)}};

    /* The contract is no reply; only the judge's limits are small. */
    TRY(court_open(&court, t,
                   "{\"x-surety\":{\"extract\":{\"from\":[\"whole\"]}}}"));
    surety_judge_free(court.judge);
    court.limits = (surety_limits){.size = sizeof(surety_limits),
                                   .depth_max = 3,
                                   .number_len_max = 5,
                                   .string_len_max = 4,
                                   .key_len_max = 2,
                                   .values_max = 6};
    court.judge = surety_judge_new(check_alloc(t), &court.limits);
    NEED(court.judge);
    for (size_t i = 0; i < CHECK_COUNT(edges); i++) {
        TRY(court_hear(&court, surety_str_of(edges[i].above)));
        CHECK(court_fails_at(&court, SURETY_STAGE_JSON_PARSE, edges[i].name));
        TRY(court_hear(&court, surety_str_of(edges[i].below)));
        CHECK(surety_outcome_info_of(court.outcome)->ok);
        TRY(court_hear(&court, surety_str_of(edges[i].at)));
        CHECK(surety_outcome_info_of(court.outcome)->ok);
    }
done:
    court_close(&court);
}

/* As deep as the default goes: read, checked, compared, copied and written
 * without recursion (the suite is run on a small stack too). */
TEST(handles_the_deepest_value)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_doc *copy = surety_doc_new(check_alloc(t));
    surety_buf text;
    surety_buf again;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&again, check_alloc(t), 0);
    NEED(doc);
    NEED(copy);
    for (int is_object = 0; is_object < 2; is_object++) {
        surety_error error;

        put_nested(&text, is_object, 513);
        TRY(text.status);
        EXPECT(SURETY_LIMIT,
               surety_doc_read(doc, surety_buf_str(&text), NULL, &error));
        CHECK(strstr(error.message, "depth_max of 512"));
        CHECK(error.position.column == (is_object ? 5 * 512 : 512) + 1);
        put_nested(&text, is_object, 512);
        TRY(text.status);
        TRY(surety_doc_read(doc, surety_buf_str(&text), NULL, NULL));
        surety_build_begin(copy, NULL);
        surety_build_val(copy, surety_doc_root(doc));
        TRY(surety_build_end(copy, NULL));
        CHECK(surety_val_equal(surety_doc_root(doc), surety_doc_root(copy)));
        surety_buf_reset(&again);
        surety_val_write(surety_doc_root(copy), SURETY_STYLE_COMPACT, &again);
        TRY(again.status);
        CHECK(surety_str_equal(surety_buf_str(&text), surety_buf_str(&again)));
    }
done:
    surety_buf_done(&text);
    surety_buf_done(&again);
    surety_doc_free(doc);
    surety_doc_free(copy);
}

/* What is cut off is never valid before its JSON is whole, in any place. */
TEST(refuses_every_cut)
{
    static const char reply[] = "<think>{\"x\":1}</think>\nSo:\n> ```json\n> "
                                "{\"x\": [\"}\\\"\\u00e9\", "
                                "{\"y\": -1.5e3}, null]}\n> ```\nDone.";
    static const char *const places[] = {"fence", "fence-any", "embedded",
                                         "whole"};
    const size_t closed = (size_t)(strstr(reply, "]}\n") + 2 - reply);
    const size_t fenced = (size_t)(strstr(reply, "```\nDone") + 3 - reply);
    struct court court = {.limits = {.size = sizeof(surety_limits)}};
    surety_extract how = {.size = sizeof(how), .from_count = 1};
    surety_judge_options options = {.size = sizeof(options), .extract = &how};

    TRY(court_open(&court, t, "{\"type\":\"object\",\"required\":[\"x\"]}"));
    for (size_t i = 0; i < CHECK_COUNT(places); i++) {
        how.from[0] = surety__place_of(surety_str_of(places[i]));
        for (size_t end = 0; end < sizeof(reply); end++) {
            const surety_str cut = {reply, end};
            bool is_ok;

            TRY(surety_judge_reply(court.judge, court.contract, cut, &options,
                                   &court.outcome, &court.error));
            is_ok = surety_outcome_info_of(court.outcome)->ok;
            if (how.from[0] == SURETY_PLACE_WHOLE)
                CHECK(!is_ok);
            else if (how.from[0] == SURETY_PLACE_EMBEDDED)
                CHECK(is_ok == (end >= closed));
            else
                CHECK(is_ok == (end >= fenced));
            CHECK(is_ok || surety_outcome_info_of(court.outcome)->stage !=
                               SURETY_STAGE_VALIDATION);
        }
    }
done:
    court_close(&court);
}

/* A pattern that wants more heap than it may take ends in the limit's name, and
 * the checker goes on. */
TEST(bounds_the_heap_of_a_pattern)
{
    static char text[4 * 5000 + 3];
    surety_limits limits = {.size = sizeof(limits),
                            .pattern_match_max = 100000000,
                            .pattern_heap_kib_max = 1};
    struct court court = {.limits = limits};

    text[0] = '"';
    memset(text + 1, 'a', sizeof(text) - 3);
    text[sizeof(text) - 2] = '"';
    TRY(court_open(&court, t, "{\"pattern\":\"^(a|b|cd)+\\\\b$\"}"));
    EXPECT(SURETY_LIMIT,
           court_hear(&court, (surety_str){text, sizeof(text) - 1}));
    CHECK(strstr(court.error.message, "pattern_heap_kib_max 1"));
    TRY(court_hear(&court, surety_str_of("\"ab\"")));
    CHECK(surety_outcome_info_of(court.outcome)->ok);
done:
    court_close(&court);
}

enum { SAME_HASH = 600 };

/* Names of eight bytes whose surety__hash ends in the same 16 bits; looked for
 * once, for that takes as long as all the rest. */
static const char (*names_of_one_hash(void))[8]
{
    static char names[SAME_HASH][8];
    static size_t found;

    for (uint32_t n = 0; found < SAME_HASH; n++) {
        for (int d = 0; d < 8; d++)
            names[found][d] = (char)('a' + (n >> (4 * d) & 15));
        found += (surety__hash(names[found], 8) & 0xFFFF) == 0x1234;
    }
    return (const char(*)[8])names;
}

/* Property names of one hash are refused before they cost quadratic time; a
 * few are nothing. */
TEST(property_names_of_one_hash)
{
    static const size_t counts[] = {200, SAME_HASH};
    surety_schema_options options = {.size = sizeof(options),
                                     .alloc = check_alloc(t)};
    surety_schema *schema = NULL;
    surety_error err = {.status = SURETY_OK};
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    for (size_t i = 0; i < 2; i++) {
        surety_buf_reset(&text);
        surety_buf_text(&text, "{\"required\":[");
        for (size_t n = 0; n < counts[i]; n++) {
            surety_buf_text(&text, n ? ",\"" : "\"");
            surety_buf_append(&text, names_of_one_hash()[n], 8);
            surety_buf_byte(&text, '"');
        }
        surety_buf_text(&text, "]}");
        TRY(text.status);
        EXPECT(
            i ? SURETY_LIMIT : SURETY_OK,
            surety_schema_read(surety_buf_str(&text), &options, &schema, &err));
        surety_schema_free(schema);
        schema = NULL;
    }
    CHECK(strstr(err.message, "256 property names"));
done:
    surety_schema_free(schema);
    surety_buf_done(&text);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"property names of one hash", property_names_of_one_hash},
        {"keeps the size of a reply", keeps_the_size_of_a_reply},
        {"looks at so many candidates", looks_at_so_many_candidates},
        {"keeps the limits of a value", keeps_the_limits_of_a_value},
        {"handles the deepest value", handles_the_deepest_value},
        {"refuses every cut", refuses_every_cut},
        {"bounds the heap of a pattern", bounds_the_heap_of_a_pattern},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
