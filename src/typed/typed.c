/* SPDX-License-Identifier: Apache-2.0 */
/* The other functions that generated code calls: read its contract, judge a
 * reply, write and check a value, compute derived members. All of them use the
 * same judge and rules as any other caller, so a typed value is valid exactly
 * when its JSON is. */
#include "typed/inside.h"

#include <surety/reply.h>

surety_status surety_typed_contract(const surety_typed *typed,
                                    const surety_contract_options *options,
                                    surety_contract **ret_contract,
                                    surety_error *reterr)
{
    surety_contract_options named;
    surety_status status;
    surety_buf text;

    if (!typed || !ret_contract)
        return surety__fail(reterr, SURETY_MISUSE,
                            "types and an address for the contract are needed");
    status = surety__options_take(&named, sizeof(named), options, reterr);
    if (status)
        return status;
    if (named.name.len == 0)
        named.name = surety_str_of(typed->contract_name);
    surety_buf_init(&text, named.alloc, 0);
    for (const char *const *piece = typed->contract; *piece; piece++)
        surety_buf_text(&text, *piece);
    status = text.status;
    if (status == SURETY_OK)
        status = surety_contract_read(surety_buf_str(&text), &named,
                                      ret_contract, reterr);
    else
        surety__fail_nomem(reterr);
    surety_buf_done(&text);
    return status;
}

surety_status surety_typed_read(const surety_typed *typed,
                                const surety_contract *contract,
                                surety_str reply, const void **ret_value,
                                surety_outcome **ret_outcome,
                                surety_error *reterr)
{
    surety_outcome *outcome = NULL;
    const void *value = NULL;
    surety_status status;
    surety_val val;

    if (!typed || !contract || !ret_value)
        return surety__fail(
            reterr, SURETY_MISUSE,
            "types, a contract and an address for the value are "
            "needed");
    status = surety_contract_judge(contract, reply, NULL, &outcome, reterr);
    if (status != SURETY_OK)
        return status;
    val = surety_outcome_info_of(outcome)->value;
    if (val.doc) {
        const bool valid = surety_outcome_info_of(outcome)->ok;

        status = surety_typed_from(typed, contract, val, &value,
                                   valid ? reterr : NULL);
        if (!valid && status != SURETY_OK && status != SURETY_NOMEM)
            status = SURETY_OK;
        else if (!valid && status == SURETY_NOMEM)
            surety__fail_nomem(reterr);
    }
    if (status == SURETY_OK)
        *ret_value = value;
    if (status == SURETY_OK && ret_outcome)
        *ret_outcome = outcome;
    else
        surety_outcome_free(outcome);
    return status;
}

surety_status surety_typed_write(const surety_typed *typed, const void *value,
                                 surety_style style, surety_buf *out,
                                 surety_error *reterr)
{
    surety_status status;
    surety_doc *doc;

    if (!out)
        return surety__fail(reterr, SURETY_MISUSE, "a buffer is needed");
    doc = surety_doc_new(out->alloc);
    if (!doc)
        return surety__fail_nomem(reterr);
    status = surety_typed_to(typed, value, doc, reterr);
    if (status == SURETY_OK) {
        status = surety_val_write(surety_doc_root(doc), style, out);
        if (status == SURETY_NOMEM)
            surety__fail_nomem(reterr);
        else if (status != SURETY_OK)
            surety__fail(reterr, status, "the value cannot be written");
    }
    surety_doc_free(doc);
    return status;
}

surety_status surety_typed_check(const surety_typed *typed,
                                 const surety_contract *contract,
                                 const void *value, surety_buf *json,
                                 surety_outcome **ret_outcome,
                                 surety_error *reterr)
{
    const surety_extract native = {
        .size = sizeof(native), .from = {SURETY_PLACE_NATIVE}, .from_count = 1};
    const surety_repair none = SURETY_REPAIR_NONE;
    surety_judge_options options = {.size = sizeof(options),
                                    .extract = &native,
                                    .repair = &none,
                                    .no_fallback = true};
    surety_status status;

    if (!contract || !json || json->len || !ret_outcome)
        return surety__fail(
            reterr, SURETY_MISUSE,
            "a contract, an empty buffer and an address for the "
            "outcome are needed");
    status =
        surety_typed_write(typed, value, SURETY_STYLE_COMPACT, json, reterr);
    if (status != SURETY_OK)
        return status;
    options.native = surety_buf_str(json);
    return surety_contract_judge(contract, (surety_str){NULL, 0}, &options,
                                 ret_outcome, reterr);
}

surety_status surety_typed_derive(const surety_typed *typed,
                                  const surety_contract *contract,
                                  const void *value, const char *name,
                                  surety_doc *doc, surety_error *reterr)
{
    surety__rules *rules = NULL;
    surety_doc *all = NULL;
    surety_doc *whole = NULL;
    surety_status status;
    surety_val found;

    if (!contract || !doc)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a contract and a document are needed");
    if (name &&
        !surety_val_get(surety_contract_info_of(contract)->derive, name).doc)
        return surety__fail(reterr, SURETY_END,
                            "the contract has no derived member \"%s\"", name);
    whole = surety_doc_new(contract->alloc);
    all = surety_doc_new(contract->alloc);
    rules = surety__rules_new(contract, contract->alloc);
    if (!whole || !all || !rules) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    status = surety_typed_to(typed, value, whole, reterr);
    if (status == SURETY_OK)
        status =
            surety__rules_derive(rules, surety_doc_root(whole), all, reterr);
    if (status != SURETY_OK)
        goto done;
    found = surety_doc_root(all);
    if (name)
        found = surety_val_get(found, name);
    surety_build_begin(doc, NULL);
    surety_build_val(doc, found);
    status = surety_build_end(doc, reterr);
done:
    surety__rules_free(rules);
    surety_doc_free(all);
    surety_doc_free(whole);
    return status;
}
