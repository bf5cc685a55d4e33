/* SPDX-License-Identifier: Apache-2.0 */
/* repair_laws.c: what must hold of every reply, whatever is expected of it and
 * whatever comes of it. Each law is tried at every level that it speaks of; a
 * law that is broken is reported with the case, and counted. What is made of
 * the reply by damaging it has to keep the laws too. */
#include "json/json.h"
#include "suite/repair_suite.h"

#include <stdio.h>
#include <string.h>

enum { PREFIXES_OF = 400 }; /* longer replies are not cut at every byte */
enum { DAMAGED = 8 };       /* replies made of each, for the laws alone */

/* The laws. ORDER laws. */
enum law {
    LAW_VALID,
    LAW_HONEST,
    LAW_SETTLED,
    LAW_STRICT,
    LAW_LEVELS,
    LAW_STREAM,
    LAW_VERDICT,
    LAW_CUT,
    LAW_PREFIX,
    LAW_PUSH,
    LAW_SNAPSHOT,
    LAWS
};
static const char *const law_names[LAWS] = {
    "what comes out is strict JSON and satisfies the contract",
    "without a repair, the text is JSON and equals the value",
    "what comes out comes out again, without a repair",
    "what is valid without repair stays as it is",
    "no level does more than it may",
    "however it is streamed, the outcome is that of the whole",
    "a stream's no means that the outcome is no",
    "what a provider cut off is not closed",
    "a prefix that ends amid a value is no value",
    "however it is pushed, the reader reads the same",
    "what a snapshot shows as complete stays as it is",
};

static struct laws {
    size_t broken[LAWS];
    surety_stream *stream; /* of the case that is tried */
} laws;

static void law_broken(const struct trial *trial, enum law law,
                       const char *what)
{
    laws.broken[law]++;
    printf("# law broken: %s: %s: %s\n", trial->id, law_names[law], what);
    repair_show("input   ", trial->input);
}

/* ---- laws ---------------------------------------------------------------- */

static surety_outcome *judge_trial(const struct trial *trial,
                                   const struct way *way)
{
    return repair_judge(trial, trial->contract, trial->input, way);
}

static void law_valid_settled(const struct trial *trial,
                              const surety_outcome *outcome)
{
    static const char any[] = "true";
    const struct way way = {.level = SURETY_REPAIR_ALIGN};
    const bool partial = surety_outcome_info_of(outcome)->partial;
    surety_contract *contract = NULL;
    surety_doc *doc = surety_doc_new(NULL);
    surety_outcome *again;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    surety_val_write(surety_outcome_info_of(outcome)->value,
                     SURETY_STYLE_COMPACT, &text);
    if (surety_doc_read(doc, surety_buf_str(&text), NULL, NULL))
        law_broken(trial, LAW_VALID, "it is no JSON");
    else if (!partial && !repair_satisfies(trial, surety_doc_root(doc)))
        law_broken(trial, LAW_VALID, "it breaks the contract");
    /* What is partial need not satisfy the contract yet. */
    if (partial && surety_contract_read(surety_str_of(any), NULL, &contract,
                                        NULL) != SURETY_OK)
        suite_die("no contract", any);
    again = repair_judge(trial, partial ? contract : trial->contract,
                         surety_buf_str(&text), &way);
    if (!surety_outcome_info_of(again)->ok ||
        !surety_val_equal(surety_outcome_info_of(again)->value,
                          surety_doc_root(doc)))
        law_broken(trial, LAW_SETTLED, "another value");
    else if (surety_outcome_info_of(again)->repaired_count)
        law_broken(trial, LAW_SETTLED, "repaired once more");
    surety_outcome_free(again);
    surety_contract_free(contract);
    surety_buf_done(&text);
    surety_doc_free(doc);
}

static bool is_text_of(surety_str text, surety_val val)
{
    surety_doc *doc = surety_doc_new(NULL);
    const bool same = surety_doc_read(doc, text, NULL, NULL) == SURETY_OK &&
                      surety_val_equal(surety_doc_root(doc), val);

    surety_doc_free(doc);
    return same;
}

