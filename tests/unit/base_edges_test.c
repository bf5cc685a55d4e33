/* SPDX-License-Identifier: Apache-2.0 */
/* base/ at its edges: how much memory is asked for, where texts are cut, and
 * what numbers, names and bytes may be. */
#include "base/base.h"
#include "check.h"

#include <string.h>

/* ---- memory -------------------------------------------------------------- */

/* An allocator that has no memory and says it has: what was asked for last. */
struct asked {
    size_t calls, old, new;
    char *gives;
};

static void *asked_resize(void *ctx, void *ptr, size_t size_old,
                          size_t size_new)
{
    struct asked *asked = ctx;

    (void)ptr;
    asked->calls++;
    asked->old = size_old;
    asked->new = size_new;
    return size_new ? asked->gives : NULL;
}

#define GROWN_MOST (SIZE_MAX / 2 / 8)

TEST(grows_to_just_so_many)
{
    static const struct {
        size_t cap, count, item_size, max;
        surety_status status;
        size_t grown;
    } rows[] = {
        {16, 16, 4, 100, SURETY_OK, 16},
        {16, 0, 4, 100, SURETY_OK, 16},
        {16, 17, 4, 100, SURETY_OK, 25},
        {25, 26, 4, 100, SURETY_OK, 38},
        {16, 25, 4, 100, SURETY_OK, 25},
        {16, 26, 4, 100, SURETY_OK, 26},
        {16, 17, 4, 20, SURETY_OK, 20},
        {16, 20, 4, 20, SURETY_OK, 20},
        {16, 21, 4, 20, SURETY_LIMIT, 16},
        {16, 17, 4, 16, SURETY_LIMIT, 16},
        {GROWN_MOST - 9, GROWN_MOST - 5, 8, SIZE_MAX, SURETY_OK,
         GROWN_MOST - 5},
        {GROWN_MOST - 9, GROWN_MOST, 8, SIZE_MAX, SURETY_OK, GROWN_MOST},
        {GROWN_MOST - 9, GROWN_MOST + 1, 8, SIZE_MAX, SURETY_LIMIT,
         GROWN_MOST - 9},
        {1000, 1001, 1, SIZE_MAX, SURETY_OK, 1501},
        {0, 1000, 1, SIZE_MAX, SURETY_OK, 1000},
#ifndef SURETY_TORTURE
        {0, 1, 4, 100, SURETY_OK, 16},
        {0, 16, 4, 100, SURETY_OK, 16},
        {0, 17, 4, 100, SURETY_OK, 17},
        {0, 1, 4, 8, SURETY_OK, 8},
        /* The first block of large items: 1 KiB, or one item. */
        {0, 1, 64, 100, SURETY_OK, 16},
        {0, 1, 65, 100, SURETY_OK, 15},
        {0, 1, 1024, 100, SURETY_OK, 1},
        {0, 1, 1025, 100, SURETY_OK, 1},
        {0, 2, 1025, 100, SURETY_OK, 2},
#endif
    };
    char block, other;
    struct asked asked = {.gives = &block};
    const surety_alloc alloc = {asked_resize, &asked};

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const size_t size = rows[i].item_size;
        void *items = &other;
        size_t cap = rows[i].cap;

        asked = (struct asked){.gives = &block};
        CHECK(surety__grow(&alloc, &items, &cap, rows[i].count, size,
                           rows[i].max) == rows[i].status);
        CHECK(cap == rows[i].grown);
        if (cap == rows[i].cap) {
            CHECK(asked.calls == 0 && items == &other);
            continue;
        }
        CHECK(asked.calls == 1 && items == &block);
        CHECK(asked.old == rows[i].cap * size && asked.new == cap *size);
        /* No memory changes nothing. */
        asked = (struct asked){.gives = NULL};
        items = &other;
        cap = rows[i].cap;
        CHECK(surety__grow(&alloc, &items, &cap, rows[i].count, size,
                           rows[i].max) == SURETY_NOMEM);
        CHECK(asked.calls == 1 && cap == rows[i].cap && items == &other);
    }
done:
    return;
}

TEST(asks_the_allocator_that_is_given)
{
    char block[8] = "1234567";
    struct asked asked = {.gives = block};
    const surety_alloc alloc = {asked_resize, &asked};
    char *own;

    CHECK(!surety__resize(&alloc, NULL, 0, 0) && asked.calls == 0);
    CHECK(!surety__resize(&alloc, block, 3, 0) && asked.calls == 1);
    CHECK(asked.old == 3 && asked.new == 0);
    CHECK(surety__resize(&alloc, block, 3, 4) == block && asked.calls == 2);
    CHECK(asked.old == 3 && asked.new == 4);
    surety__free(&alloc, NULL, 9);
    CHECK(asked.calls == 2);
    surety__free(&alloc, block, 9);
    CHECK(asked.calls == 3 && asked.old == 9 && asked.new == 0);
    CHECK(surety__new(&alloc, 4) == block && asked.old == 0 && asked.new == 4);
    CHECK(!memcmp(block, "\0\0\0", 4) && !strcmp(block + 4, "567"));
    /* libc's. */
    own = surety__resize(NULL, NULL, 0, 4);
    CHECK(own);
    memcpy(own, "abc", 4);
    own = surety__resize(NULL, own, 4, 4000);
    CHECK(own && !memcmp(own, "abc", 4));
    CHECK(!surety__resize(NULL, own, 4000, 0));
done:
    return;
}

