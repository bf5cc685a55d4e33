/* SPDX-License-Identifier: Apache-2.0 */
/* Picks the mode in which a model is asked. The modes have an order: the
 * provider's structured output (native), one tool that the model must call
 * (tool), the prompt alone (prompt). AUTO starts with the highest mode that
 * the protocol has and the schema fits, and never goes up again. A model with
 * a given mode keeps it.
 *
 * Rules:
 * 1. Mode `native` needs the contract in the provider's strict subset. Mode
 *    `tool` also accepts the contract's own schema, which the provider does
 *    not enforce, if the `type` at its root is "object".
 * 2. A contract that does not list the place native wants no structured value:
 *    AUTO asks for text.
 * 3. The model sees one form of the value, the one that it is bound to, and
 *    sees it once: from its provider, or in the prompt if the provider does
 *    not show it.
 * 4. The contract is checked here in every mode. In a lower mode the provider
 *    helps less, but Surety guarantees the same. */
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
static surety_str mode_reason(surety__run_store *store,
                              const surety_strict *strict)
{
    surety_buf *out = &store->text;

    for (size_t i = 0; i < surety_strict_info_of(strict)->note_count; i++) {
        const surety_strict_note note = surety_strict_info_of(strict)->notes[i];

        if (note.support != SURETY_STRICT_IMPOSSIBLE)
            continue;
        surety__buf_line(out, note.message, 160);
        surety_buf_text(out, " at ");
        surety__buf_line(
            out, note.location.len ? note.location : SURETY__LITERAL("/"), 80);
        break;
    }
    return surety__store_keep(store);
}

/* The contract in the model's subset, compiled once. */
static surety__bound *mode_bound(surety__forms *forms,
                                 const surety_model *model)
{
    const surety_subset subset = mode_subset(model);
    surety__bound *bound = &forms->bounds[subset];
    surety__run_store *store = forms->store;
    surety_error err = {.status = SURETY_OK};
    surety_status status;

    if (bound->tried)
        return bound;
    bound->tried = true;
    status = surety_strict_new(forms->setup->options.contract, subset,
                               store->alloc, &bound->strict, &err);
    if (status == SURETY_NOMEM) {
        store->status = SURETY_NOMEM;
    } else if (status != SURETY_OK) {
        bound->reason = surety__store_copy(store, surety_str_of(err.message));
    } else {
        bound->possible = surety_strict_info_of(bound->strict)->support !=
                          SURETY_STRICT_IMPOSSIBLE;
        if (!bound->possible)
            bound->reason = mode_reason(store, bound->strict);
    }
    assert(!bound->possible || bound->strict);
    return bound;
}

static bool mode_lists_native(const surety__setup *setup)
{
    const surety_extract *extract = surety__setup_extract(setup);

    for (size_t i = 0; i < extract->from_count; i++)
        if (extract->from[i] == SURETY_PLACE_NATIVE)
            return true;
    return extract->from_count == 0;
}

static bool mode_root_is_object(const surety__setup *setup)
{
    const surety_val root =
        surety_contract_info_of(setup->options.contract)->root;

    return surety_val_is(surety_val_get(root, "type"), "object");
}

/* Whether AUTO may use this mode; if not, the store's text may say why. */
static bool mode_fits(surety__forms *forms, const surety_model *model,
                      surety_mode mode)
{
    surety_buf *out = &forms->store->text;
    const surety__bound *bound;

    if (!surety__protocol_has(model->protocol, mode))
        return false;
    bound = mode_bound(forms, model);
    if (bound->possible ||
        (mode == SURETY_MODE_TOOL && mode_root_is_object(forms->setup)))
        return true;
    if (mode != SURETY_MODE_NATIVE)
        return false;
    surety__buf_printf(out, "%s does not take the schema (",
                       surety_subset_name(mode_subset(model)));
    surety__buf_line(out, bound->reason, 240);
    surety_buf_byte(out, ')');
    return false;
}

void surety__mode_pick(surety__forms *forms, surety__position *at,
                       surety_mode from)
{
    const surety__setup *setup = forms->setup;
    const surety_model *model = surety__setup_model(setup, at);
    surety__run_store *store = forms->store;

    assert(from >= SURETY_MODE_NATIVE && from <= SURETY_MODE_PROMPT);
    at->mode = from;
    at->why = (surety_str){"", 0};
    if (!setup->options.contract) {
        at->mode = SURETY_MODE_PROMPT;
    } else if (model->mode != SURETY_MODE_AUTO) {
        at->mode = model->mode;
        if (model->mode == SURETY_MODE_NATIVE &&
            !mode_fits(forms, model, model->mode)) {
            at->why = surety__store_keep(store);
            surety_buf_text(&store->text, "it is the one given, though ");
            surety_buf_add(&store->text, at->why);
            at->why = surety__store_keep(store);
        }
    } else if (!mode_lists_native(setup)) {
        if (surety__protocol_has(model->protocol, SURETY_MODE_NATIVE))
            at->why = SURETY__LITERAL("the contract does not list the place "
                                      "native");
        at->mode = SURETY_MODE_PROMPT;
    } else {
        while (at->mode < SURETY_MODE_PROMPT &&
               !mode_fits(forms, model, at->mode)) {
            if (store->text.len)
                at->why = surety__store_keep(store);
            at->mode++;
        }
    }
}

bool surety__mode_may_sink(const surety__setup *setup,
                           const surety__position *at)
{
    return setup->options.contract &&
           surety__setup_model(setup, at)->mode == SURETY_MODE_AUTO &&
           at->mode < SURETY_MODE_PROMPT;
}

