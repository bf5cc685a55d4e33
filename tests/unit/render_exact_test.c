/* SPDX-License-Identifier: Apache-2.0 */
/* What render/ computes before it draws and has one right answer: numbers read,
 * ticks and their words, values shortened, texts of one line, shares, the parts
 * of a chart of several measures. A table's text is compared whole. */
#include "check.h"

#include "render/render.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- figures ------------------------------------------------------------- */

/* "TEXT: DIGITS [unit U] [whole] [code] [.N]; GROUPED", or "TEXT: none". */
static void put_figure(const char *text, surety_buf *out)
{
    surety__figure figure;

    surety_buf_text(out, text);
    surety_buf_text(out, ": ");
    if (!surety__figure_read(surety_str_of(text), &figure)) {
        surety_buf_text(out, "none\n");
        return;
    }
    surety_buf_append(out, figure.text, figure.len);
    if (figure.unit.len > 0)
        surety_buf_text(out, " unit ");
    surety_buf_add(out, figure.unit);
    if (figure.is_integer)
        surety_buf_text(out, " whole");
    if (figure.is_code)
        surety_buf_text(out, " code");
    if (figure.decimals > 0)
        surety__buf_printf(out, " .%u", figure.decimals);
    surety_buf_text(out, "; ");
    surety__figure_group(&figure, out);
    surety_buf_byte(out, '\n');
}

static const char *const figures[] = {"0",
                                      "00",
                                      "01",
                                      "0012",
                                      "-01",
                                      "+01",
                                      "(01)",
                                      "$01",
                                      "01%",
                                      "01.5",
                                      "01e2",
                                      "0,012",
                                      "0.0",
                                      "0.5",
                                      ".5",
                                      "-.5",
                                      "5.",
                                      "5.e1",
                                      "5.25",
                                      "12",
                                      "123",
                                      "1234",
                                      "12345",
                                      "123456",
                                      "1234567",
                                      "-1234567",
                                      "1,234",
                                      "12,345",
                                      "123,456",
                                      "1,234,567",
                                      "1,234,567.891",
                                      "1,23",
                                      "1234,567",
                                      "1,2345",
                                      ",123",
                                      "1,",
                                      "1,,234",
                                      "12,34,567",
                                      "(12)",
                                      "(1,234.5)",
                                      "()",
                                      "(-1)",
                                      "( 5 )",
                                      "(5",
                                      "$5",
                                      "$ 5",
                                      "-$5",
                                      "$-5",
                                      "-$-5",
                                      "- 5",
                                      "$",
                                      "$5%",
                                      "5%",
                                      "5 %",
                                      "5%%",
                                      "50.25 %",
                                      "%5",
                                      "1e5",
                                      "1E5",
                                      "1e+5",
                                      "1e-5",
                                      "1e\xE2\x88\x92"
                                      "5",
                                      "1e",
                                      "1e-",
                                      "1e5.5",
                                      "1234e5",
                                      "1.25e10",
                                      "e5",
                                      "\xE2\x88\x92"
                                      "1234",
                                      "--5",
                                      "+-5",
                                      "+5",
                                      "\xE2\x82\xAC"
                                      "1234.5",
                                      "\xC2\xA3"
                                      "5",
                                      "\xC2\xA5"
                                      "500",
                                      "5$",
                                      " 5 ",
                                      "5 5",
                                      "5x",
                                      "x",
                                      "",
                                      " ",
                                      ".",
                                      "-",
                                      "+",
                                      "(",
                                      "(.5)",
                                      "1.2.3"};

