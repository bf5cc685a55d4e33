/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers: text to double and back, exact decimals, and nothing of it bound to
 * the locale. */
#include "check.h"

#include "json/json.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* A repeatable stream of 64-bit numbers (xorshift, Marsaglia 2003). */
static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

TEST(reads_hard_doubles)
{
    static const struct {
        const char *text;
        double want;
    } cases[] = {
        /* Halfway between two doubles, and a little beside. */
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.0000000000000000000000000000001",
         9007199254740994.0},
        {"9007199254740995", 9007199254740996.0},
        {"9007199254740994.9999999999999999999999999999999",
         9007199254740994.0},
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
        {"2.2250738585072014e-308", 0x1p-1022},
        {"2.4703282292062327208e-324", 0},
        {"2.4703282292062328e-324", 0x1p-1074},
        {"4.9406564584124654e-324", 0x1p-1074},
        {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
        {"1.7976931348623158e308", 0x1.fffffffffffffp1023},
        {"1.7976931348623159e308", HUGE_VAL},
        {"-1e309", -HUGE_VAL},
        {"1e23", 1e23},
        {"8.5e22", 8.5e22},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"0.1e-5", 1e-6},
        {"-0.000", -0.0},
        {"1e-400", 0},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        CHECK(same_bits(surety__number_real(surety_str_of(cases[i].text)),
                        cases[i].want) ||
              !printf("# %s\n", cases[i].text));
done:;
}

/* The C library's conversion is the other opinion; tests may ask it. */
TEST(agrees_with_the_library)
{
    uint64_t state = 88172645463325252u;

    for (int i = 0; i < 20000; i++) {
        uint64_t bits = random_next(&state);
        char text[64];
        double value;

        if (i % 4 == 1)
            bits &= ((uint64_t)1 << 63) | (((uint64_t)1 << 52) - 1);
        if (i % 4 == 2)
            bits &= ~(((uint64_t)1 << 52) - 1);
        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof(text), "%.*e", (int)(bits % 23), value);
        CHECK(same_bits(surety__number_real(surety_str_of(text)),
                        strtod(text, NULL)) ||
              !printf("# %s\n", text));
    }
done:;
}

/* An integer of any length, with and without bytes after it that may be
 * loaded. */
TEST(reads_integers_as_the_library)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW};
    uint64_t state = 88172645463325252u;
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    for (size_t i = 0; i < 20000; i++) {
        const size_t len = 1 + i % 21;
        char text[64] = "[-";
        size_t at = 1 + (i & 32) / 32;
        int64_t value;

        for (size_t k = 0; k < len; k++)
            text[at++] = (char)('0' + random_next(&state) % (k ? 10 : 9) + !k);
        memcpy(text + at, i & 64 ? "]" : " ,\"text\"]", i & 64 ? 2 : 10);
        TRY(surety_doc_read(doc, surety_str_of(text), &options, NULL));
        errno = 0;
        value = strtoll(text + 1, NULL, 10);
        CHECK((doc->cells[1].kind == CELL_INT) == !errno ||
              !printf("# %s\n", text));
        CHECK(errno || doc->cells[1].i == value || !printf("# %s\n", text));
    }
done:
    surety_doc_free(doc);
}

/* A number has a fast way, which loads bytes after it, and a slow one. Both
 * take the same ones, and as the same. */
TEST(reads_a_number_alike_at_the_end)
{
    static const char bytes[] = "00123456789999.0125.e-+";
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW};
    uint64_t state = 88172645463325252u;
    surety_doc *docs[2] = {surety_doc_new(check_alloc(t)),
                           surety_doc_new(check_alloc(t))};
    size_t read = 0;

    NEED(docs[0]);
    NEED(docs[1]);
    for (size_t i = 0; i < 100000; i++) {
        const int len = (int)(1 + i % 21);
        char literal[32], text[2][80];
        surety_status status[2];
        const surety__cell *a, *b;

        for (int k = 0; k < len; k++)
            literal[k] = bytes[random_next(&state) %
                               (i % 3 ? sizeof(bytes) - 4 : sizeof(bytes) - 1)];
        if (i % 5 == 0)
            literal[0] = '-';
        literal[len] = 0;
        snprintf(text[0], sizeof(text[0]), "[%s]", literal);
        snprintf(text[1], sizeof(text[1]), "[%s,\"bytes that follow it\"]",
                 literal);
        for (int k = 0; k < 2; k++) {
            status[k] = surety_doc_read(docs[k], surety_str_of(text[k]),
                                        &options, NULL);
            if (status[k] == SURETY_NOMEM)
                TRY(SURETY_NOMEM);
        }
        CHECK(status[0] == status[1] || !printf("# %s\n", text[0]));
        if (status[0])
            continue;
        read++;
        a = &docs[0]->cells[1];
        b = &docs[1]->cells[1];
        CHECK((a->kind == b->kind && a->i == b->i && a->place == b->place) ||
              !printf("# %s\n", text[0]));
        CHECK_TEXT(surety__cell_number(docs[1], b), literal);
    }
    CHECK(read > 10000);
done:
    surety_doc_free(docs[0]);
    surety_doc_free(docs[1]);
}