#ifndef SURETY_TORTURE
/* Passes on what it is asked for, and keeps the sizes of what is new. */
struct passed {
    const surety_alloc *to;
    size_t sizes[32];
    size_t count, live;
};

static void *passed_resize(void *ctx, void *ptr, size_t size_old,
                           size_t size_new)
{
    struct passed *passed = ctx;
    void *given = passed->to->resize(passed->to->ctx, ptr, size_old, size_new);

    if (!ptr && given && passed->count < CHECK_COUNT(passed->sizes))
        passed->sizes[passed->count++] = size_new;
    passed->live += given ? size_new - size_old : 0 - size_old * !size_new;
    return given;
}

enum { HEAD = 16 }; /* of a chunk: as aligned as anything */

TEST(arena_chunks_double)
{
    struct passed passed = {.to = check_alloc(t)};
    const surety_alloc alloc = {passed_resize, &passed};
    surety__arena arena;
    char *first, *second;
    size_t want = 512;

    surety__arena_init(&arena, &alloc, 0);
    CHECK(passed.count == 0);
    NEED(first = surety__arena_take(&arena, 1));
    NEED(second = surety__arena_take(&arena, 16));
    CHECK(second - first == 16 && (uintptr_t)first % 16 == 0);
    NEED(second = surety__arena_take(&arena, 17));
    CHECK(second - first == 32);
    NEED(second = surety__arena_take(&arena, 512 - 64));
    CHECK(second - first == 64);
    CHECK(passed.count == 1 && passed.sizes[0] == 512 + HEAD);
    for (size_t i = 1; i < 13; i++) {
        want = want < 1u << 20 ? want * 2 : want;
        NEED(surety__arena_take(&arena, 8));
        NEED(surety__arena_take(&arena, want - 16));
        CHECK(passed.count == i + 1 && passed.sizes[i] == want + HEAD);
    }
    /* One that is larger has a chunk of its own size. */
    NEED(surety__arena_take(&arena, (1u << 20) + 1));
    CHECK(passed.sizes[13] == (1u << 20) + 16 + HEAD);
    /* The largest is kept. */
    surety__arena_reset(&arena);
    CHECK(passed.live == (1u << 20) + 16 + HEAD);
    CHECK(arena.total == (1u << 20) + 16 && arena.used == 0);
    NEED(first = surety__arena_take(&arena, (1u << 20) + 16));
    for (size_t i = 0; i < (1u << 20) + 16; i += 97)
        CHECK(first[i] == 0);
    CHECK(passed.count == 14);
    surety__arena_done(&arena);
    CHECK(passed.live == 0 && arena.total == 0 && arena.used == 0);
    surety__arena_reset(&arena);
    CHECK(arena.total == 0);
done:
    surety__arena_done(&arena);
}

TEST(arena_fills_up_to_its_max)
{
    struct passed passed = {.to = check_alloc(t)};
    const surety_alloc alloc = {passed_resize, &passed};
    surety__arena arena;
    surety_str text;

    surety__arena_init(&arena, &alloc, 10000);
    NEED(surety__arena_take(&arena, 4000));
    NEED(surety__arena_take(&arena, 2000));
    CHECK(passed.sizes[0] == 4000 + HEAD && passed.sizes[1] == 2000 + HEAD);
    CHECK(!surety__arena_take(&arena, 4001));
    NEED(surety__arena_take(&arena, 4000));
    CHECK(passed.sizes[2] == 4000 + HEAD && arena.total == 10000);
    CHECK(!surety__arena_take(&arena, 1) && passed.count == 3);
    surety__arena_reset(&arena);
    CHECK(arena.total == 4000);
    text = surety__arena_text(&arena, surety_str_of("abc"));
    NEED(text.ptr);
    CHECK(text.len == 3 && !memcmp(text.ptr, "abc", 4) && arena.used == 16);
    text = surety__arena_text(&arena, (surety_str){NULL, 0});
    CHECK(text.ptr && text.len == 0 && text.ptr[0] == 0 && arena.used == 32);
    text = surety__arena_text(&arena, surety_str_of("fifteen letters"));
    CHECK(text.len == 15 && arena.used == 48);
    CHECK(!surety__arena_text(&arena, (surety_str){"", SIZE_MAX}).ptr);
    CHECK(!surety__arena_text(&arena, (surety_str){"", 6016}).ptr);
    CHECK(!surety__arena_take(&arena, SIZE_MAX / 4));
    CHECK(!surety__arena_take(&arena, SIZE_MAX - 3));
    CHECK(surety__arena_take(&arena, 0));
done:
    surety__arena_done(&arena);
}
#endif

