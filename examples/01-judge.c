/* SPDX-License-Identifier: Apache-2.0 */
/* A contract and a reply in, a checked value or exact mistakes out. */
#include <surety.h>

#include <stdio.h>

static const char contract_text[] =
    "{ \"type\": \"object\", \"required\": [\"city\", \"people\"],"
    "  \"properties\": {"
    "    \"city\": { \"type\": \"string\" },"
    "    \"people\": { \"type\": \"integer\", \"minimum\": 0 } } }";

static void judge(const surety_contract *contract, const char *reply)
{
    surety_outcome *outcome = NULL;
    const surety_outcome_info *info;
    surety_error err;

    if (surety_contract_judge(contract, surety_str_of(reply), NULL, &outcome,
                              &err)) {
        printf("could not judge: %s\n", err.message);
        return;
    }
    info = surety_outcome_info_of(outcome);
    if (info->ok) {
        surety_val value = info->value;
        surety_str city = surety_val_str(surety_val_get(value, "city"));

        printf("%.*s has %lld people\n", (int)city.len, city.ptr,
               (long long)surety_val_int(surety_val_get(value, "people"), 0));
    }
    for (size_t i = 0; i < info->error_count; i++) {
        surety_issue issue = surety_outcome_error(outcome, i);

        printf("line %u, column %u: %.*s\n", issue.position.line,
               issue.position.column, (int)issue.message.len,
               issue.message.ptr);
    }
    surety_outcome_free(outcome);
}

int main(void)
{
    surety_contract *contract = NULL;
    surety_error err;

    if (surety_contract_read(surety_str_of(contract_text), NULL, &contract,
                             &err)) {
        fprintf(stderr, "line %u: %s\n", err.position.line, err.message);
        return 1;
    }
    judge(contract, "Sure!\n```json\n{\"city\": \"Oslo\", \"people\": 717710}"
                    "\n```\n");
    judge(contract, "Sure!\n```json\n{\"city\": \"Oslo\", \"people\": -1}"
                    "\n```\n");
    surety_contract_free(contract);
    return 0;
}
