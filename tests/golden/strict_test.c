/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas in every provider's subset, and values on their way back.
 *
 *     strict_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.json, a contract. NAME.expect says for each provider
 * the verdict, the notes with their place, and the schema that is sent; with
 * --update it is written anew, for a person to review. NAME.pairs, where there
 * is one, has a line each: PROVIDER, what it delivers, " => " and the value
 * that comes of it. What is delivered must satisfy the schema that was sent,
 * the value must satisfy the contract; "! PROVIDER" begins a line where only
 * the value that comes of it counts. */
#include <surety/strict.h>

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

static void put_number(surety_buf *out, uint32_t number)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", number);
    surety_buf_text(out, text);
}

static void write_strict(surety_buf *out, const surety_strict *strict,
                         surety_subset subset)
{
    surety_buf_text(out, surety_subset_name(subset));
    surety_buf_text(out, ": ");
    surety_buf_text(
        out, surety_strict_verdict_name(surety_strict_verdict_of(strict)));
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < surety_strict_note_count(strict); i++) {
        const surety_strict_note note = surety_strict_note_at(strict, i);
        surety_buf_text(out, "  ");
        put_number(out, (uint32_t)note.position.line);
        surety_buf_byte(out, ':');
        put_number(out, (uint32_t)note.position.column);
        surety_buf_text(out, " #");
        surety_buf_add(out, note.location);
        surety_buf_byte(out, ' ');
        surety_buf_text(out, surety_strict_verdict_name(note.verdict));
        surety_buf_byte(out, ' ');
        surety_buf_add(out, note.keyword);
        surety_buf_text(out, ": ");
        surety_buf_add(out, note.message);
        surety_buf_text(out, "; ");
        surety_buf_add(out, note.hint);
        surety_buf_byte(out, '\n');
    }
    if (surety_strict_schema(strict).doc) {
        surety_val_write(surety_strict_schema(strict), SURETY_STYLE_PRETTY,
                         out);
        surety_buf_byte(out, '\n');
    }
}

static surety_contract *read_contract(surety_str text, surety_error *error)
{
    surety_contract *contract = NULL;
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("case")};

    return surety_contract_read(text, &options, &contract, error) == SURETY_OK
               ? contract
               : NULL;
}

static bool satisfies(const surety_schema *schema, surety_val val)
{
    surety_checker *checker = surety_checker_new(NULL, NULL);
    bool valid = false;

    if (checker)
        surety_checker_check(checker, schema, val, &valid, NULL);
    surety_checker_free(checker);
    return valid;
}

/* NULL: the pair holds; otherwise what does not. */
static const char *try_pair(const surety_contract *contract,
                            surety_subset subset, surety_str delivered,
                            surety_str wanted, bool loose)
{
    surety_strict *strict = NULL;
    surety_schema *sent = NULL;
    surety_doc *from = surety_doc_new(NULL);
    surety_doc *want = surety_doc_new(NULL);
    surety_doc *back = surety_doc_new(NULL);
    const char *why = NULL;

    if (surety_strict_compile(contract, subset, NULL, &strict, NULL) !=
        SURETY_OK)
        why = "does not compile";
    else if (surety_doc_read(from, delivered, NULL, NULL) != SURETY_OK ||
             surety_doc_read(want, wanted, NULL, NULL) != SURETY_OK)
        why = "is no JSON";
    else if (!surety_strict_schema(strict).doc)
        why = "is impossible";
    else if (surety_schema_compile(surety_strict_schema(strict), NULL, &sent,
                                   NULL) != SURETY_OK)
        why = "what is sent is no schema";
    else if (!loose && !satisfies(sent, surety_doc_root(from)))
        why = "what is delivered does not satisfy what was sent";
    else if (surety_strict_restore(strict, surety_doc_root(from), back, NULL) !=
             SURETY_OK)
        why = "is not restored";
    else if (!surety_val_equal(surety_doc_root(back), surety_doc_root(want)))
        why = "comes to another value";
    else if (!loose && !satisfies(surety_contract_schema(contract),
                                  surety_doc_root(back)))
        why = "comes to a value that breaks the contract";
    if (why && back && surety_doc_root(back).doc) {
        surety_buf text;
        surety_buf_init(&text, NULL, 0);
        surety_val_write(surety_doc_root(back), SURETY_STYLE_COMPACT, &text);
        printf("# %.*s\n", (int)text.len, text.ptr ? text.ptr : "");
        surety_buf_done(&text);
    }
    surety_schema_free(sent);
    surety_strict_free(strict);
    surety_doc_free(from);
    surety_doc_free(want);
    surety_doc_free(back);
    return why;
}

