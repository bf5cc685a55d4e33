/* SPDX-License-Identifier: Apache-2.0 */
/* The bench: a pasted reply and a schema, and what the library makes of them;
 * and where in a reply the errors of a ledger are.
 *
 * A ledger has no positions. They are found by judging the reply again, with a
 * contract that takes any value and a validator that reports the ledger's
 * errors: the judge places what a validator reports. */
#include "gateway/ui.h"
#include "template/template.h"

/* Writes an issue, with its stretch where it has a position. */
static void bench_write(const surety_issue *issue, const char *severity,
                        surety_buf *out)
{
    const surety_position *at = &issue->position;
    const int placed = at->line > 0;

    surety__template_write(
        out,
        "{'severity':'$t','keyword':$s,'path':$s,'message':$s,'hint':$m,"
        "'line':$o,'column':$o,'start':$o,'end':$o}",
        severity, issue->keyword, issue->instance_location, issue->message,
        issue->hint, placed, (uint64_t)at->line, placed, (uint64_t)at->column,
        placed, (uint64_t)at->offset, placed,
        (uint64_t)(at->offset + at->length));
}

/* ---- errors of a ledger -------------------------------------------------- */

typedef struct bench_known {
    const surety_entry_issue *errors;
    size_t count;
} bench_known;

static surety_status bench_report(void *ctx,
                                  const surety_validation *validation,
                                  surety_error *reterr)
{
    const bench_known *known = ctx;
    surety_status status = SURETY_OK;

    (void)reterr;
    for (size_t i = 0; i < known->count && status != SURETY_NOMEM; i++) {
        const surety_str message = known->errors[i].message;

        status =
            surety_validation_add(validation, known->errors[i].path,
                                  message.len ? message : SURETY__LITERAL("-"),
                                  (surety_str){NULL, 0});
    }
    return status == SURETY_NOMEM ? status : SURETY_OK;
}

/* Judges the reply. *ret_outcome stays NULL where it cannot be judged. */
static surety_status bench_known_errors(surety_str reply, bench_known *known,
                                        surety_contract **ret_contract,
                                        surety_outcome **ret_outcome,
                                        const surety_alloc *alloc)
{
    const surety_contract_options contract = {.size = sizeof(contract),
                                              .alloc = alloc};
    const surety_repair repair = SURETY_REPAIR_SYNTAX;
    const surety_validator validator = {.validate = bench_report, .ctx = known};
    const surety_judge_options judge = {.size = sizeof(judge),
                                        .repair = &repair,
                                        .validators = &validator,
                                        .validator_count = 1};
    surety_status status = surety_contract_read(SURETY__LITERAL("{}"),
                                                &contract, ret_contract, NULL);

    if (!status)
        status = surety_contract_judge(*ret_contract, reply, &judge,
                                       ret_outcome, NULL);
    return status == SURETY_NOMEM ? status : SURETY_OK;
}

surety_status surety__ui_place(surety_str reply,
                               const surety_entry_issue *errors, size_t count,
                               surety_buf *out)
{
    bench_known known = {.errors = errors, .count = count};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_status status = SURETY_OK;
    size_t found = 0;

    if (reply.len && count)
        status =
            bench_known_errors(reply, &known, &contract, &outcome, out->alloc);
    if (status)
        goto done;
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        const surety_issue one = surety_outcome_error(outcome, found);
        surety_issue issue = {.keyword = errors[i].kind,
                              .instance_location = errors[i].path,
                              .message = errors[i].message};
        /* Where the reply is no JSON, its one error is that of the ledger. */
        const bool same =
            surety_str_equal(one.instance_location, issue.instance_location);

        if (one.position.line && same) {
            issue.position = one.position;
            found++;
        }
        surety_buf_text(out, i ? "," : "");
        bench_write(&issue, "error", out);
    }
    surety_buf_byte(out, ']');
    status = out->status;
done:
    if (status)
        out->status = status;
    surety_outcome_free(outcome);
    surety_contract_free(contract);
    return status;
}

/* ---- the bench ----------------------------------------------------------- */

