/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant pass over one place: what the strict pass left, read as a model
 * may have meant it.
 *
 * Each region of the place (extract/region.c) is read by the tolerant reader,
 * checked, and, where the contract allows, aligned with the schema. Of those
 * that come out valid the best is the one that took least: nothing, then only
 * what leaves the meaning in no doubt, then guesses by their cost, then order
 * (the last first where the contract picks the last). Where none is valid by
 * itself and there are several values, all of them are the rows of one array,
 * or there is no value: one of them alone would be an array without the others.
 *
 * - A value that was cut off is never closed. It is a candidate that cannot be
 *   read. If nothing that came contradicts the schema, it is the answer that
 * was cut off: then no other is made valid by repairs. Where partial values are
 *   allowed it is one, and comes last.
 * - JSON that cannot be read is refused as a whole: no part of it counts.
 * - A whole reply in quotes or backticks that is no JSON is taken for a text
 *   only where no later place has a value.
 * - Only what is checked counts; alignment checks what it makes.
 * - What the strict pass has read is not read again: a value that breaks the
 *   schema is aligned in the doc that it was read to.
 * - Linear: the regions bound what is read, and CHECKS_MAX bounds how many
 *   values are checked. */
#include "align/align.h"
#include "reply/reply.h"

#include "schema/schema.h"

enum {
    REPAIR_LIKELY_COST = 4, /* of a likely repair of the text, among edits */
    REPAIR_LINE_MAX = 80    /* bytes of a line that is an answer by itself */
};

/* A pass over one place. */
struct repair {
    surety_judge *judge;
    surety__trial *trial; /* the region at hand */
    surety_place place;
    size_t checked;
    bool single; /* one value of several is valid by itself */
    /* The region at hand: */
    bool broken; /* is JSON that cannot be read; */
    bool aside;  /* is no candidate, but may be one value of several; */
    bool closed; /* was cut off, and is closed. */
};

static bool repair_expects(void *ctx, surety_str name)
{
    const surety_contract *contract = ctx;

    return surety__contract_expects(contract, name);
}

/* Whether the best trial's doc has the array or object that text begins with.
 * Where the strict reader takes it, the tolerant one reads the same. */
static bool repair_has_read(const surety_judge *judge, surety_str text)
{
    const surety__trial *best = judge->best;

    return best && !best->tolerant && best->stage == SURETY_STAGE_VALIDATION &&
           best->candidate.text.ptr == text.ptr &&
           surety_val_kind(surety_doc_root(best->doc)) >= SURETY_KIND_ARRAY;
}

/* Whether an object is good enough: then words are not what was asked
 * for. */
static surety_status repair_is_wide(const surety_judge *judge, bool *ret_wide,
                                    surety_error *reterr)
{
    surety_doc *doc = judge->completed; /* no value is complete yet */
    surety_status status;

    surety_build_begin(doc, NULL);
    surety_build_object(doc);
    surety_build_close(doc);
    status = surety_build_end(doc, reterr);
    return status == SURETY_OK
               ? surety_checker_check(judge->checker, judge->task.schema,
                                      surety_doc_root(doc), ret_wide, reterr)
               : status;
}

/* Whether a text that is cut off is the beginning of a literal. */
static bool repair_is_word(const surety_doc *doc)
{
    const surety_kind kind = surety_val_kind(surety_doc_root(doc));

    return kind == SURETY_KIND_BOOLEAN || kind == SURETY_KIND_NULL;
}

/* Reads text as tolerantly as the contract allows. OK: *ret_reading, and how
 * far it goes; NOMEM. */
