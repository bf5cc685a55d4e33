/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of a run: the options, checked, copied, and with their
 * defaults.
 *
 * Invariants:
 * 1. The run reads only the copies: structs that the caller's options point to
 *    may be freed after surety_run_new has returned.
 * 2. Nothing changes after that. */
#include "run/run.h"

static surety_status setup_check_model(const surety_run_options *options,
                                       size_t i, surety_error *reterr)
{
    const surety_model *model = &options->models[i];
    const surety_transport *transport = model->transport;
    const int len = (int)(model->name.len < 80 ? model->name.len : 80);
    const char *name = model->name.ptr;

    /* Models are items of an array, so this size is the same in every
     * release. */
    if (model->size != sizeof(*model)) {
        (void)surety__fail(reterr, SURETY_MISUSE,
                           "the model %.*s has the size %zu and not "
                           "%zu",
                           len, name, model->size, sizeof(*model));
        surety__hint(reterr, "set the member size to sizeof(surety_model)");
        return SURETY_MISUSE;
    }
    if (!transport || !transport->start || !transport->cancel ||
        !transport->wait || transport->version < 1 || transport->version > 3)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the model %.*s has no transport of version 1 to 3",
                            len, name);
    if ((unsigned)model->protocol > SURETY_PROTOCOL_TEXT ||
        (unsigned)model->mode > SURETY_MODE_PROMPT)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the model %.*s has an unknown protocol or mode",
                            len, name);
    if (model->mode != SURETY_MODE_AUTO &&
        !surety__protocol_has(model->protocol, model->mode)) {
        (void)surety__fail(
            reterr, SURETY_MISUSE,
            "the model %.*s cannot be called in mode %s: the protocol %s does "
            "not have it",
            len, name, surety_mode_name(model->mode),
            surety_protocol_name(model->protocol));
        surety__hint(reterr, "use mode auto or prompt");
        return SURETY_MISUSE;
    }
    if (options->budget.cost_picousd_max && !model->price.known) {
        (void)surety__fail(
            reterr, SURETY_MISUSE,
            "a budget of money needs prices, and the model %.*s has none", len,
            name);
        surety__hint(reterr, "give its prices in the configuration");
        return SURETY_MISUSE;
    }
    return SURETY_OK;
}

/* Whether the request is the caller's own. */
static bool setup_passes(const surety_run_options *options)
{
    return options->request.len || options->request_path.len;
}

/* Whether the request may change something at each sending (RFC 9110, section
 * 9.2.2). */
static bool setup_is_once(const surety_run_options *options)
{
    static const char *const methods[] = {"", "POST", "PATCH"};

    return options->request_as_is &&
           surety__str_among(options->request_method, methods,
                             SURETY__COUNT(methods));
}

/* Checks the caller's own request. */
static surety_status setup_check_request(const surety_run_options *options,
                                         surety_error *reterr)
{
    if (options->request_as_is && !options->request_path.len)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a request that goes as it is needs a path");
    if (!setup_passes(options))
        return SURETY_OK;
    if (options->contract || options->prompt.len || options->system.len ||
        options->message_count)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a request to pass on has no prompt, contract or "
                            "messages beside it");
    if (options->tools && (!surety__tools_are_declared(options->tools) ||
                           options->request_path.len))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a request to pass on may have declared tools "
                            "beside it, if it is a call");
    if (options->tools && surety__tools_repair(options->tools))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a response is passed on as it is, so the tools "
                            "beside its request repair no arguments");
    for (size_t i = 0; i < options->model_count && options->tools; i++)
        if (options->models[i].mode == SURETY_MODE_PROMPT)
            return surety__fail(reterr, SURETY_MISUSE,
                                "a model in mode prompt makes no calls that "
                                "could be checked beside a request");
    for (size_t i = 0; i < options->model_count; i++)
        if (options->models[i].protocol != options->models[0].protocol ||
            options->models[i].protocol == SURETY_PROTOCOL_TEXT)
            return surety__fail(reterr, SURETY_MISUSE,
                                "a request to pass on needs models of one "
                                "protocol, and not of the protocol text");
    return SURETY_OK;
}

