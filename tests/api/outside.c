/* SPDX-License-Identifier: Apache-2.0 */
/* outside.c: a program that knows Surety only as it is installed; C99 and
 * C++11 alike. */
#include <surety.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_error error;
    int good;

    if (surety_contract_read(surety_str_of("{\"type\": \"integer\"}"), NULL,
                             &contract, &error) != SURETY_OK ||
        surety_contract_judge(contract,
                              surety_str_of("It is:\n```json\n42\n```"), NULL,
                              &outcome, &error) != SURETY_OK) {
        printf("%s\n", error.message);
        return 1;
    }
    good = surety_outcome_info_of(outcome)->ok &&
           surety_val_int(surety_outcome_info_of(outcome)->value, 0) == 42 &&
           strcmp(surety_version(), SURETY_VERSION) == 0;
    surety_outcome_free(outcome);
    surety_contract_free(contract);
    printf("%s\n", good ? "42" : "wrong");
    return good ? 0 : 1;
}