static surety_status repair_read(const struct repair *pass, surety_str text,
                                 bool cut, surety__reading *ret_reading,
                                 size_t *ret_used)
{
    const surety_judge *judge = pass->judge;
    surety__trial *trial = pass->trial;
    union {
        const surety_contract *contract;
        void *ctx;
    } expects = {judge->task.contract};
    const surety__lenient_options options = {
        .strict = judge->task.repair == SURETY_REPAIR_NONE,
        .certain_only = judge->task.options.certain_only,
        .cut = cut,
        .expects = judge->task.contract->name_count ? repair_expects : NULL,
        .expects_ctx = expects.ctx,
        .limits = &judge->limits,
    };
    surety_status status;
    bool wide = false;

    *ret_reading = SURETY__READING_VALUE;
    if (repair_has_read(judge, text)) {
        const surety_str value = surety__str_trim(judge->best->candidate.text);

        trial->doc = judge->best->doc;
        *ret_used = (size_t)(value.ptr + value.len - text.ptr);
        return SURETY_OK;
    }
    assert(!judge->best || trial->doc != judge->best->doc);
    status = surety__doc_read_lenient(trial->doc, text, &options, ret_used,
                                      &trial->fault);
    if (status == SURETY_OK || status == SURETY_NOMEM)
        return status;
    *ret_reading =
        status == SURETY_END ? SURETY__READING_CUT : SURETY__READING_NONE;
    if (status == SURETY_END && repair_is_word(trial->doc)) {
        if (repair_is_wide(judge, &wide, NULL) != SURETY_OK)
            return SURETY_NOMEM;
        *ret_reading = wide ? SURETY__READING_NONE : *ret_reading;
    }
    *ret_used = status == SURETY_END ? text.len : trial->fault.position.offset;
    return SURETY_OK;
}

enum surety__repair_kind surety__repair_extra(const surety__trial *trial)
{
    surety_val val = surety_doc_root(trial->doc);

    if (trial->rows)
        SURETY_EACH (row, surety_doc_root(trial->doc))
            val = row; /* they are behind the last one */
    return surety__val_shifts(val) ? REPAIR_EXTRA_CLOSE_INSIDE
                                   : REPAIR_EXTRA_CLOSE;
}

/* What reading a trial's doc took. */
static void repair_rank(surety__trial *trial)
{
    const size_t likely = surety__doc_repair_likely(trial->doc) +
                          (trial->brackets && surety__repair_extra(trial) ==
                                                  REPAIR_EXTRA_CLOSE_INSIDE);
    const bool repaired = surety__doc_repair_count(trial->doc) > 0 ||
                          trial->wrapper || trial->brackets || trial->rows;

    trial->rank.repaired = likely     ? REPAIRED_LIKELY
                           : repaired ? REPAIRED_CERTAIN
                                      : REPAIRED_NOTHING;
    trial->rank.cost = (uint64_t)likely * REPAIR_LIKELY_COST;
}

/* The docs and the aligner that alignment takes. */
static bool repair_prepare(surety_judge *judge, surety__trial *trial)
{
    if (!trial->aligned)
        trial->aligned = surety_doc_new(judge->alloc);
    if (!trial->aligner)
        trial->aligner = surety__aligner_new(judge->alloc, &judge->limits);
    return trial->aligned && trial->aligner;
}

/* What came of aligning a trial. OK: it fits now; END: nothing makes it fit. */
static surety_status repair_aligned(surety_judge *judge, surety__trial *trial,
                                    surety_status status, surety_error *reterr)
{
    bool guesses;

    assert(trial->aligner && trial->tolerant);
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (status != SURETY_OK)
        return SURETY_END;
    guesses = surety__aligner_edits(trial->aligner)->likely > 0;
    if (guesses && judge->task.options.certain_only)
        return SURETY_END;
    trial->fits = true;
    trial->rank.cost += surety__aligner_edits(trial->aligner)->cost;
    if (guesses)
        trial->rank.repaired = REPAIRED_LIKELY;
    else if (trial->rank.repaired == REPAIRED_NOTHING)
        trial->rank.repaired = REPAIRED_CERTAIN;
    return SURETY_OK;
}

/* Only the brackets behind its value are a likely repair: the reader makes none
 * where certain ones are wanted. */
static void repair_refuse_extra(surety__trial *trial)
{
    const surety_str text = trial->candidate.text;
    const size_t at = text.len - trial->brackets;

    assert(trial->brackets && trial->brackets <= text.len);
    trial->stage = SURETY_STAGE_JSON_PARSE;
    surety__fail(&trial->fault, SURETY_SYNTAX, "%s",
                 surety__repair_kind_about(REPAIR_EXTRA_CLOSE_INSIDE));
    trial->fault.position = surety_position_at(text, at, trial->brackets);
}