TEST(map_is_at_most_half_full)
{
    surety__map map = {.cap = 0};
    static char values[40];

    CHECK(!surety__map_get(&map, 0));
    for (uint64_t i = 0; i < 33; i++) {
        NEED(surety__map_put(&map, check_alloc(t), i * 16, &values[i]) ? &map
                                                                       : NULL);
        CHECK(map.count == i + 1);
        CHECK(map.cap == (i < 8 ? 16u : i < 16 ? 32u : i < 32 ? 64u : 128u));
        for (uint64_t j = 0; j <= i; j++)
            CHECK(surety__map_get(&map, j * 16) == &values[j]);
        CHECK(!surety__map_get(&map, (i + 1) * 16));
    }
    NEED(surety__map_put(&map, check_alloc(t), 32, &values[39]) ? &map : NULL);
    CHECK(map.count == 33 && surety__map_get(&map, 32) == &values[39]);
    surety__map_done(&map, check_alloc(t));
    CHECK(map.cap == 0 && map.count == 0 && !surety__map_get(&map, 32));
done:
    surety__map_done(&map, check_alloc(t));
}

/* ---- buffers ------------------------------------------------------------- */

TEST(buffers_fill_to_the_byte)
{
    surety_buf buf;

    surety_buf_init(&buf, check_alloc(t), 0);
    CHECK(buf.max == SIZE_MAX / 2 && !buf.ptr);
    surety_buf_append(&buf, NULL, 0);
    CHECK(!buf.ptr && !buf.status);
    for (unsigned i = 0; i < 300; i++) {
        surety_buf_byte(&buf, (char)i);
        TRY(buf.status);
        CHECK(buf.len == i + 1 && buf.ptr[i] == (char)i && buf.cap > i);
    }
    NEED(surety__buf_room(&buf, buf.cap - buf.len));
    CHECK(buf.len == 300);
    CHECK(!surety__buf_room(&buf, SIZE_MAX));
    CHECK(buf.status == SURETY_LIMIT && !surety__buf_room(&buf, 1));
    surety_buf_done(&buf);
    CHECK(!buf.ptr && !buf.len && !buf.cap);
    surety_buf_init(&buf, check_alloc(t), 3);
    surety_buf_text(&buf, "abc");
    TRY(buf.status);
    surety_buf_text(&buf, "");
    CHECK(!buf.status && buf.len == 3);
    CHECK(!surety__buf_room(&buf, 4) && buf.status == SURETY_LIMIT);
    surety_buf_reset(&buf);
    surety_buf_text(&buf, "ab");
    surety_buf_text(&buf, "cd");
    CHECK(buf.status == SURETY_LIMIT);
    CHECK_TEXT(surety_buf_str(&buf), "ab");
    surety_buf_text(&buf, "e");
    CHECK_TEXT(surety_buf_str(&buf), "ab");
done:
    surety_buf_done(&buf);
}

TEST(buffers_write_numbers)
{
    static const struct {
        uint64_t number;
        const char *want;
    } rows[] = {{0, "0"},
                {1, "1"},
                {9, "9"},
                {10, "10"},
                {99, "99"},
                {100, "100"},
                {1234567890, "1234567890"},
                {UINT64_MAX, "18446744073709551615"}};
    surety_buf buf;

    surety_buf_init(&buf, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety_buf_reset(&buf);
        surety_buf_number(&buf, rows[i].number);
        TRY(buf.status);
        CHECK_TEXT(surety_buf_str(&buf), rows[i].want);
    }
    for (int len = 250; len < 260; len++) {
        surety_buf_reset(&buf);
        surety__buf_printf(&buf, "%*d", len, 7);
        TRY(buf.status);
        surety_buf_byte(&buf, '!');
        TRY(buf.status);
        CHECK(buf.len == (size_t)len + 1 && buf.ptr[len] == '!' &&
              buf.ptr[len - 1] == '7' && buf.ptr[len - 2] == ' ');
    }
done:
    surety_buf_done(&buf);
}

/* ---- errors -------------------------------------------------------------- */

TEST(errors_show_what_can_be_shown)
{
    static const char *const rows[][2] = {
        {"\x1F\x20\x7E\x7F", "\\x1f ~\\x7f"},
        {"\xC2\x80\xC2\x9F\xC2\xA0", "\\xc2\\x80\\xc2\\x9f\xC2\xA0"},
        {"\xE2\x80\xA9\xE2\x80\xAA", "\xE2\x80\xA9\\xe2\\x80\\xaa"},
        {"\xE2\x80\xAE\xE2\x80\xAF", "\\xe2\\x80\\xae\xE2\x80\xAF"},
        {"\xE2\x81\xA5\xE2\x81\xA6", "\xE2\x81\xA5\\xe2\\x81\\xa6"},
        {"\xE2\x81\xA9\xE2\x81\xAA", "\\xe2\\x81\\xa9\xE2\x81\xAA"},
        {"\xF0\x9F\x98\x80\xF0\x9F\x98", "\xF0\x9F\x98\x80\\xf0\\x9f\\x98"},
        {"\n\t\x01", "\\x0a\\x09\\x01"},
    };
    surety_error error;

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        memset(&error, 0xAA, sizeof(error));
        CHECK(surety__fail(&error, SURETY_IO, "%s", rows[i][0]) == SURETY_IO);
        CHECK(error.status == SURETY_IO);
        CHECK_TEXT(surety_str_of(error.message), rows[i][1]);
        CHECK(!error.hint[0] && !error.path[0] && !error.source[0]);
        CHECK(!error.position.line && !error.position.column &&
              !error.position.offset && !error.position.length);
    }
    CHECK(surety__fail_nomem(&error) == SURETY_NOMEM);
    CHECK_TEXT(surety_str_of(error.message), "out of memory");
    surety__hint(NULL, "unheard");
