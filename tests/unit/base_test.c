/* SPDX-License-Identifier: Apache-2.0 */
/* base/: memory, text, errors, limits. */
#include "base/base.h"
#include "check.h"

TEST(grows_by_half_and_stops_at_max)
{
    void *items = NULL;
    size_t cap = 0;

    TRY(surety__grow(check_alloc(t), &items, &cap, 1, 4, 100));
    CHECK(cap >= 1 && cap <= 100);
    TRY(surety__grow(check_alloc(t), &items, &cap, 100, 4, 100));
    CHECK(cap == 100);
    EXPECT(SURETY_LIMIT,
           surety__grow(check_alloc(t), &items, &cap, 101, 4, 100));
    EXPECT(SURETY_LIMIT, surety__grow(check_alloc(t), &items, &cap,
                                      SIZE_MAX / 4, 8, SIZE_MAX));
    CHECK(cap == 100);
done:
    surety__free(check_alloc(t), items, cap * 4);
}

TEST(arena_chunks_never_move)
{
    surety__arena arena;
    char *first;

    surety__arena_init(&arena, check_alloc(t), 0);
    first = surety__arena_take(&arena, 5);
    NEED(first);
    memcpy(first, "here", 5);
    for (int i = 0; i < 1000; i++)
        NEED(surety__arena_take(&arena, 100));
    CHECK(!memcmp(first, "here", 5));
    surety__arena_reset(&arena);
    first = surety__arena_take(&arena, 64);
    NEED(first);
    for (int i = 0; i < 64; i++)
        CHECK(first[i] == 0);
done:
    surety__arena_done(&arena);
}

TEST(arena_keeps_to_its_max)
{
    surety__arena arena;

    surety__arena_init(&arena, check_alloc(t), 10000);
    NEED(surety__arena_take(&arena, 4000));
    CHECK(surety__arena_take(&arena, 8000) == NULL);
    CHECK(surety__arena_take(&arena, SIZE_MAX) == NULL);
done:
    surety__arena_done(&arena);
}

TEST(buffer_keeps_its_first_failure)
{
    surety_buf buf;

    surety_buf_init(&buf, check_alloc(t), 8);
    surety_buf_text(&buf, "12345678");
    TRY(buf.status);
    surety_buf_byte(&buf, '9');
    EXPECT(SURETY_LIMIT, buf.status);
    surety_buf_text(&buf, "");
    EXPECT(SURETY_LIMIT, buf.status);
    CHECK_TEXT(surety_buf_str(&buf), "12345678");
    surety_buf_reset(&buf);
    surety_buf_number(&buf, 0);
    surety_buf_number(&buf, 42);
    CHECK_TEXT(surety_buf_str(&buf), "042");
done:
    surety_buf_done(&buf);
}

TEST(buffer_prints_short_and_long)
{
    surety_buf buf;
    char want[600];

    memset(want, 'x', sizeof(want));
    want[599] = '\0';
    surety_buf_init(&buf, check_alloc(t), 0);
    surety__buf_printf(&buf, "%s-%u", "a", 7u);
    TRY(buf.status);
    CHECK_TEXT(surety_buf_str(&buf), "a-7");
    surety_buf_reset(&buf);
    surety__buf_printf(&buf, "%s", want);
    TRY(buf.status);
    CHECK_TEXT(surety_buf_str(&buf), want);
done:
    surety_buf_done(&buf);
}

TEST(errors_escape_and_cut)
{
    surety_error error;
    char long_text[1000];

    surety__fail(&error, SURETY_SYNTAX, "a %s", "\x1b[31m\n\xff\xc3\xa9");
    CHECK(error.status == SURETY_SYNTAX);
    CHECK_TEXT(surety_str_of(error.message), "a \\x1b[31m\\x0a\\xff\xc3\xa9");
    memset(long_text, 'y', sizeof(long_text));
    long_text[999] = '\0';
    surety__fail(&error, SURETY_LIMIT, "%s", long_text);
    CHECK(strlen(error.message) < sizeof(error.message));
    CHECK_TEXT(surety_str_of(error.message + strlen(error.message) - 4),
               "y...");
    surety__hint(&error, "do %d", 3);
    CHECK_TEXT(surety_str_of(error.hint), "do 3");
    CHECK(surety__fail(NULL, SURETY_IO, "nobody listens") == SURETY_IO);
done:
    return;
}

