/* SPDX-License-Identifier: Apache-2.0 */
/* Files, whole or not at all, in folders and on disks that do not want them;
 * and where a user's own are. */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    char folder[40], file[60], other[60];
};

static bool place_make(struct place *place)
{
    memcpy(place->folder, "/tmp/surety-file-XXXXXX",
           sizeof("/tmp/surety-file-XXXXXX"));
    if (!mkdtemp(place->folder))
        return false;
    snprintf(place->file, sizeof(place->file), "%s/a.txt", place->folder);
    snprintf(place->other, sizeof(place->other), "%s/b", place->folder);
    return true;
}

/* Removes it; false: something else was left in it. */
static bool place_done(struct place *place)
{
    chmod(place->folder, 0700);
    unlink(place->file);
    unlink(place->other);
    return rmdir(place->folder) == 0;
}

static surety_status put(const char *path, const char *text, bool replace,
                         surety_error *error)
{
    return surety_file_write(surety_str_of(path), surety_str_of(text), replace,
                             error);
}

static bool holds(const char *path, const char *want)
{
    char text[64] = "";
    const int fd = open(path, O_RDONLY);
    const ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

    if (fd >= 0)
        close(fd);
    return len >= 0 && strcmp(text, want) == 0;
}

TEST(writes_and_replaces)
{
    struct place place;
    surety_error error;
    struct stat about;
    const mode_t mask = umask(027);

    NEED(place_make(&place) ? &place : NULL);
    TRY(put(place.file, "one", false, &error));
    CHECK(holds(place.file, "one"));
    CHECK(stat(place.file, &about) == 0 && (about.st_mode & 0777) == 0640);
    EXPECT(SURETY_MISUSE, put(place.file, "four", false, &error));
    CHECK(strstr(error.message, "a.txt is there already"));
    CHECK(holds(place.file, "one"));
    TRY(put(place.file, "", true, &error));
    CHECK(holds(place.file, ""));
    /* What has the hidden name stays, and is no hindrance. */
    snprintf(place.other, sizeof(place.other), "%s/.surety-00.part",
             place.folder);
    CHECK(symlink("nowhere", place.other) == 0);
    TRY(put(place.file, "two", true, &error));
    CHECK(holds(place.file, "two"));
    CHECK(lstat(place.other, &about) == 0 && S_ISLNK(about.st_mode));
done:
    umask(mask);
    check_that(t, place_done(&place), "nothing is left", __FILE__, __LINE__);
}

TEST(leaves_what_a_link_names)
{
    struct place place;
    surety_error error;
    struct stat about;

    NEED(place_make(&place) ? &place : NULL);
    TRY(put(place.other, "behind", false, &error));
    CHECK(symlink(place.other, place.file) == 0);
    EXPECT(SURETY_MISUSE, put(place.file, "x", false, &error));
    TRY(put(place.file, "x", true, &error));
    CHECK(lstat(place.file, &about) == 0 && S_ISREG(about.st_mode));
    CHECK(holds(place.other, "behind"));
    /* A link to nowhere is there, too. */
    CHECK(unlink(place.file) == 0 && unlink(place.other) == 0);
    CHECK(symlink("nowhere", place.file) == 0);
    EXPECT(SURETY_MISUSE, put(place.file, "x", false, &error));
done:
    check_that(t, place_done(&place), "nothing is left", __FILE__, __LINE__);
}

TEST(says_why_it_cannot)
{
    struct place place;
    surety_error error;
    char longest[4200];

    memset(longest, 'a', sizeof(longest));
    NEED(place_make(&place) ? &place : NULL);
    EXPECT(SURETY_IO, put("/dev/null/nowhere", "x", true, &error));
    CHECK(strstr(error.message, "/dev/null/nowhere cannot be written: "));
    EXPECT(SURETY_IO, put(place.folder, "x", true, &error));
    EXPECT(SURETY_IO, put("", "x", true, &error));
    EXPECT(SURETY_IO, surety_file_write((surety_str){"a\0b", 3},
                                        surety_str_of("x"), true, &error));
    EXPECT(SURETY_IO, surety_file_write((surety_str){longest, 4096},
                                        surety_str_of("x"), true, &error));
    CHECK(strstr(error.message, "longer than 4095 bytes"));
    if (geteuid() != 0) { /* who may write everywhere */
        CHECK(chmod(place.folder, 0500) == 0);
        EXPECT(SURETY_IO, put(place.file, "x", true, &error));
        CHECK(strstr(error.message, "Permission denied"));
    }
done:
    check_that(t, place_done(&place), "nothing is left", __FILE__, __LINE__);
}

/* As a full disk: no file may have more than four bytes. */
TEST(keeps_what_was_there_on_a_full_disk)
{
    struct place place;
    surety_error error;
    struct rlimit before, small;

    NEED(place_make(&place) ? &place : NULL);
    TRY(put(place.file, "one", false, &error));
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 4;
    setrlimit(RLIMIT_FSIZE, &small);
    check_status(t, put(place.file, "four", true, &error), "four bytes fit",
                 __FILE__, __LINE__);
    check_that(t, put(place.file, "fives", true, &error) == SURETY_IO,
               "five bytes do not", __FILE__, __LINE__);
    check_that(t, put(place.other, "fives", false, &error) == SURETY_IO,
               "nor in a new file", __FILE__, __LINE__);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    CHECK(holds(place.file, "four"));
    CHECK(access(place.other, F_OK) != 0);
done:
    check_that(t, place_done(&place), "nothing is left", __FILE__, __LINE__);
}

TEST(finds_users_folders)
{
    static const struct {
        const char *given, *home, *want;
    } cases[] = {{NULL, NULL, NULL},       {"", "", NULL},
                 {"relative", "", NULL},   {"/x", NULL, "/x"},
                 {"/x", "/h", "/x"},       {"relative", "/h", "/h/.config"},
                 {"", "/h", "/h/.config"}, {NULL, "h", "h/.config"}};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_buf_reset(&out);
        CHECK(surety_user_folder(surety_str_of(cases[i].given),
                                 surety_str_of(cases[i].home), ".config",
                                 &out) == (cases[i].want != NULL));
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), cases[i].want ? cases[i].want : "");
    }
done:
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"writes and replaces", writes_and_replaces},
        {"leaves what a link names", leaves_what_a_link_names},
        {"says why it cannot", says_why_it_cannot},
        {"keeps what was there on a full disk",
         keeps_what_was_there_on_a_full_disk},
        {"finds users' folders", finds_users_folders},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
