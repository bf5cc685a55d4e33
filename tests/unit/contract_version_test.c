/* SPDX-License-Identifier: Apache-2.0 */
/* Semantic versions: which texts are ones, what a request matches, and the
 * order of Semantic Versioning 2.0.0, section 11. */
#include "check.h"
#include "contract/version.h"

TEST(tells_versions)
{
    static const char *const good[] = {"0.0.0",
                                       "1.2.3",
                                       "10.20.30",
                                       "1.0.0-alpha",
                                       "1.0.0-0.3.7",
                                       "1.0.0-x-y.z",
                                       "1.0.0+20130313144700",
                                       "1.0.0-rc.1+exp.sha-5",
                                       "99999999999999999999.0.0",
                                       "1.0.0--",
                                       "1.0.0-0a",
                                       "1.0.0+00"};
    static const char *const bad[] = {
        "",         "1",          "1.2",       "1.2.3.4",   "01.2.3",
        "1.02.3",   "1.2.03",     "v1.2.3",    "1.2.3-",    "1.2.3+",
        "1.2.3-01", "1.2.3-a..b", "1.2.3-a_b", " 1.2.3",    "1.2.3 ",
        "-1.2.3",   "1..3",       "1.2.",      "1.2.3+a+b", "1.2.3-\303\244"};

    for (size_t i = 0; i < CHECK_COUNT(good); i++)
        CHECK(surety__version_valid(surety_str_of(good[i])));
    for (size_t i = 0; i < CHECK_COUNT(bad); i++)
        CHECK(!surety__version_valid(surety_str_of(bad[i])));
    CHECK(!surety__version_valid((surety_str){"1.2\0.3", 6}));
done:;
}

TEST(tells_requests)
{
    CHECK(surety__version_request_valid(surety_str_of("1")));
    CHECK(surety__version_request_valid(surety_str_of("1.20")));
    CHECK(surety__version_request_valid(surety_str_of("1.2.3-rc.1")));
    CHECK(!surety__version_request_valid(surety_str_of("")));
    CHECK(!surety__version_request_valid(surety_str_of("1.")));
    CHECK(!surety__version_request_valid(surety_str_of("1.2.")));
    CHECK(!surety__version_request_valid(surety_str_of("01")));
    CHECK(!surety__version_request_valid(surety_str_of("1.x")));
    CHECK(!surety__version_request_valid(surety_str_of("latest")));
done:;
}

TEST(matches_requests)
{
    static const struct {
        const char *version, *request;
        bool matches;
    } rows[] = {
        {"1.2.3", "", true},
        {"", "", true},
        {"1.2.3", "1", true},
        {"1.2.3", "1.2", true},
        {"1.2.3", "1.2.3", true},
        {"1.2.3", "1.3", false},
        {"12.0.0", "1", false},
        {"1.20.0", "1.2", false},
        {"1.2.30", "1.2.3", false},
        {"1.2.3-rc.1", "1.2.3", false},
        {"1.2.3-rc.1", "1.2", true},
        {"1.2.3-rc.1", "1.2.3-rc.1", true},
        {"", "1", false},
    };

    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        CHECK(surety__version_matches(surety_str_of(rows[i].version),
                                      surety_str_of(rows[i].request)) ==
              rows[i].matches);
done:;
}

TEST(orders_versions)
{
    /* The order of section 11, with what is around it. */
    static const char *const rising[] = {"",
                                         "0.9.0",
                                         "1.0.0-alpha",
                                         "1.0.0-alpha.1",
                                         "1.0.0-alpha.beta",
                                         "1.0.0-beta",
                                         "1.0.0-beta.2",
                                         "1.0.0-beta.11",
                                         "1.0.0-rc.1",
                                         "1.0.0",
                                         "1.0.10",
                                         "1.2.0",
                                         "1.10.0",
                                         "2.0.0",
                                         "10.0.0"};

    for (size_t i = 0; i < CHECK_COUNT(rising); i++)
        for (size_t j = 0; j < CHECK_COUNT(rising); j++)
            CHECK(surety__version_compare(surety_str_of(rising[i]),
                                          surety_str_of(rising[j])) ==
                  (i > j) - (i < j));
    CHECK(surety__version_compare(surety_str_of("1.0.0+a"),
                                  surety_str_of("1.0.0+b")) == 0);
    CHECK(surety__version_is_early(surety_str_of("1.0.0-rc.1")));
    CHECK(!surety__version_is_early(surety_str_of("1.0.0+rc-1")));
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"tells versions", tells_versions},
        {"tells requests", tells_requests},
        {"matches requests", matches_requests},
        {"orders versions", orders_versions},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
