/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a diff as JSON, in the form of the contract surety/diff: all members
 * of diff.h, on one line. The tool writes its own text for people. */
#include "diff/diff.h"

static void diff_put_change(surety_buf *out, const surety_change *change)
{
    surety_buf_byte(out, '{');
    surety_json_text(out, "at", change->at);
    surety_json_text(out, "keyword", change->keyword);
    surety_json_text(out, "message", change->message);
    surety_json_name(out, "breaks");
    surety_buf_byte(out, '[');
    if (change->breaks_consumers)
        surety_buf_text(out, "\"consumers\"");
    if (change->breaks_producers)
        surety_buf_text(out, change->breaks_consumers ? ",\"producers\""
                                                      : "\"producers\"");
    surety_buf_byte(out, ']');
    surety_json_text(out, "oldLocation", change->old_location);
    surety_json_text(out, "newLocation", change->new_location);
    surety_buf_byte(out, '}');
}

surety_status surety_diff_write(const surety_diff *diff, surety_buf *out)
{
    size_t consumers = 0;
    size_t producers = 0;

    for (size_t i = 0; i < surety_diff_info_of(diff)->change_count; i++) {
        consumers += diff->changes[i].breaks_consumers;
        producers += diff->changes[i].breaks_producers;
    }
    surety_buf_byte(out, '{');
    surety_json_text(out, "old", surety_contract_info_of(diff->before)->id);
    surety_json_text(out, "new", surety_contract_info_of(diff->after)->id);
    surety_json_number(out, "breaksConsumers", consumers);
    surety_json_number(out, "breaksProducers", producers);
    surety_json_name(out, "version");
    surety_buf_byte(out, '{');
    surety_json_text(
        out, "needed",
        surety_str_of(surety_bump_name(surety_diff_info_of(diff)->bump)));
    surety_json_bool(out, "fits", surety_diff_info_of(diff)->version_fits);
    surety_buf_byte(out, '}');
    surety_json_name(out, "changes");
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < diff->change_count; i++) {
        surety_buf_text(out, i ? "," : "");
        diff_put_change(out, &diff->changes[i]);
    }
    surety_buf_text(out, "]}");
    return out->status;
}
