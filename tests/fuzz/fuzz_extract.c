/* SPDX-License-Identifier: Apache-2.0 */
/* Finds candidates in any bytes and checks what the finder promises: spans in
 * the reply, none listed twice, every byte of a text where its origin says,
 * offers in the order asked for, brackets at the ends of embedded values, work
 * that is linear. The first byte chooses the options. */
#include "extract/extract.h"
#include "extract/finder.h"

#include "fuzz.h"

static void check_candidate(const surety_finder *finder, size_t i,
                            surety_str reply)
{
    const surety_candidate found = surety_finder_at(finder, i);
    size_t before = found.start;

    must(found.start <= found.end && found.end <= reply.len);
    must(found.text.len <= found.end - found.start);
    must(found.stripped || (found.text.ptr == reply.ptr + found.start &&
                            found.text.len == found.end - found.start));
    for (size_t k = 0; k < found.text.len; k++) {
        const size_t at = surety__finder_origin(finder, i, k);

        must(at >= before && at < found.end);
        must(reply.ptr[at] == found.text.ptr[k]);
        before = at + 1;
    }
    must(surety__finder_origin(finder, i, 0) == found.start);
    must(surety__finder_origin(finder, i, found.text.len) == found.end);
    if (found.place == SURETY_PLACE_EMBEDDED)
        must(found.text.len >= 2 &&
             (found.text.ptr[0] == '{' || found.text.ptr[0] == '[') &&
             (found.text.ptr[found.text.len - 1] == '}' ||
              found.text.ptr[found.text.len - 1] == ']'));
}

/* Candidates of one place that can hold no other are apart and in order. */
static void check_order(const surety_finder *finder, size_t i, bool last)
{
    const surety_candidate a = surety_finder_at(finder, i - 1);
    const surety_candidate b = surety_finder_at(finder, i);

    if (a.place == b.place &&
        (a.place == SURETY_PLACE_FENCE || a.place == SURETY_PLACE_EMBEDDED))
        must(last ? b.end <= a.start : a.end <= b.start);
    for (size_t j = 0; j < i; j++) {
        const surety_candidate c = surety_finder_at(finder, j);

        must(c.start != b.start || c.end != b.end);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const surety_limits limits = {.size = sizeof(limits), .candidates_max = 40};
    surety_extract how = {.size = sizeof(how), .marker = {"M:", 2}};
    surety_finder *finder = surety_finder_new(NULL);
    surety_str reply;
    size_t at = 0;

    if (!size || !finder)
        goto done;
    reply = (surety_str){(const char *)data + 1, size - 1};
    how.pick_last = data[0] & 1;
    how.keep_reasoning = data[0] & 2;
    if (data[0] & 4) {
        how.from_count = 1;
        how.from[0] = (surety_place)(1 + (data[0] >> 3) % SURETY_PLACES);
    }
    must(surety_finder_find(finder, reply, &how, &limits, NULL) == SURETY_OK);
    must(surety_finder_count(finder) <= limits.candidates_max);
    must(finder->work <= 2 * (SURETY__PASSES_MAX + 2) * reply.len);
    for (size_t i = 0; i < surety_finder_count(finder); i++) {
        check_candidate(finder, i, reply);
        if (i)
            check_order(finder, i, how.pick_last);
    }
    surety__finder_obstacle(finder, &at);
    must(at <= reply.len);
done:
    surety_finder_free(finder);
    return 0;
}