/* The contract's schema without x-surety. */
static surety_val mode_plain(surety__forms *forms)
{
    const surety_val root =
        surety_contract_info_of(forms->setup->options.contract)->root;
    surety_doc *plain = forms->plain;

    if (plain)
        return surety_doc_root(plain);
    plain = surety__store_doc(forms->store, &forms->plain);
    if (!plain)
        return surety_val_none();
    surety_build_begin(plain, NULL);
    surety_build_object(plain);
    if (surety_val_kind(root) == SURETY_KIND_OBJECT)
        for (surety_val member = surety_val_first(root); member.doc;
             member = surety_val_next(root, member)) {
            const surety_val key = surety_val_key(member);

            if (surety_val_is(key, "x-surety"))
                continue;
            surety_build_key_of(plain, key);
            surety_build_val(plain, member);
        }
    surety_build_close(plain);
    (void)surety__store_pass(forms->store, surety_build_end(plain, NULL));
    return surety_doc_root(plain);
}

/* The contract's example in the delivered form of the plan; NONE: there is
 * none. */
static surety_val mode_example(surety__forms *forms, const surety_model *model)
{
    surety__bound *bound = mode_bound(forms, model);
    surety__run_store *store = forms->store;
    surety_doc *given = NULL;
    surety_status status = SURETY_NOMEM;

    if (bound->exemplified)
        return bound->example ? surety_doc_root(bound->example)
                              : surety_val_none();
    bound->exemplified = true;
    if (surety__store_doc(store, &bound->example) &&
        surety__store_doc(store, &given))
        status =
            surety_prompt_example(forms->setup->options.contract, given, NULL);
    if (status == SURETY_OK)
        status = surety_strict_deliver(bound->strict, surety_doc_root(given),
                                       bound->example, NULL);
    surety_doc_free(given);
    if (surety__store_pass(store, status) == SURETY_OK)
        return surety_doc_root(bound->example);
    surety_doc_free(bound->example);
    bound->example = NULL;
    return surety_val_none();
}

void surety__mode_show(surety__forms *forms, const surety_model *model,
                       const surety__plan *plan, surety_prompt_options *options)
{
    const surety_val root =
        surety_contract_info_of(forms->setup->options.contract)->root;
    const bool example =
        options->style == SURETY_PROMPT_EXAMPLE ||
        (options->style == SURETY_PROMPT_CONTRACT &&
         surety_val_is(
             surety_val_at(root, SURETY__LITERAL("/x-surety/prompt/style")),
             "example"));

    options->schema = root;
    if (plan->strict && surety_strict_info_of(plan->strict)->changes_values) {
        options->schema = plan->schema;
        if (example)
            options->example = mode_example(forms, model);
    }
    options->shown =
        plan->mode == SURETY_MODE_TOOL ||
        surety__provider_shows_schema(model->protocol, model->provider);
}

void surety__mode_bind(surety__forms *forms, const surety_model *model,
                       surety__plan *plan)
{
    const surety__bound *bound;

    plan->schema = surety_val_none();
    plan->strict = NULL;
    plan->name = SURETY__LITERAL("reply");
    plan->description = SURETY__LITERAL("");
    if (!forms->setup->options.contract || plan->mode == SURETY_MODE_PROMPT)
        return;
    bound = mode_bound(forms, model);
    if (bound->strict) {
        plan->name = surety_strict_info_of(bound->strict)->name;
        plan->description = surety_strict_info_of(bound->strict)->description;
    }
    if (bound->possible) {
        plan->strict = bound->strict;
        plan->schema = surety_strict_info_of(bound->strict)->schema;
    } else {
        plan->schema = mode_plain(forms);
    }
}

/* Reads a contract of ours; NULL: it cannot be read. */
static surety_contract *mode_contract(const surety__forms *forms,
                                      surety_str text)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .limits =
                                                 forms->setup->options.limits,
                                             .alloc = forms->store->alloc};
    surety_contract *contract = NULL;

    (void)surety__store_pass(
        forms->store, surety_contract_read(text, &options, &contract, NULL));
    return contract;
}

const surety_contract *surety__mode_any(surety__forms *forms)
{
    if (!forms->any)
        forms->any = mode_contract(forms, SURETY__LITERAL("true"));
    return forms->any;
}

/* Makes the contract that values satisfy in their delivered form, if there is
 * one. */
static void mode_make_delivered(surety__forms *forms, surety__bound *bound)
{
    surety_buf *text = &forms->store->text;
    surety_doc *doc = NULL;
    surety_status status = SURETY_NOMEM;

    if (surety__store_doc(forms->store, &doc))
        status = surety_strict_delivered_schema(bound->strict, doc, NULL);
    if (status == SURETY_OK)
        status =
            surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, text);
    if (surety__store_pass(forms->store, status) == SURETY_OK)
        bound->delivered = mode_contract(forms, surety_buf_str(text));
    surety_buf_reset(text);
    surety_doc_free(doc);
}

const surety_contract *surety__mode_delivered(surety__forms *forms,
                                              const surety_model *model,
                                              const surety__plan *plan)
{
    surety__bound *bound;

    if (!plan->strict ||
        surety_strict_info_of(plan->strict)->support == SURETY_STRICT_ACCEPTED)
        return forms->setup->options.contract;
    bound = mode_bound(forms, model);
    if (!bound->delivered)
        mode_make_delivered(forms, bound);
    return bound->delivered ? bound->delivered : surety__mode_any(forms);
}

void surety__mode_done(surety__forms *forms)
{
    for (size_t i = 0; i < SURETY__SUBSETS; i++) {
        surety_contract_free(forms->bounds[i].delivered);
        surety_strict_free(forms->bounds[i].strict);
        surety_doc_free(forms->bounds[i].example);
    }
    surety_contract_free(forms->any);
    surety_doc_free(forms->plain);
}
