/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of prompts for every schema there is at hand.
 *
 *     prompt_suite REPLIES FOLDER...
 *
 * REPLIES/CONTRACT/ holds replies to a built-in contract, .md and .txt. Each
 * .json file below a FOLDER is a contract or plain schema, or a file of
 * the JSON Schema test suite, an array of groups with schemas. And all built-in
 * contracts. What cannot be compiled alone is passed over. Of the rest:
 *
 * 1. Instructions can be written in the styles json-schema and typescript.
 * 2. An example is made that satisfies the contract, or UNSUPPORTED said.
 * 3. For replies that fail what to say next can be written, in at most
 *    SURETY_PROMPT_QUOTE_MAX bytes and a page more than the first prompt. */
#include "suite.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char *const replies[] = {
    "",
    "no JSON at all \x01\x1b[31m =====",
    "```json\n{\"a\": [1, 2,",
    "{\"a\": 1,}",
    "null",
    "{\"success\": \"=====\", \"x\\ny\": [[[]]], \"confidence\": 85}",
    "[1, \"\\u202e\", {}]",
    "\"text\"",
    "-1.5",
};

struct count {
    size_t schemas, examples, unsupported, again, files;
    const char *why; /* what did not hold first; NULL: all did */
    char where[512];
};

static void fail(struct count *count, const char *why, const char *where)
{
    if (!count->why) {
        count->why = why;
        snprintf(count->where, sizeof(count->where), "%s", where);
    }
}

/* An example must satisfy the contract as any reply must. */
static void try_example(struct count *count, const surety_contract *contract,
                        const char *where)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_judge_options options = {.size = sizeof(options),
                                    .no_fallback = true};
    surety_outcome *outcome = NULL;
    const surety_status status = surety_prompt_example(contract, doc, NULL);
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    if (status == SURETY_UNSUPPORTED) {
        count->unsupported++;
    } else if (status != SURETY_OK) {
        fail(count, "the example failed", where);
    } else {
        surety_extract how = {.size = sizeof(how),
                              .from = {SURETY_PLACE_NATIVE},
                              .from_count = 1};

        count->examples++;
        surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, &text);
        options.native = surety_buf_str(&text);
        options.extract = &how;
        if (surety_contract_judge(contract, surety_str_of(""), &options,
                                  &outcome, NULL) != SURETY_OK ||
            !surety_outcome_info_of(outcome)->ok)
            fail(count, "the example is not valid", where);
    }
    surety_outcome_free(outcome);
    surety_buf_done(&text);
    surety_doc_free(doc);
}

static void try_again(struct count *count, const surety_contract *contract,
                      surety_str reply, size_t first, const char *where)
{
    const surety_judge_options how = {.size = sizeof(how), .no_fallback = true};
    const surety_prompt_options options = {.size = sizeof(options),
                                           .style = SURETY_PROMPT_JSON_SCHEMA};
    surety_outcome *outcome = NULL;
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    if (surety_contract_judge(contract, reply, &how, &outcome, NULL) ==
            SURETY_OK &&
        !surety_outcome_info_of(outcome)->ok) {
        for (int k = SURETY_FEEDBACK_ERRORS; k <= SURETY_FEEDBACK_PATCH; k++) {
            surety_buf_reset(&out);
            count->again++;
            if (surety_prompt_again(contract, surety_str_of(""),
                                    (surety_feedback)k, outcome, reply,
                                    &options, &out, NULL) != SURETY_OK)
                fail(count, "cannot be asked again", where);
            if (out.len > first + SURETY_PROMPT_QUOTE_MAX + 4096)
                fail(count, "what is asked again is too long", where);
        }
    }
    surety_outcome_free(outcome);
    surety_buf_done(&out);
}

/* Bytes of the format instructions. */
static size_t first_size(const surety_contract *contract)
{
    const surety_prompt_options options = {.size = sizeof(options),
                                           .style = SURETY_PROMPT_JSON_SCHEMA};
    surety_buf out;
    size_t len;

    surety_buf_init(&out, NULL, 0);
    surety_prompt_write(contract, surety_str_of(""), &options, &out, NULL);
    len = out.len;
    surety_buf_done(&out);
    return len;
}

static void try_contract(struct count *count, const surety_contract *contract,
                         const char *where)
{
    surety_prompt_options options = {.size = sizeof(options)};
    size_t first = 0;
    surety_buf out;

    count->schemas++;
    surety_buf_init(&out, NULL, 0);
    for (int k = SURETY_PROMPT_TYPESCRIPT; k >= SURETY_PROMPT_JSON_SCHEMA;
         k--) {
        options.style = (surety_prompt_style)k;
        surety_buf_reset(&out);
        if (surety_prompt_write(contract, surety_str_of(""), &options, &out,
                                NULL) != SURETY_OK)
            fail(count, "the instructions cannot be written", where);
        first = out.len;
    }
    surety_buf_done(&out);
    try_example(count, contract, where);
    for (size_t i = 0; i < sizeof(replies) / sizeof(*replies); i++)
        try_again(count, contract, surety_str_of(replies[i]), first, where);
}

