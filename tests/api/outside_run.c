/* SPDX-License-Identifier: Apache-2.0 */
/* outside_run.c: a program that knows libsurety-run only as it is installed:
 * a command that answers 42 stands for a model. */
#include <surety-run.h>

#include <stdio.h>

int main(void)
{
    surety_contract *contract = NULL;
    surety_config *config = NULL;
    const surety_model *model = NULL;
    surety_run *run = NULL;
    surety_error error;
    int good = 0;

    if (surety_contract_read(surety_str_of("{\"type\": \"integer\"}"), NULL,
                             &contract, &error) == SURETY_OK &&
        surety_config_read(surety_str_of(""), NULL, &config, &error) ==
            SURETY_OK &&
        surety_config_model(config, surety_str_of("exec:echo 42"), &model,
                            &error) == SURETY_OK) {
        surety_run_options options = {0};

        options.size = sizeof(options);
        options.contract = contract;
        options.prompt = surety_str_of("What is six times seven?");
        options.models = model;
        options.model_count = 1;
        good =
            surety_run_new(&options, &run, &error) == SURETY_OK &&
            surety_run_wait(run, NULL, &error) == SURETY_OK &&
            surety_run_info_of(run)->verdict == SURETY_RUN_VALID &&
            surety_val_int(
                surety_outcome_info_of(surety_run_info_of(run)->outcome)->value,
                0) == 42;
    }
    printf("%s\n", good ? "42" : error.message);
    surety_run_free(run);
    surety_config_free(config);
    surety_contract_free(contract);
    return good ? 0 : 1;
}