/* Checks a trial that was read; aligns it where that may help. */
surety_status surety__repair_check(surety_judge *judge, surety__trial *trial,
                                   surety_error *reterr)
{
    const surety_schema *schema = judge->task.schema;
    const surety_val root = surety_doc_root(trial->doc);
    surety_status status;
    bool valid = false;

    assert(trial->tolerant && trial != judge->best);
    trial->stage = SURETY_STAGE_VALIDATION;
    repair_rank(trial);
    if (judge->task.options.certain_only &&
        trial->rank.repaired == REPAIRED_LIKELY) {
        repair_refuse_extra(trial);
        return SURETY_OK;
    }
    status = surety_checker_check(judge->checker, schema, root, &valid, reterr);
    if (status != SURETY_OK)
        return status;
    if (!valid && judge->task.repair == SURETY_REPAIR_ALIGN) {
        if (!repair_prepare(judge, trial))
            return surety__fail_nomem(reterr);
        status = surety__aligner_align(trial->aligner, schema, root,
                                       trial->aligned, NULL);
        status = repair_aligned(judge, trial, status, reterr);
        if (status != SURETY_OK && status != SURETY_END)
            return status;
        valid = status == SURETY_OK;
    }
    if (valid)
        return surety__trial_beyond(judge, trial, reterr);
    trial->counted = false;
    return SURETY_OK;
}

/* A candidate that the text's end cuts off. */
static surety_status repair_cut(surety_judge *judge, surety__trial *trial,
                                surety_error *reterr)
{
    surety_status status;
    bool good = false;

    assert(trial->tolerant);
    trial->cut = true;
    status = surety__partial_check(judge, trial, &good, reterr);
    if (status != SURETY_OK)
        return status;
    trial->promising = good;
    /* Where nothing has come there is nothing to be wrong with it. */
    if (!judge->task.partial || !surety_doc_root(trial->doc).doc) {
        surety__findings_reset(trial->findings);
        return SURETY_OK;
    }
    trial->rank.repaired = REPAIRED_PARTIAL;
    trial->stage = good ? SURETY_STAGE_DONE : SURETY_STAGE_VALIDATION;
    return SURETY_OK;
}

/* A text that is cut off, without the line ends behind it: the file that it was
 * saved in ends with one, and no string of JSON holds one as it is (RFC 8259,
 * section 7). */
static surety_str repair_begun(surety_str text)
{
    while (text.len > 1 && memchr("\r\n", text.ptr[text.len - 1], 2))
        text.len--;
    return text;
}

/* Reads a region to its end. Where partial values are asked for, a text that
 * lacks nothing but closing brackets is one, unless only alignment makes it
 * fit: then it is closed, and closed says that it was. */
static surety_status repair_read_to(struct repair *pass,
                                    const surety__region *region,
                                    surety__reading *ret_reading,
                                    size_t *ret_used, surety_error *reterr)
{
    surety_judge *judge = pass->judge;
    const bool cut = judge->task.options.cut && region->last;
    const surety_str text = judge->task.partial && region->last
                                ? repair_begun(region->text)
                                : region->text;
    surety_status status;
    bool good = false;

    pass->closed = false;
    if (judge->task.partial && region->last && !cut) {
        status = repair_read(pass, text, true, ret_reading, ret_used);
        if (status != SURETY_OK)
            return surety__fail_nomem(reterr);
        if (*ret_reading != SURETY__READING_CUT)
            return SURETY_OK;
        *ret_used = region->text.len;
        status = surety__partial_check(judge, pass->trial, &good, reterr);
        if (status != SURETY_OK || good)
            return status;
        pass->closed = true;
    }
    status = repair_read(pass, text, cut, ret_reading, ret_used);
    if (*ret_reading == SURETY__READING_CUT)
        *ret_used = region->text.len;
    pass->closed = pass->closed && *ret_reading == SURETY__READING_VALUE;
    return status == SURETY_OK ? status : surety__fail_nomem(reterr);
}