static const char figures_read[] =
    "0: 0 whole; 0\n"
    "00: 0 whole code; 0\n"
    "01: 1 whole code; 1\n"
    "0012: 12 whole code; 12\n"
    "-01: -1 whole; \u22121\n"
    "+01: 1 whole code; 1\n"
    "(01): -1 whole; \u22121\n"
    "$01: 1 unit $ whole; $1\n"
    "01%: 1 unit % whole; 1%\n"
    "01.5: 1.5 .1; 1.5\n"
    "01e2: 1e2; 1e2\n"
    "0,012: 12 whole; 12\n"
    "0.0: 0.0 .1; 0.0\n"
    "0.5: 0.5 .1; 0.5\n"
    ".5: 0.5 .1; 0.5\n"
    "-.5: -0.5 .1; \u22120.5\n"
    "5.: 5; 5\n"
    "5.e1: none\n"
    "5.25: 5.25 .2; 5.25\n"
    "12: 12 whole; 12\n"
    "123: 123 whole; 123\n"
    "1234: 1234 whole; 1,234\n"
    "12345: 12345 whole; 12,345\n"
    "123456: 123456 whole; 123,456\n"
    "1234567: 1234567 whole; 1,234,567\n"
    "-1234567: -1234567 whole; \u22121,234,567\n"
    "1,234: 1234 whole; 1,234\n"
    "12,345: 12345 whole; 12,345\n"
    "123,456: 123456 whole; 123,456\n"
    "1,234,567: 1234567 whole; 1,234,567\n"
    "1,234,567.891: 1234567.891 .3; 1,234,567.891\n"
    "1,23: none\n"
    "1234,567: none\n"
    "1,2345: none\n"
    ",123: none\n"
    "1,: none\n"
    "1,,234: none\n"
    "12,34,567: none\n"
    "(12): -12 whole; \u221212\n"
    "(1,234.5): -1234.5 .1; \u22121,234.5\n"
    "(): none\n"
    "(-1): none\n"
    "( 5 ): none\n"
    "(5: none\n"
    "$5: 5 unit $ whole; $5\n"
    "$ 5: 5 unit $ whole; $5\n"
    "-$5: -5 unit $ whole; \u2212$5\n"
    "$-5: -5 unit $ whole; \u2212$5\n"
    "-$-5: none\n"
    "- 5: none\n"
    "$: none\n"
    "$5%: none\n"
    "5%: 5 unit % whole; 5%\n"
    "5 %: 5 unit % whole; 5%\n"
    "5%%: none\n"
    "50.25 %: 50.25 unit % .2; 50.25%\n"
    "%5: none\n"
    "1e5: 1e5; 1e5\n"
    "1E5: 1e5; 1e5\n"
    "1e+5: 1e5; 1e5\n"
    "1e-5: 1e-5; 1e-5\n"
    "1e\u22125: 1e-5; 1e-5\n"
    "1e: none\n"
    "1e-: none\n"
    "1e5.5: none\n"
    "1234e5: 1234e5; 1234e5\n"
    "1.25e10: 1.25e10 .2; 1.25e10\n"
    "e5: none\n"
    "\u22121234: -1234 whole; \u22121,234\n"
    "--5: none\n"
    "+-5: none\n"
    "+5: 5 whole; 5\n"
    "\u20AC1234.5: 1234.5 unit \u20AC .1; \u20AC1,234.5\n"
    "\u00A35: 5 unit \u00A3 whole; \u00A35\n"
    "\u00A5500: 500 unit \u00A5 whole; \u00A5500\n"
    "5$: none\n"
    " 5 : 5 whole; 5\n"
    "5 5: none\n"
    "5x: none\n"
    "x: none\n"
    ": none\n"
    " : none\n"
    ".: none\n"
    "-: none\n"
    "+: none\n"
    "(: none\n"
    "(.5): -0.5 .1; \u22120.5\n"
    "1.2.3: none\n";

TEST(reads_figures)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(figures); i++)
        put_figure(figures[i], &out);
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), figures_read);
done:
    surety_buf_done(&out);
}

/* ---- ticks --------------------------------------------------------------- */

static const struct {
    double low, high;
    unsigned wanted;
} tick_cases[] = {
    {0, 10, 5},      {0, 9.9, 5},    {0, 10.1, 5},      {0, 12.5, 5},
    {0, 1, 5},       {0, 7, 3},      {0, 7, 1},         {0, 7, 0},
    {0, 7, 8},       {0, 7, 30},     {0, 99, 24},       {0, 23, 23},
    {0, 24, 24},     {-3, 7, 5},     {-7, -3, 5},       {-10, 0, 5},
    {0, 0, 5},       {5, 5, 5},      {-5, -5, 5},       {5, 3, 5},
    {-5, -7, 5},     {2, 9, 5},      {0.001, 0.002, 5}, {1e-9, 3e-9, 4},
    {9.97, 9.98, 5}, {0, 2.4975, 5}, {0, 4.995, 5},     {0, 5.01, 5},
    {0, 9.995, 1},   {0, 10.02, 1}};

