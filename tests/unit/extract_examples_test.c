/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the numbered examples of extract_examples.md, which describes their
 * form, and fails where the finder finds something else. The source tree is the
 * first argument, else SURETY_SOURCE_ROOT, else the working folder. */
#include "extract/extract.h"
#include "check.h"

#include <surety/extract.h>

#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 20)
#define TEXT_MAX 4096
#define EXAMPLES_MIN 45

/* ORDER obstacles: as in the enum. */
static const char *const obstacle_names[] = {
    "none",        "empty-reply", "reasoning-open", "fence-open",
    "fence-other", "value-open",  "no-marker",      "no-json"};

static const char *source_root = ".";

struct example {
    char title[128];
    char reply[TEXT_MAX];
    size_t reply_len;
    surety_extract how;
    char marker[TEXT_MAX];
    bool has_reply;
    char want[TEXT_MAX];
};

struct page {
    const char *ptr;
    size_t len, at;
};

/* The next line, without its end; false at the end of the page. */
static bool next_line(struct page *page, surety_str *ret_line)
{
    const char *start = page->ptr + page->at;
    const size_t left = page->len - page->at;
    const char *end = left ? memchr(start, '\n', left) : NULL;

    if (!left)
        return false;
    ret_line->ptr = start;
    ret_line->len = end ? (size_t)(end - start) : left;
    page->at += ret_line->len + (end != NULL);
    return true;
}

static bool starts(surety_str line, const char *prefix)
{
    return line.len >= strlen(prefix) &&
           !memcmp(line.ptr, prefix, strlen(prefix));
}

/* The content of the block whose opening fence has `ticks` backticks, without
 * the last line end. */
static bool read_block(struct page *page, size_t ticks, char *out, size_t *len)
{
    surety_str line;
    bool first = true;

    *len = 0;
    while (next_line(page, &line)) {
        size_t count = 0;

        while (count < line.len && line.ptr[count] == '`')
            count++;
        if (count == ticks && count == line.len) {
            out[*len] = 0;
            return true;
        }
        if (*len + line.len + 2 > TEXT_MAX)
            return false;
        if (!first)
            out[(*len)++] = '\n';
        memcpy(out + *len, line.ptr, line.len);
        *len += line.len;
        first = false;
    }
    return false;
}

static int hex(char digit)
{
    return digit <= '9' ? digit - '0' : digit - 'A' + 10;
}

static size_t unescape(char *text, size_t len)
{
    static const char names[] = "rnt\\";
    static const char bytes[] = "\r\n\t\\";
    size_t out = 0;

    for (size_t i = 0; i < len; i++) {
        const char *name;

        if (text[i] != '\\' || i + 1 == len) {
            text[out++] = text[i];
            continue;
        }
        name = strchr(names, text[++i]);
        if (name && *name) {
            text[out++] = bytes[name - names];
        } else if (i + 2 < len) {
            text[out++] = (char)(hex(text[i + 1]) * 16 + hex(text[i + 2]));
            i += 2;
        }
    }
    return out;
}

/* False: a line that is no option. */
static bool read_option(struct example *example, surety_str line)
{
    surety_extract *how = &example->how;

    if (starts(line, "extract: ")) {
        size_t at = 9;

        while (at < line.len && how->from_count < SURETY_PLACES) {
            size_t end = at;

            while (end < line.len && line.ptr[end] != ',')
                end++;
            how->from[how->from_count] =
                surety__place_of((surety_str){line.ptr + at, end - at});
            if (how->from[how->from_count++] == SURETY_PLACE_NONE)
                return false;
            at = end + 1;
        }
        return true;
    }
    if (starts(line, "marker: ")) {
        memcpy(example->marker, line.ptr + 8, line.len - 8);
        how->marker = (surety_str){example->marker, line.len - 8};
        return true;
    }
    if (starts(line, "pick: ")) {
        how->pick_last = starts(line, "pick: last");
        return how->pick_last || starts(line, "pick: first");
    }
    if (starts(line, "reasoning: keep"))
        return how->keep_reasoning = true;
    if (!starts(line, "bytes: escaped"))
        return false;
    example->reply_len = unescape(example->reply, example->reply_len);
    return true;
}

