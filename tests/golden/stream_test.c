/* SPDX-License-Identifier: Apache-2.0 */
/* Replies that are still being written, as text to be read.
 *
 *     stream_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case with sections:
 *
 *     === contract     the contract
 *     === options      a line each: native, repair LEVEL, certain-only,
 *                      keep-reasoning, pick-last, extract PLACE...,
 *                      marker TEXT, partial, end-cut, limit NAME N
 *     === pieces       what comes, a piece a line: its text between bars, in
 *                      which \r \n \t \\ and \xNN stand for bytes; "N |TEXT|"
 *                      is N times the text, in one piece
 * and what must come:
 *     === seen         of each piece: what is known behind it, and the value
 *     === end          the report of the whole
 *
 * Whatever the pieces, the end is that of the whole reply: each case is also
 * fed as one piece and byte by byte, and judged by the judge. With --update
 * what must come is written anew. */
#include "base/base.h"

#include "extract/extract.h"
#include "golden/cases.h"

#include <stdio.h>

struct setting {
    bool native;
    surety_judge_options judge;
    surety_judge_options end;
    surety_extract extract;
    surety_repair repair;
    surety_limits limits;
    surety_contract *contract;
};

/* ---- reading a case ------------------------------------------------------ */

static bool option_places(struct setting *setting, surety_str text)
{
    surety_extract *extract = &setting->extract;

    while (text.len && extract->from_count < SURETY_PLACES) {
        const size_t len = surety__str_find(text, SURETY__LITERAL(" "));
        const size_t taken = len + (len < text.len);

        extract->from[extract->from_count++] =
            surety__place_of((surety_str){text.ptr, len});
        text.ptr += taken;
        text.len -= taken;
    }
    return !text.len;
}

static bool option_limit(struct setting *setting, surety_str text)
{
    const size_t len = surety__str_find(text, SURETY__LITERAL(" "));

    return len < text.len &&
           surety_limits_set(
               &setting->limits, (surety_str){text.ptr, len},
               (surety_str){text.ptr + len + 1, text.len - len - 1},
               NULL) == SURETY_OK;
}

static bool option(struct setting *setting, surety_str line)
{
    surety_judge_options *judge = &setting->judge;

    if (surety_str_equal(line, SURETY__LITERAL("native")))
        setting->native = true;
    else if (surety_str_equal(line, SURETY__LITERAL("certain-only")))
        judge->certain_only = true;
    else if (surety_str_equal(line, SURETY__LITERAL("partial")))
        judge->partial = true;
    else if (surety_str_equal(line, SURETY__LITERAL("end-cut")))
        setting->end.cut = true;
    else if (surety_str_equal(line, SURETY__LITERAL("keep-reasoning")))
        setting->extract.keep_reasoning = true;
    else if (surety_str_equal(line, SURETY__LITERAL("pick-last")))
        setting->extract.pick_last = true;
    else if (golden_take(&line, "marker "))
        setting->extract.marker = line;
    else if (golden_take(&line, "extract "))
        return option_places(setting, line);
    else if (golden_take(&line, "limit "))
        return option_limit(setting, line);
    else if (golden_take(&line, "repair "))
        setting->repair = line.ptr[0] == 'a'   ? SURETY_REPAIR_ALIGN
                          : line.ptr[0] == 's' ? SURETY_REPAIR_SYNTAX
                                               : SURETY_REPAIR_NONE;
    else
        return false;
    return true;
}