/* A candidate in a quotation or list has a text without the markup. */
static bool is_stripped_text_of(const struct trial *trial, size_t start,
                                surety_val val)
{
    surety_finder *finder = surety_finder_new(NULL);
    bool same = false;

    if (!finder || surety_finder_find(finder, trial->input, NULL, NULL, NULL))
        suite_die("cannot look into", trial->id);
    for (size_t i = 0; i < surety_finder_count(finder) && !same; i++) {
        const surety_candidate candidate = surety_finder_at(finder, i);

        same = candidate.stripped && candidate.start == start &&
               is_text_of(candidate.text, val);
    }
    surety_finder_free(finder);
    return same;
}

static void law_honest(const struct trial *trial, const surety_outcome *outcome)
{
    const size_t start = surety_outcome_info_of(outcome)->start;
    const size_t end = surety_outcome_info_of(outcome)->end;
    const surety_val val = surety_outcome_info_of(outcome)->value;
    size_t i;

    for (i = 0; i < surety_outcome_info_of(outcome)->repaired_count; i++) {
        const surety_repaired repaired = surety_outcome_repaired(outcome, i);

        if (!repaired.kind || !*repaired.kind)
            law_broken(trial, LAW_HONEST, "a repair without a kind");
        else if (repaired.position.offset + repaired.position.length >
                 trial->input.len)
            law_broken(trial, LAW_HONEST, "a repair outside of the reply");
    }
    if (i || surety_outcome_info_of(outcome)->partial)
        return;
    if (start > end || end > trial->input.len)
        law_broken(trial, LAW_HONEST, "the span is outside of the reply");
    else if (!is_text_of((surety_str){trial->input.ptr + start, end - start},
                         val) &&
             !is_stripped_text_of(trial, start, val))
        law_broken(trial, LAW_HONEST, "changed, and no repair told");
}

/* What is valid without repair stays; unless something comes of an earlier
 * place (a block that is never closed), or the repair is of a larger value that
 * it is a part of. */
static bool may_go_first(const surety_outcome *outcome,
                         const surety_outcome *strict)
{
    const size_t start = surety_outcome_info_of(outcome)->start;
    const size_t end = surety_outcome_info_of(outcome)->end;

    return surety_outcome_info_of(outcome)->place <
               surety_outcome_info_of(strict)->place ||
           (surety_outcome_info_of(outcome)->repaired_count &&
            start <= surety_outcome_info_of(strict)->start &&
            end >= surety_outcome_info_of(strict)->end &&
            end - start > surety_outcome_info_of(strict)->end -
                              surety_outcome_info_of(strict)->start);
}

static void law_strict(const struct trial *trial, const surety_outcome *strict,
                       const struct way *way)
{
    surety_outcome *outcome = judge_trial(trial, way);

    if (!surety_outcome_info_of(outcome)->ok) {
        /* A value in prose may turn out to be a part of one that is cut off or
         * beyond repair, and then it is not the answer. */
        if (surety_outcome_info_of(strict)->place != SURETY_PLACE_EMBEDDED ||
            surety_outcome_info_of(outcome)->stage != SURETY_STAGE_JSON_PARSE)
            law_broken(trial, LAW_STRICT, "refused with repair");
    } else if (!may_go_first(outcome, strict) &&
               (surety_outcome_info_of(outcome)->repaired_count ||
                !surety_val_equal(surety_outcome_info_of(outcome)->value,
                                  surety_outcome_info_of(strict)->value))) {
        law_broken(trial, LAW_STRICT, "changed with repair");
    }
    surety_outcome_free(outcome);
}

static void law_levels(const struct trial *trial)
{
    static const struct way ways[] = {
        {.level = SURETY_REPAIR_NONE},
        {.level = SURETY_REPAIR_NONE, .certain_only = true},
        {.level = SURETY_REPAIR_SYNTAX},
        {.level = SURETY_REPAIR_SYNTAX, .certain_only = true},
        {.level = SURETY_REPAIR_ALIGN, .certain_only = true},
    };

    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        surety_outcome *outcome = judge_trial(trial, &ways[i]);
        const size_t count = surety_outcome_info_of(outcome)->repaired_count;
        const bool ok = surety_outcome_info_of(outcome)->ok;

        if (ways[i].level == SURETY_REPAIR_NONE && count)
            law_broken(trial, LAW_LEVELS, "a repair where none is allowed");
        if (ways[i].certain_only && repair_likely(outcome))
            law_broken(trial, LAW_LEVELS, "a likely repair");
        for (size_t k = 0; k < count && ways[i].level == SURETY_REPAIR_SYNTAX;
             k++)
            if (surety_outcome_repaired(outcome, k).cost)
                law_broken(trial, LAW_LEVELS, "syntax changes the value");
        if (ok &&
            !repair_satisfies(trial, surety_outcome_info_of(outcome)->value))
            law_broken(trial, LAW_LEVELS, "the value breaks the contract");
        surety_outcome_free(outcome);
    }
}