TEST(utf8_is_strict)
{
    static const struct {
        const char *bytes;
        uint32_t code;
        unsigned len;
    } rows[] = {
        {"a", 'a', 1},
        {"\xc3\xa9", 0xE9, 2},
        {"\xe2\x82\xac", 0x20AC, 3},
        {"\xf0\x9f\x98\x80", 0x1F600, 4},
        {"\xf4\x8f\xbf\xbf", 0x10FFFF, 4},
        {"\xc0\xaf", UINT32_MAX, 1},         /* overlong */
        {"\xe0\x80\xaf", UINT32_MAX, 1},     /* overlong */
        {"\xed\xa0\x80", UINT32_MAX, 1},     /* a surrogate */
        {"\xf4\x90\x80\x80", UINT32_MAX, 1}, /* above U+10FFFF */
        {"\xf5\x80", UINT32_MAX, 1},
        {"\xe2\x82", UINT32_MAX, 2},      /* cut: a maximal subpart */
        {"\xf0\x9f\x98x", UINT32_MAX, 3}, /* cut by another byte */
        {"\x80", UINT32_MAX, 1},
    };

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        unsigned len;
        const char *end = rows[i].bytes + strlen(rows[i].bytes);

        CHECK(surety__utf8_decode(rows[i].bytes, end, &len) == rows[i].code);
        CHECK(len == rows[i].len);
    }
done:
    return;
}

TEST(utf8_round_trips)
{
    for (uint32_t code = 0; code <= 0x10FFFF; code += code < 0x900 ? 1 : 97) {
        char bytes[4];
        unsigned len, back;

        if (code >= 0xD800 && code < 0xE000)
            continue;
        len = surety__utf8_encode(code, bytes);
        CHECK(surety__utf8_decode(bytes, bytes + len, &back) == code);
        CHECK(back == len);
        CHECK(surety__utf8_valid((surety_str){bytes, len}, NULL));
        CHECK(surety__utf8_count((surety_str){bytes, len}) == 1);
    }
done:
    return;
}

TEST(positions_count_code_points_and_line_ends)
{
    static const struct {
        const char *text;
        size_t offset;
        uint32_t line, column;
    } rows[] = {
        {"", 0, 1, 1},
        {"ab", 1, 1, 2},
        {"a\nb", 2, 2, 1},
        {"a\r\nb", 3, 2, 1},
        {"a\rb", 2, 2, 1},
        {"\xc3\xa9x", 2, 1, 2},
        {"a\n\xc3\xa9x", 4, 2, 2},
        {"a\r\n\r\nb", 5, 3, 1},
        {"ab", 99, 1, 3},
    };

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety_position at =
            surety_position_at(surety_str_of(rows[i].text), rows[i].offset, 1);

        CHECK(at.line == rows[i].line && at.column == rows[i].column);
    }
done:
    return;
}

/* Every text of four of these pieces: at every offset, in order and back, a
 * walk is where counting from the start is, by the rules and by hand. */
TEST(a_walk_counts_as_from_the_start)
{
    static const char *const pieces[] = {"a",    "\n",       "\r",
                                         "\r\n", "\xC3\xA9", "\"b"};
    const size_t count = CHECK_COUNT(pieces);

    for (size_t n = 0; n < count * count * count * count; n++) {
        char text[16] = "";
        surety__position_walk walk;
        uint32_t line = 1;
        uint32_t column = 1;
        size_t chars = 0;

        for (size_t left = n, i = 0; i < 4; i++, left /= count)
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s",
                     pieces[left % count]);
        walk = surety__position_begin(surety_str_of(text));
        for (size_t at = 0; at <= strlen(text); at++) {
            const surety_position want =
                surety_position_at(surety_str_of(text), at, 0);

            surety__position_advance(&walk, at);
            CHECK(walk.line == line && want.line == line);
            CHECK(walk.column == column && want.column == column);
            CHECK(walk.chars == chars && walk.offset == at);
            column += (text[at] & 0xC0) != 0x80;
            chars += (text[at] & 0xC0) != 0x80;
            if (text[at] == '\n' ||
                (text[at] == '\r' && text[at + 1] != '\n')) {
                line++;
                column = 1;
            }
        }
        surety__position_advance(&walk, 1);
        CHECK(walk.offset == 1 && walk.chars == 1);
    }
