/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas in every provider's subset, and values on their way back.
 *
 *     strict_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.json, a contract. NAME.expect says for each provider
 * the support, the notes with their place, and the schema that is sent; with
 * --update it is written anew, for a person to review. NAME.pairs, where there
 * is one, has a line each: PROVIDER, what it delivers, " => " and the value
 * that comes of it. What is delivered must satisfy the schema that was sent,
 * the value must satisfy the contract; "! PROVIDER" begins a line where only
 * the value that comes of it counts.
 *
 * FOLDER/NAME.schemas has a schema a line; NAME.expect says of each what each
 * provider is sent, those together that are sent the same.
 *
 * FOLDER/NAME.values has a line each:
 *
 *     contract CONTRACT         for the lines behind it
 *     restore PROVIDER VALUE    what comes of a delivered value
 *     begin PROVIDER TEXT       the same of every beginning of a text; those
 *                               that come to the same are one line
 *     deliver PROVIDER VALUE    a value of the contract's as it is delivered
 *
 * and NAME.expect the same lines, with what comes of each behind it. */
#include "golden/cases.h"

#include <stdio.h>
#include <string.h>

/* In the order of surety_strict_support. */
static const char *const support_names[] = {"accepted", "rewritten",
                                            "impossible"};

static void write_strict(surety_buf *out, const surety_strict *strict,
                         surety_subset subset)
{
    surety_buf_text(out, surety_subset_name(subset));
    surety_buf_text(out, ": ");
    surety_buf_text(out, support_names[surety_strict_info_of(strict)->support]);
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < surety_strict_info_of(strict)->note_count; i++) {
        const surety_strict_note note = surety_strict_info_of(strict)->notes[i];
        surety_buf_text(out, "  ");
        surety_buf_number(out, note.position.line);
        surety_buf_byte(out, ':');
        surety_buf_number(out, note.position.column);
        surety_buf_text(out, " #");
        surety_buf_add(out, note.location);
        surety_buf_byte(out, ' ');
        surety_buf_text(out, support_names[note.support]);
        surety_buf_byte(out, ' ');
        surety_buf_add(out, note.keyword);
        surety_buf_text(out, ": ");
        surety_buf_add(out, note.message);
        surety_buf_text(out, "; ");
        surety_buf_add(out, note.hint);
        surety_buf_byte(out, '\n');
    }
    if (surety_strict_info_of(strict)->schema.doc) {
        surety_val_write(surety_strict_info_of(strict)->schema,
                         SURETY_STYLE_PRETTY, out);
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
    if (status == SURETY_SYNTAX && surety_str_equal(surety_str_of(line), words))
        return true;
    printf("# %s: %s\n", surety_status_name(status), line);
    return false;
}

/* NULL: the pair holds; otherwise what does not. */
static const char *try_pair(const surety_contract *contract,
                            surety_subset subset, surety_str delivered,
                            surety_str wanted, bool loose)
{
    const surety_strict *strict = NULL;
    surety_schema *sent = NULL;
    surety_doc *from = surety_doc_new(NULL);
    surety_doc *want = surety_doc_new(NULL);
    surety_doc *back = surety_doc_new(NULL);
    const char *why = NULL;
    const bool refused = golden_take(&wanted, "error: ");

    if (surety_strict_of(contract, subset, &strict, NULL) != SURETY_OK)
        why = "does not compile";
    else if (surety_doc_read(from, delivered, NULL, NULL) != SURETY_OK ||
             (!refused &&
              surety_doc_read(want, wanted, NULL, NULL) != SURETY_OK))
        why = "is no JSON";
    else if (!surety_strict_info_of(strict)->schema.doc)
        why = "is impossible";
    else if (surety_schema_compile(surety_strict_info_of(strict)->schema, NULL,
                                   &sent, NULL) != SURETY_OK)
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
    else if (!loose && !satisfies(surety_contract_info_of(contract)->schema,
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

static bool run_contract(struct golden *golden)
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
        const surety_strict *strict = NULL;

        if (surety_strict_of(contract, (surety_subset)i, &strict, &error) ==
            SURETY_OK)
            write_strict(&golden->made, strict, (surety_subset)i);
        else
            surety_buf_text(&golden->made, error.message);
    }
    good = try_pairs(golden, contract);
    surety_contract_free(contract);
    return good;
}

/* ---- schemas, a line each ------------------------------------------------ */

static void tell_strict(surety_buf *out, const surety_strict *strict)
{
    surety_buf_text(out, support_names[surety_strict_info_of(strict)->support]);
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < surety_strict_info_of(strict)->note_count; i++) {
        const surety_strict_note note = surety_strict_info_of(strict)->notes[i];

        surety_buf_text(out, note.support == SURETY_STRICT_IMPOSSIBLE
                                 ? "        ! #"
                                 : "        - #");
        surety_buf_add(out, note.location);
        surety_buf_byte(out, ' ');
        surety_buf_add(out, note.keyword);
        surety_buf_text(out, ": ");
        surety_buf_add(out, note.message);
        surety_buf_text(out, "; ");
        surety_buf_add(out, note.hint);
        surety_buf_byte(out, '\n');
    }
    if (!surety_strict_info_of(strict)->schema.doc)
        return;
    surety_buf_text(out, "        ");
    surety_val_write(surety_strict_info_of(strict)->schema,
                     SURETY_STYLE_COMPACT, out);
    surety_buf_byte(out, '\n');
}