static const char ticks_made[] = "0 to 10 by 5: 0 by 2, 6\n"
                                 "0 to 9.9 by 5: 0 by 2, 6\n"
                                 "0 to 10.1 by 5: 0 by 2.5, 6\n"
                                 "0 to 12.5 by 5: 0 by 2.5, 6\n"
                                 "0 to 1 by 5: 0 by 0.2, 6\n"
                                 "0 to 7 by 3: 0 by 2.5, 4\n"
                                 "0 to 7 by 1: 0 by 10, 2\n"
                                 "0 to 7 by 0: 0 by 10, 2\n"
                                 "0 to 7 by 8: 0 by 1, 8\n"
                                 "0 to 7 by 30: 0 by 0.5, 15\n"
                                 "0 to 99 by 24: 0 by 5, 21\n"
                                 "0 to 23 by 23: 0 by 1, 24\n"
                                 "0 to 24 by 24: 0 by 2, 13\n"
                                 "-3 to 7 by 5: -4 by 2, 7\n"
                                 "-7 to -3 by 5: -7 by 1, 5\n"
                                 "-10 to 0 by 5: -10 by 2, 6\n"
                                 "0 to 0 by 5: 0 by 0.2, 6\n"
                                 "5 to 5 by 5: 5 by 0.2, 6\n"
                                 "-5 to -5 by 5: -5 by 0.2, 6\n"
                                 "5 to 3 by 5: 5 by 0.2, 6\n"
                                 "-5 to -7 by 5: -5 by 0.2, 6\n"
                                 "2 to 9 by 5: 2 by 2, 5\n"
                                 "0.001 to 0.002 by 5: 0.001 by 0.0002, 6\n"
                                 "1e-09 to 3e-09 by 4: 1e-09 by 5e-10, 5\n"
                                 "9.97 to 9.98 by 5: 9.97 by 0.002, 6\n"
                                 "0 to 2.4975 by 5: 0 by 0.5, 6\n"
                                 "0 to 4.995 by 5: 0 by 1, 6\n"
                                 "0 to 5.01 by 5: 0 by 2, 4\n"
                                 "0 to 9.995 by 1: 0 by 10, 2\n"
                                 "0 to 10.02 by 1: 0 by 20, 2\n";

TEST(makes_round_ticks)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(tick_cases); i++) {
        const surety__ticks ticks = surety__ticks_make(
            tick_cases[i].low, tick_cases[i].high, tick_cases[i].wanted);
        surety__buf_printf(&out, "%g to %g by %u: %g by %g, %u\n",
                           tick_cases[i].low, tick_cases[i].high,
                           tick_cases[i].wanted, ticks.first, ticks.step,
                           ticks.count);
    }
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), ticks_made);
done:
    surety_buf_done(&out);
}

static const struct {
    double first, step;
    unsigned count;
    int exponent;
    const char *unit;
} label_cases[] = {
    {0, 1, 3, 0, ""},           {0, 1, 3, 1, ""},
    {0, 1, 3, 2, ""},           {0, 1, 3, 3, ""},
    {0, 5, 3, 3, ""},           {0, 2.5, 5, 3, ""},
    {0, 0.25, 5, 3, ""},        {0, 1, 3, 4, ""},
    {0, 1, 3, 5, ""},           {0, 0.25, 5, 6, ""},
    {0, 1, 3, 6, "$"},          {0, 1, 3, 8, ""},
    {0, 5, 3, 8, ""},           {0, 1, 3, 9, ""},
    {0, 1, 3, 11, ""},          {0, 5, 3, 11, ""},
    {0, 1, 3, 12, ""},          {0, 1, 3, 14, ""},
    {0, 5, 3, 14, ""},          {0, 1, 3, 15, ""},
    {0, 2.5, 3, 20, "$"},       {0, 1, 3, -1, ""},
    {0, 2.5, 3, -2, "%"},       {0, 1, 3, -6, ""},
    {0, 1, 3, -7, ""},          {0, 1, 3, -15, ""},
    {0, 1, 3, -290, ""},        {-1, 0.5, 5, 0, "$"},
    {-5, 2.5, 3, 6, "%"},       {9.7, 0.05, 3, 0, ""},
    {1.0001, 0.0001, 3, 6, ""}, {-0.75, 0.25, 5, 6, "\xE2\x82\xAC"},
    {0, 0.1, 4, 0, ""},         {0.3, 0.1, 4, 2, ""},
    {-9, 3, 3, 3, ""},          {-10, 5, 4, 3, ""}};

