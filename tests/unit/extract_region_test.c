/* SPDX-License-Identifier: Apache-2.0 */
/* Regions: at which bytes of a reply a tolerant reader is asked, and what it is
 * not asked about. The reader here only counts brackets outside of quotes. */
#include "check.h"
#include "extract/extract.h"

#include <string.h>

/* Reads a value: brackets until they balance, or a string or word. */
static surety__reading read_value(surety_str text, size_t *ret_used)
{
    size_t depth = 0;
    char quote = 0;

    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];

        if (quote) {
            quote = byte == quote ? 0 : quote;
            if (quote || depth)
                continue;
        } else if (byte == '"' || byte == '\'') {
            quote = byte;
            continue;
        } else if (byte == '{' || byte == '[') {
            depth++;
            continue;
        } else if (byte == '}' || byte == ']') {
            if (!depth--) {
                *ret_used = i;
                return SURETY__READING_NONE;
            }
        } else if (byte == '!') {
            *ret_used = i;
            return SURETY__READING_NONE;
        }
        if (!depth && (byte == '"' || byte == '\'' || byte == '}' ||
                       byte == ']' || byte == ',' || byte == '\n')) {
            *ret_used = i + 1;
            return SURETY__READING_VALUE;
        }
    }
    *ret_used = text.len;
    return depth || quote ? SURETY__READING_CUT : SURETY__READING_VALUE;
}

/* Reads a region, or what its value may go on into. */
static surety__reading read_region(const surety__region *region,
                                   size_t *ret_used)
{
    const surety__reading reading = read_value(region->text, ret_used);
    const surety_str longer = {region->text.ptr,
                               region->text.len + region->more};
    size_t used;

    if (reading != SURETY__READING_CUT ||
        read_value(longer, &used) != SURETY__READING_VALUE)
        return reading;
    *ret_used = used;
    return SURETY__READING_VALUE;
}

/* Writes what is found, a line each: "START WHAT TEXT", what is left over and
 * wrapped as "+N", "<N"; the rows as "rows TEXT". */
static surety_status list_regions(surety_finder *finder, surety_str reply,
                                  const surety_extract *how, surety_place place,
                                  surety_buf *out)
{
    surety__region region;
    surety_status status = surety__finder_begin(finder, reply, how, NULL, NULL);

    surety_buf_reset(out);
    if (status == SURETY_OK)
        status = surety__region_begin(finder, place);
    while (status == SURETY_OK) {
        size_t used = 0;
        size_t rest = 0;
        surety__reading reading;
        bool good;

        status = surety__region_next(finder, &region);
        if (status != SURETY_OK)
            break;
        reading = read_region(&region, &used);
        good = surety__region_read(finder, reading, used, &rest);
        if (!good)
            continue;
        surety__buf_printf(out, "%zu ", region.start);
        if (region.wrapper)
            surety__buf_printf(out, "<%zu ", region.wrapper);
        if (rest)
            surety__buf_printf(out, "+%zu ", rest);
        if (reading == SURETY__READING_CUT)
            surety_buf_text(out, "cut ");
        surety_buf_append(out, region.text.ptr, used);
        surety_buf_byte(out, '|');
    }
    if (status != SURETY_END)
        return status;
    status = surety__region_rows(finder, &region);
    if (status == SURETY_OK) {
        surety_buf_text(out, "rows ");
        surety_buf_add(out, region.text);
    } else if (status == SURETY_END) {
        status = SURETY_OK;
    }
    return status == SURETY_OK ? out->status : status;
}

struct region_case {
    const char *reply;
    surety_place place;
    const char *want;
};