/* Streams the reply and says whether a verdict came that it cannot do. */
static bool stream_reply(const struct trial *trial, size_t chunk,
                         const surety_judge_options *options,
                         const surety_outcome **ret_outcome)
{
    surety_str rest = trial->input;
    surety_error error = {.message = "no reason"};
    bool no = false;

    if (surety_stream_begin(laws.stream, trial->contract, options, false,
                            &error))
        suite_die("cannot begin to stream", error.message);
    while (rest.len) {
        const size_t len = rest.len < chunk ? rest.len : chunk;

        if (surety_stream_feed(laws.stream, (surety_str){rest.ptr, len},
                               &error))
            suite_die("cannot stream", error.message);
        no |= surety_stream_info_of(laws.stream)->state == SURETY_STREAM_NO;
        rest = (surety_str){rest.ptr + len, rest.len - len};
    }
    if (surety_stream_finish(laws.stream, NULL, ret_outcome, &error))
        suite_die("cannot finish the stream", error.message);
    return no;
}

static void law_stream(const struct trial *trial, const struct way *way)
{
    static const size_t chunks[] = {1, 2, 3, 7, 64, SIZE_MAX};
    const surety_judge_options options = repair_options(way);
    surety_outcome *whole = judge_trial(trial, way);
    surety_buf want, got;

    surety_buf_init(&want, NULL, 0);
    surety_buf_init(&got, NULL, 0);
    surety_outcome_write(whole, SURETY_REPORT_JSON, (surety_str){NULL, 0}, 0,
                         &want);
    for (size_t i = 0; i < sizeof(chunks) / sizeof(*chunks); i++) {
        const surety_outcome *outcome = NULL;
        const bool no = stream_reply(trial, chunks[i], &options, &outcome);
        char what[64];

        surety_buf_reset(&got);
        surety_outcome_write(outcome, SURETY_REPORT_JSON, (surety_str){NULL, 0},
                             0, &got);
        snprintf(what, sizeof(what), "level %d, chunks of %zu", (int)way->level,
                 chunks[i] == SIZE_MAX ? 0 : chunks[i]);
        if (!surety_str_equal(surety_buf_str(&want), surety_buf_str(&got)))
            law_broken(trial, LAW_STREAM, what);
        if (no && surety_outcome_info_of(outcome)->ok)
            law_broken(trial, LAW_VERDICT, what);
    }
    surety_buf_done(&want);
    surety_buf_done(&got);
    surety_outcome_free(whole);
}

static size_t trimmed_len(surety_str text)
{
    while (text.len && strchr(" \t\r\n", text.ptr[text.len - 1]))
        text.len--;
    return text.len;
}

static void law_cut(const struct trial *trial)
{
    const struct way way = {.level = SURETY_REPAIR_ALIGN, .cut = true};
    surety_outcome *outcome = judge_trial(trial, &way);
    const size_t end = trimmed_len(trial->input);

    for (size_t i = 0; i < surety_outcome_info_of(outcome)->repaired_count;
         i++) {
        const surety_repaired repaired = surety_outcome_repaired(outcome, i);

        if (surety_outcome_info_of(outcome)->ok &&
            strcmp(repaired.kind, "missing-close") == 0 &&
            repaired.position.offset >= end)
            law_broken(trial, LAW_CUT, "a bracket is closed at the end");
    }
    surety_outcome_free(outcome);
}

/* Whether text, a prefix of strict JSON, ends where what is there is no value:
 * in a string, behind a key, colon, comma or opening bracket, in a literal. A
 * number at the end may be whole, and closing brackets alone may be missing:
 * others judge that. */
