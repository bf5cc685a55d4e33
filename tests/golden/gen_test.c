/* SPDX-License-Identifier: Apache-2.0 */
/* C types made from contracts, as a person reads them.
 *
 *     gen_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.json, a contract. NAME.expect has what no C type says
 * of it, a line each with its place in the contract, then the header and the
 * source; with --update it is written anew, for a person to review. That header
 * and source compile and work is shown by tests/api/gen_test.py.
 *
 * FOLDER/NAME.types has a contract a line; NAME.expect the same lines, each
 * with the notes, the types and their tables behind it. Of the functions and of
 * the contract's text, which say nothing new, it has the hashes of both files.
 *
 * FOLDER/NAME.sets has a line PREFIX|HEADER|CONTRACT;;CONTRACT... for contracts
 * whose types are made together; NAME.expect the same lines, each with how the
 * files begin and what the types and functions are called.
 *
 * FOLDER/NAME.put has texts to be put as C, a line each:
 *
 *     call INDENT|HEAD|ARGUMENT ARGUMENT ...|TAIL
 *     comment INDENT|TEXT
 *     quote TEXT
 *     enum HEAD|WORD WORD ...|NAME
 *
 * in which \n, \t, \r, \\ and \xNN stand for bytes, and ~ for a space in an
 * argument; NAME.expect has what came of each. */
#include "golden/cases.h"

#include "gen/inside.h"

#include <stdio.h>
#include <string.h>

static void write_notes(surety_buf *out, const surety_gen *gen)
{
    for (size_t i = 0; i < surety_gen_info_of(gen)->note_count; i++) {
        const surety_gen_note note = surety_gen_info_of(gen)->notes[i];
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

/* What is made of the contract, or why nothing is. */
static bool run_contract(struct golden *golden)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("case")};
    surety_buf *out = &golden->made;
    surety_contract *contract = NULL;
    const surety_contract *given;
    surety_gen *gen = NULL;
    surety_error error;
    const surety_status status = surety_contract_read(
        surety_buf_str(&golden->text), &options, &contract, &error);

    golden->skipped = status == SURETY_UNSUPPORTED;
    if (status != SURETY_OK) {
        surety_buf_text(out, error.message);
        return true;
    }
    given = contract;
    if (surety_gen_new(&given, 1, NULL, &gen, &error) == SURETY_OK) {
        write_notes(out, gen);
        surety_buf_add(out, surety_gen_info_of(gen)->header);
        surety_buf_byte(out, '\n');
        surety_buf_add(out, surety_gen_info_of(gen)->source);
    } else {
        surety_buf_text(out, error.message);
    }
    surety_gen_free(gen);
    surety_contract_free(contract);
    return true;
}

/* ---- contracts, a line each ---------------------------------------------- */

/* What is between two texts, or before the end. */
static surety_str between(surety_str text, const char *begin, const char *end)
{
    const surety_str first = surety_str_of(begin);
    size_t at = surety__str_find(text, first);

    if (at == text.len)
        return (surety_str){"", 0};
    text.ptr += at + first.len;
    text.len -= at + first.len;
    return (surety_str){text.ptr, surety__str_find(text, surety_str_of(end))};
}

/* Appends a line with spaces before it. */
static void tell_line(surety_buf *out, surety_str line)
{
    surety_buf_text(out, "    ");
    surety_buf_add(out, line);
    surety_buf_byte(out, '\n');
}

static void tell_types(surety_buf *out, const surety_contract *contract)
{
    surety_gen *gen = NULL;
    surety_error error;
    surety_str parts[2];

    if (surety_gen_new(&contract, 1, NULL, &gen, &error) != SURETY_OK) {
        surety_buf_text(out, error.message);
        surety_buf_byte(out, '\n');
        return;
    }
    write_notes(out, gen);
    tell_line(out,
              between(surety_gen_info_of(gen)->header, "follows: ", " */"));
    tell_line(out,
              between(surety_gen_info_of(gen)->source, "follows: ", " */"));
    parts[0] = between(surety_gen_info_of(gen)->header,
                       "extern \"C\" {\n#endif\n", "/* Compiles the contract");
    parts[1] = between(surety_gen_info_of(gen)->source, "    NULL,\n};\n",
                       "static const surety_typed ");
    for (size_t i = 0; i < 2; i++) {
        surety_str line;

        while (golden_line(&parts[i], &line)) {
            if (line.len)
                tell_line(out, line);
        }
    }
    surety_gen_free(gen);
}