/* Whether the reader closed what the text does not close. */
static bool repair_closes(const surety_doc *doc)
{
    for (size_t i = 0; i < doc->repairs.count; i++)
        if (doc->repairs.items[i].kind == REPAIR_MISSING_CLOSE)
            return true;
    return false;
}

/* Says why a text is no JSON. OK, NOMEM. */
static surety_status repair_blame(surety_judge *judge, surety__trial *trial,
                                  surety_str text)
{
    const surety_read_options options = {
        .size = sizeof(options),
        .flags = SURETY_READ_BORROW,
        .limits = &judge->limits,
    };

    return surety_doc_read(trial->doc, text, &options, &trial->fault) ==
                   SURETY_NOMEM
               ? SURETY_NOMEM
               : SURETY_OK;
}

/* The same for a region of the finder's: a value that is closed too early is
 * none. */
static surety_status repair_read_closed(struct repair *pass,
                                        const surety__region *region,
                                        surety__reading *ret_reading,
                                        size_t *ret_used, surety_error *reterr)
{
    surety_judge *judge = pass->judge;
    const surety_status status =
        repair_read_to(pass, region, ret_reading, ret_used, reterr);

    if (status != SURETY_OK || *ret_reading != SURETY__READING_VALUE ||
        !repair_closes(pass->trial->doc) ||
        !surety__region_goes_on(judge->finder, *ret_used))
        return status;
    *ret_reading = SURETY__READING_NONE;
    return repair_blame(judge, pass->trial, region->text) == SURETY_OK
               ? SURETY_OK
               : surety__fail_nomem(reterr);
}

/* Reads a region, or, where its field cuts the value off, what it may go on
 * into: there it ends, or it was cut off. */
static surety_status repair_read_region(struct repair *pass,
                                        surety__region *region,
                                        surety__reading *ret_reading,
                                        size_t *ret_used, surety_error *reterr)
{
    surety_status status =
        repair_read_closed(pass, region, ret_reading, ret_used, reterr);
    surety__region longer = *region;

    if (status != SURETY_OK || *ret_reading != SURETY__READING_CUT ||
        !region->more)
        return status;
    longer.text.len += region->more;
    longer.last =
        region->start + longer.text.len == pass->judge->task.reply.len;
    status = repair_read_closed(pass, &longer, ret_reading, ret_used, reterr);
    if (status == SURETY_OK && *ret_reading == SURETY__READING_VALUE)
        *region = longer;
    else if (status == SURETY_OK)
        status =
            repair_read_closed(pass, region, ret_reading, ret_used, reterr);
    return status;
}

static bool repair_is_container(const surety_doc *doc)
{
    return surety_val_kind(surety_doc_root(doc)) >= SURETY_KIND_ARRAY;
}

/* Whether a reading is left for later, or is no candidate at all. */
static bool repair_passes_over(struct repair *pass, surety__reading reading,
                               const surety__region *region)
{
    surety_judge *judge = pass->judge;
    const surety_doc *doc = pass->trial->doc;

    if (pass->checked++ >= judge->limits.candidates_max)
        return true;
    /* What is complete was for the strict pass to find. */
    if (judge->task.repair == SURETY_REPAIR_NONE)
        return reading == SURETY__READING_VALUE || region->wrapper;
    if (judge->taken_up || pass->place != SURETY_PLACE_WHOLE ||
        reading != SURETY__READING_VALUE || repair_is_container(doc) ||
        !surety__doc_repair_count(doc))
        return false;
    judge->put_off = true;
    return true;
}

/* Whether the strict reader has refused the value of a region, and no candidate
 * got further. */
static bool repair_says_why(const surety_judge *judge,
                            const surety__region *region)
{
    const surety__trial *best = judge->best;

    return best && !best->tolerant && !surety__trial_is_native(best) &&
           best->stage == SURETY_STAGE_JSON_PARSE && !region->weak &&
           region->start >= best->candidate.start &&
           region->start < best->candidate.end;
}

