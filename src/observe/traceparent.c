/* SPDX-License-Identifier: Apache-2.0 */
/* The header traceparent (W3C Trace Context 1, section 3.2): "00-", the trace's
 * id in 32 digits, the caller's span in 16, and flags in 2. A later version may
 * have more behind that. One that is not valid begins a new trace, as the
 * recommendation says. */
#include "observe/observe.h"

enum { TRACE_AT = 3, SPAN_AT = 36, FLAGS_AT = 53 };

/* Whether text has len lower-case hexadecimal digits at `at`; *ret_any: one of
 * them is not 0. */
static bool traceparent_is_hex(surety_str text, size_t at, size_t len,
                               bool *ret_any)
{
    *ret_any = false;
    for (size_t i = at; i < at + len; i++) {
        const char byte = text.ptr[i];

        if (!surety__is_digit(byte) && (byte < 'a' || byte > 'f'))
            return false;
        *ret_any = *ret_any || byte != '0';
    }
    return true;
}

static bool traceparent_is_valid(surety_str text)
{
    bool any;

    if (text.len < SURETY__TRACEPARENT_LEN || text.ptr[2] != '-' ||
        text.ptr[SPAN_AT - 1] != '-' || text.ptr[FLAGS_AT - 1] != '-')
        return false;
    if (!traceparent_is_hex(text, 0, 2, &any) ||
        surety__str_starts(text, SURETY__LITERAL("ff")))
        return false;
    if (text.len > SURETY__TRACEPARENT_LEN &&
        (!any || text.ptr[SURETY__TRACEPARENT_LEN] != '-'))
        return false;
    return traceparent_is_hex(text, TRACE_AT, 32, &any) && any &&
           traceparent_is_hex(text, SPAN_AT, 16, &any) && any &&
           traceparent_is_hex(text, FLAGS_AT, 2, &any);
}

/* Writes bytes as hexadecimal digits and a NUL; never all zeros. */
static void traceparent_put_hex(const unsigned char *bytes, size_t len,
                                char *out)
{
    static const char digits[] = "0123456789abcdef";
    bool any = false;

    for (size_t i = 0; i < len; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
        any = any || bytes[i];
    }
    out[2 * len] = '\0';
    if (!any)
        out[2 * len - 1] = '1';
}

void surety__trace_begin(surety_str traceparent,
                         const unsigned char random[SURETY__TRACE_RANDOM],
                         surety__trace *out)
{
    *out = (surety__trace){.is_sampled = true};
    traceparent_put_hex(random, 8, out->span_id);
    if (!traceparent_is_valid(traceparent)) {
        traceparent_put_hex(random + 8, 16, out->trace_id);
        return;
    }
    memcpy(out->trace_id, traceparent.ptr + TRACE_AT, 32);
    memcpy(out->parent_id, traceparent.ptr + SPAN_AT, 16);
    out->is_sampled = surety__hex_digit(traceparent.ptr[FLAGS_AT + 1]) % 2 != 0;
}

void surety__trace_write(const surety__trace *trace, surety_buf *out)
{
    surety__buf_printf(out, "00-%s-%s-%s", trace->trace_id, trace->span_id,
                       trace->is_sampled ? "01" : "00");
}