static const char ticks_labelled[] =
    "0 | 1 | 2\n"
    "0 | 10 | 20\n"
    "0 | 100 | 200\n"
    "0 | 1,000 | 2,000\n"
    "0 | 5K | 10K\n"
    "0 | 2.5K | 5.0K | 7.5K | 10.0K\n"
    "0 | 250 | 500 | 750 | 1,000\n"
    "0 | 10K | 20K\n"
    "0 | 100K | 200K\n"
    "0 | 250K | 500K | 750K | 1M\n"
    "$0 | $1M | $2M\n"
    "0 | 100M | 200M\n"
    "0 | 0.5B | 1.0B\n"
    "0 | 1B | 2B\n"
    "0 | 100B | 200B\n"
    "0 | 0.5T | 1.0T\n"
    "0 | 1T | 2T\n"
    "0 | 100T | 200T\n"
    "0 | 0.5\u00D710\u00B9\u2075 | 1.0\u00D710\u00B9\u2075\n"
    "0 | 1\u00D710\u00B9\u2075 | 2\u00D710\u00B9\u2075\n"
    "$0 | $2.5\u00D710\u00B2\u2070 | $5.0\u00D710\u00B2\u2070\n"
    "0 | 0.1 | 0.2\n"
    "0% | 0.025% | 0.050%\n"
    "0 | 0.000001 | 0.000002\n"
    "0 | 1\u00D710\u207B\u2077 | 2\u00D710\u207B\u2077\n"
    "0 | 1\u00D710\u207B\u00B9\u2075 | 2\u00D710\u207B\u00B9\u2075\n"
    "0 | 1\u00D710\u207B\u00B2\u2079\u2070 | "
    "2\u00D710\u207B\u00B2\u2079\u2070\n"
    "\u2212$1.0 | \u2212$0.5 | $0 | $0.5 | $1.0\n"
    "\u22125.0M% | \u22122.5M% | 0%\n"
    "9.70 | 9.75 | 9.80\n"
    "1.0001M | 1.0002M | 1.0003M\n"
    "\u2212\u20AC750K | \u2212\u20AC500K | \u2212\u20AC250K | "
    "\u20AC0 | \u20AC250K\n"
    "0 | 0.1 | 0.2 | 0.3\n"
    "30 | 40 | 50 | 60\n"
    "\u22129,000 | \u22126,000 | \u22123,000\n"
    "\u221210K | \u22125K | 0 | 5K\n";

TEST(labels_ticks)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(label_cases); i++) {
        const surety__ticks ticks = {.first = label_cases[i].first,
                                     .step = label_cases[i].step,
                                     .count = label_cases[i].count,
                                     .exponent = label_cases[i].exponent,
                                     .unit =
                                         surety_str_of(label_cases[i].unit)};
        for (unsigned k = 0; k < ticks.count; k++) {
            surety__ticks_label(&ticks, k, &out);
            surety_buf_text(&out, k + 1 < ticks.count ? " | " : "\n");
        }
    }
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), ticks_labelled);
done:
    surety_buf_done(&out);
}

static const struct {
    double value;
    int exponent;
    unsigned decimals;
    const char *unit;
} value_cases[] = {
    {0, 0, 0, ""},       {0, 0, 2, "%"},       {0, 0, 3, "$"},
    {0, 0, 4, ""},       {0, 9, 2, ""},        {1, 0, 0, ""},
    {1, 0, 3, ""},       {-1, 0, 1, "$"},      {1.5, 1, 0, ""},
    {9.99, 2, 1, "%"},   {1, 3, 0, ""},        {9.999, 3, 2, ""},
    {1.2345, 4, 1, ""},  {1.23456, 5, 0, "$"}, {9.999999, 5, 0, ""},
    {1, 6, 0, ""},       {1.234, 6, 2, "$"},   {1.2345, 7, 0, ""},
    {1.2345, 8, 0, "%"}, {9.994, 8, 0, ""},    {9.995, 8, 0, ""},
    {9.996, 8, 0, ""},   {1, 9, 0, ""},        {9.996, 11, 0, ""},
    {1, 12, 0, ""},      {-1.5, 14, 0, ""},    {9.994, 14, 0, ""},
    {9.996, 14, 0, "$"}, {1, 15, 0, ""},       {1.25, 20, 0, "%"},
    {1.23, 100, 0, ""},  {5, -1, 1, ""},       {5, -3, 3, ""},
    {5, -6, 6, ""},      {5, -7, 0, ""},       {-5.25, -9, 0, "$"},
    {1.234, -20, 0, ""}, {0.001, 9, 0, ""},    {0.001, 6, 0, ""},
    {0.0005, 3, 2, ""},  {99.95, 6, 0, ""},    {9.995, 6, 0, ""},
    {9.9951, 7, 0, ""}};

