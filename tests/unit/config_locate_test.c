/* SPDX-License-Identifier: Apache-2.0 */
/* Where a configuration is found: named, in the working folder, in the user's
 * own folder, nowhere; and what is said where it cannot be taken. */
#include "check.h"
#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of the test's own, which is the working folder, and a variable. */
struct place {
    char folder[64];
    char before[512];
    const char *name, *value;
};

static const char *place_variable(void *ctx, const char *name)
{
    const struct place *place = ctx;

    return place->name && strcmp(name, place->name) == 0 ? place->value : NULL;
}

static bool place_enter(struct place *place)
{
    memcpy(place->folder, "find-XXXXXX", sizeof("find-XXXXXX"));
    return getcwd(place->before, sizeof(place->before)) &&
           mkdtemp(place->folder) && chdir(place->folder) == 0;
}

static void place_leave(const struct place *place)
{
    static const char *const made[] = {"surety.json", "named.json",
                                       "own/surety/surety.json",
                                       ".config/surety/surety.json"};
    static const char *const folders[] = {"own/surety", "own", ".config/surety",
                                          ".config"};

    for (size_t i = 0; i < CHECK_COUNT(made); i++)
        unlink(made[i]);
    for (size_t i = 0; i < CHECK_COUNT(folders); i++)
        rmdir(folders[i]);
    if (chdir(place->before) == 0)
        rmdir(place->folder);
}

/* A configuration whose default model is name. */
static bool place_write(const char *path, const char *name)
{
    FILE *file = fopen(path, "w");
    const bool is_written =
        file && fprintf(file, "{\"default\": [\"%s\"]}", name) > 0;

    return file && fclose(file) == 0 && is_written;
}

static surety_config_options place_options(struct check *t, struct place *place)
{
    return (surety_config_options){.size = sizeof(surety_config_options),
                                   .environment = place_variable,
                                   .environment_ctx = place,
                                   .alloc = check_alloc(t)};
}

/* The default model of what is found; NULL: another. */
#define FINDS(path, name)                                                      \
    TRY(surety_config_load(surety_str_of(path), &options, &config, &err));     \
    CHECK_TEXT(surety_config_info_of(config)->defaults[0], name);              \
    surety_config_free(config);                                                \
    config = NULL

TEST(looks_in_order)
{
    char whole[600];
    struct place place = {.name = "XDG_CONFIG_HOME"};
    surety_config_options options = place_options(t, &place);
    surety_config *config = NULL;
    surety_error err;

    CHECK(place_enter(&place));
    FINDS("", "");
    snprintf(whole, sizeof(whole), "%s/%s/own", place.before, place.folder);
    place.value = whole;
    FINDS("", "");
    CHECK(mkdir("own", 0700) == 0 && mkdir("own/surety", 0700) == 0);
    CHECK(place_write("own/surety/surety.json", "ollama:users"));
    FINDS("", "ollama:users");
    CHECK(place_write("surety.json", "ollama:here"));
    FINDS("", "ollama:here");
    CHECK(place_write("named.json", "ollama:named"));
    FINDS("named.json", "ollama:named");
done:
    surety_config_free(config);
    place_leave(&place);
}

TEST(takes_the_home_folder)
{
    char whole[600];
    struct place place = {.name = "HOME", .value = whole};
    surety_config_options options = place_options(t, &place);
    surety_config *config = NULL;
    surety_error err;

    CHECK(place_enter(&place));
    snprintf(whole, sizeof(whole), "%s/%s", place.before, place.folder);
    CHECK(mkdir(".config", 0700) == 0 && mkdir(".config/surety", 0700) == 0);
    CHECK(place_write(".config/surety/surety.json", "ollama:home"));
    FINDS("", "ollama:home");
    /* A relative one counts from nowhere in particular (XDG Base Directory
     * Specification): it is passed over. */
    place.name = "XDG_CONFIG_HOME";
    place.value = ".config";
    FINDS("", "");
done:
    surety_config_free(config);
    place_leave(&place);
}

TEST(says_what_is_wrong_with_the_file)
{
    struct place place = {.name = NULL};
    surety_config_options options = place_options(t, &place);
    surety_config *config = NULL;
    surety_error err;

    CHECK(place_enter(&place));
    EXPECT(SURETY_IO, surety_config_load(surety_str_of("nowhere.json"),
                                         &options, &config, &err));
    CHECK_TEXT(surety_str_of(err.source), "nowhere.json");
    CHECK(strstr(err.message, "cannot be read: No such file"));
    CHECK(place_write("named.json", "ollama:x\", 1, \""));
    EXPECT(SURETY_SYNTAX, surety_config_load(surety_str_of("named.json"),
                                             &options, &config, &err));
    CHECK_TEXT(surety_str_of(err.source), "named.json");
    CHECK(err.position.line == 1);
    CHECK(!config);
    CHECK(truncate("named.json", 0) == 0);
    EXPECT(SURETY_SYNTAX, surety_config_load(surety_str_of("named.json"),
                                             &options, &config, &err));
    CHECK(strstr(err.message, "empty"));
    TRY(surety_config_load(surety_str_of("/dev/null"), &options, &config,
                           &err));
done:
    surety_config_free(config);
    place_leave(&place);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"looks in order", looks_in_order},
        {"takes the home folder", takes_the_home_folder},
        {"says what is wrong with the file", says_what_is_wrong_with_the_file},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
