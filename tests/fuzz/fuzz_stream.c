/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a reply that arrives in chunks. The first byte chooses contract,
 * level and places, the second the chunks, the rest is the reply. What must
 * hold: the outcome is that of the whole reply, to the byte; a reply that the
 * stream said NO to is not valid, unless a key occurs twice in it; NO and
 * RUNAWAY stay; where something is said against it there is a finding, in the
 * reply; and what is there of the value can be written as JSON. */
#include <surety/stream.h>

#include <string.h>

#include "base/base.h"
#include "fuzz.h"

static const char *const contracts[] = {
    "true",
    "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{"
    "\"a\":{\"type\":\"integer\",\"maximum\":9},"
    "\"b\":{\"maxLength\":4,\"enum\":[\"x\",\"xyz\",7]},"
    "\"c\":{\"items\":{\"type\":\"boolean\"},\"uniqueItems\":true}},"
    "\"additionalProperties\":false}",
    "{\"anyOf\":[{\"type\":\"array\",\"maxItems\":3,\"prefixItems\":["
    "{\"const\":\"a\"}],\"items\":{\"type\":[\"number\",\"null\"]}},"
    "{\"type\":\"object\",\"oneOf\":[{\"properties\":{\"k\":{\"const\":1}}},"
    "{\"properties\":{\"k\":{\"const\":2}}}],\"propertyNames\":{"
    "\"maxLength\":3},\"minProperties\":1,\"maxProperties\":2}]}",
    "{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":[\"array\","
    "\"string\"],\"not\":{\"const\":[]},\"items\":{\"$ref\":\"#/$defs/n\"},"
    "\"contains\":{\"type\":\"string\",\"pattern\":\"a\"}}}}",
    "{\"$dynamicAnchor\":\"d\",\"type\":\"object\",\"additionalProperties\":{"
    "\"anyOf\":[{\"$dynamicRef\":\"#d\"},{\"type\":\"integer\"}]},"
    "\"unevaluatedProperties\":false,\"if\":{\"required\":[\"a\"]},"
    "\"then\":{\"required\":[\"b\"]}}",
    "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"n\":{\"type\":\"number\",\"minimum\":2}},\"dependentRequired\":{"
    "\"n\":[\"m\"]}}}",
    "{\"type\":\"array\",\"uniqueItems\":true,\"contains\":{\"required\":["
    "\"k\"]},\"maxContains\":2,\"items\":{\"if\":{\"properties\":{\"k\":{"
    "\"const\":\"a\"}},\"required\":[\"k\"]},\"then\":{\"properties\":{"
    "\"v\":{\"type\":\"null\"}},\"not\":{\"required\":[\"w\"]}},\"else\":{"
    "\"oneOf\":[{\"required\":[\"v\"]},{\"required\":[\"w\"]},"
    "{\"type\":\"number\"}]}}}",
    "{\"dependentSchemas\":{\"a\":{\"not\":{\"required\":[\"b\"],"
    "\"properties\":{\"b\":{\"maxLength\":2}}}}},\"oneOf\":[{\"properties\":{"
    "\"c\":{\"not\":{\"contains\":{\"const\":1},\"minContains\":2}}},"
    "\"required\":[\"c\"]},{\"properties\":{\"d\":{\"uniqueItems\":true}},"
    "\"required\":[\"d\"]}]}",
};
enum { CONTRACTS = sizeof(contracts) / sizeof(*contracts) };

static const surety_extract places[] = {
    {.size = sizeof(surety_extract)},
    {.size = sizeof(surety_extract),
     .from = {SURETY_PLACE_WHOLE},
     .from_count = 1},
    {.size = sizeof(surety_extract),
     .from = {SURETY_PLACE_FENCE, SURETY_PLACE_MARKER},
     .from_count = 2,
     .marker = {"A:", 2}},
    {.size = sizeof(surety_extract),
     .from = {SURETY_PLACE_WHOLE, SURETY_PLACE_EMBEDDED},
     .from_count = 2,
     .pick_last = true,
     .keep_reasoning = true},
};
enum { PLACES = sizeof(places) / sizeof(*places) };

/* Read and made once, and kept. */
static surety_contract *contract_of(size_t i)
{
    static surety_contract *kept[CONTRACTS];

    if (!kept[i])
        must(surety_contract_read(surety_str_of(contracts[i]), NULL, &kept[i],
                                  NULL) == SURETY_OK);
    return kept[i];
}

static surety_limits limits(void)
{
    return (surety_limits){.size = sizeof(surety_limits),
                           .blank_run_max = 64,
                           .repeat_run_max = 1100};
}

static surety_judge *judge_kept(void)
{
    static surety_judge *kept;
    const surety_limits least = limits();

    if (!kept)
        kept = surety_judge_new(NULL, &least);
    must(kept != NULL);
    return kept;
}

static surety_stream *stream_kept(void)
{
    static surety_stream *kept;
    const surety_limits least = limits();

    if (!kept)
        kept = surety_stream_new(NULL, &least);
    must(kept != NULL);
    return kept;
}

static void look(surety_stream *stream, size_t len, surety_buf *out)
{
    const surety_issue issue = surety_stream_info_of(stream)->finding;
    const surety_val value = surety_stream_info_of(stream)->value;

    must(surety_stream_info_of(stream)->reply.len == len);
    if (surety_stream_info_of(stream)->state == SURETY_STREAM_OPEN) {
        must(!issue.keyword.len && !issue.message.len);
    } else {
        must(issue.keyword.len && issue.message.len);
        must(issue.position.line > 0 &&
             issue.position.offset + issue.position.length <= len);
    }
    surety_buf_reset(out);
    if (value.doc)
        must(surety_val_write(value, SURETY_STYLE_COMPACT, out) == SURETY_OK);
}

static bool is_twice(const surety_outcome *outcome)
{
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->warning_count; i++)
        if (surety_str_equal(surety_outcome_warning(outcome, i).keyword,
                             surety_str_of("duplicate_key")))
            return true;
    return false;
}

