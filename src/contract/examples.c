/* SPDX-License-Identifier: Apache-2.0 */
/* examples.c: inputs, each with the output that is wanted for it. An example
 * that breaks the contract would teach a model the fault. So the output of each
 * is checked, with schema and rules, when examples are read: those of the
 * contract with it, those of a call with the call. */
#include "contract/contract.h"

/* Explains why value does not satisfy the schema. */
static surety_status examples_explain(const surety_contract *contract,
                                      surety_checker *checker, surety_val value,
                                      const surety_alloc *alloc,
                                      surety_error *reterr)
{
    surety_findings *findings = surety_findings_new(alloc);
    surety_status status =
        findings ? surety_checker_report(checker, contract->schema, value,
                                         findings, reterr)
                 : surety__fail_nomem(reterr);
    surety_finding finding;

    if (status == SURETY_OK) {
        assert(surety_findings_count(findings) > 0);
        finding = surety_findings_at(findings, 0);
        if (finding.keyword.ptr) {
            status =
                surety__fail(reterr, SURETY_SYNTAX, "%.*s",
                             (int)finding.message.len, finding.message.ptr);
            surety__hint(reterr, "%.*s", (int)finding.hint.len,
                         finding.hint.ptr);
            (void)surety__policy_at(finding.instance, reterr, status);
        } else {
            status = surety__fail_nomem(reterr);
        }
    }
    surety_findings_free(findings);
    return status;
}

/* Evaluates the rules for value. */
static surety_status examples_keep_rules(const surety_contract *contract,
                                         surety_val value,
                                         const surety_alloc *alloc,
                                         surety_error *reterr)
{
    const surety_contract_info *info = &contract->policy.info;
    const surety__rule_result *results = NULL;
    surety__rules *rules = surety__rules_new(contract, alloc);
    surety_status status =
        rules ? surety__rules_check(rules, value, &results, reterr)
              : surety__fail_nomem(reterr);

    for (size_t i = 0; i < info->rule_count && status == SURETY_OK; i++)
        if (!results[i].holds)
            status = surety__policy_fail(
                value, reterr, "it breaks the rule %.*s: %.*s",
                (int)info->rules[i].id.len, info->rules[i].id.ptr,
                (int)info->rules[i].message.len, info->rules[i].message.ptr);
    surety__rules_free(rules);
    return status;
}

surety_status surety__contract_holds(const surety_contract *contract,
                                     surety_val value,
                                     const surety_alloc *alloc,
                                     surety_error *reterr)
{
    surety_checker *checker = surety_checker_new(alloc, &contract->limits);
    bool valid = false;
    surety_status status;

    if (!checker)
        return surety__fail_nomem(reterr);
    status =
        surety_checker_check(checker, contract->schema, value, &valid, reterr);
    if (status == SURETY_OK && !valid)
        status = reterr
                     ? examples_explain(contract, checker, value, alloc, reterr)
                     : SURETY_SYNTAX;
    surety_checker_free(checker);
    if (status == SURETY_OK && contract->policy.info.rule_count > 0)
        status = examples_keep_rules(contract, value, alloc, reterr);
    return status;
}

/* Checks that value is {"input": TEXT, "output": VALUE}. */
static surety_status examples_check_form(surety_val value, surety_error *reterr)
{
    const surety_val input = surety_val_get(value, "input");

    if (surety_val_kind(input) != SURETY_KIND_STRING ||
        !surety_val_get(value, "output").doc)
        return surety__policy_fail(value, reterr,
                                   "an example is an object with the text "
                                   "\"input\" and the value \"output\"");
    SURETY_EACH (member, value) {
        const surety_val key = surety_val_key(member);

        if (!surety_val_is(key, "input") && !surety_val_is(key, "output"))
            return surety__policy_fail(
                member, reterr, "an example has no member \"%.*s\"",
                (int)(surety_val_str(key).len < 80 ? surety_val_str(key).len
                                                   : 80),
                surety_val_str(key).ptr);
    }
    return SURETY_OK;
}

surety_status surety__examples_check_form(surety_val list, surety_error *reterr)
{
    surety_status status = SURETY_OK;

    if (surety_val_kind(list) != SURETY_KIND_ARRAY)
        return surety__policy_fail(list, reterr,
                                   "examples are an array of objects with "
                                   "\"input\" and \"output\"");
    SURETY_EACH (value, list)
        if (status == SURETY_OK)
            status = examples_check_form(value, reterr);
    return status;
}

surety_status surety__examples_check(const surety_contract *contract,
                                     surety_val list, const surety_alloc *alloc,
                                     surety_error *reterr)
{
    surety_status status = SURETY_OK;
    size_t i = 0;

    SURETY_EACH (value, list) {
        surety_error cause = {.message = ""};

        i++;
        status = surety__contract_holds(
            contract, surety_val_get(value, "output"), alloc, &cause);
        if (status == SURETY_OK)
            continue;
        if (status == SURETY_SYNTAX)
            (void)surety__fail(reterr, status,
                               "the output of example %zu does not satisfy "
                               "the contract: %s",
                               i, cause.message);
        else
            (void)surety__fail(reterr, status, "%s", cause.message);
        surety__hint(reterr, "%s", cause.hint);
        if (reterr) {
            memcpy(reterr->path, cause.path, sizeof(reterr->path));
            reterr->position = cause.position;
        }
        break;
    }
    return status;
}