static bool run_types(struct golden *golden)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("case")};
    surety_str rest = surety_buf_str(&golden->text);
    bool good = true;
    surety_str line;

    while (golden_line(&rest, &line)) {
        surety_contract *contract = NULL;
        surety_error error;

        surety_buf_add(&golden->made, line);
        surety_buf_byte(&golden->made, '\n');
        if (!line.len || line.ptr[0] == '#')
            continue;
        if (surety_contract_read(line, &options, &contract, &error) ==
            SURETY_OK) {
            tell_types(&golden->made, contract);
        } else {
            printf("# %.*s: %s\n", (int)line.len, line.ptr, error.message);
            good = false;
        }
        surety_contract_free(contract);
    }
    return good;
}

/* ---- contracts together -------------------------------------------------- */

enum { SET_MAX = 4 };

/* Takes what is before the next mark off text, or all of it. */
static surety_str take_to(surety_str *text, char mark)
{
    const char *found = text->len ? memchr(text->ptr, mark, text->len) : NULL;
    const size_t len = found ? (size_t)(found - text->ptr) : text->len;
    const surety_str part = {text->ptr, len};

    text->ptr += len + (found != NULL);
    text->len -= len + (found != NULL);
    return part;
}

/* How a file begins, and what types and roots are called. */
static void tell_names(surety_buf *out, surety_str text)
{
    const surety_str contract = surety_str_of("_contract(");
    surety_str line;
    bool begun = false;

    while (golden_line(&text, &line)) {
        surety_str rest = line;
        const bool declares =
            golden_take(&rest, "typedef ") ||
            golden_take(&rest, "static const surety_typed ") ||
            (golden_take(&rest, "surety_status ") &&
             surety__str_find(rest, contract) < rest.len);

        if (line.len && (!begun || declares))
            tell_line(out, line);
        begun = begun || golden_take(&rest, "#include") || declares;
    }
}

static void tell_set(surety_buf *out, surety_contract *const *set, size_t count,
                     const surety_gen_options *options)
{
    const surety_contract *contracts[SET_MAX];
    surety_gen *gen = NULL;
    surety_error error = {.message = ""};

    for (size_t i = 0; i < count; i++)
        contracts[i] = set[i];
    if (surety_gen_new(contracts, count, options, &gen, &error) != SURETY_OK) {
        tell_line(out, surety_str_of(error.message));
        return;
    }
    for (size_t i = 0; i < surety_gen_info_of(gen)->note_count; i++) {
        surety_buf_text(out, "    contract ");
        surety_buf_number(out, surety_gen_info_of(gen)->notes[i].contract);
        surety_buf_text(out, ": ");
        surety_buf_add(out, surety_gen_info_of(gen)->notes[i].message);
        surety_buf_byte(out, '\n');
    }
    tell_names(out, surety_gen_info_of(gen)->header);
    tell_names(out, surety_gen_info_of(gen)->source);
    surety_gen_free(gen);
}

static bool run_sets(struct golden *golden)
{
    surety_str rest = surety_buf_str(&golden->text);
    surety_buf *out = &golden->made;
    bool good = true;
    surety_str line;

    while (golden_line(&rest, &line)) {
        surety_gen_options options = {.size = sizeof(options)};
        surety_contract *set[SET_MAX] = {NULL};
        size_t count = 0;

        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        options.prefix = take_to(&line, '|');
        options.header = take_to(&line, '|');
        while (line.len && count < SET_MAX && good) {
            const surety_str end = surety_str_of(";;");
            const size_t len = surety__str_find(line, end);
            surety_error error;

            good = surety_contract_read((surety_str){line.ptr, len}, NULL,
                                        &set[count++], &error) == SURETY_OK;
            if (!good)
                printf("# %.*s: %s\n", (int)len, line.ptr, error.message);
            line.ptr += len < line.len ? len + 2 : len;
            line.len -= len < line.len ? len + 2 : len;
        }
        if (good)
            tell_set(out, set, count, &options);
        for (size_t i = 0; i < count; i++)
            surety_contract_free(set[i]);
    }
    return good;
}

