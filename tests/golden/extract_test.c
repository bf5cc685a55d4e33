/* SPDX-License-Identifier: Apache-2.0 */
/* Where JSON is looked for in replies: read by a person.
 *
 *     extract_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape         what is shown
 *     === options       how it is looked for from here on, a line each:
 *                       from PLACE..., marker TEXT, pick last, keep-reasoning,
 *                       candidates N
 *     === replies       a reply a line, in which \r \n \t \\ and \xNN stand for
 *                       bytes; below each, behind two blanks, the candidates:
 *                       PLACE START-END: TEXT, then, where markup was taken out
 *                       of TEXT, the pieces: OFFSET in TEXT @ OFFSET in the
 *                       reply; at last what stood in the way, and where
 *
 * Each reply is searched as a whole, and again as a judge does it, one
 * candidate after the other, which must find the same. With --update what is
 * behind blanks is written anew, to be read before it is believed. */
#include "golden/cases.h"
#include "extract/extract.h"

#include <stdio.h>
#include <stdlib.h>

/* ORDER obstacles: as in the enum. */
static const char *const obstacles[] = {
    "nothing",     "empty-reply", "reasoning-open", "fence-open",
    "fence-other", "value-open",  "no-marker",      "no-json"};

/* How replies are searched. */
struct setting {
    surety_finder *finder, *lazy;
    surety_doc *doc;
    surety_extract how;
    surety_limits limits;
    surety_buf reply;
};

static bool take_places(surety_extract *how, surety_str words)
{
    how->from_count = 0;
    while (words.len) {
        const size_t len = surety__str_find(words, SURETY__LITERAL(" "));
        const size_t skip = len < words.len ? len + 1 : len;
        const surety_place place =
            surety__place_of((surety_str){words.ptr, len});

        if (place == SURETY_PLACE_NONE || how->from_count == SURETY_PLACES)
            return false;
        how->from[how->from_count++] = place;
        words.ptr += skip;
        words.len -= skip;
    }
    return true;
}

static bool take_option(struct setting *setting, surety_str line)
{
    surety_extract *how = &setting->how;

    if (golden_take(&line, "from "))
        return take_places(how, line);
    if (golden_take(&line, "marker ")) {
        how->marker = line;
    } else if (golden_take(&line, "candidates ")) {
        setting->limits.candidates_max = 0;
        for (size_t i = 0; i < line.len; i++)
            setting->limits.candidates_max =
                setting->limits.candidates_max * 10 +
                (uint32_t)(line.ptr[i] - '0');
    } else if (golden_take(&line, "pick last")) {
        how->pick_last = true;
    } else if (golden_take(&line, "keep-reasoning")) {
        how->keep_reasoning = true;
    } else {
        return false;
    }
    return true;
}

static void take_options(struct setting *setting, surety_str lines)
{
    surety_str line;

    setting->how = (surety_extract){.size = sizeof(setting->how)};
    setting->limits = (surety_limits){.size = sizeof(setting->limits)};
    while (golden_line(&lines, &line))
        if (!take_option(setting, line))
            golden_die("an option is unknown", line.ptr);
}

/* Where the bytes of the i-th candidate are in the reply, piece by piece. */
static void put_pieces(const surety_finder *finder, size_t i, surety_buf *out)
{
    const surety_candidate candidate = surety_finder_at(finder, i);
    size_t origin = SIZE_MAX;

    for (size_t at = 0; candidate.stripped && at <= candidate.text.len; at++) {
        const size_t next = surety__finder_origin(finder, i, at);

        if (!at || next != origin + 1)
            surety__buf_printf(out, "%s%zu@%zu", at ? " " : "\n    ", at, next);
        origin = next;
    }
}

static void put_found(const surety_finder *finder, surety_buf *out)
{
    const size_t start = out->len;
    surety__obstacle obstacle;
    size_t at = 0;

    for (size_t i = 0; i < surety_finder_count(finder); i++) {
        const surety_candidate candidate = surety_finder_at(finder, i);

        surety__buf_printf(out,
                           "  %s %zu-%zu: ", surety_place_name(candidate.place),
                           candidate.start, candidate.end);
        surety_json_string(out, candidate.text);
        put_pieces(finder, i, out);
        surety_buf_byte(out, '\n');
    }
    obstacle = surety__finder_obstacle(finder, &at);
    surety_buf_text(out, "  (");
    surety_buf_text(out, obstacles[obstacle]);
    if (obstacle)
        surety__buf_printf(out, " at %zu", at);
    surety_buf_text(out, ")\n");
    surety_json_shown(out, start);
}

/* Searches step by step. What was read is a value that ends with its text. */
static surety_status step(struct setting *setting, surety_str reply)
{
    surety_finder *finder = setting->lazy;
    surety_place place;
    surety_status status = surety__finder_begin(finder, reply, &setting->how,
                                                &setting->limits, NULL);

    while (status == SURETY_OK) {
        status = surety__finder_next(finder, setting->doc);
        if (status == SURETY_END)
            status = surety__finder_place(finder, &place);
        for (size_t i = 0; i < surety_finder_count(finder); i++)
            if (surety__finder_has_read(finder, i) &&
                !surety_str_equal(surety_finder_at(finder, i).text,
                                  surety_doc_text(setting->doc)))
                return SURETY_MISUSE;
    }
    return status == SURETY_END ? SURETY_OK : status;
}

static bool put_reply(struct setting *setting, surety_str line, surety_buf *out)
{
    surety_str reply;
    surety_buf again;
    surety_error error;
    size_t start;
    bool same;

    surety_buf_reset(&setting->reply);
    golden_unescape(line, &setting->reply);
    reply = golden_exact(surety_buf_str(&setting->reply));
    if (surety_finder_find(setting->finder, reply, &setting->how,
                           &setting->limits, &error)) {
        golden_error(out, &error);
        free((char *)reply.ptr);
        return true;
    }
    start = out->len;
    put_found(setting->finder, out);
    surety_buf_init(&again, NULL, 0);
    same = step(setting, reply) == SURETY_OK;
    put_found(setting->lazy, &again);
    same = same &&
           surety_str_equal(surety_buf_str(&again),
                            (surety_str){out->ptr + start, out->len - start});
    if (!same)
        printf("# %.*s: step by step\n# %.*s", (int)line.len, line.ptr,
               (int)again.len, again.ptr);
    surety_buf_done(&again);
    free((char *)reply.ptr);
    return same;
}

static bool put_replies(struct setting *setting, surety_str lines,
                        surety_buf *out)
{
    surety_str line;
    bool good = true;

    while (golden_line(&lines, &line)) {
        if (line.len > 1 && line.ptr[0] == ' ' && line.ptr[1] == ' ')
            continue;
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        good = put_reply(setting, line, out) && good;
    }
    return good;
}

static bool run(struct golden *golden)
{
    struct setting setting = {.finder = surety_finder_new(NULL),
                              .lazy = surety_finder_new(NULL),
                              .doc = surety_doc_new(NULL)};
    bool good = true;

    surety_buf_init(&setting.reply, NULL, 0);
    take_options(&setting, (surety_str){"", 0});
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (golden_is(section, "replies")) {
            golden_begin(golden, section);
            good = put_replies(&setting, section->body, &golden->made) && good;
        } else {
            golden_keep(golden, section);
        }
        if (golden_is(section, "options"))
            take_options(&setting, section->body);
    }
    surety_buf_done(&setting.reply);
    surety_doc_free(setting.doc);
    surety_finder_free(setting.lazy);
    surety_finder_free(setting.finder);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
