/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c: what a model wrote as arguments, or a tool as its result, judged by
 * a contract like a reply. The text is the value and nothing else, so it is
 * judged as a native value: it is not searched for JSON, but repaired as far as
 * the contract allows. A fallback is not used: it is no argument that the model
 * chose, and no result that the tool gave. */
#include "tool/inside.h"

surety_status surety__tool_judge(surety_tools *tools,
                                 const surety_contract *contract,
                                 const surety_tool *validators, surety_str text,
                                 const surety_outcome **ret_outcome,
                                 surety_error *reterr)
{
    const surety_tools_options *own = &tools->options;
    const surety_judge_options options = {
        .size = sizeof(options),
        .native = text,
        .no_fallback = true,
        .validators = validators ? validators->validators : NULL,
        .validator_count = validators ? validators->validator_count : 0,
        .repair = validators && own->has_repair ? &own->repair : NULL,
        .certain_only = validators && own->certain_only,
    };

    return surety_judge_reply(tools->judge, contract, SURETY__LITERAL(""),
                              &options, ret_outcome, reterr);
}

void surety__tool_issues(const surety_outcome *outcome, surety_buf *out)
{
    const size_t count = surety_outcome_info_of(outcome)->error_count;

    for (size_t i = 0; i < count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        surety_buf_text(out, "\n- ");
        if (issue.instance_location.len) {
            surety_buf_add(out, issue.instance_location);
            surety_buf_text(out, ": ");
        }
        surety_buf_add(out, issue.message);
        if (issue.hint.len) {
            surety_buf_text(out, " (");
            surety_buf_add(out, issue.hint);
            surety_buf_byte(out, ')');
        }
    }
}