static const char values_shortened[] =
    "0 0 .0: 0\n"
    "0 0 .2: 0.00%\n"
    "0 0 .3: $0.000\n"
    "0 0 .4: 0\n"
    "0 9 .2: 0.00\n"
    "1 0 .0: 1\n"
    "1 0 .3: 1.000\n"
    "-1 0 .1: \u2212$1.0\n"
    "1.5 1 .0: 15\n"
    "9.99 2 .1: 999.0%\n"
    "1 3 .0: 1,000\n"
    "9.999 3 .2: 9,999.00\n"
    "1.2345 4 .1: 12,345.0\n"
    "1.23456 5 .0: $123,456\n"
    "10 5 .0: 1,000,000\n"
    "1 6 .0: 1.00M\n"
    "1.234 6 .2: $1.23M\n"
    "1.2345 7 .0: 12.3M\n"
    "1.2345 8 .0: 123M%\n"
    "9.994 8 .0: 999M\n"
    "9.995 8 .0: 999M\n"
    "9.996 8 .0: 1.00B\n"
    "1 9 .0: 1.00B\n"
    "9.996 11 .0: 1.00T\n"
    "1 12 .0: 1.00T\n"
    "-1.5 14 .0: \u2212150T\n"
    "9.994 14 .0: 999T\n"
    "9.996 14 .0: $1.00\u00D710\u00B9\u2075\n"
    "1 15 .0: 1.00\u00D710\u00B9\u2075\n"
    "1.25 20 .0: 1.25\u00D710\u00B2\u2070%\n"
    "1.23 100 .0: 1.23\u00D710\u00B9\u2070\u2070\n"
    "5 -1 .1: 0.5\n"
    "5 -3 .3: 0.005\n"
    "5 -6 .6: 0.000005\n"
    "5 -7 .0: 5.00\u00D710\u207B\u2077\n"
    "-5.25 -9 .0: \u2212$5.25\u00D710\u207B\u2079\n"
    "1.234 -20 .0: 1.23\u00D710\u207B\u00B2\u2070\n"
    "0.001 9 .0: 1.00M\n"
    "0.001 6 .0: 1,000\n"
    "0.0005 3 .2: 0.50\n"
    "99.95 6 .0: 100M\n"
    "9.995 6 .0: 9.99M\n"
    "9.9951 7 .0: 100M\n";

TEST(shortens_values_to_three_digits)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(value_cases); i++) {
        const surety__model model = {.exponent = value_cases[i].exponent,
                                     .decimals = value_cases[i].decimals,
                                     .unit =
                                         surety_str_of(value_cases[i].unit)};
        surety__buf_printf(&out, "%g %d .%u: ", value_cases[i].value,
                           value_cases[i].exponent, value_cases[i].decimals);
        surety__ticks_value(&model, value_cases[i].value, &out);
        surety_buf_byte(&out, '\n');
    }
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), values_shortened);
done:
    surety_buf_done(&out);
}

/* ---- texts of one line --------------------------------------------------- */

static const struct {
    const char *text;
    size_t max;
    const char *want;
} line_cases[] = {{"", 5, ""},
                  {"   ", 5, ""},
                  {"abc", 3, "abc"},
                  {"abcd", 3, "abc\u2026"},
                  {"ab cd", 3, "ab\u2026"},
                  {"ab  cd", 4, "ab c\u2026"},
                  {"ab cd", 5, "ab cd"},
                  {"ab cd ", 5, "ab cd"},
                  {" ab", 2, "ab"},
                  {"ab ", 2, "ab"},
                  {"ab c", 2, "ab\u2026"},
                  {"a\t\n\r b", 9, "a b"},
                  {"a\x1F"
                   "b\x20"
                   "c\x7F"
                   "d",
                   9, "a b c d"},
                  {"!\"", 9, "!\""},
                  {"~", 9, "~"},
                  {"a\u00A0b", 9, "a b"},
                  {"a\u00A1b", 9, "a\u00A1b"},
                  {"a\u2027b", 9, "a\u2027b"},
                  {"a\u2028b\u2029c", 9, "a b c"},
                  {"a\uFFFB\uFFFCb\uFFFD", 9, "a\uFFFB b\uFFFD"},
                  {"a\u200A\u200Bb\u200C", 9,
                   "a\u200A"
                   "b\u200C"},
                  {"\u200D\u200E\u200F\u2010", 9, "\u200D\u2010"},
                  {"\u202A\u202E\u202F", 9, "\u202F"},
                  {"\u205F\u2060\u206F\u2070", 9, "\u205F\u2070"},
                  {"\uFEFE\uFEFF\uFF00", 9, "\uFEFE\uFF00"},
                  {"\u061B\u061C\u061D", 9, "\u061B\u061D"},
                  {"\u00AC\u00AD\u00AE", 9, "\u00AC\u00AE"},
                  {"a\u00ADb", 1, "a\u2026"},
                  {"a\u00AD", 1, "a"},
                  {"\xFF"
                   "a",
                   9,
                   "\uFFFD"
                   "a"},
                  {"\u00E9\u00E9\u00E9", 2, "\u00E9\u00E9\u2026"}};