static bool ends_amid(surety_str text)
{
    char open[PREFIXES_OF] = {0};
    size_t depth = 0;
    bool string = false, key = false;
    char last = '\0';

    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];

        if (string && byte == '\\') {
            i++;
        } else if (byte == '"') {
            if (!string)
                key = depth && open[depth - 1] == '{' &&
                      (last == '{' || last == ',');
            string = !string;
            last = '"';
        } else if (!string && !strchr(" \t\r\n", byte)) {
            if (byte == '{' || byte == '[')
                open[depth++] = byte;
            else if ((byte == '}' || byte == ']') && depth)
                depth--;
            last = byte;
        }
    }
    if (string) /* "x} may be "x"} without its quote */
        return !strchr("}]", text.ptr[text.len - 1]);
    return strchr("{[:,", last) || (last == '"' && key) ||
           (last >= 'a' && last <= 'z');
}

/* Whether the literal at the end of text has all its letters. */
static bool ends_whole_literal(surety_str text)
{
    static const char *const literals[] = {"true", "false", "null"};
    const size_t len = trimmed_len(text);

    for (size_t i = 0; i < sizeof(literals) / sizeof(*literals); i++) {
        const size_t need = strlen(literals[i]);

        if (len >= need &&
            memcmp(text.ptr + len - need, literals[i], need) == 0)
            return true;
    }
    return false;
}

/* Cuts a reply that is JSON and nothing else at every byte. */
static void law_prefix(const struct trial *trial, const surety_outcome *strict)
{
    const struct way ways[] = {{.level = SURETY_REPAIR_ALIGN},
                               {.level = SURETY_REPAIR_ALIGN, .cut = true}};
    const surety_kind kind =
        surety_val_kind(surety_outcome_info_of(strict)->value);
    const size_t start = surety_outcome_info_of(strict)->start;

    if (surety_outcome_info_of(strict)->place != SURETY_PLACE_WHOLE ||
        (kind != SURETY_KIND_OBJECT && kind != SURETY_KIND_ARRAY) ||
        trial->input.len > PREFIXES_OF)
        return;
    for (size_t len = start + 1; len < surety_outcome_info_of(strict)->end;
         len++) {
        const surety_str prefix = {trial->input.ptr, len};
        const surety_str value = {trial->input.ptr + start, len - start};
        const bool amid = ends_amid(value) && !ends_whole_literal(value);

        /* Where the provider says that it cut, every prefix is cut. */
        for (size_t i = amid ? 0 : 1; i < 2; i++) {
            surety_outcome *outcome =
                repair_judge(trial, trial->contract, prefix, &ways[i]);

            if (surety_outcome_info_of(outcome)->ok) {
                char what[64];

                snprintf(what, sizeof(what), "%s the first %zu bytes",
                         i ? "as cut," : "", len);
                law_broken(trial, LAW_PREFIX, what);
            }
            surety_outcome_free(outcome);
        }
    }
}

/* ---- the reader, pushed -------------------------------------------------- */

/* The first byte of the reply at which a container may begin. */
static surety_str text_of(const struct trial *trial)
{
    surety_str text = trial->input;

    while (text.len && text.ptr[0] != '{' && text.ptr[0] != '[')
        text = (surety_str){text.ptr + 1, text.len - 1};
    return text.len ? text : trial->input;
}

/* What comes of a reading, for comparing. */
static void put_reading(surety_buf *out, const surety_doc *doc,
                        surety_status status, size_t end)
{
    surety_buf_text(out, surety_status_name(status));
    if (status != SURETY_OK && status != SURETY_END)
        return;
    surety_buf_byte(out, ' ');
    if (status == SURETY_OK)
        surety_buf_number(out, end);
    surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, out);
    for (size_t i = 0; i < surety__doc_repair_count(doc); i++) {
        const surety__repair_view repair = surety__doc_repair(doc, i);

        surety_buf_byte(out, '\n');
        surety_buf_text(out, repair.kind);
        surety_buf_byte(out, repair.likely ? '?' : '!');
        surety_buf_number(out, repair.offset);
        surety_json_string(out, repair.original);
        surety_json_string(out, repair.read);
    }
}

static surety_status push(surety_lenient *reader, surety_doc *doc,
                          surety_str text, size_t chunk, size_t *ret_end)
{
    const surety__lenient_options options = {.strict = false};
    surety_status status = surety__lenient_begin(reader, doc, &options, NULL);

    while (!status && text.len) {
        const size_t len = text.len < chunk ? text.len : chunk;

        status = surety_lenient_feed(reader, (surety_str){text.ptr, len}, NULL);
        text = (surety_str){text.ptr + len, text.len - len};
    }
    return status == SURETY_OK || status == SURETY_END
               ? surety_lenient_finish(reader, ret_end, NULL)
               : status;
}