/* Whether a trial is one of several values alone as an array. */
static bool repair_is_lone(const surety__trial *trial)
{
    return trial->fits && !trial->rows &&
           surety_val_kind(surety_doc_root(trial->doc)) != SURETY_KIND_ARRAY &&
           surety_val_kind(surety_doc_root(trial->aligned)) ==
               SURETY_KIND_ARRAY;
}

/* Reports a reading to the finder; whether anything is to be done with it.
 * *used is how far it goes, then. */
static bool repair_goes_on(struct repair *pass, const surety__region *region,
                           surety__reading reading, size_t *used,
                           size_t *ret_brackets)
{
    surety_judge *judge = pass->judge;
    const surety_doc *doc = pass->trial->doc;

    pass->broken = pass->aside = false;
    if (reading == SURETY__READING_CUT && !surety__doc_repair_count(doc) &&
        surety_val_count(surety_doc_root(doc)))
        reading = SURETY__READING_BEGUN;
    if (surety__region_read(judge->finder, reading, *used, ret_brackets))
        return !repair_passes_over(pass, reading, region);
    if (reading == SURETY__READING_VALUE) {
        /* Values one after the other that may be all of the reply are no rows
         * where one of them is valid by itself. */
        pass->aside = pass->place == SURETY_PLACE_WHOLE && !pass->single &&
                      judge->task.repair != SURETY_REPAIR_NONE &&
                      repair_is_container(doc) &&
                      pass->checked++ < judge->limits.candidates_max;
        return pass->aside;
    }
    if (reading != SURETY__READING_NONE)
        return false;
    *used = surety__region_failed(judge->finder);
    pass->broken = *used > 0;
    if (pass->broken)
        return true;
    /* The tolerant reader's word instead of the strict one's. */
    *used = region->text.len;
    return repair_says_why(judge, region);
}

/* Reads a region and does with it what can be done. */
static surety_status repair_try(struct repair *pass, surety__region *region,
                                surety_error *reterr)
{
    surety_judge *judge = pass->judge;
    surety__trial *trial;
    surety_str text;
    surety__reading reading;
    size_t used = 0;
    size_t brackets = 0;
    surety_status status;
    surety_candidate candidate;

    /* A copy is the finder's; the doc borrows the text as long as the outcome
     * lives. */
    if (region->copied &&
        !surety__outcome_copy(&judge->outcome, region->text, &region->text))
        return surety__fail_nomem(reterr);
    pass->trial = surety__trial_spare(judge);
    status = repair_read_region(pass, region, &reading, &used, reterr);
    if (status != SURETY_OK)
        return status;
    text = region->text;
    if (!repair_goes_on(pass, region, reading, &used, &brackets))
        return SURETY_OK;
    candidate = (surety_candidate){
        .place = pass->place,
        .start = region->start,
        .end = surety__region_origin(judge->finder, region->index,
                                     used + brackets),
        .text = {text.ptr, used + brackets},
        .stripped = region->copied,
    };
    trial = surety__trial_take(judge, region->index, &candidate);
    trial->tolerant = true;
    trial->rank.group = region->group;
    trial->rank.weak = region->weak;
    trial->wrapper = region->wrapper;
    trial->brackets = brackets;
    trial->broken = pass->broken;
    trial->cut = pass->closed;
    status = SURETY_OK;
    if (reading == SURETY__READING_CUT)
        status = repair_cut(judge, trial, reterr);
    else if (reading == SURETY__READING_VALUE)
        status = surety__repair_check(judge, trial, reterr);
    if (status != SURETY_OK)
        return status;
    if (!pass->aside)
        return surety__rank_keep(judge, reterr);
    pass->single |= trial->stage == SURETY_STAGE_DONE && !repair_is_lone(trial);
    return SURETY_OK;
}

