/* SPDX-License-Identifier: Apache-2.0 */
/* In which mode a model is asked. The modes are a ladder: the provider's
 * structured output, one tool that it is made to call, the prompt alone. AUTO
 * starts at the highest rung that the protocol has and the schema fits, and
 * never climbs; a model whose mode is given stays in it.
 *
 * 1. The rung `native` needs the contract in the provider's strict subset. The
 *    rung `tool` takes the contract's own schema too, not enforced by the
 *    provider, where its root is an object.
 * 2. A contract that does not list the place native wants no structured value:
 *    AUTO asks for text.
 * 3. The model is shown one form of the value, the one that it is bound to, and
 *    once: by its provider, or in the prompt where the provider does not.
 * 4. Whatever the mode, the contract is checked here: a lower rung loses the
 *    provider's help and no guarantee of ours. */
#include "run/run.h"

/* Servers that compile a schema to a grammar have a subset of their own. */
static surety_subset mode_subset(const surety_model *model)
{
    switch (model->protocol) {
    case SURETY_PROTOCOL_ANTHROPIC: return SURETY_SUBSET_ANTHROPIC;
    case SURETY_PROTOCOL_GEMINI: return SURETY_SUBSET_GEMINI;
    default: break;
    }
    return surety__provider_has_grammar(model->provider) ? SURETY_SUBSET_GRAMMAR
                                                         : SURETY_SUBSET_OPENAI;
}

/* The first note that makes a schema impossible, as a clause. */
static surety_str mode_reason(surety_run *run, const surety_strict *strict)
{
    surety_buf *out = &run->text;

    for (size_t i = 0; i < surety_strict_note_count(strict); i++) {
        const surety_strict_note note = surety_strict_note_at(strict, i);

        if (note.verdict != SURETY_STRICT_IMPOSSIBLE)
            continue;
        surety__result_line(out, note.message, 160);
        surety_buf_text(out, " at ");
        surety__result_line(
            out, note.location.len ? note.location : SURETY__LITERAL("/"), 80);
        break;
    }
    return surety__result_keep(run);
}

/* The contract in a subset; compiled once. */
static surety__bound *mode_bound(surety_run *run, surety_subset subset)
{
    surety__bound *bound = &run->bounds[subset];
    surety_error err = {.status = SURETY_OK};
    surety_status status;

    if (bound->tried)
        return bound;
    bound->tried = true;
    status = surety_strict_compile(run->options.contract, subset, run->alloc,
                                   &bound->strict, &err);
    if (status == SURETY_NOMEM) {
        run->status = SURETY_NOMEM;
    } else if (status != SURETY_OK) {
        bound->reason = surety__result_copy(run, surety_str_of(err.message));
    } else {
        bound->possible =
            surety_strict_verdict_of(bound->strict) != SURETY_STRICT_IMPOSSIBLE;
        if (!bound->possible)
            bound->reason = mode_reason(run, bound->strict);
    }
    return bound;
}

static bool mode_lists_native(const surety_run *run)
{
    const surety_extract *extract =
        run->judge.extract ? run->judge.extract
                           : surety_contract_extract(run->options.contract);

    for (size_t i = 0; i < extract->from_count; i++)
        if (extract->from[i] == SURETY_PLACE_NATIVE)
            return true;
    return extract->from_count == 0;
}

static bool mode_root_is_object(const surety_run *run)
{
    const surety_val root = surety_contract_root(run->options.contract);

    return surety_val_is(surety_val_get(root, "type"), "object");
}

/* Whether AUTO may ask in this mode; if not, why is told in run->text. */
static bool mode_fits(surety_run *run, surety_mode mode)
{
    const surety_model *model = surety__run_model(run);
    const surety_subset subset = mode_subset(model);
    const surety__bound *bound;

    if (!surety__protocol_has(model->protocol, mode))
        return false;
    bound = mode_bound(run, subset);
    if (bound->possible ||
        (mode == SURETY_MODE_TOOL && mode_root_is_object(run)))
        return true;
    if (mode != SURETY_MODE_NATIVE)
        return false;
    surety__buf_printf(&run->text, "%s does not take the schema (",
                       surety_subset_name(subset));
    surety__result_line(&run->text, bound->reason, 240);
    surety_buf_byte(&run->text, ')');
    return false;
}