done:
    return;
}

/* A text of so many bytes: y, and behind it one more character. */
static const char *filled(char *out, size_t count, const char *last)
{
    memset(out, 'y', count);
    memcpy(out + count, last, strlen(last) + 1);
    return out;
}

TEST(errors_are_cut_at_their_size)
{
    static const struct {
        size_t count;
        const char *last, *end;
    } rows[] = {
        {315, "z", "yyz"},
        {316, "z", "yyy..."},
        {316, "", "yyy"},
        {314, "\xC3\xA9", "yyy\xC3\xA9"},
        {315, "\xC3\xA9", "yyy..."},
        {312, "\n", "yyy\\x0a"},
        {313, "\n", "yyy..."},
        {400, "", "yyy..."},
        {2000, "", "yyy..."},
    };
    char text[2100];
    surety_error error;

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const size_t size = strlen(rows[i].end);

        surety__fail(&error, SURETY_SYNTAX, "%s",
                     filled(text, rows[i].count, rows[i].last));
        CHECK(strlen(error.message) >= 313 && strlen(error.message) <= 319);
        CHECK_TEXT(surety_str_of(error.message + strlen(error.message) - size),
                   rows[i].end);
        CHECK(rows[i].count > 316 || strlen(error.message) >= rows[i].count);
        CHECK(strspn(error.message, "y") ==
              (rows[i].count < 316 ? rows[i].count : 316));
    }
    surety__hint(&error, "%s", filled(text, 252, ""));
    CHECK(strlen(error.hint) == 252);
    surety__hint(&error, "%s", filled(text, 252, "z"));
    CHECK(strlen(error.hint) == 255);
    CHECK_TEXT(surety_str_of(error.hint + 250), "yy...");
done:
    return;
}

TEST(every_status_has_its_name)
{
    static const struct {
        surety_status status;
        const char *name;
    } rows[] = {
        {SURETY_OK, "ok"},
        {SURETY_MORE, "more"},
        {SURETY_END, "end"},
        {SURETY_NOMEM, "out of memory"},
        {SURETY_LIMIT, "limit"},
        {SURETY_MISUSE, "misuse"},
        {SURETY_SYNTAX, "syntax"},
        {SURETY_UNSUPPORTED, "unsupported"},
        {SURETY_IO, "io"},
        {SURETY_TIMEOUT, "timeout"},
        {SURETY_CANCELLED, "cancelled"},
        {(surety_status)3, "unknown"},
        {(surety_status)-9, "unknown"},
    };

    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        CHECK_TEXT(surety_str_of(surety_status_name(rows[i].status)),
                   rows[i].name);
done:
    return;
}

/* ---- limits and options -------------------------------------------------- */

/* What a limit of at most 4,294,967,231 is set to. */
static const struct {
    const char *text;
    uint64_t value; /* 0: refused */
} limit_numbers[] = {
    {"1", 1},
    {"7", 7},
    {"10", 10},
    {"007", 7},
    {"1K", 1024},
    {"3M", 3u << 20},
    {"1G", 1u << 30},
    {"3G", 3221225472},
    {"4194303K", 4294966272},
    {"4294967231", 4294967231},
    {"4294967232", 0},
    {"4G", 0},
    {"", 0},
    {"0", 0},
    {"0K", 0},
    {"K", 0},
    {"G", 0},
    {"1k", 0},
    {"1T", 0},
    {"1KK", 0},
    {"1K1", 0},
    {"-1", 0},
    {"+1", 0},
    {" 1", 0},
    {"1 ", 0},
    {"1.5", 0},
    {"1/", 0},
    {"1:", 0},
    {"18446744073709551615", 0},
    {"18446744073709551616", 0},
    {"18446744073709551617", 0},
    {"184467440737095516160", 0},
    {"18014398509481985K", 0},
};

