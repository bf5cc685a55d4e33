/* SPDX-License-Identifier: Apache-2.0 */
/* Examples for a model, of two kinds: one value that shows the form, the
 * contract's own or one made from its schema; and inputs with the output that
 * is wanted for each (x-surety.prompt.examples, or the options').
 *
 * Rules:
 * 1. Every example satisfies schema and rules: a model copies a fault.
 * 2. Inputs and outputs are turns of a conversation (surety_prompt_turns) or a
 *    part of the prompt's text, never both. A template with ${examples} has
 *    them in its text.
 * 3. An output has the form that the reply must have: the value that a provider
 *    delivers, or the JSON at its place in a text. */
#include "prompt/prompt.h"

/* ---- one value ----------------------------------------------------------- */

/* Whether a value satisfies schema and rules. Returns a status other than OK if
 * the check itself fails. */
static surety_status example_check(const surety_contract *contract,
                                   surety_val value, const surety_alloc *alloc,
                                   bool *ret_valid, surety_error *reterr)
{
    const surety_status status =
        surety__contract_holds(contract, value, alloc, NULL);

    *ret_valid = status == SURETY_OK;
    if (status == SURETY_OK || status == SURETY_SYNTAX)
        return SURETY_OK;
    return surety__fail(reterr, status, "an example could not be checked: %s",
                        surety_status_name(status));
}

/* The contract's own example if it is valid. SURETY_END: it is not. */
static surety_status example_given(const surety_contract *contract,
                                   surety_doc *out, surety_error *reterr)
{
    const surety_val given = contract->policy.prompt_example;
    bool valid = false;
    surety_status status;

    if (!given.doc)
        return SURETY_END;
    status = example_check(contract, given, out->alloc, &valid, reterr);
    if (status != SURETY_OK || !valid)
        return status != SURETY_OK ? status : SURETY_END;
    surety_build_begin(out, NULL);
    surety_build_val(out, given);
    return surety_build_end(out, reterr);
}

/* Builds an example in out. */
static surety_status example_find(const surety_contract *contract,
                                  surety_doc *out, surety_error *reterr)
{
    surety_status status;
    surety_buf text;
    surety_str id;
    bool valid = false;

    status = example_given(contract, out, reterr);
    if (status != SURETY_END)
        return status;
    status = SURETY_OK;
    surety_buf_init(&text, out->alloc, 0);
    for (unsigned pass = 0; pass < MAKE_PASSES && status == SURETY_OK && !valid;
         pass++) {
        surety_buf_reset(&text);
        if (!surety__make_value(surety_contract_info_of(contract)->schema, pass,
                                out->alloc, &text)) {
            if (text.status != SURETY_OK)
                status = surety__fail_nomem(reterr);
            continue;
        }
        status = surety_doc_read(out, surety_buf_str(&text), NULL, reterr);
        if (status == SURETY_OK)
            status = example_check(contract, surety_doc_root(out), out->alloc,
                                   &valid, reterr);
    }
    surety_buf_done(&text);
    if (status != SURETY_OK || valid)
        return status;
    id = surety_contract_info_of(contract)->id;
    surety__fail(reterr, SURETY_UNSUPPORTED,
                 "no example could be made for the contract%s%.*s",
                 id.len ? " " : "", (int)id.len, id.ptr);
    surety__hint(reterr, "give one in x-surety.prompt.example, or choose "
                         "another style");
    return SURETY_UNSUPPORTED;
}

static surety_status example_make(const surety_contract *contract,
                                  const void *from, void **ret_made,
                                  surety_error *reterr)
{
    surety_doc *doc = surety_doc_new(contract->alloc);
    const surety_status status =
        doc ? example_find(contract, doc, reterr) : surety__fail_nomem(reterr);

    (void)from;
    if (status == SURETY_OK)
        *ret_made = doc;
    else
        surety_doc_free(doc);
    return status;
}

static void example_free(void *made)
{
    surety_doc_free(made);
}

surety_status surety__example_of(const surety_contract *contract,
                                 const surety_doc **ret_example,
                                 surety_error *reterr)
{
    const surety__recipe recipe = {example_make, example_free, NULL};
    const void *made = NULL;
    const surety_status status =
        surety__form_of(contract, CONTRACT_EXAMPLE, &recipe, &made, reterr);

    if (status == SURETY_OK)
        *ret_example = made;
    return status;
}

surety_status surety_prompt_example(const surety_contract *contract,
                                    surety_doc *out, surety_error *reterr)
{
    const surety_doc *example = NULL;
    surety_status status;

    if (!contract || !out)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a contract and a doc are needed");
    status = surety__example_of(contract, &example, reterr);
    if (status != SURETY_OK)
        return status;
    surety_build_begin(out, NULL);
    surety_build_val(out, surety_doc_root(example));
    return surety_build_end(out, reterr);
}

/* ---- inputs and outputs -------------------------------------------------- */

/* Reads the examples of the options, if they have any, into *ret_own, which the
 * caller frees. */
static surety_status examples_read(const surety_prompt_options *options,
                                   const surety_alloc *alloc,
                                   surety_doc **ret_own, surety_error *reterr)
{
    surety_doc *own = NULL;
    surety_status status = SURETY_OK;

    if (options->examples.len) {
        own = surety_doc_new(alloc);
        status = own ? surety_doc_read(own, options->examples, NULL, reterr)
                     : surety__fail_nomem(reterr);
        if (status == SURETY_OK)
            status = surety__examples_check_form(surety_doc_root(own), reterr);
    }
    *ret_own = own;
    return status;
}

/* Names the option in an error about it. Returns status. */
static surety_status examples_name(surety_status status, surety_error *reterr)
{
    if (status == SURETY_SYNTAX && reterr)
        memcpy(reterr->source, "examples", sizeof("examples"));
    return status;
}

