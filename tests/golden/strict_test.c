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
#include "golden/cases.h"

#include <stdio.h>
#include <string.h>

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
        surety_buf_number(out, note.position.line);
        surety_buf_byte(out, ':');
        surety_buf_number(out, note.position.column);
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

static bool satisfies(const surety_schema *schema, surety_val val)
{
    surety_checker *checker = surety_checker_new(NULL, NULL);
    bool valid = false;

    if (checker)
        surety_checker_check(checker, schema, val, &valid, NULL);
    surety_checker_free(checker);
    return valid;
}

/* Whether a value is refused, with a message that has these words. */
static bool is_refused(const surety_strict *strict, surety_val delivered,
                       surety_doc *out, surety_str words)
{
    surety_error error = {.message = ""};
    const surety_status status =
        surety_strict_restore(strict, delivered, out, &error);
    char line[700];

    snprintf(line, sizeof(line), "%s at %s", error.message, error.path);
    if (status == SURETY_SYNTAX &&
        surety_str_equal(surety_str_of(line), words))
        return true;
    printf("# %s: %s\n", surety_status_name(status), line);
    return false;
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
    const bool refused = golden_take(&wanted, "error: ");

    if (surety_strict_compile(contract, subset, NULL, &strict, NULL) !=
        SURETY_OK)
        why = "does not compile";
    else if (surety_doc_read(from, delivered, NULL, NULL) != SURETY_OK ||
             (!refused &&
              surety_doc_read(want, wanted, NULL, NULL) != SURETY_OK))
        why = "is no JSON";
    else if (!surety_strict_schema(strict).doc)
        why = "is impossible";
    else if (surety_schema_compile(surety_strict_schema(strict), NULL, &sent,
                                   NULL) != SURETY_OK)
        why = "what is sent is no schema";
    else if (!loose && !satisfies(sent, surety_doc_root(from)))
        why = "what is delivered does not satisfy what was sent";
    else if (refused)
        why = is_refused(strict, surety_doc_root(from), back, wanted)
                  ? NULL
                  : "is not refused so";
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

static bool try_line(const surety_contract *contract, surety_str line)
{
    surety_str rest = line;
    const bool loose = golden_take(&rest, "! ");
    surety_str delivered = {NULL, 0};
    surety_str value = rest;
    const char *why = "has no provider, value and value";

    while (value.len && !golden_take(&value, " => "))
        value = (surety_str){value.ptr + 1, value.len - 1};
    for (int i = 0; value.len && i <= SURETY_SUBSET_GRAMMAR; i++) {
        delivered = rest;
        if (golden_take(&delivered, surety_subset_name((surety_subset)i)) &&
            golden_take(&delivered, " ")) {
            delivered.len = (size_t)(value.ptr - 4 - delivered.ptr);
            why = try_pair(contract, (surety_subset)i, delivered, value, loose);
        }
    }
    if (why)
        printf("# %.*s: %s\n", (int)line.len, line.ptr, why);
    return why == NULL;
}

static bool try_pairs(const struct golden *golden,
                      const surety_contract *contract)
{
    surety_str rest, line;
    surety_buf text;
    bool good = true;

    surety_buf_init(&text, NULL, 0);
    golden_beside(golden, ".pairs", &text);
    rest = surety_buf_str(&text);
    while (golden_line(&rest, &line))
        if (line.len > 0 && line.ptr[0] != '#')
            good &= try_line(contract, line);
    surety_buf_done(&text);
    return good;
}

static bool run(struct golden *golden)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("case")};
    surety_contract *contract = NULL;
    surety_error error;
    bool good;

    if (surety_contract_read(surety_buf_str(&golden->text), &options, &contract,
                             &error) != SURETY_OK) {
        printf("# %s: %s\n", golden->path, error.message);
        return false;
    }
    for (int i = 0; i <= SURETY_SUBSET_GRAMMAR; i++) {
        surety_strict *strict = NULL;

        if (surety_strict_compile(contract, (surety_subset)i, NULL, &strict,
                                  &error) == SURETY_OK)
            write_strict(&golden->made, strict, (surety_subset)i);
        else
            surety_buf_text(&golden->made, error.message);
        surety_strict_free(strict);
    }
    good = try_pairs(golden, contract);
    surety_contract_free(contract);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {
        .endings = {".json"}, .expected = ".expect", .run = run};

    return golden_main(argc, argv, &folder);
}
