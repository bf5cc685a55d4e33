/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_pattern.c: a pattern, a zero, a text. Whatever compiles is valid, and
 * what is matched without PCRE2 is answered as PCRE2 does. */
#include "base/base.h"
#include "schema/pattern.h"

#include "fuzz.h"

static void require(bool holds)
{
    if (!holds)
        __builtin_trap();
}

/* Compares with PCRE2, which a word boundary forces, here one that may be there
 * or not. */
static void compare(surety_str source, surety__matcher *matcher,
                    surety_str text, int match)
{
    surety__pattern *pattern = NULL;
    surety_buf grouped;
    int want;

    surety_buf_init(&grouped, NULL, 0);
    surety_buf_text(&grouped, "(?:");
    surety_buf_add(&grouped, source);
    surety_buf_text(&grouped, ")(?:\\b|\\B)");
    if (!surety__pattern_compile(surety_buf_str(&grouped), NULL, NULL, &pattern,
                                 NULL)) {
        require(!surety__pattern_is_simple(pattern));
        want = surety__pattern_match(pattern, matcher, text);
        require(want < 0 || want == match);
    }
    surety__pattern_free(pattern);
    surety_buf_done(&grouped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const surety_limits limits = {.size = sizeof(limits),
                                  .pattern_match_max = 2000};
    const char *bytes = (const char *)data;
    const char *zero = size ? memchr(bytes, '\0', size) : NULL;
    surety_str source = {bytes, zero ? (size_t)(zero - bytes) : size};
    surety_str text = {NULL, 0};
    surety__matcher *matcher = surety__matcher_new(NULL, &limits);
    surety__pattern *pattern = NULL;
    surety_error err = {.status = SURETY_OK};
    surety_status status;

    if (zero)
        text = (surety_str){zero + 1, size - source.len - 1};
    require(matcher != NULL);
    status = surety__pattern_compile(source, NULL, NULL, &pattern, &err);
    if (status) {
        require(err.status == status && err.message[0]);
        require(err.position.offset <= source.len);
        require(status != SURETY_SYNTAX || !surety__pattern_is_valid(source));
    } else {
        require(surety__pattern_is_valid(source));
    }
    if (!status && surety__utf8_valid(text, NULL)) {
        int match = surety__pattern_match(pattern, matcher, text);

        require(match == 0 || match == 1 || match == SURETY_LIMIT);
        if (surety__pattern_is_simple(pattern))
            compare(source, matcher, text, match);
    }
    surety__pattern_free(pattern);
    surety__matcher_free(matcher);
    return 0;
}
