/* SPDX-License-Identifier: Apache-2.0 */
/* Money as text: every amount exactly, and rounded. */
#include <surety/provider.h>

#include "check.h"

/* Pico-dollars. */
#define CENT UINT64_C(10000000000)
#define DOLLAR (100 * CENT)

static const struct {
    uint64_t picousd;
    const char *exact, *rounded;
} amounts[] = {
    {0, "0.00", "0"},
    /* Two digits show, of what is below a hundredth of a cent. */
    {1, "0.000000000001", "0.000000000001"},
    {9, "0.000000000009", "0.000000000009"},
    {10, "0.00000000001", "0.000000000010"},
    {94, "0.000000000094", "0.000000000094"},
    {99, "0.000000000099", "0.000000000099"},
    {100, "0.0000000001", "0.00000000010"},
    {994, "0.000000000994", "0.00000000099"},
    {995, "0.000000000995", "0.0000000010"},
    {3400000, "0.0000034", "0.0000034"},
    {994999999, "0.000994999999", "0.00099"},
    /* Four decimals. */
    {995000000, "0.000995", "0.0010"},
    {1249999999, "0.001249999999", "0.0012"},
    {1250000000, "0.00125", "0.0013"},
    {CENT - 1, "0.009999999999", "0.0100"},
    {CENT, "0.01", "0.0100"},
    {30 * CENT, "0.30", "0.3000"},
    {12345678 * (CENT / 1000000), "0.12345678", "0.1235"},
    {999949999999, "0.999949999999", "0.9999"},
    /* Cents. */
    {999950000000, "0.99995", "1.00"},
    {DOLLAR, "1.00", "1.00"},
    {DOLLAR + 1, "1.000000000001", "1.00"},
    {150 * CENT, "1.50", "1.50"},
    {1234 * CENT + CENT / 2 - 1, "12.344999999999", "12.34"},
    {1234 * CENT + CENT / 2, "12.345", "12.35"},
    {99999 * CENT + CENT / 2 - 1, "999.994999999999", "999.99"},
    /* Dollars. */
    {99999 * CENT + CENT / 2, "999.995", "1000"},
    {1000 * DOLLAR, "1000.00", "1000"},
    {1234 * DOLLAR + DOLLAR / 2, "1234.50", "1235"},
    {UINT64_MAX, "18446744.073709551615", "18446744"},
};

TEST(writes_amounts)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(amounts); i++) {
        surety_buf_reset(&out);
        surety_dollars_write(amounts[i].picousd, false, &out);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), amounts[i].exact);
        surety_buf_reset(&out);
        surety_dollars_write(amounts[i].picousd, true, &out);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), amounts[i].rounded);
    }
done:
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"writes amounts", writes_amounts},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
