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

/* The contract in the model's subset; NULL: it has no such form, and the error
 * says why. */
static const surety_strict *mode_strict(surety__run_store *store,
                                        const surety_model *model,
                                        const surety_contract *contract,
                                        surety_error *reterr)
{
    const surety_strict *strict = NULL;

    (void)surety__store_pass(
        store, surety_strict_of(contract, mode_subset(model), &strict, reterr));
    return strict;
}

bool surety__mode_accepts(surety__run_store *store, const surety_model *model,
                          const surety_contract *contract)
{
    const surety_strict *strict = mode_strict(store, model, contract, NULL);

    return strict &&
           surety_strict_info_of(strict)->support == SURETY_STRICT_ACCEPTED;
}

static bool mode_is_possible(const surety_strict *strict)
{
    return strict &&
           surety_strict_info_of(strict)->support != SURETY_STRICT_IMPOSSIBLE;
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
    surety_error cause = {.message = ""};
    const surety_strict *strict;
    surety_str reason;

    if (!surety__protocol_has(model->protocol, mode))
        return false;
    if (mode == SURETY_MODE_NATIVE && forms->setup->options.tools &&
        !surety__model_joins_tools(model)) {
        surety_buf_text(out, "the model takes no tools beside structured "
                             "output");
        return false;
    }
    strict = mode_strict(forms->store, model, forms->setup->options.contract,
                         &cause);
    if (mode_is_possible(strict) ||
        (mode == SURETY_MODE_TOOL && mode_root_is_object(forms->setup)))
        return true;
    if (mode != SURETY_MODE_NATIVE)
        return false;
    reason = strict ? mode_reason(forms->store, strict)
                    : surety_str_of(cause.message);
    surety__buf_printf(out, "%s does not take the schema (",
                       surety_subset_name(mode_subset(model)));
    surety__buf_line(out, reason, 240);
    surety_buf_byte(out, ')');
    return false;
}

/* Without a contract a mode only says how tools are called. */
static surety_mode mode_without_contract(const surety__setup *setup,
                                         const surety_model *model)
{
    return setup->options.tools && model->mode != SURETY_MODE_PROMPT &&
                   surety__protocol_has(model->protocol, SURETY_MODE_NATIVE)
               ? SURETY_MODE_NATIVE
               : SURETY_MODE_PROMPT;
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
        at->mode = mode_without_contract(setup, model);
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

/* The contract's schema without x-surety. A schema that is a boolean is no
 * schema of a tool: every value may be sent, and the contract judges it. */
static surety_str mode_plain(surety__forms *forms)
{
    const surety_contract *contract = forms->setup->options.contract;
    surety_str text = SURETY__LITERAL("{}");

    if (surety_val_kind(surety_contract_info_of(contract)->root) ==
        SURETY_KIND_OBJECT)
        (void)surety__store_pass(
            forms->store, surety_contract_schema_text(contract, &text, NULL));
    return text;
}

/* The contract's example in its delivered form; NONE: there is none. */
static surety_val mode_example(surety__forms *forms,
                               const surety_strict *strict)
{
    surety__run_store *store = forms->store;
    surety_doc *given = NULL;
    surety_status status = SURETY_NOMEM;

    if (surety__store_doc(store, &forms->example) &&
        surety__store_doc(store, &given))
        status =
            surety_prompt_example(forms->setup->options.contract, given, NULL);
    if (status == SURETY_OK)
        status = surety_strict_deliver(strict, surety_doc_root(given),
                                       forms->example, NULL);
    surety_doc_free(given);
    return surety__store_pass(store, status) == SURETY_OK
               ? surety_doc_root(forms->example)
               : surety_val_none();
}

void surety__mode_show(surety__forms *forms, const surety_model *model,
                       const surety__plan *plan, surety_prompt_options *options)
{
    const surety_strict_info *strict =
        plan->strict ? surety_strict_info_of(plan->strict) : NULL;
    const surety_val root =
        surety_contract_info_of(forms->setup->options.contract)->root;
    const bool example =
        options->style == SURETY_PROMPT_EXAMPLE ||
        (options->style == SURETY_PROMPT_CONTRACT &&
         surety_val_is(
             surety_val_at(root, SURETY__LITERAL("/x-surety/prompt/style")),
             "example"));

    options->schema = root;
    if (strict && strict->changes_values) {
        options->schema = strict->schema;
        if (example)
            options->example = mode_example(forms, plan->strict);
    }
    options->shown =
        plan->mode == SURETY_MODE_TOOL ||
        surety__provider_shows_schema(model->protocol, model->provider);
}

void surety__mode_bind(surety__forms *forms, const surety_model *model,
                       surety__plan *plan)
{
    const surety_strict_info *info;
    const surety_strict *strict;

    plan->schema = SURETY__LITERAL("");
    plan->strict = NULL;
    plan->name = SURETY__LITERAL("reply");
    plan->description = SURETY__LITERAL("");
    if (!forms->setup->options.contract || plan->mode == SURETY_MODE_PROMPT)
        return;
    strict =
        mode_strict(forms->store, model, forms->setup->options.contract, NULL);
    if (strict) {
        info = surety_strict_info_of(strict);
        plan->name = info->name;
        plan->description = info->description;
        plan->schema = info->text;
    }
    if (mode_is_possible(strict))
        plan->strict = strict;
    else
        plan->schema = mode_plain(forms);
}

const surety_contract *surety__mode_any(surety__forms *forms)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .limits =
                                                 forms->setup->options.limits,
                                             .alloc = forms->store->alloc};

    if (!forms->any)
        (void)surety__store_pass(
            forms->store, surety_contract_read(SURETY__LITERAL("true"),
                                               &options, &forms->any, NULL));
    return forms->any;
}

const surety_contract *surety__mode_delivered(surety__forms *forms,
                                              const surety__plan *plan)
{
    const surety_contract *delivered = forms->setup->options.contract;

    if (plan->strict &&
        surety__store_pass(forms->store,
                           surety_strict_delivered(plan->strict, &delivered,
                                                   NULL)) != SURETY_OK)
        return surety__mode_any(forms);
    return delivered;
}

void surety__mode_done(surety__forms *forms)
{
    surety_contract_free(forms->any);
    surety_doc_free(forms->example);
}