TEST(limits_take_these_numbers)
{
    surety_limits limits = {.size = sizeof(limits)};
    surety_error error;
    char want[160];

    for (size_t i = 0; i < CHECK_COUNT(limit_numbers); i++) {
        const surety_str text = surety_str_of(limit_numbers[i].text);

        limits.text_bytes_max = 5;
        EXPECT(limit_numbers[i].value ? SURETY_OK : SURETY_SYNTAX,
               surety_limits_set(&limits, surety_str_of("text_bytes_max"), text,
                                 &error));
        CHECK(limits.text_bytes_max ==
              (limit_numbers[i].value ? limit_numbers[i].value : 5));
        if (limit_numbers[i].value)
            continue;
        snprintf(want, sizeof(want),
                 "text_bytes_max is a whole number from 1 to 4294967231, not "
                 "\"%s\"",
                 limit_numbers[i].text);
        CHECK_TEXT(surety_str_of(error.message), want);
        CHECK_TEXT(
            surety_str_of(error.hint),
            "the suffixes K, M and G multiply by 1,024, 1,024^2 and 1,024^3");
    }
    TRY(surety_limits_set(&limits, surety_str_of("attempt_raw_max"),
                          surety_str_of("9"), &error));
    CHECK(limits.attempt_raw_max == 9 && limits.repeat_data_max == 0);
    /* What is shown of a value is bounded. */
    EXPECT(SURETY_SYNTAX,
           surety_limits_set(&limits, surety_str_of("depth_max"),
                             surety_str_of("12345678901234567890123456789012x"),
                             &error));
    CHECK(strstr(error.message, ", not \"12345678901234567890123456789012\""));
done:
    return;
}

TEST(limits_name_the_nearest)
{
    static const struct {
        const char *name, *message, *hint;
    } rows[] = {
        {"depth", "there is no limit \"depth\"", "did you mean \"depth_max\"?"},
        {"depth_mx", "there is no limit \"depth_mx\"",
         "did you mean \"depth_max\"?"},
        {"schema_dept_max", "there is no limit \"schema_dept_max\"",
         "did you mean \"schema_depth_max\"?"},
        {"keys", "there is no limit \"keys\"", ""},
        {"vwxyh_max", "there is no limit \"vwxyh_max\"",
         "did you mean \"depth_max\"?"},
        {"vwxyz_max", "there is no limit \"vwxyz_max\"", ""},
        {"", "there is no limit \"\"", ""},
        {"Depth_max", "there is no limit \"Depth_max\"",
         "did you mean \"depth_max\"?"},
    };
    surety_limits limits = {.size = sizeof(limits)};
    surety_limits old = {.size = offsetof(surety_limits, depth_max)};
    surety_error error;
    char name[80];

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        EXPECT(SURETY_SYNTAX,
               surety_limits_set(&limits, surety_str_of(rows[i].name),
                                 surety_str_of("1"), &error));
        CHECK_TEXT(surety_str_of(error.message), rows[i].message);
        CHECK_TEXT(surety_str_of(error.hint), rows[i].hint);
    }
    EXPECT(SURETY_SYNTAX,
           surety_limits_set(&limits, surety_str_of(filled(name, 64, "z")),
                             surety_str_of("1"), &error));
    CHECK(strlen(error.message) == strlen("there is no limit \"\"") + 64);
    EXPECT(SURETY_MISUSE, surety_limits_set(&old, surety_str_of("depth_max"),
                                            surety_str_of("3"), &error));
    CHECK_TEXT(surety_str_of(error.message),
               "the struct of limits is too small for depth_max");
    old.size = offsetof(surety_limits, depth_max) + sizeof(old.depth_max) - 1;
    EXPECT(SURETY_MISUSE, surety_limits_set(&old, surety_str_of("depth_max"),
                                            surety_str_of("3"), &error));
    old.size++;
    TRY(surety_limits_set(&old, surety_str_of("depth_max"), surety_str_of("3"),
                          &error));
    CHECK(old.depth_max == 3);
done:
    return;
}

TEST(limits_are_found_in_messages)
{
    static const struct {
        const char *message, *name;
    } rows[] = {
        {"more than the limit depth_max of 3", "depth_max"},
        {"depth_max", "depth_max"},
        {"schema_depth_max", "schema_depth_max"},
        {"schema_depth_max and depth_max", "depth_max"},
        {"inplace_depth_max of 256", "inplace_depth_max"},
        {"values_max", "values_max"},
        {"_values_max", NULL},
        {"_values_max values_max", "values_max"},
        {"the limit attempt_raw_max", "attempt_raw_max"},
        {"", NULL},
        {"depth_ma", NULL},
    };
    const surety_limits none = {.size = sizeof(none)};
    surety_limit limit;
    size_t count = 0;

    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        CHECK_TEXT(surety_str_of(surety__limit_named(rows[i].message)),
                   rows[i].name ? rows[i].name : "");
    while (surety_limit_at(count, &limit))
        count++;
    CHECK(surety_limit_at(count - 1, &limit) &&
          !surety_limit_at(count, &limit));
    CHECK_TEXT(surety_str_of(limit.name), "server_tools_max");
    CHECK(surety_limits_of(&none).depth_max == 512);
    CHECK(surety_limits_of(&none).size == sizeof(none));
done:
    return;
}