/* Reads on to the end of the next example. SURETY_END: there is none. */
static surety_status next_example(struct page *page, struct example *example)
{
    surety_str line;

    memset(example, 0, sizeof(*example));
    example->how.size = sizeof(example->how);
    while (next_line(page, &line)) {
        size_t ticks = 0;
        size_t len = 0;
        char text[TEXT_MAX];
        surety_str kind;

        if (starts(line, "### Example ") && line.len < 128) {
            memcpy(example->title, line.ptr + 4, line.len - 4);
            example->title[line.len - 4] = 0;
        }
        while (ticks < line.len && line.ptr[ticks] == '`')
            ticks++;
        kind = (surety_str){line.ptr + ticks, line.len - ticks};
        if (ticks < 4)
            continue;
        if (starts(kind, "reply")) {
            if (!read_block(page, ticks, example->reply, &example->reply_len))
                return SURETY_SYNTAX;
            example->has_reply = true;
        } else if (starts(kind, "options")) {
            struct page options = {text, 0, 0};

            if (!read_block(page, ticks, text, &options.len))
                return SURETY_SYNTAX;
            while (next_line(&options, &line))
                if (!read_option(example, line))
                    return SURETY_SYNTAX;
        } else if (starts(kind, "candidates")) {
            return example->has_reply && example->title[0] &&
                           read_block(page, ticks, example->want, &len)
                       ? SURETY_OK
                       : SURETY_SYNTAX;
        }
    }
    return SURETY_END;
}

/* What the finder found, in the form of the page. */
static void describe(const surety_finder *finder, char *out, size_t size)
{
    const size_t count = surety_finder_count(finder);
    size_t len = 0;

    for (size_t i = 0; i < count && len < size; i++) {
        const surety_candidate candidate = surety_finder_at(finder, i);

        len += (size_t)snprintf(
            out + len, size - len, "%s%s %zu-%zu%s", i ? "\n" : "",
            surety_place_name(candidate.place), candidate.start, candidate.end,
            candidate.stripped ? " stripped" : "");
    }
    if (!count) {
        size_t at = 0;
        const surety__obstacle obstacle = surety__finder_obstacle(finder, &at);

        snprintf(out, size, "none (%s at %zu)", obstacle_names[obstacle], at);
    }
}

static bool read_page(struct page *page, char *buffer)
{
    char path[1024];
    FILE *file;

    snprintf(path, sizeof(path), "%s/tests/unit/extract_examples.md",
             source_root);
    file = fopen(path, "rb");
    if (!file)
        return false;
    page->len = fread(buffer, 1, FILE_MAX, file);
    page->ptr = buffer;
    page->at = 0;
    fclose(file);
    return page->len > 0 && page->len < FILE_MAX;
}

TEST(examples_of_the_guide)
{
    struct page page = {NULL, 0, 0};
    struct example *example = malloc(sizeof(*example));
    char *buffer = malloc(FILE_MAX);
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety_status status;
    size_t count = 0;

    CHECK(example && buffer);
    NEED(finder);
    CHECK(read_page(&page, buffer));
    while ((status = next_example(&page, example)) == SURETY_OK) {
        /* The exact bytes, so that reading past them is seen. */
        char *reply = malloc(example->reply_len + 1);
        char got[TEXT_MAX];
        bool same;

        if (example->reply_len)
            memcpy(reply, example->reply, example->reply_len);
        reply = realloc(reply, example->reply_len ? example->reply_len : 1);
        status =
            surety_finder_find(finder, (surety_str){reply, example->reply_len},
                               &example->how, NULL, NULL);
        describe(finder, got, sizeof(got));
        free(reply);
        TRY(status);
        same = !strcmp(got, example->want);
        if (!same)
            printf("# %s\n# found:\n%s\n# the page says:\n%s\n", example->title,
                   got, example->want);
        CHECK(same);
        count++;
    }
    CHECK(status == SURETY_END);
    CHECK(count >= EXAMPLES_MIN);
done:
    surety_finder_free(finder);
    free(example);
    free(buffer);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"examples of the guide", examples_of_the_guide},
    };
    const char *root = getenv("SURETY_SOURCE_ROOT");

    if (argc > 1 && argv[1][0] != '-')
        source_root = argv[1];
    else if (root && *root)
        source_root = root;
    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