/* The native text, all of which is the value. */
static surety_status repair_native(struct repair *pass, surety_error *reterr)
{
    surety_judge *judge = pass->judge;
    const surety_str native = judge->task.options.native;
    const surety__region region = {.text = native, .last = true};
    surety__reading reading;
    surety__trial *trial;
    size_t used = 0;
    surety_status status;

    assert(pass->place == SURETY_PLACE_NATIVE);
    if (!native.len)
        return SURETY_OK;
    trial = pass->trial = surety__trial_take_native(judge);
    trial->tolerant = true;
    status = repair_read_to(pass, &region, &reading, &used, reterr);
    if (status != SURETY_OK)
        return status;
    trial->cut = pass->closed;
    if (reading == SURETY__READING_CUT) {
        status = repair_cut(judge, trial, reterr);
    } else if (reading == SURETY__READING_VALUE &&
               judge->task.repair != SURETY_REPAIR_NONE &&
               surety__text_over(native, used, &trial->brackets)) {
        trial->brackets -= used;
        status = surety__repair_check(judge, trial, reterr);
    } else {
        /* The strict reader has given the reason. */
        return SURETY_OK;
    }
    return status == SURETY_OK ? surety__rank_keep(judge, reterr) : status;
}

/* Takes a valid trial back: it is what it is without alignment. */
static surety_status repair_take_back(surety_judge *judge, surety__trial *trial,
                                      surety_error *reterr)
{
    assert(trial->fits && trial->stage == SURETY_STAGE_DONE);
    trial->fits = false;
    trial->results = NULL;
    trial->objections = NULL;
    trial->stage = SURETY_STAGE_VALIDATION;
    return surety__trial_count(judge, trial, reterr);
}

/* Several values as one array, where it satisfies the contract. lone: one of
 * them alone was taken back; then the errors are those of the array. */
static surety_status repair_rows(struct repair *pass, bool lone,
                                 surety_error *reterr)
{
    surety_judge *judge = pass->judge;
    surety__region region;
    surety_candidate candidate;
    surety__reading reading;
    surety__trial *trial;
    surety_str text;
    size_t used = 0;
    surety_status status = surety__region_rows(judge->finder, &region);

    assert(!lone || judge->best);
    if (status == SURETY_END)
        return SURETY_OK;
    if (status != SURETY_OK ||
        !surety__outcome_copy(&judge->outcome, region.text, &text))
        return surety__fail_nomem(reterr);
    candidate = (surety_candidate){
        .place = pass->place,
        .start = region.start,
        .end = surety__region_origin(judge->finder, region.index, text.len),
        .text = text,
        .stripped = true,
    };
    pass->trial = surety__trial_spare(judge);
    trial = surety__trial_take(judge, region.index, &candidate);
    trial->tolerant = true;
    trial->brackets = region.rest;
    text.len -= region.rest;
    status = repair_read(pass, text, false, &reading, &used);
    if (status != SURETY_OK)
        return surety__fail_nomem(reterr);
    if (reading != SURETY__READING_VALUE || used != text.len)
        return SURETY_OK;
    trial->rows = surety_val_count(surety_doc_root(trial->doc));
    status = surety__repair_check(judge, trial, reterr);
    if (status == SURETY_OK && trial->stage != SURETY_STAGE_DONE && lone) {
        if (!trial->counted)
            status = surety__trial_count(judge, trial, reterr);
        judge->best = trial;
    }
    if (status != SURETY_OK || trial->stage != SURETY_STAGE_DONE)
        return status;
    /* Arrays are no rows that only alignment makes of them. */
    if (surety_val_kind(surety__trial_value(trial)) == SURETY_KIND_ARRAY &&
        !(trial->fits && text.ptr[1] == '[')) {
        judge->best = trial;
        judge->another.found = false; /* all of them are in it */
    }
    return SURETY_OK;
}

/* All regions of the place were tried: are they rows? */
static surety_status repair_gather(struct repair *pass, surety_error *reterr)
{
    surety_judge *judge = pass->judge;
    surety__trial *best = judge->best;
    const bool done = best && best->stage == SURETY_STAGE_DONE;
    const bool lone =
        done && repair_is_lone(best) && surety__region_several(judge->finder);
    surety_status status = SURETY_OK;

    if (judge->task.repair == SURETY_REPAIR_NONE || judge->cut_off ||
        pass->single || (done && !lone))
        return SURETY_OK;
    if (lone)
        status = repair_take_back(judge, best, reterr);
    return status == SURETY_OK ? repair_rows(pass, lone, reterr) : status;
}

