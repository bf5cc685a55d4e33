/* SPDX-License-Identifier: Apache-2.0 */
/* An attempt that uses every member of an entry, with the bytes that databases
 * like least, and whether another one is the same. */
#ifndef SURETY_TESTS_LEDGER_SAMPLE_H
#define SURETY_TESTS_LEDGER_SAMPLE_H

#include <string.h>

#include <surety/ledger.h>

#define SAMPLE_INIT(text)                                                      \
    {                                                                          \
        (text), sizeof(text) - 1                                               \
    }
#define SAMPLE_TEXT(text) ((surety_str)SAMPLE_INIT(text))

static const surety_entry_issue sample_errors[] = {
    {SAMPLE_INIT("maximum"), SAMPLE_INIT("/x/0"),
     SAMPLE_INIT("99 is above 10'; DROP TABLE attempts; --")},
    {SAMPLE_INIT("type"), {NULL, 0}, SAMPLE_INIT("\xFF\0is no number")},
};
static const surety_entry_issue sample_repairs[] = {
    {SAMPLE_INIT("trailing_comma"), SAMPLE_INIT("/\xC3\xA4~1"), {NULL, 0}},
};

static inline surety_entry sample_entry(const char *id, surety_str big)
{
    return (surety_entry){
        .size = sizeof(surety_entry),
        .id = surety_str_of(id),
        .run = SAMPLE_TEXT("018f2d3c-0000-7000-8000-00000000abcd"),
        .number = UINT32_MAX,
        .purpose = SAMPLE_TEXT("re-ask"),
        .contract = SAMPLE_TEXT("point\0of"),
        .contract_version = SAMPLE_TEXT("1.2.3"),
        .provider = SAMPLE_TEXT("\\x41 is no A"),
        .model = SAMPLE_TEXT("model \"quoted\" 'twice' \\ \xF0\x9F\x98\x80"),
        .mode = SAMPLE_TEXT("native"),
        .started_ms = 1700000000123,
        .prompt = big,
        .state = SURETY_ENTRY_DONE,
        .first_byte_ms = 1700000000456,
        .ended_ms = 1700000000789,
        .failure = SAMPLE_TEXT("length"),
        .http_status = 529,
        .error_code = SAMPLE_TEXT("\xC0\x80"),
        .error_message = SAMPLE_TEXT("line\nbreak\r\n\ttab \x01 \x7F \xED\xA0"),
        .finish_reason = SAMPLE_TEXT("stop"),
        .request_id = SAMPLE_TEXT("\\"),
        .response_id = SAMPLE_TEXT("\\x"),
        .ok = true,
        .fallback = true,
        .stage = SAMPLE_TEXT("valid"),
        .errors = sample_errors,
        .error_count = 2,
        .repairs = sample_repairs,
        .repair_count = 1,
        .usage_known = true,
        .input_tokens = 12,
        .cached_input_tokens = 0,
        .output_tokens = INT64_MAX,
        .reasoning_tokens = 7,
        .cost_known = true,
        .cost_picousd = 1234567890123456789,
        .decision = SAMPLE_TEXT("accept: the reply satisfies its contract"),
        .reply = SAMPLE_TEXT("\0\xFF\xFE{\"x\": 1}\0"),
        .stopped = SAMPLE_TEXT("no"),
        .stopped_bytes = 12345,
        .saved_known = true,
        .saved_tokens = UINT32_MAX,
        .partial = true,
        .estimated = true,
        .key = SAMPLE_TEXT("key_18f2d3c0000a1b2c"),
        .tag = SAMPLE_TEXT("night \xC3\xA9"),
    };
}

static inline bool sample_same_issues(const surety_entry_issue *a,
                                      const surety_entry_issue *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!surety_str_equal(a[i].kind, b[i].kind) ||
            !surety_str_equal(a[i].path, b[i].path) ||
            !surety_str_equal(a[i].message, b[i].message))
            return false;
    }
    return true;
}

/* The texts of an entry, one by one; past the last the empty one. */
static inline surety_str sample_text(const surety_entry *entry, size_t i)
{
    const surety_str texts[] = {entry->id,
                                entry->run,
                                entry->purpose,
                                entry->contract,
                                entry->contract_version,
                                entry->provider,
                                entry->model,
                                entry->mode,
                                entry->prompt,
                                entry->failure,
                                entry->error_code,
                                entry->error_message,
                                entry->finish_reason,
                                entry->request_id,
                                entry->response_id,
                                entry->stage,
                                entry->decision,
                                entry->reply,
                                entry->stopped,
                                entry->key,
                                entry->tag};
    const size_t count = sizeof(texts) / sizeof(*texts);

    return i < count ? texts[i] : (surety_str){NULL, 0};
}

static inline bool sample_same(const surety_entry *a, const surety_entry *b)
{
    for (size_t i = 0; i < 21; i++) {
        if (!surety_str_equal(sample_text(a, i), sample_text(b, i)))
            return false;
    }
    return a->number == b->number && a->started_ms == b->started_ms &&
           a->state == b->state && a->first_byte_ms == b->first_byte_ms &&
           a->ended_ms == b->ended_ms && a->http_status == b->http_status &&
           a->ok == b->ok && a->fallback == b->fallback &&
           a->error_count == b->error_count &&
           a->repair_count == b->repair_count &&
           a->usage_known == b->usage_known &&
           a->input_tokens == b->input_tokens &&
           a->cached_input_tokens == b->cached_input_tokens &&
           a->output_tokens == b->output_tokens &&
           a->reasoning_tokens == b->reasoning_tokens &&
           a->cost_known == b->cost_known &&
           a->cost_picousd == b->cost_picousd &&
           a->stopped_bytes == b->stopped_bytes &&
           a->saved_known == b->saved_known &&
           a->saved_tokens == b->saved_tokens && a->partial == b->partial &&
           a->estimated == b->estimated &&
           sample_same_issues(a->errors, b->errors, a->error_count) &&
           sample_same_issues(a->repairs, b->repairs, a->repair_count);
}

#endif