TEST(cleans_a_line)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(line_cases); i++) {
        surety_buf_reset(&out);
        surety__line_clean(surety_str_of(line_cases[i].text), line_cases[i].max,
                           &out);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), line_cases[i].want);
    }
    surety_buf_reset(&out);
    surety__line_clean((surety_str){"a\0b", 3}, 9, &out);
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), "a b");
done:
    surety_buf_done(&out);
}

/* ---- shares -------------------------------------------------------------- */

static const struct {
    double values[3][2]; /* of series, at two places */
    size_t series;
    bool is_whole, is_whole_share;
} share_cases[] = {{{{50, 60}, {50, 40}}, 2, true, true},
                   {{{100, 100}}, 1, false, false},
                   {{{50, NAN}, {50, NAN}}, 2, false, true},
                   {{{50, 60}, {50, NAN}}, 2, false, false},
                   {{{NAN, NAN}, {NAN, NAN}}, 2, false, false},
                   {{{110, 60}, {-10, 40}}, 2, false, false},
                   {{{0, 60}, {100, 40}}, 2, true, true},
                   {{{50.1, 60}, {50, 40}}, 2, true, true},
                   {{{50.11, 60}, {50, 40}}, 2, false, true},
                   {{{51, 60}, {50, 40}}, 2, false, true},
                   {{{51.03, 60}, {50, 40}}, 2, false, false},
                   {{{49, 60}, {50, 40}}, 2, false, true},
                   {{{48.9, 60}, {50, 40}}, 2, false, false},
                   {{{51.5, 20}, {50, 40}, {0, 40}}, 3, false, true},
                   {{{51.54, 20}, {50, 40}, {0, 40}}, 3, false, false},
                   {{{51.5, 20}, {50, 80}, {NAN, NAN}}, 3, false, false},
                   {{{50, 50}, {30, 40}, {20, 10}}, 3, true, true},
                   {{{50, 50}, {30, 40}, {20, 20}}, 3, false, false}};

TEST(knows_shares_of_a_whole)
{

    for (size_t i = 0; i < CHECK_COUNT(share_cases); i++) {
        double values[6];
        const surety__model model = {.values = values,
                                     .places_count = 2,
                                     .series_count = share_cases[i].series};
        memcpy(values, share_cases[i].values, sizeof(values));
        if (surety__arrange_is_whole(&model, false) !=
                share_cases[i].is_whole ||
            surety__arrange_is_whole(&model, true) !=
                share_cases[i].is_whole_share)
            printf("# shares %zu\n", i);
        CHECK(surety__arrange_is_whole(&model, false) ==
              share_cases[i].is_whole);
        CHECK(surety__arrange_is_whole(&model, true) ==
              share_cases[i].is_whole_share);
    }
done:;
}

/* ---- panels -------------------------------------------------------------- */

struct shown {
    double values[4][2];
    size_t series;
    surety__measure measures[4];
    size_t measures_count;
    bool is_stacked;
};

#define UNIT(text)                                                             \
    {                                                                          \
        text, sizeof(text) - 1                                                 \
    }