static bool setting_read(const struct golden *golden, struct setting *setting)
{
    surety_str rest = golden_body(golden, "options");
    surety_error err = {.status = SURETY_OK};
    surety_str line;
    bool good = true;

    *setting = (struct setting){
        .judge = {.size = sizeof(setting->judge)},
        .extract = {.size = sizeof(setting->extract)},
        .limits = {.size = sizeof(setting->limits)},
    };
    good = surety_contract_read(golden_body(golden, "contract"), NULL,
                                &setting->contract, &err) == SURETY_OK;
    if (!good) {
        printf("# contract: %s (%s)\n", err.message, err.path);
        return false;
    }
    setting->extract = *surety_contract_info_of(setting->contract)->extract;
    setting->repair = surety_contract_info_of(setting->contract)->repair;
    if (surety__str_find(rest, SURETY__LITERAL("extract ")) < rest.len)
        setting->extract.from_count = 0;
    while (golden_line(&rest, &line))
        if (!option(setting, line)) {
            printf("# an option means nothing: %.*s\n", (int)line.len,
                   line.ptr);
            good = false;
        }
    setting->judge.extract = &setting->extract;
    setting->judge.repair = &setting->repair;
    return good;
}

/* The text of a line of pieces. */
static void piece_of(surety_str line, surety_buf *out)
{
    size_t count = 0;
    surety_str text;
    size_t at = 0;

    for (; at < line.len && line.ptr[at] >= '0' && line.ptr[at] <= '9'; at++)
        count = count * 10 + (size_t)(line.ptr[at] - '0');
    at += at > 0;
    text = (surety_str){line.ptr + at + 1, line.len - at - 2};
    surety_buf_reset(out);
    do {
        golden_unescape(text, out);
    } while (count-- > 1);
}

/* ---- what is seen -------------------------------------------------------- */

/* A value, its beginning where it is long. */
static void tell_value(surety_val value, surety_buf *out)
{
    enum { SHOWN_MAX = 200 };
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    (void)surety_val_write(value, SURETY_STYLE_COMPACT, &text);
    if (text.len > SHOWN_MAX) {
        surety__buf_printf(out, "%zu bytes: ", text.len);
        text.len = SHOWN_MAX;
    }
    surety_buf_add(out, surety_buf_str(&text));
    surety_buf_byte(out, '\n');
    surety_buf_done(&text);
}

static void tell_seen(const surety_stream *stream, surety_buf *out)
{
    const surety_issue finding = surety_stream_info_of(stream)->finding;
    const surety_val value = surety_stream_info_of(stream)->value;

    surety__buf_printf(
        out, "  %s",
        surety_stream_state_name(surety_stream_info_of(stream)->state));
    if (value.doc) {
        surety_buf_text(out, surety_val_is_open(value) ? ", so far " : ", ");
        tell_value(value, out);
    } else {
        surety_buf_byte(out, '\n');
    }
    if (!finding.keyword.len)
        return;
    surety__buf_printf(
        out, "    %zu:%zu, byte %zu, %zu long: %.*s at \"%.*s\", %.*s\n",
        (size_t)finding.position.line, (size_t)finding.position.column,
        finding.position.offset, finding.position.length,
        (int)finding.keyword.len, finding.keyword.ptr,
        (int)finding.instance_location.len,
        finding.instance_location.len ? finding.instance_location.ptr : "",
        (int)finding.keyword_location.len,
        finding.keyword_location.len ? finding.keyword_location.ptr : "");
    surety__buf_printf(out, "    %.*s", (int)finding.message.len,
                       finding.message.ptr);
    if (finding.hint.len)
        surety__buf_printf(out, "; %.*s", (int)finding.hint.len,
                           finding.hint.ptr);
    surety_buf_byte(out, '\n');
}

/* The report of what the stream came to, or why there is none. */
static void tell_end(struct setting *setting, surety_stream *stream,
                     surety_buf *out)
{
    surety_judge_options end = setting->judge;
    const surety_outcome *outcome = NULL;
    surety_error err = {.status = SURETY_OK};

    end.cut = setting->end.cut;
    if (surety_stream_finish(stream, &end, &outcome, &err) != SURETY_OK) {
        surety__buf_printf(out, "%s: %s\n", surety_status_name(err.status),
                           err.message);
        return;
    }
    (void)surety_outcome_write(outcome, SURETY_REPORT_TEXT,
                               SURETY__LITERAL("reply"), 0, out);
    if (surety_outcome_info_of(outcome)->value.doc)
        tell_value(surety_outcome_info_of(outcome)->value, out);
}

