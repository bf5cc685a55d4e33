/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are loaded when they are first needed. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "load/load.h"

#define SOME(FUNCTION)                                                         \
    FUNCTION(cos, cosine)                                                      \
    FUNCTION(sin, sine)

typedef struct some {
    SOME(SURETY__POINTER)
} some;

static const surety__function_row some_rows[] = {SOME(SURETY__ROW)};

TEST(fills_every_pointer)
{
    const surety__library library = {"libm.so.6", "libm6", "angles", some_rows,
                                     2};
    surety_error err;
    some functions;

    memset(&functions, 0, sizeof(functions));
    /* Other systems have it in another file. */
    if (surety__load(&library, &functions, &err) == SURETY_IO)
        goto done;
    CHECK(functions.cosine(0) == 1);
    CHECK(functions.sine(0) == 0);
    /* A second time it is there already. */
    memset(&functions, 0, sizeof(functions));
    TRY(surety__load(&library, &functions, &err));
    CHECK(functions.cosine(0) == 1);
done:;
}

#ifdef SURETY_DEFERRED
TEST(names_what_is_not_there)
{
    const surety__library library = {
        "libsurety-nowhere.so.9", "libsurety-nowhere9", "angles", some_rows, 2};
    surety_error err;
    some functions;

    EXPECT(SURETY_IO, surety__load(&library, &functions, &err));
    CHECK(strstr(err.message, "angles need the library "
                              "libsurety-nowhere.so.9: "));
    CHECK(strstr(err.hint, "the package libsurety-nowhere9"));
done:;
}

TEST(refuses_a_library_that_lacks_a_function)
{
    static const surety__function_row rows[] = {{"cos", NULL},
                                                {"surety_no_function", NULL}};
    const surety__library library = {"libm.so.6", "libm6", "angles", rows, 2};
    surety_error err;
    some functions;

    EXPECT(SURETY_IO, surety__load(&library, &functions, &err));
    CHECK(strstr(err.message, "surety_no_function") ||
          strstr(err.message, "libm.so.6"));
done:;
}
#endif

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"fills every pointer", fills_every_pointer},
#ifdef SURETY_DEFERRED
        {"names what is not there", names_what_is_not_there},
        {"refuses a library that lacks a function",
         refuses_a_library_that_lacks_a_function},
#endif
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