/* Says in the outcome that its value was cut off, and where. */
static surety_status repair_partial(surety_judge *judge, surety_error *reterr)
{
    surety_outcome *outcome = &judge->outcome;

    assert(judge->best->tolerant && judge->best->stage == SURETY_STAGE_DONE);
    if (!judge->best->cut)
        return SURETY_OK;
    outcome->partial = true;
    return surety__outcome_copy(outcome, surety__partial_path(judge->best),
                                &outcome->open)
               ? SURETY_OK
               : surety__fail_nomem(reterr);
}

surety_status surety__repair_place(surety_judge *judge, surety_place place,
                                   surety_error *reterr)
{
    struct repair pass = {.judge = judge, .place = place};
    surety__region region;
    surety_status status;

    assert(judge->task.tolerant && place != SURETY_PLACE_NONE);
    if (judge->cut_off)
        return SURETY_OK;
    if (place == SURETY_PLACE_NATIVE && judge->task.options.native_fault)
        return SURETY_OK;
    if (place == SURETY_PLACE_NATIVE) {
        status = repair_native(&pass, reterr);
    } else {
        status = surety__region_begin(judge->finder, place);
        while (status == SURETY_OK) {
            status = surety__region_next(judge->finder, &region);
            if (status == SURETY_OK)
                status = repair_try(&pass, &region, reterr);
            else if (status == SURETY_NOMEM)
                return surety__fail_nomem(reterr);
        }
        if (status == SURETY_END)
            status = SURETY_OK;
        else if (status == SURETY_NOMEM)
            return surety__fail_nomem(reterr);
        if (status == SURETY_OK)
            status = repair_gather(&pass, reterr);
    }
    if (status != SURETY_OK)
        return status;
    return judge->best && judge->best->stage == SURETY_STAGE_DONE
               ? repair_partial(judge, reterr)
               : SURETY_OK;
}

bool surety__repair_answered(const surety_judge *judge)
{
    const surety__trial *best = judge->best;
    const surety__shape *shape = judge->task.schema->root->direct;
    unsigned kind;

    if (!best || best->rank.weak || best->stage < SURETY_STAGE_JSON_PARSE ||
        !best->candidate.text.len)
        return false;
    switch (*best->candidate.text.ptr) {
    case '{': kind = CELL_OBJECT; break;
    case '[': kind = CELL_ARRAY; break;
    default: return false;
    }
    return surety__route_end(shape, kind)->how[kind] != HOW_NO;
}

/* Whether a text says that there is nothing, as programs do. */
static bool repair_says_nothing(surety_str text)
{
    return surety_str_equal(text, SURETY__LITERAL("null")) ||
           surety_str_equal(text, SURETY__LITERAL("None")) ||
           surety_str_equal(text, SURETY__LITERAL("undefined"));
}

/* Splits a text into its first line and what is behind the blank line below it.
 * Returns false when it has no such lines, or the first one is long. */
static bool repair_split(surety_str text, surety_str *ret_line,
                         surety_str *ret_rest)
{
    const char *const end = text.ptr + text.len;
    const char *hit = memchr(text.ptr, '\n', text.len);
    const char *next = hit ? hit + 1 : end;

    while (next < end && memchr(" \t\r", *next, 3))
        next++;
    if (next == end || *next != '\n')
        return false;
    *ret_line =
        surety__str_trim((surety_str){text.ptr, (size_t)(hit - text.ptr)});
    *ret_rest = surety__str_trim((surety_str){next, (size_t)(end - next)});
    return ret_line->len && ret_line->len <= REPAIR_LINE_MAX && ret_rest->len;
}

/* Whether a value was found among other words of a line. */
static bool repair_is_among(const surety__trial *trial, surety_str line)
{
    const surety__align_edits *edits = surety__aligner_edits(trial->aligner);

    for (size_t i = 0; i < edits->kept; i++)
        if (!strcmp(edits->items[i].kind, "enum-in-text"))
            return true;
    return surety_val_kind(surety_doc_root(trial->aligned)) !=
               SURETY_KIND_STRING &&
           memchr(line.ptr, ' ', line.len);
}

