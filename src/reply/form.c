/* SPDX-License-Identifier: Apache-2.0 */
/* Values in other forms than JSON: a tool's call written as text, YAML, tables,
 * lines of names and texts, elements. They are looked for last, where no place
 * has a valid value, so that JSON always wins and costs nothing more.
 *
 * - A form's reader (form/) proposes JSON, and its contract decides: what it
 *   proposes is read, checked and aligned as any other candidate. Each form is
 *   a likely repair, and of several proposals the best one wins; where another
 *   one is valid and differs, the outcome warns of it.
 * - A contract that names no members has none of them in words.
 * - A call is its arguments. Where they do not satisfy the contract, and it
 *   names members for a call's name and arguments, the call is both.
 * - Prose may look like a form. Then every name must be one of the contract,
 *   nothing may be left out for alignment, and JSON in the reply, a refusal and
 *   what does not satisfy the contract end the matter.
 * - Whether the end of a reply that was cut is the end of such a text cannot be
 *   seen: where the provider says that it cut the reply, none is read. */
#include "reply/reply.h"

#include "schema/schema.h"

enum { FORM_COST = 8 }; /* among edits */

/* A search through the passages of a reply. */
struct form_search {
    surety_judge *judge;
    surety__form_task task;
    surety__passage passage;
    bool answered;    /* weak readings do not count */
    surety_str holds; /* the member for a call's arguments; ptr NULL: none */
    bool named;       /* the reading at hand is tried with its call's name */
    size_t checked;
    const surety__formed *taken; /* the last one that was valid */
};

static bool form_name(void *ctx, surety_str name, surety_str *ret_name)
{
    const surety_contract *contract = ctx;

    return surety__contract_name(contract, name, ret_name);
}

static bool form_lists(const surety_judge *judge, surety_place place)
{
    const surety_extract *how = &judge->task.extract;

    for (size_t i = 0; i < how->from_count; i++)
        if (how->from[i] == place)
            return true;
    return how->from_count == 0;
}

/* Whether the places that are looked at have the reply's bytes from start to
 * end. */
static bool form_is_placed(struct form_search *search, size_t start, size_t end)
{
    const surety_judge *judge = search->judge;
    surety_str text;

    if (form_lists(judge, SURETY_PLACE_EMBEDDED) ||
        (search->passage.block && form_lists(judge, SURETY_PLACE_FENCE_ANY)))
        return true;
    return form_lists(judge, SURETY_PLACE_WHOLE) &&
           surety__place_text(judge->finder, &text) == SURETY_OK &&
           text.ptr == judge->task.reply.ptr + start && text.len == end - start;
}

/* Makes the region of a reading whose value was written anew, or of one with
 * text before it: the beginning of an object, which is in out. OK or NOMEM. */
static surety_status form_compose(struct form_search *search,
                                  const surety__formed *reading,
                                  surety_buf *out, surety__region *ret_region)
{
    surety_judge *judge = search->judge;
    const surety__form_origin *origins =
        surety__forms_origins(judge->forms, reading);
    const surety__form_origin raw = {0, (uint32_t)reading->at};
    const size_t count = reading->raw ? 1 : reading->origin_count;
    const uint32_t before = (uint32_t)out->len;
    surety_status status;
    bool good = true;

    surety_buf_add(out, surety__forms_text(judge->forms, reading));
    if (before)
        surety_buf_byte(out, '}');
    status = out->status ? SURETY_NOMEM
                         : surety__passage_made(
                               judge->finder, surety_buf_str(out), ret_region);
    if (status != SURETY_OK)
        return status;
    if (before)
        good = surety__passage_origin(judge->finder, ret_region, 0,
                                      (uint32_t)reading->start);
    for (size_t i = 0; good && i < count; i++) {
        const surety__form_origin *one = reading->raw ? &raw : &origins[i];

        good = surety__passage_origin(judge->finder, ret_region,
                                      before + one->written, one->source);
    }
    if (good && before)
        good = surety__passage_origin(judge->finder, ret_region,
                                      (uint32_t)out->len - 1,
                                      (uint32_t)reading->end - 1);
    return good ? SURETY_OK : SURETY_NOMEM;
}