static const struct shown panels[] = {
    {{{12.5, 80}}, 1, {{UNIT("$"), UNIT(""), 1}}, 1, false},
    {{{123.5, 7}}, 1, {{UNIT(""), UNIT(""), 2}}, 1, false},
    {{{1.25, 9.5}}, 1, {{UNIT(""), UNIT(""), 6}}, 1, false},
    {{{0.125, 0.5}}, 1, {{UNIT(""), UNIT(""), 6}}, 1, false},
    {{{99.94, 1}}, 1, {{UNIT(""), UNIT(""), 3}}, 1, false},
    {{{99.96, 1}}, 1, {{UNIT(""), UNIT(""), 3}}, 1, false},
    {{{999.94, 1}}, 1, {{UNIT(""), UNIT(""), 3}}, 1, false},
    {{{999.96, 1}}, 1, {{UNIT(""), UNIT(""), 3}}, 1, false},
    {{{0.5, 0.25}}, 1, {{UNIT(""), UNIT(""), 0}}, 1, false},
    {{{0, 0}}, 1, {{UNIT(""), UNIT(""), 2}}, 1, false},
    {{{NAN, NAN}}, 1, {{UNIT(""), UNIT(""), 0}}, 1, false},
    {{{-5, NAN}}, 1, {{UNIT(""), UNIT(""), 0}}, 1, false},
    {{{-5, -70}}, 1, {{UNIT(""), UNIT(""), 0}}, 1, false},
    {{{1000, 10}}, 1, {{UNIT(""), UNIT(""), 0}}, 1, false},
    {{{999, 10}}, 1, {{UNIT(""), UNIT(""), 0}}, 1, false},
    {{{1e-290, 1e-295}}, 1, {{UNIT(""), UNIT(""), 9}}, 1, false},
    {{{2e-291, 1e-300}}, 1, {{UNIT(""), UNIT(""), 9}}, 1, false},
    {{{1e308, -1e308}}, 1, {{UNIT(""), UNIT(""), 9}}, 1, false},
    /* Series of one measure. */
    {{{1, 2}, {300, 4}}, 2, {{UNIT(""), UNIT(""), 0}}, 1, false},
    /* Of several: by size, unit and dimension. */
    {{{1, 2}, {30, 39.9}},
     2,
     {{UNIT(""), UNIT(""), 0}, {UNIT(""), UNIT(""), 1}},
     2,
     false},
    {{{1, 2}, {30, 40}},
     2,
     {{UNIT(""), UNIT(""), 0}, {UNIT(""), UNIT(""), 1}},
     2,
     false},
    {{{-40, 1}, {2, 1}},
     2,
     {{UNIT(""), UNIT(""), 0}, {UNIT(""), UNIT(""), 0}},
     2,
     false},
    {{{0, 0}, {2, 1}, {NAN, NAN}},
     3,
     {{UNIT(""), UNIT(""), 0},
      {UNIT(""), UNIT(""), 0},
      {UNIT(""), UNIT(""), 0}},
     3,
     false},
    {{{1, 2}, {3, 4}, {5, 6}, {7, 8}},
     4,
     {{UNIT("$"), UNIT(""), 0},
      {UNIT("%"), UNIT(""), 2},
      {UNIT("$"), UNIT(""), 3},
      {UNIT("%"), UNIT(""), 1}},
     4,
     false},
    {{{1, 2}, {3, 4}, {5, 6}},
     3,
     {{UNIT(""), UNIT("ms"), 0},
      {UNIT(""), UNIT("s"), 0},
      {UNIT(""), UNIT("ms"), 0}},
     3,
     false},
    /* Stacks have one scale. */
    {{{50, 60}, {49, 40}}, 2, {{UNIT("%"), UNIT(""), 0}}, 1, true},
    {{{50, NAN}, {51.5, 40}}, 2, {{UNIT("%"), UNIT(""), 0}}, 1, true},
    {{{50, NAN}, {51.7, 40}}, 2, {{UNIT("%"), UNIT(""), 0}}, 1, true},
    {{{50, NAN}, {48.3, 40}}, 2, {{UNIT("%"), UNIT(""), 0}}, 1, true},
    {{{5, 6}, {95, 94}},
     2,
     {{UNIT("%"), UNIT(""), 0}, {UNIT("$"), UNIT(""), 1}},
     2,
     true}};

/* "[ab $ e1 .2 1.25..8 2 shown 0 missing: 1.25 8]" of each panel. */
static void put_panels(const surety__model *model, surety_buf *out)
{
    for (size_t p = 0; p < model->panels_count; p++) {
        const surety__model *panel = &model->panels[p];
        surety_buf_text(out, p > 0 ? " [" : "[");
        for (size_t i = 0; i < panel->series_count; i++)
            surety_buf_add(out, panel->series[i]->text);
        surety__buf_printf(out, " %.*s e%d .%u %g..%g %zu shown %zu missing:",
                           (int)panel->unit.len, panel->unit.ptr,
                           panel->exponent, panel->decimals, panel->low,
                           panel->high, panel->shown, panel->missing);
        for (size_t i = 0; i < panel->series_count * panel->places_count; i++)
            surety__buf_printf(out, " %g", panel->values[i]);
        surety_buf_text(out, "]");
    }
    surety__buf_printf(out, " %zu, %zu\n", model->shown, model->missing);
}

static surety_status make_panels(const struct shown *shown,
                                 const surety_alloc *alloc, surety_buf *out)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    surety__place places[4];
    surety__place *series[4];
    double values[8];
    surety__model model = {.values = values,
                           .places_count = 2,
                           .series = series,
                           .series_count = shown->series,
                           .is_stacked = shown->is_stacked};
    surety_status status;

    memcpy(values, shown->values, sizeof(values));
    for (size_t i = 0; i < 4; i++) {
        places[i] = (surety__place){.text = surety_str_of(names[i])};
        series[i] = &places[i];
    }
    surety__arena_init(&model.arena, alloc, 0);
    status =
        surety__arrange_panels(&model, shown->measures, shown->measures_count);
    if (!status)
        put_panels(&model, out);
    surety__arena_done(&model.arena);
    return status ? status : out->status;
}