/* What is said of the i-th subset, but for the provider's title. */
static void tell_subset(surety_buf *out, const surety_contract *contract, int i)
{
    const surety_strict *strict = NULL;
    surety_error error;

    if (surety_strict_of(contract, (surety_subset)i, &strict, &error) ==
        SURETY_OK) {
        tell_strict(out, strict);
    } else {
        surety_buf_text(out, error.message);
        surety_buf_byte(out, '\n');
    }
}

static void tell_subsets(surety_buf *out, const surety_contract *contract)
{
    surety_buf told[SURETY_SUBSET_GRAMMAR + 1];
    const int count = SURETY_SUBSET_GRAMMAR + 1;

    for (int i = 0; i < count; i++) {
        surety_buf_init(&told[i], NULL, 0);
        tell_subset(&told[i], contract, i);
    }
    for (int i = 0; i < count; i++) {
        const surety_str text = surety_buf_str(&told[i]);
        bool first = true;

        for (int k = 0; k < i; k++)
            first = first && !surety_str_equal(text, surety_buf_str(&told[k]));
        for (int k = i; k < count && first; k++) {
            if (!surety_str_equal(text, surety_buf_str(&told[k])))
                continue;
            surety_buf_text(out, k == i ? "    " : ", ");
            surety_buf_text(out, surety_subset_name((surety_subset)k));
        }
        if (first) {
            surety_buf_text(out, ": ");
            surety_buf_add(out, text);
        }
    }
    for (int i = 0; i < count; i++)
        surety_buf_done(&told[i]);
}

/* The contract; NULL, and a word, where it is none. */
static surety_contract *read_contract(surety_str text)
{
    surety_contract *contract = NULL;
    surety_error error;

    if (surety_contract_read(text, NULL, &contract, &error) != SURETY_OK)
        printf("# %.*s: %s\n", (int)text.len, text.ptr, error.message);
    return contract;
}

static bool run_schemas(struct golden *golden)
{
    surety_str rest = surety_buf_str(&golden->text);
    surety_buf *out = &golden->made;
    bool good = true;
    surety_str line;

    while (golden_line(&rest, &line)) {
        surety_contract *contract;

        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        if (!line.len || line.ptr[0] == '#')
            continue;
        contract = read_contract(line);
        good = good && contract;
        if (contract)
            tell_subsets(out, contract);
        surety_contract_free(contract);
    }
    return good;
}

/* ---- values, a line each ------------------------------------------------- */

static void tell_status(surety_buf *out, surety_status status,
                        const surety_error *error)
{
    surety_buf_text(out, surety_status_name(status));
    surety_buf_text(out, ": ");
    surety_buf_text(out, error->message);
    if (error->path[0]) {
        surety_buf_text(out, " at ");
        surety_buf_text(out, error->path);
    }
    if (error->position.line) {
        surety_buf_text(out, " (");
        surety_buf_number(out, error->position.line);
        surety_buf_byte(out, ':');
        surety_buf_number(out, error->position.column);
        surety_buf_byte(out, ')');
    }
    if (error->hint[0]) {
        surety_buf_text(out, "; ");
        surety_buf_text(out, error->hint);
    }
}