static void law_push(const struct trial *trial)
{
    static const size_t chunks[] = {1, 3, 64, SIZE_MAX};
    const surety__lenient_options options = {.strict = false};
    const surety_str text = text_of(trial);
    surety_lenient *reader = surety_lenient_new(NULL);
    surety_doc *doc = surety_doc_new(NULL);
    surety_buf want, got;
    size_t end = 0;
    surety_status status =
        surety__doc_read_lenient(doc, text, &options, &end, NULL);

    surety_buf_init(&want, NULL, 0);
    surety_buf_init(&got, NULL, 0);
    put_reading(&want, doc, status, end);
    for (size_t i = 0; i < sizeof(chunks) / sizeof(*chunks); i++) {
        status = push(reader, doc, text, chunks[i], &end);
        surety_buf_reset(&got);
        put_reading(&got, doc, status, end);
        if (!surety_str_equal(surety_buf_str(&want), surety_buf_str(&got))) {
            law_broken(trial, LAW_PUSH, "another reading");
            repair_show("whole   ", surety_buf_str(&want));
            repair_show("pushed  ", surety_buf_str(&got));
            break;
        }
    }
    surety_buf_done(&want);
    surety_buf_done(&got);
    surety_lenient_free(reader);
    surety_doc_free(doc);
}

/* Whether a member of the same name is behind this one. */
static bool is_replaced(surety_val object, surety_val member)
{
    const surety_str name = surety_val_str(surety_val_key(member));

    while ((member = surety_val_next(object, member)).doc)
        if (surety_str_equal(surety_val_str(surety_val_key(member)), name))
            return true;
    return false;
}

static bool stays(surety_val earlier, surety_val later);

/* Whether a member of the earlier object is so in the later. */
static bool stays_member(surety_val member, surety_val later)
{
    const surety_str name = surety_val_str(surety_val_key(member));

    for (surety_val b = surety_val_first(later); b.doc;
         b = surety_val_next(later, b))
        if (surety_str_equal(surety_val_str(surety_val_key(b)), name) &&
            stays(member, b))
            return true;
    return false;
}

/* Whether what is complete in the earlier snapshot is so in the later. Names
 * that stand twice are listed twice until their object ends, and an open scalar
 * may turn out to be something else: the key of a member, or nothing. */
static bool stays(surety_val earlier, surety_val later)
{
    const surety_kind kind = surety_val_kind(earlier);
    surety_val a = surety_val_first(earlier), b = surety_val_first(later);

    if (!surety_val_is_open(earlier))
        return !surety_val_is_open(later) && surety_val_equal(earlier, later);
    if (surety_val_kind(later) != kind)
        return !a.doc || (surety_val_is_open(a) && surety_val_count(a) == 0);
    for (; a.doc; a = surety_val_next(earlier, a)) {
        if (kind == SURETY_KIND_OBJECT && is_replaced(earlier, a))
            continue;
        if (surety_val_is_open(a) && surety_val_kind(a) < SURETY_KIND_ARRAY)
            break; /* it is the last */
        if (kind == SURETY_KIND_OBJECT ? !stays_member(a, later)
                                       : !b.doc || !stays(a, b))
            return false;
        if (kind == SURETY_KIND_ARRAY)
            b = surety_val_next(later, b);
    }
    return true;
}