/* ---- feeding ------------------------------------------------------------- */

static surety_status feed(surety_stream *stream, surety_str text, size_t step)
{
    surety_status status = SURETY_OK;

    for (size_t at = 0; at < text.len && status == SURETY_OK; at += step) {
        const size_t left = text.len - at;

        status = surety_stream_feed(
            stream, (surety_str){text.ptr + at, left < step ? left : step},
            NULL);
    }
    return status;
}

/* What comes of all of it, fed in pieces of `step` bytes. */
static bool ends_alike(struct setting *setting, surety_str all, size_t step,
                       surety_str want)
{
    surety_stream *stream = surety_stream_new(NULL, &setting->limits);
    surety_buf made;
    bool same;

    surety_buf_init(&made, NULL, 0);
    same = surety_stream_begin(stream, setting->contract, &setting->judge,
                               setting->native, NULL) == SURETY_OK &&
           feed(stream, all, step) == SURETY_OK;
    if (same)
        tell_end(setting, stream, &made);
    same = same && surety_str_equal(surety_buf_str(&made), want);
    if (!same)
        printf("# in pieces of %zu bytes it ends otherwise: %.*s\n", step,
               (int)made.len, made.len ? made.ptr : "");
    surety_buf_done(&made);
    surety_stream_free(stream);
    return same;
}

/* Feeds the pieces; appends what is seen, and gives back all that came. */
static void feed_pieces(surety_stream *stream, surety_str pieces,
                        surety_buf *seen, surety_buf *all)
{
    surety_error err = {.status = SURETY_OK};
    surety_buf piece;
    surety_str line;

    surety_buf_init(&piece, NULL, 0);
    while (golden_line(&pieces, &line)) {
        piece_of(line, &piece);
        surety_buf_add(all, surety_buf_str(&piece));
        surety_buf_add(seen, line);
        surety_buf_byte(seen, '\n');
        if (surety_stream_feed(stream, surety_buf_str(&piece), &err) ==
            SURETY_OK)
            tell_seen(stream, seen);
        else
            surety__buf_printf(seen, "  %s: %s\n",
                               surety_status_name(err.status), err.message);
    }
    surety_buf_done(&piece);
}

static bool run_stream(struct golden *golden, struct setting *setting)
{
    surety_stream *stream = surety_stream_new(NULL, &setting->limits);
    surety_buf seen, end, all;
    bool good, whole; /* no piece was one too many */

    surety_buf_init(&seen, NULL, 0);
    surety_buf_init(&end, NULL, 0);
    surety_buf_init(&all, NULL, 0);
    good = surety_stream_begin(stream, setting->contract, &setting->judge,
                               setting->native, NULL) == SURETY_OK;
    feed_pieces(stream, golden_body(golden, "pieces"), &seen, &all);
    whole = surety_str_equal(surety_stream_info_of(stream)->reply,
                             surety_buf_str(&all));
    tell_end(setting, stream, &end);
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (golden_is(section, "seen")) {
            golden_begin(golden, section);
            surety_buf_add(&golden->made, surety_buf_str(&seen));
        } else if (golden_is(section, "end")) {
            golden_begin(golden, section);
            surety_buf_add(&golden->made, surety_buf_str(&end));
        } else {
            golden_keep(golden, section);
        }
    }
    if (good && whole)
        good =
            ends_alike(setting, surety_buf_str(&all), all.len,
                       surety_buf_str(&end)) &&
            ends_alike(setting, surety_buf_str(&all), 1, surety_buf_str(&end));
    surety_buf_done(&seen);
    surety_buf_done(&end);
    surety_buf_done(&all);
    surety_stream_free(stream);
    return good;
}

static bool run(struct golden *golden)
{
    struct setting setting;
    const bool good =
        setting_read(golden, &setting) && run_stream(golden, &setting);

    surety_contract_free(setting.contract);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