done:
    return;
}

TEST(text_compares_and_finds)
{
    surety_str text = surety_str_of("one two two");

    CHECK(surety__str_find(text, surety_str_of("two")) == 4);
    CHECK(surety__str_find(text, surety_str_of("three")) == text.len);
    CHECK(surety__str_find(text, surety_str_of("")) == 0);
    CHECK(surety__str_find(surety_str_of("ab"), text) == 2);
    CHECK(surety__str_starts(text, surety_str_of("one")));
    CHECK(!surety__str_starts(surety_str_of("o"), text));
    CHECK(
        surety__str_equal_nocase(surety_str_of("JsoN"), surety_str_of("json")));
    CHECK(!surety__str_equal_nocase(surety_str_of("json5"),
                                    surety_str_of("json")));
    CHECK_TEXT(surety__str_trim(surety_str_of(" \t\r\n x y \n")), "x y");
    CHECK(surety__str_compare(surety_str_of("a"), surety_str_of("ab")) < 0);
    CHECK(surety__str_compare((surety_str){"a\0b", 3}, (surety_str){"a", 1}) >
          0);
    CHECK(surety_str_equal((surety_str){NULL, 0}, surety_str_of("")));
done:
    return;
}

/* The sanitizer of undefined behaviour sees a sum with NULL. */
/* Each byte at each place, among letters, high bytes and tabs. */
TEST(control_characters_are_found)
{
    static const char fillings[] = {'a', '\x80', '\xFF', '~', '\t'};
    char text[19];

    for (size_t i = 0; i < CHECK_COUNT(fillings) * 256 * sizeof(text); i++) {
        const size_t at = i % sizeof(text);
        const unsigned byte = (unsigned)(i / sizeof(text) % 256);
        const bool is_control = (byte < 0x20 && byte != '\t') || byte == 0x7F;
        const bool has_tab =
            byte == '\t' || fillings[i / sizeof(text) / 256] == '\t';

        memset(text, fillings[i / sizeof(text) / 256], sizeof(text));
        text[at] = (char)byte;
        CHECK(
            surety__str_find_control((surety_str){text, sizeof(text)}, false) ==
            (is_control ? at : sizeof(text)));
        if (!has_tab)
            CHECK(surety__str_find_control((surety_str){text, sizeof(text)},
                                           true) ==
                  (is_control ? at : sizeof(text)));
    }
done:
    return;
}

TEST(text_without_an_address_is_empty)
{
    surety_str text = {NULL, 0};

    surety__str_skip(&text, 0);
    CHECK(!text.ptr && text.len == 0);
    text = surety_str_of("abc");
    surety__str_skip(&text, 2);
    CHECK_TEXT(text, "c");
done:
    return;
}

TEST(distance_counts_slips)
{
    static const struct {
        const char *a, *b;
        unsigned distance;
    } rows[] = {
        {"plan", "plan", 0}, {"plan", "plna", 1}, {"plan", "plans", 1},
        {"plan", "pan", 1},  {"plan", "blan", 1}, {"plan", "xyzw", 3},
        {"", "ab", 2},
    };

    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        CHECK(surety__str_distance(surety_str_of(rows[i].a),
                                   surety_str_of(rows[i].b),
                                   2) == rows[i].distance);
done:
    return;
}

