/* SPDX-License-Identifier: Apache-2.0 */
/* Replies that were cut off, at every byte of random JSON: no scalar of what
 * comes out differs from the one that was meant unless a repair says that it is
 * likely only, a number by number-at-end. With certain repairs only, or where
 * the provider says that it cut the reply, none differs at all. Whole, native
 * and in chunks the outcome is the same. */
#include "check.h"

#include <surety/stream.h>

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 240, ROUNDS = 40, ROUNDS_FAULT = 1 };

/* ---- random JSON --------------------------------------------------------- */

struct maker {
    uint64_t state;
    char text[TEXT_MAX + 64];
    size_t len;
};

static uint32_t maker_next(struct maker *maker, uint32_t below)
{
    maker->state = maker->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(maker->state >> 33) % below;
}

static void maker_put(struct maker *maker, const char *text)
{
    const size_t len = strlen(text);

    memcpy(maker->text + maker->len, text, len);
    maker->len += len;
}

static void maker_blank(struct maker *maker)
{
    static const char *const blanks[] = {"", "", " ", "\n  "};

    maker_put(maker, blanks[maker_next(maker, CHECK_COUNT(blanks))]);
}

static void maker_scalar(struct maker *maker)
{
    static const char *const scalars[] = {
        "0",
        "12",
        "-7",
        "3.25",
        "1205.5",
        "6e10",
        "1.5E-3",
        "4821",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a\"",
        "\"1}\"",
        "\"x, \\\"y\"",
        "\"a: [1\"",
        "\"]} so\"",
        "\"caf\xC3\xA9\"",
        "\"\\u20ac5\"",
        "\"n\\n\"",
    };

    maker_put(maker, scalars[maker_next(maker, CHECK_COUNT(scalars))]);
}

/* A container of a few values, some of which are containers, too; without
 * recursion, so that it stays within its room. */
static void maker_make(struct maker *maker)
{
    char key[16];
    bool object[4] = {false};
    unsigned depth = 1, count = 0, keys = 0;

    maker->len = 0;
    object[0] = maker_next(maker, 2);
    maker_put(maker, object[0] ? "{" : "[");
    for (;;) {
        const bool full = maker->len > TEXT_MAX / 2 || count == 6;

        maker_blank(maker);
        if (full || (count && maker_next(maker, 4) == 0)) {
            maker_put(maker, object[--depth] ? "}" : "]");
            if (!depth)
                return;
            count = 1 + maker_next(maker, 3);
            continue;
        }
        maker_put(maker, count ? "," : "");
        maker_blank(maker);
        snprintf(key, sizeof(key), "\"k %u\":", keys++);
        maker_put(maker, object[depth - 1] ? key : "");
        count++;
        if (depth < 4 && maker_next(maker, 3) == 0) {
            object[depth] = maker_next(maker, 2);
            maker_put(maker, object[depth++] ? "{" : "[");
            count = 0;
            continue;
        }
        maker_scalar(maker);
    }
}

/* ---- what may come of a part of it --------------------------------------- */

/* Whether each scalar of got is in meant where it is in got. *number:
 * one that does not is a number. */
static bool same_scalars(surety_val meant, surety_val got, bool *ret_number)
{
    const surety_kind kind = surety_val_kind(got);
    surety_val item = surety_val_first(got);

    if (kind != surety_val_kind(meant) || kind < SURETY_KIND_ARRAY) {
        const bool same = surety_val_equal(meant, got);

        *ret_number |= !same && kind == SURETY_KIND_NUMBER;
        return same;
    }
    for (size_t i = 0; item.doc; item = surety_val_next(got, item), i++) {
        char key[8] = "";
        surety_val other;

        if (kind == SURETY_KIND_OBJECT)
            snprintf(key, sizeof(key), "%.*s",
                     (int)surety_val_str(surety_val_key(item)).len,
                     surety_val_str(surety_val_key(item)).ptr);
        other = kind == SURETY_KIND_ARRAY ? surety_val_item(meant, i)
                                          : surety_val_get(meant, key);
        if (!same_scalars(other, item, ret_number))
            return false;
    }
    return true;
}

/* Whether a repair of that kind, or where it is NULL any, is likely. */
static bool is_likely(const surety_outcome *outcome, const char *kind)
{
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->repaired_count;
         i++) {
        const surety_repaired repaired = surety_outcome_repaired(outcome, i);

        if (repaired.likely && (!kind || !strcmp(repaired.kind, kind)))
            return true;
    }
    return false;
}

