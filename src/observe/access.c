/* SPDX-License-Identifier: Apache-2.0 */
/* A line of the access log: one JSON object with what an operator asks for
 * first, and no prompt, reply or secret. Members that are not known are left
 * out. */
#include "observe/observe.h"

#include <surety/provider.h>

#define ACCESS_TEXT_MAX 200

void surety__time_write(int64_t unix_ms, surety_buf *out)
{
    uint32_t rest;
    const surety__date date =
        surety__date_of(surety__date_split(unix_ms, &rest));

    surety__buf_printf(out, "%04lld-%02u-%02uT%02u:%02u:%02u.%03uZ",
                       (long long)date.year, date.month, date.day,
                       rest / 3600000, rest / 60000 % 60, rest / 1000 % 60,
                       rest % 1000);
}

static void access_text(surety_buf *out, const char *name, surety_str text)
{
    text.len = surety__utf8_cut(text, ACCESS_TEXT_MAX);
    if (text.len)
        surety_json_text(out, name, text);
}

/* The sums over the attempts. */
static void access_sums(const surety__request_record *record, surety_buf *out)
{
    uint64_t input = 0, output = 0, cost = 0;
    bool usage_known = false, cost_known = false, estimated = false;

    for (size_t i = 0; i < record->attempt_count; i++) {
        const surety__attempt_record *attempt = &record->attempts[i];

        usage_known = usage_known || attempt->usage_known;
        cost_known = cost_known || attempt->cost_known;
        estimated = estimated || attempt->estimated;
        input += attempt->usage_known ? attempt->input_tokens : 0;
        output += attempt->usage_known ? attempt->output_tokens : 0;
        cost += attempt->cost_known ? attempt->cost_picousd : 0;
    }
    surety_json_number(out, "attempts", record->attempt_count);
    if (record->repairs)
        surety_json_number(out, "repairs", record->repairs);
    if (usage_known) {
        surety_json_number(out, "input_tokens", input);
        surety_json_number(out, "output_tokens", output);
    }
    if (cost_known) {
        surety_json_name(out, "cost_usd");
        surety_dollars_write(cost, false, out);
    }
    if (estimated)
        surety_json_bool(out, "estimated", true);
}

void surety__access_write(const surety__request_record *record, surety_buf *out)
{
    surety_buf_byte(out, '{');
    surety_json_name(out, "time");
    surety_buf_byte(out, '"');
    surety__time_write(record->started_ms, out);
    surety_buf_byte(out, '"');
    surety_json_text(out, "route", surety_str_of(record->route));
    surety_json_number(out, "status", (uint64_t)record->status);
    access_text(out, "protocol", surety_str_of(record->protocol));
    access_text(out, "key", record->key);
    access_text(out, "tag", record->tag);
    access_text(out, "model", record->model);
    access_text(out, "unchecked", record->unchecked);
    access_text(out, "contract", record->contract);
    access_text(out, "contract_version", record->contract_version);
    access_text(out, "run", record->run);
    access_text(out, "verdict", surety_str_of(record->verdict));
    access_text(out, "denial", surety_str_of(record->denial));
    access_sums(record, out);
    surety_json_number(out, "total_us", record->total_us);
    surety_json_number(out, "overhead_us", record->overhead_us);
    if (record->first_byte_us)
        surety_json_number(out, "first_byte_us", record->first_byte_us);
    if (record->is_stream)
        surety_json_bool(out, "stream", true);
    if (!record->is_whole)
        surety_json_bool(out, "whole", false);
    if (record->trace)
        access_text(out, "trace", surety_str_of(record->trace->trace_id));
    surety_buf_byte(out, '}');
}