/* Two readers, one of them a byte ahead. */
static void law_snapshot(const struct trial *trial)
{
    const surety__lenient_options options = {.strict = false};
    const surety_str text = text_of(trial);
    surety_lenient *readers[2] = {surety_lenient_new(NULL),
                                  surety_lenient_new(NULL)};
    surety_doc *docs[2] = {surety_doc_new(NULL), surety_doc_new(NULL)};
    surety_status status = SURETY_OK;

    for (int i = 0; i < 2; i++)
        status = surety__lenient_begin(readers[i], docs[i], &options, NULL);
    for (size_t at = 0; !status && at < text.len && text.len <= PREFIXES_OF;
         at++) {
        surety_val roots[2] = {surety_val_none(), surety_val_none()};

        status = surety_lenient_feed(readers[1], (surety_str){text.ptr + at, 1},
                                     NULL);
        if (status)
            break;
        for (int i = 0; i < 2; i++)
            surety_lenient_snapshot(readers[i], &roots[i], NULL);
        if (roots[0].doc && (!roots[1].doc || !stays(roots[0], roots[1]))) {
            char what[64];

            snprintf(what, sizeof(what), "after %zu bytes", at + 1);
            law_broken(trial, LAW_SNAPSHOT, what);
            break;
        }
        status = surety_lenient_feed(readers[0], (surety_str){text.ptr + at, 1},
                                     NULL);
    }
    for (int i = 0; i < 2; i++) {
        surety_lenient_free(readers[i]);
        surety_doc_free(docs[i]);
    }
}

/* ---- all ----------------------------------------------------------------- */

static void run_laws(const struct trial *trial)
{
    const struct way none = {.level = SURETY_REPAIR_NONE};
    const struct way syntax = {.level = SURETY_REPAIR_SYNTAX};
    const struct way align = {.level = SURETY_REPAIR_ALIGN};
    const struct way partial = {.level = SURETY_REPAIR_ALIGN, .partial = true};
    surety_outcome *strict = judge_trial(trial, &none);

    laws.stream = surety_stream_new(NULL, NULL);
    if (!laws.stream)
        suite_die("out of memory", trial->id);
    for (int i = 0; i < 2; i++) {
        surety_outcome *outcome = judge_trial(trial, i ? &partial : &align);

        if (surety_outcome_info_of(outcome)->ok) {
            law_valid_settled(trial, outcome);
            law_honest(trial, outcome);
        }
        surety_outcome_free(outcome);
    }
    if (surety_outcome_info_of(strict)->ok) {
        law_strict(trial, strict, &syntax);
        law_strict(trial, strict, &align);
        law_prefix(trial, strict);
    }
    law_levels(trial);
    law_stream(trial, &none);
    law_stream(trial, &syntax);
    law_stream(trial, &align);
    law_stream(trial, &partial);
    law_cut(trial);
    law_push(trial);
    law_snapshot(trial);
    surety_stream_free(laws.stream);
    surety_outcome_free(strict);
}

/* The next of a row of numbers that is the same in every run. */
static uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Damages text as a model, a network or an editor might: a byte is lost, told
 * twice, replaced, or a mark comes in, one to three times. */
static void damage(surety_str text, uint32_t *state, surety_buf *out)
{
    static const char marks[] = "\"'{}[]:,\\/*\n`.-0a \xe2";

    surety_buf_reset(out);
    surety_buf_add(out, text);
    for (uint32_t times = draw(state) % 3 + 1; times && out->len; times--) {
        const size_t at = draw(state) % out->len;
        const char mark = marks[draw(state) % (sizeof(marks) - 1)];
        const char byte = out->ptr[at];

        switch (draw(state) % 4) {
        case 0:
            memmove(out->ptr + at, out->ptr + at + 1, out->len - at - 1);
            out->len--;
            break;
        case 1: out->ptr[at] = mark; break;
        default:
            surety_buf_byte(out, ' ');
            memmove(out->ptr + at + 1, out->ptr + at, out->len - at - 1);
            out->ptr[at] = draw(state) % 2 ? mark : byte;
        }
    }
    if (out->status)
        suite_die("out of memory", "a reply");
}

void repair_laws_run(const struct trial *trial)
{
    struct trial damaged = *trial;
    uint32_t state = 2463534242u;
    surety_buf reply;

    run_laws(trial);
    surety_buf_init(&reply, NULL, 0);
    for (const char *at = trial->id; *at; at++)
        state = (state ^ (unsigned char)*at) * 16777619u;
    state |= 1;
    for (int i = 0; i < DAMAGED; i++) {
        damage(trial->input, &state, &reply);
        damaged.input = surety_buf_str(&reply);
        run_laws(&damaged);
    }
    surety_buf_done(&reply);
}

const char *repair_laws_take(size_t i, size_t *ret_broken)
{
    if (i >= LAWS)
        return NULL;
    *ret_broken = laws.broken[i];
    laws.broken[i] = 0;
    return law_names[i];
}
