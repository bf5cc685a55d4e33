/* SPDX-License-Identifier: Apache-2.0 */
/* C types made from contracts, as a person reads them.
 *
 *     gen_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.json, a contract. NAME.expect has what no C type says
 * of it, a line each with its place in the contract, and then the header; with
 * --update it is written anew, for a person to review. That the header and its
 * source compile and work is shown by tests/api/gen_test.py. */
#include <surety/gen.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_whole(const char *path, surety_buf *out)
{
    FILE *file = fopen(path, "rb");
    char chunk[4096];
    size_t count;

    surety_buf_reset(out);
    if (!file)
        return false;
    while ((count = fread(chunk, 1, sizeof(chunk), file)) > 0)
        surety_buf_append(out, chunk, count);
    fclose(file);
    return out->status == SURETY_OK;
}

static void write_notes(surety_buf *out, const surety_gen *gen)
{
    for (size_t i = 0; i < surety_gen_note_count(gen); i++) {
        const surety_gen_note note = surety_gen_note_at(gen, i);
        const surety_position at = surety_val_position(note.at);

        surety_buf_number(out, at.line);
        surety_buf_byte(out, ':');
        surety_buf_number(out, at.column);
        surety_buf_text(out, " #");
        surety_val_pointer(note.at, out);
        surety_buf_text(out, ": ");
        surety_buf_add(out, note.message);
        surety_buf_text(out, "; ");
        surety_buf_add(out, note.hint);
        surety_buf_byte(out, '\n');
    }
}

/* Appends what is made of the contract's text, or why nothing is. */
static void write_case(surety_buf *out, surety_str text)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("case")};
    surety_contract *contract = NULL;
    const surety_contract *given;
    surety_gen *gen = NULL;
    surety_error error;

    if (surety_contract_read(text, &options, &contract, &error) != SURETY_OK) {
        surety_buf_text(out, error.message);
        return;
    }
    given = contract;
    if (surety_gen_make(&given, 1, NULL, &gen, &error) == SURETY_OK) {
        write_notes(out, gen);
        surety_buf_add(out, surety_gen_header(gen));
    } else {
        surety_buf_text(out, error.message);
    }
    surety_gen_free(gen);
    surety_contract_free(contract);
}

static bool try_case(const char *stem, bool update)
{
    surety_buf text, want, got;
    char path[1024];
    bool good;

    surety_buf_init(&text, NULL, 0);
    surety_buf_init(&want, NULL, 0);
    surety_buf_init(&got, NULL, 0);
    snprintf(path, sizeof(path), "%s.json", stem);
    good = read_whole(path, &text);
    write_case(&got, surety_buf_str(&text));
    snprintf(path, sizeof(path), "%s.expect", stem);
    if (update) {
        FILE *file = fopen(path, "wb");

        good &= file && fwrite(got.ptr, 1, got.len, file) == got.len;
        if (file)
            fclose(file);
    }
    good &= read_whole(path, &want) &&
            surety_str_equal(surety_buf_str(&want), surety_buf_str(&got));
    if (!good)
        printf("# what came out differs from %s\n", path);
    surety_buf_done(&text);
    surety_buf_done(&want);
    surety_buf_done(&got);
    return good;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

int main(int argc, char **argv)
{
    const bool update = argc == 3 && strcmp(argv[1], "--update") == 0;
    static char names[256][128];
    size_t count = 0;
    bool all = true;
    struct dirent *entry;
    DIR *folder;

    if (argc != 2 + (int)update || !(folder = opendir(argv[argc - 1]))) {
        fprintf(stderr, "usage: gen_test [--update] FOLDER\n");
        return 2;
    }
    while ((entry = readdir(folder)) && count < 256) {
        const size_t len = strlen(entry->d_name);

        if (len > 5 && len < 120 &&
            strcmp(entry->d_name + len - 5, ".json") == 0)
            snprintf(names[count++], sizeof(names[0]), "%.*s", (int)len - 5,
                     entry->d_name);
    }
    closedir(folder);
    qsort(names, count, sizeof(names[0]), compare_names);
    for (size_t i = 0; i < count; i++) {
        char stem[900];
        bool good;

        snprintf(stem, sizeof(stem), "%.700s/%.120s", argv[argc - 1], names[i]);
        good = try_case(stem, update);
        printf("%s %zu - %s\n", good ? "ok" : "not ok", i + 1, names[i]);
        all &= good;
    }
    printf("1..%zu\n", count);
    return all && count > 0 ? 0 : 1;
}
