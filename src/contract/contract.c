/* SPDX-License-Identifier: Apache-2.0 */
/* contract.c: reads a contract file into a contract.
 *
 * The steps:
 * 1. Read the JSON.
 * 2. Check it against the built-in contract surety/contract, so that a mistake
 *    in x-surety has a line and a column.
 * 3. Read the policy.
 * 4. Start the rules' worker, which compiles the rules.
 * 5. Compile the schema in the meantime.
 * 6. Wait for the worker's result.
 * 7. Check the examples for prompts.
 *
 * The contract owns all of these. It does not change afterwards, except for its
 * one spare worker and for its forms (forms.c), which its calls make. */
#include "contract/contract.h"

static surety_status contract_read_doc(surety_contract *contract,
                                       surety_str text, surety_error *reterr)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_SKIP_BOM,
                                         .limits = &contract->limits};
    surety_status status;
    surety_kind kind;

    if (text.len > contract->limits.schema_bytes_max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the contract has %zu bytes, more than "
                            "schema_bytes_max (%zu)",
                            text.len, contract->limits.schema_bytes_max);
    contract->doc = surety_doc_new(contract->alloc);
    if (!contract->doc)
        return surety__fail_nomem(reterr);
    status = surety_doc_read(contract->doc, text, &options, reterr);
    if (status != SURETY_OK)
        return status;
    kind = surety_val_kind(surety_doc_root(contract->doc));
    if (kind == SURETY_KIND_OBJECT || kind == SURETY_KIND_BOOLEAN)
        return SURETY_OK;
    status = surety__fail(reterr, SURETY_SYNTAX,
                          "a contract is an object or a boolean, and this is "
                          "%s %s",
                          kind == SURETY_KIND_ARRAY ? "an" : "a",
                          surety_kind_name(kind));
    return surety__policy_at(surety_doc_root(contract->doc), reterr, status);
}

/* Converts a finding to an error at its location in the contract. For a failed
 * pattern the message describes the expected text in words. */
static surety_status contract_explain(surety_finding finding,
                                      surety_error *reterr)
{
    const surety_str found = surety_val_str(finding.instance);
    const surety_str where = finding.instance_location;
    const surety_str prefix = SURETY__LITERAL("/x-surety/");
    surety_str place = SURETY__LITERAL("x-surety");
    surety_status status;

    if (!finding.keyword.ptr)
        return surety__fail_nomem(reterr);
    if (surety__str_starts(where, prefix))
        place = (surety_str){where.ptr + 1, where.len - 1};
    if (surety_str_equal(finding.keyword, SURETY__LITERAL("pattern")))
        status = surety__fail(
            reterr, SURETY_SYNTAX, "%.*s: \"%.*s\" is no %s", (int)place.len,
            place.ptr, (int)found.len, found.ptr,
            surety_str_equal(place, SURETY__LITERAL("x-surety/version"))
                ? "semantic version (1.0.0)"
                : "contract name (lower-case words joined by \"/\")");
    else
        status = surety__fail(reterr, SURETY_SYNTAX, "%.*s: %.*s",
                              (int)place.len, place.ptr,
                              (int)finding.message.len, finding.message.ptr);
    surety__hint(reterr, "%.*s", (int)finding.hint.len, finding.hint.ptr);
    return surety__policy_at(finding.instance, reterr, status);
}

/* Checks the document against surety/contract and reports the first finding. A
 * plain schema, without x-surety, needs no check. */
static surety_status contract_check(const surety_contract *contract,
                                    surety_error *reterr)
{
    const surety_val root = surety_doc_root(contract->doc);
    const surety__embedded *own =
        surety__builtin_find(SURETY__LITERAL("surety/contract"));
    const surety_schema_options options = {.size = sizeof(options),
                                           .assert_format = true,
                                           .alloc = contract->alloc};
    surety_schema *schema = NULL;
    surety_checker *checker = NULL;
    surety_findings *findings = NULL;
    surety_status status;
    bool valid = false;

    if (!surety_val_get(root, "x-surety").doc)
        return SURETY_OK;
    assert(own);
    status = surety_schema_read((surety_str){own->text, own->len}, &options,
                                &schema, reterr);
    if (status != SURETY_OK)
        goto done;
    checker = surety_checker_new(contract->alloc, &contract->limits);
    findings = surety_findings_new(contract->alloc);
    if (!checker || !findings) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    status = surety_checker_check(checker, schema, root, &valid, reterr);
    if (status != SURETY_OK || valid)
        goto done;
    status = surety_checker_report(checker, schema, root, findings, reterr);
    if (status != SURETY_OK)
        goto done;
    assert(surety_findings_count(findings) > 0);
    status = contract_explain(surety_findings_at(findings, 0), reterr);
done:
    surety_findings_free(findings);
    surety_checker_free(checker);
    surety_schema_free(schema);
    return status;
}

