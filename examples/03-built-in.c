/* SPDX-License-Identifier: Apache-2.0 */
/* A contract by its name, many replies with one judge, derived members. */
#include <surety.h>

#include <stdio.h>

int main(void)
{
    static const char *const replies[] = {
        "```json\n{\"groups\": [{\"description\": \"Errors\", \"findings\": ["
        "{\"id\": \"F1\", \"file\": \"a.c\", \"line\": \"7\", \"issue\": "
        "\"leak\", \"severity\": \"major\", \"category\": \"memory\"}]}]}\n"
        "```",
        "I found nothing to say.",
    };
    surety_judge_options options = {.size = sizeof(options), .derive = true};
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_judge *judge = surety_judge_new(NULL, NULL);
    const surety_outcome *outcome;
    const surety_outcome_info *info;
    surety_error err;

    if (surety_registry_new(surety_str_of(""), NULL, &registry, &err) ||
        surety_registry_find(registry,
                             surety_str_of("maverick/grouped-review-result@1"),
                             &contract, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (size_t i = 0; i < sizeof(replies) / sizeof(*replies); i++) {
        if (surety_judge_reply(judge, contract, surety_str_of(replies[i]),
                               &options, &outcome, &err)) {
            fprintf(stderr, "%s\n", err.message);
            break;
        }
        info = surety_outcome_info_of(outcome);
        if (info->ok)
            printf("findings: %lld\n",
                   (long long)surety_val_int(
                       surety_val_get(info->derived, "total_count"), 0));
        else
            printf("failed at the stage %s\n", surety_stage_name(info->stage));
    }
    surety_judge_free(judge);
    surety_contract_free(contract);
    surety_registry_free(registry);
    return 0;
}