static const char measures_parted[] =
    "[a $ e1 .1 1.25..8 2 shown 0 missing: 1.25 8] 2, 0\n"
    "[a  e2 .1 0.07..1.235 2 shown 0 missing: 1.235 0.07] 2, 0\n"
    "[a  e0 .2 1.25..9.5 2 shown 0 missing: 1.25 9.5] 2, 0\n"
    "[a  e-1 .3 1.25..5 2 shown 0 missing: 1.25 5] 2, 0\n"
    "[a  e1 .1 0.1..9.994 2 shown 0 missing: 9.994 0.1] 2, 0\n"
    "[a  e1 .1 0.1..9.996 2 shown 0 missing: 9.996 0.1] 2, 0\n"
    "[a  e2 .1 0.01..9.9994 2 shown 0 missing: 9.9994 0.01] 2, 0\n"
    "[a  e2 .0 0.01..9.9996 2 shown 0 missing: 9.9996 0.01] 2, 0\n"
    "[a  e-1 .0 2.5..5 2 shown 0 missing: 5 2.5] 2, 0\n"
    "[a  e0 .1 0..0 2 shown 0 missing: 0 0] 2, 0\n"
    "[a  e0 .0 0..0 0 shown 2 missing: nan nan] 0, 2\n"
    "[a  e0 .0 -5..-5 1 shown 1 missing: -5 nan] 1, 1\n"
    "[a  e1 .0 -7..-0.5 2 shown 0 missing: -0.5 -7] 2, 0\n"
    "[a  e3 .0 0.01..1 2 shown 0 missing: 1 0.01] 2, 0\n"
    "[a  e2 .0 0.1..9.99 2 shown 0 missing: 9.99 0.1] 2, 0\n"
    "[a  e-290 .9 1e-05..1 2 shown 0 missing: 1 1e-05] 2, 0\n"
    "[a  e-290 .9 1e-10..0.2 2 shown 0 missing: 0.2 1e-10] 2, 0\n"
    "[a  e308 .0 -1..1 2 shown 0 missing: 1 -1] 2, 0\n"
    "[ab  e2 .0 0.01..3 4 shown 0 missing: 0.01 0.02 3 0.04] 4, 0\n"
    "[ab  e1 .1 0.1..3.99 4 shown 0 missing: 0.1 0.2 3 3.99] 4, 0\n"
    "[a  e0 .0 1..2 2 shown 0 missing: 1 2] [b  e1 .1 3..4 2 shown "
    "0 missing: 3 4] 4, 0\n"
    "[a  e1 .0 -4..0.1 2 shown 0 missing: -4 0.1] [b  e0 .0 1..2 2 "
    "shown 0 missing: 2 1] 4, 0\n"
    "[abc  e0 .0 0..2 4 shown 2 missing: 0 0 2 1 nan nan] 4, 2\n"
    "[ac $ e0 .2 1..6 4 shown 0 missing: 1 2 5 6] [bd % e0 .2 3..8 "
    "4 shown 0 missing: 3 4 7 8] 8, 0\n"
    "[ac  e0 .0 1..6 4 shown 0 missing: 1 2 5 6] [b  e0 .0 3..4 2 "
    "shown 0 missing: 3 4] 6, 0\n"
    "[ab % e1 .0 0..10 4 shown 0 missing: 5 6 4.9 4] 4, 0\n"
    "[ab % e1 .0 0..10 3 shown 1 missing: 5 nan 5.15 4] 3, 1\n"
    "[ab % e1 .0 0..10.17 3 shown 1 missing: 5 nan 5.17 4] 3, 1\n"
    "[ab % e1 .0 0..9.83 3 shown 1 missing: 5 nan 4.83 4] 3, 1\n"
    "[ab % e1 .1 0..10 4 shown 0 missing: 0.5 0.6 9.5 9.4] 4, 0\n";

TEST(parts_measures)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(panels); i++)
        TRY(make_panels(&panels[i], check_alloc(t), &out));
    CHECK_TEXT(surety_buf_str(&out), measures_parted);
done:
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"reads figures", reads_figures},
        {"makes round ticks", makes_round_ticks},
        {"labels ticks", labels_ticks},
        {"shortens values to three digits", shortens_values_to_three_digits},
        {"cleans a line", cleans_a_line},
        {"knows shares of a whole", knows_shares_of_a_whole},
        {"parts measures", parts_measures},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
