/* SPDX-License-Identifier: Apache-2.0 */
/* How many processors control groups leave to a gateway, of 64. */
#include "check.h"

#include "gateway/gateway.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
    char root[32], self[48], outer[48], inner[64];
};

static bool tree_make(struct tree *tree)
{
    memcpy(tree->root, "/tmp/surety-groups-XXXXXX",
           sizeof("/tmp/surety-groups-XXXXXX"));
    if (!mkdtemp(tree->root))
        return false;
    snprintf(tree->self, sizeof(tree->self), "%s/self", tree->root);
    snprintf(tree->outer, sizeof(tree->outer), "%s/outer", tree->root);
    snprintf(tree->inner, sizeof(tree->inner), "%s/in", tree->outer);
    return mkdir(tree->outer, 0700) == 0 && mkdir(tree->inner, 0700) == 0;
}

/* Writes a file, or removes it where text is NULL. */
static bool tree_put(const char *folder, const char *name, const char *text)
{
    char path[96];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (!text)
        return unlink(path) == 0 || errno == ENOENT;
    file = fopen(path, "w");
    return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

static void tree_done(struct tree *tree)
{
    const char *const folders[] = {tree->inner, tree->outer, tree->root};

    tree_put(tree->root, "self", NULL);
    for (size_t i = 0; i < CHECK_COUNT(folders); i++) {
        tree_put(folders[i], "cpu.max", NULL);
        rmdir(folders[i]);
    }
}

TEST(limits_of_time_count)
{
    static const struct {
        const char *self, *root, *outer, *inner;
        uint32_t want;
    } cases[] = {
        {NULL, "100000 100000\n", NULL, NULL, 64}, /* no groups */
        {"", "100000 100000\n", NULL, NULL, 64},
        {"4:cpu:/outer/in\n", NULL, "100000 100000\n", NULL, 64},
        {"0::/\n", NULL, NULL, NULL, 64},
        {"0::/\n", "max 100000\n", NULL, NULL, 64},
        {"0::/\n", "100000 100000\n", NULL, NULL, 1},
        {"0::/\n", "150000 100000\n", NULL, NULL, 2}, /* rounded up */
        {"0::/\n", "1000 100000\n", NULL, NULL, 1},
        {"0::/\n", "99999999999 100000\n", NULL, NULL, 64},
        /* the group's own, and those above it */
        {"0::/outer/in\n", NULL, NULL, "50000 100000\n", 1},
        {"0::/outer/in\n", NULL, "50000 50000\n", "max 100000\n", 1},
        {"0::/outer/in\n", "100 100\n", NULL, "200 100\n", 1},
        {"4:cpu:/x\n0::/outer\n", NULL, "100 100\n", NULL, 1},
        {"0::/outer", NULL, "max 100000\n", "100 100\n", 64},
        /* these set no limit */
        {"0::/\n", "", NULL, NULL, 64},
        {"0::/\n", "100000", NULL, NULL, 64},
        {"0::/\n", "0 100000", NULL, NULL, 64},
        {"0::/\n", "100000 0", NULL, NULL, 64},
        {"0::/\n", "-1 100000", NULL, NULL, 64},
    };
    struct tree tree = {0};

    CHECK(tree_make(&tree));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        uint32_t got;

        CHECK(tree_put(tree.root, "self", cases[i].self));
        CHECK(tree_put(tree.root, "cpu.max", cases[i].root));
        CHECK(tree_put(tree.outer, "cpu.max", cases[i].outer));
        CHECK(tree_put(tree.inner, "cpu.max", cases[i].inner));
        got = surety__processors(tree.root, tree.self, 64);
        CHECK(got == cases[i].want);
        if (got != cases[i].want)
            printf("# case %zu: %u\n", i, (unsigned)got);
    }
done:
    tree_done(&tree);
}

/* A path that is longer than any of the system has no limit. */
TEST(long_paths)
{
    static char text[9000];
    struct tree tree = {0};

    CHECK(tree_make(&tree));
    for (size_t len = 4000; len < sizeof(text) - 1; len += 61) {
        memset(text, 'a', len);
        memcpy(text, "0::/", 4);
        text[len] = '\0';
        CHECK(tree_put(tree.root, "self", text));
        CHECK(tree_put(tree.root, "cpu.max", "100 100"));
        CHECK(surety__processors(tree.root, tree.self, 64) ==
              (strlen(tree.root) + len - 3 > 4096 ? 64 : 1));
    }
done:
    tree_done(&tree);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"limits of time count", limits_of_time_count},
        {"long paths", long_paths},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