static void try_schema(struct count *count, surety_val schema,
                       const char *where)
{
    surety_contract *contract = NULL;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    surety_val_write(schema, SURETY_STYLE_COMPACT, &text);
    if (surety_contract_read(surety_buf_str(&text), NULL, &contract, NULL) ==
        SURETY_OK)
        try_contract(count, contract, where);
    surety_contract_free(contract);
    surety_buf_done(&text);
}

static void try_file(struct count *count, const char *path)
{
    surety_doc *doc = suite_read(path);
    const surety_val root = surety_doc_root(doc);

    if (surety_val_kind(root) == SURETY_KIND_ARRAY) {
        for (surety_val v = surety_val_first(root); v.doc;
             v = surety_val_next(root, v))
            if (surety_val_get(v, "schema").doc)
                try_schema(count, surety_val_get(v, "schema"), path);
    } else {
        try_schema(count, root, path);
    }
    surety_doc_free(doc);
}

static void try_folder(struct count *count, const char *path)
{
    struct suite_files files;

    suite_list(&files, path, ".json");
    for (size_t i = 0; i < files.count; i++)
        try_file(count, files.paths[i]);
    suite_unlist(&files);
}

/* The replies to a contract that are kept as files. */
static void try_replies(struct count *count, const surety_contract *contract,
                        const char *replies_folder)
{
    struct dirent **entries = NULL;
    char folder[768], path[1100];
    int found;
    const surety_str name = surety_contract_info_of(contract)->name;

    snprintf(folder, sizeof(folder), "%s/%.*s", replies_folder, (int)name.len,
             name.ptr);
    found = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < found; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        char text[65536];
        FILE *file = NULL;
        size_t len;

        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        if (dot && (!strcmp(dot, ".md") || !strcmp(dot, ".txt")))
            file = fopen(path, "rb");
        if (file) {
            len = fread(text, 1, sizeof(text), file);
            fclose(file);
            count->files++;
            try_again(count, contract, (surety_str){text, len},
                      first_size(contract), path);
        }
        free(entries[i]);
    }
    free(entries);
}

static void try_builtins(struct count *count, const char *replies_folder)
{
    surety_registry *registry = NULL;
    const surety_registry_entry *entries = NULL;
    size_t entry_count = 0;
    surety_contract *contract;

    if (surety_registry_new(surety_str_of(""), NULL, &registry, NULL) !=
            SURETY_OK ||
        surety_registry_list(registry, &entries, &entry_count, NULL) !=
            SURETY_OK)
        fail(count, "the built-in contracts cannot be listed", "");
    for (size_t i = 0; i < entry_count; i++) {
        const surety_registry_entry entry = entries[i];

        contract = NULL;
        if (surety_registry_find(registry, entry.name, &contract, NULL) ==
            SURETY_OK) {
            try_contract(count, contract, entry.name.ptr);
            try_replies(count, contract, replies_folder);
        }
        surety_contract_free(contract);
    }
    surety_registry_free(registry);
}

static void say(int number, const char *name, const struct count *count)
{
    if (count->why)
        printf("# %s: %s\n", count->where, count->why);
    printf("%sok %d - %s%s\n", count->why ? "not " : "", number, name,
           count->schemas ? "" : " # SKIP nothing there");
    printf("# %zu schemas: %zu examples, %zu unsupported; %zu asked again, "
           "%zu files of replies\n",
           count->schemas, count->examples, count->unsupported, count->again,
           count->files);
}

int main(int argc, char **argv)
{
    struct count count = {.why = NULL};
    bool good;

    if (argc < 2) {
        fputs("usage: prompt_suite REPLIES FOLDER...\n", stderr);
        return 2;
    }
    printf("1..%d\n", argc - 1);
    try_builtins(&count, argv[1]);
    if (!count.why && !count.files)
        fail(&count, "there are no replies", argv[1]);
    if (!count.why && count.unsupported)
        fail(&count, "an example is missing", "built-in contracts");
    say(1, "built-in contracts", &count);
    good = !count.why;
    for (int i = 2; i < argc; i++) {
        count = (struct count){.why = NULL};
        try_folder(&count, argv[i]);
        say(i, argv[i], &count);
        good = good && !count.why;
    }
    return good ? 0 : 1;
}