/* An answer in a line of its own, above its reasons: the trial's text becomes
 * that line, unless what is below it comes to another value. As
 * surety__aligner_align_text. */
static surety_status repair_line(surety_judge *judge, surety__trial *trial)
{
    const surety_schema *schema = judge->task.schema;
    surety_str line, rest;
    surety_buf below, above;
    surety_status status;

    if (!repair_split(trial->candidate.text, &line, &rest))
        return SURETY_END;
    surety_buf_init(&below, judge->alloc, 0);
    surety_buf_init(&above, judge->alloc, 0);
    status = surety__aligner_align_text(trial->aligner, schema, rest,
                                        trial->aligned, NULL);
    if (status == SURETY_OK)
        status = surety_val_write(surety_doc_root(trial->aligned),
                                  SURETY_STYLE_COMPACT, &below);
    if (status != SURETY_NOMEM)
        status = surety__aligner_align_text(trial->aligner, schema, line,
                                            trial->aligned, NULL);
    if (status == SURETY_OK && repair_is_among(trial, line))
        status = SURETY_END;
    if (status == SURETY_OK && below.len) {
        status = surety_val_write(surety_doc_root(trial->aligned),
                                  SURETY_STYLE_COMPACT, &above);
        if (status == SURETY_OK &&
            !surety_str_equal(surety_buf_str(&above), surety_buf_str(&below)))
            status = SURETY_END;
    }
    if (status == SURETY_OK) {
        trial->candidate.text = line;
        trial->candidate.end = trial->candidate.start + line.len;
    }
    surety_buf_done(&below);
    surety_buf_done(&above);
    return status;
}

surety_status surety__repair_text(surety_judge *judge, surety_error *reterr)
{
    const surety_extract *how = &judge->task.extract;
    surety__trial *trial;
    surety_candidate candidate = {.place = SURETY_PLACE_NONE};
    surety_status status;
    bool wide = false;

    if (judge->task.repair != SURETY_REPAIR_ALIGN || judge->cut_off ||
        judge->task.options.cut || judge->task.options.certain_only ||
        surety__repair_answered(judge))
        return SURETY_OK;
    status = repair_is_wide(judge, &wide, reterr);
    if (status != SURETY_OK || wide)
        return status;
    for (size_t i = 0; i < how->from_count || i == 0; i++) {
        const surety_place place =
            how->from_count ? how->from[i] : SURETY_PLACE_WHOLE;

        if (candidate.place == SURETY_PLACE_NONE &&
            (place == SURETY_PLACE_WHOLE || place == SURETY_PLACE_EMBEDDED))
            candidate.place = place;
    }
    if (surety__place_text(judge->finder, &candidate.text) != SURETY_OK)
        return surety__fail_nomem(reterr);
    if (candidate.place == SURETY_PLACE_NONE || !candidate.text.len ||
        surety__fallback_refused(candidate.text) ||
        repair_says_nothing(candidate.text))
        return SURETY_OK;
    candidate.start = (size_t)(candidate.text.ptr - judge->task.reply.ptr);
    candidate.end = candidate.start + candidate.text.len;
    trial = surety__trial_take(judge, 0, &candidate);
    trial->tolerant = trial->text = true;
    if (!repair_prepare(judge, trial))
        return surety__fail_nomem(reterr);
    status = surety__aligner_align_text(trial->aligner, judge->task.schema,
                                        candidate.text, trial->aligned, NULL);
    if (status == SURETY_END)
        status = repair_line(judge, trial);
    status = repair_aligned(judge, trial, status, reterr);
    if (status != SURETY_OK)
        return status == SURETY_END ? SURETY_OK : status;
    trial->rank.repaired = REPAIRED_LIKELY;
    status = surety__trial_beyond(judge, trial, reterr);
    if (status != SURETY_OK || trial->stage != SURETY_STAGE_DONE)
        return status;
    judge->best = trial;
    return SURETY_OK;
}