TEST(text_is_safe_for_a_terminal)
{
    static const struct {
        const char *text, *line, *lines;
    } cases[] = {{"a\xC3\xA9 \xE2\x82\xAC", "a\xC3\xA9 \xE2\x82\xAC",
                  "a\xC3\xA9 \xE2\x82\xAC"},
                 {"a\n\tb", "a\\x0A\\x09b", "a\n\tb"},
                 {"\x1B[1m\r", "\\x1B[1m\\x0D", "\\x1B[1m\\x0D"},
                 {"\xC2\x9B", "\\u{009B}", "\\u{009B}"},
                 {"\xE2\x80\xAE", "\\u{202E}", "\\u{202E}"},
                 {"\xFFz\xE2\x82", "\\xFFz\\xE2\\x82", "\\xFFz\\xE2\\x82"},
                 {"", "", ""}};
    surety_buf buf;

    surety_buf_init(&buf, check_alloc(t), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        for (int keeps_lines = 0; keeps_lines < 2; keeps_lines++) {
            surety_buf_reset(&buf);
            surety_buf_shown(&buf, surety_str_of(cases[i].text), keeps_lines);
            TRY(buf.status);
            CHECK_TEXT(surety_buf_str(&buf),
                       keeps_lines ? cases[i].lines : cases[i].line);
        }
    }
done:
    surety_buf_done(&buf);
}

TEST(map_holds_what_it_is_given)
{
    surety__map map = {.cap = 0};
    static char values[5000];

    for (uint64_t i = 0; i < 5000; i++)
        NEED(surety__map_put(&map, check_alloc(t), i << 40, &values[i]) ? &map
                                                                        : NULL);
    for (uint64_t i = 0; i < 5000; i++)
        CHECK(surety__map_get(&map, i << 40) == &values[i]);
    CHECK(surety__map_get(&map, 1) == NULL);
    CHECK(map.count == 5000);
done:
    surety__map_done(&map, check_alloc(t));
}

/* Names that people number: their hashes are as far apart as random ones, in
 * the lowest bits too. */
TEST(hashes_of_numbered_names_differ)
{
    static const char *const forms[] = {"%u", "k%u", "name-%u", "property_%u",
                                        "%u. of a long list of names"};
    char name[64];

    for (size_t k = 0; k < CHECK_COUNT(forms); k++) {
        uint32_t hashes[100];
        unsigned same = 0, near = 0;

        for (unsigned i = 0; i < 100; i++) {
            const int len = snprintf(name, sizeof(name), forms[k], i);

            hashes[i] = surety__hash(name, (size_t)len);
            for (unsigned n = 0; n < i; n++) {
                same += (hashes[n] & 0xFFFF) == (hashes[i] & 0xFFFF);
                near += (hashes[n] & 0xFF) == (hashes[i] & 0xFF);
            }
        }
        /* Of 4,950 pairs of random numbers, 0.1 and 19. */
        CHECK((same <= 2 && near <= 40) ||
              !printf("# %s: %u %u\n", forms[k], same, near));
    }
done:;
}

TEST(pairs_are_sorted)
{
    surety__pair pairs[300];
    uint64_t sum = 0;

    for (uint64_t i = 0; i < CHECK_COUNT(pairs); i++)
        pairs[i] = (surety__pair){i * 7919 % 31, i};
    surety__pairs_sort(pairs, CHECK_COUNT(pairs));
    for (size_t i = 0; i < CHECK_COUNT(pairs); i++) {
        sum += pairs[i].value;
        CHECK(i == 0 || pairs[i - 1].key < pairs[i].key ||
              (pairs[i - 1].key == pairs[i].key &&
               pairs[i - 1].value < pairs[i].value));
    }
    CHECK(sum == 299 * 300 / 2);
    surety__pairs_sort(pairs, 0);
    surety__pairs_sort(pairs, 1);
done:
    return;
}

TEST(times_are_days_and_the_rest)
{
    static const struct {
        int64_t unix_ms, days;
        uint32_t rest;
    } cases[] = {{0, 0, 0},
                 {86399999, 0, 86399999},
                 {86400000, 1, 0},
                 {-1, -1, 86399999},
                 {-86400000, -1, 0},
                 {-86400001, -2, 86399999},
                 {INT64_MAX, 106751991167, 25975807},
                 {INT64_MIN, -106751991168, 60424192}};

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        uint32_t rest = UINT32_MAX;

        CHECK(surety__date_split(cases[i].unix_ms, &rest) == cases[i].days);
        CHECK(rest == cases[i].rest);
    }
done:
    return;
}

