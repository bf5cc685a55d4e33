/* SPDX-License-Identifier: Apache-2.0 */
/* form.c: whether a value has the form that a built-in contract describes. */
#include <surety/contract.h>

#include "message/conversation.h"

/* Makes the failure of a finding. */
static surety_status form_failure(surety_finding finding, surety_error *reterr)
{
    surety_buf path;

    surety__fail(reterr, SURETY_SYNTAX, "%.*s", (int)finding.message.len,
                 finding.message.ptr);
    if (!reterr)
        return SURETY_SYNTAX;
    surety__hint(reterr, "%.*s", (int)finding.hint.len, finding.hint.ptr);
    path = surety__buf_over(reterr->path, sizeof(reterr->path));
    surety_val_pointer(finding.instance, &path);
    reterr->path[path.status == SURETY_OK ? path.len : 0] = '\0';
    reterr->position = surety_val_position(finding.instance);
    return SURETY_SYNTAX;
}

surety_status surety__form_check(surety_str name, surety_val root,
                                 const surety_alloc *alloc,
                                 surety_error *reterr)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = alloc};
    const surety_schema *schema;
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_checker *checker = surety_checker_new(alloc, NULL);
    surety_findings *findings = surety_findings_new(alloc);
    surety_status status;
    bool valid = false;

    if (!checker || !findings) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    status =
        surety_registry_new(SURETY__LITERAL(""), &options, &registry, reterr);
    if (status == SURETY_OK)
        status = surety_registry_find(registry, name, &contract, reterr);
    if (status != SURETY_OK)
        goto done;
    schema = surety_contract_info_of(contract)->schema;
    status = surety_checker_check(checker, schema, root, &valid, reterr);
    if (status != SURETY_OK || valid)
        goto done;
    status = surety_checker_report(checker, schema, root, findings, reterr);
    if (status == SURETY_OK)
        status = form_failure(surety_findings_at(findings, 0), reterr);
done:
    surety_findings_free(findings);
    surety_checker_free(checker);
    surety_contract_free(contract);
    surety_registry_free(registry);
    return status;
}