TEST(options_are_taken_by_their_size)
{
    struct options {
        size_t size;
        uint32_t one, two, three, four;
    } own, given = {.size = sizeof(given), .one = 1, .two = 2, .four = 4};
    surety_error error;

    TRY(surety__options_take(&own, sizeof(own), NULL, &error));
    CHECK(own.size == sizeof(own) && !own.one && !own.two && !own.four);
    TRY(surety__options_take(&own, sizeof(own), &given, &error));
    CHECK(own.size == sizeof(own) && own.one == 1 && own.four == 4);
    given.size = offsetof(struct options, two);
    TRY(surety__options_take(&own, sizeof(own), &given, &error));
    CHECK(own.size == sizeof(own) && own.one == 1 && !own.two && !own.four);
    given.size = sizeof(size_t);
    TRY(surety__options_take(&own, sizeof(own), &given, &error));
    CHECK(own.size == sizeof(own) && !own.one);
    /* A caller with a newer header. */
    given.size = sizeof(given);
    own.three = own.four = 9;
    TRY(surety__options_take(&own, offsetof(struct options, three), &given,
                             &error));
    CHECK(own.size == offsetof(struct options, three) && own.two == 2);
    CHECK(own.three == 9 && own.four == 9);
    for (given.size = 0; given.size < sizeof(size_t); given.size++) {
        char want[80];

        snprintf(want, sizeof(want),
                 "the member size of a struct of options is %zu", given.size);
        EXPECT(SURETY_MISUSE,
               surety__options_take(&own, sizeof(own), &given, &error));
        CHECK_TEXT(surety_str_of(error.message), want);
        CHECK_TEXT(surety_str_of(error.hint),
                   "set it to the sizeof of that struct");
    }
done:
    return;
}

/* ---- text ---------------------------------------------------------------- */

TEST(texts_are_found_and_compared)
{
    static const struct {
        const char *text, *needle;
        size_t at;
    } finds[] = {{"", "", 0},        {"abc", "", 0},     {"", "a", 0},
                 {"abc", "abc", 0},  {"abc", "abcd", 3}, {"aab", "ab", 1},
                 {"aaab", "aab", 1}, {"abab", "bab", 1}, {"abcabd", "abd", 3},
                 {"abc", "c", 2},    {"abc", "d", 3},    {"aaa", "ab", 3}};
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {{"@", "`", false}, {"[", "{", false}, {"A", "a", true},
                 {"Z", "z", true},  {"a", "A", true},  {"aZ", "Az", true},
                 {"", "", true},    {"a", "b", false}, {"ab", "a", false}};
    static const char *const trims[][2] = {{"", ""},
                                           {" ", ""},
                                           {"\t\n\r ", ""},
                                           {"a", "a"},
                                           {" a", "a"},
                                           {"a ", "a"},
                                           {" a b ", "a b"},
                                           {"\x0b"
                                            "a\x0c",
                                            "\x0b"
                                            "a\x0c"}};

    for (size_t i = 0; i < CHECK_COUNT(finds); i++)
        CHECK(surety__str_find(surety_str_of(finds[i].text),
                               surety_str_of(finds[i].needle)) == finds[i].at);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        CHECK(surety__str_equal_nocase(surety_str_of(cases[i].a),
                                       surety_str_of(cases[i].b)) ==
              cases[i].same);
    for (size_t i = 0; i < CHECK_COUNT(trims); i++)
        CHECK_TEXT(surety__str_trim(surety_str_of(trims[i][0])), trims[i][1]);
    CHECK(surety__str_compare(surety_str_of("a"), surety_str_of("ab")) == -1);
    CHECK(surety__str_compare(surety_str_of("ab"), surety_str_of("a")) == 1);
    CHECK(surety__str_compare(surety_str_of("b"), surety_str_of("ab")) > 0);
    CHECK(surety__str_compare(surety_str_of("ab"), surety_str_of("ab")) == 0);
    CHECK(surety__str_compare((surety_str){NULL, 0}, (surety_str){"", 0}) == 0);
    CHECK(surety__str_starts(surety_str_of("ab"), surety_str_of("ab")));
    CHECK(surety__str_starts(surety_str_of("ab"), surety_str_of("")));
    CHECK(!surety__str_starts(surety_str_of("ab"), surety_str_of("abc")));
    CHECK(!surety__str_starts(surety_str_of("ab"), surety_str_of("b")));
    CHECK(surety_str_of(NULL).len == 0 && !surety_str_of(NULL).ptr);
done:
    return;
}

TEST(distances_are_those_of_slips)
{
    static const struct {
        const char *a, *b;
        unsigned max, distance;
    } rows[] = {{"", "", 2, 0},
                {"a", "", 2, 1},
                {"", "abc", 2, 3},
                {"", "abcd", 2, 3},
                {"ab", "ba", 2, 1},
                {"abc", "bca", 5, 2},
                {"abcd", "badc", 5, 2},
                {"kitten", "sitting", 5, 3},
                {"kitten", "sitting", 3, 3},
                {"kitten", "sitting", 2, 3},
                {"kitten", "sitting", 1, 2},
                {"abcdef", "fedcba", 9, 5},
                {"ca", "abc", 5, 3},
                {"aaaa", "bbbb", 9, 4},
                {"abc", "abc", 0, 0},
                {"abc", "abd", 0, 1},
                {"a", "abc", 2, 2},
                {"abc", "a", 1, 2},
                {"ab", "cab", 1, 1},
                {"xab", "xba", 1, 1}};
    char a[70], b[70];

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        CHECK(surety__str_distance(surety_str_of(rows[i].a),
                                   surety_str_of(rows[i].b),
                                   rows[i].max) == rows[i].distance);
        CHECK(surety__str_distance(surety_str_of(rows[i].b),
                                   surety_str_of(rows[i].a),
                                   rows[i].max) == rows[i].distance);
    }
    filled(a, 63, "z");
    filled(b, 63, "y");
    CHECK(surety__str_distance(surety_str_of(a), surety_str_of(b), 4) == 1);
    filled(a, 64, "z");
    CHECK(surety__str_distance(surety_str_of(a), surety_str_of(b), 4) == 5);
    CHECK(surety__str_distance(surety_str_of(b), surety_str_of(a), 4) == 5);