surety_status surety__example_check_given(const surety_prompt_options *options,
                                          surety_error *reterr)
{
    surety_doc *own;
    const surety_status status = examples_read(options, NULL, &own, reterr);

    surety_doc_free(own);
    return examples_name(status, reterr);
}

/* Finds the examples of a call; *ret_own has those of the options. */
static surety_status examples_find(const surety_contract *contract,
                                   const surety_prompt_options *options,
                                   const surety_alloc *alloc,
                                   surety_doc **ret_own, surety_val *ret_list,
                                   surety_error *reterr)
{
    surety_status status = examples_read(options, alloc, ret_own, reterr);

    *ret_list =
        *ret_own ? surety_doc_root(*ret_own) : contract->policy.prompt_examples;
    if (status == SURETY_OK && *ret_own)
        status = surety__examples_check(contract, *ret_list, alloc, reterr);
    return examples_name(status, reterr);
}

/* Appends an output as a reply has it. SURETY_UNSUPPORTED: it has no such
 * form. */
static surety_status examples_output(const surety_contract *contract,
                                     const surety_prompt_options *options,
                                     surety_val value, surety_buf *out,
                                     surety_error *reterr)
{
    const surety_place place = surety__format_where(contract, options->native);
    const bool fenced =
        place == SURETY_PLACE_FENCE || place == SURETY_PLACE_FENCE_ANY;
    surety_doc *delivered = surety_doc_new(out->alloc);
    surety_status status =
        delivered ? surety__format_deliver(contract, options, value, delivered,
                                           reterr)
                  : surety__fail_nomem(reterr);

    if (status == SURETY_OK) {
        if (place == SURETY_PLACE_MARKER) {
            surety_buf_add(out,
                           surety_contract_info_of(contract)->extract->marker);
            surety_buf_byte(out, ' ');
        }
        surety_buf_text(out, fenced ? "```json\n" : "");
        surety_val_write(surety_doc_root(delivered), SURETY_STYLE_COMPACT, out);
        surety_buf_text(out, fenced ? "\n```" : "");
    }
    surety_doc_free(delivered);
    return status;
}

bool surety__example_placed(const surety_contract *contract,
                            const surety_prompt_options *options)
{
    static const surety__wording_kind kinds[] = {WORDING_INSTRUCTIONS,
                                                 WORDING_SYSTEM};
    bool placed = false;

    for (size_t i = 0; i < SURETY__COUNT(kinds); i++) {
        surety__wording wording;

        placed =
            placed || (surety__format_wording(contract, options, kinds[i],
                                              &wording, NULL) == SURETY_OK &&
                       surety__wording_has(&wording, VARIABLE_EXAMPLES));
    }
    return placed;
}

surety_status surety__example_texts(const surety_contract *contract,
                                    const surety_prompt_options *options,
                                    surety_buf *out, surety_error *reterr)
{
    surety_doc *own;
    surety_val list;
    size_t number = 0;
    surety_status status =
        examples_find(contract, options, out->alloc, &own, &list, reterr);

    SURETY_EACH (value, list) {
        const size_t start = out->len;

        if (status != SURETY_OK)
            break;
        surety__buf_printf(out, "%sExample %zu:\n", number ? "\n\n" : "",
                           number + 1);
        surety_buf_add(out, surety_val_str(surety_val_get(value, "input")));
        surety__buf_printf(out, "\nAnswer %zu:\n", number + 1);
        status = examples_output(contract, options,
                                 surety_val_get(value, "output"), out, reterr);
        if (status == SURETY_UNSUPPORTED) {
            status = SURETY_OK;
            out->len = out->status == SURETY_OK ? start : out->len;
        } else {
            number++;
        }
    }
    surety_doc_free(own);
    return status;
}

/* Builds a message of one text. */
static void examples_say(surety_doc *out, const char *role, surety_str text)
{
    surety_build_object(out);
    surety_build_name(out, "role");
    surety_build_str(out, surety_str_of(role));
    surety_build_name(out, "content");
    surety_build_str(out, text);
    surety_build_close(out);
}

surety_status surety_prompt_turns(const surety_contract *contract,
                                  const surety_prompt_options *options,
                                  surety_doc *out, surety_error *reterr)
{
    surety_prompt_options own;
    surety_doc *given = NULL;
    surety_val list = surety_val_none();
    surety_status status;
    surety_buf text;

    if (!contract || !out)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a contract and a doc are needed");
    if (surety__options_take(&own, sizeof(own), options, reterr))
        return SURETY_MISUSE;
    surety_buf_init(&text, out->alloc, 0);
    status = examples_find(contract, &own, out->alloc, &given, &list, reterr);
    if (surety__example_placed(contract, &own))
        list = surety_val_none();
    surety_build_begin(out, NULL);
    surety_build_array(out);
    SURETY_EACH (value, list) {
        if (status != SURETY_OK)
            break;
        surety_buf_reset(&text);
        status = examples_output(
            contract, &own, surety_val_get(value, "output"), &text, reterr);
        if (status == SURETY_OK && text.status != SURETY_OK)
            status = surety__fail_nomem(reterr);
        if (status == SURETY_OK) {
            examples_say(out, "user",
                         surety_val_str(surety_val_get(value, "input")));
            examples_say(out, "assistant", surety_buf_str(&text));
        } else if (status == SURETY_UNSUPPORTED) {
            status = SURETY_OK;
        }
    }
    surety_build_close(out);
    if (status == SURETY_OK)
        status = surety_build_end(out, reterr);
    surety_buf_done(&text);
    surety_doc_free(given);
    return status;
}
