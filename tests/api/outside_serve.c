/* SPDX-License-Identifier: Apache-2.0 */
/* outside_serve.c: a program that knows libsurety-serve only as it is
 * installed: a mock server that is asked once by libsurety-run. */
#include <surety-serve.h>

#include <stdio.h>

/* Asks the server at the port for the answer; false with the error. */
static int ask(unsigned port, surety_error *error)
{
    char text[128];
    surety_contract *contract = NULL;
    surety_config *config = NULL;
    const surety_model *model = NULL;
    surety_run *run = NULL;
    int good = 0;

    snprintf(text, sizeof(text),
             "{\"providers\": {\"mock\": {\"base_url\": "
             "\"http://127.0.0.1:%u/v1\"}}}",
             port);
    if (surety_contract_read(surety_str_of("{\"type\": \"integer\"}"), NULL,
                             &contract, error) == SURETY_OK &&
        surety_config_read(surety_str_of(text), NULL, &config, error) ==
            SURETY_OK &&
        surety_config_model(config, surety_str_of("mock:any"), &model, error) ==
            SURETY_OK) {
        surety_run_options options = {0};

        options.size = sizeof(options);
        options.contract = contract;
        options.prompt = surety_str_of("What is six times seven?");
        options.models = model;
        options.model_count = 1;
        good =
            surety_run_new(&options, &run, error) == SURETY_OK &&
            surety_run_wait(run, NULL, error) == SURETY_OK &&
            surety_val_int(
                surety_outcome_info_of(surety_run_info_of(run)->outcome)->value,
                0) == 42;
    }
    surety_run_free(run);
    surety_config_free(config);
    surety_contract_free(contract);
    return good;
}

int main(void)
{
    surety_mock *mock = NULL;
    surety_error error;
    int good;

    good =
        surety_mock_open(surety_str_of("{\"replies\": [{\"text\": \"42\"}]}"),
                         NULL, &mock, &error) == SURETY_OK &&
        ask(surety_mock_port(mock), &error);
    printf("%s\n", good ? "42" : error.message);
    surety_mock_close(mock);
    return good ? 0 : 1;
}
