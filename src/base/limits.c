/* SPDX-License-Identifier: Apache-2.0 */
/* Every limit's default; the reasons stand in surety/base.h. */
#include "base/base.h"

static const surety_limits limits_default = {
    .size = sizeof(surety_limits),
    .text_bytes_max = (size_t)32 << 20,
    .depth_max = 512,
    .number_len_max = 1000,
    .string_len_max = 16u << 20,
    .key_len_max = 64u << 10,
    .values_max = 8u << 20,
    .schema_bytes_max = (size_t)2 << 20,
    .schema_nodes_max = 100000,
    .schema_depth_max = 128,
    .schema_documents_max = 256,
    .inplace_depth_max = 256,
    .pattern_len_max = 4096,
    .pattern_match_max = 100000,
    .pattern_heap_kib_max = 8192,
    .work_per_value = 512,
    .work_base = 1000000,
    .findings_max = 32,
    .candidates_max = 256,
    .rule_time_ms_max = 2000,
    .rule_memory_mib_max = 256,
    .mends_max = 1024,
    .blank_run_max = 4096,
    .repeat_run_max = 32768,
};

/* ORDER limits: every member of surety_limits stands here once. */
#define LIMITS(X)                                                              \
    X(text_bytes_max)                                                          \
    X(depth_max)                                                               \
    X(number_len_max)                                                          \
    X(string_len_max)                                                          \
    X(key_len_max)                                                             \
    X(values_max)                                                              \
    X(schema_bytes_max)                                                        \
    X(schema_nodes_max)                                                        \
    X(schema_depth_max)                                                        \
    X(schema_documents_max)                                                    \
    X(inplace_depth_max)                                                       \
    X(pattern_len_max)                                                         \
    X(pattern_match_max)                                                       \
    X(pattern_heap_kib_max)                                                    \
    X(work_per_value)                                                          \
    X(work_base)                                                               \
    X(findings_max)                                                            \
    X(candidates_max)                                                          \
    X(rule_time_ms_max)                                                        \
    X(rule_memory_mib_max)                                                     \
    X(mends_max)                                                               \
    X(blank_run_max)                                                           \
    X(repeat_run_max)

surety_limits surety_limits_of(const surety_limits *given)
{
    surety_limits limits = limits_default;
    surety_limits own;

    (void)surety__options_take(&own, sizeof(own), given, NULL);
#define LIMIT_TAKE(member)                                                     \
    if (own.member)                                                            \
        limits.member = own.member;
    LIMITS(LIMIT_TAKE)
#undef LIMIT_TAKE
    if (limits.text_bytes_max > UINT32_MAX - 64)
        limits.text_bytes_max = UINT32_MAX - 64;
    return limits;
}
