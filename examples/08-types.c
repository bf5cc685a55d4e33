/* SPDX-License-Identifier: Apache-2.0 */
/* Contracts as C types: a reply read into structs, a derived member, and a
 * value of one's own, judged and written. Links with surety-contracts. */
#include <surety/contracts/maverick.h>

#include <stdio.h>

static void show_groups(const maverick_grouped_review_result *result)
{
    for (size_t i = 0; i < result->groups_count; i++) {
        const maverick_grouped_review_result_group *group = &result->groups[i];

        for (size_t j = 0; j < group->findings_count; j++)
            printf("%s: %s %s:%s\n", group->description.ptr,
                   maverick_grouped_review_result_severity_name(
                       group->findings[j].severity),
                   group->findings[j].file.ptr, group->findings[j].line.ptr);
    }
}

/* Reads a reply, shows what it says, and how many findings there are. */
static int read_reply(const char *reply, surety_error *error)
{
    const maverick_grouped_review_result *result = NULL;
    surety_contract *contract = NULL;
    surety_doc *count = surety_doc_new(NULL);
    int status =
        maverick_grouped_review_result_contract(NULL, &contract, error);

    if (!status)
        status = maverick_grouped_review_result_read(
            contract, surety_str_of(reply), &result, NULL, error);
    if (!status && result) {
        show_groups(result);
        status = maverick_grouped_review_result_derive_total_count(
            contract, result, count, error);
    }
    if (!status && result)
        printf("findings: %d\n",
               (int)surety_val_int(surety_doc_root(count), 0));
    maverick_grouped_review_result_free(result);
    surety_doc_free(count);
    surety_contract_free(contract);
    return status;
}

/* A value made here: the contract's rule says what its type cannot. */
static int check_own(const char *details, surety_error *error)
{
    const maverick_fixer_result own = {
        .summary = surety_str_of("Nothing could be done."),
        .error_details = surety_str_of(details),
        .error_details_is_null = details == NULL,
    };
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_buf json;
    int status = maverick_fixer_result_contract(NULL, &contract, error);

    surety_buf_init(&json, NULL, 0);
    if (!status)
        status =
            maverick_fixer_result_check(contract, &own, &json, &outcome, error);
    if (!status && surety_outcome_info_of(outcome)->ok)
        printf("%.*s\n", (int)json.len, json.ptr);
    for (size_t i = 0;
         !status && i < surety_outcome_info_of(outcome)->error_count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        printf("%.*s %.*s\n", (int)issue.instance_location.len,
               issue.instance_location.ptr, (int)issue.message.len,
               issue.message.ptr);
    }
    surety_outcome_free(outcome);
    surety_buf_done(&json);
    surety_contract_free(contract);
    return status;
}

int main(void)
{
    const char *reply =
        "```json\n{\"groups\": [{\"description\": \"Memory\", \"findings\": ["
        "{\"id\": \"F1\", \"file\": \"a.c\", \"line\": \"7-9\", \"issue\": "
        "\"leak\", \"severity\": \"major\", \"category\": \"memory\"}]}]}\n"
        "```";
    surety_error error;

    if (read_reply(reply, &error) || check_own(NULL, &error) ||
        check_own("The file is not there.", &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    return 0;
}