/* The region of a reading. OK or NOMEM. */
static surety_status form_region(struct form_search *search,
                                 const surety__formed *reading,
                                 surety__region *ret_region)
{
    surety_judge *judge = search->judge;
    surety_status status;
    surety_buf out;

    surety_buf_init(&out, judge->alloc, 0);
    if (search->named) {
        surety_buf_text(&out, "{\"name\":");
        surety_json_string(&out, reading->name);
        surety_buf_byte(&out, ',');
        surety_json_string(&out, search->holds);
        surety_buf_byte(&out, ':');
    }
    if (reading->raw && !search->named)
        status = surety__passage_region(judge->finder, reading->at,
                                        reading->at + reading->len, ret_region);
    else
        status = form_compose(search, reading, &out, ret_region);
    /* The doc borrows the text as long as the outcome lives. */
    if (status == SURETY_OK &&
        (!reading->raw || search->named || ret_region->copied) &&
        !surety__outcome_copy(&judge->outcome, ret_region->text,
                              &ret_region->text))
        status = SURETY_NOMEM;
    surety_buf_done(&out);
    return status;
}

/* Whether alignment made something of a weak reading that it does not say. */
static bool form_is_bent(const surety__trial *trial)
{
    static const char *const bends[] = {"unknown-key", "wrapper-key",
                                        "value-from-array", "enum-in-text"};
    const surety__align_edits *edits;

    if (!trial->fits)
        return false;
    edits = surety__aligner_edits(trial->aligner);
    for (size_t i = 0; i < edits->kept; i++)
        if (surety__str_among(surety_str_of(edits->items[i].kind), bends,
                              SURETY__COUNT(bends)))
            return true;
    return edits->kept < edits->count;
}

/* Whether a trial is an object of one member, which takes any text: "Note: I
 * cannot do that". */
static surety_status form_is_idle(surety_judge *judge, surety__trial *trial,
                                  bool *ret_idle, surety_error *reterr)
{
    surety_doc *doc = judge->completed; /* no value is complete yet */
    const surety_val value = surety__trial_value(trial);
    surety_status status;

    *ret_idle = false;
    if (surety_val_kind(value) != SURETY_KIND_OBJECT ||
        surety_val_count(value) != 1)
        return SURETY_OK;
    surety_build_begin(doc, NULL);
    surety_build_object(doc);
    SURETY_EACH (member, value) {
        if (surety_val_kind(member) != SURETY_KIND_STRING)
            return SURETY_OK;
        surety_build_key(doc, surety_val_str(surety_val_key(member)));
        surety_build_str(doc, SURETY__LITERAL("\x01"));
    }
    surety_build_close(doc);
    status = surety_build_end(doc, reterr);
    return status == SURETY_OK
               ? surety_checker_check(judge->checker, judge->task.schema,
                                      surety_doc_root(doc), ret_idle, reterr)
               : status;
}

/* Reads a reading to the spare trial's doc. OK, END: it cannot be read; NOMEM.
 */
static surety_status form_read(struct form_search *search,
                               const surety__formed *reading,
                               surety__region *region, size_t *ret_used)
{
    surety_judge *judge = search->judge;
    const surety__lenient_options options = {.limits = &judge->limits};
    surety_status status = form_region(search, reading, region);

    if (status != SURETY_OK)
        return status;
    status = surety__doc_read_lenient(surety__trial_spare(judge)->doc,
                                      region->text, &options, ret_used, NULL);
    return status == SURETY_OK || status == SURETY_NOMEM ? status : SURETY_END;
}

/* Tries a reading as a candidate. */
static surety_status form_check(struct form_search *search,
                                const surety__formed *reading,
                                surety_error *reterr)
{
    surety_judge *judge = search->judge;
    const size_t start = surety__passage_at(judge->finder, reading->start);
    const size_t end = surety__passage_at(judge->finder, reading->end);
    surety_candidate candidate = {.start = start, .end = end};
    surety__region region;
    surety__trial *trial;
    size_t used = 0;
    bool idle;
    surety_status status;

    if (!form_is_placed(search, start, end))
        return SURETY_OK;
    status = form_read(search, reading, &region, &used);
    if (status != SURETY_OK)
        return status == SURETY_END ? SURETY_OK : surety__fail_nomem(reterr);
    candidate.place =
        search->passage.block ? SURETY_PLACE_FENCE_ANY : SURETY_PLACE_EMBEDDED;
    candidate.text = (surety_str){region.text.ptr, used};
    candidate.stripped = region.copied;
    trial = surety__trial_take(judge, region.index, &candidate);
    trial->tolerant = true;
    trial->form = (surety__trial_form){
        true, (enum surety__repair_kind)(REPAIR_TOOL_CALL + reading->form),
        start, end};
    status = surety__repair_check(judge, trial, reterr);
    if (status != SURETY_OK)
        return status;
    trial->rank.repaired = REPAIRED_LIKELY;
    trial->rank.cost += FORM_COST;
    if (reading->weak) {
        if (trial->stage != SURETY_STAGE_DONE || form_is_bent(trial))
            return SURETY_OK;
        status = form_is_idle(judge, trial, &idle, reterr);
        if (status != SURETY_OK || idle)
            return status;
    }
    if (trial->stage == SURETY_STAGE_DONE)
        search->taken = reading;
    return surety__rank_keep(judge, reterr);
}