TEST(dates_are_days_and_back)
{
    static const struct {
        int64_t days;
        surety__date date;
    } cases[] = {{0, {1970, 1, 1}},        {-1, {1969, 12, 31}},
                 {11016, {2000, 2, 29}},   {11017, {2000, 3, 1}},
                 {-719162, {1, 1, 1}},     {-719163, {0, 12, 31}},
                 {-719528, {0, 1, 1}},     {-719529, {-1, 12, 31}},
                 {2932896, {9999, 12, 31}}};
    surety__date last = surety__date_of(-800000);

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety__date date = surety__date_of(cases[i].days);
        CHECK(date.year == cases[i].date.year &&
              date.month == cases[i].date.month &&
              date.day == cases[i].date.day);
        CHECK(surety__date_days(date) == cases[i].days);
    }
    for (int64_t day = -799999; day < 800000; day++) {
        const surety__date date = surety__date_of(day);
        CHECK(surety__date_days(date) == day);
        CHECK(date.day == last.day + 1 ||
              (date.day == 1 &&
               last.day == surety__date_last(last.year, last.month)));
        last = date;
    }
    CHECK(surety__date_last(1900, 2) == 28 && surety__date_last(2000, 2) == 29);
    CHECK(surety__date_last(2026, 12) == 31 && surety__date_last(-4, 2) == 29);
done:;
}

TEST(limits_fill_in_defaults)
{
    surety_limits given = {.size = sizeof(given), .depth_max = 7};
    surety_limits old = {.size = offsetof(surety_limits, depth_max),
                         .text_bytes_max = 5,
                         .depth_max = 7};
    surety_limits limits = surety_limits_of(NULL);
    const uint32_t *member = &limits.depth_max;

    CHECK(limits.depth_max == 512 && limits.findings_max == 32);
    CHECK(*member);
    CHECK(surety_limits_of(&given).depth_max == 7);
    CHECK(surety_limits_of(&given).findings_max == 32);
    CHECK(surety_limits_of(&old).text_bytes_max == 5);
    CHECK(surety_limits_of(&old).depth_max == 512);
    given.text_bytes_max = SIZE_MAX;
    CHECK(surety_limits_of(&given).text_bytes_max == UINT32_MAX - 64);
done:
    return;
}

TEST(limits_are_set_by_name)
{
    surety_limits limits = {.size = sizeof(limits)};
    surety_limits old = {.size = offsetof(surety_limits, depth_max)};
    const surety_limits usual = surety_limits_of(NULL);
    surety_limit limit;
    surety_error err;
    char text[32];

    for (size_t i = 0; surety_limit_at(i, &limit); i++) {
        const surety_str name = surety_str_of(limit.name);

        snprintf(text, sizeof(text), "%llu", (unsigned long long)limit.usual);
        TRY(surety_limits_set(&limits, name, surety_str_of(text), &err));
    }
#define LIMIT(member, normal, most, what, why)                                 \
    CHECK(limits.member == usual.member);
#include "base/limits.def"
#undef LIMIT
    for (size_t i = 0; surety_limit_at(i, &limit); i++) {
        const surety_str name = surety_str_of(limit.name);

        CHECK(limit.usual >= 1 && limit.usual <= limit.max && limit.what[0] &&
              limit.why[0]);
        snprintf(text, sizeof(text), "%llu", (unsigned long long)limit.max);
        TRY(surety_limits_set(&limits, name, surety_str_of(text), &err));
        snprintf(text, sizeof(text), "%llu", (unsigned long long)limit.max + 1);
        EXPECT(SURETY_SYNTAX,
               surety_limits_set(&limits, name, surety_str_of(text), &err));
        CHECK(strstr(err.message, limit.name));
    }
    TRY(surety_limits_set(&limits, surety_str_of("text_bytes_max"),
                          surety_str_of("128M"), &err));
    CHECK(limits.text_bytes_max == (size_t)128 << 20);
    EXPECT(SURETY_MISUSE, surety_limits_set(&old, surety_str_of("depth_max"),
                                            surety_str_of("3"), &err));
    EXPECT(SURETY_SYNTAX, surety_limits_set(&old, surety_str_of("dept_max"),
                                            surety_str_of("3"), &err));
    CHECK(strstr(err.hint, "depth_max"));
done:
    return;
}