/* What is wrong with an outcome; NULL: nothing. */
static const char *broken(const surety_outcome *outcome, surety_val meant,
                          const surety_judge_options *how, bool part)
{
    bool number = false;

    if (!surety_outcome_info_of(outcome)->ok)
        return part ? NULL : "all of it is refused";
    if (how->cut && part)
        return "what the provider cut is closed";
    if (same_scalars(meant, surety_outcome_info_of(outcome)->value, &number))
        return NULL;
    if (how->certain_only || *how->repair == SURETY_REPAIR_NONE)
        return "a scalar differs, for certain";
    if (!is_likely(outcome, number ? "number-at-end" : NULL))
        return "a scalar differs, and no repair says so";
    return NULL;
}

/* ---- the laws ------------------------------------------------------------ */

struct world {
    surety_contract *contract;
    surety_judge *judge;
    surety_stream *stream;
    surety_doc *doc;
    surety_buf whole, chunks;
    struct maker maker;
};

/* Shows what came of a reply that breaks a law. */
static bool shows(surety_str reply, const surety_outcome *outcome,
                  const char *what)
{
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    surety_json_string(&text, reply);
    surety_buf_text(&text, "\n# ");
    surety_outcome_write(outcome, SURETY_REPORT_JSON, surety_str_of("r"), 0,
                         &text);
    printf("# %s: %.*s\n", what, (int)text.len, text.ptr);
    surety_buf_done(&text);
    return false;
}

/* The reply in chunks; OK, or what failed. */
static surety_status judge_chunks(struct world *world, surety_str reply,
                                  const surety_judge_options *how,
                                  const surety_outcome **ret_outcome)
{
    surety_status status =
        surety_stream_begin(world->stream, world->contract, how, false, NULL);
    size_t at = 0;

    while (status == SURETY_OK && at < reply.len) {
        size_t len = 1 + maker_next(&world->maker, 9);

        if (len > reply.len - at)
            len = reply.len - at;
        status = surety_stream_feed(world->stream,
                                    (surety_str){reply.ptr + at, len}, NULL);
        at += len;
    }
    return status == SURETY_OK
               ? surety_stream_finish(world->stream, NULL, ret_outcome, NULL)
               : status;
}

/* The laws of one reply, read as how says. */
static bool law_holds(struct check *t, struct world *world, surety_str reply,
                      const surety_judge_options *how, bool part)
{
    const surety_outcome *outcome;
    const char *what;
    surety_judge_options native = *how;

    native.native = reply;
    TRY(surety_judge_reply(world->judge, world->contract, reply, how, &outcome,
                           NULL));
    what = broken(outcome, surety_doc_root(world->doc), how, part);
    CHECK(!what || shows(reply, outcome, what));
    surety_buf_reset(&world->whole);
    surety_buf_reset(&world->chunks);
    TRY(surety_outcome_write(outcome, SURETY_REPORT_JSON, surety_str_of("r"), 0,
                             &world->whole));
    TRY(judge_chunks(world, reply, how, &outcome));
    TRY(surety_outcome_write(outcome, SURETY_REPORT_JSON, surety_str_of("r"), 0,
                             &world->chunks));
    CHECK(surety_str_equal(surety_buf_str(&world->whole),
                           surety_buf_str(&world->chunks)) ||
          shows(reply, outcome, "chunks make a difference"));
    if (!memchr("{[", *reply.ptr, 2))
        return true;
    TRY(surety_judge_reply(world->judge, world->contract, surety_str_of(""),
                           &native, &outcome, NULL));
    what = broken(outcome, surety_doc_root(world->doc), how, part);
    CHECK(!what || shows(reply, outcome, what));
    return true;
done:
    return false;
}

/* A text cut at every byte, alone, with a line's end, and in a block. */
static bool laws_hold(struct check *t, struct world *world)
{
    static const struct {
        const char *before, *behind;
    } forms[] = {{"", ""}, {"", "\n"}, {"So:\n```json\n", ""}, {"So: ", ""}};
    /* Any repairs, certain ones, those of a reply that the provider cut, and
     * none. */
    enum { ANY, CERTAIN, CUT, NONE, MODES };
    char reply[TEXT_MAX + 128];

    for (size_t cut = 1; cut <= world->maker.len; cut++)
        for (size_t i = 0; i < MODES * CHECK_COUNT(forms); i++) {
            const surety_repair level =
                i % MODES == NONE ? SURETY_REPAIR_NONE : SURETY_REPAIR_SYNTAX;
            const surety_judge_options how = {.size = sizeof(how),
                                              .repair = &level,
                                              .certain_only =
                                                  i % MODES == CERTAIN,
                                              .cut = i % MODES == CUT};
            const int len = snprintf(
                reply, sizeof(reply), "%s%.*s%s", forms[i / MODES].before,
                (int)cut, world->maker.text, forms[i / MODES].behind);

            if (!law_holds(t, world, (surety_str){reply, (size_t)len}, &how,
                           cut < world->maker.len))
                return false;
        }
    return true;
}