/* Whether a reading of the same stretch was taken, in which cells without a
 * text are left out. */
static bool form_is_again(const struct form_search *search,
                          const surety__formed *reading)
{
    const surety__formed *taken = search->taken;

    return taken && taken->blank && taken == reading - 1;
}

/* Tries what one passage has. */
static surety_status form_passage(struct form_search *search,
                                  surety_error *reterr)
{
    surety_judge *judge = search->judge;
    surety_status status;

    search->task.text = search->passage.text;
    search->task.info = search->passage.info;
    search->task.block = search->passage.block;
    search->taken = NULL;
    status = surety__forms_read(judge->forms, &search->task);
    if (status != SURETY_OK)
        return surety__fail_nomem(reterr);
    for (size_t i = 0;
         status == SURETY_OK && i < surety__forms_count(judge->forms); i++) {
        const surety__formed *reading = surety__forms_at(judge->forms, i);

        if ((reading->weak && search->answered) ||
            form_is_again(search, reading) ||
            search->checked++ >= judge->limits.candidates_max)
            continue;
        status = form_check(search, reading, reterr);
        if (status != SURETY_OK || search->taken == reading ||
            !search->holds.ptr || !reading->name.len)
            continue;
        search->named = true;
        status = form_check(search, reading, reterr);
        search->named = false;
    }
    return status;
}

/* Tries some forms; through: those that blocks of code may be in. */
static surety_status form_search(struct form_search *search, unsigned forms,
                                 bool through, surety_error *reterr)
{
    surety_judge *judge = search->judge;
    surety_status status;

    search->task.forms = forms;
    if (!forms)
        return SURETY_OK;
    status = surety__passage_begin(judge->finder, through);
    while (status == SURETY_OK) {
        status = surety__passage_next(judge->finder, &search->passage);
        if (status == SURETY_NOMEM)
            return surety__fail_nomem(reterr);
        if (status == SURETY_OK)
            status = form_passage(search, reterr);
    }
    return status == SURETY_END ? SURETY_OK : status;
}

/* The member in which a contract that wants a call, name and arguments, wants
 * the arguments; ptr NULL: it does not. */
static surety_str form_holds(const surety_contract *contract)
{
    static const char *const names[] = {"arguments", "parameters", "input",
                                        "args"};
    surety_str found;

    if (!surety__contract_name(contract, SURETY__LITERAL("name"), &found) ||
        !surety_str_equal(found, SURETY__LITERAL("name")))
        return (surety_str){NULL, 0};
    for (size_t i = 0; i < SURETY__COUNT(names); i++)
        if (surety__contract_name(contract, surety_str_of(names[i]), &found) &&
            surety_str_equal(found, surety_str_of(names[i])))
            return surety_str_of(names[i]);
    return (surety_str){NULL, 0};
}

/* Whether the contract may want a value that is an object or an array. */
static bool form_may_fit(const surety_judge *judge)
{
    const surety__shape *shape = judge->task.schema->root->direct;

    return judge->task.contract->name_count &&
           (surety__route_end(shape, CELL_OBJECT)->how[CELL_OBJECT] != HOW_NO ||
            surety__route_end(shape, CELL_ARRAY)->how[CELL_ARRAY] != HOW_NO);
}

surety_status surety__form_try(surety_judge *judge, surety_error *reterr)
{
    const unsigned all = (1u << SURETY_FORMS) - 1;
    const unsigned through =
        1u << SURETY_FORM_TOOL_CALL | 1u << SURETY_FORM_XML;
    const unsigned forms = all & ~judge->task.extract.forms_off;
    struct form_search search = {.judge = judge};
    union {
        const surety_contract *contract;
        void *ctx;
    } knows = {judge->task.contract};
    surety_status status;

    if (judge->task.repair != SURETY_REPAIR_ALIGN || !forms ||
        judge->task.options.certain_only || judge->task.options.cut ||
        judge->cut_off || !form_may_fit(judge))
        return SURETY_OK;
    if (!judge->forms)
        judge->forms = surety__forms_new(judge->alloc, &judge->limits);
    if (!judge->forms)
        return surety__fail_nomem(reterr);
    search.task.name = form_name;
    search.task.ctx = knows.ctx;
    search.holds = form_holds(judge->task.contract);
    search.answered = surety__repair_answered(judge) ||
                      surety__fallback_refused(judge->task.reply);
    status = form_search(&search, forms & through, true, reterr);
    if (status == SURETY_OK)
        status = form_search(&search, forms & ~through, false, reterr);
    return status;
}