static void tell_value(surety_buf *out, const surety_strict *strict,
                       surety_str text, bool deliver)
{
    surety_error error = {.message = ""};
    surety_doc *from = surety_doc_new(NULL);
    surety_doc *to = surety_doc_new(NULL);
    surety_status status = surety_doc_read(from, text, NULL, &error);

    if (status == SURETY_OK && deliver)
        status =
            surety_strict_deliver(strict, surety_doc_root(from), to, &error);
    else if (status == SURETY_OK)
        status =
            surety_strict_restore(strict, surety_doc_root(from), to, &error);
    surety_buf_text(out, "    ");
    if (status == SURETY_OK)
        surety_val_write(surety_doc_root(to), SURETY_STYLE_COMPACT, out);
    else
        tell_status(out, status, &error);
    surety_buf_byte(out, '\n');
    surety_doc_free(from);
    surety_doc_free(to);
}

static void tell_beginnings(surety_buf *out, const surety_strict *strict,
                            surety_str text)
{
    surety_buf last, made;
    size_t since = 1;

    surety_buf_init(&last, NULL, 0);
    surety_buf_init(&made, NULL, 0);
    for (size_t len = 1; len <= text.len + 1; len++) {
        const surety_str part = {text.ptr, len};
        surety_error error = {.message = ""};
        surety_status status = SURETY_OK;

        surety_buf_reset(&made);
        if (len <= text.len)
            status =
                surety_strict_restore_part(strict, part, NULL, &made, &error);
        if (status != SURETY_OK)
            tell_status(&made, status, &error);
        if (len > 1 &&
            (len > text.len ||
             !surety_str_equal(surety_buf_str(&made), surety_buf_str(&last)))) {
            surety_buf_text(out, "    ");
            surety_buf_number(out, since);
            surety_buf_text(out, " ");
            surety_buf_add(out, surety_buf_str(&last));
            surety_buf_byte(out, '\n');
            since = len;
        }
        surety_buf_reset(&last);
        surety_buf_add(&last, surety_buf_str(&made));
    }
    surety_buf_done(&last);
    surety_buf_done(&made);
}

/* False: the line's words mean nothing, or there is nothing to compile. */
static bool tell_line(surety_buf *out, const surety_contract *contract,
                      surety_str line)
{
    const bool restore = golden_take(&line, "restore ");
    const bool begin = !restore && golden_take(&line, "begin ");
    const bool deliver = !restore && !begin && golden_take(&line, "deliver ");
    const surety_strict *strict = NULL;
    int i = 0;

    while (i <= SURETY_SUBSET_GRAMMAR &&
           !golden_take(&line, surety_subset_name((surety_subset)i)))
        i++;
    if (!(restore || begin || deliver) || !golden_take(&line, " ") ||
        surety_strict_of(contract, (surety_subset)i, &strict, NULL) !=
            SURETY_OK)
        return false;
    if (begin)
        tell_beginnings(out, strict, line);
    else
        tell_value(out, strict, line, deliver);
    return true;
}

static bool run_values(struct golden *golden)
{
    surety_str rest = surety_buf_str(&golden->text);
    surety_buf *out = &golden->made;
    surety_contract *contract = NULL;
    bool good = true;
    surety_str line;

    while (golden_line(&rest, &line)) {
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        if (!line.len || line.ptr[0] == '#')
            continue;
        if (golden_take(&line, "contract ")) {
            surety_contract_free(contract);
            contract = read_contract(line);
            good = good && contract;
        } else if (!contract || !tell_line(out, contract, line)) {
            printf("# %.*s: means nothing\n", (int)line.len, line.ptr);
            good = false;
        }
    }
    surety_contract_free(contract);
    return good;
}

static bool run(struct golden *golden)
{
    const char *ending = strrchr(golden->path, '.');

    if (strcmp(ending, ".schemas") == 0)
        return run_schemas(golden);
    return strcmp(ending, ".values") == 0 ? run_values(golden)
                                          : run_contract(golden);
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".json", ".schemas", ".values"},
                                   .expected = ".expect",
                                   .run = run};

    return golden_main(argc, argv, &folder);
}