TEST(nothing_cut_is_silently_another)
{
    struct world world = {.maker.state = 20};

    surety_buf_init(&world.whole, check_alloc(t), 0);
    surety_buf_init(&world.chunks, check_alloc(t), 0);
    TRY(check_contract(t, "true", &world.contract));
    world.judge = surety_judge_new(check_alloc(t), NULL);
    world.stream = surety_stream_new(check_alloc(t), NULL);
    world.doc = surety_doc_new(check_alloc(t));
    NEED(world.judge);
    NEED(world.stream);
    NEED(world.doc);
    for (unsigned i = 0; i < (t->fail_at ? ROUNDS_FAULT : ROUNDS); i++) {
        const uint64_t seed = world.maker.state;

        maker_make(&world.maker);
        TRY(surety_doc_read(world.doc,
                            (surety_str){world.maker.text, world.maker.len},
                            NULL, NULL));
        if (!laws_hold(t, &world)) {
            printf("# seed %llu\n", (unsigned long long)seed);
            break;
        }
    }
done:
    surety_buf_done(&world.whole);
    surety_buf_done(&world.chunks);
    surety_doc_free(world.doc);
    surety_stream_free(world.stream);
    surety_judge_free(world.judge);
    surety_contract_free(world.contract);
}

/* A root number is complete by its grammar: "12" is 12. Not so where the
 * provider says that it cut the reply right behind it. */
TEST(a_number_at_the_root)
{
    static const struct {
        const char *reply;
        surety_repair level;
        bool cut, native;
        const char *want; /* the value, or what is wrong */
    } rows[] = {
        {"12", SURETY_REPAIR_NONE, false, false, "12"},
        {"12", SURETY_REPAIR_ALIGN, false, false, "12"},
        {"12", SURETY_REPAIR_NONE, true, false,
         "the reply is cut off: the root number does not end"},
        {"12", SURETY_REPAIR_ALIGN, true, false,
         "the reply is cut off: the root number does not end"},
        {"12", SURETY_REPAIR_NONE, true, true,
         "the reply is cut off: the root number does not end"},
        {"12", SURETY_REPAIR_SYNTAX, true, true,
         "the reply is cut off: the root number does not end"},
        {"12\n", SURETY_REPAIR_NONE, true, false, "12"},
        {"12 ", SURETY_REPAIR_SYNTAX, true, false, "12"},
        {"```json\n12\n```", SURETY_REPAIR_NONE, true, false, "12"},
        {"true", SURETY_REPAIR_NONE, true, false, "true"},
        {"[12]", SURETY_REPAIR_NONE, true, false, "[12]"},
        {"Answer: 12", SURETY_REPAIR_NONE, false, false, "12"},
        {"Answer: 12", SURETY_REPAIR_NONE, true, false,
         "the reply is cut off: the root number does not end"},
    };
    static const char text[] = "{\"x-surety\":{\"extract\":{\"marker\":"
                               "\"Answer:\"}}}";
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, text, &contract));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const surety_str reply = surety_str_of(rows[i].reply);
        const surety_judge_options options = {
            .size = sizeof(options),
            .native = rows[i].native ? reply : (surety_str){NULL, 0},
            .repair = &rows[i].level,
            .cut = rows[i].cut,
        };

        TRY(surety_contract_judge(contract,
                                  rows[i].native ? surety_str_of("") : reply,
                                  &options, &outcome, NULL));
        if (surety_outcome_info_of(outcome)->ok)
            CHECK_JSON(surety_outcome_info_of(outcome)->value, rows[i].want);
        else
            CHECK_TEXT(surety_outcome_error(outcome, 0).message, rows[i].want);
        surety_outcome_free(outcome);
        outcome = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* A partial value that is valid is taken as it is, whatever was wrong with
 * values before it in the same reply. */
TEST(a_valid_part_is_not_closed)
{
    static const char text[] = "{\"type\":\"object\",\"x-surety\":{"
                               "\"repair\":\"align\"}}";
    const surety_judge_options options = {.size = sizeof(options),
                                          .partial = true};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, text, &contract));
    TRY(surety_contract_judge(
        contract, surety_str_of("[1] [2] {\"data\": [[\"n\"], [\"a\""),
        &options, &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->ok);
    CHECK(surety_outcome_info_of(outcome)->partial);
    CHECK(surety_outcome_info_of(outcome)->repaired_count == 0);
    CHECK_JSON(surety_outcome_info_of(outcome)->value,
               "{\"data\":[[\"n\"],[\"a\"]]}");
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"nothing cut is silently another", nothing_cut_is_silently_another},
        {"a number at the root", a_number_at_the_root},
        {"a valid part is not closed", a_valid_part_is_not_closed},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