/* Checks the choice among the tools. */
static surety_status setup_check_choice(const surety_run_options *options,
                                        surety_error *reterr)
{
    const surety_tool_choice choice = options->tool_choice;
    const surety_str name = options->tool_choice_name;
    surety_status status = SURETY_OK;

    if (choice == SURETY_TOOL_CHOICE_AUTO && !options->single_call)
        return SURETY_OK;
    if (!surety__tools_are_declared(options->tools))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a choice of tools needs declared tools");
    if ((unsigned)choice > SURETY_TOOL_CHOICE_NAMED)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is no choice of tools %u", (unsigned)choice);
    if (choice == SURETY_TOOL_CHOICE_NAMED &&
        !surety__tools_find(options->tools, name))
        return surety__fail(reterr, SURETY_MISUSE,
                            "the tool that must be called, \"%.*s\", is not "
                            "in the set",
                            (int)(name.len < 80 ? name.len : 80),
                            name.len ? name.ptr : "");
    for (size_t i = 0; i < options->model_count && status == SURETY_OK; i++)
        status = surety__choice_check(options->models[i].protocol,
                                      options->models[i].mode, choice,
                                      options->single_call, reterr);
    return status == SURETY_OK ? status : SURETY_MISUSE;
}

surety_status surety__setup_check(const surety_run_options *options,
                                  surety_error *reterr)
{
    surety_status status = SURETY_OK;

    if (!options->model_count || !options->models)
        return surety__fail(reterr, SURETY_MISUSE, "a run needs a model");
    if (options->ledger &&
        (options->ledger->version < 1 || options->ledger->version > 2))
        return surety__fail(reterr, SURETY_MISUSE,
                            "the ledger has the version %u, not 1 or 2",
                            (unsigned)options->ledger->version);
    if ((options->prompt.len && !options->prompt.ptr) ||
        (options->system.len && !options->system.ptr) ||
        (options->message_count && !options->messages))
        return surety__fail(reterr, SURETY_MISUSE,
                            "an option has a length but no address");
    if (options->items && !options->contract)
        return surety__fail(reterr, SURETY_MISUSE,
                            "elements as they come need a contract");
    if (options->output)
        status =
            surety_run_output_allows(options->contract, options->judge, reterr);
    if (status != SURETY_OK)
        return status == SURETY_NOMEM ? status : SURETY_MISUSE;
    status = setup_check_choice(options, reterr);
    if (status == SURETY_OK)
        status = setup_check_request(options, reterr);
    for (size_t i = 0; i < options->message_count; i++)
        if (!options->messages[i].part_count || !options->messages[i].parts)
            return surety__fail(reterr, SURETY_MISUSE,
                                "message %zu has no part", i + 1);
    for (size_t i = 0; i < options->model_count && status == SURETY_OK; i++)
        status = setup_check_model(options, i, reterr);
    return status;
}

/* The default for 0; 0 for SURETY_RUN_NONE. */
static uint32_t setup_number(uint32_t given, uint32_t usual)
{
    return given == SURETY_RUN_NONE ? 0 : given ? given : usual;
}

/* Re-asks because of wrong calls, where no contract says how many: as many as
 * a contract has by default. */
enum { SETUP_REASKS = 2 };

/* Replaces zeros by the defaults. */
static void setup_settle(surety__setup *setup)
{
    surety_run_options *options = &setup->options;
    surety_budget *budget = &options->budget;
    surety_backoff *backoff = &options->backoff;
    const surety_contract_info *contract =
        options->contract ? surety_contract_info_of(options->contract) : NULL;

    options->steps_max = options->steps_max ? options->steps_max : 16;
    options->tool_calls_max =
        options->tool_calls_max ? options->tool_calls_max : 64;
    if (!budget->calls_max)
        budget->calls_max =
            8 + (options->tools && !setup->declared ? options->steps_max : 0);
    budget->tokens_max = budget->tokens_max ? budget->tokens_max : 1000000;
    budget->ms_max = budget->ms_max ? budget->ms_max : 1200000;
    backoff->retries_max = setup_number(backoff->retries_max, 3);
    backoff->first_ms = backoff->first_ms ? backoff->first_ms : 500;
    backoff->most_ms = backoff->most_ms ? backoff->most_ms : 8000;
    backoff->retry_after_max_ms =
        backoff->retry_after_max_ms ? backoff->retry_after_max_ms : 60000;
    options->broken_retries_max = setup_number(options->broken_retries_max, 1);
    setup->passes = setup_passes(options);
    setup->raw = (surety__raw){.body = options->request,
                               .path = options->request_path,
                               .method = options->request_method,
                               .headers = options->request_headers,
                               .header_count = options->request_header_count,
                               .is_bytes = options->request_as_is,
                               .type = options->request_type};
    setup->is_once = setup_is_once(options);
    setup->declared = surety__tools_are_declared(options->tools);
    setup->checks = setup->passes && setup->declared;
    setup->must_call =
        setup->declared && options->tool_choice >= SURETY_TOOL_CHOICE_REQUIRED;
    if (contract || setup->declared)
        setup->reask_max = setup_number(
            options->retry_max, contract ? contract->retry_max : SETUP_REASKS);
    setup->feedback = options->has_feedback ? options->feedback
                      : contract            ? contract->feedback
                                            : SURETY_FEEDBACK_ERRORS;
    if (setup->must_call) {
        options->contract = NULL;
        options->items = NULL;
        options->output = SURETY_RUN_OUTPUT_OFF;
    }
    if (options->output)
        options->stop = SURETY_STOP_ALWAYS;
    else
        setup->output = NULL;
}