done:
    return;
}

TEST(positions_are_told_whole)
{
    static const struct {
        const char *text;
        size_t offset, got;
        uint32_t line, column;
    } rows[] = {{"\n", 0, 0, 1, 1},
                {"\n", 1, 1, 2, 1},
                {"\r\n", 1, 1, 1, 2},
                {"\r\n", 2, 2, 2, 1},
                {"\r", 1, 1, 2, 1},
                {"\r\r\n\n", 4, 4, 4, 1},
                {"a\rb", 3, 3, 2, 2},
                {"ab\ncd", 4, 4, 2, 2},
                {"ab\ncd", 9, 5, 2, 3},
                {"\xC3\xA9\xE2\x82\xAC", 5, 5, 1, 3},
                {"\xF0\x9F\x98\x80x", 4, 4, 1, 2},
                {"", 3, 0, 1, 1}};

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const surety_position at =
            surety_position_at(surety_str_of(rows[i].text), rows[i].offset, 7);

        CHECK(at.offset == rows[i].got && at.length == 7);
        CHECK(at.line == rows[i].line && at.column == rows[i].column);
    }
done:
    return;
}

/* ---- UTF-8 --------------------------------------------------------------- */

/* RFC 3629, section 4, by a list of ranges; the code, and how many bytes it or
 * the maximal subpart has. */
static uint32_t simple_decode(const unsigned char *byte, size_t left,
                              unsigned *ret_len)
{
    static const struct {
        unsigned char first, last, low, high;
        unsigned len;
    } rows[] = {{0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2},
                {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
                {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
                {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4},
                {0xF4, 0xF4, 0x80, 0x8F, 4}};
    static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};

    *ret_len = 1;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        uint32_t code = byte[0] & masks[rows[i].len];

        if (byte[0] < rows[i].first || byte[0] > rows[i].last)
            continue;
        for (unsigned n = 1; n < rows[i].len; n++) {
            const unsigned low = n == 1 ? rows[i].low : 0x80;
            const unsigned high = n == 1 ? rows[i].high : 0xBF;

            if (n >= left || byte[n] < low || byte[n] > high)
                return UINT32_MAX;
            *ret_len = n + 1;
            code = code << 6 | (byte[n] & 0x3F);
        }
        return code;
    }
    return UINT32_MAX;
}

TEST(utf8_is_that_of_the_list)
{
    static const unsigned char edges[] = {0x00, 0x22, 0x41, 0x7F, 0x80, 0x8F,
                                          0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2,
                                          0xE0, 0xED, 0xF4, 0xFF};
    enum { EDGES = sizeof(edges) };

    for (unsigned first = 0; first < 256; first++)
        for (unsigned i = 0; i < EDGES * EDGES * EDGES; i++) {
            const unsigned char bytes[] = {
                (unsigned char)first, edges[i / EDGES / EDGES],
                edges[i / EDGES % EDGES], edges[i % EDGES]};
            const char *ptr = (const char *)bytes;
            unsigned len, want;

            for (size_t left = 1; left <= 4; left++) {
                const uint32_t code = simple_decode(bytes, left, &want);

                CHECK(surety__utf8_decode(ptr, ptr + left, &len) == code);
                CHECK(len == want);
            }
        }
done:
    return;
}

TEST(utf8_that_is_not_is_found)
{
    static const char *const bad[] = {"\x80", "\xC3", "\xE2\x82", "\xFF",
                                      "\xED\xA0\x80"};
    char text[48];
    size_t offset;

    for (size_t at = 0; at < 24; at++)
        for (size_t i = 0; i < CHECK_COUNT(bad); i++) {
            memset(text, 'a', sizeof(text));
            memcpy(text + at, bad[i], strlen(bad[i]));
            offset = 99;
            CHECK(!surety__utf8_valid((surety_str){text, 40}, &offset));
            CHECK(offset == at);
            CHECK(!surety__utf8_valid((surety_str){text, 40}, NULL));
            CHECK(surety__utf8_valid((surety_str){text, at}, &offset));
            memcpy(text + at, "\xC3\xA9\xE2\x82\xAC", 5);
            CHECK(surety__utf8_valid((surety_str){text, 40}, &offset));
            CHECK(surety__utf8_count((surety_str){text, 40}) == 37);
        }
    CHECK(surety__utf8_valid((surety_str){NULL, 0}, NULL));
    CHECK(surety__utf8_count((surety_str){NULL, 0}) == 0);
done:
    return;
}