static const struct region_case cases[] = {
    /* whole: all of the reply, after what wraps a value */
    {"{a: 1}", SURETY_PLACE_WHOLE, "0 {a: 1}|"},
    {"  {a: 1}\n", SURETY_PLACE_WHOLE, "2 {a: 1}|"},
    {"{a: 1}} ]", SURETY_PLACE_WHOLE, "0 +3 {a: 1}|"},
    {"{a: 1};", SURETY_PLACE_WHOLE, "0 {a: 1}|"},
    {"{a: 1} is it", SURETY_PLACE_WHOLE, ""},
    {"'yes'", SURETY_PLACE_WHOLE, "0 'yes'|"},
    {"[a, b]", SURETY_PLACE_WHOLE, "0 [a, b]|"},
    {"{smile}", SURETY_PLACE_WHOLE, ""},
    {"No JSON in this message.", SURETY_PLACE_WHOLE, ""},
    {"{a: [1", SURETY_PLACE_WHOLE, "0 cut {a: [1|"},
    {"<think>{a: 1}</think>{b: 2}", SURETY_PLACE_WHOLE, "21 {b: 2}|"},
    {"{a: 1}\n<think>no</think>\n{b: 2}", SURETY_PLACE_WHOLE, ""},
    {"<think>{a: 1}", SURETY_PLACE_WHOLE, ""},
    {"{a: 1}\n{a: 2}\n", SURETY_PLACE_WHOLE, "rows [{a: 1},{a: 2}]"},
    {"{a: 1},{a: 2}", SURETY_PLACE_WHOLE, "rows [{a: 1},{a: 2}]"},
    {"{a: 1} and {a: 2}", SURETY_PLACE_WHOLE, ""},
    /* fences: closed, open, in a line, begun in the opening line */
    {"```json\n{a: 1}\n```", SURETY_PLACE_FENCE, "8 {a: 1}|"},
    {"```json\n{a: 1}", SURETY_PLACE_FENCE, "8 {a: 1}|"},
    {"```json\n{a: ", SURETY_PLACE_FENCE, "8 cut {a: |"},
    {"```json {a: 1} ```", SURETY_PLACE_FENCE, "8 {a: 1}|"},
    {"so ```json{a: 1}``` it is", SURETY_PLACE_FENCE, "10 {a: 1}|"},
    {"```json [\n1\n] ```", SURETY_PLACE_FENCE, "8 [\n1\n]|"},
    {"```JSON\njson\n{a: 1}\n```", SURETY_PLACE_FENCE, "13 <5 {a: 1}|"},
    {"```json\nconst x = {a: 1};\n```", SURETY_PLACE_FENCE, "18 <10 {a: 1}|"},
    {"```json\nx: {a: 1}, y: 2\n```", SURETY_PLACE_FENCE, "11 {a: 1}|"},
    {"```json\n{a: 1}\n}\n```", SURETY_PLACE_FENCE, "8 +2 {a: 1}|"},
    {"> ```json\n> {a:\n>  1}\n> ```", SURETY_PLACE_FENCE, "12 {a:\n 1}|"},
    {"```json\n{a: 1}\n```\n```json\n{a: 2}\n```", SURETY_PLACE_FENCE,
     "8 {a: 1}|27 {a: 2}|rows [{a: 1},{a: 2}]"},
    {"```json\n{a: 1}\n{a: 2}\n```", SURETY_PLACE_FENCE,
     "8 {a: 1}|15 {a: 2}|rows [{a: 1},{a: 2}]"},
    {"```\n{a: 1}\n```", SURETY_PLACE_FENCE, ""},
    {"```\n{a: 1}\n```\n```js\n{a: 2}\n```\n~~~json\n{a: 3}\n~~~",
     SURETY_PLACE_FENCE_ANY,
     "40 {a: 3}|4 {a: 1}|21 {a: 2}|"
     "rows [{a: 1},{a: 2},{a: 3}]"},
    /* a value goes over the end of its fence where it ends behind it */
    {"```json\n{a: \"\n```\nb\"}\n```", SURETY_PLACE_FENCE,
     "8 {a: \"\n```\nb\"}|"},
    {"```json\nx = {a: \"\n```\nb\"}\n```", SURETY_PLACE_FENCE,
     "12 <4 {a: \"\n```\nb\"}|"},
    {"```json\n{z: 1} {a: \"\n```\nb\"}\n```", SURETY_PLACE_FENCE,
     "8 {z: 1}|15 {a: \"\n```\nb\"}|"
     "rows [{z: 1},{a: \"\n```\nb\"}]"},
    {"```json\n{a: \"b\n```\n", SURETY_PLACE_FENCE, "8 cut {a: \"b\n|"},
    {"```json\n```", SURETY_PLACE_FENCE, ""},
    /* prose */
    {"So {a: 1}.", SURETY_PLACE_EMBEDDED, "3 {a: 1}|"},
    {"Dear {customer}, {{template}} [v2] [see below](u) ${x}: {a: 1}",
     SURETY_PLACE_EMBEDDED, "56 {a: 1}|"},
    {"{id, title, ...} [a, b]", SURETY_PLACE_EMBEDDED, ""},
    {"{\"a\", 'b'} {'a': 1}", SURETY_PLACE_EMBEDDED, "11 {'a': 1}|"},
    {"in [0, 1) and {a: 1}", SURETY_PLACE_EMBEDDED, "14 {a: 1}|"},
    {"a {b: 1} c\n```json\n{d: 2}\n```\n{e: ", SURETY_PLACE_EMBEDDED,
     "2 {b: 1}|19 {d: 2}|30 cut {e: |"},
    {"a {b: ! {c: 1}", SURETY_PLACE_EMBEDDED, ""},
    {"a {\"b\": {\"c\": 1} ", SURETY_PLACE_EMBEDDED,
     "2 cut {\"b\": {\"c\": 1} |"},
    {"x <think>{a: 1}</think>", SURETY_PLACE_EMBEDDED, "9 {a: 1}|"},
    {"<think>{a: 1}</think> {b: 1}", SURETY_PLACE_EMBEDDED, "22 {b: 1}|"},
    {"\xEF\xBD\x9B\"a\"\xEF\xBC\x9A 1}", SURETY_PLACE_EMBEDDED,
     "0 \xEF\xBD\x9B\"a\"|"},
    {"{}", SURETY_PLACE_EMBEDDED, "0 {}|"},
};