TEST(a_limit_says_how_to_raise_it)
{
    surety_error err;

    surety__fail(&err, SURETY_LIMIT, "more than the limit depth_max of 3");
    CHECK(strstr(err.hint, "--limit depth_max=VALUE"));
    surety__fail(&err, SURETY_LIMIT, "more than 250 groups in each other");
    CHECK(err.hint[0] == 0);
    surety__fail(&err, SURETY_SYNTAX, "the key depth_max is unknown");
    CHECK(err.hint[0] == 0);
done:
    return;
}

TEST(an_arena_takes_the_text_of_a_buffer)
{
    surety__arena arena;
    surety_buf buf;
    surety_str text;

    surety__arena_init(&arena, check_alloc(t), 0);
    surety_buf_init(&buf, check_alloc(t), 4);
    surety_buf_text(&buf, "abcd");
    if (buf.status == SURETY_OK) {
        text = surety__arena_buf(&arena, &buf);
        NEED(text.ptr);
        CHECK_TEXT(text, "abcd");
    }
    CHECK(!buf.ptr && !buf.len);
    surety_buf_text(&buf, "abcde"); /* more than it may have */
    CHECK(buf.status != SURETY_OK);
    text = surety__arena_buf(&arena, &buf);
    CHECK(!text.ptr && !text.len && !buf.ptr);
done:
    surety_buf_done(&buf);
    surety__arena_done(&arena);
}

TEST(cuts_between_letters)
{
    static const struct {
        const char *text;
        size_t max;
        size_t want;
    } cases[] = {{"", 0, 0},
                 {"abc", 3, 3},
                 {"abc", 4, 3},
                 {"abc", 2, 2},
                 {"a\xC3\xA9", 3, 3},
                 {"a\xC3\xA9", 2, 1},
                 {"\xE6\x9D\xB1x", 3, 3},
                 {"\xE6\x9D\xB1x", 2, 0},
                 {"\xE6\x9D\xB1x", 1, 0},
                 {"\x80\x80\x80", 1, 0}};

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        CHECK(surety__utf8_cut(surety_str_of(cases[i].text), cases[i].max) ==
              cases[i].want);
done:;
}

TEST(statuses_have_names)
{
    CHECK_TEXT(surety_str_of(surety_status_name(SURETY_OK)), "ok");
    CHECK_TEXT(surety_str_of(surety_status_name(SURETY_NOMEM)),
               "out of memory");
    CHECK_TEXT(surety_str_of(surety_status_name((surety_status)99)), "unknown");
    CHECK_TEXT(surety_str_of(surety_version()), SURETY_VERSION);
done:
    return;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"grows by half and stops at max", grows_by_half_and_stops_at_max},
        {"arena chunks never move", arena_chunks_never_move},
        {"arena keeps to its max", arena_keeps_to_its_max},
        {"buffer keeps its first failure", buffer_keeps_its_first_failure},
        {"buffer prints short and long", buffer_prints_short_and_long},
        {"errors escape and cut", errors_escape_and_cut},
        {"utf8 is strict", utf8_is_strict},
        {"utf8 round trips", utf8_round_trips},
        {"positions count code points and line ends",
         positions_count_code_points_and_line_ends},
        {"a walk counts as from the start", a_walk_counts_as_from_the_start},
        {"text compares and finds", text_compares_and_finds},
        {"control characters are found", control_characters_are_found},
        {"text without an address is empty", text_without_an_address_is_empty},
        {"distance counts slips", distance_counts_slips},
        {"text is safe for a terminal", text_is_safe_for_a_terminal},
        {"map holds what it is given", map_holds_what_it_is_given},
        {"hashes of numbered names differ", hashes_of_numbered_names_differ},
        {"pairs are sorted", pairs_are_sorted},
        {"times are days and the rest", times_are_days_and_the_rest},
        {"dates are days and back", dates_are_days_and_back},
        {"limits fill in defaults", limits_fill_in_defaults},
        {"limits are set by name", limits_are_set_by_name},
        {"a limit says how to raise it", a_limit_says_how_to_raise_it},
        {"an arena takes the text of a buffer",
         an_arena_takes_the_text_of_a_buffer},
        {"cuts between letters", cuts_between_letters},
        {"statuses have names", statuses_have_names},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
