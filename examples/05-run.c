/* SPDX-License-Identifier: Apache-2.0 */
/* The whole job: prompt, model, check, ask again, value. The model here is a
 * recording, so that this runs without a key; name another ("openai:...",
 * "ollama:...") and nothing else changes. */
#include <surety-run.h>

#include <stdio.h>

static void tell(void *ctx, const surety_event *event)
{
    (void)ctx;
    if (event->kind == SURETY_EVENT_DECISION)
        printf("%u: %.*s\n", event->attempt, (int)event->text.len,
               event->text.ptr);
}

int main(void)
{
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_config *config = NULL;
    surety_run *run = NULL;
    surety_run_options options = {.size = sizeof(options), .event = tell};
    surety_buf value;
    surety_error err = {.message = ""};

    surety_buf_init(&value, NULL, 0);
    if (surety_registry_new(surety_str_of(""), NULL, &registry, &err) ||
        surety_registry_find(registry, surety_str_of("simple/analysis"),
                             &contract, &err) ||
        surety_config_read(surety_str_of(""), NULL, &config, &err) ||
        surety_config_model(config,
                            surety_str_of("replay:recordings/analysis.jsonl"),
                            &options.models, &err))
        goto done;
    options.model_count = 1;
    options.contract = contract;
    options.prompt = surety_str_of("How credible is this account?");
    if (surety_run_new(&options, &run, &err) ||
        surety_run_wait(run, NULL, &err))
        goto done;
    if (surety_run_info_of(run)->verdict == SURETY_RUN_VALID)
        surety_val_write(
            surety_outcome_info_of(surety_run_info_of(run)->outcome)->value,
            SURETY_STYLE_COMPACT, &value);
    printf("%s after %zu calls: %.*s\n",
           surety_run_verdict_name(surety_run_info_of(run)->verdict),
           surety_run_info_of(run)->attempt_count, (int)value.len, value.ptr);
done:
    fprintf(stderr, "%s", err.message); /* empty unless a call failed */
    surety_run_free(run);
    surety_config_free(config);
    surety_contract_free(contract);
    surety_registry_free(registry);
    surety_buf_done(&value);
    return 0;
}