/* ---- texts put as C ------------------------------------------------------ */

enum { WORDS_MAX = 16 };

/* A part of a line as a text that ends with a NUL. */
static const char *plain(surety_buf *text, surety_str part, bool arguments)
{
    surety_buf_reset(text);
    golden_unescape(part, text);
    for (size_t i = 0; i < text->len && arguments; i++)
        text->ptr[i] = text->ptr[i] == ' '   ? '\n'
                       : text->ptr[i] == '~' ? ' '
                                             : text->ptr[i];
    surety_buf_byte(text, '\0');
    text->len--;
    return text->ptr;
}

static size_t take_number(surety_str *text)
{
    const surety_str digits = take_to(text, '|');
    size_t number = 0;

    for (size_t i = 0; i < digits.len; i++)
        number = number * 10 + (size_t)(digits.ptr[i] - '0');
    return number;
}

static void put_call(surety_buf *out, surety_str line)
{
    const size_t indent = take_number(&line);
    const surety_str head = take_to(&line, '|');
    const surety_str arguments = take_to(&line, '|');
    surety_buf first, second, tail;

    surety_buf_init(&first, NULL, 0);
    surety_buf_init(&second, NULL, 0);
    surety_buf_init(&tail, NULL, 0);
    plain(&first, head, false);
    plain(&second, arguments, true);
    surety__gen_call(out, indent, surety_buf_str(&first),
                     surety_buf_str(&second), plain(&tail, line, false));
    surety_buf_done(&first);
    surety_buf_done(&second);
    surety_buf_done(&tail);
}

static void put_enum(surety_buf *out, surety_str line)
{
    const surety_str head = take_to(&line, '|');
    surety_str list = take_to(&line, '|');
    surety_str words[WORDS_MAX];
    surety_buf text;
    size_t count = 0;

    while (list.len && count < WORDS_MAX)
        words[count++] = take_to(&list, ' ');
    surety_buf_init(&text, NULL, 0);
    surety__gen_enum(out, surety_str_of(plain(&text, head, false)), words,
                     count, line);
    surety_buf_done(&text);
}

/* False: its words mean nothing. */
static bool put_line(surety_buf *out, surety_str line)
{
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    if (golden_take(&line, "call ")) {
        put_call(out, line);
    } else if (golden_take(&line, "enum ")) {
        put_enum(out, line);
    } else if (golden_take(&line, "comment ")) {
        const size_t indent = take_number(&line);

        plain(&text, line, false);
        surety__gen_comment(out, indent, surety_buf_str(&text));
    } else if (golden_take(&line, "quote ")) {
        plain(&text, line, false);
        surety__gen_quote(out, surety_buf_str(&text));
    } else {
        surety_buf_done(&text);
        return false;
    }
    surety_buf_done(&text);
    return true;
}

static bool run_put(struct golden *golden)
{
    surety_str rest = surety_buf_str(&golden->text);
    surety_buf *out = &golden->made;
    bool good = true;
    surety_str line;

    while (golden_line(&rest, &line)) {
        surety_buf_text(out, "## ");
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        good = put_line(out, line) && good;
        golden_end(golden);
    }
    return good;
}

static bool run(struct golden *golden)
{
    const char *ending = strrchr(golden->path, '.');

    if (strcmp(ending, ".types") == 0)
        return run_types(golden);
    if (strcmp(ending, ".sets") == 0)
        return run_sets(golden);
    return strcmp(ending, ".put") == 0 ? run_put(golden) : run_contract(golden);
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {
        .endings = {".json", ".put", ".sets", ".types"},
        .expected = ".expect",
        .run = run};

    return golden_main(argc, argv, &folder);
}