/* Sets the places for structured values: those of the contract, with native
 * first, whether it is listed or not. */
static void setup_settle_extract(surety__setup *setup)
{
    const surety_extract given = *surety__setup_extract(setup);
    surety_extract *extract = &setup->extract;

    *extract = given;
    if (!given.from_count)
        return;
    extract->from_count = 0;
    extract->from[extract->from_count++] = SURETY_PLACE_NATIVE;
    for (size_t i = 0;
         i < given.from_count && extract->from_count < SURETY_PLACES; i++)
        if (given.from[i] != SURETY_PLACE_NATIVE)
            extract->from[extract->from_count++] = given.from[i];
}

/* Checks the templates, and the examples with the contract. */
static surety_status setup_check_words(const surety__setup *setup,
                                       surety_error *reterr)
{
    const surety_contract *contract = setup->options.contract;
    surety_status status = surety_prompt_check(&setup->prompt_options, reterr);
    surety_doc *turns;

    if (status != SURETY_OK || !contract || !setup->prompt_options.examples.len)
        return status;
    turns = surety_doc_new(setup->options.alloc);
    status = turns ? surety_prompt_turns(contract, &setup->prompt_options,
                                         turns, reterr)
                   : surety__fail_nomem(reterr);
    surety_doc_free(turns);
    return status;
}

surety_status surety__setup_take(surety__setup *setup,
                                 const surety_run_options *options,
                                 surety__validators *validators,
                                 surety_error *reterr)
{
    surety_judge_options *judge = &setup->judge;
    surety_prompt_options *prompt = &setup->prompt_options;
    surety_status status;

    setup->options = *options;
    setup_settle(setup);
    if (surety__options_take(judge, sizeof(*judge), options->judge, reterr) ||
        surety__options_take(prompt, sizeof(*prompt), options->prompt_options,
                             reterr) ||
        (judge->extract &&
         surety__options_take(&setup->given, sizeof(setup->given),
                              judge->extract, reterr)))
        return SURETY_MISUSE;
    if (judge->extract)
        judge->extract = &setup->given;
    setup->options.judge = judge;
    setup->options.prompt_options = prompt;
    setup->options.instruct_system |= prompt->instruct_system;
    prompt->instruct_system = false;
    prompt->as_turns = true;
    status = setup_check_words(setup, reterr);
    if (status == SURETY_OK)
        status = surety__host_take(validators, judge, setup->options.items,
                                   setup->output, reterr);
    if (status == SURETY_OK && setup->options.contract)
        setup_settle_extract(setup);
    assert(setup->options.budget.calls_max && setup->options.budget.ms_max);
    return status;
}

/* ---- what it means ------------------------------------------------------- */

const surety_extract *surety__setup_extract(const surety__setup *setup)
{
    assert(setup->judge.extract || setup->options.contract);
    return setup->judge.extract
               ? setup->judge.extract
               : surety_contract_info_of(setup->options.contract)->extract;
}

surety_judge_options surety__setup_judge(const surety__setup *setup,
                                         const surety__subject *subject,
                                         const surety_error *fault)
{
    surety_judge_options options = setup->judge;

    assert(!subject->faulty || fault);
    options.limits = setup->options.limits;
    options.native = subject->native;
    options.native_fault = subject->faulty ? fault : NULL;
    options.partial = subject->partial;
    options.cut = subject->cut;
    if (subject->native.len)
        options.extract = &setup->extract;
    return options;
}

bool surety__setup_takes_partial(const surety__setup *setup)
{
    const surety_contract *contract = setup->options.contract;

    return contract &&
           (surety_contract_info_of(contract)->partial || setup->judge.partial);
}

void surety__setup_event(const surety__setup *setup, size_t attempt,
                         surety_event_kind kind, surety_str text)
{
    const surety_event event = {
        .kind = kind, .attempt = (uint32_t)attempt, .text = text};

    if (setup->options.event)
        setup->options.event(setup->options.event_ctx, &event);
}