TEST(finds_regions)
{
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(finder);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        TRY(list_regions(finder, surety_str_of(cases[i].reply), NULL,
                         cases[i].place, &out));
        CHECK_TEXT(surety_buf_str(&out), cases[i].want);
    }
done:
    surety_buf_done(&out);
    surety_finder_free(finder);
}

/* Without the place embedded, whose business they are else. */
static const struct region_case wrapped[] = {
    {"json\n{a: 1}", SURETY_PLACE_WHOLE, "5 <5 {a: 1}|"},
    {"**Final Answer:** {a: 1}", SURETY_PLACE_WHOLE, "18 <18 {a: 1}|"},
    {"Final Answer: \"yes\"", SURETY_PLACE_WHOLE, "14 <14 \"yes\"|"},
    {"const result = {a: 1};", SURETY_PLACE_WHOLE, "15 <15 {a: 1}|"},
    {"result: Result = {a: 1}", SURETY_PLACE_WHOLE, "17 <17 {a: 1}|"},
    {"x := {a: 1}", SURETY_PLACE_WHOLE, "5 <5 {a: 1}|"},
    {"return {a: 1}", SURETY_PLACE_WHOLE, "7 <7 {a: 1}|"},
    {"cb({a: 1});", SURETY_PLACE_WHOLE, "3 <3 {a: 1}|"},
    {"json.loads('{\"a\": 1}')", SURETY_PLACE_WHOLE, "12 <12 {\"a\": 1}|"},
    {"({a: 1})", SURETY_PLACE_WHOLE, "1 <1 {a: 1}|"},
    {"<answer>\n{a: 1}\n</answer>", SURETY_PLACE_WHOLE, "9 <9 {a: 1}|"},
    {"// the answer\n{a: 1}", SURETY_PLACE_WHOLE, "14 <14 {a: 1}|"},
    {"/* it */ {a: 1}", SURETY_PLACE_WHOLE, "9 <9 {a: 1}|"},
    {"## Result\n\n{a: 1}", SURETY_PLACE_WHOLE, "11 <11 {a: 1}|"},
    {"x = {a: 1} or {b: 2}", SURETY_PLACE_WHOLE, ""},
    {"Answer: none of them {a: 1}", SURETY_PLACE_WHOLE, ""},
};

TEST(unwraps)
{
    const surety_extract how = {
        .size = sizeof(how), .from = {SURETY_PLACE_WHOLE}, .from_count = 1};
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(finder);
    for (size_t i = 0; i < CHECK_COUNT(wrapped); i++) {
        TRY(list_regions(finder, surety_str_of(wrapped[i].reply), &how,
                         wrapped[i].place, &out));
        CHECK_TEXT(surety_buf_str(&out), wrapped[i].want);
    }
done:
    surety_buf_done(&out);
    surety_finder_free(finder);
}

static const struct region_case marked[] = {
    {"{a: 0} Answer: {a: 1} {a: 2}", SURETY_PLACE_MARKER, "15 {a: 1}|"},
    {"Answer: so {a: 1}", SURETY_PLACE_MARKER, "11 {a: 1}|"},
    {"Answer:\n```json\n{a: 1}\n```\n{a: 2}", SURETY_PLACE_MARKER,
     "16 {a: 1}|"},
    {"Answer: {a: 1}\nAnswer: {a: 2}", SURETY_PLACE_MARKER,
     "8 {a: 1}|23 {a: 2}|rows [{a: 1},{a: 2}]"},
    {"Answer: {a: \"Answer: {}\"}", SURETY_PLACE_MARKER,
     "8 {a: \"Answer: {}\"}|"},
    {"<think>Answer: {a: 1}</think>\nAnswer: {a: 2}", SURETY_PLACE_MARKER,
     "38 {a: 2}|"},
    {"Answer: 'yes'", SURETY_PLACE_MARKER, "8 'yes'|"},
    {"Answer: so\n```json\n{a: 1}\n```\n{a: 2}", SURETY_PLACE_MARKER,
     "19 {a: 1}|"},
    {"Answer: so Answer: no {a: 1}", SURETY_PLACE_MARKER, "22 {a: 1}|"},
    {"Answer: {x Answer: {a: 1}", SURETY_PLACE_MARKER, "19 {a: 1}|"},
    {"Answer:\n> ```json\n> {a:\n> 1}\n> ```", SURETY_PLACE_MARKER,
     "20 {a:\n1}|"},
    {"Nothing", SURETY_PLACE_MARKER, ""},
};