/* The report of the outcome, which is what a user sees of it. */
static void report(const surety_outcome *outcome, surety_buf *out)
{
    surety_buf_reset(out);
    must(surety_outcome_write(outcome, SURETY_REPORT_JSON, SURETY__LITERAL("r"),
                              0, out) == SURETY_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const surety_repair levels[] = {
        SURETY_REPAIR_NONE, SURETY_REPAIR_SYNTAX, SURETY_REPAIR_ALIGN};
    surety_judge_options how = {.size = sizeof(how)};
    const surety_contract *contract;
    const surety_outcome *outcome = NULL;
    surety_stream_state state = SURETY_STREAM_OPEN;
    surety_stream *stream = stream_kept();
    surety_status status;
    surety_buf shown, whole;
    surety_str reply;
    bool good = false;
    bool twice = false;

    if (size < 2)
        return 0;
    contract = contract_of(data[0] % CONTRACTS);
    how.repair = &levels[data[0] / CONTRACTS % 3];
    how.extract = &places[data[0] / CONTRACTS / 3 % PLACES];
    how.certain_only = data[1] & 2;
    how.partial = data[1] & 4;
    reply = (surety_str){(const char *)data + 2, size - 2};
    surety_buf_init(&shown, NULL, 0);
    surety_buf_init(&whole, NULL, 0);
    must(surety_stream_begin(stream, contract, &how, data[1] & 1, NULL) ==
         SURETY_OK);
    for (size_t at = 0, step = data[1] >> 3; at < reply.len;) {
        size_t len = 1 + step % 7 + (step & 16 ? step * 5 : 0);

        if (len > reply.len - at)
            len = reply.len - at;
        must(surety_stream_feed(stream, (surety_str){reply.ptr + at, len},
                                NULL) == SURETY_OK);
        at += len;
        step = (step * 5 + 3) & 31;
        look(stream, at, &shown);
        must(state < SURETY_STREAM_NO ||
             state == surety_stream_info_of(stream)->state);
        state = surety_stream_info_of(stream)->state;
    }
    if (data[1] & 1)
        how.native = reply;
    status = surety_judge_reply(judge_kept(), contract,
                                data[1] & 1 ? (surety_str){"", 0} : reply, &how,
                                &outcome, NULL);
    if (status == SURETY_OK) {
        report(outcome, &whole);
        /* A partial value is judged by less than its continuations would. */
        good =
            surety_outcome_info_of(outcome)->ok &&
            !surety_outcome_info_of(outcome)->partial &&
            (*how.repair || !surety_outcome_info_of(outcome)->repaired_count);
        twice = is_twice(outcome);
    }
    must(surety_stream_finish(stream, NULL, &outcome, NULL) == status);
    if (status == SURETY_OK) {
        report(outcome, &shown);
        must(surety_str_equal(surety_buf_str(&shown), surety_buf_str(&whole)));
    }
    /* A closing tag makes all before it reasoning. */
    if (!how.extract->keep_reasoning)
        twice = twice || memchr(reply.ptr, '<', reply.len);
    must(!good || twice || state != SURETY_STREAM_NO);
    surety_buf_done(&shown);
    surety_buf_done(&whole);
    return 0;
}
