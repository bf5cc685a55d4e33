/* SPDX-License-Identifier: Apache-2.0 */
/* C types made from contracts, as a person reads them.
 *
 *     gen_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.json, a contract. NAME.expect has what no C type says
 * of it, a line each with its place in the contract, then the header and the
 * source; with --update it is written anew, for a person to review. That header
 * and source compile and work is shown by tests/api/gen_test.py. */
#include "golden/cases.h"

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

/* What is made of the contract, or why nothing is. */
static bool run(struct golden *golden)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("case")};
    surety_buf *out = &golden->made;
    surety_contract *contract = NULL;
    const surety_contract *given;
    surety_gen *gen = NULL;
    surety_error error;

    if (surety_contract_read(surety_buf_str(&golden->text), &options, &contract,
                             &error) != SURETY_OK) {
        surety_buf_text(out, error.message);
        return true;
    }
    given = contract;
    if (surety_gen_make(&given, 1, NULL, &gen, &error) == SURETY_OK) {
        write_notes(out, gen);
        surety_buf_add(out, surety_gen_header(gen));
        surety_buf_byte(out, '\n');
        surety_buf_add(out, surety_gen_source(gen));
    } else {
        surety_buf_text(out, error.message);
    }
    surety_gen_free(gen);
    surety_contract_free(contract);
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {
        .endings = {".json"}, .expected = ".expect", .run = run};

    return golden_main(argc, argv, &folder);
}