void surety__mode_pick(surety_run *run, surety_mode from)
{
    const surety_mode given = surety__run_model(run)->mode;
    surety_mode mode = from;
    surety_str why = {"", 0};

    if (!run->options.contract) {
        mode = SURETY_MODE_PROMPT;
    } else if (given != SURETY_MODE_AUTO) {
        mode = given;
        if (given == SURETY_MODE_NATIVE && !mode_fits(run, given)) {
            why = surety__result_keep(run);
            surety_buf_text(&run->text, "it is the one given, though ");
            surety_buf_add(&run->text, why);
            why = surety__result_keep(run);
        }
    } else if (!mode_lists_native(run)) {
        if (surety__protocol_has(surety__run_model(run)->protocol,
                                 SURETY_MODE_NATIVE))
            why = SURETY__LITERAL("the contract does not list the place "
                                  "native");
        mode = SURETY_MODE_PROMPT;
    } else {
        while (mode < SURETY_MODE_PROMPT && !mode_fits(run, mode)) {
            if (run->text.len)
                why = surety__result_keep(run);
            mode++;
        }
    }
    run->mode = mode;
    run->why = why;
}

bool surety__mode_may_sink(const surety_run *run)
{
    return run->options.contract &&
           surety__run_model(run)->mode == SURETY_MODE_AUTO &&
           run->mode < SURETY_MODE_PROMPT;
}

/* The contract's schema without what is ours. */
static surety_val mode_plain(surety_run *run)
{
    const surety_val root = surety_contract_root(run->options.contract);

    if (run->plain)
        return surety_doc_root(run->plain);
    run->plain = surety_doc_new(run->alloc);
    if (!run->plain) {
        run->status = SURETY_NOMEM;
        return surety_val_none();
    }
    surety_build_begin(run->plain, NULL);
    surety_build_object(run->plain);
    if (surety_val_kind(root) == SURETY_KIND_OBJECT)
        for (surety_val member = surety_val_first(root); member.doc;
             member = surety_val_next(root, member)) {
            const surety_val key = surety_val_key(member);

            if (surety_val_is(key, "x-surety"))
                continue;
            surety_build_key_of(run->plain, key);
            surety_build_val(run->plain, member);
        }
    surety_build_close(run->plain);
    if (surety_build_end(run->plain, NULL) == SURETY_NOMEM)
        run->status = SURETY_NOMEM;
    return surety_doc_root(run->plain);
}

surety__bound *surety__mode_bound(surety_run *run)
{
    if (!run->plan.strict)
        return NULL;
    return mode_bound(run, mode_subset(surety__run_model(run)));
}

/* The contract's example as the plan's value would be; NONE: there is none. */
static surety_val mode_example(surety_run *run)
{
    surety__bound *bound = surety__mode_bound(run);
    surety_doc *given;
    surety_status status = SURETY_NOMEM;

    if (bound->exemplified)
        return bound->example ? surety_doc_root(bound->example)
                              : surety_val_none();
    bound->exemplified = true;
    bound->example = surety_doc_new(run->alloc);
    given = surety_doc_new(run->alloc);
    if (bound->example && given)
        status = surety_prompt_example(run->options.contract, given, NULL);
    if (status == SURETY_OK)
        status = surety_strict_deliver(bound->strict, surety_doc_root(given),
                                       bound->example, NULL);
    surety_doc_free(given);
    if (status == SURETY_NOMEM)
        run->status = SURETY_NOMEM;
    if (status == SURETY_OK)
        return surety_doc_root(bound->example);
    surety_doc_free(bound->example);
    bound->example = NULL;
    return surety_val_none();
}

void surety__mode_show(surety_run *run, surety_prompt_options *options)
{
    const surety_model *model = surety__run_model(run);
    const surety__plan *plan = &run->plan;
    const surety_val root = surety_contract_root(run->options.contract);
    const bool example =
        options->style == SURETY_PROMPT_EXAMPLE ||
        (options->style == SURETY_PROMPT_CONTRACT &&
         surety_val_is(
             surety_val_at(root, SURETY__LITERAL("/x-surety/prompt/style")),
             "example"));

    options->schema = root;
    if (plan->strict && surety_strict_changes_values(plan->strict)) {
        options->schema = plan->schema;
        if (example)
            options->example = mode_example(run);
    }
    options->shown =
        plan->mode == SURETY_MODE_TOOL ||
        surety__provider_shows_schema(model->protocol, model->provider);
}

void surety__mode_bind(surety_run *run)
{
    surety__plan *plan = &run->plan;
    const surety__bound *bound;

    plan->schema = surety_val_none();
    plan->strict = NULL;
    plan->name = SURETY__LITERAL("reply");
    plan->description = SURETY__LITERAL("");
    if (!run->options.contract || plan->mode == SURETY_MODE_PROMPT)
        return;
    bound = mode_bound(run, mode_subset(surety__run_model(run)));
    if (bound->strict) {
        plan->name = surety_strict_name(bound->strict);
        plan->description = surety_strict_description(bound->strict);
    }
    if (bound->possible) {
        plan->strict = bound->strict;
        plan->schema = surety_strict_schema(bound->strict);
    } else {
        plan->schema = mode_plain(run);
    }
}