/* Chooses the name and makes the id: name and version. */
static surety_status contract_name(surety_contract *contract,
                                   surety_str default_name,
                                   surety_error *reterr)
{
    surety__policy *policy = &contract->policy;
    surety_buf id;

    if (policy->info.name.len == 0 && default_name.len > 0) {
        policy->info.name = surety__arena_text(&contract->arena, default_name);
        if (!policy->info.name.ptr)
            return surety__fail_nomem(reterr);
    }
    policy->info.id = policy->info.name;
    if (policy->info.version.len == 0)
        return SURETY_OK;
    surety_buf_init(&id, contract->alloc, 0);
    surety_buf_add(&id, policy->info.name);
    surety_buf_byte(&id, '@');
    surety_buf_add(&id, policy->info.version);
    policy->info.id = surety__arena_buf(&contract->arena, &id);
    return policy->info.id.ptr ? SURETY_OK : surety__fail_nomem(reterr);
}

static surety_status contract_compile(surety_contract *contract,
                                      const surety_contract_options *options,
                                      surety_error *reterr)
{
    surety_schema_options schema;

    if (surety__options_take(&schema, sizeof(schema), options->schema, reterr))
        return SURETY_MISUSE;
    if (!options->schema)
        schema.assert_format = true;
    schema.limits = &contract->limits;
    schema.alloc = contract->alloc;
    return surety_schema_compile(surety_doc_root(contract->doc), &schema,
                                 &contract->schema, reterr);
}

surety_status surety_contract_read(surety_str text,
                                   const surety_contract_options *options,
                                   surety_contract **ret_contract,
                                   surety_error *reterr)
{
    surety_contract_options own;
    surety_contract *contract;
    surety_status status;

    status = surety__options_take(&own, sizeof(own), options, reterr);
    if (status)
        return status;
    contract = surety__new(own.alloc, sizeof(*contract));
    if (!contract)
        return surety__fail_nomem(reterr);
    contract->alloc = own.alloc;
    contract->limits = surety_limits_of(own.limits);
    surety__arena_init(&contract->arena, own.alloc, 0);

    status =
        surety__forms_begin(contract) ? SURETY_OK : surety__fail_nomem(reterr);
    if (status == SURETY_OK)
        status = contract_read_doc(contract, text, reterr);
    if (status == SURETY_OK)
        status = contract_check(contract, reterr);
    if (status == SURETY_OK)
        status =
            surety__policy_read(surety_doc_root(contract->doc),
                                &contract->arena, &contract->policy, reterr);
    if (status == SURETY_OK)
        status = contract_name(contract, own.name, reterr);
    if (status == SURETY_OK)
        status = surety__rules_start(contract, reterr);
    if (status == SURETY_OK)
        status = contract_compile(contract, &own, reterr);
    contract->policy.info.schema = contract->schema;
    if (status == SURETY_OK && !surety__contract_collect(contract))
        status = surety__fail_nomem(reterr);
    if (status == SURETY_OK)
        status = surety__rules_await(contract, reterr);
    if (status == SURETY_OK)
        status = surety__examples_check(contract,
                                        contract->policy.prompt_examples,
                                        contract->alloc, reterr);
    if (status != SURETY_OK) {
        surety_contract_free(contract);
        return status;
    }
    *ret_contract = contract;
    return SURETY_OK;
}

void surety_contract_free(surety_contract *contract)
{
    if (!contract)
        return;
    surety__forms_end(contract);
    surety__rules_stop(contract);
    surety_schema_free(contract->schema);
    surety_doc_free(contract->doc);
    surety__arena_done(&contract->arena);
    surety__free(contract->alloc, contract, sizeof(*contract));
}

const surety_contract_info *
surety_contract_info_of(const surety_contract *contract)
{
    return &contract->policy.info;
}
