/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a reply that may have its value in another form than JSON. The
 * first byte chooses the contract. What must hold: a value wherever the outcome
 * is ok, and one that satisfies the contract; places inside of the reply; the
 * same outcome the second time; and calls whose places are in the text. */
#include <surety/form.h>
#include <surety/reply.h>

#include "fuzz.h"

static const char *const contracts[] = {
    ("{\"type\":\"object\",\"required\":[\"id\"],\"properties\":{"
     "\"id\":{\"type\":\"integer\"},\"title\":{\"type\":\"string\"},"
     "\"open\":{\"type\":\"boolean\"},\"labels\":{\"type\":\"array\","
     "\"items\":{\"type\":\"string\"}},\"owner\":{\"type\":\"object\","
     "\"properties\":{\"name\":{\"type\":[\"string\",\"null\"]}}}},"
     "\"additionalProperties\":false}"),
    "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"id\":{\"type\":\"integer\"},\"title\":{\"type\":\"string\"},"
    "\"first_name\":{\"type\":\"string\"}}}}",
    "{\"properties\":{\"id\":{},\"title\":{\"type\":[\"string\",\"array\"]},"
    "\"x\":{\"enum\":[\"a\",1,null]}}}",
};
enum { CONTRACTS = sizeof(contracts) / sizeof(*contracts) };

static const surety_contract *contract_of(size_t i)
{
    static surety_contract *kept[CONTRACTS];

    if (!kept[i])
        must(surety_contract_read(surety_str_of(contracts[i]), NULL, &kept[i],
                                  NULL) == SURETY_OK);
    return kept[i];
}

/* Judges the reply; the value, or nothing, is appended to out. */
static void check_reply(const surety_contract *contract, surety_str reply,
                        surety_buf *out)
{
    static const surety_repair align = SURETY_REPAIR_ALIGN;
    const surety_judge_options options = {.size = sizeof(options),
                                          .repair = &align};
    const surety_outcome_info *info;
    surety_checker *checker = surety_checker_new(NULL, NULL);
    surety_outcome *outcome;
    bool valid = false;

    must(checker != NULL);
    if (surety_contract_judge(contract, reply, &options, &outcome, NULL) !=
        SURETY_OK)
        goto done;
    info = surety_outcome_info_of(outcome);
    for (size_t i = 0; i < info->repaired_count; i++) {
        const surety_repaired repair = surety_outcome_repaired(outcome, i);

        must(repair.position.offset <= reply.len);
        must(repair.position.length <= reply.len - repair.position.offset);
    }
    if (info->ok) {
        must(surety_val_write(info->value, SURETY_STYLE_COMPACT, out) ==
             SURETY_OK);
        must(surety_checker_check(checker,
                                  surety_contract_info_of(contract)->schema,
                                  info->value, &valid, NULL) == SURETY_OK);
        must(valid);
    }
    surety_outcome_free(outcome);
done:
    surety_checker_free(checker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const surety_str reply = {(const char *)data + 1, size ? size - 1 : 0};
    const surety_contract *contract;
    surety_buf first, second;
    surety_calls *calls;

    if (!size)
        return 0;
    contract = contract_of(data[0] % CONTRACTS);
    surety_buf_init(&first, NULL, 0);
    surety_buf_init(&second, NULL, 0);
    check_reply(contract, reply, &first);
    check_reply(contract, reply, &second);
    must(surety_str_equal(surety_buf_str(&first), surety_buf_str(&second)));
    surety_buf_done(&first);
    surety_buf_done(&second);
    calls = surety_calls_new(NULL, NULL);
    must(calls != NULL);
    must(surety_calls_find(calls, reply, NULL, NULL) == SURETY_OK);
    for (size_t i = 0; i < surety_calls_count(calls); i++) {
        const surety_called called = surety_calls_at(calls, i);

        must(called.start <= called.end && called.end <= reply.len);
        must(called.name.len > 0);
    }
    surety_calls_free(calls);
    return 0;
}