static bool try_line(const surety_contract *contract, const char *line,
                     size_t len)
{
    const bool loose = len > 2 && line[0] == '!';
    const char *arrow = NULL;
    const char *why = "has no provider, value and value";

    if (loose) {
        line += 2;
        len -= 2;
    }
    for (size_t i = 0; i + 4 <= len && !arrow; i++)
        if (memcmp(line + i, " => ", 4) == 0)
            arrow = line + i;
    for (int i = 0; arrow && i <= SURETY_SUBSET_GRAMMAR; i++) {
        const char *name = surety_subset_name((surety_subset)i);
        const size_t skip = strlen(name) + 1;
        if (len > skip && memcmp(line, name, skip - 1) == 0)
            why = try_pair(
                contract, (surety_subset)i,
                (surety_str){line + skip, (size_t)(arrow - line) - skip},
                (surety_str){arrow + 4, (size_t)(line + len - arrow) - 4},
                loose);
    }
    if (why)
        printf("# %.*s: %s\n", (int)len, line, why);
    return why == NULL;
}

static bool try_pairs(const surety_contract *contract, const char *stem)
{
    char path[1024];
    surety_buf text;
    bool good = true;

    surety_buf_init(&text, NULL, 0);
    snprintf(path, sizeof(path), "%s.pairs", stem);
    if (read_whole(path, &text)) {
        const char *at = text.ptr;
        const char *end = text.ptr + text.len;
        while (at < end) {
            const char *feed = memchr(at, '\n', (size_t)(end - at));
            const size_t len = (size_t)((feed ? feed : end) - at);
            if (len > 0 && at[0] != '#')
                good &= try_line(contract, at, len);
            at += len + 1;
        }
    }
    surety_buf_done(&text);
    return good;
}

static bool try_case(const char *stem, bool update)
{
    char path[1024];
    surety_buf text, want, got;
    surety_contract *contract;
    surety_error error;
    bool good;

    surety_buf_init(&text, NULL, 0);
    surety_buf_init(&want, NULL, 0);
    surety_buf_init(&got, NULL, 0);
    snprintf(path, sizeof(path), "%s.json", stem);
    good = read_whole(path, &text);
    contract = read_contract(surety_buf_str(&text), &error);
    if (!contract)
        printf("# %s: %s\n", path, error.message);
    for (int i = 0; contract && i <= SURETY_SUBSET_GRAMMAR; i++) {
        surety_strict *strict = NULL;
        if (surety_strict_compile(contract, (surety_subset)i, NULL, &strict,
                                  &error) == SURETY_OK)
            write_strict(&got, strict, (surety_subset)i);
        else
            surety_buf_text(&got, error.message);
        surety_strict_free(strict);
    }
    snprintf(path, sizeof(path), "%s.expect", stem);
    if (update && contract) {
        FILE *file = fopen(path, "wb");
        good &= file && fwrite(got.ptr, 1, got.len, file) == got.len;
        if (file)
            fclose(file);
    }
    good &= read_whole(path, &want) && contract &&
            surety_str_equal(surety_buf_str(&want), surety_buf_str(&got));
    if (!good)
        printf("# what came out differs from %s\n", path);
    if (contract)
        good &= try_pairs(contract, stem);
    surety_contract_free(contract);
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
    char folder_name[700];
    DIR *folder;

    if (argc != 2 + (int)update || !(folder = opendir(argv[argc - 1]))) {
        fprintf(stderr, "usage: strict_test [--update] FOLDER\n");
        return 2;
    }
    snprintf(folder_name, sizeof(folder_name), "%.690s", argv[argc - 1]);
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
        snprintf(stem, sizeof(stem), "%s/%.120s", folder_name, names[i]);
        good = try_case(stem, update);
        printf("%s %zu - %s\n", good ? "ok" : "not ok", i + 1, names[i]);
        all &= good;
    }
    printf("1..%zu\n", count);
    return all && count > 0 ? 0 : 1;
}