TEST(follows_markers)
{
    const surety_extract how = {.size = sizeof(how),
                                .marker = surety_str_of("Answer:")};
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(finder);
    for (size_t i = 0; i < CHECK_COUNT(marked); i++) {
        TRY(list_regions(finder, surety_str_of(marked[i].reply), &how,
                         marked[i].place, &out));
        CHECK_TEXT(surety_buf_str(&out), marked[i].want);
    }
done:
    surety_buf_done(&out);
    surety_finder_free(finder);
}

/* Every byte of a region's text is the byte of the reply at its origin, but for
 * what joins rows. */
TEST(maps_to_the_reply)
{
    static const char reply[] = "> ```json\n> {a: 1,\n> b: 2}\n> ```\n\n"
                                "> ```json\n> {a: 3,\n> b: 4}\n> ```\n";
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety__region region;
    surety__reading reading;
    size_t used = 0;
    size_t count = 0;
    size_t other = 0;

    NEED(finder);
    TRY(surety__finder_begin(finder, surety_str_of(reply), NULL, NULL, NULL));
    TRY(surety__region_begin(finder, SURETY_PLACE_FENCE));
    for (;;) {
        const surety_status status = surety__region_next(finder, &region);

        if (status == SURETY_END)
            break;
        TRY(status);
        for (size_t i = 0; i < region.text.len; i++)
            CHECK(region.text.ptr[i] ==
                  reply[surety__region_origin(finder, region.index, i)]);
        CHECK(surety__region_origin(finder, region.index, 0) == region.start);
        reading = read_value(region.text, &used);
        CHECK(surety__region_read(finder, reading, used, NULL));
        count++;
    }
    CHECK(count == 2);
    TRY(surety__region_rows(finder, &region));
    CHECK_TEXT(region.text, "[{a: 1,\nb: 2},{a: 3,\nb: 4}]");
    for (size_t i = 0; i < region.text.len; i++)
        other += region.text.ptr[i] !=
                 reply[surety__region_origin(finder, region.index, i)];
    CHECK(other == 3);
done:
    surety_finder_free(finder);
}

/* What a hostile reply costs: readings, and bytes read. */
TEST(bounds_the_work)
{
    static const char *const units[] = {
        "[",  "{",     "[[[[[[[[{", "{\"a\":", "[1", "[0,1)",  "x}x}",    "[]",
        "{}", "{a: !", "```json ",  "~~~ ```", "> ", "{a:1} ", "<think>",
    };
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety__region region;
    surety_buf reply;

    surety_buf_init(&reply, check_alloc(t), 0);
    NEED(finder);
    for (size_t i = 0; i < CHECK_COUNT(units); i++) {
        surety_buf_reset(&reply);
        while (reply.len < 100000 && reply.status == SURETY_OK)
            surety_buf_text(&reply, units[i]);
        if (reply.status != SURETY_OK)
            goto done;
        for (int place = SURETY_PLACE_WHOLE; place <= SURETY_PLACE_EMBEDDED;
             place++) {
            surety__reading reading;
            size_t bytes = 0;
            size_t used = 0;

            TRY(surety__finder_begin(finder, surety_buf_str(&reply), NULL, NULL,
                                     NULL));
            TRY(surety__region_begin(finder, (surety_place)place));
            for (;;) {
                const surety_status status =
                    surety__region_next(finder, &region);

                if (status == SURETY_END)
                    break;
                TRY(status);
                reading = read_region(&region, &used);
                (void)surety__region_read(finder, reading, used, NULL);
                bytes += used;
                if (reading == SURETY__READING_CUT)
                    bytes += region.more;
            }
            CHECK(bytes <= 10 * reply.len);
        }
    }
done:
    surety_buf_done(&reply);
    surety_finder_free(finder);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"finds regions", finds_regions},
        {"unwraps", unwraps},
        {"follows markers", follows_markers},
        {"maps to the reply", maps_to_the_reply},
        {"bounds the work", bounds_the_work},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