static surety_status bench_contract(surety_val body, surety_registry *registry,
                                    surety_contract **ret_contract,
                                    const surety_alloc *alloc,
                                    surety_error *reterr)
{
    const surety_str name = surety_val_str(surety_val_get(body, "contract"));
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = SURETY__LITERAL("bench"),
                                             .alloc = alloc};
    surety_status status;

    if (name.len)
        return surety__contract_is_name(name)
                   ? surety_registry_find(registry, name, ret_contract, reterr)
                   : surety__fail(reterr, SURETY_END,
                                  "\"%.*s\" is no contract's name",
                                  (int)name.len, name.ptr);
    status =
        surety_contract_read(surety_val_str(surety_val_get(body, "schema")),
                             &options, ret_contract, reterr);
    if (!status && surety__contract_has_programs(*ret_contract)) {
        surety_contract_free(*ret_contract);
        *ret_contract = NULL;
        status = surety__fail(reterr, SURETY_UNSUPPORTED,
                              "x-surety: rules and derived members of a pasted "
                              "contract are not executed");
        surety__hint(reterr, "put the contract into a folder of the gateway's, "
                             "and choose it by its name");
    }
    return status;
}

static void bench_issues(const surety_outcome *outcome, surety_buf *out)
{
    const surety_outcome_info *info = surety_outcome_info_of(outcome);

    surety_buf_text(out, ",\"issues\":[");
    for (size_t i = 0; i < info->error_count + info->warning_count; i++) {
        const bool is_error = i < info->error_count;
        const surety_issue issue =
            is_error ? surety_outcome_error(outcome, i)
                     : surety_outcome_warning(outcome, i - info->error_count);

        surety_buf_text(out, i ? "," : "");
        bench_write(&issue, is_error ? "error" : "warning", out);
    }
    surety_buf_text(out, "],\"repairs\":[");
    for (size_t i = 0; i < info->repaired_count; i++) {
        const surety_repaired one = surety_outcome_repaired(outcome, i);

        surety__template_write(
            out,
            "$t{'kind':'$t','confidence':'$t','path':$s,'original':$s,"
            "'read':$s,'line':$n,'column':$n}",
            i ? "," : "", one.kind, one.likely ? "likely" : "certain",
            one.instance_location, one.original, one.read,
            (uint64_t)one.position.line, (uint64_t)one.position.column);
    }
    surety_buf_byte(out, ']');
}

/* Appends what was made of the reply. */
static void bench_outcome(const surety_outcome *outcome, surety_buf *out)
{
    const surety_outcome_info *info = surety_outcome_info_of(outcome);
    surety_buf value;

    surety_buf_init(&value, out->alloc, 0);
    if (surety_val_kind(info->value))
        surety_val_write(info->value, SURETY_STYLE_PRETTY, &value);
    surety__template_write(
        out, "{'ok':$b,'fallback':$b,'stage':'$t','value':$m", info->ok,
        info->fallback, surety_stage_name(info->stage), surety_buf_str(&value));
    surety__buf_end(&value, &out->status);
    bench_issues(outcome, out);
    surety_buf_text(out, ",\"report\":");
    surety_outcome_write(outcome, SURETY_REPORT_JSON, SURETY__LITERAL("reply"),
                         SURETY_RAW_NONE, out);
    surety_buf_byte(out, '}');
}

surety_status surety__ui_check(surety_val body, surety_registry *registry,
                               surety_buf *out, surety_error *reterr)
{
    static const char *const levels[] = {"none", "syntax", "align"};
    const surety_str reply = surety_val_str(surety_val_get(body, "reply"));
    const surety_val level = surety_val_get(body, "repair");
    surety_repair repair = SURETY_REPAIR_NONE;
    surety_judge_options judge = {.size = sizeof(judge)};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_status status =
        bench_contract(body, registry, &contract, out->alloc, reterr);

    for (size_t i = 0; i < SURETY__COUNT(levels); i++)
        if (surety_val_is(level, levels[i])) {
            repair = (surety_repair)i;
            judge.repair = &repair;
        }
    if (!status)
        status =
            surety_contract_judge(contract, reply, &judge, &outcome, reterr);
    if (!status) {
        bench_outcome(outcome, out);
        status = out->status ? surety__fail_nomem(reterr) : SURETY_OK;
    }
    surety_outcome_free(outcome);
    surety_contract_free(contract);
    return status;
}

surety_status surety__ui_contracts(surety_registry *registry, surety_buf *out,
                                   surety_error *reterr)
{
    const surety_registry_entry *entries = NULL;
    size_t count = 0, written = 0;
    const surety_status status =
        surety_registry_list(registry, &entries, &count, reterr);

    if (status)
        return status;
    surety_buf_text(out, "{\"contracts\":[");
    for (size_t i = 0; i < count; i++) {
        if (entries[i].error.len || entries[i].alias_of.len)
            continue;
        surety__template_write(out, "$t{'name':$s,'version':$s,'title':$s}",
                               written++ ? "," : "", entries[i].name,
                               entries[i].version, entries[i].title);
    }
    surety_buf_text(out, "]}");
    return out->status ? surety__fail_nomem(reterr) : SURETY_OK;
}
