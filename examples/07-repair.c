/* SPDX-License-Identifier: Apache-2.0 */
/* Almost-JSON repaired: the text as it was meant, the values toward the schema,
 * and each repair told, so that a program can decide what it lives with. */
#include <surety.h>

#include <stdio.h>

static const char contract_text[] =
    "{ \"type\": \"object\", \"required\": [\"city\", \"people\"],"
    "  \"properties\": {"
    "    \"city\": { \"type\": \"string\" },"
    "    \"people\": { \"type\": \"integer\", \"minimum\": 0 } } }";

static void judge(const surety_contract *contract, const char *reply,
                  bool certain_only)
{
    surety_repair repair = SURETY_REPAIR_ALIGN;
    surety_judge_options options = {.size = sizeof(options),
                                    .repair = &repair,
                                    .certain_only = certain_only};
    surety_outcome *outcome = NULL;
    const surety_outcome_info *info;
    surety_error err;
    surety_buf value;

    if (surety_contract_judge(contract, surety_str_of(reply), &options,
                              &outcome, &err)) {
        printf("could not judge: %s\n", err.message);
        return;
    }
    surety_buf_init(&value, NULL, 0);
    info = surety_outcome_info_of(outcome);
    if (info->ok)
        surety_val_write(info->value, SURETY_STYLE_COMPACT, &value);
    else
        surety_buf_text(&value, "no value");
    printf("%.*s\n", (int)value.len, value.ptr);
    for (size_t i = 0; i < info->repaired_count; i++) {
        surety_repaired one = surety_outcome_repaired(outcome, i);

        printf("  %s, %s: [%.*s] -> [%.*s]\n", one.kind,
               one.likely ? "likely" : "certain", (int)one.original.len,
               one.original.ptr, (int)one.read.len, one.read.ptr);
    }
    surety_buf_done(&value);
    surety_outcome_free(outcome);
}

int main(void)
{
    surety_contract *contract = NULL;
    surety_error err;

    if (surety_contract_read(surety_str_of(contract_text), NULL, &contract,
                             &err))
        return 1;
    judge(contract, "{city: 'Oslo', \"people\": 717710,}", false);
    judge(contract, "{\"city\": \"Oslo\", \"people\": \"717,710\"}", false);
    judge(contract, "{\"city\": \"Oslo\", \"people\": \"717,710\"}", true);
    judge(contract, "{\"city\": \"Oslo\", \"people\": \"many\"}", false);
    surety_contract_free(contract);
    return 0;
}