TEST(writes_the_shortest_digits)
{
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        {0, "0"},
        {-0.0, "0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {1e20, "100000000000000000000"},
        {1e21, "1e+21"},
        {123456789012345680000.0, "123456789012345680000"},
        {1e-6, "0.000001"},
        {1e-7, "1e-7"},
        {1.25e-7, "1.25e-7"},
        {5e-324, "5e-324"},
        {-0x1.fffffffffffffp1023, "-1.7976931348623157e+308"},
        {0x1p-1022, "2.2250738585072014e-308"},
        {9007199254740992.0, "9007199254740992"},
        {0x1p-44, "5.684341886080802e-14"},
        {1.0 / 3, "0.3333333333333333"},
        {1e23, "1e+23"},
        {4.35, "4.35"},
        {295147905179352830000.0, "295147905179352830000"},
        {100, "100"},
        {-0.001, "-0.001"},
    };
    uint64_t state = 2463534242;
    char text[32];

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        size_t len = surety__number_write(cases[i].value, text);

        CHECK_TEXT(((surety_str){text, len}), cases[i].want);
    }
    for (int i = 0; i < 5000; i++) {
        uint64_t bits = random_next(&state);
        double value;
        size_t len;

        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        len = surety__number_write(value, text);
        CHECK(len <= sizeof(text));
        CHECK(same_bits(surety__number_real((surety_str){text, len}), value));
    }
done:;
}

static int compare(const char *a, const char *b)
{
    return surety__decimal_compare(surety__decimal_of(surety_str_of(a)),
                                   surety__decimal_of(surety_str_of(b)));
}

TEST(compares_exactly)
{
    /* In order; those on one line are equal. */
    static const char *const ladder[][4] = {
        {"-1e1000", "-10e999", "-0.1e1001", "-1e1000"},
        {"-9007199254740993", "-9007199254740993.0", "-9.007199254740993e15",
         "-90071992547409930e-1"},
        {"-9007199254740992", "-9007199254740992", "-9007199254740992.000",
         "-9007199254740992e0"},
        {"-1", "-1.0", "-10e-1", "-0.1e1"},
        {"-1e-1000", "-0.1e-999", "-10e-1001", "-1.0e-1000"},
        {"0", "-0", "0.0e5", "-0e-1000000"},
        {"0.1", "1e-1", "0.10", "10e-2"},
        {"0.10000000000000000000000001", "0.10000000000000000000000001",
         "10000000000000000000000001e-26", "0.010000000000000000000000001e1"},
        {"1", "1.0", "1e0", "100e-2"},
        {"19.99", "1999e-2", "1.999e1", "19.990"},
        {"1e999999999", "1e999999999", "1.0e999999999", "10e999999998"},
    };

    for (size_t i = 0; i < CHECK_COUNT(ladder); i++)
        for (size_t j = 0; j < CHECK_COUNT(ladder); j++)
            for (size_t k = 0; k < 4; k++)
                CHECK(compare(ladder[i][0], ladder[j][k]) == (i > j) - (i < j));
done:;
}

static bool multiple(const char *number, const char *divisor)
{
    return surety__decimal_multiple(surety__decimal_of(surety_str_of(number)),
                                    surety__decimal_of(surety_str_of(divisor)));
}

TEST(divides_exactly)
{
    char large[1001], odd[1001];

    CHECK(multiple("19.99", "0.01") && !multiple("19.995", "0.01"));
    CHECK(multiple("0.0075", "0.0001") && !multiple("0.00751", "0.0001"));
    CHECK(multiple("1e300", "1e-300") && !multiple("1e308", "0.7e-9"));
    CHECK(multiple("0", "7") && multiple("-0.0", "0.5"));
    CHECK(multiple("-21", "7") && multiple("21", "-7"));
    CHECK(!multiple("22", "7") && !multiple("1", "2") && multiple("4", "2"));
    CHECK(!multiple("1e999999999", "7e-999999999"));
    CHECK(multiple("7e999999999", "7e-999999999"));
    CHECK(multiple("1e999999999", "1024") && multiple("1e10", "1024"));
    CHECK(!multiple("1e9", "1024") && !multiple("1e999999999", "3"));
    CHECK(!multiple("9007199254740993", "2"));
    CHECK(multiple("36893488147419103232", "18446744073709551616"));
    CHECK(!multiple("36893488147419103233", "18446744073709551616"));
    CHECK(multiple("340282366920938463463374607431768211456",
                   "18446744073709551616"));
    memset(large, '9', 1000);
    large[1000] = '\0';
    memcpy(odd, large, sizeof(odd));
    odd[999] = '8';
    CHECK(multiple(large, "3") && multiple(large, "9999999999999999999999999"));
    CHECK(multiple(large, large) && !multiple(odd, large));
    CHECK(!multiple(large, odd));
done:;
}

/* A comma as decimal point must change nothing. Skipped in effect where no such
 * locale is installed. */
TEST(knows_no_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8"};
    char text[32];
    size_t len;

    for (size_t i = 0; i < CHECK_COUNT(names); i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    len = surety__number_write(1234.5, text);
    CHECK_TEXT(((surety_str){text, len}), "1234.5");
    CHECK(surety__number_real(surety_str_of("1234.5e0")) == 1234.5);
    CHECK(surety__number_real(surety_str_of("0.30000000000000004")) ==
          0.1 + 0.2);
done:
    setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"reads hard doubles", reads_hard_doubles},
        {"agrees with the library", agrees_with_the_library},
        {"reads integers as the library", reads_integers_as_the_library},
        {"reads a number alike at the end", reads_a_number_alike_at_the_end},
        {"writes the shortest digits", writes_the_shortest_digits},
        {"compares exactly", compares_exactly},
        {"divides exactly", divides_exactly},
        {"knows no locale", knows_no_locale},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
