/* SPDX-License-Identifier: Apache-2.0 */
/* What models are told, as text to be read.
 *
 *     prompt_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case with sections, each begun by a line "=== WORDS":
 *
 *     === contract             the contract
 *     === reply                a reply that failed (only where there is one)
 *     === STYLE                what surety_prompt_write must give: json-schema,
 *                              typescript, example; the prompt is "Go on."
 *     === FEEDBACK             what surety_prompt_again must add after a failed
 *                              reply: simple, errors, patch
 *     === mended PATCH         PATCH is a reply to the patch prompt; what must
 *                              come of it, or "error: ..."
 *
 * With --update what must come is written anew. */
#include <surety/prompt.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const styles[] = {"contract", "json-schema", "typescript",
                                     "example"};
static const char *const feedbacks[] = {"errors", "simple", "patch"};

struct golden {
    surety_contract *contract;
    surety_outcome *outcome;
    surety_str reply;
    surety_buf text;    /* of the file */
    surety_buf updated; /* what it should be */
};

static bool read_whole(const char *path, surety_buf *out)
{
    FILE *file = fopen(path, "rb");
    char chunk[4096];
    size_t count;

    if (!file)
        return false;
    while ((count = fread(chunk, 1, sizeof(chunk), file)) > 0)
        surety_buf_append(out, chunk, count);
    fclose(file);
    return out->status == SURETY_OK;
}

/* Takes the next section: its words and its text. False: there is none. */
static bool take_section(surety_str *text, surety_str *words, surety_str *body)
{
    size_t i = 0;

    if (text->len < 4 || memcmp(text->ptr, "=== ", 4) != 0)
        return false;
    while (i < text->len && text->ptr[i] != '\n')
        i++;
    *words = (surety_str){text->ptr + 4, i - 4};
    i += i < text->len;
    *body = (surety_str){text->ptr + i, 0};
    while (i + body->len < text->len) {
        const size_t left = text->len - i - body->len;

        if ((body->len == 0 || body->ptr[body->len - 1] == '\n') && left >= 4 &&
            memcmp(body->ptr + body->len, "=== ", 4) == 0)
            break;
        body->len++;
    }
    text->ptr = body->ptr + body->len;
    text->len -= i + body->len;
    return true;
}

static int index_of(const char *const *names, size_t count, surety_str name)
{
    for (size_t i = 0; i < count; i++)
        if (surety_str_equal(name, surety_str_of(names[i])))
            return (int)i;
    return -1;
}

/* Writes what a section must hold; false: its words mean nothing. */
static bool answer(struct golden *golden, surety_str words, surety_buf *out)
{
    const int style = index_of(styles, 4, words);
    const int feedback = index_of(feedbacks, 3, words);
    const surety_str prompt = surety_str_of("Go on.");
    surety_prompt_options options = {.size = sizeof(options)};
    surety_status status = SURETY_OK;
    surety_error err;

    if (style >= 0) {
        options.style = (surety_prompt_style)style;
        status =
            surety_prompt_write(golden->contract, prompt, &options, out, &err);
    } else if (feedback >= 0 && golden->outcome) {
        surety_buf first;

        surety_buf_init(&first, NULL, 0);
        surety_prompt_write(golden->contract, prompt, &options, &first, NULL);
        status = surety_prompt_again(golden->contract, prompt,
                                     (surety_feedback)feedback, golden->outcome,
                                     golden->reply, &options, out, &err);
        if (status == SURETY_OK &&
            (out->len < first.len ||
             memcmp(out->ptr, first.ptr, first.len) != 0))
            surety_buf_text(out, "the first prompt is not at its start\n");
        else if (status == SURETY_OK) {
            memmove(out->ptr, out->ptr + first.len, out->len - first.len);
            out->len -= first.len;
        }
        surety_buf_done(&first);
    } else if (words.len > 7 && !memcmp(words.ptr, "mended ", 7) &&
               golden->outcome) {
        const surety_str patch = {words.ptr + 7, words.len - 7};

        status = surety_prompt_patch(golden->outcome, patch, out, &err);
        if (status == SURETY_OK)
            surety_buf_byte(out, '\n');
    } else {
        return false;
    }
    if (status != SURETY_OK) {
        surety_buf_text(out, "error: ");
        surety_buf_text(out, err.message);
        surety_buf_byte(out, '\n');
    }
    return out->status == SURETY_OK;
}

/* One section; false: not as it must be. */
static bool run_section(struct golden *golden, surety_str words,
                        surety_str body)
{
    surety_error err;
    surety_buf got;
    bool good = true;

    surety_buf_init(&got, NULL, 0);
    if (surety_str_equal(words, surety_str_of("contract"))) {
        good = surety_contract_read(body, NULL, &golden->contract, &err) ==
               SURETY_OK;
        if (!good)
            printf("# %s\n", err.message);
        surety_buf_add(&got, body);
    } else if (surety_str_equal(words, surety_str_of("reply"))) {
        golden->reply = body;
        good = golden->contract &&
               surety_reply_judge(golden->contract, body, NULL,
                                  &golden->outcome, &err) == SURETY_OK &&
               !surety_outcome_ok(golden->outcome);
        surety_buf_add(&got, body);
    } else {
        good = golden->contract && answer(golden, words, &got) &&
               surety_str_equal(surety_buf_str(&got), body);
        if (!good)
            printf("# %.*s: got\n%.*s", (int)words.len, words.ptr, (int)got.len,
                   got.len ? got.ptr : "");
    }
    surety_buf_text(&golden->updated, "=== ");
    surety_buf_add(&golden->updated, words);
    surety_buf_byte(&golden->updated, '\n');
    surety_buf_add(&golden->updated, surety_buf_str(&got));
    surety_buf_done(&got);
    return good;
}

static bool run(const char *path, bool updating)
{
    struct golden golden = {.contract = NULL};
    surety_str rest, words, body;
    bool good = true;

    surety_buf_init(&golden.text, NULL, 0);
    surety_buf_init(&golden.updated, NULL, 0);
    good = read_whole(path, &golden.text);
    rest = surety_buf_str(&golden.text);
    while (take_section(&rest, &words, &body))
        good = run_section(&golden, words, body) && good;
    good = good && rest.len == 0;
    if (updating && !good) {
        FILE *file = fopen(path, "wb");

        if (file) {
            fwrite(golden.updated.ptr, 1, golden.updated.len, file);
            fclose(file);
        }
    }
    surety_outcome_free(golden.outcome);
    surety_contract_free(golden.contract);
    surety_buf_done(&golden.text);
    surety_buf_done(&golden.updated);
    return good;
}

static int is_case(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && !strcmp(dot, ".case");
}

int main(int argc, char **argv)
{
    const bool updating = argc == 3 && !strcmp(argv[1], "--update");
    struct dirent **entries = NULL;
    char path[1024];
    int failed = 0;
    int count;

    if (argc != 2 && !updating) {
        fputs("usage: prompt_test [--update] FOLDER\n", stderr);
        return 2;
    }
    count = scandir(argv[argc - 1], &entries, is_case, alphasort);
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        bool good;

        snprintf(path, sizeof(path), "%s/%s", argv[argc - 1],
                 entries[i]->d_name);
        good = run(path, updating);
        printf("%sok %d - %s\n", good ? "" : "not ", i + 1, entries[i]->d_name);
        failed += !good;
        free(entries[i]);
    }
    free(entries);
    return failed || count <= 0 ? 1 : 0;
}