TEST(codes_are_acted_on_within_these)
{
    static const uint32_t ranges[][2] = {
        {0, 0x1F},        {0x7F, 0x9F},      {0x61C, 0x61C},   {0x200B, 0x200B},
        {0x200E, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
        {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    size_t at = 0;

    for (uint32_t code = 0; code < 0xE0100; code++) {
        while (at < CHECK_COUNT(ranges) && code > ranges[at][1])
            at++;
        CHECK(surety__utf8_is_acted_on(code) ==
              (at < CHECK_COUNT(ranges) && code >= ranges[at][0]));
    }
    CHECK(!surety__utf8_is_acted_on(0x10FFFF));
done:
    return;
}

/* ---- sorting and dates --------------------------------------------------- */

TEST(pairs_of_every_order_are_sorted)
{
    enum { MOST = 7 };

    /* Each digit of a number to that base is a key. */
    for (size_t count = 0; count <= MOST; count++)
        for (unsigned code = 0; code < 2187; code++) {
            surety__pair pairs[MOST + 1], want[MOST + 1];
            unsigned rest = code;

            for (size_t i = 0; i < count; i++, rest /= 3) {
                const surety__pair pair = {rest % 3, (i * 5 + code) % 7};
                size_t at = i;

                pairs[i] = pair;
                for (; at && (want[at - 1].key > pair.key ||
                              (want[at - 1].key == pair.key &&
                               want[at - 1].value > pair.value));
                     at--)
                    want[at] = want[at - 1];
                want[at] = pair;
            }
            pairs[count] = (surety__pair){9, 9};
            surety__pairs_sort(pairs, count);
            CHECK(!memcmp(pairs, want, count * sizeof(*pairs)));
            CHECK(pairs[count].key == 9);
        }
done:
    return;
}

TEST(months_have_their_days)
{
    static const unsigned days[] = {31, 28, 31, 30, 31, 30,
                                    31, 31, 30, 31, 30, 31};
    static const struct {
        int64_t year;
        bool leap;
    } years[] = {{1600, true},  {1700, false}, {1896, true}, {1900, false},
                 {1999, false}, {2000, true},  {2024, true}, {2100, false},
                 {0, true},     {-1, false},   {-4, true},   {-100, false},
                 {-400, true}};
    int64_t day;

    for (size_t i = 0; i < CHECK_COUNT(years); i++) {
        day = surety__date_days((surety__date){years[i].year, 1, 1});
        for (unsigned month = 1; month <= 12; month++) {
            const unsigned last =
                days[month - 1] + (month == 2 && years[i].leap);

            CHECK(surety__date_last(years[i].year, month) == last);
            for (unsigned of_month = 1; of_month <= last; of_month++, day++) {
                const surety__date date = surety__date_of(day);

                CHECK(date.year == years[i].year && date.month == month &&
                      date.day == of_month);
                CHECK(surety__date_days(date) == day);
            }
        }
    }
done:
    return;
}

TEST(knows_a_token)
{
    static const char tokens[] =
        "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrs"
        "tuvwxyz|~";

    for (int byte = 0; byte < 256; byte++) {
        const char text[] = {'x', (char)byte};
        const bool token = memchr(tokens, byte, sizeof(tokens) - 1) != NULL;

        CHECK(surety__is_token((surety_str){text, 2}) == token);
        CHECK(surety__is_token((surety_str){text + 1, 1}) == token);
    }
    CHECK(!surety__is_token((surety_str){NULL, 0}));
done:
    return;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"grows to just so many", grows_to_just_so_many},
        {"asks the allocator that is given", asks_the_allocator_that_is_given},
#ifndef SURETY_TORTURE
        {"arena chunks double", arena_chunks_double},
        {"arena fills up to its max", arena_fills_up_to_its_max},
#endif
        {"map is at most half full", map_is_at_most_half_full},
        {"buffers fill to the byte", buffers_fill_to_the_byte},
        {"buffers write numbers", buffers_write_numbers},
        {"errors show what can be shown", errors_show_what_can_be_shown},
        {"errors are cut at their size", errors_are_cut_at_their_size},
        {"every status has its name", every_status_has_its_name},
        {"limits take these numbers", limits_take_these_numbers},
        {"limits name the nearest", limits_name_the_nearest},
        {"limits are found in messages", limits_are_found_in_messages},
        {"options are taken by their size", options_are_taken_by_their_size},
        {"texts are found and compared", texts_are_found_and_compared},
        {"distances are those of slips", distances_are_those_of_slips},
        {"positions are told whole", positions_are_told_whole},
        {"UTF-8 is that of the list", utf8_is_that_of_the_list},
        {"UTF-8 that is not is found", utf8_that_is_not_is_found},
        {"codes are acted on within these", codes_are_acted_on_within_these},
        {"pairs of every order are sorted", pairs_of_every_order_are_sorted},
        {"months have their days", months_have_their_days},
        {"knows a token", knows_a_token},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
